/* Drives memories as storage software does, and fails where they do not keep what the header promises. The argument is a
 * folder for files. */
#include <math.h>

#include "checks.h"

static const char *folder;

static const char *file(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static wl_memory_cut cut_of_time(uint64_t time_ps, uint64_t tear, uint64_t seed)
{
    wl_memory_cut cut = cut_of(0, tear, seed);
    cut.time_ps = time_ps;
    return cut;
}

static void bad_arguments(void)
{
    wl_memory_options options = options_for("mt25ql128");
    wl_memory *memory = (wl_memory *)&options;
    wl_memory *freed;
    wl_memory_info info;
    unsigned char byte = 0;

    CHECK(wl_memory_abi() == WL_MEMORY_ABI);
    CHECK(wl_memory_create(NULL, &memory) == WL_MEMORY_BAD_ARGUMENT && memory == NULL);
    CHECK(wl_memory_create(&options, NULL) == WL_MEMORY_BAD_ARGUMENT);
    options.size = 8;
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_ARGUMENT);
    options = options_for("mt25ql128");
    options.abi = 99;
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_ARGUMENT);
    options = options_for(NULL);
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_ARGUMENT);
    options = options_for("\xff\xfe");
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_ARGUMENT);
    options = options_for("no-such-part");
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_TARGET);
    CHECK(strstr(wl_memory_message(), "no-such-part") != NULL);
    options = options_for("mt25ql128");
    options.age = 1.5;
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_ARGUMENT);
    options.age = NAN;
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_ARGUMENT);
    options.age = 0;
    options.timing = "fast";
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_ARGUMENT);
    options.timing = "max";
    options.catalog = "/no/such/folder";
    CHECK(wl_memory_create(&options, &memory) == WL_MEMORY_BAD_TARGET);

    CHECK(wl_memory_read(NULL, 0, &byte, 1) == WL_MEMORY_BAD_HANDLE);
    CHECK(wl_memory_read((wl_memory *)&options, 0, &byte, 1) == WL_MEMORY_BAD_HANDLE);
    CHECK(wl_memory_now(NULL) == 0 && wl_memory_last_duration(NULL) == 0);
    CHECK(isnan(wl_memory_energy(NULL)));
    OK(wl_memory_free(NULL));

    freed = made("mt25ql128");
    OK(wl_memory_read(freed, 0, &byte, 1));
    OK(wl_memory_free(freed));
    CHECK(wl_memory_free(freed) == WL_MEMORY_BAD_HANDLE);
    CHECK(wl_memory_read(freed, 0, &byte, 1) == WL_MEMORY_BAD_HANDLE);
    CHECK(wl_memory_sync(freed) == WL_MEMORY_BAD_HANDLE);
    CHECK(wl_memory_restore(freed, freed) == WL_MEMORY_BAD_HANDLE);
    CHECK(wl_memory_fork(freed, &memory) == WL_MEMORY_BAD_HANDLE && memory == NULL);

    memory = made("mt25ql128");
    CHECK(wl_memory_get_info(memory, NULL) == WL_MEMORY_BAD_ARGUMENT);
    info.size = 16;
    CHECK(wl_memory_get_info(memory, &info) == WL_MEMORY_BAD_ARGUMENT);
    CHECK(wl_memory_read(memory, 0, NULL, 1) == WL_MEMORY_BAD_ARGUMENT);
    OK(wl_memory_read(memory, 0, NULL, 0));
    CHECK(wl_memory_read(memory, UINT64_MAX, &byte, 1) == WL_MEMORY_OUT_OF_RANGE);
    CHECK(wl_memory_read(memory, 0, &byte, UINT64_MAX) == WL_MEMORY_OUT_OF_RANGE);
    CHECK(wl_memory_read_page(memory, 0, 255, &byte, 2, NULL) == WL_MEMORY_OUT_OF_RANGE);
    CHECK(wl_memory_read_page(memory, UINT32_MAX, 0, &byte, 1, NULL) == WL_MEMORY_OUT_OF_RANGE);
    CHECK(wl_memory_erase(memory, 1u << 31) == WL_MEMORY_OUT_OF_RANGE);
    CHECK(wl_memory_write(memory, 0, &byte, 1) == WL_MEMORY_UNSUPPORTED);
    CHECK(wl_memory_mark_bad(memory, 0) == WL_MEMORY_MISUSE);
    CHECK(wl_memory_set_fault(memory, 0, 7) == WL_MEMORY_BAD_ARGUMENT);
    CHECK(wl_memory_set_fault(memory, 1u << 31, 1) == WL_MEMORY_OUT_OF_RANGE);
    CHECK(wl_memory_flip_bit(memory, 0, 0, 8) == WL_MEMORY_BAD_ARGUMENT);
    CHECK(wl_memory_power_up(memory) == WL_MEMORY_MISUSE);
    CHECK(wl_memory_advance(memory, UINT64_MAX) == WL_MEMORY_DEVICE);
    CHECK(wl_memory_save(memory, NULL) == WL_MEMORY_BAD_ARGUMENT);
    CHECK(wl_memory_save(memory, "/no/such/folder/image") == WL_MEMORY_FILE);
    CHECK(wl_memory_load(memory, "/no/such/folder/image") == WL_MEMORY_FILE);
    CHECK(wl_memory_trace_to(memory, "/no/such/folder/trace") == WL_MEMORY_FILE);
    CHECK(wl_memory_get_cycles(memory, 0, NULL) == WL_MEMORY_BAD_ARGUMENT);
    CHECK(wl_memory_get_cycles(memory, UINT64_MAX, NULL) == WL_MEMORY_OUT_OF_RANGE);
    OK(wl_memory_free(memory));

    CHECK(WL_MEMORY_LITTLEFS(WL_MEMORY_OK) == 0);
    CHECK(WL_MEMORY_LITTLEFS(WL_MEMORY_UNCORRECTABLE) == -84);
    CHECK(WL_MEMORY_LITTLEFS(WL_MEMORY_BAD_BLOCK) == -84);
    CHECK(WL_MEMORY_LITTLEFS(WL_MEMORY_MISUSE) == -22);
    CHECK(WL_MEMORY_LITTLEFS(WL_MEMORY_POWER_LOST) == -5);
    {
        /* A call in it is made once. */
        wl_memory_status statuses[2] = {WL_MEMORY_ERASE_FAILED, WL_MEMORY_OK}, *next = statuses;
        CHECK(WL_MEMORY_LITTLEFS(*next++) == -84 && next == statuses + 1);
    }
}

static void nor(void)
{
    wl_memory *memory = made("mt25ql128");
    wl_memory_info info = info_of(memory);
    wl_memory_stats stats;
    unsigned char data[600], back[600];
    uint64_t cycles, before;
    size_t i;

    CHECK(info.kind == WL_MEMORY_FLASH && info.bytes == 16u << 20 && info.block_bytes == 4096);
    CHECK(info.page_bytes == 256 && info.spare_bytes == 0 && info.blocks == 4096);
    for (i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 + 1);
    before = wl_memory_now(memory);
    OK(wl_memory_program(memory, 100, data, sizeof data));
    CHECK(wl_memory_now(memory) > before);
    OK(wl_memory_read(memory, 100, back, sizeof back));
    CHECK(memcmp(data, back, sizeof data) == 0);
    stats = stats_of(memory);
    CHECK(stats.programs == 3 && stats.reads == 1 && stats.bytes_written == 600 && stats.bytes_read == 600);
    CHECK(stats.busy_ps == wl_memory_now(memory) - before && stats.longest_ps > 0);
    CHECK(wl_memory_energy(memory) > 0);
    before = wl_memory_now(memory);
    OK(wl_memory_erase(memory, 0));
    CHECK(wl_memory_last_duration(memory) == wl_memory_now(memory) - before);
    OK(wl_memory_read(memory, 100, back, sizeof back));
    for (i = 0; i < sizeof back; i++) CHECK(back[i] == 0xFF);
    OK(wl_memory_get_cycles(memory, 0, &cycles));
    CHECK(cycles == 1);
    OK(wl_memory_set_cycles(memory, 0, 90000));
    OK(wl_memory_erase(memory, 0));
    OK(wl_memory_get_cycles(memory, 0, &cycles));
    CHECK(cycles == 90001);
    CHECK(wl_memory_set_cycles(memory, 0, UINT64_MAX) == WL_MEMORY_BAD_ARGUMENT);
    before = wl_memory_now(memory);
    OK(wl_memory_advance(memory, 1000000));
    CHECK(wl_memory_now(memory) == before + 1000000);
    OK(wl_memory_reset_stats(memory));
    CHECK(stats_of(memory).erases == 0);

    OK(wl_memory_program(memory, 0, data, 4));
    OK(wl_memory_flip_bit(memory, 0, 0, 3));
    OK(wl_memory_read(memory, 0, back, 1));
    CHECK(back[0] == (data[0] ^ 8));
    OK(wl_memory_free(memory));
}

static void nand(void)
{
    wl_memory *memory = made("mt29f1g01");
    wl_memory_info info = info_of(memory);
    wl_memory_ecc ecc;
    unsigned char page[2048], back[2048], spare[4] = {1, 2, 3, 4};
    uint32_t block = 3, first = block * 64, bit;
    int32_t bad = -1;

    CHECK(info.page_bytes == 2048 && info.spare_bytes == 128 && info.pages_per_block == 64);
    CHECK(info.programs_per_page == 4 && info.in_order == 1);
    memset(page, 0x5A, sizeof page);
    OK(wl_memory_program_page(memory, first, 0, page, sizeof page));
    CHECK(wl_memory_program_page(memory, first, 0, page, 512) == WL_MEMORY_MISUSE);
    OK(wl_memory_program_page(memory, first + 2, 2048 + 32, spare, 4));
    CHECK(wl_memory_program_page(memory, first + 1, 0, page, sizeof page) == WL_MEMORY_MISUSE);
    OK(wl_memory_read_page(memory, first + 2, 2048 + 32, back, 4, NULL));
    CHECK(memcmp(back, spare, 4) == 0);

    ecc.size = sizeof ecc;
    OK(wl_memory_read_page(memory, first, 0, back, sizeof back, &ecc));
    CHECK(ecc.corrected == 0 && memcmp(page, back, sizeof page) == 0);
    for (bit = 0; bit < 3; bit++) OK(wl_memory_flip_bit(memory, first, 10 + bit, 1));
    OK(wl_memory_read_page(memory, first, 0, back, sizeof back, &ecc));
    CHECK(ecc.corrected >= 3 && memcmp(page, back, sizeof page) == 0);
    for (bit = 0; bit < 8; bit++) OK(wl_memory_flip_bit(memory, first, 100, bit));
    CHECK(wl_memory_read_page(memory, first, 0, back, sizeof back, &ecc) == WL_MEMORY_UNCORRECTABLE);
    CHECK(wl_memory_read(memory, (uint64_t)first * 2048, back, sizeof back) == WL_MEMORY_UNCORRECTABLE);

    OK(wl_memory_is_bad(memory, block, &bad));
    CHECK(bad == 0);
    OK(wl_memory_mark_bad(memory, block));
    OK(wl_memory_is_bad(memory, block, &bad));
    CHECK(bad == 1);
    CHECK(wl_memory_erase(memory, block) == WL_MEMORY_BAD_BLOCK);
    CHECK(wl_memory_program_page(memory, first + 5, 0, page, sizeof page) == WL_MEMORY_BAD_BLOCK);
    OK(wl_memory_free(memory));
}

static void faults(const char *target)
{
    wl_memory *memory = made(target);
    wl_memory_info info = info_of(memory);
    uint32_t unit = (uint32_t)info.write_bytes * 16;
    uint64_t at = 5 * info.block_bytes, before;
    unsigned char data[512], back[512], zero[512], kept[512];

    CHECK(unit <= sizeof data);
    memset(data, 0xA5, sizeof data);
    memset(zero, 0, sizeof zero);
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_PROGRAM_ERROR));
    before = wl_memory_now(memory);
    CHECK(wl_memory_program(memory, at, data, unit) == WL_MEMORY_PROGRAM_FAILED);
    CHECK(wl_memory_now(memory) > before);
    OK(wl_memory_program(memory, at + info.block_bytes, data, unit));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(back[0] == 0xFF);
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_PROGRAM_NOOP));
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(back[0] == 0xFF);
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_GOOD));
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_READ_ERROR));
    CHECK(wl_memory_read(memory, at, back, unit) == WL_MEMORY_UNCORRECTABLE);
    CHECK(memcmp(back, zero, unit) == 0);
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_ERASE_ERROR));
    CHECK(wl_memory_erase(memory, 5) == WL_MEMORY_ERASE_FAILED);
    OK(wl_memory_read(memory, at, kept, unit));
    CHECK(memcmp(kept, data, unit) == 0);
    OK(wl_memory_set_fault(memory, 5, WL_MEMORY_ERASE_NOOP));
    OK(wl_memory_erase(memory, 5));
    OK(wl_memory_read(memory, at, kept, unit));
    CHECK(memcmp(kept, data, unit) == 0);
    memset(data, 0x0F, sizeof data);
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_read(memory, at, kept, unit));
    CHECK(kept[0] == (0xA5 & 0x0F));
    OK(wl_memory_free(memory));
}

static void snapshots(void)
{
    wl_memory *memory = made("mt25ql128"), *other = made("mt29f1g01"), *kept = NULL;
    unsigned char one[256], two[256], back[256];
    uint64_t now;

    memset(one, 0x11, sizeof one);
    memset(two, 0x22, sizeof two);
    OK(wl_memory_program(memory, 0, one, sizeof one));
    OK(wl_memory_fork(memory, &kept));
    now = wl_memory_now(memory);
    CHECK(wl_memory_now(kept) == now);
    OK(wl_memory_erase(memory, 0));
    OK(wl_memory_program(memory, 0, two, sizeof two));
    OK(wl_memory_read(kept, 0, back, sizeof back));
    CHECK(memcmp(back, one, sizeof one) == 0);
    OK(wl_memory_restore(memory, kept));
    OK(wl_memory_read(memory, 0, back, sizeof back));
    CHECK(memcmp(back, one, sizeof one) == 0);
    CHECK(wl_memory_restore(memory, other) == WL_MEMORY_BAD_ARGUMENT);
    OK(wl_memory_restore(memory, memory));
    OK(wl_memory_free(kept));
    OK(wl_memory_free(other));
    OK(wl_memory_free(memory));
}

/* Every seed leaves something that a torn program or erase can leave, and the same seed the same. */
static void power_cuts(const char *target)
{
    wl_memory *fresh = made(target), *memory = NULL, *again = NULL;
    wl_memory_info info = info_of(fresh);
    uint32_t bytes = (uint32_t)info.page_bytes, column;
    unsigned char *data = (unsigned char *)malloc(bytes), *back = (unsigned char *)malloc(bytes);
    unsigned char *same = (unsigned char *)malloc(bytes);
    int torn = 0, lost = 0;
    uint64_t seed;

    CHECK(data && back && same);
    memset(data, 0x3C, bytes);
    for (seed = 0; seed < 60; seed++) {
        wl_memory_cut cut = cut_of(2, WL_MEMORY_CUT_TORN, seed);
        wl_memory_status status;
        uint64_t start;
        OK(wl_memory_fork(fresh, &memory));
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_program_page(memory, 64, 0, data, bytes));
        start = wl_memory_now(memory);
        CHECK(wl_memory_program_page(memory, 65, 0, data, bytes) == WL_MEMORY_POWER_LOST);
        CHECK(wl_memory_now(memory) > start);
        CHECK(wl_memory_read(memory, 0, back, 1) == WL_MEMORY_POWER_LOST);
        CHECK(wl_memory_save(memory, "x") == WL_MEMORY_POWER_LOST);
        OK(wl_memory_power_up(memory));
        OK(wl_memory_read_page(memory, 64, 0, back, bytes, NULL));
        CHECK(memcmp(back, data, bytes) == 0);
        OK(wl_memory_fork(memory, &again));
        status = wl_memory_read_page(memory, 65, 0, back, bytes, NULL);
        CHECK(status == wl_memory_read_page(again, 65, 0, same, bytes, NULL));
        if (status == WL_MEMORY_UNCORRECTABLE) {
            lost++;
        } else {
            CHECK(status == WL_MEMORY_OK && memcmp(back, same, bytes) == 0);
            for (column = 0; column < bytes; column++) CHECK((back[column] & data[column]) == data[column]);
            if (memcmp(back, data, bytes) != 0) torn++;
        }
        /* An erase mends the block, unless it came to fail: then its weakness is told. */
        status = wl_memory_erase(memory, (uint32_t)(64 / info.pages_per_block));
        CHECK(status == WL_MEMORY_OK);
        OK(wl_memory_read_page(memory, 65 - 65 % (uint32_t)info.pages_per_block, 0, back, bytes, NULL));
        CHECK(back[0] == 0xFF);
        OK(wl_memory_free(again));
        OK(wl_memory_free(memory));
    }
    CHECK(torn + lost > 20);

    /* By time, within an erase: it cannot end before it began, and counts as a cycle. */
    {
        wl_memory_cut cut = cut_of_time(wl_memory_now(fresh) + 50000000, WL_MEMORY_CUT_TORN, 3);
        uint64_t cycles = 0, block = 9;
        OK(wl_memory_fork(fresh, &memory));
        OK(wl_memory_cut_power(memory, &cut));
        CHECK(wl_memory_erase(memory, (uint32_t)block) == WL_MEMORY_POWER_LOST);
        CHECK(wl_memory_now(memory) == cut.time_ps);
        OK(wl_memory_power_up(memory));
        OK(wl_memory_get_cycles(memory, block, &cycles));
        CHECK(cycles <= 1);
        OK(wl_memory_free(memory));
    }
    /* At once, and in a pause. */
    {
        wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
        OK(wl_memory_cut_power(fresh, &cut));
        CHECK(wl_memory_sync(fresh) == WL_MEMORY_POWER_LOST);
        CHECK(wl_memory_cut_power(fresh, &cut) == WL_MEMORY_POWER_LOST);
        OK(wl_memory_power_up(fresh));
        cut.time_ps = wl_memory_now(fresh) + 1000;
        OK(wl_memory_cut_power(fresh, &cut));
        CHECK(wl_memory_advance(fresh, 5000) == WL_MEMORY_POWER_LOST);
        CHECK(wl_memory_now(fresh) == cut.time_ps);
        OK(wl_memory_power_up(fresh));
        cut.tear = 3;
        CHECK(wl_memory_cut_power(fresh, &cut) == WL_MEMORY_BAD_ARGUMENT);
        CHECK(stats_of(fresh).power_cuts == 2);
    }
    OK(wl_memory_free(fresh));
    free(data);
    free(back);
    free(same);
}

/* Whether a cut can leave the second of two writes without the first, with a sync between them or not. */
static int is_reordered(int with_sync)
{
    wl_memory *fresh = made("em064lx"), *memory = NULL;
    unsigned char old[8] = {0}, new_bytes[8] = {9, 9, 9, 9, 9, 9, 9, 9}, one[8], two[8];
    int seen = 0;
    uint64_t seed;

    for (seed = 0; seed < 200; seed++) {
        wl_memory_cut cut = cut_of(2, WL_MEMORY_CUT_REORDERED, seed);
        OK(wl_memory_fork(fresh, &memory));
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_write(memory, 0, new_bytes, sizeof new_bytes));
        if (with_sync) OK(wl_memory_sync(memory));
        CHECK(wl_memory_write(memory, 4096, new_bytes, sizeof new_bytes) == WL_MEMORY_POWER_LOST);
        OK(wl_memory_power_up(memory));
        OK(wl_memory_read(memory, 0, one, sizeof one));
        OK(wl_memory_read(memory, 4096, two, sizeof two));
        if (memcmp(one, old, sizeof one) == 0 && memcmp(two, old, sizeof two) != 0) seen++;
        OK(wl_memory_free(memory));
    }
    OK(wl_memory_free(fresh));
    return seen;
}

enum without { IN_A_PAUSE, AT_ONCE, IN_A_SYNC };

/* How many cuts that interrupt no write leave the second of two writes without the first. */
static int is_lost_without_write(const char *target, enum without when, int with_sync)
{
    wl_memory *fresh = made(target), *memory = NULL;
    unsigned char bytes[8], old[8], one[8], two[8];
    uint64_t seed, written, synced;
    int seen = 0;

    memset(bytes, 9, sizeof bytes);
    OK(wl_memory_fork(fresh, &memory));
    OK(wl_memory_read(memory, 0, old, sizeof old));
    OK(wl_memory_free(memory));
    OK(wl_memory_fork(fresh, &memory));
    OK(wl_memory_write(memory, 0, bytes, sizeof bytes));
    if (with_sync) OK(wl_memory_sync(memory));
    OK(wl_memory_write(memory, 4096, bytes, sizeof bytes));
    written = wl_memory_now(memory);
    OK(wl_memory_sync(memory));
    synced = wl_memory_now(memory);
    OK(wl_memory_free(memory));
    /* Where a sync takes no time, the power goes when it begins. */
    if (when == IN_A_SYNC) CHECK(strcmp(target, "emd4e001g") != 0 || synced > written + 1);
    for (seed = 0; seed < 100; seed++) {
        uint64_t time = when == IN_A_SYNC ? written + (synced - written) / 2 : written + 2000;
        wl_memory_cut cut = cut_of_time(time, WL_MEMORY_CUT_REORDERED, seed);
        OK(wl_memory_fork(fresh, &memory));
        OK(wl_memory_cut_power(memory, &cut));
        OK(wl_memory_write(memory, 0, bytes, sizeof bytes));
        if (with_sync) OK(wl_memory_sync(memory));
        OK(wl_memory_write(memory, 4096, bytes, sizeof bytes));
        if (when == IN_A_PAUSE) CHECK(wl_memory_advance(memory, 5000) == WL_MEMORY_POWER_LOST);
        if (when == IN_A_SYNC) CHECK(wl_memory_sync(memory) == WL_MEMORY_POWER_LOST);
        if (when == AT_ONCE) {
            cut.time_ps = 0;
            OK(wl_memory_cut_power(memory, &cut));
        } else {
            CHECK(wl_memory_now(memory) == time);
        }
        CHECK(stats_of(memory).power_cuts == 1);
        OK(wl_memory_power_up(memory));
        OK(wl_memory_read(memory, 0, one, sizeof one));
        OK(wl_memory_read(memory, 4096, two, sizeof two));
        if (memcmp(one, old, sizeof one) == 0 && memcmp(two, old, sizeof two) != 0) seen++;
        OK(wl_memory_free(memory));
    }
    OK(wl_memory_free(fresh));
    return seen;
}

static void cuts_without_write(void)
{
    static const char *const targets[] = {"em064lx", "emd4e001g"};
    size_t i;
    for (i = 0; i < sizeof targets / sizeof *targets; i++) {
        int when;
        for (when = IN_A_PAUSE; when <= IN_A_SYNC; when++) {
            CHECK(is_lost_without_write(targets[i], (enum without)when, 0) > 0);
            CHECK(is_lost_without_write(targets[i], (enum without)when, 1) == 0);
        }
    }
}

/* Pointers to anything may lie at any byte. */
static void misaligned(void)
{
    unsigned char room[sizeof(wl_memory_options) + 1], found[sizeof(wl_memory_info) + 1];
    unsigned char place[sizeof(wl_memory *) + 1], number[sizeof(uint64_t) + 1];
    wl_memory_options options = options_for("mt25ql128");
    wl_memory_info info;
    wl_memory *memory = NULL;
    uint64_t cycles = 1;

    memcpy(room + 1, &options, sizeof options);
    OK(wl_memory_create((const wl_memory_options *)(const void *)(room + 1), (wl_memory **)(void *)(place + 1)));
    memcpy(&memory, place + 1, sizeof memory);
    info.size = sizeof info;
    memcpy(found + 1, &info, sizeof info);
    OK(wl_memory_get_info(memory, (wl_memory_info *)(void *)(found + 1)));
    memcpy(&info, found + 1, sizeof info);
    CHECK(info.kind == WL_MEMORY_FLASH);
    OK(wl_memory_get_cycles(memory, 0, (uint64_t *)(void *)(number + 1)));
    memcpy(&cycles, number + 1, sizeof cycles);
    CHECK(cycles == 0);
    OK(wl_memory_free(memory));
}

static void mram(void)
{
    wl_memory *memory = made("em064lx");
    wl_memory_info info = info_of(memory);
    unsigned char data[100], back[100];
    uint64_t cycles;

    CHECK(info.kind == WL_MEMORY_BYTES && info.page_bytes == 0 && info.blocks == 0 && info.atom_bytes >= 1);
    memset(data, 0x77, sizeof data);
    OK(wl_memory_write(memory, 1234, data, sizeof data));
    OK(wl_memory_sync(memory));
    OK(wl_memory_read(memory, 1234, back, sizeof back));
    CHECK(memcmp(data, back, sizeof data) == 0);
    CHECK(wl_memory_erase(memory, 0) == WL_MEMORY_UNSUPPORTED);
    CHECK(wl_memory_program(memory, 0, data, 1) == WL_MEMORY_UNSUPPORTED);
    CHECK(wl_memory_read_page(memory, 0, 0, back, 1, NULL) == WL_MEMORY_UNSUPPORTED);
    CHECK(wl_memory_flip_bit(memory, 0, 0, 0) == WL_MEMORY_UNSUPPORTED);
    CHECK(wl_memory_write(memory, info.bytes, data, 1) == WL_MEMORY_OUT_OF_RANGE);
    OK(wl_memory_get_cycles(memory, 1234 / info.wear_unit_bytes, &cycles));
    CHECK(cycles == 1);
    OK(wl_memory_set_cycles(memory, 7, 1000));
    OK(wl_memory_get_cycles(memory, 7, &cycles));
    CHECK(cycles == 1000);
    OK(wl_memory_free(memory));
    CHECK(is_reordered(0) > 0);
    CHECK(is_reordered(1) == 0);
}

static void images(const char *target, const char *other)
{
    wl_memory *memory = made(target), *second = made(target), *wrong = made(other);
    wl_memory_info info = info_of(memory);
    uint32_t unit = (uint32_t)info.write_bytes * 16;
    unsigned char data[512], back[512];
    uint64_t cycles, now;
    char *bytes;
    long length;
    FILE *saved;

    CHECK(unit <= sizeof data);
    memset(data, 0x42, sizeof data);
    if (info.kind == WL_MEMORY_FLASH) {
        OK(wl_memory_program(memory, info.block_bytes * 7, data, unit));
        OK(wl_memory_set_fault(memory, 8, WL_MEMORY_ERASE_ERROR));
        OK(wl_memory_program(second, info.block_bytes * 2, data, unit));
    } else {
        OK(wl_memory_write(memory, 4096 * 7, data, unit));
        OK(wl_memory_write(second, 4096 * 2, data, unit));
    }
    OK(wl_memory_set_cycles(memory, 7, 777));
    OK(wl_memory_save(memory, file("image")));
    now = wl_memory_now(second);
    OK(wl_memory_load(second, file("image")));
    CHECK(wl_memory_now(second) == now);
    OK(wl_memory_get_cycles(second, 7, &cycles));
    CHECK(cycles == 777);
    if (info.kind == WL_MEMORY_FLASH) {
        OK(wl_memory_read(second, info.block_bytes * 7, back, unit));
        CHECK(memcmp(data, back, unit) == 0);
        OK(wl_memory_read(second, info.block_bytes * 2, back, unit));
        CHECK(back[0] == 0xFF);
        CHECK(wl_memory_erase(second, 8) == WL_MEMORY_ERASE_FAILED);
    } else {
        OK(wl_memory_read(second, 4096 * 7, back, unit));
        CHECK(memcmp(data, back, unit) == 0);
        OK(wl_memory_read(second, 4096 * 2, back, unit));
        CHECK(back[0] == 0);
    }
    CHECK(wl_memory_load(wrong, file("image")) == WL_MEMORY_BAD_IMAGE);
    CHECK(strstr(wl_memory_message(), target) != NULL);

    /* Cut short, changed, and of another version. */
    saved = fopen(file("image"), "rb");
    CHECK(saved != NULL);
    CHECK(fseek(saved, 0, SEEK_END) == 0);
    length = ftell(saved);
    CHECK(length > 40 && fseek(saved, 0, SEEK_SET) == 0);
    bytes = (char *)malloc((size_t)length);
    CHECK(bytes && fread(bytes, 1, (size_t)length, saved) == (size_t)length);
    fclose(saved);
    {
        long cuts[] = {0, 4, 8, 12, 20, 60, length / 2, length - 1};
        size_t i;
        for (i = 0; i < sizeof cuts / sizeof *cuts; i++) {
            FILE *broken = fopen(file("broken"), "wb");
            CHECK(broken && fwrite(bytes, 1, (size_t)cuts[i], broken) == (size_t)cuts[i]);
            fclose(broken);
            CHECK(wl_memory_load(second, file("broken")) == WL_MEMORY_BAD_IMAGE);
        }
        for (i = 0; i < 3; i++) {
            FILE *broken = fopen(file("broken"), "wb");
            long place = i == 0 ? 0 : i == 1 ? 8 : length / 2;
            bytes[place] = (char)(bytes[place] ^ 1);
            CHECK(broken && fwrite(bytes, 1, (size_t)length, broken) == (size_t)length);
            fclose(broken);
            bytes[place] = (char)(bytes[place] ^ 1);
            CHECK(wl_memory_load(second, file("broken")) == WL_MEMORY_BAD_IMAGE);
        }
    }
    OK(wl_memory_get_cycles(second, 7, &cycles));
    CHECK(cycles == 777);
    free(bytes);
    OK(wl_memory_free(memory));
    OK(wl_memory_free(second));
    OK(wl_memory_free(wrong));
}

struct heard {
    wl_memory *memory;
    int count;
    uint64_t last_end;
};

static void listen(void *user, const wl_memory_operation *operation)
{
    struct heard *heard = (struct heard *)user;
    CHECK(operation->size >= sizeof *operation && operation->start_ps >= heard->last_end);
    heard->last_end = operation->start_ps + operation->duration_ps;
    heard->count += 1;
    /* Nobody holds the memory: it can be looked at. */
    CHECK(wl_memory_now(heard->memory) >= heard->last_end);
}

static void traces(void)
{
    struct heard heard = {NULL, 0, 0};
    unsigned char data[16] = {1}, back[16];

    heard.memory = made("mt25ql128");
    OK(wl_memory_listen(heard.memory, listen, &heard));
    OK(wl_memory_trace_to(heard.memory, file("trace.csv")));
    OK(wl_memory_erase(heard.memory, 1));
    OK(wl_memory_program(heard.memory, 4096, data, sizeof data));
    OK(wl_memory_read(heard.memory, 4096, back, sizeof back));
    OK(wl_memory_trace_to(heard.memory, NULL));
    CHECK(heard.count == 3);
    OK(wl_memory_listen(heard.memory, NULL, NULL));
    OK(wl_memory_read(heard.memory, 4096, back, sizeof back));
    CHECK(heard.count == 3);
    OK(wl_memory_free(heard.memory));
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    folder = arguments[1];
    bad_arguments();
    nor();
    nand();
    faults("mt25ql128");
    faults("mt29f2g08aad");
    snapshots();
    power_cuts("mt25ql128");
    power_cuts("mt29f1g01");
    mram();
    cuts_without_write();
    misaligned();
    images("mt25ql128", "mt29f1g01");
    images("mt29f1g01", "mt25ql128");
    images("em064lx", "mt25ql128");
    traces();
    return 0;
}
