//! littlefs in C: with [`super::link`] all of the unsafe code, and outside of the two nothing can break its rules.
//!
//! Everything that C keeps pointers to, the file system, its configuration, its buffers and its open files, lies on
//! the heap, is reached through raw pointers alone as long as C may use it, and is freed when the whole is dropped:
//! littlefs allocates nothing itself, so that it can be left as a power cut leaves it.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_int};
use std::mem::MaybeUninit;
use std::panic::resume_unwind;
use std::ptr::{NonNull, addr_of_mut};

use wordline_littlefs_sys as c;

use super::link::{DriverLink, erase_block, program_block, read_block, sync_blocks};
use super::options::Sizes;
use crate::blocks::Blocks;
use crate::open_files::not_open;
use crate::{Entry, FsError, FsErrorKind, Handle, RamUse};

/// A file system, and its open files.
pub(super) struct Lfs {
    state: NonNull<LfsState>,
    files: BTreeMap<Handle, NonNull<LfsFile>>,
    sizes: Sizes,
    /// Whether the memory panicked within a call. C may then still have pointers to what that call had lent it, such as
    /// a directory on the stack, and is called no more.
    is_dead: bool,
}

// SAFETY: it owns all that it points to, and the memory in it is `Send`; littlefs keeps no state of its own elsewhere.
unsafe impl Send for Lfs {}

/// What C points to while the file system is mounted.
struct LfsState {
    lfs: c::lfs_t,
    config: c::lfs_config,
    link: DriverLink,
    /// Two caches and the map of free blocks, of which C has the addresses.
    _buffers: [Box<[u64]>; 3],
}

/// An open file.
struct LfsFile {
    file: c::lfs_file_t,
    config: c::lfs_file_config,
    _buffer: Box<[u64]>,
    /// Why its content is not what was written to it.
    failed: Option<FsError>,
}

/// Bytes that C may use, aligned for anything.
fn buffer(bytes: u32) -> Box<[u64]> {
    vec![0; (bytes as usize).div_ceil(8)].into_boxed_slice()
}

impl Lfs {
    /// A file system that is not mounted yet.
    pub(super) fn new(blocks: Box<dyn Blocks + Send>, sizes: Sizes) -> Self {
        let mut buffers = [
            buffer(sizes.cache),
            buffer(sizes.cache),
            buffer(sizes.lookahead),
        ];
        let [read, program, map] = &mut buffers;
        let config = c::lfs_config {
            read: Some(read_block),
            prog: Some(program_block),
            erase: Some(erase_block),
            sync: Some(sync_blocks),
            read_size: sizes.read,
            prog_size: sizes.program,
            block_size: sizes.shape.block_bytes,
            block_count: sizes.shape.blocks,
            block_cycles: sizes.cycles,
            cache_size: sizes.cache,
            lookahead_size: sizes.lookahead,
            read_buffer: read.as_mut_ptr().cast(),
            prog_buffer: program.as_mut_ptr().cast(),
            lookahead_buffer: map.as_mut_ptr().cast(),
            metadata_max: sizes.metadata,
            inline_max: sizes.inline,
            ..c::lfs_config::default()
        };
        let state = Box::into_raw(Box::new(LfsState {
            lfs: c::lfs_t::default(),
            config,
            link: DriverLink {
                blocks,
                block_bytes: sizes.shape.block_bytes,
                block_count: sizes.shape.blocks,
                failure: None,
                panic: None,
            },
            _buffers: buffers,
        }));
        // SAFETY: the box was allocated above, and nothing else points to it yet.
        let state = unsafe {
            (*state).config.context = addr_of_mut!((*state).link).cast();
            NonNull::new_unchecked(state)
        };
        Self {
            state,
            files: BTreeMap::new(),
            sizes,
            is_dead: false,
        }
    }

    /// Checks that littlefs can still be called.
    fn check_alive(&self) -> Result<(), FsError> {
        if self.is_dead {
            let why = "the memory panicked in an earlier call: mount again";
            return Err(FsError::new(FsErrorKind::Device, why));
        }
        Ok(())
    }

    /// Calls littlefs. A panic of the memory goes on from here, and was the last call.
    fn call(
        &mut self,
        run: impl FnOnce(*mut c::lfs_t, *const c::lfs_config) -> c_int,
    ) -> Result<u32, FsError> {
        self.check_alive()?;
        let state = self.state.as_ptr();
        // SAFETY: the state lives until `self` is dropped, and no reference to any of it is held while C runs: the
        // callbacks make theirs from the raw pointer in the configuration, one at a time.
        let (code, panic, failure) = unsafe {
            (*state).link.failure = None;
            let code = run(addr_of_mut!((*state).lfs), addr_of_mut!((*state).config));
            let link = &mut (*state).link;
            (code, link.panic.take(), link.failure.take())
        };
        if let Some(panic) = panic {
            self.is_dead = true;
            resume_unwind(panic);
        }
        u32::try_from(code).map_err(|_| meaning(code, failure))
    }

    /// Makes an empty file system.
    pub(super) fn format(&mut self) -> Result<(), FsError> {
        // SAFETY: both pointers are to the state; nothing is mounted.
        self.call(|lfs, config| unsafe { c::lfs_format(lfs, config) })?;
        Ok(())
    }

    /// Mounts; must be the first call.
    pub(super) fn mount(&mut self) -> Result<(), FsError> {
        // SAFETY: as in `format`; both live as long as it is mounted.
        self.call(|lfs, config| unsafe { c::lfs_mount(lfs, config) })?;
        Ok(())
    }

    /// Opens a file, with littlefs's flags.
    pub(super) fn open(&mut self, handle: Handle, path: &str, flags: c_int) -> Result<(), FsError> {
        let path = c_path(path)?;
        // littlefs trusts that a file in its directory fits the cache; a damaged one has up to 1022 bytes.
        let mut cache = buffer(self.sizes.cache.max(1024));
        let file = Box::into_raw(Box::new(LfsFile {
            file: c::lfs_file_t::default(),
            config: c::lfs_file_config {
                buffer: cache.as_mut_ptr().cast(),
                ..c::lfs_file_config::default()
            },
            _buffer: cache,
            failed: None,
        }));
        // SAFETY: it comes from a box. A panic leaves it in the map, and so alive as long as C may know it.
        self.files
            .insert(handle, unsafe { NonNull::new_unchecked(file) });
        // SAFETY: the file is on the heap and stays there until it is closed or littlefs is gone; the path ends with
        // a zero.
        let opened = self.call(|lfs, _| unsafe {
            let config = addr_of_mut!((*file).config);
            c::lfs_file_opencfg(
                lfs,
                addr_of_mut!((*file).file),
                path.as_ptr(),
                flags,
                config,
            )
        });
        if opened.is_err() {
            self.files.remove(&handle);
            // SAFETY: littlefs has forgotten a file that it could not open, and the box is ours again.
            drop(unsafe { Box::from_raw(file) });
        }
        opened.map(drop)
    }

    /// Calls littlefs with an open file.
    fn with(
        &mut self,
        handle: Handle,
        run: impl FnOnce(*mut c::lfs_t, *mut c::lfs_file_t) -> c_int,
    ) -> Result<u32, FsError> {
        let file = self.files.get(&handle).ok_or_else(not_open)?.as_ptr();
        // SAFETY: what is in the map is allocated and open; C alone uses it during the call.
        let done = self.call(|lfs, _| run(lfs, unsafe { addr_of_mut!((*file).file) }));
        // SAFETY: as above; the call is over.
        let file = unsafe { &mut *file };
        if file.file.flags & c::LFS_F_ERRED == 0 {
            file.failed = None;
        } else if let Err(error) = &done {
            file.failed.get_or_insert_with(|| error.clone());
        }
        done
    }

    /// Why an open file cannot be stored, if so: littlefs itself stays silent.
    fn check_stored(&self, handle: Handle) -> Result<(), FsError> {
        let file = self.files.get(&handle).ok_or_else(not_open)?;
        // SAFETY: what is in the map is allocated, and no call is under way.
        match unsafe { &file.as_ref().failed } {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    /// Bytes of an open file.
    pub(super) fn len(&mut self, handle: Handle) -> Result<u32, FsError> {
        // SAFETY: both are valid, as `with` says.
        self.with(handle, |lfs, file| unsafe { c::lfs_file_size(lfs, file) })
    }

    /// Goes to a byte of an open file.
    pub(super) fn seek(&mut self, handle: Handle, at: u32) -> Result<(), FsError> {
        let at = i32::try_from(at).map_err(|_| FsErrorKind::Invalid)?;
        // SAFETY: both are valid, as `with` says.
        self.with(handle, |lfs, file| unsafe {
            c::lfs_file_seek(lfs, file, at, c::LFS_SEEK_SET)
        })?;
        Ok(())
    }

    /// Reads on.
    pub(super) fn read(&mut self, handle: Handle, out: &mut [u8]) -> Result<usize, FsError> {
        let bytes = out.len().min(i32::MAX as usize) as u32;
        // SAFETY: both are valid, as `with` says, and `out` takes as many bytes.
        let count = self.with(handle, |lfs, file| unsafe {
            c::lfs_file_read(lfs, file, out.as_mut_ptr().cast(), bytes)
        })?;
        Ok(count as usize)
    }

    /// Writes on; at most `i32::MAX` bytes.
    pub(super) fn write(&mut self, handle: Handle, data: &[u8]) -> Result<(), FsError> {
        let bytes = i32::try_from(data.len()).map_err(|_| FsErrorKind::Full)? as u32;
        // SAFETY: both are valid, as `with` says, and `data` has as many bytes.
        self.with(handle, |lfs, file| unsafe {
            c::lfs_file_write(lfs, file, data.as_ptr().cast(), bytes)
        })?;
        Ok(())
    }

    /// Cuts or extends an open file.
    pub(super) fn truncate(&mut self, handle: Handle, bytes: u32) -> Result<(), FsError> {
        // SAFETY: both are valid, as `with` says.
        self.with(handle, |lfs, file| unsafe {
            c::lfs_file_truncate(lfs, file, bytes)
        })?;
        Ok(())
    }

    /// Stores an open file.
    pub(super) fn sync(&mut self, handle: Handle) -> Result<(), FsError> {
        // SAFETY: both are valid, as `with` says.
        self.with(handle, |lfs, file| unsafe { c::lfs_file_sync(lfs, file) })?;
        self.check_stored(handle)
    }

    /// Stores an open file, and closes it in any case.
    pub(super) fn close(&mut self, handle: Handle) -> Result<(), FsError> {
        // SAFETY: both are valid, as `with` says.
        let closed = self.with(handle, |lfs, file| unsafe { c::lfs_file_close(lfs, file) });
        let stored = self.check_stored(handle);
        if let Some(file) = self.files.remove(&handle) {
            // SAFETY: littlefs forgets a file that it closes, with an error or without, or is called no more, and the
            // box is ours again.
            drop(unsafe { Box::from_raw(file.as_ptr()) });
        }
        closed.and(stored)
    }

    /// Closes every open file, and says what went wrong first.
    pub(super) fn close_all(&mut self) -> Result<(), FsError> {
        let handles: Vec<Handle> = self.files.keys().copied().collect();
        let mut done = self.check_alive();
        for handle in handles {
            done = done.and(self.close(handle));
        }
        done
    }

    /// Calls littlefs with a path.
    fn at(
        &mut self,
        path: &str,
        run: impl FnOnce(*mut c::lfs_t, &CStr) -> c_int,
    ) -> Result<(), FsError> {
        let path = c_path(path)?;
        self.call(|lfs, _| run(lfs, &path)).map(drop)
    }

    /// Makes a directory.
    pub(super) fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        // SAFETY: littlefs is valid, and the path ends with a zero.
        self.at(path, |lfs, path| unsafe {
            c::lfs_mkdir(lfs, path.as_ptr())
        })
    }

    /// Removes what is at a path.
    pub(super) fn remove(&mut self, path: &str) -> Result<(), FsError> {
        // SAFETY: littlefs is valid, and the path ends with a zero.
        self.at(path, |lfs, path| unsafe {
            c::lfs_remove(lfs, path.as_ptr())
        })
    }

    /// Gives something another path.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let to = c_path(to)?;
        // SAFETY: littlefs is valid, and both paths end with a zero.
        self.at(from, |lfs, from| unsafe {
            c::lfs_rename(lfs, from.as_ptr(), to.as_ptr())
        })
    }

    /// What is at a path.
    pub(super) fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        let mut info = info();
        // SAFETY: littlefs is valid, the path ends with a zero, and `info` is what it fills.
        self.at(path, |lfs, path| unsafe {
            c::lfs_stat(lfs, path.as_ptr(), &mut info)
        })?;
        Ok(entry(&info))
    }

    /// What is in a directory.
    pub(super) fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        let mut dir = MaybeUninit::<c::lfs_dir_t>::zeroed();
        // One pointer for all calls: littlefs keeps it until the directory is closed.
        let dir = dir.as_mut_ptr();
        // SAFETY: the directory lives to the end of this function, and is closed before; after a panic, which leaves it
        // open, littlefs is called no more.
        self.at(path, |lfs, path| unsafe {
            c::lfs_dir_open(lfs, dir, path.as_ptr())
        })?;
        let mut entries = Vec::new();
        let read = loop {
            let mut info = info();
            // SAFETY: the directory is open, and `info` is what it fills.
            match self.call(|lfs, _| unsafe { c::lfs_dir_read(lfs, dir, &mut info) }) {
                Ok(0) => break Ok(()),
                Ok(_) => entries.push(entry(&info)),
                Err(error) => break Err(error),
            }
        };
        // SAFETY: the directory is open; littlefs forgets it here, and no error keeps it.
        let closed = self.call(|lfs, _| unsafe { c::lfs_dir_close(lfs, dir) });
        read.and(closed)?;
        entries.retain(|entry| !matches!(entry.name.as_str(), "." | ".."));
        Ok(entries)
    }

    /// Blocks in use.
    pub(super) fn blocks_used(&mut self) -> Result<u32, FsError> {
        // SAFETY: littlefs is valid and mounted.
        self.call(|lfs, _| unsafe { c::lfs_fs_size(lfs) })
    }

    /// RAM that it needs.
    pub(super) fn ram(&self) -> RamUse {
        let files = self.files.len() as u64;
        RamUse {
            buffers: (2 + files) * u64::from(self.sizes.cache) + u64::from(self.sizes.lookahead),
            structures: super::words::MOUNTED + files * super::words::FILE,
        }
    }
}

impl Drop for Lfs {
    fn drop(&mut self) {
        for file in self.files.values() {
            // SAFETY: each comes from a box, and C is called no more.
            drop(unsafe { Box::from_raw(file.as_ptr()) });
        }
        // SAFETY: it comes from a box, and C, which had all of its buffers from us, is called no more.
        drop(unsafe { Box::from_raw(self.state.as_ptr()) });
    }
}

fn c_path(path: &str) -> Result<CString, FsError> {
    CString::new(path).map_err(|_| FsErrorKind::Name.into())
}

fn info() -> c::lfs_info {
    c::lfs_info {
        r#type: 0,
        size: 0,
        name: [0; c::LFS_NAME_MAX as usize + 1],
    }
}

fn entry(info: &c::lfs_info) -> Entry {
    let name = info.name.iter().take_while(|byte| **byte != 0);
    let name: Vec<u8> = name.map(|byte| *byte as u8).collect();
    Entry {
        name: String::from_utf8_lossy(&name).into_owned(),
        is_dir: info.r#type == c::LFS_TYPE_DIR,
        bytes: u64::from(info.size),
    }
}

/// What an error of littlefs means.
fn meaning(code: c_int, failure: Option<String>) -> FsError {
    let kind = match code {
        c::LFS_ERR_IO => FsErrorKind::Device,
        c::LFS_ERR_CORRUPT => FsErrorKind::Corrupt,
        c::LFS_ERR_NOENT => FsErrorKind::NotFound,
        c::LFS_ERR_EXIST => FsErrorKind::Exists,
        c::LFS_ERR_NOTDIR => FsErrorKind::NotDir,
        c::LFS_ERR_ISDIR => FsErrorKind::IsDir,
        c::LFS_ERR_NOTEMPTY => FsErrorKind::NotEmpty,
        // A name that has no room left in a block is too long to littlefs. Names that are too long, we refuse before.
        c::LFS_ERR_NOSPC | c::LFS_ERR_FBIG | c::LFS_ERR_NAMETOOLONG => FsErrorKind::Full,
        _ => FsErrorKind::Invalid,
    };
    FsError {
        kind,
        detail: failure.unwrap_or_default(),
    }
}
