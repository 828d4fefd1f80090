//! What no source states and no range describes: choices that change what a memory does in ways that cannot be moved
//! along a scale.

use wordline_core::{Basis, Timing};

use super::{Influence, Owner, Stated};
use crate::figures::without_labels;
use crate::{PartOnBoard, estimate, figures};

/// A choice of a memory's maker, or a property of it, that has to be known before a verdict which it changes is certain.
#[derive(Debug, PartialEq)]
pub struct OpenChoice {
    /// What tables and messages call it.
    pub name: &'static str,
    /// Its figures, by their names in the table of the part's model or by the names of the tables in it that hold them.
    figures: &'static [&'static str],
    /// Whether it is open only where its figures are zero, which is the best that they can be.
    pub is_best: bool,
    /// The table of a model whose parts' names state it well enough.
    named_by: Option<&'static str>,
    /// What it changes.
    pub changes: &'static [Influence],
}

/// Every open choice.
pub static OPEN_CHOICES: [OpenChoice; 5] = [
    // How it maps, cleans, buffers and levels makes its longest writes and its wear. A value that was chosen so that the
    // model meets a measurement says what this card did, not how.
    OpenChoice {
        name: "firmware",
        figures: &["array", "controller"],
        is_best: false,
        named_by: None,
        changes: &[Influence::Time, Influence::Life, Influence::Power],
    },
    OpenChoice {
        name: "organisation",
        figures: &["page_bytes", "pages_per_block", "blocks"],
        is_best: false,
        named_by: None,
        changes: &[
            Influence::Time,
            Influence::Life,
            Influence::Capacity,
            Influence::Power,
        ],
    },
    // A memory is sold by its capacity: what is assumed of it may be that of another part. The name of a card states it to
    // a percent.
    OpenChoice {
        name: "capacity",
        figures: &["capacity"],
        is_best: false,
        named_by: Some("card"),
        changes: &[Influence::Life, Influence::Capacity, Influence::Power],
    },
    OpenChoice {
        name: "lowest supply voltage",
        figures: &["supply"],
        is_best: false,
        named_by: None,
        changes: &[Influence::Supply],
    },
    // A share that is assumed to be none has no range by a factor.
    OpenChoice {
        name: "share of weak blocks",
        figures: &["aging.weak_share"],
        is_best: true,
        named_by: None,
        changes: &[Influence::Failures],
    },
];

/// An open choice of a target's sheet that no source states.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownChoice {
    /// Id of the sheet.
    pub sheet: String,
    /// The choice.
    pub choice: &'static OpenChoice,
    /// The figures that are assumed, estimated or calibrated, by their dotted paths.
    pub figures: Vec<String>,
}

impl OpenChoice {
    /// Whether a figure of a sheet, by its dotted path, is one of its figures and open.
    pub(super) fn holds(&self, path: &str, stated: &Stated) -> bool {
        let plain = without_labels(path);
        let (model, figure) = plain.split_once('.').unwrap_or_default();
        let named = self.figures.iter().any(|name| {
            let rest = figure.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        let open = stated.basis.is_unsourced() || stated.basis == Basis::Calibrated;
        let number = || stated.columns.first().map(|(_, column)| column.number);
        named && open && self.named_by != Some(model) && (!self.is_best || number() == Some(0.0))
    }
}

impl PartOnBoard<'_> {
    /// The open choices of the part that no source states.
    #[must_use]
    pub fn unknown_choices(&self) -> Vec<UnknownChoice> {
        let header = &self.part.header;
        let tree = estimate::tree(&header.text).unwrap_or_default();
        let mut found = OPEN_CHOICES.each_ref().map(|choice| (choice, Vec::new()));
        figures::each(&tree, &mut |start, path, table| {
            let Some(stated) = Stated::of(&header.text, table) else {
                return;
            };
            for (choice, figures) in &mut found {
                if choice.holds(path, &stated) && !stated.has_range(path) {
                    figures.push((start, path.to_owned()));
                }
            }
        });
        let open = found.into_iter().filter(|(_, figures)| !figures.is_empty());
        let unknown = open.map(|(choice, mut figures)| {
            figures.sort();
            UnknownChoice {
                sheet: header.id.clone(),
                choice,
                figures: figures.into_iter().map(|(_, path)| path).collect(),
            }
        });
        unknown.collect()
    }
}

impl Stated {
    /// Whether it has a range in any timing class.
    pub(super) fn has_range(&self, path: &str) -> bool {
        let in_class = |timing| self.uncertain(Owner::Part, "", path, timing).is_some();
        Timing::ALL.into_iter().any(in_class)
    }
}
