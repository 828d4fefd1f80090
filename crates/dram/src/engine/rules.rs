//! What a command forbids for a while: the tables of `DESIGN.md`, applied once, when it is issued.

use super::SubChannel;
use super::stamp::{clock, put_off};
use super::state::{ACT, CLOSED, PRE};
use crate::observer::{Cause, Observer};

impl<O: Observer> SubChannel<O> {
    /// Ranks of the stack of a rank.
    fn stack_of(&self, rank: usize) -> std::ops::Range<usize> {
        let slices = usize::from(self.geometry.slices);
        let first = rank / slices * slices;
        first..first + slices
    }

    pub(super) fn after_act(&mut self, channel: usize, bank: usize, at: u64) {
        let t = &self.timing;
        let stack = self.stack_of(usize::from(self.channels[channel].banks[bank].rank));
        let pc = &mut self.channels[channel];
        let of = &mut pc.banks[bank];
        let (rank, group) = (usize::from(of.rank), usize::from(of.group));
        let (groups, ranks) = (pc.groups(), pc.ranks.len());
        let after = |clocks: u32| at + u64::from(clocks);
        for column_ok in &mut pc.banks[bank].column_ok {
            put_off(column_ok, after(t.rcd), Cause::Activate);
        }
        put_off(&mut pc.banks[bank].pre_ok, after(t.ras), Cause::Bank);
        put_off(&mut pc.banks[bank].act_ok, after(t.rc), Cause::Bank);
        put_off(
            &mut pc.group_ok[ACT * groups + group],
            after(t.rrd_l),
            Cause::ActivationRate,
        );
        let of = &mut pc.ranks[rank];
        of.refsb_ok = of.refsb_ok.max(after(t.rrd_l));
        of.pde_ok = of.pde_ok.max(after(t.pden));
        let fifth = next_of_four(&mut of.faw, &mut of.faw_next, after(t.faw));
        let rank_ok = &mut pc.rank_ok[ACT * ranks..];
        put_off(
            &mut rank_ok[rank],
            after(t.rrd_s).max(fifth),
            Cause::ActivationRate,
        );
        if stack.len() > 1 {
            let of = &mut pc.stacks[rank / stack.len()];
            let fifth = next_of_four(&mut of.faw, &mut of.faw_next, after(t.faw_dlr));
            for slice in stack {
                let apart = if slice == rank { 0 } else { after(t.rrd_dlr) };
                put_off(&mut rank_ok[slice], apart.max(fifth), Cause::ActivationRate);
            }
        }
    }

    /// A column command puts off those of its bank, group, rank, stack and pseudo-channel, and of the other one.
    pub(super) fn after_column(&mut self, channel: usize, bank: usize, kind: usize, at: u64) {
        let t = &self.timing;
        let stack = self.stack_of(usize::from(self.channels[channel].banks[bank].rank));
        let pc = &mut self.channels[channel];
        let of = &mut pc.banks[bank];
        let (rank, group) = (usize::from(of.rank), usize::from(of.group));
        let (groups, ranks) = (pc.groups(), pc.ranks.len());
        let after = |clocks: u32| at + u64::from(clocks);
        let written = t.cwl + t.burst;
        let (same, turned) = if kind == 0 {
            ([t.ccd_l, t.ccd_m, t.ccd_s], [t.rtw; 3])
        } else {
            let same = [t.ccd_l_wr, t.ccd_m_wr, t.ccd_s_wr];
            (
                same,
                [t.wtr_l, t.wtr_m, t.wtr_s].map(|clocks| written + clocks),
            )
        };
        let other = 1 - kind;
        put_off(
            &mut pc.banks[bank].column_ok[kind],
            after(same[0]),
            Cause::Bus,
        );
        put_off(
            &mut pc.banks[bank].column_ok[other],
            after(turned[0]),
            Cause::Turnaround,
        );
        put_off(
            &mut pc.group_ok[kind * groups + group],
            after(same[1]),
            Cause::Bus,
        );
        put_off(
            &mut pc.group_ok[other * groups + group],
            after(turned[1]),
            Cause::Turnaround,
        );
        let switched = if kind == 0 {
            [t.burst + t.rank_gap, t.rtw + t.rank_gap]
        } else {
            [t.burst + t.rank_gap, positive(written + t.rank_gap, t.cl)]
        };
        for one in 0..ranks {
            let ([same, turned], cause) = if stack.contains(&one) {
                ([same[2], turned[2]], Cause::Bus)
            } else {
                (switched, Cause::Turnaround)
            };
            put_off(&mut pc.rank_ok[kind * ranks + one], after(same), cause);
            put_off(
                &mut pc.rank_ok[other * ranks + one],
                after(turned),
                Cause::Turnaround,
            );
        }
        let of = &mut pc.ranks[rank];
        if kind == 0 {
            put_off(&mut pc.banks[bank].pre_ok, after(t.rtp), Cause::Bank);
            of.pde_ok = of.pde_ok.max(after(t.cl + t.burst + 1));
        } else {
            put_off(
                &mut pc.banks[bank].pre_ok,
                after(written + t.wr),
                Cause::Bank,
            );
            let rda = after(positive(written + t.wr, t.rtp));
            put_off(&mut pc.banks[bank].rda_ok, rda, Cause::Bank);
            of.pde_ok = of.pde_ok.max(after(written + t.wr + 1));
        }
        let turned = if kind == 0 { t.pair_rtw } else { t.pair_wtr };
        let (same, turned) = (after(t.pair_burst), after(turned));
        if let Some(pair) = self.channels.get_mut(1 - channel) {
            for rank in 0..ranks {
                put_off(&mut pair.rank_ok[kind * ranks + rank], same, Cause::Bus);
                put_off(
                    &mut pair.rank_ok[other * ranks + rank],
                    turned,
                    Cause::Turnaround,
                );
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
        let ranks = pc.ranks.len();
        let ppd = at + u64::from(self.timing.ppd);
        put_off(&mut pc.rank_ok[PRE * ranks + rank], ppd, Cause::Bank);
        let of = &mut pc.ranks[rank];
        of.pde_ok = of.pde_ok.max(at + u64::from(self.timing.pden));
    }

    pub(super) fn after_ref_all(&mut self, channel: usize, rank: usize, at: u64) {
        let until = at + u64::from(self.timing.rfc);
        let apart = at + u64::from(self.timing.rfc_dlr);
        let stack = self.stack_of(rank);
        let pc = &mut self.channels[channel];
        let ranks = pc.ranks.len();
        put_off(&mut pc.rank_ok[ACT * ranks + rank], until, Cause::Refresh);
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
        let ranks = pc.ranks.len();
        put_off(&mut pc.rank_ok[ACT * ranks + rank], others, Cause::Refresh);
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
        let ranks = pc.ranks.len();
        for slot in [0, 1, ACT, PRE] {
            put_off(
                &mut pc.rank_ok[slot * ranks + rank],
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
