//! Which part of a list is asked for.

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// How many items at most.
    pub limit: u32,
    /// The token of the page before; none for the first page.
    pub token: Option<String>,
}

impl PageRequest {
    /// The first items.
    pub fn first(limit: u32) -> PageRequest {
        PageRequest { limit, token: None }
    }

    /// The token of the page before.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }
}
