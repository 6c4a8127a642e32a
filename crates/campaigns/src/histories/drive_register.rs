//! Sixteen clients on eight hot items, and whether one order explains what they heard.

use std::sync::Arc;

use database::operations::{
    DeleteItemRequest, GetItemRequest, PutItemRequest, QueryRequest, TransactGet,
    TransactGetItemsRequest, UpdateItemRequest,
};
use database::shapes::{ExpressionAttributeValues, ReturnValues};
use database::{Database, Error};
use values::{AttributeValue, Item};

use super::ground::Ground;
use super::linearizability::{Call, NotLinearizable, check};
use super::register::{Answer, Register, Request, Value};
use crate::workload::Table;

const CLIENTS: u64 = 16;
const ITEMS: usize = 8;
const CALLS_PER_CLIENT: u64 = 500;

type RegisterCall = Call<Request, Answer>;

/// What a history was like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Calls that were answered.
    pub answered: u64,
    /// Calls whose outcome is unknown.
    pub unknown: u64,
    /// Conditions that were true, and that were false.
    pub conditions: (u64, u64),
}

/// Runs a history and checks it; gives what is wrong.
pub async fn run(
    ground: &Arc<Ground>,
    seed: u64,
    database: Database,
) -> Result<(Figures, Vec<String>), String> {
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        let driver = Client {
            database: database.clone(),
            ground: Arc::clone(ground),
            random: crate::chance::random(seed, "client", client),
            client,
            seen: [None; ITEMS],
            read_last: None,
        };
        clients.push(tokio::spawn(driver.run()));
    }
    let mut histories: Vec<Vec<RegisterCall>> = vec![Vec::new(); ITEMS];
    for client in clients {
        for (item, call) in client.await.map_err(|error| error.to_string())?? {
            histories[item].push(call);
        }
    }
    let database = ground.reopen(database).map_err(|error| error.to_string())?;
    for (item, history) in histories.iter_mut().enumerate() {
        let called = ground.now();
        let value = read(&database, item, 0).await.map_err(|error| error.to_string())?;
        let returned = Some((ground.now(), Answer::Was(value)));
        history.push(Call { called, returned, input: Request::Read });
    }
    let mut findings = Vec::new();
    for (item, history) in histories.iter().enumerate() {
        if let Err(failure) = check(&Register, history) {
            findings.push(explain(item, history, &failure));
        }
    }
    Ok((figures(&histories), findings))
}

fn explain(item: usize, history: &[RegisterCall], failure: &NotLinearizable) -> String {
    let recent = failure.longest.iter().rev().take(4).rev().map(|call| &history[*call]);
    let recent: Vec<&RegisterCall> = recent.collect();
    format!(
        "item {item} is not linearizable: after {} of {} calls, the last {recent:?}, nothing can \
         explain {:?}",
        failure.longest.len(),
        history.len(),
        history[failure.stuck]
    )
}

fn figures(histories: &[Vec<RegisterCall>]) -> Figures {
    let mut figures = Figures::default();
    for call in histories.iter().flatten() {
        match &call.returned {
            None => figures.unknown += 1,
            Some((_, answer)) => {
                figures.answered += 1;
                figures.conditions.0 += u64::from(*answer == Answer::Done);
                figures.conditions.1 += u64::from(*answer == Answer::ConditionFailed);
            }
        }
    }
    figures
}

struct Client {
    database: Database,
    ground: Arc<Ground>,
    random: fastrand::Rng,
    client: u64,
    /// The last value this client knows of, for each item.
    seen: [Value; ITEMS],
    /// The item it has just read.
    read_last: Option<usize>,
}

impl Client {
    async fn run(mut self) -> Result<Vec<(usize, RegisterCall)>, String> {
        let mut calls = Vec::new();
        for count in 0..CALLS_PER_CLIENT {
            let new = self.client * 1_000_000 + count + 1;
            // Whoever has just read an item tries to change it: else few conditions would hold.
            let (item, input) = match self.read_last.take() {
                Some(item) if self.random.u8(0..10) > 0 => (item, self.follow_up(item, new)),
                _ => {
                    let item = self.random.usize(0..ITEMS);
                    (item, self.next_request(item, new))
                }
            };
            let way = self.random.u8(0..3);
            let called = self.ground.now();
            let answer = send(&self.database, item, input, way).await;
            let now = self.ground.now();
            let returned = match answer {
                Ok(answer) => {
                    self.learn(item, input, answer);
                    Some((now, answer))
                }
                Err(Error::TransactionConflict | Error::TransactionCanceled(_)) => {
                    Some((now, Answer::Refused))
                }
                Err(Error::Stopped(_)) => None,
                Err(other) => return Err(format!("{input:?} was answered {other:?}")),
            };
            let is_over = returned.is_none() && self.database.stopped().is_some();
            calls.push((item, Call { called, returned, input }));
            if is_over {
                break;
            }
        }
        Ok(calls)
    }

    fn next_request(&mut self, item: usize, new: u64) -> Request {
        let expected = self.seen[item].unwrap_or(0);
        match self.random.u8(0..20) {
            0..13 => Request::Read,
            13..15 => Request::Put(new),
            15 => Request::PutIfAbsent(new),
            16 => Request::Replace { expected, new },
            17 => Request::DeleteIf(expected),
            _ => Request::Delete,
        }
    }

    /// What to do with an item that was just read.
    fn follow_up(&mut self, item: usize, new: u64) -> Request {
        match self.seen[item] {
            None => Request::PutIfAbsent(new),
            Some(expected) if self.random.u8(0..6) == 0 => Request::DeleteIf(expected),
            Some(expected) => Request::Replace { expected, new },
        }
    }

    fn learn(&mut self, item: usize, request: Request, answer: Answer) {
        self.read_last = (request == Request::Read).then_some(item);
        self.seen[item] = match (request, answer) {
            (Request::Read, Answer::Was(value)) => value,
            (Request::Put(new), _)
            | (Request::PutIfAbsent(new) | Request::Replace { new, .. }, Answer::Done) => Some(new),
            (Request::Delete, _) | (Request::DeleteIf(_), Answer::Done) => None,
            _ => self.seen[item],
        };
    }
}

fn key(item: usize) -> Item {
    Item::from([("id", AttributeValue::from(format!("hot-{item}")))])
}

fn whole(item: usize, value: u64) -> Item {
    let mut whole = key(item);
    whole.insert("held", AttributeValue::N(value.into()));
    whole
}

fn value_of(item: Option<&Item>) -> Value {
    match item?.get("held")? {
        AttributeValue::N(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn parameter(value: u64) -> ExpressionAttributeValues {
    ExpressionAttributeValues::from([(":expected".to_owned(), AttributeValue::N(value.into()))])
}

async fn send(
    database: &Database,
    item: usize,
    request: Request,
    way: u8,
) -> Result<Answer, Error> {
    match request {
        Request::Read => read(database, item, way).await.map(Answer::Was),
        Request::Put(new) => put(database, item, new, None).await,
        Request::PutIfAbsent(new) => {
            let condition = Some("attribute_not_exists(id)".to_owned());
            conditional(put(database, item, new, condition).await)
        }
        Request::Replace { expected, new } => {
            let mut values = parameter(expected);
            values.insert(":new".to_owned(), AttributeValue::N(new.into()));
            let request = UpdateItemRequest {
                table_name: Table::Plain.name().to_owned(),
                key: key(item),
                update_expression: Some("SET held = :new".to_owned()),
                condition_expression: Some("held = :expected".to_owned()),
                expression_attribute_values: Some(values),
                ..UpdateItemRequest::default()
            };
            conditional(database.update_item(request).await.map(|_| Answer::Done))
        }
        Request::Delete => delete(database, item, None).await,
        Request::DeleteIf(expected) => conditional(delete(database, item, Some(expected)).await),
    }
}

/// With a condition, what was there is not part of the answer.
fn conditional(answer: Result<Answer, Error>) -> Result<Answer, Error> {
    match answer {
        Ok(_) => Ok(Answer::Done),
        Err(Error::ConditionalCheckFailed { .. }) => Ok(Answer::ConditionFailed),
        Err(other) => Err(other),
    }
}

async fn put(
    database: &Database,
    item: usize,
    new: u64,
    condition_expression: Option<String>,
) -> Result<Answer, Error> {
    let request = PutItemRequest {
        table_name: Table::Plain.name().to_owned(),
        item: whole(item, new),
        condition_expression,
        return_values: ReturnValues::AllOld,
        ..PutItemRequest::default()
    };
    let answer = database.put_item(request).await?;
    Ok(Answer::Was(value_of(answer.attributes.as_ref())))
}

async fn delete(database: &Database, item: usize, expected: Option<u64>) -> Result<Answer, Error> {
    let request = DeleteItemRequest {
        table_name: Table::Plain.name().to_owned(),
        key: key(item),
        condition_expression: expected.map(|_| "held = :expected".to_owned()),
        expression_attribute_values: expected.map(parameter),
        return_values: ReturnValues::AllOld,
        ..DeleteItemRequest::default()
    };
    let answer = database.delete_item(request).await?;
    Ok(Answer::Was(value_of(answer.attributes.as_ref())))
}

/// A consistent read, in one of three ways.
async fn read(database: &Database, item: usize, way: u8) -> Result<Value, Error> {
    let table_name = Table::Plain.name().to_owned();
    match way {
        0 => {
            let request = GetItemRequest {
                table_name,
                key: key(item),
                consistent_read: true,
                ..GetItemRequest::default()
            };
            Ok(value_of(database.get_item(request).await?.item.as_ref()))
        }
        1 => {
            let id = AttributeValue::from(format!("hot-{item}"));
            let request = QueryRequest {
                table_name,
                key_condition_expression: Some("id = :id".to_owned()),
                expression_attribute_values: Some([(":id".to_owned(), id)].into()),
                consistent_read: true,
                ..QueryRequest::default()
            };
            let items = database.query(request).await?.items.unwrap_or_default();
            Ok(value_of(items.first()))
        }
        _ => {
            let get = TransactGet { table_name, key: key(item), ..TransactGet::default() };
            let request =
                TransactGetItemsRequest { transact_items: vec![get], ..Default::default() };
            let answer = database.transact_get_items(request).await?;
            Ok(value_of(answer.responses.first().and_then(Option::as_ref)))
        }
    }
}
