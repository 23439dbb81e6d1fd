/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table with open addressing. Trace readers look up several names in
 * each row, so the look-up of a short name must be fast. */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_MAX = 8 };
#define PRIME \
    UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio */

/* Packs one to SHORT_MAX bytes into a number that no other text of the same
 * length has. It has no loop: lengths change from name to name, and a
 * mispredicted end of a loop costs more than the loop. */
static inline uint64_t short_key(const char *at, size_t n)
{
    uint32_t first, last;
    if (n >= sizeof first) {
        memcpy(&first, at, sizeof first);
        memcpy(&last, at + n - sizeof last, sizeof last);
        return (uint64_t)first << 32 | last;
    }
    const unsigned char *u = (const unsigned char *)at;
    return (uint64_t)u[0] << 16 | (uint64_t)u[n / 2] << 8 | u[n - 1];
}

static inline uint64_t short_hash(const char *at, size_t n, uint64_t before)
{
    uint64_t h = (before ^ short_key(at, n)) * PRIME;
    return h ^ h >> 32;
}

/* Hashes eight bytes at a time, where FNV hashes one. Each step is invertible,
 * so two texts of equal length and at most SHORT_MAX bytes never share a hash:
 * find_slot relies on it. */
static inline uint64_t slot_hash(struct text t)
{
    uint64_t h = t.len;
    size_t i = 0;
    if (t.len == 0)
        return 0;
    for (uint64_t word; i + sizeof word < t.len; i += sizeof word) {
        memcpy(&word, t.at + i, sizeof word);
        h = (h ^ word) * PRIME;
        h ^= h >> 32;
    }
    return short_hash(t.at + i, t.len - i, h);
}

void interner_init(struct interner *in)
{
    *in = (struct interner){0};
    arena_init(&in->arena);
    in->n_slots = 64;
    in->slots = mem_zalloc(in->n_slots, sizeof *in->slots);
    interner_add(in, (struct text){"", 0});
}

void interner_fini(struct interner *in)
{
    arena_fini(&in->arena);
    free(in->strings);
    free(in->slots);
    *in = (struct interner){0};
}

void interner_copy(const struct interner *in, struct interner *out)
{
    *out = (struct interner){.n_strings = in->n_strings,
                             .cap_strings = in->n_strings,
                             .n_slots = in->n_slots};
    arena_init(&out->arena);
    out->slots = mem_alloc(in->n_slots * sizeof *out->slots);
    memcpy(out->slots, in->slots, in->n_slots * sizeof *out->slots);
    out->strings = mem_alloc(in->n_strings * sizeof *out->strings);
    for (size_t i = 0; i < in->n_strings; i++) {
        struct text t = in->strings[i];
        out->strings[i] =
            (struct text){arena_copy(&out->arena, t.at, t.len), t.len};
    }
}

size_t interner_bytes(const struct interner *in)
{
    size_t bytes = in->n_slots * sizeof *in->slots;
    for (size_t i = 0; i < in->n_strings; i++)
        bytes += sizeof *in->strings + in->strings[i].len + ARENA_ALIGN;
    return bytes;
}

static inline struct interner_slot *slot_at(const struct interner *in, size_t i)
{
    return &in->slots[i & (in->n_slots - 1)];
}

/* Returns the slot that holds t, or the empty slot where t belongs. */
static struct interner_slot *find_slot(const struct interner *in, struct text t,
                                       uint64_t hash)
{
    for (size_t i = hash;; i++) {
        struct interner_slot *slot = slot_at(in, i);
        if (!slot->next || (slot->hash == hash && slot->len == t.len &&
                            (t.len <= SHORT_MAX ||
                             text_equal(in->strings[slot->next - 1], t))))
            return slot;
    }
}

static void double_slots(struct interner *in)
{
    struct interner_slot *old = in->slots;
    size_t n_old = in->n_slots;
    in->n_slots *= 2;
    in->slots = mem_zalloc(in->n_slots, sizeof *in->slots);
    for (size_t s = 0; s < n_old; s++) {
        size_t i = old[s].hash & (in->n_slots - 1);
        if (!old[s].next)
            continue;
        while (in->slots[i].next)
            i = (i + 1) & (in->n_slots - 1);
        in->slots[i] = old[s];
    }
    free(old);
}

static __attribute__((noinline)) uint32_t add_any(struct interner *in,
                                                  struct text t)
{
    uint64_t hash = slot_hash(t);
    struct interner_slot *slot = find_slot(in, t, hash);
    if (slot->next)
        return slot->next - 1;
    if ((in->n_strings + 1) * 4 > in->n_slots * 3) {
        double_slots(in);
        slot = find_slot(in, t, hash);
    }
    in->strings = mem_grow(in->strings, &in->cap_strings, in->n_strings + 1,
                           sizeof *in->strings);
    uint32_t symbol = (uint32_t)in->n_strings++;
    in->strings[symbol] =
        (struct text){arena_copy(&in->arena, t.at, t.len), t.len};
    *slot = (struct interner_slot){hash, (uint32_t)t.len, symbol + 1};
    return symbol;
}

/* Most names are short and already interned. This path finds them without
 * calling a function, so it need not save registers. The compiler must not
 * inline it, because a reader's loop contains six calls. */
__attribute__((noinline)) uint32_t interner_add(struct interner *in,
                                                struct text t)
{
    if (t.len - 1 < SHORT_MAX) {
        uint64_t hash = short_hash(t.at, t.len, t.len);
        const struct interner_slot *slot;
        for (size_t i = hash; slot = slot_at(in, i), slot->next; i++) {
            if (slot->hash == hash && slot->len == t.len)
                return slot->next - 1;
        }
    }
    return add_any(in, t);
}

uint32_t interner_find(const struct interner *in, struct text t)
{
    return find_slot(in, t, slot_hash(t))->next - 1; /* an empty slot has next
                                                      * 0, and 0 - 1 is
                                                      * UINT32_MAX */
}

const char *interner_string(const struct interner *in, uint32_t symbol)
{
    return in->strings[symbol].at;
}
