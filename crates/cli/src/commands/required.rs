//! `wordline fs bench`, `sql bench`, `kv bench` and `kv crash`: engines that must survive power cuts, and files that are lost.

use clap::Args;
use wordline_core::results::AxisValue;
use wordline_core::{Axis, EngineName, Metric, ResultSet, Workload, is_given};
use wordline_lab::Control;

use super::hooks::HookRequest;
use super::wear::Destroyed;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// Engines that must survive every power cut.
#[derive(Args)]
pub(super) struct Required {
    /// What must survive every power cut, on every memory: the exit code is 1 otherwise; repeatable
    #[arg(long, value_delimiter = ',')]
    require: Vec<EngineName>,
}

pub(super) fn file_systems(request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Workload::Fs(fs) = &request.experiment.workload else {
        unreachable!("it is the command of file systems");
    };
    let (images, run) = (fs.crash_images, fs.file_systems.clone());
    on_file_systems(request, "file systems of --fs", images, &run)
}

pub(super) fn databases(request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let Workload::Sql(sql) = &request.experiment.workload else {
        unreachable!("it is the command of databases");
    };
    let (images, run) = (sql.crash_images, sql.file_systems.clone());
    on_file_systems(request, "file systems of --on", images, &run)
}

fn on_file_systems(
    request: HookRequest<'_>,
    list: &str,
    images: u64,
    run: &[EngineName],
) -> Result<Outcome, Failure> {
    let required: Required = request.flags()?;
    if let (Some(kind), 0) = (required.require.first(), images) {
        let name = kind.name();
        return Err(failure::message(format!(
            "--require {name}: --crash 0 cuts no power"
        )));
    }
    survive(request, Axis::Fs, list, &required, run)
}

pub(super) fn tables(request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let required: Required = request.flags()?;
    let Workload::Kv(kv) = &request.experiment.workload else {
        unreachable!("it is the command of tables");
    };
    let run = kv.tables.clone();
    survive(request, Axis::Table, "tables of --table", &required, &run)
}

/// Runs it, and fails where a required engine lost something to a power cut or has no verdict.
fn survive(
    mut request: HookRequest<'_>,
    axis: Axis,
    list: &str,
    Required { require }: &Required,
    run: &[EngineName],
) -> Result<Outcome, Failure> {
    if let Some(name) = require.iter().find(|name| !run.contains(name)) {
        let message = format!("--require {name}: {name} is not among the {list}");
        return Err(failure::message(message));
    }
    let catalog = request.catalog()?;
    let document = request.document(&catalog, &Control::default())?;
    let outcome = match super::outcome(&document) {
        Outcome::Done if loses(&document, axis, require) || !reached(&document, axis, require) => {
            Outcome::CheckFailed
        }
        outcome => outcome,
    };
    request.exports.write(&document, request.global, outcome)
}

/// Whether every required engine was tried, which a run that was cut short may not have come to.
fn reached(document: &ResultSet, axis: Axis, required: &[EngineName]) -> bool {
    let is_of = |engine: &EngineName| {
        let mut rows = document.rows.iter();
        rows.any(|row| row.text(axis) == Some(engine.name()))
    };
    document.complete || required.iter().all(is_of)
}

fn loses(document: &ResultSet, axis: Axis, required: &[EngineName]) -> bool {
    let mut rows = document.of(Metric::CrashFailures);
    rows.any(|row| {
        let engine = row.axes.get(&axis);
        let named = |value: &AxisValue| matches!(value, AxisValue::Text(name) if required.iter().any(|engine| engine.name() == &**name));
        row.value != Some(0.0) && engine.is_some_and(named)
    })
}

pub(super) fn kv_bench(mut request: HookRequest<'_>) -> Result<Outcome, Failure> {
    let catalog = super::catalog(request.global)?;
    let is_note = is_given(request.matches, "builds") && !request.global.quiet;
    let mut hosts = Vec::new();
    for name in &request.experiment.targets {
        let target = catalog.target(name).map_err(failure::catalog)?;
        if let Some(path) = target.path() {
            request.exports.apart("--target", path.as_ref())?;
        }
        hosts.extend(target.is_of_host().then(|| target.name()));
    }
    if let Some(host) = hosts.first().filter(|_| is_note) {
        output::note(&format!(
            "--build is of simulated processors; on {host} the processor's own time is measured"
        ));
    }
    let destroyed: Destroyed = request.flags()?;
    let control = Control {
        destroy: &destroyed.destroy,
        ..Control::default()
    };
    request.finish_with(&control)
}
