use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use wordline_catalog::Catalog;
use wordline_core::results::{NoValue, WarningCode};
use wordline_core::{Axis, Basis, Metric, RowOperation, SimClock, WearUsage, Workload};
use wordline_host::mtd::{Description, EccCounts, MtdKind};
use wordline_memory::{Flash as _, FlashError as _, FlashErrorKind};
use wordline_nvm::{Accounts, Conditions, CycledFlash as _, Named, Nand, NvmError, Wired};
use wordline_trace::cycling::{CyclingLog, CyclingOperation};

use super::*;

/// A driver over a simulated chip, as a real one's would be.
struct Driver {
    chip: Wired<Nand>,
    marked: Rc<RefCell<Vec<u64>>>,
    /// Raised after so many erases, as a user's interrupt.
    stop: Option<(u64, Rc<AtomicBool>)>,
    erases: u64,
    ecc: EccCounts,
    /// The erase at which the chip is pulled out.
    gone_at: u64,
    /// The erase from which on the chip is protected from writes.
    protected_at: u64,
}

fn io_error(error: &NvmError) -> io::Error {
    match error.kind() {
        FlashErrorKind::ProgramFailed | FlashErrorKind::EraseFailed | FlashErrorKind::BadBlock => {
            Errno::IO.into()
        }
        _ => io::Error::other(error.to_string()),
    }
}

impl Driver {
    fn place(&self, at: u64) -> (u32, u32) {
        let page_bytes = u64::from(self.chip.geometry().page_bytes);
        ((at / page_bytes) as u32, (at % page_bytes) as u32)
    }

    fn block(&self, at: u64) -> u32 {
        (at / self.chip.geometry().block_bytes()) as u32
    }
}

impl Calls for Driver {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let (page, column) = self.place(at);
        match self.chip.read(page, column, out) {
            Ok(_) => Ok(()),
            // As Linux does it: the data come, and a count grows.
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => {
                self.ecc.failed += 1;
                Ok(())
            }
            Err(error) => Err(io_error(&error)),
        }
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        let (page, column) = self.place(at);
        let written = self.chip.program(page, column, data);
        written.map_err(|error| io_error(&error))
    }

    fn erase(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        assert_eq!(bytes, self.chip.geometry().block_bytes());
        self.erases += 1;
        if let Some((after, stop)) = &self.stop
            && self.erases == *after
        {
            stop.store(true, Ordering::Relaxed);
        }
        if self.erases == self.gone_at {
            return Err(Errno::NODEV.into());
        }
        if self.erases >= self.protected_at {
            return Err(Errno::IO.into());
        }
        let block = self.block(at);
        self.chip.erase(block).map_err(|error| io_error(&error))
    }

    fn is_bad(&mut self, at: u64) -> io::Result<bool> {
        let block = self.block(at);
        self.chip.is_bad(block).map_err(|error| io_error(&error))
    }

    fn mark_bad(&mut self, at: u64) -> io::Result<()> {
        self.marked.borrow_mut().push(at);
        let block = self.block(at);
        self.chip.mark_bad(block).map_err(|error| io_error(&error))
    }

    fn ecc(&mut self) -> io::Result<EccCounts> {
        Ok(self.ecc)
    }
}

/// A chip whose blocks last some hundred cycles.
fn weak() -> (tempfile::TempDir, Catalog) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let sheet = include_str!("../../../../catalog/parts/nand/nand08gw3b2c.toml")
        .replace("part = \"nand08gw3b2c\"", "part = \"weak\"")
        .replace("typ = \"5000000 cycles\"", "typ = \"700 cycles\"")
        .replace("range = [\"100000 cycles\", ", "range = [\"100 cycles\", ");
    std::fs::write(folder.path().join("weak.toml"), sheet).expect("it can be written");
    let catalog = Catalog::load(&[folder.path().to_owned()]).expect("it is sound");
    (folder, catalog)
}

struct Bed {
    flash: Mtd<Driver>,
    clock: SimClock,
    marked: Rc<RefCell<Vec<u64>>>,
}

fn protected(catalog: &Catalog, from: u64) -> Bed {
    let bed = bed_of(catalog, None, 0, from);
    assert!(bed.marked.borrow().is_empty());
    bed
}

fn bed(catalog: &Catalog, stop: Option<(u64, Rc<AtomicBool>)>, gone_at: u64) -> Bed {
    bed_of(catalog, stop, gone_at, u64::MAX)
}

fn bed_of(
    catalog: &Catalog,
    stop: Option<(u64, Rc<AtomicBool>)>,
    gone_at: u64,
    protected_at: u64,
) -> Bed {
    let target = catalog.part_on_board("weak").expect("it is there");
    let Some(sheet) = target.part.model.sheet::<wordline_nvm::NandSheet>() else {
        panic!("it is NAND");
    };
    let part = Named { id: "weak", sheet };
    let board = Named {
        id: &target.board.header.id,
        sheet: &target.board.board,
    };
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    let mut chip = Wired::<Nand>::connect(part, board, conditions).expect("it fits");
    chip.start_ageing(Environment::default())
        .expect("it has the figures");
    let clock = chip.clock().clone();
    let geometry = chip.geometry();
    let description = Description {
        number: 0,
        name: "spare".to_owned(),
        kind: MtdKind::Nand,
        bytes: geometry.capacity_bytes(),
        erase_bytes: geometry.block_bytes() as u32,
        write_bytes: geometry.page_bytes,
    };
    let marked = Rc::default();
    let driver = Driver {
        chip,
        marked: Rc::clone(&marked),
        stop,
        erases: 0,
        ecc: EccCounts::default(),
        gone_at,
        protected_at,
    };
    let flash =
        Mtd::with(driver, Path::new("/dev/mtd0"), description).expect("its sizes are sound");
    Bed {
        flash,
        clock,
        marked,
    }
}

fn experiment(target: &str, workload: WearWorkload) -> Experiment {
    Experiment {
        targets: vec![target.to_owned()],
        workload: Workload::Wear(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn blocks(count: u32) -> WearWorkload {
    WearWorkload {
        blocks: count,
        ..WearWorkload::default()
    }
}

fn worn(bed: Bed, workload: &WearWorkload, control: &Control<'_>) -> Result<ResultSet, LabError> {
    let experiment = experiment("mtd:/dev/mtd0", workload.clone());
    let who = Who::measured("mtd:/dev/mtd0", "spare");
    let run = EnduranceRun {
        who: &who,
        timing: Timing::Typ,
        environment: Environment::default(),
        usage: WearUsage::FirstPage,
        workload,
        experiment: &experiment,
    };
    let mut document = ResultSet::new(experiment.clone());
    wear(bed.flash, &bed.clock, &run, control, &mut document)?;
    document.check().expect("it keeps its own rules");
    Ok(document)
}

fn endurances(document: &ResultSet) -> Vec<(Option<f64>, Option<NoValue>)> {
    let rows = document
        .of(Metric::Endurance)
        .filter(|row| row.axes.contains_key(&Axis::Block));
    rows.map(|row| (row.value, row.no_value)).collect()
}

#[test]
fn what_is_measured_of_a_chip_is_what_it_is_simulated_to_do() {
    let (_folder, catalog) = weak();
    let written = Rc::new(RefCell::new(Vec::new()));
    let log = || Ok(Box::new(Shared(Rc::clone(&written))) as Box<dyn io::Write>);
    let control = Control {
        cycling_log: Some(&log),
        ..Control::default()
    };
    let test = bed(&catalog, None, 0);
    let marked = Rc::clone(&test.marked);
    let measured = worn(test, &blocks(3), &control).expect("it runs");
    let simulated = experiment("weak", blocks(3));
    let simulated = crate::run(&catalog, &simulated, &Control::default()).expect("it runs");
    assert_eq!(endurances(&measured), endurances(&simulated));
    assert!(measured.rows.iter().all(|row| row.basis == Basis::Measured));
    assert_eq!(
        marked.borrow().len(),
        3,
        "nobody is to use failed blocks again"
    );

    let log = CyclingLog::read(&written.borrow()[..]).expect("it reads its own log");
    let told: Vec<_> = log
        .blocks
        .iter()
        .map(|life| Some(life.cycles as f64))
        .collect();
    let found: Vec<_> = endurances(&measured).into_iter().map(|one| one.0).collect();
    assert_eq!(told, found);
    assert!(log.blocks.iter().all(|life| life.failed.is_some()));
    // With the bus and the driver, an erase takes a little longer than the array.
    let slowest = |document: &ResultSet| {
        let mut rows = document.of(Metric::LatencyMax);
        let row = rows.find(|row| {
            row.operation == RowOperation::Erase && !row.axes.contains_key(&Axis::Estimate)
        });
        row.and_then(|row| row.value).expect("it was erased")
    };
    let ratio = slowest(&measured) / slowest(&simulated);
    assert!((1.0..1.01).contains(&ratio), "{ratio}");
    let erases = log.blocks[0].of(CyclingOperation::Erase).count();
    assert!(erases > 3, "{erases}");
}

#[test]
fn blocks_that_hold_data_are_not_touched() {
    let (_folder, catalog) = weak();
    let mut test = bed(&catalog, None, 0);
    let geometry = test.flash.geometry();
    let page = vec![0x42; geometry.page_bytes as usize];
    test.flash
        .program(2 * geometry.pages_per_block + 5, 0, &page)
        .expect("it takes it");
    let refused = worn(test, &blocks(3), &Control::default()).expect_err("it is refused");
    let message = "mtd:/dev/mtd0: block 2 holds data; erase the blocks that are to be tested first";
    assert!(refused.to_string().starts_with(message), "{refused}");
}

#[test]
fn an_interrupt_keeps_what_was_measured() {
    let (_folder, catalog) = weak();
    let stop = Rc::new(AtomicBool::new(false));
    let test = bed(&catalog, Some((100, Rc::clone(&stop))), 0);
    let control = Control {
        stop: Some(&stop),
        ..Control::default()
    };
    let document = worn(test, &blocks(2), &control).expect("it ends in order");
    assert!(!document.complete);
    let beyond = (None, Some(NoValue::BeyondRange));
    assert_eq!(
        endurances(&document),
        [beyond, beyond],
        "nothing failed in 100 cycles"
    );
    let erases = document
        .of(Metric::LatencyMean)
        .filter(|row| row.operation == RowOperation::Erase);
    assert!(erases.count() > 3);
}

#[test]
fn a_chip_that_goes_away_leaves_what_was_measured() {
    let (_folder, catalog) = weak();
    let document = worn(bed(&catalog, None, 50), &blocks(1), &Control::default());
    let document = document.expect("it ends in order");
    assert!(
        document
            .warnings
            .iter()
            .any(|one| one.code == WarningCode::RunFailed.name())
    );
    assert!(document.failed(), "the run did not come to its end");
    assert!(document.of(Metric::LatencyMean).count() > 3);
}

#[test]
fn a_failure_in_the_first_cycles_is_no_wear() {
    let (_folder, catalog) = weak();
    let test = protected(&catalog, 5);
    let marked = Rc::clone(&test.marked);
    let document = worn(test, &blocks(3), &Control::default()).expect("it ends in order");
    assert!(marked.borrow().is_empty(), "nobody marks what is not worn");
    assert!(document.failed(), "the test did not come to its end");
    let found = endurances(&document);
    assert!(
        found.iter().all(|(cycles, _)| cycles.is_none()),
        "{found:?}"
    );
    // A worn block fails late, and is marked.
    let test = protected(&catalog, 150);
    let marked = Rc::clone(&test.marked);
    worn(test, &blocks(1), &Control::default()).expect("it runs");
    assert_eq!(marked.borrow().len(), 1);
}

/// A writer that can be looked at afterwards.
struct Shared(Rc<RefCell<Vec<u8>>>);

impl io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn refused_of(targets: &[&str], change: impl Fn(&mut WearWorkload), destroy: &[String]) -> String {
    let catalog = Catalog::load(&[]).expect("it is sound");
    let mut workload = WearWorkload::default();
    change(&mut workload);
    let experiment = Experiment {
        targets: targets.iter().map(|&name| name.to_owned()).collect(),
        ..experiment("", workload)
    };
    let control = Control {
        destroy,
        ..Control::default()
    };
    let ran = crate::run(&catalog, &experiment, &control);
    ran.expect_err("it is refused").to_string()
}

#[test]
fn a_device_is_named_twice_and_alone() {
    let keep = |_: &mut WearWorkload| {};
    let named = |name: &str| [name.to_owned()];
    for (found, message) in [
        (
            refused_of(&["mtd:/dev/mtd7"], keep, &[]),
            "--destroy /dev/mtd7 says that this is meant",
        ),
        (
            refused_of(&["mtd:/dev/mtd7"], keep, &named("/dev/mtd8")),
            "--destroy names /dev/mtd8, another device",
        ),
        (
            refused_of(
                &["mtd:/dev/mtd7", "nand08gw3b2c"],
                keep,
                &named("/dev/mtd7"),
            ),
            "name no other target beside it",
        ),
        (
            refused_of(&["nand08gw3b2c"], keep, &named("/dev/mtd7")),
            "names /dev/mtd7, and nothing real is worn",
        ),
        (
            refused_of(&["mtd:/dev/null"], keep, &named("/dev/null")),
            "/dev/null is another character device",
        ),
        (
            refused_of(
                &["mtd:/dev/mtd7"],
                |one| one.samples = 2,
                &named("/dev/mtd7"),
            ),
            "allowed is one sample",
        ),
        (
            refused_of(
                &["mtd:/dev/mtd7"],
                |one| one.dwells_s = vec![1.0],
                &named("/dev/mtd7"),
            ),
            "no dwell is waited for",
        ),
        (
            refused_of(
                &["mtd:/dev/mtd7"],
                |one| one.temperatures_celsius = vec![5.0, 25.0],
                &named("/dev/mtd7"),
            ),
            "allowed is one",
        ),
        (
            refused_of(
                &["mtd:/dev/mtd7"],
                |one| one.usages = WearUsage::ALL.to_vec(),
                &named("/dev/mtd7"),
            ),
            "allowed is one usage",
        ),
    ] {
        assert!(found.contains(message), "{found}");
    }
}
