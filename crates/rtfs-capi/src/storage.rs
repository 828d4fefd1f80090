//! What lies in the caller's storage: the file system, open files and directories.

use core::mem::MaybeUninit;
use core::ptr::addr_of;

use wordline_c_abi::{
    CallerBuffer, CallerHandle, CallerStorage, VolumeHandles, fits, next_mount, place,
};
use wordline_rtfs::{PacedDirectory, PacedFile, PacedFiles, PacedSetupError};

use crate::abi::{RtfsProblem, RtfsStatus, WlRtfs, WlRtfsDir, WlRtfsFile};
use crate::flash::{CallerFlash, FlashCode};
use crate::problem::{self, FilesError};

/// The file system behind the header.
pub(crate) type CallerFiles = PacedFiles<CallerFlash, CallerBuffer<u8>>;

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

impl CallerStorage for WlRtfsFile {
    type Content = CallerHandle<PacedFile>;
    const MARK: u64 = 0x574C_7266_6669_6C65;
}

impl CallerStorage for WlRtfsDir {
    type Content = CallerHandle<PacedDirectory>;
    const MARK: u64 = 0x574C_7266_6469_7265;
}

const _: () = assert!(fits::<CallerVolume, WlRtfs>());

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

    /// What is open in a handle of this mount.
    ///
    /// # Safety
    /// As of [`VolumeHandles::open`].
    pub(crate) unsafe fn open<'h, S, T: 'h>(&self, storage: *mut S) -> Result<&'h mut T, RtfsStatus>
    where
        S: CallerStorage<Content = CallerHandle<T>>,
    {
        // SAFETY: the caller promises it.
        unsafe { self.handles().open(storage) }?.ok_or(RtfsStatus::BadHandle)
    }
}
