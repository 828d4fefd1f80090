//! Documents for tests, in the shape that the laboratory makes them: a driver's constant, the
//! bus's command cycles, and two clock cycles a byte.

use std::collections::BTreeMap;

use wordline_core::results::{AxisValue, FigureUse, NoValue, ResultSet, Row, Warning};
use wordline_core::{Basis, Experiment, Metric, RawWorkload, Timing, Workload};

const DRIVER_S: f64 = 17.75e-6;
const BUS_COMMAND_S: f64 = 0.117e-6;

/// How a made-up target behaves.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) second_per_byte: f64,
    pub(crate) array_s: f64,
}

pub(crate) const MRAM: Target = Target {
    name: "em064lx@stm32h755-qspi",
    second_per_byte: 1.0 / 60e6,
    array_s: 0.0,
};

pub(crate) const NAND: Target = Target {
    name: "mt29f1g01@stm32h755-qspi",
    second_per_byte: 1.0 / 60e6,
    array_s: 220e-6,
};

/// Reads and writes of the benchmark's sizes.
pub(crate) fn document(targets: &[Target]) -> ResultSet {
    let workload = RawWorkload::default();
    let mut rows = Vec::new();
    for target in targets {
        for operation in ["read", "write"] {
            for bytes in &workload.access_bytes {
                rows.extend(rows_of(target, operation, *bytes));
            }
        }
    }
    let mut document = ResultSet::new(Experiment {
        targets: targets.iter().map(|target| target.name.into()).collect(),
        workload: Workload::Raw(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
    });
    // A fixed version keeps the snapshots when the crates' version moves on.
    document.wordline = "0.1.0".into();
    document.rows = rows;
    document.figures = figures();
    document
}

/// The benchmark's part by itself.
pub(crate) fn mram() -> ResultSet {
    document(&[MRAM])
}

/// Interrupted, warned about, and full of text that wants to be markup.
pub(crate) fn hostile() -> ResultSet {
    let mut document = mram();
    document.complete = false;
    for row in &mut document.rows {
        row.target = HOSTILE.into();
        row.board = "=HYPERLINK(\"x\")".into();
        row.operation = "wr|te".into();
    }
    let mut seen = std::collections::HashSet::new();
    document.rows.retain(|row| seen.insert(row.identity()));
    document.experiment.targets = vec![HOSTILE.into()];
    document.warnings = vec![Warning {
        code: "typ_from_max".into(),
        advice: format!("see {HOSTILE}"),
    }];
    document.figures[0].source = HOSTILE.into();
    document
}

pub(crate) const HOSTILE: &str =
    "<script>alert('1')</script>\"><img src=x onerror=alert(2)>{{ 7*7 }}\u{1b}[31m`*_|\u{2028}";

/// The part's reads, and the same during an erase that they wait for or suspend.
pub(crate) fn during() -> ResultSet {
    let mut document = mram();
    document.rows.retain(|row| row.operation == "read");
    let idle = document.rows.clone();
    for (handling, longer_s, delay_s) in [("wait", 0.15, 0.0), ("suspend", 25e-6, 93e-6)] {
        for row in &idle {
            let mut row = row.clone();
            let text = |text: &str| AxisValue::Text(text.into());
            row.axes.insert("during".into(), text("erase"));
            row.axes.insert("on_conflict".into(), text(handling));
            row.value = match row.metric {
                Metric::LatencyMax => row.value.map(|value| value + longer_s),
                Metric::LatencyP99 => row.value.map(|value| value + 0.99 * longer_s),
                Metric::LatencyMean | Metric::LatencyP50 => {
                    row.value.map(|value| value + longer_s / 2.0)
                }
                Metric::LatencyMaxPart => row.value,
                // The other metrics stand for what is said of work in the background.
                Metric::ThroughputMean => Some(0.15 + delay_s),
                Metric::OpsRate => Some(delay_s),
                _ => continue,
            };
            row.metric = match row.metric {
                Metric::ThroughputMean => Metric::BackgroundDurationMean,
                Metric::OpsRate => Metric::BackgroundDelayMean,
                metric => metric,
            };
            row.unit = row.metric.unit().into();
            document.rows.push(row);
        }
    }
    document
}

fn rows_of(target: &Target, operation: &str, bytes: u64) -> Vec<Row> {
    let data = bytes as f64 * target.second_per_byte;
    let parts = [
        ("driver", DRIVER_S),
        ("bus_command", BUS_COMMAND_S),
        ("bus_data", data),
        ("array", target.array_s),
    ];
    let latency: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    let joules = 1.77e-9 * bytes as f64;
    let mut values = vec![
        (Metric::ThroughputMean, bytes as f64 / latency),
        (Metric::OpsRate, 1.0 / latency),
        (Metric::LatencyMean, latency),
        (Metric::LatencyP50, latency),
        (Metric::LatencyP90, latency),
        (Metric::LatencyP99, latency),
        (Metric::LatencyP999, latency),
        (Metric::LatencyMax, latency),
        (Metric::EnergyPerByte, joules / bytes as f64),
        (Metric::EnergyPerOp, joules),
        (Metric::EnergyTotal, 1.77e-9 * f64::from(64 << 20)),
        (Metric::PowerMean, joules / latency),
        (Metric::BusUtilization, (BUS_COMMAND_S + data) / latency),
    ];
    if operation == "write" {
        let cycles = 1e14 * f64::from(8 << 20) / bytes as f64;
        values.push((Metric::Lifetime, cycles * latency));
        values.push((Metric::WearSpread, 1.0));
    }
    let row = |metric: Metric, value: f64, cause: Option<&str>| {
        let mut row = blank(target, operation, bytes, metric);
        row.value = Some(value);
        if let Some(cause) = cause {
            row.axes
                .insert("cause".into(), AxisValue::Text(cause.into()));
        }
        row
    };
    let mut rows: Vec<Row> = values.iter().map(|(m, v)| row(*m, *v, None)).collect();
    for (cause, seconds) in parts {
        rows.push(row(Metric::LatencyMaxPart, seconds, Some(cause)));
        rows.push(row(Metric::TimeShare, seconds / latency, Some(cause)));
    }
    rows
}

/// A row that says that there is no value.
pub(crate) fn blank(target: &Target, operation: &str, bytes: u64, metric: Metric) -> Row {
    let (part, board) = target.name.split_once('@').unwrap_or((target.name, ""));
    Row {
        target: target.name.into(),
        part: part.into(),
        board: board.into(),
        workload: "raw".into(),
        operation: operation.into(),
        axes: BTreeMap::from([("access_bytes".into(), AxisValue::Count(bytes))]),
        timing: Timing::Typ,
        age: 0.0,
        metric,
        value: None,
        no_value: None,
        unit: metric.unit().into(),
        basis: Basis::Simulated,
        distribution: None,
    }
}

/// A row with a reason in place of a value.
pub(crate) fn without_value(operation: &str, metric: Metric, reason: NoValue) -> Row {
    let mut row = blank(&MRAM, operation, 2048, metric);
    row.no_value = Some(reason);
    row
}

fn figures() -> Vec<FigureUse> {
    let figure = |sheet: &str, figure: &str, value: &str, basis, source: &str| FigureUse {
        sheet: sheet.into(),
        figure: figure.into(),
        value: value.into(),
        basis,
        source: source.into(),
    };
    vec![
        figure(
            "em064lx",
            "current.write",
            "typ 155 mA",
            Basis::Datasheet,
            "EM064LX data sheet rev. 1.2, table 7",
        ),
        figure(
            "em064lx",
            "endurance",
            "min 100000000000000 cycles",
            Basis::Datasheet,
            "EM064LX data sheet rev. 1.2, features",
        ),
        figure(
            "stm32h755-qspi",
            "bus.clock",
            "typ 120 MHz",
            Basis::Published,
            "MRAM performance benchmark comparison, text before figure 1",
        ),
        figure(
            "stm32h755-qspi",
            "driver.per_access",
            "typ 17.75 us",
            Basis::Calibrated,
            "from the slowest write of 2 KiB, 52 us; the other five sizes are predicted",
        ),
        figure(
            "stm32h755-qspi",
            "rail.memory",
            "typ 1.8 V",
            Basis::Assumed,
            "the article names no supply; the part allows 1.65 V to 2.0 V",
        ),
    ]
}
