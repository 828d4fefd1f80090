//! The sheet of a memory behind banks with row buffers, and its checks.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Time, Voltage};
use wordline_core::{Figure, Sourced};

use crate::bus::Action;
use crate::bus::ddr::{self, DdrBus, clocks_of};
use crate::problem::Problems;

/// The sheet of an MRAM on a DDR bus. Times have the symbols of JESD79-4.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "ddr_mram")]
pub struct DdrMramSheet {
    /// Capacity.
    pub capacity: Figure<ByteCount>,
    /// Data lines: 8 or 16.
    pub width_bits: Sourced<u8>,
    /// Banks, each with one open row.
    pub banks: Sourced<u8>,
    /// Bytes of a row: what a bank holds open, and the unit that the endurance counts.
    pub row_bytes: Figure<ByteCount>,
    /// Beats of a burst.
    pub burst_length: Sourced<u8>,
    /// Highest clock.
    pub clock: Figure<Frequency>,
    /// From the command that opens a row to the first read or write of it.
    pub t_rcd: Figure<Time>,
    /// CAS latency: from a read command to its first data.
    pub t_cl: Figure<Time>,
    /// CAS write latency: from a write command to its first data.
    pub t_cwl: Figure<Time>,
    /// From closing a row to opening the next one of its bank.
    pub t_rp: Figure<Time>,
    /// From opening a row to closing it.
    pub t_ras: Figure<Time>,
    /// From opening a row to opening one of another bank.
    pub t_rrd: Figure<Time>,
    /// The time within which no more than four rows are opened.
    pub t_faw: Figure<Time>,
    /// From the last written data of a row to closing it.
    pub t_wr: Figure<Time>,
    /// From a read command to closing its row.
    pub t_rtp: Figure<Time>,
    /// From the last written data to the next read command.
    pub t_wtr: Figure<Time>,
    /// From the last data of a read to the first written data.
    pub t_rtw: Figure<Time>,
    /// How long the chip, with every row closed, stores what was written until it outlasts a loss of
    /// power.
    pub t_st: Figure<Time>,
    /// How long the host must wait after power on before the first command.
    pub power_up: Figure<Time>,
    /// Write-backs that each row stands.
    pub endurance: Figure<Cycles>,
    /// Whether a row that was opened and only read takes an endurance cycle, because opening it
    /// destroys what it holds. Left out where it does not.
    pub reads_wear: Option<Sourced<bool>>,
    /// Supply range of VDD, at which the currents are stated.
    pub supply: Figure<Voltage>,
    /// The second supply, for readers of the sheet: no model uses it yet.
    pub vpp: Option<Figure<Voltage>>,
    /// IDD0: one bank opens and closes a row as often as it may.
    pub idd0: Option<Figure<Current>>,
    /// IDD2N: every row closed.
    pub idd2n: Option<Figure<Current>>,
    /// IDD3N: a row open in every bank, no data.
    pub idd3n: Option<Figure<Current>>,
    /// IDD4R: read bursts one after the other.
    pub idd4r: Option<Figure<Current>>,
    /// IDD4W: write bursts one after the other.
    pub idd4w: Option<Figure<Current>>,
}

/// The fastest clock of a DDR bus, so that times of an hour are few enough clocks to count.
pub(super) const CLOCK_MAX_HZ: u64 = 10_000_000_000;

impl DdrMramSheet {
    pub(super) fn commands(&self, bus: &DdrBus) -> Vec<ddr::DdrCommand> {
        let clock = bus.clock.nominal();
        let command = |action, latency: &Figure<Time>| ddr::DdrCommand {
            action,
            clock,
            beat_bytes: u64::from(self.width_bits.value() / 8),
            burst_length: u64::from(*self.burst_length.value()),
            row_clocks: clocks_of(self.t_rcd.most(), clock) + clocks_of(latency.most(), clock),
        };
        vec![
            command(Action::Read, &self.t_cl),
            command(Action::Write, &self.t_cwl),
        ]
    }

    /// Every time between commands, by its key.
    pub(super) fn times(&self) -> [(&'static str, &Figure<Time>); 13] {
        [
            ("t_rcd", &self.t_rcd),
            ("t_cl", &self.t_cl),
            ("t_cwl", &self.t_cwl),
            ("t_rp", &self.t_rp),
            ("t_ras", &self.t_ras),
            ("t_rrd", &self.t_rrd),
            ("t_faw", &self.t_faw),
            ("t_wr", &self.t_wr),
            ("t_rtp", &self.t_rtp),
            ("t_wtr", &self.t_wtr),
            ("t_rtw", &self.t_rtw),
            ("t_st", &self.t_st),
            ("power_up", &self.power_up),
        ]
    }

    pub(super) fn check_geometry(&self, problems: &mut Problems) {
        let (width, burst) = (*self.width_bits.value(), *self.burst_length.value());
        let banks = u64::from(*self.banks.value());
        ddr::check_width("width_bits", width, problems);
        if !matches!(burst, 8 | 16) {
            problems.add("burst_length", "allowed: 8 or 16");
        }
        if !banks.is_power_of_two() || banks > 64 {
            problems.add("banks", "allowed: a power of two from 1 to 64");
        }
        problems.capacity(&self.capacity);
        let burst_bytes = u64::from(width / 8) * u64::from(burst);
        problems.unit("row_bytes", &self.row_bytes, burst_bytes, &self.capacity);
        let capacity = self.capacity.nominal();
        let rows = self.row_bytes.nominal().bytes().saturating_mul(banks);
        if rows > 0 && !capacity.bytes().is_multiple_of(rows) {
            let message = format!("the capacity {capacity} is no whole number of rows in each");
            problems.add("banks", message);
        }
    }
}
