//! `wordline sql tune`: the fastest settings on each target, what they save over the defaults, and how to set them.

use wordline_core::results::{AxisValue, CardPoint, CardSubject, DecisionCard};
use wordline_core::{Axis, Basis, Metric, SqlTest, SqlWorkload, Workload};

use super::card::{DatabaseSetup, table};
use super::{TIMES, transaction};
use crate::answer::Answer;
use crate::card::{FirstScreen, foundation};
use crate::pivot::{Pivot, PivotLine, together};
use crate::text;

/// The file system whose defaults others are compared with, where it ran.
const REFERENCE: &str = "littlefs";

/// What a search came to on a target.
struct TunedTarget<'a, 'p> {
    /// The fastest that survives power cuts, as far as they were cut.
    best: DatabaseSetup<'a, 'p>,
    /// The defaults of SQLite on [`REFERENCE`], or else on the first file system.
    defaults: Option<DatabaseSetup<'a, 'p>>,
    /// The best on each other file system, the fastest first.
    others: Vec<DatabaseSetup<'a, 'p>>,
}

/// The workload, where it is a search.
fn search<'a>(pivot: &Pivot<'a>) -> Option<&'a SqlWorkload> {
    match &pivot.document.experiment.workload {
        Workload::Sql(sql) if sql.test == SqlTest::Tune => Some(sql),
        _ => None,
    }
}

/// The lines of points with all figures, and those of their power cuts: the defaults and the best of each file system.
fn chosen<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let is_of = |line: &PivotLine<'_>, other: &PivotLine<'_>| {
        let mut axes = [
            Axis::Fs,
            Axis::Journal,
            Axis::Sync,
            Axis::PageBytes,
            Axis::CheckpointPages,
            Axis::Log,
            Axis::Told,
            Axis::FsSettings,
        ]
        .into_iter();
        line.head().target == other.head().target
            && axes.all(|axis| line.axis(axis) == other.axis(axis))
    };
    let full = pivot.select(|line| line.at(Metric::FileSystemRam, &[]).is_some());
    pivot.select(|line| full.iter().any(|full| is_of(line, full)))
}

fn is_defaults(setup: &DatabaseSetup<'_, '_>) -> bool {
    let usual = SqlWorkload::default();
    let line = setup.lines[0];
    let text = |axis| line.head().text(axis);
    text(Axis::Journal) == Some("delete")
        && text(Axis::Sync) == Some(usual.syncs[0].name())
        && text(Axis::FsSettings).is_none()
        && line.axis(Axis::PageBytes) == Some(&AxisValue::Count(usual.page_bytes[0]))
}

/// Whether a search could come to the defaults.
fn allows_defaults(workload: &SqlWorkload) -> bool {
    let usual = SqlWorkload::default();
    workload
        .journals
        .contains(&wordline_core::SqlJournal::Delete)
        && workload.syncs.contains(&usual.syncs[0])
        && workload.page_bytes.contains(&usual.page_bytes[0])
}

impl<'a, 'p> TunedTarget<'a, 'p> {
    /// Those on which a search came to something, in the order of the document.
    fn all(pivot: &'p Pivot<'a>, workload: &SqlWorkload) -> Vec<Self> {
        let lines = together(chosen(pivot), |line| line.head().target.clone());
        let of = |lines: Vec<&'p PivotLine<'a>>| {
            let setups = DatabaseSetup::of(lines);
            let fs = |setup: &DatabaseSetup<'_, '_>| setup.lines[0].field(Axis::Fs);
            let allows = allows_defaults(workload);
            let (mut best, mut defaults) = (Vec::new(), Vec::new());
            for setup in setups {
                let is_first = best.iter().all(|other| fs(other) != fs(&setup));
                match is_defaults(&setup) {
                    true if allows && is_first => {
                        // It is both: nothing that was tried is faster.
                        defaults.push(setup.clone());
                        best.push(setup);
                    }
                    true => defaults.push(setup),
                    false if is_first => best.push(setup),
                    false => {}
                }
            }
            let reference = defaults.iter().position(|setup| fs(setup) == REFERENCE);
            let defaults = match defaults.is_empty() {
                true => None,
                false => Some(defaults.swap_remove(reference.unwrap_or(0))),
            };
            let mut best = best.into_iter();
            Some(Self {
                best: best.next()?,
                defaults,
                others: best.collect(),
            })
        };
        lines.into_iter().filter_map(of).collect()
    }

    /// How many times as fast as the defaults it is, each kind of transaction weighing the same.
    fn gain(&self) -> Option<f64> {
        let defaults = self.defaults.as_ref()?;
        let kinds = defaults.lines.len().max(1) as f64;
        Some(((defaults.cost() - self.best.cost()) / kinds).exp())
    }

    /// "Take flat, journal wal, pages of 512 B: 250 times as fast as the defaults on littlefs, and no simulated power cut
    /// loses data."
    fn sentence(&self) -> String {
        let gain = match (self.gain(), &self.defaults) {
            (Some(gain), Some(defaults)) => {
                let system = super::system(defaults.lines[0]);
                format!("{} as fast as the defaults on {system}", text::factor(gain))
            }
            _ => "the fastest that ran".to_owned(),
        };
        let cuts = match self.best.images() {
            Some((_, 0.0)) => ", and no simulated power cut loses data",
            Some(_) => "; but simulated power cuts lose data",
            None => "; power was not cut",
        };
        let name = self.best.name();
        match self.best.rank() {
            3 => format!("{name} was run and came to no figures."),
            2 => format!("No setting survives every power cut. {name}: {gain}{cuts}."),
            _ => format!("Take {name}: {gain}{cuts}."),
        }
    }

    /// "insert of 10 rows takes 36.7 us on average, and 9.11 ms with the defaults on littlefs".
    fn speed(&self) -> Option<CardPoint> {
        let (line, mean) = self.best.told()?;
        let mut words = self.best.takes()?;
        if let Some(defaults) = &self.defaults {
            let (_, usual) = defaults.told()?;
            let usual = text::number(Metric::LatencyMean, usual, text::DIGITS);
            let system = super::system(defaults.lines[0]);
            words = format!("{words}, and {usual} with the defaults on {system}");
        }
        let basis = line.at(Metric::LatencyMean, &[])?.basis;
        let subject = CardSubject::Speed;
        Some(CardPoint::of_value(
            subject,
            words,
            Metric::LatencyMean,
            Some(mean),
            basis,
        ))
    }

    /// The statements that set a connection up.
    fn pragmas(&self) -> String {
        let line = self.best.lines[0];
        let text = |axis| line.head().text(axis).unwrap_or_default().to_owned();
        let count = |axis| match line.axis(axis) {
            Some(AxisValue::Count(count)) => Some(*count),
            _ => None,
        };
        let page = count(Axis::PageBytes).unwrap_or_default();
        let mut all = vec![
            format!("page_size={page}"),
            format!("journal_mode={}", text(Axis::Journal)),
            format!("synchronous={}", text(Axis::Sync)),
        ];
        all.extend(count(Axis::CheckpointPages).map(|pages| format!("wal_autocheckpoint={pages}")));
        if text(Axis::Log) == "cut" {
            all.push("journal_size_limit=0".to_owned());
        }
        let all = all.iter().map(|pragma| format!("PRAGMA {pragma};"));
        all.collect::<Vec<_>>().join(" ")
    }

    /// The command that runs it again.
    fn command(&self, workload: &SqlWorkload) -> String {
        let line = self.best.lines[0];
        let head = line.head();
        let mut words = vec![format!("wordline sql bench --target {}", head.target)];
        let pages = match line.axis(Axis::PageBytes) {
            Some(AxisValue::Count(bytes)) => bytes.to_string(),
            _ => String::new(),
        };
        let mut add = |flag: &str, value: String| {
            if !value.is_empty() {
                words.push(format!("--{flag} {value}"));
            }
        };
        add("on", line.field(Axis::Fs));
        add("log-target", line.field(Axis::LogTarget));
        add("log-on", line.field(Axis::LogFs));
        add("journal", line.field(Axis::Journal));
        add("page", pages);
        add("checkpoint", line.field(Axis::CheckpointPages));
        let usual = SqlWorkload::default();
        let axis = |axis, usual: &str| match line.field(axis) {
            named if named == usual => String::new(),
            named => named,
        };
        add("log", axis(Axis::Log, usual.logs[0].name()));
        add("sync", axis(Axis::Sync, usual.syncs[0].name()));
        add("told", axis(Axis::Told, usual.told[0].name()));
        match &workload.script {
            Some(script) => add("script", script.clone()),
            None => {
                let names = workload.works.iter().map(|work| work.name());
                add("workload", names.collect::<Vec<_>>().join(","));
                let rows = workload.rows.iter().map(ToString::to_string);
                add("rows", rows.collect::<Vec<_>>().join(","));
                let mut rows = workload.rows.iter();
                let differs = rows
                    .any(|rows| workload.transactions_of(*rows) != usual.transactions_of(*rows));
                let transactions = workload.rows.first().filter(|_| differs);
                let transactions = transactions.map(|rows| workload.transactions_of(*rows));
                add(
                    "transactions",
                    transactions.map_or(String::new(), |of| of.to_string()),
                );
            }
        }
        let bytes = |bytes: u64| wordline_core::quantity::ByteCount::from_bytes(bytes);
        let compact = |of| bytes(of).to_string().replace(' ', "");
        if workload.cache_bytes != usual.cache_bytes {
            add("cache", compact(workload.cache_bytes));
        }
        add(
            "capacity",
            workload.capacity_bytes.map_or(String::new(), compact),
        );
        let own = workload.settings.iter();
        let own = own.filter(|(name, _)| name.starts_with(&format!("{}.", line.field(Axis::Fs))));
        for (name, value) in own {
            add("set", format!("{name}={value}"));
        }
        for choice in line.field(Axis::FsSettings).split(',') {
            add("set", choice.to_owned());
        }
        words.join(" ")
    }

    fn points(&self, workload: &SqlWorkload) -> Vec<CardPoint> {
        let mut points = Vec::new();
        points.extend(self.speed());
        points.extend(self.best.power_cut());
        let words = |words: String| CardPoint::words(CardSubject::Settings, words);
        points.push(words(self.pragmas()));
        points.push(words(self.command(workload)));
        points.extend(self.best.worst_case());
        points.extend(self.best.cause());
        points.extend(self.best.ram());
        points.extend(
            self.others
                .first()
                .and_then(|other| other.against(&self.best, CardSubject::RunnerUp)),
        );
        points
    }
}

/// The first screen of a search.
pub(super) fn card(pivot: &Pivot<'_>) -> Option<FirstScreen> {
    let workload = search(pivot)?;
    let all = TunedTarget::all(pivot, workload);
    let first = all.first()?;
    let mut points = first.points(workload);
    points.extend(all[1..].iter().map(|other| {
        let mean = other.best.told().map(|(_, mean)| mean);
        let subject = CardSubject::Finding;
        CardPoint::of_value(
            subject,
            other.sentence(),
            Metric::LatencyMean,
            mean,
            Basis::Simulated,
        )
    }));
    points.extend(foundation(pivot.document));
    let ranked = std::iter::once(&first.best).chain(&first.others);
    Some(FirstScreen {
        answer: DecisionCard {
            sentence: first.sentence(),
            take: (first.best.rank() < 2).then(|| first.best.name()),
            points,
            ranking: ranked.map(DatabaseSetup::ranked).collect(),
            cautions: Vec::new(),
        },
        table: table(&lines(&all)),
        of: "transactions",
        ..FirstScreen::default()
    })
}

/// The lines of each target's best, of the others and of the defaults.
fn lines<'p, 'a>(all: &[TunedTarget<'a, 'p>]) -> Vec<&'p PivotLine<'a>> {
    let setups = all.iter().flat_map(|one| {
        let first = std::iter::once(&one.best);
        first.chain(&one.others).chain(&one.defaults)
    });
    let lines = setups.flat_map(|setup| setup.lines.iter().copied());
    together(lines.collect(), |line| transaction(line)).concat()
}

/// What a search came to, in sentences.
pub(super) fn answer(pivot: &Pivot<'_>) -> Option<Answer> {
    let workload = search(pivot)?;
    let mut sentences = Vec::new();
    for one in TunedTarget::all(pivot, workload) {
        sentences.push(one.sentence());
        sentences.extend(
            one.speed()
                .map(|point| format!("{}.", text::capital(&point.text))),
        );
        sentences.push(format!("Set up a connection by {}", one.pragmas()));
        sentences.push(format!("Run it again: {}.", one.command(workload)));
        sentences.extend(one.best.slowest());
    }
    if !sentences.is_empty() {
        sentences.push(TIMES.to_owned());
    }
    Some(Answer::of_all(sentences))
}
