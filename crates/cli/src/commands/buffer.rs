//! `wordline buffer`.

use wordline_catalog::{Catalog, Target};
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::{
    AccessSource, BufferWorkload, Experiment, LogSource, Operation, StreamSource, Timing,
    TraceSource, Workload,
};
use wordline_lab::default_stream;

use crate::args::{Buffer, Global};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::Exports;

/// A record, unless the user or a log says otherwise.
const RECORD: u64 = 4096;

pub(crate) fn run(buffer: &Buffer, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&buffer.export)?;
    let catalog = super::catalog(global)?;
    let mut inputs = Inputs::default();
    let experiment = experiment(buffer, &catalog, &mut inputs)?;
    for input in buffer.log.iter().chain(&buffer.trace) {
        exports.spare(input)?;
    }
    if buffer.log.is_none() && buffer.trace.is_none() {
        let idle = [
            ("--log-format", buffer.log_format.is_some()),
            ("--job", buffer.job.is_some()),
        ];
        if let Some((flag, _)) = idle.iter().find(|(_, given)| *given) {
            return Err(failure::message(format!(
                "{flag} is about a log or a trace, and none is named"
            )));
        }
    }
    let document = super::run_experiment(&catalog, &experiment, &inputs, global)?;
    exports.write(&document, global)?;
    Ok(super::outcome(&document))
}

fn experiment(
    buffer: &Buffer,
    catalog: &Catalog,
    inputs: &mut Inputs,
) -> Result<Experiment, Failure> {
    let targets = buffer.target.iter();
    let targets: Vec<Target<'_>> = targets
        .map(|name| catalog.target(name).map_err(failure::catalog))
        .collect::<Result<_, _>>()?;
    let source = match (&buffer.log, &buffer.trace) {
        (Some(log), _) => AccessSource::Log(LogSource {
            file: inputs.add(log),
            format: buffer.log_format.clone(),
            unit: buffer.log_unit.clone(),
            job: buffer.job.clone(),
            operation: buffer.operation,
            record_bytes: buffer.record.map(ByteCount::bytes),
            durations: buffer.durations,
        }),
        (None, Some(trace)) => AccessSource::Trace(TraceSource {
            file: inputs.add_repeated(trace),
            format: buffer.log_format.clone(),
            job: buffer.job.clone(),
            operation: buffer.operation.unwrap_or(Operation::Write),
        }),
        (None, None) => AccessSource::Stream(stream(buffer, &targets)),
    };
    let is_log = matches!(source, AccessSource::Log(_));
    let workload = BufferWorkload {
        rates_bytes_per_s: buffer.rate.iter().map(|rate| rate.si()).collect(),
        ram_bytes: buffer.ram.iter().map(|ram| ram.bytes()).collect(),
        power_up: buffer.power_up,
        startup_ps: buffer.startup.map_or(0, Time::ps),
        backlog_bytes: buffer.backlog.map_or(0, ByteCount::bytes),
        fill: buffer.fill,
        sync: buffer.sync,
        window: buffer.window,
        warm_up_bytes: buffer.warm_up.map_or(0, ByteCount::bytes),
        horizon_s: buffer.horizon.map(Quantity::si),
        ..BufferWorkload::of(source)
    };
    Ok(Experiment {
        targets: targets.into_iter().map(|target| target.name).collect(),
        workload: Workload::Buffer(workload),
        // What was measured has no column of a data sheet.
        timings: if is_log {
            vec![Timing::Typ]
        } else {
            buffer.timing.clone()
        },
        age: buffer.drawn.age,
        seed: buffer.drawn.seed,
        ftl: buffer.layer.chosen(),
    })
}

fn stream(buffer: &Buffer, targets: &[Target<'_>]) -> StreamSource {
    let bytes = |size: Option<ByteCount>| size.map(ByteCount::bytes);
    let record = bytes(buffer.record).unwrap_or(RECORD);
    StreamSource {
        operation: buffer.operation.unwrap_or(Operation::Write),
        pattern: buffer.pattern,
        ..default_stream(targets, record, bytes(buffer.wrap), bytes(buffer.total))
    }
}
