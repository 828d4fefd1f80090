//! What machines were measured at, by which draws of undisclosed choices are judged: a draw in which the module that was
//! measured does not give its throughput describes another machine. It is set aside for every target.

use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_core::quantity::Quantity;
use wordline_core::{Basis, Mix};
use wordline_dram::sheet::Settings;

use super::draws::JointDraws;
use super::spread::DRAWS_MIN;

/// Draws that a band should rest on at least: more are drawn where fewer are kept.
pub(crate) const KEPT_ENOUGH: usize = 20;

/// Blocks of draws that are drawn for it at most.
const BLOCKS_MAX: usize = 4;

/// What a machine with a module in every channel was measured at.
#[derive(Clone, Debug)]
pub(crate) struct Anchor<'a> {
    pub(crate) target: ModuleInSystem<'a>,
    /// In sequential streams of all cores.
    pub(crate) mix: Mix,
    /// Of the whole system.
    pub(crate) bytes_per_s: f64,
    /// Where that comes from.
    pub(crate) basis: Basis,
    /// How far a draw may lie from it, relative to it.
    pub(crate) within: f64,
}

impl Anchor<'_> {
    fn is_met_by(&self, bytes_per_s: f64) -> bool {
        (bytes_per_s / self.bytes_per_s - 1.0).abs() <= self.within
    }
}

/// What the systems of targets were measured at, each once; and the names of settings, none of which was open, that make
/// another machine of a system that was measured.
pub(crate) fn of<'a>(
    catalog: &'a Catalog,
    targets: &[&ModuleInSystem<'a>],
    fixed: &Settings,
) -> (Vec<Anchor<'a>>, Vec<&'static str>) {
    let (mut anchors, mut others): (Vec<Anchor<'a>>, Vec<&'static str>) = Default::default();
    for of in targets {
        for measured in &of.system.sheet.measured {
            let name = format!("{}@{}", measured.module, of.system.header.id);
            // The catalogue has checked that the module exists.
            let Ok(target) = catalog.module_in_system(&name) else {
                continue;
            };
            let is_known = |one: &Anchor<'_>| one.target.name == name && one.mix == measured.mix;
            if anchors.iter().any(is_known) {
                continue;
            }
            let changed = changed(&target, fixed);
            if !changed.is_empty() {
                for name in changed {
                    if !others.contains(&name) {
                        others.push(name);
                    }
                }
                continue;
            }
            anchors.push(Anchor {
                target,
                mix: measured.mix,
                bytes_per_s: measured.bytes_per_s(),
                basis: measured.throughput.provenance().basis,
                within: measured.within.si(),
            });
        }
    }
    (anchors, others)
}

/// What of a target is known and set otherwise.
fn changed(target: &ModuleInSystem<'_>, fixed: &Settings) -> Vec<&'static str> {
    let choices = target.choices().into_iter();
    let changed = choices.filter(|choice| {
        let set = fixed.get(choice.name).map(|set| set.trim());
        choice.alternatives.is_empty() && set.is_some_and(|set| set != choice.value)
    });
    changed.map(|choice| choice.name).collect()
}

/// Which draws count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptDraws {
    /// Their numbers, ascending.
    pub(crate) numbers: Vec<usize>,
    /// Draws that give what was measured, of all of them: none where nothing was measured.
    pub(crate) met: Option<usize>,
    /// Draws of all blocks.
    pub(crate) drawn: usize,
}

/// Of draws that ended: the number, and what the whole system carries by anchor, in B/s.
pub(crate) type CarriedBytes<E> = Result<Vec<(usize, Vec<f64>)>, E>;

impl KeptDraws {
    /// All draws.
    pub(crate) fn all(draws: &JointDraws) -> Self {
        Self {
            numbers: (0..draws.draws.len()).collect(),
            met: None,
            drawn: draws.draws.len(),
        }
    }

    /// Whether those that do not give what was measured are set aside.
    pub(crate) fn are_measured(&self) -> bool {
        self.met == Some(self.numbers.len())
    }

    /// Those in which every anchor gives what was measured. `run` simulates the draws from a number on and gives for each
    /// that ended its number and what the whole system carries, by anchor. Too few of them do not count: then all draws of
    /// the first block do.
    pub(crate) fn measured<E>(
        anchors: &[Anchor<'_>],
        draws: &mut JointDraws,
        extend: &dyn Fn(&mut JointDraws) -> usize,
        run: &mut dyn FnMut(&JointDraws, usize) -> CarriedBytes<E>,
    ) -> Result<Self, E> {
        let block = draws.draws.len();
        let (mut met, mut first) = (Vec::new(), 0);
        loop {
            let carried = run(draws, first)?;
            let (ended, wanted) = (carried.len(), draws.draws.len() - first);
            met.extend(carried.into_iter().filter_map(|(number, carried)| {
                let mut each = anchors.iter().zip(carried);
                each.all(|(anchor, carried)| anchor.is_met_by(carried))
                    .then_some(number)
            }));
            let drawn = draws.draws.len();
            // Where runs were stopped, more would be stopped as well.
            if met.len() >= KEPT_ENOUGH || drawn >= BLOCKS_MAX * block || ended < wanted {
                let found = met.len();
                let counts = found >= DRAWS_MIN;
                return Ok(Self {
                    numbers: if counts { met } else { (0..block).collect() },
                    met: Some(found),
                    drawn,
                });
            }
            first = extend(draws);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RDIMM: &str = "rdimm-6400-2rx4-64g@xeon6-1s";
    const MEASURED: f64 = 563e9;

    fn catalog() -> Catalog {
        Catalog::load(&[]).expect("the embedded sheets are sound")
    }

    fn set(settings: &[(&str, &str)]) -> Settings {
        let owned = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect()
    }

    /// What an open choice is set to may be what the machine has; another number of cores is another machine.
    #[test]
    fn a_machine_that_was_measured_counts_unless_it_is_changed() {
        let catalog = catalog();
        let target = |name| catalog.module_in_system(name).expect("it exists");
        let (one, other) = (
            target("mrdimm-8800-2rx4-64g@xeon6-1s"),
            target("rdimm-6400-2rx4-128g@xeon6-1s"),
        );
        for (settings, expected) in [
            (set(&[]), &[][..]),
            (set(&[("age_cap", "32"), ("cores", " 128")]), &[]),
            (
                set(&[("cores", "64"), ("refresh", "off")]),
                &["cores", "refresh"],
            ),
        ] {
            let (anchors, others) = of(&catalog, &[&one, &other], &settings);
            assert_eq!(others, expected);
            let names: Vec<_> = anchors.iter().map(|one| one.target.name.as_str()).collect();
            let known = [RDIMM];
            assert_eq!(names, if expected.is_empty() { &known[..] } else { &[] });
            for anchor in &anchors {
                assert!((anchor.bytes_per_s / MEASURED - 1.0).abs() < 1e-12);
                assert!(anchor.is_met_by(1.039 * MEASURED) && anchor.is_met_by(0.961 * MEASURED));
                assert!(!anchor.is_met_by(1.041 * MEASURED) && !anchor.is_met_by(0.959 * MEASURED));
            }
        }
        let nowhere = target("rdimm-6400-2rx4-64g@next-gen-16ch");
        let (anchors, others) = of(&catalog, &[&nowhere], &set(&[]));
        assert!(anchors.is_empty() && others.is_empty());
    }

    /// Of every block of 16 draws the first few give what was measured, and `stopped` draws of all end.
    fn kept(met_of_16: usize, stopped: usize) -> KeptDraws {
        let catalog = catalog();
        let target = catalog.module_in_system(RDIMM).expect("it exists");
        let none = Settings::new();
        let (anchors, _) = of(&catalog, &[&target], &none);
        let mut draws = JointDraws::new(&[&target], &none, 16, 1);
        let extend = |draws: &mut JointDraws| draws.extend(&[&target], &none, 16, 1);
        let mut run = |draws: &JointDraws, first: usize| {
            let ends = (first..draws.draws.len()).filter(|number| *number < stopped);
            let rate = |number: usize| match number % 16 < met_of_16 {
                true => 1.03 * MEASURED,
                false => 0.9 * MEASURED,
            };
            Ok::<Vec<_>, ()>(ends.map(|number| (number, vec![rate(number)])).collect())
        };
        KeptDraws::measured(&anchors, &mut draws, &extend, &mut run).expect("it runs")
    }

    #[test]
    fn draws_go_on_until_enough_give_what_was_measured() {
        for (met_of_16, drawn, met) in [(16, 32, 32), (10, 32, 20), (9, 48, 27), (2, 64, 8)] {
            let kept = kept(met_of_16, usize::MAX);
            assert_eq!((kept.drawn, kept.met), (drawn, Some(met)), "{met_of_16}");
            assert!(kept.are_measured());
            let expected = (0..drawn).filter(|number| number % 16 < met_of_16);
            assert_eq!(kept.numbers, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn too_few_set_nothing_aside() {
        let kept = kept(1, usize::MAX);
        assert_eq!((kept.drawn, kept.met), (64, Some(4)));
        assert!(!kept.are_measured());
        assert_eq!(kept.numbers, (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn a_run_that_is_stopped_draws_no_more() {
        let kept = kept(9, 12);
        assert_eq!((kept.drawn, kept.met), (16, Some(9)));
        assert_eq!(kept.numbers, (0..9).collect::<Vec<_>>());
    }
}
