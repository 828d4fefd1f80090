//! AVX-512 (the part named F): one vector is a line.

use super::work::{CONSTANTS, LineWork, passes, vector_work};
use super::x86::x86_walk;

macro_rules! avx512 {
    (x) => { "zmm8" };
    (y) => { "zmm9" };
    (address $stream:ident $line:literal $at:literal) => {
        concat!("[{", stringify!($stream), "} + {at} + ", $line, " + ", $at, "]")
    };
    (begin) => {
        concat!(
            "vpxor xmm0, xmm0, xmm0\n", "vpxor xmm1, xmm1, xmm1\n",
            "vpxor xmm2, xmm2, xmm2\n", "vpxor xmm3, xmm3, xmm3\n",
            "vpbroadcastq zmm15, qword ptr [{constants}]\n", "vpbroadcastq zmm14, qword ptr [{constants} + 8]\n",
        )
    };
    // The upper halves are emptied, because code without AVX is slow while they are not.
    (end) => {
        concat!(
            "vmovdqu64 [{sums}], zmm0\n", "vmovdqu64 [{sums} + 64], zmm1\n",
            "vmovdqu64 [{sums} + 128], zmm2\n", "vmovdqu64 [{sums} + 192], zmm3\n", "vzeroupper\n",
        )
    };
    (add_memory $sum:literal $stream:ident $line:literal $at:literal) => {
        concat!("vpaddq zmm", $sum, ", zmm", $sum, ", zmmword ptr ", avx512!(address $stream $line $at), "\n")
    };
    (load $to:ident $stream:ident $line:literal $at:literal) => {
        concat!("vmovdqa64 ", avx512!($to), ", ", avx512!(address $stream $line $at), "\n")
    };
    (store $stream:ident $line:literal $at:literal) => {
        concat!("vmovdqa64 ", avx512!(address $stream $line $at), ", zmm8\n")
    };
    (store_past $stream:ident $line:literal $at:literal) => {
        concat!("vmovntdq ", avx512!(address $stream $line $at), ", zmm8\n")
    };
    (add $sum:literal $from:ident) => {
        concat!("vpaddq zmm", $sum, ", zmm", $sum, ", ", avx512!($from), "\n")
    };
    (add_y) => { "vpaddq zmm8, zmm8, zmm9\n" };
    (add_one x) => { "vpaddq zmm8, zmm8, zmm15\n" };
    (multiply_add) => { "vmulpd zmm9, zmm9, zmm14\nvaddpd zmm8, zmm8, zmm9\n" };
    // Sums alternate from line to line, so that no addition waits for the one before.
    (line $work:ident 0) => { vector_work!(avx512 $work 0 0 0) };
    (line $work:ident 64) => { vector_work!(avx512 $work 1 64 0) };
    (line $work:ident 128) => { vector_work!(avx512 $work 2 128 0) };
    (line $work:ident 192) => { vector_work!(avx512 $work 3 192 0) };
}

passes!(avx512, x86_walk, 32);
