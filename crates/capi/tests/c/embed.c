/* Drives the library as a simulator does, and fails where it does not keep what the header promises. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_dram.h"

#define CHECK(what)                                                              \
    do {                                                                         \
        if (!(what)) {                                                           \
            fprintf(stderr, "line %d: %s\n%s\n", __LINE__, #what, wl_dram_message()); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

#define REQUESTS 3000u

/* What a core knows of its requests. */
struct core {
    wl_dram *memory;
    unsigned char pushed[2 * REQUESTS]; /* 1: a read, 2: a write */
    unsigned char done[2 * REQUESTS];
    uint64_t last_ps;
    uint64_t told;
    uint64_t sum; /* of all that was told, in its order */
    uint64_t follow; /* reads to push from within the callback */
    uint64_t next_id;
};

static void complete(void *user, uint64_t id, int32_t is_write, uint64_t time_ps)
{
    struct core *core = (struct core *)user;
    CHECK(id < 2 * REQUESTS && !core->done[id]);
    CHECK(core->pushed[id] == (is_write ? 2 : 1));
    CHECK(time_ps >= core->last_ps && time_ps < wl_dram_now(core->memory));
    core->done[id] = 1;
    core->last_ps = time_ps;
    core->told += 1;
    core->sum = core->sum * 6364136223846793005u + (time_ps ^ id);
    /* Running is for the caller of the call that tells; pushing is allowed. */
    CHECK(wl_dram_tick(core->memory) == WL_DRAM_BUSY);
    CHECK(wl_dram_drain(core->memory) == WL_DRAM_BUSY);
    CHECK(wl_dram_step(core->memory, UINT64_MAX, NULL, 0, NULL) == WL_DRAM_BUSY);
    if (core->follow > 0 && wl_dram_can_accept(core->memory, 64 * id, 0) == 1) {
        core->follow -= 1;
        core->pushed[core->next_id] = 1;
        CHECK(wl_dram_push(core->memory, 64 * id, 0, core->next_id) == WL_DRAM_OK);
        core->next_id += 1;
    }
}

static wl_dram_options options_for(const char *target, struct core *core)
{
    wl_dram_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_DRAM_ABI;
    options.target = target;
    options.complete = complete;
    options.user = core;
    return options;
}

/* Streams requests with a clock, or from event to event. */
static uint64_t stream(const char *target, int by_event, uint64_t follow)
{
    struct core *core = (struct core *)calloc(1, sizeof *core);
    CHECK(core != NULL);
    wl_dram_options options = options_for(target, core);
    CHECK(wl_dram_create(&options, &core->memory) == WL_DRAM_OK);
    core->follow = follow;
    core->next_id = REQUESTS;

    wl_dram_info info;
    info.size = sizeof info;
    CHECK(wl_dram_get_info(core->memory, &info) == WL_DRAM_OK);
    CHECK(info.line_bytes == 64 && info.clock_ps > 100 && info.clock_ps < 1000);
    CHECK(wl_dram_next_event(core->memory) == UINT64_MAX);

    uint64_t random = 42, full = 0;
    for (uint64_t id = 0; id < REQUESTS;) {
        uint64_t drawn = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t address = (drawn >> 20) % info.bytes / 64 * 64;
        int32_t is_write = (drawn >> 60) % 3 == 0;
        int32_t accepts = wl_dram_can_accept(core->memory, address, is_write);
        if (accepts == 1) {
            core->pushed[id] = is_write ? 2 : 1;
            CHECK(wl_dram_push(core->memory, address, is_write, id) == WL_DRAM_OK);
            id += 1;
            random = drawn;
            continue;
        }
        CHECK(accepts == 0);
        CHECK(wl_dram_push(core->memory, address, is_write, id) == WL_DRAM_FULL);
        CHECK(strstr(wl_dram_message(), "full") != NULL);
        full += 1;
        if (by_event) {
            uint64_t next = wl_dram_next_event(core->memory);
            CHECK(next > wl_dram_now(core->memory) && next != UINT64_MAX);
            CHECK(wl_dram_run_until(core->memory, next) == WL_DRAM_OK);
        } else {
            CHECK(wl_dram_tick(core->memory) == WL_DRAM_OK);
        }
    }
    CHECK(full > 0);
    while (core->told < core->next_id) {
        CHECK(wl_dram_drain(core->memory) == WL_DRAM_OK);
    }

    wl_dram_stats stats;
    stats.size = sizeof stats;
    CHECK(wl_dram_get_stats(core->memory, &stats) == WL_DRAM_OK);
    CHECK(stats.reads + stats.writes == core->told);
    CHECK(stats.row_hits + stats.row_misses + stats.row_conflicts + stats.forwarded + stats.merged == core->told);
    CHECK(stats.time_ps == wl_dram_now(core->memory));
    CHECK(stats.read_latency_seconds > 20e-9 && stats.energy_joules > 0);
    double waits = 0;
    for (int cause = 0; cause < WL_DRAM_CAUSES; cause += 1) {
        waits += stats.read_wait_seconds[cause];
    }
    CHECK(waits > 0 && waits < stats.read_latency_seconds * (double)stats.reads);

    uint64_t sum = core->sum;
    CHECK(wl_dram_free(core->memory) == WL_DRAM_OK);
    free(core);
    return sum;
}

static void count(void *user, uint64_t id, int32_t is_write, uint64_t time_ps)
{
    (void)id, (void)is_write, (void)time_ps;
    *(uint64_t *)user += 1;
}

struct freer {
    wl_dram *memory;
    uint64_t told;
};

static void free_it(void *user, uint64_t id, int32_t is_write, uint64_t time_ps)
{
    struct freer *freer = (struct freer *)user;
    (void)id, (void)is_write, (void)time_ps;
    freer->told += 1;
    CHECK(wl_dram_free(freer->memory) == WL_DRAM_OK);
}

static void refuses(const char *target)
{
    uint64_t told = 0;
    wl_dram *memory = (wl_dram *)&told;
    CHECK(wl_dram_create(NULL, NULL) == WL_DRAM_BAD_ARGUMENT);
    CHECK(wl_dram_create(NULL, &memory) == WL_DRAM_BAD_ARGUMENT && memory == NULL);

    wl_dram_options good = options_for(target, NULL), bad;
    good.complete = count;
    good.user = &told;
    CHECK(wl_dram_create(&good, NULL) == WL_DRAM_BAD_ARGUMENT);
    bad = good, bad.size = 8;
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_ARGUMENT && memory == NULL);
    CHECK(strstr(wl_dram_message(), "sizeof(wl_dram_options)") != NULL);
    bad = good, bad.abi = WL_DRAM_ABI + 1;
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_ARGUMENT);
    bad = good, bad.target = NULL;
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_ARGUMENT);
    bad = good, bad.target = "\xff";
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_ARGUMENT);
    bad = good, bad.target = "no-module@no-system";
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_TARGET);
    CHECK(strstr(wl_dram_message(), "no-module") != NULL);
    bad = good, bad.settings = "refresh=never";
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_TARGET);
    bad = good, bad.backlog = UINT64_MAX;
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_ARGUMENT);
    CHECK(strstr(wl_dram_message(), "options.backlog") != NULL);
    bad = good, bad.catalog = "/nowhere/at/all";
    CHECK(wl_dram_create(&bad, &memory) == WL_DRAM_BAD_TARGET && memory == NULL);

    /* A newer caller has more options than this library knows. */
    struct { wl_dram_options known; uint64_t more[4]; } newer;
    memset(&newer, 0, sizeof newer);
    newer.known = good;
    newer.known.size = sizeof newer;
    CHECK(wl_dram_create(&newer.known, &memory) == WL_DRAM_OK);

    wl_dram_info info;
    info.size = sizeof info;
    CHECK(wl_dram_get_info(memory, &info) == WL_DRAM_OK);
    CHECK(wl_dram_get_info(memory, NULL) == WL_DRAM_BAD_ARGUMENT);
    CHECK(info.size == sizeof info);
    info.size = 8;
    CHECK(wl_dram_get_info(memory, &info) == WL_DRAM_BAD_ARGUMENT);

    /* The size that comes back says how much of a newer caller's struct was filled in. */
    struct { wl_dram_stats known; uint64_t more[4]; } wide;
    memset(&wide, 0xff, sizeof wide);
    wide.known.size = sizeof wide;
    CHECK(wl_dram_get_stats(memory, &wide.known) == WL_DRAM_OK);
    CHECK(wide.known.size == sizeof wide.known && wide.more[0] == UINT64_MAX);

    /* A value with commas stands on a line of its own. */
    wl_dram *hashed = NULL;
    bad = good, bad.settings = "age_cap=64\nhash=low group bank pseudo-channel\n";
    CHECK(wl_dram_create(&bad, &hashed) == WL_DRAM_OK && wl_dram_free(hashed) == WL_DRAM_OK);
    bad = good, bad.settings = "link_delay=20 ns";
    CHECK(wl_dram_create(&bad, &hashed) == WL_DRAM_BAD_TARGET);
    CHECK(strstr(wl_dram_message(), "link_delay") != NULL);
    CHECK(wl_dram_push(memory, info.bytes, 0, 1) == WL_DRAM_BAD_ADDRESS);
    CHECK(wl_dram_push(memory, UINT64_MAX, 1, 1) == WL_DRAM_BAD_ADDRESS);
    CHECK(wl_dram_push(memory, 63, 0, 1) == WL_DRAM_BAD_ADDRESS);
    CHECK(wl_dram_can_accept(memory, 63, 0) == -1);
    CHECK(wl_dram_run_until(memory, 1000) == WL_DRAM_OK);
    CHECK(wl_dram_run_until(memory, 999) == WL_DRAM_BAD_TIME);
    CHECK(wl_dram_run_until(memory, UINT64_MAX) == WL_DRAM_BAD_TIME);
    CHECK(wl_dram_now(memory) == 1000);

    /* Several at once: up to the one that is bad, and nothing of what is missing. */
    wl_dram_request requests[2] = {{128, 8, 0}, {63, 9, 0}};
    wl_dram_completion completions[2];
    uint64_t count = 9;
    CHECK(wl_dram_push_many(memory, NULL, 1, &count) == WL_DRAM_BAD_ARGUMENT);
    CHECK(wl_dram_push_many(memory, requests, 1, NULL) == WL_DRAM_BAD_ARGUMENT);
    CHECK(wl_dram_push_many(memory, NULL, 0, &count) == WL_DRAM_OK && count == 0);
    CHECK(wl_dram_push_many(memory, requests, 2, &count) == WL_DRAM_BAD_ADDRESS && count == 1);
    CHECK(wl_dram_step(memory, 999, NULL, 0, NULL) == WL_DRAM_BAD_TIME);
    CHECK(wl_dram_step(memory, UINT64_MAX, completions, 2, NULL) == WL_DRAM_BAD_ARGUMENT);
    CHECK(wl_dram_step(memory, UINT64_MAX, completions, 2, &count) == WL_DRAM_OK && count == 1);
    CHECK(completions[0].id == 8 && completions[0].time_ps + 1 == wl_dram_now(memory));
    uint64_t stays = wl_dram_now(memory);
    CHECK(wl_dram_step(memory, UINT64_MAX, completions, 2, &count) == WL_DRAM_OK && count == 0);
    CHECK(wl_dram_now(memory) == stays && told == 0);
    CHECK(wl_dram_reset_stats(memory) == WL_DRAM_OK);

    wl_dram_stats stats;
    memset(&stats, 0xAA, sizeof stats);
    stats.size = sizeof stats;
    CHECK(wl_dram_push(memory, 0, 0, 7) == WL_DRAM_OK);
    CHECK(wl_dram_drain(memory) == WL_DRAM_OK && told == 1);
    CHECK(wl_dram_get_stats(memory, &stats) == WL_DRAM_OK && stats.reads == 1);
    CHECK(wl_dram_reset_stats(memory) == WL_DRAM_OK);
    CHECK(wl_dram_get_stats(memory, &stats) == WL_DRAM_OK && stats.reads == 0 && stats.time_ps == 0);
    CHECK(wl_dram_get_stats(memory, NULL) == WL_DRAM_BAD_ARGUMENT);

    /* Handles that are none: NULL, an address, a number next to a good one, one that was freed. */
    CHECK(wl_dram_free(memory) == WL_DRAM_OK);
    wl_dram *handles[4];
    handles[0] = NULL;
    handles[1] = (wl_dram *)&told;
    handles[2] = (wl_dram *)((uintptr_t)memory + 1);
    handles[3] = memory;
    for (int each = 0; each < 4; each += 1) {
        wl_dram *none = handles[each];
        CHECK(wl_dram_get_info(none, &info) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_can_accept(none, 0, 0) == -1);
        CHECK(wl_dram_push(none, 0, 0, 0) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_push_many(none, requests, 1, &count) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_step(none, 0, completions, 2, &count) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_tick(none) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_run_until(none, 0) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_drain(none) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_now(none) == 0 && wl_dram_next_event(none) == UINT64_MAX);
        CHECK(wl_dram_get_stats(none, &stats) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_reset_stats(none) == WL_DRAM_BAD_HANDLE);
        CHECK(wl_dram_free(none) == (none == NULL ? WL_DRAM_OK : WL_DRAM_BAD_HANDLE));
    }

    /* Freed from within its own callback: nothing more is told. */
    struct freer freer = {NULL, 0};
    good.complete = free_it;
    good.user = &freer;
    CHECK(wl_dram_create(&good, &freer.memory) == WL_DRAM_OK);
    CHECK(wl_dram_push(freer.memory, 0, 0, 1) == WL_DRAM_OK);
    CHECK(wl_dram_push(freer.memory, 64, 0, 2) == WL_DRAM_OK);
    CHECK(wl_dram_drain(freer.memory) == WL_DRAM_OK && freer.told == 1);
    CHECK(wl_dram_tick(freer.memory) == WL_DRAM_BAD_HANDLE);

    /* Without a callback nobody is told, and nothing is lost. */
    good.complete = NULL;
    CHECK(wl_dram_create(&good, &memory) == WL_DRAM_OK);
    CHECK(wl_dram_push(memory, 0, 1, 1) == WL_DRAM_OK && wl_dram_drain(memory) == WL_DRAM_OK);
    CHECK(wl_dram_free(memory) == WL_DRAM_OK);
}

int main(void)
{
    CHECK(wl_dram_abi() == WL_DRAM_ABI);
    CHECK(wl_dram_message()[0] == '\0');
    const char *targets[] = {"rdimm-6400-2rx8-32g@bench-1ch", "mrdimm-8800-2rx4-64g@bench-1ch"};
    for (int each = 0; each < 2; each += 1) {
        uint64_t by_clock = stream(targets[each], 0, 0);
        CHECK(by_clock == stream(targets[each], 0, 0));
        CHECK(by_clock == stream(targets[each], 1, 0));
        CHECK(by_clock != stream(targets[each], 1, 100));
    }
    refuses(targets[0]);
    return 0;
}
