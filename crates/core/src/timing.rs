//! Which of a data sheet's columns a simulation uses.

use crate::names::named;

named! {
    /// Which of a data sheet's columns a simulation uses.
    #[derive(Default)]
    pub enum Timing {
        /// Typical figures.
        #[default]
        Typ = "typ",
        /// The data sheet's worst case.
        Max = "max",
        /// Drawn between the two, from the seed.
        Sampled = "sampled",
    }
}
