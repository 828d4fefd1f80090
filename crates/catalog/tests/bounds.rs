//! No access of any part takes longer than its bound, and no bound is far above what can happen.
//!
//! The bounds are formulas, the accesses are simulated, and both share nothing but figures and bus
//! times: each is the other's witness. Run with `--nocapture` to see how tight the bounds are.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use wordline_catalog::{Catalog, EMBEDDED, Model, PartOnBoard};
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::{Current, Cycles, Quantity, Time};
use wordline_core::{Figure, Resolver, Timing};
use wordline_nvm::{
    AccessCost, CardSheet, Cause, Conditions, DdrMramSheet, Device, MemoryClass, NandSheet,
    NorSheet, NvmError, NvramSheet, Pipeline,
};

use Pipeline::{CacheProgram, CacheRead, MultiPlane};

/// The ways of working with a chip that are tried, where it has them.
const WAYS: [&[Pipeline]; 5] = [
    &[],
    &[CacheRead],
    &[CacheProgram],
    &[MultiPlane],
    &[MultiPlane, CacheRead, CacheProgram],
];

/// Whether reads go through the address space, tried of each chip that is not used in [other ways](WAYS).
const MAPPED: [bool; 2] = [false, true];

/// Seeds of sampled devices.
const SEEDS: [u64; 3] = [0, 1, 0x5eed];

/// How far a bound may lie above what was simulated, for accesses of a page or more.
const LOOSEST: f64 = 1.05;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operation {
    Read,
    Write,
}

use Operation::{Read, Write};

/// An access and what it took.
struct Seen {
    operation: Operation,
    at: u64,
    bytes: u64,
    bound: Time,
    cost: AccessCost,
}

/// A device, and the one whose bounds hold for it.
struct Bench {
    device: Box<dyn Device>,
    /// The same at `max`, for a sampled device.
    ceiling: Option<Box<dyn Device>>,
    seen: Vec<Seen>,
}

impl Bench {
    /// `None` where the chip has not every one of the ways, or its reads are to be mapped and cannot be.
    fn new(
        target: &PartOnBoard<'_>,
        timing: Timing,
        seed: u64,
        (ways, mapped): (&[Pipeline], bool),
    ) -> Option<Self> {
        let connect = |timing| {
            let conditions = Conditions {
                timing,
                age: 0.0,
                seed,
            };
            let mut device = target.connect(conditions).expect("the default board fits");
            let all = ways.iter().all(|way| device.use_pipeline(*way));
            (all && (!mapped || device.map_reads())).then_some(device)
        };
        Some(Self {
            device: connect(timing)?,
            ceiling: match timing {
                Timing::Sampled => Some(connect(Timing::Max)?),
                Timing::Typ | Timing::Max => None,
            },
            seen: Vec::new(),
        })
    }

    fn access(&mut self, operation: Operation, at: u64, bytes: u64) -> Result<(), NvmError> {
        let own = bound_of(&*self.device, operation, at, bytes).expect("inside");
        let mut data = vec![0x5a; bytes as usize];
        let before = self.device.clock().now();
        match operation {
            Read => self.device.read(at, &mut data)?,
            Write => self.device.write(at, &data)?,
        }
        let cost = *self.device.last_cost();
        assert_eq!(self.device.clock().now(), before.plus(cost.total()));
        // The bound of a sampled device holds for what it drew, that of one at `max` for any draw.
        assert!(cost.total() <= own, "{operation:?} of {bytes} B at {at}");
        let ceiling = self.ceiling.as_deref();
        let bound = ceiling.map_or(own, |ceiling| {
            bound_of(ceiling, operation, at, bytes).expect("inside")
        });
        self.seen.push(Seen {
            operation,
            at,
            bytes,
            bound,
            cost,
        });
        Ok(())
    }

    /// Accesses of several sizes and alignments, each three times with other accesses between. In a
    /// memory with rows these are of other rows in the same banks: half the memory away.
    fn run(&mut self, page: u64) {
        let (unit, len) = (self.device.overwrite_bytes(), self.device.len());
        let places = match unit {
            1 => byte_places(page),
            // A sector of a card: nothing must be in order, and 64 pages stand for what is cleaned.
            _ if unit < page => flash_places(page, 64 * page),
            _ => flash_places(page, unit),
        };
        for round in 0..3 {
            for &(operation, at, bytes) in &places {
                if at + bytes <= len {
                    if unit == 1 {
                        let other = if round == 1 { Write } else { Read };
                        self.access(other, at + len / 2, bytes).expect("inside");
                    }
                    let done = self.access(operation, at, bytes);
                    done.unwrap_or_else(|error| panic!("{operation:?} {bytes} at {at}: {error}"));
                }
            }
            places.iter().rev().for_each(|&(_, at, bytes)| {
                if at + bytes <= len {
                    self.access(Read, at, bytes).expect("inside");
                }
            });
        }
    }
}

fn bound_of(
    device: &dyn Device,
    operation: Operation,
    at: u64,
    bytes: u64,
) -> Result<Time, NvmError> {
    match operation {
        Read => device.read_bound(at, bytes),
        Write => device.write_bound(at, bytes),
    }
}

/// Accesses of a memory in which any byte can be overwritten: below and above a page, across pages, in
/// rows of the same bank, and with odd ends.
fn byte_places(page: u64) -> Vec<(Operation, u64, u64)> {
    let mut places = Vec::new();
    for (at, bytes) in [
        (0, 1),
        (page - 1, 2),
        (0, page),
        (8 * page, page),
        (page / 2, page),
        (page - 16, page + 16),
        (3, page + 6),
        (0, 4 * page),
        (64 * page, 5 * page),
        (page - 1, 8 * page + 2),
        (0, 40 * page),
        (16 * page, 16),
        (0, 16),
    ] {
        places.extend([(Write, at, bytes), (Read, at, bytes), (Write, at, bytes)]);
    }
    places
}

/// Accesses of a flash memory that keep its rules: each block is written in rising order from its start,
/// and begun anew where the next access starts it again.
fn flash_places(page: u64, unit: u64) -> Vec<(Operation, u64, u64)> {
    vec![
        (Write, 0, page / 2),
        (Read, 0, page / 2),
        (Write, page, page),
        (Read, page, page),
        (Write, 2 * page, 3 * page),
        (Read, page + page / 2, 3 * page),
        // Overwritten, and across a block without its start.
        (Write, 0, page),
        (Write, page, 2 * page + page / 4),
        (Write, unit - 2 * page, 2 * page),
        (Write, unit, unit),
        (Read, unit - page, 2 * page),
        (Read, 0, unit),
        (Write, 2 * unit, 2 * page),
        (Write, 3 * unit - 3 * page, 6 * page + page / 2),
        (Read, 3 * unit - 3 * page, 6 * page + page / 2),
        (Read, page / 4, 2 * unit),
        (Write, 4 * unit, 2 * unit + 5 * page),
        (Read, 4 * unit, 2 * unit + 5 * page),
    ]
}

/// What one write can reach, or a row: smaller accesses need not be bounded tightly.
fn page_bytes(model: &Model) -> u64 {
    if let Some(sheet) = model.sheet::<NvramSheet>() {
        let page = sheet.page_bytes.as_ref();
        page.map_or(256, |page| page.nominal().bytes())
    } else if let Some(sheet) = model.sheet::<DdrMramSheet>() {
        sheet.row_bytes.nominal().bytes()
    } else if let Some(sheet) = model.sheet::<NorSheet>() {
        sheet.page_bytes.nominal().bytes()
    } else if let Some(sheet) = model.sheet::<NandSheet>() {
        u64::from(sheet.geometry().page_bytes)
    } else {
        let card = model.sheet::<CardSheet>().expect("the only other model");
        card.array.layer_page_bytes()
    }
}

static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| Catalog::load(&[]).expect("the embedded sheets are sound"));

/// Accesses that took longer than `bound` says.
fn exceeding(seen: &[Seen], bound: impl Fn(&Seen) -> Time) -> usize {
    let longer = seen.iter().filter(|seen| seen.cost.total() > bound(seen));
    longer.count()
}

/// The worst ratio of bound to simulation: for each place the longest that was seen there.
fn looseness(seen: &[Seen], operation: Operation, page: u64) -> f64 {
    let mut places: BTreeMap<_, (Time, Time)> = BTreeMap::new();
    for one in seen {
        if one.operation == operation && one.bytes >= page {
            let place = places.entry((one.at, one.bytes)).or_default();
            *place = (one.bound, place.1.later(one.cost.total()));
        }
    }
    let ratios = places.values().map(|(bound, most)| bound.si() / most.si());
    ratios.fold(1.0, f64::max)
}

#[test]
fn every_access_keeps_its_bound_and_no_bound_is_loose() {
    let mut faults = Vec::new();
    for part in CATALOG.parts() {
        let id = &part.header.id;
        let target = CATALOG.part_on_board(id).expect("every part names a board");
        let page = page_bytes(&part.model);
        let mut line = format!("{id:16}");
        let used = WAYS.map(|ways| MAPPED.map(|mapped| (ways, mapped)));
        let used = used.as_flattened().iter();
        for &(ways, mapped) in used.filter(|(ways, mapped)| ways.is_empty() || !mapped) {
            let classes = [(Timing::Typ, 0), (Timing::Max, 0)].into_iter();
            for (timing, seed) in classes.chain(SEEDS.map(|seed| (Timing::Sampled, seed))) {
                let Some(mut bench) = Bench::new(&target, timing, seed, (ways, mapped)) else {
                    continue;
                };
                bench.run(page);
                let name = format!("{id} {ways:?} {mapped} {timing} {seed}");
                let count = exceeding(&bench.seen, |seen| seen.bound);
                if count > 0 {
                    faults.push(format!("{name}: {count} accesses exceed their bounds"));
                }
                if timing == Timing::Sampled {
                    continue;
                }
                let [read, write] =
                    [Read, Write].map(|operation| looseness(&bench.seen, operation, page));
                line += &format!("  {ways:?} {timing} {read:.4} {write:.4}");
                // A card is bounded by the limits of its specification, not by what it is made of.
                let specified = part.model.class() == MemoryClass::ManagedFlash;
                if !specified && read.max(write) > LOOSEST {
                    faults.push(format!(
                        "{name}: read {read:.4}, write {write:.4} too loose"
                    ));
                }
            }
        }
        println!("{line}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A sampled figure never exceeds what a device at `max` has: neither one that is drawn once for a
/// device nor one that is drawn for each operation. Where a column is missing, both fall back to the
/// same.
#[test]
fn no_sampled_figure_exceeds_its_maximum() {
    let mut figures = 0;
    for (file, text) in EMBEDDED.iter() {
        let tree: toml::Table = text.parse().expect("it is embedded");
        for (path, value) in tables(file.to_string(), tree) {
            figures += usize::from(
                check_figure::<Time>(&path, &value)
                    || check_figure::<Current>(&path, &value)
                    || check_figure::<Cycles>(&path, &value),
            );
        }
    }
    assert!(figures > 300, "{figures} figures");
}

/// Every table below another one, with its path.
fn tables(path: String, table: toml::Table) -> Vec<(String, toml::Value)> {
    let mut found = Vec::new();
    let mut waiting = vec![(path, toml::Value::Table(table))];
    while let Some((path, value)) = waiting.pop() {
        match &value {
            toml::Value::Table(table) => {
                let inside = table.iter().map(|(key, value)| (key.clone(), value));
                waiting.extend(inside.map(|(key, value)| (format!("{path}.{key}"), value.clone())));
            }
            toml::Value::Array(list) => {
                waiting.extend(list.iter().map(|value| (path.clone(), value.clone())));
            }
            _ => continue,
        }
        found.push((path, value));
    }
    found
}

/// Whether a table is a figure of a quantity, in which case draws of many seeds are checked.
fn check_figure<T>(path: &str, value: &toml::Value) -> bool
where
    T: Quantity + PartialOrd + for<'de> serde::Deserialize<'de>,
{
    let Ok(figure) = value.clone().try_into::<Figure<T>>() else {
        return false;
    };
    let most = Resolver::new(Timing::Max, 0, path).resolve(path, &figure);
    for seed in 0..200 {
        let mut sampled = Resolver::new(Timing::Sampled, seed, path);
        let once = sampled.resolve(path, &figure);
        assert!(once.si() <= most.si(), "{path}: {once} exceeds {most}");
        let each = sampled.spread(path, &figure, Purpose::ProgramTime);
        for place in 0..20 {
            let drawn = each.at(place, seed);
            assert!(drawn.si() <= most.si(), "{path}: {drawn} exceeds {most}");
        }
    }
    true
}

/// Bounds that forget something are found out by the same accesses.
#[test]
fn a_bound_that_forgets_a_cause_is_exceeded() {
    for (id, causes) in [
        ("w25n01gv", &[Cause::Erase, Cause::Program, Cause::Poll][..]),
        (
            "mt29f4g08aac",
            &[Cause::Erase, Cause::ArrayRead, Cause::Poll],
        ),
        ("mt25ql128", &[Cause::Erase, Cause::Program, Cause::Poll]),
        ("m95m04", &[Cause::Driver, Cause::Program]),
        ("emd4e001g", &[Cause::ArrayRead, Cause::BusCommand]),
        ("em064lx", &[Cause::Driver, Cause::BusCommand]),
    ] {
        let target = CATALOG.part_on_board(id).expect("it names a board");
        let bench = Bench::new(&target, Timing::Max, 0, (&[], false));
        let mut bench = bench.expect("it needs no way of working");
        bench.run(page_bytes(&target.part.model));
        for &cause in causes {
            let without = |seen: &Seen| seen.bound.since(seen.cost.of(cause));
            let count = exceeding(&bench.seen, without);
            assert!(count > 0, "{id}: nobody misses {cause:?}");
        }
    }
}

/// What a board and a chip may be like beside what the catalogue has: a driver that is quick or slow,
/// pauses between its questions, pauses that the chip asks for, and a controller of a DDR bus.
#[derive(Clone, Copy, Debug)]
struct Odd {
    dma_cycles: u64,
    command_cycles: u64,
    poll_ns: u64,
    rest_ns: u64,
    controller_ns: u64,
    closes_rows: bool,
}

fn odd() -> impl Strategy<Value = Odd> {
    let cycles = || prop_oneof![1..50_u64, 1..20_000_u64];
    let ns = || prop_oneof![Just(0), 0..100_u64, 0..40_000_u64];
    (cycles(), cycles(), ns(), ns(), ns(), any::<bool>()).prop_map(
        |(dma_cycles, command_cycles, poll_ns, rest_ns, controller_ns, closes_rows)| Odd {
            dma_cycles,
            command_cycles,
            poll_ns,
            rest_ns,
            controller_ns,
            closes_rows,
        },
    )
}

/// Reads what the text of a sheet would hold.
fn figure<T: for<'de> serde::Deserialize<'de>>(text: &str) -> T {
    let table: toml::Table = format!("it = {{ {text}, source = 'invented' }}")
        .parse()
        .expect("well-formed");
    table["it"].clone().try_into().expect("a figure")
}

impl Odd {
    fn change_board(&self, board: &mut wordline_nvm::Board) {
        let cycles = |typ| figure(&format!("typ = '{typ} cycles', max = '{} cycles'", 2 * typ));
        board.driver.dma_setup = cycles(self.dma_cycles);
        board.driver.command = cycles(self.command_cycles);
        board.driver.poll_interval = figure(&format!("typ = '{} ns'", self.poll_ns));
        if let Some(ddr) = &mut board.ddr {
            ddr.controller = figure(&format!("typ = '{} ns'", self.controller_ns));
            let policy = if self.closes_rows { "closed" } else { "open" };
            ddr.page_policy = figure(&format!("value = '{policy}'"));
        }
    }

    fn change_part(&self, model: &mut Model) {
        let rest = Some(figure(&format!("min = '{} ns'", self.rest_ns)));
        let name = model.name();
        if let Some(sheet) = model.sheet::<NvramSheet>() {
            let mut sheet = sheet.clone();
            sheet.deselect_after_write = rest;
            *model = Model::new(name, sheet);
        } else if let Some(sheet) = model.sheet::<NorSheet>() {
            let mut sheet = sheet.clone();
            sheet.deselect_after_read = rest;
            *model = Model::new(name, sheet);
        } else if let Some(sheet) = model.sheet::<NandSheet>() {
            let mut sheet = sheet.clone();
            sheet.deselect = rest;
            *model = Model::new(name, sheet);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Random places and sizes, one after the other, on the board that the catalogue has and on odd
    /// ones. Writes that would break a rule of a flash memory are refused by the chip itself.
    #[test]
    fn random_accesses_keep_their_bounds(
        part in any::<prop::sample::Index>(),
        ways in prop::sample::select(&WAYS[..]),
        mapped in any::<bool>(),
        timing in prop::sample::select(&Timing::ALL[..]),
        seed in any::<u64>(),
        odd in prop::option::of(odd()),
    ) {
        let parts: Vec<_> = CATALOG.parts().collect();
        let mut part = (*part.get(&parts)).clone();
        let target = CATALOG.part_on_board(&part.header.id).expect("every part names a board");
        let mut board = target.board.clone();
        if let Some(odd) = odd {
            odd.change_board(&mut board.board);
            odd.change_part(&mut part.model);
        }
        let name = target.name;
        let target = PartOnBoard { name, part: &part, board: &board };
        let bench = |used| Bench::new(&target, timing, seed, used);
        let mut bench = bench((ways, mapped))
            .or_else(|| bench((&[], mapped)))
            .or_else(|| bench((&[], false)))
            .expect("it needs no way of working");
        let (len, atom) = (bench.device.len(), bench.device.atom() as u64);
        let atom = if bench.device.overwrite_bytes() > 1 { atom } else { 1 };
        let most = (3 * bench.device.overwrite_bytes() / 2).clamp(64 << 10, 512 << 10);
        for step in 0..24 {
            let random = |what| draw(seed, step, what, Purpose::Address);
            // As many small accesses as large ones.
            let bytes = 1 + random(0) % (most >> (random(1) % 18)).max(1);
            let at = random(2) % (len - bytes);
            let write = random(3) % 2 == 0;
            let done = match write {
                true => {
                    let (at, end) = (at / atom * atom, (at + bytes).next_multiple_of(atom));
                    bench.access(Write, at, end.min(len) - at)
                }
                false => bench.access(Read, at, bytes),
            };
            match done {
                Ok(()) => {}
                Err(NvmError::Misuse(_)) if write => {}
                Err(error) => panic!("{}: {error}", part.header.id),
            }
        }
        let name = format!("{} {ways:?} {mapped} {timing} {seed} {odd:?}", part.header.id);
        let longer = bench.seen.iter().find(|seen| seen.cost.total() > seen.bound);
        if let Some(Seen { operation, at, bytes, bound, cost }) = longer {
            panic!("{name}: {operation:?} of {bytes} B at {at}: {} exceeds {bound}", cost.total());
        }
    }
}
