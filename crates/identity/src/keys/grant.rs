//! May a caller give a key these scopes? Nobody gives away what they do not have: else a key that may
//! only make keys would be a key to everything.

use std::collections::BTreeSet;

use kernel::caller::Caller;
use kernel::error::{Error, FORBIDDEN};
use kernel::permissions::grants;

/// Refuses unless the caller's own credential includes every scope that a key is to have. Whoever's
/// credential is not limited may give any: keys never reach beyond their account.
pub fn must_have(caller: &Caller, scopes: Option<&BTreeSet<String>>) -> Result<(), Error> {
    let Some(own) = &caller.scopes else { return Ok(()) };
    let has = |wanted: &String| own.iter().any(|scope| grants(scope, wanted));
    if scopes.is_some_and(|wanted| wanted.iter().all(has)) {
        return Ok(());
    }
    let message = "Your credential cannot give a key more scopes than it has itself";
    Err(Error::new(FORBIDDEN, message))
}

#[cfg(test)]
mod tests {
    use kernel::caller::Identity;

    use super::*;

    #[test]
    fn nobody_gives_away_what_they_do_not_have() {
        let set = |scopes: &[&str]| -> BTreeSet<String> {
            scopes.iter().map(|scope| (*scope).to_owned()).collect()
        };
        let identity = Identity::ApiKey { key_id: "k".into(), environment: "live".into() };
        let mut caller = Caller::new(identity);
        assert!(must_have(&caller, None).is_ok());
        caller.scopes = Some(set(&["keys:write", "audit:*"]));
        for (wanted, is_fine) in [
            (&["keys:write"][..], true),
            (&["audit:read", "audit:*"], true),
            (&["keys:read"], false),
            (&["keys:*"], false),
            (&["keys:write", "*"], false),
        ] {
            assert_eq!(must_have(&caller, Some(&set(wanted))).is_ok(), is_fine, "{wanted:?}");
        }
        assert!(must_have(&caller, None).is_err(), "no scopes is everything");
    }
}
