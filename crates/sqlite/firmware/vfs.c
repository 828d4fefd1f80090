/* A VFS on a file system, as simple as the laboratory's: one connection, the index of a log in RAM. */
#include <string.h>

#include "count.h"
#include "sqlite3.h"

struct traffic asked[KINDS];
uint32_t lookups;
uint32_t absent;
const struct file_system *files;
int tells_promise;

/* The files of the VFS. */

struct vfs_file {
    sqlite3_file base;
    uint32_t number;
    uint32_t bytes;
    enum kind kind;
};

/* A file stays open from its first use on, as the laboratory's VFS has one handle a file. */
static uint8_t taken[FILES_MAX];
static uint8_t regions[16][32768] __attribute__((section(".far"), aligned(8)));

void vfs_clear(void)
{
    memset(taken, 0, sizeof taken);
    memset(regions, 0, sizeof regions);
}

static int vfs_close(sqlite3_file *f)
{
    struct vfs_file *file = (struct vfs_file *)f;
    enum layer before = enter(FILES);
    int code = files->close(file->number);
    enter(before);
    taken[file->number] = 0;
    asked[file->kind].others += 1;
    return code < 0 ? SQLITE_IOERR_CLOSE : SQLITE_OK;
}

static int vfs_read(sqlite3_file *f, void *out, int bytes, sqlite3_int64 at)
{
    struct vfs_file *file = (struct vfs_file *)f;
    int32_t done = 0;
    asked[file->kind].reads += 1;
    if (at < file->bytes) {
        uint32_t most = file->bytes - (uint32_t)at;
        enum layer before = enter(FILES);
        done = files->read(file->number, (uint32_t)at, out, most < (uint32_t)bytes ? most : (uint32_t)bytes);
        enter(before);
    }
    if (done < 0) {
        return SQLITE_IOERR_READ;
    }
    asked[file->kind].read_bytes += (uint32_t)done;
    if (done < bytes) {
        memset((char *)out + done, 0, (size_t)(bytes - done));
        return SQLITE_IOERR_SHORT_READ;
    }
    return SQLITE_OK;
}

static int vfs_truncate(sqlite3_file *f, sqlite3_int64 bytes)
{
    struct vfs_file *file = (struct vfs_file *)f;
    enum layer before = enter(FILES);
    int code = files->truncate(file->number, (uint32_t)bytes);
    enter(before);
    asked[file->kind].others += 1;
    file->bytes = (uint32_t)bytes;
    return code < 0 ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int vfs_write(sqlite3_file *f, const void *data, int bytes, sqlite3_int64 at)
{
    struct vfs_file *file = (struct vfs_file *)f;
    enum layer before;
    int code;
    if (at > file->bytes && vfs_truncate(f, at) != SQLITE_OK) {
        return SQLITE_IOERR_WRITE;
    }
    before = enter(FILES);
    code = files->write(file->number, (uint32_t)at, data, (uint32_t)bytes);
    enter(before);
    asked[file->kind].writes += 1;
    asked[file->kind].written_bytes += (uint32_t)bytes;
    if (at + bytes > file->bytes) {
        file->bytes = (uint32_t)(at + bytes);
    }
    return code < 0 ? SQLITE_FULL : SQLITE_OK;
}

static int vfs_sync(sqlite3_file *f, int flags)
{
    struct vfs_file *file = (struct vfs_file *)f;
    enum layer before = enter(FILES);
    int code = files->sync(file->number);
    (void)flags;
    enter(before);
    asked[file->kind].syncs += 1;
    return code < 0 ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int vfs_size(sqlite3_file *f, sqlite3_int64 *out)
{
    *out = ((struct vfs_file *)f)->bytes;
    return SQLITE_OK;
}

static int vfs_lock(sqlite3_file *f, int level)
{
    (void)f;
    (void)level;
    return SQLITE_OK;
}

static int vfs_is_reserved(sqlite3_file *f, int *out)
{
    (void)f;
    *out = 0;
    return SQLITE_OK;
}

static int vfs_control(sqlite3_file *f, int op, void *argument)
{
    (void)f;
    (void)op;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int vfs_sector(sqlite3_file *f)
{
    (void)f;
    return 512;
}

static int vfs_traits(sqlite3_file *f)
{
    (void)f;
    return SQLITE_IOCAP_SUBPAGE_READ | (tells_promise ? SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND : 0);
}

static int shm_map(sqlite3_file *f, int number, int bytes, int extend, void volatile **out)
{
    (void)f;
    (void)extend;
    if (number >= 16 || bytes > (int)sizeof regions[0]) {
        return SQLITE_NOMEM;
    }
    *out = regions[number];
    return SQLITE_OK;
}

static int shm_lock(sqlite3_file *f, int first, int count, int flags)
{
    (void)f;
    (void)first;
    (void)count;
    (void)flags;
    return SQLITE_OK;
}

static void shm_barrier(sqlite3_file *f)
{
    (void)f;
}

static int shm_unmap(sqlite3_file *f, int deletes)
{
    (void)f;
    (void)deletes;
    memset(regions, 0, sizeof regions);
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    2, vfs_close, vfs_read, vfs_write, vfs_truncate, vfs_sync, vfs_size, vfs_lock, vfs_lock, vfs_is_reserved, vfs_control,
    vfs_sector, vfs_traits, shm_map, shm_lock, shm_barrier, shm_unmap, 0, 0,
};

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    struct vfs_file *file = (struct vfs_file *)f;
    enum layer before;
    int32_t length;
    int code;
    (void)v;
    file->base.pMethods = 0;
    if (name == 0) {
        return SQLITE_CANTOPEN;
    }
    file->kind = flags & SQLITE_OPEN_WAL ? LOG : flags & SQLITE_OPEN_MAIN_JOURNAL ? JOURNAL : DATABASE;
    for (file->number = 0; file->number < FILES_MAX && taken[file->number]; ++file->number) {
    }
    if (file->number == FILES_MAX) {
        return SQLITE_CANTOPEN;
    }
    before = enter(FILES);
    length = files->length(name);
    code = length < 0 && !(flags & SQLITE_OPEN_CREATE) ? -1
        : files->open(file->number, name, (flags & SQLITE_OPEN_CREATE) != 0);
    enter(before);
    asked[file->kind].opens += 1;
    absent += length < 0;
    if (code < 0) {
        return SQLITE_CANTOPEN;
    }
    taken[file->number] = 1;
    file->bytes = length < 0 ? 0 : (uint32_t)length;
    file->base.pMethods = &methods;
    if (out != 0) {
        *out = flags;
    }
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int syncs)
{
    enum layer before = enter(FILES);
    int code = files->remove(name);
    (void)v;
    (void)syncs;
    enter(before);
    asked[JOURNAL].deletes += 1;
    return code < 0 ? SQLITE_IOERR_DELETE_NOENT : SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *out)
{
    enum layer before = enter(FILES);
    int32_t length;
    (void)v;
    (void)flags;
    length = files->length(name);
    enter(before);
    absent += length < 0;
    *out = length > 0;
    lookups += 1;
    return SQLITE_OK;
}

static int vfs_full_name(sqlite3_vfs *v, const char *name, int bytes, char *out)
{
    (void)v;
    sqlite3_snprintf(bytes, out, "%s", name);
    return SQLITE_OK;
}

static int vfs_random(sqlite3_vfs *v, int bytes, char *out)
{
    (void)v;
    memset(out, 42, (size_t)bytes);
    return bytes;
}

static int vfs_sleep(sqlite3_vfs *v, int us)
{
    (void)v;
    return us;
}

static int vfs_time(sqlite3_vfs *v, sqlite3_int64 *out)
{
    (void)v;
    *out = 212633596800000;
    return SQLITE_OK;
}

static int vfs_time_of_day(sqlite3_vfs *v, double *out)
{
    (void)v;
    *out = 2461042.0;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *v, int bytes, char *out)
{
    (void)v;
    (void)bytes;
    (void)out;
    return 0;
}

static sqlite3_vfs vfs = {
    2, sizeof(struct vfs_file), 64, 0, "counted", 0, vfs_open, vfs_delete, vfs_access, vfs_full_name, 0, 0, 0, 0, vfs_random,
    vfs_sleep, vfs_time_of_day, vfs_last_error, vfs_time, 0, 0, 0,
};

int sqlite3_os_init(void)
{
    return sqlite3_vfs_register(&vfs, 1);
}

int sqlite3_os_end(void)
{
    return SQLITE_OK;
}

