//! `wordline kv crash`.

use wordline_core::results::AxisValue;
use wordline_core::{Experiment, KvTable, KvTest, KvWorkload, Metric, ResultSet, Workload};

use crate::args::{Global, KvCrash};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::Exports;

pub(super) fn run(crash: &KvCrash, global: &Global) -> Result<Outcome, Failure> {
    let mut required = crash.require.iter();
    if let Some(table) = required.find(|table| !crash.table.contains(table)) {
        let name = table.name();
        let message = format!("--require {name}: {name} is not among the tables of --table");
        return Err(failure::message(message));
    }
    let exports = Exports::new(&crash.export)?;
    let catalog = crate::commands::catalog(global)?;
    let experiment = experiment(crash);
    let inputs = Inputs::default();
    let document = crate::commands::run_experiment(&catalog, &experiment, &inputs, global)?;
    exports.write(&document, global)?;
    Ok(match crate::commands::outcome(&document) {
        Outcome::Done if fails_a_cut(&crash.require, &document) => Outcome::CheckFailed,
        outcome => outcome,
    })
}

/// Whether a required table lost something to a power cut, or has no verdict.
fn fails_a_cut(required: &[KvTable], document: &ResultSet) -> bool {
    let names = required.iter().map(|table| table.name().to_owned());
    let names: Vec<_> = names.map(AxisValue::Text).collect();
    document.of(Metric::CrashFailures).any(|row| {
        let table = row.axes.get("table");
        row.value != Some(0.0) && table.is_some_and(|table| names.contains(table))
    })
}

fn experiment(crash: &KvCrash) -> Experiment {
    let test = KvTest::Crash(wordline_core::KvCrash {
        sizes: crash.size.clone(),
        images: crash.images,
    });
    Experiment {
        targets: crash.target.clone(),
        workload: Workload::Kv(KvWorkload {
            tables: crash.table.clone(),
            directories: crash.directory.clone(),
            test,
        }),
        timings: crash.columns.timing.clone(),
        age: crash.drawn.age,
        seed: crash.drawn.seed,
        ftl: None,
    }
}
