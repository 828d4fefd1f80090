//! Undisclosed choices, drawn at once: a Latin hypercube. Every setting of a choice stands in as many draws as any other,
//! to within one, and choices are paired at random. All targets share the settings of a draw.
//!
//! Nothing is known of how likely a setting is, so that each counts as much as the one that a sheet prefers. Some settings
//! fit the others of their draw not at all, such as a drain that begins beyond the end of a short write queue. Such a draw
//! swaps settings with others until all fit, which leaves every setting as often as it was.

use wordline_catalog::ModuleInSystem;
use wordline_core::draw::{Purpose, draw};
use wordline_dram::sheet::{Connected, SettingError, Settings, SheetChoice};

/// Swaps that a draw tries whose settings do not fit each other, before it stays as the sheets have it.
const SWAPS_MAX: u64 = 2000;

/// What the seed of a further block is drawn at: beyond the draws of any choice.
const BLOCKS: u64 = u64::MAX;

/// A choice, with what it may be set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DrawnChoice {
    pub(crate) name: &'static str,
    /// What sheets choose first, then the alternatives.
    pub(crate) settings: Vec<String>,
}

/// Draws of all choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JointDraws {
    pub(crate) choices: Vec<DrawnChoice>,
    /// The number of the setting of each choice, by draw.
    pub(crate) draws: Vec<Vec<usize>>,
    /// Draws that swapped settings because theirs did not fit each other.
    pub(crate) redrawn: usize,
    /// Settings that fit no target even by themselves, each with its target, choice, setting and reason. They are in no
    /// draw.
    pub(crate) unfit: Vec<(String, &'static str, String, SettingError)>,
}

impl JointDraws {
    /// So many draws for targets whose other settings are `fixed`. What is fixed is no choice any more.
    pub(crate) fn new(
        targets: &[&ModuleInSystem<'_>],
        fixed: &Settings,
        count: usize,
        seed: u64,
    ) -> Self {
        let mut unfit = Vec::new();
        let choices = open_choices(targets, fixed, &mut unfit);
        let column = |(number, choice): (usize, &DrawnChoice)| {
            let ways = choice.settings.len();
            // Where the draws are no multiple of the settings, some settings stand in one more.
            let first = drawn(seed, number, count) % ways;
            let order = shuffled(seed, number, count);
            order
                .into_iter()
                .map(|place| (first + place) % ways)
                .collect::<Vec<_>>()
        };
        let columns: Vec<Vec<usize>> = choices.iter().enumerate().map(column).collect();
        let row = |row: usize| columns.iter().map(|column| column[row]).collect();
        let mut all = Self {
            choices,
            draws: (0..count).map(row).collect(),
            redrawn: 0,
            unfit,
        };
        for number in 0..count {
            all.mend(number, targets, fixed, seed);
        }
        all
    }

    /// As many draws again, of the same targets: block after block of a hypercube of its own. The number of the first one.
    pub(crate) fn extend(
        &mut self,
        targets: &[&ModuleInSystem<'_>],
        fixed: &Settings,
        count: usize,
        seed: u64,
    ) -> usize {
        let first = self.draws.len();
        let block = (first / count.max(1)) as u64;
        let seed = draw(seed, block, BLOCKS, Purpose::Choice);
        let more = Self::new(targets, fixed, count, seed);
        self.draws.extend(more.draws);
        self.redrawn += more.redrawn;
        first
    }

    /// Lets a draw whose settings do not fit each other swap some with other draws.
    fn mend(
        &mut self,
        number: usize,
        targets: &[&ModuleInSystem<'_>],
        fixed: &Settings,
        seed: u64,
    ) {
        let fits = |all: &Self, number: usize| {
            let mut connected = targets
                .iter()
                .map(|target| all.connect(target, fixed, number));
            connected.all(|connected| connected.is_ok())
        };
        if fits(self, number) {
            return;
        }
        self.redrawn += 1;
        for swap in 0..SWAPS_MAX {
            let bits = draw(seed, number as u64, swap, Purpose::Choice);
            let choice = (bits % self.choices.len() as u64) as usize;
            let other = ((bits >> 32) % self.draws.len() as u64) as usize;
            if self.draws[number][choice] == self.draws[other][choice] {
                continue;
            }
            self.swap(choice, number, other);
            // Later draws are mended in their turn.
            if fits(self, number) && (other > number || fits(self, other)) {
                return;
            }
            self.swap(choice, number, other);
        }
        self.draws[number].fill(0);
    }

    fn swap(&mut self, choice: usize, one: usize, other: usize) {
        let setting = self.draws[one][choice];
        self.draws[one][choice] = self.draws[other][choice];
        self.draws[other][choice] = setting;
    }

    /// The settings of a target in a draw: those that are fixed, and of the choices that it has those that are drawn.
    pub(crate) fn settings(
        &self,
        target: &ModuleInSystem<'_>,
        fixed: &Settings,
        number: usize,
    ) -> Settings {
        let mut settings = fixed.clone();
        let of = target.choices();
        for (choice, setting) in self.choices.iter().zip(&self.draws[number]) {
            let setting = &choice.settings[*setting];
            if of
                .iter()
                .any(|one| one.name == choice.name && one.alternatives.contains(setting))
            {
                settings.insert(choice.name.to_owned(), setting.clone());
            }
        }
        settings
    }

    pub(crate) fn connect(
        &self,
        target: &ModuleInSystem<'_>,
        fixed: &Settings,
        number: usize,
    ) -> Result<Connected, SettingError> {
        target.connect(&self.settings(target, fixed, number))
    }

    /// The setting of a choice in some draws.
    pub(crate) fn of_choice<'d>(
        &'d self,
        choice: usize,
        draws: impl Iterator<Item = usize> + 'd,
    ) -> Vec<usize> {
        draws.map(|number| self.draws[number][choice]).collect()
    }
}

/// Choices of any target that are open, in the order of the targets and their sheets, with every setting that fits all
/// targets that have it.
fn open_choices(
    targets: &[&ModuleInSystem<'_>],
    fixed: &Settings,
    unfit: &mut Vec<(String, &'static str, String, SettingError)>,
) -> Vec<DrawnChoice> {
    let mut open: Vec<DrawnChoice> = Vec::new();
    for target in targets {
        for SheetChoice {
            name,
            value,
            alternatives,
            ..
        } in target.choices()
        {
            if fixed.contains_key(name) || alternatives.is_empty() {
                continue;
            }
            let place = open.iter().position(|choice| choice.name == name);
            let place = place.unwrap_or_else(|| {
                let settings = Vec::new();
                open.push(DrawnChoice { name, settings });
                open.len() - 1
            });
            let settings = &mut open[place].settings;
            for setting in std::iter::once(value).chain(alternatives) {
                if !settings.contains(&setting) {
                    settings.push(setting);
                }
            }
        }
    }
    for choice in &mut open {
        let name = choice.name;
        choice.settings.retain(|setting| {
            let refused = targets.iter().find_map(|target| {
                let error = alone(target, fixed, name, setting)?;
                Some((target.name.clone(), name, setting.clone(), error))
            });
            let fits = refused.is_none();
            unfit.extend(refused);
            fits
        });
    }
    open.retain(|choice| choice.settings.len() > 1);
    open
}

/// Why a target that has a setting cannot be so where nothing else changes.
fn alone(
    target: &ModuleInSystem<'_>,
    fixed: &Settings,
    name: &str,
    setting: &str,
) -> Option<SettingError> {
    let has = |one: &SheetChoice| {
        one.name == name && one.alternatives.iter().any(|other| other == setting)
    };
    if !target.choices().iter().any(has) {
        return None;
    }
    let mut settings = fixed.clone();
    settings.insert(name.to_owned(), setting.to_owned());
    target.connect(&settings).err()
}

/// The numbers below `count` in an order of a choice's own (Fisher and Yates).
fn shuffled(seed: u64, choice: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        all.swap(last, drawn(seed, choice, last) % (last + 1));
    }
    all
}

fn drawn(seed: u64, choice: usize, number: usize) -> usize {
    (draw(seed, choice as u64, number as u64, Purpose::Choice) >> 8) as usize
}

#[cfg(test)]
mod tests {
    use wordline_catalog::Catalog;

    use super::*;

    const TARGETS: [&str; 2] = [
        "rdimm-6400-2rx4-64g@xeon6-1s",
        "mrdimm-8800-2rx4-64g@xeon6-1s",
    ];

    fn drawn(count: usize, seed: u64, fixed: &[(&str, &str)]) -> JointDraws {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let targets = TARGETS.map(|name| catalog.module_in_system(name).expect("it exists"));
        let fixed = fixed
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let draws = JointDraws::new(&targets.each_ref(), &fixed, count, seed);
        for number in 0..count {
            for target in &targets {
                let connected = draws.connect(target, &fixed, number);
                connected.expect("what is drawn fits");
            }
        }
        draws
    }

    /// Each setting of a choice in as many draws as any other, to within one: that is what stratified means.
    #[test]
    fn every_setting_is_drawn_as_often_as_any_other() {
        for count in [64, 13] {
            let draws = drawn(count, 7, &[]);
            assert!(draws.choices.len() > 20, "{:?}", draws.choices);
            assert!(draws.redrawn > 0, "some drains do not fit some queues");
            assert_eq!(draws.unfit, vec![]);
            for (number, choice) in draws.choices.iter().enumerate() {
                let ways = choice.settings.len();
                let mut times = vec![0; ways];
                for setting in draws.of_choice(number, 0..count) {
                    times[setting] += 1;
                }
                let even = count / ways..=count.div_ceil(ways);
                assert!(
                    times.iter().all(|n| even.contains(n)),
                    "{choice:?}: {times:?}"
                );
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_draws_and_another_seed_others() {
        let one = drawn(16, 1, &[]);
        assert_eq!(one, drawn(16, 1, &[]));
        assert_ne!(one.draws, drawn(16, 2, &[]).draws);
    }

    /// Further draws are as evenly spread, and others than the first.
    #[test]
    fn further_draws_are_a_hypercube_of_their_own() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let targets = TARGETS.map(|name| catalog.module_in_system(name).expect("it exists"));
        let none = Settings::new();
        let mut draws = drawn(16, 1, &[]);
        assert_eq!(draws.extend(&targets.each_ref(), &none, 16, 1), 16);
        assert_eq!(draws.extend(&targets.each_ref(), &none, 16, 1), 32);
        let block = |number: usize| &draws.draws[16 * number..16 * (number + 1)];
        assert_eq!(block(0), drawn(16, 1, &[]).draws);
        assert!(block(0) != block(1) && block(1) != block(2));
        for (number, choice) in draws.choices.iter().enumerate() {
            let ways = choice.settings.len();
            let mut times = vec![0; ways];
            for setting in draws.of_choice(number, 16..32) {
                times[setting] += 1;
            }
            let even = 16 / ways..=16_usize.div_ceil(ways);
            assert!(
                times.iter().all(|n| even.contains(n)),
                "{choice:?}: {times:?}"
            );
        }
    }

    /// What is set is in no draw; a choice that only one of the targets has is.
    #[test]
    fn what_is_set_is_no_choice_any_more() {
        let names =
            |draws: &JointDraws| draws.choices.iter().map(|one| one.name).collect::<Vec<_>>();
        let open = names(&drawn(8, 1, &[]));
        assert!(open.contains(&"age_cap") && open.contains(&"beat_return"));
        let fixed = names(&drawn(8, 1, &[("age_cap", "128")]));
        assert_eq!(fixed.len(), open.len() - 1);
        assert!(!fixed.contains(&"age_cap"));
    }
}
