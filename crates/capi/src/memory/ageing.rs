//! The functions of the header by which flash ages: what it is kept in, and rest without power.

use wordline_catalog::{Catalog, Part};
use wordline_core::quantity::{Period, Quantity as _};
use wordline_nvm::Memory;
use wordline_nvm::ageing::{AgeingError, Environment};

use super::abi::{MemoryStatus, WlMemory};
use super::device::MemoryDevice;
use super::fault::{FaultReason, MemoryFault};
use super::functions::with;
use super::health::LatencyWatch;

/// Lets a memory age from now on, by the model of its oxide; again, it changes the environment. `part` is its name.
pub(super) fn start_ageing(
    memory: &mut Memory,
    part: &str,
    environment: Environment,
) -> Result<(), MemoryFault> {
    let started = match memory {
        Memory::Flash(flash) => flash.start_ageing(environment),
        Memory::Bytes(_) => Err(AgeingError::NoFigures),
    };
    started.map_err(|error| of_ageing(error, part))
}

/// Why a memory does not age: keys of its sheet say nothing to a caller, who can choose another part.
#[cold]
fn of_ageing(error: AgeingError, part: &str) -> MemoryFault {
    if error != AgeingError::NoFigures {
        return error.into();
    }
    let catalog = match Catalog::shared(&[]) {
        Ok(catalog) => catalog,
        Err(error) => return error.into(),
    };
    let ages = |part: &&Part| {
        let flash = part.model.flash();
        flash.is_some_and(|flash| flash.outlook().is_some())
    };
    let others: Vec<_> = catalog
        .parts()
        .filter(ages)
        .map(|part| part.header.id.as_str())
        .collect();
    FaultReason::NoAgeing {
        part: part.into(),
        others: others.join(", ").into(),
    }
    .into()
}

/// A duration as C states it: a [`Period`] would take what is none for no time at all.
pub(super) fn period(what: &'static str, seconds: f64) -> Result<Period, MemoryFault> {
    if seconds >= 0.0 && seconds.is_finite() {
        return Ok(Period::from_si(seconds));
    }
    let found = seconds;
    Err(FaultReason::Seconds { what, found }.into())
}

impl MemoryDevice {
    /// Lets a memory lie without power.
    fn keep(&mut self, period: Period, celsius: f64) -> Result<(), MemoryFault> {
        let kept = match &mut self.cells.memory {
            Memory::Flash(flash) => flash.keep(period, celsius),
            Memory::Bytes(_) => Err(AgeingError::NoFigures),
        };
        kept.map_err(|error| of_ageing(error, &self.part))
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
        let environment = Environment { celsius, dwell };
        start_ageing(&mut device.cells.memory, &device.part, environment)?;
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
