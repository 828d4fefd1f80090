use proptest::prelude::*;

use super::sample::{mrdimm_8800, rdimm_6400};
use super::simulate::Simulation;
use super::tests::{one_channel, small};
use super::{
    ComputeTimes, MemoryProgram, MissOrder, ProgramLevel, RunLength, SystemRun, simulate_program,
};
use crate::config::{ConfigError, Refresh, SystemConfig};
use crate::mapping::{AddressField, Digit};

const LENGTH: RunLength = RunLength {
    warm_up_ps: 5_300_000,
    measure_ps: 40_000_000,
    probe_samples: 0,
    episodes: 8,
    settle_ps: 1_000_000,
};

fn run(config: &SystemConfig, program: &MemoryProgram, length: &RunLength) -> SystemRun {
    let run = simulate_program(config, program, length, &|_| true);
    run.expect("a sound program").expect("nobody stops it")
}

fn any_program() -> impl Strategy<Value = MemoryProgram> {
    let shares = (0.0..1.0f64, 0.0..1.0f64);
    let numbers = (1u32..8, 1u32..30, 0.0..300_000.0f64, any::<u64>());
    let kinds = (any::<bool>(), any::<bool>(), any::<bool>());
    (shares, numbers, kinds).prop_map(|((write_share, locality), numbers, kinds)| {
        let (cores, under_way, compute_ps, seed) = numbers;
        let (constant, grouped, bursts) = kinds;
        let level = |share, multiple| ProgramLevel { share, multiple };
        MemoryProgram {
            compute_ps,
            compute_times: if constant {
                ComputeTimes::Constant
            } else {
                ComputeTimes::Exponential
            },
            under_way,
            misses: if grouped {
                MissOrder::Grouped
            } else {
                MissOrder::Independent
            },
            write_share,
            locality,
            levels: if bursts {
                vec![level(0.3, 0.0), level(0.5, 1.0), level(0.2, 2.5)]
            } else {
                Vec::new()
            },
            level_window_ps: 1_000_000,
            seed,
            ..MemoryProgram::of(cores)
        }
    })
}

/// Two channels without anything in between.
fn two_channels(config: SystemConfig) -> SystemConfig {
    let mut config = one_channel(config);
    config.channels = 2;
    config.mapping.digits.push(Digit {
        field: AddressField::Channel,
        radix: 2,
    });
    config
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Windows are a matter of speed: shorter ones give the same run, bit for bit.
    #[test]
    fn windows_leave_no_trace_of_programs(
        program in any_program(),
        module in any::<bool>(),
        episodes in 1u32..4,
        window_ps in 200u64..65_000,
    ) {
        let config = one_channel(if module { mrdimm_8800() } else { rdimm_6400() });
        let length = RunLength { measure_ps: 10_000_000, episodes, ..LENGTH };
        let in_windows = |window_ps| {
            let mut simulation = Simulation::of_program(&config, &program).expect("a sound program");
            simulation.window_ps = window_ps;
            format!("{:?}", simulation.run(&length, &|_| true).expect("it runs"))
        };
        prop_assert_eq!(in_windows(65_000), in_windows(window_ps));
    }

    /// The law of the closed loop: a core spends on a line what it computes and its part of the line's time. And what is
    /// counted agrees with itself.
    #[test]
    fn a_line_takes_what_is_computed_and_its_part_of_the_wait(program in any_program(), module in any::<bool>()) {
        let config = one_channel(if module { mrdimm_8800() } else { rdimm_6400() });
        let program = MemoryProgram {
            misses: MissOrder::Independent,
            levels: Vec::new(),
            ..program
        };
        let length = RunLength { measure_ps: 200_000_000, ..LENGTH };
        let run = run(&config, &program, &length);
        let lines = (run.bytes_read + run.bytes_written) as f64 / 64.0;
        let taken_ps = run.duration_ps as f64 * f64::from(program.cores) / lines;
        let places = f64::from(program.under_way);
        let law_ps = program.compute_ps + run.line_latency_mean_ps / places;
        // Lines go out one a cycle, and so many are on their way at either end.
        let error = 0.02 + 3.0 / lines.sqrt();
        prop_assert!((taken_ps / law_ps - 1.0).abs() < error, "{} of {}", taken_ps, law_ps);
        let waits = run.line_latency_mean_ps / places / law_ps;
        prop_assert!((run.waiting_share - waits).abs() < error, "{} of {}", run.waiting_share, waits);
        let under_way = run.line_latency_mean_ps * lines / run.duration_ps as f64;
        prop_assert!((run.slots_mean / under_way - 1.0).abs() < error);
        prop_assert!(run.slots_mean <= f64::from(program.cores) * places);
        let written = run.bytes_written as f64 / 64.0 / lines;
        prop_assert!((written - program.write_share).abs() < 3.0 / lines.sqrt() + 1e-3, "{}", written);
        let bytes: u64 = run.bytes_by_microsecond.iter().sum();
        prop_assert_eq!(bytes, run.bytes_read + run.bytes_written);
        prop_assert_eq!(run.bytes_by_microsecond.len() as u64, run.duration_ps / 1_000_000);
    }
}

/// A group of lines waits for the last of them: longer than its lines in the mean, and no longer than the longest.
#[test]
fn a_group_waits_for_its_last_line() {
    let config = one_channel(rdimm_6400());
    let program = MemoryProgram {
        compute_ps: 20_000.0,
        under_way: 8,
        misses: MissOrder::Grouped,
        ..MemoryProgram::of(2)
    };
    let grouped = run(&config, &program, &LENGTH);
    let apart = run(
        &config,
        &MemoryProgram {
            misses: MissOrder::Independent,
            ..program.clone()
        },
        &LENGTH,
    );
    let lines = |run: &SystemRun| run.bytes_read as f64 / 64.0;
    assert!(lines(&grouped) < lines(&apart));
    assert!(grouped.line_latency_mean_ps > apart.line_latency_mean_ps);
    // A group computes 160 ns for its eight lines and waits for the rest of the time.
    let groups = lines(&grouped) / 8.0;
    let cores_ps = 2.0 * grouped.duration_ps as f64;
    let waits = 1.0 - 160_000.0 * groups / cores_ps;
    assert!(
        (grouped.waiting_share - waits).abs() < 0.02,
        "{} of {waits}",
        grouped.waiting_share
    );
    let wait_ps = grouped.waiting_share * cores_ps / groups;
    let longest = grouped.probe.expect("reads").max_ps as f64;
    assert!(wait_ps > grouped.line_latency_mean_ps && wait_ps < longest);
}

/// A system's cores bound what a program has under way.
#[test]
fn cores_have_no_more_under_way_than_their_misses() {
    let mut config = one_channel(rdimm_6400());
    config.cores.misses = 5;
    let program = MemoryProgram {
        under_way: 40,
        ..MemoryProgram::of(3)
    };
    let run = run(&config, &program, &LENGTH);
    assert!((run.slots_mean - 15.0).abs() < 0.3, "{}", run.slots_mean);
    assert!(run.waiting_share > 0.98);
}

/// Where one of two channels has so much more than the mean, the bandwidth falls by that: the other one waits for it.
#[test]
fn the_busiest_channel_is_the_limit() {
    let mut config = two_channels(rdimm_6400());
    config.sub_channel.policy.refresh = Refresh::Off;
    let carried = |imbalance| {
        let program = MemoryProgram {
            under_way: 48,
            imbalance,
            ..MemoryProgram::of(16)
        };
        run(&config, &program, &LENGTH).bytes_per_s()
    };
    let even = carried(1.0);
    for imbalance in [1.25, 1.6, 2.0] {
        let lost = even / carried(imbalance);
        assert!((lost / imbalance - 1.0).abs() < 0.04, "{imbalance}: {lost}");
    }
}

/// Half of the time nothing, half of the time twice as much: the same in the mean as steady where memory is no limit, and
/// it shows in the microseconds.
#[test]
fn levels_of_load_are_those_of_the_program() {
    let config = one_channel(rdimm_6400());
    let length = RunLength {
        measure_ps: 400_000_000,
        ..LENGTH
    };
    let steady = MemoryProgram {
        compute_ps: 2_000_000.0,
        under_way: 16,
        ..MemoryProgram::of(4)
    };
    let level = |share, multiple| ProgramLevel { share, multiple };
    let bursts = MemoryProgram {
        levels: vec![level(0.5, 0.0), level(0.25, 1.0), level(0.25, 3.0)],
        level_window_ps: 2_000_000,
        ..steady.clone()
    };
    let even = run(&config, &steady, &length);
    let uneven = run(&config, &bursts, &length);
    let ratio = uneven.bytes_read as f64 / even.bytes_read as f64;
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    let none = |run: &SystemRun| {
        let none = run.bytes_by_microsecond.iter().filter(|bytes| **bytes == 0);
        none.count() as f64 / run.bytes_by_microsecond.len() as f64
    };
    assert!(none(&uneven) > none(&even) + 0.25);
}

/// Rows are hit where lines follow each other, and more of them the more do.
#[test]
fn locality_hits_rows() {
    let config = small(rdimm_6400());
    let hits = |locality| {
        let program = MemoryProgram {
            compute_ps: 50_000.0,
            locality,
            ..MemoryProgram::of(1)
        };
        let summary = run(&config, &program, &LENGTH).summary;
        summary.hits as f64 / summary.reads as f64
    };
    let found = [0.0, 0.5, 0.9, 1.0].map(hits);
    assert!(found.is_sorted(), "{found:?}");
    // 256 bytes of a row follow each other: three lines of four find it open, of those that follow another.
    assert!(found[0] < 0.05 && found[3] > 0.7, "{found:?}");
}

/// Twenty programs that differ in their seed alone: 95 % of the intervals hold the mean of a run as long as all of them.
#[test]
fn intervals_of_lines_hold() {
    let config = small(rdimm_6400());
    let program = |seed, under_way| MemoryProgram {
        compute_ps: 30_000.0,
        under_way,
        write_share: 0.2,
        locality: 0.5,
        seed,
        ..MemoryProgram::of(6)
    };
    let mut held = 0;
    for under_way in [1, 4, 16] {
        let long = RunLength {
            measure_ps: 20 * LENGTH.measure_ps,
            episodes: 20 * LENGTH.episodes,
            ..LENGTH
        };
        let long = run(&config, &program(99, under_way), &long).line_latency_mean_ps;
        for seed in 0..20 {
            let run = run(&config, &program(seed, under_way), &LENGTH);
            let half = run.line_latency_confidence_ps;
            assert!(half < 0.1 * long, "{half} of {long}");
            held += u32::from((run.line_latency_mean_ps - long).abs() <= half);
        }
    }
    assert!(held >= 52, "{held} of 60");
}

#[test]
fn what_no_system_runs_is_named() {
    type Change<'a> = &'a dyn Fn(&mut MemoryProgram);
    let config = two_channels(rdimm_6400());
    let sound = MemoryProgram::of(4);
    let level = |share, multiple| ProgramLevel { share, multiple };
    let problem = |change: &dyn Fn(&mut MemoryProgram)| {
        let mut program = sound.clone();
        change(&mut program);
        let found: ConfigError = simulate_program(&config, &program, &LENGTH, &|_| true)
            .map(|_| ())
            .expect_err("a wrong program");
        found.to_string()
    };
    let cases: [(Change<'_>, &str); 12] = [
        (&|of| of.cores = 0, "program.cores: 0; allowed: 1 to"),
        (&|of| of.cores = 1_000, "program.cores: 1000; allowed: 1 to"),
        (&|of| of.compute_ps = -1.0, "program.compute_ps: -1"),
        (&|of| of.compute_ps = f64::NAN, "program.compute_ps: NaN"),
        (&|of| of.under_way = 0, "program.under_way: 0"),
        (&|of| of.write_share = 1.1, "program.write_share: 1.1"),
        (&|of| of.locality = -0.1, "program.locality: -0.1"),
        (&|of| of.imbalance = 0.9, "program.imbalance: 0.9"),
        (
            &|of| of.imbalance = 2.1,
            "program.imbalance: 2.1; allowed: 1 to 2",
        ),
        (
            &|of| of.levels = vec![level(0.5, 1.0)],
            "program.levels: shares",
        ),
        (
            &|of| of.levels = vec![level(1.0, 0.0)],
            "program.levels: shares",
        ),
        (
            &|of| {
                of.levels = vec![level(1.0, 1.0)];
                of.level_window_ps = 999_999;
            },
            "program.level_window_ps: 999999",
        ),
    ];
    for (change, words) in cases {
        let found = problem(change);
        assert!(found.starts_with(words), "{found}");
    }
}
