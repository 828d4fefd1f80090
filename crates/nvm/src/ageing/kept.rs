//! Whether data that are kept can still be corrected, in closed form.

use super::{AgeingSheet, Retention};

/// Bisections of a number of cycles: they halve a range 2^40 wide to a part in 10^5 or less.
const HALVINGS: u32 = 60;

/// Cycles that no block is rated for, beyond which nothing is looked for.
const CYCLES_MAX: f64 = (1_u64 << 44) as f64;

/// How an ECC looks at a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Codewords {
    /// Bits of the main area of a page.
    pub(crate) page_bits: u32,
    /// Of these, the bits in one codeword.
    pub(crate) bits: u32,
    /// Wrong bits of a codeword that are corrected.
    pub(crate) corrects: u32,
}

/// How data lie in a block until they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keeping {
    /// How long they lie, in seconds.
    pub kept_s: f64,
    /// Temperature meanwhile, in degrees Celsius.
    pub celsius: f64,
    /// Reads of the block meanwhile.
    pub reads: f64,
    /// Programs of other pages of the block after that of the page.
    pub programs: u32,
}

/// The bits of a page that are wrong at the end of a keeping, after any number of cycles of its block.
#[derive(Clone, Debug, PartialEq)]
pub struct RetentionOutlook {
    codewords: Codewords,
    /// Wrong bits of a page whatever its cycles.
    fresh: f64,
    /// More of them for each cycle, by reads.
    by_reads: f64,
    /// Share of the bits that leak for each cycle, where they are in proportion to the cycles.
    by_leaking: f64,
    retention: Retention,
    /// Stress of a cycle, in parts of one at 25 °C.
    stress: f64,
}

impl RetentionOutlook {
    pub(super) fn new(
        sheet: &AgeingSheet,
        rated: u64,
        codewords: Codewords,
        stress: f64,
        keeping: &Keeping,
    ) -> Self {
        let retention = Retention::new(sheet, rated);
        let read = keeping.reads / sheet.read_disturb.value();
        let disturb = f64::from(keeping.programs) * sheet.program_disturb.value();
        Self {
            codewords,
            fresh: disturb + read,
            by_reads: read * stress / rated.max(1) as f64,
            by_leaking: stress * retention.share(keeping.kept_s, keeping.celsius),
            retention,
            stress,
        }
    }

    /// Wrong bits of a page that are expected after so many cycles of its block.
    #[must_use]
    pub fn expected(&self, cycles: f64) -> f64 {
        let leaking = if self.retention.has_exponent() {
            self.retention.leaking(self.stress * cycles) / self.stress
        } else {
            cycles
        };
        let leaked = (self.by_leaking * leaking).min(0.5);
        self.fresh + self.by_reads * cycles + f64::from(self.codewords.page_bits) * leaked
    }

    /// Probability that a codeword of a page has more wrong bits than the ECC corrects. Wrong bits come as a Poisson
    /// process does, so that those of each codeword are Poisson distributed by themselves.
    #[must_use]
    pub fn page_loss(&self, cycles: f64) -> f64 {
        let Codewords {
            page_bits,
            bits,
            corrects,
        } = self.codewords;
        let count = f64::from(page_bits) / f64::from(bits.max(1));
        let one = more_than(corrects, self.expected(cycles) / count);
        -libm::expm1(count * libm::log1p(-one))
    }

    /// The most cycles after which a page is still lost with no more than a probability; `None` where no
    /// number of cycles makes it so.
    #[must_use]
    pub fn cycles(&self, page_loss: f64) -> Option<f64> {
        if self.page_loss(0.0) > page_loss {
            return Some(0.0);
        }
        if self.page_loss(CYCLES_MAX) <= page_loss {
            return None;
        }
        let (mut low, mut high) = (0.0, CYCLES_MAX);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.page_loss(middle) > page_loss {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(low)
    }
}

/// Probability that a Poisson variable of some mean exceeds a count.
fn more_than(count: u32, mean: f64) -> f64 {
    if mean <= 0.0 {
        return 0.0;
    }
    let logarithm = libm::log(mean);
    let mut term = -mean;
    for number in 1..=count {
        term += logarithm - libm::log(f64::from(number));
    }
    // The terms from `count` + 1 on; small ones are summed as they are, not as what is missing of 1.
    let (mut sum, mut number) = (0.0, f64::from(count));
    loop {
        number += 1.0;
        term += logarithm - libm::log(number);
        let more = libm::exp(term);
        sum += more;
        if number > mean && more <= sum * 1e-12 {
            return sum.min(1.0);
        }
    }
}
