//! What the settings say of the world outside: mail servers, other issuers, rate limits. Everything is
//! read and checked before anything is opened.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use database::clock::{Clock, SystemClock};
use identity::mail::{Smtp, SmtpSecurity, SmtpSettings};
use identity::{External, ExternalIssuer, Fetch, HttpsFetch, JwksSource};
use kernel::Role;
use limits::{Policies, Policy};
use percent_encoding::percent_decode_str;
use secrets::Secret;
use serde::Deserialize;
use url::Url;
use web::Shell;

use crate::settings::PlatformSettings;

/// An issuer of the configuration file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Issuer {
    issuer: String,
    audience: String,
    #[serde(default)]
    kind: Kind,
    jwks: Option<String>,
    groups_claim: Option<String>,
    tenants_claim: Option<String>,
    customer_claim: Option<String>,
    platform_groups: Option<BTreeMap<String, String>>,
    #[serde(default)]
    trusts_email: bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    Oidc,
    Cognito,
}

/// The mail server, if there is one.
pub fn smtp(settings: &PlatformSettings) -> Result<Option<Smtp>, String> {
    let Some(url) = &settings.smtp_url else {
        let given = [
            (settings.mail_from.is_some(), "--mail-from"),
            (settings.smtp_password.is_some(), "--smtp-password"),
        ];
        return match given.iter().find(|(is_given, _)| *is_given) {
            Some((_, flag)) => Err(format!(
                "{flag} is for the server that --smtp-url names, and there is none: mails would be \
                 files in the folder `mailbox`. Give --smtp-url, or leave it out."
            )),
            None => Ok(None),
        };
    };
    let parsed = smtp_settings(url.reveal(), settings)?;
    let smtp = Smtp::new(parsed, Arc::new(SystemClock));
    smtp.map(Some).map_err(|error| format!("--smtp-url: {}", error.reason().unwrap_or_default()))
}

/// The URL itself is not repeated in messages: it may hold a password.
fn smtp_settings(url: &str, settings: &PlatformSettings) -> Result<SmtpSettings, String> {
    let usual = "Write smtp://user@mail.example.com:587";
    let url = Url::parse(url).map_err(|error| format!("--smtp-url is no URL: {error}. {usual}"))?;
    let security = match url.scheme() {
        "smtp" => SmtpSecurity::StartTls,
        "smtps" => SmtpSecurity::Tls,
        "smtp-plain" => SmtpSecurity::None,
        other => {
            return Err(format!(
                "--smtp-url begins with {other}://, which is none of smtp, smtps and smtp-plain. \
                 {usual}"
            ));
        }
    };
    let host = url.host_str().filter(|host| !host.is_empty());
    let host = host.ok_or_else(|| format!("--smtp-url names no server. {usual}"))?;
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let password = match (&settings.smtp_password, url.password()) {
        (Some(password), _) => Some(password.reveal().to_owned()),
        (None, password) => password.map(decoded),
    };
    let login = match (url.username(), password) {
        ("", None) => None,
        ("", Some(_)) => return Err(format!("--smtp-url has a password for no user. {usual}")),
        (_, None) => {
            return Err("--smtp-url names a user without a password: set \
                        PLINTH_SMTP_PASSWORD"
                .to_owned());
        }
        (user, Some(password)) => Some((decoded(user), Secret::new(password))),
    };
    Ok(SmtpSettings {
        host: host.to_owned(),
        port: url.port(),
        security,
        login,
        from: settings.mail_from.clone().ok_or_else(|| {
            "--smtp-url needs --mail-from, the address that mails come from.".to_owned()
        })?,
        product: "Plinth".to_owned(),
    })
}

/// Refuses a rate limit for a route that there is not: it would limit nobody.
pub fn check_routes(policies: &Policies, shell: &Shell) -> Result<(), String> {
    let routes: Vec<String> =
        shell.routes().map(|route| format!("{} {}", route.method, route.path)).collect();
    match policies.idle(&routes).first() {
        None => Ok(()),
        Some((policy, route)) => Err(format!(
            "policy {}: there is no route `{route}`, so it would limit nobody. /docs lists the \
             routes; one that ends in * stands for all that begin so",
            policy.name
        )),
    }
}

/// The rate limits: those of the settings, or the usual ones.
pub fn policies(settings: &PlatformSettings) -> Result<Policies, String> {
    let Some(document) = &settings.policies else { return Ok(Policies::usual()) };
    let policies: Vec<Policy> = document.read("the rate limits")?;
    Policies::new(policies).map_err(|problems| problems.to_string())
}

/// The other issuers.
pub fn issuers(settings: &PlatformSettings) -> Result<Vec<External>, String> {
    let listed = listed(settings)?;
    if listed.is_empty() {
        return Ok(Vec::new());
    }
    let fetch = HttpsFetch::new().map_err(|error| format!("No issuer can be asked: {error:?}"))?;
    let fetch: Arc<dyn Fetch> = Arc::new(fetch);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let external = |issuer| External::new(issuer, Arc::clone(&fetch), Arc::clone(&clock));
    Ok(listed.into_iter().map(external).collect())
}

fn listed(settings: &PlatformSettings) -> Result<Vec<ExternalIssuer>, String> {
    let mut all: Vec<Issuer> = match &settings.issuers {
        Some(document) => document.read("the issuers")?,
        None => Vec::new(),
    };
    let named = [
        (&settings.oidc_issuer, &settings.oidc_audience, &settings.oidc_jwks, Kind::Oidc),
        (&settings.cognito_issuer, &settings.cognito_client, &None, Kind::Cognito),
    ];
    for (issuer, audience, jwks, kind) in named {
        let (issuer, audience) = match (issuer, audience) {
            (None, None) => continue,
            (Some(issuer), Some(audience)) => (issuer.clone(), audience.clone()),
            _ => {
                return Err("An issuer has an audience: --oidc-issuer goes with --oidc-audience, \
                            --cognito-issuer with --cognito-client."
                    .to_owned());
            }
        };
        all.push(Issuer {
            issuer,
            audience,
            kind,
            jwks: jwks.clone(),
            groups_claim: None,
            tenants_claim: None,
            customer_claim: None,
            platform_groups: None,
            trusts_email: false,
        });
    }
    let mut issuers = Vec::new();
    for issuer in all {
        let issuer = external(issuer)?;
        if issuers.iter().any(|other: &ExternalIssuer| other.issuer == issuer.issuer) {
            return Err(format!("The issuer {} is configured twice.", issuer.issuer));
        }
        issuers.push(issuer);
    }
    Ok(issuers)
}

fn external(listed: Issuer) -> Result<ExternalIssuer, String> {
    let name = listed.issuer.clone();
    let is_address = |text: &str| Url::parse(text).is_ok_and(|url| url.scheme() == "https");
    if !is_address(&name) && listed.jwks.is_none() {
        return Err(format!(
            "The issuer {name} is no https address, so its keys cannot be found. Say where they are \
             with `jwks`."
        ));
    }
    let mut issuer = match listed.kind {
        Kind::Oidc => ExternalIssuer::oidc(listed.issuer, listed.audience),
        Kind::Cognito => ExternalIssuer::cognito(listed.issuer, listed.audience),
    };
    if let Some(place) = listed.jwks {
        issuer.keys = match is_address(&place) {
            true => JwksSource::Url(place),
            false if place.contains("://") => {
                return Err(format!("The keys of {name} are at {place}, which is not https."));
            }
            false => JwksSource::File(PathBuf::from(place)),
        };
    }
    issuer.trusts_email = listed.trusts_email;
    let claims = &mut issuer.claims;
    let given = [
        (&mut claims.groups, listed.groups_claim),
        (&mut claims.tenants, listed.tenants_claim),
        (&mut claims.customer, listed.customer_claim),
    ];
    for (claim, other) in given {
        *claim = other.unwrap_or_else(|| std::mem::take(claim));
    }
    if let Some(groups) = listed.platform_groups {
        let role = |(group, role): (String, String)| match Role::parse(&role) {
            Some(parsed) => Ok((group, parsed)),
            None => {
                Err(format!("The issuer {name} gives the group {group} the role {role}, {ROLES}"))
            }
        };
        claims.platform_groups = groups.into_iter().map(role).collect::<Result<_, _>>()?;
    }
    Ok(issuer)
}

const ROLES: &str =
    "which is none of platform-admin, owner, admin, operator, member, viewer, auditor.";

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: PlatformSettings,
    }

    fn settings(flags: &[&str]) -> PlatformSettings {
        Line::parse_from([&["plinth"], flags].concat()).settings
    }

    fn mail(url: &str, more: &[&str]) -> Result<SmtpSettings, String> {
        let flags = ["--smtp-url", url, "--mail-from", "no-reply@example.com"];
        smtp_settings(url, &settings(&[&flags, more].concat()))
    }

    #[test]
    fn a_mail_server_is_read_from_its_url_and_its_password_from_elsewhere() {
        let read = mail("smtp://us%40er:p%2Fw@mail.example.com:587", &[]).unwrap();
        let (user, password) = read.login.unwrap();
        assert_eq!((user.as_str(), password.reveal()), ("us@er", &"p/w".to_owned()));
        assert_eq!((read.host.as_str(), read.port), ("mail.example.com", Some(587)));
        assert_eq!(read.security, SmtpSecurity::StartTls);
        let read = mail("smtps://user@mail.example.com", &["--smtp-password", "other"]).unwrap();
        assert_eq!(read.login.unwrap().1.reveal(), "other");
        assert_eq!((read.security, read.port), (SmtpSecurity::Tls, None));
        assert!(mail("smtp-plain://localhost:25", &[]).unwrap().login.is_none());
    }

    #[test]
    fn a_wrong_mail_server_is_told_without_its_password() {
        for url in ["canary", "http://u:canary@host", "smtp://:canary@host", "smtp:canary"] {
            let problem = mail(url, &[]).unwrap_err();
            assert!(problem.contains("--smtp-url") && !problem.contains("canary"), "{problem}");
        }
        let alone = smtp_settings("smtp://localhost", &settings(&[])).unwrap_err();
        assert!(alone.contains("--mail-from"), "{alone}");
        for flag in ["--mail-from", "--smtp-password"] {
            let lonely = smtp(&settings(&[flag, "x@example.com"])).err().unwrap();
            assert!(lonely.starts_with(flag) && lonely.contains("--smtp-url"), "{lonely}");
        }
        assert!(mail("smtp://user@host", &[]).unwrap_err().contains("PLINTH_SMTP_PASSWORD"));
        let shown =
            format!("{:?}", settings(&["--smtp-url", "smtp://u:canary@h", "--mail-from", "a"]));
        assert!(!shown.contains("canary"), "{shown}");
    }

    #[test]
    fn issuers_come_from_flags_and_from_documents() {
        let json = r#"[{ "issuer": "https://id.example.com", "audience": "app",
            "groups-claim": "roles", "platform-groups": { "Ops": "platform-admin" } },
            { "issuer": "local", "audience": "app", "jwks": "keys.json" }]"#;
        let cognito = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_A";
        let flags = ["--issuers", json, "--cognito-issuer", cognito, "--cognito-client", "c"];
        let all = listed(&settings(&flags)).unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].claims.groups, "roles");
        assert_eq!(all[0].claims.platform_groups, [("Ops".to_owned(), Role::PlatformAdmin)]);
        assert_eq!(all[1].keys, JwksSource::File("keys.json".into()));
        assert_eq!(all[2].keys, JwksSource::Url(format!("{cognito}/.well-known/jwks.json")));
        assert_eq!(all[2].claims.tenants, "custom:tenantIds");
    }

    #[test]
    fn a_wrong_issuer_is_told() {
        let wrong = [
            (r#"[{ "issuer": "x", "audience": "a" }]"#, "jwks"),
            (r#"[{ "issuer": "https://x", "audience": "a", "jwks": "http://x" }]"#, "not https"),
            (r#"[{ "issuer": "https://x", "audience": "a", "claim": "y" }]"#, "`claim`"),
            (
                r#"[{ "issuer": "https://x", "audience": "a" },
                    { "issuer": "https://x", "audience": "b" }]"#,
                "twice",
            ),
            (
                r#"[{ "issuer": "https://x", "audience": "a", "platform-groups": { "A": "king" } }]"#,
                "king",
            ),
        ];
        let half = listed(&settings(&["--oidc-issuer", "https://x"])).unwrap_err();
        assert!(half.contains("--oidc-audience"), "{half}");
        for (json, said) in wrong {
            let problem = listed(&settings(&["--issuers", json])).unwrap_err();
            assert!(problem.contains(said), "{problem}");
        }
    }

    #[test]
    fn policies_are_data_and_a_wrong_one_is_told() {
        let good = r#"[{ "name": "few", "limit": 3, "window_seconds": 60, "by": "address" }]"#;
        let read = policies(&settings(&["--policies", good])).unwrap();
        assert_eq!(read.find("few").map(|policy| policy.limit), Some(3));
        assert!(policies(&settings(&[])).unwrap().find("login-target").is_some());
        let bad = good.replace("\"limit\": 3", "\"limit\": 0");
        let problem = policies(&settings(&["--policies", &bad])).unwrap_err();
        assert!(problem.contains("policy few"), "{problem}");
    }
}
