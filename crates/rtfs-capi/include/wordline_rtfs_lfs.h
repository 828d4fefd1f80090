/*
 * Calls in the names of littlefs on the files of wordline_rtfs.h, so that a program that uses littlefs 2 compiles as it is:
 * include this header in place of "lfs.h", link libwordline_rtfs_capi.a in place of lfs.c, and give the configuration its
 * memory (`rtfs_memory`). It is written anew; what is littlefs's are the names of its interface. What is on the flash is
 * another format: copy the files over.
 *
 * Configuration. The functions `read`, `prog`, `erase` and `sync` stay as they are. A page is `cache_size` bytes: choose the
 * page of the NAND, or 256 and more on NOR in blocks of 8 KiB and more. It is programmed at once, and its last 16 bytes are the
 * library's record. `read_size` and `prog_size` divide it, and it divides `block_size`. LFS_ERR_CORRUPT of `read` is a page
 * that cannot be corrected, of `prog` and `erase` a block that fails; it is given up, and up to `rtfs_bad_blocks` may fail.
 * `sync` is called after each program and each erase. `context` is yours. Ignored: block_cycles (wear is levelled always),
 * lookahead_size, the buffers, the limits, metadata_max, inline_max, disk_version.
 *
 * New members, all 0 where they are not set: `rtfs_memory` and `rtfs_memory_size`, which have to be set: lfs_rtfs_memory()
 * says how many bytes. `rtfs_pages`, pages for files: without it the most at which a page that is written costs at most
 * LFS_RTFS_STEPS steps. `rtfs_bad_blocks`, blocks that may be bad. `rtfs_is_bad` and `rtfs_mark_bad`, where the NAND keeps
 * marks. `rtfs_seed`, what names are hashed with.
 *
 * What differs for a program
 * - A write is on the flash when it returns, not when the file is synced or closed. lfs_file_sync does nothing. A program
 *   that counts on losing what it wrote before a close writes to another file, and renames it.
 * - The worst case of each call is known: lfs_rtfs() gives the file system to wl_rtfs_bound_of and wl_rtfs_write_counts.
 * - There are no attributes: lfs_getattr, lfs_setattr and lfs_removeattr are not declared, and a file that is opened with
 *   attributes is LFS_ERR_INVAL. A file's own buffer is not used.
 * - "." and ".." are no parts of paths: LFS_ERR_INVAL. lfs_dir_read lists both first, as littlefs does.
 * - Directories are listed in no order. Names are UTF-8, of at most wl_rtfs_space.longest_name bytes.
 * - Where littlefs has assertions there are errors: LFS_ERR_BADF for a file that is not open, or not for that.
 * - lfs_fs_size counts blocks that files would fill. lfs_fs_traverse, lfs_fs_grow and lfs_migrate are not declared.
 */
#ifndef WORDLINE_RTFS_LFS_H
#define WORDLINE_RTFS_LFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wordline_rtfs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t lfs_size_t;
typedef uint32_t lfs_off_t;
typedef int32_t lfs_ssize_t;
typedef int32_t lfs_soff_t;
typedef uint32_t lfs_block_t;

#define LFS_NAME_MAX 255
#define LFS_FILE_MAX 2147483647

/* Steps that a page costs at most where the configuration does not say how many pages there are. */
#ifndef LFS_RTFS_STEPS
#define LFS_RTFS_STEPS 5u
#endif

/* Bytes at the end of a page that are the library's. */
#define LFS_RTFS_SPARE 16u

enum lfs_error {
    LFS_ERR_OK = 0,
    LFS_ERR_IO = -5,
    LFS_ERR_CORRUPT = -84,
    LFS_ERR_NOENT = -2,
    LFS_ERR_EXIST = -17,
    LFS_ERR_NOTDIR = -20,
    LFS_ERR_ISDIR = -21,
    LFS_ERR_NOTEMPTY = -39,
    LFS_ERR_BADF = -9,
    LFS_ERR_FBIG = -27,
    LFS_ERR_INVAL = -22,
    LFS_ERR_NOSPC = -28,
    LFS_ERR_NOMEM = -12,
    LFS_ERR_NOATTR = -61,
    LFS_ERR_NAMETOOLONG = -36
};

enum lfs_type { LFS_TYPE_REG = 0x001, LFS_TYPE_DIR = 0x002 };

enum lfs_open_flags {
    LFS_O_RDONLY = 1,
    LFS_O_WRONLY = 2,
    LFS_O_RDWR = 3,
    LFS_O_CREAT = 0x0100,
    LFS_O_EXCL = 0x0200,
    LFS_O_TRUNC = 0x0400,
    LFS_O_APPEND = 0x0800
};

enum lfs_whence_flags { LFS_SEEK_SET = 0, LFS_SEEK_CUR = 1, LFS_SEEK_END = 2 };

/* The configuration; the head of this file says what becomes of each member. */
struct lfs_config {
    void *context;
    int (*read)(const struct lfs_config *c, lfs_block_t block, lfs_off_t off, void *buffer, lfs_size_t size);
    int (*prog)(const struct lfs_config *c, lfs_block_t block, lfs_off_t off, const void *buffer, lfs_size_t size);
    int (*erase)(const struct lfs_config *c, lfs_block_t block);
    int (*sync)(const struct lfs_config *c);
    lfs_size_t read_size;
    lfs_size_t prog_size;
    lfs_size_t block_size;
    lfs_size_t block_count;
    int32_t block_cycles;
    lfs_size_t cache_size;
    lfs_size_t lookahead_size;
    lfs_size_t compact_thresh;
    void *read_buffer;
    void *prog_buffer;
    void *lookahead_buffer;
    lfs_size_t name_max;
    lfs_size_t file_max;
    lfs_size_t attr_max;
    lfs_size_t metadata_max;
    lfs_size_t inline_max;
    /* Ours. */
    void *rtfs_memory;
    size_t rtfs_memory_size;
    uint32_t rtfs_pages;
    uint32_t rtfs_bad_blocks;
    uint32_t rtfs_seed;
    /* 1 for a block that is marked bad, 0 for another, or a negative error. */
    int (*rtfs_is_bad)(const struct lfs_config *c, lfs_block_t block);
    int (*rtfs_mark_bad)(const struct lfs_config *c, lfs_block_t block);
};

struct lfs_info {
    uint8_t type;
    lfs_size_t size;
    char name[LFS_NAME_MAX + 1];
};

struct lfs_fsinfo {
    uint32_t disk_version;
    lfs_size_t block_size;
    lfs_size_t block_count;
    lfs_size_t name_max;
    lfs_size_t file_max;
    lfs_size_t attr_max;
};

struct lfs_attr {
    uint8_t type;
    void *buffer;
    lfs_size_t size;
};

struct lfs_file_config {
    void *buffer;
    struct lfs_attr *attrs;
    lfs_size_t attr_count;
};

/* Their members are the library's. */
typedef struct lfs {
    wl_rtfs fs;
    const struct lfs_config *cfg;
    /* What a function of the configuration returned last that failed. */
    int code;
} lfs_t;

typedef struct lfs_file {
    wl_rtfs_file file;
    int flags;
    lfs_off_t pos;
} lfs_file_t;

typedef struct lfs_dir {
    wl_rtfs_dir start;
    wl_rtfs_dir dir;
    lfs_off_t pos;
} lfs_dir_t;

/* The file system below, for the calls of wordline_rtfs.h. */
static inline wl_rtfs *lfs_rtfs(lfs_t *lfs)
{
    return &lfs->fs;
}

/* The error of a status. */
static inline int lfs_rtfs_error(const lfs_t *lfs, wl_rtfs_status status)
{
    switch (status) {
    case WL_RTFS_OK:
        return LFS_ERR_OK;
    case WL_RTFS_FLASH:
    case WL_RTFS_NEEDS_MOUNT:
        return lfs != NULL && lfs->code < 0 ? lfs->code : LFS_ERR_IO;
    case WL_RTFS_FOREIGN:
    case WL_RTFS_NO_FILES:
    case WL_RTFS_LOST:
    case WL_RTFS_DAMAGED:
        return LFS_ERR_CORRUPT;
    case WL_RTFS_MEMORY:
        return LFS_ERR_NOMEM;
    case WL_RTFS_WORN_OUT:
    case WL_RTFS_NO_SPACE:
    case WL_RTFS_DIRECTORY_FULL:
        return LFS_ERR_NOSPC;
    case WL_RTFS_NOT_FOUND:
        return LFS_ERR_NOENT;
    case WL_RTFS_EXISTS:
        return LFS_ERR_EXIST;
    case WL_RTFS_NOT_A_DIRECTORY:
        return LFS_ERR_NOTDIR;
    case WL_RTFS_IS_A_DIRECTORY:
        return LFS_ERR_ISDIR;
    case WL_RTFS_NOT_EMPTY:
        return LFS_ERR_NOTEMPTY;
    case WL_RTFS_TOO_LONG:
        return LFS_ERR_FBIG;
    case WL_RTFS_BAD_HANDLE:
    case WL_RTFS_STALE:
        return LFS_ERR_BADF;
    default:
        return LFS_ERR_INVAL;
    }
}

/* The same, of a call with a path: a name that is too long has an error of its own. */
static inline int lfs_rtfs_path_error(const lfs_t *lfs, wl_rtfs_status status, const char *path)
{
    if (status == WL_RTFS_BAD_NAME && path != NULL) {
        wl_rtfs_space space;
        uint32_t bytes = 0;
        if (wl_rtfs_space_of(&lfs->fs, &space) == WL_RTFS_OK) {
            for (; *path != '\0'; ++path) {
                bytes = *path == '/' ? 0 : bytes + 1;
                if (bytes > space.longest_name) {
                    return LFS_ERR_NAMETOOLONG;
                }
            }
        }
    }
    return lfs_rtfs_error(lfs, status);
}

/* What the flash's function returns for an error of the configuration's. */
static inline int32_t lfs_rtfs_code(lfs_t *lfs, int code, int32_t corrupt)
{
    if (code >= 0) {
        return WL_RTFS_FLASH_OK;
    }
    lfs->code = code;
    return code == LFS_ERR_CORRUPT ? corrupt : INT32_MIN / 2;
}

static inline int32_t lfs_rtfs_read(void *user, uint32_t page, uint32_t column, void *out, size_t bytes)
{
    lfs_t *lfs = (lfs_t *)user;
    const struct lfs_config *cfg = lfs->cfg;
    const uint32_t pages = cfg->block_size / cfg->cache_size;
    const lfs_block_t block = page / pages;
    const lfs_off_t start = page % pages * cfg->cache_size;
    const lfs_size_t unit = cfg->read_size;
    unsigned char *to = (unsigned char *)out;
    /* What is no whole unit goes through the end of the memory. */
    unsigned char *part = (unsigned char *)cfg->rtfs_memory + cfg->rtfs_memory_size - unit;
    lfs_off_t at = column;
    if (column % unit == 0 && bytes % unit == 0) {
        return lfs_rtfs_code(lfs, cfg->read(cfg, block, start + column, out, (lfs_size_t)bytes),
                             WL_RTFS_FLASH_UNCORRECTABLE);
    }
    while (at < column + bytes) {
        const lfs_off_t first = at / unit * unit;
        const int32_t code = lfs_rtfs_code(lfs, cfg->read(cfg, block, start + first, part, unit), WL_RTFS_FLASH_UNCORRECTABLE);
        if (code != WL_RTFS_FLASH_OK) {
            return code;
        }
        for (; at < first + unit && at < column + bytes; ++at) {
            *to++ = part[at - first];
        }
    }
    return WL_RTFS_FLASH_OK;
}

static inline int lfs_rtfs_sync(const struct lfs_config *cfg)
{
    return cfg->sync == NULL ? LFS_ERR_OK : cfg->sync(cfg);
}

static inline int32_t lfs_rtfs_program(void *user, uint32_t page, uint32_t column, const void *data, size_t bytes)
{
    lfs_t *lfs = (lfs_t *)user;
    const struct lfs_config *cfg = lfs->cfg;
    const uint32_t pages = cfg->block_size / cfg->cache_size;
    const lfs_off_t start = page % pages * cfg->cache_size + column;
    int code = cfg->prog(cfg, page / pages, start, data, (lfs_size_t)bytes);
    if (code >= 0) {
        code = lfs_rtfs_sync(cfg);
    }
    return lfs_rtfs_code(lfs, code, WL_RTFS_FLASH_PROGRAM_FAILED);
}

static inline int32_t lfs_rtfs_erase(void *user, uint32_t block)
{
    lfs_t *lfs = (lfs_t *)user;
    int code = lfs->cfg->erase(lfs->cfg, block);
    if (code >= 0) {
        code = lfs_rtfs_sync(lfs->cfg);
    }
    return lfs_rtfs_code(lfs, code, WL_RTFS_FLASH_ERASE_FAILED);
}

static inline int32_t lfs_rtfs_is_bad(void *user, uint32_t block)
{
    lfs_t *lfs = (lfs_t *)user;
    const int code = lfs->cfg->rtfs_is_bad(lfs->cfg, block);
    return code < 0 ? lfs_rtfs_code(lfs, code, INT32_MIN / 2) : code != 0;
}

static inline int32_t lfs_rtfs_mark_bad(void *user, uint32_t block)
{
    lfs_t *lfs = (lfs_t *)user;
    return lfs_rtfs_code(lfs, lfs->cfg->rtfs_mark_bad(lfs->cfg, block), INT32_MIN / 2);
}

/* The flash and the configuration of ours that follow from littlefs's. */
static inline int lfs_rtfs_setup(lfs_t *lfs, const struct lfs_config *cfg, wl_rtfs_flash *flash, wl_rtfs_config *config)
{
    const wl_rtfs_flash empty = {NULL, 0, LFS_RTFS_SPARE, 0, 0, WL_RTFS_COLUMNS(0), NULL, NULL, NULL, NULL, NULL,
                                 WL_RTFS_ERASE_AWAITED, NULL, NULL, NULL};
    if (cfg == NULL || cfg->read == NULL || cfg->prog == NULL || cfg->erase == NULL || cfg->read_size == 0
        || cfg->prog_size == 0 || cfg->cache_size <= LFS_RTFS_SPARE || cfg->cache_size % cfg->read_size != 0
        || cfg->cache_size % cfg->prog_size != 0 || cfg->block_size % cfg->cache_size != 0) {
        return LFS_ERR_INVAL;
    }
    if (lfs != NULL) {
        lfs->cfg = cfg;
        lfs->code = 0;
    }
    *flash = empty;
    flash->user = lfs;
    flash->page_bytes = cfg->cache_size - LFS_RTFS_SPARE;
    flash->pages_per_block = cfg->block_size / cfg->cache_size;
    flash->blocks = cfg->block_count;
    flash->read = lfs_rtfs_read;
    flash->program = lfs_rtfs_program;
    flash->erase = lfs_rtfs_erase;
    if (cfg->rtfs_is_bad != NULL) {
        flash->is_bad = lfs_rtfs_is_bad;
    }
    if (cfg->rtfs_mark_bad != NULL) {
        flash->mark_bad = lfs_rtfs_mark_bad;
    }
    config->logical_pages = cfg->rtfs_pages;
    config->bad_blocks = cfg->rtfs_bad_blocks;
    config->log_entries = 0;
    if (config->logical_pages == 0) {
        config->logical_pages = wl_rtfs_largest(flash, cfg->rtfs_bad_blocks, LFS_RTFS_STEPS);
    }
    return LFS_ERR_OK;
}

/* The bytes that `rtfs_memory` needs, or a negative error. */
static inline int32_t lfs_rtfs_memory(const struct lfs_config *cfg)
{
    wl_rtfs_flash flash;
    wl_rtfs_config config;
    wl_rtfs_bound bound;
    const int code = lfs_rtfs_setup(NULL, cfg, &flash, &config);
    if (code != LFS_ERR_OK) {
        return code;
    }
    if (wl_rtfs_plan(&flash, &config, &bound, NULL) != WL_RTFS_OK || bound.ram_bytes > INT32_MAX / 2) {
        return LFS_ERR_INVAL;
    }
    return (int32_t)bound.ram_bytes + (int32_t)cfg->read_size;
}

static inline int lfs_rtfs_start(lfs_t *lfs, const struct lfs_config *cfg, bool formats)
{
    wl_rtfs_flash flash;
    wl_rtfs_config config;
    wl_rtfs_status status;
    size_t bytes;
    const int code = lfs == NULL ? LFS_ERR_INVAL : lfs_rtfs_setup(lfs, cfg, &flash, &config);
    if (code != LFS_ERR_OK) {
        return code;
    }
    if (cfg->rtfs_memory == NULL || cfg->rtfs_memory_size <= cfg->read_size) {
        return LFS_ERR_NOMEM;
    }
    bytes = cfg->rtfs_memory_size - cfg->read_size;
    if (formats) {
        status = wl_rtfs_format(&lfs->fs, &flash, &config, cfg->rtfs_seed, cfg->rtfs_memory, bytes);
    } else {
        status = wl_rtfs_mount(&lfs->fs, &flash, &config, cfg->rtfs_memory, bytes);
    }
    return lfs_rtfs_error(lfs, status);
}

static inline int lfs_format(lfs_t *lfs, const struct lfs_config *config)
{
    const int code = lfs_rtfs_start(lfs, config, true);
    return code != LFS_ERR_OK ? code : lfs_rtfs_error(lfs, wl_rtfs_unmount(&lfs->fs));
}

static inline int lfs_mount(lfs_t *lfs, const struct lfs_config *config)
{
    return lfs_rtfs_start(lfs, config, false);
}

static inline int lfs_unmount(lfs_t *lfs)
{
    return lfs_rtfs_error(lfs, wl_rtfs_unmount(&lfs->fs));
}

static inline int lfs_remove(lfs_t *lfs, const char *path)
{
    return lfs_rtfs_path_error(lfs, wl_rtfs_remove(&lfs->fs, path), path);
}

static inline int lfs_rename(lfs_t *lfs, const char *oldpath, const char *newpath)
{
    return lfs_rtfs_path_error(lfs, wl_rtfs_rename(&lfs->fs, oldpath, newpath), newpath);
}

static inline int lfs_mkdir(lfs_t *lfs, const char *path)
{
    return lfs_rtfs_path_error(lfs, wl_rtfs_mkdir(&lfs->fs, path), path);
}

static inline void lfs_rtfs_info(struct lfs_info *info, const wl_rtfs_entry *entry)
{
    size_t i = 0;
    info->type = entry->is_directory ? LFS_TYPE_DIR : LFS_TYPE_REG;
    info->size = entry->bytes > LFS_FILE_MAX ? LFS_FILE_MAX : (lfs_size_t)entry->bytes;
    do {
        info->name[i] = entry->name[i];
    } while (entry->name[i++] != '\0');
}

static inline int lfs_stat(lfs_t *lfs, const char *path, struct lfs_info *info)
{
    wl_rtfs_entry entry;
    const wl_rtfs_status status = wl_rtfs_stat(&lfs->fs, path, &entry);
    if (status == WL_RTFS_OK) {
        lfs_rtfs_info(info, &entry);
    }
    return lfs_rtfs_path_error(lfs, status, path);
}

static inline int lfs_file_open(lfs_t *lfs, lfs_file_t *file, const char *path, int flags)
{
    uint32_t how = 0;
    wl_rtfs_status status;
    file->flags = flags;
    file->pos = 0;
    if (flags & LFS_O_CREAT) {
        how |= WL_RTFS_CREATE;
    }
    if (flags & LFS_O_EXCL) {
        how |= WL_RTFS_EXCLUSIVE;
    }
    if (flags & LFS_O_TRUNC) {
        how |= WL_RTFS_TRUNCATE;
    }
    status = wl_rtfs_open(&lfs->fs, &file->file, path, how);
    return lfs_rtfs_path_error(lfs, status, path);
}

static inline int lfs_file_opencfg(lfs_t *lfs, lfs_file_t *file, const char *path, int flags,
                                   const struct lfs_file_config *config)
{
    if (config != NULL && config->attr_count > 0) {
        return LFS_ERR_INVAL;
    }
    return lfs_file_open(lfs, file, path, flags);
}

static inline int lfs_file_close(lfs_t *lfs, lfs_file_t *file)
{
    return lfs_rtfs_error(lfs, wl_rtfs_close(&lfs->fs, &file->file));
}

/* Everything is on the flash already. */
static inline int lfs_file_sync(lfs_t *lfs, lfs_file_t *file)
{
    uint64_t bytes;
    return lfs_rtfs_error(lfs, wl_rtfs_length(&lfs->fs, &file->file, &bytes));
}

static inline lfs_soff_t lfs_file_size(lfs_t *lfs, lfs_file_t *file)
{
    uint64_t bytes = 0;
    const wl_rtfs_status status = wl_rtfs_length(&lfs->fs, &file->file, &bytes);
    if (status != WL_RTFS_OK) {
        return lfs_rtfs_error(lfs, status);
    }
    return bytes > LFS_FILE_MAX ? LFS_ERR_FBIG : (lfs_soff_t)bytes;
}

static inline lfs_ssize_t lfs_file_read(lfs_t *lfs, lfs_file_t *file, void *buffer, lfs_size_t size)
{
    size_t got = 0;
    wl_rtfs_status status;
    if (!(file->flags & LFS_O_RDONLY)) {
        return LFS_ERR_BADF;
    }
    if (size > LFS_FILE_MAX) {
        return LFS_ERR_INVAL;
    }
    status = wl_rtfs_read(&lfs->fs, &file->file, file->pos, buffer, size, &got);
    if (status != WL_RTFS_OK) {
        return lfs_rtfs_error(lfs, status);
    }
    file->pos += (lfs_off_t)got;
    return (lfs_ssize_t)got;
}

static inline lfs_ssize_t lfs_file_write(lfs_t *lfs, lfs_file_t *file, const void *buffer, lfs_size_t size)
{
    wl_rtfs_status status;
    if (!(file->flags & LFS_O_WRONLY)) {
        return LFS_ERR_BADF;
    }
    if (file->flags & LFS_O_APPEND) {
        const lfs_soff_t end = lfs_file_size(lfs, file);
        if (end < 0) {
            return end;
        }
        file->pos = (lfs_off_t)end;
    }
    if (size > LFS_FILE_MAX - file->pos) {
        return LFS_ERR_FBIG;
    }
    status = wl_rtfs_write(&lfs->fs, &file->file, file->pos, buffer, size);
    if (status != WL_RTFS_OK) {
        return lfs_rtfs_error(lfs, status);
    }
    file->pos += size;
    return (lfs_ssize_t)size;
}

static inline lfs_soff_t lfs_file_seek(lfs_t *lfs, lfs_file_t *file, lfs_soff_t off, int whence)
{
    int64_t pos = off;
    if (whence == LFS_SEEK_CUR) {
        pos += file->pos;
    } else if (whence == LFS_SEEK_END) {
        const lfs_soff_t end = lfs_file_size(lfs, file);
        if (end < 0) {
            return end;
        }
        pos += end;
    } else if (whence != LFS_SEEK_SET) {
        return LFS_ERR_INVAL;
    }
    if (pos < 0 || pos > LFS_FILE_MAX) {
        return LFS_ERR_INVAL;
    }
    file->pos = (lfs_off_t)pos;
    return (lfs_soff_t)pos;
}

static inline int lfs_file_truncate(lfs_t *lfs, lfs_file_t *file, lfs_off_t size)
{
    if (!(file->flags & LFS_O_WRONLY)) {
        return LFS_ERR_BADF;
    }
    if (size > LFS_FILE_MAX) {
        return LFS_ERR_INVAL;
    }
    return lfs_rtfs_error(lfs, wl_rtfs_truncate(&lfs->fs, &file->file, size));
}

static inline lfs_soff_t lfs_file_tell(lfs_t *lfs, lfs_file_t *file)
{
    (void)lfs;
    return (lfs_soff_t)file->pos;
}

static inline int lfs_file_rewind(lfs_t *lfs, lfs_file_t *file)
{
    (void)lfs;
    file->pos = 0;
    return LFS_ERR_OK;
}

static inline int lfs_dir_open(lfs_t *lfs, lfs_dir_t *dir, const char *path)
{
    const wl_rtfs_status status = wl_rtfs_open_dir(&lfs->fs, &dir->start, path);
    dir->dir = dir->start;
    dir->pos = 0;
    return lfs_rtfs_path_error(lfs, status, path);
}

static inline int lfs_dir_close(lfs_t *lfs, lfs_dir_t *dir)
{
    (void)lfs;
    dir->start.words[0] = 0;
    dir->dir.words[0] = 0;
    return LFS_ERR_OK;
}

/* 1 where there was an entry, 0 behind the last one, or a negative error. */
static inline int lfs_dir_read(lfs_t *lfs, lfs_dir_t *dir, struct lfs_info *info)
{
    wl_rtfs_entry entry;
    wl_rtfs_status status;
    if (dir->pos < 2) {
        info->type = LFS_TYPE_DIR;
        info->size = 0;
        info->name[0] = '.';
        info->name[1] = dir->pos == 0 ? '\0' : '.';
        info->name[2] = '\0';
        dir->pos += 1;
        return 1;
    }
    status = wl_rtfs_next_entry(&lfs->fs, &dir->dir, &entry);
    if (status == WL_RTFS_END) {
        return 0;
    }
    if (status != WL_RTFS_OK) {
        return lfs_rtfs_error(lfs, status);
    }
    lfs_rtfs_info(info, &entry);
    dir->pos += 1;
    return 1;
}

static inline int lfs_dir_rewind(lfs_t *lfs, lfs_dir_t *dir)
{
    (void)lfs;
    dir->dir = dir->start;
    dir->pos = 0;
    return LFS_ERR_OK;
}

static inline lfs_soff_t lfs_dir_tell(lfs_t *lfs, lfs_dir_t *dir)
{
    (void)lfs;
    return (lfs_soff_t)dir->pos;
}

/* Goes through the directory again up to a place that lfs_dir_tell returned. */
static inline int lfs_dir_seek(lfs_t *lfs, lfs_dir_t *dir, lfs_off_t off)
{
    struct lfs_info info;
    lfs_dir_rewind(lfs, dir);
    while (dir->pos < off) {
        const int found = lfs_dir_read(lfs, dir, &info);
        if (found <= 0) {
            return found < 0 ? found : LFS_ERR_INVAL;
        }
    }
    return LFS_ERR_OK;
}

/* Blocks that files, directories and what waits to be freed would fill, rounded up. */
static inline lfs_ssize_t lfs_fs_size(lfs_t *lfs)
{
    wl_rtfs_space space;
    const wl_rtfs_status status = wl_rtfs_space_of(&lfs->fs, &space);
    const uint32_t pages = status != WL_RTFS_OK ? 1 : lfs->cfg->block_size / lfs->cfg->cache_size;
    if (status != WL_RTFS_OK) {
        return lfs_rtfs_error(lfs, status);
    }
    return (lfs_ssize_t)((space.pages - space.free_pages + pages - 1) / pages);
}

static inline int lfs_fs_stat(lfs_t *lfs, struct lfs_fsinfo *info)
{
    wl_rtfs_space space;
    const wl_rtfs_status status = wl_rtfs_space_of(&lfs->fs, &space);
    if (status != WL_RTFS_OK) {
        return lfs_rtfs_error(lfs, status);
    }
    info->disk_version = 0;
    info->block_size = lfs->cfg->block_size;
    info->block_count = lfs->cfg->block_count;
    info->name_max = space.longest_name;
    info->file_max = space.longest_file > LFS_FILE_MAX ? LFS_FILE_MAX : (lfs_size_t)space.longest_file;
    info->attr_max = 0;
    return LFS_ERR_OK;
}

/* A mount has made everything consistent. */
static inline int lfs_fs_mkconsistent(lfs_t *lfs)
{
    wl_rtfs_space space;
    return lfs_rtfs_error(lfs, wl_rtfs_space_of(&lfs->fs, &space));
}

/* Does all the work that can be done ahead. wl_rtfs_work of lfs_rtfs() does one piece of it. */
static inline int lfs_fs_gc(lfs_t *lfs)
{
    uint32_t worked = 1;
    while (worked) {
        const wl_rtfs_status status = wl_rtfs_work(&lfs->fs, 1, &worked);
        if (status != WL_RTFS_OK) {
            return lfs_rtfs_error(lfs, status);
        }
    }
    return LFS_ERR_OK;
}

#ifdef __cplusplus
}
#endif

#endif
