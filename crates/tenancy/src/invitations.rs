//! Invitations by mail: single use, kept as a hash, over on their own, bound to one address (C2-10).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use changes::{Change, Conflict, DomainEvent, EventName, Request};
use identity::mail::Mail;
use identity::normalise_email;
use kernel::{Error, Identity, PageRequest};
use secrets::Secret;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::{Page, Raw, Write};
use utoipa::ToSchema;
use values::{AttributeValue, Item};

use crate::Tenancy;
use crate::errors::{INVITATION_NOT_FOUND, INVITATION_NOT_PENDING, conflict, missing};
use crate::permissions::InvitationsWrite;
use crate::records::{
    Assignment, Invitation, InvitationStatus, Marker, Tenant, UserRole, differences,
};
use crate::standing::{View, is_id, user_id, user_id_of};
use crate::users::{already_assigned, must_be_active};

/// For how long an invitation that is over is kept for those who ask what became of it.
const KEPT: std::time::Duration = std::time::Duration::from_secs(30 * 24 * 60 * 60);
/// How often a mail may be sent again: it is not a way to bother people.
const RESENDS_MAX: u32 = 10;

/// A user who is to be invited.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewInvitation {
    /// Their address; only who has it can accept.
    #[schema(format = "email", min_length = 3, max_length = 254)]
    email: String,
    /// What they will be.
    role: UserRole,
    /// Whether the mail is sent. If not, the answer has the token, to be brought to them otherwise.
    #[schema(default = true)]
    send_email: Option<bool>,
}

/// An invitation that was made or sent again.
pub struct SentInvitation {
    pub view: View<Invitation>,
    /// The token, if it was not mailed.
    pub token: Option<Secret>,
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
        request: &Request<SentInvitation>,
        tenant_id: &str,
        new: &NewInvitation,
    ) -> Result<SentInvitation, Error> {
        let view = self.see::<InvitationsWrite>(request.caller(), tenant_id).await?;
        let View { record: tenant, roles } = &view;
        must_be_active(tenant)?;
        let email = &normalise_email(&new.email)?;
        let is_mailed = new.send_email.unwrap_or(true);
        if is_mailed {
            self.platform().guard_in(request.facts(), tenant_id, email).await?;
        }
        let token = &self.token()?;
        let invitation = &self.new_invitation(request, tenant_id, email, new.role, token)?;
        let made = self.changes().make(request, |mut change| async move {
            let message = "An invitation to this address is pending: resend or revoke it";
            let pending = conflict("INVITATION_PENDING", message.to_owned());
            change.add(self.reserve_address(request, invitation)?, pending);
            self.must_be_active(&mut change, tenant_id)?;
            change.add(self.table().invitation().create(invitation)?, Conflict);
            // Who is assigned would keep the invitation for the day on which they are removed.
            if let Some(user) = self.platform().identity().user_by_email(email).await? {
                let user_id = user_id_of(&user.user_id);
                let check = self.table().must_not_be_assigned(tenant_id, &user_id).check()?;
                change.add(check, already_assigned(email));
            }
            let name = EventName::new("USER_INVITED", "tenant.user_invited");
            let event = event(invitation, name).with("role", invitation.role.as_str());
            self.publish(&mut change, event, None)?;
            let token = (!is_mailed).then(|| token.text.clone());
            let view = View { record: invitation.clone(), roles: roles.clone() };
            Ok((change, SentInvitation { view, token }))
        });
        let made = made.await?;
        if is_mailed {
            self.send(request, tenant, invitation, token.text.clone()).await;
        }
        Ok(made)
    }

    fn new_invitation<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        email: &str,
        role: UserRole,
        token: &Token,
    ) -> Result<Invitation, Error> {
        let now = request.now();
        let expires_at = now.after(self.settings().invitation_life);
        Ok(Invitation {
            tenant_id: tenant_id.to_owned(),
            invitation_id: format!("inv-{}", self.platform().ids().uuid()?),
            email: email.to_owned(),
            role,
            status: InvitationStatus::Pending,
            token_hash: token.hash.clone(),
            expires_at,
            created_at: now,
            created_by: request.caller().name().to_owned(),
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
        })
    }

    /// An invitation as a caller sees it.
    pub(crate) async fn see_invitation<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        invitation_id: &str,
    ) -> Result<View<Invitation>, Error> {
        let view = self.see::<InvitationsWrite>(request.caller(), tenant_id).await?;
        let invitation = self.invitation(tenant_id, invitation_id).await?;
        Ok(view.of(invitation))
    }

    async fn invitation(&self, tenant_id: &str, invitation_id: &str) -> Result<Invitation, Error> {
        let absent = || missing(INVITATION_NOT_FOUND, "Invitation", invitation_id);
        if !is_id("inv", invitation_id) {
            return Err(absent());
        }
        self.table().get_invitation(tenant_id, invitation_id).get().await?.ok_or_else(absent)
    }

    pub(crate) async fn invitations<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        page: &PageRequest,
    ) -> Result<View<Page<Invitation>>, Error> {
        let view = self.see::<InvitationsWrite>(request.caller(), tenant_id).await?;
        let list = self.table().list_invitations(tenant_id);
        let found = list.page(request.caller().id(), page.limit, page.token()).await?;
        Ok(view.of(found))
    }

    /// R002-6.8-5: another token, another mail; the token before is worth nothing then.
    pub(crate) async fn resend(
        &self,
        request: &Request<SentInvitation>,
        tenant_id: &str,
        invitation_id: &str,
    ) -> Result<SentInvitation, Error> {
        let view = self.see::<InvitationsWrite>(request.caller(), tenant_id).await?;
        let View { record: tenant, roles } = &view;
        must_be_active(tenant)?;
        let before = self.resendable(tenant_id, invitation_id).await?;
        // Once, however often it is tried: it is one mail.
        self.platform().guard_in(request.facts(), tenant_id, &before.email).await?;
        let token = &self.token()?;
        let sent = self.changes().make(request, |mut change| async move {
            let before = self.resendable(tenant_id, invitation_id).await?;
            let now = request.now();
            let expires_at = now.after(self.settings().invitation_life);
            let after = Invitation {
                token_hash: token.hash.clone(),
                expires_at,
                updated_at: now,
                sent_at: now,
                updated_by: Some(request.caller().name().to_owned()),
                resend_count: before.resend_count + 1,
                version: before.version + 1,
                ttl: Some(expires_at.after(KEPT).seconds()),
                ..before.clone()
            };
            change.add(self.change_invitation(&before, &after)?, Conflict);
            let message = "Another invitation to this address is pending".to_owned();
            let pending = conflict("INVITATION_PENDING", message);
            change.add(self.reserve_address(request, &after)?, pending);
            let name = EventName::new("INVITATION_RESENT", "tenant.invitation_resent");
            self.publish(&mut change, event(&after, name), None)?;
            let view = View { record: after, roles: roles.clone() };
            Ok((change, SentInvitation { view, token: None }))
        });
        let sent = sent.await?;
        self.send(request, tenant, &sent.view.record, token.text.clone()).await;
        Ok(sent)
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

    /// R002-6.8-4, C2-06: the invitation stays, revoked.
    pub(crate) async fn revoke(
        &self,
        request: &Request<View<Invitation>>,
        tenant_id: &str,
        invitation_id: &str,
    ) -> Result<View<Invitation>, Error> {
        let revoked = self.changes().make(request, |mut change| async move {
            let view = self.see_invitation(request, tenant_id, invitation_id).await?;
            let status = view.record.status_at(request.now());
            if status != InvitationStatus::Pending {
                return Err(not_pending(status).into());
            }
            let after = self.revoke_in(&mut change, request, &view.record)?;
            Ok((change, view.of(after)))
        });
        revoked.await
    }

    /// Revokes an invitation with a change; gives it as it is then.
    pub(crate) fn revoke_in<T>(
        &self,
        change: &mut Change,
        request: &Request<T>,
        before: &Invitation,
    ) -> Result<Invitation, Error> {
        let (now, by) = (request.now(), request.caller().name().to_owned());
        let after = Invitation {
            status: InvitationStatus::Revoked,
            updated_at: now,
            updated_by: Some(by.clone()),
            revoked_at: Some(now),
            revoked_by: Some(by),
            version: before.version + 1,
            ..before.clone()
        };
        change.add(self.change_invitation(before, &after)?, Conflict);
        change.add(self.release_address(&after)?, Conflict);
        let name = EventName::new("INVITATION_REVOKED", "tenant.invitation_revoked");
        self.publish(change, event(&after, name), None)?;
        Ok(after)
    }

    /// The invitation to an address that can be accepted now.
    pub(crate) async fn open_invitation<T>(
        &self,
        request: &Request<T>,
        tenant_id: &str,
        email: &str,
    ) -> Result<Option<Invitation>, Error> {
        // Another issuer's user may be known by something that is no address: it was not invited.
        let Ok(email) = normalise_email(email) else { return Ok(None) };
        let marker: Option<Marker> = self.table().get_invited(tenant_id, &email).get().await?;
        let Some(marker) = marker else { return Ok(None) };
        let found = self.invitation(tenant_id, &marker.reserved_by).await?;
        Ok(Some(found).filter(|one| one.status_at(request.now()) == InvitationStatus::Pending))
    }

    /// The caller accepts: the invitation is used and they are assigned, in one transaction.
    pub(crate) async fn accept(
        &self,
        request: &Request<View<Assignment>>,
        token: &str,
        named: Option<(&str, &str)>,
    ) -> Result<View<Assignment>, Error> {
        let accepted = self.changes().make(request, |mut change| async move {
            let before = self.find_for(request, token, named).await?.ok_or_else(not_for_you)?;
            let status = before.status_at(request.now());
            if status != InvitationStatus::Pending {
                return Err(not_pending(status).into());
            }
            let tenant = self.tenant(&before.tenant_id).await?.ok_or_else(not_for_you)?;
            must_be_active(&tenant)?;
            let user_id = user_id(request.caller()).ok_or_else(not_for_you)?;
            let after = Invitation {
                status: InvitationStatus::Accepted,
                accepted_at: Some(request.now()),
                accepted_by: Some(user_id.clone()),
                updated_at: request.now(),
                version: before.version + 1,
                ..before.clone()
            };
            let held = Assignment {
                email: Some(before.email.clone()),
                assigned_by: before.created_by.clone(),
                ..Assignment::new(request, &before.tenant_id, user_id, before.role)
            };
            self.assign_in(&mut change, &held, already_assigned(&before.email))?;
            change.add(self.change_invitation(&before, &after)?, Conflict);
            change.add(self.release_address(&after)?, Conflict);
            let name = EventName::new("INVITATION_ACCEPTED", "tenant.invitation_accepted");
            let event =
                event(&after, name).with("userId", &*held.user_id).with("role", held.role.as_str());
            self.publish(&mut change, event, None)?;
            let roles = [held.role.role()].into();
            Ok((change, View { record: held, roles }))
        });
        accepted.await
    }

    /// The invitation with a token, if it is to the caller's own address.
    async fn find_for<T>(
        &self,
        request: &Request<T>,
        token: &str,
        named: Option<(&str, &str)>,
    ) -> Result<Option<Invitation>, Error> {
        let Identity::User { email: Some(email), .. } = &request.caller().identity else {
            return Ok(None);
        };
        let hash = hash(token);
        let found = match named {
            Some((tenant_id, invitation_id)) if is_id("tenant", tenant_id) => {
                self.invitation(tenant_id, invitation_id).await.ok()
            }
            Some(_) => None,
            None => {
                let found: Option<Invitation> =
                    self.table().get_invitation_by_token(&hash).first().await?;
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
    fn change_invitation(&self, before: &Invitation, after: &Invitation) -> Result<Write, Error> {
        let Invitation { tenant_id, invitation_id, token_hash, .. } = before;
        let update = self.table().change_invitation(tenant_id, invitation_id, token_hash);
        Ok(update.update(differences(before, after, &[], &[])?)?)
    }

    /// Reserves the address while an invitation to it is pending.
    fn reserve_address<T>(
        &self,
        request: &Request<T>,
        invitation: &Invitation,
    ) -> Result<Write, Error> {
        let marker = Item::from([
            ("tenantId", invitation.tenant_id.as_str().into()),
            ("uniqueValue", invitation.email.as_str().into()),
            ("reservedBy", invitation.invitation_id.as_str().into()),
            ("expiresAt", invitation.expires_at.to_string().as_str().into()),
            ("ttl", AttributeValue::N(invitation.expires_at.seconds().into())),
        ]);
        let now = request.now().to_string();
        Ok(self.table().reserve_invited(&now, &invitation.invitation_id).put(Raw(marker))?)
    }

    fn release_address(&self, invitation: &Invitation) -> Result<Write, Error> {
        let Invitation { tenant_id, email, invitation_id, .. } = invitation;
        Ok(self.table().release_invited(tenant_id, email, invitation_id).delete()?)
    }

    /// The invitation is made, whatever becomes of the mail: it can be sent again.
    async fn send<T>(
        &self,
        request: &Request<T>,
        tenant: &Tenant,
        invitation: &Invitation,
        token: Secret,
    ) {
        let (product, by) = (&self.settings().product, request.caller().name());
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

fn event(invitation: &Invitation, name: EventName) -> DomainEvent {
    DomainEvent::new(&invitation.tenant_id, name, "invitation", &invitation.invitation_id)
        .with("invitationId", &*invitation.invitation_id)
        .with("email", &*invitation.email)
}

fn not_for_you() -> Error {
    let message = "There is no such invitation, or it is not for you: log in with the address that \
                   it was sent to";
    Error::new(INVITATION_NOT_FOUND, message)
}

fn not_pending(status: InvitationStatus) -> Error {
    let message = format!("The invitation is {}: it takes one that is PENDING", status.as_str());
    Error::new(INVITATION_NOT_PENDING, message).detail("status", json!(status))
}
