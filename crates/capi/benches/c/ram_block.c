#include "ram_block.h"

#include <string.h>

int ram_block_read(struct ram_block *device, uint64_t at, void *out, uint64_t bytes)
{
    if (at > device->length || bytes > device->length - at) return -22;
    memcpy(out, device->bytes + at, bytes);
    device->reads += 1;
    device->bytes_read += bytes;
    return 0;
}

int ram_block_write(struct ram_block *device, uint64_t at, const void *data, uint64_t bytes)
{
    if (at > device->length || bytes > device->length - at) return -22;
    memcpy(device->bytes + at, data, bytes);
    device->writes += 1;
    device->bytes_written += bytes;
    return 0;
}

int ram_block_erase(struct ram_block *device, uint64_t at, uint64_t bytes)
{
    if (at > device->length || bytes > device->length - at) return -22;
    memset(device->bytes + at, 0xFF, bytes);
    device->erases += 1;
    return 0;
}
