//! What went wrong: its status, its values, its text.

use core::ffi::c_char;

use wordline_c_abi::{MemoryCode, tell};
use wordline_flat::{EXTENTS_MAX, FlatError, NAME_BYTES_MAX, VERSION};

use crate::abi::{FlatStatus, WlFlat, WlFlatProblem, status};
use crate::storage::kept_problem;

/// What calls on files return.
pub(crate) type FilesError = FlatError<MemoryCode>;

/// Nothing was wrong yet.
pub(crate) const NONE: WlFlatProblem = WlFlatProblem {
    status: FlatStatus::Ok,
    code: 0,
    found: 0,
    least: 0,
    most: 0,
};

/// A problem with values that are allowed.
const fn values(status: FlatStatus, found: u64, least: u64, most: u64) -> WlFlatProblem {
    WlFlatProblem {
        status,
        found,
        least,
        most,
        ..NONE
    }
}

const fn plain(status: FlatStatus) -> WlFlatProblem {
    values(status, 0, 0, 0)
}

/// The problem that an argument is, of which neither files nor memory were asked.
pub(crate) fn of_argument(status: FlatStatus) -> WlFlatProblem {
    match status {
        FlatStatus::BadName => of(&FlatError::BadName),
        _ => plain(status),
    }
}

/// The problem that an error is.
pub(crate) fn of(error: &FilesError) -> WlFlatProblem {
    plain(match *error {
        FlatError::Memory(MemoryCode(code)) => {
            return WlFlatProblem {
                status: FlatStatus::Memory,
                code,
                ..NONE
            };
        }
        FlatError::Version { version, .. } => {
            let known = VERSION.into();
            return values(FlatStatus::Version, version.into(), known, known);
        }
        FlatError::Truncated { needed, bytes } => {
            return values(FlatStatus::Truncated, bytes, needed, u64::MAX);
        }
        FlatError::Corrupt { slot } => return values(FlatStatus::Corrupt, slot.into(), 0, 0),
        FlatError::Atom { atom, unit_bytes } => {
            return values(FlatStatus::Atom, atom, 1, unit_bytes.into());
        }
        FlatError::Capacity { needed, bytes } => {
            return values(FlatStatus::Capacity, bytes, needed, 1 << 32);
        }
        FlatError::Ram { needed, words } => {
            return values(FlatStatus::Ram, words, needed, u64::MAX);
        }
        FlatError::Fragmented { extents } => {
            return values(
                FlatStatus::Fragmented,
                extents.into(),
                1,
                EXTENTS_MAX.into(),
            );
        }
        FlatError::TooManyOpen { open_files } => {
            return values(FlatStatus::TooManyOpen, 0, 0, open_files.into());
        }
        FlatError::PastEnd { at, bytes } => return values(FlatStatus::PastEnd, at, 0, bytes),
        FlatError::BadName => return values(FlatStatus::BadName, 0, 1, NAME_BYTES_MAX as u64),
        FlatError::Foreign => FlatStatus::Foreign,
        FlatError::DamagedHeader => FlatStatus::BadHeader,
        // Its values are those that the caller just gave: a mount knows it as a damaged header, and no other call keeps it.
        FlatError::Shape { .. } => FlatStatus::Shape,
        FlatError::NotFound => FlatStatus::NotFound,
        FlatError::Exists => FlatStatus::Exists,
        FlatError::IsADirectory => FlatStatus::IsADirectory,
        FlatError::NotADirectory => FlatStatus::NotADirectory,
        FlatError::NotEmpty => FlatStatus::NotEmpty,
        FlatError::IntoItself => FlatStatus::IntoItself,
        FlatError::NoSpace => FlatStatus::NoSpace,
        FlatError::NoRecords => FlatStatus::NoRecords,
        FlatError::TooLong => FlatStatus::TooLong,
        FlatError::Busy => FlatStatus::Busy,
        FlatError::NotOpen => FlatStatus::BadHandle,
        _ => FlatStatus::Other,
    })
}

/// What statuses mean, by number.
const TEXTS: [&core::ffi::CStr; 30] = [
    c"done",
    c"the directory has no further entry",
    c"an argument is NULL, out of range or not aligned",
    c"no file system is mounted there",
    c"the handle is not open, or of another mount",
    c"the memory failed; mount it again",
    c"the memory holds no files; format it first",
    c"another version of the format",
    c"the memory ends before the files do",
    c"the header of the files is damaged",
    c"a record is damaged",
    c"the atom of the memory must be a power of two, and no larger than a unit",
    c"units have 64 bytes to 1 MiB, a power of two; 16 records or more, 1 to 48 extents",
    c"the memory is too short, or longer than 4 GiB",
    c"the RAM is too short",
    c"there is no such file or directory",
    c"the name is taken",
    c"a part of the path is a file",
    c"the path names a directory",
    c"the directory is not empty",
    c"a path begins with /, and its parts have 1 to 255 bytes of UTF-8, none of them . or ..",
    c"a directory cannot be moved into itself",
    c"not enough units are free",
    c"not enough records are free",
    c"the file may have no more extents",
    c"a file has less than 4 GiB",
    c"the file is open",
    c"there is RAM for no more open files",
    c"a write begins behind the end of its file",
    c"another error",
];

const _: () = assert!(TEXTS.len() == FlatStatus::Other as usize + 1);

/// See `wordline_flat.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_flat_text(status: i32) -> *const c_char {
    let index = usize::try_from(status).unwrap_or(usize::MAX);
    TEXTS.get(index).unwrap_or(&c"unknown status").as_ptr()
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_problem_of(
    fs: *const WlFlat,
    problem: *mut WlFlatProblem,
) -> FlatStatus {
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

    /// `FlatError` is not exhaustive: one that is added needs a status here.
    #[test]
    fn every_error_of_the_files_has_a_status_of_its_own() {
        let errors: [FilesError; 25] = [
            FlatError::Memory(MemoryCode(-5)),
            FlatError::Foreign,
            FlatError::Version {
                version: 2,
                features: 0,
            },
            FlatError::Truncated {
                needed: 2,
                bytes: 1,
            },
            FlatError::DamagedHeader,
            FlatError::Corrupt { slot: 0 },
            FlatError::Atom {
                atom: 3,
                unit_bytes: 64,
            },
            FlatError::Shape {
                unit_bytes: 65,
                records: 16,
                extents: 1,
            },
            FlatError::Capacity {
                needed: 2,
                bytes: 1,
            },
            FlatError::Ram {
                needed: 2,
                words: 1,
            },
            FlatError::NotFound,
            FlatError::Exists,
            FlatError::IsADirectory,
            FlatError::NotADirectory,
            FlatError::NotEmpty,
            FlatError::BadName,
            FlatError::IntoItself,
            FlatError::NoSpace,
            FlatError::NoRecords,
            FlatError::Fragmented { extents: 8 },
            FlatError::TooLong,
            FlatError::Busy,
            FlatError::TooManyOpen { open_files: 2 },
            FlatError::NotOpen,
            FlatError::PastEnd { at: 2, bytes: 1 },
        ];
        let listed = errors.iter().map(|error| named(&format!("{error:?}")));
        assert_eq!(
            listed.collect::<std::collections::BTreeSet<_>>(),
            declared("../flat/src/error.rs", "FlatError")
        );
        let mut statuses: Vec<_> = errors.map(|error| of(&error).status as i32).into();
        assert!(!statuses.contains(&(FlatStatus::Other as i32)));
        assert!(!statuses.contains(&(FlatStatus::Ok as i32)));
        statuses.sort_unstable();
        statuses.dedup();
        assert_eq!(statuses.len(), errors.len());
    }
}
