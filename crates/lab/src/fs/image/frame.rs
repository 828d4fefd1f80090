//! Records of a journal: a head of 20 bytes, and what it heads.

use std::io::{self, Read};

use super::bytes::{FieldReader, checksum};

/// Bytes of a head: length, number, records made sure, kind and checksum, 4 bytes each.
pub(super) const HEAD_BYTES: usize = 20;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The first one: which image it continues.
    Start,
    /// Which process writes from here on.
    Holder,
    /// What one call of a program changed.
    Call,
}

impl FrameKind {
    const ALL: [Self; 3] = [Self::Start, Self::Holder, Self::Call];

    const fn code(self) -> u32 {
        match self {
            Self::Start => 1,
            Self::Holder => 2,
            Self::Call => 3,
        }
    }
}

/// What stands before the bytes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHead {
    pub(super) bytes: u32,
    /// Records before it.
    pub(super) number: u32,
    /// Records that a sync had made sure when it was written.
    pub(super) synced: u32,
    pub(super) kind: FrameKind,
    checksum: u32,
}

impl FrameHead {
    /// Appends a record.
    pub(super) fn push(
        out: &mut Vec<u8>,
        number: u32,
        synced: u32,
        kind: FrameKind,
        payload: &[u8],
    ) {
        let fields = [payload.len() as u32, number, synced, kind.code()];
        let head: Vec<u8> = fields
            .iter()
            .flat_map(|field| field.to_le_bytes())
            .collect();
        out.extend_from_slice(&head);
        out.extend_from_slice(&checksum(&[&head, payload]).to_le_bytes());
        out.extend_from_slice(payload);
    }

    /// A head, where these bytes can be one.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = FieldReader(bytes);
        let (bytes, number, synced) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let code = fields.u32()?;
        let kind = FrameKind::ALL
            .into_iter()
            .find(|kind| kind.code() == code)?;
        let checksum = fields.u32()?;
        Some(Self {
            bytes,
            number,
            synced,
            kind,
            checksum,
        })
    }

    fn holds(&self, head: &[u8], payload: &[u8]) -> bool {
        self.checksum == checksum(&[&head[..HEAD_BYTES - 4], payload])
    }
}

/// Reads the next record of a journal with so many bytes left; `None` where it is torn, or none.
pub(super) fn read_frame(
    from: &mut impl Read,
    left: u64,
) -> io::Result<Option<(FrameHead, Vec<u8>)>> {
    if left < HEAD_BYTES as u64 {
        return Ok(None);
    }
    let mut head = [0; HEAD_BYTES];
    from.read_exact(&mut head)?;
    let Some(frame) = FrameHead::parse(&head) else {
        return Ok(None);
    };
    if u64::from(frame.bytes) > left - HEAD_BYTES as u64 {
        return Ok(None);
    }
    let mut payload = vec![0; frame.bytes as usize];
    from.read_exact(&mut payload)?;
    Ok(frame.holds(&head, &payload).then_some((frame, payload)))
}

/// A whole record somewhere in some bytes, written when a sync had made sure of more than `number` records.
pub(super) fn find_later_frame(tail: &[u8], number: u32) -> Option<FrameHead> {
    // A record takes its head at least, which bounds the numbers that can stand here.
    let most = u64::from(number) + (tail.len() / HEAD_BYTES) as u64;
    (0..tail.len()).find_map(|at| {
        let head = tail.get(at..at + HEAD_BYTES)?;
        let frame = FrameHead::parse(head)?;
        if frame.synced <= number || u64::from(frame.number) > most {
            return None;
        }
        let payload = tail[at + HEAD_BYTES..].get(..frame.bytes as usize)?;
        frame.holds(head, payload).then_some(frame)
    })
}
