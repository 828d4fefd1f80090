//! An ideal memory whose bytes can be overwritten.

use std::sync::Arc;

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, OutOfRange};

use super::{CAUSES, IdealAccounts, IdealTimes};
use crate::chip::cycles_since;
use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Device, Notes, Wear};
use crate::error::NvmError;
use crate::pages::{Pages, spans};
use crate::power::{PowerDraw, Residence};

const CHUNK_BYTES: usize = 4096;
const COUNTS: usize = 32;

/// What an ideal memory of bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdealBytesSpec {
    /// Capacity in bytes.
    pub bytes: u64,
    /// Bytes that a power cut leaves old or new.
    pub atom_bytes: u32,
    /// Bytes whose writes are counted together.
    pub wear_unit_bytes: u32,
    /// Rated writes of a unit; [`Wear::UNLIMITED`] for any number.
    pub endurance: u64,
    /// What its operations take.
    pub times: IdealTimes,
}

#[derive(Clone, Debug)]
struct IdealChunk([u8; CHUNK_BYTES]);

impl Default for IdealChunk {
    fn default() -> Self {
        Self([0; CHUNK_BYTES])
    }
}

/// A memory of bytes without a sheet: full of zeros when it is made. It forks instead of cloning.
#[derive(Debug)]
pub struct IdealBytes {
    spec: Arc<IdealBytesSpec>,
    chunks: Pages<IdealChunk>,
    writes: Pages<[u64; COUNTS]>,
    accounts: IdealAccounts,
}

impl IdealBytes {
    /// A memory full of zeros. Sizes are at least 1.
    #[must_use]
    pub fn new(spec: IdealBytesSpec) -> Self {
        let units = spec.bytes.div_ceil(u64::from(spec.wear_unit_bytes.max(1))) as usize;
        Self {
            chunks: Pages::new(spec.bytes.div_ceil(CHUNK_BYTES as u64) as usize),
            writes: Pages::new(units.div_ceil(COUNTS)),
            accounts: IdealAccounts::new(),
            spec: Arc::new(spec),
        }
    }

    fn check(&self, at: u64, bytes: usize) -> Result<(), NvmError> {
        Ok(OutOfRange::check(at, bytes as u64, self.spec.bytes)?)
    }

    fn store_bytes(&mut self, at: u64, data: &[u8]) {
        for (chunk, inside, part) in spans(at, data.len(), CHUNK_BYTES) {
            self.chunks.get_mut(chunk).0[inside].copy_from_slice(&data[part]);
        }
    }

    fn unit(&self, at: u64) -> usize {
        (at / u64::from(self.spec.wear_unit_bytes.max(1))) as usize
    }
}

impl ByteMemory for IdealBytes {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.spec.bytes
    }

    fn atom(&self) -> usize {
        self.spec.atom_bytes as usize
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.check(at, out.len())?;
        let time = self.spec.times.read_of(out.len() as u64)?;
        self.accounts.take(Cause::ArrayRead, time)?;
        self.peek(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.check(at, data.len())?;
        let time = self.spec.times.program_of(data.len() as u64)?;
        self.accounts.take(Cause::Program, time)?;
        self.store_bytes(at, data);
        if !data.is_empty() {
            for unit in self.unit(at)..=self.unit(at + data.len() as u64 - 1) {
                let writes = &mut self.writes.get_mut(unit / COUNTS)[unit % COUNTS];
                *writes = writes.saturating_add(1);
            }
        }
        Ok(())
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.accounts.take(Cause::Program, Time::ZERO)
    }
}

impl Accounts for IdealBytes {
    fn clock(&self) -> &SimClock {
        &self.accounts.clock
    }

    fn causes(&self) -> &'static [Cause] {
        &CAUSES
    }

    fn last_cost(&self) -> &AccessCost {
        &self.accounts.last
    }

    fn residence(&self) -> Residence {
        self.accounts.residence()
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.accounts.draw
    }

    fn wear(&self) -> Wear {
        let counts = self.writes.written().flatten().copied();
        let unit = u64::from(self.spec.wear_unit_bytes);
        Wear::of_units(self.spec.endurance, 0, unit, counts)
    }

    fn notes(&self) -> &Notes {
        &self.accounts.notes
    }
}

impl Device for IdealBytes {
    fn overwrite_bytes(&self) -> u64 {
        1
    }

    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.spec.bytes)?;
        self.spec.times.program_of(bytes)
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.spec.bytes)?;
        self.spec.times.read_of(bytes)
    }

    fn peek(&self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.check(at, out.len())?;
        for (chunk, inside, part) in spans(at, out.len(), CHUNK_BYTES) {
            match self.chunks.get(chunk) {
                Some(chunk) => out[part].copy_from_slice(&chunk.0[inside]),
                None => out[part].fill(0),
            }
        }
        Ok(())
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.check(at, data.len())?;
        self.store_bytes(at, data);
        Ok(())
    }

    fn cycles_at(&self, at: u64) -> Option<u64> {
        self.check(at, 1).ok()?;
        let unit = self.unit(at);
        let counts = self.writes.get(unit / COUNTS);
        Some(counts.map_or(0, |counts| counts[unit % COUNTS]))
    }

    fn set_cycles_at(&mut self, at: u64, cycles: u64) -> Result<(), NvmError> {
        self.check(at, 1)?;
        let unit = self.unit(at);
        self.writes.get_mut(unit / COUNTS)[unit % COUNTS] = cycles_since(cycles, 0)?;
        Ok(())
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(Self {
            spec: Arc::clone(&self.spec),
            chunks: self.chunks.clone(),
            writes: self.writes.clone(),
            accounts: self.accounts.fork(),
        })
    }
}
