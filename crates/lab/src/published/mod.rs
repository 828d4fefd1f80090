//! What documents printed, for comparison with what the laboratory computes.
//!
//! Each document is a folder under `published/`: `document.toml` says what it is and which of its
//! statements are known to be wrong, and names the experiments that its values share; the other
//! files hold its values. Every value states its citation, which row of which experiment stands
//! beside it, the tolerance that was chosen before the run, and whether a model was calibrated with
//! it, predicts it, or merely copies the same data sheet. A prediction counts only if it could have missed: see [`Kind`]. Where a document speaks of accesses by
//! themselves, a file states them as a sequence.
//! [`reproduce`](crate::reproduce()) compares.

mod experiment;
mod file;
mod kind;
mod measure;
pub(crate) mod number;
mod row;
mod sequence;

use serde::{Deserialize, Serialize};
use wordline_catalog::Catalog;

pub use kind::{Kind, SHARP_RATIO_MAX};
pub use measure::{Curves, Measure, Question, SheetFigure};
pub use row::RowSelector;
pub use sequence::{Sequence, SequenceStretch};

/// One document: its key, and the names and texts of its cover and of its values.
struct Files {
    key: &'static str,
    cover: (&'static str, &'static str),
    values: &'static [(&'static str, &'static str)],
}

/// The name and the text of a file under `published/`.
macro_rules! text {
    ($file:literal) => {
        ($file, include_str!(concat!("../../published/", $file)))
    };
}

/// A recorded trace of RocksDB: its file and contents.
macro_rules! rocksdb {
    ($file:literal) => {
        (
            $file,
            include_bytes!(concat!("../../../../examples/", $file)),
        )
    };
}

/// The traces that experiments of documents name.
pub(crate) const ROCKSDB: [(&str, &[u8]); 6] = [
    rocksdb!("rocksdb-2-sync.wft"),
    rocksdb!("rocksdb-256-sync.wft"),
    rocksdb!("rocksdb-2-nosync.wft"),
    rocksdb!("rocksdb-16-nosync.wft"),
    rocksdb!("rocksdb-32-nosync.wft"),
    rocksdb!("rocksdb-256-nosync.wft"),
];

/// The embedded documents.
const DOCUMENTS: [Files; 9] = [
    Files {
        key: "mram-vs-flash-benchmark",
        cover: text!("mram-vs-flash-benchmark/document.toml"),
        values: &[
            text!("mram-vs-flash-benchmark/mram.toml"),
            text!("mram-vs-flash-benchmark/nor.toml"),
            text!("mram-vs-flash-benchmark/nand.toml"),
            text!("mram-vs-flash-benchmark/ratios.toml"),
        ],
    },
    Files {
        key: "mram-edge-databases",
        cover: text!("mram-edge-databases/document.toml"),
        values: &[
            text!("mram-edge-databases/table-1.toml"),
            text!("mram-edge-databases/table-2.toml"),
            text!("mram-edge-databases/figure-1.toml"),
            text!("mram-edge-databases/hash-tables.toml"),
            text!("mram-edge-databases/engines.toml"),
        ],
    },
    Files {
        key: "realtime-buffering",
        cover: text!("realtime-buffering/document.toml"),
        values: &[
            text!("realtime-buffering/equations.toml"),
            text!("realtime-buffering/figures.toml"),
            text!("realtime-buffering/sd.toml"),
            text!("realtime-buffering/nand.toml"),
        ],
    },
    Files {
        key: "flashbench-open-units",
        cover: text!("flashbench-open-units/document.toml"),
        values: &[text!("flashbench-open-units/units.toml")],
    },
    Files {
        key: "sd-card-writes",
        cover: text!("sd-card-writes/document.toml"),
        values: &[text!("sd-card-writes/cards.toml")],
    },
    Files {
        key: "nand-characterisation",
        cover: text!("nand-characterisation/document.toml"),
        values: &[
            text!("nand-characterisation/table-1.toml"),
            text!("nand-characterisation/endurance.toml"),
            text!("nand-characterisation/performance.toml"),
            text!("nand-characterisation/conditions.toml"),
        ],
    },
    Files {
        key: "xeon-rdimm-platform",
        cover: text!("xeon-rdimm-platform/document.toml"),
        values: &[
            text!("xeon-rdimm-platform/bandwidth.toml"),
            text!("xeon-rdimm-platform/latency.toml"),
        ],
    },
    Files {
        key: "mrdimm-report",
        cover: text!("mrdimm-report/document.toml"),
        values: &[
            text!("mrdimm-report/bandwidth.toml"),
            text!("mrdimm-report/latency.toml"),
            text!("mrdimm-report/power.toml"),
        ],
    },
    Files {
        key: "mrdimm-applications",
        cover: text!("mrdimm-applications/document.toml"),
        values: &[
            text!("mrdimm-applications/applications.toml"),
            text!("mrdimm-applications/energy.toml"),
        ],
    },
];

/// What one document printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Short name of the document.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Target that stands for its hardware, where a value names no other.
    pub target: String,
    /// What the document says and what holds instead.
    pub errata: Vec<String>,
    /// Its values.
    pub value: Vec<Value>,
}

/// One printed value, and what of ours stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Where it stands, what it says, and behind a semicolon how it was read.
    pub citation: String,
    /// What of ours is compared.
    pub of: Measure,
    /// What that is divided by, where the document prints a ratio.
    pub over: Option<Measure>,
    /// The value as printed, with its unit.
    pub text: String,
    /// The same in `unit`; `None` where a limit stands for a statement without a number. Infinite
    /// where the document says that there is no limit.
    pub published: Option<f64>,
    /// Both ends of a printed range in `unit`; `None` where one number is printed, or none.
    pub range: Option<[f64; 2]>,
    /// SI unit of the value; `1` for a ratio.
    pub unit: &'static str,
    /// What counts as a hit.
    pub allowed: Allowed,
    /// Whether a model was calibrated with it, predicts it, or copies the same sheet.
    pub r#use: Use,
    /// Why it could hardly miss, as the file says: an identity, or arithmetic.
    pub because: Option<String>,
    /// Why it is known to be missed.
    pub miss: Option<String>,
    /// What has to exist before it can be computed.
    pub needs: Option<PublishedNeed>,
    /// What has to be measured before it can be judged: the value is our own prediction, recorded before
    /// better is known.
    pub awaits: Option<String>,
}

/// What has to exist before a value can be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedNeed {
    /// In words.
    pub what: String,
    /// What the failure says as long as it is missing, such as the name of a file. Any other failure is one.
    pub fails_with: String,
}

/// What counts as a hit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Allowed {
    /// The printed value, give or take a fraction of it.
    Within {
        /// Largest difference, as a fraction of the printed value.
        tolerance: f64,
    },
    /// Anything between two limits in the value's unit, themselves included.
    Between {
        /// Lower limit.
        at_least: Option<f64>,
        /// Upper limit.
        at_most: Option<f64>,
    },
}

/// What a published value is to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// The model was calibrated with it: meeting it proves nothing.
    Calibrated,
    /// The model predicts it.
    Predicted,
    /// The model computes it from a figure that we assumed: meeting it says as much of the
    /// assumption as of the model.
    Assumed,
    /// A data-sheet figure that the document and our sheet both copy: meeting it proves that both
    /// copied alike.
    Datasheet,
    /// A figure that our sheet has from this very document: meeting it proves nothing.
    Copied,
    /// What the theory of buffers gives for accesses that are stated or made to the document's
    /// words: no model of a memory takes part, so meeting it proves that their arithmetic is ours.
    Theory,
}

impl Use {
    /// As the data spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calibrated => "calibrated",
            Self::Predicted => "predicted",
            Self::Assumed => "assumed",
            Self::Datasheet => "datasheet",
            Self::Copied => "copied",
            Self::Theory => "theory",
        }
    }
}

/// The keys of the documents, in the order in which they are reproduced.
pub fn keys() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|files| files.key)
}

/// What the document of a key printed; `None` for an unknown key. Its experiments have the defaults that suit their
/// targets, as the catalogue has them.
///
/// # Panics
/// Never: the tests parse every embedded file.
#[must_use]
pub fn published(catalog: &Catalog, key: &str) -> Option<Published> {
    let files = DOCUMENTS.iter().find(|files| files.key == key)?;
    match Published::parse(catalog, files.cover, files.values) {
        Ok(published) => Some(published),
        Err(error) => unreachable!("the embedded files of {key} are sound: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_is_sound() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        for files in &DOCUMENTS {
            let document = Published::parse(&catalog, files.cover, files.values).expect(files.key);
            assert_eq!(document.key, files.key);
            assert!(!document.title.is_empty() && !document.errata.is_empty());
            let mut seen = std::collections::HashSet::new();
            for value in &document.value {
                let name = format!("{} {:?} {:?}", value.citation, value.of, value.over);
                assert!(seen.insert(name.clone()), "twice: {name}");
            }
        }
        assert_eq!(published(&catalog, "nothing"), None);
    }

    /// A file of the folder that no document lists would be forgotten in silence.
    #[test]
    fn no_file_is_left_out() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("published");
        let folders = std::fs::read_dir(&root).expect("the folder is there");
        let mut found = 0;
        for folder in folders {
            let folder = folder.expect("readable").path();
            let key = folder.file_name().and_then(|name| name.to_str());
            assert!(keys().any(|known| Some(known) == key), "{folder:?}");
            found += std::fs::read_dir(folder).expect("readable").count();
        }
        let listed: usize = DOCUMENTS.iter().map(|files| 1 + files.values.len()).sum();
        assert_eq!(found, listed);
    }
}
