//! Many experiments: the points of a sweep, on every core, from a store where they are there already.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use wordline_catalog::Catalog;
use wordline_core::sweep::{PointPlace, Sweep, SweepResult, SweptPoint};
use wordline_core::{Experiment, ResultSet};

use crate::control::Control;
use crate::error::LabError;
use crate::instrument::case::{self, Case};
use crate::store::{KeyMaker, MODELS, Store};

/// A share of the points of a sweep: those whose number leaves `index − 1` when it is divided by `of`, so that every shard
/// has points of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    index: u64,
    /// How many there are.
    of: u64,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    pub(crate) fn has(self, place: &PointPlace) -> bool {
        place.point % self.of == self.index - 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let number = |text: &str| text.parse::<u64>().ok();
        match parts.and_then(|(index, of)| Some((number(index)?, number(of)?))) {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Self { index, of }),
            _ => Err(format!(
                "{text:?} is no share; allowed: K/N with K from 1 to N, such as 2/8"
            )),
        }
    }
}

/// Runs the points of a sweep. A point that cannot be run is one with its reason; the others go on. When `control` asks to
/// stop, the points that are finished come back in a document that is not complete.
///
/// # Errors
/// When the sweep cannot be run as it stands, threads cannot be had, or the store cannot be used.
pub fn sweep(
    catalog: &Catalog,
    sweep: &Sweep,
    shard: Shard,
    store: Option<&Store>,
    control: &Control<'_>,
) -> Result<SweepResult, LabError> {
    let mut places = sweep.points()?;
    places.retain(|place| shard.has(place));
    let keys = KeyMaker::new();
    let keys = &keys;
    let cases = places.iter().map(|place| {
        let name = format!("point {}", place.point);
        Case::new(name, 1, move |control: &Control<'_>| {
            // The bar counts points; progress within one is left out.
            let control = Control {
                progress: None,
                ..*control
            };
            point(
                catalog,
                sweep,
                place,
                store.map(|store| (store, keys)),
                &control,
            )
        })
    });
    let mut result = SweepResult::new(sweep.clone(), MODELS);
    result.shard = (shard != Shard::WHOLE).then(|| shard.to_string());
    for ended in case::run(cases.collect(), control)? {
        match ended {
            Some(ended) => match ended? {
                Some(point) => result.points.push(point),
                None => result.complete = false,
            },
            None => result.complete = false,
        }
    }
    Ok(result)
}

/// Runs one point; none where it was stopped before its end.
fn point(
    catalog: &Catalog,
    sweep: &Sweep,
    place: &PointPlace,
    store: Option<(&Store, &KeyMaker)>,
    control: &Control<'_>,
) -> Result<Option<SweptPoint>, LabError> {
    let swept = |failed, result| SweptPoint {
        point: place.point,
        at: sweep.at(place),
        failed,
        result,
    };
    match guarded(|| run(catalog, sweep, place, store, control)) {
        Ok(document) if document.complete => Ok(Some(swept(None, Some(Box::new(document))))),
        Ok(_) => Ok(None),
        Err(_) if control.stopped() => Ok(None),
        // Every other point would fail by it as well.
        Err(error @ LabError::Store(_)) => Err(error),
        Err(error) => Ok(Some(swept(Some(error.to_string()), None))),
    }
}

/// A fault of the program itself ends a point, and no other.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, LabError>) -> Result<T, LabError> {
    let ended = catch_unwind(AssertUnwindSafe(run));
    ended.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|&words| words.to_owned()));
        Err(LabError::Fault {
            words: words.unwrap_or_default(),
        })
    })
}

fn run(
    catalog: &Catalog,
    sweep: &Sweep,
    place: &PointPlace,
    store: Option<(&Store, &KeyMaker)>,
    control: &Control<'_>,
) -> Result<ResultSet, LabError> {
    let experiment = experiment_of(catalog, sweep, place)?;
    match store {
        Some((store, keys)) => store
            .run_with(keys, catalog, &experiment, control)
            .map(|run| run.document),
        None => crate::run(catalog, &experiment, control),
    }
}

/// The experiment of a point with its defaults.
///
/// # Errors
/// When it cannot be read, or a target is unknown.
pub fn experiment_of(
    catalog: &Catalog,
    sweep: &Sweep,
    place: &PointPlace,
) -> Result<Experiment, LabError> {
    let stated = sweep.stated_at(place)?;
    let mut experiment = sweep.experiment_at(place)?;
    crate::complete(&mut experiment, catalog, &|field| {
        crate::states(&stated, field)
    })?;
    Ok(experiment)
}
