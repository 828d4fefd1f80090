//! The generated pages under `docs/reference/` say what the code says. `make reference` writes them
//! again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use wordline_core::results::json_schema;
use wordline_core::{AXES, Better, METRICS};

fn check(name: &str, expected: &str) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let file = root.join(name);
    if env::var_os("UPDATE_REFERENCE").is_some() {
        fs::write(&file, expected).expect("the docs folder is writable");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "docs/reference/{name} is stale; run: make reference"
    );
}

#[test]
fn the_published_schema_is_fresh() {
    check("result.schema.json", &json_schema());
}

#[test]
fn the_published_list_of_metrics_is_fresh() {
    let mut page = String::from(
        "# Metrics\n\nEvery metric that a result row can hold, from the registry in \
         `crates/core/src/metric.rs`. Values are in SI base units; `1` is a pure number.\n\n\
         | metric | unit | better | meaning |\n|---|---|---|---|\n",
    );
    for info in METRICS {
        let better = match info.better {
            Better::Higher => "higher",
            Better::Lower => "lower",
            Better::Neither => "–",
        };
        writeln!(
            page,
            "| `{}` | {} | {better} | {} |",
            info.name, info.unit, info.meaning
        )
        .expect("a String takes everything");
    }
    check("metrics.md", &page);
}

#[test]
fn the_published_list_of_axes_is_fresh() {
    let mut page = String::from(
        "# Axes\n\nEvery axis that a result row can have beside its own columns, from the registry in \
         `crates/core/src/axis.rs`. `1` is a pure number; an axis without a unit holds names.\n\n\
         | axis | unit | meaning |\n|---|---|---|\n",
    );
    for info in AXES {
        writeln!(
            page,
            "| `{}` | {} | {} |",
            info.name, info.unit, info.meaning
        )
        .expect("a String takes everything");
    }
    check("axes.md", &page);
}
