//! What ext4 writes to its device at a sync: recorded cases, and the rules that they give.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Deserialize;

use super::volume::BLOCK;
use crate::{FsError, FsErrorKind, OptionFile};

/// Cases of a pattern at most, and entries of each list of a case.
const ENTRIES_MAX: usize = 64;

/// Bytes of a request in a pattern at most: the size of the file system that `scripts/record-ext4` makes.
const STEP_MAX: u64 = 1 << 30;

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
    /// [`FsErrorKind::Unsuitable`] with the line or case of what is wrong and what is allowed, or the case that is missing.
    pub fn read(text: &str) -> Result<Self, FsError> {
        if text.len() as u64 > OptionFile::BYTES_MAX {
            let most = OptionFile::BYTES_MAX;
            return Err(wrong(&format_args!(
                "{} B; allowed: {most} B at most",
                text.len()
            )));
        }
        let mut pattern: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = 1 + before.map_or(0, |before| before.matches('\n').count());
            wrong(&format_args!("line {line}: {}", error.message()))
        })?;
        if pattern.cases.len() > ENTRIES_MAX {
            let found = pattern.cases.len();
            return Err(wrong(&format_args!(
                "{found} cases; allowed: {ENTRIES_MAX} at most"
            )));
        }
        let has_barriers = pattern.has_barriers();
        pattern
            .cases
            .iter()
            .try_for_each(|case| case.check(has_barriers))?;
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

    /// Whether the file system was mounted with flushes, as it is unless an option turns them off.
    pub(super) fn has_barriers(&self) -> bool {
        let mut options = self.mounted.split(',').map(str::trim);
        !options.any(|option| option == "nobarrier" || option == "barrier=0")
    }

    /// The first case of each change and each kind of sync; a change that was synced in one way alone counts for both.
    fn derived(&self) -> Result<BTreeMap<(FileChange, bool), SyncRule>, FsError> {
        let mut rules = BTreeMap::new();
        for case in &self.cases {
            let (Some(data_only), Some(change)) = (case.data_only(), case.changes.first()) else {
                continue;
            };
            if let Entry::Vacant(vacant) = rules.entry((*change, data_only)) {
                vacant.insert(case.rule()?);
            }
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
        let steps = self.steps.iter().map(|step| self.step(step));
        let steps: Vec<_> = steps.collect::<Result<_, _>>()?;
        let mut steps: Vec<_> = steps.into_iter().flatten().collect();
        // Several requests of a kind in a row are one of the lengths that the state asks for.
        steps.dedup_by(|one, other| one == other && *one != SyncStep::Flush);
        Ok(SyncRule {
            steps,
            journals: self.journals.clone(),
        })
    }

    /// A request; nothing for metadata in place.
    fn step(&self, step: &str) -> Result<Option<SyncStep>, FsError> {
        let (kind, bytes) = match step.split_once(' ') {
            Some((kind, bytes)) => (kind, Some(bytes)),
            None => (step, None),
        };
        let shown = beginning(step);
        let is_synced = self.data_only().is_some();
        let found = match kind {
            "data" => Some(SyncStep::Data),
            "journal" => Some(SyncStep::Journal),
            "commit" => Some(SyncStep::Commit),
            "flush" => Some(SyncStep::Flush),
            "home" if !is_synced => None,
            _ => {
                let home = if is_synced { "" } else { ", home BYTES" };
                return Err(self.wrong(&format_args!(
                    "step `{shown}`; allowed: data BYTES, journal BYTES, commit BYTES, flush{home}"
                )));
            }
        };
        let block = BLOCK as u64;
        let is_length = |bytes: &str| {
            let bytes = bytes.parse::<u64>().unwrap_or(0);
            (block..=STEP_MAX).contains(&bytes) && bytes.is_multiple_of(block)
        };
        match (found, bytes) {
            (Some(SyncStep::Flush), None) => Ok(found),
            (Some(SyncStep::Flush), Some(_)) => Err(self.wrong(&format_args!(
                "step `{shown}`; allowed: flush, without a length"
            ))),
            (_, Some(bytes)) if is_length(bytes) => Ok(found),
            _ => Err(self.wrong(&format_args!(
                "step `{shown}`; allowed lengths: multiples of {block} from {block} to {STEP_MAX}"
            ))),
        }
    }

    /// Checks what it says; that its sync makes the requests without which its changes are not safe, too.
    fn check(&self, has_barriers: bool) -> Result<(), FsError> {
        let lists = [
            ("changes", self.changes.len()),
            ("setup", self.setup.len()),
            ("calls", self.calls.len()),
            ("steps", self.steps.len()),
            ("journals", self.journals.len()),
            ("after_s", self.after_s.len()),
        ];
        if let Some((list, found)) = lists.iter().find(|(_, found)| *found > ENTRIES_MAX) {
            return Err(self.wrong(&format_args!(
                "{list} has {found} entries; allowed: {ENTRIES_MAX} at most"
            )));
        }
        let changes = &self.changes;
        if changes.is_empty() {
            return Err(self.wrong(&"no changes; allowed: one at least, `nothing` among them"));
        }
        let rule = self.rule()?;
        if self.data_only().is_none() {
            return Ok(());
        }
        let steps = &rule.steps;
        let at = |step| steps.iter().position(|one| *one == step);
        let last = |step| steps.iter().rposition(|one| *one == step);
        let writes = [
            FileChange::Overwrite,
            FileChange::Grow,
            FileChange::Allocate,
        ];
        let why = if last(SyncStep::Data).is_some_and(|data| data > 0) {
            "`data` behind another request; allowed: first, as Linux writes data before it commits"
        } else if at(SyncStep::Data).is_none() && changes.iter().any(|one| writes.contains(one)) {
            "no `data`, which overwrite, grow and allocate need; allowed: `data BYTES` first"
        } else if at(SyncStep::Journal).is_some() != at(SyncStep::Commit).is_some()
            || at(SyncStep::Journal) > at(SyncStep::Commit)
        {
            "`journal` or `commit` without the other; allowed: `journal BYTES`, then `commit BYTES`, or neither"
        } else if at(SyncStep::Journal).is_some() == self.journals.is_empty() {
            "`journals` does not fit the steps; allowed: metadata with a `journal` step, [] without"
        } else if has_barriers && steps.last() != Some(&SyncStep::Flush) {
            "no `flush` at the end; allowed: `flush` last, or `mounted` with nobarrier or barrier=0"
        } else {
            return Ok(());
        };
        Err(self.wrong(&why))
    }

    fn wrong(&self, why: &dyn std::fmt::Display) -> FsError {
        wrong(&format_args!("case {}: {why}", beginning(&self.name)))
    }
}

/// What a message shows of a text.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(60).map_or(text.len(), |(at, _)| at);
    &text[..end]
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

    #[test]
    fn a_pattern_whose_syncs_do_not_fit_its_changes_is_refused_with_what_is_allowed() {
        let text = include_str!("../../data/ext4.toml");
        // The first case overwrites, and syncs the data.
        let first = "steps = [\"data 4096\", \"flush\"]\njournals = []";
        assert!(text.contains(first));
        let with = |steps: &str, journals: &str| {
            let other = format!("steps = [{steps}]\njournals = [{journals}]");
            TrafficPattern::read(&text.replacen(first, &other, 1))
        };
        let long = |entry: &str, count: usize| vec![entry; count].join(", ");
        let journalled = "\"data 4096\", \"journal 8192\", \"flush\", \"commit 4096\", \"flush\"";
        assert!(with(journalled, "\"inode\"").is_ok());
        let most = with(&long("\"data 4096\"", 63), "");
        assert!(
            most.expect_err("no flush")
                .to_string()
                .contains("nobarrier")
        );
        let flushes = long("\"flush\"", 63);
        assert!(with(&format!("\"data 1073741824\", {flushes}"), "").is_ok());
        let refused = [
            ("", "", "allowed: `data BYTES` first"),
            ("\"commit 1\"", "", "multiples of 4096"),
            ("\"commit 4096\"", "", "allowed: `data BYTES` first"),
            ("\"flush\"", "", "allowed: `data BYTES` first"),
            ("\"data -5\", \"flush\"", "", "multiples of 4096"),
            ("\"data 0\", \"flush\"", "", "multiples of 4096"),
            ("\"data 4097\", \"flush\"", "", "multiples of 4096"),
            ("\"data 1073745920\", \"flush\"", "", "to 1073741824"),
            (
                "\"data 18446744073709551616000\", \"flush\"",
                "",
                "to 1073741824",
            ),
            ("\"data\", \"flush\"", "", "multiples of 4096"),
            ("\"data  4096\", \"flush\"", "", "multiples of 4096"),
            ("\"data 4096\", \"flush 4096\"", "", "without a length"),
            (
                "\"data 4096\", \"home 4096\", \"flush\"",
                "",
                "commit BYTES, flush",
            ),
            ("\"flush\", \"data 4096\"", "", "allowed: first"),
            ("\"data 4096\"", "", "`flush` last"),
            (
                "\"data 4096\", \"journal 8192\", \"flush\"",
                "\"inode\"",
                "then `commit BYTES`",
            ),
            (
                "\"data 4096\", \"commit 4096\", \"journal 8192\", \"flush\"",
                "\"inode\"",
                "then `commit BYTES`",
            ),
            (journalled, "", "metadata with a `journal` step"),
            ("\"data 4096\", \"flush\"", "\"inode\"", "[] without"),
            (
                &long("\"flush\"", 65),
                "",
                "steps has 65 entries; allowed: 64",
            ),
            (
                journalled,
                &long("\"inode\"", 65),
                "journals has 65 entries; allowed: 64",
            ),
        ];
        for (steps, journals, says) in refused {
            let error = with(steps, journals).expect_err(steps).to_string();
            assert!(
                error.contains("overwrite-data") && error.contains(says),
                "{steps}: {error}"
            );
        }
        let refused = |text: &str| {
            TrafficPattern::read(text)
                .expect_err("it is wrong")
                .to_string()
        };
        let case = text.split("[[case]]").nth(1).expect("it has cases");
        let many = format!("{text}{}", format!("\n[[case]]{case}").repeat(64));
        assert!(refused(&many).contains("allowed: 64 at most"));
        let none = text.replacen("changes = [\"overwrite\"]", "changes = []", 1);
        assert!(refused(&none).contains("no changes; allowed"));
        let long = format!("{text}#{}", " ".repeat(1 << 20));
        assert!(refused(&long).contains("1048576 B at most"));
    }
}
