//! What experiments call things, as the drivers do.

use wordline_core::{ChainOrder, HostAccess, HostMix, HostPages, KernelName, StoreKind};
use wordline_host::memory::DriverError;
use wordline_host::memory::arena::PageSize;
use wordline_host::memory::chain::ChainWalk;
use wordline_host::memory::kernels::{self, KernelError, KernelMix, KernelSet};

pub(super) const fn pages(pages: HostPages) -> PageSize {
    match pages {
        HostPages::Base => PageSize::Base,
        HostPages::Huge2M => PageSize::Huge2M,
        HostPages::Huge1G => PageSize::Huge1G,
    }
}

pub(super) const fn pages_name(pages: PageSize) -> &'static str {
    match pages {
        PageSize::Base => HostPages::Base.name(),
        PageSize::Huge2M => HostPages::Huge2M.name(),
        PageSize::Huge1G => HostPages::Huge1G.name(),
    }
}

pub(super) const fn walk(order: ChainOrder) -> ChainWalk {
    match order {
        ChainOrder::Random => ChainWalk::Random,
        ChainOrder::InPage => ChainWalk::InPage,
        ChainOrder::PerPage => ChainWalk::PerPage,
    }
}

pub(super) const fn order_name(walk: ChainWalk) -> &'static str {
    match walk {
        ChainWalk::Random => ChainOrder::Random.name(),
        ChainWalk::InPage => ChainOrder::InPage.name(),
        ChainWalk::PerPage => ChainOrder::PerPage.name(),
    }
}

pub(super) const fn mix(mix: HostMix) -> KernelMix {
    match mix {
        HostMix::Reads => KernelMix::Reads,
        HostMix::ThreeToOne => KernelMix::ThreeToOne,
        HostMix::TwoToOne => KernelMix::TwoToOne,
        HostMix::OneToOne => KernelMix::OneToOne,
        HostMix::Copy => KernelMix::Copy,
        HostMix::Triad => KernelMix::Triad,
    }
}

pub(super) const fn mix_of(mix: KernelMix) -> HostMix {
    match mix {
        KernelMix::Reads => HostMix::Reads,
        KernelMix::ThreeToOne => HostMix::ThreeToOne,
        KernelMix::TwoToOne => HostMix::TwoToOne,
        KernelMix::OneToOne => HostMix::OneToOne,
        KernelMix::Copy => HostMix::Copy,
        KernelMix::Triad => HostMix::Triad,
    }
}

pub(super) const fn stores(stores: StoreKind) -> kernels::KernelStores {
    match stores {
        StoreKind::Plain => kernels::KernelStores::Plain,
        StoreKind::NonTemporal => kernels::KernelStores::NonTemporal,
    }
}

pub(super) const fn stores_name(stores: kernels::KernelStores) -> &'static str {
    match stores {
        kernels::KernelStores::Plain => StoreKind::Plain.name(),
        kernels::KernelStores::NonTemporal => StoreKind::NonTemporal.name(),
    }
}

/// The instructions that were asked for, or the usual ones: see [`KernelSet::best`].
pub(super) fn set(access: &HostAccess) -> KernelSet {
    match access.kernel {
        Some(KernelName::Portable) => KernelSet::Portable,
        Some(KernelName::Sse2) => KernelSet::Sse2,
        Some(KernelName::Avx2) => KernelSet::Avx2,
        Some(KernelName::Avx512) => KernelSet::Avx512,
        Some(KernelName::Neon) => KernelSet::Neon,
        None => KernelSet::best(),
    }
}

/// Refuses instructions that the processor does not have, also where a test moves no lines with them: who names them expects
/// them.
pub(super) fn check_set(access: &HostAccess) -> Result<(), DriverError> {
    let set = set(access);
    match set.is_available() {
        true => Ok(()),
        false => Err(KernelError::SetMissing { set }.into()),
    }
}
