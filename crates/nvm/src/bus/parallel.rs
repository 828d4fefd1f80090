//! An asynchronous parallel bus, as a microcontroller's memory controller drives SRAM-like chips and
//! NAND flash: data and strobes on wires of their own, one word a cycle.
//!
//! A cycle is counted in clocks of the controller: address set-up, then data set-up, then the clocks
//! that end it (STM32 FMC, mode 1: RM0399 rev. 4, tables 175 and 176). A board states the shortest
//! set-up that it is configured for; a slower chip gets a longer one, as far as the controller's
//! register reaches. A change from writing to reading adds the turnaround.

use serde::Deserialize;
use wordline_core::quantity::{Cycles, Frequency, Time};
use wordline_core::{Basis, Figure, Provenance, Sourced};

use super::mapped::MemoryMapped;
use super::{Action, Transaction};
use crate::link::LinkError;
use crate::problem::Problems;

/// The parallel memory controller of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParallelBus {
    /// Data lines: 8, 16 or 32.
    pub width_bits: Sourced<u8>,
    /// Clock of the controller.
    pub clock: Figure<Frequency>,
    /// Clocks from address to strobe.
    pub address_setup: Figure<Cycles>,
    /// Fewest clocks of the strobe, in the lowest column; the highest one says how many it can be where
    /// a slower chip asks for more.
    pub data_setup: Figure<Cycles>,
    /// Clocks that end a cycle.
    pub hold: Figure<Cycles>,
    /// Clocks between a write and the read after it.
    pub turnaround: Figure<Cycles>,
    /// How the controller maps the memory into the address space; left out where it does not, as in its mode for NAND.
    /// Software can then load and store single words as well.
    pub memory_mapped: Option<MemoryMapped>,
}

/// A chip on an asynchronous parallel bus: its width, its times and its commands.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Data lines: 8, 16 or 32.
    pub width_bits: Sourced<u8>,
    /// From address (or, for chips without address lines, from the strobe) to data of a read.
    pub read_access: Figure<Time>,
    /// Shortest strobe of a write.
    pub write_pulse: Figure<Time>,
    /// Shortest cycle of a read. Left out where it is the access.
    pub read_cycle: Option<Figure<Time>>,
    /// Shortest cycle of a write. Left out where it is the strobe.
    pub write_cycle: Option<Figure<Time>>,
    /// The commands that the model uses; words that are read and written without one need none.
    #[serde(default)]
    pub command: Vec<ParallelOpcode>,
}

/// A command on a parallel bus: cycles that carry no data.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawParallelOpcode")]
pub struct ParallelOpcode {
    /// The byte that distinguishes the command from others.
    pub code: u8,
    /// Its name in the data sheet.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// Write cycles of its commands and addresses, those with data not counted.
    pub cycles: u8,
    /// Who states it.
    pub provenance: Provenance,
}

/// The keys of a command as TOML spells them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "command")]
struct RawParallelOpcode {
    code: u8,
    name: String,
    action: Action,
    cycles: u8,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

impl TryFrom<RawParallelOpcode> for ParallelOpcode {
    type Error = &'static str;

    fn try_from(raw: RawParallelOpcode) -> Result<Self, Self::Error> {
        Ok(Self {
            provenance: Provenance::from_keys(raw.source, raw.basis, raw.assumed, raw.reason)?,
            code: raw.code,
            name: raw.name,
            action: raw.action,
            cycles: raw.cycles,
        })
    }
}

impl Interface {
    /// What contradicts itself or physics, below the key `parallel`. `needed` are the actions that
    /// the chip's model cannot do without a command.
    pub(crate) fn check_sheet(&self, needed: &[Action], problems: &mut Problems) {
        problems.positive("parallel.read_access", &self.read_access);
        problems.positive("parallel.write_pulse", &self.write_pulse);
        for (path, cycle, part) in [
            ("parallel.read_cycle", &self.read_cycle, &self.read_access),
            ("parallel.write_cycle", &self.write_cycle, &self.write_pulse),
        ] {
            if let Some(cycle) = cycle {
                problems.positive(path, cycle);
                if path == "parallel.write_cycle" && cycle.most() < part.most() {
                    problems.add(path, format!("it is below its strobe of {}", part.most()));
                }
            }
        }
        if !matches!(self.width_bits.value(), 8 | 16 | 32) {
            problems.add("parallel.width_bits", "allowed: 8, 16 or 32");
        }
        for action in needed {
            if !self.command.iter().any(|command| command.action == *action) {
                let message = format!("there is no command with action {action}");
                problems.add("parallel.command", message);
            }
        }
    }

    fn read_cycle(&self) -> Time {
        let cycle = self.read_cycle.as_ref().unwrap_or(&self.read_access);
        cycle.most()
    }

    fn write_cycle(&self) -> Time {
        let cycle = self.write_cycle.as_ref().unwrap_or(&self.write_pulse);
        cycle.most()
    }
}

/// A command with its cycles on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelCommand {
    /// What it does.
    pub action: Action,
    /// The byte that distinguishes it from others; `None` for words that move without a command.
    pub code: Option<u8>,
    /// Its name in the data sheet.
    pub name: String,
    /// Clock of the controller.
    pub clock: Frequency,
    /// Bytes of one word.
    pub word_bytes: u64,
    /// Clocks of the cycles without data.
    pub command_clocks: u64,
    /// Clocks of one word of data.
    pub word_clocks: u64,
}

impl ParallelCommand {
    /// What moving `bytes` bytes from the address `at` on costs. A word that is touched in part takes
    /// a whole cycle. The total is rounded to a picosecond once; the phases add up to it.
    #[must_use]
    pub fn transaction(&self, at: u64, bytes: u64) -> Transaction {
        let words = match bytes {
            0 => 0,
            _ => at.saturating_add(bytes).div_ceil(self.word_bytes) - at / self.word_bytes,
        };
        let command = self.clock.duration_of(self.command_clocks);
        let data = words.saturating_mul(self.word_clocks);
        let total = self
            .clock
            .duration_of(self.command_clocks.saturating_add(data));
        Transaction {
            command,
            data: total.since(command),
        }
    }

    /// Bytes a second while data move.
    #[must_use]
    pub fn data_rate(&self) -> f64 {
        self.clock.hz() as f64 * self.word_bytes as f64 / self.word_clocks.max(1) as f64
    }

    pub(super) fn figures(&self) -> Vec<String> {
        let times: &[&str] = match self.action {
            Action::Read | Action::Status => &["read_access", "read_cycle"],
            _ => &["write_pulse", "write_cycle"],
        };
        let mut figures: Vec<_> = times
            .iter()
            .map(|figure| format!("parallel.{figure}"))
            .collect();
        figures.push("parallel.width_bits".to_owned());
        if self.code.is_some() {
            figures.push(format!("parallel.command[{}]", self.name));
        }
        figures
    }
}

impl ParallelBus {
    /// The figures of the board's sheet that every command rests on.
    pub(crate) const FIGURES: [&str; 6] = [
        "parallel.width_bits",
        "parallel.clock",
        "parallel.address_setup",
        "parallel.data_setup",
        "parallel.hold",
        "parallel.turnaround",
    ];

    /// The commands of a chip on this bus. Data move both ways, with or without a command.
    ///
    /// # Errors
    /// When the widths differ, or the chip is slower than the controller can wait.
    pub(crate) fn commands(&self, chip: &Interface) -> Result<Vec<ParallelCommand>, LinkError> {
        let (needs, has) = (*chip.width_bits.value(), *self.width_bits.value());
        if needs != has {
            return Err(LinkError::Width { needs, has });
        }
        let (read_clocks, write_clocks) = (self.read_clocks(chip)?, self.write_clocks(chip)?);
        let command = |action, code, name: &str, cycles: u8| ParallelCommand {
            action,
            code,
            name: name.to_owned(),
            clock: self.clock.nominal(),
            word_bytes: u64::from(has / 8),
            command_clocks: u64::from(cycles) * write_clocks,
            word_clocks: match action {
                Action::Read | Action::Status => read_clocks,
                _ => write_clocks,
            },
        };
        let stated = chip.command.iter().map(|opcode| {
            let code = Some(opcode.code);
            command(opcode.action, code, &opcode.name, opcode.cycles)
        });
        let mut commands: Vec<_> = stated.collect();
        for (action, name) in [(Action::Read, "Read"), (Action::Write, "Write")] {
            if !commands.iter().any(|command| command.action == action) {
                commands.push(command(action, None, name, 0));
            }
        }
        Ok(commands)
    }

    /// The pause between a write and the read after it.
    #[must_use]
    pub fn turnaround(&self) -> Time {
        self.after(self.turnaround.nominal().count())
    }

    fn after(&self, clocks: u64) -> Time {
        self.clock.nominal().duration_of(clocks)
    }

    /// Clocks of a read: data must be there when the strobe ends.
    fn read_clocks(&self, chip: &Interface) -> Result<u64, LinkError> {
        let before = self.address_setup.nominal().count();
        let what = "address to data of a read";
        self.cycle(what, before, chip.read_access.most(), chip.read_cycle())
    }

    /// Clocks of a write: the strobe must be long enough.
    fn write_clocks(&self, chip: &Interface) -> Result<u64, LinkError> {
        self.cycle(
            "strobe of a write",
            0,
            chip.write_pulse.most(),
            chip.write_cycle(),
        )
    }

    /// Clocks of a cycle whose strobe, with `before` clocks of it, must last for `strobe`, and the
    /// whole for `cycle`.
    fn cycle(
        &self,
        what: &'static str,
        before: u64,
        strobe: Time,
        cycle: Time,
    ) -> Result<u64, LinkError> {
        let around = self.address_setup.nominal().count() + self.hold.nominal().count();
        let least = self.data_setup.least().count();
        let most = self.data_setup.most().count();
        // The strobe grows by whole clocks until both times are kept.
        let missing = |has: u64, needs: Time| {
            let clocks = self.clocks_of(needs);
            clocks.saturating_sub(has)
        };
        let setup = least
            .max(missing(before, strobe))
            .max(missing(around, cycle));
        if setup > most {
            let has = self.after(before + most);
            return Err(LinkError::TooFast {
                what,
                needs: strobe.later(cycle),
                has,
            });
        }
        Ok(around + setup)
    }

    /// The fewest clocks that last at least as long as a time.
    fn clocks_of(&self, time: Time) -> u64 {
        let exact = u128::from(time.ps()) * u128::from(self.clock.nominal().hz());
        u64::try_from(exact.div_ceil(1_000_000_000_000)).unwrap_or(u64::MAX)
    }

    /// What contradicts itself or physics, below the key `parallel`.
    pub(crate) fn check_sheet(&self, problems: &mut Problems) {
        problems.positive("parallel.clock", &self.clock);
        problems.positive("parallel.data_setup", &self.data_setup);
        problems.clocks("parallel.data_setup", &self.data_setup);
        problems.clocks("parallel.address_setup", &self.address_setup);
        problems.clocks("parallel.hold", &self.hold);
        problems.clocks("parallel.turnaround", &self.turnaround);
        for (path, figure) in [
            ("parallel.address_setup", &self.address_setup),
            ("parallel.hold", &self.hold),
            ("parallel.turnaround", &self.turnaround),
        ] {
            if figure.typ().is_none() || figure.min().is_some() || figure.max().is_some() {
                problems.add(
                    path,
                    "the controller is set to one number of clocks: state typ alone",
                );
            }
        }
        if !matches!(self.width_bits.value(), 8 | 16 | 32) {
            problems.add("parallel.width_bits", "allowed: 8, 16 or 32");
        }
        if let Some(mapped) = &self.memory_mapped {
            mapped.check_sheet("parallel", problems);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bus(data_setup: &str) -> ParallelBus {
        toml::from_str(&format!(
            "width_bits = {{ value = 16, source = 's' }}\n\
             clock = {{ typ = '240 MHz', source = 's' }}\n\
             address_setup = {{ typ = '1 cycles', source = 's' }}\n\
             data_setup = {{ {data_setup}, source = 's' }}\n\
             hold = {{ typ = '1 cycles', source = 's' }}\n\
             turnaround = {{ typ = '5 cycles', source = 's' }}\n",
        ))
        .expect("well-formed")
    }

    fn chip(width: u8, read_ns: u64, write_ns: u64, more: &str) -> Interface {
        toml::from_str(&format!(
            "width_bits = {{ value = {width}, source = 's' }}\n\
             read_access = {{ max = '{read_ns} ns', source = 's' }}\n\
             write_pulse = {{ min = '{write_ns} ns', source = 's' }}\n{more}"
        ))
        .expect("well-formed")
    }

    /// 1 + 10 + 1 clocks at 240 MHz are 50 ns for two bytes: 40 MB/s.
    #[test]
    fn a_word_takes_its_clocks() {
        let commands = bus("typ = '10 cycles'").commands(&chip(16, 45, 25, ""));
        let commands = commands.expect("fits");
        let read = &commands[0];
        assert_eq!((read.action, read.code), (Action::Read, None));
        let total = |at, bytes| read.transaction(at, bytes).total();
        assert_eq!(total(0, 2), Time::from_ps(50_000));
        assert_eq!(total(0, 2000), Time::from_ps(50_000_000));
        assert_eq!(total(1, 2), Time::from_ps(100_000));
        assert_eq!(total(3, 1), Time::from_ps(50_000));
        assert_eq!(total(3, 0), Time::ZERO);
        assert!((read.data_rate() - 40e6).abs() < 1e-6);
    }

    #[test]
    fn a_slower_chip_gets_a_longer_strobe_as_far_as_the_controller_reaches() {
        let slow = chip(16, 95, 50, "read_cycle = { min = '120 ns', source = 's' }");
        let commands = bus("typ = '10 cycles', max = '255 cycles'").commands(&slow);
        let commands = commands.expect("fits");
        // 120 ns are 29 clocks; 50 ns are 12 of strobe, and one before and after it.
        assert_eq!((commands[0].word_clocks, commands[1].word_clocks), (29, 14));
        let error = bus("typ = '10 cycles'").commands(&slow).expect_err("slow");
        assert_eq!(
            error.to_string(),
            "the bus is too fast: for address to data of a read the chip needs 120 ns, the board \
             allows 45.833 ns"
        );
    }

    #[test]
    fn a_command_costs_its_cycles_and_replaces_the_plain_access() {
        let nand = chip(
            16,
            20,
            12,
            "[[command]]\ncode = 0x80\nname = 'Program Page'\naction = 'write'\ncycles = 6\n\
             source = 's'\n",
        );
        let commands = bus("typ = '4 cycles'").commands(&nand).expect("fits");
        let actions: Vec<_> = commands.iter().map(|command| command.action).collect();
        assert_eq!(actions, [Action::Write, Action::Read]);
        let program = commands[0].transaction(0, 4);
        assert_eq!(program.command, Time::from_ps(150_000));
        assert_eq!(program.data, Time::from_ps(50_000));
    }

    #[test]
    fn a_chip_of_another_width_or_too_slow_is_refused() {
        let bus = bus("typ = '10 cycles'");
        let error = |chip| bus.commands(&chip).expect_err("refused").to_string();
        assert!(error(chip(16, 46, 25, "")).contains("the chip needs 46 ns"));
        assert!(error(chip(16, 45, 42, "")).contains("strobe of a write"));
        assert_eq!(
            error(chip(8, 45, 25, "")),
            "the bus does not fit: the chip has 8 data lines, the board 16"
        );
    }
}
