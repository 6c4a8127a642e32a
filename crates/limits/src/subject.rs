//! Who or what is limited, as a text that is part of a key.

use std::net::IpAddr;

use kernel::caller::{Caller, Identity};
use sha2::{Digest as _, Sha256};

use super::policy::By;

/// The subject of a policy, of what somebody writes: `account:acc-1`, `address:192.0.2.1`,
/// `target:ada@example.com`. `None` if the policy counts something else. A target is one already if it is
/// the hash that lists show.
pub fn subject_of(by: By, text: &str) -> Option<String> {
    let id = text.strip_prefix(by.subject_start())?;
    if by == By::Everyone || id.is_empty() {
        return (by == By::Everyone && id.is_empty()).then(|| text.to_owned());
    }
    let is_hash = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut asked = Asked::default();
    match by {
        By::Target if is_hash => return Some(text.to_owned()),
        By::Target => asked.target = Some(id),
        By::Address => asked.address = address(id),
        By::RefusedKey => asked.refused_key_from = address(id),
        By::Account => asked.account_id = Some(id),
        By::Key => asked.key_id = Some(id),
        By::User => asked.user_id = Some(id),
        By::Tenant => asked.tenant_id = Some(id),
        By::Everyone => {}
    }
    asked.subject(by)
}

/// An address, or the network of one as lists show it.
fn address(text: &str) -> Option<IpAddr> {
    text.strip_suffix("/64").unwrap_or(text).parse().ok()
}

/// Longer identifiers are hashed: a key has 2 KB.
const LENGTH_MAX: usize = 200;

/// What a request is, as far as limits are concerned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// Method and path pattern, as `POST /auth/login`.
    pub route: &'a str,
    /// Where it comes from.
    pub address: Option<IpAddr>,
    /// For which account.
    pub account_id: Option<&'a str>,
    /// With which API key.
    pub key_id: Option<&'a str>,
    /// By which person.
    pub user_id: Option<&'a str>,
    /// What is aimed at, such as the name that somebody tries to log in with.
    pub target: Option<&'a str>,
    /// The tenant that something is done to.
    pub tenant_id: Option<&'a str>,
    /// Where an API key comes from that is not accepted.
    pub refused_key_from: Option<IpAddr>,
    /// By how much it costs more than a usual request; 0 counts as 1.
    pub cost: u64,
}

impl<'a> Asked<'a> {
    /// A caller's request of a route.
    pub fn of(route: &'a str, caller: &'a Caller) -> Asked<'a> {
        let (mut key_id, mut user_id) = (None, None);
        match &caller.identity {
            Identity::ApiKey { key_id: id, .. } => key_id = Some(id.as_str()),
            Identity::User { user_id: id, .. } => user_id = Some(id.as_str()),
            Identity::Anonymous | Identity::System(_) => {}
        }
        let account_id = caller.account_id.as_deref();
        let address = caller.address;
        Asked { route, address, account_id, key_id, user_id, cost: 1, ..Asked::default() }
    }

    /// The subject of a policy, if the request has one.
    pub fn subject(&self, by: By) -> Option<String> {
        match by {
            By::Everyone => Some("everyone".to_owned()),
            By::Address => self.address.map(of_network),
            By::RefusedKey => self.refused_key_from.map(of_network),
            By::Account => self.account_id.map(|id| named("account", id)),
            By::Key => self.key_id.map(|id| named("key", id)),
            By::User => self.user_id.map(|id| named("user", id)),
            By::Tenant => self.tenant_id.map(|id| named("tenant", id)),
            // Not in the clear: it may be anybody's address, and is not needed again.
            By::Target => self.target.map(|target| format!("target:{}", hashed(target))),
        }
    }
}

fn of_network(address: IpAddr) -> String {
    format!("address:{}", network(address))
}

/// IPv4 as it is; of IPv6 what one subscriber has.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

fn named(kind: &str, id: &str) -> String {
    if id.contains('#') || id.len() > LENGTH_MAX {
        return format!("{kind}:{}", hashed(id));
    }
    [kind, ":", id].concat()
}

fn hashed(text: &str) -> String {
    let digest = Sha256::digest(text.trim().to_lowercase());
    values::hexadecimal::encode(&digest[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_read_as_it_is_shown_and_as_people_write_it() {
        let told = |by, text| subject_of(by, text);
        assert_eq!(told(By::Account, "account:acc_1").unwrap(), "account:acc_1");
        assert_eq!(told(By::Address, "address:::ffff:1.2.3.4").unwrap(), "address:1.2.3.4");
        let network = "address:2001:db8:1:2::/64";
        assert_eq!(told(By::Address, network).unwrap(), network);
        assert_eq!(told(By::RefusedKey, "address:2001:db8:1:2::9").unwrap(), network);
        let target = told(By::Target, "target:Ada@example.com").unwrap();
        assert_eq!(told(By::Target, &target).unwrap(), target);
        assert_eq!(told(By::Target, "target:ada@example.com").unwrap(), target);
        assert_eq!(told(By::Everyone, "everyone").unwrap(), "everyone");
        for (by, text) in [
            (By::Account, "acc_1"),
            (By::Account, "account:"),
            (By::Account, "address:1.2.3.4"),
            (By::Address, "address:somewhere"),
            (By::Everyone, "account:acc_1"),
        ] {
            assert_eq!(told(by, text), None, "{text}");
        }
    }

    #[test]
    fn subjects_say_what_they_are_and_hold_no_separator() {
        let asked = Asked {
            address: "2001:db8:1:2:3:4:5:6".parse().ok(),
            account_id: Some("acc_1"),
            key_id: Some("a#b"),
            target: Some("Somebody@Example.com "),
            ..Asked::default()
        };
        assert_eq!(asked.subject(By::Address).unwrap(), "address:2001:db8:1:2::/64");
        assert_eq!(asked.subject(By::Account).unwrap(), "account:acc_1");
        assert!(!asked.subject(By::Key).unwrap().contains('#'));
        assert_eq!(asked.subject(By::User), None);
        let same = Asked { target: Some("somebody@example.com"), ..Asked::default() };
        assert_eq!(asked.subject(By::Target), same.subject(By::Target));
        assert!(!asked.subject(By::Target).unwrap().contains("example"));
        let mapped = Asked { address: "::ffff:1.2.3.4".parse().ok(), ..Asked::default() };
        assert_eq!(mapped.subject(By::Address).unwrap(), "address:1.2.3.4");
    }
}
