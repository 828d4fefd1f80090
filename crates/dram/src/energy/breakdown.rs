//! Joules by part.

use crate::command::Command;
use crate::config::SubChannelConfig;
use crate::energy::loops::Loops;
use crate::energy::{Currents, EnergyCounts, RailCurrents};

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
///
/// With t the clocks of a state, A the clocks of it with a bank open and O the bank-clocks open, in seconds, and D the
/// devices of a rank, VDD and VPP each give (the energies of single commands are those of `loops.rs`):
///
/// | part | joules |
/// |---|---|
/// | standby, closed | D·V·IDD2N·t |
/// | standby, open | D·V·(IDD2N·A + (IDD3N − IDD2N)·(ρ·A + (1 − ρ)·O/B)) |
/// | power-down | the same with IDD2P and IDD3P |
/// | activate, read, write | D·commands·energy of one |
/// | refresh | D·V·((IDD5B − IDD2N)·t of REFab + (IDD5C − IDD2N)·t of REFsb) |
///
/// To these come I/O (lines times joules a line), buffers (time times watts, and lines times joules a line) and the
/// PMIC, which loses (1/η − 1) of all that it delivers.
///
/// Currents that fail [`Currents::check`] may give negative parts.
#[must_use]
pub fn energy(
    counts: &EnergyCounts,
    currents: &Currents,
    config: &SubChannelConfig,
) -> EnergyBreakdown {
    let loops = Loops::new(currents, config);
    let mut breakdown = EnergyBreakdown::default();
    for rail in [&currents.vdd, &currents.vpp] {
        breakdown.add_devices(counts, &loops, rail, f64::from(currents.devices));
    }
    let reads = counts.lines_read() as f64;
    let writes = counts.lines_written() as f64;
    let seconds = counts.clocks as f64 * loops.clock_s;
    let buffers = seconds * currents.buffer_w + (reads + writes) * currents.buffer_line_j;
    breakdown.add(
        EnergyPart::Io,
        reads * currents.io_read_j + writes * currents.io_write_j,
    );
    breakdown.add(EnergyPart::Buffers, buffers);
    let lost = 1.0 / currents.pmic_efficiency - 1.0;
    breakdown.add(EnergyPart::PmicLoss, lost * breakdown.total());
    breakdown
}

impl EnergyBreakdown {
    fn add(&mut self, part: EnergyPart, joules: f64) {
        self.joules[part as usize] += joules;
    }

    /// What one rail of all devices takes.
    fn add_devices(
        &mut self,
        counts: &EnergyCounts,
        loops: &Loops,
        rail: &RailCurrents,
        devices: f64,
    ) {
        let (i2n, i3n, i2p, i3p) = (rail.i2n, rail.i3n, rail.i2p, rail.i3p);
        let refresh = counts.refresh_all_bank as f64 * (rail.i5b - i2n)
            + counts.refresh_same_bank as f64 * (rail.i5c - i2n);
        let amp_clocks = [
            (
                EnergyPart::PrechargeStandby,
                counts.precharge_standby as f64 * i2n,
            ),
            (
                EnergyPart::ActiveStandby,
                loops.background(i2n, i3n, counts.active_standby, counts.open_standby),
            ),
            (
                EnergyPart::PrechargePowerDown,
                counts.precharge_power_down as f64 * i2p,
            ),
            (
                EnergyPart::ActivePowerDown,
                loops.background(i2p, i3p, counts.active_power_down, counts.open_power_down),
            ),
            (EnergyPart::Refresh, refresh),
        ];
        for (part, charge) in amp_clocks {
            self.add(part, devices * rail.volts * charge * loops.clock_s);
        }
        let commands = [
            (
                EnergyPart::Activate,
                counts.count(Command::Act),
                loops.activate_j(rail),
            ),
            (EnergyPart::Read, counts.lines_read(), loops.read_j(rail)),
            (
                EnergyPart::Write,
                counts.lines_written(),
                loops.write_j(rail),
            ),
        ];
        for (part, count, joules) in commands {
            self.add(part, devices * count as f64 * joules);
        }
    }
}
