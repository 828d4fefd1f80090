//! The calls of the kernel.

use std::ffi::OsStr;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request,
    TimeOrNow, WriteFlags,
};

use super::tree::Tree;
use crate::{Entry, FsError, FsErrorKind};

/// How long the kernel keeps names and lengths while calls are recorded: it asks again and again for what the program knows.
const KEPT_FOR_RECORDING: Duration = Duration::from_secs(1 << 20);

/// The unit of free space, in bytes.
const UNIT: u64 = 512;

/// What the kernel talks to.
pub(super) struct FuseServer {
    pub tree: Arc<Mutex<Tree>>,
    /// Whether the kernel may keep what it read.
    pub cached: bool,
    /// Whether only what the program asks for is to reach the file system.
    pub recording: bool,
    /// User and group of everything.
    pub owner: (u32, u32),
}

impl FuseServer {
    /// The file system, for a call of a program's thread.
    fn tree(&self, request: &Request) -> MutexGuard<'_, Tree> {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        // The kernel closes files when nobody waits for it any more.
        if request.pid() != 0 {
            tree.called_by(request.pid());
        }
        tree
    }

    /// Runs a call that changes something. What it changed is kept before the program gets its answer, whatever came of it.
    fn change<T>(
        &self,
        request: &Request,
        durable: bool,
        run: impl FnOnce(&mut Tree) -> Result<T, FsError>,
    ) -> Result<T, Errno> {
        let mut tree = self.tree(request);
        let done = tree.ready().and_then(|()| {
            let done = run(&mut tree);
            let kept = tree.keep(durable);
            done.and_then(|value| kept.map(|()| value))
        });
        done.map_err(|error| failed(&mut tree, &error))
    }

    /// Runs a call that changes nothing that a program sees. A file system may tidy up meanwhile: that waits for the next
    /// change where it cannot be kept.
    fn look<T>(
        &self,
        request: &Request,
        run: impl FnOnce(&mut Tree) -> Result<T, FsError>,
    ) -> Result<T, Errno> {
        let mut tree = self.tree(request);
        let done = run(&mut tree);
        let _ = tree.keep(false);
        done.map_err(|error| failed(&mut tree, &error))
    }

    fn kept(&self) -> Duration {
        match self.recording {
            true => KEPT_FOR_RECORDING,
            false => Duration::ZERO,
        }
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
            Ok(found) => reply.entry(&self.kept(), &self.attributes(&found), Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    /// What something has become.
    fn reply_attributes(&self, request: &Request, number: INodeNo, reply: ReplyAttr) {
        match self.look(request, |tree| tree.entry(number.0)) {
            Ok(entry) => reply.attr(&self.kept(), &self.attributes(&(number.0, entry))),
            Err(error) => reply.error(error),
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

/// What the kernel gets of an error; its words stay with the server.
fn failed(tree: &mut Tree, error: &FsError) -> Errno {
    tree.note_failure(error);
    errno(error)
}

fn errno(error: &FsError) -> Errno {
    match error.kind {
        FsErrorKind::NotFound => Errno::ENOENT,
        FsErrorKind::Exists => Errno::EEXIST,
        FsErrorKind::IsDir => Errno::EISDIR,
        FsErrorKind::NotDir => Errno::ENOTDIR,
        FsErrorKind::NotEmpty => Errno::ENOTEMPTY,
        FsErrorKind::Full => Errno::ENOSPC,
        FsErrorKind::PathLength => Errno::ENAMETOOLONG,
        FsErrorKind::Busy => Errno::EBUSY,
        FsErrorKind::Name | FsErrorKind::Invalid | FsErrorKind::Unsuitable => Errno::EINVAL,
        FsErrorKind::Corrupt | FsErrorKind::Device => Errno::EIO,
    }
}

impl Filesystem for FuseServer {
    /// Lets programs map files for sharing although the kernel keeps nothing of what they read: from Linux 6.6 on.
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // An older kernel has no such flag, and refuses these maps as it always did.
        let _ = config.add_capabilities(InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP);
        Ok(())
    }

    fn lookup(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found =
            text(name).and_then(|name| self.look(request, |tree| tree.look_up(parent.0, name)));
        self.reply_entry(found, reply);
    }

    fn forget(&self, request: &Request, number: INodeNo, times: u64) {
        self.tree(request).forget(number.0, times);
    }

    fn getattr(&self, request: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        self.reply_attributes(request, number, reply);
    }

    fn setattr(
        &self,
        request: &Request,
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
        let cut = size.map_or(Ok(()), |bytes| {
            self.change(request, false, |tree| tree.truncate(number.0, bytes))
        });
        match cut {
            Ok(()) => self.reply_attributes(request, number, reply),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        _: u32,
        _: u32,
        reply: ReplyEntry,
    ) {
        let made = text(name)
            .and_then(|name| self.change(request, false, |tree| tree.create_dir(parent.0, name)));
        self.reply_entry(made, reply);
    }

    fn unlink(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = text(name)
            .and_then(|name| self.change(request, false, |tree| tree.remove(parent.0, name)));
        reply_empty(removed, reply);
    }

    fn rmdir(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.unlink(request, parent, name, reply);
    }

    fn rename(
        &self,
        request: &Request,
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
            self.change(request, false, |tree| {
                tree.rename(from, to, flags.is_empty())
            })
        });
        reply_empty(renamed, reply);
    }

    fn open(&self, request: &Request, number: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.look(request, |tree| tree.open(number.0)) {
            Ok(()) => reply.opened(FileHandle(number.0), self.flags()),
            Err(error) => reply.error(error),
        }
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let made = text(name)
            .and_then(|name| self.change(request, false, |tree| tree.create(parent.0, name)));
        match made {
            Ok(made) => {
                let attributes = self.attributes(&made);
                let handle = FileHandle(made.0);
                reply.created(
                    &self.kept(),
                    &attributes,
                    Generation(0),
                    handle,
                    self.flags(),
                );
            }
            Err(error) => reply.error(error),
        }
    }

    fn read(
        &self,
        request: &Request,
        number: INodeNo,
        _: FileHandle,
        at: u64,
        bytes: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let mut out = vec![0; bytes as usize];
        match self.look(request, |tree| tree.read(number.0, at, &mut out)) {
            Ok(count) => reply.data(&out[..count]),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        request: &Request,
        number: INodeNo,
        _: FileHandle,
        at: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.change(request, false, |tree| tree.write(number.0, at, data)) {
            Ok(()) => reply.written(data.len() as u32),
            Err(error) => reply.error(error),
        }
    }

    /// A program closes a file. Errors are reported here, not when the file is released.
    fn flush(
        &self,
        request: &Request,
        number: INodeNo,
        _: FileHandle,
        _: LockOwner,
        reply: ReplyEmpty,
    ) {
        if self.recording {
            return reply.ok();
        }
        // Who only read closes it also where nothing can be kept.
        let is_unsynced = self.tree(request).is_unsynced(number.0);
        let synced = match is_unsynced {
            true => self.change(request, false, |tree| tree.sync(number.0)),
            false => self.look(request, |tree| tree.sync(number.0)),
        };
        reply_empty(synced, reply);
    }

    fn fsync(
        &self,
        request: &Request,
        number: INodeNo,
        _: FileHandle,
        data_only: bool,
        reply: ReplyEmpty,
    ) {
        let synced = self.change(request, true, |tree| match data_only {
            true => tree.sync_data(number.0),
            false => tree.sync(number.0),
        });
        reply_empty(synced, reply);
    }

    fn release(
        &self,
        request: &Request,
        number: INodeNo,
        _: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        reply_empty(self.look(request, |tree| tree.close(number.0)), reply);
    }

    fn opendir(&self, request: &Request, number: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.look(request, |tree| tree.open_dir(number.0)) {
            Ok(dir) => reply.opened(FileHandle(dir), FopenFlags::empty()),
            Err(error) => reply.error(error),
        }
    }

    fn readdir(
        &self,
        request: &Request,
        number: INodeNo,
        dir: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let tree = self.tree(request);
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
        request: &Request,
        _: INodeNo,
        dir: FileHandle,
        _: OpenFlags,
        reply: ReplyEmpty,
    ) {
        self.tree(request).close_dir(dir.0);
        reply.ok();
    }

    /// Directories last as soon as they are changed, on the memory; what was kept of them is made durable.
    fn fsyncdir(&self, request: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply_empty(self.change(request, true, |_| Ok(())), reply);
    }

    fn statfs(&self, request: &Request, _: INodeNo, reply: ReplyStatfs) {
        match self.look(request, Tree::space) {
            Ok(space) => {
                let (total, free) = (space.total / UNIT, space.free / UNIT);
                reply.statfs(total, free, free, 0, 0, UNIT as u32, 255, UNIT as u32);
            }
            Err(error) => reply.error(error),
        }
    }
}
