//! The first start: one administrator, whose password is shown once.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use changes::{Conflict, Rejection};
use kernel::error::Error;
use secrets::Secret;

use super::commit::Commit;
use super::email;
use super::records::MarkerRecord;
use super::register::NewUser;
use super::service::Service;

/// Reserved for good by the first administrator: no username has this sign. It is what makes the first
/// start the first, even after that administrator took another name or address.
const FIRST: &str = "#first-administrator";

/// The administrator that a first start made.
#[derive(Clone, Debug)]
pub struct FirstAdministrator {
    /// The address to log in with.
    pub email: String,
    /// The password to log in with, which is stored nowhere.
    pub password: Secret,
}

impl Service {
    /// Makes the administrator if none was ever made. Of several instances that start at once, one is
    /// told the password.
    pub async fn first_start(
        &self,
        commit: &dyn Commit,
    ) -> Result<Option<FirstAdministrator>, Error> {
        if self.is_started().await? {
            return Ok(None);
        }
        let email = email::normalise(&self.settings.admin_email)?;
        let chance: [u8; 18] = self.ids.bytes()?;
        let password = Secret::new(URL_SAFE_NO_PAD.encode(chance));
        let (user, mut writes, noted) = self.new_user(NewUser {
            email: email.clone(),
            username: "admin".to_owned(),
            name: "Administrator".to_owned(),
            password_hash: self.passwords.hash(&password).await?,
            role: "admin",
            verified: true,
        })?;
        let marker = self.tables.users.username_marker().reserve(FIRST, &user.user_id)?;
        // Of several that fail, the first write speaks.
        writes.insert(0, (marker, Conflict.into()));
        match commit.commit(writes, noted).await {
            Ok(()) => Ok(Some(FirstAdministrator { email, password })),
            // Another instance was faster.
            Err(Rejection::Conflict) if self.is_started().await? => Ok(None),
            Err(rejection) => Err(rejection.into()),
        }
    }

    /// Whether an administrator was ever made.
    async fn is_started(&self) -> Result<bool, Error> {
        let owner = self.tables.users.get_username_owner(FIRST);
        Ok(owner.get::<MarkerRecord>().await?.is_some())
    }
}
