//! One suite for every back end: what it shows of the embedded database it shows of Amazon DynamoDB.
//! Every test has keys of its own, so that they may share tables.

pub mod items;
pub mod pages;
pub mod transactions;

use serde::{Deserialize, Serialize};
use store::{Backend, Settings, Store, TokenKeys};
use tables::{Documents, Environment, Plan, Target, apply};

/// The tables that the suite uses.
const TABLES: [&str; 3] = ["storefront/products", "storefront/tenants", "tenancy/bbws-tenants"];

/// A back end with the suite's tables.
pub struct World<B> {
    pub documents: Documents,
    pub backend: B,
    /// Whether the back end knows a client token again, as DynamoDB does.
    pub remembers_tokens: bool,
}

impl<B: Backend + Clone> World<B> {
    /// Creates what is missing of the tables.
    pub async fn new<T: Target>(target: &T, backend: B) -> World<B> {
        let documents = Documents::embedded().unwrap();
        let tables: Vec<_> = TABLES.iter().flat_map(|name| documents.find(name)).collect();
        let plan = Plan::make(&documents, &tables, Environment::Dev, &[], target).await.unwrap();
        apply(&documents, &plan, false, target, |_, _| {}).await.unwrap();
        World { documents, backend, remembers_tokens: true }
    }

    pub fn settings(&self) -> Settings {
        Settings::new(Environment::Dev, TokenKeys::new([7; 32]))
    }

    pub fn store(&self) -> Store {
        self.store_with(self.settings())
    }

    pub fn store_with(&self, settings: Settings) -> Store {
        Store::new(&self.documents, self.backend.clone(), settings)
    }
}

/// Declares the suite's tests for a world.
#[macro_export]
macro_rules! store_suite {
    ($world:path) => {
        store_suite! { @ $world,
            items: created_items_are_read_as_they_were_written,
            items: exact_numbers_sets_and_options_survive,
            items: what_exists_cannot_be_created_again,
            items: what_does_not_exist_can_be_neither_replaced_nor_updated_nor_deleted,
            items: an_update_keeps_to_the_patterns_condition_and_completes_index_keys,
            items: versions_stop_lost_updates,
            items: items_that_the_document_does_not_allow_are_refused_on_both_ways,
            items: batches_of_many_items_are_written_and_read,
            items: what_the_documents_do_not_name_cannot_be_asked,
            transactions: markers_keep_a_value_unique,
            transactions: a_transaction_happens_once_for_a_token_and_not_by_half,
            transactions: reads_of_one_moment_are_in_order,
            pages: pages_hold_every_item_once_in_order,
            pages: a_filtered_page_is_full_while_items_remain,
            pages: a_page_that_is_used_in_part_goes_on_after_any_of_its_items,
            pages: a_page_looks_at_no_more_items_than_the_limit,
            pages: a_foreign_changed_or_stale_token_is_one_error,
        }
    };
    (@ $world:path, $($module:ident: $test:ident,)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                let Some(world) = $world().await else { return };
                suite::$module::$test(&world).await;
            }
        )*
    };
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    pub id: String,
    pub name: String,
    pub description: String,
    #[serde(with = "store::typed::number")]
    pub price: String,
    pub features: Option<Vec<String>>,
    pub billing_cycle: String,
    pub active: String,
    pub date_created: String,
    pub date_last_updated: String,
    pub last_updated_by: String,
}

pub const NOW: &str = "2026-11-15T06:00:00.000Z";

/// An identifier that no other test has.
pub fn uuid(test: u32, number: usize) -> String {
    format!("{test:08x}-0000-4000-8000-{number:012x}")
}

pub fn product(test: u32, number: usize) -> Product {
    Product {
        id: format!("prod_{}", uuid(test, number)),
        name: "Hosting".to_owned(),
        description: "A place for a site".to_owned(),
        price: "299.99".to_owned(),
        features: None,
        billing_cycle: "monthly".to_owned(),
        active: "true".to_owned(),
        date_created: NOW.to_owned(),
        date_last_updated: NOW.to_owned(),
        last_updated_by: "admin@example.com".to_owned(),
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    pub tenant_id: String,
    pub user_id: String,
    pub email: String,
    pub role: String,
    pub assigned_at: String,
    pub assigned_by: String,
    pub active: bool,
}

pub fn assignment(test: u32, number: usize, active: bool) -> Assignment {
    Assignment {
        tenant_id: format!("tenant-{}", uuid(test, 0)),
        user_id: format!("user-{}", uuid(test, number)),
        email: format!("user{number}@example.com"),
        role: "Viewer".to_owned(),
        assigned_at: NOW.to_owned(),
        assigned_by: "admin".to_owned(),
        active,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tenant {
    pub tenant_id: String,
    pub organization_name: String,
    pub contact_email: String,
    pub environment: String,
    pub status: String,
    pub created_at: String,
    pub created_by: String,
    pub updated_at: String,
    pub version: i64,
    pub admin_count: i64,
    pub active_resources: i64,
}

pub fn tenant(test: u32, number: usize) -> Tenant {
    Tenant {
        tenant_id: format!("tenant-{}", uuid(test, number)),
        organization_name: format!("Organisation {test} {number}"),
        contact_email: "contact@example.com".to_owned(),
        environment: "dev".to_owned(),
        status: "ACTIVE".to_owned(),
        created_at: NOW.to_owned(),
        created_by: "admin".to_owned(),
        updated_at: NOW.to_owned(),
        version: 1,
        admin_count: 0,
        active_resources: 0,
    }
}
