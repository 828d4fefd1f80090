//! What a chip needs of its sheet, for one timing class, one link and one controller.

use wordline_core::quantity::{Current, Frequency, Quantity, Time};
use wordline_core::{Figure, Resolver};

use super::sheet::DdrMramSheet;
use crate::bus::ddr::{DdrBus, RowPolicy, clocks_of};
use crate::device::CurrentGap;
use crate::link::Link;
use crate::power::{PowerDraw, PowerState};

/// The times between commands, in clocks of the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clocks {
    pub(super) t_rcd: u64,
    pub(super) t_cl: u64,
    pub(super) t_cwl: u64,
    pub(super) t_rp: u64,
    pub(super) t_ras: u64,
    pub(super) t_rrd: u64,
    pub(super) t_faw: u64,
    pub(super) t_wr: u64,
    pub(super) t_rtp: u64,
    pub(super) t_wtr: u64,
    pub(super) t_rtw: u64,
    pub(super) t_st: u64,
    /// One burst on the data lines.
    pub(super) burst: u64,
}

/// Where addresses lie, and what the controller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AddressLayout {
    pub(super) banks: u64,
    pub(super) row_bytes: u64,
    pub(super) burst_bytes: u64,
    pub(super) policy: RowPolicy,
}

#[derive(Debug)]
pub(super) struct DdrMramSpec {
    pub(super) capacity: u64,
    pub(super) layout: AddressLayout,
    pub(super) clocks: Clocks,
    pub(super) clock: Frequency,
    /// What controller and wiring take of an access.
    pub(super) controller: Time,
    pub(super) power_up: Time,
    pub(super) endurance: u64,
    pub(super) reads_wear: bool,
    pub(super) draw: PowerDraw,
}

impl DdrMramSpec {
    pub(super) fn new(
        sheet: &DdrMramSheet,
        link: &Link,
        bus: &DdrBus,
        resolver: &mut Resolver,
        gaps: &mut Vec<CurrentGap>,
    ) -> Self {
        for key in ["width_bits", "banks", "burst_length", "clock", "supply"] {
            resolver.read(key);
        }
        if sheet.reads_wear.is_some() {
            resolver.read("reads_wear");
        }
        let clock = bus.clock.nominal();
        let mut clocks = |key, time: &Figure<Time>| clocks_of(resolver.wait(key, time), clock);
        let burst_length = u64::from(*sheet.burst_length.value());
        let clocks = Clocks {
            t_rcd: clocks("t_rcd", &sheet.t_rcd),
            t_cl: clocks("t_cl", &sheet.t_cl),
            t_cwl: clocks("t_cwl", &sheet.t_cwl),
            t_rp: clocks("t_rp", &sheet.t_rp),
            t_ras: clocks("t_ras", &sheet.t_ras),
            t_rrd: clocks("t_rrd", &sheet.t_rrd),
            t_faw: clocks("t_faw", &sheet.t_faw),
            t_wr: clocks("t_wr", &sheet.t_wr),
            t_rtp: clocks("t_rtp", &sheet.t_rtp),
            t_wtr: clocks("t_wtr", &sheet.t_wtr),
            t_rtw: clocks("t_rtw", &sheet.t_rtw),
            t_st: clocks("t_st", &sheet.t_st),
            burst: burst_length / 2,
        };
        Self {
            capacity: resolver.fixed("capacity", &sheet.capacity).bytes(),
            layout: AddressLayout {
                banks: u64::from(*sheet.banks.value()),
                row_bytes: resolver.fixed("row_bytes", &sheet.row_bytes).bytes(),
                burst_bytes: u64::from(sheet.width_bits.value() / 8) * burst_length,
                policy: *bus.page_policy.value(),
            },
            clocks,
            clock,
            controller: bus.controller.nominal(),
            power_up: resolver.wait("power_up", &sheet.power_up),
            endurance: resolver.certain("endurance", &sheet.endurance).count(),
            reads_wear: sheet
                .reads_wear
                .as_ref()
                .is_some_and(|wears| *wears.value()),
            draw: PowerDraw {
                voltage: link.voltage,
                current: currents(sheet, &clocks, resolver, gaps),
            },
        }
    }

    /// How long a bank is busy with one row at the least: tRC.
    pub(super) fn row_cycle(&self) -> Time {
        self.clock.duration_of(self.clocks.t_ras + self.clocks.t_rp)
    }
}

/// The current of each state. What opening and closing a row draws follows from IDD0, which is stated
/// for one bank that does so every tRC: less what the chip draws anyhow, with a row open for tRAS
/// (IDD3N) and closed for tRP (IDD2N).
fn currents(
    sheet: &DdrMramSheet,
    clocks: &Clocks,
    resolver: &mut Resolver,
    gaps: &mut Vec<CurrentGap>,
) -> [Option<Current>; PowerState::ALL.len()] {
    let mut stated = |state: PowerState, key, figure: &Option<Figure<Current>>| match figure {
        Some(figure) => Some(resolver.resolve(key, figure)),
        None => {
            let action = state.name();
            gaps.push(CurrentGap::Unknown { action });
            None
        }
    };
    let standby = stated(PowerState::Standby, "idd2n", &sheet.idd2n);
    let active = stated(PowerState::Active, "idd3n", &sheet.idd3n);
    let read = stated(PowerState::Read, "idd4r", &sheet.idd4r);
    let write = stated(PowerState::Write, "idd4w", &sheet.idd4w);
    let cycling = stated(PowerState::Activate, "idd0", &sheet.idd0);
    let activate = cycling.zip(active).zip(standby);
    let activate = activate.map(|((cycling, active), standby)| {
        let (open, closed) = (clocks.t_ras as f64, clocks.t_rp as f64);
        let background = active.si() * open + standby.si() * closed;
        let more = cycling.si() - background / (open + closed).max(1.0);
        Current::from_si(more.max(0.0))
    });
    PowerState::ALL.map(|state| match state {
        PowerState::Standby => standby,
        PowerState::Active => active,
        PowerState::Read => read,
        PowerState::Write => write,
        PowerState::Activate => activate,
        PowerState::DeepPowerDown | PowerState::Erase => None,
    })
}
