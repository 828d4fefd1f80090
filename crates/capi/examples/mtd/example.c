/* A flash goes to a file and back, with and without spare areas. The file is named by FLASH_FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash_file.h"

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
    options.seed = 5;
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, target);
    return memory;
}

static long length_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    long length;
    check(file && fseek(file, 0, SEEK_END) == 0, path);
    length = ftell(file);
    fclose(file);
    return length;
}

static uint32_t marks_of(wl_memory *memory, const wl_memory_info *info)
{
    uint32_t block, marks = 0;
    for (block = 0; block < info->blocks; block++) {
        int32_t bad = 0;
        check(wl_memory_is_bad(memory, block, &bad) == WL_MEMORY_OK, "is_bad");
        marks += bad != 0;
    }
    return marks;
}

int main(void)
{
    const char *path = getenv("FLASH_FILE") ? getenv("FLASH_FILE") : "flash.bin";
    wl_memory *nor = make("mt25ql128"), *nand = make("mt29f1g01"), *bytes = make("em064lx"), *other;
    wl_memory_info info;
    unsigned char spare[4] = {0xFF, 1, 2, 3}, back[8];
    uint32_t block, marks, good = 0;
    int32_t bad = 1;
    FILE *file;

    /* NOR: 16 MiB, of which a tool sees each byte in its place. */
    check(wl_memory_program(nor, 5000, "wordline", 8) == WL_MEMORY_OK, "program");
    check(flash_file_export(nor, path, 0) == WL_MEMORY_OK && length_of(path) == 1 << 24, "export");
    file = fopen(path, "r+b");
    check(file && fseek(file, 5000, SEEK_SET) == 0 && fread(back, 1, 8, file) == 8 && !memcmp(back, "wordline", 8), "file");
    check(fseek(file, 100, SEEK_SET) == 0 && fwrite("tool", 1, 4, file) == 4 && fclose(file) == 0, "a tool writes");
    other = make("mt25ql128");
    check(flash_file_import(other, path, 0) == WL_MEMORY_OK && wl_memory_now(other) == wl_memory_now(nor) - wl_memory_last_duration(nor),
          "import, in no time");
    check(wl_memory_read(other, 5000, back, 8) == WL_MEMORY_OK && !memcmp(back, "wordline", 8), "what was there");
    check(wl_memory_read(other, 100, back, 4) == WL_MEMORY_OK && !memcmp(back, "tool", 4), "what the tool wrote");
    /* Too long for the flash, then a part of a page. */
    file = fopen(path, "ab");
    check(file && fputc(0, file) == 0 && fclose(file) == 0, "a byte more");
    check(flash_file_import(other, path, 0) == FLASH_FILE_ERROR, "too long");
    file = fopen(path, "wb");
    check(file && fwrite("part", 1, 4, file) == 4 && fclose(file) == 0, "a part of a page");
    check(flash_file_import(other, path, 0) == FLASH_FILE_ERROR, "no whole page");
    wl_memory_free(other);

    /* NAND with spare areas: bad blocks stay bad. */
    info.size = sizeof info;
    check(wl_memory_get_info(nand, &info) == WL_MEMORY_OK, "info");
    while (bad) check(wl_memory_is_bad(nand, good++, &bad) == WL_MEMORY_OK, "is_bad");
    good--;
    check(wl_memory_poke_page(nand, (uint32_t)(good * info.pages_per_block), (uint32_t)info.page_bytes, spare, 4) == WL_MEMORY_OK, "poke");
    check(flash_file_export(nand, path, 1) == WL_MEMORY_OK, "export with spare areas");
    check((uint64_t)length_of(path) == info.blocks * info.pages_per_block * (info.page_bytes + info.spare_bytes), "length");
    other = make("mt29f1g01");
    check(flash_file_import(other, path, 1) == WL_MEMORY_OK, "import");
    check(wl_memory_peek_page(other, (uint32_t)(good * info.pages_per_block), (uint32_t)info.page_bytes, back, 4) == WL_MEMORY_OK
          && !memcmp(back, spare, 4), "spare area");
    for (block = 0; block < info.blocks; block++) {
        int32_t here, there;
        check(wl_memory_is_bad(nand, block, &here) == WL_MEMORY_OK && wl_memory_is_bad(other, block, &there) == WL_MEMORY_OK
              && here == there, "the same blocks are bad");
    }
    /* A file of a mkfs is shorter than the flash: the rest is erased. */
    file = fopen(path, "wb");
    check(file != NULL && fclose(file) == 0, "an empty file");
    check(flash_file_import(other, path, 1) == WL_MEMORY_OK, "nothing");
    check(wl_memory_peek_page(other, (uint32_t)(good * info.pages_per_block), (uint32_t)info.page_bytes, back, 4) == WL_MEMORY_OK
          && back[1] == 0xFF, "erased");
    for (block = 0, bad = 0; block < info.blocks && !bad; block++)
        check(wl_memory_is_bad(other, block, &bad) == WL_MEMORY_OK, "is_bad");
    check(bad, "marks last");
    /* Of a part with small pages, whose marks lie elsewhere in the spare area. */
    wl_memory_free(other);
    other = make("hy27us08121a");
    info.size = sizeof info;
    check(wl_memory_get_info(other, &info) == WL_MEMORY_OK, "get_info");
    marks = marks_of(other, &info);
    check(marks > 0 && flash_file_import(other, path, 1) == WL_MEMORY_OK && marks_of(other, &info) == marks, "small pages");
    check(flash_file_export(bytes, path, 0) == WL_MEMORY_UNSUPPORTED, "no flash");
    check(flash_file_import(nor, "/nowhere/at.all", 0) == FLASH_FILE_ERROR, "no file");
    wl_memory_free(nor);
    wl_memory_free(nand);
    wl_memory_free(other);
    wl_memory_free(bytes);
    remove(path);
    puts("ok");
    return 0;
}
