//! Settings of a device in an MRAM beside its processor, as firmware keeps them: no allocator, no directory in RAM, and
//! all sizes known when it is compiled. `cargo run -p wordline-kv --example firmware`
//!
//! On the board, `Mram` is the driver of the bus; here an array stands in for the chip.

use wordline_kv::{Error, Options, Put, ResidentDirectory, Table, format};
use wordline_memory::{ByteMemory, OutOfRange};

/// Names of up to 12 bytes, values of up to 15: slots of 32 bytes take one record each.
const SETTINGS: Options = Options::for_records(12, 15, 2).resident();

/// The scratch buffer: two slots, and as much again, so that opening takes half the accesses.
const SCRATCH_BYTES: usize = 4 * SETTINGS.slot_bytes as usize;

/// A memory on a 16-bit bus that stores each word as it arrives.
struct Mram {
    chip: [u8; 4096],
}

impl ByteMemory for Mram {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.chip.len() as u64
    }

    /// The bus word. A part with error correction over 64 bits inside says 8 here.
    fn atom(&self) -> usize {
        2
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        out.copy_from_slice(&self.chip[at as usize..][..out.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.chip[at as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    /// On a processor with a data cache or a store buffer, the barrier that empties it.
    fn persist(&mut self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

type Settings = Table<Mram, ResidentDirectory, [u8; SCRATCH_BYTES]>;

/// What the device does when it starts: the first time the memory holds no table.
fn start(mut mram: Mram) -> Result<Settings, Error<OutOfRange>> {
    if wordline_kv::Geometry::read(&mut mram) == Err(Error::Foreign) {
        format(&mut mram, &SETTINGS)?;
    }
    Table::open(mram, ResidentDirectory::new(), [0; SCRATCH_BYTES])
}

pub(crate) fn main() -> Result<(), Error<OutOfRange>> {
    let mut settings = start(Mram { chip: [0xA5; 4096] })?;
    assert_eq!(
        settings.put(b"baud", &9600_u32.to_le_bytes())?,
        Put::Inserted
    );
    assert_eq!(
        settings.put(b"baud", &115_200_u32.to_le_bytes())?,
        Put::Updated
    );
    settings.put(b"starts", &1_u32.to_le_bytes())?;

    // The power fails, and comes back.
    let mut settings = start(settings.into_memory())?;
    let mut value = [0; 4];
    assert_eq!(settings.get(b"baud", &mut value)?, Some(4));
    assert_eq!(u32::from_le_bytes(value), 115_200);
    assert_eq!(settings.len(), 2);
    Ok(())
}
