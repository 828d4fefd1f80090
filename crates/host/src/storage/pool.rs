//! Memory that accesses read into and write from.

use std::io;
use std::ptr::{self, NonNull};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// Bytes of random content that writes go round in, at least: more than file systems compress at a time, and little
/// enough for a core's cache.
const ROUND_BYTES: u64 = 256 << 10;

/// Alignment of each buffer, which suits every storage.
const ALIGNMENT: u64 = 4096;

/// Buffers of one mapping: one after the other for each access that may be under way, several of them where writes need
/// fresh content.
#[derive(Debug)]
pub(super) struct BufferPool {
    map: NonNull<u8>,
    bytes: usize,
    access_bytes: usize,
    stride: usize,
    rounds: usize,
}

// SAFETY: the mapping belongs to the value alone, and any thread may use it.
unsafe impl Send for BufferPool {}

impl BufferPool {
    /// Rounds that give writes content enough.
    pub(super) fn rounds(slots: u32, access_bytes: u64) -> u64 {
        let each = access_bytes.next_multiple_of(ALIGNMENT) * u64::from(slots);
        (ROUND_BYTES / each).max(1)
    }

    /// Buffers for `slots` accesses at a time, `rounds` of each.
    pub(super) fn new(slots: u32, access_bytes: u64, rounds: u64) -> io::Result<Self> {
        let stride = access_bytes.next_multiple_of(ALIGNMENT);
        let bytes = stride
            .checked_mul(u64::from(slots))
            .and_then(|bytes| bytes.checked_mul(rounds))
            .and_then(|bytes| usize::try_from(bytes).ok())
            .filter(|bytes| *bytes > 0)
            .ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::POPULATE;
        // SAFETY: a new anonymous mapping at an address that the kernel chooses touches no other memory.
        let map = unsafe { mmap_anonymous(ptr::null_mut(), bytes, protection, flags) }?;
        let map = NonNull::new(map.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self {
            map,
            bytes,
            access_bytes: access_bytes as usize,
            stride: stride as usize,
            rounds: rounds as usize,
        })
    }

    /// All of it.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is this long, was filled with zeros, and is borrowed with the value.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_ptr(), self.bytes) }
    }

    /// Bytes of an access.
    pub(super) const fn access_bytes(&self) -> usize {
        self.access_bytes
    }

    /// Start and length of the whole mapping.
    pub(super) const fn whole(&self) -> (*mut u8, usize) {
        (self.map.as_ptr(), self.bytes)
    }

    /// The buffer of a slot in a round.
    #[inline]
    pub(super) fn pointer(&self, slot: u32, round: u64) -> *mut u8 {
        let index = slot as usize * self.rounds + round as usize % self.rounds;
        debug_assert!((index + 1) * self.stride <= self.bytes);
        // SAFETY: `index` is below slots × rounds, so that the buffer lies within the mapping.
        unsafe { self.map.as_ptr().add(index * self.stride) }
    }

    /// The same as bytes, for a slot whose access is not under way.
    #[inline]
    pub(super) fn buffer_mut(&mut self, slot: u32, round: u64) -> &mut [u8] {
        let start = self.pointer(slot, round);
        // SAFETY: the buffer lies within the mapping, and nothing else refers to it: no access is under way, and the
        // value is borrowed.
        unsafe { std::slice::from_raw_parts_mut(start, self.access_bytes) }
    }
}

impl Drop for BufferPool {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and whoever handed its addresses to the kernel has taken them back before.
        let _ = unsafe { munmap(self.map.as_ptr().cast(), self.bytes) };
    }
}
