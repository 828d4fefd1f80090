//! Results by content: what was simulated once is not simulated again.
//!
//! A [`Store`] is a folder. Each complete simulated document lies there under a [`StoreKey`]: a hash of the experiment, of
//! the sheets of the user's own that it reads, of the files that it reads, and of the simulation itself, whose sources are
//! hashed when the program is built. So no result of other inputs or of another version is ever taken for one of these.
//! What was measured is neither kept nor taken.
//!
//! Writers need no lock, on one machine or on several that share the folder: an entry is written beside its place, made
//! durable, and renamed. Each carries its own length and hash, which are checked when it is read.

mod entry;
mod key;

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use wordline_catalog::Catalog;
use wordline_core::{Experiment, ResultSet};

pub(crate) use key::KeyMaker;
pub use key::StoreKey;

use crate::control::Control;
use crate::error::LabError;

/// Says which layout a folder has.
const MARK: &str = "wordline-store.json";

/// Beginning of the names of files that only show that a folder can be written.
const PROBE: &str = "probe";

/// The layout that is read and written.
const LAYOUT: u64 = 1;

/// Attempts to write an entry whose file somebody else removes.
const ATTEMPTS: u32 = 5;

/// How much older than a finished entry a file of another writer has to be to count as left by a killed one.
const LEFT: Duration = Duration::from_secs(3600);

/// A hash of the simulation: of its sources and data, the versions of its libraries, its features and its processor.
pub const MODELS: &str = env!("WORDLINE_MODELS");

/// A folder of results.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultStoreError {
    /// It cannot be read or written.
    #[error("the store {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The folder holds something else.
    #[error(
        "{} is not a store of results, because it holds other files; allowed: an empty folder, one that does not exist yet, or a store",
        .0.display()
    )]
    Other(PathBuf),
    /// It has another layout.
    #[error("the store {} has layout {found}; this version reads layout {LAYOUT}", folder.display())]
    Layout {
        /// The store.
        folder: PathBuf,
        /// Its layout.
        found: String,
    },
}

/// A document, and whether it was in the store.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// The document.
    pub document: ResultSet,
    /// Whether nothing was run.
    pub was_stored: bool,
}

impl Store {
    /// Opens a folder as a store; one that does not exist, or is empty, becomes one.
    ///
    /// # Errors
    /// When it holds something else, has another layout, or cannot be written.
    pub fn open(folder: &Path) -> Result<Self, ResultStoreError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| ResultStoreError::Io { path, source }
        };
        fs::create_dir_all(folder).map_err(at(folder))?;
        let mark = folder.join(MARK);
        let store = Self {
            folder: folder.to_owned(),
        };
        match read_file(&mark) {
            Ok(bytes) => store.check_mark(&String::from_utf8_lossy(&bytes.unwrap_or_default()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut entries = fs::read_dir(folder).map_err(at(folder))?;
                let is_other = entries.any(|entry| {
                    entry.is_ok_and(|entry| !is_of_store(&entry.file_name().to_string_lossy()))
                });
                // Another writer may have made the mark meanwhile.
                if is_other && !mark.exists() {
                    return Err(ResultStoreError::Other(folder.to_owned()));
                }
                let text = format!("{{ \"wordline_store\": {LAYOUT} }}\n");
                store.put_file(&mark, text.as_bytes()).map_err(at(&mark))?;
            }
            Err(error) => return Err(at(&mark)(error)),
        }
        // A store that cannot be written is named before hours of work.
        let (file, path) = new_beside(&store.folder.join(PROBE)).map_err(at(folder))?;
        drop(file);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&path)(error)),
            _ => Ok(store),
        }
    }

    fn check_mark(&self, text: &str) -> Result<(), ResultStoreError> {
        let found = serde_json::from_str::<serde_json::Value>(text).ok();
        let found = found.and_then(|mark| mark.get("wordline_store").cloned());
        match found.as_ref().and_then(serde_json::Value::as_u64) {
            Some(LAYOUT) => Ok(()),
            _ => Err(ResultStoreError::Layout {
                folder: self.folder.clone(),
                found: found.map_or_else(|| "unknown".to_owned(), |found| found.to_string()),
            }),
        }
    }

    fn place(&self, key: &StoreKey) -> PathBuf {
        let (first, rest) = key.hex().split_at(2);
        self.folder.join(first).join(format!("{rest}.json"))
    }

    /// The document of a key. An entry that is damaged counts as none: it is written anew.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn get(&self, key: &StoreKey) -> Result<Option<ResultSet>, ResultStoreError> {
        let path = self.place(key);
        match read_file(&path) {
            Ok(bytes) => Ok(bytes.and_then(|bytes| entry::read(key, &bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ResultStoreError::Io { path, source }),
        }
    }

    /// Keeps a document under its key, for good once this returns. What is measured or incomplete is not kept.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn put(&self, key: &StoreKey, document: &ResultSet) -> Result<(), ResultStoreError> {
        let Some(bytes) = entry::written(key, document) else {
            return Ok(());
        };
        let path = self.place(key);
        let folder = path.parent().unwrap_or(&self.folder).to_owned();
        let kept = fs::create_dir_all(&folder).and_then(|()| self.put_file(&path, &bytes));
        kept.map_err(|source| ResultStoreError::Io { path, source })
    }

    /// Writes a file so that readers see all of it or none.
    fn put_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut attempt = 1;
        loop {
            let (mut file, beside) = new_beside(path)?;
            let written = file
                .write_all(bytes)
                .and_then(|()| file.sync_all())
                .and_then(|()| fs::rename(&beside, path));
            match written {
                Ok(()) => break,
                // Somebody took it for what a killed writer had left.
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => {
                    attempt += 1;
                }
                Err(error) => {
                    // The first failure is what counts.
                    let _ = fs::remove_file(&beside);
                    return Err(error);
                }
            }
        }
        clear(path);
        sync_folder(path.parent().unwrap_or(&self.folder))
    }

    /// Runs an experiment whose defaults are complete, unless its document is here already, and keeps the document.
    ///
    /// # Errors
    /// As [`run`](crate::run); and when the store cannot be read or written.
    pub fn run(
        &self,
        catalog: &Catalog,
        experiment: &Experiment,
        control: &Control<'_>,
    ) -> Result<StoredRun, LabError> {
        self.run_with(&KeyMaker::new(), catalog, experiment, control)
    }

    pub(crate) fn run_with(
        &self,
        keys: &KeyMaker,
        catalog: &Catalog,
        experiment: &Experiment,
        control: &Control<'_>,
    ) -> Result<StoredRun, LabError> {
        let key = keys.key(catalog, experiment, control)?;
        if let Some(key) = &key
            && let Some(document) = self.get(key)?
        {
            return Ok(StoredRun {
                document,
                was_stored: true,
            });
        }
        let document = crate::run(catalog, experiment, control)?;
        // A file may have become another one since its content went into the key.
        if let Some(key) = &key
            && matches!(KeyMaker::new().key(catalog, experiment, control), Ok(Some(again)) if again == *key)
        {
            self.put(key, &document)?;
        }
        Ok(StoredRun {
            document,
            was_stored: false,
        })
    }
}

/// Whether a name in the folder is one of the store's own: entries' folders, and what writers left that were killed.
fn is_of_store(name: &str) -> bool {
    let is_part = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_left = name.starts_with(MARK) || name.starts_with(PROBE);
    is_part || is_left && name.ends_with(END_OF_PART) || name == MARK
}

/// No entry is larger: it is one document.
const ENTRY_BYTES_MAX: u64 = 1 << 30;

/// Reads a regular file. `None` for anything else, such as a FIFO or a device, and for a file larger than any entry.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let about = fs::metadata(path)?;
    if !about.is_file() || about.len() > ENTRY_BYTES_MAX {
        return Ok(None);
    }
    fs::read(path).map(Some)
}

/// End of the names of files that are not finished.
const END_OF_PART: &str = ".part";

/// A new file beside a path. Its name is unique among all writers, those on other machines that share the folder included.
fn new_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    loop {
        // The standard library has no other source of randomness. No result depends on it.
        let drawn = RandomState::new().hash_one(&name);
        let beside = path.with_file_name(format!("{name}.{drawn:016x}{END_OF_PART}"));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)
        {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Removes what killed writers left of an entry that was just written, long ago by the clock of the folder.
fn clear(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return;
    };
    let time = |path: &Path| fs::metadata(path).and_then(|of| of.modified()).ok();
    let Some(now) = time(path) else {
        return;
    };
    let beginning = format!("{}.", name.to_string_lossy());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        let age = time(&entry.path()).and_then(|begun| now.duration_since(begun).ok());
        let is_left = age.is_some_and(|age| age > LEFT);
        if is_left && found.starts_with(&beginning) && found.ends_with(END_OF_PART) {
            // Somebody else may have removed it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes names of a folder durable, where the system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
