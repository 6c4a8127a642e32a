//! How far each list of due tasks was looked through.

use std::collections::VecDeque;

use kernel::moment::Moment;

/// A list of due tasks.
pub(crate) struct List {
    /// Its number.
    pub number: usize,
    /// Where a look stopped for want of room; absent if the next one begins at the start.
    pub position: Option<Position>,
}

/// The beginning of a page.
pub(crate) struct Position {
    /// The time that the list was asked for: the token belongs to it.
    pub now: Moment,
    pub token: String,
}

/// All lists, the next one to look through first.
pub(crate) type Lists = VecDeque<List>;

/// Every list from its start, beginning with this one.
pub(crate) fn lists(count: usize, first: usize) -> Lists {
    let mut lists: Lists = (0..count).map(|number| List { number, position: None }).collect();
    if count > 0 {
        lists.rotate_left(first % count);
    }
    lists
}
