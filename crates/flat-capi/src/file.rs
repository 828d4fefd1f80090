//! Files: opened, read, written, cut.

use core::ffi::{c_char, c_void};

use wordline_c_abi::{bytes_in, bytes_out, clear, tell};
use wordline_flat::{FlatFile, FlatOpen};

use crate::abi::{FlatStatus, WlFlat, WlFlatFile, status};
use crate::problem::FilesError;
use crate::storage::{CallerFlat, MountedFlat, path, with_mounted};

const EXISTING: u32 = 0;
const CREATE: u32 = 1;
const REPLACE: u32 = 2;

/// The file of a handle.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
unsafe fn opened(fs: &MountedFlat<'_>, file: *mut WlFlatFile) -> Result<FlatFile, FlatStatus> {
    // SAFETY: the caller promises it.
    let file = unsafe { fs.handles.open(file) }?;
    file.copied().ok_or(FlatStatus::BadHandle)
}

/// Does something with an open file.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
unsafe fn with_file<T>(
    fs: *mut WlFlat,
    file: *mut WlFlatFile,
    act: impl FnOnce(&mut CallerFlat, FlatFile) -> Result<T, FilesError>,
) -> Result<T, FlatStatus> {
    let with = |fs: &mut MountedFlat<'_>| {
        // SAFETY: the caller promises it.
        let file = unsafe { opened(fs, file) }?;
        let done = act(fs.files, file);
        fs.ended(done)
    };
    // SAFETY: the caller promises it.
    unsafe { with_mounted(fs, with) }
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_open(
    fs: *mut WlFlat,
    file: *mut WlFlatFile,
    name: *const c_char,
    mode: u32,
) -> FlatStatus {
    // Storage that was never set holds nothing from now on, whatever becomes of the call.
    // SAFETY: the caller promises it.
    let cleared = unsafe { clear(file) };
    let open = |fs: &mut MountedFlat<'_>| {
        cleared?;
        // SAFETY: the caller promises it.
        let name = unsafe { path(name) }?;
        let how = match mode {
            EXISTING => FlatOpen::Existing,
            CREATE => FlatOpen::Create,
            REPLACE => FlatOpen::Replace,
            _ => return Err(FlatStatus::BadArgument),
        };
        let done = fs.files.open(name, how);
        let opened = fs.ended(done)?;
        // SAFETY: the caller promises it.
        Ok(unsafe { fs.handles.keep(file, opened) }?)
    };
    // SAFETY: the caller promises it.
    status(unsafe { with_mounted(fs, open) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_close(fs: *mut WlFlat, file: *mut WlFlatFile) -> FlatStatus {
    // SAFETY: the caller promises it.
    let closed = unsafe { with_file(fs, file, CallerFlat::close) };
    // SAFETY: the caller promises it.
    status(closed.and_then(|()| Ok(unsafe { clear(file) }?)))
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_read(
    fs: *mut WlFlat,
    file: *mut WlFlatFile,
    at: u64,
    out: *mut c_void,
    bytes: usize,
    got: *mut usize,
) -> FlatStatus {
    let read = |fs: &mut MountedFlat<'_>| {
        // SAFETY: the caller promises it.
        let (out, file) = unsafe { (bytes_out(out, bytes)?, opened(fs, file)?) };
        let done = fs.files.read(file, at, out);
        fs.ended(done)
    };
    // SAFETY: the caller promises it.
    let done = unsafe { with_mounted(fs, read) };
    // SAFETY: the caller promises it.
    unsafe { tell(got, done.unwrap_or(0)) };
    status(done.map(|_| ()))
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_write(
    fs: *mut WlFlat,
    file: *mut WlFlatFile,
    at: u64,
    data: *const c_void,
    bytes: usize,
) -> FlatStatus {
    let write = |fs: &mut MountedFlat<'_>| {
        // SAFETY: the caller promises it.
        let (data, file) = unsafe { (bytes_in(data, bytes)?, opened(fs, file)?) };
        let done = fs.files.write(file, at, data);
        fs.ended(done)
    };
    // SAFETY: the caller promises it.
    status(unsafe { with_mounted(fs, write) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_truncate(
    fs: *mut WlFlat,
    file: *mut WlFlatFile,
    bytes: u64,
) -> FlatStatus {
    // SAFETY: the caller promises it.
    status(unsafe { with_file(fs, file, |files, file| files.truncate(file, bytes)) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_sync(fs: *mut WlFlat, file: *mut WlFlatFile) -> FlatStatus {
    // SAFETY: the caller promises it.
    status(unsafe { with_file(fs, file, CallerFlat::sync) })
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_length(
    fs: *mut WlFlat,
    file: *mut WlFlatFile,
    bytes: *mut u32,
) -> FlatStatus {
    // SAFETY: the caller promises it.
    let done = unsafe { with_file(fs, file, |files, file| files.length(file)) };
    status(done.map(|length| {
        // SAFETY: the caller promises it.
        unsafe { tell(bytes, length) };
    }))
}
