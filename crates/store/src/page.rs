//! Lists, a page at a time.
//!
//! A page is full whenever there are that many items, whatever the filter: it reads on until enough
//! have passed or the end is reached, but looks at no more than `evaluated_per_page_max` items. One
//! item more than the page holds is read, so that a page which says that there is more is right.

use std::collections::BTreeMap;

use tables::document::Operation;
use values::{AttributeValue, Item, codec};

use crate::access::Access;
use crate::backend::Query;
use crate::error::Error;
use crate::filter::Test;
use crate::key_condition::{Compiled, bad};
use crate::page_token::{self, Binding};
use crate::retry::attempts;
use crate::typed::Record;

/// Most items of one page.
const PAGE_ITEMS_MAX: u32 = 1000;
/// With a filter, as many are looked at in one go, at least: most of them may not pass.
const FILTERED_ITEMS_MIN: u32 = 100;

/// A part of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The items, in the pattern's order.
    pub items: Vec<T>,
    /// What to ask the next part with; absent if there is none.
    pub next: Option<String>,
}

impl Access {
    /// Lets only such items pass. The attribute is one of the pattern's filters.
    pub fn filter(self, attribute: &str, test: Test) -> Result<Access, Error> {
        let mut filters = self.pattern()?.access.filter.iter();
        let Some(place) = filters.position(|name| name == attribute) else {
            return Err(self.not_for(&format!("has no filter on {attribute}")));
        };
        let wanted = self.table.document().attribute_type(attribute);
        let found = test.parts().and_then(|(_, value)| value).map(AttributeValue::attribute_type);
        if let (Some(wanted), Some(found)) = (wanted, found)
            && wanted != found
        {
            return Err(bad(attribute, format!("it has type {found}, and should have {wanted}")));
        }
        Ok(self.filter_at(place, test))
    }

    /// The same for the pattern's filter in this place, whose type is known.
    pub(crate) fn filter_at(mut self, place: usize, test: Test) -> Access {
        if test != Test::Any {
            self.filters.push((place, test));
        }
        self
    }

    /// Reads a page of a Query pattern for a caller, from the beginning or from where the page with
    /// this token ended.
    pub async fn page<T: Record>(
        &self,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<T>, Error> {
        let pattern = self.must_be(&[Operation::Query])?;
        if !(1..=PAGE_ITEMS_MAX).contains(&limit) {
            return Err(bad(
                "limit",
                format!("it is {limit}, and should be 1 to {PAGE_ITEMS_MAX}"),
            ));
        }
        let query = self.query(pattern)?;
        let binding = binding(pattern, caller, &query);
        let settings = self.table.store.settings();
        let start = token.map(|token| page_token::open(settings, &binding, token)).transpose()?;
        let (items, last) = self.read(pattern, query, start, limit as usize).await?;
        let next = last.map(|last| page_token::seal(settings, &binding, &last)).transpose()?;
        let mut typed = Vec::with_capacity(items.len());
        for item in items {
            self.table.prepared().check_read(&item, pattern.whole)?;
            typed.push(T::from_item(item)?);
        }
        Ok(Page { items: typed, next })
    }

    /// The token of a page of this list that ends with this item, for who uses only a part of a page.
    pub fn token_after(&self, caller: &str, item: &Item) -> Result<String, Error> {
        let pattern = self.must_be(&[Operation::Query])?;
        let binding = binding(pattern, caller, &self.query(pattern)?);
        page_token::seal(self.table.store.settings(), &binding, &position(pattern, item))
    }

    /// Most items that a page of this list looks at.
    pub fn evaluated_max(&self) -> u64 {
        self.table.store.settings().evaluated_per_page_max
    }

    /// The only item of a Query pattern, such as one that finds an item by a unique attribute. Of
    /// several the first.
    pub async fn first<T: Record>(&self) -> Result<Option<T>, Error> {
        Ok(self.page("", 1, None).await?.items.into_iter().next())
    }

    fn query(&self, pattern: &Compiled) -> Result<Query, Error> {
        let mut query = pattern.query(self.values())?;
        query.table_name = self.table.prepared().name.clone();
        let mut filters = Vec::new();
        for (at, (place, test)) in self.filters.iter().enumerate() {
            let Some((shape, value)) = test.parts() else { continue };
            let Some(attribute) = pattern.access.filter.get(*place) else {
                return Err(self.not_for(&format!("has no filter in the place {place}")));
            };
            let (name, alias) = (format!("#f{at}"), format!(":f{at}"));
            filters.push(shape.replace("#n", &name).replace(":v", &alias));
            query.names.insert(name, attribute.clone());
            query.values.extend(value.map(|value| (alias, value.clone())));
        }
        query.filter = (!filters.is_empty()).then(|| filters.join(" AND "));
        Ok(query)
    }

    /// Up to `limit` items, and the place of the last one if there are more.
    async fn read(
        &self,
        pattern: &Compiled,
        mut query: Query,
        start: Option<Item>,
        limit: usize,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        let store = &self.table.store;
        let mut items: Vec<Item> = Vec::new();
        let mut evaluated = 0;
        query.start = start;
        loop {
            let wanted = u32::try_from(limit + 1 - items.len()).unwrap_or(u32::MAX);
            let filtered = query.filter.is_some();
            query.limit = if filtered { wanted.max(FILTERED_ITEMS_MIN) } else { wanted };
            let outcome = attempts(store.settings(), || store.backend().query(&query)).await;
            let answer = store.metered("Query", outcome.result?);
            evaluated += answer.evaluated;
            items.extend(answer.items);
            if items.len() > limit {
                items.truncate(limit);
                let last = items.last().map(|item| position(pattern, item));
                return Ok((items, last));
            }
            if answer.last.is_none() || evaluated >= store.settings().evaluated_per_page_max {
                return Ok((items, answer.last));
            }
            query.start = answer.last;
        }
    }
}

/// Everything that makes this list this list.
fn binding(pattern: &Compiled, caller: &str, query: &Query) -> Binding {
    let mut binding = Binding::default();
    let index = query.index.as_deref().unwrap_or_default();
    let filter = query.filter.as_deref().unwrap_or_default();
    let pattern = pattern.access.id.as_str();
    for part in [caller, &query.table_name, pattern, index, &query.key_condition, filter] {
        binding.add(part.as_bytes());
    }
    binding.add(&[u8::from(query.descending)]);
    for (alias, name) in &query.names {
        binding.add(alias.as_bytes());
        binding.add(name.as_bytes());
    }
    let values: &BTreeMap<_, _> = &query.values;
    for (alias, value) in values {
        let mut bytes = Vec::new();
        codec::encode_value(value, &mut bytes);
        binding.add(alias.as_bytes());
        binding.add(&bytes);
    }
    binding
}

/// Where an item stands in the list: the keys of table and index.
fn position(pattern: &Compiled, item: &Item) -> Item {
    let names = pattern.position.iter();
    names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect()
}
