//! The sheet of a memory that is written byte by byte, and its checks.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Time, Voltage};
use wordline_core::{Figure, Sourced};

use crate::bus::parallel::Interface;
use crate::bus::serial::{Opcode, TransferRate};
use crate::bus::{Action, BusCommand};
use crate::chip::cells::PAGE_BYTES;
use crate::problem::Problems;

/// The sheet of a memory that is written byte by byte without an erase: MRAM, FRAM, EEPROM, ReRAM, SRAM or PSRAM, on a
/// serial or a parallel bus.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "nvram")]
pub struct NvramSheet {
    /// Capacity.
    pub capacity: Figure<ByteCount>,
    /// Unit whose writes the endurance counts.
    pub wear_unit: Figure<ByteCount>,
    /// Writes that each unit stands.
    pub endurance: Option<Figure<Cycles>>,
    /// Stated instead where the sheet promises no limit.
    pub endurance_unlimited: Option<Sourced<bool>>,
    /// Whether a read takes an endurance cycle as a write does, because it writes back what it
    /// destroyed. Left out where it does not.
    pub reads_wear: Option<Sourced<bool>>,
    /// Whether it forgets when the supply goes: SRAM and PSRAM. Left out where it keeps.
    pub volatile: Option<Sourced<bool>>,
    /// Unit that the internal error correction reads and writes whole; the bus word or a byte where
    /// there is none. A power cut leaves whole units old or new; a torn unit is lost with its
    /// neighbours inside the unit.
    pub ecc_unit: Figure<ByteCount>,
    /// What one write can reach. Left out where a write can reach the whole array.
    pub page_bytes: Option<Figure<ByteCount>>,
    /// How long the chip is busy after a write. Left out where the array keeps up with the bus.
    pub write_cycle: Option<Figure<Time>>,
    /// When a write needs a write-enable command.
    pub write_enable: Sourced<WriteEnable>,
    /// Supply range.
    pub supply: Figure<Voltage>,
    /// How long the host must wait after power on, or out of deep power-down, before the first
    /// command.
    pub wake_up: Figure<Time>,
    /// How long the host must wait after a deep power-down command.
    pub sleep_entry: Option<Figure<Time>>,
    /// How long chip select must stay high after a read.
    pub deselect_after_read: Option<Figure<Time>>,
    /// How long chip select must stay high after any other command.
    pub deselect_after_write: Option<Figure<Time>>,
    /// How long chip select must stay high in octal protocols, after any command.
    pub deselect_octal: Option<Figure<Time>>,
    /// Supply current in standby.
    pub standby: Option<Figure<Current>>,
    /// Supply current in deep power-down.
    pub deep_power_down: Option<Figure<Current>>,
    /// Supply current of reads, whatever the clock.
    pub read_current: Option<Figure<Current>>,
    /// Supply current of writes, whatever the clock, and while the chip is busy with one.
    pub write_current: Option<Figure<Current>>,
    /// Supply currents while data move, each at the conditions of its test.
    #[serde(default)]
    pub active: Vec<ActiveCurrent>,
    /// The commands of a serial chip.
    #[serde(default)]
    pub opcode: Vec<Opcode>,
    /// The interface of a parallel chip.
    pub parallel: Option<Interface>,
}

/// When a write needs a write-enable command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteEnable {
    /// Never: there is none.
    None,
    /// Before the first write after power-up; it stays in force.
    Once,
    /// Before each write, which uses it up.
    Each,
}

/// A supply current while data move, with the conditions at which the sheet states it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActiveCurrent {
    /// What the chip does.
    pub action: Action,
    /// Transfer rate of the data during the test.
    pub rate: TransferRate,
    /// Bus clock during the test.
    pub clock: Frequency,
    /// The current.
    pub current: Figure<Current>,
}

impl ActiveCurrent {
    /// How the figure is named: by its test conditions.
    #[must_use]
    pub fn label(&self) -> String {
        format!(
            "active[{} {} {}].current",
            self.action, self.rate, self.clock
        )
    }

    /// The current for a command: of the test conditions with the same action and rate, the lowest
    /// clock that is not below the command's, else the highest clock. It is used as stated, not
    /// scaled, so that a slower bus is never flattered; a faster one is, and the device notes it.
    pub(crate) fn for_command<'a>(list: &'a [Self], command: &BusCommand) -> Option<&'a Self> {
        let fitting = || {
            list.iter().filter(|active| {
                active.action == command.action() && Some(active.rate) == command.rate()
            })
        };
        fitting()
            .filter(|active| active.clock >= command.clock())
            .min_by_key(|active| active.clock)
            .or_else(|| fitting().max_by_key(|active| active.clock))
    }
}

impl NvramSheet {
    /// What a board must be able to do with the chip.
    pub(super) fn required(&self) -> Vec<Action> {
        let mut actions = vec![Action::Read, Action::Write];
        if *self.write_enable.value() != WriteEnable::None {
            actions.push(Action::WriteEnable);
        }
        if self.write_cycle.is_some() {
            actions.push(Action::Status);
        }
        actions
    }

    pub(super) fn check_endurance(&self, problems: &mut Problems) {
        match (&self.endurance, &self.endurance_unlimited) {
            (Some(endurance), None) => problems.positive("endurance", endurance),
            (None, Some(unlimited)) if *unlimited.value() => {}
            (None, Some(_)) => problems.add("endurance_unlimited", "allowed: true"),
            (Some(_), Some(_)) => {
                let message = "state either endurance or endurance_unlimited";
                problems.add("endurance_unlimited", message);
            }
            (None, None) => {
                problems.add("capacity", "state either endurance or endurance_unlimited");
            }
        }
    }

    pub(super) fn check_page(&self, problems: &mut Problems) {
        if let Some(page) = &self.page_bytes {
            let bytes = page.nominal().bytes();
            if !bytes.is_power_of_two() || bytes > PAGE_BYTES as u64 {
                let message = format!("allowed: a power of two from 1 B to {PAGE_BYTES} B");
                problems.add("page_bytes", message);
            }
        }
        if let Some(cycle) = &self.write_cycle {
            problems.positive("write_cycle", cycle);
        }
    }

    pub(super) fn check_currents(&self, problems: &mut Problems) {
        for (path, current) in [
            ("standby", &self.standby),
            ("deep_power_down", &self.deep_power_down),
            ("read_current", &self.read_current),
            ("write_current", &self.write_current),
        ] {
            current
                .iter()
                .for_each(|current| problems.ordered(path, current));
        }
        for (index, active) in self.active.iter().enumerate() {
            let path = format!("active.{index}");
            problems.positive(&format!("{path}.current"), &active.current);
            if !active.action.moves_data() {
                problems.add(&format!("{path}.action"), "allowed: read, write");
            }
            if active.clock.hz() == 0 {
                problems.add(&format!("{path}.clock"), "the clock must be above zero");
            }
        }
    }

    pub(super) fn check_opcodes(&self, problems: &mut Problems) {
        let capacity = self.capacity.nominal().bytes();
        for (index, opcode) in self.opcode.iter().enumerate() {
            let path = format!("opcode.{index}");
            problems.limit(&format!("{path}.clock"), &opcode.clock);
            if !matches!(opcode.granule, 1 | 2 | 4 | 8) {
                problems.add(&format!("{path}.granule"), "allowed: 1, 2, 4 or 8 bytes");
            } else if !capacity.is_multiple_of(u64::from(opcode.granule)) {
                problems.add(
                    &format!("{path}.granule"),
                    format!(
                        "the capacity {} is no multiple of it",
                        self.capacity.nominal()
                    ),
                );
            }
            let bytes = opcode.address_bytes;
            let allowed = if opcode.action.moves_data() {
                1..=8
            } else {
                0..=0
            };
            if !allowed.contains(&bytes) {
                problems.add(
                    &format!("{path}.address_bytes"),
                    "allowed: 1 to 8 for read and write, 0 for other actions",
                );
            } else if bytes > 0 && u128::from(capacity) > 1 << (8 * bytes) {
                problems.add(
                    &format!("{path}.address_bytes"),
                    format!("{bytes} bytes do not reach {}", self.capacity.nominal()),
                );
            }
        }
        for action in self.required() {
            if !self.opcode.iter().any(|opcode| opcode.action == action) {
                problems.add("opcode", format!("there is no opcode with action {action}"));
            }
        }
    }
}
