//! What a block did from its first cycle to its last.

use wordline_core::quantity::{Quantity as _, Time};

/// Cycles whose mean the paper reports beside the worst and the best.
pub(crate) const MEAN_CYCLES: u64 = 10_000;

/// How the test of a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A program reported a failure.
    ProgramFailed,
    /// An erase reported a failure.
    EraseFailed,
    /// It went through as many cycles as were asked.
    GivenUp,
}

/// Cycles that went alike, with the durations of one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    /// Cycles before it.
    pub(crate) first: u64,
    /// How many they are.
    pub(crate) cycles: u64,
    programs: u64,
    program_sum: Time,
    program_most: Time,
    program_least: Time,
    /// Of the erase.
    pub(crate) erase: Time,
}

impl Stretch {
    /// One cycle, after `first` others.
    pub(crate) const fn of(first: u64) -> Self {
        Self {
            first,
            cycles: 1,
            programs: 0,
            program_sum: Time::ZERO,
            program_most: Time::ZERO,
            program_least: Time::from_ps(u64::MAX),
            erase: Time::ZERO,
        }
    }

    /// Adds the program of a page.
    pub(crate) fn program(&mut self, took: Time) {
        self.programs += 1;
        self.program_sum = self.program_sum.plus(took);
        self.program_most = self.program_most.later(took);
        self.program_least = self.program_least.min(took);
    }
}

/// An operation of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Programs of pages.
    Program,
    /// The erase.
    Erase,
}

impl Step {
    /// As rows spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Erase => "erase",
        }
    }
}

impl Stretch {
    /// Mean duration of an operation, in seconds; `None` where there was none.
    pub(crate) fn mean_s(&self, step: Step) -> Option<f64> {
        match step {
            Step::Program => {
                (self.programs > 0).then(|| self.program_sum.si() / self.programs as f64)
            }
            Step::Erase => Some(self.erase.si()),
        }
    }

    fn ends(&self, step: Step) -> (f64, f64) {
        match step {
            Step::Program => (self.program_least.si(), self.program_most.si()),
            Step::Erase => (self.erase.si(), self.erase.si()),
        }
    }
}

/// The life of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Course {
    /// Cycles, that in which it failed included.
    pub(crate) cycles: u64,
    /// How it ended; `None` while it goes on.
    pub(crate) end: Option<End>,
    /// The cycles that went well, in order.
    pub(crate) stretches: Vec<Stretch>,
    /// How long reads of its first page took, fresh and at the end.
    pub(crate) reads: Vec<Time>,
}

impl Course {
    /// Cycles until it failed; `None` where it did not.
    pub(crate) fn endurance(&self) -> Option<u64> {
        let failed = matches!(self.end, Some(End::ProgramFailed | End::EraseFailed));
        failed.then_some(self.cycles)
    }

    /// Mean duration over the first cycles, in seconds.
    pub(crate) fn first_mean_s(&self, step: Step) -> Option<f64> {
        let first = self
            .stretches
            .iter()
            .take_while(|one| one.first < MEAN_CYCLES);
        let (mut sum, mut count) = (0.0, 0);
        for stretch in first {
            sum += stretch.mean_s(step)? * stretch.cycles as f64;
            count += stretch.cycles;
        }
        (count > 0).then(|| sum / count as f64)
    }

    /// The fastest and the slowest operation of all, in seconds.
    pub(crate) fn range_s(&self, step: Step) -> Option<(f64, f64)> {
        let ran = self
            .stretches
            .iter()
            .filter(|one| one.mean_s(step).is_some());
        ran.map(|one| one.ends(step))
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Mean duration in the cycle after `cycles` others, in seconds; `None` once it has failed.
    pub(crate) fn at_s(&self, cycles: u64, step: Step) -> Option<f64> {
        let after = self.stretches.partition_point(|one| one.first <= cycles);
        let stretch = self.stretches.get(after.checked_sub(1)?)?;
        let inside = cycles < stretch.first + stretch.cycles;
        stretch.mean_s(step).filter(|_| inside)
    }

    /// Duration in the last cycle that went well, as a multiple of the mean over the first ones.
    pub(crate) fn over_life(&self, step: Step) -> Option<f64> {
        let last = self.stretches.last()?.mean_s(step)?;
        Some(last / self.first_mean_s(step)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(first: u64, cycles: u64, program: u64, erase: u64) -> Stretch {
        let mut stretch = Stretch::of(first);
        stretch.program(Time::from_ps(program));
        stretch.erase = Time::from_ps(erase);
        stretch.cycles = cycles;
        stretch
    }

    #[test]
    fn means_weigh_stretches_and_end_with_the_first_cycles() {
        let course = Course {
            cycles: 30_001,
            end: Some(End::EraseFailed),
            stretches: vec![
                stretch(0, 2_500, 400, 100),
                stretch(2_500, 7_500, 200, 200),
                stretch(10_000, 20_000, 100, 700),
            ],
            reads: Vec::new(),
        };
        let near = |found: Option<f64>, ps: f64| {
            found.is_some_and(|found| (found / (ps * 1e-12) - 1.0).abs() < 1e-9)
        };
        assert!(near(course.first_mean_s(Step::Program), 250.0));
        assert!(near(course.first_mean_s(Step::Erase), 175.0));
        assert!(near(course.at_s(2_499, Step::Program), 400.0));
        assert!(near(course.at_s(2_500, Step::Program), 200.0));
        assert_eq!(course.at_s(30_000, Step::Erase), None);
        let (least, most) = course.range_s(Step::Erase).expect("it was erased");
        assert!(near(Some(least), 100.0) && near(Some(most), 700.0));
        let ratio = course.over_life(Step::Erase).expect("it was erased");
        assert!((ratio - 4.0).abs() < 1e-9);
        assert_eq!(course.endurance(), Some(30_001));
    }

    #[test]
    fn erases_alone_have_no_programs() {
        let course = Course {
            cycles: 1,
            end: Some(End::GivenUp),
            stretches: vec![Stretch::of(0)],
            reads: Vec::new(),
        };
        assert_eq!(course.first_mean_s(Step::Program), None);
        assert_eq!(course.range_s(Step::Program), None);
        assert_eq!(course.over_life(Step::Program), None);
        assert_eq!(course.endurance(), None);
    }
}
