//! Runs a job on a file that is made for it, and prints what it came to: for a look at the cost of an access.
#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use wordline_host::storage::{
    AccessPace, AddressOrder, PlaceRequest, StorageError, StorageJob, StoragePlace, measure,
};

fn main() -> Result<(), StorageError> {
    let mut words = std::env::args().skip(1);
    let path = words.next().unwrap_or_else(|| "scratch".to_owned());
    let mut number = |usual: u64| {
        let word = words.next();
        word.and_then(|word| word.parse().ok()).unwrap_or(usual)
    };
    let (depth, accesses, reads) = (number(1), number(20_000), number(0));
    let (access_bytes, range_bytes) = (number(4096), number(256 << 20));
    let stop = AtomicBool::new(false);
    let request = PlaceRequest {
        writes: reads < 100,
        direct: true,
        may_destroy: true,
        access_bytes,
        range_bytes: Some(range_bytes),
        new_file_bytes: 0,
        seed: 1,
    };
    let place = StoragePlace::open(Path::new(&path), &request, &stop, &mut |_, _| {})?;
    let job = StorageJob {
        access_bytes,
        range_bytes,
        order: AddressOrder::Random,
        read_share: reads as f64 / 100.0,
        depth: depth as u32,
        pace: AccessPace::Closed,
        flush: None,
        calls: None,
        accesses_max: Some(accesses),
        time_max_ns: None,
        seed: 1,
    };
    let mut durations = Vec::with_capacity(accesses as usize);
    let run = measure(&place, &job, &stop, &mut |chunk| {
        durations.extend(chunk.iter().map(|one| one.end_ns - one.start_ns));
        ControlFlow::Continue(())
    })?;
    durations.sort_unstable();
    let at = |share: f64| durations[((durations.len() - 1) as f64 * share) as usize] as f64 / 1e3;
    println!(
        "{:?}, registered {}: {:.0} accesses/s, p50 {:.1} us, p99 {:.1} us, {:.2} us of processor an access",
        run.calls,
        run.is_registered,
        run.accesses as f64 / run.elapsed_ns as f64 * 1e9,
        at(0.5),
        at(0.99),
        run.processor_ns as f64 / run.accesses as f64 / 1e3,
    );
    Ok(())
}
