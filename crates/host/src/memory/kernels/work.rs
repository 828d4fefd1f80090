//! What is done to a line: the one list of loads, sums and stores from which every set of instructions is made.

/// What a pass does to a line of each of its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineWork {
    /// Reads one.
    Read,
    /// Reads none to two others, and changes the last where it stands.
    Modify1,
    Modify2,
    Modify3,
    /// Reads one to three, and writes another past the caches.
    Write1,
    Write2,
    Write3,
    Copy,
    CopyPast,
    Triad,
    TriadPast,
}

impl LineWork {
    /// Streams that are walked; the last is the one written.
    pub(super) const fn streams(self) -> usize {
        match self {
            Self::Read | Self::Modify1 => 1,
            Self::Modify2 | Self::Write1 | Self::Copy | Self::CopyPast => 2,
            Self::Modify3 | Self::Write2 | Self::Triad | Self::TriadPast => 3,
            Self::Write3 => 4,
        }
    }
}

/// The instructions for one vector of a line, `$at` bytes from the turn's first, as text for `asm!`.
///
/// `$set` gives the text of each operation on the registers `x` and `y`, and has in others the number one in each word,
/// and the scalar. `$sum` names the registers that the words read are added to.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! vector_work {
    ($set:ident Read $sum:tt $line:literal $at:literal) => {
        $set!(add_memory $sum s0 $line $at)
    };
    ($set:ident Modify1 $sum:tt $line:literal $at:literal) => {
        concat!($set!(load x s0 $line $at), $set!(add $sum x), $set!(add_one x), $set!(store s0 $line $at))
    };
    ($set:ident Modify2 $sum:tt $line:literal $at:literal) => {
        concat!(
            $set!(load x s0 $line $at), $set!(load y s1 $line $at), $set!(add_y),
            $set!(add $sum x), $set!(add_one x), $set!(store s1 $line $at)
        )
    };
    ($set:ident Modify3 $sum:tt $line:literal $at:literal) => {
        concat!(
            $set!(load x s0 $line $at), $set!(load y s1 $line $at), $set!(add_y), $set!(load y s2 $line $at), $set!(add_y),
            $set!(add $sum x), $set!(add_one x), $set!(store s2 $line $at)
        )
    };
    ($set:ident Write1 $sum:tt $line:literal $at:literal) => {
        concat!($set!(load x s0 $line $at), $set!(add $sum x), $set!(add_one x), $set!(store_past s1 $line $at))
    };
    ($set:ident Write2 $sum:tt $line:literal $at:literal) => {
        concat!(
            $set!(load x s0 $line $at), $set!(load y s1 $line $at), $set!(add_y),
            $set!(add $sum x), $set!(add_one x), $set!(store_past s2 $line $at)
        )
    };
    ($set:ident Write3 $sum:tt $line:literal $at:literal) => {
        concat!(
            $set!(load x s0 $line $at), $set!(load y s1 $line $at), $set!(add_y), $set!(load y s2 $line $at), $set!(add_y),
            $set!(add $sum x), $set!(add_one x), $set!(store_past s3 $line $at)
        )
    };
    ($set:ident Copy $sum:tt $line:literal $at:literal) => {
        concat!($set!(load x s0 $line $at), $set!(add $sum x), $set!(store s1 $line $at))
    };
    ($set:ident CopyPast $sum:tt $line:literal $at:literal) => {
        concat!($set!(load x s0 $line $at), $set!(add $sum x), $set!(store_past s1 $line $at))
    };
    ($set:ident Triad $sum:tt $line:literal $at:literal) => {
        concat!(
            $set!(load x s0 $line $at), $set!(add $sum x), $set!(load y s1 $line $at), $set!(add $sum y),
            $set!(multiply_add), $set!(store s2 $line $at)
        )
    };
    ($set:ident TriadPast $sum:tt $line:literal $at:literal) => {
        concat!(
            $set!(load x s0 $line $at), $set!(add $sum x), $set!(load y s1 $line $at), $set!(add $sum y),
            $set!(multiply_add), $set!(store_past s2 $line $at)
        )
    };
}

/// The function `pass` of a set: `$walk` with the work that a value of [`LineWork`] names.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! passes {
    ($set:ident, $walk:ident, $words:literal) => {
        /// One pass over `bytes`, whole lines, of each stream; gives the sum of the words read.
        ///
        /// # Safety
        /// The processor has these instructions. Each stream that the work uses starts at a line and may be read for
        /// `bytes`; the one that it writes may be written, and nothing else uses it.
        pub(super) unsafe fn pass(work: LineWork, streams: [*mut u8; 4], bytes: usize) -> u64 {
            let mut sums = [0u64; $words];
            let (into, constants) = (sums.as_mut_ptr(), CONSTANTS.as_ptr());
            macro_rules! walk {
                                ($work:ident) => {
                                    // SAFETY: the caller vouches for instructions and streams; index and offsets stay below `bytes`, and
                                    // the sums that are stored at the end fill the array.
                                    unsafe { $walk!($set, $work, streams, bytes, constants, into) }
                                };
                            }
            match work {
                LineWork::Read => walk!(Read),
                LineWork::Modify1 => walk!(Modify1),
                LineWork::Modify2 => walk!(Modify2),
                LineWork::Modify3 => walk!(Modify3),
                LineWork::Write1 => walk!(Write1),
                LineWork::Write2 => walk!(Write2),
                LineWork::Write3 => walk!(Write3),
                LineWork::Copy => walk!(Copy),
                LineWork::CopyPast => walk!(CopyPast),
                LineWork::Triad => walk!(Triad),
                LineWork::TriadPast => walk!(TriadPast),
            }
            sums.iter().fold(0, |sum, word| sum.wrapping_add(*word))
        }
    };
}

/// What the loops take from memory once: the number one, and the scalar of the triad.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) static CONSTANTS: [u64; 2] = [1, super::SCALAR.to_bits()];

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use {passes, vector_work};
