//! Products on sale and their prices.
//!
//! Generated from `tables/storefront/products.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Put, Store, TableHandle, Update};

/// The table `storefront/products`. Cloning is cheap.
#[derive(Clone)]
pub struct Products(TableHandle);

impl Products {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Products, Error> {
        let fingerprint = 0xbb40_a09e_61dd_4d55;
        TableHandle::generated(store, "storefront/products", fingerprint).map(Products)
    }

    /// Get a product by id (R000-4.3.4-1, C0-20).
    pub fn get_product(&self, id: &str) -> Get {
        Get::new(&self.0, 0, [id.into()])
    }

    /// List products on sale, oldest first (R000-4.3.4-2, R000-4.3.4-3).
    pub fn list_products(&self) -> List {
        List::new(&self.0, 1, [])
    }

    /// List products on sale, newest first (R000-4.3.4-2).
    pub fn list_newest_products(&self) -> List {
        List::new(&self.0, 2, [])
    }

    /// List deleted products (R000-4.3.3-3, R000-4.1.3.1-5).
    pub fn list_deleted_products(&self) -> List {
        List::new(&self.0, 3, [])
    }

    /// Create a product (R000-4.3.4-4, R000-4.3.4-5, C0-28).
    pub fn create_product(&self) -> Put {
        Put::new(&self.0, 4, [])
    }

    /// Change a product (R000-4.3.4-6, C0-14, C0-29).
    pub fn change_product(&self, id: &str) -> Update {
        Update::new(&self.0, 5, [id.into()])
    }

    /// Delete a product softly, or restore it (R000-4.3.4-8, R000-4.3.4-11, C0-14).
    pub fn set_product_active(&self, id: &str) -> Update {
        Update::new(&self.0, 6, [id.into()])
    }

    /// Items of the kind `product`. One product.
    pub fn product(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
