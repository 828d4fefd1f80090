//! Files: opened, read, written, cut.

use core::ffi::{c_char, c_void};

use wordline_c_abi::{bytes_in, bytes_out, clear, tell};
use wordline_flat::{FlatFile, FlatOpen};

use crate::abi::{FlatStatus, WlFlat, WlFlatFile, status};
use crate::problem::FilesError;
use crate::storage::{CallerFlat, mounted, path};

const EXISTING: u32 = 0;
const CREATE: u32 = 1;
const REPLACE: u32 = 2;

/// Does something with an open file.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
unsafe fn with_file<T>(
    fs: *mut WlFlat,
    file: *mut WlFlatFile,
    act: impl FnOnce(&mut CallerFlat, FlatFile) -> Result<T, FilesError>,
) -> Result<T, FlatStatus> {
    // SAFETY: the caller promises it.
    let mut fs = unsafe { mounted(fs) }?;
    // SAFETY: the caller promises it.
    let file = unsafe { fs.handles.open(file) }?;
    let done = act(fs.files, *file.ok_or(FlatStatus::BadHandle)?);
    fs.ended(done)
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
    let open = || {
        // SAFETY: the caller promises it.
        unsafe { clear(file) }?;
        // SAFETY: the caller promises it.
        let (mut fs, name) = unsafe { (mounted(fs)?, path(name)?) };
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
    status(open())
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
    let read = || {
        // SAFETY: the caller promises it.
        let out = unsafe { bytes_out(out, bytes) }?;
        // SAFETY: the caller promises it.
        unsafe { with_file(fs, file, |files, file| files.read(file, at, out)) }
    };
    let done = read();
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
    let write = || {
        // SAFETY: the caller promises it.
        let data = unsafe { bytes_in(data, bytes) }?;
        // SAFETY: the caller promises it.
        unsafe { with_file(fs, file, |files, file| files.write(file, at, data)) }
    };
    status(write())
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
