//! The training: virtual chips that live and die, and what their latencies had in common.
//!
//! `UPDATE_TRAINED=1 cargo test -p wordline-lab --lib health::train` writes `trained.toml` again.

use std::fs;

use wordline_catalog::Catalog;
use wordline_nvm::NvmError;
use wordline_nvm::ageing::health::{
    Channel, LatencyHistory, LatencyLaw, OperationBaseline, Trained, Trend, trend,
};

use super::family::{Family, FamilyKind, base};
use super::history::history;

/// What is drawn follows from it.
const SEED: u64 = 2009;

const FAMILIES: u64 = 48;
const CHIPS: u64 = 3;

/// Shares of life at which a block is looked at.
const SHARES: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Up to here a slope matters; later, what is left of the error is the level's.
const LATE: f64 = 0.9;

fn lives() -> Vec<Vec<LatencyHistory>> {
    let catalog = Catalog::load(&[]).expect("the embedded catalogue");
    let base = base(&catalog).expect("a part of it");
    let families = (0..FAMILIES).map(|number| {
        let family = Family::draw(&base, FamilyKind::Training, SEED, number);
        let lives = family.lives(&base, SEED, CHIPS, 1)?;
        Ok(lives.iter().map(history).collect())
    });
    let families: Result<_, NvmError> = families.collect();
    families.expect("chips that age")
}

/// A look at a block: share of life used, the excess at its end, and its trend.
struct Look {
    share: f64,
    end: f64,
    trend: Trend,
}

fn looks(lives: &[Vec<LatencyHistory>], channel: Channel) -> Vec<Look> {
    let known = OperationBaseline::default();
    let mut looks = Vec::new();
    for life in lives.iter().flatten() {
        let Some(end) = life.end(channel, &known) else {
            continue;
        };
        for share in SHARES {
            let until = (life.cycles as f64 * share) as u64;
            if let Ok(trend) = trend(life, channel, until, &known) {
                looks.push(Look { share, end, trend });
            }
        }
    }
    looks
}

/// The median and the standard deviation that 90 % of the values would have, were they normal.
fn spread(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |part: f64| values[(part * (values.len() - 1) as f64).round() as usize];
    (at(0.5), (at(0.95) - at(0.05)) / (2.0 * 1.6449))
}

fn law(lives: &[Vec<LatencyHistory>], channel: Channel) -> LatencyLaw {
    let looks = looks(lives, channel);
    let own = looks
        .iter()
        .filter_map(|look| look.trend.slope.map(|(slope, _)| slope));
    let (slope, slope_spread) = spread(own.collect());
    let mut ends: Vec<f64> = lives
        .iter()
        .filter_map(|family| family[0].end(channel, &OperationBaseline::default()))
        .collect();
    ends.sort_by(f64::total_cmp);
    let mut law = LatencyLaw {
        slope,
        slope_spread,
        bend: 0.0,
        bend_spread: 0.0,
        end_spread: spread(ends.iter().copied().map(libm::log).collect()).1,
        ends,
    };
    let left = |look: &Look| libm::log(look.end) - look.trend.level;
    let early = looks.iter().filter(|look| look.share < LATE);
    let bends = early.map(|look| left(look) / -libm::log(look.share) - law.slope_of(&look.trend));
    let (bend, spread_of_bends) = spread(bends.collect());
    // Families with other exponents may bend not at all, or twice as much.
    (law.bend, law.bend_spread) = (bend, libm::hypot(spread_of_bends, bend));
    law
}

fn trained() -> Trained {
    let lives = lives();
    Trained {
        erase: law(&lives, Channel::Erase),
        program: law(&lives, Channel::Program),
    }
}

#[test]
fn the_file_holds_what_the_training_finds() {
    let found = trained();
    if std::env::var_os("UPDATE_TRAINED").is_some() {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../nvm/src/ageing/health/trained.toml"
        );
        let text = toml::to_string(&found).expect("plain numbers");
        let head = "# What the latency of virtual chips has in common: train.rs finds it, and law.rs says what each \
                    figure is.\n# UPDATE_TRAINED=1 cargo test -p wordline-lab --lib health::train writes it again.\n\n";
        fs::write(file, format!("{head}{text}")).expect("the source folder can be written");
        return;
    }
    assert_eq!(&found, Trained::stored());
}
