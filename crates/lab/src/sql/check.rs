//! What is wrong with a workload of databases, before anything is run.

use wordline_catalog::PartOnBoard;
use wordline_core::{Experiment, SqlTest, SqlWorkload};

use crate::error::{LabError, SettingProblem, in_range};
use crate::fs::check::{choices, verdicts};
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
    let systems = match (&workload.log_file_system, &workload.log_target) {
        (Some(_), None) => return Err(SettingProblem::LogFileSystemAlone.of("log-on")),
        (None, None) => systems,
        (_, Some(_)) => {
            let log = file_system(&workload.log_engine())?;
            systems.into_iter().chain([log]).collect()
        }
    };
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
        let (least, most) = checkpoints(workload);
        in_range("checkpoint", *pages, least, most)?;
    }
    distinct("log", names(&workload.logs, |one| one.name()))?;
    let (least, most) = CACHE;
    in_range("cache", workload.cache_bytes, least, most)?;
    if let Some(bytes) = workload.dma_bytes {
        in_range("dma", bytes, 1, PAGES[PAGES.len() - 1])?;
    }
    distinct("told", names(&workload.told, |one| one.name()))?;
    if let Some(transactions) = workload.transactions {
        in_range("transactions", transactions, 1, TRANSACTIONS_MAX)?;
    }
    in_range("crash", workload.crash_images, 0, IMAGES_MAX)?;
    verdicts(&systems, workload.crash_images)?;
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

/// The least and the most pages of a checkpoint. A search that never came to one would take a log that only grows for the
/// fastest: a transaction writes a page at least, so so many transactions fill the log as often as they have to.
fn checkpoints(workload: &SqlWorkload) -> (u64, u64) {
    match (workload.test, &workload.script) {
        (SqlTest::Tune, None) => {
            let rows = workload.rows.iter();
            let least = rows.map(|rows| workload.transactions_of(*rows)).min();
            (1, least.unwrap_or(0) / SqlWorkload::LOGS_FILLED)
        }
        _ => (0, CHECKPOINT_MAX),
    }
}

fn names<T>(list: &[T], name: impl Fn(&T) -> &'static str) -> impl Iterator<Item = String> {
    list.iter().map(move |one| name(one).to_owned())
}
