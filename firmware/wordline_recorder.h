/* Wordline recorder: how long each memory access of a firmware takes, out over any byte channel.
 *
 * SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The Wordline authors
 *
 * One header, C99 or C++11; needs no library, allocates nothing, computes no floats.
 *
 *     static uint32_t ring[1024];
 *     static wlr_recorder rec;
 *
 *     wlr_dwt_enable();                                       // once, at start
 *     wlr_init(&rec, ring, sizeof ring, 480000000u, 32);
 *
 *     uint64_t t = wlr_begin(&rec, wlr_dwt_now());            // around each access
 *     flash_read(address, buffer, 256);
 *     wlr_end_at(&rec, t, wlr_dwt_now(), WLR_READ, 256, address);
 *
 *     wlr_drain_to(&rec, uart_put, &uart1);                   // where nothing is measured
 *
 * Rules, each explained in firmware/README.md:
 *   - One producer: wlr_begin, wlr_end, wlr_end_at, wlr_tick and wlr_tick_checked come from one task.
 *     One consumer: wlr_drain, wlr_drain_to and wlr_announce come from one task or one interrupt.
 *     The two may interrupt each other anywhere; nothing locks.
 *   - The producer reads the counter at least once in every wrap (2^bits / hz seconds), or calls wlr_tick.
 *   - A ring that is full drops the newest record, counts it, and the stream tells how many were lost.
 *   - Draining costs time and bus traffic. Whatever is measured meanwhile is measured with it.
 *
 * The bytes are described in docs/reference/recorder-format.md.
 */
#ifndef WORDLINE_RECORDER_H
#define WORDLINE_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an access did. */
#define WLR_READ 0u
#define WLR_WRITE 1u

/* A header is sent again after so many frames, so that a capture may begin at any time. The decoder waits
 * for at most 4096 frames. */
#ifndef WLR_HEADER_EVERY
#define WLR_HEADER_EVERY 64u
#endif
#if WLR_HEADER_EVERY < 1 || WLR_HEADER_EVERY > 4000
#error "WLR_HEADER_EVERY is 1 to 4000 frames"
#endif

/* Longest frame with its delimiters, in bytes. */
#define WLR_FRAME_MAX 48u
/* Smallest ring, in bytes. */
#define WLR_RING_MIN 64u

/* Indices are published with release and read with acquire, so that a record is complete before the other
 * side sees it. The words of the ring are volatile, so that without these built-ins the compiler keeps the
 * order as well, which is all that one core needs. */
#if defined(__GNUC__) || defined(__clang__)
#define WLR_LOAD(from) __atomic_load_n((from), __ATOMIC_ACQUIRE)
#define WLR_STORE(to, value) __atomic_store_n((to), (value), __ATOMIC_RELEASE)
/* Keeps the compiler from moving an access out of its brackets. */
#define WLR_FENCE() __asm__ volatile("" ::: "memory")
#else
#define WLR_LOAD(from) (*(from))
#define WLR_STORE(to, value) (*(to) = (value))
#ifndef WLR_FENCE
#define WLR_FENCE() ((void)0)
#endif
#endif

/* Everything that a recorder knows. Fields are not for the user. */
typedef struct wlr_recorder {
    /* Constant after wlr_init. */
    volatile uint32_t *ring;
    uint32_t words;
    uint32_t hz;
    uint32_t bits;
    uint64_t mask;
    /* Written by the producer alone. `head`, `lost` are read by the consumer. */
    volatile uint32_t head;
    volatile uint32_t lost;
    uint32_t lost_stored;
    uint32_t gap_wraps;
    uint64_t seen;
    uint64_t last_end;
    uint64_t checked_at;
    uint32_t checked_ms;
    bool started;
    bool checked;
    /* Written by the consumer alone. `tail` is read by the producer. */
    volatile uint32_t tail;
    uint32_t lost_told;
    uint32_t sequence;
    uint32_t until_header;
    uint64_t sent_end;
    bool first;
    uint8_t frame_length;
    uint8_t frame_sent;
    uint8_t frame[WLR_FRAME_MAX];
} wlr_recorder;

/* First word of an entry of the ring: flags, and above them a count of 24 bits. */
#define WLR_E_WRITE 0x01u
#define WLR_E_OFFSET 0x02u
#define WLR_E_WIDE 0x04u
#define WLR_E_LOST 0x08u
#define WLR_E_GAP 0x10u
#define WLR_E_COUNT_MAX 0xFFFFFFu

/* ---- Beginning ---------------------------------------------------------------------------------------- */

/* Prepares `rec`. `ring_bytes` of `ring` hold about ring_bytes / 16 records. `counter_hz` is the frequency of
 * the counter, `counter_bits` its width. Returns false, and records nothing later, when the ring is smaller
 * than WLR_RING_MIN, the frequency is 0 or the width is not 8 to 64. */
static inline bool wlr_init(wlr_recorder *rec, uint32_t *ring, size_t ring_bytes, uint32_t counter_hz,
                            uint32_t counter_bits)
{
    bool usable = ring != NULL && ring_bytes >= WLR_RING_MIN && counter_hz != 0u && counter_bits >= 8u &&
                  counter_bits <= 64u;
    rec->ring = ring;
    rec->words = !usable                                 ? 0u
                 : ring_bytes / 4u > (size_t)0x3FFFFFFFu ? 0x3FFFFFFFu
                                                         : (uint32_t)(ring_bytes / 4u);
    rec->hz = counter_hz;
    rec->bits = counter_bits;
    rec->mask = counter_bits >= 64u ? UINT64_MAX : ((uint64_t)1 << counter_bits) - 1u;
    rec->head = 0u;
    rec->lost = 0u;
    rec->lost_stored = 0u;
    rec->gap_wraps = 0u;
    rec->seen = 0u;
    rec->last_end = 0u;
    rec->checked_at = 0u;
    rec->checked_ms = 0u;
    rec->started = false;
    rec->checked = false;
    rec->tail = 0u;
    rec->lost_told = 0u;
    rec->sequence = 0u;
    rec->until_header = 0u;
    rec->sent_end = 0u;
    rec->first = true;
    rec->frame_length = 0u;
    rec->frame_sent = 0u;
    return usable;
}

/* ---- Producer ----------------------------------------------------------------------------------------- */

/* A reading of the counter as 64 bits that do not wrap. A reading below the one before it is taken for one
 * wrap: readings are passed in the order in which they were taken. */
static inline uint64_t wlr_extend(wlr_recorder *rec, uint64_t now)
{
    uint64_t t = (rec->seen & ~rec->mask) | (now & rec->mask);
    if (!rec->started) {
        rec->started = true;
        rec->last_end = t;
    } else if (t < rec->seen) {
        /* Of a counter of 64 bits nothing is above the mask: it went backwards, and time stands still. */
        t = rec->mask == UINT64_MAX ? rec->seen : t + rec->mask + 1u;
    }
    rec->seen = t;
    return t;
}

/* Right before an access: what wlr_end wants to know. Accesses may be nested. The about 20 instructions of this
 * function lie between the two readings; where that is too much, take both readings first and call wlr_begin
 * and wlr_end behind the access. */
static inline uint64_t wlr_begin(wlr_recorder *rec, uint64_t now)
{
    return wlr_extend(rec, now);
}

static inline void wlr_push(wlr_recorder *rec, uint32_t *at, uint32_t word)
{
    rec->ring[*at] = word;
    *at = *at + 1u == rec->words ? 0u : *at + 1u;
}

/* What is stored ahead of a record when something went wrong before it. */
static inline void wlr_push_notes(wlr_recorder *rec, uint32_t *at)
{
    if (rec->gap_wraps != 0u) {
        wlr_push(rec, at, WLR_E_GAP | (rec->gap_wraps << 8));
        rec->gap_wraps = 0u;
    }
    if (rec->lost != rec->lost_stored) {
        wlr_push(rec, at, WLR_E_LOST);
        wlr_push(rec, at, rec->lost);
        rec->lost_stored = rec->lost;
    }
}

static inline bool wlr_store(wlr_recorder *rec, uint64_t begun, uint64_t now, uint32_t flags, uint32_t bytes,
                             uint64_t offset)
{
    uint64_t end = wlr_extend(rec, now);
    uint64_t duration = end - begun;
    uint64_t delta = end - rec->last_end;
    uint32_t at = rec->head;
    uint32_t tail = WLR_LOAD(&rec->tail);
    uint32_t room;
    uint32_t need;
    if (rec->words == 0u) {
        return false;
    }
    /* One word stays free, so that a full ring differs from an empty one. */
    room = (tail > at ? tail - at : rec->words - at + tail) - 1u;
    if (((delta | duration | offset) >> 32) != 0u || bytes > WLR_E_COUNT_MAX) {
        flags |= WLR_E_WIDE;
        need = (flags & WLR_E_OFFSET) != 0u ? 8u : 6u;
    } else {
        need = (flags & WLR_E_OFFSET) != 0u ? 4u : 3u;
    }
    need += rec->lost != rec->lost_stored ? 2u : 0u;
    need += rec->gap_wraps != 0u ? 1u : 0u;
    if (need > room) {
        WLR_STORE(&rec->lost, rec->lost + 1u);
        return false;
    }
    wlr_push_notes(rec, &at);
    if ((flags & WLR_E_WIDE) != 0u) {
        wlr_push(rec, &at, flags);
        wlr_push(rec, &at, (uint32_t)delta);
        wlr_push(rec, &at, (uint32_t)(delta >> 32));
        wlr_push(rec, &at, (uint32_t)duration);
        wlr_push(rec, &at, (uint32_t)(duration >> 32));
        wlr_push(rec, &at, bytes);
    } else {
        wlr_push(rec, &at, flags | (bytes << 8));
        wlr_push(rec, &at, (uint32_t)delta);
        wlr_push(rec, &at, (uint32_t)duration);
    }
    if ((flags & WLR_E_OFFSET) != 0u) {
        wlr_push(rec, &at, (uint32_t)offset);
        if ((flags & WLR_E_WIDE) != 0u) {
            wlr_push(rec, &at, (uint32_t)(offset >> 32));
        }
    }
    rec->last_end = end;
    WLR_STORE(&rec->head, at);
    return true;
}

/* Right after an access that began at `begun` (from wlr_begin) and moved `bytes`; `op` is WLR_READ or
 * WLR_WRITE. Returns false when the ring was full and the record is lost, which is counted. */
static inline bool wlr_end(wlr_recorder *rec, uint64_t begun, uint64_t now, uint32_t op, uint32_t bytes)
{
    return wlr_store(rec, begun, now, op != WLR_READ ? WLR_E_WRITE : 0u, bytes, 0u);
}

/* As wlr_end, with the address of the first byte. */
static inline bool wlr_end_at(wlr_recorder *rec, uint64_t begun, uint64_t now, uint32_t op, uint32_t bytes,
                              uint64_t offset)
{
    uint32_t flags = (op != WLR_READ ? WLR_E_WRITE : 0u) | WLR_E_OFFSET;
    return wlr_store(rec, begun, now, flags, bytes, offset);
}

/* Between accesses that are further apart than a wrap of the counter: at least once in every wrap. */
static inline void wlr_tick(wlr_recorder *rec, uint64_t now)
{
    (void)wlr_extend(rec, now);
}

/* As wlr_tick, and compares the counter with a coarse clock that does not wrap meanwhile: milliseconds since
 * start, such as the tick of the system, from the second call on. Wraps that nobody saw are added to the time,
 * and the stream tells them. Both clocks have to agree to half a wrap. Returns the wraps that were missed. */
static inline uint32_t wlr_tick_checked(wlr_recorder *rec, uint64_t now, uint32_t now_ms)
{
    uint64_t t = wlr_extend(rec, now);
    uint64_t missed = 0u;
    if (rec->checked && rec->bits < 63u) {
        uint64_t elapsed = (uint64_t)(uint32_t)(now_ms - rec->checked_ms) * rec->hz / 1000u;
        uint64_t seen = t - rec->checked_at;
        if (elapsed > seen) {
            missed = (elapsed - seen + (rec->mask >> 1) + 1u) >> rec->bits;
        }
        if (missed != 0u) {
            uint64_t told = rec->gap_wraps + missed;
            t += missed << rec->bits;
            rec->seen = t;
            rec->gap_wraps = told > WLR_E_COUNT_MAX ? WLR_E_COUNT_MAX : (uint32_t)told;
        }
    }
    rec->checked = true;
    rec->checked_at = t;
    rec->checked_ms = now_ms;
    return missed > UINT32_MAX ? UINT32_MAX : (uint32_t)missed;
}

/* Records that were lost to a full ring since wlr_init, modulo 2^32. */
static inline uint32_t wlr_lost(const wlr_recorder *rec)
{
    return rec->lost;
}

/* ---- Consumer ----------------------------------------------------------------------------------------- */

static inline uint32_t wlr_pop(wlr_recorder *rec, uint32_t *at)
{
    uint32_t word = rec->ring[*at];
    *at = *at + 1u == rec->words ? 0u : *at + 1u;
    return word;
}

/* Seven bits a byte, lowest first, the top bit says that another follows. */
static inline uint32_t wlr_varint(uint8_t *out, uint32_t at, uint64_t value)
{
    while (value > 0x7Fu) {
        out[at++] = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    out[at++] = (uint8_t)value;
    return at;
}

/* CRC-16 with polynomial 1021h, from FFFFh, highest bit first. */
static inline uint32_t wlr_crc(const uint8_t *data, uint32_t length)
{
    uint32_t crc = 0xFFFFu;
    uint32_t i;
    for (i = 0u; i < length; i++) {
        uint32_t x = (crc >> 8) ^ data[i];
        x ^= x >> 4;
        crc = ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xFFFFu;
    }
    return crc;
}

/* Appends the CRC, stuffs the zeros and puts delimiters around: `frame` holds the payload from index 2 on,
 * up to `end`. No payload is longer than 43 bytes, so one block of at most 254 suffices. */
static inline void wlr_seal(wlr_recorder *rec, uint32_t end)
{
    uint8_t *frame = rec->frame;
    uint32_t crc = wlr_crc(frame + 2, end - 2u);
    uint32_t code = 1u;
    uint32_t i;
    frame[end++] = (uint8_t)crc;
    frame[end++] = (uint8_t)(crc >> 8);
    for (i = 2u; i < end; i++) {
        if (frame[i] == 0u) {
            frame[code] = (uint8_t)(i - code);
            code = i;
        }
    }
    frame[code] = (uint8_t)(end - code);
    frame[0] = 0u;
    frame[end++] = 0u;
    rec->frame_length = (uint8_t)end;
    rec->frame_sent = 0u;
}

static inline void wlr_make_header(wlr_recorder *rec)
{
    uint8_t *frame = rec->frame;
    uint32_t at = 2u;
    frame[at++] = 0x57u; /* "WLR1" */
    frame[at++] = 0x4Cu;
    frame[at++] = 0x52u;
    frame[at++] = 0x31u;
    frame[at++] = 1u; /* version */
    frame[at++] = rec->first ? 1u : 0u;
    frame[at++] = (uint8_t)rec->bits;
    at = wlr_varint(frame, at, rec->hz);
    at = wlr_varint(frame, at, rec->sequence);
    at = wlr_varint(frame, at, rec->sent_end);
    at = wlr_varint(frame, at, rec->lost_told);
    rec->first = false;
    rec->until_header = WLR_HEADER_EVERY;
    wlr_seal(rec, at);
}

/* A frame that counts: kind and the low byte of its number. */
static inline uint32_t wlr_open(wlr_recorder *rec, uint32_t kind)
{
    rec->frame[2] = (uint8_t)kind;
    rec->frame[3] = (uint8_t)rec->sequence;
    rec->sequence++;
    rec->until_header--;
    return 4u;
}

static inline void wlr_make_lost(wlr_recorder *rec, uint32_t total)
{
    uint32_t at = wlr_open(rec, 0x20u);
    at = wlr_varint(rec->frame, at, (uint32_t)(total - rec->lost_told));
    rec->lost_told = total;
    wlr_seal(rec, at);
}

static inline void wlr_make_access(wlr_recorder *rec, uint32_t head, uint32_t *from)
{
    bool wide = (head & WLR_E_WIDE) != 0u;
    uint64_t delta = wlr_pop(rec, from);
    uint64_t duration;
    uint32_t bytes = head >> 8;
    uint32_t at = wlr_open(rec, 0x10u | (head & (WLR_E_WRITE | WLR_E_OFFSET)));
    if (wide) {
        delta |= (uint64_t)wlr_pop(rec, from) << 32;
    }
    duration = wlr_pop(rec, from);
    if (wide) {
        duration |= (uint64_t)wlr_pop(rec, from) << 32;
        bytes = wlr_pop(rec, from);
    }
    rec->sent_end += delta;
    at = wlr_varint(rec->frame, at, delta);
    at = wlr_varint(rec->frame, at, duration);
    at = wlr_varint(rec->frame, at, bytes);
    if ((head & WLR_E_OFFSET) != 0u) {
        uint64_t offset = wlr_pop(rec, from);
        if (wide) {
            offset |= (uint64_t)wlr_pop(rec, from) << 32;
        }
        at = wlr_varint(rec->frame, at, offset);
    }
    wlr_seal(rec, at);
}

/* Takes one entry from the ring into `frame`. Returns whether it became a frame. */
static inline bool wlr_take(wlr_recorder *rec)
{
    uint32_t from = rec->tail;
    uint32_t head = wlr_pop(rec, &from);
    bool made = true;
    if ((head & WLR_E_LOST) != 0u) {
        uint32_t total = wlr_pop(rec, &from);
        /* They may have been told already, when the ring was empty. */
        made = (int32_t)(total - rec->lost_told) > 0;
        if (made) {
            wlr_make_lost(rec, total);
        }
    } else if ((head & WLR_E_GAP) != 0u) {
        uint32_t at = wlr_open(rec, 0x30u);
        at = wlr_varint(rec->frame, at, head >> 8);
        wlr_seal(rec, at);
    } else {
        wlr_make_access(rec, head, &from);
    }
    WLR_STORE(&rec->tail, from);
    return made;
}

/* Makes the next frame. Returns false when there is nothing to tell. */
static inline bool wlr_fill(wlr_recorder *rec)
{
    if (rec->words == 0u) {
        return false;
    }
    if (rec->until_header == 0u) {
        wlr_make_header(rec);
        return true;
    }
    while (WLR_LOAD(&rec->head) != rec->tail) {
        if (wlr_take(rec)) {
            return true;
        }
    }
    {
        /* Losses that no record followed yet. */
        uint32_t total = WLR_LOAD(&rec->lost);
        if (total != rec->lost_told) {
            wlr_make_lost(rec, total);
            return true;
        }
    }
    return false;
}

/* Writes up to `max` bytes of the stream to `out`; a frame may be cut anywhere and goes on with the next call.
 * Returns how many were written: 0 when there is nothing to tell. */
static inline size_t wlr_drain(wlr_recorder *rec, uint8_t *out, size_t max)
{
    size_t written = 0u;
    while (written < max) {
        if (rec->frame_sent == rec->frame_length && !wlr_fill(rec)) {
            break;
        }
        out[written++] = rec->frame[rec->frame_sent++];
    }
    return written;
}

/* Takes `length` bytes and returns how many it took; fewer end the draining for now. */
typedef size_t (*wlr_put_fn)(void *ctx, const uint8_t *data, size_t length);

/* Hands the stream to `put`, one frame a call, until all is told or `put` takes less than it was given.
 * Returns how many bytes were taken. Text that `put` sends between its calls harms no frame. */
static inline size_t wlr_drain_to(wlr_recorder *rec, wlr_put_fn put, void *ctx)
{
    size_t taken = 0u;
    for (;;) {
        size_t left;
        size_t took;
        if (rec->frame_sent == rec->frame_length && !wlr_fill(rec)) {
            return taken;
        }
        left = (size_t)rec->frame_length - rec->frame_sent;
        took = put(ctx, rec->frame + rec->frame_sent, left);
        took = took > left ? left : took;
        rec->frame_sent = (uint8_t)(rec->frame_sent + took);
        taken += took;
        if (took < left) {
            return taken;
        }
    }
}

/* The next frame is a header: for a listener who has just come. */
static inline void wlr_announce(wlr_recorder *rec)
{
    rec->until_header = 0u;
}

/* ---- Counters ----------------------------------------------------------------------------------------- */

/* Any counter that counts up does: pass its reading as `now`, its frequency and width to wlr_init. */

#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__) ||               \
    defined(__ARM_ARCH_8_1M_MAIN__) || defined(WLR_USE_DWT)
#define WLR_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
/* Starts the cycle counter of a Cortex-M3, M4, M7, M33, M55 or M85, 32 bits at the clock of the core. Returns
 * false where there is none. */
static inline bool wlr_dwt_enable(void)
{
    WLR_REGISTER(0xE000EDFCu) |= 1u << 24;        /* DEMCR.TRCENA */
    WLR_REGISTER(0xE0001FB0u) = 0xC5ACCE55u;      /* DWT_LAR: the M7 locks it, others ignore it */
    if ((WLR_REGISTER(0xE0001000u) & (1u << 25)) != 0u) { /* DWT_CTRL.NOCYCCNT */
        return false;
    }
    WLR_REGISTER(0xE0001000u) |= 1u;              /* DWT_CTRL.CYCCNTENA */
    return true;
}

/* DWT_CYCCNT. The counter stands while the core sleeps or a debugger halts it. */
static inline uint32_t wlr_dwt_now(void)
{
    uint32_t now;
    WLR_FENCE();
    now = WLR_REGISTER(0xE0001004u);
    WLR_FENCE();
    return now;
}
#endif

#if defined(__riscv) && (defined(__GNUC__) || defined(__clang__))
/* The machine's cycle counter, 64 bits, in machine mode. */
static inline uint64_t wlr_mcycle_now(void)
{
#if __riscv_xlen >= 64
    uint64_t now;
    __asm__ volatile("csrr %0, mcycle" : "=r"(now)::"memory");
    return now;
#else
    uint32_t high, low, again;
    do {
        __asm__ volatile("csrr %0, mcycleh" : "=r"(high)::"memory");
        __asm__ volatile("csrr %0, mcycle" : "=r"(low)::"memory");
        __asm__ volatile("csrr %0, mcycleh" : "=r"(again)::"memory");
    } while (high != again);
    return ((uint64_t)high << 32) | low;
#endif
}
#endif

/* Shorter, where WLR_NOW is defined to read the counter: #define WLR_NOW() wlr_dwt_now() */
#define WLR_BEGIN(rec) wlr_begin((rec), WLR_NOW())
#define WLR_END(rec, begun, op, bytes) wlr_end((rec), (begun), WLR_NOW(), (op), (bytes))
#define WLR_END_AT(rec, begun, op, bytes, offset)                                                           \
    wlr_end_at((rec), (begun), WLR_NOW(), (op), (bytes), (offset))
#define WLR_TICK(rec) wlr_tick((rec), WLR_NOW())

#ifdef __cplusplus
}
#endif

#endif
