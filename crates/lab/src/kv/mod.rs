//! Hash tables on byte-addressable memories: operations of each table on each memory, in simulated time, or on memories of
//! this machine in its own.
//!
//! What a table gets of a target is a [`MeteredMemory`](crate::instrument::MeteredMemory): its first bytes, with
//! everything that is asked of them counted. A table is formatted, filled to a load, every put timed, and then read, missed, updated and emptied. Beside
//! what an operation moved stands the least that any durable table moves.

mod bench;
mod check;
mod crash;
mod ground;
pub(crate) mod host;
mod image;
mod mix;
mod operations;
mod pools;
mod processor;
mod ranges;
mod records;
mod rocksdb;
mod rows;
mod store;
mod zipf;

use wordline_catalog::Target;
use wordline_core::RowOperation::{self, Delete, Hit, Insert, Read, Update};
use wordline_core::quantity::Fraction;
use wordline_core::{
    EngineName, Experiment, KvBench, KvCrash, KvDirectory, KvSizes, KvTest, KvWork, KvWorkload,
    ResultSet,
};
use wordline_engines::{STORES, StoreEngine};

use bench::Case;
use ground::TableGround;
pub use image::{ImageRecord, TableImage, TableImageError};

use crate::control::Control;
use crate::error::LabError;
use crate::instrument::case::{DocumentCase, run_into};
use crate::repeats::{self, RepeatedCase};
use crate::warning::LabWarning;

/// A table in one of its modes.
#[derive(Clone, Copy)]
pub(crate) struct TableVariant {
    table: &'static dyn StoreEngine,
    /// Where its directory lies, of tables that give the choice.
    directory: Option<KvDirectory>,
}

impl TableVariant {
    /// Every table in every mode that was asked for.
    ///
    /// # Errors
    /// For a name that no table has.
    fn all(workload: &KvWorkload) -> Result<Vec<Self>, LabError> {
        let mut all = Vec::new();
        for name in &workload.tables {
            let table = store::engine(name)?;
            let directories: Vec<_> = match table.has_directory() {
                true => workload.directories.iter().copied().map(Some).collect(),
                false => vec![None],
            };
            all.extend(
                directories
                    .into_iter()
                    .map(|directory| Self { table, directory }),
            );
        }
        Ok(all)
    }

    /// Whether it can remove a record.
    fn removes(self) -> bool {
        self.table.promise().removes
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

/// The names of the tables that an experiment can name, in the order of their list.
#[must_use]
pub fn tables() -> Vec<EngineName> {
    let names = wordline_engines::names(STORES).into_iter();
    names.filter_map(|name| name.parse().ok()).collect()
}

/// Runs every table on every target and adds what it found to the document.
pub(crate) fn run(
    targets: &[Target<'_>],
    workload: &KvWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let (has_rocksdb, workload) = &rocksdb::apart(workload)?;
    check::check(workload, experiment)?;
    let variants = TableVariant::all(workload)?;
    check::targets(targets, workload, experiment, control)?;
    if let (true, KvTest::Bench(bench)) = (*has_rocksdb, &workload.test) {
        rocksdb::bench(targets, bench, experiment, control, document)?;
        if variants.is_empty() {
            return Ok(());
        }
    }
    let mut grounds = Vec::new();
    for &timing in &experiment.timings {
        for target in targets {
            grounds.push(TableGround::new(target, timing, experiment, document)?);
        }
    }
    match &workload.test {
        KvTest::Bench(bench) => {
            check::loads(&grounds, &variants, bench)?;
            // Nothing of this machine is written over before all of it is known to be there.
            for ground in &mut grounds {
                ground.open(bench.capacity_bytes, control, document)?;
            }
            bench_all(&grounds, &variants, bench, experiment, control, document)
        }
        KvTest::Crash(crash) => {
            // What a power cut leaves does not depend on how long anything takes.
            grounds.truncate(targets.len());
            grounds.iter().try_for_each(TableGround::check_power_cuts)?;
            check::cut_sizes(&grounds, &variants, crash)?;
            crash_all(&grounds, &variants, crash, experiment, control, document)
        }
    }
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
    grounds: &[TableGround<'_>],
    variants: &[TableVariant],
    bench: &KvBench,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    for &work in &bench.works {
        if let Some(pool) = pools::pool(work) {
            document.warn(LabWarning::PoolOpen {
                work: &work.name(),
                open: &pool.open,
            });
        }
    }
    let mut cases = Vec::new();
    for ground in grounds {
        ground.warn_if_short(bench.capacity_bytes, document);
        let builds: Vec<_> = match ground.is_measured() {
            true => vec![None],
            false => bench.builds.iter().copied().map(Some).collect(),
        };
        for build in builds {
            let processor = build.and_then(|build| ground.processor(build, document));
            if processor.is_some() {
                ground.warn_of_uncounted(variants, document);
            }
            // Tables that are compared run next to each other in each round: a real machine is not always the same.
            for (work, sizes, load) in points(bench) {
                cases.extend(variants.iter().map(|&variant| {
                    let run = move |control: &Control<'_>, document: &mut ResultSet| {
                        let case = Case {
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
                        };
                        document.complete = case.run(document);
                        Ok(())
                    };
                    RepeatedCase::new(ground.name(), ground.repeats(bench), run)
                }));
            }
        }
    }
    repeats::run_into(document, &cases, experiment, control)
}

fn crash_all(
    grounds: &[TableGround<'_>],
    variants: &[TableVariant],
    crash: &KvCrash,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let mut cases = Vec::new();
    for ground in grounds {
        for &variant in variants {
            for &sizes in &crash.sizes {
                let seed = experiment.seed;
                let cut = move |control: &Control<'_>, document: &mut ResultSet| {
                    document.complete =
                        crash::check(ground, variant, sizes, crash, seed, control, document);
                    Ok(())
                };
                // How many images differ is known once all were looked at.
                cases.push(DocumentCase::document(ground.name(), 0, experiment, cut));
            }
        }
    }
    run_into(document, cases, control)
}

/// The bytes that no durable table can do without.
fn floor_bytes(operation: RowOperation, sizes: KvSizes, word_bytes: u64) -> u64 {
    let whole = |bytes: u64| bytes.next_multiple_of(word_bytes);
    let record = sizes.key_bytes + sizes.value_bytes;
    match operation {
        Insert | Update => whole(record) + word_bytes,
        Hit | Read => whole(record),
        Delete => word_bytes,
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
            assert_eq!((words(Insert), words(Hit)), (put, get));
            assert_eq!(
                (words(Update), words(Delete), words(RowOperation::Miss)),
                (put, 1, 0)
            );
        }
    }
}
