/* The wrapper for C++ without exceptions: every failure is a value. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "wordline.hpp"

static void check(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "failed: %s\n", what);
        std::exit(1);
    }
}

int main()
{
    wordline::memory chip;
    check(chip.try_erase(0).status() == WL_MEMORY_BAD_HANDLE, "nothing was made yet");
    const auto unknown = wordline::options("no-such-part").try_create(chip);
    check(unknown && unknown.status() == WL_MEMORY_BAD_TARGET && unknown.what()[0] != 0, "there is no such part");
    check(chip.get() == nullptr, "and nothing was made");
    const auto made = wordline::options("mt25ql128").seed(7).try_create(chip);
    check(!made && chip.get() != nullptr, "a chip");
    check(!chip.try_erase(0) && !chip.try_program(0, "wordline", 8), "it holds something");
    char text[8];
    check(!chip.try_read(0, text, sizeof text) && std::memcmp(text, "wordline", 8) == 0, "it holds that");
    check(wordline::outcome(wl_memory_suspend(chip.get())).status() == WL_MEMORY_MISUSE, "any call in C");
    chip.erase(1); /* what would throw compiles, and does not end the program where it goes well */
    std::puts("ok");
    return 0;
}
