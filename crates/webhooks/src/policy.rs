//! Where events may be sent: the rules for URLs, asked when an endpoint is made and again before each
//! attempt, and the rule for addresses, asked of each address that a name resolves to.

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

use crate::addresses::reserved;

/// Longest URL.
const URL_BYTES_MAX: usize = 2048;
/// Names that lead inside, whatever they resolve to: the name itself and everything under it.
const INNER_NAMES: [&str; 8] =
    ["localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa", "metadata"];

/// Where events may be sent.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Whether `http:` will do; only in development.
    pub plain_http: bool,
    /// Ports that may be reached.
    pub ports: Ports,
    /// Networks that may be reached although they are not public: for tests and inner networks.
    pub networks: Vec<IpNet>,
    /// Names that may be reached although they look like inner ones; their addresses are still
    /// checked.
    pub names: Vec<String>,
}

/// Ports that may be reached.
#[derive(Clone, Debug)]
pub enum Ports {
    /// Only these.
    Only(Vec<u16>),
    /// Any.
    Any,
}

impl Default for Policy {
    fn default() -> Policy {
        let (networks, names) = (Vec::new(), Vec::new());
        Policy { plain_http: false, ports: Ports::Only(vec![443, 8443]), networks, names }
    }
}

/// Why something may not be reached. It does not say what a name resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A URL that may be tried: what is connected to is taken from here and from nowhere else.
#[derive(Clone, Debug)]
pub struct Target {
    /// The URL in its normal form.
    pub url: Url,
    /// The host.
    pub host: Host<String>,
    /// The port.
    pub port: u16,
    /// Whether TLS is used.
    pub tls: bool,
}

impl Policy {
    /// The target of a URL, if it may be tried.
    pub fn target(&self, text: &str) -> Result<Target, Refusal> {
        let refuse = |why: &str| Err(Refusal(why.to_owned()));
        if text.len() > URL_BYTES_MAX {
            return refuse("it is longer than 2,048 bytes");
        }
        let url = Url::parse(text).map_err(|error| Refusal(format!("it is no URL: {error}")))?;
        let tls = match url.scheme() {
            "https" => true,
            "http" if self.plain_http => false,
            _ => return refuse("it must begin with https://"),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("it must not hold a user or password");
        }
        if url.fragment().is_some() {
            return refuse("it must not have a part after #");
        }
        let port = url.port_or_known_default().unwrap_or(0);
        if let Ports::Only(ports) = &self.ports
            && !ports.contains(&port)
        {
            return Err(Refusal(format!("port {port} may not be used: use one of {ports:?}")));
        }
        let Some(host) = url.host().map(|host| host.to_owned()) else {
            return refuse("it has no host");
        };
        match &host {
            Host::Ipv4(address) => self.check(IpAddr::V4(*address))?,
            Host::Ipv6(address) => self.check(IpAddr::V6(*address))?,
            Host::Domain(name) => self.check_name(name)?,
        }
        Ok(Target { url, host, port, tls })
    }

    /// Whether an address may be reached.
    pub fn check(&self, address: IpAddr) -> Result<(), Refusal> {
        let allowed = self.networks.iter().any(|network| network.contains(&address));
        match reserved(address) {
            Some(_) if !allowed => Err(Refusal(
                "its host is not on the public internet: events are sent to public addresses only"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn check_name(&self, name: &str) -> Result<(), Refusal> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        if self.names.iter().any(|allowed| allowed.eq_ignore_ascii_case(&name)) {
            return Ok(());
        }
        let under = |inner: &str| {
            name.strip_suffix(inner).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if name.is_empty() || !name.contains('.') || INNER_NAMES.iter().any(|inner| under(inner)) {
            return Err(Refusal("its host is not a name of the public internet".to_owned()));
        }
        Ok(())
    }
}
