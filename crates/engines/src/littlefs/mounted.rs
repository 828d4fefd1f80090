//! A mounted littlefs.

use wordline_littlefs_sys as c;

use super::options::LittleFsOptions;
use super::raw::Lfs;
use crate::open_files::{OpenFiles, is_within};
use crate::{
    Blocks, Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, Space, check_path,
};

/// Bytes of a file at most (`LFS_FILE_MAX`).
const FILE_MAX: u64 = c::LFS_FILE_MAX as u64;

/// Bytes of a name at most (`LFS_NAME_MAX`).
const NAME_MAX: usize = c::LFS_NAME_MAX as usize;

/// A mounted littlefs. A file is open at most once.
///
/// Dropping it leaves the memory as a power cut does; [`unmount`](FileSystem::unmount) stores what is open.
pub struct LittleFs {
    lfs: Option<Lfs>,
    open: OpenFiles,
    /// Bytes in a block, and blocks.
    size: (u64, u64),
}

impl LittleFs {
    /// Makes an empty file system.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`] where the options do not suit the memory, and when the memory fails.
    pub fn format<B>(blocks: B, options: &LittleFsOptions) -> Result<(), FsError>
    where
        B: Blocks + Send + 'static,
    {
        let sizes = options.sizes(blocks.shape())?;
        Lfs::new(Box::new(blocks), sizes).format()
    }

    /// Mounts a file system, with options that may differ from those that it was formatted with.
    ///
    /// # Errors
    /// [`FsErrorKind::Corrupt`] where there is none, [`FsErrorKind::Unsuitable`] where it or the options do not suit
    /// the memory, and when the memory fails.
    pub fn mount<B>(blocks: B, options: &LittleFsOptions) -> Result<Self, FsError>
    where
        B: Blocks + Send + 'static,
    {
        let shape = blocks.shape();
        let sizes = options.sizes(shape)?;
        let mut lfs = Lfs::new(Box::new(blocks), sizes);
        lfs.mount().map_err(|error| match error.kind {
            // It was made for blocks of another size or number, or by a later version.
            FsErrorKind::Invalid => FsErrorKind::Unsuitable.into(),
            _ => error,
        })?;
        Ok(Self {
            lfs: Some(lfs),
            open: OpenFiles::default(),
            size: (shape.block_bytes.into(), shape.blocks.into()),
        })
    }

    fn mounted(&mut self) -> Result<&mut Lfs, FsError> {
        self.lfs.as_mut().ok_or_else(not_mounted)
    }
}

impl std::fmt::Debug for LittleFs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LittleFs")
            .field("mounted", &self.lfs.is_some())
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl FileSystem for LittleFs {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        check_name(path)?;
        self.open.check_file(path)?;
        let lfs = self.lfs.as_mut().ok_or_else(not_mounted)?;
        let handle = self.open.add(path.into(), how != Open::Read);
        let flags = match how {
            Open::Read => c::LFS_O_RDONLY,
            Open::Write => c::LFS_O_RDWR,
            Open::Create => c::LFS_O_RDWR | c::LFS_O_CREAT,
            Open::Replace => c::LFS_O_RDWR | c::LFS_O_CREAT | c::LFS_O_TRUNC,
        };
        match lfs.open(handle, path, flags) {
            Ok(()) => Ok(handle),
            Err(error) => {
                self.open.remove(handle)?;
                Err(error)
            }
        }
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let lfs = self.mounted()?;
        if at >= u64::from(lfs.len(file)?) {
            return Ok(0);
        }
        lfs.seek(file, at as u32)?;
        lfs.read(file, out)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let lfs = self.mounted()?;
        let len = u64::from(lfs.len(file)?);
        if at > len {
            let why = format_args!("byte {at} of a file of {len} bytes");
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        check_len(at + data.len() as u64)?;
        lfs.seek(file, at as u32)?;
        lfs.write(file, data)
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let lfs = self.mounted()?;
        check_len(bytes)?;
        lfs.truncate(file, bytes as u32)
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        self.mounted()?.sync(file)
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        let lfs = self.lfs.as_mut().ok_or_else(not_mounted)?;
        self.open.remove(file)?;
        lfs.close(file)
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        check_name(path)?;
        self.mounted()?.create_dir(path)
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        check_path(path)?;
        if path == "/" {
            return Err(FsError::new(FsErrorKind::Invalid, "it is the root"));
        }
        self.open.check_closed(path)?;
        self.mounted()?.remove(path)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        check_path(from)?;
        check_name(to)?;
        if from == "/" || to == "/" {
            return Err(FsError::new(FsErrorKind::Invalid, "it is the root"));
        }
        // littlefs 2.9 would cut the directory off from the tree.
        if from != to && is_within(to, from) {
            let why = "a directory cannot be moved into itself";
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        self.open.check_closed(from)?;
        self.open.check_closed(to)?;
        self.mounted()?.rename(from, to)
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        check_path(path)?;
        let open = self.open.at(path);
        let lfs = self.mounted()?;
        let mut entry = lfs.entry(path)?;
        if path == "/" {
            entry.name.clear();
        }
        if let Some(file) = open {
            // Its directory has the length of the last sync.
            entry.bytes = lfs.len(file)?.into();
        }
        Ok(entry)
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        check_path(path)?;
        self.mounted()?.list(path)
    }

    fn space(&mut self) -> Result<Space, FsError> {
        let (block_bytes, blocks) = self.size;
        let used = u64::from(self.mounted()?.blocks_used()?);
        // The root and the superblock take the first two blocks.
        Ok(Space {
            total: blocks.saturating_sub(2) * block_bytes,
            free: blocks.saturating_sub(used) * block_bytes,
        })
    }

    fn ram(&self) -> RamUse {
        self.lfs.as_ref().map_or_else(RamUse::default, Lfs::ram)
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        let mut lfs = self.lfs.take().ok_or_else(not_mounted)?;
        self.open = OpenFiles::default();
        // littlefs itself does nothing more.
        lfs.close_all()
    }
}

fn not_mounted() -> FsError {
    FsError::new(FsErrorKind::Invalid, "it is not mounted")
}

/// Checks a path whose last part may be stored.
fn check_name(path: &str) -> Result<(), FsError> {
    check_path(path)?;
    match path.split('/').find(|part| part.len() > NAME_MAX) {
        None => Ok(()),
        Some(part) => Err(FsError::new(
            FsErrorKind::Name,
            format_args!("{} bytes, and {NAME_MAX} at most", part.len()),
        )),
    }
}

fn check_len(bytes: u64) -> Result<(), FsError> {
    if bytes > FILE_MAX {
        let why = "a file of littlefs takes 2 GiB less a byte";
        return Err(FsError::new(FsErrorKind::Full, why));
    }
    Ok(())
}
