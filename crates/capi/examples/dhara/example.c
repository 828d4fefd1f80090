/* The driver that Dhara sees, on NAND: pages stored and copied, blocks that fail and are marked, a program that is cut. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dhara_wordline.h"

static struct dhara_nand nand;

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s: %s\n", what, wl_memory_message());
        exit(1);
    }
}

static wl_memory *make(void)
{
    wl_memory_options options;
    wl_memory *memory;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = "gd5f1gm7u";
    options.factory_bad = WL_MEMORY_FACTORY_NONE;
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, "create");
    return memory;
}

int main(void)
{
    static uint8_t page[4096], back[4096];
    dhara_error_t err = DHARA_E_NONE;
    wl_memory *memory = make();
    wl_memory_fault fault;
    wl_memory_cut cut;
    size_t bytes, i;
    check(dhara_wordline_shape(memory, &nand) == 0 && dhara_wordline_attach(&nand, memory) == 0, "attach");
    bytes = (size_t)1 << nand.log2_page_size;
    check(bytes == 2048 && nand.log2_ppb == 6 && nand.num_blocks == 1024, "geometry");
    for (i = 0; i < bytes; i++) {
        page[i] = (uint8_t)(i * 7);
    }
    check(dhara_nand_is_bad(&nand, 3) == 0 && dhara_nand_erase(&nand, 3, &err) == 0, "erase");
    check(dhara_nand_is_free(&nand, 3 * 64), "an erased page is free");
    check(dhara_nand_prog(&nand, 3 * 64, page, &err) == 0 && !dhara_nand_is_free(&nand, 3 * 64), "program");
    check(wl_memory_peek(memory, 3 * 64 * 2048, back, (uint32_t)bytes) == WL_MEMORY_OK, "peek");
    check(memcmp(back, page, bytes) == 0, "it is the first page of its block");
    check(dhara_nand_copy(&nand, 3 * 64, 5 * 64, &err) == 0, "copy");
    check(dhara_nand_read(&nand, 5 * 64, 100, 1000, back, &err) == 0 && memcmp(back, page + 100, 1000) == 0, "read");

    memset(&fault, 0, sizeof fault);
    fault.size = sizeof fault;
    fault.kind = WL_MEMORY_ERASE_ERROR;
    fault.at = 9 * 64 * 2048;
    fault.bytes = 64 * 2048;
    check(wl_memory_add_fault(memory, &fault) == WL_MEMORY_OK, "add_fault");
    check(dhara_nand_erase(&nand, 9, &err) == -1 && err == DHARA_E_BAD_BLOCK, "an erase fails");
    dhara_nand_mark_bad(&nand, 9);
    check(dhara_nand_is_bad(&nand, 9), "a block is marked");
    fault.kind = WL_MEMORY_READ_ERROR;
    fault.at = 3 * 64 * 2048;
    check(wl_memory_add_fault(memory, &fault) == WL_MEMORY_OK, "add_fault");
    check(dhara_nand_read(&nand, 3 * 64, 0, bytes, back, &err) == -1 && err == DHARA_E_ECC, "lost data");

    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = 1;
    check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut_power");
    check(dhara_nand_prog(&nand, 5 * 64 + 1, page, &err) == -1, "the power goes in a program");
    check(wl_memory_power_up(memory) == WL_MEMORY_OK, "power_up");
    check(dhara_nand_read(&nand, 5 * 64, 0, bytes, back, &err) == 0 && memcmp(back, page, bytes) == 0, "the rest stays");
    check(dhara_nand_is_free(&nand, 5 * 64 + 1), "a cut before the program leaves the page free");
    check(dhara_wordline_attach(&nand, NULL) == 0, "detach");
    wl_memory_free(memory);
    puts("ok");
    return 0;
}
