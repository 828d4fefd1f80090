//! Plain loops over words: what every other set of instructions is compared with, and what runs on any processor.
//!
//! The compiler chooses the instructions. There are no stores past the caches in plain Rust, and [`Kernel::new`] refuses them
//! with this set; the loops for them exist so that the other sets have something to be compared with.
//!
//! [`Kernel::new`]: super::Kernel::new

use std::ops::Range;

use super::work::LineWork;
use super::{LINE, SCALAR};

/// A line as words.
fn words(line: &[u8]) -> [u64; LINE / 8] {
    let mut words = [0; LINE / 8];
    for (word, bytes) in words.iter_mut().zip(line.chunks_exact(8)) {
        *word = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    }
    words
}

fn store(line: &mut [u8], words: [u64; LINE / 8]) {
    for (bytes, word) in line.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
}

/// One pass over these bytes, whole lines, of each stream; gives the sum of the words read.
pub(super) fn pass(work: LineWork, streams: &mut [&mut [u8]], bytes: Range<usize>) -> u64 {
    let mut sums = [0u64; LINE / 8];
    let mut add = |line: [u64; LINE / 8]| {
        for (sum, word) in sums.iter_mut().zip(line) {
            *sum = sum.wrapping_add(word);
        }
        line
    };
    let both = |a: [u64; LINE / 8], b: [u64; LINE / 8]| {
        let mut sum = a;
        for (sum, word) in sum.iter_mut().zip(b) {
            *sum = sum.wrapping_add(word);
        }
        sum
    };
    let one = [1; LINE / 8];
    let lines = bytes.step_by(LINE).map(|at| at..at + LINE);
    match (work, streams) {
        (LineWork::Read, [a]) => {
            for at in lines {
                add(words(&a[at]));
            }
        }
        (LineWork::Modify1, [a]) => {
            for at in lines {
                let read = add(words(&a[at.clone()]));
                store(&mut a[at], both(read, one));
            }
        }
        (LineWork::Modify2, [a, b]) => {
            for at in lines {
                let read = add(both(words(&a[at.clone()]), words(&b[at.clone()])));
                store(&mut b[at], both(read, one));
            }
        }
        (LineWork::Modify3, [a, b, c]) => {
            for at in lines {
                let read = both(words(&a[at.clone()]), words(&b[at.clone()]));
                let read = add(both(read, words(&c[at.clone()])));
                store(&mut c[at], both(read, one));
            }
        }
        (LineWork::Write1, [a, into]) => {
            for at in lines {
                let read = add(words(&a[at.clone()]));
                store(&mut into[at], both(read, one));
            }
        }
        (LineWork::Write2, [a, b, into]) => {
            for at in lines {
                let read = add(both(words(&a[at.clone()]), words(&b[at.clone()])));
                store(&mut into[at], both(read, one));
            }
        }
        (LineWork::Write3, [a, b, c, into]) => {
            for at in lines {
                let read = both(words(&a[at.clone()]), words(&b[at.clone()]));
                let read = add(both(read, words(&c[at.clone()])));
                store(&mut into[at], both(read, one));
            }
        }
        (LineWork::Copy | LineWork::CopyPast, [a, into]) => {
            for at in lines {
                let read = add(words(&a[at.clone()]));
                store(&mut into[at], read);
            }
        }
        (LineWork::Triad | LineWork::TriadPast, [b, c, into]) => {
            for at in lines {
                let (b, c) = (add(words(&b[at.clone()])), add(words(&c[at.clone()])));
                let mut out = b;
                for (out, c) in out.iter_mut().zip(c) {
                    *out = (f64::from_bits(*out) + SCALAR * f64::from_bits(c)).to_bits();
                }
                store(&mut into[at], out);
            }
        }
        (work, streams) => unreachable!("{work:?} of {} streams", streams.len()),
    }
    sums.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}
