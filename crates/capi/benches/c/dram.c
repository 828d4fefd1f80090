/* Requests that wordline_dram.h serves in a second of processor time, by how it is called. scripts/bench-dram compiles it
 * and runs it in turns with the library's own benchmark, dram.rs, which has the same requests. */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wordline_dram.h"

#define BATCH 64u

/* As in dram.rs: requests that wait in front of each queue, and clocks from one look to the next. */
#define BACKLOG 480u
#define CLOCKS 2000.0

/* As in dram.rs. */
struct load {
    uint64_t random;
    uint64_t lines;
    int is_mixed;
    int is_stream;
    uint64_t next;
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(int is_well, const char *what)
{
    if (!is_well) {
        fprintf(stderr, "%s: %s\n", what, wl_dram_message());
        exit(1);
    }
}

static wl_dram_request drawn(struct load *load)
{
    wl_dram_request request;
    memset(&request, 0, sizeof request);
    load->random ^= load->random << 13;
    load->random ^= load->random >> 7;
    load->random ^= load->random << 17;
    request.id = load->next++;
    request.is_write = load->is_mixed && request.id % 3 == 2;
    request.address = (load->is_stream ? request.id : load->random >> 8) % load->lines * 64;
    return request;
}

static void fill(wl_dram_request *batch, struct load *load)
{
    unsigned each;
    for (each = 0; each < BATCH; each++) batch[each] = drawn(load);
}

static void on_complete(void *user, uint64_t id, int32_t is_write, uint64_t time_ps)
{
    (void)id, (void)is_write, (void)time_ps;
    *(uint64_t *)user += 1;
}

/* From event to event; what comes finds queues full. */
static uint64_t stepped(wl_dram *memory, struct load *load, uint64_t requests)
{
    wl_dram_request batch[BATCH];
    wl_dram_completion done[BATCH];
    uint64_t first = BATCH, taken, count, told = 0;
    while (told < requests) {
        if (first == BATCH) fill(batch, load), first = 0;
        check(!wl_dram_push_many(memory, batch + first, BATCH - first, &taken), "push");
        first += taken;
        if (first == BATCH) continue;
        check(!wl_dram_step(memory, UINT64_MAX, done, BATCH, &count), "step");
        told += count;
    }
    return told;
}

/* Many ahead, and all that is done in a while at once, as one replays a trace. */
static uint64_t replayed(wl_dram *memory, struct load *load, uint64_t requests, double clock_ps)
{
    wl_dram_request batch[BATCH];
    wl_dram_completion done[BATCH];
    uint64_t first = BATCH, taken, count, told = 0;
    while (told < requests) {
        do {
            if (first == BATCH) fill(batch, load), first = 0;
            check(!wl_dram_push_many(memory, batch + first, BATCH - first, &taken), "push");
            first += taken;
        } while (first == BATCH);
        check(!wl_dram_run_until(memory, wl_dram_now(memory) + (uint64_t)(CLOCKS * clock_ps)), "run");
        do {
            check(!wl_dram_step(memory, wl_dram_now(memory), done, BATCH, &count), "take");
            told += count;
        } while (count == BATCH);
    }
    return told;
}

/* The same one request after the other, or clock by clock. */
static uint64_t callback(wl_dram *memory, struct load *load, uint64_t requests, const uint64_t *told, int by_clock)
{
    wl_dram_request next = drawn(load);
    while (*told < requests) {
        while (wl_dram_can_accept(memory, next.address, next.is_write) == 1) {
            check(!wl_dram_push(memory, next.address, next.is_write, next.id), "push");
            next = drawn(load);
        }
        if (by_clock) check(!wl_dram_tick(memory), "tick");
        else check(!wl_dram_step(memory, UINT64_MAX, NULL, 0, NULL), "step");
    }
    return *told;
}

int main(int count, char **words)
{
    uint64_t told = 0, served, requests;
    double begin;
    char how;
    struct load load = {88172645463325252u, 0, 0, 0, 0};
    wl_dram_options options;
    wl_dram_info info;
    wl_dram *memory;
    if (count != 5) {
        fprintf(stderr, "usage: dram TARGET random|mixed|stream replay|step|callback|tick REQUESTS\n");
        return 2;
    }
    load.is_mixed = strcmp(words[2], "mixed") == 0;
    load.is_stream = strcmp(words[2], "stream") == 0;
    how = words[3][0];
    requests = strtoull(words[4], NULL, 10);
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_DRAM_ABI;
    options.target = words[1];
    options.complete = how == 'c' || how == 't' ? on_complete : NULL;
    options.user = &told;
    options.backlog = how == 'r' ? BACKLOG : 0;
    check(!wl_dram_create(&options, &memory), "create");
    info.size = sizeof info;
    check(!wl_dram_get_info(memory, &info), "info");
    load.lines = info.bytes / 64;
    begin = now_s();
    switch (how) {
    case 'r': served = replayed(memory, &load, requests, info.clock_ps); break;
    case 's': served = stepped(memory, &load, requests); break;
    default: served = callback(memory, &load, requests, &told, how == 't');
    }
    printf("%.0f\n", (double)served / (now_s() - begin));
    check(!wl_dram_free(memory), "free");
    return 0;
}
