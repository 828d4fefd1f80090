//! What littlefs in C calls: the memory, behind functions through which no panic passes.

#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use wordline_littlefs_sys as c;

use crate::blocks::{BlockFault, Blocks};

/// What the callbacks need.
pub(super) struct DriverLink {
    pub blocks: Box<dyn Blocks + Send>,
    pub block_bytes: u32,
    pub block_count: u32,
    /// What the memory said when it failed during a call.
    pub failure: Option<String>,
    /// What it panicked with, which must not pass through C.
    pub panic: Option<Box<dyn Any + Send>>,
}

impl DriverLink {
    /// Runs something on the memory for littlefs, and gives its code.
    fn run(
        &mut self,
        (block, at, bytes): (u32, u32, u32),
        work: impl FnOnce(&mut (dyn Blocks + Send)) -> Result<(), BlockFault>,
    ) -> c_int {
        // What is damaged may point anywhere.
        let is_inside = at
            .checked_add(bytes)
            .is_some_and(|end| end <= self.block_bytes);
        if block >= self.block_count || !is_inside {
            return c::LFS_ERR_CORRUPT;
        }
        if self.panic.is_some() {
            return c::LFS_ERR_IO;
        }
        let (code, said) = match catch_unwind(AssertUnwindSafe(|| work(&mut *self.blocks))) {
            Ok(Ok(())) => return c::LFS_ERR_OK,
            Ok(Err(BlockFault::Block(said))) => (c::LFS_ERR_CORRUPT, said),
            Ok(Err(BlockFault::Memory(said))) => (c::LFS_ERR_IO, said),
            Err(panic) => {
                self.panic = Some(panic);
                return c::LFS_ERR_IO;
            }
        };
        self.failure.get_or_insert(said);
        code
    }
}

/// The link behind a configuration.
///
/// # Safety
/// The configuration is that of a living state, and no other reference to its link is held.
unsafe fn link<'a>(config: *const c::lfs_config) -> &'a mut DriverLink {
    // SAFETY: `Lfs::new` has set the context to the link of the state; what the caller promises does the rest.
    unsafe { &mut *(*config).context.cast::<DriverLink>() }
}

/// Reads for littlefs.
///
/// # Safety
/// littlefs calls it with its configuration, and a buffer of as many bytes where there is one.
pub(super) unsafe extern "C" fn read_block(
    config: *const c::lfs_config,
    block: u32,
    at: u32,
    out: *mut c_void,
    bytes: u32,
) -> c_int {
    // SAFETY: littlefs passes its configuration, and a buffer of as many bytes that is its own.
    let (link, out) = unsafe {
        (
            link(config),
            slice::from_raw_parts_mut(out.cast(), bytes as usize),
        )
    };
    link.run((block, at, bytes), |blocks| blocks.read(block, at, out))
}

/// Programs for littlefs.
///
/// # Safety
/// littlefs calls it with its configuration, and a buffer of as many bytes where there is one.
pub(super) unsafe extern "C" fn program_block(
    config: *const c::lfs_config,
    block: u32,
    at: u32,
    data: *const c_void,
    bytes: u32,
) -> c_int {
    // SAFETY: as in `read_block`.
    let (link, data) = unsafe {
        (
            link(config),
            slice::from_raw_parts(data.cast(), bytes as usize),
        )
    };
    link.run((block, at, bytes), |blocks| blocks.program(block, at, data))
}

/// Erases for littlefs.
///
/// # Safety
/// littlefs calls it with its configuration, and a buffer of as many bytes where there is one.
pub(super) unsafe extern "C" fn erase_block(config: *const c::lfs_config, block: u32) -> c_int {
    // SAFETY: as in `read_block`.
    let link = unsafe { link(config) };
    link.run((block, 0, 0), |blocks| blocks.erase(block))
}

/// Syncs for littlefs.
///
/// # Safety
/// littlefs calls it with its configuration, and a buffer of as many bytes where there is one.
pub(super) unsafe extern "C" fn sync_blocks(config: *const c::lfs_config) -> c_int {
    // SAFETY: as in `read_block`.
    let link = unsafe { link(config) };
    link.run((0, 0, 0), |blocks| blocks.sync())
}
