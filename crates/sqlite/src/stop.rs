//! Statements that end when their caller wants it, however long they would take.

use std::ffi::{c_int, c_void};
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, ffi};

/// Steps of SQLite's virtual machine between two looks at the flag, microseconds each.
const STEPS: c_int = 1000;

/// Runs something with a connection, whose statements end with an error once `stop` is set. A single step of SQLite's
/// virtual machine is not interrupted.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use wordline_engines::HostFiles;
/// use wordline_sqlite::{SqliteSettings, SqliteVfs, stoppable};
///
/// let dir = std::env::temp_dir();
/// let vfs = SqliteVfs::new(Box::new(HostFiles::new(&dir)?), SqliteSettings::default())?;
/// let db = vfs.open("/endless")?;
/// let endless = "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT 1 FROM n) SELECT sum(x) FROM n";
/// let ran = stoppable(&db, Some(&AtomicBool::new(true)), || db.execute_batch(endless));
/// assert_eq!(ran.unwrap_err().to_string(), "interrupted");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stoppable<R>(
    connection: &Connection,
    stop: Option<&AtomicBool>,
    work: impl FnOnce() -> R,
) -> R {
    let Some(stop) = stop else {
        return work();
    };
    let _watch = StopWatch::new(connection, stop);
    work()
}

/// A connection that looks at a flag, until this is dropped.
struct StopWatch<'a>(&'a Connection);

impl<'a> StopWatch<'a> {
    fn new(connection: &'a Connection, stop: &'a AtomicBool) -> Self {
        let stop = from_ref(stop).cast_mut().cast();
        // SAFETY: The connection lives, and the flag lives until the handler is taken away: nobody else has this value, so
        // that it is dropped.
        unsafe { ffi::sqlite3_progress_handler(connection.handle(), STEPS, Some(is_set), stop) };
        Self(connection)
    }
}

impl Drop for StopWatch<'_> {
    fn drop(&mut self) {
        // SAFETY: The connection lives.
        unsafe { ffi::sqlite3_progress_handler(self.0.handle(), 0, None, null_mut()) };
    }
}

/// # Safety
/// `stop` is the flag that [`StopWatch::new`] has passed.
unsafe extern "C" fn is_set(stop: *mut c_void) -> c_int {
    // SAFETY: What the caller promises.
    let stop = unsafe { &*stop.cast::<AtomicBool>() };
    stop.load(Ordering::Relaxed).into()
}
