//! Invitations over HTTP (R002-6.8, C2-06, C2-10).

use kernel::error::{CONFLICT, Error};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, InPath, PageAnswer, Params, Route, State};

use super::inputs::{TenancyPage, TenantPath};
use super::shapes::{InvitationAnswer, UserAnswer};
use crate::Tenancy;
use crate::errors::{
    INVITATION_NOT_FOUND, INVITATION_NOT_PENDING, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND,
};
use crate::invitations::InvitationInput;
use crate::permissions::{InvitationsAccept, InvitationsWrite};
use crate::records::UserRole;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    const ALL: &str = "/tenants/{tenantId}/invitations";
    const ONE: &str = "/tenants/{tenantId}/invitations/{invitationId}";
    let absent = [TENANT_NOT_FOUND, INVITATION_NOT_FOUND];
    let list = Route::get(ALL, "listInvitations")
        .summary("Lists a tenant's invitations")
        .answers_page::<InvitationAnswer>("The invitations, without their tokens")
        .errors(&[TENANT_NOT_FOUND]);
    let invite = Route::post(ALL, "createInvitation")
        .summary("Invites somebody by mail")
        .answers::<InvitationAnswer>(201, "The invitation")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let get = Route::get(ONE, "getInvitation")
        .summary("Gets an invitation")
        .answers::<InvitationAnswer>(200, "The invitation, without its token")
        .errors(&absent);
    let cancel = Route::delete(ONE, "cancelInvitation")
        .summary("Revokes an invitation; it stays, REVOKED")
        .answers::<InvitationAnswer>(200, "The invitation as it is now")
        .errors(&absent)
        .errors(&[CONFLICT, INVITATION_NOT_PENDING]);
    let revoke =
        Route::post("/tenants/{tenantId}/invitations/{invitationId}/revoke", "revokeInvitation")
            .summary("Revokes an invitation; it stays, REVOKED")
            .answers::<InvitationAnswer>(200, "The invitation as it is now")
            .errors(&absent)
            .errors(&[CONFLICT, INVITATION_NOT_PENDING]);
    let resend =
        Route::post("/tenants/{tenantId}/invitations/{invitationId}/resend", "resendInvitation")
            .summary("Sends an invitation again, with a new token and a new end")
            .answers::<InvitationAnswer>(200, "The invitation as it is now")
            .errors(&absent)
            .errors(&[CONFLICT, INVITATION_NOT_PENDING, TENANT_NOT_ACTIVE]);
    let accept = Route::post("/invitations/accept", "acceptInvitation")
        .summary("Accepts an invitation to the caller's own address")
        .answers::<UserAnswer>(200, "The assignment")
        .errors(&[INVITATION_NOT_FOUND, CONFLICT, INVITATION_NOT_PENDING, TENANT_NOT_ACTIVE]);
    let accept_this = Route::post(
        "/tenants/{tenantId}/invitations/{invitationId}/accept",
        "acceptThisInvitation",
    )
    .summary("As /invitations/accept, for one invitation")
    .answers::<UserAnswer>(200, "The assignment")
    .errors(&[INVITATION_NOT_FOUND, CONFLICT, INVITATION_NOT_PENDING, TENANT_NOT_ACTIVE]);
    api.route(list, list_invitations)
        .route(invite, create_invitation)
        .route(get, get_invitation)
        .route(cancel, revoke_invitation)
        .route(revoke, revoke_invitation)
        .route(resend, resend_invitation)
        .route(accept, accept_invitation)
        .route(accept_this, accept_this_invitation)
}

/// An invitation in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationPath {
    /// The tenant's identifier.
    #[schema(min_length = 1, max_length = 100)]
    tenant_id: String,
    /// The invitation's identifier.
    #[schema(min_length = 1, max_length = 100)]
    invitation_id: String,
}

/// Somebody who is to be invited.
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

/// The token of an invitation, from the mail.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Acceptance {
    /// The token.
    #[schema(min_length = 1, max_length = 200)]
    token: String,
}

async fn list_invitations(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Params(page): Params<TenancyPage>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let context = allowed.context();
    let (limit, token) = (page.items(), page.next_token.as_deref());
    let found = tenancy.invitations(context, &path.tenant_id, limit, token).await?;
    let shown = |one| InvitationAnswer::of(context, &one, &seen.roles);
    Answer::ok(&PageAnswer::new(context, found, shown))
}

async fn create_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Body(new): Body<NewInvitation>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let is_mailed = new.send_email.unwrap_or(true);
    let input = InvitationInput { email: new.email, role: new.role, is_mailed };
    tenancy.invite(allowed.context(), &seen, input).await
}

async fn get_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    let invitation = tenancy.invitation(&path.tenant_id, &path.invitation_id).await?;
    Answer::ok(&InvitationAnswer::of(allowed.context(), &invitation, &seen.roles))
}

async fn revoke_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    tenancy.revoke(allowed.context(), &seen, &path.invitation_id).await
}

async fn resend_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
) -> Result<Answer, Error> {
    let seen = tenancy.see(&allowed, &path.tenant_id).await?;
    tenancy.resend(allowed.context(), &seen, &path.invitation_id).await
}

async fn accept_invitation(
    allowed: Allowed<InvitationsAccept>,
    State(tenancy): State<Tenancy>,
    Body(body): Body<Acceptance>,
) -> Result<Answer, Error> {
    tenancy.accept(allowed.context(), &body.token, None).await
}

async fn accept_this_invitation(
    allowed: Allowed<InvitationsAccept>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
    Body(body): Body<Acceptance>,
) -> Result<Answer, Error> {
    let named = Some((path.tenant_id.as_str(), path.invitation_id.as_str()));
    tenancy.accept(allowed.context(), &body.token, named).await
}
