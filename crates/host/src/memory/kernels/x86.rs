//! The loop around a line's work on x86_64, which SSE2, AVX2 and AVX-512 share.

/// A pass in assembly over lines of up to four streams, for the set of instructions `$set` and the work `$work`.
///
/// One index counts up for all streams. A turn of the loop is four lines, each whole before the next; what is left goes
/// line by line. Sums are kept in `xmm0` to `xmm3` and their wider forms, and stored behind `sums` at the end.
macro_rules! x86_walk {
    ($set:ident, $work:ident, $streams:expr, $bytes:expr, $constants:expr, $sums:expr) => {
        std::arch::asm!(
            $set!(begin),
            "cmp {at}, {turns}",
            "jae 3f",
            ".p2align 5",
            "2:",
            $set!(line $work 0),
            $set!(line $work 64),
            $set!(line $work 128),
            $set!(line $work 192),
            "add {at}, 256",
            "cmp {at}, {turns}",
            "jb 2b",
            "3:",
            "cmp {at}, {bytes}",
            "jae 5f",
            "4:",
            $set!(line $work 0),
            "add {at}, 64",
            "cmp {at}, {bytes}",
            "jb 4b",
            "5:",
            $set!(end),
            // Names every stream, because work on fewer leaves the others unused.
            "/* {s0} {s1} {s2} {s3} */",
            at = inout(reg) 0usize => _,
            turns = in(reg) $bytes & !255,
            bytes = in(reg) $bytes,
            s0 = in(reg) $streams[0],
            s1 = in(reg) $streams[1],
            s2 = in(reg) $streams[2],
            s3 = in(reg) $streams[3],
            constants = in(reg) $constants,
            sums = in(reg) $sums,
            // All sixteen, because `vzeroupper` empties the upper halves of each.
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nostack),
        )
    };
}

pub(super) use x86_walk;
