//! What the machine drew while a test ran, by its own counters: rows beside those of the test.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use wordline_core::{Axis, Metric, ResultSet};
use wordline_host::power::{MachinePowerMeter, PowerReading, READINGS_MIN};

use crate::subject::Subject;
use crate::warning::LabWarning;

/// Runs a test. What was drawn meanwhile becomes rows, where the machine counts it. `subject` is that of the whole test.
pub(crate) fn beside<T, E>(
    subject: &Subject,
    document: &mut ResultSet,
    run: impl FnOnce(&mut ResultSet) -> Result<T, E>,
) -> Result<T, E> {
    let meter = MachinePowerMeter::begin();
    if !meter.has_sensors() {
        return run(document);
    }
    let (done, waits) = channel::<()>();
    let ran = thread::scope(|scope| {
        scope.spawn(|| {
            // As seldom as the sensors let, so that the measurement is left alone.
            let every = Duration::from_secs_f64(meter.sample_every_s());
            let waits = waits;
            while waits.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                meter.sample();
            }
        });
        let ran = run(document);
        drop(done);
        ran
    })?;
    let reading = meter.end();
    rows(&reading, subject, document);
    if !reading.few.is_empty() {
        document.warn(LabWarning::PowerFew {
            domains: &reading.few.join(", "),
            least: &READINGS_MIN,
        });
    }
    for refused in meter.refused() {
        document.warn(LabWarning::PowerRefused { why: refused });
    }
    Ok(ran)
}

/// The rows of what was drawn, by domain.
fn rows(reading: &PowerReading, subject: &Subject, document: &mut ResultSet) {
    for one in &reading.domains {
        let at = subject.at(Axis::Cause, one.domain.as_str());
        at.add(Metric::PowerMean, Ok(one.power_w), document);
        // Single readings of power make no energy that was counted.
        if one.is_counted {
            at.add(Metric::EnergyTotal, Ok(one.energy_j), document);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use wordline_core::{Basis, HostTest, HostWorkload, RowOperation, Timing, Workload};
    use wordline_host::power::DomainPower;

    use super::*;

    #[test]
    fn domains_are_causes_and_only_counters_have_energies() {
        let workload = HostWorkload::of(HostTest::Matrix(wordline_core::HostMatrixTest::default()));
        let mut document = ResultSet::new(wordline_core::Experiment {
            targets: Vec::new(),
            workload: Workload::Host(workload),
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 1,
            ftl: None,
        });
        let subject = Subject {
            target: "ram@host".to_owned(),
            part: "ram".to_owned(),
            board: "host".to_owned(),
            workload: "host",
            operation: RowOperation::Read,
            axes: BTreeMap::new(),
            timing: Timing::Typ,
            age: 0.0,
            basis: Basis::Measured,
        };
        let domain = |name: &str, is_counted| DomainPower {
            domain: name.to_owned(),
            energy_j: 6.0,
            power_w: 3.0,
            is_counted,
        };
        let reading = PowerReading {
            elapsed_s: 2.0,
            few: Vec::new(),
            domains: vec![domain("package-0/dram", true), domain("ina226 VDD", false)],
        };
        rows(&reading, &subject, &mut document);
        let found: Vec<_> = document
            .rows
            .iter()
            .map(|row| (row.text(Axis::Cause), row.metric, row.value))
            .collect();
        assert_eq!(
            found,
            [
                (Some("package-0/dram"), Metric::PowerMean, Some(3.0)),
                (Some("package-0/dram"), Metric::EnergyTotal, Some(6.0)),
                (Some("ina226 VDD"), Metric::PowerMean, Some(3.0)),
            ]
        );
    }
}
