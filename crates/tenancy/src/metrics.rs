//! What the service counts (R002-10.1-1 to R002-10.1-7), with the environment on each.

use kernel::metrics::{Counter, Metrics};
use tables::Environment;

use crate::status::{Status, Work};

const NAMESPACE: &str = "BBWS/TenantManagement";

/// The counters.
pub struct Counters {
    environment: String,
    created: Counter,
    parked: Counter,
    unparked: Counter,
    deleted: Counter,
    park_failures: Counter,
    unpark_failures: Counter,
    transition_errors: Counter,
}

impl Counters {
    /// Nothing counted yet.
    pub fn new(metrics: &Metrics, environment: Environment) -> Counters {
        let environment = environment.to_string();
        let counter = |name, help| metrics.counter(NAMESPACE, name, help);
        let counters = Counters {
            environment,
            created: counter("TenantCreated", "Tenants that were created"),
            parked: counter("TenantParked", "Tenants that were parked"),
            unparked: counter("TenantUnparked", "Tenants that were unparked"),
            deleted: counter("TenantDeleted", "Tenants that were given up"),
            park_failures: counter("ParkFailures", "Tenants that could not be parked"),
            unpark_failures: counter("UnparkFailures", "Tenants that could not be unparked"),
            transition_errors: counter(
                "StatusTransitionErrors",
                "Moves that the table of states does not have",
            ),
        };
        counters.show();
        counters
    }

    /// Those without states are there from the beginning, for alarms about their growth.
    fn show(&self) {
        let made = [&self.created, &self.parked, &self.unparked, &self.deleted];
        for counter in made.into_iter().chain([&self.park_failures, &self.unpark_failures]) {
            counter.show(&self.labels());
        }
    }

    /// A tenant was created.
    pub fn created(&self) {
        self.created.count(&self.labels());
    }

    /// A tenant moved.
    pub fn moved(&self, name: &str) {
        match name {
            "park" => self.parked.count(&self.labels()),
            "unpark" => self.unparked.count(&self.labels()),
            "deprovision" => self.deleted.count(&self.labels()),
            _ => {}
        }
    }

    /// A tenant could not move (R002-7.4-1).
    pub fn refused(&self, from: Status, to: Status, is_unpark: bool) {
        match to {
            Status::Parked => self.park_failures.count(&self.labels()),
            _ if is_unpark => self.unpark_failures.count(&self.labels()),
            _ => {}
        }
        let [environment] = self.labels();
        let (from, to) = (("FromStatus", from.as_str()), ("ToStatus", to.as_str()));
        self.transition_errors.count(&[environment, from, to]);
    }

    /// A provisioner did not do what it was asked to.
    pub fn failed(&self, work: Work) {
        match work {
            Work::Park => self.park_failures.count(&self.labels()),
            Work::Unpark => self.unpark_failures.count(&self.labels()),
            Work::Provision | Work::Suspend | Work::Resume | Work::Deprovision => {}
        }
    }

    fn labels(&self) -> [(&str, &str); 1] {
        [("Environment", &self.environment)]
    }
}
