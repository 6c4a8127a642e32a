//! The repository keeps the house rules; every violation is reported at once.

use std::path::Path;

use tidy::Repository;

#[test]
fn the_repository_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = Repository::read(&root).unwrap();
    println!("{}", repository.source_sizes());

    let violations = tidy::check(&repository);
    let report: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(report.is_empty(), "{} violations:\n{}", report.len(), report.join("\n"));
}

/// Guards against a walk that finds nothing, over which every rule holds.
#[test]
fn the_repository_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = Repository::read(&root).unwrap();
    let paths: Vec<&str> = repository.files().map(|file| file.path.as_str()).collect();
    for path in ["Cargo.toml", "README.md", "test", ".ci/run", "crates/tidy/tests/tidy.rs"] {
        assert!(paths.contains(&path), "{path} was not read");
    }
}
