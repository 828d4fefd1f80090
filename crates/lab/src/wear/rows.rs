//! From the lives of blocks to the rows of the document.

use wordline_catalog::PartOnBoard;
use wordline_core::RowOperation::{self, Cycle, Erase, Program, Read};
use wordline_core::quantity::{Quantity as _, Time};
use wordline_core::results::NoValue;
use wordline_core::{
    Axis, Basis, Experiment, Metric, Pattern, ResultSet, Timing, WearUsage, WearWorkload,
};
use wordline_nvm::ageing::Environment;

use super::chip::Specified;
use super::course::{CourseStep, End, WearCourse};
use super::tester::Plan;
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

/// Points of each decade of cycles at which latency is reported.
const POINTS: [u64; 3] = [1, 2, 5];

/// Whose blocks are worn, as rows name it.
pub(super) struct Who {
    pub(super) target: String,
    part: String,
    board: String,
    basis: Basis,
}

impl Who {
    /// A simulated target.
    pub(super) fn simulated(target: &PartOnBoard<'_>) -> Self {
        Self {
            target: target.name.clone(),
            part: target.part.header.id.clone(),
            board: target.board.header.id.clone(),
            basis: Basis::Simulated,
        }
    }

    /// A device of the host, with the name that its kernel gives it.
    pub(super) fn measured(target: &str, name: &str) -> Self {
        Self {
            target: target.to_owned(),
            part: name.to_owned(),
            board: String::new(),
            basis: Basis::Measured,
        }
    }
}

/// An endurance test: a usage in an environment on the chips of a target.
pub(super) struct EnduranceRun<'a> {
    pub(super) who: &'a Who,
    pub(super) timing: Timing,
    pub(super) environment: Environment,
    pub(super) usage: WearUsage,
    pub(super) workload: &'a WearWorkload,
    pub(super) experiment: &'a Experiment,
}

/// The blocks of a chip with their lives.
pub(super) type Lives = Vec<(u32, WearCourse)>;

impl EnduranceRun<'_> {
    /// How its blocks are cycled, programmed with `data`.
    pub(super) fn plan<'a>(&self, data: &'a [u8], pages_per_block: u32) -> Plan<'a> {
        Plan {
            pages: self.usage.pages(pages_per_block),
            data,
            most: self.workload.most_cycles,
            drawn: self.timing == Timing::Sampled,
            measured: self.who.basis == Basis::Measured,
        }
    }

    /// Adds the rows of all chips.
    pub(super) fn rows(&self, chips: &[Lives], document: &mut ResultSet) {
        self.each(chips, document);
        let all: Vec<&WearCourse> = chips.iter().flatten().map(|(_, course)| course).collect();
        if all.is_empty() {
            return;
        }
        self.endurance(&all, document);
        for step in [CourseStep::Program, CourseStep::Erase] {
            self.latency(&all, step, document);
            self.over_life(&all, step, document);
        }
        self.reads(&all, document);
    }

    /// A chip that could not be tested.
    pub(super) fn failed(
        &self,
        sample: u32,
        failure: &impl std::fmt::Display,
        document: &mut ResultSet,
    ) {
        let subject = self.subject(Cycle).at(Axis::Sample, u64::from(sample));
        let row = subject.row(Metric::Endurance, Err(NoValue::Failed));
        document.rows.push(row);
        let name = &self.who.target;
        document.warn(LabWarning::WearRunFailed {
            name: &name,
            usage: &self.usage.name(),
            sample: &sample,
            failure: &failure,
        });
    }

    /// A row a block.
    fn each(&self, chips: &[Lives], document: &mut ResultSet) {
        for (sample, lives) in chips.iter().enumerate() {
            for (block, course) in lives {
                let subject = self.subject(Cycle);
                let subject = subject
                    .at(Axis::Sample, sample as u64)
                    .at(Axis::Block, u64::from(*block));
                let value = course.endurance().map(|cycles| cycles as f64);
                let row = subject.row(Metric::Endurance, value.ok_or(NoValue::BeyondRange));
                document.rows.push(row);
            }
        }
    }

    /// How the blocks' endurance spreads, and what failed.
    fn endurance(&self, all: &[&WearCourse], document: &mut ResultSet) {
        let subject = self.subject(Cycle);
        let mut cycles: Vec<Option<u64>> = all.iter().map(|course| course.endurance()).collect();
        // Those that did not fail stand longer than those that did.
        cycles.sort_by_key(|one| one.unwrap_or(u64::MAX));
        for (name, share) in [
            ("least", 0.0),
            ("p10", 0.1),
            ("median", 0.5),
            ("p90", 0.9),
            ("most", 1.0),
        ] {
            let place = (share * (cycles.len() - 1) as f64).round() as usize;
            let value = cycles[place].map(|cycles| cycles as f64);
            let subject = subject.at(Axis::Statistic, name);
            let row = subject.row(Metric::Endurance, value.ok_or(NoValue::BeyondRange));
            document.rows.push(row);
        }
        for (cause, end) in [("program", End::ProgramFailed), ("erase", End::EraseFailed)] {
            let failed = all.iter().filter(|course| course.end == Some(end)).count();
            let row = subject.at(Axis::Cause, cause);
            let row = row.row(Metric::BlocksFailed, Ok(failed as f64));
            document.rows.push(row);
        }
    }

    /// The worst, the mean over the first cycles and the best, as the paper reports them.
    fn latency(&self, all: &[&WearCourse], step: CourseStep, document: &mut ResultSet) {
        let subject = self.subject(step.operation());
        let ranges = all.iter().filter_map(|course| course.range_s(step));
        let Some((best, worst)) =
            ranges.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
        else {
            return;
        };
        let means: Vec<f64> = all
            .iter()
            .filter_map(|course| course.first_mean_s(step))
            .collect();
        let mean = means.iter().sum::<f64>() / means.len().max(1) as f64;
        let mut ratios: Vec<f64> = all
            .iter()
            .filter_map(|course| course.over_life(step))
            .collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios.get(ratios.len() / 2).copied();
        for (metric, value) in [
            (Metric::LatencyMax, Some(worst)),
            (Metric::LatencyMean, Some(mean)),
            (Metric::LatencyMin, Some(best)),
            (Metric::LatencyOverLife, ratio),
        ] {
            subject.add(metric, value.ok_or(NoValue::NotApplicable), document);
        }
    }

    /// The mean over the blocks that live, cycle by cycle.
    fn over_life(&self, all: &[&WearCourse], step: CourseStep, document: &mut ResultSet) {
        let subject = self.subject(step.operation());
        let longest = all.iter().map(|course| course.cycles).max().unwrap_or(0);
        let decades = (0..20).map(|power| 10_u64.saturating_pow(power));
        let points = decades.flat_map(|decade| POINTS.map(|point| decade.saturating_mul(point)));
        for cycles in points.take_while(|cycles| *cycles <= longest) {
            let living = all
                .iter()
                .filter_map(|course| course.at_s(cycles - 1, step));
            let (sum, count) = living.fold((0.0, 0u32), |(sum, count), one| (sum + one, count + 1));
            if count > 0 {
                let subject = subject.at(Axis::AfterCycles, cycles - 1);
                subject.add(Metric::LatencyMean, Ok(sum / f64::from(count)), document);
            }
        }
    }

    fn reads(&self, all: &[&WearCourse], document: &mut ResultSet) {
        let subject = self.subject(Read);
        let reads = || {
            all.iter()
                .flat_map(|course| course.reads.iter().copied())
                .map(Time::si)
        };
        let count = reads().count().max(1) as f64;
        for (metric, value) in [
            (Metric::LatencyMax, reads().fold(0.0, f64::max)),
            (Metric::LatencyMean, reads().sum::<f64>() / count),
            (Metric::LatencyMin, reads().fold(f64::INFINITY, f64::min)),
        ] {
            subject.add(metric, Ok(value), document);
        }
    }

    /// What the data sheet says, beside it.
    pub(super) fn specified(&self, sheet: &Specified<'_>, document: &mut ResultSet) {
        let mut add = |operation, metric, value: Option<f64>, basis: Basis| {
            if let Some(value) = value {
                let subject = self.subject(operation).estimate(basis, "specification");
                subject.add(metric, Ok(value), document);
            }
        };
        for (operation, figure) in [
            (Program, Some(sheet.program)),
            (Erase, sheet.erase),
            (Read, sheet.read),
        ] {
            let Some(figure) = figure else { continue };
            let basis = figure.provenance().basis;
            add(
                operation,
                Metric::LatencyMean,
                figure.typ().map(Time::si),
                basis,
            );
            add(
                operation,
                Metric::LatencyMax,
                figure.max().map(Time::si),
                basis,
            );
        }
        let rated = sheet.endurance.least().count() as f64;
        let basis = sheet.endurance.provenance().basis;
        add(Cycle, Metric::Endurance, Some(rated), basis);
    }

    fn subject(&self, operation: RowOperation) -> Subject {
        let subject = Subject {
            target: self.who.target.clone(),
            part: self.who.part.clone(),
            board: self.who.board.clone(),
            workload: "wear",
            operation,
            axes: Axes::new(),
            timing: self.timing,
            age: self.experiment.age,
            basis: self.who.basis,
        };
        let subject = subject
            .at(Axis::Usage, self.usage.name())
            .at(Axis::TemperatureCelsius, self.environment.celsius)
            .at(Axis::DwellS, self.environment.dwell.si());
        match self.workload.order {
            Pattern::Sequential => subject,
            Pattern::Random => subject.at(Axis::Order, Pattern::Random.name()),
        }
    }
}
