use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;

/// A sample of `examples/`.
fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    fs::read_to_string(path.join(name)).expect("the samples are checked in")
}

fn run(text: &str) -> MeasuredRun {
    read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn fault(text: &str) -> String {
    let error = read(text.as_bytes(), None).expect_err(text);
    let lines = text.lines().count() as u64;
    assert!(
        error.line().is_none_or(|line| (1..=lines).contains(&line)),
        "{error}"
    );
    error.to_string()
}

/// In ns, GB/s, to a picosecond and a MB/s.
fn values(point: &MeasuredPoint) -> (Option<f64>, Option<f64>) {
    let rounded = |value: f64| (value * 1e3).round() / 1e3;
    (
        point.latency.map(|latency| rounded(latency * 1e9)),
        point.bandwidth.map(|bandwidth| rounded(bandwidth * 1e-9)),
    )
}

fn of(run: &MeasuredRun, test: MeasuredTest) -> Vec<&MeasuredPoint> {
    let points = run.points.iter();
    points.filter(|point| point.test == test).collect()
}

/// What a whole run of MLC prints: version 3.9a with the prefetchers on, and two nodes.
const WHOLE: &str = "\
user@machine:~$ sudo ./mlc
Intel(R) Memory Latency Checker - v3.9a
*** Unable to modify prefetchers (try executing 'modprobe msr')
*** So, enabling random access for latency measurements
Measuring idle latencies for random access (in ns)...
\t\tNuma node
Numa node\t     0\t     1
       0\t  82.1\t 141.0
       1\t 141.5\t  81.5

Measuring Peak Injection Memory Bandwidths for the system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using all the threads from each core if Hyper-threading is enabled
Using traffic with the following read-write ratios
ALL Reads        :\t158844.5
3:1 Reads-Writes :\t150658.6
2:1 Reads-Writes :\t149341.2
1:1 Reads-Writes :\t143355.4
Stream-triad like:\t128158.7

Measuring Memory Bandwidths between nodes within system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using all the threads from each core if Hyper-threading is enabled
Using Read-only traffic type
\t\tNuma node
Numa node\t     0\t     1
       0\t79670.3\t34393.4
       1\t34385.7\t79678.3

Measuring Loaded Latencies for the system
Using all the threads from each core if Hyper-threading is enabled
Using Read-only traffic type
Inject\tLatency\tBandwidth
Delay\t(ns)\tMB/sec
==========================
 00000\t329.26\t 159154.0
 00300\t127.88\t 132998.9
 20000\t 82.30\t   2932.1

Measuring cache-to-cache transfer latency (in ns)...
Local Socket L2->L2 HIT  latency\t49.5
Local Socket L2->L2 HITM latency\t49.6
Remote Socket L2->L2 HITM latency (data address homed in writer socket)
\t\t\tReader Numa Node
Writer Numa Node     0\t     1
            0\t     -\t 115.2
            1\t 115.5\t     -
";

#[test]
fn a_whole_run_of_mlc_gives_every_table() {
    let run = run(WHOLE);
    assert_eq!(run.tool, MeasuredTool::Mlc);
    assert_eq!(run.version.as_deref(), Some("3.9a"));
    assert_eq!(run.notes, [MeasuredNote::Prefetchers { line: 3 }]);
    let idle = of(&run, MeasuredTest::LatencyMatrix);
    let nodes: Vec<_> = idle
        .iter()
        .map(|point| (point.nodes, point.latency))
        .collect();
    assert_eq!(nodes[1].0, Some((0, 1)), "rows ask, columns answer");
    assert!(
        idle.iter()
            .all(|point| point.order == Some(PointOrder::Random))
    );
    let values_of = |test| {
        of(&run, test)
            .iter()
            .map(|point| values(point))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        values_of(MeasuredTest::LatencyMatrix),
        [82.1, 141.0, 141.5, 81.5].map(|ns| (Some(ns), None))
    );
    assert_eq!(
        values_of(MeasuredTest::BandwidthMatrix),
        [79.67, 34.393, 34.386, 79.678].map(|gb| (None, Some(gb)))
    );
    let mixes = of(&run, MeasuredTest::Bandwidth);
    let traffic: Vec<_> = mixes.iter().map(|point| point.traffic).collect();
    assert_eq!(
        traffic,
        [
            MeasuredTraffic::Reads,
            MeasuredTraffic::ThreeToOne,
            MeasuredTraffic::TwoToOne,
            MeasuredTraffic::OneToOne,
            MeasuredTraffic::Triad
        ]
    );
    assert_eq!(values(mixes[4]), (None, Some(128.159)));
    let loaded = of(&run, MeasuredTest::Loaded);
    assert_eq!(loaded[1].delay, Some(300));
    assert_eq!(values(loaded[1]), (Some(127.88), Some(132.999)));
    let caches = of(&run, MeasuredTest::CacheToCache);
    assert_eq!(caches.len(), 4);
    assert_eq!(caches[3].nodes, Some((1, 0)));
    assert_eq!(values(caches[3]).0, Some(115.5));
}

#[test]
fn single_runs_of_mlc_state_their_options() {
    let text = "Intel(R) Memory Latency Checker - v3.10\n\
                Command line parameters: --idle_latency -c0 -L -b10m \n\n\
                Using buffer size of 10.000MiB\n\
                Each iteration took 31.1 base frequency clocks (\t12.5\tns)\n";
    let found = run(text);
    let point = &found.points[0];
    assert_eq!(point.test, MeasuredTest::Latency);
    assert_eq!(values(point).0, Some(12.5));
    assert_eq!(point.buffer_bytes, Some(10 << 20));
    assert_eq!(
        found.command.as_deref(),
        Some("--idle_latency -c0 -L -b10m")
    );
    let sweep = |options: &str| {
        format!(
            "Intel(R) Memory Latency Checker - v3.11\nCommand line parameters: {options}\n\
             Measuring Loaded Latencies for the system\nInject  Latency Bandwidth\nDelay   (ns)    MB/sec\n\
             ==========================\n 00100  227.05   215075.0\n"
        )
    };
    let found = run(&sweep("--loaded_latency -W5 -d100"));
    assert_eq!(found.points[0].traffic, MeasuredTraffic::OneToOne);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    // A sweep of its own that ends early is cut off.
    let found = run(&sweep("--loaded_latency -W3"));
    assert_eq!(found.points[0].traffic, MeasuredTraffic::ThreeToOne);
    assert!(matches!(
        found.notes[..],
        [MeasuredNote::ShortSweep { last: 100, .. }]
    ));
    let of = |options: &str| {
        run(&sweep(&format!("--loaded_latency {options} -d100")))
            .points
            .remove(0)
    };
    for (option, traffic) in [
        ("-W6", MeasuredTraffic::Writes),
        ("-W7", MeasuredTraffic::TwoToOne),
        ("-W8", MeasuredTraffic::OneToOne),
        ("-W10", MeasuredTraffic::Triad),
        ("-W12", MeasuredTraffic::ReadPercent(80.0)),
    ] {
        assert_eq!(of(option).traffic, traffic, "{option}");
    }
    // The thread that is timed jumps at random, not the load.
    assert_eq!(of("-r").order, Some(PointOrder::Random));
    assert_eq!(of("-U").order, None);
    // A mix without a name is no other mix.
    let text = sweep("--loaded_latency -W77 -d100");
    assert!(fault(&text).contains("no line is a result"), "{text}");
}

#[test]
fn what_is_cut_off_or_foreign_is_named() {
    let until = |end: &str| &WHOLE[..WHOLE.find(end).expect("a part of it")];
    for (text, words) in [
        (
            until("ALL Reads"),
            "the list of bandwidths begins here and no row",
        ),
        (until(" 00000"), "the table of loaded latencies begins"),
        (until("       1\t34385.7"), "the matrix"),
        (
            until("   2932.1"),
            "line 38: a point of the sweep has 2 columns",
        ),
        (until("158844.5"), "line 15: the bandwidth is \"\""),
    ] {
        match read(text.as_bytes(), None) {
            Err(error) => assert!(error.to_string().contains(words), "{error}"),
            Ok(run) => assert!(
                run.notes
                    .iter()
                    .any(|note| note.to_string().contains(words)),
                "{text}"
            ),
        }
    }
    // A number that is cut in the middle looks like another one.
    let cut = &WHOLE[..WHOLE.find("2932.1").expect("there") + 2];
    assert!(fault(cut).contains("line 38: the last line has no line end"));
    let version = WHOLE.replace("v3.9a", "v4.0");
    assert!(fault(&version).contains("Intel MLC \"4.0\" prints a layout"));
    let later = run(&WHOLE.replace("v3.9a", "v3.12"));
    assert!(matches!(
        later.notes[0],
        MeasuredNote::UnseenVersion { line: 2, .. }
    ));
    let text = WHOLE.replace("(ns)\tMB/sec", "clocks\tMB/sec");
    assert!(fault(&text).contains("(ns) and MB/sec"));
    assert!(fault("hello\n").contains("line 1: \"hello\" is no output of a tool"));
    assert!(fault("hello\n").contains("stream (STREAM version"));
    assert!(matches!(
        read(&b" \n\n"[..], None),
        Err(MeasuredError::Empty)
    ));
    for wrong in ["-82.1", "0.0", "inf", "NaN", "8e300", "82,1"] {
        let text = WHOLE.replace(" 82.1", &format!(" {wrong}"));
        assert!(fault(&text).contains("line 8: the latency is"), "{wrong}");
    }
}

/// The figures of a public run on two sockets, as `examples/` has them.
#[test]
fn the_sample_of_mlc_has_the_published_figures() {
    let run = run(&example("mlc.txt"));
    let mixes: Vec<_> = of(&run, MeasuredTest::Bandwidth)
        .iter()
        .map(|point| values(point).1)
        .collect();
    assert_eq!(mixes, [1126.0, 972.4, 933.2, 927.2, 939.6].map(Some));
    // A socket's, least load first.
    let published = [
        (9.0, 115.0),
        (37.0, 120.0),
        (72.0, 116.0),
        (105.0, 124.0),
        (136.0, 126.0),
        (175.0, 129.0),
        (244.0, 138.0),
        (333.0, 157.0),
        (391.0, 171.0),
        (508.0, 208.0),
        (561.0, 302.0),
        (563.0, 380.0),
    ];
    let loaded = of(&run, MeasuredTest::Loaded);
    let found: Vec<_> = loaded.iter().rev().map(|point| values(point)).collect();
    let both = published.map(|(gb, ns)| (Some(ns), Some(2.0 * gb)));
    assert_eq!(found, both);
    let at = |delay| {
        let point = loaded.iter().find(|point| point.delay == Some(delay));
        values(point.expect("published")).1
    };
    assert_eq!((at(1000), at(300)), (Some(350.0), Some(1016.0)));
}

#[test]
fn stream_gives_its_best_passes() {
    let text = example("stream.txt");
    let found = run(&text);
    assert_eq!(found.tool, MeasuredTool::Stream);
    assert_eq!(found.version.as_deref(), Some("5.10"));
    assert_eq!(found.points.len(), 4);
    assert_eq!(found.points[3].traffic, MeasuredTraffic::Triad);
    assert_eq!(values(&found.points[3]).1, Some(97.612));
    assert_eq!(found.points[0].buffer_bytes, Some(720_000_000));
    assert_eq!(found.points[0].threads, Some(16));
    assert_eq!(found.notes, [MeasuredNote::BestOf { samples: Some(9) }]);
    let without = |part: &str| text.replace(part, "x");
    assert!(fault(&without("Triad:")).contains("lacks one of Copy"));
    assert!(fault(&without("Solution Validates")).contains("cut off"));
    let failed = text.replace("Solution Validates", "Failed Validation");
    assert!(fault(&failed).contains("its results are wrong"));
    let other = text.replace("5.10", "6.0");
    assert!(fault(&other).contains("allowed") || fault(&other).contains("known: 5.9 and 5.10"));
    let older = text
        .replace("Best Rate MB/s", "Rate (MB/s) ")
        .replace("5.10", "5.9");
    assert_eq!(run(&older).points.len(), 4);
}

#[test]
fn multichase_gives_a_time_for_each_run() {
    let found = run(&example("multichase.txt"));
    assert_eq!(found.tool, MeasuredTool::Multichase);
    let points: Vec<_> = found
        .points
        .iter()
        .map(|point| (values(point).0, point.buffer_bytes, point.threads))
        .collect();
    assert_eq!(
        points,
        [
            (Some(85.352), Some(512 << 20), Some(1)),
            (Some(86.114), Some(512 << 20), Some(1)),
            (Some(14.207), Some(4 << 20), Some(2)),
        ]
    );
    // Numbers alone say nothing of the options.
    let plain = run("  85.3\n 120.4\n");
    assert_eq!(plain.points.len(), 2);
    assert_eq!(plain.points[1].buffer_bytes, None);
    let verbose = "nr_mixer_indices = 32\nbase_object_size = 8\nnr_threads = 1\npage_size = 4096 bytes\n\
                   total_memory = 268435456 (256.0 MiB)\nstride = 256\ntlb_locality = 262144\nchase = simple\n\
                   samples (one column per thread, one row per sample):\n 98.412  avg=98.412\n 97.120  avg=97.120\n";
    let whole = format!("{verbose}97.120\n");
    let point = &run(&whole).points[0];
    assert_eq!(point.buffer_bytes, Some(256 << 20));
    assert!(fault(verbose).contains("a list of samples begins here"));
    assert!(fault("85.3\nhello\n").contains("line 2: \"hello\" is no line of multichase"));
    assert!(fault("85.3\n-1\n").contains("the latency is \"-1\""));
}

#[test]
fn multiload_tells_its_tests_apart() {
    let text = example("multiload.txt");
    let found = run(&text);
    assert_eq!(found.tool, MeasuredTool::Multiload);
    let tests: Vec<_> = found.points.iter().map(|point| point.test).collect();
    assert_eq!(
        tests[..3],
        [
            MeasuredTest::Latency,
            MeasuredTest::Bandwidth,
            MeasuredTest::Loaded
        ]
    );
    // 141772 MiB/s.
    let triad = &found.points[1];
    assert_eq!(triad.bandwidth, Some(141_772.0 * 1_048_576.0));
    assert_eq!(
        (triad.traffic, triad.threads),
        (MeasuredTraffic::Triad, Some(16))
    );
    assert_eq!(values(&found.points[4]).0, Some(268.331));
    let headless = text.replace("ChaseNS", "ChaseUS");
    let error = read(headless.as_bytes(), Some(MeasuredTool::Multiload)).expect_err("no table");
    assert!(error.to_string().contains("no line is a result"), "{error}");
    let renamed = text.replace("LdAvgMibs", "LdAvgMbs");
    assert!(fault(&renamed).contains("there is no column LdAvgMibs"));
    let cut = &text[..text.rfind("5     \t").expect("a row")];
    assert!(fault(cut).contains("a table begins here"));
}

#[test]
fn loaded_latency_gives_a_point_for_each_run() {
    let text = example("loaded-latency.txt");
    let found = run(&text);
    assert_eq!(found.tool, MeasuredTool::LoadedLatency);
    let last = found.points.last().expect("points");
    assert_eq!(last.delay, Some(0));
    assert_eq!(values(last), (Some(113.84), Some(60.438)));
    assert_eq!(last.buffer_bytes, Some(200_000_000));
    assert_eq!(last.order, Some(PointOrder::Random));
    assert_eq!(last.threads, Some(4));
    let cut = &text[..text.rfind("Average").expect("there")];
    assert!(fault(cut).contains("a run begins here"));
    let summary = run("F\tBandwidth\tLatency\n0\t60437.7\t113.8\n100\t47120.3\t109.6\n");
    assert_eq!(summary.points.len(), 2);
    assert_eq!(summary.points[1].delay, Some(100));
    // Without load, and without a chain.
    let alone = "Total Bandwidth = 0.000000 MB/sec\nAverage Latency = 4.441865 ns\n";
    assert_eq!(run(alone).points[0].test, MeasuredTest::Latency);
    let loads = "Total Bandwidth = 341.336740 MB/sec\nAverage Latency = -nan ns\n";
    assert_eq!(run(loads).points[0].test, MeasuredTest::Bandwidth);
    let units = loads.replace("MB/sec", "MiB/sec");
    assert!(fault(&units).contains("the bandwidth is"), "{units}");
}

#[test]
fn curves_of_mess_are_points_under_load() {
    let found = run("26000.5 156.716\n20000\t120\n100 107.5\n");
    assert_eq!(found.tool, MeasuredTool::Mess);
    assert_eq!(values(&found.points[0]), (Some(107.5), Some(0.1)));
    assert_eq!(found.points[0].line, 3);
    let csv = "read_pct_rounded,bandwidth_mean,latency_mean\n50,10.5,90\n100,11,85\n";
    let traffic: Vec<_> = run(csv).points.iter().map(|point| point.traffic).collect();
    assert_eq!(
        traffic,
        [
            MeasuredTraffic::ReadPercent(50.0),
            MeasuredTraffic::ReadPercent(100.0)
        ]
    );
    assert!(fault("100 107.5\n200 12").contains("no line end"));
}

#[test]
fn names_parse_again_and_others_are_answered() {
    for tool in MeasuredTool::ALL {
        assert_eq!(tool.name().parse(), Ok(tool));
    }
    let error = "perf".parse::<MeasuredTool>().expect_err("none");
    assert!(error.contains("allowed: mlc, stream, multiload"), "{error}");
}

proptest! {
    /// Whatever a line of a sound text becomes, the answer is a run or a fault with a line of the text.
    #[test]
    fn no_damage_goes_unanswered(which in 0usize..6, at in any::<prop::sample::Index>(), junk in "[ -~\t]{0,12}", keep in 0usize..8) {
        let text = match which {
            0 => WHOLE.to_owned(),
            1 => example("mlc.txt"),
            2 => example("stream.txt"),
            3 => example("multiload.txt"),
            4 => example("loaded-latency.txt"),
            _ => example("multichase.txt"),
        };
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let line = at.index(lines.len());
        let kept: String = lines[line].chars().take(keep).collect();
        lines[line] = kept + &junk;
        let text = lines.join("\n") + "\n";
        match read(text.as_bytes(), None) {
            Ok(run) => for point in &run.points {
                prop_assert!(point.latency.is_none_or(|value| value > 0.0 && value.is_finite()));
                prop_assert!(point.bandwidth.is_none_or(|value| value > 0.0 && value.is_finite()));
                prop_assert!(point.latency.is_some() || point.bandwidth.is_some());
            },
            Err(error) => prop_assert!(error.line().is_none_or(|line| line as usize <= lines.len())),
        }
    }
}
