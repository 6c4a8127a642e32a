//! Images of traces made by hand: what must be there, what must not, what may.

use std::collections::BTreeSet;

use super::disk::Disk;
use super::image::Image;
use super::trace::{Event, Trace};
use super::variant::{Names, Variant, Writes};

const DATA: &[u8] = b"firstsecondthird";

fn write(inode: u64, offset: u64, data: std::ops::Range<usize>) -> Event {
    Event::Write { inode, offset, data }
}

fn sync(inode: u64, number: u64) -> [Event; 2] {
    [Event::SyncBegin { inode, number }, Event::SyncEnd { inode, number }]
}

/// A folder with one file that is durable with `first`, and `second` written behind it.
fn simple() -> Vec<Event> {
    let mut events = vec![
        Event::MakeFolder { inode: 1, path: "".into() },
        Event::Create { inode: 2, path: "a".into() },
        write(2, 0, 0..5),
    ];
    events.extend(sync(2, 1));
    events.extend(sync(1, 2));
    events.push(write(2, 5, 5..11));
    events
}

fn image(events: &[Event], writes: Writes, names: Names, strict: bool, seed: u64) -> Image {
    let trace = Trace::by_hand(events.to_vec(), DATA);
    let mut disk = Disk::default();
    disk.advance(&trace, events.len());
    Variant { writes, names, seed }.image(&disk, &trace, strict)
}

fn text(image: &Image, path: &str) -> Option<String> {
    let content = image.get(std::path::Path::new(path))?.as_ref()?;
    let mut bytes = vec![0; content.size() as usize];
    content.read(0, &mut bytes);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn what_was_synced_is_there_in_every_variant() {
    let events = simple();
    for writes in Writes::ALL {
        for names in [Names::Least, Names::Everything, Names::Prefix, Names::Some] {
            for (strict, seed) in [(true, 1), (false, 2), (true, 3), (false, 4)] {
                let image = image(&events, writes, names, strict, seed);
                let found = text(&image, "a").unwrap_or_default();
                assert!(found.starts_with("first"), "{writes:?} {names:?}: {found:?}");
            }
        }
    }
}

#[test]
fn what_was_not_synced_may_be_lost() {
    let events = simple();
    let with = |writes| text(&image(&events, writes, Names::Least, false, 1), "a").unwrap();
    assert_eq!(with(Writes::Nothing), "first");
    assert_eq!(with(Writes::Everything), "firstsecond");
    assert_eq!(with(Writes::OnlyGrown), "first\0\0\0\0\0\0");
    let some: BTreeSet<String> = (0..40)
        .map(|seed| text(&image(&events, Writes::Some, Names::Least, false, seed), "a").unwrap())
        .collect();
    assert_eq!(some, ["first".to_owned(), "firstsecond".to_owned()].into());
}

#[test]
fn a_sync_covers_only_what_was_written_before_it_began() {
    let mut events = simple();
    events.push(Event::SyncBegin { inode: 2, number: 9 });
    events.push(write(2, 11, 11..16));
    let before_the_end = image(&events, Writes::Nothing, Names::Least, false, 1);
    assert_eq!(text(&before_the_end, "a").unwrap(), "first");
    events.push(Event::SyncEnd { inode: 2, number: 9 });
    let after = image(&events, Writes::Nothing, Names::Least, false, 1);
    assert_eq!(text(&after, "a").unwrap(), "firstsecond");
}

#[test]
fn a_sync_of_one_file_says_nothing_about_another() {
    let mut events = simple();
    events.push(Event::Create { inode: 3, path: "b".into() });
    events.push(write(3, 0, 0..5));
    events.extend(sync(2, 9));
    let least = image(&events, Writes::Nothing, Names::Everything, false, 1);
    assert_eq!(text(&least, "b").as_deref(), Some(""));
    assert_eq!(text(&least, "a").as_deref(), Some("firstsecond"));
}

#[test]
fn a_rename_counts_only_after_its_folder_was_synced() {
    let mut events = simple();
    events.push(Event::Create { inode: 3, path: "b".into() });
    events.push(write(3, 0, 11..16));
    events.extend(sync(3, 9));
    events.push(Event::Rename { from: "b".into(), to: "a".into() });
    for strict in [false, true] {
        let least = image(&events, Writes::Everything, Names::Least, strict, 1);
        assert_eq!(text(&least, "a").unwrap(), "firstsecond");
        assert_eq!(text(&least, "b").unwrap(), "third");
    }
    let all = image(&events, Writes::Nothing, Names::Everything, false, 1);
    assert_eq!((text(&all, "a").as_deref(), text(&all, "b")), (Some("third"), None));
    events.extend(sync(1, 10));
    let after = image(&events, Writes::Nothing, Names::Least, true, 1);
    assert_eq!((text(&after, "a").as_deref(), text(&after, "b")), (Some("third"), None));
}

#[test]
fn a_new_file_counts_after_it_or_its_folder_was_synced() {
    let mut events = simple();
    events.push(Event::Create { inode: 3, path: "b".into() });
    let least =
        |events: &[Event]| text(&image(events, Writes::Nothing, Names::Least, true, 1), "b");
    assert_eq!(least(&events), None);
    let mut file = events.clone();
    file.extend(sync(3, 9));
    assert_eq!(least(&file).as_deref(), Some(""));
    let mut folder = events.clone();
    folder.extend(sync(1, 9));
    assert_eq!(least(&folder).as_deref(), Some(""));
}

#[test]
fn a_removal_counts_only_after_its_folder_was_synced() {
    let mut events = simple();
    events.push(Event::Remove { path: "a".into() });
    let least =
        |events: &[Event]| text(&image(events, Writes::Nothing, Names::Least, true, 1), "a");
    assert_eq!(least(&events).as_deref(), Some("first"));
    events.extend(sync(1, 9));
    assert_eq!(least(&events), None);
}

#[test]
fn an_inode_that_is_used_again_is_another_file() {
    let mut events = simple();
    events.push(Event::Remove { path: "a".into() });
    events.push(Event::Create { inode: 2, path: "b".into() });
    events.push(write(2, 0, 11..16));
    let all = image(&events, Writes::Everything, Names::Everything, false, 1);
    assert_eq!((text(&all, "a"), text(&all, "b").as_deref()), (None, Some("third")));
    let least = image(&events, Writes::Nothing, Names::Least, false, 1);
    assert_eq!((text(&least, "a").as_deref(), text(&least, "b")), (Some("first"), None));
}

#[test]
fn torn_writes_keep_whole_sectors() {
    let data: Vec<u8> = std::iter::repeat_n(7, 2_000).collect();
    let events = [
        Event::MakeFolder { inode: 1, path: "".into() },
        Event::Create { inode: 2, path: "a".into() },
        write(2, 300, 0..2_000),
    ];
    let trace = Trace::by_hand(events.to_vec(), &data);
    let mut disk = Disk::default();
    disk.advance(&trace, events.len());
    let mut partial = 0;
    for seed in 0..50 {
        let variant = Variant { writes: Writes::Torn512, names: Names::Everything, seed };
        let image = variant.image(&disk, &trace, false);
        let content = image[std::path::Path::new("a")].clone().unwrap();
        let mut bytes = vec![0; 2_300];
        content.read(0, &mut bytes);
        for (number, sector) in bytes.chunks(512).enumerate() {
            let from = if number == 0 { 300 } else { 0 };
            let written: BTreeSet<u8> = sector[from..].iter().copied().collect();
            assert_eq!(written.len(), 1, "sector {number} is torn in itself");
        }
        let count = bytes.iter().filter(|byte| **byte == 7).count();
        partial += usize::from(count > 0 && count < 2_000);
    }
    assert!(partial > 5, "only {partial} writes were torn");
}
