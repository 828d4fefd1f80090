//! Headless Chromium with the network off.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// What a test says where there is no browser.
pub(super) const SKIPPED: &str =
    "skipped: no Chromium is installed; scripts/need-chromium names the command";

/// A browser that opens pages of a temporary folder.
pub(super) struct Browser {
    pub(super) program: PathBuf,
    pub(super) folder: tempfile::TempDir,
}

/// What the browser made of a page.
pub(super) struct Seen {
    /// The document after its scripts ran.
    pub(super) dom: String,
    /// What reached the console.
    pub(super) console: Vec<String>,
}

impl Seen {
    /// An attribute that the page sets on its root.
    pub(super) fn said(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.dom.split_once(&format!("data-{name}=\""))?;
        rest.split('"').next()
    }

    /// Plots that the page says it drew.
    pub(super) fn plots(&self) -> Option<usize> {
        self.said("plots")?.parse().ok()
    }

    pub(super) fn is_sound(&self, plots: usize) -> bool {
        let failed = self.dom.contains("data-plots-failed");
        let ready = self.said("ready").is_some();
        !failed && ready && self.console.is_empty() && self.plots() == Some(plots)
    }
}

/// The window in which a page is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) is_dark: bool,
}

impl Browser {
    /// The browser; none where none is installed and `WORDLINE_REQUIRE_BROWSER` does not ask for one.
    pub(super) fn find() -> Option<Self> {
        let named = env::var_os("WORDLINE_CHROMIUM").map(PathBuf::from);
        let path = env::var_os("PATH").unwrap_or_default();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let found = env::split_paths(&path)
            .flat_map(|folder| names.map(|name| folder.join(name)))
            .find(|file| file.is_file());
        let program = named.or(found);
        assert!(
            program.is_some() || env::var_os("WORDLINE_REQUIRE_BROWSER").is_none(),
            "no Chromium is installed; scripts/need-chromium names the command"
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        Some(Self {
            program: program?,
            folder,
        })
    }

    fn run(&self, page: &str, arguments: &[String]) -> Output {
        let profile = tempfile::tempdir().expect("a temporary folder");
        Command::new(&self.program)
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
            ])
            .args(arguments)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("file://{page}"))
            .output()
            .expect("Chromium starts")
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        fs::write(&file, text).expect("writable");
        file
    }

    /// Opens a page as it is; `address` is what stands behind its name, such as `#tab=causes`.
    pub(super) fn open(&self, page: &str, address: &str) -> Seen {
        let file = self.file("page.html", page);
        let output = self.run(
            &format!("{}{address}", file.display()),
            &["--dump-dom".to_owned()],
        );
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

    /// What a script says of a page in a window. The page is shown in a frame, because a window of the browser is no
    /// narrower than 500 pixels, and without its policy, which would not let the script run.
    pub(super) fn ask(&self, page: &str, window: Window, script: &str) -> serde_json::Value {
        let (before, rest) = page.split_once("<meta http-equiv").expect("a policy");
        let (_, after) = rest.split_once('>').expect("the end of the policy");
        let asked = format!("{before}{after}<script>{script}</script>");
        self.file("asked.html", &asked);
        let Window { width, height, .. } = window;
        let host = format!(
            "<!DOCTYPE html><body style=\"margin:0\"><script>addEventListener(\"message\", (event) => {{\
             const said = document.createElement(\"pre\"); said.textContent = event.data; document.body.append(said); }});\
             </script><iframe src=\"asked.html\" style=\"border:0\" width=\"{width}\" height=\"{height}\"></iframe>"
        );
        let host = self.file("host.html", &host);
        let scheme = if window.is_dark { 0 } else { 1 };
        let output = self.run(
            &host.display().to_string(),
            &[
                "--dump-dom".to_owned(),
                format!("--window-size={},{}", width.max(500), height + 100),
                format!("--blink-settings=preferredColorScheme={scheme}"),
            ],
        );
        let dom = String::from_utf8_lossy(&output.stdout);
        let log = String::from_utf8_lossy(&output.stderr);
        let said = dom.split_once("<pre>");
        let said = said.unwrap_or_else(|| panic!("the page said nothing: {log}"));
        let said = said.1.split("</pre>").next().expect("a first part");
        let said = [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            .iter()
            .fold(said.to_owned(), |said, (from, to)| said.replace(from, to));
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
    }

    /// Pages of paper that a page takes.
    pub(super) fn printed(&self, page: &str) -> usize {
        let file = self.file("page.html", page);
        let pdf = self.folder.path().join("page.pdf");
        let arguments = [
            format!("--print-to-pdf={}", pdf.display()),
            "--no-pdf-header-footer".to_owned(),
        ];
        self.run(&file.display().to_string(), &arguments);
        let pdf = fs::read(pdf).expect("the page was printed");
        let pages = pdf.windows(11).filter(|part| part == b"/Type /Page");
        let all = pages.count();
        let trees = pdf.windows(12).filter(|part| part == b"/Type /Pages");
        all - trees.count()
    }
}

/// Runs the command and returns the page that it exports.
pub(super) fn report(folder: &Path, arguments: &[&str]) -> String {
    let page = folder.join("report.html");
    let output = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(arguments)
        .arg("--quiet")
        .arg("--export")
        .arg(&page)
        .output()
        .expect("the command runs");
    // A comparison in which nothing passes exits with 1.
    let said = String::from_utf8_lossy(&output.stderr);
    let ran = output.status.code().is_some_and(|code| code <= 1);
    assert!(ran, "{arguments:?}: {said}");
    fs::read_to_string(page).expect("the page was written")
}
