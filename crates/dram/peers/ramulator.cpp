// Drives a channel of Ramulator 2.1: ramulator CONFIG.yaml WORK REQUESTS RANKS [READS]
//
// READS is the most reads that are under way. Ramulator takes a request out of its read buffer with the ACT that opens its
// row, so that by itself as many more are under way as banks are open; ours stays in its queue until its RD.
#include "traffic.h"

#include <ramulator/base/config.h>
#include <ramulator/base/factory.h>
#include <ramulator/base/request.h>
#include <ramulator/frontend/i_frontend.h>
#include <ramulator/memory_system/i_memory_system.h>

using namespace Ramulator;

int main(int count, char **arguments) {
    if (count != 5 && count != 6) {
        fprintf(stderr, "use: %s CONFIG.yaml WORK REQUESTS RANKS [READS]\n", arguments[0]);
        return 2;
    }
    const uint64_t most = count == 6 ? strtoull(arguments[5], nullptr, 10) : UINT64_MAX;
    const uint64_t requests = strtoull(arguments[3], nullptr, 10);
    const Shape shape{unsigned(atoi(arguments[4])), 8, 4, 65536, 64};
    Traffic traffic(work_named(arguments[2]), shape, requests);
    auto config = Config::parse_config_file(arguments[1]);
    auto *frontend = Factory::create_frontend(config);
    auto *memory = Factory::create_memory_system(config);
    frontend->connect_memory_system(memory);
    memory->connect_frontend(frontend);

    uint64_t clock = 0, reads = 0, writes = 0, under_way = 0, latencies = 0;
    auto on_read = [&](Request &request) {
        reads++;
        under_way--;
        latencies += request.depart - request.arrive;
    };
    auto on_write = [](Request &) {};
    const double begin = processor_seconds();
    while (reads + writes < requests) {
        while (traffic.due(clock, under_way)) {
            const Place at = traffic.place();
            // Row, bank, group, rank, column: RoBaRaCoCh.
            uint64_t address = (uint64_t(at.row) << 2 | at.bank) << 3 | at.group;
            address = (address * shape.ranks + at.rank) << 6 | at.column;
            const bool write = traffic.is_write();
            if (!write && under_way >= most) break;
            const auto kind = write ? Request::Type::Write : Request::Type::Read;
            const bool taken = write ? frontend->receive_external_requests(kind, address << 6, 0, on_write, 64)
                                     : frontend->receive_external_requests(kind, address << 6, 0, on_read, 64);
            if (!taken) break;
            (write ? writes : under_way)++;
            traffic.accepted(clock);
        }
        memory->tick();
        clock++;
    }
    report(processor_seconds() - begin, requests, clock, reads, latencies);
}
