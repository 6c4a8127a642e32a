//! Tenants are made, found, listed and changed.

use std::collections::BTreeSet;

use changes::CommitError;
use identity::normalise_email;
use kernel::error::FORBIDDEN;
use kernel::{Caller, Error, Identity, Role, free_object};
use serde_json::{Map, Value, json};
use store::{Access, Page, Record as _, Test, Write};
use values::Item;
use web::{Answer, Context, IfMatch};

use crate::Tenancy;
use crate::again::Miss;
use crate::errors::{conflict, given_up, tenant_not_found, version_mismatch};
use crate::happening::{Happening, Names};
use crate::lifecycle::differences;
use crate::names::folded;
use crate::records::{Assignment, Marker, Tenant, UserRole, shown};
use crate::routes::shapes::TenantAnswer;
use crate::standing::{Standing, administers_customer, user_id};
use crate::status::{Status, Work};

const ORGANIZATION: &str = "organizationMarker";
const EXTERNAL_ID: &str = "externalIdMarker";
/// The page token of the first tenants that somebody is assigned to, after those of their customer.
const ASSIGNED_FIRST: &str = "a.";

/// A tenant that is to be made, or what one is to become.
pub struct TenantInput {
    pub organization_name: String,
    pub contact_email: String,
    pub environment: Option<String>,
    pub division: Option<String>,
    pub group: Option<String>,
    pub team: Option<String>,
    pub customer_id: Option<String>,
    pub external_id: Option<String>,
    pub metadata: Option<Map<String, Value>>,
}

/// Which tenants are asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub status: Option<Status>,
    pub environment: Option<String>,
    pub limit: u32,
    pub token: Option<String>,
}

impl Tenancy {
    /// R002-4.1-1: the tenant, its name and its creator's assignment come together or not at all.
    pub(crate) async fn create(
        &self,
        context: &Context,
        input: TenantInput,
    ) -> Result<Answer, Error> {
        let tenant = self.new_tenant(context, input)?;
        let creator = creator(context, &tenant);
        let table = self.table()?;
        let mut tenant = tenant;
        tenant.admin_count =
            creator.as_ref().map_or(0, |held| i64::from(held.role == UserRole::Admin));
        let access = table.access("create-tenant")?.with("tenantId", &*tenant.tenant_id)?;
        let mut writes = vec![access.put("tenant", &tenant)?];
        let (id, name) = (&*tenant.tenant_id, folded(&tenant.organization_name));
        writes.push(table.reserve(ORGANIZATION, &name, id, of_tenant(id))?);
        let places = match &tenant.external_id {
            Some(external) => {
                writes.push(table.reserve(EXTERNAL_ID, external, id, of_tenant(id))?);
                [Some(1), Some(2)]
            }
            None => [Some(1), None],
        };
        if let Some(creator) = &creator {
            writes.push(table.create("assignment", creator)?);
        }
        let roles: BTreeSet<Role> = creator.iter().map(|held| held.role.role()).collect();
        let answer = TenantAnswer::of(context, &tenant, &roles);
        let location = context.link("/tenants/{tenantId}", &[("tenantId", id)]);
        let answer = Answer::created(&location, &answer)?.versioned(tenant.etag());
        let happening = Happening::new(id, Names("TENANT_CREATED", "tenant.created"))
            .with("organizationName", &*tenant.organization_name)
            .told("status", tenant.status.as_str())
            .told("environment", &*tenant.environment)
            .changed(None, Some(shown(&tenant)?))
            .operation(tenant.operation.as_ref());
        let done = self.commit(context, writes, happening, answer).await;
        let answer = done.map_err(|error| taken(error, &tenant, places))?;
        self.counters().created();
        Ok(answer)
    }

    fn new_tenant(&self, context: &Context, input: TenantInput) -> Result<Tenant, Error> {
        free_object::check("metadata", input.metadata.as_ref())?;
        let customer_id = customer(&context.caller, input.customer_id)?;
        let environment = self.environment(input.environment)?;
        let now = context.now;
        Ok(Tenant {
            tenant_id: format!("tenant-{}", self.platform().ids().uuid()?),
            organization_name: input.organization_name.trim().to_owned(),
            contact_email: contact(&input.contact_email)?,
            environment,
            status: Status::Pending,
            division: input.division,
            group: input.group,
            team: input.team,
            customer_id,
            external_id: input.external_id,
            created_at: now,
            created_by: context.caller.name().to_owned(),
            updated_at: now,
            updated_by: None,
            parked_at: None,
            parked_by: None,
            park_reason: None,
            unparked_at: None,
            unparked_by: None,
            suspended_at: None,
            suspended_by: None,
            suspend_reason: None,
            deprovisioned_at: None,
            deprovisioned_by: None,
            metadata: input.metadata,
            version: 1,
            admin_count: 0,
            active_resources: 0,
            operation: Some(self.operation(context, Work::Provision)?),
        })
    }

    /// R002-5.8-5, C2-55: a deployment keeps the tenants of its own environment, unless it is told to
    /// keep all.
    fn environment(&self, wanted: Option<String>) -> Result<String, Error> {
        let own = self.settings().environment.to_string();
        match wanted {
            Some(other) if other != own && !self.settings().is_multi_environment => {
                let why = format!("should be {own}: this deployment keeps the tenants of {own}");
                Err(Error::validation([("environment", why)]))
            }
            wanted => Ok(wanted.unwrap_or(own)),
        }
    }

    /// R002-6.4-4, C2-19: replaces what may change of a tenant.
    pub(crate) async fn update(
        &self,
        context: &Context,
        standing: Standing,
        input: TenantInput,
        if_match: &IfMatch,
    ) -> Result<Answer, Error> {
        free_object::check("metadata", input.metadata.as_ref())?;
        let Standing { tenant: mut before, roles } = standing;
        let mut attempts = self.attempts();
        loop {
            if before.status == Status::Deprovisioned {
                return Err(given_up());
            }
            if_match.check(before.etag()).map_err(|_| version_mismatch())?;
            let after = replaced(context, &before, &input)?;
            match self.replace(context, &before, &after, &roles).await {
                Ok(answer) => return Ok(answer),
                Err(miss) => {
                    let found = attempts.after(miss).await?;
                    let found = found.ok_or_else(|| tenant_not_found(&before.tenant_id))?;
                    before = Tenant::from_item(found)?;
                }
            }
        }
    }

    /// Makes a tenant what it is to become, if it is as it was read.
    async fn replace(
        &self,
        context: &Context,
        before: &Tenant,
        after: &Tenant,
        roles: &BTreeSet<Role>,
    ) -> Result<Answer, Miss> {
        let table = self.table()?;
        let id = &*before.tenant_id;
        let access = table.access("change-tenant")?.with("tenantId", id)?;
        let access = access.with("version", before.version)?;
        let mut writes = vec![access.update(differences(before, after)?)?];
        let names = (folded(&before.organization_name), folded(&after.organization_name));
        let name =
            self.moved_marker(&mut writes, ORGANIZATION, id, Some(&names.0), Some(&names.1))?;
        let (old, new) = (before.external_id.as_deref(), after.external_id.as_deref());
        let external = self.moved_marker(&mut writes, EXTERNAL_ID, id, old, new)?;
        let answer = TenantAnswer::of(context, after, roles);
        let answer = Answer::ok(&answer)?.versioned(after.etag());
        let happening = Happening::new(id, Names("TENANT_UPDATED", "tenant.updated"))
            .with("changed", changed(before, after)?)
            .told("version", after.version)
            .changed(Some(shown(before)?), Some(shown(after)?));
        let done = self.commit(context, writes, happening, answer).await;
        done.map_err(|error| match error {
            CommitError::Condition { index: 0, found } => Miss::Lost(found),
            error => taken(error, after, [name, external]).into(),
        })
    }

    /// Reserves a value in place of another. Gives the place of the write that may find it taken.
    fn moved_marker(
        &self,
        writes: &mut Vec<Write>,
        kind: &str,
        id: &str,
        old: Option<&str>,
        new: Option<&str>,
    ) -> Result<Option<usize>, Error> {
        let table = self.table()?;
        if old == new {
            return Ok(None);
        }
        if let Some(old) = old {
            writes.push(table.release(kind, old, id, of_tenant(id))?);
        }
        let Some(new) = new else { return Ok(None) };
        writes.push(table.reserve(kind, new, id, of_tenant(id))?);
        Ok(Some(writes.len() - 1))
    }

    /// The tenant with this name or identifier elsewhere, if there is one.
    pub(crate) async fn owner(
        &self,
        name: Option<&str>,
        external_id: Option<&str>,
    ) -> Result<Option<String>, Error> {
        let (pattern, value) = match (name, external_id) {
            (Some(name), _) => ("get-organization-owner", folded(name)),
            (None, Some(external_id)) => ("get-external-id-owner", external_id.to_owned()),
            (None, None) => return Ok(None),
        };
        let access = self.table()?.access(pattern)?.with("uniqueValue", value)?;
        Ok(access.get::<Marker>().await?.map(|marker| marker.reserved_by))
    }

    /// The tenants that a caller sees, a page of them (R002-6.4-2, R002-9.2-4 to R002-9.2-6).
    pub(crate) async fn list(
        &self,
        context: &Context,
        sees_all: bool,
        wanted: &Wanted,
    ) -> Result<Page<Tenant>, Error> {
        let caller = &context.caller;
        if sees_all {
            let access = self.all(wanted)?;
            return Ok(access.page(caller.id(), wanted.limit, wanted.token.as_deref()).await?);
        }
        if matches!(caller.identity, Identity::ApiKey { .. }) {
            let id = caller.account_id.as_deref().unwrap_or_default();
            let found = self.tenant(id).await?.filter(|tenant| wanted.has(tenant));
            return Ok(Page { items: found.into_iter().collect(), next: None });
        }
        let administers = administers_customer(caller, caller.customer_id.as_deref());
        match (administers, wanted.token.as_deref().and_then(|token| token.split_once('.'))) {
            (_, None) if wanted.token.is_some() => Err(store::Error::PageToken.into()),
            (true, None | Some(("c", _))) => self.of_customer_first(caller, wanted).await,
            (_, token) => {
                let token = token.map(|(_, token)| token).filter(|token| !token.is_empty());
                self.of_user(caller, wanted, token).await
            }
        }
    }

    fn all(&self, wanted: &Wanted) -> Result<Access, Error> {
        let table = self.table()?;
        Ok(match (wanted.status, &wanted.environment) {
            (Some(status), environment) => {
                let access = table.access("list-tenants-by-status")?;
                let access = access.with("status", status.as_str())?;
                match environment {
                    Some(environment) => {
                        access.filter("environment", Test::Equals(environment.as_str().into()))?
                    }
                    None => access,
                }
            }
            (None, Some(environment)) => {
                let access = table.access("list-tenants-by-environment")?;
                access.with("environment", environment.as_str())?
            }
            (None, None) => table.access("list-tenants")?,
        })
    }

    /// A customer's tenants first, then those that somebody is assigned to besides.
    async fn of_customer_first(
        &self,
        caller: &Caller,
        wanted: &Wanted,
    ) -> Result<Page<Tenant>, Error> {
        let customer = caller.customer_id.as_deref().unwrap_or_default();
        let mut access = self.table()?.access("list-tenants-of-customer")?;
        access = access.with("customerId", customer)?;
        let status = wanted.status.map(Status::as_str);
        for (name, value) in [("status", status), ("environment", wanted.environment.as_deref())] {
            if let Some(value) = value {
                access = access.filter(name, Test::Equals(value.into()))?;
            }
        }
        let token = wanted.token.as_deref().and_then(|token| token.strip_prefix("c."));
        let page: Page<Tenant> = access.page(caller.id(), wanted.limit, token).await?;
        let mut items = page.items;
        if let Some(next) = page.next {
            return Ok(Page { items, next: Some(format!("c.{next}")) });
        }
        let left = wanted.limit.saturating_sub(u32::try_from(items.len()).unwrap_or(u32::MAX));
        let rest = Wanted { limit: left.max(1), ..wanted.clone() };
        let others = self.of_user(caller, &rest, None).await?;
        if left == 0 {
            // The page is full: the others, if there are any, begin the next.
            let next = (!others.items.is_empty()).then(|| ASSIGNED_FIRST.to_owned());
            return Ok(Page { items, next });
        }
        items.extend(others.items);
        Ok(Page { items, next: others.next })
    }

    /// The tenants that somebody is assigned to, read on until the page is full.
    async fn of_user(
        &self,
        caller: &Caller,
        wanted: &Wanted,
        token: Option<&str>,
    ) -> Result<Page<Tenant>, Error> {
        let Some(user_id) = user_id(caller) else {
            return Ok(Page { items: Vec::new(), next: None });
        };
        let (mut items, mut token) = (Vec::new(), token.map(str::to_owned));
        loop {
            let left = wanted.limit as usize - items.len();
            let left = u32::try_from(left).unwrap_or(u32::MAX);
            let page = self.assigned(caller.id(), &user_id, left, token.as_deref()).await?;
            let is_new = |tenant: &Tenant| {
                wanted.has(tenant) && !administers_customer(caller, tenant.customer_id.as_deref())
            };
            items.extend(page.items.into_iter().map(|(_, tenant)| tenant).filter(is_new));
            token = page.next;
            if token.is_none() || items.len() == wanted.limit as usize {
                return Ok(Page { items, next: token.map(|token| format!("a.{token}")) });
            }
        }
    }

    /// Somebody's assignments with their tenants (R002-5.7-5).
    pub(crate) async fn assigned(
        &self,
        asker: &str,
        user_id: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<(Assignment, Tenant)>, Error> {
        let table = self.table()?;
        let access = table.access("list-tenants-of-user")?.with("userId", user_id)?;
        let access = access.filter("active", Test::Equals(true.into()))?;
        let page: Page<Assignment> = access.page(asker, limit, token).await?;
        let key = |held: &Assignment| {
            table.access("get-tenant")?.with("tenantId", &*held.tenant_id)?.key()
        };
        let keys: Vec<_> = page.items.iter().map(key).collect::<Result<_, store::Error>>()?;
        let tenants: Vec<Option<Tenant>> = match keys.is_empty() {
            true => Vec::new(),
            false => self.platform().store().batch_get(&keys).await?,
        };
        let both = page.items.into_iter().zip(tenants);
        let items = both.filter_map(|(held, tenant)| Some((held, tenant?))).collect();
        Ok(Page { items, next: page.next })
    }
}

impl Wanted {
    /// Whether a tenant is in the state and of the environment that are asked for.
    pub fn has(&self, tenant: &Tenant) -> bool {
        self.status.is_none_or(|status| status == tenant.status)
            && self.environment.as_ref().is_none_or(|wanted| *wanted == tenant.environment)
    }
}

/// A tenant as a request wants it, or what of it cannot change.
fn replaced(context: &Context, before: &Tenant, input: &TenantInput) -> Result<Tenant, Error> {
    for (name, wanted, found) in [
        ("environment", &input.environment, Some(&before.environment)),
        ("customerId", &input.customer_id, before.customer_id.as_ref()),
    ] {
        if wanted.is_some() && wanted.as_ref() != found {
            let why = "cannot change: leave it out, or give it as it is".to_owned();
            return Err(Error::validation([(name, why)]));
        }
    }
    let mut after = before.clone();
    after.organization_name = input.organization_name.trim().to_owned();
    after.contact_email = contact(&input.contact_email)?;
    after.division.clone_from(&input.division);
    after.group.clone_from(&input.group);
    after.team.clone_from(&input.team);
    after.external_id.clone_from(&input.external_id);
    after.metadata.clone_from(&input.metadata);
    (after.updated_at, after.updated_by) = (context.now, Some(context.caller.name().to_owned()));
    after.version += 1;
    Ok(after)
}

/// What the items of a tenant that have no other part of it are given.
fn of_tenant(tenant_id: &str) -> Item {
    Item::from([("tenantId", tenant_id.into())])
}

fn contact(address: &str) -> Result<String, Error> {
    // The address itself stays as it was written; only whether it is one is asked.
    normalise_email(address).map_err(|_| {
        Error::validation([("contactEmail", "should be an email address".to_owned())])
    })?;
    Ok(address.trim().to_owned())
}

/// Whose a new tenant is: a customer's own people make tenants for that customer (C2-34).
fn customer(caller: &Caller, wanted: Option<String>) -> Result<Option<String>, Error> {
    match (&caller.customer_id, wanted) {
        (Some(own), Some(other)) if *own != other && !caller.is_platform_admin() => {
            let message = "You act for another customer: leave customerId out";
            Err(Error::new(FORBIDDEN, message).detail("customerId", own.as_str()))
        }
        (Some(own), None) => Ok(Some(own.clone())),
        (_, wanted) => Ok(wanted),
    }
}

/// C2-32: who makes a tenant is assigned to it, as what they are.
fn creator(context: &Context, tenant: &Tenant) -> Option<Assignment> {
    let caller = &context.caller;
    let Identity::User { email, .. } = &caller.identity else { return None };
    let is_operator = caller.roles.contains(&Role::Operator) && !caller.is_platform_admin();
    Some(Assignment {
        tenant_id: tenant.tenant_id.clone(),
        user_id: user_id(caller)?,
        email: email.clone(),
        role: if is_operator { UserRole::Operator } else { UserRole::Admin },
        assigned_at: context.now,
        assigned_by: caller.name().to_owned(),
        updated_by: None,
        active: true,
        memberships: 0,
    })
}

/// R002-6.5b-5, R002-7.3-1: which of the reserved values was taken.
fn taken(error: CommitError, tenant: &Tenant, places: [Option<usize>; 2]) -> Error {
    let CommitError::Condition { index, .. } = error else { return error.into() };
    if places[0] == Some(index) {
        let name = &tenant.organization_name;
        return conflict("ORGANIZATION_EXISTS", format!("Organization '{name}' already exists"));
    }
    if places[1] == Some(index) {
        let id = tenant.external_id.as_deref().unwrap_or_default();
        return conflict("EXTERNAL_ID_EXISTS", format!("External id '{id}' already exists"));
    }
    version_mismatch()
}

/// The names of what differs.
fn changed(before: &Tenant, after: &Tenant) -> Result<Value, Error> {
    let (before, after) = (shown(before)?, shown(after)?);
    let fields = ["organizationName", "contactEmail", "division", "group", "team", "externalId"];
    let all = fields.into_iter().chain(["metadata"]);
    Ok(json!(all.filter(|name| before[*name] != after[*name]).collect::<Vec<_>>()))
}
