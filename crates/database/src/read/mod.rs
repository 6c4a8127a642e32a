//! Reading pages of a table or index: what Query and Scan share.

mod form;
mod page;
mod select;
mod target;

pub use form::{ItemForm, formed};
pub use page::PageRequest;
pub use select::{Shown, check_select};
pub use target::{Target, meets};
