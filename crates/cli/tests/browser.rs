//! Opens HTML reports in headless Chromium with the network off: the plots must draw, the console must stay clean, no
//! label may be cut, and what the sliders say must be what the command says. Without Chromium the tests say so and pass,
//! unless `WORDLINE_REQUIRE_BROWSER` is set, as `make test` does.

mod chromium;
mod devtools;
mod playground;
mod what_if;

use chromium::{Browser, SKIPPED, Window, report};
use wordline_core::quantity::human;

const LOOK: &str = include_str!("browser/look.js");

/// The windows in which pages are looked at.
const WINDOWS: [(u32, u32); 3] = [(1280, 800), (800, 800), (390, 844)];

/// Looks at a page at every width, light and dark; returns what it last said.
fn look(browser: &Browser, page: &str, plots: usize) -> serde_json::Value {
    let all = WINDOWS.into_iter();
    let all = all.flat_map(|window| [false, true].map(|is_dark| (window, is_dark)));
    look_in(browser, page, plots, all)
}

/// The same on a wide screen and on a dark phone alone: what is laid out between them is the same code for every page.
fn glance(browser: &Browser, page: &str, plots: usize) -> serde_json::Value {
    let ends = [(WINDOWS[0], false), (WINDOWS[2], true)];
    look_in(browser, page, plots, ends.into_iter())
}

fn look_in(
    browser: &Browser,
    page: &str,
    plots: usize,
    windows: impl Iterator<Item = ((u32, u32), bool)>,
) -> serde_json::Value {
    let mut said = serde_json::Value::Null;
    for ((width, height), is_dark) in windows {
        let window = Window {
            width,
            height,
            is_dark,
        };
        said = browser.ask(page, window, LOOK);
        let faults = said["faults"].as_array().expect("a list");
        assert!(faults.is_empty(), "{window:?}: {faults:#?}");
        assert_eq!(said["plots"], plots, "{window:?}: {said}");
        assert_eq!(said["failed"], serde_json::Value::Null, "{window:?}");
        let dark = said["background"] != "rgb(255, 255, 255)";
        assert_eq!(dark, is_dark, "{said}");
        for what in ["sentence", "plot"] {
            let end = said["ends"][what].as_f64().expect("a place");
            assert!(
                end <= f64::from(height),
                "{window:?}: the {what} ends at {end}"
            );
        }
    }
    said
}

const RAW: [&str; 5] = [
    "raw",
    "--total",
    "4MiB",
    "--target",
    "em064lx@stm32h755-qspi,em064lx@stm32h7s78-xspi",
];

/// Three curves, and for each of the two targets what its slowest access and its run consisted of.
const PLOTS: usize = 7;

#[test]
fn the_report_draws_its_plots_offline_with_a_clean_console() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let page = report(browser.folder.path(), &RAW);
    let seen = browser.open(&page, "#tab=curves");
    assert!(seen.console.is_empty(), "{:?}", seen.console);
    assert!(seen.is_sound(3), "plots: {:?}", seen.plots());
    let said = look(&browser, &page, PLOTS);
    assert!(said["marks"].as_u64() > Some(60), "{said}");
    assert!(browser.printed(&page) <= 4);

    // The check proves itself: it must fail on pages that are broken in each way.
    let fetching = page.replacen("<body", "<img src=\"https://example.org/x.png\"><body", 1);
    let seen = browser.open(&fetching, "#tab=curves");
    assert!(!seen.is_sound(3), "a fetch passes");
    let foreign = page.replacen("<body", "<script>document.title = 1</script><body", 1);
    let seen = browser.open(&foreign, "#tab=curves");
    assert!(!seen.is_sound(3), "a foreign script passes");
    let changed = page.replacen("\"use strict\";", "\"use strict\"; ", 1);
    assert_ne!(changed, page, "the page has no script to change");
    let seen = browser.open(&changed, "#tab=curves");
    assert!(!seen.is_sound(3), "a changed script runs");
    // A label that is cut is seen.
    let cut = page.replacen(
        "</style>",
        ".kicker { width: 3rem; overflow: hidden; white-space: nowrap; }</style>",
        1,
    );
    let window = Window {
        width: 800,
        height: 800,
        is_dark: false,
    };
    let said = browser.ask(&cut, window, LOOK);
    assert_ne!(said["faults"], serde_json::json!([]));
}

/// Nothing in a document becomes markup or runs, wherever its name stands: in the text, in tables and in plots.
#[test]
fn hostile_names_stay_text_in_the_browser() {
    const HOSTILE: &str = r#"</script><img src=x onerror=alert(1)>@<b>{{ 7*7 }}"#;
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    for (command, name) in [
        (&RAW[..], "em064lx@stm32h755-qspi"),
        (&COMPARED[..], "em064lx@stm32h755-qspi"),
    ] {
        let json = browser.folder.path().join("result.json");
        let export = json.display().to_string();
        report(
            browser.folder.path(),
            &[command, &["--export", &export]].concat(),
        );
        let text = std::fs::read_to_string(&json).expect("the document was written");
        let spoiled = text.replace(name, HOSTILE);
        assert_ne!(spoiled, text);
        std::fs::write(&json, spoiled).expect("writable");
        let page = report(browser.folder.path(), &["report", &export]);
        for tab in ["curves", "figures", "values", "command"] {
            let seen = browser.open(&page, &format!("#tab={tab}"));
            assert!(seen.console.is_empty(), "{tab}: {:?}", seen.console);
            assert!(seen.said("ready").is_some() && !seen.dom.contains("data-plots-failed"));
            assert!(
                !seen.dom.contains("<img") && !seen.dom.contains("<b>"),
                "{tab}"
            );
            assert!(seen.dom.contains("&lt;/script&gt;&lt;img"), "{tab}");
        }
    }
}

const COMPARED: [&str; 9] = [
    "compare",
    "--rate",
    "500KB/s",
    "--record",
    "4KiB",
    "--max-ram",
    "64KiB",
    "--target",
    "em064lx@stm32h755-qspi,w25n01gv",
];

/// Two modules on one channel, and lengths that take moments.
const MODULES: [&str; 6] = [
    "--target",
    "rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s",
    "--set",
    "channels=1",
    "--set",
    "cores=12",
];
const SHORT: [&str; 4] = ["--warm-up", "2us", "--measure", "5us"];

/// A trace in which some reads wait for others.
fn trace() -> String {
    let mut text = String::from("time_ns,address,operation\n");
    for line in 0..500_u64 {
        let operation = if line % 3 == 0 { "W" } else { "R" };
        let address = line.wrapping_mul(0x9E37_79B9) % (1 << 24) * 64;
        text += &format!("{},{address:#x},{operation}\n", line * 4);
    }
    text
}

/// What a page of each test draws: what latency consists of; bars by mix and the account of the buses; the curve and
/// histograms under the least load, at the knee and under the greatest; how long the reads of a trace take.
#[test]
#[ignore = "takes most of a minute; `make nightly` runs it"]
fn pages_of_memory_modules_draw_their_plots() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let file = browser.folder.path().join("my.csv");
    std::fs::write(&file, trace()).expect("writable");
    let file = file.display().to_string();
    let loaded = [
        "--samples",
        "500",
        "--probes",
        "1",
        "--delay",
        "0,20,50,200,2000",
    ];
    let pages: [(&[&str], usize); 4] = [
        (
            &[&["dram", "idle", "--samples", "500"][..], &SHORT].concat(),
            1,
        ),
        (
            &[
                &["dram", "bandwidth", "--mix", "1:0,1:1", "--band", "none"][..],
                &SHORT,
            ]
            .concat(),
            2,
        ),
        (&[&["dram", "loaded"][..], &loaded, &SHORT].concat(), 4),
        (&["dram", "trace", &file], 1),
    ];
    for (command, plots) in pages {
        let page = report(browser.folder.path(), &[command, &MODULES].concat());
        let seen = browser.open(&page, "");
        assert!(seen.console.is_empty(), "{command:?}: {:?}", seen.console);
        let said = glance(&browser, &page, plots);
        assert!(said["marks"].as_u64() >= Some(2), "{command:?}: {said}");
    }
}

/// Every other view whose plots no test above draws.
#[test]
#[ignore = "takes most of a minute; `make nightly` runs it"]
fn pages_of_other_workloads_draw_their_plots() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let pages: [&[&str]; 5] = [
        &[
            "buffer",
            "--rate",
            "500KB/s",
            "--record",
            "4KiB",
            "--target",
            "mt29f1g01,em064lx",
        ],
        &[
            "kv",
            "bench",
            "--target",
            "as3004316@stm32h743-fmc16",
            "--operations",
            "50",
            "--size",
            "2B,16B,64B",
            "--load",
            "0.5",
        ],
        &[
            "fs",
            "bench",
            "--fs",
            "littlefs",
            "--target",
            "em064lx",
            "--workload",
            "append",
            "--record",
            "512B",
            "--rate",
            "5KB/s",
            "--fill",
            "0%",
        ],
        &["wear", "--target", "nand08gw3b2c", "--blocks", "20"],
        &["reproduce", "realtime-buffering"],
    ];
    for command in pages {
        let page = report(browser.folder.path(), command);
        let seen = browser.open(&page, "");
        assert!(seen.console.is_empty(), "{command:?}: {:?}", seen.console);
        let window = Window {
            width: 390,
            height: 844,
            is_dark: true,
        };
        let said = browser.ask(&page, window, LOOK);
        assert_eq!(said["faults"], serde_json::json!([]), "{command:?}");
        assert_eq!(said["failed"], serde_json::Value::Null, "{command:?}");
        assert!(said["plots"].as_u64() >= Some(1), "{command:?}: {said}");
    }
}

/// What the page's script writes of quantities is what the program writes.
#[test]
fn quantities_read_alike_in_script_and_program() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    const UNITS: [&str; 7] = ["B", "B/s", "s", "J", "1", "EUR", "1/s"];
    let values = [
        0.0,
        1.0,
        3.14159e-7,
        0.00052,
        0.9996,
        12.5,
        999.6,
        1024.0,
        4096.0,
        5e5,
        7200.0,
        86_400.0 * 3.0,
        3.2e8,
        6.65e6,
        2.5e9,
    ];
    let cases: Vec<(f64, &str)> = UNITS
        .iter()
        .flat_map(|unit| values.map(|value| (value, *unit)))
        .collect();
    let said: Vec<String> = cases
        .iter()
        .map(|(value, unit)| human(*value, unit, 3))
        .collect();
    let script = format!(
        "{}\nconst cases = {};\nparent.postMessage(JSON.stringify(cases.map(([value, unit]) => human(value, unit))), \"*\");",
        include_str!("../../report/src/html/page/quantity.js"),
        serde_json::to_string(&cases).expect("JSON"),
    );
    let window = Window {
        width: 800,
        height: 800,
        is_dark: false,
    };
    let found = browser.ask("<meta http-equiv=\"none\">", window, &script);
    let found: Vec<String> = serde_json::from_value(found).expect("texts");
    for (((value, unit), said), found) in cases.iter().zip(said).zip(found) {
        assert_eq!(found, said, "{value} {unit}");
    }
}
