//! Sheets of dies, modules and systems, and how they become the numbers that a sub-channel works with.
//!
//! A [`Die`] states rules as its standard does, the greater of a count of clocks and a time; a [`Module`] says how many
//! dies stand behind which register and buffers, at which clocks; a [`System`] has the cores, the interleaving and the
//! memory controllers. [`connect`] rounds the rules once, at the clock that the DRAM has on the module.
//!
//! What is not disclosed is [`Labelled`]: a value with a reason and with alternatives, which [`Settings`] override
//! by name.

mod checked;
mod connect;
mod currents;
mod die;
mod labelled;
mod mapping;
mod module;
mod problem;
mod rounding;
mod rule;
mod system;
mod timing;

pub use connect::{Connected, check_settings, choices, connect, unused_settings};
pub use die::{
    CurrentSet, Die, DieRules, ManagementRules, Organization, SameBank, SpeedBin, StackRules,
};
pub use labelled::{
    BeatReturn, BoundedCount, ChoiceValue, Labelled, LossShare, Name, PageSize, PairRefresh,
    PowerDown, RefreshMode, RefreshRate, RefreshStagger, RowPolicyChoice, SameBankChoice,
    SettingError, Settings, Sharing, SheetChoice, Switch,
};
pub use mapping::Order;
pub use module::{Module, ModuleKind, ModulePower, RankPair};
pub use problem::DramSheetProblem;
pub use rounding::Standard;
pub use rule::TimingRule;
pub use system::{HostControllerSheet, LinkSheet, MappingSheet, MeasuredSheet, System};
pub use timing::{DataBuffers, Turnarounds};
