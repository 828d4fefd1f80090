//! What a fit cannot say, and what the fitted part does not do.

use wordline_core::ResultSet;
use wordline_core::quantity::human;

use super::anatomy::{Anatomy, Level, STALL};
use crate::warning::LabWarning;

/// Stalls that a tail can be fitted to.
const STALLS_MIN: usize = 20;

/// Share of the time below which a level does not matter, unless it stalls.
const SHARE_MIN: f64 = 0.02;

/// Durations of one kind differ by less than this factor.
const ALIKE: f64 = 1.6;

/// Numbers of one kind of access differ by less than this factor.
const AS_OFTEN: f64 = 3.0;

/// A pause share from which the card had time of its own.
const PAUSED: f64 = 0.05;

/// What the fitted half does not show.
pub(crate) fn warn_of_log(file: &str, log: &Anatomy, document: &mut ResultSet) {
    if log.stalls == 0 {
        document.warn(LabWarning::NoStalls {
            file: &file,
            times: &STALL,
        });
    } else if log.stalls < STALLS_MIN {
        document.warn(LabWarning::FewStalls {
            file: &file,
            stalls: &log.stalls,
            percent: &(100.0 / (log.stalls as f64).sqrt()),
        });
    }
    if log.pause_share < PAUSED {
        document.warn(LabWarning::NoPauses { file: &file });
    }
}

/// What the log has and the fitted part has not, and the other way round.
pub(crate) fn warn_of_fit(id: &str, log: &Anatomy, fitted: &Anatomy, document: &mut ResultSet) {
    for level in missing(log, fitted) {
        document.warn(LabWarning::LevelMissing {
            level: &told(level, log),
            id: &id,
        });
    }
    for level in missing(fitted, log) {
        document.warn(LabWarning::LevelAdded {
            id: &id,
            level: &told(level, fitted),
        });
    }
}

/// Levels of one that matter and that the other has not.
fn missing<'a>(one: &'a Anatomy, other: &'a Anatomy) -> impl Iterator<Item = &'a Level> {
    one.levels.iter().filter(move |level| {
        let stalls = level.median >= STALL * one.ordinary;
        let matters = level.time_share >= SHARE_MIN || stalls && level.count >= STALLS_MIN;
        let alike = other.levels.iter().any(|twin| {
            let near = level.median / ALIKE <= twin.most && level.median * ALIKE >= twin.least;
            let often = level.spacing / twin.spacing;
            near && (1.0 / AS_OFTEN..AS_OFTEN).contains(&often)
        });
        matters && !alike
    })
}

/// A level in words: "stalls of about 40.0 ms, one in 500 writes, evenly, 14 % of the time".
fn told(level: &Level, of: &Anatomy) -> String {
    let what = if level.median >= STALL * of.ordinary {
        "stalls"
    } else {
        "writes"
    };
    let order = match level.unevenness {
        even if even < 0.3 => "like a clock",
        random if random < 2.0 => "at random",
        _ => "in groups",
    };
    format!(
        "{what} of about {}, one in {} writes, {order}, {} % of the time",
        human(level.median, "s", 3),
        human(level.spacing.max(1.0), "1", 3),
        human(100.0 * level.time_share, "1", 2)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(median: f64, spacing: f64, time_share: f64) -> Level {
        Level {
            least: median * 0.9,
            most: median * 1.1,
            median,
            count: (10_000.0 / spacing) as usize,
            time_share,
            spacing,
            unevenness: 0.1,
        }
    }

    fn anatomy(levels: Vec<Level>) -> Anatomy {
        Anatomy {
            accesses: 10_000,
            ordinary: levels[0].median,
            quick: levels[0].median,
            mean: levels[0].median,
            body: levels[0].median,
            stalls: 0,
            stall_time_share: 0.0,
            stall_mean: 0.0,
            pause_share: 0.0,
            levels,
        }
    }

    #[test]
    fn a_kind_of_stall_that_one_side_lacks_is_named() {
        let log = anatomy(vec![level(1e-3, 1.01, 0.8), level(0.04, 100.0, 0.2)]);
        let alike = anatomy(vec![level(1.2e-3, 1.0, 0.75), level(0.05, 120.0, 0.25)]);
        let flat = anatomy(vec![level(1.1e-3, 1.0, 1.0)]);
        assert_eq!(missing(&log, &alike).count(), 0);
        let found: Vec<_> = missing(&log, &flat).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            told(found[0], &log),
            "stalls of about 40.0 ms, one in 100 writes, like a clock, 20 % of the time"
        );
        assert_eq!(missing(&flat, &log).count(), 0);
    }
}
