//! Signatures that are right, and every way in which they can be wrong.

use super::*;
use hmac::Hmac;
use hyper::Request;

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const ID: &str = "AKIDEXAMPLE";
/// 2015-08-30T12:36:00Z
const NOW: i64 = 1_440_938_160;

struct One(Option<&'static str>);

impl Keys for One {
    fn credentials(&self, access_key_id: &str) -> Option<Arc<Credentials>> {
        let secret = Zeroizing::new(SECRET.to_owned());
        let session_token = self.0.map(|token| Zeroizing::new(token.to_owned()));
        (access_key_id == ID).then(|| Arc::new(Credentials { secret, session_token }))
    }
}

const BODY: &[u8] = b"{}";
const HEADERS: &[(&str, &str)] = &[
    ("content-type", "application/x-amz-json-1.0"),
    ("host", "localhost:8000"),
    ("x-amz-date", "20150830T123600Z"),
    ("x-amz-target", "DynamoDB_20120810.ListTables"),
];

fn head(method: &str, uri: &str, headers: &[(&str, String)]) -> Parts {
    let mut builder = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        builder = builder.header(*name, value);
    }
    builder.body(()).unwrap().into_parts().0
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hmac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).unwrap()
}

/// Signs on its own, after the public description of the algorithm.
fn sign(headers: &[(&str, &str)], query: &str, body: &[u8], date: &str, region: &str) -> String {
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
    let hash = |bytes: &[u8]| hexadecimal(&Sha256::digest(bytes));
    let canonical = format!("POST\n/\n{query}\n{lines}\n{}\n{}", names.join(";"), hash(body));
    let day = &date[..8];
    let text = format!(
        "AWS4-HMAC-SHA256\n{date}\n{day}/{region}/dynamodb/aws4_request\n{}",
        hash(canonical.as_bytes())
    );
    let mac = |key: &[u8], data: &str| {
        hmac(key).chain_update(data.as_bytes()).finalize().into_bytes().to_vec()
    };
    let mut key = format!("AWS4{SECRET}").into_bytes();
    for part in [day, region, "dynamodb", "aws4_request", &text] {
        key = mac(&key, part);
    }
    hexadecimal(&key)
}

fn authorization(names: &str, signature: &str, region: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential={ID}/20150830/{region}/dynamodb/aws4_request, \
         SignedHeaders={names}, Signature={signature}"
    )
}

fn signed() -> Vec<(&'static str, String)> {
    let signature = sign(HEADERS, "", BODY, "20150830T123600Z", "eu-west-2");
    let names = "content-type;host;x-amz-date;x-amz-target";
    let mut headers: Vec<_> =
        HEADERS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    headers.push(("authorization", authorization(names, &signature, "eu-west-2")));
    headers
}

fn check(headers: &[(&str, String)], uri: &str, body: &[u8], now: i64) -> Result<String, String> {
    let keys = SigningKeys::default();
    let head = head("POST", uri, headers);
    verify(&head, BodyHash::of(body), &One(None), &keys, now).map_err(|error| error.to_string())
}

fn with(name: &str, value: &str) -> Vec<(&'static str, String)> {
    let mut headers = signed();
    for (known, old) in &mut headers {
        if *known == name {
            *old = value.to_owned();
        }
    }
    headers
}

const REFUSED: &str =
    "UnrecognizedClientException: The security token included in the request is invalid.";

#[test]
fn a_right_signature_names_its_key_also_with_blanks_in_headers() {
    assert_eq!(check(&signed(), "/", BODY, NOW), Ok(ID.to_owned()));
    let spaced = with("host", "   localhost:8000  ");
    assert_eq!(check(&spaced, "/", BODY, NOW), Ok(ID.to_owned()));
}

/// The example in AWS' documentation of how a signing key is derived.
/// The service separates the parts of the header at blanks as well as at commas.
#[test]
fn the_parts_of_a_header_need_no_commas() {
    let (_, header) = signed().pop().unwrap();
    for separator in [" ", ",", ",,  ,", "   "] {
        let headers = with("authorization", &header.replace(", ", separator));
        assert_eq!(check(&headers, "/", BODY, NOW), Ok(ID.to_owned()), "{separator:?}");
    }
    let without = with("authorization", &header.replace(", Signature=", " Signature "));
    let error = check(&without, "/", BODY, NOW).unwrap_err();
    assert!(error.contains("'Signature' not a valid key=value pair"), "{error}");
}

#[test]
fn the_documented_example_derives_the_documented_key() {
    let key = ["20150830", "us-east-1", "iam", "aws4_request"]
        .iter()
        .fold(b"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_vec(), |key, part| {
            hmac(&key).chain_update(part.as_bytes()).finalize().into_bytes().to_vec()
        });
    assert_eq!(
        hexadecimal(&key),
        "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
    );
}

#[test]
fn every_changed_component_is_refused_alike() {
    let right = signed();
    let authorization = &right[4].1;
    let swap = |from: &str, to: &str| with("authorization", &authorization.replace(from, to));
    let last = authorization.chars().last().unwrap();
    let flipped = if last == '0' { '1' } else { '0' };
    let mut bit = authorization.clone();
    bit.pop();
    bit.push(flipped);
    let cases = [
        ("host", with("host", "localhost:8001")),
        ("target", with("x-amz-target", "DynamoDB_20120810.DeleteTable")),
        ("content type", with("content-type", "application/json")),
        ("region", swap("eu-west-2", "us-east-1")),
        ("key id", swap(ID, "AKIDUNKNOWN")),
        ("signature", with("authorization", &bit)),
        ("upper case", {
            let (start, signature) = authorization.rsplit_once('=').unwrap();
            with("authorization", &format!("{start}={}", signature.to_uppercase()))
        }),
    ];
    for (what, headers) in cases {
        assert_eq!(check(&headers, "/", BODY, NOW), Err(REFUSED.to_owned()), "{what}");
    }
    assert_eq!(check(&right, "/", b"{ }", NOW), Err(REFUSED.to_owned()));
    assert_eq!(check(&right, "/?a=b", BODY, NOW), Err(REFUSED.to_owned()));
    let get = verify(
        &head("GET", "/", &right),
        BodyHash::of(BODY),
        &One(None),
        &SigningKeys::default(),
        NOW,
    );
    assert_eq!(get.unwrap_err().to_string(), REFUSED);
}

#[test]
fn what_must_be_signed_is_and_nothing_is_there_twice() {
    for (drop, names) in [
        ("host", "content-type;x-amz-date;x-amz-target"),
        ("x-amz-target", "content-type;host;x-amz-date"),
        ("x-amz-date", "content-type;host;x-amz-target"),
    ] {
        let fewer: Vec<_> = HEADERS.iter().filter(|(name, _)| *name != drop).copied().collect();
        let signature = sign(&fewer, "", BODY, "20150830T123600Z", "eu-west-2");
        let headers = with("authorization", &authorization(names, &signature, "eu-west-2"));
        let error = check(&headers, "/", BODY, NOW).unwrap_err();
        assert!(error.starts_with("InvalidSignatureException: "), "{drop}: {error}");
    }
    for name in ["x-amz-date", "authorization"] {
        let mut headers = signed();
        let again = headers.iter().find(|(known, _)| *known == name).unwrap().clone();
        headers.push(again);
        let error = check(&headers, "/", BODY, NOW).unwrap_err();
        assert!(error.contains("must be given once"), "{name}: {error}");
    }
    let mut headers = signed();
    headers.push(("x-amz-target", "DynamoDB_20120810.DeleteTable".to_owned()));
    assert_eq!(check(&headers, "/", BODY, NOW), Err(REFUSED.to_owned()));
}

#[test]
fn the_time_may_be_fifteen_minutes_off() {
    let right = signed();
    for now in [NOW - 900, NOW + 900] {
        assert_eq!(check(&right, "/", BODY, now), Ok(ID.to_owned()));
    }
    assert_eq!(
        check(&right, "/", BODY, NOW + 901),
        Err("InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than \
             20150830T123601Z (20150830T125101Z - 15 min.)"
            .to_owned())
    );
    let early = check(&right, "/", BODY, NOW - 901).unwrap_err();
    assert!(
        early.contains("Signature not yet current: 20150830T123600Z is still later"),
        "{early}"
    );
    let other_day = with("x-amz-date", "20150831T123600Z");
    let error = check(&other_day, "/", BODY, NOW + 86_400).unwrap_err();
    assert!(error.contains("Date in Credential scope does not match"), "{error}");
}

#[test]
fn what_is_missing_is_named() {
    let unsigned: Vec<_> =
        signed().into_iter().filter(|(name, _)| *name != "authorization").collect();
    let missing = "MissingAuthenticationTokenException: Request is missing Authentication Token";
    assert_eq!(check(&unsigned, "/", BODY, NOW), Err(missing.to_owned()));
    assert_eq!(check(&with("authorization", "Basic abc"), "/", BODY, NOW), Err(missing.to_owned()));
    let error = check(&with("authorization", "AWS4-HMAC-SHA256 Signature=a"), "/", BODY, NOW);
    assert_eq!(
        error,
        Err("IncompleteSignatureException: Authorization header requires 'Credential' parameter. \
             Authorization header requires 'SignedHeaders' parameter. \
             Authorization=AWS4-HMAC-SHA256 Signature=a"
            .to_owned())
    );
    for wrong in
        ["AWS4-HMAC-SHA256 Credential", "AWS4-HMAC-SHA1 Credential=a", "AWS4-HMAC-SHA256 =,=,"]
    {
        assert!(check(&with("authorization", wrong), "/", BODY, NOW).is_err(), "{wrong}");
    }
}

fn presigned(seconds: &str, now: i64) -> Result<String, String> {
    let query = format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256\
         &X-Amz-Credential={ID}%2F20150830%2Feu-west-2%2Fdynamodb%2Faws4_request\
         &X-Amz-Date=20150830T123600Z&X-Amz-Expires={seconds}&X-Amz-SignedHeaders=host"
    );
    let headers = [("host", "localhost:8000")];
    let signature = sign(&headers, &query, BODY, "20150830T123600Z", "eu-west-2");
    let uri = format!("/?X-Amz-Signature={signature}&{query}");
    check(&[("host", "localhost:8000".to_owned())], &uri, BODY, now)
}

#[test]
fn a_presigned_address_is_valid_as_long_as_it_says_and_a_week_at_most() {
    assert_eq!(presigned("60", NOW + 60), Ok(ID.to_owned()));
    assert!(presigned("60", NOW + 61).unwrap_err().contains("Signature expired"));
    assert_eq!(presigned("604800", NOW + 604_800), Ok(ID.to_owned()));
    assert!(presigned("604801", NOW).unwrap_err().contains("X-Amz-Expires"));
    assert!(presigned("many", NOW).unwrap_err().contains("X-Amz-Expires"));
}

#[test]
fn a_session_token_must_be_the_right_one() {
    let with_token = |token: &str| {
        let mut all: Vec<(&str, &str)> = HEADERS.to_vec();
        all.insert(3, ("x-amz-security-token", token));
        let signature = sign(&all, "", BODY, "20150830T123600Z", "eu-west-2");
        let names = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target";
        let mut headers: Vec<_> =
            all.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        headers.push(("authorization", authorization(names, &signature, "eu-west-2")));
        head("POST", "/", &headers)
    };
    let keys = SigningKeys::default();
    let session = One(Some("token"));
    assert!(verify(&with_token("token"), BodyHash::of(BODY), &session, &keys, NOW).is_ok());
    for (head, known) in [
        (with_token("other"), One(Some("token"))),
        (with_token("token"), One(None)),
        (head("POST", "/", &signed()), One(Some("token"))),
    ] {
        let error = verify(&head, BodyHash::of(BODY), &known, &keys, NOW).unwrap_err();
        assert_eq!(error.to_string(), REFUSED);
    }
}

#[test]
fn digits_are_the_same_only_if_all_are() {
    let digits = Hexadecimal::of(&Sha256::digest(b"a body"));
    let own = digits.0;
    assert!(digits.is(&own));
    for place in 0..own.len() {
        let mut other = own;
        other[place] ^= 1;
        assert!(!digits.is(&other), "{place}");
        assert!(!digits.is(&own[..place]), "{place}");
    }
    let longer = [&own[..], b"0"].concat();
    assert!(!digits.is(&longer) && !digits.is(&[&own[..], &own[..8]].concat()));
}
