//! "Candidates": what could be issued, and what is best.

use wordline_dram::scheduler::SchedulerName;
use wordline_dram::{Command, Location, PagePolicy, Refresh, SameBankOrder};

use super::Oracle;
use super::history::{same_bank, same_rank};
use super::queues::Entry;

/// A command that the controller would issue.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    class: u8,
    /// Of the entry that it serves; 0 where batches are of no account.
    batch: u64,
    /// Where batches are.
    step: u8,
    /// Of the entry that it serves. Of what a rank does by itself 0 where the order is by place or it is forced to refresh,
    /// 1 where it is not, and 2 for management.
    age: u64,
    pub(super) command: Command,
    pub(super) location: Location,
    pub(super) request: Option<u64>,
}

/// The batch of an age.
fn batch(age: u64) -> u64 {
    age / 32
}

/// What a rank must do without a request.
struct RankDuty {
    /// The set of banks that it takes; all where there is none.
    set: Option<u8>,
    /// REFab, REFsb, RFMab or RFMsb.
    command: Command,
    forced: bool,
}

impl Candidate {
    /// Least first: class, then batch, what is done, and age, then place.
    pub(super) fn order(&self) -> (u8, (u64, u8, u64), [u8; 4]) {
        let Location {
            pseudo_channel,
            rank,
            group,
            bank,
            ..
        } = self.location;
        let order = (self.batch, self.step, self.age);
        (self.class, order, [pseudo_channel, rank, group, bank])
    }

    /// One that serves no request.
    fn own(class: u8, command: Command, location: Location) -> Self {
        Self {
            class,
            batch: 0,
            step: 0,
            age: 0,
            command,
            location,
            request: None,
        }
    }

    fn serving(class: u8, command: Command, location: Location, entry: &Entry) -> Self {
        Self {
            class,
            batch: 0,
            step: 0,
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
        let duty = self.duty(at);
        let leisure = u64::from(!self.is_forced(at));
        if self.rank(at).powered_down {
            let wanted = duty.is_some() || self.queued(|location| same_rank(location, at));
            return wanted.then(|| Candidate {
                age: leisure,
                ..Candidate::own(0, Command::Pdx, at)
            });
        }
        let RankDuty { set, command, .. } = duty?;
        let (first, banks) = (set.unwrap_or(0), self.config.geometry.banks);
        let at = Location {
            group: first / banks,
            bank: first % banks,
            ..at
        };
        let precharge = match set {
            None => Command::PreAb,
            Some(_) => Command::PreSb,
        };
        let open = !self.open_banks(at, set).is_empty();
        let last = matches!(command, Command::RfmAb | Command::RfmSb);
        let command = if open { precharge } else { command };
        Some(Candidate {
            age: leisure + u64::from(last),
            ..Candidate::own(0, command, at)
        })
    }

    /// What a rank must do: refresh, or else manage.
    fn duty(&self, at: Location) -> Option<RankDuty> {
        let policy = &self.config.policy;
        let (set, refresh, manage) = match policy.refresh {
            Refresh::Off => return None,
            Refresh::AllBank => (None, Command::RefAb, Command::RfmAb),
            Refresh::SameBank => (Some(self.next(at)), Command::RefSb, Command::RfmSb),
        };
        if self.must_refresh(at) {
            return Some(RankDuty {
                set,
                command: refresh,
                forced: self.is_forced(at),
            });
        }
        let rfm = policy.rfm?;
        let all_sets: Vec<Option<u8>> = match set {
            None => vec![None],
            Some(_) => (0..self.config.geometry.refresh_sets).map(Some).collect(),
        };
        let counted = |set: &Option<u8>, least: u32| {
            let banks = self.rank(at).banks.iter().zip(0_usize..);
            let sets = usize::from(self.config.geometry.refresh_sets);
            let in_set = |place: usize| set.is_none_or(|set| place % sets == usize::from(set));
            banks
                .filter(|(_, place)| in_set(*place))
                .any(|(bank, _)| bank.counted >= least)
        };
        let wanted = |set: &Option<u8>| match set {
            None => self.queued(|location| same_rank(location, at)),
            Some(set) => self.is_set_queued(at, *set),
        };
        let spent = all_sets.iter().find(|set| counted(set, rfm.raammt));
        let mut others = all_sets.iter();
        let set = spent.or_else(|| others.find(|set| counted(set, rfm.raaimt) && !wanted(set)))?;
        Some(RankDuty {
            set: *set,
            command: manage,
            forced: spent.is_some(),
        })
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
            if choice.command == Command::Act
                && (self.awaits_same_bank(bank) || self.is_spent(bank))
            {
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
        if self.config.policy.scheduler == SchedulerName::BatchFirst {
            for choice in &mut choices {
                (choice.batch, choice.step, choice.class) = (batch(choice.age), choice.class, 1);
            }
        }
        if self.near {
            self.ahead(pseudo_channel, &active, &mut choices);
        }
        choices
    }

    /// Class 3: the choice of every bank that has entries of the other direction alone.
    fn ahead(&self, pseudo_channel: u8, active: &[&Entry], out: &mut Vec<Candidate>) {
        let set = &self.sets[self.set_of(pseudo_channel)];
        let queue = if self.writing {
            &set.reads
        } else {
            &set.writes
        };
        let mut seen: Vec<Location> = active.iter().map(|entry| entry.location()).collect();
        for oldest in queue {
            let bank = oldest.location();
            let known = seen.iter().any(|other| same_bank(*other, bank));
            seen.push(bank);
            if bank.pseudo_channel != pseudo_channel || known || self.withheld(bank) {
                continue;
            }
            let open = self.bank(bank).open;
            let wants_open_row = |entry: &Entry| {
                same_bank(entry.location(), bank) && Some(entry.location().row) == open
            };
            if queue.iter().any(wants_open_row) {
                continue;
            }
            let (command, row) = match open {
                Some(_) => (Command::PrePb, 0),
                None => (Command::Act, bank.row),
            };
            let at = Location {
                row,
                column: 0,
                ..bank
            };
            let barred = self.awaits_same_bank(bank) || self.is_spent(bank);
            if command == Command::PrePb || !barred {
                out.push(Candidate::serving(3, command, at, oldest));
            }
        }
    }

    /// Whether a rank is forced and REFsb or RFMsb is its candidate.
    fn awaits_same_bank(&self, at: Location) -> bool {
        let refreshes =
            |candidate: Candidate| matches!(candidate.command, Command::RefSb | Command::RfmSb);
        self.duty(at).is_some_and(|duty| duty.forced) && self.upkeep(at).is_some_and(refreshes)
    }

    /// Whether a bank has had as many ACTs as it may have.
    fn is_spent(&self, bank: Location) -> bool {
        let rfm = self.config.policy.rfm;
        rfm.is_some_and(|rfm| self.bank(bank).counted >= rfm.raammt)
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
        let batches = self.config.policy.scheduler == SchedulerName::BatchFirst;
        let mut deciding = wanting
            .iter()
            .filter(|entry| !batches || batch(entry.age) == batch(oldest.age))
            .take(if alone { 1 } else { usize::MAX });
        match deciding.find(|entry| entry.location().row == row) {
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

    /// Class 4: rows that no request asked for lately.
    fn timeouts(&self, at: Location, out: &mut Vec<Candidate>) {
        let PagePolicy::Timeout(clocks) = self.config.policy.page else {
            return;
        };
        for bank in self.open_banks(at, None) {
            let old = self.now >= self.bank(bank).touched + u64::from(clocks);
            if old && !self.withheld(bank) && !self.queued(|location| same_bank(location, bank)) {
                out.push(Candidate::own(4, Command::PrePb, bank));
            }
        }
    }

    /// Class 5: a rank that no request asks for.
    fn power_down_entry(&self, at: Location) -> Option<Candidate> {
        let clocks = u64::from(self.config.policy.power_down?);
        let idle = self.now >= self.rank(at).last_command + clocks;
        let wanted = self.duty(at).is_some() || self.queued(|location| same_rank(location, at));
        (idle && !wanted).then(|| Candidate::own(5, Command::Pde, at))
    }

    pub(super) fn is_forced(&self, at: Location) -> bool {
        self.rank(at).owed > i64::from(self.config.policy.refresh_postponed_max)
    }

    fn must_refresh(&self, at: Location) -> bool {
        let wanted = if self.is_idle_first() {
            self.is_set_queued(at, self.next(at))
        } else {
            self.queued(|location| same_rank(location, at))
        };
        let ahead = i64::from(self.config.policy.refresh_pulled_in_max);
        let may = self.config.policy.refresh != Refresh::Off && self.rank(at).owed > -ahead;
        self.is_forced(at) || may && !wanted
    }

    fn is_idle_first(&self) -> bool {
        let policy = &self.config.policy;
        policy.refresh == Refresh::SameBank && policy.same_bank_order == SameBankOrder::IdleFirst
    }

    /// Whether an entry is queued for a set of banks of a rank.
    fn is_set_queued(&self, at: Location, set: u8) -> bool {
        self.queued(|location| same_rank(location, at) && self.set_of_bank(location) == set)
    }

    /// The set that is next.
    pub(super) fn next(&self, at: Location) -> u8 {
        let rank = self.rank(at);
        if let Some(kept) = rank.kept {
            return kept;
        }
        let sets = 0..self.config.geometry.refresh_sets;
        let left: Vec<u8> = sets.filter(|set| !rank.round.contains(set)).collect();
        let idle = |set: &&u8| self.is_idle_first() && !self.is_set_queued(at, **set);
        *left.iter().find(idle).unwrap_or(&left[0])
    }

    pub(super) fn withheld(&self, bank: Location) -> bool {
        let own = self.set_of_bank(bank);
        let taken = |duty: RankDuty| duty.set.is_none_or(|set| set == own);
        self.duty(bank).is_some_and(taken)
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
