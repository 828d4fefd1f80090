//! Which files are open, by the paths that were opened.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::{FsError, FsErrorKind, Handle, check_path};

/// Handles that were given out; of each the path as the file system compares paths, and whether it may be written.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    paths: BTreeMap<Handle, (String, bool)>,
    last: u32,
}

impl OpenFiles {
    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.paths.len()
    }

    /// Checks that neither the file nor, of a directory, a file in it is open.
    pub(crate) fn check_closed(&self, path: &str) -> Result<(), FsError> {
        let open = self.paths.values().find(|(open, _)| is_within(open, path));
        match open {
            Some((open, _)) => Err(FsError::new(FsErrorKind::Busy, format_args!("`{open}`"))),
            None => Ok(()),
        }
    }

    /// Checks that a path can be removed, as far as names and open files go.
    pub(crate) fn check_remove(&self, path: &str) -> Result<(), FsError> {
        check_path(path)?;
        check_below_root(path)?;
        self.check_closed(path)
    }

    /// Checks that a path can get another name, as far as names and open files go.
    pub(crate) fn check_rename(&self, from: &str, to: &str) -> Result<(), FsError> {
        check_path(from)?;
        check_path(to)?;
        check_below_root(from)?;
        check_below_root(to)?;
        if from != to && is_within(to, from) {
            let why = "a directory cannot be moved into itself";
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        self.check_closed(from)?;
        self.check_closed(to)
    }

    /// Checks that a file is not open.
    pub(crate) fn check_file(&self, path: &str) -> Result<(), FsError> {
        match self.at(path) {
            Some(_) => Err(FsError::new(FsErrorKind::Busy, format_args!("`{path}`"))),
            None => Ok(()),
        }
    }

    /// The handle of a file that is open.
    pub(crate) fn at(&self, path: &str) -> Option<Handle> {
        let open = self.paths.iter().find(|(_, (open, _))| open == path);
        open.map(|(handle, _)| *handle)
    }

    /// A handle of a file that is open from now on.
    pub(crate) fn add(&mut self, path: String, writable: bool) -> Handle {
        // Four thousand million files later the first numbers are free again.
        loop {
            self.last = self.last.wrapping_add(1);
            let handle = Handle(self.last);
            if let Entry::Vacant(free) = self.paths.entry(handle) {
                free.insert((path, writable));
                return handle;
            }
        }
    }

    /// Checks that a file is open for writing.
    pub(crate) fn check_writable(&self, file: Handle) -> Result<(), FsError> {
        match self.paths.get(&file) {
            Some((_, true)) => Ok(()),
            Some((_, false)) => {
                let why = "the file is open for reading alone";
                Err(FsError::new(FsErrorKind::Invalid, why))
            }
            None => Err(not_open()),
        }
    }

    /// Forgets a handle.
    ///
    /// # Errors
    /// [`FsErrorKind::Invalid`] when it is not open.
    pub(crate) fn remove(&mut self, file: Handle) -> Result<(), FsError> {
        self.paths.remove(&file).map(drop).ok_or_else(not_open)
    }
}

fn check_below_root(path: &str) -> Result<(), FsError> {
    match path {
        "/" => Err(FsError::new(FsErrorKind::Invalid, "it is the root")),
        _ => Ok(()),
    }
}

/// The error for a handle that is not open.
pub(crate) fn not_open() -> FsError {
    FsError::new(FsErrorKind::Invalid, "the file is not open")
}

/// Whether a path is the other one, or leads through it.
pub(crate) fn is_within(path: &str, above: &str) -> bool {
    match path.strip_prefix(above) {
        Some(rest) => rest.is_empty() || rest.starts_with('/') || above == "/",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_file_keeps_the_directories_above_it() {
        let mut files = OpenFiles::default();
        let file = files.add("/a/b".into(), true);
        for busy in ["/a/b", "/a", "/"] {
            let error = files.check_closed(busy).expect_err("open");
            assert_eq!(error.kind, FsErrorKind::Busy, "{busy}");
        }
        for free in ["/a/bc", "/b", "/a/b/c"] {
            assert_eq!(files.check_closed(free), Ok(()), "{free}");
        }
        assert_eq!(files.remove(file), Ok(()));
        assert!(files.remove(file).is_err());
        assert_eq!(files.check_closed("/a"), Ok(()));
    }
}
