/* Listeners of the wrapper for C++ that end or replace themselves, or free the memory, while they run. What they captured is
 * used afterwards: a sanitizer notices where it has gone. */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

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
    const std::string captured(100, 'x');
    int first = 0, second = 0;

    auto chip = wordline::options("mt25ql128").create();
    chip.listen([&chip, &first, tag = captured](const wl_memory_operation &) {
        chip.listen_no_more();
        check(tag.size() == 100 && tag[99] == 'x', "what was captured is there after the end");
        first += 1;
    });
    chip.erase(0);
    chip.erase(1);
    check(first == 1, "it ended itself");

    chip.listen([&chip, &first, &second, tag = captured](const wl_memory_operation &) {
        chip.listen([&second](const wl_memory_operation &) { second += 1; });
        check(tag.size() == 100 && tag[99] == 'x', "what was captured is there after it was replaced");
        first += 1;
    });
    chip.erase(0);
    chip.erase(1);
    check(first == 2 && second == 1, "another one took its place");

    auto owned = std::make_unique<wordline::memory>(wordline::options("mt25ql128").create());
    owned->listen([&owned, &first, tag = captured](const wl_memory_operation &) {
        owned.reset();
        check(tag.size() == 100 && tag[99] == 'x', "what was captured is there after the memory was freed");
        first += 1;
    });
    check(wl_memory_erase_range(owned->get(), 0, 3 * 4096, 4096) == WL_MEMORY_OK, "three erases");
    check(first == 3 && !owned, "the others are not reported");
    std::puts("ok");
    return 0;
}
