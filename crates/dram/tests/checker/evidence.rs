//! The matrix of mutants: held to what must be, and published. `UPDATE_EVIDENCE=1` writes the page again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use wordline_dram::checker::{COMMAND_BUS, Checker};

use crate::checker::duties;
use crate::checker::guards::{GUARDS, HIDDEN, NEVER_ALONE, UNSEEN_MORE};
use crate::checker::mutants::{FIELDS, Fate, Matrix, Rules, matrix};
use crate::checker::setups::setups;

#[test]
fn every_rule_is_guarded() {
    let matrix = matrix();
    for ((field, _), (name, guards)) in FIELDS.iter().zip(GUARDS) {
        assert_eq!(*field, name, "the lists have one order");
        let index = FIELDS
            .iter()
            .position(|(field, _)| *field == name)
            .expect("a field");
        let [less, removed, more] = &matrix.fates[index];
        let guards: Rules = guards.iter().copied().collect();
        assert_eq!(less.caught_by(), guards, "{name} − 1");
        assert_eq!(
            matrix.survivors[index],
            Rules::new(),
            "{name} − 1: who else?"
        );
        assert!(!removed.caught_by().is_empty(), "{name} removed");
        let seen = !more.caught_by().is_empty() || !lost(more).is_empty();
        assert!(
            seen || UNSEEN_MORE.iter().any(|(field, _)| *field == name),
            "{name} + 1"
        );
    }
    what_hides_is_known(&matrix);
    every_rule_decides_and_kills(&matrix);
    published(&page(&matrix));
}

/// Rules that became slack, where there was a mutant at all.
fn lost(fate: &Fate) -> Rules {
    if fate.tried == [0, 0] {
        return Rules::new();
    }
    fate.slack.clone()
}

fn what_hides_is_known(matrix: &Matrix) {
    let unseen = |(_, fates): &(_, &[Fate; 3])| fates[0].violated[0].is_empty();
    let fields = FIELDS.iter().map(|(name, _)| *name);
    let hidden: Rules = fields
        .zip(&matrix.fates)
        .filter(unseen)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(hidden, HIDDEN.iter().map(|(field, _)| *field).collect());
}

fn every_rule_decides_and_kills(matrix: &Matrix) {
    let killers: BTreeSet<_> = GUARDS
        .iter()
        .flat_map(|(_, rules)| *rules)
        .copied()
        .collect();
    let idle: Rules = NEVER_ALONE.iter().map(|(rule, _)| *rule).collect();
    for rule in rules() {
        assert!(killers.contains(rule), "{rule} kills no mutant");
        let [ddr5, spread] = matrix.decisive.each_ref().map(|of| of.get(rule).copied());
        assert!(
            ddr5.max(spread).unwrap_or(0) > 0,
            "{rule} decides nothing anywhere"
        );
        assert_eq!(
            ddr5.unwrap_or(0) == 0,
            idle.contains(rule),
            "{rule} at the numbers of DDR5"
        );
    }
}

/// Every distance that the checker knows.
fn rules() -> Vec<&'static str> {
    let mut rules = Vec::new();
    for setup in setups() {
        let checker = Checker::new(&setup.memory).expect("a memory");
        for rule in checker.rules() {
            if !rules.contains(&rule.name) {
                rules.push(rule.name);
            }
        }
    }
    rules.push(COMMAND_BUS);
    rules
}

fn listed<'a>(rules: impl IntoIterator<Item = &'a &'a str>) -> String {
    let rules: Vec<&str> = rules.into_iter().copied().collect();
    rules.join("; ")
}

const INTRODUCTION: &str = "\
# The checker of DRAM commands, and what it catches

`crates/dram/src/checker/` checks command traces. It shares no code and no table with the engine: it has its own list of
parameters of DDR5, LPDDR5X and HBM3 in nanoseconds and clocks, its own rounding, its own list of rules, and it holds every rule against time
stamps of what has been. This page says how it is known that it would notice. `UPDATE_EVIDENCE=1 cargo test -p
wordline-dram --test all checker::` writes it again; without the variable the test fails where the page is stale.

- **Pairs.** For every rule, on four memories, every pair of commands that it holds apart is legal at a distance written
  down by hand, and one clock earlier that rule is named. A checker without the rule then takes the pair: nothing else
  would have noticed (`tests/checker/directed.rs`).
- **The engine.** 5·10⁶ commands over random modules, policies and traffic in every `cargo test`, 10⁹ in `make nightly`
  (`WORDLINE_COMMANDS`): no violation (`tests/checker/engine.rs`). Last long run: 1 000 000 536 commands over 100 modules
  and policies.
- **Sheets.** What the engine does with the catalogue's numbers is legal by the checker's own numbers for the same
  device, for every DDR5 module, speed bin and refresh mode (`crates/catalog/tests/dram_checker.rs`). Last long run: 10⁹
  commands over all 1,014 combinations of module, bin, refresh, page policy and system, no violation.
- **Mutants.** Below: each number that the engine works with is removed (set to the least that a configuration allows),
  made one clock less, and one clock more, one at a time, while the checker keeps its own. The engine then serves some
  thousand requests of every sort on 21 combinations of memory and policy: nine with the numbers of DDR5, seven with
  numbers spread so that no rule hides another, three with those of LPDDR5X and two with those of HBM3.

## Distances

*Less*: the rules that were violated with one clock less. They are, rule for rule, those that a list written by hand
wants (`tests/checker/guards.rs`), and a checker that does without them lets the mutant live. *Removed* is caught for
every field. *More*: an engine that waits a clock too long violates little, so here the checker's count of commands at
the first legal clock of a rule speaks: the rules for which it fell to nothing, and in brackets rules that were violated.

";

fn page(matrix: &Matrix) -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "| field | less: violated | more: never exact any more |\n|---|---|---|\n";
    for ((name, guards), [_, _, more]) in GUARDS.iter().zip(&matrix.fates) {
        let mut slack = listed(&lost(more));
        let violated = more.caught_by();
        if !violated.is_empty() {
            let space = if slack.is_empty() { "" } else { " " };
            slack += &format!("{space}({})", listed(&violated));
        }
        for (field, why) in UNSEEN_MORE {
            if field == *name {
                slack = format!("– {why}");
            }
        }
        writeln!(page, "| `{name}` | {} | {slack} |", listed(*guards)).expect("a String");
    }
    reasons(
        &mut page,
        "Mutants that DDR5 hides",
        &HIDDEN,
        "At the numbers of DDR5 one clock less of these is no \
        difference. At spread numbers, or those of LPDDR5X and HBM3, it is caught.",
    );
    page += "\n## Duties\n\n| mutant | caught by |\n|---|---|\n";
    for mutant in &duties::MUTANTS {
        writeln!(page, "| {} | {} |", mutant.words, mutant.rule).expect("a String");
    }
    decisive(&mut page, &matrix.decisive);
    page
}

fn reasons(page: &mut String, title: &str, reasons: &[(&str, &str)], words: &str) {
    write!(
        page,
        "\n## {title}\n\n{words}\n\n| field | why |\n|---|---|\n"
    )
    .expect("a String");
    for (name, why) in reasons {
        writeln!(page, "| `{name}` | {why} |").expect("a String");
    }
}

fn decisive(page: &mut String, counts: &[BTreeMap<&'static str, u64>; 2]) {
    *page += "\n## Rules that decide\n\nWhether commands came at the first clock that the rule allowed, while every other rule\n\
        would have let them come earlier. Without mutants.\n\n| rule | at the numbers of DDR5 | at spread ones, LPDDR5X and HBM3 |\n\
        |---|---|---|\n";
    for rule in rules() {
        let [ddr5, spread] = counts.each_ref().map(|of| match of.get(rule) {
            Some(1..) => "yes",
            Some(0) | None => "–",
        });
        let why = NEVER_ALONE
            .iter()
            .find(|(name, _)| *name == rule)
            .map_or_else(String::new, |(_, why)| format!(" {why}"));
        writeln!(page, "| {rule} | {ddr5}{why} | {spread} |").expect("a String");
    }
}

fn published(page: &str) {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence/ddr5-checker.md");
    if env::var_os("UPDATE_EVIDENCE").is_some() {
        fs::write(&file, page).expect("the docs folder is writable");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == page,
        "docs/evidence/ddr5-checker.md is stale; run: UPDATE_EVIDENCE=1 cargo test -p wordline-dram --test all checker::"
    );
}
