//! SSE2: vectors of 16 bytes, four a line. Every x86_64 processor has it.

use super::work::{CONSTANTS, LineWork, passes, vector_work};
use super::x86::x86_walk;

macro_rules! sse2 {
    (x) => { "xmm8" };
    (y) => { "xmm9" };
    (address $stream:ident $line:literal $at:literal) => { concat!("[{", stringify!($stream), "} + {at} + ", $line, " + ", $at, "]") };
    (begin) => {
        concat!(
            "pxor xmm0, xmm0\n", "pxor xmm1, xmm1\n", "pxor xmm2, xmm2\n", "pxor xmm3, xmm3\n",
            "movq xmm15, qword ptr [{constants}]\n", "punpcklqdq xmm15, xmm15\n",
            "movq xmm14, qword ptr [{constants} + 8]\n", "punpcklqdq xmm14, xmm14\n",
        )
    };
    (end) => {
        concat!(
            "movdqu [{sums}], xmm0\n", "movdqu [{sums} + 16], xmm1\n",
            "movdqu [{sums} + 32], xmm2\n", "movdqu [{sums} + 48], xmm3\n",
        )
    };
    (add_memory $sum:literal $stream:ident $line:literal $at:literal) => {
        concat!("paddq xmm", $sum, ", xmmword ptr ", sse2!(address $stream $line $at), "\n")
    };
    (load $to:ident $stream:ident $line:literal $at:literal) => {
        concat!("movdqa ", sse2!($to), ", ", sse2!(address $stream $line $at), "\n")
    };
    (store $stream:ident $line:literal $at:literal) => { concat!("movdqa ", sse2!(address $stream $line $at), ", xmm8\n") };
    (store_past $stream:ident $line:literal $at:literal) => { concat!("movntdq ", sse2!(address $stream $line $at), ", xmm8\n") };
    (add $sum:literal $from:ident) => { concat!("paddq xmm", $sum, ", ", sse2!($from), "\n") };
    (add_y) => { "paddq xmm8, xmm9\n" };
    (add_one x) => { "paddq xmm8, xmm15\n" };
    (multiply_add) => { "mulpd xmm9, xmm14\naddpd xmm8, xmm9\n" };
    (line $work:ident $line:literal) => {
        concat!(
            vector_work!(sse2 $work 0 $line 0), vector_work!(sse2 $work 1 $line 16),
            vector_work!(sse2 $work 2 $line 32), vector_work!(sse2 $work 3 $line 48),
        )
    };
}

passes!(sse2, x86_walk, 8);
