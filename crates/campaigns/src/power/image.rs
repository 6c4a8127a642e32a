//! Images as folders: written to be opened, read to be compared.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::content::Content;
use super::disk::Disk;

/// Files by name relative to the folder, with their content; folders as `None`.
pub type Image = BTreeMap<PathBuf, Option<Content>>;

/// Writes an image to a folder that does not exist yet.
pub fn write(image: &Image, folder: &Path) -> io::Result<()> {
    for (path, content) in image {
        let path = folder.join(path);
        match content {
            // The folder itself has an empty name, and its parent is there.
            None => std::fs::create_dir_all(&path)?,
            Some(content) => content.write_to(&File::create(&path)?)?,
        }
    }
    Ok(())
}

/// Reads a folder.
pub fn read(folder: &Path) -> io::Result<Image> {
    let mut image = Image::new();
    walk(folder, &mut |path, relative| {
        let content = if path.is_dir() {
            None
        } else {
            Some(Content::read_from(&File::open(path)?)?.normalized())
        };
        image.insert(relative.to_owned(), content);
        Ok(())
    })?;
    Ok(image)
}

/// A disk that holds a folder for sure.
pub fn disk_of(folder: &Path) -> io::Result<Disk> {
    let mut disk = Disk::default();
    walk(folder, &mut |path, relative| {
        let inode = std::fs::metadata(path)?.ino();
        let content = if path.is_dir() {
            Content::default()
        } else {
            Content::read_from(&File::open(path)?)?
        };
        disk.add_durable(inode, relative, path.is_dir(), content);
        Ok(())
    })?;
    Ok(disk)
}

/// Visits the folder and everything in it, parents first.
fn walk(folder: &Path, visit: &mut impl FnMut(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    let mut waiting = vec![PathBuf::new()];
    while let Some(relative) = waiting.pop() {
        let path = if relative.as_os_str().is_empty() {
            folder.to_owned()
        } else {
            folder.join(&relative)
        };
        visit(&path, &relative)?;
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                waiting.push(relative.join(entry?.file_name()));
            }
        }
    }
    Ok(())
}

/// In what two images differ, in words.
pub fn difference(one: &Image, other: &Image) -> Option<String> {
    for path in one.keys().chain(other.keys()) {
        let normal = |image: &Image| {
            image.get(path).cloned().map(|content| content.map(Content::normalized))
        };
        match (normal(one), normal(other)) {
            (one, other) if one == other => {}
            (Some(Some(one)), Some(Some(other))) => {
                let (one, other) = (one.size(), other.size());
                return Some(format!("`{}`: {one} and {other} bytes, or content", path.display()));
            }
            (one, _) => {
                let side = if one.is_some() { "first" } else { "second" };
                return Some(format!("`{}` is only in the {side}", path.display()));
            }
        }
    }
    None
}
