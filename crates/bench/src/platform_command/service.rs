//! The service that is measured: it reads a product and writes one, with or without the platform.

use std::sync::Arc;

use audit::Entry;
use changes::{Conflict, Event};
use kernel::Error;
use kernel::error::NOT_FOUND;
use kernel::permissions::Permission;
use patterns::storefront::Products as Table;
use platform::Platform;
use platform::permissions::{Anonymous, KeysRead, KeysWrite};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Raw;
use utoipa::ToSchema;
use values::{AttributeValue, Item};
use web::{Allowed, Answer, Api, Body, InPath, Route, State};

/// The table that the service is about.
pub const TABLE: &str = "storefront/products";
const PATH: &str = "/accounts/{account}/products/{product}";
/// Where a product is written and no subscriber is told.
const QUIET_PATH: &str = "/accounts/{account}/quiet-products/{product}";

/// What the handlers work with.
#[derive(Clone)]
pub struct Products {
    pub table: Table,
    pub items: Arc<Vec<Item>>,
    /// None for the service without it.
    pub platform: Option<Platform>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct ProductPath {
    #[schema(max_length = 40)]
    account: String,
    product: usize,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewName {
    #[schema(min_length = 1, max_length = 100)]
    name: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct Product {
    id: String,
    name: String,
}

/// The service with what the platform gives, or bare, for anybody.
pub fn api(products: Products) -> Api<Products> {
    let read = Route::get(PATH, "readProduct").answers::<Product>(200, "The product");
    let write = Route::post(PATH, "writeProduct").answers::<Product>(200, "The product");
    let quiet = Route::post(QUIET_PATH, "writeQuietly").answers::<Product>(200, "The product");
    let has_platform = products.platform.is_some();
    let api = Api::new("bench", products);
    if has_platform {
        let api = api.route(read, get::<KeysRead>).route(write, post::<KeysWrite, true>);
        api.route(quiet, post::<KeysWrite, false>)
    } else {
        let api = api.route(read, get::<Anonymous>).route(write, post::<Anonymous, true>);
        api.route(quiet, post::<Anonymous, false>)
    }
}

async fn get<P: Permission>(
    _: Allowed<P>,
    State(products): State<Products>,
    InPath(path): InPath<ProductPath>,
) -> Result<Answer, Error> {
    let AttributeValue::S(id) = &products.item(&path)?["id"] else { return Err(gone()) };
    let Raw(found) = products.table.get_product(id).get::<Raw>().await?.ok_or_else(gone)?;
    Answer::ok(&shown(&found))
}

async fn post<P: Permission, const IS_TOLD: bool>(
    allowed: Allowed<P>,
    State(products): State<Products>,
    InPath(path): InPath<ProductPath>,
    Body(new): Body<NewName>,
) -> Result<Answer, Error> {
    let mut item = products.item(&path)?.clone();
    item.insert("name", AttributeValue::S(new.name));
    let product = shown(&item);
    let write = products.table.product().put(Raw(item))?;
    let answer = Answer::ok(&product)?;
    let Some(platform) = &products.platform else {
        write.run().await?;
        return Ok(answer);
    };
    let mut change = platform.begin(allowed.context());
    change.add(write, Conflict);
    let after = json!({ "id": product.id, "name": product.name });
    let entry = Entry::new("PRODUCT", "PRODUCT_UPDATED", &*path.account);
    change.record(entry.of("product", &*product.id).changed(None, Some(after.clone())));
    if IS_TOLD {
        change.emit(Event::new("product.updated", path.account, after));
    }
    change.commit(answer.clone()).await?;
    Ok(answer)
}

impl Products {
    fn item(&self, path: &ProductPath) -> Result<&Item, Error> {
        self.items.get(path.product).ok_or_else(gone)
    }
}

fn gone() -> Error {
    Error::new(NOT_FOUND, "There is no such product")
}

fn shown(item: &Item) -> Product {
    let text = |name: &str| match item.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        _ => String::new(),
    };
    Product { id: text("id"), name: text("name") }
}
