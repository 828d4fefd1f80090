/* The flash that SPIFFS sees, on NOR: erased, written twice as SPIFFS does, cut, read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spiffs_wordline.h"

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

int main(void)
{
    static spiffs fs;
    u8_t written[64], back[64];
    wl_memory *nand = make("gd5f1gm7u"), *memory = make("mt25ql128");
    wl_memory_cut cut;
    uint64_t start;
    check(spiffs_wordline_config(nand, 0, 131072, 2048, &fs.cfg) == -1, "NAND does not fit");
    wl_memory_free(nand);
    check(spiffs_wordline_config(memory, 1 << 20, 65536, 256, &fs.cfg) == 0, "config");
    check(fs.cfg.phys_size == 1 << 20 && fs.cfg.phys_erase_block == 4096, "geometry");
    fs.user_data = memory;
    start = wl_memory_now(memory);
    check(fs.cfg.hal_erase_f(&fs, 65536, 65536) == SPIFFS_OK, "erase a block");
    check(wl_memory_now(memory) - start < 300000000000u, "by one erase of 64 KiB, not sixteen of 4 KiB");
    memset(written, 0xF0, sizeof written);
    check(fs.cfg.hal_write_f(&fs, 65536 + 10, sizeof written, written) == SPIFFS_OK, "write");
    memset(written, 0x7F, sizeof written);
    check(fs.cfg.hal_write_f(&fs, 65536 + 10, sizeof written, written) == SPIFFS_OK, "clear a bit more");
    check(fs.cfg.hal_read_f(&fs, 65536 + 10, sizeof back, back) == SPIFFS_OK && back[0] == 0x70, "read");
    check(fs.cfg.hal_read_f(&fs, 1u << 24, 1, back) == SPIFFS_WORDLINE_ERROR(WL_MEMORY_OUT_OF_RANGE), "no such byte");
    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = 1;
    check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut_power");
    check(fs.cfg.hal_erase_f(&fs, 65536, 65536) == SPIFFS_WORDLINE_ERROR(WL_MEMORY_POWER_LOST), "the power goes");
    check(wl_memory_power_up(memory) == WL_MEMORY_OK, "power_up");
    check(fs.cfg.hal_read_f(&fs, 65536 + 10, sizeof back, back) == SPIFFS_OK && back[63] == 0x70, "what was stored stays");
    wl_memory_free(memory);
    puts("ok");
    return 0;
}
