//! One frame: from the bytes between two delimiters to its content.

/// Longest frame without delimiters; what is longer between two zeros is noise.
pub(super) const LONGEST_FRAME: usize = 64;
/// The version that is read.
pub(super) const VERSION: u8 = 1;

/// The content of a frame with a right CRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Header(FrameHeader),
    /// A header of a version that is not known here.
    OtherVersion(u8),
    Access {
        sequence: u8,
        is_write: bool,
        /// Cycles from the end of the access before to the end of this one.
        delta: u64,
        duration: u64,
        bytes: u64,
        offset: Option<u64>,
    },
    Lost {
        sequence: u8,
        count: u64,
    },
    Gap {
        sequence: u8,
        wraps: u64,
    },
}

/// The content of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHeader {
    /// Whether it is the first since the recorder was started.
    pub(super) is_first: bool,
    pub(super) bits: u8,
    pub(super) hz: u32,
    /// Number of the next frame, from 0.
    pub(super) sequence: u32,
    /// End of the last access before, in cycles since the recorder's first reading.
    pub(super) end: u64,
    /// Records reported lost before.
    pub(super) lost: u32,
}

/// Whether the bytes between two delimiters are a header by their form, of whatever version, sound or damaged.
pub(super) fn is_header(stuffed: &[u8]) -> bool {
    let mut buffer = [0; LONGEST_FRAME];
    unstuffed(stuffed, &mut buffer).is_some_and(|bytes| bytes.starts_with(b"WLR1"))
}

/// The content of the bytes between two delimiters, or nothing when they are no frame.
pub(super) fn decode(stuffed: &[u8]) -> Option<Frame> {
    let mut buffer = [0; LONGEST_FRAME];
    let bytes = unstuffed(stuffed, &mut buffer)?;
    let (payload, crc) = bytes.split_last_chunk::<2>()?;
    if u16::from_le_bytes(*crc) != crc16(payload) {
        return None;
    }
    let mut rest = RemainingBytes(payload);
    let frame = match rest.byte()? {
        b'W' => header(&mut rest)?,
        kind @ 0x10..=0x13 => Frame::Access {
            sequence: rest.byte()?,
            is_write: kind & 1 == 1,
            delta: rest.varint()?,
            duration: rest.varint()?,
            bytes: rest.varint()?,
            offset: if kind & 2 == 2 {
                Some(rest.varint()?)
            } else {
                None
            },
        },
        0x20 => Frame::Lost {
            sequence: rest.byte()?,
            count: rest.varint()?,
        },
        0x30 => Frame::Gap {
            sequence: rest.byte()?,
            wraps: rest.varint()?,
        },
        _ => return None,
    };
    (rest.0.is_empty() || matches!(frame, Frame::OtherVersion(_))).then_some(frame)
}

fn header(rest: &mut RemainingBytes<'_>) -> Option<Frame> {
    for expected in *b"LR1" {
        if rest.byte()? != expected {
            return None;
        }
    }
    let version = rest.byte()?;
    if version != VERSION {
        return Some(Frame::OtherVersion(version));
    }
    let flags = rest.byte()?;
    let header = FrameHeader {
        is_first: flags & 1 == 1,
        bits: rest.byte()?,
        hz: u32::try_from(rest.varint()?).ok()?,
        sequence: u32::try_from(rest.varint()?).ok()?,
        end: rest.varint()?,
        lost: u32::try_from(rest.varint()?).ok()?,
    };
    let sound = header.hz > 0 && (8..=64).contains(&header.bits) && flags <= 1;
    sound.then_some(Frame::Header(header))
}

/// Undoes the stuffing of zeros: each block begins with the distance to the next zero. A frame is shorter
/// than the longest block, so that every block but the last stands for a zero.
fn unstuffed<'b>(stuffed: &[u8], buffer: &'b mut [u8; LONGEST_FRAME]) -> Option<&'b [u8]> {
    let mut length = 0;
    let mut rest = stuffed;
    while let Some((&code, behind)) = rest.split_first() {
        let block = behind.get(..usize::from(code).checked_sub(1)?)?;
        buffer
            .get_mut(length..length + block.len())?
            .copy_from_slice(block);
        length += block.len();
        rest = &behind[block.len()..];
        if !rest.is_empty() {
            *buffer.get_mut(length)? = 0;
            length += 1;
        }
    }
    buffer.get(..length)
}

/// CRC-16 with polynomial 1021h, from FFFFh, highest bit first.
fn crc16(data: &[u8]) -> u16 {
    data.iter().fold(0xFFFF, |crc, &byte| {
        (0..8).fold(crc ^ u16::from(byte) << 8, |crc, _| {
            (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 }
        })
    })
}

struct RemainingBytes<'a>(&'a [u8]);

impl RemainingBytes<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Seven bits a byte, lowest first, in the fewest bytes.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return (byte != 0 || shift == 0).then_some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_is_the_catalogued_one() {
        // The check value of CRC-16/IBM-3740 over the digits 1 to 9.
        assert_eq!(crc16(b"123456789"), 0x29B1);
    }

    #[test]
    fn varints_beyond_64_bits_or_longer_than_needed_are_refused() {
        let read = |bytes: &[u8]| RemainingBytes(bytes).varint();
        assert_eq!(read(&[0x00]), Some(0));
        assert_eq!(read(&[0xE5, 0x8E, 0x26]), Some(624_485));
        let largest = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
        assert_eq!(read(&largest), Some(u64::MAX));
        let mut beyond = largest;
        beyond[9] = 0x02;
        assert_eq!(read(&beyond), None);
        assert_eq!(read(&[0x80, 0x00]), None);
        assert_eq!(read(&[0x80]), None);
    }

    #[test]
    fn stuffing_is_undone_and_impossible_distances_are_refused() {
        let mut buffer = [0; LONGEST_FRAME];
        let plain = unstuffed(&[2, 7, 1, 3, 8, 9], &mut buffer).map(<[u8]>::to_vec);
        assert_eq!(plain, Some(vec![7, 0, 0, 8, 9]));
        assert_eq!(unstuffed(&[5, 1], &mut buffer), None);
        assert_eq!(unstuffed(&[0, 1], &mut buffer), None);
    }
}
