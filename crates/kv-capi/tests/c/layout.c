/* Sizes, places and values of the header, a line each, for the test to compare. */
#include <stddef.h>
#include <stdio.h>

#include "wordline_kv.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define MEMBER(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define VALUE(name) printf(#name " %d\n", (int)(name))

int main(void)
{
    VALUE(WL_KV_OK);
    VALUE(WL_KV_NOT_FOUND);
    VALUE(WL_KV_BAD_ARGUMENT);
    VALUE(WL_KV_MEMORY);
    VALUE(WL_KV_FOREIGN);
    VALUE(WL_KV_VERSION);
    VALUE(WL_KV_TRUNCATED);
    VALUE(WL_KV_BAD_HEADER);
    VALUE(WL_KV_CORRUPT);
    VALUE(WL_KV_ATOM);
    VALUE(WL_KV_SLOT_SIZE);
    VALUE(WL_KV_TOO_SMALL);
    VALUE(WL_KV_DIRECTORY);
    VALUE(WL_KV_NO_DIRECTORY);
    VALUE(WL_KV_SCRATCH);
    VALUE(WL_KV_KEY);
    VALUE(WL_KV_VALUE);
    VALUE(WL_KV_NO_ROOM);
    VALUE(WL_KV_BUFFER);
    VALUE(WL_KV_OTHER);
    SIZE(wl_kv_memory);
    MEMBER(wl_kv_memory, user);
    MEMBER(wl_kv_memory, bytes);
    MEMBER(wl_kv_memory, atom);
    MEMBER(wl_kv_memory, read);
    MEMBER(wl_kv_memory, write);
    MEMBER(wl_kv_memory, persist);
    SIZE(wl_kv_options);
    MEMBER(wl_kv_options, slot_bytes);
    MEMBER(wl_kv_options, resident);
    MEMBER(wl_kv_options, seed);
    SIZE(wl_kv_info);
    MEMBER(wl_kv_info, slot_bytes);
    MEMBER(wl_kv_info, slots);
    MEMBER(wl_kv_info, resident);
    MEMBER(wl_kv_info, directory_words);
    MEMBER(wl_kv_info, scratch_bytes);
    SIZE(wl_kv_recovery);
    MEMBER(wl_kv_recovery, torn);
    MEMBER(wl_kv_recovery, superseded);
    MEMBER(wl_kv_recovery, mended);
    MEMBER(wl_kv_recovery, damaged);
    SIZE(wl_kv);
    MEMBER(wl_kv, words);
    return 0;
}
