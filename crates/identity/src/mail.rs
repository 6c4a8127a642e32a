//! How do people get mail? By SMTP, or into a folder.
//!
//! A mail cannot carry a line break into a header, and cannot be printed: it holds codes.

mod folder;
mod message;
mod smtp;

use std::future::Future;
use std::pin::Pin;

pub use folder::Folder;
use kernel::error::Error;
pub use message::Mail;
pub use smtp::{Smtp, SmtpSecurity, SmtpSettings};

/// The outcome of sending.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// Who takes mails.
pub trait Mailer: Send + Sync + 'static {
    /// Takes a mail. When it returns, the mail is with the server or in the folder.
    fn send(&self, mail: Mail) -> Sending<'_>;
}
