//! The table: what it knows in RAM, and how it finds a record.

mod body;
mod damage;
mod entries;
mod open;
mod short;
mod write;

pub use entries::{Cursor, Entry};
pub use open::Recovery;
pub use write::Put;

use wordline_memory::ByteMemory;

use crate::Error;
use crate::barrier::StoreBarrier;
use crate::directory::{
    Directory, FREE, Lanes, TAKEN, count, first_slot, free_slot, lane_of, slots_with,
};
use crate::hash::{Hash, hash};
use crate::layout::{Geometry, KEY_BYTES_MAX, SLOTS_PER_BUCKET};
use crate::short_form::{LONGEST_OF_SHORT, ShortHead};
use crate::slot::{Head, LINK_BYTES, Record, SlotContent, inspect};
use body::Body;
use damage::Nameless;
use short::{Seen, Short};
use write::commit;

/// Bytes of a slot that are read at first, at most: a head and a key that is not long.
const FIRST_READ: usize = 64;

/// A hash table in a byte-addressable memory, opened.
///
/// Keys have 1 to 65535 bytes and values 0 to 65535. [`put`](Self::put) and [`remove`](Self::remove) are atomic and
/// last when they return: after a power cut the table holds what it held before or after the call that was cut.
///
/// Besides the directory it takes a scratch buffer of at least two slots (an array, a borrowed slice, a vector) and a
/// few words of RAM, whatever it holds.
///
/// ```
/// use wordline_kv::{Error, Options, RamDirectory, Table, format};
/// use wordline_memory::RamMemory;
///
/// let mut memory = RamMemory::<4096>::new();
/// let geometry = format(&mut memory, &Options::for_records(8, 8, 2))?;
///
/// let mut table = Table::open(memory, RamDirectory::new([0; 512]), [0; 256])?;
/// table.put(b"speed", b"9600")?;
/// let mut value = [0; 16];
/// assert_eq!(table.get(b"speed", &mut value)?, Some(4));
/// assert_eq!(&value[..4], b"9600");
/// assert!(table.remove(b"speed")?);
/// assert_eq!(table.get(b"speed", &mut value)?, None);
/// assert_eq!(geometry.slots(), 7 * geometry.buckets);
/// # Ok::<(), Error<wordline_memory::OutOfRange>>(())
/// ```
#[derive(Debug)]
pub struct Table<M, D, S> {
    memory: M,
    directory: D,
    /// Room for one slot, and behind it for what is read while the table is opened.
    scratch: S,
    geometry: Geometry,
    /// Where slot 0 begins.
    slots_at: u64,
    /// Slots that hold nothing.
    free: u32,
    records: u32,
    /// Where the search for a slot that continues a record goes on.
    cursor: u32,
    recovery: Recovery,
    /// Records whose keys are lost.
    nameless: Nameless,
    /// The older one of two versions of a record, which dies when opening has judged all slots.
    older: Option<u32>,
    /// What a test makes it forget.
    lacking: Option<StoreBarrier>,
}

/// What a search comes to.
struct TableSearch {
    record: Option<Record>,
    /// The first free slot that it passed.
    vacant: Option<u32>,
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// Its sizes.
    #[must_use]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Records that it holds.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.records
    }

    /// Whether it holds no record.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Slots that hold nothing. One of them is kept for updates.
    #[must_use]
    pub const fn free_slots(&self) -> u32 {
        self.free
    }

    /// What opening it found.
    #[must_use]
    pub const fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// The memory below. What is written to it behind the table's back, the table does not know.
    pub const fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The memory below, for whom the table has done its work.
    #[must_use]
    pub fn into_memory(self) -> M {
        self.memory
    }

    /// Copies the value of a key to the start of `out`; returns its length in bytes, or `None` where the key is not in
    /// the table.
    ///
    /// # Errors
    /// [`Error::Buffer`] where the value does not fit, [`Error::Corrupt`] where it is damaged, [`Error::EmptyKey`],
    /// [`Error::KeyTooLong`], or the memory's own.
    // As for `put`.
    #[inline(always)]
    pub fn get(&mut self, key: &[u8], out: &mut [u8]) -> Result<Option<usize>, Error<M::Error>> {
        check_key(key)?;
        let (hash, mut seen) = (self.hash(key), Seen::default());
        let likely = out.len();
        if let Some(short) = self.short(hash, key, out, likely, &mut seen)? {
            return Ok(Some(short.head.value));
        }
        let found = self.find(hash, key, &seen, Some(out))?;
        Ok(found.record.map(|record| record.head.value))
    }

    /// Whether a key is in the table.
    ///
    /// # Errors
    /// As [`get`](Self::get), without [`Error::Buffer`].
    pub fn contains(&mut self, key: &[u8]) -> Result<bool, Error<M::Error>> {
        check_key(key)?;
        let found = self.find(self.hash(key), key, &Seen::default(), None)?;
        Ok(found.record.is_some())
    }

    /// Where a slot begins.
    #[inline]
    fn at(&self, slot: u32) -> u64 {
        self.slots_at + u64::from(slot) * u64::from(self.geometry.slot_bytes)
    }

    #[inline]
    fn keeps(&self, barrier: StoreBarrier) -> bool {
        keeps(self.lacking, barrier)
    }

    #[inline]
    fn hash(&self, key: &[u8]) -> Hash {
        hash(self.geometry.seed, key)
    }

    /// What the short way found, as the search returns it.
    fn record_of(&self, short: &Short) -> Record {
        let ShortHead {
            version,
            key,
            value,
            check,
        } = short.head;
        Record {
            slot: short.slot(),
            head: Head {
                check,
                ..Head::new(&self.geometry, version, key, value)
            },
            flip: None,
        }
    }

    /// Finds a key, and reads its value where it is wanted.
    #[inline(never)]
    fn find(
        &mut self,
        hash: Hash,
        key: &[u8],
        seen: &Seen,
        mut out: Option<&mut [u8]>,
    ) -> Result<TableSearch, Error<M::Error>> {
        let mark = self.directory.mark(hash.tag());
        let mut bucket = hash.bucket(self.geometry.buckets);
        let (preferred, mut vacant) = (hash.lane(SLOTS_PER_BUCKET), None);
        for _ in 0..self.geometry.buckets {
            let mut lanes = Lanes::default();
            for part in 0..self.directory.parts() {
                lanes = self.directory.part(&mut self.memory, bucket, part)?;
                let mut found = slots_with(lanes, mark);
                while found != 0 {
                    let slot = first_slot(bucket, found);
                    let record = self.matches(slot, key, seen.of(slot), out.as_deref_mut())?;
                    if record.is_some() {
                        vacant = vacant.or(free_slot(bucket, lanes, preferred));
                        return Ok(TableSearch { record, vacant });
                    }
                    found &= found - 1;
                }
                vacant = vacant.or(free_slot(bucket, lanes, preferred));
            }
            if count(lanes) == 0 {
                break;
            }
            bucket = self.bucket_after(bucket);
        }
        self.check_nameless(key)?;
        Ok(TableSearch {
            record: None,
            vacant,
        })
    }

    const fn bucket_after(&self, bucket: u32) -> u32 {
        if bucket + 1 == self.geometry.buckets {
            0
        } else {
            bucket + 1
        }
    }

    /// Whether a slot holds the record of a key, whose value goes to `out`.
    fn matches(
        &mut self,
        slot: u32,
        key: &[u8],
        known: &[u8],
        mut out: Option<&mut [u8]>,
    ) -> Result<Option<Record>, Error<M::Error>> {
        let likely = self.peek(slot, key, known)?;
        if let Some((record, body)) = likely
            && out
                .as_ref()
                .is_none_or(|out| out.len() >= record.head.value)
            && self.is_proven(&record, key, body, out.as_deref_mut())?
        {
            return Ok(Some(record));
        }
        self.doubt(slot, key, likely.is_some(), out)
    }

    /// The same where the first look found another key or a wrong check: the whole slot says which bit is wrong.
    #[cold]
    fn doubt(
        &mut self,
        slot: u32,
        key: &[u8],
        is_likely: bool,
        out: Option<&mut [u8]>,
    ) -> Result<Option<Record>, Error<M::Error>> {
        if !is_likely && !self.keeps(StoreBarrier::DoubtKey) {
            return Ok(None);
        }
        let SlotContent::Live(record) = self.load(slot)? else {
            return Err(Error::Corrupt { slot });
        };
        let mut body = Body::of(&record);
        if !is_likely && record.flip.is_none() || !self.is_key(&record, &mut body, key)? {
            return Ok(None);
        }
        if let Some(out) = out.as_deref()
            && out.len() < record.head.value
        {
            return Err(Error::Buffer {
                needed: record.head.value,
                bytes: out.len(),
            });
        }
        if self.is_proven(&record, key, body, out)? {
            Ok(Some(record))
        } else {
            Err(Error::Corrupt { slot })
        }
    }

    /// Reads a slot as far as its key, of which some bytes are known, without a look at the checks. `None` where it is
    /// another key's.
    fn peek(
        &mut self,
        slot: u32,
        key: &[u8],
        known: &[u8],
    ) -> Result<Option<(Record, Body)>, Error<M::Error>> {
        let at = self.at(slot);
        let mut buffer = [0; FIRST_READ];
        let most = FIRST_READ.min(self.geometry.slot_bytes as usize);
        let mut have = known.len();
        buffer[..have].copy_from_slice(known);
        let likely = if key.len() <= LONGEST_OF_SHORT { 4 } else { 8 } + key.len();
        self.read_on(at, &mut buffer, &mut have, likely.min(most))?;
        let Some(header) = Head::header_bytes(&buffer) else {
            return Ok(None);
        };
        // A long form with a short key: only now is it known that there is more of a head.
        if header > 4 {
            self.read_on(at, &mut buffer, &mut have, 8)?;
            let [_, _, _, _, a, b, c, d, ..] = buffer;
            let (stored, value) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
            if usize::from(stored) != key.len() {
                return Ok(None);
            }
            if self.geometry.slots_of(key.len(), usize::from(value)) > 1 {
                self.read_on(at, &mut buffer, &mut have, header)?;
            }
        }
        let Some(head) = Head::parse(&buffer[..have], &self.geometry) else {
            return Ok(None);
        };
        if head.key != key.len() {
            return Ok(None);
        }
        let with_key = head.body + key.len().min(head.first());
        self.read_on(at, &mut buffer, &mut have, with_key.min(most))?;
        let record = Record {
            slot,
            head,
            flip: None,
        };
        let read = have
            .saturating_sub(head.body)
            .min(key.len())
            .min(head.first());
        if buffer.get(head.body..head.body + read) != key.get(..read) {
            return Ok(None);
        }
        let mut body = Body::of(&record).skipped(read);
        let is_same = self.is_rest(&record, &mut body, &key[read..])?;
        Ok(is_same.then_some((record, body)))
    }

    /// Goes on with a read of a slot at `at`, up to so many bytes.
    fn read_on(
        &mut self,
        at: u64,
        buffer: &mut [u8; FIRST_READ],
        have: &mut usize,
        to: usize,
    ) -> Result<(), M::Error> {
        if to > *have {
            self.memory
                .read(at + *have as u64, &mut buffer[*have..to])?;
            *have = to;
        }
        Ok(())
    }

    /// Whether a record's key is this one; its body comes to stand at the value.
    fn is_key(
        &mut self,
        record: &Record,
        body: &mut Body,
        key: &[u8],
    ) -> Result<bool, Error<M::Error>> {
        Ok(record.head.key == key.len() && self.is_rest(record, body, key)?)
    }

    /// Whether a body goes on with these bytes.
    fn is_rest(
        &mut self,
        record: &Record,
        body: &mut Body,
        mut rest: &[u8],
    ) -> Result<bool, Error<M::Error>> {
        let mut buffer = [0; FIRST_READ];
        while !rest.is_empty() {
            let part = &mut buffer[..rest.len().min(FIRST_READ)];
            self.read_body(record, body, part)?;
            let (this, after) = rest.split_at(part.len());
            if part != this {
                return Ok(false);
            }
            rest = after;
        }
        Ok(true)
    }

    /// Reads the value behind a key, to `out` where that is given, and whether the record's check fits.
    #[inline]
    fn is_proven(
        &mut self,
        record: &Record,
        key: &[u8],
        mut body: Body,
        out: Option<&mut [u8]>,
    ) -> Result<bool, Error<M::Error>> {
        let mut check = record.head.begin_check(record.slot).with(key);
        let mut left = record.head.value;
        if let Some(out) = out.and_then(|out| out.get_mut(..left)) {
            self.read_body(record, &mut body, out)?;
            check = check.with(out);
            left = 0;
        }
        let mut buffer = [0; FIRST_READ];
        while left > 0 {
            let part = &mut buffer[..left.min(FIRST_READ)];
            self.read_body(record, &mut body, part)?;
            check = check.with(part);
            left -= part.len();
        }
        Ok(check.value() == record.head.check || !self.keeps(StoreBarrier::RecordCheck))
    }

    /// Judges a whole slot.
    fn load(&mut self, slot: u32) -> Result<SlotContent, Error<M::Error>> {
        let (at, bytes) = (self.at(slot), self.geometry.slot_bytes as usize);
        let scratch = &mut self.scratch.as_mut()[..bytes];
        self.memory.read(at, scratch)?;
        Ok(inspect(scratch, slot, &self.geometry))
    }

    /// Sets the mark of a slot.
    fn mark(&mut self, slot: u32, mark: u16) -> Result<(), M::Error> {
        let (bucket, lane) = (slot / SLOTS_PER_BUCKET, slot % SLOTS_PER_BUCKET);
        self.directory.set(&mut self.memory, bucket, lane, mark)
    }

    /// The mark of a slot.
    fn marked(&mut self, slot: u32) -> Result<u16, M::Error> {
        let (bucket, lane) = (slot / SLOTS_PER_BUCKET, slot % SLOTS_PER_BUCKET);
        let part = lane * self.directory.parts() / 8;
        let lanes = self.directory.part(&mut self.memory, bucket, part)?;
        Ok(lane_of(lanes, lane))
    }

    /// Takes or gives back a slot in the counts of the buckets between where its key belongs and where it is.
    fn pass(&mut self, hash: Hash, slot: u32, is_new: bool) -> Result<(), M::Error> {
        let (mut bucket, end) = (hash.bucket(self.geometry.buckets), slot / SLOTS_PER_BUCKET);
        while bucket != end {
            let lanes =
                self.directory
                    .part(&mut self.memory, bucket, self.directory.parts() - 1)?;
            let count = count(lanes);
            // A count that reached its end is no longer exact, and stays.
            if count < self.directory.count_max() {
                let to = if is_new {
                    count + 1
                } else {
                    count.saturating_sub(1)
                };
                self.directory.set(&mut self.memory, bucket, 7, to)?;
            }
            bucket = self.bucket_after(bucket);
        }
        Ok(())
    }

    /// Gives every slot of a record back in the directory.
    fn release(&mut self, record: &Record, hash: Hash) -> Result<(), Error<M::Error>> {
        self.pass(hash, record.slot, false)?;
        self.mark(record.slot, FREE)?;
        self.free += 1;
        self.records -= 1;
        self.release_chain(record)
    }

    /// Gives the slots behind the head's back.
    fn release_chain(&mut self, record: &Record) -> Result<(), Error<M::Error>> {
        if record.head.is_single() {
            return Ok(());
        }
        let mut next = record.head.next;
        // The same bound as for taking them: a chain that runs in a circle is no chain.
        for _ in 1..self.geometry.slots_of(record.head.key, record.head.value) {
            let after = match self.link_of(record, next) {
                Err(Error::Corrupt { .. }) => break,
                after => after?,
            };
            if self.marked(next)? == TAKEN {
                self.mark(next, FREE)?;
                self.free += 1;
            }
            next = after;
        }
        Ok(())
    }

    /// The slot after one that continues a record.
    fn link_of(&mut self, record: &Record, slot: u32) -> Result<u32, Error<M::Error>> {
        if slot >= self.geometry.slots() {
            return Err(Error::Corrupt { slot: record.slot });
        }
        let mut bytes = [0; LINK_BYTES];
        self.memory.read(self.at(slot), &mut bytes)?;
        crate::slot::parse_link(bytes, record.slot).ok_or(Error::Corrupt { slot: record.slot })
    }
}

/// Whether a table that may lack a barrier has this one. Only tests take any away.
#[inline]
fn keeps(lacking: Option<StoreBarrier>, barrier: StoreBarrier) -> bool {
    !cfg!(test) || lacking != Some(barrier)
}

/// The version of a record that replaces one of this version.
#[inline]
fn next_version(version: u8, lacking: Option<StoreBarrier>) -> u8 {
    if keeps(lacking, StoreBarrier::NextVersion) {
        (version + 1) % 4
    } else {
        version
    }
}

/// Whether a table takes such a key.
#[inline]
fn check_key<E>(key: &[u8]) -> Result<(), Error<E>> {
    match key.len() {
        0 => Err(Error::EmptyKey),
        1..=KEY_BYTES_MAX => Ok(()),
        bytes => Err(Error::KeyTooLong { bytes }),
    }
}
