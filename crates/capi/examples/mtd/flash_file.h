/*
 * A flash as a plain file, page behind page, for tools that know MTD devices or files alone: mkfs.jffs2, mkfs.ubifs with
 * ubinize, nandsim, block2mtd over a loop device.
 *
 * Without spare areas a file holds the main areas alone, as `nanddump --bb=dumpbad` and `flashcp` have it; with them each
 * page is followed by its spare area, as with `--oob`. Bad blocks keep their place. No simulated time passes: it is what
 * a programmer does in the factory, or a probe on the board.
 */
#ifndef FLASH_FILE_H
#define FLASH_FILE_H

#include "wordline_memory.h"

/* The file could not be opened, read or written, or has another length than the flash. */
#define FLASH_FILE_ERROR 1

/* Writes what the cells of a flash hold: without ECC, of a block that a power cut left in doubt one reading. Returns a
 * wl_memory_status, or FLASH_FILE_ERROR. */
int flash_file_export(wl_memory *memory, const char *path, int with_spare);

/* Lets the cells hold a file. One that is shorter than the flash leaves the rest erased; its length must be a whole
 * number of pages. Bad blocks stay as they are, and what the file has for them is passed over, so that their marks
 * last. */
int flash_file_import(wl_memory *memory, const char *path, int with_spare);

#endif
