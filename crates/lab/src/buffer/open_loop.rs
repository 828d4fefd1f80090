//! Records that come at a rate, and wait for the memory: it idles until they are there.

use wordline_core::quantity::{Quantity, Time};
use wordline_core::{Arrival, Axis, Metric, ResultSet};
use wordline_nvm::Device;

use super::layer::BufferLayerWork;
use super::rows;
use crate::backlog::Rate;
use crate::subject::Subject;

/// When record `index` begins to come, counted from power-up, where `first` bytes waited then; `None` beyond
/// what simulated time can hold.
pub(crate) fn arrival(index: u64, record: u64, first: u64, rate: Rate) -> Option<Time> {
    let before = (u128::from(record) * u128::from(index)).saturating_sub(first.into());
    let ps = before.checked_mul(rate.ps())?.div_ceil(rate.bytes().into());
    u64::try_from(ps).ok().map(Time::from_ps)
}

/// Peaks of a run in which records wait for their data.
pub(super) struct OpenLoop {
    record: u64,
    in_flight: u128,
    fluid: f64,
    latency: Time,
    total: Time,
    count: u64,
    /// What a translation layer did.
    pub(super) work: BufferLayerWork,
}

impl OpenLoop {
    /// Of records of one size in bytes.
    pub(super) fn new(record: u64) -> Self {
        Self {
            record,
            in_flight: 0,
            fluid: 0.0,
            latency: Time::ZERO,
            total: Time::ZERO,
            count: 0,
            work: BufferLayerWork::default(),
        }
    }

    pub(super) const fn accesses(&self) -> u64 {
        self.count
    }

    /// Notes a record that was in the memory's hands or waiting for `sojourn`, and the bytes from its own on
    /// that were `there` when it began to come.
    pub(super) fn note(&mut self, sojourn: Time, duration: Time, rate: Rate, there: u128) {
        // Bytes that came meanwhile; records that are complete when the access ends do not wait yet.
        let came = u128::from(sojourn.ps()) * u128::from(rate.bytes());
        let scaled = came.saturating_add(there.saturating_mul(rate.ps()));
        let records = scaled.div_ceil(rate.ps() * u128::from(self.record));
        self.in_flight = self.in_flight.max(records.max(1) * u128::from(self.record));
        self.fluid = self.fluid.max(scaled as f64 / rate.ps() as f64);
        self.latency = self.latency.later(duration);
        self.total = self.total.plus(duration);
        self.count += 1;
    }

    pub(super) fn rows(
        &self,
        subject: &Subject,
        rate: Rate,
        device: &dyn Device,
        document: &mut ResultSet,
    ) {
        let subject = subject
            .estimate(subject.basis, "open_loop")
            .at(Axis::RateBytesPerS, rate.bytes_per_second());
        for (arrival, in_flight) in [
            (Arrival::Record, self.in_flight as f64),
            (Arrival::Fluid, self.fluid),
        ] {
            let at = subject.at(Axis::Arrival, arrival.name());
            let waiting = (in_flight - self.record as f64).max(0.0);
            at.add(Metric::RamPeak, Ok(waiting), document);
            at.add(Metric::RamPeakInFlight, Ok(in_flight), document);
        }
        let in_flight = Ok(self.in_flight as f64);
        let record = self.record as f64;
        rows::provision(
            &subject,
            rate.bytes_per_second(),
            in_flight,
            record,
            document,
        );
        subject.add(Metric::LatencyMax, Ok(self.latency.si()), document);
        if self.work.stretch.is_some() {
            let mean = self.total.si() / self.count.max(1) as f64;
            subject.add(Metric::LatencyMean, Ok(mean), document);
        }
        self.work.rows(&subject, device, document);
    }
}
