//! Values of settings, checked when they are read: what is wrong is told with what would be right.

use std::net::SocketAddr;

use tracing_subscriber::EnvFilter;
use url::Url;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Twelve digits.
pub fn account_id(text: &str) -> Result<String, String> {
    let is_number = text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    kept(text, is_number, "an account number has twelve digits")
}

/// An address to listen on.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an IP address with a port: 127.0.0.1:8000".to_owned())
}

/// Where something answers over HTTP.
pub fn web_address(text: &str) -> Result<String, String> {
    let is_address = Url::parse(text).is_ok_and(|url| {
        ["http", "https"].contains(&url.scheme())
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
    });
    kept(text, is_address, "write a scheme and a host: https://api.example.com")
}

/// Where a web page comes from.
pub fn origin(text: &str) -> Result<String, String> {
    let is_origin = Url::parse(text)
        .is_ok_and(|url| url.has_host() && url.origin().ascii_serialization() == text);
    kept(text, is_origin, "write scheme, host and port alone: https://app.example.com")
}

/// As ARNs and signatures have it.
pub fn region(text: &str) -> Result<String, String> {
    let is_region =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    kept(text, is_region, "a region has letters, digits and hyphens: eu-west-1")
}

/// A topic of SNS by its ARN.
pub fn topic(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    let is_topic = matches!(parts[..], ["arn", partition, "sns", region, account, name]
        if [partition, region, account, name].iter().all(|part| !part.is_empty()));
    kept(text, is_topic, "write the topic's ARN: arn:aws:sns:eu-west-1:123456789012:events")
}

/// Whom mails reach.
pub fn email(text: &str) -> Result<String, String> {
    let is_address = text.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty()
            && (domain == "localhost" || domain.trim_matches('.').contains('.'))
            && !text.contains(char::is_whitespace)
    });
    kept(text, is_address, "it is no email address: write it as name@example.com")
}

/// Which log lines are written. A lone word that is no level would be a target, and silence.
pub fn log_filter(text: &str) -> Result<String, String> {
    let is_level = |part: &str| {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
        LEVELS.contains(&level.trim().to_ascii_lowercase().as_str())
    };
    let is_filter =
        (text.contains('[') || text.split(',').all(is_level)) && EnvFilter::try_new(text).is_ok();
    let allowed = format!(
        "write {}, or that for a part of the program too: info,wire=debug",
        LEVELS.join(", ")
    );
    kept(text, is_filter, &allowed)
}

fn kept(text: &str, is_right: bool, advice: &str) -> Result<String, String> {
    if is_right { Ok(text.to_owned()) } else { Err(advice.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parser = fn(&str) -> Result<String, String>;

    #[test]
    fn what_is_right_is_taken_and_what_is_not_is_told() {
        let checks: [(Parser, &[&str], &[&str]); 6] = [
            (account_id, &["000000000000"], &["", "1", "00000000000x"]),
            (
                web_address,
                &["https://api.example.com", "http://127.0.0.1:8080/"],
                &["foo", "ftp://a", "https://", "localhost:8080", "https://a/?b", "https://a/#b"],
            ),
            (
                topic,
                &["arn:aws:sns:eu-west-1:123456789012:events"],
                &["", "events", "arn:aws:sqs:eu-west-1:123456789012:events", "arn:aws:sns:::"],
            ),
            (region, &["us-east-1", "local"], &["", "x y", "a/b"]),
            (email, &["admin@localhost", "a@b.example"], &["foo", "@b.c", "a@b", "a b@c.d", "a@."]),
            (
                log_filter,
                &["info", "WARN", "off", "info,wire=debug", "info,[request]=trace"],
                &["", "wat", "info,wat", "wire=wat"],
            ),
        ];
        for (parser, right, wrong) in checks {
            for text in right {
                assert_eq!(parser(text).as_deref(), Ok(*text));
            }
            for text in wrong {
                assert!(parser(text).is_err(), "{text}");
            }
        }
        assert!(address("localhost:8012").unwrap_err().contains("127.0.0.1:8000"));
    }
}
