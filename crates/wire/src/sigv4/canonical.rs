//! The one form of a request that both sides hash.

use hyper::http::request::Parts;

use super::authorization::Authorization;
use super::invalid;
use crate::WireError;

/// The canonical request.
pub(super) fn request(
    head: &Parts,
    authorization: &Authorization<'_>,
    body_hash: &str,
) -> Result<Vec<u8>, WireError> {
    let mut text = Vec::with_capacity(1024);
    text.extend_from_slice(head.method.as_str().as_bytes());
    text.push(b'\n');
    match head.uri.path() {
        "" | "/" => text.push(b'/'),
        // As every service but S3 wants it: what is encoded is encoded again.
        path => text.extend_from_slice(encode(path, true).as_bytes()),
    }
    text.push(b'\n');
    if let Some(parameters) = head.uri.query() {
        text.extend_from_slice(query(parameters).as_bytes());
    }
    text.push(b'\n');
    for name in authorization.signed_headers() {
        text.extend_from_slice(name.as_bytes());
        text.push(b':');
        push_header(&mut text, head, name)?;
        text.push(b'\n');
    }
    text.push(b'\n');
    text.extend_from_slice(authorization.signed_headers.as_bytes());
    text.push(b'\n');
    text.extend_from_slice(body_hash.as_bytes());
    Ok(text)
}

/// The values of a header, blanks folded, with commas between them.
fn push_header(text: &mut Vec<u8>, head: &Parts, name: &str) -> Result<(), WireError> {
    let mut is_found = false;
    for value in head.headers.get_all(name) {
        if is_found {
            text.push(b',');
        }
        is_found = true;
        // Asked as a whole: mostly there is nothing to fold.
        let bytes = value.as_bytes();
        if bytes.iter().fold(true, |all, byte| all & byte.is_ascii_graphic()) {
            text.extend_from_slice(bytes);
            continue;
        }
        let value = value.to_str().map_err(|_| invalid(format!("'{name}' must be ASCII text.")))?;
        let mut words = value.split_ascii_whitespace();
        text.extend_from_slice(words.next().unwrap_or_default().as_bytes());
        for word in words {
            text.push(b' ');
            text.extend_from_slice(word.as_bytes());
        }
    }
    if !is_found && name == "host" {
        // HTTP/2 has the host in the address.
        if let Some(authority) = head.uri.authority() {
            text.extend_from_slice(authority.as_str().as_bytes());
            return Ok(());
        }
    }
    if is_found {
        return Ok(());
    }
    Err(invalid(format!("'{name}' is a 'SignedHeader' that the request does not have.")))
}

/// The parameters of a query, decoded.
pub(super) fn query_parameters(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let parameters = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    parameters.map(|(name, value)| (decode(name), decode(value))).collect()
}

/// The query, encoded anew and in order, without the signature itself.
fn query(query: &str) -> String {
    let mut parameters: Vec<(String, String)> = query_parameters(query)
        .into_iter()
        .filter(|(name, _)| name != "X-Amz-Signature")
        .map(|(name, value)| (encode(&name, false), encode(&value, false)))
        .collect();
    parameters.sort();
    let pairs: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

fn encode(text: &str, keeps_slash: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        if is_plain || (keeps_slash && byte == b'/') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Takes `%41` for `A`; what is not UTF-8 afterwards never matches a signature.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let pair = others.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let value = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match value.filter(|_| *first == b'%') {
            Some(value) => {
                bytes.push(value);
                rest = others.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
