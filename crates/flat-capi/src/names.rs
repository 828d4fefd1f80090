//! Names: directories, removals, renames.

use core::ffi::c_char;

use wordline_c_abi::{clear, last_name, tell_name};
use wordline_flat::{FlatEntry, NAME_BYTES_MAX};

use crate::abi::{FlatStatus, WlFlat, WlFlatDir, WlFlatEntry, status};
use crate::problem::FilesError;
use crate::storage::{CallerFlat, MountedFlat, path, with_mounted};

/// Does something with a path.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
unsafe fn with_path<'p, T>(
    fs: *mut WlFlat,
    name: *const c_char,
    act: impl FnOnce(&mut CallerFlat, &'p str) -> Result<T, FilesError>,
) -> Result<T, FlatStatus> {
    let with = |fs: &mut MountedFlat<'_>| {
        // SAFETY: the caller promises it.
        let name = unsafe { path(name) }?;
        let done = act(fs.files, name);
        fs.ended(done)
    };
    // SAFETY: the caller promises it.
    unsafe { with_mounted(fs, with) }
}

/// Fills an entry. The name may lie in it: the path of a stat is often that of an entry.
///
/// # Safety
/// The pointer is that of an entry, set or not, and the name is there, 255 bytes at most. No reference to it is used from
/// now on.
unsafe fn fill(out: *mut WlFlatEntry, entry: &FlatEntry, (name, bytes): (*const u8, usize)) {
    // SAFETY: the caller promises it. Places are written, and none is read but the name, which comes first.
    unsafe {
        tell_name(&raw mut (*out).name, name, bytes);
        (&raw mut (*out).bytes).write_unaligned(entry.bytes);
        (&raw mut (*out).is_directory).write_unaligned(entry.is_directory.into());
    }
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_mkdir(fs: *mut WlFlat, name: *const c_char) -> FlatStatus {
    // SAFETY: the caller promises it.
    status(unsafe { with_path(fs, name, CallerFlat::make_directory) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_remove(fs: *mut WlFlat, name: *const c_char) -> FlatStatus {
    // SAFETY: the caller promises it.
    status(unsafe { with_path(fs, name, CallerFlat::remove) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_rename(
    fs: *mut WlFlat,
    from: *const c_char,
    to: *const c_char,
) -> FlatStatus {
    let rename = |fs: &mut MountedFlat<'_>| {
        // SAFETY: the caller promises it.
        let (from, to) = unsafe { (path(from)?, path(to)?) };
        let done = fs.files.rename(from, to);
        fs.ended(done)
    };
    // SAFETY: the caller promises it.
    status(unsafe { with_mounted(fs, rename) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_stat(
    fs: *mut WlFlat,
    name: *const c_char,
    entry: *mut WlFlatEntry,
) -> FlatStatus {
    let stat = |fs: &mut MountedFlat<'_>| {
        if entry.is_null() {
            return Err(FlatStatus::BadArgument);
        }
        // SAFETY: the caller promises it.
        let name = unsafe { path(name) }?;
        let done = fs.files.entry(name);
        let found = fs.ended(done)?;
        let last = last_name(name.as_bytes());
        // SAFETY: the entry is not NULL, and the caller promises the rest. What has a name has one of 255 bytes at most.
        unsafe { fill(entry, &found, (last.as_ptr(), last.len())) };
        Ok(())
    };
    // SAFETY: the caller promises it.
    status(unsafe { with_mounted(fs, stat) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_open_dir(
    fs: *mut WlFlat,
    dir: *mut WlFlatDir,
    name: *const c_char,
) -> FlatStatus {
    // Storage that was never set holds nothing from now on, whatever becomes of the call.
    // SAFETY: the caller promises it.
    let cleared = unsafe { clear(dir) };
    let open = |fs: &mut MountedFlat<'_>| {
        cleared?;
        // SAFETY: the caller promises it.
        let name = unsafe { path(name) }?;
        let done = fs.files.open_directory(name);
        let opened = fs.ended(done)?;
        // SAFETY: the caller promises it.
        Ok(unsafe { fs.handles.keep(dir, opened) }?)
    };
    // SAFETY: the caller promises it.
    status(unsafe { with_mounted(fs, open) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_next_entry(
    fs: *mut WlFlat,
    dir: *mut WlFlatDir,
    entry: *mut WlFlatEntry,
) -> FlatStatus {
    let next = |fs: &mut MountedFlat<'_>| {
        if entry.is_null() {
            return Err(FlatStatus::BadArgument);
        }
        // SAFETY: the caller promises it.
        let dir = unsafe { fs.handles.open(dir) }?;
        let mut name = [0; NAME_BYTES_MAX];
        let done = fs
            .files
            .next_entry(dir.ok_or(FlatStatus::BadHandle)?, &mut name);
        let (name, found) = fs.ended(done)?.ok_or(FlatStatus::End)?;
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { fill(entry, &found, (name.as_ptr(), name.len())) };
        Ok(())
    };
    // SAFETY: the caller promises it.
    status(unsafe { with_mounted(fs, next) })
}
