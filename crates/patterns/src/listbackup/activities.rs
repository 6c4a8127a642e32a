//! What happened in an account, for 90 days.
//!
//! Generated from `tables/listbackup/activities.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use std::ops::Deref;

use store::{Error, Kind, List, Store, TableHandle, Test};

/// The table `listbackup/activities`. Cloning is cheap.
#[derive(Clone)]
pub struct Activities(TableHandle);

impl Activities {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Activities, Error> {
        let fingerprint = 0x9830_c480_fd3a_99d5;
        TableHandle::generated(store, "listbackup/activities", fingerprint).map(Activities)
    }

    /// List what happened in an account between two times (R001-access-9).
    pub fn list_activities(&self, account_id: &str, from: &str, to: &str) -> List {
        List::new(&self.0, 0, [account_id.into(), from.into(), to.into()])
    }

    /// List what a user did between two times (R001-access-10).
    pub fn list_activities_of_user(
        &self,
        user_id: &str,
        from: &str,
        to: &str,
    ) -> ListActivitiesOfUser {
        ListActivitiesOfUser(List::new(&self.0, 1, [user_id.into(), from.into(), to.into()]))
    }

    /// List what happened to a kind of resource between two times (R001-access-11, C1-08, C1-09).
    pub fn list_activities_of_resource_type(
        &self,
        account_id: &str,
        resource_kind: &str,
        from: &str,
        to: &str,
    ) -> ListActivitiesOfResourceType {
        let values = [account_id.into(), resource_kind.into(), from.into(), to.into()];
        ListActivitiesOfResourceType(List::new(&self.0, 2, values))
    }

    /// Items of the kind `activity`. One event.
    pub fn activity(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}

/// What [`Activities::list_activities_of_user`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListActivitiesOfUser(List);

impl ListActivitiesOfUser {
    /// Lets only items pass of whose `accountId` this is true.
    pub fn filter_account_id<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListActivitiesOfUser {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListActivitiesOfUser> for List {
    fn from(list: ListActivitiesOfUser) -> List {
        list.0
    }
}

/// What [`Activities::list_activities_of_resource_type`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListActivitiesOfResourceType(List);

impl ListActivitiesOfResourceType {
    /// Lets only items pass of whose `resourceId` this is true.
    pub fn filter_resource_id<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListActivitiesOfResourceType {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListActivitiesOfResourceType> for List {
    fn from(list: ListActivitiesOfResourceType) -> List {
        list.0
    }
}
