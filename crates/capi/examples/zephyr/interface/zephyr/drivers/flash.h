/* What Zephyr's zephyr/device.h and zephyr/drivers/flash.h ask of a driver, declared anew for builds without Zephyr. */
#ifndef WORDLINE_EXAMPLE_ZEPHYR_FLASH_H
#define WORDLINE_EXAMPLE_ZEPHYR_FLASH_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CONFIG_FLASH_PAGE_LAYOUT 1

struct device {
    const char *name;
    const void *config;
    const void *api;
    void *data;
};

struct flash_pages_layout {
    size_t pages_count;
    size_t pages_size;
};

struct flash_parameters {
    const size_t write_block_size;
    struct {
        bool no_explicit_erase : 1;
    } caps;
    uint8_t erase_value;
};

struct flash_driver_api {
    int (*read)(const struct device *dev, off_t offset, void *data, size_t len);
    int (*write)(const struct device *dev, off_t offset, const void *data, size_t len);
    int (*erase)(const struct device *dev, off_t offset, size_t size);
    const struct flash_parameters *(*get_parameters)(const struct device *dev);
    int (*get_size)(const struct device *dev, uint64_t *size);
    void (*page_layout)(const struct device *dev, const struct flash_pages_layout **layout, size_t *layout_size);
};

#endif
