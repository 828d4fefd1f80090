//! The profile of a program: from the document, from a file, or from the figures that flags state.

use std::io::Read as _;

use serde_json::Value;
use wordline_apps::levels::levels_of;
use wordline_apps::{LoadLevels, Profile, ProfilePhase, ProfileValue};
use wordline_core::quantity::Quantity as _;
use wordline_core::{AppWorkload, Basis};

use crate::control::Control;
use crate::error::{LabError, SettingProblem, in_range};

/// No profile of a program is larger.
const BYTES_MAX: u64 = 64 << 20;

/// Time of a program that flags describe: rates alone count.
const SECONDS: f64 = 1.0;

/// What a rate or a share by a flag is rounded by: a rate by a share of itself, a share of time by points.
const RATE_ROUNDED: f64 = 0.025;
const SHARE_ROUNDED: f64 = 0.05;

/// The greatest imbalance of channels that a flag takes: a system's channels, should one carry all.
const IMBALANCE_MAX: f64 = 16.0;

/// Time over which a stated variation is taken, in seconds: that of counters in intervals.
const WINDOW_S: f64 = 1e-3;

/// The profile, checked, and as a document has it.
pub(super) fn profile(
    workload: &AppWorkload,
    control: &Control<'_>,
) -> Result<(Profile, Value), LabError> {
    let flags = [
        ("cores", workload.program_cores.is_some()),
        ("read", workload.read_bytes_per_s.is_some()),
        ("write-share", workload.written.is_some()),
        ("stall", workload.stall.is_some()),
        ("outside", workload.outside.is_some()),
        ("variation", workload.variation.is_some()),
        ("locality", workload.locality.is_some()),
        ("imbalance", workload.imbalance.is_some()),
    ];
    let stated = flags.into_iter().find(|(_, is_stated)| *is_stated);
    let (name, text) = match (&workload.profile, &workload.file, stated) {
        (Some(profile), file, _) => {
            let name = file.clone().unwrap_or_else(|| "profile".to_owned());
            (name, profile.to_string())
        }
        (None, Some(_), Some((flag, _))) => return Err(SettingProblem::BesideProfile.of(flag)),
        (None, Some(file), None) => (file.clone(), read(file, control)?),
        (None, None, _) => ("the flags".to_owned(), of_flags(workload)?.to_json()),
    };
    let problem = |source| LabError::Profile {
        file: name.clone(),
        source,
    };
    let mut profile = Profile::from_json(&text).map_err(problem)?;
    match &workload.on {
        Some(on) if profile.baseline.is_empty() => profile.baseline.clone_from(on),
        Some(on) if *on != profile.baseline => return Err(SettingProblem::BesideProfile.of("on")),
        _ => {}
    }
    if profile.baseline.is_empty() {
        return Err(SettingProblem::NoBaseline.of("on"));
    }
    let value = serde_json::from_str(&profile.to_json()).unwrap_or(Value::Null);
    Ok((profile, value))
}

fn read(file: &str, control: &Control<'_>) -> Result<String, LabError> {
    let mut text = String::new();
    let opened = control.open(file)?;
    let read = opened.take(BYTES_MAX).read_to_string(&mut text);
    read.map_err(|source| LabError::Unreadable {
        file: file.to_owned(),
        source,
    })?;
    Ok(text)
}

/// A program that flags describe.
fn of_flags(workload: &AppWorkload) -> Result<Profile, LabError> {
    let missing = |flag: &'static str| SettingProblem::NoProfile.of(flag);
    let cores = workload.program_cores.ok_or_else(|| missing("cores"))?;
    let read = workload.read_bytes_per_s.ok_or_else(|| missing("read"))?;
    let stall = workload.stall.ok_or_else(|| missing("stall"))?.si();
    let on = workload.on.clone().ok_or_else(|| missing("on"))?;
    let written = workload.written.map_or(0.0, |share| share.si());
    if !(0.0..1.0).contains(&written) {
        return Err(SettingProblem::WrittenShare(written).of("write-share"));
    }
    let levels = match workload.variation {
        None => None,
        Some(variation) if (0.0..=2.0).contains(&variation) => Some(levels_of(variation)),
        Some(variation) => return Err(SettingProblem::Variation(variation).of("variation")),
    };
    if let Some(imbalance) = workload.imbalance {
        in_range("imbalance", imbalance, 1.0, IMBALANCE_MAX)?;
    }
    let rounded = |value: f64, by: f64, most: f64| {
        ProfileValue::within(
            value,
            (value - by).max(0.0).min(value),
            (value + by).min(most).max(value),
            Basis::Assumed,
        )
    };
    let rate = |bytes_per_s: f64| {
        let lines = bytes_per_s * SECONDS / 64.0;
        rounded(lines, RATE_ROUNDED * lines.abs(), f64::MAX)
    };
    Ok(Profile {
        schema: Profile::SCHEMA,
        name: "the program".to_owned(),
        made_by: "flags of wordline app project".to_owned(),
        baseline: on,
        cores,
        phases: vec![ProfilePhase {
            name: "all".to_owned(),
            seconds: ProfileValue::exact(SECONDS, Basis::Assumed),
            lines_read: rate(read),
            lines_written: rate(read * written / (1.0 - written)),
            stall_share: rounded(stall, SHARE_ROUNDED, 1.0),
            instructions: None,
            cycles: None,
            prefetched_share: None,
            outstanding: None,
            latency_ns: None,
            load: levels.map(|levels| LoadLevels {
                levels,
                window_s: WINDOW_S,
                basis: Basis::Assumed,
            }),
            imbalance: workload.imbalance.map(|ratio| {
                let (least, most) = (ratio * (1.0 - RATE_ROUNDED), ratio * (1.0 + RATE_ROUNDED));
                ProfileValue::within(ratio, least.max(1.0), most, Basis::Assumed)
            }),
            locality: workload
                .locality
                .map(|share| rounded(share.si(), SHARE_ROUNDED, 1.0)),
            outside_share: workload.outside.map(|share| rounded(share.si(), 0.0, 1.0)),
        }],
    })
}
