//! The design space instead of a list: the Pareto front of a sweep's points, without running most of them in full.
//!
//! Candidates that a proven bound excludes are never simulated, nor are those that are refused before their first operation.
//! The others are run roughly; between which factors of rough values the real ones lie is measured on a sample and on
//! everything that is run in full, and only what may still lie on the front, given these factors, is run in full. So the front is
//! that of running everything as long as no factor lies more than a quarter beyond those that were seen of its kind,
//! and as no candidate is among those that rough runs exclude while none is in the sample of them. Both are likely and not
//! proven.

mod excluded;
mod front;
mod kinds;
mod points;
mod rough;
mod search;
#[cfg(test)]
mod tests;

use wordline_catalog::Catalog;
use wordline_core::ResultSet;
use wordline_core::explore::{DesignSpace, ExclusionBasis, ExplorationResult};
use wordline_core::sweep::{PointPlace, Sweep};

use crate::control::Control;
use crate::error::LabError;
use crate::store::{KeyMaker, Store};
use crate::sweep::Shard;

use excluded::{Exclusions, PointExclusion};
use search::FrontSearch;

/// Points that are run in full whatever their rough runs say, evenly over the space, so that the difference is known away
/// from the front as well: so many, or one of so many points where that is more, and at least so many of each kind.
const SAMPLE: usize = 32;
const POINTS_OF_SAMPLE: usize = 100;
const SAMPLE_OF_KIND: usize = 3;

/// How far beyond the factors that were seen others may lie, as a share of these, and at least as a logarithm divided by how
/// many were seen.
const CAUTION: f64 = 0.25;

/// What a point came to.
enum PointState {
    Excluded(PointExclusion),
    Values(Vec<f64>),
    /// Its rough run cannot be made, and the real one may be.
    Unjudged,
}

/// A point, what it came to, and its document where it was run in full.
type RunPoint = (PointState, Option<Box<ResultSet>>);

/// How thoroughly a point is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Rough,
    Full,
}

struct Explorer<'a> {
    catalog: &'a Catalog,
    space: &'a DesignSpace,
    full: Sweep,
    /// What rough runs do; none where they are those of the experiment with verdicts that are not examined further.
    rough: Option<Sweep>,
    store: Option<&'a Store>,
    keys: KeyMaker,
}

/// Explores a design space. Of a share of it only the rough runs are made, which a later run takes from the store to find
/// the front. When `control` asks to stop, the front of what is finished comes back in a document that is not complete.
///
/// # Errors
/// When the study cannot be run as it stands, threads cannot be had, or the store cannot be used.
pub fn explore(
    catalog: &Catalog,
    space: &DesignSpace,
    shard: Shard,
    store: Option<&Store>,
    control: &Control<'_>,
) -> Result<ExplorationResult, LabError> {
    space.check()?;
    let full = space.sweep();
    let mut places = full.points()?;
    let explorer = Explorer {
        catalog,
        space,
        rough: space.coarse_sweep()?,
        full,
        store,
        keys: KeyMaker::new(),
    };
    if shard == Shard::WHOLE {
        return FrontSearch::new(&explorer, &places).run(control);
    }
    places.retain(|place| shard.has(place));
    let mut result = explorer.share(&places, control)?;
    result.shard = Some(shard.to_string());
    Ok(result)
}

impl Explorer<'_> {
    /// What a share of the work is: the rough runs, or the runs in full where there are none.
    fn share(
        &self,
        places: &[PointPlace],
        control: &Control<'_>,
    ) -> Result<ExplorationResult, LabError> {
        let mut result = ExplorationResult::new(self.space.clone());
        result.points = places.len() as u64;
        let mut excluded = Exclusions::default();
        if self.has_rough(places) {
            self.rough_runs(places, &mut result, &mut excluded, control)?;
        } else {
            let all: Vec<usize> = (0..places.len()).collect();
            for (index, ended) in self.run(places, &all, Effort::Full, control)? {
                match ended {
                    Some((PointState::Excluded(of), _)) => {
                        result.fine += u64::from(of.basis != ExclusionBasis::Proven);
                        excluded.add(of, [index]);
                    }
                    Some(_) => result.fine += 1,
                    None => result.complete = false,
                }
            }
        }
        result.excluded = excluded.listed(places);
        Ok(result)
    }
}
