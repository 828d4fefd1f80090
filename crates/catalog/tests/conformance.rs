//! Every part of the catalogue keeps every rule of its protocol, and every check would notice if it
//! did not: the rules are taken from the model one by one, and each absence must be caught.

use std::collections::BTreeMap;

use wordline_catalog::Catalog;
use wordline_core::Timing;
use wordline_nvm::MemoryClass;
use wordline_nvm::conformance::Rule;

#[test]
fn every_part_keeps_every_rule_and_every_lost_rule_is_caught() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let mut faults = Vec::new();
    let mut seen: BTreeMap<Rule, usize> = BTreeMap::new();
    for part in catalog.parts() {
        let id = &part.header.id;
        let target = catalog.part_on_board(id).expect("every part names a board");
        for timing in [Timing::Typ, Timing::Max] {
            let outcomes = target.conformance(timing).expect("it fits");
            // A card's front end takes every access, and keeps the rules of its flash by itself.
            let card = part.model.class() == MemoryClass::ManagedFlash;
            assert!(
                card || outcomes.len() >= 3,
                "{id}: {} rules",
                outcomes.len()
            );
            for outcome in outcomes {
                *seen.entry(outcome.rule).or_default() += 1;
                let name = format!("{id}, {timing}: {}", outcome.rule.name());
                if let Err(found) = &outcome.kept {
                    faults.push(format!("{name} is not kept: {found}"));
                }
                if !outcome.caught {
                    faults.push(format!("nobody misses {name}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // A rule that no sheet of the catalogue has would never be checked.
    let unseen: Vec<_> = Rule::ALL
        .iter()
        .filter(|rule| !seen.contains_key(rule))
        .collect();
    assert!(unseen.is_empty(), "no part has the rules {unseen:?}");
}
