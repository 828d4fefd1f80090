//! `wordline dram`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wordline_core::quantity::{Frequency, Time};
use wordline_core::{
    BandwidthTest, DramTest, DramTraceTest, DramWorkload, Experiment, IdleTest, LoadedTest, Timing,
    Workload,
};
use wordline_lab::Control;

use crate::args::{Bandwidth, Dram, Global, Idle, Lengths, Loaded, Modules, Trace};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::{self, Exports, Growing};
use crate::sink::{self, Named};

pub(crate) fn run(dram: &Dram, global: &Global) -> Result<Outcome, Failure> {
    match dram {
        Dram::Idle(idle) => self::idle(idle, global),
        Dram::Bandwidth(bandwidth) => self::bandwidth(bandwidth, global),
        Dram::Loaded(loaded) => self::loaded(loaded, global),
        Dram::Trace(trace) => self::trace(trace, global),
    }
}

fn idle(idle: &Idle, global: &Global) -> Result<Outcome, Failure> {
    let test = DramTest::Idle(IdleTest {
        samples: idle.samples,
    });
    let experiment = experiment(&idle.modules, Some(&idle.lengths), test)?;
    finish(&idle.modules, &experiment, global)
}

fn bandwidth(bandwidth: &Bandwidth, global: &Global) -> Result<Outcome, Failure> {
    let test = DramTest::Bandwidth(BandwidthTest {
        mixes: bandwidth.mix.clone(),
        patterns: bandwidth.pattern.clone(),
        band: bandwidth.band,
    });
    let experiment = experiment(&bandwidth.modules, Some(&bandwidth.lengths), test)?;
    finish(&bandwidth.modules, &experiment, global)
}

fn loaded(loaded: &Loaded, global: &Global) -> Result<Outcome, Failure> {
    let delays_cycles = match loaded.delay.as_slice() {
        [] => LoadedTest::DELAYS_CYCLES.to_vec(),
        named => named.to_vec(),
    };
    let test = DramTest::Loaded(LoadedTest {
        delays_cycles,
        mix: loaded.mix,
        pattern: loaded.pattern,
        samples: loaded.samples,
        probes: loaded.probes,
        within_ps: loaded.within.iter().copied().map(Time::ps).collect(),
    });
    let experiment = experiment(&loaded.modules, Some(&loaded.lengths), test)?;
    let Some(mess) = &loaded.mess else {
        return finish(&loaded.modules, &experiment, global);
    };
    let mut exports = Exports::new(&loaded.modules.export)?;
    if mess.extension().is_none_or(|extension| extension != "csv") {
        return Err(failure::message(format!(
            "--mess {}: the extension says another form; allowed: csv",
            mess.display()
        )));
    }
    for file in each(mess, &loaded.modules) {
        exports.also("--mess", &file)?;
    }
    let catalog = super::catalog(global)?;
    let threads = threads(&loaded.modules);
    let control = Control {
        threads,
        ..Control::default()
    };
    let document = super::run_with(&catalog, &experiment, &Inputs::default(), &control, global)?;
    let curves = wordline_report::mess_curves(&document);
    let several = curves.len() > 1;
    for (target, text) in &curves {
        let file = named(mess, target, several);
        output::write_file(&file, text, global)?;
    }
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

fn trace(trace: &Trace, global: &Global) -> Result<Outcome, Failure> {
    let mut inputs = Inputs::default();
    let file = match trace.modules.target.len() {
        1 => inputs.add(&trace.file),
        _ => inputs.add_repeated(&trace.file),
    };
    let test = DramTest::Trace(DramTraceTest {
        file,
        format: trace.kind.clone(),
        clock_hz: trace.clock.map(Frequency::hz),
        align: trace.align,
        fold: trace.fold,
        check: trace.check,
    });
    let experiment = experiment(&trace.modules, None, test)?;
    let mut exports = Exports::new(&trace.modules.export)?;
    for file in trace
        .commands
        .iter()
        .flat_map(|file| each(file, &trace.modules))
    {
        exports.also("--commands", &file)?;
    }
    exports.spare(&trace.file)?;
    let catalog = super::catalog(global)?;
    let commands = trace
        .commands
        .as_deref()
        .map(|file| Commands::new(file, trace))
        .transpose()?;
    let create = |target: &str| match &commands {
        Some(commands) => commands.create(target),
        None => Err(std::io::Error::other("no file of commands is named")),
    };
    let wanted = commands.as_ref().map(|commands| wordline_lab::Commands {
        form: commands.form,
        create: &create,
    });
    let control = Control {
        threads: threads(&trace.modules),
        commands: wanted.as_ref(),
        ..Control::default()
    };
    let document = super::run_with(&catalog, &experiment, &inputs, &control, global)?;
    if let Some(commands) = commands {
        commands.finish()?;
    }
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

/// Where the commands of a replayed trace go.
struct Commands {
    file: PathBuf,
    form: wordline_lab::CommandForm,
    several: bool,
    /// Those that were begun.
    growing: RefCell<Vec<Growing>>,
}

impl Commands {
    fn new(file: &Path, trace: &Trace) -> Result<Self, Failure> {
        let form = match file.extension().and_then(|extension| extension.to_str()) {
            Some("txt") => wordline_lab::CommandForm::Text,
            Some("json") => wordline_lab::CommandForm::Chrome,
            _ => {
                return Err(failure::message(format!(
                    "--commands {}: the extension says no form; allowed: txt, json",
                    file.display()
                )));
            }
        };
        Ok(Self {
            file: file.to_owned(),
            form,
            several: trace.modules.target.len() > 1,
            growing: RefCell::new(Vec::new()),
        })
    }

    /// Everything is written.
    fn finish(self) -> Result<(), Failure> {
        for growing in self.growing.into_inner() {
            growing.finish().map_err(|error| {
                let file = self.file.display();
                failure::message(format!("--commands {file} cannot be written: {error}"))
            })?;
        }
        Ok(())
    }

    fn create(&self, target: &str) -> std::io::Result<Box<dyn std::io::Write>> {
        let name = named(&self.file, target, self.several);
        let begun = Growing::create(&name);
        let (growing, file) = begun.map_err(|error| sink::named(&name, &error))?;
        let file = Named::new(file, name);
        self.growing.borrow_mut().push(growing);
        Ok(Box::new(std::io::BufWriter::with_capacity(256 << 10, file)))
    }
}

/// The files of all targets.
fn each(file: &Path, modules: &Modules) -> Vec<PathBuf> {
    let several = modules.target.len() > 1;
    let targets = modules.target.iter();
    targets
        .map(|target| named(file, target.trim(), several))
        .collect()
}

/// The file of a target: the one that the user named, with the target before the extension where there are several.
fn named(file: &Path, target: &str, several: bool) -> PathBuf {
    if !several {
        return file.to_owned();
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file
        .extension()
        .map(|extension| format!(".{}", extension.to_string_lossy()));
    file.with_file_name(format!("{stem}-{target}{}", extension.unwrap_or_default()))
}

fn experiment(
    modules: &Modules,
    lengths: Option<&Lengths>,
    test: DramTest,
) -> Result<Experiment, Failure> {
    let mut settings = BTreeMap::new();
    for (name, value) in &modules.set {
        if settings.insert(name.clone(), value.clone()).is_some() {
            return Err(failure::message(format!("--set {name}: it is set twice")));
        }
    }
    let mut workload = DramWorkload {
        settings,
        ..DramWorkload::of(test)
    };
    if let Some(lengths) = lengths {
        workload.warm_up_ps = lengths.warm_up.map_or(workload.warm_up_ps, Time::ps);
        workload.measure_ps = lengths.measure.map_or(workload.measure_ps, Time::ps);
    }
    Ok(Experiment {
        targets: modules.target.clone(),
        workload: Workload::Dram(workload),
        timings: vec![Timing::Max],
        age: 0.0,
        seed: modules.seed,
        ftl: None,
    })
}

/// Runs a test that reads nothing, and writes what it found.
fn finish(modules: &Modules, experiment: &Experiment, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&modules.export)?;
    let catalog = super::catalog(global)?;
    let control = Control {
        threads: threads(modules),
        ..Control::default()
    };
    let document = super::run_with(&catalog, experiment, &Inputs::default(), &control, global)?;
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

/// 0 asks for as many as the machine has.
fn threads(modules: &Modules) -> usize {
    modules.threads.map_or(0, usize::from)
}
