//! What the rows of `wordline buffer` say, in plain words: first how much RAM the rates take that the
//! user asked for, then what the memory sustains at all, what is proven, and what is only estimated.

use wordline_core::results::ResultSet;
use wordline_core::{Metric, Timing};

use super::estimates::extrapolations;
use super::{Case, RATE, Run, asked_rates, at, is_unbounded, told_value};
use crate::answer::{IN_WORDS, Told};
use crate::pivot::{Line, Pivot};
use crate::text;

/// The most rates that are told one by one.
const RATES_IN_WORDS: usize = 4;

/// Shares of the sustained rate that are told where the user asked for no rate.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];

/// Amounts of RAM in bytes that are told where the user asked for no rate.
const AMOUNTS: [f64; 2] = [16_384.0, 65_536.0];

pub(crate) fn told(document: &ResultSet) -> Told {
    let pivot = Pivot::of(document);
    let cases = Case::all_of(&pivot);
    let asked = asked_rates(document);
    if cases.len() > IN_WORDS {
        return Told {
            sentences: ranking(&cases, &asked),
            singly: false,
        };
    }
    let mut sentences = Vec::new();
    for case in &cases {
        for rate in asked.iter().take(RATES_IN_WORDS) {
            let told = need(case, *rate).into_iter();
            let told: Vec<_> = told.chain(estimates(case, *rate)).collect();
            if !told.is_empty() {
                sentences.push(told.join(" "));
            }
        }
        sentences.extend(sustained(case));
        if asked.is_empty() {
            sentences.extend(by_share(case));
            sentences.extend(by_amount(case));
        }
        sentences.extend(slowest(case));
        sentences.extend(extrapolated(case));
        sentences.extend(coverage(case));
    }
    if asked.len() > RATES_IN_WORDS {
        let more = asked.len() - RATES_IN_WORDS;
        sentences.push(format!(
            "The table below has the {more} other rates that were asked for."
        ));
    }
    Told {
        sentences,
        singly: true,
    }
}

/// RAM for whole records that wait, and with the record that is being written: "8 KiB", "12 KiB".
/// Where no whole records were examined, single bytes stand in.
struct Need {
    waiting: String,
    in_flight: Option<String>,
    whole_records: bool,
}

impl Need {
    fn at(
        run: &Run<'_, '_>,
        rate: f64,
        estimate: Option<&str>,
    ) -> Option<Result<Self, Option<f64>>> {
        ["record", "fluid"].into_iter().find_map(|arrival| {
            let line = match estimate {
                None => at(&run.arriving(RATE, arrival), rate),
                Some(estimate) => at(&run.estimated(RATE, arrival, estimate), rate),
            }?;
            Self::of(line, arrival == "record")
        })
    }

    /// How fast the buffer grows, where no RAM is enough.
    fn of(line: &Line<'_>, whole_records: bool) -> Option<Result<Self, Option<f64>>> {
        if is_unbounded(line) {
            return Some(Err(line.number(Metric::GrowthRate)));
        }
        let in_flight = told_value(Some(line), Metric::RamPeakInFlight);
        let waiting = told_value(Some(line), Metric::RamPeak).or_else(|| in_flight.clone())?;
        Some(Ok(Self {
            in_flight: in_flight.filter(|one| *one != waiting),
            waiting,
            whole_records,
        }))
    }
}

/// The end of an access as an adjective: "written".
fn done(case: &Case<'_, '_>) -> &'static str {
    match case.head.operation.as_str() {
        "write" => "written",
        "read" => "read",
        _ => "moved",
    }
}

/// Who: the target; what it does only where it does not write.
fn subject(case: &Case<'_, '_>) -> String {
    let target = &case.head.target;
    match case.head.operation.as_str() {
        "write" => target.clone(),
        other => format!("{target} ({})", text::words(other)),
    }
}

fn growth(rate: Option<f64>) -> String {
    match rate {
        Some(rate) => format!("the buffer grows by {}", text::rate(rate)),
        None => "the buffer grows without end".to_owned(),
    }
}

/// "PART@BOARD needs 8 KiB of RAM at 4.10 MB/s for whole records of 4 KiB that wait (12 KiB with the
/// one being written) at typical timing; at the data sheet's maximum no RAM is enough: …".
fn need(case: &Case<'_, '_>, rate: f64) -> Option<String> {
    let subject = subject(case);
    let at_rate = text::rate(rate);
    let record = case.record();
    let of = if record.is_empty() {
        String::new()
    } else {
        format!(" of {record}")
    };
    let mut clauses: Vec<String> = Vec::new();
    for run in &case.runs {
        let Some(need) = Need::at(run, rate, None) else {
            continue;
        };
        let timing = case.clause(run);
        let first = clauses.is_empty();
        clauses.push(match need {
            Ok(need) if first => {
                let kind = if need.whole_records {
                    format!("whole records{of} that wait")
                } else {
                    "bytes that arrive one by one and wait".to_owned()
                };
                let in_flight = in_flight(case, &need);
                format!(
                    "{subject} needs {} of RAM at {at_rate} for {kind}{in_flight}{timing}",
                    need.waiting
                )
            }
            Ok(need) => {
                let in_flight = in_flight(case, &need);
                format!(
                    "{} it needs {}{in_flight}",
                    timing.trim_start(),
                    need.waiting
                )
            }
            Err(rate) if first => {
                let growth = growth(rate);
                format!(
                    "{subject} cannot keep up with {at_rate}{timing}: no RAM is enough, {growth}"
                )
            }
            Err(rate) => format!("{} no RAM is enough: {}", timing.trim_start(), growth(rate)),
        });
    }
    (!clauses.is_empty()).then(|| clauses.join("; ") + ".")
}

fn in_flight(case: &Case<'_, '_>, need: &Need) -> String {
    let one = if need.whole_records { "one" } else { "ones" };
    let done = done(case);
    need.in_flight.as_ref().map_or_else(String::new, |bytes| {
        format!(" ({bytes} with the {one} being {done})")
    })
}

/// What is proven at a rate, what a rerun needs whose accesses wait, and what a histogram leaves open.
fn estimates(case: &Case<'_, '_>, rate: f64) -> Vec<String> {
    let at_rate = text::rate(rate);
    let clauses = |estimate: &'static str, least: &str| {
        let clauses = case.runs.iter().filter_map(|run| {
            let timing = case.clause(run);
            Some(match Need::at(run, rate, Some(estimate))? {
                Ok(need) => format!("{least}{}{}{timing}", need.waiting, in_flight(case, &need)),
                Err(_) => format!("no bound{timing}"),
            })
        });
        let clauses: Vec<_> = clauses.collect();
        (!clauses.is_empty()).then(|| clauses.join(", "))
    };
    let mut sentences = Vec::new();
    let proven = clauses("bound", "at most ");
    sentences.extend(proven.map(|words| format!("Proven: {words}.")));
    let rerun = clauses("open_loop", "");
    sentences.extend(
        rerun.map(|words| format!("Rerun with accesses that wait for their data: {words}.")),
    );
    if let (Some(least), Some(most)) = (clauses("least", "at least "), clauses("most", "at most "))
    {
        sentences.push(format!(
            "A histogram does not keep the order of accesses, so at {at_rate} the need lies between \
             that of the kindest order and that of the worst: {least}; {most}."
        ));
    }
    sentences
}

/// "The highest rate that any RAM can carry is 4.33 MB/s at typical timing and 2.90 MB/s at …".
fn sustained(case: &Case<'_, '_>) -> Option<String> {
    let rates = case.runs.iter().filter_map(|run| {
        let rate = run.sustained()?;
        Some(format!("{}{}", text::rate(rate), case.clause(run)))
    });
    let rates: Vec<_> = rates.collect();
    let rates: Vec<_> = rates.iter().map(String::as_str).collect();
    let subject = subject(case);
    (!rates.is_empty()).then(|| {
        format!(
            "The highest rate that any RAM can carry for {subject} is {}.",
            text::list(&rates)
        )
    })
}

/// RAM at shares of the sustained rate: each at the next rate above that was examined.
fn by_share(case: &Case<'_, '_>) -> Vec<String> {
    let told = case.runs.iter().filter_map(|run| {
        let sustained = run.sustained().filter(|rate| *rate > 0.0)?;
        let record = run.arriving(RATE, "record");
        let fluid = run.arriving(RATE, "fluid");
        let curve = if record.is_empty() { fluid } else { record };
        let mut rates: Vec<f64> = Vec::new();
        let words = SHARES.iter().filter_map(|share| {
            // A rounding below the share is the share.
            let from = share * sustained * (1.0 - 1e-9);
            let (rate, line) = curve.iter().find(|(rate, _)| *rate >= from)?;
            let told = told_value(Some(line), Metric::RamPeak)?;
            if is_unbounded(line) || rates.contains(rate) {
                return None;
            }
            rates.push(*rate);
            let share = text::percent(rate / sustained, 2);
            Some(format!("{told} at {} ({share})", text::rate(*rate)))
        });
        let words: Vec<_> = words.collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let of = match case.record() {
            record if record.is_empty() => String::new(),
            record => format!(" of {record}"),
        };
        (!words.is_empty()).then(|| {
            format!(
                "Records{of} that wait need{} {}.",
                case.clause(run),
                text::list(&words)
            )
        })
    });
    told.collect()
}

/// The highest rates for some amounts of RAM: those that people ask for where they were examined,
/// else the smallest and the largest.
fn by_amount(case: &Case<'_, '_>) -> Vec<String> {
    let told = case.runs.iter().filter_map(|run| {
        let record = run.arriving("ram_bytes", "record");
        let fluid = run.arriving("ram_bytes", "fluid");
        let curve = if record.is_empty() { fluid } else { record };
        let usual = curve.iter().filter(|(bytes, _)| AMOUNTS.contains(bytes));
        let mut chosen: Vec<_> = usual.collect();
        if chosen.is_empty() {
            chosen = super::thinned(&curve.iter().collect::<Vec<_>>(), AMOUNTS.len());
        }
        let words = chosen.iter().filter_map(|(bytes, line)| {
            let rate = told_value(Some(line), Metric::RateMax)?;
            Some(format!("{rate} with {}", text::ram(*bytes, text::DIGITS)))
        });
        let words: Vec<_> = words.collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let timing = case.clause(run);
        (!words.is_empty())
            .then(|| format!("The highest safe rate{timing} is {}.", text::list(&words)))
    });
    told.collect()
}

/// "The slowest of 16384 accesses takes 9.10 ms at typical timing (proven: at most 12.0 ms), …".
fn slowest(case: &Case<'_, '_>) -> Option<String> {
    let clauses = case.runs.iter().filter_map(|run| {
        let line = run.summary(None)?;
        let latency = line.number(Metric::LatencyMax)?;
        let number = |value| text::number(Metric::LatencyMax, value, text::DIGITS);
        let bound = run.summary(Some("bound"));
        let bound = bound.and_then(|line| line.number(Metric::LatencyMax));
        let bound = bound.map_or_else(String::new, |bound| {
            format!(" (proven: at most {})", number(bound))
        });
        Some((
            line,
            format!("{}{}{bound}", number(latency), case.clause(run)),
        ))
    });
    let clauses: Vec<_> = clauses.collect();
    let (line, _) = clauses.first()?;
    let of = line.number(Metric::AccessCount);
    let of = of.map_or_else(
        || "The slowest access".to_owned(),
        |count| format!("The slowest of {count:.0} accesses"),
    );
    let clauses: Vec<_> = clauses.iter().map(|(_, words)| words.as_str()).collect();
    Some(format!("{of} takes {}.", text::list(&clauses)))
}

/// What was extrapolated over the longest horizon; the table has the shorter ones.
fn extrapolated(case: &Case<'_, '_>) -> Vec<String> {
    let told = case.runs.iter().filter_map(|run| {
        let all = extrapolations(run);
        let longest = all.iter().map(|one| one.horizon_s).fold(0.0, f64::max);
        let of_longest = all.iter().filter(|one| one.horizon_s == longest);
        let words = of_longest.take(RATES_IN_WORDS).map(|one| {
            let interval = one.interval().map_or_else(String::new, |(low, high)| {
                format!(" (between {low} and {high})")
            });
            format!("{} {}{interval}", one.what(), one.level())
        });
        let words: Vec<_> = words.collect();
        let horizon = text::number(Metric::Lifetime, longest, text::DIGITS);
        (!words.is_empty()).then(|| {
            format!(
                "Extrapolated, which is an assumption and no result of a run: to be expected once \
                 in {horizon}{}: {}.",
                case.clause(run),
                words.join("; ")
            )
        })
    });
    told.collect()
}

fn coverage(case: &Case<'_, '_>) -> Option<String> {
    let mut runs = case.runs.iter();
    let share = runs.find_map(|run| run.summary(None)?.number(Metric::Coverage))?;
    let share = text::percent(share, text::DIGITS);
    let target = &case.head.target;
    Some(format!(
        "The durations in {target} account for {share} of its time."
    ))
}

/// Many cases: at each asked rate from the least RAM to the most, then from the fastest to the slowest.
fn ranking(cases: &[Case<'_, '_>], asked: &[f64]) -> Vec<String> {
    // Each case's first column of the data sheet; the tables have the others.
    let timing = cases.first().and_then(|case| case.runs.first());
    let timing = timing.map_or(Timing::Typ, |run| run.timing);
    let at_timing = text::at_timing(timing);
    let mut sentences = Vec::new();
    for rate in asked.iter().take(RATES_IN_WORDS) {
        let at_rate = text::rate(*rate);
        let ram = |run: &Run<'_, '_>| {
            let line = at(&run.arriving(RATE, "record"), *rate)?;
            line.number(Metric::RamPeak)
        };
        let values = ranked(cases, timing, &ram, |a, b| a.total_cmp(b));
        let told =
            |(name, bytes): &(String, f64)| format!("{name} {}", text::ram(*bytes, text::DIGITS));
        let words: Vec<_> = values.iter().map(told).collect();
        sentences.push(if words.is_empty() {
            format!("At {at_rate}, {at_timing}, no RAM is enough for any of them.")
        } else {
            format!(
                "At {at_rate}, {at_timing}, least RAM first: {}.",
                words.join("; ")
            )
        });
    }
    let values = ranked(cases, timing, &|run| run.sustained(), |a, b| b.total_cmp(a));
    let told = |(name, rate): &(String, f64)| format!("{name} {}", text::rate(*rate));
    let words: Vec<_> = values.iter().map(told).collect();
    if !words.is_empty() {
        let words = words.join("; ");
        sentences.push(format!(
            "The highest rate that any RAM can carry {at_timing}: {words}."
        ));
    }
    sentences
}

/// A value of each case that has it, with the case's name.
fn ranked(
    cases: &[Case<'_, '_>],
    timing: Timing,
    value: &dyn Fn(&Run<'_, '_>) -> Option<f64>,
    order: fn(&f64, &f64) -> std::cmp::Ordering,
) -> Vec<(String, f64)> {
    let values = cases.iter().filter_map(|case| {
        let run = case.runs.iter().find(|run| run.timing == timing)?;
        Some((case.name(), value(run)?))
    });
    let mut values: Vec<_> = values.collect();
    values.sort_by(|(_, a), (_, b)| order(a, b));
    values
}
