/*
 * What lfs_emubd_wordline.c needs of littlefs's bd/lfs_emubd.h, declared anew so that the example is built without
 * littlefs's tests. With them, put their folder before this one: their header is the one to be met.
 */
#ifndef WORDLINE_EXAMPLE_LFS_EMUBD_H
#define WORDLINE_EXAMPLE_LFS_EMUBD_H

#include "lfs.h"
#include "lfs_util.h"

typedef enum {
    LFS_EMUBD_BADBLOCK_PROGERROR = 0,
    LFS_EMUBD_BADBLOCK_ERASEERROR = 1,
    LFS_EMUBD_BADBLOCK_READERROR = 2,
    LFS_EMUBD_BADBLOCK_PROGNOOP = 3,
    LFS_EMUBD_BADBLOCK_ERASENOOP = 4
} lfs_emubd_badblock_behavior_t;

typedef enum { LFS_EMUBD_POWERLOSS_NOOP = 0, LFS_EMUBD_POWERLOSS_OOO = 1 } lfs_emubd_powerloss_behavior_t;

typedef uint64_t lfs_emubd_io_t;
typedef int64_t lfs_emubd_sio_t;
typedef uint32_t lfs_emubd_wear_t;
typedef int32_t lfs_emubd_swear_t;
typedef uint32_t lfs_emubd_powercycles_t;
typedef int32_t lfs_emubd_spowercycles_t;

struct lfs_emubd_config {
    lfs_size_t read_size, prog_size, erase_size, erase_count;
    int32_t erase_value;   /* -1: what an erase leaves does not matter */
    uint32_t erase_cycles; /* erases that a block takes before it is worn out; 0: any number */
    lfs_emubd_badblock_behavior_t badblock_behavior;
    lfs_emubd_powercycles_t power_cycles; /* changes before the power loss; 0: none comes */
    lfs_emubd_powerloss_behavior_t powerloss_behavior;
    void (*powerloss_cb)(void *data);
    void *powerloss_data;
};

typedef struct lfs_emubd_block lfs_emubd_block_t;

typedef struct {
    lfs_emubd_block_t **blocks;
    const struct lfs_emubd_config *cfg;
} lfs_emubd_t;

int lfs_emubd_create(const struct lfs_config *cfg, const struct lfs_emubd_config *bdcfg);
int lfs_emubd_destroy(const struct lfs_config *cfg);
int lfs_emubd_copy(const struct lfs_config *cfg, lfs_emubd_t *copy);

int lfs_emubd_read(const struct lfs_config *cfg, lfs_block_t block, lfs_off_t off, void *buffer, lfs_size_t size);
int lfs_emubd_prog(const struct lfs_config *cfg, lfs_block_t block, lfs_off_t off, const void *buffer, lfs_size_t size);
int lfs_emubd_erase(const struct lfs_config *cfg, lfs_block_t block);
int lfs_emubd_sync(const struct lfs_config *cfg);

int lfs_emubd_crc(const struct lfs_config *cfg, lfs_block_t block, uint32_t *crc);
int lfs_emubd_bdcrc(const struct lfs_config *cfg, uint32_t *crc);

lfs_emubd_sio_t lfs_emubd_readed(const struct lfs_config *cfg);
lfs_emubd_sio_t lfs_emubd_proged(const struct lfs_config *cfg);
lfs_emubd_sio_t lfs_emubd_erased(const struct lfs_config *cfg);
int lfs_emubd_setreaded(const struct lfs_config *cfg, lfs_emubd_io_t readed);
int lfs_emubd_setproged(const struct lfs_config *cfg, lfs_emubd_io_t proged);
int lfs_emubd_seterased(const struct lfs_config *cfg, lfs_emubd_io_t erased);

lfs_emubd_swear_t lfs_emubd_wear(const struct lfs_config *cfg, lfs_block_t block);
int lfs_emubd_setwear(const struct lfs_config *cfg, lfs_block_t block, lfs_emubd_wear_t wear);
lfs_emubd_spowercycles_t lfs_emubd_powercycles(const struct lfs_config *cfg);
int lfs_emubd_setpowercycles(const struct lfs_config *cfg, lfs_emubd_powercycles_t power_cycles);

#endif
