/* Partitions of ESP-IDF on simulated flash. See esp_partition_wordline.h.
 *
 * There are no iterators, hashes and external chips: what reads and writes partitions, such as NVS, wear levelling and
 * SPIFFS, needs none. A mapped region shows the flash as it was when it was mapped. */
#include "esp_partition_wordline.h"

#include <stdlib.h>
#include <string.h>

static struct entry {
    esp_partition_t partition;
    wl_memory *memory; /* NULL: this entry is free */
} entries[ESP_PARTITION_WORDLINE_COUNT];

static void *maps[ESP_PARTITION_WORDLINE_COUNT];

static esp_err_t result_of(wl_memory_status status)
{
    switch (status) {
    case WL_MEMORY_OK:
        return ESP_OK;
    case WL_MEMORY_BAD_ARGUMENT:
    case WL_MEMORY_MISUSE:
        return ESP_ERR_INVALID_ARG;
    case WL_MEMORY_OUT_OF_RANGE:
        return ESP_ERR_INVALID_SIZE;
    case WL_MEMORY_POWER_LOST:
        return ESP_ERR_INVALID_STATE;
    default:
        return ESP_FAIL;
    }
}

esp_err_t esp_partition_wordline_add(wl_memory *memory, uint32_t address, uint32_t size, const char *label,
                                     esp_partition_type_t type, esp_partition_subtype_t subtype)
{
    struct entry *entry = NULL;
    wl_memory_info info;
    int i;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (wl_memory_get_info(memory, &info) != WL_MEMORY_OK || info.kind != WL_MEMORY_FLASH || info.programs_per_page != 0
            || size == 0 || address % info.block_bytes != 0 || size % info.block_bytes != 0
            || strlen(label) >= sizeof entry->partition.label) {
        return ESP_ERR_INVALID_ARG;
    }
    if ((uint64_t)address + size > info.bytes) {
        return ESP_ERR_INVALID_SIZE;
    }
    for (i = 0; i < ESP_PARTITION_WORDLINE_COUNT; i++) {
        const esp_partition_t *other = &entries[i].partition;
        if (!entries[i].memory) {
            entry = entry ? entry : &entries[i];
        } else if (entries[i].memory == memory && address < (uint64_t)other->address + other->size
                   && other->address < (uint64_t)address + size) {
            return ESP_ERR_INVALID_ARG;
        }
    }
    if (!entry) {
        return ESP_ERR_NO_MEM;
    }
    memset(entry, 0, sizeof *entry);
    entry->memory = memory;
    entry->partition.type = type;
    entry->partition.subtype = subtype;
    entry->partition.address = address;
    entry->partition.size = size;
    entry->partition.erase_size = (uint32_t)info.block_bytes;
    memcpy(entry->partition.label, label, strlen(label));
    return ESP_OK;
}

void esp_partition_wordline_clear(void)
{
    int i;
    memset(entries, 0, sizeof entries);
    for (i = 0; i < ESP_PARTITION_WORDLINE_COUNT; i++) {
        free(maps[i]);
        maps[i] = NULL;
    }
}

const esp_partition_t *esp_partition_find_first(esp_partition_type_t type, esp_partition_subtype_t subtype,
                                                const char *label)
{
    int i;
    for (i = 0; i < ESP_PARTITION_WORDLINE_COUNT; i++) {
        const esp_partition_t *partition = &entries[i].partition;
        if (entries[i].memory && (type == ESP_PARTITION_TYPE_ANY || type == partition->type)
                && (subtype == ESP_PARTITION_SUBTYPE_ANY || subtype == partition->subtype)
                && (!label || strcmp(label, partition->label) == 0)) {
            return partition;
        }
    }
    return NULL;
}

/* The entry of a partition, which may be a copy of the caller's. */
static const struct entry *entry_of(const esp_partition_t *partition)
{
    int i;
    for (i = 0; partition && i < ESP_PARTITION_WORDLINE_COUNT; i++) {
        const esp_partition_t *known = &entries[i].partition;
        if (entries[i].memory && known->address == partition->address && known->size == partition->size
                && known->type == partition->type && known->subtype == partition->subtype
                && strcmp(known->label, partition->label) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}

const esp_partition_t *esp_partition_verify(const esp_partition_t *partition)
{
    const struct entry *entry = entry_of(partition);
    return entry ? &entry->partition : NULL;
}

/* Whether a partition has a range; which entry that is. */
static esp_err_t find(const esp_partition_t *partition, size_t offset, size_t size, const struct entry **entry)
{
    *entry = entry_of(partition);
    if (!*entry || offset > partition->size) {
        return ESP_ERR_INVALID_ARG;
    }
    return size > partition->size - offset ? ESP_ERR_INVALID_SIZE : ESP_OK;
}

esp_err_t esp_partition_read(const esp_partition_t *partition, size_t src_offset, void *dst, size_t size)
{
    const struct entry *entry;
    esp_err_t err = find(partition, src_offset, size, &entry);
    return err != ESP_OK ? err : result_of(wl_memory_read(entry->memory, partition->address + src_offset, dst, size));
}

esp_err_t esp_partition_write(const esp_partition_t *partition, size_t dst_offset, const void *src, size_t size)
{
    const struct entry *entry;
    esp_err_t err = find(partition, dst_offset, size, &entry);
    return err != ESP_OK ? err
                         : result_of(wl_memory_program(entry->memory, partition->address + dst_offset, src, size));
}

/* Nothing is encrypted. */
esp_err_t esp_partition_read_raw(const esp_partition_t *partition, size_t src_offset, void *dst, size_t size)
{
    return esp_partition_read(partition, src_offset, dst, size);
}

esp_err_t esp_partition_write_raw(const esp_partition_t *partition, size_t dst_offset, const void *src, size_t size)
{
    return esp_partition_write(partition, dst_offset, src, size);
}

esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size)
{
    const struct entry *entry;
    esp_err_t err = find(partition, offset, size, &entry);
    if (err != ESP_OK) {
        return err;
    }
    if (offset % partition->erase_size != 0) {
        return ESP_ERR_INVALID_ARG;
    }
    if (size % partition->erase_size != 0) {
        return ESP_ERR_INVALID_SIZE;
    }
    return size == 0 ? ESP_OK : result_of(wl_memory_erase_range(entry->memory, partition->address + offset, size, 0));
}

esp_err_t esp_partition_mmap(const esp_partition_t *partition, size_t offset, size_t size,
                             esp_partition_mmap_memory_t memory, const void **out_ptr,
                             esp_partition_mmap_handle_t *out_handle)
{
    const struct entry *entry;
    esp_err_t err = find(partition, offset, size, &entry);
    uint32_t i = 0;
    (void)memory;
    if (err != ESP_OK) {
        return err;
    }
    while (i < ESP_PARTITION_WORDLINE_COUNT && maps[i]) {
        i += 1;
    }
    if (i == ESP_PARTITION_WORDLINE_COUNT || !(maps[i] = malloc(size ? size : 1))) {
        return ESP_ERR_NO_MEM;
    }
    /* Through the cache of the processor: how long that takes follows from what the program reads, not from this. */
    err = result_of(wl_memory_peek(entry->memory, partition->address + offset, maps[i], size));
    if (err != ESP_OK) {
        free(maps[i]);
        maps[i] = NULL;
        return err;
    }
    *out_ptr = maps[i];
    *out_handle = i + 1;
    return ESP_OK;
}

void esp_partition_munmap(esp_partition_mmap_handle_t handle)
{
    if (handle > 0 && handle <= ESP_PARTITION_WORDLINE_COUNT) {
        free(maps[handle - 1]);
        maps[handle - 1] = NULL;
    }
}
