//! The project's own table, `crates/kv`.

use wordline_kv::{
    AnyDirectory, Cursor, Error, Geometry, KEY_BYTES_MAX, Options, RamDirectory, ResidentDirectory,
    SLOTS_PER_BUCKET, Table, VALUE_BYTES_MAX, format,
};
use wordline_memory::ByteMemory as _;

use super::published::Blank;
use super::{RecordStore, StoreError, StoreOptions, StoreWork};
use crate::{ByteBox, Contract, Engine, Needs, Promise, StoreEngine};

/// Bytes of scratch buffer, at least.
const SCRATCH_BYTES: usize = 4096;

/// The most bytes of a key and a value together that one slot takes.
const RECORD_MAX: u64 = 32768 - 12;

/// Buckets for two dozen records.
const BUCKETS: u64 = 5;

/// Instructions for eight bytes, or what is left of them, of the hash on a core of 32 bits: two loads and an exclusive or
/// of 64 bits (2), two products of 64 bits by a constant (five each), three shifts of 64 bits with exclusive or (six
/// each), and the loop (2).
const HASH_BY_PRODUCT: f64 = 34.0;

/// Instructions for a byte of a CRC that takes eight bytes a round from eight tables: 2 loads, 8 extractions, 8 loads from
/// tables, 8 exclusive ors and the loop, for eight bytes.
const CRC: f64 = 4.0;

/// What the CRC-32C of a slot covers besides key and value, in bytes: the head of a record that is not short.
const HEAD: u64 = 8;

/// Instructions for a byte of a residue on a core of 32 bits: for eight bytes 2 loads, 2 loads of weights, 2 products that
/// are added up in 64 bits, and the loop.
const RESIDUE: f64 = 1.0;

/// Instructions for a residue whatever its length: the lengths, the version and the slot, and a division of 32 bits by a
/// constant.
const DIVISION: f64 = 25.0;

/// The project's own table by name.
pub(crate) struct OwnEngine;

/// The one there is.
pub(crate) static OWN: OwnEngine = OwnEngine;

impl Engine for OwnEngine {
    type Offer = dyn RecordStore;

    fn name(&self) -> &'static str {
        "own"
    }

    fn title(&self) -> &'static str {
        "wordline-kv"
    }

    fn promise(&self) -> Promise {
        Promise {
            survives_power_cuts: true,
            ..Promise::NONE
        }
    }

    fn needs(&self) -> Needs {
        Needs::Bytes
    }

    fn format(&self, memory: Contract, options: &StoreOptions) -> Result<(), StoreError> {
        self.create(memory, options).map(drop)
    }

    fn open(
        &self,
        memory: Contract,
        options: &StoreOptions,
    ) -> Result<Box<Self::Offer>, StoreError> {
        let mut memory = memory.bytes()?;
        let geometry = Geometry::read(&mut memory)?;
        let scratch = vec![0; geometry.scratch_bytes().max(SCRATCH_BYTES)];
        let directory = match options.resident_directory {
            true => AnyDirectory::Resident(ResidentDirectory::new()),
            false => AnyDirectory::Ram(RamDirectory::new(vec![0; geometry.directory_words()])),
        };
        Ok(Box::new(OpenTable {
            table: Table::open(memory, directory, scratch)?,
            options: *options,
        }))
    }
}

impl StoreEngine for OwnEngine {
    fn create(
        &self,
        memory: Contract,
        options: &StoreOptions,
    ) -> Result<Box<dyn RecordStore>, StoreError> {
        let mut memory = memory.bytes()?;
        let layout = layout(options, memory.atom());
        format(&mut memory, &layout)?;
        self.open(Contract::Bytes(memory), options)
    }

    fn limits(&self) -> (u64, u64, u64) {
        (KEY_BYTES_MAX as u64, VALUE_BYTES_MAX as u64, 0)
    }

    fn record_bytes_max(&self) -> u64 {
        RECORD_MAX
    }

    fn has_mixed_sizes(&self) -> bool {
        true
    }

    fn has_directory(&self) -> bool {
        true
    }

    fn places(&self, options: &StoreOptions, bytes: u64, atom: usize) -> Option<u64> {
        let geometry = format(&mut Blank { bytes, atom }, &layout(options, atom));
        geometry.ok().map(|geometry| u64::from(geometry.slots()))
    }

    fn short_bytes(&self, options: &StoreOptions, atom: usize) -> u64 {
        let slot = u64::from(layout(options, atom).slot_bytes);
        let bucket = slot * u64::from(SLOTS_PER_BUCKET) + 8;
        BUCKETS * bucket + 4 * 64_u64.next_multiple_of(atom as u64)
    }

    fn work(&self) -> Option<StoreWork> {
        Some(StoreWork {
            hash: |key_bytes| key_bytes.div_ceil(8) as f64 * HASH_BY_PRODUCT,
            record_check: |bytes| DIVISION + RESIDUE * bytes as f64,
            place_check: |bytes| CRC * (bytes + HEAD) as f64,
            hit: 0,
            update_copies_key: true,
        })
    }
}

/// Slots for records of the chosen sizes.
fn layout(options: &StoreOptions, atom: usize) -> Options {
    let (key, value) = (options.key_bytes as usize, options.value_bytes as usize);
    let layout = Options::for_records(key, value, atom);
    match options.resident_directory {
        true => layout.resident(),
        false => layout,
    }
}

/// An open table.
struct OpenTable {
    table: Table<ByteBox, AnyDirectory<Vec<u64>>, Vec<u8>>,
    options: StoreOptions,
}

impl RecordStore for OpenTable {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.table.put(key, value)?;
        Ok(())
    }

    fn get(&mut self, key: &[u8], out: &mut [u8]) -> Result<Option<usize>, StoreError> {
        Ok(self.table.get(key, out)?)
    }

    fn remove(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        Ok(self.table.remove(key)?)
    }

    fn each(&mut self, see: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        let mut key = vec![0; self.options.key_bytes as usize];
        let mut value = vec![0; self.options.value_bytes as usize];
        let mut cursor = Cursor::default();
        while let Some(entry) = self.table.next(&mut cursor, &mut key, &mut value)? {
            see(&key[..entry.key], &value[..entry.value]);
        }
        Ok(())
    }

    fn places(&self) -> u64 {
        u64::from(self.table.geometry().slots())
    }

    fn free_places(&self) -> Option<u64> {
        Some(u64::from(self.table.free_slots()))
    }

    fn ram_bytes(&self) -> u64 {
        let geometry = self.table.geometry();
        let directory = match self.options.resident_directory {
            true => 0,
            false => geometry.directory_words() * 8,
        };
        (directory + geometry.scratch_bytes()) as u64
    }

    fn memory(&mut self) -> &mut ByteBox {
        self.table.memory()
    }
}

impl From<Error<String>> for StoreError {
    fn from(error: Error<String>) -> Self {
        match error {
            Error::NoRoom { .. } => Self::NoRoom,
            error => Self::Failed(error.to_string()),
        }
    }
}
