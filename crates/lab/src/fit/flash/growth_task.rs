//! One fit of raw flash to a table of times by cycles, as data sheets print it: a law of growth for each operation, the
//! times that it predicts, and a sheet whose erases follow it.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{Quantity as _, Time, human};
use wordline_core::{Axis, Basis, Experiment, FitWorkload, Metric, ResultSet, Timing};
use wordline_nvm::ageing::AgeingSheet;
use wordline_trace::cycling::CyclingOperation;
use wordline_trace::growth::{GrowthColumn, GrowthTable};

use super::estimate::MEAN_CYCLES;
use super::figures::{CHOICE, FitOutcome, FittedFigure, digits, told};
use super::growth::{GrowthFit, GrowthPoint};
use super::law::LawInterval;
use super::part::{Duration, FlashPart};
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::fit::{Estimate, written};
use crate::subject::{Axes, Subject};
use crate::warning::{LabWarning, LeftOpen};

/// Multiples of the last count at which times are predicted by default.
const AHEAD: [u64; 3] = [2, 5, 10];

/// The most cycles of a prediction.
const CYCLES_MOST: u64 = 1_000_000_000_000;

/// Loops of a fresh erase of the fitted part: its erases follow the law in steps of a twentieth, or in coarser ones where
/// more loops than a sheet may state would be needed by the end of life.
pub(super) const LOOPS: u32 = 20;

/// The most loops that a sheet may state.
const LOOPS_MOST: u32 = 1000;

/// One fit.
pub(super) struct GrowthTask<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    pub(super) part: &'a FlashPart<'a>,
    pub(super) workload: &'a FitWorkload,
    pub(super) experiment: &'a Experiment,
    pub(super) table: &'a GrowthTable,
}

/// The laws of one operation.
struct OperationGrowth<'a> {
    operation: CyclingOperation,
    columns: Vec<&'a GrowthColumn>,
    /// One for all columns, or one for each.
    fits: Vec<GrowthFit>,
}

/// A time of the table beside that of the law, both in seconds.
struct FarthestTime {
    column: String,
    cycles: u64,
    printed: f64,
    law: f64,
}

impl FarthestTime {
    /// How many times the one is of the other, 1 or more.
    fn factor(&self) -> f64 {
        let ratio = self.law / self.printed;
        ratio.max(1.0 / ratio)
    }

    /// By how much the law misses the time, as a share of it.
    fn off(&self) -> f64 {
        (self.law / self.printed - 1.0).abs()
    }
}

impl OperationGrowth<'_> {
    /// The fit of a column, and the place of the column in it.
    fn law(&self, column: usize) -> (&GrowthFit, usize) {
        match &self.fits[..] {
            [shared] => (shared, column),
            alone => (&alone[column], 0),
        }
    }

    fn column(&self, timing: Timing) -> Option<usize> {
        self.columns.iter().position(|one| one.timing == timing)
    }

    /// The time of the table that lies farthest off its law, in proportion.
    fn farthest(&self, cycles: &[u64]) -> Option<FarthestTime> {
        let columns = self.columns.iter().enumerate();
        let all = columns.flat_map(|(place, column)| {
            let (fit, at) = self.law(place);
            let times = cycles.iter().zip(&column.values);
            times.map(move |(cycles, printed)| FarthestTime {
                column: format!("{}_{}", self.operation.name(), column.timing.name()),
                cycles: *cycles,
                printed: printed.seconds,
                law: fit.at(at, *cycles as f64).value,
            })
        });
        all.max_by(|one, other| one.factor().total_cmp(&other.factor()))
    }

    /// The fit of the typical column, or of the maximum where there is no other.
    fn first(&self) -> (&GrowthFit, usize) {
        self.law(self.column(Timing::Typ).unwrap_or(0))
    }
}

/// The figures of a law of erases: how many cycles double the time, the exponent, and the loops that follow it, of which
/// a fresh erase has up to `loops`. `life` is what the median block stands, in cycles.
pub(super) fn law_figures(
    fit: &GrowthFit,
    column: usize,
    loops: u32,
    life: f64,
) -> [(&'static str, LawInterval); 4] {
    let [doubling, exponent] = [
        fit.doubling(column, CYCLES_MOST as f64),
        fit.exponent_of_sheet(),
    ];
    let grown = libm::pow(life / doubling.value, exponent.value);
    let times = 1.0 + grown;
    let loops = (f64::from(LOOPS_MOST) / times)
        .floor()
        .clamp(1.0, f64::from(loops));
    let exactly = |value: f64| LawInterval {
        value,
        least: value,
        most: value,
    };
    let last = (loops * times)
        .ceil()
        .clamp(loops + 1.0, f64::from(LOOPS_MOST));
    [
        ("erase_doubling", doubling),
        ("erase_exponent", exponent),
        ("erase_loops", exactly(loops)),
        ("erase_loops_last", exactly(last)),
    ]
}

impl GrowthTask<'_> {
    /// The sheet and the figures in it.
    pub(super) fn run(
        &self,
        document: &mut ResultSet,
    ) -> Result<(String, Vec<Estimate>), LabError> {
        let ahead = self.ahead()?;
        let mut figures = Vec::new();
        let mut open: Vec<(&'static str, LeftOpen)> = Vec::new();
        for operation in [CyclingOperation::Erase, CyclingOperation::Program] {
            let columns = self.table.columns.iter();
            let columns: Vec<&GrowthColumn> =
                columns.filter(|one| one.operation == operation).collect();
            if columns.is_empty() {
                open.push((
                    operation_figure(operation),
                    LeftOpen::NoTimesOf(operation.name()),
                ));
                continue;
            }
            let points = |column: &&GrowthColumn| -> Vec<GrowthPoint> {
                let values = column.values.iter();
                values
                    .map(|one| GrowthPoint::rounded(one.seconds, one.step))
                    .collect()
            };
            let points: Vec<Vec<GrowthPoint>> = columns.iter().map(points).collect();
            let fits = GrowthFit::together(&self.table.cycles, &points).ok_or_else(|| {
                let operation = operation.name();
                LogProblem::NoLaw { operation }.of(&self.workload.source.file)
            })?;
            let growth = OperationGrowth {
                operation,
                columns,
                fits,
            };
            self.check_law(&growth)?;
            self.rows(&growth, &ahead, document);
            self.warn(&growth, document);
            self.figures(&growth, &mut figures, &mut open);
        }
        self.warn_of_distance(&ahead, document);
        for name in AgeingSheet::FIGURES {
            if !["erase_loops", "erase_loops_last"].contains(&name) {
                open.push((name, LeftOpen::AgeingOfTimes));
            }
        }
        let outcome = FitOutcome {
            target: self.target,
            workload: self.workload,
            of: format!("times at {} cycle counts", self.table.cycles.len()),
            noun: "times",
            open: &open,
            apart: None,
        };
        outcome.warn(document);
        let sheet = outcome.sheet(self.part.model, &figures)?;
        written::add_sources(&sheet, self.target, document);
        Ok((sheet, figures.into_iter().map(|one| one.estimate).collect()))
    }

    /// Refuses times of which the law would hold no better than any other curve.
    fn check_law(&self, growth: &OperationGrowth<'_>) -> Result<(), LabError> {
        let lawless = growth.fits.iter().any(GrowthFit::is_lawless);
        let farthest = growth.farthest(&self.table.cycles);
        let Some(farthest) = farthest.filter(|_| lawless) else {
            return Ok(());
        };
        let time = |seconds: f64| human(seconds, "s", 3);
        Err(LogProblem::OffAnyLaw {
            operation: growth.operation.name(),
            column: farthest.column,
            cycles: farthest.cycles,
            printed: time(farthest.printed),
            law: time(farthest.law),
        }
        .of(&self.workload.source.file))
    }

    /// Counts at which times are predicted, ascending.
    fn ahead(&self) -> Result<Vec<u64>, LabError> {
        let last = self.table.cycles.last().copied().unwrap_or_default();
        let mut ahead = self.workload.predict.clone();
        if let Some(found) = ahead.iter().find(|count| **count > CYCLES_MOST) {
            let problem = SettingProblem::LatePrediction {
                found: *found,
                most: CYCLES_MOST,
            };
            return Err(problem.of("predict"));
        }
        if ahead.is_empty() {
            ahead.extend(AHEAD.map(|times| last.saturating_mul(times)));
        }
        ahead.sort_unstable();
        ahead.dedup();
        ahead.retain(|count| !self.table.cycles.contains(count));
        Ok(ahead)
    }

    /// What was printed, what the law gives there, what it predicts, and its exponent.
    fn rows(&self, growth: &OperationGrowth<'_>, ahead: &[u64], document: &mut ResultSet) {
        let (file, id) = (&self.workload.source.file, &self.workload.id);
        let board = &self.target.board.header.id;
        let last = self.table.cycles.last().copied().unwrap_or_default();
        let of_log = Subject {
            target: format!("log:{file}"),
            part: file.clone(),
            board: String::new(),
            workload: self.experiment.workload.name(),
            operation: growth.operation.into(),
            axes: Axes::new(),
            timing: Timing::Typ,
            age: 0.0,
            basis: Basis::Measured,
        };
        let of_part = Subject {
            target: format!("{id}@{board}"),
            part: id.clone(),
            board: board.clone(),
            basis: Basis::Calibrated,
            ..of_log.clone()
        };
        let add = |subject: Subject,
                   metric: Metric,
                   interval: LawInterval,
                   names: [&str; 2],
                   document: &mut ResultSet| {
            for (statistic, value) in [
                ("median", interval.value),
                (names[0], interval.least),
                (names[1], interval.most),
            ] {
                let subject = subject.at(Axis::Statistic, statistic);
                subject.add(metric, Ok(value), document);
            }
        };
        for (place, column) in growth.columns.iter().enumerate() {
            let (fit, at) = growth.law(place);
            let metric = match column.timing {
                Timing::Max => Metric::LatencyMax,
                _ => Metric::LatencyMean,
            };
            let timing = column.timing;
            for (cycles, value) in self.table.cycles.iter().zip(&column.values) {
                // A table is a document of its maker, not a measurement of ours.
                let printed = Subject {
                    timing,
                    basis: Basis::Datasheet,
                    ..of_log.at(Axis::AfterCycles, *cycles)
                };
                let printed = printed.at(Axis::Statistic, "printed");
                printed.add(metric, Ok(value.seconds), document);
            }
            let all = self.table.cycles.iter().chain(ahead);
            for cycles in all {
                let subject = Subject {
                    timing,
                    ..of_part.at(Axis::AfterCycles, *cycles)
                };
                let subject = if *cycles > last {
                    subject.estimate(Basis::Simulated, "extrapolation")
                } else if ahead.contains(cycles) {
                    subject.estimate(Basis::Simulated, "interpolation")
                } else {
                    subject
                };
                let interval = fit.at(at, *cycles as f64);
                add(subject, metric, interval, ["p2.5", "p97.5"], document);
            }
        }
        for (place, column) in growth.columns.iter().enumerate().take(growth.fits.len()) {
            let subject = Subject {
                timing: column.timing,
                ..of_part.clone()
            };
            let exponent = growth.law(place).0.exponent();
            let metric = Metric::GrowthExponent;
            add(subject, metric, exponent, ["p5", "p95"], document);
        }
    }

    fn warn(&self, growth: &OperationGrowth<'_>, document: &mut ResultSet) {
        let file = &self.workload.source.file;
        let operation = &growth.operation.name();
        if let [typical, most] = &growth.fits[..] {
            document.warn(LabWarning::ExponentsDiffer {
                file,
                operation,
                typical: &two(typical.exponent().value),
                most: &two(most.exponent().value),
            });
        }
        for fit in &growth.fits {
            let exponent = fit.exponent();
            if fit.is_open() {
                document.warn(LabWarning::ExponentOpen {
                    file,
                    operation,
                    why: &open_exponent(fit),
                    least: &two(exponent.least),
                    most: &two(exponent.most),
                });
            }
        }
        if growth.fits.iter().any(GrowthFit::is_off)
            && let Some(farthest) = growth.farthest(&self.table.cycles)
        {
            document.warn(LabWarning::OffTheLaw {
                file,
                operation,
                percent: &format!("{:.0}", 100.0 * farthest.off()),
                column: &farthest.column,
                cycles: &farthest.cycles,
            });
        }
    }

    fn warn_of_distance(&self, ahead: &[u64], document: &mut ResultSet) {
        let last = self.table.cycles.last().copied().unwrap_or_default();
        if let Some(farthest) = ahead.iter().copied().filter(|count| *count > last).max() {
            document.warn(LabWarning::BeyondTheTable {
                file: &self.workload.source.file,
                last: &last,
                farthest: &farthest,
                times: &human(farthest as f64 / last.max(1) as f64, "1", 3),
            });
        }
    }

    /// The figures of the sheet that an operation tells, and those that it leaves open.
    fn figures(
        &self,
        growth: &OperationGrowth<'_>,
        figures: &mut Vec<FittedFigure>,
        open: &mut Vec<(&'static str, LeftOpen)>,
    ) {
        let life = self.part.ageing.endurance.nominal().count().max(1) as f64;
        let (fit, at) = growth.first();
        let is_erase = growth.operation == CyclingOperation::Erase;
        if is_erase && fit.is_open() {
            for name in [
                "erase_doubling",
                "erase_exponent",
                "erase_loops",
                "erase_loops_last",
            ] {
                open.push((name, open_exponent(fit)));
            }
        } else if is_erase {
            for (name, interval) in law_figures(fit, at, LOOPS, life) {
                figures.push(law_figure(
                    format!("{}.aging.{name}", self.part.model),
                    interval,
                ));
            }
        } else {
            open.push(("the growth of programs", LeftOpen::ProgramsDoNotGrow));
        }
        let duration = if is_erase {
            &self.part.erase
        } else {
            &self.part.program
        };
        match growth.column(Timing::Typ) {
            Some(column) => figures.push(self.duration(growth, column, duration, life)),
            None => open.push((operation_figure(growth.operation), LeftOpen::NoTypicalTimes)),
        }
    }

    /// The columns of a duration: the typical one as the mean over the first cycles, as a sheet ties it, and the maximum
    /// as the law of the maxima has it at the rated cycles.
    fn duration(
        &self,
        growth: &OperationGrowth<'_>,
        column: usize,
        duration: &Duration<'_>,
        life: f64,
    ) -> FittedFigure {
        let (fit, at) = growth.law(column);
        let typical = fit.mean(at, life.min(MEAN_CYCLES as f64));
        let rated = self.part.rated as f64;
        let Some(most) = growth.column(Timing::Max) else {
            return FittedFigure::duration(duration, typical, fit.at(at, rated).value);
        };
        let (fit, at) = growth.law(most);
        let most = fit.at(at, rated);
        let value = digits(&typical, typical.value);
        let time = |seconds: f64| Time::from_si(seconds).to_string();
        let columns = format!(
            "typ = \"{}\", max = \"{}\"",
            time(value),
            time(digits(&most, most.value).max(value))
        );
        let words = format!(
            "{}; typ: the mean of the first {MEAN_CYCLES} cycles; max: the law of the maxima at the rated {rated} cycles",
            told(&typical, |seconds| human(seconds, "s", 5))
        );
        FittedFigure::new(duration.path.clone(), columns, typical, words)
    }
}

/// A figure of the law as the sheet writes it.
fn law_figure(path: String, interval: LawInterval) -> FittedFigure {
    let is_choice = path.contains("erase_loops");
    let value = if is_choice {
        format!("value = {}", interval.value)
    } else {
        format!("value = {:?}", digits(&interval, interval.value))
    };
    let words = if is_choice {
        CHOICE.to_owned()
    } else {
        told(&interval, |one| format!("{one}"))
    };
    FittedFigure::new(path, value, interval, words)
}

/// Why the times leave an exponent open.
fn open_exponent(fit: &GrowthFit) -> LeftOpen {
    if fit.is_off() {
        LeftOpen::ScatteredGrowth
    } else {
        LeftOpen::FlatGrowth
    }
}

const fn operation_figure(operation: CyclingOperation) -> &'static str {
    match operation {
        CyclingOperation::Program => "page_program",
        CyclingOperation::Erase => "the erase of a block",
        CyclingOperation::Read => "page_read",
    }
}

fn two(value: f64) -> String {
    format!("{value:.2}")
}
