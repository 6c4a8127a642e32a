//! Clients that append to several lists at once and read several lists at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use database::operations::{
    TransactAction, TransactGet, TransactGetItemsRequest, TransactWrite, TransactWriteItemsRequest,
};
use database::{Database, Error};
use values::{AttributeValue, Item};

use super::append::{self, Element, List, Outcome, Transaction, Work};
use super::ground::Ground;
use crate::workload::Table;

const CLIENTS: u64 = 16;
const TRANSACTIONS_PER_CLIENT: u64 = 150;
/// Lists in use at a time.
const LISTS: u64 = 6;
/// After this many appends the oldest list is left and a new one begun, so that none grows long.
const APPENDS_PER_LIST: u64 = 40;

/// Runs a history and checks it; gives how many transactions were done, refused and unknown, and
/// what is wrong.
pub async fn run(
    ground: &Arc<Ground>,
    seed: u64,
    database: Database,
) -> Result<([u64; 3], Vec<String>), String> {
    let appends = Arc::new(AtomicU64::new(0));
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        let driver = Client {
            database: database.clone(),
            ground: Arc::clone(ground),
            random: crate::chance::random(seed, "appender", client),
            appends: Arc::clone(&appends),
        };
        clients.push(tokio::spawn(driver.run(client)));
    }
    let mut history = Vec::new();
    for client in clients {
        history.extend(client.await.map_err(|error| error.to_string())??);
    }
    let database = ground.reopen(database).map_err(|error| error.to_string())?;
    let lists: Vec<List> =
        (0..=appends.load(Ordering::SeqCst) / APPENDS_PER_LIST + LISTS).collect();
    for some in lists.chunks(25) {
        let called = ground.now();
        let read = read(&database, some).await.map_err(|error| error.to_string())?;
        let (returned, work) = (ground.now(), Work::Read(read));
        history.push(Transaction { called, returned, work, outcome: Outcome::Done });
    }
    let count = |wanted| history.iter().filter(|one| one.outcome == wanted).count() as u64;
    let counts = [Outcome::Done, Outcome::Refused, Outcome::Unknown].map(count);
    let findings = append::check(&history).into_iter().map(|anomaly| match &anomaly {
        append::Anomaly::Cycle(steps) => {
            let part = steps.iter().take(6).map(|(number, _)| &history[*number]);
            format!("{anomaly}: {:?}", part.collect::<Vec<_>>())
        }
        other => other.to_string(),
    });
    Ok((counts, findings.collect()))
}

struct Client {
    database: Database,
    ground: Arc<Ground>,
    random: fastrand::Rng,
    appends: Arc<AtomicU64>,
}

impl Client {
    async fn run(mut self, client: u64) -> Result<Vec<Transaction>, String> {
        let mut history = Vec::new();
        for count in 0..TRANSACTIONS_PER_CLIENT {
            let lists = self.lists();
            let called = self.ground.now();
            let (work, answer) = if self.random.bool() {
                let element = client * 1_000_000 + count * 10;
                let appends: Vec<(List, Element)> = lists.into_iter().zip(element..).collect();
                let answer = write(&self.database, &appends).await;
                self.appends.fetch_add(appends.len() as u64, Ordering::SeqCst);
                (Work::Append(appends), answer)
            } else {
                match read(&self.database, &lists).await {
                    Ok(read) => (Work::Read(read), Ok(())),
                    Err(error) => (Work::Read(Vec::new()), Err(error)),
                }
            };
            let returned = self.ground.now();
            let outcome = match answer {
                Ok(()) => Outcome::Done,
                Err(Error::TransactionCanceled(_) | Error::TransactionConflict) => Outcome::Refused,
                Err(Error::Stopped(_)) => Outcome::Unknown,
                Err(other) => return Err(format!("{work:?} was answered {other:?}")),
            };
            history.push(Transaction { called, returned, work, outcome });
            if outcome == Outcome::Unknown && self.database.stopped().is_some() {
                break;
            }
        }
        Ok(history)
    }

    fn lists(&mut self) -> Vec<List> {
        let first = self.appends.load(Ordering::SeqCst) / APPENDS_PER_LIST;
        let wanted = self.random.usize(2..=4);
        let mut lists = BTreeSet::new();
        while lists.len() < wanted {
            lists.insert(first + self.random.u64(0..LISTS));
        }
        let mut lists: Vec<List> = lists.into_iter().collect();
        self.random.shuffle(&mut lists);
        lists
    }
}

fn key(list: List) -> Item {
    Item::from([("id", AttributeValue::from(format!("list-{list}")))])
}

async fn write(database: &Database, appends: &[(List, Element)]) -> Result<(), Error> {
    let write = |(list, element): &(List, Element)| {
        let new = AttributeValue::L(vec![AttributeValue::N((*element).into())]);
        let values = [(":new".to_owned(), new), (":none".to_owned(), AttributeValue::L(vec![]))];
        let update = "SET elements = list_append(if_not_exists(elements, :none), :new)";
        TransactWrite::Update {
            update_expression: update.to_owned(),
            action: TransactAction {
                table_name: Table::Plain.name().to_owned(),
                key: key(*list),
                expression_attribute_values: Some(values.into()),
                ..TransactAction::default()
            },
        }
    };
    let request = TransactWriteItemsRequest {
        transact_items: appends.iter().map(write).collect(),
        ..TransactWriteItemsRequest::default()
    };
    database.transact_write_items(request).await.map(drop)
}

async fn read(database: &Database, lists: &[List]) -> Result<Vec<(List, Vec<Element>)>, Error> {
    let get = |list: &List| TransactGet {
        table_name: Table::Plain.name().to_owned(),
        key: key(*list),
        ..TransactGet::default()
    };
    let request = TransactGetItemsRequest {
        transact_items: lists.iter().map(get).collect(),
        ..TransactGetItemsRequest::default()
    };
    let answer = database.transact_get_items(request).await?;
    let elements = answer.responses.iter().map(|item| elements_of(item.as_ref()));
    Ok(lists.iter().copied().zip(elements).collect())
}

fn elements_of(item: Option<&Item>) -> Vec<Element> {
    let Some(AttributeValue::L(list)) = item.and_then(|item| item.get("elements")) else {
        return Vec::new();
    };
    let number = |value: &AttributeValue| match value {
        AttributeValue::N(number) => number.to_string().parse().unwrap_or(Element::MAX),
        _ => Element::MAX,
    };
    list.iter().map(number).collect()
}
