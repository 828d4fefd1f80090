//! A part's sheet from a log of a real one, or a [system's](system) from what was measured of its memory.
//!
//! Two kinds of parts, two ways. Raw flash repeats simple steps, so that its figures follow from a log by
//! [statistics](flash), with intervals. A card is a black box, whose figures are searched for:
//!
//! Nobody publishes the firmware of a card. What it does shows in how long its accesses take, so the figures that
//! it decides can be found: by simulating the card with some values, comparing with the log, and trying others.
//! What is found is *calibrated*, never known. Therefore only the first half of the log is fitted, and the second
//! half is a prediction that is scored beside it.
//!
//! 1. [`sample`] reads the log, or says what it lacks.
//! 2. [`anatomy`] says what the first half shows: levels of durations, stalls, pauses.
//! 3. A [`template`] turns that into starting values of the figures that a log can determine.
//! 4. [`bench`] lets a candidate do the log's work, [`signature`] says how far it is from the log, and [`search`] makes
//!    that small, in two [`stages`].
//! 5. [`certainty`] puts back what the log does not determine, and says how far each figure could be off.
//! 6. The candidate does the work of the whole log: [`rows`] of both halves, and the [`sheet`].

mod aim;
mod anatomy;
mod bench;
mod certainty;
mod evolve;
mod explained;
mod flash;
mod rows;
mod sample;
mod search;
mod sheet;
mod signature;
mod stages;
mod system;
mod task;
mod template;
mod written;

#[cfg(test)]
mod tests;

use wordline_catalog::{Catalog, CatalogError, Part, PartOnBoard, Sheet, is_id, parse};
use wordline_core::quantity::Quantity;
use wordline_core::{Experiment, FitWorkload, ResultSet, Workload};

use crate::control::Control;
use crate::error::{BaseProblem, LabError, SettingProblem};
pub(crate) use sheet::SheetProblem;
use task::Task;
use template::{Knob, TEMPLATES, Template};

/// A fitted part.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Both halves of the log beside the simulated part, and the figures that were fitted.
    pub document: ResultSet,
    /// The sheet as TOML; `None` where the caller stopped the run.
    pub sheet: Option<String>,
    /// The fitted figures with their 95 % intervals, where the template has such: of raw flash.
    pub estimates: Vec<Estimate>,
}

/// A fitted figure with its 95 % interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its dotted path in the sheet.
    pub figure: String,
    /// In the SI base unit of the figure: seconds, cycles or a number.
    pub value: f64,
    /// Lower end of the interval.
    pub least: f64,
    /// Upper end of the interval.
    pub most: f64,
}

/// A way to fit.
enum Method {
    Search(&'static Template),
    Flash(&'static flash::FlashTemplate),
    System,
}

/// The default base of a template.
///
/// # Errors
/// When there is no such template: the message names those that exist.
pub fn default_base(template: &str) -> Result<&'static str, LabError> {
    Ok(match method(template)? {
        Method::Search(template) => template.base,
        Method::Flash(template) => template.base,
        Method::System => return Err(SettingProblem::NoSystemBase.of("base")),
    })
}

fn method(name: &str) -> Result<Method, LabError> {
    let searched = TEMPLATES.iter().find(|one| one.name == name);
    let flash = flash::TEMPLATES.iter().find(|one| one.name == name);
    let found = searched.map(Method::Search).or(flash.map(Method::Flash));
    let found = found.or((name == system::TEMPLATE).then_some(Method::System));
    found.ok_or_else(|| {
        let searched = TEMPLATES.iter().map(|one| one.name);
        let names: Vec<_> = searched
            .chain(flash::TEMPLATES.iter().map(|one| one.name))
            .chain([system::TEMPLATE])
            .collect();
        SettingProblem::UnknownTemplate {
            name: name.to_owned(),
            allowed: names.join(", "),
        }
        .of("template")
    })
}

/// Fits a part to a log, as the experiment's workload says. Its one target is the part that all other figures
/// come from.
///
/// # Errors
/// When the experiment is about something else, the base does not suit the template, or the log lacks something:
/// the message says what.
pub fn fit(
    catalog: &Catalog,
    experiment: &Experiment,
    control: &Control<'_>,
) -> Result<Fitted, LabError> {
    let Workload::Fit(workload) = &experiment.workload else {
        return Err(SettingProblem::NoFit(experiment.workload.name()).of("workload"));
    };
    crate::check(experiment)?;
    if experiment.ftl.is_some() {
        return Err(SettingProblem::LayerOfFit.of("ftl"));
    }
    let method = method(&workload.template)?;
    if !matches!(method, Method::System) {
        for (name, stated) in [("channels", workload.channels), ("cores", workload.cores)] {
            if stated.is_some() {
                return Err(SettingProblem::SystemAlone.of(name));
            }
        }
    }
    match method {
        Method::System => system::fit(catalog, experiment, workload, control),
        Method::Search(template) => fit_to(template, catalog, experiment, workload, control),
        Method::Flash(template) => {
            let [target] = &experiment.targets[..] else {
                return Err(several_bases());
            };
            let target = catalog.part_on_board(target)?;
            check_id(catalog, &workload.id)?;
            flash::fit(template, &target, experiment, workload, control)
        }
    }
}

fn several_bases() -> LabError {
    SettingProblem::SeveralBases.of("base")
}

/// The same with a template at hand.
fn fit_to(
    template: &Template,
    catalog: &Catalog,
    experiment: &Experiment,
    workload: &FitWorkload,
    control: &Control<'_>,
) -> Result<Fitted, LabError> {
    let [target] = &experiment.targets[..] else {
        return Err(several_bases());
    };
    if !workload.predict.is_empty() {
        return Err(SettingProblem::NoTable.of("predict"));
    }
    if workload.usage.is_some() {
        return Err(SettingProblem::CyclingLogAlone("a log of a card").of("usage"));
    }
    let found = catalog.part_on_board(target)?;
    let part = base(template, &found)?;
    let target = PartOnBoard {
        name: found.name.clone(),
        part: &part,
        board: found.board,
    };
    if workload.simulations == 0 {
        return Err(SettingProblem::NoSimulations.of("simulations"));
    }
    let knobs = knobs(template, &target)?;
    check_id(catalog, &workload.id)?;
    let mut document = ResultSet::new(Experiment {
        targets: vec![target.name.clone()],
        ..experiment.clone()
    });
    check_range(workload)?;
    let read = match sample::read(&workload.source, control, &mut document) {
        // Readers give up where they are cancelled.
        Err(_) if control.stopped() => None,
        read => read?,
    };
    let Some(sample) = read else {
        document.complete = false;
        return Ok(Fitted {
            document,
            sheet: None,
            estimates: Vec::new(),
        });
    };
    let task = Task {
        template,
        target: &target,
        workload,
        experiment,
        sample: &sample,
        control,
    };
    let sheet = task.run(&knobs, &mut document)?;
    document.complete = sheet.is_some();
    Ok(Fitted {
        document,
        sheet,
        estimates: Vec::new(),
    })
}

/// The base without what no fitted sheet takes over.
fn base(template: &Template, target: &PartOnBoard<'_>) -> Result<Part, LabError> {
    let header = &target.part.header;
    let refuse = |why| {
        let part = header.id.clone();
        SettingProblem::Base { part, why }.of("base")
    };
    if template.left_out.is_empty() {
        return Ok(target.part.clone());
    }
    let text = sheet::without(&header.text, template.left_out);
    match parse(
        &header.file,
        &text.map_err(|error| refuse(BaseProblem::Unchanged(error)))?,
    ) {
        Ok(Sheet::Part(mut part)) => {
            part.header.embedded = header.embedded;
            Ok(*part)
        }
        Ok(_) => Err(refuse(BaseProblem::NoPart)),
        Err(errors) => Err(LabError::Catalog(CatalogError::Sheets(errors))),
    }
}

/// The figures of the template that the base has, with its values.
fn knobs(template: &Template, target: &PartOnBoard<'_>) -> Result<Vec<(Knob, f64)>, LabError> {
    let refuse = |why| {
        let part = target.part.header.id.clone();
        SettingProblem::Base { part, why }.of("base")
    };
    let found = target.part.model.name();
    if found != template.model {
        return Err(SettingProblem::OtherModel {
            part: target.part.header.id.clone(),
            found,
            template: template.name,
            model: template.model,
        }
        .of("base"));
    }
    let value = |knob: &Knob| {
        let mut figures = target.part.figures.iter();
        let figure = figures.find(|figure| figure.figure == knob.path)?;
        let value = knob.kind.parse(&figure.value)?;
        let max_over_typ = knob.kind.max_over_typ(&figure.value);
        Some((
            Knob {
                max_over_typ,
                ..*knob
            },
            value,
        ))
    };
    let knobs: Vec<_> = template.knobs.iter().filter_map(value).collect();
    if knobs.is_empty() {
        return Err(refuse(BaseProblem::NoFigures));
    }
    Ok(knobs)
}

fn check_range(workload: &FitWorkload) -> Result<(), LabError> {
    match workload.fill.map(Quantity::si) {
        Some(fill) if !(0.0..=1.0).contains(&fill) => Err(SettingProblem::Share(fill).of("fill")),
        _ => Ok(()),
    }
}

fn check_id(catalog: &Catalog, id: &str) -> Result<(), LabError> {
    if !is_id(id) {
        return Err(SettingProblem::Id(id.to_owned()).of("id"));
    }
    let taken = catalog.headers().find(|(_, header)| header.id == id);
    match taken {
        Some((kind, header)) => Err(SettingProblem::TakenId {
            id: id.to_owned(),
            kind,
            file: header.file.clone(),
        }
        .of("id")),
        None => Ok(()),
    }
}
