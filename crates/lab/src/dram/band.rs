//! How much depends on what is not disclosed: every alternative of every choice, one at a time, the same for all targets
//! that have it. And how much on chance: the same with other seeds, which say how far two runs lie apart that differ
//! in nothing that matters.

use wordline_catalog::ModuleInSystem;
use wordline_core::ResultSet;
use wordline_dram::SystemConfig;
use wordline_dram::sheet::{Connected, SettingError, Settings, SheetChoice};

use super::Test;
use crate::warning::LabWarning;

/// What the choice of a seed is called: none that a maker has made.
pub(super) const SEED: &str = "seed";

/// Other seeds that are tried.
const SEEDS: u64 = 3;

/// One choice set otherwise.
pub(super) struct ChoiceVariation {
    pub(super) choice: &'static str,
    pub(super) setting: String,
    pub(super) seed: u64,
    /// Of each target; none where it has no such choice, or is so already, or cannot be so: it stays as it is then.
    pub(super) configs: Vec<Option<SystemConfig>>,
}

/// Every alternative of every choice of any target, in the order of the targets and their sheets. What the user has set
/// is no choice any more.
pub(super) fn variations(test: &Test<'_>, document: &mut ResultSet) -> Vec<ChoiceVariation> {
    let choices: Vec<Vec<SheetChoice>> = test
        .memories
        .iter()
        .map(|memory| memory.target.choices())
        .collect();
    let set = &test.workload.settings;
    let open = choices.iter().flatten();
    let tried = alternatives(open.filter(|choice| !set.contains_key(choice.name)));
    let mut variations: Vec<ChoiceVariation> = (1..=SEEDS)
        .map(|step| {
            let seed = test.seed.wrapping_add(step);
            let configs = test.memories.iter();
            ChoiceVariation {
                choice: SEED,
                setting: seed.to_string(),
                seed,
                configs: configs
                    .map(|memory| Some(memory.connected.config.clone()))
                    .collect(),
            }
        })
        .collect();
    for (choice, setting) in tried {
        let mut configs = Vec::new();
        for memory in &test.memories {
            configs.push(match otherwise(&memory.target, set, choice, &setting) {
                None => None,
                // What makes no other memory needs no other run.
                Some(Ok(connected)) => {
                    Some(connected.config).filter(|config| *config != memory.connected.config)
                }
                Some(Err(error)) => {
                    document.warn(LabWarning::SettingUnfit {
                        target: &memory.name,
                        choice: &choice,
                        setting: &setting,
                        error: &error,
                    });
                    None
                }
            });
        }
        if configs.iter().any(Option::is_some) {
            variations.push(ChoiceVariation {
                choice,
                setting,
                seed: test.seed,
                configs,
            });
        }
    }
    variations
}

/// Every alternative of some choices with the choice's name, each once.
pub(crate) fn alternatives<'c>(
    choices: impl Iterator<Item = &'c SheetChoice>,
) -> Vec<(&'static str, String)> {
    let mut tried: Vec<(&'static str, String)> = Vec::new();
    for choice in choices {
        for setting in &choice.alternatives {
            let one = (choice.name, setting.clone());
            if !tried.contains(&one) {
                tried.push(one);
            }
        }
    }
    tried
}

/// A target with a choice at one of its alternatives; none where it has no such choice, or is so already.
pub(crate) fn otherwise(
    target: &ModuleInSystem<'_>,
    settings: &Settings,
    choice: &str,
    setting: &str,
) -> Option<Result<Connected, SettingError>> {
    let has = |one: &SheetChoice| {
        one.name == choice
            && one.value != setting
            && one.alternatives.iter().any(|other| other == setting)
    };
    target.choices().iter().any(has).then(|| {
        let mut settings = settings.clone();
        settings.insert(choice.to_owned(), setting.to_owned());
        target.connect(&settings)
    })
}
