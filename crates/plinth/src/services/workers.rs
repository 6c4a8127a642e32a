//! The workers that deliver events, beside the services, and the buses and topics that hear of them.

use std::sync::Arc;

use amazon::{Connection, EventBus, Topic};
use platform::events::Publisher;
use platform::http::Metrics;
use platform::{Platform, Workers};
use tables::Environment;

use crate::control::explained;
use crate::settings::{Settings, WebhookSettings};

/// Says what is wrong with their settings, before anything is opened.
pub fn check(settings: &Settings) -> Result<(), String> {
    if settings.webhooks.webhook_plain_http && settings.environment != Environment::Dev {
        return Err(
            "--webhook-plain-http is for the environment dev alone. Leave it out, and give \
                    endpoints https URLs."
                .to_owned(),
        );
    }
    Ok(())
}

/// Starts them.
pub async fn start(
    platform: &Platform,
    settings: &Settings,
    metrics: &Metrics,
) -> Result<Workers, String> {
    let webhooks = &settings.webhooks;
    let publishers = publishers(webhooks).await;
    let workers = platform.deliver(webhooks.webhook_workers, &publishers, metrics);
    workers.map_err(|error| format!("Events cannot be delivered: {}", explained(&error)))
}

async fn publishers(settings: &WebhookSettings) -> Vec<Arc<dyn Publisher>> {
    let endpoint = settings.publish_endpoint.clone();
    let connection = Connection { endpoint, ..Connection::default() };
    let mut publishers: Vec<Arc<dyn Publisher>> = Vec::new();
    if let Some(bus) = &settings.event_bus {
        publishers.push(Arc::new(EventBus::connect(&connection, bus).await));
    }
    if let Some(topic) = &settings.topic {
        publishers.push(Arc::new(Topic::connect(&connection, topic).await));
    }
    publishers
}
