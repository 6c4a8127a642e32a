//! Tags and what they are attached to.
//!
//! Generated from `tables/listbackup/tags.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `listbackup/tags`. Cloning is cheap.
#[derive(Clone)]
pub struct Tags(TableHandle);

impl Tags {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Tags, Error> {
        let fingerprint = 0x7719_6a87_9bb2_2ceb;
        TableHandle::generated(store, "listbackup/tags", fingerprint).map(Tags)
    }

    /// Get a tag (R001-tags-1).
    pub fn get_tag(
        &self,
        account_id: &str,
        resource_type: &str,
        tag_key: &str,
        tag_value: &str,
    ) -> Get {
        let values = [account_id.into(), resource_type.into(), tag_key.into(), tag_value.into()];
        Get::new(&self.0, 0, values)
    }

    /// List the tags for a kind of resource (R001-tags-1).
    pub fn list_tags(&self, account_id: &str, resource_type: &str) -> List {
        List::new(&self.0, 1, [account_id.into(), resource_type.into()])
    }

    /// List the tags with a key (R001-tags-9, C1-19).
    pub fn list_tags_with_key(&self, account_id: &str, resource_type: &str, tag_key: &str) -> List {
        List::new(&self.0, 2, [account_id.into(), resource_type.into(), tag_key.into()])
    }

    /// Get a tag by id alone (R001-tags-8).
    pub fn get_tag_by_id(&self, tag_id: &str) -> List {
        List::new(&self.0, 3, [tag_id.into()])
    }

    /// List the tags of a resource (C1-17).
    pub fn list_tags_of_resource(
        &self,
        account_id: &str,
        resource_type: &str,
        resource_id: &str,
    ) -> List {
        List::new(&self.0, 4, [account_id.into(), resource_type.into(), resource_id.into()])
    }

    /// Items of the kind `tag`. One tag.
    pub fn tag(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `attachment`. Leads from a resource to a tag; written in the transaction
    /// that changes the resources.
    pub fn attachment(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }
}
