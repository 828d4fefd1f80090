//! The sheet of a serial NOR flash, and its checks.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Current, Cycles, Time, Voltage};
use wordline_core::{Figure, Sourced};

use crate::ageing::AgeingSheet;
use crate::bus::Action;
use crate::bus::parallel::Interface;
use crate::bus::serial::Opcode;
use crate::chip::nvram::ActiveCurrent;
use crate::problem::Problems;

/// The sheet of a serial NOR flash.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "nor")]
pub struct NorSheet {
    /// Capacity.
    pub capacity: Figure<ByteCount>,
    /// Page: what one program can reach.
    pub page_bytes: Figure<ByteCount>,
    /// Granule of an internal error correction: it is programmed whole, and once between two erases.
    /// Left out where bits can be cleared one by one.
    pub program_granule: Option<Figure<ByteCount>>,
    /// Erases that each sector stands.
    pub endurance: Figure<Cycles>,
    /// How long a program of a full page takes.
    pub page_program: Figure<Time>,
    /// How long a program of one byte takes. Left out, every program takes as long as a full page.
    pub byte_program_first: Option<Figure<Time>>,
    /// How much longer a program takes with each further byte, up to that of a full page.
    pub byte_program_next: Option<Figure<Time>>,
    /// How its oxide wears. A part without it does not age.
    pub aging: Option<AgeingSheet>,
    /// Supply range.
    pub supply: Figure<Voltage>,
    /// How long the host must wait after power on before the first command.
    pub power_up: Figure<Time>,
    /// How long the host must wait after it ended deep power-down.
    pub wake_up: Option<Figure<Time>>,
    /// How long the host must wait after a deep power-down command.
    pub sleep_entry: Option<Figure<Time>>,
    /// How long chip select must stay high after a read of array or status.
    pub deselect_after_read: Option<Figure<Time>>,
    /// How long chip select must stay high after any other command.
    pub deselect_after_write: Option<Figure<Time>>,
    /// Supply current in standby.
    pub standby: Figure<Current>,
    /// Supply current in deep power-down.
    pub deep_power_down: Option<Figure<Current>>,
    /// Supply current while a program is on the bus or in the array.
    pub program_current: Option<Figure<Current>>,
    /// Supply current while a sector is erased.
    pub erase_current: Option<Figure<Current>>,
    /// Supply current of reads, whatever the clock.
    pub read_current: Option<Figure<Current>>,
    /// Supply currents of reads, each at the conditions of its test.
    #[serde(default)]
    pub active: Vec<ActiveCurrent>,
    /// Suspend and resume, where the chip has them.
    pub suspend: Option<SuspendSheet>,
    /// Bytes of a bank, where the array consists of equal banks of which one can be read while another one is programmed
    /// or erased. Left out where a busy chip cannot be read.
    pub bank_bytes: Option<Figure<ByteCount>>,
    /// What can be erased at once. An entry of the whole capacity is the chip erase.
    pub erase: Vec<EraseSheet>,
    /// The commands of a serial chip.
    #[serde(default)]
    pub opcode: Vec<Opcode>,
    /// The interface of a parallel chip, with its commands.
    pub parallel: Option<Interface>,
}

/// One size of erase.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EraseSheet {
    /// Its name in the data sheet.
    pub name: String,
    /// Its opcode, which is described among the opcodes.
    pub code: u8,
    /// Bytes that it erases; the address is a multiple of it.
    pub bytes: Figure<ByteCount>,
    /// How long it takes.
    pub duration: Figure<Time>,
}

/// Suspend and resume.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuspendSheet {
    /// From the suspend command to a program that stands still.
    pub program_latency: Figure<Time>,
    /// From the suspend command to an erase that stands still.
    pub erase_latency: Figure<Time>,
    /// How long a resumed program must run before it is suspended again.
    pub program_progress: Figure<Time>,
    /// How long a resumed erase must run before it is suspended again.
    pub erase_progress: Figure<Time>,
    /// Whether other sectors can be programmed while an erase is suspended.
    pub program_during_erase: Sourced<bool>,
}

/// The smallest and the largest page that the model keeps account of.
const PAGE_BYTES: std::ops::RangeInclusive<u64> = 16..=4096;

/// The largest capacity that a model holds in host memory.
const CAPACITY_MAX: u64 = 1 << 40;

impl NorSheet {
    /// What a board must be able to do with a serial chip.
    pub(super) const REQUIRED: [Action; 5] = [
        Action::Read,
        Action::Write,
        Action::WriteEnable,
        Action::Status,
        Action::Erase,
    ];

    /// The commands of suspend and resume, where the chip has them.
    pub(super) fn suspending(&self) -> impl Iterator<Item = Action> {
        let actions = [Action::Suspend, Action::Resume];
        actions.into_iter().filter(|_| self.suspend.is_some())
    }

    pub(super) fn check_geometry(&self, problems: &mut Problems) {
        problems.positive("capacity", &self.capacity);
        let (capacity, page) = (self.capacity.nominal(), self.page_bytes.nominal().bytes());
        if capacity.bytes() > CAPACITY_MAX {
            let most = ByteCount::from_bytes(CAPACITY_MAX);
            problems.add("capacity", format!("{capacity} exceeds {most}"));
        }
        if !page.is_power_of_two() || !PAGE_BYTES.contains(&page) {
            problems.add("page_bytes", "allowed: a power of two from 16 B to 4 KiB");
        } else if !capacity.bytes().is_multiple_of(page) {
            let message = format!("the capacity {capacity} is no multiple of it");
            problems.add("page_bytes", message);
        } else if capacity.bytes() / page > u64::from(u32::MAX) {
            let message = format!("{capacity} has more than {} such pages", u32::MAX);
            problems.add("page_bytes", message);
        }
        if let Some(granule) = &self.program_granule {
            let bytes = granule.nominal().bytes();
            if !bytes.is_power_of_two() || bytes > page {
                let message = "allowed: a power of two, at most a page";
                problems.add("program_granule", message);
            }
        }
    }

    pub(super) fn check_erases(&self, problems: &mut Problems) {
        let message = "name at least one size of erase";
        problems.not_empty("erase", &self.erase, message);
        let capacity = self.capacity.nominal();
        let page = self.page_bytes.nominal();
        for (index, erase) in self.erase.iter().enumerate() {
            let path = format!("erase.{index}");
            problems.positive(&format!("{path}.duration"), &erase.duration);
            let bytes = erase.bytes.nominal();
            let whole = |of: ByteCount, part: ByteCount| {
                part.bytes() > 0 && of.bytes().is_multiple_of(part.bytes())
            };
            if !whole(bytes, page) || !whole(capacity, bytes) {
                let message = format!(
                    "allowed: a multiple of the page ({page}) that divides the capacity \
                     ({capacity})"
                );
                problems.add(&format!("{path}.bytes"), message);
            }
            for earlier in &self.erase[..index] {
                let other = earlier.bytes.nominal();
                if other == bytes {
                    problems.add(&format!("{path}.bytes"), format!("{bytes} comes twice"));
                } else if !whole(other.max(bytes), other.min(bytes)) {
                    let message =
                        format!("{bytes} and {other}: one must be a multiple of the other");
                    problems.add(&format!("{path}.bytes"), message);
                }
                if earlier.name == erase.name {
                    let message = format!("{:?} comes twice", erase.name);
                    problems.add(&format!("{path}.name"), message);
                }
            }
            let serial = self.opcode.iter().any(|opcode| erase.is_done_by(opcode));
            let commands = self.parallel.iter().flat_map(|parallel| &parallel.command);
            let parallel = commands
                .filter(|command| command.action == Action::Erase)
                .any(|command| command.code == erase.code);
            if !serial && !parallel {
                let message = format!("there is no opcode {:#04x} with action erase", erase.code);
                problems.add(&format!("{path}.code"), message);
            }
        }
    }

    pub(super) fn check_times(&self, problems: &mut Problems) {
        problems.positive("endurance", &self.endurance);
        problems.positive("page_program", &self.page_program);
        match (&self.byte_program_first, &self.byte_program_next) {
            (Some(first), Some(next)) => {
                problems.positive("byte_program_first", first);
                problems.ordered("byte_program_next", next);
                if first.nominal() > self.page_program.nominal() {
                    let message = "one byte cannot take longer than a page";
                    problems.add("byte_program_first", message);
                }
            }
            (None, None) => {}
            (first, _) => {
                let path =
                    ["byte_program_next", "byte_program_first"][usize::from(first.is_some())];
                let message = "byte_program_first and byte_program_next belong together";
                problems.add(path, message);
            }
        }
        problems.ordered("power_up", &self.power_up);
        for (path, figure) in [
            ("wake_up", &self.wake_up),
            ("sleep_entry", &self.sleep_entry),
            ("deselect_after_read", &self.deselect_after_read),
            ("deselect_after_write", &self.deselect_after_write),
        ] {
            figure
                .iter()
                .for_each(|figure| problems.ordered(path, figure));
        }
        if let Some(suspend) = &self.suspend {
            for (path, figure) in [
                ("suspend.program_latency", &suspend.program_latency),
                ("suspend.erase_latency", &suspend.erase_latency),
                ("suspend.program_progress", &suspend.program_progress),
                ("suspend.erase_progress", &suspend.erase_progress),
            ] {
                problems.ordered(path, figure);
            }
        }
    }

    /// Banks are whole blocks of the largest erase that is not the chip's: one erase keeps one bank busy.
    pub(super) fn check_banks(&self, problems: &mut Problems) {
        let Some(bank) = &self.bank_bytes else {
            return;
        };
        let (capacity, bank) = (self.capacity.nominal().bytes(), bank.nominal().bytes());
        let erases = self.erase.iter().map(|erase| erase.bytes.nominal().bytes());
        let largest = erases.filter(|bytes| *bytes < capacity).max().unwrap_or(1);
        let fits = bank > 0
            && bank < capacity
            && capacity.is_multiple_of(bank)
            && bank.is_multiple_of(largest.max(1));
        if !fits {
            let message = "allowed: whole erase blocks, two or more of which make up the capacity";
            problems.add("bank_bytes", message);
        }
    }

    pub(super) fn check_currents(&self, problems: &mut Problems) {
        problems.positive("supply", &self.supply);
        problems.ordered("standby", &self.standby);
        for (path, current) in [
            ("deep_power_down", &self.deep_power_down),
            ("read_current", &self.read_current),
            ("program_current", &self.program_current),
            ("erase_current", &self.erase_current),
        ] {
            if let Some(current) = current {
                problems.positive(path, current);
            }
        }
        for (index, active) in self.active.iter().enumerate() {
            let path = format!("active.{index}");
            problems.positive(&format!("{path}.current"), &active.current);
            if active.action != Action::Read {
                let message = "allowed: read; a program draws program_current";
                problems.add(&format!("{path}.action"), message);
            }
            if active.clock.hz() == 0 {
                problems.add(&format!("{path}.clock"), "the clock must be above zero");
            }
        }
    }

    pub(super) fn check_opcodes(&self, problems: &mut Problems) {
        let capacity = self.capacity.nominal();
        let page = self.page_bytes.nominal().bytes();
        for (index, opcode) in self.opcode.iter().enumerate() {
            let path = format!("opcode.{index}");
            problems.limit(&format!("{path}.clock"), &opcode.clock);
            let granule = u64::from(opcode.granule);
            if !matches!(granule, 1 | 2 | 4 | 8) || !page.is_multiple_of(granule) {
                problems.add(&format!("{path}.granule"), "allowed: 1, 2, 4 or 8 bytes");
            }
            let erase = self.erase.iter().find(|erase| erase.is_done_by(opcode));
            let (allowed, message) = match opcode.action {
                Action::Read | Action::Write => (1..=8, "allowed: 1 to 8 for read and write"),
                Action::Status => (0..=8, "allowed: 0 to 8 for status"),
                Action::Erase if erase.is_none_or(|erase| erase.bytes.nominal() == capacity) => {
                    (0..=8, "allowed: 0 to 8 for a chip erase")
                }
                Action::Erase => (1..=8, "allowed: 1 to 8 for an erase"),
                _ => (0..=0, "allowed: 0 for this action"),
            };
            let bytes = opcode.address_bytes;
            let reaches = bytes >= 8 || u128::from(capacity.bytes()) <= 1 << (8 * bytes);
            if !allowed.contains(&bytes) {
                problems.add(&format!("{path}.address_bytes"), message);
            } else if bytes > 0 && opcode.action != Action::Status && !reaches {
                let message = format!("{bytes} bytes do not reach {capacity}");
                problems.add(&format!("{path}.address_bytes"), message);
            }
            if opcode.action == Action::Erase && erase.is_none() {
                let message = format!("no entry of erase has the code {:#04x}", opcode.code);
                problems.add(&format!("{path}.code"), message);
            }
        }
        for action in Self::REQUIRED.into_iter().chain(self.suspending()) {
            if !self.opcode.iter().any(|opcode| opcode.action == action) {
                problems.add("opcode", format!("there is no opcode with action {action}"));
            }
        }
    }
}

impl EraseSheet {
    /// How a figure of this entry is named.
    pub(super) fn label(&self, key: &str) -> String {
        format!("erase[{}].{key}", self.name)
    }

    fn is_done_by(&self, opcode: &Opcode) -> bool {
        opcode.action == Action::Erase && opcode.code == self.code
    }
}
