//! What tables run on: a memory on a board, the RAM of a board's processor, or a memory of this machine.

use wordline_catalog::{Board, Catalog, Model, Target};
use wordline_core::quantity::ByteCount;
use wordline_core::results::WarningCode;
use wordline_core::{Basis, Experiment, KvBench, KvBuild, Operation, Resolver, ResultSet, Timing};
use wordline_nvm::bus::Command;
use wordline_nvm::{Conditions, Device, Memory, ProcessorCost};

use super::Variant;
use super::host::{Home, Opened};
use super::memory::{Part, PartError, RAM_ATOM};
use crate::control::Control;
use crate::error::LabError;
use crate::sources;
use crate::subject::{Axes, Subject};

/// The part that stands for RAM in targets.
pub(super) const RAM: &str = "ram";

/// The board whose RAM is meant where none is named: one with DRAM.
const RAM_BOARD: &str = "rpi3-sd";

/// A target, as far as it is known without a timing class.
pub(super) enum Place<'a> {
    /// A memory on a board.
    Part(Target<'a>),
    /// RAM of a board's processor.
    Ram(&'a Board),
    /// A memory of this machine.
    Host(Home),
}

impl<'a> Place<'a> {
    /// What a target names.
    pub(super) fn of(catalog: &'a Catalog, text: &str) -> Result<Self, LabError> {
        // Spaces are part of a path.
        if let Some(home) = Home::of(text) {
            return Ok(Self::Host(home));
        }
        let text = text.trim();
        let board = match text.split_once('@') {
            Some((RAM, board)) => board,
            None if text == RAM => RAM_BOARD,
            _ => return Ok(Self::Part(catalog.target(text)?)),
        };
        let board = catalog.board(board)?;
        if board.board.cpu.is_none() {
            let known = catalog.boards().filter(|board| board.board.cpu.is_some());
            let known: Vec<_> = known.map(|board| board.header.id.as_str()).collect();
            return Err(LabError::Kv {
                target: text.to_owned(),
                problem: format!(
                    "the sheet of {} does not say what software on its processor takes, which is all that RAM costs; \
                     allowed: {}",
                    board.header.id,
                    known.join(", ")
                ),
            });
        }
        Ok(Self::Ram(board))
    }

    /// `PART@BOARD`.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Part(target) => target.name.clone(),
            Self::Ram(board) => format!("{RAM}@{}", board.header.id),
            Self::Host(home) => home.name(),
        }
    }

    /// Whether it is this machine's own.
    pub(super) const fn is_measured(&self) -> bool {
        matches!(self, Self::Host(_))
    }

    /// Refuses a memory of which no power cut can be told.
    pub(super) fn check_lasting(&self) -> Result<(), LabError> {
        let problem = match self {
            Self::Part(_) => return Ok(()),
            Self::Ram(_) | Self::Host(Home::Ram) => "RAM keeps nothing without power",
            Self::Host(Home::File(_)) => {
                "what a power cut leaves of a file is up to its disk, which cannot be cut here and is not simulated"
            }
        };
        Err(LabError::Kv {
            target: self.name(),
            problem: format!("{problem}; allowed: MRAM, FRAM, EEPROM"),
        })
    }

    /// None of this machine.
    const fn board(&self) -> Option<&'a Board> {
        match self {
            Self::Part(target) => Some(target.board),
            Self::Ram(board) => Some(board),
            Self::Host(_) => None,
        }
    }
}

/// A target in a timing class, for tables to run on.
pub(crate) struct Ground<'a> {
    place: &'a Place<'a>,
    pub(super) timing: Timing,
    age: f64,
    seed: u64,
    source: Source<'a>,
    /// Bytes that cross its bus together.
    pub(super) word_bytes: u64,
}

/// Where a ground's parts come from.
enum Source<'a> {
    Device(Box<dyn Device>),
    /// RAM of a simulated processor, in lines of so many bytes.
    Ram {
        line_bytes: u64,
    },
    /// A memory of this machine, once it was opened.
    Host(&'a Home, Option<Opened>),
}

impl<'a> Ground<'a> {
    /// A target, with its sheets told in the document.
    pub(super) fn new(
        place: &'a Place<'a>,
        timing: Timing,
        experiment: &Experiment,
        document: &mut ResultSet,
    ) -> Result<Self, LabError> {
        let (source, word_bytes) = match place {
            Place::Part(target) => {
                let device = device(target, timing, experiment)?;
                sources::add(document, target, &*device, timing);
                (Source::Device(device), word_bytes(target)?)
            }
            Place::Ram(board) => {
                sources::add_sheet(document, &board.header);
                let line_bytes = match &board.board.cpu {
                    Some(cpu) => cpu.ram_line.nominal().bytes(),
                    None => unreachable!("RAM is of a board that says what its processor takes"),
                };
                (Source::Ram { line_bytes }, 1)
            }
            Place::Host(home) => (Source::Host(home, None), 1),
        };
        Ok(Self {
            place,
            timing,
            age: experiment.age,
            seed: experiment.seed,
            source,
            word_bytes,
        })
    }

    /// Opens a memory of this machine and tells what that is. A file is written over from its first part on.
    pub(super) fn open(
        &mut self,
        capacity: u64,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        if let Source::Host(home, opened) = &mut self.source {
            *opened = Some(home.open(capacity, control, document)?);
        }
        Ok(())
    }

    pub(super) fn name(&self) -> String {
        self.place.name()
    }

    /// Whether it is this machine's own.
    pub(super) const fn is_measured(&self) -> bool {
        self.place.is_measured()
    }

    /// Bytes that a power cut leaves whole, or that a store in flight can spoil; of RAM, those of a store.
    pub(super) fn atom(&self) -> usize {
        match &self.source {
            Source::Device(device) => device.atom(),
            Source::Ram { .. } | Source::Host(Home::Ram, _) => RAM_ATOM,
            Source::Host(Home::File(_), _) => 1,
        }
    }

    /// Bytes of it that a table gets of so many.
    pub(super) fn bytes(&self, capacity: u64) -> u64 {
        match &self.source {
            Source::Device(device) => capacity.min(device.len()),
            Source::Ram { .. } | Source::Host(..) => capacity,
        }
    }

    /// A fresh part of it, for one table. What a file held is lost.
    pub(super) fn part(&self, capacity: u64) -> Result<Part, PartError> {
        Ok(match &self.source {
            Source::Device(device) => Part::new(device.fork_device(), capacity, self.word_bytes),
            Source::Ram { line_bytes } => Part::ram(capacity, *line_bytes),
            Source::Host(_, Some(Opened::Ram)) => Part::ram_of_host(capacity),
            Source::Host(_, Some(Opened::File(file))) => Part::file(file.map()?, capacity),
            Source::Host(_, None) => unreachable!("it was opened before the first table"),
        })
    }

    /// Whether a table on it waits for a disk.
    pub(super) const fn waits_for_disk(&self) -> bool {
        matches!(self.source, Source::Host(Home::File(_), _))
    }

    /// The most operations of a kind that are timed on a filled table.
    pub(super) fn most(&self, bench: &KvBench) -> u64 {
        let usual = if self.waits_for_disk() {
            KvBench::ON_DISK
        } else {
            u64::MAX
        };
        bench.operations.unwrap_or(usual)
    }

    /// The most inserts that are timed.
    pub(super) fn most_inserts(&self, bench: &KvBench) -> u64 {
        match self.waits_for_disk() {
            true => self.most(bench),
            false => u64::MAX,
        }
    }

    /// Operations of a mix.
    pub(super) fn mixed(&self, bench: &KvBench) -> u64 {
        bench.operations.unwrap_or(if self.waits_for_disk() {
            KvBench::MIXED_ON_DISK
        } else {
            KvBench::MIXED
        })
    }

    /// What the processor takes in a build, with its figures told in the document; `None` where nobody knows, or where
    /// it is not to count.
    pub(super) fn processor(
        &self,
        build: KvBuild,
        document: &mut ResultSet,
    ) -> Option<ProcessorCost> {
        let board = self.place.board()?;
        let cpu = match (&board.board.cpu, build) {
            (_, KvBuild::None) => return None,
            (Some(cpu), _) => cpu,
            (None, _) => {
                document.warn(
                    WarningCode::Advice,
                    format!(
                        "{}: its sheet has no table [cpu], so that what the tables compute takes no time: rates are those \
                         of the memory and its driver alone",
                        board.header.id
                    ),
                );
                return None;
            }
        };
        let mut resolver = Resolver::new(self.timing, self.seed, &board.header.id);
        let clock = resolver.fixed("core_clock", &board.board.core_clock);
        resolver.read("cpu.core");
        let cost = cpu.cost(clock, build == KvBuild::Optimized, &mut resolver);
        sources::add_figures(document, &board.figures, resolver.readings(), "");
        if cpu.cycles_per_instruction.provenance().basis == Basis::Calibrated
            && build == KvBuild::Published
        {
            document.warn(
                WarningCode::Default,
                format!(
                    "{}: what the tables compute is counted in instructions of their algorithms, at the cycles an \
                     instruction that one published figure was calibrated with; --build optimized takes the assumed figure \
                     of an optimised build, and --build none the memory and its driver alone",
                    board.header.id
                ),
            );
        }
        Some(cost)
    }

    /// What all rows of a table on it share; the operation is set where it is known.
    pub(super) fn subject(&self, variant: Variant) -> Subject {
        let part = match self.place {
            Place::Part(target) => target.part.header.id.as_str(),
            Place::Ram(_) | Place::Host(Home::Ram) => RAM,
            Place::Host(Home::File(_)) => "file",
        };
        let subject = Subject {
            target: self.name(),
            part: part.to_owned(),
            board: (self.place.board()).map_or_else(String::new, |board| board.header.id.clone()),
            workload: "kv",
            operation: Operation::Read.name(),
            axes: Axes::new(),
            timing: self.timing,
            age: self.age,
            basis: match self.is_measured() {
                true => Basis::Measured,
                false => Basis::Simulated,
            },
        };
        let subject = subject.at("table", variant.table.name());
        match variant.directory {
            Some(directory) => subject.at("directory", directory.name()),
            None => subject,
        }
    }

    /// Says so where it has fewer bytes than a table was to get.
    pub(super) fn warn_if_short(&self, capacity: u64, document: &mut ResultSet) {
        let (has, asked) = (self.bytes(capacity), capacity);
        if has < asked {
            document.warn(
                WarningCode::Advice,
                format!(
                    "{}: it has {} and not {}: its tables get all of it",
                    self.name(),
                    ByteCount::from_bytes(has),
                    ByteCount::from_bytes(asked)
                ),
            );
        }
    }
}

/// A memory whose bytes can be overwritten one by one.
fn device(
    target: &Target<'_>,
    timing: Timing,
    experiment: &Experiment,
) -> Result<Box<dyn Device>, LabError> {
    if let Model::Card(_) | Model::Nand(_) | Model::Nor(_) = target.part.model {
        return Err(LabError::Kv {
            target: target.name.clone(),
            problem: format!(
                "{} is no memory whose bytes can be overwritten one by one, which is what these tables take; allowed: \
                 MRAM, FRAM, EEPROM, {RAM}@BOARD, and of this machine file:PATH and {RAM}@host",
                target.part.header.id
            ),
        });
    }
    let conditions = Conditions {
        timing,
        age: experiment.age,
        seed: experiment.seed,
    };
    match target.memory(conditions) {
        Ok(Memory::Bytes(device)) => Ok(device),
        Ok(Memory::Flash(_)) => unreachable!("flash was refused"),
        Err(source) => Err(LabError::Device {
            target: target.name.clone(),
            source,
        }),
    }
}

/// Bytes that cross the bus of a target together.
fn word_bytes(target: &Target<'_>) -> Result<u64, LabError> {
    let link = target.link().map_err(|error| LabError::Kv {
        target: target.name.clone(),
        problem: error.to_string(),
    })?;
    Ok(match link.commands().first() {
        Some(Command::Parallel(command)) => command.word_bytes,
        Some(Command::Ddr(command)) => command.beat_bytes * command.burst_length,
        Some(Command::Serial(_) | Command::Card(_)) | None => 1,
    })
}
