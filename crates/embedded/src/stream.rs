//! Memories of bytes as `embedded-io` sees them.

use core::fmt::Debug;

use embedded_io::{ErrorType, Read, Seek, SeekFrom, Write};
use wordline_memory::ByteMemory;

use crate::error::StreamError;

/// A byte memory with a place in it, at which the next read or write begins.
///
/// A flush makes earlier writes last. A read at the end gives no bytes, a write there fails.
///
/// ```
/// use embedded_io::{Read, Seek, SeekFrom, Write};
/// use wordline_embedded::Stream;
/// use wordline_memory::RamMemory;
///
/// let mut log = Stream::new(RamMemory::<64>::new());
/// log.write_all(b"wordline")?;
/// log.flush()?;
/// log.seek(SeekFrom::Start(4))?;
/// let mut back = [0; 4];
/// log.read_exact(&mut back)?;
/// assert_eq!(&back, b"line");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream<M> {
    memory: M,
    place: u64,
}

impl<M: ByteMemory> Stream<M> {
    /// A stream that stands at the first byte.
    pub const fn new(memory: M) -> Self {
        Self { memory, place: 0 }
    }

    /// The memory.
    pub const fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The memory, without the place in it.
    pub fn into_memory(self) -> M {
        self.memory
    }

    /// How many of `bytes` bytes there are from here on.
    fn part(&self, bytes: usize) -> usize {
        let left = self.memory.len().saturating_sub(self.place);
        usize::try_from(left).map_or(bytes, |left| left.min(bytes))
    }
}

impl<M: ByteMemory<Error: Debug>> ErrorType for Stream<M> {
    type Error = StreamError<M::Error>;
}

impl<M: ByteMemory<Error: Debug>> Read for Stream<M> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Self::Error> {
        let part = self.part(out.len());
        let read = self.memory.read(self.place, &mut out[..part]);
        read.map_err(StreamError::Device)?;
        self.place += part as u64;
        Ok(part)
    }
}

impl<M: ByteMemory<Error: Debug>> Write for Stream<M> {
    fn write(&mut self, data: &[u8]) -> Result<usize, Self::Error> {
        let part = self.part(data.len());
        if part == 0 && !data.is_empty() {
            return Err(StreamError::End);
        }
        let written = self.memory.write(self.place, &data[..part]);
        written.map_err(StreamError::Device)?;
        self.place += part as u64;
        Ok(part)
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        self.memory.persist().map_err(StreamError::Device)
    }
}

impl<M: ByteMemory<Error: Debug>> Seek for Stream<M> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64, Self::Error> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.place.checked_add_signed(by),
            SeekFrom::End(by) => self.memory.len().checked_add_signed(by),
        };
        let inside = place.filter(|place| *place <= self.memory.len());
        self.place = inside.ok_or(StreamError::Seek)?;
        Ok(self.place)
    }
}

#[cfg(test)]
mod tests {
    use embedded_io::{Error, ErrorKind};
    use wordline_memory::RamMemory;

    use super::*;

    #[test]
    fn the_end_is_an_end_for_readers_and_an_error_for_writers() {
        let mut stream = Stream::new(RamMemory::<8>::new());
        assert_eq!(stream.seek(SeekFrom::End(-2)), Ok(6));
        assert_eq!(stream.write(&[1, 2, 3]), Ok(2));
        let full = stream.write(&[3]).expect_err("the end");
        assert_eq!(full.kind(), ErrorKind::WriteZero);
        assert_eq!(stream.write(&[]), Ok(0));
        assert_eq!(stream.read(&mut [0; 4]), Ok(0));
        stream.rewind().expect("the start");
        let mut all = [9; 9];
        assert_eq!(stream.read(&mut all), Ok(8));
        assert_eq!(all, [0, 0, 0, 0, 0, 0, 1, 2, 9]);
    }

    #[test]
    fn a_place_outside_is_refused_and_the_old_one_stays() {
        let mut stream = Stream::new(RamMemory::<8>::new());
        stream.seek(SeekFrom::Start(3)).expect("inside");
        for place in [
            SeekFrom::Start(9),
            SeekFrom::Current(-4),
            SeekFrom::End(1),
            SeekFrom::Current(i64::MIN),
        ] {
            assert_eq!(stream.seek(place), Err(StreamError::Seek), "{place:?}");
            assert_eq!(stream.stream_position(), Ok(3));
        }
        assert_eq!(stream.seek(SeekFrom::Current(5)), Ok(8));
    }
}
