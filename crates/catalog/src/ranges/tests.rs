use toml::de::DeTable;
use wordline_core::quantity::Quantity as _;

use super::stated::{UNBOUNDED, si};
use super::*;
use crate::{estimate, figures};

/// A sourced figure with a quantity, in the SI unit.
pub(crate) struct SourcedFigure {
    /// What stands first of `typ`, `max`, `min` and `value`.
    pub(crate) value: f64,
    /// Where all columns are sourced and it has both.
    pub(crate) max_over_typ: Option<f64>,
}

impl SourcedFigure {
    pub(crate) fn of(text: &str, table: &DeTable<'_>) -> Option<Self> {
        let stated = Stated::of(text, table)?;
        let sourced = matches!(
            stated.basis,
            Basis::Datasheet | Basis::Published | Basis::Measured
        );
        if !sourced || stated.range.is_some() {
            return None;
        }
        let column = |name: &str| {
            let one = stated.column(name)?;
            Some(si(&format!("{} {}", one.number, one.unit))?.0)
        };
        let is_sourced = |name: &&&str| !stated.assumed.iter().any(|one| one == **name);
        let columns = ["typ", "max", "min", "value"];
        let first = columns
            .iter()
            .filter(is_sourced)
            .find_map(|name| column(name));
        Some(Self {
            value: first.filter(|value| *value > 0.0)?,
            max_over_typ: column("max")
                .zip(column("typ"))
                .filter(|_| stated.assumed.is_empty())
                .map(|(max, typ)| max / typ),
        })
    }
}

#[test]
fn every_kind_has_a_factor_and_its_evidence() {
    for kind in &KINDS {
        assert!(kind.factor() > 1.0, "{}", kind.name);
        match kind.evidence {
            Evidence::Catalogue => assert!(estimate::spread(kind.name).is_some(), "{}", kind.name),
            Evidence::Borrowed(other) => {
                let other = KINDS.iter().find(|kind| kind.name == other);
                assert_eq!(other.map(|kind| kind.evidence), Some(Evidence::Catalogue));
            }
            Evidence::Judgement(_, reason) => assert!(!reason.is_empty()),
        }
    }
    for kind in &KINDS {
        let most = kind.max_over_typ("nand.anything");
        let has = matches!(kind.influence, Influence::Time | Influence::Power);
        assert_eq!(most.is_some(), has, "{}", kind.name);
        assert!(most.is_none_or(|most| most > 1.0), "{}", kind.name);
    }
    // NOR states maxima as coarse multiples of the typical time, which say nothing of NAND.
    let of = |figure: &str| KINDS[0].max_over_typ(figure).expect("a time");
    assert!(of("nand.page_program") < of("nor.page_program"));
    assert!((of("card.array.page_program") - of("nand.page_program")).abs() < 1e-12);
}

#[test]
fn every_target_can_lie_at_either_end_of_all_its_ranges() {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let mut moved = (0, 0);
    let on_boards = catalog.parts().filter(|part| part.default_board.is_some());
    for part in on_boards {
        let target = catalog
            .part_on_board(&part.header.id)
            .expect("a default board");
        for timing in [Timing::Typ, Timing::Max] {
            let figures = target.uncertain_figures(timing);
            for adverse in [false, true] {
                let ends = figures
                    .iter()
                    .map(|figure| (figure, figure.end(adverse, 25.0)));
                let varied = target.varied(ends);
                let then = varied.target().uncertain_figures(timing);
                assert_eq!(then.len(), figures.len(), "{}", target.name);
                for (figure, then) in figures.iter().zip(then) {
                    assert!(figure.low <= 1.0 && figure.high >= 1.0, "{figure:?}");
                    let expected = figure.value * figure.end(adverse, 25.0);
                    let off = (then.value - expected).abs();
                    let whole = if then.unit == "cycles" { 1.0 } else { 0.0 };
                    let there = off <= whole + expected * 1e-3;
                    moved.0 += usize::from(there);
                    moved.1 += 1;
                }
            }
        }
    }
    // The rest would contradict a sourced figure, such as a pulse that is as long as its cycle.
    assert!(moved.0 * 100 > moved.1 * 98, "{moved:?}");
}

/// Of programs of NAND.
fn max_over_typ() -> f64 {
    let most = KINDS[0].max_over_typ("nand.page_program");
    most.expect("the catalogue has such ratios")
}

#[test]
fn the_reason_for_a_range_decides_its_ends() {
    let sheet = |figure: &str| format!("[nand]\npage_program = {{ {figure} }}\n");
    let one = |figure: &str, timing| {
        let found = uncertain(Owner::Part, "p", &sheet(figure), timing);
        found
            .first()
            .map(|one| (one.basis, one.value, one.low, one.high))
    };
    let assumed = "typ = \"200 us\", max = \"600 us\", assumed = true, reason = \"r\"";
    let factor = KINDS[0].factor();
    let (basis, value, low, high) = one(assumed, Timing::Typ).expect("it is assumed");
    assert_eq!((basis, value), (Basis::Assumed, 2e-4));
    assert!((low * factor - 1.0).abs() < 1e-12 && (high / factor - 1.0).abs() < 1e-12);
    let sourced = "typ = \"200 us\", max = \"600 us\", source = \"s\"";
    assert_eq!(one(sourced, Timing::Typ), None);
    assert_eq!(one(sourced, Timing::Max), None);
    // A largest value that is assumed, and one that is missing.
    let largest = "typ = \"200 us\", max = \"500 us\", assumed_columns = [\"max\"], source = \"s\"";
    assert_eq!(one(largest, Timing::Typ), None);
    let (basis, value, low, high) = one(largest, Timing::Max).expect("it is assumed");
    assert_eq!((basis, value), (Basis::Assumed, 5e-4));
    assert!((low - 0.4).abs() < 1e-12 && (high - max_over_typ() / 2.5).abs() < 1e-12);
    let missing = "typ = \"200 us\", source = \"s\"";
    let (basis, value, low, high) = one(missing, Timing::Max).expect("it is missing");
    assert_eq!((basis, value, low), (Basis::Assumed, 2e-4, 1.0));
    assert!((high / max_over_typ() - 1.0).abs() < 1e-12);
    // Both at once: an assumed value without a largest one has at least the range of a published one.
    for assumed in [
        "typ = \"200 us\", assumed = true, reason = \"r\"",
        "typ = \"200 us\", basis = \"estimated\", source = \"s\"",
    ] {
        let (_, _, low, high) = one(assumed, Timing::Max).expect("it is assumed");
        assert!((low * factor - 1.0).abs() < 1e-12);
        assert!((high / factor / max_over_typ() - 1.0).abs() < 1e-12);
    }
    let class = "typ = \"200 us\", range = [\"100 us\", \"1 ms\"], max = \"800 us\", assumed_columns = [\"max\"], \
                 basis = \"calibrated\", source = \"s\"";
    let (_, value, low, high) = one(class, Timing::Max).expect("it has a range");
    assert!((value * low - 1e-4).abs() < 1e-12);
    assert!((value * high / max_over_typ() - 1e-3).abs() < 1e-12);
    // An estimate: each column has a range of its own, and no largest value lies below the typical one.
    let estimated = "typ = \"200 us\", range = [\"100 us\", \"1 ms\"], max = \"600 us\", max_range = [\"150 us\", \
                     \"3 ms\"], basis = \"estimated\", source = \"s\"";
    let (basis, value, low, high) = one(estimated, Timing::Typ).expect("it has a range");
    assert_eq!((basis, value), (Basis::Estimated, 2e-4));
    assert!((low - 0.5).abs() < 1e-12 && (high - 5.0).abs() < 1e-12);
    let (basis, value, low, high) = one(estimated, Timing::Max).expect("it has a range");
    assert_eq!((basis, value), (Basis::Estimated, 6e-4));
    assert!((low - 1.0 / 3.0).abs() < 1e-12 && (high - 5.0).abs() < 1e-12);
    // A class.
    let class =
        "typ = \"200 us\", range = [\"100 us\", \"1 ms\"], basis = \"calibrated\", source = \"s\"";
    let (basis, _, low, high) = one(class, Timing::Typ).expect("it has a range");
    assert_eq!(basis, Basis::Calibrated);
    assert!((low - 0.5).abs() < 1e-12 && (high - 5.0).abs() < 1e-12);
}

/// A price and an endurance have no largest value that a design must stand: where it is published, it stands.
#[test]
fn what_is_published_without_a_largest_value_has_a_range_only_as_a_time_or_a_current() {
    let one = |text: &str| uncertain(Owner::Part, "p", text, Timing::Max).pop();
    assert_eq!(one("cost = { typ = \"2 EUR\", source = \"s\" }"), None);
    let sheet = |figure: &str| format!("[nand]\n{figure} , source = \"s\" }}\n");
    assert_eq!(one(&sheet("endurance = { typ = \"100000 cycles\"")), None);
    assert_eq!(one(&sheet("aging.retention_errors = { value = 1e-7")), None);
    assert!(one(&sheet("read_current = { typ = \"20 mA\"")).is_some());
    assert!(one(&sheet("block_erase = { typ = \"2 ms\"")).is_some());
}

/// The firmware of a class without measurements may be as far off as the widest range that measurements of another class
/// gave: from one of its ends to the other.
#[test]
fn an_unmeasured_firmware_has_at_least_the_widest_measured_range() {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let mut widest = 1.0_f64;
    for part in catalog.parts() {
        let tree = estimate::tree(&part.header.text).expect("sound");
        figures::each(&tree, &mut |_, path, table| {
            let kind = FigureKind::of(path).filter(|kind| kind.name == "firmware time");
            let stated = kind.and_then(|_| Stated::of(&part.header.text, table));
            let measured = stated.filter(|stated| stated.basis == Basis::Calibrated);
            if let Some(range) = measured.and_then(|stated| stated.range) {
                widest = widest.max(range.ends[1] / range.ends[0]);
            }
        });
    }
    let kind = FigureKind::of("card.controller.housekeeping").expect("a kind");
    assert!(widest > 10.0 && kind.factor() >= widest, "{widest}");
}

/// Of an activation energy the smaller value is worse where data are kept cooler than their rate is stated at.
#[test]
fn the_worse_end_of_an_activation_energy_depends_on_the_temperature() {
    let sheet =
        "[nand.aging]\nretention_energy = { value = 1.1, assumed = true, reason = \"r\" }\n";
    let found = uncertain(Owner::Part, "p", sheet, Timing::Typ);
    let energy = found.first().expect("it is assumed");
    assert_eq!(energy.end(true, 25.0), energy.low);
    assert_eq!(energy.end(false, 25.0), energy.high);
    assert_eq!(energy.end(true, 85.0), energy.high);
}

#[test]
fn a_value_is_written_as_its_unit_allows() {
    let column = ColumnText {
        span: 0..0,
        number: 4260.0,
        unit: "cycles".to_owned(),
        whole: false,
        bounds: UNBOUNDED,
    };
    assert_eq!(column.written(column.times(2.7)), "\"11502 cycles\"");
    let count = ColumnText {
        number: 4.0,
        unit: String::new(),
        whole: true,
        ..column
    };
    let written = [0.1, 0.4, 3.0].map(|factor| count.written(count.times(factor)));
    assert_eq!(written, ["1", "2", "12"]);
    assert_eq!(
        FigureKind::of("eeprom.write_cycle").map(|kind| kind.name),
        Some("program time")
    );
    assert_eq!(
        FigureKind::of("nand.bus.write_cycle").map(|kind| kind.name),
        Some("bus and register time")
    );
    assert_eq!(
        FigureKind::of("mram.active[read str 40 MHz].current").map(|kind| kind.name),
        Some("active current")
    );
    assert_eq!(FigureKind::of("card.controller.spare_blocks"), None);
}

/// The page program of a target at an end of its range, where the sheet of mt29f1g01 states it otherwise.
fn moved_program(figure: &str, timing: Timing, adverse: bool) -> f64 {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let target = catalog.part_on_board("mt29f1g01").expect("a part");
    let text = target.part.header.text.to_string();
    let start = text.find("page_program =").expect("a figure");
    let end = start + text[start..].find('\n').expect("more lines");
    let changed = format!(
        "{}page_program = {{ {figure} }}{}",
        &text[..start],
        &text[end..]
    );
    let Ok(Sheet::Part(part)) = parse("parts/nand/mt29f1g01.toml", &changed) else {
        panic!("the sheet is refused: {figure}");
    };
    let target = PartOnBoard {
        name: "trial".to_owned(),
        part: &part,
        board: target.board,
    };
    let all = target.uncertain_figures(timing);
    let program = all
        .iter()
        .find(|figure| figure.figure == "nand.page_program")
        .expect("it has a range");
    let varied = target.varied([(program, program.end(adverse, 25.0))]);
    let varied = varied.target();
    let flash = varied.part.model.flash().expect("NAND");
    let figure = flash.page_program().figure;
    let column = if timing == Timing::Max {
        figure.max()
    } else {
        figure.typ()
    };
    column.expect("stated").si()
}

#[test]
fn no_end_of_a_range_is_dropped_without_a_word() {
    let near = |value: f64, expected: f64| {
        assert!(
            (value / expected - 1.0).abs() < 2e-3,
            "{value} for {expected}"
        );
    };
    // A typical value at the low end of the class, and a largest value above it: both lie at the low end then.
    let class = "typ = \"6.4 ms\", max = \"200 ms\", range = [\"6.4 ms\", \"133 ms\"], basis = \"calibrated\", source = \"s\"";
    near(moved_program(class, Timing::Max, false), 6.4e-3);
    near(moved_program(class, Timing::Typ, true), 0.133);
    // An assumed typical value goes no further than the stated maximum, whatever its unit.
    let typical = "typ = \"220 us\", max = \"0.3 ms\", assumed_columns = [\"typ\"], source = \"s\"";
    near(moved_program(typical, Timing::Typ, true), 3e-4);
    // No program takes longer than 100 s (`crate::plausible`): the range is used as far as that.
    let beyond =
        "typ = \"220 us\", range = [\"100 us\", \"1 d\"], basis = \"calibrated\", source = \"s\"";
    let longest = moved_program(beyond, Timing::Typ, true);
    assert!((90.0..=100.0).contains(&longest), "{longest}");
}

/// Loading trusts the embedded sheets in this; a sheet of the user's own is asked each time.
#[test]
fn no_embedded_sheet_states_a_range_that_nothing_uses() {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let parts = catalog.parts().map(|part| &part.header);
    let boards = catalog.boards().map(|board| &board.header);
    let mut sheets = 0;
    for header in parts.chain(boards) {
        let tree = estimate::tree(&header.text).expect("sound");
        assert_eq!(unused(&tree), [], "{}", header.file);
        sheets += 1;
    }
    assert!(sheets > 200, "{sheets}");
}
