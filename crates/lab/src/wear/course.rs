//! What a block did from its first cycle to its last.

use wordline_core::RowOperation;
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

/// How long operations of one kind took.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Took {
    count: u64,
    sum: Time,
    most: Time,
    least: Time,
}

impl Took {
    const NONE: Self = Self {
        count: 0,
        sum: Time::ZERO,
        most: Time::ZERO,
        least: Time::from_ps(u64::MAX),
    };

    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum = self.sum.plus(other.sum);
        self.most = self.most.later(other.most);
        self.least = self.least.min(other.least);
    }

    fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.si() / self.count as f64)
    }
}

/// Cycles in a row: those that went alike, with the durations of one of them, or measured ones, with the durations of
/// all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WearStretch {
    /// Cycles before it.
    pub(crate) first: u64,
    /// How many they are.
    pub(crate) cycles: u64,
    programs: Took,
    erases: Took,
}

/// Of measured cycles, a stretch holds up to this part of those before it: 1.6 %.
const GATHERED_PART: u64 = 64;

impl WearStretch {
    /// One cycle, after `first` others.
    pub(crate) const fn of(first: u64) -> Self {
        Self {
            first,
            cycles: 1,
            programs: Took::NONE,
            erases: Took::NONE,
        }
    }

    /// Adds an operation that was timed: the program of a page, or the erase.
    pub(crate) fn add(&mut self, step: CourseStep, took: Time) {
        let one = Took {
            count: 1,
            sum: took,
            most: took,
            least: took,
        };
        match step {
            CourseStep::Program => self.programs.add(&one),
            CourseStep::Erase => self.erases.add(&one),
        }
    }

    /// Whether a measured cycle that follows may join it. The mean over the first cycles ends between two stretches.
    fn takes_more(&self) -> bool {
        let next = self.first + self.cycles;
        self.cycles < (self.first / GATHERED_PART).max(1) && next != MEAN_CYCLES
    }

    fn join(&mut self, next: &Self) {
        self.cycles += next.cycles;
        self.programs.add(&next.programs);
        self.erases.add(&next.erases);
    }
}

/// An operation of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CourseStep {
    /// Programs of pages.
    Program,
    /// The erase.
    Erase,
}

impl CourseStep {
    /// As rows spell it.
    pub(crate) const fn operation(self) -> RowOperation {
        match self {
            Self::Program => RowOperation::Program,
            Self::Erase => RowOperation::Erase,
        }
    }
}

impl WearStretch {
    const fn of_step(&self, step: CourseStep) -> &Took {
        match step {
            CourseStep::Program => &self.programs,
            CourseStep::Erase => &self.erases,
        }
    }

    /// Mean duration of an operation, in seconds; `None` where there was none.
    pub(crate) fn mean_s(&self, step: CourseStep) -> Option<f64> {
        self.of_step(step).mean_s()
    }

    /// The same as a time.
    pub(crate) fn mean(&self, step: CourseStep) -> Option<Time> {
        let took = self.of_step(step);
        let mean = took.sum.ps().checked_div(took.count)?;
        Some(Time::from_ps(mean))
    }

    fn ends(&self, step: CourseStep) -> (f64, f64) {
        let took = self.of_step(step);
        (took.least.si(), took.most.si())
    }
}

/// The life of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WearCourse {
    /// Cycles, that in which it failed included.
    pub(crate) cycles: u64,
    /// How it ended; `None` while it goes on.
    pub(crate) end: Option<End>,
    /// How long the operation took that failed, until it was reported.
    pub(crate) failed_after: Time,
    /// The cycles that went well, in order.
    pub(crate) stretches: Vec<WearStretch>,
    /// How long reads of its first page took, fresh and at the end.
    pub(crate) reads: Vec<Time>,
}

impl WearCourse {
    /// Adds cycles that went well: measured ones join those before them.
    pub(crate) fn add(&mut self, stretch: WearStretch, measured: bool) {
        match self.stretches.last_mut() {
            Some(last) if measured && last.takes_more() => last.join(&stretch),
            _ => self.stretches.push(stretch),
        }
    }

    /// Cycles until it failed; `None` where it did not.
    pub(crate) fn endurance(&self) -> Option<u64> {
        let failed = matches!(self.end, Some(End::ProgramFailed | End::EraseFailed));
        failed.then_some(self.cycles)
    }

    /// Mean duration over the first cycles, in seconds.
    pub(crate) fn first_mean_s(&self, step: CourseStep) -> Option<f64> {
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
    pub(crate) fn range_s(&self, step: CourseStep) -> Option<(f64, f64)> {
        let ran = self
            .stretches
            .iter()
            .filter(|one| one.mean_s(step).is_some());
        ran.map(|one| one.ends(step))
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Mean duration in the cycle after `cycles` others, in seconds; `None` once it has failed.
    pub(crate) fn at_s(&self, cycles: u64, step: CourseStep) -> Option<f64> {
        let after = self.stretches.partition_point(|one| one.first <= cycles);
        let stretch = self.stretches.get(after.checked_sub(1)?)?;
        let inside = cycles < stretch.first + stretch.cycles;
        stretch.mean_s(step).filter(|_| inside)
    }

    /// Duration in the last cycle that went well, as a multiple of the mean over the first ones.
    pub(crate) fn over_life(&self, step: CourseStep) -> Option<f64> {
        let last = self.stretches.last()?.mean_s(step)?;
        Some(last / self.first_mean_s(step)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(first: u64, cycles: u64, program: u64, erase: u64) -> WearStretch {
        let mut stretch = WearStretch::of(first);
        stretch.add(CourseStep::Program, Time::from_ps(program));
        stretch.add(CourseStep::Erase, Time::from_ps(erase));
        stretch.cycles = cycles;
        stretch
    }

    #[test]
    fn means_weigh_stretches_and_end_with_the_first_cycles() {
        let course = WearCourse {
            cycles: 30_001,
            end: Some(End::EraseFailed),
            failed_after: Time::ZERO,
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
        assert!(near(course.first_mean_s(CourseStep::Program), 250.0));
        assert!(near(course.first_mean_s(CourseStep::Erase), 175.0));
        assert!(near(course.at_s(2_499, CourseStep::Program), 400.0));
        assert!(near(course.at_s(2_500, CourseStep::Program), 200.0));
        assert_eq!(course.at_s(30_000, CourseStep::Erase), None);
        let (least, most) = course.range_s(CourseStep::Erase).expect("it was erased");
        assert!(near(Some(least), 100.0) && near(Some(most), 700.0));
        let ratio = course.over_life(CourseStep::Erase).expect("it was erased");
        assert!((ratio - 4.0).abs() < 1e-9);
        assert_eq!(course.endurance(), Some(30_001));
    }

    #[test]
    fn erases_alone_have_no_programs() {
        let mut erases = WearStretch::of(0);
        erases.add(CourseStep::Erase, Time::from_ps(7));
        let course = WearCourse {
            cycles: 1,
            end: Some(End::GivenUp),
            failed_after: Time::ZERO,
            stretches: vec![erases],
            reads: Vec::new(),
        };
        assert_eq!(course.first_mean_s(CourseStep::Program), None);
        assert_eq!(course.range_s(CourseStep::Program), None);
        assert_eq!(course.over_life(CourseStep::Program), None);
        assert_eq!(course.endurance(), None);
    }

    #[test]
    fn measured_cycles_are_gathered_and_keep_their_means() {
        let mut course = WearCourse::default();
        for cycle in 0..100_000 {
            course.add(
                stretch(cycle, 1, 1_000 - cycle / 1_000, 500 + cycle / 100),
                true,
            );
        }
        assert!(course.stretches.len() < 700, "{}", course.stretches.len());
        let last = course.stretches.last().expect("there are some");
        assert_eq!(last.first + last.cycles, 100_000);
        assert!(course.stretches.iter().any(|one| one.first == MEAN_CYCLES));
        let mean = course
            .first_mean_s(CourseStep::Erase)
            .expect("it was erased");
        let all: f64 = (0..10_000).map(|cycle| f64::from(500 + cycle / 100)).sum();
        assert!((mean / (all / 10_000.0 * 1e-12) - 1.0).abs() < 1e-12);
        let (least, most) = course
            .range_s(CourseStep::Program)
            .expect("it was programmed");
        assert_eq!((least, most), (901e-12, 1_000e-12));
    }
}
