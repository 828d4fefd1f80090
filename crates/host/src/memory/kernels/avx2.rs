//! AVX2: vectors of 32 bytes, two a line.

use super::work::{CONSTANTS, LineWork, passes, vector_work};
use super::x86::x86_walk;

macro_rules! avx2 {
    (x) => { "ymm8" };
    (y) => { "ymm9" };
    (address $stream:ident $line:literal $at:literal) => {
        concat!("[{", stringify!($stream), "} + {at} + ", $line, " + ", $at, "]")
    };
    (begin) => {
        concat!(
            "vpxor xmm0, xmm0, xmm0\n", "vpxor xmm1, xmm1, xmm1\n",
            "vpxor xmm2, xmm2, xmm2\n", "vpxor xmm3, xmm3, xmm3\n",
            "vpbroadcastq ymm15, qword ptr [{constants}]\n", "vpbroadcastq ymm14, qword ptr [{constants} + 8]\n",
        )
    };
    // The upper halves are emptied, because code without AVX is slow while they are not.
    (end) => {
        concat!(
            "vmovdqu [{sums}], ymm0\n", "vmovdqu [{sums} + 32], ymm1\n",
            "vmovdqu [{sums} + 64], ymm2\n", "vmovdqu [{sums} + 96], ymm3\n", "vzeroupper\n",
        )
    };
    (add_memory $sum:literal $stream:ident $line:literal $at:literal) => {
        concat!("vpaddq ymm", $sum, ", ymm", $sum, ", ymmword ptr ", avx2!(address $stream $line $at), "\n")
    };
    (load $to:ident $stream:ident $line:literal $at:literal) => {
        concat!("vmovdqa ", avx2!($to), ", ", avx2!(address $stream $line $at), "\n")
    };
    (store $stream:ident $line:literal $at:literal) => {
        concat!("vmovdqa ", avx2!(address $stream $line $at), ", ymm8\n")
    };
    (store_past $stream:ident $line:literal $at:literal) => {
        concat!("vmovntdq ", avx2!(address $stream $line $at), ", ymm8\n")
    };
    (add $sum:literal $from:ident) => {
        concat!("vpaddq ymm", $sum, ", ymm", $sum, ", ", avx2!($from), "\n")
    };
    (add_y) => { "vpaddq ymm8, ymm8, ymm9\n" };
    (add_one x) => { "vpaddq ymm8, ymm8, ymm15\n" };
    (multiply_add) => { "vmulpd ymm9, ymm9, ymm14\nvaddpd ymm8, ymm8, ymm9\n" };
    // Sums alternate from line to line, so that no addition waits for the one before.
    (line $work:ident 64) => { avx2!(two $work 64 2 3) };
    (line $work:ident 192) => { avx2!(two $work 192 2 3) };
    (line $work:ident $line:literal) => { avx2!(two $work $line 0 1) };
    (two $work:ident $line:literal $low:literal $high:literal) => {
        concat!(vector_work!(avx2 $work $low $line 0), vector_work!(avx2 $work $high $line 32))
    };
}

passes!(avx2, x86_walk, 16);
