//! Runs that are too short for what is asked of them.

use wordline_core::{Band, DramTest, IdleTest, LoadedTest, Mix, ResultSet};

use super::support::{MRDIMM, RDIMM, bandwidth, dram, idle, loaded, ran};

/// The advice of all warnings that something is short.
fn few(document: &ResultSet) -> Vec<&str> {
    let warnings = document.warnings.iter();
    let few = warnings.filter(|warning| warning.code == "few-samples");
    few.map(|warning| warning.advice.as_str()).collect()
}

#[test]
fn a_run_that_is_too_short_to_sample_refresh_says_so_once_for_each_memory() {
    let mut experiment = bandwidth(&[Mix::Reads, Mix::OneToOne], Band::None);
    dram(&mut experiment).measure_ps = 32_000_000;
    let document = ran(&experiment);
    let told = few(&document);
    assert_eq!(told.len(), 2, "{told:?}");
    for (advice, target) in told.iter().zip([RDIMM, MRDIMM]) {
        assert!(advice.starts_with(target), "{advice}");
        // REFsb. 16 may be owed and 16 be done ahead: two rounds of 33.
        assert!(advice.contains("every 487."), "{advice}");
        assert!(advice.contains("may put off 16;"), "{advice}");
        assert!(advice.contains("measure 33 us or longer"), "{advice}");
    }
    dram(&mut experiment).measure_ps = 33_000_000;
    assert_eq!(few(&ran(&experiment)), [""; 0]);
    // Without refresh there is nothing to sample.
    let workload = dram(&mut experiment);
    workload.measure_ps = 5_000_000;
    workload.settings.insert("refresh".into(), "off".into());
    assert_eq!(few(&ran(&experiment)), [""; 0]);
}

#[test]
fn a_loaded_sweep_of_few_samples_says_how_many_would_do() {
    let mut experiment = loaded(&[0, 1000]);
    dram(&mut experiment).measure_ps = 100_000_000;
    let document = ran(&experiment);
    let told = few(&document);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("500 samples a point"), "{told:?}");
    assert!(told[0].contains("ask for 100000"), "{told:?}");
}

/// A latency without load has a tail as well.
#[test]
fn what_a_tail_rests_on_is_told_in_words() {
    for (samples, words) in [
        (100, "0 of them lie beyond p99.9;"),
        (1000, "1 of them lie beyond p99.9;"),
        (3000, "3 of them lie beyond p99.9;"),
    ] {
        let mut experiment = idle();
        let workload = dram(&mut experiment);
        workload.measure_ps = 39_000_000;
        workload.test = DramTest::Idle(IdleTest { samples });
        let document = ran(&experiment);
        let told = few(&document);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(words), "{told:?}");
    }
    let mut experiment = idle();
    dram(&mut experiment).test = DramTest::Idle(IdleTest {
        samples: LoadedTest::SAMPLES,
    });
    assert_eq!(few(&ran(&experiment)), [""; 0]);
}
