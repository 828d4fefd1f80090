//! The mapping itself.

use std::io;
use std::ptr::{self, NonNull};

use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use super::super::system::{self, MappingAdvice};

/// Bytes that are mapped in one call. Between two, an interrupt can end the process.
const STEP_BYTES: usize = 256 << 20;

/// Memory of this process alone, unmapped when it goes.
#[derive(Debug)]
pub(super) struct ArenaMapping {
    /// What was mapped, guards included.
    whole: NonNull<u8>,
    whole_bytes: usize,
    /// What can be used.
    start: NonNull<u8>,
    bytes: usize,
    is_pool: bool,
}

// SAFETY: only addresses are shared; `fill` writes from the thread that it is called in, before anybody else has it.
unsafe impl Sync for ArenaMapping {}

impl ArenaMapping {
    /// Base pages, however much the kernel likes larger ones.
    pub(super) fn of_base_pages(bytes: usize) -> io::Result<Self> {
        let mapping = Self::guarded(bytes, rustix::param::page_size())?;
        match system::advise(mapping.start, bytes, MappingAdvice::BasePages) {
            Ok(()) => Ok(mapping),
            // A kernel without huge pages has no such advice.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(mapping),
            Err(error) => Err(error),
        }
    }

    /// Pages that the kernel shall make huge.
    pub(super) fn of_transparent_pages(bytes: usize, page_bytes: usize) -> io::Result<Self> {
        let mapping = Self::guarded(bytes, page_bytes)?;
        system::advise(mapping.start, bytes, MappingAdvice::HugePages)?;
        Ok(mapping)
    }

    /// Pages of the pool: 2 MiB or 1 GiB.
    pub(super) fn of_pool(bytes: usize, page_bytes: usize) -> io::Result<Self> {
        let size = match page_bytes {
            0x4000_0000 => MapFlags::HUGE_1GB,
            _ => MapFlags::HUGE_2MB,
        };
        let flags = MapFlags::PRIVATE | MapFlags::HUGETLB | size;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses a place where nothing is mapped.
        let at = unsafe { mmap_anonymous(ptr::null_mut(), bytes, access, flags)? };
        let start = NonNull::new(at.cast()).ok_or(Errno::NOMEM)?;
        Ok(Self {
            whole: start,
            whole_bytes: bytes,
            start,
            bytes,
            is_pool: true,
        })
    }

    /// Memory that begins on a border of pages. A page without access on either side keeps the kernel from joining it with
    /// a neighbour, whose pages would then be counted with it.
    fn guarded(bytes: usize, page_bytes: usize) -> io::Result<Self> {
        let guard = rustix::param::page_size();
        let extra = page_bytes.checked_add(2 * guard);
        let whole_bytes = extra.and_then(|extra| extra.checked_add(bytes));
        let whole_bytes = whole_bytes.ok_or(Errno::NOMEM)?;
        // SAFETY: the kernel chooses a place where nothing is mapped.
        let at = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                whole_bytes,
                ProtFlags::empty(),
                MapFlags::PRIVATE,
            )?
        };
        let whole = NonNull::new(at.cast::<u8>()).ok_or(Errno::NOMEM)?;
        let first = whole.addr().get() + guard;
        let offset = guard + first.next_multiple_of(page_bytes) - first;
        // SAFETY: the offset is at most the extra bytes.
        let start = unsafe { whole.add(offset) };
        let mapping = Self {
            whole,
            whole_bytes,
            start,
            bytes,
            is_pool: false,
        };
        let access = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: the range lies within what was mapped above, of which nobody else knows.
        unsafe { mprotect(start.as_ptr().cast(), bytes, access)? };
        Ok(mapping)
    }

    pub(super) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether its pages are those of the pool.
    pub(super) const fn is_pool(&self) -> bool {
        self.is_pool
    }

    /// Maps every page and writes into each base page a number of its own.
    ///
    /// Pages that held zeros, or the same, could be merged or given back by the kernel.
    pub(super) fn fill(&self, base_bytes: usize) -> io::Result<()> {
        let mut at = 0;
        while at < self.bytes {
            let bytes = STEP_BYTES.min(self.bytes - at);
            // SAFETY: the step begins within the mapping.
            let step = unsafe { self.start.add(at) };
            self.populate(step, bytes)?;
            for page in (0..bytes).step_by(base_bytes) {
                let number = ((at + page) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                // SAFETY: the page lies within the mapping, begins on a border of eight bytes, and nobody else has it yet.
                unsafe { step.add(page).cast::<u64>().write(number) };
            }
            at += bytes;
        }
        Ok(())
    }

    fn populate(&self, step: NonNull<u8>, bytes: usize) -> io::Result<()> {
        loop {
            match system::advise(step, bytes, MappingAdvice::Populate) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Before Linux 5.14 the writes map the pages. One of the pool could then end the process: a limit of a
                // control group comes as a signal.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput && !self.is_pool => {
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes huge pages of it as far as the kernel can.
    pub(super) fn collapse(&self) {
        // It stops at the first range that it cannot do; then each is tried for itself.
        if system::advise(self.start, self.bytes, MappingAdvice::Collapse).is_ok() {
            return;
        }
        const RANGE_BYTES: usize = 2 << 20;
        for at in (0..self.bytes).step_by(RANGE_BYTES) {
            let bytes = RANGE_BYTES.min(self.bytes - at);
            // SAFETY: the range begins within the mapping.
            let range = unsafe { self.start.add(at) };
            match system::advise(range, bytes, MappingAdvice::Collapse) {
                // No such advice: before Linux 6.1, or forbidden.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => return,
                Ok(()) | Err(_) => {}
            }
        }
    }
}

impl Drop for ArenaMapping {
    fn drop(&mut self) {
        // SAFETY: it is what was mapped, and no borrow of it is left. A failure leaves it mapped, which harms nobody.
        let _ = unsafe { munmap(self.whole.as_ptr().cast(), self.whole_bytes) };
    }
}
