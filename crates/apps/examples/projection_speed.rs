//! Projections a second of processor time, once the surfaces are there: each with a band of 200 draws.

use std::time::Instant;

use wordline_apps::{
    BandRequest, Profile, ProjectedMemory, Surface, SurfaceCurve, SurfacePoint, SurfaceTable,
    project,
};

/// A surface with as many curves and points as one that was simulated has.
fn surface(idle_ns: f64, lines_per_ns: f64) -> SurfaceTable {
    let curve = |_| SurfaceCurve {
        points: (1..=12)
            .map(|step| {
                let outstanding = 275.0 * f64::from(step);
                let latency_ns = idle_ns.max(outstanding / lines_per_ns) + 0.02 * outstanding;
                SurfacePoint {
                    outstanding,
                    latency_ns,
                    error_ns: 1.0,
                    read_p50_ns: latency_ns,
                    read_p99_ns: latency_ns,
                    read_ns: latency_ns,
                    bytes_per_s: outstanding * 64e9 / latency_ns,
                    power_w: 100.0,
                }
            })
            .collect(),
    };
    SurfaceTable::of(&Surface {
        schema: Surface::SCHEMA,
        target: "a@b".to_owned(),
        write_shares: vec![0.0, 0.2, 0.35, 0.5],
        localities: vec![0.0, 0.5, 1.0],
        imbalances: vec![1.0, 1.5, 2.5],
        curves: (0..36).map(curve).collect(),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const TIMES: u32 = 200;
    let text = include_str!("../../../examples/solver-profile.json");
    let profile = Profile::from_json(text)?;
    let (base, target) = (surface(105.0, 10.0), surface(107.0, 14.0));
    let memory = |surface, id| ProjectedMemory {
        surface,
        misses_per_core: 26.0,
        id,
    };
    let (base, target) = (memory(&base, 1), memory(&target, 2));
    let start = Instant::now();
    for seed in 0..TIMES {
        let band = BandRequest {
            draws: 200,
            seed: seed.into(),
        };
        project(&profile, base, target, Some(band))?;
    }
    let rate = f64::from(TIMES) / start.elapsed().as_secs_f64();
    let mut out = std::io::stdout();
    std::io::Write::write_fmt(&mut out, format_args!("{rate:.0} projections a second\n"))?;
    Ok(())
}
