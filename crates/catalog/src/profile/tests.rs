use wordline_core::LifecycleStatus;
use wordline_core::quantity::{ByteCount, Current, Cycles, Quantity, Time, Voltage};

use super::{BusWires, DumpOrigin, KEY_FIGURES, PartFilter, PartProfile, similar};
use crate::Catalog;

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn ids<'a>(catalog: &'a Catalog, filter: &PartFilter) -> Vec<&'a str> {
    let parts = catalog
        .parts()
        .filter(|part| filter.admits(&PartProfile::of(part)).is_some());
    parts.map(|part| part.header.id.as_str()).collect()
}

#[test]
fn buses_are_those_that_data_sheets_name() {
    let catalog = catalog();
    for (id, bus) in [
        ("w25q64jv", BusWires::Quad),
        ("em064lx", BusWires::Octal),
        ("mx66uw1g45g", BusWires::Octal),
        ("mr25h40", BusWires::Single),
        ("mr4a16b", BusWires::Parallel),
        ("mt29f4g08abada", BusWires::Parallel),
        ("w25n01gv", BusWires::Quad),
        ("sandisk-ultra-16g", BusWires::Sd),
        ("micron-emmc50-8g", BusWires::Emmc),
        ("emd4e001g", BusWires::Ddr),
        ("stm32f405-flash", BusWires::OnChip),
    ] {
        let part = catalog.part(id).expect(id);
        assert_eq!(PartProfile::of(part).bus, bus, "{id}");
    }
}

#[test]
fn key_figures_are_read_from_the_sheet() {
    let catalog = catalog();
    let profile = PartProfile::of(catalog.part("w25q64jv").expect("in the catalogue"));
    assert_eq!((profile.kind(), profile.capacity), ("nor", 8 << 20));
    assert_eq!(profile.dump, Some(DumpOrigin::Sfdp));
    // Figures of a sibling's table, and reasons that name a standard.
    for id in ["mt25ql128", "mt29f4g08abada"] {
        assert_eq!(
            PartProfile::of(catalog.part(id).expect(id)).dump,
            None,
            "{id}"
        );
    }
    let (least, most) = profile.supply.expect("stated");
    assert!((least - 2.7).abs() < 1e-9 && (most - 3.6).abs() < 1e-9);
    let program = profile.value("program").expect("stated");
    assert_eq!(program.figure.figure, "nor.page_program");
    assert!((program.usual() - 704e-6).abs() < 1e-12);
    assert!((program.worst(false) - 4.224e-3).abs() < 1e-12);
    // Of several erases that of the smallest block, whose typical time is the shortest.
    let erase = profile.value("erase").expect("stated");
    assert!((erase.usual() - 64e-3).abs() < 1e-12, "{erase:?}");
    assert!((profile.value("clock").expect("stated").usual() - 133e6).abs() < 1.0);
}

/// A name in the table of key figures that no sheet has would be forgotten in silence.
#[test]
fn every_key_figure_is_that_of_several_parts() {
    let catalog = catalog();
    let profiles: Vec<_> = catalog.parts().map(PartProfile::of).collect();
    for (index, key) in KEY_FIGURES.iter().enumerate() {
        let count = profiles
            .iter()
            .filter(|profile| profile.values[index].is_some())
            .count();
        assert!(count >= 5, "{}: {count}", key.name);
    }
    for profile in &profiles {
        let id = &profile.part.header.id;
        assert!(
            profile.supply.is_some() || profile.bus == BusWires::Ddr,
            "{id}"
        );
        assert!(profile.sourced + profile.assumed > 0, "{id}");
    }
}

#[test]
fn a_filter_admits_what_meets_it_at_the_worse_end() {
    let catalog = catalog();
    let filter = PartFilter {
        kinds: vec!["nor".to_owned()],
        buses: vec![BusWires::Quad, BusWires::Octal],
        min_capacity: Some(ByteCount::from_bytes(16 << 20)),
        max_standby: Some(Current::from_si(200e-6)),
        ..PartFilter::default()
    };
    let found = ids(&catalog, &filter);
    let mut certain = 0;
    for part in catalog.parts() {
        let profile = PartProfile::of(part);
        let id = &part.header.id;
        let standby = profile.value("standby");
        let sourced = standby.filter(|standby| standby.is_sourced());
        let admission = filter.admits(&profile);
        assert_eq!(admission.is_some(), found.contains(&id.as_str()));
        let is_kind = profile.kind() == "nor"
            && [BusWires::Quad, BusWires::Octal].contains(&profile.bus)
            && profile.capacity >= 16 << 20;
        if !is_kind || sourced.is_some_and(|standby| standby.worst(false) > 200e-6) {
            assert_eq!(admission, None, "{id}");
        }
        // What is certain is stated by a source, at its largest.
        if admission.is_some_and(|admission| admission.open.is_empty()) {
            certain += 1;
            let most = sourced.and_then(|standby| standby.columns[2]);
            assert!(most.is_some_and(|most| most <= 200e-6), "{id}");
        }
    }
    assert!(certain > 0);
}

#[test]
fn what_no_source_states_leaves_an_admission_open() {
    let catalog = catalog();
    let part = catalog.part("bh25q128as").expect("in the catalogue");
    let filter = PartFilter {
        max_standby: Some(Current::from_si(1e-3)),
        ..PartFilter::default()
    };
    let admission = filter
        .admits(&PartProfile::of(part))
        .expect("as it is assumed");
    assert_eq!(admission.open, ["standby (assumed)"]);
    let filter = PartFilter {
        supply: Some(Voltage::from_si(1.8)),
        ..PartFilter::default()
    };
    assert_eq!(filter.admits(&PartProfile::of(part)), None);
}

/// A missing figure and a column without a source leave a part open. An estimate excludes a part only where all of its
/// range fails.
#[test]
fn what_is_not_stated_is_never_certain() {
    let catalog = catalog();
    let of = |id: &str, filter: &PartFilter| {
        filter.admits(&PartProfile::of(catalog.part(id).expect(id)))
    };
    let standby = |amperes| PartFilter {
        max_standby: Some(Current::from_si(amperes)),
        ..PartFilter::default()
    };
    let unknown = of("as3004204", &standby(1e-9));
    let stated = PartProfile::of(catalog.part("as3004204").expect("known"))
        .value("standby")
        .is_some();
    assert!(stated || unknown.is_some_and(|admission| admission.open == ["standby (unknown)"]));
    // Its longest program is assumed.
    let filter = PartFilter {
        max_program: Some(Time::from_si(4e-3)),
        ..PartFilter::default()
    };
    let admission = of("kingston-sdc4-4g", &filter).expect("3 ms as it is assumed");
    assert_eq!(admission.open.len(), 1, "{admission:?}");
    // Of an ageing law there is another endurance, which no sheet rates.
    let rated = PartProfile::of(catalog.part("nand08gw3b2c").expect("known"));
    let endurance = rated.value("endurance").expect("rated");
    assert!((endurance.usual() - 1e5).abs() < 1.0, "{endurance:?}");
    let cycles = |cycles| PartFilter {
        min_endurance: Some(Cycles::from_si(cycles)),
        ..PartFilter::default()
    };
    assert_eq!(of("nand08gw3b2c", &cycles(1e6)), None);
    // An estimate of 72,200 cycles that may be 8,900 to 586,000.
    let estimated = PartProfile::of(catalog.part("w25q64jv").expect("known"));
    let endurance = estimated.value("endurance").expect("estimated");
    let (low, high) = endurance.range.expect("an estimate has a range");
    for (least, admitted) in [
        (low / 2.0, true),
        ((low * high).sqrt(), true),
        (high * 1.1, false),
    ] {
        let admission = of("w25q64jv", &cycles(least));
        assert_eq!(admission.is_some(), admitted, "{least}: {admission:?}");
        assert!(admission.is_none_or(|admission| admission.open == ["endurance (estimated)"]));
    }
}

#[test]
fn makers_and_lifecycles_are_filters() {
    let catalog = catalog();
    let filter = PartFilter {
        makers: vec!["winbond".to_owned()],
        ..PartFilter::default()
    };
    let found = ids(&catalog, &filter);
    assert!(found.contains(&"w25q64jv") && !found.contains(&"em064lx"));
    let filter = PartFilter {
        lifecycles: LifecycleStatus::ALL.to_vec(),
        ..PartFilter::default()
    };
    assert_eq!(ids(&catalog, &filter).len(), catalog.parts().count());
}

#[test]
fn the_part_that_resembles_most_could_stand_in() {
    let catalog = catalog();
    let to = PartProfile::of(catalog.part("w25q128jv").expect("in the catalogue"));
    let all = similar(&to, catalog.parts().map(PartProfile::of));
    assert!(all.len() > 50);
    assert!(
        all.windows(2)
            .all(|pair| pair[0].obstacles.len() <= pair[1].obstacles.len())
    );
    assert!(all.iter().all(|one| one.compared >= 3 && one.factor >= 1.0));
    let first = &all[0];
    assert!(
        first.obstacles.is_empty() && first.factor >= 1.0,
        "{first:?}"
    );
    // What stands in for it has its bus, and holds as much at least.
    assert_eq!(first.profile.bus, to.bus);
    assert!(first.profile.capacity >= to.capacity);
    let self_like = similar(&to, std::iter::once(to.clone()));
    assert!(self_like.is_empty());
    // 1.8 V stands in the way of 3 V.
    let other = all
        .iter()
        .find(|one| one.profile.part.header.id == "w25q64jw");
    let obstacles = &other.expect("a NOR part").obstacles;
    assert!(
        obstacles.iter().any(|one| one.starts_with("supply")),
        "{obstacles:?}"
    );
}
