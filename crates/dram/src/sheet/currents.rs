//! The currents of a module's dies, and what the module draws beside them, as energy is reckoned with them.

use wordline_core::Figure;
use wordline_core::quantity::{Current, EnergyPerByte, Quantity, Voltage};

use super::die::{CurrentSet, Die, Organization};
use super::module::Module;
use crate::energy::{Currents, RailCurrents};

/// Bytes of a line.
const LINE_BYTES: f64 = 64.0;

/// One set of currents on a module. Currents are the largest that the set states.
///
/// - IDD4R and IDD4W are scaled to the width of the die.
/// - VPP is stated at rest and during REFab alone: every other state counts as rest unless the set has IPP0, and REFsb takes more than rest in
///   the proportion that VDD has, `(IDD5C − IDD2N) / (IDD5B − IDD2N)`.
/// - A set without IDD5C belongs to a die that cannot refresh single banks: IDD2N stands in for it and is never used.
/// - Lines and buffers carry error correction along with every line, and a module's buffers serve its sub-channels
///   alike.
pub(super) fn currents(
    module: &Module,
    die: &Die,
    organization: &Organization,
    set: &CurrentSet,
) -> Currents {
    let amps = |figure: &Figure<Current>| figure.most().si();
    let volts = |figure: &Figure<Voltage>| figure.nominal().si();
    let share = organization.idd4_share.nominal().si();
    let (i2n, i5b) = (amps(&set.idd2n), amps(&set.idd5b));
    let i5c = set.idd5c.as_ref().map_or(i2n, amps);
    let (rest, refreshing) = (amps(&set.ipp), amps(&set.ipp5b));
    let of_refresh = if i5b > i2n {
        (i5c - i2n) / (i5b - i2n)
    } else {
        0.0
    };
    let power = &module.power;
    let (devices, ecc) = module.devices_of_rank();
    let moved = LINE_BYTES * f64::from(devices) / f64::from((devices - ecc).max(1));
    let line_j = |figure: &Figure<EnergyPerByte>| figure.nominal().si() * moved;
    let io_j = line_j(&power.io_energy);
    Currents {
        vdd: RailCurrents {
            volts: volts(&die.vdd),
            i0: amps(&set.idd0),
            i2n,
            i2p: amps(&set.idd2p),
            i3n: amps(&set.idd3n),
            i3p: amps(&set.idd3p),
            i4r: amps(&set.idd4r) * share,
            i4w: amps(&set.idd4w) * share,
            i5b,
            i5c,
        },
        vpp: RailCurrents {
            volts: volts(&die.vpp),
            i0: set.ipp0.as_ref().map_or(rest, amps),
            i2n: rest,
            i2p: rest,
            i3n: rest,
            i3p: rest,
            i4r: rest,
            i4w: rest,
            i5b: refreshing,
            i5c: rest + (refreshing - rest) * of_refresh,
        },
        data_rate_mts: *set.rate_mts.value(),
        open_share: set.open_share.nominal().si(),
        devices,
        io_read_j: io_j,
        io_write_j: io_j,
        buffer_w: power.buffers.nominal().si() / f64::from((*module.sub_channels.value()).max(1)),
        buffer_line_j: power.buffer_energy.as_ref().map_or(0.0, line_j),
        pmic_efficiency: power.pmic_efficiency.nominal().si(),
    }
}
