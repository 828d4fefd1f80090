//! The text of a fitted system's sheet: the base's, with the fitted figures and what the user stated.

use wordline_catalog::{CatalogError, Sheet, parse};

use super::{SystemFigures, SystemTask};
use crate::error::{BaseProblem, LabError, SettingProblem};
use crate::fit::sheet::{About, SheetChange, fitted, quoted};

/// How far a draw of undisclosed choices may lie from the measured throughput.
const WITHIN: &str = "5 %";

/// The sheet.
pub(super) fn of(task: &SystemTask<'_>, figures: &SystemFigures) -> Result<String, LabError> {
    let base = &task.target.system.header;
    let sheet = &task.target.system.sheet;
    let mut changes = vec![
        change(
            "request_path",
            &figures.request.to_string(),
            true,
            &figures.path_source,
        ),
        change(
            "return_path",
            &figures.returning.to_string(),
            true,
            &figures.path_source,
        ),
    ];
    if let Some(misses) = figures.misses {
        let value = misses.to_string();
        changes.push(change("misses", &value, false, &figures.misses_source));
        // A core has no more lines of one kind under way than of all kinds.
        if let Some(buffers) = &sheet.fill_buffers
            && buffers.value().get() > misses
        {
            let source = format!("no more than misses: {}", figures.misses_source);
            changes.push(change("fill_buffers", &value, false, &source));
        }
    }
    if let Some((loss, source)) = &figures.loss {
        changes.push(change_of(
            "controller",
            "bus_loss",
            &percent(*loss),
            true,
            source,
        ));
    }
    let file = &task.workload.source.file;
    let target = &task.findings.target;
    let cautions = [
        format!("fitted to {file}: the path on the chip, the misses of a core and the loss of the bus, as far as each says so; all else is that of {}", base.id),
        "what the module does was simulated: another module than the machine has makes the path wrong".to_owned(),
    ];
    let about = About {
        kind: "system",
        id: &task.workload.id,
        name: &format!("{}, fitted to {file}", base.name),
        manufacturer: &base.manufacturer,
        revision: &format!("fit of {target}"),
        description: &format!(
            "{} cores and {} channels{}, one {} a channel",
            task.cores,
            task.channels,
            match task.sockets {
                1 => String::new(),
                sockets => format!(" in each of {sockets} sockets"),
            },
            task.target.module.header.id
        ),
        cautions: &cautions,
        base: &base.id,
    };
    let text = without_measured(&base.text);
    let text = fitted(&text, &changes, &about).map_err(|problem| {
        let part = base.id.clone();
        let why = BaseProblem::Unchanged(problem);
        SettingProblem::Base { part, why }.of("base")
    })?;
    let stated_cores = match task.workload.cores {
        Some(_) => "stated by the user (--cores)".to_owned(),
        None => format!("stated by {file}"),
    };
    let text = with_line(
        &text,
        "channels",
        task.channels,
        "stated by the user (--channels)",
    );
    let text = with_line(&text, "cores", task.cores, &stated_cores);
    Ok(text + &measured(task))
}

/// The sheet, parsed.
pub(super) fn parsed(text: &str) -> Result<Sheet, LabError> {
    parse("fitted.toml", text).map_err(|errors| LabError::Catalog(CatalogError::Sheets(errors)))
}

fn change(name: &str, value: &str, is_text: bool, source: &str) -> (SheetChange, String) {
    let mut change = change_of("", name, value, is_text, source);
    change.0.path = format!("host.{name}");
    change
}

/// A loss as sheets and settings write it.
pub(super) fn percent(permille: u32) -> String {
    format!("{}.{} %", permille / 10, permille % 10)
}

fn change_of(
    table: &str,
    name: &str,
    value: &str,
    is_text: bool,
    source: &str,
) -> (SheetChange, String) {
    let columns = match is_text {
        true => format!("value = {}", quoted(value)),
        false => format!("value = {value}"),
    };
    let change = SheetChange {
        path: format!("host.{table}.{name}"),
        columns,
    };
    (change, source.to_owned())
}

/// The text with a count that somebody stated, which is no fit.
fn with_line(text: &str, name: &str, value: u32, reason: &str) -> String {
    let start = format!("{name} = {{");
    let lines = text.lines().map(|line| match line.starts_with(&start) {
        true => format!(
            "{name} = {{ value = {value}, assumed = true, reason = {} }}\n",
            quoted(reason)
        ),
        false => format!("{line}\n"),
    });
    lines.collect()
}

/// The text without what the base's machines were measured at: this is another machine.
fn without_measured(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        if line.starts_with('[') {
            inside = line.starts_with("[[host.measured]]");
        }
        !inside
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// What this machine was measured at, by which draws of undisclosed choices are judged; nothing without reads.
fn measured(task: &SystemTask<'_>) -> String {
    let curve = task.findings.curve.iter().map(|(rate, _)| *rate);
    let reads = task.findings.mixes.iter();
    let reads = reads.filter(|(mix, _)| *mix == wordline_core::Mix::Reads);
    let Some(most) = curve
        .chain(reads.map(|(_, rate)| *rate))
        .max_by(f64::total_cmp)
    else {
        return String::new();
    };
    format!(
        "\n[[host.measured]]\nmodule = {}\nmix = \"1:0\"\nthroughput = {{ typ = \"{:.4} GB/s\", basis = \"calibrated\", source = {} }}\nwithin = \"{WITHIN}\"\n",
        quoted(&task.target.module.header.id),
        most / 1e9,
        quoted(&format!(
            "{}: the greatest throughput of reads",
            task.workload.source.file
        ))
    )
}
