// A memory of wordline_dram.h for simulators that count the cycles of a CPU and are called back, as ZSim's weave phase:
//
//   wordline_clocked memory("mrdimm-8800-2rx4-64g@xeon6-1s", 3000000000, [](std::uint64_t tag, bool is_write,
//                                                                           std::uint64_t cycle) { ... });
//   memory.enqueue(address, is_write, tag, cycle);   // when a request reaches the controller
//   std::uint32_t skip = memory.tick(cycle);         // cycles until the next tick is needed
//
// Requests beyond the room of a queue wait in front of it. A callback names the first cycle at which the request is done,
// and comes within the tick or enqueue of that cycle or a later one: no more than `quantum` cycles late, and for reads
// from the module never late as long as `quantum` is shorter than their least latency.
#ifndef WORDLINE_CLOCKED_H
#define WORDLINE_CLOCKED_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "wordline_dram.h"

class wordline_clocked {
  public:
    using callback = std::function<void(std::uint64_t tag, bool is_write, std::uint64_t cycle)>;

    wordline_clocked(const std::string &target, std::uint64_t cpu_hz, callback done, std::uint32_t quantum = 16,
                     const std::string &settings = "")
        : done(std::move(done)), cpu_hz(cpu_hz), quantum(quantum)
    {
        if (cpu_hz == 0 || quantum == 0) throw std::invalid_argument("a clock and a quantum of 1 or more are needed");
        wl_dram_options options;
        std::memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.abi = WL_DRAM_ABI;
        options.target = target.c_str();
        options.settings = settings.c_str();
        options.complete = completed;
        options.user = this;
        options.backlog = 1 << 20;
        check(wl_dram_create(&options, &memory));
    }

    ~wordline_clocked() { wl_dram_free(memory); }
    wordline_clocked(const wordline_clocked &) = delete;
    wordline_clocked &operator=(const wordline_clocked &) = delete;

    // Takes a request that reaches the controller at a cycle, which is none before the last one that was named.
    void enqueue(std::uint64_t address, bool is_write, std::uint64_t tag, std::uint64_t cycle)
    {
        check(wl_dram_run_until(memory, ps(cycle)));
        check(wl_dram_push(memory, address & ~std::uint64_t{63}, is_write, tag));
    }

    // Calls back what is done by a cycle. How many cycles later the next tick is needed: at most the quantum, since
    // requests may come in between.
    std::uint32_t tick(std::uint64_t cycle)
    {
        check(wl_dram_run_until(memory, ps(cycle)));
        const std::uint64_t next = wl_dram_next_event(memory);
        if (next == UINT64_MAX) return quantum;
        const std::uint64_t until = cycle_of(next);
        return until <= cycle ? 1 : static_cast<std::uint32_t>(std::min<std::uint64_t>(until - cycle, quantum));
    }

    wl_dram_stats stats()
    {
        wl_dram_stats stats;
        stats.size = sizeof stats;
        check(wl_dram_get_stats(memory, &stats));
        return stats;
    }

  private:
    callback done;
    std::uint64_t cpu_hz;
    std::uint32_t quantum;
    wl_dram *memory = nullptr;

    static void check(wl_dram_status status)
    {
        if (status != WL_DRAM_OK) throw std::runtime_error(wl_dram_message());
    }

    // When a cycle begins: seconds and the rest apart, so that nothing overflows.
    std::uint64_t ps(std::uint64_t cycle) const
    {
        const std::uint64_t second = 1000000000000u;
        const long double rest = static_cast<long double>(cycle % cpu_hz) * second / cpu_hz;
        return cycle / cpu_hz * second + static_cast<std::uint64_t>(rest);
    }

    // The first cycle that begins at a time or later.
    std::uint64_t cycle_of(std::uint64_t time_ps) const
    {
        const std::uint64_t second = 1000000000000u;
        const long double rest = static_cast<long double>(time_ps % second) * cpu_hz / second;
        std::uint64_t cycle = time_ps / second * cpu_hz + static_cast<std::uint64_t>(rest);
        while (ps(cycle) < time_ps) cycle += 1;
        return cycle;
    }

    static void completed(void *user, std::uint64_t id, std::int32_t is_write, std::uint64_t time_ps)
    {
        auto *self = static_cast<wordline_clocked *>(user);
        self->done(id, is_write != 0, self->cycle_of(time_ps));
    }
};

#endif
