//! The layer under power cuts: every cut of recorded runs, each image of it mounted and held against what was
//! promised; cuts within the mounts; and layers that forget one barrier, each of which must be caught.

mod check;
mod evidence;
mod mutants;
mod oracle;
mod run;
mod setups;
