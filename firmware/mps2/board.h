/* The little of a board that the examples need. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Where a variable lies that resets and power cuts leave alone; nobody sets it at the start. */
#define BOARD_KEPT __attribute__((section(".kept")))

/* Text for whoever watches. */
void board_print(const char *text);
void board_print_number(uint32_t number);

/* Bytes of the stack that were used since the start. */
uint32_t board_stack_used(void);

/* Starts over as after a power cut: registers and ordinary RAM are lost, what BOARD_KEPT marks is not. */
void board_reset(void) __attribute__((noreturn));

/* The end; 0 is success. */
void board_exit(int status) __attribute__((noreturn));

#endif
