//! What is compared of two runs of accesses, and how far apart they are.
//!
//! Durations span decades, so every difference is the logarithm of a ratio: 0.1 is 10 %. Four parts count alike:
//! the body of the distribution (the mean over its quantiles, which is the Wasserstein distance of the
//! logarithms), its tail, the RAM curve, and the throughput. All differences are absolute, not squared, so that
//! one stall that a card does not repeat cannot rule the fit. The tail ends where fewer than [`TAIL_MIN`]
//! accesses lie beyond a quantile: what lies there is chance.

use wordline_core::quantity::{ByteCount, Time};

use crate::backlog::{Accumulator, BacklogError, Curve, Rate};

/// Evenly spaced quantiles of the body.
const BODY: usize = 32;

/// Share of the accesses that wait for no cleaning: fewer, and those that wait for a die would be missing.
const QUICK: f64 = 0.7;

/// Accesses that lie beyond the last quantile of the tail.
const TAIL_MIN: usize = 8;

/// Input rates at which RAM is compared, as shares of the throughput of the log.
pub(crate) const RATE_SHARES: [f64; 6] = [0.1, 0.25, 0.5, 0.7, 0.8, 0.9];

/// Durations in picoseconds, of accesses of one size, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    sorted: Vec<u64>,
    total_ps: u128,
    curve: Curve,
}

impl Signature {
    /// Of some accesses of `bytes` bytes, at least one.
    pub(crate) fn of(durations: &[u64], bytes: u64) -> Result<Self, BacklogError> {
        let mut log = Accumulator::new();
        for duration in durations {
            log.push(Time::from_ps(*duration), ByteCount::from_bytes(bytes));
        }
        let mut sorted = durations.to_vec();
        sorted.sort_unstable();
        Ok(Self {
            total_ps: durations.iter().map(|ps| u128::from(*ps)).sum(),
            curve: log.finish()?,
            sorted,
        })
    }

    /// Duration that a share of the accesses do not exceed, in seconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let count = self.sorted.len();
        let rank = (share * count as f64).ceil() as usize;
        self.sorted[rank.clamp(1, count) - 1] as f64 * 1e-12
    }

    /// The longest, in seconds.
    pub(crate) fn max(&self) -> f64 {
        self.quantile(1.0)
    }

    /// Bytes a second while accesses follow each other.
    pub(crate) fn throughput(&self) -> f64 {
        self.curve.bytes().bytes() as f64 / (self.total_ps as f64 * 1e-12)
    }

    /// Peak of a steady stream of bytes at a rate in bytes per second, in bytes, what is being written
    /// included.
    pub(crate) fn ram(&self, rate: f64) -> Result<f64, BacklogError> {
        let rate = Rate::from_bytes_per_second(rate)?;
        Ok(self.curve.at(rate).fluid.in_flight.bytes())
    }

    /// Input rates at which others are compared with this one, in bytes per second.
    pub(crate) fn rates(&self) -> [f64; RATE_SHARES.len()] {
        RATE_SHARES.map(|share| share * self.throughput())
    }

    /// How far the quicker accesses of another run, [`QUICK`] of them, lie from those of this one.
    pub(crate) fn quiet_distance(&self, other: &Self) -> f64 {
        let quick = (QUICK * BODY as f64) as usize;
        let apart = (0..quick).map(|step| {
            let share = (step as f64 + 0.5) / BODY as f64;
            ratio(other.quantile(share), self.quantile(share)).abs()
        });
        apart.sum::<f64>() / quick as f64
    }

    /// How far another run lies from this one; see the module.
    pub(crate) fn distance(&self, other: &Self) -> Result<Distance, BacklogError> {
        let apart = |share: f64| ratio(other.quantile(share), self.quantile(share)).abs();
        let body = (0..BODY).map(|step| apart((step as f64 + 0.5) / BODY as f64));
        let shares = tail_shares(self.sorted.len());
        let tail = shares.iter().map(|share| apart(*share));
        let mut ram = 0.0;
        for rate in self.rates() {
            ram += ratio(other.ram(rate)?, self.ram(rate)?).abs();
        }
        Ok(Distance {
            body: body.sum::<f64>() / BODY as f64,
            tail: tail.sum::<f64>() / shares.len().max(1) as f64,
            ram: ram / RATE_SHARES.len() as f64,
            throughput: ratio(other.throughput(), self.throughput()).abs(),
        })
    }
}

/// Shares of the accesses up to which the tail is compared: all but a sixteenth, half of that, and so on.
fn tail_shares(accesses: usize) -> Vec<f64> {
    let beyond = (4..).map(|power| 0.5_f64.powi(power));
    beyond
        .take_while(|share| share * accesses as f64 >= TAIL_MIN as f64)
        .map(|share| 1.0 - share)
        .collect()
}

/// The logarithm of a ratio of two values that are not negative.
fn ratio(value: f64, reference: f64) -> f64 {
    const LEAST: f64 = 1e-15;
    libm::log(value.max(LEAST) / reference.max(LEAST))
}

/// Mean logarithms of ratios, by part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distance {
    pub(crate) body: f64,
    pub(crate) tail: f64,
    pub(crate) ram: f64,
    pub(crate) throughput: f64,
}

impl Distance {
    /// What the search makes small.
    pub(crate) fn total(&self) -> f64 {
        (self.body + self.tail + self.ram + self.throughput) / 4.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn signature(durations: &[u64]) -> Signature {
        Signature::of(durations, 4096).expect("short enough")
    }

    /// 990 of 1 ms and ten of 50 ms, evenly spread.
    fn stalling() -> Vec<u64> {
        (0..1000)
            .map(|index| if index % 100 == 50 { 50 * MS } else { MS })
            .collect()
    }

    #[test]
    fn a_run_is_no_distance_from_itself_and_a_slower_one_is_its_factor() {
        let one = signature(&stalling());
        assert_eq!(one.distance(&one).expect("rates").total(), 0.0);
        let slower: Vec<u64> = stalling().iter().map(|ps| 2 * ps).collect();
        let apart = one.distance(&signature(&slower)).expect("rates");
        let two = 2_f64.ln();
        for part in [apart.body, apart.tail, apart.throughput] {
            assert!((part - two).abs() < 1e-12, "{apart:?}");
        }
        // RAM grows by more than the factor where less of it left meanwhile.
        assert!(apart.ram >= two, "{apart:?}");
    }

    #[test]
    fn the_order_shows_in_the_ram_alone() {
        let mut grouped = stalling();
        grouped.sort_unstable();
        let apart = signature(&stalling())
            .distance(&signature(&grouped))
            .expect("rates");
        assert_eq!((apart.body, apart.tail, apart.throughput), (0.0, 0.0, 0.0));
        assert!(apart.ram > 0.5, "{apart:?}");
    }

    #[test]
    fn a_single_giant_stall_moves_the_tail_and_the_body_little() {
        let mut giant = stalling();
        giant[10] = 10_000 * MS;
        let apart = signature(&stalling())
            .distance(&signature(&giant))
            .expect("rates");
        assert!(apart.body < 0.01 && apart.tail < 0.01, "{apart:?}");
        assert!(apart.throughput > 1.0 && apart.ram > 1.0, "{apart:?}");
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_durations() {
        let one = signature(&(1..=100).map(|ms| ms * MS).collect::<Vec<_>>());
        assert!((one.quantile(0.5) - 0.05).abs() < 1e-12);
        assert!((one.quantile(0.99) - 0.099).abs() < 1e-12);
        assert!((one.max() - 0.1).abs() < 1e-12);
        assert_eq!(tail_shares(1000).len(), 3);
        assert!(tail_shares(20).is_empty());
    }
}
