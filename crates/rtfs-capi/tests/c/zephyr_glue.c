/* The glue for Zephyr on a host, over declarations of ours of the names that it uses: tests/c/zephyr. */
#include "nand.h"

#include "../../zephyr/wordline_rtfs_zephyr.c"

static const struct fs_file_system_t *registered;

int fs_register(int type, const struct fs_file_system_t *fs)
{
    CHECK(type == FS_WORDLINE_RTFS && type > FS_TYPE_EXTERNAL_BASE);
    registered = fs;
    return 0;
}

int k_mutex_init(struct k_mutex *mutex)
{
    mutex->depth = 0;
    return 0;
}

int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout)
{
    CHECK(timeout == K_FOREVER && mutex->depth == 0);
    mutex->depth = 1;
    return 0;
}

int k_mutex_unlock(struct k_mutex *mutex)
{
    CHECK(mutex->depth == 1);
    mutex->depth = 0;
    return 0;
}

/* Cells are taken in a row and given back in any order, which is enough here. */
int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout)
{
    CHECK(timeout == K_NO_WAIT);
    if (slab->used == slab->count) {
        return -ENOMEM;
    }
    *mem = slab->buffer + slab->used++ * slab->size;
    return 0;
}

void k_mem_slab_free(struct k_mem_slab *slab, void *mem)
{
    CHECK(slab->used > 0 && (char *)mem >= slab->buffer && (char *)mem < slab->buffer + slab->count * slab->size);
    slab->used -= 1;
}

static nand chip;
static unsigned char ram[2048];
static struct wordline_rtfs_data data = {
    .flash = {&chip, PAGE, SPARE, BLOCK, BLOCKS, WL_RTFS_COLUMNS(1), nand_read, nand_program, nand_erase, nand_is_bad,
              nand_mark_bad, WL_RTFS_ERASE_AWAITED, NULL, NULL, nand_move},
    .config = {256, 3, 0},
    .memory = ram,
    .memory_bytes = sizeof ram,
    .seed = 7,
};
static struct fs_mount_t mount = {.type = FS_WORDLINE_RTFS, .mnt_point = "/nand", .fs_data = &data, .mountp_len = 5};

int main(void)
{
    const struct fs_file_system_t *fs;
    struct fs_file_t file = {NULL, &mount, 0}, second = {NULL, &mount, 0}, third = {NULL, &mount, 0};
    struct fs_dir_t dir = {NULL, &mount};
    struct fs_dirent entry;
    struct fs_statvfs stat;
    char text[32];
    chip.left = -1;
    CHECK(test_sys_init() == 0);
    fs = registered;
    mount.flags = FS_MOUNT_FLAG_NO_FORMAT;
    CHECK(fs->mount(&mount) == -ENODEV);
    mount.flags = 0;
    CHECK(fs->mount(&mount) == 0);
    CHECK(fs->mkdir(&mount, "/nand/log") == 0 && fs->mkdir(&mount, "/nand/log") == -EEXIST);
    CHECK(fs->open(&file, "/nand/log/a", FS_O_RDWR) == -ENOENT);
    CHECK(fs->open(&file, "/nand/log/a", FS_O_RDWR | FS_O_CREATE) == 0);
    CHECK(fs->write(&file, "0123456789", 10) == 10 && fs->tell(&file) == 10);
    CHECK(fs->lseek(&file, -4, FS_SEEK_END) == 0 && fs->read(&file, text, sizeof text) == 4 && memcmp(text, "6789", 4) == 0);
    CHECK(fs->lseek(&file, -1, FS_SEEK_SET) == -EINVAL && fs->lseek(&file, 0, 9) == -EINVAL);
    CHECK(fs->lseek(&file, -9, FS_SEEK_CUR) == 0 && fs->read(&file, text, 2) == 2 && memcmp(text, "12", 2) == 0);
    CHECK(fs->truncate(&file, 3) == 0 && fs->truncate(&file, -1) == -EINVAL && fs->sync(&file) == 0);
    second.flags = FS_O_WRITE | FS_O_APPEND;
    CHECK(fs->open(&second, "/nand/log/a", second.flags) == 0 && fs->write(&second, "xyz", 3) == 3);
    CHECK(fs->open(&third, "/nand/log/a", FS_O_READ) == -ENOMEM);
    CHECK(fs->lseek(&file, 0, FS_SEEK_SET) == 0 && fs->read(&file, text, sizeof text) == 6 && memcmp(text, "012xyz", 6) == 0);
    CHECK(fs->close(&second) == 0 && fs->close(&file) == 0);
    CHECK(fs->rename(&mount, "/nand/log/a", "/nand/log/b") == 0);
    CHECK(fs->stat(&mount, "/nand/log/b", &entry) == 0 && entry.type == FS_DIR_ENTRY_FILE && entry.size == 6);
    CHECK(fs->stat(&mount, "/nand", &entry) == 0 && entry.type == FS_DIR_ENTRY_DIR);
    CHECK(fs->opendir(&dir, "/nand/log/b") == -ENOTDIR && fs->opendir(&dir, "/nand/log") == 0);
    CHECK(fs->readdir(&dir, &entry) == 0 && strcmp(entry.name, "b") == 0);
    CHECK(fs->readdir(&dir, &entry) == 0 && entry.name[0] == '\0');
    CHECK(fs->closedir(&dir) == 0);
    CHECK(fs->statvfs(&mount, "/nand", &stat) == 0 && stat.f_bsize == PAGE && stat.f_blocks == 256 && stat.f_bfree > 200);
    CHECK(fs->open(&file, "/nand/a-name-of-20-bytes", FS_O_WRITE | FS_O_CREATE) == 0 && fs->close(&file) == 0);
    CHECK(fs->stat(&mount, "/nand/a-name-of-20-bytes", &entry) == -ENAMETOOLONG);
    CHECK(fs->unmount(&mount) == 0 && fs->unlink(&mount, "/nand/log/b") == -EINVAL);
    CHECK(fs->mount(&mount) == 0 && fs->unlink(&mount, "/nand/log") == -ENOTEMPTY);
    CHECK(fs->unlink(&mount, "/nand/log/b") == 0 && fs->unlink(&mount, "/nand/log") == 0);
    CHECK(files.used == 0 && directories.used == 0 && data.lock.depth == 0);
    puts("done");
    return 0;
}
