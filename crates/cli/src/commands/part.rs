//! `wordline part show|check`; the other commands of parts have files of their own.

use serde_json::json;
use wordline_catalog::{
    Board, Catalog, CatalogError, Counters, DramSheet, Header, Part, PartOnBoard, Target,
};
use wordline_core::quantity::{Quantity, human};
use wordline_core::results::{CardPoint, CardSubject, FigureUse};
use wordline_core::{Basis, Lifecycle, Timing};
use wordline_nvm::{Link, conformance};
use wordline_report::{Column, Format, Grid, printable};

use super::part_dram::PartView;
use crate::args::{self, Global};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

pub(crate) fn run(part: &args::Part, global: &Global) -> Result<Outcome, Failure> {
    match part {
        args::Part::List { all } => super::part_list::run(*all, global),
        args::Part::Find(find) => super::part_find::find(find, global),
        args::Part::Similar { part, limit } => super::part_find::resembling(part, *limit, global),
        args::Part::Compare {
            parts,
            all,
            sources,
        } => super::part_compare::run(parts, *all, *sources, global),
        args::Part::Show { id, sheet, all } => show(id, *sheet, *all, global),
        args::Part::Import(import) => super::import::run(import, global),
        args::Part::New(new) => super::part_new::run(new, global),
        args::Part::Check { rules: true, paths } if !paths.is_empty() => Err(failure::message(
            "--rules checks parts on their boards, which may lie in other files: name the folder \
                 that holds them with --catalog DIR instead",
        )),
        args::Part::Check { rules: true, .. } => rules(global),
        args::Part::Check { paths, .. } => check(paths, global),
    }
}

fn show(id: &str, sheet: bool, all: bool, global: &Global) -> Result<Outcome, Failure> {
    let catalog = super::catalog(global)?;
    let page = ImportPage::find(&catalog, id)?;
    if sheet {
        output::data(&page.header.text)?;
        return Ok(Outcome::Done);
    }
    let format = Format::from(global.format);
    if format == Format::Table && !all {
        page.screen()?;
        return Ok(Outcome::Done);
    }
    let text = match format {
        Format::Json => page.json(),
        Format::Csv => page.figures().csv(),
        Format::Table | Format::Markdown | Format::Html => page.text(format),
    };
    output::data(&text)?;
    Ok(Outcome::Done)
}

/// What `part show` prints.
struct ImportPage<'a> {
    header: &'a Header,
    kind: &'static str,
    figures: &'a [FigureUse],
    /// How the part works on its board, where there is one.
    link: Option<(&'a str, Link)>,
    /// What a DRAM module or system has beside its figures.
    dram: Option<PartView>,
    /// What is known of the supply of a part.
    lifecycle: Option<&'a Lifecycle>,
}

impl<'a> ImportPage<'a> {
    fn find(catalog: &'a Catalog, id: &str) -> Result<Self, Failure> {
        if id.contains('@') {
            return match catalog.target(id).map_err(failure::catalog)? {
                Target::Module(target) => {
                    let view = PartView::of_target(&target)?;
                    Ok(Self::of_dram("module", target.module, Some(view)))
                }
                target => Self::on_board(&target.into_part().map_err(failure::catalog)?),
            };
        }
        if let Ok(module) = catalog.module(id) {
            let view = PartView::of_module(catalog, module)?;
            return Ok(Self::of_dram("module", module, Some(view)));
        }
        if let Ok(system) = catalog.system(id) {
            let view = PartView::of_system(system);
            return Ok(Self::of_dram("system", system, Some(view)));
        }
        if let Ok(die) = catalog.die(id) {
            return Ok(Self::of_dram("die", die, None));
        }
        if let Ok(board) = catalog.board(id) {
            return Ok(Self::of_board(board));
        }
        if let Ok(counters) = catalog.counters_of(id) {
            return Ok(Self::of_counters(counters));
        }
        match catalog.part(id) {
            Ok(part) if part.default_board.is_none() => Ok(Self::of_part(part, None)),
            Ok(_) => Self::on_board(&catalog.part_on_board(id).map_err(failure::catalog)?),
            Err(_) => Err(failure::catalog(catalog.unknown_name(id))),
        }
    }

    fn on_board(target: &PartOnBoard<'a>) -> Result<Self, Failure> {
        let link = target
            .link()
            .map_err(|error| failure::message(format!("{}: {error}", target.name)))?;
        let link = (target.board.header.id.as_str(), link);
        Ok(Self::of_part(target.part, Some(link)))
    }

    fn of_dram<T>(kind: &'static str, sheet: &'a DramSheet<T>, dram: Option<PartView>) -> Self {
        Self {
            header: &sheet.header,
            kind,
            figures: &sheet.figures,
            link: None,
            dram,
            lifecycle: None,
        }
    }

    fn of_part(part: &'a Part, link: Option<(&'a str, Link)>) -> Self {
        Self {
            header: &part.header,
            kind: part.model.name(),
            figures: &part.figures,
            link,
            dram: None,
            lifecycle: part.lifecycle.as_ref(),
        }
    }

    fn of_board(board: &'a Board) -> Self {
        Self {
            header: &board.header,
            kind: "board",
            figures: &board.figures,
            link: None,
            dram: None,
            lifecycle: None,
        }
    }

    fn of_counters(counters: &'a Counters) -> Self {
        Self {
            header: &counters.header,
            kind: "core with counters",
            figures: &counters.figures,
            link: None,
            dram: None,
            lifecycle: None,
        }
    }

    fn figures(&self) -> Grid {
        let columns = ["figure", "value", "basis", "source"];
        let mut grid = Grid::new("Figures", columns.map(Column::left).into());
        for figure in self.figures {
            let basis = figure.basis.to_string();
            grid.push([&figure.figure, &figure.value, &basis, &figure.source]);
        }
        grid
    }

    /// How each action runs on the board: computed from both sheets.
    fn commands(&self) -> Option<Grid> {
        let (board, link) = self.link.as_ref()?;
        let columns = [
            "action",
            "opcode",
            "mode",
            "clock",
            "data rate",
            "command time",
        ];
        let title = format!("On {board}, supplied with {} (computed)", link.voltage);
        let mut grid = Grid::new(title, columns.map(Column::left).into());
        for command in link.commands() {
            let rate = if command.action().moves_data() {
                human(command.data_rate(), "B/s", 4)
            } else {
                "no data".to_owned()
            };
            let code = command.code().map(|code| format!("{code:02X}h "));
            grid.push([
                command.action().to_string(),
                code.unwrap_or_default() + command.name(),
                command.mode(),
                command.clock().to_string(),
                rate,
                human(command.transaction(0, 0).command.si(), "s", 3),
            ]);
        }
        Some(grid)
    }

    /// What it is, how it works on its board, what its figures rest on, and the first of them.
    fn screen(&self) -> Result<(), Failure> {
        let header = self.header;
        let mut points = Vec::new();
        let mut point = |subject, words| points.push(CardPoint::words(subject, words));
        if let Some((board, link)) = &self.link {
            let moves = link
                .commands()
                .iter()
                .filter(|one| one.action().moves_data());
            let rates = moves.map(|one| {
                let rate = human(one.data_rate(), "B/s", 3);
                format!("{} {rate} ({}, {})", one.action(), one.mode(), one.clock())
            });
            let rates = rates.collect::<Vec<_>>().join(", ");
            point(CardSubject::Speed, format!("on {board}: {rates}"));
        }
        let of = |basis: Basis| {
            let count = self.figures.iter().filter(|one| one.basis == basis).count();
            (count > 0).then(|| format!("{count} {basis}"))
        };
        let bases = [Basis::Assumed, Basis::Estimated, Basis::Calibrated];
        let weak: Vec<_> = bases.into_iter().filter_map(of).collect();
        let all = self.figures.len();
        let weak = match weak.as_slice() {
            [] => format!("a source states all {all}"),
            weak => format!("{} of {all}", weak.join(", ")),
        };
        point(CardSubject::Figures, format!("{weak}; {}", header.revision));
        if let Some(lifecycle) = self.lifecycle {
            let words = format!("{}, {}", lifecycle.status, lifecycle.as_of);
            point(CardSubject::Finding, format!("lifecycle {words}"));
        }
        if let [first, more @ ..] = header.cautions.as_slice() {
            let more = match more.len() {
                0 => String::new(),
                count => format!("; and {count} more"),
            };
            point(CardSubject::Finding, format!("caution: {first}{more}"));
        }
        let sentence = format!(
            "{} {} is {} {}: {}.",
            header.manufacturer,
            header.name,
            article(self.kind),
            self.kind,
            header.description
        );
        // Opcodes are many, and belong to the whole sheet.
        let whole = self.figures();
        let mut grid = Grid::new("", whole.columns().to_vec());
        let is_key = |row: &&Vec<String>| !row[0].contains('[');
        for row in whole.rows().iter().filter(is_key) {
            grid.push(row.iter().cloned());
        }
        output::first_screen(sentence, points, grid, "figures", "")
    }

    fn text(&self, format: Format) -> String {
        let header = self.header;
        let style = output::style();
        let mut facts = Grid::new(
            format!("{} {}", header.manufacturer, header.name),
            vec![Column::left("id"), Column::left(&header.id)],
        );
        facts.push(["kind", self.kind]);
        facts.push(["description", &header.description]);
        facts.push(["sheet", &header.revision]);
        facts.push(["file", &header.file]);
        if let Some(lifecycle) = self.lifecycle {
            let Lifecycle {
                status,
                as_of,
                source,
            } = lifecycle;
            facts.push(["lifecycle", &format!("{status}, {as_of}: {source}")]);
        }
        for caution in &header.cautions {
            facts.push(["caution", caution]);
        }
        let [timing, choices] = self.dram.as_ref().map_or([None, None], PartView::grids);
        let figures = Some(self.figures());
        let grids = [Some(facts), self.commands(), timing, choices, figures];
        let texts: Vec<_> = grids
            .into_iter()
            .flatten()
            .map(|grid| grid.render(format, &style))
            .collect();
        texts.join("\n")
    }

    fn json(&self) -> String {
        let header = self.header;
        let link = self.link.as_ref().map(|(board, link)| {
            let commands = link.commands().iter().map(|command| {
                json!({
                    "action": command.action().name(),
                    "opcode": command.code(),
                    "name": command.name(),
                    "mode": command.mode(),
                    "clock_hz": command.clock().hz(),
                    "data_rate_bytes_per_s": command.data_rate(),
                    "command_time_s": command.transaction(0, 0).command.si(),
                })
            });
            let commands: Vec<_> = commands.collect();
            json!({ "board": board, "voltage_v": link.voltage.si(), "commands": commands })
        });
        let page = json!({
            "id": header.id,
            "kind": self.kind,
            "name": header.name,
            "manufacturer": header.manufacturer,
            "revision": header.revision,
            "description": header.description,
            "cautions": header.cautions,
            "lifecycle": self.lifecycle,
            "figures": self.figures,
            "link": link,
            "dram": self.dram.as_ref().map(PartView::json),
        });
        format!("{page:#}\n")
    }
}

/// The article of a kind of memory.
fn article(kind: &str) -> &'static str {
    // "an MRAM" is spoken letter by letter, "a nor" is not.
    match kind {
        "mram" | "sram" | "fram" => "an",
        kind if kind.starts_with(['a', 'e', 'i', 'o', 'u']) => "an",
        _ => "a",
    }
}

fn check(paths: &[std::path::PathBuf], global: &Global) -> Result<Outcome, Failure> {
    let (sheets, errors, advice) = if paths.is_empty() {
        match Catalog::load(&global.catalog) {
            Ok(catalog) => match Catalog::check_embedded() {
                errors if errors.is_empty() => (catalog.headers().count(), errors, Vec::new()),
                errors => (0, errors, Vec::new()),
            },
            Err(CatalogError::Sheets(errors)) => (0, errors, Vec::new()),
            Err(other) => return Err(failure::catalog(other)),
        }
    } else {
        let catalog = super::catalog(global)?;
        let checked = catalog.check(paths).map_err(failure::catalog)?;
        (checked.sheets, checked.errors, checked.advice)
    };
    failure::sheets(&errors);
    let columns = ["file", "line", "fault"];
    let mut grid = Grid::new("", columns.map(Column::left).into());
    for error in &errors {
        grid.push([
            error.file.clone(),
            error.line().to_string(),
            error.message.clone(),
        ]);
    }
    let format = Format::from(global.format);
    if matches!(format, Format::Json | Format::Csv) {
        output::data(&grid.render(format, &output::style()))?;
    } else if errors.is_empty() {
        output::data(&format!("sheets checked: {sheets}, faults: 0\n"))?;
        output::data(&advised(sheets, &advice))?;
    } else {
        output::data(&format!("faults: {}\n", errors.len()))?;
    }
    Ok(if errors.is_empty() {
        Outcome::Done
    } else {
        Outcome::CheckFailed
    })
}

/// Sheets of which advice is printed: whoever checks more asks whether they load.
const ADVISED_MAX: usize = 4;

/// What would make sheets stronger, below the answer that they are sound.
fn advised(sheets: usize, advice: &[(String, String)]) -> String {
    if sheets > ADVISED_MAX {
        return String::new();
    }
    let lines = advice.iter();
    let line =
        |(file, line): &(String, String)| printable(&format!("advice: {file}: {line}")) + "\n";
    lines.map(line).collect()
}

/// Checks every rule of every part on its default board, and prints a line for each part, or for each
/// rule where the format is for programs.
fn rules(global: &Global) -> Result<Outcome, Failure> {
    let catalog = super::catalog(global)?;
    let format = Format::from(global.format);
    let each = matches!(format, Format::Json | Format::Csv);
    let columns: &[&'static str] = if each {
        &["target", "rule", "kept", "missed when taken away"]
    } else {
        &["target", "rules", "kept", "missed when taken away"]
    };
    let columns = columns.iter().copied().map(Column::left).collect();
    let mut grid = Grid::new("", columns);
    let mut faults = Vec::new();
    let boards = catalog.parts().filter(|part| part.default_board.is_some());
    for part in boards {
        let target = catalog
            .part_on_board(&part.header.id)
            .map_err(failure::catalog)?;
        let outcomes = target
            .conformance(Timing::Typ)
            .map_err(|error| failure::message(format!("{}: {error}", target.name)))?;
        let count = |good: fn(&conformance::RuleOutcome) -> bool| {
            outcomes.iter().filter(|one| good(one)).count().to_string()
        };
        for outcome in &outcomes {
            let rule = outcome.rule.name();
            if let Err(found) = &outcome.kept {
                faults.push(format!("{}: {rule} is not kept: {found}", target.name));
            }
            if !outcome.caught {
                faults.push(format!("{}: nobody would miss {rule}", target.name));
            }
            if each {
                let answer = |yes| if yes { "yes" } else { "no" };
                let (kept, caught) = (answer(outcome.kept.is_ok()), answer(outcome.caught));
                grid.push([&target.name, rule, kept, caught]);
            }
        }
        if !each {
            grid.push([
                target.name.clone(),
                outcomes.len().to_string(),
                count(|one| one.kept.is_ok()),
                count(|one| one.caught),
            ]);
        }
    }
    output::data(&grid.render(format, &output::style()))?;
    for fault in &faults {
        output::note(&format!("error: {fault}"));
    }
    Ok(if faults.is_empty() {
        Outcome::Done
    } else {
        Outcome::CheckFailed
    })
}
