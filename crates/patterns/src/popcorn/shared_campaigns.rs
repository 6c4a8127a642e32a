//! Templates from which sellers make campaigns.
//!
//! Generated from `tables/popcorn/shared_campaigns.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};
use values::{AttributeValue, Number};

/// The table `popcorn/shared_campaigns`. Cloning is cheap.
#[derive(Clone)]
pub struct SharedCampaigns(TableHandle);

impl SharedCampaigns {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<SharedCampaigns, Error> {
        let fingerprint = 0x1e29_a9fb_55ca_c780;
        TableHandle::generated(store, "popcorn/shared_campaigns", fingerprint).map(SharedCampaigns)
    }

    /// Get a template by its code (R004-createfromshared-2).
    pub fn get_template(&self, shared_campaign_code: &str) -> Get {
        Get::new(&self.0, 0, [shared_campaign_code.into()])
    }

    /// List the templates of an account, newest first (R004-shared-2).
    pub fn list_templates(&self, created_by: &str) -> List {
        List::new(&self.0, 1, [created_by.into()])
    }

    /// List the templates for a unit and a year (R004-shared-3, C4-12, C4-15).
    pub fn find_unit_templates(
        &self,
        unit_type: &str,
        unit_number: impl Into<Number>,
        city: &str,
        state: &str,
        campaign_year: impl Into<Number>,
    ) -> List {
        let values = [
            unit_type.into(),
            AttributeValue::N(unit_number.into()),
            city.into(),
            state.into(),
            AttributeValue::N(campaign_year.into()),
        ];
        List::new(&self.0, 2, values)
    }

    /// Items of the kind `template`. One template.
    pub fn template(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
