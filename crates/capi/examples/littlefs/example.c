/*
 * littlefs on a simulated chip: a counter in a file survives a power loss at every change of the chip, and worn blocks
 * are given up. The environment chooses the chip, as lfs_emubd_wordline.c says.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bd/lfs_emubd.h"

#define COUNTS 200u

static jmp_buf reboot;

static void lose_power(void *data)
{
    (void)data;
    longjmp(reboot, 1);
}

static void check(int holds, const char *what, int err)
{
    if (!holds) {
        fprintf(stderr, "%s: %d\n", what, err);
        exit(1);
    }
}

/* Reads the counter, 0 without a file, and counts by one once `seen` has heard what it was. */
static int count(lfs_t *lfs, void (*seen)(uint32_t held))
{
    /* Buffers that a jump out does not leak. */
    static uint8_t buffer[256];
    static const struct lfs_file_config with = {.buffer = buffer};
    lfs_file_t file;
    uint32_t held = 0;
    int err = lfs_file_opencfg(lfs, &file, "counter", LFS_O_RDWR | LFS_O_CREAT, &with);
    if (err) {
        return err;
    }
    if (lfs_file_read(lfs, &file, &held, sizeof held) < 0) {
        return LFS_ERR_IO;
    }
    seen(held);
    held += 1;
    err = (int)lfs_file_seek(lfs, &file, 0, LFS_SEEK_SET);
    err = err < 0 ? err : (int)lfs_file_write(lfs, &file, &held, sizeof held);
    return err < 0 ? err : lfs_file_close(lfs, &file);
}

static uint32_t known;      /* what the counter was when it was last read, or has been closed with */
static int is_under_way;    /* the power was lost since: it may be one more */

static void see(uint32_t held)
{
    check(held == known || (is_under_way && held == known + 1), "the counter is neither old nor new", (int)held);
    known = held;
    is_under_way = 1;
}

static struct lfs_emubd_config bdcfg = {
    .read_size = 256,
    .prog_size = 256,
    .erase_size = 4096,
    .erase_count = 64,
    .erase_value = 0xff,
    .powerloss_cb = lose_power,
};

static lfs_emubd_t bd;
static uint8_t read_buffer[256], prog_buffer[256], lookahead[16];

static const struct lfs_config cfg = {
    .context = &bd,
    .read = lfs_emubd_read,
    .prog = lfs_emubd_prog,
    .erase = lfs_emubd_erase,
    .sync = lfs_emubd_sync,
    .read_size = 256,
    .prog_size = 256,
    .block_size = 4096,
    .block_count = 64,
    .block_cycles = 16,
    .cache_size = 256,
    .lookahead_size = 16,
    .read_buffer = read_buffer,
    .prog_buffer = prog_buffer,
    .lookahead_buffer = lookahead,
};

/* Counts to COUNTS while the power goes at the first change, then at the second after that, and so on. */
static uint32_t lose_everywhere(lfs_emubd_powerloss_behavior_t how)
{
    static lfs_t lfs;
    static uint32_t losses;
    int err;
    losses = known = 0;
    is_under_way = 0;
    bdcfg.powerloss_behavior = how;
    err = lfs_emubd_create(&cfg, &bdcfg);
    err = err ? err : lfs_format(&lfs, &cfg);
    check(!err, "create and format", err);
    losses += setjmp(reboot) ? 1 : 0;
    lfs_emubd_setpowercycles(&cfg, losses % 12 + 1);
    err = lfs_mount(&lfs, &cfg);
    check(!err, "mount", err);
    while (known < COUNTS) {
        err = count(&lfs, see);
        check(!err, "count", err);
        known += 1;
        is_under_way = 0;
    }
    lfs_emubd_setpowercycles(&cfg, 0);
    err = lfs_unmount(&lfs);
    check(!err, "unmount", err);
    lfs_emubd_destroy(&cfg);
    return losses;
}

/* Of what was written since the last sync, the block that was erased first is as it was. */
static void lose_out_of_order(void)
{
    static uint8_t old[4096], new[4096], back[4096];
    int err;
    memset(old, 0x11, sizeof old);
    memset(new, 0x22, sizeof new);
    bdcfg.powerloss_behavior = LFS_EMUBD_POWERLOSS_OOO;
    err = lfs_emubd_create(&cfg, &bdcfg);
    for (lfs_block_t block = 7; block < 9 && !err; block++) {
        err = lfs_emubd_erase(&cfg, block);
        err = err ? err : lfs_emubd_prog(&cfg, block, 0, old, sizeof old);
    }
    err = err ? err : lfs_emubd_sync(&cfg);
    check(!err, "store before the sync", err);
    if (!setjmp(reboot)) {
        lfs_emubd_setpowercycles(&cfg, 4);
        for (lfs_block_t block = 7; block < 9; block++) {
            lfs_emubd_erase(&cfg, block);
            lfs_emubd_prog(&cfg, block, 0, new, sizeof new);
        }
        check(0, "the power went in the last program", 0);
    }
    err = lfs_emubd_read(&cfg, 7, 0, back, sizeof back);
    check(!err && memcmp(back, old, sizeof old) == 0, "the first block is old", err);
    err = lfs_emubd_read(&cfg, 8, 0, back, 256);
    check(!err, "read the second block", err);
    err = lfs_emubd_erase(&cfg, 7);
    err = err ? err : lfs_emubd_prog(&cfg, 7, 0, new, sizeof new);
    err = err ? err : lfs_emubd_read(&cfg, 7, 0, back, sizeof back);
    check(!err && memcmp(back, new, sizeof new) == 0, "the first block is written again", err);
    lfs_emubd_destroy(&cfg);
}

/* A block that takes no programs any more is given up, and the file is stored elsewhere. */
static void wear_out(lfs_emubd_badblock_behavior_t how)
{
    lfs_t lfs;
    int err;
    known = 0;
    is_under_way = 0;
    bdcfg.erase_cycles = 1000;
    bdcfg.badblock_behavior = how;
    err = lfs_emubd_create(&cfg, &bdcfg);
    check(!err, "create", err);
    for (lfs_block_t block = 2; block < 40; block += 3) {
        err = lfs_emubd_setwear(&cfg, block, 1000);
        check(!err, "setwear", err);
    }
    err = lfs_format(&lfs, &cfg);
    err = err ? err : lfs_mount(&lfs, &cfg);
    check(!err, "format and mount", err);
    for (uint32_t i = 0; i < 2 * COUNTS; i++) {
        err = count(&lfs, see);
        check(!err && known == i, "count beside worn blocks", err);
        known += 1;
        is_under_way = 0;
    }
    err = lfs_unmount(&lfs);
    check(!err, "unmount", err);
    lfs_emubd_destroy(&cfg);
    bdcfg.erase_cycles = 0;
}

int main(void)
{
    uint32_t plain = lose_everywhere(LFS_EMUBD_POWERLOSS_NOOP);
    uint32_t reordered = lose_everywhere(LFS_EMUBD_POWERLOSS_OOO);
    lose_out_of_order();
    bdcfg.powerloss_behavior = LFS_EMUBD_POWERLOSS_NOOP;
    wear_out(LFS_EMUBD_BADBLOCK_PROGERROR);
    wear_out(LFS_EMUBD_BADBLOCK_ERASEERROR);
    wear_out(LFS_EMUBD_BADBLOCK_PROGNOOP);
    wear_out(LFS_EMUBD_BADBLOCK_ERASENOOP);
    printf("power lost %u times, and %u times out of order\n", (unsigned)plain, (unsigned)reordered);
    return plain > 10 && reordered > 10 ? 0 : 1;
}
