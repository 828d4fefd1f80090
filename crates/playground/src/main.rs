//! Puts the page together: `wordline-playground MODULE.wasm PAGE.html`.

use std::process::ExitCode;
use std::{env, fs, io};

use wordline_playground::page;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [module, out] = arguments.as_slice() else {
        return failed("expected: wordline-playground MODULE.wasm PAGE.html");
    };
    let made = fs::read(module).and_then(|module| fs::write(out, page::assembled(&module)));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!(
            "{} to {}: {error}",
            module.display(),
            out.display()
        )),
    }
}

fn failed(text: &str) -> ExitCode {
    use io::Write as _;
    // A failure to write to stderr cannot be reported.
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::FAILURE
}
