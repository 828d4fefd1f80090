//! Speed of what plays a trace of file calls, without a memory: its calls decoded, checked and made on a file system in RAM.

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wordline_core::draw::{Purpose, draw};
use wordline_engines::{FileSystem, Open, VolatileFiles};
use wordline_trace::files::{
    FileAction, FileOpening, FileTraceForm, FileTracePreamble, FileTraceReader, FileTraceWriter,
    SyncKind, TracedFileCall, WrittenContent,
};

/// Calls of the trace.
const CALLS: u64 = 200_000;

/// Bytes of a write, and of a read.
const BYTES: u64 = 256;

/// Bytes of the file that is written and read.
const FILE: u64 = 1 << 20;

/// Writes and reads at drawn places, and every fourth call a sync.
fn trace(form: FileTraceForm) -> Vec<u8> {
    let preamble = FileTracePreamble::default();
    let mut writer = FileTraceWriter::new(Vec::new(), form, &preamble).expect("into memory");
    let mut call = |action| {
        let call = TracedFileCall {
            thread: 0,
            instructions: None,
            action,
        };
        writer.call(&call).expect("into memory");
    };
    let file = 1;
    call(FileAction::Open {
        file,
        how: FileOpening::Create,
        path: "/log".into(),
    });
    call(FileAction::Truncate { file, bytes: FILE });
    for number in 0..CALLS {
        let at = draw(1, 2, number, Purpose::Address) % (FILE - BYTES);
        call(match number % 4 {
            0 => FileAction::Sync {
                file,
                kind: SyncKind::Data,
            },
            1 => FileAction::Read {
                file,
                at,
                bytes: BYTES,
                found: BYTES,
            },
            _ => FileAction::Write {
                file,
                at,
                bytes: BYTES,
                content: WrittenContent::Drawn {
                    seed: number as u32,
                },
            },
        });
    }
    writer.finish().expect("into memory")
}

/// Decodes, and makes every call.
fn play(trace: &[u8]) -> u64 {
    let mut fs = VolatileFiles::new(2 * FILE);
    let mut open = HashMap::new();
    let mut data = vec![0; BYTES as usize];
    let mut moved = 0;
    for call in FileTraceReader::open(trace).expect("a trace") {
        match call.expect("a trace").action {
            FileAction::Open { file, path, .. } => {
                open.insert(file, fs.open(&path, Open::Create).expect("room"));
            }
            FileAction::Read { file, at, .. } => {
                moved += fs.read(open[&file], at, &mut data).expect("open") as u64;
            }
            FileAction::Write { file, at, .. } => {
                fs.write(open[&file], at, &data).expect("room");
                moved += BYTES;
            }
            FileAction::Truncate { file, bytes } => {
                fs.truncate(open[&file], bytes).expect("room");
            }
            FileAction::Sync { file, .. } => fs.sync_data(open[&file]).expect("open"),
            other => unreachable!("{other:?}"),
        }
    }
    moved
}

fn files(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("files");
    group.sample_size(20);
    group.throughput(Throughput::Elements(CALLS));
    let binary = trace(FileTraceForm::Binary);
    group.bench_function("decode", |bench| {
        bench.iter(|| {
            FileTraceReader::open(black_box(&*binary))
                .expect("a trace")
                .count()
        });
    });
    group.bench_function("decode-and-play", |bench| {
        bench.iter(|| play(black_box(&binary)));
    });
    let text = trace(FileTraceForm::Text);
    group.bench_function("decode-text", |bench| {
        bench.iter(|| {
            FileTraceReader::open(black_box(&*text))
                .expect("a trace")
                .count()
        });
    });
    group.finish();
}

criterion_group!(benches, files);
criterion_main!(benches);
