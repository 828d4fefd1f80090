//! Clocks, peaks and defaults, against what public sources state.

use wordline_dram::Refresh;

use super::{catalog, config, timing};

/// Both columns of clocks that public sources state for JESD79-5B, for every x4 module of those rates and both bins.
#[test]
fn clocks_are_those_of_the_public_tables() {
    let catalog = catalog();
    let mut seen = 0;
    for module in catalog
        .modules()
        .filter(|module| *module.sheet.width_bits.value() == 4)
    {
        let rate = *module.sheet.dram_rate_mts.value();
        let at_6400 = match rate {
            6400 => true,
            4400 => false,
            _ => continue,
        };
        let pick = |at: [u32; 2]| if at_6400 { at[0] } else { at[1] };
        for (bin, latency) in [("A", [46, 32]), ("B", [52, 36])] {
            let timing = timing(&format!("{}@bench-1ch", module.header.id), bin);
            let latency = pick(latency);
            let expected = [
                ("CL", timing.cl, latency),
                ("tRCD", timing.rcd, latency),
                ("tRP", timing.rp, latency),
                ("CWL", timing.cwl, latency - 2),
                ("tRAS", timing.ras, pick([103, 71])),
                ("tRC", timing.rc, pick([103, 71]) + latency),
                ("tCCD_S", timing.ccd_s, 8),
                ("tCCD_L", timing.ccd_l, pick([16, 11])),
                ("tCCD_L_WR", timing.ccd_l_wr, pick([64, 44])),
                ("tRRD_S", timing.rrd_s, 8),
                ("tRRD_L", timing.rrd_l, pick([16, 11])),
                ("tFAW", timing.faw, 32),
                ("tWR", timing.wr, pick([96, 66])),
                ("tRTP", timing.rtp, pick([24, 17])),
                ("tWTR_S", timing.wtr_s, pick([8, 6])),
                ("tWTR_L", timing.wtr_l, pick([32, 22])),
                ("tPPD", timing.ppd, 2),
            ];
            for (what, is, should) in expected {
                assert_eq!(is, should, "{} bin {bin}: {what}", module.header.id);
            }
            seen += 1;
        }
    }
    assert!(seen >= 16, "{seen} modules and bins");
    // x8 writes whole ECC words: tCCD_L_WR2.
    assert_eq!(timing("rdimm-6400-2rx8-32g@bench-1ch", "B").ccd_l_wr, 32);
    assert_eq!(timing("mrdimm-8800-4rx8-64g@bench-1ch", "B").ccd_l_wr, 22);
}

/// DRAMsim3 states the clocks of its 8 Gb DDR4-3200 part one by one.
#[test]
fn ddr4_has_the_clocks_of_the_simulator_it_is_compared_with() {
    let config = config("ddr4-3200-2rx8-16g@bench-1ch", &[]);
    let timing = &config.sub_channel.timing;
    let is = [
        timing.cl,
        timing.cwl,
        timing.rcd,
        timing.rp,
        timing.ras,
        timing.rfc,
        timing.refi,
        timing.rrd_s,
        timing.rrd_l,
        timing.wtr_s,
        timing.wtr_l,
        timing.faw,
        timing.wr,
        timing.rtp,
        timing.ccd_s,
        timing.ccd_l,
        timing.pd,
        timing.xp,
    ];
    let should = [
        22, 16, 22, 22, 52, 560, 12480, 4, 8, 4, 12, 34, 24, 12, 4, 8, 8, 10,
    ];
    assert_eq!(is, should);
    assert!((config.peak_bytes_per_s() - 25.6e9).abs() < 1.0);
    // Its tRTRS of 1 is both the gap between ranks and that from reads to writes: RL + burst - WL + tRTRS = 11. The
    // standard asks for a clock more, which no setting of a DDR5 controller changes.
    let settings = [("rank_gap", "1"), ("rtw_gap", "6")];
    let timing = self::config("ddr4-3200-2rx8-16g@bench-1ch", &settings)
        .sub_channel
        .timing;
    assert_eq!((timing.burst + timing.rank_gap, timing.rtw), (5, 11 + 1));
}

#[test]
fn peaks_and_organisation_are_those_of_the_machines() {
    let rdimm = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]);
    let mrdimm = config("mrdimm-8800-2rx4-128g@xeon6-1s", &[]);
    assert!((rdimm.peak_bytes_per_s() - 614.4e9).abs() < 1.0);
    assert!((mrdimm.peak_bytes_per_s() - 844.8e9).abs() < 1.0);
    let (of_rdimm, of_mrdimm) = (&rdimm.sub_channel.geometry, &mrdimm.sub_channel.geometry);
    assert_eq!(
        (of_rdimm.pseudo_channels, of_rdimm.ranks, of_rdimm.columns),
        (1, 2, 128)
    );
    assert_eq!(
        (
            of_mrdimm.pseudo_channels,
            of_mrdimm.ranks,
            of_mrdimm.columns
        ),
        (2, 1, 128)
    );
    assert_eq!(mrdimm.sub_channel.clock.data_rate_mts, 4400);
    let stack = config("rdimm-6400-3ds-2rx4-256g@xeon6-1s", &[]);
    assert_eq!(
        (
            stack.sub_channel.geometry.ranks,
            stack.sub_channel.geometry.slices
        ),
        (4, 2)
    );
    let of_24 = config("mrdimm-8800-2rx4-96g@xeon6-1s", &[]);
    assert_eq!(of_24.sub_channel.geometry.rows, 3 << 15);
    assert_eq!(of_24.channels, 12);
}

/// The frozen baseline, and what the buffers of an MRDIMM do to the host's bus.
#[test]
fn defaults_and_pairs_are_as_documented() {
    let rdimm = config("rdimm-6400-2rx4-128g@xeon6-1s", &[]);
    let policy = &rdimm.sub_channel.policy;
    assert_eq!(policy.refresh, Refresh::AllBank);
    assert_eq!(policy.refresh_phase, [0, 6240]);
    assert!(!policy.shared_queues);
    assert_eq!(rdimm.cores.misses, 48);
    // CL - CWL + burst + gap = 2 + 8 + 4.
    assert_eq!(rdimm.sub_channel.timing.rtw, 14);
    let mrdimm = config("mrdimm-8800-2rx4-128g@xeon6-1s", &[]);
    let timing = &mrdimm.sub_channel.timing;
    // 2 + 8, 4 ns of buffers are 9 clocks, half of the gap of 4.
    assert_eq!(
        (timing.pair_burst, timing.pair_rtw, timing.rtw),
        (0, 21, 21)
    );
    // -2 + 8 - 8 whole clocks in 4 ns + half of the gap of 2: less than none.
    assert_eq!(timing.pair_wtr, 1);
    assert_eq!(mrdimm.module_delay_ps, 3000);
    let aligned = config(
        "mrdimm-8800-4rx4-128g@xeon6-1s",
        &[("pair_refresh", "aligned")],
    );
    assert_eq!(aligned.sub_channel.policy.refresh_phase, [0, 4290, 0, 4290]);
    let together = config(
        "mrdimm-8800-4rx4-128g@xeon6-1s",
        &[("refresh_stagger", "aligned")],
    );
    assert_eq!(together.sub_channel.policy.refresh_phase, [0; 4]);
    assert_eq!(together.sub_channel_at(23), together.sub_channel);
    // Of 24 sub-channels the last one, of two ranks: 12480 x 23 / 24 later.
    let last = rdimm.sub_channel_at(23).policy.refresh_phase;
    assert_eq!(last, [11_960, (6240 + 11_960) % 12_480]);
    let no_delay = [
        ("read_buffer_delay", "0 ns"),
        ("write_buffer_delay", "0 ns"),
        ("beat_return", "sequential"),
    ];
    let timing = config("mrdimm-8800-2rx4-128g@xeon6-1s", &no_delay)
        .sub_channel
        .timing;
    assert_eq!(
        (
            timing.pair_burst,
            timing.rtw,
            timing.pair_rtw,
            timing.pair_wtr
        ),
        (4, 14, 12, 7)
    );
}
