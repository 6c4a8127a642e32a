//! One-time codes that are mailed: stored hashed, good for minutes and for a few attempts.

use kernel::error::{Code, Error};
use kernel::moment::Moment;
use secrets::Secret;
use serde::{Deserialize, Serialize};
use store::{Changes, Write};

use super::commit::Commit;
use super::records::{UserRecord, same, sha256_hex};
use super::service::Service;

/// The one answer to every code that does not do.
pub const CODE_INVALID: Code = Code::new("CODE_INVALID", 400);

/// Signs that are not taken for one another when read from a screen: Crockford's.
const SIGNS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// What a code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    VerifyEmail,
    ResetPassword,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Purpose::VerifyEmail => "verify-email",
            Purpose::ResetPassword => "reset-password",
        }
    }

    /// What is recorded when it is used, and when a wrong one is tried.
    fn action(self) -> &'static str {
        match self {
            Purpose::VerifyEmail => "EMAIL_VERIFIED",
            Purpose::ResetPassword => "PASSWORD_RESET",
        }
    }

    /// Eight signs are typed, 40 bits that may be tried a few times; 24 are pasted, 120 bits that
    /// stand for a password.
    fn signs(self) -> usize {
        match self {
            Purpose::VerifyEmail => 8,
            Purpose::ResetPassword => 24,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeRecord {
    owner: String,
    purpose: String,
    code_hash: String,
    attempts: i64,
    pub issued_at: Moment,
    expires_at: u64,
}

/// A code as it is sent: groups of four signs.
pub(super) fn make(service: &Service, signs: usize) -> Result<Secret, Error> {
    let chance: [u8; 32] = service.ids.bytes()?;
    let mut text = String::new();
    for (at, byte) in chance.iter().take(signs).enumerate() {
        if at > 0 && at % 4 == 0 {
            text.push('-');
        }
        text.push(char::from(SIGNS[usize::from(byte & 31)]));
    }
    Ok(Secret::new(text))
}

/// What a typed code means: without hyphens and spaces, in upper case, look-alikes put right.
pub(super) fn read(typed: &str) -> Secret {
    let sign = |c: char| match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        c => c,
    };
    let typed = typed.chars().take(64).filter(|c| !c.is_whitespace() && *c != '-');
    Secret::new(typed.map(sign).collect::<String>())
}

impl Service {
    /// A new code in place of any before it, and the write that stores its hash.
    pub(super) fn new_code(&self, purpose: Purpose, owner: &str) -> Result<(Secret, Write), Error> {
        let code = make(self, purpose.signs())?;
        let now = self.now();
        let record = CodeRecord {
            owner: owner.to_owned(),
            purpose: purpose.as_str().to_owned(),
            code_hash: hash(purpose, owner, code.reveal()),
            attempts: 0,
            issued_at: now,
            expires_at: now.after(self.settings.code_life).seconds(),
        };
        Ok((code, self.tables.users.code().put(&record)?))
    }

    /// Whether a code for this was sent so recently that another one would be too many.
    pub(super) async fn code_is_fresh(&self, purpose: Purpose, owner: &str) -> Result<bool, Error> {
        let get = self.tables.users.get_code(purpose.as_str(), owner);
        let sent: Option<CodeRecord> = get.get().await?;
        let fresh =
            |code: CodeRecord| self.now().since(code.issued_at) < self.settings.code_interval;
        Ok(sent.is_some_and(fresh))
    }

    /// The user whose address a code proves, and the write that uses it up. Where nobody is, nobody's
    /// code is tried: the same work, the same answer. One that does not do is recorded.
    pub(super) async fn proved_by(
        &self,
        commit: &dyn Commit,
        purpose: Purpose,
        email: &str,
        typed: &str,
    ) -> Result<(UserRecord, Write), Error> {
        let owner = self.owner(email).await?;
        let owner = owner.map_or_else(|| self.ids.uuid(), Ok)?;
        let tried = self.try_code(purpose, &owner, typed).await;
        let user = self.user(&owner).await?;
        if tried.as_ref().is_err_and(|error| error.code().status < 500) {
            self.note_failure(commit, purpose.action(), user.as_ref()).await?;
        }
        let used = tried?;
        Ok((user.ok_or_else(invalid)?, used))
    }

    /// Tries a code. The attempt is counted before it is compared, so that attempts at once do not
    /// exceed the limit; gives the write that uses it up, which only one of them can commit.
    async fn try_code(&self, purpose: Purpose, owner: &str, typed: &str) -> Result<Write, Error> {
        let users = &self.tables.users;
        let attempt = users.try_code(purpose.as_str(), owner, self.settings.code_attempts_max);
        let counted = attempt.update(Changes::new().add("attempts", 1_i64))?;
        let record: CodeRecord = match counted.run_into().await {
            Ok(Some(record)) => record,
            Ok(None) | Err(store::Error::ConditionFailed { .. }) => return Err(invalid()),
            Err(error) => return Err(error.into()),
        };
        let right = same(&record.code_hash, &hash(purpose, owner, typed));
        if !right || self.now().seconds() >= record.expires_at {
            return Err(invalid());
        }
        Ok(users.use_code(purpose.as_str(), owner, &record.code_hash).delete()?)
    }
}

pub(super) fn invalid() -> Error {
    let message = "The code is wrong, was used, or is too old. Ask for a new one";
    Error::new(CODE_INVALID, message)
}

fn hash(purpose: Purpose, owner: &str, code: &str) -> String {
    sha256_hex(&[purpose.as_str(), owner, read(code).reveal()])
}
