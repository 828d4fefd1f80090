//! The link to RocksDB, which `shim.cc` implements: the only unsafe code of this crate.
//!
//! RocksDB calls the file system from its own threads. The link serializes these calls, and [`HostedFiles`] is `Send`
//! as its file system and its observer are. Pointers that come with a call are valid during it. A panic that reaches a
//! function called from C++ ends the process.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::slice;

use wordline_engines::{FsError, FsErrorKind, Handle, Open};

use crate::host::HostedFiles;

/// Bytes that the caller of a function owns.
#[repr(C)]
#[derive(Clone, Copy)]
struct WlBytes {
    data: *const u8,
    bytes: usize,
}

impl WlBytes {
    const fn of(bytes: &[u8]) -> Self {
        Self {
            data: bytes.as_ptr(),
            bytes: bytes.len(),
        }
    }

    /// # Safety
    /// They must be readable and unchanged for as long as the result is used.
    unsafe fn get<'a>(self) -> &'a [u8] {
        match self.bytes {
            0 => &[],
            // SAFETY: as the caller promises.
            bytes => unsafe { slice::from_raw_parts(self.data, bytes) },
        }
    }

    /// # Safety
    /// As for [`get`](Self::get).
    unsafe fn path(self) -> Result<String, FsError> {
        // SAFETY: as the caller promises.
        let bytes = unsafe { self.get() };
        let path = std::str::from_utf8(bytes).map_err(|_| FsErrorKind::Name)?;
        // RocksDB joins paths with too many slashes.
        let parts = path.split('/').filter(|part| !part.is_empty());
        let clean: String = parts.flat_map(|part| ["/", part]).collect();
        Ok(if clean.is_empty() {
            "/".to_owned()
        } else {
            clean
        })
    }
}

type WlTake = unsafe extern "C" fn(*mut c_void, WlBytes);

/// The calls of the file system, in the order of the structure in C++.
#[repr(C)]
struct WlHost {
    context: *mut c_void,
    begin: unsafe extern "C" fn(*mut c_void, u64),
    mark: unsafe extern "C" fn(*mut c_void, WlBytes),
    open: unsafe extern "C" fn(*mut c_void, WlBytes, c_int, *mut u32) -> c_int,
    close: unsafe extern "C" fn(*mut c_void, u32) -> c_int,
    read: unsafe extern "C" fn(*mut c_void, u32, u64, *mut u8, usize, *mut usize) -> c_int,
    write: unsafe extern "C" fn(*mut c_void, u32, u64, WlBytes) -> c_int,
    truncate: unsafe extern "C" fn(*mut c_void, u32, u64) -> c_int,
    sync: unsafe extern "C" fn(*mut c_void, u32, bool) -> c_int,
    sync_dir: unsafe extern "C" fn(*mut c_void, WlBytes) -> c_int,
    create_dir: unsafe extern "C" fn(*mut c_void, WlBytes) -> c_int,
    remove: unsafe extern "C" fn(*mut c_void, WlBytes) -> c_int,
    rename: unsafe extern "C" fn(*mut c_void, WlBytes, WlBytes) -> c_int,
    entry: unsafe extern "C" fn(*mut c_void, WlBytes, *mut bool, *mut u64) -> c_int,
    list: unsafe extern "C" fn(*mut c_void, WlBytes, *mut c_void, WlTake) -> c_int,
}

/// A database in C++.
#[repr(C)]
struct WlStore {
    opaque: [u8; 0],
    /// Only RocksDB's own functions know which thread may use it.
    not_send: PhantomData<*mut ()>,
}

unsafe extern "C" {
    safe fn wl_rocksdb_is_counted() -> bool;
    safe fn wl_rocksdb_version() -> u32;
    fn wl_rocksdb_open(
        host: *const WlHost,
        dir: WlBytes,
        write_buffer: usize,
        store: *mut *mut WlStore,
        to: *mut c_void,
        why: WlTake,
    ) -> c_int;
    fn wl_rocksdb_close(store: *mut WlStore, to: *mut c_void, why: WlTake) -> c_int;
    fn wl_rocksdb_put(
        store: *mut WlStore,
        key: WlBytes,
        value: WlBytes,
        sync: bool,
        to: *mut c_void,
        why: WlTake,
    ) -> c_int;
    fn wl_rocksdb_remove(
        store: *mut WlStore,
        key: WlBytes,
        sync: bool,
        to: *mut c_void,
        why: WlTake,
    ) -> c_int;
    fn wl_rocksdb_get(
        store: *mut WlStore,
        key: WlBytes,
        to: *mut c_void,
        value: WlTake,
        why: WlTake,
    ) -> c_int;
    fn wl_rocksdb_each(store: *mut WlStore, to: *mut c_void, record: WlTake, why: WlTake) -> c_int;
    fn wl_rocksdb_mark(store: *mut WlStore, name: WlBytes);
}

/// Whether Callgrind counts instructions.
pub(crate) fn is_counted() -> bool {
    wl_rocksdb_is_counted()
}

/// The library's version: major, minor, patch.
pub(crate) fn library_version() -> (u32, u32, u32) {
    let version = wl_rocksdb_version();
    (version / 10_000, version / 100 % 100, version % 100)
}

/// # Safety
/// `context` is that of a [`Database`], and no other call has it.
unsafe fn files<'a>(context: *mut c_void) -> &'a mut HostedFiles {
    // SAFETY: as the caller promises; the link serializes calls, and the database owns the files until it is closed.
    unsafe { &mut *context.cast::<HostedFiles>() }
}

fn code(done: Result<(), FsError>) -> c_int {
    match done.map_err(|error| error.kind) {
        Ok(()) => 0,
        Err(FsErrorKind::NotFound) => 1,
        Err(FsErrorKind::Full) => 2,
        Err(_) => 3,
    }
}

/// Stores what a call found.
///
/// # Safety
/// `to` must be writable.
unsafe fn give<T>(found: Result<T, FsError>, to: *mut T) -> c_int {
    code(found.map(|found| {
        // SAFETY: as the caller promises.
        unsafe { to.write(found) }
    }))
}

// What RocksDB passes to the functions below is valid, and its context is that of a database: `files`, `WlBytes::get` and
// `give` ask for no more.

unsafe extern "C" fn begin(context: *mut c_void, number: u64) {
    // SAFETY: as said above.
    unsafe { files(context) }.begin(number);
}

unsafe extern "C" fn mark(context: *mut c_void, name: WlBytes) {
    // SAFETY: as said above.
    let (files, name) = unsafe { (files(context), name.get()) };
    files.ended(&String::from_utf8_lossy(name));
}

unsafe extern "C" fn open(
    context: *mut c_void,
    path: WlBytes,
    how: c_int,
    file: *mut u32,
) -> c_int {
    let how = match how {
        0 => Open::Read,
        1 => Open::Write,
        2 => Open::Create,
        _ => Open::Replace,
    };
    // SAFETY: as said above.
    unsafe {
        let opened = path.path().and_then(|path| files(context).open(&path, how));
        give(opened.map(|handle| handle.0), file)
    }
}

unsafe extern "C" fn close(context: *mut c_void, file: u32) -> c_int {
    // SAFETY: as said above.
    code(unsafe { files(context) }.close(Handle(file)))
}

unsafe extern "C" fn read(
    context: *mut c_void,
    file: u32,
    at: u64,
    out: *mut u8,
    bytes: usize,
    found: *mut usize,
) -> c_int {
    // The buffer need not hold anything, which a slice must: RocksDB reads no more of it than what is found.
    // SAFETY: as said above; the buffer is RocksDB's own, has room for these bytes, and is used by nothing else now.
    unsafe {
        ptr::write_bytes(out, 0, bytes);
        let out = slice::from_raw_parts_mut(out, bytes);
        give(files(context).read(Handle(file), at, out), found)
    }
}

unsafe extern "C" fn write(context: *mut c_void, file: u32, at: u64, data: WlBytes) -> c_int {
    // SAFETY: as said above.
    let (files, data) = unsafe { (files(context), data.get()) };
    code(files.files().write(Handle(file), at, data))
}

unsafe extern "C" fn truncate(context: *mut c_void, file: u32, bytes: u64) -> c_int {
    // SAFETY: as said above.
    let files = unsafe { files(context) };
    code(files.files().truncate(Handle(file), bytes))
}

unsafe extern "C" fn sync(context: *mut c_void, file: u32, all: bool) -> c_int {
    // SAFETY: as said above.
    let files = unsafe { files(context) }.files();
    code(match all {
        true => files.sync(Handle(file)),
        false => files.sync_data(Handle(file)),
    })
}

unsafe extern "C" fn sync_dir(context: *mut c_void, path: WlBytes) -> c_int {
    // SAFETY: as said above.
    let (files, path) = unsafe { (files(context), path.path()) };
    code(path.and_then(|path| files.files().sync_dir(&path)))
}

unsafe extern "C" fn create_dir(context: *mut c_void, path: WlBytes) -> c_int {
    // SAFETY: as said above.
    let (files, path) = unsafe { (files(context), path.path()) };
    code(path.and_then(|path| files.files().create_dir(&path)))
}

unsafe extern "C" fn remove(context: *mut c_void, path: WlBytes) -> c_int {
    // SAFETY: as said above.
    let (files, path) = unsafe { (files(context), path.path()) };
    code(path.and_then(|path| files.files().remove(&path)))
}

unsafe extern "C" fn rename(context: *mut c_void, from: WlBytes, to: WlBytes) -> c_int {
    // SAFETY: as said above.
    let (files, from, to) = unsafe { (files(context), from.path(), to.path()) };
    code(from.and_then(|from| files.files().rename(&from, &to?)))
}

unsafe extern "C" fn entry(
    context: *mut c_void,
    path: WlBytes,
    is_dir: *mut bool,
    bytes: *mut u64,
) -> c_int {
    // SAFETY: as said above.
    unsafe {
        match path.path().and_then(|path| files(context).entry(&path)) {
            Ok(found) => {
                is_dir.write(found.is_dir);
                bytes.write(found.bytes);
                0
            }
            Err(error) => code(Err(error)),
        }
    }
}

unsafe extern "C" fn list(
    context: *mut c_void,
    path: WlBytes,
    to: *mut c_void,
    take: WlTake,
) -> c_int {
    // SAFETY: as said above; `take` comes with what it takes bytes to.
    unsafe {
        let found = path
            .path()
            .and_then(|path| files(context).files().list(&path));
        code(found.map(|entries| {
            for entry in entries {
                take(to, WlBytes::of(entry.name.as_bytes()));
            }
        }))
    }
}

/// Where bytes and a reason go.
struct ShimReply<'a> {
    see: &'a mut dyn FnMut(&[u8]),
    why: Refused,
}

unsafe extern "C" fn seen(to: *mut c_void, bytes: WlBytes) {
    // SAFETY: `ask` passes an answer, which is its own during the call; the bytes are valid, too.
    let (answer, bytes) = unsafe { (&mut *to.cast::<ShimReply<'_>>(), bytes.get()) };
    (answer.see)(bytes);
}

unsafe extern "C" fn said(to: *mut c_void, why: WlBytes) {
    // SAFETY: as in `seen`.
    let (answer, why) = unsafe { (&mut *to.cast::<ShimReply<'_>>(), why.get()) };
    answer.why = String::from_utf8_lossy(why).into_owned();
}

/// Asks RocksDB for something that may be absent, and may fail. Bytes that it finds go to `see`.
fn ask(
    see: &mut dyn FnMut(&[u8]),
    run: impl FnOnce(*mut c_void) -> c_int,
) -> Result<bool, Refused> {
    let why = String::new();
    let mut answer = ShimReply { see, why };
    match run(ptr::from_mut(&mut answer).cast()) {
        0 => Ok(true),
        2 => Ok(false),
        _ => Err(answer.why),
    }
}

/// Asks for what finds no bytes.
fn order(run: impl FnOnce(*mut c_void) -> c_int) -> Result<(), Refused> {
    ask(&mut |_| (), run).map(drop)
}

/// A database that is open. RocksDB's functions may be called by any thread; `&mut` keeps to one at a time.
pub(crate) struct Database {
    /// Null once it is closed.
    store: *mut WlStore,
    /// From a box, which it is again when the database is closed.
    files: *mut HostedFiles,
}

// SAFETY: RocksDB allows any thread to use a database, and what it points to is `Send`.
unsafe impl Send for Database {}

/// Why RocksDB did not do something, in its own words.
type Refused = String;

impl Database {
    /// Opens a database in a directory, and gives the files back where that fails.
    pub(crate) fn open(
        files: HostedFiles,
        dir: &str,
        write_buffer: usize,
    ) -> Result<Self, (HostedFiles, Refused)> {
        let files = Box::into_raw(Box::new(files));
        let host = WlHost {
            context: files.cast(),
            begin,
            mark,
            open,
            close,
            read,
            write,
            truncate,
            sync,
            sync_dir,
            create_dir,
            remove,
            rename,
            entry,
            list,
        };
        let mut store = ptr::null_mut();
        let dir = WlBytes::of(dir.as_bytes());
        let opened = order(|to| {
            // SAFETY: the link copies the host; what it points to stays until the database is closed.
            unsafe { wl_rocksdb_open(&raw const host, dir, write_buffer, &raw mut store, to, said) }
        });
        match opened {
            Ok(()) => Ok(Self { store, files }),
            // SAFETY: it came from a box, and the database that had it is gone.
            Err(why) => Err((*unsafe { Box::from_raw(files) }, why)),
        }
    }

    /// Closes it, and gives the files back.
    pub(crate) fn close(mut self) -> (HostedFiles, Result<(), Refused>) {
        let closed = self.close_store();
        let files = std::mem::replace(&mut self.files, ptr::null_mut());
        // SAFETY: it came from a box, and the database that had it is gone.
        (*unsafe { Box::from_raw(files) }, closed)
    }

    fn close_store(&mut self) -> Result<(), Refused> {
        let store = std::mem::replace(&mut self.store, ptr::null_mut());
        if store.is_null() {
            return Ok(());
        }
        // SAFETY: it is open, and nothing has it from here on.
        order(|to| unsafe { wl_rocksdb_close(store, to, said) })
    }

    pub(crate) fn put(&mut self, key: &[u8], value: &[u8], sync: bool) -> Result<(), Refused> {
        let (key, value) = (WlBytes::of(key), WlBytes::of(value));
        // SAFETY: the database is open.
        order(|to| unsafe { wl_rocksdb_put(self.store, key, value, sync, to, said) })
    }

    pub(crate) fn remove(&mut self, key: &[u8], sync: bool) -> Result<(), Refused> {
        let key = WlBytes::of(key);
        // SAFETY: the database is open.
        order(|to| unsafe { wl_rocksdb_remove(self.store, key, sync, to, said) })
    }

    /// Calls `see` with the value, where there is one.
    pub(crate) fn get(&mut self, key: &[u8], see: &mut dyn FnMut(&[u8])) -> Result<(), Refused> {
        let key = WlBytes::of(key);
        // SAFETY: the database is open.
        ask(see, |to| unsafe {
            wl_rocksdb_get(self.store, key, to, seen, said)
        })
        .map(drop)
    }

    /// Calls `see` with every key and, after it, its value.
    pub(crate) fn each(&mut self, see: &mut dyn FnMut(&[u8])) -> Result<(), Refused> {
        // SAFETY: the database is open.
        ask(see, |to| unsafe {
            wl_rocksdb_each(self.store, to, seen, said)
        })
        .map(drop)
    }

    pub(crate) fn mark(&mut self, operation: &str) {
        // SAFETY: the database is open.
        unsafe { wl_rocksdb_mark(self.store, WlBytes::of(operation.as_bytes())) };
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = self.close_store();
        if !self.files.is_null() {
            // SAFETY: it came from a box, and the database that had it is gone.
            drop(unsafe { Box::from_raw(self.files) });
        }
    }
}
