//! What a mail says: to whom, about what, and the texts of the mails that everybody gets.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use kernel::error::Error;
use kernel::moment::Moment;
use lettre::Message;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use secrets::Secret;

/// Most characters of a subject.
const SUBJECT_MAX: usize = 200;

/// A mail in plain text. It may hold a code, so it is not printed.
#[derive(Clone)]
pub struct Mail {
    to: String,
    subject: String,
    text: Secret,
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mail({})", self.subject)
    }
}

impl Mail {
    /// A mail to one address.
    pub fn new(to: &str, subject: &str, text: Secret) -> Mail {
        Mail { to: to.to_owned(), subject: subject.to_owned(), text }
    }

    /// The code that proves an address.
    pub fn verify_email(product: &str, to: &str, code: Secret) -> Mail {
        let subject = format!("{product}: your code");
        let text = format!(
            "Your code is {}\n\nEnter it to verify this address. It is good for 15 minutes.\n\
             If you did not register, ignore this mail.\n",
            code.reveal()
        );
        Mail::new(to, &subject, Secret::new(text))
    }

    /// Somebody registered with an address that is registered.
    pub fn already_registered(product: &str, to: &str) -> Mail {
        let subject = format!("{product}: you have an account");
        let text = "Somebody, perhaps you, tried to register with this address, which has an \
                    account already.\n\nLog in, or reset the password if you forgot it. If it was \
                    not you, there is nothing to do.\n";
        Mail::new(to, &subject, Secret::from(text))
    }

    /// Somebody registered with an address that is registered, and that nobody has proved to be theirs.
    pub fn registered_again(product: &str, to: &str) -> Mail {
        let subject = format!("{product}: choose your password");
        let text = "Somebody registered with this address more than once, perhaps you. So that only \
                    you get in, no password counts until you choose one: ask to reset the password, \
                    and enter the code that is mailed to you. That also verifies this address.\n\n\
                    If you did not register, ignore this mail.\n";
        Mail::new(to, &subject, Secret::from(text))
    }

    /// The code that resets a password.
    pub fn reset_password(product: &str, to: &str, code: Secret) -> Mail {
        let subject = format!("{product}: reset your password");
        let text = format!(
            "Your code is {}\n\nEnter it with a new password. It is good for 15 minutes and for \
             one use, and ends every session.\nIf you did not ask for it, ignore this mail.\n",
            code.reveal()
        );
        Mail::new(to, &subject, Secret::new(text))
    }

    /// The password was changed.
    pub fn password_changed(product: &str, to: &str, when: Moment) -> Mail {
        let subject = format!("{product}: your password was changed");
        let text = format!(
            "Your password was changed at {when}, and every session was ended.\n\nIf it was not \
             you, reset the password now.\n"
        );
        Mail::new(to, &subject, Secret::new(text))
    }

    /// Somebody logged in from where nobody did before.
    pub fn new_login(product: &str, to: &str, place: &str, when: Moment) -> Mail {
        let subject = format!("{product}: a new login");
        let text = format!(
            "Somebody logged in to your account from {place} at {when}.\n\nIf it was not you, \
             change the password and log out everywhere.\n"
        );
        Mail::new(to, &subject, Secret::new(text))
    }

    /// Something that the owner of an account must hear of.
    pub fn notice(product: &str, to: &str, about: &str, message: &str) -> Mail {
        Mail::new(to, &format!("{product}: {about}"), Secret::new(format!("{message}\n")))
    }

    /// An invitation to something, with the code that accepts it.
    pub fn invitation(product: &str, to: &str, by: &str, into: &str, code: Secret) -> Mail {
        let subject = format!("{product}: you are invited to {into}");
        let text = format!(
            "{by} invites you to {into}.\n\nYour code is {}\n\nIf you do not know them, ignore \
             this mail.\n",
            code.reveal()
        );
        Mail::new(to, &subject, Secret::new(text))
    }

    /// The address that it goes to.
    pub fn to(&self) -> &str {
        &self.to
    }

    /// The message, from a sender at a moment. The subject is one line of visible characters, whatever
    /// a user named something; the addresses are parsed, never pasted.
    pub(super) fn message(&self, from: &Mailbox, now: Moment) -> Result<Message, Error> {
        let refuse = |error: &dyn fmt::Display| Error::internal(format!("a mail: {error}"));
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        let subject: String = self.subject.chars().take(SUBJECT_MAX).map(visible).collect();
        let to = self.to.parse().map_err(|error| refuse(&error))?;
        Message::builder()
            .from(from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .date(UNIX_EPOCH + Duration::from_millis(now.millis()))
            .header(ContentType::TEXT_PLAIN)
            .body(self.text.reveal().to_owned())
            .map_err(|error| refuse(&error))
    }
}

/// The sender of all mails.
pub(super) fn sender(name: &str, address: &str) -> Result<Mailbox, Error> {
    let address = address
        .parse()
        .map_err(|error| Error::internal(format!("the sender {address}: {error}")))?;
    Ok(Mailbox::new(Some(name.to_owned()), address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mail: &Mail) -> String {
        let from = sender("Plinth", "plinth@example.com").unwrap();
        let message = mail.message(&from, Moment::from_seconds(1_763_200_000)).unwrap();
        String::from_utf8(message.formatted()).unwrap()
    }

    #[test]
    fn nothing_that_a_user_wrote_becomes_a_header() {
        let evil = "Team\r\nBcc: eve@example.com\r\n\r\nbody";
        let code = Secret::from("CODE");
        let text = lines(&Mail::invitation("Plinth", "ada@example.com", evil, evil, code));
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        assert!(!head.to_lowercase().contains("\nbcc"), "{head}");
        assert!(head.contains("Date: Sat, 15 Nov 2025 09:46:40"), "{head}");
        let from = sender("Plinth", "plinth@example.com").unwrap();
        for to in
            ["ada@example.com\r\nBcc: eve@example.com", "", "ada@example.com, eve@example.com"]
        {
            let mail = Mail::new(to, "subject", Secret::from("text"));
            assert!(mail.message(&from, Moment::from_millis(0)).is_err(), "{to:?}");
        }
    }

    #[test]
    fn a_mail_is_not_printed() {
        let mail = Mail::verify_email("Plinth", "ada@example.com", Secret::from("CANARY"));
        assert!(!format!("{mail:?}").contains("CANARY"));
        assert!(lines(&mail).contains("CANARY"));
    }
}
