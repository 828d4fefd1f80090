//! The plain oracle of a sub-channel: `DESIGN.md` word by word, clock by clock.
//!
//! It shares nothing with the engine but plain types. It looks at every clock, gathers every candidate, and asks for
//! each of them whether any command of the past forbids it now ([`rules`]). Nothing is reckoned ahead and nothing
//! is remembered but what the definition names, so that it can be read beside the definition.

mod candidates;
mod history;
mod queues;
mod rules;
mod scenarios;
mod waits;

use wordline_dram::{
    Command, Issued, Location, Refresh, Request, RequestKind, RowOutcome, ServedRequest,
    SubChannelConfig, WaitCause,
};

use candidates::Candidate;
use history::History;
use queues::{Admitted, Doorway, Entry, QueueSet};
pub(crate) use waits::Waits;

/// Clocks without an end after which a flush is taken for a livelock.
const FLUSH_CLOCKS_MAX: u64 = 20_000_000;

/// A bank.
#[derive(Clone, Debug, Default)]
struct Bank {
    /// The row that is open.
    open: Option<u32>,
    /// Clock of its last ACT or column command.
    touched: u64,
    /// When its last refresh is over, or that of others that it waited for.
    refreshed: u64,
    /// When its own last refresh is over.
    free: u64,
    /// ACTs that it has counted.
    counted: u32,
}

/// A logical rank.
#[derive(Clone, Debug)]
struct Rank {
    /// Clock at which the next refresh falls due.
    due: u64,
    /// Refreshes that fell due less those that were done.
    owed: i64,
    /// Sets of banks that REFsb has refreshed in this round.
    round: Vec<u8>,
    /// The set that is next, where the rank is forced.
    kept: Option<u8>,
    powered_down: bool,
    /// Clock of its last command; 0 before the first one.
    last_command: u64,
    /// Group by group.
    banks: Vec<Bank>,
}

/// A sub-channel that is run clock by clock.
pub(crate) struct Oracle {
    config: SubChannelConfig,
    now: u64,
    flushing: bool,
    writing: bool,
    /// A turn is near.
    near: bool,
    /// Column commands issued when a turn was due first after the last one.
    due: Option<u64>,
    /// Column commands issued before the direction turned last.
    turned: Option<u64>,
    /// One for both pseudo-channels, or one for each.
    sets: Vec<QueueSet>,
    /// The age that the next entry gets.
    age: u64,
    /// Column commands issued, by pseudo-channel.
    columns: Vec<u64>,
    /// Their clocks.
    column_clocks: Vec<Vec<u64>>,
    /// Pseudo-channel by pseudo-channel.
    ranks: Vec<Rank>,
    /// First clock at which each command bus is not taken.
    bus_free: Vec<u64>,
    history: History,
    /// The same for longer: asked when rules were met that forbid nothing any more.
    archive: History,
    /// Every command, in the order of issue.
    pub(crate) commands: Vec<Issued>,
    /// Every request that was served, in that order. The waits by cause are left 0: see `waits`.
    pub(crate) served: Vec<ServedRequest>,
    /// Every write that was accepted, with its clock.
    pub(crate) accepted: Vec<(u64, u64)>,
    /// Why the requests waited that commands served.
    pub(crate) waits: Vec<Waits>,
}

impl Oracle {
    /// An idle sub-channel with all banks closed at clock 0.
    pub(crate) fn new(config: &SubChannelConfig) -> Self {
        let (geometry, policy) = (&config.geometry, &config.policy);
        let pseudo_channels = usize::from(geometry.pseudo_channels);
        let rfm = policy.rfm.map_or(0, |rfm| rfm.clocks);
        let shared = |one_for_both: bool| if one_for_both { 1 } else { pseudo_channels };
        let rank = |phase: &u32| Rank {
            due: u64::from(*phase),
            owed: 0,
            round: Vec::new(),
            kept: None,
            powered_down: false,
            last_command: 0,
            banks: vec![
                Bank::default();
                usize::from(geometry.groups) * usize::from(geometry.banks)
            ],
        };
        Self {
            config: config.clone(),
            now: 0,
            flushing: false,
            writing: false,
            near: false,
            due: None,
            turned: None,
            sets: vec![QueueSet::default(); shared(policy.shared_queues)],
            age: 0,
            columns: vec![0; pseudo_channels],
            column_clocks: vec![Vec::new(); pseudo_channels],
            ranks: policy.refresh_phase.iter().map(rank).collect(),
            bus_free: vec![0; shared(policy.shared_commands)],
            history: History::new(&config.timing, geometry, rfm),
            archive: History::new(&config.timing, geometry, rfm),
            commands: Vec::new(),
            served: Vec::new(),
            accepted: Vec::new(),
            waits: Vec::new(),
        }
    }

    /// Takes a request; they come in the order of their arrivals.
    pub(crate) fn push(&mut self, request: Request) {
        let set = self.set_of(request.location.pseudo_channel);
        self.sets[set].push(request);
    }

    /// Runs every clock before one.
    pub(crate) fn run(&mut self, until: u64) {
        while self.now < until {
            self.clock();
        }
    }

    /// Runs whole clocks until no request waits, with no writes kept back, and returns the first clock not run.
    pub(crate) fn flush(&mut self) -> u64 {
        self.flushing = true;
        let limit = self.now + FLUSH_CLOCKS_MAX;
        while self.sets.iter().any(QueueSet::waits) {
            assert!(
                self.now < limit,
                "livelock: requests wait and none is served"
            );
            self.clock();
        }
        self.flushing = false;
        self.now
    }

    /// First clock that has not been run.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// "A clock".
    fn clock(&mut self) {
        self.fall_due();
        self.admit();
        self.turn();
        for bus in 0..self.bus_free.len() {
            if self.bus_free[bus] <= self.now
                && let Some(best) = self.best(bus)
            {
                self.issue(bus, &best);
            }
        }
        self.wait();
        self.now += 1;
    }

    /// 1. Refresh falls due.
    fn fall_due(&mut self) {
        let interval = match self.config.policy.refresh {
            Refresh::Off => return,
            Refresh::AllBank => self.config.timing.refi,
            Refresh::SameBank => self.config.timing.refi_sb,
        };
        for rank in &mut self.ranks {
            while rank.due <= self.now {
                rank.owed += 1;
                rank.due += u64::from(interval);
            }
        }
        let geometry = self.config.geometry.clone();
        for pseudo_channel in 0..geometry.pseudo_channels {
            for rank in 0..geometry.ranks {
                self.keep(Location {
                    pseudo_channel,
                    rank,
                    ..Location::default()
                });
            }
        }
    }

    /// Where a rank is forced, what is next stays so.
    fn keep(&mut self, at: Location) {
        if self.is_forced(at) && self.rank(at).kept.is_none() {
            self.rank_mut(at).kept = Some(self.next(at));
        }
    }

    /// 2. Admission.
    fn admit(&mut self) {
        let policy = &self.config.policy;
        let held_up = self.held_up();
        let door = Doorway {
            now: self.now,
            columns: &self.columns,
            held_up: &held_up,
            places: policy.refresh_aside as usize,
        };
        for set in &mut self.sets {
            for (kind, room) in [
                (RequestKind::Read, policy.read_queue),
                (RequestKind::Write, policy.write_queue),
            ] {
                while let Some(admitted) = set.admit(kind, room as usize, &mut self.age, &door) {
                    let (request, outcome) = match admitted {
                        Admitted::Aside => continue,
                        Admitted::Queued(request) => (request, None),
                        Admitted::Forwarded(request) => (request, Some(RowOutcome::Forwarded)),
                        Admitted::Merged(request) => (request, Some(RowOutcome::Merged)),
                    };
                    if kind == RequestKind::Write {
                        self.accepted.push((request.id, self.now));
                    }
                    if let Some(outcome) = outcome {
                        self.served
                            .push(served(&request, self.now, self.now, self.now, outcome));
                    }
                }
            }
        }
    }

    /// Banks whose requests are held up; nothing depends on it where none can go aside.
    fn held_up(&self) -> Vec<Location> {
        let geometry = &self.config.geometry;
        let mut banks = Vec::new();
        if self.config.policy.refresh_aside == 0 {
            return banks;
        }
        for pseudo_channel in 0..geometry.pseudo_channels {
            for rank in 0..geometry.ranks {
                for group in 0..geometry.groups {
                    for bank in 0..geometry.banks {
                        banks.push(Location {
                            pseudo_channel,
                            rank,
                            group,
                            bank,
                            ..Location::default()
                        });
                    }
                }
            }
        }
        banks.retain(|bank| {
            let forced = self.is_forced(*bank) && self.withheld(*bank);
            forced || self.now < self.bank(*bank).free
        });
        banks
    }

    /// 3. Direction.
    fn turn(&mut self) {
        let policy = &self.config.policy;
        let low = if self.flushing {
            0
        } else {
            policy.drain_low as usize
        };
        let writes = |more_than: usize| self.sets.iter().any(|set| set.writes.len() > more_than);
        let reads = self.sets.iter().any(|set| !set.reads.is_empty());
        let columns: u64 = self.columns.iter().sum();
        let since = self.turned.map_or(u64::MAX, |before| columns - before);
        let due = if self.writing {
            !writes(low) || (reads && since >= u64::from(policy.write_queue))
        } else {
            let enough = since >= u64::from(policy.drain_high - policy.drain_low);
            (!reads && writes(low)) || (writes(policy.drain_high as usize - 1) && enough)
        };
        let hit_left = self.is_hit_left(self.writing);
        let mut turns = due;
        if due {
            let first = *self.due.get_or_insert(columns);
            if hit_left && columns < first + u64::from(policy.turn_hits_max) {
                turns = false;
            }
        }
        self.near |= self.comes_near(low);
        let wanted = self.writing || self.sets.iter().any(|set| set.writes.len() > low);
        if self.config.policy.turn_early && self.near && wanted && since >= 1 && !hit_left {
            turns |= self.is_hit_left(!self.writing);
        }
        if turns {
            self.writing = !self.writing;
            self.turned = Some(columns);
            (self.near, self.due) = (false, None);
            self.near = self.comes_near(low);
        }
    }

    /// Whether a turn becomes near.
    fn comes_near(&self, low: usize) -> bool {
        let policy = &self.config.policy;
        let ahead = policy.turn_lookahead as usize;
        let writes = |more_than: usize| self.sets.iter().any(|set| set.writes.len() > more_than);
        let columns: u64 = self.columns.iter().sum();
        let since = self.turned.map(|before| columns - before);
        let almost = |all: u32| since.is_none_or(|since| since + ahead as u64 >= u64::from(all));
        ahead > 0
            && if self.writing {
                !writes(low + ahead) || almost(policy.write_queue)
            } else {
                let high = (policy.drain_high as usize).saturating_sub(ahead);
                writes(high.max(1) - 1) && almost(policy.drain_high - policy.drain_low)
            }
    }

    /// Whether a hit is left for writes, or for reads.
    fn is_hit_left(&self, writes: bool) -> bool {
        let hits = |entry: &Entry| {
            let at = entry.location();
            self.bank(at).open == Some(at.row) && !self.withheld(at) && !self.rank(at).powered_down
        };
        self.sets.iter().any(|set| {
            let queue = if writes { &set.writes } else { &set.reads };
            queue.iter().any(hits)
        })
    }

    /// Notes for every entry what kind of clock this is.
    fn wait(&mut self) {
        let kind = |entry: &Entry| {
            let other_direction = (entry.request.kind == RequestKind::Write) != self.writing;
            let at = entry.location();
            let refreshed = self.now < self.bank(at).refreshed;
            (other_direction, refreshed || self.withheld(at))
        };
        let kinds: Vec<_> = self
            .sets
            .iter()
            .flat_map(QueueSet::entries)
            .map(kind)
            .collect();
        let entries = self.sets.iter_mut().flat_map(QueueSet::entries_mut);
        for (entry, (other_direction, withheld)) in entries.zip(kinds) {
            entry.waits.clock(other_direction, withheld);
        }
    }

    /// 4. Commands: the best candidate of a bus that is legal now.
    fn best(&self, bus: usize) -> Option<Candidate> {
        let mut candidates = Vec::new();
        for pseudo_channel in 0..self.config.geometry.pseudo_channels {
            if self.config.policy.shared_commands || usize::from(pseudo_channel) == bus {
                self.candidates(pseudo_channel, &mut candidates);
            }
        }
        candidates.sort_by_key(Candidate::order);
        candidates.into_iter().find(|candidate| {
            let closes = self.closes(candidate.command, candidate.location);
            self.history
                .allows(self.now, candidate.command, candidate.location, &closes)
        })
    }

    /// The open banks that a precharge closes.
    fn closes(&self, command: Command, at: Location) -> Vec<Location> {
        match command {
            Command::PrePb => vec![at],
            Command::PreSb => self.open_banks(at, Some(self.set_of_bank(at))),
            Command::PreAb => self.open_banks(at, None),
            _ => Vec::new(),
        }
    }

    /// What a command changes.
    fn issue(&mut self, bus: usize, chosen: &Candidate) {
        let Candidate {
            command,
            location,
            request,
            ..
        } = *chosen;
        let closes = self.closes(command, location);
        let at = self.now;
        let clocks = if command == Command::Act {
            self.config.timing.long_command
        } else if command.is_column() {
            self.config.timing.column_command
        } else {
            1
        };
        self.bus_free[bus] = at + u64::from(clocks);
        let steps = self.steps(command, location, &closes);
        let issued = Issued {
            at,
            command,
            location,
            request,
        };
        self.history.forget(at);
        self.history.add(&issued, &closes);
        let begins = self
            .sets
            .iter()
            .flat_map(QueueSet::entries)
            .map(|entry| entry.waits.begin());
        self.archive.forget(begins.min().unwrap_or(at));
        self.archive.add(&issued, &closes);
        if command.is_column() {
            self.column_clocks[usize::from(location.pseudo_channel)].push(at);
        }
        if command.is_column() && self.loses_slot(location.pseudo_channel) {
            self.history.lose_slot(at, location);
            self.archive.lose_slot(at, location);
        }
        self.commands.push(issued);
        self.rank_mut(location).last_command = at;
        for bank in closes {
            self.bank_mut(bank).open = None;
        }
        match command {
            Command::Act => {
                let bank = self.bank_mut(location);
                *bank = Bank {
                    open: Some(location.row),
                    touched: at,
                    counted: bank.counted + 1,
                    ..Bank::default()
                };
            }
            Command::Rd | Command::Wr => self.bank_mut(location).touched = at,
            Command::Rda | Command::Wra => {
                let bank = self.bank_mut(location);
                (bank.open, bank.touched) = (None, at);
            }
            Command::PrePb | Command::PreSb | Command::PreAb => {}
            Command::RefAb => {
                self.refresh(command, location);
                self.rank_mut(location).owed -= 1;
            }
            Command::RefSb => {
                self.refresh(command, location);
                let sets = self.config.geometry.refresh_sets;
                let set = self.set_of_bank(location);
                let rank = self.rank_mut(location);
                rank.owed -= 1;
                rank.kept = None;
                rank.round.push(set);
                if rank.round.len() == usize::from(sets) {
                    rank.round.clear();
                }
                self.keep(location);
            }
            Command::RfmAb | Command::RfmSb => self.refresh(command, location),
            Command::Pde => self.rank_mut(location).powered_down = true,
            Command::Pdx => self.rank_mut(location).powered_down = false,
        }
        if let Some(id) = request {
            let set = self.set_of(location.pseudo_channel);
            self.sets[set].entry_mut(id).waits.command(at, steps);
            self.serve(id, command, location);
        }
    }

    /// Whether a column command, already issued, loses a slot of the bus: by all columns of its pseudo-channel so far.
    fn loses_slot(&self, pseudo_channel: u8) -> bool {
        let loss = u64::from(self.config.policy.bus_loss_permille);
        let burst = u64::from(self.config.timing.burst);
        let columns = &self.column_clocks[usize::from(pseudo_channel)];
        // In thousandths of a clock.
        let (mut owed, mut before) = (0, None);
        for &at in columns {
            if let Some(before) = before {
                let idle: u64 = at - before;
                owed -= owed.min(idle.saturating_sub(burst) * (1000 - loss));
            }
            owed += burst * loss;
            before = Some(at);
        }
        let waits = u64::from(self.config.policy.bus_loss_waits_max).max(1);
        loss > 0 && owed >= waits * burst * (1000 - loss)
    }

    /// When the rules of a command were met, with their causes; first those of the row that a column command wants.
    fn steps(
        &self,
        command: Command,
        at: Location,
        closes: &[Location],
    ) -> Vec<(u64, Vec<WaitCause>)> {
        let mut steps = Vec::new();
        if command.is_column()
            && let Some((opened, ready)) = self.archive.opened(at)
        {
            steps = vec![
                (opened, vec![WaitCause::Bank]),
                (ready, vec![WaitCause::Activate]),
            ];
        }
        steps.extend(self.archive.last_met(command, at, closes));
        steps
    }

    /// Notes until when a refresh holds up banks.
    fn refresh(&mut self, command: Command, at: Location) {
        let (timing, now) = (self.config.timing.clone(), self.now);
        let sets = usize::from(self.config.geometry.refresh_sets);
        let set = usize::from(self.set_of_bank(at));
        let rfm = self.config.policy.rfm;
        let managed = matches!(command, Command::RfmAb | Command::RfmSb);
        let less = rfm.map_or(0, |rfm| if managed { rfm.raaimt } else { rfm.raadec });
        let clocks = match command {
            Command::RefAb => timing.rfc,
            Command::RefSb => timing.rfc_sb,
            _ => rfm.map_or(0, |rfm| rfm.clocks),
        };
        let all = matches!(command, Command::RefAb | Command::RfmAb);
        for (place, bank) in self.rank_mut(at).banks.iter_mut().enumerate() {
            let clocks = if all || place % sets == set {
                bank.free = now + u64::from(clocks);
                bank.counted = bank.counted.saturating_sub(less);
                clocks
            } else if bank.open.is_none() {
                timing.refsbrd
            } else {
                continue;
            };
            bank.refreshed = bank.refreshed.max(now + u64::from(clocks));
        }
    }

    /// Notes what was done for an entry; a column command is the last thing.
    fn serve(&mut self, id: u64, command: Command, location: Location) {
        let set = self.set_of(location.pseudo_channel);
        let entry = self.sets[set].entry_mut(id);
        match (command, entry.outcome) {
            (Command::PrePb, _) => entry.outcome = RowOutcome::Conflict,
            (Command::Act, RowOutcome::Hit) => entry.outcome = RowOutcome::Miss,
            _ => {}
        }
        if command.is_column() {
            let entry = self.sets[set].remove(id);
            let timing = &self.config.timing;
            let latency = match entry.request.kind {
                RequestKind::Read => timing.cl + timing.burst,
                RequestKind::Write => timing.cwl + timing.burst,
            };
            let finish = self.now + u64::from(latency);
            self.served.push(served(
                &entry.request,
                entry.admitted,
                self.now,
                finish,
                entry.outcome,
            ));
            self.waits.push(entry.waits);
            self.columns[usize::from(location.pseudo_channel)] += 1;
        }
    }

    fn set_of(&self, pseudo_channel: u8) -> usize {
        if self.config.policy.shared_queues {
            0
        } else {
            usize::from(pseudo_channel)
        }
    }

    fn rank_index(&self, at: Location) -> usize {
        usize::from(at.pseudo_channel) * usize::from(self.config.geometry.ranks)
            + usize::from(at.rank)
    }

    fn rank(&self, at: Location) -> &Rank {
        &self.ranks[self.rank_index(at)]
    }

    fn rank_mut(&mut self, at: Location) -> &mut Rank {
        let index = self.rank_index(at);
        &mut self.ranks[index]
    }

    /// Which set of banks for REFsb a bank belongs to.
    fn set_of_bank(&self, at: Location) -> u8 {
        let number = self.bank_index(at) % usize::from(self.config.geometry.refresh_sets);
        number as u8
    }

    fn bank_index(&self, at: Location) -> usize {
        usize::from(at.group) * usize::from(self.config.geometry.banks) + usize::from(at.bank)
    }

    fn bank(&self, at: Location) -> &Bank {
        &self.rank(at).banks[self.bank_index(at)]
    }

    fn bank_mut(&mut self, at: Location) -> &mut Bank {
        let index = self.bank_index(at);
        &mut self.rank_mut(at).banks[index]
    }
}

fn served(
    request: &Request,
    admitted: u64,
    issued: u64,
    finish: u64,
    outcome: RowOutcome,
) -> ServedRequest {
    ServedRequest {
        id: request.id,
        kind: request.kind,
        location: request.location,
        arrival: request.arrival,
        admitted,
        issued,
        finish,
        outcome,
        waits: Default::default(),
    }
}
