//! Counts what energy depends on.

use crate::command::{Command, Issued};
use crate::config::{ChannelGeometry, SubChannelConfig};
use crate::energy::EnergyCounts;
use crate::observer::Observer;
use crate::request::Location;

/// Watches a sub-channel of the configuration that it was made for and integrates, between its commands only, the time
/// that its ranks spend in their states.
///
/// A bank is open from its ACT to its PRE, or to where its auto-precharge starts (`p` of `DESIGN.md`), which may lie
/// ahead of the command.
#[derive(Clone, Debug)]
pub struct EnergyMeter {
    counts: EnergyCounts,
    from: u64,
    ranks: Vec<RankState>,
    banks: Vec<MeteredBank>,
    shape: BankIndex,
    distances: Distances,
}

/// What finds a bank in the list of all.
#[derive(Clone, Copy, Debug)]
struct BankIndex {
    ranks: usize,
    groups: usize,
    banks: usize,
    /// From a bank to the next one of its set that REFsb refreshes.
    set_step: usize,
}

/// Clocks between what is seen and what follows from it by itself.
#[derive(Clone, Copy, Debug)]
struct Distances {
    /// ACT to the earliest precharge.
    opened: u64,
    /// RDA to its precharge.
    read: u64,
    /// WRA to its precharge.
    written: u64,
    /// tRFC.
    refresh_all_bank: u64,
    /// tRFCsb.
    refresh_same_bank: u64,
    /// tRFM.
    managed: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct RankState {
    /// Everything before this clock is in the counts.
    since: u64,
    /// Banks open whose closing is not known yet.
    open: u64,
    /// Last clock at which an auto-precharge that was commanded starts.
    closing_until: u64,
    powered_down: bool,
    /// Where the last REFab's tRFC ends.
    refresh_all_bank_until: u64,
    /// Where the tRFCsb of the last REFsb and RFMsb commands end: more than one may be under way.
    refresh_same_bank_until: [u64; 4],
}

#[derive(Clone, Copy, Debug, Default)]
struct MeteredBank {
    open: bool,
    /// Clock of the last ACT.
    opened: u64,
    /// Clock at which the bank closed after that, perhaps ahead.
    closed: u64,
}

impl EnergyMeter {
    /// Watches from clock 0.
    #[must_use]
    pub fn new(config: &SubChannelConfig) -> Self {
        let ChannelGeometry {
            pseudo_channels,
            ranks,
            groups,
            banks,
            refresh_sets,
            ..
        } = config.geometry;
        let shape = BankIndex {
            ranks: ranks.into(),
            groups: groups.into(),
            banks: banks.into(),
            set_step: refresh_sets.max(1).into(),
        };
        let all_ranks = usize::from(pseudo_channels) * shape.ranks;
        let timing = &config.timing;
        Self {
            counts: EnergyCounts::default(),
            from: 0,
            ranks: vec![RankState::default(); all_ranks],
            banks: vec![MeteredBank::default(); all_ranks * shape.groups * shape.banks],
            shape,
            distances: Distances {
                opened: timing.ras.into(),
                read: timing.rtp.into(),
                written: u64::from(timing.cwl) + u64::from(timing.burst) + u64::from(timing.wr),
                refresh_all_bank: timing.rfc.into(),
                refresh_same_bank: timing.rfc_sb.into(),
                managed: config.policy.rfm.map_or(0, |rfm| rfm.clocks.into()),
            },
        }
    }

    /// Forgets what was before a clock: the measured part begins.
    ///
    /// To be called when the sub-channel has been run up to this clock and no further.
    pub fn begin(&mut self, at: u64) {
        let mut counts = EnergyCounts::default();
        self.settle_all(at);
        self.add_known_beyond(at, &mut counts);
        self.counts = counts;
        self.from = at;
    }

    /// What was counted since [`begin`](Self::begin), up to a clock: that to which the sub-channel has been run.
    pub fn end(&mut self, at: u64) -> EnergyCounts {
        self.settle_all(at);
        let mut beyond = EnergyCounts::default();
        self.add_known_beyond(at, &mut beyond);
        let counts = self.counts;
        EnergyCounts {
            clocks: at.saturating_sub(self.from),
            open_standby: counts.open_standby.saturating_sub(beyond.open_standby),
            refresh_all_bank: counts
                .refresh_all_bank
                .saturating_sub(beyond.refresh_all_bank),
            refresh_same_bank: counts
                .refresh_same_bank
                .saturating_sub(beyond.refresh_same_bank),
            ..counts
        }
    }

    fn settle_all(&mut self, at: u64) {
        for rank in &mut self.ranks {
            rank.settle(at, &mut self.counts);
        }
    }

    /// Adds what commands before a clock have put into the counts of the clocks from there on.
    fn add_known_beyond(&self, at: u64, counts: &mut EnergyCounts) {
        for bank in self.banks.iter().filter(|bank| !bank.open) {
            counts.open_standby += bank.closed.saturating_sub(at);
        }
        for rank in &self.ranks {
            counts.refresh_all_bank += rank.refresh_all_bank_until.saturating_sub(at);
            let under_way = rank.refresh_same_bank_until.iter();
            let beyond = under_way.map(|until| until.saturating_sub(at));
            counts.refresh_same_bank += beyond.sum::<u64>();
        }
    }

    #[inline]
    fn rank(&self, location: &Location) -> usize {
        usize::from(location.pseudo_channel) * self.shape.ranks + usize::from(location.rank)
    }

    #[inline]
    fn bank(&self, rank: usize, group: usize, bank: usize) -> usize {
        (rank * self.shape.groups + group) * self.shape.banks + bank
    }

    fn refresh_all_banks(&mut self, at: u64, rank: usize, clocks: u64) {
        self.counts.refresh_all_bank += clocks;
        self.ranks[rank].refresh_all_bank_until = at + clocks;
    }

    fn refresh_one_set(&mut self, at: u64, rank: usize, clocks: u64) {
        self.counts.refresh_same_bank += clocks;
        let until = &mut self.ranks[rank].refresh_same_bank_until;
        until.rotate_left(1);
        until[3] = at + clocks;
    }

    #[inline]
    fn activate(&mut self, at: u64, rank: usize, bank: usize) {
        self.ranks[rank].settle(at, &mut self.counts);
        self.ranks[rank].open += 1;
        self.banks[bank] = MeteredBank {
            open: true,
            opened: at,
            closed: 0,
        };
    }

    /// A command closes a bank, at a clock that may lie ahead of it. Banks that are closed already stay so.
    #[inline]
    fn close(&mut self, at: u64, rank: usize, bank: usize, closed: u64) {
        let (bank, rank) = (&mut self.banks[bank], &mut self.ranks[rank]);
        if bank.open {
            rank.settle(at, &mut self.counts);
            self.counts.open_standby += closed.saturating_sub(at);
            rank.open -= 1;
            rank.closing_until = rank.closing_until.max(closed);
            bank.open = false;
            bank.closed = closed;
        }
    }

    /// RDA or WRA: the precharge starts when tRAS and the command allow it.
    #[inline]
    fn close_after(&mut self, at: u64, rank: usize, bank: usize, distance: u64) {
        let closed = (at + distance).max(self.banks[bank].opened + self.distances.opened);
        self.close(at, rank, bank, closed);
    }
}

impl RankState {
    /// Puts the clocks up to `at` into the counts, by the state that the rank has had since the last call.
    #[inline]
    fn settle(&mut self, at: u64, counts: &mut EnergyCounts) {
        let clocks = at.saturating_sub(self.since);
        if self.powered_down {
            if self.open > 0 {
                counts.active_power_down += clocks;
                counts.open_power_down += clocks * self.open;
            } else {
                counts.precharge_power_down += clocks;
            }
        } else if self.open > 0 {
            counts.active_standby += clocks;
            counts.open_standby += clocks * self.open;
        } else {
            let closing = self.closing_until.saturating_sub(self.since).min(clocks);
            counts.active_standby += closing;
            counts.precharge_standby += clocks - closing;
        }
        self.since = self.since.max(at);
    }
}

impl Observer for EnergyMeter {
    #[inline]
    fn command(&mut self, issued: &Issued) {
        self.counts.commands[issued.command as usize] += 1;
        // Most commands are these, and change no state.
        if matches!(issued.command, Command::Rd | Command::Wr) {
            return;
        }
        let of = &issued.location;
        let bank = [of.group, of.bank].map(usize::from);
        self.changes_state(issued.at, issued.command, self.rank(of), bank);
    }
}

impl EnergyMeter {
    /// What it needs of the command comes apart: for the others none need be put together in memory.
    #[inline(never)]
    fn changes_state(
        &mut self,
        at: u64,
        command: Command,
        rank: usize,
        [group, index]: [usize; 2],
    ) {
        let bank = self.bank(rank, group, index);
        match command {
            Command::Rd | Command::Wr => {}
            Command::Act => self.activate(at, rank, bank),
            Command::Rda => self.close_after(at, rank, bank, self.distances.read),
            Command::Wra => self.close_after(at, rank, bank, self.distances.written),
            Command::PrePb => self.close(at, rank, bank, at),
            Command::PreSb => {
                let end = self.bank(rank + 1, 0, 0);
                for bank in (bank..end).step_by(self.shape.set_step) {
                    self.close(at, rank, bank, at);
                }
            }
            Command::PreAb => {
                for bank in self.bank(rank, 0, 0)..self.bank(rank + 1, 0, 0) {
                    self.close(at, rank, bank, at);
                }
            }
            Command::RefAb => self.refresh_all_banks(at, rank, self.distances.refresh_all_bank),
            Command::RefSb => self.refresh_one_set(at, rank, self.distances.refresh_same_bank),
            // An RFM draws what a refresh draws, for as long as it lasts.
            Command::RfmAb => self.refresh_all_banks(at, rank, self.distances.managed),
            Command::RfmSb => self.refresh_one_set(at, rank, self.distances.managed),
            Command::Pde | Command::Pdx => {
                self.ranks[rank].settle(at, &mut self.counts);
                self.ranks[rank].powered_down = command == Command::Pde;
            }
        }
    }
}
