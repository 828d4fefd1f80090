//! A table in an image of its memory: header, records, and what is damaged. Nothing is written to the image.

use wordline_kv::{Cursor, Error, Geometry, RamDirectory, Recovery, Table};
use wordline_memory::{ByteMemory, OutOfRange};

/// A table as an image holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableImage {
    /// Its sizes.
    pub geometry: Geometry,
    /// Bytes of the image.
    pub image_bytes: u64,
    /// What opening a copy of it found and mended.
    pub recovery: Recovery,
    /// Slots that hold nothing.
    pub free_slots: u32,
    /// Records in the order of their slots, damaged ones included.
    pub records: Vec<ImageRecord>,
}

/// A record of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageRecord {
    /// A key and its value.
    Sound {
        /// The key.
        key: Vec<u8>,
        /// The value.
        value: Vec<u8>,
    },
    /// A record that cannot be read.
    Damaged {
        /// Its slot, counted from 0.
        slot: u32,
    },
}

/// Why an image shows no table.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TableImageError(Error<OutOfRange>);

/// A copy of an image in RAM.
struct Copy(Vec<u8>);

impl ByteMemory for Copy {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        out.copy_from_slice(&self.0[at as usize..][..out.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.0[at as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

impl TableImage {
    /// The table of an image. What opening mends, it mends in these bytes alone.
    ///
    /// # Errors
    /// When they hold no table, one of a later version, a damaged header, less than the header promises, or more damage
    /// than a power cut and a single bit explain.
    pub fn read(bytes: Vec<u8>) -> Result<Self, TableImageError> {
        let mut copy = Copy(bytes);
        let image_bytes = copy.len();
        let geometry = Geometry::read(&mut copy).map_err(TableImageError)?;
        // The header promised no more than the image holds, so that this fits RAM as well.
        let directory = RamDirectory::new(vec![0; geometry.directory_words()]);
        let scratch = vec![0; geometry.scratch_bytes().max(4096)];
        let mut table = Table::open(copy, directory, scratch).map_err(TableImageError)?;
        let (mut key, mut value) = (
            vec![0; wordline_kv::KEY_BYTES_MAX],
            vec![0; wordline_kv::VALUE_BYTES_MAX],
        );
        let mut cursor = Cursor::default();
        let mut records = Vec::new();
        loop {
            match table.next(&mut cursor, &mut key, &mut value) {
                Ok(None) => break,
                Ok(Some(entry)) => records.push(ImageRecord::Sound {
                    key: key[..entry.key].to_vec(),
                    value: value[..entry.value].to_vec(),
                }),
                Err(Error::Corrupt { slot }) => records.push(ImageRecord::Damaged { slot }),
                Err(error) => return Err(TableImageError(error)),
            }
        }
        Ok(Self {
            geometry,
            image_bytes,
            recovery: *table.recovery(),
            free_slots: table.free_slots(),
            records,
        })
    }

    /// Records that cannot be read.
    #[must_use]
    pub fn damaged(&self) -> usize {
        let damaged = self.records.iter();
        damaged
            .filter(|record| matches!(record, ImageRecord::Damaged { .. }))
            .count()
    }
}

#[cfg(test)]
mod tests {
    use wordline_kv::{Options, format};

    use super::*;

    /// An image of three records, the last of which goes on in a second slot.
    fn image() -> Vec<u8> {
        let mut memory = Copy(vec![0; 1024]);
        let options = Options::for_records(8, 8, 1);
        let geometry = format(&mut memory, &options).expect("room");
        let directory = RamDirectory::new(vec![0; geometry.directory_words()]);
        let mut table = Table::open(memory, directory, vec![0; 256]).expect("formatted");
        for (key, value) in [(&b"one"[..], &b"1"[..]), (b"two", b""), (b"long", &[7; 30])] {
            table.put(key, value).expect("room");
        }
        table.into_memory().0
    }

    fn error(bytes: Vec<u8>) -> String {
        TableImage::read(bytes).expect_err("no table").to_string()
    }

    #[test]
    fn every_record_is_read_and_the_image_stays_as_it_is() {
        let table = TableImage::read(image()).expect("a table");
        assert_eq!((table.records.len(), table.damaged()), (3, 0));
        assert_eq!(table.recovery, Recovery::default());
        let long = ImageRecord::Sound {
            key: b"long".to_vec(),
            value: vec![7; 30],
        };
        assert!(table.records.contains(&long));
    }

    #[test]
    fn a_damaged_value_is_told_with_its_slot_and_the_others_are_read() {
        let clean = image();
        let sevens = clean.windows(8).rposition(|window| window == [7; 8]);
        let mut bytes = clean;
        let at = sevens.expect("the long value");
        bytes[at] ^= 0xFF;
        bytes[at + 1] ^= 0xFF;
        let table = TableImage::read(bytes).expect("a table");
        assert_eq!((table.records.len(), table.damaged()), (3, 1));
    }

    #[test]
    fn what_is_no_table_is_refused_by_name() {
        assert!(error(Vec::new()).contains("holds no table"));
        assert!(error(vec![0xFF; 4096]).contains("holds no table"));
        let mut short = image();
        short.truncate(512);
        assert!(error(short).contains("the memory has 512"));
        let mut bad = image();
        bad[12] ^= 3;
        assert!(error(bad).contains("description of the table is damaged"));
        for cut in 0..200 {
            let mut bytes = image();
            bytes.truncate(cut);
            error(bytes);
        }
    }
}
