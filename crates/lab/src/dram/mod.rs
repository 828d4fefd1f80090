//! DDR5 modules in a server: latency without load, bandwidth by mix, latency under load, surfaces for programs, and traces.
//!
//! A test is a list of points, each a simulation of its own; they run side by side ([`points`]), and what they measured
//! becomes rows ([`rows`]). The modules' timings are the limits of their data sheets, which hold for every part, so
//! the rows' timing class is `max`.

pub(crate) mod anchors;
mod bandwidth;
mod cautions;
mod commands;
mod drawn;
pub(crate) mod draws;
mod explain;
mod idle;
mod idle_gap;
pub(crate) mod knee;
pub(crate) mod loaded;
mod measured;
pub(crate) mod points;
pub(crate) mod reduced;
pub(crate) mod rows;
pub(crate) mod sources;
pub(crate) mod spread;
pub(crate) mod surface;
pub(crate) mod sweep;
mod trace;

use std::collections::BTreeMap;

use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_core::quantity::Time;
use wordline_core::{
    Axis, Basis, DramTest, DramWorkload, Experiment, Mix, Pattern, ResultSet, RowOperation, Timing,
};
use wordline_dram::RequestKind;
use wordline_dram::sheet::{Connected, Settings};
use wordline_dram::system::{RunLength, SystemRun, Traffic};

use crate::control::Control;
use crate::error::{LabError, SettingProblem, in_range};
use crate::open;
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;
use points::{DramPoint, Ended};
pub use surface::shipped_surface;

/// The longest time that may be simulated: a second is ten thousand times what a test needs.
const TIME_MAX: Time = Time::from_ps(1_000_000_000_000);

/// The most latency samples of a point.
const SAMPLES_MAX: u64 = 1_000_000_000;

/// The most draws of a band.
const DRAWS_MAX: u32 = 4096;

/// A target, connected.
struct ModuleMemory<'a> {
    name: String,
    target: ModuleInSystem<'a>,
    connected: Connected,
    settings: BTreeMap<String, String>,
}

impl<'a> ModuleMemory<'a> {
    fn connected(target: ModuleInSystem<'a>, settings: &Settings) -> Result<Self, LabError> {
        let name = target.name.clone();
        let connected = target.connect(settings);
        let connected = connected.map_err(|source| LabError::Setting {
            target: name.clone(),
            source,
        })?;
        Ok(Self {
            name,
            target,
            connected,
            settings: settings.clone(),
        })
    }

    /// What the user or the sheets chose; nothing where there is no such choice.
    fn chosen(&self, name: &str) -> String {
        let chosen = || {
            let choices = self.target.choices().into_iter();
            let mut named = choices.filter(|choice| choice.name == name);
            named.next().map(|choice| choice.value)
        };
        // Settings are read as the sheets are: blanks around them mean nothing.
        let set = self.settings.get(name).map(|value| value.trim().to_owned());
        set.or_else(chosen).unwrap_or_default()
    }

    /// What a read takes that finds its bank closed and waits for nothing else, in picoseconds: the sum by hand.
    fn unloaded_ps(&self) -> u64 {
        let config = &self.connected.config;
        let timing = &config.sub_channel.timing;
        let clocks = u64::from(timing.rcd) + u64::from(timing.cl) + u64::from(timing.burst);
        let on_chip = config.cores.request_path_ps + config.cores.return_path_ps;
        let links = config.topology.alone_ps(RequestKind::Read);
        on_chip + links + config.sub_channel.clock.ps(clocks) + config.module_delay_ps
    }
}

/// What all points of a test share.
struct Test<'a> {
    catalog: &'a Catalog,
    workload: &'a DramWorkload,
    memories: Vec<ModuleMemory<'a>>,
    seed: u64,
}

/// Runs the test on every target and adds what it found to the document.
pub(crate) fn run(
    catalog: &Catalog,
    workload: &DramWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check(workload, experiment)?;
    let memories = connect(catalog, workload, experiment)?;
    unused(&memories, &workload.settings, document)?;
    // In full, so that the document repeats whatever the defaults become.
    document.experiment.targets = memories.iter().map(|memory| memory.name.clone()).collect();
    for memory in &memories {
        sources::add(document, &memory.target, &workload.settings);
    }
    let test = Test {
        catalog,
        workload,
        memories,
        seed: experiment.seed,
    };
    match &workload.test {
        DramTest::Idle(idle) => idle::run(&test, idle, control, document),
        DramTest::Bandwidth(bandwidth) => bandwidth::run(&test, bandwidth, control, document),
        DramTest::Loaded(loaded) => loaded::run(&test, loaded, control, document),
        DramTest::Surface(surface) => surface::run(&test, surface, control, document),
        DramTest::Trace(trace) => trace::run(&test, trace, control, document),
    }
}

fn check(workload: &DramWorkload, experiment: &Experiment) -> Result<(), LabError> {
    if experiment.timings != [Timing::Max] {
        return Err(SettingProblem::TimingOfModules.of("timing"));
    }
    if experiment.age != 0.0 {
        return Err(SettingProblem::AgeOfModules.of("age"));
    }
    for (what, ps, least) in [
        ("warm_up", workload.warm_up_ps, 0),
        ("measure", workload.measure_ps, 1),
    ] {
        in_range(what, Time::from_ps(ps), Time::from_ps(least), TIME_MAX)?;
    }
    if let DramTest::Bandwidth(test) = &workload.test {
        let (least, most) = (spread::DRAWS_MIN as u32, DRAWS_MAX);
        in_range("draws", test.draws, least, most)?;
    }
    Ok(())
}

fn check_samples(samples: u64) -> Result<(), LabError> {
    in_range("samples", samples, 1, SAMPLES_MAX)
}

fn connect<'a>(
    catalog: &'a Catalog,
    workload: &DramWorkload,
    experiment: &Experiment,
) -> Result<Vec<ModuleMemory<'a>>, LabError> {
    let mut memories: Vec<ModuleMemory<'a>> = Vec::new();
    if experiment.targets.is_empty() {
        return Err(LabError::NoModule);
    }
    for target in open::targets(catalog, &experiment.targets)? {
        let target = target.into_module()?;
        memories.push(ModuleMemory::connected(target, &workload.settings)?);
    }
    Ok(memories)
}

/// A setting that no target has a use for is a mistake; one that some have none for may serve the others.
fn unused(
    memories: &[ModuleMemory<'_>],
    settings: &Settings,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let of = |memory: &ModuleMemory<'_>| memory.target.unused_settings(settings);
    let all: Vec<_> = memories.iter().map(of).collect();
    let Some((first, others)) = all.split_first() else {
        return Ok(());
    };
    let everywhere = first
        .iter()
        .find(|one| others.iter().all(|other| other.contains(one)));
    if let Some(source) = everywhere {
        return Err(LabError::Setting {
            target: memories[0].name.clone(),
            source: source.clone(),
        });
    }
    for (memory, unused) in memories.iter().zip(all) {
        for why in unused {
            let target = &memory.name;
            document.warn(LabWarning::SettingUnused { target, why: &why });
        }
    }
    Ok(())
}

impl Test<'_> {
    /// The traffic of a point. With probes, the cores that are left load the memory; without, all do.
    fn traffic(
        &self,
        memory: &ModuleMemory<'_>,
        mix: Mix,
        pattern: Pattern,
        delay_cycles: u64,
        probes: Option<u32>,
    ) -> Traffic {
        let cores = memory.connected.config.cores.cores;
        let probes = probes.unwrap_or(0);
        Traffic {
            mix,
            pattern,
            delay_cycles,
            load_cores: cores.saturating_sub(probes),
            probes,
            seed: self.seed,
        }
    }

    /// One core that follows a chain of pointers, and nothing else.
    fn idle_point(&self, memory: &ModuleMemory<'_>, samples: u64) -> DramPoint {
        let traffic = self.traffic(memory, Mix::Reads, Pattern::Sequential, 0, Some(1));
        let traffic = Traffic {
            load_cores: 0,
            ..traffic
        };
        self.point(memory, "idle", traffic, samples)
    }

    fn point(
        &self,
        memory: &ModuleMemory<'_>,
        name: &str,
        traffic: Traffic,
        samples: u64,
    ) -> DramPoint {
        DramPoint {
            name: format!("{}, {name}", memory.name),
            config: memory.connected.config.clone(),
            traffic,
            length: RunLength {
                warm_up_ps: self.workload.warm_up_ps,
                measure_ps: self.workload.measure_ps,
                probe_samples: samples,
                episodes: 1,
                settle_ps: 0,
            },
        }
    }

    /// The run of a point that was finished. One that was stopped leaves the document incomplete.
    fn finished(
        &self,
        memory: &ModuleMemory<'_>,
        ended: Ended,
        document: &mut ResultSet,
    ) -> Result<Option<SystemRun>, LabError> {
        let run = self.ended(memory, ended, document)?;
        if let Some(run) = &run {
            cautions::refresh(memory, run, document);
        }
        Ok(run)
    }

    /// The same of a run that may be too short to sample its refreshes.
    fn ended(
        &self,
        memory: &ModuleMemory<'_>,
        ended: Ended,
        document: &mut ResultSet,
    ) -> Result<Option<SystemRun>, LabError> {
        match ended {
            Some(Ok(run)) => Ok(Some(run)),
            Some(Err(source)) => Err(LabError::Memory {
                target: memory.name.clone(),
                source,
            }),
            None => {
                document.complete = false;
                Ok(None)
            }
        }
    }

    /// What identifies the rows of a target.
    fn subject(&self, memory: &ModuleMemory<'_>, operation: RowOperation) -> Subject {
        let subject = Subject {
            target: memory.name.clone(),
            part: memory.target.module.header.id.clone(),
            board: memory.target.system.header.id.clone(),
            workload: "dram",
            operation,
            axes: Axes::new(),
            timing: Timing::Max,
            age: 0.0,
            basis: Basis::Simulated,
        };
        subject.at(Axis::Test, self.workload.test.name())
    }
}
