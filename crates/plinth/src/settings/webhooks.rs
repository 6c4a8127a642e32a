//! Settings of webhooks and of what else hears of events.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use ipnet::IpNet;
use webhooks::{Policy, Ports};

use super::values;

/// Where events may go.
#[derive(Args, Clone, Debug)]
pub struct WebhookSettings {
    /// Workers that deliver events, in this process. With none, another process on the same tables
    /// must.
    #[arg(long, value_name = "COUNT", env = "PLINTH_WEBHOOK_WORKERS", default_value_t = 1,
        value_parser = RangedU64ValueParser::<usize>::new().range(0..=64))]
    pub webhook_workers: usize,

    /// Networks that webhooks may reach although they are not public, separated by commas:
    /// `127.0.0.0/8,10.1.0.0/16`. Whoever may make an endpoint can then send requests there.
    #[arg(long, value_name = "NETWORKS", env = "PLINTH_WEBHOOK_NETWORKS", value_delimiter = ',')]
    pub webhook_networks: Vec<IpNet>,

    /// Names that webhooks may reach although they look like inner ones, separated by commas:
    /// `localhost,hooks.internal`. Their addresses are still checked.
    #[arg(long, value_name = "NAMES", env = "PLINTH_WEBHOOK_NAMES", value_delimiter = ',')]
    pub webhook_names: Vec<String>,

    /// Ports that webhooks may reach, separated by commas, or `any`.
    #[arg(long, value_name = "PORTS", env = "PLINTH_WEBHOOK_PORTS", default_value = "443,8443")]
    pub webhook_ports: WebhookPorts,

    /// Send webhooks over plain HTTP too, where everybody on the way can read them. Only in the
    /// environment dev.
    #[arg(long, env = "PLINTH_WEBHOOK_PLAIN_HTTP")]
    pub webhook_plain_http: bool,

    /// The EventBridge bus that hears of every event, by name or ARN. Credentials and region come from
    /// the environment, as for every AWS tool.
    #[arg(long, value_name = "BUS", env = "PLINTH_EVENT_BUS")]
    pub event_bus: Option<String>,

    /// The SNS topic that hears of every event, by its ARN.
    #[arg(long, value_name = "ARN", env = "PLINTH_TOPIC", value_parser = values::topic)]
    pub topic: Option<String>,

    /// Another endpoint for bus and topic than those of AWS: `http://127.0.0.1:5000`.
    #[arg(long, value_name = "URL", env = "PLINTH_PUBLISH_ENDPOINT", value_parser = values::web_address)]
    pub publish_endpoint: Option<String>,
}

/// Ports that webhooks may reach.
#[derive(Clone, Debug)]
pub struct WebhookPorts(pub Ports);

impl std::str::FromStr for WebhookPorts {
    type Err = String;

    fn from_str(text: &str) -> Result<WebhookPorts, String> {
        if text == "any" {
            return Ok(WebhookPorts(Ports::Any));
        }
        let wrong = |_| "write ports separated by commas, 443,8443 say, or any".to_owned();
        let ports = text.split(',').map(|port| port.trim().parse());
        let ports = ports.collect::<Result<Vec<u16>, _>>().map_err(wrong)?;
        Ok(WebhookPorts(Ports::Only(ports)))
    }
}

impl WebhookSettings {
    /// Where deliveries may go.
    pub fn destinations(&self) -> Policy {
        Policy {
            plain_http: self.webhook_plain_http,
            ports: self.webhook_ports.0.clone(),
            networks: self.webhook_networks.clone(),
            names: self.webhook_names.clone(),
        }
    }
}
