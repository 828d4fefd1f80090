//! Clocks, peaks and defaults, against what public sources state.

use wordline_dram::{Refresh, SameBankOrder};

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

/// By hand from the rules of gem5 and Ramulator 2: a clock of LPDDR5X-8533 takes 937.54 ps, one of HBM3-6400 625 ps. A line is two
/// bursts of 2 clocks, 4 clocks apart: CL and CWL are 2 clocks longer, and what follows bursts is twice as far.
#[test]
fn narrow_channels_have_the_clocks_of_open_simulators() {
    let config = config("lpddr5x-8533-x64-32g@laptop-soc", &[]);
    let (clock, timing) = (config.sub_channel.clock, &config.sub_channel.timing);
    assert_eq!((clock.data_rate_mts, clock.beats), (8533, 8));
    assert_eq!([timing.cl, timing.cwl, timing.burst], [23 + 2, 12 + 2, 4]);
    assert_eq!(
        [timing.rcd, timing.rp, timing.ras, timing.wr],
        [20, 20, 45, 37]
    );
    assert_eq!([timing.ccd_s, timing.ccd_l, timing.rtp], [4, 8, 4 + 8]);
    assert_eq!(
        [timing.rrd_s, timing.faw, timing.rtw],
        [6, 22, 23 + 6 + 2 - 12]
    );
    assert_eq!(
        [timing.refi_sb, timing.rfc_sb, timing.refsb_gap],
        [520, 224, 96]
    );
    assert_eq!([timing.long_command, timing.column_command], [2, 1]);
    assert_eq!(config.sub_channel.geometry.refresh_sets, 8);
    // 128 lines.
    let peak = config.peak_bytes_per_s();
    assert!((peak / (8533e6 * 16.0) - 1.0).abs() < 1e-9, "{peak}");

    let config = self::config("hbm3-6400-16g@accelerator-1stack", &[]);
    let (clock, timing) = (config.sub_channel.clock, &config.sub_channel.timing);
    assert_eq!((clock.data_rate_mts, clock.beats), (6400, 4));
    assert_eq!([timing.cl, timing.cwl, timing.burst], [26 + 2, 8 + 2, 4]);
    assert_eq!(
        [timing.rcd, timing.rp, timing.ras, timing.wr],
        [26, 26, 48, 24]
    );
    assert_eq!([timing.ccd_s, timing.ccd_l, timing.rtp], [4, 8, 4 + 6]);
    assert_eq!(
        [timing.rrd_s, timing.faw, timing.rtw],
        [8, 24, 26 + 6 + 2 - 8]
    );
    assert_eq!(
        [timing.refi_sb, timing.rfc_sb, timing.refsb_gap],
        [390, 320, 13]
    );
    assert_eq!(config.sub_channel.geometry.refresh_sets, 16);
    // 1024 lines.
    let peak = config.peak_bytes_per_s();
    assert!((peak / (6400e6 * 128.0) - 1.0).abs() < 1e-9, "{peak}");
}

/// Reads of an expander are limited by the way back of its link: 64 of 85 bytes at 32 GB/s. What is refused is named.
#[test]
fn links_clusters_and_sockets_fit_or_are_refused() {
    let target = "rdimm-4800-1rx4-32g@cxl-expander-2ch";
    let link = config(target, &[]).topology.link.expect("a link");
    assert_eq!(
        (link.bytes_per_s, link.return_bytes[0]),
        (32_000_000_000, 85)
    );
    let server = "rdimm-6400-1rx4-32g@xeon6-1s";
    assert_eq!(config(server, &[]).topology.nodes(), 1);
    assert_eq!(config(server, &[("clusters", "3")]).topology.nodes(), 3);
    let both = config("rdimm-6400-1rx4-32g@xeon6-2s", &[("remote_share", "10")]);
    assert_eq!(
        (both.channels, both.cores.cores, both.topology.nodes()),
        (24, 256, 2)
    );
    let catalog = catalog();
    for (target, name, value, words) in [
        (
            server,
            "clusters",
            "5",
            "clusters: 5 parts do not divide 12 channels",
        ),
        (
            server,
            "clusters",
            "9",
            "setting clusters: \"9\" is not allowed",
        ),
        (
            server,
            "remote_share",
            "5",
            "remote_share: is 5 %; allowed: 0 to 100, and 0 with one socket",
        ),
        (
            server,
            "link_delay",
            "soon",
            "setting link_delay: \"soon\" is not allowed",
        ),
        (
            target,
            "links",
            "3",
            "links: 3 links do not divide 2 channels",
        ),
        (
            target,
            "sockets",
            "2",
            "sockets: 2 sockets, each with channels behind links",
        ),
    ] {
        let target = catalog.module_in_system(target).expect("both exist");
        let settings = [(name.to_owned(), value.to_owned())].into();
        let error = target.connect(&settings).expect_err(name).to_string();
        assert!(error.starts_with(words), "{error}");
    }
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
    assert_eq!(policy.refresh, Refresh::SameBank);
    assert_eq!(policy.same_bank_order, SameBankOrder::IdleFirst);
    // Half of the 8 refreshes of 4 sets that may be owed.
    let out_of_time = (policy.refresh_postponed_max, policy.refresh_pulled_in_max);
    assert_eq!(out_of_time, (16, 16));
    // tREFIsb is 487.5 ns; two ranks.
    assert_eq!(policy.refresh_phase, [0, 780]);
    assert_eq!((policy.turn_lookahead, policy.bus_loss_permille), (8, 83));
    assert!(!policy.shared_queues);
    // 563 GB/s x 380 ns / 64 B / 128 = 26.
    let cores = &rdimm.cores;
    let lines = (cores.misses, cores.fill_buffers, cores.lines_per_pause);
    assert_eq!(lines, (26, Some(16), 8));
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
    assert_eq!(aligned.sub_channel.policy.refresh_phase, [0, 536, 0, 536]);
    let together = config(
        "mrdimm-8800-4rx4-128g@xeon6-1s",
        &[("refresh_stagger", "aligned")],
    );
    assert_eq!(together.sub_channel.policy.refresh_phase, [0; 4]);
    assert_eq!(together.sub_channel_at(23), together.sub_channel);
    // Of 24 sub-channels the last one, of two ranks: 1560 x 23 / 24 later.
    let last = rdimm.sub_channel_at(23).policy.refresh_phase;
    assert_eq!(last, [1495, (780 + 1495) % 1560]);
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
