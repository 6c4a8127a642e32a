//! Sessions: refresh tokens that replace one another, and the end of them.
//!
//! A session is a family of refresh tokens. Each is used once; using one again ends the family,
//! because then two parties have it (C1-28). Two things end it without touching its tokens: its own
//! item says that it is over, or the user's credential counts another epoch, which ends all at once.
//!
//! One repetition is let through, for a client whose answer was lost or that asked twice at once: a
//! token that was replaced a moment ago, and whose successor was not used yet, gives *the same*
//! successor again. This is safe: no second chain begins, so a thief and the owner hold one and the
//! same token, and whoever of them uses it after the other and after that moment ends the family. The
//! successor is not stored for this: it is made from the token that the client holds and a salt, and
//! the salt goes when the successor is used.

use std::sync::Arc;

use audit::Entry;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use changes::{Conflict, Rejection};
use kernel::error::{Error, FORBIDDEN, UNAUTHORIZED};
use kernel::ids::is_uuid;
use kernel::moment::Moment;
use notifications::{Category, NewNotification, Priority};
use ring::hmac;
use secrets::Secret;
use serde::Serialize;
use store::{Changes, Raw, Record as _, Stamp, Test, Write};

use super::commit::{Commit, Noted, first_decides, guarded};
use super::records::{CredentialRecord, SessionRecord, TokenRecord, UserRecord, same, sha256_of};
use super::service::{Origin, Service, must_be_active};
use super::tables::Tables;
use super::token::AccessClaims;
use crate::mail::Mail;

/// What a refresh token begins with, so that one that leaked is found.
const PREFIX: &str = "plr_";
/// Most characters that are kept of a client's name.
const USER_AGENT_MAX: usize = 256;
/// Most sessions that are listed.
const SESSIONS_MAX: u32 = 100;
/// How often a change is tried again when somebody else was faster.
const TRIES_MAX: usize = 5;

/// What a client gets to go on with.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// For requests.
    pub access_token: Secret,
    /// For the next pair.
    pub refresh_token: Secret,
    /// Seconds that the access token is good for.
    pub expires_in: u64,
    /// The session they belong to.
    pub session: String,
}

/// A session that was found to go on.
pub(super) struct Live {
    owner: String,
    expires_at: u64,
    /// Of the session and of its owner's credential, from before they were read.
    stamp: Stamp,
}

/// A session as its owner sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// Which one.
    pub session: String,
    /// When it began.
    pub started_at: Moment,
    /// When it was last refreshed.
    pub last_used_at: Moment,
    /// When it ends by itself.
    pub expires_at: Moment,
    /// The client's own name.
    pub user_agent: Option<String>,
    /// The client's address.
    pub ip_address: Option<String>,
}

impl SessionSummary {
    fn of(session: SessionRecord, token: &TokenRecord) -> SessionSummary {
        SessionSummary {
            session: session.session,
            started_at: session.started_at,
            last_used_at: token.issued_at,
            expires_at: Moment::from_seconds(session.expires_at),
            user_agent: session.user_agent,
            ip_address: session.ip_address,
        }
    }
}

fn over() -> Error {
    Error::new(UNAUTHORIZED, "The session is over: log in again")
}

impl Service {
    /// Begins a session, together with other writes, which come first in the transaction.
    pub(super) async fn begin(
        &self,
        commit: &dyn Commit,
        origin: &Origin,
        user: &UserRecord,
        epoch: i64,
        mut writes: Vec<Write>,
    ) -> Result<Tokens, Error> {
        must_be_active(user)?;
        let (now, role) = (self.now(), self.account_role(user).await?);
        let session = SessionRecord {
            session: self.ids.uuid()?,
            owner: user.user_id.clone(),
            account: user.account_id.clone(),
            epoch,
            started_at: now,
            expires_at: now.after(self.settings.session_life).seconds(),
            ended: false,
            user_agent: origin
                .user_agent
                .as_ref()
                .map(|name| name.chars().take(USER_AGENT_MAX).collect()),
            ip_address: origin.address.map(|address| address.to_string()),
        };
        let is_new = self.is_new_place(&session).await?;
        let chance: [u8; 32] = self.ids.bytes()?;
        let token = Secret::new(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(chance)));
        let tokens = &self.tables.tokens;
        writes.push(tokens.session().create(&session)?);
        writes.push(tokens.refresh_token().create(&first_token(&session, &token, now))?);
        writes.push(self.same_epoch(&user.user_id, epoch)?);
        let login = Changes::new().set("lastLoginAt", now.to_string());
        writes.push(self.update_user(&user.user_id, login)?);
        if is_new {
            writes.extend(self.new_login(user, &session)?);
        }
        let entry = Entry::new("AUTH", "LOGIN", &*user.account_id)
            .by_user(&*user.user_id, &*user.email)
            .of("user", &*user.user_id)
            .detail("sessionId", &*session.session);
        commit.commit(guarded(writes), Noted::entry(entry)).await?;
        if is_new {
            let place = session.ip_address.as_deref().unwrap_or("an unknown address");
            // The login counts even if this mail does not go: it is in the list of notifications.
            let _ =
                self.mail(Mail::new_login(&self.settings.product, &user.email, place, now)).await;
        }
        self.tokens(AccessClaims::of_user(user, &role, &session.session), token).await
    }

    /// Gives the next pair of tokens for a refresh token.
    pub async fn refresh(&self, commit: &dyn Commit, token: &Secret) -> Result<Tokens, Error> {
        let hash = sha256_of(token.reveal());
        for _ in 0..TRIES_MAX {
            let old = self.token_record(&hash).await?.ok_or_else(over)?;
            let session = self.session(&old.token_family).await?.ok_or_else(over)?;
            let live = self.is_live(&session.owner, &session.session).await?;
            if !live || self.now().seconds() >= old.expires_at {
                return Err(over());
            }
            if old.revoked {
                return self.reused(commit, &session).await;
            }
            let user = self.user(&session.owner).await?.ok_or_else(over)?;
            must_be_active(&user)?;
            let role = self.account_role(&user).await?;
            let claims = AccessClaims::of_user(&user, &role, &session.session);
            if old.rotated_to.is_some() {
                return match self.repeated(&old, token).await? {
                    Some(successor) => self.tokens(claims, successor).await,
                    None => self.reused(commit, &session).await,
                };
            }
            let (successor, writes) = self.rotation(&old, &session, token)?;
            let entry = Entry::new("AUTH", "TOKEN_REFRESHED", &*user.account_id)
                .of("session", &*session.session);
            let writes = writes.into_iter().map(|write| (write, Conflict.into())).collect();
            match commit.commit(writes, Noted::entry(entry)).await {
                Ok(()) => return self.tokens(claims, successor).await,
                // Another request used it, or ended the session: look again.
                Err(Rejection::Conflict) => {}
                Err(rejection) => return Err(rejection.into()),
            }
        }
        Err(Error::unavailable("the token is being used by others"))
    }

    /// Whether a session goes on, as it is at this moment: read in one request, or remembered, where
    /// the store can tell that nothing about it has changed since it was read.
    pub async fn is_live(&self, user_id: &str, session: &str) -> Result<bool, Error> {
        if let Some(known) = self.live.find(session)
            && self.store.is_unchanged(&known.stamp)
        {
            return Ok(known.owner == user_id && self.now().seconds() < known.expires_at);
        }
        if !is_uuid(user_id) || !is_uuid(session) {
            return Ok(false);
        }
        let Tables { tokens, users, .. } = &*self.tables;
        let keys = [tokens.get_session(session).key()?, users.get_credential(user_id).key()?];
        let stamp = self.store.stamp(&keys);
        let found = self.store.transact_get::<Raw>(&keys).await?;
        let found: Result<[_; 2], _> = found.try_into();
        let Ok([Some(Raw(session)), Some(Raw(credential))]) = found else {
            return Ok(false);
        };
        let session = SessionRecord::from_item(session)?;
        let credential = CredentialRecord::from_item(credential)?;
        let lasts = self.now().seconds() < session.expires_at;
        let own = session.owner == user_id && session.epoch == credential.epoch;
        let is_live = lasts && own && !session.ended;
        if let Some(stamp) = stamp.filter(|_| is_live) {
            let known = Live { owner: session.owner, expires_at: session.expires_at, stamp };
            self.live.add(session.session, Arc::new(known));
        }
        Ok(is_live)
    }

    /// Ends one session of a user. One that is over already stays so.
    pub async fn log_out(
        &self,
        commit: &dyn Commit,
        user_id: &str,
        session: &str,
    ) -> Result<(), Error> {
        let found = if is_uuid(session) { self.session(session).await? } else { None };
        let Some(session) = found.filter(|session| session.owner == user_id) else { return Ok(()) };
        let entry =
            Entry::new("AUTH", "LOGOUT", &*session.account).of("session", &*session.session);
        self.end(commit, &session, "logout", entry).await
    }

    /// Ends the session that a refresh token belongs to. What is no token of ours ends nothing.
    pub async fn log_out_with(&self, commit: &dyn Commit, token: &Secret) -> Result<(), Error> {
        match self.token_record(&sha256_of(token.reveal())).await? {
            Some(record) => self.log_out(commit, &record.user_id, &record.token_family).await,
            None => Ok(()),
        }
    }

    /// Ends every session of a user, with one write.
    pub async fn log_out_everywhere(
        &self,
        commit: &dyn Commit,
        user_id: &str,
    ) -> Result<(), Error> {
        for _ in 0..TRIES_MAX {
            let Some(user) = self.user(user_id).await? else { return Ok(()) };
            let Some(credential) = self.credential(user_id).await? else { return Ok(()) };
            let entry =
                Entry::new("AUTH", "LOGOUT_EVERYWHERE", user.account_id).of("user", user_id);
            let writes = first_decides([self.end_all(&credential)?]);
            match commit.commit(writes, Noted::entry(entry)).await {
                Err(Rejection::Conflict) => {}
                result => return Ok(result?),
            }
        }
        Err(Error::unavailable("the sessions are being ended by others"))
    }

    /// The sessions of a user that go on, newest first.
    pub async fn sessions(&self, user_id: &str) -> Result<Vec<SessionSummary>, Error> {
        // Whom another issuer knows has no sessions here.
        if !is_uuid(user_id) {
            return Ok(Vec::new());
        }
        let mut summaries = Vec::new();
        for token in self.current_tokens(user_id).await? {
            let Some(session) = self.session(&token.token_family).await? else { continue };
            if self.is_live(user_id, &session.session).await? {
                summaries.push(SessionSummary::of(session, &token));
            }
        }
        Ok(summaries)
    }

    /// One session of a user, over or not.
    pub async fn session_of(
        &self,
        user_id: &str,
        session: &str,
    ) -> Result<Option<SessionSummary>, Error> {
        let found = if is_uuid(session) { self.session(session).await? } else { None };
        let Some(session) = found.filter(|session| session.owner == user_id) else {
            return Ok(None);
        };
        let family = self.tables.tokens.list_family(&session.session);
        let family = family.filter_rotated_to(Test::Absent);
        let tokens = family.page::<TokenRecord>(user_id, 10, None).await?.items;
        Ok(tokens.first().map(|token| SessionSummary::of(session, token)))
    }

    async fn tokens(&self, claims: AccessClaims, refresh_token: Secret) -> Result<Tokens, Error> {
        Ok(Tokens {
            access_token: self.access_token(&claims).await?,
            refresh_token,
            expires_in: self.settings.access_life.as_secs(),
            session: claims.session.unwrap_or_default(),
        })
    }

    async fn account_role(&self, user: &UserRecord) -> Result<String, Error> {
        let none = || Error::new(FORBIDDEN, "The user has no active membership of their account");
        Ok(self.membership(user).await?.ok_or_else(none)?.role)
    }

    async fn token_record(&self, hash: &str) -> Result<Option<TokenRecord>, Error> {
        Ok(self.tables.tokens.get_token(hash).get().await?)
    }

    async fn session(&self, session: &str) -> Result<Option<SessionRecord>, Error> {
        Ok(self.tables.tokens.get_session(session).get().await?)
    }

    async fn current_tokens(&self, user_id: &str) -> Result<Vec<TokenRecord>, Error> {
        let list = self.tables.tokens.list_sessions(user_id);
        let list = list.filter_rotated_to(Test::Absent).filter_revoked(false);
        Ok(list.page(user_id, SESSIONS_MAX, None).await?.items)
    }

    fn same_epoch(&self, user_id: &str, epoch: i64) -> Result<Write, Error> {
        Ok(self.tables.users.check_epoch(user_id, epoch).check()?)
    }

    /// The successor of a token, and the writes that put it in its place.
    fn rotation(
        &self,
        old: &TokenRecord,
        session: &SessionRecord,
        token: &Secret,
    ) -> Result<(Secret, Vec<Write>), Error> {
        let salt: [u8; 16] = self.ids.bytes()?;
        let salt = URL_SAFE_NO_PAD.encode(salt);
        let successor = successor(token, &salt);
        let (now, hash) = (self.now(), sha256_of(successor.reveal()));
        let next = TokenRecord {
            refresh_token: hash.clone(),
            issued_at: now,
            last_used_at: None,
            rotated_to: None,
            rotated_from: Some(old.refresh_token.clone()),
            successor_salt: None,
            ..old.clone()
        };
        let tokens = &self.tables.tokens;
        let used = Changes::new()
            .set("rotatedTo", hash)
            .set("successorSalt", salt)
            .set("lastUsedAt", now.to_string());
        let mut writes = vec![
            tokens.rotate_token(&old.refresh_token).update(used)?,
            tokens.refresh_token().create(&next)?,
            tokens.check_session(&session.session).check()?,
            self.same_epoch(&session.owner, session.epoch)?,
        ];
        if let Some(before) = &old.rotated_from {
            let forget = Changes::new().remove("successorSalt");
            writes.push(tokens.update_token(before).update(forget)?);
        }
        Ok((successor, writes))
    }

    /// The successor that a token was given a moment ago, if nobody used it since.
    async fn repeated(&self, old: &TokenRecord, token: &Secret) -> Result<Option<Secret>, Error> {
        let (Some(next), Some(salt), Some(used)) =
            (&old.rotated_to, &old.successor_salt, old.last_used_at)
        else {
            return Ok(None);
        };
        let successor = successor(token, salt);
        let record = self.token_record(next).await?;
        let unused = record.is_some_and(|record| record.rotated_to.is_none() && !record.revoked);
        let recent = self.now().since(used) < self.settings.refresh_grace;
        let own = same(next, &sha256_of(successor.reveal()));
        Ok((unused && recent && own).then_some(successor))
    }

    /// Ends a family whose token was used twice, and tells its owner.
    async fn reused(&self, commit: &dyn Commit, session: &SessionRecord) -> Result<Tokens, Error> {
        let entry = Entry::new("AUTH", "TOKEN_REUSED", &*session.account)
            .of("session", &*session.session)
            .failed();
        self.end(commit, session, "reuse", entry).await?;
        Err(over().because("a refresh token was used twice: its family was ended"))
    }

    async fn end(
        &self,
        commit: &dyn Commit,
        session: &SessionRecord,
        reason: &'static str,
        entry: Entry,
    ) -> Result<(), Error> {
        let now = self.now().to_string();
        let tokens = &self.tables.tokens;
        let ended =
            Changes::new().set("ended", true).set("endedAt", &*now).set("endedReason", reason);
        let mut writes = vec![tokens.end_session(&session.session).update(ended)?];
        let family = tokens.list_family(&session.session).filter_rotated_to(Test::Absent);
        for token in family.page::<TokenRecord>(&session.owner, 10, None).await?.items {
            let revoked = Changes::new()
                .set("revoked", true)
                .set("revokedAt", &*now)
                .set("revokedBy", &*session.owner)
                .set("revokedReason", reason);
            writes.push(tokens.update_token(&token.refresh_token).update(revoked)?);
        }
        if reason == "reuse" {
            writes.push(self.notifications.in_app(NewNotification {
                user_id: &session.owner,
                account_id: &session.account,
                category: Category::Security,
                priority: Priority::Critical,
                subject: "A session was ended",
                message: "Somebody used an old token of this session, which may have been \
                          stolen. Log in again, and change the password if it was not you.",
            })?);
        }
        match commit.commit(first_decides(writes), Noted::entry(entry)).await {
            Err(Rejection::Conflict) => Ok(()),
            result => Ok(result?),
        }
    }

    /// Whether the user has sessions, and none from this client and address.
    async fn is_new_place(&self, session: &SessionRecord) -> Result<bool, Error> {
        let known = self.current_tokens(&session.owner).await?;
        let alike = |token: &TokenRecord| {
            token.user_agent == session.user_agent && token.ip_address == session.ip_address
        };
        Ok(!known.is_empty() && !known.iter().any(alike))
    }

    fn new_login(
        &self,
        user: &UserRecord,
        session: &SessionRecord,
    ) -> Result<Option<Write>, Error> {
        let place = session.ip_address.as_deref().unwrap_or("an unknown address");
        let message =
            format!("Somebody logged in from {place}. If it was not you, log out everywhere.");
        Ok(Some(self.notifications.in_app(NewNotification {
            user_id: &user.user_id,
            account_id: &user.account_id,
            category: Category::Security,
            priority: Priority::High,
            subject: "A new login",
            message: &message,
        })?))
    }
}

fn first_token(session: &SessionRecord, token: &Secret, now: Moment) -> TokenRecord {
    TokenRecord {
        refresh_token: sha256_of(token.reveal()),
        user_id: session.owner.clone(),
        account_id: session.account.clone(),
        token_family: session.session.clone(),
        issued_at: now,
        expires_at: session.expires_at,
        last_used_at: None,
        user_agent: session.user_agent.clone(),
        ip_address: session.ip_address.clone(),
        revoked: false,
        rotated_to: None,
        rotated_from: None,
        successor_salt: None,
    }
}

/// The token that follows another: nobody can make it who does not have that one.
fn successor(token: &Secret, salt: &str) -> Secret {
    let key = hmac::Key::new(hmac::HMAC_SHA256, token.reveal().as_bytes());
    let made = hmac::sign(&key, format!("successor {salt}").as_bytes());
    Secret::new(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(made)))
}
