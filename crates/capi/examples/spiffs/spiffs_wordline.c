/* SPIFFS's flash functions over wordline_memory.h. See spiffs_wordline.h. */
#include "spiffs_wordline.h"

#include <string.h>

#if !SPIFFS_HAL_CALLBACK_EXTRA
#error "set SPIFFS_HAL_CALLBACK_EXTRA to 1: the functions find their memory in fs->user_data"
#endif

static s32_t result_of(wl_memory_status status)
{
    return status == WL_MEMORY_OK ? SPIFFS_OK : SPIFFS_WORDLINE_ERROR(status);
}

static s32_t read_flash(struct spiffs_t *fs, u32_t addr, u32_t size, u8_t *dst)
{
    return result_of(wl_memory_read(fs->user_data, addr, dst, size));
}

static s32_t write_flash(struct spiffs_t *fs, u32_t addr, u32_t size, u8_t *src)
{
    return result_of(wl_memory_program(fs->user_data, addr, src, size));
}

static s32_t erase_flash(struct spiffs_t *fs, u32_t addr, u32_t size)
{
    return result_of(wl_memory_erase_range(fs->user_data, addr, size, 0));
}

int spiffs_wordline_config(wl_memory *memory, u32_t bytes, u32_t block_bytes, u32_t page_bytes, spiffs_config *config)
{
    wl_memory_info info;
    uint64_t all;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (wl_memory_get_info(memory, &info) != WL_MEMORY_OK || info.kind != WL_MEMORY_FLASH || info.write_bytes != 1
            || info.programs_per_page != 0 || info.once_bytes != 0) {
        return -1;
    }
    all = bytes ? bytes : info.bytes;
    if (all > info.bytes || all > 0x80000000u || block_bytes == 0 || block_bytes % info.block_bytes != 0
            || all % block_bytes != 0 || page_bytes < block_bytes / 65536 || page_bytes > block_bytes / 8) {
        return -1;
    }
    memset(config, 0, sizeof *config);
    config->hal_read_f = read_flash;
    config->hal_write_f = write_flash;
    config->hal_erase_f = erase_flash;
    config->phys_size = (u32_t)all;
    config->phys_addr = 0;
    config->phys_erase_block = (u32_t)info.block_bytes;
    config->log_block_size = block_bytes;
    config->log_page_size = page_bytes;
    return 0;
}
