//! The populations of the catalogue: the sourced figures of its parts, by kind, figure and column.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use toml::de::DeTable;
use wordline_core::Basis;
use wordline_core::quantity::{Current, Cycles, Frequency, Quantity, Time};

use super::distribution::{ALL_KINDS, FACTOR};
use super::population::{Member, expect, nine_of_ten, nine_of_ten_weighted};
use super::rules::{EstimateColumn, EstimateUnit, FigureSlot};
use super::{slots, tree};
use crate::ranges::SourcedFigure;
use crate::ranges::kinds::{
    Evidence, FigureKind, Influence, KINDS, MAX_OVER_TYP_OF_CURRENTS, MAX_OVER_TYP_OF_TIMES,
    max_over_typ_of, technology,
};
use crate::{EMBEDDED, figures};

/// Names of the columns of the file.
const HEADING: &str =
    "kind\tfigure\tcolumn\tfamily\tparts\tmembers\tdifferences\tcentre\tlow\thigh";

/// Kind, figure and column.
pub(super) type PopulationKey = (&'static str, String, &'static str);

/// A part with what its sources state.
pub(super) struct SourcedPart {
    pub(super) id: String,
    family: Option<String>,
    maker: String,
    /// The mean of the logarithms of each figure and column.
    values: BTreeMap<(String, &'static str), f64>,
    /// The figures that no closer figure of the same place stands before, with their units.
    closest: BTreeMap<String, EstimateUnit>,
    /// Its kind.
    kind: &'static str,
    /// All kinds of each figure.
    kinds: BTreeMap<String, Vec<&'static str>>,
}

impl SourcedPart {
    fn of(tree: &DeTable<'_>) -> Option<Self> {
        let text = |key| Some(tree.get(key)?.get_ref().as_str()?.to_owned());
        let slots = slots(tree);
        let mut logs = BTreeMap::<_, Vec<f64>>::new();
        for slot in &slots {
            let Some(stated) = slot.stated else { continue };
            let sourced = figures::provenance(stated).is_some_and(|(basis, _)| {
                matches!(basis, Basis::Datasheet | Basis::Published | Basis::Measured)
            });
            // A range says that the value stands for a class of parts.
            if !sourced || stated.contains_key("range") {
                continue;
            }
            for column in slot.rule.columns {
                let Some(value) = sourced_column(slot, stated, *column) else {
                    continue;
                };
                for figure in slot.figures.iter().collect::<BTreeSet<_>>() {
                    let key = (figure.clone(), column.name());
                    logs.entry(key).or_default().push(libm::log(value));
                }
            }
        }
        let closest = slots
            .iter()
            .map(|slot| (slot.figures[0].clone(), slot.rule.unit));
        let mean = |logs: Vec<f64>| logs.iter().sum::<f64>() / logs.len() as f64;
        Some(Self {
            id: text("part")?,
            family: text("family"),
            maker: text("manufacturer")?,
            kind: slots.first()?.kinds[0],
            kinds: slots
                .iter()
                .flat_map(|slot| {
                    slot.figures
                        .iter()
                        .map(|figure| (figure.clone(), slot.kinds.clone()))
                })
                .collect(),
            closest: closest.collect(),
            values: logs
                .into_iter()
                .map(|(key, logs)| (key, mean(logs)))
                .collect(),
        })
    }

    /// Whether two names stand for one design: one maker, and the same figures throughout.
    fn is_same_design(&self, other: &Self) -> bool {
        // Fewer figures agree by chance, as round numbers do.
        const FIGURES_MIN: usize = 4;
        let equal = |(key, one): (&_, &f64)| {
            other
                .values
                .get(key)
                .is_some_and(|other| (one - other).abs() < 1e-12)
        };
        self.maker == other.maker
            && self.kind == other.kind
            && self.values.len() == other.values.len()
            && self.values.len() >= FIGURES_MIN
            && self.values.iter().all(equal)
    }
}

/// A column that the source of a figure states, before scaling, in the SI unit.
fn sourced_column(
    slot: &FigureSlot<'_, '_>,
    stated: &DeTable<'_>,
    column: EstimateColumn,
) -> Option<f64> {
    fn of<Q: Quantity>(text: &str) -> Option<f64> {
        text.parse::<Q>().ok().map(Quantity::si)
    }
    let assumed = figures::assumed_columns(stated);
    let value = |name: &&str| {
        let text = stated.get(*name)?.get_ref().as_str()?;
        let value = match slot.rule.unit {
            EstimateUnit::Time => of::<Time>(text),
            EstimateUnit::Current => of::<Current>(text),
            EstimateUnit::Cycles => of::<Cycles>(text),
            EstimateUnit::Frequency => of::<Frequency>(text),
        };
        let is_sourced = !assumed.iter().any(|one| one == name);
        value.filter(|value| is_sourced && *value > 0.0)
    };
    let from: &[&str] = match column {
        EstimateColumn::Typ => &["typ"],
        EstimateColumn::Max => &["max"],
        EstimateColumn::Usual => &["typ", "max", "min"],
        EstimateColumn::Most => &["max", "min", "typ"],
        EstimateColumn::Least => &["min", "typ", "max"],
    };
    Some(from.iter().find_map(value)? / slot.scale)
}

/// The parts of the catalogue with what their sources state. Several names of one design count once.
pub(super) fn parts() -> Vec<SourcedPart> {
    let mut parts = Vec::<SourcedPart>::new();
    for (file, text) in EMBEDDED.iter() {
        let tree = tree(text).unwrap_or_else(|(_, message)| panic!("{file}: {message}"));
        if let Some(part) = SourcedPart::of(&tree)
            && !parts.iter().any(|other| other.is_same_design(&part))
        {
            parts.push(part);
        }
    }
    parts
}

/// The populations of some parts. That of a wider kind or figure stands only where it has more parts.
pub(super) fn populations(parts: &[SourcedPart]) -> BTreeMap<PopulationKey, Vec<Member>> {
    let mut all = BTreeMap::<PopulationKey, Vec<Member>>::new();
    for part in parts {
        for ((figure, column), log) in &part.values {
            for kind in &part.kinds[figure] {
                let members = all.entry((kind, figure.clone(), column)).or_default();
                let family = part.family.as_ref().unwrap_or(&part.id).clone();
                members.push(Member { family, log: *log });
            }
        }
    }
    all
}

/// The closest population of every figure and column, with its unit.
pub(super) fn closest_populations(
    parts: &[SourcedPart],
) -> Vec<(PopulationKey, EstimateUnit, Vec<Member>)> {
    let closest = |(kind, figure, column): PopulationKey, members| {
        let of_kind = parts.iter().filter(|part| part.kind == kind);
        let unit = of_kind.flat_map(|part| part.closest.get(&figure)).next()?;
        Some(((kind, figure, column), *unit, members))
    };
    let all = populations(parts).into_iter();
    all.filter_map(|(key, members)| closest(key, members))
        .collect()
}

/// The distributions of all populations with enough parts, as the file has them.
pub(super) fn distributions(parts: &[SourcedPart]) -> String {
    let mut lines = format!("{HEADING}\n");
    let all = populations(parts);
    let closest: BTreeSet<_> = parts.iter().map(|part| part.kind).collect();
    // A wider kind counts where parts of more than one kind state the figure.
    let adds = |(kind, figure, column): &PopulationKey, members: &[Member]| {
        let of_closest = |kind: &&'static str| {
            let closest = all.get(&(*kind, figure.clone(), *column));
            closest.is_some_and(|closest| closest.len() == members.len())
        };
        closest.contains(kind) || !closest.iter().any(of_closest)
    };
    for (key, members) in &all {
        if !adds(key, members) {
            continue;
        }
        let (kind, figure, column) = key;
        let named: BTreeSet<_> = parts
            .iter()
            .filter_map(|part| part.family.as_deref())
            .collect();
        let families = members
            .iter()
            .map(|one| &*one.family)
            .collect::<BTreeSet<_>>();
        let families = families.into_iter().filter(|family| named.contains(family));
        for family in std::iter::once("").chain(families) {
            let Some(expected) = expect(members, Some(family)) else {
                continue;
            };
            let (of_family, all) = (
                members.iter().filter(|one| one.family == family),
                members.len(),
            );
            let numbers = [expected.centre, expected.low, expected.high];
            let [centre, low, high] = numbers.map(|log| format!("{:.3e}", libm::exp(log)));
            let of_family = of_family.count();
            writeln!(
                lines,
                "{kind}\t{figure}\t{column}\t{family}\t{all}\t{of_family}\t{}\t{centre}\t{low}\t{high}",
                expected.differences
            )
            .expect("a String takes everything");
        }
    }
    lines
}

/// A sourced figure of a part or board, as a group of like figures, its value in the SI unit, and the ratio of its columns.
struct LikeFigure {
    kind: &'static FigureKind,
    group: (String, String),
    value: f64,
    max_over_typ: Option<f64>,
    /// The file of its sheet, and the technology of its table.
    file: &'static str,
    technology: String,
}

/// All sourced figures of parts and boards that have a kind.
fn sourced() -> Vec<LikeFigure> {
    let mut found = Vec::new();
    for (file, text) in EMBEDDED.iter() {
        let tree = tree(text).unwrap_or_else(|(_, message)| panic!("{file}: {message}"));
        if !["part", "board"].iter().any(|key| tree.contains_key(*key)) {
            continue;
        }
        let slots = slots(&tree);
        let folder = file.split('/').nth(1).unwrap_or_default();
        figures::each(&tree, &mut |_, path, table| {
            let Some(kind) = FigureKind::of(path) else {
                return;
            };
            let Some(stated) = SourcedFigure::of(text, table) else {
                return;
            };
            let slot = slots
                .iter()
                .find(|slot| slot.stated.is_some_and(|it| std::ptr::eq(it, table)));
            let group = match slot {
                Some(slot) => (slot.kinds[0].to_owned(), slot.figures[0].clone()),
                None => {
                    let last = path.rsplit('.').next().unwrap_or_default();
                    (folder.to_owned(), last.to_owned())
                }
            };
            found.push(LikeFigure {
                kind,
                group,
                value: stated.value / slot.map_or(1.0, |slot| slot.scale),
                max_over_typ: stated.max_over_typ,
                file,
                technology: technology(path).to_owned(),
            });
        });
    }
    found
}

/// How far the figures of each kind lie apart, as factors, and how far their largest values lie above the typical ones.
fn spreads() -> String {
    let all = sourced();
    let mut lines = String::new();
    let mut line = |name: &str, count: usize, factor: f64| {
        let low = 1.0 / factor;
        writeln!(
            lines,
            "{ALL_KINDS}\t{name}\t{FACTOR}\t\t{count}\t0\t{count}\t1\t{low:.3e}\t{factor:.3e}"
        )
        .expect("a String takes everything");
    };
    for kind in &KINDS {
        let mut groups = BTreeMap::<_, Vec<f64>>::new();
        for one in all.iter().filter(|one| one.kind == kind) {
            groups
                .entry(&one.group)
                .or_default()
                .push(libm::log(one.value));
        }
        let freedom: usize = groups.values().map(|group| group.len() - 1).sum();
        let squares: f64 = groups
            .values()
            .map(|group| {
                let mean = group.iter().sum::<f64>() / group.len() as f64;
                group.iter().map(|one| (one - mean).powi(2)).sum::<f64>()
            })
            .sum();
        if freedom >= FREEDOM_MIN && !matches!(kind.evidence, Evidence::Judgement(..)) {
            line(
                kind.name,
                freedom,
                libm::exp(1.645 * (squares / freedom as f64).sqrt()),
            );
        }
    }
    // One ratio a part, kind and technology: what a sheet states of several blocks is one statement.
    let mut of_parts = BTreeMap::<_, BTreeMap<&str, Vec<f64>>>::new();
    for one in &all {
        if let Some(ratio) = one.max_over_typ {
            let key = (one.kind.name, one.technology.as_str());
            let ratios = of_parts.entry(key).or_default();
            ratios.entry(one.file).or_default().push(libm::log(ratio));
        }
    }
    let mean = |logs: &Vec<f64>| libm::exp(logs.iter().sum::<f64>() / logs.len() as f64);
    for (name, influence) in [
        (MAX_OVER_TYP_OF_TIMES, Influence::Time),
        (MAX_OVER_TYP_OF_CURRENTS, Influence::Power),
    ] {
        let kinds: Vec<_> = KINDS
            .iter()
            .filter(|kind| kind.influence == influence)
            .collect();
        let of_influence = of_parts
            .iter()
            .filter(|((kind, _), _)| kinds.iter().any(|one| one.name == *kind));
        let mut technologies = BTreeMap::<_, Vec<f64>>::new();
        for ((kind, technology), parts) in of_influence {
            let ratios: Vec<f64> = parts.values().map(mean).collect();
            if ratios.len() >= RATIOS_MIN {
                let name = max_over_typ_of(kind, Some(technology));
                line(&name, ratios.len(), nine_of_ten(ratios.iter().copied()));
            }
            technologies.entry(*technology).or_default().extend(ratios);
        }
        for (technology, ratios) in &technologies {
            if ratios.len() >= RATIOS_MIN {
                let name = max_over_typ_of(name, Some(technology));
                line(&name, ratios.len(), nine_of_ten(ratios.iter().copied()));
            }
        }
        // Of any technology: each weighs alike, however many parts of it the catalogue has.
        let count = technologies.values().map(Vec::len).sum();
        let weighted = technologies.values().flat_map(|ratios| {
            let weight = count as f64 / technologies.len() as f64 / ratios.len() as f64;
            ratios.iter().map(move |ratio| (*ratio, weight))
        });
        line(
            &max_over_typ_of(name, None),
            count,
            nine_of_ten_weighted(weighted),
        );
    }
    lines
}

/// Parts of one technology that must state both columns before their ratios count for it.
const RATIOS_MIN: usize = 6;

/// Degrees of freedom below which the figures at hand say too little of how far a kind differs.
const FREEDOM_MIN: usize = 4;

/// The lines below the heading in the order of their keys, in which they are looked for.
fn in_order(text: &str) -> String {
    let (heading, rows) = text.split_once('\n').expect("a heading");
    let mut rows: Vec<_> = rows.lines().collect();
    rows.sort_by_key(|row| row.split('\t').take(4).collect::<Vec<_>>());
    format!("{heading}\n{}\n", rows.join("\n"))
}

/// The file holds what the catalogue's sources say; `UPDATE_REFERENCE=1` writes it again.
#[test]
fn the_distributions_are_those_of_the_catalogue() {
    let computed = in_order(&(distributions(&parts()) + &spreads()));
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/distributions.tsv");
        std::fs::write(path, &computed).expect("the checkout can be written");
        return;
    }
    let stored = super::distribution::TEXT;
    let differing = computed
        .lines()
        .zip(stored.lines())
        .find(|(one, other)| one != other);
    assert_eq!(differing, None, "a sheet changed: run make reference");
    assert_eq!(computed.lines().count(), stored.lines().count());
}
