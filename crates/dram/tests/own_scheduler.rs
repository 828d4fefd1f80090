//! Schedulers that programs bring along: the engine's general way, and orders that change.

use crate::against_oracle::{CheckedRun, arriving, run_oracle};
use crate::support::cases::Case;
use crate::support::{Recorder, ddr5_6400, one_rank};
use wordline_dram::SubChannel;
use wordline_dram::scheduler::{BatchFirst, FrFcfs, Scheduler, SchedulerName, WaitingRequest};

/// The order of another scheduler without its short cuts, and never sure of it.
#[derive(Clone, Debug)]
struct Unsure<S>(S);

impl<S: Scheduler> Scheduler for Unsure<S> {
    fn order(&self, request: &WaitingRequest, opens_row: bool) -> u64 {
        self.0.order(request, opens_row)
    }

    fn served(&mut self, request: &WaitingRequest, at: u64) -> bool {
        assert!(request.admitted <= at, "{request:?} at {at}");
        true
    }
}

fn run(case: &Case, scheduler: impl Scheduler) -> CheckedRun {
    let recorder = Recorder::default();
    let mut engine =
        SubChannel::with_scheduler(&case.config, recorder, scheduler).expect("a legal case");
    let mut ends = Vec::new();
    for phase in &case.phases {
        let begin = engine.now();
        for request in &phase.requests {
            engine.push(arriving(request, begin)).expect("in range");
        }
        engine.run(begin + phase.run);
        if phase.flush {
            engine.flush();
        }
        ends.push(engine.now());
    }
    let Recorder {
        commands,
        served,
        accepted,
    } = engine.into_observer();
    CheckedRun::new(commands, served, accepted, ends)
}

#[test]
fn an_order_that_may_always_change_and_never_does_is_the_same_order() {
    for seed in 1..=300 {
        let case = Case::new(seed);
        let expected = run_oracle(&case).0;
        let found = match case.config.policy.scheduler {
            SchedulerName::FrFcfs => run(&case, Unsure(FrFcfs)),
            SchedulerName::BatchFirst => run(&case, Unsure(BatchFirst)),
        };
        assert!(found == expected, "seed {seed}");
    }
}

#[test]
fn a_scheduler_with_a_name_runs_under_it_alone() {
    let mut config = one_rank(ddr5_6400());
    config.policy.scheduler = SchedulerName::BatchFirst;
    let error = SubChannel::new(&config, ()).expect_err("it asks for another scheduler");
    assert_eq!(
        error.to_string(),
        "policy.scheduler: batches; allowed here: fr-fcfs"
    );
    SubChannel::with_scheduler(&config, (), BatchFirst).expect("its own");
    SubChannel::with_scheduler(&config, (), Unsure(FrFcfs)).expect("one without a name");
}
