//! What the rows of `wordline buffer` say, in plain words: first how much RAM the rates take that the
//! user asked for, then what the memory sustains at all, what is proven, and what is only estimated.

use wordline_core::results::{NoValue, Row};
use wordline_core::{BufferWorkload, Metric, Timing};

use super::estimates::extrapolations;
use super::layer;
use super::provision;
use super::{
    BufferCase, Curve, LEAST, MOST, OWN_TIMES, RAM, RATE, arriving, asked_ram, asked_rates, at,
    estimated, is_unbounded, summary, told_value,
};
use crate::answer::{Answer, IN_WORDS};
use crate::pivot::{Pivot, PivotLine, each};
use crate::text;

/// The most rates that are listed one by one.
const RATES_IN_WORDS: usize = 4;

/// Shares of the sustained rate that are shown where the user asked for no rate.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];

/// Amounts of RAM in bytes that are shown where the user asked for no rate.
const AMOUNTS: [f64; 2] = [16_384.0, 65_536.0];

pub(crate) fn answer(pivot: &Pivot<'_>) -> Answer {
    let document = pivot.document;
    let cases = BufferCase::all_of(pivot);
    let asked = asked_rates(document);
    let amounts = asked_ram(document);
    if cases.len() > IN_WORDS {
        return Answer::of_all(ranking(&cases, &asked));
    }
    let mut sentences = Vec::new();
    for case in &cases {
        for rate in asked.iter().take(RATES_IN_WORDS) {
            let told = provision::sentence(case, *rate)
                .or_else(|| need(case, *rate))
                .into_iter();
            let told: Vec<_> = told.chain(estimates(case, *rate)).collect();
            if !told.is_empty() {
                sentences.push(told.join(" "));
            }
        }
        let told = amounts.iter().take(RATES_IN_WORDS);
        sentences.extend(told.filter_map(|bytes| with_ram(case, *bytes)));
        sentences.extend(own_times(case));
        sentences.extend(sustained(case));
        sentences.extend(layer::sentence(case));
        if asked.is_empty() && amounts.is_empty() {
            sentences.extend(by_share(case));
            sentences.extend(by_amount(case));
        }
        sentences.extend(slowest(case));
        sentences.extend(extrapolated(case));
        sentences.extend(coverage(case));
        sentences.extend(energy(case));
    }
    for (asked, what) in [(asked.len(), "rates"), (amounts.len(), "sizes of RAM")] {
        if asked > RATES_IN_WORDS {
            let more = asked - RATES_IN_WORDS;
            sentences.push(format!(
                "The table below has the {more} other {what} that were asked for."
            ));
        }
    }
    Answer::of_each(sentences)
}

/// RAM that a product must provide, where it was worked out; else for whole records that wait, and with the record that
/// is being written: "8 KiB", "12 KiB". Where no whole records were examined, single bytes stand in.
#[derive(Clone, PartialEq)]
struct Need {
    provision: Option<String>,
    waiting: String,
    in_flight: Option<String>,
    whole_records: bool,
}

impl Need {
    fn at(
        run: &PivotLine<'_>,
        rate: f64,
        estimate: Option<&str>,
    ) -> Option<Result<Self, Option<f64>>> {
        ["record", "fluid"].into_iter().find_map(|arrival| {
            let row = |metric| match estimate {
                None => at(&arriving(run, metric, RATE, arrival), rate),
                Some(estimate) => at(&estimated(run, metric, RATE, arrival, estimate), rate),
            };
            Self::of(&row, arrival == "record")
        })
    }

    /// How fast the buffer grows, where no RAM is enough.
    fn of<'a>(
        row: &dyn Fn(Metric) -> Option<&'a Row>,
        whole_records: bool,
    ) -> Option<Result<Self, Option<f64>>> {
        let [waiting, in_flight] = [Metric::RamPeak, Metric::RamPeakInFlight].map(row);
        if [waiting, in_flight].into_iter().flatten().any(is_unbounded) {
            return Some(Err(row(Metric::GrowthRate).and_then(|row| row.value)));
        }
        let in_flight = told_value(in_flight);
        let waiting = told_value(waiting).or_else(|| in_flight.clone())?;
        Some(Ok(Self {
            provision: told_value(row(Metric::RamProvision)),
            in_flight: in_flight.filter(|one| *one != waiting),
            waiting,
            whole_records,
        }))
    }

    /// "16 KiB", or "8 KiB (12 KiB with the one being written)".
    fn words(&self, case: &BufferCase<'_, '_>) -> String {
        match &self.provision {
            Some(provision) => provision.clone(),
            None => self.waiting.clone() + &in_flight(case, self),
        }
    }
}

/// The end of an access as an adjective: "written".
pub(super) fn done(case: &BufferCase<'_, '_>) -> &'static str {
    match case.head.operation.name() {
        "write" => "written",
        "read" => "read",
        _ => "moved",
    }
}

/// Who: the target; what it does only where it does not write.
pub(super) fn subject(case: &BufferCase<'_, '_>) -> String {
    let target = format!("{}{}", case.head.target, case.conditions());
    match case.head.operation.name() {
        "write" => target,
        other => format!("{target} ({})", text::words(other)),
    }
}

pub(super) fn growth(rate: Option<f64>) -> String {
    match rate {
        Some(rate) => format!("the buffer grows by {}", text::rate(rate)),
        None => "the buffer grows without end".to_owned(),
    }
}

/// Things with the columns of the data sheet that they hold for, equal ones merged.
pub(super) fn merged<T: PartialEq>(things: impl Iterator<Item = (T, String)>) -> Vec<(T, String)> {
    let mut groups: Vec<(T, Vec<String>)> = Vec::new();
    for (thing, clause) in things {
        let clause = clause.trim_start().to_owned();
        match groups.iter_mut().find(|(other, _)| *other == thing) {
            Some((_, clauses)) => clauses.push(clause),
            None => groups.push((thing, vec![clause])),
        }
    }
    let worded = groups.into_iter().map(|(thing, clauses)| {
        let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
        let clauses = match text::list(&clauses) {
            clauses if clauses.is_empty() => clauses,
            clauses => format!(" {clauses}"),
        };
        (thing, clauses)
    });
    worded.collect()
}

/// Values with the columns of the data sheet that they hold for, each further one a sentence of its own: "47.6 MB/s at
/// typical timing. At the data sheet's maximum: 2.90 MB/s".
pub(super) fn listed(values: impl Iterator<Item = (String, String)>) -> Option<String> {
    let words = merged(values).into_iter().enumerate();
    let words = words.map(|(index, (value, clauses))| match index {
        0 => value + clauses.as_str(),
        _ => format!("{}: {value}", text::capital(clauses.trim_start())),
    });
    let words: Vec<_> = words.collect();
    (!words.is_empty()).then(|| words.join(". "))
}

/// Of documents without RAM to provision: "PART@BOARD needs 8 KiB of RAM at 4.10 MB/s for whole records of 4 KiB that wait
/// at typical timing. With the one being written it needs 12 KiB. At the data sheet's maximum no RAM is enough: …".
fn need(case: &BufferCase<'_, '_>, rate: f64) -> Option<String> {
    let subject = subject(case);
    let at_rate = text::rate(rate);
    let needs = case.timings.iter();
    let needs = needs.filter_map(|run| Some((Need::at(run, rate, None)?, case.clause(run))));
    let mut clauses: Vec<String> = Vec::new();
    for (need, timing) in merged(needs) {
        let first = clauses.is_empty();
        clauses.push(match need {
            Ok(need) if first => {
                let kind = if need.whole_records {
                    format!("whole records{} that wait", case.of_record())
                } else {
                    "bytes that arrive one by one and wait".to_owned()
                };
                format!(
                    "{subject} needs {} of RAM at {at_rate} for {kind}{timing}{}",
                    need.waiting,
                    with_in_flight(case, &need)
                )
            }
            Ok(need) => {
                let in_flight = in_flight(case, &need);
                format!(
                    "{} it needs {}{in_flight}",
                    text::capital(timing.trim_start()),
                    need.waiting
                )
            }
            Err(rate) if first => {
                let growth = growth(rate);
                format!(
                    "{subject} cannot keep up with {at_rate}{timing}: no RAM is enough, {growth}"
                )
            }
            Err(rate) => format!(
                "{} no RAM is enough: {}",
                text::capital(timing.trim_start()),
                growth(rate)
            ),
        });
    }
    (!clauses.is_empty()).then(|| clauses.join(". ") + ".")
}

/// "With 64 KiB of RAM PART@BOARD carries up to 48.1 MB/s …".
fn with_ram(case: &BufferCase<'_, '_>, bytes: f64) -> Option<String> {
    let ram = text::ram(bytes, text::DIGITS);
    let subject = subject(case);
    let rates = case.timings.iter().filter_map(|run| {
        let mut arrivals = ["record", "fluid"].into_iter();
        let row = arrivals
            .find_map(|arrival| at(&arriving(run, Metric::RateMax, RAM, arrival), bytes))?;
        let rate = if row.no_value == Some(NoValue::NotApplicable) {
            Err(())
        } else {
            let proven = estimated(run, Metric::RateMax, RAM, "record", "bound");
            let proven = at(&proven, bytes).and_then(|row| row.value);
            let proven = proven.map_or_else(String::new, |rate| {
                format!(" (proven: {})", text::rate(rate))
            });
            Ok(format!("{}{proven}", text::value(row, text::DIGITS)))
        };
        Some((rate, case.clause(run)))
    });
    let rates: Vec<_> = rates.collect();
    if !rates.is_empty() && rates.iter().all(|(rate, _)| rate.is_err()) {
        return Some(format!("{ram} of RAM hold no record of {subject}."));
    }
    let told = rates
        .into_iter()
        .filter_map(|(rate, clause)| Some((rate.ok()?, clause)));
    let told = listed(told)?;
    let as_seen = match case.is_log() {
        true => ", as far as the log shows",
        false => "",
    };
    Some(format!(
        "With {ram} of RAM {subject} carries up to {told}{as_seen}."
    ))
}

/// A trace that was replayed at its own times: "Replayed at its own times, PART@BOARD needs 16 KiB …".
fn own_times(case: &BufferCase<'_, '_>) -> Option<String> {
    let needs = case.timings.iter().filter_map(|run| {
        let row = |metric| summary(run, metric, Some(OWN_TIMES));
        let need = Need::of(&row, true)?.ok()?;
        let latency = told_value(row(Metric::LatencyMax));
        Some(((need, latency), case.clause(run)))
    });
    let subject = subject(case);
    let sentences = merged(needs).into_iter().enumerate();
    let sentences = sentences.map(|(index, ((need, latency), timing))| {
        let waiting = &need.waiting;
        let needs = match index {
            0 => format!(
                "Replayed at the trace's own times, {subject} needs {waiting} of RAM for whole records that wait{timing}"
            ),
            _ => format!("{} it needs {waiting}", text::capital(timing.trim_start())),
        };
        let latency = latency.map_or_else(String::new, |latency| {
            format!(". The slowest access takes {latency} from the request to its end")
        });
        needs + &with_in_flight(case, &need) + &latency
    });
    let sentences: Vec<_> = sentences.collect();
    (!sentences.is_empty()).then(|| sentences.join(". ") + ".")
}

/// ". With the one being written it needs 20 KiB".
fn with_in_flight(case: &BufferCase<'_, '_>, need: &Need) -> String {
    let one = if need.whole_records { "one" } else { "ones" };
    let done = done(case);
    need.in_flight.as_ref().map_or_else(String::new, |bytes| {
        format!(". With the {one} being {done} it needs {bytes}")
    })
}

fn in_flight(case: &BufferCase<'_, '_>, need: &Need) -> String {
    let one = if need.whole_records { "one" } else { "ones" };
    let done = done(case);
    need.in_flight.as_ref().map_or_else(String::new, |bytes| {
        format!(" ({bytes} with the {one} being {done})")
    })
}

/// What is proven at a rate, what a rerun needs whose accesses wait, and what a histogram leaves open.
fn estimates(case: &BufferCase<'_, '_>, rate: f64) -> Vec<String> {
    let at_rate = text::rate(rate);
    let clauses = |estimate: &'static str, least: &str| {
        let needs = case.timings.iter().filter_map(|run| {
            let need = Need::at(run, rate, Some(estimate))?;
            Some((need, case.clause(run)))
        });
        let words = needs.map(|(need, timing)| match need {
            Ok(need) => (format!("{least}{}", need.words(case)), timing),
            Err(_) => ("no bound".to_owned(), timing),
        });
        listed(words)
    };
    // What an estimate repeats needs no numbers.
    let repeats = |estimate: &str| {
        case.timings.iter().all(|run| {
            let other = Need::at(run, rate, Some(estimate));
            let seen = Need::at(run, rate, None);
            matches!((seen, other), (Some(Ok(one)), Some(Ok(other))) if one == other)
        })
    };
    let provides = |run: &&PivotLine<'_>| {
        let number = arriving(run, Metric::RamProvision, RATE, "record");
        at(&number, rate).is_some()
    };
    let is_provided = case.timings.iter().any(provides);
    let mut sentences = Vec::new();
    if !is_provided {
        let proven = clauses("bound", "at most ");
        sentences.extend(proven.map(|words| format!("Proven: {words}.")));
    }
    if repeats("open_loop") {
        sentences.push(format!("{}: the same.", layer::rerun_words(case)));
    } else {
        let rerun = clauses("open_loop", "");
        sentences.extend(rerun.map(|words| format!("{}: {words}.", layer::rerun_words(case))));
    }
    sentences.extend(layer::at_rate(case, rate));
    if let (Some(least), Some(most)) = (clauses(LEAST, "at least "), clauses(MOST, "at most ")) {
        let told = case
            .timings
            .iter()
            .any(|run| Need::at(run, rate, None).is_some());
        if is_provided && !told {
            return sentences;
        }
        let why = if told {
            format!("The log has times in steps, so at {at_rate} the need is")
        } else {
            format!("A histogram does not keep the order of accesses. At {at_rate} the need is")
        };
        sentences.push(format!("{why} {least}. It is {most}."));
    }
    sentences
}

/// "The highest rate that any RAM can carry is 4.33 MB/s at typical timing and 2.90 MB/s at …".
fn sustained(case: &BufferCase<'_, '_>) -> Option<String> {
    let rates = case.timings.iter().filter_map(|run| {
        let rate = super::sustained(run)?;
        let bound = summary(run, Metric::ThroughputMean, Some("bound"));
        let bound = bound.and_then(|row| row.value);
        let bound = bound.filter(|bound| *bound < 0.999 * rate);
        let proven = bound.map_or_else(String::new, |bound| {
            format!(" (proven: {})", text::rate(bound))
        });
        Some((format!("{}{proven}", text::rate(rate)), case.clause(run)))
    });
    let rates = listed(rates)?;
    let subject = subject(case);
    Some(format!(
        "The highest rate that any RAM can carry for {subject} is {rates}."
    ))
}

/// RAM at shares of the sustained rate: each at the next rate above that was examined. What a
/// histogram leaves open is given as an interval.
fn by_share(case: &BufferCase<'_, '_>) -> Vec<String> {
    let of = match case.record() {
        none if none.is_empty() => none,
        size => format!("{} ", size.replace(' ', "-")),
    };
    let told = case.timings.iter().filter_map(|run| {
        let sustained = super::sustained(run).filter(|rate| *rate > 0.0)?;
        let metric = Metric::RamPeak;
        let open = estimated(run, metric, RATE, "record", MOST);
        let [record, fluid] =
            ["record", "fluid"].map(|arrival| arriving(run, metric, RATE, arrival));
        let examined = [record, fluid, open];
        let whole_records = examined[1].is_empty() || !examined[0].is_empty();
        let curve = examined.into_iter().find(|curve| !curve.is_empty())?;
        let least = estimated(run, metric, RATE, "record", LEAST);
        let words = shares(&curve, &least, sustained);
        let what = match whole_records {
            true => format!("waiting {of}records need"),
            false => "waiting bytes need".to_owned(),
        };
        let head = match case.clause(run).trim_start() {
            "" => text::capital(&what),
            timing => format!("{}, {what}", text::capital(timing)),
        };
        let open = match least.is_empty() {
            true => "",
            false => "A histogram does not keep the order of accesses, so the need is a range. ",
        };
        let (first, rest) = words.split_at(words.len().min(2));
        let rest = match rest.is_empty() {
            true => String::new(),
            false => format!(" They need {}.", text::list(rest)),
        };
        (!words.is_empty()).then(|| format!("{open}{head} {}.{rest}", text::list(first)))
    });
    told.collect()
}

/// "8 KiB at 1.05 MB/s (25 %)", and "4 KiB to 8 KiB" where a curve of the least need lies below.
pub(super) fn shares(curve: &Curve<'_>, least: &Curve<'_>, sustained: f64) -> Vec<String> {
    let mut rates: Vec<f64> = Vec::new();
    let words = SHARES.iter().filter_map(|share| {
        // A rounding below the share is the share.
        let from = share * sustained * (1.0 - 1e-9);
        let (rate, row) = curve.iter().find(|(rate, _)| *rate >= from)?;
        let told = told_value(Some(row))?;
        if is_unbounded(row) || rates.contains(rate) {
            return None;
        }
        rates.push(*rate);
        let below = told_value(at(least, *rate));
        let below = below.filter(|below| *below != told);
        let told = below.map_or_else(|| told.clone(), |below| format!("{below} to {told}"));
        let share = text::percent(rate / sustained, 2);
        Some(format!("{told} at {} ({share})", text::rate(*rate)))
    });
    words.collect()
}

/// The highest rates for some amounts of RAM: those that people ask for where they were examined,
/// else the smallest and the largest.
fn by_amount(case: &BufferCase<'_, '_>) -> Vec<String> {
    let told = case.timings.iter().filter_map(|run| {
        let [record, fluid] =
            ["record", "fluid"].map(|arrival| arriving(run, Metric::RateMax, RAM, arrival));
        let curve = if record.is_empty() { fluid } else { record };
        let usual = curve.iter().filter(|(bytes, _)| AMOUNTS.contains(bytes));
        let mut chosen: Vec<_> = usual.collect();
        if chosen.is_empty() {
            chosen = super::thinned(&curve.iter().collect::<Vec<_>>(), AMOUNTS.len());
        }
        let words = chosen.iter().filter_map(|(bytes, row)| {
            let rate = told_value(Some(row))?;
            Some(format!("{rate} with {}", text::ram(*bytes, text::DIGITS)))
        });
        let words: Vec<_> = words.collect();
        let timing = case.clause(run);
        (!words.is_empty())
            .then(|| format!("The highest safe rate{timing} is {}.", text::list(&words)))
    });
    told.collect()
}

/// "The slowest of 16384 accesses takes 9.10 ms (proven: at most 12.0 ms) at typical timing. …".
fn slowest(case: &BufferCase<'_, '_>) -> Option<String> {
    let number = |value| text::number(Metric::LatencyMax, value, text::DIGITS);
    let mut count = None;
    let latencies = case.timings.iter().filter_map(|run| {
        let latency = run.number(Metric::LatencyMax)?;
        count = count.or(run.number(Metric::AccessCount));
        let bound = summary(run, Metric::LatencyMax, Some("bound"));
        let bound = bound.and_then(|row| row.value);
        let bound = bound.map(number);
        Some(((number(latency), bound), case.clause(run)))
    });
    let clauses = merged(latencies)
        .into_iter()
        .map(|((latency, bound), timing)| {
            let bound = bound.map_or_else(String::new, |bound| {
                if bound == latency {
                    " (proven)".to_owned()
                } else {
                    format!(" (proven: at most {bound})")
                }
            });
            (format!("{latency}{bound}"), timing)
        });
    let clauses = listed(clauses)?;
    let of = count.map_or_else(
        || "The slowest access".to_owned(),
        |count| format!("The slowest of {count:.0} accesses"),
    );
    Some(format!("{of} takes {clauses}."))
}

/// The longest access to expect.
fn extrapolated(case: &BufferCase<'_, '_>) -> Option<String> {
    let told = case.timings.iter().filter_map(|run| {
        let all = extrapolations(run);
        let longest = all.iter().filter(|one| one.metric == Metric::LatencyMax);
        let longest = longest.max_by(|a, b| a.horizon_s.total_cmp(&b.horizon_s))?;
        let words = format!("{} within {}", longest.level(), longest.horizon());
        Some((words, case.clause(run)))
    });
    let words = listed(told)?;
    let confidence = text::percent(BufferWorkload::CONFIDENCE, 2);
    Some(format!(
        "The longest access to expect takes {words}, with {confidence} confidence if what comes is like what came."
    ))
}

fn coverage(case: &BufferCase<'_, '_>) -> Option<String> {
    let mut runs = case.timings.iter();
    let share = runs.find_map(|run| run.number(Metric::Coverage))?;
    let share = text::percent(share, text::DIGITS);
    let target = &case.head.target;
    Some(format!(
        "The durations in {target} account for {share} of its time."
    ))
}

/// What an access draws, where a current was measured beside the log.
fn energy(case: &BufferCase<'_, '_>) -> Option<String> {
    let run = case
        .timings
        .iter()
        .find(|run| run.number(Metric::EnergyPerOp).is_some())?;
    let told = |metric| {
        let value = run.number(metric)?;
        Some(text::number(metric, value, text::DIGITS))
    };
    let each = told(Metric::EnergyPerOp)?;
    let of_byte = told(Metric::EnergyPerByte).map(|byte| format!(", {byte}"));
    let operation = &case.head.operation;
    Some(format!(
        "A {operation} of {} draws {each}{}, measured at its supply.",
        case.head.target,
        of_byte.unwrap_or_default()
    ))
}

/// Many cases: at each asked rate from the least RAM to the most, then from the fastest to the slowest.
fn ranking(cases: &[BufferCase<'_, '_>], asked: &[f64]) -> Vec<String> {
    // Each case's first column of the data sheet; the tables have the others.
    let timing = cases.first().and_then(|case| case.timings.first());
    let timing = timing.map_or(Timing::Typ, |run| run.head().timing);
    let at_timing = text::at_timing(timing);
    let mut sentences = Vec::new();
    for rate in asked.iter().take(RATES_IN_WORDS) {
        let at_rate = text::rate(*rate);
        let ram = |run: &PivotLine<'_>| {
            at(&arriving(run, Metric::RamProvision, RATE, "record"), *rate)?.value
        };
        let values = ranked(cases, timing, &ram, |a, b| a.total_cmp(b));
        let told =
            |(name, bytes): &(String, f64)| format!("{name} {}", text::ram(*bytes, text::DIGITS));
        let words: Vec<_> = values.iter().map(told).collect();
        sentences.push(if words.is_empty() {
            format!("At {at_rate}, {at_timing}, no RAM is enough for any of them.")
        } else {
            let head = format!("At {at_rate}, {at_timing}, least RAM first:");
            text::within_a_sentence(&head, &words, ", ")
        });
    }
    let values = ranked(cases, timing, &|run| super::sustained(run), |a, b| {
        b.total_cmp(a)
    });
    let told = |(name, rate): &(String, f64)| format!("{name} {}", text::rate(*rate));
    let words: Vec<_> = values.iter().map(told).collect();
    if !words.is_empty() {
        let head = format!("The highest rate that any RAM can carry {at_timing}:");
        sentences.push(text::within_a_sentence(&head, &words, ", "));
    }
    sentences
}

/// A value of each case that has it, with the case's name.
fn ranked(
    cases: &[BufferCase<'_, '_>],
    timing: Timing,
    value: &dyn Fn(&PivotLine<'_>) -> Option<f64>,
    order: fn(&f64, &f64) -> std::cmp::Ordering,
) -> Vec<(String, f64)> {
    // A target that was examined once needs no more than its name.
    let targets = each(cases, |case| case.head.target.as_str());
    let has_rivals = targets.len() < cases.len();
    let values = cases.iter().filter_map(|case| {
        let run = case
            .timings
            .iter()
            .find(|run| run.head().timing == timing)?;
        let name = match has_rivals {
            true => case.name(),
            false => case.head.target.clone(),
        };
        Some((name, value(run)?))
    });
    let mut values: Vec<_> = values.collect();
    values.sort_by(|(_, a), (_, b)| order(a, b));
    values
}
