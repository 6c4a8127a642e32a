//! The platform's own routes: `/auth` for people, `/ops/v1.0` for whoever operates.

mod webhooks;

use crate::http::ShellBuilder;
use crate::platform::Platform;

/// Where whoever operates is served.
const OPS: &str = "/ops/v1.0";

/// Mounts them all.
pub fn mount(shell: ShellBuilder, platform: &Platform) -> ShellBuilder {
    shell.mount(OPS, &webhooks::api(platform))
}
