//! Trying again: what is worth it, how often, and how long it waits.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use database::{CancellationCode, CancellationReason};
use store::backend::{
    Action, Answer, Backend, BackendError, BatchRead, Change, Pending, Query, QueryAnswer, Read,
};
use store::{Error, Pauses, Randomness, Raw, Settings, Store, TokenKeys, Transaction};
use tables::{Documents, Environment};
use values::{AttributeValue, Item};

/// Fails as it is told, then answers with nothing.
#[derive(Clone, Default)]
struct Scripted {
    failures: Arc<Mutex<VecDeque<BackendError>>>,
    tokens: Arc<Mutex<Vec<Option<String>>>>,
    is_in_process: bool,
    batches: Arc<Mutex<Vec<usize>>>,
}

impl Scripted {
    fn of(failures: impl IntoIterator<Item = BackendError>) -> Scripted {
        let scripted = Scripted::default();
        scripted.failures.lock().unwrap().extend(failures);
        scripted
    }

    fn answer<T: Default + Send + 'static>(&self) -> Pending<'static, T> {
        let failure = self.failures.lock().unwrap().pop_front();
        Box::pin(async move { failure.map_or_else(|| Ok(Answer::default()), Err) })
    }
}

impl Backend for Scripted {
    fn get<'a>(&'a self, _: &'a Read) -> Pending<'a, Option<Item>> {
        self.answer()
    }

    fn batch_get<'a>(&'a self, _: &'a [Read]) -> Pending<'a, BatchRead> {
        self.answer()
    }

    fn transact_get<'a>(&'a self, _: &'a [Read]) -> Pending<'a, Vec<Option<Item>>> {
        self.answer()
    }

    fn query<'a>(&'a self, _: &'a Query) -> Pending<'a, QueryAnswer> {
        self.answer()
    }

    fn write<'a>(&'a self, _: &'a Action) -> Pending<'a, Option<Item>> {
        self.answer()
    }

    /// Takes one write of a batch, and none of a batch of one that deletes.
    fn batch_write<'a>(&'a self, writes: &'a [Action]) -> Pending<'a, Vec<usize>> {
        self.batches.lock().unwrap().push(writes.len());
        let stuck = matches!(writes[0].change, Change::Delete { .. });
        let left = (usize::from(!stuck)..writes.len()).collect();
        Box::pin(async move { Ok(Answer { value: left, consumed: Vec::new() }) })
    }

    fn transact_write<'a>(
        &'a self,
        _: &'a mut Vec<Action>,
        token: Option<&'a str>,
    ) -> Pending<'a, ()> {
        self.tokens.lock().unwrap().push(token.map(str::to_owned));
        self.answer()
    }

    fn is_in_process(&self) -> bool {
        self.is_in_process
    }
}

/// Notes the pauses and does not wait.
#[derive(Clone, Default)]
struct Noted(Arc<Mutex<Vec<Duration>>>);

impl Pauses for Noted {
    fn pause(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.0.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}

/// Always the same.
struct Constant(u8);

impl Randomness for Constant {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        bytes.fill(self.0);
        true
    }
}

fn store(backend: Scripted, chance: u8) -> (Store, Noted) {
    let pauses = Noted::default();
    let mut settings = Settings::new(Environment::Dev, TokenKeys::new([1; 32]));
    settings.pauses = Arc::new(pauses.clone());
    settings.randomness = Arc::new(Constant(chance));
    (Store::new(&Documents::embedded().unwrap(), backend, settings), pauses)
}

async fn get(store: &Store) -> Result<Option<Raw>, Error> {
    let access = store.table("storefront/products").unwrap().access("get-product").unwrap();
    access.with("id", "prod_1").unwrap().get().await
}

fn busy() -> BackendError {
    BackendError::Busy("too much".to_owned())
}

fn unavailable() -> BackendError {
    BackendError::Unavailable("gone".to_owned())
}

#[tokio::test]
async fn busy_and_unavailable_are_tried_again_with_growing_pauses() {
    let (store, pauses) = store(Scripted::of([busy(), unavailable(), busy()]), 255);
    assert_eq!(get(&store).await, Ok(None));
    let millis: Vec<_> = pauses.0.lock().unwrap().iter().map(Duration::as_millis).collect();
    assert_eq!(millis, [25, 50, 100]);
}

#[tokio::test]
async fn a_pause_is_a_random_part_of_the_longest() {
    let (store, pauses) = store(Scripted::of([busy(), busy()]), 0);
    assert_eq!(get(&store).await, Ok(None));
    assert_eq!(*pauses.0.lock().unwrap(), [Duration::ZERO, Duration::ZERO]);
}

#[tokio::test]
async fn attempts_are_bounded() {
    let (store, pauses) = store(Scripted::of(std::iter::repeat_with(busy).take(100)), 255);
    assert_eq!(get(&store).await, Err(Error::Busy("too much".to_owned())));
    assert_eq!(pauses.0.lock().unwrap().len(), 5);
}

#[tokio::test]
async fn refusals_are_final() {
    let refused =
        BackendError::Refused { code: "ValidationException".to_owned(), message: "no".to_owned() };
    let (store, pauses) = store(Scripted::of([refused]), 255);
    assert!(matches!(get(&store).await, Err(Error::Refused { .. })));
    assert!(pauses.0.lock().unwrap().is_empty());
}

fn product() -> Raw {
    let text = |name: &str, value: &str| (name.to_owned(), AttributeValue::from(value));
    let now = "2026-11-15T06:00:00.000Z";
    Raw(Item::from([
        text("id", "prod_00000001-0000-4000-8000-000000000001"),
        text("name", "Hosting"),
        text("description", "A place"),
        ("price".to_owned(), AttributeValue::from(5_i64)),
        text("billingCycle", "monthly"),
        text("active", "true"),
        text("dateCreated", now),
        text("dateLastUpdated", now),
        text("lastUpdatedBy", "admin@example.com"),
    ]))
}

/// A create whose answer got lost was carried out: the second attempt finds its own item, and must
/// not report that somebody else was first.
#[tokio::test]
async fn a_create_without_an_answer_recognises_its_own_item() {
    for (first, succeeds) in [(unavailable(), true), (busy(), false)] {
        let scratch = store(Scripted::default(), 1).0.table("storefront/products").unwrap();
        let own =
            scratch.kind("product").unwrap().create(product()).unwrap().item().unwrap().clone();
        let found = BackendError::ConditionFailed { found: Some(own) };
        let (store, _) = store(Scripted::of([first, found]), 255);
        let products = store.table("storefront/products").unwrap();
        let outcome = products.kind("product").unwrap().create(product()).unwrap().run().await;
        assert_eq!(outcome.is_ok(), succeeds);
    }
}

#[tokio::test]
async fn a_transaction_is_tried_again_after_conflicts_under_one_token() {
    let reason = |code| CancellationReason { code, message: None, item: None };
    let conflict = BackendError::TransactionCanceled(vec![
        reason(CancellationCode::None),
        reason(CancellationCode::TransactionConflict),
    ]);
    let failed = BackendError::TransactionCanceled(vec![
        reason(CancellationCode::ConditionalCheckFailed),
        reason(CancellationCode::TransactionConflict),
    ]);
    let backend = Scripted::of([conflict.clone(), conflict, unavailable()]);
    let (retried, _) = store(backend.clone(), 3);
    let transaction = || {
        let products = retried.table("storefront/products").unwrap();
        Transaction::new().with(products.kind("product").unwrap().create(product()).unwrap())
    };
    retried.commit(transaction()).await.unwrap();
    let tokens = backend.tokens.lock().unwrap().clone();
    let tokens: Vec<String> = tokens.into_iter().map(Option::unwrap).collect();
    assert_eq!(tokens.len(), 4);
    assert!(tokens.iter().all(|token| *token == tokens[0] && token.len() == 36));
    let (final_store, pauses) = store(Scripted::of([failed]), 3);
    let error = final_store.commit(transaction()).await.unwrap_err();
    assert!(error.is_condition_of(0));
    assert!(pauses.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn where_no_answer_gets_lost_a_transaction_has_no_token() {
    let backend = Scripted { is_in_process: true, ..Scripted::default() };
    let (store, _) = store(backend.clone(), 3);
    let products = store.table("storefront/products").unwrap();
    let create =
        || Transaction::new().with(products.kind("product").unwrap().create(product()).unwrap());
    store.commit(create()).await.unwrap();
    store.commit_once(create(), "chosen").await.unwrap();
    assert_eq!(*backend.tokens.lock().unwrap(), [None, Some("chosen".to_owned())]);
}

#[tokio::test]
async fn what_a_batch_leaves_is_sent_again_until_nothing_moves() {
    let backend = Scripted::default();
    let (store, _) = store(backend.clone(), 0);
    let products = store.table("storefront/products").unwrap();
    let writes =
        (0..3).map(|_| products.kind("product").unwrap().put(product()).unwrap()).collect();
    store.batch_write(writes).await.unwrap();
    assert_eq!(*backend.batches.lock().unwrap(), [3, 2, 1]);
    let key = products.kind("product").unwrap().key_of(product()).unwrap();
    let stuck = store.batch_write(vec![key.remove()]).await;
    assert!(matches!(stuck, Err(Error::Busy(_))));
    assert_eq!(backend.batches.lock().unwrap().len(), 3 + 6);
}
