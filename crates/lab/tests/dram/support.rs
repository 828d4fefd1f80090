//! Experiments of one channel and a few cores, and what their documents say.

use std::collections::BTreeMap;

use wordline_catalog::Catalog;
use wordline_core::results::Row;
use wordline_core::{
    Axis, Band, BandwidthTest, DramTest, DramWorkload, Experiment, IdleTest, LoadedTest, Metric,
    Mix, Pattern, ResultSet, Timing, Workload,
};
use wordline_lab::{Control, LabError, run};

pub(crate) const RDIMM: &str = "rdimm-6400-2rx4-64g@xeon6-1s";
pub(crate) const MRDIMM: &str = "mrdimm-8800-2rx4-64g@xeon6-1s";

/// One channel and as many cores as load it.
pub(crate) fn small() -> BTreeMap<String, String> {
    let settings = [("channels", "1"), ("cores", "12")];
    let owned = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    owned.into()
}

pub(crate) fn of(test: DramTest) -> Experiment {
    let workload = DramWorkload {
        warm_up_ps: 5_000_000,
        measure_ps: 10_000_000,
        settings: small().into(),
        ..DramWorkload::of(test)
    };
    Experiment {
        targets: vec![RDIMM.to_owned(), MRDIMM.to_owned()],
        workload: Workload::Dram(workload),
        timings: vec![Timing::Max],
        age: 0.0,
        seed: 1,
        ftl: None,
    }
}

pub(crate) fn idle() -> Experiment {
    of(DramTest::Idle(IdleTest { samples: 2000 }))
}

pub(crate) fn bandwidth(mixes: &[Mix], band: Band) -> Experiment {
    of(DramTest::Bandwidth(BandwidthTest {
        mixes: mixes.to_vec(),
        patterns: vec![Pattern::Sequential],
        band,
        draws: 8,
    }))
}

pub(crate) fn loaded(delays: &[u64]) -> Experiment {
    of(DramTest::Loaded(LoadedTest {
        delays_cycles: delays.to_vec(),
        mix: Mix::Reads,
        pattern: Pattern::Sequential,
        samples: 500,
        probes: 1,
        within_ps: vec![100_000, 10_000_000],
        ..LoadedTest::default()
    }))
}

pub(crate) fn dram(experiment: &mut Experiment) -> &mut DramWorkload {
    let Workload::Dram(dram) = &mut experiment.workload else {
        unreachable!("it is about modules")
    };
    dram
}

pub(crate) fn with(experiment: &Experiment, control: &Control<'_>) -> Result<ResultSet, LabError> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    run(&catalog, experiment, control)
}

pub(crate) fn ran(experiment: &Experiment) -> ResultSet {
    let document = with(experiment, &Control::default()).expect("it runs");
    assert_eq!(document.check(), Ok(()));
    assert!(document.complete);
    document
}

pub(crate) fn refusal(change: impl FnOnce(&mut Experiment)) -> String {
    let mut experiment = loaded(&[0, 100]);
    change(&mut experiment);
    let refused = with(&experiment, &Control::default());
    refused.expect_err("refused").to_string()
}

/// Whether a row has none of the axes that mark estimates, comparisons and shares.
pub(crate) fn is_plain(row: &Row) -> bool {
    let special = [Axis::Estimate, Axis::Over, Axis::WithinS, Axis::Load];
    special.iter().all(|axis| !row.axes.contains_key(axis))
}

/// Sums of a metric's parts by everything else that identifies them.
pub(crate) fn sums(document: &ResultSet, metric: Metric) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for row in document.of(metric) {
        let mut whole = row.clone();
        whole.axes.remove(&Axis::Cause);
        whole.metric = Metric::AccessCount;
        *sums.entry(whole.identity()).or_insert(0.0) += row.value.expect("a number");
    }
    sums
}

/// The values of a metric by everything else that identifies them, as [`sums`] has it.
pub(crate) fn wholes(document: &ResultSet, metric: Metric) -> BTreeMap<String, f64> {
    let rows = document.of(metric);
    let whole = |row: &Row| {
        let mut whole = row.clone();
        whole.metric = Metric::AccessCount;
        Some((whole.identity(), row.value?))
    };
    rows.filter_map(whole).collect()
}
