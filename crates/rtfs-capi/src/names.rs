//! Names: directories, removals, renames.

use core::ffi::c_char;

use wordline_c_abi::{clear, last_name, tell_name};
use wordline_rtfs::PacedEntry;

use crate::abi::{RtfsEntry, RtfsStatus, WlRtfs, WlRtfsDir};
use crate::arguments::{path, status};
use crate::problem::FilesError;
use crate::storage::{CallerFiles, mounted};

/// Does something with a path.
///
/// # Safety
/// As of the two functions that look at the arguments.
unsafe fn with_path<'p, T>(
    fs: *mut WlRtfs,
    name: *const c_char,
    act: impl FnOnce(&mut CallerFiles, &'p str) -> Result<T, FilesError>,
) -> Result<T, RtfsStatus> {
    // SAFETY: the caller promises it.
    let (mut fs, name) = unsafe { (mounted(fs)?, path(name)?) };
    let done = act(fs.files(), name);
    fs.ended(done)
}

/// Fills an entry. The name may lie in it: the path of a stat is often that of an entry.
///
/// # Safety
/// The pointer is that of an entry, set or not, and the name is there, 255 bytes at most. No reference to it is used from
/// now on.
unsafe fn fill(out: *mut RtfsEntry, entry: &PacedEntry, (name, bytes): (*const u8, usize)) {
    // SAFETY: the caller promises it. Places are written, and none is read but the name, which comes first.
    unsafe {
        tell_name(&raw mut (*out).name, name, bytes);
        (&raw mut (*out).bytes).write_unaligned(entry.bytes);
        (&raw mut (*out).is_directory).write_unaligned(entry.is_directory.into());
    }
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_mkdir(fs: *mut WlRtfs, name: *const c_char) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(unsafe { with_path(fs, name, CallerFiles::make_directory) })
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_remove(fs: *mut WlRtfs, name: *const c_char) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(unsafe { with_path(fs, name, CallerFiles::remove) })
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_rename(
    fs: *mut WlRtfs,
    from: *const c_char,
    to: *const c_char,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(unsafe { path(to) }.and_then(|to| {
        // SAFETY: the caller promises it.
        unsafe { with_path(fs, from, |files, from| files.rename(from, to)) }
    }))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_stat(
    fs: *mut WlRtfs,
    name: *const c_char,
    entry: *mut RtfsEntry,
) -> RtfsStatus {
    if entry.is_null() {
        return RtfsStatus::BadArgument;
    }
    // SAFETY: the caller promises it.
    let found = unsafe {
        with_path(fs, name, |files, name| {
            let last = last_name(name.as_bytes());
            Ok((files.entry(name)?, (last.as_ptr(), last.len())))
        })
    };
    status(found.map(|(found, last)| {
        // SAFETY: it is not NULL, and the caller promises the rest. What has a name has one of 255 bytes at most.
        unsafe { fill(entry, &found, last) };
    }))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_open_dir(
    fs: *mut WlRtfs,
    dir: *mut WlRtfsDir,
    name: *const c_char,
) -> RtfsStatus {
    let open = || {
        // SAFETY: the caller promises it.
        unsafe { clear(dir) }?;
        // SAFETY: the caller promises it.
        let opened = unsafe { with_path(fs, name, CallerFiles::open_directory) }?;
        // SAFETY: the caller promises it.
        Ok(unsafe { mounted(fs)?.handles().keep(dir, opened) }?)
    };
    status(open())
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_next_entry(
    fs: *mut WlRtfs,
    dir: *mut WlRtfsDir,
    entry: *mut RtfsEntry,
) -> RtfsStatus {
    let next = || {
        if entry.is_null() {
            return Err(RtfsStatus::BadArgument);
        }
        // SAFETY: the caller promises it.
        let mut fs = unsafe { mounted(fs) }?;
        // SAFETY: the caller promises it.
        let dir = unsafe { fs.open(dir) }?;
        let mut name = [0; 255];
        let done = fs.files().next_entry(dir, &mut name);
        let Some((name, found)) = fs.ended(done)? else {
            return Err(RtfsStatus::End);
        };
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { fill(entry, &found, (name.as_ptr(), name.len())) };
        Ok(())
    };
    status(next())
}
