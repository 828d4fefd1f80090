/* Declarations of the few names of Zephyr's kernel that the glue uses, written for its test: this is not Zephyr. */
#ifndef TEST_ZEPHYR_KERNEL_H
#define TEST_ZEPHYR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define CONFIG_WORDLINE_RTFS_FILES 2
#define CONFIG_WORDLINE_RTFS_DIRS 1
#define CONFIG_KERNEL_INIT_PRIORITY_DEFAULT 40

typedef int k_timeout_t;
#define K_FOREVER (-1)
#define K_NO_WAIT 0

struct k_mutex {
    int depth;
};

int k_mutex_init(struct k_mutex *mutex);
int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout);
int k_mutex_unlock(struct k_mutex *mutex);

struct k_mem_slab {
    char *buffer;
    size_t size;
    unsigned count, used;
};

#define K_MEM_SLAB_DEFINE_STATIC(name, slab_size, slab_count, slab_align)                     \
    static uint64_t name##_buffer[((slab_size) + 7) / 8 * (slab_count)];                      \
    static struct k_mem_slab name = {(char *)name##_buffer, (slab_size), (slab_count), 0}

int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout);
void k_mem_slab_free(struct k_mem_slab *slab, void *mem);

#endif
