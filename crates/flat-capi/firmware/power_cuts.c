/*
 * A device that keeps settings and a log in MRAM, and whose power fails before every word that it writes.
 *
 * The memory is RAM that resets leave alone. Its driver counts words and resets the processor before the one whose turn it
 * is; after the start, which clears all other RAM, the files are mounted and must be as they were when the last call
 * returned, or as the call that was cut leaves them; of bytes that were overwritten in place, each word. It ends when all
 * calls of a case come through without a cut. `make flat-firmware TARGET=thumbv7em-none-eabihf` builds and runs it.
 */
#include "board.h"
#include "wordline_flat.h"

/* Bytes of the bus word, which a power cut leaves whole. */
#define ATOM 2u
enum { MRAM_BYTES = 8192, UNIT_BYTES = 64, RECORDS = 16, EXTENTS = 4, OPEN_FILES = 2 };
enum { PIECE_BYTES = 20, RING_PIECES = 4, SHORTER_BYTES = 10, SHORTENED_BYTES = 240 };

#define NEVER UINT32_MAX
#define STARTED 0x57414C4Bu

/* A log grows, pieces are written over, a file is replaced, and one becomes shorter. */
enum { APPEND, OVERWRITE, REPLACE, SHORTEN, CASES };

static const char *const names[CASES] = {"appends", "overwrites", "replacements", "shortenings"};
static const uint32_t calls[CASES] = {16, 12, 4, 12};

/* What the test remembers over resets, which a device has no need of. */
static BOARD_KEPT struct {
    uint32_t started;
    uint32_t number;
    /* The number of the word before which the power fails, and words until then. */
    uint32_t cut;
    uint32_t left;
    /* Calls that returned. */
    uint32_t returned;
    uint32_t kept_old;
    uint32_t got_new;
    uint32_t got_both;
    uint32_t stack_most;
} test;

static BOARD_KEPT unsigned char mram[MRAM_BYTES];

static wl_flat fs;
static wl_flat_file file;
static uint32_t ram[WL_FLAT_RAM_WORDS(MRAM_BYTES, UNIT_BYTES, RECORDS, EXTENTS, OPEN_FILES)];
static unsigned char piece[PIECE_BYTES];

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

static int32_t mram_read(void *user, uint64_t at, void *out, size_t bytes)
{
    size_t i;
    (void)user;
    for (i = 0; i < bytes; ++i) {
        ((unsigned char *)out)[i] = mram[at + i];
    }
    return 0;
}

static int32_t mram_write(void *user, uint64_t at, const void *data, size_t bytes)
{
    size_t i;
    (void)user;
    for (i = 0; i < bytes; ++i) {
        /* Each word of the bus, one of which only a part is written as well. */
        if ((i == 0 || (at + i) % ATOM == 0) && test.left != NEVER && test.left-- == 0) {
            board_reset();
        }
        ((volatile unsigned char *)mram)[at + i] = ((const unsigned char *)data)[i];
    }
    return 0;
}

static const wl_flat_memory memory = {NULL, MRAM_BYTES, ATOM, mram_read, mram_write, NULL};
static const wl_flat_shape shape = {MRAM_BYTES, UNIT_BYTES, RECORDS, EXTENTS};
static const wl_flat_use use = {OPEN_FILES, UNIT_BYTES};

/* What a device does when it starts. */
static void start(void)
{
    CHECK(wl_flat_mount(&fs, &memory, &use, ram, sizeof ram / sizeof *ram) == WL_FLAT_OK);
}

/* What a byte is that the call of a number writes. */
static unsigned char byte_of(uint32_t call, size_t at)
{
    return (unsigned char)(call * 31 + at);
}

static void open(const char *path, uint32_t mode)
{
    CHECK(wl_flat_open(&fs, &file, path, mode) == WL_FLAT_OK);
}

static void finish(void)
{
    CHECK(wl_flat_sync(&fs, &file) == WL_FLAT_OK && wl_flat_close(&fs, &file) == WL_FLAT_OK);
}

static void write_piece(uint32_t call, uint32_t at)
{
    size_t i;
    for (i = 0; i < PIECE_BYTES; ++i) {
        piece[i] = byte_of(call, i);
    }
    CHECK(wl_flat_write(&fs, &file, at, piece, PIECE_BYTES) == WL_FLAT_OK);
}

static void read_piece(uint32_t at)
{
    size_t got = 0;
    CHECK(wl_flat_read(&fs, &file, at, piece, PIECE_BYTES, &got) == WL_FLAT_OK && got == PIECE_BYTES);
}

static int is_of(uint32_t call)
{
    size_t i;
    for (i = 0; i < PIECE_BYTES && piece[i] == byte_of(call, i); ++i) {
    }
    return i == PIECE_BYTES;
}

/* The call of a number, from 1 on, which lasts when it returns. */
static void call(uint32_t number)
{
    if (test.number == REPLACE) {
        open("/new", WL_FLAT_REPLACE);
        write_piece(number, 0);
        finish();
        CHECK(wl_flat_rename(&fs, "/new", "/data") == WL_FLAT_OK);
        return;
    }
    open("/data", WL_FLAT_EXISTING);
    if (test.number == APPEND) {
        write_piece(number, (number - 1) * PIECE_BYTES);
    } else if (test.number == OVERWRITE) {
        write_piece(number, number % RING_PIECES * PIECE_BYTES);
    } else {
        CHECK(wl_flat_truncate(&fs, &file, SHORTENED_BYTES - number * SHORTER_BYTES) == WL_FLAT_OK);
    }
    finish();
}

/* The call that wrote a piece of the ring, of so many calls; 0 where none did. */
static uint32_t last_of(uint32_t number, uint32_t at)
{
    const uint32_t back = (number + RING_PIECES - at) % RING_PIECES;
    return back < number ? number - back : 0;
}

/* Whether the files are as so many calls leave them. */
static int is_after(uint32_t number)
{
    uint32_t length = 0, i;
    int is = 1;
    open("/data", WL_FLAT_EXISTING);
    CHECK(wl_flat_length(&fs, &file, &length) == WL_FLAT_OK);
    if (test.number == APPEND) {
        is = length == number * PIECE_BYTES;
        for (i = 1; is && i <= number; ++i) {
            read_piece((i - 1) * PIECE_BYTES);
            CHECK(is_of(i));
        }
    } else if (test.number == OVERWRITE) {
        CHECK(length == RING_PIECES * PIECE_BYTES);
        for (i = 0; i < RING_PIECES; ++i) {
            read_piece(i * PIECE_BYTES);
            is = is && is_of(last_of(number, i));
        }
    } else if (test.number == REPLACE) {
        CHECK(length == PIECE_BYTES);
        read_piece(0);
        is = is_of(number);
    } else {
        is = length == SHORTENED_BYTES - number * SHORTER_BYTES;
        for (i = 0; i + PIECE_BYTES <= length; i += PIECE_BYTES) {
            read_piece(i);
            CHECK(is_of(0));
        }
    }
    finish();
    return is;
}

/* Whether the piece that a call overwrites has words of before and of after it, and all else is as it was. */
static int is_between(uint32_t number)
{
    uint32_t i, at;
    int is = 1;
    open("/data", WL_FLAT_EXISTING);
    for (i = 0; i < RING_PIECES; ++i) {
        read_piece(i * PIECE_BYTES);
        for (at = 0; at < PIECE_BYTES; at += ATOM) {
            const uint32_t old = last_of(number, i), new = last_of(number + 1, i);
            const int is_old = piece[at] == byte_of(old, at) && piece[at + 1] == byte_of(old, at + 1);
            const int is_new = piece[at] == byte_of(new, at) && piece[at + 1] == byte_of(new, at + 1);
            is = is && (is_old || is_new);
        }
    }
    finish();
    return is;
}

/* After a cut: looks what is left, and whether the device can go on. */
static void after_cut(void)
{
    test.left = NEVER;
    start();
    if (is_after(test.returned)) {
        test.kept_old += 1;
    } else if (is_after(test.returned + 1)) {
        test.got_new += 1;
        test.returned += 1;
    } else {
        CHECK(test.number == OVERWRITE && is_between(test.returned));
        test.got_both += 1;
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
    CHECK(wl_flat_format(&memory, &shape) == WL_FLAT_OK);
    start();
    open("/data", WL_FLAT_CREATE);
    if (test.number == OVERWRITE) {
        for (i = 0; i < RING_PIECES; ++i) {
            write_piece(0, i * PIECE_BYTES);
        }
    } else if (test.number == REPLACE) {
        write_piece(0, 0);
    } else if (test.number == SHORTEN) {
        for (i = 0; i < SHORTENED_BYTES; i += PIECE_BYTES) {
            write_piece(0, i);
        }
    }
    finish();
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
    board_print_number(test.cut);
    board_print(" cuts, old ");
    board_print_number(test.kept_old);
    board_print(", new ");
    board_print_number(test.got_new);
    board_print(", words of both ");
    board_print_number(test.got_both);
    board_print("\n");
    /* Each call writes a word or more. */
    CHECK(test.cut >= calls[test.number] && test.kept_old >= calls[test.number]);
}

/* Begins with the first word of a case. */
static void begin(void)
{
    test.cut = 0;
    test.kept_old = 0;
    test.got_new = 0;
    test.got_both = 0;
}

int main(void)
{
    if (test.started == STARTED) {
        after_cut();
    } else {
        test.started = STARTED;
        test.number = 0;
        test.stack_most = 0;
        begin();
    }
    for (; test.number < CASES; ++test.number) {
        one_run();
        report();
        begin();
    }
    board_print("most of the stack: ");
    board_print_number(test.stack_most);
    board_print(" bytes\n");
    return 0;
}
