//! Which rules of the checker must notice that a rule of the engine is a clock short. Written by hand: every rule whose
//! distance the field is a part of.

/// The end of written data, and what counts from there.
macro_rules! write_recovery {
    ($($more:literal),*) => {
        &[
            "tWR", "tWRPDEN", "tWTRA", "tRP, auto", "tRP to REFab, auto", "tRP to REFsb, auto", "tPRPDEN, auto", $($more),*
        ]
    };
}

/// By field of the engine's timings.
pub(crate) const GUARDS: [(&str, &[&str]); 41] = [
    ("cl", &["tRDPDEN"]),
    (
        "cwl",
        write_recovery![
            "tWTR_L",
            "tWTR_M",
            "tWTR_S",
            "tWTR_S, other slice",
            "WR to RD, other rank"
        ],
    ),
    (
        "burst",
        write_recovery![
            "tWTR_L",
            "tWTR_M",
            "tWTR_S",
            "tWTR_S, other slice",
            "WR to RD, other rank",
            "RD to RD, other rank",
            "WR to WR, other rank",
            "tRDPDEN"
        ],
    ),
    ("rcd", &["tRCD"]),
    (
        "rp",
        &[
            "tRP",
            "tRP, auto",
            "tRP to REFab",
            "tRP to REFab, auto",
            "tRP to REFsb",
            "tRP to REFsb, auto",
        ],
    ),
    (
        "ras",
        &[
            "tRAS",
            "tRP to REFab, auto",
            "tRP to REFsb, auto",
            "tPRPDEN, auto",
        ],
    ),
    ("rc", &["tRC"]),
    (
        "rtp",
        &[
            "tRTP",
            "tRP, auto",
            "tRP to REFab, auto",
            "tRP to REFsb, auto",
            "tPRPDEN, auto",
        ],
    ),
    ("wr", write_recovery![]),
    ("ccd_s", &["tCCD_S", "tCCD_S, other slice"]),
    ("ccd_m", &["tCCD_M"]),
    ("ccd_l", &["tCCD_L"]),
    ("ccd_s_wr", &["tCCD_S_WR", "tCCD_S_WR, other slice"]),
    ("ccd_m_wr", &["tCCD_M_WR"]),
    ("ccd_l_wr", &["tCCD_L_WR"]),
    ("wtr_s", &["tWTR_S", "tWTR_S, other slice"]),
    ("wtr_m", &["tWTR_M"]),
    ("wtr_l", &["tWTR_L"]),
    ("rtw", &["RD to WR", "RD to WR, other rank"]),
    ("rrd_s", &["tRRD_S"]),
    ("rrd_l", &["tRRD_L", "tRRD_L to REFsb"]),
    ("faw", &["tFAW"]),
    ("ppd", &["tPPD"]),
    ("rrd_dlr", &["tRRD_dlr"]),
    ("faw_dlr", &["tFAW_dlr"]),
    (
        "rank_gap",
        &[
            "RD to RD, other rank",
            "WR to WR, other rank",
            "RD to WR, other rank",
            "WR to RD, other rank",
        ],
    ),
    ("pair_burst", &["RD to RD, pair", "WR to WR, pair"]),
    ("pair_rtw", &["RD to WR, pair"]),
    ("pair_wtr", &["WR to RD, pair"]),
    ("refi", &["refresh in advance"]),
    ("rfc", &["tRFC"]),
    ("rfc_dlr", &["tRFC_dlr"]),
    ("refi_sb", &["refresh in advance"]),
    ("rfc_sb", &["tRFCsb", "tRFCsb to REFsb", "tRFCsb to PDE"]),
    ("refsb_gap", &["REFsb to REFsb"]),
    ("refsbrd", &["tREFSBRD"]),
    ("pd", &["tPD"]),
    ("xp", &["tXP"]),
    ("pden", &["tACTPDEN", "tPRPDEN", "tPRPDEN, auto"]),
    ("long_command", &["command bus"]),
    ("column_command", &["command bus"]),
];

/// Fields of which one clock less cannot be seen at the numbers of DDR5, and why.
pub(crate) const HIDDEN: [(&str, &str); 8] = [
    ("rc", "tRC is tRAS + tRP, which hold as well"),
    ("ccd_s", "equals the burst; the engine refuses less"),
    ("ccd_l", "equals tCCD_M; the engine refuses less"),
    ("ccd_s_wr", "equals the burst; the engine refuses less"),
    ("ccd_l_wr", "equals tCCD_M_WR; the engine refuses less"),
    ("wtr_l", "equals tWTR_M; the engine refuses less"),
    ("faw", "equals four times tRRD_S"),
    ("faw_dlr", "equals four times tRRD_dlr"),
];

/// Rules that decide nothing by themselves at the numbers of DDR5, and why.
pub(crate) const NEVER_ALONE: [(&str, &str); 5] = [
    ("tRC", "equals tRAS + tRP"),
    ("tFAW", "equals four times tRRD_S"),
    ("tFAW_dlr", "equals four times tRRD_dlr"),
    (
        "tACTPDEN",
        "who opens a row has a request for it: RD or WR, and what they ask for, come between",
    ),
    (
        "tRFCsb to REFsb",
        "other banks have their turn between, each tRFCsb long",
    ),
];

/// Fields of which one clock more may go unseen, and why.
pub(crate) const UNSEEN_MORE: [(&str, &str); 4] = [
    (
        "refi",
        "one clock in an interval takes longer to add up than the test lasts: see duties",
    ),
    (
        "refi_sb",
        "one clock in an interval takes longer to add up than the test lasts: see duties",
    ),
    ("long_command", "the engine refuses three slots"),
    ("column_command", "the engine refuses three slots"),
];
