//! Opening: what is refused, with which words, and that nothing acknowledged is missing afterwards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use database::operations::*;
use database::shapes::*;
use database::storage::fjall::FjallOptions;
use database::{Database, OpenError, Options};
use serde_json::json;

use crate::items_world::{item, wait};

fn options(folder: &Path) -> Options {
    let mut options = Options::folder(folder);
    options.background_work = false;
    options.reserved_disk_bytes = 0;
    options.engine = FjallOptions { cache_bytes: 1 << 20, ..FjallOptions::default() };
    options
}

fn fill(database: &Database, from: u32, to: u32) {
    let table = CreateTableRequest {
        table_name: "things".to_owned(),
        attribute_definitions: vec![AttributeDefinition {
            attribute_name: "pk".to_owned(),
            attribute_type: ScalarAttributeType::S,
        }],
        key_schema: vec![KeySchemaElement {
            attribute_name: "pk".to_owned(),
            key_type: KeyType::Hash,
        }],
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableRequest::default()
    };
    if from == 0 {
        wait(database.create_table(table)).unwrap();
    }
    for number in from..to {
        let request = PutItemRequest {
            table_name: "things".to_owned(),
            item: item(json!({"pk": {"S": number.to_string()}})),
            ..PutItemRequest::default()
        };
        wait(database.put_item(request)).unwrap();
    }
}

fn count(database: &Database) -> u64 {
    let request = ScanRequest { table_name: "things".to_owned(), ..ScanRequest::default() };
    wait(database.scan(request)).unwrap().count
}

#[test]
fn what_was_written_is_there_after_closing_and_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 50);
    database.close();
    let database = Database::open(options(folder.path())).unwrap();
    assert_eq!(count(&database), 50);
    fill(&database, 50, 60);
    let (commits, head) = database.verify_log(|_| {}).unwrap();
    assert_eq!((commits, head.sequence), (61, 61));
}

#[test]
fn a_closed_database_answers_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 1);
    let other = database.clone();
    database.close();
    let request = PutItemRequest {
        table_name: "things".to_owned(),
        item: item(json!({"pk": {"S": "x"}})),
        ..PutItemRequest::default()
    };
    assert_eq!(
        wait(other.put_item(request)).unwrap_err().to_string(),
        "The database has been closed"
    );
}

#[test]
fn a_second_process_on_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _open = Database::open(options(folder.path())).unwrap();
    let error = Database::open(options(folder.path())).err().unwrap();
    assert!(matches!(error, OpenError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("Stop it first"), "{error}");
}

#[test]
fn a_newer_format_and_a_foreign_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("format"), "plinth database, format 7\n").unwrap();
    let error = Database::open(options(folder.path())).err().unwrap();
    assert!(matches!(error, OpenError::OtherFormat { found: 7 }), "{error}");
    for other in [&b"something else"[..], b"\xFF\xFE"] {
        std::fs::write(folder.path().join("format"), other).unwrap();
        let error = Database::open(options(folder.path())).err().unwrap();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
    }

    let foreign = tempfile::tempdir().unwrap();
    std::fs::write(foreign.path().join("holiday.jpg"), "x").unwrap();
    let error = Database::open(options(foreign.path())).err().unwrap();
    assert!(matches!(error, OpenError::NotADatabase { .. }), "{error}");
}

/// A disk that is nearly full takes no writes, but is read, and takes writes again once it has room.
#[test]
fn a_nearly_full_disk_refuses_writes_and_goes_on_reading() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 3);
    database.close();
    let mut full = options(folder.path());
    full.reserved_disk_bytes = u64::MAX;
    let database = Database::open(full).unwrap();
    let request = PutItemRequest {
        table_name: "things".to_owned(),
        item: item(json!({"pk": {"S": "x"}})),
        ..PutItemRequest::default()
    };
    let error = wait(database.put_item(request)).unwrap_err();
    assert_eq!(error.code(), "ThrottlingException");
    assert_eq!(database.writes_refused(), Some(error.to_string()));
    assert!(error.to_string().contains("Free some space"), "{error}");
    assert_eq!(count(&database), 3);
    database.close();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 3, 4);
    assert_eq!(count(&database), 4);
    assert_eq!(database.writes_refused(), None);
}

/// A watermark that lost its notes would let a shorter log pass.
#[test]
fn an_empty_watermark_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 3);
    database.close();
    std::fs::write(folder.path().join("watermark"), b"").unwrap();
    let error = Database::open(options(folder.path())).err().unwrap();
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("watermark` is empty"), "{error}");
}

/// What is damaged in a table of items or of an index is found without anybody asking for the item.
#[test]
fn everything_can_be_read_or_damage_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 200);
    database.close();
    let whole = Database::open(options(folder.path())).unwrap();
    assert!(whole.verify_entries(|_| {}).unwrap() > 200);
    whole.close();
    // The key space of the items: see `docs/format.md`.
    let tables = folder.path().join("storage/keyspaces/2/tables");
    let table = std::fs::read_dir(tables).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(&table, bytes).unwrap();
    let damaged = Database::open(options(folder.path())).unwrap();
    assert!(damaged.verify_log(|_| {}).is_ok());
    let error = damaged.verify_entries(|_| {}).unwrap_err().to_string();
    assert!(error.contains("the key space `items` cannot be read"), "{error}");
}

/// The storage engine drops a damaged tail of its journal without a word. The watermark notices.
#[test]
fn a_database_that_became_shorter_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 20);
    // A copy of the open folder is what a kill leaves; its journal holds everything.
    let copy = tempfile::tempdir().unwrap();
    copy_folder(folder.path(), copy.path());
    drop(database);
    assert_eq!(count(&Database::open(options(copy.path())).unwrap()), 20);

    let folder_again = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder_again.path())).unwrap();
    fill(&database, 0, 20);
    let copy = tempfile::tempdir().unwrap();
    copy_folder(folder_again.path(), copy.path());
    drop(database);
    damage_journal(&copy.path().join("storage"));
    let error = Database::open(options(copy.path())).err().unwrap();
    assert!(matches!(error, OpenError::Shorter { expected: 21, found } if found < 21), "{error}");
    assert!(error.to_string().contains("restore from a backup"), "{error}");
}

/// What a journal has lost may lie in tables as well, as after closing. Then nothing is lost, and the
/// database goes on, also after it has been written to.
#[test]
fn damage_in_a_journal_that_is_not_needed_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 20);
    database.close();
    drop(database);
    damage_journal(&folder.path().join("storage"));
    for number in 20..23 {
        let database = Database::open(options(folder.path())).unwrap();
        assert_eq!(count(&database), u64::from(number));
        fill(&database, number, number + 1);
        // As after a kill: the journal is needed.
        let killed = tempfile::tempdir().unwrap();
        copy_folder(folder.path(), killed.path());
        assert_eq!(count(&Database::open(options(killed.path())).unwrap()), u64::from(number) + 1);
        database.close();
    }
}

/// Without its journal the engine takes a folder for a new one: it is refused, now and later.
#[test]
fn a_missing_journal_is_refused_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(options(folder.path())).unwrap();
    fill(&database, 0, 20);
    database.close();
    drop(database);
    std::fs::remove_file(journals(&folder.path().join("storage")).remove(0)).unwrap();
    for _ in 0..2 {
        let error = Database::open(options(folder.path())).err().unwrap();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("has no journal"), "{error}");
    }
}

/// The engine writes its key spaces to tables one by one. With the log in a table and the rest only
/// in the journal, a journal that is lost takes items with it while the log still reaches the
/// watermark.
#[test]
fn a_key_space_that_lags_behind_the_log_is_noticed() {
    for lagging in ["meta", "items"] {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(options(folder.path())).unwrap();
        fill(&database, 0, 20);
        let killed = tempfile::tempdir().unwrap();
        copy_folder(folder.path(), killed.path());
        database.close();
        let storage = killed.path().join("storage");
        flush_all_but(&storage, lagging);
        empty_journal(&storage);
        let error = Database::open(options(killed.path())).err().unwrap();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains(&format!("`{lagging}`")), "{error}");
    }
}

fn flush_all_but(storage: &Path, lagging: &str) {
    let engine = fjall::Database::builder(storage).open().unwrap();
    for name in ["meta", "items", "index", "log"].into_iter().filter(|name| *name != lagging) {
        let space = engine.keyspace(name, fjall::KeyspaceCreateOptions::default).unwrap();
        space.rotate_memtable_and_wait().unwrap();
    }
}

fn journals(storage: &Path) -> Vec<std::path::PathBuf> {
    let names = std::fs::read_dir(storage).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|end| end == "jnl")).collect()
}

fn empty_journal(storage: &Path) {
    for journal in journals(storage) {
        std::fs::File::options().write(true).open(journal).unwrap().set_len(0).unwrap();
    }
}

/// Flips one bit in the middle of what the journal holds.
fn damage_journal(storage: &Path) {
    let journal = journals(storage).remove(0);
    let mut bytes = std::fs::read(&journal).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[used / 2] ^= 0x10;
    std::fs::write(&journal, bytes).unwrap();
}

/// A copy as a kill at one moment would leave it. The engine may be merging in the background, so the
/// copy is made again if anything has changed meanwhile.
fn copy_folder(from: &Path, to: &Path) {
    for attempt in 0.. {
        assert!(attempt < 100, "`{}` does not come to rest", from.display());
        let before = files(from);
        let copied = copy_files(from, to);
        if copied.is_ok() && before.is_ok_and(|before| files(from).is_ok_and(|now| now == before)) {
            return;
        }
        std::fs::remove_dir_all(to).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_files(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Every file with its length and the time of its last change.
fn files(folder: &Path) -> std::io::Result<BTreeMap<PathBuf, (u64, SystemTime)>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            all.extend(files(&entry.path())?);
        } else {
            let about = entry.metadata()?;
            all.insert(entry.path(), (about.len(), about.modified()?));
        }
    }
    Ok(all)
}
