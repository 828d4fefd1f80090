//! What `make dist` puts around the things that it builds: archives that depend on their content alone, names that agree
//! with the version, and bills of materials with every crate. Nothing is built here; `make nightly` does it twice.

use std::env;
use std::process::Command;

use serde_json::Value;

use crate::house::{root, text};

/// What a script prints, or nothing where there is no Python that can run it and `WORDLINE_REQUIRE_PYTHON` is not set.
#[allow(
    clippy::print_stdout,
    reason = "whoever reads the tests learns what was skipped"
)]
fn python(arguments: &[&str]) -> Option<String> {
    let start = |arguments: &[&str]| {
        Command::new("python3")
            .args(arguments)
            .current_dir(root())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
    };
    let is_recent = "import sys; sys.exit(sys.version_info < (3, 11))";
    if !start(&["-c", is_recent]).is_ok_and(|asked| asked.status.success()) {
        let words = "there is no python3 of 3.11 or later";
        assert!(env::var_os("WORDLINE_REQUIRE_PYTHON").is_none(), "{words}");
        println!("skipped: {words}");
        return None;
    }
    let ran = start(arguments).expect("it has just been started");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{arguments:?}: {said}");
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn packing_passes_its_tests() {
    python(&["-m", "unittest", "discover", "-s", "scripts/release"]);
}

#[test]
fn a_release_is_named_by_the_version_of_the_command() {
    let Some(listed) = python(&["scripts/release", "list"]) else {
        return;
    };
    let version = env!("CARGO_PKG_VERSION");
    let names: Vec<&str> = listed.lines().collect();
    assert_eq!(names.len(), 13, "{names:?}");
    assert!(names.contains(&"SHA256SUMS"), "{names:?}");
    let of_version = names
        .iter()
        .filter(|name| name.contains(&format!("-{version}-")));
    assert_eq!(of_version.count(), 12, "{names:?}");
    // Lines that users copy name files that there are.
    for page in ["README.md", "docs/guides/install.md"] {
        let lines = text(page).replace("$(uname -m)", "MACHINE");
        let archives = lines
            .lines()
            .filter_map(|line| line.split("target/dist/").nth(1));
        let archives: Vec<&str> = archives
            .filter_map(|rest| rest.split(' ').next())
            .filter(|name| name.ends_with(".tar.gz"))
            .collect();
        assert!(!archives.is_empty(), "{page}");
        for archive in archives {
            for machine in ["x86_64", "aarch64"] {
                let name = archive.replace("MACHINE", machine);
                assert!(names.contains(&name.as_str()), "{page}: {name}");
            }
        }
    }
}

#[test]
fn a_bill_of_materials_has_every_crate_and_what_is_in_c() {
    let target = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    let Some(listed) = python(&["scripts/release", "bill", "command", &target]) else {
        return;
    };
    let again = python(&["scripts/release", "bill", "command", &target]);
    assert_eq!(again.as_deref(), Some(listed.as_str()));
    let bill: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(
        bill["metadata"]["component"]["version"],
        env!("CARGO_PKG_VERSION")
    );
    assert!(bill["metadata"].get("timestamp").is_none());
    let components = bill["components"].as_array().expect("a list");
    assert!(components.len() > 100, "{}", components.len());
    let name = |component: &Value| component["name"].as_str().unwrap_or_default().to_owned();
    let references: Vec<&str> = components
        .iter()
        .filter_map(|component| component["bom-ref"].as_str())
        .collect();
    for component in components {
        let is_named = component["licenses"][0]["expression"].is_string()
            || component["licenses"][0]["license"]["id"].is_string();
        assert!(is_named, "{component}");
        let purl = component["purl"].as_str().unwrap_or_default();
        let hash = component["hashes"][0]["content"].as_str();
        assert_eq!(
            purl.starts_with("pkg:cargo/"),
            hash.is_some(),
            "{component}"
        );
    }
    for expected in [
        "wordline-lab",
        "clap",
        "rusqlite",
        "sqlite",
        "littlefs",
        "glibc",
        "rust-std",
    ] {
        assert!(
            components
                .iter()
                .any(|component| name(component) == expected),
            "no {expected}"
        );
    }
    // What builds or tests the command is not in it.
    for other in ["cc", "clap_derive", "serde_derive", "tempfile", "pyo3"] {
        assert!(
            !components.iter().any(|component| name(component) == other),
            "{other}"
        );
    }
    let edges = bill["dependencies"].as_array().expect("a list");
    for edge in edges {
        for below in edge["dependsOn"].as_array().expect("a list") {
            let below = below.as_str().unwrap_or_default();
            assert!(references.contains(&below), "{below}");
        }
    }
}

/// What `scripts/bare-container` types, which README and the guide must have.
#[test]
fn lines_of_the_front_page_are_found_for_the_bare_container() {
    let Some(listed) = python(&["scripts/bare-container", "--list"]) else {
        return;
    };
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("python3 -c 'import wordline"))
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("wordline fs bench"))
    );
    assert!(!lines.iter().any(|line| line.starts_with("wordline ask")));
    assert!(lines.contains(&"install -d ~/.local"), "{lines:?}");
    // Without it the program would not find the shared library.
    assert!(lines.iter().any(|line| line.contains("-Wl,-rpath,")));
}
