//! How worn the blocks of a flash that ages are, by the latencies of what was done to them: the predictor of
//! `wordline wear health`.

use wordline_core::quantity::Time;
use wordline_nvm::ageing::health::{
    BlockHealth, Channel, ChipLatencies, HealthVerdict, Kin, NoTrend, Prediction, Trained,
    UnwornFailures,
};
use wordline_nvm::{FlashMemory, Memory, NvmError};

use super::abi::{Health, MemoryStatus, WlMemory};
use super::device::{MemoryDevice, Op};
use super::fault::{FaultReason, MemoryFault};
use super::functions::with;
use crate::boundary::write_out;

const DOES_NOT_AGE: &str = "this memory does not age, and its latencies show no wear: set options.ageing, or call \
                            wl_memory_set_environment";

const NO_BLOCKS: &str = "this memory has no blocks that wear, and its latencies show nothing: only flash is judged by them";

/// The latencies of the blocks of a memory that ages, since it does.
#[derive(Clone, Debug)]
pub(super) struct LatencyWatch {
    /// Whether durations are drawn.
    is_drawn: bool,
    chip: ChipLatencies,
}

impl LatencyWatch {
    pub(super) fn new(is_drawn: bool) -> Self {
        Self {
            is_drawn,
            chip: ChipLatencies::default(),
        }
    }

    /// Forgets a block, whose cycles are no longer those that were seen.
    pub(super) fn forget(&mut self, block: u32) {
        self.chip.forget(block);
    }

    /// Notes an operation that was carried out: `took` is what the array did.
    fn note(&mut self, flash: &dyn FlashMemory, op: &Op<'_>, took: Time) -> Result<(), NvmError> {
        let geometry = flash.geometry();
        match *op {
            // A part of a page may take less than all of it.
            Op::Program { page, column, data }
                if column == 0 && data.len() >= geometry.page_bytes as usize =>
            {
                self.chip.programmed(geometry.block_of(page), took);
            }
            // An erase of several blocks has a time of its own.
            Op::Erase { block, blocks: 1 } => {
                let cycles = flash.cycles(block)?;
                self.chip.erased(block, cycles, took, self.is_drawn);
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes a failure, of whatever operation the chip reports it: that of a block says which one.
    fn note_failure(&mut self, flash: &dyn FlashMemory, why: &MemoryFault) -> Result<(), NvmError> {
        let Some((block, origin)) = why.failed_block(flash.geometry().pages_per_block) else {
            return Ok(());
        };
        self.chip.failed(block, flash.cycles(block)?, origin);
        Ok(())
    }
}

impl MemoryDevice {
    /// Notes how long the array took for an operation, if this memory ages.
    #[cold]
    #[inline(never)]
    pub(super) fn note_latency(&mut self, op: &Op<'_>, failure: Option<&MemoryFault>) {
        let took = self.cells.accounts().last_cost().array_time();
        let (Some(watch), Memory::Flash(flash)) = (&mut self.watch, &self.cells.memory) else {
            return;
        };
        // The block is one of the memory's, or the operation would have been misuse.
        let noted = match failure {
            None => watch.note(&**flash, op, took),
            Some(why) => watch.note_failure(&**flash, why),
        };
        debug_assert!(noted.is_ok(), "{noted:?}");
    }

    /// What the latencies of a block say of it.
    fn health(&mut self, block: u32) -> Result<Health, MemoryFault> {
        let Memory::Flash(flash) = &self.cells.memory else {
            return Err(FaultReason::Unsupported(NO_BLOCKS).into());
        };
        let cycles = flash.cycles(block)?;
        let Some(watch) = &mut self.watch else {
            return Err(FaultReason::Unsupported(DOES_NOT_AGE).into());
        };
        let history = watch.chip.history(block, cycles);
        let UnwornFailures {
            injected,
            power_cut,
        } = watch.chip.unworn_failures(block);
        let kin = watch.chip.kin();
        let health = BlockHealth::of(Trained::stored(), &history, kin);
        Ok(Health {
            injected_failures: injected,
            cut_failures: power_cut,
            ..answer(&health, history.cycles, kin)
        })
    }
}

/// An answer as C takes it.
fn answer(health: &BlockHealth, cycles: u64, kin: &Kin) -> Health {
    let mut out = Health {
        size: size_of::<Health>() as u64,
        verdict: match health.verdict {
            HealthVerdict::Unknown => 0,
            HealthVerdict::Healthy => 1,
            HealthVerdict::Watch => 2,
            HealthVerdict::Retire => 3,
            HealthVerdict::Failed => 4,
        },
        reason: match health.found {
            _ if health.verdict == HealthVerdict::Failed => 0,
            Err(NoTrend::Missing) => 1,
            Err(NoTrend::Late) => 2,
            Err(NoTrend::Still) => 3,
            Ok(_) if health.is_young() => 4,
            Ok(_) => 0,
        },
        cycles,
        latency_ratio: f64::NAN,
        used_low: f64::NAN,
        used: f64::NAN,
        used_high: f64::NAN,
        left_low: f64::NAN,
        left: f64::NAN,
        left_high: f64::NAN,
        ..Health::default()
    };
    if let Ok(found) = &health.found {
        out.operation = match found.channel {
            Channel::Program => 3,
            Channel::Erase => 4,
        };
        out.failed_blocks = kin.of(found.channel).ends.len() as u64;
        out.beyond = u64::from(found.beyond);
        out.latency_ratio = found.ratio;
    }
    let failed = health.verdict == HealthVerdict::Failed;
    let share = match &health.found {
        _ if failed => None,
        Ok(found) if !health.is_young() => Some(found.share),
        _ => return out,
    };
    (out.used_low, out.used, out.used_high) =
        share.map_or((1.0, 1.0, 1.0), |band| (band.low, band.median, band.high));
    // The least that is left belongs to the most that is used.
    let left = |used: f64| Prediction::left(cycles, used).round();
    (out.left_low, out.left, out.left_high) =
        (left(out.used_high), left(out.used), left(out.used_low));
    out
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `health` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_get_health(
    memory: *const WlMemory,
    block: u32,
    health: *mut Health,
) -> MemoryStatus {
    // SAFETY: the caller promises what `write_out` asks for.
    with(memory, |device| unsafe {
        write_out(health, || device.health(block))
    })
}
