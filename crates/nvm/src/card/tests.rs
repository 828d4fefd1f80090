//! Tests of cards.
