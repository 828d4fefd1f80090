/* Brings requests as a simulator does, and prints what it pushed when, what was done when, and what was counted, for the
 * test to compare with the library. */
#include <inttypes.h>
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

#define BATCH 24u
#define ROOM 3u

static uint64_t state, told, last_ps;
static wl_dram *memory;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 24) % below;
}

static void done(void *user, uint64_t id, int32_t is_write, uint64_t time_ps)
{
    (void)user;
    CHECK(time_ps >= last_ps && time_ps < wl_dram_now(memory));
    last_ps = time_ps;
    told += 1;
    printf("done %" PRIu64 " %d %" PRIu64 "\n", id, (int)is_write, time_ps);
}

static void pushed(const wl_dram_request *request)
{
    printf("push %" PRIu64 " %d %" PRIu64 " %" PRIu64 "\n", request->id, (int)request->is_write, request->address,
           wl_dram_now(memory));
}

/* Pushes what there is room for; how many are left. */
static uint64_t push(wl_dram_request *batch, uint64_t count, int by_many)
{
    uint64_t taken = 0, each;
    if (by_many) {
        CHECK(wl_dram_push_many(memory, batch, count, &taken) == WL_DRAM_OK && taken <= count);
    } else {
        while (taken < count && wl_dram_can_accept(memory, batch[taken].address, batch[taken].is_write) == 1) {
            CHECK(wl_dram_push(memory, batch[taken].address, batch[taken].is_write, batch[taken].id) == WL_DRAM_OK);
            taken += 1;
        }
    }
    for (each = 0; each < taken; each += 1) pushed(&batch[each]);
    if (taken < count) {
        CHECK(wl_dram_can_accept(memory, batch[taken].address, batch[taken].is_write) == 0);
    }
    memmove(batch, batch + taken, (count - taken) * sizeof batch[0]);
    return count - taken;
}

/* One event, with less room than may be needed. */
static void step(uint64_t limit_ps)
{
    wl_dram_completion completions[ROOM];
    uint64_t count, each;
    do {
        CHECK(wl_dram_step(memory, limit_ps, completions, ROOM, &count) == WL_DRAM_OK && count <= ROOM);
        for (each = 0; each < count; each += 1) {
            done(NULL, completions[each].id, completions[each].is_write, completions[each].time_ps);
            /* One event is one time. */
            CHECK(completions[each].time_ps + 1 == wl_dram_now(memory));
        }
    } while (count == ROOM);
}

int main(int words, char **word)
{
    wl_dram_request batch[BATCH];
    wl_dram_options options;
    wl_dram_info info;
    wl_dram_stats stats;
    uint64_t requests, gap_ps, waiting = 0, next = 0, at_ps = 0;
    char how;
    CHECK(words == 8);
    how = word[3][0];
    state = strtoull(word[4], NULL, 10);
    requests = strtoull(word[5], NULL, 10);
    gap_ps = strtoull(word[6], NULL, 10);
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_DRAM_ABI;
    options.target = word[1];
    options.settings = word[2];
    options.backlog = strtoull(word[7], NULL, 10);
    options.complete = how == 'a' ? NULL : done;
    CHECK(wl_dram_create(&options, &memory) == WL_DRAM_OK);
    info.size = sizeof info;
    CHECK(wl_dram_get_info(memory, &info) == WL_DRAM_OK);
    while (next < requests || waiting > 0) {
        uint64_t limit_ps, event;
        /* A core issues in bursts, at times of its own. */
        if (waiting == 0 && wl_dram_now(memory) >= at_ps) {
            uint64_t burst = 1 + draw(BATCH);
            for (; burst > 0 && next < requests; burst -= 1, next += 1, waiting += 1) {
                memset(&batch[waiting], 0, sizeof batch[0]);
                /* Few lines, so that write queues answer reads and take writes twice. */
                batch[waiting].address = draw(4) == 0 ? draw(16) * 64 : draw(info.bytes / 64) * 64;
                batch[waiting].id = next;
                batch[waiting].is_write = draw(3) == 0;
            }
            at_ps = wl_dram_now(memory) + draw(gap_ps);
        }
        waiting = push(batch, waiting, how != 'c');
        limit_ps = waiting > 0 || next == requests ? UINT64_MAX : at_ps;
        if (limit_ps < wl_dram_now(memory)) limit_ps = wl_dram_now(memory);
        event = wl_dram_next_event(memory);
        switch (how) {
        case 'a': /* arrays */
            step(limit_ps);
            break;
        case 'b': /* callbacks, one after the other */
            CHECK(wl_dram_step(memory, limit_ps, NULL, 0, NULL) == WL_DRAM_OK);
            break;
        case 'c': /* a clock */
            CHECK(wl_dram_tick(memory) == WL_DRAM_OK);
            break;
        default: /* an event queue of its own: a time before which nothing is done */
            if (event > limit_ps) event = limit_ps;
            if (event == UINT64_MAX) break;
            if (event > wl_dram_now(memory) + 1) {
                uint64_t before = told;
                CHECK(wl_dram_run_until(memory, event - 1) == WL_DRAM_OK && told == before);
            }
            CHECK(wl_dram_run_until(memory, event) == WL_DRAM_OK);
        }
    }
    printf("drain %" PRIu64 "\n", wl_dram_now(memory));
    CHECK(wl_dram_drain(memory) == WL_DRAM_OK);
    if (how == 'a') {
        /* All that the drain did is there to be taken. */
        wl_dram_completion completions[ROOM];
        uint64_t count, each;
        do {
            CHECK(wl_dram_step(memory, wl_dram_now(memory), completions, ROOM, &count) == WL_DRAM_OK);
            for (each = 0; each < count; each += 1) {
                done(NULL, completions[each].id, completions[each].is_write, completions[each].time_ps);
            }
        } while (count > 0);
    }
    CHECK(told == requests);
    /* Long enough for sub-channels that have nothing to do to be left behind. */
    CHECK(wl_dram_run_until(memory, wl_dram_now(memory) + 1000000000) == WL_DRAM_OK);
    stats.size = sizeof stats;
    CHECK(wl_dram_get_stats(memory, &stats) == WL_DRAM_OK);
    printf("end %" PRIu64 "\n", wl_dram_now(memory));
    printf("counts %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
           "\n",
           stats.reads, stats.writes, stats.forwarded, stats.merged, stats.row_hits, stats.row_misses,
           stats.row_conflicts, stats.activates, stats.refreshes);
    CHECK(wl_dram_free(memory) == WL_DRAM_OK);
    return 0;
}
