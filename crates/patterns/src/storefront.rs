//! Customer portal: tenants as customers, products and marketing campaigns.
//!
//! Generated from `tables/storefront`: do not edit, `ACCEPT=1 cargo nextest run -p tables` writes
//! it anew.

pub mod campaigns;
pub mod products;
pub mod tenants;

pub use campaigns::Campaigns;
pub use products::Products;
pub use tenants::Tenants;
