//! `wordline fs bound`: what calls of the real-time layer cost at most on a chip, before the hardware exists.
//!
//! The layer counts the operations of each call, and the chip on its board bounds how long each of them takes. Nothing is
//! run. From the longest totals W(n) of n writes in a row follow the RAM at each rate and the rate that no order of writes
//! gets below.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Fraction, Quantity as _, Time};
use wordline_core::{
    Arrival, Axis, Basis, BoundWorkload, Experiment, FtlMapping, Metric, ResultSet, RowOperation,
    ShareOrSize, Timing,
};
use wordline_memory::EraseMode;
use wordline_nvm::{Conditions, PacedChip};
use wordline_rtfs::{
    ERASE_MILLIONTHS, GROUP_PAGES, PacedBound, PacedCall, PacedConfig, PacedCounts,
    PacedFilesBound, PacedUnsuitable,
};

use crate::backlog::{Rate, StartUp};
use crate::buffer::analysis::Analysis;
use crate::buffer::bound::{bound_basis, of_totals};
use crate::buffer::{exact_rates, rows};
use crate::error::{LabError, SettingProblem, TargetProblem};
use crate::list::distinct;
use crate::sources;
use crate::subject::Subject;

/// Bytes of the calls that are bounded.
const CALL_BYTES: u64 = 4096;

/// Writes in a row whose longest totals are rows.
const TOTALS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The operation of a call on files, and whether it has bytes.
const fn of_call(call: PacedCall) -> (RowOperation, bool) {
    match call {
        PacedCall::Open => (RowOperation::Open, false),
        PacedCall::Read { .. } => (RowOperation::Read, true),
        PacedCall::Overwrite { .. } => (RowOperation::Overwrite, true),
        PacedCall::Append { .. } => (RowOperation::AppendSync, true),
        PacedCall::Create => (RowOperation::Create, false),
        PacedCall::MakeDirectory => (RowOperation::MakeDirectory, false),
        PacedCall::Rename => (RowOperation::Rename, false),
        PacedCall::Remove => (RowOperation::Delete, false),
        PacedCall::Truncate => (RowOperation::Truncate, false),
        PacedCall::DiscardFront => (RowOperation::DiscardFront, false),
        PacedCall::Free => (RowOperation::Free, false),
    }
}

/// Bounds every layer on every target and adds them to the document.
pub(crate) fn run(
    targets: &[PartOnBoard<'_>],
    workload: &BoundWorkload,
    experiment: &Experiment,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let rates = exact_rates(&workload.rates_bytes_per_s)?;
    let capacities = workload.capacity.iter();
    distinct("capacity", capacities.map(ToString::to_string))?;
    for &timing in &experiment.timings {
        for target in targets {
            let chip = LayerChip::of(target, timing, experiment, document)?;
            for capacity in &workload.capacity {
                let layer = chip.layer(*capacity, workload.log_entries)?;
                chip.rows(&chip.subject(&layer), &layer, &rates, document)?;
            }
            if let Some(within) = workload.max_latency_ps.map(Time::from_ps) {
                let layer = chip.largest_within(within, workload.log_entries)?;
                let subject = chip.subject(&layer).at(Axis::WithinS, within.si());
                chip.rows(&subject, &layer, &rates, document)?;
            }
        }
    }
    Ok(())
}

/// A chip that is to carry the layer, with the longest that its operations take in a timing class.
struct LayerChip<'a> {
    target: &'a PartOnBoard<'a>,
    timing: Timing,
    age: f64,
    chip: PacedChip,
    basis: Basis,
}

/// A layer of some capacity, and what its calls cost.
struct BoundedLayer {
    pages: u32,
    bound: PacedBound,
    /// What calls on files cost, where pages take them.
    files: Option<PacedFilesBound>,
}

impl<'a> LayerChip<'a> {
    /// The sheets and figures of the target join the document.
    fn of(
        target: &'a PartOnBoard<'a>,
        timing: Timing,
        experiment: &Experiment,
        document: &mut ResultSet,
    ) -> Result<Self, LabError> {
        let model = &target.part.model;
        let refused = |why| {
            let part = target.part.header.id.clone();
            TargetProblem::NoRealTimeLayer { part, why }.of(&target.name)
        };
        if let Some(why) = model.no_translation(FtlMapping::RealTime) {
            return Err(refused(why));
        }
        let conditions = Conditions {
            timing,
            age: experiment.age,
            seed: experiment.seed,
        };
        let failed = |source| LabError::Device {
            target: target.name.clone(),
            source,
        };
        let chip = target.paced_chip(conditions).map_err(failed)?;
        let chip = chip.ok_or_else(|| refused("is no raw flash"))?;
        let device = target.connect(conditions).map_err(failed)?;
        sources::add(document, target, &*device, timing);
        Ok(Self {
            target,
            timing,
            age: experiment.age,
            chip,
            basis: bound_basis(&*device, timing),
        })
    }

    fn bytes(&self, pages: u32) -> ByteCount {
        ByteCount::from_bytes(u64::from(pages) * u64::from(self.chip.geometry.page_bytes))
    }

    fn share(&self, pages: u32) -> f64 {
        f64::from(pages) / self.chip.geometry.pages() as f64
    }

    /// Pages of a call.
    fn call_pages(&self) -> u64 {
        CALL_BYTES.div_ceil(self.chip.geometry.page_bytes.into())
    }

    fn config(&self, pages: u32, log_entries: Option<u32>) -> PacedConfig {
        let usual = PacedConfig::usual(&self.chip.geometry, pages, self.chip.bad_blocks);
        PacedConfig {
            log_entries: log_entries.unwrap_or(usual.log_entries),
            ..usual
        }
    }

    /// The most pages that cost at most so many steps each.
    fn largest(&self, steps: u32, log_entries: Option<u32>) -> Option<u32> {
        match log_entries {
            Some(_) => self
                .config(1, log_entries)
                .largest(&self.chip.geometry, steps),
            None => PacedConfig::largest_usual(&self.chip.geometry, self.chip.bad_blocks, steps),
        }
    }

    /// A layer of a capacity.
    fn layer(
        &self,
        capacity: ShareOrSize,
        log_entries: Option<u32>,
    ) -> Result<BoundedLayer, LabError> {
        let pages = match capacity {
            ShareOrSize::Share(share) => self.chip.geometry.pages() as f64 * share.si(),
            ShareOrSize::Bytes(bytes) => {
                (bytes.bytes() / u64::from(self.chip.geometry.page_bytes)) as f64
            }
        };
        let pages = pages as u32;
        let config = self.config(pages, log_entries);
        let erases = self.chip.times.erase_mode;
        let files = config.files_bound(&self.chip.geometry).ok();
        match config.bound(&self.chip.geometry) {
            Ok(bound) => Ok(BoundedLayer {
                pages,
                bound: bound.with_erases(erases),
                files: files.map(|files| files.with_erases(erases)),
            }),
            Err(PacedUnsuitable {
                what,
                found,
                least,
                most,
            }) if log_entries.is_some() && what != "logical pages" => {
                let problem = SettingProblem::LayerSizes {
                    what,
                    found,
                    least,
                    most,
                };
                Err(problem.of("log_entries"))
            }
            Err(_) => {
                let target = self.target.name.clone();
                let Some(most) = self.largest(u32::MAX, log_entries) else {
                    return Err(SettingProblem::NoLayerFits { target }.of("capacity"));
                };
                Err(SettingProblem::CapacityOfLayer {
                    found: capacity,
                    target,
                    most: self.bytes(most),
                    share: Fraction::from_si((self.share(most) * 1000.0).floor() / 1000.0),
                }
                .of("capacity"))
            }
        }
    }

    /// The layer with the largest capacity whose overwrites end within a time.
    fn largest_within(
        &self,
        within: Time,
        log_entries: Option<u32>,
    ) -> Result<BoundedLayer, LabError> {
        let target = self.target.name.clone();
        let ends = |steps: u32| {
            let pages = self.call_pages();
            let programs = PacedCounts {
                programs: pages,
                steps: pages * u64::from(steps),
                ..PacedCounts::default()
            };
            self.time(&programs).map(|time| time <= within)
        };
        let least = self.time(&self.floor())?;
        if within < least {
            let found = within;
            return Err(SettingProblem::BelowFloor {
                found,
                target,
                least,
            }
            .of("max_latency"));
        }
        let mut steps = 0;
        while steps < self.chip.geometry.pages_per_block && ends(steps + 1)? {
            steps += 1;
        }
        let Some(mut pages) = self.largest(steps, log_entries) else {
            return Err(SettingProblem::NoLayerFits { target }.of("max_latency"));
        };
        // Calls of more than two pages have steps beside the erase.
        loop {
            let layer = self.layer(ShareOrSize::Bytes(self.bytes(pages)), log_entries)?;
            let longest = self
                .chip
                .times
                .longest_write(&layer.bound, self.call_pages());
            if self.time(&longest)? <= within {
                return Ok(layer);
            }
            let fewer = layer.bound.steps_per_page.checked_sub(1);
            let Some(next) = fewer.and_then(|steps| self.largest(steps, log_entries)) else {
                return Err(SettingProblem::NoLayerFits { target }.of("max_latency"));
            };
            pages = next;
        }
    }

    /// What a call takes on any file system: its programs, and an erase, or where that can stand still the share of its bytes.
    fn floor(&self) -> PacedCounts {
        let pages = self.call_pages();
        let programs = PacedCounts {
            programs: pages,
            ..PacedCounts::default()
        };
        match self.chip.times.erase_mode {
            EraseMode::Suspends => PacedCounts {
                erase_millionths: pages * ERASE_MILLIONTHS
                    / u64::from(self.chip.geometry.pages_per_block),
                ..programs
            },
            EraseMode::Awaited | EraseMode::Runs => PacedCounts {
                erases: 1,
                ..programs
            },
        }
    }

    fn time(&self, counts: &PacedCounts) -> Result<Time, LabError> {
        let time = self.chip.times.time(counts);
        time.map_err(|source| LabError::Device {
            target: self.target.name.clone(),
            source,
        })
    }

    fn subject(&self, layer: &BoundedLayer) -> Subject {
        let overwrite = RowOperation::Overwrite;
        Subject::simulated(self.target, "bound", overwrite, self.timing, self.age)
            .at(Axis::Ftl, FtlMapping::RealTime.name())
            .at(Axis::CapacityBytes, self.bytes(layer.pages).bytes())
            .at(Axis::CapacityShare, self.share(layer.pages))
            .bound(self.basis)
    }

    /// The rows of a layer.
    fn rows(
        &self,
        subject: &Subject,
        layer: &BoundedLayer,
        rates: &[Rate],
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let bound = &layer.bound;
        let pages = self.call_pages();
        let of_call = |operation| subject.doing(operation).at(Axis::AccessBytes, CALL_BYTES);
        self.call(
            &of_call(RowOperation::Read),
            &bound.read_counts(pages),
            document,
        )?;
        let overwrite = of_call(RowOperation::Overwrite);
        let longest = self.chip.times.longest_write(bound, pages);
        self.call(&overwrite, &longest, document)?;
        let floor = self.time(&self.floor())?;
        overwrite.add(Metric::LatencyFloor, Ok(floor.si()), document);
        if pages <= GROUP_PAGES as u64 {
            let [steps, erase] = bound.write_counts(pages);
            let mut kinds = vec![("steps", steps), ("erase", erase)];
            // Where an erase goes on in parts, there is one kind of call.
            kinds.dedup_by_key(|(_, counts)| *counts);
            for (beside, counts) in kinds {
                self.call(&overwrite.at(Axis::During, beside), &counts, document)?;
            }
        }
        self.totals(&overwrite, bound, rates, document)?;
        let mount = subject.doing(RowOperation::Mount);
        self.call(&mount, &bound.mount_counts(), document)?;
        mount.add(Metric::MappingRam, Ok(bound.ram_bytes as f64), document);
        let [step, erase] = [(1, 0), (0, 1)].map(|(steps, erases)| PacedCounts {
            steps,
            // A step that stores a page of the map takes longest.
            stores: steps,
            erases,
            ..PacedCounts::default()
        });
        self.call(&subject.doing(RowOperation::Step), &step, document)?;
        if self.chip.times.page.moved.is_some() {
            let moving = subject.doing(RowOperation::Step).at(Axis::During, "move");
            self.call(&moving, &PacedCounts { stores: 0, ..step }, document)?;
        }
        self.call(&subject.doing(RowOperation::Erase), &erase, document)?;
        match &layer.files {
            Some(files) => self.files(&subject.at(Axis::Fs, "rtfs"), files, document),
            None => Ok(()),
        }
    }

    /// The rows of calls on files: whose paths have one name, and whose data has the bytes of a call.
    fn files(
        &self,
        subject: &Subject,
        files: &PacedFilesBound,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        for call in PacedCall::all(CALL_BYTES) {
            let [one, other] = files.counts(call, 1);
            let longest = match self.time(&one)? < self.time(&other)? {
                true => other,
                false => one,
            };
            let (operation, has_bytes) = of_call(call);
            let mut subject = subject.doing(operation);
            if has_bytes {
                subject = subject.at(Axis::AccessBytes, CALL_BYTES);
            }
            self.call(&subject, &longest, document)?;
        }
        Ok(())
    }

    /// The longest duration of a call, and the operations of the chip that it consists of.
    fn call(
        &self,
        subject: &Subject,
        counts: &PacedCounts,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let longest = self.time(counts)?;
        subject.add(Metric::LatencyMax, Ok(longest.si()), document);
        let times = &self.chip.times;
        let erases =
            counts.erases as f64 + counts.erase_millionths as f64 / ERASE_MILLIONTHS as f64;
        let moves = times.moves(counts);
        for (operation, count, time) in [
            ("erase", erases, times.erase),
            ("move", moves as f64, times.page.moved.unwrap_or(Time::ZERO)),
            (
                "program",
                (counts.pages_programmed() - moves) as f64,
                times.page.program,
            ),
            (
                "read",
                (counts.pages_read() - moves) as f64,
                times.page.read,
            ),
            (
                "spare-read",
                counts.spare_reads as f64,
                times.page.spare_read,
            ),
            ("suspend", counts.suspends as f64, times.suspend),
        ] {
            if count > 0.0 {
                let at = subject.at(Axis::DeviceOperation, operation);
                let spent = time.si() * count;
                at.add(Metric::LatencyMaxOperations, Ok(count), document);
                at.add(Metric::LatencyMaxOperationTime, Ok(spent), document);
            }
        }
        Ok(())
    }

    /// The longest totals of writes in a row, the rate that no order of writes gets below, and the RAM at each rate.
    fn totals(
        &self,
        subject: &Subject,
        bound: &PacedBound,
        rates: &[Rate],
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let failed = |source| LabError::Device {
            target: self.target.name.clone(),
            source,
        };
        let totals = self.chip.times.write_totals(bound, self.call_pages(), 0);
        let totals = totals.map_err(failed)?;
        for calls in TOTALS {
            if let Some(total) = totals.times.get(calls - 1) {
                let at = subject.at(Axis::Accesses, calls as u64);
                at.add(Metric::SequenceDurationMax, Ok(total.si()), document);
            }
        }
        let analysis = Analysis::new(StartUp::default(), &[])?.without_courses();
        let curve = of_totals(&totals, CALL_BYTES, analysis)?.curve;
        subject.add(Metric::RateMax, rows::limit(&curve), document);
        for rate in rates {
            let demand = curve.demand(*rate);
            for arrival in Arrival::ALL {
                rows::peaks(subject, rate.bytes_per_second(), arrival, &demand, document);
            }
        }
        Ok(())
    }
}
