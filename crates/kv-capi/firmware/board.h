/* The little of a board that the example needs. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Where a variable lies that resets and power cuts leave alone; nobody sets it at the start. */
#define BOARD_MRAM __attribute__((section(".mram")))

/* Text for whoever watches. */
void board_print(const char *text);
void board_print_number(uint32_t number);

/* Bytes of the stack that were used since the start. */
uint32_t board_stack_used(void);

/* Starts over as after a power cut: registers and ordinary RAM are lost, what BOARD_MRAM marks is not. */
void board_reset(void) __attribute__((noreturn));

/* The end; 0 is success. */
void board_exit(int status) __attribute__((noreturn));

#endif
