#include "flash_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page of one of the two forms, and how many there are. */
struct shape {
    wl_memory_info info;
    uint32_t bytes, pages;
    unsigned char *page;
};

static int shape_of(wl_memory *memory, int with_spare, struct shape *shape)
{
    wl_memory_status status;
    shape->info.size = sizeof shape->info;
    status = wl_memory_get_info(memory, &shape->info);
    if (status != WL_MEMORY_OK) return status;
    if (shape->info.kind != WL_MEMORY_FLASH) return WL_MEMORY_UNSUPPORTED;
    shape->bytes = (uint32_t)(shape->info.page_bytes + (with_spare ? shape->info.spare_bytes : 0));
    shape->pages = (uint32_t)(shape->info.blocks * shape->info.pages_per_block);
    shape->page = malloc(shape->bytes);
    return shape->page ? WL_MEMORY_OK : FLASH_FILE_ERROR;
}

int flash_file_export(wl_memory *memory, const char *path, int with_spare)
{
    struct shape shape;
    FILE *file;
    uint32_t page;
    int status = shape_of(memory, with_spare, &shape);
    if (status) return status;
    file = fopen(path, "wb");
    if (!file) status = FLASH_FILE_ERROR;
    for (page = 0; !status && page < shape.pages; page++) {
        status = wl_memory_peek_page(memory, page, 0, shape.page, shape.bytes);
        if (!status && fwrite(shape.page, 1, shape.bytes, file) != shape.bytes) status = FLASH_FILE_ERROR;
    }
    if (file && fclose(file) && !status) status = FLASH_FILE_ERROR;
    free(shape.page);
    return status;
}

/* Whether a block was bad before anything of it changed: where the mark lies is the part's, so that a copy of the memory is
 * asked, in no time of the memory itself. NOR flash keeps no marks. */
static int is_bad(wl_memory *before, const struct shape *shape, uint32_t block, int *bad)
{
    int32_t found = 0;
    wl_memory_status status = shape->info.spare_bytes ? wl_memory_is_bad(before, block, &found) : WL_MEMORY_OK;
    *bad = found != 0;
    return status;
}

int flash_file_import(wl_memory *memory, const char *path, int with_spare)
{
    struct shape shape;
    FILE *file;
    uint32_t page;
    wl_memory *before = NULL;
    int bad = 0, ended = 0, status = shape_of(memory, with_spare, &shape);
    if (status) return status;
    file = fopen(path, "rb");
    status = file ? (int)wl_memory_fork(memory, &before) : FLASH_FILE_ERROR;
    for (page = 0; !status && page < shape.pages; page++) {
        size_t got = ended ? 0 : fread(shape.page, 1, shape.bytes, file);
        if (got != shape.bytes) {
            if (got || ferror(file)) {
                status = FLASH_FILE_ERROR;
                break;
            }
            ended = 1;
            memset(shape.page, 0xFF, shape.bytes);
        }
        if (page % shape.info.pages_per_block == 0)
            status = is_bad(before, &shape, (uint32_t)(page / shape.info.pages_per_block), &bad);
        if (!status && !bad) status = wl_memory_poke_page(memory, page, 0, shape.page, shape.bytes);
    }
    if (!status && !ended && fgetc(file) != EOF) status = FLASH_FILE_ERROR;
    if (file) fclose(file);
    wl_memory_free(before);
    free(shape.page);
    return status;
}
