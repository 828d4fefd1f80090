//! What proves that a slot without a valid record is a commit that a power cut tore, and not a damaged record.
//!
//! A torn commit is dropped, a damaged record must not be. On a memory whose atom is the commit word itself, all else of
//! the slot was persisted before: a commit word must be found with which both checks fit. A longer atom may be an ECC word,
//! and a torn store spoils all of it, bytes of the key among them; then the proof is that no few wrong bits explain the
//! slot.

use crate::checksum::{crc32, crc32_before, crc32_step};
use crate::layout::Geometry;
use crate::short_form::fits;
use crate::slot::{DEAD, Head, is_sound, states};

/// Wrong bits that are told from a torn word: codes on dies correct one or two, and report more.
const FLIPS: u32 = 3;

/// Wrong bits of one event lie within so many bits: 16 bytes.
const SPAN: usize = 128;

/// Slots up to so many bytes are searched for three bits; in longer ones two are found.
const THREE_IN_BYTES: usize = 1024;

/// Bytes of a head that say how long its record is.
const SHAPE_BYTES: [usize; 6] = [0, 1, 4, 5, 6, 7];

/// What is the matter with a slot that holds no valid record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotFault {
    /// A power cut tore the commit of a record.
    Torn,
    /// Bits are wrong.
    Damaged,
}

/// Tells one from the other on a memory of this atom. The bytes are changed on the way, and back.
pub(crate) fn fault_of(bytes: &mut [u8], slot: u32, geometry: &Geometry, atom: usize) -> SlotFault {
    let is_torn = match atom {
        ..=2 => is_commit_alone(bytes, slot, geometry, atom.max(1)),
        _ => !is_few_flips(bytes, slot, geometry),
    };
    match is_torn {
        true => SlotFault::Torn,
        false => SlotFault::Damaged,
    }
}

/// Whether the first bytes, and nothing else, keep a slot from being a sound head, and few wrong bits do not explain
/// them.
fn is_commit_alone(bytes: &mut [u8], slot: u32, geometry: &Geometry, commit: usize) -> bool {
    let found = [bytes[0], bytes[1]];
    let short = (0..=u8::MAX).filter(|shape| {
        let (key, value) = (usize::from(shape >> 4), usize::from(shape & 15));
        key > 0 && fits(key, value, geometry.slot_bytes as usize)
    });
    let shapes = core::iter::once(0).chain(short);
    let mut is_alone = false;
    for shape in shapes.filter(|shape| commit > 1 || *shape == found[1]) {
        for state in states() {
            (bytes[0], bytes[1]) = (state, shape);
            let wrong = (state ^ found[0]).count_ones() + (shape ^ found[1]).count_ones();
            is_alone |= wrong > FLIPS && is_sound(bytes, slot, geometry);
        }
    }
    (bytes[0], bytes[1]) = (found[0], found[1]);
    is_alone
}

/// Whether a slot is a sound head but for two or three bits.
fn is_few_flips(bytes: &mut [u8], slot: u32, geometry: &Geometry) -> bool {
    is_shape_off(bytes, slot, geometry, 0, FLIPS)
}

/// The same, of which some bits may lie where the lengths are, from a bit of these on.
fn is_shape_off(bytes: &mut [u8], slot: u32, geometry: &Geometry, from: usize, left: u32) -> bool {
    if let Some(head) = Head::parse(bytes, geometry)
        && is_code_off(bytes, slot, geometry, head.end, left)
    {
        return true;
    }
    if left == 0 {
        return false;
    }
    for bit in from..8 * SHAPE_BYTES.len() {
        let (at, mask) = (SHAPE_BYTES[bit / 8], 1 << (bit % 8));
        bytes[at] ^= mask;
        let is_it = is_shape_off(bytes, slot, geometry, bit + 1, left - 1);
        bytes[at] ^= mask;
        if is_it {
            return true;
        }
    }
    false
}

/// Whether at most so many wrong bits near each other separate bytes from the CRC-32C at their end.
fn is_code_off(bytes: &mut [u8], slot: u32, geometry: &Geometry, end: usize, left: u32) -> bool {
    let Some(&[a, b, c, d]) = bytes.get(end..).and_then(|rest| rest.first_chunk()) else {
        return false;
    };
    let syndrome = crc32(&bytes[..end]) ^ u32::from_le_bytes([a, b, c, d]);
    if syndrome == 0 {
        return is_sound(bytes, slot, geometry);
    }
    // What the last bit of all does to the syndrome; each bit before it does one step more.
    const LAST: u32 = 1 << 31;
    let bits = 8 * (end + 4);
    let three = left >= 3 && geometry.slot_bytes as usize <= THREE_IN_BYTES;
    // The polynomial has an even number of terms, so that each wrong bit changes an odd number of bits.
    let is_odd = syndrome.count_ones() % 2 == 1;
    let mut sound = |places: &[usize]| {
        flip(bytes, bits, places);
        let is_sound = is_sound(bytes, slot, geometry);
        flip(bytes, bits, places);
        is_sound
    };
    let mut rest = syndrome;
    for first in 0..bits {
        // The syndrome as it were, were this bit the last one.
        let others = rest ^ LAST;
        if left >= 1 && others == 0 && sound(&[first]) {
            return true;
        }
        let end = (first + SPAN).min(bits);
        let mut one = LAST;
        for second in first + 1..end {
            one = crc32_step(one);
            if is_odd && !three || left < 2 {
                break;
            }
            if one == others && sound(&[first, second]) {
                return true;
            }
            if !is_odd || !three {
                continue;
            }
            let mut two = one;
            for third in second + 1..end {
                two = crc32_step(two);
                if one ^ two == others && sound(&[first, second, third]) {
                    return true;
                }
            }
        }
        rest = crc32_before(rest);
    }
    false
}

/// Flips bits that are counted from the last of so many.
fn flip(bytes: &mut [u8], bits: usize, places: &[usize]) {
    for place in places {
        let bit = bits - 1 - place;
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

/// Whether a state is as near to that of a dead slot as few wrong bits make it.
pub(crate) fn is_near_dead(state: u8) -> bool {
    (state ^ DEAD).count_ones() <= FLIPS
}

/// Whether a state is that of a head with two or three wrong bits.
pub(crate) fn is_few_off(state: u8, code: u8) -> bool {
    (2..=FLIPS).contains(&(state ^ code).count_ones())
}
