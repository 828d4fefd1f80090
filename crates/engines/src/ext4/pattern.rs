//! What ext4 writes to its device at a sync: recorded cases, and the rules that they give.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{FsError, FsErrorKind};

/// A recorded pattern, as `scripts/record-ext4` writes it; `docs/reference/ext4-pattern.md` has its fields.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficPattern {
    /// Version of the kernel.
    pub kernel: String,
    /// How the file system was made.
    pub made: String,
    /// Options of the mount.
    pub mounted: String,
    /// Day of the recording.
    pub date: String,
    /// Where the figures come from.
    pub basis: String,
    /// What was recorded.
    #[serde(rename = "case")]
    pub cases: Vec<PatternCase>,
    /// What follows from it, by what changed and what is synced.
    #[serde(skip)]
    rules: BTreeMap<(FileChange, bool), SyncRule>,
}

/// Calls, and what they made ext4 write.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternCase {
    /// What it is called.
    pub name: String,
    /// What the calls change; the first is what the case is of.
    pub changes: Vec<FileChange>,
    /// Calls that were made, and synced, before.
    pub setup: Vec<String>,
    /// The calls. A case whose last call is no sync is evidence alone.
    pub calls: Vec<String>,
    /// Requests in their order, `KIND BYTES` or `flush`.
    pub steps: Vec<String>,
    /// Metadata whose copies went to the journal.
    pub journals: Vec<MetadataKind>,
    /// Seconds from the calls to each request, where nothing was synced.
    #[serde(default)]
    pub after_s: Vec<u64>,
}

/// What happened to a file or directory since the journal was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileChange {
    /// Nothing.
    Nothing,
    /// Bytes in blocks that it has.
    Overwrite,
    /// Its length, within a block that it has.
    Grow,
    /// Blocks that it had not.
    Allocate,
    /// A length that is shorter.
    Truncate,
    /// It is new.
    Create,
    /// It has another name.
    Rename,
    /// It is gone, with its blocks.
    Remove,
    /// It is gone, and had no blocks.
    RemoveEmpty,
    /// A directory that is new.
    MakeDirectory,
}

impl FileChange {
    const ALL: [Self; 10] = [
        Self::Nothing,
        Self::Overwrite,
        Self::Grow,
        Self::Allocate,
        Self::Truncate,
        Self::Create,
        Self::Rename,
        Self::Remove,
        Self::RemoveEmpty,
        Self::MakeDirectory,
    ];
}

/// A block of metadata, by what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetadataKind {
    /// The super block.
    SuperBlock,
    /// The descriptors of groups of blocks.
    GroupDescriptors,
    /// Which blocks of a group are taken.
    BlockBitmap,
    /// Which inodes of a group are taken.
    InodeBitmap,
    /// The inode of the file or directory.
    Inode,
    /// The inode of the directory that it is in.
    ParentInode,
    /// The names in a new directory.
    Directory,
    /// The names in the directory that it is in.
    ParentDirectory,
}

/// A request to the device, or several in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncStep {
    /// Dirty pages of the file.
    Data,
    /// A descriptor and copies of metadata, to the journal.
    Journal,
    /// The block that ends them.
    Commit,
    /// A flush.
    Flush,
}

/// What a change asks of a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyncRule {
    pub(super) steps: Vec<SyncStep>,
    pub(super) journals: Vec<MetadataKind>,
}

impl SyncRule {
    /// Whether the sync commits the journal.
    pub(super) fn commits(&self) -> bool {
        self.steps.contains(&SyncStep::Commit)
    }
}

impl TrafficPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`] with the line of what is wrong, or the case that is missing.
    pub fn read(text: &str) -> Result<Self, FsError> {
        let mut pattern: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = 1 + before.map_or(0, |before| before.matches('\n').count());
            wrong(&format_args!("line {line}: {}", error.message()))
        })?;
        pattern.rules = pattern.derived()?;
        Ok(pattern)
    }

    /// The recording that comes along.
    ///
    /// # Panics
    /// Never: a test reads the same file.
    #[must_use]
    pub fn recorded() -> Self {
        match Self::read(include_str!("../../data/ext4.toml")) {
            Ok(pattern) => pattern,
            Err(error) => unreachable!("the embedded pattern is sound: {error}"),
        }
    }

    /// The first case of each change and each kind of sync; a change that was synced in one way alone counts for both.
    fn derived(&self) -> Result<BTreeMap<(FileChange, bool), SyncRule>, FsError> {
        let mut rules = BTreeMap::new();
        for case in &self.cases {
            let Some(data_only) = case.data_only() else {
                continue;
            };
            let change = case.changes.first().copied().unwrap_or(FileChange::Nothing);
            let rule = case.rule()?;
            rules.entry((change, data_only)).or_insert(rule);
        }
        for change in FileChange::ALL {
            for data_only in [false, true] {
                if rules.contains_key(&(change, data_only)) {
                    continue;
                }
                let other = rules.get(&(change, !data_only)).cloned();
                let rule = other.ok_or_else(|| {
                    wrong(&format_args!("no case with a sync begins with {change:?}"))
                })?;
                rules.insert((change, data_only), rule);
            }
        }
        Ok(rules)
    }

    /// What a change asks of a sync, of the data alone or of all.
    pub(super) fn rule(&self, change: FileChange, data_only: bool) -> &SyncRule {
        &self.rules[&(change, data_only)]
    }
}

impl PatternCase {
    /// Whether the last call syncs data alone; `None` where it is no sync.
    fn data_only(&self) -> Option<bool> {
        let call = self.calls.last()?;
        match call.split(' ').next()? {
            "sync-data" => Some(true),
            "sync-all" => Some(false),
            _ => None,
        }
    }

    /// The order of its requests, without lengths.
    fn rule(&self) -> Result<SyncRule, FsError> {
        let steps = self.steps.iter().map(|step| {
            let kind = step.split(' ').next().unwrap_or_default();
            Ok(match kind {
                "data" => SyncStep::Data,
                "journal" => SyncStep::Journal,
                "commit" => SyncStep::Commit,
                "flush" => SyncStep::Flush,
                _ => {
                    let name = &self.name;
                    return Err(wrong(&format_args!(
                        "case {name}: step `{step}`; allowed in a case with a sync: data, journal, commit, flush"
                    )));
                }
            })
        });
        let mut steps: Vec<_> = steps.collect::<Result<_, _>>()?;
        // Several requests of a kind in a row are one of the lengths that the state asks for.
        steps.dedup_by(|one, other| one == other && *one != SyncStep::Flush);
        Ok(SyncRule {
            steps,
            journals: self.journals.clone(),
        })
    }
}

fn wrong(why: &dyn std::fmt::Display) -> FsError {
    FsError::new(
        FsErrorKind::Unsuitable,
        format_args!("pattern of ext4: {why}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_has_a_rule_for_every_change() {
        let pattern = TrafficPattern::recorded();
        assert_eq!(pattern.basis, "measured");
        let commits = |change, data_only| pattern.rule(change, data_only).commits();
        assert!(!commits(FileChange::Overwrite, true));
        assert!(commits(FileChange::Overwrite, false));
        assert!(commits(FileChange::Allocate, true));
        assert_eq!(
            pattern.rule(FileChange::Nothing, false).steps,
            [SyncStep::Flush]
        );
    }

    #[test]
    fn a_pattern_that_lacks_a_case_or_has_an_unknown_step_is_refused() {
        let text = include_str!("../../data/ext4.toml");
        let refused = |text: &str| {
            TrafficPattern::read(text)
                .expect_err("it is wrong")
                .to_string()
        };
        let unknown = refused(&text.replacen("\"data 4096\"", "\"tape 4096\"", 1));
        assert!(
            unknown.contains("tape 4096") && unknown.contains("journal"),
            "{unknown}"
        );
        let head = text.split("[[case]]").next().expect("it begins");
        let without = refused(&format!("{head}case = []"));
        assert!(without.contains("Nothing"), "{without}");
        assert!(refused("kernel = 3").contains("line 1"));
    }
}
