// A core of 3 GHz with eight misses in flight, in the manner of ZSim's weave phase: events by cycle, and a tick that says
// when it is needed again. Checks that skipping cycles changes nothing.
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

#include "wordline_clocked.h"

static const std::uint64_t MISSES = 8, READS = 2000;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "not so: %s\n", what);
        std::exit(1);
    }
}

struct result {
    std::vector<std::uint64_t> issued, done;
    std::uint64_t ticks = 0;
};

static result run(std::uint32_t quantum)
{
    result of;
    of.issued.resize(READS), of.done.resize(READS);
    // Each read that is done issues the next one 20 cycles later.
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<std::uint64_t>> issues;
    std::uint64_t now = 0, done = 0, next = 0, random = 1;
    wordline_clocked memory(
        "mrdimm-8800-2rx4-64g@bench-1ch", 3000000000,
        [&](std::uint64_t tag, bool is_write, std::uint64_t cycle) {
            expect(!is_write && tag < next, "a read that was issued");
            expect(cycle <= now && now <= cycle + 1, "it is told when it is done");
            of.done[tag] = cycle;
            done += 1;
            issues.push(now + 20);
        },
        quantum);
    for (std::uint64_t miss = 0; miss < MISSES; miss += 1) issues.push(0);
    std::uint64_t tick_at = 0;
    while (done < READS) {
        // What comes first: an issue or a tick.
        if (!issues.empty() && issues.top() <= tick_at && next < READS) {
            now = issues.top();
            issues.pop();
            random = random * 6364136223846793005u + 1442695040888963407u;
            of.issued[next] = now;
            memory.enqueue((random >> 36) * 64, false, next, now);
            next += 1;
        } else {
            now = tick_at;
            tick_at += memory.tick(now);
            of.ticks += 1;
        }
    }
    expect(memory.stats().reads == READS, "all of them");
    return of;
}

int main()
{
    const result each = run(1), skipped = run(16);
    expect(each.done == skipped.done && each.issued == skipped.issued, "ticks that are skipped are not needed");
    std::uint64_t sum = 0;
    for (std::uint64_t read = 0; read < READS; read += 1) sum += each.done[read] - each.issued[read];
    std::printf("mean latency %.1f cycles; %llu ticks where each cycle would be %llu\n", (double)sum / READS,
                (unsigned long long)skipped.ticks, (unsigned long long)each.ticks);
    return 0;
}
