//! The engine and the plain oracle, held against each other over random configurations and request streams: the
//! same commands at the same clocks, the same outcome of every request, and the same reasons for its waiting.
//!
//! `WORDLINE_CASES` says how many cases (default 4000; the nightly run takes millions), `WORDLINE_SEED` the seed of
//! the first one (default 1). A difference prints its seed; `WORDLINE_SEED=<seed> WORDLINE_CASES=1` replays it.

use std::collections::HashMap;
use std::env;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::oracle::{Oracle, Waits};
use crate::support::cases::{Case, Phase};
use crate::support::{Dice, Recorder};
use wordline_dram::scheduler::SchedulerName;
use wordline_dram::{
    CAUSES, Issued, PagePolicy, RefreshManagement, Request, SameBankOrder, ScheduledSubChannel,
    ServedRequest, SubChannelConfig,
};

/// Everything that is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CheckedRun {
    commands: Vec<Issued>,
    /// By id; without the waits, which are compared apart.
    served: Vec<ServedRequest>,
    accepted: Vec<(u64, u64)>,
    /// First clock not run after each phase.
    ends: Vec<u64>,
}

impl CheckedRun {
    pub(crate) fn new(
        commands: Vec<Issued>,
        mut served: Vec<ServedRequest>,
        mut accepted: Vec<(u64, u64)>,
        ends: Vec<u64>,
    ) -> Self {
        for served in &mut served {
            served.waits = [0; CAUSES];
        }
        served.sort_by_key(|served| served.id);
        accepted.sort_unstable();
        Self {
            commands,
            served,
            accepted,
            ends,
        }
    }
}

pub(crate) fn arriving(request: &Request, begin: u64) -> Request {
    Request {
        arrival: begin + request.arrival,
        ..*request
    }
}

pub(crate) fn run_oracle(case: &Case) -> (CheckedRun, Vec<Waits>) {
    let mut oracle = Oracle::new(&case.config);
    let mut ends = Vec::new();
    for phase in &case.phases {
        let begin = oracle.now();
        for request in &phase.requests {
            oracle.push(arriving(request, begin));
        }
        oracle.run(begin + phase.run);
        if phase.flush {
            oracle.flush();
        }
        ends.push(oracle.now());
    }
    let run = CheckedRun::new(oracle.commands, oracle.served, oracle.accepted, ends);
    (run, oracle.waits)
}

/// Runs the engine in random slices; with the waits of every request apart.
fn run_engine(case: &Case) -> Result<(CheckedRun, Vec<ServedRequest>), String> {
    let mut dice = Dice::new(!case.seed);
    let mut engine = ScheduledSubChannel::new(&case.config, Recorder::default())
        .map_err(|error| format!("refused: {error}"))?;
    let mut ends = Vec::new();
    for phase in &case.phases {
        run_phase(&mut engine, phase, &mut dice)?;
        ends.push(engine.now());
    }
    if engine.waiting() != 0 {
        return Err(format!(
            "{} requests wait after the flush",
            engine.waiting()
        ));
    }
    let Recorder {
        commands,
        served,
        accepted,
    } = engine.into_observer();
    let waits = served.clone();
    Ok((CheckedRun::new(commands, served, accepted, ends), waits))
}

/// Where the engine's waits are not those of the oracle.
fn wrong_waits(expected: &[Waits], found: &[ServedRequest]) -> Option<String> {
    let sum = |one: &ServedRequest| {
        one.waits
            .iter()
            .map(|clocks| u64::from(*clocks))
            .sum::<u64>()
    };
    if let Some(one) = found
        .iter()
        .find(|one| sum(one) != one.issued - one.arrival)
    {
        return Some(format!(
            "the waits do not add up to {}: {one:?}",
            one.issued - one.arrival
        ));
    }
    let found: HashMap<u64, &ServedRequest> = found.iter().map(|one| (one.id, one)).collect();
    let wrong = expected
        .iter()
        .find(|waits| !waits.allow(&found[&waits.id].waits))?;
    Some(format!(
        "waits differ\n  oracle {wrong:?}\n  engine {:?}",
        found[&wrong.id]
    ))
}

fn run_phase(
    engine: &mut ScheduledSubChannel<Recorder>,
    phase: &Phase,
    dice: &mut Dice,
) -> Result<(), String> {
    let begin = engine.now();
    let end = begin + phase.run;
    let stride = dice.pick(&[1, 10, 200, 5_000]);
    let mut requests = phase
        .requests
        .iter()
        .map(|request| arriving(request, begin))
        .peekable();
    while let Some(next) = requests.peek().copied() {
        if dice.one_in(2) {
            requests.next();
            engine.push(next).map_err(|error| error.to_string())?;
        } else {
            let until = engine.now() + u64::from(dice.between(0, stride));
            engine.run(until.min(next.arrival));
        }
    }
    while engine.now() < end {
        engine.run((engine.now() + u64::from(dice.between(1, stride))).min(end));
    }
    if phase.flush {
        let returned = engine.flush();
        if returned != engine.now() {
            return Err(format!(
                "flush says clock {returned}, now says {}",
                engine.now()
            ));
        }
    }
    Ok(())
}

/// What differs, if anything does.
fn difference(case: &Case) -> Option<String> {
    let (expected, waits) = run_oracle(case);
    match catch_unwind(AssertUnwindSafe(|| run_engine(case))) {
        Err(_) => Some("the engine panicked".to_owned()),
        Ok(Err(problem)) => Some(problem),
        Ok(Ok((found, served))) if found == expected => wrong_waits(&waits, &served),
        Ok(Ok((found, _))) => Some(describe(&expected, &found)),
    }
}

fn describe(expected: &CheckedRun, found: &CheckedRun) -> String {
    let first = |a: usize, b: usize, same: &dyn Fn(usize) -> bool| {
        (0..a.max(b)).find(|place| !same(*place))
    };
    let (left, right) = (&expected.commands, &found.commands);
    if let Some(place) = first(left.len(), right.len(), &|place| {
        left.get(place) == right.get(place)
    }) {
        return side_by_side("command", place, left, right);
    }
    let (left, right) = (&expected.served, &found.served);
    if let Some(place) = first(left.len(), right.len(), &|place| {
        left.get(place) == right.get(place)
    }) {
        return side_by_side("served", place, left, right);
    }
    let (left, right) = (&expected.accepted, &found.accepted);
    if let Some(place) = first(left.len(), right.len(), &|place| {
        left.get(place) == right.get(place)
    }) {
        return side_by_side("accepted", place, left, right);
    }
    format!(
        "phases end at {:?}, by the engine at {:?}",
        expected.ends, found.ends
    )
}

fn side_by_side<T: std::fmt::Debug>(
    what: &str,
    place: usize,
    expected: &[T],
    found: &[T],
) -> String {
    let mut text = format!("{what} {place} differs\n");
    for before in &expected[place.saturating_sub(12)..place.min(expected.len())] {
        let _ = writeln!(text, "  both   {before:?}");
    }
    for (who, list) in [("oracle", expected), ("engine", found)] {
        for after in list.iter().skip(place).take(3) {
            let _ = writeln!(text, "  {who} {after:?}");
        }
    }
    text
}

/// Leaves out requests, while something still differs: half of them, a quarter, … one.
fn shrink(case: &Case) -> Case {
    let mut best = case.clone();
    for phase in 0..best.phases.len() {
        let mut chunk = best.phases[phase].requests.len();
        while chunk > 0 {
            let mut at = 0;
            while at < best.phases[phase].requests.len() {
                let mut smaller = best.clone();
                let requests = &mut smaller.phases[phase].requests;
                let end = (at + chunk).min(requests.len());
                requests.drain(at..end);
                if difference(&smaller).is_some() {
                    best = smaller;
                } else {
                    at += chunk;
                }
            }
            chunk /= 2;
        }
    }
    best
}

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text}: not a whole number")),
        Err(_) => default,
    }
}

#[test]
fn engine_and_oracle_issue_the_same_commands() {
    let (first, cases) = (
        setting("WORDLINE_SEED", 1),
        setting("WORDLINE_CASES", 1_000),
    );
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let stop = AtomicBool::new(false);
    let search = |thread: u64| {
        let mut seeds = (first + thread..first + cases).step_by(threads as usize);
        let found = seeds
            .find(|seed| stop.load(Ordering::Relaxed) || difference(&Case::new(*seed)).is_some());
        stop.fetch_or(found.is_some(), Ordering::Relaxed);
        found.filter(|seed| difference(&Case::new(*seed)).is_some())
    };
    let differing = std::thread::scope(|scope| {
        let searches: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || search(thread)))
            .collect();
        searches
            .into_iter()
            .filter_map(|search| search.join().expect("a search panicked"))
            .min()
    });
    if let Some(seed) = differing {
        let case = Case::new(seed);
        let small = shrink(&case);
        panic!(
            "seed {seed}: {}\nwith fewer requests: {}\n{small:#?}",
            difference(&case).unwrap_or_default(),
            difference(&small).unwrap_or_default(),
        );
    }
}

/// A way in which a controller could be wrong.
type Mutation = (&'static str, fn(&mut SubChannelConfig));

/// Each timing one clock longer.
macro_rules! one_longer {
    ($($field:ident)*) => {
        [$((stringify!($field), |config: &mut SubChannelConfig| config.timing.$field += 1)),*]
    };
}

const TIMINGS: [Mutation; 39] = one_longer!(
    cl cwl burst rcd rp ras rc rtp wr ccd_s ccd_m ccd_l ccd_s_wr ccd_m_wr ccd_l_wr wtr_s wtr_m wtr_l rtw rrd_s rrd_l
    faw ppd rrd_dlr faw_dlr rank_gap pair_burst pair_rtw pair_wtr refi rfc rfc_dlr refi_sb rfc_sb refsb_gap refsbrd pd xp pden
);

/// A number of refresh management one greater.
fn managed(config: &mut SubChannelConfig, of: fn(&mut RefreshManagement) -> &mut u32) {
    if let Some(rfm) = &mut config.policy.rfm {
        *of(rfm) += 1;
    }
}

const POLICIES: [Mutation; 28] = [
    ("long_command", |config| config.timing.long_command += 1),
    ("column_command", |config| config.timing.column_command += 1),
    ("refresh_sets", |config| {
        config.geometry.refresh_sets = config.geometry.banks;
    }),
    ("scheduler", |config| {
        config.policy.scheduler = match config.policy.scheduler {
            SchedulerName::FrFcfs => SchedulerName::BatchFirst,
            SchedulerName::BatchFirst => SchedulerName::FrFcfs,
        };
    }),
    ("read_queue", |config| config.policy.read_queue += 1),
    ("write_queue", |config| config.policy.write_queue += 1),
    ("drain_high", |config| config.policy.drain_high += 1),
    ("drain_low", |config| config.policy.drain_low += 1),
    ("age_cap", |config| config.policy.age_cap += 1),
    ("turn_lookahead", |config| {
        config.policy.turn_lookahead += 1;
    }),
    ("turn_hits_max", |config| config.policy.turn_hits_max += 1),
    ("turn_early", |config| config.policy.turn_early ^= true),
    ("bus_loss_permille", |config| {
        config.policy.bus_loss_permille = (config.policy.bus_loss_permille + 100).min(500);
    }),
    ("bus_loss_waits_max", |config| {
        config.policy.bus_loss_waits_max = config.policy.bus_loss_waits_max.max(1) + 1;
    }),
    ("refresh_postponed_max", |config| {
        config.policy.refresh_postponed_max += 1
    }),
    ("refresh_pulled_in_max", |config| {
        config.policy.refresh_pulled_in_max += 1
    }),
    ("refresh_aside", |config| config.policy.refresh_aside += 1),
    ("raaimt", |config| managed(config, |rfm| &mut rfm.raaimt)),
    ("raammt", |config| managed(config, |rfm| &mut rfm.raammt)),
    ("raadec", |config| managed(config, |rfm| &mut rfm.raadec)),
    ("rfm", |config| managed(config, |rfm| &mut rfm.clocks)),
    ("same_bank_order", |config| {
        config.policy.same_bank_order = match config.policy.same_bank_order {
            SameBankOrder::RoundRobin => SameBankOrder::IdleFirst,
            SameBankOrder::IdleFirst => SameBankOrder::RoundRobin,
        };
    }),
    ("refresh_phase", |config| {
        config.policy.refresh_phase[0] += 1
    }),
    ("shared_queues", |config| {
        config.policy.shared_queues ^= true
    }),
    ("shared_commands", |config| {
        config.policy.shared_commands ^= true
    }),
    ("slices", |config| config.geometry.slices = 1),
    ("page", |config| {
        config.policy.page = match config.policy.page {
            PagePolicy::Open => PagePolicy::Closed,
            PagePolicy::Closed => PagePolicy::Timeout(10),
            PagePolicy::Timeout(clocks) => PagePolicy::Timeout(clocks + 1),
        };
    }),
    ("power_down", |config| {
        config.policy.power_down = config.policy.power_down.map(|clocks| clocks + 1);
    }),
];

/// The cases reach every rule: an oracle that has one of them wrong by a clock differs from the right one in one of
/// the first hundred.
#[test]
fn every_rule_decides_in_some_case() {
    let cases: Vec<_> = (1..=100)
        .map(Case::new)
        .map(|case| (run_oracle(&case).0, case))
        .collect();
    for (name, mutate) in TIMINGS.iter().chain(&POLICIES) {
        let noticed = cases.iter().any(|(right, case)| {
            let mut wrong = case.clone();
            mutate(&mut wrong.config);
            run_oracle(&wrong).0 != *right
        });
        assert!(noticed, "{name} is never what decides");
    }
}
