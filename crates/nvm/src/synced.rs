//! A device whose writes are safe from a power cut when they end.

use wordline_core::WriteSync;
use wordline_core::quantity::Time;
use wordline_memory::ByteMemory;

use crate::bound::TimeSpan;
use crate::cost::AccessCost;
use crate::device::{Accounts, Device, InFront, Pipeline};
use crate::error::{Misuse, NvmError};

/// A device each of whose writes is flushed, or written past the cache, as one access.
pub struct Synced {
    device: Box<dyn Device>,
    how: WriteSync,
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
            last: AccessCost::NONE,
        })
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
        self.last = *self.device.last_cost();
        if self.how == WriteSync::Flush {
            let flush = self.flush()?;
            self.last.add_all(&flush);
        }
        Ok(())
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.last = self.flush()?;
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

    fn holds_words(&self) -> bool {
        self.device.holds_words()
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
            how: self.how,
            last: self.last,
        })
    }
}
