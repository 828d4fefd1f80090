//! The most clocks that an access or a store takes, whatever came before, by closed formula.
//!
//! Written with the times of the sheet in clocks; `L` is the CAS latency of the direction, `b` a burst,
//! `d` a full row of bursts, `B` the banks, and `e` the end of whatever came before, at least `lag`
//! clocks before the access begins.
//!
//! **Before.** Whatever opened a row moved data `q = tRCD + min(CL, CWL) + b` later, so that its
//! activation lies `q` or more before `e`. The last thing that keeps a row from being closed therefore
//! ends `closing = max(tRAS − q, tWR, tRTP − CL − b)` after `e`, tFAW and tRRD of earlier activations
//! `tFAW − q` and `tRRD − q` after it, and the turn of the data lines `tWTR − tRCD` (reads) or
//! `tRTW − tRCD − L` (writes) after it, counted back to an activation. No row can be kept closed
//! longer than `a`, the largest of these less `lag`, where the row in the way is closed first: tRP
//! more. A row that is found open only removes terms of these sums, and so is never slower.
//!
//! **One row** ends at `a + tRCD + L + n·b`, with `n` bursts in it.
//!
//! **K rows.** Activation and end of data of row `k` are bound by
//!
//! - `A(k) ≥ A(k−1) + tRRD`, `A(k) ≥ A(k−4) + tFAW`,
//! - `A(k) ≥ max(A(k−B) + tRAS, D(k−B) + w) + tRP`, `w` being tWR, or `tRTP − CL − b` of reads,
//! - `D(k) = max(D(k−1), A(k) + tRCD + L) + n(k)·b`.
//!
//! With `τ = max(d, tRRD, tFAW/4, (tRAS + tRP)/B, (tRCD + L + d + w + tRP)/B)`, those of rules that
//! K rows can meet, and `h` the largest of `n(1)·b`, tRRD, `tFAW − 3τ`, `tRAS + tRP − (B−1)τ` and
//! `tRCD + L + n(1)·b + w + tRP − (B−1)τ`, it follows by induction from row 2 on that
//! `A(k) ≤ a + h + (k−2)τ` and `D(k) ≤ a + h + (k−2)τ + tRCD + L + d`: each rule adds no more than
//! τ gives. The last row has `n(K)` bursts in place of `d`.

use std::ops::Range;

use wordline_core::quantity::Time;

use super::DdrMram;
use super::banks::BurstDirection;
use super::spec::{AddressLayout, Clocks};
use crate::bound::TimeSpan;
use crate::bus::ddr::RowPolicy;

impl DdrMram {
    /// The longest from `before` the start of a read to the end of its last data. `before` is what lets
    /// time pass since the end of whatever came before.
    pub(crate) fn longest_read(&self, before: Time, at: u64, bytes: u64) -> TimeSpan {
        let bytes = at..at + bytes;
        self.longest(before, |most, lag| {
            most.access(BurstDirection::Read, lag, bytes)
        })
    }

    /// The same of a write.
    pub(crate) fn longest_write(&self, before: Time, at: u64, bytes: u64) -> TimeSpan {
        let bytes = at..at + bytes;
        self.longest(before, |most, lag| {
            most.access(BurstDirection::Write, lag, bytes)
        })
    }

    /// The same of a store.
    pub(crate) fn longest_store(&self, before: Time) -> TimeSpan {
        self.longest(before, |most, lag| most.store(lag))
    }

    /// `before`, up to a clock until the next one begins, and clocks; a picosecond for the rounding of
    /// instants.
    fn longest(&self, before: Time, clocks: impl FnOnce(&Most<'_>, u64) -> u64) -> TimeSpan {
        let hz = u128::from(self.spec.clock.hz());
        let passed = u128::from(before.ps()) * hz / 1_000_000_000_000;
        // Both ends may be rounded to a clock.
        let lag = u64::try_from(passed).unwrap_or(u64::MAX).saturating_sub(1);
        let most = Most {
            clocks: &self.spec.clocks,
            layout: &self.spec.layout,
        };
        let clocks = self.spec.clock.duration_of(clocks(&most, lag) + 1);
        TimeSpan::from(before) + clocks.into() + Time::from_ps(1).into()
    }
}

/// The most clocks from the first in which a command may be given.
pub(super) struct Most<'a> {
    pub(super) clocks: &'a Clocks,
    pub(super) layout: &'a AddressLayout,
}

impl Most<'_> {
    /// The least from an activation to the end of data of the access that it was for: `q`.
    fn activation_to_end(&self) -> u64 {
        let clocks = self.clocks;
        clocks.t_rcd + clocks.t_cl.min(clocks.t_cwl) + clocks.burst
    }

    /// Until a row in the way is closed and another one can be opened.
    fn bank_wait(&self, lag: u64) -> u64 {
        let clocks = self.clocks;
        let active = clocks.t_ras.saturating_sub(self.activation_to_end());
        let read = clocks.t_rtp.saturating_sub(clocks.t_cl + clocks.burst);
        let closing = active.max(clocks.t_wr).max(read);
        match self.layout.policy {
            RowPolicy::Open => closing.saturating_sub(lag) + clocks.t_rp,
            RowPolicy::Closed => (closing + clocks.t_rp).saturating_sub(lag),
        }
    }

    /// Until the first row can be opened so that nothing of before holds its data up: `a`.
    fn first_activation(&self, direction: BurstDirection, lag: u64) -> u64 {
        let clocks = self.clocks;
        let window = clocks.t_faw.max(clocks.t_rrd);
        let turn = match direction {
            BurstDirection::Read => clocks.t_wtr.saturating_sub(clocks.t_rcd),
            BurstDirection::Write => clocks.t_rtw.saturating_sub(clocks.t_rcd + clocks.t_cwl),
        };
        let rules = window.saturating_sub(self.activation_to_end()).max(turn);
        self.bank_wait(lag).max(rules.saturating_sub(lag))
    }

    /// To the end of a store: until the last row is closed, and tST.
    pub(super) fn store(&self, lag: u64) -> u64 {
        self.bank_wait(lag) + self.clocks.t_st
    }

    /// To the end of the last data.
    pub(super) fn access(&self, direction: BurstDirection, lag: u64, bytes: Range<u64>) -> u64 {
        let (clocks, layout) = (self.clocks, self.layout);
        let per_row = layout.row_bytes / layout.burst_bytes;
        let bursts = bytes.start / layout.burst_bytes..bytes.end.div_ceil(layout.burst_bytes);
        let (first, last) = (bursts.start / per_row, (bursts.end - 1) / per_row);
        let cas = match direction {
            BurstDirection::Read => clocks.t_cl,
            BurstDirection::Write => clocks.t_cwl,
        };
        let latency = clocks.t_rcd + cas;
        let start = self.first_activation(direction, lag);
        if first == last {
            return start + latency + (bursts.end - bursts.start) * clocks.burst;
        }
        let head = ((first + 1) * per_row - bursts.start) * clocks.burst;
        let tail = (bursts.end - last * per_row) * clocks.burst;
        let (rows, banks) = (last - first + 1, layout.banks);
        let full = per_row * clocks.burst;
        // From the end of data of a row to data of the next row of its bank.
        let reopen = match direction {
            BurstDirection::Write => latency + clocks.t_rp + clocks.t_wr,
            BurstDirection::Read => {
                (latency + clocks.t_rp + clocks.t_rtp).saturating_sub(cas + clocks.burst)
            }
        };
        let window = if rows > 4 { clocks.t_faw } else { 0 };
        // No bank has two rows of an access that has no more rows than there are banks.
        let again = |clocks: u64| if rows > banks { clocks } else { 0 };
        let cycle = again(clocks.t_ras + clocks.t_rp);
        let through = |data: u64| again(reopen + data);
        let pace = full
            .max(clocks.t_rrd)
            .max(window.div_ceil(4))
            .max(cycle.div_ceil(banks))
            .max(through(full).div_ceil(banks));
        let second = head
            .max(clocks.t_rrd)
            .max(window.saturating_sub(3 * pace))
            .max(cycle.saturating_sub((banks - 1) * pace))
            .max(through(head).saturating_sub((banks - 1) * pace));
        start + latency + second + (rows - 2) * pace + tail
    }
}
