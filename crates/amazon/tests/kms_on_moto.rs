//! A master key in KMS as moto has it. `tests/publishers/run` starts moto and makes two keys.

use amazon::Kms;
use secrets::{Context, KeyService as _};

/// The endpoint and the names of two keys.
fn moto() -> Option<(String, [String; 2])> {
    let endpoint = std::env::var("PLINTH_TEST_MOTO_ENDPOINT").ok()?;
    let keys = std::env::var("PLINTH_TEST_KMS_KEYS").ok()?;
    let (one, other) = keys.split_once(' ')?;
    Some((endpoint, [one.to_owned(), other.to_owned()]))
}

fn context(account: &str) -> Context {
    Context { account: account.to_owned(), key_id: "0".repeat(32) }
}

/// What one key wrapped for one account opens with this key for this account alone.
#[tokio::test]
async fn a_wrapped_key_opens_only_where_it_belongs() {
    let Some((endpoint, names)) = moto() else { return };
    let other_name = names[1].clone();
    let [one, other] = names.map(|name| Kms::named(&name, Some(endpoint.clone())).unwrap());
    let wrapped = one.wrap(&context("acc-1"), &[7; 32]).await.unwrap();
    assert!(!wrapped.windows(32).any(|bytes| bytes == [7; 32]));
    assert_eq!(one.unwrap(&context("acc-1"), &wrapped).await.unwrap(), [7; 32]);
    let error = one.unwrap(&context("acc-2"), &wrapped).await.unwrap_err();
    let why = error.reason().unwrap();
    assert!(why.contains("acc-2") && why.contains("another's"), "{why}");
    // moto says AccessDenied here, and KMS IncorrectKey.
    let error = other.unwrap(&context("acc-1"), &wrapped).await.unwrap_err();
    let why = error.reason().unwrap();
    assert!(why.contains(&other_name), "{why}");
}

/// Errors name the key, say what KMS says, and what to do.
#[tokio::test]
async fn what_does_not_work_is_told() {
    let Some((endpoint, [name, _])) = moto() else { return };
    let none = format!("{}{}", &name[..name.len() - 12], "0".repeat(12));
    let away = "http://127.0.0.1:9".to_owned();
    for (name, endpoint, expected) in
        [(none, endpoint, "NotFoundException"), (name, away, "a way to the endpoint")]
    {
        let key = Kms::named(&name, Some(endpoint)).unwrap();
        let error = key.wrap(&context("acc-1"), &[7; 32]).await.unwrap_err();
        let why = error.reason().unwrap();
        assert_eq!(error.code().status, 503, "{why}");
        assert!(why.contains(expected) && why.contains(&name), "{why}");
    }
}
