//! ListBackup.ai: accounts, sources, jobs, connections and what happens to them.
//!
//! Generated from `tables/listbackup`: do not edit, `ACCEPT=1 cargo nextest run -p tables` writes
//! it anew.

pub mod accounts;
pub mod activities;
pub mod connections;
pub mod jobs;
pub mod notifications;
pub mod oauth_states;
pub mod oauth_tokens;
pub mod refresh_tokens;
pub mod sources;
pub mod tags;
pub mod teams;
pub mod users;
pub mod users_accounts;

pub use accounts::Accounts;
pub use activities::Activities;
pub use connections::Connections;
pub use jobs::Jobs;
pub use notifications::Notifications;
pub use oauth_states::OauthStates;
pub use oauth_tokens::OauthTokens;
pub use refresh_tokens::RefreshTokens;
pub use sources::Sources;
pub use tags::Tags;
pub use teams::Teams;
pub use users::Users;
pub use users_accounts::UsersAccounts;
