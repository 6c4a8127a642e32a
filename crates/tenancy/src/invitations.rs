//! Invitations by mail: single use, kept as a hash, over on their own, bound to one address (C2-10).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use changes::CommitError;
use identity::mail::Mail;
use identity::normalise_email;
use kernel::{Error, Identity, Moment};
use secrets::Secret;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::{Changes, Page, Raw, Write};
use values::Item;
use web::{Answer, Context};

use crate::Tenancy;
use crate::again::Miss;
use crate::errors::{INVITATION_NOT_FOUND, INVITATION_NOT_PENDING, conflict, missing};
use crate::happening::{Happening, Names};
use crate::records::{Invitation, InvitationStatus, Marker, Tenant, UserRole};
use crate::routes::shapes::{InvitationAnswer, UserAnswer};
use crate::standing::{Standing, is_id, user_id, user_id_of};
use crate::users::{already_assigned, assignment, must_be_active, not_assigned};

const INVITED: &str = "invitedMarker";
/// For how long an invitation that is over is kept for those who ask what became of it.
const KEPT: std::time::Duration = std::time::Duration::from_secs(30 * 24 * 60 * 60);
/// How often a mail may be sent again: it is not a way to bother people.
const RESENDS_MAX: u32 = 10;

/// An invitation that is to be made.
pub struct InvitationInput {
    pub email: String,
    pub role: UserRole,
    /// Whether the mail is sent; if not, the caller is given the token.
    pub is_mailed: bool,
}

/// A token, of which only the hash is kept.
struct Token {
    text: Secret,
    hash: String,
}

impl Tenancy {
    fn token(&self) -> Result<Token, Error> {
        let bytes: [u8; 32] = self.platform().ids().bytes()?;
        let text = format!("inv_{}", URL_SAFE_NO_PAD.encode(bytes));
        Ok(Token { hash: hash(&text), text: Secret::new(text) })
    }

    /// R002-6.8-2.
    pub(crate) async fn invite(
        &self,
        context: &Context,
        standing: &Standing,
        input: InvitationInput,
    ) -> Result<Answer, Error> {
        let tenant = &standing.tenant;
        must_be_active(tenant)?;
        let email = normalise_email(&input.email)?;
        if input.is_mailed {
            self.platform().guard_in(context, &tenant.tenant_id, &email).await?;
        }
        let token = self.token()?;
        let (now, by) = (context.now, context.caller.name().to_owned());
        let expires_at = now.after(self.settings().invitation_life);
        let invitation = Invitation {
            tenant_id: tenant.tenant_id.clone(),
            invitation_id: format!("inv-{}", self.platform().ids().uuid()?),
            email,
            role: input.role,
            status: InvitationStatus::Pending,
            token_hash: token.hash.clone(),
            expires_at,
            created_at: now,
            created_by: by,
            updated_at: now,
            updated_by: None,
            sent_at: now,
            accepted_at: None,
            accepted_by: None,
            revoked_at: None,
            revoked_by: None,
            resend_count: 0,
            version: 1,
            ttl: Some(expires_at.after(KEPT).seconds()),
        };
        let table = self.table()?;
        let active = table.access("must-be-active")?.with("tenantId", &*tenant.tenant_id)?;
        let mut writes = vec![
            self.reserve_write(&invitation, now)?,
            active.with("active", "ACTIVE")?.check()?,
            table.create("invitation", &invitation)?,
        ];
        // Who is assigned would keep the invitation for the day on which they are removed.
        let identity = self.platform().identity();
        if let Some(user) = identity.user_by_email(&invitation.email).await? {
            let access = table.access("assign-user")?.with("tenantId", &*tenant.tenant_id)?;
            let access = access.with("userId", user_id_of(&user.user_id))?;
            writes.push(access.with("false", false)?.check()?);
        }
        let shown = (!input.is_mailed).then(|| token.text.reveal().clone());
        let answer = InvitationAnswer::of(context, &invitation, &standing.roles).with(shown);
        let answer = Answer::created(&answer.location(), &answer)?.versioned(1);
        let happening = happening(&invitation, Names("USER_INVITED", "tenant.user_invited"))
            .with("role", invitation.role.as_str());
        let answer =
            self.commit(context, writes, happening, answer).await.map_err(|error| match error {
                CommitError::Condition { index: 0, .. } => {
                    let message = "An invitation to this address is pending: resend or revoke it";
                    conflict("INVITATION_PENDING", message.to_owned())
                }
                CommitError::Condition { index: 3, .. } => already_assigned(&invitation.email),
                // The second write finds what an assignment's does: a tenant that is not active.
                error => not_assigned(error, tenant, &invitation.email),
            })?;
        if input.is_mailed {
            self.send(context, tenant, &invitation, token.text).await;
        }
        Ok(answer)
    }

    /// An invitation as it is.
    pub(crate) async fn invitation(
        &self,
        tenant_id: &str,
        invitation_id: &str,
    ) -> Result<Invitation, Error> {
        let absent = || missing(INVITATION_NOT_FOUND, "Invitation", invitation_id);
        if !is_id("inv", invitation_id) {
            return Err(absent());
        }
        let access = self.table()?.access("get-invitation")?.with("tenantId", tenant_id)?;
        let access = access.with("invitationId", invitation_id)?;
        access.get().await?.ok_or_else(absent)
    }

    pub(crate) async fn invitations(
        &self,
        context: &Context,
        tenant_id: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Invitation>, Error> {
        let access = self.table()?.access("list-invitations")?.with("tenantId", tenant_id)?;
        Ok(access.page(context.caller.id(), limit, token).await?)
    }

    /// R002-6.8-5: another token, another mail; the token before is worth nothing then.
    pub(crate) async fn resend(
        &self,
        context: &Context,
        standing: &Standing,
        invitation_id: &str,
    ) -> Result<Answer, Error> {
        let tenant = &standing.tenant;
        must_be_active(tenant)?;
        let before = self.resendable(&tenant.tenant_id, invitation_id).await?;
        // Once, however often it is tried: it is one mail.
        self.platform().guard_in(context, &tenant.tenant_id, &before.email).await?;
        self.until_done(|| self.try_resend(context, standing, invitation_id)).await
    }

    /// An invitation that may be sent again.
    async fn resendable(&self, tenant_id: &str, invitation_id: &str) -> Result<Invitation, Error> {
        let before = self.invitation(tenant_id, invitation_id).await?;
        if before.status != InvitationStatus::Pending {
            return Err(not_pending(before.status));
        }
        if before.resend_count >= RESENDS_MAX {
            let message = format!("It was sent {RESENDS_MAX} times again: revoke it, invite anew");
            return Err(conflict("TOO_MANY_RESENDS", message));
        }
        Ok(before)
    }

    async fn try_resend(
        &self,
        context: &Context,
        standing: &Standing,
        invitation_id: &str,
    ) -> Result<Answer, Miss> {
        let tenant = &standing.tenant;
        let before = self.resendable(&tenant.tenant_id, invitation_id).await?;
        let token = self.token()?;
        let now = context.now;
        let mut after = before.clone();
        after.token_hash.clone_from(&token.hash);
        after.expires_at = now.after(self.settings().invitation_life);
        (after.updated_at, after.sent_at) = (now, now);
        after.updated_by = Some(context.caller.name().to_owned());
        after.resend_count += 1;
        after.version += 1;
        after.ttl = Some(after.expires_at.after(KEPT).seconds());
        let writes =
            vec![self.invitation_write(&before, &after)?, self.reserve_write(&after, now)?];
        let answer = InvitationAnswer::of(context, &after, &standing.roles);
        let answer = Answer::ok(&answer)?;
        let names = Names("INVITATION_RESENT", "tenant.invitation_resent");
        let done = self.commit(context, writes, happening(&after, names), answer).await;
        let answer = done.map_err(|error| match error {
            CommitError::Condition { index: 1, .. } => {
                let message = "Another invitation to this address is pending".to_owned();
                conflict("INVITATION_PENDING", message).into()
            }
            error => Miss::of_any(error),
        })?;
        self.send(context, tenant, &after, token.text).await;
        Ok(answer)
    }

    /// R002-6.8-4, C2-06: the invitation stays, revoked.
    pub(crate) async fn revoke(
        &self,
        context: &Context,
        standing: &Standing,
        invitation_id: &str,
    ) -> Result<Answer, Error> {
        let mut attempts = self.attempts();
        loop {
            let before = self.invitation(&standing.tenant.tenant_id, invitation_id).await?;
            let status = before.status_at(context.now);
            if status != InvitationStatus::Pending {
                return Err(not_pending(status));
            }
            let (after, writes, happening) = self.revocation(context, &before)?;
            let answer = Answer::ok(&InvitationAnswer::of(context, &after, &standing.roles))?;
            match self.commit(context, writes, happening, answer).await {
                Ok(answer) => return Ok(answer),
                Err(error) => attempts.after(Miss::of_any(error)).await?,
            };
        }
    }

    /// An invitation as it is when it is revoked, and what makes it so.
    pub(crate) fn revocation(
        &self,
        context: &Context,
        before: &Invitation,
    ) -> Result<(Invitation, Vec<Write>, Happening), Error> {
        let mut after = before.clone();
        let by = Some(context.caller.name().to_owned());
        after.status = InvitationStatus::Revoked;
        (after.updated_at, after.updated_by) = (context.now, by.clone());
        (after.revoked_at, after.revoked_by) = (Some(context.now), by);
        after.version += 1;
        let writes = vec![self.invitation_write(before, &after)?, self.release_write(&after)?];
        let names = Names("INVITATION_REVOKED", "tenant.invitation_revoked");
        let happening = happening(&after, names);
        Ok((after, writes, happening))
    }

    /// The invitation to an address that can be accepted now.
    pub(crate) async fn open_invitation(
        &self,
        context: &Context,
        tenant_id: &str,
        email: &str,
    ) -> Result<Option<Invitation>, Error> {
        // Another issuer's user may be known by something that is no address: nobody invited that.
        let Ok(email) = normalise_email(email) else { return Ok(None) };
        let access = self.table()?.access("get-invited")?.with("tenantId", tenant_id)?;
        let marker: Option<Marker> = access.with("uniqueValue", email)?.get().await?;
        let Some(marker) = marker else { return Ok(None) };
        let found = self.invitation(tenant_id, &marker.reserved_by).await?;
        Ok(Some(found).filter(|one| one.status_at(context.now) == InvitationStatus::Pending))
    }

    /// Somebody accepts: the invitation is used and they are assigned, in one transaction.
    pub(crate) async fn accept(
        &self,
        context: &Context,
        token: &str,
        named: Option<(&str, &str)>,
    ) -> Result<Answer, Error> {
        self.until_done(|| self.try_accept(context, token, named)).await
    }

    async fn try_accept(
        &self,
        context: &Context,
        token: &str,
        named: Option<(&str, &str)>,
    ) -> Result<Answer, Miss> {
        let absent = || {
            let message = "There is no such invitation, or it is not for you: log in with the \
                           address that it was sent to";
            Error::new(INVITATION_NOT_FOUND, message)
        };
        let before = self.find_for(context, token, named).await?.ok_or_else(absent)?;
        let status = before.status_at(context.now);
        if status != InvitationStatus::Pending {
            return Err(not_pending(status).into());
        }
        let tenant = self.tenant(&before.tenant_id).await?.ok_or_else(absent)?;
        must_be_active(&tenant)?;
        let user_id = user_id(&context.caller).ok_or_else(absent)?;
        let mut held = assignment(context, &tenant, &user_id, &before.email, before.role);
        held.assigned_by.clone_from(&before.created_by);
        let mut after = before.clone();
        after.status = InvitationStatus::Accepted;
        (after.accepted_at, after.accepted_by) = (Some(context.now), Some(user_id));
        (after.updated_at, after.version) = (context.now, before.version + 1);
        let mut writes = self.assign_writes(&held)?;
        writes.push(self.invitation_write(&before, &after)?);
        writes.push(self.release_write(&after)?);
        let roles = [before.role.role()].into();
        let answer = Answer::ok(&UserAnswer::of(context, &held, &roles))?;
        let names = Names("INVITATION_ACCEPTED", "tenant.invitation_accepted");
        let happening = happening(&after, names)
            .with("userId", &*held.user_id)
            .with("role", held.role.as_str());
        let done = self.commit(context, writes, happening, answer).await;
        done.map_err(|error| match error {
            CommitError::Condition { index: 2.., .. } => Miss::of_any(error),
            error => not_assigned(error, &tenant, &before.email).into(),
        })
    }

    /// The invitation with a token, if it is to the caller's own address.
    async fn find_for(
        &self,
        context: &Context,
        token: &str,
        named: Option<(&str, &str)>,
    ) -> Result<Option<Invitation>, Error> {
        let Identity::User { email: Some(email), .. } = &context.caller.identity else {
            return Ok(None);
        };
        let hash = hash(token);
        let found = match named {
            Some((tenant_id, invitation_id)) if is_id("tenant", tenant_id) => {
                self.invitation(tenant_id, invitation_id).await.ok()
            }
            Some(_) => None,
            None => {
                let access = self.table()?.access("get-invitation-by-token")?;
                let found: Option<Invitation> =
                    access.with("tokenHash", hash.as_str())?.first().await?;
                match found {
                    // An index may lag behind: what is accepted must be known as it is.
                    Some(found) => {
                        Some(self.invitation(&found.tenant_id, &found.invitation_id).await?)
                    }
                    None => None,
                }
            }
        };
        Ok(found.filter(|found| found.token_hash == hash && found.email == *email))
    }

    /// Changes an invitation that is pending and has the token that was read.
    fn invitation_write(&self, before: &Invitation, after: &Invitation) -> Result<Write, Error> {
        use store::Record as _;
        let (old, new) = (before.to_item()?, after.to_item()?);
        let mut changes = Changes::new();
        for (name, value) in new {
            if old.get(&name) != Some(&value) {
                changes = changes.set(&name, value);
            }
        }
        let access = self.table()?.access("change-invitation")?;
        let access = access.with("tenantId", &*before.tenant_id)?;
        let access = access.with("invitationId", &*before.invitation_id)?;
        let access = access.with("pending", InvitationStatus::Pending.as_str())?;
        Ok(access.with("seen", &*before.token_hash)?.update(changes)?)
    }

    /// Reserves the address while an invitation to it is pending.
    fn reserve_write(&self, invitation: &Invitation, now: Moment) -> Result<Write, Error> {
        let access = self.table()?.access("reserve-invited")?;
        let access = access.with("tenantId", &*invitation.tenant_id)?;
        let access = access.with("uniqueValue", &*invitation.email)?;
        let access = access.with("now", now.to_string())?;
        let access = access.with("own", &*invitation.invitation_id)?;
        let ttl = values::AttributeValue::N(invitation.expires_at.seconds().into());
        let marker = Item::from([
            ("tenantId", invitation.tenant_id.as_str().into()),
            ("uniqueValue", invitation.email.as_str().into()),
            ("reservedBy", invitation.invitation_id.as_str().into()),
            ("expiresAt", invitation.expires_at.to_string().as_str().into()),
            ("ttl", ttl),
        ]);
        Ok(access.put(INVITED, Raw(marker))?)
    }

    fn release_write(&self, invitation: &Invitation) -> Result<Write, Error> {
        let access = self.table()?.access("release-invited")?;
        let access = access.with("tenantId", &*invitation.tenant_id)?;
        let access = access.with("uniqueValue", &*invitation.email)?;
        Ok(access.with("own", &*invitation.invitation_id)?.delete()?)
    }

    /// The invitation is made, whatever becomes of the mail: it can be sent again.
    async fn send(
        &self,
        context: &Context,
        tenant: &Tenant,
        invitation: &Invitation,
        token: Secret,
    ) {
        let (product, by) = (&self.settings().product, context.caller.name());
        let into = &tenant.organization_name;
        let mail = Mail::invitation(product, &invitation.email, by, into, token);
        if let Err(error) = self.platform().identity().mail(mail).await {
            let id = &invitation.invitation_id;
            tracing::error!(?error, invitation = %id, "the mail of an invitation was not sent");
        }
    }
}

fn hash(token: &str) -> String {
    values::hexadecimal::encode(&Sha256::digest(token.as_bytes()))
}

fn happening(invitation: &Invitation, names: Names) -> Happening {
    Happening::new(&invitation.tenant_id, names)
        .of("invitation", &invitation.invitation_id)
        .with("invitationId", &*invitation.invitation_id)
        .with("email", &*invitation.email)
}

fn not_pending(status: InvitationStatus) -> Error {
    let message = format!("The invitation is {}: it takes one that is PENDING", status.as_str());
    Error::new(INVITATION_NOT_PENDING, message).detail("status", json!(status))
}
