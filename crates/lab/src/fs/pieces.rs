//! Files in pieces of one call each, and the names of small ones.

use wordline_core::draw::{Purpose, draw};
use wordline_engines::Handle;

use super::calls::{CallFailure, FILE, Mounted};
use crate::payload::Payload;

/// The directory of the small files: the root of a FAT of 12 or 16 bits has room for a fixed number of names.
pub(super) const SMALL_DIR: &str = "/small";

/// The path of a small file.
pub(super) fn path(number: u64) -> String {
    format!("{SMALL_DIR}/f{number:05}")
}

/// The path that a small file gets in the end.
pub(super) fn other_path(number: u64) -> String {
    format!("{SMALL_DIR}/r{number:05}")
}

/// The numbers below `count` in an order drawn from a seed (Fisher and Yates).
pub(super) fn shuffled(count: u64, seed: u64) -> Vec<u64> {
    let mut all: Vec<u64> = (0..count).collect();
    for last in (1..count).rev() {
        let other = draw(seed, count, last, Purpose::Address) % (last + 1);
        all.swap(last as usize, other as usize);
    }
    all
}

/// A file in pieces of one call each.
pub(super) struct Pieces {
    pub(super) payload: Payload,
    pub(super) file_bytes: u64,
    pub(super) access_bytes: u64,
}

impl Pieces {
    pub(super) fn count(&self) -> u64 {
        self.file_bytes.div_ceil(self.access_bytes)
    }

    /// Where a piece begins in the file.
    const fn place(&self, number: u64) -> u64 {
        number * self.access_bytes
    }

    /// Its bytes as they are the `pass`th time.
    fn piece(&self, number: u64, pass: u64) -> Vec<u8> {
        let at = self.place(number);
        let mut data = vec![0; self.access_bytes.min(self.file_bytes - at) as usize];
        self.payload.fill(at, pass, &mut data);
        data
    }

    /// Writes a piece at its place in a file. Returns its bytes.
    pub(super) fn write(
        &self,
        fs: &mut Mounted,
        file: Handle,
        number: u64,
        pass: u64,
    ) -> Result<u64, CallFailure> {
        self.write_at(fs, file, self.place(number), (number, pass))
    }

    /// Writes a piece at another place of a file.
    pub(super) fn write_at(
        &self,
        fs: &mut Mounted,
        file: Handle,
        at: u64,
        (number, pass): (u64, u64),
    ) -> Result<u64, CallFailure> {
        let data = self.piece(number, pass);
        fs.engine.write(file, at, &data)?;
        Ok(data.len() as u64)
    }

    /// Reads a piece from its place in the file of the tests, and compares it. Returns its bytes.
    pub(super) fn check(
        &self,
        fs: &mut Mounted,
        file: Handle,
        number: u64,
        pass: u64,
    ) -> Result<u64, CallFailure> {
        self.check_at(fs, file, self.place(number), (number, pass), FILE)
    }

    /// Reads a piece from another place of a file of some name, and compares it.
    pub(super) fn check_at(
        &self,
        fs: &mut Mounted,
        file: Handle,
        at: u64,
        (number, pass): (u64, u64),
        name: &str,
    ) -> Result<u64, CallFailure> {
        let expected = self.piece(number, pass);
        let mut found = vec![0; expected.len()];
        let bytes = fs.engine.read(file, at, &mut found)?;
        if bytes == expected.len() && found == expected {
            Ok(bytes as u64)
        } else {
            Err(CallFailure::Corrupt(name.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_has_every_number_once_and_depends_on_the_seed() {
        let one = shuffled(100, 1);
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_ne!(one, sorted);
        assert_ne!(one, shuffled(100, 2));
        assert!(shuffled(0, 1).is_empty());
    }

    #[test]
    fn the_last_piece_of_a_file_ends_with_it() {
        let pieces = Pieces {
            payload: Payload::new(3),
            file_bytes: 1000,
            access_bytes: 300,
        };
        assert_eq!(pieces.count(), 4);
        let data = pieces.piece(3, 1);
        assert_eq!((pieces.place(3), data.len()), (900, 100));
        assert_ne!(data, pieces.piece(3, 2), "each pass stores other bytes");
    }
}
