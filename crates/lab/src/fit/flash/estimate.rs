//! From the lives of blocks to figures with intervals.

use std::collections::BTreeMap;

use wordline_nvm::ageing::AgeingSheet;
use wordline_trace::cycling::{BlockLife, CyclingOperation};

use super::growth::{GrowthFit, GrowthPoint};
use super::growth_task::{LOOPS, law_figures};
use super::law::{Early, FittedLaw, LawInterval, LawSample, Strength, WearLaw, fit as fit_law};
use super::lives::{Block, Hazard, LifeFit, LifePages, LifePoint, Lives, NO_SPREAD, SharedLives};
use super::part::FlashPart;
use super::pulses::{PulseChange, Pulses, Series};
use super::statistics::{
    MEDIAN_DEVIATION, NORMAL, TAIL, chi_squared, crossing, mean, median, share, student,
};
use crate::warning::LeftOpen;

/// Blocks of known strength that the lives rest on at least.
const KNOWN_MIN: usize = 5;

/// Loops that are added over life at least, to determine the three figures of the law.
const LOOPS_MIN: usize = 4;

/// Chips at least, to show how they differ.
const CHIPS_MIN: usize = 3;

/// A block is weak where its life lies below the median of its chip by this many robust standard deviations of the logarithm.
const WEAK: f64 = 6.0;

/// Share of the blocks whose pulses may be counted wrongly.
const FEW: f64 = 0.1;

/// Standard errors, and parts of it, within which a page's strength is the life of its block.
const ALIKE: f64 = 3.0;
const ALIKE_PART: f64 = 1e-3;

/// Standard error of the median of normals, as a multiple of that of their mean.
const MEDIAN_ERROR: f64 = 1.253_314;

/// Counts at which the median erase of blocks that did not fail is taken, and the decades below the last that they lie in.
const GRID: u32 = 12;
const GRID_DECADES: f64 = 3.0;

/// Cycles over which a sheet's typical column is the mean.
pub(super) const MEAN_CYCLES: u64 = 10_000;

/// What was found of a sheet's figures, and what was not.
#[derive(Clone, Debug, Default)]
pub(super) struct EstimateFindings {
    /// Name of a figure of the table aging, its value, and whether it is a whole number.
    pub(super) ageing: Vec<(&'static str, LawInterval, Whole)>,
    /// What the figures of the median block may be together, at each end of the intervals of what lives show.
    pub(super) ends: Vec<Vec<(&'static str, f64)>>,
    /// Which blocks are weak, as far as their lives show.
    pub(super) weak: Vec<bool>,
    /// A fresh program and erase, and a read, in seconds.
    pub(super) program: Option<Latency>,
    pub(super) erase: Option<Latency>,
    pub(super) read: Option<Latency>,
    /// Figures that the log leaves open, and why.
    pub(super) open: Vec<(&'static str, LeftOpen)>,
    pub(super) chips: usize,
}

/// How a figure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// As a whole number.
    Yes,
    /// As a whole number that is chosen, and not fitted.
    Choice,
    /// With a point.
    No,
    /// As whole cycles.
    Cycles,
}

/// A duration that was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Latency {
    pub(super) interval: LawInterval,
    pub(super) of: LatencyOf,
    /// The longest up to the rated cycles.
    pub(super) longest: f64,
}

/// What a duration was seen of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LatencyOf {
    /// Fresh operations, which are alike in all chips.
    Fresh,
    /// The mean over the first cycles of chips enough: its interval holds how chips differ.
    Chips,
    /// The mean over the first cycles of chips too few to show how others differ.
    TheseChips,
}

impl EstimateFindings {
    fn add(&mut self, name: &'static str, interval: LawInterval, whole: Whole) {
        self.ageing.push((name, interval, whole));
    }

    fn add_count(&mut self, name: &'static str, count: u32) {
        self.add(name, exactly(f64::from(count)), Whole::Yes);
    }

    fn leave(&mut self, names: &[&'static str], why: &LeftOpen) {
        let left = names.iter().map(|name| (*name, why.clone()));
        self.open.extend(left);
    }

    /// The value of a figure that was found.
    pub(super) fn value(&self, name: &str) -> Option<LawInterval> {
        let mut found = self.ageing.iter();
        found.find(|one| one.0 == name).map(|one| one.1)
    }
}

const fn exactly(value: f64) -> LawInterval {
    LawInterval {
        value,
        least: value,
        most: value,
    }
}

/// What some blocks show of a part.
pub(super) fn estimate(part: &FlashPart<'_>, lives: &[&BlockLife]) -> EstimateFindings {
    let series = |operation| -> Vec<Series> {
        let of = |life: &&BlockLife| {
            let points = life.of(operation);
            points
                .map(|point| (point.cycle, point.duration.ps() as f64 * 1e-12))
                .collect()
        };
        lives.iter().map(of).collect()
    };
    let programs = series(CyclingOperation::Program);
    let erases = series(CyclingOperation::Erase);
    let mut findings = EstimateFindings {
        chips: chips(lives).len(),
        ..EstimateFindings::default()
    };
    // Lines of several pages of a block cannot be distinguished.
    let single = part.usage.programmed <= 1.0;
    let program = Pulses::of(&programs, false).filter(|_| single);
    let erase = Pulses::of(&erases, true);
    let law = loops(part, lives, erase.as_ref(), &mut findings);
    let slowing = law.is_none().then(|| slowing(lives, &erases)).flatten();
    if let Some(fit) = &slowing {
        let life = part.ageing.endurance.nominal().count().max(1) as f64;
        let loops = erase.as_ref().map_or(LOOPS, |erase| erase.fresh);
        let chips = NORMAL * chips_error(part.ageing, findings.chips);
        for (name, mut interval) in law_figures(fit, 0, loops, life) {
            if name == "erase_doubling" {
                // The median chip may be as far from the mean of these as the base says that chips spread.
                let LawInterval { value, least, most } = interval;
                let [down, up] =
                    [value / least, most / value].map(|one| libm::hypot(libm::log(one), chips));
                interval.least = value * libm::exp(-down);
                interval.most = value * libm::exp(up);
            }
            let whole = match name {
                "erase_loops" | "erase_loops_last" => Whole::Choice,
                _ => Whole::No,
            };
            findings.open.retain(|(open, _)| *open != name);
            findings.add(name, interval, whole);
        }
    }
    let strengths = strengths(lives, erase.as_ref(), law.as_ref());
    let own = pages(
        part,
        lives,
        program.as_ref(),
        law.as_ref(),
        &strengths,
        &mut findings,
    );
    spread(part, lives, &strengths, own.as_deref(), &mut findings);
    // The model ties fresh operations to the typical ones by pulses and their law; where these are not known, so is not
    // how.
    let program = program.filter(|_| findings.value("program_pulses").is_some());
    let erase = erase.filter(|_| law.is_some());
    findings.program = latency(
        &programs,
        program.as_ref(),
        lives,
        &findings.weak,
        part.rated,
    );
    findings.erase = latency(&erases, erase.as_ref(), lives, &findings.weak, part.rated);
    if let (Some(fit), Some(latency)) = (&slowing, &mut findings.erase) {
        latency.interval = fit.at(0, 0.0);
        latency.of = LatencyOf::Fresh;
    }
    let reads = series(CyclingOperation::Read);
    // Reads do not age, so that weak blocks show them like others.
    findings.read = latency(&reads, None, lives, &[], part.rated);
    findings.leave(
        &["cold_stress", "dwell_relief"],
        &LeftOpen::NoOtherConditions,
    );
    findings.leave(
        &[
            "program_disturb",
            "read_disturb",
            "retention_errors",
            "retention_energy",
        ],
        &LeftOpen::NoBitErrors,
    );
    findings
}

/// The chips in the order of their names.
fn chips(lives: &[&BlockLife]) -> BTreeMap<String, usize> {
    let mut names: Vec<&str> = lives.iter().map(|life| life.chip.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let places = names.into_iter().zip(0..);
    places
        .map(|(name, place)| (name.to_owned(), place))
        .collect()
}

/// How long a fresh operation takes, by its pulses; or the mean over the first cycles, where these are not known.
fn latency(
    series: &[Series],
    pulses: Option<&Pulses>,
    lives: &[&BlockLife],
    weak: &[bool],
    rated: u64,
) -> Option<Latency> {
    let within = |(cycle, _): &&(u64, f64)| *cycle <= rated.max(1);
    let seen = series.iter().flat_map(|one| one.iter().filter(within));
    let longest = seen.map(|(_, seconds)| *seconds).fold(0.0, f64::max);
    if let Some(pulses) = pulses {
        let count = f64::from(pulses.fresh);
        let (value, reach) = (pulses.unit * count, NORMAL * pulses.unit_error * count);
        return Some(Latency {
            interval: LawInterval {
                value,
                least: value - reach,
                most: value + reach,
            },
            of: LatencyOf::Fresh,
            longest,
        });
    }
    let mut means: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (place, (one, life)) in series.iter().zip(lives).enumerate() {
        // A sheet speaks of the median block of those that are not weak.
        if weak.get(place) == Some(&true) {
            continue;
        }
        if let Some(mean) = first_mean(one, life.cycles) {
            means.entry(&life.chip).or_default().push(mean);
        }
    }
    let means: Vec<Vec<f64>> = means.into_values().collect();
    Some(Latency {
        interval: middle(&means)?,
        of: if means.len() < CHIPS_MIN {
            LatencyOf::TheseChips
        } else {
            LatencyOf::Chips
        },
        longest,
    })
}

/// The middle of what the blocks of some chips have. Medians, because a sheet speaks of the median block: with their scatter where there are chips enough, else by the order of the blocks.
pub(super) fn middle(chips: &[Vec<f64>]) -> Option<LawInterval> {
    if chips.len() >= CHIPS_MIN {
        let medians: Vec<f64> = chips.iter().map(|one| median(one)).collect();
        let (value, error) = mean(&medians);
        let reach = student((medians.len() - 1) as f64) * error;
        return Some(LawInterval {
            value,
            least: value - reach,
            most: value + reach,
        });
    }
    let mut all: Vec<f64> = chips.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let (count, half) = (all.len() as f64, 0.5 * NORMAL * (all.len() as f64).sqrt());
    let last = all.len().checked_sub(1)?;
    Some(LawInterval {
        value: median(&all),
        least: all[(0.5 * count - half).floor().max(0.0) as usize],
        most: all[((0.5 * count + half).ceil() as usize).min(last)],
    })
}

/// Mean over the first cycles of a block that went through `cycles`, where a duration holds until the next.
pub(super) fn first_mean(series: &Series, cycles: u64) -> Option<f64> {
    let end = cycles.min(MEAN_CYCLES) + 1;
    let (mut sum, mut count) = (0.0, 0.0);
    for (place, (cycle, seconds)) in series.iter().enumerate() {
        // Where a cycle has several lines each counts once for it.
        let next = series.get(place + 1).map_or(end, |(next, _)| *next);
        let held = next.min(end).saturating_sub(*cycle);
        let weight = if *cycle < end {
            held.max(1) as f64
        } else {
            0.0
        };
        sum += weight * seconds;
        count += weight;
    }
    (count > 0.0).then(|| sum / count)
}

/// Loops of erases, and the law of wear that they show.
fn loops(
    part: &FlashPart<'_>,
    lives: &[&BlockLife],
    erase: Option<&Pulses>,
    findings: &mut EstimateFindings,
) -> Option<(WearLaw, u32)> {
    const COUNTS: [&str; 2] = ["erase_loops", "erase_loops_last"];
    const LAW: [&str; 3] = ["interface_share", "interface_exponent", "bulk_exponent"];
    let Some(erase) = erase else {
        findings.leave(&COUNTS, &LeftOpen::NoEraseStep);
        findings.leave(&LAW, &LeftOpen::NoEraseStep);
        return None;
    };
    let failed = lives.iter().filter(|life| life.failed.is_some()).count();
    if failed < KNOWN_MIN {
        let why = LeftOpen::FewFailed {
            found: failed,
            least: KNOWN_MIN,
        };
        findings.leave(&COUNTS, &why);
        findings.leave(&LAW, &why);
        return None;
    }
    let most = erase.most();
    findings.add_count(COUNTS[0], erase.fresh);
    findings.add_count(COUNTS[1], erase.fresh + most as u32);
    let seen: Vec<LawSample<'_>> = seen(lives, erase);
    let ageing = part.ageing;
    let start = WearLaw {
        share: *ageing.interface_share.value(),
        interface: *ageing.interface_exponent.value(),
        bulk: *ageing.bulk_exponent.value(),
    };
    let fitted = (most >= LOOPS_MIN).then(|| fit_law(start, &seen, most as u32));
    let Some(FittedLaw { law, intervals }) = fitted.flatten() else {
        findings.leave(&LAW, &LeftOpen::FlatLaw);
        return None;
    };
    for (name, interval) in LAW.into_iter().zip(intervals) {
        findings.add(name, interval, Whole::No);
    }
    Some((law, most as u32))
}

/// The power law by which the erase of the median block grows up to where the first block is given up or fails, which
/// needs no failures. `None` where nothing tells it.
fn slowing(lives: &[&BlockLife], erases: &[Series]) -> Option<GrowthFit> {
    let seen: Vec<&Series> = erases.iter().filter(|one| !one.is_empty()).collect();
    let end = lives
        .iter()
        .map(|life| life.cycles - u64::from(life.failed.is_some()))
        .min()?;
    let mut cycles: Vec<u64> = (0..=GRID)
        .map(|step| {
            let decades = GRID_DECADES * f64::from(step) / f64::from(GRID);
            (end as f64 * libm::pow(10.0, -decades)).round() as u64
        })
        .filter(|count| *count >= 1)
        .collect();
    cycles.reverse();
    cycles.dedup();
    if seen.len() < 2 {
        return None;
    }
    let points = cycles.iter().map(|count| {
        let at = |one: &&Series| {
            // A duration holds until the next.
            let next = one.partition_point(|(cycle, _)| cycle <= count);
            one[next.max(1) - 1].1
        };
        let times: Vec<f64> = seen.iter().map(at).collect();
        let error = MEDIAN_ERROR * mean(&times).1;
        GrowthPoint {
            seconds: median(&times),
            variance: error * error,
        }
    });
    let fit = GrowthFit::of(&cycles, &[points.collect()])?;
    (!fit.is_open()).then_some(fit)
}

fn seen<'a>(lives: &[&BlockLife], erase: &'a Pulses) -> Vec<LawSample<'a>> {
    let blocks = lives.iter().zip(&erase.changes);
    blocks
        .map(|(life, changes)| LawSample {
            changes,
            failed: failed(life),
        })
        .collect()
}

/// Full cycles that a block stood: what failed did so within its cycle.
fn failed(life: &BlockLife) -> Option<f64> {
    life.failed.map(|(cycle, _)| cycle as f64 - 0.5)
}

/// The life of each block: where it failed, or by its loops where it was given up.
fn strengths(
    lives: &[&BlockLife],
    erase: Option<&Pulses>,
    law: Option<&(WearLaw, u32)>,
) -> Vec<EstimateKnown> {
    let (Some(erase), Some((law, count))) = (erase, law) else {
        let by_failure = |life: &&BlockLife| {
            let seen = LawSample {
                changes: &[],
                failed: failed(life),
            };
            EstimateKnown::of(&seen, &[], life.cycles)
        };
        return lives.iter().map(by_failure).collect();
    };
    let shares = law.late(*count);
    let blocks = seen(lives, erase).into_iter().zip(lives);
    blocks
        .map(|(seen, life)| EstimateKnown::of(&seen, &shares, life.cycles))
        .collect()
}

/// A strength, or what it exceeds, in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
enum EstimateKnown {
    At(Strength),
    After(f64),
}

impl EstimateKnown {
    /// What a block shows of its strength in `cycles`, when its steps come at these shares of it. Where no step shows
    /// it, the next one was not reached, after the last one the end was not.
    fn of(seen: &LawSample<'_>, shares: &[f64], cycles: u64) -> Self {
        let next = shares.get(seen.changes.len()).copied().unwrap_or(1.0);
        let after = (cycles as f64).max(1.0) / next;
        seen.strength(shares).map_or(Self::After(after), Self::At)
    }

    fn seen(self) -> Option<f64> {
        match self {
            Self::At(strength) => Some(strength.cycles),
            Self::After(_) => None,
        }
    }

    fn hazard(self, pages: LifePages) -> Hazard {
        let (seen, cycles) = match self {
            Self::At(strength) => (true, strength.cycles),
            Self::After(cycles) => (false, cycles),
        };
        Hazard {
            pages,
            seen,
            ln_life: libm::log(cycles),
        }
    }
}

/// The strength of each block's first page, by the pulses of its programs; `None` where these do not show it.
fn pages(
    part: &FlashPart<'_>,
    lives: &[&BlockLife],
    program: Option<&Pulses>,
    law: Option<&(WearLaw, u32)>,
    strengths: &[EstimateKnown],
    findings: &mut EstimateFindings,
) -> Option<Vec<EstimateKnown>> {
    const FIGURES: [&str; 4] = [
        "program_pulses",
        "program_pulses_early",
        "program_pulses_late",
        "early_cycles",
    ];
    let Some(program) = program else {
        findings.leave(&FIGURES, &LeftOpen::NoProgramStep);
        return None;
    };
    let Some((law, _)) = law else {
        findings.leave(&FIGURES, &LeftOpen::NoLaw);
        return None;
    };
    let mut changes = program.changes.clone();
    let early = Early::take(&mut changes);
    let late = late_pulses(&changes) as u32;
    let shares = law.late(late);
    let own: Vec<EstimateKnown> = lives
        .iter()
        .zip(&changes)
        .map(|(life, changes)| {
            // Where late pulses hide among the early ones, as in a very weak block, it is unknown which of them are
            // yet to come.
            let hide = changes.len() > late as usize;
            let shares = if hide { &[] } else { &shares[..] };
            let seen = LawSample {
                changes,
                failed: None,
            };
            EstimateKnown::of(&seen, shares, life.cycles)
        })
        .collect();
    // In some blocks the first page is the one that fails: only with the right number of late pulses its strength, by
    // them, is then the life of the block, and in no block below it.
    let pairs = || own.iter().zip(strengths).zip(lives);
    let weakest = pairs().filter(|((own, all), life)| life.failed.is_some() && alike(**own, **all));
    let below = pairs().filter(|((own, all), _)| match (own.seen(), all.seen()) {
        (Some(own), Some(all)) => own < 0.97 * all,
        _ => false,
    });
    if weakest.count() == 0 || below.count() * 20 > lives.len() {
        findings.leave(&FIGURES, &LeftOpen::ProgrammedPageLast);
        return None;
    }
    findings.add_count(FIGURES[0], program.fresh);
    findings.add_count(FIGURES[1], early.count);
    findings.add_count(FIGURES[2], late);
    match early.cycles {
        Some(cycles) => findings.add(FIGURES[3], cycles, Whole::No),
        None => findings.leave(&FIGURES[3..], &LeftOpen::NoEarlyPulse),
    }
    (part.usage.pages > 1.0 && part.usage.programmed == 1.0).then_some(own)
}

/// The most pulses that more than a few blocks save late.
fn late_pulses(changes: &[Vec<PulseChange>]) -> usize {
    let mut counts: Vec<usize> = changes.iter().map(Vec::len).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let few = (FEW * counts.len() as f64).ceil() as usize;
    counts.get(few).copied().unwrap_or(0)
}

/// Whether a page's strength is the life of its block.
fn alike(own: EstimateKnown, all: EstimateKnown) -> bool {
    let (EstimateKnown::At(own), EstimateKnown::At(all)) = (own, all) else {
        return false;
    };
    let error = (own.error.powi(2) + all.error.powi(2)).sqrt();
    (own.cycles - all.cycles).abs() <= (ALIKE * error).max(ALIKE_PART * all.cycles)
}

/// How strong blocks are, and how that spreads.
fn spread(
    part: &FlashPart<'_>,
    lives: &[&BlockLife],
    strengths: &[EstimateKnown],
    own: Option<&[EstimateKnown]>,
    findings: &mut EstimateFindings,
) {
    const FIGURES: [&str; 3] = ["endurance", "chip_spread", "block_spread"];
    const WEAKNESS: [&str; 2] = ["weak_share", "weak_strength"];
    const PAGES: [&str; 2] = ["page_shape", "erase_stress"];
    let known: Vec<f64> = strengths
        .iter()
        .filter_map(|one| one.seen())
        .map(libm::log)
        .collect();
    if known.len() < KNOWN_MIN {
        let why = LeftOpen::FewLives {
            found: known.len(),
            least: KNOWN_MIN,
        };
        findings.leave(&FIGURES, &why);
        findings.leave(&WEAKNESS, &why);
        findings.leave(&PAGES, &why);
        return;
    }
    let names = chips(lives);
    let of: Vec<usize> = lives.iter().map(|life| names[&life.chip]).collect();
    let weak = weak(&of, strengths);
    let blocks: Vec<Block> = (0..lives.len())
        .map(|place| Block {
            chip: of[place],
            weak: weak[place],
            hazards: hazards(strengths[place], own.map(|own| own[place])),
        })
        .collect();
    findings.weak.clone_from(&weak);
    let weak_ones = weak.iter().filter(|one| **one).count();
    let mut free = vec![0, 1];
    free.extend(own.map(|_| 2));
    free.extend((weak_ones > 0).then_some(3));
    let ageing = part.ageing;
    let shared = SharedLives {
        spread: libm::log(ageing.block_spread.value().clamp(0.05, 2.0)),
        shape: libm::log(*ageing.page_shape.value()),
        erase: libm::log(*ageing.erase_stress.value()),
        weak: libm::log(*ageing.weak_strength.value()),
    };
    let start = vec![median(&known); names.len()];
    let model = Lives {
        usage: part.usage,
        blocks: &blocks,
        chips: names.len(),
        free,
    };
    let Some(found) = model.fit(shared, start) else {
        let why = LeftOpen::FlatLikelihood;
        findings.leave(&FIGURES, &why);
        findings.leave(&WEAKNESS, &why);
        findings.leave(&PAGES, &why);
        return;
    };
    endurance(part, &found, findings);
    // At its least, a spread is as good as none.
    let least = |interval: &LawInterval| match interval.least {
        ln if ln <= NO_SPREAD => 0.0,
        ln => libm::exp(ln),
    };
    let exp = |interval: &LawInterval| LawInterval {
        value: libm::exp(interval.value),
        least: least(interval),
        most: libm::exp(interval.most),
    };
    let name = |place: usize| {
        [
            "block_spread",
            "page_shape",
            "erase_stress",
            "weak_strength",
        ][place]
    };
    for (place, interval) in model.free.iter().zip(&found.intervals) {
        findings.add(name(*place), exp(interval), Whole::No);
    }
    let together = |end: &LifePoint| -> Vec<(&'static str, f64)> {
        // How far blocks spread, and how weak weak ones are, is nothing to the median block.
        let of_median = model.free.iter().filter(|place| [1, 2].contains(*place));
        let all = of_median.map(|place| (name(*place), libm::exp(end.shared.get(*place))));
        all.chain([("endurance", libm::exp(end.mean()))]).collect()
    };
    findings.ends = found.ends.iter().map(together).collect();
    if own.is_none() {
        findings.leave(&PAGES[1..], &LeftOpen::NoPulsesAndLoops);
    }
    weakness(weak_ones, &weak, *ageing.weak_share.value(), findings);
}

fn hazards(all: EstimateKnown, own: Option<EstimateKnown>) -> Vec<Hazard> {
    let Some(own) = own else {
        return vec![all.hazard(LifePages::All)];
    };
    let (own_life, all_life) = (own.hazard(LifePages::First), all.hazard(LifePages::Others));
    if alike(own, all) {
        // The first page failed first; the others would have stood longer.
        return vec![
            Hazard {
                ln_life: all_life.ln_life,
                ..own_life
            },
            Hazard {
                seen: false,
                ..all_life
            },
        ];
    }
    // A page that was not seen to weaken stands at least as long as its block.
    let ln_life = own_life.ln_life.max(all_life.ln_life);
    let own_life = if own_life.seen {
        own_life
    } else {
        Hazard {
            ln_life,
            ..own_life
        }
    };
    vec![own_life, all_life]
}

/// The blocks that are far weaker than the median one of their chip: chips differ as well, and what they differ by would
/// hide weak blocks.
fn weak(chip_of: &[usize], strengths: &[EstimateKnown]) -> Vec<bool> {
    let known = |chip: Option<usize>| -> Vec<f64> {
        let pairs = strengths.iter().zip(chip_of);
        pairs
            .filter(|(_, of)| chip.is_none_or(|chip| chip == **of))
            .filter_map(|(one, _)| one.seen().map(libm::log))
            .collect()
    };
    let all = median(&known(None));
    let chips = chip_of.iter().max().map_or(0, |last| last + 1);
    let middles: Vec<f64> = (0..chips)
        .map(|chip| Some(known(Some(chip))).filter(|known| known.len() >= KNOWN_MIN))
        .map(|known| known.map_or(all, |known| median(&known)))
        .collect();
    let below: Vec<Option<f64>> = strengths
        .iter()
        .zip(chip_of)
        .map(|(one, chip)| one.seen().map(|life| middles[*chip] - libm::log(life)))
        .collect();
    let apart: Vec<f64> = below.iter().flatten().map(|one| one.abs()).collect();
    let border = WEAK * median(&apart) / MEDIAN_DEVIATION;
    let is_weak = |below: &Option<f64>| below.is_some_and(|below| below > border);
    below.iter().map(is_weak).collect()
}

fn weakness(count: usize, weak: &[bool], assumed: f64, findings: &mut EstimateFindings) {
    let (least, most) = share(count, weak.len());
    if count == 0 && assumed <= most {
        let why = LeftOpen::NoneWeak {
            of: weak.len(),
            percent: 100.0 * most,
        };
        findings.leave(&["weak_share", "weak_strength"], &why);
        return;
    }
    let value = count as f64 / weak.len().max(1) as f64;
    let interval = LawInterval { value, least, most };
    findings.add("weak_share", interval, Whole::No);
    if count == 0 {
        findings.leave(&["weak_strength"], &LeftOpen::NoWeakBlock);
    }
}

/// Standard error of the logarithm of the median chip's endurance, of which the mean of a few chips is known: what is
/// not known of the other chips is as wide as the base says that chips spread.
pub(super) fn chips_error(base: &AgeingSheet, chips: usize) -> f64 {
    base.chip_spread.value() / (chips as f64).sqrt()
}

/// The endurance of the median chip, and how chips spread.
fn endurance(part: &FlashPart<'_>, found: &LifeFit, findings: &mut EstimateFindings) {
    let chips = &found.best.chips;
    let count = chips.len() as f64;
    if chips.len() < CHIPS_MIN {
        let value = chips.iter().sum::<f64>() / count;
        let own = found.own.iter().sum::<f64>() / (count * count);
        let reach = NORMAL * libm::hypot(own.sqrt(), chips_error(part.ageing, chips.len()));
        findings.add(
            "endurance",
            around(value, reach, found.common),
            Whole::Cycles,
        );
        let why = LeftOpen::FewChips {
            found: chips.len(),
            least: CHIPS_MIN,
        };
        findings.leave(&["chip_spread"], &why);
        return;
    }
    // Chips differ by a normal of unknown variance on top of what is not known of each: the variance of Paule and
    // Mandel (1982), its interval by Viechtbauer's Q profile (2007), the mean's by Hartung and Knapp (2001).
    let weighted = |variance: f64| {
        let weights: Vec<f64> = found.own.iter().map(|own| 1.0 / (own + variance)).collect();
        let all: f64 = weights.iter().sum();
        let mean = weights
            .iter()
            .zip(chips)
            .map(|(weight, chip)| weight * chip)
            .sum::<f64>()
            / all;
        let q: f64 = weights
            .iter()
            .zip(chips)
            .map(|(weight, chip)| weight * (chip - mean).powi(2))
            .sum();
        (mean, q, all)
    };
    let freedom = count - 1.0;
    // Q falls as the variance grows.
    let variance = |target: f64| {
        if weighted(0.0).1 <= target {
            0.0
        } else {
            crossing(|one| -weighted(one).1, -target, 0.0, 100.0)
        }
    };
    let spread = LawInterval {
        value: variance(freedom).sqrt(),
        least: variance(chi_squared(freedom, 1.0 - TAIL)).sqrt(),
        most: variance(chi_squared(freedom, TAIL)).sqrt(),
    };
    findings.add("chip_spread", spread, Whole::No);
    let (mean, q, all) = weighted(spread.value.powi(2));
    let reach = student(freedom) * (q.max(freedom) / freedom / all).sqrt();
    let endurance = around(mean, reach, found.common);
    findings.add("endurance", endurance, Whole::Cycles);
}

/// An interval by a reach on both sides, and by another of its own on each.
fn around(ln_value: f64, reach: f64, more: [f64; 2]) -> LawInterval {
    let [down, up] = more.map(|more| libm::hypot(reach, more));
    LawInterval {
        value: libm::exp(ln_value),
        least: libm::exp(ln_value - down),
        most: libm::exp(ln_value + up),
    }
}

#[cfg(test)]
mod tests {
    use super::super::pulses::PulseChange;
    use super::*;

    #[test]
    fn a_step_that_was_not_taken_bounds_a_strength_from_below() {
        let known = |changes: &[PulseChange], shares: &[f64]| {
            let seen = LawSample {
                changes,
                failed: None,
            };
            EstimateKnown::of(&seen, shares, 1000)
        };
        let wide = [PulseChange {
            after: 0.0,
            by: 900.0,
        }];
        let shares = [0.1, 0.5];
        assert_eq!(known(&[], &shares), EstimateKnown::After(10_000.0));
        assert_eq!(known(&wide, &shares), EstimateKnown::After(2000.0));
        // Whether steps are yet to come is not known.
        assert_eq!(known(&wide, &[]), EstimateKnown::After(1000.0));
    }
}
