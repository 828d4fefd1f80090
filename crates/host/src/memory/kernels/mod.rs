//! The loops that read and write memory as fast as a processor can, and the walk along a chain of pointers.
//!
//! A [`Kernel`] is a mix of reads and writes, a kind of store, and a set of instructions. It walks *streams*, separate
//! buffers of equal length, line by line from the first to the last. A *step* is one line of every stream. Its *logical* bytes are those
//! that the program loads and stores. Its *bus* bytes are those that go over the bus of a memory larger than the caches: a
//! plain store reads the line first. The two are different quantities, and no figure adds one to the other.
//!
//! | mix | plain stores: streams | bus, lines read + written | past the caches: streams | bus |
//! |---|---|---|---|---|
//! | 1:0 | reads one | 1 + 0 | as plain | 1 + 0 |
//! | 1:1 | changes one in place | 1 + 1 | reads one, writes another | 1 + 1 |
//! | 2:1 | reads one, changes another | 2 + 1 | reads two, writes a third | 2 + 1 |
//! | 3:1 | reads two, changes a third | 3 + 1 | reads three, writes a fourth | 3 + 1 |
//! | copy | reads one, writes another | 2 + 1 | the same | 1 + 1 |
//! | triad | reads two, writes a third | 3 + 1 | the same | 2 + 1 |
//!
//! The last stream is the one that is written. `n:m` mixes write the sum of the words read plus one, copy what it read, and
//! triad `b + 3·c` of 64-bit floats, in two roundings on every set. What [`Kernel::run`] returns is the sum of the
//! words read, modulo 2⁶⁴, so that no read can be left out.
//!
//! Every set is compared with the plain loops of `portable.rs`, byte by byte, and the order of addresses is
//! watched with page faults: `tests/kernel_order.rs`. `work.rs` has the one list from which all sets are made.
//!
//! # Speed
//! Best of ten samples of `cargo bench -p wordline-host --bench kernels`, one thread, in GB/s of logical bytes. The machine was a
//! virtual one of two cores of an AMD EPYC (Zen 4), and other programs ran meanwhile.
//!
//! | bytes | mix | portable | SSE2 | AVX2 | AVX-512 |
//! |---|---|---|---|---|---|
//! | 16 KiB, first cache | 1:0 | 42 | 100 | 191 | 159 |
//! | | copy, plain | 42 | 52 | 97 | 76 |
//! | | triad, plain | 33 | 42 | 73 | 72 |
//!
//! From the second cache on, samples varied by a factor of two while other programs ran, and the sets did not differ by more.
//! From memory, AVX2 on arrays of 128 MiB in pages of 4 KiB, best pass in GB/s and as a ratio to STREAM's (gcc 12,
//! `-O3 -march=native -fopenmp`), alternated four times by `scripts/compare-stream`:
//!
//! | threads | copy, plain | copy, past | triad, plain | triad, past |
//! |---|---|---|---|---|
//! | 1 | 20.8, 1.10 | 28.6, 1.51 | 22.3, 1.13 | 30.4, 1.54 |
//! | 2 | 29.2, 1.73 | 57.5, 3.42 | 30.3, 1.63 | 47.1, 2.53 |
//!
//! Two threads of STREAM wait for each other where the machine is shared, which the ratios of the second row show. Pages
//! of 2 MiB brought another third to half on one thread.

mod chain;
mod error;
mod portable;
#[cfg(test)]
mod tests;
mod work;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

pub(super) use chain::leave_caches;
pub use chain::{ChainLink, chase};
pub use error::KernelError;
use work::LineWork;

/// Bytes of a line, on every processor that these kernels are for.
const LINE: usize = 64;

/// What the triad multiplies by: that of STREAM.
const SCALAR: f64 = 3.0;

/// The most streams that a kernel walks.
const MOST_STREAMS: usize = 4;

/// Instructions that a kernel is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelSet {
    /// Plain loops, as the compiler translates them.
    Portable,
    /// Vectors of 16 bytes, on x86_64.
    Sse2,
    /// Vectors of 32 bytes, on x86_64.
    Avx2,
    /// Vectors of 64 bytes, on x86_64.
    Avx512,
    /// Pairs of vectors of 16 bytes, on aarch64.
    Neon,
}

impl KernelSet {
    /// Every set, the widest vectors last.
    pub const ALL: [Self; 5] = [
        Self::Portable,
        Self::Neon,
        Self::Sse2,
        Self::Avx2,
        Self::Avx512,
    ];

    /// Those that this processor has, the widest vectors last. The portable one is always there.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL
            .into_iter()
            .filter(|set| set.is_available())
            .collect()
    }

    /// What a measurement takes unless a set is named: AVX2, where it is there, else the widest vectors.
    ///
    /// AVX-512 is not taken by itself: from memory it was 5 to 15 percent slower with plain stores where both were measured, and some
    /// processors lower their clock for it.
    #[must_use]
    pub fn best() -> Self {
        if Self::Avx2.is_available() {
            return Self::Avx2;
        }
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Whether this processor has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => std::arch::is_x86_feature_detected!("sse2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }
}

impl fmt::Display for KernelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for KernelSet {
    type Err = KernelError;

    fn from_str(name: &str) -> Result<Self, KernelError> {
        Self::ALL
            .into_iter()
            .find(|set| set.name() == name)
            .ok_or_else(|| KernelError::UnknownSet { name: name.into() })
    }
}

/// How many lines go over the bus in each direction, or which of STREAM's loops is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelMix {
    /// Reads alone.
    Reads,
    /// Three lines read for each written.
    ThreeToOne,
    /// Two lines read for each written.
    TwoToOne,
    /// As many lines read as written.
    OneToOne,
    /// `c = a`.
    Copy,
    /// `a = b + s·c`, of 64-bit floats.
    Triad,
}

impl KernelMix {
    /// Every mix.
    pub const ALL: [Self; 6] = [
        Self::Reads,
        Self::ThreeToOne,
        Self::TwoToOne,
        Self::OneToOne,
        Self::Copy,
        Self::Triad,
    ];

    /// As the command line spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "1:0",
            Self::ThreeToOne => "3:1",
            Self::TwoToOne => "2:1",
            Self::OneToOne => "1:1",
            Self::Copy => "copy",
            Self::Triad => "triad",
        }
    }

    /// Lines of a step that a program waits for or stores past the caches: reads, a read before a store included, and the
    /// stores of copy and triad. Lines that the caches write back come by themselves, in the mixes of `wordline dram` too.
    #[must_use]
    pub const fn paced_accesses(self) -> u32 {
        match self {
            Self::Reads | Self::OneToOne => 1,
            Self::TwoToOne | Self::Copy => 2,
            Self::ThreeToOne | Self::Triad => 3,
        }
    }
}

/// How a kernel writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelStores {
    /// Into the caches, which read a line before a part of it changes.
    Plain,
    /// Past the caches, without reading the line first. On aarch64 that is a hint.
    NonTemporal,
}

/// A wait within a pass, which lowers the rate of its accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePause {
    /// Turns of a loop of one subtraction and its jump: one core cycle each on processors that predict a taken jump every cycle.
    ///
    /// The loop needs nothing that was loaded, so a processor that works out of order waits while earlier loads are under way.
    pub cycles: u64,
    /// Lines of each stream between two waits; 0 counts as 1. Between waits the loop is left and entered again, which takes
    /// some ten cycles that come on top.
    pub lines: u32,
}

/// A loop over streams, for one mix, one kind of store and one set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    set: KernelSet,
    mix: KernelMix,
    stores: KernelStores,
}

impl Kernel {
    /// The kernel of these instructions, this mix and these stores.
    ///
    /// # Errors
    /// When this processor has no such instructions, or the set has no stores past the caches: the portable one.
    pub fn new(set: KernelSet, mix: KernelMix, stores: KernelStores) -> Result<Self, KernelError> {
        if !set.is_available() {
            return Err(KernelError::SetMissing { set });
        }
        let kernel = Self { set, mix, stores };
        let past = stores == KernelStores::NonTemporal && mix != KernelMix::Reads;
        if set == KernelSet::Portable && past {
            return Err(KernelError::NoStoresPastCaches { set });
        }
        Ok(kernel)
    }

    /// Its instructions.
    #[must_use]
    pub const fn set(&self) -> KernelSet {
        self.set
    }

    /// Its mix.
    #[must_use]
    pub const fn mix(&self) -> KernelMix {
        self.mix
    }

    /// How it writes.
    #[must_use]
    pub const fn stores(&self) -> KernelStores {
        self.stores
    }

    /// Separate buffers of equal length that a pass walks. The last is the one that is written.
    #[must_use]
    pub const fn streams(&self) -> usize {
        self.work().streams()
    }

    /// Bytes that a step loads and stores.
    #[must_use]
    pub const fn logical_bytes_per_step(&self) -> u64 {
        let lines = match (self.mix, self.stores) {
            (KernelMix::Reads, _) => 1,
            (KernelMix::OneToOne | KernelMix::Copy, _) => 2,
            (KernelMix::TwoToOne | KernelMix::Triad, _) => 3,
            (KernelMix::ThreeToOne, _) => 4,
        };
        lines * LINE as u64
    }

    /// Bytes that a step reads over the bus at most, of a memory larger than the caches.
    ///
    /// The line that a plain store reads first is derived, not counted: processors of Arm leave it out where whole lines are
    /// written in sequence (write streaming), and some of Intel where the bus is busy (SpecI2M).
    #[must_use]
    pub const fn bus_read_bytes_per_step(&self) -> u64 {
        let lines = match (self.mix, self.stores) {
            (KernelMix::Reads | KernelMix::OneToOne, _) => 1,
            (KernelMix::TwoToOne, _) => 2,
            (KernelMix::ThreeToOne, _) => 3,
            (KernelMix::Copy, KernelStores::Plain) => 2,
            (KernelMix::Copy, KernelStores::NonTemporal) => 1,
            (KernelMix::Triad, KernelStores::Plain) => 3,
            (KernelMix::Triad, KernelStores::NonTemporal) => 2,
        };
        lines * LINE as u64
    }

    /// Bytes that a step writes over the bus, of a memory larger than the caches.
    #[must_use]
    pub const fn bus_written_bytes_per_step(&self) -> u64 {
        match self.mix {
            KernelMix::Reads => 0,
            _ => LINE as u64,
        }
    }

    /// Whether it can walk these streams.
    ///
    /// # Errors
    /// When there are more or fewer than [`streams`](Self::streams), their lengths differ or are no whole lines of 64
    /// bytes, or one does not start at a line.
    pub fn check(&self, streams: &[&mut [u8]]) -> Result<(), KernelError> {
        if streams.len() != self.streams() {
            return Err(KernelError::StreamCount {
                found: streams.len(),
                expected: self.streams(),
            });
        }
        for (stream, bytes) in streams.iter().enumerate() {
            let (found, expected) = (bytes.len(), streams[0].len());
            if !found.is_multiple_of(LINE) {
                return Err(KernelError::StreamLength { stream, found });
            }
            if found != expected {
                return Err(KernelError::StreamLengths {
                    stream,
                    found,
                    expected,
                });
            }
            let address = bytes.as_ptr() as usize;
            if !address.is_multiple_of(LINE) {
                return Err(KernelError::StreamAlignment { stream, address });
            }
        }
        Ok(())
    }

    /// Writes what a memory of numbers would hold: 1.0, 2.0 and so on, another number in each stream.
    ///
    /// The triad needs it before it is timed, because some processors take a hundred cycles for a number that is no *normal* float,
    /// and the words that other mixes leave are such.
    pub fn fill(&self, streams: &mut [&mut [u8]]) {
        for (number, stream) in streams.iter_mut().enumerate() {
            let value = (number as f64 + 1.0).to_ne_bytes();
            for word in stream.chunks_exact_mut(value.len()) {
                word.copy_from_slice(&value);
            }
        }
    }

    /// One pass over all lines of the streams, from the first to the last; gives the sum of the 64-bit words read, modulo 2⁶⁴.
    ///
    /// When it returns, stores past the caches are visible to every processor.
    ///
    /// # Panics
    /// When [`check`](Self::check) refuses the streams.
    pub fn run(&self, streams: &mut [&mut [u8]], pause: Option<LinePause>) -> u64 {
        if let Err(error) = self.check(streams) {
            panic!("{error}");
        }
        let bytes = streams[0].len();
        let part = pause.map_or(bytes, |pause| pause.lines.max(1) as usize * LINE);
        let (mut at, mut sum) = (0, 0u64);
        while at < bytes {
            let end = bytes.min(at + part);
            sum = sum.wrapping_add(pass(self.set, self.work(), streams, at..end));
            if let Some(pause) = pause
                && end - at == part
            {
                chain::wait(pause.cycles);
            }
            at = end;
        }
        if self.stores == KernelStores::NonTemporal {
            fence();
        }
        sum
    }

    const fn work(&self) -> LineWork {
        match (self.mix, self.stores) {
            (KernelMix::Reads, _) => LineWork::Read,
            (KernelMix::OneToOne, KernelStores::Plain) => LineWork::Modify1,
            (KernelMix::TwoToOne, KernelStores::Plain) => LineWork::Modify2,
            (KernelMix::ThreeToOne, KernelStores::Plain) => LineWork::Modify3,
            (KernelMix::Copy, KernelStores::Plain) => LineWork::Copy,
            (KernelMix::Triad, KernelStores::Plain) => LineWork::Triad,
            (KernelMix::OneToOne, KernelStores::NonTemporal) => LineWork::Write1,
            (KernelMix::TwoToOne, KernelStores::NonTemporal) => LineWork::Write2,
            (KernelMix::ThreeToOne, KernelStores::NonTemporal) => LineWork::Write3,
            (KernelMix::Copy, KernelStores::NonTemporal) => LineWork::CopyPast,
            (KernelMix::Triad, KernelStores::NonTemporal) => LineWork::TriadPast,
        }
    }
}

/// One pass over these bytes of each stream. The set is one that this processor has, and the streams are as
/// [`Kernel::check`] wants them.
fn pass(set: KernelSet, work: LineWork, streams: &mut [&mut [u8]], bytes: Range<usize>) -> u64 {
    if set == KernelSet::Portable {
        return portable::pass(work, streams, bytes);
    }
    let mut places = [streams[0][bytes.clone()].as_mut_ptr(); MOST_STREAMS];
    for (place, stream) in places.iter_mut().zip(streams) {
        *place = stream[bytes.clone()].as_mut_ptr();
    }
    // SAFETY: `Kernel::new` lets no set through that the processor lacks. The streams are exclusive borrows of which these
    // bytes are a part, whole lines, and as many as the work uses.
    unsafe {
        match set {
            #[cfg(target_arch = "x86_64")]
            KernelSet::Sse2 => sse2::pass(work, places, bytes.len()),
            #[cfg(target_arch = "x86_64")]
            KernelSet::Avx2 => avx2::pass(work, places, bytes.len()),
            #[cfg(target_arch = "x86_64")]
            KernelSet::Avx512 => avx512::pass(work, places, bytes.len()),
            #[cfg(target_arch = "aarch64")]
            KernelSet::Neon => neon::pass(work, places, bytes.len()),
            other => unreachable!("{other} on a processor without it"),
        }
    }
}

/// Waits until stores past the caches are visible to all.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86_64 processor has SSE, of which the instruction is a part.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a barrier alone.
    unsafe {
        std::arch::asm!("dmb ish", options(nostack));
    }
}
