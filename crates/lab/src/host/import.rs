//! What another tool measured, as the rows that the tests of this machine have.
//!
//! A tool states one number where ours state a distribution: its rows are means, without an interval and without a grade.
//! Runs with the same settings become one row, their median. Pauses stay in the tool's own unit.

mod loaded;

use std::collections::BTreeMap;

use wordline_core::{
    Axis, Basis, Experiment, HostImportTest, HostMix, HostWorkload, Metric, ResultSet,
    RowOperation, Timing,
};
use wordline_trace::measured::{
    ByteCounting, MeasuredNote, MeasuredPoint, MeasuredRun, MeasuredTest, MeasuredTool,
    MeasuredTraffic, PointOrder, read,
};

use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

/// By how many percent of reads a curve differs from a mix whose name it does not get: four reads for each write are no 3:1.
const OFF_MAX: f64 = 5.0;

/// Adds what the file holds to the document.
pub(super) fn run(
    workload: &HostWorkload,
    import: &HostImportTest,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let tool = import.format.as_deref().map(str::parse::<MeasuredTool>);
    let tool = tool
        .transpose()
        .map_err(|why| SettingProblem::Unread(why).of("as"))?;
    let file = &import.file;
    let measured = match read(control.open(file)?, tool) {
        Err(_) if control.stopped() => {
            document.complete = false;
            return Ok(());
        }
        read => read.map_err(|source| LabError::Measured {
            file: file.clone(),
            source,
        })?,
    };
    warn(file, &measured, document);
    describe(&measured, document);
    let imported = ImportedRun {
        file,
        measured: &measured,
        label: &workload.label,
        age: experiment.age,
    };
    imported.idle(document);
    imported.matrices(document);
    imported.bandwidths(document);
    imported.loaded(document);
    if document.rows.is_empty() {
        return Err(LabError::NothingImported {
            file: file.clone(),
            tool: measured.tool.title(),
        });
    }
    Ok(())
}

/// The tool and how it ran.
fn describe(measured: &MeasuredRun, document: &mut ResultSet) {
    let environment = document.environment.get_or_insert_default();
    let version = measured.version.as_deref();
    let tool = match version {
        Some(version) => format!("{} {version}", measured.tool.title()),
        None => measured.tool.title().to_owned(),
    };
    environment.insert("tool".to_owned(), tool);
    if let Some(command) = &measured.command {
        // It stands in terminals and in HTML, so that what cannot be printed is escaped.
        let shown: String = command.escape_debug().collect();
        environment.insert("tool options".to_owned(), shown);
    }
}

/// What the numbers are, and what was odd.
fn warn(file: &str, measured: &MeasuredRun, document: &mut ResultSet) {
    let tool = measured.tool.title();
    let counting = match measured.tool.counting() {
        ByteCounting::Bus => "bandwidths count what the memory carries",
        ByteCounting::Program => {
            "bandwidths count what the program moves, without the lines that stores read first"
        }
    };
    document.warn(LabWarning::Imported {
        file: &file,
        tool: &tool,
        counting: &counting,
    });
    for note in &measured.notes {
        match note {
            MeasuredNote::ShortSweep { .. }
            | MeasuredNote::ShortMatrix { .. }
            | MeasuredNote::ShortList { .. }
            | MeasuredNote::Unended { .. }
            | MeasuredNote::NoResult { .. } => {
                document.warn(LabWarning::ImportCut { file: &file, note });
            }
            MeasuredNote::LeftOut { .. } | MeasuredNote::UnseenVersion { .. } => {
                document.warn(LabWarning::ImportOdd { file: &file, note });
            }
            MeasuredNote::NoVersion
            | MeasuredNote::Prefetchers { .. }
            | MeasuredNote::BestOf { .. } => {
                document.warn(LabWarning::ImportNote { file: &file, note });
            }
        }
    }
}

/// A file that is being taken over.
struct ImportedRun<'a> {
    file: &'a str,
    measured: &'a MeasuredRun,
    label: &'a str,
    age: f64,
}

/// Values of rows that differ in nothing else, in the order of the text.
#[derive(Default)]
struct ValueGroups(Vec<(Axes, RowOperation, Vec<f64>)>);

impl ValueGroups {
    fn add(&mut self, subject: &Subject, value: f64) {
        let same = |(axes, operation, _): &&mut (Axes, RowOperation, Vec<f64>)| {
            *axes == subject.axes && *operation == subject.operation
        };
        match self.0.iter_mut().find(same) {
            Some((_, _, values)) => values.push(value),
            None => {
                let axes = subject.axes.clone();
                self.0.push((axes, subject.operation, vec![value]));
            }
        }
    }
}

impl ImportedRun<'_> {
    fn of(&self, test: MeasuredTest) -> impl Iterator<Item = &MeasuredPoint> {
        self.measured
            .points
            .iter()
            .filter(move |point| point.test == test)
    }

    fn subject(&self, test: &'static str, operation: RowOperation) -> Subject {
        let subject = Subject {
            target: format!("ram@{}", self.label),
            part: "ram".to_owned(),
            board: self.label.to_owned(),
            workload: "host",
            operation,
            axes: Axes::new(),
            timing: Timing::Typ,
            age: self.age,
            basis: Basis::Measured,
        };
        subject.at(Axis::Test, test)
    }

    /// Adds the median of every group.
    fn rows(&self, groups: ValueGroups, metric: Metric, document: &mut ResultSet) {
        for (axes, operation, values) in groups.0 {
            let count = values.len();
            if count > 1 {
                document.warn(LabWarning::ImportRepeated {
                    file: &self.file,
                    count: &count,
                });
            }
            let subject = Subject {
                axes,
                ..self.subject("", operation)
            };
            subject.add(metric, Ok(median(values)), document);
        }
    }

    /// Latency without load.
    fn idle(&self, document: &mut ResultSet) {
        let mut groups = ValueGroups::default();
        for point in self.of(MeasuredTest::Latency) {
            let mut subject = self.subject("latency", RowOperation::Read);
            if let Some(bytes) = point.buffer_bytes {
                subject = subject.at(Axis::WorkingSetBytes, bytes);
            }
            if let Some(order) = point.order {
                subject = subject.at(Axis::Pattern, order_name(order));
            }
            if let Some(threads) = point.threads.filter(|threads| *threads > 1) {
                subject = subject.at(Axis::Threads, u64::from(threads));
            }
            if let Some(latency) = point.latency {
                groups.add(&subject, latency);
            }
        }
        self.rows(groups, Metric::LatencyMean, document);
    }

    /// From node to node.
    fn matrices(&self, document: &mut ResultSet) {
        for (test, metric) in [
            (MeasuredTest::LatencyMatrix, Metric::LatencyMean),
            (MeasuredTest::BandwidthMatrix, Metric::ThroughputMean),
        ] {
            let mut groups = ValueGroups::default();
            for point in self.of(test) {
                let Some(mix) = mix(point.traffic) else {
                    continue;
                };
                let mut subject = self.subject("matrix", mix.operation());
                if let Some((from, to)) = point.nodes {
                    subject = subject
                        .at(Axis::FromNode, u64::from(from))
                        .at(Axis::ToNode, u64::from(to));
                }
                if test == MeasuredTest::BandwidthMatrix {
                    subject = subject.at(Axis::Mix, mix.name());
                } else if let Some(order) = point.order {
                    subject = subject.at(Axis::Pattern, order_name(order));
                }
                if let Some(value) = point.latency.or(point.bandwidth) {
                    groups.add(&subject, value);
                }
            }
            self.rows(groups, metric, document);
        }
        let caches = self.of(MeasuredTest::CacheToCache).count();
        if caches > 0 {
            document.warn(LabWarning::ImportCaches {
                file: &self.file,
                count: &caches,
            });
        }
    }

    /// By mix.
    fn bandwidths(&self, document: &mut ResultSet) {
        let mut groups = ValueGroups::default();
        let mut unnamed: BTreeMap<String, u64> = BTreeMap::new();
        for point in self.of(MeasuredTest::Bandwidth) {
            let Some((name, operation)) = named_mix(point.traffic) else {
                let kind = traffic_name(point);
                unnamed.entry(kind).or_insert(point.line);
                continue;
            };
            let mut subject = self.subject("bandwidth", operation).at(Axis::Mix, name);
            if let Some(threads) = point.threads {
                subject = subject.at(Axis::Threads, u64::from(threads));
            }
            if let Some(bandwidth) = point.bandwidth {
                groups.add(&subject, bandwidth);
            }
        }
        for (kind, line) in unnamed {
            document.warn(LabWarning::ImportMix {
                file: &self.file,
                line: &line,
                kind: &kind,
            });
        }
        // STREAM keeps the fastest pass alone.
        let metric = match self.measured.tool {
            MeasuredTool::Stream => Metric::ThroughputBest,
            _ => Metric::ThroughputMean,
        };
        if self.measured.tool.counting() == ByteCounting::Bus {
            for (axes, operation, values) in &groups.0 {
                let subject = Subject {
                    axes: axes.clone(),
                    ..self.subject("", *operation)
                };
                let at = subject.estimate(Basis::Measured, "mean");
                let value = Ok(median(values.clone()));
                at.add(Metric::BusThroughput, value, document);
            }
        }
        self.rows(groups, metric, document);
    }

    /// What this run shows of an idle memory: the least latency without load, of the largest working set where several are
    /// stated.
    fn idle_latency(&self) -> Option<f64> {
        let alone = self.of(MeasuredTest::Latency).filter_map(|point| {
            let alone = point.threads.is_none_or(|threads| threads == 1);
            let latency = point.latency.filter(|_| alone)?;
            Some((point.buffer_bytes.unwrap_or(0), latency))
        });
        let alone: Vec<(u64, f64)> = alone.collect();
        let largest = alone.iter().map(|(bytes, _)| *bytes).max();
        let least = |all: &mut dyn Iterator<Item = f64>| all.min_by(f64::total_cmp);
        let alone = alone.into_iter();
        let mut alone = alone
            .filter(|(bytes, _)| Some(*bytes) == largest)
            .map(|(_, latency)| latency);
        let nodes = self.of(MeasuredTest::LatencyMatrix);
        let mut nodes = nodes.filter_map(|point| point.latency);
        least(&mut nodes).or_else(|| least(&mut alone))
    }
}

/// What the rows of a bandwidth call a traffic, and what it does. STREAM's scale and add move what copy and triad move, by
/// kernels that none of ours is.
fn named_mix(traffic: MeasuredTraffic) -> Option<(&'static str, RowOperation)> {
    match traffic {
        MeasuredTraffic::Scale => Some(("scale", HostMix::Copy.operation())),
        MeasuredTraffic::Add => Some(("add", HostMix::Triad.operation())),
        other => mix(other).map(|mix| (mix.name(), mix.operation())),
    }
}

/// The mix that a traffic is called by here; none where there is none.
pub(crate) fn mix(traffic: MeasuredTraffic) -> Option<HostMix> {
    Some(match traffic {
        MeasuredTraffic::Reads => HostMix::Reads,
        MeasuredTraffic::ThreeToOne => HostMix::ThreeToOne,
        MeasuredTraffic::TwoToOne => HostMix::TwoToOne,
        MeasuredTraffic::OneToOne => HostMix::OneToOne,
        MeasuredTraffic::Copy => HostMix::Copy,
        MeasuredTraffic::Triad => HostMix::Triad,
        MeasuredTraffic::ReadPercent(percent) => {
            let ratios = [
                HostMix::Reads,
                HostMix::ThreeToOne,
                HostMix::TwoToOne,
                HostMix::OneToOne,
            ];
            let off = |mix: &HostMix| (mix.module_mix().read_share() * 100.0 - percent).abs();
            let nearest = ratios
                .into_iter()
                .min_by(|one, other| off(one).total_cmp(&off(other)));
            return nearest.filter(|mix| off(mix) < OFF_MAX);
        }
        MeasuredTraffic::Scale
        | MeasuredTraffic::Add
        | MeasuredTraffic::Writes
        | MeasuredTraffic::Other => return None,
    })
}

/// A traffic that has no name here, for a message.
fn traffic_name(point: &MeasuredPoint) -> String {
    match point.traffic {
        MeasuredTraffic::Scale => "scale, which moves what copy moves".to_owned(),
        MeasuredTraffic::Add => "add, which moves what triad moves".to_owned(),
        MeasuredTraffic::Writes => "stores alone".to_owned(),
        MeasuredTraffic::ReadPercent(percent) => format!("{percent} % reads"),
        _ => match &point.words {
            Some(words) => words.escape_debug().collect(),
            None => "an unnamed mix".to_owned(),
        },
    }
}

const fn order_name(order: PointOrder) -> &'static str {
    match order {
        PointOrder::Sequential => "sequential",
        PointOrder::Random => "random",
    }
}

/// The middle value; of an even number the mean of both. At least one.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}
