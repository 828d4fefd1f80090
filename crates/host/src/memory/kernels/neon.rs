//! NEON: pairs of vectors of 16 bytes, two pairs a line. Every aarch64 processor has it.
//!
//! `stnp` is a hint alone: a processor may keep the line in its caches, and many do where the line was there already.

use super::work::{CONSTANTS, LineWork, passes, vector_work};

macro_rules! neon {
    (begin) => {
        concat!(
            "movi v16.2d, #0\n", "movi v17.2d, #0\n", "movi v18.2d, #0\n", "movi v19.2d, #0\n",
            "ld1r {{v30.2d}}, [{constants}], #8\n", "ld1r {{v31.2d}}, [{constants}]\n",
        )
    };
    (end) => { "stp q16, q17, [{sums}]\nstp q18, q19, [{sums}, #32]\n" };
    (address $stream:ident $line:literal $at:literal) => {
        concat!("[{", stringify!($stream), "}, #", $line, " + ", $at, "]\n")
    };
    (add_memory $sum:tt $stream:ident $line:literal $at:literal) => {
        concat!(neon!(load x $stream $line $at), neon!(add $sum x))
    };
    (load x $stream:ident $line:literal $at:literal) => {
        concat!("ldp q20, q21, ", neon!(address $stream $line $at))
    };
    (load y $stream:ident $line:literal $at:literal) => {
        concat!("ldp q22, q23, ", neon!(address $stream $line $at))
    };
    (store $stream:ident $line:literal $at:literal) => {
        concat!("stp q20, q21, ", neon!(address $stream $line $at))
    };
    (store_past $stream:ident $line:literal $at:literal) => {
        concat!("stnp q20, q21, ", neon!(address $stream $line $at))
    };
    (add 0 x) => { "add v16.2d, v16.2d, v20.2d\nadd v17.2d, v17.2d, v21.2d\n" };
    (add 1 x) => { "add v18.2d, v18.2d, v20.2d\nadd v19.2d, v19.2d, v21.2d\n" };
    (add 0 y) => { "add v16.2d, v16.2d, v22.2d\nadd v17.2d, v17.2d, v23.2d\n" };
    (add 1 y) => { "add v18.2d, v18.2d, v22.2d\nadd v19.2d, v19.2d, v23.2d\n" };
    (add_y) => { "add v20.2d, v20.2d, v22.2d\nadd v21.2d, v21.2d, v23.2d\n" };
    (add_one x) => { "add v20.2d, v20.2d, v30.2d\nadd v21.2d, v21.2d, v30.2d\n" };
    (multiply_add) => {
        concat!(
            "fmul v22.2d, v22.2d, v31.2d\n", "fmul v23.2d, v23.2d, v31.2d\n",
            "fadd v20.2d, v20.2d, v22.2d\n", "fadd v21.2d, v21.2d, v23.2d\n",
        )
    };
    (line $work:ident $line:literal) => {
        concat!(vector_work!(neon $work 0 $line 0), vector_work!(neon $work 1 $line 32))
    };
}

/// A pass in assembly, as `x86_walk` has it, except that each stream has its own pointer: pairs of vectors are loaded from a
/// register and a constant alone.
macro_rules! neon_walk {
    ($set:ident, $work:ident, $streams:expr, $bytes:expr, $constants:expr, $sums:expr) => {
        std::arch::asm!(
            $set!(begin),
            "subs {lines}, {lines}, #4",
            "b.lo 3f",
            ".p2align 5",
            "2:",
            $set!(line $work 0),
            $set!(line $work 64),
            $set!(line $work 128),
            $set!(line $work 192),
            "add {s0}, {s0}, #256",
            "add {s1}, {s1}, #256",
            "add {s2}, {s2}, #256",
            "add {s3}, {s3}, #256",
            "subs {lines}, {lines}, #4",
            "b.hs 2b",
            "3:",
            "adds {lines}, {lines}, #4",
            "b.eq 5f",
            "4:",
            $set!(line $work 0),
            "add {s0}, {s0}, #64",
            "add {s1}, {s1}, #64",
            "add {s2}, {s2}, #64",
            "add {s3}, {s3}, #64",
            "subs {lines}, {lines}, #1",
            "b.ne 4b",
            "5:",
            $set!(end),
            lines = inout(reg) $bytes / 64 => _,
            s0 = inout(reg) $streams[0] => _,
            s1 = inout(reg) $streams[1] => _,
            s2 = inout(reg) $streams[2] => _,
            s3 = inout(reg) $streams[3] => _,
            constants = inout(reg) $constants => _,
            sums = in(reg) $sums,
            out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _, out("v21") _,
            out("v22") _, out("v23") _, out("v30") _, out("v31") _,
            options(nostack),
        )
    };
}

passes!(neon, neon_walk, 8);
