//! The file or block device that is measured: opened only where nothing is lost that nobody gave up.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Seek as _, SeekFrom};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FallocateFlags, FlockOperation, OFlags};
use rustix::io::Errno;

use super::content::{WordStream, stamp};
use super::device::{self, DeviceNumbers};
use super::pool::BufferPool;
use super::{BlockDeviceUse, StorageError};
use crate::in_use::{KernelPaths, loop_on};

/// What is asked of a place.
#[derive(Clone, Debug)]
pub struct PlaceRequest {
    /// Whether it is written.
    pub writes: bool,
    /// Whether the page cache is passed by.
    pub direct: bool,
    /// Whether its owner named it again, and what it holds may go.
    pub may_destroy: bool,
    /// Bytes of an access, which the range is a multiple of.
    pub access_bytes: u64,
    /// Bytes of the range; `None`: all of what is there.
    pub range_bytes: Option<u64>,
    /// The same of a file that does not exist yet, where no range is given.
    pub new_file_bytes: u64,
    /// Seed of the content that a new file gets.
    pub seed: u64,
}

/// What was found of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceFacts {
    /// Whether it is a block device.
    pub is_device: bool,
    /// Whether the file was made for the run.
    pub is_made: bool,
    /// The type of the file system, or the model of the device.
    pub what: Option<String>,
    /// The device that the file system is on.
    pub on: Option<String>,
    /// Bytes that direct accesses are multiples of.
    pub alignment_bytes: u32,
    /// Who else uses a device that is only read.
    pub used_by: Option<BlockDeviceUse>,
}

/// A file or a block device, open for a measurement.
///
/// A file that does not exist is made, written in full, and has no name from then on: it is gone when the value is
/// dropped, however the program ends. A file that exists keeps its name and its length.
#[derive(Debug)]
pub struct StoragePlace {
    pub(super) file: File,
    path: PathBuf,
    range_bytes: u64,
    facts: PlaceFacts,
    /// A file of ours that still has its name, because its file system did not let it go at once.
    named: bool,
}

/// Whether a file is what a loop device stands on, which may be mounted.
pub(super) fn backs(places: &KernelPaths, path: &Path, found: &Metadata) -> Option<BlockDeviceUse> {
    let by = loop_on(places, found)?;
    let device = path.display().to_string();
    Some(BlockDeviceUse::Held { device, by })
}

/// File systems in RAM, by the number of their kind: direct accesses of theirs reach no device.
const RAM_FILE_SYSTEMS: [(i64, &str); 3] = [
    (0x0102_1994, "tmpfs"),
    (0x8584_58f6, "ramfs"),
    (0x9584_58f6, "hugetlbfs"),
];

impl StoragePlace {
    /// Opens or makes it. `progress` is called with the bytes of a new file that are written, and all of them.
    ///
    /// # Errors
    /// When something would be lost, it is in use, is no storage, has no direct I/O, is too short, or its disk is full.
    pub fn open(
        path: &Path,
        request: &PlaceRequest,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, StorageError> {
        let failed = |what| {
            move |source| StorageError::Io {
                path: path.to_owned(),
                what,
                source,
            }
        };
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => Self::existing(path, request, stop, progress),
            Ok(found) if found.file_type().is_block_device() => Self::device(path, &found, request),
            Ok(found) => Err(StorageError::Unfit {
                path: path.to_owned(),
                found: kind(found.file_type()),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Self::made(path, request, stop, progress)
            }
            Err(error) => Err(failed("looked at")(error)),
        }
    }

    /// Bytes of the range that accesses lie in.
    #[must_use]
    pub const fn range_bytes(&self) -> u64 {
        self.range_bytes
    }

    /// What was found of it.
    #[must_use]
    pub const fn facts(&self) -> &PlaceFacts {
        &self.facts
    }

    /// Its path, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a file that had a name has lost it since: it was removed or replaced.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        if self.facts.is_made || self.facts.is_device {
            return false;
        }
        let same =
            |one: &Metadata, other: &Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
        match (self.file.metadata(), std::fs::metadata(&self.path)) {
            (Ok(open), Ok(named)) => !same(&open, &named),
            _ => true,
        }
    }

    fn existing(
        path: &Path,
        request: &PlaceRequest,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, StorageError> {
        if request.writes && !request.may_destroy {
            return Err(StorageError::Unconfirmed {
                path: path.to_owned(),
                is_device: false,
            });
        }
        let file = open(
            path,
            request,
            OpenOptions::new().read(true),
            OFlags::empty(),
        )?;
        let place = Self::checked(path, file, request)?;
        let found = place.file.metadata();
        let found = found.map_err(place.failed("looked at"))?;
        if request.writes {
            let places = KernelPaths::default();
            if let Some(by) = backs(&places, path, &found) {
                let path = path.to_owned();
                return Err(StorageError::InUse { path, by });
            }
            place.lock()?;
        }
        let found = found.len();
        let place = place.with_range(found, request)?;
        if let Some(at) = place.hole()? {
            if !request.writes {
                return Err(StorageError::Hole {
                    path: path.to_owned(),
                    at,
                });
            }
            // Nothing in it is to be kept, and a write into a hole is more than a write.
            place.lay_out(request, stop, progress)?;
        }
        Ok(place)
    }

    fn made(
        path: &Path,
        request: &PlaceRequest,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, StorageError> {
        let wanted = request.range_bytes.unwrap_or(request.new_file_bytes);
        let mut options = OpenOptions::new();
        options.read(true).create_new(true).mode(0o600);
        let mut writing = request.clone();
        writing.writes = true;
        let file = match open(path, &writing, &mut options, OFlags::empty()) {
            Ok(file) => file,
            Err(error) => {
                // Opening for direct I/O makes the file before it fails.
                if matches!(error, StorageError::NoDirect { .. }) {
                    let _ = std::fs::remove_file(path);
                }
                return Err(error);
            }
        };
        let removed = std::fs::remove_file(path).is_ok();
        let mut place = Self::checked(path, file, request)?;
        place.facts.is_made = true;
        place.named = !removed;
        let place = place.with_range(wanted, request)?;
        // A disk that is full says so before anything is written, where its file system can. What it gave by then counts
        // as free.
        let free = place.free_bytes();
        match rustix::fs::fallocate(&place.file, FallocateFlags::empty(), 0, place.range_bytes) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(errno) => return Err(place.no_room(errno.into(), free)),
        }
        place.lay_out(request, stop, progress)?;
        Ok(place)
    }

    fn device(path: &Path, found: &Metadata, request: &PlaceRequest) -> Result<Self, StorageError> {
        if request.writes && !request.may_destroy {
            return Err(StorageError::Unconfirmed {
                path: path.to_owned(),
                is_device: true,
            });
        }
        let places = KernelPaths::default();
        let numbers = DeviceNumbers::of(found.rdev());
        let used_by = device::user(&places, path, numbers)?;
        if let (true, Some(by)) = (request.writes, &used_by) {
            return Err(StorageError::InUse {
                path: path.to_owned(),
                by: by.clone(),
            });
        }
        // Without O_CREAT this keeps out, and is kept out by, whoever uses the device as a whole.
        let exclusive = match request.writes {
            true => OFlags::EXCL,
            false => OFlags::empty(),
        };
        let file = open(path, request, OpenOptions::new().read(true), exclusive)?;
        let mut place = Self::of(path, file);
        place.facts.is_device = true;
        place.facts.used_by = used_by;
        place.facts.what = numbers.attribute(&places, "device/model");
        let sector = rustix::fs::ioctl_blksszget(&place.file);
        place.facts.alignment_bytes = sector.unwrap_or(DEFAULT_ALIGNMENT);
        let bytes = (&place.file).seek(SeekFrom::End(0));
        let bytes = bytes.map_err(place.failed("measured"))?;
        place.with_range(bytes, request)
    }

    fn of(path: &Path, file: File) -> Self {
        Self {
            file,
            path: path.to_owned(),
            range_bytes: 0,
            facts: PlaceFacts {
                alignment_bytes: 1,
                ..PlaceFacts::default()
            },
            named: false,
        }
    }

    /// A file, with what its file system is and can do.
    fn checked(path: &Path, file: File, request: &PlaceRequest) -> Result<Self, StorageError> {
        let mut place = Self::of(path, file);
        let about = rustix::fs::fstatfs(&place.file);
        let about = about.map_err(|errno| place.failed("looked at")(errno.into()))?;
        // Of /proc, /sys and their like.
        if about.f_blocks == 0 {
            return Err(StorageError::Pseudo {
                path: path.to_owned(),
            });
        }
        if let Some((kind, on)) = file_system_of(&place.file) {
            place.facts.what = Some(kind);
            place.facts.on = Some(on);
        }
        let in_ram = RAM_FILE_SYSTEMS.iter();
        let mut in_ram = in_ram.filter(|(kind, _)| *kind == about.f_type as i64);
        if let Some((_, name)) = in_ram.next() {
            place.facts.what = Some((*name).to_owned());
            if request.direct {
                return Err(place.no_direct());
            }
        }
        if request.direct {
            place.facts.alignment_bytes = match alignment_of(&place.file) {
                Alignment::Bytes(bytes) => bytes,
                Alignment::Unknown => DEFAULT_ALIGNMENT,
                Alignment::NoDirect => return Err(place.no_direct()),
            };
        }
        Ok(place)
    }

    /// The same with its range, within `found` bytes that are there or shall be.
    fn with_range(mut self, found: u64, request: &PlaceRequest) -> Result<Self, StorageError> {
        let access = request.access_bytes.max(1);
        let multiple = self.facts.alignment_bytes;
        if request.direct && !access.is_multiple_of(u64::from(multiple.max(1))) {
            return Err(StorageError::Unaligned {
                path: self.path.clone(),
                found: access,
                multiple,
            });
        }
        let wanted = request.range_bytes.unwrap_or(found).max(access);
        if wanted > found {
            return Err(StorageError::Short {
                path: self.path.clone(),
                found,
                wanted,
            });
        }
        self.range_bytes = wanted - wanted % access;
        Ok(self)
    }

    fn lock(&self) -> Result<(), StorageError> {
        match rustix::fs::flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOLCK) => Ok(()),
            Err(Errno::WOULDBLOCK) => Err(StorageError::Locked {
                path: self.path.clone(),
            }),
            Err(errno) => Err(self.failed("locked")(errno.into())),
        }
    }

    /// The first byte of the range that was never written; `None` where all were, or the file system does not say.
    fn hole(&self) -> Result<Option<u64>, StorageError> {
        match rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Hole(0)) {
            Ok(at) => Ok((at < self.range_bytes).then_some(at)),
            Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::NXIO) => Ok(None),
            Err(errno) => Err(self.failed("looked at")(errno.into())),
        }
    }

    /// Writes all of the range once, so that no access meets a block that has no place yet.
    fn lay_out(
        &self,
        request: &PlaceRequest,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), StorageError> {
        const CHUNK: u64 = 1 << 20;
        let alignment = u64::from(self.facts.alignment_bytes.max(1));
        let whole = CHUNK - CHUNK % alignment;
        let mut buffer =
            BufferPool::new(1, whole, 1).map_err(|source| StorageError::Resources {
                what: "no memory for buffers",
                source,
            })?;
        let mut words = WordStream::of(request.seed, 2);
        let bytes = buffer.bytes_mut();
        words.fill(bytes);
        let free = self.free_bytes();
        let mut at = 0;
        while at < self.range_bytes {
            if stop.load(Ordering::Relaxed) {
                return Err(StorageError::Stopped);
            }
            let part = (self.range_bytes - at).min(whole) as usize;
            let part = &mut bytes[..part];
            stamp(part, &mut words);
            self.file.write_all_at(part, at).map_err(|error| {
                match Errno::from_io_error(&error) {
                    Some(Errno::NOSPC | Errno::DQUOT) => self.no_room(error, free),
                    _ => self.failed("written")(error),
                }
            })?;
            at += part.len() as u64;
            progress(at, self.range_bytes);
        }
        self.file.sync_all().map_err(self.failed("written"))
    }

    fn no_room(&self, error: io::Error, free: u64) -> StorageError {
        let full = matches!(
            Errno::from_io_error(&error),
            Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG)
        );
        if !full {
            return self.failed("made")(error);
        }
        StorageError::Full {
            path: self.path.clone(),
            wanted: self.range_bytes,
            free,
        }
    }

    fn free_bytes(&self) -> u64 {
        let about = rustix::fs::fstatvfs(self.file.as_fd());
        about.map_or(0, |about| about.f_bavail * about.f_frsize)
    }

    fn no_direct(&self) -> StorageError {
        no_direct(&self.path, self.facts.what.clone())
    }

    fn failed(&self, what: &'static str) -> impl Fn(io::Error) -> StorageError {
        let path = self.path.clone();
        move |source| StorageError::Io {
            path: path.clone(),
            what,
            source,
        }
    }
}

impl Drop for StoragePlace {
    fn drop(&mut self) {
        // A ring that had the file registered may hold it for a moment longer, and the lock with it.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
        if self.named && self.facts.is_made {
            // A failure cannot be reported here.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Bytes that a direct access is a multiple of, where nothing says it: what disks of 4 KiB sectors need.
const DEFAULT_ALIGNMENT: u32 = 4096;

/// What `statx(2)` says of direct accesses.
enum Alignment {
    Bytes(u32),
    Unknown,
    NoDirect,
}

/// Asks the kernel (6.1 and later) for the alignment of direct accesses.
fn alignment_of(file: &File) -> Alignment {
    const STATX_DIOALIGN: u32 = 0x2000;
    let flags = rustix::fs::StatxFlags::from_bits_retain(STATX_DIOALIGN);
    match rustix::fs::statx(file, c"", rustix::fs::AtFlags::EMPTY_PATH, flags) {
        Ok(about) if about.stx_mask & STATX_DIOALIGN != 0 => match about.stx_dio_offset_align {
            0 => Alignment::NoDirect,
            bytes => Alignment::Bytes(bytes.max(about.stx_dio_mem_align.min(512))),
        },
        _ => Alignment::Unknown,
    }
}

/// The type of a file's file system and what that is on, as Linux names them.
fn file_system_of(file: &File) -> Option<(String, String)> {
    let numbers = DeviceNumbers::of(file.metadata().ok()?.dev()).to_string();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mount = mounts
        .lines()
        .find(|line| line.split(' ').nth(2) == Some(numbers.as_str()))?;
    let mut fields = mount.split_once(" - ")?.1.split(' ');
    Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
}

fn no_direct(path: &Path, file_system: Option<String>) -> StorageError {
    StorageError::NoDirect {
        path: path.to_owned(),
        file_system: file_system.unwrap_or_else(|| "its file system".to_owned()),
    }
}

fn open(
    path: &Path,
    request: &PlaceRequest,
    options: &mut OpenOptions,
    more: OFlags,
) -> Result<File, StorageError> {
    let mut flags = more;
    if request.direct {
        flags |= OFlags::DIRECT;
    }
    options
        .write(request.writes)
        .custom_flags(flags.bits() as i32);
    options.open(path).map_err(|source| {
        let path = path.to_owned();
        match Errno::from_io_error(&source) {
            Some(Errno::INVAL) if request.direct => {
                let around = path
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty());
                let around = File::open(around.unwrap_or(Path::new("."))).ok();
                let kind = around.and_then(|folder| Some(file_system_of(&folder)?.0));
                no_direct(&path, kind)
            }
            Some(Errno::BUSY) => StorageError::InUse {
                path,
                by: BlockDeviceUse::Exclusive,
            },
            Some(Errno::ROFS) => StorageError::ReadOnly {
                path,
                why: "its file system or device is read-only",
            },
            Some(Errno::ACCESS | Errno::PERM) if request.writes => StorageError::ReadOnly {
                path,
                why: "this user may not write it",
            },
            Some(Errno::NOSPC) => StorageError::Full {
                path,
                wanted: request.range_bytes.unwrap_or(request.new_file_bytes),
                free: 0,
            },
            _ => StorageError::Io {
                path,
                what: "opened",
                source,
            },
        }
    })
}

/// What is no storage, in words.
fn kind(of: FileType) -> &'static str {
    if of.is_dir() {
        "a folder"
    } else if of.is_char_device() {
        "a character device (raw flash of Linux is worn by \"wordline wear --target mtd:DEVICE\")"
    } else if of.is_fifo() {
        "a pipe"
    } else if of.is_socket() {
        "a socket"
    } else {
        "no ordinary file"
    }
}
