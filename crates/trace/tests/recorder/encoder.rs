//! A plain encoder of the recorder's format, written from its description: what the C header must send, bit for
//! bit, and what the decoder is held against.

use crate::recorder::framed::framed;

/// Frames in the order in which they are told.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hz: u32,
    pub(crate) bits: u8,
    sequence: u32,
    end: u64,
    lost: u32,
    until_header: u32,
    is_first: bool,
}

/// One access in cycles since the recorder's first reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) is_write: bool,
    pub(crate) end: u64,
    pub(crate) duration: u64,
    pub(crate) bytes: u64,
    pub(crate) offset: Option<u64>,
}

impl Encoder {
    pub(crate) fn new(hz: u32, bits: u8) -> Self {
        let mut encoder = Self {
            bytes: Vec::new(),
            hz,
            bits,
            sequence: 0,
            end: 0,
            lost: 0,
            until_header: 64,
            is_first: true,
        };
        encoder.header();
        encoder
    }

    pub(crate) fn header(&mut self) {
        let mut payload = b"WLR1\x01".to_vec();
        payload.push(u8::from(self.is_first));
        payload.push(self.bits);
        payload.extend(varint(u64::from(self.hz)));
        payload.extend(varint(u64::from(self.sequence)));
        payload.extend(varint(self.end));
        payload.extend(varint(u64::from(self.lost)));
        self.is_first = false;
        self.until_header = 64;
        self.bytes.extend(framed(&payload));
    }

    pub(crate) fn access(&mut self, access: Access) {
        let kind = 0x10 | u8::from(access.is_write) | u8::from(access.offset.is_some()) << 1;
        let mut body = varint(access.end - self.end);
        body.extend(varint(access.duration));
        body.extend(varint(access.bytes));
        body.extend(access.offset.into_iter().flat_map(varint));
        self.end = access.end;
        self.counted(kind, &body);
    }

    pub(crate) fn lost(&mut self, count: u32) {
        self.lost += count;
        self.counted(0x20, &varint(u64::from(count)));
    }

    pub(crate) fn gap(&mut self, wraps: u64) {
        self.counted(0x30, &varint(wraps));
    }

    fn counted(&mut self, kind: u8, body: &[u8]) {
        let mut payload = vec![kind, self.sequence as u8];
        payload.extend(body);
        self.sequence += 1;
        self.bytes.extend(framed(&payload));
        self.until_header -= 1;
        if self.until_header == 0 {
            self.header();
        }
    }
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
