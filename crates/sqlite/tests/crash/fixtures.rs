//! File systems that lack one thing that SQLite may be told of: flat, with writes of another kind.

use std::collections::BTreeMap;

use wordline_engines::{
    Contract, Engine, Entry, FileSystem, FileSystemEngine, FsError, FsErrorKind, FsOptions, Handle,
    Needs, Open, Promise, RamUse, Space,
};

use super::setups::engine;

/// What writes lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lacking {
    /// The length of a file grows in steps, before the bytes that are appended have landed, and is cut at a sync.
    SafeAppend,
    /// A write erases the sectors that it touches, and writes them whole.
    PowersafeOverwrite,
}

/// Files that lack it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LackingEngine(Lacking);

/// The length grows first.
pub(crate) static LENGTH_FIRST: LackingEngine = LackingEngine(Lacking::SafeAppend);
/// Sectors are erased.
pub(crate) static ERASED_SECTORS: LackingEngine = LackingEngine(Lacking::PowersafeOverwrite);

impl Engine for LackingEngine {
    type Offer = dyn FileSystem + Send;

    fn name(&self) -> &'static str {
        "flat"
    }

    fn title(&self) -> &'static str {
        "flat with other writes"
    }

    fn promise(&self) -> Promise {
        engine("flat").promise()
    }

    fn needs(&self) -> Needs {
        Needs::Bytes
    }

    fn format(&self, memory: Contract, options: &FsOptions) -> Result<(), FsError> {
        engine("flat").format(memory, options)
    }

    fn open(&self, memory: Contract, options: &FsOptions) -> Result<Box<Self::Offer>, FsError> {
        Ok(Box::new(LackingFiles {
            files: engine("flat").open(memory, options)?,
            lacking: self.0,
            lengths: BTreeMap::new(),
        }))
    }
}

impl FileSystemEngine for LackingEngine {}

struct LackingFiles {
    files: Box<dyn FileSystem + Send>,
    lacking: Lacking,
    lengths: BTreeMap<Handle, Lengths>,
}

/// The length of a file as its user knows it, and in the file system.
#[derive(Clone, Copy)]
struct Lengths {
    used: u64,
    stored: u64,
}

/// Bytes by which a file grows.
const STEP: u64 = 4096;

/// Bytes of a sector, as SQLite knows it.
const SECTOR: u64 = 512;

impl LackingFiles {
    fn set_length(&mut self, file: Handle, bytes: u64) {
        let lengths = Lengths {
            used: bytes,
            stored: bytes,
        };
        self.lengths.insert(file, lengths);
    }
}

impl FileSystem for LackingFiles {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let file = self.files.open(path, how)?;
        let bytes = self.files.entry(path)?.bytes;
        self.set_length(file, bytes);
        Ok(file)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        self.files.read(file, at, out)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        let length = self.lengths.get_mut(&file).ok_or(FsErrorKind::Invalid)?;
        let end = at + data.len() as u64;
        match self.lacking {
            Lacking::SafeAppend => {
                if end > length.stored {
                    length.stored = end.next_multiple_of(STEP);
                    self.files.truncate(file, length.stored)?;
                }
                self.files.write(file, at, data)?;
            }
            Lacking::PowersafeOverwrite => {
                let first = at / SECTOR * SECTOR;
                let last = end.next_multiple_of(SECTOR).min(length.used);
                if last > first {
                    let mut whole = vec![0; (last - first) as usize];
                    self.files.read(file, first, &mut whole)?;
                    self.files.write(file, first, &vec![0xFF; whole.len()])?;
                    self.files.write(file, first, &whole)?;
                }
                self.files.write(file, at, data)?;
            }
        }
        length.used = end.max(length.used);
        Ok(())
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.set_length(file, bytes);
        self.files.truncate(file, bytes)
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        let length = *self.lengths.get(&file).ok_or(FsErrorKind::Invalid)?;
        if length.stored > length.used {
            self.truncate(file, length.used)?;
        }
        self.files.sync(file)
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        self.sync(file)?;
        self.lengths.remove(&file);
        self.files.close(file)
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.files.create_dir(path)
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        self.files.remove(path)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        self.files.rename(from, to)
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        self.files.entry(path)
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        self.files.list(path)
    }

    fn space(&mut self) -> Result<Space, FsError> {
        self.files.space()
    }

    fn ram(&self) -> RamUse {
        self.files.ram()
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        self.files.unmount()
    }
}
