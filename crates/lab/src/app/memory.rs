//! The memories of a projection, each with its surface: from a file that the user named, of those that come along, or simulated
//! on the way.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read as _;

use wordline_apps::{ProjectedMemory, Surface, SurfaceTable};
use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_core::draw::hash_name;
use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::{DramTest, DramWorkload, Experiment, ResultSet, SurfaceTest, Timing, Workload};
use wordline_dram::SystemConfig;
use wordline_dram::sheet::Settings;

use crate::control::Control;
use crate::dram;
use crate::error::{LabError, SettingProblem};
use crate::warning::LabWarning;

/// No surface is larger.
const BYTES_MAX: u64 = 64 << 20;

/// A memory with its surface.
pub(super) struct ProgramMemory<'a> {
    pub(super) target: ModuleInSystem<'a>,
    surface: SurfaceTable,
    misses_per_core: f64,
    config: SystemConfig,
}

/// What a program's phases ask of a surface: the least and the greatest of each axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedPlaces {
    pub(super) write_share: [f64; 2],
    pub(super) locality: [f64; 2],
    pub(super) imbalance: [f64; 2],
}

impl<'a> ProgramMemory<'a> {
    /// The memories of these names in their order; `None` where the caller stopped it.
    pub(super) fn all(
        catalog: &'a Catalog,
        names: &[String],
        files: &[String],
        asked: AskedPlaces,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<Option<Vec<Self>>, LabError> {
        let mut surfaces = named(files, names, control)?;
        let mut memories = Vec::new();
        for name in names {
            let target = catalog.module_in_system(name)?;
            let connected =
                target
                    .connect(&Settings::new())
                    .map_err(|source| LabError::Setting {
                        target: name.clone(),
                        source,
                    })?;
            let surface = match surfaces.get(name) {
                Some(surface) => surface.clone(),
                None => {
                    let mut note = || document.warn(LabWarning::SurfaceSimulated { target: name });
                    match surface_of(catalog, name, asked, control, &mut note)? {
                        Some(surface) => surface,
                        None => return Ok(None),
                    }
                }
            };
            let cores = &connected.config.cores;
            reaches(&surface, f64::from(cores.cores) * f64::from(cores.misses))?;
            dram::sources::add(document, &target, &Settings::new());
            memories.push(Self {
                misses_per_core: f64::from(connected.config.cores.misses),
                config: connected.config,
                surface: SurfaceTable::of(&surface),
                target,
            });
            surfaces.insert(name.clone(), surface);
        }
        Ok(Some(memories))
    }

    pub(super) fn name(&self) -> &str {
        &self.target.name
    }

    /// Modules that the system has: one a channel.
    pub(super) fn modules(&self) -> f64 {
        f64::from(self.config.channels)
    }

    /// Cores of its system.
    pub(super) fn cores(&self) -> u32 {
        self.config.cores.cores
    }

    /// The simulated system.
    pub(super) fn config(&self) -> &SystemConfig {
        &self.config
    }

    pub(super) fn projected(&self) -> ProjectedMemory<'_> {
        ProjectedMemory {
            surface: &self.surface,
            misses_per_core: self.misses_per_core,
            id: hash_name(&self.target.name),
        }
    }
}

/// Whether every curve goes as far as cores can have lines under way: the memory is saturated at its end.
fn reaches(surface: &Surface, most: f64) -> Result<(), LabError> {
    /// The simulated means lie a little below and above.
    const ENOUGH: f64 = 0.9;
    let ends = surface
        .curves
        .iter()
        .filter_map(|curve| curve.points.last());
    let found = ends
        .map(|point| point.outstanding)
        .fold(f64::INFINITY, f64::min);
    if found >= ENOUGH * most {
        return Ok(());
    }
    let target = surface.target.clone();
    Err(SettingProblem::SurfaceCut {
        target,
        found,
        most,
    }
    .of("surface"))
}

/// The surfaces of files, by their targets.
fn named(
    files: &[String],
    names: &[String],
    control: &Control<'_>,
) -> Result<BTreeMap<String, Surface>, LabError> {
    let mut surfaces = BTreeMap::new();
    for file in files {
        let mut text = String::new();
        let opened = control.open(file)?;
        let read = opened.take(BYTES_MAX).read_to_string(&mut text);
        read.map_err(|source| LabError::Unreadable {
            file: file.clone(),
            source,
        })?;
        let surface = Surface::from_json(&text).map_err(|source| LabError::Surface {
            target: file.clone(),
            source,
        })?;
        if !names.contains(&surface.target) {
            let problem = SettingProblem::SurfaceOfNone {
                file: file.clone(),
                target: surface.target,
                names: names.join(", "),
            };
            return Err(problem.of("surface"));
        }
        surfaces.insert(surface.target.clone(), surface);
    }
    Ok(surfaces)
}

/// The surface of a memory that comes along, or one that is simulated, of which `note` hears; `None` where the caller stopped it.
pub(super) fn surface_of(
    catalog: &Catalog,
    name: &str,
    asked: AskedPlaces,
    control: &Control<'_>,
    note: &mut dyn FnMut(),
) -> Result<Option<Surface>, LabError> {
    if let Some(surface) = dram::shipped_surface(catalog, name, &Settings::new())? {
        return Ok(Some(surface));
    }
    note();
    simulated(catalog, name, asked, control)
}

/// A surface that covers what is asked, and no more.
fn simulated(
    catalog: &Catalog,
    name: &str,
    asked: AskedPlaces,
    control: &Control<'_>,
) -> Result<Option<Surface>, LabError> {
    let whole = SurfaceTest::default();
    let shares = |all: &[Fraction], [least, greatest]: [f64; 2]| {
        let values: Vec<f64> = all.iter().map(|share| share.si()).collect();
        let range = covering(&values, least, greatest);
        all[range].to_vec()
    };
    let range = covering(&whole.imbalances, asked.imbalance[0], asked.imbalance[1]);
    let test = SurfaceTest {
        write_shares: shares(&whole.write_shares, asked.write_share),
        localities: shares(&whole.localities, asked.locality),
        imbalances: whole.imbalances[range].to_vec(),
        ..whole
    };
    let workload = DramWorkload {
        measure_ps: SurfaceTest::MEASURE_PS,
        ..DramWorkload::of(DramTest::Surface(test))
    };
    let experiment = Experiment {
        targets: vec![name.to_owned()],
        workload: Workload::Dram(workload),
        timings: vec![Timing::Max],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let taken = RefCell::new(None);
    let take = |_: &str, text: &str| {
        *taken.borrow_mut() = Some(text.to_owned());
        Ok(())
    };
    let control = Control {
        surface: Some(&take),
        ..*control
    };
    crate::run(catalog, &experiment, &control)?;
    let text = taken.borrow_mut().take();
    let surface = text.map(|text| Surface::from_json(&text)).transpose();
    surface.map_err(|source| LabError::Surface {
        target: name.to_owned(),
        source,
    })
}

/// Which values of an ascending axis enclose a range.
fn covering(axis: &[f64], least: f64, greatest: f64) -> std::ops::Range<usize> {
    let from = axis
        .partition_point(|value| *value <= least)
        .saturating_sub(1);
    let to = axis.partition_point(|value| *value < greatest);
    from..(to + 1).min(axis.len()).max(from + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_is_simulated() {
        let axis = [0.0, 0.2, 0.35, 0.5];
        assert_eq!(covering(&axis, 0.0, 0.0), 0..1);
        assert_eq!(covering(&axis, 0.2, 0.2), 1..2);
        assert_eq!(covering(&axis, 0.1, 0.25), 0..3);
        assert_eq!(covering(&axis, 0.4, 0.9), 2..4);
        assert_eq!(covering(&axis, 0.9, 0.9), 3..4);
    }
}
