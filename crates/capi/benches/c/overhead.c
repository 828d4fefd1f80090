/* What an operation of 2 KiB costs through the C API, beside the same on a block device of plain memory, and what a fork
 * costs. Processor time, the best of several turns; scripts/bench-capi compiles and runs it. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ram_block.h"
#include "wordline_memory.h"

#define BYTES 2048u
#define TURNS 200

static unsigned char buffer[BYTES];

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void check(int is_well, const char *what)
{
    if (!is_well) {
        fprintf(stderr, "%s: %s\n", what, wl_memory_message());
        exit(1);
    }
}

static wl_memory *made(const char *target)
{
    wl_memory_options options;
    wl_memory *memory;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target;
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, target);
    return memory;
}

enum what { READ, WRITE, PROGRAM };

/* One pass over a range of the simulated memory, in ns an operation. */
static double simulated(wl_memory *memory, enum what what, uint64_t first, uint64_t range, unsigned passes)
{
    double start = now_ns();
    uint64_t at;
    int bad = 0;
    unsigned pass;
    for (pass = 0; pass < passes; pass++) {
        for (at = first; at < first + range; at += BYTES) {
            switch (what) {
            case READ: bad |= wl_memory_read(memory, at, buffer, BYTES); break;
            case WRITE: bad |= wl_memory_write(memory, at, buffer, BYTES); break;
            case PROGRAM: bad |= wl_memory_program(memory, at, buffer, BYTES); break;
            }
        }
    }
    check(!bad, "operation");
    return (now_ns() - start) / (double)(passes * (range / BYTES));
}

static double plain(struct ram_block *device, enum what what, uint64_t range, unsigned passes)
{
    double start = now_ns();
    uint64_t at;
    int bad = 0;
    unsigned pass;
    for (pass = 0; pass < passes; pass++) {
        for (at = 0; at < range; at += BYTES) {
            bad |= what == READ ? ram_block_read(device, at, buffer, BYTES)
                                : ram_block_write(device, at, buffer, BYTES);
        }
    }
    check(!bad, "block device");
    return (now_ns() - start) / (double)(passes * (range / BYTES));
}

static void compare(const char *target, enum what what, uint64_t range)
{
    static const char *const names[] = {"read", "write", "program"};
    wl_memory *memory = made(target);
    wl_memory_info info;
    struct ram_block device;
    uint64_t first;
    double one = 1e30, other = 1e30, took;
    unsigned turn, passes = what == PROGRAM ? 1 : (unsigned)((8u << 20) / range);
    info.size = sizeof info;
    check(wl_memory_get_info(memory, &info) == WL_MEMORY_OK, "info");
    /* The first block of a NAND is always good; a range of several may hold one that is not. */
    first = 0;
    memset(&device, 0, sizeof device);
    device.length = range;
    device.bytes = (unsigned char *)malloc(range);
    check(device.bytes != NULL, "memory");
    memset(device.bytes, 1, range);
    memset(buffer, 0x5A, sizeof buffer);
    if (what == READ) {
        if (info.kind == WL_MEMORY_FLASH) simulated(memory, PROGRAM, first, range, 1);
        else simulated(memory, WRITE, first, range, 1);
    }
    for (turn = 0; turn < TURNS; turn++) {
        if (what == PROGRAM) {
            uint64_t block;
            for (block = first / info.block_bytes; block * info.block_bytes < first + range; block++) {
                check(wl_memory_erase(memory, (uint32_t)block) == WL_MEMORY_OK, "erase");
            }
        }
        took = simulated(memory, what, first, range, passes);
        one = took < one ? took : one;
        took = plain(&device, what, range, passes);
        other = took < other ? took : other;
    }
    printf("| `%s` %s, over %5.0f KiB | %.0f ns | %.0f ns | %.2f |\n", target, names[what], (double)range / 1024, one,
           other, one / other);
    free(device.bytes);
    wl_memory_free(memory);
}

/* A device of 16 MiB with 1,000 dirty pages: forked, written, freed. */
static void forks(void)
{
    wl_memory *memory = made("mt25ql128"), *fork;
    double fork_only = 1e30, in_all = 1e30, start, took;
    unsigned page, turn;
    for (page = 0; page < 1000; page++) {
        check(wl_memory_program(memory, (uint64_t)page * 16384, buffer, 256) == WL_MEMORY_OK, "program");
    }
    for (turn = 0; turn < 1000; turn++) {
        start = now_ns();
        check(wl_memory_fork(memory, &fork) == WL_MEMORY_OK, "fork");
        took = now_ns() - start;
        fork_only = took < fork_only ? took : fork_only;
        check(wl_memory_program(fork, 8192, buffer, 256) == WL_MEMORY_OK, "program");
        check(wl_memory_free(fork) == WL_MEMORY_OK, "free");
        took = now_ns() - start;
        in_all = took < in_all ? took : in_all;
    }
    printf("| fork of 16 MiB with 1,000 dirty pages | %.2f us |\n", fork_only / 1e3);
    printf("| the same, with a program in the fork and its end | %.2f us |\n", in_all / 1e3);
    wl_memory_free(memory);
}

int main(void)
{
    printf("| 2 KiB | C API, statistics on | block device of memory in C | ratio |\n|---|---|---|---|\n");
    compare("em064lx", READ, 64 << 10);
    compare("em064lx", WRITE, 64 << 10);
    compare("em064lx", READ, 8 << 20);
    compare("em064lx", WRITE, 8 << 20);
    compare("mt25ql128", READ, 64 << 10);
    compare("mt25ql128", READ, 8 << 20);
    compare("mt25ql128", PROGRAM, 64 << 10);
    compare("mt29f1g01", READ, 128 << 10);
    compare("mt29f1g01", PROGRAM, 128 << 10);
    printf("\n| | processor time |\n|---|---|\n");
    forks();
    return 0;
}
