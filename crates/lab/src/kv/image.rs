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
    /// Slots that hold nothing, as far as the table opens.
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
    /// A record that is sound by itself and contradicts another, as two records of one key do that are no neighbouring
    /// versions. No power cut leaves such.
    Clashing {
        /// Its slot, counted from 0.
        slot: u32,
        /// The key.
        key: Vec<u8>,
        /// The value.
        value: Vec<u8>,
    },
}

/// Why an image shows no table.
#[derive(Debug, thiserror::Error)]
pub enum TableImageError {
    /// Something else, or nothing.
    #[error(
        "no wordline-kv table begins at the image's first byte; tables of other kinds, such as LPHT and CLHT, cannot be read"
    )]
    Foreign,
    /// Damaged, in another format, or too short.
    #[error("{0}")]
    Table(Error<OutOfRange>),
}

impl From<Error<OutOfRange>> for TableImageError {
    fn from(error: Error<OutOfRange>) -> Self {
        match error {
            Error::Foreign => Self::Foreign,
            error => Self::Table(error),
        }
    }
}

/// A copy of an image in RAM.
#[derive(Clone)]
struct Copy(Vec<u8>);

/// The table of a copy.
type Opened = Table<Copy, RamDirectory<Vec<u64>>, Vec<u8>>;

/// The first bytes of a slot that is free, as the written format has them.
const DEAD: [u8; 2] = [0x0F, 0];

/// Slots that may keep a table from opening. More of them are no table any more.
const ASIDE_MAX: usize = 16;

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

impl Copy {
    /// Frees slots.
    fn free(
        &mut self,
        geometry: &Geometry,
        slots: impl Iterator<Item = u32>,
    ) -> Result<(), OutOfRange> {
        let bytes = u64::from(geometry.slot_bytes);
        let first = geometry.bytes() - u64::from(geometry.slots()) * bytes;
        for slot in slots {
            self.write(first + u64::from(slot) * bytes, &DEAD)?;
        }
        Ok(())
    }

    fn open(self, geometry: &Geometry) -> Result<Opened, Error<OutOfRange>> {
        // The header promised no more than the image holds, so that this fits RAM as well.
        let directory = RamDirectory::new(vec![0; geometry.directory_words()]);
        let scratch = vec![0; geometry.scratch_bytes().max(4096)];
        Table::open(self, directory, scratch)
    }
}

/// Every record with its slot.
fn walk(table: &mut Opened) -> Result<Vec<(u32, ImageRecord)>, Error<OutOfRange>> {
    let (mut key, mut value) = (
        vec![0; wordline_kv::KEY_BYTES_MAX],
        vec![0; wordline_kv::VALUE_BYTES_MAX],
    );
    let mut cursor = Cursor::default();
    let mut records = Vec::new();
    loop {
        match table.next(&mut cursor, &mut key, &mut value) {
            Ok(None) => return Ok(records),
            Ok(Some(entry)) => {
                let record = ImageRecord::Sound {
                    key: key[..entry.key].to_vec(),
                    value: value[..entry.value].to_vec(),
                };
                // The walk stands behind it.
                records.push((cursor.slot() - 1, record));
            }
            Err(Error::Corrupt { slot }) => records.push((slot, ImageRecord::Damaged { slot })),
            Err(error) => return Err(error),
        }
    }
}

/// Opens a copy. Slots that keep it from opening are set aside, and named.
fn open_without(
    image: &Copy,
    geometry: &Geometry,
) -> Result<(Opened, Vec<u32>), Error<OutOfRange>> {
    let mut copy = image.clone();
    let mut aside = Vec::new();
    loop {
        match copy.clone().open(geometry) {
            Ok(table) => return Ok((table, aside)),
            Err(Error::Corrupt { slot }) if aside.len() < ASIDE_MAX && !aside.contains(&slot) => {
                copy.free(geometry, [slot].into_iter())?;
                aside.push(slot);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Puts the records of slots that were set aside among the others: what can be read when it stands alone contradicts them.
fn bring_back(
    image: &Copy,
    geometry: &Geometry,
    aside: &[u32],
    records: &mut Vec<(u32, ImageRecord)>,
) -> Result<(), Error<OutOfRange>> {
    let others: Vec<u32> = records
        .iter()
        .map(|(slot, _)| *slot)
        .chain(aside.iter().copied())
        .collect();
    for &slot in aside {
        let mut copy = image.clone();
        copy.free(
            geometry,
            others.iter().copied().filter(|other| *other != slot),
        )?;
        let alone = match copy.open(geometry) {
            Ok(mut table) => walk(&mut table)?,
            Err(_) => Vec::new(),
        };
        let found = alone.into_iter().find(|(found, _)| *found == slot);
        let Some((_, ImageRecord::Sound { key, value })) = found else {
            records.push((slot, ImageRecord::Damaged { slot }));
            continue;
        };
        for (other, record) in records.iter_mut() {
            if let ImageRecord::Sound { key: its, value } = record
                && *its == key
            {
                *record = ImageRecord::Clashing {
                    slot: *other,
                    key: std::mem::take(its),
                    value: std::mem::take(value),
                };
            }
        }
        records.push((slot, ImageRecord::Clashing { slot, key, value }));
    }
    records.sort_by_key(|(slot, _)| *slot);
    Ok(())
}

impl TableImage {
    /// The table of an image. What opening mends, it mends in copies alone. Of a table that does not open, as two records
    /// of one key keep it from, what can be read is shown with what cannot.
    ///
    /// # Errors
    /// When they hold no table, one of a later version, a damaged header, less than the header promises, or so much
    /// damage that hardly a table is left.
    pub fn read(bytes: Vec<u8>) -> Result<Self, TableImageError> {
        let mut image = Copy(bytes);
        let geometry = Geometry::read(&mut image)?;
        let (mut table, aside) = open_without(&image, &geometry)?;
        let mut records = walk(&mut table)?;
        bring_back(&image, &geometry, &aside, &mut records)?;
        Ok(Self {
            geometry,
            image_bytes: image.len(),
            recovery: *table.recovery(),
            free_slots: table.free_slots().saturating_sub(aside.len() as u32),
            records: records.into_iter().map(|(_, record)| record).collect(),
        })
    }

    /// Records that cannot be read, or contradict others.
    #[must_use]
    pub fn damaged(&self) -> usize {
        let damaged = self.records.iter();
        damaged
            .filter(|record| !matches!(record, ImageRecord::Sound { .. }))
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

    /// The first and the third version of a record, as one gets who puts old bytes back.
    #[test]
    fn two_records_of_one_key_are_both_told_with_the_others() {
        let mut memory = Copy(vec![0; 256]);
        let geometry = format(&mut memory, &Options::for_records(8, 8, 1)).expect("room");
        let mut table = memory.open(&geometry).expect("formatted");
        table.put(b"key", b"old").expect("room");
        let before = table.memory().clone();
        table.put(b"key", b"mid").expect("room");
        // The bucket is filled, so that the third version does not lie where the first one did.
        for other in [b"a", b"b", b"c", b"d"] {
            table.put(other, b"").expect("room");
        }
        table.put(b"key", b"new").expect("room");
        let mut image = table.into_memory().0;
        let bytes = geometry.slot_bytes as usize;
        let first = geometry.bytes() as usize - geometry.slots() as usize * bytes;
        let slot = |image: &[u8], body: &[u8]| {
            let at = image.windows(body.len()).position(|window| window == body);
            (at.expect("a record") - first) / bytes
        };
        let (old, new) = (slot(&before.0, b"keyold"), slot(&image, b"keynew"));
        assert_ne!(old, new);
        let place = first + old * bytes..first + (old + 1) * bytes;
        image[place.clone()].copy_from_slice(&before.0[place]);

        let table = TableImage::read(image).expect("it is shown");
        let clashing = |slot: usize, value: &[u8]| ImageRecord::Clashing {
            slot: slot as u32,
            key: b"key".to_vec(),
            value: value.to_vec(),
        };
        assert_eq!(table.damaged(), 2, "{:?}", table.records);
        assert!(table.records.contains(&clashing(old, b"old")));
        assert!(table.records.contains(&clashing(new, b"new")));
        assert!(table.records.len() >= 5, "{:?}", table.records);
    }

    #[test]
    fn what_is_no_table_is_refused_by_name() {
        assert!(error(Vec::new()).contains("no wordline-kv table begins"));
        assert!(error(vec![0xFF; 4096]).contains("no wordline-kv table begins"));
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
