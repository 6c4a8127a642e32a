//! An answer to a request, before any HTTP library sees it: what is kept for a repeated request is
//! byte for byte what was sent.

use bytes::Bytes;

/// Status, headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP's status.
    pub status: u16,
    /// Headers in their order; a name may come twice.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// An answer without headers.
    pub fn new(status: u16, body: impl Into<Bytes>) -> Answer {
        Answer { status, headers: Vec::new(), body: body.into() }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Answer {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The first header of this name, in any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}
