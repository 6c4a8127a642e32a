//! Lists that come in pages.

use std::num::NonZeroUsize;

use clap::Args;
use serde_json::{Value, json};

use super::client::{Client, Query};
use super::failure::Failure;

/// Most items that one page is asked for.
const PAGE_MAX: usize = 100;

/// How much of a list.
#[derive(Args, Clone)]
pub struct PageOptions {
    /// How many, at most.
    #[arg(long, value_name = "COUNT", default_value = "50")]
    limit: NonZeroUsize,
    /// All of them.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Go on where a list ended: its `nextToken`, which --json shows.
    // One token in 64 begins with a hyphen.
    #[arg(long, value_name = "TOKEN", allow_hyphen_values = true)]
    next_token: Option<String>,
}

/// The items of a list: `items`, `count`, and `nextToken` if there are more.
pub async fn list(
    client: &Client,
    path: &str,
    query: Query<'_>,
    options: PageOptions,
) -> Result<Value, Failure> {
    pages(client, path, query, options, true).await
}

/// The same of a list that decides itself how much is in a page.
pub async fn list_unsized(
    client: &Client,
    path: &str,
    query: Query<'_>,
    options: PageOptions,
) -> Result<Value, Failure> {
    pages(client, path, query, options, false).await
}

async fn pages(
    client: &Client,
    path: &str,
    query: Query<'_>,
    options: PageOptions,
    is_sized: bool,
) -> Result<Value, Failure> {
    let wanted = if options.all { usize::MAX } else { options.limit.get() };
    let mut items: Vec<Value> = Vec::new();
    let mut token = options.next_token;
    loop {
        let size = PAGE_MAX.min(wanted.saturating_sub(items.len()).max(1));
        let mut query = query.clone();
        query.push(("limit", Some(size.to_string()).filter(|_| is_sized)));
        query.push(("nextToken", token.clone()));
        let mut page = client.get(path, query).await?;
        let Value::Array(found) = page["items"].take() else {
            return Err(Failure::lacking("items"));
        };
        items.extend(found);
        token = page["nextToken"].as_str().map(str::to_owned);
        if token.is_none() || items.len() >= wanted {
            let count = items.len();
            return Ok(json!({ "items": items, "count": count, "nextToken": token }));
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::PageOptions;

    #[test]
    fn a_token_may_begin_with_a_hyphen() {
        let command = PageOptions::augment_args(Command::new("list"));
        let given = command.try_get_matches_from(["list", "--next-token", "-Aqm_7"]).unwrap();
        let options = PageOptions::from_arg_matches(&given).unwrap();
        assert_eq!(options.next_token.as_deref(), Some("-Aqm_7"));
    }
}
