//! What is compared, and what counts as a hit, in words.

use wordline_core::quantity::{ByteCount, Time, human};
use wordline_core::{
    AccessSource, Axis, DramTest, Experiment, KvTest, Pattern, RowOperation, Timing, WearUsage,
    WearWorkload, Workload,
};
use wordline_lab::published::{Allowed, Curves, Measure, Question, RowSelector};

/// What counts as a hit, in words.
pub(super) fn allowed(allowed: Allowed, unit: &str) -> String {
    let limit = |limit: f64| human(limit, unit, 3);
    match allowed {
        Allowed::Within { tolerance } => format!("± {} %", human(tolerance * 100.0, "1", 2)),
        Allowed::Between { at_least, at_most } => match (at_least, at_most) {
            (Some(least), Some(most)) => format!("{} to {}", limit(least), limit(most)),
            (Some(least), None) => format!("at least {}", limit(least)),
            (None, Some(most)) => format!("at most {}", limit(most)),
            (None, None) => "anything".to_owned(),
        },
    }
}

/// What of ours is compared, in words. Of a divisor only what differs is named, and of a target
/// only one that is not the document's own.
pub(super) fn compared(of: &Measure, over: Option<&Measure>, target: &str) -> String {
    let first = words(of);
    let usual = [on(target), during(Timing::Typ)];
    let said = first.iter().filter(|word| !usual.contains(word));
    let mut text = joined(said);
    if let Some(over) = over {
        let second = words(over);
        let other = second.iter().filter(|word| !first.contains(word));
        let other = joined(other);
        text += " over ";
        text += match other.trim_end_matches(':') {
            "" => "plain",
            other => other,
        };
    }
    text
}

fn joined<'a>(words: impl Iterator<Item = &'a String>) -> String {
    let words: Vec<_> = words.map(String::as_str).collect();
    words.join(" ")
}

fn words(measure: &Measure) -> Vec<String> {
    match measure {
        Measure::Figure(figure) => vec![
            figure.figure.clone(),
            figure.column.clone(),
            format!("of {}", figure.sheet),
        ],
        Measure::Curves(curves) => asked(curves),
        Measure::Theory { row, sequence } => {
            let mut words = vec![format!("\"{}\":", sequence.name), row.metric.to_string()];
            words.extend(at(row));
            words
        }
        Measure::Row { row, experiment } => ran(experiment, row),
    }
}

/// A row of an experiment in words. The fields of its workload that say most stand first.
fn ran(experiment: &Experiment, row: &RowSelector) -> Vec<String> {
    let size = |bytes: u64| ByteCount::from_bytes(bytes).to_string();
    let at_random = |pattern: Pattern| (pattern == Pattern::Random).then(|| "at random".to_owned());
    let metric = match row.text(Axis::Cause) {
        Some(cause) => format!("{}, {cause},", row.metric),
        None => row.metric.to_string(),
    };
    let mut words = Vec::new();
    // Of these the column of the data sheets says something.
    let mut timed = true;
    match &experiment.workload {
        Workload::Raw(raw) => {
            let operations = raw.operations.iter();
            words.extend(operations.map(|operation| operation.name().to_owned()));
            words.extend(raw.access_bytes.iter().copied().map(size));
            words.extend(raw.patterns.iter().copied().filter_map(at_random));
            let cached = "through the cache register".to_owned();
            words.extend(raw.cache_read.then_some(cached));
            words.push(metric);
        }
        Workload::Buffer(buffer) => {
            if let AccessSource::Stream(stream) = &buffer.source {
                words.push(stream.operation.name().to_owned());
                words.push(size(stream.record_bytes));
                words.extend(at_random(stream.pattern));
            }
            words.push("buffered".to_owned());
            words.push(metric);
            words.extend(at(row));
        }
        Workload::Dram(dram) => {
            timed = false;
            words.push(dram.test.name().to_owned());
            if let DramTest::Bandwidth(bandwidth) = &dram.test {
                words.extend(bandwidth.mixes.iter().map(ToString::to_string));
            }
            words.push(metric);
        }
        Workload::Kv(kv) => {
            timed = false;
            let tables = kv.tables.iter().map(|table| table.name());
            let title = |name| wordline_engines::title(wordline_engines::STORES, name).to_owned();
            words.extend(tables.map(title));
            let operation = row.operation.iter();
            words.extend(operation.map(|operation| format!("{operation}s of")));
            if let KvTest::Bench(bench) = &kv.test {
                words.extend(bench.sizes.iter().map(ToString::to_string));
            }
            words.push(metric);
        }
        Workload::Wear(wear) => {
            timed = false;
            words.extend(worn(wear, row));
        }
        workload => {
            words.push(workload.name().to_owned());
            words.extend(row.operation.map(|operation| operation.to_string()));
            words.push(metric);
            let axes = row.axes.iter().filter(|(axis, _)| **axis != Axis::Cause);
            words.extend(axes.map(|(axis, value)| format!("at {axis} = {value}")));
        }
    }
    words.extend(experiment.targets.iter().map(|target| on(target)));
    let timings = experiment.timings.iter().filter(|_| timed);
    words.extend(timings.map(|timing| during(*timing)));
    words
}

/// A row of a test of wear in words.
fn worn(wear: &WearWorkload, row: &RowSelector) -> Vec<String> {
    let operation = row
        .operation
        .filter(|operation| *operation != RowOperation::Cycle);
    let mut words = vec![match operation {
        None => row.metric.to_string(),
        Some(operation) => format!("{} of {operation}s", row.metric),
    }];
    let statistic = row.text(Axis::Statistic);
    words.extend(statistic.map(|name| format!("of the {name} block")));
    let cycles = row.number(Axis::AfterCycles);
    words.extend(cycles.map(|cycles| format!("after {cycles} cycles")));
    let usages = wear.usages.iter();
    let unusual = usages.filter(|usage| **usage != WearUsage::FirstPage);
    words.extend(unusual.map(|usage| format!("({})", usage.name())));
    if wear.order == Pattern::Random {
        words.push("in random order".to_owned());
    }
    let temperatures = wear.temperatures_celsius.iter();
    let unusual = temperatures.filter(|celsius| **celsius != 25.0);
    words.extend(unusual.map(|celsius| format!("at {celsius} degrees Celsius")));
    words
}

/// A question to two curves in words.
fn asked(curves: &Curves) -> Vec<String> {
    let against = &curves.against;
    let what = match curves.question {
        Question::Crossover {} => {
            format!("bandwidth from which on its latency is below that of {against},")
        }
        Question::Reduction { idle_multiple } => format!(
            "fraction by which its latency is below that of {against}, where that is {idle_multiple} times its idle one,"
        ),
        Question::Rise { at_bytes_per_s } => format!(
            "latency above that without load, at {},",
            human(at_bytes_per_s, "B/s", 4)
        ),
        Question::Share {
            within_ps,
            against_share,
        } => {
            let within = Time::from_ps(within_ps);
            format!(
                "share of its latencies within {within}, where that of {against} is {against_share},"
            )
        }
    };
    vec![what, on(&curves.target)]
}

/// The input in words.
fn at(row: &RowSelector) -> impl Iterator<Item = String> {
    let rate = row.number(Axis::RateBytesPerS);
    let rate = rate.map(|rate| format!("at {}", human(rate, "B/s", 4)));
    let ram = row.number(Axis::RamBytes);
    let ram = ram.map(|ram| format!("with {} of RAM", ByteCount::from_bytes(ram as u64)));
    let arrival = row.text(Axis::Arrival).map(|arrival| match arrival {
        "fluid" => "byte by byte".to_owned(),
        _ => "of whole records".to_owned(),
    });
    [arrival, rate, ram].into_iter().flatten()
}

fn on(target: &str) -> String {
    format!("on {target}")
}

fn during(timing: Timing) -> String {
    format!("at {timing} timing")
}
