//! The public interface of QEMU's plugins, as far as this one needs it: types, and functions that the running QEMU has.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// A plugin, as QEMU numbers it.
pub(crate) type PluginId = u64;

/// A block that is translated.
pub(crate) type TranslatedBlock = *mut c_void;

/// An instruction that is translated.
pub(crate) type TranslatedInstruction = *mut c_void;

/// The system that runs: `qemu_info_t`, of which only the beginning is read.
#[repr(C)]
pub(crate) struct QemuInfo {
    pub(crate) target_name: *const c_char,
    pub(crate) version_min: c_int,
    pub(crate) version_cur: c_int,
    pub(crate) system_emulation: bool,
}

pub(crate) type SimpleCallback = extern "C" fn(PluginId, c_uint);
pub(crate) type BlockCallback = extern "C" fn(PluginId, TranslatedBlock);
pub(crate) type ExecutedCallback = extern "C" fn(c_uint, *mut c_void);
pub(crate) type MemoryCallback = extern "C" fn(c_uint, u32, u64, *mut c_void);
pub(crate) type SystemCallCallback = extern "C" fn(PluginId, c_uint, i64, i64);
pub(crate) type EndCallback = extern "C" fn(PluginId, *mut c_void);

/// A callback that touches no register of the program.
pub(crate) const NO_REGISTERS: c_int = 0;

/// Loads and stores.
pub(crate) const LOADS_AND_STORES: c_int = 3;

macro_rules! functions {
    ($($name:ident: $type:ty = $symbol:literal;)*) => {
        /// Functions of QEMU.
        #[derive(Clone, Copy)]
        pub(crate) struct QemuFunctions {
            $(pub(crate) $name: $type,)*
        }

        impl QemuFunctions {
            /// Finds them in the process, or says which is missing.
            pub(crate) fn find() -> Result<Self, &'static CStr> {
                Ok(Self {
                    $($name: {
                        let found = symbol($symbol);
                        if found.is_null() {
                            return Err($symbol);
                        }
                        // SAFETY: a symbol of this name is a function of QEMU's public interface with this type.
                        unsafe { std::mem::transmute::<*mut c_void, $type>(found) }
                    },)*
                })
            }
        }
    };
}

functions! {
    on_vcpu_init: extern "C" fn(PluginId, SimpleCallback) = c"qemu_plugin_register_vcpu_init_cb";
    on_vcpu_exit: extern "C" fn(PluginId, SimpleCallback) = c"qemu_plugin_register_vcpu_exit_cb";
    on_translation: extern "C" fn(PluginId, BlockCallback) = c"qemu_plugin_register_vcpu_tb_trans_cb";
    on_block: extern "C" fn(TranslatedBlock, ExecutedCallback, c_int, *mut c_void) = c"qemu_plugin_register_vcpu_tb_exec_cb";
    on_memory: extern "C" fn(TranslatedInstruction, MemoryCallback, c_int, c_int, *mut c_void) = c"qemu_plugin_register_vcpu_mem_cb";
    on_system_call_return: extern "C" fn(PluginId, SystemCallCallback) = c"qemu_plugin_register_vcpu_syscall_ret_cb";
    on_end: extern "C" fn(PluginId, EndCallback, *mut c_void) = c"qemu_plugin_register_atexit_cb";
    instructions_of: extern "C" fn(TranslatedBlock) -> usize = c"qemu_plugin_tb_n_insns";
    instruction: extern "C" fn(TranslatedBlock, usize) -> TranslatedInstruction = c"qemu_plugin_tb_get_insn";
    data: extern "C" fn(TranslatedInstruction, *mut c_void, usize) -> usize = c"qemu_plugin_insn_data";
    size: extern "C" fn(TranslatedInstruction) -> usize = c"qemu_plugin_insn_size";
    address: extern "C" fn(TranslatedInstruction) -> u64 = c"qemu_plugin_insn_vaddr";
    size_shift: extern "C" fn(u32) -> c_uint = c"qemu_plugin_mem_size_shift";
    is_store: extern "C" fn(u32) -> bool = c"qemu_plugin_mem_is_store";
}

/// A symbol of the process, null where there is none.
pub(crate) fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero, and looking it up changes nothing.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Longest instruction in bytes.
const INSTRUCTION_MAX: usize = 16;

impl QemuFunctions {
    /// The bytes of an instruction. From version 3 of the interface on QEMU copies them; before it says where they are.
    pub(crate) fn bytes(
        &self,
        of: TranslatedInstruction,
        version: c_int,
        into: &mut [u8; INSTRUCTION_MAX],
    ) -> usize {
        let length = (self.size)(of).min(INSTRUCTION_MAX);
        let answer = (self.data)(of, into.as_mut_ptr().cast(), length);
        if version < 3 && answer != 0 {
            // SAFETY: before version 3 the answer is the address of as many bytes, valid during the translation.
            unsafe {
                std::ptr::copy_nonoverlapping(answer as *const u8, into.as_mut_ptr(), length);
            }
        }
        length
    }
}
