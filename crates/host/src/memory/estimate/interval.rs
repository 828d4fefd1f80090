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
///
/// Blocks begin where an episode does, which are the places in `starts`: batches between two interruptions share what the
/// last one left. Blocks that are not equally long count by their length.
pub(super) fn half_ranks(values: &[f64], median: f64, starts: &[usize], blocks: bool) -> f64 {
    let independent = INDEPENDENT / (values.len() as f64).sqrt();
    if !blocks {
        return independent;
    }
    let of_blocks = BLOCKS.map(|(count, student)| {
        if values.len() < count * LEAST_IN_BLOCK {
            return 0.0;
        }
        let edges = edges(values.len(), count, starts);
        student * clustered_error(values, median, &edges)
    });
    of_blocks.into_iter().fold(independent, f64::max)
}

/// Places at which `count` blocks begin and end: those of episodes that lie nearest to equal parts. Where one episode is longer
/// than a part, it is cut.
fn edges(len: usize, count: usize, starts: &[usize]) -> Vec<usize> {
    let mut edges = vec![0];
    for block in 1..count {
        let even = block * len / count;
        let next = starts.partition_point(|start| *start < even);
        let near = starts[next.saturating_sub(1)..starts.len().min(next + 1)].iter();
        let near = near.min_by_key(|start| start.abs_diff(even)).copied();
        let last = edges[edges.len() - 1];
        // Half a part away an edge would leave its neighbours a sliver.
        let fits = |edge: &usize| edge.abs_diff(even) <= len / count / 2 && *edge > last;
        edges.push(near.filter(fits).unwrap_or(even));
    }
    edges.push(len);
    edges
}

/// Standard error of the share of values below the median, of blocks that are alike inside.
fn clustered_error(values: &[f64], median: f64, edges: &[usize]) -> f64 {
    let all = share_below(values, median);
    let off = |pair: &[usize]| {
        let block = &values[pair[0]..pair[1]];
        (block.len() as f64 * (share_below(block, median) - all)).powi(2)
    };
    let squares: f64 = edges.windows(2).map(off).sum();
    let count = (edges.len() - 1) as f64;
    (squares * count / (count - 1.0)).sqrt() / values.len() as f64
}

/// By how much more block shares vary than those of independent values would: 1 without bursts.
pub(super) fn burst_factor(values: &[f64], median: f64) -> f64 {
    let independent = 0.25 * BURST_BLOCKS as f64 / values.len() as f64;
    variance(&shares_below(values, median, BURST_BLOCKS)) / independent
}

/// Share of each of `count` blocks that lies below the median.
fn shares_below(values: &[f64], median: f64, count: usize) -> Vec<f64> {
    let share = |block: &[f64]| share_below(block, median);
    blocks(values, count).map(share).collect()
}

/// Share of values below the median; those equal to it count half.
fn share_below(values: &[f64], median: f64) -> f64 {
    let below = values.iter().filter(|value| **value < median).count();
    let equal = values.iter().filter(|value| **value == median).count();
    (below as f64 + 0.5 * equal as f64) / values.len().max(1) as f64
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
