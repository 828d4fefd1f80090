//! What calls cost on a flash that is full of files.

use std::collections::BTreeMap;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::Geometry;
use wordline_rtfs::{PacedConfig, PacedFileError, PacedFiles, PacedOpen};

use crate::rules::{COLUMNS, Counted, Operations, blank};

type Files = PacedFiles<Counted<FlashImage>, Vec<u8>>;

/// Operations of one call.
fn cost<T>(
    files: &mut Files,
    costs: &mut BTreeMap<&'static str, (f64, Operations)>,
    name: &'static str,
    work: impl FnOnce(&mut Files) -> T,
) -> T {
    files.layer_mut().flash_mut().count = Operations::default();
    let done = work(files);
    let count = files.layer().flash().count;
    let time = 0.13 * count.reads as f64 + 0.25 * count.programs as f64 + 2.0 * count.erases as f64;
    let most = costs.entry(name).or_default();
    if time > most.0 {
        *most = (time, count);
    }
    done
}

#[test]
#[ignore = "a chip of 1 Gb; `make nightly` runs it"]
fn calls_on_a_full_flash_cost_at_most_two_overwrites() {
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
    let bound = config.bound::<()>(&geometry).expect("it suits");
    println!(
        "{bound:?}, {} B of the structure",
        size_of::<Files>() - size_of::<Counted<FlashImage>>()
    );
    let mut files: Files = PacedFiles::format(
        Counted::new(blank(geometry)),
        COLUMNS,
        config,
        5,
        vec![0; bound.ram_bytes],
    )
    .expect("a format");
    let mut costs = BTreeMap::new();
    let data = vec![0x5A; 4096];
    let mut big = files.open("/big", PacedOpen::CREATE).expect("a file");
    for at in 0..(48u64 << 20) / 4096 {
        files.write(&mut big, at * 4096, &data).expect("a write");
    }
    for number in 0..10_000 {
        let path = format!("/file-{number}");
        cost(&mut files, &mut costs, "create", |files| {
            files.open(&path, PacedOpen::CREATE).map(|_| ())
        })
        .expect("a file");
    }
    let mut last = files.open("/last", PacedOpen::CREATE).expect("a file");
    let mut at = 0;
    loop {
        match files.write(&mut last, at, &data) {
            Ok(()) => at += 4096,
            Err(PacedFileError::NoSpace) => break,
            Err(error) => panic!("{error:?}"),
        }
    }
    println!("full: {:?}, {} B in the last", files.room(), at);
    println!("before: {costs:?}");
    costs.clear();
    for round in 0..6000u64 {
        let random = |number| draw(1, round, number, Purpose::Address);
        let a = format!("/file-{}", random(0) % 10_000);
        let b = format!("/file-{}", random(1) % 10_000);
        match random(2) % 7 {
            0 => {
                let _ = cost(&mut files, &mut costs, "remove", |files| files.remove(&a));
            }
            1 => {
                let _ = cost(&mut files, &mut costs, "rename", |files| {
                    files.rename(&a, &b)
                });
            }
            2 => {
                let _ = cost(&mut files, &mut costs, "create", |files| {
                    files.open(&a, PacedOpen::CREATE).map(|_| ())
                });
            }
            3 => {
                if let Ok(mut file) = files.open(&a, PacedOpen::READ) {
                    let _ = cost(&mut files, &mut costs, "append 4 KiB", |files| {
                        files.append(&mut file, &data)
                    });
                }
            }
            4 => {
                if let Ok(mut file) = files.open(&a, PacedOpen::READ) {
                    let _ = cost(&mut files, &mut costs, "append 256 B", |files| {
                        files.append(&mut file, &data[..256])
                    });
                }
            }
            5 => {
                let at = random(3) % (at / 4096) * 4096;
                cost(&mut files, &mut costs, "overwrite 4 KiB", |files| {
                    files.write(&mut last, at, &data)
                })
                .expect("an overwrite");
            }
            _ => {
                if let Ok(mut file) = cost(&mut files, &mut costs, "open", |files| {
                    files.open(&a, PacedOpen::READ)
                }) {
                    let _ = cost(&mut files, &mut costs, "truncate 100 B", |files| {
                        files.truncate(&mut file, 100)
                    });
                }
            }
        }
        if round == 3000 {
            cost(&mut files, &mut costs, "remove 48 MiB", |files| {
                files.remove("/big")
            })
            .expect("a removal");
        }
    }
    // Two overwrites of 4 KiB at their bound.
    let steps = 2.0 * f64::from(bound.steps_per_page);
    let most = 2.0 * (2.0 * 0.25 + steps * (0.13 + 0.25));
    for (name, (time, count)) in &costs {
        println!("{name}: {time:.2} ms, {count:?}");
        assert!(*time <= most, "{name} takes {time:.2} of {most:.2} ms");
    }
}
