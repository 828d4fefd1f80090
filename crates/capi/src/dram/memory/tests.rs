use wordline_dram::RequestKind;
use wordline_dram::system::Completion;

use super::super::fault::DramFault;
use super::{DramMemory, LATEST_PS, STEP_PS};

const RDIMM: &str = "rdimm-6400-2rx8-32g@bench-1ch";
/// Its clock has no whole picoseconds.
const MRDIMM: &str = "mrdimm-8800-2rx4-64g@bench-1ch";

fn memory(target: &str, settings: &str) -> DramMemory {
    DramMemory::new(target, Some(settings), None, 0).expect("embedded")
}

/// A request every so many clocks at the most, where there is room.
struct Load {
    state: u64,
    next: u64,
    gap_ps: u64,
    last: u64,
}

impl Load {
    fn new(seed: u64, gap_ps: u64, last: u64) -> Self {
        Self {
            state: seed,
            next: 0,
            gap_ps,
            last,
        }
    }

    /// When the next request wants to come.
    fn at(&self) -> Option<u64> {
        (self.next < self.last).then_some(self.next * self.gap_ps)
    }

    /// Pushes it, or is answered that there is no room.
    fn push(&mut self, memory: &mut DramMemory) -> bool {
        let bits = wordline_core::draw::draw(
            self.state,
            0,
            self.next,
            wordline_core::draw::Purpose::Address,
        );
        // Few lines, so that write queues answer reads and take writes twice.
        let address = (bits >> 8) % 512 * 64 * 129;
        let kind = if bits.is_multiple_of(3) {
            RequestKind::Write
        } else {
            RequestKind::Read
        };
        let accepts = memory.can_accept(address, kind).expect("a line");
        let taken = memory.push(address, kind, self.next).expect("a line");
        assert_eq!(accepts, taken);
        self.next += u64::from(taken);
        taken
    }
}

/// What is done by now.
fn told(memory: &mut DramMemory) -> Vec<Completion> {
    std::iter::from_fn(|| memory.pop_completed()).collect()
}

/// Clock by clock.
fn ticked(mut memory: DramMemory, mut load: Load) -> Vec<Completion> {
    let mut all = Vec::new();
    while load.at().is_some() {
        while load.at().is_some_and(|at| at <= memory.now_ps()) && load.push(&mut memory) {}
        if load.at().is_none() {
            break;
        }
        memory.tick().expect("runs");
        let told = told(&mut memory);
        assert!(
            told.iter()
                .all(|completion| completion.time_ps < memory.now_ps())
        );
        all.extend(told);
    }
    memory.drain();
    all.extend(told(&mut memory));
    all
}

/// From event to event.
fn jumped(mut memory: DramMemory, mut load: Load, by_step: bool) -> Vec<Completion> {
    let mut all = Vec::new();
    while load.at().is_some() {
        let mut blocked = false;
        while !blocked && load.at().is_some_and(|at| at <= memory.now_ps()) {
            blocked = !load.push(&mut memory);
        }
        // All drain at the same time: that of the last request.
        if load.at().is_none() {
            break;
        }
        // As the clocked caller does: requests come where ticks end.
        let arrival = load.at().filter(|_| !blocked).map(|at| {
            let rate = u128::from(memory.config().sub_channel.clock.data_rate_mts);
            let mut edges =
                (0..).map(|edge| (edge + u128::from(at) * rate / 2_000_000) * 2_000_000 / rate);
            edges.find(|ps| *ps >= u128::from(at)).unwrap_or(0) as u64
        });
        let limit = arrival.unwrap_or(u64::MAX);
        let before = memory.now_ps();
        if by_step {
            memory.step(limit).expect("runs");
            assert!(memory.now_ps() > before, "time goes on");
        } else {
            let next = memory.next_event().min(limit);
            assert!(next > before, "time goes on");
            // Nothing comes before what was foretold.
            if next - before > 1 {
                memory.run_until(next - 1).expect("runs");
                assert_eq!(told(&mut memory), []);
            }
            memory.run_until(next).expect("runs");
        }
        all.extend(told(&mut memory));
    }
    memory.drain();
    all.extend(told(&mut memory));
    all
}

#[test]
fn from_event_to_event_is_as_from_clock_to_clock() {
    for (target, settings) in [
        (RDIMM, ""),
        (RDIMM, "power_down=100 ns, refresh=same-bank"),
        (MRDIMM, ""),
        (MRDIMM, "queue_sharing=shared"),
    ] {
        for gap_ps in [100, 3_000, 100_000] {
            let load = || Load::new(gap_ps, gap_ps, 1_000);
            let by_clock = ticked(memory(target, settings), load());
            let by_event = jumped(memory(target, settings), load(), false);
            let by_step = jumped(memory(target, settings), load(), true);
            assert_eq!(by_clock.len(), 1_000);
            assert!(
                by_clock
                    .windows(2)
                    .all(|pair| pair[0].time_ps <= pair[1].time_ps)
            );
            let mut ids: Vec<u64> = by_clock.iter().map(|completion| completion.id).collect();
            ids.sort_unstable();
            assert_eq!(ids, (0..1_000).collect::<Vec<_>>());
            assert!(by_clock == by_event, "{target} {settings} {gap_ps}");
            assert!(by_clock == by_step, "{target} {settings} {gap_ps}");
        }
    }
}

#[test]
fn nothing_under_way_has_no_next_event() {
    let mut memory = memory(MRDIMM, "");
    assert_eq!(memory.next_event(), u64::MAX);
    memory.step(u64::MAX).expect("stays");
    assert_eq!(memory.now_ps(), 0);
    assert!(memory.push(0, RequestKind::Read, 1).expect("a line"));
    while memory.next_event() != u64::MAX {
        let next = memory.next_event();
        memory.run_until(next).expect("runs");
    }
    assert_eq!(memory.stats().reads, 1);
    // A push counts until it has been run, also where no time passes.
    assert!(memory.push(64, RequestKind::Write, 2).expect("a line"));
    let now = memory.now_ps();
    memory.run_until(now).expect("now");
    assert_eq!(told(&mut memory).len(), 1, "the read");
    let next = memory.next_event();
    memory.step(u64::MAX).expect("runs");
    assert_eq!(memory.now_ps(), next);
    assert_eq!(told(&mut memory).len(), 1, "the write is accepted");
}

#[test]
fn queues_take_what_their_size_says() {
    let mut memory = memory(RDIMM, "");
    let info = memory.info();
    let mut taken = [0; 2];
    for line in 0..10_000 {
        for (kind, taken) in [RequestKind::Read, RequestKind::Write]
            .into_iter()
            .zip(&mut taken)
        {
            if memory.can_accept(line * 64, kind).expect("a line") {
                assert!(memory.push(line * 64, kind, line).expect("a line"));
                *taken += 1;
            }
        }
    }
    let queues = info.channels * info.sub_channels * info.pseudo_channels;
    assert_eq!(taken, [info.read_queue * queues, info.write_queue * queues]);
    memory.drain();
    let told = told(&mut memory);
    assert_eq!(told.len() as u64, taken[0] + taken[1]);
    assert!(
        told.iter()
            .all(|completion| completion.time_ps < memory.now_ps())
    );
    assert!(
        memory.can_accept(0, RequestKind::Read).expect("a line"),
        "there is room again"
    );
}

#[test]
fn times_are_held_to_the_order() {
    let mut memory = memory(RDIMM, "");
    memory.run_until(5_000).expect("ahead");
    for time_ps in [4_999, 5_001 + STEP_PS, u64::MAX] {
        let fault = memory.run_until(time_ps).expect_err("refused");
        assert!(
            matches!(fault, DramFault::Time { from: 5_000, .. }),
            "{fault}"
        );
    }
    for limit_ps in [4_999, 5_001 + STEP_PS] {
        memory.step(limit_ps).expect_err("refused");
    }
    const { assert!(LATEST_PS > STEP_PS) };
    assert_eq!(memory.now_ps(), 5_000);
}

#[test]
fn figures_begin_again_when_asked() {
    let mut memory = memory(RDIMM, "");
    // The first refresh of the rank, at time 0, is over.
    memory.run_until(1_000_000).expect("ahead");
    assert!(memory.push(0, RequestKind::Read, 1).expect("a line"));
    memory.drain();
    let first = memory.stats();
    assert_eq!((first.reads, first.row_misses, first.activates), (1, 1, 1));
    assert!(first.energy_joules > 0.0);
    // ACT, tRCD, RD, CL, burst and the register: some 38 ns.
    assert!(
        (30e-9..60e-9).contains(&first.read_latency_seconds),
        "{first:?}"
    );
    memory.reset_stats();
    let again = memory.stats();
    assert_eq!((again.reads, again.time_ps, again.activates), (0, 0, 0));
    assert!(again.energy_joules.abs() < 1e-15);
    memory
        .run_until(memory.now_ps() + 10_000_000)
        .expect("ahead");
    let idle = memory.stats();
    assert_eq!(idle.time_ps, 10_000_000);
    assert!(idle.refreshes > 0 && idle.energy_joules > 0.0);
}

#[test]
fn targets_and_settings_that_do_not_exist_are_named() {
    let refused = |target, settings| {
        let fault = DramMemory::new(target, Some(settings), None, 0)
            .err()
            .expect("refused");
        fault.to_string()
    };
    assert!(refused("nothing@bench-1ch", "").contains("nothing"));
    assert!(refused("rdimm-6400-2rx8-32g", "").contains("bench-1ch"));
    assert!(refused(RDIMM, "colour=red").contains("colour"));
    assert!(refused(RDIMM, "refresh=never").contains("never"));
    assert!(refused(RDIMM, "refresh").contains("NAME=VALUE"));
    assert!(DramMemory::new(RDIMM, None, Some("/nowhere/at/all"), 0).is_err());
    let fault = DramMemory::new(RDIMM, None, None, u64::MAX);
    let fault = fault.err().expect("refused").to_string();
    assert!(fault.contains("options.backlog"), "{fault}");
}
