//! Joules by part.

use crate::config::SubChannelConfig;
use crate::energy::{Currents, EnergyCounts};

/// What took the energy. VDD and VPP are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EnergyPart {
    /// Ranks awake with every bank closed.
    PrechargeStandby,
    /// Ranks awake with a bank open.
    ActiveStandby,
    /// Ranks powered down with every bank closed.
    PrechargePowerDown,
    /// Ranks powered down with a bank open.
    ActivePowerDown,
    /// Rows opened and closed.
    Activate,
    /// Bursts read, within the devices.
    Read,
    /// Bursts written, within the devices.
    Write,
    /// Rows refreshed.
    Refresh,
    /// Drivers and termination of the data lines.
    Io,
    /// Register and data buffers of the module.
    Buffers,
    /// Lost in the module's PMIC.
    PmicLoss,
}

/// Number of parts.
pub const ENERGY_PARTS: usize = 11;

impl EnergyPart {
    /// Every part, in the order of [`EnergyBreakdown::joules`].
    pub const ALL: [Self; ENERGY_PARTS] = [
        Self::PrechargeStandby,
        Self::ActiveStandby,
        Self::PrechargePowerDown,
        Self::ActivePowerDown,
        Self::Activate,
        Self::Read,
        Self::Write,
        Self::Refresh,
        Self::Io,
        Self::Buffers,
        Self::PmicLoss,
    ];

    /// As result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PrechargeStandby => "precharge_standby",
            Self::ActiveStandby => "active_standby",
            Self::PrechargePowerDown => "precharge_power_down",
            Self::ActivePowerDown => "active_power_down",
            Self::Activate => "activate",
            Self::Read => "read",
            Self::Write => "write",
            Self::Refresh => "refresh",
            Self::Io => "io",
            Self::Buffers => "buffers",
            Self::PmicLoss => "pmic_loss",
        }
    }
}

/// Joules by part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyBreakdown {
    /// Joules, in the order of [`EnergyPart::ALL`].
    pub joules: [f64; ENERGY_PARTS],
}

impl EnergyBreakdown {
    /// Joules of one part.
    #[must_use]
    pub const fn part(&self, part: EnergyPart) -> f64 {
        self.joules[part as usize]
    }

    /// Joules of all parts.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.joules.iter().sum()
    }

    /// Adds another breakdown.
    pub fn merge(&mut self, other: &Self) {
        for (sum, part) in self.joules.iter_mut().zip(other.joules) {
            *sum += part;
        }
    }
}

/// Joules for what was counted, with one set of currents.
#[must_use]
pub fn energy(
    _counts: &EnergyCounts,
    _currents: &Currents,
    _config: &SubChannelConfig,
) -> EnergyBreakdown {
    EnergyBreakdown::default()
}
