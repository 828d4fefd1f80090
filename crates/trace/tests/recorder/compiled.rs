//! The recorder's C header, compiled with the system's compiler, which this project asks for.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const STRICT: [&str; 7] = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
    "-Wshadow",
    "-Wconversion",
    "-g",
];

pub(crate) fn source(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    if name.starts_with("example") {
        here.join("../../firmware").join(name)
    } else {
        here.join("tests/recorder").join(name)
    }
}

/// Compiles a file of C with more arguments; says why not when it cannot.
pub(crate) fn compile(compiler: &str, name: &str, more: &[&str]) -> Result<PathBuf, String> {
    let tag = more
        .concat()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{compiler}-{tag}"));
    let ran = Command::new(compiler)
        .args(STRICT)
        .args(more)
        .arg("-I")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware"))
        .arg("-o")
        .arg(&out)
        .arg(source(name))
        .output()
        .map_err(|error| format!("{compiler} cannot be run: {error}"))?;
    if ran.status.success() {
        Ok(out)
    } else {
        Err(String::from_utf8_lossy(&ran.stderr).into_owned())
    }
}

/// The driver, once as plain C99 and once with sanitizers where the compiler has them.
fn drivers() -> &'static [PathBuf] {
    static DRIVERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    DRIVERS.get_or_init(|| {
        let plain = compile("cc", "driver.c", &["-std=c99", "-O2"]);
        let plain = plain.expect("the tests need a C compiler named cc");
        let sanitized = compile(
            "cc",
            "driver.c",
            &[
                "-std=c99",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
            ],
        );
        std::iter::once(plain).chain(sanitized).collect()
    })
}

/// What the recorder sent, and whether each record was stored.
pub(crate) struct Ran {
    pub(crate) stream: Vec<u8>,
    pub(crate) stored: Vec<bool>,
}

/// Runs a script on every driver; all of them say the same.
pub(crate) fn run(script: &str) -> Ran {
    let mut runs: Vec<Ran> = drivers()
        .iter()
        .map(|driver| run_one(driver, script))
        .collect();
    let first = runs.remove(0);
    for other in runs {
        assert_eq!(first.stream, other.stream, "{script}");
    }
    first
}

fn run_one(driver: &Path, script: &str) -> Ran {
    let mut child = Command::new(driver)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the driver runs");
    let mut input = child.stdin.take().expect("piped");
    let script = script.to_owned();
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("the driver ends");
    writer
        .join()
        .expect("no panic")
        .expect("the driver reads its script");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    Ran {
        stream: output.stdout,
        stored: told.lines().map(|line| line == "1").collect(),
    }
}
