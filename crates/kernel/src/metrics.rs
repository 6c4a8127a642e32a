//! What the services count, for Prometheus: requests and their time by route, and the named counters
//! that services register (those of document 002, section 10, among them).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// All counters of the services. Cloning is cheap.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    requests: Family<RequestLabels, counter::Counter>,
    seconds: Family<RouteLabels, Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    service: &'static str,
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    service: &'static str,
    method: String,
    route: String,
}

/// A named counter with labels.
#[derive(Clone, Default)]
pub struct Counter(Family<Vec<(String, String)>, counter::Counter>);

impl Counter {
    /// Counts one, with these labels.
    pub fn count(&self, labels: &[(&str, &str)]) {
        self.0.get_or_create(&owned(labels)).inc();
    }

    /// Shows these labels from now on, with what was counted so far. An alarm about growth does not see
    /// a first count whose labels were not there before.
    pub fn show(&self, labels: &[(&str, &str)]) {
        drop(self.0.get_or_create(&owned(labels)));
    }
}

fn owned(labels: &[(&str, &str)]) -> Vec<(String, String)> {
    labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Metrics {
        let mut registry = Registry::default();
        let requests = Family::default();
        // From 50 microseconds to 1.6 seconds, doubling, as the DynamoDB port has them.
        let seconds = Family::new_with_constructor(
            (|| Histogram::new(exponential_buckets(0.000_05, 2.0, 16))) as fn() -> Histogram,
        );
        let own = registry.sub_registry_with_prefix("plinth");
        let help = "Requests to services, by route and status";
        own.register("http_requests", help, Family::clone(&requests));
        let help = "Time from the headers of a request to its answer, by route";
        own.register_with_unit("http_request", help, Unit::Seconds, Family::clone(&seconds));
        Metrics { registry: Arc::new(Mutex::new(registry)), requests, seconds }
    }

    /// A counter of a service. The namespace is as in the documents, `BBWS/TenantManagement` say;
    /// Prometheus has no slashes, so there it is `BBWS_TenantManagement_TenantCreated_total`.
    pub fn counter(&self, namespace: &str, name: &str, help: &str) -> Counter {
        let counter = Counter::default();
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let namespace = namespace.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
        let namespace = registry.sub_registry_with_prefix(namespace);
        namespace.register(name, help, Family::clone(&counter.0));
        counter
    }

    /// Shows what a part of the platform counts by itself.
    pub fn show_counter(&self, name: &str, help: &str, counter: counter::Counter) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.sub_registry_with_prefix("plinth").register(name, help, counter);
    }

    /// Shows the connections of the listener too.
    pub fn show_connections(&self, open: Gauge, refused: counter::Counter) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let own = registry.sub_registry_with_prefix("plinth_http");
        own.register("connections", "Open connections to services", open);
        let help = "Connections to services closed because there were too many";
        own.register("refused_connections", help, refused);
    }

    /// Counts a request and its time.
    pub fn request(
        &self,
        service: &'static str,
        method: &str,
        route: &str,
        status: u16,
        time: Duration,
    ) {
        let (method, route) = (method.to_owned(), route.to_owned());
        let labels = RouteLabels { service, method: method.clone(), route: route.clone() };
        self.seconds.get_or_create(&labels).observe(time.as_secs_f64());
        self.requests.get_or_create(&RequestLabels { service, method, route, status }).inc();
    }

    /// Everything in Prometheus' text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing to a string does not fail.
        let _ = encode(&mut text, &registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R002-10.1-1, R002-10.1-7.
    #[test]
    fn counters_have_the_names_of_the_documents() {
        let metrics = Metrics::new();
        let about = "Tenants created";
        let created = metrics.counter("BBWS/TenantManagement", "TenantCreated", about);
        created.show(&[("Environment", "dev")]);
        let line = "BBWS_TenantManagement_TenantCreated_total{Environment=\"dev\"} 0";
        assert!(metrics.text().contains(line), "{}", metrics.text());
        created.count(&[("Environment", "dev")]);
        created.count(&[("Environment", "dev")]);
        created.show(&[("Environment", "dev")]);
        metrics.request("ops", "GET", "/ops/v1.0/keys", 200, Duration::from_millis(1));
        let text = metrics.text();
        let line = "BBWS_TenantManagement_TenantCreated_total{Environment=\"dev\"} 2";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("plinth_http_request_seconds_count{service=\"ops\""), "{text}");
        let line = "route=\"/ops/v1.0/keys\",status=\"200\"} 1";
        assert!(text.contains(line), "{text}");
    }
}
