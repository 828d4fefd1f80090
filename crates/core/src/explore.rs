//! A design space, and what is asked of it.
//!
//! A [`DesignSpace`] is a [`Sweep`] with objectives: its answer is the Pareto front, the points that no other is at least as good
//! as in every objective and better in one. [`ParetoObjective::better`] decides that by the registry of metrics.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::metric::{Better, Metric};
use crate::operation::RowOperation;
use crate::results::{NoValue, ResultSet, Row, SCHEMA_VERSION};
use crate::sweep::{Condition, Sweep, SweepAxis, SweepError, is_within};

/// Objectives beyond which nearly every point lies on the front.
pub const OBJECTIVES_MAX: usize = 6;

/// A sweep whose points are weighed against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignSpace {
    /// The experiment. What it leaves out is as its command has it without a flag.
    #[schemars(with = "Map<String, Value>")]
    pub experiment: Value,
    /// How it is varied, as in a sweep.
    #[serde(rename = "axis", default)]
    pub axes: Vec<SweepAxis>,
    /// Points that are left out, as in a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave_out: Vec<BTreeMap<String, Condition>>,
    /// What makes one point better than another.
    #[serde(rename = "objective", default)]
    pub objectives: Vec<ParetoObjective>,
    /// Fields that make a run cheap and rough, by dotted path: less work, fewer samples. Only points near the front of the
    /// rough runs are run as the experiment states.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub coarse: BTreeMap<String, Value>,
}

/// A metric that counts, by the worst row of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParetoObjective {
    /// The metric; the registry says whether more or less of it is better.
    pub metric: Metric,
    /// The operation whose rows count; all without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<RowOperation>,
}

/// Why a design space cannot be explored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplorationError {
    /// The axes, or what they vary, are at fault.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// Too few or too many objectives.
    #[error(
        "the study has {0} objectives; allowed: 1 to {OBJECTIVES_MAX}, each an [[objective]] with a metric"
    )]
    Objectives(usize),
    /// An objective stands twice.
    #[error("objective {0} stands twice; allowed: once each")]
    Twice(String),
    /// A metric without a better side.
    #[error(
        "objective {0}: neither more nor less of it is better, so that it ranks nothing; docs/reference/metrics.md says which does"
    )]
    NoSide(Metric),
    /// A field that is both varied and set for rough runs.
    #[error(
        "coarse: an axis varies {0} as well, so that rough runs would be the real ones; allowed: other fields"
    )]
    Varied(String),
    /// A rough run that is no experiment.
    #[error("coarse: {0}")]
    Coarse(String),
}

impl ExplorationError {
    /// Where the fault is: an axis by its fields, or a field of the study.
    #[must_use]
    pub fn place(&self) -> &str {
        match self {
            Self::Sweep(error) => error.place(),
            Self::Objectives(_) | Self::Twice(_) | Self::NoSide(_) => "objective",
            Self::Varied(_) | Self::Coarse(_) => "coarse",
        }
    }
}

impl DesignSpace {
    /// The points, as a sweep.
    #[must_use]
    pub fn sweep(&self) -> Sweep {
        Sweep::new(
            self.experiment.clone(),
            self.axes.clone(),
            self.leave_out.clone(),
        )
    }

    /// The points of the rough runs; none where they are no other.
    ///
    /// # Errors
    /// When a field of theirs lies in what has none.
    pub fn coarse_sweep(&self) -> Result<Option<Sweep>, ExplorationError> {
        if self.coarse.is_empty() {
            return Ok(None);
        }
        for field in self.coarse.keys() {
            let mut varied = self.axes.iter().flat_map(|axis| &axis.fields);
            if varied
                .any(|other| other == field || is_within(other, field) || is_within(field, other))
            {
                return Err(ExplorationError::Varied(field.clone()));
            }
        }
        let coarse = self.sweep().with_fields(&self.coarse);
        let coarse = coarse.map_err(ExplorationError::Coarse)?;
        coarse
            .check()
            .map_err(|error| ExplorationError::Coarse(error.to_string()))?;
        Ok(Some(coarse))
    }

    /// Checks the objectives.
    ///
    /// # Errors
    /// Names the one that is wrong.
    pub fn check(&self) -> Result<(), ExplorationError> {
        if !(1..=OBJECTIVES_MAX).contains(&self.objectives.len()) {
            return Err(ExplorationError::Objectives(self.objectives.len()));
        }
        for (index, objective) in self.objectives.iter().enumerate() {
            if self.objectives[..index].contains(objective) {
                return Err(ExplorationError::Twice(objective.name()));
            }
            if objective.metric.info().better == Better::Neither {
                return Err(ExplorationError::NoSide(objective.metric));
            }
        }
        Ok(())
    }
}

impl ParetoObjective {
    /// As messages and columns name it.
    #[must_use]
    pub fn name(&self) -> String {
        match self.operation {
            Some(operation) => format!("{}, {operation}", self.metric),
            None => self.metric.to_string(),
        }
    }

    /// The worst value of the figure in a document; none where a row has no number. What is unbounded and better the more
    /// of it there is, is infinite.
    #[must_use]
    pub fn value(&self, document: &ResultSet) -> Option<f64> {
        let rows = document.of(self.metric).filter(|row| row.is_whole());
        let mut rows = rows.filter(|row| self.operation.is_none_or(|of| row.operation == of));
        let value = |row: &Row| match (row.value, row.no_value) {
            (None, Some(NoValue::Unbounded)) if self.better(1.0, 0.0) => Some(f64::INFINITY),
            (value, _) => value,
        };
        let first = value(rows.next()?)?;
        rows.try_fold(first, |worst, row| {
            let value = value(row)?;
            Some(if self.better(worst, value) {
                value
            } else {
                worst
            })
        })
    }

    /// Whether one value is better than another.
    #[must_use]
    pub fn better(&self, one: f64, other: f64) -> bool {
        match self.metric.info().better {
            Better::Higher => one > other,
            Better::Lower | Better::Neither => one < other,
        }
    }
}

/// What an exploration found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplorationResult {
    /// Layout of the document.
    pub schema_version: u32,
    /// Version of the program that made it.
    pub wordline: String,
    /// What was asked.
    pub space: DesignSpace,
    /// The share of the rough runs that was asked for, as `2/8`; nothing where the front was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Points of the space, or of the share.
    pub points: u64,
    /// Points whose rough run was made.
    pub coarse: u64,
    /// Points that were run as the experiment states.
    pub fine: u64,
    /// For each objective the largest relative difference between a rough run and the real one.
    pub coarse_error: Vec<f64>,
    /// Why points are no candidates, by how many there are.
    pub excluded: Vec<ExcludedPoints>,
    /// The front, by the first objective, its best value first.
    pub front: Vec<ParetoPoint>,
    /// Whether nothing was stopped: every point that may lie on the front, given what was seen of the others, was run in full. Of
    /// a share, every rough run was made.
    pub complete: bool,
}

/// Points that are no candidates for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExcludedPoints {
    /// What excludes them.
    pub by: ExcludedBy,
    /// The limit that they fail, or the reason why they cannot be run.
    pub reason: String,
    /// How that is known.
    pub basis: ExclusionBasis,
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub first: u64,
}

crate::names::named! {
    /// What excludes a point.
    pub enum ExcludedBy {
        /// A proven bound: it was not simulated.
        Bound = "bound",
        /// A limit that its run fails.
        Limit = "limit",
        /// It cannot be run.
        Failure = "failure",
        /// An objective has no number.
        NoNumber = "no_number",
    }
}

crate::names::named! {
    /// How it is known that points are no candidates.
    pub enum ExclusionBasis {
        /// By a bound, or because the experiment is refused before its first operation: nothing was simulated.
        Proven = "proven",
        /// Each was run as the experiment states.
        Run = "run",
        /// By rough runs, and by runs in full of a sample of their target, none of which is a candidate.
        Sampled = "sampled",
    }
}

/// A point of the front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParetoPoint {
    /// Its number, from 0.
    pub point: u64,
    /// The value of each field that is varied.
    pub at: BTreeMap<String, Value>,
    /// The value of each objective, in its SI unit; null where it is unbounded, which is best.
    pub values: Vec<Option<f64>>,
    /// Its document.
    pub result: Box<ResultSet>,
}

impl ExplorationResult {
    /// A document without points.
    #[must_use]
    pub fn new(space: DesignSpace) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            wordline: env!("CARGO_PKG_VERSION").to_owned(),
            coarse_error: vec![0.0; space.objectives.len()],
            space,
            shard: None,
            points: 0,
            coarse: 0,
            fine: 0,
            excluded: Vec::new(),
            front: Vec::new(),
            complete: true,
        }
    }

    /// The document as indented JSON with a final line feed.
    #[must_use]
    pub fn to_json(&self) -> String {
        match serde_json::to_string_pretty(self) {
            Ok(text) => text + "\n",
            Err(error) => unreachable!("plain data with text keys serialises: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn study(objectives: Value, coarse: Value) -> Result<DesignSpace, String> {
        let text = json!({
            "experiment": { "targets": ["em064lx"], "workload": { "kind": "raw" } },
            "axis": [{ "field": "seed", "count": 3 }],
            "objective": objectives,
            "coarse": coarse,
        });
        serde_json::from_value(text).map_err(|error| error.to_string())
    }

    fn problem(objectives: Value, coarse: Value) -> String {
        match study(objectives, coarse) {
            Ok(study) => {
                let checked = study.check().and_then(|()| study.coarse_sweep().map(drop));
                checked.expect_err("a problem").to_string()
            }
            Err(problem) => problem,
        }
    }

    #[test]
    fn objectives_and_rough_runs_are_checked() {
        let throughput = json!([{ "metric": "throughput_mean" }]);
        assert!(problem(json!([]), json!({})).contains("0 objectives"));
        assert!(problem(json!([{ "metric": "speed" }]), json!({})).contains("speed"));
        let twice = json!([{ "metric": "cost" }, { "metric": "cost" }]);
        assert!(problem(twice, json!({})).contains("stands twice"));
        let neither = Metric::ALL
            .iter()
            .find(|one| one.info().better == Better::Neither);
        let neither = json!([{ "metric": neither.expect("there is one").name() }]);
        assert!(problem(neither, json!({})).contains("ranks nothing"));
        let unknown = json!({ "workload.totl_bytes": 1 });
        assert!(problem(throughput.clone(), unknown).contains("total_bytes"));
        let varied = problem(throughput.clone(), json!({ "seed": 1 }));
        assert!(varied.contains("an axis varies seed"), "{varied}");
        let good = study(throughput, json!({ "workload.total_bytes": "64 KiB" })).expect("a study");
        let coarse = good
            .coarse_sweep()
            .expect("it is sound")
            .expect("there is one");
        assert_eq!(coarse.experiment["workload"]["total_bytes"], 65_536);
    }

    #[test]
    fn parts_and_estimates_of_a_figure_do_not_count_and_unbounded_is_best() {
        use crate::results::AxisValue;
        use crate::{Axis, Basis, Timing};
        let study = study(json!([{ "metric": "lifetime" }]), json!({})).expect("a study");
        let place = study.sweep().points().expect("points").remove(0);
        let mut document = ResultSet::new(study.sweep().experiment_at(&place).expect("one"));
        let row = |value: Option<f64>, axes: &[(Axis, &str)]| Row {
            target: "p@b".into(),
            part: "p".into(),
            board: "b".into(),
            workload: "raw".into(),
            operation: RowOperation::Write,
            axes: axes
                .iter()
                .map(|(axis, name)| (*axis, AxisValue::from(*name)))
                .collect(),
            timing: Timing::Typ,
            age: 0.0,
            metric: Metric::Lifetime,
            value,
            no_value: value.is_none().then_some(NoValue::Unbounded),
            unit: "s".into(),
            basis: Basis::Simulated,
            distribution: None,
        };
        let lifetime = &study.objectives[0];
        assert_eq!(lifetime.value(&document), None);
        document.rows.push(row(None, &[(Axis::Cause, "retention")]));
        document
            .rows
            .push(row(Some(1.0), &[(Axis::Estimate, "at-best")]));
        document.rows.push(row(Some(7.0), &[]));
        assert_eq!(lifetime.value(&document), Some(7.0));
        document.rows.push(row(None, &[(Axis::Fill, "full")]));
        assert_eq!(lifetime.value(&document), Some(7.0));
        document.rows.remove(2);
        assert_eq!(lifetime.value(&document), Some(f64::INFINITY));
    }

    #[test]
    fn the_registry_says_which_value_is_better() {
        let of = |metric| ParetoObjective {
            metric,
            operation: None,
        };
        assert!(of(Metric::ThroughputMean).better(2.0, 1.0));
        assert!(of(Metric::LatencyMax).better(1.0, 2.0));
        assert!(!of(Metric::LatencyMax).better(1.0, 1.0));
    }
}
