//! The database under test, behind the wire's JSON.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use database::clock::{ManualClock, SequentialIds};
use database::{Database, Durability, Options};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use wire::http::{Callers, Limits, Listening, Server};
use wire::{Operation, WireError};

use super::{Failure, Host, Outcome, Party};

/// Where every sequence's clock begins: 2026-01-01T00:00:00Z.
const BEGIN_MILLIS: u64 = 1_767_225_600_000;

/// A database in memory, with its own runtime and a clock that moves by one second a call.
pub struct Subject {
    database: Database,
    runtime: Runtime,
    clock: ManualClock,
}

impl Subject {
    /// An empty database in memory.
    #[expect(clippy::expect_used, reason = "without a subject there is nothing to compare")]
    pub fn open() -> Self {
        let clock = ManualClock::new(BEGIN_MILLIS);
        let runtime = Builder::new_current_thread().enable_time().build();
        Subject {
            database: open_subject(clock.clone()),
            runtime: runtime.expect("a runtime of one thread starts"),
            clock,
        }
    }
}

#[expect(clippy::expect_used, reason = "without a subject there is nothing to compare")]
fn open_subject(clock: ManualClock) -> Database {
    let options = Options {
        clock: Arc::new(clock),
        ids: Arc::new(SequentialIds::default()),
        durability: Durability::Relaxed,
        background_work: false,
        reserved_disk_bytes: 0,
        ..Options::in_memory()
    };
    Database::open(options).expect("a database opens in memory")
}

impl Host for Subject {
    async fn serve(&self) -> io::Result<SocketAddr> {
        let clock = Arc::new(self.clock.clone());
        let server = Server::new(self.database.clone(), Callers::Anybody, Limits::default(), clock);
        let listening = Listening::bind((Ipv4Addr::LOCALHOST, 0).into(), None, server).await?;
        let address = listening.address()?;
        // It runs until it is dropped, which is when the runtime ends.
        tokio::spawn(async move {
            let _running = listening.run();
            std::future::pending::<()>().await;
        });
        Ok(address)
    }

    fn tick(&self) {
        self.clock.advance(1000);
    }
}

impl Party for Subject {
    fn call(&mut self, operation: &str, body: &Value) -> Outcome {
        self.tick();
        let (runtime, database) = (&self.runtime, &self.database);
        let Some(operation) = Operation::named(operation) else {
            return Outcome::Failure(Failure::from_body(WireError::unknown_operation().to_json()));
        };
        let executed = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(wire::json::execute(database, operation, &body.into()))
        }));
        match executed {
            Ok(Ok(answer)) => Outcome::Answer(answer.to_value()),
            Ok(Err(error)) => Outcome::Failure(Failure::from_body(error.to_json())),
            Err(panic) => Outcome::Failure(Failure::new("Panic", panic_text(&*panic))),
        }
    }

    fn rest(&mut self) {
        let database = &self.database;
        // An error here shows in the answers that follow.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            while database.run_background_work().is_ok_and(|done| done > 0) {}
        }));
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

impl Drop for Subject {
    fn drop(&mut self) {
        self.database.close();
    }
}
