//! Whether nine of ten figures lie where they would be estimated: of populations that are drawn, and of the catalogue,
//! each part without itself. `UPDATE_EVIDENCE=1` writes the page of the catalogue again.

use std::fmt::Write as _;

use wordline_core::draw::{Purpose, draw, standard_normal};

use super::population::{Expectation, Member, expect};
use super::rules::EstimateUnit;
use super::sample::{closest_populations, parts};

/// A draw of a standard normal distribution.
fn normal(seed: u64, index: u64, what: u64) -> f64 {
    standard_normal(draw(seed, index, what, Purpose::EraseTime))
}

/// Families of up to five parts that differ within and between, as many as make so many parts; the last part is the
/// one to estimate.
fn drawn(seed: u64, parts: u64, within: f64, between: f64) -> Vec<Member> {
    let mut members = Vec::new();
    for family in 0.. {
        let centre = between * normal(seed, family, 0);
        for one in 0..=family % 5 {
            if members.len() as u64 > parts {
                // Neither the largest family nor always a new one comes last.
                let last = members.len() - 1;
                members.swap((seed % last as u64) as usize, last);
                return members;
            }
            members.push(Member {
                family: family.to_string(),
                log: centre + within * normal(seed, family, 1 + one),
            });
        }
    }
    members
}

#[test]
fn nine_of_ten_drawn_parts_lie_in_their_ranges() {
    for (parts, within, between) in [
        (16, 0.2, 0.6),
        (25, 0.5, 0.0),
        (40, 0.2, 0.6),
        (80, 0.1, 1.0),
    ] {
        let populations = 600;
        let inside = (0..populations).filter(|seed| {
            let mut members = drawn(*seed, parts, within, between);
            let part = members.pop().expect("drawn");
            let expected = expect(&members, Some(&part.family)).expect("enough families");
            expected.holds(part.log)
        });
        let share = inside.count() as f64 / populations as f64;
        assert!(
            (0.85..0.95).contains(&share),
            "{parts} {within} {between}: {share}"
        );
    }
}

#[test]
fn a_family_counts_as_far_as_its_parts_agree() {
    let member = |family: &str, log| Member {
        family: family.to_owned(),
        log,
    };
    // Three families that agree within and differ between.
    let families = [("a", 0.0), ("b", 1.0), ("c", 2.0)];
    let tight: Vec<_> = families
        .iter()
        .flat_map(|(family, log)| [-0.01, 0.0, 0.01].map(|off| member(family, log + off)))
        .collect();
    let centre = |members: &[Member], family| {
        let Expectation { centre, .. } = expect(members, family).expect("nine parts");
        centre
    };
    assert!((centre(&tight, Some("c")) - 2.0).abs() < 0.01);
    let of_family = expect(&tight, Some("a")).expect("nine parts");
    assert!(of_family.high < 0.05, "{of_family:?}");
    // Three families are too few to say what a fourth is like.
    assert_eq!(expect(&tight, Some("d")), None);
    let more: Vec<_> = (0..6)
        .map(|one| member(&format!("e{one}"), f64::from(one % 3)))
        .collect();
    let nine = [tight, more].concat();
    let of_none = expect(&nine, Some("d")).expect("nine families");
    assert!(
        (of_none.centre - 1.0).abs() < 0.01 && of_none.high > 1.0,
        "{of_none:?}"
    );
    // Families that do not differ are one population.
    let loose: Vec<_> = families
        .iter()
        .flat_map(|(family, _)| [-1.0, 0.0, 1.0].map(|off| member(family, off)))
        .collect();
    assert!(centre(&loose, Some("c")).abs() < 1e-9);
}

/// A population of the catalogue, and how many of its parts lie in the range that the others give them.
struct LeftOutScore {
    population: String,
    parts: usize,
    families: usize,
    inside: usize,
    is_nor_time: bool,
}

fn left_out() -> Vec<LeftOutScore> {
    let parts = parts();
    closest_populations(&parts)
        .into_iter()
        .map(|((kind, figure, column), unit, members)| {
            let is_inside = |left_out: usize| {
                let mut others = members.clone();
                let part = others.remove(left_out);
                let expected = expect(&others, Some(&part.family))?;
                Some(expected.holds(part.log))
            };
            let estimated: Vec<bool> = (0..members.len()).filter_map(is_inside).collect();
            let mut families: Vec<_> = members.iter().map(|one| &one.family).collect();
            families.sort();
            families.dedup();
            LeftOutScore {
                population: format!("{kind}: {figure}, {column}"),
                parts: estimated.len(),
                families: families.len(),
                inside: estimated.iter().filter(|inside| **inside).count(),
                is_nor_time: kind.ends_with("NOR")
                    && matches!(unit, EstimateUnit::Time | EstimateUnit::Frequency),
            }
        })
        .filter(|population| population.parts > 0)
        .collect()
}

#[test]
fn nine_of_ten_parts_of_the_catalogue_lie_where_the_others_put_them() {
    let all = left_out();
    let sum = |of: &dyn Fn(&&LeftOutScore) -> bool| {
        let of = all.iter().filter(of);
        of.fold((0, 0), |(inside, parts), one| {
            (inside + one.inside, parts + one.parts)
        })
    };
    let share = |(inside, parts): (usize, usize)| 100.0 * inside as f64 / parts.max(1) as f64;
    let times = sum(&|one| one.is_nor_time);
    let mut page = format!(
        "# Estimated figures, each held against the part that states it\n\nWhere no source states a figure of a part, the \
         catalogue estimates it from the parts of its family and kind, with a range that holds nine of ten. Here each figure \
         that a source does state is estimated as if it were missing: from all other parts. The test `cargo test -p \
         wordline-catalog --lib leave_one_out` computes this table, and `make reference` writes it.\n\nOf {} times and \
         clocks of NOR flash, {} lie in their ranges: {:.1} %.\n\n| population | parts | families | inside | share |\n|---|---|---|---|---|\n",
        times.1,
        times.0,
        share(times)
    );
    for one in &all {
        let share = share((one.inside, one.parts));
        let LeftOutScore {
            population,
            parts,
            families,
            inside,
            ..
        } = one;
        writeln!(
            page,
            "| {population} | {parts} | {families} | {inside} | {share:.0} % |"
        )
        .expect("text");
    }
    let total = sum(&|_| true);
    writeln!(
        page,
        "| all | {} | | {} | {:.0} % |",
        total.1,
        total.0,
        share(total)
    )
    .expect("text");
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/evidence/estimates.md"
    );
    if std::env::var_os("UPDATE_EVIDENCE").is_some() {
        std::fs::write(path, &page).expect("the checkout can be written");
    }
    let stored = std::fs::read_to_string(path).expect("the page exists");
    assert!(
        stored == page,
        "docs/evidence/estimates.md is stale: run make reference"
    );
    assert!(
        times.1 >= 500 && (85.0..=95.0).contains(&share(times)),
        "{page}"
    );
}
