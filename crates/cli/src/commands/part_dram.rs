//! What `wordline part show` prints of DRAM modules and systems beside their figures: the clocks that the rules of the
//! dies become, and every choice with its alternatives.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wordline_catalog::{Catalog, Module, ModuleInSystem, System};
use wordline_dram::sheet::{Settings, SheetChoice};
use wordline_dram::{ClockDomain, Timing};
use wordline_report::{Column, Grid};

use crate::failure::{self, Failure};

/// One distance: its symbol, what it is, and whether the system has a part in it.
type Row = (&'static str, &'static str, bool, fn(&Timing) -> u32);

/// The distances that are shown, in the order of the standard.
const ROWS: [Row; 34] = [
    ("CL", "RD to data", false, |t| t.cl),
    ("CWL", "WR to data", false, |t| t.cwl),
    ("tRCD", "ACT to RD or WR", false, |t| t.rcd),
    ("tRP", "PRE to ACT", false, |t| t.rp),
    ("tRAS", "ACT to PRE", false, |t| t.ras),
    ("tRC", "ACT to ACT of a bank", false, |t| t.rc),
    ("tRTP", "RD to PRE", false, |t| t.rtp),
    ("tWR", "written data to PRE", false, |t| t.wr),
    ("tCCD_S", "RD to RD, other bank group", false, |t| t.ccd_s),
    ("tCCD_M", "RD to RD, other bank of the group", false, |t| {
        t.ccd_m
    }),
    ("tCCD_L", "RD to RD, same bank", false, |t| t.ccd_l),
    (
        "tCCD_M_WR",
        "WR to WR, other bank of the group",
        false,
        |t| t.ccd_m_wr,
    ),
    ("tCCD_L_WR", "WR to WR, same bank", false, |t| t.ccd_l_wr),
    (
        "tWTR_S",
        "written data to RD, other bank group",
        false,
        |t| t.wtr_s,
    ),
    (
        "tWTR_M",
        "written data to RD, other bank of the group",
        false,
        |t| t.wtr_m,
    ),
    ("tWTR_L", "written data to RD, same bank", false, |t| {
        t.wtr_l
    }),
    ("tRRD_S", "ACT to ACT, other bank group", false, |t| t.rrd_s),
    ("tRRD_L", "ACT to ACT, same bank group", false, |t| t.rrd_l),
    ("tFAW", "first to fifth ACT", false, |t| t.faw),
    ("tPPD", "PRE to PRE", false, |t| t.ppd),
    ("tREFI", "mean distance of REFab", false, |t| t.refi),
    ("tRFC", "REFab to ACT", false, |t| t.rfc),
    ("tREFI/sb", "mean distance of REFsb", false, |t| t.refi_sb),
    ("tRFCsb", "REFsb to ACT of its banks", false, |t| t.rfc_sb),
    ("REFsb-REFsb", "REFsb to REFsb of other banks", false, |t| {
        t.refsb_gap
    }),
    ("tREFSBRD", "REFsb to ACT of other banks", false, |t| {
        t.refsbrd
    }),
    ("tPD", "power-down entry to exit", false, |t| t.pd),
    ("tXP", "power-down exit to a command", false, |t| t.xp),
    ("RD-WR", "in a rank", true, |t| t.rtw),
    ("rank gap", "idle bus between ranks", true, |t| t.rank_gap),
    (
        "pair RD-RD",
        "other pseudo-channel; WR-WR alike",
        true,
        |t| t.pair_burst,
    ),
    ("pair RD-WR", "other pseudo-channel", true, |t| t.pair_rtw),
    ("pair WR-RD", "other pseudo-channel", true, |t| t.pair_wtr),
    ("burst", "clocks of the data bus", false, |t| t.burst),
];

/// Whether a rule exists for a target: not every die can refresh single banks, nor every module joins ranks in pairs.
fn applies(symbol: &str, target: &ModuleInSystem<'_>) -> bool {
    if ["tREFI/sb", "tRFCsb", "REFsb-REFsb", "tREFSBRD"].contains(&symbol) {
        return target.die.sheet.rules.same_bank.is_some();
    }
    !symbol.starts_with("pair ") || target.module.sheet.pair.is_some()
}

/// What is shown of a module or system.
pub(crate) struct PartView {
    /// The target that the clocks hold for; `None` where no module is named.
    title: Option<String>,
    rows: Vec<Row>,
    /// The timing of each speed bin.
    bins: BTreeMap<String, (ClockDomain, Timing)>,
    choices: Vec<SheetChoice>,
}

impl PartView {
    /// A module by itself: what only a system decides is left out.
    pub(crate) fn of_module(catalog: &Catalog, module: &Module) -> Result<Self, Failure> {
        let choices = module.sheet.choices();
        // Any system that it fits will do.
        let target = |system: &System| {
            let name = format!("{}@{}", module.header.id, system.header.id);
            catalog.module_in_system(&name).map_err(failure::catalog)
        };
        let targets: Vec<_> = catalog.systems().map(target).collect::<Result<_, _>>()?;
        let fits = |target: &&ModuleInSystem<'_>| target.connect(&Settings::new()).is_ok();
        let Some(target) = targets.iter().find(fits) else {
            return Ok(Self::of_choices(choices));
        };
        let rows = ROWS.into_iter().filter(|row| !row.2).collect();
        Self::new(target, &module.header.id, rows, choices)
    }

    /// A module in a system.
    pub(crate) fn of_target(target: &ModuleInSystem<'_>) -> Result<Self, Failure> {
        Self::new(target, &target.name, ROWS.into(), target.choices())
    }

    /// A system by itself.
    pub(crate) fn of_system(system: &System) -> Self {
        Self::of_choices(system.sheet.choices())
    }

    fn of_choices(choices: Vec<SheetChoice>) -> Self {
        Self {
            title: None,
            rows: Vec::new(),
            bins: BTreeMap::new(),
            choices,
        }
    }

    fn new(
        target: &ModuleInSystem<'_>,
        title: &str,
        rows: Vec<Row>,
        choices: Vec<SheetChoice>,
    ) -> Result<Self, Failure> {
        let rate = *target.module.sheet.dram_rate_mts.value();
        let fitting = target
            .die
            .sheet
            .bin
            .iter()
            .filter(|bin| bin.rate_mts == rate);
        let connected = |name: &str| {
            let settings = Settings::from([("speed_bin".to_owned(), name.to_owned())]);
            let connected = target.connect(&settings);
            let connected =
                connected.map_err(|error| failure::message(format!("{}: {error}", target.name)))?;
            let config = connected.config.sub_channel;
            Ok((name.to_owned(), (config.clock, config.timing)))
        };
        Ok(Self {
            title: Some(title.to_owned()),
            rows: rows
                .into_iter()
                .filter(|row| applies(row.0, target))
                .collect(),
            bins: fitting
                .map(|bin| connected(&bin.name))
                .collect::<Result<_, Failure>>()?,
            choices,
        })
    }

    /// The clocks of each bin, and the choices.
    pub(crate) fn grids(&self) -> [Option<Grid>; 2] {
        [self.timing(), self.choice_grid()]
    }

    fn timing(&self) -> Option<Grid> {
        let title = self.title.as_ref()?;
        let (clock, _) = self.bins.values().next()?;
        let mut columns = vec![Column::left("rule"), Column::left("distance")];
        for bin in self.bins.keys() {
            columns.push(Column::right(format!("bin {bin} nCK")));
            columns.push(Column::right(format!("bin {bin} ns")));
        }
        let title = format!(
            "Clocks of {title} at {} MT/s (computed)",
            clock.data_rate_mts
        );
        let mut grid = Grid::new(title, columns);
        for (symbol, meaning, _, clocks) in &self.rows {
            let mut cells = vec![(*symbol).to_owned(), (*meaning).to_owned()];
            for (clock, timing) in self.bins.values() {
                let clocks = clocks(timing);
                cells.push(clocks.to_string());
                cells.push(format!("{:.2}", clock.ps(clocks.into()) as f64 / 1000.0));
            }
            grid.push(cells);
        }
        Some(grid)
    }

    fn choice_grid(&self) -> Option<Grid> {
        if self.choices.is_empty() {
            return None;
        }
        let columns = ["choice", "value", "alternatives", "reason"];
        let mut grid = Grid::new("Choices", columns.map(Column::left).into());
        for choice in &self.choices {
            grid.push([
                choice.name.to_owned(),
                choice.value.clone(),
                choice.alternatives.join(", "),
                choice.reason.clone(),
            ]);
        }
        Some(grid)
    }

    /// The same for programs: clocks by bin and symbol, and the choices.
    pub(crate) fn json(&self) -> Value {
        let timing = |(bin, (clock, timing)): (&String, &(ClockDomain, Timing))| {
            let clocks = self.rows.iter();
            let clocks: BTreeMap<_, _> =
                clocks.map(|(name, _, _, of)| (*name, of(timing))).collect();
            (
                bin.clone(),
                json!({ "data_rate_mts": clock.data_rate_mts, "nck": clocks }),
            )
        };
        let choices = self.choices.iter().map(|choice| {
            json!({
                "name": choice.name,
                "value": choice.value,
                "alternatives": choice.alternatives,
                "reason": choice.reason,
            })
        });
        json!({
            "target": self.title,
            "timing": self.bins.iter().map(timing).collect::<serde_json::Map<_, _>>(),
            "choices": choices.collect::<Vec<_>>(),
        })
    }
}
