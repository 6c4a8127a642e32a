//! Links of a service: its path templates, filled in, below the mount through which it was reached.

use std::sync::Arc;

/// Where the links of a service begin, as a request reached it.
#[derive(Clone, Debug, Default)]
pub struct LinkBase {
    /// The path that the service is mounted at.
    pub mount: Arc<str>,
    /// The account that the request names in its query goes with every link: who administers the
    /// platform has to name one everywhere.
    pub account_id: Option<String>,
}

impl LinkBase {
    /// The template of a route, each name in braces replaced by its value.
    pub fn link(&self, template: &str, values: &[(&str, &str)]) -> String {
        let mut link = String::from(&*self.mount);
        for (at, part) in template.split('{').enumerate() {
            match part.split_once('}') {
                Some((name, rest)) if at > 0 => {
                    let value = values.iter().find(|(known, _)| *known == name);
                    push_encoded(&mut link, value.map_or(name, |(_, value)| value));
                    link.push_str(rest);
                }
                _ => link.push_str(part),
            }
        }
        if let Some(account) = &self.account_id {
            link.push_str("?accountId=");
            push_encoded(&mut link, account);
        }
        link
    }
}

/// Percent-encodes what may not stand in a part of a path.
fn push_encoded(link: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            link.push(char::from(byte));
        } else {
            link.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled_in_below_the_mount() {
        let mut base = LinkBase { mount: "/v1.0".into(), account_id: None };
        let values = [("tenantId", "t/1"), ("userId", "u 2")];
        let template = "/tenants/{tenantId}/users/{userId}";
        assert_eq!(base.link(template, &values), "/v1.0/tenants/t%2F1/users/u%202");
        base.account_id = Some("acc&1".to_owned());
        assert_eq!(base.link("/keys", &[]), "/v1.0/keys?accountId=acc%261");
    }
}
