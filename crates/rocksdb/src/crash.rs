//! What power cuts leave of a database: a run's calls, cut at every boundary, and RocksDB opened on what is left.
//!
//! One run is recorded with what it wrote. Before each call that changes anything, and after the last, the power goes. What
//! was synced is there. Of what was written since, an image has all, nothing, or a drawn part of each file whose last write
//! is torn; of names that changed since their directory was synced, all or none. Directories themselves last at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wordline_engines::crash::{RecordCall, RecordMap, StoredBytes, judge_records};
use wordline_engines::{
    Entry, FileSystem, FsError, Handle, Open, RamUse, Shared, Space, VolatileFiles,
};

use crate::store::{RocksError, RocksOptions, RocksStore};

/// Bytes of the file system that images are opened on.
const ROOM: u64 = 256 << 20;

/// What a run changed, in the order of its calls.
#[derive(Clone, Debug)]
enum RocksChange {
    Open(Handle, Arc<str>, Open),
    Write(Handle, u64, Vec<u8>),
    Truncate(Handle, u64),
    Sync(Handle),
    SyncDir(Arc<str>),
    Remove(Arc<str>),
    Rename(Arc<str>, Arc<str>),
    /// A call of the workload returned.
    Done,
}

/// Files in RAM, and what was changed of them.
struct LoggedFiles {
    fs: VolatileFiles,
    log: Shared<Vec<RocksChange>>,
    /// Whether syncs do something; a known bad file system says so and does nothing.
    syncs: FileSyncs,
}

/// What syncs of the file system under test do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSyncs {
    /// What they promise.
    Kept,
    /// Syncs of files do nothing, and succeed.
    FilesLie,
    /// Syncs of directories do nothing, and succeed.
    DirsLie,
}

impl LoggedFiles {
    fn add(&self, change: RocksChange) {
        self.log.borrow().push(change);
    }
}

impl FileSystem for LoggedFiles {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let handle = self.fs.open(path, how)?;
        self.add(RocksChange::Open(handle, path.into(), how));
        Ok(handle)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        self.fs.read(file, at, out)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.fs.write(file, at, data)?;
        self.add(RocksChange::Write(file, at, data.to_vec()));
        Ok(())
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.fs.truncate(file, bytes)?;
        self.add(RocksChange::Truncate(file, bytes));
        Ok(())
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        self.fs.sync(file)?;
        if self.syncs != FileSyncs::FilesLie {
            self.add(RocksChange::Sync(file));
        }
        Ok(())
    }

    fn sync_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.fs.sync_dir(path)?;
        if self.syncs != FileSyncs::DirsLie {
            self.add(RocksChange::SyncDir(path.into()));
        }
        Ok(())
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        self.fs.close(file)
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.fs.create_dir(path)
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        self.fs.remove(path)?;
        self.add(RocksChange::Remove(path.into()));
        Ok(())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        self.fs.rename(from, to)?;
        self.add(RocksChange::Rename(from.into(), to.into()));
        Ok(())
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        self.fs.entry(path)
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        self.fs.list(path)
    }

    fn space(&mut self) -> Result<Space, FsError> {
        self.fs.space()
    }

    fn ram(&self) -> RamUse {
        self.fs.ram()
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        self.fs.unmount()
    }
}

/// A file, whatever its name is.
#[derive(Clone, Debug, Default)]
struct CutFile {
    /// As it is after a power cut that loses whatever may be lost.
    synced: Vec<u8>,
    /// What was done to it since: writes, and lengths.
    since: Vec<RocksFileChange>,
}

#[derive(Clone, Debug)]
enum RocksFileChange {
    Write(u64, Vec<u8>),
    Length(u64),
}

impl RocksFileChange {
    fn make(&self, data: &mut Vec<u8>) {
        match self {
            Self::Write(at, bytes) => {
                let (from, end) = (*at as usize, *at as usize + bytes.len());
                data.resize(data.len().max(end), 0);
                data[from..end].copy_from_slice(bytes);
            }
            Self::Length(bytes) => data.resize(*bytes as usize, 0),
        }
    }
}

impl CutFile {
    /// Its bytes with the first `count` changes since the sync, and of the next one, where it is a write, `torn` bytes.
    fn with(&self, count: usize, torn: usize) -> Vec<u8> {
        let mut data = self.synced.clone();
        let (whole, rest) = self.since.split_at(count.min(self.since.len()));
        whole.iter().for_each(|change| change.make(&mut data));
        if let Some(RocksFileChange::Write(at, bytes)) = rest.first()
            && torn > 0
        {
            let part = &bytes[..torn.min(bytes.len())];
            RocksFileChange::Write(*at, part.to_vec()).make(&mut data);
        }
        data
    }
}

/// Names of a moment.
type NameMap = BTreeMap<Arc<str>, usize>;

/// The files as a power cut finds them.
#[derive(Clone, Debug, Default)]
struct CutTree {
    files: Vec<CutFile>,
    names: NameMap,
    synced_names: NameMap,
    open: BTreeMap<Handle, usize>,
}

/// Which of the changes that no sync made last an image has.
#[derive(Clone, Copy, Debug)]
enum Kept {
    All,
    Nothing,
    /// A part of each file, drawn from a seed.
    Drawn(u64),
}

/// What an image holds: the bytes of each file.
type FileImage = BTreeMap<Arc<str>, Vec<u8>>;

impl CutTree {
    /// The files of an image, which all last.
    fn of(image: &FileImage) -> Self {
        let mut tree = Self::default();
        for (path, data) in image {
            tree.names.insert(Arc::clone(path), tree.files.len());
            tree.files.push(CutFile {
                synced: data.clone(),
                since: Vec::new(),
            });
        }
        tree.synced_names.clone_from(&tree.names);
        tree
    }

    fn open_file(&mut self, file: Handle) -> Option<&mut CutFile> {
        self.files.get_mut(*self.open.get(&file)?)
    }

    fn make(&mut self, change: &RocksChange) {
        match change {
            RocksChange::Open(handle, path, how) => {
                let number = *self.names.entry(Arc::clone(path)).or_insert_with(|| {
                    self.files.push(CutFile::default());
                    self.files.len() - 1
                });
                self.open.insert(*handle, number);
                if *how == Open::Replace {
                    self.files[number].since.push(RocksFileChange::Length(0));
                }
            }
            RocksChange::Write(file, at, data) => {
                let change = RocksFileChange::Write(*at, data.clone());
                self.open_file(*file)
                    .map(|file| file.since.push(change))
                    .unwrap_or_default();
            }
            RocksChange::Truncate(file, bytes) => {
                let change = RocksFileChange::Length(*bytes);
                self.open_file(*file)
                    .map(|file| file.since.push(change))
                    .unwrap_or_default();
            }
            RocksChange::Sync(file) => {
                if let Some(file) = self.open_file(*file) {
                    file.synced = file.with(file.since.len(), 0);
                    file.since.clear();
                }
            }
            RocksChange::SyncDir(dir) => {
                let is_in = |path: &str| {
                    path.rsplit_once('/')
                        .is_some_and(|(above, _)| above == &**dir)
                };
                self.synced_names.retain(|path, _| !is_in(path));
                let named = self.names.iter().filter(|(path, _)| is_in(path));
                let named = named.map(|(path, number)| (Arc::clone(path), *number));
                self.synced_names.extend(named);
            }
            RocksChange::Remove(path) => drop(self.names.remove(path)),
            RocksChange::Rename(from, to) => {
                if let Some(number) = self.names.remove(from) {
                    self.names.insert(Arc::clone(to), number);
                }
            }
            RocksChange::Done => {}
        }
    }

    /// What a power cut leaves.
    fn image(&self, names: &NameMap, kept: Kept) -> FileImage {
        let mut seed = match kept {
            Kept::Drawn(seed) => seed,
            _ => 0,
        };
        let mut drawn = |below: usize| {
            // SplitMix64.
            seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut word = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((word ^ (word >> 31)) % (below as u64 + 1)) as usize
        };
        let mut files = names.iter().map(|(path, number)| {
            let file = &self.files[*number];
            let (count, torn) = match kept {
                Kept::All => (file.since.len(), 0),
                Kept::Nothing => (0, 0),
                Kept::Drawn(_) => {
                    let count = drawn(file.since.len());
                    let next = match file.since.get(count) {
                        Some(RocksFileChange::Write(_, bytes)) => bytes.len(),
                        _ => 0,
                    };
                    (count, drawn(next))
                }
            };
            (Arc::clone(path), file.with(count, torn))
        });
        files.by_ref().collect()
    }

    /// Every image of a cut here.
    fn images(&self, seed: u64) -> BTreeSet<FileImage> {
        let names = [&self.names, &self.synced_names];
        let kept = [Kept::All, Kept::Nothing, Kept::Drawn(seed)];
        let all = names
            .into_iter()
            .flat_map(|names| kept.map(|kept| self.image(names, kept)));
        all.collect()
    }
}

/// What cuts of a run led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCutVerdict {
    /// Boundaries between calls at which the power went.
    pub cuts: u64,
    /// Images that were opened, each once for each cut.
    pub images: u64,
    /// Images of cuts in a recovery, of these.
    pub second_images: u64,
    /// Images that broke the promise.
    pub failures: u64,
    /// How the first one did: after how many changes, and in what way.
    pub first: Option<(u64, String)>,
}

/// A database under power cuts.
#[derive(Clone, Debug)]
pub struct RocksCuts {
    /// The database; `sync` says what a call that returned promises.
    pub options: RocksOptions,
    /// What syncs do.
    pub syncs: FileSyncs,
    /// Seed of what is drawn.
    pub seed: u64,
    /// Of so many images the recovery of one is cut in turn, at each of its calls.
    pub again_every: u64,
}

impl RocksCuts {
    /// Runs the calls once, cuts the power at every boundary, and reads with RocksDB what each image holds. Every call is
    /// done or not done, and one that returned is done.
    ///
    /// # Errors
    /// When the run without a cut fails.
    pub fn check(&self, calls: &[RecordCall]) -> Result<FileCutVerdict, RocksError> {
        let mut states = vec![RecordMap::new()];
        states.extend(calls.iter().scan(RecordMap::new(), |records, call| {
            *records = call.next(records);
            Some(records.clone())
        }));
        let (log, found) = self.run(&FileImage::new(), calls)?;
        judge_records(&found, &states[calls.len()..]).map_err(RocksError::new)?;
        let mut verdict = FileCutVerdict::default();
        let mut tree = CutTree::default();
        let mut done = 0;
        for cut in 0..=log.len() {
            verdict.cuts += 1;
            let allowed = &states[done..calls.len().min(done + 1) + 1];
            for image in tree.images(self.seed ^ cut as u64) {
                verdict.images += 1;
                let again = verdict.images.is_multiple_of(self.again_every);
                self.judge(&image, allowed, cut as u64, again, &mut verdict);
            }
            if let Some(change) = log.get(cut) {
                done += usize::from(matches!(change, RocksChange::Done));
                tree.make(change);
            }
        }
        Ok(verdict)
    }

    /// Opens an image, and cuts that in turn where it is asked for.
    fn judge(
        &self,
        image: &FileImage,
        allowed: &[RecordMap],
        cut: u64,
        again: bool,
        verdict: &mut FileCutVerdict,
    ) {
        let opened = self.run(image, &[]).map_err(|error| error.to_string());
        let judged =
            opened.and_then(|(log, found)| judge_records(&found, allowed).map(|()| (log, found)));
        let (log, found) = match judged {
            Ok(opened) => opened,
            Err(why) => {
                verdict.failures += 1;
                verdict.first.get_or_insert((cut, why));
                return;
            }
        };
        if !again {
            return;
        }
        // What was found once is found again, wherever its recovery is cut.
        let mut tree = CutTree::of(image);
        for change in &log {
            for second in tree.images(self.seed ^ cut) {
                verdict.images += 1;
                verdict.second_images += 1;
                self.judge(&second, std::slice::from_ref(&found), cut, false, verdict);
            }
            tree.make(change);
        }
    }

    /// Opens an image, makes the calls, and says what was changed and what the database holds at its end.
    fn run(
        &self,
        image: &FileImage,
        calls: &[RecordCall],
    ) -> Result<(Vec<RocksChange>, RecordMap), RocksError> {
        let fs = volatile(image, &self.options.dir).map_err(RocksError::new)?;
        let log = Shared::new(Vec::new());
        let files = LoggedFiles {
            fs,
            log: log.clone(),
            syncs: self.syncs,
        };
        let mut store = RocksStore::open(Box::new(files), &self.options, None)?;
        for call in calls {
            match call {
                RecordCall::Put(key, value) => store.put(&key.0, &value.0)?,
                RecordCall::Remove(key) => store.remove(&key.0)?,
            }
            log.borrow().push(RocksChange::Done);
        }
        let mut found = RecordMap::new();
        store.each(&mut |key, value| {
            found.insert(StoredBytes(key.to_vec()), StoredBytes(value.to_vec()));
        })?;
        drop(store.close()?);
        let changes = std::mem::take(&mut *log.borrow());
        Ok((changes, found))
    }
}

/// Files in RAM that an image holds, in the directory of the database.
fn volatile(image: &FileImage, dir: &str) -> Result<VolatileFiles, FsError> {
    let mut fs = VolatileFiles::new(ROOM);
    fs.create_dir(dir)?;
    for (path, data) in image {
        let file = fs.open(path, Open::Create)?;
        fs.write(file, 0, data)?;
        fs.close(file)?;
    }
    Ok(fs)
}
