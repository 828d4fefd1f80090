//! The causes of the rows: their names for people, what they mean, and their colours.

use crate::text;

/// A cause that a metric is split by.
pub(crate) struct KnownCause {
    /// As rows spell it.
    pub(crate) cause: &'static str,
    /// As tables and plots name it.
    name: &'static str,
    pub(crate) meaning: &'static str,
    /// One that white text can be read on.
    pub(crate) color: &'static str,
    /// Where it stands among the others.
    pub(crate) order: usize,
}

const fn known_as(
    order: usize,
    cause: &'static str,
    name: &'static str,
    meaning: &'static str,
    color: &'static str,
) -> KnownCause {
    KnownCause {
        cause,
        name,
        meaning,
        color,
        order,
    }
}

/// Where the time of the data buses goes, and what requests wait for.
pub(crate) const BUS: [KnownCause; 15] = [
    known_as(
        0,
        "bus_rate",
        "faster bus",
        "the data buses together carry more bytes a second",
        "#0072B2",
    ),
    known_as(1, "data", "data", "data on the bus", "#0072B2"),
    known_as(
        2,
        "queue",
        "queue",
        "the controller's queue is full",
        "#555555",
    ),
    known_as(
        3,
        "drain",
        "other direction",
        "the channel writes while reads wait, or reads while writes wait",
        "#8F4A73",
    ),
    known_as(
        4,
        "turnaround",
        "turnaround",
        "the bus changes its direction or rank",
        "#A84A00",
    ),
    known_as(
        5,
        "bus",
        "burst spacing",
        "bursts keep their distance: tCCD, and the bursts of others before",
        "#2B5F8A",
    ),
    known_as(
        6,
        "bank",
        "bank busy",
        "the bank holds another row: tRAS, tRTP, tWR, tRP",
        "#B3261E",
    ),
    known_as(
        7,
        "activate",
        "row opening",
        "the own row is being opened: tRCD",
        "#7A5C00",
    ),
    known_as(
        8,
        "activation_rate",
        "activation rate",
        "rows may not be opened faster: tRRD, tFAW",
        "#3B3B98",
    ),
    known_as(
        9,
        "refresh",
        "refresh",
        "rank or bank are refreshed",
        "#00704F",
    ),
    known_as(
        10,
        "power_down",
        "power-down",
        "the rank wakes up",
        "#6B4E9B",
    ),
    known_as(
        11,
        "order",
        "order",
        "other requests go first, or hold the command bus",
        "#6B6B6B",
    ),
    known_as(
        12,
        "empty",
        "nothing asked",
        "nobody asks for anything",
        "#767676",
    ),
    known_as(13, "other", "other", "all other causes", "#4A4A4A"),
    known_as(
        14,
        "off_bus",
        "without a burst",
        "answered by the controller's write queue, or on the way at either end of the run",
        "#5A5A5A",
    ),
];

/// What the time of a line consists of, besides waits.
pub(crate) const LATENCY: [KnownCause; 8] = [
    known_as(
        20,
        "on_chip",
        "on-chip path",
        "from the core to the controller and back",
        "#555555",
    ),
    known_as(
        21,
        "buffer",
        "register and buffers",
        "what the module's register and data buffers add",
        "#A84A00",
    ),
    known_as(
        22,
        "cas",
        "CAS latency",
        "from RD to the first beat: CL",
        "#0072B2",
    ),
    known_as(23, "burst", "burst", "the beats of the data", "#2B5F8A"),
    known_as(
        24,
        "precharge",
        "row closing",
        "another row is closed first: tRP",
        "#B3261E",
    ),
    known_as(
        25,
        "rounding",
        "clock edges",
        "the next edge of the DRAM's clock is awaited",
        "#6B6B6B",
    ),
    known_as(
        26,
        "write_slots",
        "writes",
        "writes on their way to a controller that accepts them",
        "#8F4A73",
    ),
    known_as(
        27,
        "outstanding",
        "lines under way",
        "the cores have more lines under way",
        "#0072B2",
    ),
];

/// What is known of a cause.
pub(crate) fn known(cause: &str) -> Option<&'static KnownCause> {
    let mut all = BUS.iter().chain(&LATENCY);
    all.find(|known| known.cause == cause)
}

/// A cause as people read it.
pub(crate) fn name(cause: &str) -> String {
    known(cause).map_or_else(|| text::words(cause), |known| known.name.to_owned())
}
