/* The functions of a file system of Zephyr over those of wordline_rtfs.h. */
#include "wordline_rtfs_zephyr.h"

#include <errno.h>
#include <string.h>

#include <zephyr/fs/fs_sys.h>
#include <zephyr/init.h>

struct open_file {
    wl_rtfs_file file;
    uint64_t at;
};

K_MEM_SLAB_DEFINE_STATIC(files, sizeof(struct open_file), CONFIG_WORDLINE_RTFS_FILES, 8);
K_MEM_SLAB_DEFINE_STATIC(directories, sizeof(wl_rtfs_dir), CONFIG_WORDLINE_RTFS_DIRS, 8);

static int error_of(wl_rtfs_status status)
{
    switch (status) {
    case WL_RTFS_OK:
        return 0;
    case WL_RTFS_NOT_FOUND:
        return -ENOENT;
    case WL_RTFS_EXISTS:
        return -EEXIST;
    case WL_RTFS_NOT_A_DIRECTORY:
        return -ENOTDIR;
    case WL_RTFS_IS_A_DIRECTORY:
        return -EISDIR;
    case WL_RTFS_NOT_EMPTY:
        return -ENOTEMPTY;
    case WL_RTFS_NO_SPACE:
    case WL_RTFS_DIRECTORY_FULL:
        return -ENOSPC;
    case WL_RTFS_WORN_OUT:
        return -EROFS;
    case WL_RTFS_TOO_LONG:
        return -EFBIG;
    case WL_RTFS_BAD_HANDLE:
    case WL_RTFS_STALE:
        return -EBADF;
    case WL_RTFS_MEMORY:
        return -ENOMEM;
    case WL_RTFS_FOREIGN:
    case WL_RTFS_NO_FILES:
        return -ENODEV;
    case WL_RTFS_FLASH:
    case WL_RTFS_NEEDS_MOUNT:
    case WL_RTFS_LOST:
    case WL_RTFS_DAMAGED:
        return -EIO;
    default:
        return -EINVAL;
    }
}

static struct wordline_rtfs_data *locked(const struct fs_mount_t *mount)
{
    struct wordline_rtfs_data *data = mount->fs_data;
    k_mutex_lock(&data->lock, K_FOREVER);
    return data;
}

/* Unlocks, and returns what a call came to. */
static int unlocked(struct wordline_rtfs_data *data, wl_rtfs_status status)
{
    k_mutex_unlock(&data->lock);
    return error_of(status);
}

/* A path without the mount point. */
static const char *inside(const struct fs_mount_t *mount, const char *path)
{
    return path + mount->mountp_len;
}

static int rtfs_open(struct fs_file_t *zephyr, const char *path, fs_mode_t flags)
{
    struct wordline_rtfs_data *data;
    struct open_file *file;
    uint32_t how = 0;
    int error;
    if (k_mem_slab_alloc(&files, (void **)&file, K_NO_WAIT) != 0) {
        return -ENOMEM;
    }
    if (flags & FS_O_CREATE) {
        how |= WL_RTFS_CREATE;
    }
    if (flags & FS_O_TRUNC) {
        how |= WL_RTFS_TRUNCATE;
    }
    memset(file, 0, sizeof *file);
    data = locked(zephyr->mp);
    error = unlocked(data, wl_rtfs_open(&data->fs, &file->file, inside(zephyr->mp, path), how));
    if (error != 0) {
        k_mem_slab_free(&files, file);
        return error;
    }
    zephyr->filep = file;
    return 0;
}

static int rtfs_close(struct fs_file_t *zephyr)
{
    struct open_file *file = zephyr->filep;
    struct wordline_rtfs_data *data = locked(zephyr->mp);
    const int error = unlocked(data, wl_rtfs_close(&data->fs, &file->file));
    k_mem_slab_free(&files, file);
    zephyr->filep = NULL;
    return error;
}

static ssize_t rtfs_read(struct fs_file_t *zephyr, void *to, size_t bytes)
{
    struct open_file *file = zephyr->filep;
    struct wordline_rtfs_data *data = locked(zephyr->mp);
    size_t got = 0;
    const int error = unlocked(data, wl_rtfs_read(&data->fs, &file->file, file->at, to, bytes, &got));
    file->at += got;
    return error != 0 ? error : (ssize_t)got;
}

static ssize_t rtfs_write(struct fs_file_t *zephyr, const void *from, size_t bytes)
{
    struct open_file *file = zephyr->filep;
    struct wordline_rtfs_data *data = locked(zephyr->mp);
    wl_rtfs_status status = WL_RTFS_OK;
    int error;
    if (zephyr->flags & FS_O_APPEND) {
        status = wl_rtfs_length(&data->fs, &file->file, &file->at);
    }
    if (status == WL_RTFS_OK) {
        status = wl_rtfs_write(&data->fs, &file->file, file->at, from, bytes);
    }
    error = unlocked(data, status);
    if (error != 0) {
        return error;
    }
    file->at += bytes;
    return (ssize_t)bytes;
}

static int rtfs_lseek(struct fs_file_t *zephyr, off_t offset, int whence)
{
    struct open_file *file = zephyr->filep;
    int64_t at = offset;
    if (whence == FS_SEEK_CUR) {
        at += (int64_t)file->at;
    } else if (whence == FS_SEEK_END) {
        struct wordline_rtfs_data *data = locked(zephyr->mp);
        uint64_t end = 0;
        const int error = unlocked(data, wl_rtfs_length(&data->fs, &file->file, &end));
        if (error != 0) {
            return error;
        }
        at += (int64_t)end;
    } else if (whence != FS_SEEK_SET) {
        return -EINVAL;
    }
    if (at < 0) {
        return -EINVAL;
    }
    file->at = (uint64_t)at;
    return 0;
}

static off_t rtfs_tell(struct fs_file_t *zephyr)
{
    const struct open_file *file = zephyr->filep;
    return (off_t)file->at;
}

static int rtfs_truncate(struct fs_file_t *zephyr, off_t length)
{
    struct open_file *file = zephyr->filep;
    struct wordline_rtfs_data *data;
    if (length < 0) {
        return -EINVAL;
    }
    data = locked(zephyr->mp);
    return unlocked(data, wl_rtfs_truncate(&data->fs, &file->file, (uint64_t)length));
}

/* Everything is on the flash already. */
static int rtfs_sync(struct fs_file_t *zephyr)
{
    struct open_file *file = zephyr->filep;
    struct wordline_rtfs_data *data = locked(zephyr->mp);
    uint64_t length;
    return unlocked(data, wl_rtfs_length(&data->fs, &file->file, &length));
}

static int rtfs_opendir(struct fs_dir_t *zephyr, const char *path)
{
    struct wordline_rtfs_data *data;
    wl_rtfs_dir *dir;
    int error;
    if (k_mem_slab_alloc(&directories, (void **)&dir, K_NO_WAIT) != 0) {
        return -ENOMEM;
    }
    memset(dir, 0, sizeof *dir);
    data = locked(zephyr->mp);
    error = unlocked(data, wl_rtfs_open_dir(&data->fs, dir, inside(zephyr->mp, path)));
    if (error != 0) {
        k_mem_slab_free(&directories, dir);
        return error;
    }
    zephyr->dirp = dir;
    return 0;
}

static int copy_entry(struct fs_dirent *to, const wl_rtfs_entry *from)
{
    if (strlen(from->name) >= sizeof to->name) {
        return -ENAMETOOLONG;
    }
    to->type = from->is_directory ? FS_DIR_ENTRY_DIR : FS_DIR_ENTRY_FILE;
    to->size = (size_t)from->bytes;
    strcpy(to->name, from->name);
    return 0;
}

/* Behind the last entry its name is empty. */
static int rtfs_readdir(struct fs_dir_t *zephyr, struct fs_dirent *entry)
{
    struct wordline_rtfs_data *data = locked(zephyr->mp);
    wl_rtfs_entry found;
    const wl_rtfs_status status = wl_rtfs_next_entry(&data->fs, zephyr->dirp, &found);
    k_mutex_unlock(&data->lock);
    if (status == WL_RTFS_END) {
        entry->name[0] = '\0';
        return 0;
    }
    return status == WL_RTFS_OK ? copy_entry(entry, &found) : error_of(status);
}

static int rtfs_closedir(struct fs_dir_t *zephyr)
{
    k_mem_slab_free(&directories, zephyr->dirp);
    zephyr->dirp = NULL;
    return 0;
}

static int rtfs_mount(struct fs_mount_t *mount)
{
    struct wordline_rtfs_data *data = mount->fs_data;
    wl_rtfs_status status;
    if (data == NULL) {
        return -EINVAL;
    }
    k_mutex_init(&data->lock);
    locked(mount);
    status = wl_rtfs_mount(&data->fs, &data->flash, &data->config, data->memory, data->memory_bytes);
    if (status == WL_RTFS_FOREIGN && !(mount->flags & FS_MOUNT_FLAG_NO_FORMAT)) {
        status = wl_rtfs_format(&data->fs, &data->flash, &data->config, data->seed, data->memory, data->memory_bytes);
    }
    return unlocked(data, status);
}

static int rtfs_unmount(struct fs_mount_t *mount)
{
    struct wordline_rtfs_data *data = locked(mount);
    return unlocked(data, wl_rtfs_unmount(&data->fs));
}

static int rtfs_unlink(struct fs_mount_t *mount, const char *name)
{
    struct wordline_rtfs_data *data = locked(mount);
    return unlocked(data, wl_rtfs_remove(&data->fs, inside(mount, name)));
}

static int rtfs_rename(struct fs_mount_t *mount, const char *from, const char *to)
{
    struct wordline_rtfs_data *data = locked(mount);
    return unlocked(data, wl_rtfs_rename(&data->fs, inside(mount, from), inside(mount, to)));
}

static int rtfs_mkdir(struct fs_mount_t *mount, const char *name)
{
    struct wordline_rtfs_data *data = locked(mount);
    return unlocked(data, wl_rtfs_mkdir(&data->fs, inside(mount, name)));
}

static int rtfs_stat(struct fs_mount_t *mount, const char *path, struct fs_dirent *entry)
{
    struct wordline_rtfs_data *data = locked(mount);
    wl_rtfs_entry found;
    const int error = unlocked(data, wl_rtfs_stat(&data->fs, inside(mount, path), &found));
    return error != 0 ? error : copy_entry(entry, &found);
}

static int rtfs_statvfs(struct fs_mount_t *mount, const char *path, struct fs_statvfs *stat)
{
    struct wordline_rtfs_data *data = locked(mount);
    wl_rtfs_space space;
    const int error = unlocked(data, wl_rtfs_space_of(&data->fs, &space));
    (void)path;
    if (error != 0) {
        return error;
    }
    stat->f_bsize = space.page_bytes;
    stat->f_frsize = space.page_bytes;
    stat->f_blocks = space.pages;
    stat->f_bfree = space.free_pages;
    return 0;
}

static const struct fs_file_system_t wordline_rtfs = {
    .open = rtfs_open,
    .read = rtfs_read,
    .write = rtfs_write,
    .lseek = rtfs_lseek,
    .tell = rtfs_tell,
    .truncate = rtfs_truncate,
    .sync = rtfs_sync,
    .close = rtfs_close,
    .opendir = rtfs_opendir,
    .readdir = rtfs_readdir,
    .closedir = rtfs_closedir,
    .mount = rtfs_mount,
    .unmount = rtfs_unmount,
    .unlink = rtfs_unlink,
    .rename = rtfs_rename,
    .mkdir = rtfs_mkdir,
    .stat = rtfs_stat,
    .statvfs = rtfs_statvfs,
};

static int rtfs_register(void)
{
    return fs_register(FS_WORDLINE_RTFS, &wordline_rtfs);
}

SYS_INIT(rtfs_register, POST_KERNEL, CONFIG_KERNEL_INIT_PRIORITY_DEFAULT);
