/*
 * A hash table for memories that are written byte by byte (MRAM, FRAM, battery-backed RAM), whose puts and removes
 * survive power cuts: for firmware in C and C++. It needs no operating system and no allocator.
 *
 * A complete program; it is compiled and run by the tests of this library:
 *
 *   #include <stdio.h>
 *   #include <string.h>
 *   #include "wordline_kv.h"
 *
 *   static unsigned char mram[4096];
 *
 *   static int32_t mram_read(void *user, uint64_t at, void *out, size_t bytes)
 *   {
 *       (void)user;
 *       memcpy(out, mram + at, bytes);
 *       return 0;
 *   }
 *
 *   static int32_t mram_write(void *user, uint64_t at, const void *data, size_t bytes)
 *   {
 *       (void)user;
 *       memcpy(mram + at, data, bytes);
 *       return 0;
 *   }
 *
 *   int main(void)
 *   {
 *       static unsigned char scratch[128];
 *       static wl_kv table;
 *       const wl_kv_memory memory = {NULL, sizeof mram, 2, mram_read, mram_write, NULL};
 *       wl_kv_options options = {0, 1, 0};
 *       char value[16] = "";
 *       size_t bytes = 0;
 *       wl_kv_status status = wl_kv_open(&table, &memory, scratch, sizeof scratch, NULL, 0);
 *       if (status == WL_KV_FOREIGN) {
 *           options.slot_bytes = wl_kv_slot_bytes(8, 8, memory.atom);
 *           wl_kv_format(&memory, &options);
 *           status = wl_kv_open(&table, &memory, scratch, sizeof scratch, NULL, 0);
 *       }
 *       if (status != WL_KV_OK
 *           || wl_kv_put(&table, "baud", 4, "9600", 4) != WL_KV_OK
 *           || wl_kv_get(&table, "baud", 4, value, sizeof value, &bytes) != WL_KV_OK) {
 *           return 1;
 *       }
 *       printf("%.*s\n", (int)bytes, value);
 *       return 0;
 *   }
 *
 * Memory. The caller's functions read and write it; they return 0, or anything else where they failed. An `atom` is the
 * bytes that a power cut leaves whole: the bus word, or the word of the part's own error correction. What `persist`
 * returned from survives a power cut; NULL is for a memory that keeps what a write returned from.
 *
 * Guarantees. After a power cut the table holds what it held before or after the call that was cut. One wrong bit in a
 * record is mended or told, never returned.
 *
 * Storage. The table, `scratch` and `directory` are the caller's, stay where they are, and are nobody else's until the
 * table is no longer used; nothing has to be closed. With `directory` NULL the directory lies in the memory, for which
 * `resident` was set when it was formatted: table, `scratch` (two slots or more) and some 2 KB of stack are then all the
 * RAM that it takes. With it in RAM, searches read nothing but the record. docs/evidence/kv-firmware.md has the figures.
 *
 * Threads. A table belongs to one thread, task or interrupt at a time. The functions of the memory must not call the
 * table that calls them.
 *
 * Build: `make kv-firmware TARGET=thumbv7em-none-eabihf` (any target of rustup) makes libwordline_kv_capi.a without the
 * standard library, and of this target runs an example, crates/kv-capi/firmware, in an emulator. On a host `make install`
 * puts it and this header in place: -lwordline_kv_capi -lpthread -ldl -lm.
 */
#ifndef WORDLINE_KV_H
#define WORDLINE_KV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. Where it failed, the table holds what it held before, unless the line says otherwise. */
typedef enum wl_kv_status {
    WL_KV_OK = 0,
    /* The key is not in the table, the slot holds no record, or the walk is over. */
    WL_KV_NOT_FOUND = 1,
    /* A pointer is NULL, buffers overlap, the table is not open, or its storage is not aligned as a wl_kv is. */
    WL_KV_BAD_ARGUMENT = 2,
    /* The memory's function failed. What the call was to change is old or new: open the table again. */
    WL_KV_MEMORY = 3,
    /* The memory holds no table. */
    WL_KV_FOREIGN = 4,
    /* The table has another format, or features that this library does not know. */
    WL_KV_VERSION = 5,
    /* The memory ends before the table does. */
    WL_KV_TRUNCATED = 6,
    /* The description of the table is damaged beyond one bit. */
    WL_KV_BAD_HEADER = 7,
    /* A record is damaged: wl_kv_damaged_slot names it, wl_kv_discard drops it. */
    WL_KV_CORRUPT = 8,
    /* The memory's atom does not divide the slots. */
    WL_KV_ATOM = 9,
    /* Slots have 16 to 32768 bytes, an even number. */
    WL_KV_SLOT_SIZE = 10,
    /* The memory has not room for seven slots. */
    WL_KV_TOO_SMALL = 11,
    /* The directory has fewer words than wl_kv_describe says. */
    WL_KV_DIRECTORY = 12,
    /* The table was formatted without room for a directory in the memory. */
    WL_KV_NO_DIRECTORY = 13,
    /* The scratch buffer has fewer bytes than wl_kv_describe says. */
    WL_KV_SCRATCH = 14,
    /* Keys have 1 to 65535 bytes. */
    WL_KV_KEY = 15,
    /* Values have at most 65535 bytes. */
    WL_KV_VALUE = 16,
    /* There are not enough free slots. */
    WL_KV_NO_ROOM = 17,
    /* A buffer is too short; wl_kv_get tells how long it has to be. */
    WL_KV_BUFFER = 18,
    /* Something that this header does not know of. */
    WL_KV_OTHER = 19
} wl_kv_status;

/* A memory. It is copied when a table is opened. */
typedef struct wl_kv_memory {
    /* Handed to the functions. */
    void *user;
    /* Its size. */
    uint64_t bytes;
    /* Bytes that a power cut leaves whole. */
    uint32_t atom;
    int32_t (*read)(void *user, uint64_t at, void *out, size_t bytes);
    int32_t (*write)(void *user, uint64_t at, const void *data, size_t bytes);
    int32_t (*persist)(void *user);
} wl_kv_memory;

/* What a table is made with. */
typedef struct wl_kv_options {
    /* Bytes in a slot: wl_kv_slot_bytes has the size that wastes nothing. */
    uint32_t slot_bytes;
    /* Not 0: the memory has room for the directory, 8 bytes for seven slots. */
    uint32_t resident;
    /* Of the hash: keys that collide under one do not under another. It is no secret key. */
    uint64_t seed;
} wl_kv_options;

/* The sizes of a table. */
typedef struct wl_kv_info {
    uint32_t slot_bytes;
    uint32_t slots;
    /* Whether the directory may be in the memory. */
    uint32_t resident;
    /* Words of 64 bits of a directory in RAM. */
    uint32_t directory_words;
    /* Bytes of the shortest scratch buffer. A longer one makes opening take fewer accesses. */
    uint32_t scratch_bytes;
} wl_kv_info;

/* What opening a table found. */
typedef struct wl_kv_recovery {
    /* Not 0: a power cut had spoilt a word in the middle of a commit, which is proven. It was removed. */
    uint32_t torn;
    /* Not 0: there were two versions of a record. The older one was removed. */
    uint32_t superseded;
    /* Records with wrong bits, which are read as what they were. */
    uint32_t mended;
    /* Records of several slots whose later slots are damaged: reading one is WL_KV_CORRUPT. */
    uint32_t damaged;
} wl_kv_recovery;

/* Words that are enough for a directory in RAM of a table in so many bytes with such slots, for an array whose length the
   compiler must know: two for each bucket of seven slots. */
#define WL_KV_DIRECTORY_WORDS(memory_bytes, slot_bytes) (2 * ((memory_bytes) / (7 * (slot_bytes))))

/* A table. Its words are the library's. */
typedef struct wl_kv {
    uint64_t words[48];
} wl_kv;

/* Slots that take one record of a key and a value of so many bytes, on a memory with such an atom. */
uint32_t wl_kv_slot_bytes(size_t key_bytes, size_t value_bytes, uint32_t atom);

/* Makes an empty table that fills the memory. */
wl_kv_status wl_kv_format(const wl_kv_memory *memory, const wl_kv_options *options);

/* The sizes of the table that is in the memory. */
wl_kv_status wl_kv_describe(const wl_kv_memory *memory, wl_kv_info *info);

/* Opens a table, and mends what a power cut left. `directory` NULL: it lies in the memory. WL_KV_CORRUPT: more is damaged
   than a power cut explains; wl_kv_damaged_slot names the slot, and nothing was written but such a directory. */
wl_kv_status wl_kv_open(wl_kv *table, const wl_kv_memory *memory, void *scratch, size_t scratch_bytes,
                        uint64_t *directory, size_t directory_words);

/* Gives a key a value, whether or not it has one. */
wl_kv_status wl_kv_put(wl_kv *table, const void *key, size_t key_bytes, const void *value, size_t value_bytes);

/* Copies the value of a key, and tells its length; `value_bytes` may be NULL. Key and buffer must not overlap. */
wl_kv_status wl_kv_get(wl_kv *table, const void *key, size_t key_bytes, void *value, size_t room, size_t *value_bytes);

/* Removes a key and its value. */
wl_kv_status wl_kv_remove(wl_kv *table, const void *key, size_t key_bytes);

/*
 * Copies the next record, and tells its lengths. The walk begins with `*cursor` 0, which each call moves, and ends with
 * WL_KV_NOT_FOUND. After WL_KV_CORRUPT it goes on behind the damaged record, after WL_KV_BUFFER with the same one. The
 * two buffers must not overlap.
 */
wl_kv_status wl_kv_next(wl_kv *table, uint32_t *cursor, void *key, size_t key_room, size_t *key_bytes, void *value,
                        size_t value_room, size_t *value_bytes);

/* Drops the record that begins in a slot, damaged or not. */
wl_kv_status wl_kv_discard(wl_kv *table, uint32_t slot);

/* What opening found; WL_KV_BAD_ARGUMENT where the table is not open. */
wl_kv_status wl_kv_recovered(const wl_kv *table, wl_kv_recovery *recovery);

/* The slot that the last WL_KV_CORRUPT was about, that of wl_kv_open too; UINT32_MAX where there was none. */
uint32_t wl_kv_damaged_slot(const wl_kv *table);

/* How many records a table holds; 0 where it is not open. */
uint32_t wl_kv_records(const wl_kv *table);

/* How many slots hold nothing; one of them is kept for updates. 0 where the table is not open. */
uint32_t wl_kv_free_slots(const wl_kv *table);

#ifdef __cplusplus
}
#endif

#endif
