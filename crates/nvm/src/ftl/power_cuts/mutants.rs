//! Layers that forget one barrier: each must be caught.
