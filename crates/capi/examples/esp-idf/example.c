/* Two partitions of ESP-IDF on one NOR flash: written, mapped, cut, read again, and kept apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esp_partition_wordline.h"

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s: %s\n", what, wl_memory_message());
        exit(1);
    }
}

int main(void)
{
    const esp_partition_type_t data = ESP_PARTITION_TYPE_DATA;
    const esp_partition_subtype_t any = ESP_PARTITION_SUBTYPE_ANY;
    const esp_partition_t *nvs, *log;
    esp_partition_mmap_handle_t handle;
    const void *mapped;
    char text[16] = "";
    wl_memory_options options;
    wl_memory_cut cut;
    wl_memory *memory;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = "mt25ql128";
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, "create");
    check(esp_partition_wordline_add(memory, 0x9000, 0x6000, "nvs", data, ESP_PARTITION_SUBTYPE_DATA_NVS) == ESP_OK, "add");
    check(esp_partition_wordline_add(memory, 0x10000, 0x10000, "log", data, (esp_partition_subtype_t)0x40) == ESP_OK, "add");
    check(esp_partition_wordline_add(memory, 0xE000, 0x4000, "over", data, any) == ESP_ERR_INVALID_ARG, "it is taken");
    check(esp_partition_wordline_add(memory, 0x9001, 0x1000, "odd", data, any) == ESP_ERR_INVALID_ARG, "unaligned");
    check(esp_partition_wordline_add(memory, 0xFFF000, 0x2000, "far", data, any) == ESP_ERR_INVALID_SIZE, "too far");

    nvs = esp_partition_find_first(data, ESP_PARTITION_SUBTYPE_DATA_NVS, NULL);
    log = esp_partition_find_first(ESP_PARTITION_TYPE_ANY, any, "log");
    check(nvs && log && nvs->erase_size == 4096 && log->address == 0x10000, "find");
    check(esp_partition_find_first(data, any, "none") == NULL, "there is none");
    check(esp_partition_erase_range(log, 0, 0x10000) == ESP_OK, "erase");
    check(esp_partition_write(log, 100, "wordline", 9) == ESP_OK, "write");
    check(esp_partition_read(log, 100, text, 9) == ESP_OK && strcmp(text, "wordline") == 0, "read");
    check(wl_memory_read(memory, 0x10000 + 100, text, 9) == WL_MEMORY_OK && strcmp(text, "wordline") == 0, "the place");
    check(esp_partition_read(log, 0xFFFF, text, 2) == ESP_ERR_INVALID_SIZE, "out of bounds");
    check(esp_partition_write(log, 0x10001, text, 1) == ESP_ERR_INVALID_ARG, "behind it");
    check(esp_partition_erase_range(log, 16, 4096) == ESP_ERR_INVALID_ARG, "an erase that is not aligned");
    check(esp_partition_erase_range(log, 0, 16) == ESP_ERR_INVALID_SIZE, "an erase of a part");
    check(esp_partition_mmap(log, 100, 9, ESP_PARTITION_MMAP_DATA, &mapped, &handle) == ESP_OK, "mmap");
    check(strcmp(mapped, "wordline") == 0, "mapped");
    esp_partition_munmap(handle);

    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = 2;
    cut.tear = WL_MEMORY_CUT_TORN;
    check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut_power");
    check(esp_partition_erase_range(nvs, 0, 4096) == ESP_OK, "one erase goes well");
    check(esp_partition_write(nvs, 0, "half", 5) == ESP_ERR_INVALID_STATE, "the power goes in a program");
    check(wl_memory_power_up(memory) == WL_MEMORY_OK, "power_up");
    check(esp_partition_read(log, 100, text, 9) == ESP_OK && strcmp(text, "wordline") == 0, "the other one stays");
    check(esp_partition_erase_range(nvs, 0, 4096) == ESP_OK && esp_partition_write(nvs, 0, "whole", 6) == ESP_OK, "again");
    check(esp_partition_read_raw(nvs, 0, text, 6) == ESP_OK && strcmp(text, "whole") == 0, "and it holds");
    esp_partition_wordline_clear();
    check(esp_partition_find_first(data, any, NULL) == NULL, "cleared");
    wl_memory_free(memory);
    puts("ok");
    return 0;
}
