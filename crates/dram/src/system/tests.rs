use proptest::prelude::*;

use super::sample::{mrdimm_8800, rdimm_6400};
use super::simulate::Simulation;
use super::{Mix, Pattern, RunLength, SystemRun, Traffic, simulate};
use crate::config::{ConfigError, LinkConfig, Refresh, SystemConfig, Topology};
use crate::mapping::{AddressField, Digit};

const READS: Traffic = Traffic {
    mix: Mix::Reads,
    pattern: Pattern::Sequential,
    delay_cycles: 0,
    load_cores: 4,
    probes: 2,
    seed: 1,
};

const SHORT: RunLength = RunLength {
    warm_up_ps: 5_300_000,
    measure_ps: 10_000_000,
    probe_samples: 30,
    episodes: 1,
    settle_ps: 0,
};

/// The same with cores that move twice.
const MOVING: RunLength = RunLength {
    episodes: 3,
    settle_ps: 1_000_000,
    ..SHORT
};

/// The same system with one channel of one sub-channel, for tests that need not be large.
pub(super) fn small(mut config: SystemConfig) -> SystemConfig {
    config.channels = 1;
    config.sub_channels = 1;
    for digit in &mut config.mapping.digits {
        if matches!(
            digit.field,
            AddressField::Channel | AddressField::SubChannel
        ) {
            digit.radix = 1;
        }
    }
    config
}

/// One channel of two sub-channels.
pub(super) fn one_channel(config: SystemConfig) -> SystemConfig {
    let mut config = small(config);
    config.sub_channels = 2;
    config.mapping.digits[1].radix = 2;
    config
}

fn run(config: &SystemConfig, traffic: &Traffic, length: &RunLength) -> SystemRun {
    let run = simulate(config, traffic, length, &|_| true);
    run.expect("a sound configuration")
        .expect("nobody stops it")
}

/// The run with windows cut in any other way.
fn run_in_windows(config: &SystemConfig, traffic: &Traffic, window_ps: u64) -> SystemRun {
    let mut simulation = Simulation::new(config, traffic).expect("a sound configuration");
    assert!(
        window_ps <= simulation.window_ps,
        "windows no longer than the paths"
    );
    simulation.window_ps = window_ps;
    let run = simulation.run(&MOVING, &|_| true);
    run.expect("a sound configuration")
        .expect("nobody stops it")
}

fn refused(config: &SystemConfig, traffic: &Traffic) -> ConfigError {
    simulate(config, traffic, &SHORT, &|_| true).expect_err("a wrong configuration")
}

fn any_traffic() -> impl Strategy<Value = Traffic> {
    let mix = prop::sample::select(Mix::ALL.to_vec());
    let pattern = prop::sample::select(vec![Pattern::Sequential, Pattern::Random]);
    let delay = prop::sample::select(vec![0, 1, 7, 100, 1000]);
    let numbers = (0u32..8, 0u32..4, any::<u64>());
    (mix, pattern, delay, numbers).prop_map(|(mix, pattern, delay_cycles, numbers)| Traffic {
        mix,
        pattern,
        delay_cycles,
        load_cores: numbers.0,
        probes: numbers.1,
        seed: numbers.2,
    })
}

/// A system whose cores differ in what they can have under way and in how often they pause.
fn any_cores(config: SystemConfig) -> impl Strategy<Value = SystemConfig> {
    let buffers = prop::option::of(1u32..60);
    (buffers, 1u32..60, 1u32..10).prop_map(move |(fill_buffers, misses, lines_per_pause)| {
        let mut config = config.clone();
        config.cores.fill_buffers = fill_buffers;
        config.cores.misses = misses;
        config.cores.lines_per_pause = lines_per_pause;
        config
    })
}

fn any_system() -> impl Strategy<Value = SystemConfig> {
    prop_oneof![
        any_cores(one_channel(rdimm_6400())),
        any_cores(one_channel(mrdimm_8800())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Windows are a matter of speed: shorter ones give the same run, bit for bit.
    #[test]
    fn windows_leave_no_trace(traffic in any_traffic(), config in any_system(), window_ps in 200u64..65_000) {
        let whole = format!("{:?}", run(&config, &traffic, &MOVING));
        prop_assert_eq!(&whole, &format!("{:?}", run_in_windows(&config, &traffic, 65_000)));
        prop_assert_eq!(&whole, &format!("{:?}", run_in_windows(&config, &traffic, 32_500)));
        prop_assert_eq!(&whole, &format!("{:?}", run_in_windows(&config, &traffic, window_ps)));
    }

    /// What cores get is what sub-channels served, but for requests on their way at either end, and of those
    /// there are never more than the cores may have under way.
    #[test]
    fn bytes_are_conserved(traffic in any_traffic(), config in any_cores(one_channel(rdimm_6400()))) {
        let run = run(&config, &traffic, &SHORT);
        let each = config.cores.under_way_max(traffic.mix, traffic.pattern);
        let most = u64::from(traffic.load_cores * each + traffic.probes);
        // Writes leave their cores' hands when they are accepted, and then wait in the queues.
        let queued = u64::from(config.sub_channel.policy.write_queue) * 2;
        prop_assert!(run.summary.reads.abs_diff(run.bytes_read / 64) <= most);
        prop_assert!(run.summary.writes.abs_diff(run.bytes_written / 64) <= most + queued);
        prop_assert!(run.outstanding_mean <= run.slots_mean && run.slots_mean <= most as f64);
        let data = run.summary.reads + run.summary.writes - run.summary.forwarded - run.summary.merged;
        let clocks = data * u64::from(config.sub_channel.timing.burst);
        prop_assert!(clocks <= run.summary.clocks + 200, "more data than the buses carry");
    }

    /// Little's law: throughput times latency is what is under way, but for what is under way at either end.
    #[test]
    fn little_s_law_holds(traffic in any_traffic(), config in any_cores(one_channel(mrdimm_8800()))) {
        let length = RunLength { measure_ps: 50_000_000, ..SHORT };
        let run = run(&config, &traffic, &length);
        let reads_per_ps = run.bytes_read as f64 / 64.0 / run.duration_ps as f64;
        let product = reads_per_ps * run.read_latency_mean_ps;
        let most = u64::from(traffic.load_cores * config.cores.misses + traffic.probes);
        let ends = most as f64 * 4.0 * run.read_latency_mean_ps / run.duration_ps as f64;
        prop_assert!((product - run.outstanding_mean).abs() <= ends, "{} and {}", product, run.outstanding_mean);
    }
}

#[test]
fn a_seed_gives_a_run() {
    let config = one_channel(rdimm_6400());
    let of = |seed| format!("{:?}", run(&config, &Traffic { seed, ..READS }, &SHORT));
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

/// Request path 30 ns (96 clocks), PRE 52, ACT 52, RD 52 and 8 clocks of data, return path 35 ns: 116.25 ns, and less
/// than a clock of 312.5 ps until the next edge.
#[test]
fn idle_latency_is_as_by_hand() {
    let mut config = rdimm_6400();
    config.sub_channel.policy.refresh = Refresh::Off;
    let idle = Traffic {
        load_cores: 0,
        probes: 1,
        ..READS
    };
    let length = RunLength {
        // Every bank has to be opened once.
        warm_up_ps: 2_000_000_000,
        measure_ps: 0,
        probe_samples: 5_000,
        ..SHORT
    };
    let run = run(&config, &idle, &length);
    let probe = run.probe.expect("one probe");
    assert!(probe.samples >= 5_000);
    assert!(
        (116_250.0..116_563.0).contains(&probe.mean_ps),
        "{}",
        probe.mean_ps
    );
    assert!(probe.quantile(0.01) >= 116_100, "{}", probe.quantile(0.01));
    assert!(probe.max_ps < 116_250 + 313);
    assert_eq!(run.outstanding_mean.round(), 1.0);
    assert!((run.read_latency_mean_ps - probe.mean_ps).abs() < 1e-6);
}

/// Few misses: every core always has all of them under way. Many: the bus is the limit.
#[test]
fn either_the_misses_or_the_bus_are_the_limit() {
    let mut config = one_channel(rdimm_6400());
    config.cores.misses = 2;
    let load = Traffic { probes: 0, ..READS };
    let few = run(&config, &load, &SHORT);
    assert!(
        (few.outstanding_mean - 8.0).abs() < 0.05,
        "{}",
        few.outstanding_mean
    );
    assert!(few.bytes_per_s() < 0.2 * config.peak_bytes_per_s());
    config.cores.misses = 64;
    let many = run(&config, &load, &SHORT);
    let share = many.bytes_per_s() / config.peak_bytes_per_s();
    assert!((0.8..1.0).contains(&share), "{share}");
    assert!(
        (many.outstanding_mean - 256.0).abs() < 3.0,
        "{}",
        many.outstanding_mean
    );
}

/// What no prefetch foresees waits for fill buffers, streams for the second level alone, and write-backs for it as well.
/// Non-temporal stores of a stream hold fill buffers.
#[test]
fn fill_buffers_bound_what_is_not_prefetched() {
    let mut config = one_channel(rdimm_6400());
    (config.cores.misses, config.cores.fill_buffers) = (40, Some(3));
    let under_way = |mix, pattern| {
        let load = Traffic {
            mix,
            pattern,
            probes: 0,
            ..READS
        };
        let run = run(&config, &load, &SHORT);
        let cores = f64::from(load.load_cores);
        (
            run.outstanding_mean / cores,
            (run.slots_mean - run.outstanding_mean) / cores,
        )
    };
    let (reads, _) = under_way(Mix::Reads, Pattern::Random);
    assert!((2.95..=3.0).contains(&reads), "{reads}");
    let (reads, _) = under_way(Mix::Reads, Pattern::Sequential);
    assert!((39.0..=40.0).contains(&reads), "{reads}");
    let (reads, writes) = under_way(Mix::TwoToOne, Pattern::Random);
    assert!((2.5..=3.0).contains(&reads), "{reads}");
    assert!(writes > 0.1, "{writes}");
    let (reads, writes) = under_way(Mix::TwoToOne, Pattern::Sequential);
    assert!(reads > 10.0 && reads + writes > 38.0, "{reads} {writes}");
    let (reads, writes) = under_way(Mix::Triad, Pattern::Sequential);
    assert!(writes <= 3.0, "{reads} {writes}");
    let (reads, writes) = under_way(Mix::Triad, Pattern::Random);
    assert!((2.9..=3.0).contains(&(reads + writes)), "{reads} {writes}");
}

/// As many fill buffers as misses are the same as none of their own.
#[test]
fn fill_buffers_for_all_change_nothing() {
    let mut config = one_channel(rdimm_6400());
    for (mix, pattern) in [
        (Mix::TwoToOne, Pattern::Random),
        (Mix::Triad, Pattern::Sequential),
    ] {
        let traffic = Traffic {
            mix,
            pattern,
            ..READS
        };
        config.cores.fill_buffers = None;
        let without = format!("{:?}", run(&config, &traffic, &SHORT));
        config.cores.fill_buffers = Some(config.cores.misses);
        assert_eq!(format!("{:?}", run(&config, &traffic, &SHORT)), without);
    }
}

/// A pause for every so many lines: a group takes its pause and a cycle for each line but the first.
#[test]
fn a_pause_may_be_for_several_lines() {
    let mut config = one_channel(rdimm_6400());
    let length = RunLength {
        measure_ps: 200_000_000,
        ..SHORT
    };
    for (lines, delay_cycles) in [(1, 400), (2, 800), (8, 3_000), (8, 20_000)] {
        config.cores.lines_per_pause = lines;
        let traffic = Traffic {
            delay_cycles,
            probes: 0,
            ..READS
        };
        let run = run(&config, &traffic, &length);
        let cycles = run.duration_ps as f64 * 2.7e9 / 1e12;
        let groups = cycles / (delay_cycles + u64::from(lines) - 1) as f64;
        let expected = 4.0 * groups * f64::from(lines) * 64.0;
        let ratio = run.bytes_read as f64 / expected;
        assert!(
            (ratio - 1.0).abs() < 0.02,
            "{lines} {delay_cycles}: {ratio}"
        );
    }
}

/// Cores that move ask for as much as cores that stay, whatever they were doing; every stretch has its share of samples, and
/// those of the times to settle do not count.
#[test]
fn cores_that_move_ask_for_as_much() {
    let mut config = one_channel(rdimm_6400());
    for (lines, delay_cycles, mix) in [
        (1, 400, Mix::Reads),
        (8, 4_000, Mix::Reads),
        (8, 6_000, Mix::TwoToOne),
    ] {
        config.cores.lines_per_pause = lines;
        let traffic = Traffic {
            mix,
            delay_cycles,
            load_cores: 8,
            ..READS
        };
        let length = RunLength {
            measure_ps: 400_000_000,
            probe_samples: 1_000,
            ..SHORT
        };
        let stays = run(&config, &traffic, &length);
        let length = RunLength {
            episodes: 200,
            settle_ps: 1_000_000,
            ..length
        };
        let moves = run(&config, &traffic, &length);
        let ratio = moves.bytes_per_s() / stays.bytes_per_s();
        assert!((ratio - 1.0).abs() < 0.02, "{lines} {mix:?}: {ratio}");
        assert_eq!(moves.duration_ps, stays.duration_ps + 199_000_000);
        let probe = moves.probe.expect("two probes");
        assert_eq!(probe.duration_ps, 400_000_000);
        assert!(probe.batches >= 100 && probe.samples >= 1_000);
    }
}

#[test]
fn a_delay_sets_the_rate() {
    let config = one_channel(rdimm_6400());
    let length = RunLength {
        measure_ps: 200_000_000,
        ..SHORT
    };
    for mix in Mix::ALL {
        let traffic = Traffic {
            mix,
            delay_cycles: 400,
            probes: 0,
            ..READS
        };
        let run = run(&config, &traffic, &length);
        let (reads, writes) = match mix {
            Mix::Reads => (1, 0),
            Mix::ThreeToOne => (3, 1),
            Mix::TwoToOne | Mix::Triad => (2, 1),
            Mix::OneToOne => (1, 1),
        };
        let accesses = if mix == Mix::Triad {
            run.bytes_read + run.bytes_written
        } else {
            run.bytes_read
        };
        let expected = 4.0 * 64.0 * run.duration_ps as f64 * 2.7e9 / 400.0 / 1e12;
        assert!(
            (accesses as f64 / expected - 1.0).abs() < 0.02,
            "{mix:?}: {accesses} {expected}"
        );
        let share = run.bytes_written as f64 / run.bytes_read as f64;
        let wanted = f64::from(writes) / f64::from(reads);
        assert!((share - wanted).abs() < 0.02, "{mix:?}: {share}");
    }
}

/// Load makes latency worse, and probes do not disturb the load much.
#[test]
fn latency_rises_with_load() {
    let config = one_channel(rdimm_6400());
    let length = RunLength {
        probe_samples: 1_000,
        ..SHORT
    };
    let mut before = 0.0;
    for delay_cycles in [5_000, 100, 40, 0] {
        let traffic = Traffic {
            delay_cycles,
            load_cores: 8,
            ..READS
        };
        let probe = run(&config, &traffic, &length).probe.expect("two probes");
        assert!(probe.mean_ps > before, "{delay_cycles}: {}", probe.mean_ps);
        assert!(probe.confidence_ps < 0.2 * probe.mean_ps);
        before = probe.mean_ps;
    }
    assert!(before > 400_000.0, "{before}");
}

#[test]
fn a_run_is_as_long_as_asked() {
    let config = one_channel(rdimm_6400());
    let length = RunLength {
        measure_ps: 7_000_001,
        probe_samples: 0,
        ..SHORT
    };
    let one = run(&config, &READS, &length);
    assert_eq!(one.duration_ps, 8_000_000);
    let samples = RunLength {
        probe_samples: 500,
        ..length
    };
    let probe = run(&config, &READS, &samples).probe.expect("two probes");
    assert!((500..520).contains(&probe.samples), "{}", probe.samples);
    let clocks = one.summary.clocks;
    assert_eq!(
        clocks,
        2 * 25_600,
        "both sub-channels are measured as long as the cores"
    );
}

/// Ten runs that differ in nothing but their seed: each says how far off it may be, and most lie no farther off.
#[test]
fn throughput_is_as_sure_as_it_says() {
    let config = one_channel(rdimm_6400());
    let length = RunLength {
        measure_ps: 60_000_000,
        probe_samples: 0,
        ..SHORT
    };
    let of = |seed| {
        let traffic = Traffic {
            pattern: Pattern::Random,
            probes: 0,
            seed,
            ..READS
        };
        run(&config, &traffic, &length)
    };
    let runs: Vec<SystemRun> = (0..10).map(of).collect();
    let mean = runs.iter().map(SystemRun::bytes_per_s).sum::<f64>() / 10.0;
    let held = runs.iter().filter(|run| {
        assert!(
            run.bytes_per_s_confidence < 0.05 * mean,
            "{}",
            run.bytes_per_s_confidence
        );
        (run.bytes_per_s() - mean).abs() <= run.bytes_per_s_confidence
    });
    assert!(held.count() >= 7);
    let moment = RunLength {
        measure_ps: 1,
        ..length
    };
    let one = run(&config, &READS, &moment);
    assert!(
        one.bytes_per_s_confidence.is_infinite(),
        "one microsecond is no certainty"
    );
}

#[test]
fn a_run_can_be_stopped() {
    let config = one_channel(rdimm_6400());
    let stopped = simulate(&config, &READS, &SHORT, &|done_ps| done_ps < 8_000_000);
    assert!(stopped.expect("a sound configuration").is_none());
}

#[test]
fn nobody_needs_to_ask_for_anything() {
    let config = one_channel(rdimm_6400());
    let nobody = Traffic {
        load_cores: 0,
        probes: 0,
        ..READS
    };
    let run = run(&config, &nobody, &SHORT);
    assert!(run.probe.is_none());
    assert_eq!(
        (run.bytes_read, run.bytes_written, run.outstanding_mean),
        (0, 0, 0.0)
    );
    assert_eq!(run.read_latency_mean_ps, 0.0);
    assert!(
        run.summary.commands.iter().sum::<u64>() > 0,
        "refreshes go on"
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let sound = one_channel(rdimm_6400());
    let change = |change: fn(&mut SystemConfig)| {
        let mut config = sound.clone();
        change(&mut config);
        refused(&config, &READS).to_string()
    };
    assert!(change(|config| config.cores.misses = 0).contains("cores.misses"));
    assert!(change(|config| config.cores.fill_buffers = Some(0)).contains("cores.fill_buffers"));
    assert!(change(|config| config.cores.lines_per_pause = 0).contains("cores.lines_per_pause"));
    assert!(change(|config| config.cores.clock_hz = 0).contains("cores.clock_hz"));
    assert!(change(|config| config.cores.page_bytes = 100).contains("cores.page_bytes"));
    assert!(change(|config| config.cores.cores = 3).contains("4 of 3 cores"));
    assert!(change(|config| config.cores.return_path_ps = u64::MAX).contains("request_path_ps"));
    assert!(change(|config| config.module_delay_ps = u64::MAX).contains("request_path_ps"));
    assert!(change(|config| config.channels = 0).contains("channels"));
    assert!(change(|config| config.sub_channel.policy.read_queue = 0).contains("read_queue"));
    let nothing = change(|config| {
        config.cores.request_path_ps = 0;
        config.cores.return_path_ps = 0;
    });
    assert!(nothing.contains("no time"));
    let crowd = Traffic {
        probes: u32::MAX,
        ..READS
    };
    assert!(
        refused(&sound, &crowd)
            .to_string()
            .contains("traffic.probes")
    );
}

/// 32 GB/s each way: a read takes 17 B there and 80 B back, a write 80 B there and 8 B back.
const LINK: LinkConfig = LinkConfig {
    delay_ps: 50_000,
    bytes_per_s: 32_000_000_000,
    request_bytes: [17, 80],
    return_bytes: [80, 8],
};

/// One channel behind a link.
fn linked(link: LinkConfig) -> SystemConfig {
    let mut config = one_channel(rdimm_6400());
    config.topology = Topology {
        links: 1,
        link: Some(link),
        ..Topology::default()
    };
    config
}

/// Two channels, each of another node, with a link between sockets.
fn in_two(sockets: u32, clusters: u32, remote_percent: u32) -> SystemConfig {
    let mut config = one_channel(rdimm_6400());
    config.channels = 2;
    config.mapping.digits.push(Digit {
        field: AddressField::Channel,
        radix: 2,
    });
    config.topology = Topology {
        sockets,
        clusters,
        remote_percent,
        links: 0,
        link: (remote_percent > 0).then_some(LINK),
    };
    config
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The same behind links, and between sockets, where local requests overtake remote ones.
    #[test]
    fn windows_leave_no_trace_of_links(
        traffic in any_traffic(),
        between in any::<bool>(),
        window_ps in 200u64..65_000,
        (delay_ps, bytes_per_s) in (0u64..200_000, 1_000_000_000u64..100_000_000_000),
    ) {
        let mut config = if between { in_two(2, 1, 40) } else { linked(LINK) };
        config.topology.link = Some(LinkConfig { delay_ps, bytes_per_s, ..LINK });
        let whole = format!("{:?}", run(&config, &traffic, &MOVING));
        prop_assert_eq!(&whole, &format!("{:?}", run_in_windows(&config, &traffic, 65_000)));
        prop_assert_eq!(&whole, &format!("{:?}", run_in_windows(&config, &traffic, window_ps)));
    }
}

/// Alone a read takes as much longer as its messages and their delays, to the picosecond but for the clock's edges.
#[test]
fn a_link_adds_its_delays_and_the_length_of_messages() {
    let probe = Traffic {
        load_cores: 0,
        probes: 1,
        ..READS
    };
    let mean = |config: &SystemConfig| {
        let mut config = config.clone();
        config.sub_channel.policy.refresh = Refresh::Off;
        let length = RunLength {
            probe_samples: 2_000,
            ..SHORT
        };
        run(&config, &probe, &length)
    };
    let (far, near) = (mean(&linked(LINK)), mean(&one_channel(rdimm_6400())));
    // 17 B and 80 B at 32 GB/s are 531.25 ps and 2500 ps, rounded up.
    let added = 532.0 + 2_500.0 + 2.0 * 50_000.0;
    // Reads on their way at either end are counted once.
    assert!(
        (far.read_link_mean_ps / added - 1.0).abs() < 0.02,
        "{}",
        far.read_link_mean_ps
    );
    let found = far.read_latency_mean_ps - near.read_latency_mean_ps;
    assert!((found - added).abs() < 400.0, "{found}");
    assert_eq!(near.read_link_mean_ps, 0.0);
}

/// Reads are limited by the way back, and where writes need more of the way there, by that. Two sub-channels of DDR5-6400
/// could carry 51 GB/s.
#[test]
fn each_way_of_a_link_limits_what_needs_it() {
    let all = |mix, link| {
        let traffic = Traffic {
            mix,
            pattern: Pattern::Random,
            load_cores: 8,
            probes: 0,
            ..READS
        };
        let mut config = linked(link);
        config.sub_channel.policy.refresh = Refresh::Off;
        let run = run(&config, &traffic, &SHORT);
        run.bytes_per_s() / 1e9
    };
    let near =
        |found: f64, should: f64| assert!((found / should - 1.0).abs() < 0.01, "{found} {should}");
    // 64 of 80 bytes.
    near(all(Mix::Reads, LINK), 32.0 * 64.0 / 80.0);
    // Of the way there half as much: a read and a write move 128 B with 97 B there and 88 B back.
    let slow = LinkConfig {
        bytes_per_s: 16_000_000_000,
        ..LINK
    };
    near(all(Mix::OneToOne, slow), 16.0 * 128.0 / 97.0);
    // Triad: two reads and a write move 192 B with 114 B there and 168 B back.
    near(all(Mix::Triad, slow), 16.0 * 192.0 / 168.0);
}

/// Cores of a cluster use its channel alone: two clusters carry twice what one channel carries with half of the cores.
#[test]
fn clusters_share_nothing() {
    let carried = |mut config: SystemConfig, load_cores| {
        config.sub_channel.policy.refresh = Refresh::Off;
        let traffic = Traffic {
            pattern: Pattern::Random,
            probes: 0,
            load_cores,
            ..READS
        };
        let length = RunLength {
            measure_ps: 40_000_000,
            ..SHORT
        };
        run(&config, &traffic, &length).bytes_per_s()
    };
    let ratio = carried(in_two(1, 2, 0), 8) / carried(one_channel(rdimm_6400()), 4);
    assert!((ratio - 2.0).abs() < 0.02, "{ratio}");
}

/// What is remote crosses the link to the other socket, and that is as large a share as it is said to be.
#[test]
fn a_share_of_the_pages_lies_in_the_other_socket() {
    let traffic = Traffic {
        pattern: Pattern::Random,
        load_cores: 0,
        probes: 2,
        ..READS
    };
    let length = RunLength {
        probe_samples: 4_000,
        ..SHORT
    };
    let mean = |percent| run(&in_two(2, 1, percent), &traffic, &length).read_link_mean_ps;
    let all = 532.0 + 2_500.0 + 2.0 * 50_000.0;
    assert_eq!(mean(0), 0.0);
    for percent in [30, 100] {
        let share = mean(percent) / all;
        assert!(
            (share - f64::from(percent) / 100.0).abs() < 0.03,
            "{percent} %: {share}"
        );
    }
}

#[test]
fn impossible_topologies_are_refused() {
    let problem = |change: fn(&mut Topology)| {
        let mut config = in_two(2, 1, 40);
        change(&mut config.topology);
        refused(&config, &READS).to_string()
    };
    for (change, words) in [
        (
            (|of| of.clusters = 3) as fn(&mut Topology),
            "topology.clusters: 6 parts do not divide 2 channels",
        ),
        (
            |of| of.remote_percent = 101,
            "topology.remote_percent: is 101 %",
        ),
        (|of| of.sockets = 1, "topology.remote_percent: is 40 %"),
        (|of| of.link = None, "topology.link: allowed: one where"),
        (
            |of| of.remote_percent = 0,
            "topology.link: allowed: one where",
        ),
        (
            |of| {
                *of = Topology {
                    links: 3,
                    link: Some(LINK),
                    ..Topology::default()
                }
            },
            "topology.links: 3 links do not divide",
        ),
        (
            |of| {
                of.link = Some(LinkConfig {
                    bytes_per_s: 1,
                    ..LINK
                })
            },
            "topology.link: allowed: messages",
        ),
    ] {
        let found = problem(change);
        assert!(found.starts_with(words), "{found}");
    }
}
