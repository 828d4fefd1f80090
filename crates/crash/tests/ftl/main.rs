//! The translation layer of `wordline-nvm` on crash images: what it promises after power cuts and on failing pages.

mod ecc;
mod fat;
mod power_cuts;
