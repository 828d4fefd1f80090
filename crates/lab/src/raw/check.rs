//! What is wrong with a workload, before anything is run.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::{Operation, Pattern, RawWorkload, Timing};
use wordline_nvm::Device;

use crate::during::{PAUSE_MAX, readable_bytes};
use crate::error::{LabError, SettingProblem, check_access};
use crate::list::distinct;
use crate::payload::Payload;
use crate::state::{self, FOOTPRINT_MAX, PASSES_MAX};
use crate::translation;

/// The largest access, because its bytes are held in RAM three times over.
const ACCESS_MAX: u64 = 1 << 30;

/// Devices as they were connected, with their targets and timing classes.
pub(super) type Devices<'a> = [(&'a PartOnBoard<'a>, Timing, Box<dyn Device>)];

/// Bytes of the memory that a run touches.
pub(super) fn footprint(workload: &RawWorkload) -> u64 {
    let moved = workload.total_bytes.saturating_add(workload.warm_up_bytes);
    let scattered = workload.streams.iter().any(|streams| *streams > 1);
    if scattered || workload.patterns.contains(&Pattern::Random) {
        workload.wrap_bytes
    } else {
        workload.wrap_bytes.min(moved)
    }
}

/// Checks the workload on every device.
pub(super) fn check(
    devices: &mut Devices<'_>,
    workload: &RawWorkload,
    seed: u64,
) -> Result<(), LabError> {
    lists(workload)?;
    during(workload)?;
    if workload.mapped && !workload.operations.contains(&Operation::Read) {
        return Err(SettingProblem::NoReads.of("mapped"));
    }
    times(workload)?;
    let (wrap, total) = (workload.wrap_bytes, workload.total_bytes);
    for (target, _, device) in devices.iter_mut() {
        let capacity = device.len();
        if wrap > capacity || wrap == 0 {
            return Err(SettingProblem::Outside {
                found: ByteCount::from_bytes(wrap),
                part: target.part.header.id.clone(),
                most: ByteCount::from_bytes(capacity),
            }
            .of("wrap"));
        }
        let most = capacity.saturating_mul(PASSES_MAX);
        let moved = [("total", total), ("warm_up", workload.warm_up_bytes)];
        if let Some((what, found)) = moved.into_iter().find(|(_, bytes)| *bytes > most) {
            return Err(SettingProblem::ManyPasses {
                found: ByteCount::from_bytes(found),
                part: target.part.header.id.clone(),
                most: ByteCount::from_bytes(most),
            }
            .of(what));
        }
        whole_units(workload, target, device.as_ref())?;
        let most = device.background().map(|memory| readable_bytes(memory));
        if let Some(most) = most.filter(|most| wrap > *most && !workload.during.is_empty()) {
            return Err(SettingProblem::NoBlockLeft {
                found: ByteCount::from_bytes(wrap),
                part: target.part.header.id.clone(),
                most: ByteCount::from_bytes(most),
            }
            .of("wrap"));
        }
    }
    if total == 0 {
        return Err(SettingProblem::MovesNothing.of("total"));
    }
    for &access in &workload.access_bytes {
        check_access("size", access, [wrap, total, ACCESS_MAX])?;
    }
    held(devices, workload, seed)
}

/// Lists name everything once.
fn lists(workload: &RawWorkload) -> Result<(), LabError> {
    let operations = workload.operations.iter();
    distinct("operation", operations.map(|one| one.name().to_owned()))?;
    let patterns = workload.patterns.iter();
    distinct("pattern", patterns.map(|one| one.name().to_owned()))?;
    let sizes = workload.access_bytes.iter();
    distinct("size", sizes.map(|&size| print(size)))?;
    if !workload.fill.is_empty() {
        distinct("fill", workload.fill.iter().map(ToString::to_string))?;
    }
    if !workload.gaps_ps.is_empty() {
        let gaps = workload.gaps_ps.iter().copied();
        distinct("gap", gaps.map(|gap| Time::from_ps(gap).to_string()))?;
    }
    for fill in &workload.fill {
        state::check_fill(fill.si())?;
    }
    streams(workload)
}

/// Where less than an erase unit is written at a time, each stream has units of its own: an erase would take what
/// another stream wrote.
fn whole_units(
    workload: &RawWorkload,
    target: &PartOnBoard<'_>,
    device: &dyn Device,
) -> Result<(), LabError> {
    let unit = translation::overwrite_bytes(device);
    let writes = workload.operations.contains(&Operation::Write);
    for &streams in workload.streams.iter().filter(|one| writes && **one > 1) {
        for &access in &workload.access_bytes {
            let part = workload.wrap_bytes / u64::from(streams) / access * access;
            if !part.is_multiple_of(unit) {
                return Err(SettingProblem::BrokenUnits {
                    streams,
                    each: ByteCount::from_bytes(part),
                    part: target.part.header.id.clone(),
                    unit: ByteCount::from_bytes(unit),
                }
                .of("streams"));
            }
        }
    }
    Ok(())
}

/// Each stream has room for an access of each size.
fn streams(workload: &RawWorkload) -> Result<(), LabError> {
    let Some(&most) = workload.streams.iter().max() else {
        return Ok(());
    };
    distinct("streams", workload.streams.iter().map(u32::to_string))?;
    let largest = workload.access_bytes.iter().copied().max().unwrap_or(1);
    let room = workload.wrap_bytes / largest.max(1);
    let problem = if !workload.during.is_empty() {
        SettingProblem::StreamsDuring
    } else if workload.streams.contains(&0) {
        SettingProblem::NoStream
    } else if room > 0 && u64::from(most) > room {
        SettingProblem::CrowdedStreams { most, room }
    } else {
        return Ok(());
    };
    Err(problem.of("streams"))
}

fn during(workload: &RawWorkload) -> Result<(), LabError> {
    if workload.during.is_empty() {
        return Ok(());
    }
    let during = workload.during.iter();
    distinct("during", during.map(|one| one.name().to_owned()))?;
    let problem = if !workload.operations.contains(&Operation::Read) {
        SettingProblem::NoReads
    } else if workload.multi_plane {
        SettingProblem::DuringMultiPlane
    } else if !workload.gaps_ps.is_empty() {
        SettingProblem::DuringWithGap
    } else if workload.warm_up_bytes > 0 {
        SettingProblem::DuringWithWarmUp
    } else {
        return Ok(());
    };
    Err(problem.of("during"))
}

/// Pauses between accesses.
fn times(workload: &RawWorkload) -> Result<(), LabError> {
    let longest = workload.gaps_ps.iter().copied().map(Time::from_ps).max();
    if let Some(gap) = longest.filter(|gap| *gap > PAUSE_MAX) {
        return Err(too_long(gap).of("gap"));
    }
    let Some(pause) = workload.pause_ps.map(Time::from_ps) else {
        return Ok(());
    };
    let problem = if workload.during.is_empty() {
        SettingProblem::PauseWithoutDuring
    } else if pause > PAUSE_MAX {
        too_long(pause)
    } else {
        return Ok(());
    };
    Err(problem.of("pause"))
}

const fn too_long(found: Time) -> SettingProblem {
    SettingProblem::LongPause {
        found,
        most: PAUSE_MAX,
    }
}

/// What the host has to hold of each device fits it.
fn held(devices: &Devices<'_>, workload: &RawWorkload, seed: u64) -> Result<(), LabError> {
    let fullest = workload
        .fill
        .iter()
        .map(|fill| fill.si())
        .fold(0.0, f64::max);
    for (_, _, device) in devices {
        let sizes = workload.access_bytes.iter().copied();
        let payload = Payload::suited(seed, device.as_ref(), sizes);
        if payload.held_bytes(footprint(workload)) > FOOTPRINT_MAX {
            return Err(SettingProblem::LargeFootprint {
                found: ByteCount::from_bytes(workload.wrap_bytes),
                most: ByteCount::from_bytes(FOOTPRINT_MAX),
            }
            .of("wrap"));
        }
        state::check_held(&payload, device.as_ref(), fullest)?;
    }
    Ok(())
}

fn print(bytes: u64) -> String {
    ByteCount::from_bytes(bytes).to_string()
}
