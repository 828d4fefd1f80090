/*
 * The simulated chip of Dhara's tests, tests/sim.c, over wordline_memory.h: compiled with dhara_wordline.c in its place,
 * it runs Dhara's own tests on an ideal NAND of their geometry, or on the part that WORDLINE_TARGET names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dhara_wordline.h"
#include "sim.h"

#define BLOCKS 113u

const struct dhara_nand sim_nand = {.log2_page_size = 9, .log2_ppb = 3, .num_blocks = BLOCKS};

static wl_memory *chip;
static wl_memory_info info;
static int operations_left[BLOCKS]; /* programs and erases before the block fails; 0: it does not */

/* It fails every program and every erase. */
void sim_set_failed(dhara_block_t block)
{
    wl_memory_fault fault;
    memset(&fault, 0, sizeof fault);
    fault.size = sizeof fault;
    fault.at = block * info.block_bytes;
    fault.bytes = info.block_bytes;
    fault.kind = WL_MEMORY_PROGRAM_ERROR;
    wl_memory_add_fault(chip, &fault);
    fault.kind = WL_MEMORY_ERASE_ERROR;
    wl_memory_add_fault(chip, &fault);
}

/* The operation that is the last one fails: the fault has to be there before it. */
static void count_down(void *user, const wl_memory_operation *operation)
{
    uint64_t block = operation->at / info.block_bytes;
    (void)user;
    if ((operation->kind != WL_MEMORY_OP_PROGRAM && operation->kind != WL_MEMORY_OP_ERASE) || block >= BLOCKS) {
        return;
    }
    if (operations_left[block] > 0 && --operations_left[block] == 1) {
        operations_left[block] = 0;
        sim_set_failed((dhara_block_t)block);
    }
}

void sim_set_timebomb(dhara_block_t block, int ttl)
{
    operations_left[block] = ttl;
    if (ttl == 1) {
        operations_left[block] = 0;
        sim_set_failed(block);
    }
}

static wl_memory_status make(void)
{
    const char *target = getenv("WORDLINE_TARGET");
    wl_memory_options options;
    wl_memory_ideal ideal;
    if (target && *target) {
        memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.abi = WL_MEMORY_ABI;
        options.target = target;
        options.factory_bad = WL_MEMORY_FACTORY_NONE; /* the tests make their own */
        return wl_memory_create(&options, &chip);
    }
    memset(&ideal, 0, sizeof ideal);
    ideal.size = sizeof ideal;
    ideal.abi = WL_MEMORY_ABI;
    ideal.kind = WL_MEMORY_IDEAL_NAND;
    ideal.write_bytes = 16;
    ideal.page_bytes = 512;
    ideal.spare_bytes = 16;
    ideal.erase_bytes = 4096;
    ideal.blocks = BLOCKS;
    ideal.in_order = 1;
    ideal.marks = 1;
    ideal.moves = 1;
    return wl_memory_create_ideal(&ideal, &chip);
}

void sim_reset(void)
{
    wl_memory_free(chip);
    memset(operations_left, 0, sizeof operations_left);
    info.size = sizeof info;
    if (make() != WL_MEMORY_OK || wl_memory_get_info(chip, &info) != WL_MEMORY_OK
            || wl_memory_listen(chip, count_down, NULL) != WL_MEMORY_OK) {
        fprintf(stderr, "wordline: %s\n", wl_memory_message());
        exit(2);
    }
    if (dhara_wordline_attach(&sim_nand, chip) != 0) {
        fprintf(stderr, "wordline: Dhara's tests need flash of %u blocks or more, each of 8 pages of 512 bytes or more: "
                "choose a NAND part, such as WORDLINE_TARGET=mt29f1g01\n", BLOCKS);
        exit(2);
    }
}

void sim_inject_bad(int count)
{
    while (count-- > 0) {
        wl_memory_mark_bad(chip, (uint32_t)(random() % BLOCKS));
    }
}

void sim_inject_failed(int count)
{
    while (count-- > 0) {
        sim_set_failed((dhara_block_t)(random() % BLOCKS));
    }
}

void sim_inject_timebombs(int count, int max_ttl)
{
    while (count-- > 0) {
        dhara_block_t block = (dhara_block_t)(random() % BLOCKS);
        sim_set_timebomb(block, (int)(random() % max_ttl) + 1);
    }
}

void sim_freeze(void) {}

void sim_thaw(void) {}

void sim_dump(void)
{
    wl_memory_stats stats;
    memset(&stats, 0, sizeof stats);
    stats.size = sizeof stats;
    wl_memory_get_stats(chip, &stats);
    printf("%llu reads, %llu programs, %llu erases, %llu failures in %.3f s of simulated time\n",
           (unsigned long long)stats.reads, (unsigned long long)stats.programs, (unsigned long long)stats.erases,
           (unsigned long long)stats.failures, (double)wl_memory_now(chip) / 1e12);
}
