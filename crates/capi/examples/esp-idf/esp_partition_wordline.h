/* Partitions of ESP-IDF on simulated flash: for its target "linux", in place of its own partition_linux.c. */
#ifndef ESP_PARTITION_WORDLINE_H
#define ESP_PARTITION_WORDLINE_H

#include "esp_partition.h"
#include "wordline_memory.h"

/* Partitions that can be there, and regions of them that can be mapped together. */
#define ESP_PARTITION_WORDLINE_COUNT 16

/* Adds a partition on a memory, which stays the caller's. Address and size are multiples of the memory's erase.
 * ESP_ERR_INVALID_ARG for a memory that is no NOR flash, or a place that is taken; ESP_ERR_INVALID_SIZE for one that it
 * does not have; ESP_ERR_NO_MEM for one too many. */
esp_err_t esp_partition_wordline_add(wl_memory *memory, uint32_t address, uint32_t size, const char *label,
                                     esp_partition_type_t type, esp_partition_subtype_t subtype);

/* Takes all partitions away, and unmaps all. */
void esp_partition_wordline_clear(void);

#endif
