/* Drives the recorder by a script on standard input and writes its stream to standard output. For each record
 * it writes 1 or 0 to standard error: whether it was stored. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WLR_USE_DWT
#include "wordline_recorder.h"

struct line {
    size_t limit;
};

static size_t put(void *ctx, const uint8_t *data, size_t length)
{
    struct line *line = (struct line *)ctx;
    size_t taken = length < line->limit ? length : line->limit;
    line->limit -= taken;
    return fwrite(data, 1, taken, stdout);
}

static void drain(wlr_recorder *rec, size_t piece)
{
    uint8_t *out = (uint8_t *)malloc(piece);
    size_t length;
    if (out == NULL) {
        exit(3);
    }
    while ((length = wlr_drain(rec, out, piece)) > 0) {
        fwrite(out, 1, length, stdout);
    }
    free(out);
}

int main(void)
{
    static wlr_recorder rec;
    static uint64_t begun[4];
    uint32_t *ring = NULL;
    char command[16];
    uint64_t a, b, c, d, e;
    while (scanf("%15s", command) == 1) {
        if (strcmp(command, "init") == 0 && scanf("%" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &c) == 3) {
            free(ring);
            /* Exactly as long as it claims to be, so that a sanitizer sees every step outside. */
            ring = (uint32_t *)malloc((size_t)a * 4u);
            if (!wlr_init(&rec, ring, (size_t)a * 4u, (uint32_t)b, (uint32_t)c)) {
                fprintf(stderr, "refused\n");
            }
        } else if (strcmp(command, "b") == 0 && scanf("%" SCNu64 " %" SCNu64, &a, &b) == 2) {
            begun[a & 3] = wlr_begin(&rec, b);
        } else if (strcmp(command, "e") == 0 &&
                   scanf("%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &c, &d) == 4) {
            fprintf(stderr, "%d\n", wlr_end(&rec, begun[a & 3], b, (uint32_t)c, (uint32_t)d) ? 1 : 0);
        } else if (strcmp(command, "E") == 0 &&
                   scanf("%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &c, &d, &e) == 5) {
            fprintf(stderr, "%d\n", wlr_end_at(&rec, begun[a & 3], b, (uint32_t)c, (uint32_t)d, e) ? 1 : 0);
        } else if (strcmp(command, "t") == 0 && scanf("%" SCNu64, &a) == 1) {
            wlr_tick(&rec, a);
        } else if (strcmp(command, "T") == 0 && scanf("%" SCNu64 " %" SCNu64, &a, &b) == 2) {
            (void)wlr_tick_checked(&rec, a, (uint32_t)b);
        } else if (strcmp(command, "announce") == 0) {
            wlr_announce(&rec);
        } else if (strcmp(command, "drain") == 0 && scanf("%" SCNu64, &a) == 1) {
            drain(&rec, (size_t)a);
        } else if (strcmp(command, "piece") == 0 && scanf("%" SCNu64, &a) == 1) {
            uint8_t out[256];
            fwrite(out, 1, wlr_drain(&rec, out, (size_t)(a & 255u)), stdout);
        } else if (strcmp(command, "put") == 0 && scanf("%" SCNu64, &a) == 1) {
            struct line line;
            line.limit = (size_t)a;
            (void)wlr_drain_to(&rec, put, &line);
        } else if (strcmp(command, "noise") == 0) {
            printf("[boot] clock 480 MHz\r\n");
        } else {
            fprintf(stderr, "no command: %s\n", command);
            return 2;
        }
    }
    free(ring);
    return 0;
}
