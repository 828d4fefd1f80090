/* Prints the version of the library that it finds. */
#include <stdio.h>

#include "wordline_memory.h"

int main(void)
{
    printf("%u\n", (unsigned)wl_memory_abi());
    return 0;
}
