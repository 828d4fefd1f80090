//! What another memory does to a program: what programs ask for is found here, by the models of `wordline-apps`.

pub mod capacity;
pub mod kernel;
