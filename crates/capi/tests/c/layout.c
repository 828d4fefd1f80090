/* Sizes, places and values of the header, a line each, for the test to compare. */
#include <stddef.h>
#include <stdio.h>

#include "wordline_dram.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define MEMBER(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define VALUE(name) printf(#name " %d\n", (int)(name))

int main(void)
{
    VALUE(WL_DRAM_ABI);
    VALUE(WL_DRAM_CAUSES);
    VALUE(WL_DRAM_OK);
    VALUE(WL_DRAM_BAD_ARGUMENT);
    VALUE(WL_DRAM_BAD_HANDLE);
    VALUE(WL_DRAM_BAD_TARGET);
    VALUE(WL_DRAM_BAD_ADDRESS);
    VALUE(WL_DRAM_FULL);
    VALUE(WL_DRAM_BAD_TIME);
    VALUE(WL_DRAM_BUSY);
    VALUE(WL_DRAM_INTERNAL);
    SIZE(wl_dram_options);
    MEMBER(wl_dram_options, size);
    MEMBER(wl_dram_options, abi);
    MEMBER(wl_dram_options, target);
    MEMBER(wl_dram_options, settings);
    MEMBER(wl_dram_options, catalog);
    MEMBER(wl_dram_options, complete);
    MEMBER(wl_dram_options, user);
    MEMBER(wl_dram_options, backlog);
    SIZE(wl_dram_request);
    MEMBER(wl_dram_request, address);
    MEMBER(wl_dram_request, id);
    MEMBER(wl_dram_request, is_write);
    SIZE(wl_dram_completion);
    MEMBER(wl_dram_completion, id);
    MEMBER(wl_dram_completion, time_ps);
    MEMBER(wl_dram_completion, is_write);
    SIZE(wl_dram_info);
    MEMBER(wl_dram_info, size);
    MEMBER(wl_dram_info, bytes);
    MEMBER(wl_dram_info, line_bytes);
    MEMBER(wl_dram_info, channels);
    MEMBER(wl_dram_info, sub_channels);
    MEMBER(wl_dram_info, pseudo_channels);
    MEMBER(wl_dram_info, read_queue);
    MEMBER(wl_dram_info, write_queue);
    MEMBER(wl_dram_info, clock_ps);
    MEMBER(wl_dram_info, peak_bytes_per_second);
    SIZE(wl_dram_stats);
    MEMBER(wl_dram_stats, size);
    MEMBER(wl_dram_stats, time_ps);
    MEMBER(wl_dram_stats, reads);
    MEMBER(wl_dram_stats, writes);
    MEMBER(wl_dram_stats, forwarded);
    MEMBER(wl_dram_stats, merged);
    MEMBER(wl_dram_stats, row_hits);
    MEMBER(wl_dram_stats, row_misses);
    MEMBER(wl_dram_stats, row_conflicts);
    MEMBER(wl_dram_stats, activates);
    MEMBER(wl_dram_stats, refreshes);
    MEMBER(wl_dram_stats, read_latency_seconds);
    MEMBER(wl_dram_stats, energy_joules);
    MEMBER(wl_dram_stats, read_wait_seconds);
    return 0;
}
