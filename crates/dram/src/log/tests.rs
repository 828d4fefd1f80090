use std::io::{self, Write};

use proptest::prelude::*;

use super::{CommandLog, CommandLogError, CommandReader, LoggedCommand, carried};
use crate::command::{Command, Issued};
use crate::config::ClockDomain;
use crate::observer::Observer;
use crate::request::Location;

const CLOCK: ClockDomain = ClockDomain::double(4400);

fn head() -> String {
    let columns = "clock,time_ps,channel,sub_channel,pseudo_channel,rank,group,bank,row,column,command,request";
    format!("# wordline command trace, version 1\n# data_rate_mts 4400\n{columns}\n")
}

fn issued(at: u64, command: Command, location: Location, request: Option<u64>) -> Issued {
    Issued {
        at,
        command,
        location,
        request,
    }
}

fn written(commands: &[(u32, u32, Issued)]) -> String {
    let log = CommandLog::new(Vec::new(), CLOCK);
    for (channel, sub_channel, issued) in commands {
        log.sub_channel(*channel, *sub_channel).command(issued);
    }
    assert!(!log.failed());
    String::from_utf8(log.finish().expect("a vector takes all")).expect("text")
}

fn read(text: impl AsRef<[u8]>) -> Result<Vec<LoggedCommand>, CommandLogError> {
    CommandReader::new(text.as_ref())?.collect()
}

#[test]
fn a_command_carries_what_goes_over_the_bus() {
    let place = Location {
        pseudo_channel: 1,
        rank: 2,
        group: 7,
        bank: 3,
        row: 99_999,
        column: 127,
    };
    let none = Location {
        pseudo_channel: 1,
        rank: 2,
        ..Location::default()
    };
    let first_of_set = Location {
        group: 1,
        bank: 2,
        ..none
    };
    let commands = [
        (
            0,
            0,
            issued(11, Command::Act, Location { column: 0, ..place }, Some(5)),
        ),
        (0, 1, issued(11, Command::Wra, place, Some(u64::MAX))),
        (
            11,
            1,
            issued(12, Command::PreSb, Location { bank: 3, ..none }, None),
        ),
        (11, 1, issued(22, Command::RefAb, none, None)),
        (11, 1, issued(32, Command::RfmSb, first_of_set, None)),
    ];
    let expected = "11,5000,0,0,1,2,7,3,99999,,ACT,5\n\
                    11,5000,0,1,1,2,7,3,99999,127,WRA,18446744073709551615\n\
                    12,5455,11,1,1,2,,3,,,PREsb,\n\
                    22,10000,11,1,1,2,,,,,REFab,\n\
                    32,14545,11,1,1,2,1,2,,,RFMsb,\n";
    let text = written(&commands);
    assert_eq!(text, head() + expected);
    let back = read(&text).expect("sound");
    let back = back
        .iter()
        .map(|found| (found.channel, found.sub_channel, found.issued));
    assert_eq!(back.collect::<Vec<_>>(), commands);
    let reader = CommandReader::new(text.as_bytes()).expect("sound");
    assert_eq!(reader.clock(), CLOCK);
}

#[test]
fn faults_are_told_with_line_and_what_is_expected() {
    let sound = "11,5000,0,0,1,2,7,3,99999,,ACT,5\n";
    assert_eq!(read(head() + sound).expect("sound").len(), 1);
    for (line, parts) in [
        ("11,5000,0,0,1,2,7,3,99999,,ACT\n", ["11 columns", "12"]),
        ("11,5000,0,0,1,2,7,3,99999,,ACT,5,\n", ["13 columns", "12"]),
        ("11,5001,0,0,1,2,7,3,99999,,ACT,5\n", ["time_ps", "5000"]),
        (
            "011,5000,0,0,1,2,7,3,99999,,ACT,5\n",
            ["clock is \"011\"", "whole number"],
        ),
        (
            "-1,0,0,0,1,2,7,3,99999,,ACT,5\n",
            ["clock is \"-1\"", "whole number"],
        ),
        (
            "11,5000,0,0,256,2,7,3,99999,,ACT,5\n",
            ["pseudo_channel is \"256\"", "0 to 255"],
        ),
        (
            "11,5000,0,0,1,2,7,3,4294967296,,ACT,5\n",
            ["row", "0 to 4294967295"],
        ),
        (
            "11,5000,0,0,1,2,7,3,,,ACT,5\n",
            ["row is \"\"", "whole number"],
        ),
        (
            "11,5000,0,0,1,2,7,3,1,0,ACT,5\n",
            ["column is \"0\"", "nothing, as ACT has no column"],
        ),
        (
            "11,5000,0,0,1,2,7,3,1,65536,RD,5\n",
            ["column", "0 to 65535"],
        ),
        (
            "11,5000,0,0,1,2,7,3,1,,act,5\n",
            ["command is \"act\"", "ACT, RD, RDA"],
        ),
        (
            "11,5000,0,0,1,2,7,3,1,,ACT,18446744073709551616\n",
            ["request", "18446744073709551615"],
        ),
        (
            "11,5000,0,0,1,2,7,3,1,,ACT,\0\n",
            ["request is \"\\0\"", "whole number"],
        ),
    ] {
        let text = head() + sound + line;
        let error = read(&text).expect_err(line).to_string();
        assert!(error.starts_with("line 5: "), "{error}");
        for part in parts {
            assert!(error.contains(part), "{part} is not in: {error}");
        }
    }
}

#[test]
fn another_file_or_half_a_one_is_refused() {
    let text = head() + "11,5000,0,0,1,2,7,3,99999,,ACT,5\n";
    for cut in 0..text.len() {
        match read(&text[..cut]) {
            Ok(commands) => assert!(commands.is_empty() && cut == head().len(), "{cut}"),
            Err(CommandLogError::Truncated { line }) => {
                assert_eq!(line, text[..cut].matches('\n').count() as u64 + 1);
            }
            Err(other) => panic!("cut at {cut}: {other}"),
        }
    }
    for (from, to, line) in [
        ("version 1", "version 2", 1),
        ("4400", "0", 2),
        ("4400", "4400.5", 2),
        ("4400", "9999999999", 2),
        ("rank", "Rank", 3),
        ("clock,", "\u{FFFD},", 3),
    ] {
        let error = read(text.replacen(from, to, 1))
            .expect_err("another head")
            .to_string();
        assert!(
            error.starts_with(&format!("line {line}: expected \"")),
            "{error}"
        );
    }
    let long = head() + &"7".repeat(1 << 20);
    assert!(matches!(
        read(long),
        Err(CommandLogError::TooLong { line: 4 })
    ));
}

/// Takes so many bytes, and then no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.min(bytes.len()) {
            0 => Err(io::Error::new(io::ErrorKind::StorageFull, "no space left")),
            taken => {
                self.0 -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_and_ends_the_writing() {
    for room in [0, 10, 100_000] {
        let log = CommandLog::new(Full(room), CLOCK);
        let mut observer = log.sub_channel(0, 0);
        for at in 0..10_000 {
            observer.command(&issued(at, Command::Pde, Location::default(), None));
        }
        assert!(log.failed(), "{room}");
        let fault = log.finish().err().expect("full");
        assert_eq!(fault.kind(), io::ErrorKind::StorageFull);
        // Nothing is left to write to, and nothing fails.
        observer.command(&issued(0, Command::Pdx, Location::default(), None));
    }
    let log = CommandLog::new(Full(10), CLOCK);
    assert!(!log.failed(), "nothing has been written yet");
    assert!(log.finish().is_err());
}

fn any_issued() -> impl Strategy<Value = Issued> {
    let place = (
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<u32>(),
        any::<u16>(),
    );
    let at = prop_oneof![any::<u64>(), 0u64..1_000_000];
    let command = prop::sample::select(Command::ALL.to_vec());
    (at, command, place, any::<Option<u64>>()).prop_map(|(at, command, place, request)| {
        let [group, bank, row, column] = carried(command);
        let (pseudo_channel, rank, any_group, any_bank, any_row, any_column) = place;
        let location = Location {
            pseudo_channel,
            rank,
            group: if group { any_group } else { 0 },
            bank: if bank { any_bank } else { 0 },
            row: if row { any_row } else { 0 },
            column: if column { any_column } else { 0 },
        };
        issued(at, command, location, request)
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        commands in proptest::collection::vec((any::<u32>(), any::<u32>(), any_issued()), 0..20),
    ) {
        let back = read(written(&commands)).expect("sound");
        let lines: Vec<u64> = back.iter().map(|found| found.line).collect();
        prop_assert_eq!(lines, (4..).take(commands.len()).collect::<Vec<u64>>());
        let back = back.iter().map(|found| (found.channel, found.sub_channel, found.issued));
        prop_assert_eq!(back.collect::<Vec<_>>(), commands);
    }

    /// A changed byte is refused, or what is read says the same when it is written.
    #[test]
    fn what_is_read_is_written(
        commands in proptest::collection::vec((0u32..3, 0u32..2, any_issued()), 1..5),
        place in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), Just(b'0'), Just(b','), Just(b'\n')],
    ) {
        let mut bytes = written(&commands).into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        if let Ok(back) = read(&bytes) {
            let back: Vec<_> = back.iter().map(|found| (found.channel, found.sub_channel, found.issued)).collect();
            let reader = CommandReader::new(&bytes[..]).expect("sound");
            let log = CommandLog::new(Vec::new(), reader.clock());
            for (channel, sub_channel, issued) in &back {
                log.sub_channel(*channel, *sub_channel).command(issued);
            }
            prop_assert_eq!(log.finish().expect("a vector takes all"), bytes);
        }
    }
}
