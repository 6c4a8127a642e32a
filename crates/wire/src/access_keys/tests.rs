//! Access keys come, go, and keep their secrets.

use super::*;
use database::clock::ManualClock;

fn open(folder: &std::path::Path, clock: &ManualClock) -> AccessKeys {
    let sealing_key = SealingKey::open_or_create(&folder.join("sealing.key")).unwrap();
    AccessKeys::open(folder.join("access-keys.json"), sealing_key, Arc::new(clock.clone())).unwrap()
}

#[test]
fn a_key_is_there_after_reopening_and_its_secret_is_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(1);
    let made = open(folder.path(), &clock).create("for a test", None).unwrap();
    let text = std::fs::read_to_string(folder.path().join("access-keys.json")).unwrap();
    assert!(text.contains(&made.id) && !text.contains(made.secret.as_str()), "{text}");
    let found = open(folder.path(), &clock).credentials(&made.id).unwrap();
    assert_eq!(found.secret, made.secret);
    assert!(made.id.starts_with("AKIA") && made.id.len() == 20 && made.secret.len() == 40);
}

#[test]
fn a_key_that_is_disabled_deleted_or_over_is_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(1);
    let keys = open(folder.path(), &clock);
    let one = keys.create("", None).unwrap();
    keys.set_enabled(&one.id, false).unwrap();
    assert!(keys.credentials(&one.id).is_none());
    keys.set_enabled(&one.id, true).unwrap();
    assert!(keys.credentials(&one.id).is_some());
    keys.delete(&one.id).unwrap();
    assert!(keys.credentials(&one.id).is_none());
    let short = keys.create("", Some(Duration::from_secs(1))).unwrap();
    assert!(keys.credentials(&short.id).unwrap().session_token.is_some());
    clock.advance(1_000);
    assert!(keys.credentials(&short.id).is_none());
}

#[test]
fn another_process_change_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(1);
    let server = open(folder.path(), &clock);
    let made = open(folder.path(), &clock).create("", None).unwrap();
    std::thread::sleep(NOTICED_WITHIN * 2);
    assert!(server.credentials(&made.id).is_some());
    open(folder.path(), &clock).set_enabled(&made.id, false).unwrap();
    std::thread::sleep(NOTICED_WITHIN * 2);
    assert!(server.credentials(&made.id).is_none());
}

#[test]
fn a_secret_cannot_be_moved_to_another_key_or_live_longer() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(1);
    let made = open(folder.path(), &clock).create("", Some(Duration::from_secs(1))).unwrap();
    let path = folder.path().join("access-keys.json");
    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in [("\"expires\": 1001", "\"expires\": 9999"), (made.id.as_str(), "ASIAOTHER")]
    {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        std::fs::write(&path, changed).unwrap();
        let sealing_key = SealingKey::open_or_create(&folder.path().join("sealing.key")).unwrap();
        let opened = AccessKeys::open(path.clone(), sealing_key, Arc::new(clock.clone()));
        assert!(opened.is_err_and(|error| error.to_string().contains("cannot be unsealed")));
    }
}

#[test]
fn a_sealing_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sealing.key");
    SealingKey::open_or_create(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let problem = SealingKey::open_or_create(&path).unwrap_err().to_string();
    assert!(problem.contains("chmod 600"), "{problem}");
}

/// A start that was interrupted, by a full disk say, leaves nothing that a later one takes for a key.
#[test]
fn a_sealing_key_has_its_name_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sealing.key");
    std::fs::write(folder.path().join("sealing.new"), b"half a k").unwrap();
    let made = SealingKey::open_or_create(&path).unwrap();
    let sealed = made.seal(b"secret", b"place").unwrap();
    let opened = SealingKey::open_or_create(&path).unwrap();
    assert_eq!(opened.unseal(&sealed, b"place").unwrap().as_slice(), b"secret");
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}
