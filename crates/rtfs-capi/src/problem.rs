//! What went wrong: its status, its values, its text.

use core::ffi::c_char;
use core::ptr;

use wordline_c_abi::tell;
use wordline_rtfs::{FILES_VERSION, PacedError, PacedSetupError, PacedUnsuitable, VERSION};

use crate::abi::{RtfsProblem, RtfsStatus, WlRtfs};
use crate::arguments::status;
use crate::flash::FlashCode;
use crate::storage::kept_problem;

/// What calls on files return.
pub(crate) type FilesError = PacedError<FlashCode>;

// What calls return comes back in two registers of a 32-bit processor. Errors of 40 bytes took 5 KB of code more.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Result<u32, FilesError>>() == 8);

/// Nothing was wrong yet.
pub(crate) const NONE: RtfsProblem = RtfsProblem {
    status: RtfsStatus::Ok,
    code: 0,
    what: ptr::null(),
    what_bytes: 0,
    found: 0,
    least: 0,
    most: 0,
};

/// A problem with values that are allowed.
const fn values(status: RtfsStatus, found: u64, least: u64, most: u64) -> RtfsProblem {
    RtfsProblem {
        status,
        found,
        least,
        most,
        ..NONE
    }
}

const fn plain(status: RtfsStatus) -> RtfsProblem {
    values(status, 0, 0, 0)
}

fn about(problem: RtfsProblem, what: &'static str) -> RtfsProblem {
    RtfsProblem {
        what: what.as_ptr().cast(),
        what_bytes: what.len(),
        ..problem
    }
}

/// The problem that sizes are.
pub(crate) fn of_sizes(sizes: &PacedUnsuitable) -> RtfsProblem {
    let problem = values(RtfsStatus::Unsuitable, sizes.found, sizes.least, sizes.most);
    about(problem, sizes.what)
}

/// The problem that a format or a mount had.
pub(crate) fn of_setup(error: &PacedSetupError<FlashCode>) -> RtfsProblem {
    match *error {
        PacedSetupError::Unsuitable(ref sizes) => of_sizes(sizes),
        PacedSetupError::Memory { needed, given } => {
            values(RtfsStatus::Memory, given as u64, needed as u64, u64::MAX)
        }
        PacedSetupError::NotFormatted => plain(RtfsStatus::Foreign),
        PacedSetupError::NoFiles => plain(RtfsStatus::NoFiles),
        PacedSetupError::Version { found } => {
            let known = VERSION.into();
            values(RtfsStatus::Version, found.into(), known, known)
        }
        PacedSetupError::FileVersion { found } => {
            let known = FILES_VERSION.into();
            values(RtfsStatus::Version, found.into(), known, known)
        }
        PacedSetupError::Differs {
            what,
            stored,
            asked,
        } => {
            let stored = stored.into();
            let problem = values(RtfsStatus::Differs, asked.into(), stored, stored);
            about(problem, what)
        }
        PacedSetupError::Call(error) => of(error, 0),
        _ => plain(RtfsStatus::Other),
    }
}

/// The problem that an error of a call is, on files that may have so many bytes.
pub(crate) fn of(error: FilesError, longest_file: u64) -> RtfsProblem {
    plain(match error {
        PacedError::Flash(FlashCode(code)) => {
            return RtfsProblem {
                code,
                ..plain(RtfsStatus::Flash)
            };
        }
        PacedError::Lost { logical } => return values(RtfsStatus::Lost, logical.into(), 0, 0),
        PacedError::NeedsMount => RtfsStatus::NeedsMount,
        PacedError::WornOut => RtfsStatus::WornOut,
        PacedError::NotFound => RtfsStatus::NotFound,
        PacedError::Exists => RtfsStatus::Exists,
        PacedError::NotADirectory => RtfsStatus::NotADirectory,
        PacedError::IsADirectory => RtfsStatus::IsADirectory,
        PacedError::NotEmpty => RtfsStatus::NotEmpty,
        PacedError::BadName { most } => {
            return values(RtfsStatus::BadName, 0, 1, most as u64);
        }
        PacedError::IntoItself => RtfsStatus::IntoItself,
        PacedError::NoSpace => RtfsStatus::NoSpace,
        PacedError::TooLong { .. } => {
            return values(RtfsStatus::TooLong, 0, 0, longest_file);
        }
        PacedError::TooMany { most } => return values(RtfsStatus::TooMany, 0, 1, most as u64),
        PacedError::Unwritten => RtfsStatus::Unwritten,
        PacedError::Stale => RtfsStatus::Stale,
        PacedError::DirectoryFull => RtfsStatus::DirectoryFull,
        PacedError::Damaged { page } => {
            return values(RtfsStatus::Damaged, page.into(), 0, 0);
        }
        _ => RtfsStatus::Other,
    })
}

/// What statuses mean, by number.
const TEXTS: [&core::ffi::CStr; 30] = [
    c"done",
    c"the directory has no further entry",
    c"an argument is NULL, out of range or not aligned",
    c"no file system is mounted there",
    c"the handle is not open, or of another mount",
    c"the flash failed; mount it again",
    c"an earlier write failed; mount the flash again",
    c"the flash holds no real-time layer; format it first",
    c"the pages hold no file system; format it first",
    c"another version of the format",
    c"the flash was formatted with another configuration",
    c"sizes that do not suit",
    c"the memory is too short",
    c"a page lost more bits than the ECC corrects",
    c"too many blocks failed: files can be read, and not be written",
    c"there is no such file or directory",
    c"the name is taken",
    c"a part of the path is a file",
    c"the path names a directory",
    c"the directory is not empty",
    c"a name is empty, too long, or not UTF-8",
    c"a directory cannot be moved into itself",
    c"no page is free",
    c"the file would be too long",
    c"the file of the handle was removed or renamed",
    c"too many names of a directory begin their hash alike",
    c"a page does not hold what it should",
    c"another error",
    c"parts that become valid together touch too many pages, or one twice",
    c"parts that become valid together lie beyond what is written",
];

const _: () = assert!(TEXTS.len() == RtfsStatus::Unwritten as usize + 1);

/// See `wordline_rtfs.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_rtfs_text(status: i32) -> *const c_char {
    let index = usize::try_from(status).unwrap_or(usize::MAX);
    TEXTS.get(index).unwrap_or(&c"unknown status").as_ptr()
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_problem_of(
    fs: *const WlRtfs,
    problem: *mut RtfsProblem,
) -> RtfsStatus {
    // SAFETY: the caller promises it; nothing is written to the file system.
    status(unsafe { kept_problem(fs.cast_mut()) }.map(|kept| {
        // SAFETY: the caller promises it.
        unsafe { tell(problem, kept) };
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::{declared, named};

    /// Errors of the layer under the files, which only calls on its pages can end with.
    const OF_PAGES: [FilesError; 2] = [
        PacedError::OutOfRange { logical: 1 },
        PacedError::Group { pages: 0 },
    ];

    fn names<E: core::fmt::Debug>(errors: &[E]) -> std::collections::BTreeSet<String> {
        let names = errors.iter().map(|error| named(&format!("{error:?}")));
        names.collect()
    }

    /// `PacedError` is not exhaustive: one that is added needs a status here.
    #[test]
    fn every_error_of_the_files_has_a_status_of_its_own() {
        let errors: [FilesError; 18] = [
            PacedError::Flash(FlashCode(-5)),
            PacedError::Lost { logical: 1 },
            PacedError::NeedsMount,
            PacedError::WornOut,
            PacedError::NotFound,
            PacedError::Exists,
            PacedError::NotADirectory,
            PacedError::IsADirectory,
            PacedError::NotEmpty,
            PacedError::BadName { most: 9 },
            PacedError::IntoItself,
            PacedError::NoSpace,
            PacedError::TooLong { pages: 9 },
            PacedError::TooMany { most: 4 },
            PacedError::Unwritten,
            PacedError::Stale,
            PacedError::DirectoryFull,
            PacedError::Damaged { page: 1 },
        ];
        let mut known = names(&errors);
        known.extend(names(&OF_PAGES));
        assert_eq!(known, declared("../rtfs/src/error.rs", "PacedError"));
        let mut statuses: Vec<_> = errors.map(|error| of(error, 9).status as i32).into();
        assert!(!statuses.contains(&(RtfsStatus::Other as i32)));
        assert!(!statuses.contains(&(RtfsStatus::Ok as i32)));
        statuses.sort_unstable();
        statuses.dedup();
        assert_eq!(statuses.len(), errors.len());
    }

    /// The two versions share a status; what a call failed with has its own.
    #[test]
    fn every_error_of_a_format_or_a_mount_has_a_status() {
        let sizes = PacedUnsuitable {
            what: "blocks",
            found: 1,
            least: 2,
            most: 3,
        };
        let errors = [
            PacedSetupError::Unsuitable(sizes),
            PacedSetupError::Memory {
                needed: 2,
                given: 1,
            },
            PacedSetupError::NotFormatted,
            PacedSetupError::Version { found: 9 },
            PacedSetupError::Differs {
                what: "blocks",
                stored: 1,
                asked: 2,
            },
            PacedSetupError::NoFiles,
            PacedSetupError::FileVersion { found: 9 },
            PacedSetupError::Call(PacedError::NotFound),
        ];
        assert_eq!(
            names(&errors),
            declared("../rtfs/src/error.rs", "PacedSetupError")
        );
        for error in &errors {
            let status = of_setup(error).status;
            assert!(status != RtfsStatus::Other && status != RtfsStatus::Ok);
        }
    }
}
