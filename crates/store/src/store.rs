//! The way in: a store knows the documents and a back end.

use std::collections::HashMap;
use std::sync::Arc;

use tables::Documents;

use crate::backend::{Answer, Backend};
use crate::error::Error;
use crate::settings::Settings;
use crate::table::{Prepared, TableHandle};

/// The only way to data. Cloning is cheap.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub backend: Box<dyn Backend>,
    pub settings: Settings,
    /// By `system/table`.
    tables: HashMap<String, Arc<Prepared>>,
    /// The same by their names in the environment.
    by_name: HashMap<String, Arc<Prepared>>,
}

impl Store {
    /// A store of the documents' tables, which the back end has.
    pub fn new(documents: &Documents, backend: impl Backend, settings: Settings) -> Store {
        let mut tables = HashMap::new();
        let mut by_name = HashMap::new();
        for table in &documents.tables {
            let name = documents.table_name(table, settings.environment);
            let prepared = Arc::new(Prepared::new(table.clone(), name.clone()));
            tables.insert(prepared.logical_name.clone(), Arc::clone(&prepared));
            by_name.insert(name, prepared);
        }
        Store { inner: Arc::new(Inner { backend: Box::new(backend), settings, tables, by_name }) }
    }

    /// A table by the name of its document, `system/table`.
    pub fn table(&self, name: &str) -> Result<TableHandle, Error> {
        let table = self.inner.tables.get(name).ok_or_else(|| {
            Error::NotInDocuments(format!("no document describes the table {name}"))
        })?;
        Ok(TableHandle { store: self.clone(), table: Arc::clone(table) })
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }

    /// The table of this name in the environment.
    pub(crate) fn prepared(&self, name: &str) -> Option<&Arc<Prepared>> {
        self.inner.by_name.get(name)
    }

    /// Tells the meter what an operation cost, and gives what it gave.
    pub(crate) fn metered<T>(&self, operation: &'static str, answer: Answer<T>) -> T {
        if let Some(meter) = &self.settings().meter {
            for consumed in &answer.consumed {
                let index = consumed.index.as_deref();
                meter.consumed(operation, &consumed.table_name, index, consumed.units);
            }
        }
        answer.value
    }
}
