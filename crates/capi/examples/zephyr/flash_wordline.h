/* A flash driver of Zephyr over wordline_memory.h, for native_sim, whose programs link with host libraries. */
#ifndef FLASH_WORDLINE_H
#define FLASH_WORDLINE_H

#include <zephyr/drivers/flash.h>

#include "wordline_memory.h"

/* What the `data` of a device points to. */
struct flash_wordline {
    wl_memory *memory;
    wl_memory_info info;
    struct flash_parameters parameters;
#if defined(CONFIG_FLASH_PAGE_LAYOUT)
    struct flash_pages_layout layout;
#endif
};

/* The `api` of a device. */
extern const struct flash_driver_api flash_wordline_api;

/* Lets a device be a memory, which stays the caller's: before its first call, or at any time to change the chip. Of flash
 * that takes one program a page, a write block is a page; a byte memory needs no erases, and an erase fills it with 0xFF.
 * 0, or -EINVAL for a handle that is none. */
int flash_wordline_bind(const struct device *dev, wl_memory *memory);

#endif
