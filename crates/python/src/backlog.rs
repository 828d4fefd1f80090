//! The exact curve of RAM over the input rate, from latencies.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use wordline_core::quantity::{ByteCount, Quantity as _, Time};
use wordline_lab::backlog::{
    Accumulator, Arrivals, BacklogError, Counted, Curve, Demand, Peaks, Rate, StartUp,
};

use crate::failure::{CallError, apart};

/// Takes accesses in pieces.
#[pyclass(module = "wordline._wordline")]
pub(crate) struct CurveBuilder {
    log: Mutex<Accumulator>,
    accesses: u64,
}

#[pymethods]
impl CurveBuilder {
    /// An empty log; behind a start-up of so many picoseconds, with bytes that wait already.
    #[new]
    fn new(startup_ps: u64, backlog_bytes: u64) -> Self {
        let start = StartUp {
            time: Time::from_ps(startup_ps),
            backlog: ByteCount::from_bytes(backlog_bytes),
        };
        Self {
            log: Mutex::new(Accumulator::after_start(start)),
            accesses: 0,
        }
    }

    /// Adds accesses whose durations are doubles in seconds, and whose sizes are one for all or one for each.
    fn push_seconds(&mut self, py: Python<'_>, durations: &[u8], sizes: &[u8]) -> PyResult<()> {
        let (durations, _) = durations.as_chunks::<8>();
        let first = self.accesses;
        let log = &self.log;
        apart(py, || {
            let times = durations.iter().enumerate().map(|(index, bytes)| {
                let seconds = f64::from_le_bytes(*bytes);
                if !(0.0..=MOST_SECONDS).contains(&seconds) {
                    return Err(duration_fault(
                        first + index as u64,
                        &format!("{seconds} s"),
                    ));
                }
                Ok(Time::from_si(seconds))
            });
            push(log, times, sizes)
        })?;
        self.accesses += durations.len() as u64;
        Ok(())
    }

    /// The same with whole numbers of a unit, in picoseconds.
    fn push_counts(
        &mut self,
        py: Python<'_>,
        durations: &[u8],
        unit_ps: u64,
        sizes: &[u8],
    ) -> PyResult<()> {
        let (durations, _) = durations.as_chunks::<8>();
        let first = self.accesses;
        let log = &self.log;
        apart(py, || {
            let times = durations.iter().enumerate().map(|(index, bytes)| {
                let count = i64::from_le_bytes(*bytes);
                let ps = u64::try_from(count).ok();
                let ps = ps.and_then(|count| count.checked_mul(unit_ps));
                ps.map(Time::from_ps)
                    .ok_or_else(|| duration_fault(first + index as u64, &count.to_string()))
            });
            push(log, times, sizes)
        })?;
        self.accesses += durations.len() as u64;
        Ok(())
    }

    /// The curve.
    fn finish(&self, py: Python<'_>) -> PyResult<BufferCurve> {
        apart(py, || {
            let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(BufferCurve {
                curve: log.clone().finish()?,
            })
        })
    }
}

/// No log of ours is longer.
const MOST_SECONDS: f64 = 1e7;

fn duration_fault(index: u64, found: &str) -> CallError {
    CallError::Value {
        place: format!("durations[{index}]"),
        message: format!("durations[{index}] is {found}; allowed: 0 s to {MOST_SECONDS} s"),
    }
}

fn push(
    log: &Mutex<Accumulator>,
    times: impl Iterator<Item = Result<Time, CallError>>,
    sizes: &[u8],
) -> Result<(), CallError> {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let (sizes, _) = sizes.as_chunks::<8>();
    let size = |index: usize| {
        let bytes = sizes.get(index).or(sizes.first());
        ByteCount::from_bytes(bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    };
    for (index, time) in times.enumerate() {
        log.push(time?, size(index));
    }
    Ok(())
}

/// The peak at every input rate.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct BufferCurve {
    curve: Curve,
}

/// Peaks in bytes: fluid in flight and waiting, records in flight and waiting where all are of one size.
type PeakValues = (f64, f64, Option<(u128, u128)>);

fn peaks(of: &Peaks) -> PeakValues {
    let records = of.records.map(|one| (one.in_flight, one.waiting));
    (
        of.fluid.in_flight.bytes(),
        of.fluid.waiting.bytes(),
        records,
    )
}

#[pymethods]
impl BufferCurve {
    #[getter]
    fn accesses(&self) -> u64 {
        self.curve.accesses()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.curve.bytes().bytes()
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.curve.duration().si()
    }

    #[getter]
    fn record_bytes(&self) -> Option<u64> {
        self.curve.record().map(ByteCount::bytes)
    }

    /// The throughput of the log, in bytes per second.
    #[getter]
    fn limit(&self) -> Option<f64> {
        self.curve.limit().map(Rate::bytes_per_second)
    }

    /// Peaks at a rate, and how fast the backlog grows where the log, repeated, does not keep up.
    fn at(&self, py: Python<'_>, rate: f64) -> PyResult<(PeakValues, Option<f64>)> {
        apart(py, || {
            let rate = Rate::from_bytes_per_second(rate)?;
            Ok(match self.curve.demand(rate) {
                Demand::Bounded(once) => (peaks(&once), None),
                Demand::Unbounded { growth_rate, once } => (peaks(&once), Some(growth_rate)),
            })
        })
    }

    /// Rate and fluid peak in flight wherever the curve bends.
    fn breakpoints(&self) -> Vec<(f64, f64)> {
        let bends = self.curve.breakpoints();
        bends
            .map(|bend| (bend.rate.bytes_per_second(), bend.in_flight.bytes()))
            .collect()
    }

    /// The highest rate that some RAM allows; none where every rate is.
    fn highest_rate(
        &self,
        py: Python<'_>,
        ram_bytes: u64,
        records: bool,
        waiting: bool,
    ) -> PyResult<Option<f64>> {
        let arrivals = match records {
            true => Arrivals::Records,
            false => Arrivals::Fluid,
        };
        let counted = match waiting {
            true => Counted::Waiting,
            false => Counted::InFlight,
        };
        apart(py, || {
            let ram = ByteCount::from_bytes(ram_bytes);
            match self.curve.highest_rate(ram, arrivals, counted) {
                Ok(rate) => Ok(rate.map(Rate::bytes_per_second)),
                Err(BacklogError::NoRate(_)) => Ok(Some(0.0)),
                Err(error) => Err(error.into()),
            }
        })
    }
}
