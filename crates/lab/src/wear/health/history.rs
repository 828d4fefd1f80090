//! A log's block, as the predictor of `wordline_nvm` takes it.

use wordline_core::quantity::Quantity as _;
use wordline_nvm::ageing::health::{Channel, LatencyHistory, TrendSample};
use wordline_trace::cycling::{BlockLife, CyclingOperation};

/// The operation of a latency, as logs spell it.
pub(super) const fn operation(channel: Channel) -> CyclingOperation {
    match channel {
        Channel::Erase => CyclingOperation::Erase,
        Channel::Program => CyclingOperation::Program,
    }
}

/// The latencies of a block.
pub(super) fn history(life: &BlockLife) -> LatencyHistory {
    let of = |channel| {
        let points = life.of(operation(channel));
        let points = points.map(|point| TrendSample {
            cycle: point.cycle,
            latency_s: point.duration.si(),
            lines: point.lines as f64,
        });
        points.collect()
    };
    LatencyHistory {
        programs: of(Channel::Program),
        erases: of(Channel::Erase),
        cycles: life.cycles,
        failed: life.failed.is_some(),
    }
}
