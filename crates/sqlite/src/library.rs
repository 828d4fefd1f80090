//! SQLite as this process uses it: its mutexes, its memory and its randomness, set up once before anything else.
//!
//! SQLite has one generator of random numbers for all connections, seeded by the default VFS. What it draws in one
//! thread would depend on what another draws. Here each draw is of the stream of the connection that draws: SQLite
//! locks a mutex of its own around each draw, and entering that mutex makes it seed itself again, from the default VFS,
//! which gives the next bytes of the stream. Which connection it is, the mutex of the connection says, which SQLite
//! enters in every call.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

use rusqlite::ffi;

use crate::SqliteError;
use crate::random::RandomStream;
use crate::vfs::VfsShared;

/// The default methods, below ours.
struct Library {
    mutex: ffi::sqlite3_mutex_methods,
    memory: ffi::sqlite3_mem_methods,
}

// SAFETY: They are functions; the one pointer among them is theirs, and is used in calls of SQLite's alone.
unsafe impl Send for Library {}
// SAFETY: As above.
unsafe impl Sync for Library {}

static LIBRARY: OnceLock<Library> = OnceLock::new();
static START: OnceLock<Result<(), c_int>> = OnceLock::new();

/// SQLite's static mutexes by number.
static STATIC_MUTEXES: [AtomicPtr<LibraryMutex>; 16] = [const { AtomicPtr::new(null_mut()) }; 16];

thread_local! {
    /// The VFS of the connection that is being opened, until its mutex is made.
    static OPENING: RefCell<Option<Arc<VfsShared>>> = const { RefCell::new(None) };
    /// The stream of the connection that this thread is in, or was in last.
    static CURRENT: RefCell<Option<Arc<RandomStream>>> = const { RefCell::new(None) };
    /// The generator is being told to seed itself again.
    static RESEEDS: Cell<bool> = const { Cell::new(false) };
    /// Bytes of SQLite's memory, allocated less freed by this thread, and the most of them.
    static HEAP: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

/// Sets SQLite up, once in a process.
pub(crate) fn start() -> Result<(), SqliteError> {
    START.get_or_init(configure).map_err(SqliteError::Started)
}

fn configure() -> Result<(), c_int> {
    let checked = |code| {
        if code == ffi::SQLITE_OK {
            Ok(())
        } else {
            Err(code)
        }
    };
    let no_mutex = ffi::sqlite3_mutex_methods {
        xMutexInit: None,
        xMutexEnd: None,
        xMutexAlloc: None,
        xMutexFree: None,
        xMutexEnter: None,
        xMutexTry: None,
        xMutexLeave: None,
        xMutexHeld: None,
        xMutexNotheld: None,
    };
    let no_memory = ffi::sqlite3_mem_methods {
        xMalloc: None,
        xFree: None,
        xRealloc: None,
        xSize: None,
        xRoundup: None,
        xInit: None,
        xShutdown: None,
        pAppData: null_mut(),
    };
    let (mut mutex, mut memory) = (no_mutex, no_memory);
    // SAFETY: Each call has the arguments that SQLite's documentation states for it. The first is refused where SQLite
    // is in use; without that, no connection lives that the shutdown could hurt.
    unsafe {
        checked(ffi::sqlite3_config(ffi::SQLITE_CONFIG_SERIALIZED))?;
        // The defaults are known once SQLite was started.
        checked(ffi::sqlite3_initialize())?;
        checked(ffi::sqlite3_shutdown())?;
        checked(ffi::sqlite3_config(
            ffi::SQLITE_CONFIG_GETMUTEX,
            &raw mut mutex,
        ))?;
        checked(ffi::sqlite3_config(
            ffi::SQLITE_CONFIG_GETMALLOC,
            &raw mut memory,
        ))?;
    }
    let mut own_mutex = ffi::sqlite3_mutex_methods {
        xMutexInit: Some(mutex_init),
        xMutexEnd: mutex.xMutexEnd,
        xMutexAlloc: Some(mutex_alloc),
        xMutexFree: Some(mutex_free),
        xMutexEnter: Some(mutex_enter),
        xMutexTry: Some(mutex_try),
        xMutexLeave: Some(mutex_leave),
        ..no_mutex
    };
    let mut own_memory = ffi::sqlite3_mem_methods {
        xMalloc: Some(memory_malloc),
        xFree: Some(memory_free),
        xRealloc: Some(memory_realloc),
        ..memory
    };
    // It is the only one that is set: this function runs once.
    let _ = LIBRARY.set(Library { mutex, memory });
    // SAFETY: As above; SQLite copies what the pointers point to.
    unsafe {
        checked(ffi::sqlite3_config(
            ffi::SQLITE_CONFIG_MUTEX,
            &raw mut own_mutex,
        ))?;
        checked(ffi::sqlite3_config(
            ffi::SQLITE_CONFIG_MALLOC,
            &raw mut own_memory,
        ))?;
        // Statistics of memory are those of the process, and so are the limits of the heap that SQL could set.
        checked(ffi::sqlite3_config(
            ffi::SQLITE_CONFIG_MEMSTATUS,
            0 as c_int,
        ))?;
        // No path of SQL's is a URI, which could name another VFS, and so a file of the host.
        checked(ffi::sqlite3_config(ffi::SQLITE_CONFIG_URI, 0 as c_int))?;
        checked(ffi::sqlite3_initialize())?;
        // The host's time zone is no part of a simulated world: `localtime` fails.
        ffi::sqlite3_test_control(ffi::SQLITE_TESTCTRL_LOCALTIME_FAULT, 1 as c_int);
        let usual = ffi::sqlite3_vfs_find(std::ptr::null());
        if usual.is_null() {
            return Err(ffi::SQLITE_ERROR);
        }
        // It lives as long as the process, as SQLite's own do.
        let seeded = Box::leak(Box::new(ffi::sqlite3_vfs {
            pNext: null_mut(),
            zName: c"wordline-seeded".as_ptr(),
            xRandomness: Some(draw),
            ..*usual
        }));
        checked(ffi::sqlite3_vfs_register(seeded, 1))
    }
}

/// Runs something that opens a connection, whose mutex will belong to a VFS.
pub(crate) fn opening<R>(vfs: &Arc<VfsShared>, open: impl FnOnce() -> R) -> R {
    OPENING.set(Some(Arc::clone(vfs)));
    let opened = open();
    OPENING.set(None);
    opened
}

/// Random bytes for the generator: the next of the current connection's stream.
///
/// # Safety
/// `out` has `bytes` bytes.
unsafe extern "C" fn draw(_: *mut ffi::sqlite3_vfs, bytes: c_int, out: *mut c_char) -> c_int {
    // SAFETY: What the caller promises.
    let out = unsafe { slice::from_raw_parts_mut(out.cast::<u8>(), bytes as usize) };
    let drawn = CURRENT.try_with(|current| {
        // A connection that is none of ours has a stream, too.
        let mut current = current.borrow_mut();
        let stream = current.get_or_insert_with(|| Arc::new(RandomStream::new(0)));
        stream.fill(out);
    });
    if drawn.is_err() {
        out.fill(0);
    }
    bytes
}

/// A mutex of SQLite.
struct LibraryMutex {
    /// The default one.
    inner: *mut ffi::sqlite3_mutex,
    role: MutexRole,
}

/// What a mutex guards.
enum MutexRole {
    /// SQLite's generator of random numbers.
    Generator,
    /// A connection, whose VFS lives as long as it.
    Connection(Arc<VfsShared>),
    Other,
}

fn defaults() -> &'static ffi::sqlite3_mutex_methods {
    // SQLite has got our methods after the library was set.
    &LIBRARY.get().expect("set before the methods").mutex
}

unsafe extern "C" fn mutex_init() -> c_int {
    let defaults = defaults();
    let (Some(init), Some(alloc)) = (defaults.xMutexInit, defaults.xMutexAlloc) else {
        return ffi::SQLITE_ERROR;
    };
    // SAFETY: The default method, called where SQLite would call it.
    let code = unsafe { init() };
    if code != ffi::SQLITE_OK {
        return code;
    }
    for number in ffi::SQLITE_MUTEX_STATIC_MAIN..=ffi::SQLITE_MUTEX_STATIC_VFS3 {
        let role = match number {
            ffi::SQLITE_MUTEX_STATIC_PRNG => MutexRole::Generator,
            _ => MutexRole::Other,
        };
        let place = &STATIC_MUTEXES[number as usize];
        if place.load(Ordering::Acquire).is_null() {
            // SAFETY: The default method, with a number that it knows.
            let inner = unsafe { alloc(number) };
            // Static mutexes are never freed.
            place.store(
                Box::leak(Box::new(LibraryMutex { inner, role })),
                Ordering::Release,
            );
        }
    }
    code
}

unsafe extern "C" fn mutex_alloc(number: c_int) -> *mut ffi::sqlite3_mutex {
    if number >= ffi::SQLITE_MUTEX_STATIC_MAIN {
        let found = STATIC_MUTEXES.get(number as usize);
        return found.map_or(null_mut(), |place| place.load(Ordering::Acquire).cast());
    }
    let Some(alloc) = defaults().xMutexAlloc else {
        return null_mut();
    };
    // SAFETY: The default method, with a number that it knows.
    let inner = unsafe { alloc(number) };
    if inner.is_null() {
        return null_mut();
    }
    // The first recursive mutex that opening a connection makes is the connection's.
    let vfs = match number {
        ffi::SQLITE_MUTEX_RECURSIVE => OPENING.try_with(RefCell::take).ok().flatten(),
        _ => None,
    };
    let role = vfs.map_or(MutexRole::Other, MutexRole::Connection);
    Box::into_raw(Box::new(LibraryMutex { inner, role })).cast()
}

unsafe extern "C" fn mutex_free(mutex: *mut ffi::sqlite3_mutex) {
    // SAFETY: SQLite frees what `mutex_alloc` has made, once; static mutexes it does not free.
    let mutex = unsafe { Box::from_raw(mutex.cast::<LibraryMutex>()) };
    if let Some(free) = defaults().xMutexFree {
        // SAFETY: It was made by the default method.
        unsafe { free(mutex.inner) };
    }
    // With the last connection its file system may go, which is foreign code.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(mutex)));
}

impl LibraryMutex {
    /// What follows from having entered.
    fn entered(&self) {
        match &self.role {
            MutexRole::Generator => {
                RESEEDS.set(true);
                // SAFETY: It tells the generator to seed itself when it is used next.
                unsafe { ffi::sqlite3_randomness(0, null_mut()) };
                RESEEDS.set(false);
            }
            MutexRole::Connection(vfs) => {
                let _ = CURRENT.try_with(|current| {
                    let mut current = current.borrow_mut();
                    if current
                        .as_ref()
                        .is_none_or(|now| !Arc::ptr_eq(now, &vfs.stream))
                    {
                        *current = Some(Arc::clone(&vfs.stream));
                    }
                });
            }
            MutexRole::Other => {}
        }
    }

    /// Whether the generator enters its mutex, which is entered already, to be told to seed itself again.
    fn is_reentered(&self) -> bool {
        matches!(self.role, MutexRole::Generator) && RESEEDS.get()
    }
}

unsafe extern "C" fn mutex_enter(mutex: *mut ffi::sqlite3_mutex) {
    // SAFETY: SQLite passes what `mutex_alloc` has given, until it frees it.
    let mutex = unsafe { &*mutex.cast::<LibraryMutex>() };
    if mutex.is_reentered() {
        return;
    }
    if let Some(enter) = defaults().xMutexEnter {
        // SAFETY: It was made by the default method.
        unsafe { enter(mutex.inner) };
    }
    mutex.entered();
}

unsafe extern "C" fn mutex_try(mutex: *mut ffi::sqlite3_mutex) -> c_int {
    // SAFETY: As in `mutex_enter`.
    let mutex = unsafe { &*mutex.cast::<LibraryMutex>() };
    let Some(try_enter) = defaults().xMutexTry else {
        return ffi::SQLITE_BUSY;
    };
    // SAFETY: It was made by the default method.
    let code = unsafe { try_enter(mutex.inner) };
    if code == ffi::SQLITE_OK {
        mutex.entered();
    }
    code
}

unsafe extern "C" fn mutex_leave(mutex: *mut ffi::sqlite3_mutex) {
    // SAFETY: As in `mutex_enter`.
    let mutex = unsafe { &*mutex.cast::<LibraryMutex>() };
    if mutex.is_reentered() {
        return;
    }
    if let Some(leave) = defaults().xMutexLeave {
        // SAFETY: It was made by the default method.
        unsafe { leave(mutex.inner) };
    }
}

fn memory() -> &'static ffi::sqlite3_mem_methods {
    &LIBRARY.get().expect("set before the methods").memory
}

/// Counts bytes that this thread allocated, or freed.
fn count_bytes(bytes: i64) {
    let _ = HEAP.try_with(|heap| {
        let (now, peak) = heap.get();
        heap.set((now + bytes, peak.max(now + bytes)));
    });
}

/// The bytes of an allocation.
///
/// # Safety
/// It is one, or null.
unsafe fn size_of_allocation(place: *mut c_void) -> i64 {
    match memory().xSize {
        // SAFETY: What the caller promises.
        Some(size) if !place.is_null() => i64::from(unsafe { size(place) }),
        _ => 0,
    }
}

unsafe extern "C" fn memory_malloc(bytes: c_int) -> *mut c_void {
    let Some(malloc) = memory().xMalloc else {
        return null_mut();
    };
    // SAFETY: The default method, called as SQLite calls it.
    let place = unsafe { malloc(bytes) };
    // SAFETY: It has just been made.
    count_bytes(unsafe { size_of_allocation(place) });
    place
}

unsafe extern "C" fn memory_free(place: *mut c_void) {
    // SAFETY: SQLite frees what it allocated.
    count_bytes(-unsafe { size_of_allocation(place) });
    if let Some(free) = memory().xFree {
        // SAFETY: As above.
        unsafe { free(place) };
    }
}

unsafe extern "C" fn memory_realloc(place: *mut c_void, bytes: c_int) -> *mut c_void {
    let Some(realloc) = memory().xRealloc else {
        return null_mut();
    };
    // SAFETY: SQLite passes what it allocated.
    let before = unsafe { size_of_allocation(place) };
    // SAFETY: As above.
    let moved = unsafe { realloc(place, bytes) };
    if !moved.is_null() {
        // SAFETY: It has just been made.
        count_bytes(unsafe { size_of_allocation(moved) } - before);
    }
    moved
}

/// RAM that SQLite takes from the heap in this thread: connections, pages in its cache, statements, schemas.
///
/// Each thread counts what it allocates itself; a connection that moves to another thread confuses the figures.
#[derive(Debug)]
pub struct HeapMeter {
    start: i64,
}

impl HeapMeter {
    /// Begins to measure in this thread, and ends any earlier measurement of a peak in it.
    #[must_use]
    pub fn start() -> Self {
        let (now, _) = HEAP.get();
        HEAP.set((now, now));
        Self { start: now }
    }

    /// Bytes in use, above those at the start.
    #[must_use]
    pub fn now(&self) -> u64 {
        (HEAP.get().0 - self.start).max(0) as u64
    }

    /// The most bytes in use since the start, above those at it.
    #[must_use]
    pub fn peak(&self) -> u64 {
        (HEAP.get().1 - self.start).max(0) as u64
    }
}
