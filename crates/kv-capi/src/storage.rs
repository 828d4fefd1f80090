//! What lies in the caller's storage: the table, and what it knows of the caller's memory and buffers.

use core::ffi::c_void;

use wordline_kv::{AnyDirectory, Table};
use wordline_memory::ByteMemory;

use crate::abi::{KvMemory, Status, WlKv};

/// The caller's function failed, with this code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed(#[allow(dead_code, reason = "for whoever looks with a debugger")] i32);

/// A memory behind the caller's functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver(KvMemory);

impl Driver {
    /// None where a function is missing.
    pub(crate) fn new(memory: KvMemory) -> Option<Self> {
        let is_whole = memory.read.is_some() && memory.write.is_some();
        is_whole.then_some(Self(memory))
    }
}

fn done(code: i32) -> Result<(), Failed> {
    if code == 0 { Ok(()) } else { Err(Failed(code)) }
}

impl ByteMemory for Driver {
    type Error = Failed;

    fn len(&self) -> u64 {
        self.0.bytes
    }

    fn atom(&self) -> usize {
        self.0.atom.max(1) as usize
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), Failed> {
        let read = self.0.read.ok_or(Failed(0))?;
        // SAFETY: the caller promises that the function fills so many bytes, which are there.
        done(unsafe { read(self.0.user, at, out.as_mut_ptr().cast(), out.len()) })
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), Failed> {
        let write = self.0.write.ok_or(Failed(0))?;
        // SAFETY: the caller promises that the function reads so many bytes, which are there.
        done(unsafe { write(self.0.user, at, data.as_ptr().cast::<c_void>(), data.len()) })
    }

    fn persist(&mut self) -> Result<(), Failed> {
        match self.0.persist {
            None => Ok(()),
            // SAFETY: the caller promises that the function can be called.
            Some(persist) => done(unsafe { persist(self.0.user) }),
        }
    }
}

/// The caller's buffer, which is the table's as long as it is used.
#[derive(Debug)]
pub(crate) struct Buffer<T> {
    start: *mut T,
    length: usize,
}

impl<T> Buffer<T> {
    /// # Safety
    /// So many values are there, exclusively until the buffer is no longer used; or there is none.
    pub(crate) const unsafe fn new(start: *mut T, length: usize) -> Self {
        Self { start, length }
    }
}

impl<T> AsMut<[T]> for Buffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: `new` was promised that these values are there, exclusively.
        unsafe { core::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

/// A table with its directory in RAM or in the memory.
pub(crate) type Kept = Table<Driver, AnyDirectory<Buffer<u64>>, Buffer<u8>>;

/// What a `wl_kv` holds, once a table was opened in it.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Distinguishes it from storage in which none was.
    mark: u64,
    /// What the last damage was about.
    pub(crate) damaged: u32,
    pub(crate) table: Kept,
}

const MARK: u64 = 0x574C_6B76_6F70_656E;

const _: () = assert!(size_of::<Opened>() <= size_of::<WlKv>());
const _: () = assert!(align_of::<Opened>() <= align_of::<WlKv>());

/// Whether a pointer can be that of a `wl_kv`.
fn place(table: *mut WlKv) -> Result<*mut Opened, Status> {
    let opened = table.cast::<Opened>();
    if opened.is_null() || !table.is_aligned() {
        return Err(Status::BadArgument);
    }
    Ok(opened)
}

/// Makes storage one in which no table was opened.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_kv`, set or not.
pub(crate) unsafe fn clear(table: *mut WlKv) -> Result<(), Status> {
    let opened = place(table)?;
    // SAFETY: it is not NULL and aligned, and the caller promises the rest.
    unsafe { (&raw mut (*opened).mark).write(0) };
    Ok(())
}

/// Puts a table into storage.
///
/// # Safety
/// As of [`clear`].
pub(crate) unsafe fn keep(table: *mut WlKv, kept: Kept) -> Result<(), Status> {
    let opened = Opened {
        mark: MARK,
        damaged: u32::MAX,
        table: kept,
    };
    // SAFETY: it is not NULL and aligned, has room, and the caller promises the rest.
    unsafe { place(table)?.write(opened) };
    Ok(())
}

/// The table in storage.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_kv` that was opened or set to zeros, and that is not used elsewhere meanwhile.
pub(crate) unsafe fn opened<'a>(table: *mut WlKv) -> Result<&'a mut Opened, Status> {
    let opened = place(table)?;
    // SAFETY: it is not NULL and aligned, and its first bytes are set, as the caller promises. The mark is read before
    // anything is taken for more than bytes.
    let mark = unsafe { (&raw const (*opened).mark).read() };
    if mark != MARK {
        return Err(Status::BadArgument);
    }
    // SAFETY: with the mark, `keep` wrote all of it; the caller promises exclusive use.
    Ok(unsafe { &mut *opened })
}
