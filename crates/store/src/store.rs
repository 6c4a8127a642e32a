//! The way in: a store knows the documents and a back end.

use std::collections::HashMap;
use std::sync::Arc;

use database::Stamp;
use tables::Documents;
use tables::document::Table;

use crate::backend::{Answer, Backend};
use crate::error::Error;
use crate::settings::Settings;
use crate::table::{Key, Prepared, TableHandle};

/// The only way to data. Cloning is cheap.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub backend: Box<dyn Backend>,
    pub settings: Settings,
    /// In the order of the documents.
    pub tables: Vec<Prepared>,
    /// Where each is, by `system/table`.
    by_logical_name: HashMap<String, usize>,
    /// The same by their names in the environment.
    by_name: HashMap<String, usize>,
}

impl Store {
    /// A store of the documents' tables, which the back end has.
    pub fn new(documents: &Documents, backend: impl Backend, settings: Settings) -> Store {
        let prepare = |table: &Table| {
            Prepared::new(table.clone(), documents.table_name(table, settings.environment))
        };
        let tables: Vec<Prepared> = documents.tables.iter().map(prepare).collect();
        let places = |name: fn(&Prepared) -> String| {
            tables.iter().enumerate().map(|(at, table)| (name(table), at)).collect()
        };
        let by_logical_name = places(|table| table.logical_name.clone());
        let by_name = places(|table| table.name.to_string());
        let backend = Box::new(backend);
        let inner = Inner { backend, settings, tables, by_logical_name, by_name };
        Store { inner: Arc::new(inner) }
    }

    /// A table by the name of its document, `system/table`.
    pub fn table(&self, name: &str) -> Result<TableHandle, Error> {
        let at = *self.inner.by_logical_name.get(name).ok_or_else(|| {
            Error::NotInDocuments(format!("no document describes the table {name}"))
        })?;
        Ok(TableHandle { store: self.clone(), at })
    }

    /// Whether the data is in this process, where no answer gets lost and few others are at work.
    pub fn is_in_process(&self) -> bool {
        self.backend().is_in_process()
    }

    /// How the items with these keys are now. To be asked before they are read: as long as
    /// [`Store::is_unchanged`] says so, what was read need not be read again. Nothing where others may
    /// write unnoticed.
    pub fn stamp(&self, keys: &[Key]) -> Option<Stamp> {
        if !self.is_in_process() {
            return None;
        }
        self.backend().stamp(&keys.iter().map(Key::read).collect::<Vec<_>>())
    }

    /// Whether reading the items again would give what they were when the stamp was taken. Strongly
    /// consistent: not if a change of one of them has been answered.
    pub fn is_unchanged(&self, stamp: &Stamp) -> bool {
        self.backend().is_unchanged(stamp)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }

    /// The table of this name in the environment.
    pub(crate) fn prepared(&self, name: &str) -> Option<&Prepared> {
        self.inner.tables.get(*self.inner.by_name.get(name)?)
    }

    pub(crate) fn prepared_at(&self, at: usize) -> &Prepared {
        &self.inner.tables[at]
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
