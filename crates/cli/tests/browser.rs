//! Opens HTML reports in headless Chromium with the network off: the plots must draw and the
//! console must stay clean. Without Chromium the test says so and passes, unless
//! `WORDLINE_REQUIRE_BROWSER` is set, as `make test` does.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Three curves, and for each of the two targets what its slowest access and its run consisted of.
const PLOTS: usize = 7;

/// What the browser made of a page.
struct Seen {
    /// The document after its scripts ran.
    dom: String,
    /// What reached the console.
    console: Vec<String>,
}

impl Seen {
    /// Plots that the page says it drew.
    fn plots(&self) -> Option<usize> {
        let (_, rest) = self.dom.split_once("data-plots=\"")?;
        rest.split('"').next()?.parse().ok()
    }

    /// Marks of data, as the plotting library labels them for screen readers.
    fn marks(&self) -> usize {
        self.dom.matches("aria-roledescription=\"").count()
    }

    fn is_sound(&self, plots: usize) -> bool {
        let failed = self.dom.contains("data-plots-failed");
        !failed && self.console.is_empty() && self.plots() == Some(plots)
    }
}

const SKIPPED: &str = "skipped: no Chromium is installed; scripts/need-chromium names the command";

fn chromium() -> Option<PathBuf> {
    let named = env::var_os("WORDLINE_CHROMIUM").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file());
    let browser = named.or(found);
    assert!(
        browser.is_some() || env::var_os("WORDLINE_REQUIRE_BROWSER").is_none(),
        "no Chromium is installed; scripts/need-chromium names the command"
    );
    browser
}

fn open(browser: &Path, page: &Path) -> Seen {
    let profile = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // Whatever the page tries to fetch goes nowhere, and is reported on the console.
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--proxy-server=127.0.0.1:9",
            "--enable-logging=stderr",
            "--v=0",
            "--virtual-time-budget=20000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("Chromium starts");
    let log = String::from_utf8_lossy(&output.stderr);
    Seen {
        dom: String::from_utf8_lossy(&output.stdout).into_owned(),
        console: log
            .lines()
            .filter(|line| line.contains(":CONSOLE"))
            .map(str::to_owned)
            .collect(),
    }
}

const RAW: [&str; 5] = [
    "raw",
    "--total",
    "4MiB",
    "--target",
    "em064lx@stm32h755-qspi,em064lx@stm32h7s78-xspi",
];

fn report(folder: &Path, arguments: &[&str]) -> String {
    let page = folder.join("report.html");
    let status = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(arguments)
        .arg("--quiet")
        .arg("--export")
        .arg(&page)
        .output()
        .expect("the command runs")
        .status;
    assert!(status.success());
    fs::read_to_string(page).expect("the page was written")
}

#[test]
fn the_report_draws_its_plots_offline_with_a_clean_console() {
    let Some(browser) = chromium() else {
        println!("{SKIPPED}");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = report(folder.path(), &RAW);
    let look = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("writable");
        open(&browser, &file)
    };

    let seen = look("good.html", &page);
    assert!(seen.console.is_empty(), "{:?}", seen.console);
    assert!(seen.is_sound(PLOTS), "plots: {:?}", seen.plots());
    assert!(seen.marks() > 20, "{} marks", seen.marks());

    // The check proves itself: it must fail on pages that are broken in each way.
    let fetching = page.replacen("<body", "<img src=\"https://example.org/x.png\"><body", 1);
    assert!(
        !look("fetching.html", &fetching).is_sound(PLOTS),
        "a fetch passes"
    );
    let throwing = page.replacen("<body", "<script>throw 1</script><body", 1);
    assert!(
        !look("foreign.html", &throwing).is_sound(PLOTS),
        "a foreign script passes"
    );
    let specless = page.replace("\"mark\":", "\"murk\":");
    assert_ne!(specless, page, "the page has no marks to break");
    assert!(
        !look("specless.html", &specless).is_sound(PLOTS),
        "a plot without marks passes"
    );
}

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
fn pages_of_memory_modules_draw_their_plots() {
    let Some(browser) = chromium() else {
        println!("{SKIPPED}");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("my.csv");
    fs::write(&file, trace()).expect("writable");
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
        let text = report(folder.path(), &[command, &MODULES].concat());
        let page = folder.path().join("report.html");
        let seen = open(&browser, &page);
        assert!(seen.console.is_empty(), "{command:?}: {:?}", seen.console);
        assert!(
            seen.is_sound(plots),
            "{command:?}: plots: {:?}",
            seen.plots()
        );
        assert!(seen.marks() >= 2, "{command:?}: {} marks", seen.marks());
        // A plot that was promised and not drawn is seen.
        let specless = text.replace("\"mark\":", "\"murk\":");
        fs::write(&page, specless).expect("writable");
        assert!(!open(&browser, &page).is_sound(plots), "{command:?}");
    }
}
