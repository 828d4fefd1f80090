/* What a caller should not do, and what an author of tests might try: pointers that are NULL, sizes and counts that no memory
 * has, handles that are gone, calls from within a listener, faults and cuts on top of each other. Every call returns a code
 * of the header, and the process goes on. The argument is a folder for files. */
#include <math.h>

#include "checks.h"

static const char *folder;

#define MOST UINT64_MAX
#define AGES "mt29f32g08qaa"

static wl_memory_fault fault_of(uint64_t kind, uint64_t at, uint64_t bytes)
{
    wl_memory_fault fault;
    memset(&fault, 0, sizeof fault);
    fault.size = sizeof fault;
    fault.kind = kind;
    fault.at = at;
    fault.bytes = bytes;
    return fault;
}

static wl_memory_health health_of(const wl_memory *memory, uint32_t block)
{
    wl_memory_health health;
    health.size = sizeof health;
    OK(wl_memory_get_health(memory, block, &health));
    CHECK(health.size == sizeof health);
    return health;
}

static wl_memory *ageing(uint64_t one_thread)
{
    wl_memory_options options = options_for(AGES);
    wl_memory *memory;
    options.seed = 11;
    options.ageing = 1;
    options.celsius = 25;
    options.one_thread = one_thread;
    options.dwell_s = -1;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    options.dwell_s = 0;
    options.factory_bad = WL_MEMORY_FACTORY_NONE;
    return made_with(&options);
}

static void cycle(wl_memory *memory, uint32_t block, int times)
{
    static const unsigned char zeros[1 << 14];
    wl_memory_info info = info_of(memory);
    CHECK(info.page_bytes <= sizeof zeros);
    while (times--) {
        OK(wl_memory_program_page(memory, block * (uint32_t)info.pages_per_block, 0, zeros, (uint32_t)info.page_bytes));
        OK(wl_memory_erase(memory, block));
    }
}

/* ---- Health ---- */

/* A failure that was injected is counted, and teaches nothing of wear; neither does one that a cut left. */
static void failures_that_are_no_wear(void)
{
    wl_memory *memory = ageing(0), *twin;
    wl_memory_info info = info_of(memory);
    wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, 0);
    wl_memory_health health, other;
    unsigned char byte = 0;
    uint32_t page = 5 * (uint32_t)info.pages_per_block;

    cycle(memory, 5, 400);
    cycle(memory, 6, 400);
    twin = forked(memory);
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_PROGRAM_ERROR));
    IS(PROGRAM_FAILED, wl_memory_program_page(memory, page, 0, &byte, 1));
    CHECK(strstr(wl_memory_message(), "wl_memory_add_fault") != NULL);
    IS(PROGRAM_FAILED, wl_memory_program_page(memory, page, 0, &byte, 1));
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_ERASE_ERROR));
    IS(ERASE_FAILED, wl_memory_erase(memory, 5));
    IS(ERASE_FAILED, wl_memory_erase_range(memory, 5 * info.block_bytes, info.block_bytes, 0));
    OK(wl_memory_start_erase(memory, 5 * info.block_bytes, info.block_bytes));
    IS(ERASE_FAILED, wl_memory_wait(memory));
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_GOOD));
    health = health_of(memory, 5);
    CHECK(health.verdict != WL_MEMORY_HEALTH_FAILED && health.injected_failures == 5 && health.cut_failures == 0);
    CHECK(health.cycles == 403);
    /* The erases that failed are cycles; what was learnt of latency is what the twin knows. */
    other = health_of(twin, 5);
    CHECK(health.verdict == other.verdict && health.reason == other.reason && other.injected_failures == 0);
    other = health_of(memory, 6);
    CHECK(other.failed_blocks == 0 && other.injected_failures == 0);
    /* One that is made younger keeps that count: it is none of wear. */
    OK(wl_memory_set_cycles(memory, 5, 10));
    CHECK(health_of(memory, 5).injected_failures == 5);
    OK(wl_memory_free(memory));

    memory = twin;
    cut.erase_leaves = WL_MEMORY_LEAVES_DEAD;
    OK(wl_memory_cut_power(memory, &cut));
    IS(POWER_LOST, wl_memory_erase(memory, 5));
    CHECK(health_of(memory, 5).cut_failures == 0);
    OK(wl_memory_power_up(memory));
    IS(PROGRAM_FAILED, wl_memory_program_page(memory, page, 0, &byte, 1));
    IS(ERASE_FAILED, wl_memory_erase(memory, 5));
    health = health_of(memory, 5);
    CHECK(health.verdict != WL_MEMORY_HEALTH_FAILED && health.cut_failures == 2 && health.injected_failures == 0);
    CHECK(health_of(memory, 6).failed_blocks == 0);
    OK(wl_memory_free(memory));
}

/* A caller that was compiled with an older header gets no byte more than it has room for. */
static void short_structs(void)
{
    wl_memory *memory = ageing(0);
    wl_memory_health health;
    uint64_t size;
    for (size = 0; size < sizeof health + 16; size++) {
        wl_memory_status status;
        memset(&health, 0xA5, sizeof health);
        health.size = size;
        status = wl_memory_get_health(memory, 0, &health);
        CHECK(status == (size < 112 ? WL_MEMORY_BAD_ARGUMENT : WL_MEMORY_OK));
        if (size < sizeof health) {
            uint64_t written = size < 112 ? 8 : size;
            CHECK(all((unsigned char *)&health + written, sizeof health - written, 0xA5));
        }
    }
    health.size = MOST;
    OK(wl_memory_get_health(memory, 0, &health));
    CHECK(health.size == sizeof health);
    OK(wl_memory_free(memory));
}

/* A call that is refused changes nothing: what is known of a block stays. */
static void refused_cycles(void)
{
    wl_memory_options options = options_for(AGES);
    wl_memory *memory;
    wl_memory_health before, after;
    options.ageing = 1;
    options.age = 0.1;
    memory = made_with(&options);
    cycle(memory, 0, 3);
    before = health_of(memory, 0);
    CHECK(before.reason != WL_MEMORY_HEALTH_MISSING);
    CHECK(wl_memory_set_cycles(memory, 0, 1) != WL_MEMORY_OK);
    after = health_of(memory, 0);
    CHECK(before.reason == after.reason && before.cycles == after.cycles && before.operation == after.operation);
    OK(wl_memory_free(memory));
}

/* ---- Traces ---- */

static size_t lines_of(const char *path, size_t *zeros)
{
    FILE *file = fopen(path, "rb");
    size_t lines = 0;
    int byte;
    CHECK(file != NULL);
    *zeros = 0;
    while ((byte = fgetc(file)) != EOF) {
        lines += byte == '\n';
        *zeros += byte == 0;
    }
    fclose(file);
    return lines;
}

static void traces(void)
{
    wl_memory *memory = made("mt25ql128");
    char path[4096], none[4200];
    unsigned char byte;
    size_t zeros;
    int i;
    snprintf(path, sizeof path, "%s/trace.csv", folder);
    snprintf(none, sizeof none, "%s/no such folder/trace.csv", folder);
    OK(wl_memory_trace_to(memory, path));
    OK(wl_memory_read(memory, 0, &byte, 1));
    IS(FILE, wl_memory_trace_to(memory, none));
    IS(FILE, wl_memory_trace_to(memory, folder));
    IS(BAD_ARGUMENT, wl_memory_trace_to(memory, "\xFF"));
    /* The earlier one goes on. */
    OK(wl_memory_read(memory, 0, &byte, 1));
    OK(wl_memory_trace_to(memory, NULL));
    CHECK(lines_of(path, &zeros) == 3 && zeros == 0);
    /* The same file again: it is replaced, and nothing of before comes after. */
    OK(wl_memory_trace_to(memory, path));
    for (i = 0; i < 100; i++) OK(wl_memory_read(memory, 0, &byte, 1));
    OK(wl_memory_trace_to(memory, path));
    OK(wl_memory_read(memory, 0, &byte, 1));
    OK(wl_memory_free(memory));
    CHECK(lines_of(path, &zeros) == 2 && zeros == 0);
}

/* ---- Reordered cuts beside faults ---- */

static void state_of(wl_memory *memory, uint32_t blocks, uint64_t *cycles, unsigned char *bytes)
{
    uint32_t block;
    for (block = 0; block < blocks; block++) {
        OK(wl_memory_get_cycles(memory, block, &cycles[block]));
        OK(wl_memory_peek(memory, block * 4096u, bytes + block * 64u, 64));
    }
}

/* Erases of empty blocks, programs, and a cut that may lose any of them. */
static void work(wl_memory *memory, uint64_t seed)
{
    wl_memory_cut cut = cut_of(9, WL_MEMORY_CUT_REORDERED, seed);
    unsigned char data[64];
    uint32_t step;
    memset(data, 0x3C, sizeof data);
    OK(wl_memory_cut_power(memory, &cut));
    for (step = 0; step < 8; step++) {
        if (step % 4 == 3) OK(wl_memory_program(memory, (step % 3) * 4096u, data, sizeof data));
        else OK(wl_memory_erase(memory, step % 3));
    }
    IS(POWER_LOST, wl_memory_erase(memory, 1));
}

/* A fault somewhere else changes nothing: an erase of an empty block is a cycle. */
static void a_fault_elsewhere(void)
{
    wl_memory *fresh = made("mt25ql128");
    uint64_t seed, counted = 0;
    for (seed = 0; seed < 60; seed++) {
        wl_memory *plain = forked(fresh), *other = forked(fresh);
        uint64_t one[3], two[3];
        unsigned char bytes[2][3 * 64];
        OK(wl_memory_set_fault(other, 900, WL_MEMORY_READ_ERROR));
        work(plain, seed);
        work(other, seed);
        state_of(plain, 3, one, bytes[0]);
        state_of(other, 3, two, bytes[1]);
        CHECK(memcmp(one, two, sizeof one) == 0 && memcmp(bytes[0], bytes[1], sizeof bytes[0]) == 0);
        counted += one[0] + one[1] + one[2];
        OK(wl_memory_free(plain));
        OK(wl_memory_free(other));
    }
    CHECK(counted > 100);
    OK(wl_memory_free(fresh));
}

/* An erase that a fault let come to nothing is a cycle where it came to the chip, and never erases. */
static void an_erase_without_effect(void)
{
    wl_memory *fresh = made("mt25ql128");
    unsigned char data[64], back[64];
    uint64_t seed, cycles, landed = 0;
    memset(data, 0x3C, sizeof data);
    OK(wl_memory_program(fresh, 0, data, sizeof data));
    OK(wl_memory_set_fault(fresh, 0, WL_MEMORY_ERASE_NOOP));
    for (seed = 0; seed < 60; seed++) {
        wl_memory *memory = forked(fresh);
        wl_memory_cut cut = cut_of(3, WL_MEMORY_CUT_REORDERED, seed);
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_erase(memory, 0));
        OK(wl_memory_erase(memory, 0));
        IS(POWER_LOST, wl_memory_erase(memory, 0));
        OK(wl_memory_get_cycles(memory, 0, &cycles));
        CHECK(cycles <= 3);
        landed += cycles;
        OK(wl_memory_peek(memory, 0, back, sizeof back));
        CHECK(memcmp(back, data, sizeof data) == 0);
        OK(wl_memory_free(memory));
        /* One that is torn is a cycle as well. */
        memory = forked(fresh);
        cut = cut_of(1, WL_MEMORY_CUT_TORN, seed);
        OK(wl_memory_cut_power(memory, &cut));
        IS(POWER_LOST, wl_memory_erase(memory, 0));
        OK(wl_memory_get_cycles(memory, 0, &cycles));
        OK(wl_memory_peek(memory, 0, back, sizeof back));
        CHECK(cycles == 1 && memcmp(back, data, sizeof data) == 0);
        OK(wl_memory_free(memory));
    }
    CHECK(landed > 30 && landed < 180);
    OK(wl_memory_free(fresh));
}

/* An erase of 16 blocks that fails in one of them has been done in the others: a cut does not take it back. */
static void an_erase_that_failed_in_part(void)
{
    wl_memory *fresh = made("mt25ql128");
    unsigned char data[64], back[64];
    uint64_t seed;
    memset(data, 0x3C, sizeof data);
    for (seed = 0; seed < 20; seed++) {
        wl_memory *memory = forked(fresh);
        wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_REORDERED, seed);
        cut.operations = 1000;
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_program(memory, 4096, data, sizeof data));
        OK(wl_memory_set_fault(memory, 3, WL_MEMORY_ERASE_ERROR));
        IS(ERASE_FAILED, wl_memory_erase_range(memory, 0, 65536, 65536));
        cut.operations = 0;
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_peek(memory, 4096, back, sizeof back));
        CHECK(all(back, sizeof back, 0xFF));
        OK(wl_memory_free(memory));
    }
    OK(wl_memory_free(fresh));
}

/* What is set beside the operations lasts, also where a cut takes operations of before. */
static void what_was_set_lasts(void)
{
    wl_memory *fresh = made("mt25ql128");
    unsigned char data[64], back[64];
    char path[4096];
    uint64_t seed, cycles;
    snprintf(path, sizeof path, "%s/image", folder);
    memset(data, 0x3C, sizeof data);
    OK(wl_memory_program(fresh, 8192, data, sizeof data));
    OK(wl_memory_save(fresh, path));
    for (seed = 0; seed < 20; seed++) {
        wl_memory *memory = forked(fresh);
        wl_memory_cut cut = cut_of(1000, WL_MEMORY_CUT_REORDERED, seed), now = cut_of(0, WL_MEMORY_CUT_REORDERED, seed);
        uint32_t block;
        OK(wl_memory_cut_power(memory, &cut));
        for (block = 0; block < 3; block++) OK(wl_memory_erase(memory, block));
        OK(wl_memory_erase_range(memory, 0, 65536, 65536));
        OK(wl_memory_set_cycles(memory, 0, 5000));
        OK(wl_memory_flip_bit(memory, 16, 3, 4));
        OK(wl_memory_cut_power(memory, &now));
        OK(wl_memory_get_cycles(memory, 0, &cycles));
        CHECK(cycles == 5000);
        OK(wl_memory_peek(memory, 4096 + 3, back, 1));
        CHECK(back[0] == 0xEF);
        OK(wl_memory_get_cycles(memory, 1, &cycles));
        CHECK(cycles == 2);
        OK(wl_memory_free(memory));

        memory = forked(fresh);
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_erase(memory, 2));
        OK(wl_memory_program(memory, 8192 + 256, data, sizeof data));
        OK(wl_memory_load(memory, path));
        OK(wl_memory_cut_power(memory, &now));
        OK(wl_memory_peek(memory, 8192, back, sizeof back));
        CHECK(memcmp(back, data, sizeof data) == 0);
        OK(wl_memory_peek(memory, 8192 + 256, back, sizeof back));
        CHECK(all(back, sizeof back, 0xFF));
        OK(wl_memory_free(memory));
    }
    OK(wl_memory_free(fresh));
}

/* ---- Arguments ---- */

static void numbers(wl_memory *memory)
{
    static const uint64_t odd[] = {0, 1, 3, 4095, 4096, 1u << 31, UINT32_MAX, 1ull << 32, 1ull << 63, MOST - 4095, MOST - 1, MOST};
    static const double real[] = {-1e308, -300, -1, 0, 1e-300, 300, 1e308, INFINITY, -INFINITY, NAN};
    const size_t count = sizeof odd / sizeof *odd, reals = sizeof real / sizeof *real;
    wl_memory_health health;
    wl_memory_cut cut;
    unsigned char page[4096];
    size_t i, j, k;
    uint64_t size;
    int32_t flag;

    health.size = sizeof health;
    for (i = 0; i < count; i++) {
        uint32_t word = (uint32_t)odd[i];
        wl_memory_get_health(memory, word, &health);
        wl_memory_set_fault(memory, word, word);
        wl_memory_flip_bit(memory, word, word, word);
        wl_memory_is_free(memory, word, &flag);
        wl_memory_is_bad(memory, word, &flag);
        wl_memory_get_erase_size(memory, odd[i], &size);
        wl_memory_get_cycles(memory, odd[i], &size);
        for (j = 0; j < count; j++) {
            uint32_t other = (uint32_t)odd[j];
            wl_memory_status told[] = {
                /* With NULL no length but 0 can be right. */
                wl_memory_read(memory, odd[i], NULL, odd[j]), wl_memory_peek(memory, odd[i], NULL, odd[j]),
                wl_memory_poke(memory, odd[i], NULL, odd[j]), wl_memory_program(memory, odd[i], NULL, odd[j]),
                wl_memory_write(memory, odd[i], NULL, odd[j]), wl_memory_read_suspending(memory, odd[i], NULL, odd[j]),
                wl_memory_peek_page(memory, word, other, NULL, other), wl_memory_poke_page(memory, word, other, NULL, other),
                wl_memory_read_page(memory, word, other, NULL, other, NULL),
                wl_memory_program_page(memory, word, other, NULL, other),
                wl_memory_read_spare(memory, word, other, NULL, other, NULL),
                wl_memory_program_spare(memory, word, other, NULL, other),
                wl_memory_move_page(memory, word, other, word, NULL, other)};
            for (k = 0; k < sizeof told / sizeof *told; k++) CHECK(told[k] != WL_MEMORY_OK || odd[j] == 0 || other == 0);
            wl_memory_clear_faults(memory, odd[i], odd[j]);
            wl_memory_set_cycles(memory, odd[i], odd[j]);
            wl_memory_start_erase(memory, odd[i], odd[j]);
            wl_memory_wait(memory);
            wl_memory_erase_range(memory, odd[i], 4096, odd[j]);
            wl_memory_erase_range(memory, odd[i], odd[j], 4096);
            for (k = 0; k < count; k++) {
                wl_memory_fault fault = fault_of(i % 8, odd[j], odd[k]);
                /* Not so many blocks that the test takes long. */
                if (odd[k] > 4096 && odd[k] <= (1ull << 32)) continue;
                fault.after = odd[i];
                fault.times = odd[j];
                fault.one_in = odd[k];
                fault.seed = odd[i];
                wl_memory_add_fault(memory, &fault);
            }
        }
        wl_memory_read(memory, 0, page, 512);
        wl_memory_program(memory, 0, page, 512);
        wl_memory_write(memory, 0, page, 512);
        wl_memory_erase(memory, 0);
        memset(&cut, 0xFF, sizeof cut);
        cut.size = odd[i];
        if (odd[i] == 0 || odd[i] > 4096) IS(BAD_ARGUMENT, wl_memory_cut_power(memory, &cut));
    }
    for (i = 0; i < reals; i++) {
        for (j = 0; j < reals; j++) {
            wl_memory_status kept = wl_memory_keep(memory, real[i], real[j]);
            wl_memory_status set = wl_memory_set_environment(memory, real[i], real[j]);
            CHECK(kept != WL_MEMORY_OK || (real[i] >= 0 && real[j] >= -40 && real[j] <= 125));
            CHECK(set != WL_MEMORY_OK || (real[j] >= 0 && real[i] >= -40 && real[i] <= 125));
        }
    }
    OK(wl_memory_clear_faults(memory, 0, info_of(memory).bytes));
}

/* Every function that takes a pointer, with NULL. */
static void nulls(wl_memory *memory)
{
    wl_memory_options options = options_for(NULL);
    wl_memory_ideal ideal = ideal_of(WL_MEMORY_IDEAL_NOR, 1, 1, 4096, 4);
    wl_memory *none;
    IS(BAD_ARGUMENT, wl_memory_create(NULL, &none));
    CHECK(none == NULL);
    IS(BAD_ARGUMENT, wl_memory_create(&options, &none));
    options.target = "mt25ql128";
    IS(BAD_ARGUMENT, wl_memory_create(&options, NULL));
    IS(BAD_ARGUMENT, wl_memory_create_ideal(NULL, &none));
    IS(BAD_ARGUMENT, wl_memory_create_ideal(&ideal, NULL));
    IS(BAD_ARGUMENT, wl_memory_fork(memory, NULL));
    IS(BAD_HANDLE, wl_memory_restore(memory, NULL));
    IS(BAD_ARGUMENT, wl_memory_get_info(memory, NULL));
    IS(BAD_ARGUMENT, wl_memory_get_stats(memory, NULL));
    IS(BAD_ARGUMENT, wl_memory_get_cycles(memory, 0, NULL));
    IS(BAD_ARGUMENT, wl_memory_last_ecc(memory, NULL));
    IS(BAD_ARGUMENT, wl_memory_add_fault(memory, NULL));
    IS(BAD_ARGUMENT, wl_memory_cut_power(memory, NULL));
    IS(BAD_ARGUMENT, wl_memory_save(memory, NULL));
    IS(BAD_ARGUMENT, wl_memory_load(memory, NULL));
    if (info_of(memory).kind == WL_MEMORY_FLASH) {
        IS(BAD_ARGUMENT, wl_memory_is_bad(memory, 0, NULL));
        {
            /* What is refused has not been done. */
            const uint64_t now = wl_memory_now(memory);
            wl_memory_ecc little;
            unsigned char byte = 0x11;
            memset(&little, 0, sizeof little);
            little.size = 8;
            IS(BAD_ARGUMENT, wl_memory_is_bad(memory, 0, NULL));
            IS(BAD_ARGUMENT, wl_memory_is_free(memory, 0, NULL));
            wl_memory_read_page(memory, 0, 0, &byte, 1, &little);
            CHECK(wl_memory_now(memory) == now && byte == 0x11);
        }
        IS(BAD_ARGUMENT, wl_memory_is_free(memory, 0, NULL));
        IS(BAD_ARGUMENT, wl_memory_get_erase_size(memory, 0, NULL));
        IS(BAD_ARGUMENT, wl_memory_get_work(memory, NULL));
        IS(BAD_ARGUMENT, wl_memory_read_whole(memory, 0, NULL, NULL, NULL));
        IS(BAD_ARGUMENT, wl_memory_program_whole(memory, 0, NULL, NULL));
    }
    OK(wl_memory_trace_to(memory, NULL));
    OK(wl_memory_listen(memory, NULL, NULL));
}

/* A handle that is freed, and some that never were. */
static void gone(wl_memory *memory)
{
    wl_memory_fault fault = fault_of(1, 0, 4096);
    wl_memory_cut cut = cut_of(1, 0, 0);
    wl_memory_health health;
    wl_memory_info info;
    wl_memory *fork;
    uint64_t number;
    int32_t flag;
    unsigned char byte = 0;
    health.size = sizeof health;
    info.size = sizeof info;
    IS(BAD_HANDLE, wl_memory_get_health(memory, 0, &health));
    IS(BAD_HANDLE, wl_memory_add_fault(memory, &fault));
    IS(BAD_HANDLE, wl_memory_set_fault(memory, 0, 1));
    IS(BAD_HANDLE, wl_memory_clear_faults(memory, 0, 4096));
    IS(BAD_HANDLE, wl_memory_cut_power(memory, &cut));
    IS(BAD_HANDLE, wl_memory_fork(memory, &fork));
    CHECK(fork == NULL);
    IS(BAD_HANDLE, wl_memory_restore(memory, memory));
    IS(BAD_HANDLE, wl_memory_read(memory, 0, &byte, 1));
    IS(BAD_HANDLE, wl_memory_program(memory, 0, &byte, 1));
    IS(BAD_HANDLE, wl_memory_erase_range(memory, 0, 4096, 0));
    IS(BAD_HANDLE, wl_memory_start_erase(memory, 0, 4096));
    IS(BAD_HANDLE, wl_memory_wait(memory));
    IS(BAD_HANDLE, wl_memory_peek(memory, 0, &byte, 1));
    IS(BAD_HANDLE, wl_memory_poke(memory, 0, &byte, 1));
    IS(BAD_HANDLE, wl_memory_is_free(memory, 0, &flag));
    IS(BAD_HANDLE, wl_memory_get_erase_size(memory, 0, &number));
    IS(BAD_HANDLE, wl_memory_keep(memory, 1, 25));
    IS(BAD_HANDLE, wl_memory_set_environment(memory, 25, 0));
    IS(BAD_HANDLE, wl_memory_get_info(memory, &info));
    IS(BAD_HANDLE, wl_memory_trace_to(memory, NULL));
    IS(BAD_HANDLE, wl_memory_listen(memory, NULL, NULL));
    CHECK(wl_memory_now(memory) == 0 && isnan(wl_memory_energy(memory)));
}

static void arguments(void)
{
    static const char *const targets[] = {AGES, "mt25ql128", "em064lx"};
    size_t i;
    int one_thread;
    for (one_thread = 0; one_thread < 2; one_thread++) {
        for (i = 0; i < sizeof targets / sizeof *targets; i++) {
            wl_memory_options options = options_for(targets[i]);
            wl_memory *memory;
            options.one_thread = (uint64_t)one_thread;
            options.ageing = i == 0;
            memory = made_with(&options);
            nulls(memory);
            numbers(memory);
            OK(wl_memory_free(memory));
            gone(memory);
            IS(BAD_HANDLE, wl_memory_free(memory));
        }
    }
    gone(NULL);
    gone((wl_memory *)(uintptr_t)4096);
    gone((wl_memory *)(uintptr_t)MOST);
}

/* An ideal memory with each member as large as it can be: refused in words, or a memory that works. */
static void ideals(void)
{
    static const uint64_t odd[] = {1, 2, 3, 7, UINT32_MAX, 1ull << 32, 1ull << 63, MOST};
    size_t member, i, kind;
    for (kind = 0; kind < 3; kind++) {
        for (member = 2; member < sizeof(wl_memory_ideal) / 8; member++) {
            for (i = 0; i < sizeof odd / sizeof *odd; i++) {
                wl_memory_ideal ideal = ideal_of(kind, 1, 1, 4096, 4);
                unsigned char data[512], back[512];
                wl_memory *memory = NULL;
                int turn;
                memcpy((unsigned char *)&ideal + 8 * member, &odd[i], 8);
                memset(data, 0x5A, sizeof data);
                if (wl_memory_create_ideal(&ideal, &memory) != WL_MEMORY_OK) {
                    CHECK(memory == NULL && *wl_memory_message());
                    continue;
                }
                /* Times of years end the clock: in words as well. */
                for (turn = 0; turn < 3; turn++) {
                    wl_memory_write(memory, 0, data, sizeof data);
                    wl_memory_program(memory, 0, data, sizeof data);
                    wl_memory_read(memory, 0, back, sizeof back);
                    wl_memory_peek(memory, 0, back, sizeof back);
                    wl_memory_erase(memory, 0);
                    wl_memory_advance(memory, odd[i]);
                }
                OK(wl_memory_free(memory));
            }
        }
    }
}

/* ---- Listeners ---- */

struct ear {
    wl_memory *memory;
    int what, calls, depth;
};

static void hears(void *user, const wl_memory_operation *operation)
{
    struct ear *ear = (struct ear *)user;
    wl_memory_fault fault = fault_of(WL_MEMORY_PROGRAM_ERROR, 0, 0);
    wl_memory_health health;
    unsigned char byte = 0;
    wl_memory *fork;
    fault.bytes = info_of(ear->memory).block_bytes;
    CHECK(operation->size >= sizeof *operation);
    ear->calls++;
    if (ear->depth > 2) return;
    ear->depth++;
    switch (ear->what) {
    case 0:
        health.size = sizeof health;
        OK(wl_memory_get_health(ear->memory, 1, &health));
        OK(wl_memory_read_page(ear->memory, 0, 0, &byte, 1, NULL));
        OK(wl_memory_add_fault(ear->memory, &fault));
        OK(wl_memory_fork(ear->memory, &fork));
        OK(wl_memory_restore(ear->memory, fork));
        OK(wl_memory_free(fork));
        break;
    case 1: OK(wl_memory_listen(ear->memory, NULL, NULL)); break;
    case 2: OK(wl_memory_free(ear->memory)); break;
    }
    ear->depth--;
}

/* One call that is several operations, and a listener that calls back: who ends itself, or the memory, hears no more. */
static void listeners(void)
{
    uint64_t one_thread;
    int what;
    for (one_thread = 0; one_thread < 2; one_thread++) {
        for (what = 0; what < 3; what++) {
            wl_memory *memory = ageing(one_thread);
            wl_memory_info info = info_of(memory);
            size_t bytes = 4 * (size_t)info.page_bytes;
            unsigned char *data = (unsigned char *)malloc(bytes);
            struct ear *ear = (struct ear *)malloc(sizeof *ear);
            CHECK(ear != NULL && data != NULL);
            memset(ear, 0, sizeof *ear);
            ear->memory = memory;
            ear->what = what;
            OK(wl_memory_listen(memory, hears, ear));
            OK(wl_memory_read(memory, 0, data, bytes));
            CHECK(what == 0 ? ear->calls > 4 : ear->calls == 1);
            free(data);
            free(ear);
            if (what == 2) {
                IS(BAD_HANDLE, wl_memory_free(memory));
            } else {
                OK(wl_memory_free(memory));
            }
        }
    }
}

/* ---- Strict, beside erases without effect ---- */

static void strict(void)
{
    wl_memory_options options = options_for("mt25ql128");
    wl_memory *memory;
    unsigned char zero = 0, one = 0xFF, byte;
    options.strict = 1;
    memory = made_with(&options);
    OK(wl_memory_program(memory, 0, &zero, 1));
    IS(MISUSE, wl_memory_program(memory, 0, &one, 1));
    IS(OUT_OF_RANGE, wl_memory_program(memory, info_of(memory).bytes, &one, 1));
    IS(OUT_OF_RANGE, wl_memory_program_page(memory, UINT32_MAX, 0, &one, 1));
    IS(OUT_OF_RANGE, wl_memory_program_page(memory, 0, UINT32_MAX, &one, 1));
    OK(wl_memory_set_fault(memory, 0, WL_MEMORY_ERASE_NOOP));
    OK(wl_memory_erase(memory, 0));
    OK(wl_memory_program(memory, 0, &one, 1));
    OK(wl_memory_set_fault(memory, 0, WL_MEMORY_ERASE_STALE));
    OK(wl_memory_erase(memory, 0));
    OK(wl_memory_set_fault(memory, 0, WL_MEMORY_GOOD));
    OK(wl_memory_program(memory, 0, &one, 1));
    OK(wl_memory_read(memory, 0, &byte, 1));
    CHECK(byte == 0);
    OK(wl_memory_erase(memory, 0));
    OK(wl_memory_program(memory, 0, &zero, 1));
    IS(MISUSE, wl_memory_program(memory, 0, &one, 1));
    OK(wl_memory_free(memory));
    options.strict = 2;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
}

/* A fault that strikes every block of a part, thrice, and more operations than any of them counts. */
static void many_faults(void)
{
    wl_memory *memory = made("mt25ql128");
    wl_memory_fault fault = fault_of(WL_MEMORY_PROGRAM_NOOP, 0, info_of(memory).bytes);
    unsigned char zero = 0, byte;
    int i;
    for (i = 0; i < 3; i++) {
        fault.kind = WL_MEMORY_PROGRAM_ERROR + (uint64_t)i;
        fault.times = i == 2 ? 1 : 0;
        OK(wl_memory_add_fault(memory, &fault));
    }
    IS(UNCORRECTABLE, wl_memory_read(memory, 0, &byte, 1));
    OK(wl_memory_read(memory, 0, &byte, 1));
    IS(PROGRAM_FAILED, wl_memory_program(memory, 5, &zero, 1));
    IS(ERASE_FAILED, wl_memory_erase_range(memory, 0, info_of(memory).bytes, 0));
    OK(wl_memory_clear_faults(memory, 0, info_of(memory).bytes));
    OK(wl_memory_program(memory, 5, &zero, 1));
    OK(wl_memory_free(memory));
}

int main(int count, char **arguments_given)
{
    CHECK(count == 2);
    folder = arguments_given[1];
    failures_that_are_no_wear();
    short_structs();
    refused_cycles();
    traces();
    a_fault_elsewhere();
    an_erase_without_effect();
    an_erase_that_failed_in_part();
    what_was_set_lasts();
    listeners();
    strict();
    many_faults();
    ideals();
    arguments();
    return 0;
}
