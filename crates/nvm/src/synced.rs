//! A device whose writes are safe from a power cut when they end, or soon after.

use std::any::Any;

use wordline_core::WriteSync;
use wordline_core::quantity::Time;
use wordline_memory::ByteMemory;

use crate::bound::TimeSpan;
use crate::bus::sd::BLOCK_BYTES;
use crate::cost::AccessCost;
use crate::device::{Accounts, Device, InFront, Pipeline, sectors_of};
use crate::error::{Misuse, NvmError};

/// A device whose writes are written past its cache, or flushed, each or several together, as part of the access.
pub struct Synced {
    device: Box<dyn Device>,
    how: WriteSync,
    /// Bytes of writes that a flush follows.
    every_bytes: u64,
    /// Bytes that were written since the last flush.
    unsafe_bytes: u64,
    /// The most of them that a write left behind.
    most_unsafe_bytes: u64,
    last: AccessCost,
}

impl Synced {
    /// Makes the writes of a device safe in a way.
    ///
    /// # Errors
    /// When it is no eMMC and has no reliable write.
    pub fn new(device: Box<dyn Device>, how: WriteSync) -> Result<Self, NvmError> {
        if how == WriteSync::Reliable && !device.writes_reliably() {
            return Err(Misuse::NoReliableWrite.into());
        }
        Ok(Self {
            device,
            how,
            every_bytes: 0,
            unsafe_bytes: 0,
            most_unsafe_bytes: 0,
            last: AccessCost::NONE,
        })
    }

    /// Flushes a device behind the write with which so many bytes have come since the last flush.
    #[must_use]
    pub fn every(device: Box<dyn Device>, bytes: u64) -> Self {
        Self {
            device,
            how: WriteSync::Flush,
            every_bytes: bytes,
            unsafe_bytes: 0,
            most_unsafe_bytes: 0,
            last: AccessCost::NONE,
        }
    }

    /// Persists, and says what that cost: nothing, where every write is safe when it returns, so that there was no
    /// access to be accounted for.
    fn flush(&mut self) -> Result<AccessCost, NvmError> {
        let before = self.device.clock().now();
        self.device.persist()?;
        if self.device.clock().now() > before {
            Ok(*self.device.last_cost())
        } else {
            Ok(AccessCost::NONE)
        }
    }
}

impl Synced {
    /// Accounts for a write that has ended, and flushes behind it where it is time.
    fn written(&mut self, bytes: u64) -> Result<(), NvmError> {
        self.last = *self.device.last_cost();
        if self.how == WriteSync::Flush {
            self.unsafe_bytes += bytes;
            if self.unsafe_bytes >= self.every_bytes {
                let flush = self.flush()?;
                self.last.add_all(&flush);
                self.unsafe_bytes = 0;
            }
        }
        self.most_unsafe_bytes = self.most_unsafe_bytes.max(self.unsafe_bytes);
        Ok(())
    }
}

impl ByteMemory for Synced {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.device.len()
    }

    fn atom(&self) -> usize {
        self.device.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.device.read(at, out)?;
        self.last = *self.device.last_cost();
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        match self.how {
            WriteSync::Reliable => self.device.write_reliably(at, data)?,
            WriteSync::Flush => self.device.write(at, data)?,
        }
        self.written(data.len() as u64)
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.last = self.flush()?;
        self.unsafe_bytes = 0;
        Ok(())
    }
}

impl InFront for Synced {
    type Behind = dyn Device;

    fn behind(&self) -> &(dyn Device + 'static) {
        self.device.as_ref()
    }

    fn whole_cost(&self) -> &AccessCost {
        &self.last
    }
}

impl Device for Synced {
    fn overwrite_bytes(&self) -> u64 {
        self.device.overwrite_bytes()
    }

    fn use_pipeline(&mut self, pipeline: Pipeline) -> bool {
        self.device.use_pipeline(pipeline)
    }

    fn map_reads(&mut self) -> bool {
        self.device.map_reads()
    }

    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        let write = self.device.write_bound(at, bytes)?;
        match self.how {
            WriteSync::Reliable => Ok(write),
            WriteSync::Flush => {
                (TimeSpan::from(write) + self.device.persist_bound()?.into()).time()
            }
        }
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.device.read_bound(at, bytes)
    }

    fn persist_bound(&self) -> Result<Time, NvmError> {
        self.device.persist_bound()
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.device.preload(at, data)
    }

    fn preload_zeros(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        self.device.preload_zeros(at, bytes)
    }

    fn volatile_bytes(&self) -> u64 {
        self.device.volatile_bytes().min(self.most_unsafe_bytes)
    }

    fn keeps_content(&self) -> bool {
        self.device.keeps_content()
    }

    fn drop_content(&mut self) -> bool {
        self.device.drop_content()
    }

    fn holds_words(&self) -> bool {
        self.device.holds_words()
    }

    fn preload_words(&mut self, sector: u64, words: &[u64]) -> Result<(), NvmError> {
        self.device.preload_words(sector, words)
    }

    fn write_words(&mut self, sector: u64, words: &[u64]) -> Result<(), NvmError> {
        match self.how {
            // A reliable write takes bytes.
            WriteSync::Reliable => self.write(sector * BLOCK_BYTES, &sectors_of(words)),
            WriteSync::Flush => {
                self.device.write_words(sector, words)?;
                self.written(words.len() as u64 * BLOCK_BYTES)
            }
        }
    }

    fn own_period(&self, bytes: u64) -> Option<u64> {
        self.device.own_period(bytes)
    }

    fn take_figures(&mut self, other: &dyn Device) -> bool {
        let other: &dyn Any = other;
        let behind = other.downcast_ref::<Self>();
        behind.is_some_and(|other| self.device.take_figures(other.device.as_ref()))
    }

    fn cycles_at(&self, at: u64) -> Option<u64> {
        self.device.cycles_at(at)
    }

    fn set_cycles_at(&mut self, at: u64, cycles: u64) -> Result<(), NvmError> {
        self.device.set_cycles_at(at, cycles)
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(Self {
            device: self.device.fork_device(),
            last: self.last,
            ..*self
        })
    }
}
