//! Telling others: events on an EventBridge bus, and messages of an SNS topic.
//!
//! Each call is one try without the SDK's own retries: the outbox tries again, and knows when.

use aws_sdk_eventbridge::config::retry::RetryConfig as BusRetries;
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use aws_sdk_sns::config::retry::RetryConfig as TopicRetries;
use aws_sdk_sns::types::MessageAttributeValue;
use aws_smithy_types::DateTime;
use aws_smithy_types::error::display::DisplayErrorContext;
use webhooks::events::{Message, Publisher, Publishing};

use crate::connection::{Connection, configuration};

/// An EventBridge bus.
#[derive(Clone, Debug)]
pub struct EventBus {
    client: aws_sdk_eventbridge::Client,
    bus: String,
}

impl EventBus {
    /// A bus by its name or ARN. Nothing is sent yet.
    pub async fn connect(connection: &Connection, bus: &str) -> EventBus {
        let configuration = configuration(connection).await;
        let once = aws_sdk_eventbridge::config::Builder::from(&configuration)
            .retry_config(BusRetries::disabled());
        let client = aws_sdk_eventbridge::Client::from_conf(once.build());
        EventBus { client, bus: bus.to_owned() }
    }

    async fn put(&self, message: &Message) -> Result<(), String> {
        let millis = i64::try_from(message.time.millis()).unwrap_or(i64::MAX);
        let entry = PutEventsRequestEntry::builder()
            .event_bus_name(&self.bus)
            .source(&message.source)
            .detail_type(&message.detail_type)
            .time(DateTime::from_millis(millis))
            .detail(message.detail.to_string())
            .build();
        let sent = self.client.put_events().entries(entry).send().await;
        let answer = sent.map_err(|error| DisplayErrorContext(error).to_string())?;
        // The call succeeds even if the bus did not take the event.
        let refused = answer.entries().iter().find(|entry| entry.error_code().is_some());
        refused.map_or(Ok(()), |entry| {
            let code = entry.error_code().unwrap_or_default();
            Err(format!("{code}: {}", entry.error_message().unwrap_or_default()))
        })
    }
}

impl Publisher for EventBus {
    fn name(&self) -> &str {
        "eventbridge"
    }

    fn publish<'a>(&'a self, message: &'a Message) -> Publishing<'a> {
        Box::pin(self.put(message))
    }
}

/// An SNS topic. Its messages are events in the envelope of a bus, with `source`, `detail-type` and
/// `event-type` as attributes to filter by.
#[derive(Clone, Debug)]
pub struct Topic {
    client: aws_sdk_sns::Client,
    arn: String,
    region: String,
}

impl Topic {
    /// A topic by its ARN. Nothing is sent yet.
    pub async fn connect(connection: &Connection, arn: &str) -> Topic {
        let configuration = configuration(connection).await;
        let once = aws_sdk_sns::config::Builder::from(&configuration)
            .retry_config(TopicRetries::disabled());
        let client = aws_sdk_sns::Client::from_conf(once.build());
        let region = arn.split(':').nth(3).unwrap_or_default().to_owned();
        Topic { client, arn: arn.to_owned(), region }
    }

    async fn put(&self, message: &Message) -> Result<(), String> {
        let mut request = self
            .client
            .publish()
            .topic_arn(&self.arn)
            .message(message.envelope(&self.region).to_string());
        let attributes = [
            ("source", &message.source),
            ("detail-type", &message.detail_type),
            ("event-type", &message.event_type),
        ];
        for (name, value) in attributes {
            let value = MessageAttributeValue::builder().data_type("String").string_value(value);
            let value = value.build().map_err(|error| error.to_string())?;
            request = request.message_attributes(name, value);
        }
        let sent = request.send().await;
        sent.map(|_| ()).map_err(|error| DisplayErrorContext(error).to_string())
    }
}

impl Publisher for Topic {
    fn name(&self) -> &str {
        "sns"
    }

    fn publish<'a>(&'a self, message: &'a Message) -> Publishing<'a> {
        Box::pin(self.put(message))
    }
}
