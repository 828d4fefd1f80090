//! The refreshes that a rank is owed. The n-th one falls due at *phase* + (n − 1) × interval with a phase that nobody
//! stated, somewhere in the first interval. Every refresh that is done narrows it: it was done no earlier than allowed.

use super::memory::{CheckedChannel, RefreshMode};
use super::rounding::{CheckedClock, clocks_at_most};
use super::rules::Basics;
use super::violation::ViolationKind;

/// What all ranks have in common. Clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duty {
    interval: u64,
    postponed_max: u64,
    ahead_max: u64,
    /// From the moment when no refresh may be put off any more to the latest REF.
    grace: u64,
    same_bank: bool,
    /// Sets of banks that take turns.
    turns: u8,
}

impl Duty {
    /// What a memory's ranks are owed; nothing where refresh is off.
    pub(super) fn new(memory: &CheckedChannel, clock: CheckedClock) -> Option<Self> {
        let (p, c) = (&memory.parameters, &memory.controller);
        let (interval_ps, same_bank) = match c.refresh {
            RefreshMode::Off => return None,
            RefreshMode::AllBank => (p.refi_ps, false),
            RefreshMode::SameBank => (p.refi_sb_ps, true),
        };
        Some(Self {
            interval: clocks_at_most(interval_ps, clock).max(1).into(),
            postponed_max: c.postponed_max.into(),
            ahead_max: c.ahead_max.into(),
            grace: grace(memory, clock),
            same_bank,
            turns: memory.shape.refresh_sets,
        })
    }

    /// Whether sets of banks are refreshed.
    pub(super) fn same_bank(&self) -> bool {
        self.same_bank
    }

    /// Last clock of the refresh after `done` ones.
    fn deadline(&self, latest_phase: u64, done: u64) -> u64 {
        let intervals = done.saturating_add(self.postponed_max);
        latest_phase
            .saturating_add(intervals.saturating_mul(self.interval))
            .saturating_add(self.grace)
    }
}

/// The most that may lie between "now it must be" and REF: the last one has just begun, or the rank has just been
/// powered down with a row open, or just been written to; the other slices of the stack go first; and every rank of the
/// sub-channel wants the command bus.
fn grace(memory: &CheckedChannel, clock: CheckedClock) -> u64 {
    let (p, shape, b) = (
        &memory.parameters,
        &memory.shape,
        Basics::new(memory, clock),
    );
    let slices = u64::from(shape.slices);
    let refreshes = match memory.controller.refresh {
        RefreshMode::SameBank => u64::from(p.rfc_sb.at(clock)),
        RefreshMode::AllBank | RefreshMode::Off => {
            u64::from(p.rfc.at(clock)) + (slices - 1) * u64::from(p.rfc_dlr.at(clock))
        }
    };
    let recovery = b.write_recovery.max(b.ras).max(b.rtp);
    let rest = [p.pd.at(clock), p.xp.at(clock), recovery, b.rp];
    let ranks = u64::from(shape.ranks) * u64::from(shape.pseudo_channels);
    let slots = (ranks + 1) * 4 * u64::from(p.long_command.max(p.column_command));
    // An RFM may have begun just before, in the rank or, one at most, elsewhere in the stack.
    let managed = memory.controller.counted.map_or(0, |of| {
        let elsewhere = if slices > 1 { p.rfc_dlr.at(clock) } else { 0 };
        u64::from(of.rfm) + u64::from(elsewhere)
    });
    refreshes + managed + rest.into_iter().map(u64::from).sum::<u64>() + slots
}

/// What one rank had.
#[derive(Clone, Copy, Debug)]
pub(super) struct RefreshAccount {
    done: u64,
    /// The phase is no later than this.
    latest_phase: u64,
    deadline: u64,
    /// Sets refreshed in this round, as bits.
    round: u64,
}

impl RefreshAccount {
    pub(super) fn new(duty: &Duty) -> Self {
        Self {
            done: 0,
            latest_phase: duty.interval,
            deadline: duty.deadline(duty.interval, 0),
            round: 0,
        }
    }

    /// Whether more is owed at a clock than may be. Says so once for every interval.
    pub(super) fn overdue(&mut self, duty: &Duty, at: u64) -> Option<ViolationKind> {
        if at <= self.deadline {
            return None;
        }
        let fault = ViolationKind::RefreshOverdue {
            number: self.done + 1,
            deadline: self.deadline,
        };
        self.deadline = self.deadline.saturating_add(duty.interval);
        Some(fault)
    }

    /// A refresh of a set of banks, or of the whole rank.
    pub(super) fn refreshed(&mut self, duty: &Duty, at: u64, set: u8) -> Option<ViolationKind> {
        let earliest = self
            .done
            .saturating_sub(duty.ahead_max)
            .saturating_mul(duty.interval);
        let early = at < earliest;
        let ahead = duty.ahead_max.saturating_mul(duty.interval);
        let due_less_phase = self.done.saturating_mul(duty.interval);
        let phase = at.saturating_add(ahead).saturating_sub(due_less_phase);
        self.latest_phase = self.latest_phase.min(phase);
        self.done += 1;
        self.deadline = duty.deadline(self.latest_phase, self.done);
        let out_of_turn = duty.same_bank && !self.take_turn(duty, set);
        if early {
            let number = self.done;
            return Some(ViolationKind::RefreshEarly { number, earliest });
        }
        out_of_turn.then_some(ViolationKind::RefreshTurn { set })
    }

    fn take_turn(&mut self, duty: &Duty, set: u8) -> bool {
        let bit = 1_u64 << (set % 64);
        let in_turn = self.round & bit == 0;
        self.round |= bit;
        if self.round.count_ones() == u32::from(duty.turns) {
            self.round = 0;
        }
        in_turn
    }
}
