/* A flash device of Zephyr on NOR, NAND and MRAM: parameters, layout, a write, a power cut, the same device again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash_wordline.h"

static struct flash_wordline data;
static const struct device device = {.name = "flash", .api = &flash_wordline_api, .data = &data};

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s: %s\n", what, wl_memory_message());
        exit(1);
    }
}

static void run(const char *target, size_t write, size_t erase, int is_flash)
{
    static uint8_t text[4096], back[4096];
    const struct flash_driver_api *api = device.api;
    const struct flash_pages_layout *layout;
    wl_memory_options options;
    wl_memory_cut cut;
    wl_memory *memory;
    uint64_t size = 0;
    size_t groups = 0;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target;
    options.factory_bad = WL_MEMORY_FACTORY_NONE;
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, target);
    check(flash_wordline_bind(&device, memory) == 0 && api->get_size(&device, &size) == 0, "bind");
    check(api->get_parameters(&device)->write_block_size == write, "write block");
    check(api->get_parameters(&device)->caps.no_explicit_erase == !is_flash, "erases");
    api->page_layout(&device, &layout, &groups);
    check(groups == 1 && layout->pages_size == erase && layout->pages_count * erase == size, "layout");

    memset(text, 0x5A, sizeof text);
    check(api->erase(&device, 0, erase) == 0, "erase");
    check(api->write(&device, 0, text, 2048) == 0 && api->read(&device, 0, back, 2048) == 0, "write and read");
    check(memcmp(text, back, 2048) == 0, "the same bytes");
    check(api->read(&device, (off_t)size, back, 1) == -EINVAL && api->read(&device, -1, back, 1) == -EINVAL, "no such byte");
    check(api->read(&device, 0, NULL, 0) == 0, "nothing to be read");
    check(write == 1 || api->write(&device, 1, text, 1) == -EINVAL, "unaligned");
    check(!is_flash || api->erase(&device, 1, erase) == -EINVAL, "an erase of a part");

    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = 1;
    check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut_power");
    check(api->erase(&device, 0, erase) == -EIO && api->read(&device, 0, back, 1) == -EIO, "the power goes");
    check(wl_memory_power_up(memory) == WL_MEMORY_OK, "power_up");
    check(api->read(&device, 0, back, 2048) == 0 && memcmp(text, back, 2048) == 0, "what was stored stays");
    check(api->erase(&device, 0, erase) == 0 && api->read(&device, 0, back, 1) == 0 && back[0] == 0xFF, "erase again");
    wl_memory_free(memory);
}

int main(void)
{
    run("mt25ql128", 1, 4096, 1);
    run("gd5f1gm7u", 2048, 64 * 2048, 1);
    run("mr25h40", 1, 1, 0);
    puts("ok");
    return 0;
}
