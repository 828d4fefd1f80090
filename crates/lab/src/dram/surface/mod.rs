//! Latency over lines outstanding, for each combination of write share, locality and imbalance: what programs are projected
//! on.
//!
//! Every curve is a case of its own: its points follow from those before ([`placing`]), each simulated until it is sure enough
//! ([`point`]). Rows are made of the surface alone, so that one that was simulated before gives the same document ([`key`]).

mod key;
mod placing;
mod point;
mod rows;

pub(crate) use placing::POINTS_MAX;

use wordline_apps::{Surface, SurfaceCurve, SurfaceError};
use wordline_catalog::{Catalog, SURFACES};
use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::{DramTest, DramWorkload, ResultSet, SurfaceTest, Workload};

use super::{ModuleMemory, Test};
use crate::control::Control;
use crate::error::{LabError, SettingProblem, in_range};
use crate::instrument::case::{self, Case};
use crate::list::distinct;
use crate::warning::LabWarning;
use point::CurveRun;
use wordline_dram::sheet::Settings;

/// Most combinations of a surface: ten of each axis.
const COMBINATIONS_MAX: usize = 1000;

/// The narrowest interval that can be asked for, and the widest.
const CONFIDENCE: [f64; 2] = [0.001, 0.5];

/// Combinations of a test.
pub(crate) fn combinations(test: &SurfaceTest) -> usize {
    test.write_shares.len() * test.localities.len() * test.imbalances.len()
}

/// Makes the surface of each target, or takes it from the caller's shelf.
pub(super) fn run(
    test: &Test<'_>,
    of: &SurfaceTest,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check(of)?;
    for memory in &test.memories {
        let key = key::of(test.workload, test.seed, of, memory);
        let surface = match stored(&key, memory, control, document)? {
            Some(surface) => surface,
            None => {
                let Some(surface) = simulated(test, of, memory, control, document)? else {
                    document.complete = false;
                    break;
                };
                keep(&key, &surface, control)?;
                surface
            }
        };
        rows::add(test, memory, &surface, document);
        if let Some(take) = control.surface {
            let taken = take(&memory.name, &surface.to_json());
            taken.map_err(|source| LabError::Unwritable {
                what: format!("the surface of {}", memory.name),
                source,
            })?;
        }
    }
    Ok(())
}

/// The surface of a target, `MODULE@SYSTEM`, that comes along with the catalogue: none where there is none, or where the sheets or
/// settings are others than those that it was simulated with.
///
/// # Errors
/// When the target is unknown, its settings are none of it, or the surface cannot be read.
pub fn shipped_surface(
    catalog: &Catalog,
    target: &str,
    settings: &Settings,
) -> Result<Option<Surface>, LabError> {
    let target = catalog.module_in_system(target)?;
    let memory = ModuleMemory::connected(target, settings)?;
    let Some(Workload::Dram(usual)) = Workload::usual("dram", Some("surface")) else {
        return Ok(None);
    };
    let DramWorkload {
        test: DramTest::Surface(test),
        ..
    } = &usual
    else {
        return Ok(None);
    };
    let key = key::of(&usual, 0, test, &memory);
    let Some(shipped) = SURFACES.iter().find(|shipped| shipped.key == key) else {
        return Ok(None);
    };
    let surface = Surface::from_json(shipped.json);
    surface.map(Some).map_err(|source| LabError::Surface {
        target: memory.name,
        source,
    })
}

/// Whether the settings make a surface.
fn check(of: &SurfaceTest) -> Result<(), LabError> {
    let text = |share: &Fraction| share.to_string();
    distinct("write_share", of.write_shares.iter().map(text))?;
    distinct("locality", of.localities.iter().map(text))?;
    distinct("imbalance", of.imbalances.iter().map(f64::to_string))?;
    let si = |shares: &[Fraction]| shares.iter().map(|share| share.si()).collect::<Vec<f64>>();
    for (what, values) in [
        ("write_share", si(&of.write_shares)),
        ("locality", si(&of.localities)),
        ("imbalance", of.imbalances.clone()),
    ] {
        if let Some(pair) = values.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(SettingProblem::Falling {
                one: pair[0],
                next: pair[1],
            }
            .of(what));
        }
    }
    for (what, shares) in [
        ("write_share", &of.write_shares),
        ("locality", &of.localities),
    ] {
        for &share in shares {
            in_range(what, share, Fraction::from_si(0.0), Fraction::from_si(1.0))?;
        }
    }
    for &imbalance in &of.imbalances {
        in_range("imbalance", imbalance, 1.0, 1024.0)?;
    }
    let [least, most] = CONFIDENCE.map(Fraction::from_si);
    in_range("confidence", of.confidence, least, most)?;
    if combinations(of) > COMBINATIONS_MAX {
        return Err(SettingProblem::ManyCombinations {
            found: combinations(of),
            most: COMBINATIONS_MAX,
        }
        .of("write_share"));
    }
    Ok(())
}

/// The surface of a key, where the caller has it. One that cannot be read is simulated again, and said so.
fn stored(
    key: &str,
    memory: &ModuleMemory<'_>,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<Option<Surface>, LabError> {
    let Some(shelf) = control.surfaces else {
        return Ok(None);
    };
    let text = (shelf.read)(key).map_err(|source| LabError::Unreadable {
        file: format!("surface {key}"),
        source,
    })?;
    let Some(text) = text else { return Ok(None) };
    let surface =
        Surface::from_json(&text).and_then(|surface| match surface.target == memory.name {
            true => Ok(surface),
            false => Err(SurfaceError::Syntax {
                line: 1,
                column: 1,
                problem: format!("it is of {}", surface.target),
            }),
        });
    match surface {
        Ok(surface) => Ok(Some(surface)),
        Err(why) => {
            document.warn(LabWarning::SurfaceUnread {
                key: &key,
                why: &why,
            });
            Ok(None)
        }
    }
}

fn keep(key: &str, surface: &Surface, control: &Control<'_>) -> Result<(), LabError> {
    let Some(shelf) = control.surfaces else {
        return Ok(());
    };
    (shelf.write)(key, &surface.to_json()).map_err(|source| LabError::Unwritable {
        what: format!("surface {key}"),
        source,
    })
}

/// Simulates all curves of a memory; none where the caller stopped it.
fn simulated(
    test: &Test<'_>,
    of: &SurfaceTest,
    memory: &ModuleMemory<'_>,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<Option<Surface>, LabError> {
    let mut runs = Vec::new();
    for write_share in &of.write_shares {
        for locality in &of.localities {
            for &imbalance in &of.imbalances {
                runs.push(CurveRun {
                    test,
                    memory,
                    write_share: write_share.si(),
                    locality: locality.si(),
                    imbalance,
                    confidence: of.confidence.si(),
                });
            }
        }
    }
    let cases = runs.iter().map(|run| {
        let work = move |control: &Control<'_>| run.points(control);
        Case::new(run.name(), POINTS_MAX as u64, work)
    });
    let ended = case::run_fallible(cases.collect(), control)?;
    let mut curves = Vec::new();
    let mut unsure = 0;
    for ended in ended {
        let Some(curve) = ended.transpose()?.flatten() else {
            return Ok(None);
        };
        unsure += curve.unsure;
        curves.push(SurfaceCurve {
            points: curve.points,
        });
    }
    if unsure > 0 {
        document.warn(LabWarning::SurfaceUnsure {
            target: &memory.name,
            count: &unsure,
            wanted: &of.confidence,
            longest: &point::longest(),
        });
    }
    let si = |shares: &[Fraction]| shares.iter().map(|share| share.si()).collect();
    let surface = Surface {
        schema: Surface::SCHEMA,
        target: memory.name.clone(),
        write_shares: si(&of.write_shares),
        localities: si(&of.localities),
        imbalances: of.imbalances.clone(),
        curves,
    };
    surface.check().map_err(|source| LabError::Surface {
        target: memory.name.clone(),
        source,
    })?;
    Ok(Some(surface))
}
