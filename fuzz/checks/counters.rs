//! Whatever is given as counters of a tool, it is refused in words with its line, or makes a profile that can be read again.

use std::sync::OnceLock;

use wordline_apps::Profile;
use wordline_apps::import::{CounterContext, NamedCounters, import_counters, read_counters};
use wordline_catalog::Catalog;

/// The catalogue, once: checks run many times.
fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| Catalog::load(&[]).expect("the embedded sheets are sound"))
}

/// Panics when a promise is broken. Returns whether a profile came out.
pub(crate) fn check(data: &[u8]) -> bool {
    let sheets: Vec<NamedCounters<'_>> = catalog()
        .counters()
        .map(|counters| NamedCounters {
            id: &counters.header.id,
            sheet: &counters.sheet,
        })
        .collect();
    let found = profile(data, &sheets, None);
    // Said to be of one core, it is refused or is the same.
    for expected in [0, sheets.len() - 1] {
        profile(data, &sheets, Some(expected));
    }
    profile(data, &[], None);
    found
}

fn profile(data: &[u8], sheets: &[NamedCounters<'_>], expected: Option<usize>) -> bool {
    let lines = data.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let context = CounterContext {
        name: "fuzzed",
        baseline: "rdimm-6400-2rx4-64g@xeon6-1s",
        cores: Some(128),
        bus_bytes_per_s: Some(614.4e9),
        misses: Some(26.0),
        system_cores: Some(128),
        ..CounterContext::default()
    };
    let read = read_counters(data, sheets, expected);
    match read.and_then(|readings| import_counters(&[readings], sheets, &context)) {
        Ok(imported) => {
            let text = imported.profile.to_json();
            let again = Profile::from_json(&text).expect("what was written can be read");
            assert_eq!(again, imported.profile);
            for phase in &imported.profile.phases {
                let rate = phase.read_rate();
                assert!(
                    rate.is_finite() && rate <= 614.4e9 * 1.1 || phase.lines_read.range.is_some(),
                    "{phase:?}"
                );
            }
            for line in imported.sentences() {
                assert!(line.len() < 5000, "{line}");
            }
            for note in &imported.notes {
                assert!(note.to_string().len() < 20_000, "{note}");
            }
            true
        }
        Err(fault) => {
            assert!(!fault.to_string().is_empty());
            if let Some(line) = fault.line() {
                assert!((1..=lines).contains(&line), "{fault}");
            }
            false
        }
    }
}
