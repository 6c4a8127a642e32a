//! Values by what the document says about an attribute.

use fastrand::Rng;
use regex::Regex;
use serde_json::Value;
use values::{AttributeType, AttributeValue, Item, Number};

use super::{SeedOptions, people, text};
use crate::document::{Attribute, Elements, Format, ItemType, Table};
use crate::pattern::Pattern;

const DAY: u64 = 86_400;
/// Attributes that belong to a state are there only if the state is theirs.
const STATES: [&str; 12] = [
    "park",
    "unpark",
    "suspend",
    "deprovision",
    "revoke",
    "disabled",
    "rotated",
    "failure",
    "statusBefore",
    "lease",
    "locked",
    "legal",
];

/// Makes the values of one item.
pub(super) struct Maker<'t> {
    table: &'t Table,
    kind: &'t ItemType,
    number: usize,
    options: SeedOptions,
    /// The attribute that tells this item from the others of its kind.
    own: Option<String>,
    /// When the item was made, in milliseconds since 1970.
    made: u64,
    rng: Rng,
}

impl<'t> Maker<'t> {
    pub fn new(table: &'t Table, kind: &'t ItemType, number: u32, options: SeedOptions) -> Self {
        let keys = table.key_names().into_iter().filter_map(|key| kind.keys.get(key));
        let own = keys
            .filter_map(|pattern| Pattern::read(pattern).ok())
            .flat_map(|pattern| pattern.placeholders().map(str::to_owned).collect::<Vec<_>>())
            .last();
        // The kind is left out, so that items of one number have the same names in them.
        let mut rng = rng(options.seed, &[&table.system, &table.table_name], number as usize);
        let age = rng.u64(0..300 * DAY * 1000);
        let made = (options.now_seconds * 1000).saturating_sub(age);
        Maker { table, kind, number: number as usize, options, own, made, rng }
    }

    /// A value, or nothing if the item does without.
    pub fn attribute(&mut self, attribute: &Attribute, item: &Item) -> Option<AttributeValue> {
        if !attribute.required && !self.wants(attribute, item) {
            return None;
        }
        self.special(attribute, item).or_else(|| self.value(attribute))
    }

    fn wants(&mut self, attribute: &Attribute, item: &Item) -> bool {
        let name = attribute.name.as_str();
        if attribute.format == Some(Format::EpochSeconds) || name == "parentAccountId" {
            return false;
        }
        if let Some(state) = STATES.iter().find(|state| name.starts_with(**state)) {
            let status = item.get("status").or_else(|| item.get("revoked"));
            return matches!(status, Some(AttributeValue::S(status)) if status.to_lowercase().starts_with(*state));
        }
        self.table.is_key(name) || self.rng.u8(..) < 200
    }

    /// What depends on other attributes of the item.
    fn special(&mut self, attribute: &Attribute, item: &Item) -> Option<AttributeValue> {
        let kind = self.kind.name.as_str();
        Some(match attribute.name.as_str() {
            "totalAmount" => total(item)?,
            "rootAccountId" => item.get("accountId")?.clone(),
            "accountPath" => match item.get("accountId")? {
                AttributeValue::S(id) => format!("/{id}/").into(),
                _ => return None,
            },
            "level" if self.table.table_name == "accounts" => number(0),
            "uniqueValue" if kind.starts_with("email") => people::email(self.number).into(),
            "uniqueValue" if kind.starts_with("username") => {
                text::by_name("username", self.number, 0)?.into()
            }
            "uniqueValue" => people::organisation(self.number).to_lowercase().into(),
            "toDate" => date(self.made / 1000 + 30 * DAY).into(),
            // A hash, or the key of another kind of item, which its pattern makes.
            "api_key_hash" => self.formatted("api_key_hash", Format::Sha256).into(),
            _ => return None,
        })
    }

    fn value(&mut self, attribute: &Attribute) -> Option<AttributeValue> {
        if !attribute.choices.is_empty() {
            return self.choice(attribute.attribute_type, &attribute.choices);
        }
        Some(match attribute.attribute_type {
            AttributeType::S => self.text(attribute).into(),
            AttributeType::N => self.number(attribute),
            AttributeType::Bool => {
                let default = attribute.default == Some(Value::Bool(true));
                AttributeValue::Bool(default || self.rng.u8(..) < 40)
            }
            AttributeType::M => AttributeValue::M(self.fields(&attribute.attributes)),
            AttributeType::L => self.list(attribute.elements.as_ref()),
            AttributeType::Ss => AttributeValue::Ss(["read".to_owned(), "write".to_owned()].into()),
            AttributeType::Ns => AttributeValue::Ns(["1".parse::<Number>().ok()?].into()),
            AttributeType::B => AttributeValue::B(b"{\"ok\":true}".to_vec()),
            AttributeType::Bs => AttributeValue::Bs([b"x".to_vec()].into()),
            AttributeType::Null => AttributeValue::Null,
        })
    }

    fn choice(&mut self, kind: AttributeType, choices: &[Value]) -> Option<AttributeValue> {
        let chosen = &choices[self.rng.usize(..choices.len())];
        Some(match (kind, chosen) {
            (AttributeType::Ss, _) => {
                // What is granted includes what comes before it: WRITE implies READ (C4-09).
                let last = self.rng.usize(..choices.len());
                let granted = choices[..=last].iter().filter_map(Value::as_str);
                AttributeValue::Ss(granted.map(str::to_owned).collect())
            }
            (AttributeType::N, Value::Number(chosen)) => {
                AttributeValue::N(chosen.to_string().parse().ok()?)
            }
            (_, Value::String(chosen)) => chosen.clone().into(),
            _ => return None,
        })
    }

    fn fields(&mut self, fields: &[Attribute]) -> Item {
        let mut item = Item::new();
        for field in fields {
            if let Some(value) = self.attribute(field, &item) {
                item.insert(&field.name, value);
            }
        }
        item
    }

    fn list(&mut self, elements: Option<&Elements>) -> AttributeValue {
        let Some(elements) = elements else { return AttributeValue::L(Vec::new()) };
        let count = self.rng.usize(1..4);
        let list = (0..count).map(|_| match elements.attribute_type {
            AttributeType::M => {
                let (good, price) = people::GOODS[self.rng.usize(..people::GOODS.len())];
                let mut item = self.fields(&elements.attributes);
                if item.contains_key("unitPrice") || item.contains_key("price") {
                    item.insert("name", good.into());
                    for member in ["unitPrice", "price"] {
                        if let Some(value) = item.get_mut(member) {
                            *value = money(price);
                        }
                    }
                }
                AttributeValue::M(item)
            }
            _ if elements.format.is_some() => {
                let format = elements.format.unwrap_or(Format::Sha256);
                self.formatted("element", format).into()
            }
            _ => {
                let texts = ["contacts", "orders", "products", "Daily backups", "Support by email"];
                texts[self.rng.usize(..texts.len())].into()
            }
        });
        AttributeValue::L(list.collect())
    }

    fn number(&mut self, attribute: &Attribute) -> AttributeValue {
        let least = bound(&attribute.minimum).unwrap_or_default();
        let most = bound(&attribute.maximum).unwrap_or(least + 50);
        match (attribute.name.as_str(), attribute.format) {
            ("campaignYear", _) => number(2025),
            ("unitNumber", _) => number(self.number as u64 % 900 + 1),
            ("timestamp", _) => number(self.made / 1000),
            ("price" | "unitPrice", _) => money(people::GOODS[self.rng.usize(..8)].1),
            ("discountPercentage", _) => number(self.rng.u64(1..9) * 5),
            (_, Some(Format::EpochSeconds)) => {
                let ttl = self.table.time_to_live.as_ref();
                let retention = ttl.and_then(|ttl| ttl.retention_seconds).unwrap_or(30 * DAY);
                number(self.options.now_seconds + self.rng.u64(retention / 2..=retention))
            }
            (_, Some(Format::EpochMilliseconds)) => number(self.made),
            (_, Some(Format::Money)) => money(self.rng.u32(500..50_000)),
            _ => number(self.rng.u64(least..=most)),
        }
    }

    fn text(&mut self, attribute: &Attribute) -> String {
        let name = attribute.name.as_str();
        if let Some(format) = attribute.format {
            return self.formatted(name, format);
        }
        let choice = self.rng.usize(..1000);
        // What tells items apart must not be a word that several of them would have.
        let is_own = self.own.as_deref() == Some(name) && name != "tagValue";
        let named = text::by_name(name, self.number, choice).filter(|_| !is_own);
        let suggested = attribute.suggested.get(choice % attribute.suggested.len().max(1));
        let suggested = suggested.filter(|_| !is_own).cloned();
        let id = self.id(name);
        let candidates = [
            suggested,
            named,
            attribute.pattern.as_deref().and_then(prefix).map(|prefix| format!("{prefix}{id}")),
            Some(id.clone()),
            Some(format!("key_{}", id.replace('-', ""))),
            Some(format!("ep_{}", id.replace('-', ""))),
            Some(format!("SALE_{}", self.number)),
            Some(id.replace('-', "").to_uppercase()[..8].to_owned()),
            Some(format!("#{}", &id[..6])),
            Some((self.number % 10).to_string()),
            Some(format!("{:010}", self.number)),
            Some(format!("{:04}", self.number % 10_000)),
            Some(id.replace('-', "")[..16].to_owned()),
            Some(id.replace('-', "").repeat(2)),
            Some(id.replace('-', "").repeat(4)),
        ];
        let pattern = attribute.pattern.as_deref().and_then(|pattern| Regex::new(pattern).ok());
        let fits = |text: &String| pattern.as_ref().is_none_or(|one| one.is_match(text));
        let mut fitting = candidates.iter().flatten().filter(|text| fits(text));
        fitting.next().cloned().unwrap_or(id)
    }

    fn formatted(&mut self, name: &str, format: Format) -> String {
        match format {
            Format::DateTime => {
                let later = name.starts_with("updated") || name.starts_with("last");
                let next = name.starts_with("next")
                    || name.starts_with("due")
                    || name.starts_with("refresh")
                    || name.starts_with("expires");
                let millis = match (later, next) {
                    (true, _) if name != "dateCreated" => self.made,
                    (_, true) => self.options.now_seconds * 1000 + self.rng.u64(..DAY * 1000),
                    _ => self.made,
                };
                date_time(millis)
            }
            Format::Date => date(self.made / 1000),
            Format::Email => people::email(self.number),
            Format::Uri => format!("https://example.com/{}", self.id(name)),
            Format::Uuid => self.id(name),
            Format::Ulid => {
                let letters = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
                let mut rng = rng(self.options.seed, &["ulid", &self.table.system], self.number);
                let tail = (0..25).map(|_| letters[rng.usize(..32)] as char);
                std::iter::once('0').chain(tail).collect()
            }
            Format::Ip => format!("203.0.113.{}", self.number % 254 + 1),
            _ => {
                let words = [name, &self.table.table_name];
                let mut rng = rng(self.options.seed, &words, self.number);
                (0..64).map(|_| char::from(b"0123456789abcdef"[rng.usize(..16)])).collect()
            }
        }
    }

    /// The id of the thing that an attribute refers to: of this item, if the attribute tells it from
    /// others, and else of one among the first tenth.
    fn id(&mut self, attribute: &str) -> String {
        let is_own = self.own.as_deref() == Some(attribute);
        let few = (self.options.count as usize / 10).max(1);
        let number = if is_own { self.number } else { self.rng.usize(..few) };
        let concept = match attribute {
            "id" | "reservedBy" => self.table.table_name.trim_end_matches('s').to_owned(),
            "createdBy" | "invitedBy" | "attachedBy" => "user".to_owned(),
            other => concept(other),
        };
        let number = if attribute == "reservedBy" { self.number } else { number };
        uuid(&mut rng(self.options.seed, &[&self.table.system, &concept], number))
    }
}

/// `targetAccountId` and `account_id` are about an account.
fn concept(attribute: &str) -> String {
    let name = attribute.trim_end_matches("Id").trim_end_matches("_id");
    let start = name.rfind(|c: char| c.is_ascii_uppercase() || c == '_');
    name[start.unwrap_or(0)..].trim_start_matches('_').to_lowercase()
}

/// Randomness that depends on the seed, on some words and on a number.
fn rng(seed: u64, words: &[&str], number: usize) -> Rng {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0])).chain(number.to_le_bytes());
    // FNV-1a: spread is enough, secrecy is not needed.
    let hash = bytes.fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Rng::with_seed(hash)
}

fn uuid(rng: &mut Rng) -> String {
    let bits = (rng.u128(..) & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let digits = format!("{bits:032x}");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
}

fn number(value: u64) -> AttributeValue {
    AttributeValue::N(value.to_string().parse().unwrap_or(Number::ZERO))
}

fn money(cents: u32) -> AttributeValue {
    let text = format!("{}.{:02}", cents / 100, cents % 100);
    AttributeValue::N(text.parse().unwrap_or(Number::ZERO))
}

/// The sum over an order's items.
fn total(item: &Item) -> Option<AttributeValue> {
    let AttributeValue::L(items) = item.get("items")? else { return None };
    let mut sum = Number::ZERO;
    for item in items {
        let AttributeValue::M(item) = item else { return None };
        let (AttributeValue::N(price), AttributeValue::N(quantity)) =
            (item.get("unitPrice")?, item.get("quantity")?)
        else {
            return None;
        };
        for _ in 0..quantity.to_i64()? {
            sum = sum.checked_add(price).ok()?;
        }
    }
    Some(AttributeValue::N(sum))
}

fn date_time(millis: u64) -> String {
    let (days, rest) = (millis / 1000 / DAY, millis % (DAY * 1000));
    let (second, millis) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z", date(days * DAY))
}

/// The date of a time, by counting days from the first of March of year 0 (H. Hinnant's method).
fn date(seconds: u64) -> String {
    let days = seconds / DAY + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A bound of a number that is seeded, which is not negative.
fn bound(limit: &Option<Number>) -> Option<u64> {
    limit.as_ref()?.to_i64().and_then(|limit| u64::try_from(limit).ok())
}

/// What texts of a pattern begin with, if that is fixed: of several beginnings, the first.
fn prefix(pattern: &str) -> Option<String> {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "_-".contains(*c);
    let text = pattern.strip_prefix('^')?;
    let (first, rest) = match text.strip_prefix('(').and_then(|text| text.split_once(')')) {
        Some((either, rest)) => (either.split('|').next()?, rest),
        None => ("", text),
    };
    let prefix: String = first.chars().chain(rest.chars().take_while(is_plain)).collect();
    (!prefix.is_empty() && prefix.chars().all(|c| is_plain(&c))).then_some(prefix)
}
