//! RAM of the caller.

use crate::UnusableArgument;

/// A buffer of the caller's, which is the library's as long as it is used.
#[derive(Debug)]
pub struct CallerBuffer<T> {
    start: *mut T,
    length: usize,
}

impl<T> CallerBuffer<T> {
    /// A buffer of so many values; NULL is none, where there are to be none.
    ///
    /// # Errors
    /// The pointer is NULL or not aligned, or no object is so long.
    ///
    /// # Safety
    /// So many values are there, exclusively until the buffer is no longer used. They are set, or the library writes them
    /// before it reads them.
    pub unsafe fn new(start: *mut T, length: usize) -> Result<Self, UnusableArgument> {
        let is_none = length == 0;
        let is_object = !start.is_null()
            && start.is_aligned()
            && length <= isize::MAX as usize / size_of::<T>();
        if is_none || is_object {
            Ok(Self { start, length })
        } else {
            Err(UnusableArgument)
        }
    }
}

impl<T> AsRef<[T]> for CallerBuffer<T> {
    fn as_ref(&self) -> &[T] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: `new` was promised that these values are there, exclusively, and set before they are read.
        unsafe { core::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T> AsMut<[T]> for CallerBuffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: `new` was promised that these values are there, exclusively.
        unsafe { core::slice::from_raw_parts_mut(self.start, self.length) }
    }
}
