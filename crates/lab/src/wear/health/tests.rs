//! What the predictor promises, on few families.

use wordline_core::{Experiment, HealthWorkload, Metric, ResultSet, Timing, Workload};

use crate::control::Control;

fn scored(families: u32, seed: u64) -> ResultSet {
    let workload = HealthWorkload::Score { families };
    let experiment = Experiment {
        targets: Vec::new(),
        workload: Workload::Health(workload.clone()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed,
        ftl: None,
    };
    let mut document = ResultSet::new(experiment.clone());
    super::run(&workload, &experiment, &Control::default(), &mut document)
        .expect("it can be scored");
    document
}

#[test]
fn dump() {
    let document = scored(20, 1);
    for row in &document.rows {
        if !row.axes.contains_key("life_share") || row.metric == Metric::PredictionError {
            println!("{} {:?} {} {:?}", row.part, row.axes, row.metric, row.value);
        }
    }
}
