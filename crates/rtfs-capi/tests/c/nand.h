/* A NAND in RAM that checks the rules of one: pages are programmed once, whole and in order. Its power fails before an
   operation of a number; a program or an erase that is cut is done in part. */
#ifndef NAND_H
#define NAND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordline_rtfs.h"

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

enum { PAGE = 256, SPARE = 16, BLOCK = 32, BLOCKS = 32, PAGES = BLOCK * BLOCKS };

typedef struct nand {
    unsigned char bytes[PAGES][PAGE + SPARE];
    /* The next page of a block that may be programmed. */
    unsigned next[BLOCKS];
    unsigned char is_bad[BLOCKS];
    /* Programs and erases until the power fails; none where it is negative. */
    long left;
    /* What the next program and the next erase return, once. */
    int32_t program_code, erase_code;
    unsigned long reads, programs, moves, erases;
} nand;

static int32_t nand_read(void *user, uint32_t page, uint32_t column, void *out, size_t bytes)
{
    nand *self = user;
    CHECK(page < PAGES && column + bytes <= PAGE + SPARE);
    if (self->left == 0) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    self->reads += 1;
    memcpy(out, self->bytes[page] + column, bytes);
    return WL_RTFS_FLASH_OK;
}

/* Whether the power fails at this operation. */
static int nand_fails(nand *self)
{
    if (self->left > 0) {
        self->left -= 1;
    }
    return self->left == 0;
}

static int32_t nand_program(void *user, uint32_t page, uint32_t column, const void *data, size_t bytes)
{
    nand *self = user;
    const uint32_t block = page / BLOCK;
    const int32_t code = self->program_code;
    size_t i;
    CHECK(page < PAGES && column == 0 && bytes == PAGE + SPARE);
    CHECK(page % BLOCK >= self->next[block] && !self->is_bad[block]);
    if (self->left == 0) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    self->program_code = 0;
    self->next[block] = page % BLOCK + 1;
    self->programs += 1;
    for (i = 0; i < bytes; ++i) {
        if (i == bytes / 2 && (code != 0 || nand_fails(self))) {
            return code != 0 ? code : WL_RTFS_FLASH_POWER_LOST;
        }
        CHECK(self->bytes[page][i] == 0xFF);
        self->bytes[page][i] = ((const unsigned char *)data)[i];
    }
    return WL_RTFS_FLASH_OK;
}

/* A page of the register is programmed elsewhere, with other bytes in it. */
static int32_t nand_move(void *user, uint32_t from, uint32_t to, uint32_t column, const void *data, size_t bytes)
{
    nand *self = user;
    unsigned char page[PAGE + SPARE];
    CHECK(from < PAGES && column >= PAGE && column + bytes <= PAGE + SPARE);
    memcpy(page, self->bytes[from], sizeof page);
    memcpy(page + column, data, bytes);
    self->moves += 1;
    return nand_program(user, to, 0, page, sizeof page);
}

static int32_t nand_erase(void *user, uint32_t block)
{
    nand *self = user;
    const int32_t code = self->erase_code;
    CHECK(block < BLOCKS && !self->is_bad[block]);
    if (self->left == 0) {
        return WL_RTFS_FLASH_POWER_LOST;
    }
    self->erase_code = 0;
    self->erases += 1;
    if (code != 0) {
        return code;
    }
    if (nand_fails(self)) {
        memset(self->bytes[block * BLOCK], 0xFF, (PAGE + SPARE) * BLOCK / 2);
        self->next[block] = BLOCK;
        return WL_RTFS_FLASH_POWER_LOST;
    }
    memset(self->bytes[block * BLOCK], 0xFF, (PAGE + SPARE) * BLOCK);
    self->next[block] = 0;
    return WL_RTFS_FLASH_OK;
}

static int32_t nand_is_bad(void *user, uint32_t block)
{
    CHECK(block < BLOCKS);
    return ((nand *)user)->is_bad[block];
}

static int32_t nand_mark_bad(void *user, uint32_t block)
{
    CHECK(block < BLOCKS);
    ((nand *)user)->is_bad[block] = 1;
    return WL_RTFS_FLASH_OK;
}

#endif
