//! Hash tables on byte-addressable memories: operations of each table on each memory, in simulated time, or on memories of
//! this machine in its own.
//!
//! What a table gets of a target is a [`Part`](memory::Part): its first bytes, of which everything that is asked is
//! counted. A table is formatted, filled to a load, every put timed, and then read, missed, updated and emptied. Beside
//! what an operation moved stands the least that any durable table moves.

mod bench;
mod check;
mod crash;
mod ground;
mod host;
mod image;
mod memory;
mod mix;
mod operations;
mod pools;
mod processor;
mod ranges;
mod records;
mod rows;
mod store;
mod tally;
mod zipf;

use wordline_catalog::Catalog;
use wordline_core::quantity::Fraction;
use wordline_core::results::WarningCode;
use wordline_core::{
    Experiment, KvBench, KvCrash, KvDirectory, KvSizes, KvTable, KvTest, KvWork, KvWorkload,
    ResultSet,
};

use bench::Case;
use ground::{Ground, Place};
pub use image::{ImageRecord, TableImage, TableImageError};

use crate::control::{Control, Progress};
use crate::error::LabError;

/// A table in one of its modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    table: KvTable,
    /// Of the project's table alone.
    directory: Option<KvDirectory>,
}

impl Variant {
    /// Every table in every mode that was asked for.
    fn all(workload: &KvWorkload) -> Vec<Self> {
        let modes = |&table: &KvTable| -> Vec<Self> {
            match table {
                KvTable::Own => {
                    let directories = workload.directories.iter();
                    let own = directories.map(|directory| Self {
                        table,
                        directory: Some(*directory),
                    });
                    own.collect()
                }
                KvTable::Lpht | KvTable::Clht => vec![Self {
                    table,
                    directory: None,
                }],
            }
        };
        workload.tables.iter().flat_map(modes).collect()
    }

    /// Whether it can remove a record.
    const fn removes(self) -> bool {
        matches!(self.table, KvTable::Own)
    }

    /// In words.
    fn name(self) -> String {
        let title = self.table.title();
        match self.directory {
            Some(KvDirectory::Resident) => format!("{title}, directory in its memory"),
            Some(KvDirectory::Ram) | None => title.to_owned(),
        }
    }
}

/// Whether a target of hash tables is a memory of this machine: `file:PATH` or `ram@host`.
#[must_use]
pub fn is_of_host(target: &str) -> bool {
    host::Home::of(target).is_some()
}

/// The targets of an experiment by their full names.
pub(crate) fn names(catalog: &Catalog, targets: &[String]) -> Result<Vec<String>, LabError> {
    let mut names: Vec<String> = Vec::new();
    for target in targets {
        let name = Place::of(catalog, target)?.name();
        if names.contains(&name) {
            return Err(LabError::Twice(name));
        }
        names.push(name);
    }
    if names.is_empty() {
        return Err(LabError::NoTarget);
    }
    Ok(names)
}

/// Runs every table on every target and adds what it found to the document.
pub(crate) fn run(
    catalog: &Catalog,
    workload: &KvWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::check(workload, experiment)?;
    let places = experiment.targets.iter();
    let places: Vec<Place<'_>> = places
        .map(|target| Place::of(catalog, target))
        .collect::<Result<_, _>>()?;
    check::places(&places, workload, experiment, control)?;
    let mut grounds = Vec::new();
    for &timing in &experiment.timings {
        for place in &places {
            grounds.push(Ground::new(place, timing, experiment, document)?);
        }
    }
    match &workload.test {
        KvTest::Bench(bench) => {
            check::loads(&grounds, workload, bench)?;
            // Nothing of this machine is written over before all of it is known to be there.
            for ground in &mut grounds {
                ground.open(bench.capacity_bytes, control, document)?;
            }
            bench_all(&grounds, workload, bench, experiment, control, document);
        }
        KvTest::Crash(crash) => {
            // What a power cut leaves does not hang on how long anything takes.
            grounds.truncate(places.len());
            check::cut_sizes(&grounds, workload, crash)?;
            crash_all(&grounds, workload, crash, experiment, control, document);
        }
    }
    Ok(())
}

/// Everything that is done with each table: work, sizes and load. Work whose records have sizes of their own is done
/// once for each load.
fn points(bench: &KvBench) -> Vec<(KvWork, KvSizes, Fraction)> {
    let mut points = Vec::new();
    for &work in &bench.works {
        let sizes = match pools::pool(work) {
            Some(pool) => vec![pool.usual],
            None => bench.sizes.clone(),
        };
        for size in sizes {
            points.extend(bench.loads.iter().map(|load| (work, size, *load)));
        }
    }
    points
}

fn bench_all(
    grounds: &[Ground<'_>],
    workload: &KvWorkload,
    bench: &KvBench,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) {
    for &work in &bench.works {
        if let Some(pool) = pools::pool(work) {
            let advice = format!("workload {}: {}", work.name(), pool.open);
            document.warn(WarningCode::Default, advice);
        }
    }
    let mut cases: Vec<Case<'_>> = Vec::new();
    for ground in grounds {
        ground.warn_if_short(bench.capacity_bytes, document);
        let builds: Vec<_> = match ground.is_measured() {
            true => vec![None],
            false => bench.builds.iter().copied().map(Some).collect(),
        };
        for build in builds {
            let processor = build.and_then(|build| ground.processor(build, document));
            // Tables that are compared run next to each other: a real machine is not always the same.
            for (work, sizes, load) in points(bench) {
                let variants = Variant::all(workload).into_iter();
                cases.extend(variants.map(|variant| Case {
                    ground,
                    build,
                    processor,
                    variant,
                    work,
                    sizes,
                    load,
                    bench,
                    seed: experiment.seed,
                    control,
                }));
            }
        }
    }
    let total = cases.len() as u64;
    for (number, case) in cases.iter().enumerate() {
        control.report(Progress {
            step: &case.ground.name(),
            done_bytes: number as u64,
            total_bytes: total,
        });
        if !case.run(document) {
            document.complete = false;
            break;
        }
    }
}

fn crash_all(
    grounds: &[Ground<'_>],
    workload: &KvWorkload,
    crash: &KvCrash,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) {
    for ground in grounds {
        for variant in Variant::all(workload) {
            for &sizes in &crash.sizes {
                let seed = experiment.seed;
                if !crash::check(ground, variant, sizes, crash, seed, control, document) {
                    document.complete = false;
                    return;
                }
            }
        }
    }
}

/// The bytes that no durable table can do without.
fn floor_bytes(operation: &str, sizes: KvSizes, word_bytes: u64) -> u64 {
    let whole = |bytes: u64| bytes.next_multiple_of(word_bytes);
    let record = sizes.key_bytes + sizes.value_bytes;
    match operation {
        "insert" | "update" => whole(record) + word_bytes,
        "hit" | "read" => whole(record),
        "delete" => word_bytes,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In words of a 16-bit bus, as stated for the board of the published tables.
    #[test]
    fn the_floor_is_key_value_and_a_commit_word() {
        for (bytes, put, get) in [(4, 5, 4), (32, 33, 32), (256, 257, 256)] {
            let words = |operation| floor_bytes(operation, KvSizes::equal(bytes), 2) / 2;
            assert_eq!((words("insert"), words("hit")), (put, get));
            assert_eq!(
                (words("update"), words("delete"), words("miss")),
                (put, 1, 0)
            );
        }
    }
}
