//! A part's sheet from a log of a real one.
//!
//! Nobody publishes the firmware of a card. What it does shows in how long its accesses take, so the figures that
//! it decides can be found: by simulating the card with some values, comparing with the log, and trying others.
//! What is found is *calibrated*, never known. Therefore only the first half of the log is fitted, and the second
//! half is a prediction that is scored beside it.
//!
//! 1. [`sample`] reads the log, or says what it lacks.
//! 2. [`anatomy`] says what the first half shows: levels of durations, stalls, pauses.
//! 3. A [`template`] turns that into starting values of the figures that a log can tell.
//! 4. [`bench`] lets a candidate do the log's work, [`signature`] says how far it is from the log, [`search`] makes
//!    that small.
//! 5. [`certainty`] puts back what the log does not determine, and says how far each figure could be off.
//! 6. The candidate does the work of the whole log: [`rows`] of both halves, and the [`sheet`].

mod anatomy;
mod bench;
mod certainty;
mod explained;
mod rows;
mod sample;
mod search;
mod sheet;
mod signature;
mod template;

#[cfg(test)]
mod tests;

use wordline_catalog::{Catalog, Sheet, Target, parse};
use wordline_core::quantity::ByteCount;
use wordline_core::results::{FigureUse, SheetUse, WarningCode};
use wordline_core::{Basis, Experiment, FitWorkload, Pattern, ResultSet, Workload};

use anatomy::Anatomy;
use bench::{Bench, BenchProblem};
use certainty::{Aim, Certain, Search};
use sample::Sample;
use sheet::{About, Change, fitted};
use signature::Signature;
use template::{Knob, Seen, TEMPLATES, Template};

use crate::control::Control;
use crate::error::LabError;

/// A fitted part.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Both halves of the log beside the simulated part, and the figures that were fitted.
    pub document: ResultSet,
    /// The sheet as TOML; `None` where the caller stopped the run.
    pub sheet: Option<String>,
}

/// Names of the templates.
pub fn templates() -> impl Iterator<Item = &'static str> {
    TEMPLATES.iter().map(|template| template.name)
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
        return Err(LabError::List {
            what: "workload",
            problem: format!("is {}, and no fit", experiment.workload.name()),
        });
    };
    let mut templates = TEMPLATES.iter();
    let template = templates.find(|one| one.name == workload.template);
    let template = template.ok_or_else(|| LabError::List {
        what: "template",
        problem: format!(
            "{:?} is unknown; allowed: {}",
            workload.template,
            self::templates().collect::<Vec<_>>().join(", ")
        ),
    })?;
    fit_to(template, catalog, experiment, workload, control)
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
        return Err(LabError::List {
            what: "base",
            problem: "is not one part; a fit begins with one".to_owned(),
        });
    };
    let target = catalog.target(target)?;
    if workload.simulations == 0 {
        return Err(LabError::List {
            what: "simulations",
            problem: "are none; a search needs some, such as 300".to_owned(),
        });
    }
    let knobs = knobs(template, &target)?;
    check_id(catalog, &workload.id)?;
    let mut document = ResultSet::new(Experiment {
        targets: vec![target.name.clone()],
        ..experiment.clone()
    });
    let Some(sample) = sample::read(&workload.source, control, &mut document)? else {
        document.complete = false;
        return Ok(Fitted { document, sheet: None });
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
    Ok(Fitted { document, sheet })
}

/// The figures of the template that the base has, with its values.
fn knobs(template: &Template, target: &Target<'_>) -> Result<Vec<(Knob, f64)>, LabError> {
    let refuse = |problem: String| LabError::List {
        what: "base",
        problem: format!("{}: {problem}", target.part.header.id),
    };
    let found = target.part.model.name();
    if found != template.model {
        return Err(refuse(format!(
            "this part is of the model [{found}], and the template {} fits parts of the model [{}]",
            template.name, template.model
        )));
    }
    let value = |knob: &Knob| {
        let mut figures = target.part.figures.iter();
        let figure = figures.find(|figure| figure.figure == knob.path)?;
        Some((*knob, knob.parse(&figure.value)?))
    };
    let knobs: Vec<_> = template.knobs.iter().filter_map(value).collect();
    if knobs.is_empty() {
        return Err(refuse("its sheet has none of the figures that a fit finds".to_owned()));
    }
    Ok(knobs)
}

fn check_id(catalog: &Catalog, id: &str) -> Result<(), LabError> {
    let taken = catalog.headers().find(|(_, header)| header.id == id);
    match taken {
        Some((kind, header)) => Err(LabError::List {
            what: "id",
            problem: format!(
                "{id:?} is that of a {kind} already, in {}; choose another",
                header.file
            ),
        }),
        None => Ok(()),
    }
}

/// One fit.
struct Task<'a> {
    template: &'a Template,
    target: &'a Target<'a>,
    workload: &'a FitWorkload,
    experiment: &'a Experiment,
    sample: &'a Sample,
    control: &'a Control<'a>,
}

impl Task<'_> {
    /// The sheet; `None` when the caller wants to stop.
    fn run(
        &self,
        knobs: &[(Knob, f64)],
        document: &mut ResultSet,
    ) -> Result<Option<String>, LabError> {
        let bench = self.bench(document)?;
        let half = self.sample.half();
        let log = Anatomy::of(self.sample, 0..half);
        explained::warn_of_log(&self.workload.source.file, &log, document);
        let [first, second] = [0..half, half..self.sample.durations.len()]
            .map(|range| Signature::of(&self.sample.durations[range], self.sample.bytes));
        let halves = [first?, second?];
        let search = Search {
            aim: Aim {
                bench: &bench,
                knobs,
                log: &halves[0],
                half,
            },
            simulations: self.workload.simulations,
            control: self.control,
            name: &self.workload.id,
        };
        let begin = match bench.run(knobs, half) {
            Ok(durations) => Some(self.shown(durations)),
            Err(BenchProblem::Stopped) => return Ok(None),
            Err(_) => None,
        };
        let seen = Seen {
            log: &log,
            base: begin.as_ref(),
            knobs,
        };
        let starts = (self.template.starts)(&seen);
        let Some(certain) = search.run(starts).map_err(|problem| self.refuse(problem))? else {
            return Ok(None);
        };
        if !certain.settled {
            let advice = format!(
                "the search used up its {} simulations before it came to rest; more may fit better (--simulations)",
                self.workload.simulations
            );
            document.warn(WarningCode::FewSamples, advice);
        }
        let durations = match bench.run(&certain.values(), self.sample.durations.len()) {
            Ok(durations) => durations,
            Err(BenchProblem::Stopped) => return Ok(None),
            Err(problem) => return Err(self.refuse(problem)),
        };
        let simulated = self.shown(durations[..half].to_vec());
        explained::warn_of_fit(&self.workload.id, &log, &simulated, document);
        rows::add(self, &halves, &durations, document)?;
        let sheet = self.sheet(&certain)?;
        self.figures(&sheet, document)?;
        Ok(Some(sheet))
    }

    /// What simulated durations show.
    fn shown(&self, durations: Vec<u64>) -> Anatomy {
        let all = 0..durations.len();
        let simulated = Sample {
            bytes: self.sample.bytes,
            durations,
            ..Sample::default()
        };
        Anatomy::of(&simulated, all)
    }

    fn refuse(&self, problem: BenchProblem) -> LabError {
        LabError::Log {
            file: self.workload.source.file.clone(),
            problem: format!(
                "{} cannot do its work, whatever its figures: {problem}",
                self.target.name
            ),
        }
    }

    /// The work of the log on this base.
    fn bench(&self, document: &mut ResultSet) -> Result<Bench<'_>, LabError> {
        let sample = self.sample;
        let file = &self.workload.source.file;
        let usable = self.target.part.model.usable_bytes();
        if sample.bytes > usable {
            return Err(LabError::Size {
                what: "record",
                found: ByteCount::from_bytes(sample.bytes),
                problem: format!(
                    "is larger than {}, which holds {}",
                    self.target.name,
                    ByteCount::from_bytes(usable)
                ),
            });
        }
        let Some(pattern) = sample.pattern().or(self.workload.pattern) else {
            return Err(LabError::Log {
                file: file.clone(),
                problem: "it tells no addresses, and a card does other things in order than at random: say which with \
                          --pattern sequential or --pattern random, or record them (fio: --log_offset=1)"
                    .to_owned(),
            });
        };
        let asked = sample.range().or(self.workload.range_bytes).unwrap_or_else(|| {
            if pattern == Pattern::Random {
                let advice = format!(
                    "{file}: it tells no addresses; they are drawn from all of {}, and --range SIZE says otherwise",
                    self.target.name
                );
                document.warn(WarningCode::Default, advice);
            }
            usable
        });
        let range = asked.min(usable).max(sample.bytes);
        if range < asked && sample.range().is_some() {
            let advice = format!(
                "{file}: addresses reach up to {}, beyond the end of {}; those were folded into it",
                ByteCount::from_bytes(asked),
                self.target.name
            );
            document.warn(WarningCode::FoldedAddresses, advice);
        }
        let laid_out = pattern == Pattern::Random;
        Ok(Bench {
            base: self.target.part,
            board: self.target.board,
            sample,
            pattern,
            range,
            // A file is laid out before it is written at random.
            filled: if laid_out { range } else { 0 },
            seed: self.experiment.seed,
            age: self.experiment.age,
            stop: self.control.stop,
        })
    }

    fn sheet(&self, certain: &Certain) -> Result<String, LabError> {
        let base = &self.target.part.header;
        let file = &self.workload.source.file;
        let accesses = self.sample.half();
        let size = ByteCount::from_bytes(self.sample.bytes);
        let fit = |text: String| format!("fitted to the first {accesses} writes of {size} in {file}{text}");
        let changes: Vec<(Change, String)> = certain
            .figures
            .iter()
            .map(|figure| {
                let change = Change {
                    path: figure.knob.path.to_owned(),
                    columns: figure.knob.columns(figure.value),
                };
                (change, fit(figure.told()))
            })
            .collect();
        let about = About {
            id: &self.workload.id,
            name: &format!("Fitted to {file}"),
            manufacturer: "unknown",
            revision: &format!("a fit of the template {} to {file}", self.template.name),
            description: &format!("what wrote {file}, as far as a fit can tell"),
            cautions: &[
                format!(
                    "{} figures were fitted to a log of {accesses} writes of {size}; all others are those of {}, and assumed",
                    changes.len(),
                    base.id
                ),
            ],
            base: &base.id,
        };
        let text = fitted(&base.text, &changes, &about);
        let problem = |problem: String| LabError::List {
            what: "base",
            problem: format!("{}: {problem}", base.id),
        };
        let text = text.map_err(|error| problem(error.to_string()))?;
        match parse("fitted.toml", &text) {
            Ok(Sheet::Part(_)) => Ok(text),
            Ok(_) => Err(problem("the fitted sheet is none of a part".to_owned())),
            Err(errors) => Err(LabError::Catalog(wordline_catalog::CatalogError::Sheets(errors))),
        }
    }

    /// What the document rests on: the fitted sheet, and the base's figures that it took over.
    fn figures(&self, sheet: &str, document: &mut ResultSet) -> Result<(), LabError> {
        let Ok(Sheet::Part(part)) = parse("fitted.toml", sheet) else {
            unreachable!("it was parsed when it was made");
        };
        for (header, figures) in [
            (&part.header, &part.figures),
            (&self.target.board.header, &self.target.board.figures),
        ] {
            document.sheets.push(SheetUse {
                id: header.id.clone(),
                name: header.name.clone(),
                manufacturer: header.manufacturer.clone(),
                revision: header.revision.clone(),
                embedded: header.embedded,
            });
            document.figures.extend(figures.iter().cloned());
        }
        let fitted = |figure: &FigureUse| figure.basis == Basis::Calibrated && figure.sheet == part.header.id;
        if !document.figures.iter().any(fitted) {
            let advice = format!(
                "the log determines no figure better than {} has it: the sheet is that of the base",
                self.target.part.header.id
            );
            document.warn(WarningCode::NotFitted, advice);
        }
        Ok(())
    }
}
