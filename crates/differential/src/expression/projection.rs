//! Projections: one to four paths that do not overlap.

use serde_json::{Map, Value};

use super::Placeholders;
use super::path::{Place, place};
use crate::random::Random;

/// A projection.
pub fn projection(
    random: &mut Random,
    placeholders: &mut Placeholders,
    item: Option<&Map<String, Value>>,
) -> String {
    let mut places: Vec<Place> = Vec::new();
    for _ in 0..random.between(1, 4) {
        let place = place(random, item, &[]);
        // One path for each attribute, now and then several that must not overlap.
        let is_apart = places.iter().all(|known| {
            let shorter = known.segments.len().min(place.segments.len());
            known.segments[..shorter] != place.segments[..shorter]
        });
        let is_other = places.iter().all(|known| known.root() != place.root());
        if is_other || (is_apart && random.percent(60)) {
            places.push(place);
        }
    }
    let texts: Vec<String> = places.iter().map(|place| place.text(random, placeholders)).collect();
    texts.join(", ")
}

/// `AttributesToGet`.
pub fn attributes_to_get(random: &mut Random, item: Option<&Map<String, Value>>) -> Vec<String> {
    let mut names: Vec<String> = vec!["a".to_owned(), "num".to_owned(), "missing".to_owned()];
    names.extend(item.into_iter().flatten().map(|(name, _)| name.clone()));
    names.sort_unstable();
    names.dedup();
    let most = random.between(1, 4);
    random.some(&names, most)
}
