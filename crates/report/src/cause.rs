//! The causes that metrics are split by: one table of their names, meanings and colours.

use serde::Serialize;

use crate::text;

/// A cause that a metric is split by.
struct KnownCause {
    /// As rows spell it.
    cause: &'static str,
    /// As tables and plots name it.
    name: &'static str,
    /// One that white text can be read on.
    color: &'static str,
    meaning: &'static str,
    /// Of a translation layer, what its time goes into.
    work: Option<&'static str>,
}

macro_rules! causes {
    ($($cause:literal $name:literal $color:literal $meaning:literal $(work $work:literal)?;)*) => {
        /// Those that are known, in the order of tables and bars.
        const CAUSES: &[KnownCause] = &[
            $(KnownCause {
                cause: $cause,
                name: $name,
                color: $color,
                meaning: $meaning,
                work: [$(Some($work),)? None][0],
            },)*
        ];
    };
}

causes! {
    "bus_rate" "faster bus" "#0072B2" "the data buses together carry more bytes a second";
    "data" "data" "#0072B2" "data on the bus";
    "queue" "queue" "#555555" "the controller's queue is full";
    "drain" "other direction" "#8F4A73" "the channel writes while reads wait, or reads while writes wait";
    "turnaround" "turnaround" "#A84A00" "the bus changes its direction or rank";
    "bus" "burst spacing" "#2B5F8A" "bursts keep their distance: tCCD, and the bursts of others before";
    "bank" "bank busy" "#B3261E" "the bank holds another row: tRAS, tRTP, tWR, tRP";
    "activate" "row opening" "#7A5C00" "the own row is being opened: tRCD";
    "activation_rate" "activation rate" "#3B3B98" "rows may not be opened faster: tRRD, tFAW";
    "refresh" "refresh" "#00704F" "rank or bank are refreshed";
    "power_down" "power-down" "#6B4E9B" "the rank wakes up";
    "order" "order" "#6B6B6B" "other requests go first, or hold the command bus";
    "empty" "nothing asked" "#767676" "nobody asks for anything";
    "other" "other" "#4A4A4A" "all other causes";
    "off_bus" "without a burst" "#5A5A5A" "answered by the controller's write queue, or on the way at either end of the run";
    "on_chip" "on-chip path" "#555555" "from the core to the controller and back";
    "link" "link" "#5B4A8A" "to a CXL device or another socket: delays, messages, and waits for the link";
    "buffer" "register and buffers" "#A84A00" "what the module's register and data buffers add";
    "cas" "CAS latency" "#0072B2" "from RD to the first beat: CL";
    "burst" "burst" "#2B5F8A" "the beats of the data";
    "precharge" "row closing" "#B3261E" "another row is closed first: tRP";
    "rounding" "clock edges" "#6B6B6B" "the next edge of the DRAM's clock is awaited";
    "write_slots" "writes" "#8F4A73" "writes on their way to a controller that accepts them";
    "outstanding" "lines under way" "#0072B2" "the cores have more lines under way";
    "driver" "driver" "#A84A00" "driver code and DMA set-up on the host's processor";
    "bus_command" "bus command" "#8F4A73" "opcode, address and dummy cycles on the bus";
    "bus_data" "bus data" "#0072B2" "data on the bus";
    "recovery" "recovery" "#7A5C00" "the pause that the protocol asks for between transactions";
    "poll" "poll" "#555555" "what asking a busy chip for its status finds out late";
    "array_read" "array read" "#00704F" "the chip fetches data from its array";
    "program" "program" "#B3261E" "the chip programs pages";
    "erase" "erase" "#3B3B98" "the chip erases blocks";
    "cleaning" "cleaning" "#6A1B6A" "a translation layer moves live pages out of blocks that it cleans"
        work "pages moved by cleaning";
    "merging" "merging" "#8A2F4F" "a translation layer merges log blocks with the blocks that they change"
        work "merges of log blocks";
    "folding" "folding" "#2E6B2E" "a translation layer moves pages from its SLC cache to native cells"
        work "pages folded out of the SLC cache";
    "leveling" "leveling" "#4A5A00" "a translation layer moves resting data so that blocks wear evenly"
        work "pages moved to level wear";
    "mapping" "mapping" "#1F5F6B" "a translation layer looks up or stores where pages are"
        work "looking up and storing where pages are";
    "firmware" "firmware" "#7A3E00" "the firmware of a card takes in commands";
    "compute" "compute" "#00704F" "the cores compute";
    "unloaded_latency" "latency" "#0072B2" "the cores wait for what a memory without load takes";
    "memory_load" "memory load" "#A84A00" "the cores wait longer because the memory is loaded";
    "outside" "outside" "#555555" "the program waits for a disk, a network or a lock";
    "platform" "platform" "#555555" "the server without cores and modules";
    "active_cores" "active cores" "#00704F" "cores that compute";
    "stalled_cores" "stalled cores" "#A84A00" "cores that wait for memory";
    "modules" "modules" "#0072B2" "the memory modules";
    "housekeeping" "housekeeping" "#4F4F00" "the controller of a card works for itself";
}

/// Colours for causes that this version does not know.
const FURTHER: [&str; 2] = ["#6B6B6B", "#2B5F8A"];

/// The place of a cause, as rows spell it or as people read it.
fn find(cause: &str) -> Option<usize> {
    let mut all = CAUSES.iter();
    all.position(|known| known.cause == cause || known.name == cause)
}

/// A cause as people read it.
pub(crate) fn name(cause: &str) -> String {
    find(cause).map_or_else(|| text::words(cause), |place| CAUSES[place].name.to_owned())
}

/// Where a cause stands among the others; those that are unknown come last.
pub(crate) fn place(cause: &str) -> usize {
    find(cause).unwrap_or(CAUSES.len())
}

/// The causes of a translation layer, and what its time goes into.
pub(crate) fn of_layers() -> impl Iterator<Item = (&'static str, &'static str)> {
    CAUSES.iter().filter_map(|one| Some((one.cause, one.work?)))
}

/// What a page says of a cause.
#[derive(Serialize)]
pub(crate) struct CauseMeaning {
    pub(crate) name: String,
    pub(crate) meaning: &'static str,
    pub(crate) color: &'static str,
    /// Whether no time at all goes there.
    pub(crate) idle: bool,
}

impl CauseMeaning {
    /// What is known of a cause, and a colour by its place in the page where nothing is.
    pub(crate) fn of(cause: &str, index: usize, idle: bool) -> Self {
        let further = FURTHER[index % FURTHER.len()];
        let known = find(cause).map(|place| &CAUSES[place]);
        Self {
            name: text::printable(&name(cause)),
            meaning: known.map_or("", |known| known.meaning),
            color: known.map_or(further, |known| known.color),
            idle,
        }
    }
}
