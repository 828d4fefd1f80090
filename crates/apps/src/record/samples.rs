//! When the core model looks at a program.

/// Samples that are kept; of more, every other one goes.
pub(super) const SAMPLES_KEPT: usize = 1024;

/// Where a program is sampled, in instructions of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePlan {
    /// From one sample to the next, at most. Early ones follow each other sooner, so that short programs have some.
    pub period: u64,
    /// Instructions before a sample that fill the caches, where these do not see every access.
    pub fill: u64,
    /// Instructions before a sample that the core model executes without counting.
    pub warm: u64,
    /// Instructions of a sample.
    pub counted: u64,
}

impl SamplePlan {
    /// Of a recording whose caches see every access.
    pub const WHOLE: Self = Self {
        period: 8 << 20,
        fill: 0,
        warm: 8 << 10,
        counted: 24 << 10,
    };

    /// Of a recording whose caches see every access to some of their sets.
    pub const SETS: Self = Self {
        period: 128 << 20,
        fill: 2 << 20,
        warm: 8 << 10,
        counted: 48 << 10,
    };
}

/// What is done with the instructions at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleStage {
    Between,
    Fill,
    Warm,
    Counted,
}

/// What a step of time brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleTurn {
    None,
    /// A sample begins.
    Began,
    /// A sample has ended, which stands for so many instructions.
    Ended(u64),
}

/// Where a thread stands in its plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleClock {
    plan: SamplePlan,
    /// Times the period has doubled.
    pub(super) spacing: u32,
    pub(super) stage: SampleStage,
    /// When the next stage begins.
    until: u64,
    last: u64,
}

impl SampleClock {
    pub(super) fn new(plan: SamplePlan) -> Self {
        let mut clock = Self {
            plan,
            spacing: 0,
            stage: SampleStage::Between,
            until: 0,
            last: 0,
        };
        clock.until = clock.gap(0);
        clock
    }

    fn gap(&self, now: u64) -> u64 {
        let least = 2 * (self.plan.fill + self.plan.warm + self.plan.counted);
        (self.plan.period << self.spacing)
            .min(now / 8)
            .max(least.min(1 << 18))
    }

    /// Goes on to the stage of this time.
    pub(super) fn advance(&mut self, now: u64) -> SampleTurn {
        if now < self.until {
            return SampleTurn::None;
        }
        let (stage, length) = match self.stage {
            SampleStage::Between if self.plan.fill > 0 => (SampleStage::Fill, self.plan.fill),
            SampleStage::Between | SampleStage::Fill => (SampleStage::Warm, self.plan.warm),
            SampleStage::Warm => (SampleStage::Counted, self.plan.counted),
            SampleStage::Counted => (SampleStage::Between, self.gap(now)),
        };
        let before = std::mem::replace(&mut self.stage, stage);
        self.until = now + length;
        match (before, stage) {
            (SampleStage::Counted, _) => {
                SampleTurn::Ended(now - std::mem::replace(&mut self.last, now))
            }
            (_, SampleStage::Counted) => SampleTurn::Began,
            _ => SampleTurn::None,
        }
    }
}
