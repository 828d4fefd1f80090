//! A file system as a whole: made, mounted, looked at.

use core::ffi::c_void;

use wordline_c_abi::{CallerBuffer, tell, value};
use wordline_memory::Flash;
use wordline_rtfs::{PacedBound, PacedCall, PacedConfig, PacedCounts, PacedFiles, PacedSetupError};

use crate::abi::{
    RtfsBound, RtfsConfig, RtfsCounts, RtfsFlash, RtfsProblem, RtfsSpace, RtfsStatus, WlRtfs,
};
use crate::arguments::status;
use crate::flash::{CallerFlash, FlashCode};
use crate::problem::of_sizes;
use crate::storage::{CallerFiles, clear, keep, mounted};

/// More bytes than any file has: those of as many pages as 32 bits count, of the largest size.
const BYTES_MOST: u64 = 1 << 47;

fn config_of(flash: &CallerFlash, config: &RtfsConfig) -> PacedConfig {
    let mut paced = PacedConfig::usual(&flash.geometry(), config.logical_pages, config.bad_blocks);
    if config.log_entries != 0 {
        paced.log_entries = config.log_entries;
    }
    paced
}

/// # Safety
/// Each pointer is NULL, or that of such a struct.
unsafe fn flash_and_config(
    flash: *const RtfsFlash,
    config: *const RtfsConfig,
) -> Result<(CallerFlash, PacedConfig), RtfsStatus> {
    // SAFETY: the caller promises it.
    let (flash, config) = unsafe { (value(flash)?, value(config)?) };
    let flash = CallerFlash::new(flash)?;
    let config = config_of(&flash, &config);
    Ok((flash, config))
}

const fn bound_for_c(bound: &PacedBound) -> RtfsBound {
    RtfsBound {
        blocks: bound.blocks,
        data_pages: bound.data_pages,
        header_pages: bound.header_pages,
        map_pages: bound.map_pages,
        victim_pages: bound.victim_pages,
        stores: bound.stores,
        retired: bound.retired,
        user_pages: bound.user_pages,
        steps_per_page: bound.steps_per_page,
        erase_parts: bound.erase_parts,
        ram_bytes: bound.ram_bytes as u64,
    }
}

const fn bound_from_c(bound: &RtfsBound) -> PacedBound {
    PacedBound {
        blocks: bound.blocks,
        data_pages: bound.data_pages,
        header_pages: bound.header_pages,
        map_pages: bound.map_pages,
        victim_pages: bound.victim_pages,
        stores: bound.stores,
        retired: bound.retired,
        user_pages: bound.user_pages,
        steps_per_page: bound.steps_per_page,
        erase_parts: bound.erase_parts,
        ram_bytes: bound.ram_bytes as usize,
    }
}

fn counts_for_c(counts: &PacedCounts) -> RtfsCounts {
    RtfsCounts {
        spare_reads: counts.spare_reads,
        reads: counts.pages_read(),
        programs: counts.pages_programmed(),
        moves: counts.moves(),
        erases: counts.erases,
        erase_millionths: counts.erase_millionths,
        suspends: counts.suspends,
    }
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_plan(
    flash: *const RtfsFlash,
    config: *const RtfsConfig,
    bound: *mut RtfsBound,
    problem: *mut RtfsProblem,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    let (flash, config) = match unsafe { flash_and_config(flash, config) } {
        Ok(both) => both,
        Err(status) => return status,
    };
    match config.bound(&flash.geometry()) {
        Ok(found) => {
            // SAFETY: the caller promises it.
            unsafe { tell(bound, bound_for_c(&found.with_erases(flash.erase_mode()))) };
            RtfsStatus::Ok
        }
        Err(error) => {
            let found = of_sizes(&error);
            // SAFETY: the caller promises it.
            unsafe { tell(problem, found) };
            found.status
        }
    }
}

/// The call on files that a number stands for.
const fn call_of(call: u32, bytes: u64) -> Option<PacedCall> {
    let all = PacedCall::all(bytes);
    if (call as usize) < all.len() {
        Some(all[call as usize])
    } else {
        None
    }
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_call_counts(
    flash: *const RtfsFlash,
    config: *const RtfsConfig,
    call: u32,
    bytes: u64,
    names: u32,
    paced: *mut RtfsCounts,
    erasing: *mut RtfsCounts,
    problem: *mut RtfsProblem,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    let (flash, config) = match unsafe { flash_and_config(flash, config) } {
        Ok(both) => both,
        Err(status) => return status,
    };
    // No file has as many bytes as would overflow the counts.
    let call = match call_of(call, bytes) {
        Some(call) if bytes <= BYTES_MOST => call,
        _ => return RtfsStatus::BadArgument,
    };
    match config.files_bound(&flash.geometry()) {
        Ok(bound) => {
            let bound = bound.with_erases(flash.erase_mode());
            let found = bound.counts(call, names.into());
            // SAFETY: the caller promises it.
            unsafe {
                tell(paced, counts_for_c(&found[0]));
                tell(erasing, counts_for_c(&found[1]));
            }
            RtfsStatus::Ok
        }
        Err(sizes) => {
            let found = of_sizes(&sizes);
            // SAFETY: the caller promises it.
            unsafe { tell(problem, found) };
            found.status
        }
    }
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_largest(
    flash: *const RtfsFlash,
    bad_blocks: u32,
    steps_per_page: u32,
) -> u32 {
    // SAFETY: the caller promises it.
    let flash = unsafe { value(flash) }
        .map_err(RtfsStatus::from)
        .and_then(CallerFlash::new);
    let largest = flash.map(|flash| {
        PacedConfig::largest_usual(&flash.geometry(), bad_blocks, steps_per_page).unwrap_or(0)
    });
    largest.unwrap_or(0)
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says, and `memory` is the file system's from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_format(
    fs: *mut WlRtfs,
    flash: *const RtfsFlash,
    config: *const RtfsConfig,
    seed: u32,
    memory: *mut c_void,
    memory_bytes: usize,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    unsafe {
        start(
            fs,
            flash,
            config,
            memory,
            memory_bytes,
            |flash, config, memory| {
                PacedFiles::format(flash, flash.columns(), config, seed, memory)
            },
        )
    }
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says, and `memory` is the file system's from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_mount(
    fs: *mut WlRtfs,
    flash: *const RtfsFlash,
    config: *const RtfsConfig,
    memory: *mut c_void,
    memory_bytes: usize,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    unsafe {
        start(
            fs,
            flash,
            config,
            memory,
            memory_bytes,
            |flash, config, memory| PacedFiles::mount(flash, flash.columns(), config, memory),
        )
    }
}

/// Makes a file system of what is given. Apart for each way of making one, because the stack would have room for both.
///
/// # Safety
/// As of the two functions above.
#[inline(always)]
unsafe fn start(
    fs: *mut WlRtfs,
    flash: *const RtfsFlash,
    config: *const RtfsConfig,
    memory: *mut c_void,
    memory_bytes: usize,
    make: impl FnOnce(
        CallerFlash,
        PacedConfig,
        CallerBuffer<u8>,
    ) -> Result<CallerFiles, PacedSetupError<FlashCode>>,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    let given = unsafe {
        clear(fs)
            .and_then(|()| flash_and_config(flash, config))
            .and_then(|both| Ok((both, CallerBuffer::new(memory.cast(), memory_bytes)?)))
    };
    match given {
        // SAFETY: the caller promises it.
        Ok(((flash, config), memory)) => status(unsafe { keep(fs, make(flash, config, memory)) }),
        Err(status) => status,
    }
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_unmount(fs: *mut WlRtfs) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(unsafe { mounted(fs).and_then(|_| clear(fs)) })
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_space_of(fs: *const WlRtfs, space: *mut RtfsSpace) -> RtfsStatus {
    // SAFETY: the caller promises it; nothing is written to the file system.
    status(unsafe { mounted(fs.cast_mut()) }.map(|mut fs| {
        let files = fs.files();
        let (room, wear) = (files.room(), files.layer().wear());
        let found = RtfsSpace {
            pages: room.pages,
            free_pages: room.free,
            more: room.more.into(),
            page_bytes: files.layer().page_bytes(),
            longest_file: files.longest_file(),
            longest_name: files.longest_name() as u32,
            good_blocks: wear.blocks,
            most_erases: wear.most,
            least_erases: wear.least,
        };
        // SAFETY: the caller promises it.
        unsafe { tell(space, found) };
    }))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_bound_of(fs: *const WlRtfs, bound: *mut RtfsBound) -> RtfsStatus {
    // SAFETY: the caller promises it; nothing is written to the file system.
    status(unsafe { mounted(fs.cast_mut()) }.map(|mut fs| {
        let found = bound_for_c(fs.files().layer().bound());
        // SAFETY: the caller promises it.
        unsafe { tell(bound, found) };
    }))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_work(
    fs: *mut WlRtfs,
    may_erase: u32,
    worked: *mut u32,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(unsafe { mounted(fs) }.and_then(|mut fs| {
        let done = fs.files().work_ahead(may_erase != 0);
        let did = fs.ended(done)?;
        // SAFETY: the caller promises it.
        unsafe { tell(worked, did.into()) };
        Ok(())
    }))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_leave_erase(
    fs: *mut WlRtfs,
    pages: u32,
    left: *mut u32,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(unsafe { mounted(fs) }.and_then(|mut fs| {
        let done = fs.files().layer_mut().leave_erase(pages);
        let did = fs.ended(done)?;
        // SAFETY: the caller promises it.
        unsafe { tell(left, did.into()) };
        Ok(())
    }))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_read_counts(
    bound: *const RtfsBound,
    pages: u32,
    counts: *mut RtfsCounts,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(
        unsafe { value(bound) }
            .map_err(RtfsStatus::from)
            .map(|bound| {
                let found = bound_from_c(&bound).read_counts(pages.into());
                // SAFETY: the caller promises it.
                unsafe { tell(counts, counts_for_c(&found)) };
            }),
    )
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_write_counts(
    bound: *const RtfsBound,
    pages: u32,
    paced: *mut RtfsCounts,
    erasing: *mut RtfsCounts,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(
        unsafe { value(bound) }
            .map_err(RtfsStatus::from)
            .map(|bound| {
                let found = bound_from_c(&bound).write_counts(pages.into());
                // SAFETY: the caller promises it.
                unsafe {
                    tell(paced, counts_for_c(&found[0]));
                    tell(erasing, counts_for_c(&found[1]));
                }
            }),
    )
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_mount_counts(
    bound: *const RtfsBound,
    counts: *mut RtfsCounts,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(
        unsafe { value(bound) }
            .map_err(RtfsStatus::from)
            .map(|bound| {
                let found = bound_from_c(&bound).mount_counts();
                // SAFETY: the caller promises it.
                unsafe { tell(counts, counts_for_c(&found)) };
            }),
    )
}
