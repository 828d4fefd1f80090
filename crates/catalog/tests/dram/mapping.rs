//! Where the lines of a stream lie, and what that does to its row hits.

use std::collections::HashSet;

use wordline_dram::system::{Mix, Pattern, RunLength, Traffic, simulate};
use wordline_dram::{AddressMap, DecodedAddress};

use super::{catalog, config};

/// An order in which four lines of a row follow each other, then groups, then banks.
const PIECES: &str = "column:2 group bank pseudo-channel column rank row";

/// An order in which lines that follow each other alternate between groups.
const SCATTERED: &str = "pseudo-channel group column rank bank row";

/// Every hash that a system's sheet names.
fn hashes(target: &str) -> Vec<String> {
    let catalog = catalog();
    let target = catalog.module_in_system(target).expect("it exists");
    let mut choices = target.choices().into_iter();
    let hash = choices
        .find(|choice| choice.name == "hash")
        .expect("a choice");
    std::iter::once(hash.value)
        .chain(hash.alternatives)
        .collect()
}

/// The sub-channel of a place.
fn part(place: &DecodedAddress) -> (u32, u32) {
    (place.channel, place.sub_channel)
}

/// The bank of a place within its sub-channel, and its row.
fn row(place: &DecodedAddress) -> (u8, u8, u8, u8, u32) {
    let at = place.location;
    (at.pseudo_channel, at.rank, at.group, at.bank, at.row)
}

/// Whatever is hashed, 256 bytes lie in one row of one bank, and in every sub-channel 8 pieces that follow each other lie
/// in 8 groups, 32 in 32 banks.
#[test]
fn pieces_of_a_stream_stay_in_a_row_and_spread_over_groups_and_banks() {
    for module in [
        "rdimm-6400-2rx4-64g",
        "rdimm-6400-2rx4-96g",
        "mrdimm-8800-2rx4-64g",
    ] {
        let target = format!("{module}@xeon6-1s");
        let all = hashes(&target);
        assert!(all.len() >= 5, "{all:?}");
        for hash in &all {
            let config = config(&target, &[("address_order", PIECES), ("hash", hash)]);
            let map = AddressMap::new(&config).expect("a map");
            let parts = u64::from(config.channels * config.sub_channels);
            let round = 256 * 32 * parts;
            for start in [
                0,
                5,
                1_234_567 % (map.bytes() / round),
                map.bytes() / round - 1,
            ] {
                let mut pieces = std::collections::BTreeMap::<_, Vec<_>>::new();
                for piece in 0..32 * parts {
                    let at = start * round + piece * 256;
                    let lines =
                        [0, 64, 128, 192].map(|line| map.decode(at + line).expect("inside"));
                    for line in &lines {
                        assert_eq!(
                            (part(line), row(line)),
                            (part(&lines[0]), row(&lines[0])),
                            "{hash}"
                        );
                    }
                    pieces
                        .entry(part(&lines[0]))
                        .or_default()
                        .push(lines[0].location);
                }
                assert_eq!(
                    pieces.len() as u64,
                    parts,
                    "{hash}: every sub-channel has its share"
                );
                for of in pieces.values() {
                    assert_eq!(of.len(), 32, "{hash}");
                    for eight in of.chunks(8) {
                        let groups: HashSet<_> = eight.iter().map(|at| at.group).collect();
                        assert_eq!(groups.len(), 8, "{hash}");
                    }
                    let banks: HashSet<_> = of.iter().map(|at| (at.group, at.bank)).collect();
                    assert_eq!(banks.len(), 32, "{hash}");
                }
            }
        }
    }
}

/// Row hits of 128 cores that read streams, on one channel.
fn stream_hits(settings: &[(&str, &str)]) -> f64 {
    let all = [&[("channels", "1")], settings].concat();
    let config = config("rdimm-6400-2rx4-64g@xeon6-1s", &all);
    let traffic = Traffic {
        mix: Mix::Reads,
        pattern: Pattern::Sequential,
        delay_cycles: 0,
        load_cores: 128,
        probes: 0,
        seed: 1,
    };
    let length = RunLength {
        warm_up_ps: 5_000_000,
        measure_ps: 10_000_000,
        probe_samples: 0,
        episodes: 1,
        settle_ps: 0,
    };
    let run = simulate(&config, &traffic, &length, &|_| true)
        .expect("it runs")
        .expect("it ends");
    run.summary.row_hit_rate().expect("accesses")
}

/// Three of a piece's four lines can hit the row that the first one opens. Some do not where the lines of other cores come
/// between them. In the order that alternates between groups with every line, none does. The baseline keeps pieces.
#[test]
fn a_stream_whose_pieces_lie_in_a_row_hits_it() {
    for hash in hashes("rdimm-6400-2rx4-64g@xeon6-1s") {
        let scattered = stream_hits(&[("hash", &hash), ("address_order", SCATTERED)]);
        assert!(scattered < 0.01, "{hash}: {scattered}");
        let kept = [
            stream_hits(&[("hash", &hash), ("address_order", PIECES)]),
            stream_hits(&[("hash", &hash)]),
        ];
        for share in kept {
            assert!((0.375..=0.75).contains(&share), "{hash}: {kept:?}");
        }
    }
}
