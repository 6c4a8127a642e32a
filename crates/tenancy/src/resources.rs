//! What a tenant uses, as a provisioner tells it: a tenant that uses something is not given up without
//! force (C2-30, R002-13-3).

use changes::CommitError;
use kernel::{Error, free_object};
use serde_json::{Map, Value};
use store::{Changes, Page, Test, Write};
use web::{Answer, Context};

use crate::Tenancy;
use crate::again::Miss;
use crate::errors::{RESOURCE_NOT_FOUND, given_up, missing};
use crate::happening::{Happening, Names};
use crate::records::{Resource, ResourceStatus};
use crate::routes::shapes::ResourceAnswer;
use crate::standing::Standing;

impl Tenancy {
    pub(crate) async fn resource(
        &self,
        tenant_id: &str,
        kind: &str,
        id: &str,
    ) -> Result<Option<Resource>, Error> {
        let access = self.table()?.access("get-resource")?.with("tenantId", tenant_id)?;
        Ok(access.with("resourceType", kind)?.with("resourceId", id)?.get().await?)
    }

    pub(crate) async fn resources(
        &self,
        context: &Context,
        tenant_id: &str,
        status: Option<ResourceStatus>,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Resource>, Error> {
        let mut access = self.table()?.access("list-resources")?.with("tenantId", tenant_id)?;
        if let Some(status) = status {
            let text = match status {
                ResourceStatus::Active => "ACTIVE",
                ResourceStatus::Released => "RELEASED",
            };
            access = access.filter("resourceStatus", Test::Equals(text.into()))?;
        }
        Ok(access.page(context.caller.id(), limit, token).await?)
    }

    /// A tenant uses something from now on. Saying it again changes what is said of it.
    pub(crate) async fn register(
        &self,
        context: &Context,
        standing: &Standing,
        named: (&str, &str),
        attributes: Option<Map<String, Value>>,
    ) -> Result<Answer, Error> {
        free_object::check("attributes", attributes.as_ref())?;
        let tenant_id = &*standing.tenant.tenant_id;
        self.until_done(|| self.try_register(context, tenant_id, named, attributes.as_ref())).await
    }

    async fn try_register(
        &self,
        context: &Context,
        tenant_id: &str,
        (kind, id): (&str, &str),
        attributes: Option<&Map<String, Value>>,
    ) -> Result<Answer, Miss> {
        let before = self.resource(tenant_id, kind, id).await?;
        let is_used = |one: &Resource| one.resource_status == ResourceStatus::Active;
        let was_used = before.as_ref().is_some_and(is_used);
        let resource = Resource {
            tenant_id: tenant_id.to_owned(),
            resource_type: kind.to_owned(),
            resource_id: id.to_owned(),
            resource_status: ResourceStatus::Active,
            registered_at: before
                .as_ref()
                .filter(|_| was_used)
                .map_or(context.now, |one| one.registered_at),
            registered_by: context.caller.name().to_owned(),
            released_at: None,
            released_by: None,
            attributes: attributes.cloned(),
            version: before.as_ref().map_or(1, |one| one.version),
        };
        let tenant = self.not_given_up(tenant_id)?;
        let count = match was_used {
            true => tenant.check()?,
            false => tenant.update(Changes::new().add("activeResources", 1_i64))?,
        };
        let writes = vec![count, self.resource_write(before.is_some(), &resource)?];
        let answer = ResourceAnswer::of(context, &resource);
        let answer = match &before {
            Some(_) => Answer::ok(&answer)?,
            None => Answer::created(&answer.location(), &answer)?,
        };
        let names = Names("RESOURCE_REGISTERED", "tenant.resource_registered");
        let done = self.commit(context, writes, happening(&resource, names), answer).await;
        done.map_err(|error| match error {
            CommitError::Condition { index: 0, .. } => given_up().into(),
            CommitError::Condition { found, .. } => Miss::Lost(found),
            error => Miss::Refused(error.into()),
        })
    }

    /// A tenant uses something no more: the receipt stays.
    pub(crate) async fn release(
        &self,
        context: &Context,
        tenant_id: &str,
        named: (&str, &str),
    ) -> Result<Answer, Error> {
        self.until_done(|| self.try_release(context, tenant_id, named)).await
    }

    async fn try_release(
        &self,
        context: &Context,
        tenant_id: &str,
        (kind, id): (&str, &str),
    ) -> Result<Answer, Miss> {
        let found = self.resource(tenant_id, kind, id).await?;
        let mut resource = found
            .ok_or_else(|| missing(RESOURCE_NOT_FOUND, "Resource", &format!("{kind}/{id}")))?;
        if resource.resource_status == ResourceStatus::Released {
            return Ok(Answer::ok(&ResourceAnswer::of(context, &resource))?);
        }
        resource.resource_status = ResourceStatus::Released;
        resource.released_at = Some(context.now);
        resource.released_by = Some(context.caller.name().to_owned());
        let access = self.table()?.access("count-resource-out")?.with("tenantId", tenant_id)?;
        let less = Changes::new().add("activeResources", -1_i64);
        let writes =
            vec![access.with("zero", 0_i64)?.update(less)?, self.resource_write(true, &resource)?];
        let answer = Answer::ok(&ResourceAnswer::of(context, &resource))?;
        let names = Names("RESOURCE_RELEASED", "tenant.resource_released");
        let done = self.commit(context, writes, happening(&resource, names), answer).await;
        // The count is not above zero, or the resource not as it was: somebody else released it.
        done.map_err(Miss::of_any)
    }

    fn resource_write(&self, is_known: bool, resource: &Resource) -> Result<Write, Error> {
        let table = self.table()?;
        Ok(match is_known {
            true => table.replace_version("resource", resource)?,
            false => table.create("resource", resource)?,
        })
    }
}

fn happening(resource: &Resource, names: Names) -> Happening {
    Happening::new(&resource.tenant_id, names)
        .of("resource", &format!("{}/{}", resource.resource_type, resource.resource_id))
        .with("resourceType", &*resource.resource_type)
        .with("resourceId", &*resource.resource_id)
}
