use super::sample::rdimm_6400;
use super::tests::one_channel;
use super::{Mix, Pattern, RunLength, Traffic, simulate};

#[test]
#[ignore]
fn explore() {
    let mut config = one_channel(rdimm_6400());
    if std::env::var("PAGE2M").is_ok() {
        config.cores.page_bytes = 2 << 20;
    }
    let seeds: u64 = std::env::var("SEEDS").map_or(20, |s| s.parse().unwrap());
    for delay_cycles in [400u64, 80, 50, 42, 38, 36, 34, 0] {
        for samples in [1250u64] {
            let length = RunLength {
                warm_up_ps: 23_400_000,
                measure_ps: 20_000_000,
                probe_samples: samples,
            };
            let runs: Vec<_> = (0..seeds)
                .map(|seed| {
                    let traffic = Traffic {
                        mix: Mix::Reads,
                        pattern: Pattern::Sequential,
                        delay_cycles,
                        load_cores: 10,
                        probes: 4,
                        seed,
                    };
                    let run = simulate(&config, &traffic, &length, &|_| true)
                        .unwrap()
                        .unwrap();
                    let p = run.probe.clone().unwrap();
                    (
                        p.mean_ps / 1e3,
                        p.confidence_ps / 1e3,
                        p.batches,
                        p.correlation,
                        run.bytes_per_s() / 1e9,
                        run.duration_ps,
                    )
                })
                .collect();
            let n = runs.len() as f64;
            let mean = runs.iter().map(|r| r.0).sum::<f64>() / n;
            let sd = (runs.iter().map(|r| (r.0 - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            let conf = runs.iter().map(|r| r.1).sum::<f64>() / n;
            let held = runs.iter().filter(|r| (r.0 - mean).abs() <= r.1).count();
            let corr = runs.iter().map(|r| r.3).sum::<f64>() / n;
            let gb = runs.iter().map(|r| r.4).sum::<f64>() / n;
            eprintln!(
                "delay {delay_cycles:4} samples {samples:6}: {gb:.1} GB/s mean {mean:.1} sd between seeds {sd:.2} conf {conf:.2} (1.96 sd = {:.2}) held {held}/{seeds} corr {corr:.2} batches {} us {}",
                1.96 * sd,
                runs[0].2,
                runs[0].5 / 1_000_000
            );
        }
    }
}
