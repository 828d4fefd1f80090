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

    /// Clocks of all four states together.
    #[must_use]
    pub const fn rank_clocks(&self) -> u64 {
        self.precharge_standby
            + self.active_standby
            + self.precharge_power_down
            + self.active_power_down
    }
}
