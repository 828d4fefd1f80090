/*
 * A device that keeps its settings in MRAM, and whose power fails before every word that it writes.
 *
 * The memory is RAM that resets leave alone. Its driver counts words and resets the processor before the one whose turn it
 * is; after the start, which clears all other RAM, the table is opened and must hold the setting of before or of after the
 * call, never another. It ends when a call comes through without a cut. That is done with two puts and a remove, with the
 * directory in RAM and in the memory. `make kv-firmware TARGET=thumbv7em-none-eabihf` builds and runs it.
 */
#include "board.h"
#include "wordline_kv.h"

/* Bytes of the bus word, which a power cut leaves whole. */
#define ATOM 2u
#define MRAM_BYTES 4096u
#define NEVER UINT32_MAX
#define STARTED 0x57414C4Bu
/* The longest value that a slot has room for besides the longest key. */
#define SLOT_VALUE_BYTES 10u

/* A value longer than a slot takes another way through the library than one that fits it. */
enum { PUT_LONG, PUT_SHORT, REMOVE, CALLS };

/* What the test remembers over resets, which a device has no need of. */
static BOARD_KEPT struct {
    uint32_t started;
    uint32_t in_ram;
    uint32_t call;
    /* The number of the word before which the power fails, and words until then. */
    uint32_t cut;
    uint32_t words_left;
    uint32_t kept_old;
    uint32_t got_new;
    uint32_t stack_most;
} test;

static BOARD_KEPT unsigned char mram[MRAM_BYTES];

static wl_kv table;
static unsigned char scratch[256];
static uint64_t directory[128];

typedef struct string {
    const char *start;
    uint32_t bytes;
} string;

#define STRING(literal) {literal, sizeof(literal) - 1}

static const string name = STRING("name"), uart = STRING("uart"), next = STRING("next");
static const string name_value = STRING("pump 3"), old_value = STRING("9600 8N1");
/* What each call leaves; a remove nothing. */
static const string new_values[CALLS] = {STRING("115200 8E1 with hardware flow control"), STRING("115200 8E1"), {NULL, 0}};
static const char *const names[CALLS] = {"long put", "short put", "remove"};

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
        if ((i == 0 || (at + i) % ATOM == 0) && test.words_left != NEVER && test.words_left-- == 0) {
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

static wl_kv_status put(const string *key, const string *value)
{
    return wl_kv_put(&table, key->start, key->bytes, value->start, value->bytes);
}

static int holds(const string *key, const string *expected)
{
    char value[64];
    size_t bytes = 0, i;
    if (wl_kv_get(&table, key->start, key->bytes, value, sizeof value, &bytes) != WL_KV_OK || bytes != expected->bytes) {
        return 0;
    }
    for (i = 0; i < bytes && value[i] == expected->start[i]; ++i) {
    }
    return i == bytes;
}

/* Whether the setting is that of after the call; it has to be one of the two, and what else is there as it was. */
static int is_new(void)
{
    const int changed = !holds(&uart, &old_value);
    const int removed = changed && test.call == REMOVE;
    if (removed) {
        CHECK(wl_kv_get(&table, uart.start, uart.bytes, NULL, 0, NULL) == WL_KV_NOT_FOUND);
    } else if (changed) {
        CHECK(holds(&uart, &new_values[test.call]));
    }
    CHECK(holds(&name, &name_value));
    CHECK(wl_kv_records(&table) == (removed ? 1u : 2u));
    return changed;
}

/* After a cut: looks what is left, and goes on with the next word. */
static void after_cut(void)
{
    test.words_left = NEVER;
    CHECK(open_table() == WL_KV_OK);
    if (is_new()) {
        test.got_new += 1;
    } else {
        /* What lasted with fewer words lasts with more. */
        CHECK(test.got_new == 0);
        test.kept_old += 1;
    }
    CHECK(put(&next, &old_value) == WL_KV_OK && holds(&next, &old_value));
    test.cut += 1;
}

/* Makes a table with two settings, and changes one of them while the power is about to fail. */
static void one_call(void)
{
    const wl_kv_options options = {wl_kv_slot_bytes(4, SLOT_VALUE_BYTES, ATOM), 1, 7};
    wl_kv_status status;
    test.words_left = NEVER;
    CHECK(wl_kv_format(&memory, &options) == WL_KV_OK);
    CHECK(open_table() == WL_KV_OK);
    CHECK(put(&name, &name_value) == WL_KV_OK && put(&uart, &old_value) == WL_KV_OK);
    test.words_left = test.cut;
    if (test.call == REMOVE) {
        status = wl_kv_remove(&table, uart.start, uart.bytes);
    } else {
        status = put(&uart, &new_values[test.call]);
    }
    test.words_left = NEVER;
    CHECK(status == WL_KV_OK && is_new());
}

static void report(void)
{
    const uint32_t stack = board_stack_used();
    /* Key and value have to be written, and of a remove a word. */
    const uint32_t words = test.call == REMOVE ? 1u : (uart.bytes + new_values[test.call].bytes) / ATOM;
    if (stack > test.stack_most) {
        test.stack_most = stack;
    }
    board_print(names[test.call]);
    board_print(test.in_ram ? ", directory in RAM: " : ", directory in the memory: ");
    board_print_number(test.cut);
    board_print(" cuts, old ");
    board_print_number(test.kept_old);
    board_print(", new ");
    board_print_number(test.got_new);
    board_print("\n");
    CHECK(test.cut >= words && test.kept_old >= words);
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
        test.stack_most = 0;
    }
    do {
        one_call();
        report();
    } while (next_case());
    board_print("most of the stack: ");
    board_print_number(test.stack_most);
    board_print(" bytes\n");
    return 0;
}
