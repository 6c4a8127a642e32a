//! Transfers between accounts: whoever reads all of them at once sees the same sum.

use std::sync::Arc;

use database::operations::{
    PutItemRequest, TransactAction, TransactGet, TransactGetItemsRequest, TransactWrite,
    TransactWriteItemsRequest,
};
use database::{Database, Error};
use values::{AttributeValue, Item};

use super::ground::Ground;
use crate::workload::Table;

const CLIENTS: u64 = 16;
const ACCOUNTS: usize = 20;
const START: i64 = 100;
const CALLS_PER_CLIENT: u64 = 150;

/// Runs the bank; gives how many transfers and reads were done, and what is wrong.
pub async fn run(
    ground: &Arc<Ground>,
    seed: u64,
    database: Database,
) -> Result<([u64; 2], Vec<String>), String> {
    for account in 0..ACCOUNTS {
        let mut item = key(account);
        item.insert("balance", AttributeValue::from(START));
        let table_name = Table::Plain.name().to_owned();
        let request = PutItemRequest { table_name, item, ..PutItemRequest::default() };
        match database.put_item(request).await {
            Ok(_) => {}
            // The planted failure came early; there is nothing to see then.
            Err(Error::Stopped(_)) => return Ok(([0; 2], Vec::new())),
            Err(error) => return Err(error.to_string()),
        }
    }
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        let random = crate::chance::random(seed, "banker", client);
        clients.push(tokio::spawn(serve(database.clone(), random)));
    }
    let (mut counts, mut findings) = ([0; 2], Vec::new());
    for client in clients {
        let (count, found) = client.await.map_err(|error| error.to_string())??;
        counts = [counts[0] + count[0], counts[1] + count[1]];
        findings.extend(found);
    }
    let database = ground.reopen(database).map_err(|error| error.to_string())?;
    let balances = read(&database).await.map_err(|error| error.to_string())?;
    findings.extend(judge(&balances));
    Ok((counts, findings))
}

async fn serve(
    database: Database,
    mut random: fastrand::Rng,
) -> Result<([u64; 2], Vec<String>), String> {
    let (mut counts, mut findings) = ([0; 2], Vec::new());
    for _ in 0..CALLS_PER_CLIENT {
        let answer = if random.u8(0..10) == 0 {
            read(&database).await.map(|balances| {
                counts[1] += 1;
                findings.extend(judge(&balances));
            })
        } else {
            let from = random.usize(0..ACCOUNTS);
            let to = (from + random.usize(1..ACCOUNTS)) % ACCOUNTS;
            let amount = random.i64(1..30);
            transfer(&database, from, to, amount).await.map(|()| counts[0] += 1)
        };
        match answer {
            Ok(()) | Err(Error::TransactionCanceled(_) | Error::TransactionConflict) => {}
            Err(Error::Stopped(_)) if database.stopped().is_some() => break,
            Err(Error::Stopped(_)) => {}
            Err(other) => return Err(format!("a transfer was answered {other:?}")),
        }
    }
    Ok((counts, findings))
}

fn judge(balances: &[i64]) -> Option<String> {
    let sum: i64 = balances.iter().sum();
    let is_right = sum == START * ACCOUNTS as i64 && balances.iter().all(|balance| *balance >= 0);
    (!is_right).then(|| format!("the accounts hold {balances:?}, together {sum}"))
}

fn key(account: usize) -> Item {
    Item::from([("id", AttributeValue::from(format!("account-{account}")))])
}

async fn transfer(database: &Database, from: usize, to: usize, amount: i64) -> Result<(), Error> {
    let part = |account, update: &str, condition: Option<&str>| TransactWrite::Update {
        update_expression: update.to_owned(),
        action: TransactAction {
            table_name: Table::Plain.name().to_owned(),
            key: key(account),
            condition_expression: condition.map(str::to_owned),
            expression_attribute_values: Some(
                [(":amount".to_owned(), AttributeValue::from(amount))].into(),
            ),
            ..TransactAction::default()
        },
    };
    let request = TransactWriteItemsRequest {
        transact_items: vec![
            part(from, "SET balance = balance - :amount", Some("balance >= :amount")),
            part(to, "SET balance = balance + :amount", None),
        ],
        ..TransactWriteItemsRequest::default()
    };
    database.transact_write_items(request).await.map(drop)
}

async fn read(database: &Database) -> Result<Vec<i64>, Error> {
    let get = |account| TransactGet {
        table_name: Table::Plain.name().to_owned(),
        key: key(account),
        ..TransactGet::default()
    };
    let request = TransactGetItemsRequest {
        transact_items: (0..ACCOUNTS).map(get).collect(),
        ..TransactGetItemsRequest::default()
    };
    let answer = database.transact_get_items(request).await?;
    let balance = |item: &Option<Item>| match item.as_ref().and_then(|item| item.get("balance")) {
        Some(AttributeValue::N(number)) => number.to_i64().unwrap_or(i64::MIN / 100),
        _ => i64::MIN / 100,
    };
    Ok(answer.responses.iter().map(balance).collect())
}
