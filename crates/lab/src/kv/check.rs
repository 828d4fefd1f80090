//! What is wrong with a workload of hash tables, before anything is run.

use wordline_catalog::Target;
use wordline_core::quantity::{ByteCount, Quantity as _};
use wordline_core::{Experiment, KvBench, KvCrash, KvSizes, KvTest, KvWorkload, Timing};
use wordline_engines::StoreEngine;

use super::ground::TableGround;
use super::{TableVariant, host, store};
use crate::control::Control;
use crate::error::{LabError, SettingProblem, TargetProblem, in_range};
use crate::list::distinct;

/// The largest table: every operation of a run is timed, and its memory is held.
const CAPACITY_MAX: u64 = 1 << 30;

/// The most operations of a kind.
const OPERATIONS_MAX: u64 = 100_000_000;

/// The most repeats of a measurement.
const REPEATS_MAX: u64 = 100;

/// The most images of interrupted runs.
const IMAGES_MAX: u64 = 1_000_000;

/// Checks the workload.
pub(super) fn check(workload: &KvWorkload, experiment: &Experiment) -> Result<(), LabError> {
    let directories = workload.directories.iter();
    distinct("directory", directories.map(|one| one.name().to_owned()))?;
    if experiment.ftl.is_some() {
        return Err(SettingProblem::LayerOfTables.of("ftl"));
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
        return Err(SettingProblem::BuildOfHost.of("build"));
    }
    let Some(measured) = targets.iter().find(|target| target.is_of_host()) else {
        return match bench.repeat {
            Some(_) => Err(SettingProblem::RepeatOfSimulation.of("repeat")),
            None => Ok(()),
        };
    };
    let problem = if experiment.timings != [Timing::Typ] {
        TargetProblem::MeasuredTiming
    } else if experiment.age != 0.0 {
        TargetProblem::MeasuredAge
    } else {
        return Ok(());
    };
    Err(problem.of(&measured.name()))
}

fn check_bench(workload: &KvWorkload, bench: &KvBench) -> Result<(), LabError> {
    let capacity = [bench.capacity_bytes, 1, CAPACITY_MAX].map(ByteCount::from_bytes);
    in_range("capacity", capacity[0], capacity[1], capacity[2])?;
    distinct(
        "workload",
        bench.works.iter().map(|one| one.name().to_owned()),
    )?;
    all_sizes(workload, &bench.sizes)?;
    distinct("load", bench.loads.iter().map(ToString::to_string))?;
    for load in &bench.loads {
        if !(load.si() > 0.0 && load.si() <= 1.0) {
            return Err(SettingProblem::PositiveShare(load.si()).of("load"));
        }
    }
    if let Some(count) = bench.operations {
        in_range("operations", count, 1, OPERATIONS_MAX)?;
    }
    match bench.repeat {
        Some(count) => in_range("repeat", count, 1, REPEATS_MAX),
        None => Ok(()),
    }
}

/// Refuses loads of which a table holds no record, and memories none of which has room for a table.
pub(super) fn loads(
    grounds: &[TableGround<'_>],
    variants: &[TableVariant],
    bench: &KvBench,
) -> Result<(), LabError> {
    let mut has_room = false;
    for ground in grounds {
        let bytes = ground.bytes(bench.capacity_bytes);
        for &variant in variants {
            for (_, sizes, load) in super::points(bench) {
                // A table without room fails its rows, and the others run.
                let Some(places) = store::places(variant, sizes, bytes, ground.atom()) else {
                    continue;
                };
                has_room = true;
                if places as f64 * load.si() < 1.0 {
                    let least = (100.0 / places as f64 * 1e4).ceil() / 1e4;
                    return Err(SettingProblem::LowLoad {
                        found: load.si(),
                        table: variant.name().to_string(),
                        places,
                        sizes,
                        bytes: ByteCount::from_bytes(bytes),
                        target: ground.name(),
                        least,
                    }
                    .of("load"));
                }
            }
        }
    }
    match has_room {
        true => Ok(()),
        false => {
            let found = ByteCount::from_bytes(bench.capacity_bytes);
            Err(SettingProblem::NoRoom(found).of("capacity"))
        }
    }
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
                    let problem = TargetProblem::SmallForCuts {
                        has: ByteCount::from_bytes(has),
                        needed: ByteCount::from_bytes(needed),
                        sizes,
                        table: variant.name().to_string(),
                    };
                    return Err(problem.of(&ground.name()));
                }
            }
        }
    }
    Ok(())
}

fn check_crash(workload: &KvWorkload, crash: &KvCrash) -> Result<(), LabError> {
    all_sizes(workload, &crash.sizes)?;
    match crash.images {
        Some(count) => in_range("images", count, 1, IMAGES_MAX),
        None => Ok(()),
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
            return Err(SettingProblem::KeyOrValue {
                found: ByteCount::from_bytes(found),
                what,
                table: table.title(),
                least,
                most,
            }
            .of(what));
        }
    }
    let record_most = table.record_bytes_max();
    if key + value > record_most {
        return Err(SettingProblem::LargeRecord {
            found: ByteCount::from_bytes(key + value),
            table: table.title(),
            most: record_most,
        }
        .of("record"));
    }
    Ok(())
}
