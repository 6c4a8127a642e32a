//! Files that are made from the documents.

use std::path::{Path, PathBuf};

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Its path under the output folder, with `/` between the parts.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl OutputFile {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> OutputFile {
        OutputFile { path: path.into(), text: text.into() }
    }

    /// Writes it into a folder, and says where it is.
    pub fn write(&self, folder: &Path) -> std::io::Result<PathBuf> {
        let path = folder.join(&self.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, &self.text)?;
        Ok(path)
    }
}

/// `users-accounts` as `UsersAccounts`, for names that may hold letters and digits only.
pub(crate) fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    words.map(capital).collect()
}

/// `users-accounts` as `users_accounts`, for names that may hold no hyphen.
pub(crate) fn snake(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect()
}
