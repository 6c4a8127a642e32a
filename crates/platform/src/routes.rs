//! The platform's own routes: `/auth` for people, `/ops/v1.0` for whoever operates.

mod account;
pub mod audit;
pub mod auth;
pub mod keys;
pub mod limits;
pub mod requests;
mod webhooks;

use web::ShellBuilder;

use crate::platform::Platform;

/// Where operations are.
const OPS: &str = "/ops/v1.0";

/// Mounts them all.
pub fn mount(shell: ShellBuilder, platform: &Platform) -> ShellBuilder {
    // Where others look for the keys of an issuer is below its name, which is the root.
    shell
        .mount("", &auth::key_set(platform))
        .mount("/auth", &auth::key_set(platform))
        .mount("/auth", &auth::api(platform))
        .mount(OPS, &keys::api(platform))
        .mount(OPS, &limits::api(platform))
        .mount(OPS, &audit::api(platform))
        .mount(OPS, &requests::api(platform))
        .mount(OPS, &webhooks::api(platform))
}
