/*
 * SPIFFS's own tests on a simulated chip: compiled with spiffs_wordline.c in the place of SPIFFS's src/test/test_spiffs.c,
 * which it includes as it is. The array of bytes that this file brings is replaced by NOR flash, mt25ql128 or what
 * WORDLINE_TARGET names. What the tests count, the errors that they ask for, and what the array holds SPIFFS to stay: no
 * program sets a bit, but for the flags of a page, which SPIFFS writes blindly.
 *
 * The tests keep files in /dev/shm/spiffs, so that one process runs at a time.
 */

#include "params_test.h"
#include "spiffs.h"
#include "test_spiffs.h"

s32_t mount_on_flash(spiffs *fs, spiffs_config *config, u8_t *work, u8_t *fd_space, u32_t fd_space_size, void *cache,
                     u32_t cache_size, spiffs_check_callback check_cb_f);

void dump_page_of_array(spiffs *fs, spiffs_page_ix p);

/* Of that file these are called by others; here they look at the flash. */
#define area_write area_write_of_array
#define area_set area_set_of_array
#define area_read area_read_of_array
#define dump_page dump_page_of_array
#define fs_store_dump fs_store_dump_of_array
/* Its functions of the flash are exchanged where they are handed on. */
#define SPIFFS_mount mount_on_flash
#include "test_spiffs.c"
#undef area_write
#undef area_set
#undef area_read
#undef dump_page
#undef fs_store_dump
#undef SPIFFS_mount

#include "spiffs_wordline.h"

static wl_memory *flash;
static spiffs_config adapter;
/* What the adapter finds the flash in: a probe for a file system has no user_data. */
static spiffs on_flash;

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, wl_memory_message());
        exit(2);
    }
}

/* What the array holds an operation to: the file system's range, and erases of whole sectors. */
static int is_inside(const char *what, u32_t addr, u32_t size)
{
    u32_t first = SPIFFS_CFG_PHYS_ADDR(&__fs), bytes = SPIFFS_CFG_PHYS_SZ(&__fs);
    if (addr < first || addr - first > bytes || size > bytes - (addr - first)) {
        printf("FATAL %s beyond the file system: %u bytes at %08x\n", what, size, addr);
        ERREXIT();
        return 0;
    }
    return 1;
}

static int is_whole(u32_t addr, u32_t size)
{
    u32_t sector = SPIFFS_CFG_PHYS_ERASE_SZ(&__fs);
    if (addr % sector != 0 || size % sector != 0) {
        printf("FATAL erase of a part of a sector: %u bytes at %08x\n", size, addr);
        ERREXIT();
        return 0;
    }
    return 1;
}

/* Whether a program sets no bit. As in the array, the flags of a page may be written blindly. */
static int clears_alone(u32_t addr, u32_t size, const u8_t *src)
{
    static u8_t held[65536];
    u32_t page = SPIFFS_CFG_LOG_PAGE_SZ(&__fs), i;
    if (!check_valid_flash) {
        return 1;
    }
    check(size <= sizeof held, "a program of more than 64 KiB");
    area_read(addr, held, size);
    for (i = 0; i < size; i++) {
        int is_flags = !SPIFFS_NO_BLIND_WRITES && (addr + i) % page == offsetof(spiffs_page_header, flags);
        if (!is_flags && (src[i] & ~held[i])) {
            printf("FATAL write of %02x to %02x at %08x\n", src[i], held[i], addr + i);
            ERREXIT();
            return 0;
        }
    }
    return 1;
}

/* Counts an operation, and says whether a test asked it to fail: the first one, or each, after so many bytes. */
static int fails(u32_t size, u32_t *bytes, u32_t *operations, u32_t *after, char once_only)
{
    if (!log_flash_ops) {
        return 0;
    }
    *bytes += size;
    *operations += 1;
    if (*after == 0 || *bytes < *after) {
        return 0;
    }
    if (once_only) {
        *after = 0;
    }
    return 1;
}

static s32_t read_flash(spiffs *fs, u32_t addr, u32_t size, u8_t *dst)
{
    (void)fs;
    if (fails(size, &bytes_rd, &reads, &error_after_bytes_read, error_after_bytes_read_once_only)) {
        return SPIFFS_ERR_TEST;
    }
    if (!is_inside("read", addr, size)) {
        return -1;
    }
    return adapter.hal_read_f(&on_flash, addr - addr_offset, size, dst);
}

static s32_t write_flash(spiffs *fs, u32_t addr, u32_t size, u8_t *src)
{
    (void)fs;
    if (fails(size, &bytes_wr, &writes, &error_after_bytes_written, error_after_bytes_written_once_only)) {
        return SPIFFS_ERR_TEST;
    }
    if (!is_inside("write", addr, size) || !clears_alone(addr, size, src)) {
        return -1;
    }
    return adapter.hal_write_f(&on_flash, addr - addr_offset, size, src);
}

static s32_t erase_flash(spiffs *fs, u32_t addr, u32_t size)
{
    (void)fs;
    if (!is_inside("erase", addr, size) || !is_whole(addr, size)) {
        return -1;
    }
    _erases[(addr - SPIFFS_CFG_PHYS_ADDR(&__fs)) / SPIFFS_CFG_PHYS_ERASE_SZ(&__fs)]++;
    return adapter.hal_erase_f(&on_flash, addr - addr_offset, size);
}

/* An erased flash, with what the tests have put into the array: an image that they loaded. */
static void make_flash(const spiffs_config *config)
{
    static const u32_t step = 4096;
    static u8_t erased[4096];
    u32_t at;
    const char *target = getenv("WORDLINE_TARGET");
    wl_memory_options options;
    wl_memory_free(flash);
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target && *target ? target : "mt25ql128";
    check(wl_memory_create(&options, &flash) == WL_MEMORY_OK, options.target);
    if (spiffs_wordline_config(flash, 0, LOG_BLOCK, LOG_PAGE, &adapter) != 0) {
        fprintf(stderr, "%s does not fit SPIFFS's tests: they need NOR flash whose bytes take several programs, one at a "
                "time, and whose erases divide %u bytes; choose another WORDLINE_TARGET, such as mt25ql128\n",
                options.target, (unsigned)LOG_BLOCK);
        exit(2);
    }
    on_flash.user_data = flash;
    memset(erased, 0xFF, sizeof erased);
    for (at = config->phys_addr; at - config->phys_addr < config->phys_size; at += step) {
        if (memcmp(&AREA(at), erased, step) != 0) {
            area_write(at, &AREA(at), step);
        }
    }
}

s32_t mount_on_flash(spiffs *fs, spiffs_config *config, u8_t *work, u8_t *fd_space, u32_t fd_space_size, void *cache,
                     u32_t cache_size, spiffs_check_callback check_cb_f)
{
    /* The tests clear `fs` where they begin with an empty array, and SPIFFS keeps user_data when it mounts. */
    if (fs->user_data == NULL) {
        make_flash(config);
        fs->user_data = flash;
    }
    config->hal_read_f = read_flash;
    config->hal_write_f = write_flash;
    config->hal_erase_f = erase_flash;
    return SPIFFS_mount(fs, config, work, fd_space, fd_space_size, cache, cache_size, check_cb_f);
}

void area_write(u32_t addr, u8_t *buf, u32_t size)
{
    check(wl_memory_poke(flash, addr - addr_offset, buf, size) == WL_MEMORY_OK, "area_write");
}

void area_set(u32_t addr, u8_t d, u32_t size)
{
    u32_t i;
    for (i = 0; i < size; i++) {
        area_write(addr + i, &d, 1);
    }
}

void area_read(u32_t addr, u8_t *buf, u32_t size)
{
    check(wl_memory_peek(flash, addr - addr_offset, buf, size) == WL_MEMORY_OK, "area_read");
}

void dump_page(spiffs *fs, spiffs_page_ix p)
{
    area_read(SPIFFS_PAGE_TO_PADDR(fs, p), &AREA(SPIFFS_PAGE_TO_PADDR(fs, p)), SPIFFS_CFG_LOG_PAGE_SZ(fs));
    dump_page_of_array(fs, p);
}

void fs_store_dump(char *fname)
{
    area_read(addr_offset, _area, _area_sz);
    fs_store_dump_of_array(fname);
}
