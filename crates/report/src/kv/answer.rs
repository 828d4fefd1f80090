//! What the rows say, in plain words.

use wordline_core::results::ResultSet;
use wordline_core::{KvTable, KvTest, KvWorkload, Metric, Workload};

use super::{Run, each};
use crate::answer::{IN_WORDS, Told};
use crate::text;

pub(crate) fn told(document: &ResultSet) -> Told {
    let runs = Run::all_of(document);
    let all: Vec<_> = runs.iter().collect();
    let mut sentences = Vec::new();
    for target in each(&all, |run| run.head().target.clone())
        .into_iter()
        .take(IN_WORDS)
    {
        let of_target = |operation: &str| {
            let runs = all.iter().filter(|run| {
                run.head().target == target
                    && run.head().operation == operation
                    && run.number(Metric::OpsRate).is_some()
            });
            runs.copied().collect::<Vec<_>>()
        };
        let mixes = of_target("all");
        for work in each(&mixes, |run| run.axis("work"))
            .into_iter()
            .take(IN_WORDS)
        {
            let of_work = mixes.iter().filter(|run| run.axis("work") == work);
            sentences.extend(rates(
                &target,
                &format!("operations of {work}"),
                &of_work.copied().collect::<Vec<_>>(),
            ));
        }
        for (operation, plural) in [("insert", "inserts"), ("hit", "hits")] {
            let sweep = of_target(operation)
                .into_iter()
                .filter(|run| run.is_sweep());
            sentences.extend(rates(&target, plural, &sweep.collect::<Vec<_>>()));
        }
    }
    let is_sample = matches!(
        &document.experiment.workload,
        Workload::Kv(KvWorkload { test: KvTest::Crash(crash), .. }) if crash.images.is_some()
    );
    sentences.extend(power_cuts(&all, is_sample));
    let fragile = KvTable::ALL.into_iter().filter(|table| {
        !table.survives_power_cuts()
            && all.iter().any(|run| {
                run.axis("table") == table.name() && run.number(Metric::OpsRate).is_some()
            })
    });
    let fragile: Vec<_> = fragile.map(KvTable::title).collect();
    if !fragile.is_empty() {
        sentences.push(format!(
            "A power cut can harm what {} {}: such figures buy less than those of a table that survives.",
            text::list(&fragile),
            if fragile.len() == 1 { "holds" } else { "hold" }
        ));
    }
    Told {
        sentences,
        singly: false,
    }
}

/// "On a@b at load 50 %, inserts in a second, and bytes moved over the least possible: of 2 B LPHT 1.2 M/s (1.40), …; of
/// 256 B …"
fn rates(target: &str, operations: &str, timed: &[&Run<'_>]) -> Option<String> {
    let first = timed.first()?;
    let same = |run: &&&Run<'_>| {
        let same = |axis| run.axis(axis) == first.axis(axis);
        run.head().timing == first.head().timing && same("load") && same("build")
    };
    let timed: Vec<_> = timed.iter().filter(same).copied().collect();
    let mut sizes = each(&timed, Run::sizes);
    let last = sizes.pop()?;
    let ends = sizes.into_iter().take(1).chain([last]);
    let clauses = ends.map(|size| {
        let of_size = timed.iter().filter(|run| run.sizes() == size);
        let tables = of_size.filter_map(|run| {
            let rate = text::number(Metric::OpsRate, run.number(Metric::OpsRate)?, text::DIGITS);
            let moved = run.over_floor().map(|ratio| format!(" ({ratio:.2})"));
            Some(format!(
                "{} {rate}{}",
                run.table(),
                moved.unwrap_or_default()
            ))
        });
        let size = if size == "many" { "many sizes" } else { &size };
        format!("of {size} {}", tables.collect::<Vec<_>>().join(", "))
    });
    let load = first.axis("load");
    Some(format!(
        "On {target} at load {load}, {operations} in a second, and in brackets bytes moved over the least possible: {}.",
        clauses.collect::<Vec<_>>().join("; ")
    ))
}

/// "Every image that power cuts leave of wordline-kv is old or new; of LPHT 18 of 240 images are neither."
fn power_cuts(runs: &[&Run<'_>], is_sample: bool) -> Option<String> {
    let cut = runs
        .iter()
        .filter(|run| run.number(Metric::CrashImages).is_some());
    let cut: Vec<_> = cut.copied().collect();
    let told = each(&cut, |run| run.axis("table"))
        .into_iter()
        .map(|table| {
            let of_table = cut.iter().filter(|run| run.axis("table") == table);
            let sum = |metric| {
                of_table
                    .clone()
                    .filter_map(|run| run.number(metric))
                    .sum::<f64>()
            };
            let (images, failures) = (sum(Metric::CrashImages), sum(Metric::CrashFailures));
            let title = of_table.clone().next().map_or(table, |run| run.title());
            match failures {
                0.0 => format!("of {title} none of {images:.0} breaks the promise"),
                _ => format!("of {title} {failures:.0} of {images:.0} break it"),
            }
        });
    let told: Vec<_> = told.collect();
    (!told.is_empty()).then(|| {
        let of = match is_sample {
            true => {
                "Of a sample of the images that power cuts leave (--images), which proves nothing"
            }
            false => "Of the images that power cuts leave",
        };
        format!(
            "{of}, {}: a call is done or not done, and what returned lasts.",
            told.join("; ")
        )
    })
}
