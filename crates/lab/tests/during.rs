//! What holds of reads from a memory that erases or programs meanwhile.

use wordline_catalog::{Catalog, PartOnBoard};
use wordline_core::quantity::{Quantity, Time};
use wordline_core::results::{NoValue, Row};
use wordline_core::{
    Axis, BackgroundWork, Experiment, Metric, Operation, Pattern, RawWorkload, Resolver, ResultSet,
    Timing, Workload,
};
use wordline_lab::{Control, LabError, run};
use wordline_nvm::ChipModel as _;
use wordline_nvm::bus::Action;
use wordline_nvm::{Conditions, NorSheet};

const NOR: &str = "mt25ql128@stm32h755-qspi";
const NAND: &str = "mt29f1g01@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

/// Reads of 64 B and 4 KiB.
fn workload(during: &[BackgroundWork]) -> RawWorkload {
    RawWorkload {
        operations: vec![Operation::Read],
        during: during.to_vec(),
        access_bytes: vec![64, 4096],
        total_bytes: 1 << 20,
        wrap_bytes: 1 << 20,
        ..RawWorkload::default()
    }
}

fn experiment(target: &str, workload: RawWorkload) -> Experiment {
    Experiment {
        targets: vec![target.to_owned()],
        workload: Workload::Raw(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 1,
        ftl: None,
    }
}

fn try_run(experiment: &Experiment) -> Result<ResultSet, LabError> {
    run(&catalog(), experiment, &Control::default())
}

fn document(target: &str, workload: RawWorkload) -> ResultSet {
    let document = try_run(&experiment(target, workload)).expect("runs");
    assert!(!document.failed(), "{:?}", document.warnings);
    document
}

/// The row of a metric of reads of one size, of one case.
fn row<'a>(
    document: &'a ResultSet,
    metric: Metric,
    bytes: u64,
    case: Option<(&str, &str)>,
) -> &'a Row {
    let mut rows = document.of(metric).filter(|row| {
        row.count(Axis::AccessBytes) == Some(bytes)
            && row.text(Axis::During) == case.map(|(work, _)| work)
            && row.text(Axis::OnConflict) == case.map(|(_, handling)| handling)
    });
    rows.next().expect("there is such a row")
}

fn value(document: &ResultSet, metric: Metric, bytes: u64, case: Option<(&str, &str)>) -> f64 {
    let row = row(document, metric, bytes, case);
    row.value.unwrap_or_else(|| panic!("no value: {row:?}"))
}

/// What the sheets of the NOR flash and its board say of waiting for each other, in seconds.
struct Sheets {
    /// A command that the processor sends, the longest recovery included.
    command: f64,
    /// From one question for the status to the next.
    poll: f64,
    /// Set-up and transfer of a page to program.
    load: f64,
}

impl Sheets {
    fn of(target: &PartOnBoard<'_>) -> (Self, NorSheet) {
        let sheet = target.part.model.sheet::<NorSheet>();
        let sheet = sheet.expect("a NOR flash");
        let board = &target.board.board;
        let driver = board.driver_cost(&mut Resolver::new(Timing::Typ, 0, "board"));
        let link = sheet.link(board).expect("fits");
        let bus = |action, bytes| {
            let command = link.command(action).expect("the part has it");
            command.transaction(0, bytes).total()
        };
        // The longest command has an address.
        let deselect = sheet.deselect_after_write.as_ref().expect("stated");
        let longest = bus(Action::Erase, 0).plus(deselect.nominal());
        let page = sheet.page_bytes.nominal().bytes();
        let poll = driver.command.plus(driver.poll_interval);
        let load = driver.dma_setup.plus(bus(Action::Write, page));
        let sheets = Self {
            command: driver.command.plus(longest).si(),
            poll: poll.plus(bus(Action::Status, 1)).plus(longest).si(),
            load: load.plus(longest).si(),
        };
        (sheets, sheet.clone())
    }

    /// What the driver may still be doing when a read comes: it sees that the work has ended, permits
    /// the next, and begins it.
    fn busy_driver(&self) -> f64 {
        self.poll + 2.0 * self.command + self.load
    }
}

/// The law of suspending: no read takes longer than what a resumed program or erase must run, the
/// suspend command, its latency, what polling finds out late, and the read itself, after the driver.
#[test]
fn a_suspending_read_is_bounded_by_the_sheet_whenever_it_comes() {
    let catalog = catalog();
    let (sheets, nor) = Sheets::of(&catalog.part_on_board(NOR).expect("in the catalogue"));
    let suspend = nor.suspend.as_ref().expect("the sheet has it");
    for pause_ps in [None, Some(0), Some(100_000_000)] {
        let document = document(
            NOR,
            RawWorkload {
                pause_ps,
                patterns: vec![Pattern::Random],
                ..workload(&[BackgroundWork::Erase, BackgroundWork::Program])
            },
        );
        for (work, latency, progress) in [
            ("erase", &suspend.erase_latency, &suspend.erase_progress),
            (
                "program",
                &suspend.program_latency,
                &suspend.program_progress,
            ),
        ] {
            let waited = latency.nominal().plus(progress.nominal()).si();
            for bytes in [64, 4096] {
                let idle = value(&document, Metric::LatencyMax, bytes, None);
                let most =
                    sheets.busy_driver() + sheets.command + 2.0 * sheets.poll + waited + idle;
                let max = value(
                    &document,
                    Metric::LatencyMax,
                    bytes,
                    Some((work, "suspend")),
                );
                assert!(max <= most, "{work} {bytes} B: {max} s, allowed {most} s");
                let least = latency.nominal().si() + idle;
                let half = value(
                    &document,
                    Metric::LatencyP50,
                    bytes,
                    Some((work, "suspend")),
                );
                assert!(
                    half >= least,
                    "{work} {bytes} B: {half} s, at least {least} s"
                );
            }
        }
    }
}

/// What a device promises of reads while it works holds for every read that comes, however often: by the driver or mapped,
/// waiting or suspending. Where reads come all the time, the bound is not far off.
#[test]
fn reads_during_work_keep_their_bound() {
    let catalog = catalog();
    for (target, mapped) in [
        (NOR, false),
        (NOR, true),
        ("mt28ew512@stm32h743-fmc16", true),
        (NAND, false),
        ("nand128w3a2bn@stm32h743-fmc8", false),
    ] {
        let conditions = Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 1,
        };
        let part = catalog.part_on_board(target).expect("in the catalogue");
        let mut device = part.connect(conditions).expect("fits");
        assert!(!mapped || device.map_reads());
        let works = [BackgroundWork::Erase, BackgroundWork::Program];
        let mut tightest = f64::INFINITY;
        for pause_ps in [None, Some(0), Some(50_000_000)] {
            let document = document(
                target,
                RawWorkload {
                    pause_ps,
                    mapped,
                    patterns: vec![Pattern::Random],
                    ..workload(&works)
                },
            );
            for work in works {
                for bytes in [64, 4096] {
                    let read = device.read_bound(0, bytes).expect("inside");
                    let memory = device.background().expect("a flash");
                    let bounds = memory.bounds(work).expect("times");
                    assert_eq!(memory.check_suspend(work).is_ok(), bounds.suspend.is_some());
                    for (on_conflict, suspending) in [("wait", false), ("suspend", true)] {
                        let case = Some((work.name(), on_conflict));
                        let Some(longest) = row(&document, Metric::LatencyMax, bytes, case).value
                        else {
                            assert!(suspending && bounds.suspend.is_none());
                            assert!(bounds.read(read, suspending).is_err());
                            continue;
                        };
                        let bound = bounds.read(read, suspending).expect("a time").si();
                        assert!(longest <= bound, "{target} {case:?}: {longest} of {bound}");
                        tightest = tightest.min(bound / longest);
                    }
                }
            }
        }
        assert!(tightest < 1.15, "{target}: {tightest}");
    }
}

/// The law of waiting: reads come at any moment of the work, so they wait between nothing and all of
/// it, each time as likely as any other.
#[test]
fn a_waiting_read_waits_for_an_even_share_of_the_work() {
    let catalog = catalog();
    let (sheets, nor) = Sheets::of(&catalog.part_on_board(NOR).expect("in the catalogue"));
    let erases = nor
        .erase
        .iter()
        .filter(|one| one.bytes.nominal().bytes() == 1 << 16);
    let erase = erases.map(|one| one.duration.nominal()).next();
    let document = document(
        NOR,
        workload(&[BackgroundWork::Erase, BackgroundWork::Program]),
    );
    for (work, duration) in [
        ("erase", erase.expect("64 KiB")),
        ("program", nor.page_program.nominal()),
    ] {
        for bytes in [64, 4096] {
            let of = |metric| value(&document, metric, bytes, Some((work, "wait")));
            let idle = value(&document, Metric::LatencyMax, bytes, None);
            let begin = sheets.busy_driver();
            let most = duration.si() + idle + begin + sheets.poll;
            let max = of(Metric::LatencyMax);
            assert!(max <= most, "{work} {bytes} B: {max} s, allowed {most} s");
            assert!(
                max > 0.97 * (duration.si() + idle),
                "{work} {bytes} B: {max} s"
            );
            let half = (of(Metric::LatencyP50) - idle) / (duration.si() + begin);
            assert!(
                (0.4..0.6).contains(&half),
                "{work} {bytes} B: {half} of the work"
            );
            assert_eq!(of(Metric::BackgroundDelayMean), 0.0);
            let alone = of(Metric::BackgroundDurationMean) / duration.si();
            assert!((alone - 1.0).abs() < 1e-9, "{work} {bytes} B: {alone}");
        }
    }
}

/// What a piece of work takes beyond its own time is the reads' doing, and more so the more reads
/// there are.
#[test]
fn reads_lengthen_what_they_suspend() {
    let delay = |pause_ps| {
        let document = document(
            NOR,
            RawWorkload {
                pause_ps,
                access_bytes: vec![64],
                ..workload(&[BackgroundWork::Erase])
            },
        );
        let of = |metric| value(&document, metric, 64, Some(("erase", "suspend")));
        let delay = of(Metric::BackgroundDelayMean);
        assert!((of(Metric::BackgroundDurationMean) - delay - 0.15).abs() < 1e-9);
        delay
    };
    let (rare, often, always) = (delay(None), delay(Some(1_000_000_000)), delay(Some(0)));
    assert!(0.0 < rare && rare < often && often < always);
    // Each 192 us of progress are followed by 25 us of suspend latency at least.
    assert!(always > 0.15 * 25.0 / 192.0, "{always}");
}

#[test]
fn the_parts_of_the_slowest_read_add_up() {
    let document = document(
        NOR,
        workload(&[BackgroundWork::Erase, BackgroundWork::Program]),
    );
    for max in document.of(Metric::LatencyMax) {
        let parts = document.of(Metric::LatencyMaxPart).filter(|row| {
            let mut axes = row.axes.clone();
            axes.remove(&Axis::Cause);
            axes == max.axes
        });
        let sum: f64 = parts.filter_map(|row| row.value).sum();
        let max = max.value.expect("a number");
        assert!((sum / max - 1.0).abs() < 1e-9, "{sum} {max}");
    }
}

#[test]
fn the_seed_tells_when_reads_come_and_nothing_else_does() {
    let json = |seed, timing| {
        let experiment = Experiment {
            seed,
            timings: vec![timing],
            ..experiment(NOR, workload(&[BackgroundWork::Erase]))
        };
        try_run(&experiment).expect("runs")
    };
    for timing in [Timing::Typ, Timing::Max, Timing::Sampled] {
        assert_eq!(json(1, timing), json(1, timing));
        assert!(!json(1, timing).failed());
    }
    assert_ne!(json(1, Timing::Typ).rows, json(2, Timing::Typ).rows);
}

/// The runs on an idle memory are those of a document without other work, row for row.
#[test]
fn rows_of_an_idle_memory_stay_as_they_are() {
    for target in [NOR, NAND, MRAM] {
        let plain = document(target, workload(&[]));
        let mut both = document(
            target,
            workload(&[BackgroundWork::Program, BackgroundWork::Erase]),
        );
        both.rows
            .retain(|row| !row.axes.contains_key(&Axis::During));
        assert_eq!(plain.rows, both.rows, "{target}");
    }
}

#[test]
fn what_a_memory_cannot_do_has_no_value_and_a_warning() {
    for work in [BackgroundWork::Erase, BackgroundWork::Program] {
        let codes = |document: &ResultSet| -> Vec<String> {
            let warnings = document.warnings.iter().map(|warning| warning.code.clone());
            warnings.filter(|code| code.starts_with("no-")).collect()
        };
        let nand = document(NAND, workload(&[work]));
        assert_eq!(codes(&nand), ["no-suspend"]);
        let reason = |document, handling| {
            let case = Some((work.name(), handling));
            row(document, Metric::LatencyMax, 64, case).no_value
        };
        assert_eq!(reason(&nand, "wait"), None);
        assert_eq!(reason(&nand, "suspend"), Some(NoValue::NotApplicable));
        let mram = document(MRAM, workload(&[work]));
        assert_eq!(codes(&mram), ["no-background"]);
        assert_eq!(reason(&mram, "wait"), Some(NoValue::NotApplicable));
        assert_eq!(reason(&mram, "suspend"), Some(NoValue::NotApplicable));
    }
}

/// More programs than the spare blocks have pages: the blocks are erased again, and the reads of the
/// pages before them find what was stored.
#[test]
fn programs_go_round_in_the_spare_blocks() {
    let raw = RawWorkload {
        wrap_bytes: (16 << 20) - (64 << 10),
        access_bytes: vec![64],
        total_bytes: 64 * 600,
        ..workload(&[BackgroundWork::Program])
    };
    let document = document(NOR, raw);
    let max = value(&document, Metric::LatencyMax, 64, Some(("program", "wait")));
    assert!(max < 200e-6, "no read waits for the erase between: {max} s");
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let refusal = |change: fn(&mut RawWorkload)| {
        let mut raw = workload(&[BackgroundWork::Erase]);
        change(&mut raw);
        try_run(&experiment(NOR, raw))
            .expect_err("refused")
            .to_string()
    };
    let cases = [
        (
            refusal(|raw| raw.during.push(BackgroundWork::Erase)),
            "during erase is named twice",
        ),
        (
            refusal(|raw| raw.operations = vec![Operation::Write]),
            "during is about reads",
        ),
        (
            refusal(|raw| raw.wrap_bytes = 16 << 20),
            "wrap 16 MiB leaves no block of mt25ql128",
        ),
        (
            refusal(|raw| raw.pause_ps = Some(Time::from_ps(2_000_000_000_000).ps())),
            "pause of 2 s is too long; allowed: 0 s to 1 s",
        ),
        (
            refusal(|raw| {
                raw.during.clear();
                raw.pause_ps = Some(0);
            }),
            "during names none",
        ),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}");
    }
}
