//! The paths that several routes share.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::hierarchy::Place;

/// A tenant in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantPath {
    /// Its identifier: `tenant-` and a UUID.
    #[schema(min_length = 1, max_length = 100)]
    pub tenant_id: String,
}

/// A user of a tenant in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantUserPath {
    /// The tenant's identifier.
    #[schema(min_length = 1, max_length = 100)]
    pub tenant_id: String,
    /// The user's identifier: `user-` and a UUID.
    #[schema(min_length = 1, max_length = 100)]
    pub user_id: String,
}

/// A place in a tenant's tree, as a path names it.
pub trait InTree {
    /// The tenant.
    fn tenant_id(&self) -> &str;
    /// The place.
    fn place(&self) -> Place;
}

impl InTree for TenantPath {
    fn tenant_id(&self) -> &str {
        &self.tenant_id
    }

    fn place(&self) -> Place {
        Place::default()
    }
}

macro_rules! in_tree {
    ($($(#[$doc:meta])* $name:ident { $($field:ident),* } $place:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(
                /// An identifier.
                #[schema(min_length = 1, max_length = 100)]
                pub $field: String,
            )*
        }

        impl InTree for $name {
            fn tenant_id(&self) -> &str {
                &self.tenant_id
            }

            fn place(&self) -> Place {
                let place: fn(&$name) -> Place = $place;
                place(self)
            }
        }
    )*};
}

/// The place of a division.
fn division(division: &str) -> Place {
    Place { division: Some(division.to_owned()), ..Place::default() }
}

in_tree! {
    /// A division in a path.
    DivisionPath { tenant_id, division_id } |path| division(&path.division_id);
    /// A group in a path.
    GroupPath { tenant_id, division_id, group_id } |path| Place {
        group: Some(path.group_id.clone()),
        ..division(&path.division_id)
    };
    /// A team in a path.
    TeamPath { tenant_id, division_id, group_id, team_id } |path| Place {
        group: Some(path.group_id.clone()),
        team: Some(path.team_id.clone()),
        ..division(&path.division_id)
    };
    /// A user of a division in a path.
    DivisionUserPath { tenant_id, division_id, user_id } |path| division(&path.division_id);
    /// A user of a group in a path.
    GroupUserPath { tenant_id, division_id, group_id, user_id } |path| Place {
        group: Some(path.group_id.clone()),
        ..division(&path.division_id)
    };
    /// A user of a team in a path.
    TeamUserPath { tenant_id, division_id, group_id, team_id, user_id } |path| Place {
        group: Some(path.group_id.clone()),
        team: Some(path.team_id.clone()),
        ..division(&path.division_id)
    };
}

/// A user in a path.
pub trait OfUser {
    /// Their identifier.
    fn user_id(&self) -> &str;
}

macro_rules! of_user {
    ($($name:ident)*) => {$(
        impl OfUser for $name {
            fn user_id(&self) -> &str {
                &self.user_id
            }
        }
    )*};
}

of_user! { DivisionUserPath GroupUserPath TeamUserPath }
