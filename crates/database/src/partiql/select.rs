//! SELECT: which ranges it reads, in which order, a page at a time.

use bytes::Bytes;
use expressions::partiql::{Direction, Reads, Select};
use expressions::{ExpressionError, KeyRange, StatementProblem};
use values::{AttributeValue, Item, key};

use super::next_token::{Fingerprint, NextToken, mismatch};
use crate::capacity::{self, Meter};
use crate::catalog::{Index, Table};
use crate::read::{PageRequest, Shown, Target};
use crate::{Database, Error, item_checks, keys, text};

/// A SELECT with what its request asks for besides.
pub struct SelectRequest<'a> {
    /// The table it names.
    pub table: &'a Table,
    /// The statement.
    pub select: Select,
    /// Whether to read consistently, which costs twice as much.
    pub consistent: bool,
    /// How many entries to look at, before the filter.
    pub limit: Option<usize>,
    /// Where to go on.
    pub next_token: Option<&'a str>,
    /// What a token is bound to.
    pub fingerprint: Fingerprint,
    /// The request's parameters.
    pub parameters: &'a [AttributeValue],
}

/// A page of a SELECT.
#[derive(Debug, Default)]
pub struct Selected {
    /// What passed the filter.
    pub items: Vec<Item>,
    /// Where the page ended.
    pub last_evaluated_key: Option<Item>,
    /// Where to go on.
    pub next_token: Option<String>,
    /// What it cost.
    pub meter: Meter,
}

/// Storage keys to look through, with the hash key they belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    hash: Vec<u8>,
    start: Bytes,
    end: Bytes,
}

impl Database {
    /// Reads a page. The order of refusals is the service's (DX).
    pub(crate) fn select(&self, request: SelectRequest<'_>) -> Result<Selected, Error> {
        let SelectRequest { table, select, consistent, limit, .. } = &request;
        let index = index(table, select.index_name.as_deref())?;
        let target = Target::new(table, select.index_name.as_deref(), false)?;
        let (stretches, reverse) = stretches(&target, select)?;
        if *consistent && index.is_some_and(Index::is_global) {
            let message = text::CONSISTENT_STATEMENT_ON_GLOBAL_INDEX.to_owned();
            return Err(Error::Validation(message));
        }
        let shown = Shown::new(&target, None, select.projection.clone())?;
        check_filter(&target, select)?;
        let token = request.token()?;
        let snapshot = self.snapshot();
        let mut selected = Selected::default();
        let (mut left, mut bytes) = (*limit, 0);
        for (position, stretch) in stretches.iter().enumerate().skip(token.range) {
            let mut page = PageRequest {
                target,
                start: stretch.start.clone(),
                end: stretch.end.clone(),
                reverse,
                limit: left,
                filter: select.filter.condition(),
                shown: &shown,
                consistent: *consistent,
                bytes_before: bytes,
            };
            if let Some(last) = token.last.as_ref().filter(|_| position == token.range) {
                page.resume_after(target.start_key(last)?);
            }
            let page = page.read(&*snapshot)?;
            selected.meter.add(&page.meter);
            selected.items.extend(page.items.into_iter().flatten());
            bytes += page.bytes;
            left = left.map(|left| {
                left.saturating_sub(usize::try_from(page.scanned_count).unwrap_or(usize::MAX))
            });
            if page.more {
                let next = NextToken { range: position, last: page.last_evaluated_key };
                selected.next_token = Some(next.encode(request.fingerprint));
                selected.last_evaluated_key = next.last;
                break;
            }
        }
        if stretches.is_empty() {
            selected.meter.charge_table(capacity::read_units(0, *consistent));
        }
        Ok(selected)
    }
}

impl SelectRequest<'_> {
    /// Where to begin. A statement with a list or a map among its parameters is never continued,
    /// although its first page has a token: so the service does (DX).
    fn token(&self) -> Result<NextToken, Error> {
        let Some(text) = self.next_token else { return Ok(NextToken::default()) };
        let token = NextToken::decode(text, self.fingerprint)?;
        let is_document =
            |value: &AttributeValue| matches!(value, AttributeValue::L(_) | AttributeValue::M(_));
        if self.parameters.iter().any(is_document) { Err(mismatch()) } else { Ok(token) }
    }
}

/// The index that a statement names. PartiQL has its own words for one that is not there, and reads
/// none whose key has several attributes on one side.
fn index<'t>(table: &'t Table, name: Option<&str>) -> Result<Option<&'t Index>, Error> {
    let Some(name) = name else { return Ok(None) };
    let index = table
        .index(name)
        .ok_or_else(|| Error::Validation(text::UNKNOWN_INDEX_IN_STATEMENT.to_owned()))?;
    if index.keys.hash.len() > 1 || index.keys.sort.len() > 1 {
        return Err(Error::Validation(text::MULTI_ATTRIBUTE_INDEX_IN_STATEMENT.to_owned()));
    }
    Ok(Some(index))
}

/// Where to look, in the order of reading, and whether from the end.
fn stretches(target: &Target<'_>, select: &Select) -> Result<(Vec<Stretch>, bool), Error> {
    let (hash_types, sort_types) = (target.hash_types(), target.sort_types());
    let Some(hash) = hash_types.first().copied() else { return Ok((Vec::new(), false)) };
    let sort = sort_types.first().copied();
    let sort_name = sort.map(|(name, _)| name);
    select.order.check_terms(&select.filter, hash.0, sort_name)?;
    let reads = select.filter.reads(hash, sort)?;
    let mut stretches = match &reads {
        Reads::Everything => {
            let prefix = target.prefix();
            let end = keys::prefix_end(&prefix);
            vec![Stretch { hash: Vec::new(), start: prefix.into(), end }]
        }
        Reads::Ranges { ranges, may_overlap, .. } => {
            check_sizes(ranges)?;
            let all =
                ranges.iter().map(|range| stretch(target, range)).collect::<Result<_, _>>()?;
            without_overlaps(all, *may_overlap)?
        }
    };
    let direction = select.order.direction(&reads, hash.0, sort_name)?;
    if let Some(direction) = direction {
        put_in_order(&mut stretches, direction);
    }
    Ok((stretches, direction.is_some_and(|direction| direction.sort_descending)))
}

fn stretch(target: &Target<'_>, range: &KeyRange) -> Result<Stretch, Error> {
    let (start, end) = target.range(range)?;
    let mut hash = Vec::new();
    for value in &range.hash {
        // A type that no key has was refused with the condition.
        let _ = key::encode(value, &mut hash);
    }
    Ok(Stretch { hash, start, end })
}

/// A statement about one partition is refused if its key values are too large to be any (DX).
fn check_sizes(ranges: &[KeyRange]) -> Result<(), Error> {
    let [range] = ranges else { return Ok(()) };
    range.hash.iter().try_for_each(|value| item_checks::key_size(true, value))?;
    let values = range.sort.iter().flat_map(|condition| condition.values());
    values.into_iter().try_for_each(|value| item_checks::key_size(false, value))?;
    Ok(())
}

/// Alternatives that lead to one item are refused, or merged so that nothing is read twice.
fn without_overlaps(stretches: Vec<Stretch>, may_overlap: bool) -> Result<Vec<Stretch>, Error> {
    let mut sorted = stretches.clone();
    sorted.retain(|stretch| stretch.start < stretch.end);
    sorted.sort_by(|one, two| one.start.cmp(&two.start));
    let mut merged: Vec<Stretch> = Vec::new();
    for stretch in sorted {
        match merged.last_mut() {
            Some(last) if stretch.start < last.end => {
                if !may_overlap {
                    return Err(ExpressionError::from(StatementProblem::Overlap).into());
                }
                last.end = stretch.end.max(last.end.clone());
            }
            _ => merged.push(stretch),
        }
    }
    Ok(if may_overlap { merged } else { stretches })
}

fn put_in_order(stretches: &mut [Stretch], direction: Direction) {
    stretches.sort_by(|one, two| {
        let hash = one.hash.cmp(&two.hash);
        let start = one.start.cmp(&two.start);
        let turned = |order: std::cmp::Ordering, descending| {
            if descending { order.reverse() } else { order }
        };
        turned(hash, direction.hash_descending).then(turned(start, direction.sort_descending))
    });
}

fn check_filter(target: &Target<'_>, select: &Select) -> Result<(), Error> {
    let Some(condition) = select.filter.condition() else { return Ok(()) };
    item_checks::no_path_into_keys(target.table, condition.nested_attribute_names())?;
    let hash = target.keys().hash.first().map_or("", |hash| hash.name.as_str());
    if select.filter.pins(hash) { target.check_filter(condition) } else { Ok(()) }
}
