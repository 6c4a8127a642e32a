//! Versions of items: which one a caller has read, and whether it is still the one.

use crate::error::{Error, PRECONDITION_FAILED};

/// The versions that a change may start from, as the caller demands (If-Match).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Any: the caller demands nothing.
    #[default]
    Any,
    /// One of these.
    OneOf(Vec<u64>),
}

impl ExpectedVersion {
    /// Refuses a version that is not expected (412).
    pub fn check(&self, version: u64) -> Result<(), Error> {
        match self {
            ExpectedVersion::OneOf(versions) if !versions.contains(&version) => {
                let message = "It has been changed since it was read: read it again, then repeat";
                Err(Error::new(PRECONDITION_FAILED, message).detail("currentETag", etag(version)))
            }
            _ => Ok(()),
        }
    }

    /// The version, if exactly one is expected: for a condition of the write, which holds even if
    /// another request writes between check and write.
    pub fn only(&self) -> Option<u64> {
        match self {
            ExpectedVersion::OneOf(versions) if versions.len() == 1 => versions.first().copied(),
            _ => None,
        }
    }
}

/// The ETag of a version: `"v7"`.
pub fn etag(version: u64) -> String {
    format!("\"v{version}\"")
}

/// The version of an ETag; none if it is no tag of ours, or a weak one, which never matches.
pub fn version_of(etag: &str) -> Option<u64> {
    etag.strip_prefix("\"v")?.strip_suffix('"')?.parse().ok()
}
