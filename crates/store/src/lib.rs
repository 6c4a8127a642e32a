//! How do services read and write? One interface, [`Store`], over two back ends: the embedded
//! database, here, and Amazon DynamoDB, in the crate `amazon`.
//!
//! A read is one of the access patterns of a table's document, and every item is checked against the
//! document on its way in and on its way out. Services have a function for each pattern, in the crate
//! `patterns`; it gives a [`Get`], [`List`], [`Put`], [`Update`], [`Delete`] or [`Check`]. Tools that
//! know patterns only from documents name them:
//!
//! ```no_run
//! # use serde::{Deserialize, Serialize};
//! # #[derive(Serialize, Deserialize)] struct Product { id: String, name: String }
//! # async fn example(store: store::Store) -> Result<(), store::Error> {
//! let products = store.table("storefront/products")?;
//! let one: Option<Product> = products.access("get-product")?.with("id", "prod_1")?.get().await?;
//! let page = products.access("list-products")?.page::<Product>("caller", 20, None).await?;
//! # Ok(()) }
//! ```
//!
//! Not here: a scan, a query that no document names, HTTP, and what services do with the items.

mod access;
pub mod backend;
mod batch;
mod changes;
mod embedded;
mod error;
mod filter;
mod key_condition;
mod kind;
mod operations;
mod page;
mod page_token;
mod randomness;
mod retry;
mod settings;
mod store;
mod table;
mod transaction;
pub mod typed;
mod unique;
mod write;

pub use access::Access;
pub use backend::{Backend, BackendError};
pub use changes::Changes;
pub use embedded::Embedded;
pub use error::{Error, Reason};
pub use filter::Test;
pub use kind::Kind;
pub use operations::{Check, Delete, Get, List, Put, Update};
pub use page::Page;
pub use page_token::TokenKeys;
pub use randomness::{Randomness, SystemRandomness};
pub use retry::Retry;
pub use settings::{Meter, Pauses, Settings, TokioPauses};
pub use store::Store;
pub use table::{Key, TableHandle};
pub use transaction::Transaction;
pub use typed::{IntoItem, Raw, Record};
pub use unique::{Marker, MovedMarker};
pub use write::Write;

pub use database::{Stamp, clock};
