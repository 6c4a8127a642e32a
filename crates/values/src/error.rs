//! What can be wrong with a value. Each variant's text is the one DynamoDB sends.
//!
//! The service has two wordings for a few of these, by operation. `Display` gives the older one,
//! which BatchWriteItem, the transactions and PartiQL use and which rule 15 quotes;
//! [`ValueError::single_item_message`] gives the one that PutItem, UpdateItem, DeleteItem, GetItem,
//! BatchGetItem, Query and Scan have moved to.
//!
//! Here and in the rest of the crate, "rule" is the numbered list of DynamoDB behaviour that this
//! project follows, and DX marks a reply of the real service that dynoxide recorded in its change
//! log or source.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const INVALID: &str = "One or more parameter values were invalid: ";

/// A value the service refuses. The text (`Display`) is the message of the `ValidationException`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueError {
    /// Text that is not a number (rule 4). Holds the text as sent, which may be empty.
    NotANumber(String),
    /// More than 38 significant digits, as sent or as the result of arithmetic (rules 11 and 13).
    TooManyDigits,
    /// A magnitude of 1E+126 or more (rule 11).
    NumberOverflow,
    /// A magnitude below 1E-130 that is not zero (rule 11).
    NumberUnderflow,
    /// A magnitude at the limit of what the exponent of Java's `BigDecimal` holds, from
    /// `1e2147483646` on: the older wording calls it an underflow, the other an overflow (DX,
    /// October 2026).
    NumberBeyondExponents,
    /// `{"NULL": false}` (rule 16).
    NullIsFalse,
    /// A `NULL` that is false as text, or beside another type (rule 16).
    NullReadsAsFalse,
    /// `{}`, or an object without any of the ten type names.
    NoDatatype,
    /// An object with more than one of the ten type names.
    SeveralDatatypes,
    /// A string set with a repeated member (rule 15). Holds the members as sent.
    DuplicateStrings(Vec<String>),
    /// A number set with a member repeated after normalisation (rules 12 and 15).
    DuplicateNumbers,
    /// A binary set with a repeated member (rule 15). Holds the members as sent.
    DuplicateBinaries(Vec<Vec<u8>>),
    /// An empty string set (rule 14).
    EmptyStringSet,
    /// An empty number set (rule 14).
    EmptyNumberSet,
    /// An empty binary set (rule 14).
    EmptyBinarySet,
    /// An attribute name of no bytes, at any depth (rule 22).
    EmptyAttributeName,
    /// An attribute name of more than 65,535 bytes (rule 22).
    AttributeNameTooLong,
    /// Lists and maps nested beyond 32 levels (rule 9).
    NestingTooDeep,
    /// A message that needs no further structure.
    Invalid(String),
}

impl ValueError {
    /// The message in the wording of the single-item operations, BatchGetItem, Query and Scan.
    ///
    /// Differs from `Display` for an empty number (a colon and a blank follow the text), for a number
    /// of the largest exponents, and for repeated set members (quoted, and those read before the
    /// repeat sorted). The public conformance suite asserts both wordings, from four regions in
    /// October 2026.
    pub fn single_item_message(&self) -> String {
        match self {
            ValueError::NumberBeyondExponents => ValueError::NumberOverflow.to_string(),
            ValueError::NotANumber(text) if text.is_empty() => format!("{self}: "),
            ValueError::DuplicateStrings(members) => {
                let quoted = quoted_in_reading_order(members, |member| {
                    serde_json::Value::from(member.as_str()).to_string()
                });
                format!("{INVALID}Input collection [{}] contains duplicates.", quoted.join(", "))
            }
            ValueError::DuplicateBinaries(members) => {
                let quoted = quoted_in_reading_order(members, |member| {
                    format!("\"{}\"", STANDARD.encode(member))
                });
                let joined = quoted.join(",");
                format!("{INVALID}Input collection [{joined}]of type BS contains duplicates.")
            }
            ValueError::DuplicateNumbers => {
                format!("{INVALID}Input collection contains duplicates.")
            }
            other => other.to_string(),
        }
    }
}

/// The members as the service lists them when it finds a repeat: those read before it in byte
/// order, the repeat itself, then those not read yet, as sent (DX, October 2026).
fn quoted_in_reading_order<T: Ord>(members: &[T], quote: impl Fn(&T) -> String) -> Vec<String> {
    let mut read = BTreeSet::new();
    let repeat = members.iter().position(|member| !read.insert(member)).unwrap_or(members.len());
    read.into_iter().chain(members.iter().skip(repeat)).map(quote).collect()
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::NotANumber(text) => {
                f.write_str("The parameter cannot be converted to a numeric value")?;
                if text.is_empty() { Ok(()) } else { write!(f, ": {text}") }
            }
            ValueError::TooManyDigits => {
                f.write_str("Attempting to store more than 38 significant digits in a Number")
            }
            ValueError::NumberOverflow => f.write_str(
                "Number overflow. Attempting to store a number with magnitude larger than \
                 supported range",
            ),
            ValueError::NumberUnderflow | ValueError::NumberBeyondExponents => f.write_str(
                "Number underflow. Attempting to store a number with magnitude smaller than \
                 supported range",
            ),
            ValueError::NullIsFalse | ValueError::NullReadsAsFalse => {
                write!(f, "{INVALID}Null attribute value types must have the value of true")
            }
            ValueError::NoDatatype => f.write_str(
                "Supplied AttributeValue is empty, must contain exactly one of the supported \
                 datatypes",
            ),
            ValueError::SeveralDatatypes => f.write_str(
                "Supplied AttributeValue has more than one datatypes set, must contain exactly \
                 one of the supported datatypes",
            ),
            ValueError::DuplicateStrings(members) => {
                write!(f, "{INVALID}Input collection [{}] contains duplicates.", members.join(", "))
            }
            // No prefix and no full stop: the service's own inconsistency (DX, and dynalite's
            // tests against the service).
            ValueError::DuplicateNumbers => f.write_str("Input collection contains duplicates"),
            ValueError::DuplicateBinaries(members) => {
                let members: Vec<String> = members.iter().map(|m| STANDARD.encode(m)).collect();
                let joined = members.join(", ");
                // The missing blank after the bracket is the service's.
                write!(f, "{INVALID}Input collection [{joined}]of type BS contains duplicates.")
            }
            // Two blanks where a word seems to be missing: the service's text (rule 14).
            ValueError::EmptyStringSet => write!(f, "{INVALID}An string set  may not be empty"),
            ValueError::EmptyNumberSet => write!(f, "{INVALID}An number set  may not be empty"),
            ValueError::EmptyBinarySet => write!(f, "{INVALID}Binary sets should not be empty"),
            // DX, October 2026: the whole message, without the usual prefix.
            ValueError::EmptyAttributeName => f.write_str("Empty attribute name"),
            ValueError::AttributeNameTooLong => {
                f.write_str("Attribute name is too large, must be less than 65536 bytes")
            }
            ValueError::NestingTooDeep => f.write_str(
                "Nesting Levels have exceeded supported limits: Attributes in the item have \
                 nested levels beyond supported limit",
            ),
            ValueError::Invalid(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ValueError {}
