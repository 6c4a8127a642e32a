//! Everything that a service stands on, put together: the parts of this crate over one store.
//!
//! [`Platform`] is also what the HTTP shell asks: who is calling, whether they may call now, and
//! whether this was asked before.

mod owners;
mod seams;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use audit::{Audit, Later, Signing};
use changes::idempotency::Idempotency;
use changes::{Change, Changes, Refusal, RequestFacts};
use identity::keys::Keys;
use identity::mail::Mailer;
use identity::{Authenticator, Commit, Committing, External, Noted};
use kernel::Caller;
use kernel::clock::Clock;
use kernel::error::Error;
use kernel::ids::Ids;
use kernel::moment::Moment;
use limits::{Asked, By, Limiter, Policies, Verdict};
use secrets::{MasterKeys, Seal, Vault};
use store::{Store, Write};
use tokio::task::JoinHandle;
use web::Context;
use webhooks::events::Outbox;
use webhooks::{Endpoints, Messages};
pub use workers::Workers;

/// What a platform is made of.
pub struct Parts {
    /// Where everything is kept.
    pub store: Store,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where identifiers and secrets come from.
    pub ids: Ids,
    /// What keys are wrapped with.
    pub masters: MasterKeys,
    /// Who takes mails.
    pub mailer: Arc<dyn Mailer>,
    /// Names, lives and limits of identity.
    pub identity: identity::Settings,
    /// Issuers whose tokens are believed besides our own.
    pub external: Vec<External>,
    /// How often what may be asked.
    pub policies: Policies,
    /// When deliveries are tried.
    pub webhooks: webhooks::Settings,
    /// Where deliveries may go.
    pub destinations: webhooks::Policy,
    /// For how long a request with an Idempotency-Key is held: longer than any request may take.
    pub lease: Duration,
}

/// The platform. Cloning is cheap.
#[derive(Clone)]
pub struct Platform {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Ids,
    vault: Arc<Vault>,
    identity: identity::Service,
    authenticator: Authenticator,
    keys: Arc<Keys>,
    limiter: Arc<Limiter>,
    changes: Changes,
    later: Later,
    outbox: Outbox,
    endpoints: Endpoints,
    messages: Messages,
    webhooks: webhooks::Settings,
    destinations: webhooks::Policy,
}

impl Platform {
    /// Puts the parts together, on the runtime that this is called on. The handle is of the worker
    /// that records authentication attempts; it ends when every clone of the platform is gone.
    pub async fn open(parts: Parts) -> Result<(Platform, JoinHandle<()>), Error> {
        let Parts { store, clock, ids, masters, mailer, .. } = parts;
        let now = Moment::from_millis(clock.now_millis());
        let vault = Arc::new(Vault::new(&store, ids.clone(), Arc::clone(&clock), masters)?);
        let seal: Arc<dyn Seal> = Arc::<Vault>::clone(&vault);
        let signing = Signing::open(&store, ids.clone(), Arc::clone(&seal), now).await?;
        let audit = Audit::new(store.clone(), Arc::clone(&clock), ids.clone(), signing)?;
        let (later, recording) = Later::start(audit.clone());
        let outbox = Outbox::new(&store, ids.clone(), parts.webhooks.retention)?;
        let idempotency = Idempotency::new(store.clone(), Arc::clone(&clock), Arc::clone(&seal))?;
        let idempotency = idempotency.held_for(parts.lease);
        let changes = Changes::new(audit, Arc::new(outbox.clone()), idempotency, ids.clone());
        let identity = identity::Service::new(identity::Parts {
            store: store.clone(),
            seal: Arc::clone(&seal),
            mailer,
            ids: ids.clone(),
            clock: Arc::clone(&clock),
            settings: parts.identity,
        })?;
        let limiter = Limiter::new(&store, Arc::clone(&clock), parts.policies)?;
        let limiter = Arc::new(limiter);
        let keys = Keys::new(store.clone(), ids.clone(), Arc::clone(&clock))?;
        let keys = Arc::new(keys.limited_by(Arc::clone(&limiter)));
        let endpoints = Endpoints::new(
            &store,
            ids.clone(),
            seal,
            parts.destinations.clone(),
            parts.webhooks.clone(),
            Arc::clone(&clock),
        )?;
        let messages =
            Messages::new(&store, outbox.clone(), endpoints.clone(), Arc::clone(&clock))?;
        let authenticator = Authenticator::new(identity.clone(), parts.external);
        let inner = Inner {
            store,
            clock,
            ids,
            vault,
            identity,
            authenticator,
            keys,
            limiter,
            changes,
            later,
            outbox,
            endpoints,
            messages,
            webhooks: parts.webhooks,
            destinations: parts.destinations,
        };
        Ok((Platform { inner: Arc::new(inner) }, recording))
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.inner.clock
    }

    /// The time.
    pub fn now(&self) -> Moment {
        Moment::from_millis(self.inner.clock.now_millis())
    }

    /// The maker of identifiers.
    pub fn ids(&self) -> &Ids {
        &self.inner.ids
    }

    /// What seals secrets.
    pub fn vault(&self) -> &Arc<Vault> {
        &self.inner.vault
    }

    /// The people.
    pub fn identity(&self) -> &identity::Service {
        &self.inner.identity
    }

    /// The API keys.
    pub fn keys(&self) -> &Arc<Keys> {
        &self.inner.keys
    }

    /// The rate limits.
    pub fn limiter(&self) -> &Arc<Limiter> {
        &self.inner.limiter
    }

    /// The audit log.
    pub fn audit(&self) -> &Audit {
        self.inner.changes.audit()
    }

    /// The queue into the audit log, for what nobody waits for.
    pub fn later(&self) -> &Later {
        &self.inner.later
    }

    /// The requests that were seen.
    pub fn idempotency(&self) -> &Idempotency {
        self.inner.changes.idempotency()
    }

    /// The outgoing events.
    pub fn outbox(&self) -> &Outbox {
        &self.inner.outbox
    }

    /// Where events go.
    pub fn endpoints(&self) -> &Endpoints {
        &self.inner.endpoints
    }

    /// The events and their deliveries.
    pub fn messages(&self) -> &Messages {
        &self.inner.messages
    }

    /// Where changes begin.
    pub fn changes(&self) -> &Changes {
        &self.inner.changes
    }

    /// A change that a request makes, with nothing in it yet.
    pub fn begin(&self, context: &Context) -> Change {
        self.inner.changes.begin(&Arc::new(context.request_facts()))
    }

    /// A change that Plinth itself makes, in one of its parts.
    pub fn begin_as(&self, part: &'static str) -> Change {
        self.inner.changes.begin(&Arc::new(self.own_request(part)))
    }

    fn own_request(&self, part: &'static str) -> RequestFacts {
        RequestFacts::new("", Caller::system(part), self.now())
    }

    /// How identity commits what a request does: with its audit entries and events. The answer is not
    /// known then, so it is kept afterwards, if the route keeps answers at all.
    pub fn commits(&self, context: &Context) -> Commits {
        let facts = RequestFacts { claim: None, ..context.request_facts() };
        Commits { changes: self.inner.changes.clone(), request: Arc::new(facts) }
    }

    /// The same for Plinth itself, outside any request.
    pub fn commits_as(&self, part: &'static str) -> Commits {
        let request = Arc::new(self.own_request(part));
        Commits { changes: self.inner.changes.clone(), request }
    }

    /// Counts a request by the policies that are about what it aims at, such as the name in a login;
    /// those about the caller were asked before its body was read. What is left is told with the
    /// answer, beside what those said.
    pub async fn guard(&self, request: &RequestFacts, target: &str) -> Result<(), Error> {
        self.guarded(request, Asked { target: Some(target), ..Asked::default() }).await
    }

    /// The same for what is done to a tenant, by the policies that are about tenants, too.
    pub async fn guard_in(
        &self,
        request: &RequestFacts,
        tenant_id: &str,
        target: &str,
    ) -> Result<(), Error> {
        let (tenant_id, target) = (Some(tenant_id), Some(target));
        self.guarded(request, Asked { tenant_id, target, ..Asked::default() }).await
    }

    async fn guarded(&self, request: &RequestFacts, asked: Asked<'_>) -> Result<(), Error> {
        let asked = Asked { route: &request.route, cost: 1, ..asked };
        let decision = self.inner.limiter.check(&asked).await?;
        let policies = self.inner.limiter.policies();
        // What is left of a limit about a name would tell who else was asked about: whether an address
        // is that of a username, say. So it is not told before it refuses.
        let is_told = |verdict: &&Verdict| {
            let by = policies.find(&verdict.policy).map(|policy| policy.by);
            !verdict.admitted || by != Some(By::Target)
        };
        request.rate_limits.add(decision.verdicts.iter().filter(is_told).cloned());
        decision.into_result().map(drop)
    }
}

/// How identity commits: see [`Platform::commits`].
pub struct Commits {
    changes: Changes,
    request: Arc<RequestFacts>,
}

impl Commit for Commits {
    fn commit(&self, writes: Vec<(Write, Refusal)>, noted: Noted) -> Committing<'_> {
        let mut change = self.changes.begin(&self.request);
        for (write, refusal) in writes {
            change.add(write, refusal);
        }
        noted.entries.into_iter().for_each(|entry| change.record(entry));
        noted.events.into_iter().for_each(|event| change.emit(event));
        Box::pin(async move { change.commit(None).await.map(drop) })
    }
}
