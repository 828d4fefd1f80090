//! The eleven published pairs, on surfaces of one channel that stands for the twelve of the server.
//!
//! Inputs are those that were fixed before the first run, in `crates/lab/published/mrdimm-applications`. All channels have as
//! much to do here, so that the imbalance of a profile counts for nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toml::{Table, Value};
use wordline_apps::{BandRequest, PlainEstimates, Profile, ProjectedMemory, SurfaceTable, project};
use wordline_core::draw::hash_name;

use super::system::Memory;

/// Channels of the server.
const CHANNELS: f64 = 12.0;

/// A published speed-up, and what stands beside it.
struct PublishedPair {
    name: String,
    published: f64,
    ours: f64,
    band: [f64; 2],
    plain: PlainEstimates,
}

fn table(file: &str) -> Table {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../lab/published/mrdimm-applications/"
    );
    let text = std::fs::read_to_string(format!("{folder}{file}")).expect("it is there");
    text.parse().expect("it is TOML")
}

fn text<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    table.get(key).and_then(Value::as_str)
}

/// The surface of a module behind the whole server.
fn whole(module: &str) -> (SurfaceTable, f64) {
    let memory = Memory::new(module);
    let mut surface = memory.surface(&[0.0, 0.15, 0.35], &[0.0, 0.5, 1.0], 40);
    for point in surface
        .curves
        .iter_mut()
        .flat_map(|curve| &mut curve.points)
    {
        point.outstanding *= CHANNELS;
        point.bytes_per_s *= CHANNELS;
    }
    (SurfaceTable::of(&surface), memory.misses())
}

fn pairs() -> Vec<PublishedPair> {
    let document = table("document.toml");
    let values = table("applications.toml");
    let mut surfaces: BTreeMap<String, (SurfaceTable, f64)> = BTreeMap::new();
    let mut pairs = Vec::new();
    for value in values["value"].as_array().expect("a list") {
        let value = value.as_table().expect("a table");
        let of = value["of"].as_table().expect("a table");
        let name = text(of, "experiment").expect("named");
        if text(of, "metric") != Some("speed_up") || value.contains_key("needs") {
            continue;
        }
        let target = text(of, "target")
            .or_else(|| text(&document, "target"))
            .expect("one of both");
        let profile = &document["experiment"][name]["workload"]["profile"];
        let json = serde_json::to_string(profile).expect("plain data");
        let profile = Profile::from_json(&json).expect("it is a profile");
        for module in [&*profile.baseline, target] {
            let id = module.split('@').next().unwrap_or(module);
            surfaces
                .entry(module.to_owned())
                .or_insert_with(|| whole(id));
        }
        let memory = |module: &str| {
            let (surface, misses_per_core) = &surfaces[module];
            ProjectedMemory {
                surface,
                misses_per_core: *misses_per_core,
                id: hash_name(module),
            }
        };
        let (baseline, target) = (memory(&profile.baseline), memory(target));
        let band = BandRequest {
            draws: 400,
            seed: 0,
        };
        let found = project(&profile, baseline, target, Some(band)).expect("it can be projected");
        let band = found.band.expect("it was asked for");
        pairs.push(PublishedPair {
            name: name.to_owned(),
            published: text(value, "published")
                .and_then(|text| text.parse().ok())
                .expect("a number"),
            ours: found.speed_up,
            band: [band.low, band.high],
            plain: PlainEstimates::of(&profile, baseline, target),
        });
    }
    pairs
}

fn median_without(pairs: &[PublishedPair], without: usize) -> f64 {
    let others = pairs
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != without);
    let mut others: Vec<f64> = others.map(|(_, pair)| pair.published).collect();
    others.sort_by(f64::total_cmp);
    let middle = others.len() / 2;
    f64::midpoint(others[middle - 1], others[middle])
}

fn report(pairs: &[PublishedPair]) -> String {
    let mut text = String::from(
        "| program | published | ours | 5-95 % | steady mean | roofline | median of the others |\n",
    );
    let mut sums = [0.0; 5];
    let mut inside = 0;
    for (index, pair) in pairs.iter().enumerate() {
        let median = median_without(pairs, index);
        let plain = &pair.plain;
        let [low, high] = pair.band;
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.2} | {low:.2} to {high:.2} | {:.2} | {:.2} | {median:.2} |",
            pair.name, pair.published, pair.ours, plain.steady, plain.roofline
        );
        let estimates = [
            pair.ours,
            plain.always,
            plain.roofline,
            median,
            plain.steady,
        ];
        for (sum, estimate) in sums.iter_mut().zip(estimates) {
            *sum += (estimate - pair.published).abs() / pairs.len() as f64;
        }
        // Published speed-ups have two decimals.
        inside += usize::from((low - 0.005..=high + 0.005).contains(&pair.published));
    }
    let names = [
        "ours",
        "always 1.375",
        "roofline",
        "median of the others",
        "steady mean",
    ];
    for (name, sum) in names.iter().zip(sums) {
        let _ = writeln!(text, "mean absolute error, {name}: {sum:.3}");
    }
    let _ = writeln!(
        text,
        "published inside the band: {inside} of {}",
        pairs.len()
    );
    text
}

#[test]
#[ignore = "minutes of simulation, which `make nightly` has"]
fn eleven_published_pairs_stand_beside_simpler_rules() {
    let pairs = pairs();
    println!("{}", report(&pairs));
    assert_eq!(pairs.len(), 11);
    // What holds today is in docs/evidence/app-projection.md.
    let count = pairs.len() as f64;
    let errors = pairs.iter().map(|pair| (pair.ours - pair.published).abs());
    let error = errors.sum::<f64>() / count;
    assert!(error <= 0.115, "the mean error is {error}");
}
