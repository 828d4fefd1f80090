//! What is wrong with a trace.

use crate::command::{Command, Issued};
use crate::request::Location;

/// A command that must not be where it is, or a refresh that never came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("clock {at}: {} to {}: {fault}", command.name(), place(location))]
pub struct RuleViolation {
    /// When: first clock of the command, or the end of the trace.
    pub at: u64,
    /// The command; the missing one where a refresh never came.
    pub command: Command,
    /// Where.
    pub location: Location,
    /// What is wrong.
    pub fault: ViolationKind,
}

/// What is wrong with a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViolationKind {
    /// A rule holds it back.
    #[error("too early by rule {rule}; earliest legal clock: {earliest}")]
    TooEarly {
        /// Name of the rule that holds it back longest.
        rule: &'static str,
        /// First clock at which no rule does.
        earliest: u64,
    },
    /// It lies outside the memory.
    #[error("{what} {value} lies outside; allowed: 0 to {max}")]
    Outside {
        /// The part of its place, or `clock`.
        what: &'static str,
        /// What it says.
        value: u64,
        /// The greatest there is.
        max: u64,
    },
    /// It comes before a command that was given earlier.
    #[error("comes after a command of clock {after}")]
    Backwards {
        /// The clock of the earlier one.
        after: u64,
    },
    /// An activation of a bank that is open.
    #[error("the bank is open with row {row}")]
    Open {
        /// The open row.
        row: u32,
    },
    /// An activation of a bank that has had as many as it may have without a refresh.
    #[error("the bank has counted {most} activations and waits for RFM")]
    Activations {
        /// The most that it may count.
        most: u32,
    },
    /// A column command to a bank that is closed.
    #[error("the bank is closed")]
    Closed,
    /// A column command to another row than the open one.
    #[error("row {open} is open")]
    OtherRow {
        /// The open row.
        open: u32,
    },
    /// A refresh of open banks.
    #[error("bank {bank} of group {group} is open")]
    RefreshOpen {
        /// The first such group.
        group: u8,
        /// The first such bank.
        bank: u8,
    },
    /// A command to a rank that is powered down.
    #[error("the rank is powered down")]
    PoweredDown,
    /// A power-down exit of a rank that is not powered down.
    #[error("the rank is not powered down")]
    PoweredUp,
    /// A refresh command that does not belong to the mode.
    #[error("no such refresh in this mode")]
    RefreshMode,
    /// More refreshes are owed than may be postponed.
    #[error("refresh {number} of the rank was due by clock {deadline}")]
    RefreshOverdue {
        /// Which one, counted from 1.
        number: u64,
        /// Its last clock.
        deadline: u64,
    },
    /// More refreshes were done in advance than allowed.
    #[error("refresh {number} of the rank may not come before clock {earliest}")]
    RefreshEarly {
        /// Which one, counted from 1.
        number: u64,
        /// Its first clock.
        earliest: u64,
    },
    /// A set of banks is refreshed again before all others had their turn.
    #[error("bank set {set} was refreshed in this round already")]
    RefreshTurn {
        /// Its number.
        set: u8,
    },
}

impl ViolationKind {
    /// Name of the rule that is violated.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::TooEarly { rule, .. } => rule,
            Self::Outside { .. } => "place",
            Self::Backwards { .. } => "order of time",
            Self::Open { .. } => "ACT to a closed bank",
            Self::Activations { .. } => "RAAMMT",
            Self::Closed => "column command to an open bank",
            Self::OtherRow { .. } => "column command to the open row",
            Self::RefreshOpen { .. } => "refresh of closed banks",
            Self::PoweredDown => "power-down",
            Self::PoweredUp => "PDX in power-down",
            Self::RefreshMode => "refresh mode",
            Self::RefreshOverdue { .. } => "refresh overdue",
            Self::RefreshEarly { .. } => "refresh in advance",
            Self::RefreshTurn { .. } => "refresh in turn",
        }
    }

    pub(super) const fn of(self, issued: &Issued) -> RuleViolation {
        RuleViolation {
            at: issued.at,
            command: issued.command,
            location: issued.location,
            fault: self,
        }
    }
}

fn place(location: &Location) -> String {
    format!(
        "pseudo-channel {}, rank {}, group {}, bank {}, row {}",
        location.pseudo_channel, location.rank, location.group, location.bank, location.row
    )
}
