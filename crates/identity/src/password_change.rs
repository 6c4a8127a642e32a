//! Another password: by whoever knows the old one, or by whoever reads the user's mail.
//!
//! Both end every session: whoever had the old password may have one.

use audit::Entry;
use kernel::error::Error;
use secrets::Secret;

use super::codes::{Purpose, invalid};
use super::commit::{Commit, Noted, guarded};
use super::email;
use super::password::{self, Verdict};
use super::records::{CredentialRecord, UserRecord};
use super::service::{Origin, Service, not_right, wrong_password};
use super::sessions::Tokens;
use crate::mail::Mail;

impl Service {
    /// Changes a password. Every session ends; the one that asked goes on as a new one.
    pub async fn change_password(
        &self,
        commit: &dyn Commit,
        origin: &Origin,
        user_id: &str,
        current: &Secret,
        new: &Secret,
    ) -> Result<Tokens, Error> {
        let user = self.user(user_id).await?.ok_or_else(not_right)?;
        let credential = self.credential(user_id).await?.ok_or_else(not_right)?;
        let stored = Some(credential.password_hash.as_str());
        if self.passwords.verify(current, stored).await? == Verdict::Wrong {
            self.note_failure(commit, "PASSWORD_CHANGED", Some(&user)).await?;
            return Err(wrong_password());
        }
        password::check("newPassword", new, &user.email)?;
        let next = self.with_password(&credential, new).await?;
        let write = self.tables.users.credential().replace_version(&next)?;
        let entry = Entry::new("AUTH", "PASSWORD_CHANGED", &*user.account_id).of("user", user_id);
        commit.commit(guarded([write]), Noted::entry(entry)).await?;
        let tokens = self.begin(commit, origin, &user, next.epoch, Vec::new()).await?;
        self.tell_changed(&user).await;
        Ok(tokens)
    }

    /// Mails a code with which the password can be set anew. The answer is always the same.
    pub async fn request_password_reset(
        &self,
        commit: &dyn Commit,
        email: &str,
    ) -> Result<(), Error> {
        let email = email::normalise(email)?;
        let Some(owner) = self.owner(&email).await? else { return Ok(()) };
        let purpose = Purpose::ResetPassword;
        if self.code_is_fresh(purpose, &owner).await? {
            return Ok(());
        }
        let (code, write) = self.new_code(purpose, &owner)?;
        commit.commit(guarded([write]), Noted::default()).await?;
        self.mail_known(Mail::reset_password(&self.settings.product, &email, code)).await
    }

    /// Sets a password with the mailed code, which also proves the address. Every session ends.
    pub async fn reset_password(
        &self,
        commit: &dyn Commit,
        email: &str,
        code: &str,
        new: &Secret,
    ) -> Result<(), Error> {
        let email = email::normalise(email)?;
        password::check("newPassword", new, &email)?;
        let (user, used) = self.proved_by(commit, Purpose::ResetPassword, &email, code).await?;
        let credential = self.credential(&user.user_id).await?.ok_or_else(invalid)?;
        let next = self.with_password(&credential, new).await?;
        let replace = self.tables.users.credential().replace_version(&next)?;
        let mut writes = vec![(used, invalid().into())];
        writes.extend(guarded([replace, self.verified(&user)?]));
        let entry =
            Entry::new("AUTH", "PASSWORD_RESET", &*user.account_id).of("user", &*user.user_id);
        commit.commit(writes, Noted::entry(entry)).await?;
        self.tell_changed(&user).await;
        Ok(())
    }

    async fn with_password(
        &self,
        credential: &CredentialRecord,
        new: &Secret,
    ) -> Result<CredentialRecord, Error> {
        Ok(CredentialRecord {
            owner: credential.owner.clone(),
            password_hash: self.passwords.hash(new).await?,
            password_changed_at: self.now(),
            epoch: credential.epoch + 1,
            version: credential.version,
        })
    }

    /// The change counts even if this mail does not go.
    async fn tell_changed(&self, user: &UserRecord) {
        let mail = Mail::password_changed(&self.settings.product, &user.email, self.now());
        let _ = self.mail(mail).await;
    }
}
