//! What is wrong with a workload of hash tables, before anything is run.

use wordline_core::quantity::{ByteCount, Quantity as _};
use wordline_core::{Experiment, KvBench, KvCrash, KvSizes, KvTable, KvTest, KvWorkload};

use super::store;
use crate::error::LabError;
use crate::list::distinct;

/// The largest table: every operation of a run is timed, and its memory is held.
const CAPACITY_MAX: u64 = 1 << 30;

/// The most operations of a kind.
const OPERATIONS_MAX: u64 = 100_000_000;

/// The most images of interrupted runs.
const IMAGES_MAX: u64 = 1_000_000;

/// Checks the workload.
pub(super) fn check(workload: &KvWorkload, experiment: &Experiment) -> Result<(), LabError> {
    let tables = workload.tables.iter();
    distinct("table", tables.map(|one| one.name().to_owned()))?;
    let directories = workload.directories.iter();
    distinct("directory", directories.map(|one| one.name().to_owned()))?;
    if experiment.ftl.is_some() {
        return Err(LabError::List {
            what: "ftl",
            problem: "is a layer for flash, on which these tables do not run; leave it out"
                .to_owned(),
        });
    }
    match &workload.test {
        KvTest::Bench(bench) => check_bench(workload, bench),
        KvTest::Crash(crash) => check_crash(workload, crash),
    }
}

fn check_bench(workload: &KvWorkload, bench: &KvBench) -> Result<(), LabError> {
    let capacity = bench.capacity_bytes;
    if !(1..=CAPACITY_MAX).contains(&capacity) {
        return Err(LabError::Size {
            what: "capacity",
            found: ByteCount::from_bytes(capacity),
            problem: format!(
                "is no size of a table to run; allowed: 1 B to {}",
                ByteCount::from_bytes(CAPACITY_MAX)
            ),
        });
    }
    distinct(
        "workload",
        bench.works.iter().map(|one| one.name().to_owned()),
    )?;
    all_sizes(workload, &bench.sizes)?;
    distinct("load", bench.loads.iter().map(ToString::to_string))?;
    for load in &bench.loads {
        if !(load.si() > 0.0 && load.si() <= 1.0) {
            return Err(LabError::Number {
                what: "load",
                found: load.si(),
                problem: "is no share of a table's places; allowed: above 0 % and up to 100 %"
                    .to_owned(),
            });
        }
    }
    distinct(
        "build",
        bench.builds.iter().map(|one| one.name().to_owned()),
    )?;
    match bench.operations {
        Some(count) if !(1..=OPERATIONS_MAX).contains(&count) => Err(LabError::List {
            what: "operations",
            problem: format!(
                "{count} is no number of them to time; allowed: 1 to {OPERATIONS_MAX}"
            ),
        }),
        _ => Ok(()),
    }
}

fn check_crash(workload: &KvWorkload, crash: &KvCrash) -> Result<(), LabError> {
    all_sizes(workload, &crash.sizes)?;
    match crash.images {
        Some(count) if !(1..=IMAGES_MAX).contains(&count) => Err(LabError::List {
            what: "images",
            problem: format!("{count} is no number of them to sample; allowed: 1 to {IMAGES_MAX}"),
        }),
        _ => Ok(()),
    }
}

fn all_sizes(workload: &KvWorkload, sizes: &[KvSizes]) -> Result<(), LabError> {
    distinct("size", sizes.iter().map(ToString::to_string))?;
    for sizes in sizes {
        for &table in &workload.tables {
            check_sizes(table, sizes.key_bytes, sizes.value_bytes)?;
        }
    }
    Ok(())
}

/// Keys and values fit the table.
fn check_sizes(table: KvTable, key: u64, value: u64) -> Result<(), LabError> {
    let (key_most, value_most, value_least) = store::limits(table);
    for (what, found, least, most) in [
        ("key", key, 1, key_most),
        ("value", value, value_least, value_most),
    ] {
        if !(least..=most).contains(&found) {
            return Err(LabError::Size {
                what,
                found: ByteCount::from_bytes(found),
                problem: format!(
                    "is no size of a {what} that {} takes; allowed: {least} B to {most} B; name other tables with \
                     --table, or other sizes with --size",
                    table.title()
                ),
            });
        }
    }
    Ok(())
}
