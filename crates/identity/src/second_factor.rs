//! The second factor: an authenticator app, and recovery codes for when it is lost.

use audit::Entry;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use changes::Rejection;
use kernel::error::{CONFLICT, Error};
use secrets::Secret;
use serde::{Deserialize, Serialize};
use store::Changes;
use zeroize::Zeroizing;

use super::codes::{self, make};
use super::commit::{Commit, Noted, first_decides, guarded};
use super::password::Verdict;
use super::records::{USERS, UserRecord, same, sha256_hex};
use super::service::{Service, not_right, wrong_password};
use super::totp::{SECRET_BYTES, base32, matching_step};

const RECOVERY_CODES: usize = 10;
/// 80 bits: they are not limited in time.
const RECOVERY_SIGNS: usize = 16;

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FactorRecord {
    owner: String,
    pending_secret: Option<String>,
    last_step: u64,
    recovery_codes: Vec<String>,
    version: i64,
}

/// What an app is set up with, shown once.
#[derive(Clone, Debug)]
pub struct Enrolment {
    /// The secret, to be typed.
    pub secret: Secret,
    /// The same as an address for a picture (`otpauth://…`).
    pub address: Secret,
}

/// Codes for when the app is lost, each for one use, shown once.
#[derive(Clone, Debug)]
pub struct RecoveryCodes(pub Vec<Secret>);

impl Service {
    /// Begins to set up an app. Nothing is asked for at login until it is confirmed.
    pub async fn enrol_second_factor(
        &self,
        commit: &dyn Commit,
        user_id: &str,
        password: &Secret,
    ) -> Result<Enrolment, Error> {
        // Before the user: if an app is confirmed in between, one of the two tells.
        let before = self.factor(user_id).await?;
        let user = self.known_by(commit, "SECOND_FACTOR_ENABLED", user_id, password).await?;
        if user.mfa_enabled {
            let message = "A second factor is set up already: disable it first";
            return Err(Error::new(CONFLICT, message));
        }
        let secret: Zeroizing<[u8; SECRET_BYTES]> = Zeroizing::new(self.ids.bytes()?);
        let sealed = self.seal.seal(&user.account_id, &place(user_id), &*secret).await?;
        let record = FactorRecord {
            owner: user_id.to_owned(),
            pending_secret: Some(STANDARD.encode(sealed)),
            last_step: 0,
            recovery_codes: Vec::new(),
            version: before.as_ref().map_or(1, |before| before.version),
        };
        let factors = self.tables.users.second_factor();
        let write = match before {
            None => factors.create(&record)?,
            Some(_) => factors.replace_version(&record)?,
        };
        match write.run().await {
            Err(store::Error::ConditionFailed { .. }) => {
                let message = "A second factor is being set up by another request: begin again";
                return Err(Error::new(CONFLICT, message));
            }
            result => drop(result?),
        }
        let secret = Secret::new(base32(&*secret));
        let product = escaped(&self.settings.product);
        let address = format!(
            "otpauth://totp/{product}:{}?secret={}&issuer={product}&algorithm=SHA1&digits=6&period=30",
            escaped(&user.email),
            secret.reveal()
        );
        Ok(Enrolment { secret, address: Secret::new(address) })
    }

    /// Confirms an app with its first code. From now on it is asked for.
    pub async fn confirm_second_factor(
        &self,
        commit: &dyn Commit,
        user_id: &str,
        code: &str,
    ) -> Result<RecoveryCodes, Error> {
        let user = self.user(user_id).await?.ok_or_else(codes::invalid)?;
        if user.mfa_enabled {
            return Err(codes::invalid());
        }
        let mut factor = self.factor(user_id).await?.ok_or_else(codes::invalid)?;
        let sealed = factor.pending_secret.take().ok_or_else(codes::invalid)?;
        let secret = self.unsealed(&user, &sealed).await?;
        let Some(step) = matching_step(&secret, code.trim(), self.now(), factor.last_step) else {
            self.note_failure(commit, "SECOND_FACTOR_ENABLED", Some(&user)).await?;
            return Err(codes::invalid());
        };
        factor.last_step = step;
        let recovery: Vec<Secret> =
            (0..RECOVERY_CODES).map(|_| make(self, RECOVERY_SIGNS)).collect::<Result<_, _>>()?;
        let hash = |code: &Secret| recovery_hash(user_id, code.reveal());
        factor.recovery_codes = recovery.iter().map(hash).collect();
        let changes = Changes::new()
            .set("mfaEnabled", true)
            .set("mfaSecret", sealed)
            .set("updatedAt", self.now().to_string());
        let replace = self.tables.users.second_factor().replace_version(&factor)?;
        let mut writes = vec![(replace, codes::invalid().into())];
        writes.extend(guarded([self.update_user(user_id, changes)?]));
        let entry =
            Entry::new("AUTH", "SECOND_FACTOR_ENABLED", user.account_id).of("user", user_id);
        commit.commit(writes, Noted::entry(entry)).await?;
        Ok(RecoveryCodes(recovery))
    }

    /// Takes the second factor away, for whoever has both factors.
    pub async fn disable_second_factor(
        &self,
        commit: &dyn Commit,
        user_id: &str,
        password: &Secret,
        code: &str,
    ) -> Result<(), Error> {
        let user = self.known_by(commit, "SECOND_FACTOR_DISABLED", user_id, password).await?;
        if !self.accepts_code(commit, &user, code).await? {
            self.note_failure(commit, "SECOND_FACTOR_DISABLED", Some(&user)).await?;
            return Err(codes::invalid());
        }
        let factor = self.factor(user_id).await?.ok_or_else(codes::invalid)?;
        let remove = self.tables.users.remove_second_factor(user_id, factor.version);
        let changes = Changes::new()
            .set("mfaEnabled", false)
            .remove("mfaSecret")
            .set("updatedAt", self.now().to_string());
        let writes = guarded([remove.delete()?, self.update_user(user_id, changes)?]);
        let entry =
            Entry::new("AUTH", "SECOND_FACTOR_DISABLED", user.account_id).of("user", user_id);
        Ok(commit.commit(writes, Noted::entry(entry)).await?)
    }

    /// Whether a code is the user's. One that is accepted is used up; that a recovery code was is
    /// recorded.
    pub(super) async fn accepts_code(
        &self,
        commit: &dyn Commit,
        user: &UserRecord,
        code: &str,
    ) -> Result<bool, Error> {
        let Some(sealed) = user.mfa_secret.as_deref().filter(|_| user.mfa_enabled) else {
            return Ok(false);
        };
        let Some(factor) = self.factor(&user.user_id).await? else { return Ok(false) };
        let code = code.trim();
        let secret = self.unsealed(user, sealed).await?;
        let (write, noted) = match matching_step(&secret, code, self.now(), factor.last_step) {
            Some(step) => {
                let step = i64::try_from(step).map_err(Error::internal)?;
                let accept = self.tables.users.accept_step(&user.user_id, step);
                (accept.update(Changes::new().set("lastStep", step))?, Noted::default())
            }
            None => {
                let hash = recovery_hash(&user.user_id, code);
                let mut left = factor.clone();
                left.recovery_codes.retain(|known| !same(known, &hash));
                if left.recovery_codes.len() == factor.recovery_codes.len() {
                    return Ok(false);
                }
                let entry = Entry::new("AUTH", "RECOVERY_CODE_USED", &*user.account_id)
                    .of("user", &*user.user_id)
                    .detail("left", left.recovery_codes.len());
                let write = self.tables.users.second_factor().replace_version(&left)?;
                (write, Noted::entry(entry))
            }
        };
        match commit.commit(first_decides([write]), noted).await {
            Ok(()) => Ok(true),
            // The same code was accepted a moment ago, for another request.
            Err(Rejection::Conflict) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn factor(&self, user_id: &str) -> Result<Option<FactorRecord>, Error> {
        Ok(self.tables.users.get_second_factor(user_id).get().await?)
    }

    async fn unsealed(&self, user: &UserRecord, sealed: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
        let sealed = STANDARD.decode(sealed).map_err(Error::internal)?;
        let plain = self.seal.unseal(&user.account_id, &place(&user.user_id), &sealed).await?;
        Ok(Zeroizing::new(plain))
    }

    /// The user, to whoever knows the password and is about to do something.
    async fn known_by(
        &self,
        commit: &dyn Commit,
        action: &'static str,
        user_id: &str,
        password: &Secret,
    ) -> Result<UserRecord, Error> {
        let user = self.user(user_id).await?.ok_or_else(not_right)?;
        let credential = self.credential(user_id).await?.ok_or_else(not_right)?;
        let stored = Some(credential.password_hash.as_str());
        match self.passwords.verify(password, stored).await? {
            Verdict::Wrong => {
                self.note_failure(commit, action, Some(&user)).await?;
                Err(wrong_password())
            }
            Verdict::Right { .. } => Ok(user),
        }
    }
}

fn place(user_id: &str) -> String {
    format!("{USERS}/{user_id}/mfaSecret")
}

fn recovery_hash(user_id: &str, code: &str) -> String {
    sha256_hex(&["recovery", user_id, codes::read(code).reveal()])
}

/// For a part of an address: everything but letters, digits and a few signs as %XX.
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'@' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}
