//! Signs requests, as an SDK does.

use std::sync::{PoisonError, RwLock};

use database::clock::{Clock as _, SystemClock};
use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};
use values::hexadecimal;

const REGION: &str = "us-east-1";

/// Signs with one access key.
pub struct Signer {
    access_key_id: String,
    secret: String,
    /// The second that the rest is of, the time as text, and the day's key.
    current: RwLock<(u64, String, Vec<u8>)>,
}

impl Signer {
    /// Signs with this key.
    pub fn new(access_key_id: String, secret: String) -> Signer {
        Signer { access_key_id, secret, current: RwLock::default() }
    }

    /// The headers that prove who is calling: the time and the signature.
    pub fn headers(&self, host: &str, target: &str, body: &[u8]) -> String {
        let (date, key) = self.current();
        let day = &date[..8];
        let canonical = format!(
            "POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:{host}\nx-amz-date:{date}\n\
             x-amz-target:{target}\n\ncontent-type;host;x-amz-date;x-amz-target\n{}",
            hexadecimal::encode(&Sha256::digest(body))
        );
        let scope = format!("{day}/{REGION}/dynamodb/aws4_request");
        let hash = hexadecimal::encode(&Sha256::digest(canonical.as_bytes()));
        let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{hash}");
        let signature = hexadecimal::encode(&sign(&key, text.as_bytes()));
        format!(
            "x-amz-date: {date}\r\nauthorization: AWS4-HMAC-SHA256 Credential={}/{scope}, \
             SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={signature}\r\n",
            self.access_key_id
        )
    }

    fn current(&self) -> (String, Vec<u8>) {
        let now = SystemClock.now_millis() / 1000;
        let guard = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if guard.0 == now {
            return (guard.1.clone(), guard.2.clone());
        }
        drop(guard);
        let date = date(now);
        let mut key = format!("AWS4{}", self.secret).into_bytes();
        for part in [&date[..8], REGION, "dynamodb", "aws4_request"] {
            key = sign(&key, part.as_bytes());
        }
        let fresh = (now, date, key);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        (fresh.1, fresh.2)
    }
}

fn sign(key: &[u8], data: &[u8]) -> Vec<u8> {
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(hmac) => hmac.chain_update(data).finalize().into_bytes().to_vec(),
        Err(_) => unreachable!("HMAC takes keys of any length"),
    }
}

/// `20260131T235959Z`
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (mut year, mut left) = (1970, days);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{:02}T{hour:02}{minute:02}{second:02}Z", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(date(0), "19700101T000000Z");
        assert_eq!(date(951_782_400), "20000229T000000Z");
        assert_eq!(date(1_709_251_199), "20240229T235959Z");
        assert_eq!(date(1_735_689_599), "20241231T235959Z");
    }
}
