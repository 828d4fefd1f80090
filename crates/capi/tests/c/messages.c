/* What messages advise, and what is refused before it does harm: words that a caller can act on. */
#include <math.h>

#include "checks.h"

#define MS 1000000000u

static int says(const char *words)
{
    return strstr(wl_memory_message(), words) != NULL;
}

#define SAYS(words) CHECK(says(words))
#define SAYS_NOT(words) CHECK(!says(words))

static wl_memory *aged(const char *target)
{
    wl_memory_options options = options_for(target);
    options.ageing = 1;
    options.age = 0.5;
    options.celsius = 25;
    return made_with(&options);
}

static void shapes(void)
{
    wl_memory_options options = options_for("mt25ql128");
    wl_memory *fine = made_with(&options), *coarse, *other = made("mt29f1g01");
    options.erase_bytes = 65536;
    coarse = made_with(&options);
    IS(BAD_ARGUMENT, wl_memory_restore(fine, coarse));
    SAYS("block_bytes");
    SAYS("65536");
    SAYS("4096");
    IS(BAD_ARGUMENT, wl_memory_restore(fine, other));
    SAYS("mt29f1g01");
    OK(wl_memory_free(fine));
    OK(wl_memory_free(coarse));
    OK(wl_memory_free(other));
}

/* The message of WL_MEMORY_BUSY names what the caller can do with that call, on that chip, in that state. */
static void busy(void)
{
    wl_memory *nor = made("mt25ql128"), *nand = made("mt29f1g01"), *banked = made("mx25uw51245g");
    unsigned char byte = 0;
    OK(wl_memory_start_erase(nor, 0, 65536));
    IS(BUSY, wl_memory_read(nor, 1 << 20, &byte, 1));
    SAYS("wl_memory_read_suspending");
    SAYS_NOT("bank");
    IS(BUSY, wl_memory_program(nor, 1 << 20, &byte, 1));
    SAYS("wl_memory_suspend");
    SAYS_NOT("read");
    IS(BUSY, wl_memory_erase(nor, 64));
    SAYS("wl_memory_wait");
    SAYS_NOT("suspend");
    IS(BUSY, wl_memory_save(nor, "never-written"));
    SAYS("wl_memory_wait");
    SAYS_NOT("suspend");
    OK(wl_memory_suspend(nor));
    IS(BUSY, wl_memory_erase(nor, 64));
    SAYS("is suspended");
    SAYS("resumes it");
    SAYS_NOT("wl_memory_suspend it");
    OK(wl_memory_wait(nor));
    OK(wl_memory_start_erase(nor, 0, 65536));
    OK(wl_memory_advance(nor, 1000 * (uint64_t)MS));
    IS(BUSY, wl_memory_erase(nor, 64));
    SAYS("has ended");
    SAYS_NOT("suspend");
    SAYS_NOT("elsewhere");
    OK(wl_memory_start_erase(nand, 0, info_of(nand).block_bytes));
    IS(BUSY, wl_memory_read(nand, 1 << 20, &byte, 1));
    SAYS("wl_memory_wait");
    SAYS_NOT("suspend");
    OK(wl_memory_start_erase(banked, 0, 65536));
    IS(BUSY, wl_memory_read(banked, 65536, &byte, 1));
    SAYS("another bank");
    OK(wl_memory_free(nor));
    OK(wl_memory_free(nand));
    OK(wl_memory_free(banked));
}

static void cycles(void)
{
    wl_memory *memory = aged("mt29f2g08aad");
    uint64_t seen;
    IS(OUT_OF_RANGE, wl_memory_set_cycles(memory, 99999, 5));
    SAYS("unit 99999");
    SAYS("2048");
    IS(OUT_OF_RANGE, wl_memory_get_cycles(memory, UINT64_MAX, &seen));
    SAYS("18446744073709551615");
    OK(wl_memory_get_cycles(memory, 2047, &seen));
    IS(BAD_ARGUMENT, wl_memory_set_cycles(memory, 5, 10));
    SAYS("50000");
    SAYS_NOT("protocol");
    IS(BAD_ARGUMENT, wl_memory_set_cycles(memory, 5, UINT64_MAX));
    SAYS("4611686018427387904");
    SAYS_NOT("protocol");
    IS(BAD_ARGUMENT, wl_memory_keep(memory, (double)INFINITY, 25));
    SAYS("seconds inf");
    SAYS_NOT("dwell");
    IS(BAD_ARGUMENT, wl_memory_keep(memory, (double)NAN, 25));
    IS(BAD_ARGUMENT, wl_memory_set_environment(memory, 25, (double)INFINITY));
    SAYS("dwell_s");
    OK(wl_memory_free(memory));
}

static void of_bytes(void)
{
    wl_memory *memory = made("em064lx");
    wl_memory_health health;
    health.size = sizeof health;
    IS(UNSUPPORTED, wl_memory_get_health(memory, 0, &health));
    SAYS_NOT("write it");
    SAYS("no blocks");
    IS(UNSUPPORTED, wl_memory_set_fault(memory, 0, WL_MEMORY_READ_ERROR));
    SAYS("wl_memory_add_fault");
    IS(UNSUPPORTED, wl_memory_erase(memory, 0));
    SAYS("no pages and blocks");
    OK(wl_memory_free(memory));
}

/* The call that the power takes away says which operation that was, and when. */
static void cuts(void)
{
    wl_memory *memory = made("mt25ql128");
    wl_memory_cut cut = cut_of(2, WL_MEMORY_CUT_TORN, 0);
    OK(wl_memory_cut_power(memory, &cut));
    OK(wl_memory_erase(memory, 7));
    IS(POWER_LOST, wl_memory_program(memory, 7 * 4096 + 256, "abc", 3));
    SAYS("the program of 3 bytes in page 113 from column 0 on");
    SAYS("was cut at");
    IS(POWER_LOST, wl_memory_erase(memory, 7));
    SAYS("is off");
    OK(wl_memory_power_up(memory));
    cut.operations = 1;
    OK(wl_memory_cut_power(memory, &cut));
    IS(POWER_LOST, wl_memory_erase(memory, 9));
    SAYS("the erase of block 9");
    OK(wl_memory_power_up(memory));
    cut.operations = 0;
    cut.time_ps = wl_memory_now(memory) + 5;
    OK(wl_memory_cut_power(memory, &cut));
    IS(POWER_LOST, wl_memory_advance(memory, MS));
    SAYS("while time passed");
    OK(wl_memory_free(memory));
}

/* Parts that age are named, and not the keys of a sheet. */
static void ageing(void)
{
    static const char *const targets[] = {"w25n01gv", "em064lx"};
    wl_memory_options options;
    wl_memory_ideal ideal = ideal_of(WL_MEMORY_IDEAL_NOR, 1, 1, 4096, 8);
    wl_memory *memory = NULL;
    size_t i;
    for (i = 0; i < 2; i++) {
        options = options_for(targets[i]);
        options.ageing = 1;
        IS(UNSUPPORTED, wl_memory_create(&options, &memory));
        SAYS(targets[i]);
        SAYS("mt25ql128");
        SAYS("mt29f2g08aad");
        SAYS_NOT("interface_share");
        SAYS_NOT("em064lx, ");
        options.ageing = 0;
        memory = made_with(&options);
        IS(UNSUPPORTED, wl_memory_set_environment(memory, 25, 0));
        SAYS("mt25ql128");
        OK(wl_memory_free(memory));
    }
    memory = made_ideal(&ideal);
    IS(UNSUPPORTED, wl_memory_keep(memory, 1, 25));
    SAYS("mt25ql128");
    OK(wl_memory_free(memory));
}

/* What cannot be meant is refused, also where it would have no effect. */
static void options_out_of_range(void)
{
    wl_memory_options options = options_for("mt29f1g01");
    wl_memory *memory = NULL;
    options.erase_bytes = 4096;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    SAYS("erase_bytes 4096");
    options.erase_bytes = 131072;
    OK(wl_memory_create(&options, &memory));
    OK(wl_memory_free(memory));
    options.erase_bytes = 0;
    options.celsius = 500;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    SAYS("500");
    options.celsius = (double)NAN;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    options.celsius = 125;
    options.dwell_s = -1;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    SAYS("dwell_s");
    options = options_for("em064lx");
    options.erase_bytes = 4096;
    IS(BAD_ARGUMENT, wl_memory_create(&options, &memory));
    SAYS("erase_bytes");
    CHECK(memory == NULL);
}

/* The free parts of a spare area take programs, and the columns beside them do not. */
static void free_ranges(const char *target, uint32_t first, uint32_t length, uint64_t count)
{
    wl_memory *memory = made(target);
    wl_memory_info info = info_of(memory);
    static unsigned char bytes[4096];
    uint32_t column, size, end = 0;
    uint64_t i;
    memset(bytes, 0, sizeof bytes);
    CHECK(info.free_ranges == count);
    for (i = 0; i < count; i++) {
        OK(wl_memory_get_free_range(memory, i, &column, &size));
        CHECK(size > 0 && column + size <= info.spare_bytes && (i == 0 || column > end));
        if (i == 0) CHECK(column == first && size == length);
        end = column + size;
        OK(wl_memory_program_spare(memory, 2 * (uint32_t)i + 1, column, bytes, size));
        if (end < info.spare_bytes) {
            IS(MISUSE, wl_memory_program_spare(memory, 2 * (uint32_t)i + 2, end, bytes, 1));
            SAYS("parity");
        }
    }
    IS(BAD_ARGUMENT, wl_memory_get_free_range(memory, count, &column, &size));
    if (count > 0) {
        IS(BAD_ARGUMENT, wl_memory_get_free_range(memory, 0, NULL, &size));
        IS(BAD_ARGUMENT, wl_memory_get_free_range(memory, 0, &column, NULL));
    }
    OK(wl_memory_free(memory));
}

int main(void)
{
    wl_memory *bytes = made("em064lx");
    wl_memory *nand = made("mt29f1g01");
    uint32_t column, size;

    shapes();
    busy();
    cycles();
    of_bytes();
    cuts();
    ageing();
    options_out_of_range();
    free_ranges("mt29f1g01", 0, 64, 1);
    free_ranges("w25n01gv", 0, 8, 4);
    free_ranges("mt29f2g08aad", 0, 64, 1);
    free_ranges("mt25ql128", 0, 0, 0);
    IS(UNSUPPORTED, wl_memory_get_free_range(bytes, 0, &column, &size));
    IS(BAD_HANDLE, wl_memory_get_free_range(NULL, 0, &column, &size));
    IS(UNSUPPORTED, wl_memory_resume(nand));
    OK(wl_memory_free(bytes));
    OK(wl_memory_free(nand));
    return 0;
}
