//! Log lines, on standard error.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::settings::{LogFormat, Settings};

/// From here on log lines are written.
pub fn start(settings: &Settings) -> Result<(), String> {
    let filter = EnvFilter::try_new(&settings.log)
        .map_err(|error| format!("`{}` is no filter for log lines: {error}", settings.log))?;
    let is_terminal = std::io::stderr().is_terminal();
    let base = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(is_terminal);
    let outcome = match settings.log_format {
        LogFormat::Text => base.try_init(),
        LogFormat::Auto if is_terminal => base.try_init(),
        LogFormat::Json | LogFormat::Auto => base.json().flatten_event(true).try_init(),
    };
    outcome.map_err(|error| format!("Cannot write log lines: {error}"))
}
