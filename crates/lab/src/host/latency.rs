//! `wordline host latency`: the curve over working sets, its knees, and what page walks add.

use std::time::Duration;

use wordline_core::quantity::ByteCount;
use wordline_core::{Axis, Basis, HostLatencyTest, Metric, ResultSet, RowOperation};
use wordline_host::memory::arena::PageSize;
use wordline_host::memory::chain::{ChainWalk, lines_of_visit};
use wordline_host::memory::estimate::{Grade, LatencyEstimate};
use wordline_host::memory::latency::curve::{self, CurvePlace, LevelKnee};
use wordline_host::memory::latency::{self, LatencyPlan, LatencyPoint, LatencyRun};
use wordline_host::memory::topology::CacheLevel;

use super::names;
use super::session::HostSession;
use super::trust::{self, Doubts};
use crate::dram::rows::seconds;
use crate::error::LabError;
use crate::list::distinct;
use crate::subject::Subject;
use crate::warning::LabWarning;

const TEST: &str = "latency";

/// Time of the test without a limit, at most: a quiet machine needs less.
const SHARE: Duration = Duration::from_secs(30);

pub(super) fn run(
    session: &HostSession<'_>,
    test: &HostLatencyTest,
    share: f64,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    names::check_set(&test.access)?;
    distinct(
        "pages",
        test.pages.iter().map(|pages| pages.name().to_owned()),
    )?;
    distinct(
        "order",
        test.orders.iter().map(|order| order.name().to_owned()),
    )?;
    crate::error::in_range("samples", test.samples, 1, super::loaded::SAMPLES_MAX)?;
    let plan = LatencyPlan {
        sizes: test.size_bytes.clone(),
        pages: test
            .pages
            .iter()
            .map(|pages| names::pages(*pages))
            .collect(),
        walks: test
            .orders
            .iter()
            .map(|order| names::walk(*order))
            .collect(),
        loads_most: test.samples,
        node: test.access.node,
        cpu: test.access.cpu,
        seed: session.seed,
        share: session.share(share, SHARE),
    };
    let mut watch = |point: &LatencyPoint, done, all| session.report(&place(point), done, all);
    let run = latency::run(session.topology, &plan, &|| session.stopped(), &mut watch)?;
    session.far(run.cpu, test.access.node, document);
    rows(&run, session, document);
    Ok(())
}

/// What a message calls a point.
fn place(point: &LatencyPoint) -> String {
    format!(
        "latency of {} in {} pages, {}",
        ByteCount::from_bytes(point.bytes),
        names::pages_name(point.pages),
        names::order_name(point.walk)
    )
}

/// The rows of a run, whoever measured it.
pub(super) fn rows(run: &LatencyRun, session: &HostSession<'_>, document: &mut ResultSet) {
    document.complete &= run.complete;
    for (pages, why) in &run.refused {
        document.warn(LabWarning::PagesRefused {
            pages: &names::pages_name(*pages),
            why,
        });
    }
    session.measured_on(run.cpu, document);
    if let Some(end) = run.end.filter(|end| end.is_short()) {
        document.warn(LabWarning::SweepShort {
            found: &ByteCount::from_bytes(end.bytes),
            wanted: &ByteCount::from_bytes(end.wanted_bytes),
        });
    }
    if let Some(largest) = run.points.iter().map(|point| point.bytes).max() {
        session.in_caches(TEST, largest, document);
    }
    let whole = session.subject(TEST, RowOperation::Read);
    let mut doubts = Doubts::new(TEST);
    for point in &run.points {
        let pages = names::pages_name(point.pages);
        let subject = trust::at_pages(&whole, pages)
            .at(Axis::Pattern, names::order_name(point.walk))
            .at(Axis::WorkingSetBytes, point.bytes);
        doubts.latency(&point.sampled, &subject, &place(point), document);
        let obtained = (point.obtained.huge_share, point.obtained.node_share);
        trust::obtained(obtained, pages, TEST, &subject, document);
    }
    let mut all_pages: Vec<PageSize> = Vec::new();
    for point in &run.points {
        if !all_pages.contains(&point.pages) {
            all_pages.push(point.pages);
        }
    }
    for pages in all_pages {
        let of = |point: &&LatencyPoint| point.pages == pages;
        let points: Vec<&LatencyPoint> = run.points.iter().filter(of).collect();
        let subject = trust::at_pages(&whole, names::pages_name(pages));
        page_walk(&points, &subject, document);
        // Of a curve that was interrupted the last rise is missing.
        if run.complete {
            knees(&points, &session.topology.caches, &subject, document);
        }
    }
    let cut = run
        .points
        .iter()
        .filter(|point| point.sampled.is_cut)
        .count();
    trust::cut(session.has_limit(), TEST, cut, run.points.len(), document);
    doubts.warn(document);
}

/// What page walks add at most, and a load without them: in the largest working set, by a load that is the only one of its
/// page and one of several. With a walk for every `n` loads in the latter, `lone - several = walk * (1 - 1/n)`. Loads of one
/// page also find rows of the memory open and lines that were fetched along with others, so that the difference is an upper
/// bound. Where a figure is refused, so is the difference.
fn page_walk(points: &[&LatencyPoint], subject: &Subject, document: &mut ResultSet) {
    let of = |walk: ChainWalk, bytes: u64| {
        let same = points
            .iter()
            .find(|point| point.walk == walk && point.bytes == bytes)?;
        let found = same.sampled.estimate.as_ref().ok()?;
        (found.grade < Grade::Refused).then_some(found)
    };
    let both = |bytes: u64| -> Option<(&LatencyEstimate, &LatencyEstimate)> {
        Some((
            of(ChainWalk::PerPage, bytes)?,
            of(ChainWalk::InPage, bytes)?,
        ))
    };
    let sizes = points.iter().map(|point| point.bytes);
    let Some(bytes) = sizes.filter(|bytes| both(*bytes).is_some()).max() else {
        return;
    };
    let Some((with, without)) = both(bytes) else {
        return;
    };
    let page_bytes = points.first().map_or(0, |point| point.pages.bytes());
    let rest = 1.0 - 1.0 / lines_of_visit(page_bytes) as f64;
    if rest <= 0.0 {
        return;
    }
    let time = (with.median_ps - without.median_ps) / rest;
    // Both medians have errors of their own, which add up as squares.
    let half = |found: &LatencyEstimate| (found.high_ps - found.low_ps) / 2.0;
    let half = libm::hypot(half(with), half(without)) / rest;
    let at = subject.at(Axis::WorkingSetBytes, bytes);
    at.add(Metric::PageWalkTime, Ok(seconds(time)), document);
    let ends = [time - half, time + half].map(|end| Ok(seconds(end)));
    trust::interval(Metric::PageWalkTime, ends, &at, document);
    let at = at.estimate(Basis::Measured, "without_page_walk");
    at.add(
        Metric::LatencyP50,
        Ok(seconds(with.median_ps - time)),
        document,
    );
}

/// Where levels end, by the curve of random loads.
fn knees(
    points: &[&LatencyPoint],
    caches: &[CacheLevel],
    subject: &Subject,
    document: &mut ResultSet,
) {
    let random = points
        .iter()
        .filter(|point| point.walk == ChainWalk::Random);
    let places: Vec<CurvePlace> = random.filter_map(|point| point.place()).collect();
    let knees = curve::knees(&places);
    for (knee, name) in knees.iter().zip(named(&knees, caches)) {
        let at = subject.at(Axis::Cache, name.as_str());
        at.add(Metric::CacheKnee, Ok(knee.bytes as f64), document);
        let beyond = at.estimate(Basis::Measured, "beyond");
        beyond.add(Metric::CacheKnee, Ok(knee.beyond_bytes as f64), document);
    }
}

/// What knees are called: by the cache whose size lies nearest, within a factor of two; others by their number.
fn named(knees: &[LevelKnee], caches: &[CacheLevel]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (number, knee) in knees.iter().enumerate() {
        let middle = (knee.bytes as f64 * knee.beyond_bytes as f64).sqrt();
        let off = |cache: &&CacheLevel| (cache.bytes as f64 / middle).log2().abs();
        let near = caches.iter().filter(|cache| off(cache) <= 1.0);
        let nearest = near.min_by(|one, other| off(one).total_cmp(&off(other)));
        let name = nearest.map(|cache| format!("L{}", cache.level));
        let free = name.filter(|name| !names.contains(name));
        names.push(free.unwrap_or_else(|| format!("knee {}", number + 1)));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knees_have_the_names_of_caches_or_numbers() {
        const KIB: u64 = 1024;
        let knee = |bytes: u64| LevelKnee {
            bytes,
            beyond_bytes: bytes * 5 / 4,
            latency_ps: 1.0,
        };
        let cache = |level, bytes| CacheLevel {
            level,
            bytes,
            ways: 8,
            line_bytes: 64,
            shared_by: vec![0],
        };
        let caches = [
            cache(1, 32 * KIB),
            cache(2, 1024 * KIB),
            cache(3, 32_768 * KIB),
        ];
        let knees = [32, 180, 900, 1100, 20_000].map(|kib| knee(kib * KIB));
        let names = named(&knees, &caches);
        assert_eq!(names, ["L1", "knee 2", "L2", "knee 4", "L3"]);
    }
}
