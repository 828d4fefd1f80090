//! What C hands over is checked here.

use core::ffi::{CStr, c_char, c_void};

/// A pointer is NULL or not aligned, a length is none that objects have, buffers overlap, or a function is missing. Each
/// library has a status for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnusableArgument;

/// A value behind a pointer.
///
/// # Errors
/// The pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or that of such a value.
pub unsafe fn value<T: Copy>(from: *const T) -> Result<T, UnusableArgument> {
    if from.is_null() {
        return Err(UnusableArgument);
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    Ok(unsafe { from.read_unaligned() })
}

/// Returns a value through a pointer, unless it is NULL.
///
/// # Safety
/// The pointer is NULL, or that of such a value, set or not.
pub unsafe fn tell<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { out.write_unaligned(value) };
    }
}

/// Bytes to read from; NULL is no bytes, where there are to be none.
///
/// # Errors
/// The pointer is NULL, or no object is so long.
///
/// # Safety
/// So many bytes are there, not written as long as the result is used.
pub unsafe fn bytes_in<'a>(
    start: *const c_void,
    length: usize,
) -> Result<&'a [u8], UnusableArgument> {
    match length {
        0 => Ok(&[]),
        _ if start.is_null() || length > isize::MAX as usize => Err(UnusableArgument),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest.
        _ => Ok(unsafe { core::slice::from_raw_parts(start.cast(), length) }),
    }
}

/// Bytes to be written; NULL is no bytes, where there are to be none.
///
/// # Errors
/// The pointer is NULL, or no object is so long.
///
/// # Safety
/// So many bytes are there, not touched by others as long as the result is used.
pub unsafe fn bytes_out<'a>(
    start: *mut c_void,
    length: usize,
) -> Result<&'a mut [u8], UnusableArgument> {
    match length {
        0 => Ok(&mut []),
        _ if start.is_null() || length > isize::MAX as usize => Err(UnusableArgument),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest. What C has not
        // set yet are bytes nevertheless, and are not read before they are written.
        _ => Ok(unsafe { core::slice::from_raw_parts_mut(start.cast(), length) }),
    }
}

/// Refuses two buffers that have a byte in common. Looks at no byte of them.
///
/// # Errors
/// They have.
pub fn apart(
    one: *const c_void,
    one_bytes: usize,
    other: *const c_void,
    other_bytes: usize,
) -> Result<(), UnusableArgument> {
    let (one, other) = (one.addr(), other.addr());
    let is_apart = one_bytes == 0
        || other_bytes == 0
        || other.wrapping_sub(one) >= one_bytes && one.wrapping_sub(other) >= other_bytes;
    if is_apart {
        Ok(())
    } else {
        Err(UnusableArgument)
    }
}

/// A text with a zero byte at its end; `None` where it is not UTF-8.
///
/// # Errors
/// The pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or that of such a text, not written as long as the result is used.
pub unsafe fn text<'a>(start: *const c_char) -> Result<Option<&'a str>, UnusableArgument> {
    if start.is_null() {
        return Err(UnusableArgument);
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    Ok(unsafe { CStr::from_ptr(start) }.to_str().ok())
}

/// Room for a name and a zero byte, as entries have it.
pub type NameRoom = [c_char; 256];

/// Copies a name, and a zero byte behind it. The name may lie in the same memory as the room: all of it is read before a byte
/// is written, so that it comes before whatever else is written there.
///
/// # Safety
/// The room is there, set or not. So many bytes of a name are there, 255 at most; no reference to them is used from now on.
pub unsafe fn tell_name(room: *mut NameRoom, name: *const u8, bytes: usize) {
    let to = room.cast::<u8>();
    // SAFETY: the caller promises that both are there, and that the room has a byte more than the name.
    unsafe {
        to.copy_from(name, bytes);
        to.add(bytes).write(0);
    }
}

/// The last name of a path; that of the directory `/` is `/`.
#[must_use]
pub fn last_name(path: &[u8]) -> &[u8] {
    let Some(end) = path.iter().rposition(|byte| *byte != b'/') else {
        return b"/";
    };
    let path = &path[..=end];
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => &path[slash + 1..],
        None => path,
    }
}
