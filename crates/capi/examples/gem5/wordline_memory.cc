#include "mem/wordline_memory.hh"

#include <algorithm>
#include <cstring>

#include "base/logging.hh"
#include "sim/core.hh"
#include "sim/cur_tick.hh"
#include "sim/system.hh"

namespace gem5
{
namespace memory
{

WordlineMemory::WordlineMemory(const WordlineMemoryParams &p)
    : AbstractMemory(p), port(name() + ".port", *this),
      wake([this] { advance(); }, name() + ".wake"),
      send([this] { sendResponses(); }, name() + ".send")
{
    wl_dram_options options;
    std::memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.abi = WL_DRAM_ABI;
    options.target = p.target.c_str();
    options.settings = p.settings.c_str();
    options.complete = completed;
    options.user = this;
    check(wl_dram_create(&options, &dram));
    wl_dram_info info;
    info.size = sizeof info;
    check(wl_dram_get_info(dram, &info));
    fatal_if(size() > info.bytes, "%s: a range of %d bytes is more than the %d of %s",
             name(), size(), info.bytes, p.target);
}

WordlineMemory::~WordlineMemory() { wl_dram_free(dram); }

void
WordlineMemory::check(wl_dram_status status) const
{
    fatal_if(status != WL_DRAM_OK, "%s: %s", name(), wl_dram_message());
}

void
WordlineMemory::init()
{
    AbstractMemory::init();
    fatal_if(!port.isConnected(), "%s is connected to nothing", name());
    fatal_if(system()->cacheLineSize() > 64, "%s serves lines of 64 bytes, not of %d", name(),
             system()->cacheLineSize());
    port.sendRangeChange();
}

void
WordlineMemory::startup()
{
    begin = curTick();
}

uint64_t
WordlineMemory::nowPs() const
{
    return (curTick() - begin) / sim_clock::as_int::ps;
}

void
WordlineMemory::advance()
{
    // Callbacks come from here.
    check(wl_dram_run_until(dram, nowPs()));
    if (owesRetry) {
        // Refused again where its queue is still full.
        owesRetry = false;
        port.sendRetryReq();
    }
    wakeAtNextEvent();
}

void
WordlineMemory::wakeAtNextEvent()
{
    const uint64_t next = wl_dram_next_event(dram);
    if (next == UINT64_MAX)
        return;
    const Tick at = std::max(begin + next * sim_clock::as_int::ps, curTick() + 1);
    if (!wake.scheduled())
        schedule(wake, at);
    else if (wake.when() > at)
        reschedule(wake, at);
}

bool
WordlineMemory::request(PacketPtr packet)
{
    if (packet->cacheResponding()) {
        // A cache answers it.
        lastTaken.reset(packet);
        return true;
    }
    if (owesRetry)
        return false;
    if (!packet->isRead() && !packet->isWrite()) {
        respond(packet);
        return true;
    }
    check(wl_dram_run_until(dram, nowPs()));
    const Addr line = getAddrRange().getOffset(packet->getAddr()) & ~Addr(63);
    if (wl_dram_can_accept(dram, line, packet->isWrite()) != 1) {
        owesRetry = true;
        wakeAtNextEvent();
        return false;
    }
    outstanding[nextId] = packet;
    check(wl_dram_push(dram, line, packet->isWrite(), nextId++));
    wakeAtNextEvent();
    return true;
}

void
WordlineMemory::completed(void *user, uint64_t id, int32_t, uint64_t)
{
    auto *memory = static_cast<WordlineMemory *>(user);
    const auto found = memory->outstanding.find(id);
    const PacketPtr packet = found->second;
    memory->outstanding.erase(found);
    memory->respond(packet);
}

void
WordlineMemory::respond(PacketPtr packet)
{
    const bool wanted = packet->needsResponse();
    access(packet);
    if (wanted) {
        const Tick at = curTick() + packet->headerDelay + packet->payloadDelay;
        packet->headerDelay = packet->payloadDelay = 0;
        responses.push_back(packet);
        if (!awaitsRetry && !send.scheduled())
            schedule(send, at);
    } else {
        lastTaken.reset(packet);
        if (isIdle())
            signalDrainDone();
    }
}

void
WordlineMemory::sendResponses()
{
    while (!responses.empty()) {
        if (!port.sendTimingResp(responses.front())) {
            awaitsRetry = true;
            return;
        }
        responses.pop_front();
    }
    if (isIdle())
        signalDrainDone();
}

bool
WordlineMemory::isIdle() const
{
    return outstanding.empty() && responses.empty();
}

Tick
WordlineMemory::atomicAccess(PacketPtr packet)
{
    access(packet);
    // Without time there are no queues: what a read of a closed row takes, about.
    return packet->cacheResponding() ? 0 : 50 * sim_clock::as_int::ns;
}

void
WordlineMemory::functional(PacketPtr packet)
{
    packet->pushLabel(name());
    functionalAccess(packet);
    for (PacketPtr response : responses)
        packet->trySatisfyFunctional(response);
    packet->popLabel();
}

DrainState
WordlineMemory::drain()
{
    return isIdle() ? DrainState::Drained : DrainState::Draining;
}

void
WordlineMemory::resetStats()
{
    AbstractMemory::resetStats();
    check(wl_dram_reset_stats(dram));
}

Port &
WordlineMemory::getPort(const std::string &name, PortID index)
{
    if (name == "port")
        return port;
    return AbstractMemory::getPort(name, index);
}

WordlineMemory::MemoryPort::MemoryPort(const std::string &name, WordlineMemory &memory)
    : ResponsePort(name), memory(memory)
{}

AddrRangeList
WordlineMemory::MemoryPort::getAddrRanges() const
{
    return {memory.getAddrRange()};
}

Tick
WordlineMemory::MemoryPort::recvAtomic(PacketPtr packet)
{
    return memory.atomicAccess(packet);
}

void
WordlineMemory::MemoryPort::recvFunctional(PacketPtr packet)
{
    memory.functional(packet);
}

bool
WordlineMemory::MemoryPort::recvTimingReq(PacketPtr packet)
{
    return memory.request(packet);
}

void
WordlineMemory::MemoryPort::recvRespRetry()
{
    memory.awaitsRetry = false;
    memory.sendResponses();
}

} // namespace memory
} // namespace gem5
