//! Compiles littlefs, and gives the tests the same compiler and options.

/// littlefs reports what fails in its results, prints nothing, and asserts nothing: a damaged image is input.
const OPTIONS: [&str; 5] = [
    "-std=c99",
    "-DLFS_NO_DEBUG",
    "-DLFS_NO_WARN",
    "-DLFS_NO_ERROR",
    "-DLFS_NO_ASSERT",
];

fn main() {
    let mut build = cc::Build::new();
    build.include("littlefs").flags(OPTIONS);
    build.files(["littlefs/lfs.c", "littlefs/lfs_util.c"]);
    build.compile("wordline_littlefs");
    println!("cargo::rerun-if-changed=littlefs");
    let compiler = build.get_compiler();
    println!(
        "cargo::rustc-env=LITTLEFS_COMPILER={}",
        compiler.path().display()
    );
    println!("cargo::rustc-env=LITTLEFS_OPTIONS={}", OPTIONS.join(" "));
}
