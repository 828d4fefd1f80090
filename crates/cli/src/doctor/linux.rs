//! What Linux states of the host under `/proc` and `/sys`. Elsewhere the files are absent, and each
//! check says so.

use std::fs;
use std::path::Path;

use super::{DoctorState, Finding};

/// Everything that is looked at.
pub(crate) fn findings() -> Vec<Finding> {
    let mut findings = vec![
        processor(),
        memory(),
        numa(),
        time_source(),
        frequency(),
        virtual_machine(),
        counters(),
    ];
    findings.extend(super::memory::findings(Path::new("/")));
    findings.extend(block_devices());
    findings.push(raw_flash());
    findings
}

fn text(path: &str) -> Option<String> {
    fs::read_to_string(path)
        .ok()
        .map(|text| text.trim().to_owned())
}

/// The first value of a key in a file of `key : value` lines.
fn value_of(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

pub(super) fn unknown(area: &'static str, check: &'static str) -> Finding {
    Finding {
        area,
        check,
        state: DoctorState::Missing,
        found: "not stated by this system".to_owned(),
        advice: "",
    }
}

pub(super) fn fact(area: &'static str, check: &'static str, found: Option<String>) -> Finding {
    found.map_or_else(
        || unknown(area, check),
        |found| Finding {
            area,
            check,
            state: DoctorState::Fact,
            found,
            advice: "",
        },
    )
}

/// Something that is good or limits measurements; the advice is for the second case.
pub(super) fn judged(
    area: &'static str,
    check: &'static str,
    good: bool,
    found: String,
    advice: &'static str,
) -> Finding {
    Finding {
        area,
        check,
        state: if good {
            DoctorState::Good
        } else {
            DoctorState::Limited
        },
        found,
        advice: if good { "" } else { advice },
    }
}

fn processor() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = value_of("/proc/cpuinfo", "model name");
    let model = model.or_else(|| text("/proc/device-tree/model"));
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    fact(
        "host",
        "processor",
        Some(format!("{model}, {cores} usable threads")),
    )
}

fn memory() -> Finding {
    let total = value_of("/proc/meminfo", "MemTotal");
    let kib = total.and_then(|total| total.strip_suffix(" kB")?.trim().parse::<f64>().ok());
    fact(
        "host",
        "memory",
        kib.map(|kib| format!("{:.1} GiB", kib / 1_048_576.0)),
    )
}

fn numa() -> Finding {
    let online = text("/sys/devices/system/node/online");
    fact("memory", "NUMA nodes", online)
}

fn time_source() -> Finding {
    let source = text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let Some(source) = source else {
        return unknown("timing", "clock source");
    };
    judged(
        "timing",
        "clock source",
        ["tsc", "arch_sys_counter"].contains(&source.as_str()),
        source,
        "reading the time costs a system call or more; durations below 1 us will be coarse",
    )
}

fn frequency() -> Finding {
    let governor = text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let Some(governor) = governor else {
        let found = "not under this system's control".to_owned();
        return fact("timing", "frequency governor", Some(found));
    };
    judged(
        "timing",
        "frequency governor",
        governor == "performance",
        governor,
        "as root: cpupower frequency-set -g performance",
    )
}

fn virtual_machine() -> Finding {
    let Some(flags) = value_of("/proc/cpuinfo", "flags") else {
        return unknown("timing", "virtual machine");
    };
    let hypervisor = flags.split_whitespace().any(|flag| flag == "hypervisor");
    judged(
        "timing",
        "virtual machine",
        !hypervisor,
        if hypervisor { "yes" } else { "no" }.to_owned(),
        "neighbours and the hypervisor add to worst-case latencies",
    )
}

fn counters() -> Finding {
    let level = text("/proc/sys/kernel/perf_event_paranoid");
    let Some(level) = level.and_then(|level| level.parse::<i32>().ok()) else {
        return unknown("memory", "performance counters");
    };
    let found = format!("perf_event_paranoid is {level}; measurements need none");
    fact("memory", "performance counters", Some(found))
}

fn block_devices() -> Vec<Finding> {
    let Ok(entries) = fs::read_dir("/sys/block") else {
        return vec![unknown("storage", "block devices")];
    };
    let mut names: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            !["loop", "ram", "zram"]
                .iter()
                .any(|kind| name.starts_with(kind))
        })
        .collect();
    names.sort();
    names.iter().filter_map(|name| block_device(name)).collect()
}

/// A block device that has a size; card readers without a card have none.
fn block_device(name: &str) -> Option<Finding> {
    let root = format!("/sys/block/{name}");
    let sectors: u64 = text(&format!("{root}/size"))?.parse().ok()?;
    if sectors == 0 {
        return None;
    }
    let gigabytes = sectors as f64 * 512.0 / 1e9;
    let rotates = text(&format!("{root}/queue/rotational")).as_deref() == Some("1");
    let readable = fs::File::open(Path::new("/dev").join(name)).is_ok();
    Some(judged(
        "storage",
        "block device",
        readable,
        format!(
            "{name}, {gigabytes:.1} GB{}",
            if rotates { ", rotational" } else { "" }
        ),
        "reading it needs root or membership of its group",
    ))
}

fn raw_flash() -> Finding {
    let devices: Vec<String> = text("/proc/mtd")
        .map(|table| table.lines().skip(1).map(str::to_owned).collect())
        .unwrap_or_default();
    if devices.is_empty() {
        return Finding {
            area: "storage",
            check: "raw flash (MTD)",
            state: DoctorState::Missing,
            found: "none".to_owned(),
            advice: "",
        };
    }
    Finding {
        advice: "wordline wear --target mtd:DEVICE wears blocks of one out, where nobody uses it",
        ..fact("storage", "raw flash (MTD)", Some(devices.join("; ")))
    }
}
