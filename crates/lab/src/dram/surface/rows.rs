//! The rows of a surface: of every point, and of every curve its knee.

use wordline_apps::{Surface, SurfaceCurve};
use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Metric, ResultSet, RowOperation};

use super::super::knee::{self, Place};
use super::super::loaded::knee_rows;
use super::super::{ModuleMemory, Test};
use crate::subject::Subject;

/// Nanoseconds as seconds.
const NS: f64 = 1e-9;

/// Adds the rows of all curves.
pub(super) fn add(
    test: &Test<'_>,
    memory: &ModuleMemory<'_>,
    surface: &Surface,
    document: &mut ResultSet,
) {
    let curves = &mut surface.curves.iter();
    for &write_share in &surface.write_shares {
        for &locality in &surface.localities {
            for (&imbalance, curve) in surface.imbalances.iter().zip(&mut *curves) {
                let operation = match write_share == 0.0 {
                    true => RowOperation::Read,
                    false => RowOperation::ReadWrite,
                };
                let whole = test
                    .subject(memory, operation)
                    .at(Axis::WriteShare, write_share)
                    .at(Axis::Locality, locality)
                    .at(Axis::Imbalance, imbalance);
                of_curve(curve, write_share, &whole, document);
            }
        }
    }
}

fn of_curve(curve: &SurfaceCurve, write_share: f64, whole: &Subject, document: &mut ResultSet) {
    let place = |point: &wordline_apps::SurfacePoint| (point.bytes_per_s, NS * point.latency_ns);
    let places: Vec<Place> = curve.points.iter().map(place).collect();
    let idle = places.first().map_or(0.0, |first| first.1);
    let stages = knee::stages(&places, knee::knee(&places), idle);
    for (number, (point, stage)) in curve.points.iter().zip(stages).enumerate() {
        let subject = whole.at(Axis::Point, (number + 1) as f64);
        // Where nothing is read, reads have no latency.
        let read = |ns: f64| match write_share >= 1.0 {
            true => Err(NoValue::NotApplicable),
            false => Ok(NS * ns),
        };
        for (metric, value) in [
            (Metric::OutstandingMean, Ok(point.outstanding)),
            (Metric::LineLatencyMean, Ok(NS * point.latency_ns)),
            (Metric::LatencyMean, read(point.read_ns)),
            (Metric::LatencyP50, read(point.read_p50_ns)),
            (Metric::LatencyP99, read(point.read_p99_ns)),
            (Metric::ThroughputMean, Ok(point.bytes_per_s)),
            (Metric::ReadShare, Ok(1.0 - write_share)),
            (Metric::PowerMean, Ok(point.power_w)),
            (Metric::LoadStage, Ok(f64::from(stage))),
        ] {
            subject.add(metric, value, document);
        }
        for (end, sign) in [("confidence_low", -1.0), ("confidence_high", 1.0)] {
            let at = subject.estimate(Basis::Simulated, end);
            let value = NS * (point.latency_ns + sign * point.error_ns);
            at.add(Metric::LineLatencyMean, Ok(value), document);
        }
    }
    let errors = curve.points.iter().map(|point| (0.0, NS * point.error_ns));
    knee_rows(&places, &errors.collect::<Vec<Place>>(), whole, document);
}
