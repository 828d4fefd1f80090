/* Sizes, places and values of the header, a line each, for the test to compare. */
#include <stddef.h>
#include <stdio.h>

#include "wordline_flat.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define MEMBER(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define VALUE(name) printf(#name " %d\n", (int)(name))

int main(void)
{
    VALUE(WL_FLAT_OK);
    VALUE(WL_FLAT_END);
    VALUE(WL_FLAT_BAD_ARGUMENT);
    VALUE(WL_FLAT_NOT_MOUNTED);
    VALUE(WL_FLAT_BAD_HANDLE);
    VALUE(WL_FLAT_MEMORY);
    VALUE(WL_FLAT_FOREIGN);
    VALUE(WL_FLAT_VERSION);
    VALUE(WL_FLAT_TRUNCATED);
    VALUE(WL_FLAT_BAD_HEADER);
    VALUE(WL_FLAT_CORRUPT);
    VALUE(WL_FLAT_ATOM);
    VALUE(WL_FLAT_SHAPE);
    VALUE(WL_FLAT_CAPACITY);
    VALUE(WL_FLAT_RAM);
    VALUE(WL_FLAT_NOT_FOUND);
    VALUE(WL_FLAT_EXISTS);
    VALUE(WL_FLAT_NOT_A_DIRECTORY);
    VALUE(WL_FLAT_IS_A_DIRECTORY);
    VALUE(WL_FLAT_NOT_EMPTY);
    VALUE(WL_FLAT_BAD_NAME);
    VALUE(WL_FLAT_INTO_ITSELF);
    VALUE(WL_FLAT_NO_SPACE);
    VALUE(WL_FLAT_NO_RECORDS);
    VALUE(WL_FLAT_FRAGMENTED);
    VALUE(WL_FLAT_TOO_LONG);
    VALUE(WL_FLAT_BUSY);
    VALUE(WL_FLAT_TOO_MANY_OPEN);
    VALUE(WL_FLAT_PAST_END);
    VALUE(WL_FLAT_OTHER);
    SIZE(wl_flat_memory);
    MEMBER(wl_flat_memory, user);
    MEMBER(wl_flat_memory, bytes);
    MEMBER(wl_flat_memory, atom);
    MEMBER(wl_flat_memory, read);
    MEMBER(wl_flat_memory, write);
    MEMBER(wl_flat_memory, persist);
    SIZE(wl_flat_shape);
    MEMBER(wl_flat_shape, bytes);
    MEMBER(wl_flat_shape, unit_bytes);
    MEMBER(wl_flat_shape, records);
    MEMBER(wl_flat_shape, extents);
    SIZE(wl_flat_use);
    MEMBER(wl_flat_use, open_files);
    MEMBER(wl_flat_use, reserve_bytes);
    SIZE(wl_flat_room);
    MEMBER(wl_flat_room, total);
    MEMBER(wl_flat_room, free);
    MEMBER(wl_flat_room, free_records);
    SIZE(wl_flat_entry);
    MEMBER(wl_flat_entry, bytes);
    MEMBER(wl_flat_entry, is_directory);
    MEMBER(wl_flat_entry, name);
    SIZE(wl_flat_problem);
    MEMBER(wl_flat_problem, status);
    MEMBER(wl_flat_problem, code);
    MEMBER(wl_flat_problem, found);
    MEMBER(wl_flat_problem, least);
    MEMBER(wl_flat_problem, most);
    SIZE(wl_flat);
    MEMBER(wl_flat, words);
    SIZE(wl_flat_file);
    MEMBER(wl_flat_file, words);
    SIZE(wl_flat_dir);
    MEMBER(wl_flat_dir, words);
    return 0;
}
