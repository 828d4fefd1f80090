//! How worn the blocks of a flash that ages are, by the latencies of what was done to them: the predictor of
//! `wordline wear health`.

use std::collections::BTreeMap;

use wordline_core::quantity::Time;
use wordline_nvm::ageing::health::{
    BlockHealth, Channel, HealthVerdict, Kin, LatencyHistory, LatencyRecorder, NoTrend, Prediction,
    Trained,
};
use wordline_nvm::{FlashMemory, Memory, NvmError};

use super::abi::{Health, MemoryStatus, WlMemory};
use super::device::{MemoryDevice, Op};
use super::fault::{FaultReason, MemoryFault};
use super::functions::with;
use crate::boundary::write_out;

const DOES_NOT_AGE: &str = "this memory does not age, and its latencies show no wear: set options.ageing, or call \
                            wl_memory_set_environment";

/// The latencies of the blocks of a memory that ages, since it does.
#[derive(Clone, Debug)]
pub(super) struct LatencyWatch {
    /// Whether durations are drawn.
    is_drawn: bool,
    blocks: BTreeMap<u32, LatencyRecorder>,
}

impl LatencyWatch {
    pub(super) const fn new(is_drawn: bool) -> Self {
        Self {
            is_drawn,
            blocks: BTreeMap::new(),
        }
    }

    /// Forgets a block, whose cycles are no longer those that were seen.
    pub(super) fn forget(&mut self, block: u32) {
        self.blocks.remove(&block);
    }

    /// Notes an operation that was carried out: `took` is what the array did.
    fn note(
        &mut self,
        flash: &dyn FlashMemory,
        op: &Op<'_>,
        failed: bool,
        took: Time,
    ) -> Result<(), NvmError> {
        let geometry = flash.geometry();
        match *op {
            Op::Program { page, .. } if failed => {
                let block = page / geometry.pages_per_block;
                let cycles = flash.cycles(block)?;
                self.blocks.entry(block).or_default().failed(cycles);
            }
            // A part of a page may take less than all of it.
            Op::Program { page, column, data }
                if column == 0 && data.len() >= geometry.page_bytes as usize =>
            {
                let block = page / geometry.pages_per_block;
                self.blocks.entry(block).or_default().programmed(took);
            }
            // An erase of several blocks has a time of its own.
            Op::Erase { block, blocks: 1 } => {
                let cycles = flash.cycles(block)?;
                let of_block = self.blocks.entry(block).or_default();
                if failed {
                    of_block.failed(cycles);
                } else {
                    of_block.erased(cycles, took, self.is_drawn);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What is known of every block.
    fn histories(
        &self,
        flash: &dyn FlashMemory,
    ) -> Result<BTreeMap<u32, LatencyHistory>, NvmError> {
        let all = self.blocks.iter();
        all.map(|(block, recorder)| Ok((*block, recorder.history(flash.cycles(*block)?))))
            .collect()
    }
}

impl MemoryDevice {
    /// Notes how long the array took for an operation, if this memory ages.
    #[cold]
    #[inline(never)]
    pub(super) fn note_latency(&mut self, op: &Op<'_>, failure: Option<&MemoryFault>) {
        let failed = match failure.map(MemoryFault::memory_status) {
            None => false,
            Some(MemoryStatus::ProgramFailed | MemoryStatus::EraseFailed) => true,
            Some(_) => return,
        };
        let took = self.cells.accounts().last_cost().array_time();
        let (Some(watch), Memory::Flash(flash)) = (&mut self.watch, &self.cells.memory) else {
            return;
        };
        // The block is one of the memory's, or the operation would have been misuse.
        let noted = watch.note(&**flash, op, failed, took);
        debug_assert!(noted.is_ok(), "{noted:?}");
    }

    /// What the latencies of a block say of it.
    fn health(&mut self, block: u32) -> Result<Health, MemoryFault> {
        let flash = self.cells.flash()?;
        let cycles = flash.cycles(block)?;
        let (Some(watch), Memory::Flash(flash)) = (&self.watch, &self.cells.memory) else {
            return Err(FaultReason::Unsupported(DOES_NOT_AGE).into());
        };
        let histories = watch.histories(&**flash)?;
        let kin = Kin::of_chip(&histories.values().collect::<Vec<_>>());
        let unused = LatencyHistory {
            cycles,
            ..LatencyHistory::default()
        };
        let history = histories.get(&block).unwrap_or(&unused);
        let health = BlockHealth::of(Trained::stored(), history, &kin);
        Ok(answer(&health, history.cycles, &kin))
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
