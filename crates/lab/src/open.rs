//! Opens targets: one entry for each capability of [`Target`].
//!
//! A later kind of target is a variant there and an arm here. The opener stands in the laboratory because it alone knows
//! both the catalogue and the memories of this host, which do not depend on each other.

use wordline_catalog::{Capability, Catalog, PartOnBoard, Target};
use wordline_core::{Experiment, ResultSet, Timing};
#[cfg(unix)]
use wordline_host::mtd::{KernelCalls, Mtd};
use wordline_nvm::bus::BusCommand;
use wordline_nvm::{Conditions, Device, Memory};

use crate::control::Control;
use crate::error::{LabError, TargetProblem};
use crate::instrument::MeteredMemory;
use crate::instrument::medium::{ByteBackend, MediumError, RAM_ATOM};
use crate::instrument::meter::BusTransfer;
use crate::kv::host;
use crate::machine_memory::ScratchFile;
use crate::sources;

/// The targets that names stand for, each once.
///
/// # Errors
/// When there are none, one is named twice, one does not exist, or one is of this machine where there is none.
pub(crate) fn targets<'a>(
    catalog: &'a Catalog,
    names: &[String],
) -> Result<Vec<Target<'a>>, LabError> {
    let mut targets: Vec<Target<'a>> = Vec::new();
    for name in names {
        let target = catalog.target(name)?;
        let name = target.name();
        if targets.iter().any(|other| other.name() == name) {
            return Err(LabError::Twice(name));
        }
        if cfg!(not(unix)) && target.is_of_host() {
            return Err(TargetProblem::NeedsMachine.of(&name));
        }
        targets.push(target);
    }
    match targets.is_empty() {
        true => Err(LabError::NoTarget),
        false => Ok(targets),
    }
}

/// The chips and cards on boards that targets are.
pub(crate) fn parts(targets: Vec<Target<'_>>) -> Result<Vec<PartOnBoard<'_>>, LabError> {
    let parts = targets.into_iter().map(Target::into_part);
    Ok(parts.collect::<Result<_, _>>()?)
}

/// Raw flash of this host, which is worn for real.
#[cfg(unix)]
pub(crate) fn host_flash(target: &Target<'_>) -> Result<Mtd<KernelCalls>, LabError> {
    let Target::RawFlash(device) = target else {
        return Err(target.lacks(&[Capability::Flash]).into());
    };
    Mtd::open(device.as_ref()).map_err(|source| LabError::Host {
        target: target.name(),
        source,
    })
}

/// Bytes that can be overwritten one by one: what each table of a run gets a fresh part of.
pub(crate) enum ByteSource<'a> {
    /// A simulated memory.
    Device {
        device: Box<dyn Device>,
        /// Bytes that cross its bus together.
        bus: BusTransfer,
    },
    /// RAM of a simulated processor.
    BoardRam {
        /// Bytes of a line of its cache.
        line_bytes: u64,
    },
    /// RAM of this host.
    HostRam,
    /// A file of this host.
    File {
        path: &'a str,
        /// `None` until [`open`](Self::open).
        file: Option<ScratchFile>,
    },
}

impl<'a> ByteSource<'a> {
    /// The bytes of a target in a timing class. Its sheets and the figures that were read join the document.
    pub(crate) fn of(
        target: &'a Target<'_>,
        timing: Timing,
        experiment: &Experiment,
        document: &mut ResultSet,
    ) -> Result<Self, LabError> {
        target.require(&[Capability::Bytes])?;
        match target {
            Target::Part(part) => {
                let conditions = Conditions {
                    timing,
                    age: experiment.age,
                    seed: experiment.seed,
                };
                let memory = part.memory(conditions);
                let memory = memory.map_err(|source| LabError::Device {
                    target: part.name.clone(),
                    source,
                })?;
                let Memory::Bytes(device) = memory else {
                    return Err(target.lacks(&[Capability::Bytes]).into());
                };
                sources::add(document, part, &*device, timing);
                let bus = bus_transfer(part)?;
                Ok(Self::Device { device, bus })
            }
            Target::BoardRam(board) => {
                sources::add_sheet(document, &board.header);
                let line_bytes = match &board.board.cpu {
                    Some(cpu) => cpu.ram_line.nominal().bytes(),
                    None => unreachable!("RAM is of a board that says what its processor takes"),
                };
                Ok(Self::BoardRam { line_bytes })
            }
            Target::HostRam => Ok(Self::HostRam),
            Target::File(path) => Ok(Self::File { path, file: None }),
            Target::InTurn(_) | Target::Module(_) | Target::RawFlash(_) => {
                Err(target.lacks(&[Capability::Bytes]).into())
            }
        }
    }

    /// Opens a memory of this host and describes it in the document. A file has `capacity` bytes, or is given them; it
    /// is written over from its first part on.
    pub(crate) fn open(
        &mut self,
        target: &Target<'_>,
        capacity: u64,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let file_system = match self {
            Self::Device { .. } | Self::BoardRam { .. } => return Ok(()),
            Self::HostRam => None,
            Self::File { path, file } => {
                let opened = host::open_file(path, capacity, control)?;
                let file_system = opened.file_system();
                *file = Some(opened);
                file_system
            }
        };
        host::describe(target, file_system, document);
        Ok(())
    }

    /// Bytes that cross its bus together.
    pub(crate) const fn word_bytes(&self) -> u64 {
        match self {
            Self::Device { bus, .. } => match bus {
                BusTransfer::Cycles(word) | BusTransfer::Bursts(word) => *word,
                BusTransfer::Lines(_) | BusTransfer::Bytes => 1,
            },
            Self::BoardRam { .. } | Self::HostRam | Self::File { .. } => 1,
        }
    }

    /// Bytes that a power cut leaves whole, or that a store in flight can spoil; of RAM, those of a store.
    pub(crate) fn atom(&self) -> usize {
        match self {
            Self::Device { device, .. } => device.atom(),
            Self::BoardRam { .. } | Self::HostRam => RAM_ATOM,
            Self::File { .. } => 1,
        }
    }

    /// Bytes that it has of so many.
    pub(crate) fn bytes(&self, capacity: u64) -> u64 {
        match self {
            Self::Device { device, .. } => capacity.min(device.len()),
            Self::BoardRam { .. } | Self::HostRam | Self::File { .. } => capacity,
        }
    }

    /// A fresh part of it. What a file held is lost.
    pub(crate) fn part(&self, capacity: u64) -> Result<MeteredMemory<ByteBackend>, MediumError> {
        Ok(match self {
            Self::Device { device, bus } => {
                MeteredMemory::device(device.fork_device(), capacity, *bus)
            }
            Self::BoardRam { line_bytes } => MeteredMemory::ram(capacity, *line_bytes),
            Self::HostRam => MeteredMemory::ram_of_host(capacity),
            Self::File {
                file: Some(file), ..
            } => MeteredMemory::file(file.map()?, capacity),
            Self::File { file: None, .. } => {
                unreachable!("it was opened before the first part")
            }
        })
    }

    /// Why the outcome of a power cut is not simulated; `None` where it is.
    pub(crate) const fn no_power_cuts(&self) -> Option<TargetProblem> {
        match self {
            Self::Device { .. } => None,
            Self::BoardRam { .. } | Self::HostRam => Some(TargetProblem::CutsOfRam),
            Self::File { .. } => Some(TargetProblem::CutsOfFile),
        }
    }
}

/// How bytes cross the bus of a target.
fn bus_transfer(part: &PartOnBoard<'_>) -> Result<BusTransfer, LabError> {
    let link = part.link();
    let link = link.map_err(|why| TargetProblem::Unlinked(why).of(&part.name))?;
    Ok(match link.commands().first() {
        Some(BusCommand::Parallel(command)) => BusTransfer::Cycles(command.word_bytes.max(1)),
        Some(BusCommand::Ddr(command)) => {
            BusTransfer::Bursts((command.beat_bytes * command.burst_length).max(1))
        }
        Some(BusCommand::Serial(_) | BusCommand::Card(_)) | None => BusTransfer::Bytes,
    })
}
