//! The workers that deliver events, beside the services, and the buses and topics that hear of them.

use std::sync::Arc;

use amazon::{Connection, EventBus, Topic};
use kernel::metrics::Metrics;
use platform::{Platform, Workers};
use tables::Environment;
use webhooks::events::Publisher;

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
    let webhooks = &settings.webhooks;
    if webhooks.publish_endpoint.is_some()
        && webhooks.event_bus.is_none()
        && webhooks.topic.is_none()
    {
        return Err(
            "--publish-endpoint says where the event bus and the topic are, and there is                     neither: nobody would hear of events there. Give --event-bus or --topic, or                     leave it out."
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: Settings,
    }

    fn check_flags(flags: &[&str]) -> Result<(), String> {
        check(&Line::parse_from([&["plinth"], flags].concat()).settings)
    }

    #[test]
    fn an_endpoint_without_a_bus_or_topic_is_refused() {
        let endpoint = ["--publish-endpoint", "http://127.0.0.1:5000"];
        let problem = check_flags(&endpoint).unwrap_err();
        assert!(problem.starts_with("--publish-endpoint"), "{problem}");
        let topic = "arn:aws:sns:eu-west-1:123456789012:events";
        for of in [["--event-bus", "events"], ["--topic", topic]] {
            assert_eq!(check_flags(&[endpoint, of].concat()), Ok(()));
        }
        assert_eq!(check_flags(&[]), Ok(()));
    }
}
