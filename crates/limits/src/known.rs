//! What an instance knows of limits without asking: windows as last seen, blocks that it took and may
//! spend, and refusals that hold until there is room again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kernel::moment::Moment;

use super::turn::Turn;
use super::window::{Rule, Window};

/// How many limits are remembered. Forgetting one costs a write, or what is left of a block.
const REMEMBERED_MAX: usize = 100_000;
/// A block is no more than this part of the room that was seen, unless the policy wants more: of
/// several instances that each hold one back, none keeps the others from much.
const BLOCKS_IN_ROOM: u64 = 64;
/// A refusal is believed no longer than this, so that every instance soon sees that somebody was
/// forgiven.
const BELIEVED: Duration = Duration::from_secs(5);

/// What is known, by policy and subject.
#[derive(Default)]
pub(super) struct Known(Mutex<HashMap<[String; 2], Entry>>);

/// What is known of one limit.
#[derive(Clone, Default)]
pub(super) struct Entry {
    pub window: Option<Window>,
    pub arrival_us: Option<u64>,
    refused: Option<Refused>,
    block: Option<Block>,
    turn: Arc<Turn>,
}

/// A refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub cost: u64,
    pub limit: u64,
    pub remaining: u64,
    /// When there is room; none if never.
    pub room_at: Option<Moment>,
    pub believed_until: Moment,
}

#[derive(Clone, Copy)]
struct Block {
    /// How much was taken.
    size: u64,
    left: u64,
    /// The last part in which it may be spent.
    last_part: u64,
}

impl Known {
    pub fn get(&self, key: &[String; 2]) -> Entry {
        self.with(|known| known.get(key).cloned()).unwrap_or_default()
    }

    /// A refusal that holds for a request now.
    pub fn refused(
        &self,
        key: &[String; 2],
        now: Moment,
        cost: u64,
        limit: u64,
    ) -> Option<Refused> {
        let refused = self.with(|known| known.get(key)?.refused)?;
        let holds = cost >= refused.cost && limit == refused.limit && now < refused.believed_until;
        holds.then_some(refused)
    }

    pub fn refuse(&self, key: &[String; 2], now: Moment, mut refused: Refused) {
        let longest = now.after(BELIEVED);
        refused.believed_until = refused.room_at.map_or(longest, |at| at.min(longest));
        self.change(key, |entry| entry.refused = Some(refused));
    }

    pub fn saw_window(&self, key: &[String; 2], window: Window) {
        self.change(key, |entry| entry.window = Some(window));
    }

    pub fn saw_arrival(&self, key: &[String; 2], arrival_us: u64) {
        self.change(key, |entry| entry.arrival_us = Some(arrival_us));
    }

    /// Keeps what is left of a block of this size. There is one at most: of two the one with more left,
    /// so that what every instance can hold back is bounded.
    pub fn keep(&self, key: &[String; 2], size: u64, left: u64, last_part: u64) {
        self.change(key, |entry| {
            let larger =
                entry.block.filter(|block| block.last_part >= last_part && block.left > left);
            entry.block = Some(larger.unwrap_or(Block { size, left, last_part }));
        });
    }

    /// How large the next block should be. One that was spent in the part it was taken in was too
    /// small, and one that was not needed for a whole part may have been too large. Near the limit it
    /// is the least.
    pub fn next_block(&self, key: &[String; 2], rule: &Rule, least: u64, now: Moment) -> u64 {
        let part = rule.part(now);
        let wanted = self.with(|known| {
            let Entry { window, block, .. } = known.get(key)?;
            let wanted = match block.as_ref()? {
                block if block.last_part > part => block.size.saturating_mul(2),
                block if block.last_part == part => block.size,
                _ => return None,
            };
            let room = window.as_ref()?.at(rule, part).room(rule);
            Some(wanted.min(room / BLOCKS_IN_ROOM))
        });
        wanted.unwrap_or(least).max(least)
    }

    /// Spends from the block, if there is one that may still be spent; gives how much more there is, in
    /// it and beside it, and when some of what is used becomes free.
    pub fn spend(
        &self,
        key: &[String; 2],
        rule: &Rule,
        cost: u64,
        now: Moment,
    ) -> Option<(u64, Moment)> {
        self.with(|known| {
            let Entry { window, block, .. } = known.get_mut(key)?;
            let block = block.as_mut().filter(|block| rule.part(now) <= block.last_part)?;
            block.left = block.left.checked_sub(cost)?;
            let room = window.as_ref().map_or(0, |window| window.room(rule));
            let reset = window.as_ref().map_or(now, |window| window.next_room_at(rule));
            Some((room + block.left, reset))
        })
    }

    /// Where those wait who want a block.
    pub fn turn(&self, key: &[String; 2]) -> Arc<Turn> {
        let mut turn = None;
        self.change(key, |entry| turn = Some(Arc::clone(&entry.turn)));
        turn.unwrap_or_default()
    }

    pub fn forget(&self, key: &[String; 2]) {
        self.with(|known| known.remove(key));
    }

    fn change(&self, key: &[String; 2], change: impl FnOnce(&mut Entry)) {
        self.with(|known| {
            if known.len() >= REMEMBERED_MAX && !known.contains_key(key) {
                known.clear();
            }
            change(known.entry(key.clone()).or_default());
        });
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut HashMap<[String; 2], Entry>) -> T) -> T {
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
