//! The documents in `tables/` are whole, and the binary holds exactly them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::path::Path;

use tables::Documents;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tables"))
}

fn documents() -> Documents {
    let documents = Documents::folder(folder());
    let problems = documents.as_ref().err().into_iter().flatten();
    let lines: Vec<_> = problems.map(ToString::to_string).collect();
    assert_eq!(lines, Vec::<String>::new());
    documents.unwrap()
}

/// R000-4.1.2-1, R001-general-1, R002-5.1-1, R003-table-1, R004-tables-1: thirty tables.
#[test]
fn thirty_tables_in_five_systems_are_without_a_problem() {
    let documents = documents();
    assert_eq!(documents.warnings, []);
    let count = |system: &str| documents.tables_of(system).count();
    let counts = ["storefront", "listbackup", "tenancy", "platform", "popcorn"].map(count);
    assert_eq!(counts, [3, 13, 1, 5, 8]);
    let indexes: usize = documents.tables.iter().map(|table| table.indexes().count()).sum();
    assert!(indexes > 50, "{indexes} indexes");
    let patterns: usize = documents.tables.iter().map(|table| table.access_patterns.len()).sum();
    assert!(patterns > 90, "{patterns} access patterns");
}

#[test]
fn the_binary_holds_the_documents_of_the_folder() {
    let inside = Documents::embedded().unwrap();
    let outside = documents();
    assert_eq!(format!("{:?}", inside.tables), format!("{:?}", outside.tables));
    assert_eq!(format!("{:?}", inside.systems), format!("{:?}", outside.systems));
}

/// CX-04: two systems have a table of the same logical name; their prefixes tell them apart.
#[test]
fn a_name_finds_its_tables() {
    let documents = documents();
    let found = |name: &str| documents.find(name).len();
    assert_eq!((found("campaigns"), found("storefront/campaigns"), found("popcorn")), (2, 1, 8));
    assert_eq!(found("nothing"), 0);
}

#[test]
fn a_folder_without_documents_is_refused() {
    let empty = tempfile::tempdir().unwrap();
    for folder in [empty.path(), &empty.path().join("missing")] {
        let problems = Documents::folder(folder).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
