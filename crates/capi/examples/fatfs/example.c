/* A disk of FatFs on MRAM and on NOR flash: written, cut, initialized again, read back. */
#include "ff.h"

#include "diskio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diskio_wordline.h"

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s: %s\n", what, wl_memory_message());
        exit(1);
    }
}

static wl_memory *make(const char *target)
{
    wl_memory_options options;
    wl_memory *memory;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target;
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, target);
    return memory;
}

static void write_cut_and_read(const char *target, BYTE pdrv, UINT expected)
{
    static BYTE old[2 * 4096], new[2 * 4096], back[2 * 4096];
    wl_memory *memory = make(target);
    wl_memory_cut cut;
    LBA_t sectors = 0;
    WORD bytes = 0;
    UINT i, torn = 0;
    check(diskio_wordline_attach(pdrv, memory) == 0, "attach");
    check(disk_status(pdrv) == STA_NOINIT, "a new drive is not initialized");
    check(disk_read(pdrv, back, 0, 1) == RES_NOTRDY, "and not ready");
    check(disk_initialize(pdrv) == 0, "initialize");
    check(disk_ioctl(pdrv, GET_SECTOR_SIZE, &bytes) == RES_OK && bytes == expected, "size of a sector");
    check(disk_ioctl(pdrv, GET_SECTOR_COUNT, &sectors) == RES_OK && sectors > 100, "number of sectors");
    memset(old, 0x11, sizeof old);
    memset(new, 0x22, sizeof new);
    check(disk_write(pdrv, old, 5, 2) == RES_OK && disk_ioctl(pdrv, CTRL_SYNC, NULL) == RES_OK, "write");
    check(disk_write(pdrv, old, sectors - 1, 1) == RES_OK, "the last sector");
    check(disk_write(pdrv, old, sectors - 1, 2) == RES_PARERR, "and none behind it");
    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = 1;
    cut.tear = WL_MEMORY_CUT_TORN;
    cut.seed = 5;
    cut.erase_leaves = WL_MEMORY_LEAVES_MENDABLE;
    check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut_power");
    check(disk_write(pdrv, new, 5, 1) == RES_NOTRDY, "the power goes in a write");
    check(disk_status(pdrv) & STA_NOINIT, "which the status says");
    check(disk_initialize(pdrv) == 0 && disk_read(pdrv, back, 5, 2) == RES_OK, "it is initialized again");
    for (i = 0; i < bytes; i++) {
        torn += back[i] != 0x11;
    }
    check(torn > 0 && memcmp(back + bytes, old, bytes) == 0, "the sector is torn, its neighbour is not");
    check(disk_write(pdrv, new, 5, 1) == RES_OK && disk_read(pdrv, back, 5, 1) == RES_OK, "write it again");
    check(memcmp(back, new, bytes) == 0, "and it holds");
    check(diskio_wordline_attach(pdrv, NULL) == 0 && (disk_status(pdrv) & STA_NODISK), "detached");
    wl_memory_free(memory);
}

int main(void)
{
    wl_memory *nand = make("gd5f1gm7u");
    check(diskio_wordline_attach(0, nand) == -1, "NAND needs a translation layer");
    wl_memory_free(nand);
    write_cut_and_read("mr25h40", 0, 512);
    write_cut_and_read("mt25ql128", 1, 4096);
    puts("ok");
    return 0;
}
