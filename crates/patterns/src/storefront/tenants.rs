//! Customers of the portal, identified by their email address.
//!
//! Generated from `tables/storefront/tenants.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use std::ops::Deref;

use store::{Error, Get, Kind, List, Marker, Put, Store, TableHandle, Test, Update};

/// The table `storefront/tenants`. Cloning is cheap.
#[derive(Clone)]
pub struct Tenants(TableHandle);

impl Tenants {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Tenants, Error> {
        let fingerprint = 0x9c1b_b81f_2727_6d9b;
        TableHandle::generated(store, "storefront/tenants", fingerprint).map(Tenants)
    }

    /// Get a tenant by id (R000-4.2.4-1, C0-20).
    pub fn get_tenant(&self, id: &str) -> Get {
        Get::new(&self.0, 0, [id.into()])
    }

    /// Get a tenant by email address (R000-4.2.4-2).
    pub fn get_tenant_by_email(&self, email: &str) -> List {
        List::new(&self.0, 1, [email.into()])
    }

    /// List tenants in use, newest first (R000-4.2.4-4, R000-4.2.4-8, C0-17).
    pub fn list_tenants(&self) -> List {
        List::new(&self.0, 2, [])
    }

    /// List deleted tenants, newest first (R000-4.2.3-5, R000-4.1.3.1-5, C0-17).
    pub fn list_deleted_tenants(&self) -> List {
        List::new(&self.0, 3, [])
    }

    /// List tenants of a status, newest first (R000-4.2.4-9, C0-61).
    pub fn list_tenants_by_status(&self, status: &str) -> ListTenantsByStatus {
        ListTenantsByStatus(List::new(&self.0, 4, [status.into()]))
    }

    /// List tenants of a status that were created between two dates (R000-4.2.4-10, C0-61).
    pub fn list_tenants_by_status_between(
        &self,
        status: &str,
        from: &str,
        to: &str,
    ) -> ListTenantsByStatusBetween {
        ListTenantsByStatusBetween(List::new(&self.0, 5, [status.into(), from.into(), to.into()]))
    }

    /// Create a tenant with its email marker (R000-4.2.4-11, R000-4.2.4-13, C0-03, C0-04).
    pub fn create_tenant(&self) -> Put {
        Put::new(&self.0, 6, [])
    }

    /// Change the status of a tenant (R000-4.2.4-15, C0-08, C0-14).
    pub fn change_status(&self, id: &str, expected: &str) -> Update {
        Update::new(&self.0, 7, [id.into(), expected.into()])
    }

    /// Delete a tenant softly (R000-4.2.4-20, C0-14).
    pub fn delete_tenant(&self, id: &str) -> Update {
        Update::new(&self.0, 8, [id.into()])
    }

    /// Restore a tenant (R000-4.2.4-22, C0-14, C0-53).
    pub fn restore_tenant(&self, id: &str) -> Update {
        Update::new(&self.0, 9, [id.into()])
    }

    /// Items of the kind `tenant`. One customer.
    pub fn tenant(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Markers of the kind `emailMarker`. Reserves an email address, so that two checkouts at once
    /// make one tenant; carries no indexed attribute.
    pub fn email_marker(&self) -> Marker<'_> {
        Marker::new(&self.0, 1, [])
    }
}

/// What [`Tenants::list_tenants_by_status`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListTenantsByStatus(List);

impl ListTenantsByStatus {
    /// Lets only items pass of whose `active` this is true.
    pub fn filter_active<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListTenantsByStatus {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListTenantsByStatus> for List {
    fn from(list: ListTenantsByStatus) -> List {
        list.0
    }
}

/// What [`Tenants::list_tenants_by_status_between`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListTenantsByStatusBetween(List);

impl ListTenantsByStatusBetween {
    /// Lets only items pass of whose `active` this is true.
    pub fn filter_active<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListTenantsByStatusBetween {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListTenantsByStatusBetween> for List {
    fn from(list: ListTenantsByStatusBetween) -> List {
        list.0
    }
}
