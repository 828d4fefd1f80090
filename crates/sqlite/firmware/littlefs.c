/* littlefs on the memory, called as the laboratory calls it. */
#include <string.h>

#include "count.h"
#include "lfs.h"

static lfs_t lfs;
static struct lfs_config config;
static lfs_file_t open_files[FILES_MAX];
static struct lfs_file_config file_configs[FILES_MAX];
static uint8_t buffers[3 + FILES_MAX][8192];

static uint8_t *place(lfs_block_t block, lfs_off_t at)
{
    return memory + block * config.block_size + at;
}

static int read_block(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, void *out, lfs_size_t bytes)
{
    enum layer before = enter(MEMORY_BELOW);
    (void)c;
    memcpy(out, place(block, at), bytes);
    below.reads += 1;
    below.read_bytes += bytes;
    enter(before);
    return 0;
}

static int program_block(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, const void *data, lfs_size_t bytes)
{
    enum layer before = enter(MEMORY_BELOW);
    (void)c;
    memcpy(place(block, at), data, bytes);
    below.writes += 1;
    below.written_bytes += bytes;
    enter(before);
    return 0;
}

static int erase_block(const struct lfs_config *c, lfs_block_t block)
{
    enum layer before = enter(MEMORY_BELOW);
    (void)c;
    (void)block;
    below.erases += 1;
    enter(before);
    return 0;
}

static int sync_blocks(const struct lfs_config *c)
{
    (void)c;
    return 0;
}

static int begin(uint32_t block_bytes, uint32_t cache_bytes, uint32_t granule_bytes)
{
    uint32_t blocks = MEMORY_BYTES / block_bytes;
    uint32_t map = (blocks + 63) / 64 * 8;
    memset(&config, 0, sizeof config);
    memset(&lfs, 0, sizeof lfs);
    memset(open_files, 0, sizeof open_files);
    memset(file_configs, 0, sizeof file_configs);
    config.read = read_block;
    config.prog = program_block;
    config.erase = erase_block;
    config.sync = sync_blocks;
    config.read_size = config.prog_size = granule_bytes;
    config.block_size = block_bytes;
    config.block_count = blocks;
    config.block_cycles = 500;
    config.cache_size = cache_bytes;
    config.lookahead_size = map < 128 ? map : 128;
    config.read_buffer = buffers[0];
    config.prog_buffer = buffers[1];
    config.lookahead_buffer = buffers[2];
    if (lfs_format(&lfs, &config) != 0) {
        return -1;
    }
    return lfs_mount(&lfs, &config);
}

static int open_file(uint32_t file, const char *name, int creates)
{
    file_configs[file].buffer = buffers[3 + file];
    return lfs_file_opencfg(&lfs, &open_files[file], name, LFS_O_RDWR | (creates ? LFS_O_CREAT : 0), &file_configs[file]);
}

static int close_file(uint32_t file)
{
    return lfs_file_close(&lfs, &open_files[file]);
}

static int32_t read_file(uint32_t file, uint32_t at, void *out, uint32_t bytes)
{
    lfs_soff_t sought;
    if (at >= (uint32_t)lfs_file_size(&lfs, &open_files[file])) {
        return 0;
    }
    sought = lfs_file_seek(&lfs, &open_files[file], (lfs_soff_t)at, LFS_SEEK_SET);
    return sought < 0 ? sought : lfs_file_read(&lfs, &open_files[file], out, bytes);
}

static int write_file(uint32_t file, uint32_t at, const void *data, uint32_t bytes)
{
    lfs_soff_t sought = lfs_file_seek(&lfs, &open_files[file], (lfs_soff_t)at, LFS_SEEK_SET);
    if (sought < 0) {
        return sought;
    }
    return lfs_file_write(&lfs, &open_files[file], data, bytes) == (lfs_ssize_t)bytes ? 0 : -1;
}

static int truncate_file(uint32_t file, uint32_t bytes)
{
    return lfs_file_truncate(&lfs, &open_files[file], bytes);
}

static int sync_file(uint32_t file)
{
    return lfs_file_sync(&lfs, &open_files[file]);
}

static int remove_file(const char *name)
{
    return lfs_remove(&lfs, name);
}

static int32_t length(const char *name)
{
    struct lfs_info info;
    int code = lfs_stat(&lfs, name, &info);
    return code < 0 ? code : (int32_t)info.size;
}

const struct file_system littlefs_files = {
    "littlefs", begin, open_file, close_file, read_file, write_file, truncate_file, sync_file, remove_file, length, 0,
};
