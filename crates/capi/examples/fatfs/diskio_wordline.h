/* FatFs on simulated memories: which memory a physical drive is. */
#ifndef DISKIO_WORDLINE_H
#define DISKIO_WORDLINE_H

#include "wordline_memory.h"

/* Drives that can be there. */
#define DISKIO_WORDLINE_DRIVES 4

/* Lets drive `pdrv` be a memory, which stays the caller's, or nothing with NULL. The drive then has to be initialized.
 *
 * A byte memory, a card among them, has sectors of 512 bytes. Of flash, a sector is a block, of 512 to 4096 bytes, that
 * is erased and programmed whole for each write: a file system on NOR without a layer below, where a power loss in a
 * write takes the sector. Set FF_MAX_SS to 4096 then. NAND has larger blocks, and needs a translation layer: see the
 * example of Dhara. -1 where the memory does not fit. */
int diskio_wordline_attach(unsigned char pdrv, wl_memory *memory);

#endif
