// Drives a channel of DRAMsim3: dramsim3 CONFIG.ini WORK REQUESTS RANKS. It writes its statistics where it is run.
#include "traffic.h"

#include <unordered_map>

#include "memory_system.h"

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "use: %s CONFIG.ini WORK REQUESTS RANKS\n", arguments[0]);
        return 2;
    }
    const uint64_t requests = strtoull(arguments[3], nullptr, 10);
    const Shape shape{unsigned(atoi(arguments[4])), 4, 4, 65536, 128};
    Traffic traffic(work_named(arguments[2]), shape, requests);

    uint64_t clock = 0, reads = 0, writes = 0, under_way = 0, latencies = 0;
    std::unordered_multimap<uint64_t, uint64_t> sent;
    auto on_read = [&](uint64_t address) {
        const auto found = sent.find(address);
        latencies += clock - found->second;
        sent.erase(found);
        reads++;
        under_way--;
    };
    auto on_write = [&](uint64_t) { writes++; };
    auto *memory = dramsim3::GetMemorySystem(arguments[1], ".", on_read, on_write);
    const double begin = processor_seconds();
    while (reads + writes < requests) {
        while (traffic.due(clock, under_way)) {
            const Place at = traffic.place();
            // Row, rank, bank, group, column: rochrababgco, as the configuration has it.
            uint64_t address = uint64_t(at.row) * shape.ranks + at.rank;
            address = ((address << 2 | at.bank) << 2 | at.group) << 7 | at.column;
            const bool write = traffic.is_write();
            if (!memory->WillAcceptTransaction(address << 6, write)) break;
            memory->AddTransaction(address << 6, write);
            if (!write) {
                sent.emplace(address << 6, clock);
                under_way++;
            }
            traffic.accepted(clock);
        }
        memory->ClockTick();
        clock++;
    }
    report(processor_seconds() - begin, requests, clock, reads, latencies);
}
