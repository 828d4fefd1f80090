//! Decoding a token with a transformer whose weights are bytes: a matrix times a vector, again and again.
//!
//! The shapes are those of Llama 3 8B in proportion: a quarter as many heads for keys and values as for queries, and a
//! feed-forward part 3.5 times as wide. The weights have a scale for each row, activations are quantised as they come, one
//! scale for each vector. Each token is the first of its text, whose attention is its own value; keys and values of earlier
//! tokens would add 134 MB to the 8 GB of weights at 1,024 tokens.

use super::random::InputDraws;
use super::{AccessTracer, AddressSpace, TracedArray};

/// Layers of the model. Fewer than the 32 of the real one: all are alike.
pub(super) const LAYERS: usize = 8;

/// Bytes of a vector register.
const REGISTER: usize = 64;

/// A matrix of bytes, with a scale for each row.
#[derive(Debug)]
struct ByteMatrix {
    columns: usize,
    weights: TracedArray<i8>,
    scales: TracedArray<f32>,
}

/// A vector of bytes, with its scale.
#[derive(Debug)]
struct ByteVector {
    bytes: TracedArray<i8>,
    scale: f32,
}

/// The matrices of a layer.
#[derive(Debug)]
struct DecodeLayer {
    /// Queries, then keys, then values.
    attention: ByteMatrix,
    output: ByteMatrix,
    gate: ByteMatrix,
    up: ByteMatrix,
    down: ByteMatrix,
}

/// A model and the vectors of a token.
#[derive(Debug)]
pub struct DecodeModel {
    width: usize,
    layers: Vec<DecodeLayer>,
    /// What the layers pass on.
    pub hidden: TracedArray<f32>,
    input: ByteVector,
    wide_input: ByteVector,
    attention: TracedArray<f32>,
    gate: TracedArray<f32>,
    up: TracedArray<f32>,
    narrow: TracedArray<f32>,
}

impl ByteMatrix {
    fn new(space: &mut AddressSpace, rows: usize, columns: usize, draws: &mut InputDraws) -> Self {
        let mut weights = Vec::with_capacity(rows * columns);
        while weights.len() < rows * columns {
            // 127 of both signs; -128 is not used.
            let bytes = draws
                .next()
                .to_le_bytes()
                .map(|byte| (byte as i8).max(-127));
            weights.extend_from_slice(&bytes);
        }
        weights.truncate(rows * columns);
        // Outputs are then about as large as inputs.
        let usual = 1.0 / (74.0 * (columns as f32).sqrt());
        let scales = (0..rows).map(|_| usual * (0.5 + draws.unit() as f32));
        Self {
            columns,
            scales: space.array(scales.collect()),
            weights: space.array(weights),
        }
    }

    /// `y = W x`.
    fn times<R: AccessTracer>(&self, tracer: &mut R, x: &ByteVector, y: &mut TracedArray<f32>) {
        let known = R::Loaded::default();
        for row in 0..self.scales.len() {
            let mut sum = 0i32;
            for at in (0..self.columns).step_by(REGISTER) {
                let count = REGISTER.min(self.columns - at);
                let (weights, _) = self
                    .weights
                    .span(tracer, row * self.columns + at, count, known);
                let (inputs, _) = x.bytes.span(tracer, at, count, known);
                let products = weights.iter().zip(inputs);
                sum += products
                    .map(|(weight, input)| i32::from(*weight) * i32::from(*input))
                    .sum::<i32>();
                // Products and sums of 64 bytes are one instruction; the other is the loop, unrolled.
                tracer.compute(2);
            }
            let scale = self.scales.get(tracer, row);
            // Lanes are added, scaled and counted.
            tracer.compute(10);
            y.set(tracer, row, sum as f32 * scale * x.scale);
        }
    }
}

impl ByteVector {
    fn new(space: &mut AddressSpace, count: usize) -> Self {
        Self {
            bytes: space.filled(count, 0),
            scale: 0.0,
        }
    }

    /// Takes numbers times a factor.
    fn quantise<R: AccessTracer>(
        &mut self,
        tracer: &mut R,
        numbers: &TracedArray<f32>,
        factor: f32,
    ) {
        let known = R::Loaded::default();
        let (all, _) = numbers.span(tracer, 0, self.bytes.len(), known);
        let most = all
            .iter()
            .fold(0.0f32, |most, number| most.max(number.abs()));
        let inverse = if most > 0.0 { 127.0 / most } else { 0.0 };
        self.scale = most * factor / 127.0;
        // Sixteen numbers at a time: greatest, product, rounding, packing.
        tracer.compute(all.len().div_ceil(16) as u64 * 6);
        let to = self.bytes.span_mut(tracer, 0, all.len(), known);
        for (to, number) in to.iter_mut().zip(all) {
            *to = (number * inverse).round() as i8;
        }
    }
}

impl DecodeModel {
    /// Bytes of the weights of a layer, over the square of its width.
    pub(super) const LAYER_SQUARES: u64 = 13;

    /// A model of so wide a state, a multiple of 64, with weights from a seed.
    pub fn new(space: &mut AddressSpace, width: usize, seed: u64) -> Self {
        let mut draws = InputDraws::new(seed, 0);
        let wide = width * 7 / 2;
        let layer = |_| {
            let mut matrix = |rows, columns| ByteMatrix::new(space, rows, columns, &mut draws);
            DecodeLayer {
                attention: matrix(width * 3 / 2, width),
                output: matrix(width, width),
                gate: matrix(wide, width),
                up: matrix(wide, width),
                down: matrix(width, wide),
            }
        };
        let layers = (0..LAYERS).map(layer).collect();
        let mut draws = InputDraws::new(seed, 1);
        let hidden = (0..width).map(|_| draws.normal() as f32).collect();
        Self {
            width,
            layers,
            hidden: space.array(hidden),
            input: ByteVector::new(space, width),
            wide_input: ByteVector::new(space, wide),
            attention: space.filled(width * 3 / 2, 0.0),
            gate: space.filled(wide, 0.0),
            up: space.filled(wide, 0.0),
            narrow: space.filled(width, 0.0),
        }
    }

    /// Passes a token through all layers.
    pub fn token<R: AccessTracer>(&mut self, tracer: &mut R) {
        let width = self.width;
        for layer in &self.layers {
            let factor = norm(tracer, &self.hidden);
            self.input.quantise(tracer, &self.hidden, factor);
            layer
                .attention
                .times(tracer, &self.input, &mut self.attention);
            // A quarter of the heads has values, each for four heads of queries.
            let (values, _) =
                self.attention
                    .span(tracer, width * 5 / 4, width / 4, R::Loaded::default());
            let all: Vec<f32> = (0..width).map(|at| values[at / 4]).collect();
            let to = self.narrow.span_mut(tracer, 0, width, R::Loaded::default());
            to.copy_from_slice(&all);
            tracer.compute(width as u64 / 16);
            self.input.quantise(tracer, &self.narrow, 1.0);
            layer.output.times(tracer, &self.input, &mut self.narrow);
            add(tracer, &mut self.hidden, &self.narrow);

            let factor = norm(tracer, &self.hidden);
            self.input.quantise(tracer, &self.hidden, factor);
            layer.gate.times(tracer, &self.input, &mut self.gate);
            layer.up.times(tracer, &self.input, &mut self.up);
            gated(tracer, &mut self.gate, &self.up);
            self.wide_input.quantise(tracer, &self.gate, 1.0);
            layer.down.times(tracer, &self.wide_input, &mut self.narrow);
            add(tracer, &mut self.hidden, &self.narrow);
        }
    }
}

/// One over the root of the mean square.
fn norm<R: AccessTracer>(tracer: &mut R, numbers: &TracedArray<f32>) -> f32 {
    let (all, _) = numbers.span(tracer, 0, numbers.len(), R::Loaded::default());
    tracer.compute(all.len().div_ceil(16) as u64 * 2);
    let squares: f32 = all.iter().map(|number| number * number).sum();
    1.0 / (squares / all.len() as f32 + 1e-5).sqrt()
}

fn add<R: AccessTracer>(tracer: &mut R, to: &mut TracedArray<f32>, more: &TracedArray<f32>) {
    let known = R::Loaded::default();
    to.span(tracer, 0, more.len(), known);
    let (more, _) = more.span(tracer, 0, more.len(), known);
    tracer.compute(more.len().div_ceil(16) as u64 * 2);
    let to = to.span_mut(tracer, 0, more.len(), known);
    for (to, more) in to.iter_mut().zip(more) {
        *to += more;
    }
}

/// `gate = gate / (1 + exp(-gate)) * up`.
fn gated<R: AccessTracer>(tracer: &mut R, gate: &mut TracedArray<f32>, up: &TracedArray<f32>) {
    let known = R::Loaded::default();
    gate.span(tracer, 0, up.len(), known);
    let (up, _) = up.span(tracer, 0, up.len(), known);
    // An exponential takes some 20 instructions for 16 numbers.
    tracer.compute(up.len().div_ceil(16) as u64 * 24);
    let gate = gate.span_mut(tracer, 0, up.len(), known);
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + libm::expf(-*gate)) * up;
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoTracer;
    use super::*;

    fn plain_times(matrix: &ByteMatrix, input: &[f64]) -> Vec<f64> {
        let most = input.iter().fold(0.0f64, |most, one| most.max(one.abs()));
        let rows = matrix.weights.untraced().chunks(matrix.columns);
        let scaled = rows.zip(matrix.scales.untraced()).map(|(row, scale)| {
            let products = row.iter().zip(input).map(|(weight, input)| {
                let quantised = (input * 127.0 / most).round();
                f64::from(*weight) * quantised
            });
            products.sum::<f64>() * f64::from(*scale) * most / 127.0
        });
        scaled.collect()
    }

    fn plain_normed(hidden: &[f64]) -> Vec<f64> {
        let mean = hidden.iter().map(|one| one * one).sum::<f64>() / hidden.len() as f64;
        hidden
            .iter()
            .map(|one| one / (mean + 1e-5).sqrt())
            .collect()
    }

    /// The same token in double precision. Where a number lies between two bytes, both may round apart, so that outputs
    /// agree to a step of the quantisation and not to the last bit.
    #[test]
    fn a_token_is_that_of_the_plain_model() {
        let mut space = AddressSpace::default();
        let mut model = DecodeModel::new(&mut space, 64, 9);
        let mut hidden: Vec<f64> = model
            .hidden
            .untraced()
            .iter()
            .map(|one| f64::from(*one))
            .collect();
        for layer in &model.layers {
            let qkv = plain_times(&layer.attention, &plain_normed(&hidden));
            let values: Vec<f64> = (0..64).map(|at| qkv[80 + at / 4]).collect();
            let out = plain_times(&layer.output, &values);
            hidden
                .iter_mut()
                .zip(out)
                .for_each(|(to, more)| *to += more);
            let input = plain_normed(&hidden);
            let (gate, up) = (
                plain_times(&layer.gate, &input),
                plain_times(&layer.up, &input),
            );
            let wide: Vec<f64> = gate
                .iter()
                .zip(&up)
                .map(|(g, u)| g / (1.0 + (-g).exp()) * u)
                .collect();
            let out = plain_times(&layer.down, &wide);
            hidden
                .iter_mut()
                .zip(out)
                .for_each(|(to, more)| *to += more);
        }
        model.token(&mut NoTracer);
        let size = (hidden.iter().map(|one| one * one).sum::<f64>() / 64.0).sqrt();
        assert!(size.is_finite() && size > 0.5, "{size}");
        for (found, expected) in model.hidden.untraced().iter().zip(&hidden) {
            let off = (f64::from(*found) - expected).abs();
            assert!(off < 0.02 * size, "{found} {expected} {size}");
        }
    }

    /// A product alone is exact: whole numbers, then one rounding each.
    #[test]
    fn a_product_is_exact_but_for_rounding() {
        let mut space = AddressSpace::default();
        let mut draws = InputDraws::new(2, 0);
        let matrix = ByteMatrix::new(&mut space, 50, 100, &mut draws);
        let numbers: Vec<f32> = (0..100).map(|at| at as f32 - 27.0).collect();
        let plain = plain_times(
            &matrix,
            &numbers
                .iter()
                .map(|one| f64::from(*one))
                .collect::<Vec<_>>(),
        );
        let (numbers, mut y) = (space.array(numbers), space.filled(50, 0.0));
        let mut x = ByteVector::new(&mut space, 100);
        x.quantise(&mut NoTracer, &numbers, 1.0);
        matrix.times(&mut NoTracer, &x, &mut y);
        for (found, expected) in y.untraced().iter().zip(&plain) {
            assert!(
                (f64::from(*found) - expected).abs() < 1e-5,
                "{found} {expected}"
            );
        }
    }
}
