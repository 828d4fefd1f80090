//! How much RAM is needed so that nothing of a fixed input rate is lost: from a simulated target, from a
//! measured log, or from a trace that is replayed on a simulated target.
//!
//! Whatever the source, its accesses go through one [`Analysis`](analysis::Analysis), and what that
//! learns becomes rows in one place. The theory itself is in [`crate::backlog`].

pub(crate) mod analysis;
pub(crate) mod bound;
mod course;
pub(crate) mod extremes;
mod grid;
mod layer;
pub(crate) mod log;
pub(crate) mod open_loop;
pub(crate) mod provision;
pub(crate) mod rows;
pub(crate) mod stream;
pub(crate) mod trace;
mod window;

pub use stream::default_stream;
use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::{AccessSource, Axis, BufferWorkload, Experiment, Operation, ResultSet, Timing};
use wordline_nvm::Device;

use crate::backlog::{BacklogError, Rate, StartUp};
use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::payload::Payload;
use crate::state;
use crate::subject::Subject;

/// Answers the question for every target, or for the log.
pub(crate) fn run(
    targets: &[PartOnBoard<'_>],
    question: &BufferWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    rates(question)?;
    check_rams(question)?;
    if let Some(horizon) = question.horizon_s
        && !(horizon.is_finite() && horizon > 0.0)
    {
        return Err(SettingProblem::Horizon(horizon).of("horizon"));
    }
    if question.window == Some(0) {
        return Err(SettingProblem::EmptyWindow.of("window"));
    }
    if let AccessSource::Log(_) = &question.source
        && (question.fill.is_some() || question.warm_up_bytes > 0 || question.sync.is_some())
    {
        return Err(SettingProblem::OfTargetNotLog.of("fill, warm_up or sync"));
    }
    if let AccessSource::Log(_) = &question.source
        && (experiment.ftl.is_some() || experiment.age > 0.0)
    {
        return Err(SettingProblem::OfTargetNotLog.of("ftl or age"));
    }
    if question.current.is_some() && !matches!(question.source, AccessSource::Log(_)) {
        return Err(SettingProblem::CurrentWithoutLog.of("current"));
    }
    if question.current.is_none()
        && (question.voltage.is_some() || question.current_offset_ps.is_some())
    {
        return Err(SettingProblem::NoCurrent.of("voltage or current_offset"));
    }
    match &question.source {
        AccessSource::Stream(stream) => {
            stream::run(targets, stream, question, experiment, control, document)
        }
        AccessSource::Log(source) => log::run(source, question, experiment, control, document),
        AccessSource::Trace(source) => {
            trace::run(targets, source, question, experiment, control, document)
        }
    }
}

/// The rates that the user asked for, exactly.
fn rates(question: &BufferWorkload) -> Result<Vec<Rate>, LabError> {
    exact_rates(&question.rates_bytes_per_s)
}

/// Rates in bytes per second, exactly, each named once.
pub(crate) fn exact_rates(asked: &[f64]) -> Result<Vec<Rate>, LabError> {
    const RATES_MAX: usize = 4096;
    if asked.len() > RATES_MAX {
        return Err(SettingProblem::ManyRates(RATES_MAX).of("rate"));
    }
    let mut rates = Vec::new();
    for &rate in asked {
        let exact =
            Rate::from_bytes_per_second(rate).map_err(|_| SettingProblem::Rate(rate).of("rate"))?;
        if rates.contains(&exact) {
            return Err(SettingProblem::Twice(format!("{rate} B/s")).of("rate"));
        }
        rates.push(exact);
    }
    Ok(rates)
}

fn check_rams(question: &BufferWorkload) -> Result<(), LabError> {
    let names = question.ram_bytes.iter();
    let names = names.map(|ram| ByteCount::from_bytes(*ram).to_string());
    if question.ram_bytes.is_empty() {
        return Ok(());
    }
    crate::list::distinct("ram", names)
}

/// What the rows of a target have in common.
fn subject(
    target: &PartOnBoard<'_>,
    operation: Operation,
    timing: Timing,
    experiment: &Experiment,
    question: &BufferWorkload,
) -> Subject {
    let workload = experiment.workload.name();
    let mut subject = Subject::simulated(target, workload, operation, timing, experiment.age);
    if let Some(fill) = question.fill {
        subject = subject.at(Axis::Fill, fill.si());
    }
    if let Some(how) = question.sync {
        subject = subject.at(Axis::Sync, how.name());
    }
    subject.behind(experiment.ftl.as_ref())
}

/// Fills a target's memory as was asked, and with `read` bytes that reads will find.
fn fill(
    target: &PartOnBoard<'_>,
    question: &BufferWorkload,
    device: &mut dyn Device,
    payload: &Payload,
    read: u64,
    control: &Control<'_>,
) -> Result<(), LabError> {
    let share = question.fill.map_or(0.0, Quantity::si);
    state::check_fill(share)?;
    state::check_held(payload, device, share)?;
    let bytes = state::share_bytes(device, share).max(read);
    let pass = if read > 0 { 0 } else { state::OLD };
    state::fill(device, bytes, payload, pass, control).map_err(|source| LabError::Device {
        target: target.name.clone(),
        source,
    })
}

/// What happens before the first access of a simulated target.
///
/// # Errors
/// When the sheet of the part states no power-up, and the question counts it.
fn startup_of(question: &BufferWorkload, device: &dyn Device) -> Result<StartUp, LabError> {
    let wake_up = match (question.power_up, device.notes().power_up) {
        (false, _) => Time::ZERO,
        (true, Some(time)) => time,
        (true, None) => {
            return Err(SettingProblem::NoWakeUp.of("power_up"));
        }
    };
    let time = wake_up.checked_plus(Time::from_ps(question.startup_ps));
    Ok(StartUp {
        time: time.ok_or(BacklogError::TooMuch)?,
        backlog: ByteCount::from_bytes(question.backlog_bytes),
    })
}
