//! Tokens of other issuers, Cognito's among them, and who calls with one (R002-9.1-2, C2-35, C2-36).
//!
//! What a token claims of tenants and groups is a hint: assignments decide.

use std::sync::Arc;
use std::time::Duration;

use kernel::caller::{Caller, Identity, Role};
use kernel::clock::Clock;
use kernel::error::Error;
use kernel::ids::hashed_uuid;
use kernel::moment::Moment;
use serde_json::{Map, Value};

use super::claims::{Times, audiences, text};
use super::email;
use super::jwks::{Fetch, JwksCache, JwksSource, KeyCacheSettings};
use super::jws::{Compact, Refused};
use super::known_tokens::KnownTokens;
use super::token::refused;

/// What a token of Cognito's is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenUse {
    /// It says who somebody is.
    Id,
    /// It lets somebody in.
    Access,
}

impl TokenUse {
    fn as_str(self) -> &'static str {
        match self {
            TokenUse::Id => "id",
            TokenUse::Access => "access",
        }
    }
}

/// Where an issuer's tokens say what we need.
#[derive(Clone, Debug)]
pub struct ClaimNames {
    /// Groups: a list of texts.
    pub groups: String,
    /// Tenants: texts with commas between, or a list of texts.
    pub tenants: String,
    /// The customer.
    pub customer: String,
    /// Groups that stand for a role on the whole platform, such as `Admins`.
    pub platform_groups: Vec<(String, Role)>,
}

/// Another issuer, by configuration.
#[derive(Clone, Debug)]
pub struct ExternalIssuer {
    /// Its `iss`, to the letter.
    pub issuer: String,
    /// Whom its tokens must be for: client ids.
    pub audiences: Vec<String>,
    /// Where its keys are.
    pub keys: JwksSource,
    /// Which `token_use` is accepted; none if its tokens have no such claim.
    pub token_uses: Option<Vec<TokenUse>>,
    /// Where its tokens say what we need.
    pub claims: ClaimNames,
    /// By how much its clock may differ from ours.
    pub leeway: Duration,
    /// Longest life of its tokens.
    pub life_max: Duration,
    /// Whether an address counts as verified that its tokens say nothing more of.
    pub trusts_email: bool,
    /// How long its keys are kept.
    pub key_cache: KeyCacheSettings,
}

impl ExternalIssuer {
    /// Any OIDC issuer, whose access or ID tokens are for this audience.
    pub fn oidc(issuer: impl Into<String>, audience: impl Into<String>) -> ExternalIssuer {
        ExternalIssuer {
            issuer: issuer.into(),
            audiences: vec![audience.into()],
            keys: JwksSource::Discovery,
            token_uses: None,
            claims: ClaimNames {
                groups: "groups".to_owned(),
                tenants: "tenants".to_owned(),
                customer: "customer".to_owned(),
                platform_groups: Vec::new(),
            },
            leeway: Duration::from_secs(30),
            life_max: Duration::from_secs(24 * 60 * 60),
            trusts_email: false,
            key_cache: KeyCacheSettings::default(),
        }
    }

    /// A user pool of Cognito's: its ID and access tokens for one app client.
    pub fn cognito(issuer: impl Into<String>, client_id: impl Into<String>) -> ExternalIssuer {
        let issuer = issuer.into();
        ExternalIssuer {
            keys: JwksSource::Url(format!("{issuer}/.well-known/jwks.json")),
            token_uses: Some(vec![TokenUse::Id, TokenUse::Access]),
            claims: ClaimNames {
                groups: "cognito:groups".to_owned(),
                tenants: "custom:tenantIds".to_owned(),
                customer: "custom:customerId".to_owned(),
                platform_groups: vec![("Admins".to_owned(), Role::PlatformAdmin)],
            },
            ..ExternalIssuer::oidc(issuer, client_id)
        }
    }
}

/// An issuer with its keys.
pub struct External {
    settings: ExternalIssuer,
    keys: JwksCache,
    clock: Arc<dyn Clock>,
}

impl External {
    /// An issuer whose keys are fetched when the first token comes.
    pub fn new(settings: ExternalIssuer, fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>) -> External {
        let (source, cache) = (settings.keys.clone(), settings.key_cache);
        let keys = JwksCache::new(&settings.issuer, source, cache, fetch, Arc::clone(&clock));
        External { settings, keys, clock }
    }

    pub(super) fn issued(&self, compact: &Compact) -> bool {
        text(&compact.claims, "iss") == Some(&self.settings.issuer)
    }

    /// Believes a token, or refuses it.
    pub(super) async fn caller(
        &self,
        compact: &Arc<Compact>,
        known: &KnownTokens,
    ) -> Result<Caller, Error> {
        let kid = compact.kid().map_err(refused)?;
        let key = self.keys.find(kid).await?.ok_or_else(|| refused("the key is unknown"))?;
        known.verify(compact, &key).map_err(refused)?;
        self.check(compact).map_err(refused)
    }

    fn check(&self, compact: &Compact) -> Result<Caller, Refused> {
        let claims = &compact.claims;
        match text(&compact.header, "typ") {
            None if !compact.header.contains_key("typ") => {}
            Some("JWT" | "at+jwt") => {}
            _ => return Err("the type is another"),
        }
        if !self.issued(compact) {
            return Err("the issuer is another");
        }
        let token_use = self.token_use(claims)?;
        let mut aimed_at = audiences(claims)?;
        if aimed_at.is_empty() && token_use == Some(TokenUse::Access) {
            // Cognito's access tokens have no audience: the app client is in a claim of its own.
            aimed_at.extend(text(claims, "client_id"));
        }
        if !aimed_at.iter().any(|one| self.settings.audiences.iter().any(|ours| ours == one)) {
            return Err("it is for somebody else");
        }
        let times = Times {
            now: Moment::from_millis(self.clock.now_millis()),
            early: self.settings.leeway,
            late: self.settings.leeway,
            life_max: self.settings.life_max,
        };
        times.check(claims)?;
        self.map(claims)
    }

    fn token_use(&self, claims: &Map<String, Value>) -> Result<Option<TokenUse>, Refused> {
        let Some(accepted) = &self.settings.token_uses else { return Ok(None) };
        let claimed = text(claims, "token_use");
        let found = accepted.iter().find(|one| claimed == Some(one.as_str()));
        found.copied().map(Some).ok_or("token_use is not accepted")
    }

    fn map(&self, claims: &Map<String, Value>) -> Result<Caller, Refused> {
        let names = &self.settings.claims;
        let subject = text(claims, "sub").ok_or("sub is missing")?;
        // An address that its issuer has not verified says nothing of who it is.
        let verified = match claims.get("email_verified") {
            None => self.settings.trusts_email,
            Some(Value::Bool(verified)) => *verified,
            Some(verified) => verified == "true",
        };
        let address = text(claims, "email").filter(|_| verified);
        let mut caller = Caller::new(Identity::User {
            user_id: self.user_id(subject),
            email: address.and_then(|address| email::normalise(address).ok()),
            session: None,
        });
        let groups = list(claims, &names.groups)?;
        for (group, role) in &names.platform_groups {
            if groups.iter().any(|one| one == group) {
                caller.roles.insert(*role);
            }
        }
        caller.tenant_hints = list(claims, &names.tenants)?;
        caller.tenant_hints.extend(groups.iter().filter_map(|group| tenant_of(group)));
        caller.tenant_hints.sort_unstable();
        caller.tenant_hints.dedup();
        caller.customer_id = text(claims, &names.customer).map(str::to_owned);
        Ok(caller)
    }

    /// Who a subject is here. It is unique among its issuer's own only: another issuer could name
    /// somebody of ours. An issuer that may name the platform's administrators can be anybody
    /// anyway, and its subjects, by which people are known elsewhere too, stay as they are.
    fn user_id(&self, subject: &str) -> String {
        let mut roles = self.settings.claims.platform_groups.iter().map(|(_, role)| *role);
        if roles.any(|role| role == Role::PlatformAdmin) {
            return subject.to_owned();
        }
        hashed_uuid(&format!("{}\0{subject}", self.settings.issuer))
    }
}

/// The tenant that a group such as `tenant-123-admins` hints at: everything before its last hyphen.
fn tenant_of(group: &str) -> Option<String> {
    let (tenant, role) = group.rsplit_once('-')?;
    let known = ["admins", "admin", "operators", "operator", "viewers", "viewer"];
    let names_one = tenant.starts_with("tenant-") && known.contains(&&*role.to_lowercase());
    names_one.then(|| tenant.to_owned())
}

/// Texts in a list, or with commas between. Anything else is no list of texts.
fn list(claims: &Map<String, Value>, name: &str) -> Result<Vec<String>, Refused> {
    let clean = |one: &str| Some(one.trim().to_owned()).filter(|one| !one.is_empty());
    match claims.get(name) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.split(',').filter_map(clean).collect()),
        Some(Value::Array(all)) => {
            let texts: Option<Vec<&str>> = all.iter().map(Value::as_str).collect();
            let texts = texts.ok_or("a list has something else than texts")?;
            Ok(texts.into_iter().filter_map(clean).collect())
        }
        Some(_) => Err("a list is none"),
    }
}
