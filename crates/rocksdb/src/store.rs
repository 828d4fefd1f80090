//! The store.

use wordline_engines::FileSystem;

use crate::host::{CallObserver, HostedFiles};
use crate::raw::Database;

/// Records by key in a RocksDB database.
///
/// ```
/// use wordline_engines::VolatileFiles;
/// use wordline_rocksdb::{RocksOptions, RocksStore};
///
/// let files = VolatileFiles::new(1 << 20);
/// let mut store = RocksStore::open(Box::new(files), &RocksOptions::default(), None)?;
/// store.put(b"key", b"value")?;
/// assert_eq!(store.get(b"key", <[u8]>::len)?, Some(5));
/// # Ok::<(), wordline_rocksdb::RocksError>(())
/// ```
pub struct RocksStore {
    database: Database,
    sync: bool,
}

/// How a database is used. The defaults are RocksDB's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RocksOptions {
    /// The directory of the database.
    pub dir: String,
    /// Whether each put and each removal survives a power cut when it returns.
    pub sync: bool,
    /// Bytes of the table in RAM, at which it goes into a file; `None` for RocksDB's 64 MiB.
    pub write_buffer: Option<usize>,
}

impl Default for RocksOptions {
    fn default() -> Self {
        Self {
            dir: "/db".to_owned(),
            sync: false,
            write_buffer: None,
        }
    }
}

/// What RocksDB says of what it did not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RocksError(String);

/// The library's version: major, minor, patch.
#[must_use]
pub fn version() -> (u32, u32, u32) {
    crate::raw::library_version()
}

impl RocksStore {
    /// Opens the database of a file system, or makes one there. The observer learns of the calls.
    ///
    /// # Errors
    /// When RocksDB cannot open it.
    pub fn open(
        files: Box<dyn FileSystem + Send>,
        options: &RocksOptions,
        observer: Option<Box<dyn CallObserver>>,
    ) -> Result<Self, RocksError> {
        let files = HostedFiles::new(files, observer);
        let write_buffer = options.write_buffer.unwrap_or(0);
        match Database::open(files, &options.dir, write_buffer) {
            Ok(database) => Ok(Self {
                database,
                sync: options.sync,
            }),
            Err((_, why)) => Err(RocksError(why)),
        }
    }

    /// Closes the database, and gives its file system back.
    ///
    /// # Errors
    /// When RocksDB does not close it well.
    pub fn close(self) -> Result<Box<dyn FileSystem + Send>, RocksError> {
        let (files, closed) = self.database.close();
        closed.map(|()| files.into_fs()).map_err(RocksError)
    }

    /// Gives a key a value.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), RocksError> {
        self.database.put(key, value, self.sync).map_err(RocksError)
    }

    /// Removes a record, if there is one.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn remove(&mut self, key: &[u8]) -> Result<(), RocksError> {
        self.database.remove(key, self.sync).map_err(RocksError)
    }

    /// Calls `see` with the value of a key; returns what it returns, and `None` where there is no such record.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn get<T>(
        &mut self,
        key: &[u8],
        see: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, RocksError> {
        let (mut see, mut seen) = (Some(see), None);
        let mut once = |value: &[u8]| seen = see.take().map(|see| see(value));
        self.database.get(key, &mut once).map_err(RocksError)?;
        Ok(seen)
    }

    /// Calls `see` with every key and value, in the order of the keys.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn each(&mut self, see: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), RocksError> {
        let mut key: Option<Vec<u8>> = None;
        let mut part = |bytes: &[u8]| match key.take() {
            None => key = Some(bytes.to_vec()),
            Some(key) => see(&key, bytes),
        };
        self.database.each(&mut part).map_err(RocksError)
    }

    /// Tells the observer that an operation has ended.
    pub fn ended(&mut self, operation: &str) {
        self.database.mark(operation);
    }
}
