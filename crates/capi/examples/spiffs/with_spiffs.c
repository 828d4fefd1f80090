/* SPIFFS on NOR flash whose power goes at every change in turn: files that were
 * closed before are whole. Needs SPIFFS's sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spiffs_wordline.h"

#define FILES 12

static spiffs fs;
static u8_t work[2 * 256], descriptors[64 * 4], cache[4096];

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s: %d: %s\n", what, (int)SPIFFS_errno(&fs), wl_memory_message());
        exit(1);
    }
}

static s32_t mount(wl_memory *memory)
{
    spiffs_config config;
    check(spiffs_wordline_config(memory, 1 << 18, 65536 / 4, 256, &config) == 0, "config");
    memset(&fs, 0, sizeof fs);
    fs.user_data = memory;
    return SPIFFS_mount(&fs, &config, work, descriptors, sizeof descriptors, cache, sizeof cache, NULL);
}

static void name_of(int file, char *name)
{
    snprintf(name, 16, "file-%d", file);
}

static s32_t store(int file)
{
    u8_t data[700];
    char name[16];
    spiffs_file handle;
    s32_t result;
    memset(data, file + 1, sizeof data);
    name_of(file, name);
    handle = SPIFFS_open(&fs, name, SPIFFS_CREAT | SPIFFS_TRUNC | SPIFFS_RDWR, 0);
    if (handle < 0) {
        return handle;
    }
    result = SPIFFS_write(&fs, handle, data, sizeof data);
    return result < 0 ? result : SPIFFS_close(&fs, handle);
}

static void read_back(int file)
{
    u8_t data[700];
    char name[16];
    spiffs_file handle;
    int i;
    name_of(file, name);
    handle = SPIFFS_open(&fs, name, SPIFFS_RDONLY, 0);
    check(handle >= 0 && SPIFFS_read(&fs, handle, data, sizeof data) == (s32_t)sizeof data, name);
    for (i = 0; i < (int)sizeof data; i++) {
        check(data[i] == file + 1, name);
    }
    SPIFFS_close(&fs, handle);
}

int main(void)
{
    wl_memory_options options;
    wl_memory *memory, *empty;
    uint64_t at;
    int losses = 0, is_over = 0, file;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = "mt25ql128";
    check(wl_memory_create(&options, &empty) == WL_MEMORY_OK, "create");
    if (mount(empty) != SPIFFS_OK) { /* it has to be configured to be formatted */
        check(SPIFFS_format(&fs) == SPIFFS_OK && mount(empty) == SPIFFS_OK, "format and mount");
    }
    SPIFFS_unmount(&fs);
    for (at = 1; !is_over; at++) {
        wl_memory_cut cut;
        int stored = 0;
        check(wl_memory_fork(empty, &memory) == WL_MEMORY_OK, "fork");
        check(mount(memory) == SPIFFS_OK, "mount");
        memset(&cut, 0, sizeof cut);
        cut.size = sizeof cut;
        cut.operations = at;
        cut.tear = WL_MEMORY_CUT_CLEAN;
        check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut_power");
        while (stored < FILES && store(stored) == SPIFFS_OK) {
            stored += 1;
        }
        is_over = stored == FILES;
        if (!is_over) {
            check(SPIFFS_errno(&fs) == SPIFFS_WORDLINE_ERROR(WL_MEMORY_POWER_LOST), "nothing but the power stops it");
            check(wl_memory_power_up(memory) == WL_MEMORY_OK, "power_up");
            check(mount(memory) == SPIFFS_OK && SPIFFS_check(&fs) >= 0, "mount and check");
            losses += 1;
        }
        for (file = 0; file < stored; file++) {
            read_back(file);
        }
        SPIFFS_unmount(&fs);
        wl_memory_free(memory);
    }
    wl_memory_free(empty);
    printf("power lost %d times\n", losses);
    return losses > 50 ? 0 : 1;
}
