//! The health of blocks in C: the answers of `wordline wear health` to the log of `wordline wear`.

use std::fs;

use wordline_core::quantity::Quantity as _;
use wordline_nvm::ageing::health::{
    BlockHealth, Channel, HealthVerdict, Kin, LatencyHistory, NoTrend, Prediction, Trained,
    TrendSample,
};
use wordline_trace::cycling::{BlockLife, CyclingLog, CyclingOperation};

use crate::c_api::cc::{SANITIZERS, compiled, here, run};

/// Written by `wordline wear --target mt29f32g08qaa --seed 11 --blocks 300 --max-cycles 40000 --log`, of which these are
/// the lines of the two weakest blocks. A test of `wordline-lab` holds it against what the command writes now.
const LOG: &str = "tests/data/wear.csv";

/// What the log says of a block up to a cycle, or to its end. A log that ends there repeats the last erase.
fn history(life: &BlockLife, until: u64) -> LatencyHistory {
    let of = |operation| {
        let points = life.of(operation).filter(|point| point.cycle <= until);
        let samples = points.map(|point| TrendSample {
            cycle: point.cycle,
            latency_s: point.duration.si(),
            lines: point.lines as f64,
        });
        samples.collect::<Vec<_>>()
    };
    let mut erases = of(CyclingOperation::Erase);
    let failed = until >= life.cycles;
    if let Some(last) = erases.last_mut()
        && !failed
    {
        last.lines += 1.0;
    }
    LatencyHistory {
        programs: of(CyclingOperation::Program),
        erases,
        cycles: until.min(life.cycles),
        failed,
    }
}

/// The answer as the program prints it.
fn printed(block: u64, health: &BlockHealth, cycles: u64, kin: &Kin) -> Vec<f64> {
    let verdicts = [
        HealthVerdict::Unknown,
        HealthVerdict::Healthy,
        HealthVerdict::Watch,
        HealthVerdict::Retire,
        HealthVerdict::Failed,
    ];
    let verdict = verdicts.iter().position(|one| *one == health.verdict);
    let none = f64::NAN;
    let (mut operation, mut failed_blocks, mut beyond, mut ratio) = (0, 0, 0, none);
    let mut share = None;
    let reason = match &health.found {
        Err(NoTrend::Missing) => 1,
        Err(NoTrend::Late) => 2,
        Err(NoTrend::Still) => 3,
        Ok(found) => {
            operation = if found.channel == Channel::Erase {
                4
            } else {
                3
            };
            failed_blocks = kin.of(found.channel).ends.len();
            (beyond, ratio) = (i32::from(found.beyond), found.ratio);
            share = (!health.is_young()).then_some(found.share);
            if health.is_young() { 4 } else { 0 }
        }
    };
    let mut shares = share.map_or([none; 3], |band| [band.low, band.median, band.high]);
    let mut reason = reason;
    if health.verdict == HealthVerdict::Failed {
        (shares, reason) = ([1.0; 3], 0);
    }
    let left = |share| Prediction::left(cycles, share).round();
    let mut all = vec![block as f64, verdict.expect("one of them") as f64];
    all.extend([f64::from(reason), cycles as f64, f64::from(operation)]);
    all.extend([failed_blocks as f64, f64::from(beyond), ratio]);
    all.extend(shares);
    all.extend([shares[2], shares[1], shares[0]].map(left));
    all
}

#[test]
fn the_health_of_blocks_in_c_is_that_of_wordline_wear() {
    let Some(program) = compiled("health.c", &["-std=c99", "-O1"], true) else {
        return;
    };
    let told: Vec<Vec<f64>> = run(&program)
        .lines()
        .map(|line| {
            let numbers = line.split(' ').map(|number| number.parse::<f64>());
            numbers.map(|number| number.expect("a number")).collect()
        })
        .collect();
    let log = fs::File::open(here(LOG)).expect("it comes with the sources");
    let log = CyclingLog::read(std::io::BufReader::new(log)).expect("sound");
    let life = |block| {
        let mut blocks = log.blocks.iter();
        blocks.find(|life| life.block == block).expect("logged")
    };
    let trained = Trained::stored();
    // The block, its cycles, and the other block as far as it had come.
    let looks = [(215, 1), (215, 300), (215, 1200), (215, 3000), (215, 9300)];
    let looks = looks.into_iter().chain([(215, 12_000), (215, u64::MAX)]);
    let expected: Vec<Vec<f64>> = looks
        .chain([(233, 12_000), (215, 12_000)])
        .map(|(block, until)| {
            let own = history(life(block), until);
            let failed = history(life(215), u64::MAX);
            let chip = match block {
                233 => vec![&failed, &own],
                _ => vec![&own],
            };
            let kin = Kin::of_chip(&chip);
            printed(
                block,
                &BlockHealth::of(trained, &own, &kin),
                own.cycles,
                &kin,
            )
        })
        .collect();
    let same = |one: &[f64], other: &[f64]| {
        let bits = |all: &[f64]| -> Vec<u64> {
            let plain = all
                .iter()
                .map(|one| if one.is_nan() { f64::NAN } else { *one });
            plain.map(f64::to_bits).collect()
        };
        bits(one) == bits(other)
    };
    for (told, expected) in told[1..].iter().zip(&expected) {
        assert!(same(told, expected), "{told:?}\n{expected:?}");
    }
    assert_eq!(told.len(), expected.len() + 3);
    // What these looks are worth: one is young, one has numbers, one failed, one rests on the block that failed.
    assert_eq!((told[2][2], told[4][2], told[7][1]), (4.0, 0.0, 4.0));
    assert_eq!((told[8][5], told[6][5]), (1.0, 0.0));
    // Nothing known, before the first cycle and of another block; and a block that is first seen late.
    assert_eq!((told[0][1], told[0][2]), (0.0, 1.0));
    assert_eq!((told[10][0], told[10][2]), (0.0, 1.0));
    assert_eq!((told[11][0], told[11][3]), (1.0, 5003.0));
    if let Some(program) = compiled("health.c", &SANITIZERS, false) {
        run(&program);
    }
}
