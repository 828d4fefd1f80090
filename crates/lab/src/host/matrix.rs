//! `wordline host matrix`: latency from node to node, and of a line that goes from core to core.

use std::time::Duration;

use wordline_core::results::NoValue;
use wordline_core::{Axis, HostMatrixTest, Metric, ResultSet, RowOperation};
use wordline_host::memory::matrix::{self, CoreHandover, MatrixCell, MatrixPlan, MatrixRun};

use super::session::HostSession;
use super::trust::{self, Doubts};
use crate::dram::rows::seconds;
use crate::error::LabError;
use crate::subject::Subject;
use crate::warning::LabWarning;

const TEST: &str = "matrix";

/// Time of the test without a limit, at most.
const SHARE: Duration = Duration::from_secs(30);

pub(super) fn run(
    session: &HostSession<'_>,
    test: &HostMatrixTest,
    share: f64,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    crate::error::in_range("samples", test.samples, 1, super::loaded::SAMPLES_MAX)?;
    let plan = MatrixPlan {
        loads_most: test.samples,
        seed: session.seed,
        share: session.share(share, SHARE),
    };
    let mut watch = |cell: &MatrixCell, done, all| session.report(&place(cell), done, all);
    let run = matrix::run(session.topology, &plan, &|| session.stopped(), &mut watch)?;
    rows(&run, session, document);
    Ok(())
}

/// What a message calls a cell.
fn place(cell: &MatrixCell) -> String {
    match cell {
        MatrixCell::Node(node) => format!("node {} to node {}", node.from_node, node.to_node),
        MatrixCell::Core(core) => format!("processor {} to {}", core.from_cpu, core.to_cpu),
    }
}

/// The rows of a run, whoever measured it.
pub(super) fn rows(run: &MatrixRun, session: &HostSession<'_>, document: &mut ResultSet) {
    document.complete &= run.complete;
    let mut doubts = Doubts::new(TEST);
    let mut cut = 0;
    for cell in &run.cells {
        match cell {
            MatrixCell::Node(node) => {
                cut += usize::from(node.sampled.is_cut);
                let subject = session
                    .subject(TEST, RowOperation::Read)
                    .at(Axis::FromNode, u64::from(node.from_node))
                    .at(Axis::ToNode, u64::from(node.to_node));
                doubts.latency(&node.sampled, &subject, &place(cell), document);
                if let Some(share) = node.obtained.node_share {
                    subject.add(Metric::NodeObtained, Ok(share), document);
                }
            }
            MatrixCell::Core(core) => {
                cut += usize::from(core.sampled.is_cut);
                let subject = session
                    .subject(TEST, RowOperation::ReadWrite)
                    .at(Axis::FromCpu, u64::from(core.from_cpu))
                    .at(Axis::ToCpu, u64::from(core.to_cpu));
                handover(core, &subject, &place(cell), &mut doubts, document);
            }
        }
    }
    let node = run.cells.iter().find_map(|cell| match cell {
        MatrixCell::Node(node) => Some(node.bytes),
        MatrixCell::Core(_) => None,
    });
    if let Some(bytes) = node {
        session.in_caches(TEST, bytes, document);
    }
    if run.cpus_all < 2 {
        document.warn(LabWarning::OneCore { test: &TEST });
    }
    if run.cpus < run.cpus_all {
        document.warn(LabWarning::PairsSampled {
            some: &run.cpus,
            all: &run.cpus_all,
        });
    }
    trust::cut(session.has_limit(), TEST, cut, run.cells.len(), document);
    doubts.warn(document);
}

fn handover(
    core: &CoreHandover,
    subject: &Subject,
    place: &str,
    doubts: &mut Doubts,
    document: &mut ResultSet,
) {
    let sampled = &core.sampled;
    let found = match &sampled.estimate {
        Ok(found) => found,
        Err(why) => {
            subject.add(Metric::HandoverTime, Err(NoValue::Failed), document);
            doubts.missing(why, &sampled.ledger, subject, place, document);
            return;
        }
    };
    let trusted = |ps: f64| trust::trusted(found.grade, seconds(ps));
    subject.add(Metric::HandoverTime, trusted(found.median_ps), document);
    let ends = [found.low_ps, found.high_ps].map(trusted);
    trust::interval(Metric::HandoverTime, ends, subject, document);
    subject.add(Metric::AccessCount, Ok(found.samples as f64), document);
    trust::cold(found, subject, document);
    let graded = (found.grade, found.reasons.as_slice());
    doubts.graded(
        graded,
        found.hit_share,
        &sampled.ledger,
        subject,
        place,
        document,
    );
}
