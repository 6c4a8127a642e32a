//! What must not be tried too often, and by whom: plain data for whoever counts.

use std::net::IpAddr;
use std::time::Duration;

use super::records::sha256_hex;

/// Something that can be guessed or flooded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Name and password.
    LogIn,
    /// The code of a second factor.
    SecondStep,
    /// The code that proves an address.
    VerifyEmail,
    /// Asking for a mail: a code, or a reset.
    AskForMail,
    /// The code that resets a password.
    ResetPassword,
    /// A new user.
    Register,
    /// A refresh token.
    Refresh,
}

/// One counter that guards a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimiterKey {
    /// The policy, as settings name it.
    pub policy: &'static str,
    /// Who is counted: an address, or a hash of the name.
    pub who: String,
    /// How many are let through within the window.
    pub limit: u32,
    /// The window.
    pub window: Duration,
}

impl Guard {
    /// Every guard.
    pub const ALL: [Guard; 7] = [
        Guard::LogIn,
        Guard::SecondStep,
        Guard::VerifyEmail,
        Guard::AskForMail,
        Guard::ResetPassword,
        Guard::Register,
        Guard::Refresh,
    ];

    /// The counters of a request, by where it comes from and by whom it is about (email address,
    /// username or challenge). Both count: one address may try many names, and many addresses one. The
    /// name is hashed, so that the counters hold no addresses of people.
    pub fn keys(self, address: Option<IpAddr>, name: Option<&str>) -> Vec<LimiterKey> {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let ((by_address, per_address), (by_name, per_name), window) = match self {
            Guard::LogIn => (("login-address", 30), ("login-name", 10), minutes(15)),
            Guard::SecondStep => (("mfa-address", 30), ("mfa-name", 10), minutes(15)),
            Guard::VerifyEmail => (("verify-address", 30), ("verify-name", 10), minutes(15)),
            Guard::AskForMail => (("mail-address", 10), ("mail-name", 3), minutes(15)),
            Guard::ResetPassword => (("reset-address", 30), ("reset-name", 10), minutes(15)),
            Guard::Register => (("register-address", 10), ("register-name", 5), minutes(60)),
            Guard::Refresh => (("refresh-address", 120), ("refresh-name", 30), minutes(1)),
        };
        let key = |policy, who, limit| LimiterKey { policy, who, limit, window };
        let mut keys = Vec::new();
        keys.extend(address.map(|address| key(by_address, network(address), per_address)));
        keys.extend(name.map(|name| {
            let name = name.trim().to_lowercase();
            key(by_name, sha256_hex(&["limiter", &name])[..32].to_owned(), per_name)
        }));
        keys
    }
}

/// What counts as one client: an IPv4 address, or the /64 network that one IPv6 host has for itself.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guard_counts_by_address_and_by_name() {
        for guard in Guard::ALL {
            let keys = guard.keys(Some([192, 0, 2, 1].into()), Some(" Ada@Example.com "));
            assert_eq!(keys.len(), 2, "{guard:?}");
            assert_eq!(keys[1], guard.keys(None, Some("ada@example.com"))[0]);
            assert!(!keys[1].who.contains("ada"), "{guard:?}");
            assert!(guard.keys(None, None).is_empty());
        }
    }

    #[test]
    fn one_ipv6_host_is_one_client() {
        let who = |text: &str| network(text.parse().unwrap());
        assert_eq!(who("2001:db8:1:2:3::4"), who("2001:db8:1:2:ffff::1"));
        assert_ne!(who("2001:db8:1:2::1"), who("2001:db8:1:3::1"));
        assert_eq!(who("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
