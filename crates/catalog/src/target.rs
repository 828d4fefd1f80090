//! Everything that a command can open: one type, one parser, one list of capabilities.
//!
//! A target is data. What a capability needs to be opened stands beside the contract that it returns:
//! [`PartOnBoard::connect`] and [`PartOnBoard::memory`] for simulated chips and cards,
//! [`ModuleInSystem::connect`] for memory modules, and the laboratory's opener for memories of this host, which the
//! catalogue does not depend on.

use std::fmt;

use wordline_nvm::MemoryClass;

use crate::error::CatalogError;
use crate::nearest::{first_of, quoted, unknown};
use crate::{Board, Catalog, ModuleInSystem, PartOnBoard};
use wordline_core::nearest;

/// Begins a file of this host.
const FILE: &str = "file:";
/// Begins raw flash of this host.
const MTD: &str = "mtd:";
/// Begins two chips in turn.
const IN_TURN: &str = "2*";
/// The part that stands for RAM.
const RAM: &str = "ram";
/// The board that stands for this host.
const HOST: &str = "host";
/// The board whose RAM is meant where none is named: one with DRAM.
const RAM_BOARD: &str = "rpi3-sd";

/// What a command can open.
#[derive(Clone, Debug)]
pub enum Target<'a> {
    /// A chip or a card on a board: `PART@BOARD`, or `PART` on its default board.
    Part(PartOnBoard<'a>),
    /// Two chips of a part that work in turn: `2*PART@BOARD`.
    InTurn(PartOnBoard<'a>),
    /// A memory module in a system: `MODULE@SYSTEM`.
    Module(ModuleInSystem<'a>),
    /// RAM of a board's processor: `ram@BOARD`. The board's sheet has a table `[cpu]`.
    BoardRam(&'a Board),
    /// RAM of this host: `ram@host`.
    HostRam,
    /// A file of this host, by its path: `file:PATH`.
    File(String),
    /// Raw flash of this host, by its device: `mtd:DEVICE`.
    RawFlash(String),
}

/// What a target offers to software: a contract of `wordline-memory`, or timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Bytes that can be overwritten one by one (`ByteMemory`).
    Bytes,
    /// Pages to program and blocks to erase (`Flash`).
    Flash,
    /// Sectors behind a controller (`BlockDevice`).
    Blocks,
    /// Requests of cores for lines (DRAM).
    Requests,
    /// Simulated time: every read and write has a duration that follows from data sheets.
    Timing,
}

impl Capability {
    /// In words.
    const fn noun(self) -> &'static str {
        match self {
            Self::Bytes => "bytes that can be overwritten one by one",
            Self::Flash => "flash blocks to erase",
            Self::Blocks => "sectors",
            Self::Requests => "the requests of cores",
            Self::Timing => "reads and writes in simulated time",
        }
    }

    /// The targets that offer it.
    const fn forms(self) -> &'static str {
        match self {
            Self::Bytes => "MRAM, FRAM, EEPROM, ram@BOARD, ram@host, file:PATH",
            Self::Flash => "NOR, NAND, mtd:DEVICE",
            Self::Blocks => "cards",
            Self::Requests => "MODULE@SYSTEM",
            Self::Timing => "PART@BOARD",
        }
    }
}

impl<'a> Target<'a> {
    /// The target in full, as documents repeat it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Part(part) => part.name.clone(),
            Self::InTurn(part) => format!("{IN_TURN}{}", part.name),
            Self::Module(module) => module.name.clone(),
            Self::BoardRam(board) => format!("{RAM}@{}", board.header.id),
            Self::HostRam => format!("{RAM}@{HOST}"),
            Self::File(path) => format!("{FILE}{path}"),
            Self::RawFlash(device) => format!("{MTD}{device}"),
        }
    }

    /// What it offers.
    #[must_use]
    pub fn capabilities(&self) -> &'static [Capability] {
        use Capability::{Blocks, Bytes, Flash, Requests, Timing};
        match self {
            Self::Part(part) => match part.part.model.class() {
                MemoryClass::ByteAddressable => &[Bytes, Timing],
                MemoryClass::RawFlash => &[Flash, Timing],
                MemoryClass::ManagedFlash => &[Blocks, Timing],
            },
            // A log alone, which is written in order by a driver of its own.
            Self::InTurn(_) => &[],
            Self::Module(_) => &[Requests],
            Self::BoardRam(_) | Self::HostRam | Self::File(_) => &[Bytes],
            Self::RawFlash(_) => &[Flash],
        }
    }

    /// Whether it offers a capability.
    #[must_use]
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities().contains(&capability)
    }

    /// Whether what is timed on it is measured on this host.
    #[must_use]
    pub const fn is_of_host(&self) -> bool {
        matches!(self, Self::HostRam | Self::File(_) | Self::RawFlash(_))
    }

    /// What the column `part` of a result says: a part's or module's id, or the kind of a memory without a sheet.
    #[must_use]
    pub fn part_id(&self) -> &str {
        match self {
            Self::Part(part) | Self::InTurn(part) => &part.part.header.id,
            Self::Module(module) => &module.module.header.id,
            Self::BoardRam(_) | Self::HostRam => RAM,
            Self::File(_) => "file",
            Self::RawFlash(_) => "mtd",
        }
    }

    /// The file or device of this host that it is.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::File(path) | Self::RawFlash(path) => Some(path),
            _ => None,
        }
    }

    /// The board that it is on, if any.
    #[must_use]
    pub const fn board(&self) -> Option<&'a Board> {
        match self {
            Self::Part(part) | Self::InTurn(part) => Some(part.board),
            Self::BoardRam(board) => Some(board),
            Self::Module(_) | Self::HostRam | Self::File(_) | Self::RawFlash(_) => None,
        }
    }

    /// The chip or card on its board, which simulates accesses.
    ///
    /// # Errors
    /// When the target is something else: the message names the missing capability.
    pub fn into_part(self) -> Result<PartOnBoard<'a>, CatalogError> {
        match self {
            Self::Part(part) => Ok(part),
            other => Err(other.lacks(&[Capability::Timing])),
        }
    }

    /// The memory module in its system.
    ///
    /// # Errors
    /// When the target is something else: the message names the missing capability.
    pub fn into_module(self) -> Result<ModuleInSystem<'a>, CatalogError> {
        match self {
            Self::Module(module) => Ok(module),
            other => Err(other.lacks(&[Capability::Requests])),
        }
    }

    /// Checks that it offers one of some capabilities.
    ///
    /// # Errors
    /// With those that are missing and the targets that have them.
    pub fn require(&self, any: &[Capability]) -> Result<(), CatalogError> {
        match any.iter().any(|capability| self.has(*capability)) {
            true => Ok(()),
            false => Err(self.lacks(any)),
        }
    }

    /// The refusal of a target that offers none of some capabilities.
    #[must_use]
    pub fn lacks(&self, any: &[Capability]) -> CatalogError {
        let all = |what: fn(Capability) -> &'static str, between| {
            let all: Vec<_> = any.iter().map(|capability| what(*capability)).collect();
            all.join(between)
        };
        let (noun, command) = self.noun();
        CatalogError::Target {
            message: format!(
                "{} is {noun} and lacks {}; allowed: {} ({command} takes this one)",
                quoted(&self.name()),
                all(Capability::noun, " or "),
                all(Capability::forms, ", "),
            ),
        }
    }

    /// What it is, and a command that takes it.
    fn noun(&self) -> (&'static str, &'static str) {
        match self {
            Self::Part(_) => ("a memory on a board", "wordline raw"),
            Self::InTurn(_) => ("two chips in turn", "wordline compare"),
            Self::Module(_) => ("a memory module", "wordline dram"),
            Self::BoardRam(_) => ("RAM of a board", "wordline kv bench"),
            Self::HostRam => ("RAM of this host", "wordline kv bench"),
            Self::File(_) => ("a file of this host", "wordline kv bench"),
            Self::RawFlash(_) => ("raw flash of this host", "wordline wear"),
        }
    }
}

impl fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Catalog {
    /// What a target names. Paths keep their spaces; around other names they mean nothing.
    ///
    /// # Errors
    /// When a part, board, module or system does not exist: the message suggests the nearest. When a path is empty.
    pub fn target(&self, text: &str) -> Result<Target<'_>, CatalogError> {
        if matches!(text, FILE | MTD) {
            let message = format!("{text:?} names no path; write {FILE}PATH or {MTD}DEVICE");
            return Err(CatalogError::Target { message });
        }
        if let Some(path) = text.strip_prefix(FILE) {
            return Ok(Target::File(path.to_owned()));
        }
        if let Some(device) = text.strip_prefix(MTD) {
            return Ok(Target::RawFlash(device.to_owned()));
        }
        let text = text.trim();
        if let Some(pair) = text.strip_prefix(IN_TURN) {
            return Ok(Target::InTurn(self.part_on_board(pair)?));
        }
        match text.split_once('@') {
            Some((RAM, HOST)) => Ok(Target::HostRam),
            Some((RAM, board)) => self.board_ram(board),
            Some((id, place)) if self.is_module(id, place) => Ok(Target::Module(
                ModuleInSystem::new(self, self.module(id)?, self.system(place)?)?,
            )),
            Some((id, board)) => {
                let part = PartOnBoard::new(self.part(id)?, self.board(board)?);
                Ok(Target::Part(part))
            }
            None if text == RAM => self.board_ram(RAM_BOARD),
            None if self.modules.has(text) => Err(self.without_system(text)),
            None => self.on_default_board(text).map(Target::Part),
        }
    }

    /// The chip or card that `PART@BOARD` or `PART` names.
    ///
    /// # Errors
    /// As for [`target`](Self::target), and where the target is no part on a board.
    pub fn part_on_board(&self, text: &str) -> Result<PartOnBoard<'_>, CatalogError> {
        self.target(text)?.into_part()
    }

    /// The memory module that `MODULE@SYSTEM` names.
    ///
    /// # Errors
    /// As for [`target`](Self::target), and where the target is no memory module.
    pub fn module_in_system(&self, text: &str) -> Result<ModuleInSystem<'_>, CatalogError> {
        self.target(text)?.into_module()
    }

    /// Whether `id@place` is meant for a memory module in a system.
    fn is_module(&self, id: &str, place: &str) -> bool {
        let is_like_one = || {
            nearest(id, self.parts.ids()).is_empty() && !nearest(id, self.modules.ids()).is_empty()
        };
        self.modules.has(id)
            || !self.parts.has(id)
                && !self.boards.has(place)
                && (self.systems.has(place) || is_like_one())
    }

    fn board_ram(&self, board: &str) -> Result<Target<'_>, CatalogError> {
        let board = self.board(board)?;
        if board.board.cpu.is_some() {
            return Ok(Target::BoardRam(board));
        }
        let known = self.boards().filter(|board| board.board.cpu.is_some());
        let known: Vec<_> = known.map(|board| board.header.id.as_str()).collect();
        Err(CatalogError::Target {
            message: format!(
                "{RAM}@{}: the board's sheet has no table [cpu], which is all that RAM costs; allowed: {}",
                board.header.id,
                first_of(&known)
            ),
        })
    }

    fn on_default_board(&self, id: &str) -> Result<PartOnBoard<'_>, CatalogError> {
        let part = match self.parts.get(id) {
            Some(part) => part,
            None if nearest(id, self.parts.ids()).is_empty() => {
                let modules = nearest(id, self.modules.ids());
                let kind = if modules.is_empty() { "part" } else { "module" };
                let known = self.parts.ids().chain(self.modules.ids());
                return Err(unknown(kind, id, known));
            }
            None => return Err(unknown("part", id, self.parts.ids())),
        };
        match &part.default_board {
            Some(board) => Ok(PartOnBoard::new(part, self.board(board)?)),
            None => {
                let fits = |board: &&Board| part.model.link(&board.board).is_ok();
                let fitting = self.boards().filter(fits);
                let fitting: Vec<_> = fitting.map(|board| board.header.id.as_str()).collect();
                Err(CatalogError::Target {
                    message: format!(
                        "part {id:?} names no default board; write {id}@BOARD, with one of {}",
                        first_of(&fitting)
                    ),
                })
            }
        }
    }

    fn without_system(&self, module: &str) -> CatalogError {
        let known: Vec<_> = self.systems.ids().map(String::as_str).collect();
        CatalogError::Target {
            message: format!(
                "{module:?} names no system; write {module}@SYSTEM, with one of {}",
                known.join(", ")
            ),
        }
    }
}
