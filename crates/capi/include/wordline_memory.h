/*
 * Memories with real bytes and simulated time, energy and wear, for storage software in C and C++: NOR and NAND flash, MRAM,
 * FRAM, EEPROM and cards, which keep what they hold without power; SRAM and PSRAM, which forget all of it (info.forgets).
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
 * Volatile parts. Where info.forgets is 1, every power loss leaves all bytes unspecified: drawn from options.seed, and
 * differently each time. wl_memory_peek shows them at once. Before the first loss they are zeros.
 *
 * Ageing. With options.ageing, flash ages by the model of `wordline wear`: programs get faster and erases slower with the
 * cycles that options.age, wl_memory_set_cycles and further erases give a block, programs and erases fail once its oxide
 * has worn through, and bits go wrong as pages are kept and read. What happens in a block follows from the seed and from
 * what was done to it. Without it, which is the default, cycles are counted and change nothing. A part whose sheet has no
 * table [aging] is refused.
 *
 * Speed. Under "typ" and "max" an operation's cost is a constant of its kind and length: it is found once and added from
 * then on. A flash that ages, "sampled" times and cuts with WL_MEMORY_CUT_REORDERED take the long way each time; a fault
 * or a cut that does not concern an operation costs it next to nothing.
 *
 * Language. C99 and later, and C++.
 *
 * Alignment. Pointers may have any. What an address or a length must be a multiple of is said by wl_memory_info.
 *
 * Threads. A memory belongs to one thread at a time; several memories may run on several threads. With
 * options.one_thread its handle is of the thread that made it, and of no other one.
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
 * otherwise, nothing has changed when a call fails. An operation that is refused takes no time, counts nowhere, and no
 * listener hears of it. Asked of the chip are those that return WL_MEMORY_UNCORRECTABLE to WL_MEMORY_ERASE_FAILED, and
 * WL_MEMORY_POWER_LOST where the power goes in them. */
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
    WL_MEMORY_INTERNAL = -15,       /* a fault of this library; the memory cannot be used any more */
    WL_MEMORY_BUSY = -16            /* an erase that was started keeps the chip busy, or was not waited for */
};

/* A status as littlefs's block device returns it: LFS_ERR_CORRUPT (-84) where the medium is bad, so that littlefs chooses
 * another block; LFS_ERR_INVAL (-22) where the caller is wrong; LFS_ERR_IO (-5) otherwise. */
#define WL_MEMORY_LITTLEFS(status) wl_memory_as_littlefs(status)

static inline int wl_memory_as_littlefs(wl_memory_status status)
{
    if (status == WL_MEMORY_OK) return 0;
    if (status <= WL_MEMORY_UNCORRECTABLE && status >= WL_MEMORY_BAD_BLOCK) return -84;
    if (status <= WL_MEMORY_BAD_ARGUMENT && status >= WL_MEMORY_MISUSE) return -22;
    return -5;
}

/* How a memory is made. Set everything to 0 first. */
typedef struct wl_memory_options {
    uint64_t size;       /* sizeof(wl_memory_options) */
    uint64_t abi;        /* WL_MEMORY_ABI */
    const char *target;  /* PART@BOARD, or PART where it names a board: `wordline part list` names them */
    const char *catalog; /* a folder of data sheets of your own; NULL: none */
    const char *timing;  /* "typ", "max" (the data sheet's worst case) or "sampled"; NULL: "typ" */
    uint64_t seed;       /* of everything that is drawn: factory bad blocks, sampled times */
    double age;          /* fraction of its rated life that every block or cell has used, 0 to 1 */
    uint64_t factory_bad; /* WL_MEMORY_FACTORY_... */
    uint64_t strict;      /* 1: a program that would set a bit of flash is refused with WL_MEMORY_MISUSE, and nothing
                             changes. 0: it clears what it can and succeeds, as chips do: 0Fh onto F0h gives 00h. A
                             block whose last erase a fault left without effect is not looked at until it is erased:
                             its driver could not know */
    uint64_t erase_bytes; /* bytes of a block: one of the erases of NOR flash, or the only one of NAND; 0: the smallest */
    uint64_t one_thread; /* 1: the handle is of the calling thread alone, and its calls take no lock. In any other thread it
                            is a bad handle; what is left of it is freed when its thread ends. A thread has 65,536 of them at the
                            most; one more is WL_MEMORY_MISUSE. 0: any thread */
    uint64_t ageing;     /* 1: flash ages, see "Ageing" above. 0: it never fails by itself, and its times are those of the
                            sheet however many cycles it has seen */
    double celsius;      /* of a flash that ages: its temperature, -40 to 125 degrees Celsius; others may leave it 0 */
    double dwell_s;      /* of a flash that ages: seconds that a programmed block keeps its charge before it is erased,
                            beyond what the commands take; it changes the stress of a cycle and passes on no clock */
    uint64_t host_ecc;   /* of NAND without an ECC of its own. 0: reads give the bits as they are, wrong ones too, and return
                            WL_MEMORY_OK: for software that brings its code. 1: reads go through the code that the sheet
                            asks of the host, which covers main areas alone, as those of a chip with an ECC. Flips and
                            ageing alike; of other parts 1 is WL_MEMORY_UNSUPPORTED */
} wl_memory_options;

/* Blocks of NAND that leave the factory bad. */
enum {
    WL_MEMORY_FACTORY_SHEET = 0, /* as many as the sheet allows, which the seed draws */
    WL_MEMORY_FACTORY_NONE = 1   /* none */
};

/* Kinds of memory. */
enum { WL_MEMORY_BYTES = 0, WL_MEMORY_FLASH = 1 };

/* Kinds of memory without a data sheet. */
enum {
    WL_MEMORY_IDEAL_BYTES = 0, /* WL_MEMORY_BYTES: any byte, or any write_bytes, can be overwritten; full of zeros */
    WL_MEMORY_IDEAL_NOR = 1,   /* WL_MEMORY_FLASH: bits are cleared as often as one likes until the next erase */
    WL_MEMORY_IDEAL_NAND = 2   /* WL_MEMORY_FLASH: a page takes programs_per_page programs */
};

/* A memory without a data sheet: {read, write, erase, blocks} as block devices are described, and the times that the
 * caller states, all 0 by default. Nothing is drawn and no bit goes wrong by itself; there is no ECC, and energy is NaN.
 * A bus and a driver take no time. Set everything to 0 first. */
typedef struct wl_memory_ideal {
    uint64_t size;              /* sizeof(wl_memory_ideal) */
    uint64_t abi;               /* WL_MEMORY_ABI */
    uint64_t kind;              /* WL_MEMORY_IDEAL_... */
    uint64_t read_bytes;        /* address and length of wl_memory_read are multiples of it; 0: 1 */
    uint64_t write_bytes;       /* the same of writes and programs; 0: 1 */
    uint64_t erase_bytes;       /* of a block; of bytes, the unit whose writes are counted together */
    uint64_t blocks;            /* with erase_bytes the size of the memory: 1 TiB at the most */
    uint64_t page_bytes;        /* of flash; 0 chooses write_bytes for NAND and 256 for NOR, or write_bytes where it does not divide 256 */
    uint64_t spare_bytes;       /* of flash, behind the main area of a page; a multiple of write_bytes */
    uint64_t programs_per_page; /* between two erases; 0: 1 of NAND, any number of NOR */
    uint64_t in_order;          /* 1: the pages of a block have to be programmed in rising order */
    uint64_t marks;             /* of flash. 1: wl_memory_mark_bad works; the mark is the first byte of the spare area of page 0 */
    uint64_t moves;             /* of flash. 1: wl_memory_move_page works */
    uint64_t banks;             /* of flash: parts of the blocks, of which one can be read while another is erased; 0: 1 */
    uint64_t atom_bytes;        /* of bytes: what a power cut leaves old or new; 0: 1 */
    uint64_t endurance;         /* rated cycles, as info reports them; 0: any number. Nothing fails because of them */
    uint64_t read_ps;           /* of a read; of flash, of each page of it */
    uint64_t read_byte_ps;      /* and of each byte of it */
    uint64_t program_ps;        /* of a program of a page, or of a write */
    uint64_t program_byte_ps;   /* and of each byte of it */
    uint64_t erase_ps;          /* of the erase of a block */
    uint64_t strict;            /* as options.strict */
} wl_memory_ideal;

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
    uint64_t read_bytes;        /* address and length of wl_memory_read are multiples of it: 1 of every real part */
    uint64_t erase_sizes;       /* sizes of erase that wl_memory_get_erase_size tells; 0: none */
    uint64_t background;        /* 1: wl_memory_start_erase works */
    uint64_t suspend;           /* 1: an erase that was started can be suspended */
    uint64_t moves;             /* 1: wl_memory_move_page works, at least within a plane */
    uint64_t banks;             /* equal parts, of which one can be read while another one is erased; 1: none can */
    uint64_t forgets;           /* 1: without power it loses all that it holds, as SRAM and PSRAM do */
    uint64_t free_ranges;       /* parts of a spare area that callers may use: wl_memory_get_free_range */
} wl_memory_info;

/* What the ECC found in a page that was read. Reads fill it when they return WL_MEMORY_OK or WL_MEMORY_UNCORRECTABLE, and
 * leave it as it was otherwise. */
typedef struct wl_memory_ecc {
    uint64_t size;      /* sizeof(wl_memory_ecc), set by the caller */
    uint64_t corrected; /* most bits corrected in any one codeword, as the chip's status reports it: where that states
                           ranges, the upper end of the range, so that one flip of mt29f1g01 gives 3. 0: none were
                           wrong, there is no ECC, or it gave up */
    uint64_t refresh;   /* 1: the chip advises to move the data soon */
    uint64_t lost;      /* 1: more bits were wrong than the ECC corrects */
} wl_memory_ecc;

/* What a memory did since it was made, or since wl_memory_reset_stats. Operations are the chip's. A call that programs
 * of flash counts each of its pages, and so does a read where pages have a spare area. A read of other memories is one,
 * and so is a write of any length. */
typedef struct wl_memory_stats {
    uint64_t size;           /* sizeof(wl_memory_stats), set by the caller */
    uint64_t reads;          /* operations, failed ones included */
    uint64_t programs;       /* of flash */
    uint64_t erases;         /* of flash */
    uint64_t writes;         /* of byte memories */
    uint64_t syncs;          /* of byte memories */
    uint64_t failures;       /* operations that failed; an erase that was started, when it is known to have */
    uint64_t bytes_read;     /* asked for */
    uint64_t bytes_written;  /* programmed or written */
    uint64_t busy_ps;        /* durations of all operations together */
    uint64_t longest_ps;     /* duration of the longest */
    uint64_t corrected_bits; /* that the ECC corrected: the most in one codeword, summed over reads */
    uint64_t power_cuts;     /* that came true */
} wl_memory_stats;

/* How a block goes bad. An operation that it makes fail takes its time and energy, and the cells stay as they are. Of
 * several faults that strike one operation, one that is reported shows before one that is not. */
enum {
    WL_MEMORY_GOOD = 0,          /* no longer bad */
    WL_MEMORY_PROGRAM_ERROR = 1, /* programs, and writes, return WL_MEMORY_PROGRAM_FAILED */
    WL_MEMORY_ERASE_ERROR = 2,   /* erases return WL_MEMORY_ERASE_FAILED */
    WL_MEMORY_READ_ERROR = 3,    /* reads return WL_MEMORY_UNCORRECTABLE, and `out` is zeros */
    WL_MEMORY_PROGRAM_NOOP = 4,  /* programs, and writes, return WL_MEMORY_OK and are lost */
    WL_MEMORY_ERASE_NOOP = 5,    /* erases return WL_MEMORY_OK and leave the bytes; the pages count as erased */
    WL_MEMORY_ERASE_STALE = 6    /* the same, and from then on programs return WL_MEMORY_OK and do nothing, until an erase
                                    of the block really erases: that holds when the fault is gone, too */
};

/* A fault that is added to those that a place has. Faults compose: each counts the operations of its kind by itself. Set
 * everything to 0 first. */
typedef struct wl_memory_fault {
    uint64_t size;   /* sizeof(wl_memory_fault) */
    uint64_t kind;   /* WL_MEMORY_PROGRAM_ERROR to WL_MEMORY_ERASE_STALE; of WL_MEMORY_BYTES no erases */
    uint64_t at;     /* first byte of the range that goes bad; main areas alone count */
    uint64_t bytes;  /* of it, 1 or more. Of flash whole blocks, each of which counts by itself; else any, and every
                        operation that touches one of them is struck */
    uint64_t after;  /* operations of its kind that go well first: 2 spares the first two */
    uint64_t times;  /* operations that it strikes then, before it strikes no more; 0: all */
    uint64_t one_in; /* after these, each operation is struck with a chance of 1 in so many; 0 and 1: always */
    uint64_t seed;   /* which ones that are */
} wl_memory_fault;

/* What a power cut leaves of the operation that it interrupts. Of a program that is torn it leaves the page as it was, a
 * first part of the bytes, or some of the bits that were to be cleared, of which some may read differently each time.
 * A page can also read as erased throughout, because no cell has taken enough charge yet, and count as programmed all the
 * same: a program of it is WL_MEMORY_MISUSE where its programs are used up, of NAND those of the page, and where
 * info.once_bytes is not 0 those of its units. Who finds a page free after a cut erases its block before using it. With
 * an ECC the page may be uncorrectable, or corrected in one read and lost in another. */
enum {
    WL_MEMORY_CUT_CLEAN = 0,    /* nothing: the cut comes just before it */
    WL_MEMORY_CUT_TORN = 1,     /* a part of it, which the seed draws */
    WL_MEMORY_CUT_REORDERED = 2 /* any of the changes since the last wl_memory_sync, or since this was asked for, may be
                                   missing, as where a driver or a controller holds them back; in a pause and within a
                                   sync too, and at once where such a cut had been due before. Byte memories: writes, in any
                                   order, torn at atoms. Flash: programs and erases, which keep their order within a
                                   block; the interrupted one is missing or torn. Never missing are marks, started erases
                                   and operations that failed, nor what was done to their blocks before; nor what was done
                                   to a block before wl_memory_set_cycles and wl_memory_flip_bit of it, or a load */
};

/* What a torn erase can leave, to be ored together. Physics: an erase that is cut short leaves cells between programmed
 * and erased, which read as either, differently from time to time; the block may read as erased and not hold what is
 * programmed next. Measured by H.-W. Tseng, L. M. Grupp, S. Swanson, "Understanding the Impact of Power Loss on Flash
 * Memory", DAC 2011: "incomplete erase operations make future program operations to the same block unreliable". Their
 * remedy, another erase, is WL_MEMORY_LEAVES_MENDABLE. A block that fails that erase as well, WL_MEMORY_LEAVES_DEAD, is
 * no result of theirs: it is a block that was about to wear out and shows it now, a worst case that software has to
 * survive. Each of the 18 forms that are modelled has the same chance, which is no measured one. */
enum {
    WL_MEMORY_LEAVES_OLD = 1,      /* the block as it was: 1 form */
    WL_MEMORY_LEAVES_PART = 2,     /* 1/8 to 7/8 of its bits set, of which some may flicker: 14 forms */
    WL_MEMORY_LEAVES_DRIFTING = 4, /* it reads as erased, and some bits that are programmed then flicker: 1 form */
    WL_MEMORY_LEAVES_FAILING = 8,  /* it reads as erased, and programs fail until it is erased: 1 form */
    WL_MEMORY_LEAVES_DEAD = 16,    /* it reads as erased, and programs and erases fail for good: 1 form, 5.6 % */
    WL_MEMORY_LEAVES_MENDABLE = 15 /* all but the last: the next erase mends the block */
};

/* When and how the power goes. Set everything to 0 first. */
typedef struct wl_memory_cut {
    uint64_t size;       /* sizeof(wl_memory_cut) */
    uint64_t operations; /* within the n-th operation from now that changes the memory (program, erase, write, mark),
                            in the middle of its time; 0: not by number. Failed ones count if they took time */
    uint64_t time_ps;    /* when the clock reaches this, within what is done then; 0: not by time. Whichever comes first */
    uint64_t tear;       /* WL_MEMORY_CUT_... */
    uint64_t seed;       /* which of the things that can be left */
    uint64_t erase_leaves; /* WL_MEMORY_LEAVES_... of an erase that is torn; 0: all of them, the dead block included */
} wl_memory_cut;

/* What to do with a block that wears, and why its latency says nothing. */
enum {
    WL_MEMORY_HEALTH_UNKNOWN = 0, /* its latency says nothing: health.reason */
    WL_MEMORY_HEALTH_HEALTHY = 1, /* it has not used 80 % of its life, within the band */
    WL_MEMORY_HEALTH_WATCH = 2,   /* it may have, within the band */
    WL_MEMORY_HEALTH_RETIRE = 3,  /* it probably has */
    WL_MEMORY_HEALTH_FAILED = 4   /* a program or an erase of it failed from wear */
};
enum {
    WL_MEMORY_HEALTH_STATED = 0,  /* there is a band */
    WL_MEMORY_HEALTH_MISSING = 1, /* no erase and no program of it was timed */
    WL_MEMORY_HEALTH_LATE = 2,    /* none of its first 100 cycles was, and no block of the chip shows a fresh latency */
    WL_MEMORY_HEALTH_STILL = 3,   /* its latency has not moved yet */
    WL_MEMORY_HEALTH_YOUNG = 4    /* it has used less than a tenth of its life; how much less is not known */
};

/* What latency says of a block. Bands hold 90 % of the probability; members without a value are NaN. */
typedef struct wl_memory_health {
    uint64_t size;          /* sizeof(wl_memory_health), set by the caller */
    uint64_t verdict;       /* WL_MEMORY_HEALTH_UNKNOWN to WL_MEMORY_HEALTH_FAILED */
    uint64_t reason;        /* WL_MEMORY_HEALTH_STATED to WL_MEMORY_HEALTH_YOUNG */
    uint64_t cycles;        /* that it has seen, that in which it failed included */
    uint64_t operation;     /* whose latency it is: WL_MEMORY_OP_ERASE or WL_MEMORY_OP_PROGRAM; 0 without one */
    uint64_t failed_blocks; /* blocks of this memory that failed from wear, which show how far latency goes; 0: virtual
                               chips do */
    uint64_t beyond;        /* 1: latency is beyond the end of half of these virtual chips, and the rest says little */
    double latency_ratio;   /* that latency, by what it was when the block was fresh */
    double used_low;        /* share of its life that is used, 0 to 1: 5 % of the probability lie below */
    double used;            /* the median */
    double used_high;       /* 5 % lie above */
    double left_low;        /* cycles that are left, in the same way */
    double left;
    double left_high;
    uint64_t injected_failures; /* programs and erases of it that a fault of wl_memory_add_fault or wl_memory_set_fault made
                                   fail: they say nothing of wear, and change nothing else here */
    uint64_t cut_failures;      /* those that failed because of what a power cut had left, in the same way */
} wl_memory_health;

/* An erase that was started and not waited for. */
enum {
    WL_MEMORY_WORK_NONE = 0,
    WL_MEMORY_WORK_RUNS = 1,
    WL_MEMORY_WORK_SUSPENDED = 2,
    WL_MEMORY_WORK_ENDED = 3 /* wl_memory_wait tells how */
};
typedef struct wl_memory_work {
    uint64_t size;    /* sizeof(wl_memory_work), set by the caller */
    uint64_t phase;   /* WL_MEMORY_WORK_... */
    uint64_t at;      /* first byte that is erased, 0 without work */
    uint64_t bytes;   /* of it */
    uint64_t ends_ps; /* when it ends if it is not suspended; 0 unless it runs */
} wl_memory_work;

/* Kinds of operation. */
enum {
    WL_MEMORY_OP_READ = 0,
    WL_MEMORY_OP_WRITE = 1,
    WL_MEMORY_OP_SYNC = 2,
    WL_MEMORY_OP_PROGRAM = 3,
    WL_MEMORY_OP_ERASE = 4
};

/* An operation of the chip, as a trace tells it. An erase that was started and not waited for is reported once it is known
 * how it ended: by wl_memory_wait, or by the power cut that ends it, which makes it fail unless it was done before. One that
 * wl_memory_restore or wl_memory_free overtakes never ends, and is not reported. The library makes the struct, and may make
 * it longer than the caller knows. */
typedef struct wl_memory_operation {
    uint64_t size;        /* bytes of this struct */
    uint64_t kind;        /* WL_MEMORY_OP_... */
    uint64_t at;          /* first byte: page * page_bytes + column of flash, in which spare areas overlap what follows */
    uint64_t bytes;       /* moved, or erased */
    uint64_t start_ps;    /* when it was asked for */
    uint64_t duration_ps; /* until it was done: of a started erase with the time that it was suspended, and without the
                             time by which its wait came late */
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

/* Makes a memory of any geometry, without a data sheet. WL_MEMORY_BAD_ARGUMENT names the member that does not fit.
 * *memory is NULL if that fails. Images of it are of memories of the same kind and {read, write, erase, blocks}. */
wl_memory_status wl_memory_create_ideal(const wl_memory_ideal *ideal, wl_memory **memory);

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

/* Whether a page holds 0xFF alone, its spare area included: *is_free is 1 or 0. A read of the whole page, with its time.
 * A page that the ECC gives up on is not free. */
wl_memory_status wl_memory_is_free(wl_memory *memory, uint32_t page, int32_t *is_free);

/* ---- Spare areas, ECC and moves: one call each ---- */

/* What callers may program of a spare area: part number `index`, from 0 to info.free_ranges - 1, by its first column in the
 * spare area and its bytes. The rest is for the parity of the chip's ECC, and has to stay 0xFF: of mt29f1g01 all from
 * column 64 on. The bad-block mark of a block is a byte of the free parts of its first page, as the sheet says the first
 * or the sixth one: who programs there uses wl_memory_is_bad before. */
wl_memory_status wl_memory_get_free_range(const wl_memory *memory, uint64_t index, uint32_t *column, uint32_t *bytes);

/* Reads from a spare area, from `column` of it on. WL_MEMORY_UNSUPPORTED where pages have none. `ecc` may be NULL. */
wl_memory_status wl_memory_read_spare(wl_memory *memory, uint32_t page, uint32_t column, void *out, uint32_t bytes,
                                      wl_memory_ecc *ecc);

/* Programs a spare area, from `column` of it on: a program of its page. */
wl_memory_status wl_memory_program_spare(wl_memory *memory, uint32_t page, uint32_t column, const void *data, uint32_t bytes);

/* Reads a page with one fetch of it: info.page_bytes into `main`, info.spare_bytes into `spare`, which may be NULL where
 * that is 0. `ecc` may be NULL. */
wl_memory_status wl_memory_read_whole(wl_memory *memory, uint32_t page, void *main, void *spare, wl_memory_ecc *ecc);

/* Programs main and spare area of a page in one go. Bytes that the chip keeps for its ECC have to be 0xFF: all that
 * wl_memory_get_free_range does not name. */
wl_memory_status wl_memory_program_whole(wl_memory *memory, uint32_t page, const void *main, const void *spare);

/* What the ECC found in the last read of any kind, across all its pages: also in one that failed, and of wl_memory_read,
 * which reports no more than a status. */
wl_memory_status wl_memory_last_ecc(const wl_memory *memory, wl_memory_ecc *ecc);

/* Copy-back: programs page `to` with what page `from` holds, spare area included, but for `bytes` bytes of `data` from
 * `column` on. The page does not pass the bus; the ECC corrects it. WL_MEMORY_UNSUPPORTED where the part or its driver
 * cannot, such as across planes. Nothing is programmed when the ECC gives up on `from`. */
wl_memory_status wl_memory_move_page(wl_memory *memory, uint32_t from, uint32_t to, uint32_t column, const void *data,
                                     uint32_t bytes);

/* ---- Erases of every size, in the background, and suspended ---- */

/* The size of erase number `index`, from 0 to info.erase_sizes - 1, ascending: of the erases of the sheet those of whole
 * blocks, none smaller than options.erase_bytes. The chip erase is among them where the board drives it. */
wl_memory_status wl_memory_get_erase_size(const wl_memory *memory, uint64_t index, uint64_t *bytes);

/* Erases a range by as few and large erases of the part as fit it, in rising order: 64 KiB of NOR flash take the one erase
 * of its sheet, not sixteen of 4 KiB. `unit` states one size instead; 0 leaves the choice. WL_MEMORY_MISUSE names the
 * sizes where these do not make up the range; nothing is erased then. After an error, the erases before the failed one
 * are done. An erase of several blocks is one operation: of statistics, of cuts, and as a cycle of each block. A fault of
 * one of them strikes that block alone, and the erase is reported as failed. */
wl_memory_status wl_memory_erase_range(wl_memory *memory, uint64_t at, uint64_t bytes, uint64_t unit);

/* Starts one erase of the part, of `bytes` bytes at `at`, and does not wait for it: the clock moves by the commands. It goes
 * on while time passes, and has to be waited for, also when it has ended. A chip that is busy takes no program and no
 * erase, and reads in its other banks alone: WL_MEMORY_BUSY. */
wl_memory_status wl_memory_start_erase(wl_memory *memory, uint64_t at, uint64_t bytes);

/* Waits for the end of the erase that was started, as a driver that polls; one that is suspended is resumed before.
 * WL_MEMORY_ERASE_FAILED where it failed. WL_MEMORY_OK where none was started. */
wl_memory_status wl_memory_wait(wl_memory *memory);

/* Suspends the erase that was started, and waits until it stands still, as long as the sheet says. The other blocks can be
 * read then, and programmed where the sheet allows it; the one in erase returns WL_MEMORY_MISUSE. One that had ended by
 * then stays so. WL_MEMORY_UNSUPPORTED where sheet or board have no suspend, as all NAND of the catalogue;
 * WL_MEMORY_MISUSE where nothing was started, or is suspended already. */
wl_memory_status wl_memory_suspend(wl_memory *memory);

/* Lets the suspended erase go on. WL_MEMORY_UNSUPPORTED as of wl_memory_suspend; WL_MEMORY_MISUSE where none is suspended. */
wl_memory_status wl_memory_resume(wl_memory *memory);

/* Read while write: suspends the erase that was started if it runs, reads, and resumes it; without one, a plain read. What
 * is in erase returns WL_MEMORY_MISUSE. Chips with banks need no suspend for other banks: there, wl_memory_read does it. */
wl_memory_status wl_memory_read_suspending(wl_memory *memory, uint64_t at, void *out, uint64_t bytes);

/* How far the erase that was started has come. */
wl_memory_status wl_memory_get_work(const wl_memory *memory, wl_memory_work *work);

/* ---- Cells, in no simulated time ---- */

/* Reads what cells hold: no time, no energy, no statistics, with the power off too. No ECC corrects it, no fault strikes
 * it, and of a block that a power cut left in doubt it is one reading. Addresses as those of wl_memory_read. */
wl_memory_status wl_memory_peek(wl_memory *memory, uint64_t at, void *out, uint64_t bytes);

/* Lets cells hold bytes, whatever they held, in the same way. A page of flash that holds anything but 0xFF then counts as
 * programmed, and one of 0xFF alone as erased. It settles a block that a power cut left in doubt, and lasts, as all that
 * came before. */
wl_memory_status wl_memory_poke(wl_memory *memory, uint64_t at, const void *data, uint64_t bytes);

/* The same within one page: main area first, spare area behind it. Bad-block marks are bytes of a spare area. */
wl_memory_status wl_memory_peek_page(wl_memory *memory, uint32_t page, uint32_t column, void *out, uint32_t bytes);
wl_memory_status wl_memory_poke_page(wl_memory *memory, uint32_t page, uint32_t column, const void *data, uint32_t bytes);

/* ---- Time, energy, wear ---- */

/* Simulated time since the memory was made; 0 if the handle is bad. */
uint64_t wl_memory_now(const wl_memory *memory);

/* Lets time pass in which the host does something else. WL_MEMORY_POWER_LOST if a cut comes in it. */
wl_memory_status wl_memory_advance(wl_memory *memory, uint64_t time_ps);

/* Duration of the last operation, 0 before the first, and if the handle is bad. Of a call that was several operations, as
 * wl_memory_stats counts them: of the last one. */
uint64_t wl_memory_last_duration(const wl_memory *memory);

/* Energy of the chip since it was made, idle time included; without power it draws nothing. NaN where its sheet states no
 * current for something that it did, of an ideal memory once any time has passed, and if the handle is bad. */
double wl_memory_energy(const wl_memory *memory);

/* What the memory did. */
wl_memory_status wl_memory_get_stats(const wl_memory *memory, wl_memory_stats *stats);

/* Begins to count again. Clock, energy and wear go on. */
wl_memory_status wl_memory_reset_stats(wl_memory *memory);

/* Cycles that a unit has seen, its age included: block `unit` of flash, or the wear_unit_bytes from
 * unit * wear_unit_bytes on. WL_MEMORY_UNSUPPORTED where wear_unit_bytes is 0. */
wl_memory_status wl_memory_get_cycles(const wl_memory *memory, uint64_t unit, uint64_t *cycles);

/* Lets a unit have seen so many cycles: WL_MEMORY_BAD_ARGUMENT where they are fewer than those of options.age, or more than
 * 2^62. */
wl_memory_status wl_memory_set_cycles(wl_memory *memory, uint64_t unit, uint64_t cycles);

/* Changes under what flash ages, from now on: its temperature in degrees Celsius, -40 to 125, and the seconds that a
 * programmed block keeps its charge before it is erased. One that does not age begins to. WL_MEMORY_UNSUPPORTED where the
 * part has no model of ageing. */
wl_memory_status wl_memory_set_environment(wl_memory *memory, double celsius, double dwell_s);

/* Lets flash that ages lie without power for so many seconds at a temperature in degrees Celsius, -40 to 125: charge leaks,
 * bits go wrong, and the clock stands still. One that does not age loses nothing. WL_MEMORY_BAD_ARGUMENT of seconds that are
 * negative or NaN, as of every duration in seconds. */
wl_memory_status wl_memory_keep(wl_memory *memory, double seconds, double celsius);

/* How worn a block of a flash that ages is, as `wordline wear health` tells it from a log: by how long the array took for
 * programs of whole pages and for erases of single blocks that were waited for, since it ages. Other operations
 * count as cycles alone; a failure counts whatever operation reports it. It takes no simulated time and can be asked with
 * the power off. Forks know what the memory knew; wl_memory_load forgets it. WL_MEMORY_UNSUPPORTED where nothing ages. Real
 * chips may be far from the virtual ones that it was trained on: see Wordline's documentation, evidence, "Flash health". */
wl_memory_status wl_memory_get_health(const wl_memory *memory, uint32_t block, wl_memory_health *health);

/* ---- What goes wrong ---- */

/* Lets a block of flash go bad in one way, or be good again: WL_MEMORY_GOOD to WL_MEMORY_ERASE_STALE. It takes the place
 * of all faults that the block has. */
wl_memory_status wl_memory_set_fault(wl_memory *memory, uint32_t block, uint32_t fault);

/* Adds a fault to those of a range: of blocks of flash, or of any bytes of a memory that can be overwritten. */
wl_memory_status wl_memory_add_fault(wl_memory *memory, const wl_memory_fault *fault);

/* Takes all faults from what touches a range; of flash whole blocks. */
wl_memory_status wl_memory_clear_faults(wl_memory *memory, uint64_t at, uint64_t bytes);

/* Flips a stored bit, 0 to 7, of flash; flipping it again mends it. An ECC on the chip corrects as many as it can. */
wl_memory_status wl_memory_flip_bit(wl_memory *memory, uint32_t page, uint32_t column, uint32_t bit);

/* Lets the power go, now or later; it replaces a cut that was asked for before. With neither number nor time, the power
 * goes now. The call that is interrupted, and every operation from then on, returns WL_MEMORY_POWER_LOST. The interrupted
 * operation's energy counts as standby, an erase of it as a cycle. An erase that was started is interrupted as well, and a
 * cut by number that falls to it comes in the middle of it. */
wl_memory_status wl_memory_cut_power(wl_memory *memory, const wl_memory_cut *cut);

/* Supplies power again. The memory holds what the cut left, or nothing that was written where info.forgets is 1. A torn
 * page of flash, or a half erased block, may read differently every time, be uncorrectable, or fail to take a program,
 * until its block is erased; and of cut erases, one in 18 leaves a block that fails that erase as well, for good, unless
 * cut.erase_leaves rules it out. The clock moves by the time that the sheet asks the host to wait. WL_MEMORY_MISUSE while
 * there is power. */
wl_memory_status wl_memory_power_up(wl_memory *memory);

/* ---- Files ---- */

/* Saves what the memory holds, with wear, bad blocks and faults, and without clock, energy and statistics. A file of that
 * name is replaced. WL_MEMORY_BUSY while an erase was not waited for, WL_MEMORY_POWER_LOST without power. Of a block that a
 * power cut left in doubt one reading is saved, and what it reads from then on is no longer in doubt; bits that have leaked
 * are as they were programmed. A fork keeps both. The format is described in Wordline's
 * documentation, reference, "Images of memories". WL_MEMORY_UNSUPPORTED of cards. */
wl_memory_status wl_memory_save(const wl_memory *memory, const char *path);

/* Lets the memory hold what was saved of the same part, in no time. WL_MEMORY_BAD_IMAGE of another version, part, size or
 * geometry, of a file that was cut short or changed, and where a unit would have fewer cycles than options.age. */
wl_memory_status wl_memory_load(wl_memory *memory, const char *path);

/* Writes every operation from now on to a file, as columns that `wordline buffer --log` reads; a file of that name is
 * replaced. NULL ends it, as do freeing and another file: ended so, all is in the file, or WL_MEMORY_FILE is returned. Where
 * the other file cannot be made, the trace goes on in the one before. */
wl_memory_status wl_memory_trace_to(wl_memory *memory, const char *path);

/* Tells somebody of every operation from now on. NULL ends it, within the listener too: of a call that was several
 * operations, it then hears no more. The same holds where it frees the memory. */
wl_memory_status wl_memory_listen(wl_memory *memory, wl_memory_listener listener, void *user);

#ifdef __cplusplus
}
#endif

#endif
