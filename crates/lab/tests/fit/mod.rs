//! `part fit` on cards: a simulated card of known figures writes a log, and the fit begins with another card.

mod cards;
mod flash;
mod support;
