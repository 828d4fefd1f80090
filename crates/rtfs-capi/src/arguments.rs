//! What calls end with, and paths.

use core::ffi::c_char;

use wordline_c_abi::text;

use crate::abi::RtfsStatus;

/// The status that a call ends with.
pub(crate) fn status(done: Result<(), RtfsStatus>) -> RtfsStatus {
    match done {
        Ok(()) => RtfsStatus::Ok,
        Err(status) => status,
    }
}

/// A path, which is UTF-8.
///
/// # Safety
/// The pointer is NULL, or that of a text with a zero byte at its end, not written as long as the result is used.
pub(crate) unsafe fn path<'a>(start: *const c_char) -> Result<&'a str, RtfsStatus> {
    // SAFETY: the caller promises it.
    unsafe { text(start) }?.ok_or(RtfsStatus::BadName)
}
