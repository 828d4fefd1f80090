//! Memories that are read and written byte by byte, with no erase: MRAM, FRAM, DRAM, a mapped file.

use core::fmt;

/// A memory that is addressed in bytes and needs no erase before a write.
///
/// A write that returned is visible to later reads at once, and survives a power cut after the
/// next [`persist`](ByteMemory::persist). Of a write that a power cut interrupts, each
/// [`atom`](ByteMemory::atom) is old or new; atoms may land in any order unless the device says
/// more.
pub trait ByteMemory {
    /// What can go wrong.
    type Error;

    /// Capacity in bytes.
    fn len(&self) -> u64;

    /// Whether the memory holds no bytes at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The unit in bytes that a power cut leaves whole: old or new, never torn.
    fn atom(&self) -> usize;

    /// Fills `out` with the bytes at `at`.
    ///
    /// # Errors
    /// When the range `at..at + out.len()` leaves the memory, or the device fails. `out` is then
    /// unspecified.
    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), Self::Error>;

    /// Says that some of the `bytes` bytes at `at` are likely to be read next. A memory behind a cache may fetch them
    /// meanwhile. Most do nothing, and none reports an error: the range may leave the memory.
    #[inline]
    fn prefetch(&mut self, at: u64, bytes: u64) {
        let _ = (at, bytes);
    }

    /// Stores `data` at `at`.
    ///
    /// # Errors
    /// When the range `at..at + data.len()` leaves the memory (nothing is written then), or the
    /// device fails.
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), Self::Error>;

    /// Whether the processor sees the memory in its address space, so that software can [`load`](Self::load) and
    /// [`store`](Self::store) single words of it. Where it does not, these two are accesses like all others.
    #[inline]
    fn is_mapped(&self) -> bool {
        false
    }

    /// A [`read`](Self::read) by instructions of the software itself, without a call of a driver: of a byte or of a
    /// word of the processor.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    #[inline]
    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), Self::Error> {
        self.read(at, out)
    }

    /// The same for a [`write`](Self::write).
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    #[inline]
    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), Self::Error> {
        self.write(at, data)
    }

    /// Returns when every earlier write survives a power cut.
    ///
    /// # Errors
    /// When the device fails.
    fn persist(&mut self) -> Result<(), Self::Error>;
}

/// An access that leaves the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// First byte of the access.
    pub at: u64,
    /// Length of the access in bytes.
    pub bytes: u64,
    /// Capacity of the memory in bytes.
    pub capacity: u64,
}

impl OutOfRange {
    /// Checks an access against a capacity, both in bytes.
    ///
    /// # Errors
    /// Returns the access itself when it leaves the memory.
    pub fn check(at: u64, bytes: u64, capacity: u64) -> Result<(), Self> {
        match at.checked_add(bytes) {
            Some(end) if end <= capacity => Ok(()),
            _ => Err(Self {
                at,
                bytes,
                capacity,
            }),
        }
    }
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} bytes at address {} leave a memory of {} bytes",
            self.bytes, self.at, self.capacity
        )
    }
}

impl core::error::Error for OutOfRange {}

/// `N` bytes of plain RAM behind the contract: the reference that simulated devices are compared
/// with, and a home for engines in tests.
#[derive(Clone, Debug)]
pub struct RamMemory<const N: usize> {
    bytes: [u8; N],
}

impl<const N: usize> RamMemory<N> {
    /// A memory of zeros.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; N] }
    }
}

impl<const N: usize> Default for RamMemory<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> ByteMemory for RamMemory<N> {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        N as u64
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, out.len() as u64, N as u64)?;
        let start = at as usize;
        out.copy_from_slice(&self.bytes[start..start + out.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, data.len() as u64, N as u64)?;
        let start = at as usize;
        self.bytes[start..start + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_read_back_and_its_neighbours_stay() {
        let mut memory = RamMemory::<16>::new();
        memory.write(4, &[1, 2, 3]).expect("inside");
        let mut all = [9; 16];
        memory.read(0, &mut all).expect("inside");
        assert_eq!(all, [0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(memory.len(), 16);
        assert!(!memory.is_empty());
    }

    #[test]
    fn an_access_across_the_end_is_refused_and_changes_nothing() {
        let mut memory = RamMemory::<16>::new();
        let refused = OutOfRange {
            at: 15,
            bytes: 2,
            capacity: 16,
        };
        assert_eq!(memory.write(15, &[1, 2]), Err(refused));
        assert_eq!(memory.read(15, &mut [0; 2]), Err(refused));
        let mut last = [9];
        memory.read(15, &mut last).expect("inside");
        assert_eq!(last, [0]);
    }

    #[test]
    fn an_address_that_overflows_is_refused() {
        assert!(OutOfRange::check(u64::MAX, 2, u64::MAX).is_err());
        assert!(OutOfRange::check(16, 0, 16).is_ok());
        assert!(OutOfRange::check(17, 0, 16).is_err());
    }
}
