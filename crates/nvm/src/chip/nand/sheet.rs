//! The sheet of a NAND flash, and what contradicts itself in one.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use wordline_core::quantity::{ByteCount, Current, Cycles, Time, Voltage};
use wordline_core::{Figure, Sourced};
use wordline_memory::Geometry;

use crate::ageing::AgeingSheet;
use crate::bus::Action;
use crate::bus::parallel::Interface;
use crate::bus::serial::Opcode;
use crate::pairing::Pairing;
use crate::problem::Problems;

/// The sheet of a NAND flash, on a serial or a parallel bus.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "nand")]
pub struct NandSheet {
    /// Main area of a page.
    pub page_bytes: Figure<ByteCount>,
    /// Spare area of a page.
    pub spare_bytes: Figure<ByteCount>,
    /// The byte of the spare area of page 0 of a block that is its bad-block mark. Left out where it
    /// is the first.
    pub bad_block_mark: Option<Sourced<u32>>,
    /// Pages in a block.
    pub pages_per_block: Sourced<u32>,
    /// Blocks in the chip, bad ones included.
    pub blocks: Sourced<u32>,
    /// Planes: halves or quarters of the array that can work at the same time. A block lies in plane
    /// `block mod planes`.
    pub planes: Sourced<u32>,
    /// From a page-read command until the page is in the register, ECC on (tRD).
    pub page_read: Figure<Time>,
    /// The same with the ECC off.
    pub page_read_without_ecc: Option<Figure<Time>>,
    /// From an execute command until the page is programmed, ECC on (tPROG).
    pub page_program: Figure<Time>,
    /// The same with the ECC off.
    pub page_program_without_ecc: Option<Figure<Time>>,
    /// From an erase command until the block is erased (tBERS).
    pub block_erase: Figure<Time>,
    /// How long a page takes from the data register, into which the array is read, to the cache
    /// register, which the host reads (tRCBSY). Parts without it have no cache read.
    pub cache_busy: Option<Figure<Time>>,
    /// Whether a cache read can go on with the next page of the block alone. Left out where it can go
    /// on with any page.
    pub cache_read_sequential: Option<Sourced<bool>>,
    /// How long a page takes from the register that the host loads to the one that is programmed
    /// (tCBSY while the array is idle; the wait for the page before comes on top). Parts without it
    /// have no cache program.
    pub cache_program_busy: Option<Figure<Time>>,
    /// How long the chip is busy when it keeps a page or block of one plane for later (tDBSY). Parts
    /// without it work on one plane at a time.
    pub plane_busy: Option<Figure<Time>>,
    /// Whether a page that was read into the register can be programmed to another page of its plane, with some bytes
    /// loaded anew. Left out where the sheet does not state it.
    pub internal_move: Option<Sourced<bool>>,
    /// Programs that a page takes between two erases (NOP). With the ECC on, each ECC sector takes
    /// one of them.
    pub programs_per_page: Sourced<u32>,
    /// Whether the pages of a block must be programmed in rising order. Pages may be left out.
    pub in_order: Sourced<bool>,
    /// The error correction on the die. Left out where there is none.
    pub ecc: Option<EccSheet>,
    /// Which pages of a block share multi-level cells. Left out for single-level cells.
    pub pairing: Option<Sourced<Pairing>>,
    /// Wrong bits in 512 bytes that the host must be able to correct, where the die does not.
    pub host_ecc_bits: Option<Sourced<u32>>,
    /// Blocks that may be bad when the chip leaves the factory.
    pub bad_blocks_max: Sourced<u32>,
    /// Blocks at the start of the chip that are good when it leaves the factory.
    pub good_blocks_first: Sourced<u32>,
    /// Program and erase cycles that each block stands.
    pub endurance: Figure<Cycles>,
    /// How its oxide wears. A part without it does not age.
    pub aging: Option<AgeingSheet>,
    /// Supply range.
    pub supply: Figure<Voltage>,
    /// How long the host must wait after power on before the first command.
    pub wake_up: Figure<Time>,
    /// How long chip select must stay high between transactions.
    pub deselect: Option<Figure<Time>>,
    /// How long a reset takes. The model never resets: the figure is for readers of the sheet.
    pub reset: Option<Figure<Time>>,
    /// Supply current in standby.
    pub standby: Option<Figure<Current>>,
    /// Supply current while a page is read from the array or moved to the host.
    pub read_current: Option<Figure<Current>>,
    /// Supply current while a page is moved to the chip or programmed.
    pub program_current: Option<Figure<Current>>,
    /// Supply current while a block is erased.
    pub erase_current: Option<Figure<Current>>,
    /// The commands of a serial chip.
    #[serde(default)]
    pub opcode: Vec<Opcode>,
    /// The interface of a parallel chip, with its commands.
    pub parallel: Option<Interface>,
}

/// The error correction on the die.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "ecc")]
pub struct EccSheet {
    /// Bytes of the main area in one codeword.
    pub sector_bytes: Figure<ByteCount>,
    /// Wrong bits that it corrects in one codeword.
    pub bits: Sourced<u32>,
    /// Corrected bits from which the chip advises to move the data.
    pub refresh_from: Sourced<u32>,
    /// The ranges in which the status reports the number of corrected bits, from 1 to `bits` without a
    /// gap. Left out where it reports the number itself.
    pub reported: Option<Sourced<Vec<BitRange>>>,
    /// The bytes of the spare area that belong to the codeword of each sector, in the order of the
    /// sectors, counted from the start of the spare area. Left out where the ECC covers none.
    pub protected: Option<Sourced<Vec<SpareRange>>>,
    /// The bytes of the spare area in which the chip keeps the check bits of each sector.
    pub parity: Sourced<Vec<SpareRange>>,
}

/// A range of bytes in a spare area, counted from its start. In a sheet: `"32..40"`, the end not
/// included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpareRange {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl SpareRange {
    fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// As columns of a page.
    pub(super) const fn columns(self, page_bytes: u32) -> Range<u32> {
        page_bytes + self.start..page_bytes + self.end
    }
}

impl fmt::Display for SpareRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl FromStr for SpareRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (start, end) = text.split_once("..").unwrap_or((text, ""));
        match (start.parse(), end.parse()) {
            (Ok(start), Ok(end)) if start < end => Ok(Self { start, end }),
            _ => Err(format!(
                "{text:?} is no range of bytes; write its first byte and the byte after its last, \
                 such as \"32..40\""
            )),
        }
    }
}

impl<'de> Deserialize<'de> for SpareRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A range of numbers of bits, both ends included. In a sheet: `"4-6"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitRange {
    /// The lowest number.
    pub from: u32,
    /// The highest number.
    pub to: u32,
}

impl fmt::Display for BitRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl FromStr for BitRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) if from <= to => Ok(Self { from, to }),
            _ => Err(format!(
                "{text:?} is no range of bits; write its lowest and highest number, such as \"4-6\""
            )),
        }
    }
}

impl<'de> Deserialize<'de> for BitRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// The most codewords of a page.
pub(super) const SECTORS_MAX: u64 = 64;

/// The most planes of a chip.
const PLANES_MAX: u32 = 16;

/// The largest main or spare area of a page.
const PAGE_BYTES_MAX: u64 = 64 << 10;

/// The largest capacity that a model holds in host memory.
const CAPACITY_MAX: u64 = 1 << 40;

impl NandSheet {
    /// What a board must be able to do with a serial chip.
    pub(super) const REQUIRED: [Action; 7] = [
        Action::PageRead,
        Action::Read,
        Action::Write,
        Action::Execute,
        Action::Erase,
        Action::Status,
        Action::WriteEnable,
    ];

    /// What a cache read takes besides.
    pub(super) const CACHE: [Action; 2] = [Action::PageReadCache, Action::PageReadLast];

    /// What work on several planes takes besides.
    pub(super) const PLANES: [Action; 3] = [
        Action::PageReadPlane,
        Action::ExecutePlane,
        Action::ErasePlane,
    ];

    /// Sizes and programming rules, with the ECC on where there is one. It covers a sector whole, so
    /// that a sector takes one program. Which bytes of the spare area belong to a sector the geometry
    /// cannot say.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        let bytes = |figure: &Figure<ByteCount>| saturate(figure.nominal().bytes());
        Geometry {
            page_bytes: bytes(&self.page_bytes),
            spare_bytes: bytes(&self.spare_bytes),
            pages_per_block: *self.pages_per_block.value(),
            blocks: *self.blocks.value(),
            program_bytes: 1,
            programs_per_page: Some(*self.programs_per_page.value()),
            once_bytes: self.ecc.as_ref().map(|ecc| bytes(&ecc.sector_bytes)),
            in_order: *self.in_order.value(),
        }
    }

    pub(super) fn check_sizes(&self, problems: &mut Problems) {
        for (path, figure) in [
            ("page_bytes", &self.page_bytes),
            ("spare_bytes", &self.spare_bytes),
        ] {
            problems.positive(path, figure);
            if figure.nominal().bytes() > PAGE_BYTES_MAX {
                let most = ByteCount::from_bytes(PAGE_BYTES_MAX);
                problems.add(path, format!("{} exceeds {most}", figure.nominal()));
            }
        }
        for (path, count) in [
            ("pages_per_block", &self.pages_per_block),
            ("blocks", &self.blocks),
            ("planes", &self.planes),
            ("programs_per_page", &self.programs_per_page),
        ] {
            if *count.value() == 0 {
                problems.add(path, "the count must be above zero");
            }
        }
        let geometry = self.geometry();
        if self.mark() >= geometry.spare_bytes {
            problems.add("bad_block_mark", "it leaves the spare area");
        }
        if geometry.pages() > u64::from(u32::MAX) {
            problems.add("blocks", "pages are counted in 32 bits: there are too many");
        } else if geometry.capacity_bytes() > CAPACITY_MAX {
            let most = ByteCount::from_bytes(CAPACITY_MAX);
            problems.add("blocks", format!("the capacity exceeds {most}"));
        }
    }

    /// Whether the sheet states moves within the chip.
    pub(super) fn moves_pages(&self) -> bool {
        let stated = self.internal_move.as_ref();
        stated.is_some_and(|stated| *stated.value())
    }

    /// The byte of the spare area that is the bad-block mark.
    pub(super) fn mark(&self) -> u32 {
        self.bad_block_mark.as_ref().map_or(0, |mark| *mark.value())
    }

    /// Codewords of a page.
    fn sectors(&self, ecc: &EccSheet) -> u64 {
        let sector = ecc.sector_bytes.nominal().bytes().max(1);
        self.page_bytes.nominal().bytes() / sector
    }

    pub(super) fn check_ecc(&self, ecc: &EccSheet, problems: &mut Problems) {
        let page = self.page_bytes.nominal().bytes();
        problems.positive("ecc.sector_bytes", &ecc.sector_bytes);
        let sector = ecc.sector_bytes.nominal().bytes();
        if sector == 0 || !page.is_multiple_of(sector) || page / sector > SECTORS_MAX {
            problems.add(
                "ecc.sector_bytes",
                format!("a page must hold 1 to {SECTORS_MAX} whole sectors"),
            );
        }
        let bits = *ecc.bits.value();
        if !(1..=u32::from(u8::MAX)).contains(&bits) {
            problems.add("ecc.bits", "allowed: 1 to 255");
        }
        if !(1..=bits).contains(ecc.refresh_from.value()) {
            problems.add("ecc.refresh_from", format!("allowed: 1 to {bits}"));
        }
        if let Some(reported) = &ecc.reported {
            let ranges = reported.value();
            let reach = ranges.iter().try_fold(0, |end, range| {
                (range.from.checked_sub(1) == Some(end)).then_some(range.to)
            });
            if reach != Some(bits) {
                problems.add(
                    "ecc.reported",
                    format!("the ranges must lead from 1 to {bits} without a gap"),
                );
            }
            let refresh = *ecc.refresh_from.value();
            if !ranges.iter().any(|range| range.from == refresh) {
                problems.add(
                    "ecc.refresh_from",
                    "the status does not tell it: no reported range begins there",
                );
            }
        }
        self.check_spare(ecc, problems);
    }

    /// The ranges of the spare area must lie in it, apart from each other and from the mark.
    fn check_spare(&self, ecc: &EccSheet, problems: &mut Problems) {
        let sectors = self.sectors(ecc);
        let spare = saturate(self.spare_bytes.nominal().bytes());
        let mark = self.mark();
        let mut taken = vec![SpareRange {
            start: mark,
            end: mark.saturating_add(1),
        }];
        let protected = ecc.protected.as_ref();
        let lists = [
            ("ecc.protected", protected),
            ("ecc.parity", Some(&ecc.parity)),
        ];
        for (path, list) in lists {
            let Some(list) = list else { continue };
            if list.value().len() as u64 != sectors {
                let found = list.value().len();
                problems.add(
                    path,
                    format!("{found} ranges for {sectors} sectors: there must be one for each"),
                );
            }
            for &range in list.value() {
                if range.end > spare {
                    problems.add(path, format!("{range} leaves the spare area"));
                }
                if taken.iter().any(|other| other.overlaps(range)) {
                    problems.add(
                        path,
                        format!("{range} overlaps the bad-block mark or another range"),
                    );
                }
                taken.push(range);
            }
        }
    }

    pub(super) fn check_bad_blocks(&self, problems: &mut Problems) {
        let (bad, good) = (
            *self.bad_blocks_max.value(),
            *self.good_blocks_first.value(),
        );
        let blocks = *self.blocks.value();
        if bad >= blocks && blocks > 0 {
            problems.add("bad_blocks_max", "no block would be left for certain");
        } else if u64::from(bad) + u64::from(good) > u64::from(blocks) {
            problems.add(
                "bad_blocks_max",
                format!("{bad} bad blocks and {good} good ones exceed {blocks}"),
            );
        }
    }

    pub(super) fn check_opcodes(&self, problems: &mut Problems) {
        let geometry = self.geometry();
        for (index, opcode) in self.opcode.iter().enumerate() {
            let path = format!("opcode.{index}");
            problems.limit(&format!("{path}.clock"), &opcode.clock);
            if opcode.granule != 1 {
                problems.add(&format!("{path}.granule"), "allowed: 1");
            }
            let places = match opcode.action {
                Action::Read | Action::Write | Action::WriteMore => geometry.columns(),
                Action::PageRead | Action::PageReadCache | Action::Execute | Action::Erase => {
                    geometry.pages()
                }
                // The address of a status is that of its register.
                Action::Status => 2,
                _ => 0,
            };
            let bytes = opcode.address_bytes;
            let path = format!("{path}.address_bytes");
            if places == 0 && bytes != 0 {
                problems.add(&path, format!("allowed for {}: 0", opcode.action));
            } else if places > 0 && (bytes == 0 || bytes > 8) {
                problems.add(&path, format!("allowed for {}: 1 to 8", opcode.action));
            } else if places > 0 && u128::from(places) > 1 << (8 * bytes) {
                problems.add(&path, format!("{bytes} bytes do not reach {places} places"));
            }
        }
        let lacks = |action: &Action| !self.opcode.iter().any(|opcode| opcode.action == *action);
        for action in Self::REQUIRED.iter().filter(|action| lacks(action)) {
            problems.add("opcode", format!("there is no opcode with action {action}"));
        }
    }

    /// Whether some command of the sheet does an action.
    fn does(&self, action: Action) -> bool {
        let commands = self.parallel.iter().flat_map(|parallel| &parallel.command);
        let mut actions = commands
            .map(|command| command.action)
            .chain(self.opcode.iter().map(|opcode| opcode.action));
        actions.any(|one| one == action)
    }

    /// A way of working has both its busy time and its commands, or neither.
    pub(super) fn check_pipelines(&self, problems: &mut Problems) {
        let protected = self.ecc.as_ref().is_some_and(|ecc| ecc.protected.is_some());
        if self.moves_pages() && !protected {
            let message = "state ecc.protected: what is moved without the host must be corrected";
            problems.add("internal_move", message);
        }
        let pipelines: [(&str, bool, &[Action]); 4] = [
            ("cache_busy", self.cache_busy.is_some(), &Self::CACHE),
            (
                "cache_program_busy",
                self.cache_program_busy.is_some(),
                &[Action::ExecuteCache],
            ),
            ("plane_busy", self.plane_busy.is_some(), &Self::PLANES),
            ("internal_move", self.moves_pages(), &[Action::WriteMore]),
        ];
        let path = if self.parallel.is_some() {
            "parallel.command"
        } else {
            "opcode"
        };
        for (figure, stated, actions) in pipelines {
            let done = actions.iter().filter(|action| self.does(**action)).count();
            if done != if stated { actions.len() } else { 0 } {
                let names: Vec<_> = actions.iter().map(|action| action.name()).collect();
                let message = format!("state {figure} and {}, or none of them", names.join(", "));
                problems.add(path, message);
            }
        }
        if self.plane_busy.is_some() && *self.planes.value() < 2 {
            problems.add("plane_busy", "a chip with one plane has none");
        }
        let pages = *self.pages_per_block.value();
        if let Some(pairing) = &self.pairing
            && pairing.value().upper_of(0, pages).is_none()
        {
            let message = format!("no such pairs in blocks of {pages} pages");
            problems.add("pairing", message);
        }
        let (blocks, planes) = (*self.blocks.value(), *self.planes.value());
        if planes > PLANES_MAX {
            problems.add("planes", format!("allowed: 1 to {PLANES_MAX}"));
        } else if planes > 0 && !blocks.is_multiple_of(planes) {
            problems.add("planes", format!("{blocks} blocks are no multiple of it"));
        }
    }
}

fn saturate(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
