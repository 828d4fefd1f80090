/* Files on a NAND: every call, every status that a caller can bring about, power cuts, blocks that fail, damage. */
#include "nand.h"

#define RAM 2048

static nand chip;
static unsigned char ram[RAM];
static wl_rtfs fs;
static wl_rtfs_file file, other;
static wl_rtfs_dir dir;

static const wl_rtfs_flash flash = {&chip,        PAGE,       SPARE,       BLOCK,         BLOCKS, WL_RTFS_COLUMNS(1), nand_read,
                                    nand_program, nand_erase, nand_is_bad, nand_mark_bad, WL_RTFS_ERASE_AWAITED, NULL, NULL,
                                    nand_move};
static const wl_rtfs_config config = {256, 3, 0};

static void format(void)
{
    memset(&chip, 0, sizeof chip);
    memset(chip.bytes, 0xA5, sizeof chip.bytes);
    chip.left = -1;
    memset(ram, 0xA5, sizeof ram);
    CHECK(wl_rtfs_format(&fs, &flash, &config, 7, ram, sizeof ram) == WL_RTFS_OK);
}

static wl_rtfs_status mount(void)
{
    memset(ram, 0xA5, sizeof ram);
    return wl_rtfs_mount(&fs, &flash, &config, ram, sizeof ram);
}

static int holds(const char *path, const char *expected)
{
    char text[600];
    size_t bytes = 0;
    CHECK(strlen(expected) < sizeof text);
    if (wl_rtfs_open(&fs, &other, path, 0) != WL_RTFS_OK
        || wl_rtfs_read(&fs, &other, 0, text, sizeof text, &bytes) != WL_RTFS_OK) {
        return 0;
    }
    return bytes == strlen(expected) && memcmp(text, expected, bytes) == 0;
}

static void put(const char *path, const char *text)
{
    CHECK(wl_rtfs_open(&fs, &file, path, WL_RTFS_CREATE | WL_RTFS_TRUNCATE) == WL_RTFS_OK);
    CHECK(wl_rtfs_write(&fs, &file, 0, text, strlen(text)) == WL_RTFS_OK);
}

static wl_rtfs_problem problem(void)
{
    wl_rtfs_problem found;
    CHECK(wl_rtfs_problem_of(&fs, &found) == WL_RTFS_OK);
    return found;
}

static void calls(void)
{
    static unsigned char big[5 * PAGE], back[5 * PAGE];
    wl_rtfs_entry entry;
    wl_rtfs_space space;
    uint64_t length = 0, at = 0, gone = 0;
    uint32_t worked = 1, names = 0;
    size_t got = 0, i;
    format();
    put("/settings", "baud 9600");
    CHECK(holds("settings", "baud 9600") && holds("//settings/", "baud 9600"));
    CHECK(wl_rtfs_append(&fs, &file, "\nparity e", 9, &at) == WL_RTFS_OK && at == 9);
    CHECK(holds("/settings", "baud 9600\nparity e"));
    CHECK(wl_rtfs_write(&fs, &file, 5, "4800", 4) == WL_RTFS_OK && holds("/settings", "baud 4800\nparity e"));
    CHECK(wl_rtfs_truncate(&fs, &file, 9) == WL_RTFS_OK && holds("/settings", "baud 4800"));
    CHECK(wl_rtfs_length(&fs, &file, &length) == WL_RTFS_OK && length == 9);
    CHECK(wl_rtfs_read(&fs, &file, 9, back, 1, &got) == WL_RTFS_OK && got == 0);
    CHECK(wl_rtfs_read(&fs, &file, UINT64_MAX, back, 1, &got) == WL_RTFS_OK && got == 0);

    CHECK(wl_rtfs_mkdir(&fs, "/log") == WL_RTFS_OK && wl_rtfs_mkdir(&fs, "/log") == WL_RTFS_EXISTS);
    CHECK(wl_rtfs_open(&fs, &file, "/log/today", WL_RTFS_CREATE | WL_RTFS_EXCLUSIVE) == WL_RTFS_OK);
    CHECK(wl_rtfs_open(&fs, &other, "/log/today", WL_RTFS_CREATE | WL_RTFS_EXCLUSIVE) == WL_RTFS_EXISTS);
    CHECK(wl_rtfs_close(&fs, &other) == WL_RTFS_BAD_HANDLE);
    for (i = 0; i < sizeof big; ++i) {
        big[i] = (unsigned char)(i * 7 + i / PAGE);
    }
    CHECK(wl_rtfs_write(&fs, &file, 0, big, sizeof big) == WL_RTFS_OK);
    CHECK(wl_rtfs_read(&fs, &file, 0, back, sizeof back, &got) == WL_RTFS_OK);
    CHECK(got == sizeof big && memcmp(big, back, got) == 0);
    CHECK(wl_rtfs_discard_front(&fs, &file, 2 * PAGE + 1, &gone) == WL_RTFS_OK && gone == 2 * PAGE);
    CHECK(wl_rtfs_read(&fs, &file, 0, back, sizeof back, &got) == WL_RTFS_OK);
    CHECK(got == 3 * PAGE && memcmp(big + 2 * PAGE, back, got) == 0);

    CHECK(wl_rtfs_stat(&fs, "/log/today", &entry) == WL_RTFS_OK);
    CHECK(strcmp(entry.name, "today") == 0 && entry.bytes == 3 * PAGE && !entry.is_directory);
    CHECK(wl_rtfs_stat(&fs, "/", &entry) == WL_RTFS_OK && entry.is_directory && strcmp(entry.name, "/") == 0);
    /* The path lies in the entry that is filled: in its name, and over its first fields. */
    strcpy(entry.name, "/settings");
    CHECK(wl_rtfs_stat(&fs, entry.name, &entry) == WL_RTFS_OK && !entry.is_directory);
    CHECK(strcmp(entry.name, "settings") == 0);
    memcpy(&entry, "/settings", sizeof "/settings");
    CHECK(wl_rtfs_stat(&fs, (const char *)&entry, &entry) == WL_RTFS_OK && !entry.is_directory);
    CHECK(strcmp(entry.name, "settings") == 0);
    CHECK(wl_rtfs_rename(&fs, "/settings", "/log/settings") == WL_RTFS_OK);
    CHECK(wl_rtfs_open_dir(&fs, &dir, "/log") == WL_RTFS_OK);
    while (wl_rtfs_next_entry(&fs, &dir, &entry) == WL_RTFS_OK) {
        CHECK(!entry.is_directory && (strcmp(entry.name, "settings") == 0 || strcmp(entry.name, "today") == 0));
        ++names;
    }
    CHECK(names == 2 && wl_rtfs_next_entry(&fs, &dir, &entry) == WL_RTFS_END);

    CHECK(wl_rtfs_remove(&fs, "/log") == WL_RTFS_NOT_EMPTY);
    CHECK(wl_rtfs_remove(&fs, "/log/today") == WL_RTFS_OK);
    CHECK(wl_rtfs_read(&fs, &file, 0, back, 1, &got) == WL_RTFS_STALE && got == 0);
    CHECK(wl_rtfs_space_of(&fs, &space) == WL_RTFS_OK);
    CHECK(space.pages == 256 && space.page_bytes == PAGE && space.more && space.good_blocks == BLOCKS);
    CHECK(space.longest_name >= 64 && space.longest_file > 16 * PAGE);
    CHECK(wl_rtfs_work(&fs, 1, NULL) == WL_RTFS_OK);
    for (i = 0; worked && i < 10000; ++i) {
        CHECK(wl_rtfs_work(&fs, 1, &worked) == WL_RTFS_OK);
    }
    CHECK(!worked && wl_rtfs_space_of(&fs, &space) == WL_RTFS_OK && !space.more);
    CHECK(mount() == WL_RTFS_OK && holds("/log/settings", "baud 4800"));
}

/* What a caller does wrong is a status, and changes nothing. */
static void misuse(void)
{
    static const char long_name[] = "/0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
                                    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567";
    wl_rtfs blank;
    wl_rtfs_flash wrong = flash;
    wl_rtfs_config wide = config;
    wl_rtfs_entry entry;
    wl_rtfs_problem found;
    wl_rtfs_bound bound, odd;
    wl_rtfs_counts counts;
    wl_rtfs_part parts[1];
    uint64_t length;
    uint32_t left = 1;
    char byte;
    memset(parts, 0, sizeof parts);
    memset(&blank, 0, sizeof blank);
    memset(&file, 0, sizeof file);
    format();

    CHECK(wl_rtfs_mount(NULL, &flash, &config, ram, sizeof ram) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_mount(&blank, NULL, &config, ram, sizeof ram) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_mount(&blank, &flash, NULL, ram, sizeof ram) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_mount(&blank, &flash, &config, NULL, sizeof ram) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_mount((wl_rtfs *)((char *)&blank + 1), &flash, &config, ram, sizeof ram) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_problem_of(&blank, &found) == WL_RTFS_NOT_MOUNTED);
    wrong.erase = NULL;
    CHECK(wl_rtfs_mount(&blank, &wrong, &config, ram, sizeof ram) == WL_RTFS_BAD_ARGUMENT);
    wrong = flash;
    wrong.columns[3] = wrong.columns[2];
    CHECK(wl_rtfs_mount(&blank, &wrong, &config, ram, sizeof ram) == WL_RTFS_BAD_ARGUMENT);
    wrong = flash;
    wrong.page_bytes = 0;
    CHECK(wl_rtfs_plan(&wrong, &config, &bound, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_largest(&wrong, 3, 4) == 0 && wl_rtfs_largest(NULL, 3, 4) == 0);
    wrong = flash;
    wrong.columns[0] = SPARE;
    CHECK(wl_rtfs_mount(&blank, &wrong, &config, ram, sizeof ram) == WL_RTFS_UNSUITABLE);
    CHECK(wl_rtfs_mount(&blank, &flash, &config, ram, 16) == WL_RTFS_MEMORY);
    CHECK(wl_rtfs_problem_of(&blank, &found) == WL_RTFS_OK && found.status == WL_RTFS_MEMORY);
    CHECK(wl_rtfs_plan(&flash, &config, &bound, NULL) == WL_RTFS_OK);
    CHECK(found.found == 16 && found.least == bound.ram_bytes && bound.ram_bytes <= sizeof ram);
    /* A bound that no plan gave makes counts without a meaning, and does nothing worse. */
    memset(&odd, 0xFF, sizeof odd);
    CHECK(wl_rtfs_write_counts(&odd, UINT32_MAX, &counts, &counts) == WL_RTFS_OK);
    CHECK(wl_rtfs_read_counts(&odd, UINT32_MAX, &counts) == WL_RTFS_OK && wl_rtfs_mount_counts(&odd, &counts) == WL_RTFS_OK);
    odd.erase_parts = 1;
    CHECK(wl_rtfs_write_counts(&odd, UINT32_MAX, &counts, &counts) == WL_RTFS_OK);
    wide.logical_pages = PAGES;
    CHECK(wl_rtfs_plan(&flash, &wide, NULL, &found) == WL_RTFS_UNSUITABLE);
    CHECK(found.found == PAGES && found.most > 256 && found.most < PAGES);
    CHECK(found.what_bytes == strlen("logical pages") && memcmp(found.what, "logical pages", found.what_bytes) == 0);
    wide.logical_pages = UINT32_MAX;
    CHECK(wl_rtfs_plan(&flash, &wide, NULL, NULL) == WL_RTFS_UNSUITABLE);
    wide.logical_pages = 255;
    CHECK(wl_rtfs_mount(&blank, &flash, &wide, ram, sizeof ram) == WL_RTFS_DIFFERS);
    CHECK(wl_rtfs_problem_of(&blank, &found) == WL_RTFS_OK && found.found == 255 && found.least == 256);
    /* Nothing of it is mounted. */
    CHECK(wl_rtfs_open(&blank, &file, "/a", WL_RTFS_CREATE) == WL_RTFS_NOT_MOUNTED);
    CHECK(wl_rtfs_mkdir(&blank, "/a") == WL_RTFS_NOT_MOUNTED && wl_rtfs_work(&blank, 1, NULL) == WL_RTFS_NOT_MOUNTED);
    CHECK(wl_rtfs_unmount(&blank) == WL_RTFS_NOT_MOUNTED && wl_rtfs_unmount(NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_space_of(&blank, NULL) == WL_RTFS_NOT_MOUNTED);

    CHECK(mount() == WL_RTFS_OK);
    CHECK(wl_rtfs_length(&fs, &file, &length) == WL_RTFS_BAD_HANDLE);
    CHECK(wl_rtfs_length(&fs, NULL, &length) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_open(&fs, NULL, "/a", 0) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_open(&fs, &file, NULL, 0) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_open(&fs, &file, "/a", 8) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_open(&fs, &file, "/a", 0) == WL_RTFS_NOT_FOUND && problem().status == WL_RTFS_NOT_FOUND);
    CHECK(wl_rtfs_open(&fs, &file, "/", 0) == WL_RTFS_IS_A_DIRECTORY);
    CHECK(wl_rtfs_open(&fs, &file, "/\xFF", WL_RTFS_CREATE) == WL_RTFS_BAD_NAME);
    CHECK(wl_rtfs_open(&fs, &file, "/..", WL_RTFS_CREATE) == WL_RTFS_BAD_NAME);
    CHECK(wl_rtfs_open(&fs, &file, long_name, WL_RTFS_CREATE) == WL_RTFS_BAD_NAME && problem().most < 160);
    put("/a", "first");
    CHECK(wl_rtfs_open(&fs, &file, "/a/b", WL_RTFS_CREATE) == WL_RTFS_NOT_A_DIRECTORY);
    CHECK(wl_rtfs_mkdir(&fs, "/d") == WL_RTFS_OK && wl_rtfs_rename(&fs, "/d", "/d/d") == WL_RTFS_INTO_ITSELF);
    CHECK(wl_rtfs_rename(&fs, "/a", "/d") == WL_RTFS_IS_A_DIRECTORY && wl_rtfs_rename(&fs, "/d", "/a") == WL_RTFS_NOT_A_DIRECTORY);
    CHECK(wl_rtfs_rename(&fs, "/a", NULL) == WL_RTFS_BAD_ARGUMENT && wl_rtfs_rename(&fs, NULL, "/a") == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_stat(&fs, "/a", NULL) == WL_RTFS_BAD_ARGUMENT && wl_rtfs_stat(&fs, "/b", &entry) == WL_RTFS_NOT_FOUND);
    CHECK(wl_rtfs_open_dir(&fs, &dir, "/a") == WL_RTFS_NOT_A_DIRECTORY);
    CHECK(wl_rtfs_next_entry(&fs, &dir, &entry) == WL_RTFS_BAD_HANDLE);

    CHECK(wl_rtfs_open(&fs, &file, "/a", 0) == WL_RTFS_OK);
    CHECK(wl_rtfs_read(&fs, &file, 0, NULL, 1, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_read(&fs, &file, 0, &byte, SIZE_MAX, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_read(&fs, &file, 0, NULL, 0, NULL) == WL_RTFS_OK);
    CHECK(wl_rtfs_write(&fs, &file, 0, NULL, 1) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_write(&fs, &file, UINT64_MAX, "b", 1) == WL_RTFS_TOO_LONG && problem().most > 0);
    CHECK(wl_rtfs_truncate(&fs, &file, UINT64_MAX) == WL_RTFS_TOO_LONG);
    CHECK(wl_rtfs_write_counts(NULL, 1, NULL, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_call_counts(&flash, &config, 11, 0, 1, NULL, NULL, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_call_counts(&flash, &config, WL_RTFS_CALL_READ, UINT64_MAX, 1, NULL, NULL, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_call_counts(&flash, NULL, WL_RTFS_CALL_READ, 1, 1, NULL, NULL, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_call_counts(&flash, &config, WL_RTFS_CALL_READ, 1, 1, NULL, NULL, NULL) == WL_RTFS_OK);
    parts[0].file = &file;
    CHECK(wl_rtfs_write_together(&fs, NULL, 1) == WL_RTFS_BAD_ARGUMENT && wl_rtfs_write_together(&fs, NULL, 0) == WL_RTFS_OK);
    CHECK(wl_rtfs_write_together(&fs, parts, 1) == WL_RTFS_UNWRITTEN && problem().status == WL_RTFS_UNWRITTEN);
    parts[0].bytes = 1;
    CHECK(wl_rtfs_write_together(&fs, parts, 1) == WL_RTFS_BAD_ARGUMENT);
    parts[0].file = NULL;
    CHECK(wl_rtfs_write_together(&fs, parts, 1) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_write_together(NULL, parts, 1) == WL_RTFS_BAD_ARGUMENT);
    wrong.erase_mode = WL_RTFS_ERASE_RUNS;
    CHECK(wl_rtfs_plan(&wrong, &config, NULL, NULL) == WL_RTFS_BAD_ARGUMENT);
    wrong.erase_mode = 3;
    CHECK(wl_rtfs_plan(&wrong, &config, NULL, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_leave_erase(&fs, 1, &left) == WL_RTFS_OK && !left);
    /* A handle is of one mount, and no longer of a file that was closed. */
    CHECK(mount() == WL_RTFS_OK && wl_rtfs_length(&fs, &file, &length) == WL_RTFS_BAD_HANDLE);
    CHECK(wl_rtfs_open(&fs, &file, "/a", 0) == WL_RTFS_OK && wl_rtfs_close(&fs, &file) == WL_RTFS_OK);
    CHECK(wl_rtfs_append(&fs, &file, "b", 1, NULL) == WL_RTFS_BAD_HANDLE);
    CHECK(holds("/a", "first"));
    CHECK(wl_rtfs_unmount(&fs) == WL_RTFS_OK && wl_rtfs_mkdir(&fs, "/e") == WL_RTFS_NOT_MOUNTED);

    CHECK(strcmp(wl_rtfs_text(WL_RTFS_NO_SPACE), "no page is free") == 0);
    CHECK(strcmp(wl_rtfs_text(WL_RTFS_OTHER), "another error") == 0);
    CHECK(strcmp(wl_rtfs_text(30), "unknown status") == 0 && strcmp(wl_rtfs_text(-1), "unknown status") == 0);
    memset(&chip, 0xFF, sizeof chip.bytes);
    CHECK(mount() == WL_RTFS_FOREIGN);
}

/* A flash that is full says so, and goes on when something is removed. */
static void full(void)
{
    static unsigned char page[PAGE];
    uint64_t pages = 0;
    wl_rtfs_status status;
    format();
    put("/keep", "this");
    CHECK(wl_rtfs_open(&fs, &file, "/fill", WL_RTFS_CREATE) == WL_RTFS_OK);
    while ((status = wl_rtfs_append(&fs, &file, page, sizeof page, NULL)) == WL_RTFS_OK) {
        ++pages;
    }
    CHECK(status == WL_RTFS_NO_SPACE || status == WL_RTFS_TOO_LONG);
    CHECK(pages > 200 && holds("/keep", "this"));
    CHECK(wl_rtfs_remove(&fs, "/fill") == WL_RTFS_OK);
    put("/fill", "again");
    CHECK(holds("/fill", "again") && holds("/keep", "this"));
}

/* Overwrites cost no more than the bound, and a mount neither. */
static void bounds(void)
{
    static unsigned char page[PAGE];
    wl_rtfs_bound bound, same;
    wl_rtfs_counts paced, erasing, of_mount, reading, create, creating;
    uint32_t number = 1;
    int i;
    format();
    CHECK(wl_rtfs_bound_of(&fs, &bound) == WL_RTFS_OK && wl_rtfs_plan(&flash, &config, &same, NULL) == WL_RTFS_OK);
    CHECK(bound.steps_per_page == same.steps_per_page && bound.ram_bytes == same.ram_bytes && bound.blocks == BLOCKS);
    CHECK(bound.erase_parts == 1);
    CHECK(wl_rtfs_largest(&flash, config.bad_blocks, bound.steps_per_page) >= config.logical_pages);
    CHECK(wl_rtfs_write_counts(&bound, 1, &paced, &erasing) == WL_RTFS_OK);
    CHECK(paced.programs == 1 + bound.steps_per_page && paced.erases == 0 && erasing.erases == 1);
    CHECK(wl_rtfs_mount_counts(&bound, &of_mount) == WL_RTFS_OK && of_mount.spare_reads == BLOCKS);
    CHECK(wl_rtfs_read_counts(&bound, 3, &reading) == WL_RTFS_OK && reading.reads == 6);
    CHECK(wl_rtfs_call_counts(&flash, &config, WL_RTFS_CALL_CREATE, 0, 2, &create, &creating, NULL) == WL_RTFS_OK);
    CHECK(create.programs > paced.programs && create.reads > paced.reads && creating.erases == 1);
    for (i = 0; i < 100; ++i) {
        char path[32];
        snprintf(path, sizeof path, "/file-%d", i);
        chip.reads = chip.programs = chip.erases = 0;
        CHECK(wl_rtfs_open(&fs, &file, path, WL_RTFS_CREATE) == WL_RTFS_OK);
        CHECK(chip.programs <= create.programs && chip.reads <= create.reads && chip.erases <= creating.erases);
    }
    CHECK(wl_rtfs_open(&fs, &file, "/ring", WL_RTFS_CREATE) == WL_RTFS_OK);
    for (i = 0; i < 100; ++i) {
        CHECK(wl_rtfs_append(&fs, &file, page, sizeof page, NULL) == WL_RTFS_OK);
    }
    for (i = 0; i < 3000; ++i) {
        number = number * 1103515245u + 12345u;
        chip.programs = chip.moves = chip.erases = 0;
        CHECK(wl_rtfs_write(&fs, &file, (number >> 16) % 100 * PAGE, page, sizeof page) == WL_RTFS_OK);
        CHECK(chip.erases == 0 ? chip.programs <= paced.programs
                               : chip.erases == 1 && chip.programs <= erasing.programs);
        /* What does not move within the chip: pages of the caller, of the map and of a header. */
        CHECK(chip.erases == 1 || chip.programs - chip.moves <= paced.programs - paced.moves + bound.header_pages);
    }
    chip.reads = chip.programs = chip.erases = 0;
    CHECK(mount() == WL_RTFS_OK);
    CHECK(chip.reads <= of_mount.spare_reads + of_mount.reads + 1);
    CHECK(chip.programs <= of_mount.programs && chip.erases <= of_mount.erases);
}

/* On a fuller flash the chip moves pages by itself, which read as they were written. */
static void moves(void)
{
    static unsigned char page[PAGE], found[PAGE], more[8192];
    const wl_rtfs_config full = {380, 3, 0};
    uint32_t number = 1, i, at;
    size_t bytes;
    format();
    CHECK(wl_rtfs_format(&fs, &flash, &full, 7, more, sizeof more) == WL_RTFS_OK);
    CHECK(wl_rtfs_open(&fs, &file, "/ring", WL_RTFS_CREATE) == WL_RTFS_OK);
    for (i = 0; i < 4000; ++i) {
        number = number * 1103515245u + 12345u;
        at = i < 340 ? i : (number >> 16) % 340;
        memset(page, (int)(at % 251), sizeof page);
        CHECK(wl_rtfs_write(&fs, &file, at * PAGE, page, sizeof page) == WL_RTFS_OK);
    }
    CHECK(chip.moves > 0);
    CHECK(wl_rtfs_mount(&fs, &flash, &full, more, sizeof more) == WL_RTFS_OK);
    CHECK(wl_rtfs_open(&fs, &file, "/ring", 0) == WL_RTFS_OK);
    for (at = 0; at < 340; ++at) {
        memset(page, (int)(at % 251), sizeof page);
        CHECK(wl_rtfs_read(&fs, &file, at * PAGE, found, sizeof found, &bytes) == WL_RTFS_OK);
        CHECK(bytes == sizeof found && memcmp(found, page, sizeof page) == 0);
    }
}

/* The power fails at each operation of a replacement by rename in turn: the old text or the new one is there. */
static void power_cuts(void)
{
    long cut;
    int old = 0, fresh = 0;
    for (cut = 1;; ++cut) {
        wl_rtfs_status status;
        format();
        put("/settings", "old");
        chip.left = cut;
        status = wl_rtfs_open(&fs, &file, "/new", WL_RTFS_CREATE);
        if (status == WL_RTFS_OK) {
            status = wl_rtfs_append(&fs, &file, "new", 3, NULL);
        }
        if (status == WL_RTFS_OK) {
            status = wl_rtfs_rename(&fs, "/new", "/settings");
        }
        if (chip.left > 0) {
            CHECK(status == WL_RTFS_OK && holds("/settings", "new"));
            break;
        }
        CHECK(status == WL_RTFS_FLASH && problem().code == WL_RTFS_FLASH_POWER_LOST);
        chip.left = -1;
        CHECK(wl_rtfs_append(&fs, &file, "x", 1, NULL) != WL_RTFS_OK);
        CHECK(mount() == WL_RTFS_OK);
        CHECK(holds("/settings", "old") || holds("/settings", "new"));
        if (holds("/settings", "old")) {
            CHECK(fresh == 0);
            ++old;
        } else {
            ++fresh;
        }
        put("/settings", "next");
        CHECK(holds("/settings", "next"));
    }
    CHECK(old >= 3);
}

/* A program and an erase that fail cost a block each; more of them than the configuration allows end the writing. */
static void failing_blocks(void)
{
    int i, bad = 0, failures = 0;
    wl_rtfs_status status = WL_RTFS_OK;
    format();
    put("/keep", "this");
    for (i = 0; i < 5000 && status == WL_RTFS_OK; ++i) {
        if (i % 100 == 99) {
            if (failures++ % 2) {
                chip.erase_code = WL_RTFS_FLASH_ERASE_FAILED;
            } else {
                chip.program_code = WL_RTFS_FLASH_PROGRAM_FAILED;
            }
        }
        status = wl_rtfs_open(&fs, &file, "/work", WL_RTFS_CREATE | WL_RTFS_TRUNCATE);
        if (status == WL_RTFS_OK) {
            status = wl_rtfs_append(&fs, &file, "0123456789", 10, NULL);
        }
    }
    CHECK(status == WL_RTFS_WORN_OUT && holds("/keep", "this"));
    for (i = 0; i < BLOCKS; ++i) {
        bad += chip.is_bad[i];
    }
    CHECK(bad >= 3);
}

static uint32_t crc(uint32_t state, const unsigned char *bytes, size_t length)
{
    size_t i;
    int bit;
    for (i = 0; i < length; ++i) {
        state ^= bytes[i];
        for (bit = 0; bit < 8; ++bit) {
            state = state >> 1 ^ (state & 1 ? 0xEDB88320u : 0);
        }
    }
    return state;
}

/* Makes a page's record be one of its main area: SPEC.md of the layer. */
static void seal(unsigned char *page)
{
    unsigned char *record = page + PAGE + 1;
    const uint32_t check = ~crc(crc(UINT32_MAX, record, 11), page, PAGE);
    int i;
    for (i = 0; i < 4; ++i) {
        record[11 + i] = (unsigned char)(check >> 8 * i);
    }
}

/* Goes through everything, and changes some of it. Whatever comes back is right where the calls end well. */
static void use_all(void)
{
    char text[64];
    static unsigned char page[PAGE];
    wl_rtfs_entry entry;
    wl_rtfs_space space;
    size_t got = 0;
    int i;
    if (wl_rtfs_open_dir(&fs, &dir, "/") == WL_RTFS_OK) {
        for (i = 0; i < 200 && wl_rtfs_next_entry(&fs, &dir, &entry) == WL_RTFS_OK; ++i) {
            if (wl_rtfs_open(&fs, &file, entry.name, 0) == WL_RTFS_OK) {
                wl_rtfs_read(&fs, &file, 0, text, sizeof text, &got);
                CHECK(got <= sizeof text);
            }
        }
    }
    for (i = 0; i < 6; ++i) {
        snprintf(text, sizeof text, "/d/file-%d", i * 3);
        if (wl_rtfs_open(&fs, &file, text, WL_RTFS_CREATE) == WL_RTFS_OK) {
            wl_rtfs_append(&fs, &file, page, sizeof page, NULL);
            wl_rtfs_discard_front(&fs, &file, PAGE, NULL);
            wl_rtfs_truncate(&fs, &file, (uint64_t)i * 100);
        }
        wl_rtfs_rename(&fs, text, "/other");
        snprintf(text, sizeof text, "/file-%d", i * 5);
        wl_rtfs_remove(&fs, text);
        wl_rtfs_work(&fs, 1, NULL);
    }
    CHECK(wl_rtfs_space_of(&fs, &space) == WL_RTFS_OK);
}

/* Bytes of the flash change: calls may fail, and do nothing worse. Where the change is sealed, a page says of itself that it
   is right, as one that somebody forged does. */
static void damage(int is_sealed)
{
    static unsigned char page[PAGE];
    unsigned number = 1;
    int round, i, mounts = 0;
    for (round = 0; round < 600; ++round) {
        char path[32];
        format();
        CHECK(wl_rtfs_mkdir(&fs, "/d") == WL_RTFS_OK);
        for (i = 0; i < 30; ++i) {
            snprintf(path, sizeof path, i % 3 ? "/file-%d" : "/d/file-%d", i);
            put(path, "0123456789012345678901234567890123456789");
            if (i % 7 == 0) {
                CHECK(wl_rtfs_append(&fs, &file, page, sizeof page, NULL) == WL_RTFS_OK);
            }
        }
        for (i = 0; i < 1 + round % 8;) {
            unsigned at;
            number = number * 1103515245u + 12345u;
            at = (number >> 8) % PAGES;
            if (at % BLOCK < chip.next[at / BLOCK]) {
                number = number * 1103515245u + 12345u;
                chip.bytes[at][(number >> 16) % (PAGE + 12)] = (unsigned char)(number >> 8);
                if (is_sealed) {
                    seal(chip.bytes[at]);
                }
                ++i;
            }
        }
        if (round % 2) {
            use_all();
        }
        if (mount() == WL_RTFS_OK) {
            ++mounts;
            use_all();
        }
    }
    CHECK(mounts > 100);
}

int main(void)
{
    calls();
    misuse();
    full();
    bounds();
    moves();
    power_cuts();
    failing_blocks();
    damage(0);
    damage(1);
    puts("done");
    return 0;
}
