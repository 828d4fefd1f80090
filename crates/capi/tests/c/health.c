/* Wears two blocks, asks how worn they are, and prints each answer: the test holds them against `wordline wear`. */
#include <math.h>

#include "checks.h"

/* The two weakest of the first 300 blocks of this part and seed. */
#define FIRST 215u
#define SECOND 233u

static void told(const wl_memory *memory, uint32_t block)
{
    wl_memory_health health;
    health.size = sizeof health;
    OK(wl_memory_get_health(memory, block, &health));
    CHECK(health.size == sizeof health);
    printf("%u %llu %llu %llu %llu %llu %llu %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", (unsigned)block,
           (unsigned long long)health.verdict, (unsigned long long)health.reason, (unsigned long long)health.cycles,
           (unsigned long long)health.operation, (unsigned long long)health.failed_blocks,
           (unsigned long long)health.beyond, health.latency_ratio, health.used_low, health.used, health.used_high,
           health.left_low, health.left, health.left_high);
}

/* Cycles a block until it has seen so many cycles, or fails: one page of zeros, then the erase. */
static int cycled(wl_memory *memory, uint32_t block, uint64_t cycles)
{
    static unsigned char zeros[1 << 14];
    wl_memory_info info = info_of(memory);
    uint64_t seen;
    CHECK(info.page_bytes <= sizeof zeros);
    for (;;) {
        wl_memory_status status;
        OK(wl_memory_get_cycles(memory, block, &seen));
        if (seen >= cycles) return 1;
        status = wl_memory_program_page(memory, block * (uint32_t)info.pages_per_block, 0, zeros, (uint32_t)info.page_bytes);
        if (status == WL_MEMORY_OK) status = wl_memory_erase(memory, block);
        if (status == WL_MEMORY_PROGRAM_FAILED || status == WL_MEMORY_ERASE_FAILED) return 0;
        OK(status);
    }
}

int main(void)
{
    static const uint64_t looks[] = {1, 300, 1200, 3000, 9300, 12000};
    wl_memory_options options = options_for("mt29f32g08qaa");
    wl_memory_health health;
    wl_memory *memory, *snapshot, *plain;
    size_t i;

    options.seed = 11;
    options.ageing = 1;
    options.celsius = 25;
    memory = made_with(&options);
    told(memory, FIRST);
    for (i = 0; i < sizeof looks / sizeof *looks; i++) {
        CHECK(cycled(memory, FIRST, looks[i]));
        told(memory, FIRST);
    }
    snapshot = forked(memory);
    CHECK(!cycled(memory, FIRST, 20000));
    told(memory, FIRST);
    CHECK(cycled(memory, SECOND, 12000));
    told(memory, SECOND);
    /* A snapshot knows what was known then. */
    told(snapshot, FIRST);
    /* A block of which nothing is known, and one that is first seen late. */
    told(memory, 0);
    OK(wl_memory_set_cycles(memory, 1, 5000));
    CHECK(cycled(memory, 1, 5003));
    told(memory, 1);
    /* One that is made younger again starts afresh. */
    OK(wl_memory_set_cycles(memory, 1, 10));
    health.size = sizeof health;
    OK(wl_memory_get_health(memory, 1, &health));
    CHECK(health.cycles == 10 && health.reason == WL_MEMORY_HEALTH_MISSING);

    health.size = sizeof health;
    IS(OUT_OF_RANGE, wl_memory_get_health(memory, 4096u * 4096u, &health));
    IS(BAD_ARGUMENT, wl_memory_get_health(memory, 0, NULL));
    health.size = 8;
    IS(BAD_ARGUMENT, wl_memory_get_health(memory, 0, &health));
    IS(BAD_HANDLE, wl_memory_get_health(NULL, 0, &health));
    OK(wl_memory_free(memory));
    OK(wl_memory_free(snapshot));

    /* Without ageing no latency shows wear; of bytes there are no blocks. */
    health.size = sizeof health;
    plain = made("mt29f32g08qaa");
    IS(UNSUPPORTED, wl_memory_get_health(plain, 0, &health));
    OK(wl_memory_set_environment(plain, 25, 0));
    OK(wl_memory_get_health(plain, 0, &health));
    CHECK(health.verdict == WL_MEMORY_HEALTH_UNKNOWN && health.reason == WL_MEMORY_HEALTH_MISSING && isnan(health.used));
    OK(wl_memory_free(plain));
    plain = made("em064lx");
    IS(UNSUPPORTED, wl_memory_get_health(plain, 0, &health));
    OK(wl_memory_free(plain));
    return 0;
}
