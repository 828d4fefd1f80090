//! What calls cost on a flash that is full of files.

use std::collections::BTreeMap;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::Geometry;
use wordline_rtfs::{PacedCall, PacedConfig, PacedCounts, PacedError, PacedFiles, PacedOpen};

use crate::rules::{COLUMNS, Counted, Operations, blank};

type Files = PacedFiles<Counted<FlashImage>, Vec<u8>>;

/// The costliest call of each kind: its time in ms, and its operations.
type Costs = BTreeMap<&'static str, (f64, Operations)>;

/// Time in ms of operations of an example: a read of 0.13 ms, a program of 0.25 ms and an erase of 2 ms.
fn time_ms(reads: u64, programs: u64, erases: u64) -> f64 {
    0.13 * reads as f64 + 0.25 * programs as f64 + 2.0 * erases as f64
}

/// The longer of two counts.
fn longest_ms(counts: [PacedCounts; 2]) -> f64 {
    let [first, second] = counts.map(|counts| {
        time_ms(
            counts.pages_read(),
            counts.pages_programmed(),
            counts.erases,
        )
    });
    first.max(second)
}

/// Operations of one call.
fn cost<T>(
    files: &mut Files,
    costs: &mut Costs,
    name: &'static str,
    work: impl FnOnce(&mut Files) -> T,
) -> T {
    files.layer_mut().flash_mut().count = Operations::default();
    let done = work(files);
    let count = files.layer().flash().count;
    let time = time_ms(count.reads, count.programs, count.erases);
    let most = costs.entry(name).or_default();
    if time > most.0 {
        *most = (time, count);
    }
    done
}

/// Fills a flash to the last page, and makes random calls.
fn use_full_flash(geometry: Geometry, config: PacedConfig, seed: u64, costs: &mut Costs) {
    let bound = config.bound(&geometry).expect("it suits");
    let mut files: Files = PacedFiles::format(
        Counted::new(blank(geometry)),
        COLUMNS,
        config,
        5,
        vec![0; bound.ram_bytes],
    )
    .expect("a format");
    let data = vec![0x5A; 4096];
    let mut big = files.open("/big", PacedOpen::CREATE).expect("a file");
    for at in 0..(48u64 << 20) / 4096 {
        files.write(&mut big, at * 4096, &data).expect("a write");
    }
    for number in 0..10_000 {
        let path = format!("/file-{number}");
        files.open(&path, PacedOpen::CREATE).expect("a file");
    }
    let mut last = files.open("/last", PacedOpen::CREATE).expect("a file");
    let mut at = 0;
    loop {
        match files.write(&mut last, at, &data) {
            Ok(()) => at += 4096,
            Err(PacedError::NoSpace) => break,
            Err(error) => panic!("{error:?}"),
        }
    }
    assert!(files.room().free < 72, "{:?}", files.room());
    for round in 0..6000u64 {
        let random = |number| draw(seed, round, number, Purpose::Address);
        let a = format!("/file-{}", random(0) % 10_000);
        let b = format!("/file-{}", random(1) % 10_000);
        match random(2) % 7 {
            0 => {
                let _ = cost(&mut files, costs, "remove", |files| files.remove(&a));
            }
            1 => {
                let _ = cost(&mut files, costs, "rename", |files| files.rename(&a, &b));
            }
            2 => {
                let _ = cost(&mut files, costs, "create", |files| {
                    files.open(&a, PacedOpen::CREATE).map(|_| ())
                });
            }
            3 => {
                if let Ok(mut file) = files.open(&a, PacedOpen::READ) {
                    let _ = cost(&mut files, costs, "append 4 KiB", |files| {
                        files.append(&mut file, &data)
                    });
                }
            }
            4 => {
                if let Ok(mut file) = files.open(&a, PacedOpen::READ) {
                    let _ = cost(&mut files, costs, "append 256 B", |files| {
                        files.append(&mut file, &data[..256])
                    });
                }
            }
            5 => {
                let at = random(3) % (at / 4096) * 4096;
                cost(&mut files, costs, "overwrite 4 KiB", |files| {
                    files.write(&mut last, at, &data)
                })
                .expect("an overwrite");
            }
            _ => {
                if let Ok(mut file) = cost(&mut files, costs, "open", |files| {
                    files.open(&a, PacedOpen::READ)
                }) {
                    let _ = cost(&mut files, costs, "truncate to 100 B", |files| {
                        files.truncate(&mut file, 100)
                    });
                }
            }
        }
        if round == 3000 {
            cost(&mut files, costs, "remove 48 MiB", |files| {
                files.remove("/big")
            })
            .expect("a removal");
        }
    }
}

#[test]
#[ignore = "a chip of 1 Gb; `make nightly` runs it"]
fn calls_on_a_full_flash_cost_at_most_their_bound_and_a_piece_of_freeing() {
    let geometry = Geometry {
        page_bytes: 2048,
        spare_bytes: 64,
        pages_per_block: 64,
        blocks: 1024,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    };
    let config = PacedConfig::usual(&geometry, 45_875, 20);
    let bound = config.files_bound(&geometry).expect("it suits");
    println!(
        "{:?}, {} B of the structure",
        bound.layer(),
        size_of::<Files>() - size_of::<Counted<FlashImage>>()
    );
    let mut costs = Costs::new();
    for seed in 1..=6 {
        use_full_flash(geometry, config, seed, &mut costs);
    }
    let bound_ms = |call| longest_ms(bound.counts(call, 1));
    let overwrites = 2.0 * longest_ms(bound.layer().write_counts(2));
    println!("two overwrites of 4 KiB at their bound: {overwrites:.2} ms");
    for (name, (time, count)) in &costs {
        let call = match *name {
            "append 256 B" => PacedCall::Append { bytes: 256 },
            "append 4 KiB" => PacedCall::Append { bytes: 4096 },
            "create" => PacedCall::Create,
            "open" => PacedCall::Open,
            "overwrite 4 KiB" => PacedCall::Overwrite { bytes: 4096 },
            "remove" | "remove 48 MiB" => PacedCall::Remove,
            "rename" => PacedCall::Rename,
            "truncate to 100 B" => PacedCall::Truncate,
            name => panic!("{name} has no bound here"),
        };
        let most = bound_ms(call) + bound_ms(PacedCall::Free);
        println!("{name}: {time:.2} of {most:.2} ms, {count:?}");
        assert!(*time <= most, "{name} takes {time:.2} of {most:.2} ms");
    }
}
