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
use std::sync::{Arc, Mutex, PoisonError};

use fuser::{BackgroundSession, Config, MountOption};
use rustix::mount::{UnmountFlags, unmount};

use crate::{FileSystem, FsError};
use serve::FuseServer;
use tree::Tree;

/// A file system at a directory of this host, served by a thread until it is unmounted.
pub struct FuseMount {
    session: Option<BackgroundSession>,
    tree: Arc<Mutex<Tree>>,
    dir: PathBuf,
}

/// How a file system is shown to programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuseOptions {
    /// What `mount` and `df` call it.
    pub name: String,
    /// Lets the kernel keep what was read, which `mmap` for sharing needs on kernels before 6.6: reads of it then do
    /// not reach the memory.
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
        let entries = fs::read_dir(dir);
        let left = |error: &io::Error| error.kind() == io::ErrorKind::NotConnected;
        if entries.as_ref().is_err_and(left) {
            return Err(FuseError::LeftBehind(dir.to_owned()));
        }
        let is_empty = entries.is_ok_and(|mut entries| entries.next().is_none());
        let (true, Ok(owner)) = (is_empty, fs::metadata(dir)) else {
            return Err(FuseError::Directory(dir.to_owned()));
        };
        let tree = Arc::new(Mutex::new(Tree::new(fs)));
        let served = FuseServer {
            tree: Arc::clone(&tree),
            cached: options.cached,
            recording: options.recording,
            owner: (owner.uid(), owner.gid()),
        };
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName(options.name.clone()),
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

fn kernel(error: io::Error) -> FuseError {
    FuseError::Kernel {
        what: "the kernel does not unmount it",
        error,
    }
}
