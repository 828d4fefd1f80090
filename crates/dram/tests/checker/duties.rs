//! What no distance between commands says: an engine that owes too many refreshes, or takes its memory for another.

use wordline_dram::checker::COMMAND_BUS;
use wordline_dram::{Refresh, RefreshManagement, SubChannelConfig};

use crate::checker::mutants::{Rules, outcome};
use crate::checker::setups::{Setup, setup};

/// A mutant: what is done to the engine, in words; on which setup; the rule that catches it; whether that rule alone
/// does.
pub(crate) struct Mutant {
    pub(crate) words: &'static str,
    setup: &'static str,
    spoil: fn(&mut SubChannelConfig),
    pub(crate) rule: &'static str,
    alone: bool,
}

const fn mutant(
    words: &'static str,
    setup: &'static str,
    spoil: fn(&mut SubChannelConfig),
    rule: &'static str,
    alone: bool,
) -> Mutant {
    Mutant {
        words,
        setup,
        spoil,
        rule,
        alone,
    }
}

fn managed(config: &mut SubChannelConfig) -> &mut RefreshManagement {
    config.policy.rfm.as_mut().expect("a setup with management")
}

pub(crate) const MUTANTS: [Mutant; 19] = [
    mutant(
        "tREFI 1 % longer",
        "rdimm",
        |c| c.timing.refi += c.timing.refi / 100,
        "refresh overdue",
        true,
    ),
    mutant(
        "tREFI 1 % shorter",
        "rdimm",
        |c| c.timing.refi -= c.timing.refi / 100,
        "refresh in advance",
        true,
    ),
    mutant(
        "REFsb 1 % too seldom",
        "same_bank",
        |c| c.timing.refi_sb += c.timing.refi_sb / 100,
        "refresh overdue",
        true,
    ),
    mutant(
        "REFsb 1 % too often",
        "same_bank",
        |c| c.timing.refi_sb -= c.timing.refi_sb / 100,
        "refresh in advance",
        true,
    ),
    mutant(
        "one REFab more postponed",
        "rdimm",
        |c| c.policy.refresh_postponed_max += 1,
        "refresh overdue",
        true,
    ),
    mutant(
        "one REFsb more postponed",
        "same_bank",
        |c| c.policy.refresh_postponed_max += 1,
        "refresh overdue",
        true,
    ),
    mutant(
        "one REFab more pulled in",
        "rdimm",
        |c| c.policy.refresh_pulled_in_max += 1,
        "refresh in advance",
        true,
    ),
    mutant(
        "one REFsb more pulled in",
        "same_bank",
        |c| c.policy.refresh_pulled_in_max += 1,
        "refresh in advance",
        true,
    ),
    mutant(
        "one ACT more before RFMab",
        "managed",
        |c| managed(c).raammt += 1,
        "RAAMMT",
        true,
    ),
    mutant(
        "one ACT more before RFMsb",
        "managed_same_bank",
        |c| managed(c).raammt += 1,
        "RAAMMT",
        true,
    ),
    mutant(
        "one ACT more taken off by RFMab",
        "managed",
        |c| managed(c).raaimt += 1,
        "RAAMMT",
        true,
    ),
    mutant(
        "one ACT more taken off by REFab",
        "managed",
        |c| managed(c).raadec += 1,
        "RAAMMT",
        true,
    ),
    mutant(
        "RFMab one clock shorter",
        "managed",
        |c| managed(c).clocks -= 1,
        "tRFM",
        true,
    ),
    mutant(
        "RFMsb one clock shorter",
        "managed_same_bank",
        |c| managed(c).clocks -= 1,
        "tRFMsb",
        false,
    ),
    mutant(
        "the first refresh in the third interval",
        "rdimm",
        |c| c.policy.refresh_phase = vec![2 * c.timing.refi; c.policy.refresh_phase.len()],
        "refresh overdue",
        true,
    ),
    mutant(
        "no refresh",
        "rdimm",
        |c| c.policy.refresh = Refresh::Off,
        "refresh overdue",
        true,
    ),
    mutant(
        "REFsb instead of REFab",
        "rdimm",
        |c| c.policy.refresh = Refresh::SameBank,
        "refresh mode",
        false,
    ),
    mutant(
        "stacked dies taken for ranks",
        "stacked",
        |c| c.geometry.slices = 1,
        "tRRD_dlr",
        false,
    ),
    mutant(
        "a command bus of its own for each pseudo-channel",
        "mrdimm",
        |c| c.policy.shared_commands = false,
        COMMAND_BUS,
        true,
    ),
];

fn spoilt(mutant: &Mutant, setup: &Setup, ignored: &Rules) -> Rules {
    let mut config = setup.config.clone();
    (mutant.spoil)(&mut config);
    let outcome = outcome(setup, &config, ignored);
    outcome.expect("a configuration").violated
}

#[test]
fn every_neglected_duty_is_caught() {
    for mutant in &MUTANTS {
        let setup = setup(mutant.setup);
        let sound = outcome(&setup, &setup.config, &Rules::new());
        assert_eq!(
            sound.expect("a configuration").violated,
            Rules::new(),
            "{}",
            mutant.words
        );
        let violated = spoilt(mutant, &setup, &Rules::new());
        assert!(
            violated.contains(mutant.rule),
            "{}: {violated:?}",
            mutant.words
        );
        if mutant.alone {
            let blind = spoilt(mutant, &setup, &Rules::from([mutant.rule]));
            assert_eq!(blind, Rules::new(), "{}: who else?", mutant.words);
        }
    }
}
