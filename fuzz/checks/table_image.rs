//! Whatever is given as the image of a table, it is refused in words, or shown as records. The input is also a story: of a
//! table that is written, and of what becomes of its image. A wrong bit of that is mended or told.

use std::collections::{BTreeMap, BTreeSet};

use wordline_kv::{Error, Geometry, Options, RamDirectory, Table, format};
use wordline_lab::{ImageRecord, TableImage};
use wordline_memory::{ByteMemory, RamMemory};

const BYTES: usize = 1024;

/// The state of a slot that a record goes on in.
const CONTINUATION: u8 = 0xF0;

type Records = BTreeMap<Vec<u8>, Vec<u8>>;

/// Panics when a promise is broken. Returns whether the input itself is the image of a table.
pub(crate) fn check(data: &[u8]) -> bool {
    let mut story = Story::new(data.first().copied().unwrap_or(0));
    for step in data.get(1..).unwrap_or(&[]).chunks_exact(3) {
        story.step(step[0], step[1], step[2]);
    }
    story.check();
    shown(data.to_vec()).is_some()
}

/// What an image shows.
fn shown(image: Vec<u8>) -> Option<TableImage> {
    let bytes = image.len() as u64;
    let table = match TableImage::read(image) {
        Ok(table) => table,
        Err(error) => {
            assert!(error.to_string().len() < 1000, "{error}");
            return None;
        }
    };
    let slots = table.geometry.slots();
    assert_eq!(table.image_bytes, bytes);
    assert!(table.geometry.bytes() <= bytes && table.free_slots <= slots);
    assert!(table.records.len() <= slots as usize);
    let sound: Vec<_> = sound(&table).map(|(key, _)| key).collect();
    let different: BTreeSet<_> = sound.iter().collect();
    assert_eq!(different.len(), sound.len(), "{:?}", table.records);
    assert_eq!(sound.len() + table.damaged(), table.records.len());
    Some(table)
}

fn sound(table: &TableImage) -> impl Iterator<Item = (&Vec<u8>, &Vec<u8>)> {
    table.records.iter().filter_map(|record| match record {
        ImageRecord::Sound { key, value } => Some((key, value)),
        _ => None,
    })
}

/// A table while it is written, and then its image.
struct Story {
    geometry: Geometry,
    table: Table<RamMemory<BYTES>, RamDirectory<Vec<u64>>, Vec<u8>>,
    records: Records,
    /// An image of before.
    old: Vec<u8>,
    /// The image, once something becomes of it, as it was and as it is.
    image: Option<(Vec<u8>, Vec<u8>)>,
}

impl Story {
    fn new(shape: u8) -> Self {
        let options = Options {
            slot_bytes: 16 + 2 * u32::from(shape & 15),
            resident_directory: shape & 16 != 0,
            seed: u64::from(shape >> 5),
        };
        let mut memory = RamMemory::new();
        let geometry = format(&mut memory, &options).expect("room");
        let directory = RamDirectory::new(vec![0; geometry.directory_words()]);
        let scratch = vec![0; geometry.scratch_bytes()];
        let table = Table::open(memory, directory, scratch).expect("formatted");
        let mut story = Self {
            geometry,
            table,
            records: Records::new(),
            old: Vec::new(),
            image: None,
        };
        story.old = story.written();
        story
    }

    fn written(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        let mut memory = self.table.memory().clone();
        memory.read(0, &mut bytes).expect("inside");
        bytes
    }

    fn step(&mut self, what: u8, one: u8, other: u8) {
        // What comes behind the first change of the image finds no table that could be written.
        match what % 8 {
            0..=2 if self.image.is_none() => self.put(&key(one), &vec![what; usize::from(other)]),
            3 if self.image.is_none() => {
                let found = self.table.remove(&key(one)).expect("sound");
                assert_eq!(found, self.records.remove(&key(one)).is_some());
            }
            4 if self.image.is_none() => self.old = self.written(),
            0..=4 => {}
            what => self.change(what, one, other),
        }
    }

    fn put(&mut self, key: &[u8], value: &[u8]) {
        match self.table.put(key, value) {
            Ok(_) => {
                self.records.insert(key.to_vec(), value.to_vec());
            }
            Err(Error::NoRoom { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }

    fn change(&mut self, what: u8, one: u8, other: u8) {
        let slot = self.slot(one);
        let written = self.written();
        let (_, image) = self.image.get_or_insert_with(|| (written.clone(), written));
        match what {
            5 => {
                let bit = usize::from(u16::from_le_bytes([one, other])) % (8 * BYTES);
                image[bit / 8] ^= 1 << (bit % 8);
            }
            6 => image[slot.clone()].copy_from_slice(&self.old[slot]),
            _ => {
                let slot = &mut image[slot];
                // The first bytes say what it is, how long, and where it goes on.
                slot[usize::from(other >> 4)] = other & 15;
                seal(slot, other);
            }
        }
    }

    /// Where a slot lies.
    fn slot(&self, number: u8) -> std::ops::Range<usize> {
        let (slots, bytes) = (self.geometry.slots(), self.geometry.slot_bytes as usize);
        let first = self.geometry.bytes() as usize - slots as usize * bytes;
        let at = first + usize::from(number) % slots as usize * bytes;
        at..at + bytes
    }

    fn check(mut self) {
        let written = self.written();
        let (was, is) = self.image.unwrap_or_else(|| (written.clone(), written));
        let wrong: u32 = was.iter().zip(&is).map(|(a, b)| (a ^ b).count_ones()).sum();
        let shown = shown(is);
        if wrong > 1 {
            return;
        }
        let shown = shown.expect("no more than a bit is wrong");
        assert_eq!(shown.records.len(), self.records.len());
        assert!(wrong == 1 || shown.damaged() == 0, "{:?}", shown.records);
        for (key, value) in sound(&shown) {
            assert_eq!(self.records.get(key), Some(value), "{key:?}");
        }
    }
}

/// Keys of 1 to 32 bytes, eight of each length.
fn key(number: u8) -> Vec<u8> {
    vec![b'a' + number % 8; 1 + usize::from(number / 8)]
}

/// Gives a slot the checks that fit it, as a head that goes on in another slot or as what such a head, in the slot of a
/// number, goes on in.
fn seal(slot: &mut [u8], head: u8) {
    if slot[0] == CONTINUATION {
        let mut checked = [0; 9];
        checked[0] = CONTINUATION;
        checked[1..5].copy_from_slice(&slot[2..6]);
        checked[5] = head;
        slot[1] = checked.iter().fold(0, |left, byte| {
            (0..8).fold(left ^ byte, |left, _| {
                left << 1 ^ if left & 0x80 != 0 { 0x07 } else { 0 }
            })
        });
        return;
    }
    let (checked, check) = slot.split_at_mut(slot.len() - 4);
    let left = checked.iter().fold(u32::MAX, |left, byte| {
        (0..8).fold(left ^ u32::from(*byte), |left, _| {
            left >> 1 ^ if left & 1 == 1 { 0x82F6_3B78 } else { 0 }
        })
    });
    check.copy_from_slice(&(!left).to_le_bytes());
}
