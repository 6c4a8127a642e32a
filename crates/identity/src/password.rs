//! Passwords: which are accepted, and how they are hashed and compared.
//!
//! Hashing is slow by design, so it runs on threads for blocking work, a few at a time; behind a
//! bounded queue, so that a flood of logins is told to come back and does not eat the memory.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use kernel::error::Error;
use kernel::ids::Ids;
use secrets::Secret;
use tokio::sync::Semaphore;

/// Fewest and most characters. Longer ones cost nothing more to hash, and gain nothing.
const CHARACTERS_MIN: usize = 12;
const CHARACTERS_MAX: usize = 128;
/// Fewer different characters than this are no password.
const DISTINCT_MIN: usize = 5;

/// The commonest of the passwords that are long enough, from lists of breached ones.
static COMMON: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("common_passwords.txt").lines().collect());

/// What a hash costs. The default is OWASP's least for argon2id; tests use less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// Passes over it.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl Default for Cost {
    fn default() -> Cost {
        Cost { memory_kib: 19 * 1024, passes: 2, lanes: 1 }
    }
}

/// What came of comparing a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Wrong,
    Right {
        /// Whether its hash costs other than the setting: hash it again.
        outdated: bool,
    },
}

/// The hasher. Cloning is cheap.
#[derive(Clone)]
pub struct Passwords {
    ids: Ids,
    params: Params,
    permits: Arc<Semaphore>,
    queued: Arc<AtomicUsize>,
    queued_max: usize,
    /// A hash of nothing anyone knows: what is compared with where there is no user.
    dummy: Arc<str>,
}

impl Passwords {
    /// A hasher that runs so many at once and lets so many wait.
    pub fn new(ids: Ids, cost: Cost, at_once: usize, waiting: usize) -> Result<Passwords, Error> {
        let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, None)
            .map_err(|error| Error::internal(format!("the cost of passwords: {error}")))?;
        let unknown: [u8; 32] = ids.bytes()?;
        let dummy = hash(&params, &unknown, &ids.bytes()?)?;
        let at_once = at_once.max(1);
        Ok(Passwords {
            ids,
            params,
            permits: Arc::new(Semaphore::new(at_once)),
            queued: Arc::new(AtomicUsize::new(0)),
            queued_max: at_once + waiting,
            dummy: dummy.into(),
        })
    }

    /// Hashes a password with a salt of its own.
    pub(super) async fn hash(&self, password: &Secret) -> Result<String, Error> {
        let (params, password, salt) = (self.params.clone(), password.clone(), self.ids.bytes()?);
        self.run(move || hash(&params, password.reveal().as_bytes(), &salt)).await?
    }

    /// A hash for which nobody has the password.
    pub(super) fn of_nobody(&self) -> &str {
        &self.dummy
    }

    /// Compares a password with a stored hash. Without one it works as long, and says no.
    pub(super) async fn verify(
        &self,
        password: &Secret,
        stored: Option<&str>,
    ) -> Result<Verdict, Error> {
        let (params, password) = (self.params.clone(), password.clone());
        let exists = stored.is_some();
        let stored = stored.unwrap_or(&self.dummy).to_owned();
        let right = self.run(move || verify(&params, password.reveal(), &stored)).await??;
        Ok(if exists { right } else { Verdict::Wrong })
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let place = Place::take(&self.queued, self.queued_max)?;
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(Error::internal)?;
        // The permit goes with the work: a caller who hangs up does not let another one in.
        let work = move || {
            let _held = (permit, place);
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(Error::internal)
    }
}

/// A place in the queue, given back when it is dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(queued: &Arc<AtomicUsize>, most: usize) -> Result<Place, Error> {
        let place = Place(Arc::clone(queued));
        if queued.fetch_add(1, Ordering::AcqRel) < most {
            return Ok(place);
        }
        let error = Error::unavailable("too many passwords wait to be hashed");
        Err(error.retry_after(Duration::from_secs(2)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn argon2(params: &Params) -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
}

fn hash(params: &Params, password: &[u8], salt: &[u8; 16]) -> Result<String, Error> {
    let failed = |error| Error::internal(format!("hashing a password: {error}"));
    let salt = SaltString::encode_b64(salt).map_err(failed)?;
    Ok(argon2(params).hash_password(password, &salt).map_err(failed)?.to_string())
}

fn verify(params: &Params, password: &str, stored: &str) -> Result<Verdict, Error> {
    let failed = |error| Error::internal(format!("a stored password hash: {error}"));
    let stored = PasswordHash::new(stored).map_err(failed)?;
    if argon2(params).verify_password(password.as_bytes(), &stored).is_err() {
        return Ok(Verdict::Wrong);
    }
    let its = Params::try_from(&stored).map_err(failed)?;
    let cost = |params: &Params| (params.m_cost(), params.t_cost(), params.p_cost());
    Ok(Verdict::Right { outdated: cost(&its) != cost(params) })
}

/// Refuses a password that is easily guessed, and says why.
pub(super) fn check(field: &str, password: &Secret, email: &str) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::validation([(field, why)]));
    let text = password.reveal();
    let count = text.chars().count();
    if !(CHARACTERS_MIN..=CHARACTERS_MAX).contains(&count) {
        return refuse(format!("it should have {CHARACTERS_MIN} to {CHARACTERS_MAX} characters"));
    }
    let lower = text.to_lowercase();
    let local = email.split('@').next().unwrap_or_default();
    if lower.contains(email) || (local.chars().count() >= 4 && lower.contains(local)) {
        return refuse("it contains the email address: choose something else".to_owned());
    }
    let distinct: HashSet<char> = lower.chars().collect();
    let plain = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    if distinct.len() < DISTINCT_MIN || COMMON.contains(&*lower) || COMMON.contains(plain) {
        return refuse("it is one of those that are guessed first: choose another".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use store::SystemRandomness;

    use super::*;

    const SMALL: Cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };

    fn passwords(cost: Cost, at_once: usize, waiting: usize) -> Passwords {
        Passwords::new(Ids::new(Arc::new(SystemRandomness)), cost, at_once, waiting).unwrap()
    }

    #[test]
    fn the_default_cost_is_owasps_least() {
        assert_eq!(Cost::default(), Cost { memory_kib: 19_456, passes: 2, lanes: 1 });
    }

    #[test]
    fn what_is_guessed_first_is_refused() {
        let refused = [
            "short",
            "password1234",
            "PASSWORD1234!",
            "aaaaaaaabbbb",
            "ada.lovelace@example.com",
            "my ada.lovelace pw",
            "correcthorsebatterystaple",
        ];
        for password in refused {
            let checked = check("password", &Secret::from(password), "ada.lovelace@example.com");
            assert!(checked.is_err(), "{password}");
        }
        assert!(check("password", &Secret::new("x".repeat(129)), "ada@example.com").is_err());
        let good = Secret::from("a sentence nobody else has");
        assert!(check("password", &good, "ada.lovelace@example.com").is_ok());
    }

    #[test]
    fn the_list_has_only_what_is_long_enough_to_be_asked() {
        assert!(COMMON.len() > 100);
        assert!(COMMON.iter().all(|one| one.chars().count() >= CHARACTERS_MIN));
        assert!(COMMON.iter().all(|one| *one == one.to_lowercase()));
    }

    #[tokio::test]
    async fn a_raised_cost_asks_for_another_hash() {
        let password = Secret::from("a sentence nobody else has");
        let before = passwords(SMALL, 1, 8);
        let stored = before.hash(&password).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{stored}");
        let right = |outdated| Verdict::Right { outdated };
        assert_eq!(before.verify(&password, Some(&stored)).await.unwrap(), right(false));
        let after = passwords(Cost { memory_kib: 16, ..SMALL }, 1, 8);
        assert_eq!(after.verify(&password, Some(&stored)).await.unwrap(), right(true));
        let wrong = after.verify(&Secret::from("another"), Some(&stored)).await.unwrap();
        assert_eq!(wrong, Verdict::Wrong);
        assert_eq!(after.verify(&password, None).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_flood_is_told_to_come_back() {
        let passwords = passwords(SMALL, 1, 1);
        let held = Arc::clone(&passwords.permits).acquire_owned().await.unwrap();
        let password = Secret::from("a sentence nobody else has");
        let waiting: Vec<_> = (0..2)
            .map(|_| {
                let (passwords, password) = (passwords.clone(), password.clone());
                tokio::spawn(async move { passwords.hash(&password).await })
            })
            .collect();
        while passwords.queued.load(Ordering::Acquire) < 2 {
            tokio::task::yield_now().await;
        }
        let error = passwords.hash(&password).await.unwrap_err();
        assert_eq!(error.code().status, 503);
        drop(held);
        for one in waiting {
            one.await.unwrap().unwrap();
        }
        assert_eq!(passwords.queued.load(Ordering::Acquire), 0);
    }
}
