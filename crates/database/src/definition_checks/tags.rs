//! Tags (rule 62).

use super::texts;
use crate::Error;
use crate::shapes::Tag;

/// Tags of one table.
const TAGS_MAX: usize = 50;

/// Characters of a tag's key.
const KEY_CHARACTERS_MAX: usize = 128;

/// Characters of a tag's value.
const VALUE_CHARACTERS_MAX: usize = 256;

/// The tags of one request.
pub fn tags(tags: &[Tag]) -> Result<(), Error> {
    for (position, tag) in tags.iter().enumerate() {
        let Tag { key, value } = tag;
        if key.starts_with("aws:") {
            return Err(refused(format!("Tag Key cannot be prefixed with aws:, Key: {key}")));
        }
        tag_key(key)?;
        if value.chars().count() > VALUE_CHARACTERS_MAX || !value.chars().all(is_allowed) {
            return Err(refused(format!("The Tag Value provided is invalid, Value: {value}")));
        }
        if tags[..position].iter().any(|earlier| earlier.key == *key) {
            return Err(refused(format!(
                "Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"
            )));
        }
    }
    tags_together(tags.len())
}

/// The keys of an UntagResource.
pub fn tag_keys(keys: &[String]) -> Result<(), Error> {
    for key in keys {
        tag_key(key)?;
    }
    // Measured 2026-10-08: the limit holds here too, though tags only go away.
    tags_together(keys.len())
}

/// All tags of a table, old and new.
pub fn tags_together(count: usize) -> Result<(), Error> {
    if count > TAGS_MAX { Err(refused(texts::TOO_MANY_TAGS.to_owned())) } else { Ok(()) }
}

fn tag_key(key: &str) -> Result<(), Error> {
    let is_valid = (1..=KEY_CHARACTERS_MAX).contains(&key.chars().count());
    if is_valid && key.chars().all(is_allowed) {
        return Ok(());
    }
    Err(refused(format!("The Tag Key provided is invalid, Key: {key}")))
}

/// Letters, digits and spaces of any script, and a few signs (measured 2026-10-09).
fn is_allowed(character: char) -> bool {
    character.is_alphanumeric() || character.is_whitespace() || "+-=._:/@".contains(character)
}

fn refused(text: String) -> Error {
    Error::Validation(text)
}
