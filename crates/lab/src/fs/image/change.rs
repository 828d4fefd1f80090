//! What an engine asks a memory to change, as a journal has it.

use wordline_memory::{ByteMemory as _, Flash as _};
use wordline_nvm::Memory;

use super::bytes::{FieldReader, push_counted};

/// An operation that changes a memory. Done again from the same state, it changes the same: all draws depend on seed,
/// place and cycles alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryChange<'a> {
    Write {
        at: u64,
        data: &'a [u8],
    },
    Store {
        at: u64,
        data: &'a [u8],
    },
    Persist,
    Program {
        page: u32,
        column: u32,
        data: &'a [u8],
    },
    Move {
        from: u32,
        to: u32,
        column: u32,
        data: &'a [u8],
    },
    Erase {
        block: u32,
    },
    BeginErase {
        block: u32,
    },
    AdvanceErase {
        parts: u32,
        of: u32,
    },
    MarkBad {
        block: u32,
    },
}

impl<'a> MemoryChange<'a> {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let mut words = |tag: u8, words: &[u32]| {
            out.push(tag);
            for word in words {
                out.extend_from_slice(&word.to_le_bytes());
            }
        };
        match *self {
            Self::Write { at, data } | Self::Store { at, data } => {
                out.push(if matches!(self, Self::Write { .. }) {
                    1
                } else {
                    2
                });
                out.extend_from_slice(&at.to_le_bytes());
                push_counted(out, data);
            }
            Self::Persist => words(3, &[]),
            Self::Program { page, column, data } => {
                words(4, &[page, column]);
                push_counted(out, data);
            }
            Self::Move {
                from,
                to,
                column,
                data,
            } => {
                words(5, &[from, to, column]);
                push_counted(out, data);
            }
            Self::Erase { block } => words(6, &[block]),
            Self::BeginErase { block } => words(7, &[block]),
            Self::AdvanceErase { parts, of } => words(8, &[parts, of]),
            Self::MarkBad { block } => words(9, &[block]),
        }
    }

    /// Takes the next change; `None` of one that is none.
    pub(super) fn decode(fields: &mut FieldReader<'a>) -> Option<Self> {
        Some(match fields.u8()? {
            1 => Self::Write {
                at: fields.u64()?,
                data: fields.counted()?,
            },
            2 => Self::Store {
                at: fields.u64()?,
                data: fields.counted()?,
            },
            3 => Self::Persist,
            4 => Self::Program {
                page: fields.u32()?,
                column: fields.u32()?,
                data: fields.counted()?,
            },
            5 => Self::Move {
                from: fields.u32()?,
                to: fields.u32()?,
                column: fields.u32()?,
                data: fields.counted()?,
            },
            6 => Self::Erase {
                block: fields.u32()?,
            },
            7 => Self::BeginErase {
                block: fields.u32()?,
            },
            8 => Self::AdvanceErase {
                parts: fields.u32()?,
                of: fields.u32()?,
            },
            9 => Self::MarkBad {
                block: fields.u32()?,
            },
            _ => return None,
        })
    }

    /// Changes a memory. What failed when it was recorded fails again, with the same effect. Returns whether the memory is
    /// one of the kind.
    pub(super) fn apply(&self, memory: &mut Memory) -> bool {
        match (memory, *self) {
            (Memory::Bytes(device), Self::Write { at, data }) => {
                let _ = device.write(at, data);
            }
            (Memory::Bytes(device), Self::Store { at, data }) => {
                let _ = device.store(at, data);
            }
            (Memory::Bytes(device), Self::Persist) => {
                let _ = device.persist();
            }
            (Memory::Flash(flash), Self::Program { page, column, data }) => {
                let _ = flash.program(page, column, data);
            }
            (
                Memory::Flash(flash),
                Self::Move {
                    from,
                    to,
                    column,
                    data,
                },
            ) => {
                let _ = flash.move_page(from, to, column, data);
            }
            (Memory::Flash(flash), Self::Erase { block }) => {
                let _ = flash.erase(block);
            }
            (Memory::Flash(flash), Self::BeginErase { block }) => {
                let _ = flash.begin_erase(block);
            }
            (Memory::Flash(flash), Self::AdvanceErase { parts, of }) => {
                let _ = flash.advance_erase(parts, of);
            }
            (Memory::Flash(flash), Self::MarkBad { block }) => {
                let _ = flash.mark_bad(block);
            }
            _ => return false,
        }
        true
    }
}
