/* Sizes, places and values of the header, a line each, for the test to compare. */
#include <stddef.h>
#include <stdio.h>

#include "wordline_rtfs.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define MEMBER(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define VALUE(name) printf(#name " %d\n", (int)(name))

int main(void)
{
    VALUE(WL_RTFS_OK);
    VALUE(WL_RTFS_END);
    VALUE(WL_RTFS_BAD_ARGUMENT);
    VALUE(WL_RTFS_NOT_MOUNTED);
    VALUE(WL_RTFS_BAD_HANDLE);
    VALUE(WL_RTFS_FLASH);
    VALUE(WL_RTFS_NEEDS_MOUNT);
    VALUE(WL_RTFS_FOREIGN);
    VALUE(WL_RTFS_NO_FILES);
    VALUE(WL_RTFS_VERSION);
    VALUE(WL_RTFS_DIFFERS);
    VALUE(WL_RTFS_UNSUITABLE);
    VALUE(WL_RTFS_MEMORY);
    VALUE(WL_RTFS_LOST);
    VALUE(WL_RTFS_WORN_OUT);
    VALUE(WL_RTFS_NOT_FOUND);
    VALUE(WL_RTFS_EXISTS);
    VALUE(WL_RTFS_NOT_A_DIRECTORY);
    VALUE(WL_RTFS_IS_A_DIRECTORY);
    VALUE(WL_RTFS_NOT_EMPTY);
    VALUE(WL_RTFS_BAD_NAME);
    VALUE(WL_RTFS_INTO_ITSELF);
    VALUE(WL_RTFS_NO_SPACE);
    VALUE(WL_RTFS_TOO_LONG);
    VALUE(WL_RTFS_STALE);
    VALUE(WL_RTFS_DIRECTORY_FULL);
    VALUE(WL_RTFS_DAMAGED);
    VALUE(WL_RTFS_OTHER);
    VALUE(WL_RTFS_TOO_MANY);
    VALUE(WL_RTFS_UNWRITTEN);
    VALUE(WL_RTFS_RECORD_BYTES);
    SIZE(wl_rtfs_flash);
    MEMBER(wl_rtfs_flash, user);
    MEMBER(wl_rtfs_flash, page_bytes);
    MEMBER(wl_rtfs_flash, spare_bytes);
    MEMBER(wl_rtfs_flash, pages_per_block);
    MEMBER(wl_rtfs_flash, blocks);
    MEMBER(wl_rtfs_flash, columns);
    MEMBER(wl_rtfs_flash, read);
    MEMBER(wl_rtfs_flash, program);
    MEMBER(wl_rtfs_flash, erase);
    MEMBER(wl_rtfs_flash, is_bad);
    MEMBER(wl_rtfs_flash, mark_bad);
    MEMBER(wl_rtfs_flash, erase_mode);
    MEMBER(wl_rtfs_flash, begin_erase);
    MEMBER(wl_rtfs_flash, advance_erase);
    MEMBER(wl_rtfs_flash, move_page);
    SIZE(wl_rtfs_config);
    MEMBER(wl_rtfs_config, logical_pages);
    MEMBER(wl_rtfs_config, bad_blocks);
    MEMBER(wl_rtfs_config, log_entries);
    SIZE(wl_rtfs_bound);
    MEMBER(wl_rtfs_bound, blocks);
    MEMBER(wl_rtfs_bound, data_pages);
    MEMBER(wl_rtfs_bound, header_pages);
    MEMBER(wl_rtfs_bound, map_pages);
    MEMBER(wl_rtfs_bound, victim_pages);
    MEMBER(wl_rtfs_bound, stores);
    MEMBER(wl_rtfs_bound, retired);
    MEMBER(wl_rtfs_bound, user_pages);
    MEMBER(wl_rtfs_bound, steps_per_page);
    MEMBER(wl_rtfs_bound, erase_parts);
    MEMBER(wl_rtfs_bound, ram_bytes);
    SIZE(wl_rtfs_counts);
    MEMBER(wl_rtfs_counts, spare_reads);
    MEMBER(wl_rtfs_counts, reads);
    MEMBER(wl_rtfs_counts, programs);
    MEMBER(wl_rtfs_counts, moves);
    MEMBER(wl_rtfs_counts, erases);
    MEMBER(wl_rtfs_counts, erase_millionths);
    MEMBER(wl_rtfs_counts, suspends);
    SIZE(wl_rtfs_space);
    MEMBER(wl_rtfs_space, pages);
    MEMBER(wl_rtfs_space, free_pages);
    MEMBER(wl_rtfs_space, more);
    MEMBER(wl_rtfs_space, page_bytes);
    MEMBER(wl_rtfs_space, longest_file);
    MEMBER(wl_rtfs_space, longest_name);
    MEMBER(wl_rtfs_space, good_blocks);
    MEMBER(wl_rtfs_space, most_erases);
    MEMBER(wl_rtfs_space, least_erases);
    SIZE(wl_rtfs_entry);
    MEMBER(wl_rtfs_entry, bytes);
    MEMBER(wl_rtfs_entry, is_directory);
    MEMBER(wl_rtfs_entry, name);
    SIZE(wl_rtfs_problem);
    MEMBER(wl_rtfs_problem, status);
    MEMBER(wl_rtfs_problem, code);
    MEMBER(wl_rtfs_problem, what);
    MEMBER(wl_rtfs_problem, what_bytes);
    MEMBER(wl_rtfs_problem, found);
    MEMBER(wl_rtfs_problem, least);
    MEMBER(wl_rtfs_problem, most);
    SIZE(wl_rtfs_part);
    MEMBER(wl_rtfs_part, file);
    MEMBER(wl_rtfs_part, at);
    MEMBER(wl_rtfs_part, data);
    MEMBER(wl_rtfs_part, bytes);
    SIZE(wl_rtfs_nor);
    MEMBER(wl_rtfs_nor, words);
    SIZE(wl_rtfs);
    MEMBER(wl_rtfs, words);
    SIZE(wl_rtfs_file);
    MEMBER(wl_rtfs_file, words);
    SIZE(wl_rtfs_dir);
    MEMBER(wl_rtfs_dir, words);
    return 0;
}
