//! Every group of operations through the AWS SDK for Rust, against the server that the environment
//! names. `tests/clients/run rust` starts one.

mod items;
mod reads;
mod several;
mod streams;
mod tables;

use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters as _;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType,
    ScalarAttributeType,
};

/// What a test returns: any error fails it.
type Outcome = Result<(), Box<dyn Error>>;
/// An item, or a key.
type Item = HashMap<String, AttributeValue>;

/// What the runner says about the server.
fn setting(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("{name} is not set: start this with tests/clients/run"))
}

fn credentials() -> Result<Credentials, String> {
    let (id, secret) = (setting("AWS_ACCESS_KEY_ID")?, setting("AWS_SECRET_ACCESS_KEY")?);
    Ok(Credentials::new(id, secret, None, None, "environment"))
}

fn client() -> Result<Client, String> {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(setting("PLINTH_ENDPOINT")?)
        .region(Region::new("us-east-1"))
        .credentials_provider(credentials()?)
        .build();
    Ok(Client::from_conf(config))
}

/// A table's request with the keys `pk` and `sk`, and a name that no other test has.
fn table(client: &Client) -> Result<(String, CreateTableFluentBuilder), Box<dyn Error>> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("rust-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let builder = client
        .create_table()
        .table_name(&name)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(key("pk", KeyType::Hash)?)
        .key_schema(key("sk", KeyType::Range)?)
        .attribute_definitions(text("pk")?)
        .attribute_definitions(text("sk")?);
    Ok((name, builder))
}

fn key(name: &str, kind: KeyType) -> Result<KeySchemaElement, Box<dyn Error>> {
    Ok(KeySchemaElement::builder().attribute_name(name).key_type(kind).build()?)
}

fn text(name: &str) -> Result<AttributeDefinition, Box<dyn Error>> {
    let kind = ScalarAttributeType::S;
    Ok(AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build()?)
}

/// A client, and a new table that is ready.
async fn ready_table() -> Result<(Client, String), Box<dyn Error>> {
    let client = client()?;
    let (name, builder) = table(&client)?;
    builder.send().await?;
    wait(&client, &name).await?;
    Ok((client, name))
}

async fn wait(client: &Client, name: &str) -> Outcome {
    client.wait_until_table_exists().table_name(name).wait(Duration::from_secs(20)).await?;
    Ok(())
}

fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn item(pk: &str, sk: &str, more: &[(&str, AttributeValue)]) -> Item {
    let keys = [("pk", s(pk)), ("sk", s(sk))];
    let all = keys.into_iter().chain(more.iter().cloned());
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}
