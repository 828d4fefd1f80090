//! What lies in the caller's storage: the file system, open files and directories.

use core::ffi::c_char;
use core::ptr::addr_of;

use wordline_c_abi::{
    CallerBuffer, CallerHandle, CallerMemory, CallerStorage, VolumeHandles, keep, next_mount,
    stored, text,
};
use wordline_flat::{FlatDirectory, FlatFile, FlatFiles};

use crate::abi::{FlatStatus, WlFlat, WlFlatDir, WlFlatFile, WlFlatProblem};
use crate::problem::{self, FilesError};

/// The file system behind the header.
pub(crate) type CallerFlat = FlatFiles<CallerMemory, CallerBuffer<u32>>;

/// What a `wl_flat` holds, once one was mounted in it, or failed to be.
#[derive(Debug)]
pub struct FlatVolume {
    /// What was wrong last.
    problem: WlFlatProblem,
    /// Which mount since the start of the program it is.
    mount: u32,
    /// None where the mount failed.
    files: Option<CallerFlat>,
}

impl CallerStorage for WlFlat {
    type Content = FlatVolume;
    const MARK: u64 = 0x574C_666C_6D6F_756E;
}

impl CallerStorage for WlFlatFile {
    type Content = CallerHandle<FlatFile>;
    const MARK: u64 = 0x574C_666C_6669_6C65;
}

impl CallerStorage for WlFlatDir {
    type Content = CallerHandle<FlatDirectory>;
    const MARK: u64 = 0x574C_666C_6469_7265;
}

/// Puts a file system into storage, or why there is none.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_flat`, set or not.
pub(crate) unsafe fn keep_mounted(
    fs: *mut WlFlat,
    made: Result<CallerFlat, WlFlatProblem>,
) -> Result<(), FlatStatus> {
    let (files, problem) = match made {
        Ok(files) => (Some(files), problem::NONE),
        Err(problem) => (None, problem),
    };
    let volume = FlatVolume {
        problem,
        mount: next_mount(),
        files,
    };
    // SAFETY: the caller promises it.
    unsafe { keep(fs, volume) }?;
    match problem.status {
        FlatStatus::Ok => Ok(()),
        status => Err(status),
    }
}

/// What was wrong last, also where the mount failed.
///
/// # Safety
/// As of [`mounted`].
pub(crate) unsafe fn kept_problem(fs: *mut WlFlat) -> Result<WlFlatProblem, FlatStatus> {
    // SAFETY: the caller promises it.
    let volume = unsafe { stored(fs) }?.ok_or(FlatStatus::NotMounted)?;
    Ok(volume.problem)
}

/// A file system that is mounted.
pub(crate) struct MountedFlat<'a> {
    pub(crate) files: &'a mut CallerFlat,
    problem: &'a mut WlFlatProblem,
    pub(crate) handles: VolumeHandles,
}

/// The file system in storage.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_flat` that was mounted or set to zeros, and that is not used elsewhere meanwhile.
pub(crate) unsafe fn mounted<'a>(fs: *mut WlFlat) -> Result<MountedFlat<'a>, FlatStatus> {
    // SAFETY: the caller promises it.
    let volume = unsafe { stored(fs) }?.ok_or(FlatStatus::NotMounted)?;
    let handles = VolumeHandles {
        volume: addr_of!(*volume).addr(),
        mount: volume.mount,
    };
    let files = volume.files.as_mut().ok_or(FlatStatus::NotMounted)?;
    Ok(MountedFlat {
        files,
        problem: &mut volume.problem,
        handles,
    })
}

impl MountedFlat<'_> {
    /// What a call on the files came to; what was wrong is kept.
    pub(crate) fn ended<T>(&mut self, done: Result<T, FilesError>) -> Result<T, FlatStatus> {
        done.map_err(|error| {
            *self.problem = problem::of(&error);
            self.problem.status
        })
    }
}

/// Does something with a mounted file system; what was wrong is kept, be it with the files or with an argument.
///
/// # Safety
/// As of [`mounted`].
pub(crate) unsafe fn with_mounted<T>(
    fs: *mut WlFlat,
    act: impl FnOnce(&mut MountedFlat<'_>) -> Result<T, FlatStatus>,
) -> Result<T, FlatStatus> {
    // SAFETY: the caller promises it.
    let mut fs = unsafe { mounted(fs) }?;
    let done = act(&mut fs);
    // `ended` kept what was wrong with the files. Problems of arguments with one status are alike.
    if let Err(status) = done
        && status != FlatStatus::End
        && status != fs.problem.status
    {
        *fs.problem = problem::of_argument(status);
    }
    done
}

/// A path, which is UTF-8.
///
/// # Safety
/// The pointer is NULL, or that of a text with a zero byte at its end, not written as long as the result is used.
pub(crate) unsafe fn path<'a>(start: *const c_char) -> Result<&'a str, FlatStatus> {
    // SAFETY: the caller promises it.
    unsafe { text(start) }?.ok_or(FlatStatus::BadName)
}
