//! The timing of a sub-channel: a die's rules rounded at the DRAM's clock, and what module and controller add.

use wordline_core::quantity::Time;

use super::die::{Die, Organization, SpeedBin};
use super::labelled::BeatReturn;
use super::rounding::Standard;
use crate::timing::Timing;

/// What a timing rests on.
pub(super) struct TimingBasis<'a> {
    pub(super) die: &'a Die,
    pub(super) organization: &'a Organization,
    pub(super) bin: &'a SpeedBin,
    pub(super) turnarounds: Turnarounds,
    /// Bursts that carry a line of 64 bytes: 1, or 2 where the channel is narrow.
    pub(super) bursts: u32,
    /// How many times as often as normal refreshes fall due.
    pub(super) refresh_rate: u64,
}

/// What the distances between data on a bus are made of, beside latencies and bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turnarounds {
    /// Idle clocks between bursts of different ranks.
    pub rank_gap: u32,
    /// Idle clocks between a read's burst and a write's.
    pub rtw_gap: u32,
    /// The data buffers of an MRDIMM.
    pub buffers: Option<DataBuffers>,
}

/// The data buffers of an MRDIMM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataBuffers {
    /// How the beats of the pseudo-channels share the host's bus.
    pub beat_return: BeatReturn,
    /// From the DRAM to the host.
    pub read_delay: Time,
    /// From the host to the DRAM.
    pub write_delay: Time,
}

/// Distances between data on the host's bus of an MRDIMM, in clocks of the DRAM.
struct HostBus {
    burst: u32,
    rtw: u32,
    wtr: u32,
}

impl TimingBasis<'_> {
    /// Every distance in clocks of the DRAM.
    ///
    /// A line that takes several bursts is one column command of the engine, with the clocks of all of them: its bursts
    /// follow each other at tCCD_L in one bank, and those of another group's line fill the gaps. So lines follow each
    /// other at as many tCCD as they have bursts. Their data are taken to come in one piece that ends with the last
    /// burst: CL and CWL are longer by the gaps, and so are the distances to data of the other direction and of other
    /// ranks, since the first burst comes earlier than that.
    ///
    /// RD to WR in a rank: the write's data must not begin before the read's have ended and the bus was idle for the
    /// gap, `cl + burst + gap − cwl`. On an MRDIMM the host's bus may ask for more, as it does of the other
    /// pseudo-channel; see [`host_bus`](Self::host_bus). To another rank the engine adds the gap between ranks, since
    /// the bus changes its direction and its driver: more than some simulators ask for, and never too little.
    pub(super) fn timing(&self) -> Timing {
        let rate = self.bin.rate_mts;
        let standard = *self.die.standard.value();
        let rules = &self.die.rules;
        let clocks = |rule: &super::rule::TimingRule| rule.clocks(standard, rate);
        let latency = clocks(&self.bin.cl);
        let write_latency = latency
            .saturating_sub(*self.die.cwl_below_cl.value())
            .max(1);
        let lines = |rule: &super::rule::TimingRule| self.bursts * clocks(rule);
        let one = u32::from(*self.die.burst_length.value()).div_ceil(standard.beats());
        let burst = self.bursts * one;
        // From the first burst of a line to its last one, and how much of that is gaps.
        let last = (self.bursts - 1) * clocks(&rules.tccd_l);
        let spread = (last + one).saturating_sub(burst);
        let (cl, cwl) = (latency + spread, write_latency + spread);
        let (rp, ras) = (clocks(&self.bin.trp), clocks(&rules.tras));
        let (rrd_s, faw) = (
            clocks(&self.organization.trrd_s),
            clocks(&self.organization.tfaw),
        );
        let interval =
            |time: Time| standard.clocks_within(Time::from_ps(time.ps() / self.refresh_rate), rate);
        let refi = interval(rules.trefi.least());
        let rfc = clocks(&rules.trfc);
        // A die that cannot refresh single banks is never asked to; the numbers stand for nothing then.
        let same_bank = rules.same_bank.as_ref();
        let stack = rules.stack.as_ref();
        let rfc_sb = same_bank.map_or(rfc, |rules| clocks(&rules.trfc_sb));
        let gaps = self.turnarounds;
        let host = self.host_bus(standard, cl, cwl, burst);
        let rtw = (cl + burst + gaps.rtw_gap)
            .saturating_sub(write_latency)
            .max(1);
        Timing {
            cl,
            cwl,
            burst,
            rcd: clocks(&self.bin.trcd),
            rp,
            ras,
            rc: ras + rp,
            rtp: last + clocks(&rules.trtp),
            wr: clocks(&rules.twr),
            ccd_s: lines(&rules.tccd_s),
            ccd_m: lines(&rules.tccd_m),
            ccd_l: lines(&rules.tccd_l),
            ccd_s_wr: lines(&rules.tccd_s_wr),
            ccd_m_wr: lines(&self.organization.tccd_m_wr),
            ccd_l_wr: lines(&self.organization.tccd_l_wr),
            wtr_s: clocks(&rules.twtr_s),
            wtr_m: clocks(&rules.twtr_m),
            wtr_l: clocks(&rules.twtr_l),
            rtw: rtw.max(host.rtw),
            rrd_s,
            rrd_l: clocks(&self.organization.trrd_l),
            faw,
            ppd: clocks(&rules.tppd),
            rrd_dlr: stack.map_or(rrd_s, |stack| clocks(&stack.trrd_dlr)),
            faw_dlr: stack.map_or(faw, |stack| clocks(&stack.tfaw_dlr)),
            rank_gap: gaps.rank_gap + spread,
            pair_burst: host.burst,
            pair_rtw: host.rtw,
            pair_wtr: host.wtr,
            refi,
            rfc,
            rfc_dlr: stack.map_or(rfc, |stack| clocks(&stack.trfc_dlr)),
            refi_sb: same_bank.map_or(refi, |rules| interval(rules.trefi_sb.least())),
            rfc_sb,
            refsb_gap: same_bank
                .and_then(|rules| rules.refsb_gap.as_ref())
                .map_or(rfc_sb, clocks),
            refsbrd: same_bank.map_or(rfc, |rules| clocks(&rules.trefsbrd)),
            pd: clocks(&rules.tpd),
            xp: clocks(&rules.txp),
            pden: clocks(&rules.tpden),
            long_command: u32::from(*self.die.command_clocks.value()),
            column_command: u32::from(*self.die.column_clocks().value()),
        }
    }

    /// What the host's bus of an MRDIMM asks for, between the pseudo-channels and between reads and writes at all.
    ///
    /// - Bursts of one direction: none where the beats of both pseudo-channels alternate, as each takes every second
    ///   beat; half a burst where one follows the other at twice the rate.
    /// - RD to WR: a read's data reach the host `read_delay` after they leave the DRAM, and a write's leave it
    ///   `write_delay` before they reach the DRAM: `cl + burst + read_delay + write_delay + gap − cwl`. The gap is as
    ///   many clocks as on the DRAM's bus, but of the host, which are half as long.
    /// - WR to RD: the delays work the other way: `cwl + burst + gap − cl − read_delay − write_delay`, at least 1. The
    ///   gap is that between ranks, in clocks of the host.
    ///
    /// All 0 or 1 without pairs, where no other pseudo-channel exists.
    fn host_bus(&self, standard: Standard, cl: u32, cwl: u32, burst: u32) -> HostBus {
        let gaps = self.turnarounds;
        let Some(pair) = gaps.buffers else {
            return HostBus {
                burst: 0,
                rtw: 0,
                wtr: 1,
            };
        };
        let rate = self.bin.rate_mts;
        let both = Time::from_ps(pair.read_delay.ps().saturating_add(pair.write_delay.ps()));
        let later = standard.clocks(both, rate);
        let earlier = if both == Time::ZERO {
            0
        } else {
            standard.clocks_within(both, rate)
        };
        HostBus {
            burst: match pair.beat_return {
                BeatReturn::Interleaved => 0,
                BeatReturn::Sequential => burst / 2,
            },
            rtw: (cl + burst + later + gaps.rtw_gap.div_ceil(2))
                .saturating_sub(cwl)
                .max(1),
            wtr: (cwl + burst + gaps.rank_gap.div_ceil(2))
                .saturating_sub(cl + earlier)
                .max(1),
        }
    }
}
