//! Kernels through the whole of it, on small memories.

use wordline_apps::kernels::AppKernel;
use wordline_trace::dram::CacheChoices;

use super::*;

/// A system whose surface comes along, and caches so small that small kernels leave them.
fn request(kernel: AppKernel, bytes: u64) -> KernelRequest {
    KernelRequest {
        bytes: Some(bytes),
        cores: Some(4),
        caches: CacheChoices {
            bytes: [Some(12 << 10), Some(32 << 10), Some(128 << 10)],
            ways: [Some(12), Some(16), Some(16)],
            line_bytes: None,
        },
        plan: FollowPlan {
            window: 20_000,
            one_in: 1,
            warm: 3,
        },
        ..KernelRequest::of(kernel)
    }
}

fn demanded(request: &KernelRequest) -> KernelDemand {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let found = demand(&catalog, request, &Control::default());
    found.expect("it runs").expect("nobody stops it")
}

#[test]
fn a_profile_holds_what_the_kernel_asked_for() {
    let found = demanded(&request(AppKernel::Int8Decode, 4 << 20));
    let phase = &found.profile.phases[0];
    // Four tokens read all weights each, and a scale of 4 bytes for each row; hardly anything else leaves the caches. By hand:
    // 8 layers of 13 squares of the width and 10.5 widths of rows, on four cores.
    let width = 192.0f64;
    let lines = 4.0 * 4.0 * 8.0 * (13.0 * width * width + 4.0 * 10.5 * width) / 64.0;
    assert!(
        (phase.lines_read.value / lines - 1.0).abs() < 0.03,
        "{phase:?}"
    );
    assert!(
        phase.locality.is_some_and(|share| share.value > 0.95),
        "{phase:?}"
    );
    assert!(
        phase
            .prefetched_share
            .is_some_and(|share| share.value > 0.9),
        "{phase:?}"
    );
    // A core has 26 misses, and streams need them all.
    let under_way = phase.outstanding.map_or(0.0, |lines| lines.value);
    assert!((22.0..=26.0).contains(&under_way), "{phase:?}");
    let again = wordline_apps::Profile::from_json(&found.profile.to_json());
    assert_eq!(again.expect("it is a profile"), found.profile);
}

/// What a profile says of its baseline is what the baseline's surface says: a projection onto the baseline itself has nothing
/// to object to, and no core has more lines under way than misses.
#[test]
fn profiles_agree_with_the_surface_that_they_are_projected_on() {
    use wordline_apps::{ProjectedMemory, ProjectionCaution, SurfaceTable, project};
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let surface = crate::shipped_surface(&catalog, KernelRequest::SYSTEM, &Settings::new());
    let surface = surface.expect("it can be read").expect("it comes along");
    let table = SurfaceTable::of(&surface);
    let memory = || ProjectedMemory {
        surface: &table,
        misses_per_core: 26.0,
        id: 1,
    };
    for kernel in [
        AppKernel::Int8Decode,
        AppKernel::StencilCg,
        AppKernel::ShortestPaths,
        AppKernel::Components,
        AppKernel::LduSmoother,
    ] {
        let request = KernelRequest {
            cores: None,
            ..request(kernel, 2 << 20)
        };
        let profile = demanded(&request).profile;
        for phase in &profile.phases {
            if let Some(outstanding) = phase.outstanding {
                assert!(outstanding.bounds()[1] <= 26.0, "{kernel}: {phase:?}");
            }
        }
        let found = project(&profile, memory(), memory(), None).expect("it can be projected");
        assert!((found.speed_up - 1.0).abs() < 1e-9, "{kernel}");
        // A kernel of one window has no load over time.
        let disagrees =
            |caution: &ProjectionCaution| !matches!(caution, ProjectionCaution::LoadUnknown { .. });
        assert!(
            !found.cautions.iter().any(disagrees),
            "{kernel}: {:?}",
            found.cautions
        );
    }
}

/// A stop ends a kernel long before its own end, and its thread with it.
#[test]
fn a_kernel_stops_when_it_is_asked_to() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let stop = std::sync::atomic::AtomicBool::new(true);
    let control = Control {
        stop: Some(&stop),
        ..Control::default()
    };
    let found = demand(&catalog, &request(AppKernel::CsrCg, 64 << 20), &control);
    assert!(found.expect("it runs").is_none());
}

/// Chains have few lines under way and streams many, though a window of the same length holds both.
#[test]
fn dependence_and_not_the_window_says_how_much_overlaps() {
    let outstanding = |kernel, prefetch| {
        let request = KernelRequest {
            prefetch_lines: prefetch,
            ..request(kernel, 2 << 20)
        };
        demanded(&request).phases[0].outstanding.expect("it waits")
    };
    let (stream, graph) = (
        outstanding(AppKernel::Int8Decode, 0),
        outstanding(AppKernel::Components, 0),
    );
    assert!(stream > 2.0 * graph, "{stream} {graph}");
}

/// Sampled windows with caches that were warmed against every window: the error that the guide states.
#[test]
fn sampled_windows_miss_the_full_run_by_little() {
    for kernel in [AppKernel::CsrCg, AppKernel::PageRank, AppKernel::Svm] {
        let full = request(kernel, 4 << 20);
        let mut sampled = full.clone();
        sampled.plan.one_in = 10;
        let [full, sampled] = [full, sampled].map(|request| demanded(&request).profile);
        let [all, some] = [&full, &sampled].map(|profile| &profile.phases[0]);
        assert_eq!(all.instructions, some.instructions);
        for (what, all, some) in [
            ("read", all.lines_read, some.lines_read),
            ("seconds", all.seconds, some.seconds),
        ] {
            let off = some.value / all.value - 1.0;
            println!("{kernel}, {what}: {:+.2} %", 100.0 * off);
            assert!(off.abs() < 0.05, "{kernel}, {what}: {off}");
        }
    }
}

#[test]
fn what_cannot_be_is_answered_with_what_can() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let good = request(AppKernel::Svm, 1 << 20);
    for (wrong, words) in [
        (
            KernelRequest {
                bytes: Some(5),
                ..good.clone()
            },
            "65536 to",
        ),
        (
            KernelRequest {
                cores: Some(0),
                ..good.clone()
            },
            "cores 0 is out of range",
        ),
        #[cfg(target_os = "linux")]
        (
            KernelRequest {
                bytes: Some(1 << 50),
                ..good.clone()
            },
            "size needs 1024 TiB of memory, and this machine has",
        ),
        (
            KernelRequest {
                prefetch_lines: 64,
                ..good.clone()
            },
            "allowed: 0 to 63",
        ),
        (
            KernelRequest {
                instructions_per_cycle: f64::NAN,
                ..good.clone()
            },
            "ipc",
        ),
        (
            KernelRequest {
                system: "rdimm".into(),
                ..good.clone()
            },
            "rdimm",
        ),
        (
            KernelRequest {
                plan: FollowPlan {
                    one_in: 90_000,
                    ..good.plan
                },
                ..good.clone()
            },
            "follows no part of the phase learn",
        ),
    ] {
        let error = demand(&catalog, &wrong, &Control::default()).expect_err("refused");
        let text = error.to_string();
        assert!(text.contains(words), "{words} is not in: {text}");
    }
}
