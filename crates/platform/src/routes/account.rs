//! What requests of `/ops` say alike: whose things they are about, and which page of them.

use serde::Deserialize;
use utoipa::ToSchema;

/// Items of a page, unless the caller says how many.
const PAGE_ITEMS: u32 = 20;

/// The account in a query string.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpsAccount {
    /// Another account than the caller's own, for those who administer the platform.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
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
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
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
