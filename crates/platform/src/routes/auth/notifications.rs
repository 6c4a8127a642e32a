//! Messages to the person who calls: listed, and marked as read.

use kernel::error::Error;
use kernel::moment::Moment;
use notifications::{Category, Notification, NotificationStatus, NotificationType, Priority};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Context, InPath, PageAnswer, Paging, Params, Route, State};

use super::user_id;
use crate::permissions::Myself;
use crate::platform::Platform;

const READ: &str = "/notifications/{notificationId}/read";

/// A message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationPath {
    /// Its id.
    #[schema(format = "uuid", max_length = 36)]
    notification_id: String,
}

/// When a message was made, which is part of where it is. The message's own link has it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotificationMade {
    /// Its `createdAt`.
    #[schema(format = "date-time", max_length = 40)]
    created_at: String,
}

/// A message to a person.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationAnswer {
    notification_id: String,
    /// The account it is about.
    account_id: String,
    /// How it is delivered: `email`, `sms`, `push` or `in-app`.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    notification_type: NotificationType,
    /// What it is about: `system`, `source`, `job`, `billing` or `security`.
    #[schema(value_type = String)]
    category: Category,
    /// How urgent it is: `low`, `medium`, `high` or `critical`.
    #[schema(value_type = String)]
    priority: Priority,
    subject: String,
    message: String,
    /// How far it has come: `pending`, `sent`, `delivered`, `failed` or `read`.
    #[schema(value_type = String)]
    status: NotificationStatus,
    created_at: Moment,
    /// When it was read.
    read_at: Option<Moment>,
    /// Until when it is kept.
    expires_at: Moment,
    /// `read`, while it is not.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::get("/notifications", "listNotifications")
            .summary("The messages to the person who calls, newest first")
            .answers_page::<NotificationAnswer>("A part of the list"),
        list,
    )
    .route(
        Route::post(READ, "readNotification")
            .summary("Marks a message as read; a second time changes nothing")
            .answers::<NotificationAnswer>(200, "The message"),
        read,
    )
}

async fn list(
    allowed: Allowed<Myself>,
    State(platform): State<Platform>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let notifications = platform.identity().notifications();
    let page = notifications.list(user_id(&allowed)?, page.limit, page.token()).await?;
    let context = allowed.context();
    Answer::ok(&PageAnswer::new(context, page, |notification| shown(context, notification)))
}

async fn read(
    allowed: Allowed<Myself>,
    State(platform): State<Platform>,
    InPath(path): InPath<NotificationPath>,
    Params(made): Params<NotificationMade>,
) -> Result<Answer, Error> {
    let wrong = || Error::validation([("createdAt", "should be the message's own".to_owned())]);
    let created_at = Moment::parse(&made.created_at).ok_or_else(wrong)?;
    let id = path.notification_id.to_lowercase();
    let identity = platform.identity();
    let notification =
        identity.notifications().mark_read(user_id(&allowed)?, created_at, &id).await?;
    Answer::ok(&shown(allowed.context(), notification))
}

fn shown(context: &Context, notification: Notification) -> NotificationAnswer {
    let Notification { notification_id, created_at, status, .. } = &notification;
    let links = match status {
        NotificationStatus::Read => json!({}),
        _ => {
            let href = context.link(READ, &[("notificationId", notification_id)]);
            let query = form_urlencoded::Serializer::new(String::new())
                .append_pair("createdAt", &created_at.to_string())
                .finish();
            json!({ "read": { "href": format!("{href}?{query}") } })
        }
    };
    NotificationAnswer {
        notification_id: notification.notification_id,
        account_id: notification.account_id,
        notification_type: notification.notification_type,
        category: notification.category,
        priority: notification.priority,
        subject: notification.subject,
        message: notification.message,
        status: notification.status,
        created_at: notification.created_at,
        read_at: notification.read_at,
        expires_at: Moment::from_seconds(notification.expires_at),
        links,
    }
}
