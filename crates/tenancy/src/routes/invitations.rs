//! Invitations over HTTP (R002-6.8, C2-06, C2-10).

use kernel::error::{CONFLICT, Error};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Context, InPath, PageAnswer, Paging, Route, State};

use super::answers::{self, InvitationAnswer, UserAnswer};
use super::inputs::TenantPath;
use super::users;
use crate::Tenancy;
use crate::errors::{
    INVITATION_NOT_FOUND, INVITATION_NOT_PENDING, TENANT_NOT_ACTIVE, TENANT_NOT_FOUND,
};
use crate::invitations::{NewInvitation, SentInvitation};
use crate::paths;
use crate::permissions::{InvitationsAccept, InvitationsWrite};
use crate::records::Invitation;
use crate::standing::View;

/// Adds the routes.
pub fn routes(api: Api<Tenancy>) -> Api<Tenancy> {
    let absent = [TENANT_NOT_FOUND, INVITATION_NOT_FOUND];
    let revokes = |route: Route| {
        let refusals = [CONFLICT, INVITATION_NOT_PENDING];
        route
            .summary("Revokes an invitation; it stays, REVOKED")
            .answers::<InvitationAnswer>(200, "The invitation as it is now")
            .errors(&absent)
            .errors(&refusals)
    };
    let accepts = |route: Route| {
        let refusals = [INVITATION_NOT_FOUND, CONFLICT, INVITATION_NOT_PENDING, TENANT_NOT_ACTIVE];
        route.answers::<UserAnswer>(200, "The assignment").errors(&refusals)
    };
    let list = Route::get(paths::INVITATIONS, "listInvitations")
        .summary("Lists a tenant's invitations")
        .answers_page::<InvitationAnswer>("The invitations, without their tokens")
        .errors(&[TENANT_NOT_FOUND]);
    let invite = Route::post(paths::INVITATIONS, "createInvitation")
        .summary("Invites somebody by mail")
        .answers::<InvitationAnswer>(201, "The invitation")
        .errors(&[TENANT_NOT_FOUND, CONFLICT, TENANT_NOT_ACTIVE]);
    let get = Route::get(paths::INVITATION, "getInvitation")
        .summary("Gets an invitation")
        .answers::<InvitationAnswer>(200, "The invitation, without its token")
        .errors(&absent);
    let cancel = revokes(Route::delete(paths::INVITATION, "cancelInvitation"));
    let revoke = revokes(Route::post(paths::INVITATION_REVOKE, "revokeInvitation"));
    let resend = Route::post(paths::INVITATION_RESEND, "resendInvitation")
        .summary("Sends an invitation again, with a new token and a new end")
        .answers::<InvitationAnswer>(200, "The invitation as it is now")
        .errors(&absent)
        .errors(&[CONFLICT, INVITATION_NOT_PENDING, TENANT_NOT_ACTIVE]);
    let accept = accepts(Route::post(paths::ACCEPT, "acceptInvitation"))
        .summary("Accepts an invitation to the caller's own address");
    let accept_this = accepts(Route::post(paths::INVITATION_ACCEPT, "acceptThisInvitation"))
        .summary("As /invitations/accept, for one invitation");
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

/// The token of an invitation, from the mail.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Acceptance {
    /// The token.
    #[schema(min_length = 1, max_length = 200)]
    token: String,
}

fn shown(context: &Context, view: &View<Invitation>) -> Result<Answer, Error> {
    Answer::ok(&answers::invitation(context, &view.record, &view.roles))
}

async fn list_invitations(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let (context, request) = (allowed.context(), allowed.request::<()>());
    let View { record, roles } = tenancy.invitations(&request, &path.tenant_id, &page).await?;
    let shown = |one| answers::invitation(context, &one, &roles);
    Answer::ok(&PageAnswer::new(context, record, shown))
}

async fn create_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<TenantPath>,
    Body(new): Body<NewInvitation>,
) -> Result<Answer, Error> {
    let request = allowed.replying(|context, sent: &SentInvitation| {
        let View { record, roles } = &sent.view;
        let token = sent.token.as_ref().map(|token| token.reveal().clone());
        let answer = InvitationAnswer { token, ..answers::invitation(context, record, roles) };
        Ok(Answer::created(answer.location(), &answer)?.versioned(1))
    });
    let sent = tenancy.invite(&request, &path.tenant_id, &new).await?;
    request.answer(&sent)
}

async fn get_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
) -> Result<Answer, Error> {
    let request = allowed.request::<()>();
    let view = tenancy.see_invitation(&request, &path.tenant_id, &path.invitation_id).await?;
    shown(allowed.context(), &view)
}

async fn revoke_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
) -> Result<Answer, Error> {
    let request = allowed.replying(shown);
    let revoked = tenancy.revoke(&request, &path.tenant_id, &path.invitation_id).await?;
    request.answer(&revoked)
}

async fn resend_invitation(
    allowed: Allowed<InvitationsWrite>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
) -> Result<Answer, Error> {
    let request = allowed.replying(|context, sent: &SentInvitation| shown(context, &sent.view));
    let sent = tenancy.resend(&request, &path.tenant_id, &path.invitation_id).await?;
    request.answer(&sent)
}

async fn accept_invitation(
    allowed: Allowed<InvitationsAccept>,
    State(tenancy): State<Tenancy>,
    Body(body): Body<Acceptance>,
) -> Result<Answer, Error> {
    let request = allowed.replying(users::shown);
    let accepted = tenancy.accept(&request, &body.token, None).await?;
    request.answer(&accepted)
}

async fn accept_this_invitation(
    allowed: Allowed<InvitationsAccept>,
    State(tenancy): State<Tenancy>,
    InPath(path): InPath<InvitationPath>,
    Body(body): Body<Acceptance>,
) -> Result<Answer, Error> {
    let request = allowed.replying(users::shown);
    let named = Some((path.tenant_id.as_str(), path.invitation_id.as_str()));
    let accepted = tenancy.accept(&request, &body.token, named).await?;
    request.answer(&accepted)
}
