//! Whatever text is given as a study, it is refused with a place inside it, or read; and what is read is written
//! again as it was, and run: to a verdict for every candidate, or to a refusal in words.

use std::io::{self, BufRead, Cursor};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use wordline_catalog::{Catalog, SheetError};
use wordline_core::{Experiment, Timing, Workload};
use wordline_lab::{Control, read_study, run, write_study};

const TARGETS: [&str; 2] = ["em064lx@stm32h755-qspi", "mt29f1g01@stm32h755-qspi"];

/// Records of which a run takes a moment.
const RECORDS: std::ops::RangeInclusive<u64> = 16 << 10..=512 << 10;

const TRACE: &str = "fio version 2 iolog\na add\na open\na write 0 4096\na read 0 512\n\
                     a write 4096 4096\na close\n";

/// Panics when a promise is broken. Returns whether the study is read.
pub(crate) fn check(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    match read_study("study.toml", text) {
        Ok(experiment) => {
            written(&experiment);
            runs(experiment);
            true
        }
        Err(error) => {
            refused(text, &error);
            false
        }
    }
}

fn refused(text: &str, error: &SheetError) {
    let span = &error.span;
    assert!(
        span.start <= span.end && span.start <= text.len(),
        "{span:?}"
    );
    assert!((1..=text.matches('\n').count() + 1).contains(&error.line()));
    assert!(!error.message.is_empty());
    assert!(error.to_string().starts_with("study.toml:"), "{error}");
}

fn written(experiment: &Experiment) {
    let text = write_study(experiment).unwrap_or_default();
    match read_study("written.toml", &text) {
        Ok(again) => assert_eq!(&again, experiment, "{text}"),
        Err(error) => unreachable!("what was written is refused: {error}\n{text}"),
    }
    assert!(experiment.command_line().starts_with("wordline compare "));
}

fn embedded() -> &'static Catalog {
    static EMBEDDED: OnceLock<Catalog> = OnceLock::new();
    EMBEDDED.get_or_init(|| match Catalog::load(&[]) {
        Ok(catalog) => catalog,
        Err(error) => unreachable!("the embedded sheets are sound: {error}"),
    })
}

/// On two small targets. A study of many small records is stopped as soon as it listens.
fn runs(experiment: Experiment) {
    let mut experiment = Experiment {
        targets: TARGETS.map(str::to_owned).into(),
        timings: vec![Timing::Typ, Timing::Max],
        ..experiment
    };
    let mut stop = AtomicBool::new(true);
    if let Workload::Compare(study) = &mut experiment.workload {
        study.in_turn = false;
        stop = AtomicBool::new(!RECORDS.contains(&study.work.record.bytes()));
    }
    let open = |_: &str| -> io::Result<Box<dyn BufRead>> { Ok(Box::new(Cursor::new(TRACE))) };
    let control = Control {
        open: Some(&open),
        stop: Some(&stop),
        ..Control::default()
    };
    match run(embedded(), &experiment, &control) {
        Ok(document) => {
            assert_eq!(document.check(), Ok(()));
            assert!(!document.complete || document.verdicts.len() == 4);
            let mut verdicts = document.verdicts.iter();
            assert!(verdicts.all(|one| !one.limit.is_empty()
                && (one.value.is_some() || !one.pass || one.margin.is_none())));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
