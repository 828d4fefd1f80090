/*
 * wordline_memory.h for C++17: memories that free themselves, errors as exceptions, or as values where exceptions are not
 * wanted. Everything is in this header; link as wordline_memory.h says.
 *
 *   #include <wordline.hpp>
 *
 *   wordline::memory chip = wordline::options("mt25ql128").seed(7).create();
 *   chip.erase(0);
 *   chip.program(0, "wordline", 8);
 *   auto text = chip.read(0, 8);                       // std::vector<std::uint8_t>
 *   if (auto failed = chip.try_program(0, "x", 1)) {    // no exception: true where it failed
 *       std::puts(failed.what());
 *   }
 *
 * Compiled without exceptions (-fno-exceptions), what would throw prints its message and ends the program. The calls that
 * begin with try_ return it in either case, options::try_create too, and an outcome can be made of any call in C:
 *
 *   wordline::memory chip;
 *   if (auto failed = wordline::options("mt25ql128").try_create(chip)) { ... }
 *   if (auto failed = wordline::outcome(wl_memory_suspend(chip.get()))) { ... }
 *
 * What a function does, and when it fails, is written at its namesake in wordline_memory.h: chip.erase is
 * wl_memory_erase. chip.get() is the handle for calls that are not wrapped.
 */
#ifndef WORDLINE_HPP
#define WORDLINE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wordline_memory.h"

namespace wordline {

/* Why a call failed. */
class error : public std::runtime_error {
public:
    error(wl_memory_status status, const std::string &why) : std::runtime_error(why), status_(status) {}

    /* WL_MEMORY_..., never WL_MEMORY_OK. */
    wl_memory_status status() const noexcept { return status_; }

    bool is_power_lost() const noexcept { return status_ == WL_MEMORY_POWER_LOST; }

    /* The medium is bad there: another block may do. */
    bool is_medium() const noexcept { return status_ <= WL_MEMORY_UNCORRECTABLE && status_ >= WL_MEMORY_BAD_BLOCK; }

private:
    wl_memory_status status_;
};

namespace detail {

/* Throws, or ends the program where nothing can be thrown. */
[[noreturn]] inline void raise(wl_memory_status status, const std::string &why)
{
#ifdef __cpp_exceptions
    throw error(status, why);
#else
    std::fprintf(stderr, "wordline: status %d: %s\n", static_cast<int>(status), why.c_str());
    std::abort();
#endif
}

} /* namespace detail */

/* What became of a call that throws nothing: true where it failed. */
class [[nodiscard]] outcome {
public:
    explicit outcome(wl_memory_status status) : status_(status), why_(status == WL_MEMORY_OK ? "" : wl_memory_message()) {}

    explicit operator bool() const noexcept { return status_ != WL_MEMORY_OK; }
    wl_memory_status status() const noexcept { return status_; }
    const char *what() const noexcept { return why_.c_str(); }

    /* Throws where the call failed. */
    void or_throw() const
    {
        if (status_ != WL_MEMORY_OK) {
            detail::raise(status_, why_);
        }
    }

private:
    wl_memory_status status_;
    std::string why_;
};

namespace detail {

inline void check(wl_memory_status status)
{
    if (status != WL_MEMORY_OK) {
        raise(status, wl_memory_message());
    }
}

/* A struct of wordline_memory.h, empty, with its size. */
template <class Struct>
Struct sized() noexcept
{
    Struct made{};
    made.size = sizeof made;
    return made;
}

struct free_memory {
    void operator()(wl_memory *memory) const noexcept { wl_memory_free(memory); }
};

} /* namespace detail */

/* A fault of a kind, to be added to a memory: fault(WL_MEMORY_ERASE_ERROR, at, bytes). */
inline wl_memory_fault fault(std::uint64_t kind, std::uint64_t at, std::uint64_t bytes) noexcept
{
    auto made = detail::sized<wl_memory_fault>();
    made.kind = kind;
    made.at = at;
    made.bytes = bytes;
    return made;
}

/* A cut within the n-th change from now, or at once with 0. */
inline wl_memory_cut cut(std::uint64_t operations, std::uint64_t tear = WL_MEMORY_CUT_TORN, std::uint64_t seed = 0) noexcept
{
    auto made = detail::sized<wl_memory_cut>();
    made.operations = operations;
    made.tear = tear;
    made.seed = seed;
    return made;
}

/* A memory on its board. It can be moved, and forked where a copy is meant. A moved-from memory has no handle, as one that
 * was not made, and its calls fail with WL_MEMORY_BAD_HANDLE. */
class memory {
public:
    memory() noexcept = default;

    /* Takes over a handle, and frees it. */
    explicit memory(wl_memory *handle) noexcept : handle_(handle) {}

    wl_memory *get() const noexcept { return handle_.get(); }

    memory fork() const
    {
        wl_memory *made = nullptr;
        detail::check(wl_memory_fork(get(), &made));
        return memory(made);
    }

    void restore(const memory &snapshot) { detail::check(wl_memory_restore(get(), snapshot.get())); }

    wl_memory_info info() const
    {
        auto found = detail::sized<wl_memory_info>();
        detail::check(wl_memory_get_info(get(), &found));
        return found;
    }

    wl_memory_stats stats() const
    {
        auto found = detail::sized<wl_memory_stats>();
        detail::check(wl_memory_get_stats(get(), &found));
        return found;
    }

    void reset_stats() { detail::check(wl_memory_reset_stats(get())); }

    /* ---- Operations ---- */

    void read(std::uint64_t at, void *out, std::size_t bytes) { detail::check(wl_memory_read(get(), at, out, bytes)); }

    std::vector<std::uint8_t> read(std::uint64_t at, std::size_t bytes)
    {
        std::vector<std::uint8_t> out(bytes);
        read(at, out.data(), bytes);
        return out;
    }

    void program(std::uint64_t at, const void *data, std::size_t bytes)
    {
        detail::check(wl_memory_program(get(), at, data, bytes));
    }

    void write(std::uint64_t at, const void *data, std::size_t bytes)
    {
        detail::check(wl_memory_write(get(), at, data, bytes));
    }

    void erase(std::uint32_t block) { detail::check(wl_memory_erase(get(), block)); }

    void erase_range(std::uint64_t at, std::uint64_t bytes, std::uint64_t unit = 0)
    {
        detail::check(wl_memory_erase_range(get(), at, bytes, unit));
    }

    void sync() { detail::check(wl_memory_sync(get())); }

    /* The same without exceptions: true where they failed. */
    outcome try_read(std::uint64_t at, void *out, std::size_t bytes)
    {
        return outcome(wl_memory_read(get(), at, out, bytes));
    }

    outcome try_program(std::uint64_t at, const void *data, std::size_t bytes)
    {
        return outcome(wl_memory_program(get(), at, data, bytes));
    }

    outcome try_write(std::uint64_t at, const void *data, std::size_t bytes)
    {
        return outcome(wl_memory_write(get(), at, data, bytes));
    }

    outcome try_erase(std::uint32_t block) { return outcome(wl_memory_erase(get(), block)); }

    outcome try_erase_range(std::uint64_t at, std::uint64_t bytes, std::uint64_t unit = 0)
    {
        return outcome(wl_memory_erase_range(get(), at, bytes, unit));
    }

    outcome try_sync() { return outcome(wl_memory_sync(get())); }

    /* ---- Pages and blocks ---- */

    wl_memory_ecc read_page(std::uint32_t page, std::uint32_t column, void *out, std::uint32_t bytes)
    {
        auto ecc = detail::sized<wl_memory_ecc>();
        detail::check(wl_memory_read_page(get(), page, column, out, bytes, &ecc));
        return ecc;
    }

    void program_page(std::uint32_t page, std::uint32_t column, const void *data, std::uint32_t bytes)
    {
        detail::check(wl_memory_program_page(get(), page, column, data, bytes));
    }

    bool is_bad(std::uint32_t block)
    {
        std::int32_t bad = 0;
        detail::check(wl_memory_is_bad(get(), block, &bad));
        return bad != 0;
    }

    void mark_bad(std::uint32_t block) { detail::check(wl_memory_mark_bad(get(), block)); }

    bool is_free(std::uint32_t page)
    {
        std::int32_t found = 0;
        detail::check(wl_memory_is_free(get(), page, &found));
        return found != 0;
    }

    /* ---- Cells, in no simulated time ---- */

    std::vector<std::uint8_t> peek(std::uint64_t at, std::size_t bytes) const
    {
        std::vector<std::uint8_t> out(bytes);
        detail::check(wl_memory_peek(get(), at, out.data(), bytes));
        return out;
    }

    void poke(std::uint64_t at, const void *data, std::size_t bytes)
    {
        detail::check(wl_memory_poke(get(), at, data, bytes));
    }

    /* ---- Time, energy, wear ---- */

    std::uint64_t now_ps() const noexcept { return wl_memory_now(get()); }
    std::uint64_t last_duration_ps() const noexcept { return wl_memory_last_duration(get()); }
    double energy_j() const noexcept { return wl_memory_energy(get()); }
    void advance(std::uint64_t time_ps) { detail::check(wl_memory_advance(get(), time_ps)); }

    std::uint64_t cycles(std::uint64_t unit) const
    {
        std::uint64_t found = 0;
        detail::check(wl_memory_get_cycles(get(), unit, &found));
        return found;
    }

    void set_cycles(std::uint64_t unit, std::uint64_t cycles)
    {
        detail::check(wl_memory_set_cycles(get(), unit, cycles));
    }

    wl_memory_health health(std::uint32_t block) const
    {
        auto found = detail::sized<wl_memory_health>();
        detail::check(wl_memory_get_health(get(), block, &found));
        return found;
    }

    void keep(double seconds, double celsius) { detail::check(wl_memory_keep(get(), seconds, celsius)); }

    /* ---- What goes wrong ---- */

    void add_fault(const wl_memory_fault &fault) { detail::check(wl_memory_add_fault(get(), &fault)); }

    void clear_faults(std::uint64_t at, std::uint64_t bytes) { detail::check(wl_memory_clear_faults(get(), at, bytes)); }

    void flip_bit(std::uint32_t page, std::uint32_t column, std::uint32_t bit)
    {
        detail::check(wl_memory_flip_bit(get(), page, column, bit));
    }

    void cut_power(const wl_memory_cut &cut) { detail::check(wl_memory_cut_power(get(), &cut)); }
    void power_up() { detail::check(wl_memory_power_up(get())); }

    /* ---- Files ---- */

    void save(const std::string &path) const { detail::check(wl_memory_save(get(), path.c_str())); }
    void load(const std::string &path) { detail::check(wl_memory_load(get(), path.c_str())); }
    void trace_to(const std::string &path) { detail::check(wl_memory_trace_to(get(), path.c_str())); }
    void end_trace() { detail::check(wl_memory_trace_to(get(), nullptr)); }

    /* Calls a function with every operation from now on. It must not throw: an exception there ends the program. Within it,
     * another one may take its place, it may be ended, and the memory may be freed. */
    void listen(std::function<void(const wl_memory_operation &)> listener)
    {
        auto kept = std::make_shared<heard_by>();
        kept->call = std::move(listener);
        detail::check(wl_memory_listen(get(), &memory::call, kept.get()));
        listener_ = std::move(kept);
    }

    void listen_no_more()
    {
        detail::check(wl_memory_listen(get(), nullptr, nullptr));
        listener_.reset();
    }

private:
    struct heard_by : std::enable_shared_from_this<heard_by> {
        std::function<void(const wl_memory_operation &)> call;
    };

    static void call(void *user, const wl_memory_operation *operation) noexcept
    {
        /* The function may replace or end itself, or free the memory: it lives until it has returned. */
        const auto kept = static_cast<heard_by *>(user)->shared_from_this();
        kept->call(*operation);
    }

    /* Declared first, so that the memory is freed before it. */
    std::shared_ptr<heard_by> listener_;
    std::unique_ptr<wl_memory, detail::free_memory> handle_;
};

/* How a part is made; raw holds every option of wl_memory_options but the texts, which are kept here. */
class options {
public:
    wl_memory_options raw = detail::sized<wl_memory_options>();

    explicit options(std::string target) : target_(std::move(target)) { raw.abi = WL_MEMORY_ABI; }

    options &catalog(std::string folder) { return catalog_ = std::move(folder), *this; }
    options &timing(std::string mode) { return timing_ = std::move(mode), *this; }
    options &seed(std::uint64_t seed) noexcept { return raw.seed = seed, *this; }
    options &age(double fraction) noexcept { return raw.age = fraction, *this; }
    options &without_factory_bad() noexcept { return raw.factory_bad = WL_MEMORY_FACTORY_NONE, *this; }
    options &strict() noexcept { return raw.strict = 1, *this; }
    options &erase_bytes(std::uint64_t bytes) noexcept { return raw.erase_bytes = bytes, *this; }
    options &host_ecc() noexcept { return raw.host_ecc = 1, *this; }
    options &one_thread() noexcept { return raw.one_thread = 1, *this; }

    options &ageing(double celsius, double dwell_s = 0) noexcept
    {
        raw.ageing = 1;
        raw.celsius = celsius;
        raw.dwell_s = dwell_s;
        return *this;
    }

    memory create() const
    {
        wl_memory *handle = nullptr;
        detail::check(create_handle(&handle));
        return memory(handle);
    }

    /* The same without exceptions: true where it failed, and then `made` stays as it is. */
    outcome try_create(memory &made) const
    {
        wl_memory *handle = nullptr;
        outcome done(create_handle(&handle));
        if (!done) {
            made = memory(handle);
        }
        return done;
    }

private:
    wl_memory_status create_handle(wl_memory **handle) const
    {
        wl_memory_options with = raw;
        with.target = target_.c_str();
        with.catalog = catalog_.empty() ? nullptr : catalog_.c_str();
        with.timing = timing_.empty() ? nullptr : timing_.c_str();
        return wl_memory_create(&with, handle);
    }

    std::string target_, catalog_, timing_;
};

/* A memory without a data sheet: wl_memory_ideal with size and abi set. */
inline wl_memory_ideal ideal(std::uint64_t kind, std::uint64_t erase_bytes, std::uint64_t blocks) noexcept
{
    auto made = detail::sized<wl_memory_ideal>();
    made.abi = WL_MEMORY_ABI;
    made.kind = kind;
    made.erase_bytes = erase_bytes;
    made.blocks = blocks;
    return made;
}

inline memory create(const wl_memory_ideal &ideal)
{
    wl_memory *made = nullptr;
    detail::check(wl_memory_create_ideal(&ideal, &made));
    return memory(made);
}

} /* namespace wordline */

#endif
