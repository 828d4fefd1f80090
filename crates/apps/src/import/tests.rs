//! Files of every tool, sound and not: what comes out of them, and what is said of them.

use wordline_core::Basis;

use super::fixtures::{all, named};
use super::{
    CounterContext, CounterFault, CounterFormat, CounterNote, ImportedProfile, import_counters,
    read_counters,
};
use crate::levels::variation_of;

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../fuzz/corpus/counters/", $name)).as_slice()
    };
}

pub(super) const XEON: CounterContext<'static> = CounterContext {
    name: "solver",
    made_by: "test",
    baseline: "rdimm-6400-2rx4-64g@xeon6-1s",
    cores: Some(128),
    seconds: None,
    bus_bytes_per_s: Some(614.4e9),
    misses: Some(26.0),
    system_cores: Some(128),
    cpu: None,
};

pub(super) const PLAIN: CounterContext<'static> = CounterContext {
    baseline: "",
    cores: None,
    bus_bytes_per_s: None,
    misses: None,
    system_cores: None,
    ..XEON
};

/// What files come to; `cpu` is the core that the user names.
pub(super) fn imported(
    files: &[&[u8]],
    cpu: Option<&str>,
    context: &CounterContext<'_>,
) -> Result<ImportedProfile, CounterFault> {
    let sheets = all();
    let sheets = named(&sheets);
    let expected = cpu.and_then(|cpu| sheets.iter().position(|sheet| sheet.id == cpu));
    let readings = files
        .iter()
        .map(|file| read_counters(*file, &sheets, expected));
    let readings: Vec<_> = readings.collect::<Result<_, _>>()?;
    import_counters(&readings, &sheets, context)
}

#[track_caller]
pub(super) fn near(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within * expected.abs(),
        "{found} is not {expected}"
    );
}

#[test]
fn intervals_of_perf_give_rates_shares_latency_and_load() {
    let imported =
        imported(&[file!("perf-interval.csv")], Some("granite-rapids"), &XEON).expect("sound");
    assert_eq!(imported.formats, [CounterFormat::PerfCsv]);
    assert_eq!(imported.core.as_deref(), Some("granite-rapids"));
    let phase = &imported.profile.phases[0];
    near(phase.seconds.value, 3.0, 0.01);
    near(phase.read_rate(), 350e9, 0.01);
    near(phase.write_share(), 0.2, 1e-3);
    let stall = phase.stall_share;
    near(stall.value, 0.55, 1e-3);
    assert_eq!(stall.basis, Basis::Measured);
    near(stall.bounds()[0], 0.55, 1e-3);
    near(stall.bounds()[1], 0.63, 1e-3);
    near(phase.latency_ns.expect("counted").value, 180.0, 1e-3);
    near(phase.prefetched_share.expect("counted").value, 0.6, 1e-3);
    near(phase.outside_share.expect("counted").value, 0.02, 0.01);
    let load = phase.load.as_ref().expect("30 intervals");
    near(load.window_s, 0.1, 0.01);
    // One interval in five at 1.6, the others at 0.85.
    near(variation_of(&load.levels), 0.3, 0.03);
    let findings = &imported.findings[0];
    near(findings.bus_share.expect("a baseline"), 437.5 / 614.4, 0.01);
    // 350 GB/s / 64 B * 180 ns / 128 cores, and while they wait.
    let [mean, waiting] = findings.outstanding.expect("a latency");
    near(mean, 7.69, 0.01);
    near(waiting, 13.98, 0.01);
    let said = imported.sentences().join("\n");
    for words in [
        "solver on 128 cores, from perf stat -x, events of granite-rapids.",
        "it read 350",
        "20 % of the lines that moved were written",
        "71 % of the bus of rdimm-6400-2rx4-64g@xeon6-1s",
        "waited for memory 55 % (55 % to 63 %) of the time",
        "7.7 reads under way in the mean: at most 14.0 while it waited",
        "Load over 30 intervals of 0.100 s varied by 30 % of its mean",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let only: Vec<_> = imported
        .notes
        .iter()
        .filter(|note| **note != CounterNote::WholeMachine)
        .collect();
    assert!(only.is_empty(), "{only:?}");
}

#[test]
fn every_form_of_perf_gives_the_same_profile() {
    let plain = imported(&[file!("perf-whole.csv")], None, &XEON).expect("sound");
    let german = imported(&[file!("perf-semicolon.csv")], None, &XEON).expect("sound");
    assert_eq!(plain.profile, german.profile);
    assert_eq!(plain.core.as_deref(), Some("granite-rapids"));
    assert_eq!(plain.profile.phases[0].load, None);
    assert!(
        plain
            .notes
            .contains(&CounterNote::FewIntervals { intervals: 0 }),
        "{:?}",
        plain.notes
    );
}

#[test]
fn sockets_add_up_and_raw_terms_are_events() {
    let context = CounterContext {
        cores: Some(96),
        ..PLAIN
    };
    let imported = imported(&[file!("perf-socket.csv")], None, &context).expect("sound");
    let phase = &imported.profile.phases[0];
    near(phase.seconds.value, 10.0, 1e-6);
    near(phase.read_rate(), 300e9, 1e-3);
    near(phase.write_share(), 1.0 / 6.0, 1e-3);
    near(phase.stall_share.value, 0.4, 1e-3);
    // Emerald Rapids has the same events.
    let note = imported
        .notes
        .iter()
        .find(|note| matches!(note, CounterNote::Alike { .. }));
    assert!(
        note.is_some_and(|note| note.to_string().contains("emerald-rapids")),
        "{:?}",
        imported.notes
    );
}

#[test]
fn objects_of_perf_and_counters_of_zen() {
    let imported = imported(&[file!("perf.json")], None, &PLAIN).expect("sound");
    assert_eq!(imported.core.as_deref(), Some("zen4"));
    assert_eq!(imported.profile.cores, 96);
    let phase = &imported.profile.phases[0];
    near(phase.read_rate(), 230e9 * 1.15, 0.01);
    near(phase.latency_ns.expect("counted").value, 120.0, 1e-6);
    assert_eq!(phase.stall_share.basis, Basis::Assumed);
    near(phase.stall_share.value, 0.62 * 0.8, 0.01);
    near(
        phase.prefetched_share.expect("counted").value,
        1.0 - 100.0 / 230.0,
        0.01,
    );
    assert_eq!(phase.load.as_ref().map(|load| load.levels.len()), Some(2));
}

#[test]
fn what_is_counted_together_is_taken_apart_with_a_range() {
    let zen = imported(&[file!("perf-zen3.csv")], None, &PLAIN).expect("sound");
    assert_eq!(zen.core.as_deref(), Some("zen3"));
    let phase = &zen.profile.phases[0];
    near(phase.read_rate(), 130e9, 0.01);
    let moved = phase.lines_read.value + phase.lines_written.value;
    near(moved * 64.0 / 20.0, 160e9, 0.01);
    assert_eq!(phase.lines_written.basis, Basis::Assumed);
    let [least, most] = phase.lines_written.bounds();
    assert!(least < phase.lines_written.value && phase.lines_written.value < most);
    // The controllers count the machine, so that cores' time is no clock; nothing else states the frequency.
    assert_eq!(phase.latency_ns, None);

    let arm = imported(&[file!("perf-neoverse.csv")], None, &PLAIN).expect("sound");
    assert_eq!(arm.core.as_deref(), Some("neoverse-v1"));
    assert_eq!(arm.profile.cores, 64);
    let phase = &arm.profile.phases[0];
    near(phase.stall_share.value, 0.35, 0.01);
    let [least, most] = phase.lines_written.bounds();
    assert!(
        least == 0.0 && most >= phase.lines_read.value,
        "{:?}",
        phase.lines_written
    );
    assert!(
        arm.notes
            .iter()
            .any(|note| matches!(note, CounterNote::UserOnly { .. }))
    );
    assert!(arm.notes.iter().any(|note| matches!(
        note,
        CounterNote::Unknown {
            what: "lines written",
            ..
        }
    )));
}

#[test]
fn a_shared_counter_widens_its_range_and_is_named() {
    let imported = imported(&[file!("perf-multiplexed.csv")], None, &XEON).expect("sound");
    let phase = &imported.profile.phases[0];
    // Counted 40 % of the time, in one interval: 60 % of it may be different.
    near(phase.stall_share.value, 0.55, 1e-3);
    near(phase.stall_share.bounds()[0], 0.22, 0.01);
    near(phase.stall_share.bounds()[1], 0.88, 0.01);
    let notes: Vec<_> = imported.notes.iter().map(ToString::to_string).collect();
    let said = notes.join("\n");
    assert!(
        said.contains("line 7: memory_activity.stalls_l3_miss was counted 40 % of the time"),
        "{said}"
    );
    assert!(
        said.contains("line 8: memory_activity.stalls_l1d_miss was not counted"),
        "{said}"
    );
    assert!(
        said.contains(
            "line 9: offcore_requests_outstanding.l3_miss_demand_data_rd is not supported"
        ),
        "{said}"
    );
    assert_eq!(phase.latency_ns, None);
    assert_eq!(imported.findings[0].outstanding, None);
}

#[test]
fn an_interval_without_the_program_is_idle_and_no_fault() {
    let context = CounterContext {
        cores: Some(1),
        ..PLAIN
    };
    let imported =
        imported(&[file!("perf-sleeping.csv")], Some("neoverse-v1"), &context).expect("sound");
    let phase = &imported.profile.phases[0];
    near(phase.lines_read.value, 1.9e6 * 1.05, 1e-3);
    near(
        phase.outside_share.expect("processor time").value,
        1.0 - 0.02245 / 0.300_268,
        0.01,
    );
    assert!(
        imported.notes.contains(&CounterNote::Idle {
            intervals: 1,
            line: 4
        }),
        "{:?}",
        imported.notes
    );
}

#[test]
fn toplev_gives_shares_and_another_file_the_lines() {
    let context = CounterContext {
        baseline: "",
        bus_bytes_per_s: None,
        ..XEON
    };
    let alone = imported(&[file!("toplev.csv")], Some("granite-rapids"), &context).expect("sound");
    let phase = &alone.profile.phases[0];
    near(phase.stall_share.value, 0.5, 1e-6);
    near(
        phase.stall_share.bounds()[1],
        0.6 * (1.0 + 0.667 / 5.0),
        0.01,
    );
    near(phase.latency_ns.expect("stated").value, 185.0, 1e-6);
    assert_eq!(phase.lines_written.basis, Basis::Assumed);
    assert!(phase.load.is_some());
    let both = imported(
        &[file!("toplev.csv"), file!("pcm-memory.csv")],
        None,
        &context,
    )
    .expect("sound");
    assert_eq!(both.formats, [CounterFormat::Toplev, CounterFormat::Pcm]);
    let phase = &both.profile.phases[0];
    near(phase.write_share(), 39.0 / (163.8 + 39.0), 0.01);
    near(phase.stall_share.value, 0.5, 1e-6);
    near(
        phase.imbalance.expect("channels").value,
        (31.2 + 6.5) / (27.3 + 6.5),
        0.01,
    );
    // The runs took 25 and 12 s.
    assert!(
        both.notes
            .iter()
            .any(|note| matches!(note, CounterNote::RunsDiffer { .. }))
    );
}

#[test]
fn metrics_of_perfspect_and_their_summary() {
    let lines = imported(&[file!("perfspect.csv")], None, &XEON).expect("sound");
    let phase = &lines.profile.phases[0];
    near(phase.seconds.value, 130.0, 1e-9);
    near(phase.read_rate(), 393.8e9, 0.01);
    near(phase.latency_ns.expect("stated").value, 176.4, 1e-6);
    near(phase.outside_share.expect("stated").value, 0.025, 1e-6);
    assert_eq!(phase.load.as_ref().map(|load| load.levels.len()), Some(4));
    let summary = imported(&[file!("perfspect-summary.csv")], None, &XEON).expect("sound");
    let phase = &summary.profile.phases[0];
    near(phase.seconds.value, 1.0, 1e-9);
    near(phase.read_rate(), 350e9, 1e-9);
    assert!(summary.notes.contains(&CounterNote::NoTime));
}

#[test]
fn likwid_has_a_phase_for_each_region() {
    let context = CounterContext {
        cores: Some(4),
        ..PLAIN
    };
    let one = imported(&[file!("likwid.csv")], None, &context).expect("sound");
    let phase = &one.profile.phases[0];
    near(phase.seconds.value, 8.25, 1e-9);
    near(phase.read_rate(), 120.5e9, 1e-6);
    near(
        phase.instructions.expect("an event").value,
        4.0 * 2e9 * 8.25,
        1e-6,
    );
    let regions = imported(
        &[file!("likwid-regions.csv")],
        Some("sapphire-rapids"),
        &context,
    )
    .expect("sound");
    let names: Vec<_> = regions
        .profile
        .phases
        .iter()
        .map(|phase| phase.name.as_str())
        .collect();
    assert_eq!(names, ["assemble", "solve"]);
    near(regions.profile.phases[1].read_rate(), 140e9, 1e-6);
    near(regions.profile.phases[1].seconds.value, 10.0, 1e-9);
    assert!(regions.sentences().contains(&"Phase solve:".to_owned()));
    let timeline = imported(&[file!("likwid-timeline.csv")], None, &context).expect("sound");
    let phase = &timeline.profile.phases[0];
    near(phase.seconds.value, 12.0, 1e-9);
    near(phase.read_rate(), 140e9, 1e-6);
    assert_eq!(phase.load.as_ref().map(|load| load.levels.len()), Some(2));
}

#[test]
fn pcm_in_both_forms() {
    let memory = imported(&[file!("pcm-memory.csv")], None, &XEON).expect("sound");
    let phase = &memory.profile.phases[0];
    near(phase.seconds.value, 12.0, 1e-6);
    near(phase.read_rate(), 109.2e9 * (8.0 * 1.5 + 16.0) / 24.0, 1e-6);
    // Stalls were not counted: anything is possible, and half is taken.
    assert_eq!(phase.stall_share.range, Some([0.0, 1.0]));
    let old = imported(&[file!("pcm-old.csv")], None, &XEON).expect("sound");
    assert_eq!(memory.profile, old.profile);
    let pcm = imported(&[file!("pcm.csv")], None, &XEON).expect("sound");
    let phase = &pcm.profile.phases[0];
    near(phase.read_rate(), 120e9, 1e-6);
    near(phase.latency_ns.expect("stated").value, 151.5, 1e-6);
    near(
        pcm.findings[0].instructions_a_cycle.expect("both"),
        175.0 / 192.0,
        1e-6,
    );
}

#[test]
fn several_runs_are_one_profile() {
    let text = String::from_utf8(file!("perf-whole.csv").to_vec()).expect("text");
    let part = |keep: fn(&str) -> bool, slower: bool| -> String {
        let line = |line: &str| {
            let fields: Vec<&str> = line.splitn(2, ',').collect();
            let count: f64 = fields[0].parse().expect("a number");
            format!(
                "{:.0},{}\n",
                count * if slower { 2.0 } else { 1.0 },
                fields[1]
            )
        };
        text.lines().filter(|text| keep(text)).map(line).collect()
    };
    let lines = part(
        |line| line.contains("unc_m") || line.contains("duration_time"),
        false,
    );
    let rest = part(|line| !line.contains("unc_m"), true);
    let whole = imported(&[text.as_bytes()], None, &XEON)
        .expect("sound")
        .profile;
    // The second run took twice as long and counted twice as much.
    let parts = imported(&[rest.as_bytes(), lines.as_bytes()], None, &XEON).expect("sound");
    let (phase, other) = (&parts.profile.phases[0], &whole.phases[0]);
    near(phase.seconds.value, other.seconds.value, 1e-9);
    near(phase.lines_read.value, other.lines_read.value, 1e-9);
    near(
        phase.instructions.expect("there").value,
        other.instructions.expect("there").value,
        1e-6,
    );
    near(phase.stall_share.value, other.stall_share.value, 1e-6);
    near(
        phase.latency_ns.expect("there").value,
        other.latency_ns.expect("there").value,
        1e-6,
    );
    assert!(
        parts
            .notes
            .iter()
            .any(|note| matches!(note, CounterNote::RunsDiffer { .. }))
    );
}

#[test]
fn memory_does_not_grow_with_the_file() {
    /// Perf's lines for so many intervals, made as they are read.
    struct Endless(u64, Vec<u8>);
    impl std::io::Read for Endless {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            if self.1.is_empty() && self.0 < 20_000 {
                self.0 += 1;
                let (number, lines) = (self.0, self.0 % 7 * 1000);
                self.1 = format!("{number}.000000000,{lines},,ll_cache_miss_rd,1,100.00,,\n{number}.000000000,5,,branches-{number},1,100.00,,\n").into();
            }
            let many = out.len().min(self.1.len());
            out[..many].copy_from_slice(&self.1[..many]);
            self.1.drain(..many);
            Ok(many)
        }
    }
    let sheets = all();
    let sheets = named(&sheets);
    let reader = std::io::BufReader::new(Endless(0, Vec::new()));
    let readings = read_counters(reader, &sheets, None).expect("sound");
    let phase = &readings.collected.phases[0];
    assert_eq!((phase.intervals, phase.sums.len()), (20_000, 1));
    assert!(phase.load[0].levels().is_some());
    let held = format!("{:?}", readings.collected).len();
    assert!(held < 20_000, "{held}");
}

/// `perf stat -I 100 --summary` repeats all intervals as one, and `-r` puts the variance where the version of perf likes it.
#[test]
fn summaries_are_not_counted_again_and_variances_stand_on_either_side() {
    let of = |file: &[u8]| imported(&[file], Some("granite-rapids"), &XEON).expect("sound");
    let intervals = file!("perf-interval.csv");
    let alone = of(intervals);
    let text = std::str::from_utf8(intervals).expect("text");
    let mut with_summary = text.to_owned();
    for line in text.lines() {
        // Without its time, a line of an interval is one of the summary.
        if let Some((time, rest)) = line.split_once(',')
            && time.trim().parse::<f64>().is_ok()
        {
            with_summary.push_str(&format!("summary,{rest}\n"));
        }
    }
    assert!(with_summary.len() > text.len());
    let read = |one: &ImportedProfile| one.profile.phases[0].lines_read.value;
    assert_eq!(read(&of(with_summary.as_bytes())), read(&alone));

    let whole = std::str::from_utf8(file!("perf-whole.csv")).expect("text");
    let with_variance: String = whole
        .lines()
        .map(|line| {
            let mut fields: Vec<&str> = line.split(',').collect();
            let run = fields
                .windows(2)
                .position(|pair| pair[0].len() > 6 && pair[1] == "100.00");
            if let Some(at) = run {
                fields.insert(at, "0.50%");
            }
            fields.join(",") + "\n"
        })
        .collect();
    assert!(with_variance.contains("0.50%"));
    let read = |text: &str| read(&of(text.as_bytes()));
    assert_eq!(read(&with_variance), read(whole));
}
