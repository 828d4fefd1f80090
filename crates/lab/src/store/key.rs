//! What a result depends on, as one hash.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use wordline_catalog::Catalog;
use wordline_core::{Experiment, Workload};

use crate::control::Control;
use crate::error::LabError;

/// SHA-256 of everything that a document depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreKey(String);

impl StoreKey {
    /// Its hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> &str {
        &self.0
    }

    /// The key of an experiment whose defaults are complete; none where the machine itself has a part in the result.
    ///
    /// # Errors
    /// When a file that the experiment reads cannot be read, or a target is unknown.
    pub fn of(
        catalog: &Catalog,
        experiment: &Experiment,
        control: &Control<'_>,
    ) -> Result<Option<Self>, LabError> {
        KeyMaker::new().key(catalog, experiment, control)
    }
}

pub(super) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes keys; reads each file once, however many experiments read it.
#[derive(Debug, Default)]
pub(crate) struct KeyMaker {
    files: Mutex<BTreeMap<String, [u8; 32]>>,
}

impl KeyMaker {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn key(
        &self,
        catalog: &Catalog,
        experiment: &Experiment,
        control: &Control<'_>,
    ) -> Result<Option<StoreKey>, LabError> {
        if is_measured(catalog, experiment)? {
            return Ok(None);
        }
        let text = experiment.to_json();
        let mut digest = Sha256::new();
        let mut add = |what: &str, part: &[u8]| {
            for part in [what.as_bytes(), part] {
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part);
            }
        };
        add("models", super::MODELS.as_bytes());
        #[cfg(feature = "rocksdb")]
        add(
            "rocksdb",
            format!("{:?}", wordline_rocksdb::version()).as_bytes(),
        );
        add("experiment", text.as_bytes());
        if control.is_rough && matches!(experiment.workload, Workload::Compare(_)) {
            // The verdicts are taken as they come, which makes another document.
            add("rough", b"");
        }
        for sheet in catalog.own_sheets((!reads_all(experiment)).then_some(&*text)) {
            let origin = if sheet.embedded { "priced" } else { "own" };
            add(origin, sheet.text.as_bytes());
        }
        let mut named = experiment.clone();
        for input in named.workload.inputs_mut() {
            let content = self.file(input.name, control)?;
            add(input.name, &content);
        }
        Ok(Some(StoreKey(hex(&digest.finalize()))))
    }

    /// The hash of a file's content.
    fn file(&self, name: &str, control: &Control<'_>) -> Result<[u8; 32], LabError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(digest) = files.get(name) {
            return Ok(*digest);
        }
        let mut reader = control.open(name)?;
        let mut digest = Sha256::new();
        let mut buffer = vec![0; 256 << 10];
        loop {
            let read = reader
                .read(&mut buffer)
                .map_err(|source| LabError::Unreadable {
                    file: name.to_owned(),
                    source,
                })?;
            if read == 0 {
                break;
            }
            digest.update(&buffer[..read]);
        }
        let digest: [u8; 32] = digest.finalize().into();
        files.insert(name.to_owned(), digest);
        Ok(digest)
    }
}

/// Whether the experiment may look at sheets that neither it nor they name: candidates of the whole catalogue.
fn reads_all(experiment: &Experiment) -> bool {
    match &experiment.workload {
        Workload::Compare(_) | Workload::Fit(_) => experiment.targets.is_empty(),
        Workload::App(_) => true,
        _ => false,
    }
}

/// Whether the machine has a part in the result.
fn is_measured(catalog: &Catalog, experiment: &Experiment) -> Result<bool, LabError> {
    match &experiment.workload {
        Workload::Host(_) => Ok(true),
        Workload::Kv(_) => {
            for name in &experiment.targets {
                if catalog.target(name)?.is_of_host() {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Ok(false),
    }
}
