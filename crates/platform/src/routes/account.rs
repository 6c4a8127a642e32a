//! Whose things is a request of `/ops` about? The caller's account's, unless they name another with
//! `accountId`, which only those may who are allowed everywhere: to others it does not exist.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::error::Error;
use crate::http::Allowed;
use crate::permissions::{Permission, Target};

/// Items of a page, unless the caller says how many.
const PAGE_ITEMS: u32 = 20;

/// The account in a query string.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpsAccount {
    /// Another account than the caller's own, for those who administer the platform.
    #[schema(min_length = 1, max_length = 200)]
    pub account_id: Option<String>,
}

/// A page in a query string.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpsPage {
    /// How many at most.
    #[schema(minimum = 1, maximum = 100, default = 20)]
    pub limit: Option<u32>,
    /// The `nextToken` of the page before.
    #[schema(min_length = 1, max_length = 4096)]
    pub next_token: Option<String>,
    /// Another account than the caller's own, for those who administer the platform.
    #[schema(min_length = 1, max_length = 200)]
    pub account_id: Option<String>,
}

impl OpsPage {
    /// How many items are asked for.
    pub fn items(&self) -> u32 {
        items(self.limit)
    }
}

/// How many items a page has.
pub fn items(asked: Option<u32>) -> u32 {
    asked.unwrap_or(PAGE_ITEMS)
}

/// The account that a request is about.
pub fn account<'a, P: Permission>(
    allowed: &'a Allowed<P>,
    named: Option<&'a str>,
) -> Result<&'a str, Error> {
    if let Some(named) = named {
        allowed.on(&Target::Account(named))?;
        return Ok(named);
    }
    allowed.caller().account_id.as_deref().ok_or_else(|| {
        let message = "is missing: your credential acts for no account, so name one".to_owned();
        Error::validation([("accountId", message)])
    })
}
