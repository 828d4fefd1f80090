//! A module in a system: one configuration of whole numbers.

use wordline_core::Sourced;
use wordline_core::quantity::{Quantity, Time};

use super::currents;
use super::die::{CurrentSet, Die};
use super::labelled::{
    BoundedCount, LossShare, PairRefresh, PowerDown, RefreshMode, RefreshRate, RefreshStagger,
    RowPolicyChoice, SameBankChoice, SettingError, Settings, Sharing, SheetChoice, Switch,
    pick_optional, pick_or, set,
};
use super::module::{self, Module, RankPair};
use super::system::{self, LinkSheet, System};
use super::timing::{DataBuffers, TimingBasis, Turnarounds};
use super::{BeatReturn, mapping};
use crate::config::{
    self, ChannelGeometry, ClockDomain, CoreConfig, LinkConfig, PagePolicy, Policy, Refresh,
    RefreshManagement, SameBankOrder, SubChannelConfig, SystemConfig, Topology,
};
use crate::energy::Currents;
use crate::mapping::AddressMap;
use crate::scheduler::SchedulerName;
use crate::timing::Timing;

/// REFab commands that a rank may owe, or do ahead: JESD79-5 allows four in normal refresh mode.
const OUT_OF_TIME_MAX: u32 = 4;

/// Slots of a data bus that what the platform does by itself may wait for an idle bus.
const LOSS_WAITS_MAX: u32 = 16;

/// A module in a system, ready to be simulated.
#[derive(Clone, Debug)]
pub struct Connected {
    /// Timing, geometry, controllers, mapping and cores.
    pub config: SystemConfig,
    /// What its turnarounds were made of, for those who reckon them anew.
    pub turnarounds: Turnarounds,
    /// Sets of currents with their names: the chosen one first, the others for the band of energies.
    pub currents: Vec<(String, Currents)>,
}

/// Every undisclosed parameter of a module with its dies in a system, the system's first. A distance for which the dies
/// have a rule of their own, as DDR4 has for reads before writes, is no choice of the controller.
#[must_use]
pub fn choices(module: &Module, die: &Die, system: &System) -> Vec<SheetChoice> {
    let mut choices = system.choices();
    choices.retain(|choice| choice.name != "rtw_gap" || die.rules.rtw_gap.is_none());
    choices.extend(module.choices());
    choices
}

/// Every name must be that of a choice.
///
/// # Errors
/// With the first name that is none.
pub fn check_settings(settings: &Settings) -> Result<(), SettingError> {
    let mut names: Vec<_> = system::NAMES.into_iter().chain(module::NAMES).collect();
    match settings.keys().find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            names.sort_unstable();
            Err(SettingError::Unknown {
                name: name.clone(),
                allowed: names.into_iter().map(str::to_owned).collect(),
            })
        }
    }
}

/// The settings that a module with its dies in a system has no use for: those of links or data buffers that they do not
/// have, and of distances that their dies fix.
#[must_use]
pub fn unused_settings(
    module: &Module,
    die: &Die,
    system: &System,
    settings: &Settings,
) -> Vec<SettingError> {
    let link = "of a link, which the system does not have";
    let buffers = "of the data buffers of an MRDIMM";
    let no_link = system.link.is_none();
    let no_links = system.link.as_ref().is_none_or(|link| link.links.is_none());
    let no_pair = module.pair.is_none();
    let all = [
        (
            "links",
            "of links in front of the channels, which the system does not have",
            no_links,
        ),
        ("link_delay", link, no_link),
        ("link_gb_per_s", link, no_link),
        ("link_read_request", link, no_link),
        ("link_write_request", link, no_link),
        ("link_read_return", link, no_link),
        ("link_write_return", link, no_link),
        ("beat_return", buffers, no_pair),
        ("read_buffer_delay", buffers, no_pair),
        ("write_buffer_delay", buffers, no_pair),
        (
            "rtw_gap",
            "of a controller whose dies leave it open",
            die.rules.rtw_gap.is_some(),
        ),
    ];
    let unused = all.into_iter();
    let unused = unused.filter(|(name, _, unused)| *unused && settings.contains_key(*name));
    unused
        .map(|(name, of, _)| SettingError::Unused { name, of })
        .collect()
}

/// Puts a module with its dies into a system.
///
/// Settings override what the sheets choose. One that module or dies have no use for, such as how an MRDIMM's beats
/// return on an RDIMM, is checked and changes nothing, so that one set of settings serves modules side by side.
///
/// # Errors
/// When a setting has no such name or value, or when sheets and settings do not fit each other; the message names
/// the setting, or the key in the module's sheet, and what is allowed.
pub fn connect(
    module: &Module,
    die: &Die,
    system: &System,
    settings: &Settings,
) -> Result<Connected, SettingError> {
    check_settings(settings)?;
    check_kind(module, system)?;
    if let Some(problem) = module.problems_with(die).into_iter().next() {
        return Err(unfit(&format!("dimm.{}", problem.path), problem.message));
    }
    let connection = Connection {
        module,
        die,
        system,
        settings,
    };
    let config = connection.config()?;
    let turnarounds = connection.turnarounds()?;
    Ok(Connected {
        currents: connection.currents(&config)?,
        config,
        turnarounds,
    })
}

/// A system has slots for some kinds of modules, where its sheet says so.
fn check_kind(module: &Module, system: &System) -> Result<(), SettingError> {
    let kind = module.kind.value();
    let Some(slots) = system.modules.as_ref().map(Sourced::value) else {
        return Ok(());
    };
    if slots.contains(kind) {
        return Ok(());
    }
    let allowed: Vec<_> = slots.iter().map(|kind| kind.name()).collect();
    let (kind, allowed) = (kind.name(), allowed.join(", "));
    Err(unfit(
        "dimm.kind",
        format!("the system takes no module of kind {kind}; allowed: {allowed}"),
    ))
}

struct Connection<'a> {
    module: &'a Module,
    die: &'a Die,
    system: &'a System,
    settings: &'a Settings,
}

impl Connection<'_> {
    fn config(&self) -> Result<SystemConfig, SettingError> {
        let (system, module, settings) = (self.system, self.module, self.settings);
        let geometry = self.geometry()?;
        let clock = self.clock();
        let turnarounds = self.turnarounds()?;
        let timing = self.timing(turnarounds)?;
        let policy = self.policy(&geometry, &timing)?;
        let topology = self.topology()?;
        let channels = system.channels.pick("channels", settings)?.get() * topology.sockets;
        let cores = self.cores(topology.sockets)?;
        if let Err(error) = topology.check(channels, cores.cores) {
            let what = match error.what.trim_start_matches("topology.") {
                "remote_percent" => "remote_share",
                what => what,
            };
            return Err(unfit(what, error.problem));
        }
        let sub_channels = u32::from(*module.sub_channels.value());
        let bytes = system
            .mapping
            .interleave_bytes
            .pick("interleave_bytes", settings)?
            .get();
        if !bytes.is_multiple_of(64) {
            return Err(unfit(
                "interleave_bytes",
                format!("{bytes} B is no multiple of a line; allowed: 64 times a power of two"),
            ));
        }
        let order = system
            .mapping
            .address_order
            .pick("address_order", settings)?;
        let hash = system.mapping.hash.pick("hash", settings)?;
        let mapping = mapping::mapping(
            &order,
            bytes / 64,
            hash,
            [channels, topology.nodes()],
            sub_channels,
            &geometry,
        )?;
        let register = module.register_delay.pick("register_delay", settings)?;
        let buffer = turnarounds
            .buffers
            .map_or(Time::ZERO, |buffers| buffers.read_delay);
        let config = SystemConfig {
            channels,
            sub_channels,
            sub_channel: SubChannelConfig {
                clock,
                geometry,
                timing,
                policy,
            },
            mapping,
            refresh_stagger: self.stagger()?,
            module_delay_ps: register.ps() + buffer.ps(),
            cores,
            topology,
        };
        AddressMap::new(&config).map_err(|error| unfit(error.what, error.problem))?;
        Ok(config)
    }

    /// Sockets, clusters and links.
    fn topology(&self) -> Result<Topology, SettingError> {
        let (system, settings) = (self.system, self.settings);
        let sockets = pick_optional(system.sockets.as_ref(), "sockets", settings)?
            .map_or(1, BoundedCount::get);
        let clusters = pick_optional(system.clusters.as_ref(), "clusters", settings)?
            .map_or(1, BoundedCount::get);
        let remote_percent = pick_optional(system.remote_share.as_ref(), "remote_share", settings)?
            .map_or(0, BoundedCount::get);
        let (links, link) = match &system.link {
            Some(sheet) => self.link(sheet, sockets)?,
            None => {
                self.check_link_settings()?;
                (0, None)
            }
        };
        if remote_percent > 0 && link.is_none() && sockets > 1 {
            return Err(unfit(
                "remote_share",
                format!(
                    "{remote_percent} % of the pages lie in another socket, and the system has no [host.link] to it; allowed: 0"
                ),
            ));
        }
        Ok(Topology {
            sockets,
            clusters,
            remote_percent,
            links,
            link: link.filter(|_| links > 0 || remote_percent > 0),
        })
    }

    /// How many links the channels stand behind, and what each is.
    fn link(
        &self,
        sheet: &LinkSheet,
        sockets: u32,
    ) -> Result<(u32, Option<LinkConfig>), SettingError> {
        let settings = self.settings;
        let links = match &sheet.links {
            Some(links) => links.pick("links", settings)?.get(),
            None => 0,
        };
        if links > 0 && sockets > 1 {
            return Err(unfit(
                "sockets",
                format!(
                    "{sockets} sockets, each with channels behind links, are not modelled; allowed: 1"
                ),
            ));
        }
        let link = LinkConfig {
            delay_ps: sheet.delay.pick("link_delay", settings)?.ps(),
            bytes_per_s: u64::from(sheet.gb_per_s.pick("link_gb_per_s", settings)?.get())
                * 1_000_000_000,
            request_bytes: [
                sheet
                    .read_request
                    .pick("link_read_request", settings)?
                    .get(),
                sheet
                    .write_request
                    .pick("link_write_request", settings)?
                    .get(),
            ],
            return_bytes: [
                sheet.read_return.pick("link_read_return", settings)?.get(),
                sheet
                    .write_return
                    .pick("link_write_return", settings)?
                    .get(),
            ],
        };
        Ok((links, Some(link)))
    }

    /// Settings of links are checked on every system.
    fn check_link_settings(&self) -> Result<(), SettingError> {
        let settings = self.settings;
        set::<BoundedCount<1, 64>>("links", settings)?;
        set::<Time>("link_delay", settings)?;
        set::<BoundedCount<1, 10_000>>("link_gb_per_s", settings)?;
        for name in [
            "link_read_request",
            "link_write_request",
            "link_read_return",
            "link_write_return",
        ] {
            set::<BoundedCount<1, 1024>>(name, settings)?;
        }
        Ok(())
    }

    fn clock(&self) -> ClockDomain {
        let rate = *self.module.dram_rate_mts.value();
        self.die.standard.value().clock(rate)
    }

    /// Bursts that carry a line.
    fn bursts(&self) -> u32 {
        let bits =
            u32::from(*self.module.data_bits.value()) * u32::from(*self.die.burst_length.value());
        512_u32.div_ceil(bits.max(1))
    }

    fn geometry(&self) -> Result<ChannelGeometry, SettingError> {
        let (module, die) = (self.module, self.die);
        let width = *module.width_bits.value();
        let organization = self.organization()?;
        let row_bytes = organization.page_bytes.nominal().bytes()
            * u64::from(*module.data_bits.value())
            / u64::from(width);
        let slices = *module.slices.value();
        let pseudo_channels = module.pseudo_channels();
        let logical = u16::from(module.ranks.value() / pseudo_channels) * u16::from(slices);
        Ok(ChannelGeometry {
            pseudo_channels,
            ranks: u8::try_from(logical).map_err(|_| {
                unfit(
                    "dimm.ranks",
                    format!("{logical} logical ranks; allowed: up to 255"),
                )
            })?,
            slices,
            groups: *die.groups.value(),
            banks: *die.banks.value(),
            refresh_sets: die.refresh_sets(),
            rows: *organization.rows.value(),
            columns: u16::try_from(row_bytes / 64).unwrap_or(u16::MAX),
        })
    }

    fn organization(&self) -> Result<&super::Organization, SettingError> {
        let width = *self.module.width_bits.value();
        self.die.organization(width).ok_or_else(|| {
            unfit(
                "dimm.width_bits",
                format!("the die is not bonded as x{width}"),
            )
        })
    }

    fn turnarounds(&self) -> Result<Turnarounds, SettingError> {
        let (controller, settings) = (&self.system.controller, self.settings);
        let rate = *self.module.dram_rate_mts.value();
        let standard = *self.die.standard.value();
        let set = controller.rtw_gap.pick("rtw_gap", settings)?.get();
        let own = self.die.rules.rtw_gap.as_ref();
        Ok(Turnarounds {
            rank_gap: controller.rank_gap.pick("rank_gap", settings)?.get(),
            rtw_gap: own.map_or(set, |rule| rule.clocks(standard, rate)),
            buffers: self.buffers()?,
        })
    }

    /// The data buffers of an MRDIMM; settings for them are checked on every module.
    fn buffers(&self) -> Result<Option<DataBuffers>, SettingError> {
        let settings = self.settings;
        let Some(RankPair {
            beat_return,
            read_buffer_delay,
            write_buffer_delay,
        }) = &self.module.pair
        else {
            set::<BeatReturn>("beat_return", settings)?;
            set::<Time>("read_buffer_delay", settings)?;
            set::<Time>("write_buffer_delay", settings)?;
            return Ok(None);
        };
        Ok(Some(DataBuffers {
            beat_return: beat_return.pick("beat_return", settings)?,
            read_delay: read_buffer_delay.pick("read_buffer_delay", settings)?,
            write_delay: write_buffer_delay.pick("write_buffer_delay", settings)?,
        }))
    }

    fn timing(&self, turnarounds: Turnarounds) -> Result<Timing, SettingError> {
        let settings = self.settings;
        let controller = &self.system.controller;
        let rate = *self.module.dram_rate_mts.value();
        let own = self.module.speed_bin.value();
        let set = settings.get("speed_bin").map(|name| name.trim());
        let name = set.unwrap_or(own.as_str());
        let bin = self
            .die
            .bin(name, rate)
            .ok_or_else(|| SettingError::Value {
                name: "speed_bin",
                value: name.to_owned(),
                allowed: self.bins_at(rate),
            })?;
        let refresh_rate = match controller.refresh_rate.pick("refresh_rate", settings)? {
            RefreshRate::Normal => 1,
            RefreshRate::Double => 2,
        };
        let ground = TimingBasis {
            die: self.die,
            organization: self.organization()?,
            bin,
            turnarounds,
            bursts: self.bursts(),
            refresh_rate,
        };
        Ok(ground.timing())
    }

    fn bins_at(&self, rate: u32) -> String {
        let fitting = self.die.bin.iter().filter(|bin| bin.rate_mts == rate);
        let names: Vec<_> = fitting.map(|bin| bin.name.as_str()).collect();
        names.join(", ")
    }

    fn policy(&self, geometry: &ChannelGeometry, timing: &Timing) -> Result<Policy, SettingError> {
        let settings = self.settings;
        let controller = &self.system.controller;
        let write_queue = controller.write_queue.pick("write_queue", settings)?.get();
        let drain_high = controller.drain_high.pick("drain_high", settings)?.get();
        let drain_low = controller.drain_low.pick("drain_low", settings)?.get();
        if drain_low >= drain_high || drain_high > write_queue {
            let problem = format!(
                "{drain_high} must lie above drain_low, {drain_low}, and be at most write_queue, {write_queue}"
            );
            return Err(unfit("drain_high", problem));
        }
        let turn_lookahead = pick_or(
            controller.turn_lookahead.as_ref(),
            "turn_lookahead",
            settings,
            BoundedCount::default(),
        )?
        .get();
        let turn_early = pick_or(
            controller.turn_early.as_ref(),
            "turn_early",
            settings,
            Switch::Off,
        )? == Switch::On;
        if turn_early && turn_lookahead == 0 {
            let problem = "on asks for open rows ahead of a turn; allowed: off, or a turn_lookahead of 1 or more";
            return Err(unfit("turn_early", problem.to_owned()));
        }
        let shared = |sharing| sharing == Sharing::Shared;
        let refresh = self.refresh()?;
        let rate = *self.module.dram_rate_mts.value();
        let standard = *self.die.standard.value();
        Ok(Policy {
            scheduler: pick_or(
                controller.scheduler.as_ref(),
                "scheduler",
                settings,
                SchedulerName::default(),
            )?,
            read_queue: controller.read_queue.pick("read_queue", settings)?.get(),
            write_queue,
            shared_queues: shared(controller.queue_sharing.pick("queue_sharing", settings)?),
            shared_commands: shared(
                controller
                    .command_sharing
                    .pick("command_sharing", settings)?,
            ),
            drain_high,
            drain_low,
            age_cap: controller.age_cap.pick("age_cap", settings)?.get(),
            turn_lookahead,
            turn_hits_max: pick_or(
                controller.turn_hits.as_ref(),
                "turn_hits",
                settings,
                BoundedCount::default(),
            )?
            .get(),
            turn_early,
            bus_loss_permille: pick_or(
                controller.bus_loss.as_ref(),
                "bus_loss",
                settings,
                LossShare::default(),
            )?
            .permille(),
            bus_loss_waits_max: LOSS_WAITS_MAX,
            page: match controller.page_policy.pick("page_policy", settings)? {
                RowPolicyChoice::Open => PagePolicy::Open,
                RowPolicyChoice::Closed => PagePolicy::Closed,
                RowPolicyChoice::Timeout(time) => {
                    PagePolicy::Timeout(standard.clocks_within(time, rate))
                }
            },
            refresh,
            same_bank_order: match pick_or(
                controller.same_bank_order.as_ref(),
                "same_bank_order",
                settings,
                SameBankChoice::RoundRobin,
            )? {
                SameBankChoice::RoundRobin => SameBankOrder::RoundRobin,
                SameBankChoice::IdleFirst => SameBankOrder::IdleFirst,
            },
            refresh_postponed_max: Self::at_most(
                refresh,
                "refresh_postponed",
                "may owe",
                controller
                    .refresh_postponed
                    .pick("refresh_postponed", settings)?
                    .get(),
            )?,
            refresh_pulled_in_max: Self::at_most(
                refresh,
                "refresh_pulled_in",
                "may do ahead",
                pick_or(
                    controller.refresh_pulled_in.as_ref(),
                    "refresh_pulled_in",
                    settings,
                    BoundedCount::LEAST,
                )?
                .get(),
            )?,
            refresh_aside: pick_or(
                controller.refresh_aside.as_ref(),
                "refresh_aside",
                settings,
                BoundedCount::LEAST,
            )?
            .get(),
            rfm: self.management(refresh, timing)?,
            refresh_phase: self.phases(geometry, timing, refresh)?,
            power_down: match controller.power_down.pick("power_down", settings)? {
                PowerDown::Never => None,
                PowerDown::After(time) => Some(standard.clocks_within(time, rate)),
            },
        })
    }

    fn refresh(&self) -> Result<Refresh, SettingError> {
        let mode = self
            .system
            .controller
            .refresh
            .pick("refresh", self.settings)?;
        match mode {
            RefreshMode::Off => Ok(Refresh::Off),
            RefreshMode::AllBank => Ok(Refresh::AllBank),
            RefreshMode::SameBank if self.die.rules.same_bank.is_some() => Ok(Refresh::SameBank),
            RefreshMode::SameBank => Err(unfit(
                "refresh",
                format!(
                    "die {} has no [dram.rules.same_bank]; allowed: all-bank, off",
                    self.module.die
                ),
            )),
        }
    }

    /// Refreshes that a rank may owe or do ahead, where that is allowed.
    fn at_most(refresh: Refresh, name: &str, what: &str, count: u32) -> Result<u32, SettingError> {
        if refresh == Refresh::AllBank && count > OUT_OF_TIME_MAX {
            let problem = format!(
                "{count} REFab are more than a rank {what}; allowed: up to {OUT_OF_TIME_MAX} where refresh is all-bank: set \
                 refresh_postponed={OUT_OF_TIME_MAX} and refresh_pulled_in=0 with it"
            );
            return Err(unfit(name, problem));
        }
        Ok(count)
    }

    fn management(
        &self,
        refresh: Refresh,
        timing: &Timing,
    ) -> Result<Option<RefreshManagement>, SettingError> {
        let choice = self.system.controller.rfm.as_ref();
        if pick_or(choice, "rfm", self.settings, Switch::Off)? == Switch::Off {
            return Ok(None);
        }
        let rules = self.die.rules.rfm.as_ref().ok_or_else(|| {
            let die = &self.module.die;
            unfit(
                "rfm",
                format!("die {die} has no [dram.rules.rfm]; allowed: off"),
            )
        })?;
        let rule = match refresh {
            Refresh::Off => {
                let problem = "banks that are not refreshed are not managed; allowed: off";
                return Err(unfit("rfm", problem.to_owned()));
            }
            Refresh::AllBank => &rules.trfm,
            Refresh::SameBank => rules.trfm_sb.as_ref().unwrap_or(&rules.trfm),
        };
        let clocks = rule.clocks(
            *self.die.standard.value(),
            *self.module.dram_rate_mts.value(),
        );
        Ok(Some(RefreshManagement {
            raaimt: *rules.raaimt.value(),
            raammt: *rules.raammt.value(),
            raadec: *rules.raadec.value(),
            clocks: clocks.max(timing.refsbrd),
        }))
    }

    fn stagger(&self) -> Result<config::RefreshStagger, SettingError> {
        let stagger = &self.system.controller.refresh_stagger;
        Ok(match stagger.pick("refresh_stagger", self.settings)? {
            RefreshStagger::Even => config::RefreshStagger::Even,
            RefreshStagger::Aligned => config::RefreshStagger::Aligned,
        })
    }

    /// First refreshes. Staggered they are spread evenly over the interval: no two ranks at once, but for the ranks of a
    /// pair where those are aligned.
    fn phases(
        &self,
        geometry: &ChannelGeometry,
        timing: &Timing,
        refresh: Refresh,
    ) -> Result<Vec<u32>, SettingError> {
        let interval = match refresh {
            Refresh::SameBank => timing.refi_sb,
            Refresh::AllBank | Refresh::Off => timing.refi,
        };
        let (pairs, ranks) = (
            u64::from(geometry.pseudo_channels),
            u64::from(geometry.ranks),
        );
        let alignment = self
            .system
            .controller
            .pair_refresh
            .pick("pair_refresh", self.settings)?;
        let slots = match (self.stagger()?, alignment) {
            (config::RefreshStagger::Aligned, _) => 1,
            (_, PairRefresh::Staggered) => pairs * ranks,
            (_, PairRefresh::Aligned) => ranks,
        };
        let phase = |index: u64| {
            let clocks = u64::from(interval) * (index % slots) / slots;
            u32::try_from(clocks).unwrap_or(interval)
        };
        Ok((0..pairs * ranks).map(phase).collect())
    }

    /// Every set of currents, and whether it agrees with the timing.
    fn currents(&self, config: &SystemConfig) -> Result<Vec<(String, Currents)>, SettingError> {
        let chosen = self.module.idd_set.pick("idd_set", self.settings)?;
        let organization = self.organization()?;
        let mut sets: Vec<_> = self.die.currents.iter().collect();
        if !sets.iter().any(|set| set.name == chosen.as_str()) {
            let names: Vec<_> = sets.iter().map(|set| set.name.as_str()).collect();
            return Err(SettingError::Value {
                name: "idd_set",
                value: chosen.as_str().to_owned(),
                allowed: names.join(", "),
            });
        }
        sets.sort_by_key(|set| set.name != chosen.as_str());
        let named = |set: &&CurrentSet| {
            let currents = currents::currents(self.module, self.die, organization, set);
            currents.check(&config.sub_channel).map_err(|error| {
                unfit(
                    &format!("die {}, set {}", self.module.die, set.name),
                    error.to_string(),
                )
            })?;
            Ok((set.name.clone(), currents))
        };
        sets.iter().map(named).collect()
    }

    /// The cores of all sockets.
    fn cores(&self, sockets: u32) -> Result<CoreConfig, SettingError> {
        let (system, settings) = (self.system, self.settings);
        Ok(CoreConfig {
            cores: system.cores.pick("cores", settings)?.get() * sockets,
            misses: system.misses.pick("misses", settings)?.get(),
            fill_buffers: pick_optional(system.fill_buffers.as_ref(), "fill_buffers", settings)?
                .map(BoundedCount::get),
            lines_per_pause: pick_optional(
                system.lines_per_pause.as_ref(),
                "lines_per_pause",
                settings,
            )?
            .map_or(1, BoundedCount::get),
            clock_hz: system.core_clock.nominal().si().max(1.0) as u64,
            request_path_ps: system.request_path.pick("request_path", settings)?.ps(),
            return_path_ps: system.return_path.pick("return_path", settings)?.ps(),
            page_bytes: system
                .page_bytes
                .pick("page_bytes", settings)?
                .get()
                .bytes(),
            write_back_bytes: system
                .write_back_bytes
                .pick("write_back_bytes", settings)?
                .bytes(),
        })
    }
}

fn unfit(what: &str, problem: String) -> SettingError {
    SettingError::Unfit {
        what: what.to_owned(),
        problem,
    }
}
