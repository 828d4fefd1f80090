/*
 * A device that keeps settings and a log on raw flash, and whose power fails within and after every program and erase.
 *
 * The flash is RAM that resets leave alone. Its driver counts halves of programs and of erases, and resets the processor
 * after the one whose turn it is; after the start, which clears all other RAM, the flash is mounted and must hold the files as
 * they were when the last call returned, or as the call that was cut leaves them. It ends when all calls of a case come
 * through without a cut. `make rtfs-firmware TARGET=thumbv7em-none-eabihf` builds and runs it.
 */
#include "board.h"
#include "wordline_rtfs.h"

enum { PAGE_BYTES = 256, SPARE_BYTES = 16, BLOCK_PAGES = 32, BLOCKS = 24, PAGES = BLOCK_PAGES * BLOCKS };
enum { RAM_BYTES = 1024, RECORD_BYTES = 100, RING_PAGES = 4 };

#define NEVER UINT32_MAX
#define STARTED 0x57414C4Bu

/* A log grows, pages are written over, and a file is replaced. */
enum { APPEND, OVERWRITE, REPLACE, CASES };

static const char *const names[CASES] = {"appends", "overwrites", "replacements"};
static const uint32_t calls[CASES] = {30, 40, 12};

/* What the test remembers over resets, which a device has no need of. */
static BOARD_KEPT struct {
    uint32_t started;
    uint32_t number;
    /* After which half of an operation the power fails, and halves until then. */
    uint32_t cut;
    uint32_t left;
    /* Calls that returned. */
    uint32_t returned;
    uint32_t kept_old;
    uint32_t got_new;
    uint32_t stack_most;
} test;

static BOARD_KEPT unsigned char nand[PAGES][PAGE_BYTES + SPARE_BYTES];

static wl_rtfs fs;
static wl_rtfs_file file;
static unsigned char ram[RAM_BYTES];
static unsigned char page[PAGE_BYTES];

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            fail(__LINE__, #condition);                         \
        }                                                       \
    } while (0)

static void fail(uint32_t line, const char *condition)
{
    board_print("line ");
    board_print_number(line);
    board_print(": ");
    board_print(condition);
    board_print("\n");
    board_exit(1);
}

static int32_t nand_read(void *user, uint32_t at, uint32_t column, void *out, size_t bytes)
{
    size_t i;
    (void)user;
    for (i = 0; i < bytes; ++i) {
        ((unsigned char *)out)[i] = nand[at][column + i];
    }
    return WL_RTFS_FLASH_OK;
}

/* Half of an operation is done: the power may fail now. */
static void half_done(void)
{
    if (test.left != NEVER && --test.left == 0) {
        board_reset();
    }
}

static int32_t nand_program(void *user, uint32_t at, uint32_t column, const void *data, size_t bytes)
{
    size_t i;
    (void)user;
    for (i = 0; i < bytes; ++i) {
        if (i == bytes / 2) {
            half_done();
        }
        ((volatile unsigned char *)nand[at])[column + i] &= ((const unsigned char *)data)[i];
    }
    half_done();
    return WL_RTFS_FLASH_OK;
}

static int32_t nand_erase(void *user, uint32_t block)
{
    volatile unsigned char *bytes = nand[block * BLOCK_PAGES];
    size_t i;
    (void)user;
    for (i = 0; i < sizeof nand[0] * BLOCK_PAGES; ++i) {
        if (i == sizeof nand[0] * BLOCK_PAGES / 2) {
            half_done();
        }
        bytes[i] = 0xFF;
    }
    half_done();
    return WL_RTFS_FLASH_OK;
}

static const wl_rtfs_flash flash = {NULL,      PAGE_BYTES,   SPARE_BYTES, BLOCK_PAGES, BLOCKS, WL_RTFS_COLUMNS(1),
                                    nand_read, nand_program, nand_erase,  NULL,        NULL,   WL_RTFS_ERASE_AWAITED,
                                    NULL,      NULL,         NULL};
static const wl_rtfs_config config = {128, 1, 0};

/* What a byte is that the call of a number writes. */
static unsigned char byte_of(uint32_t call, size_t at)
{
    return (unsigned char)(call * 31 + at);
}

static void fill(uint32_t call, size_t bytes)
{
    size_t i;
    for (i = 0; i < bytes; ++i) {
        page[i] = byte_of(call, i);
    }
}

static int is_of(uint32_t call, size_t bytes)
{
    size_t i;
    for (i = 0; i < bytes && page[i] == byte_of(call, i); ++i) {
    }
    return i == bytes;
}

static int is_zero(void)
{
    size_t i;
    for (i = 0; i < PAGE_BYTES && page[i] == 0; ++i) {
    }
    return i == PAGE_BYTES;
}

/* Opens the file of a case. */
static void open(uint32_t flags)
{
    CHECK(wl_rtfs_open(&fs, &file, "/data", flags) == WL_RTFS_OK);
}

/* The call of a number, from 1 on. */
static void call(uint32_t number)
{
    if (test.number == APPEND) {
        fill(number, RECORD_BYTES);
        CHECK(wl_rtfs_append(&fs, &file, page, RECORD_BYTES, NULL) == WL_RTFS_OK);
    } else if (test.number == OVERWRITE) {
        fill(number, PAGE_BYTES);
        CHECK(wl_rtfs_write(&fs, &file, (uint64_t)(number % RING_PAGES) * PAGE_BYTES, page, PAGE_BYTES) == WL_RTFS_OK);
    } else {
        fill(number, RECORD_BYTES);
        CHECK(wl_rtfs_open(&fs, &file, "/new", WL_RTFS_CREATE | WL_RTFS_TRUNCATE) == WL_RTFS_OK);
        CHECK(wl_rtfs_write(&fs, &file, 0, page, RECORD_BYTES) == WL_RTFS_OK);
        CHECK(wl_rtfs_rename(&fs, "/new", "/data") == WL_RTFS_OK);
    }
}

/* Whether the files are as so many calls leave them. */
static int is_after(uint32_t number)
{
    uint64_t length = 0;
    size_t got = 0;
    uint32_t i;
    open(0);
    CHECK(wl_rtfs_length(&fs, &file, &length) == WL_RTFS_OK);
    if (test.number == APPEND) {
        if (length != (uint64_t)number * RECORD_BYTES) {
            return 0;
        }
        for (i = 1; i <= number; ++i) {
            CHECK(wl_rtfs_read(&fs, &file, (uint64_t)(i - 1) * RECORD_BYTES, page, RECORD_BYTES, &got) == WL_RTFS_OK);
            CHECK(got == RECORD_BYTES && is_of(i, RECORD_BYTES));
        }
        return 1;
    }
    if (test.number == OVERWRITE) {
        CHECK(length == RING_PAGES * PAGE_BYTES);
        for (i = 0; i < RING_PAGES; ++i) {
            const uint32_t back = (number + RING_PAGES - i) % RING_PAGES;
            CHECK(wl_rtfs_read(&fs, &file, (uint64_t)i * PAGE_BYTES, page, PAGE_BYTES, &got) == WL_RTFS_OK);
            CHECK(got == PAGE_BYTES);
            if (!(back < number ? is_of(number - back, PAGE_BYTES) : is_zero())) {
                return 0;
            }
        }
        return 1;
    }
    CHECK(wl_rtfs_read(&fs, &file, 0, page, PAGE_BYTES, &got) == WL_RTFS_OK);
    return got == RECORD_BYTES && is_of(number, RECORD_BYTES);
}

/* After a cut: looks what is left, and whether the device can go on. */
static void after_cut(void)
{
    test.left = NEVER;
    CHECK(wl_rtfs_mount(&fs, &flash, &config, ram, sizeof ram) == WL_RTFS_OK);
    if (is_after(test.returned)) {
        test.kept_old += 1;
    } else {
        CHECK(is_after(test.returned + 1));
        test.got_new += 1;
        test.returned += 1;
    }
    call(test.returned + 1);
    CHECK(is_after(test.returned + 1));
    test.cut += 1;
}

/* Formats, and makes the calls of a case while the power is about to fail. */
static void one_run(void)
{
    uint32_t i;
    test.left = NEVER;
    CHECK(wl_rtfs_format(&fs, &flash, &config, 7, ram, sizeof ram) == WL_RTFS_OK);
    open(WL_RTFS_CREATE);
    if (test.number == OVERWRITE) {
        CHECK(wl_rtfs_truncate(&fs, &file, RING_PAGES * PAGE_BYTES) == WL_RTFS_OK);
    } else if (test.number == REPLACE) {
        fill(0, RECORD_BYTES);
        CHECK(wl_rtfs_append(&fs, &file, page, RECORD_BYTES, NULL) == WL_RTFS_OK);
    }
    test.left = test.cut;
    for (i = 1; i <= calls[test.number]; ++i) {
        test.returned = i - 1;
        call(i);
    }
    test.left = NEVER;
    CHECK(is_after(calls[test.number]));
}

static void report(void)
{
    const uint32_t stack = board_stack_used();
    if (stack > test.stack_most) {
        test.stack_most = stack;
    }
    board_print_number(calls[test.number]);
    board_print(" ");
    board_print(names[test.number]);
    board_print(": ");
    board_print_number(test.cut - 1);
    board_print(" cuts, old ");
    board_print_number(test.kept_old);
    board_print(", new ");
    board_print_number(test.got_new);
    board_print("\n");
    /* Each call programs a page or more. */
    CHECK(test.cut > calls[test.number] && test.kept_old >= calls[test.number]
          && test.got_new >= calls[test.number]);
}

int main(void)
{
    if (test.started == STARTED) {
        after_cut();
    } else {
        test.started = STARTED;
        test.number = 0;
        test.cut = 1;
        test.kept_old = 0;
        test.got_new = 0;
        test.stack_most = 0;
    }
    for (; test.number < CASES; ++test.number) {
        one_run();
        report();
        test.cut = 1;
        test.kept_old = 0;
        test.got_new = 0;
    }
    board_print("most of the stack: ");
    board_print_number(test.stack_most);
    board_print(" bytes\n");
    return 0;
}
