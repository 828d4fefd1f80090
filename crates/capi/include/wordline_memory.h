/*
 * Non-volatile memories with real bytes and simulated time, energy and wear: NOR and NAND flash, MRAM, FRAM, EEPROM and
 * cards, for storage software in C and C++.
 *
 * A complete program; it is compiled and run by the tests of this library:
 *
 *   #include <stdio.h>
 *   #include <string.h>
 *   #include "wordline_memory.h"
 *
 *   int main(void)
 *   {
 *       wl_memory_options options;
 *       wl_memory *chip;
 *       char text[9] = "";
 *       memset(&options, 0, sizeof options);
 *       options.size = sizeof options;
 *       options.abi = WL_MEMORY_ABI;
 *       options.target = "mt25ql128";
 *       if (wl_memory_create(&options, &chip) != WL_MEMORY_OK) {
 *           fprintf(stderr, "%s\n", wl_memory_message());
 *           return 1;
 *       }
 *       if (wl_memory_erase(chip, 0) != WL_MEMORY_OK
 *           || wl_memory_program(chip, 0, "wordline", 8) != WL_MEMORY_OK
 *           || wl_memory_read(chip, 0, text, 8) != WL_MEMORY_OK) {
 *           fprintf(stderr, "%s\n", wl_memory_message());
 *           return 1;
 *       }
 *       printf("%s after %.1f ms and %.0f uJ\n", text, (double)wl_memory_now(chip) / 1e9,
 *              1e6 * wl_memory_energy(chip));
 *       wl_memory_free(chip);
 *       return 0;
 *   }
 *
 * Units. Sizes and addresses are bytes, times picoseconds of simulated time, energies joules.
 *
 * Blocking. Every operation is done when its function returns, and the memory's clock has moved by the time that driver,
 * bus and chip took together: opcodes, data, polling. The host that calls takes no simulated time beyond that;
 * wl_memory_advance lets some pass.
 *
 * Determinism. The same options and the same calls give the same bytes, times and energies. Nothing reads a clock.
 *
 * Two kinds. WL_MEMORY_BYTES: any byte can be overwritten (read, write, sync). WL_MEMORY_FLASH: a block is erased to 0xFF,
 * then its pages are programmed, which clears bits (read, program, erase; sync does nothing, because nothing is
 * buffered). Functions of the other kind return WL_MEMORY_UNSUPPORTED.
 *
 * Alignment. Pointers may have any. What an address or a length must be a multiple of is said by wl_memory_info.
 *
 * Threads. A memory belongs to one thread at a time; several memories may run on several threads.
 *
 * Handles. One that is NULL, freed or made up is refused with WL_MEMORY_BAD_HANDLE, except that freeing NULL does
 * nothing. All other pointers have to be what they say.
 *
 * Link with -lwordline_capi -lpthread -ldl -lm, or by `pkg-config --cflags --libs wordline`.
 */
#ifndef WORDLINE_MEMORY_H
#define WORDLINE_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. It changes when a caller that was compiled with an older header would be wrong. Structs
 * grow at their end without a new version: their first member tells how long the caller's are. */
#define WL_MEMORY_ABI 1

/* A memory on its board. */
typedef struct wl_memory wl_memory;

/* What became of a call: 0, or a negative number, as drivers return them. wl_memory_message tells more. Unless it is said
 * otherwise, nothing has changed when a call fails. */
typedef int32_t wl_memory_status;
enum {
    WL_MEMORY_OK = 0,
    WL_MEMORY_BAD_ARGUMENT = -1,    /* a pointer is NULL, a text no UTF-8, a struct too short, another ABI, no such value */
    WL_MEMORY_BAD_HANDLE = -2,      /* NULL, freed, or never made */
    WL_MEMORY_BAD_TARGET = -3,      /* no such part or board, or they do not fit */
    WL_MEMORY_OUT_OF_RANGE = -4,    /* the access leaves the memory, the page, or there is no such block */
    WL_MEMORY_MISUSE = -5,          /* a rule of the chip is broken: unaligned, out of order, programmed twice, ... */
    WL_MEMORY_UNCORRECTABLE = -6,   /* a read met more wrong bits than the ECC corrects: `out` is unspecified */
    WL_MEMORY_PROGRAM_FAILED = -7,  /* the chip reports that a program failed: move the block's pages, mark it bad */
    WL_MEMORY_ERASE_FAILED = -8,    /* the chip reports that an erase failed: mark the block bad */
    WL_MEMORY_BAD_BLOCK = -9,       /* a program or an erase of a block that is marked bad */
    WL_MEMORY_POWER_LOST = -10,     /* the power went in this call or before it: wl_memory_power_up */
    WL_MEMORY_UNSUPPORTED = -11,    /* this kind of memory cannot do it */
    WL_MEMORY_BAD_IMAGE = -12,      /* the file is no image of this part: its message says why */
    WL_MEMORY_FILE = -13,           /* a file cannot be read or written */
    WL_MEMORY_DEVICE = -14,         /* the device failed otherwise, such as at the end of simulated time: 213 days */
    WL_MEMORY_INTERNAL = -15        /* a fault of this library; the memory cannot be used any more */
};

/* A status as littlefs's block device returns it: LFS_ERR_CORRUPT (-84) where the medium is bad, so that littlefs chooses
 * another block; LFS_ERR_INVAL (-22) where the caller is wrong; LFS_ERR_IO (-5) otherwise. */
#define WL_MEMORY_LITTLEFS(status)                                                          \
    ((status) == WL_MEMORY_OK                                                   ? 0         \
     : (status) <= WL_MEMORY_UNCORRECTABLE && (status) >= WL_MEMORY_BAD_BLOCK   ? -84       \
     : (status) <= WL_MEMORY_BAD_ARGUMENT && (status) >= WL_MEMORY_MISUSE       ? -22       \
                                                                                : -5)

/* How a memory is made. Set everything to 0 first. */
typedef struct wl_memory_options {
    uint64_t size;       /* sizeof(wl_memory_options) */
    uint64_t abi;        /* WL_MEMORY_ABI */
    const char *target;  /* PART@BOARD, or PART where it names a board: `wordline part list` names them */
    const char *catalog; /* a folder of data sheets of your own; NULL: none */
    const char *timing;  /* "typ", "max" (the data sheet's worst case) or "sampled"; NULL: "typ" */
    uint64_t seed;       /* of everything that is drawn: factory bad blocks, sampled times */
    double age;          /* fraction of its rated life that every block or cell has used, 0 to 1 */
    uint64_t one_thread; /* 1: the handle is of the calling thread alone, and its calls take no lock. In any other thread it
                            is a bad handle; what is left of it is freed when its thread ends. 0: any thread */
    uint64_t ageing;     /* 1: flash ages, see "Ageing" below. 0: it never fails by itself, and its times are those of the
                            sheet however many cycles it has seen */
    double celsius;      /* of a flash that ages: its temperature, -40 to 125 degrees Celsius */
    double dwell_s;      /* of a flash that ages: seconds that a programmed block keeps its charge before it is erased,
                            beyond what the commands take; it changes the stress of a cycle and passes on no clock */
} wl_memory_options;

/* Kinds of memory. */
enum { WL_MEMORY_BYTES = 0, WL_MEMORY_FLASH = 1 };

/* What a memory is. Of WL_MEMORY_BYTES, everything from page_bytes to in_order is 0. */
typedef struct wl_memory_info {
    uint64_t size;              /* sizeof(wl_memory_info), set by the caller */
    uint64_t kind;              /* WL_MEMORY_BYTES or WL_MEMORY_FLASH */
    uint64_t bytes;             /* all of it: main areas, bad blocks included */
    uint64_t write_bytes;       /* address and length of a write or a program are multiples of it */
    uint64_t atom_bytes;        /* that a power cut leaves old or new: of a write; 1 of a program */
    uint64_t page_bytes;        /* main area of a page. A program_page stays within one page */
    uint64_t spare_bytes;       /* spare area of a page, behind its main area; 0: none */
    uint64_t pages_per_block;   /* pages that one erase erases */
    uint64_t blocks;            /* bad ones included */
    uint64_t block_bytes;       /* main areas of a block */
    uint64_t programs_per_page; /* programs that a page takes between two erases; 0: any number */
    uint64_t once_bytes;        /* unit of a page that takes one program, because an ECC covers it; 0: none */
    uint64_t in_order;          /* 1: the pages of a block have to be programmed in rising order */
    uint64_t wear_unit_bytes;   /* bytes whose cycles are counted together: those of a block, or a few; 0: none are */
    uint64_t endurance;         /* rated cycles of a unit; UINT64_MAX: any number */
} wl_memory_info;

/* What the ECC found in a page that was read. */
typedef struct wl_memory_ecc {
    uint64_t size;      /* sizeof(wl_memory_ecc), set by the caller */
    uint64_t corrected; /* most bits corrected in any one codeword; 0: none were wrong, or there is no ECC */
    uint64_t refresh;   /* 1: the chip advises to move the data soon */
} wl_memory_ecc;

/* What a memory did since it was made, or since wl_memory_reset_stats. Operations are the chip's: a read or a program
 * that reaches over several NAND pages counts each. */
typedef struct wl_memory_stats {
    uint64_t size;           /* sizeof(wl_memory_stats), set by the caller */
    uint64_t reads;          /* operations, failed ones included */
    uint64_t programs;       /* of flash */
    uint64_t erases;         /* of flash */
    uint64_t writes;         /* of byte memories */
    uint64_t syncs;          /* of byte memories */
    uint64_t failures;       /* operations that failed */
    uint64_t bytes_read;     /* asked for */
    uint64_t bytes_written;  /* programmed or written */
    uint64_t busy_ps;        /* durations of all operations together */
    uint64_t longest_ps;     /* duration of the longest */
    uint64_t corrected_bits; /* that the ECC corrected: the most in one codeword, summed over reads */
    uint64_t power_cuts;     /* that came true */
} wl_memory_stats;

/* How a block goes bad. An operation that it makes fail takes its time and energy, and the cells stay as they are. */
enum {
    WL_MEMORY_GOOD = 0,          /* no longer bad */
    WL_MEMORY_PROGRAM_ERROR = 1, /* programs return WL_MEMORY_PROGRAM_FAILED */
    WL_MEMORY_ERASE_ERROR = 2,   /* erases return WL_MEMORY_ERASE_FAILED */
    WL_MEMORY_READ_ERROR = 3,    /* reads return WL_MEMORY_UNCORRECTABLE, and `out` is zeros */
    WL_MEMORY_PROGRAM_NOOP = 4,  /* programs return WL_MEMORY_OK and do nothing */
    WL_MEMORY_ERASE_NOOP = 5     /* erases return WL_MEMORY_OK and leave the bytes; the pages count as erased */
};

/* What a power cut leaves of the operation that it interrupts. */
enum {
    WL_MEMORY_CUT_CLEAN = 0,    /* nothing: the cut comes just before it */
    WL_MEMORY_CUT_TORN = 1,     /* a part of it, which the seed draws */
    WL_MEMORY_CUT_REORDERED = 2 /* byte memories: any of the writes since the last sync, or since this was asked for, may be
                                   missing, in any order, torn at atoms; in a pause and within a sync too, and at once
                                   where such a cut had been due before. Flash: as WL_MEMORY_CUT_TORN */
};

/* When and how the power goes. Set everything to 0 first. */
typedef struct wl_memory_cut {
    uint64_t size;       /* sizeof(wl_memory_cut) */
    uint64_t operations; /* within the n-th operation from now that changes the memory (program, erase, write, mark),
                            in the middle of its time; 0: not by number. Failed ones count if they took time */
    uint64_t time_ps;    /* when the clock reaches this, within what is done then; 0: not by time. Whichever comes first */
    uint64_t tear;       /* WL_MEMORY_CUT_... */
    uint64_t seed;       /* which of the things that can be left */
} wl_memory_cut;

/* Kinds of operation. */
enum {
    WL_MEMORY_OP_READ = 0,
    WL_MEMORY_OP_WRITE = 1,
    WL_MEMORY_OP_SYNC = 2,
    WL_MEMORY_OP_PROGRAM = 3,
    WL_MEMORY_OP_ERASE = 4
};

/* An operation of the chip, as a trace tells it. The library makes it, and may make it longer than the caller knows. */
typedef struct wl_memory_operation {
    uint64_t size;        /* bytes of this struct */
    uint64_t kind;        /* WL_MEMORY_OP_... */
    uint64_t at;          /* first byte: page * page_bytes + column of flash, in which spare areas overlap what follows */
    uint64_t bytes;       /* moved, or erased */
    uint64_t start_ps;    /* when it was asked for */
    uint64_t duration_ps; /* until it was done */
    uint64_t failed;      /* 1: it failed */
} wl_memory_operation;

/* Hears of an operation, after it and after the call that did it has let go of the memory: it may call anything here. It
 * must not throw or jump out. */
typedef void (*wl_memory_listener)(void *user, const wl_memory_operation *operation);

/* WL_MEMORY_ABI of the library, which may be newer than the header. */
uint32_t wl_memory_abi(void);

/* Why the last call of this thread that failed did: a line of text, "" if none has. It lasts until the next failure of
 * the thread. */
const char *wl_memory_message(void);

/* ---- Making and copying ---- */

/* Makes a memory that was just powered up, as its maker delivers it: flash erased with its factory bad blocks, other
 * memories full of zeros. *memory is NULL if that fails. */
wl_memory_status wl_memory_create(const wl_memory_options *options, wl_memory **memory);

/* Frees a memory and ends its trace. NULL is nothing to be freed, and all right. */
wl_memory_status wl_memory_free(wl_memory *memory);

/* Makes an independent memory in the same state: bytes, clock, energy, wear, faults, a power cut that is due, statistics.
 * The trace is not taken over. It takes microseconds, because both share their bytes until one writes. A fork that is
 * kept is a snapshot. */
wl_memory_status wl_memory_fork(const wl_memory *memory, wl_memory **fork);

/* Puts a memory back into the state of a snapshot, which is a fork of it or of its like: WL_MEMORY_BAD_ARGUMENT unless
 * both are the same part. The snapshot stays as it is, and the memory's trace goes on. */
wl_memory_status wl_memory_restore(wl_memory *memory, const wl_memory *snapshot);

/* What the memory is. Sizes never change. */
wl_memory_status wl_memory_get_info(const wl_memory *memory, wl_memory_info *info);

/* ---- Operations. Each returns WL_MEMORY_POWER_LOST while the power is off ---- */

/* Reads from address `at`, which counts main areas alone; across pages and blocks. Any address, any length. What was
 * read before an error is unspecified. */
wl_memory_status wl_memory_read(wl_memory *memory, uint64_t at, void *out, uint64_t bytes);

/* Programs flash from address `at`, which counts main areas alone; page by page, across pages and blocks. Address and
 * length are multiples of write_bytes. After an error, the pages before the failed one are programmed. */
wl_memory_status wl_memory_program(wl_memory *memory, uint64_t at, const void *data, uint64_t bytes);

/* Overwrites bytes of a byte memory from address `at`. Address and length are multiples of write_bytes. A cut may take
 * it until the next sync, where the memory buffers. */
wl_memory_status wl_memory_write(wl_memory *memory, uint64_t at, const void *data, uint64_t bytes);

/* Erases a block to 0xFF, its spare areas included. */
wl_memory_status wl_memory_erase(wl_memory *memory, uint32_t block);

/* Makes what was written last. */
wl_memory_status wl_memory_sync(wl_memory *memory);

/* Reads within one page, from `column` on: main area first, spare area behind it. `ecc` may be NULL. */
wl_memory_status wl_memory_read_page(wl_memory *memory, uint32_t page, uint32_t column, void *out, uint32_t bytes,
                                     wl_memory_ecc *ecc);

/* Programs within one page, from `column` on, in one go: main area first, spare area behind it. Column and length are
 * multiples of write_bytes. */
wl_memory_status wl_memory_program_page(wl_memory *memory, uint32_t page, uint32_t column, const void *data, uint32_t bytes);

/* Whether a block is marked bad, by its maker or by wl_memory_mark_bad: *bad is 1 or 0. */
wl_memory_status wl_memory_is_bad(wl_memory *memory, uint32_t block, int32_t *bad);

/* Marks a block bad for good. WL_MEMORY_MISUSE where the chip keeps no marks, as NOR flash. */
wl_memory_status wl_memory_mark_bad(wl_memory *memory, uint32_t block);

/* ---- Time, energy, wear ---- */

/* Simulated time since the memory was made; 0 if the handle is bad. */
uint64_t wl_memory_now(const wl_memory *memory);

/* Lets time pass in which the host does something else. WL_MEMORY_POWER_LOST if a cut comes in it. */
wl_memory_status wl_memory_advance(wl_memory *memory, uint64_t time_ps);

/* Duration of the last operation, 0 before the first, and if the handle is bad. Of a read, program or write across
 * pages: of the last page. */
uint64_t wl_memory_last_duration(const wl_memory *memory);

/* Energy of the chip since it was made, idle time included. NaN where its sheet states no current for something that it
 * did, and if the handle is bad. */
double wl_memory_energy(const wl_memory *memory);

/* What the memory did. */
wl_memory_status wl_memory_get_stats(const wl_memory *memory, wl_memory_stats *stats);

/* Begins to count again. Clock, energy and wear go on. */
wl_memory_status wl_memory_reset_stats(wl_memory *memory);

/* Cycles that a unit has seen, its age included: block `unit` of flash, or the wear_unit_bytes from
 * unit * wear_unit_bytes on. WL_MEMORY_UNSUPPORTED where wear_unit_bytes is 0. */
wl_memory_status wl_memory_get_cycles(const wl_memory *memory, uint64_t unit, uint64_t *cycles);

/* Lets a unit have seen so many cycles, which are no fewer than those of options.age and 2^62 at the most. */
wl_memory_status wl_memory_set_cycles(wl_memory *memory, uint64_t unit, uint64_t cycles);

/* ---- What goes wrong ---- */

/* Lets a block of flash go bad, or be good again: WL_MEMORY_GOOD to WL_MEMORY_ERASE_NOOP. */
wl_memory_status wl_memory_set_fault(wl_memory *memory, uint32_t block, uint32_t fault);

/* Flips a stored bit, 0 to 7, of flash; flipping it again mends it. An ECC on the chip corrects as many as it can. */
wl_memory_status wl_memory_flip_bit(wl_memory *memory, uint32_t page, uint32_t column, uint32_t bit);

/* Lets the power go, now or later; it replaces a cut that was asked for before. With neither number nor time, the power
 * goes now. The call that is interrupted, and every operation from then on, returns WL_MEMORY_POWER_LOST. The interrupted
 * operation's energy counts as standby, an erase of it as a cycle. */
wl_memory_status wl_memory_cut_power(wl_memory *memory, const wl_memory_cut *cut);

/* Supplies power again. The memory holds what the cut left: a torn page of flash, or a half erased block, may read
 * differently every time, be uncorrectable, or fail to take a program, until its block is erased. The clock moves by the
 * time that the sheet asks the host to wait. WL_MEMORY_MISUSE while there is power. */
wl_memory_status wl_memory_power_up(wl_memory *memory);

/* ---- Files ---- */

/* Saves what the memory holds, with wear, bad blocks and faults, and without clock, energy and statistics. A file of that
 * name is replaced. Of a block that a power cut left in doubt one reading is saved. The format is described in Wordline's
 * documentation, reference, "Images of memories". WL_MEMORY_UNSUPPORTED of cards. */
wl_memory_status wl_memory_save(const wl_memory *memory, const char *path);

/* Lets the memory hold what was saved of the same part, in no time. WL_MEMORY_BAD_IMAGE of another version, part, size or
 * geometry, of a file that was cut short or changed, and where a unit would have fewer cycles than options.age. */
wl_memory_status wl_memory_load(wl_memory *memory, const char *path);

/* Writes every operation from now on to a file, as columns that `wordline buffer --log` reads; a file of that name is
 * replaced. NULL ends it, as do freeing and another file: ended so, all is in the file, or WL_MEMORY_FILE is returned. */
wl_memory_status wl_memory_trace_to(wl_memory *memory, const char *path);

/* Tells somebody of every operation from now on. NULL ends it. */
wl_memory_status wl_memory_listen(wl_memory *memory, wl_memory_listener listener, void *user);

#ifdef __cplusplus
}
#endif

#endif
