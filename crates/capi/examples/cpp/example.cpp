/* A chip in C++: stored, cut, powered up, forked, and every error caught. */
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

static void store_and_cut()
{
    auto chip = wordline::options("mt25ql128").seed(7).strict().one_thread().create();
    int operations = 0;
    chip.listen([&operations](const wl_memory_operation &) { operations += 1; });
    chip.erase(0);
    chip.program(0, "wordline", 8);
    auto text = chip.read(0, 8);
    check(std::memcmp(text.data(), "wordline", 8) == 0 && operations == 3, "three operations");
    chip.listen_no_more();

    const auto before = chip.fork();
    chip.cut_power(wordline::cut(1, WL_MEMORY_CUT_CLEAN));
    try {
        chip.program(256, "lost", 4);
        check(false, "the power was cut");
    } catch (const wordline::error &error) {
        check(error.is_power_lost() && !error.is_medium() && error.what()[0] != 0, "it is a power loss");
    }
    if (auto failed = chip.try_erase(1)) {
        check(failed.status() == WL_MEMORY_POWER_LOST && failed.what()[0] != 0, "the power is still off");
    } else {
        check(false, "the power is still off");
    }
    chip.power_up();
    check(chip.peek(256, 1)[0] == 0xFF && chip.read(0, 8) == text, "what was stored stays");
    chip.erase(0);
    chip.restore(before);
    check(chip.read(0, 8) == text, "a snapshot comes back");

    chip.add_fault(wordline::fault(WL_MEMORY_ERASE_ERROR, 4096, 4096));
    auto failed = chip.try_erase(1);
    check(failed && failed.status() == WL_MEMORY_ERASE_FAILED, "the fault shows");
    chip.clear_faults(4096, 4096);
    chip.try_erase(1).or_throw();

    auto moved = std::move(chip);
    check(moved.cycles(1) == 2 && chip.get() == nullptr, "a memory moves"); /* the failed erase is a cycle too */
    check(chip.try_erase(0).status() == WL_MEMORY_BAD_HANDLE, "and leaves nothing");
}

static void refuse()
{
    try {
        wordline::options("no-such-part").create();
        check(false, "there is no such part");
    } catch (const wordline::error &error) {
        check(error.status() == WL_MEMORY_BAD_TARGET, "a bad target");
    }
    auto chip = wordline::create(wordline::ideal(WL_MEMORY_IDEAL_NAND, 4096, 8));
    check(chip.info().blocks == 8 && chip.is_free(0), "an ideal chip");
}

int main()
{
    store_and_cut();
    refuse();
    std::puts("ok");
    return 0;
}
