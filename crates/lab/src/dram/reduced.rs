//! A part of a system: fewer channels and cores in proportion, so that each channel has as much to do. A line of a stream
//! meets another order of channels there, so that what a run of the part says differs a little from what the whole does.

use wordline_dram::SystemConfig;
use wordline_dram::sheet::Settings;

/// By how much systems are reduced at most where draws are judged, and where a gain has its band. Half of one differs from
/// the whole by less than chance does; a quarter is off by about as much.
pub(crate) const PART: u32 = 2;

/// Seeds by which the part is compared with the whole: on the part, and on the whole.
pub(crate) const SEEDS: [usize; 2] = [8, 4];

/// By what channels and cores can be divided alike, at most `most`: 1 where only the whole will do. So it is with several
/// sockets and behind links, which carry as much for a part; clusters need as many channels each.
pub(crate) fn parts(config: &SystemConfig, most: u32) -> u32 {
    let (channels, cores, topology) = (config.channels, config.cores.cores, &config.topology);
    if topology.sockets > 1 || topology.links > 0 {
        return 1;
    }
    let even = |part: &u32| {
        channels.is_multiple_of(*part * topology.nodes()) && cores.is_multiple_of(*part)
    };
    (1..=most).rev().find(even).unwrap_or(1)
}

/// The same settings for a part of a system with so many cores.
pub(crate) fn settings(fixed: &Settings, config: &SystemConfig, part: u32, cores: u32) -> Settings {
    let mut settings = fixed.clone();
    if part > 1 {
        settings.insert("channels".to_owned(), (config.channels / part).to_string());
        settings.insert("cores".to_owned(), cores.to_string());
    }
    settings
}

#[cfg(test)]
mod tests {
    use wordline_catalog::Catalog;

    use super::*;

    #[test]
    fn a_part_has_whole_channels_and_as_many_cores_for_each() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let target = catalog.module_in_system("rdimm-6400-2rx4-64g@xeon6-1s");
        let target = target.expect("both exist");
        let config = |channels: &str, cores: &str| {
            let settings = [("channels", channels), ("cores", cores)];
            let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
            target
                .connect(&settings.into())
                .expect("it connects")
                .config
        };
        for (channels, cores, most, part) in [
            ("12", "128", 4, 4),
            ("12", "128", 3, 2),
            ("12", "126", 4, 3),
            ("1", "12", 4, 1),
            ("12", "128", 1, 1),
        ] {
            assert_eq!(
                parts(&config(channels, cores), most),
                part,
                "{channels}, {cores}"
            );
        }
        for (target, clusters, part) in [
            ("rdimm-6400-2rx4-64g@xeon6-1s", "3", 4),
            ("rdimm-6400-2rx4-64g@xeon6-1s", "2", 2),
            ("rdimm-6400-2rx4-64g@xeon6-2s", "1", 1),
            ("rdimm-6400-1rx4-32g@cxl-expander-2ch", "1", 1),
        ] {
            let target = catalog.module_in_system(target).expect("both exist");
            let settings = [("clusters".to_owned(), clusters.to_owned())];
            let connected = target.connect(&settings.into()).expect("it connects");
            assert_eq!(parts(&connected.config, 4), part, "{clusters}");
        }
        let whole = config("12", "128");
        let half = target.connect(&settings(&Settings::new(), &whole, 2, 64));
        let half = half.expect("it connects").config;
        assert_eq!((half.channels, half.cores.cores), (6, 64));
        assert_eq!(half.sub_channel, whole.sub_channel);
    }
}
