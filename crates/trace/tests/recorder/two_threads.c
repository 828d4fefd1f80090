/* One thread records, another drains: what the header promises of its ring. Every access lasts as many cycles as
 * its offset says, so that a torn record shows. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "wordline_recorder.h"

#define RECORDS 200000u

static wlr_recorder rec;
static uint32_t ring[256];
static volatile uint32_t done;

static void *produce(void *nothing)
{
    uint64_t now = 0xFFFFFF00u;
    uint32_t i;
    (void)nothing;
    for (i = 0; i < RECORDS; i++) {
        uint64_t begun = wlr_begin(&rec, now);
        now += i % 977u;
        (void)wlr_end_at(&rec, begun, now, i & 1u, i % 5000u, i % 977u);
        if (i % 64u == 0u) {
            (void)sched_yield();
        }
    }
    WLR_STORE(&done, 1u);
    return NULL;
}

int main(void)
{
    pthread_t producer;
    bool last = false;
    if (!wlr_init(&rec, ring, sizeof ring, 100000000u, 32u) ||
        pthread_create(&producer, NULL, produce, NULL) != 0) {
        return 2;
    }
    while (!last) {
        uint8_t out[100];
        size_t length;
        last = WLR_LOAD(&done) != 0u;
        while ((length = wlr_drain(&rec, out, sizeof out)) > 0) {
            fwrite(out, 1, length, stdout);
        }
    }
    return pthread_join(producer, NULL);
}
