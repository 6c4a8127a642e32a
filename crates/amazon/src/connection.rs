//! Connecting: the SDK's chain of credentials, and what the caller says otherwise.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_smithy_http_client::{Builder, tls};

/// Where to connect to. What is absent is taken from the environment, as every AWS tool does.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// Another endpoint than the region's own, such as `http://127.0.0.1:8000`.
    pub endpoint: Option<String>,
    /// The region.
    pub region: Option<String>,
    /// The profile in the AWS configuration files.
    pub profile: Option<String>,
    /// The access key, such as one that `plinth access-keys` made.
    pub credentials: Option<Credentials>,
}

/// Amazon DynamoDB, or anything that answers as it does.
#[derive(Clone, Debug)]
pub struct Amazon {
    pub(crate) client: Client,
    /// For items: it tries once, because the store tries again and knows what is safe.
    pub(crate) items: Client,
    pub(crate) measured: bool,
    name: String,
}

impl Amazon {
    /// Finds credentials and a region. Nothing is sent to DynamoDB yet.
    pub async fn connect(connection: &Connection) -> Amazon {
        let configuration = configuration(connection).await;
        let region = configuration.region().map(ToString::to_string);
        let name = match (&connection.endpoint, region) {
            (Some(endpoint), _) => endpoint.clone(),
            (None, Some(region)) => format!("Amazon DynamoDB in {region}"),
            (None, None) => "Amazon DynamoDB".to_owned(),
        };
        let once = aws_sdk_dynamodb::config::Builder::from(&configuration)
            .retry_config(RetryConfig::disabled());
        Amazon {
            client: Client::new(&configuration),
            items: Client::from_conf(once.build()),
            measured: false,
            name,
        }
    }

    /// The same, which also asks what each operation on items costs.
    pub fn measured(self) -> Amazon {
        Amazon { measured: true, ..self }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// The SDK's configuration: its chain of credentials, and what the caller says otherwise.
pub(crate) async fn configuration(connection: &Connection) -> SdkConfig {
    let provider = tls::rustls_provider::CryptoMode::Ring;
    let http = Builder::new().tls_provider(tls::Provider::Rustls(provider)).build_https();
    let mut loader = aws_config::defaults(BehaviorVersion::latest()).http_client(http);
    if let Some(region) = &connection.region {
        loader = loader.region(Region::new(region.clone()));
    }
    if let Some(profile) = &connection.profile {
        loader = loader.profile_name(profile);
    }
    if let Some(credentials) = &connection.credentials {
        loader = loader.credentials_provider(credentials.clone());
    }
    if let Some(endpoint) = &connection.endpoint {
        loader = loader.endpoint_url(endpoint);
    }
    loader.load().await
}
