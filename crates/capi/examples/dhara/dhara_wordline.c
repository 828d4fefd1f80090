/* Dhara's NAND functions over wordline_memory.h. See dhara_wordline.h.
 *
 * Dhara cannot go on where a driver is wrong or a chip has no power, and its functions have no error for it: such a call
 * fails as a bad block or as lost data, whichever there is, and the test that cut the power makes a new map. */
#include "dhara_wordline.h"

#include <stdlib.h>
#include <string.h>

static struct chip {
    const struct dhara_nand *nand;
    wl_memory *memory;
    uint32_t pages_per_block; /* of the memory */
    int moves;
} chips[DHARA_WORDLINE_CHIPS];

static struct chip *chip_of(const struct dhara_nand *nand)
{
    int i;
    for (i = 0; i < DHARA_WORDLINE_CHIPS; i++) {
        if (chips[i].nand == nand) {
            return &chips[i];
        }
    }
    return NULL;
}

/* A chip that is attached nowhere is a mistake in the program. */
static struct chip *attached(const struct dhara_nand *nand)
{
    struct chip *chip = nand ? chip_of(nand) : NULL;
    if (!chip) {
        abort();
    }
    return chip;
}

static int log2_of(uint64_t value, uint8_t *log2)
{
    uint8_t found = 0;
    while (value > 1 && value % 2 == 0) {
        value /= 2;
        found += 1;
    }
    *log2 = found;
    return value == 1 ? 0 : -1;
}

static int info_of(wl_memory *memory, wl_memory_info *info)
{
    info->size = sizeof *info;
    return wl_memory_get_info(memory, info) == WL_MEMORY_OK && info->kind == WL_MEMORY_FLASH ? 0 : -1;
}

int dhara_wordline_shape(wl_memory *memory, struct dhara_nand *nand)
{
    wl_memory_info info;
    if (info_of(memory, &info) != 0 || log2_of(info.page_bytes, &nand->log2_page_size) != 0
            || log2_of(info.pages_per_block, &nand->log2_ppb) != 0) {
        return -1;
    }
    nand->num_blocks = (unsigned int)info.blocks;
    return 0;
}

int dhara_wordline_attach(const struct dhara_nand *nand, wl_memory *memory)
{
    struct chip *chip = chip_of(nand);
    wl_memory_info info;
    if (!chip) {
        chip = chip_of(NULL);
    }
    if (!chip) {
        return -1;
    }
    if (!memory) {
        memset(chip, 0, sizeof *chip);
        return 0;
    }
    if (info_of(memory, &info) != 0 || info.page_bytes < (uint64_t)1 << nand->log2_page_size
            || info.pages_per_block < (uint64_t)1 << nand->log2_ppb || info.blocks < nand->num_blocks) {
        return -1;
    }
    chip->nand = nand;
    chip->memory = memory;
    chip->pages_per_block = (uint32_t)info.pages_per_block;
    /* A part of a page is not moved alone. */
    chip->moves = info.moves && info.page_bytes == (uint64_t)1 << nand->log2_page_size;
    return 0;
}

static uint32_t page_of(const struct chip *chip, dhara_page_t page)
{
    uint32_t within = page & ((1u << chip->nand->log2_ppb) - 1);
    return (page >> chip->nand->log2_ppb) * chip->pages_per_block + within;
}

static int result_of(wl_memory_status status, dhara_error_t otherwise, dhara_error_t *err)
{
    if (status == WL_MEMORY_OK) {
        return 0;
    }
    dhara_set_error(err, status == WL_MEMORY_UNCORRECTABLE ? DHARA_E_ECC : otherwise);
    return -1;
}

int dhara_nand_is_bad(const struct dhara_nand *n, dhara_block_t b)
{
    int32_t bad = 0;
    return wl_memory_is_bad(attached(n)->memory, b, &bad) != WL_MEMORY_OK || bad;
}

void dhara_nand_mark_bad(const struct dhara_nand *n, dhara_block_t b)
{
    wl_memory_mark_bad(attached(n)->memory, b);
}

int dhara_nand_erase(const struct dhara_nand *n, dhara_block_t b, dhara_error_t *err)
{
    return result_of(wl_memory_erase(attached(n)->memory, b), DHARA_E_BAD_BLOCK, err);
}

int dhara_nand_prog(const struct dhara_nand *n, dhara_page_t p, const uint8_t *data, dhara_error_t *err)
{
    struct chip *chip = attached(n);
    uint32_t bytes = 1u << n->log2_page_size;
    return result_of(wl_memory_program_page(chip->memory, page_of(chip, p), 0, data, bytes), DHARA_E_BAD_BLOCK, err);
}

int dhara_nand_is_free(const struct dhara_nand *n, dhara_page_t p)
{
    struct chip *chip = attached(n);
    int32_t is_free = 0;
    return wl_memory_is_free(chip->memory, page_of(chip, p), &is_free) == WL_MEMORY_OK && is_free;
}

int dhara_nand_read(const struct dhara_nand *n, dhara_page_t p, size_t offset, size_t length, uint8_t *data,
                    dhara_error_t *err)
{
    struct chip *chip = attached(n);
    return result_of(wl_memory_read_page(chip->memory, page_of(chip, p), (uint32_t)offset, data, (uint32_t)length, NULL),
                     DHARA_E_ECC, err);
}

int dhara_nand_copy(const struct dhara_nand *n, dhara_page_t src, dhara_page_t dst, dhara_error_t *err)
{
    struct chip *chip = attached(n);
    uint8_t *page;
    int failed;
    if (chip->moves) {
        wl_memory_status status =
            wl_memory_move_page(chip->memory, page_of(chip, src), page_of(chip, dst), 0, NULL, 0);
        if (status != WL_MEMORY_UNSUPPORTED) { /* as between planes */
            return result_of(status, DHARA_E_BAD_BLOCK, err);
        }
    }
    page = malloc((size_t)1 << n->log2_page_size);
    failed = !page || dhara_nand_read(n, src, 0, (size_t)1 << n->log2_page_size, page, err) != 0
        || dhara_nand_prog(n, dst, page, err) != 0;
    free(page);
    return failed ? -1 : 0;
}
