//! Which events an endpoint wants.

use std::collections::BTreeSet;

/// Whether an event type passes a filter: exact names, and beginnings such as `tenant.*`. No filter
/// lets everything pass.
pub fn matches(filters: Option<&BTreeSet<String>>, event_type: &str) -> bool {
    let Some(filters) = filters else { return true };
    filters.iter().any(|filter| match filter.strip_suffix('*') {
        Some(start) => event_type.starts_with(start),
        None => filter == event_type,
    })
}

/// What is wrong with a filter, if anything is: words of letters, digits, `_` and `-` with points
/// between them, and at most a `*` in place of the last one.
pub(crate) fn problem(filter: &str) -> Option<String> {
    let word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    let start = filter.strip_suffix(".*").unwrap_or(filter);
    if filter.len() <= 100 && (filter == "*" || start.split('.').all(word)) {
        return None;
    }
    Some(format!("{filter:?} is no event type: write one such as tenant.parked, or tenant.*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_and_beginnings_match() {
        let filters = BTreeSet::from(["tenant.*".to_owned(), "api_key.revoked".to_owned()]);
        for wanted in ["tenant.parked", "tenant.user.added", "api_key.revoked"] {
            assert!(matches(Some(&filters), wanted), "{wanted}");
        }
        for unwanted in ["tenants.parked", "tenant", "api_key.revoked.twice", "api_key.created"] {
            assert!(!matches(Some(&filters), unwanted), "{unwanted}");
        }
        assert!(matches(None, "anything"));
    }

    #[test]
    fn odd_filters_are_refused() {
        for good in ["*", "a", "a.b", "a.*", "a_b.c-d.*"] {
            assert_eq!(problem(good), None);
        }
        for bad in ["", ".", "a.", "*.a", "a*", "a b", "a..b", "ä", "a.**"] {
            assert!(problem(bad).is_some(), "{bad}");
        }
    }
}
