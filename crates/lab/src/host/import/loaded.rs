//! Points under load: the rows, the knee and the stages of `wordline dram loaded`.

use std::cmp::Reverse;

use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, HostMix, Metric, ResultSet};
use wordline_trace::measured::{MeasuredPoint, MeasuredTest};

use super::{ImportedRun, median, mix, traffic_name};
use crate::dram::knee::{self, Place};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// A point of a curve; runs with the same settings are one.
struct CurvePoint {
    /// Pause in the tool's unit.
    delay: Option<u64>,
    threads: Option<u32>,
    latencies: Vec<f64>,
    bandwidths: Vec<f64>,
}

impl CurvePoint {
    fn place(&self) -> Place {
        (
            median(self.bandwidths.clone()),
            median(self.latencies.clone()),
        )
    }
}

impl ImportedRun<'_> {
    /// Latency under load, a curve for each mix.
    pub(super) fn loaded(&self, document: &mut ResultSet) {
        for traffic in HostMix::ALL {
            let points = self.of(MeasuredTest::Loaded);
            let points: Vec<_> = points
                .filter(|point| mix(point.traffic) == Some(traffic))
                .collect();
            if !points.is_empty() {
                self.curve(traffic, &points, document);
            }
        }
        let mut unnamed: Vec<String> = Vec::new();
        for point in self.of(MeasuredTest::Loaded) {
            let kind = traffic_name(point);
            if mix(point.traffic).is_none() && !unnamed.contains(&kind) {
                document.warn(LabWarning::ImportMix {
                    file: &self.file,
                    line: &point.line,
                    kind: &kind,
                });
                unnamed.push(kind);
            }
        }
    }

    fn curve(&self, traffic: HostMix, points: &[&MeasuredPoint], document: &mut ResultSet) {
        let mut curve: Vec<CurvePoint> = Vec::new();
        for point in points {
            let (Some(latency), Some(bandwidth)) = (point.latency, point.bandwidth) else {
                continue;
            };
            // Without a pause and a number of threads every point is one of its own.
            let same = |one: &&mut CurvePoint| {
                let is_stated = point.delay.is_some() || point.threads.is_some();
                is_stated && one.delay == point.delay && one.threads == point.threads
            };
            match curve.iter_mut().find(same) {
                Some(one) => {
                    one.latencies.push(latency);
                    one.bandwidths.push(bandwidth);
                }
                None => curve.push(CurvePoint {
                    delay: point.delay,
                    threads: point.threads,
                    latencies: vec![latency],
                    bandwidths: vec![bandwidth],
                }),
            }
        }
        if let Some(most) = curve.iter().map(|one| one.latencies.len()).max()
            && most > 1
        {
            document.warn(LabWarning::ImportRepeated {
                file: &self.file,
                count: &most,
            });
        }
        // Least load first: by the pause where there is one, else by what was carried.
        match curve.iter().all(|one| one.delay.is_some()) {
            true => curve.sort_by_key(|one| Reverse(one.delay)),
            false => curve.sort_by(|one, next| one.place().0.total_cmp(&next.place().0)),
        }
        let whole = self
            .subject("loaded", traffic.operation())
            .at(Axis::Mix, traffic.name())
            .at(Axis::Pattern, self.load_pattern());
        self.curve_rows(traffic, &curve, &whole, document);
    }

    /// Order of the load's addresses: in sequence unless an option of MLC says otherwise. Its `-r` is of the thread that is
    /// timed.
    fn load_pattern(&self) -> &'static str {
        let options = self.measured.command.as_deref().unwrap_or_default();
        match options.split_whitespace().any(|option| option == "-U") {
            true => "random",
            false => "sequential",
        }
    }

    fn curve_rows(
        &self,
        traffic: HostMix,
        curve: &[CurvePoint],
        whole: &Subject,
        document: &mut ResultSet,
    ) {
        let places: Vec<Place> = curve.iter().map(CurvePoint::place).collect();
        let knee = knee::knee(&places);
        let idle = self.idle_latency();
        // Without a measurement of the idle memory the least load stands in for it.
        let base = idle.or_else(|| places.first().map(|(_, latency)| *latency));
        let stages = knee::stages(&places, knee, base.unwrap_or(0.0));
        let reads = traffic.module_mix().read_share();
        let same_threads = curve.iter().all(|one| one.threads == curve[0].threads);
        for (index, (one, stage)) in curve.iter().zip(stages).enumerate().rev() {
            let mut at = whole.clone();
            if let Some(delay) = one.delay {
                at = at.at(Axis::DelayCycles, delay);
            }
            if let Some(threads) = one.threads
                && (one.delay.is_none() || !same_threads)
            {
                at = at.at(Axis::Threads, u64::from(threads));
            }
            if one.delay.is_none() && one.threads.is_none() {
                at = at.at(Axis::Point, index as u64 + 1);
            }
            let (bandwidth, latency) = places[index];
            for (metric, value) in [
                (Metric::ThroughputMean, bandwidth),
                (Metric::ReadShare, reads),
                (Metric::LatencyMean, latency),
                (Metric::LoadStage, f64::from(stage)),
            ] {
                at.add(metric, Ok(value), document);
            }
        }
        match idle {
            Some(idle) => {
                let alone = whole.estimate(Basis::Measured, "idle");
                alone.add(Metric::LatencyMean, Ok(idle), document);
            }
            None => document.warn(LabWarning::ImportNoIdle { file: &self.file }),
        }
        let place = knee.map(|knee| places[knee]);
        for (metric, value) in [
            (Metric::ThroughputKnee, place.map(|(rate, _)| rate)),
            (Metric::LatencyKnee, place.map(|(_, latency)| latency)),
        ] {
            whole.add(metric, value.ok_or(NoValue::BeyondRange), document);
        }
    }
}
