// A memory of wordline_dram.h as a memory controller of gem5: an AbstractMemory with one response port.
//
// It has no clock. It wakes at wl_dram_next_event, and runs the memory to the present tick where a request comes. A full
// queue refuses the request and asks for a retry as soon as anything leaves a queue. Written for gem5 21.1 and newer.
#ifndef __MEM_WORDLINE_MEMORY_HH__
#define __MEM_WORDLINE_MEMORY_HH__

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "mem/abstract_mem.hh"
#include "params/WordlineMemory.hh"
#include "sim/eventq.hh"
#include "wordline_dram.h"

namespace gem5
{
namespace memory
{

class WordlineMemory : public AbstractMemory
{
  public:
    WordlineMemory(const WordlineMemoryParams &p);
    ~WordlineMemory();

    Port &getPort(const std::string &name, PortID index) override;
    void init() override;
    void startup() override;
    void resetStats() override;
    DrainState drain() override;

  private:
    class MemoryPort : public ResponsePort
    {
      public:
        MemoryPort(const std::string &name, WordlineMemory &memory);

      protected:
        Tick recvAtomic(PacketPtr packet) override;
        void recvFunctional(PacketPtr packet) override;
        bool recvTimingReq(PacketPtr packet) override;
        void recvRespRetry() override;
        AddrRangeList getAddrRanges() const override;

      private:
        WordlineMemory &memory;
    };

    static void completed(void *user, uint64_t id, int32_t is_write, uint64_t time_ps);

    Tick atomicAccess(PacketPtr packet);
    void functional(PacketPtr packet);
    bool request(PacketPtr packet);

    /** Runs the memory to the present tick, and wakes when it has more to say. */
    void advance();
    void wakeAtNextEvent();
    uint64_t nowPs() const;

    /** Moves the data, and queues the response where one is wanted. */
    void respond(PacketPtr packet);
    void sendResponses();
    bool isIdle() const;
    void check(wl_dram_status status) const;

    MemoryPort port;
    wl_dram *dram = nullptr;
    Tick begin = 0;
    uint64_t nextId = 0;
    /** Requests in the memory, by the ids of their completions. */
    std::unordered_map<uint64_t, PacketPtr> outstanding;
    std::deque<PacketPtr> responses;
    /** A requestor waits for our retry, or we for that of a response. */
    bool owesRetry = false;
    bool awaitsRetry = false;
    EventFunctionWrapper wake;
    EventFunctionWrapper send;
    /** The requestor may look at a packet until the call after the one that took it. */
    std::unique_ptr<Packet> lastTaken;
};

} // namespace memory
} // namespace gem5

#endif // __MEM_WORDLINE_MEMORY_HH__
