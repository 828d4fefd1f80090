//! `wordline fs mount` from end to end, where this host lets it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use wordline_core::draw::{Purpose, draw};

use crate::cli::support::wordline;

/// Whether the kernel shows a FUSE file system at a directory.
fn is_mounted(dir: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let here = dir.display().to_string();
    let mut mounts = mounts.lines().map(|line| line.split(' ').nth(1));
    mounts.any(|place| place == Some(&here))
}

/// Mounts, lets a program work there, and interrupts; stdout, or nothing where this host mounts nothing.
fn mounted(arguments: &[&str], dir: &Path, work: impl FnOnce()) -> Option<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(["fs", "mount", "--format", "json"])
        .args(arguments)
        .arg(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    while !is_mounted(dir) {
        if child.try_wait().expect("a child").is_some() {
            let output = child.wait_with_output().expect("ended");
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(stderr.contains("the kernel mounts nothing"), "{stderr}");
            skip(&stderr);
            return None;
        }
        thread::sleep(Duration::from_millis(20));
    }
    work();
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert!(!is_mounted(dir));
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[allow(clippy::print_stderr, reason = "who reads the results should know")]
fn skip(why: &str) {
    eprintln!("nothing tested: {why}");
}

fn value(stdout: &str, metric: &str) -> f64 {
    let document: Value = serde_json::from_str(stdout).expect("JSON");
    let rows = document.as_array().expect("rows");
    let row = rows.iter().find(|row| row["metric"] == metric);
    let row = row.unwrap_or_else(|| panic!("{metric}: {stdout}"));
    let text = row["value"].as_str().expect("text");
    text.parse().expect("a number")
}

#[test]
fn what_programs_store_is_in_the_image_and_costs_simulated_time() {
    if !Path::new("/dev/fuse").exists() {
        return skip("there is no /dev/fuse");
    }
    for (file_system, target) in [
        ("littlefs", "mt25ql128"),
        ("fat", "em064lx"),
        ("rtfs", "mt25ql128"),
        ("flat", "em064lx"),
    ] {
        let place = TempDir::new().expect("a folder");
        let dir = place.path().join("mnt");
        fs::create_dir(&dir).expect("room");
        let image = place.path().join("memory.img");
        let image = image.to_str().expect("text");
        let arguments = ["--fs", file_system, "--target", target, "--image", image];
        let first = mounted(&arguments, &dir, || {
            fs::create_dir(dir.join("logs")).expect("room");
            fs::write(dir.join("logs/one.txt"), [b'x'; 5000]).expect("room");
            fs::rename(dir.join("logs/one.txt"), dir.join("logs/two.txt")).expect("there");
        });
        let Some(first) = first else {
            return;
        };
        assert!(value(&first, "simulated_time") > 1e-4, "{first}");
        assert!(value(&first, "energy_total") > 0.0, "{first}");
        assert!(value(&first, "operations_read") > 0.0, "{first}");
        if target == "mt25ql128" {
            assert!(value(&first, "bytes_program") >= 5000.0, "{first}");
            assert!(value(&first, "wear_most") >= 1.0, "{first}");
        }
        let again = mounted(&arguments, &dir, || {
            let bytes = fs::read(dir.join("logs/two.txt")).expect("stored");
            assert_eq!(bytes, [b'x'; 5000]);
            assert!(!dir.join("logs/one.txt").exists());
        });
        assert!(again.is_some());
    }
}

/// One call of a program, by what is drawn. The error is that of the kernel.
fn call(dir: &Path, seed: u64, number: u64) -> io::Result<()> {
    let drawn = |what, below| draw(seed, number, what, Purpose::Mix) % below;
    let name = |what| match drawn(what, 9) {
        dir @ 0..2 => format!("dir{dir}"),
        file @ 2..5 => format!("file{file}"),
        inner => format!("dir{}/inner{}", inner % 2, inner / 2),
    };
    let path = dir.join(name(0));
    let bytes = vec![drawn(1, 256) as u8; drawn(2, 3000) as usize];
    match drawn(3, 10) {
        0 | 8 => fs::create_dir(path),
        1 => fs::remove_dir(path),
        2 => fs::remove_file(path),
        3 | 9 => fs::write(path, bytes),
        4 => fs::OpenOptions::new()
            .append(true)
            .open(path)?
            .write_all(&bytes),
        5 => fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .write_at(&bytes, drawn(4, 500))
            .map(drop),
        6 => fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .set_len(drawn(4, 5000)),
        _ => fs::rename(path, dir.join(name(5))),
    }
}

/// Everything below a directory, by path: the bytes of files.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).expect("a directory") {
            let path = entry.expect("an entry").path();
            let bytes = path.is_file().then(|| fs::read(&path).expect("a file"));
            if bytes.is_none() {
                dirs.push(path.clone());
            }
            let place = path.strip_prefix(dir).expect("it lies below").to_owned();
            found.insert(place, bytes);
        }
    }
    found
}

/// What a plain directory of this host holds after the same calls, and which of them it refuses.
#[test]
fn a_mount_does_what_a_directory_of_this_host_does() {
    if !Path::new("/dev/fuse").exists() {
        return skip("there is no /dev/fuse");
    }
    for arguments in [
        &[
            "--fs",
            "littlefs",
            "--target",
            "mt25ql128",
            "--set",
            "littlefs.cache=256",
        ][..],
        &["--fs", "fat", "--target", "em064lx"],
        &[
            "--fs",
            "fat",
            "--target",
            "mt29f1g01",
            "--ftl",
            "log-block",
            "--set",
            "fat.tables=1",
        ],
    ] {
        let place = TempDir::new().expect("a folder");
        let (dir, plain) = (place.path().join("mnt"), place.path().join("plain"));
        fs::create_dir(&dir).expect("room");
        fs::create_dir(&plain).expect("room");
        let (mut done, mut refused) = (0, 0);
        let stdout = mounted(arguments, &dir, || {
            for number in 0..400 {
                let (here, there) = (call(&dir, 1, number), call(&plain, 1, number));
                let kind = |result: &io::Result<()>| result.as_ref().err().map(io::Error::kind);
                assert_eq!(kind(&here), kind(&there), "{number}: {here:?}, {there:?}");
                *if here.is_ok() {
                    &mut done
                } else {
                    &mut refused
                } += 1;
            }
            let (here, there) = (tree(&dir), tree(&plain));
            assert!(
                here.keys().eq(there.keys()),
                "{:?}, {:?}",
                here.keys(),
                there.keys()
            );
            assert!(here == there, "{arguments:?}: contents differ");
            assert!(here.len() > 3, "{:?}", here.keys());
        });
        if stdout.is_some() {
            assert!(done > 100 && refused > 50, "{done}, {refused}");
        }
    }
}

/// Whether the directory was taken away from programs again.
fn taken_away(dir: &Path) -> bool {
    let run = |name: &str, flag: &str| Command::new(name).arg(flag).arg(dir).output();
    let is_done = |output: io::Result<Output>| output.is_ok_and(|output| output.status.success());
    is_done(run("fusermount3", "-u")) || is_done(run("umount", "-l"))
}

#[test]
fn a_mount_whose_program_was_killed_is_told_from_a_directory_that_is_not_empty() {
    let place = TempDir::new().expect("a folder");
    let dir = place.path().join("mnt");
    fs::create_dir(&dir).expect("room");
    let mut child = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(["fs", "mount", "--target", "em064lx", "--quiet"])
        .arg(&dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    while !is_mounted(&dir) {
        if child.try_wait().expect("a child").is_some() {
            return skip("this host mounts nothing");
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    child.wait().expect("it was killed");
    let again = dir.to_str().expect("text");
    let ran = wordline(&["fs", "mount", "--target", "em064lx", again]);
    assert!(taken_away(&dir), "{} is left behind", dir.display());
    ran.refused(&["whose program was killed", "fusermount3 -u"]);
}

#[test]
fn what_cannot_be_mounted_is_refused_with_a_reason() {
    let place = TempDir::new().expect("a folder");
    let dir = place.path().join("mnt");
    fs::create_dir(&dir).expect("room");
    let image = place.path().join("short.img");
    fs::write(&image, b"short").expect("room");
    let (dir, image) = (dir.to_str().expect("text"), image.to_str().expect("text"));
    let missing = format!("{dir}/missing");
    for (arguments, reason) in [
        (vec!["--target", "em064lx", &missing], "no empty directory"),
        (vec!["--target", "nothing", dir], "nothing"),
        (
            vec!["--target", "em064lx", "--image", image, dir],
            "it has 5 B",
        ),
        (
            vec![
                "--target",
                "mt29f1g01",
                "--fs",
                "fat",
                "--image",
                image,
                dir,
            ],
            "keeps records",
        ),
        (
            vec![
                "--target",
                "mt29f1g01",
                "--fs",
                "rtfs",
                "--image",
                image,
                dir,
            ],
            "rtfs keeps records",
        ),
        (vec!["--target", "em064lx", "--fs", "xfs", dir], "xfs"),
        (
            vec!["--target", "em064lx", "--set", "fat.tables=1", dir],
            "which does not run",
        ),
        (
            vec!["--target", "em064lx", "--fs", "fat", "--ftl", "page", dir],
            "FAT runs over on NAND",
        ),
        (
            vec!["--target", "em064lx", "--set", "littlefs.cache=100", dir],
            "does not suit",
        ),
    ] {
        let ran = wordline(&[&["fs", "mount"], arguments.as_slice()].concat());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.replace('\n', " ").contains(reason), "{ran:?}");
    }
}
