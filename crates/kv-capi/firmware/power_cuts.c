/*
 * A device that keeps its settings in MRAM, and whose power fails before every word that it writes.
 *
 * The memory is RAM that resets leave alone. Its driver counts words and resets the processor before the one whose turn it
 * is; after the start, which clears all other RAM, the table is opened and must hold the setting of before or of after the
 * call, never another. It ends when a call comes through without a cut. That is done with puts and removes, with the
 * directory in RAM and in the memory. `make kv-firmware TARGET=thumbv7em-none-eabihf` builds and runs it.
 */
#include "board.h"
#include "wordline_kv.h"

/* Bytes of the bus word, which a power cut leaves whole. */
#define ATOM 2u
#define MRAM_BYTES 4096u
#define NEVER UINT32_MAX
#define STARTED 0x57414C4Bu

enum { PUT, REMOVE, CALLS };

/* What the test remembers over resets, which a device has no need of. */
static BOARD_MRAM struct {
    uint32_t started;
    uint32_t in_ram;
    uint32_t call;
    /* The number of the word before which the power fails, and words until then. */
    uint32_t cut;
    uint32_t words_left;
    uint32_t kept_old;
    uint32_t got_new;
} test;

static BOARD_MRAM unsigned char mram[MRAM_BYTES];

static wl_kv table;
static unsigned char scratch[256];
static uint64_t directory[128];

static const char *const names[CALLS] = {"put", "remove"};
static const char old_value[] = "9600 8N1";
static const char new_value[] = "115200 8E1 with hardware flow control";

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
        if ((at + i) % ATOM == 0 && test.words_left != NEVER && test.words_left-- == 0) {
            board_reset();
        }
        ((volatile unsigned char *)mram)[at + i] = ((const unsigned char *)data)[i];
    }
    return 0;
}

static const wl_kv_memory memory = {NULL, MRAM_BYTES, ATOM, mram_read, mram_write, NULL};

/* What a device does when it starts. */
static wl_kv_status open_table(void)
{
    uint64_t *words = test.in_ram ? directory : NULL;
    return wl_kv_open(&table, &memory, scratch, sizeof scratch, words, sizeof directory / sizeof *directory);
}

static int holds(const char *expected, size_t expected_bytes)
{
    char value[64];
    size_t bytes = 0, i;
    if (wl_kv_get(&table, "uart", 4, value, sizeof value, &bytes) != WL_KV_OK || bytes != expected_bytes) {
        return 0;
    }
    for (i = 0; i < bytes && value[i] == expected[i]; ++i) {
    }
    return i == bytes;
}

/* Whether the setting is that of after the call; it has to be one of the two. */
static int is_new(void)
{
    if (holds(old_value, sizeof old_value)) {
        return 0;
    }
    if (test.call == PUT) {
        CHECK(holds(new_value, sizeof new_value));
    } else {
        CHECK(wl_kv_get(&table, "uart", 4, NULL, 0, NULL) == WL_KV_NOT_FOUND);
    }
    return 1;
}

/* After a cut: looks what is left, and goes on with the next word. */
static void after_cut(void)
{
    test.words_left = NEVER;
    CHECK(open_table() == WL_KV_OK);
    if (is_new()) {
        test.got_new += 1;
    } else {
        test.kept_old += 1;
    }
    CHECK(wl_kv_get(&table, "name", 4, NULL, 0, NULL) == WL_KV_BUFFER);
    CHECK(wl_kv_put(&table, "next", 4, "x", 1) == WL_KV_OK);
    test.cut += 1;
}

/* Makes a table with two settings, and changes one of them while the power is about to fail. */
static void one_call(void)
{
    const wl_kv_options options = {wl_kv_slot_bytes(4, 10, ATOM), 1, 7};
    wl_kv_status status;
    test.words_left = NEVER;
    CHECK(wl_kv_format(&memory, &options) == WL_KV_OK);
    CHECK(open_table() == WL_KV_OK);
    CHECK(wl_kv_put(&table, "name", 4, "pump 3", 6) == WL_KV_OK);
    CHECK(wl_kv_put(&table, "uart", 4, old_value, sizeof old_value) == WL_KV_OK);
    test.words_left = test.cut;
    if (test.call == PUT) {
        status = wl_kv_put(&table, "uart", 4, new_value, sizeof new_value);
    } else {
        status = wl_kv_remove(&table, "uart", 4);
    }
    test.words_left = NEVER;
    CHECK(status == WL_KV_OK && is_new());
}

static void report(void)
{
    board_print(names[test.call]);
    board_print(test.in_ram ? ", directory in RAM: " : ", directory in the memory: ");
    board_print_number(test.cut);
    board_print(" cuts, old ");
    board_print_number(test.kept_old);
    board_print(", new ");
    board_print_number(test.got_new);
    board_print(", stack ");
    board_print_number(board_stack_used());
    board_print(" bytes\n");
    CHECK(test.kept_old > 0 && test.kept_old + test.got_new == test.cut);
}

/* Begins anew with another call or place of the directory. Returns whether there is one. */
static int next_case(void)
{
    test.cut = 0;
    test.kept_old = 0;
    test.got_new = 0;
    test.call += 1;
    if (test.call == CALLS) {
        test.call = 0;
        test.in_ram += 1;
    }
    return test.in_ram < 2;
}

int main(void)
{
    if (test.started == STARTED) {
        after_cut();
    } else {
        test.started = STARTED;
        test.in_ram = 0;
        test.call = 0;
        test.cut = 0;
        test.kept_old = 0;
        test.got_new = 0;
    }
    do {
        one_call();
        report();
    } while (next_case());
    return 0;
}
