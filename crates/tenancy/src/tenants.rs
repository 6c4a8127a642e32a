//! Tenants are made, found, listed and changed.

use changes::{Change, Conflict, EventName, Request};
use identity::normalise_email;
use kernel::error::FORBIDDEN;
use kernel::permissions::Permission;
use kernel::{Caller, Error, ExpectedVersion, Identity, PageRequest, Role, free_object};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{Page, Test};
use utoipa::ToSchema;

use crate::Tenancy;
use crate::errors::{conflict, given_up, version_mismatch};
use crate::events::of_tenant;
use crate::names::folded;
use crate::permissions::{TenantsRead, TenantsWrite};
use crate::records::{Assignment, Marker, Tenant, UserRole};
use crate::schemas::{customer_id, division, external_id, group, organization_name, team};
use crate::standing::{View, administers_customer, sees_all, user_id};
use crate::status::{Status, Work};

/// The page token of the first tenants that a caller is assigned to, after those of their customer.
const ASSIGNED_FIRST: &str = "a.";
/// How many of another's tenants a request looks at for one that the caller may see.
const LOOKED_AT_MAX: usize = 200;

/// A tenant that is to be made (R002-6.4b-1, R002-5.8-3 to R002-5.8-7).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTenant {
    /// The organisation's name; unique, however it is written.
    #[schema(schema_with = organization_name)]
    organization_name: String,
    /// Where the organisation is reached.
    #[schema(format = "email", min_length = 3, max_length = 254)]
    contact_email: String,
    /// The environment that the tenant lives in.
    #[schema(pattern = "^(dev|sit|prod)$")]
    environment: String,
    /// The division it belongs to.
    #[schema(schema_with = division)]
    division: Option<String>,
    /// The group it belongs to.
    #[schema(schema_with = group)]
    group: Option<String>,
    /// The team it belongs to.
    #[schema(schema_with = team)]
    team: Option<String>,
    /// The customer whose administrators may see it.
    #[schema(schema_with = customer_id)]
    customer_id: Option<String>,
    /// Its identifier in another system; unique.
    #[schema(schema_with = external_id)]
    external_id: Option<String>,
    /// Free fields: up to 16 KB of JSON, 16 objects and lists in each other, numbers up to 9.99e125.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Map<String, Value>>,
}

/// What a tenant is to become. What can change and is left out is removed (C2-19).
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TenantUpdate {
    /// The organisation's name; unique, however it is written.
    #[schema(schema_with = organization_name)]
    organization_name: String,
    /// Where the organisation is reached.
    #[schema(format = "email", min_length = 3, max_length = 254)]
    contact_email: String,
    /// As it is: it cannot change.
    #[schema(pattern = "^(dev|sit|prod)$")]
    environment: Option<String>,
    /// The division it belongs to.
    #[schema(schema_with = division)]
    division: Option<String>,
    /// The group it belongs to.
    #[schema(schema_with = group)]
    group: Option<String>,
    /// The team it belongs to.
    #[schema(schema_with = team)]
    team: Option<String>,
    /// As it is: it cannot change.
    #[schema(min_length = 1, max_length = 200)]
    customer_id: Option<String>,
    /// Its identifier in another system; unique.
    #[schema(schema_with = external_id)]
    external_id: Option<String>,
    /// Free fields: up to 16 KB of JSON, 16 objects and lists in each other, numbers up to 9.99e125.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Map<String, Value>>,
}

/// Which tenants are asked for (R002-6.4b-3).
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantFilter {
    /// Those in this state.
    status: Option<Status>,
    /// Those of this environment.
    #[schema(pattern = "^(dev|sit|prod)$")]
    environment: Option<String>,
    /// The one with this organisation's name, however it is written.
    #[schema(min_length = 2, max_length = 100)]
    organization_name: Option<String>,
    /// The one with this identifier in another system.
    #[schema(min_length = 1, max_length = 200)]
    external_id: Option<String>,
}

impl TenantFilter {
    /// Whether a tenant is in the state and of the environment that are asked for.
    fn has(&self, tenant: &Tenant) -> bool {
        self.status.is_none_or(|status| status == tenant.status)
            && self.environment.as_ref().is_none_or(|wanted| *wanted == tenant.environment)
    }
}

impl Tenancy {
    /// R002-4.1-1: the tenant, its name and its creator's assignment come together or not at all.
    pub(crate) async fn create(
        &self,
        request: &Request<View<Tenant>>,
        input: NewTenant,
    ) -> Result<View<Tenant>, Error> {
        let mut tenant = self.new_tenant(request, input)?;
        let creator = creator(request, &tenant);
        let admins = creator.iter().filter(|held| held.role == UserRole::Admin).count();
        tenant.admin_count = i64::from(admins == 1);
        let (tenant, creator) = (&tenant, creator.as_ref());
        let made = self.changes().make(request, |mut change| async move {
            change.add(self.table().create_tenant().put(tenant)?, version_mismatch());
            self.move_unique_values(&mut change, None, tenant)?;
            if let Some(creator) = creator {
                change.add(self.table().assignment().create(creator)?, version_mismatch());
            }
            let event = of_tenant(tenant, EventName::new("TENANT_CREATED", "tenant.created"))
                .with("organizationName", &*tenant.organization_name)
                .data("status", tenant.status.as_str())
                .data("environment", &*tenant.environment)
                .changed(None, Some(tenant))?;
            self.publish(&mut change, event, tenant.operation.as_ref())?;
            let roles = creator.iter().map(|held| held.role.role()).collect();
            Ok((change, View { record: tenant.clone(), roles }))
        });
        let made = made.await?;
        self.counters().created();
        Ok(made)
    }

    fn new_tenant<T>(&self, request: &Request<T>, input: NewTenant) -> Result<Tenant, Error> {
        free_object::check("metadata", input.metadata.as_ref())?;
        let customer_id = customer(request.caller(), input.customer_id)?;
        self.check_environment(&input.environment)?;
        let now = request.now();
        Ok(Tenant {
            tenant_id: format!("tenant-{}", self.platform().ids().uuid()?),
            organization_name: input.organization_name.trim().to_owned(),
            contact_email: contact(&input.contact_email)?,
            environment: input.environment,
            status: Status::Pending,
            division: input.division,
            group: input.group,
            team: input.team,
            customer_id,
            external_id: input.external_id,
            created_at: now,
            created_by: request.caller().name().to_owned(),
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
            operation: Some(self.operation(now, Work::Provision)?),
        })
    }

    /// R002-5.8-5, C2-55: a deployment keeps the tenants of its own environment, unless it is told to
    /// keep all.
    fn check_environment(&self, wanted: &str) -> Result<(), Error> {
        let own = self.settings().environment.to_string();
        if wanted == own || self.settings().is_multi_environment {
            return Ok(());
        }
        let why = format!("should be {own}: this deployment keeps the tenants of {own}");
        Err(Error::validation([("environment", why)]))
    }

    /// R002-6.4-4, C2-19: replaces what may change of a tenant.
    pub(crate) async fn update(
        &self,
        request: &Request<View<Tenant>>,
        tenant_id: &str,
        input: &TenantUpdate,
        expected: &ExpectedVersion,
    ) -> Result<View<Tenant>, Error> {
        let changed = self.changes().make(request, |mut change| async move {
            let view = self.see::<TenantsWrite>(request.caller(), tenant_id).await?;
            let before = &view.record;
            free_object::check("metadata", input.metadata.as_ref())?;
            if before.status == Status::Deprovisioned {
                return Err(given_up().into());
            }
            expected.check(before.etag()).map_err(|_| version_mismatch())?;
            let after = replaced(request, before, input)?;
            let update = self.table().change_tenant(tenant_id, before.version);
            change.add(update.update(before.changed_to(&after)?)?, Conflict);
            self.move_unique_values(&mut change, Some(before), &after)?;
            let event = of_tenant(&after, EventName::new("TENANT_UPDATED", "tenant.updated"))
                .data("version", after.version)
                .changed(Some(before), Some(&after))?;
            let names = changed_names(event.before.as_ref(), event.after.as_ref());
            self.publish(&mut change, event.with("changed", names), None)?;
            Ok((change, view.of(after)))
        });
        changed.await
    }

    /// Reserves the organisation's name and the identifier elsewhere, in place of those before
    /// (R002-6.5b-5, R002-7.3-1).
    fn move_unique_values(
        &self,
        change: &mut Change,
        before: Option<&Tenant>,
        after: &Tenant,
    ) -> Result<(), Error> {
        let (id, name) = (&*after.tenant_id, &after.organization_name);
        let old = before.map(|before| folded(&before.organization_name));
        let marker = self.table().organization_marker(id);
        let moved = marker.moved(old.as_deref(), Some(&folded(name)), id)?;
        let taken =
            conflict("ORGANIZATION_EXISTS", format!("Organization '{name}' already exists"));
        change.add_moved(moved, taken);
        let external = after.external_id.as_deref();
        let old = before.and_then(|before| before.external_id.as_deref());
        let moved = self.table().external_id_marker(id).moved(old, external, id)?;
        let message = format!("External id '{}' already exists", external.unwrap_or_default());
        change.add_moved(moved, conflict("EXTERNAL_ID_EXISTS", message));
        Ok(())
    }

    /// The tenants that a caller sees, a page of them (R002-6.4-2, R002-9.2-4 to R002-9.2-6).
    pub(crate) async fn list(
        &self,
        caller: &Caller,
        filter: &TenantFilter,
        page: &PageRequest,
    ) -> Result<Page<Tenant>, Error> {
        if filter.organization_name.is_some() || filter.external_id.is_some() {
            return self.by_unique_value(caller, filter).await;
        }
        if sees_all::<TenantsRead>(caller) {
            return self.all(caller, filter, page).await;
        }
        if matches!(caller.identity, Identity::ApiKey { .. }) {
            let id = caller.account_id.as_deref().unwrap_or_default();
            let found = self.tenant(id).await?.filter(|tenant| filter.has(tenant));
            return Ok(Page { items: found.into_iter().collect(), next: None });
        }
        let administers = administers_customer(caller, caller.customer_id.as_deref());
        match (administers, page.token().and_then(|token| token.split_once('.'))) {
            (_, None) if page.token.is_some() => Err(store::Error::PageToken.into()),
            (true, None | Some(("c", _))) => self.of_customer_first(caller, filter, page).await,
            (_, token) => {
                let token = token.map(|(_, token)| token).filter(|token| !token.is_empty());
                self.of_user(caller, filter, page.limit, token).await
            }
        }
    }

    /// The tenant with a name or an identifier elsewhere, if the caller may see it.
    async fn by_unique_value(
        &self,
        caller: &Caller,
        filter: &TenantFilter,
    ) -> Result<Page<Tenant>, Error> {
        let external = filter.external_id.as_deref();
        let marker = match &filter.organization_name {
            Some(name) => self.table().get_organization_owner(&folded(name)),
            None => self.table().get_external_id_owner(external.unwrap_or_default()),
        };
        let found = match marker.get::<Marker>().await? {
            Some(marker) => self.see_if_any::<TenantsRead>(caller, &marker.reserved_by).await?,
            None => None,
        };
        let fits = |tenant: &Tenant| {
            filter.has(tenant) && (external.is_none() || tenant.external_id.as_deref() == external)
        };
        Ok(Page { items: found.filter(fits).into_iter().collect(), next: None })
    }

    async fn all(
        &self,
        caller: &Caller,
        filter: &TenantFilter,
        page: &PageRequest,
    ) -> Result<Page<Tenant>, Error> {
        let (id, limit, token) = (caller.id(), page.limit, page.token());
        let environment = filter.environment.as_deref();
        let found = match (filter.status, environment) {
            (Some(status), environment) => {
                let mut list = self.table().list_tenants_by_status(status.as_str());
                if let Some(environment) = environment {
                    list = list.filter_environment(environment);
                }
                list.page(id, limit, token).await
            }
            (None, Some(environment)) => {
                self.table().list_tenants_by_environment(environment).page(id, limit, token).await
            }
            (None, None) => self.table().list_tenants().page(id, limit, token).await,
        };
        Ok(found?)
    }

    /// A customer's tenants first, then those that the caller is assigned to besides.
    async fn of_customer_first(
        &self,
        caller: &Caller,
        filter: &TenantFilter,
        page: &PageRequest,
    ) -> Result<Page<Tenant>, Error> {
        let customer = caller.customer_id.as_deref().unwrap_or_default();
        let mut list = self.table().list_tenants_of_customer(customer);
        if let Some(status) = filter.status {
            list = list.filter_status(status.as_str());
        }
        if let Some(environment) = filter.environment.as_deref() {
            list = list.filter_environment(environment);
        }
        let token = page.token().and_then(|token| token.strip_prefix("c."));
        let found: Page<Tenant> = list.page(caller.id(), page.limit, token).await?;
        let mut items = found.items;
        if let Some(next) = found.next {
            return Ok(Page { items, next: Some(format!("c.{next}")) });
        }
        let left = page.limit.saturating_sub(u32::try_from(items.len()).unwrap_or(u32::MAX));
        let others = self.of_user(caller, filter, left.max(1), None).await?;
        if left == 0 {
            // The page is full: the others, if there are any, begin the next.
            let next = (!others.items.is_empty()).then(|| ASSIGNED_FIRST.to_owned());
            return Ok(Page { items, next });
        }
        items.extend(others.items);
        Ok(Page { items, next: others.next })
    }

    /// The tenants that the caller is assigned to, read on until the page is full.
    async fn of_user(
        &self,
        caller: &Caller,
        filter: &TenantFilter,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Tenant>, Error> {
        let Some(user_id) = user_id(caller) else {
            return Ok(Page { items: Vec::new(), next: None });
        };
        let (mut items, mut token) = (Vec::new(), token.map(str::to_owned));
        loop {
            let left = u32::try_from(limit as usize - items.len()).unwrap_or(u32::MAX);
            let page = self.assigned(caller.id(), &user_id, left, token.as_deref()).await?;
            let is_new = |tenant: &Tenant| {
                filter.has(tenant) && !administers_customer(caller, tenant.customer_id.as_deref())
            };
            items.extend(page.items.into_iter().map(|(_, tenant)| tenant).filter(is_new));
            token = page.next;
            if token.is_none() || items.len() == limit as usize {
                return Ok(Page { items, next: token.map(|token| format!("a.{token}")) });
            }
        }
    }

    /// A user's tenants as a caller may see them (R002-6.7-5). Another's are shown to those who
    /// administer them, and only those: whether there are more is not told, and pages without one that
    /// the caller may see are passed over.
    pub(crate) async fn tenants_of_user<P: Permission>(
        &self,
        caller: &Caller,
        wanted: &str,
        page: &PageRequest,
    ) -> Result<Option<Page<(Assignment, Tenant)>>, Error> {
        if user_id(caller).as_deref() == Some(wanted) || sees_all::<P>(caller) {
            return self.assigned(caller.id(), wanted, page.limit, page.token()).await.map(Some);
        }
        let (mut token, mut looked_at) = (page.token.clone(), 0);
        loop {
            let found = self.assigned(caller.id(), wanted, page.limit, token.as_deref()).await?;
            looked_at += found.items.len().max(1);
            let mut items = Vec::new();
            for (held, tenant) in found.items {
                if self.see_if_any::<P>(caller, &tenant.tenant_id).await?.is_some() {
                    items.push((held, tenant));
                }
            }
            let is_over = found.next.is_none() || looked_at >= LOOKED_AT_MAX;
            if items.is_empty() && is_over && page.token.is_none() {
                return Ok(None);
            }
            if !items.is_empty() || is_over {
                return Ok(Some(Page { items, next: found.next }));
            }
            token = found.next;
        }
    }

    /// A user's assignments with their tenants (R002-5.7-5).
    async fn assigned(
        &self,
        asker: &str,
        user_id: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<(Assignment, Tenant)>, Error> {
        let list = self.table().list_tenants_of_user(user_id).filter_active(Test::Equals(true));
        let page: Page<Assignment> = list.page(asker, limit, token).await?;
        let key = |held: &Assignment| self.table().get_tenant(&held.tenant_id).key();
        let keys: Vec<_> = page.items.iter().map(key).collect::<Result<_, _>>()?;
        let tenants: Vec<Option<Tenant>> = match keys.is_empty() {
            true => Vec::new(),
            false => self.platform().store().batch_get(&keys).await?,
        };
        let both = page.items.into_iter().zip(tenants);
        let items = both.filter_map(|(held, tenant)| Some((held, tenant?))).collect();
        Ok(Page { items, next: page.next })
    }
}

/// A tenant as a request wants it, or what of it cannot change.
fn replaced<T>(
    request: &Request<T>,
    before: &Tenant,
    input: &TenantUpdate,
) -> Result<Tenant, Error> {
    for (name, wanted, found) in [
        ("environment", &input.environment, Some(&before.environment)),
        ("customerId", &input.customer_id, before.customer_id.as_ref()),
    ] {
        if wanted.is_some() && wanted.as_ref() != found {
            let why = "cannot change: leave it out, or give it as it is".to_owned();
            return Err(Error::validation([(name, why)]));
        }
    }
    Ok(Tenant {
        organization_name: input.organization_name.trim().to_owned(),
        contact_email: contact(&input.contact_email)?,
        division: input.division.clone(),
        group: input.group.clone(),
        team: input.team.clone(),
        external_id: input.external_id.clone(),
        metadata: input.metadata.clone(),
        updated_at: request.now(),
        updated_by: Some(request.caller().name().to_owned()),
        version: before.version + 1,
        ..before.clone()
    })
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
fn creator<T>(request: &Request<T>, tenant: &Tenant) -> Option<Assignment> {
    let caller = request.caller();
    let Identity::User { email, .. } = &caller.identity else { return None };
    let is_operator = caller.roles.contains(&Role::Operator) && !caller.is_platform_admin();
    let role = if is_operator { UserRole::Operator } else { UserRole::Admin };
    let email = email.clone();
    Some(Assignment {
        email,
        ..Assignment::new(request, &tenant.tenant_id, user_id(caller)?, role)
    })
}

/// The names of what an update can change and has changed.
fn changed_names(before: Option<&Value>, after: Option<&Value>) -> Value {
    let (Some(before), Some(after)) = (before, after) else { return json!([]) };
    let fields = ["organizationName", "contactEmail", "division", "group", "team", "externalId"];
    let all = fields.into_iter().chain(["metadata"]);
    json!(all.filter(|name| before[*name] != after[*name]).collect::<Vec<_>>())
}
