//! "Candidates": what could be issued, and what is best.

use wordline_dram::{Command, Location, PagePolicy, Refresh};

use super::Oracle;
use super::history::{same_bank, same_rank};
use super::queues::Entry;

/// A command that the controller would issue.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    class: u8,
    /// Of the entry that it serves; 0 where the order is by place.
    age: u64,
    pub(super) command: Command,
    pub(super) location: Location,
    pub(super) request: Option<u64>,
}

impl Candidate {
    /// Least first: class, then age, then place.
    pub(super) fn order(&self) -> (u8, u64, [u8; 4]) {
        let Location {
            pseudo_channel,
            rank,
            group,
            bank,
            ..
        } = self.location;
        (self.class, self.age, [pseudo_channel, rank, group, bank])
    }

    /// One that serves no request.
    fn own(class: u8, command: Command, location: Location) -> Self {
        Self {
            class,
            age: 0,
            command,
            location,
            request: None,
        }
    }

    fn serving(class: u8, command: Command, location: Location, entry: &Entry) -> Self {
        Self {
            class,
            age: entry.age,
            command,
            location,
            request: Some(entry.request.id),
        }
    }
}

impl Oracle {
    /// Every candidate of a pseudo-channel.
    pub(super) fn candidates(&self, pseudo_channel: u8, out: &mut Vec<Candidate>) {
        let mut requested = self.requested(pseudo_channel);
        requested.retain(|candidate| !self.rank(candidate.location).powered_down);
        out.append(&mut requested);
        for rank in 0..self.config.geometry.ranks {
            let at = Location {
                pseudo_channel,
                rank,
                ..Location::default()
            };
            out.extend(self.upkeep(at));
            if !self.rank(at).powered_down {
                self.timeouts(at, out);
                out.extend(self.power_down_entry(at));
            }
        }
    }

    /// Class 0: refresh, and what it needs.
    fn upkeep(&self, at: Location) -> Option<Candidate> {
        let rank = self.rank(at);
        let must = self.must_refresh(at);
        if rank.powered_down {
            let wanted = must || self.queued(|location| same_rank(location, at));
            return wanted.then(|| Candidate::own(0, Command::Pdx, at));
        }
        if !must {
            return None;
        }
        let (withheld, precharge, refresh, at) = match self.config.policy.refresh {
            Refresh::Off => return None,
            Refresh::AllBank => (None, Command::PreAb, Command::RefAb, at),
            Refresh::SameBank => {
                let banks = self.config.geometry.banks;
                let at = Location {
                    group: rank.next / banks,
                    bank: rank.next % banks,
                    ..at
                };
                (Some(rank.next), Command::PreSb, Command::RefSb, at)
            }
        };
        let open = !self.open_banks(at, withheld).is_empty();
        Some(Candidate::own(
            0,
            if open { precharge } else { refresh },
            at,
        ))
    }

    /// Classes 1 and 2: the choice of every bank that has active entries.
    fn requested(&self, pseudo_channel: u8) -> Vec<Candidate> {
        let set = &self.sets[self.set_of(pseudo_channel)];
        let queue = if self.writing {
            &set.writes
        } else {
            &set.reads
        };
        let active: Vec<&Entry> = queue
            .iter()
            .filter(|entry| entry.location().pseudo_channel == pseudo_channel)
            .collect();
        let overdue = active.first().copied().filter(|entry| {
            let passed = self.columns[usize::from(pseudo_channel)] - entry.columns;
            // One whose rank is powered down has no choice, and keeps no other back.
            let asleep = self.rank(entry.location()).powered_down;
            passed >= u64::from(self.config.policy.age_cap)
                && !self.withheld(entry.location())
                && !asleep
        });
        let mut forced = None;
        let mut choices = Vec::new();
        for (place, oldest) in active.iter().enumerate() {
            let bank = oldest.location();
            let seen = active[..place]
                .iter()
                .any(|older| same_bank(older.location(), bank));
            if seen || self.withheld(bank) {
                continue;
            }
            let alone = overdue.is_some_and(|entry| entry.age == oldest.age);
            let wanting: Vec<&Entry> = active
                .iter()
                .copied()
                .filter(|entry| same_bank(entry.location(), bank))
                .collect();
            let choice = self.choice(&wanting, alone);
            if choice.command == Command::Act && self.awaits_same_bank(bank) {
                continue;
            }
            if alone && choice.command.is_column() && self.history.has_row(self.now, bank) {
                forced = Some(bank);
            }
            choices.push(choice);
        }
        if let Some(bank) = forced {
            choices
                .retain(|choice| !choice.command.is_column() || same_bank(choice.location, bank));
        }
        choices
    }

    /// Whether REFsb is the candidate of a rank.
    fn awaits_same_bank(&self, at: Location) -> bool {
        self.upkeep(at)
            .is_some_and(|candidate| candidate.command == Command::RefSb)
    }

    /// "Choice for a bank": its active entries, oldest first; whether the oldest decides alone.
    fn choice(&self, wanting: &[&Entry], alone: bool) -> Candidate {
        let oldest = wanting[0];
        let Some(row) = self.bank(oldest.location()).open else {
            let at = Location {
                column: 0,
                ..oldest.location()
            };
            return Candidate::serving(2, Command::Act, at, oldest);
        };
        let deciding = if alone { &wanting[..1] } else { wanting };
        match deciding.iter().find(|entry| entry.location().row == row) {
            Some(entry) => {
                let others = wanting
                    .iter()
                    .filter(|other| other.location().row == row)
                    .count()
                    - 1;
                let closes = self.config.policy.page == PagePolicy::Closed && others == 0;
                let command = match (self.writing, closes) {
                    (false, false) => Command::Rd,
                    (false, true) => Command::Rda,
                    (true, false) => Command::Wr,
                    (true, true) => Command::Wra,
                };
                Candidate::serving(1, command, entry.location(), entry)
            }
            None => {
                let at = Location {
                    row: 0,
                    column: 0,
                    ..oldest.location()
                };
                Candidate::serving(2, Command::PrePb, at, oldest)
            }
        }
    }

    /// Class 3: rows that no request asked for lately.
    fn timeouts(&self, at: Location, out: &mut Vec<Candidate>) {
        let PagePolicy::Timeout(clocks) = self.config.policy.page else {
            return;
        };
        for bank in self.open_banks(at, None) {
            let old = self.now >= self.bank(bank).touched + u64::from(clocks);
            if old && !self.withheld(bank) && !self.queued(|location| same_bank(location, bank)) {
                out.push(Candidate::own(3, Command::PrePb, bank));
            }
        }
    }

    /// Class 4: a rank that no request asks for.
    fn power_down_entry(&self, at: Location) -> Option<Candidate> {
        let clocks = u64::from(self.config.policy.power_down?);
        let idle = self.now >= self.rank(at).last_command + clocks;
        let wanted = self.must_refresh(at) || self.queued(|location| same_rank(location, at));
        (idle && !wanted).then(|| Candidate::own(4, Command::Pde, at))
    }

    fn must_refresh(&self, at: Location) -> bool {
        let owed = self.rank(at).owed;
        owed > self.config.policy.refresh_postponed_max
            || owed >= 1 && !self.queued(|location| same_rank(location, at))
    }

    pub(super) fn withheld(&self, bank: Location) -> bool {
        let named = match self.config.policy.refresh {
            Refresh::Off => false,
            Refresh::AllBank => true,
            Refresh::SameBank => self.set_of_bank(bank) == self.rank(bank).next,
        };
        named && self.must_refresh(bank)
    }

    /// Whether an entry of either kind is queued for a place.
    fn queued(&self, place: impl Fn(Location) -> bool) -> bool {
        self.sets
            .iter()
            .any(|set| set.entries().any(|entry| place(entry.location())))
    }

    /// Open banks of a rank, all or those of one set, group by group.
    pub(super) fn open_banks(&self, at: Location, set: Option<u8>) -> Vec<Location> {
        let geometry = &self.config.geometry;
        let mut open = Vec::new();
        for group in 0..geometry.groups {
            for bank in 0..geometry.banks {
                let at = Location {
                    group,
                    bank,
                    row: 0,
                    column: 0,
                    ..at
                };
                let is_wanted = set.is_none_or(|set| set == self.set_of_bank(at));
                if is_wanted && self.bank(at).open.is_some() {
                    open.push(at);
                }
            }
        }
        open
    }
}
