/* A program as users of littlefs write it: a driver of blocks and offsets, a configuration, a count of starts, a log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_rtfs_lfs.h"

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

enum { READ = 16, PROG = 256, BLOCK = 8192, BLOCKS = 32 };

static unsigned char disk[BLOCKS][BLOCK];
static unsigned long synced;
static int prog_error, erase_error, read_error;

static int disk_read(const struct lfs_config *c, lfs_block_t block, lfs_off_t off, void *buffer, lfs_size_t size)
{
    CHECK(c->context == disk && block < BLOCKS && off + size <= BLOCK && off % READ == 0 && size % READ == 0);
    memcpy(buffer, disk[block] + off, size);
    return read_error;
}

static int disk_prog(const struct lfs_config *c, lfs_block_t block, lfs_off_t off, const void *buffer, lfs_size_t size)
{
    const int code = prog_error;
    lfs_size_t i;
    CHECK(c->context == disk && block < BLOCKS && off + size <= BLOCK && off % PROG == 0 && size % PROG == 0);
    for (i = 0; i < size; ++i) {
        CHECK(disk[block][off + i] == 0xFF);
        disk[block][off + i] = ((const unsigned char *)buffer)[i];
    }
    prog_error = 0;
    return code;
}

static int disk_erase(const struct lfs_config *c, lfs_block_t block)
{
    const int code = erase_error;
    CHECK(c->context == disk && block < BLOCKS);
    memset(disk[block], 0xFF, BLOCK);
    erase_error = 0;
    return code;
}

static int disk_sync(const struct lfs_config *c)
{
    CHECK(c->context == disk);
    ++synced;
    return 0;
}

static unsigned char memory[2048];

static struct lfs_config cfg = {
    .context = disk,
    .read = disk_read,
    .prog = disk_prog,
    .erase = disk_erase,
    .sync = disk_sync,
    .read_size = READ,
    .prog_size = PROG,
    .block_size = BLOCK,
    .block_count = BLOCKS,
    .cache_size = PROG,
    .lookahead_size = 16,
    .block_cycles = 500,
    .rtfs_memory = memory,
    .rtfs_memory_size = sizeof memory,
    .rtfs_bad_blocks = 2,
};

static lfs_t lfs;
static lfs_file_t file;
static lfs_dir_t dir;

/* What a device does when it starts. */
static uint32_t start(void)
{
    uint32_t starts = 0;
    int err = lfs_mount(&lfs, &cfg);
    if (err == LFS_ERR_CORRUPT) {
        CHECK(lfs_format(&lfs, &cfg) == 0);
        err = lfs_mount(&lfs, &cfg);
    }
    CHECK(err == 0);
    CHECK(lfs_file_open(&lfs, &file, "starts", LFS_O_RDWR | LFS_O_CREAT) == 0);
    CHECK(lfs_file_read(&lfs, &file, &starts, sizeof starts) >= 0);
    starts += 1;
    CHECK(lfs_file_rewind(&lfs, &file) == 0);
    CHECK(lfs_file_write(&lfs, &file, &starts, sizeof starts) == sizeof starts);
    CHECK(lfs_file_close(&lfs, &file) == 0);
    return starts;
}

static void files(void)
{
    static char line[64], back[8192];
    struct lfs_info info;
    struct lfs_fsinfo fsinfo = {0, 0, 0, 0, 0, 0};
    lfs_soff_t size;
    int i, found = 0;
    CHECK(lfs_mkdir(&lfs, "log") == 0 && lfs_mkdir(&lfs, "log") == LFS_ERR_EXIST);
    CHECK(lfs_file_open(&lfs, &file, "log/today", LFS_O_WRONLY | LFS_O_CREAT | LFS_O_APPEND) == 0);
    for (i = 0; i < 100; ++i) {
        const int bytes = snprintf(line, sizeof line, "line %d of a log\n", i);
        CHECK(lfs_file_write(&lfs, &file, line, (lfs_size_t)bytes) == bytes);
    }
    CHECK(lfs_file_read(&lfs, &file, back, 1) == LFS_ERR_BADF);
    CHECK(lfs_file_sync(&lfs, &file) == 0);
    size = lfs_file_size(&lfs, &file);
    CHECK(size == lfs_file_tell(&lfs, &file) && size > 1600);
    CHECK(lfs_file_close(&lfs, &file) == 0 && lfs_file_size(&lfs, &file) == LFS_ERR_BADF);

    CHECK(lfs_file_open(&lfs, &file, "log/today", LFS_O_RDONLY) == 0);
    CHECK(lfs_file_read(&lfs, &file, back, sizeof back) == size && memcmp(back, "line 0 of a log\nline 1 ", 23) == 0);
    CHECK(lfs_file_read(&lfs, &file, back, sizeof back) == 0);
    CHECK(lfs_file_write(&lfs, &file, "x", 1) == LFS_ERR_BADF && lfs_file_truncate(&lfs, &file, 0) == LFS_ERR_BADF);
    CHECK(lfs_file_seek(&lfs, &file, -4, LFS_SEEK_END) == size - 4 && lfs_file_read(&lfs, &file, back, 10) == 4);
    CHECK(memcmp(back, "log\n", 4) == 0);
    CHECK(lfs_file_seek(&lfs, &file, -8, LFS_SEEK_CUR) == size - 8);
    CHECK(lfs_file_seek(&lfs, &file, -1, LFS_SEEK_SET) == LFS_ERR_INVAL);
    CHECK(lfs_file_close(&lfs, &file) == 0);

    CHECK(lfs_stat(&lfs, "log/today", &info) == 0 && info.type == LFS_TYPE_REG && info.size == (lfs_size_t)size);
    CHECK(lfs_stat(&lfs, "log", &info) == 0 && info.type == LFS_TYPE_DIR && strcmp(info.name, "log") == 0);
    CHECK(lfs_stat(&lfs, "none", &info) == LFS_ERR_NOENT);
    CHECK(lfs_file_open(&lfs, &file, "none", LFS_O_RDONLY) == LFS_ERR_NOENT);
    CHECK(lfs_file_open(&lfs, &file, "log", LFS_O_RDONLY) == LFS_ERR_ISDIR);
    CHECK(lfs_file_open(&lfs, &file, "starts/x", LFS_O_RDWR | LFS_O_CREAT) == LFS_ERR_NOTDIR);
    CHECK(lfs_file_open(&lfs, &file, "starts", LFS_O_RDWR | LFS_O_CREAT | LFS_O_EXCL) == LFS_ERR_EXIST);
    CHECK(lfs_remove(&lfs, "log") == LFS_ERR_NOTEMPTY);
    CHECK(lfs_mkdir(&lfs, "..") == LFS_ERR_INVAL);
    memset(back, 'n', 400);
    back[400] = '\0';
    CHECK(lfs_mkdir(&lfs, back) == LFS_ERR_NAMETOOLONG);

    CHECK(lfs_rename(&lfs, "log/today", "log/yesterday") == 0);
    CHECK(lfs_dir_open(&lfs, &dir, "log") == 0);
    while (lfs_dir_read(&lfs, &dir, &info) > 0) {
        found = found * 10 + (strcmp(info.name, ".") == 0 ? 1 : strcmp(info.name, "..") == 0 ? 2 : 3);
    }
    CHECK(found == 123 && strcmp(info.name, "yesterday") == 0 && lfs_dir_tell(&lfs, &dir) == 3);
    CHECK(lfs_dir_seek(&lfs, &dir, 2) == 0 && lfs_dir_read(&lfs, &dir, &info) == 1 && info.name[0] == 'y');
    CHECK(lfs_dir_rewind(&lfs, &dir) == 0 && lfs_dir_read(&lfs, &dir, &info) == 1 && strcmp(info.name, ".") == 0);
    CHECK(lfs_dir_close(&lfs, &dir) == 0);

    CHECK(lfs_fs_size(&lfs) >= 1 && lfs_fs_size(&lfs) < BLOCKS);
    CHECK(lfs_fs_stat(&lfs, &fsinfo) == 0 && fsinfo.block_count == BLOCKS && fsinfo.name_max >= 64);
    CHECK(lfs_file_open(&lfs, &file, "log/yesterday", LFS_O_RDWR | LFS_O_TRUNC) == 0);
    CHECK(lfs_file_size(&lfs, &file) == 0 && lfs_file_close(&lfs, &file) == 0);
    CHECK(lfs_remove(&lfs, "log/yesterday") == 0 && lfs_remove(&lfs, "log") == 0);
    CHECK(lfs_fs_gc(&lfs) == 0 && lfs_fs_mkconsistent(&lfs) == 0);
}

/* Errors of the driver come back as they are, and a block that fails is given up. */
static void failures(void)
{
    struct lfs_config wrong = cfg;
    struct lfs_attr attr = {'a', memory, 1};
    const struct lfs_file_config with_attr = {NULL, &attr, 1};
    const int32_t needed = lfs_rtfs_memory(&cfg);
    int i;
    CHECK(needed > PROG && needed <= (int32_t)sizeof memory);
    wrong.rtfs_memory_size = (size_t)needed - 1;
    CHECK(lfs_mount(&lfs, &wrong) == LFS_ERR_NOMEM);
    wrong.rtfs_memory = NULL;
    CHECK(lfs_mount(&lfs, &wrong) == LFS_ERR_NOMEM);
    wrong = cfg;
    wrong.cache_size = 100;
    CHECK(lfs_format(&lfs, &wrong) == LFS_ERR_INVAL && lfs_rtfs_memory(&wrong) == LFS_ERR_INVAL);
    CHECK(lfs_format(&lfs, NULL) == LFS_ERR_INVAL && lfs_mount(NULL, &cfg) == LFS_ERR_INVAL);

    CHECK(start() == 4);
    CHECK(lfs_file_opencfg(&lfs, &file, "a", LFS_O_RDWR | LFS_O_CREAT, &with_attr) == LFS_ERR_INVAL);
    CHECK(lfs_file_open(&lfs, &file, "work", LFS_O_RDWR | LFS_O_CREAT) == 0);
    for (i = 0; i < 400; ++i) {
        prog_error = i == 100 ? LFS_ERR_CORRUPT : 0;
        erase_error = i == 200 ? LFS_ERR_CORRUPT : 0;
        CHECK(lfs_file_rewind(&lfs, &file) == 0 && lfs_file_write(&lfs, &file, &i, sizeof i) == sizeof i);
        CHECK(prog_error == 0);
    }
    erase_error = 0;
    prog_error = -1234;
    CHECK(lfs_file_write(&lfs, &file, &i, sizeof i) == -1234);
    CHECK(lfs_file_write(&lfs, &file, &i, sizeof i) == -1234);
    CHECK(start() == 5);
    read_error = LFS_ERR_IO;
    CHECK(lfs_mount(&lfs, &cfg) == LFS_ERR_IO);
    read_error = 0;
}

int main(void)
{
    CHECK(start() == 1);
    CHECK(synced > BLOCKS);
    files();
    CHECK(lfs_unmount(&lfs) == 0 && lfs_mkdir(&lfs, "x") == LFS_ERR_INVAL);
    CHECK(start() == 2);
    /* Without an unmount, as after a power cut. */
    CHECK(start() == 3);
    failures();
    puts("done");
    return 0;
}
