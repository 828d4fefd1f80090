// Writes and reads back through b_transport, then keeps reads in flight through nb_transport, and checks that each answer
// comes when wordline_dram.h says.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "wordline_tlm.h"

#include <tlm_utils/simple_initiator_socket.h>

static const char *const TARGET = "rdimm-6400-2rx8-32g@bench-1ch";
static const unsigned READS = 200;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "not so: %s\n", what);
        std::exit(1);
    }
}

// Payloads are counted, and kept for all of the run.
struct keeper : tlm::tlm_mm_interface {
    void free(tlm::tlm_generic_payload *) override {}
};

class core : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<core> socket;
    std::vector<std::uint64_t> pushed_ps, done_ps, addresses;
    bool is_over = false;

    SC_HAS_PROCESS(core);
    explicit core(sc_core::sc_module_name name) : sc_module(name), socket("socket")
    {
        socket.register_nb_transport_bw(this, &core::nb_transport_bw);
        SC_THREAD(run);
    }

  private:
    keeper memory_manager;
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads;
    std::vector<std::array<unsigned char, 64>> data;
    sc_core::sc_event request_taken, all_done;
    unsigned done = 0;

    static std::uint64_t now_ps() { return sc_core::sc_time_stamp().value(); }

    void transport(tlm::tlm_command command, std::uint64_t address, unsigned char *bytes, unsigned length)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(bytes);
        payload.set_data_length(length);
        payload.set_streaming_width(length);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, delay);
        expect(payload.is_response_ok(), "the transport is well");
    }

    void run()
    {
        // 200 bytes from 30 on overlap four lines.
        unsigned char out[200], in[200];
        for (unsigned at = 0; at < sizeof out; ++at) out[at] = static_cast<unsigned char>(7 * at);
        transport(tlm::TLM_WRITE_COMMAND, 30, out, sizeof out);
        transport(tlm::TLM_READ_COMMAND, 30, in, sizeof in);
        expect(std::memcmp(out, in, sizeof in) == 0, "what was written is read");

        tlm::tlm_generic_payload beyond;
        beyond.set_command(tlm::TLM_READ_COMMAND);
        beyond.set_address(1ull << 50);
        beyond.set_data_ptr(in);
        beyond.set_data_length(64);
        beyond.set_streaming_width(64);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(beyond, delay);
        expect(beyond.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE, "the memory ends");

        // Everything is written back by then.
        sc_core::wait(100, sc_core::SC_US);
        data.resize(READS);
        pushed_ps.resize(READS), done_ps.resize(READS), addresses.resize(READS);
        std::uint64_t random = 1;
        for (unsigned number = 0; number < READS; ++number) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            payloads.emplace_back(new tlm::tlm_generic_payload(&memory_manager));
            tlm::tlm_generic_payload *const payload = payloads.back().get();
            payload->acquire();
            payload->set_command(tlm::TLM_READ_COMMAND);
            payload->set_address(addresses[number] = (random >> 40) * 64);
            payload->set_data_ptr(data[number].data());
            payload->set_data_length(64);
            payload->set_streaming_width(64);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time none = sc_core::SC_ZERO_TIME;
            socket->nb_transport_fw(*payload, phase, none);
            sc_core::wait(request_taken);
            pushed_ps[number] = now_ps();
        }
        if (done < READS) sc_core::wait(all_done);
        is_over = true;
        sc_core::sc_stop();
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &)
    {
        if (phase == tlm::END_REQ) {
            request_taken.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_ACCEPTED;
        }
        expect(phase == tlm::BEGIN_RESP && payload.is_response_ok(), "a response");
        for (unsigned number = 0; number < payloads.size(); ++number) {
            if (payloads[number].get() == &payload) done_ps[number] = now_ps();
        }
        if (++done == READS) all_done.notify(sc_core::SC_ZERO_TIME);
        phase = tlm::END_RESP;
        return tlm::TLM_COMPLETED;
    }
};

// When the library says that the same reads are done.
static void store(void *user, std::uint64_t id, std::int32_t, std::uint64_t time_ps)
{
    (*static_cast<std::vector<std::uint64_t> *>(user))[id] = time_ps;
}

static std::vector<std::uint64_t> by_library(const core &of)
{
    std::vector<std::uint64_t> done(READS);
    wl_dram_options options;
    std::memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_DRAM_ABI;
    options.target = TARGET;
    wl_dram *memory;
    options.complete = store;
    options.user = &done;
    expect(wl_dram_create(&options, &memory) == WL_DRAM_OK, "a memory");
    // The four lines that were written and read, and refreshes, leave nothing behind after so long.
    for (unsigned number = 0; number < READS; ++number) {
        expect(wl_dram_run_until(memory, of.pushed_ps[number]) == WL_DRAM_OK, "time goes on");
        expect(wl_dram_push(memory, of.addresses[number], 0, number) == WL_DRAM_OK, "room");
    }
    expect(wl_dram_drain(memory) == WL_DRAM_OK, "drained");
    expect(wl_dram_free(memory) == WL_DRAM_OK, "freed");
    return done;
}

int sc_main(int, char **)
{
    core reader("reader");
    wordline_tlm memory("memory", TARGET);
    reader.socket.bind(memory.socket);
    sc_core::sc_start();
    expect(reader.is_over, "the run is over");
    const std::vector<std::uint64_t> done = by_library(reader);
    std::uint64_t sum = 0, last = 0;
    for (unsigned number = 0; number < READS; ++number) {
        expect(reader.done_ps[number] == done[number] + 1, "an answer comes when the library says");
        sum += done[number] - reader.pushed_ps[number];
        last = std::max(last, done[number]);
    }
    const wl_dram_stats stats = memory.stats();
    expect(stats.reads == READS + 4, "each line is a request");
    std::printf("%u reads in flight together: mean latency %.1f ns, %.1f GB/s\n", READS, 1e-3 * (double)sum / READS,
                64e3 * READS / (double)(last - reader.pushed_ps[0]));
    return 0;
}
