/* What SPIFFS's spiffs.h asks of flash, declared anew for builds without SPIFFS. */
#ifndef WORDLINE_EXAMPLE_SPIFFS_H
#define WORDLINE_EXAMPLE_SPIFFS_H

#define SPIFFS_OK 0
#define SPIFFS_HAL_CALLBACK_EXTRA 1
#define SPIFFS_SINGLETON 0

typedef signed int s32_t;
typedef unsigned int u32_t;
typedef unsigned char u8_t;

struct spiffs_t;
typedef s32_t (*spiffs_read)(struct spiffs_t *fs, u32_t addr, u32_t size, u8_t *dst);
typedef s32_t (*spiffs_write)(struct spiffs_t *fs, u32_t addr, u32_t size, u8_t *src);
typedef s32_t (*spiffs_erase)(struct spiffs_t *fs, u32_t addr, u32_t size);

typedef struct {
    spiffs_read hal_read_f;
    spiffs_write hal_write_f;
    spiffs_erase hal_erase_f;
    u32_t phys_size, phys_addr, phys_erase_block, log_block_size, log_page_size;
} spiffs_config;

typedef struct spiffs_t {
    spiffs_config cfg;
    void *user_data;
} spiffs;

#endif
