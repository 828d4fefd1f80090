/* As kernel.h: written for the test of the glue, with the members and functions of Zephyr's file systems that it uses. */
#ifndef TEST_ZEPHYR_FS_H
#define TEST_ZEPHYR_FS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_FILE_NAME 12

enum fs_dir_entry_type { FS_DIR_ENTRY_FILE = 0, FS_DIR_ENTRY_DIR };

enum { FS_FATFS = 0, FS_LITTLEFS, FS_EXT2, FS_VIRTIOFS, FS_TYPE_EXTERNAL_BASE };

#define FS_MOUNT_FLAG_NO_FORMAT 1

#define FS_O_READ 0x01
#define FS_O_WRITE 0x02
#define FS_O_RDWR (FS_O_READ | FS_O_WRITE)
#define FS_O_CREATE 0x10
#define FS_O_APPEND 0x20
#define FS_O_TRUNC 0x40

#define FS_SEEK_SET 0
#define FS_SEEK_CUR 1
#define FS_SEEK_END 2

typedef uint8_t fs_mode_t;

struct fs_file_system_t;

struct fs_mount_t {
    int type;
    const char *mnt_point;
    void *fs_data;
    void *storage_dev;
    size_t mountp_len;
    const struct fs_file_system_t *fs;
    uint8_t flags;
};

struct fs_file_t {
    void *filep;
    const struct fs_mount_t *mp;
    fs_mode_t flags;
};

struct fs_dir_t {
    void *dirp;
    const struct fs_mount_t *mp;
};

struct fs_dirent {
    enum fs_dir_entry_type type;
    size_t size;
    char name[MAX_FILE_NAME + 1];
};

struct fs_statvfs {
    unsigned long f_bsize;
    unsigned long f_frsize;
    unsigned long f_blocks;
    unsigned long f_bfree;
};

int fs_register(int type, const struct fs_file_system_t *fs);

#endif
