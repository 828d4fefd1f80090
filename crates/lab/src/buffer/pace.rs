//! How well a finite run knows its own mean rate.
//!
//! The run is cut into stretches of equally many accesses, the batches of batch means (Law and Carson, "A sequential
//! procedure for determining the length of a steady-state simulation", Operations Research 27, 1979). Their means scatter
//! as those of independent runs, if a stretch is longer than what its accesses have in common; few long stretches are
//! therefore better than many short ones.

/// Stretches are merged in pairs when there are so many: from half of them on the scatter is known.
const STRETCHES_MAX: usize = 32;

/// Of Student's distribution: with 15 degrees of freedom, which the fewest stretches have, 95 % lie below.
const STUDENT: f64 = 1.753;

/// Durations and bytes of stretches of equally many accesses.
#[derive(Clone, Debug)]
pub(crate) struct StretchSums {
    /// Seconds and bytes.
    sums: Vec<(f64, f64)>,
    /// Accesses of a stretch: a power of two.
    length: u64,
    /// Accesses of the stretch that is being filled.
    filled: u64,
    current: (f64, f64),
}

impl StretchSums {
    pub(crate) const fn new() -> Self {
        Self {
            sums: Vec::new(),
            length: 1,
            filled: 0,
            current: (0.0, 0.0),
        }
    }

    pub(crate) fn push(&mut self, seconds: f64, bytes: u64) {
        self.current.0 += seconds;
        self.current.1 += bytes as f64;
        self.filled += 1;
        if self.filled < self.length {
            return;
        }
        self.sums.push(self.current);
        self.current = (0.0, 0.0);
        self.filled = 0;
        if self.sums.len() == STRETCHES_MAX {
            let pairs = self.sums.chunks_exact(2);
            let merged = pairs.map(|pair| (pair[0].0 + pair[1].0, pair[0].1 + pair[1].1));
            self.sums = merged.collect();
            self.length *= 2;
        }
    }

    /// The factor by which the mean rate of a longer run may lie below or above this one's, with 95 % confidence either way;
    /// 1 where all stretches are alike, and `None` where there are too few.
    pub(crate) fn factor(&self) -> Option<f64> {
        let count = self.sums.len();
        if count < STRETCHES_MAX / 2 {
            return None;
        }
        let sum = |of: fn(&(f64, f64)) -> f64| self.sums.iter().map(of).sum::<f64>();
        let (seconds, bytes) = (sum(|one| one.0), sum(|one| one.1));
        if seconds <= 0.0 || bytes <= 0.0 {
            return None;
        }
        let pace = seconds / bytes;
        let squares = self.sums.iter().map(|(seconds, bytes)| {
            let off = seconds - pace * bytes;
            off * off
        });
        let count = count as f64;
        let variance = squares.sum::<f64>() / (count - 1.0);
        let relative = libm::sqrt(variance * count) / seconds;
        // Sums of equal durations differ by their rounding.
        Some(match relative {
            alike if alike < 1e-9 => 1.0,
            some => libm::exp(STUDENT * some),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::draw::{Purpose, draw, unit_interval};

    fn of(durations: impl IntoIterator<Item = f64>) -> StretchSums {
        let mut sums = StretchSums::new();
        durations.into_iter().for_each(|one| sums.push(one, 4096));
        sums
    }

    fn exponential(seed: u64) -> impl Fn(u64) -> f64 {
        move |index| -libm::log(unit_interval(draw(seed, 0, index, Purpose::Payload)))
    }

    /// Of 400 logs the mean of the distribution lies above and below as rarely as is said.
    #[test]
    fn the_true_mean_lies_within_as_often_as_it_says() {
        let (mut below, mut above) = (0, 0);
        for seed in 0..400 {
            let durations: Vec<f64> = (0..3000).map(exponential(seed)).collect();
            let mean = durations.iter().sum::<f64>() / durations.len() as f64;
            let factor = of(durations).factor().expect("enough");
            assert!((1.01..1.1).contains(&factor), "{factor}");
            below += u32::from(mean * factor < 1.0);
            above += u32::from(mean / factor > 1.0);
        }
        for missed in [below, above] {
            assert!((4..=40).contains(&missed), "{missed} of 400");
        }
    }

    #[test]
    fn alike_durations_have_no_scatter_and_few_no_answer() {
        assert_eq!(of((0..5000).map(|_| 1.1e-3)).factor(), Some(1.0));
        assert_eq!(of((0..15).map(exponential(1))).factor(), None);
        assert_eq!(of((0..100).map(|_| 0.0)).factor(), None);
    }
}
