//! Bytes as hexadecimal digits in lower case: hashes, and the opaque texts that clients hand back.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The digits, two for each byte.
pub fn encode(bytes: &[u8]) -> String {
    let mut digits = vec![0; bytes.len() * 2];
    for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
    // Digits are text: to push them one by one would ask of each how long it is.
    String::from_utf8(digits).unwrap_or_default()
}

/// The bytes; `None` if the text is anything else than pairs of digits.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_goes_both_ways() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
        assert_eq!(encode(&[0, 255, 0x1a]), "00ff1a");
        for bad in ["0", "zz", "é0", "+f"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
