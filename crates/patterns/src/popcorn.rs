//! Popcorn Sales Manager: sellers, their campaigns, orders and catalogs, and who shares them.
//!
//! Generated from `tables/popcorn`: do not edit, `ACCEPT=1 cargo nextest run -p tables` writes it
//! anew.

pub mod accounts;
pub mod campaigns;
pub mod catalogs;
pub mod invites;
pub mod orders;
pub mod profiles;
pub mod shared_campaigns;
pub mod shares;

pub use accounts::Accounts;
pub use campaigns::Campaigns;
pub use catalogs::Catalogs;
pub use invites::Invites;
pub use orders::Orders;
pub use profiles::Profiles;
pub use shared_campaigns::SharedCampaigns;
pub use shares::Shares;
