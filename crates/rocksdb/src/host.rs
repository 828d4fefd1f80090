//! The file system, as RocksDB's threads call it.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use wordline_engines::{
    Entry, FileRecorder, FileSystem, FsError, FsErrorKind, Handle, Open, Shared,
};

/// Who learns of calls before they are made, beside the file system.
pub trait CallObserver: Send {
    /// A call comes, with its number from 1. Calls that fail have numbers, too.
    fn call(&mut self, number: u64);

    /// The program ended an operation of its own.
    fn ended(&mut self, operation: &str);
}

/// Operations go into the trace. Under Callgrind the number of a call stands in the place of its instructions, until
/// these are known.
impl<W: Write + Send> CallObserver for Shared<FileRecorder<W>> {
    fn call(&mut self, number: u64) {
        if crate::raw::is_counted() {
            self.borrow().executed(number);
        }
    }

    fn ended(&mut self, operation: &str) {
        self.borrow().ended(operation);
    }
}

/// A file that is open, once for all who opened it.
struct HostedFile {
    path: Arc<str>,
    users: u32,
}

/// A file system that RocksDB has while a database is open.
pub(crate) struct HostedFiles {
    fs: Box<dyn FileSystem + Send>,
    observer: Option<Box<dyn CallObserver>>,
    open: HashMap<u32, HostedFile>,
    by_path: HashMap<Arc<str>, u32>,
}

/// The number of the thread that asks, from 1.
fn thread() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NUMBER: u32 = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    }
    NUMBER.with(|number| *number)
}

impl HostedFiles {
    pub(crate) fn new(
        fs: Box<dyn FileSystem + Send>,
        observer: Option<Box<dyn CallObserver>>,
    ) -> Self {
        Self {
            fs,
            observer,
            open: HashMap::new(),
            by_path: HashMap::new(),
        }
    }

    /// The file system, with its files closed.
    pub(crate) fn into_fs(mut self) -> Box<dyn FileSystem + Send> {
        for file in self.open.into_keys() {
            // What a failed close leaves is what a power cut leaves.
            let _ = self.fs.close(Handle(file));
        }
        self.fs
    }

    /// What comes before every call.
    pub(crate) fn begin(&mut self, number: u64) {
        self.fs.called_by(thread());
        if let Some(observer) = &mut self.observer {
            observer.call(number);
        }
    }

    pub(crate) fn ended(&mut self, operation: &str) {
        if let Some(observer) = &mut self.observer {
            observer.ended(operation);
        }
    }

    /// Opens a file, which RocksDB may read through several openings.
    pub(crate) fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        if let Some(number) = self.by_path.get(path)
            && let Some(shared) = self.open.get_mut(number)
        {
            return match how {
                Open::Read => {
                    shared.users += 1;
                    Ok(Handle(*number))
                }
                _ => Err(FsError::new(FsErrorKind::Busy, format_args!("`{path}`"))),
            };
        }
        let file = self.fs.open(path, how)?;
        let path: Arc<str> = path.into();
        self.by_path.insert(Arc::clone(&path), file.0);
        self.open.insert(file.0, HostedFile { path, users: 1 });
        Ok(file)
    }

    pub(crate) fn close(&mut self, file: Handle) -> Result<(), FsError> {
        let shared = self.open.get_mut(&file.0).ok_or(FsErrorKind::Invalid)?;
        shared.users -= 1;
        if shared.users > 0 {
            return Ok(());
        }
        if let Some(shared) = self.open.remove(&file.0) {
            self.by_path.remove(&shared.path);
        }
        self.fs.close(file)
    }

    /// Reads until `out` is full or the file ends.
    pub(crate) fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        self.fs.read(file, at, out)
    }

    pub(crate) fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        self.fs.entry(path)
    }

    pub(crate) fn files(&mut self) -> &mut dyn FileSystem {
        &mut *self.fs
    }
}
