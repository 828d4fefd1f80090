//! What a card could do at best, whatever its firmware does.
//!
//! No source says what the firmware of most cards does, so that what a model of it does proves nothing. But no firmware
//! moves data faster than driver and bus do, keeps fewer records in RAM than the one that is gathered and the one that is
//! written, or programs less than it is given: what fails even so fails for certain.

use wordline_core::quantity::Quantity as _;
use wordline_core::results::NoValue;
use wordline_core::{CompareWorkload, Experiment, Timing, WorkKind};
use wordline_nvm::{Cause, Device, NvmError, Wear};

use super::candidate::{Candidate, Unfit};
use super::judge::JudgedFigures;

/// What the host and its bus spend, and no firmware saves.
const OF_HOST: [Cause; 3] = [Cause::Driver, Cause::BusCommand, Cause::BusData];

impl Candidate<'_> {
    /// What a card would do with the best of firmwares, from what it does with that of its sheet.
    pub(super) fn at_best(
        &self,
        study: &CompareWorkload,
        experiment: &Experiment,
        timing: Timing,
        figures: &JudgedFigures,
    ) -> Result<JudgedFigures, Unfit> {
        let work = &study.work;
        let record = work.record.si();
        let mut device = self.connect(experiment, timing)?;
        let life = self.longest_life(device.as_ref(), study, figures);
        let access_s = match work.kind {
            WorkKind::Replay => 0.0,
            _ => host_time(device.as_mut(), study)
                .map_err(|error| Unfit::Limit("fit", error.to_string()))?,
        };
        let price = study.prices.parts.get(&self.target.part.header.id);
        let price = price.map_or(0.0, |price| price.si());
        Ok(JudgedFigures {
            throughput: record / access_s / work.stored_share(),
            ram_provision: Ok(2.0 * record),
            latency_max: Ok(access_s),
            lifetime: life,
            energy_per_day: Ok(0.0),
            bytes_at_risk: Ok(if work.reads() >= 1.0 {
                0.0
            } else {
                2.0 * record
            }),
            holdup: Ok(0.0),
            cost: figures.parts.map(|parts| parts * price),
            parts: figures.parts,
            unknown: figures.unknown,
            proven: Vec::new(),
        })
    }

    /// Its life where each byte is programmed once and all blocks wear alike.
    fn longest_life(
        &self,
        device: &dyn Device,
        study: &CompareWorkload,
        figures: &JudgedFigures,
    ) -> Result<f64, NoValue> {
        let wear = device.wear();
        let work = &study.work;
        let layer = device.translation().ok_or(NoValue::NotApplicable)?;
        match figures.lifetime {
            // What keeps, or for how long, is unknown whatever the firmware does.
            Err(NoValue::NotApplicable) => return Err(NoValue::NotApplicable),
            _ if work.reads() >= 1.0 || wear.endurance == Wear::UNLIMITED => {
                return Err(NoValue::Unbounded);
            }
            _ => {}
        }
        let bytes = wear.left() as f64 * layer.physical_bytes as f64 * figures.parts?;
        Ok(bytes / (work.stored_rate().si() * work.duty()))
    }
}

/// Seconds of a record's access that driver and bus take.
fn host_time(device: &mut dyn Device, study: &CompareWorkload) -> Result<f64, NvmError> {
    let mut record = vec![0; study.work.record.bytes() as usize];
    if study.work.reads() >= 1.0 {
        device.preload(0, &record)?;
        device.read(0, &mut record)?;
    } else {
        device.write(0, &record)?;
    }
    let cost = device.last_cost();
    Ok(OF_HOST.iter().map(|cause| cost.of(*cause).si()).sum())
}
