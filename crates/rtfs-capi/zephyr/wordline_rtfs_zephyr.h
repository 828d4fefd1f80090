/*
 * The files of wordline_rtfs.h as a file system of Zephyr. It was compiled and run against declarations of the few names of
 * Zephyr that it uses, and not on Zephyr.
 *
 *   static unsigned char ram[16384];
 *   static struct wordline_rtfs_data data = {
 *       .flash = {&chip, 2048, 64, 64, 1024, WL_RTFS_COLUMNS(2), chip_read, chip_program, chip_erase, chip_is_bad, chip_mark_bad},
 *       .config = {45000, 20, 0}, .memory = ram, .memory_bytes = sizeof ram,
 *   };
 *   static struct fs_mount_t mount = {.type = FS_WORDLINE_RTFS, .mnt_point = "/nand", .fs_data = &data};
 *   int error = fs_mount(&mount);
 *
 * fs_mount formats a flash that holds nothing, unless FS_MOUNT_FLAG_NO_FORMAT is set. The functions of the flash are the
 * caller's, because Zephyr's flash interface knows no spare area. They are called with the file system locked.
 */
#ifndef WORDLINE_RTFS_ZEPHYR_H
#define WORDLINE_RTFS_ZEPHYR_H

#include <zephyr/fs/fs.h>
#include <zephyr/kernel.h>

#include "wordline_rtfs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the file system, for fs_mount_t. */
#ifndef FS_WORDLINE_RTFS
#define FS_WORDLINE_RTFS (FS_TYPE_EXTERNAL_BASE + 1)
#endif

/* What fs_data of a mount points to. The first five members are the caller's. */
struct wordline_rtfs_data {
    wl_rtfs_flash flash;
    wl_rtfs_config config;
    void *memory;
    size_t memory_bytes;
    uint32_t seed;
    wl_rtfs fs;
    struct k_mutex lock;
};

#ifdef __cplusplus
}
#endif

#endif
