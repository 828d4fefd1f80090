//! An entry: a line that says what follows, and the document.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use wordline_core::{ResultSet, Workload};

use super::key::{StoreKey, hex};

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredHead {
    wordline_store: u64,
    key: String,
    bytes: u64,
    sha256: String,
}

/// The bytes of an entry; none of what is not to be kept: what was measured, or is incomplete.
pub(super) fn written(key: &StoreKey, document: &ResultSet) -> Option<Vec<u8>> {
    if !document.complete || is_measured(document) {
        return None;
    }
    let text = document.to_json();
    // What does not come back as it was would be another result the second time.
    let back = ResultSet::from_json(&text).ok()?;
    if back.to_json() != text {
        return None;
    }
    let head = StoredHead {
        wordline_store: super::LAYOUT,
        key: key.hex().to_owned(),
        bytes: text.len() as u64,
        sha256: hex(&Sha256::digest(&text)),
    };
    let head = serde_json::to_string(&head).ok()?;
    Some(format!("{head}\n{text}").into_bytes())
}

/// The document of an entry, where it is whole and that of the key.
pub(super) fn read(key: &StoreKey, bytes: &[u8]) -> Option<ResultSet> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head: StoredHead = serde_json::from_slice(&bytes[..end]).ok()?;
    let text = &bytes[end + 1..];
    let is_whole = head.wordline_store == super::LAYOUT
        && head.key == key.hex()
        && head.bytes == text.len() as u64
        && head.sha256 == hex(&Sha256::digest(text));
    if !is_whole {
        return None;
    }
    let document = ResultSet::from_json(std::str::from_utf8(text).ok()?).ok()?;
    (document.complete && !is_measured(&document)).then_some(document)
}

/// Whether the machine had a part in a document.
fn is_measured(document: &ResultSet) -> bool {
    document.environment.is_some() || matches!(document.experiment.workload, Workload::Host(_))
}
