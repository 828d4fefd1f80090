//! The tables behind one face: what the workloads call.

use wordline_core::{KvDirectory, KvSizes, KvTable};
use wordline_kv::fixtures::{BYTES_MAX, Clht, FixtureError, Lpht, Sizes};
use wordline_kv::{
    Cursor, Directory, Error, Options, RamDirectory, ResidentDirectory, Table, format,
};
use wordline_memory::{ByteMemory, OutOfRange};

use super::Variant;

/// Bytes of scratch buffer of the project's table, at least.
const SCRATCH_BYTES: usize = 4096;

type Own<M, D> = Table<M, D, Vec<u8>>;

/// A table on a memory.
pub(super) enum Store<M> {
    Lpht(Lpht<M>),
    Clht(Clht<M>),
    Ram(Own<M, RamDirectory<Vec<u64>>>),
    Resident(Own<M, ResidentDirectory>),
}

/// Why a call did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoreError<E> {
    #[error("the table has no room for another record")]
    NoRoom,
    #[error("{0}")]
    Own(Error<E>),
    #[error("{0}")]
    Fixture(FixtureError<E>),
    #[error("the published tables remove nothing")]
    NoRemove,
}

impl<E> From<Error<E>> for StoreError<E> {
    fn from(error: Error<E>) -> Self {
        match error {
            Error::NoRoom { .. } => Self::NoRoom,
            error => Self::Own(error),
        }
    }
}

impl<E> From<FixtureError<E>> for StoreError<E> {
    fn from(error: FixtureError<E>) -> Self {
        match error {
            FixtureError::NoRoom => Self::NoRoom,
            error => Self::Fixture(error),
        }
    }
}

/// The most bytes of a key and a value together that one slot of the project's table takes.
pub(super) const RECORD_MAX: u64 = 32768 - 12;

/// The longest key and value that a table takes, in bytes, and the shortest value.
pub(super) const fn limits(table: KvTable) -> (u64, u64, u64) {
    match table {
        KvTable::Lpht | KvTable::Clht => (BYTES_MAX as u64, BYTES_MAX as u64, 1),
        KvTable::Own => (
            wordline_kv::KEY_BYTES_MAX as u64,
            wordline_kv::VALUE_BYTES_MAX as u64,
            0,
        ),
    }
}

/// A memory of a length and an atom that keeps nothing.
struct Blank {
    bytes: u64,
    atom: usize,
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

/// What [`Store::places`] will be of a memory; `None` where there is no table of it.
pub(super) fn places(variant: Variant, sizes: KvSizes, bytes: u64, atom: usize) -> Option<u64> {
    let fixed = fixed(sizes);
    let mut blank = Blank { bytes, atom };
    Some(match variant.table {
        KvTable::Lpht => u64::from(Lpht::attach(blank, fixed).ok()?.places()),
        KvTable::Clht => u64::from(Clht::attach(blank, fixed).ok()?.places()),
        KvTable::Own => {
            let geometry = format(&mut blank, &options(variant, sizes, atom));
            u64::from(geometry.ok()?.slots())
        }
    })
}

/// The sizes of the published tables.
const fn fixed(sizes: KvSizes) -> Sizes {
    Sizes {
        key: sizes.key_bytes as usize,
        value: sizes.value_bytes as usize,
    }
}

/// Slots for records of such sizes.
fn options(variant: Variant, sizes: KvSizes, atom: usize) -> Options {
    let (key, value) = (sizes.key_bytes as usize, sizes.value_bytes as usize);
    let options = Options::for_records(key, value, atom);
    match variant.directory {
        Some(KvDirectory::Resident) => options.resident(),
        Some(KvDirectory::Ram) | None => options,
    }
}

impl<M: ByteMemory> Store<M> {
    /// Makes an empty table that fills a memory.
    pub(super) fn format(
        variant: Variant,
        sizes: KvSizes,
        mut memory: M,
    ) -> Result<Self, StoreError<M::Error>> {
        match variant.table {
            KvTable::Lpht => Ok(Self::Lpht(Lpht::format(memory, fixed(sizes))?)),
            KvTable::Clht => Ok(Self::Clht(Clht::format(memory, fixed(sizes))?)),
            KvTable::Own => {
                let options = options(variant, sizes, memory.atom());
                format(&mut memory, &options)?;
                Self::open_own(memory, options.resident_directory)
            }
        }
    }

    /// Opens what a memory holds; of the published tables, as a reader would try.
    pub(super) fn open(
        variant: Variant,
        sizes: KvSizes,
        memory: M,
    ) -> Result<Self, StoreError<M::Error>> {
        match (variant.table, variant.directory) {
            (KvTable::Lpht, _) => Ok(Self::Lpht(Lpht::attach(memory, fixed(sizes))?)),
            (KvTable::Clht, _) => Ok(Self::Clht(Clht::attach(memory, fixed(sizes))?)),
            (KvTable::Own, directory) => {
                Self::open_own(memory, directory == Some(KvDirectory::Resident))
            }
        }
    }

    /// Opens the project's table that a memory holds.
    fn open_own(mut memory: M, is_resident: bool) -> Result<Self, StoreError<M::Error>> {
        let geometry = wordline_kv::Geometry::read(&mut memory)?;
        let scratch = vec![0; geometry.scratch_bytes().max(SCRATCH_BYTES)];
        Ok(if is_resident {
            Self::Resident(Table::open(memory, ResidentDirectory::new(), scratch)?)
        } else {
            let words = vec![0; geometry.directory_words()];
            Self::Ram(Table::open(memory, RamDirectory::new(words), scratch)?)
        })
    }

    /// The memory below.
    pub(super) fn memory(&mut self) -> &mut M {
        match self {
            Self::Lpht(table) => table.memory(),
            Self::Clht(table) => table.memory(),
            Self::Ram(table) => table.memory(),
            Self::Resident(table) => table.memory(),
        }
    }

    /// Records of the sizes that it was formatted for that would take all of it; of CLHT, those that the buckets reached
    /// by the hash have room for.
    pub(super) const fn places(&self) -> u64 {
        match self {
            Self::Lpht(table) => table.places() as u64,
            Self::Clht(table) => table.places() as u64,
            Self::Ram(table) => table.geometry().slots() as u64,
            Self::Resident(table) => table.geometry().slots() as u64,
        }
    }

    /// Places that nothing takes, where the table says so.
    pub(super) const fn free_places(&self) -> Option<u64> {
        match self {
            Self::Lpht(_) | Self::Clht(_) => None,
            Self::Ram(table) => Some(table.free_slots() as u64),
            Self::Resident(table) => Some(table.free_slots() as u64),
        }
    }

    /// Bytes of RAM that it needs while it is open, besides a few words.
    pub(super) const fn ram_bytes(&self) -> u64 {
        match self {
            Self::Lpht(_) | Self::Clht(_) => 0,
            Self::Ram(table) => {
                let geometry = table.geometry();
                (geometry.directory_words() * 8 + geometry.scratch_bytes()) as u64
            }
            Self::Resident(table) => table.geometry().scratch_bytes() as u64,
        }
    }

    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError<M::Error>> {
        match self {
            Self::Lpht(table) => table.put(key, value)?,
            Self::Clht(table) => table.put(key, value)?,
            Self::Ram(table) => table.put(key, value).map(drop)?,
            Self::Resident(table) => table.put(key, value).map(drop)?,
        }
        Ok(())
    }

    /// Copies the value of a key to the start of `out`, which is as long as values are; returns its length.
    pub(super) fn get(
        &mut self,
        key: &[u8],
        out: &mut [u8],
    ) -> Result<Option<usize>, StoreError<M::Error>> {
        let length = out.len();
        Ok(match self {
            Self::Lpht(table) => table.get(key, out)?.then_some(length),
            Self::Clht(table) => table.get(key, out)?.then_some(length),
            Self::Ram(table) => table.get(key, out)?,
            Self::Resident(table) => table.get(key, out)?,
        })
    }

    /// Calls `see` with every key and value, which have these sizes at most.
    pub(super) fn everything(
        &mut self,
        sizes: KvSizes,
        see: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), StoreError<M::Error>> {
        match self {
            Self::Lpht(table) => Ok(table.walk(see)?),
            Self::Clht(table) => Ok(table.walk(see)?),
            Self::Ram(table) => walk(table, sizes, see),
            Self::Resident(table) => walk(table, sizes, see),
        }
    }

    pub(super) fn remove(&mut self, key: &[u8]) -> Result<bool, StoreError<M::Error>> {
        Ok(match self {
            Self::Lpht(_) | Self::Clht(_) => return Err(StoreError::NoRemove),
            Self::Ram(table) => table.remove(key)?,
            Self::Resident(table) => table.remove(key)?,
        })
    }
}

/// Every record of the project's table, one after the other.
fn walk<M: ByteMemory, D: Directory<M>>(
    table: &mut Own<M, D>,
    sizes: KvSizes,
    mut see: impl FnMut(&[u8], &[u8]),
) -> Result<(), StoreError<M::Error>> {
    let mut key = vec![0; sizes.key_bytes as usize];
    let mut value = vec![0; sizes.value_bytes as usize];
    let mut cursor = Cursor::default();
    while let Some(entry) = table.next(&mut cursor, &mut key, &mut value)? {
        see(&key[..entry.key], &value[..entry.value]);
    }
    Ok(())
}
