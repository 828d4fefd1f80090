//! What a controller does by itself: refresh, closing idle rows, power-down.

use std::ops::Range;

use super::SubChannel;
use super::choose::{CommandChoice, Deed};
use super::stamp::clock;
use super::state::{CLOSED, PRE};
use crate::command::{Command, Issued};
use crate::config::{PagePolicy, Refresh};
use crate::observer::Observer;
use crate::request::Location;
use crate::scheduler::Scheduler;

/// Classes of candidates in their order; those for requests lie between the first and the second.
const FORCED: u8 = 0;
const IDLE_ROW: u8 = 5;
const ENTRY: u8 = 6;

/// Added to the number of a rank that is not forced to refresh: it comes behind those of both pseudo-channels that are.
const AT_LEISURE: u64 = 1 << 20;

/// The same of one that manages: it comes behind all that refresh.
const MANAGEMENT: u64 = 1 << 21;

impl<O: Observer, S: Scheduler> SubChannel<O, S> {
    /// Counts refreshes that have fallen due.
    #[inline(never)]
    pub(super) fn refreshes_fall_due(&mut self, now: u64) {
        let interval = match self.policy.refresh {
            Refresh::Off => return,
            Refresh::AllBank => self.timing.refi,
            Refresh::SameBank => self.timing.refi_sb,
        };
        self.next_due = u64::MAX;
        for channel in 0..self.channel_count {
            for rank in 0..self.channels[channel & 1].ranks.len() {
                let of = &mut self.channels[channel & 1].ranks[rank];
                let mut more = false;
                while of.due <= now {
                    of.due += u64::from(interval);
                    of.owed += 1;
                    more = true;
                }
                self.next_due = self.next_due.min(of.due);
                if more {
                    if self.policy.refresh_aside > 0 {
                        self.admit_at = self.admit_at.min(now);
                    }
                    self.duty_changes(channel, rank, now);
                }
            }
        }
    }

    /// Ranks that may refresh ahead do so from the beginning.
    pub(super) fn begin_ahead(&mut self) {
        if self.policy.refresh_pulled_in_max == 0 || self.policy.refresh == Refresh::Off {
            return;
        }
        for channel in 0..self.channel_count {
            for rank in 0..self.channels[channel & 1].ranks.len() {
                self.duty_changes(channel, rank, 0);
            }
        }
    }

    /// Reckons anew what a rank must do, from a clock on, and whose banks are withheld.
    #[inline(never)]
    pub(super) fn duty_changes(&mut self, channel: usize, rank: usize, from: u64) {
        let of = &self.channels[channel & 1].ranks[rank];
        let before = (
            of.forced, of.next, of.must, of.pressed, of.target, of.manages,
        );
        let next = if of.forced {
            of.next
        } else {
            self.next_set(channel, rank)
        };
        let idle = if self.idle_first {
            self.is_set_idle(channel, rank, next)
        } else {
            of.queued == 0
        };
        let forced = of.owed > i64::from(self.policy.refresh_postponed_max);
        let refreshes = forced || (of.owed > of.ahead && idle);
        let managed = if refreshes {
            None
        } else {
            self.managed(channel, rank)
        };
        let (must, pressed, target) = match managed {
            Some((set, pressed)) => (true, pressed, set),
            None => (refreshes, forced, next),
        };
        let manages = managed.is_some();
        if (forced, next, must, pressed, target, manages) == before {
            return;
        }
        let of = &mut self.channels[channel & 1].ranks[rank];
        (of.forced, of.next) = (forced, next);
        (of.must, of.pressed, of.target, of.manages) = (must, pressed, target, manages);
        self.withhold(channel, rank, from);
        self.count_duties(channel);
        self.mark(channel, rank);
    }

    /// The set of banks that a rank must manage (0 for all of it), and whether it is forced to.
    fn managed(&self, channel: usize, rank: usize) -> Option<(u8, bool)> {
        let rfm = self.policy.rfm?;
        let all = self.policy.refresh == Refresh::AllBank;
        let banks = &self.channels[channel & 1].banks;
        let has = |set: u8, least: u32| {
            let mut of_rank = banks[self.banks_of_rank(rank)].iter();
            of_rank.any(|bank| bank.raa >= least && (all || bank.set == set))
        };
        let idle = |set: u8| {
            if all {
                self.channels[channel & 1].ranks[rank].queued == 0
            } else {
                self.is_set_idle(channel, rank, set)
            }
        };
        let mut sets = 0..if all { 1 } else { self.geometry.refresh_sets };
        let spent = sets.clone().find(|set| has(*set, rfm.raammt));
        if let Some(set) = spent {
            return Some((set, true));
        }
        let due = sets.find(|set| has(*set, rfm.raaimt) && idle(*set));
        due.map(|set| (set, false))
    }

    /// The set of banks that is next, where none stays so.
    fn next_set(&self, channel: usize, rank: usize) -> u8 {
        let round = self.channels[channel & 1].ranks[rank].round;
        let left = |set: &u8| round >> set & 1 == 0;
        let idle = |set: &u8| self.idle_first && self.is_set_idle(channel, rank, *set);
        let mut sets = (0..self.geometry.refresh_sets).filter(left);
        let first = sets.clone().next().unwrap_or(0);
        sets.find(idle).unwrap_or(first)
    }

    /// Whether no request of either kind is queued for a set of banks.
    fn is_set_idle(&self, channel: usize, rank: usize, set: u8) -> bool {
        let banks = self.banks_of_rank(rank).skip(usize::from(set));
        let mut banks = banks.step_by(usize::from(self.geometry.refresh_sets));
        banks.all(|bank| self.channels[channel & 1].banks[bank].is_idle())
    }

    /// Says which banks of a rank requests may not use.
    fn mark(&mut self, channel: usize, rank: usize) {
        let all = self.policy.refresh == Refresh::AllBank;
        let open = self.open_banks_of_refresh(channel, rank).next().is_some();
        let of = &mut self.channels[channel & 1].ranks[rank];
        let off = match (of.powered_down, of.must) {
            (Some(_), _) => u64::MAX,
            (None, true) if all => u64::MAX,
            (None, true) => 1 << of.target,
            (None, false) => 0,
        };
        let awaits_same_bank = of.pressed && !all && !open;
        if off != of.off || awaits_same_bank != of.awaits_same_bank {
            of.off = off;
            of.awaits_same_bank = awaits_same_bank;
            self.rechoose_rank(channel, rank);
        }
    }

    fn count_duties(&mut self, channel: usize) {
        let pc = &mut self.channels[channel & 1];
        pc.next = None;
        let busy = pc.ranks.iter().filter(|rank| rank.must);
        pc.duties = u32::try_from(busy.count()).unwrap_or(u32::MAX);
    }

    /// Keeps the books of for how long banks are withheld.
    fn withhold(&mut self, channel: usize, rank: usize, from: u64) {
        if !O::WAITS {
            return;
        }
        let of = &self.channels[channel & 1].ranks[rank];
        let (must, target) = (of.must, of.target);
        if self.policy.refresh == Refresh::AllBank {
            self.channels[channel & 1].withheld[rank].set(must, from);
            return;
        }
        for bank in self.banks_of_rank(rank) {
            let pc = &mut self.channels[channel & 1];
            let set = pc.banks[bank].set;
            pc.withheld[bank].set(must && target == set, from);
        }
    }

    /// The same of a refresh that takes some clocks. `set` is that of its banks, if not all are refreshed.
    fn withhold_refreshed(
        &mut self,
        channel: usize,
        rank: usize,
        set: Option<usize>,
        at: u64,
        clocks: u32,
    ) {
        if !O::WAITS {
            return;
        }
        let Some(set) = set else {
            let until = at + u64::from(clocks);
            self.channels[channel & 1].withheld[rank].refresh(at, until);
            return;
        };
        for bank in self.banks_of_rank(rank) {
            let pc = &mut self.channels[channel & 1];
            let of = &pc.banks[bank];
            let clocks = if usize::from(of.set) == set {
                clocks
            } else if of.open == CLOSED {
                self.timing.refsbrd
            } else {
                continue;
            };
            pc.withheld[bank].refresh(at, at + u64::from(clocks));
        }
    }

    pub(super) fn banks_of_rank(&self, rank: usize) -> Range<usize> {
        let banks = usize::from(self.geometry.groups) * usize::from(self.geometry.banks);
        rank * banks..(rank + 1) * banks
    }

    /// The first of everything that is done without a request.
    #[inline(never)]
    pub(super) fn duty(&self, channel: usize, floor: u64) -> CommandChoice {
        let ranks = 0..self.channels[channel & 1].ranks.len();
        let duties = ranks.filter_map(|rank| self.duty_of_rank(channel, rank, floor));
        let first = duties.fold(CommandChoice::NEVER, CommandChoice::better);
        match self.policy.page {
            PagePolicy::Timeout(idle) => first.better(self.idle_row(channel, idle, floor)),
            PagePolicy::Open | PagePolicy::Closed => first,
        }
    }

    fn duty_of_rank(&self, channel: usize, rank: usize, floor: u64) -> Option<CommandChoice> {
        let of = &self.channels[channel & 1].ranks[rank];
        let behind = match (of.forced, of.manages && of.powered_down.is_none()) {
            (true, _) => 0,
            (false, false) => AT_LEISURE,
            (false, true) => MANAGEMENT,
        };
        let own = |at: u64, class: u8, command: Command, bank: usize| {
            let deed = Deed::Own {
                command,
                rank,
                bank,
            };
            Some(CommandChoice::own(
                at.max(floor),
                class,
                rank as u64 + behind,
                channel,
                deed,
            ))
        };
        if let Some(since) = of.powered_down {
            let exit = since + u64::from(self.timing.pd);
            return if of.must || of.queued > 0 {
                own(exit, FORCED, Command::Pdx, 0)
            } else {
                None
            };
        }
        if of.must {
            let (open, close) = self.closing(channel, rank);
            let all = self.policy.refresh == Refresh::AllBank;
            let target = usize::from(of.target);
            let [all_banks, one_set] = if of.manages {
                [Command::RfmAb, Command::RfmSb]
            } else {
                [Command::RefAb, Command::RefSb]
            };
            return match (open, all) {
                (true, true) => own(close, FORCED, Command::PreAb, 0),
                (true, false) => own(close, FORCED, Command::PreSb, target),
                (false, true) => own(self.refresh_ok(channel, rank), FORCED, all_banks, 0),
                (false, false) => {
                    let ok = self.refresh_ok(channel, rank).max(of.refsb_ok);
                    own(ok, FORCED, one_set, target)
                }
            };
        }
        let idle = u64::from(self.policy.power_down?);
        if of.queued > 0 {
            return None;
        }
        own(
            of.pde_ok.max(of.last_command + idle),
            ENTRY,
            Command::Pde,
            0,
        )
    }

    /// Open banks of a rank that its next refresh takes.
    fn open_banks_of_refresh(
        &self,
        channel: usize,
        rank: usize,
    ) -> impl Iterator<Item = usize> + use<O, S> {
        let sets = usize::from(self.geometry.refresh_sets);
        let first = self.banks_of_rank(rank).start;
        let of = &self.channels[channel & 1].ranks[rank];
        let (target, all) = (
            usize::from(of.target),
            self.policy.refresh == Refresh::AllBank,
        );
        let mut open = of.open_banks;
        let each = move || {
            let bank = open.trailing_zeros() as usize;
            let some = open != 0;
            open &= open.wrapping_sub(1);
            some.then_some(bank)
        };
        std::iter::from_fn(each)
            .filter(move |bank| all || bank % sets == target)
            .map(move |bank| first + bank)
    }

    /// Whether any of these banks is open, and when they may all be closed.
    fn closing(&self, channel: usize, rank: usize) -> (bool, u64) {
        let pc = &self.channels[channel & 1];
        let mut ok = pc.rank_ok[rank][PRE];
        let mut open = false;
        for bank in self.open_banks_of_refresh(channel, rank) {
            open = true;
            ok = ok.max(pc.banks[bank].pre_ok);
        }
        (open, clock(ok))
    }

    /// When a refresh of closed banks may begin.
    fn refresh_ok(&self, channel: usize, rank: usize) -> u64 {
        let pc = &self.channels[channel & 1];
        let of = &pc.ranks[rank];
        let sets = usize::from(self.geometry.refresh_sets);
        let all = self.policy.refresh == Refresh::AllBank;
        let idle = (0..sets).filter(|&set| all || set == usize::from(of.target));
        let idle = idle.map(|set| pc.idle_ok[rank * sets + set]);
        idle.max().unwrap_or(0).max(of.ref_ok)
    }

    /// The first open row that no request has asked for long enough.
    fn idle_row(&self, channel: usize, idle: u32, floor: u64) -> CommandChoice {
        let pc = &self.channels[channel & 1];
        let rows = (0..pc.banks.len()).filter(|&bank| {
            pc.banks[bank].open != CLOSED && pc.banks[bank].is_idle() && !pc.is_off(bank)
        });
        let choices = rows.map(|bank| {
            let rank = pc.banks[bank].rank();
            let rule = pc.banks[bank].pre_ok.max(pc.rank_ok[rank][PRE]);
            let at = clock(rule).max(pc.banks[bank].touched + u64::from(idle));
            let deed = Deed::Own {
                command: Command::PrePb,
                rank,
                bank,
            };
            CommandChoice::own(at.max(floor), IDLE_ROW, bank as u64, channel, deed)
        });
        choices.fold(CommandChoice::NEVER, CommandChoice::better)
    }

    /// `bank` is its number for PREpb, that of the set for PREsb, REFsb and RFMsb.
    #[inline(never)]
    pub(super) fn issue_own(
        &mut self,
        channel: usize,
        command: Command,
        rank: usize,
        bank: usize,
        at: u64,
    ) {
        self.tell(channel, command, rank, bank, at);
        self.channels[channel & 1].next = None;
        self.channels[channel & 1].ranks[rank].last_command = at;
        match command {
            Command::PrePb => {
                let pc = &mut self.channels[channel & 1];
                pc.after_pre(&self.timing, rank, at);
                pc.close(&self.timing, bank, at);
                self.rechoose(channel, bank);
            }
            Command::PreAb | Command::PreSb => {
                self.channels[channel & 1].after_pre(&self.timing, rank, at);
                for bank in self.open_banks_of_refresh(channel, rank) {
                    self.channels[channel & 1].close(&self.timing, bank, at);
                    self.rechoose(channel, bank);
                }
                self.mark(channel, rank);
            }
            Command::RefAb | Command::RfmAb => {
                let clocks = self.clocks_of(command);
                let pc = &mut self.channels[channel & 1];
                pc.after_ref_all(&self.timing, &self.rules, rank, at, clocks);
                self.withhold_refreshed(channel, rank, None, at, clocks);
                self.refreshed_by(command, channel, rank, None, at);
            }
            Command::RefSb | Command::RfmSb => {
                let clocks = self.clocks_of(command);
                let apart = if command == Command::RefSb {
                    self.timing.refsb_gap
                } else {
                    clocks
                };
                let pc = &mut self.channels[channel & 1];
                pc.after_ref_same(&self.timing, rank, bank, at, [clocks, apart]);
                self.withhold_refreshed(channel, rank, Some(bank), at, clocks);
                self.rechoose_rank(channel, rank);
                self.refreshed_by(command, channel, rank, Some(bank), at);
            }
            Command::Pde => {
                self.channels[channel & 1].ranks[rank].powered_down = Some(at);
                self.mark(channel, rank);
            }
            Command::Pdx => {
                self.channels[channel & 1].ranks[rank].powered_down = None;
                self.channels[channel & 1].after_exit(&self.timing, rank, at);
                self.mark(channel, rank);
            }
            Command::Act | Command::Rd | Command::Rda | Command::Wr | Command::Wra => {}
        }
    }

    /// How long a refresh takes.
    fn clocks_of(&self, command: Command) -> u32 {
        match command {
            Command::RefAb => self.timing.rfc,
            Command::RefSb => self.timing.rfc_sb,
            _ => self.policy.rfm.map_or(0, |rfm| rfm.clocks),
        }
    }

    /// A refresh was done, of a set of banks or of all.
    fn refreshed_by(
        &mut self,
        command: Command,
        channel: usize,
        rank: usize,
        set: Option<usize>,
        at: u64,
    ) {
        let manages = matches!(command, Command::RfmAb | Command::RfmSb);
        if let Some(rfm) = self.policy.rfm {
            let less = if manages { rfm.raaimt } else { rfm.raadec };
            let banks = self.banks_of_rank(rank);
            for bank in &mut self.channels[channel & 1].banks[banks] {
                if set.is_none_or(|set| set == usize::from(bank.set)) {
                    bank.raa = bank.raa.saturating_sub(less);
                }
            }
        }
        if !manages {
            let of = &mut self.channels[channel & 1].ranks[rank];
            if let Some(set) = set {
                of.round |= 1 << set;
                if of.round.count_ones() == u32::from(self.geometry.refresh_sets) {
                    of.round = 0;
                }
            }
            of.owed -= 1;
            of.forced = false;
        }
        if self.policy.refresh_aside > 0 {
            self.admit_at = self.admit_at.min(at + 1);
        }
        self.duty_changes(channel, rank, at);
        // It may still have to refresh, but others of its banks.
        self.withhold(channel, rank, at);
        self.mark(channel, rank);
    }

    fn tell(&mut self, channel: usize, command: Command, rank: usize, bank: usize, at: u64) {
        let byte = |value: usize| u8::try_from(value).unwrap_or(u8::MAX);
        let banks = usize::from(self.geometry.banks);
        let location = match command {
            Command::PrePb => self.channels[channel & 1].banks[bank].location,
            _ => Location {
                pseudo_channel: byte(channel),
                rank: byte(rank),
                group: byte(bank / banks),
                bank: byte(bank % banks),
                ..Location::default()
            },
        };
        self.observer.command(&Issued {
            at,
            command,
            location,
            request: None,
        });
    }
}
