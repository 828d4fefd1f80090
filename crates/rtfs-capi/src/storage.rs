//! What lies in the caller's storage: the file system, open files and directories.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::addr_of;
use core::sync::atomic::{AtomicU32, Ordering};

use wordline_rtfs::{PacedDirectory, PacedFile, PacedFiles, PacedSetupError};

use crate::abi::{RtfsProblem, RtfsStatus, WlRtfs, WlRtfsDir, WlRtfsFile};
use crate::flash::{CallerFlash, FlashCode};
use crate::problem::{self, FilesError};

/// The caller's memory, which is the file system's as long as it is mounted.
#[derive(Debug)]
pub(crate) struct CallerMemory {
    start: *mut u8,
    length: usize,
}

impl CallerMemory {
    /// # Safety
    /// So many bytes are there, exclusively until the memory is no longer used.
    pub(crate) unsafe fn new(start: *mut c_void, length: usize) -> Result<Self, RtfsStatus> {
        if start.is_null() || length > isize::MAX as usize {
            return Err(RtfsStatus::BadArgument);
        }
        Ok(Self {
            start: start.cast(),
            length,
        })
    }
}

impl AsRef<[u8]> for CallerMemory {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `new` was promised that these bytes are there, exclusively. The file system clears them before it reads.
        unsafe { core::slice::from_raw_parts(self.start, self.length) }
    }
}

impl AsMut<[u8]> for CallerMemory {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: `new` was promised that these bytes are there, exclusively.
        unsafe { core::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

/// The file system behind the header.
pub(crate) type CallerFiles = PacedFiles<CallerFlash, CallerMemory>;

/// What a `wl_rtfs` holds, once one was formatted or mounted in it.
#[repr(C)]
pub(crate) struct CallerVolume {
    /// Distinguishes it from storage in which none was.
    mark: u64,
    /// Which mount since the start of the program it is.
    mount: u32,
    /// What was wrong last.
    pub(crate) problem: RtfsProblem,
    /// Set where the mark says that it is mounted.
    files: MaybeUninit<CallerFiles>,
}

const MOUNTED: u64 = 0x574C_7266_6D6F_756E;
/// Only the problem is there.
const FAILED: u64 = 0x574C_7266_6661_696C;

/// What a `wl_rtfs_file` or a `wl_rtfs_dir` holds, once it was opened.
#[repr(C)]
pub(crate) struct CallerHandle<T> {
    /// Distinguishes it from storage in which none was opened.
    mark: u64,
    /// The file system of which it is.
    volume: usize,
    /// Which mount of it.
    mount: u32,
    open: T,
}

/// What can be open in a handle.
pub(crate) trait HandleContent {
    /// The storage in C.
    type Storage;
    /// Says that one is open.
    const MARK: u64;
}

impl HandleContent for PacedFile {
    type Storage = WlRtfsFile;
    const MARK: u64 = 0x574C_7266_6669_6C65;
}

impl HandleContent for PacedDirectory {
    type Storage = WlRtfsDir;
    const MARK: u64 = 0x574C_7266_6469_7265;
}

/// Whether storage has room for what it is to hold.
pub(crate) const fn fits<T, S>() -> bool {
    size_of::<T>() <= size_of::<S>() && align_of::<T>() <= align_of::<S>()
}

const _: () = assert!(fits::<CallerVolume, WlRtfs>());
const _: () = assert!(fits::<CallerHandle<PacedFile>, WlRtfsFile>());
const _: () = assert!(fits::<CallerHandle<PacedDirectory>, WlRtfsDir>());

/// Mounts since the start of the program, so that a handle of an earlier one is noticed.
static MOUNTS: AtomicU32 = AtomicU32::new(0);

#[cfg(target_has_atomic = "32")]
fn next_mount() -> u32 {
    MOUNTS.fetch_add(1, Ordering::Relaxed)
}

/// Two that count at once may get the same number, but not of the same file system.
#[cfg(not(target_has_atomic = "32"))]
fn next_mount() -> u32 {
    let mount = MOUNTS.load(Ordering::Relaxed);
    MOUNTS.store(mount.wrapping_add(1), Ordering::Relaxed);
    mount
}

/// Whether a pointer can be that of such storage.
pub(crate) fn place<S, T>(storage: *mut S) -> Result<*mut T, RtfsStatus> {
    if storage.is_null() || !storage.is_aligned() {
        return Err(RtfsStatus::BadArgument);
    }
    Ok(storage.cast())
}

/// Puts a file system into storage, or why there is none.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_rtfs`, set or not.
pub(crate) unsafe fn keep(
    storage: *mut WlRtfs,
    made: Result<CallerFiles, PacedSetupError<FlashCode>>,
) -> Result<(), RtfsStatus> {
    let volume = place::<_, CallerVolume>(storage)?;
    let (mark, problem, done) = match &made {
        Ok(_) => (MOUNTED, problem::NONE, Ok(())),
        Err(error) => {
            let problem = problem::of_setup(error);
            (FAILED, problem, Err(problem.status))
        }
    };
    // SAFETY: it is not NULL and aligned, has room, and the caller promises the rest. Each member is written, and none is
    // read.
    unsafe {
        (&raw mut (*volume).mark).write(mark);
        (&raw mut (*volume).mount).write(next_mount());
        (&raw mut (*volume).problem).write(problem);
        if let Ok(files) = made {
            (&raw mut (*volume).files).write(MaybeUninit::new(files));
        }
    }
    done
}

/// Makes storage one in which nothing is mounted.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_rtfs`, set or not.
pub(crate) unsafe fn clear(storage: *mut WlRtfs) -> Result<(), RtfsStatus> {
    let volume = place::<_, CallerVolume>(storage)?;
    // SAFETY: it is not NULL and aligned, and the caller promises the rest.
    unsafe { (&raw mut (*volume).mark).write(0) };
    Ok(())
}

/// The problem that is kept, also where nothing is mounted.
///
/// # Safety
/// As of [`mounted`].
pub(crate) unsafe fn kept_problem(storage: *mut WlRtfs) -> Result<RtfsProblem, RtfsStatus> {
    let volume = place::<_, CallerVolume>(storage)?;
    // SAFETY: it is not NULL and aligned, and its first bytes are set, as the caller promises.
    let mark = unsafe { (&raw const (*volume).mark).read() };
    if mark != MOUNTED && mark != FAILED {
        return Err(RtfsStatus::NotMounted);
    }
    // SAFETY: with one of the marks, `keep` wrote the problem.
    Ok(unsafe { (&raw const (*volume).problem).read() })
}

/// A file system that is mounted.
pub(crate) struct MountedVolume<'a> {
    volume: &'a mut CallerVolume,
}

/// The file system in storage.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_rtfs` that was formatted, mounted or set to zeros, and that is not used elsewhere
/// meanwhile.
pub(crate) unsafe fn mounted<'a>(storage: *mut WlRtfs) -> Result<MountedVolume<'a>, RtfsStatus> {
    let volume = place::<_, CallerVolume>(storage)?;
    // SAFETY: it is not NULL and aligned, and its first bytes are set, as the caller promises. The mark is read before
    // anything is taken for more than bytes.
    let mark = unsafe { (&raw const (*volume).mark).read() };
    if mark != MOUNTED {
        return Err(RtfsStatus::NotMounted);
    }
    // SAFETY: with the mark, `keep` wrote all of it; the caller promises exclusive use.
    let volume = unsafe { &mut *volume };
    Ok(MountedVolume { volume })
}

impl MountedVolume<'_> {
    pub(crate) fn files(&mut self) -> &mut CallerFiles {
        // SAFETY: it is mounted, so that `keep` wrote it.
        unsafe { self.volume.files.assume_init_mut() }
    }

    /// What a call on the files came to; what was wrong is kept.
    pub(crate) fn ended<T>(&mut self, done: Result<T, FilesError>) -> Result<T, RtfsStatus> {
        done.map_err(|error| {
            let longest_file = self.files().longest_file();
            self.volume.problem = problem::of(error, longest_file);
            self.volume.problem.status
        })
    }

    /// Which handles are of this mount.
    pub(crate) fn handles(&self) -> VolumeHandles {
        VolumeHandles {
            volume: addr_of!(*self.volume).addr(),
            mount: self.volume.mount,
        }
    }

    /// Puts what was opened into its storage.
    ///
    /// # Safety
    /// The pointer is NULL, or that of such storage, set or not.
    pub(crate) unsafe fn keep<T: HandleContent>(
        &self,
        storage: *mut T::Storage,
        open: T,
    ) -> Result<(), RtfsStatus> {
        let handle = CallerHandle {
            mark: T::MARK,
            volume: self.handles().volume,
            mount: self.volume.mount,
            open,
        };
        // SAFETY: it is not NULL and aligned, has room, and the caller promises the rest.
        unsafe { place::<_, CallerHandle<T>>(storage)?.write(handle) };
        Ok(())
    }

    /// What is open in a handle of this mount.
    ///
    /// # Safety
    /// As of [`VolumeHandles::open`].
    pub(crate) unsafe fn open<'h, T: HandleContent>(
        &self,
        storage: *mut T::Storage,
    ) -> Result<&'h mut T, RtfsStatus> {
        // SAFETY: the caller promises it.
        unsafe { self.handles().open(storage) }
    }
}

/// The handles of a mount.
#[derive(Clone, Copy)]
pub(crate) struct VolumeHandles {
    volume: usize,
    mount: u32,
}

impl VolumeHandles {
    /// What is open in a handle of this mount.
    ///
    /// # Safety
    /// The pointer is NULL, or that of such storage that was opened or set to zeros, and that is not used elsewhere
    /// meanwhile.
    pub(crate) unsafe fn open<'h, T: HandleContent>(
        &self,
        storage: *mut T::Storage,
    ) -> Result<&'h mut T, RtfsStatus> {
        let handle = place::<_, CallerHandle<T>>(storage)?;
        // SAFETY: it is not NULL and aligned, and its first bytes are set, as the caller promises. The mark is read before
        // anything is taken for more than bytes.
        let mark = unsafe { (&raw const (*handle).mark).read() };
        if mark != T::MARK {
            return Err(RtfsStatus::BadHandle);
        }
        // SAFETY: with the mark, `keep` wrote all of it; the caller promises exclusive use.
        let handle = unsafe { &mut *handle };
        if handle.volume != self.volume || handle.mount != self.mount {
            return Err(RtfsStatus::BadHandle);
        }
        Ok(&mut handle.open)
    }
}

/// Makes storage of a handle one in which nothing is open.
///
/// # Safety
/// The pointer is NULL, or that of such storage, set or not.
pub(crate) unsafe fn close<T: HandleContent>(storage: *mut T::Storage) -> Result<(), RtfsStatus> {
    let handle = place::<_, CallerHandle<T>>(storage)?;
    // SAFETY: it is not NULL and aligned, and the caller promises the rest.
    unsafe { (&raw mut (*handle).mark).write(0) };
    Ok(())
}
