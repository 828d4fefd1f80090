//! From a measure as the file writes it to one that can be taken, checked once.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, DataRate, Fraction, Quantity, Time};
use wordline_core::{Arrival, EngineName, Metric, Mix, Operation, Pattern, Timing};

use super::modules::{QuestionName, TestName};
use super::{
    Curves, Extent, Input, Kind, Measure, ModuleRun, ModuleTest, Question, Run, Sequence, TableRun,
    Variant,
};

/// A measure as the file writes it. The divisor takes from the dividend what it leaves out.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Partial {
    target: Option<String>,
    workload: Option<Kind>,
    operation: Option<Operation>,
    access: Option<ByteCount>,
    pattern: Option<Pattern>,
    variant: Option<Variant>,
    timing: Option<Timing>,
    fill: Option<Fraction>,
    wrap: Option<ByteCount>,
    warm_up: Option<ByteCount>,
    total: Option<ByteCount>,
    window: Option<u64>,
    streams: Option<u32>,
    metric: Option<Metric>,
    cause: Option<String>,
    sequence: Option<String>,
    period: Option<Time>,
    rate: Option<DataRate>,
    ram: Option<ByteCount>,
    arrival: Option<Arrival>,
    sheet: Option<String>,
    figure: Option<String>,
    column: Option<String>,
    test: Option<TestName>,
    mix: Option<Mix>,
    curve: Option<QuestionName>,
    against: Option<String>,
    idle_multiple: Option<f64>,
    within: Option<Time>,
    against_share: Option<f64>,
    table: Option<EngineName>,
    wear: Option<super::wear::WrittenWear>,
}

/// What only tests and curves of memory modules have.
const OF_MODULES: [&str; 7] = [
    "test",
    "mix",
    "curve",
    "against",
    "idle_multiple",
    "within",
    "against_share",
];

impl Partial {
    /// The divisor of a ratio: what it leaves out, it takes from the dividend. A metric of its own
    /// comes with a cause and an input of its own, or with none.
    pub(super) fn after(&self, of: &Self) -> Self {
        let own = self.metric.is_some();
        let or = |mine: &Option<String>, other: &Option<String>| mine.clone().or(other.clone());
        Self {
            target: or(&self.target, &of.target),
            workload: self.workload.or(of.workload),
            operation: self.operation.or(of.operation),
            access: self.access.or(of.access),
            // A ratio compares a pattern or a variant with the plain accesses.
            pattern: self.pattern,
            variant: self.variant,
            timing: self.timing.or(of.timing),
            // Memories of another size are full elsewhere.
            fill: self.fill,
            wrap: self.wrap,
            warm_up: self.warm_up,
            total: self.total,
            window: self.window,
            streams: self.streams,
            metric: self.metric.or(of.metric),
            cause: (self.cause.clone()).or_else(|| of.cause.clone().filter(|_| !own)),
            sequence: or(&self.sequence, &of.sequence),
            period: self.period.or(of.period.filter(|_| !own)),
            rate: self.rate.or(of.rate.filter(|_| !own)),
            ram: self.ram.or(of.ram.filter(|_| !own)),
            arrival: self.arrival.or(of.arrival.filter(|_| !own)),
            sheet: or(&self.sheet, &of.sheet),
            figure: or(&self.figure, &of.figure),
            column: or(&self.column, &of.column),
            test: self.test.or(of.test),
            // A test of its own has a mix of its own, or none.
            mix: self.mix.or(of.mix.filter(|_| self.test.is_none())),
            curve: self.curve.or(of.curve),
            against: self.against.clone(),
            idle_multiple: self.idle_multiple,
            within: self.within,
            against_share: self.against_share,
            table: self.table.clone().or(of.table.clone()),
            // A test of wear says in full what it is.
            wear: self.wear.clone(),
        }
    }

    pub(super) fn measure(self, target: &str, sequences: &[Sequence]) -> Result<Measure, String> {
        if let Some(wear) = self.wear.clone() {
            self.only("a test of wear", &["wear"])?;
            return Ok(Measure::Wear(wear.measure(target)));
        }
        if self.curve.is_some() {
            return self.curves(target).map(Measure::Curves);
        }
        if self.test.is_some() {
            return self.module(target);
        }
        if self.table.is_some() {
            return self.table(target);
        }
        if let Some(key) = self.given().find(|key| OF_MODULES.contains(key)) {
            return Err(format!(
                "{key} belongs to a test or a curve of memory modules"
            ));
        }
        let runs = self.operation.is_some() || self.target.is_some();
        if let (Some(sheet), Some(figure)) = (&self.sheet, &self.figure) {
            if self.metric.is_some() || runs {
                return Err("a figure of a sheet is not run".to_owned());
            }
            return Ok(Measure::Figure {
                sheet: sheet.clone(),
                figure: figure.clone(),
                column: self.column.unwrap_or_else(|| "typ".to_owned()),
            });
        }
        let missing = |what: &str| format!("{what} is missing");
        let metric = self.metric.ok_or_else(|| missing("metric"))?;
        if let Some(name) = &self.sequence {
            if runs {
                return Err("a sequence is not run".to_owned());
            }
            let sequence = sequences.iter().find(|sequence| sequence.name == *name);
            let sequence = sequence.ok_or_else(|| format!("no sequence {name:?}"))?;
            if !IN_THEORY.contains(&metric) {
                return Err(format!("the theory has no {metric}"));
            }
            return Ok(Measure::Theory {
                sequence: sequence.clone(),
                metric,
                input: self.input(metric)?,
            });
        }
        let buffers = self.workload == Some(Kind::Buffer);
        let input = match buffers {
            true => self.input(metric)?,
            false if self.has_input() => return Err("an input without a buffer".to_owned()),
            false => Input::default(),
        };
        let extent = self.extent()?;
        let run = Run {
            target: self.target.unwrap_or_else(|| target.to_owned()),
            workload: self.workload.unwrap_or_default(),
            operation: self.operation.ok_or_else(|| missing("operation"))?,
            access_bytes: self.access.ok_or_else(|| missing("access"))?.bytes(),
            pattern: self.pattern.unwrap_or(Pattern::Sequential),
            variant: self.variant,
            timing: self.timing.unwrap_or(Timing::Typ),
            extent,
        };
        Ok(Measure::Row {
            run,
            metric,
            cause: self.cause,
            input,
        })
    }

    /// How much of the memory is touched.
    fn extent(&self) -> Result<Extent, String> {
        let fill_percent = match self.fill.map(Quantity::si) {
            None => None,
            Some(share)
                if (0.0..=1.0).contains(&share)
                    && (share * 100.0 - (share * 100.0).round()).abs() < 1e-9 =>
            {
                Some((share * 100.0).round() as u8)
            }
            Some(share) => return Err(format!("a fill of {share} is no whole percentage")),
        };
        let bytes = |size: Option<ByteCount>| size.map(ByteCount::bytes);
        Ok(Extent {
            fill_percent,
            wrap_bytes: bytes(self.wrap),
            warm_up_bytes: bytes(self.warm_up),
            total_bytes: bytes(self.total),
            window: self.window,
            streams: self.streams,
        })
    }

    /// A row of a test of memory modules.
    fn module(self, target: &str) -> Result<Measure, String> {
        self.only(
            "a test of memory modules",
            &["target", "test", "mix", "metric"],
        )?;
        let test = match (self.test, self.mix) {
            (Some(TestName::Bandwidth), Some(mix)) => ModuleTest::Bandwidth { mix },
            (Some(TestName::Bandwidth), None) => return Err("mix is missing".to_owned()),
            (_, None) => ModuleTest::Idle,
            (_, Some(_)) => return Err("the idle test has no mix".to_owned()),
        };
        Ok(Measure::Module {
            run: ModuleRun {
                target: self.target.unwrap_or_else(|| target.to_owned()),
                test,
            },
            metric: self.metric.ok_or("metric is missing")?,
        })
    }

    /// A row of a hash table.
    fn table(self, target: &str) -> Result<Measure, String> {
        let allowed = ["target", "table", "operation", "access", "metric"];
        self.only("a hash table", &allowed)?;
        Ok(Measure::Table {
            run: TableRun {
                target: self.target.unwrap_or_else(|| target.to_owned()),
                table: self.table.ok_or("table is missing")?,
                operation: self.operation.ok_or("operation is missing")?,
                access_bytes: self.access.ok_or("access is missing")?.bytes(),
            },
            metric: self.metric.ok_or("metric is missing")?,
        })
    }

    /// A question to two curves.
    fn curves(self, target: &str) -> Result<Curves, String> {
        let own: &[&str] = match self.curve {
            Some(QuestionName::Reduction) => &["idle_multiple"],
            Some(QuestionName::Share) => &["within", "against_share"],
            _ => &[],
        };
        let allowed = [&["curve", "target", "against"], own].concat();
        self.only("this curve", &allowed)?;
        let question = match self.curve {
            Some(QuestionName::Reduction) => {
                let idle_multiple = self.idle_multiple.ok_or("idle_multiple is missing")?;
                if !(idle_multiple > 1.0 && idle_multiple.is_finite()) {
                    return Err(format!("an idle_multiple of {idle_multiple}"));
                }
                Question::Reduction { idle_multiple }
            }
            Some(QuestionName::Share) => {
                let against_share = self.against_share.ok_or("against_share is missing")?;
                if !(against_share > 0.0 && against_share < 1.0) {
                    return Err(format!("an against_share of {against_share}"));
                }
                let within = self.within.ok_or("within is missing")?;
                Question::Share {
                    within_ps: within.ps(),
                    against_share,
                }
            }
            _ => Question::Crossover,
        };
        let target = self.target.unwrap_or_else(|| target.to_owned());
        let against = self.against.ok_or("against is missing")?;
        if target == against {
            return Err(format!("{target} is compared with itself"));
        }
        Ok(Curves {
            question,
            target,
            against,
        })
    }

    /// Only some keys are given.
    fn only(&self, what: &str, allowed: &[&str]) -> Result<(), String> {
        match self.given().find(|key| !allowed.contains(key)) {
            Some(key) => Err(format!("{what} has no {key}")),
            None => Ok(()),
        }
    }

    /// The keys that are given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            ("target", self.target.is_some()),
            ("workload", self.workload.is_some()),
            ("operation", self.operation.is_some()),
            ("access", self.access.is_some()),
            ("pattern", self.pattern.is_some()),
            ("variant", self.variant.is_some()),
            ("timing", self.timing.is_some()),
            ("fill", self.fill.is_some()),
            ("wrap", self.wrap.is_some()),
            ("warm_up", self.warm_up.is_some()),
            ("total", self.total.is_some()),
            ("window", self.window.is_some()),
            ("streams", self.streams.is_some()),
            ("metric", self.metric.is_some()),
            ("cause", self.cause.is_some()),
            ("sequence", self.sequence.is_some()),
            ("period", self.period.is_some()),
            ("rate", self.rate.is_some()),
            ("ram", self.ram.is_some()),
            ("arrival", self.arrival.is_some()),
            ("sheet", self.sheet.is_some()),
            ("figure", self.figure.is_some()),
            ("column", self.column.is_some()),
            ("test", self.test.is_some()),
            ("mix", self.mix.is_some()),
            ("curve", self.curve.is_some()),
            ("against", self.against.is_some()),
            ("idle_multiple", self.idle_multiple.is_some()),
            ("within", self.within.is_some()),
            ("against_share", self.against_share.is_some()),
            ("table", self.table.is_some()),
            ("wear", self.wear.is_some()),
        ];
        keys.into_iter()
            .filter(|(_, given)| *given)
            .map(|(key, _)| key)
    }

    fn has_input(&self) -> bool {
        self.period.is_some() || self.rate.is_some() || self.ram.is_some() || self.arrival.is_some()
    }

    /// The input that a metric is asked at: a rate, a RAM, or neither.
    fn input(&self, metric: Metric) -> Result<Input, String> {
        let rate = match (self.rate, self.period, self.access) {
            (Some(_), Some(_), _) => return Err("a rate and a period".to_owned()),
            (rate, None, _) => rate.map(Quantity::si),
            (None, Some(_), None) => return Err("a period without an access".to_owned()),
            (None, Some(period), Some(access)) => {
                // Picoseconds, so that whole bytes in whole milliseconds remain exact.
                Some(access.bytes() as f64 * 1e12 / period.ps() as f64)
            }
        };
        let (needs_rate, needs_ram) = match metric {
            Metric::RamPeak | Metric::RamPeakInFlight | Metric::GrowthRate => (true, false),
            Metric::RateMax => (false, true),
            _ => (false, false),
        };
        let asked = needs_rate || needs_ram;
        for (what, given, needed) in [
            ("rate", rate.is_some(), needs_rate),
            ("ram", self.ram.is_some(), needs_ram),
            ("arrival", self.arrival.is_some() || asked, asked),
        ] {
            match (given, needed) {
                (true, false) => return Err(format!("{metric} has no {what}")),
                (false, true) => return Err(format!("{metric} needs a {what}")),
                _ => {}
            }
        }
        Ok(Input {
            rate_bytes_per_s: rate,
            ram_bytes: self.ram.map(ByteCount::bytes),
            arrival: asked.then(|| self.arrival.unwrap_or(Arrival::Record)),
        })
    }
}

/// What the theory says of a sequence.
const IN_THEORY: [Metric; 6] = [
    Metric::RamPeak,
    Metric::RamPeakInFlight,
    Metric::RateMax,
    Metric::ThroughputMean,
    Metric::LatencyMax,
    Metric::SequenceDurationMax,
];
