//! The short form of a record, which most small records have: read and written in registers, without a loop or a call.
//! [`Head`](crate::slot::Head) knows it too, among the other forms.

use crate::checksum::{Crc32, residue_of_few};
use crate::few::{FEW, copy_few};
use crate::slot::{checked, state_of, version_of};

/// Bytes of the longest key, and of the longest value.
pub(crate) const LONGEST_OF_SHORT: usize = 15;

/// Bytes before the key.
pub(crate) const HEAD_BYTES: usize = 4;

/// Bytes of the CRC-32C behind the value.
pub(crate) const TAIL_BYTES: usize = 4;

/// Bytes of the longest, with room behind it for the zeros that its last piece ends in.
const ROOM: usize = HEAD_BYTES + 2 * LONGEST_OF_SHORT + FEW;

/// Whether a record of such lengths has the short form in slots of so many bytes.
#[inline(always)]
pub(crate) const fn fits(key: usize, value: usize, slot_bytes: usize) -> bool {
    key <= LONGEST_OF_SHORT
        && value <= LONGEST_OF_SHORT
        && HEAD_BYTES + key + value + TAIL_BYTES <= slot_bytes
}

/// What the first bytes of a short form say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortHead {
    pub(crate) version: u8,
    /// Bytes in the key and in the value.
    pub(crate) key: usize,
    pub(crate) value: usize,
    pub(crate) check: u16,
}

impl ShortHead {
    /// Reads a head, whose state must be exact; `None` for other forms.
    #[inline(always)]
    pub(crate) fn parse(bytes: &[u8], slot_bytes: usize) -> Option<Self> {
        let [state, shape, a, b] = *bytes.first_chunk()?;
        let (key, value) = (usize::from(shape >> 4), usize::from(shape & 15));
        let head = Self {
            version: version_of(state, key, value)?,
            key,
            value,
            check: u16::from_le_bytes([a, b]),
        };
        (head.key > 0 && fits(head.key, head.value, slot_bytes)).then_some(head)
    }

    /// Whether the residue fits this key and this value, at a slot.
    #[inline(always)]
    pub(crate) fn is_proven(&self, slot: u32, key: &[u8], value: &[u8]) -> bool {
        residue_of_few(
            checked(slot, self.version, key.len(), value.len()),
            key,
            value,
        ) == self.check
    }
}

/// A record as it is written.
#[derive(Debug)]
pub(crate) struct ShortForm {
    bytes: [u8; ROOM],
    length: usize,
}

impl ShortForm {
    /// Of a record that [`fits`].
    #[inline(always)]
    pub(crate) fn new(slot: u32, version: u8, key: &[u8], value: &[u8]) -> Self {
        let words = checked(slot, version, key.len(), value.len());
        let [a, b] = residue_of_few(words, key, value).to_le_bytes();
        let shape = (key.len() << 4 | value.len()) as u8;
        let state = state_of(version, key.len(), value.len());
        let head = [state, shape, a, b];
        // What is written here is not read again at once, for which a processor would have to wait.
        let check = Crc32::new()
            .at_once(head)
            .with_inline(key)
            .with_inline(value)
            .value();
        let end = HEAD_BYTES + key.len() + value.len();
        let mut form = Self {
            bytes: [0; ROOM],
            length: end + TAIL_BYTES,
        };
        // Each piece ends in zeros, which the next one takes.
        form.put(0, &head);
        form.put(HEAD_BYTES, key);
        form.put(HEAD_BYTES + key.len(), value);
        form.put(end, &check.to_le_bytes());
        form
    }

    #[inline(always)]
    fn put(&mut self, at: usize, bytes: &[u8]) {
        if let Some(out) = self.bytes[at..].first_chunk_mut() {
            copy_few(bytes, out);
        }
    }

    /// Head, key, value and CRC-32C.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Geometry;
    use crate::slot::Head;

    const GEOMETRY: Geometry = Geometry {
        slot_bytes: 38,
        buckets: 1,
        resident_directory: false,
        seed: 0,
        alignment: 64,
    };

    /// The residue does not show it: another length makes it one of other bytes.
    #[test]
    fn no_wrong_bit_of_state_or_lengths_leaves_a_head() {
        for (key, value) in (1..=15).flat_map(|key| (0..=15).map(move |value| (key, value))) {
            let form = ShortForm::new(5, 1, &[0xA5; 15][..key], &[0x5A; 15][..value]);
            assert!(ShortHead::parse(form.bytes(), 38).is_some());
            for bit in 0..16 {
                let mut bytes = form.bytes().to_vec();
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(
                    ShortHead::parse(&bytes, 38),
                    None,
                    "{key}/{value}, bit {bit}"
                );
            }
        }
    }

    /// Every pair of lengths, as the head that knows all forms writes and reads it.
    #[test]
    fn it_is_the_form_that_the_head_of_all_forms_knows() {
        let payload: [u8; 30] = core::array::from_fn(|place| (place * 73 + 5) as u8);
        for (key, value) in
            (0..=LONGEST_OF_SHORT).flat_map(|key| (0..=15).map(move |value| (key, value)))
        {
            let (key, value) = (&payload[..key], &payload[15..15 + value]);
            let slot = 0x0123_4567;
            let mut head = Head::new(&GEOMETRY, 2, key.len(), value.len());
            head.check = head.begin_check(slot).with(key).with(value).value();
            let mut expected = [0xEE; 38];
            let length = head.compose(key, value, &mut expected);
            let form = ShortForm::new(slot, 2, key, value);
            assert_eq!(form.bytes(), &expected[..length]);

            let read = ShortHead::parse(form.bytes(), 38);
            let by_all = Head::parse(form.bytes(), &GEOMETRY);
            assert_eq!(
                read.is_some(),
                by_all.is_some(),
                "a key has a byte at least"
            );
            if let (Some(read), Some(by_all)) = (read, by_all) {
                assert_eq!((read.version, read.key), (by_all.version, by_all.key));
                assert_eq!((read.value, read.check), (by_all.value, by_all.check));
                assert!(read.is_proven(slot, key, value));
                assert!(!read.is_proven(slot + 1, key, value));
                assert_eq!(ShortHead::parse(form.bytes(), length - 1), None);
            }
        }
    }
}
