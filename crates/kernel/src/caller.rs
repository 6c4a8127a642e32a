//! Who is calling.

use std::collections::BTreeSet;
use std::net::IpAddr;

/// Who is calling, as far as credentials tell. What they may do with a thing is decided where the
/// thing is known: claims are hints, assignments decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who.
    pub identity: Identity,
    /// The account they act for: 001's account or 002's tenant.
    pub account_id: Option<String>,
    /// Roles that hold for the whole platform or, within `account_id`, for that account.
    pub roles: BTreeSet<Role>,
    /// What the credential is limited to; none means everything its roles allow.
    pub scopes: Option<BTreeSet<String>>,
    /// Other accounts or tenants that the credential names (`custom:tenantIds`).
    pub tenant_hints: Vec<String>,
    /// The customer that the credential names (`custom:customerId`).
    pub customer_id: Option<String>,
    /// The API key that came beside a token.
    pub key: Option<Accompanying>,
    /// Where the request comes from.
    pub address: Option<IpAddr>,
}

/// An API key that came beside a token: the token says who calls, and the key must allow it too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accompanying {
    /// The key's identifier.
    pub key_id: String,
    /// What it is limited to.
    pub scopes: BTreeSet<String>,
}

/// Kinds of callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Nobody said who.
    Anonymous,
    /// A person, by a token.
    User {
        /// 001's `userId`, or the subject of another issuer.
        user_id: String,
        /// Their address, normalised, if the token has it.
        email: Option<String>,
        /// The session (token family) that the token belongs to.
        session: Option<String>,
    },
    /// A program, by an API key.
    ApiKey {
        /// The key's identifier, which may be shown.
        key_id: String,
        /// `live` or `test`.
        environment: String,
    },
    /// Plinth itself, as a worker or from the command line.
    System(&'static str),
}

/// What somebody is. The table of permissions says what each may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// May do everything, everywhere.
    PlatformAdmin,
    /// Owns the account.
    Owner,
    /// Administers the account or tenant.
    Admin,
    /// Operates tenants (002).
    Operator,
    /// Works within the account.
    Member,
    /// Reads (001's `readonly`, 002's Viewer).
    Viewer,
    /// Reads the audit log and nothing else.
    Auditor,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 7] = [
        Role::PlatformAdmin,
        Role::Owner,
        Role::Admin,
        Role::Operator,
        Role::Member,
        Role::Viewer,
        Role::Auditor,
    ];

    /// Its name in tokens and settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::PlatformAdmin => "platform-admin",
            Role::Owner => "owner",
            Role::Admin => "admin",
            Role::Operator => "operator",
            Role::Member => "member",
            Role::Viewer => "viewer",
            Role::Auditor => "auditor",
        }
    }

    /// The role of this name, in any case; `readonly` is a viewer.
    pub fn parse(name: &str) -> Option<Role> {
        let name = name.to_ascii_lowercase();
        if name == "readonly" {
            return Some(Role::Viewer);
        }
        Role::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

impl Caller {
    /// Nobody in particular.
    pub fn anonymous() -> Caller {
        Caller::new(Identity::Anonymous)
    }

    /// Plinth itself, in one of its parts.
    pub fn system(part: &'static str) -> Caller {
        let mut caller = Caller::new(Identity::System(part));
        caller.roles.insert(Role::PlatformAdmin);
        caller
    }

    /// Somebody without any role yet.
    pub fn new(identity: Identity) -> Caller {
        Caller {
            identity,
            account_id: None,
            roles: BTreeSet::new(),
            scopes: None,
            tenant_hints: Vec::new(),
            customer_id: None,
            key: None,
            address: None,
        }
    }

    /// What audit entries and `createdBy` call them: email, else subject, else key id (C2-57).
    pub fn name(&self) -> &str {
        match &self.identity {
            Identity::Anonymous => "anonymous",
            Identity::User { email: Some(email), .. } => email,
            Identity::User { user_id, .. } => user_id,
            Identity::ApiKey { key_id, .. } => key_id,
            Identity::System(part) => part,
        }
    }

    /// The identifier that audit entries keep.
    pub fn id(&self) -> &str {
        match &self.identity {
            Identity::User { user_id, .. } => user_id,
            _ => self.name(),
        }
    }

    /// The kind of caller that audit entries keep.
    pub fn kind(&self) -> &'static str {
        match self.identity {
            Identity::Anonymous => "anonymous",
            Identity::User { .. } => "user",
            Identity::ApiKey { .. } => "api_key",
            Identity::System(_) => "system",
        }
    }

    /// Whether they administer the whole platform.
    pub fn is_platform_admin(&self) -> bool {
        self.roles.contains(&Role::PlatformAdmin)
    }
}
