//! The package for Python, run by pytest with the library that this very build made: laid beside a copy of the package in
//! a folder of its own, as a wheel lays it. `scripts/need-python` makes the environment; `WORDLINE_PYTHON` names another
//! interpreter.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What the tests of the package cannot do without.
const NEEDED: &str = "import pytest";

#[test]
fn the_package_passes_its_tests_with_this_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the root of the sources");
    let Some(python) = python(&root) else {
        let words = "no Python with pytest: run scripts/need-python";
        assert!(env::var_os("WORDLINE_REQUIRE_PYTHON").is_none(), "{words}");
        println!("skipped: {words}");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("python");
    copy(&root.join("python"), &package).expect("the package can be copied");
    fs::copy(library(), package.join("wordline/_wordline.abi3.so")).expect("the library is there");
    let mut pytest = Command::new(&python);
    pytest
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "."])
        .current_dir(&package)
        .env("PYTHONPATH", &package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("WORDLINE_SOURCES", &root);
    // The command that stands beside the library, where it is of the same sources.
    let command = command().filter(|command| is_newer(command, &root.join("crates")));
    if let Some(command) = command {
        pytest.env("WORDLINE_COMMAND", command);
    }
    let done = pytest.output().expect("pytest starts");
    let said = String::from_utf8_lossy(&done.stdout);
    let failed = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}\n{failed}");
    println!("{said}");
}

/// The interpreter: the one that is named, that of `scripts/need-python`, or the machine's where it has what is needed.
fn python(root: &Path) -> Option<PathBuf> {
    let own = built().parent()?.join("python/bin/python3");
    let usual = root.join("target/python/bin/python3");
    let named = env::var_os("WORDLINE_PYTHON").map(PathBuf::from);
    let all = named.into_iter().chain([own, usual, "python3".into()]);
    all.into_iter().find(|python| {
        let asked = Command::new(python).args(["-c", NEEDED]).output();
        asked.is_ok_and(|answer| answer.status.success())
    })
}

/// The folder of what was built: that of this test is `deps` in it.
fn built() -> PathBuf {
    let test = env::current_exe().expect("this test is a file");
    let deps = test.parent().and_then(Path::parent);
    deps.expect("it lies in a folder of deps").to_owned()
}

fn library() -> PathBuf {
    let name = format!(
        "{}_wordline{}",
        env::consts::DLL_PREFIX,
        env::consts::DLL_SUFFIX
    );
    let places = [built().join("deps").join(&name), built().join(&name)];
    let times = places.iter().filter_map(|place| {
        let changed = fs::metadata(place).and_then(|of| of.modified()).ok()?;
        Some((changed, place))
    });
    let newest = times.max_by_key(|(changed, _)| *changed);
    newest
        .map(|(_, place)| place.clone())
        .unwrap_or_else(|| panic!("{name} was not built beside this test"))
}

fn command() -> Option<PathBuf> {
    let command = built().join(format!("wordline{}", env::consts::EXE_SUFFIX));
    command.is_file().then_some(command)
}

/// Whether a file is newer than every source of a folder.
fn is_newer(file: &Path, folder: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|of| of.modified()).ok();
    let Some(built) = changed(file) else {
        return false;
    };
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let is_source = path
                .extension()
                .is_some_and(|end| end == "rs" || end == "toml");
            if path.is_dir() {
                folders.push(path);
            } else if is_source && changed(&path).is_some_and(|changed| changed > built) {
                return false;
            }
        }
    }
    true
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let (path, target) = (entry.path(), to.join(&name));
        if entry.file_type()?.is_dir() {
            if name != "__pycache__" && name != ".mypy_cache" {
                copy(&path, &target)?;
            }
        } else if !name.to_string_lossy().ends_with(".so") {
            fs::copy(path, target)?;
        }
    }
    Ok(())
}
