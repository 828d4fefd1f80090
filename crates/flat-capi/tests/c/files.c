/* Files in MRAM: every call, every status that a caller can bring about, power cuts, a memory that fails, damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_flat.h"

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

enum { BYTES = 32768, UNIT = 64, RECORDS = 24, EXTENTS = 8, OPEN = 2, ATOM = 2 };

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

static chip mram;
static uint32_t ram[WL_FLAT_RAM_WORDS(BYTES, UNIT, RECORDS, EXTENTS, OPEN)];
static wl_flat fs;
static wl_flat_file file, other, third;
static wl_flat_dir dir;

static const wl_flat_memory memory = {&mram, BYTES, ATOM, chip_read, chip_write, chip_persist};
static const wl_flat_shape shape = {BYTES, UNIT, RECORDS, EXTENTS};
static const wl_flat_use use = {OPEN, 256};

static wl_flat_status mount(void)
{
    memset(ram, 0xA5, sizeof ram);
    return wl_flat_mount(&fs, &memory, &use, ram, sizeof ram / sizeof *ram);
}

static void format(void)
{
    memset(mram.bytes, 0xA5, sizeof mram.bytes);
    mram.words_left = -1;
    mram.persists = 0;
    CHECK(wl_flat_format(&memory, &shape) == WL_FLAT_OK);
    CHECK(mount() == WL_FLAT_OK);
}

static wl_flat_problem problem(void)
{
    wl_flat_problem found;
    CHECK(wl_flat_problem_of(&fs, &found) == WL_FLAT_OK);
    return found;
}

static int holds(const char *path, const char *expected)
{
    char text[600];
    size_t bytes = 0;
    int is;
    CHECK(strlen(expected) < sizeof text);
    if (wl_flat_open(&fs, &other, path, WL_FLAT_EXISTING) != WL_FLAT_OK) {
        return 0;
    }
    is = wl_flat_read(&fs, &other, 0, text, sizeof text, &bytes) == WL_FLAT_OK && bytes == strlen(expected)
        && memcmp(text, expected, bytes) == 0;
    CHECK(wl_flat_close(&fs, &other) == WL_FLAT_OK);
    return is;
}

static wl_flat_status put(const char *path, const char *text)
{
    wl_flat_status status = wl_flat_open(&fs, &file, path, WL_FLAT_REPLACE);
    if (status == WL_FLAT_OK) {
        status = wl_flat_write(&fs, &file, 0, text, strlen(text));
    }
    if (status == WL_FLAT_OK) {
        status = wl_flat_sync(&fs, &file);
    }
    return status == WL_FLAT_OK ? wl_flat_close(&fs, &file) : status;
}

static void sizes(void)
{
    wl_flat_shape usual, found;
    uint64_t words = 0;
    format();
    CHECK(wl_flat_usual_shape(524288, &usual) == WL_FLAT_OK);
    CHECK(usual.bytes == 524288 && usual.unit_bytes == 256 && usual.records == 256 && usual.extents == 32);
    CHECK(wl_flat_ram_words(&shape, &use, &words) == WL_FLAT_OK);
    CHECK(words <= sizeof ram / sizeof *ram && words + 4 > sizeof ram / sizeof *ram);
    CHECK(wl_flat_shape_of(&memory, &found) == WL_FLAT_OK);
    CHECK(found.bytes == BYTES && found.unit_bytes == UNIT && found.records == RECORDS && found.extents == EXTENTS);
    CHECK(wl_flat_mount(&fs, &memory, &use, ram, (size_t)words - 1) == WL_FLAT_RAM);
    CHECK(problem().least == words && problem().found == words - 1);
    CHECK(wl_flat_mkdir(&fs, "/a") == WL_FLAT_NOT_MOUNTED);
    CHECK(wl_flat_mount(&fs, &memory, &use, ram, (size_t)words) == WL_FLAT_OK);
}

static void calls(void)
{
    wl_flat_entry entry;
    wl_flat_room before, room;
    char back[16];
    uint32_t length = 0, names = 0;
    size_t got = 7;
    format();
    CHECK(wl_flat_room_of(&fs, &before) == WL_FLAT_OK && before.total == before.free && before.free_records == RECORDS);
    CHECK(put("/settings", "baud 9600") == WL_FLAT_OK && holds("/settings", "baud 9600"));
    CHECK(wl_flat_room_of(&fs, &room) == WL_FLAT_OK && room.free == before.free - UNIT && mram.persists > 0);
    CHECK(wl_flat_open(&fs, &file, "/settings", WL_FLAT_CREATE) == WL_FLAT_OK);
    CHECK(wl_flat_write(&fs, &file, 5, "4800", 4) == WL_FLAT_OK);
    CHECK(wl_flat_write(&fs, &file, 9, "\nparity e", 9) == WL_FLAT_OK);
    CHECK(wl_flat_length(&fs, &file, &length) == WL_FLAT_OK && length == 18);
    CHECK(wl_flat_truncate(&fs, &file, 9) == WL_FLAT_OK);
    CHECK(wl_flat_truncate(&fs, &file, 11) == WL_FLAT_OK);
    CHECK(wl_flat_read(&fs, &file, 5, back, sizeof back, &got) == WL_FLAT_OK && got == 6);
    CHECK(memcmp(back, "4800\0\0", 6) == 0);
    CHECK(wl_flat_read(&fs, &file, 11, back, 1, &got) == WL_FLAT_OK && got == 0);
    CHECK(wl_flat_read(&fs, &file, UINT64_MAX, back, 1, &got) == WL_FLAT_OK && got == 0);
    CHECK(wl_flat_write(&fs, &file, 12, "x", 1) == WL_FLAT_PAST_END);
    CHECK(problem().status == WL_FLAT_PAST_END && problem().found == 12 && problem().most == 11);
    CHECK(wl_flat_truncate(&fs, &file, UINT64_MAX) == WL_FLAT_TOO_LONG);
    CHECK(wl_flat_truncate(&fs, &file, BYTES) == WL_FLAT_NO_SPACE);

    CHECK(wl_flat_open(&fs, &other, "/settings", WL_FLAT_EXISTING) == WL_FLAT_BUSY);
    CHECK(wl_flat_remove(&fs, "/settings") == WL_FLAT_BUSY);
    CHECK(wl_flat_open(&fs, &other, "/a", WL_FLAT_CREATE) == WL_FLAT_OK);
    CHECK(wl_flat_open(&fs, &third, "/b", WL_FLAT_CREATE) == WL_FLAT_TOO_MANY_OPEN && problem().most == OPEN);
    CHECK(wl_flat_sync(&fs, &third) == WL_FLAT_BAD_HANDLE);
    CHECK(wl_flat_close(&fs, &other) == WL_FLAT_OK && wl_flat_close(&fs, &other) == WL_FLAT_BAD_HANDLE);
    CHECK(wl_flat_close(&fs, &file) == WL_FLAT_OK);

    CHECK(wl_flat_mkdir(&fs, "/log") == WL_FLAT_OK && wl_flat_mkdir(&fs, "/log") == WL_FLAT_EXISTS);
    CHECK(put("/log/today", "one") == WL_FLAT_OK && put("/log/next", "two") == WL_FLAT_OK);
    CHECK(wl_flat_rename(&fs, "/log/next", "/log/today") == WL_FLAT_OK && holds("/log/today", "two"));
    CHECK(wl_flat_rename(&fs, "/log", "/log/in") == WL_FLAT_INTO_ITSELF);
    CHECK(wl_flat_rename(&fs, "/log", "/a") == WL_FLAT_NOT_A_DIRECTORY);
    CHECK(wl_flat_rename(&fs, "/a", "/log") == WL_FLAT_IS_A_DIRECTORY);
    CHECK(wl_flat_remove(&fs, "/log") == WL_FLAT_NOT_EMPTY && wl_flat_remove(&fs, "/none") == WL_FLAT_NOT_FOUND);
    CHECK(wl_flat_stat(&fs, "/log/today", &entry) == WL_FLAT_OK);
    CHECK(entry.bytes == 3 && entry.is_directory == 0 && strcmp(entry.name, "today") == 0);
    CHECK(wl_flat_stat(&fs, "/", &entry) == WL_FLAT_OK && entry.is_directory != 0 && strcmp(entry.name, "/") == 0);
    CHECK(wl_flat_stat(&fs, "/a/b", &entry) == WL_FLAT_NOT_A_DIRECTORY);
    /* The path lies in the entry that is filled: in its name, and over its first fields. */
    strcpy(entry.name, "/settings");
    CHECK(wl_flat_stat(&fs, entry.name, &entry) == WL_FLAT_OK && !entry.is_directory);
    CHECK(strcmp(entry.name, "settings") == 0);
    memcpy(&entry, "/settings", sizeof "/settings");
    CHECK(wl_flat_stat(&fs, (const char *)&entry, &entry) == WL_FLAT_OK && !entry.is_directory);
    CHECK(strcmp(entry.name, "settings") == 0 && entry.bytes == 11);
    CHECK(wl_flat_open_dir(&fs, &dir, "/a") == WL_FLAT_NOT_A_DIRECTORY);
    CHECK(wl_flat_next_entry(&fs, &dir, &entry) == WL_FLAT_BAD_HANDLE);
    CHECK(wl_flat_open_dir(&fs, &dir, "/") == WL_FLAT_OK);
    while (wl_flat_next_entry(&fs, &dir, &entry) == WL_FLAT_OK) {
        names += 1;
        CHECK(strcmp(entry.name, "settings") == 0 || strcmp(entry.name, "log") == 0 || strcmp(entry.name, "a") == 0);
        CHECK((entry.is_directory != 0) == (strcmp(entry.name, "log") == 0));
    }
    CHECK(names == 3 && wl_flat_next_entry(&fs, &dir, &entry) == WL_FLAT_END);

    /* Handles of an earlier mount are noticed. */
    CHECK(wl_flat_open(&fs, &file, "/settings", WL_FLAT_EXISTING) == WL_FLAT_OK);
    CHECK(mount() == WL_FLAT_OK);
    CHECK(wl_flat_open(&fs, &other, "/a", WL_FLAT_EXISTING) == WL_FLAT_OK);
    CHECK(wl_flat_length(&fs, &file, &length) == WL_FLAT_BAD_HANDLE);
    CHECK(wl_flat_next_entry(&fs, &dir, &entry) == WL_FLAT_BAD_HANDLE);
    CHECK(wl_flat_close(&fs, &other) == WL_FLAT_OK);
    CHECK(holds("/log/today", "two"));
    CHECK(wl_flat_unmount(&fs) == WL_FLAT_OK && wl_flat_unmount(&fs) == WL_FLAT_NOT_MOUNTED);
}

static void arguments(void)
{
    static wl_flat zeros;
    wl_flat_memory half = memory;
    wl_flat_shape odd = shape;
    const wl_flat_use many = {UINT32_MAX, 4096};
    uint64_t words = 7;
    size_t got = 7;
    uint32_t length;
    half.read = NULL;
    format();
    CHECK(wl_flat_mount(NULL, &memory, &use, ram, 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_mount(&fs, NULL, &use, ram, 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_mount(&fs, &half, &use, ram, 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_mount(&fs, &memory, NULL, ram, 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_mount(&fs, &memory, &use, NULL, 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_mount(&fs, &memory, &use, (uint32_t *)(void *)((char *)ram + 1), 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(problem().status == WL_FLAT_BAD_ARGUMENT && wl_flat_problem_of(&zeros, NULL) == WL_FLAT_NOT_MOUNTED);
    CHECK(wl_flat_mkdir(&zeros, "/a") == WL_FLAT_NOT_MOUNTED);
    CHECK(mount() == WL_FLAT_OK);
    CHECK(wl_flat_mkdir(&fs, NULL) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_mkdir(&fs, "a") == WL_FLAT_BAD_NAME && wl_flat_mkdir(&fs, "/a/") == WL_FLAT_BAD_NAME);
    CHECK(wl_flat_mkdir(&fs, "/\xff") == WL_FLAT_BAD_NAME && wl_flat_mkdir(&fs, "/..") == WL_FLAT_BAD_NAME);
    CHECK(wl_flat_open(&fs, NULL, "/a", WL_FLAT_CREATE) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_open(&fs, &file, "/a", 3) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_open(&fs, &file, "/a", WL_FLAT_EXISTING) == WL_FLAT_NOT_FOUND);
    CHECK(wl_flat_open(&fs, &file, "/a", WL_FLAT_CREATE) == WL_FLAT_OK);
    CHECK(wl_flat_write(&fs, &file, 0, NULL, 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_write(&fs, &file, 0, NULL, 0) == WL_FLAT_OK);
    CHECK(wl_flat_read(&fs, &file, 0, NULL, 1, &got) == WL_FLAT_BAD_ARGUMENT && got == 0);
    CHECK(wl_flat_length(&fs, NULL, &length) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_length(&fs, &file, NULL) == WL_FLAT_OK);
    CHECK(wl_flat_stat(&fs, "/a", NULL) == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_next_entry(&fs, &dir, NULL) == WL_FLAT_BAD_ARGUMENT);

    odd.unit_bytes = 65;
    CHECK(wl_flat_format(&memory, &odd) == WL_FLAT_SHAPE);
    CHECK(wl_flat_ram_words(&odd, &use, &words) == WL_FLAT_SHAPE && words == 7);
    odd = shape;
    odd.extents = UINT32_MAX;
    CHECK(wl_flat_ram_words(&odd, &many, &words) == WL_FLAT_SHAPE && words == 7);
    odd = shape;
    odd.bytes = 1024;
    CHECK(wl_flat_format(&memory, &odd) == WL_FLAT_CAPACITY);
    CHECK(wl_flat_ram_words(&odd, &use, &words) == WL_FLAT_CAPACITY && words == 7);
    CHECK(wl_flat_ram_words(&shape, &many, &words) == WL_FLAT_OK);
    CHECK(words > UINT32_MAX * (uint64_t)(8 + 2 * EXTENTS));
    odd.bytes = 2 * BYTES;
    CHECK(wl_flat_format(&memory, &odd) == WL_FLAT_TRUNCATED);
    half = memory;
    half.atom = 128;
    CHECK(wl_flat_format(&half, &shape) == WL_FLAT_ATOM);
    CHECK(mount() == WL_FLAT_OK);
    CHECK(strcmp(wl_flat_text(WL_FLAT_OK), "done") == 0 && strcmp(wl_flat_text(WL_FLAT_OTHER), "another error") == 0);
    CHECK(strcmp(wl_flat_text(-1), "unknown status") == 0 && strcmp(wl_flat_text(30), "unknown status") == 0);
}

/* A problem is that of the last call that failed, whatever was wrong. */
static void problems(void)
{
    wl_flat_memory half = memory;
    wl_flat_entry entry;
    wl_flat_problem found;
    uint32_t length;
    half.write = NULL;
    format();
    CHECK(problem().status == WL_FLAT_OK);
    CHECK(wl_flat_open(&fs, &file, "/a", WL_FLAT_CREATE) == WL_FLAT_OK);
    CHECK(wl_flat_write(&fs, &file, 9, "x", 1) == WL_FLAT_PAST_END && problem().found == 9);
    CHECK(wl_flat_mkdir(&fs, "/\xff") == WL_FLAT_BAD_NAME);
    CHECK(problem().status == WL_FLAT_BAD_NAME && problem().found == 0 && problem().most == 255);
    CHECK(wl_flat_length(&fs, &third, &length) == WL_FLAT_BAD_HANDLE);
    CHECK(problem().status == WL_FLAT_BAD_HANDLE && problem().most == 0);
    CHECK(wl_flat_stat(&fs, "/b", &entry) == WL_FLAT_NOT_FOUND && problem().status == WL_FLAT_NOT_FOUND);
    CHECK(wl_flat_write(&fs, &file, 0, NULL, 1) == WL_FLAT_BAD_ARGUMENT);
    CHECK(problem().status == WL_FLAT_BAD_ARGUMENT);
    CHECK(wl_flat_rename(&fs, "/a", "\xff") == WL_FLAT_BAD_NAME && problem().status == WL_FLAT_BAD_NAME);
    CHECK(wl_flat_open(&fs, &third, "/b", 3) == WL_FLAT_BAD_ARGUMENT && problem().status == WL_FLAT_BAD_ARGUMENT);
    /* The end of a directory is no failure, and a call that succeeds leaves the problem. */
    CHECK(wl_flat_open_dir(&fs, &dir, "/") == WL_FLAT_OK && wl_flat_next_entry(&fs, &dir, &entry) == WL_FLAT_OK);
    CHECK(wl_flat_next_entry(&fs, &dir, &entry) == WL_FLAT_END && problem().status == WL_FLAT_BAD_ARGUMENT);
    /* Storage of a handle that was opened before is not looked at: the old file stays open. */
    CHECK(wl_flat_open(&fs, &file, "/a", WL_FLAT_EXISTING) == WL_FLAT_BUSY && problem().status == WL_FLAT_BUSY);
    CHECK(wl_flat_length(&fs, &file, &length) == WL_FLAT_BAD_HANDLE);
    CHECK(wl_flat_remove(&fs, "/a") == WL_FLAT_BUSY);

    CHECK(wl_flat_mount(&fs, &half, &use, ram, sizeof ram / sizeof *ram) == WL_FLAT_BAD_ARGUMENT);
    CHECK(problem().status == WL_FLAT_BAD_ARGUMENT && wl_flat_mkdir(&fs, "/c") == WL_FLAT_NOT_MOUNTED);
    CHECK(mount() == WL_FLAT_OK && problem().status == WL_FLAT_OK && wl_flat_remove(&fs, "/a") == WL_FLAT_OK);
    CHECK(wl_flat_unmount(&fs) == WL_FLAT_OK && wl_flat_problem_of(&fs, &found) == WL_FLAT_NOT_MOUNTED);
}

static void limits(void)
{
    char path[8];
    wl_flat_status status = WL_FLAT_OK;
    int i;
    format();
    for (i = 0; i < 100 && status == WL_FLAT_OK; ++i) {
        sprintf(path, "/%d", i);
        status = put(path, "");
    }
    CHECK(status == WL_FLAT_NO_RECORDS && i > 10);

    /* Every other unit is taken, so that a file needs an extent for each of its own. */
    format();
    {
        const wl_flat_use no_reserve = {OPEN, 0};
        CHECK(wl_flat_mount(&fs, &memory, &no_reserve, ram, sizeof ram / sizeof *ram) == WL_FLAT_OK);
    }
    CHECK(wl_flat_open(&fs, &file, "/one", WL_FLAT_CREATE) == WL_FLAT_OK);
    CHECK(wl_flat_open(&fs, &other, "/two", WL_FLAT_CREATE) == WL_FLAT_OK);
    for (i = 0, status = WL_FLAT_OK; i < 100 && status == WL_FLAT_OK; ++i) {
        status = wl_flat_truncate(&fs, i % 2 == 0 ? &file : &other, (uint64_t)(i / 2 + 1) * UNIT);
    }
    CHECK(status == WL_FLAT_FRAGMENTED && problem().found == EXTENTS);
}

/* The power fails before each word of a replacement and of an append: old or new is there after it. */
static void power_cuts(void)
{
    long cut, old = 0, new = 0;
    for (cut = 0;; ++cut) {
        wl_flat_status status;
        format();
        CHECK(put("/data", "old") == WL_FLAT_OK && put("/next", "new and longer") == WL_FLAT_OK);
        mram.words_left = cut;
        status = wl_flat_rename(&fs, "/next", "/data");
        mram.words_left = -1;
        if (status == WL_FLAT_OK) {
            break;
        }
        CHECK(status == WL_FLAT_MEMORY && problem().code == -5);
        CHECK(mount() == WL_FLAT_OK);
        if (holds("/data", "old")) {
            CHECK(holds("/next", "new and longer"));
            old += 1;
        } else {
            CHECK(holds("/data", "new and longer") && !holds("/next", "new and longer"));
            new += 1;
        }
    }
    CHECK(old > 10 && new > 0);
    for (cut = 0, old = 0;; ++cut) {
        wl_flat_status status;
        format();
        CHECK(put("/log", "one ") == WL_FLAT_OK);
        CHECK(wl_flat_open(&fs, &file, "/log", WL_FLAT_EXISTING) == WL_FLAT_OK);
        mram.words_left = cut;
        status = wl_flat_write(&fs, &file, 4, "two", 3);
        mram.words_left = -1;
        if (status == WL_FLAT_OK) {
            break;
        }
        CHECK(mount() == WL_FLAT_OK && holds("/log", "one "));
        old += 1;
    }
    CHECK(old >= 3);
}

/* Each byte of header and records changed in turn: a call is an error or gives what was there. */
static void damage(void)
{
    static unsigned char kept[BYTES];
    size_t at;
    unsigned noticed = 0;
    format();
    CHECK(wl_flat_shape_of(&memory, NULL) == WL_FLAT_OK);
    CHECK(put("/settings", "baud 9600") == WL_FLAT_OK && put("/log", "one") == WL_FLAT_OK);
    memcpy(kept, mram.bytes, BYTES);
    for (at = 0; at < 64 + 128 * RECORDS; ++at) {
        wl_flat_status status;
        memcpy(mram.bytes, kept, BYTES);
        mram.bytes[at] ^= 0x11;
        status = mount();
        if (status == WL_FLAT_OK) {
            CHECK(holds("/settings", "baud 9600") && holds("/log", "one"));
        } else {
            CHECK(status == WL_FLAT_CORRUPT || status == WL_FLAT_BAD_HEADER || status == WL_FLAT_FOREIGN);
            noticed += 1;
        }
    }
    CHECK(noticed > 150);
    memset(mram.bytes, 0, 64);
    CHECK(mount() == WL_FLAT_FOREIGN && wl_flat_shape_of(&memory, NULL) == WL_FLAT_FOREIGN);
}

int main(void)
{
    sizes();
    calls();
    arguments();
    problems();
    limits();
    power_cuts();
    damage();
    return 0;
}
