/*
 * Files on raw flash whose calls have a proven worst case, and which survive power cuts: for firmware in C and C++. It
 * needs no operating system and no allocator.
 *
 * A complete program; it is compiled and run by the tests of this library:
 *
 *   #include <stdio.h>
 *   #include <string.h>
 *   #include "wordline_rtfs.h"
 *
 *   enum { PAGE = 256, SPARE = 16, BLOCK = 32, BLOCKS = 24 };
 *   static unsigned char nand[BLOCKS * BLOCK][PAGE + SPARE];
 *
 *   static int32_t nand_read(void *user, uint32_t page, uint32_t column, void *out, size_t bytes)
 *   {
 *       (void)user;
 *       memcpy(out, nand[page] + column, bytes);
 *       return WL_RTFS_FLASH_OK;
 *   }
 *
 *   static int32_t nand_program(void *user, uint32_t page, uint32_t column, const void *data, size_t bytes)
 *   {
 *       (void)user;
 *       memcpy(nand[page] + column, data, bytes);
 *       return WL_RTFS_FLASH_OK;
 *   }
 *
 *   static int32_t nand_erase(void *user, uint32_t block)
 *   {
 *       (void)user;
 *       memset(nand[block * BLOCK], 0xFF, sizeof nand[0] * BLOCK);
 *       return WL_RTFS_FLASH_OK;
 *   }
 *
 *   int main(void)
 *   {
 *       static unsigned char ram[1024];
 *       static wl_rtfs fs;
 *       static wl_rtfs_file file;
 *       const wl_rtfs_flash flash = {NULL, PAGE, SPARE, BLOCK, BLOCKS, WL_RTFS_COLUMNS(1),
 *                                    nand_read, nand_program, nand_erase, NULL, NULL,
 *                                    WL_RTFS_ERASE_AWAITED, NULL, NULL, NULL};
 *       const wl_rtfs_config config = {128, 1, 0};
 *       char text[32] = "";
 *       size_t bytes = 0;
 *       wl_rtfs_status status = wl_rtfs_mount(&fs, &flash, &config, ram, sizeof ram);
 *       if (status == WL_RTFS_FOREIGN) {
 *           status = wl_rtfs_format(&fs, &flash, &config, 7, ram, sizeof ram);
 *       }
 *       if (status != WL_RTFS_OK
 *           || wl_rtfs_open(&fs, &file, "/log", WL_RTFS_CREATE) != WL_RTFS_OK
 *           || wl_rtfs_append(&fs, &file, "22.5 C", 6, NULL) != WL_RTFS_OK
 *           || wl_rtfs_read(&fs, &file, 0, text, sizeof text, &bytes) != WL_RTFS_OK) {
 *           printf("%s\n", wl_rtfs_text((int32_t)status));
 *           return 1;
 *       }
 *       printf("%.*s\n", (int)bytes, text);
 *       return 0;
 *   }
 *
 * Flash. The caller's functions read, program and erase it. A page is programmed once between two erases, as a whole with
 * its spare area, and in rising order within its block. 15 bytes of the spare area are the library's: those named by
 * `columns`. The others stay 0xFF. Where the data sheet keeps bytes for marks and for the ECC, `columns` leaves them out.
 * NOR has no spare area: wl_rtfs_nor_pages makes pages of it that have one.
 *
 * Guarantees. What a call returned from survives a power cut. The call that is cut is done or not done: an entry of a
 * directory as a whole, and of a write each four pages as a whole; wl_rtfs_write_together makes up to eight one whole.
 * Nothing has to be closed or synced before a power cut.
 *
 * Damage. What a flash says of itself is checked before it is used: bytes that changed make calls fail, and nothing worse. An
 * error of the library itself stops the program (on a host an abort, in firmware an endless loop, which a watchdog ends).
 *
 * Worst case. Each group of pages that a call writes costs at most what wl_rtfs_write_counts says, and a page that is read
 * at most what wl_rtfs_read_counts says. A write within pages that a file has costs these pages alone. wl_rtfs_plan has
 * the figures before any hardware exists, and wl_rtfs_call_counts those of each call on files. Times follow from the data
 * sheet: multiply the counts by tR, tPROG and tBERS.
 *
 * Storage. The file system (wl_rtfs), its memory and the handles are the caller's. The file system and its memory stay
 * where they are, and nothing else uses them until wl_rtfs_unmount or the end. A handle is zero or was opened before it is
 * used. `ram_bytes` of wl_rtfs_plan is the memory; the stack takes some 6 KB (docs/evidence/rtfs-firmware.md).
 *
 * Paths. UTF-8 with a zero byte at the end. Names are separated by '/'; one at the start or at the end changes nothing. A
 * name has at most `longest_name` bytes, and is neither "." nor "..".
 *
 * Threads. A file system with its handles belongs to one thread, task or interrupt at a time. The functions of the flash
 * must not call the file system that calls them.
 *
 * Build: `make rtfs-firmware TARGET=thumbv7em-none-eabihf` (any target of rustup) makes libwordline_rtfs_capi.a without the
 * standard library, and of this target runs an example, crates/rtfs-capi/firmware, in an emulator. On a host `make install`
 * puts it and this header in place: -lwordline_rtfs_capi -lpthread -ldl -lm.
 */
#ifndef WORDLINE_RTFS_H
#define WORDLINE_RTFS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. Where it failed, the files are as before, unless the line says otherwise. */
typedef enum wl_rtfs_status {
    WL_RTFS_OK = 0,
    /* The directory has no further entry. */
    WL_RTFS_END = 1,
    /* A pointer is NULL or not aligned, a flag is unknown, or the flash has a size of 0 or a column twice. */
    WL_RTFS_BAD_ARGUMENT = 2,
    /* The wl_rtfs holds no file system: mount it first. */
    WL_RTFS_NOT_MOUNTED = 3,
    /* The handle is not open, was closed, or is of another file system or an earlier mount. */
    WL_RTFS_BAD_HANDLE = 4,
    /* A function of the flash failed; wl_rtfs_problem_of has its code. What the call was to change is old or new: mount. */
    WL_RTFS_FLASH = 5,
    /* An earlier call failed with WL_RTFS_FLASH. Files can be read; mount before writing. */
    WL_RTFS_NEEDS_MOUNT = 6,
    /* The flash holds nothing of this library: format it. */
    WL_RTFS_FOREIGN = 7,
    /* The flash holds pages of this library, but no files. */
    WL_RTFS_NO_FILES = 8,
    /* The flash was formatted with another version; wl_rtfs_problem_of has both. */
    WL_RTFS_VERSION = 9,
    /* The flash was formatted with another configuration; wl_rtfs_problem_of names the value. */
    WL_RTFS_DIFFERS = 10,
    /* The sizes do not suit; wl_rtfs_problem_of names what, and what would do. */
    WL_RTFS_UNSUITABLE = 11,
    /* The memory is too short; wl_rtfs_problem_of says how many bytes it takes. */
    WL_RTFS_MEMORY = 12,
    /* A page lost more bits than the ECC corrects. */
    WL_RTFS_LOST = 13,
    /* More blocks failed than the configuration allows: files can be read, and not be written. */
    WL_RTFS_WORN_OUT = 14,
    WL_RTFS_NOT_FOUND = 15,
    WL_RTFS_EXISTS = 16,
    /* A part of the path that should be a directory is a file. */
    WL_RTFS_NOT_A_DIRECTORY = 17,
    WL_RTFS_IS_A_DIRECTORY = 18,
    WL_RTFS_NOT_EMPTY = 19,
    /* A name is empty, ".", ".." or too long, or not UTF-8. */
    WL_RTFS_BAD_NAME = 20,
    /* A directory cannot be moved into itself. */
    WL_RTFS_INTO_ITSELF = 21,
    /* No page is free. Of a write of more than four pages the first ones may be written. */
    WL_RTFS_NO_SPACE = 22,
    /* The file would be longer than `longest_file`. */
    WL_RTFS_TOO_LONG = 23,
    /* The file of the handle was removed, or was a short one that was renamed. */
    WL_RTFS_STALE = 24,
    /* Too many names of a directory begin their hash alike. */
    WL_RTFS_DIRECTORY_FULL = 25,
    /* A page does not hold what it should. */
    WL_RTFS_DAMAGED = 26,
    /* Something that this header does not know of. */
    WL_RTFS_OTHER = 27,
    /* Of wl_rtfs_write_together: the parts touch more than eight pages, or one twice. */
    WL_RTFS_TOO_MANY = 28,
    /* Of wl_rtfs_write_together: a part lies in bytes that its file does not have, or in pages that were never written. */
    WL_RTFS_UNWRITTEN = 29
} wl_rtfs_status;

/* What a function of the flash returns. Any other negative code is a device that failed otherwise. */
typedef enum wl_rtfs_flash_code {
    WL_RTFS_FLASH_OK = 0,
    /* Of a read: the ECC corrected bits. */
    WL_RTFS_FLASH_CORRECTED = 1,
    /* Of a read: the ECC corrected bits, and the device advises to move the page soon. */
    WL_RTFS_FLASH_REFRESH = 2,
    /* Of a read or a move: more bits are wrong than the ECC corrects. A move then programs nothing. */
    WL_RTFS_FLASH_UNCORRECTABLE = -1,
    /* The device reports that the program failed: the library moves the block's pages and marks it bad. */
    WL_RTFS_FLASH_PROGRAM_FAILED = -2,
    /* The device reports that the erase failed: the library marks the block bad. */
    WL_RTFS_FLASH_ERASE_FAILED = -3,
    /* The block is marked bad, and was not programmed or erased. */
    WL_RTFS_FLASH_BAD_BLOCK = -4,
    /* The power was lost. */
    WL_RTFS_FLASH_POWER_LOST = -5
} wl_rtfs_flash_code;

/* What becomes of an erase that is begun. */
typedef enum wl_rtfs_erase_mode {
    /* `erase` returns when it has ended. `begin_erase` and `advance_erase` are not called, and may be NULL. */
    WL_RTFS_ERASE_AWAITED = 0,
    /* It runs on by itself, and the next access waits for its end, as on NAND. wl_rtfs_leave_erase begins one. */
    WL_RTFS_ERASE_RUNS = 1,
    /* It stands still for each access to another block, and goes on with `advance_erase`, as on NOR. No call of the file
       system then waits for a whole erase: each page that it writes pays a part of one. */
    WL_RTFS_ERASE_SUSPENDS = 2
} wl_rtfs_erase_mode;

/* Bytes of the spare area that are the library's. */
#define WL_RTFS_RECORD_BYTES 15

/* `columns` for 15 bytes in a row, from one on. */
#define WL_RTFS_COLUMNS(first)                                                                                         \
    {                                                                                                                  \
        (first), (first) + 1, (first) + 2, (first) + 3, (first) + 4, (first) + 5, (first) + 6, (first) + 7,            \
            (first) + 8, (first) + 9, (first) + 10, (first) + 11, (first) + 12, (first) + 13, (first) + 14             \
    }

/* A flash. It is copied when it is formatted or mounted. */
typedef struct wl_rtfs_flash {
    /* Handed to the functions. */
    void *user;
    /* Bytes in the main area of a page: 128 to 32768. */
    uint32_t page_bytes;
    /* Bytes in its spare area, which follows the main area: 16 or more. */
    uint32_t spare_bytes;
    /* Pages in a block: 4 to 1024. */
    uint32_t pages_per_block;
    /* Blocks, bad ones included. */
    uint32_t blocks;
    /* The bytes of the spare area that are the library's, counted from its start. */
    uint32_t columns[WL_RTFS_RECORD_BYTES];
    /* Fills `out` with bytes of a page from a column on; columns of the spare area begin at `page_bytes`. Pages are
       numbered through the whole flash. Returns a wl_rtfs_flash_code. */
    int32_t (*read)(void *user, uint32_t page, uint32_t column, void *out, size_t bytes);
    /* Programs a page from a column on: always column 0 and the whole page with its spare area. */
    int32_t (*program)(void *user, uint32_t page, uint32_t column, const void *data, size_t bytes);
    /* Sets all bytes of a block to 0xFF. */
    int32_t (*erase)(void *user, uint32_t block);
    /* 1 for a block that is marked bad, 0 for another, or a negative code. NULL: no block is. */
    int32_t (*is_bad)(void *user, uint32_t block);
    /* Marks a block bad for good. NULL: the flash keeps no marks, and the library keeps them itself. */
    int32_t (*mark_bad)(void *user, uint32_t block);
    /* A wl_rtfs_erase_mode; with any but 0, the two functions below are there. */
    uint32_t erase_mode;
    /* Begins an erase of a block and leaves it running. The block is not accessed, and no other erase begun, until it has
       ended. Whether it failed is known at its end. */
    int32_t (*begin_erase)(void *user, uint32_t block);
    /* Lets the erase go on for as long as `parts` of `of` equal parts of the longest erase take, and no longer than to its
       end: 1 where it has ended, also where none was begun; 0 where it is left running; or a negative code. It is asked at
       each format and mount too, for all parts of 1: an erase that went on through a reset of the processor ends there. */
    int32_t (*advance_erase)(void *user, uint32_t parts, uint32_t of);
    /* Programs page `to` with what page `from` holds, spare area included, but for `bytes` bytes from `column` on, which are
       `data`: an internal data move, as Page Read, Program Load Random Data, Program Execute. The library has read the
       spare area of `from` just before, so that the chip's register mostly holds it: a driver that knows so need not fetch
       it again. Give it only where the ECC on the die corrects what is moved, `columns` included: without that, wrong bits
       add up from move to move. NULL: pages pass the bus. */
    int32_t (*move_page)(void *user, uint32_t from, uint32_t to, uint32_t column, const void *data, size_t bytes);
} wl_rtfs_flash;

/* What a flash is formatted with; it is mounted with the same. */
typedef struct wl_rtfs_config {
    /* Pages for files and directories, 32 or more. Fewer of them make a lower bound; wl_rtfs_largest finds the most. */
    uint32_t logical_pages;
    /* Blocks that may be bad, those from the factory included. */
    uint32_t bad_blocks;
    /* Changed places that RAM holds until the map on flash has them; 0 is the usual number. */
    uint32_t log_entries;
} wl_rtfs_config;

/* What calls cost at most. A call that writes p pages programs them, and does either p times `steps_per_page` steps, or an
   erase in place of the steps of two of its pages. A step is a page read and programmed. */
typedef struct wl_rtfs_bound {
    uint32_t blocks;
    /* Pages that a block takes behind its header, and those of the header. */
    uint32_t data_pages;
    uint32_t header_pages;
    /* Pages of the map. */
    uint32_t map_pages;
    /* Pages moved at most while a block is filled, map pages stored at most, and pages that the caller writes. */
    uint32_t victim_pages;
    uint32_t stores;
    /* Changes that a store of a map page takes out of the log at least. */
    uint32_t retired;
    uint32_t user_pages;
    /* Steps for each page that the caller writes. */
    uint32_t steps_per_page;
    /* Parts in which a block is erased, one for each page that the caller writes meanwhile; 1 where it is erased at once. */
    uint32_t erase_parts;
    /* Bytes of the memory that the caller gives. */
    uint64_t ram_bytes;
} wl_rtfs_bound;

/* Operations of the flash. */
typedef struct wl_rtfs_counts {
    /* Reads of a spare area alone. */
    uint64_t spare_reads;
    /* Pages read and programmed, those of steps included. */
    uint64_t reads;
    uint64_t programs;
    /* Of the pages read and programmed, those that steps move. With `move_page`, each is a read of a spare area and a move in
       place of a read and a program. A page of a header may take the place of one: count the longer of the move and a program. */
    uint64_t moves;
    /* Blocks erased. */
    uint64_t erases;
    /* Where erases stand still for other accesses: parts of erases, in millionths of the longest one, and times that an
       erase stands still and goes on. 0 elsewhere. */
    uint64_t erase_millionths;
    uint64_t suspends;
} wl_rtfs_counts;

/* Room, limits and wear of a file system. */
typedef struct wl_rtfs_space {
    /* Pages that there are, and those that are free. */
    uint32_t pages;
    uint32_t free_pages;
    /* Not 0: pages of what was removed wait to be freed; wl_rtfs_work frees them, or the calls that need them. */
    uint32_t more;
    /* Bytes of a page. */
    uint32_t page_bytes;
    /* Bytes that a file may have. */
    uint64_t longest_file;
    /* Bytes that a name may have. */
    uint32_t longest_name;
    /* Blocks that are not bad, and erases of the one with the most and of the one with the fewest. */
    uint32_t good_blocks;
    uint32_t most_erases;
    uint32_t least_erases;
} wl_rtfs_space;

/* What a name stands for. */
typedef struct wl_rtfs_entry {
    /* Bytes of a file; 0 of a directory. */
    uint64_t bytes;
    /* Not 0: a directory. */
    uint32_t is_directory;
    /* The name, and a zero byte. */
    char name[256];
} wl_rtfs_entry;

/* What was wrong last. Members that do not apply are 0. */
typedef struct wl_rtfs_problem {
    wl_rtfs_status status;
    /* WL_RTFS_FLASH: what the function of the flash returned. */
    int32_t code;
    /* WL_RTFS_UNSUITABLE, WL_RTFS_DIFFERS: what it is about, in so many bytes of ASCII without a zero byte at the end. */
    const char *what;
    size_t what_bytes;
    /* The value found, and the least and the most that would do. WL_RTFS_LOST, WL_RTFS_DAMAGED: `found` is the page. */
    uint64_t found;
    uint64_t least;
    uint64_t most;
} wl_rtfs_problem;

/* A file system. Its words are the library's. */
typedef struct wl_rtfs {
    uint64_t words[160];
} wl_rtfs;

/* An open file, and a directory that is gone through. Their words are the library's. */
typedef struct wl_rtfs_file {
    uint64_t words[20];
} wl_rtfs_file;

typedef struct wl_rtfs_dir {
    uint64_t words[8];
} wl_rtfs_dir;

/* Bytes that are to be stored in a file. */
typedef struct wl_rtfs_part {
    /* An open file. Several parts may be of one. */
    wl_rtfs_file *file;
    uint64_t at;
    const void *data;
    size_t bytes;
} wl_rtfs_part;

/* A NOR flash as pages with a spare area. Its words are the library's. */
typedef struct wl_rtfs_nor {
    uint64_t words[40];
} wl_rtfs_nor;

/* Calls on files, for wl_rtfs_call_counts. Those with a path count its names. */
typedef enum wl_rtfs_call {
    WL_RTFS_CALL_OPEN = 0,
    WL_RTFS_CALL_READ = 1,
    /* A write within pages that the file has. */
    WL_RTFS_CALL_OVERWRITE = 2,
    /* A write that makes the file longer, or fills pages that were never written. */
    WL_RTFS_CALL_APPEND = 3,
    /* wl_rtfs_open that makes the file. */
    WL_RTFS_CALL_CREATE = 4,
    WL_RTFS_CALL_MKDIR = 5,
    WL_RTFS_CALL_RENAME = 6,
    WL_RTFS_CALL_REMOVE = 7,
    WL_RTFS_CALL_TRUNCATE = 8,
    WL_RTFS_CALL_DISCARD_FRONT = 9,
    /* A piece of freeing what was removed. A call that takes pages does one before, where fewer than 72 are free. */
    WL_RTFS_CALL_FREE = 10
} wl_rtfs_call;

/* How a file is opened: none, or several of these. 0 opens a file that is there. */
/* Make it where it is not there. */
#define WL_RTFS_CREATE 1u
/* With WL_RTFS_CREATE: it must not be there, or the call ends with WL_RTFS_EXISTS. */
#define WL_RTFS_EXCLUSIVE 2u
/* Make it empty. */
#define WL_RTFS_TRUNCATE 4u

/* The words of a status, in English, with a zero byte at the end. They stay. */
const char *wl_rtfs_text(int32_t status);

/* What was wrong at the last call of a file system that failed by its files or its flash; also of a format or mount. It stays
   where an argument was refused before: WL_RTFS_BAD_ARGUMENT, WL_RTFS_BAD_HANDLE, WL_RTFS_BAD_NAME of what is not UTF-8.
   After a format or mount that returned WL_RTFS_BAD_ARGUMENT this returns WL_RTFS_NOT_MOUNTED. */
wl_rtfs_status wl_rtfs_problem_of(const wl_rtfs *fs, wl_rtfs_problem *problem);

/* What a configuration costs at most on a flash, without touching the flash. WL_RTFS_UNSUITABLE says in `problem` which
   value does not suit. Either of `bound` and `problem` may be NULL. */
wl_rtfs_status wl_rtfs_plan(const wl_rtfs_flash *flash, const wl_rtfs_config *config, wl_rtfs_bound *bound,
                            wl_rtfs_problem *problem);

/* What a call on files costs at most, without touching the flash: `paced` or `erasing`, whichever takes longer. `call` is a
   wl_rtfs_call. `bytes` are those that it reads or writes, up to 2^47, and `names` those of its path: 2 of "/log/today".
   Any of `paced`, `erasing` and `problem` may be NULL. WL_RTFS_UNSUITABLE as of wl_rtfs_plan. */
wl_rtfs_status wl_rtfs_call_counts(const wl_rtfs_flash *flash, const wl_rtfs_config *config, uint32_t call, uint64_t bytes,
                                   uint32_t names, wl_rtfs_counts *paced, wl_rtfs_counts *erasing,
                                   wl_rtfs_problem *problem);

/* Fills `flash` with functions over a NOR chip, whose pages then have a spare area: what is formatted and mounted is
   `flash`. `storage` stays where it is as long as `flash` is used, and no two mounted file systems share it.
   `chip` has the chip's functions; its `page_bytes` are those of a page of the chip, such as 256, `spare_bytes` is 0, and
   `pages_per_block` are those of an erase. `columns` is not looked at. Its `program` gets parts of pages, in any order, and
   a page more than once. `unit_bytes` are programmed at once: 1 for serial NOR, which clears single bits; a larger unit is
   programmed once between two erases. `page_bytes` are those of a page of files, whole pages of the chip; 1024 suits
   erases of 64 KiB. WL_RTFS_UNSUITABLE says in `problem`, which may be NULL, what does not suit. */
wl_rtfs_status wl_rtfs_nor_pages(wl_rtfs_nor *storage, const wl_rtfs_flash *chip, uint32_t unit_bytes, uint32_t page_bytes,
                                 wl_rtfs_flash *flash, wl_rtfs_problem *problem);

/* The most logical pages for which a page costs at most so many steps; 0 where no number does, or the flash is not sound. */
uint32_t wl_rtfs_largest(const wl_rtfs_flash *flash, uint32_t bad_blocks, uint32_t steps_per_page);

/* Erases the flash and makes it hold an empty directory "/", which is mounted then. `seed` is what names are hashed with:
   another one for each device, where names come from strangers. Every block is erased once: WL_RTFS_UNSUITABLE where more
   are bad than the configuration allows. A format that was cut must be done again. */
wl_rtfs_status wl_rtfs_format(wl_rtfs *fs, const wl_rtfs_flash *flash, const wl_rtfs_config *config, uint32_t seed,
                              void *memory, size_t memory_bytes);

/* Finds the files that a flash holds, also after a power cut at any time. wl_rtfs_mount_counts has what it costs. */
wl_rtfs_status wl_rtfs_mount(wl_rtfs *fs, const wl_rtfs_flash *flash, const wl_rtfs_config *config, void *memory,
                             size_t memory_bytes);

/* Ends the use of a file system; its handles are no longer open. Writes nothing. */
wl_rtfs_status wl_rtfs_unmount(wl_rtfs *fs);

/* Room, limits and wear. Reads no flash. */
wl_rtfs_status wl_rtfs_space_of(const wl_rtfs *fs, wl_rtfs_space *space);

/* What calls cost at most. Reads no flash. */
wl_rtfs_status wl_rtfs_bound_of(const wl_rtfs *fs, wl_rtfs_bound *bound);

/* Does one piece of work ahead while there is nothing to write: a step, or with `may_erase` not 0 an erase. `worked`, which
   may be NULL, says whether there was any. Writes do the less of it the more was done ahead. */
wl_rtfs_status wl_rtfs_work(wl_rtfs *fs, uint32_t may_erase, uint32_t *worked);

/* Begins the erase that is due and leaves it running, where erases run on (WL_RTFS_ERASE_RUNS): for a program that is away
   until its next call, which writes so many pages. That call waits for what is left. `left`, which may be NULL, says
   whether one was begun: none is where that call would do other work before it erases. */
wl_rtfs_status wl_rtfs_leave_erase(wl_rtfs *fs, uint32_t pages, uint32_t *left);

/* What a read of so many pages of the layer costs at most. */
wl_rtfs_status wl_rtfs_read_counts(const wl_rtfs_bound *bound, uint32_t pages, wl_rtfs_counts *counts);

/* What a group of so many pages costs at most to write: `paced` or `erasing`, whichever takes longer. Either may be NULL. */
wl_rtfs_status wl_rtfs_write_counts(const wl_rtfs_bound *bound, uint32_t pages, wl_rtfs_counts *paced,
                                    wl_rtfs_counts *erasing);

/* What a mount after a power cut costs at most. */
wl_rtfs_status wl_rtfs_mount_counts(const wl_rtfs_bound *bound, wl_rtfs_counts *counts);

/* Opens a file. `flags` are 0 or several of WL_RTFS_CREATE, WL_RTFS_EXCLUSIVE, WL_RTFS_TRUNCATE. Several handles of one
   file may be open; each sees what the others wrote. */
wl_rtfs_status wl_rtfs_open(wl_rtfs *fs, wl_rtfs_file *file, const char *path, uint32_t flags);

/* Ends the use of a handle. Writes nothing, and need not be called. */
wl_rtfs_status wl_rtfs_close(wl_rtfs *fs, wl_rtfs_file *file);

/* Copies bytes of a file from byte `at` on. `got`, which may be NULL, says how many there were before the end. */
wl_rtfs_status wl_rtfs_read(wl_rtfs *fs, wl_rtfs_file *file, uint64_t at, void *out, size_t bytes, size_t *got);

/* Stores bytes in a file from byte `at` on; what lies between its end and `at` reads as zeros. */
wl_rtfs_status wl_rtfs_write(wl_rtfs *fs, wl_rtfs_file *file, uint64_t at, const void *data, size_t bytes);

/* Stores bytes in several places, of one file or several, which become valid together: after a power cut all of them are
   there or none. They lie in bytes that the files have, in up to eight pages, none of which two parts touch. Short files,
   which their directory holds, take no parts. Where it fails, nothing changed. It costs a group of as many pages:
   wl_rtfs_write_counts, and WL_RTFS_CALL_OVERWRITE for the reads of each part. */
wl_rtfs_status wl_rtfs_write_together(wl_rtfs *fs, const wl_rtfs_part *parts, size_t count);

/* Stores bytes at the end of a file. `at`, which may be NULL, says where. */
wl_rtfs_status wl_rtfs_append(wl_rtfs *fs, wl_rtfs_file *file, const void *data, size_t bytes, uint64_t *at);

/* Gives a file so many bytes: cuts it, or adds zeros. */
wl_rtfs_status wl_rtfs_truncate(wl_rtfs *fs, wl_rtfs_file *file, uint64_t bytes);

/* Drops the oldest part of a log: as many whole pages from its start as `bytes` cover, but not its last page. What follows
   moves to the front. `gone`, which may be NULL, says how many bytes are gone. */
wl_rtfs_status wl_rtfs_discard_front(wl_rtfs *fs, wl_rtfs_file *file, uint64_t bytes, uint64_t *gone);

/* The bytes of a file. */
wl_rtfs_status wl_rtfs_length(wl_rtfs *fs, wl_rtfs_file *file, uint64_t *bytes);

/* Makes a directory; the one above it must be there. */
wl_rtfs_status wl_rtfs_mkdir(wl_rtfs *fs, const char *path);

/* Removes a file, or a directory that is empty. The pages of a file become free later, some at a time. */
wl_rtfs_status wl_rtfs_remove(wl_rtfs *fs, const char *path);

/* Gives a file or a directory another name. A file of that name is replaced, and so is an empty directory by a directory:
   after a power cut either the old one or the new one has the name, as a whole. */
wl_rtfs_status wl_rtfs_rename(wl_rtfs *fs, const char *from, const char *to);

/* What is at a path. The name of "/" is "/". The path may lie in `entry`. */
wl_rtfs_status wl_rtfs_stat(wl_rtfs *fs, const char *path, wl_rtfs_entry *entry);

/* Begins to go through a directory. Nothing has to be closed. */
wl_rtfs_status wl_rtfs_open_dir(wl_rtfs *fs, wl_rtfs_dir *dir, const char *path);

/* The next entry of a directory, in no order; WL_RTFS_END behind the last. An entry that is there all the time is given
   once, whatever else changes meanwhile. */
wl_rtfs_status wl_rtfs_next_entry(wl_rtfs *fs, wl_rtfs_dir *dir, wl_rtfs_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
