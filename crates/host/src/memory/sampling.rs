//! Timing batch after batch until the median is known well enough, or the time is used up.
//!
//! After an interruption, and after each look at what there is, the source brings back what was displaced before it is timed
//! again. What that takes belongs to the driver: it is no gap between batches, and no account of it counts.

mod bench;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::arena::{Arena, ArenaRequest, PageSize};
use super::chain::{ChainWalk, PointerChain};
use super::driver::{self, SharedStop};
use super::estimate::{
    self, DriverPause, EstimateError, LEAST_EXCESS_PS, LatencyEstimate, TIMES_UPPER_QUARTILE,
    TimedBatch, TimedRun, TimerCost, loads_per_batch,
};
use super::latency::PAGE_BYTES;
use super::ledger::LedgerReading;
use super::timer::{TimerError, cost_beside_loads, timer_cost};
use crate::WallClock;
pub(super) use bench::LoadSource;
use bench::{MachineBench, SampleBench};

/// How wide the 95 % interval of a median may stay, relative to it.
const WIDE: f64 = 0.01;

/// Batches below which no interval counts, however narrow: so many that the estimator does not call them few when a fifth was
/// interrupted.
const BATCHES_MIN: usize = 1280;

/// Batches that are timed even when the time is used up: fewer make no estimate.
const BATCHES_LEAST: usize = 64;

/// Loads of a batch, at least, where the batch is short for want of loads.
const LOADS_LEAST: u64 = 16;

/// Bytes of the chain beside whose loads the clock is read to see what that costs: the memory's own scatter would hide it.
const COST_CHAIN: u64 = 64 << 10;

/// Loads that show about how long one takes.
const TRIAL: u32 = 64;

/// A point is measured for so long at least, so that the accounts of the system show something of it.
const LEAST: Duration = Duration::from_millis(20);

/// Looks, one after the other, that find the interval narrow. One alone may be narrow by chance, and to stop at it would
/// prefer such chances.
const NARROW_LOOKS: u32 = 2;

/// The part of all batches that is timed after the last look, so that the figure has batches that did not decide when to stop.
const AFTER_LOOKS: usize = 4;

/// Stretches between interruptions without which no interval counts where others have the processor.
const EPISODES_MIN: usize = 16;

/// Share of the time without a processor from which others count as having it.
const LOST: f64 = 0.02;

/// Bringing back takes no longer than this, or is left out.
const REWARM_MOST_PS: u64 = 1_000_000_000;

/// Loads between that and the first batch: the first levels of caches and of translations are in use again.
const REWARM_LOADS: u32 = 512;

/// Tries of bringing back, since others may take the processor meanwhile.
const REWARM_TRIES: usize = 4;

/// Batches for which room is made at once: 6 MiB of them.
const ROOM: usize = 1 << 18;

/// A clock with what it costs to read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasuredClock {
    pub(super) clock: WallClock,
    pub(super) cost: TimerCost,
}

impl MeasuredClock {
    pub(super) fn start() -> Result<Self, TimerError> {
        let clock = WallClock::start();
        let mut cost = timer_cost(&clock)?;
        let request = ArenaRequest {
            bytes: COST_CHAIN,
            pages: PageSize::Base,
            node: None,
        };
        // Where there is no memory for that, what is measured next says so.
        if let Ok(mut arena) = Arena::map(&request) {
            let memory = &mut arena.bytes_mut()[..COST_CHAIN as usize];
            if let Ok(mut chain) = PointerChain::lay(memory, ChainWalk::Random, PAGE_BYTES, 1) {
                let mut load = |loads: u32| chain.follow(u64::from(loads));
                cost.cost_ps = cost_beside_loads(&clock, &cost, TRIAL, &mut load);
            }
        }
        Ok(Self { clock, cost })
    }
}

/// How long to sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplingPlan {
    /// Loads of a batch; `None` for as many as the clock needs.
    pub(super) loads: Option<u32>,
    /// Loads in all, at most.
    pub(super) loads_most: u64,
    /// How wide the interval of the median may stay, relative to it; `None` to take all loads, whatever it is.
    pub(super) wide: Option<f64>,
    /// Time, at least, even when there are loads enough.
    pub(super) least: Duration,
    /// Time, at most.
    pub(super) share: Duration,
    /// A processor on which another thread of this measurement runs.
    pub(super) partner: Option<u32>,
}

impl SamplingPlan {
    /// Until the median is known well, without a limit of time.
    pub(super) const fn at_most(loads_most: u64) -> Self {
        Self {
            loads: None,
            loads_most,
            wide: Some(WIDE),
            least: Duration::ZERO,
            share: Duration::MAX,
            partner: None,
        }
    }
}

/// What was timed, and what it says.
#[derive(Clone, Debug)]
pub struct SampledLatency {
    /// Median with its interval and grade, or why there is none. It lists the batches that are left.
    pub estimate: Result<LatencyEstimate, EstimateError>,
    /// What others did meanwhile.
    pub ledger: LedgerReading,
    /// Batches in the order of time; of several probes, one probe's after the other's.
    pub batches: Vec<TimedBatch>,
    /// What the driver did between them.
    pub pauses: Vec<DriverPause>,
    /// Loads in which two thirds of what an interruption displaced come back by themselves, where that is known.
    pub refill_loads: Option<f64>,
    /// Whether the time ended before the interval was narrow.
    pub is_cut: bool,
}

impl SampledLatency {
    fn run(&self) -> TimedRun<'_> {
        TimedRun {
            batches: &self.batches,
            pauses: &self.pauses,
            refill_loads: self.refill_loads,
            ledger: &self.ledger,
        }
    }

    /// What several probes timed side by side: each is screened by itself, and what is left counts as one.
    pub(super) fn merged(mut probes: Vec<Self>, cost: &TimerCost) -> Self {
        if probes.len() == 1
            && let Some(alone) = probes.pop()
        {
            return alone;
        }
        let ledgers: Vec<LedgerReading> = probes.iter().map(|probe| probe.ledger.clone()).collect();
        let ledger = driver::joined(&ledgers);
        let runs: Vec<TimedRun<'_>> = probes.iter().map(Self::run).collect();
        let estimate = estimate::latency_of(&runs, cost, &ledger);
        Self {
            estimate,
            ledger,
            is_cut: probes.iter().any(|probe| probe.is_cut),
            refill_loads: probes.first().and_then(|probe| probe.refill_loads),
            batches: probes
                .iter()
                .flat_map(|probe| probe.batches.clone())
                .collect(),
            pauses: Vec::new(),
        }
    }

    /// Takes the share that the hypervisor kept back from a longer stretch around this one, which is too short for ticks.
    pub(super) fn see_steal(&mut self, share: f64) {
        if self.ledger.elapsed_s >= STEAL_LEAST.as_secs_f64() {
            return;
        }
        self.ledger.steal_share = self.ledger.steal_share.max(share);
        if let Ok(found) = &mut self.estimate {
            found.see_steal(self.ledger.steal_share);
        }
    }
}

/// Ticks of 10 ms, the first of which is left out, say something of a stretch of this length.
const STEAL_LEAST: Duration = Duration::from_millis(200);

/// Times batches of a source.
pub(super) fn sample(
    clock: &MeasuredClock,
    plan: &SamplingPlan,
    stop: &SharedStop,
    source: &mut dyn LoadSource,
) -> SampledLatency {
    let mut bench = MachineBench::new(&clock.clock, source, plan.partner);
    sample_on(&mut bench, &clock.cost, plan, stop)
}

fn sample_on(
    bench: &mut impl SampleBench,
    cost: &TimerCost,
    plan: &SamplingPlan,
    stop: &SharedStop,
) -> SampledLatency {
    let loads = plan.loads.unwrap_or_else(|| {
        let trials = (0..3).map(|_| timed(bench, TRIAL).duration_ps);
        let net_ps = trials.min().unwrap_or(0) as f64 - cost.cost_ps;
        let wanted = loads_per_batch(net_ps / f64::from(TRIAL), cost);
        // Shorter batches rather than few of them.
        let fits = plan.loads_most / BATCHES_MIN as u64;
        u64::from(wanted).min(fits).max(LOADS_LEAST) as u32
    });
    let most = (plan.loads_most / u64::from(loads)).max(BATCHES_LEAST as u64) as usize;
    let mut sampler = BatchSampler::new(bench, *cost, loads, most);
    let is_cut = loop {
        sampler.block();
        let count = sampler.batches.len();
        if count >= most && sampler.elapsed() >= plan.least {
            break false;
        }
        if stop.load(Ordering::Relaxed) || sampler.elapsed() >= plan.share {
            break true;
        }
        if let Some(wide) = plan.wide
            && sampler.looked(wide)
        {
            break false;
        }
    };
    sampler.end(is_cut)
}

/// A sampling under way.
struct BatchSampler<'b, B> {
    bench: &'b mut B,
    cost: TimerCost,
    loads: u32,
    begin_ps: u64,
    batches: Vec<TimedBatch>,
    pauses: Vec<DriverPause>,
    /// Durations of the last block, to be ordered.
    block: [u64; BATCHES_LEAST],
    /// The upper quartile of the durations of a block; the greatest number before the first.
    upper_ps: u64,
    /// The shortest time that bringing back took; `None` where there is nothing to bring, or it takes too long.
    rewarm_ps: Option<u64>,
    /// Batches at the next look.
    look: usize,
    narrow_looks: u32,
    /// Batches at which to end, once the interval is narrow.
    last: Option<usize>,
}

impl<'b, B: SampleBench> BatchSampler<'b, B> {
    fn new(bench: &'b mut B, cost: TimerCost, loads: u32, most: usize) -> Self {
        // Written once, so that no page of them is mapped while loads are timed.
        let mut batches = vec![TimedBatch::default(); most.min(ROOM) + BATCHES_LEAST];
        batches.clear();
        let mut pauses = vec![DriverPause::default(); 1024];
        pauses.clear();
        bench.begin();
        let begin_ps = bench.now_ps();
        let mut sampler = Self {
            bench,
            cost,
            loads,
            begin_ps,
            batches,
            pauses,
            block: [0; BATCHES_LEAST],
            upper_ps: u64::MAX,
            rewarm_ps: None,
            look: BATCHES_MIN,
            narrow_looks: 0,
            last: None,
        };
        sampler.paused(Self::first_rewarm);
        sampler
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos((self.bench.now_ps() - self.begin_ps) / 1000)
    }

    /// Does something that is not timed.
    fn paused<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let at_ps = self.bench.now_ps();
        self.bench.pause();
        let done = work(self);
        self.bench.resume();
        let end_ps = self.bench.now_ps();
        self.pauses.push(DriverPause { at_ps, end_ps });
        done
    }

    /// Brings everything back and sees how long that takes.
    fn first_rewarm(&mut self) {
        let mut shortest = u64::MAX;
        for _ in 0..REWARM_TRIES {
            let begin = self.bench.now_ps();
            let brings = self.bench.rewarm();
            self.bench.load(REWARM_LOADS);
            if !brings {
                return;
            }
            shortest = shortest.min(self.bench.now_ps() - begin);
            if shortest <= REWARM_MOST_PS {
                self.rewarm_ps = Some(shortest);
            }
        }
    }

    /// Brings back what was displaced; once more where others had the processor meanwhile.
    fn rewarm(&mut self) {
        let Some(mut shortest) = self.rewarm_ps else {
            // What a look displaced comes back within a few loads, or is the memory's to show.
            self.bench.load(REWARM_LOADS);
            return;
        };
        for _ in 0..REWARM_TRIES {
            let begin = self.bench.now_ps();
            self.bench.rewarm();
            self.bench.load(REWARM_LOADS);
            let took = self.bench.now_ps() - begin;
            shortest = shortest.min(took);
            if took <= 2 * shortest + LEAST_EXCESS_PS as u64 {
                break;
            }
        }
        self.rewarm_ps = Some(shortest);
    }

    /// Whether bringing back leaves most of the time to the timing.
    fn may_rewarm(&self) -> bool {
        let paused: u64 = self
            .pauses
            .iter()
            .rev()
            .take(64)
            .map(|pause| pause.end_ps - pause.at_ps)
            .sum();
        let first = self.pauses.len().saturating_sub(64);
        let since = self
            .pauses
            .get(first)
            .map_or(self.begin_ps, |pause| pause.at_ps);
        self.rewarm_ps.is_some() && 2 * paused <= self.bench.now_ps() - since + REWARM_MOST_PS
    }

    /// Times a block of batches.
    fn block(&mut self) {
        if self.batches.len() + BATCHES_LEAST > self.batches.capacity() {
            self.paused(|sampler| sampler.batches.reserve(ROOM));
        }
        let fence = TIMES_UPPER_QUARTILE as u64;
        let fence = self
            .upper_ps
            .saturating_mul(fence)
            .saturating_add(LEAST_EXCESS_PS as u64);
        for place in 0..BATCHES_LEAST {
            let batch = timed(self.bench, self.loads);
            let before = self
                .batches
                .last()
                .map_or(batch.at_ps, |before| before.at_ps + before.duration_ps);
            let before = self
                .pauses
                .last()
                .map_or(before, |pause| before.max(pause.end_ps));
            let gap = batch.at_ps.saturating_sub(before);
            self.batches.push(batch);
            self.block[place] = batch.duration_ps;
            if (batch.duration_ps > fence || gap > LEAST_EXCESS_PS as u64) && self.may_rewarm() {
                self.paused(Self::rewarm);
            }
        }
        self.upper_ps = *self.block.select_nth_unstable(BATCHES_LEAST * 3 / 4).1;
    }

    /// Looks whether the median is known well enough, where it is time to; whether it is time to end.
    fn looked(&mut self, wide: f64) -> bool {
        let count = self.batches.len();
        if let Some(last) = self.last {
            return count >= last;
        }
        if count < self.look || self.elapsed() < LEAST {
            return false;
        }
        // Each look costs a sort, so that there are only so many.
        self.look = count * 3 / 2;
        let is_narrow = self.paused(|sampler| {
            let is_narrow = sampler.is_narrow(wide);
            sampler.rewarm();
            is_narrow
        });
        self.narrow_looks = match is_narrow {
            true => self.narrow_looks + 1,
            false => 0,
        };
        if self.narrow_looks >= NARROW_LOOKS {
            self.last = Some(count + count / AFTER_LOOKS);
        }
        false
    }

    fn is_narrow(&mut self, wide: f64) -> bool {
        let ledger = self.bench.reading();
        let is_shared = ledger.processor_s < (1.0 - LOST) * ledger.elapsed_s;
        let found = self.estimate(&ledger);
        found.is_ok_and(|found| {
            let is_enough = !is_shared || found.episodes >= EPISODES_MIN;
            is_enough && found.high_ps - found.low_ps <= wide * found.median_ps
        })
    }

    fn estimate(&self, ledger: &LedgerReading) -> Result<LatencyEstimate, EstimateError> {
        let run = TimedRun {
            batches: &self.batches,
            pauses: &self.pauses,
            refill_loads: self.bench.refill_loads(),
            ledger,
        };
        estimate::latency_of(&[run], &self.cost, ledger)
    }

    fn end(self, is_cut: bool) -> SampledLatency {
        let ledger = self.bench.reading();
        SampledLatency {
            estimate: self.estimate(&ledger),
            ledger,
            refill_loads: self.bench.refill_loads(),
            batches: self.batches,
            pauses: self.pauses,
            is_cut,
        }
    }
}

fn timed(bench: &mut impl SampleBench, loads: u32) -> TimedBatch {
    let at_ps = bench.now_ps();
    bench.load(loads);
    TimedBatch {
        at_ps,
        duration_ps: bench.now_ps() - at_ps,
        loads,
    }
}
