use std::collections::BTreeSet;

use super::*;
use crate::{Catalog, Header, estimate, sheet::parse};

fn headers(catalog: &Catalog) -> impl Iterator<Item = &Header> {
    let parts = catalog.parts().map(|part| &part.header);
    parts.chain(catalog.boards().map(|board| &board.header))
}

fn wrong(text: &str) -> Vec<String> {
    let tree = estimate::tree(text).expect("TOML");
    problems(text, &tree)
        .into_iter()
        .map(|(_, why)| why)
        .collect()
}

/// The sheets of the command are not checked when they are loaded, but here.
#[test]
fn every_sheet_of_the_catalogue_is_plausible() {
    let mut sheets = 0;
    for &(file, text) in crate::EMBEDDED.iter() {
        sheets += 1;
        assert_eq!(wrong(text), Vec::<String>::new(), "{file}");
    }
    assert!(sheets > 200, "{sheets}");
}

/// A quantity of a sheet that no row of the table judges would be loaded whatever it is.
#[test]
fn every_quantity_of_the_catalogue_has_a_range_and_every_range_has_one() {
    let mut used = BTreeSet::new();
    for &(file, text) in crate::EMBEDDED.iter() {
        let tree = estimate::tree(text).expect("TOML");
        figures::each(&tree, &mut |_, path, table| {
            for (key, value) in table {
                let key: &str = key.get_ref();
                if path.is_empty() || WORDS.contains(&key) {
                    continue;
                }
                let name = match COLUMNS.contains(&key) {
                    true => path.to_owned(),
                    false => format!("{path}.{key}"),
                };
                let unit = match value.get_ref() {
                    DeValue::String(string) => si(string).map(|(_, unit)| unit),
                    DeValue::Integer(_) | DeValue::Float(_) => Some(""),
                    _ => None,
                };
                let Some(unit) = unit else { continue };
                match PlausibleRange::of(&name, unit) {
                    Some(range) => {
                        used.insert(range.what);
                    }
                    None => assert_eq!(unit, "", "{file}: {name} has no range"),
                }
            }
        });
    }
    let unused = PLAUSIBLE.iter().filter(|range| !used.contains(range.what));
    let unused: Vec<_> = unused.map(|range| range.what).collect();
    // No sheet states one yet.
    assert_eq!(unused, ["an energy", "a capacitance"]);
    let sound = |range: &PlausibleRange| range.low <= range.high && !range.reason.is_empty();
    assert!(PLAUSIBLE.iter().all(sound));
}

/// Each quantity of a sheet by itself, moved beyond every range.
#[test]
fn a_sheet_with_a_value_beyond_physics_is_refused_with_the_range() {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let mut refused = 0;
    for header in headers(&catalog).step_by(17) {
        let text = header.text.to_string();
        let tree = estimate::tree(&text).expect("TOML");
        let mut spans = Vec::new();
        figures::each(&tree, &mut |_, path, table| {
            for (key, value) in table {
                let is_column = COLUMNS[..4].contains(&&**key.get_ref());
                if !path.is_empty()
                    && is_column
                    && let DeValue::String(string) = value.get_ref()
                    && let Some((_, unit)) = number_and_unit(string)
                    && si(string).is_some_and(|(value, _)| value > 0.0)
                {
                    let hostile = match unit {
                        "V" => "52.8 V".to_owned(),
                        "A" | "mA" | "uA" | "nA" => "1000000000000 A".to_owned(),
                        "B" | "KiB" | "MiB" | "GiB" => "8000 TiB".to_owned(),
                        // 2^64 ps are 213 days: no longer time can be written.
                        "s" | "ms" | "us" | "ns" | "ps" => continue,
                        "cycles" => "10000000000000000000 cycles".to_owned(),
                        unit => format!("1e19 {unit}"),
                    };
                    spans.push((value.span(), hostile));
                }
            }
        });
        for (span, hostile) in spans {
            let mut changed = text.clone();
            changed.replace_range(span, &format!("\"{hostile}\""));
            let errors = parse("mine.toml", &changed).expect_err(&hostile);
            let plausible = errors.iter().any(|error| {
                let message = error.to_string();
                message.contains("is not plausible as") && message.contains("allowed: ")
            });
            // Other rules of a sheet may come first.
            refused += usize::from(plausible);
        }
    }
    assert!(refused >= 30, "{refused}");
}

#[test]
fn messages_name_the_value_the_range_and_the_reason() {
    let of = |text: &str| wrong(&format!("[nor]\n{text}\n")).join("\n");
    assert_eq!(
        of(r#"supply = { max = "52.8 V", source = "a" }"#),
        "52.8 V is not plausible as a supply voltage; allowed: 300 mV to 7.00 V: memories run at 0.5 V to 5.5 V, and 7 V \
         destroys them"
    );
    let standby = of(r#"standby = { typ = "1000000000000 A", source = "a" }"#);
    assert!(standby.contains("a current at rest"), "{standby}");
    assert_eq!(of(r#"standby = { typ = "0 A", source = "52.8 V" }"#), "");
    let dram = |text: &str| wrong(&format!("[dram]\n{text}\n")).join("\n");
    for (absurd, what) in [
        (r#"trcd = { ns = "1 s" }"#, "a DRAM timing"),
        ("tccd_s = { nck = 1000000 }", "a rule in clocks"),
        ("rate = { rate_mts = 1 }", "a data rate of pins"),
        (r#"trefi = { typ = "1 ns" }"#, "a refresh interval"),
    ] {
        let message = dram(absurd);
        assert!(message.contains(what), "{absurd}: {message}");
    }
}
