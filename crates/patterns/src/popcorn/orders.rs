//! Customers' orders in a campaign.
//!
//! Generated from `tables/popcorn/orders.json`: do not edit, `ACCEPT=1 cargo nextest run -p tables`
//! writes it anew.

use store::{Error, Get, Kind, List, Put, Store, TableHandle};

/// The table `popcorn/orders`. Cloning is cheap.
#[derive(Clone)]
pub struct Orders(TableHandle);

impl Orders {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Orders, Error> {
        let fingerprint = 0x063d_894a_87e4_ac71;
        TableHandle::generated(store, "popcorn/orders", fingerprint).map(Orders)
    }

    /// Get an order (R004-orders-1).
    pub fn get_order(&self, campaign_id: &str, order_id: &str) -> Get {
        Get::new(&self.0, 0, [campaign_id.into(), order_id.into()])
    }

    /// List the orders of a campaign (R004-flow-2).
    pub fn list_orders(&self, campaign_id: &str) -> List {
        List::new(&self.0, 1, [campaign_id.into()])
    }

    /// Get an order by id alone (R004-orders-2).
    pub fn get_order_by_id(&self, order_id: &str) -> List {
        List::new(&self.0, 2, [order_id.into()])
    }

    /// List a seller's orders across campaigns, newest first (R004-orders-3, C4-11).
    pub fn list_orders_of_profile(&self, profile_id: &str) -> List {
        List::new(&self.0, 3, [profile_id.into()])
    }

    /// Place an order and change the campaign's totals (R004-denorm-4, C4-01, C4-02).
    pub fn place_order(&self) -> Put {
        Put::new(&self.0, 4, [])
    }

    /// Items of the kind `order`. One order.
    pub fn order(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
