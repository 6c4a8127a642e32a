//! Tests of the platform through its public interface, one module for each part.

mod identity;
mod identity_issuers;
mod identity_jwt;
mod identity_sessions;
mod identity_users;
