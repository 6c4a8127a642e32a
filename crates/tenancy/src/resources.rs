//! What a tenant uses, as a provisioner tells it: a tenant that uses something is not given up without
//! force (C2-30, R002-13-3).

use changes::{Change, Conflict, DomainEvent, EventName, Request, Saved};
use kernel::{Error, PageRequest, free_object};
use serde::Deserialize;
use serde_json::{Map, Value};
use store::{Changes, Page};
use utoipa::ToSchema;

use crate::Tenancy;
use crate::errors::{RESOURCE_NOT_FOUND, missing};
use crate::hierarchy::given_up_or_missing;
use crate::permissions::{Provision, ResourcesRead};
use crate::records::{Resource, ResourceStatus};

/// Resources that a refusal or a dry run lists.
const RESOURCES_SHOWN: u32 = 100;

/// A resource in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourcePath {
    /// The tenant's identifier.
    #[schema(min_length = 1, max_length = 100)]
    pub tenant_id: String,
    /// What it is: `ecs-service`.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$")]
    pub resource_type: String,
    /// Which one.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,199}$")]
    pub resource_id: String,
}

impl Tenancy {
    async fn resource(&self, path: &ResourcePath) -> Result<Option<Resource>, Error> {
        let ResourcePath { tenant_id, resource_type, resource_id } = path;
        Ok(self.table().get_resource(tenant_id, resource_type, resource_id).get().await?)
    }

    pub(crate) async fn resources<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        status: Option<ResourceStatus>,
        page: &PageRequest,
    ) -> Result<Page<Resource>, Error> {
        self.see::<ResourcesRead>(request.caller(), tenant_id).await?;
        let mut list = self.table().list_resources(tenant_id);
        if let Some(status) = status {
            list = list.filter_resource_status(status.as_str());
        }
        Ok(list.page(request.caller().id(), page.limit, page.token()).await?)
    }

    /// What a tenant uses, or the beginning of it.
    pub(crate) async fn resources_in_use(&self, tenant_id: &str) -> Result<Vec<Resource>, Error> {
        let list = self.table().list_resources(tenant_id);
        let list = list.filter_resource_status(ResourceStatus::Active.as_str());
        Ok(list.page("", RESOURCES_SHOWN, None).await?.items)
    }

    /// A tenant uses something from now on. Saying it again changes what is said of it.
    pub(crate) async fn register(
        &self,
        request: &Request<Saved<Resource>>,
        path: &ResourcePath,
        attributes: Option<&Map<String, Value>>,
    ) -> Result<Saved<Resource>, Error> {
        let registered = self.changes().make(request, |mut change| async move {
            self.see::<Provision>(request.caller(), &path.tenant_id).await?;
            free_object::check("attributes", attributes)?;
            let before = self.resource(path).await?;
            let used = before.as_ref().filter(|one| one.resource_status == ResourceStatus::Active);
            let resource = Resource {
                tenant_id: path.tenant_id.clone(),
                resource_type: path.resource_type.clone(),
                resource_id: path.resource_id.clone(),
                resource_status: ResourceStatus::Active,
                registered_at: used.map_or(request.now(), |one| one.registered_at),
                registered_by: request.caller().name().to_owned(),
                released_at: None,
                released_by: None,
                attributes: attributes.cloned(),
                version: before.as_ref().map_or(1, |one| one.version),
            };
            match used {
                Some(_) => self.must_live(&mut change, &path.tenant_id)?,
                None => {
                    let more = Changes::new().add("activeResources", 1_i64);
                    let count = self.table().count_resource_in(&path.tenant_id).update(more)?;
                    change.add(count, given_up_or_missing(&path.tenant_id));
                }
            }
            let is_new = before.is_none();
            let name = EventName::new("RESOURCE_REGISTERED", "tenant.resource_registered");
            self.save_resource(&mut change, &resource, is_new, name)?;
            Ok((change, Saved { record: resource, is_new }))
        });
        registered.await
    }

    /// A tenant uses something no more: the receipt stays.
    pub(crate) async fn release(
        &self,
        request: &Request<Saved<Resource>>,
        path: &ResourcePath,
    ) -> Result<Saved<Resource>, Error> {
        let released = self.changes().make(request, |mut change| async move {
            self.see::<Provision>(request.caller(), &path.tenant_id).await?;
            let name = || format!("{}/{}", path.resource_type, path.resource_id);
            let found = self.resource(path).await?;
            let mut resource =
                found.ok_or_else(|| missing(RESOURCE_NOT_FOUND, "Resource", &name()))?;
            if resource.resource_status == ResourceStatus::Active {
                resource.resource_status = ResourceStatus::Released;
                resource.released_at = Some(request.now());
                resource.released_by = Some(request.caller().name().to_owned());
                let less = Changes::new().add("activeResources", -1_i64);
                let count = self.table().count_resource_out(&path.tenant_id).update(less)?;
                // The count is not above zero: another request released the resource.
                change.add(count, Conflict);
                let name = EventName::new("RESOURCE_RELEASED", "tenant.resource_released");
                self.save_resource(&mut change, &resource, false, name)?;
            }
            Ok((change, Saved { record: resource, is_new: false }))
        });
        released.await
    }

    fn save_resource(
        &self,
        change: &mut Change,
        resource: &Resource,
        is_new: bool,
        name: EventName,
    ) -> Result<(), Error> {
        let kind = self.table().resource();
        let write = if is_new { kind.create(resource)? } else { kind.replace_version(resource)? };
        change.add(write, Conflict);
        let Resource { tenant_id, resource_type, resource_id, .. } = resource;
        let id = format!("{resource_type}/{resource_id}");
        let event = DomainEvent::new(tenant_id, name, "resource", &id)
            .with("resourceType", resource_type.as_str())
            .with("resourceId", resource_id.as_str());
        self.publish(change, event, None)
    }
}
