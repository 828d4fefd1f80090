//! Sheets of a whole folder of dumps: each is made, or refused with every reason.

use std::collections::BTreeMap;

use md5::Md5;
use sha2::{Digest, Sha256};
use wordline_core::quantity::ByteCount;

use super::{Disagreement, ImportError, IndexEntry, disagreements, dump_bytes, import};
use crate::ID_ALLOWED;

/// What came of a dump.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchItem {
    /// File of the dump.
    pub file: String,
    /// What became of its hash.
    pub hash: HashCheck,
    /// What it makes, or why it makes nothing.
    pub outcome: DumpOutcome,
    /// What contradicts itself or the list of ids; a sheet leaves it out.
    pub contradictions: Vec<ImportError>,
    /// What the dump does not state.
    pub missing: Vec<String>,
    /// File of an earlier dump that has the same bytes.
    pub same_as: Option<String>,
    /// What a sheet of the same id says differently: that of an earlier dump, or else one that is known.
    pub disagreements: Vec<Disagreement>,
}

/// What a dump makes.
#[derive(Clone, Debug, PartialEq)]
pub enum DumpOutcome {
    /// The id of a sheet, and its text.
    Made {
        /// The id.
        part: String,
        /// The text in TOML.
        sheet: String,
    },
    /// The id of a sheet that an earlier dump of the index has made.
    Compared {
        /// The id.
        part: String,
    },
    /// Nothing, and why.
    Refused(Vec<ImportError>),
}

/// Whether a dump is what its source says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashCheck {
    /// The source states its hash, and it is right.
    Verified,
    /// The source states none.
    NotStated,
    /// The source states another.
    Wrong,
}

impl BatchItem {
    /// An entry that makes nothing so far, for these reasons.
    fn refused(entry: &IndexEntry, reasons: Vec<ImportError>) -> Self {
        Self {
            file: entry.file.clone(),
            hash: HashCheck::NotStated,
            outcome: DumpOutcome::Refused(reasons),
            contradictions: Vec::new(),
            missing: Vec::new(),
            same_as: None,
            disagreements: Vec::new(),
        }
    }

    /// An entry whose file cannot be read, and why.
    #[must_use]
    pub fn unreadable(entry: &IndexEntry, reason: &str) -> Self {
        let error = ImportError::new(0, "the file cannot be read", reason, "a regular file");
        Self::refused(entry, vec![error])
    }
}

impl HashCheck {
    /// The name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::NotStated => "not stated",
            Self::Wrong => "wrong",
        }
    }
}

/// A batch while it runs: what the dumps before have made.
#[derive(Clone, Debug, Default)]
pub struct ImportBatch {
    made: Vec<BatchDump>,
    /// Sheets to compare with, by id.
    known: BTreeMap<String, String>,
}

/// A dump that was read.
#[derive(Clone, Debug)]
struct BatchDump {
    file: String,
    bytes: Vec<u8>,
    /// The sheet that it has made.
    sheet: Option<MadeSheet>,
}

/// A sheet that a dump has made.
#[derive(Clone, Debug)]
struct MadeSheet {
    part: String,
    text: String,
    capacity_bytes: u64,
}

impl ImportBatch {
    /// A batch whose dumps are compared with sheets that are known by their ids.
    pub fn against(known: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            made: Vec::new(),
            known: known.into_iter().collect(),
        }
    }

    /// Takes the next dump: the content of its file, and what the index says of it.
    pub fn add(&mut self, entry: &IndexEntry, file: &[u8]) -> BatchItem {
        let bytes = match dump_bytes(file) {
            Ok(bytes) => bytes,
            Err(error) => return BatchItem::refused(entry, vec![error]),
        };
        let mut item = BatchItem::refused(entry, Vec::new());
        let same = self.made.iter().find(|earlier| earlier.bytes == bytes);
        item.same_as = same.map(|earlier| earlier.file.clone());
        let (outcome, capacity_bytes) = match self.outcome(entry, &bytes, &mut item) {
            Ok(found) => found,
            Err(reasons) => (DumpOutcome::Refused(reasons), 0),
        };
        item.outcome = outcome;
        let sheet = match &item.outcome {
            DumpOutcome::Made { part, sheet } => Some(MadeSheet {
                part: part.clone(),
                text: sheet.clone(),
                capacity_bytes,
            }),
            _ => None,
        };
        let file = entry.file.clone();
        self.made.push(BatchDump { file, bytes, sheet });
        item
    }

    /// The outcome, and the capacity that the page states in bytes.
    fn outcome(
        &self,
        entry: &IndexEntry,
        bytes: &[u8],
        item: &mut BatchItem,
    ) -> Result<(DumpOutcome, u64), Vec<ImportError>> {
        item.hash = match &entry.hash {
            Some(hash) => check_hash(hash, bytes).map_err(|error| {
                item.hash = HashCheck::Wrong;
                vec![error]
            })?,
            None => HashCheck::NotStated,
        };
        let page = import(bytes, None).map_err(|errors| errors.0)?;
        let check = entry.claims.check(&page);
        item.contradictions
            .extend(page.contradictions.iter().cloned());
        item.contradictions.extend(check.contradictions);
        item.missing = page.missing(&entry.claims);
        if !check.refused.is_empty() {
            return Err(check.refused);
        }
        let part = entry.claims.part.as_deref().or(page.own_id());
        let part = part.unwrap_or_default().to_owned();
        if !crate::is_id(&part) {
            let fault = "neither the index, the file's name nor the page states an id of the part";
            let found = format!("{part:?}");
            return Err(vec![ImportError::new(0, fault, found, ID_ALLOWED)]);
        }
        let capacity = page.draft.capacity;
        let made = self.made.iter();
        let mut made = made.filter_map(|dump| Some((&dump.file, dump.sheet.as_ref()?)));
        let earlier = made.find(|(_, sheet)| sheet.part == part);
        if let Some((file, sheet)) = earlier
            && sheet.capacity_bytes != capacity
        {
            let fault = format!("{part} has another capacity in {file}");
            let [found, allowed] = [capacity, sheet.capacity_bytes]
                .map(|bytes| ByteCount::from_bytes(bytes).to_string());
            let error = ImportError::new(page.draft.capacity_at, fault, found, allowed);
            return Err(vec![error]);
        }
        let other = earlier
            .map(|(_, sheet)| &sheet.text)
            .or_else(|| self.known.get(&part));
        item.disagreements = other.map_or(Vec::new(), |sheet| disagreements(&page, sheet));
        let outcome = match earlier {
            Some(_) => DumpOutcome::Compared { part },
            None => DumpOutcome::Made {
                sheet: page.sheet(&entry.claims),
                part,
            },
        };
        Ok((outcome, capacity))
    }
}

/// Whether the bytes have the hash that is stated as `sha256:…` or `md5:…`.
fn check_hash(stated: &str, bytes: &[u8]) -> Result<HashCheck, ImportError> {
    let (kind, digits) = stated.split_once(':').unwrap_or(("", stated));
    let found = match kind {
        "sha256" => hex(&Sha256::digest(bytes)),
        "md5" => hex(&Md5::digest(bytes)),
        _ => {
            let fault = "the hash of the index";
            let allowed = "sha256: or md5: and its digits";
            return Err(ImportError::new(0, fault, format!("{stated:?}"), allowed));
        }
    };
    if found.eq_ignore_ascii_case(digits) {
        return Ok(HashCheck::Verified);
    }
    let fault = "the bytes are not those of the index";
    let found = format!("{kind}:{found}");
    Err(ImportError::new(0, fault, found, stated))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
