//! A measured curve of latency over bandwidth beside the simulated ones.
//!
//! The file is one of the Mess benchmark or of its simulator, a document of `wordline host` under load, or what another tool
//! printed. Every simulated point gets the latency that was measured at
//! its throughput, taken straight from point to point; below the least measured load that of the least. Beyond the
//! greatest measured bandwidth there is none.

use std::io::Read;

use wordline_core::results::{NoValue, Row};
use wordline_core::{Axis, Basis, HostMix, LoadedTest, Metric, ResultSet};
use wordline_trace::measured::{MeasuredError, MeasuredRun, MeasuredTest};
use wordline_trace::mess::{MessCurve, MessError, MessOptions, MessPoint, read};

use super::knee::{self, Place};
use crate::control::Control;
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// By how many percent of reads a measured curve may differ from the simulated mix.
const OFF_MAX: f64 = 5.0;

/// By which share the greatest throughput of a file may fall short of itself: files round to a few digits.
const ROUNDED: f64 = 1e-6;

/// More than any file of curves has.
const BYTES_MAX: u64 = 256 << 20;

/// What the axis `estimate` of rows from a measured curve says.
const MEASURED: &str = "measured";

/// A measured curve, least bandwidth first.
pub(super) struct MeasuredCurve {
    places: Vec<Place>,
}

impl MeasuredCurve {
    /// The curve of the file that the test names, if it names one, whose share of reads is nearest to the test's.
    pub(super) fn of(
        loaded: &LoadedTest,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<Option<Self>, LabError> {
        let Some(file) = &loaded.against else {
            return match loaded.against_rising {
                true => Err(SettingProblem::Without("against").of("against-rising")),
                false => Ok(None),
            };
        };
        let options = MessOptions {
            rising: loaded.against_rising,
        };
        let curves = curves(file, options, control)?;
        let wanted = loaded.mix.read_share() * 100.0;
        let percent = |curve: &MessCurve| curve.read_percent.or_else(|| percent_of_name(file));
        // A curve whose share nothing tells is taken for that of the test.
        let off = |curve: &MessCurve| (percent(curve).unwrap_or(wanted) - wanted).abs();
        let nearest = curves
            .iter()
            .min_by(|one, other| off(one).total_cmp(&off(other)));
        let Some(curve) = nearest.filter(|curve| off(curve) <= OFF_MAX) else {
            let found = curves.iter().filter_map(percent);
            let found: Vec<String> = found.map(|percent| format!("{percent} %")).collect();
            return Err(LogProblem::NoCurve {
                found: found.join(", "),
                wanted: wanted.round(),
                mix: loaded.mix,
            }
            .of(file));
        };
        document.warn(LabWarning::MeasuredCurve {
            file,
            points: &curve.points.len(),
            percent: &percent(curve).unwrap_or(wanted).round(),
            mix: &loaded.mix,
        });
        if curve.left_out > 0 {
            document.warn(LabWarning::CurveBends {
                file,
                count: &curve.left_out,
            });
        }
        let places = curve.points.iter();
        let places = places.map(|point| (point.bandwidth, point.latency));
        Ok(Some(Self {
            places: places.collect(),
        }))
    }

    /// The row of a simulated point of this throughput and latency.
    pub(super) fn rows_at(
        &self,
        (throughput, simulated): Place,
        point: &Subject,
        document: &mut ResultSet,
    ) {
        let most = self.places.iter().map(|&(carried, _)| carried);
        let most = most.fold(0.0, f64::max);
        let is_most = throughput > most && throughput <= most * (1.0 + ROUNDED);
        let carried = if is_most { most } else { throughput };
        let measured = knee::latency_at(&self.places, carried);
        let at = point.estimate(Basis::Measured, MEASURED);
        at.add(
            Metric::LatencyMean,
            measured.ok_or(NoValue::BeyondRange),
            document,
        );
        // How far a simulation is off is no measurement.
        let ratio = measured.map(|measured| simulated / measured);
        let at = point.estimate(Basis::Simulated, MEASURED);
        at.add(
            Metric::LatencyRatio,
            ratio.ok_or(NoValue::BeyondRange),
            document,
        );
    }

    /// The row of the whole curve: what was carried at most.
    pub(super) fn rows(&self, whole: &Subject, document: &mut ResultSet) {
        if let Some((most, _)) = self.places.last() {
            let at = whole.estimate(Basis::Measured, MEASURED);
            at.add(Metric::ThroughputMean, Ok(*most), document);
        }
    }
}

/// The curves of a file.
fn curves(
    file: &str,
    options: MessOptions,
    control: &Control<'_>,
) -> Result<Vec<MessCurve>, LabError> {
    let mut bytes = Vec::new();
    let reader = control.open(file)?;
    let taken = reader.take(BYTES_MAX).read_to_end(&mut bytes);
    taken.map_err(|source| LabError::Unreadable {
        file: file.to_owned(),
        source,
    })?;
    if bytes.trim_ascii_start().starts_with(b"{") {
        let text = String::from_utf8_lossy(&bytes);
        let document = ResultSet::from_json(&text);
        let document =
            document.map_err(|error| LogProblem::NoDocument(error.to_string()).of(file))?;
        return match of_document(&document) {
            curves if curves.is_empty() => Err(LogProblem::NoLoadedRows.of(file)),
            curves => Ok(curves),
        };
    }
    let source = match read(&bytes[..], options) {
        Ok(curves) => return Ok(curves),
        Err(source) => source,
    };
    // What is no curve of Mess may be the output of another tool.
    if matches!(source, MessError::UnknownForm { .. }) {
        match wordline_trace::measured::read(&bytes[..], None) {
            Ok(run) => match of_run(&run) {
                curves if curves.is_empty() => return Err(LogProblem::NoLoadedRows.of(file)),
                curves => return Ok(curves),
            },
            Err(MeasuredError::Foreign { .. } | MeasuredError::Empty) => {}
            Err(source) => {
                let file = file.to_owned();
                return Err(LabError::Measured { file, source });
            }
        }
    }
    Err(LabError::Curves {
        file: file.to_owned(),
        source,
    })
}

/// The points under load of another tool.
fn of_run(run: &MeasuredRun) -> Vec<MessCurve> {
    let loaded = run.points.iter();
    let loaded = loaded.filter(|point| point.test == MeasuredTest::Loaded);
    let points = loaded.filter_map(|point| {
        let mix = crate::host::mix_of(point.traffic)?;
        let place = (point.bandwidth?, point.latency?);
        Some((mix.module_mix().read_share() * 100.0, place, point.line))
    });
    rising(points)
}

/// The measured points under load of a document.
fn of_document(document: &ResultSet) -> Vec<MessCurve> {
    let of = |metric: Metric| {
        document.of(metric).filter(|row| {
            row.basis == Basis::Measured
                && row.text(Axis::Test) == Some("loaded")
                && row.text(Axis::Estimate).is_none()
        })
    };
    let points = of(Metric::ThroughputMean).filter_map(|rate| {
        let mix = rate.text(Axis::Mix)?.parse::<HostMix>().ok()?;
        let same = |row: &&Row| row.axes == rate.axes && row.target == rate.target;
        let latency = of(Metric::LatencyMean).find(same)?;
        let place = (rate.value?, latency.value?);
        Some((mix.module_mix().read_share() * 100.0, place, 0))
    });
    rising(points)
}

/// Curves by percentage of reads. Measured ones bend back within their noise where a memory is saturated: points that
/// carry no more than others of a lower latency are left out.
fn rising(points: impl Iterator<Item = (f64, Place, u64)>) -> Vec<MessCurve> {
    let mut all: Vec<(f64, Place, u64)> = points.collect();
    all.sort_by(|(_, one, _), (_, next, _)| one.1.total_cmp(&next.1));
    let mut curves: Vec<MessCurve> = Vec::new();
    for (percent, (bandwidth, latency), line) in all {
        let point = MessPoint {
            bandwidth,
            latency,
            line,
        };
        let same = |curve: &&mut MessCurve| curve.read_percent == Some(percent);
        match curves.iter_mut().find(same) {
            Some(curve) => match curve.points.last() {
                Some(last) if bandwidth <= last.bandwidth => curve.left_out += 1,
                _ => curve.points.push(point),
            },
            None => curves.push(MessCurve {
                read_percent: Some(percent),
                points: vec![point],
                left_out: 0,
            }),
        }
    }
    curves
}

/// The percentage of reads in a name such as `bwlat_58.txt`.
fn percent_of_name(file: &str) -> Option<f64> {
    let (_, behind) = file.rsplit_once("bwlat_")?;
    let (digits, _) = behind.split_once('.')?;
    let percent = digits.parse::<u8>().ok()?;
    (percent <= 100).then_some(f64::from(percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_share_of_reads() {
        assert_eq!(percent_of_name("bwlat_58.txt"), Some(58.0));
        assert_eq!(percent_of_name("my-bwlat_100.txt.gz"), Some(100.0));
        for name in ["bwlat_101.txt", "bwlat_.txt", "bwlat_58", "curve.txt"] {
            assert_eq!(percent_of_name(name), None, "{name}");
        }
    }
}
