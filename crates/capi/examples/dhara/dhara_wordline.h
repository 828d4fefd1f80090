/* Dhara's NAND functions over wordline_memory.h: which memory a chip is. */
#ifndef DHARA_WORDLINE_H
#define DHARA_WORDLINE_H

#include "dhara/nand.h"
#include "wordline_memory.h"

/* Chips that can be attached together. */
#define DHARA_WORDLINE_CHIPS 8

/* Fills in what Dhara asks about a NAND memory. -1 where it is none, or its pages or blocks are no power of two. */
int dhara_wordline_shape(wl_memory *memory, struct dhara_nand *nand);

/* Lets a chip of Dhara be a memory, which stays the caller's, or no longer with NULL. A page of Dhara is a page of the
 * memory, and may be smaller; a block of it may have fewer pages, and there may be fewer. -1 where it does not fit. */
int dhara_wordline_attach(const struct dhara_nand *nand, wl_memory *memory);

#endif
