/*
 * A DDR5 memory for simulators of processors: RDIMM and MRDIMM at command level.
 *
 *   wl_dram_options options = {0};
 *   options.size = sizeof options;
 *   options.abi = WL_DRAM_ABI;
 *   options.target = "mrdimm-8800-2rx4-64g@xeon6-1s";
 *   options.complete = on_complete;
 *   options.user = my_core;
 *   wl_dram *memory;
 *   if (wl_dram_create(&options, &memory) != WL_DRAM_OK) puts(wl_dram_message());
 *   ...
 *   wl_dram_push_many(memory, requests, count, &taken);
 *   wl_dram_step(memory, my_next_event_ps, NULL, 0, NULL);
 *   ...
 *   wl_dram_free(memory);
 *
 * wl_dram_step goes to the next event: a request is done, or a queue that was full has room. A simulator that has a
 * clock of its own calls wl_dram_tick or wl_dram_run_until instead; what happens is the same, clock for clock.
 *
 * Times are picoseconds since creation. Addresses are physical, multiples of 64; a request moves 64 bytes. The same
 * calls give the same answers, bit for bit.
 *
 * A memory belongs to one thread at a time; several memories may run on several threads. A handle that is NULL, freed
 * or made up is refused with WL_DRAM_BAD_HANDLE. All other pointers have to be what they say. Link with
 * -lwordline_capi -lpthread -ldl -lm.
 */
#ifndef WORDLINE_DRAM_H
#define WORDLINE_DRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. It changes when a caller that was compiled with an older header would be wrong. Structs
 * grow at their end without a new version: their first member tells how long the caller's are. */
#define WL_DRAM_ABI 1

/* Causes of waits, see wl_dram_stats. */
#define WL_DRAM_CAUSES 10

/* A memory. */
typedef struct wl_dram wl_dram;

/* What became of a call. wl_dram_message tells more. */
typedef int32_t wl_dram_status;
enum {
    WL_DRAM_OK = 0,
    WL_DRAM_BAD_ARGUMENT = 1, /* a pointer is NULL, a text no UTF-8, a struct too short, another ABI */
    WL_DRAM_BAD_HANDLE = 2,   /* NULL, freed, or never made */
    WL_DRAM_BAD_TARGET = 3,   /* no such module, system or setting, or they do not fit */
    WL_DRAM_BAD_ADDRESS = 4,  /* unaligned, or beyond the memory */
    WL_DRAM_FULL = 5,         /* the controller's queue has no room: run on, and push again */
    WL_DRAM_BAD_TIME = 6,     /* it lies in the past, or more than 1000 s ahead */
    WL_DRAM_BUSY = 7,         /* completions are being told: only push, can_accept and read-outs are possible */
    WL_DRAM_INTERNAL = 8      /* a fault of this library; the memory cannot be used any more */
};

/* A request is done: the data of a read have reached the controller, or the controller has accepted a write. time_ps
 * is when, and lies before the time that the memory has been run to. Called by step, tick, run_until and drain in the
 * order of times. It may push; it must not throw or jump out. After wl_dram_free it is not called any more. */
typedef void (*wl_dram_complete)(void *user, uint64_t id, int32_t is_write, uint64_t time_ps);

/* A request for wl_dram_push_many. */
typedef struct wl_dram_request {
    uint64_t address;
    uint64_t id;      /* comes back with the completion */
    int32_t is_write; /* 0: a read */
} wl_dram_request;

/* A request that is done, from wl_dram_step: as wl_dram_complete has it. */
typedef struct wl_dram_completion {
    uint64_t id;
    uint64_t time_ps;
    int32_t is_write; /* 1 or 0 */
} wl_dram_completion;

/* How a memory is made. Set everything to 0 first. */
typedef struct wl_dram_options {
    uint64_t size;             /* sizeof(wl_dram_options) */
    uint64_t abi;              /* WL_DRAM_ABI */
    const char *target;        /* MODULE@SYSTEM: `wordline part list` names them */
    const char *settings;      /* NAME=VALUE, separated by commas, or where the text has a line end by line ends: a value
                                  may then have commas, as a hash does. NULL: none. `wordline part show TARGET` lists them */
    const char *catalog;       /* a folder of sheets of your own; NULL: none */
    wl_dram_complete complete; /* NULL: completions are taken with wl_dram_step, or not at all */
    void *user;                /* handed to complete */
    uint64_t backlog;          /* requests that may wait in front of each full queue, up to 2^20; 0: none, it is refused.
                                  The wait counts as one for the queue; a write there is not accepted yet */
} wl_dram_options;

/* What a memory is. */
typedef struct wl_dram_info {
    uint64_t size;                /* sizeof(wl_dram_info), set by the caller; then how many bytes were filled in */
    uint64_t bytes;               /* of memory */
    uint64_t line_bytes;          /* of a request: 64 */
    uint64_t channels;            /* memory channels */
    uint64_t sub_channels;        /* of a channel */
    uint64_t pseudo_channels;     /* of a sub-channel */
    uint64_t read_queue;          /* entries of one read queue */
    uint64_t write_queue;         /* entries of one write queue */
    double clock_ps;              /* period of the DRAM's clock, in ps: what a tick is */
    double peak_bytes_per_second; /* of all data buses together */
} wl_dram_info;

/* What a memory did since it was made, or since wl_dram_reset_stats. */
typedef struct wl_dram_stats {
    uint64_t size;               /* sizeof(wl_dram_stats), set by the caller; then as above */
    uint64_t time_ps;            /* how long it ran */
    uint64_t reads;              /* served, the forwarded ones among them */
    uint64_t writes;             /* served, the merged ones among them */
    uint64_t forwarded;          /* reads that found their line in the write queue */
    uint64_t merged;             /* writes to a line that was in the write queue already */
    uint64_t row_hits;           /* reads and writes whose row was open */
    uint64_t row_misses;         /* whose bank was closed */
    uint64_t row_conflicts;      /* whose bank had another row open */
    uint64_t activates;          /* ACT commands */
    uint64_t refreshes;          /* REFab and REFsb commands */
    double read_latency_seconds; /* mean, from arrival at the controller to the last beat, the module's delay included
                                    where data came from it; 0 without reads */
    double energy_joules;        /* of DRAM and module, by the target's first set of currents */
    double read_wait_seconds[WL_DRAM_CAUSES]; /* what all reads together waited, by cause: queue, drain, refresh, bank,
                                                 activate, activation rate, bus, turnaround, power-down, order */
} wl_dram_stats;

/* WL_DRAM_ABI of the library, which may be newer than the header. */
uint32_t wl_dram_abi(void);

/* Why the last call of this thread that failed did: a line of text, "" if none has. It lasts until the next failure of
 * the thread. */
const char *wl_dram_message(void);

/* Makes a memory, idle at time 0. *memory is NULL if that fails. */
wl_dram_status wl_dram_create(const wl_dram_options *options, wl_dram **memory);

/* Frees a memory. NULL is nothing to be freed, and all right. */
wl_dram_status wl_dram_free(wl_dram *memory);

/* What the memory is. */
wl_dram_status wl_dram_get_info(const wl_dram *memory, wl_dram_info *info);

/* Whether the queue that the request would go to has room: 1 or 0. -1 if the handle or the address is bad. */
int32_t wl_dram_can_accept(const wl_dram *memory, uint64_t address, int32_t is_write);

/* Takes a request that reaches its controller now, at the first clock edge. id comes back with its completion. */
wl_dram_status wl_dram_push(wl_dram *memory, uint64_t address, int32_t is_write, uint64_t id);

/* Takes requests as wl_dram_push does, in their order, up to the first whose queue has no room. *taken is how many it
 * took; fewer than count is no failure. After WL_DRAM_BAD_ADDRESS it is the number of the request that is bad. */
wl_dram_status wl_dram_push_many(wl_dram *memory, const wl_dram_request *requests, uint64_t count, uint64_t *taken);

/* Runs to the next event, or to limit_ps where none comes before. An event is a time by which a request is done, or a
 * queue that was full has room; it is `now` then. UINT64_MAX is no limit: without an event to come, nothing happens.
 *
 * What is done is stored in done[0] to done[*count - 1], in the order of times; what exceeds `room` comes with the next
 * step, which stays at the same time. With done = NULL, `complete` is called instead, and count may be NULL. */
wl_dram_status wl_dram_step(wl_dram *memory, uint64_t limit_ps, wl_dram_completion *done, uint64_t room,
                            uint64_t *count);

/* Runs to the next clock edge of the DRAM. */
wl_dram_status wl_dram_tick(wl_dram *memory);

/* Does everything that happens before a time, which is `now` then. Far cheaper than as many ticks. Without `complete`,
 * what was done by tick, run_until or drain can be taken with wl_dram_step until the next of them. */
wl_dram_status wl_dram_run_until(wl_dram *memory, uint64_t time_ps);

/* Runs until every request is done, with no writes kept back. */
wl_dram_status wl_dram_drain(wl_dram *memory);

/* The time that the memory was run to; 0 if the handle is bad. */
uint64_t wl_dram_now(const wl_dram *memory);

/* A time to run to next: before it, nothing is completed and no queue that is full gets room, unless something is
 * pushed. It may come before anything happens. UINT64_MAX if nothing is under way, or if the handle is bad. */
uint64_t wl_dram_next_event(const wl_dram *memory);

/* What the memory did. */
wl_dram_status wl_dram_get_stats(const wl_dram *memory, wl_dram_stats *stats);

/* Begins to count again. */
wl_dram_status wl_dram_reset_stats(wl_dram *memory);

#ifdef __cplusplus
}
#endif

#endif
