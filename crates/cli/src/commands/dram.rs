//! `wordline dram`: threads, curves for Mess, and the commands that went over the buses.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use clap::Args;
use wordline_core::Workload;
use wordline_lab::Control;

use super::hooks::HookRequest;
use super::mess::{MessFile, each, named};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output::Growing;
use crate::sink::{self, NamedFile};

/// Threads of a run.
#[derive(Args, Debug)]
pub(crate) struct Threads {
    /// Threads that points run on [default: one for each core of this machine]; no result depends on it
    #[arg(long, hide_short_help = true, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
}

impl Threads {
    /// 0 asks for as many as the machine has.
    pub(crate) fn control(&self) -> Control<'_> {
        Control {
            threads: self.threads.map_or(0, usize::from),
            ..Control::default()
        }
    }
}

#[derive(Args)]
#[command(mut_arg("thorough", |arg| arg.conflicts_with("samples")))]
pub(super) struct Loaded {
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    mess: MessFile,
    #[command(flatten)]
    depth: Depth,
}

#[derive(Args)]
#[command(mut_arg("thorough", |arg| arg.conflicts_with_all(["draws", "measure_ps"])))]
pub(super) struct Bandwidth {
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    depth: Depth,
}

/// How much is run, for every test that has a quick form.
#[derive(Args)]
struct Depth {
    /// Run everything in full, which takes up to ten times as long: 100,000 samples at every pause under load, 256 draws
    /// of a band, each for 100 us
    #[arg(long)]
    thorough: bool,
}

impl Depth {
    fn apply(&self, request: &mut HookRequest<'_>) {
        if let Workload::Dram(dram) = &mut request.experiment.workload
            && self.thorough
        {
            *dram = dram.clone().thorough();
        }
    }
}

#[derive(Args)]
pub(super) struct Trace {
    #[command(flatten)]
    threads: Threads,
    /// Save the commands that went over the buses: .txt for text, .json for Perfetto; of several targets one file
    /// each, with the target in its name
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,
}

pub(super) fn run(request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let threads: Threads = request.flags()?;
    request.finish_with(&threads.control())
}

pub(super) fn bandwidth(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Bandwidth { threads, depth } = request.flags()?;
    depth.apply(&mut request);
    request.finish_with(&threads.control())
}

pub(super) fn loaded(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Loaded {
        threads,
        mess,
        depth,
    } = request.flags()?;
    depth.apply(&mut request);
    mess.run(request, &threads.control())
}

pub(super) fn trace(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Trace { threads, commands } = request.flags()?;
    let targets = request.experiment.targets.clone();
    for file in commands.iter().flat_map(|file| each(file, &targets)) {
        request.exports.also("--commands", &file)?;
    }
    let catalog = request.catalog()?;
    let commands = commands
        .as_deref()
        .map(|file| CommandOutput::new(file, targets.len() > 1))
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
        commands: wanted.as_ref(),
        ..threads.control()
    };
    let document = request.document(&catalog, &control)?;
    if let Some(commands) = commands {
        commands.finish()?;
    }
    let outcome = super::outcome(&document);
    request.exports.write(&document, request.global, outcome)
}

/// Where the commands of a replayed trace go.
struct CommandOutput {
    file: PathBuf,
    form: wordline_lab::CommandForm,
    several: bool,
    /// Those that were begun.
    growing: RefCell<Vec<Growing>>,
}

impl CommandOutput {
    fn new(file: &Path, several: bool) -> Result<Self, Failure> {
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
            several,
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
        let file = NamedFile::new(file, name);
        self.growing.borrow_mut().push(growing);
        Ok(Box::new(std::io::BufWriter::with_capacity(256 << 10, file)))
    }
}
