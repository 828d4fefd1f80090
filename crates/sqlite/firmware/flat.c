/* flat on the memory: its functions are those of the crate beside. */
#include <string.h>

#include "count.h"

int flat_begin(uint32_t bytes);
uint32_t flat_records(void);
int flat_open(uint32_t file, const char *name, int creates);
int flat_close(uint32_t file);
int32_t flat_read(uint32_t file, uint32_t at, void *out, uint32_t bytes);
int flat_write(uint32_t file, uint32_t at, const void *data, uint32_t bytes);
int flat_truncate(uint32_t file, uint32_t bytes);
int flat_sync(uint32_t file);
int flat_remove(const char *name);
int32_t flat_length(const char *name);

void memory_read(uint32_t at, void *out, uint32_t bytes)
{
    enum layer before = enter(MEMORY_BELOW);
    memcpy(out, memory + at, bytes);
    below.reads += 1;
    below.read_bytes += bytes;
    enter(before);
}

void memory_write(uint32_t at, const void *data, uint32_t bytes)
{
    enum layer before = enter(MEMORY_BELOW);
    memcpy(memory + at, data, bytes);
    below.writes += 1;
    below.written_bytes += bytes;
    enter(before);
}

/* A memory of so many bytes is one block. */
static int begin(uint32_t block_bytes, uint32_t cache_bytes, uint32_t granule_bytes)
{
    (void)cache_bytes;
    (void)granule_bytes;
    return flat_begin(block_bytes);
}

const struct file_system flat_files = {
    "flat", begin, flat_open, flat_close, flat_read, flat_write, flat_truncate, flat_sync, flat_remove, flat_length,
    flat_records,
};
