//! Tests of the command: as users run it, over the fuzz corpus, in a browser; the repository and its release.

mod browser;
mod cli;
mod corpus;
mod house;
mod links;
mod release;
