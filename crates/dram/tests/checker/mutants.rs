//! The engine with one rule spoilt at a time, under the eyes of a checker that keeps the right ones.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use wordline_dram::{SubChannelConfig, Timing};

use crate::checker::setups::{Setup, setups};
use crate::checker::traffic::{Bench, Watch};

pub(crate) type Rules = BTreeSet<&'static str>;

/// A field of the engine's timings by name.
pub(crate) type AddressField = (&'static str, fn(&mut Timing) -> &mut u32);

macro_rules! fields {
    ($($field:ident)*) => { [$((stringify!($field), |timing| &mut timing.$field)),*] };
}

/// Every field.
pub(crate) const FIELDS: [AddressField; 41] = fields![
    cl cwl burst rcd rp ras rc rtp wr ccd_s ccd_m ccd_l ccd_s_wr ccd_m_wr ccd_l_wr wtr_s wtr_m wtr_l rtw rrd_s rrd_l
    faw ppd rrd_dlr faw_dlr rank_gap pair_burst pair_rtw pair_wtr refi rfc rfc_dlr refi_sb rfc_sb refsb_gap refsbrd pd xp pden
    long_command column_command
];

/// What a checker says after some ten thousand requests.
pub(crate) struct RowOutcome {
    pub(crate) violated: Rules,
    /// By rule: commands at its first clock, and those that no other rule held back as long.
    pub(crate) tight: BTreeMap<&'static str, (u64, u64)>,
}

/// Runs a configuration against the memory of a setup; `None` where the engine refuses the configuration.
pub(crate) fn outcome(
    setup: &Setup,
    config: &SubChannelConfig,
    ignored: &Rules,
) -> Option<RowOutcome> {
    config.check().ok()?;
    let mut watch = Watch::new(&setup.memory);
    for rule in ignored {
        watch.checker.ignore(rule);
    }
    let mut bench = Bench::new(config, watch, setup.seed);
    for _ in 0..16 {
        bench.run(500);
    }
    let watch = bench.stop();
    let tight = watch.checker.tightness();
    Some(RowOutcome {
        tight: tight
            .map(|(rule, tight)| (rule, (tight.exact, tight.alone)))
            .collect(),
        violated: watch.violated.into_keys().collect(),
    })
}

/// How a field is spoilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The least value that a configuration allows.
    Removed,
    Less,
    More,
}

/// What became of one mutant over all setups.
pub(crate) struct Fate {
    /// Violated at the numbers of DDR5, and at spread ones.
    pub(crate) violated: [Rules; 2],
    /// Rules at whose first clock commands came before, and none does any more. Of [`Change::More`] alone.
    pub(crate) slack: Rules,
    /// Setups in which there was a mutant: neither refused nor the same.
    pub(crate) tried: [usize; 2],
    /// Setups in which something was violated, by number.
    caught_in: Vec<usize>,
}

impl Fate {
    pub(crate) fn caught_by(&self) -> Rules {
        self.violated.iter().flatten().copied().collect()
    }
}

/// Everything that the matrix says.
pub(crate) struct Matrix {
    /// Rules that were decisive by themselves without a mutant, at the numbers of DDR5 and at spread ones.
    pub(crate) decisive: [BTreeMap<&'static str, u64>; 2],
    /// By field and change.
    pub(crate) fates: Vec<[Fate; 3]>,
    /// By field: what is still violated by one clock less when the rules that caught it are removed from the checker.
    pub(crate) survivors: Vec<Rules>,
}

fn config_of(setup: &Setup, field: AddressField, change: Change) -> Option<SubChannelConfig> {
    let mut config = setup.config.clone();
    let whole = *(field.1)(&mut config.timing);
    let mut set = |value: u32| {
        *(field.1)(&mut config.timing) = value;
        config.check().is_ok()
    };
    let changed = match change {
        Change::Removed => (0..whole).find(|&value| set(value)),
        Change::Less => whole.checked_sub(1).filter(|&value| set(value)),
        Change::More => Some(whole + 1).filter(|&value| set(value)),
    };
    changed.map(|_| config)
}

fn fate(
    setups: &[Setup],
    exact: &BTreeMap<&'static str, u64>,
    field: AddressField,
    change: Change,
) -> Fate {
    let mut fate = Fate {
        violated: Default::default(),
        slack: Rules::new(),
        tried: [0; 2],
        caught_in: Vec::new(),
    };
    let mut met = Rules::new();
    for (number, setup) in setups.iter().enumerate() {
        let config = config_of(setup, field, change);
        let Some(config) = config else {
            // What is refused cannot lose anything; the other setups tell.
            continue;
        };
        let Some(outcome) = outcome(setup, &config, &Rules::new()) else {
            continue;
        };
        let side = usize::from(!setup.ddr5);
        fate.tried[side] += 1;
        if !outcome.violated.is_empty() {
            fate.caught_in.push(number);
        }
        fate.violated[side].extend(outcome.violated);
        met.extend(
            outcome
                .tight
                .iter()
                .filter(|(_, tight)| tight.0 > 0)
                .map(|(rule, _)| *rule),
        );
        // Of a number that is removed only that it is caught is asked, not by which rules.
        if change == Change::Removed && !fate.caught_in.is_empty() {
            break;
        }
    }
    let often = exact.iter().filter(|(_, count)| **count >= 10);
    fate.slack = often
        .map(|(rule, _)| *rule)
        .filter(|rule| !met.contains(rule))
        .collect();
    fate
}

/// What is violated by one clock less when a checker does without the rules that caught it.
fn survivors(setups: &[Setup], field: AddressField, less: &Fate) -> Rules {
    let mut violated = Rules::new();
    for setup in less.caught_in.iter().map(|&number| &setups[number]) {
        let ignored: Rules = less.caught_by().into_iter().collect();
        let config = config_of(setup, field, Change::Less);
        let outcome = config.and_then(|config| outcome(setup, &config, &ignored));
        violated.extend(outcome.into_iter().flat_map(|outcome| outcome.violated));
    }
    violated
}

/// Does a job for every number below a bound, on all cores, and returns the results in order.
pub(crate) fn parallel<T: Send>(jobs: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= jobs {
                return done;
            }
            done.push((number, job(number)));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a job"))
            .collect()
    });
    results.sort_by_key(|&(number, _)| number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Tries every mutant of every field.
pub(crate) fn matrix() -> Matrix {
    let setups = setups();
    let mut decisive: [BTreeMap<&'static str, u64>; 2] = Default::default();
    let mut exact: BTreeMap<&'static str, u64> = BTreeMap::new();
    let sound = parallel(setups.len(), |number| {
        let setup = &setups[number];
        outcome(setup, &setup.config, &Rules::new()).expect("a configuration")
    });
    for (setup, outcome) in setups.iter().zip(sound) {
        assert_eq!(
            outcome.violated,
            Rules::new(),
            "without a mutant: {:?}",
            setup.config
        );
        for (rule, (met, alone)) in outcome.tight {
            *exact.entry(rule).or_default() += met;
            *decisive[usize::from(!setup.ddr5)].entry(rule).or_default() += alone;
        }
    }
    let results = parallel(FIELDS.len(), |number| {
        let field = FIELDS[number];
        let changes = [Change::Less, Change::Removed, Change::More];
        let fates = changes.map(|change| fate(&setups, &exact, field, change));
        let survivors = survivors(&setups, field, &fates[0]);
        (fates, survivors)
    });
    let (fates, survivors) = results.into_iter().unzip();
    Matrix {
        decisive,
        fates,
        survivors,
    }
}
