//! Compressed files, read as what they hold: gzip and zstd, known by their first bytes.
//!
//! Everything is streamed. Memory is what the format's window takes, 128 MiB at most, whatever the file expands to.
//! Several members or frames behind each other are one file, as `cat` and parallel compressors write them. Checksums
//! are compared, and a file that ends in the middle is an error and not a short log.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Bytes that show the format.
const MAGIC: usize = 4;

/// Times its own size that a compressed file may expand to, beyond 64 MiB. Logs and traces reach 5 to 100 times.
pub const EXPANSION_MAX: u64 = 500;

/// Bytes that any compressed file may expand to.
const FREE_BYTES: u64 = 64 << 20;

/// Bytes that are expanded at once.
const CHUNK: usize = 256 << 10;

/// Reads a file that may be compressed with gzip or zstd as what it holds, and any other as it is. Every reader of logs
/// and traces is given its file through this.
///
/// Nothing is read before the first byte is asked for. Errors of reading are those of the file. A compressed file that is
/// cut off, damaged, or expands to more than [`EXPANSION_MAX`] times its size is an error of the kind
/// [`InvalidData`](io::ErrorKind::InvalidData).
#[must_use]
pub fn unpacked<'a>(reader: Box<dyn BufRead + 'a>) -> Box<dyn BufRead + 'a> {
    Box::new(MaybePacked::Fresh(reader))
}

/// A file, before and after its first bytes were looked at.
enum MaybePacked<'a> {
    Fresh(Box<dyn BufRead + 'a>),
    Known(Box<dyn BufRead + 'a>),
}

impl<'a> MaybePacked<'a> {
    fn known(&mut self) -> io::Result<&mut Box<dyn BufRead + 'a>> {
        if let Self::Fresh(reader) = self {
            // Looked at where they lie if they can be: who asks what kind of file it is sees as much of it as without this.
            let mut start = Vec::with_capacity(MAGIC);
            let at_once = reader.fill_buf()?;
            let form = match at_once.get(..MAGIC) {
                Some(magic) => PackedForm::of(magic),
                None => {
                    reader.take(MAGIC as u64).read_to_end(&mut start)?;
                    PackedForm::of(&start)
                }
            };
            let reader = std::mem::replace(reader, Box::new(io::empty()));
            *self = Self::Known(match form {
                Some(form) => form.open(Cursor::new(start).chain(reader)),
                None if start.is_empty() => reader,
                None => Box::new(Cursor::new(start).chain(reader)),
            });
        }
        match self {
            Self::Fresh(reader) | Self::Known(reader) => Ok(reader),
        }
    }
}

impl Read for MaybePacked<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.known()?.read(out)
    }
}

impl BufRead for MaybePacked<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.known()?.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Self::Fresh(reader) | Self::Known(reader) => reader.consume(amount),
        }
    }
}

/// A form of compression.
#[derive(Clone, Copy)]
enum PackedForm {
    Gzip,
    Zstd,
}

impl PackedForm {
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1F, 0x8B, 8, ..] => Some(Self::Gzip),
            // A frame, or one that is to be skipped.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Self::Zstd),
            // Cut off within what shows the form: no text begins so.
            [0x1F, 0x8B] => Some(Self::Gzip),
            [0x28, 0xB5, 0x2F] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The name, and the program that expands it.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Gzip => ("gzip", "zcat"),
            Self::Zstd => ("zstd", "zstdcat"),
        }
    }

    fn open<'a>(self, whole: WholeFile<'a>) -> Box<dyn BufRead + 'a> {
        let seen = Rc::new(PackedState::default());
        let file = PackedFile {
            file: whole,
            seen: Rc::clone(&seen),
        };
        let bytes: Box<dyn Read + 'a> = match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(file)),
            Self::Zstd => Box::new(ZstdFrames {
                file,
                decoder: FrameDecoder::new(),
                is_open: false,
            }),
        };
        let expanded = ExpandedFile {
            bytes,
            form: self,
            seen,
            count: 0,
            start: Vec::new(),
        };
        Box::new(BufReader::with_capacity(CHUNK, expanded))
    }
}

/// A file with the bytes that were looked at.
type WholeFile<'a> = Chain<Cursor<Vec<u8>>, Box<dyn BufRead + 'a>>;

/// What was seen of a compressed file.
#[derive(Default)]
struct PackedState {
    /// Bytes that were taken from it.
    bytes: Cell<u64>,
    /// Whether its end was seen.
    ended: Cell<bool>,
    /// Why it could not be read.
    fault: RefCell<Option<io::Error>>,
}

/// A compressed file, watched: a decoder's error says little about whose fault it is.
struct PackedFile<'a> {
    file: WholeFile<'a>,
    seen: Rc<PackedState>,
}

/// Keeps what the file failed with.
fn watch<T>(seen: &PackedState, found: io::Result<T>) -> io::Result<T> {
    found.map_err(|error| {
        let kind = error.kind();
        if kind != io::ErrorKind::Interrupted {
            seen.fault.replace(Some(error));
        }
        kind.into()
    })
}

impl Read for PackedFile<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = watch(&self.seen, self.file.read(out))?;
        self.seen.bytes.set(self.seen.bytes.get() + read as u64);
        if read == 0 && !out.is_empty() {
            self.seen.ended.set(true);
        }
        Ok(read)
    }
}

impl BufRead for PackedFile<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = watch(&self.seen, self.file.fill_buf())?;
        if bytes.is_empty() {
            self.seen.ended.set(true);
        }
        Ok(bytes)
    }

    fn consume(&mut self, amount: usize) {
        self.seen.bytes.set(self.seen.bytes.get() + amount as u64);
        self.file.consume(amount);
    }
}

/// What a compressed file holds, with errors that say what happened.
struct ExpandedFile<'a> {
    bytes: Box<dyn Read + 'a>,
    form: PackedForm,
    seen: Rc<PackedState>,
    /// Bytes that were handed out.
    count: u64,
    /// The first of them.
    start: Vec<u8>,
}

impl ExpandedFile<'_> {
    fn packed_twice(&self, inner: PackedForm) -> io::Error {
        let ((outer, program), (inner, _)) = (self.form.names(), inner.names());
        let problem = format!(
            "the {outer} data are compressed twice, {inner} within {outer}; allowed: once. Expand them with {program}, and \
             give what comes of it"
        );
        io::Error::new(io::ErrorKind::InvalidData, problem)
    }

    fn explained(&self, error: &io::Error) -> io::Error {
        if let Some(fault) = self.seen.fault.take() {
            return fault;
        }
        let (name, _) = self.form.names();
        let problem = if self.seen.ended.get() {
            format!(
                "the {name} data end in the middle, {} bytes into the expanded file: it is cut off, or still being \
                 written",
                self.count
            )
        } else {
            format!(
                "the {name} data are damaged, {} bytes into the expanded file: {error}",
                self.count
            )
        };
        io::Error::new(io::ErrorKind::InvalidData, problem)
    }
}

impl Read for ExpandedFile<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = match self.bytes.read(out) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => return Err(self.explained(&error)),
        };
        // The first bytes may come in pieces.
        if self.start.len() < MAGIC {
            let more = out[..read].iter().take(MAGIC - self.start.len());
            self.start.extend(more);
            if self.start.len() == MAGIC
                && let Some(inner) = PackedForm::of(&self.start)
            {
                return Err(self.packed_twice(inner));
            }
        }
        self.count += read as u64;
        let most = FREE_BYTES.saturating_add(self.seen.bytes.get().saturating_mul(EXPANSION_MAX));
        if self.count > most {
            let (name, program) = self.form.names();
            let problem = format!(
                "the {name} data expand to more than {EXPANSION_MAX} times their size, which no log does; if they are \
                 meant, pipe them through {program}"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        Ok(read)
    }
}

/// The frames of a zstd file, one behind the other.
struct ZstdFrames<R> {
    file: R,
    decoder: FrameDecoder,
    is_open: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    /// Begins the next frame; `false` at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.file.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let skipped = match self.decoder.reset(&mut self.file) {
                Ok(()) => {
                    self.is_open = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => u64::from(length),
                Err(error) => return Err(io::Error::other(error)),
            };
            let mut rest = self.file.by_ref().take(skipped);
            if io::copy(&mut rest, &mut io::sink())? < skipped {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn check(&self) -> io::Result<()> {
        let told = self.decoder.get_checksum_from_data();
        match told.is_none() || told == self.decoder.get_calculated_checksum() {
            true => Ok(()),
            false => Err(io::Error::other("the checksum is another")),
        }
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_open && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.file, one);
                decoded.map_err(io::Error::other)?;
            }
            let read = self.decoder.read(out)?;
            if read > 0 {
                return Ok(read);
            }
            self.check()?;
            self.is_open = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("into memory");
        encoder.finish().expect("into memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    /// Who asks what kind of log it is looks at the line of names in the buffer.
    #[test]
    fn a_plain_file_shows_as_much_as_its_reader_does() {
        let text = b"operation,access_bytes,latency_us\n";
        let mut reader = unpacked(Box::new(BufReader::new(&text[..])));
        assert_eq!(reader.fill_buf().expect("from memory"), text);
    }

    /// What is read through a buffer of so many bytes.
    fn read(bytes: &[u8], buffer: usize) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let reader = BufReader::with_capacity(buffer, bytes);
        unpacked(Box::new(reader)).read_to_end(&mut out)?;
        Ok(out)
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_out(
            bytes in proptest::collection::vec(0u8..4, 0..5000),
            cut in any::<prop::sample::Index>(),
            buffer in 1usize..100,
        ) {
            prop_assert_eq!(&read(&bytes, buffer).expect("readable"), &bytes);
            for pack in [gzip, zstd] {
                let packed = pack(&bytes);
                prop_assert_eq!(&read(&packed, buffer).expect("sound"), &bytes);
                let twice = [&packed[..], &packed[..]].concat();
                prop_assert_eq!(read(&twice, buffer).expect("sound"), bytes.repeat(2));
                // A cut behind the first bytes is seen; a file of none or of three is no compressed one.
                let cut = MAGIC + cut.index(packed.len() - MAGIC);
                let error = read(&packed[..cut], buffer).expect_err("cut");
                prop_assert_eq!(error.kind(), io::ErrorKind::InvalidData);
                prop_assert!(error.to_string().contains("end in the middle"), "{}", error);
            }
        }

        #[test]
        fn what_is_damaged_is_seen(
            bytes in proptest::collection::vec(any::<u8>(), 1..500),
            place in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            // Neither the time nor the system in the header of gzip is checked by anything.
            let mut packed = gzip(&bytes);
            let place = 10 + place.index(packed.len() - 10);
            packed[place] ^= 1 << bit;
            // Bits behind the end of the deflated data, up to the next byte, mean nothing.
            if let Ok(read) = read(&packed, 64) {
                prop_assert_eq!(read, bytes);
            }
        }
    }

    #[test]
    fn a_zstd_checksum_is_compared_and_other_frames_are_skipped() {
        let mut packed = zstd(b"a line\n");
        let skipped = [&[0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &packed].concat();
        assert_eq!(read(&skipped, 5).expect("sound"), b"a line\n");
        assert!(read(&skipped[..10], 5).is_err());
        let last = packed.len() - 1;
        packed[last] ^= 1;
        let error = read(&packed, 5).expect_err("damaged").to_string();
        assert!(error.contains("zstd data are damaged"), "{error}");
    }

    #[test]
    fn what_expands_without_end_is_refused() {
        // A frame of blocks that each repeat a byte 128 KiB times.
        let mut bomb = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x58];
        for _ in 0..1 << 16 {
            let header = 2 | (128 << 10) << 3_u32;
            bomb.extend(&u32::to_le_bytes(header)[..3]);
            bomb.push(b'7');
        }
        let mut reader = unpacked(Box::new(&bomb[..]));
        let error = io::copy(&mut reader, &mut io::sink()).expect_err("a bomb");
        let error = error.to_string();
        assert!(error.contains("more than 500 times"), "{error}");
        assert!(error.contains("zstdcat"), "{error}");
    }

    #[test]
    fn what_is_packed_twice_or_cut_within_its_first_bytes_is_named() {
        let error = |bytes: Vec<u8>| {
            let mut out = Vec::new();
            let mut reader = unpacked(Box::new(Cursor::new(bytes)));
            let error = reader.read_to_end(&mut out).expect_err("refused");
            error.to_string()
        };
        let twice = error(gzip(&gzip(b"time,address\n")));
        assert!(
            twice.contains("twice") && twice.contains("gzip within gzip"),
            "{twice}"
        );
        let mixed = error(zstd(&gzip(b"time,address\n")));
        assert!(mixed.contains("gzip within zstd"), "{mixed}");
        for packed in [
            gzip(b"time,address\n")[..2].to_vec(),
            zstd(b"time,address\n")[..3].to_vec(),
        ] {
            let cut = error(packed);
            assert!(cut.contains("end in the middle"), "{cut}");
        }
    }

    #[test]
    fn faults_of_the_file_are_its_own() {
        struct BrokenFile;
        impl Read for BrokenFile {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is gone"))
            }
        }
        for packed in [gzip(b"abc"), zstd(b"abc"), b"abc".to_vec()] {
            let broken = (&packed[..packed.len() - 1]).chain(BrokenFile);
            let mut reader = unpacked(Box::new(BufReader::with_capacity(4, broken)));
            let error = reader.read_to_end(&mut Vec::new()).expect_err("broken");
            assert_eq!(error.to_string(), "the disk is gone");
        }
    }
}
