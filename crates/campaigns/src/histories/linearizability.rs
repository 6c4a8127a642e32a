//! Is a history of calls on one object linearizable?
//!
//! The search of Wing and Gong with Lowe's memory: take calls in an order that respects real time,
//! step the model, go back when a call that has returned cannot be placed, and never look twice at
//! the same set of placed calls with the same state. A call whose outcome is unknown stays open to
//! the end of the history: it may take effect at any later moment, or never.

use std::collections::HashSet;
use std::hash::Hash;

/// What an object does, one call at a time.
pub trait Model {
    /// What it remembers.
    type State: Clone + Eq + Hash;
    /// What a call asks.
    type Input;
    /// What a call answers.
    type Output;

    /// Before the first call.
    fn start(&self) -> Self::State;

    /// The state after the call, if the call can give this answer in this state. `None` as the
    /// answer is a call nobody heard back from: any answer fits.
    fn step(
        &self,
        state: &Self::State,
        input: &Self::Input,
        output: Option<&Self::Output>,
    ) -> Option<Self::State>;
}

/// One call: from when to when, what it asked and what it answered.
#[derive(Clone, Debug)]
pub struct Call<I, O> {
    /// When it was made.
    pub called: u64,
    /// When it returned and with what; `None` if the outcome is unknown.
    pub returned: Option<(u64, O)>,
    /// What it asked.
    pub input: I,
}

/// The history cannot be put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLinearizable {
    /// The longest order found, as positions in the history.
    pub longest: Vec<usize>,
    /// The call that fits nowhere after it.
    pub stuck: usize,
}

/// Looks for an order of the calls that the model accepts.
pub fn check<M: Model>(
    model: &M,
    calls: &[Call<M::Input, M::Output>],
) -> Result<(), NotLinearizable> {
    Search::new(model, calls).run()
}

/// The events of the history in a list from which calls are lifted and put back.
struct Search<'a, M: Model> {
    model: &'a M,
    calls: &'a [Call<M::Input, M::Output>],
    events: Vec<Event>,
    next: Vec<usize>,
    previous: Vec<usize>,
    /// For each call, where its events stand.
    places: Vec<(usize, Option<usize>)>,
    returns_left: usize,
}

#[derive(Clone, Copy)]
enum Event {
    /// The ends of the list.
    Border,
    Called(usize),
    Returned(usize),
}

const HEAD: usize = 0;

impl<'a, M: Model> Search<'a, M> {
    fn new(model: &'a M, calls: &'a [Call<M::Input, M::Output>]) -> Self {
        let mut timed: Vec<(u64, bool, Event)> = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            timed.push((call.called, false, Event::Called(number)));
            if let Some((when, _)) = &call.returned {
                timed.push((*when, true, Event::Returned(number)));
            }
        }
        // Calls before returns at the same moment: such calls overlap.
        timed.sort_by_key(|(when, is_return, _)| (*when, *is_return));
        let events: Vec<Event> = std::iter::once(Event::Border)
            .chain(timed.into_iter().map(|(_, _, event)| event))
            .chain([Event::Border])
            .collect();
        let mut places = vec![(HEAD, None); calls.len()];
        for (place, event) in events.iter().enumerate() {
            match *event {
                Event::Border => {}
                Event::Called(number) => places[number].0 = place,
                Event::Returned(number) => places[number].1 = Some(place),
            }
        }
        let next = (1..=events.len()).collect();
        let previous = (0..events.len()).map(|place| place.saturating_sub(1)).collect();
        let returns_left = calls.iter().filter(|call| call.returned.is_some()).count();
        Search { model, calls, events, next, previous, places, returns_left }
    }

    fn run(mut self) -> Result<(), NotLinearizable> {
        let mut state = self.model.start();
        let mut placed = Placed::new(self.calls.len());
        let mut seen: HashSet<(Placed, M::State)> = HashSet::new();
        let mut order: Vec<(usize, M::State)> = Vec::new();
        let mut longest = NotLinearizable { longest: Vec::new(), stuck: 0 };
        let mut place = self.next[HEAD];
        while self.returns_left > 0 {
            match self.events[place] {
                Event::Called(number) => {
                    let call = &self.calls[number];
                    let output = call.returned.as_ref().map(|(_, output)| output);
                    let after = self.model.step(&state, &call.input, output);
                    let fresh =
                        after.filter(|after| seen.insert((placed.with(number), after.clone())));
                    match fresh {
                        None => place = self.next[place],
                        Some(after) => {
                            order.push((number, std::mem::replace(&mut state, after)));
                            placed.set(number, true);
                            self.lift(number);
                            place = self.next[HEAD];
                        }
                    }
                }
                Event::Returned(number) => {
                    if order.len() > longest.longest.len() || longest.longest.is_empty() {
                        longest.longest = order.iter().map(|(number, _)| *number).collect();
                        longest.stuck = number;
                    }
                    let Some((last, before)) = order.pop() else { return Err(longest) };
                    state = before;
                    placed.set(last, false);
                    self.put_back(last);
                    place = self.next[self.places[last].0];
                }
                // Every return comes before the end of the list, and one is left.
                Event::Border => return Err(longest),
            }
        }
        Ok(())
    }

    fn lift(&mut self, number: usize) {
        let (called, returned) = self.places[number];
        self.unlink(called);
        if let Some(returned) = returned {
            self.unlink(returned);
            self.returns_left -= 1;
        }
    }

    fn put_back(&mut self, number: usize) {
        let (called, returned) = self.places[number];
        if let Some(returned) = returned {
            self.relink(returned);
            self.returns_left += 1;
        }
        self.relink(called);
    }

    fn unlink(&mut self, place: usize) {
        let (previous, next) = (self.previous[place], self.next[place]);
        self.next[previous] = next;
        self.previous[next] = previous;
    }

    fn relink(&mut self, place: usize) {
        let (previous, next) = (self.previous[place], self.next[place]);
        self.next[previous] = place;
        self.previous[next] = place;
    }
}

/// Which calls have been placed.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Placed(Vec<u64>);

impl Placed {
    fn new(calls: usize) -> Self {
        Placed(vec![0; calls.div_ceil(64)])
    }

    fn set(&mut self, call: usize, is_placed: bool) {
        let bit = 1 << (call % 64);
        if is_placed {
            self.0[call / 64] |= bit;
        } else {
            self.0[call / 64] &= !bit;
        }
    }

    fn with(&self, call: usize) -> Self {
        let mut copy = self.clone();
        copy.set(call, true);
        copy
    }
}
