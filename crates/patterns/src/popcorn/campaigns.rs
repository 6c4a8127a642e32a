//! A seller's sales campaigns, with their totals.
//!
//! Generated from `tables/popcorn/campaigns.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use std::ops::Deref;

use store::{Error, Get, Kind, List, Store, TableHandle, Test, Update};
use values::{AttributeValue, Number};

/// The table `popcorn/campaigns`. Cloning is cheap.
#[derive(Clone)]
pub struct Campaigns(TableHandle);

impl Campaigns {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Campaigns, Error> {
        let fingerprint = 0x5ab3_272c_f7db_ff0b;
        TableHandle::generated(store, "popcorn/campaigns", fingerprint).map(Campaigns)
    }

    /// Get a campaign (R004-campaigns-1).
    pub fn get_campaign(&self, profile_id: &str, campaign_id: &str) -> Get {
        Get::new(&self.0, 0, [profile_id.into(), campaign_id.into()])
    }

    /// Get a campaign by id alone (R004-flow-2).
    pub fn get_campaign_by_id(&self, campaign_id: &str) -> List {
        List::new(&self.0, 1, [campaign_id.into()])
    }

    /// List a seller's campaigns, newest first (R004-campaigns-5, R004-state-5, C4-08).
    pub fn list_campaigns(&self, profile_id: &str) -> ListCampaigns {
        ListCampaigns(List::new(&self.0, 2, [profile_id.into()]))
    }

    /// List the campaigns that sell from a catalog (R004-campaigns-3, C4-26).
    pub fn list_campaigns_of_catalog(&self, catalog_id: &str) -> List {
        List::new(&self.0, 3, [catalog_id.into()])
    }

    /// List a unit's campaigns of a year (R004-flow-4, C4-16, C4-17).
    pub fn find_unit_campaigns(
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
        List::new(&self.0, 4, values)
    }

    /// Change the totals by an order, in the order's transaction (R004-denorm-1, R004-denorm-2,
    /// R004-denorm-3, R004-denorm-4, C4-01, C4-02).
    pub fn add_to_totals(&self, profile_id: &str, campaign_id: &str) -> Update {
        Update::new(&self.0, 5, [profile_id.into(), campaign_id.into()])
    }

    /// Items of the kind `campaign`. One campaign.
    pub fn campaign(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}

/// What [`Campaigns::list_campaigns`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListCampaigns(List);

impl ListCampaigns {
    /// Lets only items pass of whose `isActive` this is true.
    pub fn filter_is_active(self, test: impl Into<Test<bool>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListCampaigns {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListCampaigns> for List {
    fn from(list: ListCampaigns) -> List {
        list.0
    }
}
