/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts records without quotes into cells, WORD bytes at a time. A loop over
 * single bytes takes 6 % more CPU time on a trace of 100,000 jobs
 * (docs/speed.md); libcsv takes five times as long as this loop. */
#include "base/rows_internal.h"

#ifdef __SSE2__ /* defined on every x86-64 */
#include <emmintrin.h>
#endif

/* Returns a mask in which bit i is set if byte i of the word is `wanted`. */
static inline uint64_t places_of(char wanted, const char *at)
{
    uint64_t bits = 0;
#ifdef __SSE2__
    const __m128i sought = _mm_set1_epi8(wanted);
    for (unsigned i = 0; i < WORD; i += sizeof sought) {
        __m128i bytes =
            _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        __m128i hits = _mm_cmpeq_epi8(bytes, sought);
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(hits) << i;
    }
#else
    for (unsigned i = 0; i < WORD; i++)
        bits |= (uint64_t)(at[i] == wanted) << i;
#endif
    return bits;
}

/* WORD is large, because the processor mispredicts the number of commas
 * about once per word. */
const char *rows_split(struct rows *r)
{
    const char *const begin = r->buf + r->keep, *end = r->buf + r->end;
    const char *cell = begin;
    const char separator = r->separator;
    struct text *to = r->cells;
    uint64_t stop = 0;
    for (const char *at = begin; at < end && !stop; at += WORD) {
        stop = places_of('\n', at);
        uint64_t hits = places_of(separator, at) & (stop - 1) & ~stop;
        for (; hits; hits &= hits - 1) {
            const char *comma = at + __builtin_ctzll(hits);
            *to++ = (struct text){cell, (size_t)(comma - cell)};
            cell = comma + 1;
        }
        if (stop)
            end = at + __builtin_ctzll(stop);
        if (to >= r->cells + ROWS_CELLS_MAX)
            break;
    }
    const char *const feed = stop ? end : NULL;
    end -= end > cell && end[-1] == '\r';
    *to++ = (struct text){cell, (size_t)(end - cell)};
    r->n_cells = (size_t)(to - r->cells);
    r->record_len = (size_t)(end - begin);
    return r->n_cells <= ROWS_CELLS_MAX ? feed : NULL;
}
