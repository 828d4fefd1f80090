//! `wordline app capacity`.

use std::path::Path;

use wordline_apps::Profile;
use wordline_apps::capacity::{PageSampling, ReuseProfile, SpillModel, SpilledBytes};
use wordline_core::quantity::{ByteCount, Quantity as _, human_rounded};
use wordline_lab::Control;
use wordline_lab::app::capacity::{CapacityRequest, reuse};
use wordline_report::{Column, Grid, printable};

use crate::args::{CapacityFlags, Global};
use crate::failure::{self, Failure};
use crate::input::{self, Inputs};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Exports};
use crate::progress::Bar;

/// Pages that are followed at a time unless said otherwise: eight times what the paper finds to be enough for 1 %.
const PAGES: usize = 65_536;

/// No profile is larger.
const PROFILE_MAX: u64 = 16 << 20;

pub(super) fn run(flags: &CapacityFlags, global: &Global) -> Result<Outcome, Failure> {
    if flags.add_to.is_some() && flags.capacity.len() != 1 {
        return Err(failure::message(format!(
            "--add-to takes the time of one capacity; {} are given with --capacity",
            flags.capacity.len()
        )));
    }
    let mut exports = Exports::new(&flags.export.whole())?;
    exports.spare(&flags.trace)?;
    if let Some(file) = &flags.add_to {
        exports.spare(file)?;
    }
    if let Some(output) = &flags.output {
        exports.also("--output", output)?;
        let mut inputs = vec![&*flags.trace];
        inputs.extend(flags.add_to.as_deref());
        output::new_files(&[("--output", output)], &inputs, flags.force)?;
    }
    let given = flags.add_to.as_deref().map(profile_of).transpose()?;
    let mut inputs = Inputs::default();
    let request = CapacityRequest {
        file: inputs.add(&flags.trace),
        format: flags.format.clone(),
        page_bytes: flags.page.bytes(),
        sampling: flags.rate.map_or(PageSampling::Pages(PAGES), |rate| {
            PageSampling::Rate(rate.si())
        }),
        seed: flags.seed,
    };
    let bar = Bar::new(global.quiet);
    let stop = interrupt::listen();
    let open = |name: &str| inputs.open(name, &bar, &stop);
    let control = Control {
        stop: Some(&stop),
        open: Some(&open),
        ..Control::default()
    };
    let found = reuse(&request, &control).map_err(failure::lab)?;
    let Some((profile, _)) = found else {
        return Ok(Outcome::Interrupted);
    };
    let model = SpillModel {
        page_bytes: flags.page.bytes() as f64,
        footprint_bytes: flags.footprint.map(|bytes| bytes.bytes() as f64),
        storage_bytes_per_s: flags.storage.si(),
    };
    let spilled = |capacity: &ByteCount| model.spilled(&profile, capacity.bytes() as f64);
    let all: Result<Vec<_>, _> = flags.capacity.iter().map(spilled).collect();
    let all = all.map_err(|error| failure::message(error.to_string()))?;
    super::save(
        "wordline app capacity: what less memory moves to and from storage",
        &sentence(&all, &profile, flags),
        super::DemandTables {
            people: &table(&all),
            programs: &numbers(&all),
        },
        &exports,
        global,
    )?;
    if let (Some(from), Some(mut whole), Some(to), [one]) =
        (&flags.add_to, given, &flags.output, &all[..])
    {
        let added = one.phase();
        let note = match &added {
            Some(_) => format!(
                "the profile with its phase \"spill\" is in {}",
                to.display()
            ),
            None => format!("nothing is spilt: {} is {}", to.display(), from.display()),
        };
        if let Some(phase) = added {
            whole = whole
                .with(phase)
                .map_err(|error| failure::message(format!("{}: {error}", from.display())))?;
        }
        super::write(&whole, to, global)?;
        if !global.quiet {
            output::note(&note);
        }
    }
    Ok(Outcome::Done)
}

/// The profile that a phase is added to, read before the trace: its faults need no hours.
fn profile_of(file: &Path) -> Result<Profile, Failure> {
    let refused =
        |why: String| failure::message(printable(&format!("--add-to {}: {why}", file.display())));
    // Of standard input and pipes there is no telling whether they end.
    if file.exists() && !file.is_file() {
        return Err(refused("this is no ordinary file".to_owned()));
    }
    let text = input::read(file, PROFILE_MAX)?;
    let text = String::from_utf8_lossy(&text);
    Profile::from_json(&text).map_err(|error| refused(error.to_string()))
}

/// An estimate: three digits.
fn bytes(bytes: f64) -> String {
    human_rounded(bytes, "B", 3)
}

/// A size as it was given, or shorter.
fn size(given: f64) -> String {
    let whole = ByteCount::from_bytes(given as u64).to_string();
    let short = bytes(given);
    if short.len() < whole.len() {
        short
    } else {
        whole
    }
}

/// "nothing goes", "1.50 TB go".
fn moved(of: &SpilledBytes) -> String {
    match of.bytes() > 0.0 {
        true => format!("{} move", bytes(of.bytes())),
        false => "nothing moves".to_owned(),
    }
}

fn sentence(all: &[SpilledBytes], profile: &ReuseProfile, flags: &CapacityFlags) -> String {
    let traced = bytes(profile.pages * flags.page.bytes() as f64);
    let stands = flags.footprint.map_or(String::new(), |whole| {
        format!(
            ", which stand for a program of {}",
            size(whole.bytes() as f64)
        )
    });
    let followed = match profile.rate < 1.0 {
        true => format!(
            "; a sample of {} % of these pages was followed",
            human_rounded(100.0 * profile.rate, "1", 3)
        ),
        false => String::new(),
    };
    let head = format!(
        "The trace has {} accesses to {traced} of pages{stands}{followed}.",
        profile.accesses
    );
    let least = all
        .iter()
        .min_by(|one, other| one.seconds.total_cmp(&other.seconds));
    let most = all
        .iter()
        .max_by(|one, other| one.seconds.total_cmp(&other.seconds));
    let (Some(least), Some(most)) = (least, most) else {
        return head;
    };
    let size = |of: &SpilledBytes| size(of.capacity_bytes);
    match all.len() {
        1 => format!(
            "{head} With {} of memory {} to and from storage for want of room.",
            size(most),
            moved(most)
        ),
        _ => format!(
            "{head} With {} of memory {} to and from storage for want of room, with {} {}.",
            size(most),
            moved(most),
            size(least),
            moved(least)
        ),
    }
}

/// The same in bytes and seconds, for programs.
fn numbers(all: &[SpilledBytes]) -> Grid {
    let names = [
        "capacity B",
        "read first B",
        "fetched again B",
        "written back B",
        "spilt B",
        "I/O seconds",
    ];
    let mut grid = Grid::new("Storage", names.map(Column::right).into());
    for one in all {
        let bytes = [
            one.capacity_bytes,
            one.loaded_bytes,
            one.fetched_bytes,
            one.written_bytes,
            one.bytes(),
        ];
        let bytes = bytes.map(|bytes| format!("{bytes:.0}")).into_iter();
        grid.push(bytes.chain([format!("{:.3}", one.seconds)]));
    }
    grid
}

fn table(all: &[SpilledBytes]) -> Grid {
    let names = [
        "capacity",
        "read first",
        "fetched again",
        "written back",
        "spilt",
        "I/O time",
    ];
    let mut grid = Grid::new(
        "What moves to and from storage: spilt is fetched again and written back",
        names.map(Column::right).into(),
    );
    for one in all {
        grid.push([
            size(one.capacity_bytes),
            bytes(one.loaded_bytes),
            bytes(one.fetched_bytes),
            bytes(one.written_bytes),
            bytes(one.bytes()),
            human_rounded(one.seconds, "s", 3),
        ]);
    }
    grid
}
