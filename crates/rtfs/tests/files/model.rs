//! Random calls against a plain tree.

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::Geometry;
use wordline_rtfs::{
    PacedCall, PacedConfig, PacedError, PacedFiles, PacedFilesBound, PacedFilesWork, PacedOpen,
};

use super::tree::{Call, Ending, Tree, audit, content, found, perform};
use crate::rules::{COLUMNS, Counted, Operations, blank};

/// Draws calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    pub(crate) seed: u64,
    /// Names in a directory.
    pub(crate) names: u64,
    /// Bytes that a name has at most, beside its number.
    pub(crate) name_bytes: u64,
    /// Bytes of a write at most.
    pub(crate) write_bytes: u64,
    /// Bytes of a file at most, roughly.
    pub(crate) file_bytes: u64,
    /// One call in so many, of those that may remove something, does so.
    pub(crate) remove_every: u64,
    /// Whether files lose their front.
    pub(crate) fronts: bool,
}

impl Calls {
    fn path(&self, call: u64, number: u64) -> String {
        let random = |place| draw(self.seed, call, 100 * number + place, Purpose::Address);
        let depth = [1, 1, 1, 2, 2, 3][random(0) as usize % 6];
        let mut path = String::new();
        for level in 0..depth {
            let name = random(1 + level) % self.names;
            let is_last = level + 1 == depth;
            let long = (name * 7919 % (self.name_bytes + 1)) as usize;
            let kind = if is_last { 'f' } else { 'd' };
            path = format!("{path}/{kind}{name}{}", "x".repeat(long));
        }
        if random(9).is_multiple_of(6) {
            // A directory itself.
            path = path.rsplit_once('/').map_or(path.clone(), |(above, last)| {
                format!("{above}/{}", last.replacen('f', "d", 1))
            });
        }
        path
    }

    pub(crate) fn data(&self, call: u64, bytes: usize) -> Vec<u8> {
        (0..bytes.div_ceil(8) as u64)
            .flat_map(|word| draw(self.seed, call, word, Purpose::Payload).to_le_bytes())
            .take(bytes)
            .collect()
    }

    pub(crate) fn call(&self, tree: &Tree, call: u64) -> Call {
        let random = |number| draw(self.seed, call, number, Purpose::Address);
        // Mostly what is there.
        let is_there = |number: u64| {
            let paths: Vec<_> = tree.nodes.keys().filter(|path| !path.is_empty()).collect();
            if paths.is_empty() || random(number).is_multiple_of(8) {
                self.path(call, number)
            } else {
                paths[(random(number + 1) % paths.len() as u64) as usize].clone()
            }
        };
        let file = || {
            let files: Vec<_> = tree
                .nodes
                .iter()
                .filter(|(_, node)| node.is_some())
                .collect();
            match files.len() as u64 {
                0 => self.path(call, 1),
                count => files[(random(12) % count) as usize].0.clone(),
            }
        };
        let bytes = (1 + random(13) % self.write_bytes) as usize;
        match random(10) % 16 {
            0 => Call::MakeDirectory(self.path(call, 2).replace("/f", "/d")),
            1..=3 => Call::Create(self.path(call, 3)),
            4..=6 => Call::Write(file(), random(14) % self.file_bytes, self.data(call, bytes)),
            7..=9 => Call::Append(file(), self.data(call, bytes)),
            10 => {
                let path = file();
                let bytes = tree
                    .nodes
                    .get(&path)
                    .and_then(Option::as_ref)
                    .map_or(0, Vec::len) as u64;
                let drawn = random(15) % self.file_bytes;
                let length = match random(18) % 4 {
                    0 => 0,
                    1 => bytes.saturating_sub(1 + drawn % 20),
                    2 => drawn / 128 * 128,
                    _ => drawn,
                };
                Call::Truncate(path, length)
            }
            11 if self.fronts => Call::DiscardFront(file(), random(16) % self.file_bytes),
            12 | 13 if random(17).is_multiple_of(self.remove_every) => Call::Remove(is_there(4)),
            13 => Call::Create(self.path(call, 7)),
            14 => Call::Rename(is_there(5), self.path(call, 6)),
            _ => Call::Work,
        }
    }
}

/// What operations take, with times that differ as those of NAND do.
fn time(count: &Operations) -> f64 {
    0.13 * count.reads as f64 + 0.25 * count.programs as f64 + 2.0 * count.erases as f64
}

fn longest(bound: &PacedFilesBound, call: PacedCall, names: u64) -> f64 {
    let times = bound.counts(call, names).map(|counts| {
        0.13 * counts.pages_read() as f64
            + 0.25 * counts.pages_programmed() as f64
            + 2.0 * counts.erases as f64
    });
    times[0].max(times[1])
}

/// What a call may take, with the groups that it wrote beyond its bound.
fn allowed(
    bound: &PacedFilesBound,
    call: &Call,
    before: &PacedFilesWork,
    after: &PacedFilesWork,
) -> f64 {
    let names = 4;
    let of = |call| longest(bound, call, names);
    let open = of(PacedCall::Open);
    let own = match call {
        Call::MakeDirectory(_) => of(PacedCall::MakeDirectory),
        Call::Create(_) => of(PacedCall::Create) + open,
        Call::Write(_, _, data) | Call::Append(_, data) => {
            let bytes = data.len() as u64;
            open + of(PacedCall::Append { bytes })
        }
        Call::Truncate(..) => open + of(PacedCall::Truncate),
        Call::DiscardFront(..) => open + of(PacedCall::DiscardFront),
        Call::Remove(_) => of(PacedCall::Remove),
        Call::Rename(..) => of(PacedCall::Rename),
        Call::Work => of(PacedCall::Free) + 2.0,
    };
    let groups = |after: u64, before: u64, call| (after - before) as f64 * of(call);
    own + groups(after.freeings, before.freeings, PacedCall::Free)
        + groups(after.cuts, before.cuts, PacedCall::Create)
        + groups(after.empties, before.empties, PacedCall::Remove)
}

/// Random calls, and how many of them found no space.
fn run(geometry: Geometry, config: PacedConfig, calls: Calls, count: u64) -> u64 {
    let bytes = config.bound(&geometry).expect("it suits").ram_bytes;
    let page = u64::from(geometry.page_bytes);
    let flash = Counted::new(blank(geometry));
    let mut files: PacedFiles<Counted<FlashImage>, Vec<u8>> =
        PacedFiles::format(flash, COLUMNS, config, 5, vec![0; bytes]).expect("a format");
    let bound = config.files_bound(&geometry).expect("it suits");
    let mut tree = Tree::new();
    let mut full = 0u64;
    // Handles that stay open, with the path that each was opened by.
    let mut open: Vec<(String, wordline_rtfs::PacedFile)> = Vec::new();
    for number in 0..count {
        let random = |place: u64| draw(calls.seed, number, 1000 + place, Purpose::Address);
        let call = calls.call(&tree, number);
        // Whether pages can be dropped depends on where the file's bytes are.
        let is_paged = match &call {
            Call::DiscardFront(path, _) => {
                let before = content(&mut files, path).map(|bytes| bytes.len());
                let mut copy = files.clone();
                let _ = perform(&mut copy, &call);
                before.ok() != content(&mut copy, path).map(|bytes| bytes.len()).ok()
            }
            _ => false,
        };
        let mut next = tree.clone();
        let expected = next.apply(&call, page, is_paged);
        files.layer_mut().flash_mut().count = Operations::default();
        let before = *files.work();
        let done = perform(&mut files, &call);
        let within = allowed(&bound, &call, &before, files.work());
        let count = files.layer().flash().count;
        assert!(
            time(&count) <= within,
            "call {number}: {call:?}: {count:?} takes {:.2} and may take {within:.2}",
            time(&count)
        );
        let ending = Ending::of(&done);
        if ending == Ending::NoSpace {
            full += 1;
            match &call {
                // Groups before the one that found no room are there.
                Call::Write(path, ..) | Call::Append(path, _) | Call::Truncate(path, _) => {
                    let bytes = content(&mut files, path).expect("a file");
                    tree.nodes.insert(path.clone(), Some(bytes));
                }
                _ => {}
            }
        } else {
            assert_eq!(ending, expected, "call {number}: {call:?}");
            tree = next;
        }
        if let Call::Remove(path) | Call::Rename(path, _) = &call
            && ending == Ending::Done
        {
            open.retain(|(other, _)| other != path && !other.starts_with(&format!("{path}/")));
            if let Call::Rename(_, to) = &call {
                open.retain(|(other, _)| other != to);
            }
        }
        // Other handles see what changed.
        if random(0).is_multiple_of(4)
            && let Some((path, Some(_))) =
                tree.nodes.iter().nth(random(1) as usize % tree.nodes.len())
        {
            let handle = files.open(path, PacedOpen::READ).expect("it is there");
            open.push((path.clone(), handle));
            if open.len() > 6 {
                open.remove(0);
            }
        }
        if !open.is_empty() {
            let place = random(2) as usize % open.len();
            let (path, handle) = &mut open[place];
            let node = tree.nodes.get_mut(path).expect("it is there");
            let bytes = node.as_mut().expect("a file");
            assert_eq!(
                files.length(handle).expect("a length"),
                bytes.len() as u64,
                "call {number}: {call:?}: {path}: {handle:?}"
            );
            if random(3).is_multiple_of(2) {
                let data = calls.data(number + (1 << 40), 1 + random(4) as usize % 40);
                match files.append(handle, &data) {
                    Ok(_) => bytes.extend_from_slice(&data),
                    Err(PacedError::NoSpace) => {
                        full += 1;
                        *bytes = content(&mut files, path).expect("a file");
                    }
                    Err(error) => panic!("call {number}: {error:?}"),
                }
            } else {
                let at = random(5) % (bytes.len() as u64 + 1);
                let mut out = vec![0; 1 + random(6) as usize % 300];
                let read = files.read(handle, at, &mut out).expect("a read");
                let rest = &bytes[at as usize..];
                assert_eq!(out[..read], rest[..rest.len().min(out.len())]);
            }
        }
        if number.is_multiple_of(199) {
            assert_eq!(found(&mut files), tree, "call {number}");
            audit(&mut files);
        }
        if number % 500 == 250 {
            let (flash, memory) = files.into_layer().into_parts();
            files = PacedFiles::mount(flash, COLUMNS, config, memory).expect("a mount");
            open.clear();
            assert_eq!(found(&mut files), tree, "call {number}: mounted");
            audit(&mut files);
        }
    }
    full
}

fn geometry(page_bytes: u32, pages_per_block: u32, blocks: u32) -> Geometry {
    Geometry {
        page_bytes,
        spare_bytes: 16,
        pages_per_block,
        blocks,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    }
}

/// Calls a model gets: few in the tests, as many as `WORDLINE_CALLS` says at night.
fn calls(few: u64) -> u64 {
    std::env::var("WORDLINE_CALLS").map_or(few, |calls| calls.parse().expect("a number"))
}

#[test]
fn random_calls_agree_with_a_tree_of_small_pages() {
    let geometry = geometry(128, 32, 56);
    let config = PacedConfig {
        logical_pages: 500,
        bad_blocks: 1,
        log_entries: 48,
    };
    let draws = Calls {
        seed: 3,
        names: 8,
        name_bytes: 30,
        write_bytes: 700,
        file_bytes: 8000,
        remove_every: 1,
        fronts: true,
    };
    run(geometry, config, draws, calls(6000));
}

#[test]
fn random_calls_agree_with_a_tree_of_many_names() {
    let geometry = geometry(512, 32, 56);
    let config = PacedConfig {
        logical_pages: 700,
        bad_blocks: 1,
        log_entries: 48,
    };
    let draws = Calls {
        seed: 4,
        names: 500,
        name_bytes: 200,
        write_bytes: 300,
        file_bytes: 700,
        remove_every: 6,
        fronts: true,
    };
    run(geometry, config, draws, calls(6000));
}

#[test]
fn random_calls_agree_with_a_tree_on_a_full_flash() {
    let geometry = geometry(256, 32, 24);
    let config = PacedConfig {
        logical_pages: 260,
        bad_blocks: 1,
        log_entries: 48,
    };
    let draws = Calls {
        seed: 5,
        names: 12,
        name_bytes: 60,
        write_bytes: 2000,
        file_bytes: 40_000,
        remove_every: 1,
        fronts: true,
    };
    assert!(run(geometry, config, draws, calls(6000)) > 0);
}
