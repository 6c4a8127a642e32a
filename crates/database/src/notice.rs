//! What the operator must hear though nobody asked: as a log line where log lines are written, so that
//! whatever collects them can read it, else on standard error. Where neither can be written to, on a
//! full disk say, nothing is said: that must not end a commit.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Something was put right that should be looked at.
pub(crate) fn warning(text: &str) {
    say(text, || tracing::warn!("{text}"));
}

/// Something went wrong that somebody has to put right.
pub(crate) fn error(text: &str) {
    say(text, || tracing::error!("{text}"));
}

fn say(text: &str, log: impl FnOnce()) {
    if tracing::dispatcher::has_been_set() {
        // Those who write log lines may panic where they cannot.
        let _ = catch_unwind(AssertUnwindSafe(log));
    } else {
        let _ = writeln!(std::io::stderr(), "plinth: {text}");
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process::{Command, Stdio};

    const IS_CHILD: &str = "PLINTH_TEST_FULL_STANDARD_ERROR";

    /// A disk that is full is a reason to stop, and may be where standard error goes.
    #[test]
    fn standard_error_that_cannot_be_written_to_is_no_reason_to_panic() {
        if std::env::var_os(IS_CHILD).is_some() {
            super::error("nobody hears this");
            return;
        }
        let Ok(full) = File::options().write(true).open("/dev/full") else { return };
        let name = "notice::tests::standard_error_that_cannot_be_written_to_is_no_reason_to_panic";
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(IS_CHILD, "1")
            .stdout(Stdio::null())
            .stderr(full)
            .status();
        assert!(child.unwrap().success());
    }
}
