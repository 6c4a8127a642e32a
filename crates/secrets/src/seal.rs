//! What the other parts need of secrets: to seal bytes for one place, and to open them there.

use std::future::Future;
use std::pin::Pin;

use kernel::error::Error;

/// An answer that may have to ask a key service.
pub type Sealing<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, Error>> + Send + 'a>>;

/// A way to keep bytes secret at rest, under a key of the account that they belong to.
pub trait Seal: Send + Sync + 'static {
    /// Seals bytes for an account and a place (table, item and attribute); elsewhere they do not open.
    fn seal<'a>(&'a self, account: &'a str, place: &'a str, plain: &'a [u8]) -> Sealing<'a>;

    /// Opens what was sealed for this account and place, under whichever key it was.
    fn unseal<'a>(&'a self, account: &'a str, place: &'a str, sealed: &'a [u8]) -> Sealing<'a>;
}
