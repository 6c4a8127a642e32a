//! Marketing campaigns: a discount on one product between two dates.
//!
//! Generated from `tables/storefront/campaigns.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use std::ops::Deref;

use store::{Error, Get, Kind, List, Put, Store, TableHandle, Test, Update};

/// The table `storefront/campaigns`. Cloning is cheap.
#[derive(Clone)]
pub struct Campaigns(TableHandle);

impl Campaigns {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Campaigns, Error> {
        let fingerprint = 0xa864_9b22_607e_1da9;
        TableHandle::generated(store, "storefront/campaigns", fingerprint).map(Campaigns)
    }

    /// Get a campaign by code (R000-4.4.4-1, R000-4.4.4-4, C0-20).
    pub fn get_campaign(&self, code: &str) -> Get {
        Get::new(&self.0, 0, [code.into()])
    }

    /// List campaigns in use, latest first day first (R000-4.4.4-5, R000-4.4.4-6, C0-38, C0-62).
    pub fn list_campaigns(&self) -> ListCampaigns {
        ListCampaigns(List::new(&self.0, 1, []))
    }

    /// List campaigns in use that start after a day (R000-4.4.3-4).
    pub fn list_coming_campaigns(&self, today: &str) -> List {
        List::new(&self.0, 2, [today.into()])
    }

    /// List campaigns by date of creation, deleted ones too (R000-4.4.3-3, R000-4.1.3.1-5).
    pub fn list_campaigns_by_creation(&self, active: &str) -> List {
        List::new(&self.0, 3, [active.into()])
    }

    /// List the campaigns of a product, latest first day first (R000-4.4.4-7, C0-61).
    pub fn list_campaigns_of_product(&self, product_id: &str) -> ListCampaignsOfProduct {
        ListCampaignsOfProduct(List::new(&self.0, 4, [product_id.into()]))
    }

    /// Create a campaign (R000-4.4.4-8, R000-4.4.4-9, C0-26, C0-27).
    pub fn create_campaign(&self) -> Put {
        Put::new(&self.0, 5, [])
    }

    /// Change a campaign (R000-4.4.4-14, R000-4.4.4-15, R000-4.4.4-16, C0-14, C0-30).
    pub fn change_campaign(&self, code: &str) -> Update {
        Update::new(&self.0, 6, [code.into()])
    }

    /// Delete a campaign softly, or restore it (R000-4.4.4-17, C0-14).
    pub fn set_campaign_active(&self, code: &str) -> Update {
        Update::new(&self.0, 7, [code.into()])
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
    /// Lets only items pass of whose `toDate` this is true.
    pub fn filter_to_date<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
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

/// What [`Campaigns::list_campaigns_of_product`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListCampaignsOfProduct(List);

impl ListCampaignsOfProduct {
    /// Lets only items pass of whose `active` this is true.
    pub fn filter_active<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListCampaignsOfProduct {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListCampaignsOfProduct> for List {
    fn from(list: ListCampaignsOfProduct) -> List {
        list.0
    }
}
