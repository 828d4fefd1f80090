//! The interval of the median, and drift.

use super::quantile::middle;

/// Numbers of blocks, and the 97.5 % quantile of Student's t with one degree of freedom less.
///
/// The wider interval counts: 16 blocks guess their variance better, 8 are long enough for longer bursts.
const BLOCKS: [(usize, f64); 2] = [(8, 2.3646), (16, 2.1314)];
/// Blocks by which bursts are recognised.
const BURST_BLOCKS: usize = 16;
/// Half the 95 % interval of the share below the median, times the root of the number of independent batches.
const INDEPENDENT: f64 = 1.96 * 0.5;
/// Batches that a block has at least.
const LEAST_IN_BLOCK: usize = 8;
/// Blocks of a half, when the halves of a run are compared.
const BLOCKS_OF_HALF: usize = 8;
/// Of the 64 pairs of a block of the first half and one of the second, so few are out of order once in a hundred runs
/// without drift (Mann and Whitney, two-sided).
const PAIRS_OUT_OF_ORDER: usize = 7;

/// Half the interval of the median as a share of the ranks, for values in order of time.
///
/// The share of a block's values below the median is what the blocks tell apart, not the block's median: the middle of
/// block medians is not the median where bursts outlast a block.
pub(super) fn half_ranks(values: &[f64], median: f64, blocks: bool) -> f64 {
    let independent = INDEPENDENT / (values.len() as f64).sqrt();
    if !blocks {
        return independent;
    }
    let of_blocks = BLOCKS.map(|(count, student)| {
        if values.len() < count * LEAST_IN_BLOCK {
            return 0.0;
        }
        student * (variance(&shares_below(values, median, count)) / count as f64).sqrt()
    });
    of_blocks.into_iter().fold(independent, f64::max)
}

/// By how much more block shares vary than those of independent values would: 1 without bursts.
pub(super) fn burst_factor(values: &[f64], median: f64) -> f64 {
    let independent = 0.25 * BURST_BLOCKS as f64 / values.len() as f64;
    variance(&shares_below(values, median, BURST_BLOCKS)) / independent
}

/// Share of each of `count` blocks that lies below the median; values equal to it count half.
fn shares_below(values: &[f64], median: f64, count: usize) -> Vec<f64> {
    let share = |block: &[f64]| {
        let below = block.iter().filter(|value| **value < median).count();
        let equal = block.iter().filter(|value| **value == median).count();
        (below as f64 + 0.5 * equal as f64) / block.len() as f64
    };
    blocks(values, count).map(share).collect()
}

/// `count` contiguous blocks of nearly equal length.
fn blocks(values: &[f64], count: usize) -> impl Iterator<Item = &[f64]> {
    let edge = move |block: usize| block * values.len() / count;
    (0..count).map(move |block| &values[edge(block)..edge(block + 1)])
}

fn variance(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (count - 1.0)
}

/// Ranks, from 0, of the values that bound the median of `count` values.
pub(super) fn rank_bounds(count: usize, half: f64) -> (usize, usize) {
    let n = count as f64;
    let low = (n * (0.5 - half)).floor() - 1.0;
    let high = (n * (0.5 + half)).ceil();
    (
        low.max(0.0) as usize,
        (high.max(0.0) as usize).min(count - 1),
    )
}

/// Relative change of the median from the first half to the second, where it is no accident.
pub(super) fn drift(values: &[f64]) -> Option<f64> {
    let of_block = |block: &[f64]| middle(&mut block.to_vec());
    let medians: Vec<f64> = blocks(values, 2 * BLOCKS_OF_HALF).map(of_block).collect();
    let (first, second) = medians.split_at(BLOCKS_OF_HALF);
    let pairs = || {
        first
            .iter()
            .flat_map(|a| second.iter().map(move |b| (a, b)))
    };
    let falling = pairs().filter(|(a, b)| a > b).count();
    let rising = pairs().filter(|(a, b)| a < b).count();
    let equal = BLOCKS_OF_HALF * BLOCKS_OF_HALF - falling - rising;
    if falling.min(rising) + equal > PAIRS_OUT_OF_ORDER {
        return None;
    }
    let (before, after) = values.split_at(values.len() / 2);
    let (before, after) = (of_block(before), of_block(after));
    (before > 0.0).then(|| after / before - 1.0)
}
