//! What a command forbids for a while: the tables of `DESIGN.md`, applied once, when it is issued.

use super::SubChannel;
use super::stamp::{Stamp, clock, put_off, raise, stamp};
use super::state::{ACT, CLOSED, PRE, SLOTS};
use crate::config::Geometry;
use crate::observer::{Cause, Observer};
use crate::timing::Timing;

/// What a column command of one kind puts off, as distances of stamps: first those of its own kind, then the others.
#[derive(Clone, Debug)]
struct ColumnRules {
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
pub(super) struct Rules {
    column: [ColumnRules; 2],
    rcd: Stamp,
    ras: Stamp,
    rc: Stamp,
    rrd_l: Stamp,
    /// Logical ranks of a stack, less one.
    stack_mask: usize,
}

impl Rules {
    pub(super) fn new(t: &Timing, geometry: &Geometry) -> Self {
        let bus = |clocks: u32| stamp(u64::from(clocks), Cause::Bus);
        let turn = |clocks: u32| stamp(u64::from(clocks), Cause::Turnaround);
        let bank = |clocks: u32| stamp(u64::from(clocks), Cause::Bank);
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
            rcd: stamp(u64::from(t.rcd), Cause::Activate),
            ras: bank(t.ras),
            rc: bank(t.rc),
            rrd_l: stamp(u64::from(t.rrd_l), Cause::ActivationRate),
            stack_mask: usize::from(geometry.slices.max(1)) - 1,
        }
    }
}

impl<O: Observer> SubChannel<O> {
    /// Ranks of the stack of a rank. Slices are a power of two.
    fn stack_of(&self, rank: usize) -> std::ops::RangeInclusive<usize> {
        let mask = self.rules.stack_mask;
        rank & !mask..=rank | mask
    }

    pub(super) fn after_act(&mut self, channel: usize, bank: usize, at: u64) {
        let (t, rules, base) = (&self.timing, &self.rules, stamp(at, Cause::ALL[0]));
        let pc = &mut self.channels[channel];
        let of = &mut pc.banks[bank];
        let (rank, group) = (usize::from(of.rank), usize::from(of.group));
        for column_ok in &mut of.column_ok {
            raise(column_ok, base + rules.rcd);
        }
        raise(&mut of.pre_ok, base + rules.ras);
        raise(&mut of.act_ok, base + rules.rc);
        raise(&mut pc.group_ok[group * SLOTS + ACT], base + rules.rrd_l);
        let after = |clocks: u32| at + u64::from(clocks);
        let of = &mut pc.ranks[rank];
        of.refsb_ok = of.refsb_ok.max(after(t.rrd_l));
        of.pde_ok = of.pde_ok.max(after(t.pden));
        let fifth = next_of_four(&mut of.faw, &mut of.faw_next, after(t.faw));
        put_off(
            &mut pc.rank_ok[rank * SLOTS + ACT],
            after(t.rrd_s).max(fifth),
            Cause::ActivationRate,
        );
        if self.rules.stack_mask > 0 {
            self.after_act_of_stack(channel, rank, at);
        }
    }

    fn after_act_of_stack(&mut self, channel: usize, rank: usize, at: u64) {
        let stack = self.stack_of(rank);
        let faw = at + u64::from(self.timing.faw_dlr);
        let apart = at + u64::from(self.timing.rrd_dlr);
        let pc = &mut self.channels[channel];
        let of = &mut pc.stacks[*stack.start()];
        let fifth = next_of_four(&mut of.faw, &mut of.faw_next, faw);
        for slice in stack {
            let apart = if slice == rank { 0 } else { apart };
            put_off(
                &mut pc.rank_ok[slice * SLOTS + ACT],
                apart.max(fifth),
                Cause::ActivationRate,
            );
        }
    }

    /// A column command puts off those of its bank, group, rank, stack and pseudo-channel, and of the other one.
    #[inline]
    pub(super) fn after_column(&mut self, channel: usize, bank: usize, kind: usize, at: u64) {
        let stack_mask = self.rules.stack_mask;
        let (rules, base) = (&self.rules.column[kind], stamp(at, Cause::ALL[0]));
        let other = 1 - kind;
        let pc = &mut self.channels[channel];
        let of = &mut pc.banks[bank];
        let (rank, group) = (usize::from(of.rank), usize::from(of.group));
        raise(&mut of.column_ok[kind], base + rules.bank[0]);
        raise(&mut of.column_ok[other], base + rules.bank[1]);
        raise(&mut of.pre_ok, base + rules.pre);
        raise(&mut of.rda_ok, base + rules.rda);
        let group_ok = &mut pc.group_ok[group * SLOTS..][..SLOTS];
        raise(&mut group_ok[kind], base + rules.group[0]);
        raise(&mut group_ok[other], base + rules.group[1]);
        for (one, rank_ok) in pc.rank_ok.chunks_exact_mut(SLOTS).enumerate() {
            let same_stack = one | stack_mask == rank | stack_mask;
            let distances = if same_stack {
                rules.stack
            } else {
                rules.other_ranks
            };
            raise(&mut rank_ok[kind], base + distances[0]);
            raise(&mut rank_ok[other], base + distances[1]);
        }
        let of = &mut pc.ranks[rank];
        of.pde_ok = of.pde_ok.max(at + rules.pde);
        if let Some(pair) = self.channels.get_mut(1 - channel) {
            for rank_ok in pair.rank_ok.chunks_exact_mut(SLOTS) {
                raise(&mut rank_ok[kind], base + rules.pair[0]);
                raise(&mut rank_ok[other], base + rules.pair[1]);
            }
        }
    }

    /// A bank is precharged from a clock on: by a PRE then, or by itself.
    pub(super) fn close(&mut self, channel: usize, bank: usize, from: u64) {
        let (rp, pden) = (u64::from(self.timing.rp), u64::from(self.timing.pden));
        let pc = &mut self.channels[channel];
        let rank = usize::from(pc.banks[bank].rank);
        pc.banks[bank].open = CLOSED;
        put_off(&mut pc.banks[bank].act_ok, from + rp, Cause::Bank);
        let index = usize::from(pc.banks[bank].index);
        let idle = &mut pc.idle_ok[rank * usize::from(self.geometry.banks) + index];
        *idle = (*idle).max(from + rp);
        let per_rank = usize::from(self.geometry.groups) * usize::from(self.geometry.banks);
        pc.ranks[rank].open_banks &= !(1 << (bank - rank * per_rank));
        pc.ranks[rank].pde_ok = pc.ranks[rank].pde_ok.max(from + pden);
    }

    /// A column command closed its row: it is precharged as soon as a PRE would be legal.
    pub(super) fn close_by_itself(&mut self, channel: usize, bank: usize) {
        // What the command itself asks for stands in the bank's stamp by now.
        let from = clock(self.channels[channel].banks[bank].pre_ok);
        self.close(channel, bank, from);
    }

    /// A PRE command, whichever banks it closes.
    pub(super) fn after_pre(&mut self, channel: usize, rank: usize, at: u64) {
        let pc = &mut self.channels[channel];
        let ppd = at + u64::from(self.timing.ppd);
        put_off(&mut pc.rank_ok[rank * SLOTS + PRE], ppd, Cause::Bank);
        let of = &mut pc.ranks[rank];
        of.pde_ok = of.pde_ok.max(at + u64::from(self.timing.pden));
    }

    pub(super) fn after_ref_all(&mut self, channel: usize, rank: usize, at: u64) {
        let until = at + u64::from(self.timing.rfc);
        let apart = at + u64::from(self.timing.rfc_dlr);
        let stack = self.stack_of(rank);
        let pc = &mut self.channels[channel];
        put_off(&mut pc.rank_ok[rank * SLOTS + ACT], until, Cause::Refresh);
        for slice in stack {
            let of = &mut pc.ranks[slice];
            of.ref_ok = of.ref_ok.max(if slice == rank { until } else { apart });
        }
        pc.ranks[rank].pde_ok = pc.ranks[rank].pde_ok.max(until);
    }

    /// `index` is that of the refreshed banks within their groups.
    pub(super) fn after_ref_same(&mut self, channel: usize, rank: usize, index: usize, at: u64) {
        let until = at + u64::from(self.timing.rfc_sb);
        let others = at + u64::from(self.timing.refsbrd);
        let (groups, banks) = (
            usize::from(self.geometry.groups),
            usize::from(self.geometry.banks),
        );
        let pc = &mut self.channels[channel];
        put_off(&mut pc.rank_ok[rank * SLOTS + ACT], others, Cause::Refresh);
        for group in 0..groups {
            let bank = (rank * groups + group) * banks + index;
            put_off(&mut pc.banks[bank].act_ok, until, Cause::Refresh);
        }
        let of = &mut pc.ranks[rank];
        of.ref_ok = of.ref_ok.max(until);
        of.pde_ok = of.pde_ok.max(until);
        for group in 0..groups {
            self.rechoose(channel, (rank * groups + group) * banks + index);
        }
    }

    pub(super) fn after_exit(&mut self, channel: usize, rank: usize, at: u64) {
        let until = at + u64::from(self.timing.xp);
        let pc = &mut self.channels[channel];
        for slot in [0, 1, ACT, PRE] {
            put_off(
                &mut pc.rank_ok[rank * SLOTS + slot],
                until,
                Cause::PowerDown,
            );
        }
        let of = &mut pc.ranks[rank];
        of.ref_ok = of.ref_ok.max(until);
        of.pde_ok = of.pde_ok.max(until);
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
