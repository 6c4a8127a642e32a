//! Who did what and when, seen by kind of event and by account; never changed.
//!
//! Generated from `tables/platform/audit_logs.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use std::ops::Deref;

use store::{Error, Get, Kind, List, Put, Store, TableHandle, Test, Update};
use values::{AttributeValue, Number};

/// The table `platform/audit_logs`. Cloning is cheap.
#[derive(Clone)]
pub struct AuditLogs(TableHandle);

impl AuditLogs {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<AuditLogs, Error> {
        let fingerprint = 0xeb13_a637_3062_193e;
        TableHandle::generated(store, "platform/audit_logs", fingerprint).map(AuditLogs)
    }

    /// List the events of a kind on a day (R003-audit-5, R003-audit-6, R003-audit-7, R003-audit-8,
    /// R003-audit-9, C3-04).
    pub fn list_events_of_day(&self, event_type: &str, date: &str) -> List {
        List::new(&self.0, 0, [event_type.into(), date.into()])
    }

    /// List one part of the events of a busy kind on a day (R003-audit-15, C3-04).
    pub fn list_events_of_day_sharded(
        &self,
        event_type: &str,
        date: &str,
        shard: impl Into<Number>,
    ) -> List {
        List::new(&self.0, 1, [event_type.into(), date.into(), AttributeValue::N(shard.into())])
    }

    /// List the references to an account's events between two times (R003-audit-5, R003-audit-9,
    /// R003-audit-14, C3-02).
    pub fn list_events_of_account(
        &self,
        account: &str,
        from: &str,
        to: &str,
    ) -> ListEventsOfAccount {
        ListEventsOfAccount(List::new(&self.0, 2, [account.into(), from.into(), to.into()]))
    }

    /// List an account's events of every kind between two times (R003-audit-10, C3-03).
    pub fn list_events_of_account_by_index(&self, account_id: &str, from: &str, to: &str) -> List {
        List::new(&self.0, 3, [account_id.into(), from.into(), to.into()])
    }

    /// List the events of a kind between two times (R003-audit-11, C3-15).
    pub fn list_events_of_kind(
        &self,
        event_type: &str,
        shard: impl Into<Number>,
        from: &str,
        to: &str,
    ) -> ListEventsOfKind {
        let values = [event_type.into(), AttributeValue::N(shard.into()), from.into(), to.into()];
        ListEventsOfKind(List::new(&self.0, 4, values))
    }

    /// Get the end of an account's chain (R003-audit-2, C3-05).
    pub fn get_chain_head(&self, account: &str) -> Get {
        Get::new(&self.0, 5, [account.into()])
    }

    /// Let an account's chain end elsewhere, if nobody else did (R003-audit-2, C3-05).
    pub fn move_chain_head(&self, mac: &str) -> Put {
        Put::new(&self.0, 6, [mac.into()])
    }

    /// Walk along an account's chain (R003-audit-2, R003-audit-5, C3-05).
    pub fn walk_events_of_account(&self, account: &str, from: &str, to: &str) -> List {
        List::new(&self.0, 7, [account.into(), from.into(), to.into()])
    }

    /// Get the reference to an event of an account (R003-audit-2).
    pub fn get_event_of_account(
        &self,
        account: &str,
        date: &str,
        epoch_ms: impl Into<Number>,
        event_id: &str,
    ) -> Get {
        let values =
            [account.into(), date.into(), AttributeValue::N(epoch_ms.into()), event_id.into()];
        Get::new(&self.0, 8, values)
    }

    /// Get an event of a kind on a day (R003-audit-2).
    pub fn get_event_of_day(
        &self,
        event_type: &str,
        date: &str,
        epoch_ms: impl Into<Number>,
        event_id: &str,
    ) -> Get {
        let values =
            [event_type.into(), date.into(), AttributeValue::N(epoch_ms.into()), event_id.into()];
        Get::new(&self.0, 9, values)
    }

    /// Get an event of a busy kind on a day (R003-audit-15, C3-04).
    pub fn get_event_of_day_sharded(
        &self,
        event_type: &str,
        date: &str,
        shard: impl Into<Number>,
        epoch_ms: impl Into<Number>,
        event_id: &str,
    ) -> Get {
        let values = [
            event_type.into(),
            date.into(),
            AttributeValue::N(shard.into()),
            AttributeValue::N(epoch_ms.into()),
            event_id.into(),
        ];
        Get::new(&self.0, 10, values)
    }

    /// Say when the reference to an event may be removed from its account's view (R003-audit-13,
    /// C3-05).
    pub fn expire_event_of_account(
        &self,
        account: &str,
        date: &str,
        epoch_ms: impl Into<Number>,
        event_id: &str,
    ) -> Update {
        let values =
            [account.into(), date.into(), AttributeValue::N(epoch_ms.into()), event_id.into()];
        Update::new(&self.0, 11, values)
    }

    /// Say when an event may be removed from the view by kind (R003-audit-13, C3-05).
    pub fn expire_event_of_day(
        &self,
        event_type: &str,
        date: &str,
        epoch_ms: impl Into<Number>,
        event_id: &str,
    ) -> Update {
        let values =
            [event_type.into(), date.into(), AttributeValue::N(epoch_ms.into()), event_id.into()];
        Update::new(&self.0, 12, values)
    }

    /// Say when an event of a busy kind may be removed from the view by kind (R003-audit-13, C3-04,
    /// C3-05).
    pub fn expire_event_of_day_sharded(
        &self,
        event_type: &str,
        date: &str,
        shard: impl Into<Number>,
        epoch_ms: impl Into<Number>,
        event_id: &str,
    ) -> Update {
        let values = [
            event_type.into(),
            date.into(),
            AttributeValue::N(shard.into()),
            AttributeValue::N(epoch_ms.into()),
            event_id.into(),
        ];
        Update::new(&self.0, 13, values)
    }

    /// List an account's checkpoints in their order (R003-audit-2, C3-05).
    pub fn list_checkpoints(&self, account: &str) -> List {
        List::new(&self.0, 14, [account.into()])
    }

    /// See whether an account has a chain (R003-audit-2).
    pub fn get_chain_register(&self, shard: impl Into<Number>, account: &str) -> Get {
        Get::new(&self.0, 15, [AttributeValue::N(shard.into()), account.into()])
    }

    /// List the accounts that have chains, one part of the register at a time (R003-audit-2).
    pub fn list_chains(&self, shard: impl Into<Number>) -> List {
        List::new(&self.0, 16, [AttributeValue::N(shard.into())])
    }

    /// List the keys that checkpoints are signed with (R003-audit-2).
    pub fn list_signing_keys(&self) -> List {
        List::new(&self.0, 17, [])
    }

    /// Record an event, and the reference to it, in both views (R003-audit-2, C3-01, C3-02).
    pub fn record_event(&self) -> Put {
        Put::new(&self.0, 18, [])
    }

    /// Items of the kind `event_view`. An event, with all that it says, among those of its kind on
    /// a day.
    pub fn event_view(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `sharded_event_view`. The same for a kind so busy that its days are split.
    pub fn sharded_event_view(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }

    /// Items of the kind `account_view`. A reference to the event among those of its account: its
    /// place in the chain, what leads to it and what proves it; written in the same transaction.
    /// What it says is in the view by kind, and by account in the index.
    pub fn account_view(&self) -> Kind<'_> {
        Kind::new(&self.0, 2)
    }

    /// Items of the kind `chain_head`. Where an account's chain ends, and how long its events are
    /// kept.
    pub fn chain_head(&self) -> Kind<'_> {
        Kind::new(&self.0, 3)
    }

    /// Items of the kind `checkpoint`. A signed statement of what an account's chain holds up to an
    /// event.
    pub fn checkpoint(&self) -> Kind<'_> {
        Kind::new(&self.0, 4)
    }

    /// Items of the kind `chain_register`. That an account has a chain: what is missing can be
    /// missed.
    pub fn chain_register(&self) -> Kind<'_> {
        Kind::new(&self.0, 5)
    }

    /// Items of the kind `signing_key`. A key that checkpoints are signed with, sealed.
    pub fn signing_key(&self) -> Kind<'_> {
        Kind::new(&self.0, 6)
    }
}

/// What [`AuditLogs::list_events_of_account`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListEventsOfAccount(List);

impl ListEventsOfAccount {
    /// Lets only items pass of whose `event_type` this is true.
    pub fn filter_event_type<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListEventsOfAccount {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListEventsOfAccount> for List {
    fn from(list: ListEventsOfAccount) -> List {
        list.0
    }
}

/// What [`AuditLogs::list_events_of_kind`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListEventsOfKind(List);

impl ListEventsOfKind {
    /// Lets only items pass of whose `action` this is true.
    pub fn filter_action<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }

    /// Lets only items pass of whose `actor_id` this is true.
    pub fn filter_actor_id<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(1, test.into()))
    }

    /// Lets only items pass of whose `resource_type` this is true.
    pub fn filter_resource_type<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(2, test.into()))
    }

    /// Lets only items pass of whose `resource_id` this is true.
    pub fn filter_resource_id<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(3, test.into()))
    }

    /// Lets only items pass of whose `outcome` this is true.
    pub fn filter_outcome<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(4, test.into()))
    }
}

impl Deref for ListEventsOfKind {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListEventsOfKind> for List {
    fn from(list: ListEventsOfKind) -> List {
        list.0
    }
}
