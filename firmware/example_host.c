/* Records a few pretended accesses on a host and writes the stream to standard output:
 *
 *     cc -std=c99 -o example firmware/example_host.c && ./example > capture.wlr
 *
 * On a microcontroller `pretend` is the driver, the counter is the hardware's, and `put` writes to a UART.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "wordline_recorder.h"

/* A counter that nobody has to wait for: 480 MHz, 32 bits, and close to its first wrap. */
static uint32_t cycles = 0xFFFF0000u;

#define WLR_NOW() (cycles)

static void pretend(uint32_t microseconds)
{
    cycles += microseconds * 480u;
}

static size_t put(void *file, const uint8_t *data, size_t length)
{
    return fwrite(data, 1, length, (FILE *)file);
}

int main(void)
{
    static uint32_t ring[256];
    static wlr_recorder rec;
    uint32_t i;

    if (!wlr_init(&rec, ring, sizeof ring, 480000000u, 32u)) {
        return 1;
    }
    for (i = 0; i < 20u; i++) {
        uint64_t begun = WLR_BEGIN(&rec);
        pretend(i == 13u ? 400u : 12u); /* once the memory is busy with something else */
        WLR_END_AT(&rec, begun, WLR_WRITE, 256u, i * 256u);

        begun = WLR_BEGIN(&rec);
        pretend(3u);
        WLR_END_AT(&rec, begun, WLR_READ, 64u, i * 256u);

        pretend(1000u);
        WLR_TICK(&rec);
        (void)wlr_drain_to(&rec, put, stdout); /* between accesses, where nothing is measured */
    }
    return 0;
}
