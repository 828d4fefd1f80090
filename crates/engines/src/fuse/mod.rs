//! A file system that any program can use, through FUSE on Linux.
//!
//! Nothing is cached: every call of a program reaches the file system, so that the operations of the memory follow
//! from the calls alone, and never from how fast the host is. Times are those of 1970; owners and modes are one for all.

mod serve;
mod tree;

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use fuser::{BackgroundSession, Config, MountOption};
use rustix::mount::{UnmountFlags, unmount};

use crate::{ChangeKeeper, FileSystem, FsError};
use serve::FuseServer;
use tree::Tree;

/// What the names of these mounts begin with, by which they are known when their program is gone. The kernel keeps no type
/// of a file system for mounts that root makes.
const NAMED: &str = "wordline:";

/// A file system at a directory of this host, served by a thread until it is unmounted.
pub struct FuseMount {
    session: Option<BackgroundSession>,
    tree: Arc<Mutex<Tree>>,
    dir: PathBuf,
}

/// How a file system is shown to programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuseOptions {
    /// What `mount` and `df` call it, behind `wordline:`.
    pub name: String,
    /// Lets the kernel keep what was read, which `mmap` for sharing needs before Linux 6.6: reads of it then do not reach
    /// the memory.
    pub cached: bool,
    /// Lets only what programs ask for reach the file system, for a recording: the kernel keeps names and lengths, and a
    /// close syncs nothing.
    pub recording: bool,
}

/// What can go wrong with a mount.
#[derive(Debug, thiserror::Error)]
pub enum FuseError {
    /// The directory is not there, or no directory, or not empty.
    #[error("{} is no empty directory", .0.display())]
    Directory(PathBuf),
    /// Whoever served the directory is gone, and the kernel shows it still.
    #[error(
        "{} is a mount whose program was killed: take it away with `fusermount3 -u`, or `umount -l` as root", .0.display()
    )]
    LeftBehind(PathBuf),
    /// The kernel refused.
    #[error("{what}: {error}")]
    Kernel {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        error: io::Error,
    },
    /// The file system failed when it was unmounted.
    #[error(transparent)]
    FileSystem(#[from] FsError),
}

impl FuseMount {
    /// Shows a file system at an empty directory.
    ///
    /// # Errors
    /// When the directory is none, or the kernel refuses: without `/dev/fuse`, and for users who may not mount.
    pub fn new(
        fs: Box<dyn FileSystem + Send>,
        dir: &Path,
        options: &FuseOptions,
    ) -> Result<Self, FuseError> {
        Self::kept(fs, None, dir, options)
    }

    /// The same with a keeper, which has what a call changed before the program gets its answer, and keeps what `fsync`
    /// asks for from a power cut of the host as well.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn kept(
        fs: Box<dyn FileSystem + Send>,
        keeper: Option<Box<dyn ChangeKeeper + Send>>,
        dir: &Path,
        options: &FuseOptions,
    ) -> Result<Self, FuseError> {
        check_directory(dir)?;
        let Ok(owner) = fs::metadata(dir) else {
            return Err(FuseError::Directory(dir.to_owned()));
        };
        let tree = Arc::new(Mutex::new(Tree::new(fs, keeper)));
        let served = FuseServer {
            tree: Arc::clone(&tree),
            cached: options.cached,
            recording: options.recording,
            owner: (owner.uid(), owner.gid()),
        };
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName(format!("{NAMED} {}", options.name)),
            MountOption::Subtype("wordline".into()),
            MountOption::NoAtime,
            MountOption::NoDev,
            MountOption::NoSuid,
        ];
        let session = fuser::spawn_mount(served, dir, &config);
        let session = session.map_err(|error| FuseError::Kernel {
            what: "the kernel mounts nothing here",
            error,
        })?;
        Ok(Self {
            session: Some(session),
            tree,
            dir: dir.to_owned(),
        })
    }

    /// Whether it is mounted still: another process may unmount it, as with `umount`.
    #[must_use]
    pub fn is_served(&self) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| !session.guard.is_finished())
    }

    /// Runs something while no call of a program is under way; calls wait meanwhile.
    pub fn between_calls<T>(&self, run: impl FnOnce() -> T) -> T {
        let _tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        run()
    }

    /// The first failure that was no program's fault, in words: that of the memory, of a translation layer that takes no
    /// more writes, or of the keeper.
    #[must_use]
    pub fn failure(&self) -> Option<FsError> {
        let tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        tree.failure().cloned()
    }

    /// Takes the directory away from programs; those that have files open there keep them.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn detach(&mut self) -> Result<(), FuseError> {
        if !self.is_served() {
            return Ok(());
        }
        match unmount(&self.dir, UnmountFlags::DETACH) {
            Ok(()) => Ok(()),
            // Who may not unmount has a program that may, `fusermount3`, which fuser calls.
            Err(rustix::io::Errno::PERM) => self.join(BackgroundSession::umount_and_join),
            // Somebody was faster.
            Err(rustix::io::Errno::INVAL) => Ok(()),
            Err(error) => Err(kernel(error.into())),
        }
    }

    /// Unmounts it, when the last program has closed what it has open there, and the file system itself.
    ///
    /// # Errors
    /// When the kernel refuses, or the file system fails.
    pub fn unmount(mut self) -> Result<(), FuseError> {
        self.detach()?;
        self.join(BackgroundSession::join)?;
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(tree.finish()?)
    }

    fn join(&mut self, how: fn(BackgroundSession) -> io::Result<()>) -> Result<(), FuseError> {
        match self.session.take().map(how) {
            None | Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(kernel(error)),
        }
    }
}

impl std::fmt::Debug for FuseMount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FuseMount")
            .field("dir", &self.dir)
            .field("served", &self.is_served())
            .finish_non_exhaustive()
    }
}

impl Drop for FuseMount {
    fn drop(&mut self) {
        // A failure here cannot be reported.
        let _ = self.detach();
    }
}

/// Whether a file system can be shown at a directory: it is there, and empty.
///
/// # Errors
/// [`FuseError::Directory`], or [`FuseError::LeftBehind`] where the kernel shows a mount whose program is gone.
pub fn check_directory(dir: &Path) -> Result<(), FuseError> {
    match fs::read_dir(dir).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotConnected => {
            Err(FuseError::LeftBehind(dir.to_owned()))
        }
        _ => Err(FuseError::Directory(dir.to_owned())),
    }
}

/// Takes a mount away whose program is gone, where it was one of this library, by its name.
/// Programs that have files open there get errors from then on, as they have since their server ended.
///
/// # Errors
/// [`FuseError::LeftBehind`] where it is of another program, or this user may not.
pub fn clear_left_behind(dir: &Path) -> Result<(), FuseError> {
    let left = || FuseError::LeftBehind(dir.to_owned());
    if !is_ours(dir) {
        return Err(left());
    }
    if unmount(dir, UnmountFlags::DETACH).is_ok() {
        return Ok(());
    }
    // Who may not unmount has a program that may.
    let cleared = Command::new("fusermount3")
        .args(["-u", "-z", "--"])
        .arg(dir)
        .output();
    match cleared {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(left()),
    }
}

/// Whether the last mount at a directory is one of this library.
fn is_ours(dir: &Path) -> bool {
    // A mount without its program answers nothing: only the folder above it says where it is.
    let folder = dir.parent().filter(|path| !path.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    let (Ok(folder), Some(name)) = (folder, dir.file_name()) else {
        return false;
    };
    let place = folder.join(name);
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mut here = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ');
        let (name, at, kind) = (fields.next()?, fields.next()?, fields.next()?);
        let is_ours = name.starts_with(NAMED) && (kind == "fuse" || kind.starts_with("fuse."));
        (Path::new(&plain(at)) == place).then_some(is_ours)
    });
    here.next_back() == Some(true)
}

/// A path as the kernel lists it, without its octal escapes of blanks and backslashes.
fn plain(listed: &str) -> String {
    [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ]
    .iter()
    .fold(listed.to_owned(), |text, (escape, plain)| {
        text.replace(escape, plain)
    })
}

fn kernel(error: io::Error) -> FuseError {
    FuseError::Kernel {
        what: "the kernel does not unmount it",
        error,
    }
}
