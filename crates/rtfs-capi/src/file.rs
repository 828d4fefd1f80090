//! Files: opened, read, written, cut.

use core::ffi::{c_char, c_void};

use wordline_c_abi::{UnusableArgument, bytes_in, bytes_out, clear, tell, value};
use wordline_rtfs::{PacedFile, PacedOpen};

use crate::abi::{RtfsPart, RtfsStatus, WlRtfs, WlRtfsFile};
use crate::arguments::{path, status};
use crate::problem::FilesError;
use crate::storage::{CallerFiles, mounted};

const CREATE: u32 = 1;
const EXCLUSIVE: u32 = 2;
const TRUNCATE: u32 = 4;

/// Does something with an open file.
///
/// # Safety
/// As of the two functions that look at the handles.
unsafe fn with_file<T>(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    act: impl FnOnce(&mut CallerFiles, &mut PacedFile) -> Result<T, FilesError>,
) -> Result<T, RtfsStatus> {
    // SAFETY: the caller promises it.
    let mut fs = unsafe { mounted(fs) }?;
    // SAFETY: the caller promises it.
    let file = unsafe { fs.open(file) }?;
    let done = act(fs.files(), file);
    fs.ended(done)
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_open(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    name: *const c_char,
    flags: u32,
) -> RtfsStatus {
    let open = || {
        // SAFETY: the caller promises it.
        unsafe { clear(file) }?;
        // SAFETY: the caller promises it.
        let mut fs = unsafe { mounted(fs) }?;
        // SAFETY: the caller promises it.
        let name = unsafe { path(name) }?;
        if flags & !(CREATE | EXCLUSIVE | TRUNCATE) != 0 {
            return Err(RtfsStatus::BadArgument);
        }
        let how = PacedOpen {
            create: flags & CREATE != 0,
            exclusive: flags & EXCLUSIVE != 0,
            truncate: flags & TRUNCATE != 0,
        };
        let done = fs.files().open(name, how);
        let opened = fs.ended(done)?;
        // SAFETY: the caller promises it.
        Ok(unsafe { fs.handles().keep(file, opened) }?)
    };
    status(open())
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_close(fs: *mut WlRtfs, file: *mut WlRtfsFile) -> RtfsStatus {
    // SAFETY: the caller promises it.
    let opened = unsafe { with_file(fs, file, |_, _| Ok(())) };
    // SAFETY: the caller promises it.
    status(opened.and_then(|()| Ok(unsafe { clear(file) }?)))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_read(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    at: u64,
    out: *mut c_void,
    bytes: usize,
    got: *mut usize,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    let done = unsafe { bytes_out(out, bytes) }
        .map_err(RtfsStatus::from)
        .and_then(|out| {
            // SAFETY: the caller promises it.
            unsafe { with_file(fs, file, |files, file| files.read(file, at, out)) }
        });
    // SAFETY: the caller promises it.
    unsafe { tell(got, done.unwrap_or(0)) };
    status(done.map(|_| ()))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_write(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    at: u64,
    data: *const c_void,
    bytes: usize,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(
        unsafe { bytes_in(data, bytes) }
            .map_err(RtfsStatus::from)
            .and_then(|data| {
                // SAFETY: the caller promises it.
                unsafe { with_file(fs, file, |files, file| files.write(file, at, data)) }
            }),
    )
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_append(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    data: *const c_void,
    bytes: usize,
    at: *mut u64,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(
        unsafe { bytes_in(data, bytes) }
            .map_err(RtfsStatus::from)
            .and_then(|data| {
                // SAFETY: the caller promises it.
                let start = unsafe { with_file(fs, file, |files, file| files.append(file, data)) }?;
                // SAFETY: the caller promises it.
                unsafe { tell(at, start) };
                Ok(())
            }),
    )
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_truncate(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    bytes: u64,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    status(unsafe { with_file(fs, file, |files, file| files.truncate(file, bytes)) })
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_discard_front(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    bytes: u64,
    gone: *mut u64,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    let done = unsafe { with_file(fs, file, |files, file| files.discard_front(file, bytes)) };
    // SAFETY: the caller promises it.
    unsafe { tell(gone, done.unwrap_or(0)) };
    status(done.map(|_| ()))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_length(
    fs: *mut WlRtfs,
    file: *mut WlRtfsFile,
    bytes: *mut u64,
) -> RtfsStatus {
    // SAFETY: the caller promises it.
    let done = unsafe { with_file(fs, file, CallerFiles::length) };
    status(done.map(|length| {
        // SAFETY: the caller promises it.
        unsafe { tell(bytes, length) };
    }))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_write_together(
    fs: *mut WlRtfs,
    parts: *const RtfsPart,
    count: usize,
) -> RtfsStatus {
    let write = || {
        // SAFETY: the caller promises it.
        let mut fs = unsafe { mounted(fs) }?;
        if parts.is_null() && count > 0 {
            return Err(RtfsStatus::BadArgument);
        }
        let handles = fs.handles();
        let mut together = fs.files().together();
        let done = (0..count).try_for_each(|index| {
            // SAFETY: the caller promises so many parts.
            let part = unsafe { value(parts.wrapping_add(index)) }?;
            // SAFETY: the caller promises it; the handle of the part before is no longer used.
            let file = unsafe { handles.open(part.file) }?;
            let file = file.ok_or(TogetherFailure::Status(RtfsStatus::BadHandle))?;
            // SAFETY: the caller promises it.
            let data = unsafe { bytes_in(part.data, part.bytes) }?;
            together
                .part(file, part.at, data)
                .map_err(TogetherFailure::Files)
        });
        match done.and_then(|()| together.write().map_err(TogetherFailure::Files)) {
            Ok(()) => Ok(()),
            Err(TogetherFailure::Status(status)) => Err(status),
            Err(TogetherFailure::Files(error)) => fs.ended(Err(error)),
        }
    };
    status(write())
}

/// Why a write of several parts ended early: by an argument, or by the files.
enum TogetherFailure {
    Status(RtfsStatus),
    Files(FilesError),
}

impl From<UnusableArgument> for TogetherFailure {
    fn from(argument: UnusableArgument) -> Self {
        Self::Status(argument.into())
    }
}
