use std::collections::BTreeMap;

use super::*;
use crate::Catalog;

/// The logarithms of the sourced figures of a kind, by technology and figure, and of the ratios of their columns.
fn sourced(kind: &FigureKind) -> BTreeMap<(String, String), Vec<f64>> {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let parts = catalog
        .parts()
        .map(|part| (part.model.name(), &part.header));
    let boards = catalog.boards().map(|board| ("board", &board.header));
    let mut groups: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for (technology, header) in parts.chain(boards) {
        let tree = DeTable::parse(&header.text).expect("sound");
        figures::each(tree.get_ref(), &mut |_, path, table| {
            let same = FigureKind::of(path).is_some_and(|found| found.name == kind.name);
            let Some(stated) = Stated::of(&header.text, table).filter(|_| same) else {
                return;
            };
            let sourced = matches!(stated.basis, Basis::Datasheet | Basis::Published);
            let column = ["typ", "max", "min", "value"];
            let column = column.iter().find_map(|name| stated.column(name));
            let value = column.and_then(|one| si(&format!("{} {}", one.number, one.unit)));
            if let (true, Some((value, _))) = (sourced, value) {
                let plain = without_labels(path);
                let last = plain.rsplit('.').next().unwrap_or_default().to_owned();
                let group = (technology.to_owned(), last);
                groups.entry(group).or_default().push(value.ln());
            }
        });
    }
    groups
}

/// exp(1.645 σ) within groups, with its degrees of freedom.
fn factor(kind: &FigureKind) -> (usize, f64) {
    let groups = sourced(kind);
    let freedom: usize = groups.values().map(|group| group.len() - 1).sum();
    let squares: f64 = groups
        .values()
        .map(|group| {
            let mean = group.iter().sum::<f64>() / group.len() as f64;
            group.iter().map(|one| (one - mean).powi(2)).sum::<f64>()
        })
        .sum();
    (freedom, (1.645 * (squares / freedom as f64).sqrt()).exp())
}

#[test]
fn the_factors_are_those_of_the_catalogue() {
    for kind in &KINDS {
        let (freedom, derived) = factor(kind);
        let enough = freedom >= 4;
        match kind.evidence {
            Evidence::Catalogue => {
                let off = (kind.factor / derived).ln().abs();
                assert!(
                    enough && off < 0.06,
                    "{}: {derived:.2} of {freedom}",
                    kind.name
                );
            }
            Evidence::Borrowed(other) => {
                let other = KINDS
                    .iter()
                    .find(|kind| kind.name == other)
                    .expect("a kind");
                assert!(!enough, "{}: {derived:.2} of {freedom}", kind.name);
                assert_eq!(kind.factor, other.factor, "{}", kind.name);
                assert_eq!(other.evidence, Evidence::Catalogue);
            }
            Evidence::Judgement(reason) => assert!(!reason.is_empty()),
        }
    }
}

#[test]
fn a_largest_value_that_nobody_published_is_what_nine_of_ten_stay_below() {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let parts = catalog.parts().map(|part| &part.header);
    let headers: Vec<_> = parts
        .chain(catalog.boards().map(|board| &board.header))
        .collect();
    for influence in [Influence::Time, Influence::Power] {
        let mut ratios = Vec::new();
        for header in &headers {
            let tree = DeTable::parse(&header.text).expect("sound");
            figures::each(tree.get_ref(), &mut |_, path, table| {
                let kind = FigureKind::of(path).filter(|kind| kind.influence == influence);
                let stated = Stated::of(&header.text, table).filter(|stated| {
                    let sourced = matches!(stated.basis, Basis::Datasheet | Basis::Published);
                    sourced && stated.assumed.is_empty() && stated.range.is_none()
                });
                let (Some(_), Some(stated)) = (kind, stated) else {
                    return;
                };
                let value = |name: &str| {
                    let one = stated.column(name)?;
                    Some(si(&format!("{} {}", one.number, one.unit))?.0)
                };
                if let (Some(typ), Some(max)) = (value("typ"), value("max")) {
                    ratios.push(max / typ);
                }
            });
        }
        ratios.sort_by(f64::total_cmp);
        let nine_of_ten = ratios[ratios.len() * 9 / 10];
        let off = (nine_of_ten / influence.max_over_typ()).ln().abs();
        assert!(
            off < 0.1,
            "{influence:?}: {nine_of_ten:.2} of {}",
            ratios.len()
        );
    }
}

#[test]
fn every_target_can_lie_at_either_end_of_all_its_ranges() {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let mut moved = (0, 0);
    for part in catalog.parts() {
        let target = catalog
            .part_on_board(&part.header.id)
            .expect("a default board");
        for timing in [Timing::Typ, Timing::Max] {
            let figures = target.uncertain_figures(timing);
            for adverse in [false, true] {
                let ends = figures.iter().map(|figure| (figure, figure.end(adverse)));
                let varied = target.varied(ends);
                let then = varied.target().uncertain_figures(timing);
                assert_eq!(then.len(), figures.len(), "{}", target.name);
                for (figure, then) in figures.iter().zip(then) {
                    assert!(figure.low <= 1.0 && figure.high >= 1.0, "{figure:?}");
                    let expected = figure.value * figure.end(adverse);
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
    let ends = Some((Basis::Assumed, 2e-4, 1.0 / 2.3, 2.3));
    assert_eq!(one(assumed, Timing::Typ), ends);
    let sourced = "typ = \"200 us\", max = \"600 us\", source = \"s\"";
    assert_eq!(one(sourced, Timing::Typ), None);
    assert_eq!(one(sourced, Timing::Max), None);
    // A largest value that is assumed, and one that is missing.
    let largest = "typ = \"200 us\", max = \"800 us\", assumed_columns = [\"max\"], source = \"s\"";
    assert_eq!(one(largest, Timing::Typ), None);
    let (basis, value, low, high) = one(largest, Timing::Max).expect("it is assumed");
    assert_eq!((basis, value), (Basis::Assumed, 8e-4));
    assert!(
        (low - 0.25).abs() < 1e-12 && (high - Influence::Time.max_over_typ() / 4.0).abs() < 1e-12
    );
    let missing = "typ = \"200 us\", source = \"s\"";
    assert_eq!(
        one(missing, Timing::Max),
        Some((Basis::Assumed, 2e-4, 1.0, Influence::Time.max_over_typ()))
    );
    // A class.
    let class =
        "typ = \"200 us\", range = [\"100 us\", \"1 ms\"], basis = \"calibrated\", source = \"s\"";
    let (basis, _, low, high) = one(class, Timing::Typ).expect("it has a range");
    assert_eq!(basis, Basis::Calibrated);
    assert!((low - 0.5).abs() < 1e-12 && (high - 5.0).abs() < 1e-12);
}

#[test]
fn a_value_is_written_as_its_unit_allows() {
    let column = ColumnText {
        span: 0..0,
        number: 4260.0,
        unit: "cycles".to_owned(),
        least: None,
    };
    assert_eq!(column.scaled(2.7), "\"11502 cycles\"");
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
