//! Values of the library in storage of the caller.

use crate::UnusableArgument;

/// Storage of the caller, as C has it: words without a meaning.
pub trait CallerStorage: Sized {
    /// What can be kept in it.
    type Content;
    /// Distinguishes storage that holds it from storage that does not.
    const MARK: u64;
    /// That it has room: an assertion that is evaluated where the storage is used.
    const FITS: () = assert!(fits::<Stored<Self::Content>, Self>());
}

/// A value in storage, behind its mark.
#[repr(C)]
struct Stored<T> {
    mark: u64,
    value: T,
}

/// Whether storage has room for what it is to hold.
#[must_use]
pub const fn fits<T, S>() -> bool {
    size_of::<T>() <= size_of::<S>() && align_of::<T>() <= align_of::<S>()
}

/// The place of a value in storage.
///
/// # Errors
/// The pointer is NULL or not aligned.
pub fn place<S, T>(storage: *mut S) -> Result<*mut T, UnusableArgument> {
    if storage.is_null() || !storage.is_aligned() {
        return Err(UnusableArgument);
    }
    Ok(storage.cast())
}

/// Makes storage one that holds nothing.
///
/// # Errors
/// The pointer is NULL or not aligned.
///
/// # Safety
/// The pointer is NULL, or that of such storage, set or not.
pub unsafe fn clear<S: CallerStorage>(storage: *mut S) -> Result<(), UnusableArgument> {
    let () = S::FITS;
    let stored = place::<_, Stored<S::Content>>(storage)?;
    // SAFETY: it is not NULL and aligned, and the caller promises the rest.
    unsafe { (&raw mut (*stored).mark).write(0) };
    Ok(())
}

/// Puts a value into storage.
///
/// # Errors
/// The pointer is NULL or not aligned.
///
/// # Safety
/// As of [`clear`].
pub unsafe fn keep<S: CallerStorage>(
    storage: *mut S,
    value: S::Content,
) -> Result<(), UnusableArgument> {
    let () = S::FITS;
    let mark = S::MARK;
    // SAFETY: it is not NULL and aligned, has room, and the caller promises the rest.
    unsafe { place::<_, Stored<S::Content>>(storage)?.write(Stored { mark, value }) };
    Ok(())
}

/// The value in storage; `None` where there is none.
///
/// # Errors
/// The pointer is NULL or not aligned.
///
/// # Safety
/// The pointer is NULL, or that of such storage in which a value was kept or that was set to zeros, and that is not used
/// elsewhere meanwhile.
pub unsafe fn stored<'a, S: CallerStorage>(
    storage: *mut S,
) -> Result<Option<&'a mut S::Content>, UnusableArgument> {
    let () = S::FITS;
    let stored = place::<_, Stored<S::Content>>(storage)?;
    // SAFETY: it is not NULL and aligned, and its first bytes are set, as the caller promises. The mark is read before
    // anything is taken for more than bytes.
    let mark = unsafe { (&raw const (*stored).mark).read() };
    if mark != S::MARK {
        return Ok(None);
    }
    // SAFETY: with the mark, `keep` wrote all of it; the caller promises exclusive use.
    Ok(Some(unsafe { &mut (*stored).value }))
}
