//! The limits of a study, as people name them, and what helps against each.

use wordline_core::results::{UnprovenLimit, Verdict};
use wordline_core::{Better, Metric, Timing};

use super::RankedCandidate;
use crate::tabulate::NOTHING;
use crate::text;

/// A limit in words.
pub(crate) struct Limit {
    /// As documents spell it.
    name: &'static str,
    /// As sentences call it.
    pub(crate) words: &'static str,
    /// What helps a candidate that fails by it.
    pub(crate) advice: &'static str,
}

macro_rules! limits {
    ($($name:literal $words:literal $advice:literal;)*) => {
        /// Every limit that this version knows. Others are called as the document spells them.
        const LIMITS: &[Limit] = &[$(Limit { name: $name, words: $words, advice: $advice },)*];
    };
}

limits! {
    "ram" "RAM" "Allow more RAM, or choose a lower rate or smaller records.";
    "latency" "worst access" "Allow slower accesses, or choose smaller records.";
    "lifetime" "lifetime" "Spread the writes over more memory, write less, or accept a shorter life.";
    "energy" "energy a day" "Write larger records, which share the cost of an access, or write less.";
    "risk" "bytes at risk" "Choose smaller records, or hold the supply up until RAM is written.";
    "holdup" "hold-up" "Allow a larger capacitor, or keep less in RAM.";
    "cost" "cost" "Allow a higher price, or keep less data so that fewer chips do.";
    "capacity" "capacity" "Keep less data, or allow more chips.";
    "fit" "fit to the board" "Choose a board with the bus and the supply that the part needs.";
    "in_turn" "chips in turn" "A memory that does not erase gains nothing from a second chip in turn: take one.";
    "translation" "translation layer" "The part needs a translation layer for this work: allow one, or write in order.";
    "rate" "input rate" "Choose a lower input rate, or larger records where that speeds the memory up.";
}

impl Limit {
    pub(crate) fn of(verdict: &Verdict) -> Option<&'static Self> {
        LIMITS.iter().find(|limit| limit.name == verdict.limit)
    }

    /// Every limit: as documents spell it, and as sentences call it.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
        LIMITS.iter().map(|limit| (limit.name, limit.words))
    }

    /// Whether the limit is a number: what does not fit at all has none.
    pub(crate) fn is_number(verdict: &Verdict) -> bool {
        verdict.value.is_some() || !matches!(&*verdict.limit, "fit" | "translation" | "in_turn")
    }

    /// As sentences call it.
    pub(crate) fn words(verdict: &Verdict) -> String {
        Self::named(&verdict.limit)
    }

    /// As sentences call a limit that documents spell so.
    pub(crate) fn named(name: &str) -> String {
        let known = LIMITS.iter().find(|limit| limit.name == name);
        known.map_or_else(|| text::words(name), |limit| limit.words.to_owned())
    }
}

/// What is proven of the metric that decides: "at most 2.25 s".
pub(crate) fn proven(verdict: &Verdict) -> Option<String> {
    let unproven = verdict.unproven.iter();
    let mut unbounded = unproven.filter(|open| open.bound.is_none());
    match verdict.bound {
        Some(bound) => Some(at_worst(verdict.metric, bound)),
        None => unbounded
            .any(|open| open.limit == verdict.limit)
            .then(|| "no bound".to_owned()),
    }
}

/// What is proven of a limit that was kept in simulation alone: "worst access is proven only below 2.25 s".
pub(crate) fn only(unproven: &UnprovenLimit) -> String {
    let words = Limit::named(&unproven.limit);
    let Some(bound) = unproven.bound else {
        return format!("no amount of {words} is proven to be enough");
    };
    let side = match unproven.metric.info().better {
        Better::Higher => "up to",
        Better::Lower | Better::Neither => "below",
    };
    let bound = super::number(unproven.metric, bound);
    format!("{words} is proven only {side} {bound}")
}

/// "RAM: 24 KiB, at most 16 KiB allowed (-50 %)".
pub(crate) fn against(candidate: &RankedCandidate<'_, '_>, verdict: &Verdict) -> String {
    let words = Limit::words(verdict);
    if !Limit::is_number(verdict) {
        return words;
    }
    let reached = match candidate.reached(verdict) {
        reached if reached == NOTHING => "no value".to_owned(),
        reached => reached,
    };
    let proven = proven(verdict).map_or_else(String::new, |bound| format!(" (proven: {bound})"));
    let allowed = allowed(verdict);
    let margin = super::margin(verdict).map_or_else(String::new, |margin| format!(" ({margin})"));
    format!("{words}: {reached}{proven}, {allowed} allowed{margin}")
}

/// The most or the least that is allowed: "at most 16 KiB".
pub(crate) fn allowed(verdict: &Verdict) -> String {
    at_worst(verdict.metric, verdict.allowed)
}

/// The same in a sentence: "at most 16 KiB allowed", "at least 500 KB/s needed".
pub(crate) fn asked(verdict: &Verdict) -> String {
    let word = match verdict.metric.info().better {
        Better::Higher => "needed",
        Better::Lower | Better::Neither => "allowed",
    };
    format!("{} {word}", allowed(verdict))
}

/// A value that a metric is no worse than.
fn at_worst(metric: Metric, value: f64) -> String {
    let side = match metric.info().better {
        Better::Higher => "at least",
        Better::Lower | Better::Neither => "at most",
    };
    format!("{side} {}", super::number(metric, value))
}

/// Timings in a row of words: "at typical timing and at the data sheet's maximum".
pub(crate) fn timings(timings: &[Timing]) -> String {
    let words: Vec<_> = timings.iter().map(|one| text::at_timing(*one)).collect();
    text::list(&words)
}
