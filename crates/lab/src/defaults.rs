//! Defaults that depend on the targets.

use serde_json::Value;
use wordline_catalog::{Catalog, PartOnBoard};
use wordline_core::{
    AccessSource, Experiment, FsTest, FsWorkload, KvTest, SqlTest, SqlWorkload, Timing, Workload,
};

use crate::error::LabError;
use crate::fs::{default_fs_workload, file_systems_of, share_of_memory, survives_power_cuts};
use crate::{default_base, default_stream, default_workload};

/// Whether a document states a field, at any depth of its experiment: what [`complete`] asks of a text.
#[must_use]
pub fn states(document: &Value, field: &str) -> bool {
    match document {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == field || (name != "rows" && states(value, field))),
        _ => false,
    }
}

/// Gives targets their boards, and settings that `stated` does not know, by the names of their fields, the values that
/// suit the targets.
///
/// # Errors
/// When a target is unknown, or the template of a fit.
pub fn complete(
    experiment: &mut Experiment,
    catalog: &Catalog,
    stated: &dyn Fn(&str) -> bool,
) -> Result<(), LabError> {
    if !stated("timing") {
        experiment.timings = timings(&experiment.workload);
    }
    let if_stated = |field: &str, value: u64| stated(field).then_some(value);
    match &mut experiment.workload {
        Workload::Raw(raw) => {
            let targets = targets(catalog, &mut experiment.targets)?;
            let wrap = if_stated("wrap_bytes", raw.wrap_bytes);
            let total = if_stated("total_bytes", raw.total_bytes);
            let suited = default_workload(&targets, wrap, total);
            raw.wrap_bytes = suited.wrap_bytes;
            raw.total_bytes = suited.total_bytes;
            if !stated("access_bytes") {
                raw.access_bytes = suited.access_bytes;
            }
        }
        Workload::Buffer(buffer) => {
            let targets = targets(catalog, &mut experiment.targets)?;
            if let AccessSource::Stream(stream) = &mut buffer.source {
                let wrap = if_stated("wrap_bytes", stream.wrap_bytes);
                let total = if_stated("total_bytes", stream.total_bytes);
                let suited = default_stream(&targets, stream.record_bytes, wrap, total);
                stream.wrap_bytes = suited.wrap_bytes;
                stream.total_bytes = suited.total_bytes;
            }
        }
        Workload::Fs(fs) => {
            let targets = targets(catalog, &mut experiment.targets)?;
            let suited = default_fs_workload(&targets, fs.capacity_bytes);
            if !stated("file_systems") {
                fs.file_systems = suited.file_systems;
            }
            if !stated("file_bytes") {
                fs.file_bytes = suited.file_bytes;
            }
            if !stated("access_bytes") {
                fs.access_bytes = suited.access_bytes.min(fs.file_bytes);
            }
            if !stated("record_bytes") {
                fs.record_bytes = suited.record_bytes.min(fs.file_bytes);
            }
            if !stated("files") && fs.tests == [FsTest::SmallFiles] {
                fs.files = FsWorkload::REPORTED_FILES;
            }
        }
        Workload::Io(io) => {
            let targets = targets(catalog, &mut experiment.targets)?;
            if !stated("file_systems") {
                io.file_systems = file_systems_of(&targets);
            }
        }
        Workload::Sql(sql) => {
            let targets = targets(catalog, &mut experiment.targets)?;
            if !stated("file_systems") {
                sql.file_systems = file_systems_of(&targets);
                // What loses data anyway is not worth a search.
                if sql.test == SqlTest::Tune {
                    sql.file_systems.retain(survives_power_cuts);
                }
            }
            if !stated("checkpoint_pages") && sql.test == SqlTest::Bench {
                sql.checkpoint_pages = vec![checkpoint_pages(&targets, sql)];
            }
        }
        Workload::Bound(_) => {
            targets(catalog, &mut experiment.targets)?;
        }
        Workload::Wear(_) => {
            for name in &mut experiment.targets {
                *name = catalog.target(name)?.name();
            }
        }
        Workload::Kv(kv) => {
            if let KvTest::Bench(bench) = &mut kv.test
                && !stated("builds")
            {
                let mut is_measured = true;
                for name in &experiment.targets {
                    is_measured &= catalog.target(name)?.is_of_host();
                }
                if is_measured {
                    bench.builds.clear();
                }
            }
        }
        Workload::Fit(fit) if experiment.targets.is_empty() => {
            experiment.targets = vec![default_base(&fit.template)?.to_owned()];
        }
        _ => {}
    }
    Ok(())
}

/// The timing classes that the command of a workload runs without its flag.
fn timings(workload: &Workload) -> Vec<Timing> {
    match workload {
        Workload::App(_) | Workload::Dram(_) => vec![Timing::Max],
        Workload::Bound(_) | Workload::Compare(_) => vec![Timing::Typ, Timing::Max],
        Workload::Buffer(buffer) if !matches!(buffer.source, AccessSource::Log(_)) => {
            vec![Timing::Typ, Timing::Max]
        }
        _ => vec![Timing::Typ],
    }
}

/// The targets, whose names get their boards.
fn targets<'a>(
    catalog: &'a Catalog,
    names: &mut [String],
) -> Result<Vec<PartOnBoard<'a>>, LabError> {
    let target = |name: &mut String| {
        let target = catalog.part_on_board(name)?;
        name.clone_from(&target.name);
        Ok(target)
    };
    names.iter_mut().map(target).collect()
}

/// Pages of a log that start a checkpoint: as SQLite has it, and fewer where the log would fill more than an eighth of the
/// smallest of some memories.
fn checkpoint_pages(targets: &[PartOnBoard<'_>], sql: &SqlWorkload) -> u64 {
    let models = targets.iter().map(|target| &target.part.model);
    let shares = models.map(|model| share_of_memory(model, sql.capacity_bytes, 0));
    let page = sql.page_bytes.iter().copied().max().unwrap_or(1).max(1);
    let fitting = shares.min().map_or(u64::MAX, |bytes| bytes / 8 / page);
    fitting.clamp(1, 1000)
}
