use std::collections::VecDeque;

use proptest::prelude::*;
use wordline_core::Basis;

use super::*;
use crate::{CurvePlace, MemoryCurve, Profile};

/// Lists in order of use, as plain as can be.
struct PlainLists {
    sets: Vec<VecDeque<(u32, bool)>>,
    ways: usize,
}

impl PlainLists {
    fn access(&mut self, line: u32, dirty: bool) -> (bool, Option<(u32, bool)>) {
        let count = self.sets.len();
        let set = &mut self.sets[line as usize % count];
        if let Some(at) = set.iter().position(|(here, _)| *here == line) {
            let (_, was) = set.remove(at).expect("it is there");
            set.push_front((line, was | dirty));
            return (true, None);
        }
        set.push_front((line, dirty));
        (
            false,
            (set.len() > self.ways).then(|| set.pop_back()).flatten(),
        )
    }
}

proptest! {
    #[test]
    fn a_cache_keeps_what_was_used_last(
        ways in 1_u32..=16,
        sets in prop::sample::select(vec![1_u64, 4, 64, 128]),
        accesses in prop::collection::vec((0_u32..600, any::<bool>()), 1..800),
    ) {
        let setting = CacheSetting::plain(sets * 64 * u64::from(ways), ways);
        let mut cache = LineCache::new(setting).expect("it can be");
        let mut plain = PlainLists { sets: vec![VecDeque::new(); sets as usize], ways: ways as usize };
        for (line, dirty) in accesses {
            let found = cache.access(line, dirty);
            prop_assert_eq!((found.hit, found.victim), plain.access(line, dirty));
        }
    }

    #[test]
    fn any_records_are_taken(
        words in prop::collection::vec(any::<(u64, u32, u32, bool)>(), 0..300),
        sets in prop::sample::select(vec![2_u32, 4, 64]),
    ) {
        let shared = SharedTrace::new(RecordedCaches::usual(1), CoreShape::performance_core(300), sets)
            .expect("they can be");
        let mut trace = CoreTrace::new(&shared, SamplePlan::WHOLE).expect("they can be");
        let block = TraceBlock::default();
        let records: Vec<_> = words
            .iter()
            .map(|&(address, index, shift, store)| match index % 9 {
                0 => TraceRecord::block(address & 0xFFFF),
                _ => TraceRecord::access(address, index, shift, store),
            })
            .collect();
        for _ in 0..4 {
            trace.take(&shared, &records, 1 << 18, 0, &|_| &block);
        }
        trace.end(&shared);
        let recording = shared.recording("x86_64", true, None);
        prop_assert_eq!(recording.instructions(), 4 << 18);
        prop_assert!(recording.lines_read <= 2 * (recording.counts.loads + recording.counts.stores));
    }
}

#[test]
fn caches_that_cannot_be_are_named() {
    let of = |bytes, ways| LineCache::new(CacheSetting::plain(bytes, ways)).expect_err("not one");
    assert!(of(1 << 20, 17).to_string().contains("17 lines"));
    assert!(of(1 << 20, 0).to_string().contains("0 lines"));
    assert!(of(100, 4).to_string().contains("100 bytes"));
    assert!(of(2 << 30, 16).to_string().contains("1 GiB"));
}

/// Lines under way in chains of pointers that are followed side by side, with some arithmetic behind each load.
fn under_way(chains: u32, arithmetic: u32, prefetch: bool, step: u32) -> f64 {
    let of = |memory| CoreShape {
        prefetch,
        ..CoreShape::performance_core(memory)
    };
    let (mut with, mut without) = (CoreModel::new(of(300)), CoreModel::new(of(0)));
    let load = |chain: u32| MicroOperation {
        address: 1 << chain,
        writes: 1 << chain,
        ..MicroOperation::default()
    };
    let add = MicroOperation {
        reads: 1 << 40,
        writes: 1 << 40,
        latency: 1,
        ..MicroOperation::default()
    };
    let mut lines = 0_u32;
    for _ in 0..4000 {
        for chain in 0..chains {
            lines += 1;
            let touch = LineTouch {
                line: lines.wrapping_mul(step),
                word: lines,
                level: 4,
                store: false,
            };
            for model in [&mut with, &mut without] {
                model.execute(&load(chain), &[touch], true);
            }
        }
        for _ in 0..arithmetic {
            with.execute(&add, &[], true);
            without.execute(&add, &[], true);
        }
    }
    f64::from(lines) * 300.0 / (with.cycles() - without.cycles()) as f64
}

#[test]
fn chains_have_as_many_lines_under_way_as_there_are_chains() {
    // The window holds hundreds of misses of one chain, of which each waits for the one before.
    for chains in [1, 2, 4, 8] {
        let found = under_way(chains, 4, false, 7919);
        assert!(
            (found / f64::from(chains) - 1.0).abs() < 0.05,
            "{chains}: {found}"
        );
    }
    // More than the line-fill buffers hold are not.
    let found = under_way(32, 0, false, 7919);
    assert!((14.0..=16.5).contains(&found), "{found}");
}

#[test]
fn a_stream_is_foreseen() {
    let random = under_way(1, 4, true, 7919);
    let stream = under_way(1, 4, true, 1);
    assert!(random < 1.1 && stream > 4.0, "{random} {stream}");
}

#[test]
fn a_branch_that_waits_for_a_miss_and_is_not_foreseen_ends_the_window() {
    let load = MicroOperation {
        address: 1 << 2,
        writes: 1 << 1,
        ..MicroOperation::default()
    };
    let branch = MicroOperation {
        reads: 1 << 1,
        latency: 1,
        branch: Branch::Conditional,
        ..MicroOperation::default()
    };
    let cycles = |foreseen| {
        let mut core = CoreModel::new(CoreShape::performance_core(300));
        for at in 0..1000 {
            let touch = LineTouch {
                line: at * 7919,
                word: at,
                level: 4,
                store: false,
            };
            core.execute(&load, &[touch], true);
            core.execute(&branch, &[], foreseen);
        }
        core.cycles()
    };
    // One at a time, or as many as the buffers hold.
    assert!(cycles(false) > 300_000);
    assert!(cycles(true) < 25_000);
}

#[test]
fn branches_are_learnt() {
    let mut history = BranchHistory::default();
    let mut wrong = 0;
    for at in 0..4000_u64 {
        // Taken three times of four, and an indirect branch that alternates.
        let to = if at % 4 == 3 { 0x1008 } else { 0x2000 };
        wrong += u32::from(!history.resolve(Branch::Conditional, 0x1000, 0x1008, to));
        let to = if at % 2 == 0 { 0x3010 } else { 0x4020 };
        wrong += u32::from(!history.resolve(Branch::Indirect, 0x3000, 0, to));
        assert!(history.resolve(Branch::None, 0, 0, at));
    }
    assert!(wrong < 200, "{wrong}");
}

/// A program of a thread that accesses a stretch of memory at random, so many bytes, half of it by stores where there are any.
fn recorded(bytes: u64, sets: u32, plan: SamplePlan, stores: bool) -> ProgramRecording {
    let core = CoreShape::performance_core(300);
    let shared = SharedTrace::new(RecordedCaches::usual(1), core, sets).expect("they can be");
    let mut trace = CoreTrace::new(&shared, plan).expect("they can be");
    let mut regime = trace.regime(&shared);
    let load = MicroOperation {
        address: 1 << 1,
        writes: 1 << 1,
        ..MicroOperation::default()
    };
    let block = TraceBlock {
        start: 0x1000,
        last: 0x1004,
        end: 0x1008,
        operations: vec![load, MicroOperation::default()],
    };
    let mut state = 1_u64;
    for _ in 0..8000 {
        let mut records = Vec::new();
        for _ in 0..500 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let address = 0x7F00_0000_0000 + (state >> 20) % bytes;
            if regime.blocks {
                records.push(TraceRecord::block(7));
            }
            if regime.all || shared.followed() >> SharedTrace::kind(address) & 1 == 1 {
                records.push(TraceRecord::access(
                    address,
                    0,
                    0,
                    stores && state >> 63 == 1,
                ));
            }
        }
        regime = trace.take(&shared, &records, 1000, 0x1000, &|_| &block);
    }
    trace.end(&shared);
    shared.recording("x86_64", true, None)
}

#[test]
fn some_sets_stand_for_all() {
    let bytes = 24 << 20;
    let whole = recorded(bytes, 64, SamplePlan::WHOLE, true);
    let some = recorded(bytes, 4, SamplePlan::SETS, true);
    let ratio = some.lines_read as f64 / whole.lines_read as f64;
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
    let ratio = some.lines_written as f64 / whole.lines_written as f64;
    assert!((ratio - 1.0).abs() < 0.04, "{ratio}");
    assert!(!whole.samples.is_empty() && !some.samples.is_empty());
}

/// A memory without queues that carries a line a nanosecond, 64 GB/s.
fn plain(_: CurvePlace) -> MemoryCurve {
    MemoryCurve::of([[1.0, 100.0, 0.0], [100.0, 100.0, 0.0]])
}

#[test]
fn copies_share_the_memory_and_threads_that_follow_each_other_a_core() {
    let recording = recorded(64 << 20, 64, SamplePlan::WHOLE, false);
    let assumptions = |copies| RecordingAssumptions {
        name: "random".into(),
        made_by: "a test".into(),
        baseline: "rdimm-6400-2rx4-128g@xeon6-1s".into(),
        latency_ns: 100.0,
        latency_basis: Basis::Assumed,
        clock_hz: 3e9,
        copies,
        misses_per_core: 26.0,
    };
    let of = |recording: &ProgramRecording, copies| {
        let profile = assumptions(copies).profile(recording, &plain);
        profile.expect("it is long enough")
    };
    let (one, many) = (of(&recording, 1), of(&recording, 400));
    let rate = |profile: &Profile| {
        let phase = &profile.phases[0];
        (phase.lines_read.value + phase.lines_written.value) / phase.seconds.value * 1e-9
    };
    // 400 chains ask for some four lines a nanosecond, and one is carried.
    assert!(
        rate(&many) <= 1.001 && rate(&many) > 0.95,
        "{}",
        rate(&many)
    );
    assert!(rate(&one) < 0.011, "{}", rate(&one));
    let latency = |profile: &Profile| profile.phases[0].latency_ns.expect("it is known").value;
    assert!((latency(&one) - 100.0).abs() < 0.5, "{}", latency(&one));
    let expected = 400.0 * many.phases[0].outstanding.expect("it waits").value;
    let expected = expected * many.phases[0].stall_share.value;
    assert!(
        (latency(&many) / expected - 1.0).abs() < 0.02,
        "{} {expected}",
        latency(&many)
    );
    let most = many.phases[0].outstanding.expect("it waits").bounds()[1];
    assert!(most <= 26.0, "{most}");
    // Twenty threads, one after the other, beside one that lives through all of it.
    let whole = recording.instructions();
    let threads = std::iter::once(whole).chain(std::iter::repeat_n(whole / 40, 20));
    let threaded = ProgramRecording {
        thread_instructions: threads.collect(),
        ..recording
    };
    let profile = of(&threaded, 3);
    assert_eq!(profile.cores, 6);
    let outside = profile.phases[0].outside_share.expect("some wait").value;
    assert!((outside - 0.25).abs() < 1e-3, "{outside}");
}

#[test]
fn a_recording_makes_a_profile() {
    let recording = recorded(64 << 20, 64, SamplePlan::WHOLE, false);
    let assumptions = RecordingAssumptions {
        name: "random".into(),
        made_by: "a test".into(),
        baseline: "rdimm-6400-2rx4-128g@xeon6-1s".into(),
        latency_ns: 100.0,
        latency_basis: Basis::Assumed,
        clock_hz: 3e9,
        copies: 4,
        misses_per_core: 26.0,
    };
    let profile = assumptions.profile(&recording, &plain);
    let profile = profile.expect("it is long enough");
    assert_eq!(Profile::from_json(&profile.to_json()), Ok(profile.clone()));
    assert_eq!(profile.cores, 4);
    let phase = &profile.phases[0];
    // One chain of pointers in memory: it waits nearly all the time, for one line.
    assert!(phase.stall_share.value > 0.9, "{phase:?}");
    let outstanding = phase.outstanding.expect("it is known").value;
    let lines = phase.lines_read.value + phase.lines_written.value;
    let reads = outstanding * phase.lines_read.value / lines;
    assert!((0.9..1.3).contains(&reads), "{reads}");
    // By Little's law the parts agree.
    let line_time = phase.seconds.value * phase.stall_share.value * 4.0 / lines;
    assert!((line_time * 1e9 * outstanding / 100.0 - 1.0).abs() < 0.02);
    let short = ProgramRecording {
        samples: Vec::new(),
        ..recording.clone()
    };
    let error = assumptions.profile(&short, &plain).expect_err("no window");
    assert!(matches!(error, RecordingError::Short { .. }));
    let empty = ProgramRecording {
        thread_instructions: Vec::new(),
        ..recording.clone()
    };
    assert_eq!(
        assumptions.profile(&empty, &plain),
        Err(RecordingError::Empty)
    );
    // Without decoded instructions the range is wide.
    let undecoded = ProgramRecording {
        decoded: false,
        samples: Vec::new(),
        ..recording
    };
    let profile = assumptions.profile(&undecoded, &plain).expect("it is one");
    let phase = &profile.phases[0];
    let [least, greatest] = phase.seconds.bounds();
    assert!(greatest > 4.0 * least, "{phase:?}");
}

/// The filter of traces and the caches of recordings have the same rules but one: a line that comes back dirty counts as a use
/// there and not here. So the first level, to which none comes back, agrees access by access, and the memory within two percent.
#[test]
fn a_recordings_caches_agree_with_those_of_traces() {
    use wordline_core::Operation;
    use wordline_core::draw::{Purpose, draw};
    use wordline_trace::dram::{CacheFilter, CacheLevel, CoreCaches};

    let sizes = [(8 << 10, 8), (64 << 10, 16), (256 << 10, 16)];
    let settings = sizes.map(|(bytes, ways)| CacheSetting::plain(bytes, ways));
    let mut own = OwnCaches::new(&RecordedCaches {
        first: settings[0],
        second: Some(settings[1]),
        last: settings[2],
    })
    .expect("they can be");
    let mut last = LastCache::new(settings[2]).expect("it can be");
    let mut filter = CacheFilter::new(&CoreCaches {
        levels: sizes.map(|(bytes, ways)| Some(CacheLevel { bytes, ways })),
        line_bytes: 64,
    });
    let mut first_misses = 0;
    let (mut reads, mut writes) = (0_u32, 0_u32);
    let mut stream = 0;
    for step in 0..400_000 {
        // Half of the accesses follow a stream, half lie in a region that outgrows the last level.
        let drawn = draw(7, step, 0, Purpose::Address);
        let line = match drawn % 2 {
            0 => {
                stream = (stream + 1) % 20_000;
                stream
            }
            _ => 100_000 + (drawn >> 8) as u32 % 6_000,
        };
        let is_written = (drawn >> 1).is_multiple_of(3);
        let (side, operation) = match is_written {
            true => (AccessSide::Store, Operation::Write),
            false => (AccessSide::Load, Operation::Read),
        };
        let mut asked = Vec::new();
        first_misses += u64::from(own.access(line, side, 0, &mut asked) > 1);
        for operation in &asked {
            let answer = last.apply(operation);
            reads += u32::from(answer.read);
            writes += u32::from(answer.written);
        }
        filter.access(operation, u64::from(line) * 64, 8);
        let counts = filter.counts().levels[0].expect("there is a first level");
        assert_eq!(counts.misses, first_misses, "at access {step}");
    }
    let mut theirs = [0_u32; 2];
    while let Some((operation, _)) = filter.request() {
        theirs[usize::from(operation == Operation::Write)] += 1;
    }
    for (ours, theirs) in [(reads, theirs[0]), (writes, theirs[1])] {
        let off = f64::from(ours) / f64::from(theirs) - 1.0;
        assert!(ours > 10_000 && off.abs() < 0.02, "{ours} {theirs}");
    }
}
