//! The VFS, which SQLite knows by a name of its own.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_int};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags, ffi};
use wordline_engines::{FileSystem, FsError};

use crate::random::RandomStream;
use crate::world::{VfsWorld, full_path};
use crate::{SqliteError, SqliteSettings, VfsCounts, VfsFault, WalIndex, calls, library};

/// Longest path in bytes, with its end.
const PATH_BYTES_MAX: c_int = 512;

/// What SQLite and the owner of a VFS share. Connections keep it alive through their mutex.
pub(crate) struct VfsShared {
    /// What SQLite has of it; SQLite changes it, when it registers others.
    vfs: UnsafeCell<ffi::sqlite3_vfs>,
    name: CString,
    pub(crate) settings: SqliteSettings,
    pub(crate) stream: Arc<RandomStream>,
    world: Mutex<VfsWorld>,
}

// SAFETY: SQLite guards its part with a mutex of its own; it points to the name, which does not move, and back to this
// value. The rest is `Send` and `Sync` of itself.
unsafe impl Send for VfsShared {}
// SAFETY: As above.
unsafe impl Sync for VfsShared {}

impl VfsShared {
    pub(crate) fn world(&self) -> MutexGuard<'_, VfsWorld> {
        // What a panic of the file system leaves is marked as broken.
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file system as SQLite uses it, under a name that SQLite knows until this is dropped. Connections may outlive it.
///
/// What SQLite does depends on the [settings](SqliteSettings) and on the calls that are made, and on nothing else.
pub struct SqliteVfs {
    shared: Arc<VfsShared>,
}

impl SqliteVfs {
    /// Makes a file system known to SQLite. The first call in a process configures SQLite, which nothing else may have
    /// used before.
    ///
    /// # Errors
    /// [`SqliteError::Started`], [`SqliteError::Setting`], or [`SqliteError::NotCompiled`].
    pub fn new(
        files: Box<dyn FileSystem + Send>,
        settings: SqliteSettings,
    ) -> Result<Self, SqliteError> {
        check(&settings)?;
        library::start()?;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = CString::new(format!("wordline-{number}")).unwrap_or_default();
        let now_us = settings.start_unix_ms.saturating_mul(1000);
        let shared = Arc::new(VfsShared {
            vfs: UnsafeCell::new(calls::vfs(PATH_BYTES_MAX)),
            name,
            settings,
            stream: Arc::new(RandomStream::new(settings.seed)),
            world: Mutex::new(VfsWorld::new(files, now_us, settings.fault)),
        });
        let vfs = shared.vfs.get();
        // SAFETY: Only this function has it so far. It lives until it is unregistered and its last connection is closed.
        let code = unsafe {
            (*vfs).zName = shared.name.as_ptr();
            (*vfs).pAppData = Arc::as_ptr(&shared).cast_mut().cast();
            ffi::sqlite3_vfs_register(vfs, 0)
        };
        match code {
            ffi::SQLITE_OK => Ok(Self { shared }),
            code => Err(SqliteError::Refused(code)),
        }
    }

    /// Opens a database, which is made where there is none when it is first used. Paths start with `/`.
    ///
    /// A lock that another connection has is an error at once, where the caller sets no
    /// [time](Connection::busy_timeout) to wait for it.
    ///
    /// # Errors
    /// When the path is none of the file system's, or SQLite refuses it.
    pub fn open(&self, path: &str) -> Result<Connection, SqliteError> {
        let path = full_path(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            // The mutex of a connection says whose randomness SQLite draws.
            | OpenFlags::SQLITE_OPEN_FULL_MUTEX;
        let opened = library::opening(&self.shared, || {
            Connection::open_with_flags_and_vfs(path, flags, self.shared.name.as_c_str())
        });
        let opened = opened.and_then(|connection| {
            connection.busy_timeout(std::time::Duration::ZERO)?;
            Ok(connection)
        });
        opened.map_err(|error| self.explain(error))
    }

    /// An error of SQLite with what the file system said beneath it, where that failed.
    #[must_use]
    pub fn explain(&self, error: rusqlite::Error) -> SqliteError {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseCorrupt, DiskFull, NotADatabase, SystemIoFailure,
        };
        let is_below = matches!(
            error.sqlite_error_code(),
            Some(CannotOpen | DatabaseCorrupt | DiskFull | NotADatabase | SystemIoFailure)
        );
        let beneath = self.last_error().filter(|_| is_below);
        SqliteError::Sql { error, beneath }
    }

    /// What SQLite asked of its files so far.
    #[must_use]
    pub fn counts(&self) -> VfsCounts {
        self.shared.world().counts
    }

    /// Bytes of RAM that the indexes of write-ahead logs take.
    #[must_use]
    pub fn wal_index_bytes(&self) -> u64 {
        self.shared.world().wal_index_bytes()
    }

    /// What the file system said when it failed last.
    #[must_use]
    pub fn last_error(&self) -> Option<FsError> {
        self.shared.world().last_error.clone()
    }

    /// Sets the time in milliseconds of the Unix epoch.
    pub fn set_time(&self, unix_ms: i64) {
        self.shared.world().now_us = unix_ms.saturating_mul(1000);
    }

    /// Lends the file system. SQLite must not be called meanwhile, and does not notice what is changed of files that it
    /// has open.
    ///
    /// # Panics
    /// Where `work` does.
    pub fn with_files<R>(&self, work: impl FnOnce(&mut dyn FileSystem) -> R) -> R {
        let mut world = self.shared.world();
        let files = world.files.as_mut();
        work(&mut **files.expect("it is taken only with the VFS"))
    }

    /// The file system, once all connections are closed.
    ///
    /// # Errors
    /// [`SqliteError::ConnectionsOpen`].
    pub fn into_files(self) -> Result<Box<dyn FileSystem + Send>, SqliteError> {
        if Arc::strong_count(&self.shared) > 1 {
            return Err(SqliteError::ConnectionsOpen);
        }
        let files = self.shared.world().files.take();
        files.ok_or(SqliteError::ConnectionsOpen)
    }
}

impl Drop for SqliteVfs {
    fn drop(&mut self) {
        // SAFETY: It was registered, and lives.
        unsafe { ffi::sqlite3_vfs_unregister(self.shared.vfs.get()) };
    }
}

impl fmt::Debug for SqliteVfs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteVfs")
            .field("name", &self.shared.name)
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}

/// Whether SQLite can do what the settings ask for.
fn check(settings: &SqliteSettings) -> Result<(), SqliteError> {
    let traits = settings.traits;
    let sector = settings.sector_bytes;
    if !sector.is_power_of_two() || !(512..=65_536).contains(&sector) {
        return Err(SqliteError::Setting {
            name: "sector_bytes",
            found: sector.into(),
            allowed: "a power of two from 512 to 65536",
        });
    }
    if traits.atomic_sizes & !0x1_FE00 != 0 {
        return Err(SqliteError::Setting {
            name: "atomic_sizes",
            found: traits.atomic_sizes.into(),
            allowed: "a sum of powers of two from 512 to 65536",
        });
    }
    let needs_atomic = traits.atomic_any || traits.atomic_sizes != 0;
    let needs_batch = traits.batch_atomic || settings.fault == Some(VfsFault::ClaimsGroups);
    // SAFETY: Both are texts that end.
    let is_compiled =
        |option: &CStr| unsafe { ffi::sqlite3_compileoption_used(option.as_ptr()) } != 0;
    let (single, batch) = (
        is_compiled(c"ENABLE_ATOMIC_WRITE"),
        is_compiled(c"ENABLE_BATCH_ATOMIC_WRITE"),
    );
    if needs_atomic && !single {
        return Err(SqliteError::NotCompiled {
            setting: "an atomic write",
            flags: "SQLITE_ENABLE_ATOMIC_WRITE",
        });
    }
    if needs_batch && (single || !batch) {
        return Err(SqliteError::NotCompiled {
            setting: "a batch of writes",
            flags: "SQLITE_ENABLE_BATCH_ATOMIC_WRITE and without SQLITE_ENABLE_ATOMIC_WRITE",
        });
    }
    Ok(())
}

impl SqliteSettings {
    /// What SQLite may rely on, as its bits.
    pub(crate) fn characteristics(&self) -> c_int {
        let claims = self.fault == Some(VfsFault::ClaimsGroups);
        let batch = if claims {
            ffi::SQLITE_IOCAP_BATCH_ATOMIC
        } else {
            0
        };
        self.traits.bits() | batch
    }

    /// The methods of files.
    pub(crate) fn methods(&self) -> &'static ffi::sqlite3_io_methods {
        match self.wal_index {
            WalIndex::Ram => &calls::WITH_WAL_INDEX,
            WalIndex::None => &calls::WITHOUT_WAL_INDEX,
        }
    }
}
