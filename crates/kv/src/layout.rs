//! Where things lie in the memory, and the header that says so. SPEC.md has the bytes.

use wordline_memory::ByteMemory;

use crate::Error;
use crate::checksum::{crc32, flipped};
use crate::short_form::LONGEST_OF_SHORT;
use crate::slot::DEAD;

/// Version of the written format.
pub const VERSION: u16 = 2;

/// The longest key, in bytes.
pub const KEY_BYTES_MAX: usize = 0xFFFF;

/// The longest value, in bytes.
pub const VALUE_BYTES_MAX: usize = 0xFFFF;

/// Slots in a bucket.
pub const SLOTS_PER_BUCKET: u32 = 7;

const MAGIC: [u8; 8] = *b"WLkv\r\n\x1a\n";
const HEADER_BYTES: usize = 36;
const ALIGNMENT: u64 = 64;
/// The directory lies in the table's memory.
const RESIDENT: u16 = 1;

/// What a table is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes in a slot: 16 to 32768, even, a whole number of the memory's atoms. A record takes one slot where it
    /// fits, and several where not: see [`Geometry::slots_of`]. [`Options::for_records`] has the size that wastes
    /// nothing.
    pub slot_bytes: u32,
    /// Whether the memory has room for the directory, so that next to no RAM is needed: 8 bytes a bucket of 7 slots.
    pub resident_directory: bool,
    /// Of the hash: keys that collide under one do not under another. It is no secret key: an attacker who can measure the table
    /// can find such keys.
    pub seed: u64,
}

impl Options {
    /// Slots that take one record of a key and a value of so many bytes, on a memory of an atom in bytes.
    #[must_use]
    pub const fn for_records(key_bytes: usize, value_bytes: usize, atom: usize) -> Self {
        let head = if key_bytes <= LONGEST_OF_SHORT && value_bytes <= LONGEST_OF_SHORT {
            4
        } else {
            8
        };
        let atom = if atom < 2 { 2 } else { atom };
        let bytes = head + key_bytes + value_bytes + 4;
        let bytes = if bytes < 16 { 16 } else { bytes };
        Self {
            slot_bytes: bytes.next_multiple_of(atom) as u32,
            resident_directory: false,
            seed: 0,
        }
    }

    /// The same with the directory in the memory.
    #[must_use]
    pub const fn resident(self) -> Self {
        Self {
            resident_directory: true,
            ..self
        }
    }
}

/// The sizes of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes in a slot.
    pub slot_bytes: u32,
    /// Buckets of 7 slots each.
    pub buckets: u32,
    /// Whether the memory has room for the directory.
    pub resident_directory: bool,
    /// Of the hash.
    pub seed: u64,
    /// What the regions begin at a multiple of, in bytes.
    pub(crate) alignment: u32,
}

impl Geometry {
    /// Slots in the table.
    #[must_use]
    pub const fn slots(&self) -> u32 {
        self.buckets * SLOTS_PER_BUCKET
    }

    /// Slots that a record takes, whose key and value have so many bytes.
    #[must_use]
    pub const fn slots_of(&self, key_bytes: usize, value_bytes: usize) -> u32 {
        let slot = self.slot_bytes as usize;
        let payload = key_bytes + value_bytes;
        let short = key_bytes <= LONGEST_OF_SHORT && value_bytes <= LONGEST_OF_SHORT;
        if 4 + payload + 4 <= slot && (short || 8 + payload + 4 <= slot) {
            return 1;
        }
        // A head with a link, and as many further slots as the rest takes.
        let first = slot - 16;
        let first = if first < payload { first } else { payload };
        1 + (payload - first).div_ceil(slot - 6) as u32
    }

    /// Words of 64 bits that a [`RamDirectory`](crate::RamDirectory) of this table has: 16 bytes a bucket of 7 slots.
    #[must_use]
    pub const fn directory_words(&self) -> usize {
        self.buckets as usize * 2
    }

    /// The shortest scratch buffer, in bytes. A longer one makes opening take fewer accesses.
    #[must_use]
    pub const fn scratch_bytes(&self) -> usize {
        2 * self.slot_bytes as usize
    }

    /// Bytes of memory that the table takes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.slots_at() + self.slots() as u64 * self.slot_bytes as u64
    }

    /// Where the directory begins, where there is one.
    pub(crate) const fn directory_at(&self) -> u64 {
        self.alignment as u64
    }

    /// Where the slots begin.
    pub(crate) const fn slots_at(&self) -> u64 {
        let directory = if self.resident_directory {
            self.buckets as u64 * 8
        } else {
            0
        };
        (self.directory_at() + directory).next_multiple_of(self.alignment as u64)
    }

    /// Where a slot begins.
    pub(crate) const fn at(&self, slot: u32) -> u64 {
        self.slots_at() + slot as u64 * self.slot_bytes as u64
    }

    /// The largest table that fits so many bytes.
    fn fitting<E>(options: &Options, bytes: u64, atom: usize) -> Result<Self, Error<E>> {
        let Options {
            slot_bytes,
            resident_directory,
            seed,
        } = *options;
        if !(16..=32768).contains(&slot_bytes) || !slot_bytes.is_multiple_of(2) {
            return Err(Error::SlotSize { slot_bytes });
        }
        check_atom(slot_bytes, atom)?;
        let alignment = ALIGNMENT.next_multiple_of(atom.max(1) as u64) as u32;
        let a_bucket =
            u64::from(slot_bytes * SLOTS_PER_BUCKET) + if resident_directory { 8 } else { 0 };
        let room = bytes.saturating_sub(2 * u64::from(alignment)) / a_bucket;
        // Slots are counted in 32 bits, with one number to spare for "none".
        let most = u32::MAX / SLOTS_PER_BUCKET - 1;
        let mut geometry = Self {
            slot_bytes,
            buckets: room.min(u64::from(most)) as u32,
            resident_directory,
            seed,
            alignment,
        };
        // Without a directory there is nothing to align twice.
        let next = Self {
            buckets: geometry.buckets.saturating_add(1).min(most),
            ..geometry
        };
        if next.bytes() <= bytes {
            geometry = next;
        }
        if geometry.buckets == 0 {
            let needed = Self {
                buckets: 1,
                ..geometry
            }
            .bytes();
            return Err(Error::TooSmall { needed, bytes });
        }
        Ok(geometry)
    }

    fn header(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        let features = if self.resident_directory { RESIDENT } else { 0 };
        bytes[10..12].copy_from_slice(&features.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.slot_bytes.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.buckets.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.alignment.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.seed.to_le_bytes());
        let check = crc32(&bytes[..32]);
        bytes[32..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    fn parse<E>(mut bytes: [u8; HEADER_BYTES], length: u64, atom: usize) -> Result<Self, Error<E>> {
        let [.., a, b, c, d] = bytes;
        let stored = u32::from_le_bytes([a, b, c, d]);
        if crc32(&bytes[..32]) != stored {
            match flipped(&bytes[..32], stored) {
                Some(flip) => bytes[flip.at] ^= flip.mask,
                None if bytes[..8] == MAGIC => return Err(Error::BadHeader),
                None => return Err(Error::Foreign),
            }
        }
        if bytes[..8] != MAGIC {
            return Err(Error::Foreign);
        }
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let (version, features) = (half(8), half(10));
        if version != VERSION || features & !RESIDENT != 0 {
            return Err(Error::Version { version, features });
        }
        let geometry = Self {
            slot_bytes: word(12),
            buckets: word(16),
            resident_directory: features & RESIDENT != 0,
            seed: u64::from(word(24)) | u64::from(word(28)) << 32,
            alignment: word(20),
        };
        let sound = (16..=32768).contains(&geometry.slot_bytes)
            && geometry.slot_bytes.is_multiple_of(2)
            && (1..u32::MAX / SLOTS_PER_BUCKET).contains(&geometry.buckets)
            && geometry.alignment >= ALIGNMENT as u32;
        if !sound {
            return Err(Error::BadHeader);
        }
        let needed = geometry.bytes();
        if needed > length {
            return Err(Error::Truncated {
                needed,
                bytes: length,
            });
        }
        check_atom(geometry.slot_bytes, atom)?;
        check_atom(geometry.alignment, atom)?;
        Ok(geometry)
    }

    /// Reads the header of a table.
    ///
    /// # Errors
    /// [`Error::Foreign`], [`Error::Version`], [`Error::Truncated`], [`Error::BadHeader`], [`Error::Atom`], or the
    /// memory's own.
    pub fn read<M: ByteMemory>(memory: &mut M) -> Result<Self, Error<M::Error>> {
        let (length, atom) = (memory.len(), memory.atom());
        if length < HEADER_BYTES as u64 {
            return Err(Error::Foreign);
        }
        let mut bytes = [0; HEADER_BYTES];
        memory.read(0, &mut bytes)?;
        Self::parse(bytes, length, atom)
    }
}

fn check_atom<E>(slot_bytes: u32, atom: usize) -> Result<(), Error<E>> {
    let atom = atom.max(1) as u64;
    if u64::from(slot_bytes).is_multiple_of(atom) {
        Ok(())
    } else {
        Err(Error::Atom { atom, slot_bytes })
    }
}

/// Makes an empty table that fills a memory. Whatever the memory held is lost; a format that a power cut interrupts
/// leaves no table.
///
/// # Errors
/// [`Error::SlotSize`], [`Error::Atom`], [`Error::TooSmall`] (nothing is written then), or the memory's own.
pub fn format<M: ByteMemory>(
    memory: &mut M,
    options: &Options,
) -> Result<Geometry, Error<M::Error>> {
    let geometry = Geometry::fitting(options, memory.len(), memory.atom())?;
    // First of all the old header goes, so that nothing half made is taken for a table.
    memory.write(0, &[0; HEADER_BYTES])?;
    memory.persist()?;
    for slot in 0..geometry.slots() {
        memory.write(geometry.at(slot), &[DEAD, 0])?;
    }
    memory.persist()?;
    memory.write(0, &geometry.header())?;
    memory.persist()?;
    Ok(geometry)
}
