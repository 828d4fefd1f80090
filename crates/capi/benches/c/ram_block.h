/* A block device in memory, as storage software in C is tested on: what a simulated memory is compared with. */
#ifndef RAM_BLOCK_H
#define RAM_BLOCK_H

#include <stdint.h>

struct ram_block {
    unsigned char *bytes;
    uint64_t length, reads, writes, erases, bytes_read, bytes_written;
};

int ram_block_read(struct ram_block *device, uint64_t at, void *out, uint64_t bytes);
int ram_block_write(struct ram_block *device, uint64_t at, const void *data, uint64_t bytes);
int ram_block_erase(struct ram_block *device, uint64_t at, uint64_t bytes);

#endif
