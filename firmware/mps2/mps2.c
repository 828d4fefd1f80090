/* The board MPS2 with a Cortex-M4 or M7, as QEMU has it (mps2-an386, mps2-an500): start, semihosting, reset. */
#include "board.h"

#define STACK_PAINT 0xA5A5A5A5u

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];

int main(void);

void reset_handler(void) __attribute__((noreturn));
void fault_handler(void) __attribute__((noreturn));

typedef struct vectors {
    uint32_t *stack;
    void (*handlers[15])(void);
} vectors;

__attribute__((section(".vectors"), used)) static const vectors table = {
    stack_top,
    {reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, 0, 0, 0, 0, fault_handler,
     fault_handler, 0, fault_handler, fault_handler},
};

/* Ordinary RAM and the stack are overwritten, so that nothing of the run before can help. */
void reset_handler(void)
{
    volatile uint32_t *coprocessors = (volatile uint32_t *)0xE000ED88u;
    volatile uint32_t *to;
    const uint32_t *from = data_load;
    uint32_t *stack;

    /* The floating-point unit, which code for the hard-float interface may use. */
    *coprocessors |= 0xFu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
    for (to = data_start; to < data_end; ++to) {
        *to = *from++;
    }
    for (to = bss_start; to < bss_end; ++to) {
        *to = 0;
    }
    __asm__ volatile("mov %0, sp" : "=r"(stack));
    for (to = bss_end; to < stack; ++to) {
        *to = STACK_PAINT;
    }
    board_exit(main());
}

void fault_handler(void)
{
    board_print("fault\n");
    board_exit(2);
}

static uint32_t semihosting(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_print(const char *text)
{
    semihosting(0x04, text);
}

void board_print_number(uint32_t number)
{
    char text[11];
    char *at = text + sizeof text - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    board_print(at);
}

uint32_t board_stack_used(void)
{
    const volatile uint32_t *at = bss_end;
    while (at < stack_top && *at == STACK_PAINT) {
        ++at;
    }
    return (uint32_t)(stack_top - at) * 4u;
}

void board_reset(void)
{
    volatile uint32_t *control = (volatile uint32_t *)0xE000ED0Cu;
    __asm__ volatile("dsb" ::: "memory");
    *control = 0x05FA0004u;
    for (;;) {
    }
}

void board_exit(int status)
{
    const uint32_t reason[2] = {0x20026u, (uint32_t)status};
    semihosting(0x20, reason);
    for (;;) {
    }
}
