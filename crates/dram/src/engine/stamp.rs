//! Clocks that remember why.

use crate::observer::WaitCause;

/// The first clock at which something may happen, with the cause of the rule that says so in its low bits: the
/// greatest of several stamps is the rule that decides.
pub(super) type Stamp = u64;

/// Bits that hold the cause.
const BITS: u32 = 4;

/// Clocks from which stamps would overflow.
pub(super) const CLOCKS_MAX: u64 = 1 << 56;

/// Of the first cause a stamp holds the clock alone: distances with other causes may be added to it.
pub(super) const fn stamp(at: u64, cause: WaitCause) -> Stamp {
    (at << BITS) | cause as u64
}

pub(super) const fn clock(stamp: Stamp) -> u64 {
    stamp >> BITS
}

pub(super) fn cause(stamp: Stamp) -> usize {
    (stamp & ((1 << BITS) - 1)) as usize
}

/// Puts off what a stamp stands for.
#[inline]
pub(super) fn raise(target: &mut Stamp, to: Stamp) {
    *target = (*target).max(to);
}

/// The same, to a clock for a cause.
#[inline]
pub(super) fn put_off(target: &mut Stamp, at: u64, cause: WaitCause) {
    raise(target, stamp(at, cause));
}
