// A memory of wordline_dram.h behind a TLM-2.0 target socket.
//
//   wordline_tlm memory("memory", "mrdimm-8800-2rx4-64g@xeon6-1s");
//   initiator.socket.bind(memory.socket);
//
// It keeps the bytes and answers b_transport, nb_transport_fw (base protocol, four phases) and transport_dbg. A payload
// touches each line of 64 bytes that it overlaps, and is done when all of them are. END_REQ comes when the last line has
// entered the controller's queue, which is how the initiator feels back-pressure. The module has no clock: it wakes at
// wl_dram_next_event, and where a payload arrives. A response comes 1 ps after the time that the library states.
#ifndef WORDLINE_TLM_H
#define WORDLINE_TLM_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include "wordline_dram.h"

class wordline_tlm : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<wordline_tlm> socket;

    wordline_tlm(sc_core::sc_module_name name, const std::string &target, const std::string &settings = "")
        : sc_module(name), socket("socket"), arrivals("arrivals")
    {
        wl_dram_options options;
        std::memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.abi = WL_DRAM_ABI;
        options.target = target.c_str();
        options.settings = settings.c_str();
        options.complete = completed;
        options.user = this;
        check(wl_dram_create(&options, &memory));
        wl_dram_info info;
        info.size = sizeof info;
        check(wl_dram_get_info(memory, &info));
        bytes = info.bytes;
        socket.register_b_transport(this, &wordline_tlm::b_transport);
        socket.register_nb_transport_fw(this, &wordline_tlm::nb_transport_fw);
        socket.register_transport_dbg(this, &wordline_tlm::transport_dbg);
        sc_core::sc_spawn_options as_method;
        as_method.spawn_method();
        as_method.set_sensitivity(&wake);
        as_method.set_sensitivity(&arrivals.get_event());
        as_method.dont_initialize();
        sc_core::sc_spawn([this] { advance(); }, "advance", &as_method);
    }

    ~wordline_tlm() override { wl_dram_free(memory); }

    // What the memory did up to now.
    wl_dram_stats stats()
    {
        wl_dram_stats stats;
        stats.size = sizeof stats;
        check(wl_dram_run_until(memory, now_ps()));
        check(wl_dram_get_stats(memory, &stats));
        return stats;
    }

  private:
    static constexpr std::uint64_t LINE = 64;

    // A payload on its way, which has the socket's response channel to itself between BEGIN_RESP and END_RESP.
    struct job {
        tlm::tlm_generic_payload *payload;
        sc_core::sc_event *blocked; // a thread in b_transport, or null
        std::uint64_t next_line, end_line, left;
    };

    wl_dram *memory = nullptr;
    std::uint64_t bytes = 0, next_id = 0;
    sc_core::sc_event wake;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> arrivals;
    std::deque<job *> waiting;                     // lines of the first one come next
    std::unordered_map<std::uint64_t, job *> lines; // in the memory, by id
    std::deque<job *> responses;
    bool responding = false;
    std::map<std::uint64_t, std::array<unsigned char, LINE>> contents; // lines that were written

    static void check(wl_dram_status status)
    {
        if (status != WL_DRAM_OK) SC_REPORT_FATAL("wordline", wl_dram_message());
    }

    static std::uint64_t now_ps()
    {
        return static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS) + 0.5);
    }

    // Whether the payload can be served; sets its response status where not.
    bool accepts(tlm::tlm_generic_payload &payload) const
    {
        const std::uint64_t at = payload.get_address(), length = payload.get_data_length();
        if (payload.get_byte_enable_ptr() != nullptr) {
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        } else if (payload.get_streaming_width() < length || length == 0) {
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        } else if (at >= bytes || length > bytes - at) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        } else {
            return true;
        }
        return false;
    }

    // Moves the bytes.
    void move(tlm::tlm_generic_payload &payload)
    {
        unsigned char *data = payload.get_data_ptr();
        std::uint64_t at = payload.get_address(), left = payload.get_data_length();
        while (left > 0) {
            const std::uint64_t offset = at % LINE, part = std::min(left, LINE - offset);
            if (payload.is_write()) {
                std::memcpy(contents[at / LINE].data() + offset, data, part);
            } else if (payload.is_read()) {
                const auto line = contents.find(at / LINE);
                if (line == contents.end()) std::memset(data, 0, part);
                else std::memcpy(data, line->second.data() + offset, part);
            }
            at += part, data += part, left -= part;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    job *job_of(tlm::tlm_generic_payload &payload, sc_core::sc_event *blocked)
    {
        job *made = new job{&payload, blocked, 0, 0, 0};
        if (accepts(payload) && payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
            made->next_line = payload.get_address() / LINE;
            made->end_line = (payload.get_address() + payload.get_data_length() - 1) / LINE + 1;
            made->left = made->end_line - made->next_line;
        }
        return made;
    }

    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        sc_core::sc_event done;
        waiting.push_back(job_of(payload, &done));
        wake.notify(sc_core::SC_ZERO_TIME);
        sc_core::wait(done);
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay)
    {
        if (phase == tlm::BEGIN_REQ) {
            payload.acquire();
            arrivals.notify(payload, delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == tlm::END_RESP) {
            responding = false;
            wake.notify(delay);
            return tlm::TLM_COMPLETED;
        }
        SC_REPORT_ERROR("wordline", "the base protocol has no such phase on the forward path");
        return tlm::TLM_ACCEPTED;
    }

    unsigned int transport_dbg(tlm::tlm_generic_payload &payload)
    {
        if (!accepts(payload)) return 0;
        move(payload);
        return payload.get_data_length();
    }

    static void completed(void *user, std::uint64_t id, std::int32_t, std::uint64_t)
    {
        auto *self = static_cast<wordline_tlm *>(user);
        const auto line = self->lines.find(id);
        job *of = line->second;
        self->lines.erase(line);
        if (--of->left == 0) self->finish(of);
    }

    void finish(job *done)
    {
        if (done->payload->get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) move(*done->payload);
        if (done->blocked != nullptr) {
            done->blocked->notify(sc_core::SC_ZERO_TIME);
            delete done;
        } else {
            responses.push_back(done);
        }
    }

    // Everything up to now, then what can be pushed; sleeps until there is more to do.
    void advance()
    {
        check(wl_dram_run_until(memory, now_ps()));
        while (tlm::tlm_generic_payload *payload = arrivals.get_next_transaction()) {
            waiting.push_back(job_of(*payload, nullptr));
        }
        while (!waiting.empty() && push(*waiting.front())) {
            job *pushed = waiting.front();
            waiting.pop_front();
            if (pushed->blocked == nullptr) {
                tlm::tlm_phase phase = tlm::END_REQ;
                sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
                socket->nb_transport_bw(*pushed->payload, phase, delay);
            }
            if (pushed->left == 0) finish(pushed);
        }
        respond();
        const std::uint64_t next = wl_dram_next_event(memory);
        if (next != UINT64_MAX) {
            wake.notify(sc_core::sc_time(static_cast<double>(next - now_ps()), sc_core::SC_PS));
        }
    }

    // Whether all lines of a payload are in the memory.
    bool push(job &of)
    {
        const std::int32_t is_write = of.payload->is_write();
        for (; of.next_line < of.end_line; ++of.next_line) {
            if (wl_dram_can_accept(memory, of.next_line * LINE, is_write) != 1) return false;
            lines[next_id] = &of;
            check(wl_dram_push(memory, of.next_line * LINE, is_write, next_id++));
        }
        return true;
    }

    // One response at a time.
    void respond()
    {
        while (!responding && !responses.empty()) {
            job *done = responses.front();
            responses.pop_front();
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            const tlm::tlm_sync_enum answer = socket->nb_transport_bw(*done->payload, phase, delay);
            if (answer == tlm::TLM_ACCEPTED) {
                responding = true;
            } else if (delay > sc_core::SC_ZERO_TIME) {
                // END_RESP comes later: until then the next one waits.
                responding = true;
                sc_core::sc_spawn([this, delay] {
                    sc_core::wait(delay);
                    responding = false;
                    wake.notify(sc_core::SC_ZERO_TIME);
                });
            }
            done->payload->release();
            delete done;
        }
    }
};

#endif
