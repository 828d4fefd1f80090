//! What is wrong with a workload of hash tables, before anything is run.

use wordline_catalog::Target;
use wordline_core::quantity::{ByteCount, Quantity as _};
use wordline_core::{Experiment, KvBench, KvCrash, KvSizes, KvTest, KvWorkload, Timing};
use wordline_engines::StoreEngine;

use super::ground::TableGround;
use super::{TableVariant, host, store};
use crate::control::Control;
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
    distinct("table", tables.map(ToString::to_string))?;
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

/// Checks what depends on the targets.
pub(super) fn targets(
    targets: &[Target<'_>],
    workload: &KvWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
) -> Result<(), LabError> {
    let KvTest::Bench(bench) = &workload.test else {
        return Ok(());
    };
    host::check_destroy(targets, control)?;
    if !targets.iter().all(Target::is_of_host) {
        distinct(
            "build",
            bench.builds.iter().map(|one| one.name().to_owned()),
        )?;
    } else if !bench.builds.is_empty() {
        return Err(LabError::List {
            what: "build",
            problem: "is what a simulated processor takes, and no target is simulated: on this machine its own time is \
                      measured; leave it out"
                .to_owned(),
        });
    }
    let Some(measured) = targets.iter().find(|target| target.is_of_host()) else {
        return Ok(());
    };
    let problem = if experiment.timings != [Timing::Typ] {
        "takes the time that it takes: no column of a data sheet applies; leave --timing out"
    } else if experiment.age != 0.0 {
        "is as old as it is: no age is set; leave --age out"
    } else {
        return Ok(());
    };
    Err(LabError::Kv {
        target: measured.name(),
        problem: problem.to_owned(),
    })
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

/// Refuses loads of which a table holds no record.
pub(super) fn loads(
    grounds: &[TableGround<'_>],
    variants: &[TableVariant],
    bench: &KvBench,
) -> Result<(), LabError> {
    for ground in grounds {
        let bytes = ground.bytes(bench.capacity_bytes);
        for &variant in variants {
            for (_, sizes, load) in super::points(bench) {
                // A memory without room for a table fails its rows, and the others run.
                let Some(places) = store::places(variant, sizes, bytes, ground.atom()) else {
                    continue;
                };
                if places as f64 * load.si() < 1.0 {
                    let least = (100.0 / places as f64 * 1e4).ceil() / 1e4;
                    return Err(LabError::Number {
                        what: "load",
                        found: load.si(),
                        problem: format!(
                            "is less than one record: {} has room for {places} of {sizes} in {} of {}; the least is {least} %",
                            variant.name(),
                            ByteCount::from_bytes(bytes),
                            ground.name()
                        ),
                    });
                }
            }
        }
    }
    Ok(())
}

/// Refuses records for which a memory is too small to be cut with.
pub(super) fn cut_sizes(
    grounds: &[TableGround<'_>],
    variants: &[TableVariant],
    crash: &KvCrash,
) -> Result<(), LabError> {
    for ground in grounds {
        for &variant in variants {
            for &sizes in &crash.sizes {
                let needed = store::short_bytes(variant, sizes, ground.atom());
                let has = ground.bytes(u64::MAX);
                if needed > has {
                    return Err(LabError::Kv {
                        target: ground.name(),
                        problem: format!(
                            "it has {}, and the workload that is cut takes {} of it with records of {sizes} in {}; give \
                             a smaller --size",
                            ByteCount::from_bytes(has),
                            ByteCount::from_bytes(needed),
                            variant.name()
                        ),
                    });
                }
            }
        }
    }
    Ok(())
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
        for name in &workload.tables {
            let table = store::engine(name)?;
            check_sizes(table, sizes.key_bytes, sizes.value_bytes)?;
        }
    }
    Ok(())
}

/// Keys and values fit the table.
fn check_sizes(table: &dyn StoreEngine, key: u64, value: u64) -> Result<(), LabError> {
    let (key_most, value_most, value_least) = table.limits();
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
    let record_most = table.record_bytes_max();
    if key + value > record_most {
        return Err(LabError::Size {
            what: "record",
            found: ByteCount::from_bytes(key + value),
            problem: format!(
                "of key and value together is more than a slot of {} holds; allowed: up to {} B",
                table.title(),
                record_most
            ),
        });
    }
    Ok(())
}
