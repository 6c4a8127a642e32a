//! What requests of `/ops` say alike: whose things they are about, and which page of them.

use serde::Deserialize;
use utoipa::ToSchema;

/// The account in a query string.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpsAccount {
    /// Another account than the caller's own, for those who administer the platform.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
    pub account_id: Option<String>,
}
