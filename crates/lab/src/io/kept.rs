//! What was read of a stream, kept while it is read.

use std::io::{self, BufRead, Read};

use wordline_core::quantity::ByteCount;

/// A stream that keeps what is read of it, up to so many bytes: reading on fails there.
pub(super) struct KeptBytes<R> {
    from: R,
    kept: Vec<u8>,
    most: usize,
}

impl<R> KeptBytes<R> {
    pub(super) const fn new(from: R, most: usize) -> Self {
        let kept = Vec::new();
        Self { from, kept, most }
    }

    /// What was read.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.kept
    }
}

impl<R: BufRead> BufRead for KeptBytes<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let room = self.most - self.kept.len();
        let bytes = self.from.fill_buf()?;
        match room {
            0 if !bytes.is_empty() => {
                let most = ByteCount::from_bytes(self.most as u64);
                let why = format!("the trace is larger than {most}; allowed: what fits into that");
                Err(io::Error::new(io::ErrorKind::FileTooLarge, why))
            }
            room => Ok(&bytes[..bytes.len().min(room)]),
        }
    }

    fn consume(&mut self, count: usize) {
        // What is buffered already is there again without a look at the stream.
        if let Ok(bytes) = self.from.fill_buf() {
            self.kept.extend_from_slice(&bytes[..count]);
        }
        self.from.consume(count);
    }
}

impl<R: BufRead> Read for KeptBytes<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_kept_and_no_more_than_allowed() {
        let mut kept = KeptBytes::new(&b"one\ntwo\nthree"[..], 8);
        let mut line = String::new();
        kept.read_line(&mut line).expect("it is short");
        assert_eq!(
            (line.as_str(), kept.kept.as_slice()),
            ("one\n", &b"one\n"[..])
        );
        kept.read_line(&mut line).expect("it is short");
        let error = kept.read_line(&mut line).expect_err("it is long");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(kept.into_bytes(), b"one\ntwo\n");
        let mut whole = KeptBytes::new(&b"one"[..], 3);
        line.clear();
        whole.read_to_string(&mut line).expect("it fits");
        assert_eq!(whole.into_bytes(), b"one");
    }
}
