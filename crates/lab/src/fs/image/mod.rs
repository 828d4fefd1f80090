//! What a simulated memory holds between two mounts: an image, and a journal beside it while it is mounted.
//!
//! The image has every byte of the memory, then a record of spare areas, bad blocks and wear. The journal has what each
//! call of a program changed since the image was written. It is replayed by the next mount when its program was killed, and
//! removed when a new image is complete. `docs/reference/mount-images.md` states both formats.

mod bytes;
mod change;
mod error;
mod frame;
mod journal;
mod journaled;
mod lock;
mod snapshot;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wordline_engines::{ChangeKeeper, FsError, FsErrorKind};
use wordline_memory::Flash as _;
use wordline_nvm::Memory;

use self::bytes::checksum;
pub use self::error::VolumeImageError;
pub use self::journal::JournalProblem;
use self::journal::{Journal, ReplayedJournal};
use self::journaled::{JournaledDevice, JournaledFlash};
use self::lock::FileLock;
use self::snapshot::Snapshot;
pub use self::snapshot::SnapshotProblem;

/// Bytes of a memory that an image may have: it is held in RAM.
const IMAGE_BYTES_MAX: u64 = 1 << 30;

/// Bytes of a journal from which on [`VolumeImage::wants_save`] asks for a new image; a larger memory has its own size.
const JOURNAL_BYTES: u64 = 64 << 20;

/// What an image is made for: one of another part, or of other draws, is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageOrigin {
    /// The part's identifier.
    pub part: String,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Fraction of its rated life that the memory had used when it was new.
    pub age: f64,
}

/// Which content of a file a journal continues: its length in bytes and its CRC-32, or `None` without a file.
type ContentId = Option<(u64, u32)>;

/// An image that this process has locked, and its journal.
pub struct VolumeImage {
    file: PathBuf,
    /// Keeps another process from mounting it by another name.
    image_lock: Option<FileLock>,
    journal: Arc<Mutex<Journal>>,
    origin: ImageOrigin,
    found: ContentId,
    /// Whether the journal was there when it was opened.
    is_continued: bool,
    /// Length of the journal, in bytes, from which on a new image is worth writing.
    save_from: u64,
}

/// What an image held when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageContent {
    /// Whether there is content; else the memory is new, and to be formatted.
    pub is_formatted: bool,
    /// Calls whose changes were replayed from the journal of a program that was killed.
    pub replayed_calls: u64,
    /// Bytes of a last record that was torn, and dropped.
    pub dropped_bytes: u64,
}

impl VolumeImage {
    /// Locks an image, and lets a new memory hold what it and its journal hold. `dir` is where it is going to be mounted,
    /// for the message that others get meanwhile. `needs_spare` says whether spare areas matter to what is mounted.
    ///
    /// # Errors
    /// When another process has it, it does not suit the memory, it or its journal is damaged, or the host fails.
    pub fn open(
        file: &Path,
        dir: &Path,
        origin: ImageOrigin,
        needs_spare: bool,
        memory: &mut Memory,
    ) -> Result<(Self, ImageContent), VolumeImageError> {
        let capacity = memory.capacity_bytes();
        if capacity > IMAGE_BYTES_MAX {
            return Err(VolumeImageError::Capacity {
                file: file.to_owned(),
                capacity,
                most: IMAGE_BYTES_MAX,
            });
        }
        let failed = |error| VolumeImageError::host(file, error);
        // What a link names is loaded and saved, not the link.
        let file = match fs::canonicalize(file) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {
                beside_folder(file).map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        };
        let path = suffixed(&file, ".journal");
        let lock = lock::acquire_or_create(&path, &file)?;
        let opened = Self::open_locked(file, lock, &path, dir, origin, needs_spare, memory);
        if opened.is_err() && fs::metadata(&path).is_ok_and(|about| about.len() == 0) {
            // Nobody else had it: it was made just now.
            let _ = fs::remove_file(&path);
        }
        opened
    }

    fn open_locked(
        file: PathBuf,
        lock: FileLock,
        path: &Path,
        dir: &Path,
        origin: ImageOrigin,
        needs_spare: bool,
        memory: &mut Memory,
    ) -> Result<(Self, ImageContent), VolumeImageError> {
        let (image_lock, content) = read_image(&file)?;
        let found = content.as_deref().map(content_id);
        let mut included = None;
        if let Some(content) = &content {
            included = load(&file, content, &origin, needs_spare, memory)?;
        }
        let replay = Journal::replay(path, lock, &origin, (found, included), memory);
        let ReplayedJournal {
            mut journal,
            calls,
            dropped_bytes,
            is_continued,
        } = replay.map_err(|problem| VolumeImageError::Journal {
            file: path.to_owned(),
            problem,
        })?;
        if let Err(error) = journal.hold(dir) {
            if !is_continued {
                journal.remove();
            }
            return Err(VolumeImageError::host(path, error));
        }
        // A journal that is synced is of no use without its name.
        sync_folder(path);
        let image = Self {
            file,
            image_lock,
            journal: Arc::new(Mutex::new(journal)),
            origin,
            found,
            is_continued,
            save_from: memory.capacity_bytes().max(JOURNAL_BYTES),
        };
        let content = ImageContent {
            is_formatted: found.is_some() || calls > 0,
            replayed_calls: calls,
            dropped_bytes,
        };
        Ok((image, content))
    }

    /// The file, links followed.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The journal beside it.
    #[must_use]
    pub fn journal_file(&self) -> PathBuf {
        self.journal().path().to_owned()
    }

    /// The memory, whose changes the journal gets from now on.
    #[must_use]
    pub fn watch(&self, memory: Memory) -> Memory {
        let journal = Arc::clone(&self.journal);
        match memory {
            Memory::Bytes(device) => Memory::Bytes(Box::new(JournaledDevice::new(device, journal))),
            Memory::Flash(flash) => Memory::Flash(Box::new(JournaledFlash::new(flash, journal))),
        }
    }

    /// What keeps the changes of each call, for a mount.
    #[must_use]
    pub fn keeper(&self) -> Box<dyn ChangeKeeper + Send> {
        Box::new(JournalKeeper(Arc::clone(&self.journal)))
    }

    /// Whether the journal has grown so long that a new image is worth its time.
    #[must_use]
    pub fn wants_save(&self) -> bool {
        self.journal().bytes() >= self.save_from
    }

    /// Writes what the memory holds as a new image, and begins the journal anew. The memory must be that of the last call
    /// that was kept.
    ///
    /// # Errors
    /// When the host fails, or another process wrote to the image; what was kept stays in the journal.
    pub fn save(&mut self, memory: &Memory, dir: &Path) -> Result<(), VolumeImageError> {
        // It is asked for again when the journal has grown by as much, should this fail.
        let bytes = self.journal().bytes();
        self.save_from = bytes + memory.capacity_bytes().max(JOURNAL_BYTES);
        self.replace(memory)?;
        let mut journal = self.journal();
        let path = journal.path().to_owned();
        let begun = journal.begin_anew(&self.origin, self.found, dir);
        drop(journal);
        begun.map_err(|error| VolumeImageError::host(&path, error))?;
        self.save_from = memory.capacity_bytes().max(JOURNAL_BYTES);
        Ok(())
    }

    /// Writes what the memory holds as a new image, and removes the journal.
    ///
    /// # Errors
    /// As [`save`](Self::save): the next mount replays the journal.
    pub fn finish(mut self, memory: &Memory) -> Result<(), VolumeImageError> {
        self.replace(memory)?;
        self.journal().remove();
        sync_folder(&self.file);
        Ok(())
    }

    /// Leaves the image as it was found, where nothing was mounted after all.
    pub fn abandon(self) {
        if !self.is_continued {
            self.journal().remove();
        }
    }

    /// Replaces the image. A kill at any moment leaves the old image with its journal, or the new one.
    fn replace(&mut self, memory: &Memory) -> Result<(), VolumeImageError> {
        let nonce = self.journal().nonce();
        let snapshot = Snapshot::of(memory, &self.origin, nonce);
        let content = snapshot.map_err(|source| VolumeImageError::Memory {
            file: self.file.clone(),
            source,
        })?;
        let new = suffixed(&self.file, ".new");
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(&content)?;
            file.sync_all()
        });
        if let Err(error) = written {
            // What it takes is needed elsewhere, where the disk is full.
            let _ = fs::remove_file(&new);
            return Err(VolumeImageError::host(&new, error));
        }
        let now = match fs::read(&self.file) {
            Ok(content) => Some(content_id(&content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(VolumeImageError::host(&self.file, error)),
        };
        if now != self.found {
            return Err(VolumeImageError::Changed {
                file: self.file.clone(),
                new,
            });
        }
        fs::rename(&new, &self.file).map_err(|error| VolumeImageError::host(&self.file, error))?;
        sync_folder(&self.file);
        self.found = Some(content_id(&content));
        // The journal's lock holds meanwhile; this one is for those who know the file by another name.
        self.image_lock = FileLock::acquire(&self.file).ok().flatten();
        Ok(())
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for VolumeImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VolumeImage")
            .field("file", &self.file)
            .field("found", &self.found)
            .field("image_lock", &self.image_lock.is_some())
            .finish_non_exhaustive()
    }
}

/// Keeps in the journal what each call changed.
struct JournalKeeper(Arc<Mutex<Journal>>);

impl JournalKeeper {
    fn commit(&self, durable: bool) -> Result<(), FsError> {
        let mut journal = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        journal.commit(durable).map_err(|error| {
            use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
            let kind = match error.kind() {
                StorageFull | QuotaExceeded | FileTooLarge => FsErrorKind::Full,
                _ => FsErrorKind::Device,
            };
            let place = journal.path().display().to_string();
            FsError::new(kind, format_args!("{place}: {error}"))
        })
    }
}

impl ChangeKeeper for JournalKeeper {
    fn ready(&mut self) -> Result<(), FsError> {
        self.commit(false)
    }

    fn keep(&mut self, durable: bool) -> Result<(), FsError> {
        self.commit(durable)
    }
}

fn content_id(content: &[u8]) -> (u64, u32) {
    (content.len() as u64, checksum(&[content]))
}

fn suffixed(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The place of a file that is not there, by the real name of its folder: another mount may spell it otherwise.
fn beside_folder(file: &Path) -> io::Result<PathBuf> {
    let folder = file.parent().filter(|path| !path.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
    let name = file.file_name();
    Ok(folder.join(name.ok_or(io::ErrorKind::InvalidInput)?))
}

/// Lets a renamed file survive a power cut of the host, where its file system does so.
fn sync_folder(file: &Path) {
    let folder = file.parent().and_then(|folder| File::open(folder).ok());
    if let Some(folder) = folder {
        // Some file systems sync no folders; the rename is as safe there as it gets.
        let _ = folder.sync_all();
    }
}

/// Locks and reads an image; nothing where there is none.
fn read_image(file: &Path) -> Result<(Option<FileLock>, Option<Vec<u8>>), VolumeImageError> {
    let failed = |error| VolumeImageError::host(file, error);
    let refused = |why| VolumeImageError::Unusable {
        file: file.to_owned(),
        why,
    };
    // Before it is opened: a pipe would wait for its writer.
    let about = match fs::metadata(file) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, None)),
        Err(error) => return Err(failed(error)),
    };
    if !about.is_file() {
        return Err(refused("it is no regular file"));
    }
    if about.permissions().readonly() {
        return Err(refused("it is read-only, and would be written at the end"));
    }
    let Some(lock) = FileLock::acquire(file).map_err(failed)? else {
        return Err(VolumeImageError::InUse {
            file: file.to_owned(),
            holder: None,
        });
    };
    let mut content = Vec::new();
    lock.file().read_to_end(&mut content).map_err(failed)?;
    Ok((Some(lock), Some(content)))
}

/// Lets a new memory hold what an image holds. Returns the nonce of the journal that the image includes.
fn load(
    file: &Path,
    content: &[u8],
    origin: &ImageOrigin,
    needs_spare: bool,
    memory: &mut Memory,
) -> Result<Option<u64>, VolumeImageError> {
    let capacity = memory.capacity_bytes();
    let bytes = content.len() as u64;
    if bytes < capacity {
        return Err(VolumeImageError::Length {
            file: file.to_owned(),
            bytes,
            capacity,
            part: origin.part.clone(),
        });
    }
    let failed = |source| VolumeImageError::Memory {
        file: file.to_owned(),
        source,
    };
    if bytes == capacity {
        let has_spare = match memory {
            Memory::Flash(flash) => flash.geometry().spare_bytes > 0,
            Memory::Bytes(_) => false,
        };
        if needs_spare && has_spare {
            return Err(VolumeImageError::Unusable {
                file: file.to_owned(),
                why: "it is a plain image, without the spare areas that what is mounted keeps records in",
            });
        }
        snapshot::load_plain(memory, content).map_err(failed)?;
        return Ok(None);
    }
    let (main, record) = content.split_at(capacity as usize);
    let snapshot = Snapshot::parse(main, record).map_err(|problem| VolumeImageError::Snapshot {
        file: file.to_owned(),
        problem,
    })?;
    snapshot
        .check(origin, memory)
        .map_err(|problem| VolumeImageError::Snapshot {
            file: file.to_owned(),
            problem,
        })?;
    snapshot.load(main, memory).map_err(failed)?;
    Ok(Some(snapshot.nonce))
}
