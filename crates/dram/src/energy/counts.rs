//! What energy depends on.

use crate::command::Command;

/// Commands, and clocks that ranks spent in their states, within the measured part of a run; of one sub-channel or of
/// several together. The four states add up to `clocks` times the ranks of a sub-channel (those of both
/// pseudo-channels). A refresh is no state of its own: its clocks are counted beside that of its rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnergyCounts {
    /// Clocks of the measured part, summed over sub-channels.
    pub clocks: u64,
    /// Commands, in the order of [`Command::ALL`].
    pub commands: [u64; Command::ALL.len()],
    /// Rank-clocks awake with every bank closed.
    pub precharge_standby: u64,
    /// Rank-clocks awake with a bank open, or closing by auto-precharge.
    pub active_standby: u64,
    /// Rank-clocks powered down with every bank closed.
    pub precharge_power_down: u64,
    /// Rank-clocks powered down with a bank open.
    pub active_power_down: u64,
    /// Bank-clocks open while the rank was awake.
    pub open_standby: u64,
    /// Bank-clocks open while the rank was powered down.
    pub open_power_down: u64,
    /// Rank-clocks within tRFC of a REFab.
    pub refresh_all_bank: u64,
    /// Rank-clocks within tRFCsb of a REFsb.
    pub refresh_same_bank: u64,
}

impl EnergyCounts {
    /// How often a command was issued.
    #[must_use]
    pub const fn count(&self, command: Command) -> u64 {
        self.commands[command as usize]
    }

    /// Lines read from the DRAM.
    #[must_use]
    pub const fn lines_read(&self) -> u64 {
        self.count(Command::Rd) + self.count(Command::Rda)
    }

    /// Lines written to the DRAM.
    #[must_use]
    pub const fn lines_written(&self) -> u64 {
        self.count(Command::Wr) + self.count(Command::Wra)
    }

    /// Adds another sub-channel's counts.
    pub fn merge(&mut self, other: &Self) {
        self.clocks += other.clocks;
        for (sum, part) in self.commands.iter_mut().zip(other.commands) {
            *sum += part;
        }
        self.precharge_standby += other.precharge_standby;
        self.active_standby += other.active_standby;
        self.precharge_power_down += other.precharge_power_down;
        self.active_power_down += other.active_power_down;
        self.open_standby += other.open_standby;
        self.open_power_down += other.open_power_down;
        self.refresh_all_bank += other.refresh_all_bank;
        self.refresh_same_bank += other.refresh_same_bank;
    }

    /// What was counted after an earlier read-out of the same counters.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut commands = self.commands;
        for (count, before) in commands.iter_mut().zip(earlier.commands) {
            *count -= before;
        }
        Self {
            clocks: self.clocks.saturating_sub(earlier.clocks),
            commands,
            precharge_standby: self
                .precharge_standby
                .saturating_sub(earlier.precharge_standby),
            active_standby: self.active_standby.saturating_sub(earlier.active_standby),
            precharge_power_down: self
                .precharge_power_down
                .saturating_sub(earlier.precharge_power_down),
            active_power_down: self
                .active_power_down
                .saturating_sub(earlier.active_power_down),
            open_standby: self.open_standby.saturating_sub(earlier.open_standby),
            open_power_down: self.open_power_down.saturating_sub(earlier.open_power_down),
            refresh_all_bank: self
                .refresh_all_bank
                .saturating_sub(earlier.refresh_all_bank),
            refresh_same_bank: self
                .refresh_same_bank
                .saturating_sub(earlier.refresh_same_bank),
        }
    }

    /// As many times as much of everything.
    #[must_use]
    pub fn times(&self, times: u64) -> Self {
        Self {
            clocks: self.clocks * times,
            commands: self.commands.map(|count| count * times),
            precharge_standby: self.precharge_standby * times,
            active_standby: self.active_standby * times,
            precharge_power_down: self.precharge_power_down * times,
            active_power_down: self.active_power_down * times,
            open_standby: self.open_standby * times,
            open_power_down: self.open_power_down * times,
            refresh_all_bank: self.refresh_all_bank * times,
            refresh_same_bank: self.refresh_same_bank * times,
        }
    }

    /// Clocks of all four states together.
    #[must_use]
    pub const fn rank_clocks(&self) -> u64 {
        self.precharge_standby
            + self.active_standby
            + self.precharge_power_down
            + self.active_power_down
    }
}
