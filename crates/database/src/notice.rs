//! What the operator must hear though nobody asked: as a log line where log lines are written, so that
//! whatever collects them can read it, else on standard error.

/// Something was put right that should be looked at.
pub(crate) fn warning(text: &str) {
    if tracing::dispatcher::has_been_set() {
        tracing::warn!("{text}");
    } else {
        eprintln!("plinth: {text}");
    }
}

/// Something went wrong that somebody has to put right.
pub(crate) fn error(text: &str) {
    if tracing::dispatcher::has_been_set() {
        tracing::error!("{text}");
    } else {
        eprintln!("plinth: {text}");
    }
}
