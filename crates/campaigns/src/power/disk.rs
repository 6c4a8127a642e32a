//! What is on the disk for sure at some moment, and what may be.
//!
//! A file's writes are *pending* until a sync of the file that began after them has ended. Changes of
//! names are pending until a sync of their folder; as on ext4, a sync of a file also makes the name
//! durable under which it was created. In between, what of the pending is on the disk is chance:
//! see [`super::variant`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::content::Content;
use super::trace::{Event, Trace};

/// The number of a file or folder; other than an inode it is never used again.
pub type FileNumber = usize;

/// Something done to a file that is not durable yet.
#[derive(Clone, Debug)]
pub enum Change {
    /// A write, by the position of its event in the trace.
    Write {
        /// Where in the file.
        offset: u64,
        /// Which bytes of the trace.
        data: std::ops::Range<usize>,
    },
    /// Another length.
    Resize(u64),
}

/// A pending change of a file.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The position of its event in the trace.
    pub event: usize,
    /// What it is.
    pub change: Change,
}

/// A file or folder.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Is it a folder?
    pub is_folder: bool,
    /// What it holds for sure.
    pub durable: Content,
    /// What it may hold.
    pub pending: Vec<Pending>,
}

/// A change of names.
#[derive(Clone, Debug)]
pub enum NameChange {
    /// A new name for a new file.
    Create(PathBuf, FileNumber),
    /// Another name.
    Rename(PathBuf, PathBuf),
    /// A name is gone.
    Remove(PathBuf),
}

impl NameChange {
    /// Does a sync of this folder make it durable?
    fn is_in(&self, folder: &Path) -> bool {
        let is_in = |path: &Path| path.parent() == Some(folder);
        match self {
            NameChange::Create(path, _) | NameChange::Remove(path) => is_in(path),
            NameChange::Rename(from, to) => is_in(from) || is_in(to),
        }
    }
}

/// A disk that follows a trace.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    /// Every file there ever was.
    pub files: Vec<File>,
    /// Every change of names, and whether it is durable.
    pub names: Vec<(NameChange, bool)>,
    inodes: HashMap<u64, FileNumber>,
    /// When each sync under way began: events and changes of names before it.
    syncs: HashMap<u64, (usize, usize)>,
    next_event: usize,
}

impl Disk {
    /// Follows the trace up to this event.
    pub fn advance(&mut self, trace: &Trace, cut: usize) {
        while self.next_event < cut.min(trace.events.len()) {
            self.apply(self.next_event, &trace.events[self.next_event], trace);
            self.next_event += 1;
        }
    }

    fn apply(&mut self, number: usize, event: &Event, trace: &Trace) {
        match event {
            Event::Ledger(_) => {}
            Event::Write { inode, offset, data } => {
                let change = Change::Write { offset: *offset, data: data.clone() };
                self.change(*inode, number, change);
            }
            Event::Resize { inode, size } => self.change(*inode, number, Change::Resize(*size)),
            Event::Create { inode, path } => self.create(*inode, path, false),
            Event::MakeFolder { inode, path } => self.create(*inode, path, true),
            Event::Rename { from, to } => {
                self.names.push((NameChange::Rename(from.clone(), to.clone()), false));
            }
            Event::Remove { path } => self.names.push((NameChange::Remove(path.clone()), false)),
            Event::SyncBegin { number: sync, .. } => {
                self.syncs.insert(*sync, (number, self.names.len()));
            }
            Event::SyncEnd { inode, number: sync } => {
                if let Some((events, names)) = self.syncs.remove(sync) {
                    self.sync(*inode, events, names, trace);
                }
            }
        }
    }

    fn change(&mut self, inode: u64, event: usize, change: Change) {
        if let Some(file) = self.inodes.get(&inode) {
            self.files[*file].pending.push(Pending { event, change });
        }
    }

    fn create(&mut self, inode: u64, path: &Path, is_folder: bool) {
        let number = self.files.len();
        self.files.push(File { is_folder, ..File::default() });
        self.inodes.insert(inode, number);
        self.names.push((NameChange::Create(path.to_owned(), number), false));
    }

    /// A file that was there before the trace began.
    pub fn add_durable(&mut self, inode: u64, path: &Path, is_folder: bool, durable: Content) {
        self.create(inode, path, is_folder);
        if let Some(file) = self.files.last_mut() {
            file.durable = durable;
        }
        if let Some((_, is_durable)) = self.names.last_mut() {
            *is_durable = true;
        }
    }

    fn sync(&mut self, inode: u64, events: usize, names: usize, trace: &Trace) {
        if inode == 0 {
            (0..self.files.len()).for_each(|file| self.sync_content(file, events, trace));
            self.names.iter_mut().take(names).for_each(|(_, is_durable)| *is_durable = true);
            return;
        }
        let Some(file) = self.inodes.get(&inode).copied() else { return };
        if self.files[file].is_folder {
            let folder = self.path_of(file);
            for (change, is_durable) in self.names.iter_mut().take(names) {
                *is_durable |= folder.as_deref().is_some_and(|folder| change.is_in(folder));
            }
        } else {
            self.sync_content(file, events, trace);
            for (change, is_durable) in self.names.iter_mut().take(names) {
                let creates = matches!(change, NameChange::Create(_, created) if *created == file);
                *is_durable |= creates;
            }
        }
    }

    fn sync_content(&mut self, file: FileNumber, events: usize, trace: &Trace) {
        let File { durable, pending, .. } = &mut self.files[file];
        let rest = pending.iter().position(|pending| pending.event >= events);
        for done in pending.drain(..rest.unwrap_or(pending.len())) {
            apply_to(durable, &done.change, trace);
        }
    }

    /// The folder's name as it was created; folders are never renamed by what is tested.
    fn path_of(&self, file: FileNumber) -> Option<PathBuf> {
        self.names.iter().find_map(|(change, _)| match change {
            NameChange::Create(path, created) if *created == file => Some(path.clone()),
            _ => None,
        })
    }
}

/// Does a change to what a file holds.
pub fn apply_to(content: &mut Content, change: &Change, trace: &Trace) {
    match change {
        Change::Write { offset, data } => content.write(*offset, trace.data(data)),
        Change::Resize(size) => content.resize(*size),
    }
}
