/* A firmware example on a host: each start is a process of its own, to which only the memory KEPT is handed on. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define main device
#include "power_cuts.c"
#undef main

#define RESET 77
#define STARTS_MAX 1000

static struct {
    unsigned char test[sizeof test];
    unsigned char memory[sizeof KEPT];
} *kept;

void board_print(const char *text)
{
    fputs(text, stdout);
    fflush(stdout);
}

void board_print_number(uint32_t number)
{
    printf("%lu", (unsigned long)number);
    fflush(stdout);
}

uint32_t board_stack_used(void)
{
    return 0;
}

void board_exit(int status)
{
    _exit(status);
}

void board_reset(void)
{
    memcpy(kept->test, &test, sizeof test);
    memcpy(kept->memory, KEPT, sizeof KEPT);
    _exit(RESET);
}

int main(void)
{
    int starts, status = 0;
    kept = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED) {
        return 1;
    }
    for (starts = 0; starts < STARTS_MAX; ++starts) {
        const pid_t child = fork();
        if (child == 0) {
            memcpy(&test, kept->test, sizeof test);
            memcpy(KEPT, kept->memory, sizeof KEPT);
            _exit(device());
        }
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
            return 1;
        }
        if (WEXITSTATUS(status) != RESET) {
            return WEXITSTATUS(status);
        }
    }
    return 1;
}
