//! A system's sheet from what was measured of its memory.
//!
//! Three figures follow from a measurement, each by a formula, and none is searched for:
//!
//! - The **path on the chip** is the measured idle latency less what the module takes, which is simulated. It is split into request and return as the base's is.
//! - The **misses of a core** follow from Little's law at the greatest throughput of the curve under load: throughput of the
//!   load × latency ÷ 64 B ÷ cores that load. Probes hold one line each and cores of their own, and count on neither side.
//! - The **loss of the bus** follows from the bandwidth of reads, where it was measured: the share by which the fitted system
//!   carries more without a loss.
//!
//! Channels are stated by the user. Everything else is the base's, and marked as assumed. The fitted system is then
//! simulated: measured and simulated stand side by side, with the points that were fitted told from those that were not.

mod findings;
mod residuals;
mod text;

use std::collections::BTreeMap;
use std::io::Read;

use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_core::quantity::{Quantity, Time};
use wordline_core::{
    Axis, Band, BandwidthTest, DramTest, DramWorkload, Experiment, FitWorkload, IdleTest,
    LoadedTest, Metric, Mix, Pattern, ResultSet, Timing, Workload,
};

use super::Fitted;
use crate::control::Control;
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::warning::LabWarning;
use findings::MachineFindings;

/// How the template is called.
pub(super) const TEMPLATE: &str = "system";

/// Latency samples of an idle memory: its mean is then known to about a percent.
const IDLE_SAMPLES: u64 = 20_000;

/// Cores that chase pointers while the others load the memory, at most; of few cores one in eight.
const PROBES: u32 = 16;

/// The longest path on a chip that is taken for one: beyond it something else was measured.
const PATH_MAX: Time = Time::from_ps(2_000_000);

/// The path each way with which the module's part is simulated.
const EACH_WAY: Time = Time::from_ps(20_000);

/// The most misses of a core that a sheet may state.
const MISSES_MAX: f64 = 1024.0;

/// Bytes of a line.
const LINE: f64 = 64.0;

/// The greatest loss of a bus that a sheet may state, in thousandths.
const LOSS_MAX: LossOfBus = 500;

/// Corrections of a loss at most, and how near the simulated reads then come.
const LOSS_STEPS: u32 = 3;
const LOSS_CLOSE: f64 = 0.003;

/// The figures that were fitted, and what they rest on.
struct SystemFigures {
    request: Time,
    returning: Time,
    misses: Option<u32>,
    path_source: String,
    misses_source: String,
    /// The loss of the bus, and what it follows from.
    loss: Option<(LossOfBus, String)>,
}

/// Share of a bus that a platform loses, in thousandths, as sheets state it.
type LossOfBus = u32;

/// A fit that is under way.
struct SystemTask<'a> {
    catalog: &'a Catalog,
    target: ModuleInSystem<'a>,
    experiment: &'a Experiment,
    workload: &'a FitWorkload,
    control: &'a Control<'a>,
    channels: u32,
    cores: u32,
    /// Sockets that have so many channels and cores each.
    sockets: u32,
    findings: MachineFindings,
}

/// Fits a system to a document of measurements. The experiment's one target is the module in the base system.
pub(super) fn fit(
    catalog: &Catalog,
    experiment: &Experiment,
    workload: &FitWorkload,
    control: &Control<'_>,
) -> Result<Fitted, LabError> {
    check(workload)?;
    let [target] = &experiment.targets[..] else {
        return Err(SettingProblem::NoSystemBase.of("base"));
    };
    let target = catalog.module_in_system(target)?;
    super::check_id(catalog, &workload.id)?;
    let sockets = target.system.sheet.sockets.as_ref();
    let sockets = sockets.map_or(1, |sockets| sockets.value().get());
    let system = || target.system.header.id.clone();
    match (sockets > 1, workload.per_socket) {
        // Whether a number is that of a socket or of the machine nothing shows.
        (true, false) => {
            let system = system();
            return Err(SettingProblem::SocketsOpen { system, sockets }.of("per_socket"));
        }
        (false, true) => {
            return Err(SettingProblem::OneSocket { system: system() }.of("per_socket"));
        }
        _ => {}
    }
    let channels = workload.channels;
    let channels = channels.ok_or_else(|| SettingProblem::NoChannels.of("channels"))?;
    let mut document = ResultSet::new(Experiment {
        targets: vec![target.name.clone()],
        ..experiment.clone()
    });
    let measured = read(&workload.source.file, control)?;
    let findings = MachineFindings::of(&workload.source.file, &measured)?;
    // A document states the cores of the whole machine.
    let stated = findings.cores.filter(|cores| cores.is_multiple_of(sockets));
    let cores = workload.cores.or(stated.map(|cores| cores / sockets));
    let cores = cores.ok_or_else(|| SettingProblem::NoCores.of("cores"))?;
    document.environment = measured.environment;
    let task = SystemTask {
        catalog,
        target,
        experiment,
        workload,
        control,
        channels,
        cores,
        sockets,
        findings,
    };
    let sheet = task.run(&mut document)?;
    document.complete = sheet.is_some();
    Ok(Fitted {
        document,
        sheet,
        estimates: Vec::new(),
    })
}

/// What says nothing of a system must not be stated.
fn check(workload: &FitWorkload) -> Result<(), LabError> {
    for (name, is_stated) in [
        ("pattern", workload.pattern.is_some()),
        ("range", workload.range_bytes.is_some()),
        ("fill", workload.fill.is_some()),
        ("warm-up", workload.warm_up_bytes > 0),
        ("usage", workload.usage.is_some()),
        ("predict", !workload.predict.is_empty()),
    ] {
        if is_stated {
            return Err(SettingProblem::OfPartAlone.of(name));
        }
    }
    Ok(())
}

/// The document.
fn read(file: &str, control: &Control<'_>) -> Result<ResultSet, LabError> {
    /// More than any document of measurements has.
    const BYTES_MAX: u64 = 256 << 20;
    let mut text = String::new();
    let reader = control.open(file)?;
    let read = reader.take(BYTES_MAX).read_to_string(&mut text);
    read.map_err(|source| LabError::Unreadable {
        file: file.to_owned(),
        source,
    })?;
    let document = ResultSet::from_json(&text);
    document.map_err(|error| LogProblem::NoDocument(error.to_string()).of(file))
}

impl SystemTask<'_> {
    /// Fits, and adds measured and simulated to the document. The sheet; none where the caller stopped.
    fn run(&self, document: &mut ResultSet) -> Result<Option<String>, LabError> {
        let Some(mut figures) = self.figures(document)? else {
            return Ok(None);
        };
        let name = format!("{}@{}", self.target.module.header.id, self.workload.id);
        let without = text::parsed(&text::of(self, &figures)?)?;
        figures.loss = match self.loss(&self.catalog.with(without), &name, document)? {
            Some(loss) => loss,
            None => return Ok(None),
        };
        let text = text::of(self, &figures)?;
        let fitted = text::parsed(&text)?;
        let catalog = self.catalog.with(fitted);
        if !residuals::add(self, &catalog, &name, &figures, document)? {
            return Ok(None);
        }
        let found = catalog.module_in_system(&name)?;
        crate::dram::sources::add(document, &found, &BTreeMap::new());
        Ok(Some(text))
    }

    /// The figures that the measurement determines; none where the caller stopped.
    fn figures(&self, document: &mut ResultSet) -> Result<Option<SystemFigures>, LabError> {
        let file = &self.workload.source.file;
        let problem = |problem: LogProblem| problem.of(file);
        let idle = self.findings.idle_or_least();
        let idle = idle.ok_or_else(|| problem(LogProblem::NoLatency))?;
        if self.findings.idle.is_none() {
            document.warn(LabWarning::IdleOfLeastLoad { file });
        }
        let sheet = &self.target.system.sheet;
        let [request, returning] =
            [&sheet.request_path, &sheet.return_path].map(|path| path.value().si());
        let Some(part) = self.module_part()? else {
            return Ok(None);
        };
        let path = idle - part;
        let ns = |seconds: f64| format!("{:.1} ns", seconds * 1e9);
        if path <= 0.0 {
            return Err(problem(LogProblem::FasterThanModule {
                idle: ns(idle),
                part: ns(part),
                module: self.target.module.header.id.clone(),
            }));
        }
        if path > PATH_MAX.si() {
            return Err(problem(LogProblem::LongPath {
                found: ns(path),
                most: PATH_MAX.to_string(),
            }));
        }
        // A base without a path does not say how to split one.
        let share = match request + returning {
            whole if whole > 0.0 => request / whole,
            _ => 0.5,
        };
        let whole = Time::from_ps((path * 1e12).round() as u64);
        let request = Time::from_ps((path * share * 1e12).round() as u64);
        let returning = Time::from_ps(whole.ps() - request.ps());
        let (misses, misses_source) = self.misses(document);
        Ok(Some(SystemFigures {
            request,
            returning,
            misses,
            path_source: format!(
                "{file}: idle latency {}, less the {} that {} takes by itself in {}, simulated; {} on the chip, split as there",
                ns(idle),
                ns(part),
                self.target.module.header.id,
                self.target.system.header.id,
                ns(path)
            ),
            misses_source,
            loss: None,
        }))
    }

    /// The loss of the bus; `None` within where nothing shows it, and around it where the caller stopped.
    #[allow(
        clippy::type_complexity,
        reason = "a caller that stopped is told from a loss that is open"
    )]
    fn loss(
        &self,
        catalog: &Catalog,
        name: &str,
        document: &mut ResultSet,
    ) -> Result<Option<Option<(LossOfBus, String)>>, LabError> {
        let controller = &self.target.system.sheet.controller;
        let mut reads = self.findings.mixes.iter();
        let reads = reads.find(|(mix, _)| *mix == Mix::Reads);
        let (Some(&(_, measured)), Some(_)) = (reads, &controller.bus_loss) else {
            return Ok(Some(None));
        };
        let Some(whole) = self.reads_at(catalog, name, 0)? else {
            return Ok(None);
        };
        let mut loss = loss_of(measured / whole);
        // Where cores are a bound as well, a loss takes less than its share.
        for _ in 0..LOSS_STEPS {
            let Some(found) = self.reads_at(catalog, name, loss.min(LOSS_MAX))? else {
                return Ok(None);
            };
            if loss == 0 || loss > LOSS_MAX || (found / measured - 1.0).abs() < LOSS_CLOSE {
                break;
            }
            let kept = (1000 - loss) as f64 / 1000.0;
            loss = loss_of(kept * measured / found);
        }
        let file = &self.workload.source.file;
        let gb = |rate: f64| format!("{:.1} GB/s", rate / 1e9);
        if loss > LOSS_MAX {
            document.warn(LabWarning::LossOutOfRange {
                file,
                measured: &gb(measured),
                whole: &gb(whole),
                base: &self.target.system.header.id,
            });
            return Ok(Some(None));
        }
        let source = format!(
            "{file}: reads carry {}, and the fitted system {} without a loss; by steps of 0.1 %",
            gb(measured),
            gb(whole)
        );
        Ok(Some(Some((loss, source))))
    }

    /// What the fitted system's reads carry at a loss, in B/s; none where the caller stopped.
    fn reads_at(
        &self,
        catalog: &Catalog,
        name: &str,
        loss: LossOfBus,
    ) -> Result<Option<f64>, LabError> {
        let settings = [("bus_loss".to_owned(), text::percent(loss))];
        let workload = DramWorkload {
            settings: settings.into_iter().collect(),
            ..bandwidth_test(vec![Mix::Reads])
        };
        let document = self.simulate(catalog, name, workload)?;
        if !document.complete {
            return Ok(None);
        }
        let mut rows = document.of(Metric::ThroughputMean);
        let plain = rows.find(|row| row.text(Axis::Estimate).is_none());
        Ok(plain.and_then(|row| row.value))
    }

    /// Lines that a core has under way at saturation, and what they follow from.
    fn misses(&self, document: &mut ResultSet) -> (Option<u32>, String) {
        let file = &self.workload.source.file;
        let Some((rate, latency)) = self.findings.saturated() else {
            document.warn(LabWarning::NoCurveToFit {
                file,
                base: &self.target.system.header.id,
            });
            return (None, String::new());
        };
        // A probe has one line under way, and a core of its own.
        let probing = self.findings.probes.unwrap_or(0.0);
        let lines = (rate - probing) * latency / LINE;
        let probes = (probing * latency / LINE).round() as u32;
        let all = self.cores * self.sockets;
        let own = all.saturating_sub(probes).max(1);
        let threads = self.findings.load_threads.unwrap_or(u32::MAX).max(1);
        let cores = own.min(threads);
        let each = lines / f64::from(cores);
        if each > MISSES_MAX {
            document.warn(LabWarning::MissesOutOfRange {
                file,
                found: &format!("{each:.0}"),
            });
            return (None, String::new());
        }
        let source = format!(
            "{file}: {:.1} GB/s / 64 B x {:.1} ns = {lines:.0} lines of the load under way at saturation, {each:.1} for each of \
             {cores} cores",
            (rate - probing) / 1e9,
            latency * 1e9,
        );
        (Some((each.round() as u32).max(1)), source)
    }

    /// What a read takes in the base beside the path on the chip, in seconds: simulated with the machine's channels. What
    /// the path is does not matter, as long as there is one.
    fn module_part(&self) -> Result<Option<f64>, LabError> {
        let (count, path) = (|count: u32| count.to_string(), || EACH_WAY.to_string());
        let settings = [
            ("channels", count(self.channels)),
            ("cores", count(self.cores)),
            ("request_path", path()),
            ("return_path", path()),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value));
        let workload = DramWorkload {
            settings: settings.into_iter().collect(),
            ..idle_test()
        };
        let document = self.simulate(self.catalog, &self.target.name, workload)?;
        Ok(idle_of(&document).map(|idle| idle - 2.0 * EACH_WAY.si()))
    }

    /// Runs a test of modules by itself.
    fn simulate(
        &self,
        catalog: &Catalog,
        target: &str,
        workload: DramWorkload,
    ) -> Result<ResultSet, LabError> {
        let experiment = Experiment {
            targets: vec![target.to_owned()],
            workload: Workload::Dram(workload.clone()),
            timings: vec![Timing::Max],
            age: 0.0,
            ..self.experiment.clone()
        };
        let mut document = ResultSet::new(experiment.clone());
        crate::dram::run(catalog, &workload, &experiment, self.control, &mut document)?;
        Ok(document)
    }
}

/// The loss, in thousandths, that leaves so much of a bus.
fn loss_of(kept: f64) -> LossOfBus {
    ((1.0 - kept).clamp(0.0, 1.0) * 1000.0).round() as LossOfBus
}

fn idle_test() -> DramWorkload {
    DramWorkload::of(DramTest::Idle(IdleTest {
        samples: IDLE_SAMPLES,
    }))
}

fn loaded_test(cores: u32) -> DramWorkload {
    DramWorkload {
        measure_ps: LoadedTest::MEASURE_QUICK_PS,
        ..DramWorkload::of(DramTest::Loaded(LoadedTest {
            mix: Mix::Reads,
            pattern: Pattern::Sequential,
            probes: (cores / 8).clamp(1, PROBES),
            ..LoadedTest::default()
        }))
    }
}

fn bandwidth_test(mixes: Vec<Mix>) -> DramWorkload {
    DramWorkload {
        measure_ps: BandwidthTest::MEASURE_QUICK_PS,
        ..DramWorkload::of(DramTest::Bandwidth(BandwidthTest {
            mixes,
            patterns: vec![Pattern::Sequential],
            band: Band::None,
            ..BandwidthTest::default()
        }))
    }
}

/// The mean latency of a finished test without load.
fn idle_of(document: &ResultSet) -> Option<f64> {
    let mut rows = document.of(Metric::LatencyMean);
    let plain = rows.find(|row| row.text(Axis::Estimate).is_none());
    plain.filter(|_| document.complete)?.value
}
