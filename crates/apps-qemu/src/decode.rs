//! Instructions of x86 as the core model needs them.

use iced_x86::{
    Code, CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory,
    OpAccess, Register,
};
use wordline_apps::record::{Branch, MicroOperation};

/// Bit of the flags.
const FLAGS: u64 = 1 << 63;

/// First bit of the vector registers.
const VECTORS: u32 = 16;

/// First bit of the registers of x87 and MMX.
const STACK: u32 = 48;

/// First bit of the mask registers.
const MASKS: u32 = 56;

/// What QEMU does not execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownInstruction {
    /// Its extension or name.
    pub name: String,
}

/// Decodes instructions of a block.
pub struct BlockDecoder {
    bitness: u32,
    factory: InstructionInfoFactory,
}

impl std::fmt::Debug for BlockDecoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "BlockDecoder({})", self.bitness)
    }
}

fn bit(register: Register) -> u64 {
    let full = register.full_register();
    if full.is_gpr() {
        1 << full.number()
    } else if full.is_vector_register() {
        1 << (VECTORS + full.number() as u32)
    } else if full.is_st() || full.is_mm() {
        1 << (STACK + full.number() as u32 % 8)
    } else if full.is_k() {
        1 << (MASKS + full.number() as u32 % 7)
    } else {
        0
    }
}

/// Cycles of an instruction from its operands to its result, without memory: classes as optimization manuals have them.
fn latency(name: &str) -> u8 {
    let name = name.to_ascii_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    // AVX has the instructions of SSE with a v in front.
    let plain = name.strip_prefix('v').unwrap_or(&name);
    let is = |words: &[&str]| words.iter().any(|word| plain.starts_with(word));
    if name == "div" || name == "idiv" {
        14
    } else if is(&["div", "sqrt", "fdiv", "fsqrt", "fidiv"]) {
        13
    } else if starts(&[
        "imul", "mul", "mulx", "pext", "pdep", "popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "crc32",
    ]) && !starts(&["mulp", "muls"])
    {
        3
    } else if is(&[
        "fmadd", "fmsub", "fnmadd", "fnmsub", "mulp", "muls", "cvt", "pmul", "pmadd", "fmul",
    ]) {
        4
    } else if is(&[
        "addp", "adds", "subp", "subs", "fadd", "fsub", "hadd", "maxs", "maxp", "mins", "minp",
        "cmps", "cmpp", "comis", "ucomis",
    ]) && !starts(&["cmpsb", "cmpsw", "cmpsq"])
    {
        3
    } else {
        1
    }
}

impl BlockDecoder {
    /// A decoder of instructions with addresses of so many bits, 64 or 32.
    #[must_use]
    pub fn new(bitness: u32) -> Self {
        Self {
            bitness,
            factory: InstructionInfoFactory::new(),
        }
    }

    /// What the instruction in `bytes` does.
    ///
    /// # Errors
    /// Its name when it is of AVX-512 or AMX, which QEMU does not execute. `None` when it is unknown, or not whole: QEMU shows
    /// only the first part of one that crosses a page.
    pub fn decode(
        &mut self,
        bytes: &[u8],
        address: u64,
    ) -> Result<MicroOperation, Option<UnknownInstruction>> {
        let mut decoder = Decoder::with_ip(self.bitness, bytes, address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        if instruction.code() == Code::INVALID {
            // QEMU shows no more than it has read of what it does not know. In 64 bits this byte begins AVX-512 alone.
            let is_wide = self.bitness == 64 && bytes.first() == Some(&0x62);
            let name = "an instruction of AVX-512".to_owned();
            return Err(is_wide.then_some(UnknownInstruction { name }));
        }
        let features = instruction.cpuid_features();
        let is_missing = |of: &&CpuidFeature| {
            let name = format!("{of:?}");
            name.starts_with("AVX512") || name.starts_with("AMX")
        };
        if let Some(feature) = features.iter().find(is_missing) {
            let name = format!("{feature:?}").replace("AVX512", "AVX-512");
            let name = format!("{:?} of {name}", instruction.mnemonic());
            return Err(Some(UnknownInstruction { name }));
        }
        Ok(self.operation(&instruction))
    }

    fn operation(&mut self, instruction: &Instruction) -> MicroOperation {
        let info = self.factory.info(instruction);
        let mut operation = MicroOperation::default();
        for memory in info.used_memory() {
            operation.address |= bit(memory.base()) | bit(memory.index());
        }
        for used in info.used_registers() {
            let register = bit(used.register());
            let access = used.access();
            if matches!(
                access,
                OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
            ) {
                operation.reads |= register;
            }
            if matches!(
                access,
                OpAccess::Write
                    | OpAccess::CondWrite
                    | OpAccess::ReadWrite
                    | OpAccess::ReadCondWrite
            ) {
                operation.writes |= register;
            }
            // What is written under a condition keeps what it had.
            if matches!(access, OpAccess::CondWrite | OpAccess::ReadCondWrite) {
                operation.reads |= register;
            }
        }
        if instruction.rflags_read() != 0 {
            operation.reads |= FLAGS;
        }
        if instruction.rflags_modified() != 0 {
            operation.writes |= FLAGS;
        }
        if instruction.is_stack_instruction() {
            // A part of the core follows the stack pointer, so that nothing waits for it.
            let pointer = bit(Register::RSP);
            operation.writes &= !pointer;
            operation.reads &= !pointer;
        }
        // What only makes the address is no operand of the result.
        if instruction.op_count() > 0 && operation.address != 0 {
            operation.reads &= !(operation.address & !self.data_registers(instruction));
        }
        operation.latency = latency(&format!("{:?}", instruction.mnemonic()));
        operation.branch = match instruction.flow_control() {
            FlowControl::ConditionalBranch => Branch::Conditional,
            FlowControl::IndirectBranch | FlowControl::IndirectCall => Branch::Indirect,
            _ => Branch::None,
        };
        operation
    }

    /// Registers that stand as operands themselves.
    fn data_registers(&self, instruction: &Instruction) -> u64 {
        let operands = 0..instruction.op_count();
        operands.fold(0, |all, at| all | bit(instruction.op_register(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> MicroOperation {
        BlockDecoder::new(64)
            .decode(bytes, 0x1000)
            .expect("it is one")
    }

    const RAX: u64 = 1;
    const RCX: u64 = 1 << 1;
    const RBX: u64 = 1 << 3;
    const RSP: u64 = 1 << 4;

    #[test]
    fn a_load_needs_its_address_alone() {
        // mov rax, [rbx + rcx*8]
        let load = decoded(&[0x48, 0x8B, 0x04, 0xCB]);
        assert_eq!(load.address, RBX | RCX);
        assert_eq!(load.reads, 0);
        assert_eq!(load.writes, RAX);
        // add rax, [rbx]
        let add = decoded(&[0x48, 0x03, 0x03]);
        assert_eq!(
            (add.address, add.reads, add.writes),
            (RBX, RAX, RAX | FLAGS)
        );
        // mov rax, [rax]: the chase of a pointer
        let chase = decoded(&[0x48, 0x8B, 0x00]);
        assert_eq!((chase.address, chase.writes), (RAX, RAX));
    }

    #[test]
    fn idioms_and_the_stack_wait_for_nothing() {
        // xor eax, eax
        let zero = decoded(&[0x31, 0xC0]);
        assert_eq!(zero.reads, 0);
        assert_eq!(zero.writes & RAX, RAX);
        // push rax
        let push = decoded(&[0x50]);
        assert_eq!(push.writes, 0);
        assert_eq!(push.reads, RAX);
        assert_eq!(push.address, RSP);
    }

    #[test]
    fn branches_are_told_apart() {
        // jne +2; jmp rax; ret; jmp +2
        assert_eq!(decoded(&[0x75, 0x02]).branch, Branch::Conditional);
        assert_eq!(decoded(&[0x75, 0x02]).reads, FLAGS);
        assert_eq!(decoded(&[0xFF, 0xE0]).branch, Branch::Indirect);
        assert_eq!(decoded(&[0xC3]).branch, Branch::None);
        assert_eq!(decoded(&[0xEB, 0x02]).branch, Branch::None);
    }

    #[test]
    fn avx_512_is_named() {
        // vaddpd zmm0, zmm0, zmm0
        let bytes = [0x62, 0xF1, 0xFD, 0x48, 0x58, 0xC0];
        let error = BlockDecoder::new(64)
            .decode(&bytes, 0)
            .expect_err("QEMU has none");
        assert_eq!(error.expect("it has a name").name, "Vaddpd of AVX-512F");
        // The first byte of one that crosses a page.
        assert_eq!(BlockDecoder::new(64).decode(&[0x48], 0), Err(None));
        // All that QEMU reads of one.
        let error = BlockDecoder::new(64)
            .decode(&[0x62], 0)
            .expect_err("QEMU has none");
        assert!(error.is_some_and(|unknown| unknown.name.contains("AVX-512")));
    }

    #[test]
    fn slow_instructions_take_their_time() {
        // divsd xmm0, xmm1; vdivsd xmm0, xmm0, xmm0; div ebx; imul eax, ebx; addsd xmm0, xmm1; add eax, ebx
        assert_eq!(decoded(&[0xF2, 0x0F, 0x5E, 0xC1]).latency, 13);
        assert_eq!(decoded(&[0xC5, 0xFB, 0x5E, 0xC0]).latency, 13);
        assert_eq!(decoded(&[0xF7, 0xF3]).latency, 14);
        assert_eq!(decoded(&[0x0F, 0xAF, 0xC3]).latency, 3);
        assert_eq!(decoded(&[0xF2, 0x0F, 0x58, 0xC1]).latency, 3);
        assert_eq!(decoded(&[0x01, 0xD8]).latency, 1);
    }
}
