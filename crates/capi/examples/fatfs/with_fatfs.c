/* FatFs on MRAM and NOR flash: a volume is made, a file written and read, also after a power loss between two files.
 * Needs FatFs's sources, with FF_USE_MKFS 1 and FF_MAX_SS 4096. */
#include "ff.h"

#include "diskio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diskio_wordline.h"

static void check(int holds, const char *what, int result)
{
    if (!holds) {
        fprintf(stderr, "failed: %s: %d: %s\n", what, result, wl_memory_message());
        exit(1);
    }
}

static FRESULT store(const char *name, BYTE fill)
{
    static BYTE data[9000];
    FIL file;
    UINT written = 0;
    FRESULT result = f_open(&file, name, FA_WRITE | FA_CREATE_ALWAYS), closed;
    memset(data, fill, sizeof data);
    if (result != FR_OK) {
        return result;
    }
    result = f_write(&file, data, sizeof data, &written);
    closed = f_close(&file);
    return result != FR_OK ? result : written != sizeof data ? FR_DENIED : closed;
}

static void read_back(const char *name, BYTE fill)
{
    static BYTE data[9001];
    FIL file;
    UINT found = 0, i;
    FRESULT result = f_open(&file, name, FA_READ);
    check(result == FR_OK, "open", (int)result);
    result = f_read(&file, data, sizeof data, &found);
    check(result == FR_OK && found == 9000, "read", (int)result);
    for (i = 0; i < found; i++) {
        check(data[i] == fill, "bytes", (int)i);
    }
    f_close(&file);
}

static void run(const char *target)
{
    static BYTE work[8192];
    static FATFS volume;
    MKFS_PARM format = {FM_ANY | FM_SFD, 0, 0, 0, 0};
    wl_memory_options options;
    wl_memory *memory;
    wl_memory_cut cut;
    FRESULT result;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_MEMORY_ABI;
    options.target = target;
    check(wl_memory_create(&options, &memory) == WL_MEMORY_OK, target, 0);
    check(diskio_wordline_attach(0, memory) == 0, "attach", 0);
    result = f_mkfs("", &format, work, sizeof work);
    check(result == FR_OK, "mkfs", (int)result);
    result = f_mount(&volume, "", 1);
    check(result == FR_OK, "mount", (int)result);
    result = store("first", 0x11);
    check(result == FR_OK, "store", (int)result);
    memset(&cut, 0, sizeof cut);
    cut.size = sizeof cut;
    cut.operations = 3;
    check(wl_memory_cut_power(memory, &cut) == WL_MEMORY_OK, "cut_power", 0);
    result = store("second", 0x22);
    check(result == FR_NOT_READY || result == FR_DISK_ERR || result == FR_INVALID_OBJECT, "the power goes", (int)result);
    result = f_mount(&volume, "", 1); /* it initializes the drive, which gives it power */
    check(result == FR_OK, "mount again", (int)result);
    read_back("first", 0x11);
    result = store("second", 0x33);
    check(result == FR_OK, "store again", (int)result);
    read_back("second", 0x33);
    f_mount(NULL, "", 0);
    diskio_wordline_attach(0, NULL);
    wl_memory_free(memory);
}

int main(void)
{
    run("mr25h40");
    run("mt25ql128");
    puts("ok");
    return 0;
}
