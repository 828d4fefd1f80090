//! What would make a sheet stronger, for those who write one: nothing of it is wrong.

use wordline_core::Basis;
use wordline_core::results::FigureUse;

use crate::Part;

/// Names that a line of advice shows.
const SHOWN: usize = 8;

/// What the author of a part's sheet could add, a line each.
#[must_use]
pub fn advice(part: &Part) -> Vec<String> {
    let mut lines = Vec::new();
    let table = format!("{}.", part.model.name());
    let named = |is: &dyn Fn(&&FigureUse) -> bool| {
        let figures = part.figures.iter().filter(|figure| is(figure));
        let name = |figure: &FigureUse| {
            let name = figure.figure.strip_prefix(&table);
            name.unwrap_or(&figure.figure).to_owned()
        };
        figures.map(name).collect::<Vec<_>>()
    };
    let mut say = |names: Vec<String>, words: &str| {
        if names.is_empty() {
            return;
        }
        let shown = names.len().min(SHOWN);
        let more = match names.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(format!("{words}: {}{more}", names[..shown].join(", ")));
    };
    say(
        named(&|figure| figure.basis == Basis::Estimated),
        "estimated from other parts; state what the data sheet says",
    );
    say(
        named(&|figure| figure.basis == Basis::Assumed),
        "assumed; find a source, or leave it out where it can be estimated",
    );
    let times = |figure: &&FigureUse| {
        let has = |column: &str| figure.value.split(", ").any(|one| one.starts_with(column));
        let is_time = [" ns", " us", " ms", " s"]
            .iter()
            .any(|unit| figure.value.contains(unit));
        let sourced = !figure.basis.is_unsourced();
        is_time && sourced && has("typ ") && !has("max ")
    };
    say(
        named(&times),
        "without a max column, so that nothing is promised",
    );
    if part.lifecycle.is_none() {
        lines.push(
            "no lifecycle: add lifecycle = { status = \"active\", as_of = \"2026-11\", source = \"…\" }".to_owned(),
        );
    }
    if part.default_board.is_none() {
        lines.push("no default_board: targets must name a board".to_owned());
    }
    if part.cost.is_none() {
        lines.push("no cost: a price list (--prices) gives it one".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::advice;
    use crate::Catalog;

    #[test]
    fn what_a_sheet_lacks_is_named_once() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let of = |id: &str| advice(catalog.part(id).expect("in the catalogue"));
        let dump = of("bh25q128as");
        let begins = |words: &str| dump.iter().filter(|line| line.starts_with(words)).count();
        assert_eq!(begins("estimated from other parts"), 1, "{dump:?}");
        assert_eq!(begins("assumed; find a source"), 1, "{dump:?}");
        assert_eq!(begins("no cost"), 1, "{dump:?}");
        // Many names are folded.
        assert!(dump[0].ends_with(" more"), "{dump:?}");
        // A part with a price and a lifecycle is not asked for them.
        let sourced = of("em064lx");
        assert!(
            !sourced
                .iter()
                .any(|line| line.starts_with("no lifecycle") || line.starts_with("no cost")),
            "{sourced:?}"
        );
    }
}
