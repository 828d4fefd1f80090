//! What fio writes: a line for each access (`text`, in one of the layouts of `layout`), JSON with histograms
//! (`json`), and histograms over time (`histogram`), both in the bins of `bins`.

use wordline_core::quantity::Time;

mod bins;
pub(crate) mod histogram;
pub(crate) mod json;
pub(crate) mod layout;
pub(crate) mod text;

/// Steps in which fio records times: 1 ms.
const STEP: Time = Time::from_ps(1_000_000_000);
