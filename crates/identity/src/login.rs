//! Logging in: name and password, then the second factor if there is one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::error::{Error, UNAUTHORIZED};
use secrets::Secret;
use store::Changes;

use super::commit::Commit;
use super::password::Verdict;
use super::records::{ChallengeRecord, CredentialRecord, UserRecord, sha256_of};
use super::service::{Origin, Service, must_be_active, not_right};
use super::sessions::Tokens;

/// Who wants to log in.
#[derive(Clone, Debug)]
pub struct Login {
    /// Their email address or username.
    pub name: String,
    /// Their password.
    pub password: Secret,
}

/// What came of the first step.
#[derive(Clone, Debug)]
pub enum LoggedIn {
    /// That is all.
    Tokens(Tokens),
    /// A second factor is asked for.
    SecondStep(SecondStep),
}

/// What the second step is made with.
#[derive(Clone, Debug)]
pub struct SecondStep {
    /// To be sent with the code.
    pub challenge: Secret,
    /// Seconds that there are for it.
    pub expires_in: u64,
}

/// An attempt at the second step that has been counted.
pub struct Attempt {
    waiting: ChallengeRecord,
}

impl Attempt {
    /// Whose login it is.
    pub fn user_id(&self) -> &str {
        &self.waiting.owner
    }
}

fn wrong() -> Error {
    Error::new(UNAUTHORIZED, "The code is not right, or the login took too long")
}

impl Service {
    /// Logs in. Whatever is not right, the answer is one and takes as long.
    pub async fn log_in(
        &self,
        commit: &dyn Commit,
        origin: &Origin,
        login: Login,
    ) -> Result<LoggedIn, Error> {
        let owner = self.owner(&login.name).await?;
        let (user, credential) = match &owner {
            Some(owner) => (self.user(owner).await?, self.credential(owner).await?),
            None => (None, None),
        };
        let stored = credential.as_ref().map(|credential| credential.password_hash.as_str());
        let verdict = self.passwords.verify(&login.password, stored).await?;
        let (Some(user), Some(credential), Verdict::Right { outdated }) =
            (&user, credential, verdict)
        else {
            self.note_failure(commit, "LOGIN", user.as_ref()).await?;
            return Err(not_right());
        };
        if let Err(refusal) = must_be_active(user) {
            self.note_failure(commit, "LOGIN", Some(user)).await?;
            return Err(refusal);
        }
        if outdated {
            self.hash_again(&credential, &login.password).await?;
        }
        if user.mfa_enabled {
            return Ok(LoggedIn::SecondStep(self.challenge(user, credential.epoch).await?));
        }
        let tokens = self.begin(commit, origin, user, credential.epoch, Vec::new()).await?;
        Ok(LoggedIn::Tokens(tokens))
    }

    /// Counts an attempt at a challenge. Whose it is, is known from here on: whoever has a password
    /// can have many challenges, and all together must not be tried too often.
    pub async fn attempt(&self, challenge: &Secret) -> Result<Attempt, Error> {
        let (hash, most) = (sha256_of(challenge.reveal()), self.settings.code_attempts_max);
        let attempt = self.tables.tokens.try_challenge(&hash, most);
        let counted = attempt.update(Changes::new().add("attempts", 1_i64))?;
        let waiting: ChallengeRecord = match counted.run_into().await {
            Ok(Some(waiting)) => waiting,
            Ok(None) | Err(store::Error::ConditionFailed { .. }) => return Err(wrong()),
            Err(error) => return Err(error.into()),
        };
        if self.now().seconds() >= waiting.expires_at {
            return Err(wrong());
        }
        Ok(Attempt { waiting })
    }

    /// Logs in with the second factor: a code of the app, or a recovery code.
    pub async fn log_in_second(
        &self,
        commit: &dyn Commit,
        origin: &Origin,
        attempt: Attempt,
        code: &str,
    ) -> Result<Tokens, Error> {
        let Attempt { waiting } = attempt;
        let user = self.user(&waiting.owner).await?.ok_or_else(wrong)?;
        if !self.accepts_code(commit, &user, code).await? {
            self.note_failure(commit, "SECOND_FACTOR", Some(&user)).await?;
            return Err(wrong());
        }
        let used = self.tables.tokens.use_challenge(&waiting.challenge_hash).delete()?;
        self.begin(commit, origin, &user, waiting.epoch, vec![used]).await
    }

    async fn challenge(&self, user: &UserRecord, epoch: i64) -> Result<SecondStep, Error> {
        let chance: [u8; 32] = self.ids.bytes()?;
        let challenge = Secret::new(URL_SAFE_NO_PAD.encode(chance));
        let now = self.now();
        let record = ChallengeRecord {
            challenge_hash: sha256_of(challenge.reveal()),
            owner: user.user_id.clone(),
            epoch,
            attempts: 0,
            started_at: now,
            expires_at: now.after(self.settings.challenge_life).seconds(),
        };
        self.tables.tokens.challenge().create(&record)?.run().await?;
        Ok(SecondStep { challenge, expires_in: self.settings.challenge_life.as_secs() })
    }

    /// Stores a hash at today's cost. If the credential was changed meanwhile, that change counts.
    async fn hash_again(
        &self,
        credential: &CredentialRecord,
        password: &Secret,
    ) -> Result<(), Error> {
        let mut credential = credential.clone();
        credential.password_hash = self.passwords.hash(password).await?;
        match self.tables.users.credential().replace_version(&credential)?.run().await {
            Ok(_) | Err(store::Error::ConditionFailed { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
