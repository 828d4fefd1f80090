/* What goes wrong on purpose, on memories of data sheets and on ideal ones. The argument is a folder for files. */
#include <math.h>

#include "checks.h"

static const char *folder;

static wl_memory_fault fault_of(uint64_t kind, uint64_t at, uint64_t bytes, uint64_t after, uint64_t times)
{
    wl_memory_fault fault;
    memset(&fault, 0, sizeof fault);
    fault.size = sizeof fault;
    fault.kind = kind;
    fault.at = at;
    fault.bytes = bytes;
    fault.after = after;
    fault.times = times;
    return fault;
}

static void add(wl_memory *memory, uint64_t kind, uint64_t at, uint64_t bytes, uint64_t after, uint64_t times)
{
    wl_memory_fault fault = fault_of(kind, at, bytes, after, times);
    OK(wl_memory_add_fault(memory, &fault));
}

/* Several faults of one block: each strikes by its own count, and what is reported shows first. */
static void several(const char *target)
{
    wl_memory *memory = made(target), *fork;
    wl_memory_info info = info_of(memory);
    uint32_t unit = (uint32_t)(info.programs_per_page ? info.page_bytes : info.write_bytes * 16);
    uint64_t at = 6 * info.block_bytes, step = info.page_bytes;
    unsigned char data[4096], back[4096];
    char path[4096];

    CHECK(unit <= sizeof data);
    memset(data, 0xA5, sizeof data);
    add(memory, WL_MEMORY_PROGRAM_NOOP, at, info.block_bytes, 1, 1);
    add(memory, WL_MEMORY_PROGRAM_ERROR, at, info.block_bytes, 2, 1);
    add(memory, WL_MEMORY_READ_ERROR, at, info.block_bytes, 2, 1);
    add(memory, WL_MEMORY_ERASE_ERROR, at, info.block_bytes, 0, 1);
    add(memory, WL_MEMORY_ERASE_NOOP, at, info.block_bytes, 0, 2);
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_program(memory, at + step, data, unit));
    fork = forked(memory);
    IS(PROGRAM_FAILED, wl_memory_program(memory, at + 2 * step, data, unit));
    OK(wl_memory_program(memory, at + 3 * step, data, unit));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0xA5));
    OK(wl_memory_read(memory, at + step, back, unit));
    CHECK(all(back, unit, 0xFF));
    IS(UNCORRECTABLE, wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0));
    OK(wl_memory_read(memory, at, back, unit));
    /* Both strike the first erase: the one that is reported shows. Both count. */
    IS(ERASE_FAILED, wl_memory_erase(memory, 6));
    OK(wl_memory_erase(memory, 6));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0xA5));
    OK(wl_memory_erase(memory, 6));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0xFF));

    /* A fork counts on from where it was made, and so does an image. */
    snprintf(path, sizeof path, "%s/several", folder);
    OK(wl_memory_save(fork, path));
    IS(PROGRAM_FAILED, wl_memory_program(fork, at + 2 * step, data, unit));
    OK(wl_memory_load(fork, path));
    IS(PROGRAM_FAILED, wl_memory_program(fork, at + 2 * step, data, unit));
    OK(wl_memory_program(fork, at + 3 * step, data, unit));
    OK(wl_memory_clear_faults(fork, at, info.block_bytes));
    OK(wl_memory_erase(fork, 6));
    OK(wl_memory_read(fork, at, back, unit));
    CHECK(all(back, unit, 0xFF));
    OK(wl_memory_free(fork));
    OK(wl_memory_free(memory));
}

static void by_chance(void)
{
    wl_memory *memory = made("mt25ql128");
    wl_memory_fault fault = fault_of(WL_MEMORY_READ_ERROR, 0, 4096, 0, 0);
    unsigned char byte;
    int i, failed = 0;
    fault.one_in = 5;
    fault.seed = 3;
    OK(wl_memory_add_fault(memory, &fault));
    for (i = 0; i < 500; i++) {
        wl_memory_status status = wl_memory_read(memory, 7, &byte, 1);
        CHECK(status == WL_MEMORY_OK || status == WL_MEMORY_UNCORRECTABLE);
        failed += status != WL_MEMORY_OK;
    }
    CHECK(failed > 60 && failed < 140);
    /* Each block of a range by itself. */
    OK(wl_memory_clear_faults(memory, 0, 4096));
    fault.bytes = 8192;
    OK(wl_memory_add_fault(memory, &fault));
    for (i = 0, failed = 0; i < 500; i++) {
        int first = wl_memory_read(memory, 7, &byte, 1) != WL_MEMORY_OK;
        failed += first != (wl_memory_read(memory, 4103, &byte, 1) != WL_MEMORY_OK);
    }
    CHECK(failed > 100 && failed < 220);
    OK(wl_memory_free(memory));
}

/* Places of a memory that is overwritten go bad: reads fail, writes fail, writes are lost. */
static void bytes(wl_memory *memory)
{
    unsigned char old[8], data[8], back[8];
    memset(old, 1, sizeof old);
    memset(data, 2, sizeof data);
    OK(wl_memory_write(memory, 4096, old, sizeof old));
    add(memory, WL_MEMORY_PROGRAM_NOOP, 4100, 1, 0, 1);
    add(memory, WL_MEMORY_PROGRAM_ERROR, 4096, 2, 1, 1);
    add(memory, WL_MEMORY_READ_ERROR, 4103, 1, 0, 0);
    OK(wl_memory_write(memory, 4096, data, 8));
    OK(wl_memory_read(memory, 4096, back, 7));
    CHECK(all(back, 7, 1));
    IS(PROGRAM_FAILED, wl_memory_write(memory, 4096, data, 8));
    CHECK(strstr(wl_memory_message(), "4096") != NULL);
    OK(wl_memory_read(memory, 4096, back, 7));
    CHECK(all(back, 7, 1));
    IS(UNCORRECTABLE, wl_memory_read(memory, 4096, back, 8));
    CHECK(all(back, 8, 0));
    OK(wl_memory_peek(memory, 4096, back, 8));
    CHECK(all(back, 8, 1));
    OK(wl_memory_read(memory, 4104, back, 8));
    OK(wl_memory_clear_faults(memory, 4103, 1));
    OK(wl_memory_write(memory, 4096, data, 8));
    OK(wl_memory_read(memory, 4096, back, 8));
    CHECK(all(back, 8, 2));
    {
        wl_memory_fault fault = fault_of(WL_MEMORY_ERASE_ERROR, 0, 1, 0, 0);
        IS(UNSUPPORTED, wl_memory_add_fault(memory, &fault));
    }
    OK(wl_memory_free(memory));
}

/* An erase that does nothing, after which programs do nothing, until one really erases. */
static void stale(const char *target)
{
    wl_memory *memory = made(target);
    wl_memory_info info = info_of(memory);
    uint32_t unit = (uint32_t)(info.programs_per_page ? info.page_bytes : info.write_bytes * 16);
    uint64_t at = 5 * info.block_bytes;
    unsigned char old[4096], data[4096], back[4096];

    memset(old, 0xF0, sizeof old);
    memset(data, 0x3C, sizeof data);
    OK(wl_memory_program(memory, at, old, unit));
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_ERASE_STALE));
    OK(wl_memory_erase(memory, 5));
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0xF0));
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_GOOD));
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0xF0));
    OK(wl_memory_erase(memory, 5));
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0x3C));
    OK(wl_memory_free(memory));
}

static void strict(void)
{
    wl_memory_options options = options_for("mt25ql128");
    wl_memory_ideal ideal = ideal_of(WL_MEMORY_IDEAL_NOR, 1, 1, 4096, 4);
    wl_memory *memories[2], *plain = made("mt25ql128");
    unsigned char high = 0xF0, low = 0x0F, more = 0x30, back;
    int i;

    OK(wl_memory_program(plain, 9, &high, 1));
    OK(wl_memory_program(plain, 9, &low, 1));
    OK(wl_memory_read(plain, 9, &back, 1));
    CHECK(back == 0);
    OK(wl_memory_free(plain));
    options.strict = 1;
    ideal.strict = 1;
    memories[0] = made_with(&options);
    memories[1] = made_ideal(&ideal);
    for (i = 0; i < 2; i++) {
        wl_memory *fork;
        OK(wl_memory_program(memories[i], 9, &high, 1));
        IS(MISUSE, wl_memory_program(memories[i], 9, &low, 1));
        CHECK(strstr(wl_memory_message(), "0Fh onto F0h") != NULL);
        OK(wl_memory_program(memories[i], 9, &more, 1));
        OK(wl_memory_read(memories[i], 9, &back, 1));
        CHECK(back == 0x30);
        fork = forked(memories[i]);
        IS(MISUSE, wl_memory_program(fork, 9, &low, 1));
        OK(wl_memory_erase(fork, 0));
        OK(wl_memory_program(fork, 9, &low, 1));
        OK(wl_memory_free(fork));
        /* A driver cannot know that an erase had no effect: its programs are refused only after it erases again. */
        OK(wl_memory_set_fault(memories[i], 0, WL_MEMORY_ERASE_NOOP));
        IS(MISUSE, wl_memory_program(memories[i], 9, &low, 1));
        OK(wl_memory_erase(memories[i], 0));
        OK(wl_memory_program(memories[i], 9, &low, 1));
        OK(wl_memory_read(memories[i], 9, &back, 1));
        CHECK(back == 0);
        fork = forked(memories[i]);
        OK(wl_memory_set_fault(memories[i], 0, WL_MEMORY_GOOD));
        OK(wl_memory_program(memories[i], 9, &low, 1));
        OK(wl_memory_erase(memories[i], 0));
        OK(wl_memory_program(memories[i], 9, &high, 1));
        IS(MISUSE, wl_memory_program(memories[i], 9, &low, 1));
        OK(wl_memory_program(fork, 9, &high, 1));
        OK(wl_memory_free(fork));
        OK(wl_memory_free(memories[i]));
    }
}

static int bad_blocks(uint64_t factory_bad)
{
    wl_memory_options options = options_for("mt29f1g01");
    wl_memory *memory;
    uint32_t block;
    int found = 0;
    options.seed = 5;
    options.factory_bad = factory_bad;
    memory = made_with(&options);
    CHECK(wl_memory_now(memory) < 1000000000000u);
    for (block = 0; block < info_of(memory).blocks; block++) {
        int32_t bad;
        OK(wl_memory_is_bad(memory, block, &bad));
        found += bad;
    }
    OK(wl_memory_free(memory));
    return found;
}

/* How many of the cuts of an erase leave a block that fails the next erase, and how many one that fails a program. */
static void torn_erases(uint64_t leaves, int *dead, int *failing, int *changed)
{
    wl_memory *fresh = made("mt25ql128");
    unsigned char data[256], back[256];
    uint64_t seed;
    memset(data, 0, sizeof data);
    OK(wl_memory_program(fresh, 0, data, sizeof data));
    *dead = *failing = *changed = 0;
    for (seed = 0; seed < 360; seed++) {
        wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, seed);
        wl_memory *memory = forked(fresh), *other;
        cut.erase_leaves = leaves;
        OK(wl_memory_cut_power(memory, &cut));
        IS(POWER_LOST, wl_memory_erase(memory, 0));
        OK(wl_memory_power_up(memory));
        OK(wl_memory_read(memory, 0, back, sizeof back));
        *changed += memcmp(back, data, sizeof back) != 0;
        other = forked(memory);
        *failing += wl_memory_program(other, 256, data, sizeof data) == WL_MEMORY_PROGRAM_FAILED;
        OK(wl_memory_free(other));
        *dead += wl_memory_erase(memory, 0) == WL_MEMORY_ERASE_FAILED;
        OK(wl_memory_free(memory));
    }
    OK(wl_memory_free(fresh));
}

static void choices_of_torn_erases(void)
{
    int dead, failing, changed;
    torn_erases(0, &dead, &failing, &changed);
    CHECK(dead >= 10 && dead <= 32 && failing > dead && changed > 300);
    torn_erases(WL_MEMORY_LEAVES_MENDABLE, &dead, &failing, &changed);
    CHECK(dead == 0 && failing >= 10 && failing <= 34);
    torn_erases(WL_MEMORY_LEAVES_DEAD, &dead, &failing, &changed);
    CHECK(dead == 360 && failing == 360);
    torn_erases(WL_MEMORY_LEAVES_FAILING, &dead, &failing, &changed);
    CHECK(dead == 0 && failing == 360 && changed == 360);
    torn_erases(WL_MEMORY_LEAVES_OLD, &dead, &failing, &changed);
    CHECK(dead == 0 && failing == 0 && changed == 0);
    torn_erases(WL_MEMORY_LEAVES_PART | WL_MEMORY_LEAVES_DRIFTING, &dead, &failing, &changed);
    CHECK(dead == 0 && failing == 0 && changed == 360);
}

enum reach { IN_PROGRAM, IN_PAUSE };

/* How many cuts leave the program of one block without the earlier one of another, and how many lose an earlier program of
 * a page with a later one of the same block kept. */
static int lost_programs(wl_memory *fresh, enum reach reach, int with_sync, int *within)
{
    wl_memory_info info = info_of(fresh);
    uint32_t unit = (uint32_t)(info.programs_per_page ? info.page_bytes : info.write_bytes * 16);
    uint64_t at = 3 * info.block_bytes, behind = at + 5 * info.block_bytes;
    unsigned char data[4096], one[4096], two[4096];
    uint64_t seed;
    int seen = 0;

    CHECK(unit <= sizeof data);
    memset(data, 0x5A, sizeof data);
    *within = 0;
    for (seed = 0; seed < 200; seed++) {
        wl_memory_cut cut = cut_of(4, WL_MEMORY_CUT_REORDERED, seed);
        wl_memory *memory = forked(fresh);
        wl_memory_status status[2];
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_program(memory, at, data, unit));
        OK(wl_memory_program(memory, at + info.page_bytes, data, unit));
        if (with_sync) OK(wl_memory_sync(memory));
        OK(wl_memory_program(memory, behind, data, unit));
        if (reach == IN_PROGRAM) {
            IS(POWER_LOST, wl_memory_program(memory, behind + info.block_bytes, data, unit));
        } else {
            cut.operations = 0;
            cut.time_ps = wl_memory_now(memory) + 1000;
            OK(wl_memory_cut_power(memory, &cut));
            IS(POWER_LOST, wl_memory_advance(memory, 2000));
        }
        OK(wl_memory_power_up(memory));
        status[0] = wl_memory_read(memory, at, one, unit);
        status[1] = wl_memory_read(memory, at + info.page_bytes, two, unit);
        CHECK(status[0] == WL_MEMORY_OK && status[1] == WL_MEMORY_OK);
        CHECK(all(one, unit, 0xFF) || all(one, unit, 0x5A));
        CHECK(all(two, unit, 0xFF) || all(two, unit, 0x5A));
        if (one[0] == 0xFF && two[0] == 0x5A) *within += 1;
        OK(wl_memory_read(memory, behind, two, unit));
        if (one[0] == 0xFF && two[0] == 0x5A) seen++;
        /* What was lost can be done again. */
        OK(wl_memory_erase(memory, 3));
        OK(wl_memory_program(memory, at, data, unit));
        OK(wl_memory_free(memory));
    }
    return seen;
}

static void reordered(void)
{
    wl_memory_ideal ideal = ideal_of(WL_MEMORY_IDEAL_NAND, 1, 512, 8192, 16);
    wl_memory *memories[3];
    int i, reach, within;
    memories[0] = made("mt25ql128");
    memories[1] = made("mt29f1g01");
    memories[2] = made_ideal(&ideal);
    for (i = 0; i < 3; i++) {
        for (reach = IN_PROGRAM; reach <= IN_PAUSE; reach++) {
            CHECK(lost_programs(memories[i], (enum reach)reach, 0, &within) > 10);
            CHECK(within > 5);
            CHECK(lost_programs(memories[i], (enum reach)reach, 1, &within) == 0);
            CHECK(within == 0);
        }
        OK(wl_memory_free(memories[i]));
    }
}

/* A cut within a mark tears no program that had ended before: that is there or lost. */
static void marks(void)
{
    wl_memory *fresh = made("mt29f1g01");
    unsigned char data[2048], back[2048];
    uint64_t seed;
    int lost = 0;
    memset(data, 0x5A, sizeof data);
    for (seed = 0; seed < 60; seed++) {
        wl_memory_cut cut = cut_of(2, WL_MEMORY_CUT_REORDERED, seed);
        wl_memory *memory = forked(fresh);
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_program(memory, 0, data, sizeof data));
        IS(POWER_LOST, wl_memory_mark_bad(memory, 5));
        OK(wl_memory_power_up(memory));
        OK(wl_memory_peek(memory, 0, back, sizeof back));
        CHECK(all(back, sizeof back, 0x5A) || all(back, sizeof back, 0xFF));
        lost += back[0] == 0xFF;
        OK(wl_memory_free(memory));
    }
    CHECK(lost > 10 && lost < 50);
    OK(wl_memory_free(fresh));
}

/* A lost erase leaves what was there below what is programmed later. */
static void lost_erases(void)
{
    wl_memory *fresh = made("mt25ql128");
    unsigned char old[16], data[16], back[16];
    uint64_t seed;
    int both = 0, whole = 0, cycles_lost = 0;
    memset(old, 0xF0, sizeof old);
    memset(data, 0x0F, sizeof data);
    OK(wl_memory_program(fresh, 0, old, sizeof old));
    for (seed = 0; seed < 120; seed++) {
        wl_memory_cut cut = cut_of(9, WL_MEMORY_CUT_REORDERED, seed);
        wl_memory *memory = forked(fresh);
        uint64_t cycles;
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_erase(memory, 0));
        OK(wl_memory_program(memory, 0, data, sizeof data));
        cut.operations = 0;
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_power_up(memory));
        OK(wl_memory_read(memory, 0, back, sizeof back));
        OK(wl_memory_get_cycles(memory, 0, &cycles));
        CHECK(all(back, 16, 0xF0) || all(back, 16, 0xFF) || all(back, 16, 0x0F) || all(back, 16, 0));
        both += back[0] == 0;
        whole += back[0] == 0x0F;
        cycles_lost += cycles == 0;
        CHECK(back[0] == 0xF0 || back[0] == 0 ? cycles == 0 : cycles == 1);
        OK(wl_memory_free(memory));
    }
    CHECK(both > 0 && whole > 0 && cycles_lost > 0);
    OK(wl_memory_free(fresh));
}

static void cells(const char *target)
{
    wl_memory *memory = made(target);
    wl_memory_info info = info_of(memory);
    wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
    uint32_t page = (uint32_t)(7 * info.pages_per_block);
    uint64_t at = 7 * info.block_bytes, now = wl_memory_now(memory);
    double joules = wl_memory_energy(memory);
    unsigned char data[300], back[300];
    int32_t is_free = -1;

    memset(data, 0x11, sizeof data);
    OK(wl_memory_poke(memory, at + info.page_bytes - 100, data, sizeof data));
    OK(wl_memory_peek(memory, at + info.page_bytes - 100, back, sizeof back));
    CHECK(all(back, sizeof back, 0x11));
    CHECK(wl_memory_now(memory) == now && wl_memory_energy(memory) == joules);
    CHECK(stats_of(memory).reads == 0 && stats_of(memory).programs == 0);
    OK(wl_memory_read(memory, at + info.page_bytes - 100, back, sizeof back));
    CHECK(all(back, sizeof back, 0x11));
    if (info.programs_per_page == 1) IS(MISUSE, wl_memory_program_page(memory, page, 0, data, 256));
    now = wl_memory_now(memory);
    OK(wl_memory_is_free(memory, page, &is_free));
    CHECK(is_free == 0 && wl_memory_now(memory) > now);
    OK(wl_memory_is_free(memory, page + 5, &is_free));
    CHECK(is_free == 1);
    /* Bits can be set as well. */
    memset(data, 0xFF, sizeof data);
    OK(wl_memory_poke(memory, at + info.page_bytes - 100, data, sizeof data));
    OK(wl_memory_is_free(memory, page, &is_free));
    CHECK(is_free == 1);
    if (info.spare_bytes) {
        unsigned char mark = 0;
        OK(wl_memory_poke_page(memory, page + 1, (uint32_t)info.page_bytes + 9, &mark, 1));
        OK(wl_memory_is_free(memory, page + 1, &is_free));
        CHECK(is_free == 0);
        OK(wl_memory_peek_page(memory, page + 1, (uint32_t)info.page_bytes + 9, back, 1));
        CHECK(back[0] == 0);
        /* A flipped bit shows: cells have no ECC. */
        OK(wl_memory_flip_bit(memory, page + 2, 3, 0));
        OK(wl_memory_peek_page(memory, page + 2, 3, back, 1));
        CHECK(back[0] == 0xFE);
    }
    OK(wl_memory_cut_power(memory, &cut));
    OK(wl_memory_peek(memory, at, back, sizeof back));
    OK(wl_memory_poke(memory, at, data, 1));
    IS(POWER_LOST, wl_memory_is_free(memory, page, &is_free));
    OK(wl_memory_free(memory));
}

/* A block in doubt is settled by a poke. */
static void settled(void)
{
    wl_memory *memory = made("mt25ql128");
    wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, 4);
    unsigned char data[256], back[256];
    cut.erase_leaves = WL_MEMORY_LEAVES_FAILING;
    memset(data, 0x77, sizeof data);
    OK(wl_memory_cut_power(memory, &cut));
    IS(POWER_LOST, wl_memory_erase(memory, 2));
    OK(wl_memory_power_up(memory));
    OK(wl_memory_poke(memory, 8192, data, sizeof data));
    OK(wl_memory_read(memory, 8192, back, sizeof back));
    CHECK(all(back, sizeof back, 0x77));
    OK(wl_memory_program(memory, 8192 + 256, data, sizeof data));
    OK(wl_memory_free(memory));
}

static void ideal_parts(void)
{
    wl_memory_ideal ideal = ideal_of(WL_MEMORY_IDEAL_NOR, 1, 256, 4096, 2048), wrong;
    wl_memory *memory = made_ideal(&ideal), *second;
    wl_memory_info info = info_of(memory);
    unsigned char data[4096], back[4096];
    uint64_t cycles;
    int32_t bad;

    CHECK(info.kind == WL_MEMORY_FLASH && info.bytes == 8u << 20 && info.blocks == 2048 && info.block_bytes == 4096);
    CHECK(info.write_bytes == 256 && info.read_bytes == 1 && info.programs_per_page == 0 && info.spare_bytes == 0);
    memset(data, 0x66, sizeof data);
    OK(wl_memory_program(memory, 4096, data, sizeof data));
    OK(wl_memory_read(memory, 4096, back, sizeof back));
    CHECK(all(back, sizeof back, 0x66));
    IS(MISUSE, wl_memory_program(memory, 8192, data, 100));
    OK(wl_memory_erase(memory, 1));
    OK(wl_memory_get_cycles(memory, 1, &cycles));
    CHECK(cycles == 1 && wl_memory_now(memory) == 0 && isnan(wl_memory_energy(memory)) == 0);
    OK(wl_memory_advance(memory, 10));
    CHECK(wl_memory_now(memory) == 10 && isnan(wl_memory_energy(memory)));
    /* A cut by number comes where nothing takes time, too. */
    {
        wl_memory_cut cut = cut_of(2, WL_MEMORY_CUT_TORN, 1);
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_program(memory, 0, data, 256));
        IS(POWER_LOST, wl_memory_program(memory, 256, data, 256));
        OK(wl_memory_power_up(memory));
    }
    {
        char path[4096];
        snprintf(path, sizeof path, "%s/ideal", folder);
        OK(wl_memory_program(memory, 65536, data, 256));
        OK(wl_memory_save(memory, path));
        second = made_ideal(&ideal);
        OK(wl_memory_load(second, path));
        OK(wl_memory_read(second, 65536, back, 256));
        CHECK(all(back, 256, 0x66));
        OK(wl_memory_free(second));
        wrong = ideal;
        wrong.blocks = 1024;
        second = made_ideal(&wrong);
        IS(BAD_IMAGE, wl_memory_load(second, path));
        IS(BAD_ARGUMENT, wl_memory_restore(second, memory));
        OK(wl_memory_free(second));
    }
    OK(wl_memory_free(memory));

    /* NAND, with the rules and times that were asked for. */
    ideal = ideal_of(WL_MEMORY_IDEAL_NAND, 1, 512, 4096, 8);
    ideal.page_bytes = 1024;
    ideal.spare_bytes = 512;
    ideal.in_order = 1;
    ideal.marks = 1;
    ideal.read_ps = 25000000;
    ideal.program_ps = 200000000;
    ideal.program_byte_ps = 1000;
    ideal.erase_ps = 2000000000;
    memory = made_ideal(&ideal);
    OK(wl_memory_program_page(memory, 1, 0, data, 1024));
    CHECK(wl_memory_last_duration(memory) == 200000000 + 1024000);
    IS(MISUSE, wl_memory_program_page(memory, 1, 0, data, 512));
    IS(MISUSE, wl_memory_program_page(memory, 0, 0, data, 512));
    OK(wl_memory_read_page(memory, 1, 0, back, 1024, NULL));
    CHECK(wl_memory_last_duration(memory) == 25000000);
    OK(wl_memory_erase(memory, 0));
    CHECK(wl_memory_last_duration(memory) == 2000000000);
    OK(wl_memory_mark_bad(memory, 3));
    OK(wl_memory_is_bad(memory, 3, &bad));
    CHECK(bad == 1);
    IS(BAD_BLOCK, wl_memory_erase(memory, 3));
    OK(wl_memory_free(memory));

    /* Bytes, in units that the caller states. */
    ideal = ideal_of(WL_MEMORY_IDEAL_BYTES, 4, 8, 4096, 16);
    ideal.program_ps = 50;
    memory = made_ideal(&ideal);
    CHECK(info_of(memory).kind == WL_MEMORY_BYTES && info_of(memory).bytes == 65536 && info_of(memory).write_bytes == 8);
    OK(wl_memory_write(memory, 8, data, 16));
    CHECK(wl_memory_now(memory) == 50);
    OK(wl_memory_read(memory, 4, back, 24));
    CHECK(all(back, 4, 0) && all(back + 4, 16, 0x66) && all(back + 20, 4, 0));
    IS(MISUSE, wl_memory_write(memory, 4, data, 8));
    IS(MISUSE, wl_memory_write(memory, 8, data, 4));
    IS(MISUSE, wl_memory_read(memory, 2, back, 4));
    OK(wl_memory_get_cycles(memory, 0, &cycles));
    CHECK(cycles == 1);
    OK(wl_memory_free(memory));
    ideal = ideal_of(WL_MEMORY_IDEAL_BYTES, 0, 0, 4096, 16);
    bytes(made_ideal(&ideal));
}

static void refused_ideal(uint64_t member, uint64_t value, uint64_t kind, const char *named)
{
    wl_memory_ideal ideal = ideal_of(kind, 1, 256, 4096, 16);
    wl_memory *memory = (wl_memory *)&ideal;
    memcpy((char *)&ideal + member, &value, sizeof value);
    IS(BAD_ARGUMENT, wl_memory_create_ideal(&ideal, &memory));
    CHECK(memory == NULL);
    if (!strstr(wl_memory_message(), named)) fprintf(stderr, "expected %s\n", named);
    CHECK(strstr(wl_memory_message(), named) != NULL);
}

#include <stddef.h>
#define REFUSED(member, value, kind) \
    refused_ideal(offsetof(wl_memory_ideal, member), value, WL_MEMORY_IDEAL_##kind, #member)

static void bad_arguments(void)
{
    wl_memory_ideal ideal = ideal_of(WL_MEMORY_IDEAL_NOR, 1, 256, 4096, 16);
    wl_memory_options options = options_for("mt25ql128");
    wl_memory *memory, *other = made("em064lx");
    wl_memory_fault fault;
    wl_memory_cut cut;
    unsigned char byte = 0;
    int32_t is_free;

    IS(BAD_ARGUMENT, wl_memory_create_ideal(NULL, &memory));
    IS(BAD_ARGUMENT, wl_memory_create_ideal(&ideal, NULL));
    refused_ideal(offsetof(wl_memory_ideal, size), 8, 1, "wl_memory_ideal");
    refused_ideal(offsetof(wl_memory_ideal, abi), 77, 1, "ABI 77");
    refused_ideal(offsetof(wl_memory_ideal, kind), 3, 3, "kind");
    REFUSED(read_bytes, 3, NOR);
    REFUSED(read_bytes, UINT64_MAX, NOR);
    REFUSED(write_bytes, 3, NOR);
    REFUSED(write_bytes, UINT64_MAX, NOR);
    REFUSED(write_bytes, 3, BYTES);
    refused_ideal(offsetof(wl_memory_ideal, erase_bytes), 0, 1, "blocks of 0 bytes");
    refused_ideal(offsetof(wl_memory_ideal, erase_bytes), UINT64_MAX, 1, "blocks of");
    refused_ideal(offsetof(wl_memory_ideal, erase_bytes), UINT64_MAX, 0, "blocks of");
    refused_ideal(offsetof(wl_memory_ideal, blocks), 0, 1, "0 blocks");
    refused_ideal(offsetof(wl_memory_ideal, blocks), UINT64_MAX / 2, 1, "blocks of");
    REFUSED(page_bytes, 3, NOR);
    REFUSED(page_bytes, UINT64_MAX, NAND);
    REFUSED(page_bytes, 256, BYTES);
    REFUSED(spare_bytes, 3, NAND);
    refused_ideal(offsetof(wl_memory_ideal, spare_bytes), UINT64_MAX - 255, 2, "page of");
    REFUSED(programs_per_page, UINT64_MAX, NAND);
    REFUSED(in_order, 2, NAND);
    REFUSED(marks, 2, NAND);
    REFUSED(marks, 1, NAND);
    REFUSED(moves, 9, NAND);
    REFUSED(banks, 3, NOR);
    REFUSED(banks, UINT64_MAX, NOR);
    REFUSED(banks, 2, BYTES);
    REFUSED(atom_bytes, 7, BYTES);
    REFUSED(atom_bytes, UINT64_MAX, BYTES);
    REFUSED(atom_bytes, 2, NOR);
    REFUSED(strict, 5, NOR);
    REFUSED(erase_ps, 5, BYTES);

    /* Times beyond what a clock holds are an error of the operation. */
    ideal.read_byte_ps = UINT64_MAX;
    ideal.erase_ps = UINT64_MAX;
    memory = made_ideal(&ideal);
    OK(wl_memory_advance(memory, 1));
    IS(DEVICE, wl_memory_read(memory, 0, &byte, 1));
    IS(DEVICE, wl_memory_erase(memory, 0));
    OK(wl_memory_free(memory));

    options.factory_bad = 2;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    options = options_for("mt25ql128");
    options.strict = 2;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    options = options_for("mt25ql128");
    options.erase_bytes = 5000;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    /* A caller of before has no such members: what lies behind its struct is not looked at. */
    options.size = offsetof(wl_memory_options, factory_bad);
    options.factory_bad = 99;
    memory = made_with(&options);

    fault = fault_of(WL_MEMORY_READ_ERROR, 0, 4096, 0, 0);
    IS(BAD_HANDLE, wl_memory_add_fault(NULL, &fault));
    IS(BAD_ARGUMENT, wl_memory_add_fault(memory, NULL));
    fault.size = 8;
    IS(BAD_ARGUMENT, wl_memory_add_fault(memory, &fault));
    fault = fault_of(WL_MEMORY_GOOD, 0, 4096, 0, 0);
    IS(BAD_ARGUMENT, wl_memory_add_fault(memory, &fault));
    fault = fault_of(7, 0, 4096, 0, 0);
    IS(BAD_ARGUMENT, wl_memory_add_fault(memory, &fault));
    fault = fault_of(UINT64_MAX, 0, 4096, 0, 0);
    IS(BAD_ARGUMENT, wl_memory_add_fault(memory, &fault));
    fault = fault_of(WL_MEMORY_READ_ERROR, 1, 4096, 0, 0);
    IS(MISUSE, wl_memory_add_fault(memory, &fault));
    fault = fault_of(WL_MEMORY_READ_ERROR, UINT64_MAX, 4096, 0, 0);
    IS(OUT_OF_RANGE, wl_memory_add_fault(memory, &fault));
    fault = fault_of(WL_MEMORY_READ_ERROR, 4096, UINT64_MAX, 0, 0);
    IS(OUT_OF_RANGE, wl_memory_add_fault(memory, &fault));
    IS(OUT_OF_RANGE, wl_memory_clear_faults(memory, UINT64_MAX, 2));
    IS(MISUSE, wl_memory_clear_faults(memory, 1, 2));
    IS(BAD_HANDLE, wl_memory_clear_faults(NULL, 0, 0));
    IS(BAD_ARGUMENT, wl_memory_peek(memory, 0, NULL, 1));
    OK(wl_memory_peek(memory, 0, NULL, 0));
    IS(OUT_OF_RANGE, wl_memory_peek(memory, UINT64_MAX, &byte, 1));
    IS(OUT_OF_RANGE, wl_memory_peek(memory, 1, &byte, UINT64_MAX));
    IS(BAD_HANDLE, wl_memory_peek(NULL, 0, &byte, 1));
    IS(BAD_ARGUMENT, wl_memory_poke(memory, 0, NULL, 1));
    IS(OUT_OF_RANGE, wl_memory_poke(memory, UINT64_MAX, &byte, 1));
    IS(BAD_HANDLE, wl_memory_poke(NULL, 0, &byte, 1));
    IS(BAD_ARGUMENT, wl_memory_peek_page(memory, 0, 0, NULL, 1));
    IS(OUT_OF_RANGE, wl_memory_peek_page(memory, UINT32_MAX, 0, &byte, 1));
    IS(OUT_OF_RANGE, wl_memory_peek_page(memory, 0, UINT32_MAX, &byte, 1));
    IS(UNSUPPORTED, wl_memory_peek_page(other, 0, 0, &byte, 1));
    IS(BAD_ARGUMENT, wl_memory_poke_page(memory, 0, 0, NULL, 1));
    IS(OUT_OF_RANGE, wl_memory_poke_page(memory, 0, 256, &byte, 1));
    IS(UNSUPPORTED, wl_memory_poke_page(other, 0, 0, &byte, 1));
    IS(BAD_ARGUMENT, wl_memory_is_free(memory, 0, NULL));
    IS(OUT_OF_RANGE, wl_memory_is_free(memory, UINT32_MAX, &is_free));
    IS(UNSUPPORTED, wl_memory_is_free(other, 0, &is_free));
    IS(BAD_HANDLE, wl_memory_is_free(NULL, 0, &is_free));
    cut = cut_of(1, WL_MEMORY_CUT_TORN, 0);
    cut.erase_leaves = 32;
    IS(BAD_ARGUMENT, wl_memory_cut_power(memory, &cut));
    cut.size = offsetof(wl_memory_cut, erase_leaves);
    OK(wl_memory_cut_power(memory, &cut));
    OK(wl_memory_free(memory));
    OK(wl_memory_free(other));
}

/* Where faults meet: what is mended beside a range, what an erase of many blocks keeps, and what a cut or the strict mode
 * makes of operations that come to nothing. */
static void where_faults_meet(void)
{
    wl_memory_options options = options_for("mt25ql128");
    wl_memory *memory = made("em064lx");
    unsigned char old[256], data[256], back[256];
    uint64_t seed;
    memset(old, 0xF0, sizeof old);
    memset(data, 0x3C, sizeof data);

    /* Mending ends at the last byte of its range, and begins at the first. */
    add(memory, WL_MEMORY_READ_ERROR, 4200, 8, 0, 0);
    OK(wl_memory_clear_faults(memory, 4096, 104));
    OK(wl_memory_clear_faults(memory, 4208, 8));
    IS(UNCORRECTABLE, wl_memory_read(memory, 4200, back, 8));
    OK(wl_memory_clear_faults(memory, 4207, 1));
    OK(wl_memory_read(memory, 4200, back, 8));

    /* A cut cannot let a write be there that a fault has lost. */
    OK(wl_memory_write(memory, 0, old, sizeof old));
    OK(wl_memory_sync(memory));
    for (seed = 0; seed < 40; seed++) {
        wl_memory *fork = forked(memory);
        wl_memory_cut cut = cut_of(9, WL_MEMORY_CUT_REORDERED, seed);
        add(fork, WL_MEMORY_PROGRAM_NOOP, 0, sizeof old, 0, 0);
        OK(wl_memory_cut_power(fork, &cut));
        OK(wl_memory_write(fork, 0, data, sizeof data));
        cut.operations = 0;
        OK(wl_memory_cut_power(fork, &cut));
        OK(wl_memory_power_up(fork));
        OK(wl_memory_peek(fork, 0, back, sizeof back));
        CHECK(all(back, sizeof back, 0xF0));
        OK(wl_memory_free(fork));
    }
    OK(wl_memory_free(memory));

    options.strict = 1;
    memory = made_with(&options);
    for (seed = 0; seed < 40; seed++) {
        wl_memory *fork = forked(memory);
        wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, seed);
        add(fork, WL_MEMORY_PROGRAM_NOOP, 0, 4096, 0, 0);
        OK(wl_memory_cut_power(fork, &cut));
        IS(POWER_LOST, wl_memory_program(fork, 0, data, sizeof data));
        OK(wl_memory_power_up(fork));
        OK(wl_memory_read(fork, 0, back, sizeof back));
        CHECK(all(back, sizeof back, 0xFF));
        OK(wl_memory_free(fork));
    }

    /* One erase of 64 KiB: each of its blocks that an erase leaves alone keeps what it has. */
    OK(wl_memory_program(memory, 3 * 4096, old, sizeof old));
    OK(wl_memory_program(memory, 7 * 4096, old, sizeof old));
    OK(wl_memory_program(memory, 8 * 4096, old, sizeof old));
    add(memory, WL_MEMORY_ERASE_NOOP, 3 * 4096, 4096, 0, 1);
    add(memory, WL_MEMORY_ERASE_STALE, 7 * 4096, 4096, 0, 1);
    OK(wl_memory_erase_range(memory, 0, 65536, 0));
    OK(wl_memory_read(memory, 3 * 4096, back, sizeof back));
    CHECK(all(back, sizeof back, 0xF0));
    OK(wl_memory_read(memory, 7 * 4096, back, sizeof back));
    CHECK(all(back, sizeof back, 0xF0));
    OK(wl_memory_read(memory, 8 * 4096, back, sizeof back));
    CHECK(all(back, sizeof back, 0xFF));

    /* A driver that is strict cannot know that an erase did nothing, and one more of those does not end it. */
    OK(wl_memory_program(memory, 7 * 4096, data, sizeof data));
    add(memory, WL_MEMORY_ERASE_NOOP, 7 * 4096, 4096, 0, 1);
    OK(wl_memory_erase(memory, 7));
    OK(wl_memory_program(memory, 7 * 4096, data, sizeof data));
    OK(wl_memory_read(memory, 7 * 4096, back, sizeof back));
    CHECK(all(back, sizeof back, 0xF0));
    OK(wl_memory_erase(memory, 7));
    OK(wl_memory_program(memory, 7 * 4096, data, sizeof data));
    OK(wl_memory_read(memory, 7 * 4096, back, sizeof back));
    CHECK(all(back, sizeof back, 0x3C));
    OK(wl_memory_free(memory));
}

/* Bytes of a word that a text has left. */
static int kept(const unsigned char *back, const char *text)
{
    return memcmp(back, text, strlen(text)) == 0;
}

/* SRAM and PSRAM forget all of it, at whatever instant the power goes; what is not volatile keeps it. */
static void volatile_parts(const char *target, int forgets)
{
    static const uint64_t operations[] = {0, 1, 2};
    wl_memory_options options = options_for(target);
    unsigned char first[64], back[64], again[64];
    wl_memory *memory, *twin;
    wl_memory_cut cut;
    size_t i;
    uint64_t last;

    options.seed = 5;
    memory = made_with(&options);
    last = info_of(memory).bytes - sizeof back;
    CHECK(info_of(memory).forgets == (uint64_t)forgets);
    for (i = 0; i < 3; i++) {
        OK(wl_memory_write(memory, 0, "wordline", 8));
        OK(wl_memory_write(memory, last, "wordline", 8));
        twin = forked(memory);
        cut = cut_of(operations[i], WL_MEMORY_CUT_TORN, 1);
        OK(wl_memory_cut_power(memory, &cut));
        if (operations[i] > 1) OK(wl_memory_write(memory, 128, "x", 1));
        if (operations[i] > 0) IS(POWER_LOST, wl_memory_write(memory, 256, "x", 1));
        OK(wl_memory_peek(memory, 0, first, sizeof first));
        OK(wl_memory_power_up(memory));
        OK(wl_memory_read(memory, 0, back, sizeof back));
        CHECK(memcmp(first, back, sizeof back) == 0);
        CHECK(kept(back, "wordline") == !forgets);
        OK(wl_memory_read(memory, last, back, sizeof back));
        CHECK(kept(back, "wordline") == !forgets);
        /* The same calls give the same bytes, and another cut gives others. */
        cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
        OK(wl_memory_cut_power(twin, &cut));
        OK(wl_memory_peek(twin, 0, back, sizeof back));
        CHECK(memcmp(first, back, sizeof back) == 0);
        if (forgets) {
            OK(wl_memory_power_up(twin));
            OK(wl_memory_cut_power(twin, &cut));
            OK(wl_memory_peek(twin, 0, again, sizeof again));
            CHECK(memcmp(again, back, sizeof back) != 0);
        }
        OK(wl_memory_free(twin));
    }
    OK(wl_memory_free(memory));
    options.seed = 6;
    twin = made_with(&options);
    OK(wl_memory_peek(twin, 0, back, sizeof back));
    CHECK(all(back, sizeof back, 0));
    OK(wl_memory_free(twin));
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    folder = arguments[1];
    several("mt25ql128");
    several("mt29f2g08aad");
    by_chance();
    bytes(made("em064lx"));
    stale("mt25ql128");
    stale("mt29f1g01");
    strict();
    CHECK(bad_blocks(WL_MEMORY_FACTORY_SHEET) > 0);
    CHECK(bad_blocks(WL_MEMORY_FACTORY_NONE) == 0);
    choices_of_torn_erases();
    reordered();
    marks();
    lost_erases();
    cells("mt25ql128");
    cells("mt29f2g08aad");
    settled();
    volatile_parts("cy62167g", 1);
    volatile_parts("aps6404l-3sqr", 1);
    volatile_parts("em064lx", 0);
    ideal_parts();
    where_faults_meet();
    bad_arguments();
    return 0;
}
