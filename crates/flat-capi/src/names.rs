//! Names: directories, removals, renames.

use core::ffi::c_char;

use wordline_c_abi::{clear, last_name, tell_name};
use wordline_flat::{FlatEntry, NAME_BYTES_MAX};

use crate::abi::{FlatStatus, WlFlat, WlFlatDir, WlFlatEntry, status};
use crate::problem::FilesError;
use crate::storage::{CallerFlat, mounted, path};

/// Does something with a path.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
unsafe fn with_path<'p, T>(
    fs: *mut WlFlat,
    name: *const c_char,
    act: impl FnOnce(&mut CallerFlat, &'p str) -> Result<T, FilesError>,
) -> Result<T, FlatStatus> {
    // SAFETY: the caller promises it.
    let (mut fs, name) = unsafe { (mounted(fs)?, path(name)?) };
    let done = act(fs.files, name);
    fs.ended(done)
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
    // SAFETY: the caller promises it.
    status(unsafe { path(to) }.and_then(|to| {
        // SAFETY: the caller promises it.
        unsafe { with_path(fs, from, |files, from| files.rename(from, to)) }
    }))
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
    if entry.is_null() {
        return FlatStatus::BadArgument;
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
    let open = || {
        // SAFETY: the caller promises it.
        unsafe { clear(dir) }?;
        // SAFETY: the caller promises it.
        let opened = unsafe { with_path(fs, name, CallerFlat::open_directory) }?;
        // SAFETY: the caller promises it.
        Ok(unsafe { mounted(fs)?.handles.keep(dir, opened) }?)
    };
    status(open())
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
    let next = || {
        if entry.is_null() {
            return Err(FlatStatus::BadArgument);
        }
        // SAFETY: the caller promises it.
        let mut fs = unsafe { mounted(fs) }?;
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
    status(next())
}
