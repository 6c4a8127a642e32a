//! Every class of bad input of a route: a status of the 400 range, in the envelope, with each field
//! that is wrong (R002-9.4-4, R002-6.5b-1, R002-6.5b-9).

use axum::body::Body;
use bytes::Bytes;
use http_body_util::StreamBody;

use super::sample::{ask, request, send, shell};

const GOOD: &str = r#"{"name":"a","size":3}"#;

async fn refused(body: &str) -> (u16, String, Vec<String>) {
    let got = ask(&shell(), "POST /v1.0/things", &[], body).await;
    (got.status, got.code(), got.fields())
}

fn validation(fields: &[&str]) -> (u16, String, Vec<String>) {
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    (400, "VALIDATION_ERROR".to_owned(), fields)
}

#[tokio::test]
async fn a_good_request_is_taken() {
    let got = ask(&shell(), "POST /v1.0/things", &[], GOOD).await;
    assert_eq!((got.status, got.header("location")), (201, "/v1.0/things/thing-1"), "{got:?}");
}

#[tokio::test]
async fn every_wrong_field_is_named_at_once() {
    assert_eq!(refused("{}").await, validation(&["name", "size"]));
    assert_eq!(refused(r#"{"name":1,"size":"3"}"#).await, validation(&["name", "size"]));
    assert_eq!(refused(r#"{"name":null,"size":3.5}"#).await, validation(&["name", "size"]));
    let long = format!(r#"{{"name":"{}","size":11}}"#, "x".repeat(21));
    assert_eq!(refused(&long).await, validation(&["name", "size"]));
    assert_eq!(refused(r#"{"name":"a","size":-1}"#).await, validation(&["size"]));
    let unknown = r#"{"name":"a","size":3,"colour":"red","tags":[{"label":"a","more":1}]}"#;
    assert_eq!(refused(unknown).await, validation(&["tags[0].more", "colour"]));
    let nested = r#"{"name":"a","size":3,"owner":"x","kind":"oval","tags":[{"label":"A"},{}]}"#;
    let fields = ["kind", "owner", "tags[0].label", "tags[1].label"];
    assert_eq!(refused(nested).await, validation(&fields));
    let many = r#"{"name":"a","size":3,"tags":[1,2,3,4]}"#;
    assert_eq!(refused(many).await, validation(&["tags"]));
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let bodies = [r#"{"name":"a","#, "[]", "null", "\"text\"", "{} {}", &deep];
    for body in bodies {
        assert_eq!(refused(body).await, validation(&["body"]), "{body}");
    }
    let double = r#"{"name":"a","size":3,"size":4}"#;
    assert_eq!(refused(double).await, validation(&["body"]));
    let empty = request("POST /v1.0/things", &[("content-type", "application/json")], "");
    let got = send(&shell(), empty).await;
    assert_eq!((got.status, got.fields()), (400, vec!["body".to_owned()]));
    let path =
        request("POST /v1.0/things", &[], GOOD).map(|_| Body::from(&b"{\"name\":\"\xff\"}"[..]));
    assert_eq!(send(&shell(), path).await.status, 400);
}

/// A POST without a body and without a content type was refused for its content type (415).
#[tokio::test]
async fn a_body_that_is_missing_altogether_is_told_so() {
    let mut empty = request("POST /v1.0/things", &[], "");
    empty.headers_mut().remove("content-type");
    let got = send(&shell(), empty).await;
    assert_eq!((got.status, got.fields()), (400, vec!["body".to_owned()]));
}

#[tokio::test]
async fn only_json_is_taken() {
    let kinds = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "",
        "application/json; charset=latin-1",
    ];
    for kind in kinds {
        let got = ask(&shell(), "POST /v1.0/things", &[("content-type", kind)], GOOD).await;
        assert_eq!((got.status, got.code().as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"), "{kind}");
    }
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        let got = ask(&shell(), "POST /v1.0/things", &[("content-type", kind)], GOOD).await;
        assert_eq!(got.status, 201, "{kind}");
    }
    let zipped = [("content-encoding", "gzip")];
    assert_eq!(ask(&shell(), "POST /v1.0/things", &zipped, GOOD).await.status, 415);
}

#[tokio::test]
async fn a_body_of_one_mebibyte_is_read_and_one_byte_more_is_not() {
    let body = |bytes: usize| {
        let rest = r#"{"name":"","size":3}"#.len();
        format!(r#"{{"name":"{}","size":3}}"#, "x".repeat(bytes - rest))
    };
    assert_eq!(refused(&body(1 << 20)).await, validation(&["name"]));
    let got = ask(&shell(), "POST /v1.0/things", &[], &body((1 << 20) + 1)).await;
    assert_eq!((got.status, got.code().as_str()), (413, "PAYLOAD_TOO_LARGE"));
    let announced = [("content-length", "99999999999")];
    let got = ask(&shell(), "POST /v1.0/things", &announced, "{}").await;
    assert_eq!(got.status, 413, "it is refused before it is read");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let pieces = futures_util::stream::iter([
        Ok(hyper_frame(b"{\"name\":")),
        Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof)),
    ]);
    let whole = request("POST /v1.0/things", &[], GOOD);
    let got = send(&shell(), whole.map(|_| Body::new(StreamBody::new(pieces)))).await;
    assert_eq!((got.status, got.fields()), (400, vec!["body".to_owned()]));
}

fn hyper_frame(bytes: &'static [u8]) -> http_body::Frame<Bytes> {
    http_body::Frame::data(Bytes::from_static(bytes))
}

#[tokio::test]
async fn what_is_not_there_says_so_in_the_envelope() {
    let got = ask(&shell(), "GET /v1.0/nothing", &[], "").await;
    assert_eq!((got.status, got.code().as_str()), (404, "NOT_FOUND"));
    let got = ask(&shell(), "PUT /v1.0/things", &[], GOOD).await;
    assert_eq!((got.status, got.code().as_str()), (405, "METHOD_NOT_ALLOWED"));
    let mut allowed: Vec<&str> = got.header("allow").split(',').collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
    // Who they are makes no difference to what there is.
    let anonymous = [("authorization", "")];
    assert_eq!(ask(&shell(), "GET /v1.0/nothing", &anonymous, "").await.status, 404);
    assert_eq!(ask(&shell(), "PUT /v1.0/things", &anonymous, "").await.status, 405);
}

#[tokio::test]
async fn query_and_path_are_checked_too() {
    let fields = async |line: &str| ask(&shell(), line, &[], "").await.fields();
    assert_eq!(fields("GET /v1.0/things?limit=0&colour=red").await, ["limit", "colour"]);
    assert_eq!(fields("GET /v1.0/things?limit=many").await, ["limit"]);
    assert_eq!(fields("GET /v1.0/things?limit=1&limit=2").await, ["limit"]);
    let line = format!("GET /v1.0/things/{}", "x".repeat(41));
    assert_eq!(fields(&line).await, ["thingId"]);
    assert_eq!(fields("GET /v1.0/things/%ff").await, ["path"]);
    assert_eq!(ask(&shell(), "GET /v1.0/things?limit=100", &[], "").await.status, 200);
}
