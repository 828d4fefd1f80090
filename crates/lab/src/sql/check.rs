//! What is wrong with a workload of databases, before anything is run.

use wordline_catalog::PartOnBoard;
use wordline_core::{Experiment, SqlWorkload};

use crate::error::{LabError, SettingProblem, in_range};
use crate::fs::check::choices;
use crate::fs::engine::file_system;
use crate::list::distinct;

/// Bytes of a page that SQLite takes: powers of two.
const PAGES: [u64; 8] = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// The most rows of a transaction.
const ROWS_MAX: u64 = 100_000;

/// The most transactions of a workload.
const TRANSACTIONS_MAX: u64 = 10_000_000;

/// The most pages of a log before a checkpoint.
const CHECKPOINT_MAX: u64 = 1_000_000_000;

/// The most images of interrupted runs.
const IMAGES_MAX: u64 = 1_000_000;

/// RAM of the page cache.
const CACHE: (u64, u64) = (1 << 10, 1 << 34);

pub(super) fn check(
    targets: &[PartOnBoard<'_>],
    workload: &SqlWorkload,
    experiment: &Experiment,
) -> Result<(), LabError> {
    let systems = workload.file_systems.iter();
    distinct("on", systems.map(ToString::to_string))?;
    let systems = workload.file_systems.iter().map(file_system);
    let systems: Vec<_> = systems.collect::<Result<_, _>>()?;
    distinct("journal", names(&workload.journals, |one| one.name()))?;
    distinct("sync", names(&workload.syncs, |one| one.name()))?;
    distinct("workload", names(&workload.works, |one| one.name()))?;
    for (what, list) in [
        ("page", &workload.page_bytes),
        ("checkpoint", &workload.checkpoint_pages),
        ("rows", &workload.rows),
    ] {
        distinct(what, list.iter().map(ToString::to_string))?;
    }
    for bytes in &workload.page_bytes {
        if !PAGES.contains(bytes) {
            return Err(SettingProblem::PageOfDatabase(*bytes).of("page"));
        }
    }
    for rows in &workload.rows {
        in_range("rows", *rows, 1, ROWS_MAX)?;
    }
    for pages in &workload.checkpoint_pages {
        in_range("checkpoint", *pages, 0, CHECKPOINT_MAX)?;
    }
    let (least, most) = CACHE;
    in_range("cache", workload.cache_bytes, least, most)?;
    distinct("told", names(&workload.told, |one| one.name()))?;
    if let Some(transactions) = workload.transactions {
        in_range("transactions", transactions, 1, TRANSACTIONS_MAX)?;
    }
    in_range("crash", workload.crash_images, 0, IMAGES_MAX)?;
    if workload.capacity_bytes == Some(0) {
        return Err(SettingProblem::NoCapacity.of("capacity"));
    }
    choices(
        &systems,
        targets,
        &workload.settings,
        experiment.ftl.as_ref(),
    )
}

fn names<T>(list: &[T], name: impl Fn(&T) -> &'static str) -> impl Iterator<Item = String> {
    list.iter().map(move |one| name(one).to_owned())
}
