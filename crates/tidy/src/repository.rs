//! The repository's text files, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::Sizes;

/// What is never looked at: not ours, or written by a program.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "Cargo.lock", "corpus"];

/// The folders of a crate that hold Rust source.
const SOURCE_FOLDERS: [&str; 4] = ["src", "tests", "benches", "examples"];

/// A text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path from the repository's root, with forward slashes.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// Every text file that is, or will be, under version control.
#[derive(Debug)]
pub struct Repository {
    files: BTreeMap<String, File>,
}

impl Repository {
    /// Reads the text files under `root`, leaving out what its `.gitignore` names.
    pub fn read(root: &Path) -> io::Result<Self> {
        let ignored = match fs::read_to_string(root.join(".gitignore")) {
            Ok(text) => ignored_paths(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeSet::new(),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(root.join(&folder))? {
                let entry = entry?;
                let name = entry.file_name();
                let path = folder.join(&name);
                let skipped = SKIPPED.iter().any(|skipped| name == *skipped);
                if skipped || ignored.contains(&slashed(&path)) {
                    continue;
                }
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() {
                    files.extend(as_text(fs::read(entry.path())?, &path));
                }
            }
        }
        Ok(Self::from_files(files))
    }

    pub(crate) fn from_files(files: impl IntoIterator<Item = File>) -> Self {
        Self { files: files.into_iter().map(|file| (file.path.clone(), file)).collect() }
    }

    /// The files, ordered by path.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values()
    }

    /// The sizes of the Rust files under `crates/*/src`.
    pub fn source_sizes(&self) -> Sizes {
        Sizes::new(
            self.files()
                .filter(|file| is_rust_in(&file.path, &["src"]))
                .map(|file| (file.text.len(), file.path.clone())),
        )
    }

    /// The folders of the crates, as `crates/name`.
    pub(crate) fn crates(&self) -> BTreeSet<&str> {
        self.files
            .keys()
            .filter_map(|path| {
                let name = path.strip_prefix("crates/")?.split_once('/')?.0;
                Some(&path[.."crates/".len() + name.len()])
            })
            .collect()
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|file| file.text.as_str())
    }

    pub(crate) fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
}

/// Whether the path is a Rust file of a crate: source, test, benchmark or example.
pub(crate) fn is_rust_source(path: &str) -> bool {
    is_rust_in(path, &SOURCE_FOLDERS)
}

fn is_rust_in(path: &str, folders: &[&str]) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("crates")
        && parts.next().is_some()
        && parts.next().is_some_and(|folder| folders.contains(&folder))
        && path.ends_with(".rs")
}

/// The file, unless it is binary.
fn as_text(bytes: Vec<u8>, path: &Path) -> Option<File> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    Some(File { path: slashed(path), text })
}

fn slashed(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The paths from the root that a `.gitignore` names; patterns are beyond this.
fn ignored_paths(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix('/'))
        .map(|path| path.trim_end_matches('/').to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_source_is_found_by_its_place() {
        for path in ["crates/a/src/lib.rs", "crates/a/tests/b/c.rs", "crates/a/examples/d.rs"] {
            assert!(is_rust_source(path), "{path}");
        }
        for path in ["crates/a/build.rs", "src/lib.rs", "crates/a/src/b.txt", "crates/src/a.rs"] {
            assert!(!is_rust_source(path), "{path}");
        }
    }

    #[test]
    fn crates_are_the_folders_with_files_in_them() {
        let paths = ["crates/b/Cargo.toml", "crates/a/src/lib.rs", "crates/x.txt", "README.md"];
        let files = paths.map(|path| File { path: path.to_owned(), text: String::new() });
        let repository = Repository::from_files(files);
        assert_eq!(repository.crates(), BTreeSet::from(["crates/a", "crates/b"]));
    }

    #[test]
    fn only_source_counts_for_the_sizes() {
        let paths = ["crates/a/src/lib.rs", "crates/a/tests/b.rs", "crates/a/src/c.txt"];
        let files = paths.map(|path| File { path: path.to_owned(), text: "abc".to_owned() });
        let sizes = Repository::from_files(files).source_sizes().to_string();
        assert!(sizes.starts_with("1 source files: median 3 bytes"), "{sizes}");
    }

    #[test]
    fn reading_leaves_out_what_is_ignored_or_not_ours() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for path in ["README.md", "a/b/c.txt", "a/target/d", ".git/e", "data/f", "Cargo.lock"] {
            write(path, "text");
        }
        let read = || {
            let repository = Repository::read(root.path()).unwrap();
            repository.files().map(|file| file.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(read(), ["README.md", "a/b/c.txt", "data/f"]);
        write(".gitignore", "/data\n");
        assert_eq!(read(), [".gitignore", "README.md", "a/b/c.txt"]);
    }

    #[test]
    fn a_gitignore_that_cannot_be_read_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(".gitignore")).unwrap();
        assert!(Repository::read(root.path()).is_err());
    }

    #[test]
    fn binary_files_are_left_out() {
        assert!(as_text(vec![0xff, 0xfe], Path::new("a")).is_none());
        assert!(as_text(vec![b'a', 0], Path::new("a")).is_none());
        assert!(as_text(vec![b'a'], Path::new("a")).is_some());
    }

    #[test]
    fn ignored_paths_are_those_from_the_root() {
        let ignored = ignored_paths("/target\n/data/\n# /x\n*.tmp\n\n");
        assert_eq!(ignored, BTreeSet::from(["target".to_owned(), "data".to_owned()]));
    }
}
