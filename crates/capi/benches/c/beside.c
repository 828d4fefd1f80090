/* What operations of the C API cost beside a fault in another block and beside a power cut that is due later, and what
 * opening and freeing costs. Processor time, the best of several turns, which take each way one after the other, so that
 * what else the machine does meets all of them; scripts/bench-capi compiles and runs it. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ram_block.h"
#include "wordline_memory.h"

#define TURNS 300
#define RANGE 131072u
#define ELSEWHERE (RANGE * 8)

static unsigned char buffer[2048];

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

static wl_memory *made(const char *target, uint64_t one_thread)
{
    wl_memory_options options;
    wl_memory *memory;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target;
    options.one_thread = one_thread;
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, target);
    return memory;
}

enum what { READ, WRITE, ERASE };
enum way { PLAIN, ONE_THREAD, FAULT, CUT_BY_NUMBER, CUT_BY_TIME, WAYS };

static void risk(wl_memory *memory, const wl_memory_info *info, enum way way)
{
    wl_memory_cut cut;
    wl_memory_fault fault;
    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.tear = WL_MEMORY_CUT_TORN;
    if (way == FAULT) {
        memset(&fault, 0, sizeof fault);
        fault.size = sizeof fault;
        fault.kind = WL_MEMORY_PROGRAM_ERROR;
        fault.at = ELSEWHERE;
        fault.bytes = info->kind == WL_MEMORY_FLASH ? info->block_bytes : 4096;
        check(wl_memory_add_fault(memory, &fault) == WL_MEMORY_OK, "fault");
    }
    if (way == CUT_BY_NUMBER) cut.operations = UINT64_MAX / 2;
    if (way == CUT_BY_TIME) cut.time_ps = UINT64_MAX / 2;
    if (way >= CUT_BY_NUMBER) check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut");
}

/* One pass over the range, in ns an operation. */
static double pass(wl_memory *memory, const wl_memory_info *info, enum what what)
{
    double start;
    uint64_t at, step = what == ERASE ? info->block_bytes : sizeof buffer;
    int bad = 0;
    if (what == WRITE && info->kind == WL_MEMORY_FLASH) {
        for (at = 0; at < RANGE; at += info->block_bytes) {
            check(wl_memory_erase(memory, (uint32_t)(at / info->block_bytes)) == WL_MEMORY_OK, "erase");
        }
    }
    start = now_ns();
    for (at = 0; at < RANGE; at += step) {
        switch (what) {
        case READ: bad |= wl_memory_read(memory, at, buffer, sizeof buffer); break;
        case WRITE:
            bad |= info->kind == WL_MEMORY_FLASH ? wl_memory_program(memory, at, buffer, sizeof buffer)
                                                 : wl_memory_write(memory, at, buffer, sizeof buffer);
            break;
        case ERASE: bad |= wl_memory_erase(memory, (uint32_t)(at / step)); break;
        }
    }
    check(!bad, "operation");
    return (now_ns() - start) / (double)(RANGE / step);
}

static double plain_pass(struct ram_block *device, enum what what, uint64_t block_bytes)
{
    double start = now_ns();
    uint64_t at, step = what == ERASE ? block_bytes : sizeof buffer;
    int bad = 0;
    for (at = 0; at < RANGE; at += step) {
        switch (what) {
        case READ: bad |= ram_block_read(device, at, buffer, sizeof buffer); break;
        case WRITE: bad |= ram_block_write(device, at, buffer, sizeof buffer); break;
        case ERASE: bad |= ram_block_erase(device, at, step); break;
        }
    }
    check(!bad, "block device");
    return (now_ns() - start) / (double)(RANGE / step);
}

static void row(const char *target, enum what what)
{
    static const char *const names[] = {"read 2 KiB", "write 2 KiB", "erase a block"};
    static unsigned char bytes[RANGE];
    struct ram_block device;
    wl_memory *memories[WAYS];
    wl_memory_info info;
    double best[WAYS], other = 1e30, took;
    int turn, way;
    memset(&device, 0, sizeof device);
    device.bytes = bytes;
    device.length = RANGE;
    memset(bytes, 1, sizeof bytes);
    memset(buffer, 0x5A, sizeof buffer);
    for (way = 0; way < WAYS; way++) {
        best[way] = 1e30;
        memories[way] = made(target, way == ONE_THREAD);
        info.size = sizeof info;
        check(wl_memory_get_info(memories[way], &info) == WL_MEMORY_OK, "info");
        if (what == READ) pass(memories[way], &info, WRITE);
        risk(memories[way], &info, (enum way)way);
    }
    for (turn = 0; turn < TURNS; turn++) {
        took = plain_pass(&device, what, info.block_bytes);
        other = took < other ? took : other;
        for (way = 0; way < WAYS; way++) {
            took = pass(memories[way], &info, what);
            best[way] = took < best[way] ? took : best[way];
        }
    }
    printf("| `%s` %s | %.0f ns | %.0f ns (%.2f) | %.0f ns (%.2f) |", target, names[what], other, best[PLAIN],
           best[PLAIN] / other, best[ONE_THREAD], best[ONE_THREAD] / other);
    for (way = FAULT; way < WAYS; way++) printf(" %.0f ns (%.2f) |", best[way], best[way] / best[PLAIN]);
    printf("\n");
    for (way = 0; way < WAYS; way++) wl_memory_free(memories[way]);
}

static void opening(const char *target)
{
    double first, best = 1e30, took, start = now_ns();
    int turn;
    wl_memory_free(made(target, 0));
    first = now_ns() - start;
    for (turn = 0; turn < 200; turn++) {
        start = now_ns();
        wl_memory_free(made(target, 0));
        took = now_ns() - start;
        best = took < best ? took : best;
    }
    printf("| `%s` | %.0f us | %.1f us |\n", target, first / 1e3, best / 1e3);
}

int main(void)
{
    static const char *const parts[] = {"em064lx", "mt25ql128", "mt29f1g01"};
    unsigned part;
    printf("\n| open and free | first of the process | later |\n|---|---|---|\n");
    for (part = 0; part < 3; part++) opening(parts[part]);
    printf("\n| C API | block device of memory | handle with a lock | of one thread | fault elsewhere | cut due by number "
           "| cut due by time |\n|---|---|---|---|---|---|---|\n");
    for (part = 0; part < 3; part++) {
        row(parts[part], READ);
        row(parts[part], WRITE);
        if (part > 0) row(parts[part], ERASE);
    }
    return 0;
}
