//! Hash tables on byte-addressable memories: operations of each table on each memory, in simulated time.
//!
//! What a table gets of a target is a [`Part`](memory::Part): its first bytes, of which everything that is asked is
//! counted. A table is formatted, filled to a load, every put timed, and then read, missed, updated and emptied. Beside
//! what an operation moved stands the least that any durable table moves.

mod bench;
mod check;
mod memory;
mod records;
mod rows;
mod store;
mod tally;

use wordline_catalog::{Model, Target};
use wordline_core::{
    Experiment, KvBench, KvDirectory, KvSizes, KvTable, KvTest, KvWorkload, Operation, ResultSet,
    Timing,
};
use wordline_nvm::bus::Command;
use wordline_nvm::{Device, Memory};

use bench::Case;

use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::sources;
use crate::subject::Subject;

/// A table in one of its modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    table: KvTable,
    /// Of the project's table alone.
    directory: Option<KvDirectory>,
}

impl Variant {
    /// Every table in every mode that was asked for.
    fn all(workload: &KvWorkload) -> Vec<Self> {
        let modes = |&table: &KvTable| -> Vec<Self> {
            match table {
                KvTable::Own => {
                    let directories = workload.directories.iter();
                    let own = directories.map(|directory| Self {
                        table,
                        directory: Some(*directory),
                    });
                    own.collect()
                }
                KvTable::Lpht | KvTable::Clht => vec![Self {
                    table,
                    directory: None,
                }],
            }
        };
        workload.tables.iter().flat_map(modes).collect()
    }

    /// Whether it can remove a record.
    const fn removes(self) -> bool {
        matches!(self.table, KvTable::Own)
    }

    /// In words.
    fn name(self) -> String {
        let title = self.table.title();
        match self.directory {
            Some(KvDirectory::Resident) => format!("{title}, directory in its memory"),
            Some(KvDirectory::Ram) | None => title.to_owned(),
        }
    }
}

/// A target in a timing class, for tables to run on.
pub(crate) struct Ground<'a> {
    target: &'a Target<'a>,
    timing: Timing,
    age: f64,
    device: Box<dyn Device>,
    /// Bytes that cross its bus together.
    word_bytes: u64,
}

impl<'a> Ground<'a> {
    fn new(
        target: &'a Target<'a>,
        timing: Timing,
        experiment: &Experiment,
    ) -> Result<Self, LabError> {
        let refused = |problem: String| LabError::Kv {
            target: target.name.clone(),
            problem,
        };
        if let Model::Card(_) | Model::Nand(_) | Model::Nor(_) = target.part.model {
            let problem = format!(
                "{} is no memory whose bytes can be overwritten one by one, which is what these tables take; allowed: \
                 MRAM, FRAM, EEPROM and ram@BOARD",
                target.part.header.id
            );
            return Err(refused(problem));
        }
        let device = match target.memory(wordline_nvm::Conditions {
            timing,
            age: experiment.age,
            seed: experiment.seed,
        }) {
            Ok(Memory::Bytes(device)) => device,
            Ok(Memory::Flash(_)) => unreachable!("flash was refused"),
            Err(source) => {
                return Err(LabError::Device {
                    target: target.name.clone(),
                    source,
                });
            }
        };
        let link = target.link().map_err(|error| refused(error.to_string()))?;
        let word_bytes = match link.commands().first() {
            Some(Command::Parallel(command)) => command.word_bytes,
            Some(Command::Ddr(command)) => command.beat_bytes * command.burst_length,
            Some(Command::Serial(_) | Command::Card(_)) | None => 1,
        };
        Ok(Self {
            target,
            timing,
            age: experiment.age,
            device,
            word_bytes,
        })
    }

    /// What all rows of a table on it share; the operation is set where it is known.
    fn subject(&self, variant: Variant) -> Subject {
        let subject = Subject::simulated(self.target, "kv", Operation::Read, self.timing, self.age)
            .at("table", variant.table.name());
        match variant.directory {
            Some(directory) => subject.at("directory", directory.name()),
            None => subject,
        }
    }
}

/// Runs every table on every target and adds what it found to the document.
pub(crate) fn run(
    targets: &[Target<'_>],
    workload: &KvWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::check(workload, experiment)?;
    let mut grounds = Vec::new();
    for &timing in &experiment.timings {
        for target in targets {
            let ground = Ground::new(target, timing, experiment)?;
            sources::add(document, target, &*ground.device, timing);
            grounds.push(ground);
        }
    }
    match &workload.test {
        KvTest::Bench(bench) => {
            bench_all(&grounds, workload, bench, experiment, control, document);
        }
    }
    Ok(())
}

fn bench_all(
    grounds: &[Ground<'_>],
    workload: &KvWorkload,
    bench: &KvBench,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for ground in grounds {
        for variant in Variant::all(workload) {
            let points = bench
                .sizes
                .iter()
                .flat_map(|sizes| bench.loads.iter().map(move |load| (*sizes, *load)));
            cases.extend(points.map(|(sizes, load)| Case {
                ground,
                variant,
                sizes,
                load,
                bench,
                seed: experiment.seed,
                control,
            }));
        }
    }
    let total = cases.len() as u64;
    for (number, case) in cases.iter().enumerate() {
        control.report(Progress {
            step: &case.ground.target.name,
            done_bytes: number as u64,
            total_bytes: total,
        });
        if !case.run(document) {
            document.complete = false;
            return;
        }
    }
}

/// The bytes that no durable table can do without.
fn floor_bytes(operation: &str, sizes: KvSizes, word_bytes: u64) -> u64 {
    let whole = |bytes: u64| bytes.next_multiple_of(word_bytes);
    let record = sizes.key_bytes + sizes.value_bytes;
    match operation {
        "insert" | "update" => whole(record) + word_bytes,
        "hit" => whole(record),
        "delete" => word_bytes,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In words of a 16-bit bus, as stated for the board of the published tables.
    #[test]
    fn the_floor_is_key_value_and_a_commit_word() {
        for (bytes, put, get) in [(4, 5, 4), (32, 33, 32), (256, 257, 256)] {
            let words = |operation| floor_bytes(operation, KvSizes::equal(bytes), 2) / 2;
            assert_eq!((words("insert"), words("hit")), (put, get));
            assert_eq!(
                (words("update"), words("delete"), words("miss")),
                (put, 1, 0)
            );
        }
    }
}
