//! What tables run on: a memory on a board, or the RAM of a board's processor.

use wordline_catalog::{Board, Catalog, Model, Target};
use wordline_core::quantity::ByteCount;
use wordline_core::results::WarningCode;
use wordline_core::{Basis, Experiment, KvBuild, Operation, Resolver, ResultSet, Timing};
use wordline_nvm::bus::Command;
use wordline_nvm::{Conditions, Device, Memory, ProcessorCost};

use super::Variant;
use super::memory::Part;
use crate::error::LabError;
use crate::sources;
use crate::subject::{Axes, Subject};

/// The part that stands for RAM in targets.
const RAM: &str = "ram";

/// The board whose RAM is meant where none is named: one with DRAM.
const RAM_BOARD: &str = "rpi3-sd";

/// A target, as far as it is known without a timing class.
pub(super) enum Place<'a> {
    /// A memory on a board.
    Part(Target<'a>),
    /// RAM of a board's processor.
    Ram(&'a Board),
}

impl<'a> Place<'a> {
    /// What a target names.
    pub(super) fn of(catalog: &'a Catalog, text: &str) -> Result<Self, LabError> {
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
        }
    }

    const fn board(&self) -> &'a Board {
        match self {
            Self::Part(target) => target.board,
            Self::Ram(board) => board,
        }
    }
}

/// A target in a timing class, for tables to run on.
pub(crate) struct Ground<'a> {
    place: &'a Place<'a>,
    pub(super) timing: Timing,
    age: f64,
    seed: u64,
    /// None for RAM.
    device: Option<Box<dyn Device>>,
    /// Bytes that cross its bus together.
    pub(super) word_bytes: u64,
}

impl<'a> Ground<'a> {
    /// A target, with its sheets told in the document.
    pub(super) fn new(
        place: &'a Place<'a>,
        timing: Timing,
        experiment: &Experiment,
        document: &mut ResultSet,
    ) -> Result<Self, LabError> {
        let (device, word_bytes) = match place {
            Place::Part(target) => {
                let device = device(target, timing, experiment)?;
                sources::add(document, target, &*device, timing);
                (Some(device), word_bytes(target)?)
            }
            Place::Ram(board) => {
                sources::add_sheet(document, &board.header);
                (None, 1)
            }
        };
        Ok(Self {
            place,
            timing,
            age: experiment.age,
            seed: experiment.seed,
            device,
            word_bytes,
        })
    }

    pub(super) fn name(&self) -> String {
        self.place.name()
    }

    /// Bytes that a power cut leaves whole, or that a store in flight can spoil.
    pub(super) fn atom(&self) -> usize {
        self.device.as_ref().map_or(1, |device| device.atom())
    }

    /// Refuses a memory that keeps nothing without power.
    pub(super) fn check_lasting(&self) -> Result<(), LabError> {
        match &self.device {
            Some(_) => Ok(()),
            None => Err(LabError::Kv {
                target: self.name(),
                problem: "RAM keeps nothing without power; allowed: MRAM, FRAM, EEPROM".to_owned(),
            }),
        }
    }

    /// A fresh part of it, for one table.
    pub(super) fn part(&self, capacity: u64) -> Part {
        match (&self.device, &self.place.board().board.cpu) {
            (Some(device), _) => Part::new(device.fork_device(), capacity, self.word_bytes),
            (None, Some(cpu)) => Part::ram(capacity, cpu.ram_line.nominal().bytes()),
            (None, None) => unreachable!("RAM is of a board that says what its processor takes"),
        }
    }

    /// What the processor takes in a build, with its figures told in the document; `None` where nobody knows, or where
    /// it is not to count.
    pub(super) fn processor(
        &self,
        build: KvBuild,
        document: &mut ResultSet,
    ) -> Option<ProcessorCost> {
        let board = self.place.board();
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
            Place::Ram(_) => RAM,
        };
        let subject = Subject {
            target: self.name(),
            part: part.to_owned(),
            board: self.place.board().header.id.clone(),
            workload: "kv",
            operation: Operation::Read.name(),
            axes: Axes::new(),
            timing: self.timing,
            age: self.age,
            basis: Basis::Simulated,
        };
        let subject = subject.at("table", variant.table.name());
        match variant.directory {
            Some(directory) => subject.at("directory", directory.name()),
            None => subject,
        }
    }

    /// Says so where it has fewer bytes than a table was to get.
    pub(super) fn warn_if_short(&self, capacity: u64, document: &mut ResultSet) {
        if let Some(device) = &self.device
            && device.len() < capacity
        {
            let (has, asked) = (device.len(), capacity);
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
                 MRAM, FRAM, EEPROM, and {RAM}@BOARD",
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
