/* Files on a NOR whose erases are suspended, or run on: parts that become valid together, bounds, power cuts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_rtfs.h"

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

enum { PAGE = 256, BLOCK = 64, BLOCKS = 24, FILE_PAGE = 512, MILLION = 1000000 };
/* Programs of the chip for one of a page of files: its parts, and its spare area. */
enum { PARTS = FILE_PAGE / PAGE + 1 };

static unsigned char bytes_of[BLOCKS * BLOCK][PAGE];
/* Programs and erases until the power fails; none where it is negative. */
static long left = -1;
/* The block that is being erased, or -1, and millionths of that erase that are left. */
static long erasing = -1, erase_left;
static unsigned long programs, erases, begun, millionths;
static uint32_t mode;

static unsigned char ram[4096];
static wl_rtfs fs;
static wl_rtfs_file file, other;
static wl_rtfs_nor nor;
static wl_rtfs_flash flash;
static const wl_rtfs_config config = {160, 1, 0};

static int fails(void)
{
    if (left > 0) {
        left -= 1;
    }
    return left == 0;
}

static void end_erase(void)
{
    memset(bytes_of[erasing * BLOCK], 0xFF, sizeof bytes_of[0] * BLOCK);
    erasing = -1;
}

/* An access: one that runs on is awaited, and one that stands still has another block. */
static void access_page(uint32_t page)
{
    CHECK(page < BLOCKS * BLOCK);
    if (erasing >= 0 && mode == WL_RTFS_ERASE_RUNS) {
        end_erase();
    }
    CHECK(erasing < 0 || page / BLOCK != (uint32_t)erasing);
}

static int32_t nor_read(void *user, uint32_t page, uint32_t column, void *out, size_t bytes)
{
    (void)user;
    access_page(page);
    CHECK(column + bytes <= PAGE);
    if (left == 0) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    memcpy(out, bytes_of[page] + column, bytes);
    return WL_RTFS_FLASH_OK;
}

static int32_t nor_program(void *user, uint32_t page, uint32_t column, const void *data, size_t bytes)
{
    size_t i;
    (void)user;
    access_page(page);
    CHECK(column + bytes <= PAGE);
    if (left == 0) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    programs += 1;
    for (i = 0; i < bytes; ++i) {
        if (i == bytes / 2 && fails()) {
            return WL_RTFS_FLASH_POWER_LOST;
        }
        CHECK(bytes_of[page][column + i] == 0xFF);
        bytes_of[page][column + i] &= ((const unsigned char *)data)[i];
    }
    return WL_RTFS_FLASH_OK;
}

static int32_t nor_begin(void *user, uint32_t block)
{
    (void)user;
    CHECK(block < BLOCKS && erasing < 0);
    if (left == 0) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    begun += 1;
    erasing = block;
    erase_left = MILLION;
    /* What it holds meanwhile is neither old nor erased. */
    memset(bytes_of[block * BLOCK], 0xA5, sizeof bytes_of[0] * BLOCK / 2);
    return fails() ? WL_RTFS_FLASH_POWER_LOST : WL_RTFS_FLASH_OK;
}

static int32_t nor_advance(void *user, uint32_t parts, uint32_t of)
{
    unsigned long paid;
    (void)user;
    CHECK(parts <= of);
    if (left == 0) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    if (erasing < 0) {
        return 1;
    }
    paid = (unsigned long)(((unsigned long long)parts * MILLION + of - 1) / of);
    millionths += paid;
    erase_left -= (long)paid;
    if (erase_left > 0 && mode == WL_RTFS_ERASE_SUSPENDS) {
        return 0;
    }
    end_erase();
    return 1;
}

static int32_t nor_erase(void *user, uint32_t block)
{
    (void)user;
    CHECK(block < BLOCKS && erasing < 0);
    if (left == 0 || fails()) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    erases += 1;
    memset(bytes_of[block * BLOCK], 0xFF, sizeof bytes_of[0] * BLOCK);
    return WL_RTFS_FLASH_OK;
}

static wl_rtfs_flash chip(void)
{
    wl_rtfs_flash made;
    memset(&made, 0, sizeof made);
    made.page_bytes = PAGE;
    made.pages_per_block = BLOCK;
    made.blocks = BLOCKS;
    made.read = nor_read;
    made.program = nor_program;
    made.erase = nor_erase;
    made.erase_mode = mode;
    made.begin_erase = nor_begin;
    made.advance_erase = nor_advance;
    made.move_page = NULL;
    return made;
}

static void format(void)
{
    const wl_rtfs_flash made = chip();
    memset(bytes_of, 0xA5, sizeof bytes_of);
    left = erasing = -1;
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, FILE_PAGE, &flash, NULL) == WL_RTFS_OK);
    CHECK(flash.page_bytes == FILE_PAGE && flash.spare_bytes == 16 && flash.pages_per_block == 31);
    CHECK(wl_rtfs_format(&fs, &flash, &config, 7, ram, sizeof ram) == WL_RTFS_OK);
}

/* After a reset, which ends an erase where it is. */
static void mount(void)
{
    erasing = -1;
    CHECK(wl_rtfs_mount(&fs, &flash, &config, ram, sizeof ram) == WL_RTFS_OK);
}

static void misuse(void)
{
    wl_rtfs_flash made = chip(), out;
    wl_rtfs_problem found;
    CHECK(wl_rtfs_nor_pages(NULL, &made, 1, FILE_PAGE, &out, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_nor_pages(&nor, NULL, 1, FILE_PAGE, &out, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, FILE_PAGE, NULL, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_nor_pages(&nor, &made, 0, FILE_PAGE, &out, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_nor_pages(&nor, &made, 7, FILE_PAGE, &out, NULL) == WL_RTFS_BAD_ARGUMENT);
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, 300, &out, &found) == WL_RTFS_UNSUITABLE);
    CHECK(found.status == WL_RTFS_UNSUITABLE && found.found == 300 && found.least == PAGE && found.what_bytes > 0);
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, 0, &out, NULL) == WL_RTFS_UNSUITABLE);
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, UINT32_MAX / PAGE * PAGE, &out, NULL) == WL_RTFS_UNSUITABLE);
    made.spare_bytes = 16;
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, FILE_PAGE, &out, &found) == WL_RTFS_UNSUITABLE && found.found == 16);
    made = chip();
    made.erase_mode = WL_RTFS_ERASE_SUSPENDS;
    made.begin_erase = NULL;
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, FILE_PAGE, &out, NULL) == WL_RTFS_BAD_ARGUMENT);
    made = chip();
    made.program = NULL;
    CHECK(wl_rtfs_nor_pages(&nor, &made, 1, FILE_PAGE, &out, NULL) == WL_RTFS_BAD_ARGUMENT);
    made = chip();
    CHECK(wl_rtfs_nor_pages(&nor, &made, 16, FILE_PAGE, &out, NULL) == WL_RTFS_OK && out.spare_bytes == 16);
}

/* No overwrite waits for more of an erase than the bound says, and none for a whole one. */
static void bounds(void)
{
    static unsigned char data[FILE_PAGE];
    wl_rtfs_bound bound;
    wl_rtfs_counts counts, create;
    uint32_t number = 1;
    int i;
    mode = WL_RTFS_ERASE_SUSPENDS;
    format();
    CHECK(wl_rtfs_bound_of(&fs, &bound) == WL_RTFS_OK && bound.erase_parts == bound.user_pages);
    CHECK(wl_rtfs_call_counts(&flash, &config, WL_RTFS_CALL_OVERWRITE, FILE_PAGE, 1, NULL, &counts, NULL) == WL_RTFS_OK);
    CHECK(counts.erases == 0 && counts.erase_millionths > 0 && counts.suspends > 0);
    CHECK(wl_rtfs_call_counts(&flash, &config, WL_RTFS_CALL_CREATE, 0, 1, &create, NULL, NULL) == WL_RTFS_OK);
    CHECK(wl_rtfs_open(&fs, &file, "/ring", WL_RTFS_CREATE) == WL_RTFS_OK);
    for (i = 0; i < 100; ++i) {
        CHECK(wl_rtfs_append(&fs, &file, data, sizeof data, NULL) == WL_RTFS_OK);
    }
    begun = erases = 0;
    for (i = 0; i < 3000; ++i) {
        number = number * 1103515245u + 12345u;
        programs = millionths = 0;
        CHECK(wl_rtfs_write(&fs, &file, (number >> 16) % 100 * FILE_PAGE, data, sizeof data) == WL_RTFS_OK);
        CHECK(programs <= PARTS * counts.programs && millionths <= counts.erase_millionths);
    }
    CHECK(erases == 0 && begun > 50);
    for (i = 0; i < 20; ++i) {
        char path[16];
        snprintf(path, sizeof path, "/%d", i);
        programs = millionths = 0;
        CHECK(wl_rtfs_open(&fs, &other, path, WL_RTFS_CREATE) == WL_RTFS_OK);
        CHECK(programs <= PARTS * create.programs && millionths <= create.erase_millionths);
    }
}

/* The power fails at each operation of a write of parts of two files, several of one, in turn: all parts are there or none. */
static void together(void)
{
    static unsigned char data[4 * FILE_PAGE], back[4 * FILE_PAGE];
    long cut;
    int old = 0, fresh = 0;
    mode = WL_RTFS_ERASE_SUSPENDS;
    for (cut = 1;; ++cut) {
        wl_rtfs_part parts[3];
        wl_rtfs_status status = WL_RTFS_OK;
        int round;
        size_t got = 0, changed = 0;
        format();
        CHECK(wl_rtfs_open(&fs, &file, "/table", WL_RTFS_CREATE) == WL_RTFS_OK);
        CHECK(wl_rtfs_write(&fs, &file, 0, data, sizeof data) == WL_RTFS_OK);
        CHECK(wl_rtfs_open(&fs, &other, "/index", WL_RTFS_CREATE) == WL_RTFS_OK);
        CHECK(wl_rtfs_write(&fs, &other, 0, data, sizeof data) == WL_RTFS_OK);
        memset(parts, 0, sizeof parts);
        parts[0].file = parts[1].file = &file;
        parts[2].file = &other;
        parts[1].at = 3 * FILE_PAGE + 7;
        parts[2].at = FILE_PAGE - 1;
        parts[0].bytes = parts[1].bytes = parts[2].bytes = 2;
        parts[0].data = parts[1].data = parts[2].data = "\1\1";
        left = cut;
        for (round = 0; round < 6 && status == WL_RTFS_OK; ++round) {
            status = wl_rtfs_write_together(&fs, parts, 3);
            if (status == WL_RTFS_OK) {
                parts[0].data = parts[1].data = parts[2].data = round % 2 ? "\1\1" : "\2\2";
            }
        }
        left = -1;
        mount();
        CHECK(wl_rtfs_open(&fs, &file, "/table", 0) == WL_RTFS_OK && wl_rtfs_open(&fs, &other, "/index", 0) == WL_RTFS_OK);
        CHECK(wl_rtfs_read(&fs, &file, 0, back, sizeof back, &got) == WL_RTFS_OK && got == sizeof back);
        changed = back[0];
        CHECK(back[1] == changed && back[3 * FILE_PAGE + 7] == changed && back[3 * FILE_PAGE + 8] == changed);
        CHECK(wl_rtfs_read(&fs, &other, 0, back, sizeof back, &got) == WL_RTFS_OK && got == sizeof back);
        CHECK(back[FILE_PAGE - 1] == changed && back[FILE_PAGE] == changed && back[0] == 0);
        old += changed == 0;
        fresh += changed != 0;
        if (status == WL_RTFS_OK) {
            break;
        }
        CHECK(status == WL_RTFS_FLASH);
    }
    CHECK(old > 3 && fresh > 10);
    mode = WL_RTFS_ERASE_AWAITED;
    format();
    CHECK(wl_rtfs_open(&fs, &file, "/table", WL_RTFS_CREATE) == WL_RTFS_OK);
    for (cut = 0; cut < 4; ++cut) {
        CHECK(wl_rtfs_append(&fs, &file, data, sizeof data, NULL) == WL_RTFS_OK);
    }
    {
        wl_rtfs_part parts[2] = {{&file, 0, data, sizeof data}, {&file, sizeof data, data, sizeof data}};
        CHECK(wl_rtfs_write_together(&fs, parts, 2) == WL_RTFS_OK);
        parts[1].bytes += 1;
        CHECK(wl_rtfs_write_together(&fs, parts, 2) == WL_RTFS_TOO_MANY);
        parts[1].at = sizeof data - 1;
        parts[1].bytes = 1;
        CHECK(wl_rtfs_write_together(&fs, parts, 2) == WL_RTFS_TOO_MANY);
        parts[1].at = 4 * sizeof data;
        CHECK(wl_rtfs_write_together(&fs, parts, 2) == WL_RTFS_UNWRITTEN);
    }
}

/* Where erases run on, the one that is due begins before the call that needs it. */
static void left_running(void)
{
    static unsigned char data[FILE_PAGE], back[FILE_PAGE];
    uint32_t was_left = 0;
    int i, times = 0;
    size_t got;
    mode = WL_RTFS_ERASE_RUNS;
    format();
    CHECK(wl_rtfs_open(&fs, &file, "/ring", WL_RTFS_CREATE) == WL_RTFS_OK);
    CHECK(wl_rtfs_append(&fs, &file, data, sizeof data, NULL) == WL_RTFS_OK);
    for (i = 0; i < 500; ++i) {
        CHECK(wl_rtfs_leave_erase(&fs, 1, &was_left) == WL_RTFS_OK);
        CHECK(!was_left || erasing >= 0);
        times += was_left != 0;
        data[0] = (unsigned char)i;
        CHECK(wl_rtfs_write(&fs, &file, 0, data, sizeof data) == WL_RTFS_OK);
        CHECK(wl_rtfs_read(&fs, &file, 0, back, sizeof back, &got) == WL_RTFS_OK && memcmp(data, back, got) == 0);
    }
    CHECK(times > 5 && wl_rtfs_leave_erase(NULL, 1, NULL) == WL_RTFS_BAD_ARGUMENT);
}

int main(void)
{
    misuse();
    bounds();
    together();
    left_running();
    puts("done");
    return 0;
}
