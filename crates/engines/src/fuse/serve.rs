//! The calls of the kernel.

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use super::tree::Tree;
use crate::{Entry, FsError, FsErrorKind};

/// How long the kernel may cache answers: not at all.
const KEPT: Duration = Duration::ZERO;

/// The unit of free space, in bytes.
const UNIT: u64 = 512;

/// What the kernel talks to.
pub(super) struct FuseServer {
    pub tree: Arc<Mutex<Tree>>,
    /// Whether the kernel may keep what it read.
    pub cached: bool,
    /// User and group of everything.
    pub owner: (u32, u32),
}

impl FuseServer {
    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flags(&self) -> FopenFlags {
        match self.cached {
            true => FopenFlags::empty(),
            false => FopenFlags::FOPEN_DIRECT_IO,
        }
    }

    fn attributes(&self, (number, entry): &(u64, Entry)) -> FileAttr {
        let (kind, perm, nlink) = match entry.is_dir {
            true => (FileType::Directory, 0o755, 2),
            false => (FileType::RegularFile, 0o644, 1),
        };
        FileAttr {
            ino: INodeNo(*number),
            size: entry.bytes,
            blocks: entry.bytes.div_ceil(UNIT),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm,
            nlink,
            uid: self.owner.0,
            gid: self.owner.1,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }

    fn reply_entry(&self, found: Result<(u64, Entry), Errno>, reply: ReplyEntry) {
        match found {
            Ok(found) => reply.entry(&KEPT, &self.attributes(&found), Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    /// What something has become.
    fn reply_attributes(&self, number: INodeNo, reply: ReplyAttr) {
        match self.tree().entry(number.0) {
            Ok(entry) => reply.attr(&KEPT, &self.attributes(&(number.0, entry))),
            Err(error) => reply.error(errno(&error)),
        }
    }
}

fn reply_empty(done: Result<(), Errno>, reply: ReplyEmpty) {
    match done {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

/// Names are UTF-8 here.
fn text(name: &OsStr) -> Result<&str, Errno> {
    name.to_str().ok_or(Errno::EILSEQ)
}

fn errno(error: &FsError) -> Errno {
    match error.kind {
        FsErrorKind::NotFound => Errno::ENOENT,
        FsErrorKind::Exists => Errno::EEXIST,
        FsErrorKind::IsDir => Errno::EISDIR,
        FsErrorKind::NotDir => Errno::ENOTDIR,
        FsErrorKind::NotEmpty => Errno::ENOTEMPTY,
        FsErrorKind::Full => Errno::ENOSPC,
        FsErrorKind::Busy => Errno::EBUSY,
        FsErrorKind::Name | FsErrorKind::Invalid | FsErrorKind::Unsuitable => Errno::EINVAL,
        FsErrorKind::Corrupt | FsErrorKind::Device => Errno::EIO,
    }
}

impl Filesystem for FuseServer {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = text(name).and_then(|name| {
            let found = self.tree().look_up(parent.0, name);
            found.map_err(|error| errno(&error))
        });
        self.reply_entry(found, reply);
    }

    fn forget(&self, _: &Request, number: INodeNo, times: u64) {
        self.tree().forget(number.0, times);
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        self.reply_attributes(number, reply);
    }

    fn setattr(
        &self,
        _: &Request,
        number: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let cut = size.map_or(Ok(()), |bytes| self.tree().truncate(number.0, bytes));
        match cut {
            Ok(()) => self.reply_attributes(number, reply),
            Err(error) => reply.error(errno(&error)),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        let made = text(name).and_then(|name| {
            let made = self.tree().create_dir(parent.0, name);
            made.map_err(|error| errno(&error))
        });
        self.reply_entry(made, reply);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = text(name).and_then(|name| {
            let removed = self.tree().remove(parent.0, name);
            removed.map_err(|error| errno(&error))
        });
        reply_empty(removed, reply);
    }

    fn rmdir(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.unlink(request, parent, name, reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let renamed = text(name).and_then(|name| {
            let new_name = text(new_name)?;
            if !RenameFlags::RENAME_NOREPLACE.contains(flags) {
                return Err(Errno::EINVAL);
            }
            let (from, to) = ((parent.0, name), (new_parent.0, new_name));
            let renamed = self.tree().rename(from, to, flags.is_empty());
            renamed.map_err(|error| errno(&error))
        });
        reply_empty(renamed, reply);
    }

    fn open(&self, _: &Request, number: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.tree().open(number.0) {
            Ok(()) => reply.opened(FileHandle(number.0), self.flags()),
            Err(error) => reply.error(errno(&error)),
        }
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let made = text(name).and_then(|name| {
            let made = self.tree().create(parent.0, name);
            made.map_err(|error| errno(&error))
        });
        match made {
            Ok(made) => {
                let attributes = self.attributes(&made);
                let handle = FileHandle(made.0);
                reply.created(&KEPT, &attributes, Generation(0), handle, self.flags());
            }
            Err(error) => reply.error(error),
        }
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        at: u64,
        bytes: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let mut out = vec![0; bytes as usize];
        match self.tree().read(number.0, at, &mut out) {
            Ok(count) => reply.data(&out[..count]),
            Err(error) => reply.error(errno(&error)),
        }
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        at: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.tree().write(number.0, at, data) {
            Ok(()) => reply.written(data.len() as u32),
            Err(error) => reply.error(errno(&error)),
        }
    }

    /// A program closes a file. Errors are reported here, not when the file is released.
    fn flush(&self, _: &Request, number: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        let synced = self.tree().sync(number.0);
        reply_empty(synced.map_err(|error| errno(&error)), reply);
    }

    fn fsync(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let synced = self.tree().sync(number.0);
        reply_empty(synced.map_err(|error| errno(&error)), reply);
    }

    fn release(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        let closed = self.tree().close(number.0);
        reply_empty(closed.map_err(|error| errno(&error)), reply);
    }

    fn opendir(&self, _: &Request, number: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.tree().open_dir(number.0) {
            Ok(dir) => reply.opened(FileHandle(dir), FopenFlags::empty()),
            Err(error) => reply.error(errno(&error)),
        }
    }

    fn readdir(
        &self,
        _: &Request,
        number: INodeNo,
        dir: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let tree = self.tree();
        let list = match tree.list(dir.0) {
            Ok(list) => list,
            Err(error) => return reply.error(errno(&error)),
        };
        let dots = [".", ".."].map(|name| (number.0, true, name));
        let entries = list
            .iter()
            .map(|(number, entry)| (*number, entry.is_dir, entry.name.as_str()));
        let all = dots.into_iter().chain(entries).zip(1..);
        for ((number, is_dir, name), next) in all.skip(offset as usize) {
            let kind = match is_dir {
                true => FileType::Directory,
                false => FileType::RegularFile,
            };
            if reply.add(INodeNo(number), next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn releasedir(
        &self,
        _: &Request,
        _: INodeNo,
        dir: FileHandle,
        _: OpenFlags,
        reply: ReplyEmpty,
    ) {
        self.tree().close_dir(dir.0);
        reply.ok();
    }

    /// Directories last as soon as they are changed.
    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        match self.tree().space() {
            Ok(space) => {
                let (total, free) = (space.total / UNIT, space.free / UNIT);
                reply.statfs(total, free, free, 0, 0, UNIT as u32, 255, UNIT as u32);
            }
            Err(error) => reply.error(errno(&error)),
        }
    }
}
