//! What a file holds: pages, most of which were never written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const PAGE: u64 = 4096;

/// A sparse file in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    size: u64,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl Content {
    /// Its length.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Writes bytes; the file grows if need be.
    pub fn write(&mut self, offset: u64, mut data: &[u8]) {
        let mut at = offset;
        while !data.is_empty() {
            let start = (at % PAGE) as usize;
            let length = data.len().min(PAGE as usize - start);
            let (now, rest) = data.split_at(length);
            let page = self.pages.entry(at / PAGE).or_insert_with(|| vec![0; PAGE as usize].into());
            page[start..start + length].copy_from_slice(now);
            at += length as u64;
            data = rest;
        }
        self.size = self.size.max(at);
    }

    /// Cuts the file or lets it grow by zeros.
    pub fn resize(&mut self, size: u64) {
        if size < self.size {
            self.pages.split_off(&size.div_ceil(PAGE));
            if let Some(page) = self.pages.get_mut(&(size / PAGE)) {
                page[(size % PAGE) as usize..].fill(0);
            }
        }
        self.size = size;
    }

    /// The bytes from an offset on; zeros where nothing was written.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) {
        for (at, byte) in (offset..).zip(buffer) {
            let page = self.pages.get(&(at / PAGE));
            *byte = page.map_or(0, |page| page[(at % PAGE) as usize]);
        }
    }

    /// The parts that hold something, a page each.
    pub fn written_pages(&self) -> Vec<std::ops::Range<u64>> {
        let start = self.pages.keys().map(|number| number * PAGE);
        start.map(|start| start..(start + PAGE).min(self.size)).collect()
    }

    /// Writes it to a file on disk, leaving holes where nothing was written.
    pub fn write_to(&self, file: &File) -> io::Result<()> {
        for (number, page) in &self.pages {
            file.write_all_at(page, number * PAGE)?;
        }
        file.set_len(self.size)
    }

    /// Reads a file from disk.
    pub fn read_from(file: &File) -> io::Result<Content> {
        let mut content = Content::default();
        let size = file.metadata()?.len();
        let mut buffer = vec![0; 1 << 20];
        let mut at = 0;
        loop {
            let read = file.read_at(&mut buffer, at)?;
            if read == 0 {
                break;
            }
            for (number, page) in buffer[..read].chunks(PAGE as usize).enumerate() {
                if page.iter().any(|byte| *byte != 0) {
                    content.write(at + number as u64 * PAGE, page);
                }
            }
            at += read as u64;
        }
        content.size = size;
        Ok(content)
    }

    /// Without pages that hold only zeros, which a file on disk cannot tell from holes.
    pub fn normalized(mut self) -> Content {
        self.pages.retain(|_, page| page.iter().any(|byte| *byte != 0));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same random calls on a vector of bytes.
    #[test]
    fn it_behaves_as_a_file() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let (mut content, mut model) = (Content::default(), Vec::new());
            for _ in 0..30 {
                if random.u8(0..4) == 0 {
                    let size = random.usize(0..20_000);
                    content.resize(size as u64);
                    model.resize(size, 0);
                } else {
                    let offset = random.usize(0..15_000);
                    let data = vec![random.u8(..); random.usize(0..6_000)];
                    content.write(offset as u64, &data);
                    if !data.is_empty() {
                        model.resize(model.len().max(offset + data.len()), 0);
                        model[offset..offset + data.len()].copy_from_slice(&data);
                    }
                }
            }
            assert_eq!(content.size(), model.len() as u64);
            let mut read = vec![1; model.len()];
            content.read(0, &mut read);
            assert!(read == model);
        }
    }

    #[test]
    fn it_survives_the_disk() {
        let file = tempfile::tempfile().unwrap();
        let mut content = Content::default();
        content.write(10_000, b"something");
        content.resize(1 << 20);
        content.write_to(&file).unwrap();
        assert_eq!(Content::read_from(&file).unwrap().normalized(), content.normalized());
    }
}
