//! Small cards, the logs that they write, and fits to these.

use std::fs;
use std::io::{BufRead, Cursor};

use tempfile::TempDir;
use wordline_catalog::{Catalog, EMBEDDED};
use wordline_core::draw::{Purpose, draw, standard_normal};
use wordline_core::quantity::Time;
use wordline_core::results::FigureUse;
use wordline_core::{
    Axis, Basis, Experiment, FitWorkload, LogSource, Metric, ResultSet, Timing, Workload,
};
use wordline_lab::{Control, Fitted, LabError, fit};
use wordline_memory::ByteMemory;
use wordline_nvm::{Conditions, Device};

pub(crate) const RECORD: u64 = 4096;
pub(crate) const BOARD: &str = "stm32h743-sdmmc";

/// A card of 32 MiB with blocks of 256 KiB: small enough to be full within a test.
const SMALL: [(&str, &str); 8] = [
    ("capacity", "typ = \"32 MiB\""),
    ("page_bytes", "typ = \"4 KiB\""),
    ("planes", "value = 1"),
    ("dies", "value = 2"),
    ("pages_per_block", "value = 32"),
    ("blocks", "value = 256"),
    ("spare_blocks", "value = 24"),
    ("journal_changes", "value = 256"),
];

/// What no fit finds, and no card of these tests has unless it says so.
const LEFT_OUT: [&str; 3] = ["write_time", "housekeeping", "housekeeping_every"];

/// The sheet of a small card with some other figures.
pub(crate) fn sheet(id: &str, figures: &[(&str, &str)]) -> String {
    let file = "/sandisk-extreme-32g.toml";
    let found = EMBEDDED.iter().find(|(name, _)| name.ends_with(file));
    let text = found.expect("an embedded card").1;
    let changed = |line: &str| {
        let key = line.split(" = ").next().unwrap_or_default();
        let mut changes = figures.iter().chain(&SMALL);
        match changes.find(|(name, _)| *name == key) {
            Some((_, columns)) => {
                format!("{key} = {{ {columns}, assumed = true, reason = \"a test\" }}\n")
            }
            None if LEFT_OUT.contains(&key) => String::new(),
            None if key == "part" => format!("part = \"{id}\"\n"),
            None => format!("{line}\n"),
        }
    };
    text.lines().map(changed).collect()
}

/// A folder with the sheets of cards.
pub(crate) struct Cards {
    folder: TempDir,
}

impl Cards {
    pub(crate) fn of(sheets: &[(&str, &[(&str, &str)])]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        for (id, figures) in sheets {
            let file = folder.path().join(format!("{id}.toml"));
            fs::write(file, sheet(id, figures)).expect("the folder is writable");
        }
        Self { folder }
    }

    /// Adds a sheet.
    pub(crate) fn add(&self, id: &str, text: &str) {
        let file = self.folder.path().join(format!("{id}.toml"));
        fs::write(file, text).expect("the folder is writable");
    }

    pub(crate) fn catalog(&self) -> Catalog {
        let folders = [self.folder.path().to_owned()];
        Catalog::load(&folders).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A card that is full.
    pub(crate) fn full(&self, id: &str) -> Box<dyn Device> {
        let catalog = self.catalog();
        let target = catalog
            .part_on_board(&format!("{id}@{BOARD}"))
            .expect("a card");
        let conditions = Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        let mut device = target.connect(conditions).expect("it fits its board");
        let piece = vec![0; 1 << 20];
        for at in (0..ByteMemory::len(device.as_ref())).step_by(piece.len()) {
            device.preload(at, &piece).expect("it lies inside");
        }
        device
    }

    /// Random writes all over a full card, with the pause of the host before each.
    pub(crate) fn log(
        &self,
        id: &str,
        accesses: u64,
        blur: f64,
        pause: impl Fn(u64) -> Time,
    ) -> String {
        self.log_within(id, 32 << 20, accesses, blur, pause)
    }

    /// The same within the first bytes of the card.
    pub(crate) fn log_within(
        &self,
        id: &str,
        range: u64,
        accesses: u64,
        blur: f64,
        pause: impl Fn(u64) -> Time,
    ) -> String {
        let mut device = self.full(id);
        let places = range / RECORD;
        let data = [0; RECORD as usize];
        let mut text = "operation,start_ns,end_ns,offset_bytes,size_bytes\n".to_owned();
        let mut late = 0;
        for index in 0..accesses {
            let at = draw(11, 0, index, Purpose::Address) % places * RECORD;
            device.clock().advance(pause(index));
            let start = device.clock().now();
            device.write(at, &data).expect("it lies inside");
            let took = device.clock().now().since(start).ps() as f64;
            let z = standard_normal(draw(12, 0, index, Purpose::Resample));
            let took = (took * (1.0 + blur * z) / 1e3) as u64;
            // What is blurred delays what comes after it.
            let start = if pause(index) == Time::ZERO {
                late
            } else {
                (start.ps() / 1000).max(late)
            };
            late = start + took;
            text += &format!("write,{start},{late},{at},{RECORD}\n");
        }
        text
    }
}

pub(crate) fn workload(id: &str) -> FitWorkload {
    FitWorkload {
        source: LogSource {
            file: "card.csv".to_owned(),
            ..LogSource::default()
        },
        template: "sd".to_owned(),
        id: id.to_owned(),
        pattern: None,
        range_bytes: None,
        fill: None,
        warm_up_bytes: 0,
        usage: None,
        predict: Vec::new(),
        channels: None,
        cores: None,
        per_socket: false,
        simulations: FitWorkload::SIMULATIONS,
    }
}

pub(crate) fn fitted(
    cards: &Cards,
    base: &str,
    log: &str,
    workload: FitWorkload,
) -> Result<Fitted, LabError> {
    let experiment = Experiment {
        targets: vec![format!("{base}@{BOARD}")],
        workload: Workload::Fit(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let bytes = log.as_bytes().to_vec();
    let open = |_: &str| Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    fit(&cards.catalog(), &experiment, &control)
}

/// A figure that was fitted; `None` where it was not.
pub(crate) fn figure<'a>(document: &'a ResultSet, path: &str) -> Option<&'a FigureUse> {
    let mut figures = document.figures.iter();
    figures.find(|one| one.figure == path && one.basis == Basis::Calibrated)
}

/// A time in seconds, or a count.
pub(crate) fn number(figure: &FigureUse) -> f64 {
    match figure.value.strip_prefix("value ") {
        Some(count) => count.parse().expect("a count"),
        None => {
            let typ = figure.value.split(", ").next().unwrap_or_default();
            let time: Time = typ.trim_start_matches("typ ").parse().expect("a time");
            time.ps() as f64 * 1e-12
        }
    }
}

/// Each metric of a half: its name with the rate, and the part's value over the log's.
pub(crate) fn ratios(document: &ResultSet, half: &str) -> Vec<(String, f64)> {
    let is_log = |basis: Basis| basis == Basis::Measured;
    let of_half = document
        .rows
        .iter()
        .filter(|row| row.text(Axis::Half) == Some(half));
    let log = of_half.clone().filter(|row| is_log(row.basis));
    let ratio = |row: &wordline_core::results::Row| {
        let mut same = of_half.clone();
        let twin = same.find(|one| {
            !is_log(one.basis)
                && one.metric == row.metric
                && one.axes.get(&Axis::RateBytesPerS) == row.axes.get(&Axis::RateBytesPerS)
        })?;
        let name = format!("{} {:?}", row.metric, row.axes.get(&Axis::RateBytesPerS));
        Some((name, twin.value? / row.value?))
    };
    log.filter(|row| row.metric != Metric::AccessCount)
        .filter_map(ratio)
        .collect()
}
