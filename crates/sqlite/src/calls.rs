//! What SQLite calls: the methods of the VFS and of its files, through which no panic passes.

use std::any::Any;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::slice;
use std::sync::atomic::{Ordering, fence};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

use crate::FileKind;
use crate::vfs::VfsShared;
use crate::world::{SqliteCode, VfsFile, VfsWorld, full_path};

/// Milliseconds from noon of 24 November 4714 BC, from where SQLite counts, to 1970.
const UNIX_EPOCH_MS: i64 = 210_866_760_000_000;

/// A file in the memory that SQLite provides.
#[repr(C)]
struct VfsFileSlot {
    base: sqlite3_file,
    vfs: *const VfsShared,
    /// From a box; null where the file is not open.
    file: *mut VfsFile,
}

/// The methods of a VFS, without a name and without what they work on.
pub(crate) fn vfs(path_bytes_max: c_int) -> sqlite3_vfs {
    sqlite3_vfs {
        iVersion: 2,
        szOsFile: size_of::<VfsFileSlot>() as c_int,
        mxPathname: path_bytes_max,
        pNext: null_mut(),
        zName: std::ptr::null(),
        pAppData: null_mut(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_pathname),
        xDlOpen: Some(dl_open),
        xDlError: Some(dl_error),
        xDlSym: None,
        xDlClose: None,
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(last_error),
        xCurrentTimeInt64: Some(current_time_ms),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    }
}

/// The methods of files without an index of the log.
pub(crate) static WITHOUT_WAL_INDEX: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// The methods of files with an index of the log.
pub(crate) static WITH_WAL_INDEX: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    ..WITHOUT_WAL_INDEX
};

/// Runs something on what the connections share; a panic becomes the code.
fn guarded(
    vfs: &VfsShared,
    code: SqliteCode,
    work: impl FnOnce(&mut VfsWorld) -> Result<(), SqliteCode>,
) -> c_int {
    match catch_unwind(AssertUnwindSafe(|| work(&mut vfs.world()))) {
        Ok(Ok(())) => ffi::SQLITE_OK,
        Ok(Err(code)) => code,
        Err(panic) => {
            vfs.world().broke(words(&*panic));
            // What was thrown may throw again when it goes.
            std::mem::forget(panic);
            code
        }
    }
}

/// What a panic says.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without words")
}

/// The VFS behind SQLite's pointer.
///
/// # Safety
/// SQLite passes the VFS that it was given, which lives as long as its connections.
unsafe fn shared<'a>(vfs: *mut sqlite3_vfs) -> &'a VfsShared {
    // SAFETY: `SqliteVfs::new` has set the pointer before SQLite got it.
    unsafe { &*(*vfs).pAppData.cast::<VfsShared>() }
}

/// Runs something on a file.
///
/// # Safety
/// SQLite passes a file that is open, and calls nothing else of it meanwhile.
unsafe fn on_file(
    file: *mut sqlite3_file,
    code: SqliteCode,
    work: impl FnOnce(&mut VfsWorld, &mut VfsFile) -> Result<(), SqliteCode>,
) -> c_int {
    // SAFETY: `open` has filled the slot, in memory of its size.
    let (vfs, file) = unsafe {
        let slot = &*file.cast::<VfsFileSlot>();
        (&*slot.vfs, &mut *slot.file)
    };
    guarded(vfs, code, |world| work(world, file))
}

/// A path of SQLite's.
///
/// # Safety
/// It is a text that ends.
unsafe fn path<'a>(name: *const c_char, code: SqliteCode) -> Result<&'a str, SqliteCode> {
    // SAFETY: What the caller promises.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().map_err(|_| code)
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let kind = match flags & 0x000F_FF00 {
        _ if name.is_null() => FileKind::Temporary,
        flags if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 => FileKind::Database,
        flags if flags & ffi::SQLITE_OPEN_MAIN_JOURNAL != 0 => FileKind::Journal,
        flags if flags & ffi::SQLITE_OPEN_WAL != 0 => FileKind::Wal,
        _ => FileKind::Other,
    };
    // SAFETY: SQLite passes its VFS.
    let vfs = unsafe { shared(vfs) };
    let slot = file.cast::<VfsFileSlot>();
    // SAFETY: SQLite passes memory of `szOsFile` bytes; without methods the file counts as closed.
    unsafe { (*slot).base.pMethods = std::ptr::null() };
    let code = ffi::SQLITE_CANTOPEN;
    guarded(vfs, code, |world| {
        let path = match name.is_null() {
            true => None,
            // SAFETY: It is not null, and SQLite's names end.
            false => Some(unsafe { path(name, code) }?),
        };
        let opened = Box::into_raw(Box::new(world.open(path, kind, flags)?));
        // SAFETY: As above; the flags may be wanted.
        unsafe {
            slot.write(VfsFileSlot {
                base: sqlite3_file {
                    pMethods: vfs.settings.methods(),
                },
                vfs,
                file: opened,
            });
            if let Some(out) = out_flags.as_mut() {
                *out = flags;
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite closes an open file, once.
    unsafe {
        let code = on_file(file, ffi::SQLITE_IOERR_CLOSE, VfsWorld::close);
        let slot = file.cast::<VfsFileSlot>();
        drop(Box::from_raw((*slot).file));
        (*slot).file = null_mut();
        (*slot).base.pMethods = std::ptr::null();
        code
    }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    out: *mut c_void,
    bytes: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes an open file, and memory of as many bytes.
    unsafe {
        let out = slice::from_raw_parts_mut(out.cast::<u8>(), bytes as usize);
        on_file(file, ffi::SQLITE_IOERR_READ, |world, file| {
            world.read(file, at as u64, out)
        })
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    data: *const c_void,
    bytes: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes an open file, and memory of as many bytes.
    unsafe {
        let data = slice::from_raw_parts(data.cast::<u8>(), bytes as usize);
        on_file(file, ffi::SQLITE_IOERR_WRITE, |world, file| {
            world.write(file, at as u64, data)
        })
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, bytes: ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_TRUNCATE, |world, file| {
            world.truncate(file, bytes as u64)
        })
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_FSYNC, |world, file| {
            world.sync(file, flags)
        })
    }
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, out: *mut ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite passes an open file, and a place for the size.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_FSTAT, |world, file| {
            *out = world.length(file)? as i64;
            Ok(())
        })
    }
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_LOCK, |world, file| {
            world.lock(file, level)
        })
    }
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_UNLOCK, |world, file| {
            world.unlock(file, level)
        })
    }
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: SQLite passes an open file, and a place for the answer.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_CHECKRESERVEDLOCK, |world, file| {
            *out = world.is_reserved(file)?.into();
            Ok(())
        })
    }
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, op: c_int, _: *mut c_void) -> c_int {
    let code = match op {
        ffi::SQLITE_FCNTL_BEGIN_ATOMIC_WRITE => ffi::SQLITE_IOERR_BEGIN_ATOMIC,
        ffi::SQLITE_FCNTL_COMMIT_ATOMIC_WRITE => ffi::SQLITE_IOERR_COMMIT_ATOMIC,
        ffi::SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE => ffi::SQLITE_IOERR_ROLLBACK_ATOMIC,
        _ => return ffi::SQLITE_NOTFOUND,
    };
    // SAFETY: SQLite passes an open file.
    unsafe {
        on_file(file, code, |world, file| match op {
            ffi::SQLITE_FCNTL_BEGIN_ATOMIC_WRITE => world.begin_batch(file),
            ffi::SQLITE_FCNTL_COMMIT_ATOMIC_WRITE => world.commit_batch(file),
            _ => {
                world.drop_batch(file);
                Ok(())
            }
        })
    }
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite passes an open file, whose VFS lives.
    unsafe { (*(*file.cast::<VfsFileSlot>()).vfs).settings.sector_bytes as c_int }
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite passes an open file, whose VFS lives.
    unsafe {
        (*(*file.cast::<VfsFileSlot>()).vfs)
            .settings
            .characteristics()
    }
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    number: c_int,
    bytes: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes an open file, and a place for the pointer.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_SHMMAP, |world, file| {
            let (number, size, extend) = (number as usize, bytes as usize, extend != 0);
            let place = world.with_wal_index(file, |regions, mine| {
                regions.map(mine, number, size, extend)
            })?;
            *out = place.unwrap_or(null_mut());
            if extend && place.is_none() {
                return Err(ffi::SQLITE_IOERR_NOMEM);
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn shm_lock(
    file: *mut sqlite3_file,
    first: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_SHMLOCK, |world, file| {
            let is_locked = world.with_wal_index(file, |regions, mine| {
                regions.lock(mine, first as usize, count as usize, flags)
            })?;
            is_locked.then_some(()).ok_or(ffi::SQLITE_BUSY)
        })
    }
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    fence(Ordering::SeqCst);
    // SAFETY: SQLite passes an open file. Other threads see what was written before when they enter the lock after it.
    unsafe { on_file(file, ffi::SQLITE_OK, |_, _| Ok(())) };
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, _delete: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        on_file(file, ffi::SQLITE_IOERR_SHMMAP, |world, file| {
            world.with_wal_index(file, |regions, mine| regions.unmap(mine))
        })
    }
}

unsafe extern "C" fn delete(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    sync_directory: c_int,
) -> c_int {
    let code = ffi::SQLITE_IOERR_DELETE;
    // SAFETY: SQLite passes its VFS, and a name that ends.
    unsafe {
        guarded(shared(vfs), code, |world| {
            world.delete(path(name, code)?, sync_directory != 0)
        })
    }
}

unsafe extern "C" fn access(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    _flags: c_int,
    out: *mut c_int,
) -> c_int {
    let code = ffi::SQLITE_IOERR_ACCESS;
    // SAFETY: SQLite passes its VFS, a name that ends, and a place for the answer.
    unsafe {
        guarded(shared(vfs), code, |world| {
            *out = world.has(path(name, code)?)?.into();
            Ok(())
        })
    }
}

unsafe extern "C" fn full_pathname(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    bytes: c_int,
    out: *mut c_char,
) -> c_int {
    let code = ffi::SQLITE_CANTOPEN_FULLPATH;
    // SAFETY: SQLite passes its VFS, a name that ends, and memory of as many bytes.
    unsafe {
        guarded(shared(vfs), code, |world| {
            let full = full_path(path(name, code)?).map_err(|error| {
                world.last_error = Some(error);
                code
            })?;
            let out = slice::from_raw_parts_mut(out.cast::<u8>(), bytes as usize);
            let (place, end) = out.split_at_mut_checked(full.len()).ok_or(code)?;
            *end.first_mut().ok_or(code)? = 0;
            place.copy_from_slice(full.as_bytes());
            Ok(())
        })
    }
}

/// A simulated memory holds no code of the host's.
unsafe extern "C" fn dl_open(_: *mut sqlite3_vfs, _: *const c_char) -> *mut c_void {
    null_mut()
}

unsafe extern "C" fn dl_error(_: *mut sqlite3_vfs, bytes: c_int, out: *mut c_char) {
    if bytes > 0 {
        // SAFETY: SQLite passes memory of as many bytes; the text is empty.
        unsafe { *out = 0 };
    }
}

unsafe extern "C" fn randomness(vfs: *mut sqlite3_vfs, bytes: c_int, out: *mut c_char) -> c_int {
    // SAFETY: SQLite passes its VFS, and memory of as many bytes.
    unsafe {
        let out = slice::from_raw_parts_mut(out.cast::<u8>(), bytes as usize);
        shared(vfs).stream.fill(out);
    }
    bytes
}

/// Simulated time passes; the thread lets others go on.
unsafe extern "C" fn sleep(vfs: *mut sqlite3_vfs, microseconds: c_int) -> c_int {
    let slept = microseconds.max(0);
    // SAFETY: SQLite passes its VFS.
    unsafe {
        guarded(shared(vfs), ffi::SQLITE_ERROR, |world| {
            world.now_us = world.now_us.saturating_add(slept.into());
            world.counts.waited_us += slept as u64;
            Ok(())
        })
    };
    std::thread::yield_now();
    slept
}

unsafe extern "C" fn current_time_ms(vfs: *mut sqlite3_vfs, out: *mut ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite passes its VFS, and a place for the time.
    unsafe {
        guarded(shared(vfs), ffi::SQLITE_ERROR, |world| {
            *out = UNIX_EPOCH_MS.saturating_add(world.now_us.div_euclid(1000));
            Ok(())
        })
    }
}

unsafe extern "C" fn current_time(vfs: *mut sqlite3_vfs, out: *mut f64) -> c_int {
    let mut now = 0;
    // SAFETY: As there; SQLite passes a place for the days.
    unsafe {
        let code = current_time_ms(vfs, &raw mut now);
        *out = now as f64 / 86_400_000.0;
        code
    }
}

/// There is no number of the system's beneath an error.
unsafe extern "C" fn last_error(_: *mut sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    0
}
