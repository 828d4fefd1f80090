//! `wordline kv bench`.

use std::path::Path;

use wordline_core::quantity::ByteCount;
use wordline_core::{Experiment, KvTest, KvWorkload, Workload};
use wordline_lab::{Control, is_of_host};

use crate::args::{Global, KvBench};
use crate::failure::Failure;
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::{self, Exports};

pub(super) fn run(bench: &KvBench, global: &Global) -> Result<Outcome, Failure> {
    let mut exports = Exports::new(&bench.export)?;
    for target in &bench.target {
        if let Some(path) = target.strip_prefix("file:") {
            exports.apart("--target", Path::new(path))?;
        }
    }
    let catalog = crate::commands::catalog(global)?;
    let experiment = experiment(bench);
    let control = Control {
        destroy: &bench.destroy,
        ..Control::default()
    };
    let mut hosts = bench.target.iter().filter(|target| is_of_host(target));
    if let Some(host) = hosts
        .next()
        .filter(|_| !bench.build.is_empty() && !global.quiet)
    {
        output::note(&format!(
            "--build is of simulated processors; on {host} the processor's own time is measured"
        ));
    }
    let inputs = Inputs::default();
    let document = crate::commands::run_with(&catalog, &experiment, &inputs, &control, global)?;
    exports.write(&document, global)?;
    Ok(crate::commands::outcome(&document))
}

fn experiment(bench: &KvBench) -> Experiment {
    let default = wordline_core::KvBench::default();
    let or = |named: &[_], default| match named {
        [] => default,
        named => named.to_vec(),
    };
    let test = KvTest::Bench(wordline_core::KvBench {
        works: bench.workload.clone(),
        capacity_bytes: (bench.capacity).map_or(default.capacity_bytes, ByteCount::bytes),
        sizes: or(&bench.size, default.sizes),
        loads: match bench.load.as_slice() {
            [] => default.loads,
            named => named.to_vec(),
        },
        builds: match bench.build.as_slice() {
            [] if bench.target.iter().all(|target| is_of_host(target)) => Vec::new(),
            [] => default.builds,
            named => named.to_vec(),
        },
        operations: bench.operations,
    });
    Experiment {
        targets: bench.target.clone(),
        workload: Workload::Kv(KvWorkload {
            tables: bench.table.clone(),
            directories: bench.directory.clone(),
            test,
        }),
        timings: bench.columns.timing.clone(),
        age: bench.drawn.age,
        seed: bench.drawn.seed,
        ftl: None,
    }
}
