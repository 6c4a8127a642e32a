//! Making new inputs from old ones.

/// Words that readers know: they take a reader further than random letters do.
const WORDS: &[&str] = &[
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "SELECT",
    "INSERT",
    "INTO",
    "VALUE",
    "UPDATE",
    "FROM",
    "WHERE",
    "ORDER BY",
    "RETURNING",
    "ALL OLD *",
    "EXISTS",
    "MISSING",
    "NULL",
    "begins_with",
    "contains",
    "size",
    "attribute_type",
    "attribute_exists",
    "if_not_exists",
    "list_append",
    "set_add",
    "#n",
    "#m",
    ":v",
    ":s",
    ":l",
    "(",
    ")",
    "[0]",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    "'",
    "\"",
    "?",
    ",",
    ".",
    "=",
    "<>",
    "<=",
    "+",
    "-",
    "*",
    "null",
    "true",
    "{\"S\":\"a\"}",
    "{\"N\":\"1\"}",
    "{\"N\":\"1E125\"}",
    "{\"NS\":[\"1\",\"1.0\"]}",
    "{\"M\":{}}",
    "{\"L\":[]}",
    "{\"B\":\"AA==\"}",
    "{\"NULL\":true}",
    "-1",
    "9223372036854775808",
    "1e400",
    "\\u0000",
    "\u{1F600}",
    "AWS4-HMAC-SHA256",
    "Credential=",
    "SignedHeaders=",
    "Signature=",
    "X-Amz-Date",
    "%2F",
    "%00",
];

/// Inputs longer than this teach nothing new.
const LENGTH_MAX: usize = 1 << 14;

/// Makes inputs, the same ones from the same seed.
pub struct Mutator {
    random: fastrand::Rng,
}

impl Mutator {
    /// A sequence of inputs.
    pub fn new(seed: u64) -> Mutator {
        Mutator { random: fastrand::Rng::with_seed(seed) }
    }

    /// A new input from some of the old ones.
    pub fn next(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut data = self.random.choice(inputs).cloned().unwrap_or_default();
        for _ in 0..self.random.usize(1..6) {
            self.change(&mut data, inputs);
        }
        data.truncate(LENGTH_MAX);
        data
    }

    fn change(&mut self, data: &mut Vec<u8>, inputs: &[Vec<u8>]) {
        let place = self.random.usize(..=data.len());
        let end = (place + self.random.usize(..12)).min(data.len());
        match self.random.u8(..8) {
            0 => drop(data.drain(place..end)),
            1 => {
                let word = self.random.choice(WORDS).copied().unwrap_or_default();
                data.splice(place..end, word.bytes());
            }
            2 => {
                let word = self.random.choice(WORDS).copied().unwrap_or_default();
                data.splice(place..place, word.bytes());
            }
            3 => {
                if let Some(byte) = data.get_mut(place) {
                    *byte ^= 1 << self.random.u8(..8);
                }
            }
            4 => {
                let piece = data[place..end].to_vec();
                let times = self.random.usize(1..40);
                data.splice(place..place, piece.repeat(times));
            }
            5 => {
                let other = self.random.choice(inputs).cloned().unwrap_or_default();
                let from = self.random.usize(..=other.len());
                let to = (from + self.random.usize(..60)).min(other.len());
                data.splice(place..end, other[from..to].iter().copied());
            }
            6 => data.insert(place, self.random.u8(..)),
            _ => {
                let other = self.random.usize(..=data.len());
                let (low, high) = (place.min(other), place.max(other));
                let piece = data[low..high].to_vec();
                let at = self.random.usize(..=data.len());
                data.splice(at..at, piece);
            }
        }
    }
}
