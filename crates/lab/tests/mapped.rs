//! What holds of reads through the address space of the processor.

use wordline_catalog::Catalog;
use wordline_core::quantity::Quantity;
use wordline_core::results::{Row, WarningCode};
use wordline_core::{
    Axis, Experiment, Metric, Operation, Pattern, RawWorkload, ResultSet, Timing, Workload,
};
use wordline_lab::{Control, LabError, run};
use wordline_nvm::bus::Action;

const NOR: &str = "mt25ql128@stm32h755-qspi";
const PARALLEL_NOR: &str = "mt28ew512@stm32h743-fmc16";
const MRAM: &str = "em064lx@stm32h7s78-xspi";
const PARALLEL_MRAM: &str = "mr4a16b@stm32h743-fmc16";
const NAND: &str = "mt29f1g01@stm32h755-qspi";

/// Bytes of an image that is started, and of a line.
const IMAGE: u64 = 1 << 20;
const LINE: u64 = 32;

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn try_run(
    target: &str,
    mapped: bool,
    change: impl FnOnce(&mut RawWorkload),
) -> Result<ResultSet, LabError> {
    let mut workload = RawWorkload {
        operations: vec![Operation::Read],
        mapped,
        access_bytes: vec![LINE],
        total_bytes: IMAGE,
        wrap_bytes: IMAGE,
        ..RawWorkload::default()
    };
    change(&mut workload);
    let experiment = Experiment {
        targets: vec![target.to_owned()],
        workload: Workload::Raw(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 1,
        ftl: None,
    };
    run(&catalog(), &experiment, &Control::default())
}

fn reads(target: &str, mapped: bool, change: impl FnOnce(&mut RawWorkload)) -> ResultSet {
    let document = try_run(target, mapped, change).expect("runs");
    assert!(!document.failed(), "{:?}", document.warnings);
    document
}

fn row(document: &ResultSet, metric: Metric, bytes: u64) -> &Row {
    let mut rows = document.of(metric);
    rows.find(|row| row.count(Axis::AccessBytes) == Some(bytes))
        .expect("there is such a row")
}

fn value(document: &ResultSet, metric: Metric, bytes: u64) -> f64 {
    row(document, metric, bytes).value.expect("a value")
}

/// Seconds of command, address and dummies of a read, and of `bytes` bytes of data, by the sheets alone.
fn phases(target: &str, bytes: u64) -> (f64, f64) {
    let catalog = catalog();
    let target = catalog.part_on_board(target).expect("in the catalogue");
    let link = target.part.model.link(&target.board.board).expect("fits");
    let read = link.command(Action::Read).expect("it can be read");
    let bus = read.transaction(0, bytes);
    (bus.command.si(), bus.data.si())
}

/// An image that starts in order takes one command and its data, in pieces of a line or of a routine; lines from anywhere
/// take a command each.
#[test]
fn an_image_starts_within_one_command_and_its_data() {
    for (target, clocks) in [
        // Opcode on one line, three bytes of address on four, 10 dummies; two clocks a byte at 120 MHz.
        (NOR, Some((24.0, 2.0 * IMAGE as f64, 120e6))),
        // Sixteen bits in 12 clocks of 240 MHz.
        (PARALLEL_MRAM, Some((0.0, 6.0 * IMAGE as f64, 240e6))),
        (PARALLEL_NOR, None),
        (MRAM, None),
    ] {
        let (command, data) = phases(target, IMAGE);
        if let Some((command_clocks, data_clocks, hertz)) = clocks {
            assert!((command - command_clocks / hertz).abs() < 1e-12, "{target}");
            assert!((data - data_clocks / hertz).abs() < 1e-12, "{target}");
        }
        for piece in [LINE, 512] {
            let document = reads(target, true, |raw| raw.access_bytes = vec![piece]);
            let taken = IMAGE as f64 / value(&document, Metric::ThroughputMean, piece);
            // The wait of the first fetch for chip select, and half a picosecond for each piece.
            let expected = command + data;
            let slack = 100e-9 + 0.5e-12 * (IMAGE / piece) as f64;
            assert!(
                (expected - 1e-9..=expected + slack).contains(&taken),
                "{target}, {piece} B: {taken} s, by hand {expected} s"
            );
        }
        let document = reads(target, true, |raw| raw.patterns = vec![Pattern::Random]);
        let (command, data) = phases(target, LINE);
        let slowest = value(&document, Metric::LatencyMax, LINE);
        assert!(
            (command + data..command + data + 100e-9).contains(&slowest),
            "{target}: {slowest} s"
        );
    }
}

/// No driver is paid for: that is the whole difference where nothing else is.
#[test]
fn a_mapped_read_saves_the_driver() {
    let (mapped, plain) = (reads(NOR, true, |_| {}), reads(NOR, false, |_| {}));
    let latency = |document| value(document, Metric::LatencyMax, LINE);
    // 17.75 us of DMA set-up, in which chip select rises.
    let saved = latency(&plain) - latency(&mapped);
    assert!((saved - 17.75e-6).abs() < 0.1e-6, "{saved} s");
    let shares = mapped.of(Metric::TimeShare);
    let mut driver = shares.filter(|row| row.text(Axis::Cause) == Some("driver"));
    assert!(driver.all(|row| row.value == Some(0.0)));
    assert_eq!(
        row(&mapped, Metric::LatencyMax, LINE).text(Axis::Path),
        Some("mapped")
    );
    assert_eq!(row(&plain, Metric::LatencyMax, LINE).text(Axis::Path), None);
}

/// What the controller fetches in a pause shortens the next read by as much as its buffer holds.
#[test]
fn pauses_are_used_to_fetch_ahead() {
    let (_, line) = phases(NOR, LINE);
    let (_, piece) = phases(NOR, 512);
    for (bytes, expected) in [(LINE, 0.0), (512, piece - line)] {
        let document = reads(NOR, true, |raw| {
            raw.access_bytes = vec![bytes];
            raw.gaps_ps = vec![1_000_000_000];
        });
        let half = value(&document, Metric::LatencyP50, bytes);
        assert!(
            (half - expected).abs() <= 0.002 * expected + 1e-12,
            "{half} s, by hand {expected} s"
        );
    }
}

/// What no board maps is read by its driver, and the result says so; writes are the driver's in any case.
#[test]
fn what_is_not_mapped_is_read_by_its_driver() {
    let asked = reads(NAND, true, |_| {});
    let plain = reads(NAND, false, |_| {});
    let told = |document: &ResultSet| {
        let code = WarningCode::NotMapped.name();
        document
            .warnings
            .iter()
            .filter(|one| one.code == code)
            .count()
    };
    assert_eq!((told(&asked), told(&plain)), (1, 0));
    let latency = row(&asked, Metric::LatencyMax, LINE);
    assert_eq!(latency.text(Axis::Path), Some("driver"));
    assert_eq!(latency.value, row(&plain, Metric::LatencyMax, LINE).value);
    let both = |mapped| {
        reads("em064lx@stm32h755-qspi", mapped, |raw| {
            raw.operations = vec![Operation::Read, Operation::Write];
        })
    };
    let writes = |document: &ResultSet| -> Vec<Row> {
        let rows = document.rows.iter();
        rows.filter(|row| row.operation == Operation::Write.into())
            .cloned()
            .collect()
    };
    let mapped = writes(&both(true));
    assert!(!mapped.is_empty() && mapped == writes(&both(false)));
    let error =
        try_run(NOR, true, |raw| raw.operations = vec![Operation::Write]).expect_err("refused");
    assert!(
        error.to_string().contains("mapped is about reads"),
        "{error}"
    );
}
