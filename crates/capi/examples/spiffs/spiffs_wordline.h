/* SPIFFS's flash functions over wordline_memory.h. SPIFFS has to be compiled with SPIFFS_HAL_CALLBACK_EXTRA 1. */
#ifndef SPIFFS_WORDLINE_H
#define SPIFFS_WORDLINE_H

#include "spiffs.h"
#include "wordline_memory.h"

/* What SPIFFS returns for a status of the chip that is not WL_MEMORY_OK; SPIFFS's own errors begin at -10000. */
#define SPIFFS_WORDLINE_ERROR(status) (-20000 + (s32_t)(status))

/* Fills in the functions, and that the file system has the first `bytes` bytes of NOR flash, or all with 0: a physical
 * block is the chip's, a logical one `block_bytes`, a page `page_bytes`. Set fs->user_data to the memory before
 * SPIFFS_mount and SPIFFS_format; it stays the caller's. -1 where it does not fit: NAND does not, because SPIFFS programs
 * bytes of a page several times. */
int spiffs_wordline_config(wl_memory *memory, u32_t bytes, u32_t block_bytes, u32_t page_bytes, spiffs_config *config);

#endif
