/* A device that keeps its settings: both places of the directory, power cuts before every word, damage, and bad calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_kv.h"

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

#define BYTES 4096
#define ATOM 2

/* A memory on a 16-bit bus, whose power fails before a word of a number. */
typedef struct chip {
    unsigned char bytes[BYTES];
    long words_left;
    long persists;
} chip;

static int32_t chip_read(void *user, uint64_t at, void *out, size_t bytes)
{
    chip *self = user;
    CHECK(at + bytes <= BYTES);
    memcpy(out, self->bytes + at, bytes);
    return 0;
}

static int32_t chip_write(void *user, uint64_t at, const void *data, size_t bytes)
{
    chip *self = user;
    size_t i;
    CHECK(at + bytes <= BYTES);
    for (i = 0; i < bytes; ++i) {
        if (i == 0 || (at + i) % ATOM == 0) {
            if (self->words_left == 0) {
                return -5;
            }
            self->words_left -= 1;
        }
        self->bytes[at + i] = ((const unsigned char *)data)[i];
    }
    return 0;
}

static int32_t chip_persist(void *user)
{
    ((chip *)user)->persists += 1;
    return 0;
}

static unsigned char scratch[256];
static uint64_t words[512];
static chip mram;
static const wl_kv_memory memory = {&mram, BYTES, ATOM, chip_read, chip_write, chip_persist};

static wl_kv_status start(wl_kv *table, int in_ram)
{
    return wl_kv_open(table, &memory, scratch, sizeof scratch, in_ram ? words : NULL, in_ram ? 512 : 0);
}

static void format(void)
{
    const wl_kv_options options = {wl_kv_slot_bytes(8, 8, ATOM), 1, 7};
    memset(mram.bytes, 0xA5, BYTES);
    mram.words_left = -1;
    mram.persists = 0;
    CHECK(options.slot_bytes == 24);
    CHECK(wl_kv_format(&memory, &options) == WL_KV_OK);
}

static void settings(int in_ram)
{
    wl_kv table;
    wl_kv_info info;
    char value[80];
    char key[8];
    size_t bytes = 0, value_bytes = 0;
    uint32_t cursor = 0, records = 0;

    memset(mram.bytes, 0xA5, BYTES);
    mram.words_left = -1;
    mram.persists = 0;
    CHECK(start(&table, in_ram) == WL_KV_FOREIGN);
    CHECK(wl_kv_put(&table, "a", 1, "b", 1) == WL_KV_BAD_ARGUMENT);
    format();
    CHECK(wl_kv_describe(&memory, &info) == WL_KV_OK);
    CHECK(info.slot_bytes == 24 && info.slots > 150 && info.resident == 1);
    CHECK(info.directory_words <= 512 && info.scratch_bytes == 48);

    CHECK(start(&table, in_ram) == WL_KV_OK);
    CHECK(wl_kv_put(&table, "baud", 4, "9600", 4) == WL_KV_OK);
    CHECK(wl_kv_put(&table, "baud", 4, "115200", 6) == WL_KV_OK);
    CHECK(wl_kv_put(&table, "name", 4, "a name that takes several slots of 24 bytes", 43) == WL_KV_OK);
    CHECK(wl_kv_put(&table, "gone", 4, NULL, 0) == WL_KV_OK);
    CHECK(wl_kv_remove(&table, "gone", 4) == WL_KV_OK);
    CHECK(wl_kv_remove(&table, "gone", 4) == WL_KV_NOT_FOUND);
    CHECK(wl_kv_records(&table) == 2 && wl_kv_free_slots(&table) < info.slots - 2);
    CHECK(mram.persists > 0);

    CHECK(start(&table, in_ram) == WL_KV_OK);
    CHECK(wl_kv_get(&table, "baud", 4, value, sizeof value, &bytes) == WL_KV_OK);
    CHECK(bytes == 6 && memcmp(value, "115200", 6) == 0);
    CHECK(wl_kv_get(&table, "name", 4, value, 8, &bytes) == WL_KV_BUFFER && bytes == 43);
    CHECK(wl_kv_get(&table, "none", 4, value, sizeof value, NULL) == WL_KV_NOT_FOUND);
    while (wl_kv_next(&table, &cursor, key, sizeof key, &bytes, value, sizeof value, &value_bytes) == WL_KV_OK) {
        CHECK(bytes == 4 && (value_bytes == 6 || value_bytes == 43));
        records += 1;
    }
    CHECK(records == 2);

    CHECK(wl_kv_put(&table, NULL, 4, "x", 1) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_put(&table, "x", 0, "x", 1) == WL_KV_KEY);
    CHECK(wl_kv_put(NULL, "x", 1, "x", 1) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_next(&table, NULL, key, 8, NULL, value, 8, NULL) == WL_KV_BAD_ARGUMENT);
    /* Buffers that meet are fine, one byte in common is not, and no byte of it was touched. */
    memcpy(value, "baud", 4);
    CHECK(wl_kv_get(&table, value, 4, value + 4, 8, &bytes) == WL_KV_OK && bytes == 6);
    CHECK(wl_kv_get(&table, value + 8, 4, value, 8, NULL) == WL_KV_NOT_FOUND);
    CHECK(wl_kv_get(&table, value, 4, value + 3, 8, NULL) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_get(&table, value + 7, 4, value, 8, NULL) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_get(&table, value + 1, 4, value, 8, NULL) == WL_KV_BAD_ARGUMENT);
    CHECK(memcmp(value, "baud115200", 10) == 0);
    CHECK(wl_kv_next(&table, &cursor, value, 8, NULL, value + 7, 8, NULL) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_open(NULL, &memory, scratch, 256, NULL, 0) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_open(&table, NULL, scratch, 256, NULL, 0) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_open(&table, &memory, NULL, 256, NULL, 0) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_open(&table, &memory, scratch, 8, NULL, 0) == WL_KV_SCRATCH);
    CHECK(wl_kv_open(&table, &memory, scratch, 256, words, 4) == WL_KV_DIRECTORY);
    CHECK(wl_kv_open(&table, &memory, words + 256, 256, words, 512) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_records(&table) == 0 && wl_kv_damaged_slot(&table) == UINT32_MAX);
}

/* Old or new, whatever word the power fails before. */
static void power_cuts(int in_ram, const char *new_value)
{
    const size_t new_bytes = strlen(new_value);
    long words_written, olds = 0;
    for (words_written = 0;; ++words_written) {
        wl_kv table;
        char value[80];
        size_t bytes = 0;
        wl_kv_status put;
        format();
        CHECK(start(&table, in_ram) == WL_KV_OK);
        CHECK(wl_kv_put(&table, "key", 3, "old", 3) == WL_KV_OK);
        mram.words_left = words_written;
        put = wl_kv_put(&table, "key", 3, new_value, new_bytes);
        CHECK(put == WL_KV_OK || put == WL_KV_MEMORY);
        mram.words_left = -1;
        CHECK(start(&table, in_ram) == WL_KV_OK);
        CHECK(wl_kv_get(&table, "key", 3, value, sizeof value, &bytes) == WL_KV_OK);
        if (bytes == 3) {
            CHECK(put == WL_KV_MEMORY && memcmp(value, "old", 3) == 0);
            CHECK(olds == words_written);
            olds += 1;
        } else {
            CHECK(bytes == new_bytes && memcmp(value, new_value, new_bytes) == 0);
        }
        CHECK(wl_kv_records(&table) == 1);
        if (put == WL_KV_OK) {
            break;
        }
    }
    CHECK(olds >= (long)(3 + new_bytes) / ATOM && words_written > olds);
}

static void damage(int in_ram)
{
    wl_kv table;
    char value[80];
    size_t bytes = 0, at;
    const char *long_value = "0123456789 the end lies in a later slot";
    format();
    CHECK(start(&table, in_ram) == WL_KV_OK);
    CHECK(wl_kv_put(&table, "key", 3, long_value, 39) == WL_KV_OK);
    for (at = 0; memcmp(mram.bytes + at, "later", 5) != 0; ++at) {
    }
    mram.bytes[at] ^= 1;
    CHECK(wl_kv_get(&table, "key", 3, value, sizeof value, &bytes) == WL_KV_CORRUPT && bytes == 0);
    CHECK(wl_kv_discard(&table, wl_kv_damaged_slot(&table)) == WL_KV_OK);
    CHECK(wl_kv_discard(&table, wl_kv_damaged_slot(&table)) == WL_KV_NOT_FOUND);
    CHECK(wl_kv_put(&table, "key", 3, long_value, 39) == WL_KV_OK);
    CHECK(wl_kv_get(&table, "key", 3, value, sizeof value, &bytes) == WL_KV_OK && bytes == 39);
}

/* Two wrong bits of a value keep a table closed, and nothing is written; one is mended, and reported. */
static void wrong_bits(int in_ram)
{
    static unsigned char before[BYTES];
    wl_kv table;
    wl_kv_recovery recovery = {9, 9, 9, 9};
    char value[80];
    size_t bytes = 0, at, slots;
    format();
    CHECK(start(&table, in_ram) == WL_KV_OK);
    CHECK(wl_kv_put(&table, "key", 3, "marmalade", 9) == WL_KV_OK);
    CHECK(wl_kv_recovered(&table, &recovery) == WL_KV_OK);
    CHECK(recovery.torn == 0 && recovery.superseded == 0 && recovery.mended == 0 && recovery.damaged == 0);
    for (at = 0; memcmp(mram.bytes + at, "marmalade", 9) != 0; ++at) {
    }
    mram.bytes[at] ^= 0x11;
    memcpy(before, mram.bytes, BYTES);
    CHECK(start(&table, in_ram) == WL_KV_CORRUPT);
    CHECK(wl_kv_damaged_slot(&table) < 1000);
    CHECK(wl_kv_recovered(&table, &recovery) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_get(&table, "key", 3, value, sizeof value, &bytes) == WL_KV_BAD_ARGUMENT);
    /* The slots begin behind the directory. */
    slots = at > 24 ? at - 24 : 0;
    CHECK(memcmp(before + slots, mram.bytes + slots, BYTES - slots) == 0);
    mram.bytes[at] ^= 0x10;
    CHECK(start(&table, in_ram) == WL_KV_OK);
    CHECK(wl_kv_recovered(&table, &recovery) == WL_KV_OK);
    CHECK(recovery.torn == 0 && recovery.mended == 1);
    CHECK(wl_kv_get(&table, "key", 3, value, sizeof value, &bytes) == WL_KV_OK);
    CHECK(bytes == 9 && memcmp(value, "marmalade", 9) == 0);
    CHECK(wl_kv_recovered(&table, NULL) == WL_KV_BAD_ARGUMENT);
    CHECK(wl_kv_recovered(NULL, &recovery) == WL_KV_BAD_ARGUMENT);
}

int main(void)
{
    int in_ram;
    for (in_ram = 0; in_ram < 2; ++in_ram) {
        settings(in_ram);
        power_cuts(in_ram, "a new value of more than one slot");
        power_cuts(in_ram, "of one");
        damage(in_ram);
        wrong_bits(in_ram);
    }
    return 0;
}
