//! What is damaged, and how.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::power::Image;

/// How a place is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Bit,
    Byte,
    ZeroSector,
    GarbageSector,
    Truncate,
}

const HOW: [How; 5] = [How::Bit, How::Byte, How::ZeroSector, How::GarbageSector, How::Truncate];

/// A damage to one place in one file.
#[derive(Clone, Debug)]
pub(super) struct Damage {
    /// The kind of file.
    pub(super) kind: String,
    path: PathBuf,
    how: How,
    offset: u64,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {} of `{}`", self.how, self.offset, self.path.display())
    }
}

impl Damage {
    /// A random kind of file, a random file of it, a random place in it.
    pub(super) fn draw(image: &Image, random: &mut fastrand::Rng) -> Damage {
        let files: Vec<(&PathBuf, u64)> = image
            .iter()
            .filter_map(|(path, content)| content.as_ref().map(|content| (path, content.size())))
            .filter(|(_, size)| *size > 0)
            .collect();
        let mut kinds: Vec<String> = files.iter().map(|(path, _)| kind_of(path)).collect();
        kinds.sort();
        kinds.dedup();
        let kind = kinds[random.usize(0..kinds.len())].clone();
        let of_kind: Vec<_> = files.iter().filter(|(path, _)| kind_of(path) == kind).collect();
        let (path, size) = of_kind[random.usize(0..of_kind.len())];
        let how = HOW[random.usize(0..HOW.len())];
        // Mostly where something was written; a journal is mostly zeros.
        let pages =
            image[*path].as_ref().map(|content| content.written_pages()).unwrap_or_default();
        let offset = match pages.as_slice() {
            [_, ..] if random.u8(0..10) > 0 => {
                let page = &pages[random.usize(0..pages.len())];
                (page.start + random.u64(0..page.end - page.start)).min(size - 1)
            }
            _ => random.u64(0..*size),
        };
        Damage { kind, path: (*path).clone(), how, offset }
    }

    /// Damages the image.
    pub(super) fn apply(&self, image: &mut Image, random: &mut fastrand::Rng) {
        let Some(Some(content)) = image.get_mut(&self.path) else { return };
        let mut byte = [0];
        content.read(self.offset, &mut byte);
        match self.how {
            How::Bit => content.write(self.offset, &[byte[0] ^ 1 << random.u8(0..8)]),
            How::Byte => content.write(self.offset, &[byte[0] ^ random.u8(1..=255)]),
            How::Truncate => content.resize(self.offset),
            How::ZeroSector | How::GarbageSector => {
                let start = self.offset / 512 * 512;
                let length = (content.size() - start).min(512) as usize;
                let garbage = self.how == How::GarbageSector;
                let fill = || if garbage { random.u8(..) } else { 0 };
                let sector: Vec<u8> = std::iter::repeat_with(fill).take(length).collect();
                content.write(start, &sector);
            }
        }
    }
}

/// What a file is, by its place and name.
fn kind_of(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let parent = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if name.ends_with(".jnl") {
        "journal".to_owned()
    } else if parent == Some("tables") {
        "table".to_owned()
    } else if name.strip_prefix('v').is_some_and(is_number) {
        "version".to_owned()
    } else {
        name.to_owned()
    }
}
