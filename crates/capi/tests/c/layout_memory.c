/* Sizes, places and values of the header, a line each, for the test to compare. */
#include <stddef.h>
#include <stdio.h>

#include "wordline_memory.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define MEMBER(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define VALUE(name) printf(#name " %d\n", (int)(name))

int main(void)
{
    VALUE(WL_MEMORY_ABI);
    VALUE(WL_MEMORY_OK);
    VALUE(WL_MEMORY_BAD_ARGUMENT);
    VALUE(WL_MEMORY_BAD_HANDLE);
    VALUE(WL_MEMORY_BAD_TARGET);
    VALUE(WL_MEMORY_OUT_OF_RANGE);
    VALUE(WL_MEMORY_MISUSE);
    VALUE(WL_MEMORY_UNCORRECTABLE);
    VALUE(WL_MEMORY_PROGRAM_FAILED);
    VALUE(WL_MEMORY_ERASE_FAILED);
    VALUE(WL_MEMORY_BAD_BLOCK);
    VALUE(WL_MEMORY_POWER_LOST);
    VALUE(WL_MEMORY_UNSUPPORTED);
    VALUE(WL_MEMORY_BAD_IMAGE);
    VALUE(WL_MEMORY_FILE);
    VALUE(WL_MEMORY_DEVICE);
    VALUE(WL_MEMORY_INTERNAL);
    VALUE(WL_MEMORY_BUSY);
    SIZE(wl_memory_options);
    MEMBER(wl_memory_options, size);
    MEMBER(wl_memory_options, abi);
    MEMBER(wl_memory_options, target);
    MEMBER(wl_memory_options, catalog);
    MEMBER(wl_memory_options, timing);
    MEMBER(wl_memory_options, seed);
    MEMBER(wl_memory_options, age);
    MEMBER(wl_memory_options, factory_bad);
    MEMBER(wl_memory_options, strict);
    MEMBER(wl_memory_options, erase_bytes);
    SIZE(wl_memory_info);
    MEMBER(wl_memory_info, size);
    MEMBER(wl_memory_info, kind);
    MEMBER(wl_memory_info, bytes);
    MEMBER(wl_memory_info, write_bytes);
    MEMBER(wl_memory_info, atom_bytes);
    MEMBER(wl_memory_info, page_bytes);
    MEMBER(wl_memory_info, spare_bytes);
    MEMBER(wl_memory_info, pages_per_block);
    MEMBER(wl_memory_info, blocks);
    MEMBER(wl_memory_info, block_bytes);
    MEMBER(wl_memory_info, programs_per_page);
    MEMBER(wl_memory_info, once_bytes);
    MEMBER(wl_memory_info, in_order);
    MEMBER(wl_memory_info, wear_unit_bytes);
    MEMBER(wl_memory_info, endurance);
    MEMBER(wl_memory_info, read_bytes);
    MEMBER(wl_memory_info, erase_sizes);
    MEMBER(wl_memory_info, background);
    MEMBER(wl_memory_info, suspend);
    MEMBER(wl_memory_info, moves);
    MEMBER(wl_memory_info, banks);
    SIZE(wl_memory_ecc);
    MEMBER(wl_memory_ecc, size);
    MEMBER(wl_memory_ecc, corrected);
    MEMBER(wl_memory_ecc, refresh);
    MEMBER(wl_memory_ecc, lost);
    SIZE(wl_memory_stats);
    MEMBER(wl_memory_stats, size);
    MEMBER(wl_memory_stats, reads);
    MEMBER(wl_memory_stats, programs);
    MEMBER(wl_memory_stats, erases);
    MEMBER(wl_memory_stats, writes);
    MEMBER(wl_memory_stats, syncs);
    MEMBER(wl_memory_stats, failures);
    MEMBER(wl_memory_stats, bytes_read);
    MEMBER(wl_memory_stats, bytes_written);
    MEMBER(wl_memory_stats, busy_ps);
    MEMBER(wl_memory_stats, longest_ps);
    MEMBER(wl_memory_stats, corrected_bits);
    MEMBER(wl_memory_stats, power_cuts);
    SIZE(wl_memory_cut);
    MEMBER(wl_memory_cut, size);
    MEMBER(wl_memory_cut, operations);
    MEMBER(wl_memory_cut, time_ps);
    MEMBER(wl_memory_cut, tear);
    MEMBER(wl_memory_cut, seed);
    MEMBER(wl_memory_cut, erase_leaves);
    SIZE(wl_memory_fault);
    MEMBER(wl_memory_fault, size);
    MEMBER(wl_memory_fault, kind);
    MEMBER(wl_memory_fault, at);
    MEMBER(wl_memory_fault, bytes);
    MEMBER(wl_memory_fault, after);
    MEMBER(wl_memory_fault, times);
    MEMBER(wl_memory_fault, one_in);
    MEMBER(wl_memory_fault, seed);
    SIZE(wl_memory_ideal);
    MEMBER(wl_memory_ideal, size);
    MEMBER(wl_memory_ideal, abi);
    MEMBER(wl_memory_ideal, kind);
    MEMBER(wl_memory_ideal, read_bytes);
    MEMBER(wl_memory_ideal, write_bytes);
    MEMBER(wl_memory_ideal, erase_bytes);
    MEMBER(wl_memory_ideal, blocks);
    MEMBER(wl_memory_ideal, page_bytes);
    MEMBER(wl_memory_ideal, spare_bytes);
    MEMBER(wl_memory_ideal, programs_per_page);
    MEMBER(wl_memory_ideal, in_order);
    MEMBER(wl_memory_ideal, marks);
    MEMBER(wl_memory_ideal, moves);
    MEMBER(wl_memory_ideal, banks);
    MEMBER(wl_memory_ideal, atom_bytes);
    MEMBER(wl_memory_ideal, endurance);
    MEMBER(wl_memory_ideal, read_ps);
    MEMBER(wl_memory_ideal, read_byte_ps);
    MEMBER(wl_memory_ideal, program_ps);
    MEMBER(wl_memory_ideal, program_byte_ps);
    MEMBER(wl_memory_ideal, erase_ps);
    MEMBER(wl_memory_ideal, strict);
    SIZE(wl_memory_work);
    MEMBER(wl_memory_work, size);
    MEMBER(wl_memory_work, phase);
    MEMBER(wl_memory_work, at);
    MEMBER(wl_memory_work, bytes);
    MEMBER(wl_memory_work, ends_ps);
    SIZE(wl_memory_operation);
    MEMBER(wl_memory_operation, size);
    MEMBER(wl_memory_operation, kind);
    MEMBER(wl_memory_operation, at);
    MEMBER(wl_memory_operation, bytes);
    MEMBER(wl_memory_operation, start_ps);
    MEMBER(wl_memory_operation, duration_ps);
    MEMBER(wl_memory_operation, failed);
    return 0;
}
