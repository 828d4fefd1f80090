//! What a command forbids for a while: the tables of `DESIGN.md`, applied once, when it is issued.

use std::ops::RangeInclusive;

use super::stamp::{Stamp, clock, put_off, raise, stamp};
use super::state::{ACT, BankState, CLOSED, PRE, PseudoChannel};
use crate::config::{ChannelGeometry, Policy};
use crate::observer::WaitCause;
use crate::timing::Timing;

/// What a column command of one kind puts off, as distances of stamps: first those of its own kind, then the others.
#[derive(Clone, Debug)]
pub(super) struct ColumnRules {
    bank: [Stamp; 2],
    group: [Stamp; 2],
    stack: [Stamp; 2],
    other_ranks: [Stamp; 2],
    pair: [Stamp; 2],
    pre: Stamp,
    rda: Stamp,
    pde: u64,
}

/// The tables of `DESIGN.md` as distances of stamps.
#[derive(Clone, Debug)]
pub(super) struct RuleTable {
    pub(super) column: [ColumnRules; 2],
    /// A burst, as the first cause has it: it may be added to any distance.
    burst: Stamp,
    rcd: Stamp,
    ras: Stamp,
    rc: Stamp,
    rrd_l: Stamp,
    /// Logical ranks of a stack, less one.
    stack_mask: usize,
}

impl RuleTable {
    pub(super) fn new(t: &Timing, geometry: &ChannelGeometry) -> Self {
        let bus = |clocks: u32| stamp(u64::from(clocks), WaitCause::Bus);
        let turn = |clocks: u32| stamp(u64::from(clocks), WaitCause::Turnaround);
        let bank = |clocks: u32| stamp(u64::from(clocks), WaitCause::Bank);
        let written = t.cwl + t.burst;
        let read = ColumnRules {
            bank: [bus(t.ccd_l), turn(t.rtw)],
            group: [bus(t.ccd_m), turn(t.rtw)],
            stack: [bus(t.ccd_s), turn(t.rtw)],
            other_ranks: [turn(t.burst + t.rank_gap), turn(t.rtw + t.rank_gap)],
            pair: [bus(t.pair_burst), turn(t.pair_rtw)],
            pre: bank(t.rtp),
            rda: 0,
            pde: u64::from(t.cl + t.burst + 1),
        };
        let switched = positive(written + t.rank_gap, t.cl);
        let write = ColumnRules {
            bank: [bus(t.ccd_l_wr), turn(written + t.wtr_l)],
            group: [bus(t.ccd_m_wr), turn(written + t.wtr_m)],
            stack: [bus(t.ccd_s_wr), turn(written + t.wtr_s)],
            other_ranks: [turn(t.burst + t.rank_gap), turn(switched)],
            pair: [bus(t.pair_burst), turn(t.pair_wtr)],
            pre: bank(written + t.wr),
            rda: bank(positive(written + t.wr, t.rtp)),
            pde: u64::from(written + t.wr + 1),
        };
        Self {
            column: [read, write],
            burst: stamp(u64::from(t.burst), WaitCause::ALL[0]),
            rcd: stamp(u64::from(t.rcd), WaitCause::Activate),
            ras: bank(t.ras),
            rc: bank(t.rc),
            rrd_l: stamp(u64::from(t.rrd_l), WaitCause::ActivationRate),
            stack_mask: usize::from(geometry.slices.max(1)) - 1,
        }
    }
}

impl PseudoChannel {
    /// Ranks of the stack of a rank. Slices are a power of two.
    fn stack_of(rules: &RuleTable, rank: usize) -> RangeInclusive<usize> {
        rank & !rules.stack_mask..=rank | rules.stack_mask
    }

    pub(super) fn after_act(&mut self, t: &Timing, rules: &RuleTable, bank: usize, at: u64) {
        let base = stamp(at, WaitCause::ALL[0]);
        let of = &mut self.banks[bank];
        let (rank, group, bit) = (of.rank(), usize::from(of.group), of.bit);
        for column_ok in &mut of.column_ok {
            raise(column_ok, base + rules.rcd);
        }
        of.row_ready = at + u64::from(t.rcd);
        raise(&mut of.pre_ok, base + rules.ras);
        raise(&mut of.act_ok, base + rules.rc);
        raise(&mut self.group_ok[group][ACT], base + rules.rrd_l);
        let after = |clocks: u32| at + u64::from(clocks);
        let of = &mut self.ranks[rank];
        of.open_banks |= 1 << bit;
        of.refsb_ok = of.refsb_ok.max(after(t.rrd_l));
        of.pde_ok = of.pde_ok.max(after(t.pden));
        let fifth = next_of_four(&mut of.faw, &mut of.faw_next, after(t.faw));
        let next = after(t.rrd_s).max(fifth);
        put_off(
            &mut self.rank_ok[rank][ACT],
            next,
            WaitCause::ActivationRate,
        );
        if rules.stack_mask > 0 {
            self.after_act_of_stack(t, rules, rank, at);
        }
    }

    fn after_act_of_stack(&mut self, t: &Timing, rules: &RuleTable, rank: usize, at: u64) {
        let stack = Self::stack_of(rules, rank);
        let of = &mut self.stacks[*stack.start()];
        let faw = at + u64::from(t.faw_dlr);
        let fifth = next_of_four(&mut of.faw, &mut of.faw_next, faw);
        let apart = at + u64::from(t.rrd_dlr);
        for slice in stack {
            let next = if slice == rank {
                fifth
            } else {
                fifth.max(apart)
            };
            put_off(
                &mut self.rank_ok[slice][ACT],
                next,
                WaitCause::ActivationRate,
            );
        }
    }

    /// A column command puts off those of its bank, group, rank, stack and pseudo-channel.
    #[inline(always)]
    pub(super) fn after_column(&mut self, rules: &RuleTable, bank: usize, kind: usize, at: u64) {
        // Which fields are meant is known to the compiler, for either kind.
        if kind == 0 {
            self.after_column_of_kind(&rules.column[0], rules.stack_mask, bank, 0, at);
        } else {
            self.after_column_of_kind(&rules.column[1], rules.stack_mask, bank, 1, at);
        }
    }

    #[inline(always)]
    fn after_column_of_kind(
        &mut self,
        rules: &ColumnRules,
        stack_mask: usize,
        bank: usize,
        kind: usize,
        at: u64,
    ) {
        let base = stamp(at, WaitCause::ALL[0]);
        let other = 1 - kind;
        let of = &mut self.banks[bank];
        let (rank, group) = (of.rank(), usize::from(of.group));
        of.touched = at;
        // What has just been issued was allowed, hence nothing asks for more than this.
        of.column_ok[kind] = base + rules.bank[0];
        raise(&mut of.pre_ok, base + rules.pre);
        let group_ok = &mut self.group_ok[group];
        group_ok[kind] = base + rules.group[0];
        // A read puts off no RDA, and writes by tRTW wherever they go: its rank says as much as its bank and group.
        if kind == 1 {
            raise(&mut of.column_ok[other], base + rules.bank[1]);
            raise(&mut of.rda_ok, base + rules.rda);
            raise(&mut group_ok[other], base + rules.group[1]);
        }
        let of = &mut self.ranks[rank];
        of.last_command = at;
        of.pde_ok = of.pde_ok.max(at + rules.pde);
        let mut least = [Stamp::MAX; 2];
        let stack = rank | stack_mask;
        let same = [base + rules.stack[0], base + rules.stack[1]];
        let others = [base + rules.other_ranks[0], base + rules.other_ranks[1]];
        for (one, rank_ok) in self.rank_ok.iter_mut().enumerate() {
            let to = if one | stack_mask == stack {
                same
            } else {
                others
            };
            let own = rank_ok[kind].max(to[0]);
            let its = rank_ok[other].max(to[1]);
            (rank_ok[kind], rank_ok[other]) = (own, its);
            (least[kind], least[other]) = (least[kind].min(own), least[other].min(its));
        }
        self.any_rank_ok = least;
    }

    /// Counts a column command where so many of 1000 slots are lost. Whether it loses one.
    #[inline(never)]
    pub(super) fn is_slot_lost(&mut self, policy: &Policy, burst: u32, at: u64) -> bool {
        let permille = policy.bus_loss_permille;
        let (loss, rest) = (u64::from(permille), 1000 - u64::from(permille));
        let burst = u64::from(burst);
        let idle = at - self.bus_taken_until.min(at);
        self.bus_taken_until = at + burst;
        self.lost = self.lost.saturating_sub(idle.saturating_mul(rest)) + burst * loss;
        self.lost >= u64::from(policy.bus_loss_waits_max).max(1) * burst * rest
    }

    /// After a column command that loses a slot of the bus, its distances to later ones are a burst longer.
    #[cold]
    #[inline(never)]
    pub(super) fn lose_slot(&mut self, rules: &RuleTable, bank: usize, kind: usize, at: u64) {
        let late = stamp(at, WaitCause::ALL[0]) + rules.burst;
        let (of_kind, other) = (&rules.column[kind & 1], 1 - (kind & 1));
        let of = &mut self.banks[bank];
        let (rank, group) = (of.rank(), usize::from(of.group));
        raise(&mut of.column_ok[kind & 1], late + of_kind.bank[0]);
        raise(&mut self.group_ok[group][kind & 1], late + of_kind.group[0]);
        // How long a write waits for a read is the rank's alone.
        if kind == 1 {
            raise(&mut of.column_ok[other], late + of_kind.bank[1]);
            raise(&mut self.group_ok[group][other], late + of_kind.group[1]);
        }
        let stack = rank | rules.stack_mask;
        for (one, rank_ok) in self.rank_ok.iter_mut().enumerate() {
            let to = if one | rules.stack_mask == stack {
                of_kind.stack
            } else {
                of_kind.other_ranks
            };
            raise(&mut rank_ok[kind & 1], late + to[0]);
            raise(&mut rank_ok[other], late + to[1]);
        }
        self.find_any_rank_ok();
    }

    /// A column command of the other pseudo-channel.
    pub(super) fn after_pair(&mut self, rules: &RuleTable, kind: usize, at: u64) {
        let base = stamp(at, WaitCause::ALL[0]);
        let (of_kind, other) = (&rules.column[kind], 1 - kind);
        // What is not put off beyond this clock may still be what comes next; the other direction makes all anew.
        if clock(of_kind.pair[0]) > 0 {
            self.next = None;
        }
        for rank_ok in &mut self.rank_ok {
            raise(&mut rank_ok[kind], base + of_kind.pair[0]);
            raise(&mut rank_ok[other], base + of_kind.pair[1]);
        }
        self.find_any_rank_ok();
    }

    fn find_any_rank_ok(&mut self) {
        for kind in 0..2 {
            let ranks = self.rank_ok.iter().map(|of| of[kind]);
            self.any_rank_ok[kind] = ranks.min().unwrap_or(0);
        }
    }

    /// A bank is precharged from a clock on: by a PRE then, or by itself.
    pub(super) fn close(&mut self, t: &Timing, bank: usize, from: u64) {
        let (rp, pden) = (u64::from(t.rp), u64::from(t.pden));
        let of = &mut self.banks[bank];
        of.open = CLOSED;
        put_off(&mut of.act_ok, from + rp, WaitCause::Bank);
        let idle = &mut self.idle_ok[usize::from(of.place)];
        *idle = (*idle).max(from + rp);
        let rank = &mut self.ranks[of.rank()];
        rank.open_banks &= !(1 << of.bit);
        rank.pde_ok = rank.pde_ok.max(from + pden);
    }

    /// A column command closed its row: it is precharged as soon as a PRE would be legal.
    pub(super) fn close_by_itself(&mut self, t: &Timing, bank: usize) {
        // What the command itself asks for stands in the bank's stamp by now.
        let from = clock(self.banks[bank].pre_ok);
        self.close(t, bank, from);
    }

    /// A PRE command, whichever banks it closes.
    pub(super) fn after_pre(&mut self, t: &Timing, rank: usize, at: u64) {
        let ppd = at + u64::from(t.ppd);
        put_off(&mut self.rank_ok[rank][PRE], ppd, WaitCause::Bank);
        let of = &mut self.ranks[rank];
        of.pde_ok = of.pde_ok.max(at + u64::from(t.pden));
    }

    /// REFab, or RFMab, which takes some clocks.
    pub(super) fn after_ref_all(
        &mut self,
        t: &Timing,
        rules: &RuleTable,
        rank: usize,
        at: u64,
        clocks: u32,
    ) {
        let until = at + u64::from(clocks);
        let apart = at + u64::from(t.rfc_dlr);
        put_off(&mut self.rank_ok[rank][ACT], until, WaitCause::Refresh);
        self.refreshed[rank] = until;
        for slice in Self::stack_of(rules, rank) {
            let of = &mut self.ranks[slice];
            of.ref_ok = of.ref_ok.max(if slice == rank { until } else { apart });
        }
        let of = &mut self.ranks[rank];
        of.pde_ok = of.pde_ok.max(until);
    }

    /// The same of REFsb or RFMsb of a set of banks, which takes some clocks, and lets the next one of the rank wait for
    /// others.
    pub(super) fn after_ref_same(
        &mut self,
        t: &Timing,
        rank: usize,
        set: usize,
        at: u64,
        [clocks, apart]: [u32; 2],
    ) {
        let until = at + u64::from(clocks);
        let others = at + u64::from(t.refsbrd);
        put_off(&mut self.rank_ok[rank][ACT], others, WaitCause::Refresh);
        let banks = self.banks.iter_mut();
        let refreshed = |bank: &&mut BankState| bank.rank() == rank && usize::from(bank.set) == set;
        for bank in banks.filter(refreshed) {
            put_off(&mut bank.act_ok, until, WaitCause::Refresh);
            self.refreshed[usize::from(bank.withheld)] = until;
        }
        let sets = self.idle_ok.len() / self.ranks.len();
        let idle = &mut self.idle_ok[rank * sets + set];
        *idle = (*idle).max(until);
        let of = &mut self.ranks[rank];
        of.ref_ok = of.ref_ok.max(at + u64::from(apart));
        of.pde_ok = of.pde_ok.max(until);
    }

    pub(super) fn after_exit(&mut self, t: &Timing, rank: usize, at: u64) {
        let until = at + u64::from(t.xp);
        for slot in &mut self.rank_ok[rank] {
            put_off(slot, until, WaitCause::PowerDown);
        }
        let of = &mut self.ranks[rank];
        of.ref_ok = of.ref_ok.max(until);
        of.pde_ok = of.pde_ok.max(until);
        self.find_any_rank_ok();
    }
}

/// A distance that a subtraction must not bring below one clock.
fn positive(clocks: u32, less: u32) -> u32 {
    clocks.saturating_sub(less).max(1)
}

/// Notes that an ACT ceases to count at a clock, and says when the fourth-last one does.
fn next_of_four(four: &mut [u64; 4], next: &mut u8, until: u64) -> u64 {
    four[usize::from(*next)] = until;
    *next = (*next + 1) % 4;
    four[usize::from(*next)]
}
