//! Either directory, where a program knows only when it runs which it is.

use wordline_memory::ByteMemory;

use crate::Error;
use crate::directory::{Directory, Lanes, RamDirectory, ResidentDirectory};
use crate::layout::Geometry;

/// The directory of a table that a program opens with one in RAM or one in the memory, as it finds out when it runs: the
/// code of one table instead of two, and a branch at every look.
#[derive(Debug)]
pub enum AnyDirectory<W> {
    /// In RAM.
    Ram(RamDirectory<W>),
    /// In the table's own memory.
    Resident(ResidentDirectory),
}

/// Asks whichever it is.
macro_rules! of {
    ($any:expr, $directory:ident => $ask:expr) => {
        match $any {
            AnyDirectory::Ram($directory) => $ask,
            AnyDirectory::Resident($directory) => $ask,
        }
    };
}

impl<M: ByteMemory, W: AsMut<[u64]>> Directory<M> for AnyDirectory<W> {
    fn count_max(&self) -> u16 {
        of!(self, directory => Directory::<M>::count_max(directory))
    }

    fn parts(&self) -> u32 {
        of!(self, directory => Directory::<M>::parts(directory))
    }

    fn attach(&mut self, memory: &mut M, geometry: &Geometry) -> Result<(), Error<M::Error>> {
        of!(self, directory => directory.attach(memory, geometry))
    }

    fn mark(&self, tag: u16) -> u16 {
        of!(self, directory => Directory::<M>::mark(directory, tag))
    }

    fn part(&mut self, memory: &mut M, bucket: u32, part: u32) -> Result<Lanes, M::Error> {
        of!(self, directory => directory.part(memory, bucket, part))
    }

    fn set(&mut self, memory: &mut M, bucket: u32, lane: u32, to: u16) -> Result<(), M::Error> {
        of!(self, directory => directory.set(memory, bucket, lane, to))
    }
}
