//! The RAM that a product must provide at a rate, and how long it is known to suffice.
//!
//! It is one number: the record being gathered, those that wait, and the one being written. It covers what may come
//! within a horizon, where that can be extrapolated from the accesses, and it goes no further than a proven bound.
//! Where nothing can be extrapolated it is what the accesses needed, for as long as they alone support.

use wordline_core::quantity::{Quantity, Time, human};
use wordline_core::results::NoValue;
use wordline_core::{Arrival, Axis, Basis, Metric, ResultSet};

use super::analysis::{BufferFindings, RateFindings};
use super::bound::Bound;
use super::extremes::{CONFIDENCE, LENGTHS, LevelOutlook, Support};
use super::rows::pair;
use crate::backlog::{Demand, Rate};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// The estimate of what was seen, beside a number that goes beyond it.
pub(crate) const SEEN: &str = "seen";

/// The estimate of what may come within a horizon.
const EXTRAPOLATED: &str = "extrapolated";

/// What the RAM is worked out from.
#[derive(Clone, Copy)]
pub(crate) struct ProvisionSource<'a> {
    pub(crate) findings: &'a BufferFindings,
    /// Where the durations of the accesses come from.
    pub(crate) basis: Basis,
    /// How long the RAM must suffice, in seconds of such work; ten times as long as the accesses unless stated.
    pub(crate) horizon_s: Option<f64>,
    pub(crate) seed: u64,
    /// Steps of the clock that starts are known to, where durations were taken from them.
    pub(crate) step: Option<Time>,
    /// What is needed where every access takes the longest that it can.
    pub(crate) bound: Option<&'a Bound>,
    /// Whether the accesses repeat themselves, so that no others come.
    pub(crate) is_periodic: bool,
}

/// How long RAM suffices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ProvisionSpan {
    /// No run needs more.
    Always,
    /// So many seconds of such work, with [`CONFIDENCE`].
    Seconds(f64),
    /// As long as what was seen, and nothing is known beyond.
    AsSeen,
}

/// RAM at a rate, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Provision {
    /// The number: a record more than is in flight.
    pub(crate) bytes: f64,
    /// Records that wait, and the one being written.
    pub(crate) in_flight: f64,
    /// The same of what was seen.
    pub(crate) seen_in_flight: f64,
    /// Records that waited in what was seen.
    pub(crate) seen_waiting: f64,
    /// The largest record, which is gathered meanwhile.
    pub(crate) gathered: f64,
    pub(crate) basis: Basis,
    pub(crate) span: ProvisionSpan,
    /// What the fill of the buffer lets expect, and for how many further accesses it was asked.
    outlook: Option<(LevelOutlook, f64)>,
    /// How long an access of the mean size takes to come, in seconds.
    access_s: f64,
}

impl<'a> ProvisionSource<'a> {
    /// The RAM at one of the rates that were followed. None for records of several sizes that were too many to count.
    pub(crate) fn at(&self, one: &RateFindings) -> Option<Result<Provision, NoValue>> {
        let curve = &self.findings.curve;
        if matches!(curve.demand(one.rate), Demand::Unbounded { .. }) {
            return Some(Err(NoValue::Unbounded));
        }
        let (mut waiting, mut seen) = pair(&one.peaks, Arrival::Record)?;
        let gathered = curve.largest_record().si();
        let uncertain = self
            .step
            .map_or(0.0, |step| uncertain_bytes(one.rate, step));
        if uncertain > 0.0 {
            let most = self.of_records(one.peaks.fluid.in_flight.bytes() + uncertain);
            seen = seen.max(most);
            waiting = waiting.max(most - gathered);
        }
        let access_s = self.access_s(one.rate);
        let mut provision = Provision {
            bytes: 0.0,
            in_flight: seen,
            seen_in_flight: seen,
            seen_waiting: waiting,
            gathered,
            basis: self.basis,
            span: ProvisionSpan::AsSeen,
            outlook: None,
            access_s,
        };
        if !self.is_periodic {
            let asked = match self.horizon_s {
                Some(horizon) => horizon / access_s,
                None => LENGTHS * one.maxima.values(),
            };
            provision.look_ahead(self, one, asked, uncertain);
        }
        if let Some(bound) = self.bounded(one.rate)
            && bound <= provision.in_flight
        {
            provision.in_flight = bound;
            provision.basis = Basis::Proven;
            provision.span = ProvisionSpan::Always;
        }
        provision.bytes = provision.in_flight + provision.gathered;
        Some(Ok(provision))
    }

    /// How long an access of the mean size takes to come at a rate, in seconds.
    pub(crate) fn access_s(&self, rate: Rate) -> f64 {
        let curve = &self.findings.curve;
        curve.bytes().si() / curve.accesses() as f64 / rate.bytes_per_second()
    }

    /// RAM in flight where every access takes the longest that it can, if that is proven.
    fn bounded(&self, rate: Rate) -> Option<f64> {
        let bound = self.bound.filter(|bound| bound.basis == Basis::Proven)?;
        match bound.findings.curve.demand(rate) {
            Demand::Bounded(_) => {
                let mut rates = bound.findings.rates.iter();
                let played = rates.find(|one| one.rate == rate)?;
                pair(&played.peaks, Arrival::Record).map(|(_, in_flight)| in_flight)
            }
            Demand::Unbounded { .. } => None,
        }
    }

    /// RAM in flight of whole accesses, from that of a steady stream.
    fn of_records(&self, fluid: f64) -> f64 {
        let largest = self.findings.curve.largest_record().si();
        match self.findings.curve.record() {
            Some(_) => whole_records(fluid, largest),
            // Of several sizes less than the largest comes on top.
            None => fluid + largest,
        }
    }

    /// The longest access to expect among so many further ones; no longer than any can take.
    pub(crate) fn longest_access(&self, further: f64) -> LevelOutlook {
        let mut outlook = self.findings.latency_maxima.outlook(further, self.seed);
        let longest = self.bound.and_then(|bound| bound.findings.latency.max());
        let most = longest.map_or(f64::INFINITY, Quantity::si);
        outlook.level = outlook.level.min(most);
        outlook
    }

    /// The rows of every rate that was asked for, and of the longest access to expect.
    pub(crate) fn rows(&self, subject: &Subject, document: &mut ResultSet) {
        let curve = &self.findings.curve;
        let mut provisions = Vec::new();
        for one in &self.findings.rates {
            let at = subject.at(Axis::RateBytesPerS, one.rate.bytes_per_second());
            let of_records = at.at(Axis::Arrival, Arrival::Record.name());
            match self.at(one) {
                None => {}
                Some(Err(reason)) => of_records.add(Metric::RamProvision, Err(reason), document),
                Some(Ok(provision)) => {
                    provision.rows(&of_records, document);
                    provision.level(&at.at(Axis::Arrival, Arrival::Fluid.name()), document);
                    provisions.push(provision);
                }
            }
        }
        // Of work at the first rate; without one, of accesses that follow each other at once.
        let back_to_back = curve.duration().si() / curve.accesses() as f64;
        let access_s = self.findings.rates.first();
        let access_s = access_s
            .map_or(0.0, |one| self.access_s(one.rate))
            .max(back_to_back);
        let longest = (!self.is_periodic && access_s > 0.0).then(|| {
            let further = match self.horizon_s {
                Some(horizon) => horizon / access_s,
                None => LENGTHS * curve.accesses() as f64,
            };
            let outlook = self.longest_access(further);
            longest_row(&outlook, outlook.holds * access_s, subject, document);
            (outlook, further)
        });
        self.warn(&subject.target, &provisions, longest, document);
        let short = provisions.iter().find_map(Provision::shortage);
        if let (Some(_), Some((holds, asked, needed))) = (self.horizon_s, short) {
            document.warn(LabWarning::ShortForHorizon {
                target: &subject.target,
                asked: &period(asked),
                percent: &(100.0 * CONFIDENCE),
                holds: &period(holds),
                needed: &period(needed),
            });
        }
    }

    /// Says once what the numbers rest on.
    pub(crate) fn warn(
        &self,
        target: &str,
        provisions: &[Provision],
        longest: Option<(LevelOutlook, f64)>,
        document: &mut ResultSet,
    ) {
        let accesses = self.findings.curve.accesses() as f64;
        let of_ram = provisions.iter().filter_map(|one| one.outlook);
        let outlooks: Vec<(LevelOutlook, f64)> = of_ram.chain(longest).collect();
        let extrapolated = outlooks
            .iter()
            .filter(|(one, _)| one.support == Support::Extrapolated);
        let farthest = extrapolated.map(|(one, _)| one.holds).reduce(f64::max);
        let percent = &(100.0 * CONFIDENCE);
        if let Some(farthest) = farthest {
            document.warn(LabWarning::Extrapolated {
                target: &target,
                times: &(farthest / accesses),
                percent,
            });
        }
        let mut seen = outlooks
            .iter()
            .filter(|(one, asked)| one.support == Support::Seen && one.holds < *asked);
        if let Some((outlook, _)) = seen.next() {
            let ((stretches, length), next) = outlook.next_stretch();
            document.warn(LabWarning::NotExtrapolated {
                target: &target,
                percent,
                holds: &outlook.holds,
                stretches: &stretches,
                length: &length,
                next: &(100.0 * next),
            });
        }
    }
}

impl Provision {
    /// Takes in what may come in so many further accesses.
    fn look_ahead(
        &mut self,
        source: &ProvisionSource<'_>,
        one: &RateFindings,
        asked: f64,
        uncertain: f64,
    ) {
        let outlook = one.maxima.outlook(asked, source.seed);
        self.outlook = Some((outlook, asked));
        if outlook.support == Support::Extrapolated {
            self.in_flight = source
                .of_records(outlook.level + uncertain)
                .max(self.in_flight);
            self.basis = Basis::Assumed;
        }
        if outlook.support != Support::None {
            self.span = ProvisionSpan::Seconds(outlook.holds * self.access_s);
        }
    }

    /// Bytes that the accesses themselves needed.
    pub(crate) fn seen(&self) -> f64 {
        self.seen_in_flight + self.gathered
    }

    /// Whether it suffices as long as was asked for.
    pub(crate) fn is_supported(&self) -> bool {
        self.span == ProvisionSpan::Always
            || self
                .outlook
                .is_some_and(|(outlook, asked)| outlook.holds >= asked)
    }

    /// For how long it suffices where more was asked for, how long that was, and how long the accesses would have to be,
    /// all in seconds of such work.
    pub(crate) fn shortage(&self) -> Option<(f64, f64, f64)> {
        let (outlook, asked) = self.outlook.filter(|_| !self.is_supported())?;
        let accesses = [outlook.holds, asked, outlook.needed(asked)];
        let [holds, asked, needed] = accesses.map(|accesses| accesses * self.access_s);
        Some((holds, asked, needed))
    }

    /// The number with its confidence, and what was seen.
    pub(crate) fn rows(&self, at: &Subject, document: &mut ResultSet) {
        let own = Subject {
            basis: self.basis,
            ..at.clone()
        };
        own.add(Metric::RamProvision, Ok(self.bytes), document);
        let (horizon, confidence) = match self.span {
            ProvisionSpan::Always => (Err(NoValue::Unbounded), Some(1.0)),
            ProvisionSpan::Seconds(seconds) => (Ok(seconds), Some(CONFIDENCE)),
            ProvisionSpan::AsSeen => (Err(NoValue::NotApplicable), None),
        };
        own.add(Metric::ProvisionHorizon, horizon, document);
        if let Some(confidence) = confidence {
            own.add(Metric::ProvisionConfidence, Ok(confidence), document);
        }
        if self.basis != at.basis {
            let seen = at.estimate(at.basis, SEEN);
            seen.add(Metric::RamProvision, Ok(self.seen()), document);
        }
    }

    /// The fill of the buffer that was extrapolated, in single bytes.
    pub(crate) fn level(&self, at: &Subject, document: &mut ResultSet) {
        if let Some((outlook, _)) = self.outlook
            && outlook.support == Support::Extrapolated
        {
            let at = at.at(Axis::HorizonS, outlook.holds * self.access_s);
            let at = at.estimate(Basis::Assumed, EXTRAPOLATED);
            at.add(Metric::RamPeakInFlight, Ok(outlook.level), document);
        }
    }
}

/// The longest access to expect within a horizon in seconds, where it was extrapolated.
pub(crate) fn longest_row(
    outlook: &LevelOutlook,
    horizon_s: f64,
    subject: &Subject,
    document: &mut ResultSet,
) {
    if outlook.support == Support::Extrapolated {
        let at = subject.at(Axis::HorizonS, horizon_s);
        let at = at.estimate(Basis::Assumed, EXTRAPOLATED);
        at.add(Metric::LatencyMax, Ok(outlook.level), document);
    }
}

/// Seconds as people read them.
pub(crate) fn period(seconds: f64) -> String {
    human(seconds, "s", 3)
}

/// Bytes that come in two steps of a clock, by which a stretch of a log may last more or less than it says.
pub(crate) fn uncertain_bytes(rate: Rate, step: Time) -> f64 {
    2.0 * rate.bytes_per_second() * step.si()
}

/// Whole records, one at least, that so many bytes of a steady stream are.
pub(crate) fn whole_records(bytes: f64, record: f64) -> f64 {
    (bytes / record).ceil().max(1.0) * record
}
