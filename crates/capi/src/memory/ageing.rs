//! The functions of the header by which flash ages: what it is kept in, and rest without power.

use wordline_core::quantity::{Period, Quantity as _};
use wordline_nvm::Memory;
use wordline_nvm::ageing::Environment;

use super::abi::{MemoryStatus, WlMemory};
use super::device::MemoryDevice;
use super::fault::{FaultReason, MemoryFault};
use super::functions::with;
use super::health::LatencyWatch;

const NO_MODEL: &str = "this memory has no model of ageing: only flash has";

/// Lets a memory age from now on, by the model of its oxide; again, it changes the environment.
pub(super) fn start_ageing(
    memory: &mut Memory,
    environment: Environment,
) -> Result<(), MemoryFault> {
    match memory {
        Memory::Flash(flash) => Ok(flash.start_ageing(environment)?),
        Memory::Bytes(_) => Err(FaultReason::Unsupported(NO_MODEL).into()),
    }
}

/// A duration as C states it: a [`Period`] would take what is none for no time at all.
pub(super) fn period(what: &'static str, seconds: f64) -> Result<Period, MemoryFault> {
    if seconds >= 0.0 {
        return Ok(Period::from_si(seconds));
    }
    let found = seconds;
    Err(FaultReason::Seconds { what, found }.into())
}

impl MemoryDevice {
    /// Lets a memory lie without power.
    fn keep(&mut self, period: Period, celsius: f64) -> Result<(), MemoryFault> {
        match &mut self.cells.memory {
            Memory::Flash(flash) => Ok(flash.keep(period, celsius)?),
            Memory::Bytes(_) => Err(FaultReason::Unsupported(NO_MODEL).into()),
        }
    }
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_set_environment(
    memory: *mut WlMemory,
    celsius: f64,
    dwell_s: f64,
) -> MemoryStatus {
    with(memory, |device| {
        let dwell = period("dwell_s", dwell_s)?;
        start_ageing(&mut device.cells.memory, Environment { celsius, dwell })?;
        device.forget_bounds();
        let is_drawn = device.is_drawn;
        device
            .watch
            .get_or_insert_with(|| LatencyWatch::new(is_drawn));
        Ok(())
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_keep(
    memory: *mut WlMemory,
    seconds: f64,
    celsius: f64,
) -> MemoryStatus {
    with(memory, |device| {
        device.keep(period("seconds", seconds)?, celsius)
    })
}
