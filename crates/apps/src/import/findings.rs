//! What counters mean, in sentences.

use super::{CounterFormat, CounterNote};
use crate::profile::{Profile, ProfilePhase, ProfileValue};

/// What the counters of a phase come to.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterFindings {
    /// The phase.
    pub name: String,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Share of the lines that are written; from 0 to 1.
    pub write_share: f64,
    /// Share of what the bus of the baseline's modules carries; none where the baseline is not known.
    pub bus_share: Option<f64>,
    /// Instructions for each cycle of a core.
    pub instructions_a_cycle: Option<f64>,
    /// Lines that a core has under way, by Little's law: in the mean, and while it waits. None where no latency was counted.
    pub outstanding: Option<[f64; 2]>,
    /// Intervals whose load is known.
    pub intervals: u64,
}

/// A profile that was made of counters.
#[derive(Clone, Debug)]
pub struct ImportedProfile {
    /// The profile.
    pub profile: Profile,
    /// Whose output was read.
    pub formats: Vec<CounterFormat>,
    /// The core whose counters they are; none where a tool's metrics say all.
    pub core: Option<String>,
    /// What each phase comes to.
    pub findings: Vec<CounterFindings>,
    /// What to know of it.
    pub notes: Vec<CounterNote>,
}

fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// A value and its range, in the words of `shown`.
fn ranged(of: &ProfileValue, shown: impl Fn(f64) -> String) -> String {
    match of.range {
        Some([least, greatest]) if shown(least) != shown(greatest) => {
            format!(
                "{} ({} to {})",
                shown(of.value),
                shown(least),
                shown(greatest)
            )
        }
        _ => shown(of.value),
    }
}

impl ImportedProfile {
    /// What was found, a sentence each: what stands in the counters, then what it means.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let profile = &self.profile;
        let formats: Vec<_> = self.formats.iter().map(|format| format.title()).collect();
        let of_core = self
            .core
            .as_ref()
            .map_or_else(String::new, |core| format!(", events of {core}"));
        let mut said = vec![format!(
            "{} on {} cores, from {}{of_core}.",
            profile.name,
            profile.cores,
            formats.join(" and ")
        )];
        for (phase, findings) in profile.phases.iter().zip(&self.findings) {
            if profile.phases.len() > 1 {
                said.push(format!("Phase {}:", phase.name));
            }
            said.extend(phase_sentences(phase, findings, &profile.baseline));
        }
        said
    }
}

fn phase_sentences(
    phase: &ProfilePhase,
    findings: &CounterFindings,
    baseline: &str,
) -> Vec<String> {
    let seconds = phase.seconds.value;
    let gigabytes = |lines: f64| {
        format!(
            "{:.1} GB/s",
            lines * crate::profile::LINE_BYTES / seconds / 1e9
        )
    };
    let mut said = vec![format!(
        "In {seconds:.3} s it read {} from memory; {} of the lines that moved were written.",
        ranged(&phase.lines_read, gigabytes),
        percent(findings.write_share)
    )];
    if let Some(share) = findings.bus_share {
        said.push(format!(
            "That is {} of the bus of {baseline}.",
            percent(share)
        ));
    }
    said.push(format!(
        "Cores waited for memory {} of the time that they ran.",
        ranged(&phase.stall_share, percent)
    ));
    if let Some(latency) = &phase.latency_ns {
        said.push(format!(
            "A read took {} in the mean.",
            ranged(latency, |value| format!("{value:.0} ns"))
        ));
    }
    if let Some([mean, waiting]) = findings.outstanding {
        said.push(format!(
            "By Little's law a core had {mean:.1} reads under way in the mean: at most {waiting:.1} while it waited, if none \
             were while it computed."
        ));
    }
    if let Some(prefetched) = &phase.prefetched_share {
        said.push(format!(
            "Prefetchers asked for {} of the lines.",
            ranged(prefetched, percent)
        ));
    }
    if let Some(load) = &phase.load {
        let peak = load.levels.iter().map(|level| level[1]).fold(0.0, f64::max);
        said.push(format!(
            "Load over {} intervals of {:.3} s varied by {} of its mean; the most was {peak:.1} times the mean.",
            findings.intervals,
            load.window_s,
            percent(crate::levels::variation_of(&load.levels))
        ));
    }
    if let Some(imbalance) = &phase.imbalance {
        said.push(format!(
            "The busiest channel had {:.2} times the mean.",
            imbalance.value
        ));
    }
    if let Some(outside) = &phase.outside_share
        && outside.value >= 0.01
    {
        said.push(format!(
            "Cores did nothing {} of the time: disks, networks, locks.",
            ranged(outside, percent)
        ));
    }
    if let Some(rate) = findings.instructions_a_cycle {
        said.push(format!("A core finished {rate:.2} instructions a cycle."));
    }
    said
}
