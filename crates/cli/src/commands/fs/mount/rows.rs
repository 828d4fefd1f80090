//! What a mount took, in rows.

use wordline_core::quantity::Quantity as _;
use wordline_lab::Spent;
use wordline_nvm::Wear;
use wordline_report::{Column, Grid};

/// A row for each figure. Wear is since the memory was made.
pub(super) fn grid(spent: &Spent) -> Grid {
    let columns = vec![
        Column::left("metric"),
        Column::right("value"),
        Column::left("unit"),
    ];
    let mut grid = Grid::new("", columns);
    let mut row = |metric: &str, value: String, unit: &str| {
        grid.push([metric.to_owned(), value, unit.to_owned()]);
    };
    row("simulated_time", format!("{:.6}", spent.time.si()), "s");
    for (kind, count, bytes) in &spent.operations {
        let name = kind.name();
        row(&format!("operations_{name}"), count.to_string(), "1");
        row(&format!("bytes_{name}"), bytes.to_string(), "B");
    }
    let energy = spent.energy_j.map(|energy| format!("{energy:.9}"));
    row("energy_total", energy.unwrap_or("unknown".into()), "J");
    let wear = &spent.wear;
    row("wear_most", wear.most.to_string(), "cycles");
    row("wear_mean", format!("{:.3}", wear.mean), "cycles");
    row("wear_units", wear.units.to_string(), "1");
    row("wear_unit_bytes", wear.unit_bytes.to_string(), "B");
    if wear.endurance != Wear::UNLIMITED {
        row("endurance", wear.endurance.to_string(), "cycles");
    }
    grid
}
