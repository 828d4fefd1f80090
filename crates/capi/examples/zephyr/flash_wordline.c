/* A flash driver of Zephyr over wordline_memory.h. See flash_wordline.h. */
#include "flash_wordline.h"

#include <string.h>

static int result_of(wl_memory_status status)
{
    switch (status) {
    case WL_MEMORY_OK:
        return 0;
    case WL_MEMORY_BAD_ARGUMENT:
    case WL_MEMORY_OUT_OF_RANGE:
    case WL_MEMORY_MISUSE:
        return -EINVAL;
    case WL_MEMORY_BAD_HANDLE:
        return -ENODEV;
    case WL_MEMORY_BUSY:
        return -EBUSY;
    default: /* the medium, or the power */
        return -EIO;
    }
}

static int flash_wordline_read(const struct device *dev, off_t offset, void *data, size_t len)
{
    struct flash_wordline *flash = dev->data;
    if (len == 0) {
        return 0;
    }
    return offset < 0 || !data ? -EINVAL : result_of(wl_memory_read(flash->memory, (uint64_t)offset, data, len));
}

static int flash_wordline_write(const struct device *dev, off_t offset, const void *data, size_t len)
{
    struct flash_wordline *flash = dev->data;
    size_t unit = flash->parameters.write_block_size;
    if (offset < 0 || (uint64_t)offset % unit != 0 || len % unit != 0 || (!data && len != 0)) {
        return -EINVAL;
    }
    if (len == 0) {
        return 0;
    }
    return result_of(flash->info.kind == WL_MEMORY_FLASH ? wl_memory_program(flash->memory, (uint64_t)offset, data, len)
                                                         : wl_memory_write(flash->memory, (uint64_t)offset, data, len));
}

static wl_memory_status fill(struct flash_wordline *flash, uint64_t at, uint64_t size)
{
    uint8_t erased[512];
    wl_memory_status status = WL_MEMORY_OK;
    memset(erased, 0xFF, sizeof erased);
    while (size > 0 && status == WL_MEMORY_OK) {
        uint64_t part = size < sizeof erased ? size : sizeof erased;
        status = wl_memory_write(flash->memory, at, erased, part);
        at += part;
        size -= part;
    }
    return status;
}

static int flash_wordline_erase(const struct device *dev, off_t offset, size_t size)
{
    struct flash_wordline *flash = dev->data;
    if (offset < 0 || (uint64_t)offset > flash->info.bytes || size > flash->info.bytes - (uint64_t)offset) {
        return -EINVAL;
    }
    if (size == 0) {
        return 0;
    }
    return result_of(flash->info.kind == WL_MEMORY_FLASH
                         ? wl_memory_erase_range(flash->memory, (uint64_t)offset, size, 0)
                         : fill(flash, (uint64_t)offset, size));
}

static const struct flash_parameters *flash_wordline_get_parameters(const struct device *dev)
{
    const struct flash_wordline *flash = dev->data;
    return &flash->parameters;
}

static int flash_wordline_get_size(const struct device *dev, uint64_t *size)
{
    const struct flash_wordline *flash = dev->data;
    *size = flash->info.bytes;
    return 0;
}

#if defined(CONFIG_FLASH_PAGE_LAYOUT)
static void flash_wordline_page_layout(const struct device *dev, const struct flash_pages_layout **layout,
                                       size_t *layout_size)
{
    const struct flash_wordline *flash = dev->data;
    *layout = &flash->layout;
    *layout_size = 1;
}
#endif

const struct flash_driver_api flash_wordline_api = {
    .read = flash_wordline_read,
    .write = flash_wordline_write,
    .erase = flash_wordline_erase,
    .get_parameters = flash_wordline_get_parameters,
    .get_size = flash_wordline_get_size,
#if defined(CONFIG_FLASH_PAGE_LAYOUT)
    .page_layout = flash_wordline_page_layout,
#endif
};

int flash_wordline_bind(const struct device *dev, wl_memory *memory)
{
    struct flash_wordline *flash = dev->data;
    wl_memory_info info;
    uint64_t write, erase;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (wl_memory_get_info(memory, &info) != WL_MEMORY_OK) {
        return -EINVAL;
    }
    write = info.programs_per_page ? info.page_bytes : info.once_bytes ? info.once_bytes : info.write_bytes;
    erase = info.kind == WL_MEMORY_FLASH ? info.block_bytes : info.write_bytes;
    {
        struct flash_parameters parameters = {
            .write_block_size = write,
            .caps = {.no_explicit_erase = info.kind == WL_MEMORY_BYTES},
            .erase_value = 0xFF,
        };
        /* Its members are constant to everybody else. */
        memcpy(&flash->parameters, &parameters, sizeof parameters);
    }
    flash->memory = memory;
    flash->info = info;
#if defined(CONFIG_FLASH_PAGE_LAYOUT)
    flash->layout.pages_size = erase;
    flash->layout.pages_count = info.bytes / erase;
#else
    (void)erase;
#endif
    return 0;
}
