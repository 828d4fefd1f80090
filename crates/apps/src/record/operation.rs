//! What an instruction does to registers, as far as time depends on it.

/// How an instruction ends a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Branch {
    /// It does not, or always goes to the same place.
    #[default]
    None,
    /// It goes on or elsewhere.
    Conditional,
    /// It goes where a register or memory says; returns, whose place is known early, are not among them.
    Indirect,
}

/// An instruction. Registers are bits, numbered by whoever decodes: general registers, vector registers, flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MicroOperation {
    /// Registers that its address is made of.
    pub address: u64,
    /// Registers that it reads besides, flags among them.
    pub reads: u64,
    /// Registers that it writes.
    pub writes: u64,
    /// Cycles from its operands to its result, without its access to memory.
    pub latency: u8,
    /// How it ends a block.
    pub branch: Branch,
}
