/*
 * Files on memories that are written byte by byte (MRAM, FRAM, battery-backed RAM), overwritten in place, which survive
 * power cuts: for firmware in C and C++. It needs no operating system and no allocator.
 *
 * A complete program; it is compiled and run by the tests of this library:
 *
 *   #include <stdio.h>
 *   #include <string.h>
 *   #include "wordline_flat.h"
 *
 *   enum { BYTES = 65536, UNIT = 256, RECORDS = 32, EXTENTS = 16, OPEN = 2 };
 *   static unsigned char mram[BYTES];
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
 *       static uint32_t ram[WL_FLAT_RAM_WORDS(BYTES, UNIT, RECORDS, EXTENTS, OPEN)];
 *       static wl_flat fs;
 *       static wl_flat_file file;
 *       const wl_flat_memory memory = {NULL, BYTES, 2, mram_read, mram_write, NULL};
 *       const wl_flat_shape shape = {BYTES, UNIT, RECORDS, EXTENTS};
 *       const wl_flat_use use = {OPEN, 4096};
 *       char text[32] = "";
 *       size_t bytes = 0;
 *       wl_flat_status status = wl_flat_mount(&fs, &memory, &use, ram, sizeof ram / sizeof *ram);
 *       if (status == WL_FLAT_FOREIGN) {
 *           wl_flat_format(&memory, &shape);
 *           status = wl_flat_mount(&fs, &memory, &use, ram, sizeof ram / sizeof *ram);
 *       }
 *       if (status != WL_FLAT_OK
 *           || wl_flat_open(&fs, &file, "/log", WL_FLAT_CREATE) != WL_FLAT_OK
 *           || wl_flat_write(&fs, &file, 0, "22.5 C", 6) != WL_FLAT_OK
 *           || wl_flat_sync(&fs, &file) != WL_FLAT_OK
 *           || wl_flat_read(&fs, &file, 0, text, sizeof text, &bytes) != WL_FLAT_OK) {
 *           printf("%s\n", wl_flat_text((int32_t)status));
 *           return 1;
 *       }
 *       printf("%.*s\n", (int)bytes, text);
 *       return 0;
 *   }
 *
 * Memory. The caller's functions read and write it; they return 0, or anything else where they failed. An `atom` is the
 * bytes that a power cut leaves whole, a power of two: the bus word, or the word of the part's own error correction. What
 * `persist` returned from survives a power cut; NULL is for a memory that keeps what a write returned from.
 *
 * Guarantees. To create, remove, rename, lengthen or cut a file is done or not done after a power cut. Bytes within the
 * length are overwritten in place: until the next sync a cut leaves each atom of them old or new. Bytes behind the length
 * are there together with it, or not at all. A name and a shorter length last when the call returns, all else when
 * wl_flat_sync returns. A damaged record is an error and never another answer; the bytes of files have no check.
 *
 * Names. A path begins with "/", has no "/" at its end, and is UTF-8 with a zero byte at its end; each of its parts has 1 to
 * 255 bytes, and is neither "." nor "..".
 *
 * Storage. File system, handles and RAM are the caller's, stay where they are, and are used by nothing else meanwhile. A
 * wl_flat, a wl_flat_file and a wl_flat_dir are static, set to zeros, or given to the call that fills them first. Unmounting
 * or mounting again ends all handles, which is noticed. docs/evidence/flat-firmware.md has code size and stack.
 *
 * Threads. A file system belongs to one thread, task or interrupt at a time. The functions of the memory must not call the
 * file system that calls them.
 *
 * Build: `make flat-firmware TARGET=thumbv7em-none-eabihf` (any target of rustup) makes libwordline_flat_capi.a without the
 * standard library, and of this target runs an example, crates/flat-capi/firmware, in an emulator. On a host `make install`
 * puts it and this header in place: -lwordline_flat_capi -lpthread -ldl -lm.
 */
#ifndef WORDLINE_FLAT_H
#define WORDLINE_FLAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. Where it failed, the files hold what they held before, unless the line says otherwise. */
typedef enum wl_flat_status {
    WL_FLAT_OK = 0,
    /* The directory has no further entry. */
    WL_FLAT_END = 1,
    /* A pointer is NULL, storage is not aligned as its type is, a function is missing, or a mode is unknown. */
    WL_FLAT_BAD_ARGUMENT = 2,
    /* No file system is mounted there. */
    WL_FLAT_NOT_MOUNTED = 3,
    /* The handle is not open, or of another mount. */
    WL_FLAT_BAD_HANDLE = 4,
    /* The memory's function failed. What the call was to change is old or new: mount again. */
    WL_FLAT_MEMORY = 5,
    /* The memory holds no files of this kind. */
    WL_FLAT_FOREIGN = 6,
    /* The files have another format, or features that this library does not know. */
    WL_FLAT_VERSION = 7,
    /* The memory ends before the files do. */
    WL_FLAT_TRUNCATED = 8,
    /* The header is damaged. */
    WL_FLAT_BAD_HEADER = 9,
    /* A record is damaged, or contradicts another; `found` of the problem is its slot. */
    WL_FLAT_CORRUPT = 10,
    /* The memory's atom must be a power of two, and no larger than a unit. */
    WL_FLAT_ATOM = 11,
    /* Units have 64 bytes to 1 MiB, a power of two; there are 16 records or more, and 1 to 48 extents. */
    WL_FLAT_SHAPE = 12,
    /* The memory has no room for a single unit, or more than 4 GiB. */
    WL_FLAT_CAPACITY = 13,
    /* The RAM has fewer words than wl_flat_ram_words says; `least` of the problem says how many. */
    WL_FLAT_RAM = 14,
    WL_FLAT_NOT_FOUND = 15,
    WL_FLAT_EXISTS = 16,
    /* A part of the path that should be a directory is a file. */
    WL_FLAT_NOT_A_DIRECTORY = 17,
    WL_FLAT_IS_A_DIRECTORY = 18,
    WL_FLAT_NOT_EMPTY = 19,
    /* See "Names" above. */
    WL_FLAT_BAD_NAME = 20,
    /* A directory cannot be moved into itself. */
    WL_FLAT_INTO_ITSELF = 21,
    /* There are not enough free units. */
    WL_FLAT_NO_SPACE = 22,
    /* There are not enough free records. */
    WL_FLAT_NO_RECORDS = 23,
    /* The file has as many extents as the shape allows, and what follows its last one is taken. A copy mends it. */
    WL_FLAT_FRAGMENTED = 24,
    /* A file has less than 4 GiB. */
    WL_FLAT_TOO_LONG = 25,
    /* The file is open: it is open once at a time, and is neither removed nor replaced meanwhile. */
    WL_FLAT_BUSY = 26,
    /* As many files are open as `open_files` of the mount. */
    WL_FLAT_TOO_MANY_OPEN = 27,
    /* A write begins behind the end of its file; `most` of the problem is its length. */
    WL_FLAT_PAST_END = 28,
    /* Something that this header does not know of. */
    WL_FLAT_OTHER = 29
} wl_flat_status;

/* A memory. It is copied when it is mounted. */
typedef struct wl_flat_memory {
    /* Handed to the functions. */
    void *user;
    /* Its size. */
    uint64_t bytes;
    /* Bytes that a power cut leaves whole. */
    uint32_t atom;
    int32_t (*read)(void *user, uint64_t at, void *out, size_t bytes);
    int32_t (*write)(void *user, uint64_t at, const void *data, size_t bytes);
    int32_t (*persist)(void *user);
} wl_flat_memory;

/* How a memory is divided: chosen when it is formatted, and stored there. wl_flat_usual_shape suits most uses. */
typedef struct wl_flat_shape {
    /* Bytes of the memory that the files have. */
    uint64_t bytes;
    /* Bytes of a unit: files take whole units. A power of two, 64 bytes to 1 MiB. */
    uint32_t unit_bytes;
    /* Slots of 128 bytes. A file or directory takes one, and one more for every 104 bytes by which its name and its extents
       of 8 bytes exceed 56 bytes. Seven are kept free. At least 16. */
    uint32_t records;
    /* The most extents of a file, 1 to 48. */
    uint32_t extents;
} wl_flat_shape;

/* How files are used: chosen at each mount, and not stored. */
typedef struct wl_flat_use {
    /* Files that can be open at a time. */
    uint32_t open_files;
    /* Bytes that a file which grows takes at least, while it is open: half of what it has, but this much at least, and an
       eighth of the free space at most. 4096 suits most uses. */
    uint32_t reserve_bytes;
} wl_flat_use;

/* Words of 32 bits that are enough RAM for such a shape and use, for an array whose length the compiler must know.
   wl_flat_ram_words has the exact number. */
#define WL_FLAT_RAM_WORDS(memory_bytes, unit_bytes, records, extents, open_files) \
    ((memory_bytes) / (unit_bytes) / 32 + 1 + (records) + (open_files) * (8 + 2 * (extents)))

/* Room, in bytes. What open files have reserved counts as free. */
typedef struct wl_flat_room {
    uint64_t total;
    uint64_t free;
    uint32_t free_records;
} wl_flat_room;

/* What is at a path. */
typedef struct wl_flat_entry {
    /* Bytes of a file; 0 of a directory. */
    uint32_t bytes;
    /* Not 0: a directory. */
    uint32_t is_directory;
    /* The name, and a zero byte. */
    char name[256];
} wl_flat_entry;

/* What was wrong last. Fields that do not apply are 0. */
typedef struct wl_flat_problem {
    wl_flat_status status;
    /* What the memory's function returned. */
    int32_t code;
    /* The value found, and the values that would do. */
    uint64_t found;
    uint64_t least;
    uint64_t most;
} wl_flat_problem;

/* How a file is opened. */
typedef enum wl_flat_open_mode {
    /* It must be there. */
    WL_FLAT_EXISTING = 0,
    /* An empty one is made where there is none. */
    WL_FLAT_CREATE = 1,
    /* It is emptied, or made where there is none. */
    WL_FLAT_REPLACE = 2
} wl_flat_open_mode;

/* A file system, an open file, and a directory that is gone through. Their words are the library's. */
typedef struct wl_flat {
    uint64_t words[32];
} wl_flat;

typedef struct wl_flat_file {
    uint64_t words[4];
} wl_flat_file;

typedef struct wl_flat_dir {
    uint64_t words[5];
} wl_flat_dir;

/* The words of a status, in English, with a zero byte at the end. They stay. */
const char *wl_flat_text(int32_t status);

/* What was wrong at the last call of a file system that failed, be it a mount. `status` is what that call returned, and
   WL_FLAT_OK where none failed since the mount. WL_FLAT_END is no failure. WL_FLAT_NOT_MOUNTED: nothing was mounted there, or
   it was unmounted. Calls without a wl_flat keep no problem. */
wl_flat_status wl_flat_problem_of(const wl_flat *fs, wl_flat_problem *problem);

/* What suits most uses of a memory of some bytes: at most 32768 units of at least 256 bytes, a record for every 2 KiB but 16
   to 1024, and 32 extents. */
wl_flat_status wl_flat_usual_shape(uint64_t bytes, wl_flat_shape *shape);

/* Words of RAM that a mount needs. A shape that a format would refuse is WL_FLAT_SHAPE or WL_FLAT_CAPACITY, and leaves
   `words` as it was. */
wl_flat_status wl_flat_ram_words(const wl_flat_shape *shape, const wl_flat_use *use, uint64_t *words);

/* The shape of the files that are in the memory. */
wl_flat_status wl_flat_shape_of(const wl_flat_memory *memory, wl_flat_shape *shape);

/* Makes the memory hold an empty directory "/", whatever it held. */
wl_flat_status wl_flat_format(const wl_flat_memory *memory, const wl_flat_shape *shape);

/* Mounts the files that a memory holds: reads every record, and ends what a power cut interrupted. */
wl_flat_status wl_flat_mount(wl_flat *fs, const wl_flat_memory *memory, const wl_flat_use *use, uint32_t *ram,
                             size_t ram_words);

/* Ends all handles, and gives the RAM back. It does not sync. */
wl_flat_status wl_flat_unmount(wl_flat *fs);

wl_flat_status wl_flat_room_of(const wl_flat *fs, wl_flat_room *room);

/* Opens a file: `mode` is a wl_flat_open_mode. Close what `file` has open before: its old content is not looked at, and is lost
   even where the call fails. A file lost so stays open until the next mount: WL_FLAT_BUSY, and one of `open_files` less. */
wl_flat_status wl_flat_open(wl_flat *fs, wl_flat_file *file, const char *path, uint32_t mode);

/* Closes a file, which gives back what it had reserved. It does not sync. */
wl_flat_status wl_flat_close(wl_flat *fs, wl_flat_file *file);

/* Copies bytes of a file from `at` on, and says how many there were before its end; `got` may be NULL. */
wl_flat_status wl_flat_read(wl_flat *fs, wl_flat_file *file, uint64_t at, void *out, size_t bytes, size_t *got);

/* Stores bytes in a file from `at` on, which is at most its length. */
wl_flat_status wl_flat_write(wl_flat *fs, wl_flat_file *file, uint64_t at, const void *data, size_t bytes);

/* Cuts a file to so many bytes, or extends it with zeros, which are written. */
wl_flat_status wl_flat_truncate(wl_flat *fs, wl_flat_file *file, uint64_t bytes);

/* Returns when everything that was written to the files survives a power cut. */
wl_flat_status wl_flat_sync(wl_flat *fs, wl_flat_file *file);

/* The length of an open file. */
wl_flat_status wl_flat_length(wl_flat *fs, wl_flat_file *file, uint32_t *bytes);

/* Makes a directory; the one above it must be there. */
wl_flat_status wl_flat_mkdir(wl_flat *fs, const char *path);

/* Removes a file, or a directory that is empty. */
wl_flat_status wl_flat_remove(wl_flat *fs, const char *path);

/* Gives a file or a directory another name. A file of that name is replaced, and so is an empty directory by a directory:
   at once, whatever the power does. The file may be open. */
wl_flat_status wl_flat_rename(wl_flat *fs, const char *from, const char *to);

/* What is at a path. The path may lie in `entry`. */
wl_flat_status wl_flat_stat(wl_flat *fs, const char *path, wl_flat_entry *entry);

/* Begins to go through a directory, which may not change meanwhile. Nothing has to be closed; a `dir` that is in use begins
   anew. */
wl_flat_status wl_flat_open_dir(wl_flat *fs, wl_flat_dir *dir, const char *path);

/* The next entry of a directory, in no order; WL_FLAT_END behind the last. */
wl_flat_status wl_flat_next_entry(wl_flat *fs, wl_flat_dir *dir, wl_flat_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
