//! What C hands over is looked at here.

use core::ffi::{CStr, c_char, c_void};

use crate::abi::RtfsStatus;

/// The status that a call ends with.
pub(crate) fn status(done: Result<(), RtfsStatus>) -> RtfsStatus {
    match done {
        Ok(()) => RtfsStatus::Ok,
        Err(status) => status,
    }
}

/// A value behind a pointer.
///
/// # Safety
/// The pointer is NULL, or that of such a value.
pub(crate) unsafe fn value<T: Copy>(from: *const T) -> Result<T, RtfsStatus> {
    if from.is_null() {
        return Err(RtfsStatus::BadArgument);
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    Ok(unsafe { from.read_unaligned() })
}

/// Returns a value through a pointer, unless it is NULL.
///
/// # Safety
/// The pointer is NULL, or that of such a value, set or not.
pub(crate) unsafe fn tell<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { out.write_unaligned(value) };
    }
}

/// Bytes to read from; NULL is no bytes, where there are to be none.
///
/// # Safety
/// So many bytes are there, not written as long as the result is used.
pub(crate) unsafe fn bytes_in<'a>(
    start: *const c_void,
    length: usize,
) -> Result<&'a [u8], RtfsStatus> {
    match length {
        0 => Ok(&[]),
        _ if start.is_null() || length > isize::MAX as usize => Err(RtfsStatus::BadArgument),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest.
        _ => Ok(unsafe { core::slice::from_raw_parts(start.cast(), length) }),
    }
}

/// Bytes to be written; NULL is no bytes, where there are to be none.
///
/// # Safety
/// So many bytes are there, not touched by others as long as the result is used.
pub(crate) unsafe fn bytes_out<'a>(
    start: *mut c_void,
    length: usize,
) -> Result<&'a mut [u8], RtfsStatus> {
    match length {
        0 => Ok(&mut []),
        _ if start.is_null() || length > isize::MAX as usize => Err(RtfsStatus::BadArgument),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest. What C has not
        // set yet are bytes nevertheless, and are not read before they are written.
        _ => Ok(unsafe { core::slice::from_raw_parts_mut(start.cast(), length) }),
    }
}

/// A path, which is UTF-8.
///
/// # Safety
/// The pointer is NULL, or that of a text with a zero byte at its end, not written as long as the result is used.
pub(crate) unsafe fn path<'a>(start: *const c_char) -> Result<&'a str, RtfsStatus> {
    if start.is_null() {
        return Err(RtfsStatus::BadArgument);
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(start) };
    text.to_str().map_err(|_| RtfsStatus::BadName)
}
