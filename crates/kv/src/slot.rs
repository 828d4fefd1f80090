//! What a slot holds: nothing, the head of a record, or more of one. SPEC.md has the bytes.

use crate::checksum::{Flip, Residue, crc8, crc32, flipped};
use crate::layout::Geometry;
use crate::proof::{is_few_off, is_near_dead};
use crate::short_form::LONGEST_OF_SHORT;

// Any two of these differ in at least four bits, as words of the extended Hamming code, and in as many from the bytes
// 00 and FF: one wrong bit makes no state look like another, and a word that a power cut spoilt has none.
/// State of a slot whose record is gone.
pub(crate) const DEAD: u8 = 0x0F;
/// State of a slot with more of a record.
const CONTINUATION: u8 = 0xF0;
/// States of a head, by the version of its record, where its lengths have an even number of ones. Where they have an odd
/// one the state is inverted, which is another word of the code: a wrong bit in a length fits no state.
const LIVE: [u8; 4] = [0x33, 0x55, 0x66, 0x69];

/// No further slot.
pub(crate) const NONE: u32 = u32::MAX;

/// What the residue of a record covers besides key and value.
#[inline(always)]
pub(crate) const fn checked(slot: u32, version: u8, key: usize, value: usize) -> [u32; 3] {
    let lengths = key as u16 as u32 | (value as u16 as u32) << 16;
    [slot, lengths, version as u32]
}

/// Bytes before the payload of a continuation.
pub(crate) const LINK_BYTES: usize = 6;

/// Bytes of a head that a flip can change so that its lengths change.
const HEADER_BYTES_MAX: usize = 12;

/// Whether a state stands for this version or one bit of it is wrong.
fn near(state: u8, code: u8) -> bool {
    (state ^ code).count_ones() <= 1
}

/// All ones where the bits of these lengths have an odd number of ones.
#[inline(always)]
const fn odd(key: usize, value: usize) -> u8 {
    let bits = (key ^ value) as u16;
    let bits = bits ^ bits >> 8;
    let bits = bits ^ bits >> 4;
    // The parity of each number of four bits.
    0_u8.wrapping_sub((0x6996 >> (bits & 0xF) & 1) as u8)
}

/// The state of a head.
#[inline(always)]
pub(crate) const fn state_of(version: u8, key: usize, value: usize) -> u8 {
    LIVE[(version & 3) as usize] ^ odd(key, value)
}

/// The version of a head with this state, which must be exact, and these lengths.
#[inline(always)]
pub(crate) fn version_of(state: u8, key: usize, value: usize) -> Option<u8> {
    let state = state ^ odd(key, value);
    // Half the low digit of the states is 1, 2, 3, 4: no branch, which would depend on how often a record was put.
    let version = (state >> 1 & 7).wrapping_sub(1);
    (LIVE.get(usize::from(version)) == Some(&state)).then_some(version)
}

/// Every state of a head.
pub(crate) fn states() -> impl Iterator<Item = u8> {
    LIVE.into_iter().flat_map(|state| [state, !state])
}

/// Whether a state is that of some head.
fn is_live(state: u8) -> bool {
    LIVE.contains(&state) || LIVE.contains(&!state)
}

/// What the first bytes of a record say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// 0 to 3; the version after 3 is 0.
    pub(crate) version: u8,
    /// Bytes in the key and in the value.
    pub(crate) key: usize,
    pub(crate) value: usize,
    /// Residue of the record.
    pub(crate) check: u16,
    /// The next slot, or [`NONE`].
    pub(crate) next: u32,
    /// Where the payload begins in the slot, and where it ends there.
    pub(crate) body: usize,
    pub(crate) end: usize,
}

/// Bytes of a head before its payload, by the lengths and by whether one slot is enough.
pub(crate) const fn body_at(key: usize, value: usize, is_single: bool) -> usize {
    match (
        is_single,
        key <= LONGEST_OF_SHORT && value <= LONGEST_OF_SHORT,
    ) {
        (false, _) => 12,
        (true, false) => 8,
        (true, true) => 4,
    }
}

impl Head {
    /// Of a record that begins in a slot of this table.
    #[inline]
    pub(crate) fn new(geometry: &Geometry, version: u8, key: usize, value: usize) -> Self {
        let is_single = geometry.slots_of(key, value) == 1;
        let body = body_at(key, value, is_single);
        let end = if is_single {
            body + key + value
        } else {
            geometry.slot_bytes as usize - 4
        };
        Self {
            version,
            key,
            value,
            check: 0,
            next: NONE,
            body,
            end,
        }
    }

    /// How many of the first bytes `parse` needs, of which the first four are given; `None` where they are no head.
    pub(crate) fn header_bytes(bytes: &[u8]) -> Option<usize> {
        if !is_live(*bytes.first()?) {
            return None;
        }
        Some(if *bytes.get(1)? == 0 {
            HEADER_BYTES_MAX
        } else {
            4
        })
    }

    /// Reads a head, whose state must be exact.
    #[inline]
    pub(crate) fn parse(bytes: &[u8], geometry: &Geometry) -> Option<Self> {
        let (state, shape) = (*bytes.first()?, *bytes.get(1)?);
        let half = |at: usize| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let (key, value) = if shape == 0 {
            (usize::from(half(4)?), usize::from(half(6)?))
        } else {
            (usize::from(shape >> 4), usize::from(shape & 15))
        };
        if key == 0 {
            return None;
        }
        let version = version_of(state, key, value)?;
        let mut head = Self::new(geometry, version, key, value);
        // A form that is not the one which these lengths have is none.
        if (head.body == 4) != (shape != 0) {
            return None;
        }
        head.check = half(2)?;
        if head.body == 12 {
            head.next = u32::from(half(8)?) | u32::from(half(10)?) << 16;
        }
        Some(head)
    }

    /// Whether the record lies in one slot.
    pub(crate) const fn is_single(&self) -> bool {
        self.body != 12
    }

    /// Bytes of the payload in the head's slot.
    pub(crate) const fn first(&self) -> usize {
        self.end - self.body
    }

    /// The residue of everything but key and value, at its slot.
    pub(crate) const fn begin_check(&self, slot: u32) -> Residue {
        Residue::new(checked(slot, self.version, self.key, self.value))
    }

    /// Writes a head, what of the payload lies in its slot, and the slot's CRC-32C into a buffer of one slot; returns how
    /// many bytes these are.
    pub(crate) fn compose(&self, key: &[u8], value: &[u8], out: &mut [u8]) -> usize {
        out[0] = state_of(self.version, self.key, self.value);
        out[2..4].copy_from_slice(&self.check.to_le_bytes());
        if self.body == 4 {
            out[1] = (self.key << 4 | self.value) as u8;
        } else {
            out[1] = 0;
            out[4..6].copy_from_slice(&(self.key as u16).to_le_bytes());
            out[6..8].copy_from_slice(&(self.value as u16).to_le_bytes());
        }
        if self.body == 12 {
            out[8..12].copy_from_slice(&self.next.to_le_bytes());
        }
        copy_payload(key, value, 0, &mut out[self.body..self.end]);
        let check = crc32(&out[..self.end]);
        out[self.end..self.end + 4].copy_from_slice(&check.to_le_bytes());
        self.end + 4
    }
}

/// Fills `out` with what lies `from` bytes into the key with the value behind it.
pub(crate) fn copy_payload(key: &[u8], value: &[u8], from: usize, out: &mut [u8]) {
    let of_key = key.get(from..).unwrap_or_default();
    let (first, rest) = out.split_at_mut(of_key.len().min(out.len()));
    first.copy_from_slice(&of_key[..first.len()]);
    let from = (from + first.len()).saturating_sub(key.len());
    rest.copy_from_slice(&value[from..from + rest.len()]);
}

/// The first bytes of a continuation of the record whose head is in slot `head`.
pub(crate) fn link(head: u32, next: u32) -> [u8; LINK_BYTES] {
    let ([a, b, c, d], [e, f, g, h]) = (next.to_le_bytes(), head.to_le_bytes());
    let check = crc8(&[CONTINUATION, a, b, c, d, e, f, g, h]);
    [CONTINUATION, check, a, b, c, d]
}

/// The slot after a continuation; `None` where the bytes are no continuation of this record.
pub(crate) fn parse_link(bytes: [u8; LINK_BYTES], head: u32) -> Option<u32> {
    let [_, _, a, b, c, d] = bytes;
    let next = u32::from_le_bytes([a, b, c, d]);
    (link(head, next) == bytes).then_some(next)
}

/// A record, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) slot: u32,
    pub(crate) head: Head,
    /// The bit of the head's slot that reads wrong, or the bits of its state.
    pub(crate) flip: Option<Flip>,
}

/// What a whole slot turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotContent {
    /// Free.
    Dead,
    /// Part of a record if that record's head says so; otherwise free.
    Continuation,
    /// The head of a record.
    Live(Record),
    /// No valid record: a torn commit or damage, which [`fault_of`](crate::proof::fault_of) tells apart.
    Unknown,
}

/// Judges the bytes of a whole slot. They are changed on the way, and back.
pub(crate) fn inspect(bytes: &mut [u8], slot: u32, geometry: &Geometry) -> SlotContent {
    let state = bytes[0];
    if near(state, DEAD) {
        return SlotContent::Dead;
    }
    if near(state, CONTINUATION) {
        return SlotContent::Continuation;
    }
    let is_near_live = |code: &u8| near(state, *code) || near(state, !code);
    if !LIVE.iter().any(is_near_live) {
        return match state_off(bytes, slot, geometry) {
            Some((head, flip)) => SlotContent::Live(Record {
                slot,
                head,
                flip: Some(flip),
            }),
            None => SlotContent::Unknown,
        };
    }
    if let Some(head) = sound(bytes, slot, geometry) {
        return SlotContent::Live(Record {
            slot,
            head,
            flip: None,
        });
    }
    match one_bit_off(bytes, slot, geometry) {
        Some((head, flip)) => SlotContent::Live(Record {
            slot,
            head,
            flip: Some(flip),
        }),
        None => SlotContent::Unknown,
    }
}

/// The head of a slot whose checks fit.
fn sound(bytes: &[u8], slot: u32, geometry: &Geometry) -> Option<Head> {
    let head = Head::parse(bytes, geometry)?;
    let stored = bytes.get(head.end..head.end + 4)?;
    if crc32(&bytes[..head.end]).to_le_bytes() != stored {
        return None;
    }
    let check = head.begin_check(slot).with(&bytes[head.body..head.end]);
    (!head.is_single() || check.value() == head.check).then_some(head)
}

/// Whether a slot is a head whose checks fit.
pub(crate) fn is_sound(bytes: &[u8], slot: u32, geometry: &Geometry) -> bool {
    sound(bytes, slot, geometry).is_some()
}

/// A head of which only the state is wrong, by two or three bits, and which those of a dead slot are not: whether these
/// bits are damage or what a power cut left of a commit, the record is one that may be there.
fn state_off(bytes: &mut [u8], slot: u32, geometry: &Geometry) -> Option<(Head, Flip)> {
    let found = bytes[0];
    if is_near_dead(found) {
        return None;
    }
    let head = states()
        .filter(|code| is_few_off(found, *code))
        .find_map(|code| {
            bytes[0] = code;
            let mask = code ^ found;
            sound(bytes, slot, geometry).map(|head| (head, Flip { at: 0, mask }))
        });
    bytes[0] = found;
    head
}

fn one_bit_off(bytes: &mut [u8], slot: u32, geometry: &Geometry) -> Option<(Head, Flip)> {
    let tried = |bytes: &mut [u8], flip: Flip| {
        bytes[flip.at] ^= flip.mask;
        let head = sound(bytes, slot, geometry);
        bytes[flip.at] ^= flip.mask;
        head.map(|head| (head, flip))
    };
    // A wrong bit of the header may have changed the lengths, so that each is tried.
    for at in 0..HEADER_BYTES_MAX.min(bytes.len()) {
        for bit in 0..8 {
            let found = tried(bytes, Flip { at, mask: 1 << bit });
            if found.is_some() {
                return found;
            }
        }
    }
    let head = Head::parse(bytes, geometry)?;
    let [a, b, c, d] = *bytes.get(head.end..)?.first_chunk::<4>()?;
    let flip = flipped(&bytes[..head.end], u32::from_le_bytes([a, b, c, d]))?;
    tried(bytes, flip)
}
