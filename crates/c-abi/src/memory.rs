//! A byte-addressable memory behind the caller's functions.

use core::ffi::c_void;

use wordline_memory::ByteMemory;

use crate::UnusableArgument;

type MemoryRead = unsafe extern "C" fn(*mut c_void, u64, *mut c_void, usize) -> i32;
type MemoryWrite = unsafe extern "C" fn(*mut c_void, u64, *const c_void, usize) -> i32;
type MemoryPersist = unsafe extern "C" fn(*mut c_void) -> i32;

/// `wl_kv_memory` and `wl_flat_memory`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MemoryFunctions {
    /// Handed to the functions.
    pub user: *mut c_void,
    /// Size in bytes.
    pub bytes: u64,
    /// Bytes that a power cut leaves whole.
    pub atom: u32,
    /// Fills `out`; 0 where it did.
    pub read: Option<MemoryRead>,
    /// Stores bytes; 0 where it did.
    pub write: Option<MemoryWrite>,
    /// Returns when all earlier writes last; 0 where it did.
    pub persist: Option<MemoryPersist>,
}

/// What a function of the caller's memory returned, which failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryCode(pub i32);

/// The memory of which the caller's functions are.
#[derive(Clone, Copy, Debug)]
pub struct CallerMemory {
    user: *mut c_void,
    bytes: u64,
    atom: u32,
    read: MemoryRead,
    write: MemoryWrite,
    persist: Option<MemoryPersist>,
}

impl CallerMemory {
    /// # Errors
    /// The pointer is NULL, or a function is missing.
    ///
    /// # Safety
    /// The pointer is NULL or that of such a struct, whose functions do what the header says.
    pub unsafe fn new(memory: *const MemoryFunctions) -> Result<Self, UnusableArgument> {
        // SAFETY: the caller promises it.
        let memory = unsafe { crate::value(memory) }?;
        Ok(Self {
            user: memory.user,
            bytes: memory.bytes,
            atom: memory.atom,
            read: memory.read.ok_or(UnusableArgument)?,
            write: memory.write.ok_or(UnusableArgument)?,
            persist: memory.persist,
        })
    }
}

fn done(code: i32) -> Result<(), MemoryCode> {
    if code == 0 {
        Ok(())
    } else {
        Err(MemoryCode(code))
    }
}

impl ByteMemory for CallerMemory {
    type Error = MemoryCode;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        self.atom.max(1) as usize
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryCode> {
        // SAFETY: the caller promises that the function fills so many bytes, which are there.
        done(unsafe { (self.read)(self.user, at, out.as_mut_ptr().cast(), out.len()) })
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), MemoryCode> {
        // SAFETY: the caller promises that the function reads so many bytes, which are there.
        done(unsafe { (self.write)(self.user, at, data.as_ptr().cast::<c_void>(), data.len()) })
    }

    fn persist(&mut self) -> Result<(), MemoryCode> {
        match self.persist {
            None => Ok(()),
            // SAFETY: the caller promises that the function can be called.
            Some(persist) => done(unsafe { persist(self.user) }),
        }
    }
}
