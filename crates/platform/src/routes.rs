//! The platform's own routes: `/auth` for people, `/ops/v1.0` for whoever operates.

pub mod auth;

use crate::http::ShellBuilder;
use crate::platform::Platform;

/// Mounts them all.
pub fn mount(shell: ShellBuilder, platform: &Platform) -> ShellBuilder {
    // Where others look for the keys of an issuer is below its name, which is the root.
    shell
        .mount("", &auth::key_set(platform))
        .mount("/auth", &auth::key_set(platform))
        .mount("/auth", &auth::api(platform))
}
