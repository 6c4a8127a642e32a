//! Opens a database and reads everything, part by part; a hidden subcommand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use database::operations::{DescribeTableRequest, GetItemRequest};
use database::{Database, Error, Options};
use serde::{Deserialize, Serialize};
use values::Item;
use xxhash_rust::xxh3::xxh3_64;

use super::ITEMS_PER_TABLE;
use crate::verify::{Observed, read_stream, scan};
use crate::workload::{ItemName, Table};

/// What to read.
#[derive(Args, Clone, Debug)]
pub struct ProbeArguments {
    /// The database.
    #[arg(long)]
    data: PathBuf,
}

/// What reading one part gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Part {
    /// So many things with this digest.
    Read { count: u64, digest: u64 },
    /// An error.
    Failed(String),
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Probe {
    /// Why it does not open.
    pub(super) refused: Option<String>,
    /// Each part.
    pub(super) parts: BTreeMap<String, Part>,
}

/// Reads everything and prints what was found.
pub fn run(arguments: &ProbeArguments) -> std::io::Result<ExitCode> {
    let mut options = Options::folder(&arguments.data);
    options.background_work = false;
    let mut probe = Probe::default();
    match Database::open(options) {
        Err(error) => probe.refused = Some(error.to_string()),
        Ok(database) => {
            let runtime = tokio::runtime::Builder::new_current_thread().build()?;
            runtime.block_on(read_parts(&database, &mut probe.parts));
            database.close();
        }
    }
    println!("{}", serde_json::to_string(&probe)?);
    Ok(ExitCode::SUCCESS)
}

async fn read_parts(database: &Database, parts: &mut BTreeMap<String, Part>) {
    let log = match database.verify_log(|_| {}) {
        Ok((count, head)) => Part::Read { count, digest: xxh3_64(&head.hash) },
        Err(error) => Part::Failed(error.to_string()),
    };
    parts.insert("log".to_owned(), log);
    for table in Table::ALL {
        let items = scan(database, table, None).await;
        parts.insert(format!("items of {}", table.name()), part(items));
        let single = point_reads(database, table).await;
        parts.insert(format!("point reads of {}", table.name()), part(single));
        for index in table.indexes() {
            let entries = scan(database, table, Some(index.name)).await;
            parts.insert(format!("index {}", index.name), part(entries));
        }
        let request = DescribeTableRequest { table_name: table.name().to_owned() };
        let described = database.describe_table(request).await;
        let stream =
            described.as_ref().ok().and_then(|answer| answer.table.latest_stream_arn.clone());
        let counts = described.map(|answer| vec![(answer.table.item_count, answer.table)]);
        parts.insert(format!("description of {}", table.name()), part(counts));
        if table.has_stream() {
            let mut observed = Observed::default();
            let stream = stream.unwrap_or_default();
            let read = read_stream(database, table, &stream, &mut observed).await;
            let changes = read.map(|()| observed.changes);
            parts.insert(format!("stream of {}", table.name()), part(changes));
        }
    }
}

/// Reads item by item: another way through the storage engine than a scan, with filters.
async fn point_reads(database: &Database, table: Table) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    for number in 0..ITEMS_PER_TABLE {
        let request = GetItemRequest {
            table_name: table.name().to_owned(),
            key: ItemName { table, number }.key(),
            ..GetItemRequest::default()
        };
        items.extend(database.get_item(request).await?.item);
    }
    Ok(items)
}

fn part<T: std::fmt::Debug>(read: Result<Vec<T>, Error>) -> Part {
    match read {
        Ok(things) => {
            let digest = xxh3_64(format!("{things:?}").as_bytes());
            Part::Read { count: things.len() as u64, digest }
        }
        Err(error) => Part::Failed(error.to_string()),
    }
}
