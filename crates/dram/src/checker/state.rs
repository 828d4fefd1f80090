//! Which rows are open and which ranks are powered down, and what a command changes of that.

use super::memory::{BankShape, CheckedChannel, CountedActivations};
use super::record::{EventTimes, NEVER, PlaceIndex};
use super::rounding::CheckedClock;
use super::rules::{BankEvent, Basics};
use super::violation::ViolationKind;
use crate::command::Command;
use crate::request::Location;

/// State of all banks and ranks.
#[derive(Clone, Debug)]
pub(super) struct BankStates {
    shape: BankShape,
    basics: Basics,
    open: Vec<Option<u32>>,
    powered_down: Vec<bool>,
    counted: Option<CountedActivations>,
    /// ACTs of each bank that are counted.
    counts: Vec<u32>,
}

impl BankStates {
    pub(super) fn new(memory: &CheckedChannel, clock: CheckedClock) -> Self {
        let shape = memory.shape;
        let ranks = usize::from(shape.pseudo_channels) * usize::from(shape.ranks);
        let banks = ranks * usize::from(shape.groups) * usize::from(shape.banks);
        Self {
            shape,
            basics: Basics::new(memory, clock),
            open: vec![None; banks],
            powered_down: vec![false; ranks],
            counted: memory.controller.counted,
            counts: vec![0; banks],
        }
    }

    /// The banks that a command works on, open or not.
    fn banks(&self, command: Command, place: &PlaceIndex) -> impl Iterator<Item = usize> + use<> {
        let (groups, banks) = (
            usize::from(self.shape.groups),
            usize::from(self.shape.banks),
        );
        let first = place.rank * groups * banks;
        let (first, step, count) = match command {
            Command::PreSb | Command::RefSb | Command::RfmSb => {
                let l = place.location();
                let sets = usize::from(self.shape.refresh_sets.max(1));
                let set = usize::from(self.shape.set(l.group, l.bank));
                (first + set, sets, (groups * banks - set).div_ceil(sets))
            }
            Command::PreAb | Command::RefAb | Command::RfmAb | Command::Pde | Command::Pdx => {
                (first, 1, groups * banks)
            }
            _ => (place.bank, 1, 1),
        };
        (0..count).map(move |i| first + i * step)
    }

    /// The last time of an event in the banks that a command works on. A precharge works on open banks only.
    pub(super) fn latest_of_banks(
        &self,
        record: &EventTimes,
        command: Command,
        place: &PlaceIndex,
        event: BankEvent,
    ) -> i64 {
        match command {
            Command::PrePb | Command::PreSb | Command::PreAb => self
                .banks(command, place)
                .filter(|&bank| self.open[bank].is_some())
                .map(|bank| record.of_bank(bank, event))
                .max()
                .unwrap_or(NEVER),
            Command::RefAb | Command::RefSb | Command::RfmAb | Command::RfmSb => self
                .banks(command, place)
                .map(|bank| record.of_bank(bank, event))
                .max()
                .unwrap_or(NEVER),
            _ => record.of_bank(place.bank, event),
        }
    }

    /// Whether a command cannot be in this state, whatever its time.
    pub(super) fn fault(
        &self,
        command: Command,
        place: &PlaceIndex,
        location: Location,
    ) -> Option<ViolationKind> {
        match (self.powered_down[place.rank], command) {
            (true, Command::Pdx) => return None,
            (true, _) => return Some(ViolationKind::PoweredDown),
            (false, Command::Pdx) => return Some(ViolationKind::PoweredUp),
            (false, _) => {}
        }
        match command {
            Command::Act => match (self.open[place.bank], self.counted) {
                (Some(row), _) => Some(ViolationKind::Open { row }),
                (None, Some(of)) if self.counts[place.bank] >= of.most => {
                    Some(ViolationKind::Activations { most: of.most })
                }
                (None, _) => None,
            },
            Command::Rd | Command::Rda | Command::Wr | Command::Wra => {
                match self.open[place.bank] {
                    None => Some(ViolationKind::Closed),
                    Some(open) if open != location.row => Some(ViolationKind::OtherRow { open }),
                    Some(_) => None,
                }
            }
            Command::RefAb | Command::RefSb | Command::RfmAb | Command::RfmSb => {
                self.open_bank(command, place)
            }
            _ => None,
        }
    }

    /// The first bank that keeps a refresh from being legal.
    fn open_bank(&self, command: Command, place: &PlaceIndex) -> Option<ViolationKind> {
        let (groups, banks) = (
            usize::from(self.shape.groups),
            usize::from(self.shape.banks),
        );
        let open = self
            .banks(command, place)
            .find(|&bank| self.open[bank].is_some())?;
        Some(ViolationKind::RefreshOpen {
            group: u8::try_from(open / banks % groups).unwrap_or(u8::MAX),
            bank: u8::try_from(open % banks).unwrap_or(u8::MAX),
        })
    }

    /// Does a command, and notes what happened.
    pub(super) fn apply(
        &mut self,
        record: &mut EventTimes,
        command: Command,
        place: &PlaceIndex,
        at: i64,
    ) {
        let b = self.basics;
        match command {
            Command::Act => {
                self.open[place.bank] = Some(place.location().row);
                self.counts[place.bank] = self.counts[place.bank].saturating_add(1);
                record.note(BankEvent::Activate, place, at);
            }
            Command::Rd => record.note(BankEvent::Read, place, at),
            Command::Wr => record.note(BankEvent::Write, place, at),
            Command::Rda => {
                record.note(BankEvent::Read, place, at);
                self.auto_precharge(record, place, at + i64::from(b.rtp));
            }
            Command::Wra => {
                record.note(BankEvent::Write, place, at);
                self.auto_precharge(record, place, at + i64::from(b.write_recovery));
            }
            Command::PrePb | Command::PreSb | Command::PreAb => {
                for bank in self.banks(command, place) {
                    if self.open[bank].take().is_some() {
                        record.note_bank(BankEvent::Close, bank, at);
                    }
                }
                record.note_rank(BankEvent::Precharge, place, at);
            }
            Command::RefAb => {
                self.relieve(command, place, |of| of.less_by_refresh);
                record.note_rank(BankEvent::RefreshAll, place, at);
            }
            Command::RfmAb => {
                self.relieve(command, place, |of| of.less_by_rfm);
                record.note_rank(BankEvent::ManageAll, place, at);
            }
            Command::RfmSb => {
                self.relieve(command, place, |of| of.less_by_rfm);
                for bank in self.banks(command, place) {
                    record.note_bank(BankEvent::ManageSame, bank, at);
                }
                record.note_set(place, at);
                record.note_rank(BankEvent::ManageSame, place, at);
            }
            Command::RefSb => {
                self.relieve(command, place, |of| of.less_by_refresh);
                for bank in self.banks(command, place) {
                    record.note_bank(BankEvent::RefreshSame, bank, at);
                }
                record.note_set(place, at);
                record.note_rank(BankEvent::RefreshSame, place, at);
            }
            Command::Pde => {
                self.powered_down[place.rank] = true;
                record.note_rank(BankEvent::PowerDown, place, at);
            }
            Command::Pdx => {
                self.powered_down[place.rank] = false;
                record.note_rank(BankEvent::PowerUp, place, at);
            }
        }
    }

    /// Whether the devices have to be managed.
    pub(super) fn counts(&self) -> bool {
        self.counted.is_some()
    }

    /// Banks are refreshed, which takes something from their counts.
    fn relieve(
        &mut self,
        command: Command,
        place: &PlaceIndex,
        less: fn(&CountedActivations) -> u32,
    ) {
        if let Some(of) = self.counted {
            for bank in self.banks(command, place) {
                self.counts[bank] = self.counts[bank].saturating_sub(less(&of));
            }
        }
    }

    /// The bank counts as closed at once; it closes when its data and tRAS allow.
    fn auto_precharge(&mut self, record: &mut EventTimes, place: &PlaceIndex, data_done: i64) {
        let activated = record.of_bank(place.bank, BankEvent::Activate);
        let begins = data_done.max(activated + i64::from(self.basics.ras));
        self.open[place.bank] = None;
        record.note(BankEvent::AutoClose, place, begins);
    }
}
