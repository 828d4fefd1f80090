/* What the programs that drive memories share. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_memory.h"

#define CHECK(what)                                                                                  \
    do {                                                                                             \
        if (!(what)) {                                                                               \
            fprintf(stderr, "%s:%d: %s\n%s\n", __FILE__, __LINE__, #what, wl_memory_message());      \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)
#define OK(call) CHECK((call) == WL_MEMORY_OK)
#define IS(status, call) CHECK((call) == WL_MEMORY_##status)

static inline wl_memory_options options_for(const char *target)
{
    wl_memory_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target;
    return options;
}

static inline wl_memory *made_with(const wl_memory_options *options)
{
    wl_memory *memory = NULL;
    OK(wl_memory_create(options, &memory));
    CHECK(memory != NULL);
    return memory;
}

static inline wl_memory *made(const char *target)
{
    wl_memory_options options = options_for(target);
    return made_with(&options);
}

static inline wl_memory *forked(const wl_memory *memory)
{
    wl_memory *fork = NULL;
    OK(wl_memory_fork(memory, &fork));
    return fork;
}

static inline wl_memory_info info_of(const wl_memory *memory)
{
    wl_memory_info info;
    info.size = sizeof info;
    OK(wl_memory_get_info(memory, &info));
    return info;
}

static inline wl_memory_stats stats_of(const wl_memory *memory)
{
    wl_memory_stats stats;
    stats.size = sizeof stats;
    OK(wl_memory_get_stats(memory, &stats));
    return stats;
}

static inline wl_memory_cut cut_of(uint64_t operations, uint64_t tear, uint64_t seed)
{
    wl_memory_cut cut;
    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = operations;
    cut.tear = tear;
    cut.seed = seed;
    return cut;
}

static inline wl_memory_ideal ideal_of(uint64_t kind, uint64_t read, uint64_t write, uint64_t erase, uint64_t blocks)
{
    wl_memory_ideal ideal;
    memset(&ideal, 0, sizeof ideal);
    ideal.size = sizeof ideal;
    ideal.abi = WL_MEMORY_ABI;
    ideal.kind = kind;
    ideal.read_bytes = read;
    ideal.write_bytes = write;
    ideal.erase_bytes = erase;
    ideal.blocks = blocks;
    return ideal;
}

static inline wl_memory *made_ideal(const wl_memory_ideal *ideal)
{
    wl_memory *memory = NULL;
    OK(wl_memory_create_ideal(ideal, &memory));
    CHECK(memory != NULL);
    return memory;
}

/* Whether bytes all have one value. */
static inline int all(const void *bytes, size_t count, unsigned char value)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    while (count--) {
        if (*byte++ != value) return 0;
    }
    return 1;
}

#endif
