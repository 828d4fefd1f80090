//! Whatever is given as a trace of memory requests, it is refused at one of its lines, or read as requests that lie in
//! the memory and come in order; those of a program count no miss that was not asked for. Whatever is given as a trace of commands, it is refused at one of its lines, or says
//! the same when it is written again.

use wordline_core::quantity::Frequency;
use wordline_dram::Observer;
use wordline_dram::log::{CommandLog, CommandLogError, CommandReader};
use wordline_trace::dram::{
    CacheChoices, DramFormat, DramRequest, DramTraceError, DramTraceOptions, open,
};

const MEMORY: u64 = 3 << 20;

/// Panics when a promise is broken. Returns whether something was read to its end.
pub(crate) fn check(data: &[u8]) -> bool {
    let strict = DramTraceOptions {
        clock: Some(Frequency::from_hz(2_200_000_000)),
        ..DramTraceOptions::new(MEMORY)
    };
    let lenient = DramTraceOptions {
        align: true,
        fold: true,
        ..strict.clone()
    };
    let mut is_read = requests(data, &strict);
    is_read |= requests(data, &lenient);
    for format in DramFormat::ALL {
        let named = DramTraceOptions {
            format: Some(format),
            ..lenient.clone()
        };
        is_read |= requests(data, &named);
        if format.is_program() {
            let caches = CacheChoices {
                bytes: [Some(128), Some(0), Some(1024)],
                ways: [Some(1), None, Some(2)],
                line_bytes: Some(128),
            };
            is_read |= requests(data, &DramTraceOptions { caches, ..named });
        }
    }
    is_read | commands(data)
}

fn requests(data: &[u8], options: &DramTraceOptions) -> bool {
    let lines = data.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let mut trace = match open(data, options) {
        Ok(trace) => trace,
        Err(error) => {
            refused(&error, lines);
            return false;
        }
    };
    let is_program = trace.summary().program.is_some();
    let mut before: Option<DramRequest> = None;
    let mut instructions = 0u64;
    let mut count = 0;
    let mut is_sound = true;
    for request in trace.by_ref() {
        assert!(is_sound, "something follows an error");
        match request {
            Ok(request) => {
                assert!(request.address.is_multiple_of(64), "{request:?}");
                assert!(request.address < MEMORY, "{request:?}");
                assert!((1..=lines).contains(&request.line), "{request:?}");
                if let Some(before) = before {
                    // A line of a program may make several.
                    let is_later = request.line > before.line;
                    assert!(
                        is_later || is_program && request.line == before.line,
                        "{request:?}"
                    );
                    assert!(request.at >= before.at, "{request:?} after {before:?}");
                    assert_eq!(request.at.is_some(), before.at.is_some());
                }
                instructions = instructions.saturating_add(request.instructions);
                before = Some(request);
                count += 1;
            }
            Err(error) => {
                refused(&error, lines);
                is_sound = false;
            }
        }
    }
    assert!(trace.next().is_none(), "something follows the end");
    let summary = trace.summary();
    assert!(summary.reads + summary.writes >= count, "{summary:?}");
    if let Some(program) = summary.program {
        assert!(instructions <= program.instructions, "{program:?}");
        for (at, level) in program.levels.iter().enumerate() {
            let Some(level) = level else {
                continue;
            };
            assert!(level.misses <= level.accesses, "{program:?}");
            assert!(level.accesses <= program.accesses, "{program:?}");
            assert_eq!(program.mpki(at).is_some(), program.instructions > 0);
        }
    } else {
        assert_eq!(instructions, 0);
    }
    if is_sound {
        assert!(count > 0, "nothing, and no word of it");
        assert_eq!(summary.reads + summary.writes, count);
        assert_eq!(summary.last, before.and_then(|request| request.at));
    }
    is_sound
}

fn refused(error: &DramTraceError, lines: u64) {
    assert!(error.to_string().len() < 1000, "{error}");
    match error.line() {
        Some(line) => assert!((1..=lines).contains(&line), "{error}"),
        None => assert!(matches!(error, DramTraceError::Empty), "{error}"),
    }
}

fn commands(data: &[u8]) -> bool {
    let Ok(reader) = CommandReader::new(data) else {
        return false;
    };
    let clock = reader.clock();
    let read: Result<Vec<_>, CommandLogError> = reader.collect();
    let commands = match read {
        Ok(commands) => commands,
        Err(error) => {
            assert!(error.to_string().len() < 1000, "{error}");
            return false;
        }
    };
    let log = CommandLog::new(Vec::new(), clock);
    for found in &commands {
        let mut observer = log.sub_channel(found.channel, found.sub_channel);
        observer.command(&found.issued);
    }
    assert_eq!(log.finish().expect("a vector takes all"), data);
    true
}
