//! What the connections of a VFS share: the file system, its open files with their locks, the counts and the clock.

use std::ffi::c_int;

use rusqlite::ffi;
use wordline_engines::{FileSystem, FsError, FsErrorKind, Handle, Open, check_path};

use crate::locks::{FileLocks, LockLevel};
use crate::wal_index::{WalIndexRegions, WalIndexUse};
use crate::{FileKind, VfsCounts, VfsFault};

/// A code of SQLite's that is no success.
pub(crate) type SqliteCode = c_int;

/// What the connections of a VFS share.
pub(crate) struct VfsWorld {
    /// `None` once its owner has taken it back.
    pub(crate) files: Option<Box<dyn FileSystem + Send>>,
    /// Open files: the file system opens each once, whatever connections have it.
    shared: Vec<Option<SharedFile>>,
    pub(crate) counts: VfsCounts,
    /// Microseconds of the Unix epoch.
    pub(crate) now_us: i64,
    pub(crate) last_error: Option<FsError>,
    fault: Option<VfsFault>,
    /// A panic left the file system in a state that is not known.
    is_broken: bool,
}

/// A file that connections have open.
struct SharedFile {
    path: String,
    handle: Handle,
    /// Its length: what the file system says of an open file may be older.
    bytes: u64,
    users: u32,
    /// It is removed when its last user has closed it.
    is_doomed: bool,
    locks: FileLocks,
    wal_index: WalIndexRegions,
}

/// A file that a connection has open.
pub(crate) struct VfsFile {
    pub(crate) kind: FileKind,
    body: FileBody,
}

enum FileBody {
    /// A file of the file system.
    Stored {
        /// Which of the shared files.
        number: usize,
        level: LockLevel,
        wal_index: WalIndexUse,
        /// Writes that are to become valid together, with their places.
        batch: Option<Vec<(u64, Vec<u8>)>>,
    },
    /// A file without a name, in RAM.
    Temporary(Vec<u8>),
}

impl VfsWorld {
    pub(crate) fn new(
        files: Box<dyn FileSystem + Send>,
        now_us: i64,
        fault: Option<VfsFault>,
    ) -> Self {
        Self {
            files: Some(files),
            shared: Vec::new(),
            counts: VfsCounts::default(),
            now_us,
            last_error: None,
            fault,
            is_broken: false,
        }
    }

    /// Notes a panic of the file system, after which nothing is asked of it.
    pub(crate) fn broke(&mut self, said: &str) {
        self.is_broken = true;
        let detail = format_args!("the file system panicked: {said}");
        self.last_error = Some(FsError::new(FsErrorKind::Device, detail));
    }

    /// Runs something on the file system; where it refuses, SQLite gets `code` or a more exact one.
    fn ask<T>(
        &mut self,
        code: SqliteCode,
        work: impl FnOnce(&mut dyn FileSystem) -> Result<T, FsError>,
    ) -> Result<T, SqliteCode> {
        let files = self
            .files
            .as_mut()
            .filter(|_| !self.is_broken)
            .ok_or(code)?;
        work(&mut **files).map_err(|error| {
            let code = match error.kind {
                FsErrorKind::Full => ffi::SQLITE_FULL,
                FsErrorKind::Corrupt => ffi::SQLITE_IOERR_CORRUPTFS,
                _ => code,
            };
            self.last_error = Some(error);
            code
        })
    }

    fn find(&self, path: &str) -> Option<usize> {
        let is_it = |file: &Option<SharedFile>| file.as_ref().is_some_and(|file| file.path == path);
        self.shared.iter().position(is_it)
    }

    fn file(&mut self, number: usize) -> Result<&mut SharedFile, SqliteCode> {
        let file = self.shared.get_mut(number).and_then(Option::as_mut);
        file.ok_or(ffi::SQLITE_MISUSE)
    }

    /// Opens a file, or one in RAM where there is no path.
    pub(crate) fn open(
        &mut self,
        path: Option<&str>,
        kind: FileKind,
        flags: c_int,
    ) -> Result<VfsFile, SqliteCode> {
        self.counts[kind].opens += 1;
        let Some(path) = path else {
            return Ok(VfsFile {
                kind,
                body: FileBody::Temporary(Vec::new()),
            });
        };
        let number = match self.find(path) {
            Some(number) => {
                let file = self.file(number)?;
                if file.is_doomed || flags & ffi::SQLITE_OPEN_EXCLUSIVE != 0 {
                    return Err(ffi::SQLITE_CANTOPEN);
                }
                file.users += 1;
                number
            }
            None => self.open_first(path, flags)?,
        };
        let body = FileBody::Stored {
            number,
            level: LockLevel::None,
            wal_index: WalIndexUse::default(),
            batch: None,
        };
        Ok(VfsFile { kind, body })
    }

    /// Opens a file that no connection has open.
    fn open_first(&mut self, path: &str, flags: c_int) -> Result<usize, SqliteCode> {
        let code = ffi::SQLITE_CANTOPEN;
        let found = self.ask(code, |files| match files.entry(path) {
            Ok(entry) => Ok(Some(entry)),
            Err(error) if error.kind == FsErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })?;
        self.counts.absent += u64::from(found.is_none());
        let may_create = flags & ffi::SQLITE_OPEN_CREATE != 0;
        let must_create = may_create && flags & ffi::SQLITE_OPEN_EXCLUSIVE != 0;
        let bytes = match found {
            Some(entry) if entry.is_dir => return Err(ffi::SQLITE_CANTOPEN_ISDIR),
            Some(entry) if !must_create => entry.bytes,
            None if may_create => 0,
            _ => return Err(code),
        };
        let how = if may_create {
            Open::Create
        } else {
            Open::Write
        };
        let handle = self.ask(code, |files| files.open(path, how))?;
        let file = SharedFile {
            path: path.to_owned(),
            handle,
            bytes,
            users: 1,
            is_doomed: false,
            locks: FileLocks::default(),
            wal_index: WalIndexRegions::default(),
        };
        let free = self.shared.iter().position(Option::is_none);
        Ok(match free {
            Some(number) => {
                self.shared[number] = Some(file);
                number
            }
            None => {
                self.shared.push(Some(file));
                self.shared.len() - 1
            }
        })
    }

    pub(crate) fn close(&mut self, file: &mut VfsFile) -> Result<(), SqliteCode> {
        let FileBody::Stored {
            number,
            level,
            wal_index,
            ..
        } = &mut file.body
        else {
            return Ok(());
        };
        let shared = self.file(*number)?;
        shared.wal_index.unmap(wal_index);
        shared.locks.unlock(level, LockLevel::None);
        shared.users -= 1;
        if shared.users > 0 {
            return Ok(());
        }
        let Some(last) = self.shared[*number].take() else {
            return Err(ffi::SQLITE_MISUSE);
        };
        let closed = self.ask(ffi::SQLITE_IOERR_CLOSE, |files| files.close(last.handle));
        if last.is_doomed {
            self.ask(ffi::SQLITE_IOERR_DELETE, |files| files.remove(&last.path))?;
        }
        closed
    }

    /// Removes a file; one that is open, when it is closed.
    pub(crate) fn delete(&mut self, path: &str, syncs_directory: bool) -> Result<(), SqliteCode> {
        let kind = kind_of(path);
        let open = match self.find(path) {
            Some(number) => Some(self.file(number)?),
            None => None,
        };
        match open {
            Some(file) if file.is_doomed => return Err(ffi::SQLITE_IOERR_DELETE_NOENT),
            Some(file) => file.is_doomed = true,
            None => self
                .ask(ffi::SQLITE_IOERR_DELETE, |files| files.remove(path))
                .map_err(|code| match &self.last_error {
                    Some(error) if error.kind == FsErrorKind::NotFound => {
                        ffi::SQLITE_IOERR_DELETE_NOENT
                    }
                    _ => code,
                })?,
        }
        self.counts[kind].deletes += 1;
        // A file system lets a removal last when it returns.
        self.counts.directory_syncs += u64::from(syncs_directory);
        Ok(())
    }

    /// Whether there is a file with something in it: an empty journal is none.
    pub(crate) fn has(&mut self, path: &str) -> Result<bool, SqliteCode> {
        self.counts.lookups += 1;
        if let Some(number) = self.find(path) {
            let file = self.file(number)?;
            return Ok(!file.is_doomed && file.bytes > 0);
        }
        let entry = self.ask(ffi::SQLITE_IOERR_ACCESS, |files| match files.entry(path) {
            Ok(entry) => Ok(Some(entry)),
            Err(error) if error.kind == FsErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })?;
        self.counts.absent += u64::from(entry.is_none());
        Ok(entry.is_some_and(|entry| entry.is_dir || entry.bytes > 0))
    }

    /// Reads a file; what lies past its end is zeros.
    pub(crate) fn read(
        &mut self,
        file: &VfsFile,
        at: u64,
        out: &mut [u8],
    ) -> Result<(), SqliteCode> {
        let read = match &file.body {
            FileBody::Temporary(bytes) => {
                let there = bytes.get(at as usize..).unwrap_or_default();
                let read = there.len().min(out.len());
                out[..read].copy_from_slice(&there[..read]);
                read
            }
            FileBody::Stored { number, batch, .. } => {
                let shared = self.file(*number)?;
                let (handle, bytes) = (shared.handle, shared.bytes);
                let most = bytes.saturating_sub(at).min(out.len() as u64) as usize;
                let mut read = 0;
                if most > 0 {
                    let out = &mut out[..most];
                    read = self.ask(ffi::SQLITE_IOERR_READ, |files| files.read(handle, at, out))?;
                    // A short read within the file is an error: zeros would pass for its content.
                    if read < most {
                        return Err(ffi::SQLITE_IOERR_READ);
                    }
                }
                for (place, data) in batch.iter().flatten() {
                    read = read.max(overlay(at, out, *place, data));
                }
                read
            }
        };
        let counts = &mut self.counts[file.kind];
        counts.reads += 1;
        counts.read_bytes += read as u64;
        if read == out.len() {
            return Ok(());
        }
        counts.copied_bytes += (out.len() - read) as u64;
        out[read..].fill(0);
        Err(ffi::SQLITE_IOERR_SHORT_READ)
    }

    /// Writes to a file; what lies between its end and the place is zeros.
    pub(crate) fn write(
        &mut self,
        file: &mut VfsFile,
        at: u64,
        data: &[u8],
    ) -> Result<(), SqliteCode> {
        let counts = &mut self.counts[file.kind];
        counts.writes += 1;
        counts.written_bytes += data.len() as u64;
        match &mut file.body {
            FileBody::Temporary(bytes) => {
                let (at, end) = (at as usize, at as usize + data.len());
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[at..end].copy_from_slice(data);
                Ok(())
            }
            FileBody::Stored {
                batch: Some(batch), ..
            } => {
                counts.copied_bytes += data.len() as u64;
                batch.push((at, data.to_vec()));
                Ok(())
            }
            FileBody::Stored { number, .. } => self.store(*number, at, data),
        }
    }

    fn store(&mut self, number: usize, at: u64, data: &[u8]) -> Result<(), SqliteCode> {
        let code = ffi::SQLITE_IOERR_WRITE;
        let shared = self.file(number)?;
        let (handle, bytes) = (shared.handle, shared.bytes);
        if at > bytes {
            self.ask(code, |files| files.truncate(handle, at))?;
            self.file(number)?.bytes = at;
        }
        self.ask(code, |files| files.write(handle, at, data))?;
        let shared = self.file(number)?;
        shared.bytes = shared.bytes.max(at + data.len() as u64);
        Ok(())
    }

    pub(crate) fn truncate(&mut self, file: &mut VfsFile, bytes: u64) -> Result<(), SqliteCode> {
        self.counts[file.kind].truncates += 1;
        match &mut file.body {
            FileBody::Temporary(held) => held.resize(bytes as usize, 0),
            FileBody::Stored { number, .. } => {
                let handle = self.file(*number)?.handle;
                let code = ffi::SQLITE_IOERR_TRUNCATE;
                self.ask(code, |files| files.truncate(handle, bytes))?;
                self.file(*number)?.bytes = bytes;
            }
        }
        Ok(())
    }

    pub(crate) fn sync(&mut self, file: &VfsFile, flags: c_int) -> Result<(), SqliteCode> {
        let is_dropped = match self.fault {
            Some(VfsFault::LyingSync) => true,
            Some(VfsFault::NoWalSync) => file.kind == FileKind::Wal,
            Some(VfsFault::NoJournalSync) => file.kind == FileKind::Journal,
            Some(VfsFault::NoDatabaseSync) => file.kind == FileKind::Database,
            Some(VfsFault::ClaimsGroups) | None => false,
        };
        let counts = &mut self.counts[file.kind];
        counts.syncs += 1;
        counts.syncs_full += u64::from(flags & 0xF == ffi::SQLITE_SYNC_FULL);
        counts.syncs_data_only += u64::from(flags & ffi::SQLITE_SYNC_DATAONLY != 0);
        counts.syncs_dropped += u64::from(is_dropped);
        match &file.body {
            FileBody::Stored { number, .. } if !is_dropped => {
                let handle = self.file(*number)?.handle;
                self.ask(ffi::SQLITE_IOERR_FSYNC, |files| files.sync(handle))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn length(&mut self, file: &VfsFile) -> Result<u64, SqliteCode> {
        Ok(match &file.body {
            FileBody::Temporary(bytes) => bytes.len() as u64,
            FileBody::Stored { number, batch, .. } => {
                let ends = batch
                    .iter()
                    .flatten()
                    .map(|(at, data)| at + data.len() as u64);
                let end = ends.max().unwrap_or(0);
                self.file(*number)?.bytes.max(end)
            }
        })
    }

    pub(crate) fn lock(&mut self, file: &mut VfsFile, wanted: c_int) -> Result<(), SqliteCode> {
        let FileBody::Stored { number, level, .. } = &mut file.body else {
            return Ok(());
        };
        let is_locked = self.file(*number)?.locks.lock(level, LockLevel::of(wanted));
        is_locked.then_some(()).ok_or(ffi::SQLITE_BUSY)
    }

    pub(crate) fn unlock(&mut self, file: &mut VfsFile, to: c_int) -> Result<(), SqliteCode> {
        if let FileBody::Stored { number, level, .. } = &mut file.body {
            self.file(*number)?.locks.unlock(level, LockLevel::of(to));
        }
        Ok(())
    }

    pub(crate) fn is_reserved(&mut self, file: &VfsFile) -> Result<bool, SqliteCode> {
        match &file.body {
            FileBody::Stored { number, .. } => Ok(self.file(*number)?.locks.is_reserved()),
            FileBody::Temporary(_) => Ok(false),
        }
    }

    /// Runs something on the index of a file's log.
    pub(crate) fn with_wal_index<T>(
        &mut self,
        file: &mut VfsFile,
        work: impl FnOnce(&mut WalIndexRegions, &mut WalIndexUse) -> T,
    ) -> Result<T, SqliteCode> {
        match &mut file.body {
            FileBody::Stored {
                number, wal_index, ..
            } => Ok(work(&mut self.file(*number)?.wal_index, wal_index)),
            FileBody::Temporary(_) => Err(ffi::SQLITE_IOERR_SHMMAP),
        }
    }

    /// Bytes of RAM that the indexes of logs take.
    pub(crate) fn wal_index_bytes(&self) -> u64 {
        let files = self.shared.iter().flatten();
        files.map(|file| file.wal_index.bytes()).sum()
    }

    /// Begins to collect writes that are to become valid together.
    pub(crate) fn begin_batch(&mut self, file: &mut VfsFile) -> Result<(), SqliteCode> {
        match &mut file.body {
            FileBody::Stored { batch, .. } => {
                *batch = Some(Vec::new());
                Ok(())
            }
            FileBody::Temporary(_) => Err(ffi::SQLITE_IOERR_BEGIN_ATOMIC),
        }
    }

    /// Forgets the writes that were collected.
    pub(crate) fn drop_batch(&mut self, file: &mut VfsFile) {
        if let FileBody::Stored { batch, .. } = &mut file.body {
            *batch = None;
        }
    }

    /// Makes the writes that were collected valid together.
    pub(crate) fn commit_batch(&mut self, file: &mut VfsFile) -> Result<(), SqliteCode> {
        let FileBody::Stored { number, batch, .. } = &mut file.body else {
            return Err(ffi::SQLITE_IOERR_COMMIT_ATOMIC);
        };
        let parts = batch.take().ok_or(ffi::SQLITE_IOERR_COMMIT_ATOMIC)?;
        if self.fault == Some(VfsFault::ClaimsGroups) {
            for (at, data) in &parts {
                self.store(*number, *at, data)?;
            }
        } else {
            let handle = self.file(*number)?.handle;
            let slices: Vec<_> = parts.iter().map(|(at, data)| (*at, &data[..])).collect();
            // With this code SQLite falls back on a journal.
            let code = ffi::SQLITE_IOERR_COMMIT_ATOMIC;
            self.ask(code, |files| files.write_together(handle, &slices))
                .map_err(|_| code)?;
            let shared = self.file(*number)?;
            let ends = parts.iter().map(|(at, data)| at + data.len() as u64);
            shared.bytes = shared.bytes.max(ends.max().unwrap_or(0));
        }
        self.counts.batches += 1;
        Ok(())
    }
}

/// Puts the part of `data` that lies in `out` there, and says where in `out` it ends.
fn overlay(at: u64, out: &mut [u8], place: u64, data: &[u8]) -> usize {
    let (first, end) = (
        at.max(place),
        (at + out.len() as u64).min(place + data.len() as u64),
    );
    if first >= end {
        return 0;
    }
    let to = (first - at) as usize..(end - at) as usize;
    let from = (first - place) as usize..(end - place) as usize;
    out[to.clone()].copy_from_slice(&data[from]);
    to.end
}

/// What a file is that SQLite names only by its path.
pub(crate) fn kind_of(path: &str) -> FileKind {
    if path.ends_with("-wal") {
        FileKind::Wal
    } else if path.ends_with("-journal") {
        FileKind::Journal
    } else {
        FileKind::Other
    }
}

/// A path from the root, as the file system has it.
pub(crate) fn full_path(path: &str) -> Result<String, FsError> {
    let full = match path.strip_prefix('/') {
        Some(_) => path.to_owned(),
        None => format!("/{path}"),
    };
    check_path(&full)?;
    Ok(full)
}
