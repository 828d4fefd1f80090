//! A byte-addressable memory behind the caller's functions.

use core::ffi::c_void;

use wordline_memory::ByteMemory;

use crate::UnusableArgument;

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
    pub read: Option<unsafe extern "C" fn(*mut c_void, u64, *mut c_void, usize) -> i32>,
    /// Stores bytes; 0 where it did.
    pub write: Option<unsafe extern "C" fn(*mut c_void, u64, *const c_void, usize) -> i32>,
    /// Returns when all earlier writes last; 0 where it did.
    pub persist: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
}

/// What a function of the caller's memory returned, which failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryCode(pub i32);

/// The memory of which the caller's functions are.
#[derive(Clone, Copy, Debug)]
pub struct CallerMemory(MemoryFunctions);

impl CallerMemory {
    /// # Errors
    /// The pointer is NULL, or a function is missing.
    ///
    /// # Safety
    /// The pointer is NULL or that of such a struct, whose functions do what the header says.
    pub unsafe fn new(memory: *const MemoryFunctions) -> Result<Self, UnusableArgument> {
        // SAFETY: the caller promises it.
        let memory = unsafe { crate::value(memory) }?;
        let is_whole = memory.read.is_some() && memory.write.is_some();
        if is_whole {
            Ok(Self(memory))
        } else {
            Err(UnusableArgument)
        }
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
        self.0.bytes
    }

    fn atom(&self) -> usize {
        self.0.atom.max(1) as usize
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryCode> {
        let read = self.0.read.ok_or(MemoryCode(0))?;
        // SAFETY: the caller promises that the function fills so many bytes, which are there.
        done(unsafe { read(self.0.user, at, out.as_mut_ptr().cast(), out.len()) })
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), MemoryCode> {
        let write = self.0.write.ok_or(MemoryCode(0))?;
        // SAFETY: the caller promises that the function reads so many bytes, which are there.
        done(unsafe { write(self.0.user, at, data.as_ptr().cast::<c_void>(), data.len()) })
    }

    fn persist(&mut self) -> Result<(), MemoryCode> {
        match self.0.persist {
            None => Ok(()),
            // SAFETY: the caller promises that the function can be called.
            Some(persist) => done(unsafe { persist(self.0.user) }),
        }
    }
}
