/*
 * littlefs's test block device on a simulated chip: it defines the functions of littlefs's bd/lfs_emubd.h over
 * wordline_memory.h. Compiled in place of bd/lfs_emubd.c, it puts littlefs's own test runner on a chip.
 *
 * The environment chooses the chip:
 *
 *   WORDLINE_TARGET   PART or PART@BOARD, or a chip of the very geometry that is asked for, without a data sheet:
 *                     ideal-nor, ideal-nand, ideal-bytes. mt25ql128 if it is not set
 *   WORDLINE_CATALOG  a folder of data sheets of your own
 *   WORDLINE_TIMING   typ, max or sampled: of a part, typ if it is not set. An ideal chip takes no time
 *   WORDLINE_SEED     of everything that is drawn, 0 if it is not set. What a loss leaves follows from it and from how many
 *                     changes the test made before: a test alone fails as it did among all
 *   WORDLINE_CUT      whole: a power loss comes after the operation, as lfs_emubd.c does it, and is the default;
 *                     torn: it leaves a part of the operation
 *   WORDLINE_LOG      a file to which each process appends a line of what its chips did
 *
 * Where lfs_emubd.c and a chip differ: flash erases to 0xFF whatever erase_value says. A block whose erases do nothing
 * takes programs until its next erase, and from then on loses them (WL_MEMORY_ERASE_STALE). On whole flash whose erases
 * work, a program that would set a bit is refused and said on stderr. So is, on a NAND part, the program of a page whose
 * program was torn and left no trace: littlefs takes such a page as erased. disk_path and sleeps have no effect: simulated time
 * passes instead.
 */
#include "bd/lfs_emubd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_memory.h"

struct chip {
    wl_memory *memory;
    wl_memory *goes_on; /* within the hook of a power loss: the chip that did not lose power */
    wl_memory *before;  /* of out-of-order losses: the state before the first erase since the last sync */
    lfs_block_t first;  /* and the block of that erase */
    wl_memory_info info;
    lfs_emubd_powercycles_t power_cycles;
    uint64_t changes; /* that this test made so far, which draw what a power loss leaves */
    uint64_t readed, proged, erased;
    int torn;
    lfs_emubd_wear_t wear[]; /* erases of each block, as the tests of littlefs count and set them */
};

static struct {
    wl_memory_stats sum;
    double seconds, joules;
    uint64_t seed, chips, losses, misuses;
    int is_registered;
} totals;

static const struct lfs_emubd_config *config_of(const struct lfs_config *cfg)
{
    return ((lfs_emubd_t *)cfg->context)->cfg;
}

/* The state of lfs_emubd.c is its array of blocks; here the chip hangs in its place. */
static struct chip *chip_of(const struct lfs_config *cfg)
{
    return (struct chip *)(void *)((lfs_emubd_t *)cfg->context)->blocks;
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static int is_torn(void)
{
    return strcmp(setting("WORDLINE_CUT", "whole"), "torn") == 0;
}

/* What is spelt wrongly would be a test of something else. WORDLINE_TARGET and WORDLINE_CATALOG are the library's to check. */
static int check_settings(void)
{
    const char *timing = setting("WORDLINE_TIMING", "typ");
    const char *cut = setting("WORDLINE_CUT", "whole"), *seed = setting("WORDLINE_SEED", "0");
    const char *path = setting("WORDLINE_LOG", NULL);
    char *end;
    FILE *file;
    if (!is_torn() && strcmp(cut, "whole") != 0) {
        fprintf(stderr, "wordline: WORDLINE_CUT is '%s'; it is whole or torn\n", cut);
        return LFS_ERR_INVAL;
    }
    if (strcmp(timing, "typ") != 0 && strcmp(timing, "max") != 0 && strcmp(timing, "sampled") != 0) {
        fprintf(stderr, "wordline: WORDLINE_TIMING is '%s'; it is typ, max or sampled\n", timing);
        return LFS_ERR_INVAL;
    }
    errno = 0;
    totals.seed = strtoull(seed, &end, 0);
    if (*end || errno || *seed == '-') {
        fprintf(stderr, "wordline: WORDLINE_SEED is '%s'; it is a whole number of at most 64 bits\n", seed);
        return LFS_ERR_INVAL;
    }
    if (path) {
        file = fopen(path, "a");
        if (!file) {
            fprintf(stderr, "wordline: WORDLINE_LOG: %s: %s\n", path, strerror(errno));
            return LFS_ERR_IO;
        }
        fclose(file);
    }
    return 0;
}

/* What the caller did wrong, and what failed otherwise, is said. */
static int report(wl_memory_status status, const char *call)
{
    int err = WL_MEMORY_LITTLEFS(status);
    if (err && err != LFS_ERR_CORRUPT && status != WL_MEMORY_POWER_LOST) {
        fprintf(stderr, "wordline: %s: %d: %s\n", call, (int)status, wl_memory_message());
        totals.misuses += 1;
    }
    return err;
}

/* A status as littlefs knows it. */
static inline int as_lfs(wl_memory_status status, const char *call)
{
    return status == WL_MEMORY_OK ? 0 : report(status, call);
}

/* ---- What all chips of a process did ---- */

static void log_totals(void)
{
    const char *path = setting("WORDLINE_LOG", NULL);
    const wl_memory_stats *sum = &totals.sum;
    FILE *file = path ? fopen(path, "a") : NULL;
    char joules[40] = "null"; /* where a sheet states no current, and of an ideal chip */
    if (!file) {
        return;
    }
    if (totals.joules == totals.joules) {
        snprintf(joules, sizeof joules, "%.6f", totals.joules);
    }
    fprintf(file, "{\"chips\":%llu,\"power_losses\":%llu,\"misuses\":%llu,\"reads\":%llu,\"programs\":%llu,"
            "\"erases\":%llu,\"writes\":%llu,\"failures\":%llu,\"seconds\":%.6f,\"joules\":%s}\n",
            (unsigned long long)totals.chips, (unsigned long long)totals.losses, (unsigned long long)totals.misuses,
            (unsigned long long)sum->reads, (unsigned long long)sum->programs, (unsigned long long)sum->erases,
            (unsigned long long)sum->writes, (unsigned long long)sum->failures, totals.seconds, joules);
    fclose(file);
}

static void free_chip(struct chip *chip)
{
    wl_memory_stats stats;
    memset(&stats, 0, sizeof stats);
    stats.size = sizeof stats;
    if (chip->memory && wl_memory_get_stats(chip->memory, &stats) == WL_MEMORY_OK) {
        totals.sum.reads += stats.reads;
        totals.sum.programs += stats.programs;
        totals.sum.erases += stats.erases;
        totals.sum.writes += stats.writes;
        totals.sum.failures += stats.failures;
        totals.seconds += (double)wl_memory_now(chip->memory) / 1e12;
        totals.joules += wl_memory_energy(chip->memory);
    }
    wl_memory_free(chip->memory);
    wl_memory_free(chip->goes_on);
    wl_memory_free(chip->before);
    free(chip);
}

/* ---- Making a chip ---- */

/* Whether a program that sets a bit is a mistake. It is none where littlefs is to find out that an erase did nothing, nor
 * on what a torn program left. */
static int is_strict(const struct lfs_emubd_config *bdcfg)
{
    int erases_fail = bdcfg->erase_cycles && bdcfg->badblock_behavior == LFS_EMUBD_BADBLOCK_ERASENOOP;
    return !erases_fail && !is_torn();
}

static wl_memory_status make_part(const char *target, const struct lfs_emubd_config *bdcfg, wl_memory **memory)
{
    wl_memory_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target;
    options.catalog = setting("WORDLINE_CATALOG", NULL);
    options.timing = setting("WORDLINE_TIMING", NULL);
    options.seed = totals.seed;
    /* lfs_emubd.c has no bad blocks but those of its wear. */
    options.factory_bad = WL_MEMORY_FACTORY_NONE;
    options.one_thread = 1;
    options.strict = is_strict(bdcfg);
    return wl_memory_create(&options, memory);
}

static wl_memory_status make_ideal(uint64_t kind, const struct lfs_emubd_config *bdcfg, wl_memory **memory)
{
    wl_memory_ideal ideal;
    memset(&ideal, 0, sizeof ideal);
    ideal.size = sizeof ideal;
    ideal.abi = WL_MEMORY_ABI;
    ideal.kind = kind;
    ideal.read_bytes = bdcfg->read_size;
    ideal.write_bytes = bdcfg->prog_size;
    ideal.erase_bytes = bdcfg->erase_size;
    ideal.blocks = bdcfg->erase_count;
    if (kind == WL_MEMORY_IDEAL_NAND && is_torn()) {
        /* littlefs looks at bytes: a page that a torn program left as if erased is programmed once more. Parts count. */
        ideal.programs_per_page = 64;
    }
    ideal.strict = kind == WL_MEMORY_IDEAL_NOR && is_strict(bdcfg);
    return wl_memory_create_ideal(&ideal, memory);
}

static wl_memory_status make(const struct lfs_emubd_config *bdcfg, wl_memory **memory)
{
    static const char *const kinds[] = {"ideal-bytes", "ideal-nor", "ideal-nand"};
    const char *target = setting("WORDLINE_TARGET", "mt25ql128");
    for (uint64_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        if (strcmp(target, kinds[kind]) == 0) {
            return make_ideal(kind, bdcfg, memory);
        }
    }
    return make_part(target, bdcfg, memory);
}

/* Programs of one size, one behind the other, have to fill a page: each once where an ECC covers a unit of it, and not more
 * of them than a page takes. */
static int fills_pages(const wl_memory_info *info, uint64_t prog_size)
{
    return (!info->once_bytes || prog_size % info->once_bytes == 0)
        && (!info->programs_per_page || prog_size * info->programs_per_page >= info->page_bytes);
}

static int fits(const wl_memory_info *info, const struct lfs_emubd_config *bdcfg)
{
    return fills_pages(info, bdcfg->prog_size) && (uint64_t)bdcfg->erase_size * bdcfg->erase_count <= info->bytes
        && bdcfg->read_size % info->read_bytes == 0 && bdcfg->prog_size % info->write_bytes == 0
        && (info->kind == WL_MEMORY_BYTES || bdcfg->erase_size % info->block_bytes == 0);
}

int lfs_emubd_create(const struct lfs_config *cfg, const struct lfs_emubd_config *bdcfg)
{
    lfs_emubd_t *bd = cfg->context;
    struct chip *chip = calloc(1, sizeof *chip + bdcfg->erase_count * sizeof chip->wear[0]);
    int err;
    if (!chip) {
        return LFS_ERR_NOMEM;
    }
    if (!totals.is_registered) {
        err = check_settings();
        if (err) {
            free(chip);
            return err;
        }
        totals.is_registered = 1;
        atexit(log_totals);
    }
    memset(bd, 0, sizeof *bd);
    bd->cfg = bdcfg;
    bd->blocks = (lfs_emubd_block_t **)(void *)chip;
    chip->power_cycles = bdcfg->power_cycles;
    chip->torn = is_torn();
    chip->info.size = sizeof chip->info;
    err = as_lfs(make(bdcfg, &chip->memory), "create");
    err = err ? err : as_lfs(wl_memory_get_info(chip->memory, &chip->info), "get_info");
    if (!err && !fits(&chip->info, bdcfg)) {
        fprintf(stderr, "wordline: {%u, %u, %u, %u} does not fit: the part reads multiples of %llu bytes, programs those "
                "of %llu, erases %llu and has %llu\n", (unsigned)bdcfg->read_size, (unsigned)bdcfg->prog_size,
                (unsigned)bdcfg->erase_size, (unsigned)bdcfg->erase_count, (unsigned long long)chip->info.read_bytes,
                (unsigned long long)chip->info.write_bytes, (unsigned long long)chip->info.block_bytes,
                (unsigned long long)chip->info.bytes);
        if (chip->info.once_bytes) {
            fprintf(stderr, "wordline: each %llu bytes of it take one program\n",
                    (unsigned long long)chip->info.once_bytes);
        }
        if (chip->info.programs_per_page) {
            fprintf(stderr, "wordline: each %llu bytes of it take %llu programs\n",
                    (unsigned long long)chip->info.page_bytes, (unsigned long long)chip->info.programs_per_page);
        }
        if (chip->info.page_bytes) {
            fprintf(stderr, "wordline: give the runner a geometry of the part, such as '-G{%llu,%llu,%llu,64}'\n",
                    (unsigned long long)chip->info.page_bytes, (unsigned long long)chip->info.page_bytes,
                    (unsigned long long)chip->info.block_bytes);
        }
        err = LFS_ERR_INVAL;
    }
    if (err) {
        free_chip(chip);
        bd->blocks = NULL;
        return err;
    }
    totals.chips += 1;
    return 0;
}

int lfs_emubd_destroy(const struct lfs_config *cfg)
{
    free_chip(chip_of(cfg));
    ((lfs_emubd_t *)cfg->context)->blocks = NULL;
    return 0;
}

int lfs_emubd_copy(const struct lfs_config *cfg, lfs_emubd_t *copy)
{
    const struct chip *from = chip_of(cfg);
    size_t bytes = sizeof *from + config_of(cfg)->erase_count * sizeof from->wear[0];
    struct chip *to = malloc(bytes);
    int err;
    if (!to) {
        return LFS_ERR_NOMEM;
    }
    memcpy(to, from, bytes);
    to->memory = to->goes_on = to->before = NULL;
    err = as_lfs(wl_memory_fork(from->memory, &to->memory), "fork");
    if (!err && from->before) {
        err = as_lfs(wl_memory_fork(from->before, &to->before), "fork");
    }
    if (err) {
        free_chip(to);
        return err;
    }
    wl_memory_reset_stats(to->memory);
    memcpy(copy, cfg->context, sizeof *copy);
    copy->blocks = (lfs_emubd_block_t **)(void *)to;
    return 0;
}

/* ---- Wear and bad blocks ---- */

static int is_worn(const struct lfs_config *cfg, lfs_block_t block)
{
    const struct lfs_emubd_config *bdcfg = config_of(cfg);
    return bdcfg->erase_cycles && chip_of(cfg)->wear[block] >= bdcfg->erase_cycles;
}

/* Lets the chip fail as a worn block is to fail, or no longer. Byte memories have no erases that could: see erase. */
static int update_fault(const struct lfs_config *cfg, wl_memory *memory, lfs_block_t block)
{
    const struct lfs_emubd_config *bdcfg = config_of(cfg);
    int is_flash = chip_of(cfg)->info.kind == WL_MEMORY_FLASH;
    wl_memory_fault fault;
    int err;
    memset(&fault, 0, sizeof fault);
    fault.size = sizeof fault;
    fault.at = (uint64_t)block * bdcfg->erase_size;
    fault.bytes = bdcfg->erase_size;
    switch (bdcfg->badblock_behavior) {
    case LFS_EMUBD_BADBLOCK_PROGERROR: fault.kind = WL_MEMORY_PROGRAM_ERROR; break;
    case LFS_EMUBD_BADBLOCK_ERASEERROR: fault.kind = is_flash ? WL_MEMORY_ERASE_ERROR : WL_MEMORY_GOOD; break;
    case LFS_EMUBD_BADBLOCK_READERROR: fault.kind = WL_MEMORY_READ_ERROR; break;
    case LFS_EMUBD_BADBLOCK_PROGNOOP: fault.kind = WL_MEMORY_PROGRAM_NOOP; break;
    case LFS_EMUBD_BADBLOCK_ERASENOOP: fault.kind = is_flash ? WL_MEMORY_ERASE_STALE : WL_MEMORY_PROGRAM_NOOP; break;
    }
    err = as_lfs(wl_memory_clear_faults(memory, fault.at, fault.bytes), "clear_faults");
    if (!err && is_worn(cfg, block) && fault.kind != WL_MEMORY_GOOD) {
        err = as_lfs(wl_memory_add_fault(memory, &fault), "add_fault");
    }
    return err;
}

lfs_emubd_swear_t lfs_emubd_wear(const struct lfs_config *cfg, lfs_block_t block)
{
    return (lfs_emubd_swear_t)chip_of(cfg)->wear[block];
}

/* The chip counts the same cycles, so that its sheet's ageing, where it is asked for, begins there. */
int lfs_emubd_setwear(const struct lfs_config *cfg, lfs_block_t block, lfs_emubd_wear_t wear)
{
    struct chip *chip = chip_of(cfg);
    chip->wear[block] = wear;
    if (chip->info.kind == WL_MEMORY_FLASH) {
        uint64_t each = config_of(cfg)->erase_size / chip->info.block_bytes;
        for (uint64_t unit = 0; unit < each; unit++) {
            int err = as_lfs(wl_memory_set_cycles(chip->memory, block * each + unit, wear), "set_cycles");
            if (err) {
                return err;
            }
        }
    }
    return update_fault(cfg, chip->memory, block);
}

/* ---- Changes, and power losses in them ---- */

struct change {
    lfs_block_t block;
    lfs_off_t off;
    const void *data; /* NULL: an erase */
    lfs_size_t size;
    int was_worn, wears_out; /* of an erase: its block was worn out before it, or is from now on */
};

/* A byte memory knows no erase. */
static int write_erased(const struct lfs_config *cfg, wl_memory *memory, const struct change *change)
{
    const struct lfs_emubd_config *bdcfg = config_of(cfg);
    uint8_t *erased;
    int err;
    if (bdcfg->erase_value == -1 || change->was_worn) {
        return 0;
    }
    erased = malloc(bdcfg->erase_size);
    if (!erased) {
        return LFS_ERR_NOMEM;
    }
    memset(erased, (int)bdcfg->erase_value, bdcfg->erase_size);
    err = as_lfs(wl_memory_write(memory, (uint64_t)change->block * bdcfg->erase_size, erased,
                                 bdcfg->erase_size), "write");
    free(erased);
    return err;
}

static int apply(const struct lfs_config *cfg, wl_memory *memory, const struct change *change)
{
    uint64_t size = config_of(cfg)->erase_size, at = change->block * size + change->off;
    int is_flash = chip_of(cfg)->info.kind == WL_MEMORY_FLASH, err;
    if (change->data) {
        return is_flash ? as_lfs(wl_memory_program(memory, at, change->data, change->size), "program")
                        : as_lfs(wl_memory_write(memory, at, change->data, change->size), "write");
    }
    err = is_flash ? as_lfs(wl_memory_erase_range(memory, at, size, 0), "erase") : write_erased(cfg, memory, change);
    return !err && change->wears_out ? update_fault(cfg, memory, change->block) : err;
}

/* A number that looks random, of the seed and the place in the test (the finaliser of MurmurHash3). */
static uint64_t drawn(uint64_t changes)
{
    uint64_t value = totals.seed * 0x9e3779b97f4a7c15u + changes + 1;
    value = (value ^ value >> 33) * 0xff51afd7ed558ccdu;
    value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

/* What is left of the chip if the power goes within this change: in one of its pages, which is drawn. */
static int tear(const struct lfs_config *cfg, const struct change *change, wl_memory **left)
{
    const wl_memory_info *info = &chip_of(cfg)->info;
    uint64_t pages = change->data && info->page_bytes ? (change->size + info->page_bytes - 1) / info->page_bytes : 1;
    wl_memory_cut cut;
    int err = as_lfs(wl_memory_fork(chip_of(cfg)->memory, left), "fork");
    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = 1 + drawn(chip_of(cfg)->changes) % pages;
    cut.tear = WL_MEMORY_CUT_TORN;
    cut.seed = drawn(~chip_of(cfg)->changes);
    /* littlefs states that a block which fails is given up, but cannot know of one that fails for good at its anchor. */
    cut.erase_leaves = WL_MEMORY_LEAVES_MENDABLE;
    err = err ? err : as_lfs(wl_memory_cut_power(*left, &cut), "cut_power");
    if (!err) {
        apply(cfg, *left, change);
        if (wl_memory_power_up(*left) == WL_MEMORY_MISUSE) { /* nothing was changed, so that nothing was cut */
            wl_memory_free(*left);
            *left = NULL;
        } else if (change->wears_out) {
            err = update_fault(cfg, *left, change->block);
        }
    }
    return err;
}

/* Writes between syncs may come in any order: the block that was written first is as it was before. */
static int reorder(const struct lfs_config *cfg, wl_memory **left)
{
    const struct chip *chip = chip_of(cfg);
    uint64_t size = config_of(cfg)->erase_size, at = chip->first * size;
    uint8_t *old = malloc(size);
    int err = old ? 0 : LFS_ERR_NOMEM;
    if (!err && !*left) {
        err = as_lfs(wl_memory_fork(chip->memory, left), "fork");
    }
    err = err ? err : as_lfs(wl_memory_peek(chip->before, at, old, size), "peek");
    err = err ? err : as_lfs(wl_memory_poke(*left, at, old, size), "poke");
    free(old);
    return err;
}

/* The hook may jump out, and go on with what is left, or return, and everything goes on as if nothing had been. */
static int lose_power(const struct lfs_config *cfg, wl_memory *left)
{
    struct chip *chip = chip_of(cfg);
    totals.losses += 1;
    if (chip->before) {
        int err = reorder(cfg, &left);
        if (err) {
            wl_memory_free(left);
            return err;
        }
    }
    if (left) {
        wl_memory_free(chip->goes_on);
        chip->goes_on = chip->memory;
        chip->memory = left;
    }
    config_of(cfg)->powerloss_cb(config_of(cfg)->powerloss_data);
    if (left) {
        wl_memory_free(chip->memory);
        chip->memory = chip->goes_on;
        chip->goes_on = NULL;
    }
    return 0;
}

/* A change that fails is none that counts towards the power loss. */
static int run(const struct lfs_config *cfg, const struct change *change)
{
    struct chip *chip = chip_of(cfg);
    int is_last = chip->power_cycles == 1, err = 0;
    wl_memory *left = NULL;
    if (is_last && chip->torn) {
        err = tear(cfg, change, &left);
    }
    err = err ? err : apply(cfg, chip->memory, change);
    if (err) {
        wl_memory_free(left);
        return err;
    }
    chip->changes += 1;
    chip->power_cycles -= chip->power_cycles > 0;
    return is_last ? lose_power(cfg, left) : 0;
}

lfs_emubd_spowercycles_t lfs_emubd_powercycles(const struct lfs_config *cfg)
{
    return (lfs_emubd_spowercycles_t)chip_of(cfg)->power_cycles;
}

int lfs_emubd_setpowercycles(const struct lfs_config *cfg, lfs_emubd_powercycles_t power_cycles)
{
    chip_of(cfg)->power_cycles = power_cycles;
    return 0;
}

/* ---- The block device ---- */

int lfs_emubd_read(const struct lfs_config *cfg, lfs_block_t block, lfs_off_t off, void *buffer, lfs_size_t size)
{
    const struct lfs_emubd_config *bdcfg = config_of(cfg);
    struct chip *chip = chip_of(cfg);
    wl_memory_status status;
    LFS_ASSERT(block < bdcfg->erase_count && off + size <= bdcfg->erase_size);
    LFS_ASSERT(off % bdcfg->read_size == 0 && size % bdcfg->read_size == 0);
    chip->readed += size;
    status = wl_memory_read(chip->memory, (uint64_t)block * bdcfg->erase_size + off, buffer, size);
    return status == WL_MEMORY_OK ? 0 : report(status, "read");
}

int lfs_emubd_prog(const struct lfs_config *cfg, lfs_block_t block, lfs_off_t off, const void *buffer, lfs_size_t size)
{
    const struct lfs_emubd_config *bdcfg = config_of(cfg);
    struct change change = {block, off, buffer, size, 0, 0};
    LFS_ASSERT(block < bdcfg->erase_count && off + size <= bdcfg->erase_size);
    LFS_ASSERT(off % bdcfg->prog_size == 0 && size % bdcfg->prog_size == 0);
    chip_of(cfg)->proged += size;
    return run(cfg, &change);
}

int lfs_emubd_erase(const struct lfs_config *cfg, lfs_block_t block)
{
    const struct lfs_emubd_config *bdcfg = config_of(cfg);
    struct chip *chip = chip_of(cfg);
    struct change change = {block, 0, NULL, 0, is_worn(cfg, block), 0};
    int err = 0;
    LFS_ASSERT(block < bdcfg->erase_count);
    if (bdcfg->powerloss_behavior == LFS_EMUBD_POWERLOSS_OOO && !chip->before) {
        chip->first = block;
        err = as_lfs(wl_memory_fork(chip->memory, &chip->before), "fork");
    }
    if (!err && change.was_worn && chip->info.kind == WL_MEMORY_BYTES
            && bdcfg->badblock_behavior == LFS_EMUBD_BADBLOCK_ERASEERROR) {
        err = LFS_ERR_CORRUPT;
    }
    if (err) {
        return err;
    }
    if (bdcfg->erase_cycles && !change.was_worn) {
        chip->wear[block] += 1;
        change.wears_out = is_worn(cfg, block);
    }
    chip->erased += bdcfg->erase_size;
    return run(cfg, &change);
}

int lfs_emubd_sync(const struct lfs_config *cfg)
{
    struct chip *chip = chip_of(cfg);
    wl_memory_free(chip->before);
    chip->before = NULL;
    return as_lfs(wl_memory_sync(chip->memory), "sync");
}

/* ---- Sums and counters ---- */

int lfs_emubd_crc(const struct lfs_config *cfg, lfs_block_t block, uint32_t *crc)
{
    lfs_size_t size = config_of(cfg)->erase_size;
    uint8_t *data = malloc(size);
    int err = data ? as_lfs(wl_memory_peek(chip_of(cfg)->memory, (uint64_t)block * size, data, size), "peek")
                   : LFS_ERR_NOMEM;
    if (!err) {
        *crc = 0xffffffff ^ lfs_crc(0xffffffff, data, size);
    }
    free(data);
    return err;
}

int lfs_emubd_bdcrc(const struct lfs_config *cfg, uint32_t *crc)
{
    uint32_t all = 0xffffffff, one = 0;
    for (lfs_block_t block = 0; block < cfg->block_count; block++) {
        int err = lfs_emubd_crc(cfg, block, &one);
        if (err) {
            return err;
        }
        all = lfs_crc(all, &one, sizeof one);
    }
    *crc = 0xffffffff ^ all;
    return 0;
}

lfs_emubd_sio_t lfs_emubd_readed(const struct lfs_config *cfg)
{
    return (lfs_emubd_sio_t)chip_of(cfg)->readed;
}

lfs_emubd_sio_t lfs_emubd_proged(const struct lfs_config *cfg)
{
    return (lfs_emubd_sio_t)chip_of(cfg)->proged;
}

lfs_emubd_sio_t lfs_emubd_erased(const struct lfs_config *cfg)
{
    return (lfs_emubd_sio_t)chip_of(cfg)->erased;
}

int lfs_emubd_setreaded(const struct lfs_config *cfg, lfs_emubd_io_t readed)
{
    chip_of(cfg)->readed = readed;
    return 0;
}

int lfs_emubd_setproged(const struct lfs_config *cfg, lfs_emubd_io_t proged)
{
    chip_of(cfg)->proged = proged;
    return 0;
}

int lfs_emubd_seterased(const struct lfs_config *cfg, lfs_emubd_io_t erased)
{
    chip_of(cfg)->erased = erased;
    return 0;
}
