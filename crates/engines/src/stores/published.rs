//! The two tables of "Towards MRAM Byte-Addressable Persistent Memory in Edge Database Systems" (ADMS 2023).

use std::marker::PhantomData;

use wordline_kv::fixtures::{BYTES_MAX, Clht, Fixture, FixtureError, Lpht, RecordSizes};
use wordline_memory::{ByteMemory, OutOfRange};

use super::{RecordStore, StoreError, StoreOptions, StoreWork};
use crate::{ByteBox, Contract, Engine, Needs, Promise, StoreEngine};

/// Instructions of `malloc` and `free` together, on a free list that is short: the published LPHT returns each value in
/// memory that it takes for it, and the caller gives it back.
const ALLOCATION: u64 = 120;

/// Instructions for a byte of a CRC-32 by one table, which is how the published tables hash: load, exclusive or,
/// extract, load from the table, shift and exclusive or, count, compare, branch.
const HASH_BY_TABLE: f64 = 8.0;

/// Places of LPHT for two dozen records.
const PLACES: u64 = 32;

/// Buckets of CLHT for two dozen records: some overflow.
const BUCKETS: u64 = 16;

/// A published table by name.
pub(crate) struct PublishedTable<T> {
    name: &'static str,
    title: &'static str,
    /// Bytes that two dozen records of some bytes fill to two thirds.
    short_bytes: fn(record_bytes: u64) -> u64,
    /// Instructions of a get that finds its key.
    hit: u64,
    table: PhantomData<fn() -> T>,
}

/// Linear probing with a bitmap.
pub(crate) static LPHT: PublishedTable<Lpht<ByteBox>> = PublishedTable {
    name: "lpht",
    title: "LPHT",
    // The header and the bitmap, a byte more than they need, and the places in multiples of 32 bytes.
    short_bytes: |record| 17 + PLACES / 8 + (PLACES * record).next_multiple_of(32),
    hit: ALLOCATION,
    table: PhantomData,
};

/// Buckets of a cache line.
pub(crate) static CLHT: PublishedTable<Clht<ByteBox>> = PublishedTable {
    name: "clht",
    title: "CLHT",
    // The headers, and lock, entries and next in lines of 32 bytes; behind a lock of 4 bytes where records have 8.
    short_bytes: |record| {
        let around = if record <= 8 { 8 } else { 12 };
        96 + BUCKETS * (around + 3 * record).next_multiple_of(32)
    },
    hit: 0,
    table: PhantomData,
};

impl<T: Fixture<ByteBox> + 'static> Engine for PublishedTable<T> {
    type Offer = dyn RecordStore;

    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn promise(&self) -> Promise {
        Promise {
            removes: false,
            ..Promise::NONE
        }
    }

    fn needs(&self) -> Needs {
        Needs::Bytes
    }

    fn format(&self, memory: Contract, options: &StoreOptions) -> Result<(), StoreError> {
        self.create(memory, options).map(drop)
    }

    /// As a reader would try: these tables were not made to be opened again.
    fn open(
        &self,
        memory: Contract,
        options: &StoreOptions,
    ) -> Result<Box<Self::Offer>, StoreError> {
        Ok(Box::new(OpenFixture(T::attach(
            memory.bytes()?,
            sizes(options),
        )?)))
    }
}

impl<T: Fixture<ByteBox> + 'static> StoreEngine for PublishedTable<T> {
    fn create(
        &self,
        memory: Contract,
        options: &StoreOptions,
    ) -> Result<Box<dyn RecordStore>, StoreError> {
        Ok(Box::new(OpenFixture(T::format(
            memory.bytes()?,
            sizes(options),
        )?)))
    }

    fn limits(&self) -> (u64, u64, u64) {
        (BYTES_MAX as u64, BYTES_MAX as u64, 1)
    }

    fn places(&self, options: &StoreOptions, bytes: u64, atom: usize) -> Option<u64> {
        let table = T::attach(ByteBox::new(Blank { bytes, atom }), sizes(options));
        table.ok().map(|table| u64::from(table.places()))
    }

    fn short_bytes(&self, options: &StoreOptions, _: usize) -> u64 {
        (self.short_bytes)(options.key_bytes + options.value_bytes)
    }

    fn work(&self) -> Option<StoreWork> {
        Some(StoreWork {
            hash: |key_bytes| key_bytes as f64 * HASH_BY_TABLE,
            record_check: |_| 0.0,
            place_check: |_| 0.0,
            hit: self.hit,
            update_copies_key: false,
        })
    }
}

const fn sizes(options: &StoreOptions) -> RecordSizes {
    RecordSizes {
        key: options.key_bytes as usize,
        value: options.value_bytes as usize,
    }
}

/// An open table.
struct OpenFixture<T>(T);

impl<T: Fixture<ByteBox>> RecordStore for OpenFixture<T> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        Ok(self.0.put(key, value)?)
    }

    fn get(&mut self, key: &[u8], out: &mut [u8]) -> Result<Option<usize>, StoreError> {
        Ok(self.0.get(key, out)?.then_some(out.len()))
    }

    fn each(&mut self, see: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        Ok(self.0.walk(see)?)
    }

    fn places(&self) -> u64 {
        u64::from(self.0.places())
    }

    fn memory(&mut self) -> &mut ByteBox {
        self.0.memory()
    }
}

impl From<FixtureError<String>> for StoreError {
    fn from(error: FixtureError<String>) -> Self {
        match error {
            FixtureError::NoRoom => Self::NoRoom,
            error => Self::Failed(error.to_string()),
        }
    }
}

/// A memory of a length and an atom that keeps nothing.
pub(super) struct Blank {
    pub(super) bytes: u64,
    pub(super) atom: usize,
}

impl ByteMemory for Blank {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        self.atom
    }

    fn read(&mut self, _: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        out.fill(0);
        Ok(())
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), OutOfRange> {
        Ok(())
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        Ok(())
    }
}
