//! What is compared, and what counts as a hit, in words.

use wordline_core::quantity::{ByteCount, Time, human};
use wordline_core::{Arrival, Operation, Pattern, Timing, WearUsage};
use wordline_lab::published::{
    Allowed, Curves, Input, Kind, Measure, ModuleTest, Question, Variant, WearMeasure,
    WearOperation,
};

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
        Measure::Figure {
            sheet,
            figure,
            column,
        } => vec![figure.clone(), column.clone(), format!("of {sheet}")],
        Measure::Module { run, metric } => {
            let mut words = match run.test {
                ModuleTest::Idle => vec!["idle".to_owned()],
                ModuleTest::Bandwidth { mix } => vec!["bandwidth".to_owned(), mix.to_string()],
            };
            words.extend([metric.to_string(), on(&run.target)]);
            words
        }
        Measure::Table { run, metric } => vec![
            wordline_engines::title(wordline_engines::STORES, run.table.name()).to_owned(),
            match run.operation {
                Operation::Write => "inserts of".to_owned(),
                Operation::Read => "hits of".to_owned(),
            },
            ByteCount::from_bytes(run.access_bytes).to_string(),
            metric.to_string(),
            on(&run.target),
        ],
        Measure::Curves(curves) => asked(curves),
        Measure::Wear(asked) => worn(asked),
        Measure::Row {
            run,
            metric,
            cause,
            input,
        } => {
            let mut words = vec![run.operation.name().to_owned()];
            words.push(ByteCount::from_bytes(run.access_bytes).to_string());
            if run.pattern == Pattern::Random {
                words.push("at random".to_owned());
            }
            words.extend(run.variant.map(|variant| {
                let word = match variant {
                    Variant::CacheRead => "through the cache register",
                };
                word.to_owned()
            }));
            if run.workload == Kind::Buffer {
                words.push("buffered".to_owned());
            }
            words.push(match cause {
                Some(cause) => format!("{metric}, {cause},"),
                None => metric.to_string(),
            });
            words.extend(at(input));
            words.push(on(&run.target));
            words.push(during(run.timing));
            words
        }
        Measure::Theory {
            sequence,
            metric,
            input,
        } => {
            let mut words = vec![format!("\"{}\":", sequence.name), metric.to_string()];
            words.extend(at(input));
            words
        }
    }
}

/// A row of a test of wear in words.
fn worn(asked: &WearMeasure) -> Vec<String> {
    let mut words = vec![match asked.operation {
        WearOperation::Cycle => asked.metric.to_string(),
        operation => format!("{} of {}s", asked.metric, operation.name()),
    }];
    let statistic = asked.statistic.as_ref();
    words.extend(statistic.map(|name| format!("of the {name} block")));
    let cycles = asked.after_cycles;
    words.extend(cycles.map(|cycles| format!("after {cycles} cycles")));
    if asked.run.usage != WearUsage::FirstPage {
        words.push(format!("({})", asked.run.usage.name()));
    }
    if asked.run.order == Pattern::Random {
        words.push("in random order".to_owned());
    }
    if asked.run.temperature_celsius != 25 {
        words.push(format!(
            "at {} degrees Celsius",
            asked.run.temperature_celsius
        ));
    }
    words.push(on(&asked.run.target));
    words
}

/// A question to two curves in words.
fn asked(curves: &Curves) -> Vec<String> {
    let against = &curves.against;
    let what = match curves.question {
        Question::Crossover => {
            format!("bandwidth from which on its latency is below that of {against},")
        }
        Question::Reduction { idle_multiple } => format!(
            "fraction by which its latency is below that of {against}, where that is {idle_multiple} times its idle one,"
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
fn at(input: &Input) -> impl Iterator<Item = String> {
    let rate = input.rate_bytes_per_s;
    let rate = rate.map(|rate| format!("at {}", human(rate, "B/s", 4)));
    let ram = input.ram_bytes.map(ByteCount::from_bytes);
    let ram = ram.map(|ram| format!("with {ram} of RAM"));
    let arrival = input.arrival.map(|arrival| match arrival {
        Arrival::Record => "of whole records".to_owned(),
        Arrival::Fluid => "byte by byte".to_owned(),
    });
    [arrival, rate, ram].into_iter().flatten()
}

fn on(target: &str) -> String {
    format!("on {target}")
}

fn during(timing: Timing) -> String {
    format!("at {timing} timing")
}
