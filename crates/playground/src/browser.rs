//! The border to JavaScript.
//!
//! The caller asks for [`room`](wordline_input), writes its bytes there, and calls a verb, which returns 0 when all is well
//! and 1 when the output is an [`ErrorNote`](crate::ErrorNote) as JSON. The output stands at
//! [`wordline_output`] until the next call. Files are read in parts, by the names that an experiment has for them, so that
//! no log has to fit the memory.
//!
//! The functions are public to JavaScript alone. A panic reaches the page as text and then ends the module, whose worker is started again.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read};
use std::panic;

use serde::Serialize;
use wordline_lab::{Control, Progress};

use crate::note::PlaygroundError;
use crate::playground::Playground;

/// Bytes that are read from a file at once.
const CHUNK: usize = 1 << 20;

#[link(wasm_import_module = "wordline")]
unsafe extern "C" {
    /// How far a run is.
    fn progress(step: *const u8, step_bytes: usize, done: f64, total: f64);
    /// Bytes of a file; negative where there is none of that name.
    fn file_bytes(name: *const u8, name_bytes: usize) -> f64;
    /// Reads from a file; returns how many bytes, or a negative number where it cannot be read.
    fn file_read(name: *const u8, name_bytes: usize, at: f64, out: *mut u8, most: usize) -> i32;
    /// What a panic says.
    fn panicked(text: *const u8, bytes: usize);
}

#[derive(Default)]
struct BorderState {
    input: Vec<u8>,
    output: Vec<u8>,
    playground: Option<Playground>,
}

thread_local! {
    static SESSION: RefCell<BorderState> = RefCell::default();
}

/// Room for so many bytes of input.
#[unsafe(no_mangle)]
extern "C" fn wordline_input(bytes: usize) -> *mut u8 {
    SESSION.with_borrow_mut(|session| {
        session.input = vec![0; bytes];
        session.input.as_mut_ptr()
    })
}

/// Where the output of the last call stands.
#[unsafe(no_mangle)]
extern "C" fn wordline_output() -> *const u8 {
    SESSION.with_borrow(|session| session.output.as_ptr())
}

/// Bytes of it.
#[unsafe(no_mangle)]
extern "C" fn wordline_output_bytes() -> usize {
    SESSION.with_borrow(|session| session.output.len())
}

/// Begins: what a panic says goes to the page from now on. The output is what forms offer.
#[unsafe(no_mangle)]
extern "C" fn wordline_begin() -> u32 {
    panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: the text lives until the call returns, and the page copies it.
        unsafe { panicked(text.as_ptr(), text.len()) };
    }));
    answer(|playground, _| Ok(json(&playground.choices())))
}

/// Makes an experiment of a form.
#[unsafe(no_mangle)]
extern "C" fn wordline_form() -> u32 {
    answer(|playground, input| playground.experiment_of_form(input))
}

/// Runs an experiment; the output is the whole experiment.
#[unsafe(no_mangle)]
extern "C" fn wordline_run() -> u32 {
    answer(|playground, input| {
        let show = |now: Progress<'_>| {
            let (step, done, total) = (now.step, now.done_bytes as f64, now.total_bytes as f64);
            // SAFETY: the text lives until the call returns, and the page copies it.
            unsafe { progress(step.as_ptr(), step.len(), done, total) };
        };
        let open = |name: &str| PageFile::open(name);
        let control = Control {
            open: Some(&open),
            progress: Some(&show),
            threads: 1,
            ..Control::default()
        };
        playground.run(input, &control)
    })
}

/// Renders the result of the last run in a format that the input names.
#[unsafe(no_mangle)]
extern "C" fn wordline_result() -> u32 {
    answer(|playground, format| playground.result(format))
}

/// Answers the input. While that goes on the page may not call.
fn answer(work: impl FnOnce(&mut Playground, &str) -> Result<String, PlaygroundError>) -> u32 {
    let (input, playground) = SESSION.with_borrow_mut(|session| {
        (
            std::mem::take(&mut session.input),
            session.playground.take(),
        )
    });
    let answered = opened(playground).and_then(|mut playground| {
        let answered = match std::str::from_utf8(&input) {
            Ok(text) => work(&mut playground, text),
            Err(error) => Err(PlaygroundError::NotText {
                at: error.valid_up_to(),
            }),
        };
        SESSION.with_borrow_mut(|session| session.playground = Some(playground));
        answered
    });
    let (status, output) = match answered {
        Ok(text) => (0, text),
        Err(error) => (1, json(&error.note())),
    };
    SESSION.with_borrow_mut(|session| session.output = output.into_bytes());
    status
}

fn opened(playground: Option<Playground>) -> Result<Playground, PlaygroundError> {
    playground.map_or_else(Playground::new, Ok)
}

fn json(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => unreachable!("plain data with text keys serialises: {error}"),
    }
}

/// A file that the page was given.
struct PageFile {
    name: String,
    at: u64,
}

impl PageFile {
    fn open(name: &str) -> io::Result<Box<dyn BufRead>> {
        // SAFETY: the text lives until the call returns, and the page copies it.
        let bytes = unsafe { file_bytes(name.as_ptr(), name.len()) };
        if bytes < 0.0 {
            let none = "the page was given no such file; drop it there";
            return Err(io::Error::new(io::ErrorKind::NotFound, none));
        }
        let file = Self {
            name: name.to_owned(),
            at: 0,
        };
        Ok(Box::new(BufReader::with_capacity(CHUNK, file)))
    }
}

impl Read for PageFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let name = &self.name;
        let most = out.len().min(CHUNK);
        // SAFETY: the name and `out` live until the call returns, which writes `most` bytes of `out` at most.
        let read = unsafe {
            file_read(
                name.as_ptr(),
                name.len(),
                self.at as f64,
                out.as_mut_ptr(),
                most,
            )
        };
        let read = usize::try_from(read).map_err(|_| {
            io::Error::other(
                "the browser cannot read it any more; it may have changed or moved: drop it again",
            )
        })?;
        self.at += read as u64;
        Ok(read.min(most))
    }
}
