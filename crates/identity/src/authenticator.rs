//! Who is calling? From the `Authorization` header to a [`Caller`].

use kernel::caller::{Caller, Identity};
use kernel::error::Error;
use secrets::Secret;

use super::external::External;
use super::service::Service;
use super::token::refused;

/// What a request shows to say who calls.
#[derive(Clone, Debug)]
pub enum Credential {
    /// Nothing.
    None,
    /// A signed token.
    Token(Secret),
    /// Something else after `Bearer`, such as an API key.
    Other(Secret),
}

/// Tells who calls with a token.
pub struct Authenticator {
    service: Service,
    external: Vec<External>,
}

impl Credential {
    /// Reads an `Authorization` header. What is neither absent nor a bearer's is refused.
    pub fn read(authorization: Option<&str>) -> Result<Credential, Error> {
        let Some(header) = authorization else { return Ok(Credential::None) };
        let not_bearer = || refused("the header is not of a bearer");
        let (scheme, credential) = header.split_once(' ').ok_or_else(not_bearer)?;
        if !scheme.eq_ignore_ascii_case("bearer")
            || credential.is_empty()
            || !is_graphic(credential)
        {
            return Err(not_bearer());
        }
        let secret = Secret::from(credential);
        let is_token = credential.contains('.');
        Ok(if is_token { Credential::Token(secret) } else { Credential::Other(secret) })
    }
}

/// Only visible ASCII characters? Of all of them at once: a token has hundreds, and to stop at the first
/// other one would mean to look at them one by one.
fn is_graphic(text: &str) -> bool {
    text.bytes().fold(true, |all, byte| all & byte.is_ascii_graphic())
}

impl Authenticator {
    /// Believes our own tokens, and those of other issuers.
    pub fn new(service: Service, external: Vec<External>) -> Authenticator {
        Authenticator { service, external }
    }

    /// Who calls with this token.
    pub async fn token(&self, token: &str) -> Result<Caller, Error> {
        let compact = self.service.known.read(token).map_err(refused)?;
        // The issuer that a token names is believed only with a key of that very issuer.
        if self.service.is_own(&compact) {
            let caller = self.service.verify_own(&compact).await?.caller();
            if let Identity::User { user_id, session: Some(session), .. } = &caller.identity
                && !self.service.is_live(user_id, session).await?
            {
                return Err(refused("the session is over"));
            }
            return Ok(caller);
        }
        match self.external.iter().find(|external| external.issued(&compact)) {
            Some(external) => external.caller(&compact, &self.service.known).await,
            None => Err(refused("the issuer is unknown")),
        }
    }
}
