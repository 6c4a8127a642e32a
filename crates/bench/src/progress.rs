//! How far it is: a bar on a terminal, plain lines anywhere else. Both on standard error, so that
//! standard output holds the results alone.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

/// Tells the user what is being done.
pub struct Progress {
    terminal: bool,
}

/// One part of the work, counted in steps.
pub struct Stage {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar if standard error is a terminal.
    pub fn new() -> Progress {
        Progress { terminal: std::io::stderr().is_terminal() }
    }

    /// Begins a part of the work.
    pub fn stage(&self, name: &str, steps: u64) -> Stage {
        if !self.terminal {
            eprintln!("{name}");
            return Stage { bar: None };
        }
        let template = "{prefix:<44} {bar:30} {pos:>9}/{len} {msg} ({elapsed})";
        let style = ProgressStyle::with_template(template);
        let bar = ProgressBar::new(steps).with_prefix(name.to_owned());
        Stage { bar: Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))) }
    }
}

impl Stage {
    /// So many steps are done.
    pub fn reach(&self, steps: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(steps);
        }
    }

    /// One more step begins.
    pub fn step(&self, name: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(name.to_owned());
                bar.inc(1);
            }
            None => eprintln!("  {name}"),
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_with_message("");
        }
    }
}
