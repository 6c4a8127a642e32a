//! What is wrong with a document, where, and what to write instead.

use std::fmt;

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The documents cannot be used.
    Error,
    /// The documents work, but somebody should look at this.
    Warning,
}

/// One problem at one line of one document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The document.
    pub file: String,
    /// The line, from one.
    pub line: usize,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub remedy: String,
}

impl Problem {
    /// Whether it keeps the documents from being used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Problem { file, line, message, remedy, .. } = self;
        write!(f, "{file}:{line}: {severity}: {message}. {remedy}")
    }
}

/// Collects what is found in one document, by JSON pointer; lines come later.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: Vec<Finding>,
}

/// Something found at a place in a document.
#[derive(Debug)]
pub(crate) struct Finding {
    /// JSON pointer to the place.
    pub pointer: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub remedy: String,
}

impl Findings {
    /// Notes an error.
    pub fn error(
        &mut self,
        pointer: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Error, pointer, message, remedy);
    }

    /// Notes a warning.
    pub fn warn(
        &mut self,
        pointer: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Warning, pointer, message, remedy);
    }

    fn add(
        &mut self,
        severity: Severity,
        pointer: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.found.push(Finding {
            pointer: pointer.into(),
            severity,
            message: message.into(),
            remedy: remedy.into(),
        });
    }

    /// Takes over what others found.
    pub fn append(&mut self, mut others: Findings) {
        self.found.append(&mut others.found);
    }

    /// Whether nothing was found so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was found, as problems with lines.
    pub fn into_problems(self, file: &str, line: impl Fn(&str) -> usize) -> Vec<Problem> {
        let problem = |finding: Finding| Problem {
            file: file.to_owned(),
            line: line(&finding.pointer),
            severity: finding.severity,
            message: finding.message,
            remedy: finding.remedy,
        };
        self.found.into_iter().map(problem).collect()
    }
}
