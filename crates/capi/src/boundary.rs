//! Where C's pointers become Rust's references, and where nothing that goes wrong leaves but as a status and a message.
//! Beside the `functions` of each interface the only unsafe code.

use std::ffi::{CStr, c_char, c_void};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::message;

/// An argument that is wrong whatever it is an argument of.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadArgument {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0} is no UTF-8")]
    Text(&'static str),
    #[error(
        "the caller's {name} has {found} bytes; expected {least} or more: set its size to sizeof({name})"
    )]
    Size {
        name: &'static str,
        found: u64,
        least: usize,
    },
    #[error("the caller was compiled for ABI {found}; this library has ABI {known}")]
    Abi { found: u64, known: u32 },
    #[error("{0} bytes are more than an address space has")]
    Length(u64),
}

/// Why a call failed, as an interface reports it.
pub(crate) trait BoundaryFailure: Display + From<BadArgument> {
    /// What its functions return.
    type Status;

    /// The status of the failure.
    fn status(&self) -> Self::Status;

    /// A fault of the library.
    fn internal() -> Self;
}

/// Does something, and keeps what went wrong as a message. A panic goes no further: unwinding into C is undefined.
#[inline(always)]
pub(crate) fn guarded<T, F: BoundaryFailure>(
    act: impl FnOnce() -> Result<T, F>,
) -> Result<T, F::Status> {
    // A panic poisons the lock of a memory, so that the state that it leaves is never used.
    let result = catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| Err(F::internal()));
    result.map_err(|fault| {
        message::keep(&fault);
        fault.status()
    })
}

/// A struct that begins with its size, and may grow at its end. Every member is a number or a pointer that may be NULL,
/// so that any bytes make one.
pub(crate) trait Versioned {
    /// As the header calls it.
    const NAME: &'static str;
    /// Bytes that it had when its interface's ABI began.
    const FIRST_SIZE: usize;
}

/// The text behind a pointer; none behind NULL.
///
/// # Safety
/// The pointer is NULL, or that of a text that ends with a NUL byte and lasts as long as the result is used.
pub(crate) unsafe fn text<'a>(
    pointer: *const c_char,
    name: &'static str,
) -> Result<Option<&'a str>, BadArgument> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| BadArgument::Text(name))
}

/// How many bytes of a struct the caller has, by its first member, and how many of them are known here.
///
/// # Safety
/// The pointer is that of a struct whose first member, a `uint64_t`, states how many bytes it has.
unsafe fn known_size<T: Sized + Versioned>(pointer: *const T) -> Result<usize, BadArgument> {
    // SAFETY: the caller promises that the first member is there. It need not be aligned.
    let found = unsafe { pointer.cast::<u64>().read_unaligned() };
    if found < T::FIRST_SIZE as u64 {
        return Err(BadArgument::Size {
            name: T::NAME,
            found,
            least: T::FIRST_SIZE,
        });
    }
    Ok(usize::try_from(found).map_or(size_of::<T>(), |found| found.min(size_of::<T>())))
}

/// Checks a place for a result before something is done for it.
pub(crate) fn check_place<T>(out: *mut T, name: &'static str) -> Result<(), BadArgument> {
    match out.is_null() {
        true => Err(BadArgument::Null(name)),
        false => Ok(()),
    }
}

/// The same of a struct that may be left out.
///
/// # Safety
/// The pointer is NULL, or what [`known_size`] asks for.
pub(crate) unsafe fn check_struct<T: Versioned>(out: *const T) -> Result<(), BadArgument> {
    if !out.is_null() {
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { known_size(out) }?;
    }
    Ok(())
}

/// Writes as much of a struct as the caller's has room for, and no more than is known here. Its first member then says
/// how much was written.
///
/// # Safety
/// The pointer is NULL, or what [`known_size`] asks for.
pub(crate) unsafe fn write_out<T: Copy + Versioned, F: From<BadArgument>>(
    out: *mut T,
    value: impl FnOnce() -> Result<T, F>,
) -> Result<(), F> {
    if out.is_null() {
        return Err(BadArgument::Null(T::NAME).into());
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let bytes = unsafe { known_size(out) }?;
    let value = value()?;
    // SAFETY: the caller promises that so many bytes are there, and `value` has as many; a local value overlaps with
    // nothing of the caller's.
    unsafe {
        std::ptr::from_ref(&value)
            .cast::<u8>()
            .copy_to_nonoverlapping(out.cast::<u8>(), bytes);
        // The value states its own length, which is not the caller's: who went by it would read beyond the struct.
        out.cast::<u64>().write_unaligned(bytes as u64);
    };
    Ok(())
}

/// Reads as much of a struct as the caller has; the rest is as if it were set to 0.
///
/// # Safety
/// The pointer is NULL, or what [`known_size`] asks for.
pub(crate) unsafe fn read_in<T: Copy + Default + Versioned>(
    from: *const T,
    name: &'static str,
) -> Result<T, BadArgument> {
    if from.is_null() {
        return Err(BadArgument::Null(name));
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let bytes = unsafe { known_size(from) }?;
    let mut known = T::default();
    // SAFETY: the caller promises that so many bytes are there, and `known` has room for them; a local value overlaps
    // with nothing of the caller's. Any bytes make a `Versioned`.
    unsafe {
        from.cast::<u8>()
            .copy_to_nonoverlapping((&raw mut known).cast::<u8>(), bytes)
    };
    Ok(known)
}

/// Bytes that are wanted or given, as a length of Rust.
fn length(bytes: u64) -> Result<usize, BadArgument> {
    let length = usize::try_from(bytes).ok();
    let length = length.filter(|length| isize::try_from(*length).is_ok());
    length.ok_or(BadArgument::Length(bytes))
}

/// The caller's bytes to read from. NULL is no bytes, where there are to be none.
///
/// # Safety
/// The pointer is NULL, or so many bytes are there, which are not written as long as the result is used.
pub(crate) unsafe fn bytes_in<'a>(
    data: *const c_void,
    bytes: u64,
) -> Result<&'a [u8], BadArgument> {
    match length(bytes)? {
        0 => Ok(&[]),
        _ if data.is_null() => Err(BadArgument::Null("data")),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest.
        length => Ok(unsafe { std::slice::from_raw_parts(data.cast(), length) }),
    }
}

/// The caller's bytes to be written. NULL is no bytes, where there are to be none.
///
/// # Safety
/// The pointer is NULL, or so many bytes are there, which nothing else accesses as long as the result is used.
pub(crate) unsafe fn bytes_out<'a>(
    out: *mut c_void,
    bytes: u64,
) -> Result<&'a mut [u8], BadArgument> {
    match length(bytes)? {
        0 => Ok(&mut []),
        _ if out.is_null() => Err(BadArgument::Null("out")),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest. What C has not
        // set yet are bytes nevertheless, and are not read before they are written.
        length => Ok(unsafe { std::slice::from_raw_parts_mut(out.cast(), length) }),
    }
}

/// Stores a value where the caller asked for it.
///
/// # Safety
/// The pointer is NULL, or points to such a value.
pub(crate) unsafe fn store<T: Copy>(
    out: *mut T,
    value: T,
    name: &'static str,
) -> Result<(), BadArgument> {
    if out.is_null() {
        return Err(BadArgument::Null(name));
    }
    // SAFETY: it is not NULL, and the caller promises the rest. It need not be aligned.
    unsafe { out.write_unaligned(value) };
    Ok(())
}

/// A pointer of the caller's, which is only handed back.
#[derive(Clone, Copy)]
pub(crate) struct User(*mut c_void);

impl User {
    pub(crate) const fn new(pointer: *mut c_void) -> Self {
        Self(pointer)
    }

    pub(crate) const fn pointer(self) -> *mut c_void {
        self.0
    }
}

// SAFETY: the pointer is never followed here; it is handed back on the thread of the caller who runs the memory, and
// the headers ask that callers see to what it points to.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}
