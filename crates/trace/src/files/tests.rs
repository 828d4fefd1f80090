//! Both forms hold what was written, and refuse what no program could have called.

use proptest::prelude::*;

use super::*;

/// A trace of every kind of call.
const ALL: &str = "\
wordline file trace 2
note \"a program with \\\"quotes\\\"\"
has-dir /d
has-file 300 \"/d/a file\"
1 open 0 write \"/d/a file\"
1 +1200 read 0 100 400 200
1 read 0 0 100 100
1 read 0 100 50 50
2 open 1 create /new
2 write 1 0 4096 0badcafe
2 write 1 4096 4096 zeros
2 sync 1 data
1 truncate 0 10
1 sync 0 all
1 close 0
2 close 1
1 create-dir /e
1 rename \"/d/a file\" /e/b
1 entry found /e/b
1 entry absent \"/d/a file\"
1 list /e
1 remove /d
1 sync-dir /
1 +7 mark put
2 mark \"two words\"
2 mark put
end
";

fn read(bytes: &[u8]) -> Result<(FileTracePreamble, Vec<TracedFileCall>), FileTraceError> {
    let mut reader = FileTraceReader::open(bytes)?;
    let calls = reader.by_ref().collect::<Result<_, _>>()?;
    Ok((reader.preamble().clone(), calls))
}

fn written(form: FileTraceForm, preamble: &FileTracePreamble, calls: &[TracedFileCall]) -> Vec<u8> {
    let mut writer = FileTraceWriter::new(Vec::new(), form, preamble).expect("into memory");
    for call in calls {
        writer.call(call).expect("into memory");
    }
    writer.finish().expect("into memory")
}

fn refusal(text: &str) -> String {
    let error = read(text.as_bytes()).expect_err("it is wrong");
    error.to_string()
}

/// The lines of a trace as text, behind its title and before its end.
fn lines(lines: &str) -> String {
    format!("wordline file trace 2\n{lines}\nend\n")
}

#[test]
fn both_forms_hold_every_call() {
    let (preamble, calls) = read(ALL.as_bytes()).expect("a trace");
    assert_eq!(preamble.note, "a program with \"quotes\"");
    assert_eq!(calls.len(), 22);
    let text = written(FileTraceForm::Text, &preamble, &calls);
    assert_eq!(String::from_utf8(text).expect("text"), ALL);
    let binary = written(FileTraceForm::Binary, &preamble, &calls);
    assert!(binary.len() < 250, "{} bytes", binary.len());
    assert_eq!(read(&binary).expect("a trace"), (preamble, calls));
}

#[test]
fn a_trace_that_is_cut_short_is_noticed_wherever_it_is_cut() {
    let (preamble, calls) = read(ALL.as_bytes()).expect("a trace");
    let binary = written(FileTraceForm::Binary, &preamble, &calls);
    for end in 1..binary.len() {
        let error = read(&binary[..end]).expect_err("it is cut");
        assert!(
            matches!(error, FileTraceError::CutShort(_)),
            "{end}: {error}"
        );
    }
    for end in 1..ALL.len() - "end\n".len() {
        assert!(read(&ALL.as_bytes()[..end]).is_err(), "{end}");
    }
}

#[test]
fn a_trace_of_version_1_is_read_as_it_was() {
    let (preamble, calls) = read(ALL.as_bytes()).expect("a trace");
    let old = ALL.replacen("trace 2", "trace 1", 1);
    let error = read(old.as_bytes()).expect_err("it has newer calls");
    assert!(
        error.to_string().contains("\"sync-dir\"; allowed"),
        "{error}"
    );
    let old = old.replace(
        "1 sync-dir /\n1 +7 mark put\n2 mark \"two words\"\n2 mark put\n",
        "",
    );
    let (_, old_calls) = read(old.as_bytes()).expect("a trace");
    assert_eq!(old_calls, calls[..18]);
    // The same in bytes, up to the checksum, which then says that the trace was changed.
    for (calls, expected) in [(&calls[..18], "checksum"), (&calls[..19], "0x0c")] {
        let mut binary = written(FileTraceForm::Binary, &preamble, calls);
        binary[7] = 1;
        let error = read(&binary).expect_err("another version").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn every_damaged_byte_is_noticed() {
    let (preamble, calls) = read(ALL.as_bytes()).expect("a trace");
    let binary = written(FileTraceForm::Binary, &preamble, &calls);
    for place in 0..binary.len() {
        let mut damaged = binary.clone();
        damaged[place] ^= 0x11;
        assert!(read(&damaged).is_err(), "{place}");
    }
    let mut longer = binary;
    longer.push(0);
    let error = read(&longer).expect_err("more follows").to_string();
    assert!(error.contains("follow"), "{error}");
}

#[test]
fn other_files_and_versions_are_refused_by_name() {
    for (bytes, expected) in [
        (&b""[..], "no file trace"),
        (b"GIF89a", "no file trace"),
        (b"wordline something", "no file trace"),
        (b"WLFILES\x03", "version 3 of the format; allowed: 1 to 2"),
        (
            b"wordline file trace 7\n",
            "version 7 of the format; allowed: 1",
        ),
    ] {
        let error = read(bytes).expect_err("no trace").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn what_no_program_could_have_called_is_refused_with_its_place() {
    for (calls, expected) in [
        (
            "1 read 0 0 1 1",
            "line 2, call 1 (1 read 0 0 1 1): file 0 is not open",
        ),
        ("1 open 0 read /a", "/a is not there"),
        (
            "has-file 5 /a\n1 open 0 read /a\n1 read 0 0 9 6",
            "call 2 (1 read 0 0 9 6): it reads what nothing wrote: /a has 5",
        ),
        (
            "has-file 5 /a\n1 open 0 read /a\n1 read 0 0 9 4",
            "it reads 4 bytes where /a has 5",
        ),
        (
            "has-file 5 /a\n1 open 0 read /a\n1 write 0 0 1 zeros",
            "open for reading alone",
        ),
        (
            "1 open 0 create /a\n1 write 0 1 1 zeros",
            "truncate extends",
        ),
        ("1 open 0 create /a\n1 open 1 read /a", "open already"),
        (
            "1 open 0 create /a\n1 open 0 create /b",
            "file 0 is open already, at /a",
        ),
        ("1 open 0 create /a\n1 remove /a", "/a is open"),
        ("1 open 0 create /a/b", "/a is not there"),
        ("1 open 0 create a", "the path \"a\""),
        ("1 create-dir /a/../b", "allowed: absolute"),
        (
            "1 open 0 create /a\n1 write 0 0 67108865 zeros",
            "allowed: 0 to 67108864",
        ),
        (
            "1 open 0 create /a\n1 truncate 0 281474976710657",
            "allowed: 0 to 281474976710656",
        ),
        (
            "has-file 281474976710657 /a",
            "allowed: 0 to 281474976710656",
        ),
        ("has-file 1 /a\nhas-file 1 /a", "/a is there already"),
        ("has-file 1 /a\n1 list /a", "/a is no directory"),
        ("has-file 1 /a\n1 entry absent /a", "which is there"),
        ("1 entry found /a", "/a is not there"),
        (
            "has-dir /a\nhas-file 1 /a/b\n1 remove /a",
            "/a is not empty",
        ),
        ("has-dir /a\n1 rename /a /a/b", "into itself"),
        (
            "has-dir /a\nhas-file 1 /b\n1 rename /b /a",
            "of another kind",
        ),
        ("1 remove /", "the root"),
        ("1 fly 0", "the call is \"fly\"; allowed: open"),
        (
            "1 open 0 append /a",
            "allowed: read, write, create, replace",
        ),
        ("1 close 0 1", "\"1\" is a word too many"),
        ("1 close", "the number of a file is missing"),
        ("one close 0", "the number of a thread is \"one\""),
        ("1 close 99999999999", "whole numbers of 32 bits"),
        ("1 open 0 create \"/a", "quotes"),
        (
            "1 open 0 create /a\n1 write 0 0 1 random",
            "the content is \"random\"; allowed: zeros",
        ),
    ] {
        let error = refusal(&lines(calls));
        assert!(error.contains(expected), "{calls}: {error}");
    }
}

#[test]
fn a_directory_moves_with_what_is_in_it_alone() {
    let moved = "has-dir /a\nhas-file 7 /a/f\nhas-file 3 /a-b\n1 rename /a /c\n1 entry found /c/f\n1 entry found /a-b\n\
                 1 open 0 read /c/f\n1 read 0 0 7 7";
    read(lines(moved).as_bytes()).expect("a trace");
}

#[test]
fn absurd_counts_take_no_memory() {
    // A count of what existed of 2^63, and a path of 2^62 bytes.
    let head = b"WLFILES\x01\x00\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
    let error = read(head).expect_err("nothing follows");
    assert!(matches!(error, FileTraceError::CutShort(_)), "{error}");
    let long = b"WLFILES\x01\x00\x01\x00\x80\x80\x80\x80\x80\x80\x80\x80\x40";
    let error = read(long).expect_err("too long").to_string();
    assert!(error.contains("allowed: 0 to 4096"), "{error}");
}

#[test]
fn equal_bytes_have_equal_seeds() {
    assert_eq!(WrittenContent::of(&[0; 9]), WrittenContent::Zeros);
    assert_eq!(WrittenContent::of(b"ab"), WrittenContent::of(b"ab"));
    assert_ne!(WrittenContent::of(b"ab"), WrittenContent::of(b"ba"));
    // FNV-1a of "a" in 32 bits.
    assert_eq!(
        WrittenContent::of(b"a"),
        WrittenContent::Drawn { seed: 0xE40C_292C }
    );
}

proptest! {
    /// Accesses of two files by two threads, as offsets repeat and go on.
    #[test]
    fn any_accesses_come_back(accesses in prop::collection::vec((0..2_u32, 0..2_u32, 0..4_u64, 0..300_u64, prop::option::of(0..=INSTRUCTIONS_MAX / 60)), 0..60)) {
        let open = |file: u32| TracedFileCall {
            thread: 1,
            instructions: None,
            action: FileAction::Open { file, how: FileOpening::Write, path: format!("/{file}").into() },
        };
        let has = |file: u32| ExistingEntry { path: format!("/{file}").into(), bytes: Some(10_000) };
        let preamble = FileTracePreamble { note: String::new(), existing: vec![has(0), has(1)] };
        let mut calls = vec![open(0), open(1)];
        let mut end = 0;
        for (thread, file, kind, bytes, instructions) in accesses {
            let at = if kind & 1 == 0 { end } else { bytes };
            let action = match kind {
                0 | 1 => FileAction::Read { file, at, bytes, found: bytes.min(10_000 - at) },
                _ => FileAction::Write { file, at, bytes, content: WrittenContent::Drawn { seed: bytes as u32 } },
            };
            end = (at + bytes).min(9_000);
            calls.push(TracedFileCall { thread, instructions, action });
        }
        for form in [FileTraceForm::Binary, FileTraceForm::Text] {
            let back = read(&written(form, &preamble, &calls));
            prop_assert_eq!(back.expect("a trace"), (preamble.clone(), calls.clone()));
        }
    }

    /// Whatever the bytes, the reader answers.
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), in_form in any::<bool>()) {
        let mut trace = if in_form { b"WLFILES\x01\x00".to_vec() } else { b"wordline file trace 1\n".to_vec() };
        trace.extend(bytes);
        let _ = read(&trace);
    }
}

#[test]
fn instructions_that_no_processor_executes_are_refused_with_their_line() {
    let most = 1_u64 << 63;
    let first = "0 open 0 create /a";
    let (_, calls) =
        read(lines(&format!("{first}\n0 +{most} mark put")).as_bytes()).expect("it fits");
    assert_eq!(calls[1].instructions, Some(most));
    for more in [
        format!("0 +{} mark put", u64::MAX),
        // Those of all threads count.
        format!("0 +{most} sync 0 all\n1 +1 mark put"),
    ] {
        let text = refusal(&lines(&format!("{first}\n{more}")));
        let line = 2 + more.lines().count();
        assert!(
            text.starts_with(&format!("line {line}, call {}", line - 1)),
            "{text}"
        );
        assert!(
            text.contains("instructions") && text.contains(&most.to_string()),
            "{text}"
        );
    }
}

/// Each entry that existed has a path of its own: one path, named again and again in two bytes, is refused at once.
#[test]
fn a_trace_that_announces_more_than_it_has_takes_no_memory_for_it() {
    // 2^40 entries, and a path that is there already.
    let mut bytes = b"WLFILES\x02\x00\x80\x80\x80\x80\x80\x20\x00\x02/a\x00".to_vec();
    let cut = read(&bytes).expect_err("it is cut");
    assert!(matches!(cut, FileTraceError::CutShort(_)), "{cut}");
    bytes.extend([0; 64]);
    let twice = read(&bytes).expect_err("a name is taken once").to_string();
    assert!(twice.contains("/a is there already"), "{twice}");
    assert!(twice.starts_with("byte 20"), "{twice}");
}
