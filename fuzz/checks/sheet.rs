//! Whatever text is given as a sheet, or as a part with a board, it is refused with a place inside it, or loads; and a sheet
//! that loads can be connected, accessed and run. A DRAM module with its dies and a system yields sound numbers.

use std::fs;
use std::sync::OnceLock;

use wordline_catalog::{Catalog, CatalogError, PartOnBoard, Sheet, SheetError, parse};
use wordline_core::{Experiment, RawWorkload, Timing, Workload};
use wordline_dram::sheet::Settings;
use wordline_lab::{Control, LabError};
use wordline_nvm::{Conditions, Device, NvmError};

const PART: &str = "em064lx";
const BOARDS: [&str; 5] = [
    "stm32h755-qspi",
    "stm32h7s78-xspi",
    "stm32h743-fmc16",
    "stm32h743-fmc8",
    "fpga-stddr4",
];
const TIMINGS: [Timing; 3] = [Timing::Typ, Timing::Max, Timing::Sampled];

/// Larger parts are parsed alone: their tables of pages would take most of the time.
const CAPACITY_MAX: u64 = 1 << 30;

/// Separates the sheets of one input, so that a part can meet a board of its own.
const SEPARATOR: &str = "\n---\n";

/// Panics when a promise is broken. Returns whether everything loads.
pub(crate) fn check(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    let texts: Vec<&str> = text.splitn(2, SEPARATOR).collect();
    let mut ids = Vec::new();
    let mut dram = false;
    for text in &texts {
        match parse("sheet.toml", text) {
            Err(errors) => refused(text, &errors),
            Ok(Sheet::Part(part)) => {
                assert!(!part.figures.is_empty(), "a part without figures");
                if part.model.capacity_bytes() > CAPACITY_MAX {
                    return true;
                }
                ids.push(part.header.id);
            }
            Ok(Sheet::Board(board)) => {
                assert!(!board.figures.is_empty(), "a board without figures");
                ids.push(board.header.id);
            }
            Ok(Sheet::Die(die)) => {
                assert!(!die.figures.is_empty(), "a die without figures");
                dram = true;
                ids.push(die.header.id);
            }
            Ok(Sheet::Module(module)) => {
                assert!(!module.figures.is_empty(), "a module without figures");
                dram = true;
                ids.push(module.header.id);
            }
            Ok(Sheet::System(system)) => {
                assert!(!system.figures.is_empty(), "a system without figures");
                dram = true;
                ids.push(system.header.id);
            }
            // A core's counters are of no target: that they were checked is all.
            Ok(Sheet::Counters(counters)) => {
                assert_eq!(counters.sheet.problems(), []);
                return true;
            }
        }
    }
    ids.len() == texts.len() && catalog_takes(&texts, &ids, dram)
}

/// Every set of currents and a mapping of every line come out of what connects, or a named refusal.
fn connects_dram(catalog: &Catalog, ids: &[String]) {
    let systems = |module| catalog.systems().map(move |system| (module, system));
    for (module, system) in catalog.modules().flat_map(systems) {
        let given = [&module.header.id, &module.sheet.die, &system.header.id];
        if !given.into_iter().any(|id| ids.contains(id)) {
            continue;
        }
        let name = format!("{}@{}", module.header.id, system.header.id);
        let Ok(target) = catalog.module_in_system(&name) else {
            unreachable!("a catalogue that loads has the dies of its modules");
        };
        match target.connect(&Settings::new()) {
            Ok(connected) => {
                let config = &connected.config;
                let lines = config
                    .mapping
                    .digits
                    .iter()
                    .map(|digit| u128::from(digit.radix));
                assert_eq!(
                    lines.product::<u128>() * 64,
                    u128::from(config.bytes()),
                    "{name}"
                );
                assert!(!connected.currents.is_empty());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn refused(text: &str, errors: &[SheetError]) {
    assert!(!errors.is_empty(), "refused without a reason");
    for error in errors {
        let span = &error.span;
        assert!(
            span.start <= span.end && span.start <= text.len(),
            "{span:?}"
        );
        assert!((1..=text.matches('\n').count() + 1).contains(&error.line()));
        assert!(!error.message.is_empty());
        assert!(error.to_string().starts_with("sheet.toml:"), "{error}");
    }
}

fn embedded() -> &'static Catalog {
    static EMBEDDED: OnceLock<Catalog> = OnceLock::new();
    EMBEDDED.get_or_init(|| match Catalog::load(&[]) {
        Ok(catalog) => catalog,
        Err(error) => unreachable!("the embedded sheets are sound: {error}"),
    })
}

/// Small accesses at both ends give back what was written, on any clock, until time runs out.
fn connects(target: &PartOnBoard<'_>) {
    for timing in TIMINGS {
        let conditions = Conditions {
            timing,
            age: 0.5,
            seed: 1,
        };
        let Ok(mut memory) = target.connect(conditions) else {
            return;
        };
        let end = memory.len();
        if memory.overwrite_bytes() > 1 {
            flash(memory.as_ref());
            continue;
        }
        assert!(end > 0 && memory.atom() > 0);
        for length in [1, 33, 5000] {
            let length = length.min(end);
            for at in [0, 1, end - length] {
                let at = at.min(end - length);
                let data: Vec<u8> = (0..length).map(|byte| byte as u8 ^ 0x5a).collect();
                let mut back = vec![0; data.len()];
                let written = memory.write(at, &data);
                match written.and_then(|()| memory.read(at, &mut back)) {
                    Ok(()) => assert_eq!(back, data),
                    Err(NvmError::TimeExhausted) => {}
                    Err(error) => unreachable!("{length} B at {at}: {error}"),
                }
            }
        }
        assert!(memory.write(end, &[0]).is_err(), "a write beyond the end");
        let _ = (memory.wear(), memory.residence(), memory.last_cost());
    }
}

/// Each access on a flash memory of its own, as later ones would need an erase: it gives back what was
/// written, or a rule of the chip forbids it.
fn flash(fresh: &dyn Device) {
    let end = fresh.len();
    for length in [1, 33, 5000] {
        let length = length.min(end);
        for at in [0, 1.min(end - length), end - length] {
            let mut memory = fresh.fork_device();
            let data: Vec<u8> = (0..length).map(|byte| byte as u8 ^ 0x5a).collect();
            let mut back = vec![0; data.len()];
            match memory
                .write(at, &data)
                .and_then(|()| memory.read(at, &mut back))
            {
                Ok(()) => assert_eq!(back, data),
                Err(NvmError::TimeExhausted | NvmError::Misuse(_)) => {}
                Err(error) => unreachable!("{length} B at {at}: {error}"),
            }
        }
    }
    let mut memory = fresh.fork_device();
    assert!(memory.write(end, &[0]).is_err(), "a write beyond the end");
}

/// A folder with the sheets loads or is refused by name, and its targets run.
fn catalog_takes(texts: &[&str], ids: &[String], dram: bool) -> bool {
    let Ok(folder) = tempfile::tempdir() else {
        return false;
    };
    for (index, text) in texts.iter().enumerate() {
        if fs::write(folder.path().join(format!("{index}.toml")), text).is_err() {
            return false;
        }
    }
    let folder = folder.path().to_owned();
    let loaded = Catalog::load(std::slice::from_ref(&folder));
    let loads = loaded.is_ok();
    match loaded {
        Ok(catalog) if dram => connects_dram(&catalog, ids),
        Ok(catalog) => {
            for part in ids.iter().map(String::as_str).chain([PART]) {
                for board in ids.iter().map(String::as_str).chain(BOARDS) {
                    runs(&catalog, &format!("{part}@{board}"));
                }
                runs(&catalog, part);
            }
        }
        Err(CatalogError::Sheets(errors)) => refused_by(&errors),
        Err(error) => unreachable!("the folder is readable: {error}"),
    }
    if let Ok(checked) = embedded().check(&[folder]) {
        assert_eq!(checked.sheets, texts.len());
        refused_by(&checked.errors);
    }
    loads
}

fn refused_by(errors: &[SheetError]) {
    for error in errors {
        assert!(
            error.text.get(error.span.clone()).is_some(),
            "{:?}",
            error.span
        );
        assert!(error.to_string().contains(".toml:"), "{error}");
    }
}

fn runs(catalog: &Catalog, target: &str) {
    if let Ok(target) = catalog.part_on_board(target) {
        connects(&target);
        // Whether the rules are kept is the suite's own business; that it ends is checked here.
        let _ = target.conformance(Timing::Typ);
    }
    for timing in TIMINGS {
        let experiment = Experiment {
            targets: vec![target.to_owned()],
            workload: Workload::Raw(RawWorkload {
                access_bytes: vec![1, 32],
                total_bytes: 96,
                wrap_bytes: 64,
                ..RawWorkload::default()
            }),
            timings: vec![timing],
            age: 0.25,
            seed: 7,
            ftl: None,
        };
        match wordline_lab::run(catalog, &experiment, &Control::default()) {
            Ok(document) => assert_eq!(document.check(), Ok(())),
            Err(LabError::Catalog(_) | LabError::Device { .. } | LabError::Unusable { .. }) => {
                return;
            }
            Err(error) => unreachable!("the experiment is well-formed: {error}"),
        }
    }
}
