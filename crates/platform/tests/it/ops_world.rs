//! What the tests of `/ops/v1.0` stand on: a platform, two accounts, and somebody of every role.

use database::operations::delete_item::DeleteItemRequest;
use database::operations::put_item::PutItemRequest;
use database::operations::scan::ScanRequest;
use identity::keys::{Environment, NewKey};
use kernel::{Moment, Role};
use serde_json::Value;
use values::Item;

use crate::http::sample::Got;
use crate::platform_world::{PlatformWorld, World};

pub const MINE: &str = "acc-mine";
pub const THEIRS: &str = "acc-theirs";

/// A platform with tokens of everybody; those of a role are for the account [`MINE`].
pub struct Ops {
    pub world: PlatformWorld,
    pub owner: String,
    pub admin: String,
    pub viewer: String,
    pub member: String,
    pub auditor: String,
    /// Administers the other account.
    pub stranger: String,
    /// Administers the platform, and acts for no account.
    pub root: String,
}

impl Ops {
    /// Without limits: the clock stands still, so that a window never ends.
    pub async fn new() -> Ops {
        Ops::of(World::in_memory().unlimited()).await
    }

    pub async fn of(world: World) -> Ops {
        let world = world.open().await;
        let token = async |role, account| world.token(role, account).await;
        Ops {
            owner: token(Role::Owner, Some(MINE)).await,
            admin: token(Role::Admin, Some(MINE)).await,
            viewer: token(Role::Viewer, Some(MINE)).await,
            member: token(Role::Member, Some(MINE)).await,
            auditor: token(Role::Auditor, Some(MINE)).await,
            stranger: token(Role::Admin, Some(THEIRS)).await,
            root: token(Role::PlatformAdmin, None).await,
            world,
        }
    }

    /// `GET /keys` below `/ops/v1.0`, by the bearer of this.
    pub async fn get(&self, path: &str, bearer: &str) -> Got {
        self.world.call(&format!("GET /ops/v1.0{path}")).bearer(bearer).send().await
    }

    /// The same with a body: `POST /keys`.
    pub async fn send(&self, line: &str, bearer: &str, body: &Value) -> Got {
        self.call(line).bearer(bearer).json(body).send().await
    }

    /// A request below `/ops/v1.0`, to be completed.
    pub fn call(&self, line: &str) -> crate::platform_world::Call<'_> {
        let (method, path) = line.split_once(' ').unwrap();
        self.world.call(&format!("{method} /ops/v1.0{path}"))
    }

    /// A key with these scopes, made over HTTP by an administrator: its id and its secret.
    pub async fn make_key(&self, scopes: &[&str]) -> (String, String) {
        let body = serde_json::json!({ "name": "a key", "environment": "live", "scopes": scopes });
        let got = self.send("POST /keys", &self.admin, &body).await;
        assert_eq!(got.status, 201, "{got:?}");
        let made = got.json();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        (text("keyId"), text("secret"))
    }

    /// A key of any account, made without HTTP: its id.
    pub async fn plant_key(&self, account: &str) -> String {
        let new = NewKey {
            account_id: account.to_owned(),
            name: "planted".to_owned(),
            environment: Environment::Test,
            scopes: Some(["keys:write".to_owned()].into()),
            expires_at: None,
            metadata: serde_json::Map::new(),
            limit: None,
            uses_left: None,
        };
        let made = self.world.platform.keys().create(new, "test").unwrap();
        for write in made.changed.writes {
            write.run().await.unwrap();
        }
        made.changed.key.id
    }

    pub fn now(&self) -> Moment {
        self.world.platform.now()
    }

    /// Every item of a table, read behind the store's back.
    pub async fn items(&self, table: &str) -> Vec<Item> {
        let table_name = self.world.store.table(table).unwrap().name().to_owned();
        let (mut items, mut exclusive_start_key) = (Vec::new(), None);
        loop {
            let table_name = table_name.clone();
            let request = ScanRequest { table_name, exclusive_start_key, ..ScanRequest::default() };
            let response = self.world.database.scan(request).await.unwrap();
            items.extend(response.items.unwrap());
            exclusive_start_key = response.last_evaluated_key;
            if exclusive_start_key.is_none() {
                return items;
            }
        }
    }

    /// Stores an item of the audit log behind the store's back.
    pub async fn forge(&self, item: Item) {
        let table_name = self.world.store.table("platform/audit_logs").unwrap().name().to_owned();
        let request = PutItemRequest { table_name, item, ..PutItemRequest::default() };
        self.world.database.put_item(request).await.unwrap();
    }

    /// Removes an item of the audit log behind the store's back.
    pub async fn erase(&self, item: &Item) {
        let table_name = self.world.store.table("platform/audit_logs").unwrap().name().to_owned();
        let key = ["PK", "SK"].map(|name| (name.to_owned(), item[name].clone())).into();
        let request = DeleteItemRequest { table_name, key, ..DeleteItemRequest::default() };
        self.world.database.delete_item(request).await.unwrap();
    }

    /// The actions that an account's log has, oldest first.
    pub async fn actions(&self, account: &str) -> Vec<String> {
        self.world.platform.later().flush().await.unwrap();
        let query = audit::Query { account: Some(account.to_owned()), ..audit::Query::default() };
        let page = self.world.platform.audit().list(&query, "test", 100, None).await.unwrap();
        page.items.into_iter().rev().map(|row| row.action).collect()
    }
}

/// The body without what differs from request to request.
pub fn lasting(got: &Got) -> Value {
    let mut body = got.json();
    if let Some(members) = body.as_object_mut() {
        members.remove("requestId");
        members.remove("timestamp");
    }
    body
}
