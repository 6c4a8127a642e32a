//! A part of a list: what asks for one, `limit` and `nextToken`, and the answer: `items`, `count`,
//! `nextToken`, `_links`.

use kernel::{Error, PageRequest};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::extract::{must_pass, query_members};
use super::{Context, Description, Extract, Input};

/// Most items of a page.
const LIMIT_MAX: u32 = 100;
/// The longest token: one that goes on in several parts of a list at once has a place in each.
const TOKEN_MAX: u32 = 16_384;

/// Which part of a list is asked for, in the query string (R002-6.4b-3). `DEFAULT` items, unless the
/// request says how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging<const DEFAULT: u32 = 20>(pub PageRequest);

impl<S, const DEFAULT: u32> Extract<S> for Paging<DEFAULT> {
    fn extract(input: &Input<'_, S>) -> Result<Paging<DEFAULT>, Error> {
        let members = query_members(input)?;
        must_pass(&input.checks.query, "query", &members)?;
        let number = members["limit"].as_u64().and_then(|number| u32::try_from(number).ok());
        Ok(Paging(PageRequest {
            limit: number.unwrap_or(DEFAULT),
            token: members["nextToken"].as_str().map(str::to_owned),
        }))
    }

    fn describe(description: &mut Description) {
        description.is_paged = true;
        description.add_query(&json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "limit": {
                    "type": "integer", "format": "int32", "description": "How many at most.",
                    "minimum": 1, "maximum": LIMIT_MAX, "default": DEFAULT,
                },
                "nextToken": {
                    "type": "string", "description": "The `nextToken` of the page before.",
                    "minLength": 1, "maxLength": TOKEN_MAX,
                },
            },
        }));
    }
}

/// A page of a list (R002-6.4b-4).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageAnswer<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// How many there are in this page.
    pub count: usize,
    /// What to ask the next page with; null at the end.
    pub next_token: Option<String>,
    /// This page, and the next if there is one.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    pub links: Value,
}

impl<T> PageAnswer<T> {
    /// The answer to this request, from a page of the store.
    pub fn new<U>(
        context: &Context,
        page: store::Page<U>,
        shown: impl FnMut(U) -> T,
    ) -> PageAnswer<T> {
        let items: Vec<T> = page.items.into_iter().map(shown).collect();
        let mut links = Map::new();
        links.insert("self".to_owned(), json!({ "href": href(context, None) }));
        if let Some(token) = &page.next {
            links.insert("next".to_owned(), json!({ "href": href(context, Some(token)) }));
        }
        let (count, next_token) = (items.len(), page.next);
        PageAnswer { items, count, next_token, links: Value::Object(links) }
    }
}

/// The request's own address, or the same with another token.
fn href(context: &Context, token: Option<&str>) -> String {
    let Some(token) = token else {
        return match context.query.as_str() {
            "" => context.path.clone(),
            query => format!("{}?{query}", context.path),
        };
    };
    let mut query = form_urlencoded::Serializer::new(String::new());
    let others = form_urlencoded::parse(context.query.as_bytes());
    query.extend_pairs(others.filter(|(name, _)| name != "nextToken"));
    query.append_pair("nextToken", token);
    format!("{}?{}", context.path, query.finish())
}
