//! Handles in storage of the caller: open files and directories, each of one mount.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::{CallerStorage, UnusableArgument, keep, stored};

/// An open file or directory, and of which mount it is.
#[derive(Debug)]
#[repr(C)]
pub struct CallerHandle<T> {
    of: VolumeHandles,
    open: T,
}

/// Mounts since the start of the program, so that a handle of an earlier one is noticed.
static MOUNTS: AtomicU32 = AtomicU32::new(0);

/// A number that the mount before had not.
#[cfg(target_has_atomic = "32")]
pub fn next_mount() -> u32 {
    MOUNTS.fetch_add(1, Ordering::Relaxed)
}

/// A number that the mount before had not. Two that count at once may get the same number, but not of the same file system.
#[cfg(not(target_has_atomic = "32"))]
pub fn next_mount() -> u32 {
    let mount = MOUNTS.load(Ordering::Relaxed);
    MOUNTS.store(mount.wrapping_add(1), Ordering::Relaxed);
    mount
}

/// The handles of a mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct VolumeHandles {
    /// The address of the mounted file system.
    pub volume: usize,
    /// The number that [`next_mount`] gave it.
    pub mount: u32,
}

impl VolumeHandles {
    /// Puts what was opened into its storage.
    ///
    /// # Errors
    /// The pointer is NULL or not aligned.
    ///
    /// # Safety
    /// The pointer is NULL, or that of such storage, set or not.
    pub unsafe fn keep<S, T>(self, storage: *mut S, open: T) -> Result<(), UnusableArgument>
    where
        S: CallerStorage<Content = CallerHandle<T>>,
    {
        // SAFETY: the caller promises it.
        unsafe { keep(storage, CallerHandle { of: self, open }) }
    }

    /// What is open in a handle of this mount; `None` where nothing is, or something of another mount.
    ///
    /// # Errors
    /// The pointer is NULL or not aligned.
    ///
    /// # Safety
    /// The pointer is NULL, or that of such storage that was opened or set to zeros, and that is not used elsewhere
    /// meanwhile.
    pub unsafe fn open<'h, S, T: 'h>(
        self,
        storage: *mut S,
    ) -> Result<Option<&'h mut T>, UnusableArgument>
    where
        S: CallerStorage<Content = CallerHandle<T>>,
    {
        // SAFETY: the caller promises it.
        let handle = unsafe { stored(storage) }?;
        Ok(handle.and_then(|handle| (handle.of == self).then_some(&mut handle.open)))
    }
}
