//! Which addresses are public? Those of the global unicast space that no registry reserves.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Ranges of IPv4 that are not public, and what they are.
const RESERVED_V4: [(Ipv4Net, &str); 20] = [
    (v4(0, 0, 0, 0, 8), "this network"),
    (v4(10, 0, 0, 0, 8), "private"),
    (v4(100, 64, 0, 0, 10), "carrier-grade NAT"),
    (v4(127, 0, 0, 0, 8), "loopback"),
    (v4(169, 254, 0, 0, 16), "link-local, cloud metadata"),
    (v4(172, 16, 0, 0, 12), "private"),
    (v4(192, 0, 0, 0, 24), "protocol assignments"),
    (v4(192, 0, 2, 0, 24), "documentation"),
    (v4(192, 31, 196, 0, 24), "AS112"),
    (v4(192, 52, 193, 0, 24), "AMT"),
    (v4(192, 88, 99, 0, 24), "6to4 relay"),
    (v4(192, 168, 0, 0, 16), "private"),
    (v4(192, 175, 48, 0, 24), "AS112"),
    (v4(198, 18, 0, 0, 15), "benchmarking"),
    (v4(198, 51, 100, 0, 24), "documentation"),
    (v4(203, 0, 113, 0, 24), "documentation"),
    (v4(168, 63, 129, 16, 32), "cloud metadata"),
    (v4(224, 0, 0, 0, 4), "multicast"),
    (v4(240, 0, 0, 0, 4), "class E"),
    (v4(255, 255, 255, 255, 32), "broadcast"),
];

/// The only part of IPv6 that can be public.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);

/// Ranges within it that are not. Everything else (loopback, mapped and compatible IPv4, NAT64,
/// discard, SRv6, unique local, link-local, multicast) lies outside.
const RESERVED_V6: [(Ipv6Net, &str); 5] = [
    (v6(0x2001, 0, 0, 23), "protocol assignments, Teredo, benchmarking"),
    (v6(0x2001, 0xdb8, 0, 32), "documentation"),
    (v6(0x2002, 0, 0, 16), "6to4"),
    (v6(0x2620, 0x4f, 0x8000, 48), "AS112"),
    (v6(0x3fff, 0, 0, 20), "documentation"),
];

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(a: u16, b: u16, c: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), length)
}

/// What an address is reserved for, if it is not public.
pub(crate) fn reserved(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => {
            let found = RESERVED_V4.iter().find(|(net, _)| net.contains(&address));
            found.map(|(_, what)| *what)
        }
        IpAddr::V6(address) if !GLOBAL_V6.contains(&address) => Some("not global unicast"),
        IpAddr::V6(address) => {
            let found = RESERVED_V6.iter().find(|(net, _)| net.contains(&address));
            found.map(|(_, what)| *what)
        }
    }
}
