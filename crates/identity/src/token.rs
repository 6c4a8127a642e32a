//! Access tokens of our own: what they say, and when they are believed.

use std::sync::Arc;

use kernel::caller::{Caller, Identity, Role};
use kernel::error::{Error, UNAUTHORIZED};
use secrets::Secret;
use serde_json::{Map, Value, json};

use super::claims::{EXPIRED, Times, audiences, text};
use super::jws::{Compact, Refused};
use super::records::{UserRecord, role_of};
use super::service::Service;

/// The header's `typ` (RFC 9068). A refresh token is no JWT at all, and an ID token has another.
const TYP: &str = "at+jwt";
/// `token_use`, as Cognito calls it.
const USE: &str = "access";

/// What an access token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessClaims {
    /// Whose it is.
    pub subject: String,
    /// Their address.
    pub email: Option<String>,
    /// The account they act in.
    pub account_id: Option<String>,
    /// Their roles.
    pub roles: Vec<Role>,
    /// The session that it belongs to; none for a script.
    pub session: Option<String>,
}

impl AccessClaims {
    /// A user's, within a session.
    pub(super) fn of_user(user: &UserRecord, membership: &str, session: &str) -> AccessClaims {
        let own = role_of(membership);
        let roles = match &*user.role {
            "admin" => [Some(Role::PlatformAdmin), own].into_iter().flatten().collect(),
            // Read only on the platform as a whole is read only everywhere (C1-12).
            "readonly" => vec![Role::Viewer],
            _ => own.into_iter().collect(),
        };
        AccessClaims {
            subject: user.user_id.clone(),
            email: Some(user.email.clone()),
            account_id: Some(user.account_id.clone()),
            roles,
            session: Some(session.to_owned()),
        }
    }

    /// Who calls with it.
    pub(super) fn caller(self) -> Caller {
        let mut caller = Caller::new(Identity::User {
            user_id: self.subject,
            email: self.email,
            session: self.session,
        });
        caller.account_id = self.account_id;
        caller.roles = self.roles.into_iter().collect();
        caller
    }

    fn from_claims(claims: &Map<String, Value>) -> Result<AccessClaims, Refused> {
        let optional = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(_) => {
                text(claims, name).map(|text| Some(text.to_owned())).ok_or("a claim is no text")
            }
        };
        let role = |role: &Value| role.as_str().and_then(Role::parse);
        let roles = claims.get("roles").and_then(Value::as_array).ok_or("roles are missing")?;
        let roles: Option<Vec<Role>> = roles.iter().map(role).collect();
        Ok(AccessClaims {
            subject: text(claims, "sub").ok_or("sub is missing")?.to_owned(),
            email: optional("email")?,
            account_id: optional("account")?,
            roles: roles.ok_or("a role is unknown")?,
            session: optional("sid")?,
        })
    }
}

/// The answer to every token that is not accepted; only the log learns why.
pub(super) fn refused(why: Refused) -> Error {
    if why == EXPIRED {
        let message = "The token has expired: refresh it, or log in again";
        return Error::new(UNAUTHORIZED, message).detail("reason", "expired").because(why);
    }
    Error::new(UNAUTHORIZED, "The token is not accepted: log in again").because(why)
}

impl Service {
    /// Signs an access token.
    pub(super) async fn access_token(&self, claims: &AccessClaims) -> Result<Secret, Error> {
        let now = self.now().seconds();
        let roles: Vec<&str> = claims.roles.iter().map(|role| role.as_str()).collect();
        let mut body = json!({
            "iss": self.settings.issuer,
            "aud": self.settings.audience,
            "sub": claims.subject,
            "iat": now,
            "nbf": now,
            "exp": now + self.settings.access_life.as_secs(),
            "jti": self.ids.ulid(self.now())?,
            "token_use": USE,
            "roles": roles,
        });
        let optional =
            [("email", &claims.email), ("account", &claims.account_id), ("sid", &claims.session)];
        for (name, value) in optional {
            if let Some(value) = value {
                body[name] = Value::from(value.as_str());
            }
        }
        Ok(Secret::new(self.keys.sign(TYP, &body).await?))
    }

    /// Believes a token of our own, or refuses it. Whether its session is over is another question.
    pub async fn verify_token(&self, token: &str) -> Result<AccessClaims, Error> {
        let compact = self.known.read(token).map_err(refused)?;
        self.verify_own(&compact).await
    }

    /// Whether a token says that it is ours.
    pub(super) fn is_own(&self, compact: &Compact) -> bool {
        text(&compact.claims, "iss") == Some(&self.settings.issuer)
    }

    pub(super) async fn verify_own(&self, compact: &Arc<Compact>) -> Result<AccessClaims, Error> {
        let kid = compact.kid().map_err(refused)?;
        let key = self.keys.find(kid).await?.ok_or_else(|| refused("the key is unknown"))?;
        self.known.verify(compact, &key).map_err(refused)?;
        self.check_claims(compact).map_err(refused)
    }

    fn check_claims(&self, compact: &Compact) -> Result<AccessClaims, Refused> {
        let claims = &compact.claims;
        if text(&compact.header, "typ") != Some(TYP) {
            return Err("it is not an access token");
        }
        if !self.is_own(compact) {
            return Err("the issuer is another");
        }
        if audiences(claims)? != [self.settings.audience.as_str()] {
            return Err("it is for somebody else");
        }
        if text(claims, "token_use") != Some(USE) {
            return Err("token_use is not access");
        }
        let times = Times {
            now: self.now(),
            early: self.settings.clock_skew,
            late: std::time::Duration::ZERO,
            life_max: self.settings.access_life,
        };
        if !claims.contains_key("nbf") {
            return Err("nbf is missing");
        }
        times.check(claims)?;
        AccessClaims::from_claims(claims)
    }

    /// Signs a short-lived token for scripts, for `plinth token`: for whoever can read the data folder,
    /// and over no network.
    pub async fn sign_script_token(
        &self,
        email: &str,
        role: Role,
        tenant: Option<&str>,
    ) -> Result<Secret, Error> {
        let email = super::email::normalise(email)?;
        let subject = match self.owner(&email).await? {
            Some(owner) => owner,
            None => format!("script:{email}"),
        };
        let claims = AccessClaims {
            subject,
            email: Some(email),
            account_id: tenant.map(str::to_owned),
            roles: vec![role],
            session: None,
        };
        self.access_token(&claims).await
    }
}
