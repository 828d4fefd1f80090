//! Sheets for tests, from the catalogue's own files.

use super::{CounterSheet, NamedCounters};

#[derive(serde::Deserialize)]
struct CounterFile {
    pmu: CounterSheet,
}

fn sheet(text: &str) -> CounterSheet {
    let file: CounterFile = toml::from_str(text).expect("a sheet of the catalogue");
    file.pmu
}

pub(super) fn granite_rapids() -> CounterSheet {
    sheet(include_str!(
        "../../../catalog/parts/counters/granite-rapids.toml"
    ))
}

/// Every sheet of the catalogue that tests need, by name.
pub(super) fn all() -> Vec<(&'static str, CounterSheet)> {
    vec![
        (
            "emerald-rapids",
            sheet(include_str!(
                "../../../catalog/parts/counters/emerald-rapids.toml"
            )),
        ),
        ("granite-rapids", granite_rapids()),
        (
            "neoverse-v1",
            sheet(include_str!(
                "../../../catalog/parts/counters/neoverse-v1.toml"
            )),
        ),
        (
            "sapphire-rapids",
            sheet(include_str!(
                "../../../catalog/parts/counters/sapphire-rapids.toml"
            )),
        ),
        (
            "zen3",
            sheet(include_str!("../../../catalog/parts/counters/zen3.toml")),
        ),
        (
            "zen4",
            sheet(include_str!("../../../catalog/parts/counters/zen4.toml")),
        ),
    ]
}

pub(super) fn named<'a>(sheets: &'a [(&'static str, CounterSheet)]) -> Vec<NamedCounters<'a>> {
    sheets
        .iter()
        .map(|(id, sheet)| NamedCounters { id, sheet })
        .collect()
}
