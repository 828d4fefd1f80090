/* What chips do beside read, program and erase of a block: every erase, in the background and suspended, copy-back, reads
 * while another bank is busy, spare areas and what the ECC says. */
#include <math.h>
#include <stddef.h>

#include "checks.h"

#define MS 1000000000u

static wl_memory_work work_of(const wl_memory *memory)
{
    wl_memory_work work;
    work.size = sizeof work;
    OK(wl_memory_get_work(memory, &work));
    return work;
}

static void sizes(void)
{
    static const uint64_t expected[] = {4096, 32768, 65536, 16u << 20};
    wl_memory *memory = made("mt25ql128");
    wl_memory_info info = info_of(memory);
    wl_memory_options options = options_for("mt25ql128");
    unsigned char data[256], back[256];
    uint64_t before, cycles, size, i;

    CHECK(info.erase_sizes == 4);
    for (i = 0; i < 4; i++) {
        OK(wl_memory_get_erase_size(memory, i, &size));
        CHECK(size == expected[i]);
    }
    IS(BAD_ARGUMENT, wl_memory_get_erase_size(memory, 4, &size));
    memset(data, 0, sizeof data);
    OK(wl_memory_program(memory, 65536, data, sizeof data));
    OK(wl_memory_program(memory, 131072 - 256, data, sizeof data));
    /* The sheet has 150 ms for 64 KiB, and 48 ms for each of sixteen 4 KiB. */
    before = wl_memory_now(memory);
    OK(wl_memory_erase_range(memory, 65536, 65536, 0));
    CHECK(wl_memory_now(memory) - before > 150 * (uint64_t)MS && wl_memory_now(memory) - before < 151 * (uint64_t)MS);
    CHECK(stats_of(memory).erases == 1);
    OK(wl_memory_read(memory, 65536, back, sizeof back));
    CHECK(all(back, sizeof back, 0xFF));
    OK(wl_memory_read(memory, 131072 - 256, back, sizeof back));
    CHECK(all(back, sizeof back, 0xFF));
    for (i = 0; i < 16; i++) {
        OK(wl_memory_get_cycles(memory, 16 + i, &cycles));
        CHECK(cycles == 1);
    }
    OK(wl_memory_get_cycles(memory, 32, &cycles));
    CHECK(cycles == 0);
    OK(wl_memory_reset_stats(memory));
    before = wl_memory_now(memory);
    OK(wl_memory_erase_range(memory, 65536, 65536, 4096));
    CHECK(stats_of(memory).erases == 16 && wl_memory_now(memory) - before > 700 * (uint64_t)MS);
    /* From 28 KiB to 136 KiB: 4 + 32 + 64 + 4 + 4. */
    OK(wl_memory_reset_stats(memory));
    OK(wl_memory_erase_range(memory, 28672, 139264 - 28672, 0));
    CHECK(stats_of(memory).erases == 5);
    OK(wl_memory_erase_range(memory, 4096, 0, 0));
    CHECK(stats_of(memory).erases == 5);
    IS(MISUSE, wl_memory_erase_range(memory, 4096, 65536, 65536));
    CHECK(strstr(wl_memory_message(), "65536") != NULL);
    IS(MISUSE, wl_memory_erase_range(memory, 0, 4097, 0));
    IS(MISUSE, wl_memory_erase_range(memory, 100, 4096, 0));
    IS(MISUSE, wl_memory_erase_range(memory, 0, 8192, 8192));
    IS(OUT_OF_RANGE, wl_memory_erase_range(memory, 4096, UINT64_MAX - 4095, 0));
    IS(OUT_OF_RANGE, wl_memory_erase_range(memory, UINT64_MAX - 4095, 4096, 0));
    CHECK(stats_of(memory).erases == 5);
    OK(wl_memory_free(memory));

    options.erase_bytes = 65536;
    memory = made_with(&options);
    CHECK(info_of(memory).block_bytes == 65536 && info_of(memory).blocks == 256);
    OK(wl_memory_erase(memory, 3));
    CHECK(wl_memory_last_duration(memory) > 150 * (uint64_t)MS && wl_memory_last_duration(memory) < 151 * (uint64_t)MS);
    /* Every size that is listed is taken, and no smaller one is named. */
    CHECK(info_of(memory).erase_sizes == 2);
    for (i = 0; i < 2; i++) {
        OK(wl_memory_get_erase_size(memory, i, &size));
        CHECK(size == expected[2 + i]);
        OK(wl_memory_erase_range(memory, 0, size, size));
        OK(wl_memory_start_erase(memory, 0, size));
        OK(wl_memory_wait(memory));
    }
    IS(BAD_ARGUMENT, wl_memory_get_erase_size(memory, 2, &size));
    IS(MISUSE, wl_memory_start_erase(memory, 0, 4096));
    CHECK(strstr(wl_memory_message(), "65536, 16777216") && !strstr(wl_memory_message(), "32768"));
    IS(MISUSE, wl_memory_erase_range(memory, 0, 65536, 4096));
    CHECK(!strstr(wl_memory_message(), "32768"));
    OK(wl_memory_free(memory));
}

/* Every call that reads a page fills wl_memory_ecc, also when the ECC could not correct the page. */
static void lost_reads(void)
{
    const wl_memory_ecc before = {sizeof(wl_memory_ecc), 3, 1, 0};
    wl_memory *memory = made("mt29f1g01");
    wl_memory_info info = info_of(memory);
    wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
    static unsigned char page[4096], spare[512];
    wl_memory_ecc ecc = before;
    uint32_t i;

    memset(page, 0, sizeof page);
    OK(wl_memory_program_page(memory, 0, 0, page, (uint32_t)info.page_bytes));
    for (i = 0; i < 9; i++) OK(wl_memory_flip_bit(memory, 0, i, 0));
    IS(UNCORRECTABLE, wl_memory_read_page(memory, 0, 0, page, (uint32_t)info.page_bytes, &ecc));
    CHECK(ecc.lost == 1 && ecc.corrected == 0 && ecc.refresh == 0 && ecc.size == sizeof ecc);
    ecc = before;
    IS(UNCORRECTABLE, wl_memory_read_spare(memory, 0, 0, spare, 1, &ecc));
    CHECK(ecc.lost == 1 && ecc.corrected == 0 && ecc.refresh == 0);
    ecc = before;
    IS(UNCORRECTABLE, wl_memory_read_whole(memory, 0, page, spare, &ecc));
    CHECK(ecc.lost == 1 && ecc.corrected == 0 && ecc.refresh == 0);
    /* Of a read that did not take place nothing is known. */
    ecc = before;
    OK(wl_memory_cut_power(memory, &cut));
    IS(POWER_LOST, wl_memory_read_page(memory, 0, 0, page, 1, &ecc));
    CHECK(memcmp(&ecc, &before, sizeof ecc) == 0);
    OK(wl_memory_free(memory));
}

/* A fault of one block of a large erase strikes that block alone, and a cut leaves all of them in doubt. */
static void large_erases(void)
{
    wl_memory *memory = made("mt25ql128"), *fork;
    wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, 0);
    unsigned char data[256], back[256];
    uint32_t block;
    int failing = 0;

    memset(data, 0, sizeof data);
    for (block = 0; block < 16; block++) OK(wl_memory_program(memory, block * 4096u, data, sizeof data));
    fork = forked(memory);
    OK(wl_memory_set_fault(fork, 5, WL_MEMORY_ERASE_ERROR));
    IS(ERASE_FAILED, wl_memory_erase_range(fork, 0, 65536, 0));
    for (block = 0; block < 16; block++) {
        OK(wl_memory_read(fork, block * 4096u, back, sizeof back));
        CHECK(all(back, sizeof back, block == 5 ? 0 : 0xFF));
    }
    OK(wl_memory_free(fork));
    fork = forked(memory);
    cut.erase_leaves = WL_MEMORY_LEAVES_FAILING;
    OK(wl_memory_cut_power(fork, &cut));
    IS(POWER_LOST, wl_memory_erase_range(fork, 0, 65536, 0));
    OK(wl_memory_power_up(fork));
    for (block = 0; block < 17; block++) {
        failing += wl_memory_program(fork, block * 4096u + 512, data, sizeof data) == WL_MEMORY_PROGRAM_FAILED;
    }
    CHECK(failing == 16);
    OK(wl_memory_free(fork));
    OK(wl_memory_free(memory));
}

static void background(const char *target, uint64_t bytes)
{
    wl_memory *memory = made(target), *fork;
    wl_memory_info info = info_of(memory);
    uint32_t unit = (uint32_t)(info.programs_per_page ? info.page_bytes : info.write_bytes * 16);
    unsigned char data[4096], back[4096];
    uint64_t at = bytes * 3, start, ends, cycles;
    wl_memory_work work;

    CHECK(info.background == 1 && unit <= sizeof data);
    memset(data, 0x33, sizeof data);
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_wait(memory));
    CHECK(work_of(memory).phase == WL_MEMORY_WORK_NONE);
    start = wl_memory_now(memory);
    OK(wl_memory_start_erase(memory, at, bytes));
    work = work_of(memory);
    CHECK(work.phase == WL_MEMORY_WORK_RUNS && work.at == at && work.bytes == bytes);
    ends = work.ends_ps;
    CHECK(wl_memory_now(memory) - start < ends - wl_memory_now(memory));
    IS(BUSY, wl_memory_program(memory, 0, data, unit));
    IS(BUSY, wl_memory_erase(memory, 0));
    IS(BUSY, wl_memory_start_erase(memory, 0, bytes));
    if (info.banks == 1) IS(BUSY, wl_memory_read(memory, 0, back, unit));
    IS(BUSY, wl_memory_read(memory, at, back, unit));
    IS(BUSY, wl_memory_save(memory, "/tmp/x"));
    OK(wl_memory_advance(memory, (ends - wl_memory_now(memory)) / 2));
    fork = forked(memory);
    CHECK(work_of(fork).phase == WL_MEMORY_WORK_RUNS);
    OK(wl_memory_wait(fork));
    CHECK(wl_memory_now(fork) >= ends);
    OK(wl_memory_free(fork));
    OK(wl_memory_advance(memory, ends - wl_memory_now(memory)));
    CHECK(work_of(memory).phase == WL_MEMORY_WORK_ENDED);
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0xFF));
    IS(BUSY, wl_memory_erase(memory, 0));
    OK(wl_memory_wait(memory));
    CHECK(work_of(memory).phase == WL_MEMORY_WORK_NONE);
    OK(wl_memory_erase(memory, 0));
    OK(wl_memory_get_cycles(memory, at / info.block_bytes, &cycles));
    CHECK(cycles == 1);
    /* An erase that fails is reported when it is waited for. */
    OK(wl_memory_program(memory, at, data, unit));
    OK(wl_memory_set_fault(memory, (uint32_t)(at / info.block_bytes), WL_MEMORY_ERASE_ERROR));
    OK(wl_memory_start_erase(memory, at, bytes));
    IS(ERASE_FAILED, wl_memory_wait(memory));
    OK(wl_memory_wait(memory));
    OK(wl_memory_read(memory, at, back, unit));
    CHECK(all(back, unit, 0x33));
    CHECK(stats_of(memory).erases == 3);
    OK(wl_memory_free(memory));
}

/* The power goes in an erase that was started: by time, and by number in the middle of it. */
static void cuts(const char *target)
{
    wl_memory *fresh = made(target);
    wl_memory_info info = info_of(fresh);
    uint32_t unit = (uint32_t)(info.programs_per_page ? info.page_bytes : info.write_bytes * 16);
    unsigned char data[4096], back[4096];
    uint64_t seed;
    int torn = 0, by_number;

    memset(data, 0, sizeof data);
    OK(wl_memory_program(fresh, 0, data, unit));
    for (by_number = 0; by_number < 2; by_number++) {
        for (seed = 0; seed < 40; seed++) {
            wl_memory *memory = forked(fresh);
            wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, seed);
            wl_memory_work work;
            uint64_t cycles, middle;
            wl_memory_status status;
            if (by_number) OK(wl_memory_cut_power(memory, &cut));
            OK(wl_memory_start_erase(memory, 0, info.block_bytes));
            work = work_of(memory);
            middle = (wl_memory_now(memory) + work.ends_ps) / 2;
            if (!by_number) {
                cut.operations = 0;
                cut.time_ps = middle;
                OK(wl_memory_cut_power(memory, &cut));
            }
            IS(POWER_LOST, wl_memory_wait(memory));
            CHECK(wl_memory_now(memory) == middle);
            CHECK(!isnan(wl_memory_energy(memory)) || isnan(wl_memory_energy(fresh)));
            OK(wl_memory_power_up(memory));
            CHECK(work_of(memory).phase == WL_MEMORY_WORK_NONE);
            status = wl_memory_read(memory, 0, back, unit);
            if (status != WL_MEMORY_OK || !all(back, unit, 0)) torn++;
            OK(wl_memory_get_cycles(memory, 0, &cycles));
            CHECK(cycles == (status != WL_MEMORY_OK || !all(back, unit, 0)) || cycles == 1);
            status = wl_memory_erase(memory, 0);
            CHECK(status == WL_MEMORY_OK || status == WL_MEMORY_ERASE_FAILED);
            /* The chip is free again. */
            OK(wl_memory_erase(memory, 1));
            OK(wl_memory_program(memory, info.block_bytes, data, unit));
            OK(wl_memory_read(memory, info.block_bytes, back, unit));
            CHECK(all(back, unit, 0));
            OK(wl_memory_free(memory));
        }
    }
    CHECK(torn > 60);
    OK(wl_memory_free(fresh));
}

static void suspended(void)
{
    wl_memory *memory = made("mt25ql128"), *nand = made("mt29f1g01"), *fork;
    unsigned char data[256], back[256];
    uint64_t ends, latency, left;

    CHECK(info_of(memory).suspend == 1 && info_of(nand).suspend == 0);
    memset(data, 0x44, sizeof data);
    OK(wl_memory_program(memory, 0, data, sizeof data));
    IS(MISUSE, wl_memory_suspend(memory));
    IS(MISUSE, wl_memory_resume(memory));
    OK(wl_memory_start_erase(memory, 65536, 65536));
    IS(MISUSE, wl_memory_resume(memory));
    ends = work_of(memory).ends_ps;
    OK(wl_memory_advance(memory, 50 * (uint64_t)MS));
    left = ends - wl_memory_now(memory);
    OK(wl_memory_suspend(memory));
    latency = wl_memory_last_duration(memory);
    CHECK(latency > 0 && latency < MS && work_of(memory).phase == WL_MEMORY_WORK_SUSPENDED);
    IS(MISUSE, wl_memory_suspend(memory));
    OK(wl_memory_read(memory, 0, back, sizeof back));
    CHECK(all(back, sizeof back, 0x44));
    IS(MISUSE, wl_memory_read(memory, 65536 + 5, back, 1));
    OK(wl_memory_program(memory, 4096, data, sizeof data));
    IS(MISUSE, wl_memory_program(memory, 65536, data, sizeof data));
    IS(BUSY, wl_memory_erase(memory, 0));
    OK(wl_memory_advance(memory, 500 * (uint64_t)MS));
    CHECK(work_of(memory).phase == WL_MEMORY_WORK_SUSPENDED);
    OK(wl_memory_resume(memory));
    CHECK(work_of(memory).phase == WL_MEMORY_WORK_RUNS);
    /* No progress while it stood still. */
    CHECK(work_of(memory).ends_ps - wl_memory_now(memory) + MS > left);
    OK(wl_memory_wait(memory));
    OK(wl_memory_read(memory, 65536, back, sizeof back));
    CHECK(all(back, sizeof back, 0xFF));

    /* In one call: the read waits for the latency alone. */
    OK(wl_memory_start_erase(memory, 65536, 65536));
    OK(wl_memory_advance(memory, MS));
    fork = forked(memory);
    OK(wl_memory_read_suspending(fork, 4096, back, sizeof back));
    CHECK(all(back, sizeof back, 0x44) && wl_memory_last_duration(fork) < MS);
    CHECK(work_of(fork).phase == WL_MEMORY_WORK_RUNS);
    IS(MISUSE, wl_memory_read_suspending(fork, 65536, back, 1));
    CHECK(work_of(fork).phase == WL_MEMORY_WORK_RUNS);
    OK(wl_memory_set_fault(fork, 1, WL_MEMORY_READ_ERROR));
    IS(UNCORRECTABLE, wl_memory_read_suspending(fork, 4096, back, sizeof back));
    OK(wl_memory_wait(fork));
    OK(wl_memory_free(fork));
    OK(wl_memory_wait(memory));
    OK(wl_memory_read_suspending(memory, 4096, back, sizeof back));

    OK(wl_memory_start_erase(nand, 0, info_of(nand).block_bytes));
    IS(UNSUPPORTED, wl_memory_suspend(nand));
    IS(UNSUPPORTED, wl_memory_resume(nand));
    IS(UNSUPPORTED, wl_memory_read_suspending(nand, info_of(nand).block_bytes, back, 1));
    OK(wl_memory_wait(nand));
    OK(wl_memory_free(memory));
    OK(wl_memory_free(nand));
}

/* A chip with banks is read in one while another one erases, without a suspend. */
static void read_while_write(void)
{
    wl_memory *memory = made("mx25uw51245g");
    wl_memory_info info = info_of(memory);
    uint64_t bank = info.bytes / info.banks, ends;
    unsigned char data[256], back[256];

    CHECK(info.banks == 4 && info_of(memory).bytes == 64u << 20);
    memset(data, 0x21, sizeof data);
    OK(wl_memory_program(memory, 3 * bank, data, sizeof data));
    OK(wl_memory_start_erase(memory, bank, 65536));
    ends = work_of(memory).ends_ps;
    OK(wl_memory_read(memory, 3 * bank, back, sizeof back));
    CHECK(all(back, sizeof back, 0x21));
    IS(BUSY, wl_memory_read(memory, bank + 1000000, back, 1));
    IS(BUSY, wl_memory_read(memory, bank - 1, back, 2));
    OK(wl_memory_read(memory, bank - 2, back, 2));
    OK(wl_memory_read(memory, 2 * bank, back, 2));
    IS(BUSY, wl_memory_program(memory, 3 * bank + 256, data, sizeof data));
    /* It took no time from the erase. */
    CHECK(work_of(memory).ends_ps == ends);
    OK(wl_memory_wait(memory));
    CHECK(wl_memory_now(memory) >= ends && wl_memory_now(memory) < ends + MS);
    OK(wl_memory_read(memory, bank, back, 1));
    OK(wl_memory_free(memory));
}

static void copy_back(void)
{
    wl_memory_ideal ideal = ideal_of(WL_MEMORY_IDEAL_NAND, 1, 256, 4096, 8);
    wl_memory *nand = made("mt29f1g01"), *nor = made("mt25ql128"), *memory, *fork;
    unsigned char page[2048], back[2048], mark[2] = {9, 8};
    uint64_t moved, plain;
    uint32_t bit;

    CHECK(info_of(nand).moves == 1 && info_of(nor).moves == 0);
    memset(page, 0x5C, sizeof page);
    OK(wl_memory_program_page(nand, 0, 0, page, sizeof page));
    for (bit = 0; bit < 3; bit++) OK(wl_memory_flip_bit(nand, 0, 100 + bit, 2));
    OK(wl_memory_read_page(nand, 0, 0, back, sizeof back, NULL));
    plain = wl_memory_last_duration(nand);
    OK(wl_memory_program_page(nand, 300, 0, page, sizeof page));
    plain += wl_memory_last_duration(nand);
    OK(wl_memory_move_page(nand, 0, 64, 10, mark, 2));
    moved = wl_memory_last_duration(nand);
    CHECK(moved < plain);
    /* Corrected on the way, and with the bytes that change. */
    OK(wl_memory_peek_page(nand, 64, 0, back, sizeof back));
    page[10] = 9;
    page[11] = 8;
    CHECK(memcmp(page, back, sizeof page) == 0);
    IS(MISUSE, wl_memory_move_page(nand, 0, 64, 0, mark, 2));
    OK(wl_memory_set_fault(nand, 2, WL_MEMORY_PROGRAM_ERROR));
    IS(PROGRAM_FAILED, wl_memory_move_page(nand, 0, 128, 0, mark, 2));
    OK(wl_memory_set_fault(nand, 2, WL_MEMORY_PROGRAM_NOOP));
    OK(wl_memory_move_page(nand, 0, 128, 0, mark, 2));
    OK(wl_memory_peek_page(nand, 128, 0, back, sizeof back));
    CHECK(all(back, sizeof back, 0xFF));
    OK(wl_memory_set_fault(nand, 2, WL_MEMORY_GOOD));
    fork = forked(nand);
    OK(wl_memory_set_fault(fork, 0, WL_MEMORY_READ_ERROR));
    IS(UNCORRECTABLE, wl_memory_move_page(fork, 0, 128, 0, mark, 2));
    OK(wl_memory_peek_page(fork, 128, 0, back, sizeof back));
    CHECK(all(back, sizeof back, 0xFF));
    OK(wl_memory_free(fork));
    /* A cut within it tears the page that is programmed. */
    {
        uint64_t seed;
        int torn = 0;
        for (seed = 0; seed < 40; seed++) {
            wl_memory_cut cut = cut_of(1, WL_MEMORY_CUT_TORN, seed);
            fork = forked(nand);
            OK(wl_memory_cut_power(fork, &cut));
            IS(POWER_LOST, wl_memory_move_page(fork, 0, 128, 0, mark, 2));
            OK(wl_memory_power_up(fork));
            OK(wl_memory_read_page(fork, 64, 0, back, sizeof back, NULL));
            CHECK(memcmp(page, back, sizeof page) == 0);
            if (wl_memory_read_page(fork, 128, 0, back, sizeof back, NULL) != WL_MEMORY_OK
                || !all(back, sizeof back, 0xFF)) torn++;
            OK(wl_memory_free(fork));
        }
        CHECK(torn > 10);
    }
    IS(UNSUPPORTED, wl_memory_move_page(nor, 0, 16, 0, mark, 2));
    IS(OUT_OF_RANGE, wl_memory_move_page(nand, UINT32_MAX, 0, 0, mark, 2));
    IS(OUT_OF_RANGE, wl_memory_move_page(nand, 0, UINT32_MAX, 0, mark, 2));
    IS(OUT_OF_RANGE, wl_memory_move_page(nand, 0, 128, UINT32_MAX, mark, 2));
    IS(BAD_ARGUMENT, wl_memory_move_page(nand, 0, 128, 0, NULL, 2));
    OK(wl_memory_move_page(nand, 0, 192, 0, NULL, 0));
    OK(wl_memory_free(nand));
    OK(wl_memory_free(nor));

    ideal.moves = 1;
    memory = made_ideal(&ideal);
    OK(wl_memory_program_page(memory, 0, 0, page, 256));
    OK(wl_memory_move_page(memory, 0, 16, 0, NULL, 0));
    OK(wl_memory_read_page(memory, 16, 0, back, 256, NULL));
    CHECK(memcmp(page, back, 256) == 0);
    OK(wl_memory_free(memory));
}

static void spare_areas(void)
{
    wl_memory *memory = made("mt29f1g01"), *nor = made("mt25ql128");
    wl_memory_info info = info_of(memory);
    wl_memory_ecc ecc;
    unsigned char main_area[2048], spare[128], back[2048], back_spare[128], four[4] = {1, 2, 3, 4};
    uint64_t whole;
    uint32_t bit;

    CHECK(info.page_bytes == sizeof main_area && info.spare_bytes == sizeof spare);
    memset(main_area, 0x1E, sizeof main_area);
    memset(spare, 0xFF, sizeof spare);
    memcpy(spare + 32, four, 4);
    OK(wl_memory_program_whole(memory, 64, main_area, spare));
    CHECK(stats_of(memory).programs == 1);
    ecc.size = sizeof ecc;
    OK(wl_memory_read_whole(memory, 64, back, back_spare, &ecc));
    whole = wl_memory_last_duration(memory);
    CHECK(stats_of(memory).reads == 1 && whole > 0);
    CHECK(memcmp(back, main_area, sizeof back) == 0 && memcmp(back_spare, spare, sizeof spare) == 0);
    CHECK(ecc.corrected == 0 && ecc.refresh == 0 && ecc.lost == 0);
    OK(wl_memory_read_spare(memory, 64, 32, back, 4, &ecc));
    CHECK(memcmp(back, four, 4) == 0 && wl_memory_last_duration(memory) < whole);
    OK(wl_memory_program_spare(memory, 65, 32, four, 4));
    OK(wl_memory_read_spare(memory, 65, 32, back, 4, NULL));
    CHECK(memcmp(back, four, 4) == 0);
    /* What the ECC says of the last read, of several pages the worst. */
    for (bit = 0; bit < 3; bit++) OK(wl_memory_flip_bit(memory, 64, 7 + bit, 1));
    OK(wl_memory_read(memory, 64 * 2048u, back, 16));
    OK(wl_memory_last_ecc(memory, &ecc));
    CHECK(ecc.corrected >= 3 && ecc.lost == 0);
    OK(wl_memory_read(memory, 66 * 2048u, back, 16));
    OK(wl_memory_last_ecc(memory, &ecc));
    CHECK(ecc.corrected == 0);
    {
        unsigned char *many = (unsigned char *)malloc(3 * 2048);
        CHECK(many != NULL);
        OK(wl_memory_read(memory, 64 * 2048u, many, 3 * 2048));
        OK(wl_memory_last_ecc(memory, &ecc));
        CHECK(ecc.corrected >= 3);
        free(many);
    }
    for (bit = 0; bit < 8; bit++) OK(wl_memory_flip_bit(memory, 64, 300, bit));
    for (bit = 0; bit < 8; bit++) OK(wl_memory_flip_bit(memory, 64, 301, bit));
    IS(UNCORRECTABLE, wl_memory_read_whole(memory, 64, back, back_spare, &ecc));
    OK(wl_memory_last_ecc(memory, &ecc));
    CHECK(ecc.lost == 1 && ecc.corrected == 0);
    {
        int32_t is_free = 1;
        OK(wl_memory_is_free(memory, 64, &is_free));
        CHECK(is_free == 0);
    }
    OK(wl_memory_read(memory, 66 * 2048u, back, 16));
    OK(wl_memory_last_ecc(memory, &ecc));
    CHECK(ecc.lost == 0);
    /* A caller of before has a shorter struct. */
    ecc.size = offsetof(wl_memory_ecc, lost);
    ecc.lost = 77;
    OK(wl_memory_last_ecc(memory, &ecc));
    CHECK(ecc.lost == 77 && ecc.size == offsetof(wl_memory_ecc, lost));
    ecc.size = sizeof ecc;

    IS(BAD_ARGUMENT, wl_memory_read_whole(memory, 0, NULL, back_spare, NULL));
    IS(BAD_ARGUMENT, wl_memory_read_whole(memory, 0, back, NULL, NULL));
    IS(OUT_OF_RANGE, wl_memory_read_whole(memory, UINT32_MAX, back, back_spare, NULL));
    IS(BAD_ARGUMENT, wl_memory_program_whole(memory, 0, NULL, spare));
    IS(BAD_ARGUMENT, wl_memory_program_whole(memory, 0, main_area, NULL));
    IS(OUT_OF_RANGE, wl_memory_program_whole(memory, UINT32_MAX, main_area, spare));
    IS(OUT_OF_RANGE, wl_memory_read_spare(memory, 0, 127, back, 2, NULL));
    IS(OUT_OF_RANGE, wl_memory_read_spare(memory, 0, UINT32_MAX, back, 2, NULL));
    IS(BAD_ARGUMENT, wl_memory_read_spare(memory, 0, 0, NULL, 2, NULL));
    IS(OUT_OF_RANGE, wl_memory_program_spare(memory, 0, 128, four, 4));
    IS(BAD_ARGUMENT, wl_memory_program_spare(memory, 0, 0, NULL, 4));
    IS(BAD_ARGUMENT, wl_memory_last_ecc(memory, NULL));
    ecc.size = 3;
    IS(BAD_ARGUMENT, wl_memory_last_ecc(memory, &ecc));
    IS(UNSUPPORTED, wl_memory_read_spare(nor, 0, 0, back, 1, NULL));
    IS(UNSUPPORTED, wl_memory_program_spare(nor, 0, 0, four, 1));
    OK(wl_memory_program_whole(nor, 0, main_area, NULL));
    OK(wl_memory_read_whole(nor, 0, back, NULL, NULL));
    CHECK(memcmp(back, main_area, 256) == 0);
    OK(wl_memory_free(memory));
    OK(wl_memory_free(nor));
}

static void bad_arguments(void)
{
    wl_memory *memory = made("mt25ql128"), *bytes = made("em064lx");
    wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
    wl_memory_work work;
    unsigned char byte = 0;
    uint64_t size;

    IS(BAD_HANDLE, wl_memory_erase_range(NULL, 0, 4096, 0));
    IS(UNSUPPORTED, wl_memory_erase_range(bytes, 0, 4096, 0));
    IS(BAD_HANDLE, wl_memory_get_erase_size(NULL, 0, &size));
    IS(BAD_ARGUMENT, wl_memory_get_erase_size(memory, 0, NULL));
    IS(BAD_ARGUMENT, wl_memory_get_erase_size(memory, UINT64_MAX, &size));
    IS(UNSUPPORTED, wl_memory_get_erase_size(bytes, 0, &size));
    IS(BAD_HANDLE, wl_memory_start_erase(NULL, 0, 4096));
    IS(UNSUPPORTED, wl_memory_start_erase(bytes, 0, 4096));
    IS(MISUSE, wl_memory_start_erase(memory, 0, 5));
    IS(MISUSE, wl_memory_start_erase(memory, 4096, 65536));
    IS(OUT_OF_RANGE, wl_memory_start_erase(memory, UINT64_MAX - 4095, 4096));
    IS(BAD_HANDLE, wl_memory_wait(NULL));
    IS(UNSUPPORTED, wl_memory_wait(bytes));
    IS(BAD_HANDLE, wl_memory_suspend(NULL));
    IS(UNSUPPORTED, wl_memory_suspend(bytes));
    IS(BAD_HANDLE, wl_memory_resume(NULL));
    IS(UNSUPPORTED, wl_memory_resume(bytes));
    IS(BAD_ARGUMENT, wl_memory_get_work(memory, NULL));
    work.size = 7;
    IS(BAD_ARGUMENT, wl_memory_get_work(memory, &work));
    work.size = sizeof work;
    IS(UNSUPPORTED, wl_memory_get_work(bytes, &work));
    IS(BAD_HANDLE, wl_memory_get_work(NULL, &work));
    IS(BAD_ARGUMENT, wl_memory_read_suspending(memory, 0, NULL, 1));
    IS(OUT_OF_RANGE, wl_memory_read_suspending(memory, UINT64_MAX, &byte, 1));
    IS(UNSUPPORTED, wl_memory_read_suspending(bytes, 0, &byte, 1));
    IS(BAD_HANDLE, wl_memory_read_suspending(NULL, 0, &byte, 1));
    IS(BAD_HANDLE, wl_memory_move_page(NULL, 0, 1, 0, &byte, 1));
    IS(BAD_HANDLE, wl_memory_read_whole(NULL, 0, &byte, &byte, NULL));
    IS(BAD_HANDLE, wl_memory_program_whole(NULL, 0, &byte, &byte));
    IS(BAD_HANDLE, wl_memory_last_ecc(NULL, NULL));
    OK(wl_memory_cut_power(memory, &cut));
    IS(POWER_LOST, wl_memory_erase_range(memory, 0, 65536, 0));
    IS(POWER_LOST, wl_memory_start_erase(memory, 0, 65536));
    IS(POWER_LOST, wl_memory_wait(memory));
    IS(POWER_LOST, wl_memory_suspend(memory));
    IS(POWER_LOST, wl_memory_read_suspending(memory, 0, &byte, 1));
    OK(wl_memory_free(memory));
    OK(wl_memory_free(bytes));
}

/* NAND without an ECC of its own gives the bits as they are, whether it ages or not, unless the host's is asked for. */
static void host_ecc(uint64_t ageing)
{
    wl_memory_options options = options_for("mt29f2g08aad");
    unsigned char page[16], back[16];
    wl_memory_ecc ecc;
    wl_memory *memory;
    uint32_t flips;

    memset(page, 0xA5, sizeof page);
    options.celsius = 25;
    options.ageing = ageing;
    ecc.size = sizeof ecc;
    memory = made_with(&options);
    OK(wl_memory_program_page(memory, 0, 0, page, sizeof page));
    for (flips = 1; flips <= 3; flips++) {
        OK(wl_memory_flip_bit(memory, 0, flips, 0));
        page[flips] ^= 1;
        OK(wl_memory_read_page(memory, 0, 0, back, sizeof back, &ecc));
        CHECK(memcmp(page, back, sizeof page) == 0 && ecc.corrected == 0 && ecc.lost == 0);
    }
    OK(wl_memory_free(memory));

    memset(page, 0xA5, sizeof page);
    options.host_ecc = 1;
    memory = made_with(&options);
    OK(wl_memory_program_page(memory, 0, 0, page, sizeof page));
    OK(wl_memory_flip_bit(memory, 0, 1, 0));
    OK(wl_memory_read_page(memory, 0, 0, back, sizeof back, &ecc));
    CHECK(memcmp(page, back, sizeof page) == 0 && ecc.corrected == 1 && ecc.lost == 0);
    OK(wl_memory_flip_bit(memory, 0, 2, 0));
    IS(UNCORRECTABLE, wl_memory_read_page(memory, 0, 0, back, sizeof back, &ecc));
    CHECK(ecc.corrected == 0 && ecc.lost == 1);
    OK(wl_memory_free(memory));

    memory = NULL;
    options.target = ageing ? "mt25ql128" : "mt29f1g01";
    IS(UNSUPPORTED, wl_memory_create(&options, &memory));
    CHECK(memory == NULL && strstr(wl_memory_message(), "host_ecc"));
    options.host_ecc = 2;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
}

typedef struct reported {
    unsigned count;
    wl_memory_operation last;
} reported;

static void report(void *user, const wl_memory_operation *operation)
{
    reported *to = user;
    if (operation->kind != WL_MEMORY_OP_ERASE) return;
    to->count += 1;
    to->last = *operation;
}

/* A started erase is reported when it has been waited for, with the whole time of it and with how it ended. */
static void reports(void)
{
    wl_memory *memory = made("mt25ql128"), *fork;
    wl_memory_cut cut = cut_of(0, WL_MEMORY_CUT_CLEAN, 0);
    reported heard = {0, {0, 0, 0, 0, 0, 0, 0}};
    unsigned char byte;
    uint64_t begun, ends, plain;

    OK(wl_memory_erase(memory, 9));
    plain = wl_memory_last_duration(memory);
    OK(wl_memory_listen(memory, report, &heard));
    OK(wl_memory_set_fault(memory, 1, WL_MEMORY_ERASE_ERROR));
    begun = wl_memory_now(memory);
    OK(wl_memory_start_erase(memory, 4096, 4096));
    CHECK(heard.count == 0);
    IS(ERASE_FAILED, wl_memory_wait(memory));
    CHECK(heard.count == 1 && heard.last.failed == 1 && heard.last.at == 4096 && heard.last.bytes == 4096);
    CHECK(heard.last.start_ps == begun && heard.last.duration_ps == wl_memory_now(memory) - begun);
    CHECK(heard.last.duration_ps > plain / 2);
    CHECK(stats_of(memory).erases == 2 && stats_of(memory).failures == 1);

    /* One that ended long before it was waited for was done when it ended, with the time of a suspend. */
    begun = wl_memory_now(memory);
    OK(wl_memory_start_erase(memory, 8192, 4096));
    OK(wl_memory_read_suspending(memory, 0, &byte, 1));
    OK(wl_memory_suspend(memory));
    OK(wl_memory_advance(memory, 1000 * (uint64_t)MS));
    OK(wl_memory_resume(memory));
    ends = work_of(memory).ends_ps;
    CHECK(ends - begun > 1000 * (uint64_t)MS);
    OK(wl_memory_advance(memory, 5000 * (uint64_t)MS));
    CHECK(heard.count == 1);
    OK(wl_memory_wait(memory));
    CHECK(heard.count == 2 && heard.last.failed == 0 && heard.last.duration_ps == ends - begun);
    /* There is nothing more to wait for. */
    OK(wl_memory_wait(memory));
    CHECK(heard.count == 2);

    /* One that a cut ends fails, and one that was done before does not. */
    OK(wl_memory_start_erase(memory, 8192, 4096));
    fork = forked(memory);
    OK(wl_memory_listen(fork, report, &heard));
    OK(wl_memory_advance(fork, 1000 * (uint64_t)MS));
    OK(wl_memory_cut_power(fork, &cut));
    CHECK(heard.count == 3 && heard.last.failed == 0 && heard.last.duration_ps < 1000 * (uint64_t)MS);
    OK(wl_memory_free(fork));
    begun = heard.last.start_ps;
    cut.time_ps = wl_memory_now(memory) + MS;
    OK(wl_memory_cut_power(memory, &cut));
    IS(POWER_LOST, wl_memory_wait(memory));
    CHECK(heard.count == 4 && heard.last.failed == 1 && heard.last.start_ps + heard.last.duration_ps == cut.time_ps);
    CHECK(heard.last.start_ps == begun);
    OK(wl_memory_free(memory));
}

int main(int count, char **arguments)
{
    CHECK(count == 2 && arguments[1]);
    sizes();
    large_erases();
    background("mt25ql128", 65536);
    background("mt25ql128", 4096);
    background("mt29f1g01", 131072);
    background("mx25uw51245g", 65536);
    cuts("mt25ql128");
    cuts("mt29f1g01");
    suspended();
    read_while_write();
    copy_back();
    spare_areas();
    lost_reads();
    bad_arguments();
    host_ecc(0);
    host_ecc(1);
    reports();
    return 0;
}
