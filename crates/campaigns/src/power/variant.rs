//! What chance leaves of the pending changes when the power goes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::content::Content;
use super::disk::{Change, Disk, FileNumber, NameChange, Pending, apply_to};
use super::trace::Trace;

/// What is left of pending writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// Everything: the moment after a flush nobody asked for.
    Everything,
    /// Some, in any order.
    Some,
    /// Everything up to some moment.
    Prefix,
    /// Everything up to some moment, and of the next write some sectors of 512 bytes.
    Torn512,
    /// Everything up to some moment, and of the next write some pages of 4,096 bytes.
    Torn4096,
    /// Some sectors of every write.
    Sectors,
    /// Everything, but the end of the last write of each file is garbage.
    GarbageTail,
    /// The lengths, but not the bytes.
    OnlyGrown,
}

impl Writes {
    /// Every kind.
    pub const ALL: [Writes; 9] = [
        Writes::Nothing,
        Writes::Everything,
        Writes::Some,
        Writes::Prefix,
        Writes::Torn512,
        Writes::Torn4096,
        Writes::Sectors,
        Writes::GarbageTail,
        Writes::OnlyGrown,
    ];
}

/// What is left of pending changes of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Names {
    /// Nothing that need not be.
    Least,
    /// Everything.
    Everything,
    /// Everything up to some moment, as with a journal.
    Prefix,
    /// Some, in any order: stricter than common file systems.
    Some,
}

/// How an image is made.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// What is left of writes.
    pub writes: Writes,
    /// What is left of names.
    pub names: Names,
    /// For what chance decides.
    pub seed: u64,
}

impl Variant {
    /// Draws a variant. Without `strict`, changes of names are kept in order.
    pub fn draw(random: &mut fastrand::Rng, strict: bool) -> Variant {
        let names = match random.u8(0..4) {
            0 => Names::Least,
            1 => Names::Everything,
            2 if strict => Names::Some,
            _ => Names::Prefix,
        };
        let writes = Writes::ALL[random.usize(0..Writes::ALL.len())];
        Variant { writes, names, seed: random.u64(..) }
    }

    /// What the disk holds after the cut: files by name, and folders as `None`.
    pub fn image(
        &self,
        disk: &Disk,
        trace: &Trace,
        strict: bool,
    ) -> BTreeMap<PathBuf, Option<Content>> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let names = self.names(disk, &mut random, strict);
        let moments = disk.files.iter().flat_map(|file| &file.pending).map(|one| one.event);
        let mut moments: Vec<usize> = moments.collect();
        moments.sort_unstable();
        let last = random.usize(0..=moments.len());
        let torn = moments.get(last).copied().unwrap_or(usize::MAX);
        let image = names.into_iter().map(|(path, file)| {
            let state = &disk.files[file];
            let content = (!state.is_folder)
                .then(|| self.content(&state.durable, &state.pending, torn, trace, &mut random));
            (path, content)
        });
        image.collect()
    }

    fn content(
        &self,
        durable: &Content,
        pending: &[Pending],
        torn: usize,
        trace: &Trace,
        random: &mut fastrand::Rng,
    ) -> Content {
        let mut content = durable.clone();
        for (place, one) in pending.iter().enumerate() {
            let is_last = place + 1 == pending.len();
            match self.writes {
                Writes::Nothing => {}
                Writes::Everything => apply_to(&mut content, &one.change, trace),
                Writes::Some if random.bool() => apply_to(&mut content, &one.change, trace),
                Writes::Some => {}
                Writes::Prefix | Writes::Torn512 | Writes::Torn4096 if one.event < torn => {
                    apply_to(&mut content, &one.change, trace);
                }
                Writes::Torn512 if one.event == torn => {
                    apply_sectors(&mut content, &one.change, trace, 512, random);
                }
                Writes::Torn4096 if one.event == torn => {
                    apply_sectors(&mut content, &one.change, trace, 4096, random);
                }
                Writes::Prefix | Writes::Torn512 | Writes::Torn4096 => {}
                Writes::Sectors => apply_sectors(&mut content, &one.change, trace, 512, random),
                Writes::GarbageTail => {
                    apply_to(&mut content, &one.change, trace);
                    if is_last {
                        spoil(&mut content, &one.change, random);
                    }
                }
                Writes::OnlyGrown => grow(&mut content, &one.change),
            }
        }
        content
    }

    /// The names that are left, with their files.
    fn names(
        &self,
        disk: &Disk,
        random: &mut fastrand::Rng,
        strict: bool,
    ) -> BTreeMap<PathBuf, FileNumber> {
        let durable = disk.names.iter().rposition(|(_, is_durable)| *is_durable);
        // With a journal, what came before something durable is durable too.
        let certain = durable.map_or(0, |place| place + 1);
        let prefix = match self.names {
            Names::Least | Names::Some => certain,
            Names::Everything => disk.names.len(),
            Names::Prefix => random.usize(certain..=disk.names.len()),
        };
        let mut names = BTreeMap::new();
        for (place, (change, is_durable)) in disk.names.iter().enumerate() {
            let kept = if strict && self.names != Names::Everything {
                *is_durable || (self.names != Names::Least && random.bool())
            } else {
                place < prefix
            };
            // The folder itself lies in one that is not watched; it counts as there once it is made.
            let is_root =
                matches!(change, NameChange::Create(path, _) if path.as_os_str().is_empty());
            if kept || is_root {
                rename_in(&mut names, change);
            }
        }
        let reachable = |path: &Path| {
            let mut parents = path.ancestors().skip(1);
            parents.all(|parent| names.contains_key(parent))
        };
        names.iter().filter(|(path, _)| reachable(path)).map(|(p, f)| (p.clone(), *f)).collect()
    }
}

fn rename_in(names: &mut BTreeMap<PathBuf, FileNumber>, change: &NameChange) {
    match change {
        NameChange::Create(path, file) => {
            names.insert(path.clone(), *file);
        }
        NameChange::Remove(path) => {
            names.remove(path);
        }
        NameChange::Rename(from, to) => {
            if let Some(file) = names.remove(from) {
                names.insert(to.clone(), file);
            }
        }
    }
}

/// Some sectors of a write; a change of length as a whole or not at all.
fn apply_sectors(
    content: &mut Content,
    change: &Change,
    trace: &Trace,
    sector: u64,
    random: &mut fastrand::Rng,
) {
    let Change::Write { offset, data } = change else {
        if random.bool() {
            apply_to(content, change, trace);
        }
        return;
    };
    let mut rest = trace.data(data);
    let mut at = *offset;
    while !rest.is_empty() {
        let length = rest.len().min((sector - at % sector) as usize);
        let (now, later) = rest.split_at(length);
        if random.bool() {
            content.write(at, now);
        }
        at += length as u64;
        rest = later;
    }
}

/// The end of a write, from some sector on, is garbage.
fn spoil(content: &mut Content, change: &Change, random: &mut fastrand::Rng) {
    let Change::Write { offset, data } = change else { return };
    let start = offset + random.u64(0..=data.len() as u64);
    let start = (start / 512 * 512).max(*offset);
    let length = (offset + data.len() as u64).saturating_sub(start);
    let garbage: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(length as usize).collect();
    content.write(start, &garbage);
}

fn grow(content: &mut Content, change: &Change) {
    let size = match change {
        Change::Write { offset, data } => offset + data.len() as u64,
        Change::Resize(size) => *size,
    };
    content.resize(content.size().max(size));
}
