/* Refused calls leave no trace. Statistics, listener, clock and energy agree on what a memory did. */
#include <math.h>

#include "checks.h"

#define MS 1000000000u

typedef struct report {
    uint64_t count, failed;
} report;

static void hear(void *user, const wl_memory_operation *operation)
{
    report *heard = user;
    heard->count++;
    heard->failed += operation->failed;
}

static wl_memory_ideal ideal_nor(uint64_t erase_bytes, uint64_t blocks)
{
    wl_memory_ideal ideal;
    memset(&ideal, 0, sizeof ideal);
    ideal.size = sizeof ideal;
    ideal.abi = WL_MEMORY_ABI;
    ideal.kind = WL_MEMORY_IDEAL_NOR;
    ideal.erase_bytes = erase_bytes;
    ideal.blocks = blocks;
    return ideal;
}

/* All that a call may leave behind. */
typedef struct trace {
    wl_memory_stats stats;
    uint64_t now, last;
    double energy;
    report heard;
} trace;

static report heard;

static trace trace_of(const wl_memory *memory)
{
    trace left;
    memset(&left, 0, sizeof left);
    left.stats = stats_of(memory);
    left.now = wl_memory_now(memory);
    left.last = wl_memory_last_duration(memory);
    left.energy = wl_memory_energy(memory);
    if (isnan(left.energy)) left.energy = -1;
    left.heard = heard;
    return left;
}

/* A call is refused with a status, and leaves nothing behind. */
#define REFUSED(status, call)                                                                        \
    do {                                                                                             \
        trace before = trace_of(memory), after;                                                      \
        IS(status, call);                                                                            \
        after = trace_of(memory);                                                                    \
        CHECK(memcmp(&before, &after, sizeof before) == 0);                                          \
    } while (0)

static wl_memory *heard_of(const wl_memory_options *options)
{
    wl_memory *memory = made_with(options);
    memset(&heard, 0, sizeof heard);
    OK(wl_memory_listen(memory, hear, &heard));
    return memory;
}

static void on_nor(uint64_t one_thread)
{
    wl_memory_options options = options_for("mt25ql128");
    wl_memory *memory;
    wl_memory_info info;
    unsigned char zeros[256], ones[256];
    int32_t bad;

    options.strict = 1;
    options.one_thread = one_thread;
    memory = heard_of(&options);
    info = info_of(memory);
    memset(zeros, 0, sizeof zeros);
    memset(ones, 0xFF, sizeof ones);
    OK(wl_memory_program(memory, 0, zeros, sizeof zeros));
    CHECK(heard.count == 1);
    REFUSED(MISUSE, wl_memory_program(memory, 0, ones, sizeof ones));
    REFUSED(MISUSE, wl_memory_program_page(memory, 0, 0, ones, 1));
    REFUSED(OUT_OF_RANGE, wl_memory_erase(memory, (uint32_t)info.blocks));
    REFUSED(OUT_OF_RANGE, wl_memory_is_bad(memory, (uint32_t)info.blocks, &bad));
    REFUSED(OUT_OF_RANGE, wl_memory_read(memory, info.bytes, zeros, 1));
    REFUSED(OUT_OF_RANGE, wl_memory_program_page(memory, 0, 200, zeros, 100));
    REFUSED(OUT_OF_RANGE, wl_memory_program_page(memory, UINT32_MAX, 0, zeros, 1));
    REFUSED(MISUSE, wl_memory_mark_bad(memory, 0));
    REFUSED(UNSUPPORTED, wl_memory_write(memory, 0, zeros, 1));
    REFUSED(UNSUPPORTED, wl_memory_move_page(memory, 0, 1, 0, zeros, 0));
    REFUSED(MISUSE, wl_memory_erase_range(memory, 1, 4096, 0));
    REFUSED(MISUSE, wl_memory_suspend(memory));
    REFUSED(MISUSE, wl_memory_resume(memory));

    OK(wl_memory_start_erase(memory, 65536, 65536));
    REFUSED(BUSY, wl_memory_read(memory, 0, zeros, 1));
    REFUSED(BUSY, wl_memory_program(memory, 0, zeros, 1));
    REFUSED(BUSY, wl_memory_erase(memory, 0));
    REFUSED(MISUSE, wl_memory_read_suspending(memory, 65536 + 4096, zeros, 1));
    OK(wl_memory_suspend(memory));
    REFUSED(MISUSE, wl_memory_suspend(memory));
    REFUSED(MISUSE, wl_memory_program(memory, 65536, zeros, 1));
    REFUSED(MISUSE, wl_memory_read(memory, 65536, zeros, 1));
    REFUSED(MISUSE, wl_memory_read_suspending(memory, 65536, zeros, 1));
    REFUSED(BUSY, wl_memory_erase(memory, 16));
    OK(wl_memory_resume(memory));
    OK(wl_memory_wait(memory));
    CHECK(stats_of(memory).failures == 0 && heard.failed == 0);
    OK(wl_memory_free(memory));
}

static void on_nand(void)
{
    wl_memory_options options = options_for("mt29f1g01");
    wl_memory *memory = heard_of(&options);
    wl_memory_info info = info_of(memory);
    static unsigned char page[8192];
    uint32_t pages = (uint32_t)info.pages_per_block;

    memset(page, 0, sizeof page);
    OK(wl_memory_program_page(memory, pages, 0, page, (uint32_t)info.page_bytes));
    OK(wl_memory_program_page(memory, pages + 3, 0, page, (uint32_t)info.page_bytes));
    /* Out of order, and programmed already. */
    REFUSED(MISUSE, wl_memory_program_page(memory, pages + 2, 0, page, (uint32_t)info.page_bytes));
    REFUSED(MISUSE, wl_memory_move_page(memory, pages, pages + 2, 0, page, 0));
    REFUSED(MISUSE, wl_memory_move_page(memory, pages, pages + 2, 0, page, 16));
    REFUSED(MISUSE, wl_memory_move_page(memory, pages, pages + 3, 0, page, 0));
    REFUSED(OUT_OF_RANGE, wl_memory_move_page(memory, pages, (uint32_t)info.blocks * pages, 0, page, 0));
    REFUSED(OUT_OF_RANGE, wl_memory_move_page(memory, (uint32_t)info.blocks * pages, 0, 0, page, 0));
    REFUSED(OUT_OF_RANGE, wl_memory_move_page(memory, pages, pages + 4, 8191, page, 16));
    OK(wl_memory_mark_bad(memory, 2));
    CHECK(stats_of(memory).bytes_written == 2 * info.page_bytes + 1);
    REFUSED(BAD_BLOCK, wl_memory_program_page(memory, 2 * pages, 0, page, 16));
    REFUSED(BAD_BLOCK, wl_memory_move_page(memory, pages, 2 * pages, 0, page, 0));
    REFUSED(BAD_BLOCK, wl_memory_erase(memory, 2));
    OK(wl_memory_move_page(memory, pages, pages + 4, 0, page, 0));
    OK(wl_memory_free(memory));
}

/* Of a flash in pages with a suspended erase, and of an ideal one, the same holds for reads that begin before it. */
static void into_suspended(void)
{
    wl_memory_options options = options_for("mt25ql128");
    wl_memory *memory = heard_of(&options);
    wl_memory_fault fault;
    wl_memory_ideal ideal;
    wl_memory_work work;
    unsigned char data[4096];
    uint64_t ends;

    memset(data, 0, sizeof data);
    memset(&fault, 0, sizeof fault);
    fault.size = sizeof fault;
    fault.kind = WL_MEMORY_READ_ERROR;
    fault.bytes = 4096;
    fault.after = 100;
    OK(wl_memory_add_fault(memory, &fault));
    OK(wl_memory_start_erase(memory, 4096, 4096));
    REFUSED(MISUSE, wl_memory_read_suspending(memory, 3096, data, 2000));
    OK(wl_memory_suspend(memory));
    REFUSED(MISUSE, wl_memory_read(memory, 3096, data, 2000));
    REFUSED(MISUSE, wl_memory_read_suspending(memory, 3096, data, 2000));
    OK(wl_memory_read(memory, 3096, data, 1000));
    OK(wl_memory_free(memory));

    ideal = ideal_nor(4096, 4);
    ideal.read_ps = 1000;
    ideal.erase_ps = MS;
    OK(wl_memory_create_ideal(&ideal, &memory));
    memset(&heard, 0, sizeof heard);
    OK(wl_memory_listen(memory, hear, &heard));
    OK(wl_memory_start_erase(memory, 4096, 4096));
    work.size = sizeof work;
    OK(wl_memory_get_work(memory, &work));
    ends = work.ends_ps;
    REFUSED(MISUSE, wl_memory_read_suspending(memory, 3096, data, 2000));
    OK(wl_memory_get_work(memory, &work));
    CHECK(work.ends_ps == ends);
    /* A program of nothing meets no rule but those of places. */
    OK(wl_memory_wait(memory));
    fault.kind = WL_MEMORY_PROGRAM_ERROR;
    fault.after = 0;
    OK(wl_memory_add_fault(memory, &fault));
    OK(wl_memory_program_page(memory, 0, 0, data, 0));
    IS(PROGRAM_FAILED, wl_memory_program_page(memory, 0, 0, data, 1));
    OK(wl_memory_free(memory));
}

/* A page in a block in doubt takes what it takes elsewhere: the chip alone counts programs. */
static void beside_torn(const char *target)
{
    wl_memory_options options = options_for(target);
    static unsigned char page[8192];
    uint64_t seed, torn = 0;

    memset(page, 0, sizeof page);
    for (seed = 0; seed < 30; seed++) {
        wl_memory *memory = heard_of(&options);
        wl_memory_info info = info_of(memory);
        wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, seed);
        uint32_t bytes = (uint32_t)info.page_bytes;
        OK(wl_memory_cut_power(memory, &cut));
        IS(POWER_LOST, wl_memory_program_page(memory, 0, 0, page, bytes));
        OK(wl_memory_power_up(memory));
        torn++;
        if (strcmp(target, "mt29f1g01") == 0) {
            /* Its status reports ranges of corrected bits, in a block in doubt as elsewhere. */
            wl_memory_ecc ecc = {sizeof ecc, 0, 0, 0};
            OK(wl_memory_program_page(memory, 2, 0, page, bytes));
            OK(wl_memory_flip_bit(memory, 2, 9, 1));
            OK(wl_memory_read_page(memory, 2, 0, page, bytes, &ecc));
            CHECK(ecc.corrected == 3);
            memset(page, 0, sizeof page);
        }
        OK(wl_memory_program_page(memory, 5, 0, page, bytes));
        REFUSED(MISUSE, wl_memory_program_page(memory, 5, 0, page, bytes));
        OK(wl_memory_set_fault(memory, 0, WL_MEMORY_ERASE_NOOP));
        OK(wl_memory_erase(memory, 0));
        /* The pages count as erased, what the cut left among them. */
        OK(wl_memory_program_page(memory, 5, 0, page, bytes));
        OK(wl_memory_free(memory));
    }
    CHECK(torn > 0);
}

/* A cut by time comes in a read and in a sync as well, whatever it is to leave. */
static void cut_reads(const char *target)
{
    uint64_t tear;

    for (tear = WL_MEMORY_CUT_CLEAN; tear <= WL_MEMORY_CUT_REORDERED; tear++) {
        wl_memory_options options = options_for(target);
        wl_memory *memory = heard_of(&options);
        wl_memory_cut cut = cut_of(0, tear, 1);
        static unsigned char data[4096], back[4096];
        wl_memory_stats stats;

        memset(data, 0x3C, sizeof data);
        OK(wl_memory_write(memory, 0, data, sizeof data));
        OK(wl_memory_sync(memory));
        cut.time_ps = wl_memory_now(memory) + 1;
        OK(wl_memory_cut_power(memory, &cut));
        IS(POWER_LOST, wl_memory_read(memory, 0, back, sizeof back));
        stats = stats_of(memory);
        CHECK(wl_memory_now(memory) == cut.time_ps && stats.power_cuts == 1);
        CHECK(heard.count == 3 && heard.failed == 1 && stats.failures == 1);
        OK(wl_memory_power_up(memory));
        OK(wl_memory_read(memory, 0, back, sizeof back));
        CHECK(memcmp(data, back, sizeof back) == 0);
        OK(wl_memory_free(memory));
    }
}

static void on_bytes(void)
{
    wl_memory_options options = options_for("em064lx");
    wl_memory *memory = heard_of(&options);
    unsigned char byte = 0;
    int32_t bad;

    REFUSED(UNSUPPORTED, wl_memory_erase(memory, 0));
    REFUSED(UNSUPPORTED, wl_memory_mark_bad(memory, 0));
    REFUSED(UNSUPPORTED, wl_memory_is_bad(memory, 0, &bad));
    REFUSED(UNSUPPORTED, wl_memory_program(memory, 0, &byte, 1));
    REFUSED(OUT_OF_RANGE, wl_memory_write(memory, info_of(memory).bytes, &byte, 1));
    CHECK(stats_of(memory).reads == 0 && stats_of(memory).erases == 0 && stats_of(memory).failures == 0);
    OK(wl_memory_free(memory));
}

/* Statistics and listener agree on an erase that was started and that a cut ends, however the cut comes. */
static void cut_erases(void)
{
    int how;

    for (how = 0; how < 5; how++) {
        wl_memory_options options = options_for("mt25ql128");
        wl_memory *memory = heard_of(&options);
        wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_TORN, 0);
        wl_memory_stats stats;
        unsigned char byte;

        OK(wl_memory_start_erase(memory, 0, 4096));
        cut.time_ps = how == 2 ? 0 : wl_memory_now(memory) + (how == 3 ? 1000 : MS);
        OK(wl_memory_cut_power(memory, &cut));
        if (how == 0) IS(POWER_LOST, wl_memory_advance(memory, 2 * (uint64_t)MS));
        if (how == 1) IS(POWER_LOST, wl_memory_wait(memory));
        if (how == 3) IS(POWER_LOST, wl_memory_read_suspending(memory, 8192, &byte, 1));
        if (how == 4) {
            /* The cut comes after its end: it has not failed. */
            cut.time_ps = wl_memory_now(memory) + 1000 * (uint64_t)MS;
            OK(wl_memory_cut_power(memory, &cut));
            IS(POWER_LOST, wl_memory_advance(memory, 2000 * (uint64_t)MS));
        }
        stats = stats_of(memory);
        CHECK(heard.count == stats.reads + stats.erases && stats.erases == 1);
        CHECK(heard.failed == stats.failures && stats.failures == (how == 4 ? 0u : how == 3 ? 2u : 1u));
        CHECK(stats.power_cuts == 1);
        OK(wl_memory_free(memory));
    }
}

/* Without power nothing is drawn, however long. */
static void unpowered(const char *target)
{
    wl_memory *memory = made(target), *fork;
    wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
    double before, after;

    unsigned char byte;

    /* Some stay in another state after an access than before it. */
    OK(wl_memory_read(memory, 0, &byte, 1));
    OK(wl_memory_advance(memory, 1000 * (uint64_t)MS));
    fork = forked(memory);
    OK(wl_memory_cut_power(memory, &cut));
    before = wl_memory_energy(memory);
    OK(wl_memory_advance(memory, 1000 * (uint64_t)MS));
    CHECK(wl_memory_energy(memory) == before);
    OK(wl_memory_power_up(memory));
    after = wl_memory_energy(memory);
    OK(wl_memory_advance(memory, 1000 * (uint64_t)MS));
    /* With power again, it draws as one that always had it. */
    before = wl_memory_energy(fork);
    OK(wl_memory_advance(fork, 1000 * (uint64_t)MS));
    before = wl_memory_energy(fork) - before;
    after = wl_memory_energy(memory) - after;
    CHECK(before > 0 && fabs(after - before) < 1e-9 * before);
    OK(wl_memory_free(fork));
    OK(wl_memory_free(memory));
}

/* Close to the end of simulated time an operation is done, or has left everything as it was. */
static void end_of_time(const char *target, const char *folder)
{
    wl_memory_options options = options_for(target);
    wl_memory *memory = heard_of(&options);
    wl_memory_info info = info_of(memory);
    static unsigned char data[4096], back[4096];
    char path[4096];
    uint64_t left, cycles, later;
    wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_TORN, 1);
    wl_memory *fork;

    memset(data, 0x3C, sizeof data);
    if (info.kind == WL_MEMORY_FLASH) OK(wl_memory_program(memory, 0, data, sizeof data));
    else OK(wl_memory_write(memory, 0, data, sizeof data));
    for (left = MS; left > 0; left /= 7) {
        OK(wl_memory_advance(memory, UINT64_MAX - wl_memory_now(memory) - left));
        if (info.kind == WL_MEMORY_FLASH) {
            OK(wl_memory_get_cycles(memory, 0, &cycles));
            REFUSED(DEVICE, wl_memory_erase(memory, 0));
            OK(wl_memory_get_cycles(memory, 0, &later));
            CHECK(cycles == later);
        }
        OK(wl_memory_peek(memory, 0, back, sizeof back));
        CHECK(memcmp(data, back, sizeof back) == 0);
    }
    /* A cut that is due before the end comes. */
    fork = forked(memory);
    cut.time_ps = wl_memory_now(fork) + 1;
    if (cut.time_ps > 1) {
        OK(wl_memory_cut_power(fork, &cut));
        IS(POWER_LOST, info.kind == WL_MEMORY_FLASH ? wl_memory_erase(fork, 0) : wl_memory_advance(fork, UINT64_MAX));
        CHECK(wl_memory_now(fork) == cut.time_ps && stats_of(fork).power_cuts == 1);
    }
    OK(wl_memory_free(fork));
    OK(wl_memory_advance(memory, UINT64_MAX - wl_memory_now(memory)));
    REFUSED(DEVICE, wl_memory_read(memory, 0, back, sizeof back));
    REFUSED(DEVICE, wl_memory_advance(memory, 1));
    OK(wl_memory_peek(memory, 0, back, sizeof back));
    CHECK(memcmp(data, back, sizeof back) == 0);
    snprintf(path, sizeof path, "%s/end.img", folder);
    OK(wl_memory_save(memory, path));
    OK(wl_memory_load(memory, path));
    OK(wl_memory_peek(memory, 0, back, sizeof back));
    CHECK(memcmp(data, back, sizeof back) == 0);
    OK(wl_memory_free(memory));
}

static int wrong_bits(wl_memory *memory, const unsigned char *meant, uint32_t bytes, int peeks)
{
    static unsigned char held[8192];
    uint32_t i;
    int bit, wrong = 0;

    if (peeks) OK(wl_memory_peek(memory, 0, held, bytes));
    else OK(wl_memory_read_page(memory, 0, 0, held, bytes, NULL));
    for (i = 0; i < bytes; i++) {
        for (bit = 0; bit < 8; bit++) wrong += ((held[i] ^ meant[i]) >> bit) & 1;
    }
    return wrong;
}

/* What has leaked stays so, whatever else is done to the page that it has leaked from, and a look at the cells shows it. */
static void leaked(const char *target)
{
    wl_memory_options options = options_for(target);
    static unsigned char data[8192];
    wl_memory *memory, *fork;
    wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
    wl_memory_info info;
    unsigned char byte;
    uint32_t bytes;
    int how, wrong;

    options.ageing = 1;
    options.factory_bad = WL_MEMORY_FACTORY_NONE;
    options.celsius = 40;
    options.seed = 3;
    memory = made_with(&options);
    info = info_of(memory);
    bytes = (uint32_t)info.page_bytes;
    CHECK(bytes <= sizeof data);
    OK(wl_memory_set_cycles(memory, 0, info.endurance * 3 / 2));
    memset(data, 0x3C, sizeof data);
    OK(wl_memory_program_page(memory, 0, 0, data, bytes));
    OK(wl_memory_keep(memory, 9e8, 70));
    wrong = wrong_bits(memory, data, bytes, 1);
    CHECK(wrong > 3 && wrong_bits(memory, data, bytes, 0) == wrong);
    for (how = 0; how < 5; how++) {
        fork = forked(memory);
        switch (how) {
        case 0:
            OK(wl_memory_flip_bit(fork, 0, 5, 3));
            OK(wl_memory_flip_bit(fork, 0, 5, 3));
            break;
        case 1:
            OK(wl_memory_peek(fork, 0, &byte, 1));
            OK(wl_memory_poke(fork, 0, &byte, 1));
            break;
        case 2:
            OK(wl_memory_set_fault(fork, 0, WL_MEMORY_ERASE_ERROR));
            IS(ERASE_FAILED, wl_memory_erase(fork, 0));
            break;
        case 3:
            OK(wl_memory_set_fault(fork, 0, WL_MEMORY_ERASE_NOOP));
            OK(wl_memory_erase(fork, 0));
            break;
        case 4:
            OK(wl_memory_start_erase(fork, 0, info.block_bytes));
            OK(wl_memory_cut_power(fork, &cut));
            OK(wl_memory_power_up(fork));
            break;
        }
        CHECK(wrong_bits(fork, data, bytes, 1) >= wrong - 1);
        CHECK(wrong_bits(fork, data, bytes, 0) >= wrong - 1);
        /* What is poked is there, and the rest as it was. */
        OK(wl_memory_poke(fork, bytes / 2, data, bytes / 2));
        CHECK(wrong_bits(fork, data, bytes, 1) < wrong);
        OK(wl_memory_poke(fork, 0, data, bytes));
        CHECK(wrong_bits(fork, data, bytes, 1) == 0 && wrong_bits(fork, data, bytes, 0) == 0);
        OK(wl_memory_free(fork));
    }
    /* An erase renews them. */
    OK(wl_memory_erase(memory, 0));
    OK(wl_memory_program_page(memory, 0, 0, data, bytes));
    CHECK(wrong_bits(memory, data, bytes, 1) == 0);
    OK(wl_memory_free(memory));
}

/* An erased cell that was flipped reads as 0, and holds the 0 that is programmed. */
static void flipped(const char *target)
{
    wl_memory_options options = options_for(target);
    static unsigned char page[8192];
    wl_memory *memory;
    uint32_t bytes;
    unsigned char byte;

    options.factory_bad = WL_MEMORY_FACTORY_NONE;
    options.strict = 1;
    memory = made_with(&options);
    bytes = (uint32_t)info_of(memory).page_bytes;
    memset(page, 0, sizeof page);
    OK(wl_memory_flip_bit(memory, 2, 5, 0));
    OK(wl_memory_flip_bit(memory, 2, 6, 0));
    OK(wl_memory_peek_page(memory, 2, 5, &byte, 1));
    CHECK(byte == 0xFE);
    OK(wl_memory_program_page(memory, 2, 0, page, bytes));
    OK(wl_memory_peek_page(memory, 2, 5, &byte, 1));
    CHECK(byte == 0);
    OK(wl_memory_read_page(memory, 2, 0, page, bytes, NULL));
    CHECK(all(page, bytes, 0));
    OK(wl_memory_free(memory));
}

/* An ideal memory may take days for an operation: what has no room is undone there as well. */
static void days(void)
{
    wl_memory_ideal ideal;
    wl_memory *memory;
    unsigned char data[64];
    const uint64_t day = 86400u * (uint64_t)1000 * MS;

    ideal = ideal_nor(4096, 4);
    ideal.page_bytes = 16;
    ideal.read_ps = 2 * day;
    OK(wl_memory_create_ideal(&ideal, &memory));
    memset(&heard, 0, sizeof heard);
    OK(wl_memory_listen(memory, hear, &heard));
    OK(wl_memory_advance(memory, UINT64_MAX - 3 * day));
    REFUSED(DEVICE, wl_memory_read(memory, 0, data, 32));
    OK(wl_memory_read(memory, 0, data, 16));
    OK(wl_memory_free(memory));
}

/* Pokes, flips and faults cost by the page, not by the block: a block has 131,072 pages here. */
static void small_pages(void)
{
    static unsigned char data[131072], back[131072];
    wl_memory_fault fault;
    wl_memory_ideal ideal;
    wl_memory *memory;
    uint32_t i;

    ideal = ideal_nor(sizeof data, 2);
    ideal.page_bytes = 1;
    OK(wl_memory_create_ideal(&ideal, &memory));
    memset(data, 0x5A, sizeof data);
    OK(wl_memory_poke(memory, 0, data, sizeof data));
    OK(wl_memory_peek(memory, 0, back, sizeof back));
    CHECK(memcmp(data, back, sizeof back) == 0);
    memset(&fault, 0, sizeof fault);
    fault.size = sizeof fault;
    fault.kind = WL_MEMORY_PROGRAM_ERROR;
    fault.at = sizeof data;
    fault.bytes = sizeof data;
    fault.after = UINT64_MAX;
    OK(wl_memory_add_fault(memory, &fault));
    for (i = 0; i < sizeof data; i++) OK(wl_memory_program(memory, sizeof data + i, data, 1));
    OK(wl_memory_read(memory, sizeof data, back, sizeof back));
    CHECK(memcmp(data, back, sizeof back) == 0);
    for (i = 0; i < sizeof data; i++) OK(wl_memory_flip_bit(memory, i, 0, 0));
    OK(wl_memory_free(memory));
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    on_nor(0);
    on_nor(1);
    on_nand();
    on_bytes();
    into_suspended();
    beside_torn("w25n01gv");
    beside_torn("mt29f1g01");
    cut_reads("em064lx");
    cut_reads("m95m04");
    cut_reads("micron-emmc50-8g");
    cut_erases();
    unpowered("mt25ql128");
    unpowered("em064lx");
    unpowered("mt29f1g01");
    unpowered("emd4e001g");
    end_of_time("mt25ql128", arguments[1]);
    end_of_time("em064lx", arguments[1]);
    end_of_time("mr4a16b", arguments[1]);
    end_of_time("mt29f1g01", arguments[1]);
    leaked("mt29f32g08qaa");
    flipped("nand128w3a2bn");
    flipped("w25n01gv");
    flipped("mt25ql128");
    days();
    small_pages();
    return 0;
}
