//! Is a history of transactions strictly serializable? Lists that are only ever appended to show it.
//!
//! A read of a list shows every append before it, in order. So the reads give the order of the
//! appends to each list, and from it follow the dependencies between transactions: *ww* (append
//! after append), *wr* (read after the append it saw last), *rw* (append after a read that did not
//! see it), and *rt* (called after the other had returned). A cycle among them is an anomaly; no
//! serial order explains it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use super::cycles::Graph;

/// A list's name.
pub type List = u64;
/// An element. No two appends share one.
pub type Element = u64;

/// What a transaction did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Appended one element to each of these lists.
    Append(Vec<(List, Element)>),
    /// Read these lists as of one moment.
    Read(Vec<(List, Vec<Element>)>),
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Done,
    /// It did not happen.
    Refused,
    /// Nobody knows.
    Unknown,
}

/// One transaction as its client saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// When it was sent.
    pub called: u64,
    /// When its answer came; irrelevant if the outcome is unknown.
    pub returned: u64,
    /// What it did.
    pub work: Work,
    /// How it ended.
    pub outcome: Outcome,
}

/// Why one transaction must come before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// It appended to the list before.
    WriteWrite(List),
    /// The other saw its append.
    WriteRead(List),
    /// It did not see the other's append.
    ReadWrite(List),
    /// It had returned before the other was called.
    RealTime,
}

/// What no strictly serializable database shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anomaly {
    /// An element stands in a list twice.
    Twice(List, Element),
    /// An element that nobody appended to the list.
    FromNowhere(List, Element),
    /// An element of a transaction that was refused.
    FromRefused(List, Element),
    /// Two reads of a list of which neither starts with the other.
    Diverging(List),
    /// An append that had returned is missing from a later read.
    Lost(List, Element),
    /// Transactions, by position, that would each have to come before the next.
    Cycle(Vec<(usize, Dependency)>),
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Anomaly::Twice(list, element) => write!(f, "element {element} is in list {list} twice"),
            Anomaly::FromNowhere(list, element) => {
                write!(f, "element {element} in list {list} was never appended to it")
            }
            Anomaly::FromRefused(list, element) => {
                write!(f, "element {element} in list {list} is of a refused transaction")
            }
            Anomaly::Diverging(list) => write!(f, "two reads of list {list} disagree"),
            Anomaly::Lost(list, element) => {
                write!(f, "element {element} of list {list} was acknowledged and is lost")
            }
            Anomaly::Cycle(steps) => {
                f.write_str("a cycle of transactions:")?;
                steps
                    .iter()
                    .try_for_each(|(node, dependency)| write!(f, " {node} -{dependency:?}->"))
            }
        }
    }
}

/// Everything that is wrong with a history.
pub fn check(history: &[Transaction]) -> Vec<Anomaly> {
    let appends = Appends::of(history);
    let mut anomalies = Vec::new();
    for (list, element) in appends.read_elements(history) {
        match appends.by_element.get(&(list, element)) {
            None => anomalies.push(Anomaly::FromNowhere(list, element)),
            Some(number) if history[*number].outcome == Outcome::Refused => {
                anomalies.push(Anomaly::FromRefused(list, element));
            }
            Some(_) => {}
        }
    }
    let orders = appends.orders(history, &mut anomalies);
    appends.find_lost(history, &orders, &mut anomalies);
    if anomalies.is_empty()
        && let Some(cycle) = dependencies(history, &appends, &orders).cycle()
    {
        anomalies.push(Anomaly::Cycle(cycle));
    }
    anomalies
}

type Orders = BTreeMap<List, Vec<Element>>;

struct Appends {
    by_element: HashMap<(List, Element), usize>,
}

impl Appends {
    fn of(history: &[Transaction]) -> Appends {
        let mut by_element = HashMap::new();
        for (number, transaction) in history.iter().enumerate() {
            if let Work::Append(appends) = &transaction.work {
                by_element.extend(appends.iter().map(|append| (*append, number)));
            }
        }
        Appends { by_element }
    }

    fn read_elements(&self, history: &[Transaction]) -> BTreeSet<(List, Element)> {
        let lists = reads(history).flat_map(|(_, lists)| lists);
        lists.flat_map(|(list, elements)| elements.iter().map(|e| (*list, *e))).collect()
    }

    /// The longest read of each list, which all others must be a start of.
    fn orders(&self, history: &[Transaction], anomalies: &mut Vec<Anomaly>) -> Orders {
        let mut orders = Orders::new();
        for (list, elements) in reads(history).flat_map(|(_, lists)| lists) {
            let longest = orders.entry(*list).or_default();
            if elements.len() > longest.len() {
                longest.clone_from(elements);
            }
        }
        for (list, order) in &orders {
            let mut seen = BTreeSet::new();
            let twice = order.iter().filter(|element| !seen.insert(**element));
            anomalies.extend(twice.map(|element| Anomaly::Twice(*list, *element)));
        }
        let mut diverging = BTreeSet::new();
        for (list, elements) in reads(history).flat_map(|(_, lists)| lists) {
            if !orders[list].starts_with(elements) {
                diverging.insert(*list);
            }
        }
        anomalies.extend(diverging.into_iter().map(Anomaly::Diverging));
        orders
    }

    /// Acknowledged appends that a later read does not show at all.
    fn find_lost(&self, history: &[Transaction], orders: &Orders, anomalies: &mut Vec<Anomaly>) {
        let mut last_read: HashMap<List, u64> = HashMap::new();
        for (number, lists) in reads(history) {
            for (list, _) in lists {
                let called = last_read.entry(*list).or_default();
                *called = history[number].called.max(*called);
            }
        }
        let mut lost: Vec<Anomaly> = Vec::new();
        for ((list, element), number) in &self.by_element {
            let transaction = &history[*number];
            let read_later = last_read.get(list).is_some_and(|read| *read > transaction.returned);
            let is_there = orders.get(list).is_some_and(|order| order.contains(element));
            if transaction.outcome == Outcome::Done && read_later && !is_there {
                lost.push(Anomaly::Lost(*list, *element));
            }
        }
        lost.sort_by_key(|anomaly| format!("{anomaly}"));
        anomalies.extend(lost);
    }
}

fn reads(history: &[Transaction]) -> impl Iterator<Item = (usize, &Vec<(List, Vec<Element>)>)> {
    history.iter().enumerate().filter_map(|(number, transaction)| match &transaction.work {
        Work::Read(lists) if transaction.outcome == Outcome::Done => Some((number, lists)),
        _ => None,
    })
}

fn dependencies(history: &[Transaction], appends: &Appends, orders: &Orders) -> Graph<Dependency> {
    let mut graph = Graph::new(history.len());
    for (list, order) in orders {
        for pair in order.windows(2) {
            let [first, second] = [pair[0], pair[1]].map(|e| appends.by_element[&(*list, e)]);
            graph.add(first, second, Dependency::WriteWrite(*list));
        }
    }
    // What nobody ever read comes after every read of its list.
    let mut unread: HashMap<List, Vec<usize>> = HashMap::new();
    for ((list, element), number) in &appends.by_element {
        let is_read = orders.get(list).is_some_and(|order| order.contains(element));
        if !is_read && history[*number].outcome == Outcome::Done {
            unread.entry(*list).or_default().push(*number);
        }
    }
    for (reader, lists) in reads(history) {
        for (list, elements) in lists {
            if let Some(last) = elements.last() {
                let writer = appends.by_element[&(*list, *last)];
                graph.add(writer, reader, Dependency::WriteRead(*list));
            }
            if let Some(next) = orders[list].get(elements.len()) {
                let writer = appends.by_element[&(*list, *next)];
                graph.add(reader, writer, Dependency::ReadWrite(*list));
            }
            for writer in unread.get(list).into_iter().flatten() {
                graph.add(reader, *writer, Dependency::ReadWrite(*list));
            }
        }
    }
    add_real_time(history, &mut graph);
    graph
}

/// Adds only the edges that do not follow from others: from the transactions that have returned, and
/// after whose return no other one was called and returned.
fn add_real_time(history: &[Transaction], graph: &mut Graph<Dependency>) {
    let mut events: Vec<(u64, bool, usize)> = Vec::new();
    for (number, transaction) in history.iter().enumerate() {
        if transaction.outcome != Outcome::Refused {
            events.push((transaction.called, false, number));
        }
        if transaction.outcome == Outcome::Done {
            events.push((transaction.returned, true, number));
        }
    }
    events.sort_unstable();
    let mut frontier: Vec<usize> = Vec::new();
    for (_, is_return, number) in events {
        if is_return {
            frontier.retain(|other| history[*other].returned >= history[number].called);
            frontier.push(number);
        } else {
            for other in &frontier {
                graph.add(*other, number, Dependency::RealTime);
            }
        }
    }
}
