//! `wordline app kernel`.

use wordline_apps::kernels::AppKernel;
use wordline_core::quantity::{ByteCount, human};
use wordline_lab::app::kernel::{FollowPlan, KernelDemand, KernelRequest, demand};
use wordline_lab::{Control, Progress};
use wordline_report::{Column, Grid};
use wordline_trace::dram::CacheChoices;

use crate::args::{Global, KernelFlags};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Exports};
use crate::progress::Bar;

pub(super) fn run(flags: &KernelFlags, global: &Global) -> Result<Outcome, Failure> {
    let mut exports = Exports::new(&flags.export.whole())?;
    if let Some(output) = &flags.output {
        exports.also("--output", output)?;
    }
    let Some(kernel) = flags.kernel.filter(|_| !flags.list) else {
        super::save(
            "wordline app kernel: kernels",
            "Kernels, each with the size of its data unless --size says otherwise.",
            super::DemandTables::alike(&list()),
            &exports,
            global,
        )?;
        return Ok(Outcome::Done);
    };
    if let Some(output) = &flags.output {
        output::new_files(&[("--output", output)], &[], flags.force)?;
    }
    let catalog = crate::commands::catalog(global)?;
    let request = request(kernel, flags);
    let stop = interrupt::listen();
    let bar = Bar::new(global.quiet);
    let show = |progress: Progress<'_>| match progress.total_bytes {
        0 => bar.pass(progress.step),
        _ => bar.show(&progress),
    };
    let found = flags.surfaces.lend(global, |surfaces| {
        let control = Control {
            stop: Some(&stop),
            progress: Some(&show),
            surfaces,
            ..Control::default()
        };
        demand(&catalog, &request, &control)
    });
    drop(bar);
    let Some(found) = found.map_err(failure::lab)? else {
        return Ok(Outcome::Interrupted);
    };
    super::save(
        &format!("wordline app kernel: {kernel}"),
        &sentence(kernel, &found),
        super::DemandTables::alike(&table(&found)),
        &exports,
        global,
    )?;
    if found.is_surface_simulated && !global.quiet {
        output::note(&format!(
            "note: no surface of {} comes along, so that one was simulated; --surfaces DIR keeps it for the next run",
            found.profile.baseline
        ));
    }
    if let Some(path) = &flags.output {
        super::write(&found.profile, path, global)?;
    }
    Ok(Outcome::Done)
}

fn request(kernel: AppKernel, flags: &KernelFlags) -> KernelRequest {
    let bytes = |size: Option<ByteCount>| size.map(ByteCount::bytes);
    KernelRequest {
        bytes: bytes(flags.size),
        system: flags.on.clone(),
        cores: flags.cores,
        caches: CacheChoices {
            bytes: [bytes(flags.l1), bytes(flags.l2), bytes(flags.l3)],
            ..CacheChoices::default()
        },
        prefetch_lines: flags.prefetch,
        instructions_per_cycle: flags.ipc,
        plan: FollowPlan {
            one_in: flags.sample,
            ..FollowPlan::default()
        },
        seed: flags.seed,
        ..KernelRequest::of(kernel)
    }
}

fn list() -> Grid {
    let columns = vec![
        Column::left("kernel"),
        Column::left("what it is"),
        Column::right("size"),
    ];
    let mut grid = Grid::new("Kernels", columns);
    for kernel in AppKernel::ALL {
        let size = ByteCount::from_bytes(kernel.usual_bytes());
        grid.push([
            kernel.name().to_owned(),
            kernel.about().to_owned(),
            size.to_string(),
        ]);
    }
    grid
}

/// The answer: the phase that takes longest, and what bounds it.
fn sentence(kernel: AppKernel, found: &KernelDemand) -> String {
    let cores = found.profile.cores;
    let longest = found
        .phases
        .iter()
        .max_by(|one, other| one.seconds.total_cmp(&other.seconds));
    let Some(phase) = longest else {
        return format!("{kernel} did nothing.");
    };
    let waits = match phase.outstanding {
        Some(lines) => format!(
            "each waits {:.0} % of the time with {lines:.1} lines under way",
            100.0 * phase.stall_share
        ),
        None => "none waits for it".to_owned(),
    };
    format!(
        "{cores} cores with {kernel} ({}) move {} through {}, at {} a read; {waits} (simulated).",
        found.run.size,
        human(phase.bytes_per_s, "B/s", 3),
        found.profile.baseline,
        human(phase.latency_ns * 1e-9, "s", 3),
    )
}

fn table(found: &KernelDemand) -> Grid {
    let numbers = [
        "instructions",
        "reads/1000",
        "writes/1000",
        "streamed %",
        "prefetched %",
        "under way",
        "stalled %",
        "seconds",
        "write %",
        "load levels",
    ];
    let columns = [Column::left("phase")]
        .into_iter()
        .chain(numbers.map(Column::right));
    let mut grid = Grid::new("What one core asks of memory", columns.collect());
    for (phase, told) in found.phases.iter().zip(&found.profile.phases) {
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let [reads, writes] = phase.lines_per_thousand.map(|lines| format!("{lines:.3}"));
        let levels = told.load.as_ref().map_or(0, |load| load.levels.len());
        grid.push([
            phase.name.to_owned(),
            format!("{:.0}", phase.instructions),
            reads,
            writes,
            percent(phase.locality),
            percent(phase.prefetched_share),
            phase
                .outstanding
                .map_or(String::new(), |lines| format!("{lines:.2}")),
            percent(phase.stall_share),
            format!("{:.4}", phase.seconds),
            percent(told.write_share()),
            levels.to_string(),
        ]);
    }
    grid
}
