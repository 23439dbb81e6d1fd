/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/stats.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/base/check.h"

/* A range around rank k of lo..hi that very likely holds it: from the sample of
 * Floyd and Rivest (CACM 18, 1975, algorithm 489). */
static void narrow(size_t lo, size_t hi, size_t k, size_t *from, size_t *to)
{
    double n = (double)(hi - lo + 1), i = (double)(k - lo + 1);
    double z = log(n), s = 0.5 * exp(2 * z / 3);
    double d = 0.5 * sqrt(z * s * (n - s) / n) * (i < n / 2 ? -1 : 1);
    double below = i * s / n - d, above = (n - i) * s / n + d;
    *from = below < (double)(k - lo) ? k - (size_t)fmax(below, 0) : lo;
    *to = above < (double)(hi - k) ? k + (size_t)fmax(above, 0) : hi;
}

static double median(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    double rest = c < high ? c : high;
    return rest > low ? rest : low;
}

/* Moves the values below the pivot (with `equal`, also those equal to it) to
 * the front. Returns where the others begin. Swaps every value, because a
 * branch per value would be mispredicted. */
static size_t part(double *values, size_t from, size_t end, double pivot,
                   bool equal)
{
    for (size_t i = from; i < end; i++) {
        double value = values[i];
        values[i] = values[from];
        values[from] = value;
        from += equal ? value <= pivot : value < pivot;
    }
    return from;
}

/* Quickselect: values[k] becomes what it would be if from..end-1 were sorted,
 * with smaller values before it and larger ones after it. The pivot is the
 * median of three (Hoare) or, in large ranges, rank k of a sample, which leaves
 * few values for a second round. */
static double select_rank(double *values, size_t from, size_t end, size_t k)
{
    enum { LARGE = 600 }; /* where Floyd and Rivest begin to sample */
    while (end - from > 1) {
        double pivot = median(values[from], values[from + (end - from) / 2],
                              values[end - 1]);
        if (end - from > LARGE) {
            size_t low, high;
            narrow(from, end - 1, k, &low, &high);
            pivot = select_rank(values, low, high + 1, k);
        }
        size_t same = part(values, from, end, pivot, false);
        if (k < same) {
            end = same;
            continue;
        }
        from = part(values, same, end, pivot, true);
        if (k < from)
            return pivot;
    }
    return values[k];
}

static size_t rank_of(size_t n, double percent)
{
    size_t rank = (size_t)ceil(percent / 100 * (double)n - 1e-9);
    return rank > 0 ? rank - 1 : 0;
}

/* Buckets between the least and the largest value. The width of a bucket is a
 * share of the value, because the bits of a double sort as the double does and
 * grow almost logarithmically. Values below a thousandth go into the first
 * bucket. */
enum { MOST_BUCKETS = 1 << 12 };

struct buckets {
    uint64_t base;
    unsigned shift;
    size_t n;
};

static uint64_t ordered_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t bucket_of(const struct buckets *b, double value)
{
    uint64_t bits = ordered_bits(value);
    return bits > b->base ? (bits - b->base) >> b->shift : 0;
}

/* Chooses the number of buckets so that each holds a few values. Clearing and
 * scanning more buckets costs more than searching among values that share one.
 */
static struct buckets make_buckets(const struct stats_list *list)
{
    enum { VALUES_LOG2 = 2, MOST_LOG2 = 12 };
    _Static_assert(1 << MOST_LOG2 == MOST_BUCKETS, "");
    unsigned log2 = 63 - (unsigned)__builtin_clzll(list->n) - VALUES_LOG2;
    log2 = log2 < MOST_LOG2 ? log2 : MOST_LOG2;
    bool tiny = list->least >= 0 && list->least < 1e-3;
    uint64_t low = ordered_bits(tiny ? 1e-3 : list->least);
    uint64_t high = ordered_bits(list->most);
    uint64_t range = high > low ? high - low : 1;
    unsigned bits = 64 - (unsigned)__builtin_clzll(range);
    return (struct buckets){low, bits > log2 ? bits - log2 : 0, 1u << log2};
}

/* A rank to be found, and the bucket in which it lies. */
struct wanted {
    size_t rank, bucket;
    size_t below; /* number of values in earlier buckets */
};

/* Moves the values of the wanted buckets to the front and keeps their order.
 * Returns how many there are. */
static size_t keep_wanted(const struct stats_list *list,
                          const struct buckets *b, const struct wanted *wanted,
                          size_t n_wanted)
{
    bool is_wanted[MOST_BUCKETS];
    double *values = list->values;
    size_t kept = 0;
    memset(is_wanted, 0, b->n);
    for (size_t w = 0; w < n_wanted; w++)
        is_wanted[wanted[w].bucket] = true;
    for (size_t i = 0; i < list->n; i++) {
        double value = values[i];
        values[kept] = value;
        kept += is_wanted[bucket_of(b, value)];
    }
    return kept;
}

/* Two passes over all values, in any order, and a search among the few values
 * that share a bucket with a rank. */
static void select_by_buckets(const struct stats_list *list,
                              const size_t *ranks, size_t n_ranks, double *out)
{
    uint32_t count[MOST_BUCKETS];
    struct wanted wanted[STATS_PERCENTILES];
    struct buckets b = make_buckets(list);
    memset(count, 0, b.n * sizeof *count);
    for (size_t i = 0; i < list->n; i++)
        count[bucket_of(&b, list->values[i])]++;
    size_t bucket = 0, below = 0, skipped = 0, from = 0;
    for (size_t r = 0; r < n_ranks; r++) {
        while (ranks[r] >= below + count[bucket])
            below += count[bucket++];
        wanted[r] = (struct wanted){ranks[r], bucket, below};
    }
    size_t kept = keep_wanted(list, &b, wanted, n_ranks);
    /* Number of values that lie before a wanted bucket and were not kept. */
    size_t kept_below = 0;
    for (size_t r = 0; r < n_ranks; r++) {
        if (r == 0)
            skipped = wanted[r].below;
        else if (wanted[r].bucket != wanted[r - 1].bucket) {
            kept_below += count[wanted[r - 1].bucket];
            skipped = wanted[r].below - kept_below;
        }
        size_t rank = wanted[r].rank - skipped;
        out[r] = select_rank(list->values, from, kept, rank);
        from = rank;
    }
}

struct stats_list stats_list_of(double *values, size_t n)
{
    struct stats_list list = {values, n, values[0], values[0]};
    for (size_t i = 1; i < n; i++) {
        list.least = values[i] < list.least ? values[i] : list.least;
        list.most = values[i] > list.most ? values[i] : list.most;
    }
    return list;
}

void stats_percentiles(struct stats_list list, const double *percents,
                       size_t n_percents, double *out)
{
    enum { FEW = 32 }; /* buckets do not pay for so few values */
    size_t ranks[STATS_PERCENTILES], from = 0, n = list.n;
    CHECK(n > 0 && n_percents <= STATS_PERCENTILES);
    for (size_t p = 0; p < n_percents; p++)
        ranks[p] = rank_of(n, percents[p]);
    if (n > FEW && n < UINT32_MAX) {
        select_by_buckets(&list, ranks, n_percents, out);
        return;
    }
    for (size_t p = 0; p < n_percents; p++) {
        out[p] = select_rank(list.values, from, n, ranks[p]);
        from = ranks[p];
    }
}

double stats_rank(double *values, size_t n, size_t rank)
{
    return select_rank(values, 0, n, rank);
}
