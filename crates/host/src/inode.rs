//! What a name leads to, looked up once: the check and the write meet the same inode, whatever happens to the name.
//!
//! A name can be swapped between a look at it and an opening of it. So nothing here asks a name twice: [`NameEntry::of`]
//! takes a handle to the inode (`O_PATH`, which opens no device), the caller checks that handle by its kind and its device
//! number, and [`InodeHandle::open`] opens that inode through the handle. The descriptor is compared with the handle
//! before anybody gets it. [`InodeFile`] has no other constructor, so that whatever is written through one was checked.
//!
//! The folder of the name is looked up once as well: a file is made and its name removed there, wherever the folder's own
//! name leads by then.

use std::ffi::{OsStr, OsString};
use std::fs::{File, FileType, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

/// Why the inode behind a name is not opened.
#[derive(Debug, thiserror::Error)]
pub enum InodeError {
    /// The name is one of a link, and what is written has to be named itself.
    #[error(
        "it is a link to {to}; allowed: the name of what is written itself, or a link within /dev"
    )]
    Link {
        /// Where it leads.
        to: PathBuf,
    },
    /// Another inode came out than the one that was checked.
    #[error("its name was swapped while it was opened; it is left alone")]
    Swapped,
    /// The file has further names, under which its contents would be lost, too.
    #[error(
        "it has {0} names (hard links), and its contents would be lost under all of them; allowed: a file of one name"
    )]
    ManyNames(u64),
    /// The operating system's.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for InodeError {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

/// Whether the last part of a path may be a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRule {
    /// It is followed: for what is only read.
    Follow,
    /// It is followed within `/dev` alone, whose names only the system sets: for what is written.
    DevicesOnly,
}

/// How an inode is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InodeAccess {
    /// For writes.
    pub writes: bool,
    /// For reads.
    pub reads: bool,
    /// Past the page cache (`O_DIRECT`, of Linux).
    pub direct: bool,
    /// A block device for this process alone (`O_EXCL`).
    pub exclusive: bool,
    /// Without a wait for a pipe's other end (`O_NONBLOCK`).
    pub nonblocking: bool,
}

impl InodeAccess {
    /// For reads and writes.
    pub const READ_WRITE: Self = Self {
        writes: true,
        reads: true,
        direct: false,
        exclusive: false,
        nonblocking: false,
    };

    fn flags(self) -> OFlags {
        let mut flags = match (self.reads, self.writes) {
            (_, false) => OFlags::RDONLY,
            (true, true) => OFlags::RDWR,
            (false, true) => OFlags::WRONLY,
        };
        flags |= OFlags::CLOEXEC | OFlags::NOCTTY;
        #[cfg(target_os = "linux")]
        if self.direct {
            flags |= OFlags::DIRECT;
        }
        if self.exclusive {
            flags |= OFlags::EXCL;
        }
        if self.nonblocking {
            flags |= OFlags::NONBLOCK;
        }
        flags
    }
}

/// A name in a folder that is held open.
#[derive(Debug)]
struct NamePlace {
    folder: OwnedFd,
    name: OsString,
    #[cfg_attr(target_os = "linux", expect(dead_code))]
    path: PathBuf,
}

/// What a name led to when it was looked up.
#[derive(Debug)]
pub enum NameEntry {
    /// Nothing had it.
    Vacant(VacantName),
    /// An inode, which is not open yet.
    Inode(InodeHandle),
}

/// A name that nothing had.
#[derive(Debug)]
pub struct VacantName {
    place: NamePlace,
}

/// An inode that a name led to. It is not open: that alone would do things to a device or a pipe.
#[derive(Debug)]
pub struct InodeHandle {
    place: NamePlace,
    about: Metadata,
    /// Of Linux: `O_PATH`.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    handle: Option<File>,
    is_link_followed: bool,
}

/// An inode that was looked up by its name, checked, and opened: the only way to write to what a user named.
#[derive(Debug)]
pub struct InodeFile {
    file: File,
    /// Boxed: it is long, and rarely asked for.
    about: Box<Metadata>,
    /// `None` of a file that never had a name.
    place: Option<NamePlace>,
    is_link_followed: bool,
}

impl NameEntry {
    /// Looks a name up, once.
    ///
    /// # Errors
    /// When its folder cannot be opened, or when it is a link that the rule does not follow or that leads nowhere.
    pub fn of(path: &Path, links: LinkRule) -> Result<Self, InodeError> {
        let place = NamePlace::of(path)?;
        let Some((handle, about)) = place.peek(false)? else {
            return Ok(Self::Vacant(VacantName { place }));
        };
        if !about.is_symlink() {
            return Ok(Self::Inode(InodeHandle {
                place,
                about,
                handle,
                is_link_followed: false,
            }));
        }
        if links == LinkRule::DevicesOnly && !place.is_in_dev() {
            let to = rustix::fs::readlinkat(&place.folder, &place.name, Vec::new());
            let to = to.map(|to| PathBuf::from(OsStr::from_bytes(to.as_bytes())));
            return Err(InodeError::Link {
                to: to.unwrap_or_default(),
            });
        }
        match place.peek(true)? {
            Some((handle, about)) => Ok(Self::Inode(InodeHandle {
                place,
                about,
                handle,
                is_link_followed: true,
            })),
            None => Err(Errno::NOENT.into()),
        }
    }
}

/// Flags of a handle to a folder.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY;

impl NamePlace {
    fn of(path: &Path) -> io::Result<Self> {
        // The root and names such as ".." are folders of themselves.
        let (folder, name) = match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => (folder, name),
            _ => (path, OsStr::new(".")),
        };
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        let flags = FOLDER | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            folder: rustix::fs::open(folder, flags, Mode::empty())?,
            name: name.to_owned(),
            path: path.to_owned(),
        })
    }

    /// A handle to what has the name now; `None` where nothing has it.
    fn peek(&self, follow: bool) -> io::Result<Option<(Option<File>, Metadata)>> {
        let found = self.peeked(follow);
        match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }

    #[cfg(target_os = "linux")]
    fn peeked(&self, follow: bool) -> io::Result<(Option<File>, Metadata)> {
        let mut flags = OFlags::PATH | OFlags::CLOEXEC;
        if !follow {
            flags |= OFlags::NOFOLLOW;
        }
        let handle = rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?;
        let handle = File::from(handle);
        let about = handle.metadata()?;
        Ok((Some(handle), about))
    }

    #[cfg(not(target_os = "linux"))]
    fn peeked(&self, follow: bool) -> io::Result<(Option<File>, Metadata)> {
        let about = match follow {
            true => std::fs::metadata(&self.path)?,
            false => std::fs::symlink_metadata(&self.path)?,
        };
        Ok((None, about))
    }

    /// Whether the folder lies on the file system of `/dev`, where that has one of its own.
    fn is_in_dev(&self) -> bool {
        let of = |path: &str| std::fs::metadata(path).ok().map(|about| about.dev());
        let folder = self.folder.try_clone().map(File::from);
        let folder = folder.and_then(|folder| folder.metadata());
        let folder = folder.ok().map(|about| about.dev());
        let dev = of("/dev");
        dev.is_some() && dev != of("/") && folder == dev
    }
}

impl VacantName {
    /// Makes an empty file of this name, which only its owner may read and write.
    ///
    /// # Errors
    /// When something has the name by now, or the folder takes no file.
    pub fn create(self, access: InodeAccess) -> Result<InodeFile, InodeError> {
        let flags = access.flags() | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::RUSR | Mode::WUSR;
        let file = rustix::fs::openat(&self.place.folder, &self.place.name, flags, mode);
        let file = match file {
            Err(Errno::EXIST) => return Err(InodeError::Swapped),
            file => File::from(file?),
        };
        let about = Box::new(file.metadata()?);
        Ok(InodeFile {
            file,
            about,
            place: Some(self.place),
            is_link_followed: false,
        })
    }

    /// Makes an empty file without any name in the folder of this one (`O_TMPFILE`); `None` where the file system has no
    /// such files. It is gone when it is closed, however the process ends.
    ///
    /// # Errors
    /// When the folder takes no file.
    pub fn unnamed(&self, access: InodeAccess) -> Result<Option<InodeFile>, InodeError> {
        #[cfg(target_os = "linux")]
        {
            let flags = access.flags() | OFlags::TMPFILE | OFlags::EXCL;
            let mode = Mode::RUSR | Mode::WUSR;
            match rustix::fs::openat(&self.place.folder, ".", flags, mode) {
                Ok(file) => {
                    let file = File::from(file);
                    let about = Box::new(file.metadata()?);
                    Ok(Some(InodeFile {
                        file,
                        about,
                        place: None,
                        is_link_followed: false,
                    }))
                }
                // ISDIR and NOENT: of kernels and file systems that do not know it.
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => Ok(None),
                Err(errno) => Err(errno.into()),
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = access;
            Ok(None)
        }
    }
}

impl InodeHandle {
    /// What the inode is: its kind, its length, its device number.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        &self.about
    }

    /// Its kind.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.about.file_type()
    }

    /// Refuses a file that has further names.
    ///
    /// # Errors
    /// [`InodeError::ManyNames`]; [`InodeError::Swapped`] of a file that has lost its name.
    pub fn check_only_name(&self) -> Result<(), InodeError> {
        match self.about.nlink() {
            1 => Ok(()),
            0 => Err(InodeError::Swapped),
            names => Err(InodeError::ManyNames(names)),
        }
    }

    /// Opens this inode, and no other: the name is not asked again.
    ///
    /// # Errors
    /// Those of the operating system, and [`InodeError::Swapped`] where another inode came out. That can be only where
    /// `/proc` is not mounted and the name has to be opened.
    pub fn open(self, access: InodeAccess) -> Result<InodeFile, InodeError> {
        let file = self.open_again(access)?;
        Ok(InodeFile {
            about: Box::new(file.metadata()?),
            file,
            place: Some(self.place),
            is_link_followed: self.is_link_followed,
        })
    }

    /// Opens this inode to write to a pipe whose reader may come later: the handle stays for the next try.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_again(&self, access: InodeAccess) -> Result<File, InodeError> {
        let file = self.opened(access)?;
        match is_same(&file.metadata()?, &self.about) {
            true => Ok(file),
            false => Err(InodeError::Swapped),
        }
    }

    fn opened(&self, access: InodeAccess) -> Result<File, InodeError> {
        let flags = access.flags();
        #[cfg(target_os = "linux")]
        if let Some(handle) = &self.handle {
            use std::os::fd::AsRawFd as _;
            let through = format!("/proc/self/fd/{}", handle.as_raw_fd());
            match rustix::fs::open(through, flags, Mode::empty()) {
                // No /proc. A device that has no driver is NXIO or NODEV.
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                opened => return Ok(File::from(opened?)),
            }
        }
        // The descriptor is compared afterwards. A pipe in its place would wait for its other end.
        let mut flags = flags | OFlags::NONBLOCK;
        if !self.is_link_followed {
            flags |= OFlags::NOFOLLOW;
        }
        let place = &self.place;
        match rustix::fs::openat(&place.folder, &place.name, flags, Mode::empty()) {
            Err(Errno::LOOP) => Err(InodeError::Swapped),
            opened => Ok(File::from(opened?)),
        }
    }
}

impl InodeFile {
    /// The open file.
    #[must_use]
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// The open file, for whom the name has done its work.
    #[must_use]
    pub fn into_file(self) -> File {
        self.file
    }

    /// What it was when it was opened.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.about
    }

    /// Whether the name still leads to this inode; never of a file that has none.
    #[must_use]
    pub fn is_named(&self) -> bool {
        let Some(place) = &self.place else {
            return false;
        };
        let named = place.peek(self.is_link_followed);
        named.is_ok_and(|named| named.is_some_and(|(_, named)| is_same(&named, &self.about)))
    }

    /// Removes the name, where it still leads to this inode; `false` where it does not, or stays.
    ///
    /// The kernel has no call that removes a name only if it is of one inode. Who renames another file over this name
    /// between the look and the removal loses that file's name.
    pub fn remove_name(&self) -> bool {
        let Some(place) = self.place.as_ref().filter(|_| self.is_named()) else {
            return false;
        };
        rustix::fs::unlinkat(&place.folder, &place.name, AtFlags::empty()).is_ok()
    }
}

impl AsFd for InodeFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Whether two looks were at one inode of one kind; of a device, at one device.
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let of = |about: &Metadata| (about.dev(), about.ino(), about.rdev());
    of(one) == of(other) && one.file_type() == other.file_type()
}

/// What is no file, in words.
pub(crate) fn kind(of: FileType) -> &'static str {
    if of.is_dir() {
        "a folder"
    } else if of.is_block_device() || of.is_char_device() {
        "a device"
    } else if of.is_fifo() {
        "a pipe"
    } else if of.is_socket() {
        "a socket"
    } else {
        "no ordinary file"
    }
}
