// The requests of a comparison, as crates/catalog/examples/peer.rs makes them: one channel, open loop with back pressure.
#ifndef WORDLINE_PEERS_TRAFFIC_H
#define WORDLINE_PEERS_TRAFFIC_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

struct Place {
    unsigned rank, group, bank, row, column;
};

struct Shape {
    unsigned ranks, groups, banks, rows, columns;
};

enum class Work { random, random_mix, stream, stream_mix, sparse, sparse_stream, conflict, unloaded };

inline Work work_named(const char *name) {
    static const char *const names[] = {"random", "random-mix", "stream",   "stream-mix",
                                        "sparse", "sparse-stream", "conflict", "unloaded"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(name, names[i])) return static_cast<Work>(i);
    }
    fprintf(stderr, "unknown work %s; allowed: random, random-mix, stream, stream-mix, sparse, sparse-stream, conflict, unloaded\n",
            name);
    exit(2);
}

class Traffic {
  public:
    Traffic(Work work, Shape shape, uint64_t requests) : work(work), shape(shape), requests(requests) {}

    // Whether a request may be sent at a clock.
    bool due(uint64_t clock, uint64_t reads_under_way) const {
        if (sent >= requests || clock < next) return false;
        return work != Work::unloaded || reads_under_way == 0;
    }

    Place place() {
        if (!drawn) current = make();
        drawn = true;
        return current;
    }

    bool is_write() const {
        return (work == Work::random_mix || work == Work::stream_mix) && sent % 3 == 2;
    }

    void accepted(uint64_t clock) {
        drawn = false;
        sent++;
        if (work == Work::sparse || work == Work::sparse_stream) next += 200;
        // Longer than any command and its recovery.
        if (work == Work::unloaded) next = clock + 1000;
    }

    uint64_t sent = 0;

  private:
    Place random() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t draw = state;
        Place place;
        place.rank = draw % shape.ranks;
        draw >>= 2;
        place.group = draw % shape.groups;
        draw >>= 4;
        place.bank = draw % shape.banks;
        draw >>= 3;
        place.row = draw % shape.rows;
        draw >>= 17;
        place.column = draw % shape.columns;
        return place;
    }

    // Line by line over bank groups, then along the row.
    Place line(uint64_t number) const {
        Place place;
        place.group = number % shape.groups;
        number /= shape.groups;
        place.column = number % shape.columns;
        number /= shape.columns;
        place.bank = number % shape.banks;
        number /= shape.banks;
        place.rank = number % shape.ranks;
        number /= shape.ranks;
        place.row = number % shape.rows;
        return place;
    }

    Place make() {
        switch (work) {
        case Work::stream:
        case Work::sparse_stream:
            return line(sent);
        case Work::stream_mix:
            return is_write() ? line(sent / 3 + (1 << 20)) : line(sent / 3 * 2 + sent % 3);
        case Work::conflict:
            return Place{0, 0, 0, static_cast<unsigned>(sent % shape.rows), 0};
        default:
            return random();
        }
    }

    Work work;
    Shape shape;
    uint64_t requests;
    uint64_t state = 88172645463325252u;
    uint64_t next = 0;
    Place current{};
    bool drawn = false;
};

inline double processor_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

// Requests a second of processor time, bytes a clock, and clocks of a read, in a line.
inline void report(double seconds, uint64_t requests, uint64_t clocks, uint64_t reads, uint64_t latencies) {
    printf("%.0f %.4f %.2f\n", requests / seconds, requests * 64.0 / clocks, reads ? double(latencies) / reads : 0.0);
}

#endif
