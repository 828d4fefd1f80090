//! `wordline diff`.

use wordline_core::quantity::Quantity as _;
use wordline_report::ResultDiff;

use crate::args::{Diff, Global};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output::Exports;
use crate::saved;

pub(crate) fn run(asked: &Diff, global: &Global) -> Result<Outcome, Failure> {
    let tolerance = asked.tolerance.si();
    if tolerance > 1.0 {
        let text = format!(
            "--tolerance is out of range (0%..=100%): {}",
            asked.tolerance
        );
        return Err(failure::message(text));
    }
    let exports = Exports::new(&asked.export)?;
    for path in [&asked.before, &asked.after] {
        exports.spare(path)?;
    }
    if asked.before.as_os_str() == "-" && asked.after.as_os_str() == "-" {
        let text = "standard input holds one result: name a file for the other";
        return Err(failure::message(text));
    }
    let (before, after) = (saved::read(&asked.before)?, saved::read(&asked.after)?);
    let kinds = [&before, &after].map(|document| document.experiment.workload.name());
    if kinds[0] != kinds[1] {
        let [one, other] = kinds;
        return Err(failure::message(format!(
            "{} is of {one} and {} of {other}: results of one command can be compared",
            asked.before.display(),
            asked.after.display()
        )));
    }
    let diff = ResultDiff::between(&before, &after, tolerance);
    let names = [&asked.before, &asked.after].map(|path| crate::input::last_name(path));
    let command = format!("wordline diff {}", names.join(" "));
    exports.write_text(global, |format, style| diff.render(format, style, &command))?;
    let failed = diff.worse || (asked.any && diff.changed);
    Ok(if failed {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    })
}
