//! Random writes to a full card, and the RAM that they ask of a host which takes in data at a fixed rate.

use wordline_catalog::{Catalog, Model, Target};
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Quantity;
use wordline_core::{Sourced, Timing};
use wordline_nvm::Conditions;

/// Bytes of an access.
pub(crate) const ACCESS: u64 = 4096;
/// Accesses of the sequences that are published.
pub(crate) const SEQUENCE: usize = 4000;

/// A parameter of the controller that is tried instead of what the sheet says.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// Its key in `[card.controller]`.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: u32,
}

/// What random writes of 4 KiB over a full card took, each in seconds, once the card had settled.
pub(crate) struct Course {
    seconds: Vec<f64>,
    /// Pages programmed for each page written.
    pub(crate) amplification: f64,
}

impl Course {
    /// Mean bytes a second.
    pub(crate) fn throughput(&self) -> f64 {
        let sum: f64 = self.seconds.iter().sum();
        self.seconds.len() as f64 * ACCESS as f64 / sum
    }

    /// The longest access.
    pub(crate) fn slowest(&self) -> f64 {
        self.seconds.iter().copied().fold(0.0, f64::max)
    }

    /// Bytes of RAM for an input rate in bytes a second, over the sequence of 4000 accesses that took longest
    /// (realtime-buffering, figure 3 and equation 2).
    pub(crate) fn ram_of_longest(&self, rate: f64) -> f64 {
        let mut sum: f64 = self.seconds[..SEQUENCE].iter().sum();
        let (mut most, mut at) = (sum, 0);
        for end in SEQUENCE..self.seconds.len() {
            sum += self.seconds[end] - self.seconds[end - SEQUENCE];
            if sum > most {
                (most, at) = (sum, end + 1 - SEQUENCE);
            }
        }
        ram(&self.seconds[at..at + SEQUENCE], rate)
    }

    /// The same over all accesses.
    pub(crate) fn ram_of_all(&self, rate: f64) -> f64 {
        ram(&self.seconds, rate)
    }
}

/// The greatest backlog: equation 2 of realtime-buffering, where its minimum is read as the maximum that is
/// meant.
fn ram(seconds: &[f64], rate: f64) -> f64 {
    let (mut backlog, mut most) = (0.0f64, 0.0f64);
    for time in seconds {
        backlog = (backlog + time * rate - ACCESS as f64).max(0.0);
        most = most.max(backlog);
    }
    most
}

/// Fills a card, lets it settle for half as many writes as it has pages of its layer, and then measures. A
/// setting `region_mib` keeps the writes within the first so many MiB.
pub(crate) fn course(part: &str, settings: &[Setting], seed: u64) -> Result<Course, String> {
    let catalog = Catalog::load(&[]).map_err(|error| error.to_string())?;
    let target = catalog.target(part).map_err(|error| error.to_string())?;
    let mut part = target.part.clone();
    let Model::Card(sheet) = &mut part.model else {
        return Err("no card".to_owned());
    };
    let mut region = u64::MAX;
    for Setting { key, value } in settings {
        let of = &mut sheet.controller;
        let choice = sourced(*value);
        match key.as_str() {
            "spare_blocks" => of.spare_blocks = choice,
            "clean_below" => of.clean_below = choice,
            "clean_until" => of.clean_until = choice,
            "steps_per_write" => of.steps_per_write = (*value > 0).then_some(choice),
            "journal_pages" => of.journal_pages = (*value > 0).then_some(choice),
            "journal_changes" => of.journal_changes = choice,
            "log_blocks" => of.log_blocks = Some(choice),
            "shared_by" => of.shared_by = Some(choice),
            "slc_blocks" => of.slc_blocks = Some(choice),
            "open_pages" => of.open_pages = choice,
            "region_mib" => region = u64::from(*value) << 20,
            _ => return Err(format!("no parameter {key}")),
        }
    }
    let problems = sheet.problems();
    if let Some(problem) = problems.first() {
        return Err(format!("{}: {}", problem.path, problem.message));
    }
    let pages = sheet.layer_shape().blocks as usize * sheet.layer_shape().pages_per_block as usize;
    let target = Target {
        part: &part,
        ..target
    };
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed,
    };
    let mut card = target
        .connect(conditions)
        .map_err(|error| error.to_string())?;
    let content = vec![0; 1 << 20];
    let slots = card.len().min(region) / ACCESS;
    let mut at = 0;
    while at < card.len() {
        let bytes = (card.len() - at).min(content.len() as u64);
        card.preload(at, &content[..bytes as usize])
            .map_err(|error| error.to_string())?;
        at += bytes;
    }
    let settle = pages / 2;
    let mut seconds = Vec::new();
    let mut before = card.translation().expect("a card has a layer").work;
    for step in 0..settle + 10 * SEQUENCE {
        if step == settle {
            before = card.translation().expect("a card has a layer").work;
        }
        let at = draw(seed, 0, step as u64, Purpose::Address) % slots * ACCESS;
        card.write(at, &content[..ACCESS as usize])
            .map_err(|error| error.to_string())?;
        if step >= settle {
            seconds.push(card.last_cost().total().si());
        }
    }
    let work = card.translation().expect("a card has a layer").work;
    let moved =
        |work: &wordline_nvm::ftl::Work| work.cleaned + work.merged + work.folded + work.leveled;
    let written = (work.written - before.written) as f64;
    Ok(Course {
        seconds,
        amplification: 1.0 + (moved(&work) - moved(&before)) as f64 / written,
    })
}

fn sourced(value: u32) -> Sourced<u32> {
    let text = format!("it = {{ value = {value}, assumed = true, reason = 'tried' }}");
    let table: toml::Table = text.parse().expect("well-formed");
    table["it"].clone().try_into().expect("a number")
}
