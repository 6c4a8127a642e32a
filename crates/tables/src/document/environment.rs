//! The three environments, and what differs between them.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// Where tables are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Environment {
    /// Development.
    Dev,
    /// System integration testing.
    Sit,
    /// Production.
    Prod,
}

impl Environment {
    /// All three, in order.
    pub const ALL: [Environment; 3] = [Environment::Dev, Environment::Sit, Environment::Prod];

    /// Its name in the documents.
    pub const fn name(self) -> &'static str {
        match self {
            Environment::Dev => "dev",
            Environment::Sit => "sit",
            Environment::Prod => "prod",
        }
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no environment of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEnvironment;

impl fmt::Display for UnknownEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no such environment: write dev, sit or prod")
    }
}

impl std::error::Error for UnknownEnvironment {}

impl FromStr for Environment {
    type Err = UnknownEnvironment;

    fn from_str(name: &str) -> Result<Self, UnknownEnvironment> {
        Environment::ALL.into_iter().find(|known| known.name() == name).ok_or(UnknownEnvironment)
    }
}

/// A setting in each environment.
#[derive(Clone, Debug, Deserialize)]
pub struct PerEnvironment<T> {
    /// In development.
    pub dev: T,
    /// In system integration testing.
    pub sit: T,
    /// In production.
    pub prod: T,
}

impl<T> PerEnvironment<T> {
    /// The setting in an environment.
    pub fn get(&self, environment: Environment) -> &T {
        match environment {
            Environment::Dev => &self.dev,
            Environment::Sit => &self.sit,
            Environment::Prod => &self.prod,
        }
    }
}
