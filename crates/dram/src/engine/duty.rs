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

/// Classes of candidates, as `DESIGN.md` numbers them.
const FORCED: u8 = 0;
const IDLE_ROW: u8 = 3;
const ENTRY: u8 = 4;

impl<O: Observer> SubChannel<O> {
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
                    self.duty_changes(channel, rank, now);
                }
            }
        }
    }

    /// Reckons anew whether a rank must refresh, from a clock on, and whose banks are withheld.
    #[inline(never)]
    pub(super) fn duty_changes(&mut self, channel: usize, rank: usize, from: u64) {
        let most = self.policy.refresh_postponed_max;
        let of = &mut self.channels[channel & 1].ranks[rank];
        let must = of.owed > most || (of.owed >= 1 && of.queued == 0);
        if must == of.must {
            return;
        }
        of.must = must;
        self.withhold(channel, rank, from);
        self.count_duties(channel);
        self.mark(channel, rank);
    }

    /// Says which banks of a rank requests may not use.
    fn mark(&mut self, channel: usize, rank: usize) {
        let all = self.policy.refresh == Refresh::AllBank;
        let open = self.open_banks_of_refresh(channel, rank).next().is_some();
        let of = &mut self.channels[channel & 1].ranks[rank];
        let off = match (of.powered_down, of.must) {
            (Some(_), _) => u16::MAX,
            (None, true) if all => u16::MAX,
            (None, true) => 1 << of.next,
            (None, false) => 0,
        };
        let awaits_same_bank = of.must && !all && !open;
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
        let (must, next) = (of.must, of.next);
        if self.policy.refresh == Refresh::AllBank {
            self.channels[channel & 1].withheld[rank].set(must, from);
            return;
        }
        for bank in self.banks_of_rank(rank) {
            let pc = &mut self.channels[channel & 1];
            let set = pc.banks[bank].set;
            pc.withheld[bank].set(must && next == set, from);
        }
    }

    /// The same of a refresh. `set` is that of its banks, if not all are refreshed.
    fn withhold_refreshed(&mut self, channel: usize, rank: usize, set: Option<usize>, at: u64) {
        if !O::WAITS {
            return;
        }
        let timing = &self.timing;
        let Some(set) = set else {
            let until = at + u64::from(timing.rfc);
            self.channels[channel & 1].withheld[rank].refresh(at, until);
            return;
        };
        for bank in self.banks_of_rank(rank) {
            let pc = &mut self.channels[channel & 1];
            let of = &pc.banks[bank];
            let clocks = if usize::from(of.set) == set {
                timing.rfc_sb
            } else if of.open == CLOSED {
                timing.refsbrd
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
        let own = |at: u64, class: u8, command: Command, bank: usize| {
            let deed = Deed::Own {
                command,
                rank,
                bank,
            };
            Some(CommandChoice::own(
                at.max(floor),
                class,
                rank as u64,
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
            return match (open, all) {
                (true, true) => own(close, FORCED, Command::PreAb, 0),
                (true, false) => own(close, FORCED, Command::PreSb, usize::from(of.next)),
                (false, true) => own(self.refresh_ok(channel, rank), FORCED, Command::RefAb, 0),
                (false, false) => {
                    let ok = self.refresh_ok(channel, rank).max(of.refsb_ok);
                    own(ok, FORCED, Command::RefSb, usize::from(of.next))
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
    ) -> impl Iterator<Item = usize> + use<O> {
        let sets = usize::from(self.geometry.refresh_sets);
        let first = self.banks_of_rank(rank).start;
        let of = &self.channels[channel & 1].ranks[rank];
        let (next, all) = (
            usize::from(of.next),
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
            .filter(move |bank| all || bank % sets == next)
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
        let idle = (0..sets)
            .filter(|&set| self.policy.refresh == Refresh::AllBank || set == usize::from(of.next));
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

    /// `bank` is its number for PREpb, that of the set for PREsb and REFsb.
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
            Command::RefAb => {
                self.channels[channel & 1].after_ref_all(&self.timing, &self.rules, rank, at);
                self.withhold_refreshed(channel, rank, None, at);
                self.paid(channel, rank, at);
            }
            Command::RefSb => {
                let sets = usize::from(self.geometry.refresh_sets);
                self.channels[channel & 1].after_ref_same(&self.timing, sets, rank, bank, at);
                self.withhold_refreshed(channel, rank, Some(bank), at);
                self.rechoose_rank(channel, rank);
                let of = &mut self.channels[channel & 1].ranks[rank];
                of.next = (of.next + 1) % self.geometry.refresh_sets;
                self.paid(channel, rank, at);
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

    /// A refresh was done: the rank owes one less.
    fn paid(&mut self, channel: usize, rank: usize, at: u64) {
        self.channels[channel & 1].ranks[rank].owed -= 1;
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
