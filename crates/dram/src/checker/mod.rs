//! Checks command traces against the rules of DDR5, LPDDR5X and HBM3, on its own: it shares with the rest of the crate no more than the
//! words [`Command`], [`Issued`] and [`Location`]. Its numbers are a table in nanoseconds and clocks of its own, or a
//! caller's; its rules are a plain list, [`DistanceRule`]; and it keeps time stamps of what has been, against which it holds
//! every rule at every command. What it finds wrong it names: the rule, the command, the place, the time, and the first
//! clock at which the command would have been legal.
//!
//! Legal is not enough, since a controller that waits too long is legal as well. So the checker counts for each rule
//! the commands that came at the very first clock the rule allowed: [`Checker::tightness`].
//!
//! ```
//! use wordline_dram::checker::{BinGrade, Checker, ControllerRules, Density, CheckedChannel, DeviceGrade, RefreshMode, BankShape, Width};
//! use wordline_dram::{Command, Issued, Location};
//!
//! let part = DeviceGrade { data_rate_mts: 6400, density: Density::Gb16, width: Width::X4, bin: BinGrade::A };
//! let memory = CheckedChannel {
//!     data_rate_mts: 6400,
//!     shape: BankShape { pseudo_channels: 1, ranks: 1, slices: 1, groups: 8, banks: 4, refresh_sets: 4 },
//!     parameters: part.parameters()?,
//!     controller: ControllerRules {
//!         rank_gap: 2,
//!         read_to_write_gap: 2,
//!         pair_burst: 0,
//!         pair_read_to_write: 0,
//!         pair_write_to_read: 0,
//!         shared_commands: false,
//!         refresh: RefreshMode::AllBank,
//!         postponed_max: 0,
//!         ahead_max: 0,
//!         counted: None,
//!     },
//! };
//! let mut checker = Checker::new(&memory)?;
//! let at = |at, command| Issued { at, command, location: Location::default(), request: None };
//! checker.check(&at(0, Command::Act))?;
//! let violation = checker.check(&at(45, Command::Rd)).unwrap_err();
//! assert_eq!(violation.fault.rule(), "tRCD"); // 14.375 ns are 46 clocks
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buffers;
mod ddr5;
mod hbm3;
mod lpddr5x;
mod memory;
mod record;
mod refresh;
mod rounding;
mod rules;
mod state;
mod violation;

pub use buffers::BufferRules;
pub use ddr5::{BinGrade, Density, DeviceGrade, PartError, Width};
pub use hbm3::hbm3_6400;
pub use lpddr5x::lpddr5x_8533;
pub use memory::{
    BankShape, CheckedChannel, CheckedChannelError, ControllerRules, CountedActivations,
    Parameters, RefreshMode,
};
pub use rounding::{CheckedClock, ClockPair};
pub use rules::{BankEvent, DistanceRule, Scope};
pub use violation::{RuleViolation, ViolationKind};

use record::{EventTimes, NEVER, PlaceIndex};
use refresh::{Duty, RefreshAccount};
use state::BankStates;

use crate::command::{Command, Issued};
use crate::request::Location;

/// The name of the rule that two commands do not share a slot of the command bus.
pub const COMMAND_BUS: &str = "command bus";

/// How often a rule decided when a command came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tightness {
    /// Commands at the first clock that the rule allowed.
    pub exact: u64,
    /// Those of them that no other rule would have held back as long.
    pub alone: u64,
}

/// Why a command could not have come earlier than it could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earliest {
    /// First clock at which every rule allowed the command.
    pub at: u64,
    /// The rule that allowed it last; `None` where nothing held it back.
    pub rule: Option<&'static str>,
}

/// Checks one sub-channel's commands as they come, in constant memory.
#[derive(Clone, Debug)]
pub struct Checker {
    shape: BankShape,
    rules: Vec<DistanceRule>,
    /// Indices into `rules` of those that hold a command back.
    of_command: [Vec<u16>; Command::ALL.len()],
    ignored: Vec<&'static str>,
    record: EventTimes,
    state: BankStates,
    /// Clock at which each command bus is free.
    bus_free: Vec<i64>,
    shared_commands: bool,
    long_command: u32,
    column_command: u32,
    duty: Option<Duty>,
    accounts: Vec<RefreshAccount>,
    now: i64,
    commands: u64,
    /// One for each rule, and one for the command bus.
    tightness: Vec<Tightness>,
    earliest: Earliest,
}

impl Checker {
    /// A checker of a memory with all banks closed at clock 0.
    ///
    /// # Errors
    /// When no memory can be as described.
    pub fn new(memory: &CheckedChannel) -> Result<Self, CheckedChannelError> {
        let clock = memory.clock()?;
        let (rules, shape) = (rules::rules(memory, clock), memory.shape);
        let mut of_command: [Vec<u16>; Command::ALL.len()] = Default::default();
        for (rule, index) in rules.iter().zip(0..) {
            for &command in rule.to {
                of_command[command as usize].push(index);
            }
        }
        let channels = usize::from(shape.pseudo_channels);
        let ranks = channels * usize::from(shape.ranks);
        let duty = Duty::new(memory, clock);
        Ok(Self {
            shape,
            tightness: vec![Tightness::default(); rules.len() + 1],
            rules,
            of_command,
            ignored: Vec::new(),
            record: EventTimes::new(shape),
            state: BankStates::new(memory, clock),
            bus_free: vec![0; channels],
            shared_commands: memory.controller.shared_commands,
            long_command: memory.parameters.long_command,
            column_command: memory.parameters.column_command,
            accounts: duty
                .iter()
                .flat_map(|d| vec![RefreshAccount::new(d); ranks])
                .collect(),
            duty,
            now: 0,
            commands: 0,
            earliest: Earliest { at: 0, rule: None },
        })
    }

    /// The rules that it holds commands to, besides those of state.
    #[must_use]
    pub fn rules(&self) -> &[DistanceRule] {
        &self.rules
    }

    /// Checks nothing by a name of rule from here on. For tests of the checker itself.
    pub fn ignore(&mut self, name: &'static str) {
        self.ignored.push(name);
        for of_command in &mut self.of_command {
            of_command.retain(|&rule| self.rules[usize::from(rule)].name != name);
        }
    }

    /// Commands that were checked.
    #[must_use]
    pub fn commands(&self) -> u64 {
        self.commands
    }

    /// How often each rule decided when a command came.
    pub fn tightness(&self) -> impl Iterator<Item = (&'static str, Tightness)> {
        let names = self.rules.iter().map(|rule| rule.name).chain([COMMAND_BUS]);
        names.zip(self.tightness.iter().copied())
    }

    /// Of the last command that was checked: when it could have come first, and what held it back.
    #[must_use]
    pub fn earliest(&self) -> Earliest {
        self.earliest
    }

    /// Checks the next command. One that is wrong is remembered all the same, so that checking may go on; only one
    /// outside the memory or of an earlier clock is not.
    ///
    /// # Errors
    /// When a rule is violated. Of several the first one is named: state, then distances, then refresh.
    pub fn check(&mut self, issued: &Issued) -> Result<(), RuleViolation> {
        if let Some(fault) = self.outside(issued) {
            return Err(fault.of(issued));
        }
        let at = i64::try_from(issued.at).unwrap_or(i64::MAX);
        self.commands += 1;
        self.now = at;
        let place = self.record.place(issued.location);
        let state = self.state.fault(issued.command, &place, issued.location);
        let distance = self.distance(issued.command, &place, at);
        let refresh = self.refresh(issued, &place);
        self.remember(issued.command, &place, at, issued.location);
        let kept = |fault: &ViolationKind| !self.ignored.contains(&fault.rule());
        let fault = state.filter(kept).or(distance).or(refresh.filter(kept));
        fault.map_or(Ok(()), |fault| Err(fault.of(issued)))
    }

    /// Ends the trace: no rank may owe more refreshes at a clock than it may put off.
    ///
    /// # Errors
    /// When one does; the first one is named.
    pub fn finish(&mut self, at: u64) -> Result<(), RuleViolation> {
        let (Some(duty), false) = (self.duty, self.ignored.contains(&"refresh overdue")) else {
            return Ok(());
        };
        let command = if duty.same_bank() {
            Command::RefSb
        } else {
            Command::RefAb
        };
        let ranks = self.shape.ranks;
        for (index, account) in (0_u16..).zip(&mut self.accounts) {
            if let Some(fault) = account.overdue(&duty, at) {
                let [pseudo_channel, rank] =
                    [index / u16::from(ranks), index % u16::from(ranks)].map(|part| part as u8);
                let location = Location {
                    pseudo_channel,
                    rank,
                    ..Location::default()
                };
                return Err(fault.of(&Issued {
                    at,
                    command,
                    location,
                    request: None,
                }));
            }
        }
        Ok(())
    }

    /// Whether a command can be placed at all.
    fn outside(&self, issued: &Issued) -> Option<ViolationKind> {
        let (l, shape) = (&issued.location, &self.shape);
        let parts = [
            ("pseudo-channel", l.pseudo_channel, shape.pseudo_channels),
            ("rank", l.rank, shape.ranks),
            ("group", l.group, shape.groups),
            ("bank", l.bank, shape.banks),
        ];
        for (what, value, count) in parts {
            if value >= count {
                let (value, max) = (value.into(), u64::from(count) - 1);
                return Some(ViolationKind::Outside { what, value, max });
            }
        }
        const CLOCK_MAX: u64 = i64::MAX as u64 / 4;
        if issued.at > CLOCK_MAX {
            return Some(ViolationKind::Outside {
                what: "clock",
                value: issued.at,
                max: CLOCK_MAX,
            });
        }
        let now = self.now.unsigned_abs();
        (issued.at < now).then_some(ViolationKind::Backwards { after: now })
    }

    fn bus(&self, location: Location) -> usize {
        if self.shared_commands {
            0
        } else {
            usize::from(location.pseudo_channel)
        }
    }

    /// Holds every rule of a command against what has been.
    fn distance(&mut self, command: Command, place: &PlaceIndex, at: i64) -> Option<ViolationKind> {
        let bus_free = self.bus_free[self.bus(place.location())];
        let bus_rule = self.rules.len();
        let (mut earliest, mut last) = (0, None);
        let mut alone = true;
        if bus_free > 0 && !self.ignored.contains(&COMMAND_BUS) {
            (earliest, last) = (bus_free, Some(bus_rule));
            self.tightness[bus_rule].exact += u64::from(bus_free == at);
        }
        for &index in &self.of_command[command as usize] {
            let index = usize::from(index);
            let rule = &self.rules[index];
            let from = match rule.scope {
                Scope::Bank => self
                    .state
                    .latest_of_banks(&self.record, command, place, rule.from),
                scope => self.record.latest(scope, rule.from, place),
            };
            if from == NEVER {
                continue;
            }
            let legal = from + i64::from(rule.clocks);
            self.tightness[index].exact += u64::from(legal == at);
            if legal > earliest {
                (earliest, last, alone) = (legal, Some(index), true);
            } else if legal == earliest {
                alone = false;
            }
        }
        let name = |index| {
            self.rules
                .get(index)
                .map_or(COMMAND_BUS, |rule: &DistanceRule| rule.name)
        };
        self.earliest = Earliest {
            at: earliest.unsigned_abs(),
            rule: last.map(name),
        };
        if let Some(index) = last {
            self.tightness[index].alone += u64::from(alone && earliest == at);
        }
        (earliest > at).then(|| ViolationKind::TooEarly {
            rule: last.map_or(COMMAND_BUS, name),
            earliest: earliest.unsigned_abs(),
        })
    }

    /// Keeps the accounts of refreshes.
    fn refresh(&mut self, issued: &Issued, place: &PlaceIndex) -> Option<ViolationKind> {
        let is_refresh = matches!(issued.command, Command::RefAb | Command::RefSb);
        let manages = matches!(issued.command, Command::RfmAb | Command::RfmSb);
        let Some(duty) = self.duty else {
            return (is_refresh || manages).then_some(ViolationKind::RefreshMode);
        };
        let set = self.shape.set(issued.location.group, issued.location.bank);
        let same_bank = matches!(issued.command, Command::RefSb | Command::RfmSb);
        if manages && (same_bank != duty.same_bank() || !self.state.counts()) {
            return Some(ViolationKind::RefreshMode);
        }
        let account = &mut self.accounts[place.rank];
        let overdue = account.overdue(&duty, issued.at);
        if !is_refresh {
            return overdue;
        }
        if same_bank != duty.same_bank() {
            return Some(ViolationKind::RefreshMode);
        }
        let refreshed = account.refreshed(&duty, issued.at, set);
        overdue.or(refreshed)
    }

    fn remember(&mut self, command: Command, place: &PlaceIndex, at: i64, location: Location) {
        let slots = match command {
            Command::Act => self.long_command,
            Command::Rd | Command::Rda | Command::Wr | Command::Wra => self.column_command,
            _ => 1,
        };
        let bus = self.bus(location);
        self.bus_free[bus] = at + i64::from(slots);
        self.state.apply(&mut self.record, command, place, at);
    }
}
