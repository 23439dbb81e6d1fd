/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search of the multiple-choice problem. It goes job by job and keeps one
 * label for each combination of numbers of GPUs in use, by type. A path can
 * cost more than the lower bound for two reasons: it takes options that are not
 * the cheapest of their jobs at the given prices (its label stores the sum of
 * what they cost more), and it leaves GPUs unused that have a price. This
 * excess must not exceed the distance from the bound to the limit, so few
 * options and few labels remain. Paths that use equal numbers of GPUs of each
 * type share a label; a depth-first search would follow each of these paths.
 *
 * The labels of a job are in the order of their paths: by the option of the
 * first job, then of the second, and so on, preferred options first. Only a
 * cheaper label displaces another. So the answer found is the first among the
 * cheapest. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policies/sia/sia_internal.h"

struct label {
    uint64_t used; /* numbers of GPUs in use, one bit field for each type */
    /* excess of the options over the cheapest ones, scaled; INT64_MAX: a
     * cheaper label displaced this one */
    int64_t above;
    uint32_t parent, option;
};

struct state {
    struct choice_search *search;
    int64_t gap; /* distance from the bound to the limit, scaled */
    /* job by job: options that, prices included, cost at most `gap` more than
     * the cheapest option of the job */
    uint32_t *left;
    uint32_t *start; /* by job: index in `left` of its first option */
    /* by job j and type: largest number of GPUs that the jobs from j on can
     * use */
    uint64_t *most;
    /* by job j and type: smallest number of GPUs that the jobs from j on can
     * use */
    uint64_t *fewest;
    /* by type: first bit of its field; [n_types]: number of all bits */
    uint32_t *shift;
    struct label *labels;
    size_t n_labels, cap;
    uint32_t *table; /* by hash: 1 + index of a label; 0: empty */
    size_t slots, slots_cap;
    bool too_large;
};

/* Assigns a bit field to each type. Returns false if they do not fit into 64
 * bits. */
static bool lay_out(struct state *s)
{
    const struct choice_core *core = s->search->core;
    uint32_t at = 0;
    for (uint32_t t = 0; t < core->n_types; t++) {
        s->shift[t] = at;
        at +=
            32 - (core->capacity[t] ? (uint32_t)__builtin_clz(core->capacity[t])
                                    : 32);
    }
    s->shift[core->n_types] = at;
    return at <= 64;
}

static uint64_t used_of(const struct state *s, uint64_t used, uint32_t type)
{
    uint32_t bits = s->shift[type + 1] - s->shift[type];
    return bits == 0 ? 0 : used >> s->shift[type] & (~0ull >> (64 - bits));
}

/* Lists the options that an answer within the limit can contain. */
static void search_narrow(struct state *s)
{
    const struct choice_core *core = s->search->core;
    const struct choice_prices *prices = s->search->prices;
    uint32_t n = 0;
    for (uint32_t j = 0; j < core->n_jobs; j++) {
        int64_t least = INT64_MAX;
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
            int64_t value = choice_value(prices, &core->option[o]);
            least = value < least ? value : least;
        }
        s->start[j] = n;
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
            if (choice_value(prices, &core->option[o]) - least <= s->gap)
                s->left[n++] = o;
        }
    }
    s->start[core->n_jobs] = n;
}

static void look_ahead(struct state *s)
{
    const struct choice_core *core = s->search->core;
    uint32_t n = core->n_types;
    for (uint32_t j = core->n_jobs; j-- > 0;) {
        uint64_t *most = s->most + (size_t)j * n;
        uint64_t *fewest = s->fewest + (size_t)j * n;
        for (uint32_t t = 0; t < n; t++) {
            uint32_t high = 0, low = UINT32_MAX;
            for (uint32_t i = s->start[j]; i < s->start[j + 1]; i++) {
                const struct choice_option *o = &core->option[s->left[i]];
                uint32_t gpus = o->type == t ? o->gpus : 0;
                high = gpus > high ? gpus : high;
                low = gpus < low ? gpus : low;
            }
            most[t] = most[n + t] + high;
            fewest[t] = fewest[n + t] + low;
        }
    }
}

/* For the answers that continue a label (`used`, `above`) of the jobs before
 * `job`: returns the excess over the lower bound that each of them has at
 * least, scaled; INT64_MAX if too few GPUs are left for any of them. */
static int64_t outlook(const struct state *s, uint64_t used, int64_t above,
                       uint32_t job)
{
    const struct choice_core *core = s->search->core;
    const uint64_t *most = s->most + (size_t)job * core->n_types;
    const uint64_t *fewest = s->fewest + (size_t)job * core->n_types;
    for (uint32_t t = 0; t < core->n_types; t++) {
        uint64_t in_use = used_of(s, used, t);
        if (in_use + fewest[t] > core->capacity[t])
            return INT64_MAX;
        if (in_use + most[t] < core->capacity[t])
            above += s->search->prices->price[t] *
                     (int64_t)(core->capacity[t] - in_use - most[t]);
    }
    return above;
}

static size_t search_slot_of(const struct state *s, uint64_t used)
{
    /* multiplier from the golden ratio (Knuth) */
    uint64_t mixed = used * 0x9e3779b97f4a7c15ull;
    size_t slot = (size_t)(mixed >> 32) & (s->slots - 1);
    while (s->table[slot] && s->labels[s->table[slot] - 1].used != used)
        slot = (slot + 1) & (s->slots - 1);
    return slot;
}

/* Clears the table, and makes it large enough to stay at least half empty with
 * this number of labels. */
static void clear_table(struct state *s, size_t labels)
{
    s->slots = 16;
    while (s->slots < 2 * labels)
        s->slots *= 2;
    s->table = mem_grow(s->table, &s->slots_cap, s->slots, sizeof *s->table);
    memset(s->table, 0, s->slots * sizeof *s->table);
}

static void search_widen(struct state *s, size_t first)
{
    clear_table(s, 2 * (s->n_labels - first));
    for (size_t i = first; i < s->n_labels; i++) {
        if (s->labels[i].above != INT64_MAX)
            s->table[search_slot_of(s, s->labels[i].used)] = (uint32_t)i + 1;
    }
}

static void search_add(struct state *s, const struct label *label, size_t first)
{
    size_t slot = search_slot_of(s, label->used);
    if (s->table[slot]) {
        struct label *there = &s->labels[s->table[slot] - 1];
        if (there->above <= label->above)
            return;
        there->above = INT64_MAX;
    }
    if (s->n_labels >= s->search->max_labels) {
        s->too_large = true;
        return;
    }
    s->labels =
        mem_grow(s->labels, &s->cap, s->n_labels + 1, sizeof *s->labels);
    s->labels[s->n_labels++] = *label;
    s->table[slot] = (uint32_t)s->n_labels;
    if (2 * (s->n_labels - first) > s->slots)
        search_widen(s, first);
}

/* Makes the labels of the jobs up to and including `job` from the labels of the
 * jobs before it, which begin at index `from`. Returns the index of the first
 * new label. */
static size_t extend(struct state *s, uint32_t job, size_t from)
{
    const struct choice_core *core = s->search->core;
    const struct choice_prices *prices = s->search->prices;
    size_t first = s->n_labels;
    int64_t least = INT64_MAX;
    for (uint32_t i = s->start[job]; i < s->start[job + 1]; i++) {
        int64_t value = choice_value(prices, &core->option[s->left[i]]);
        least = value < least ? value : least;
    }
    clear_table(s, first - from);
    for (size_t l = from; l < first && !s->too_large; l++) {
        struct label was = s->labels[l];
        if (was.above == INT64_MAX)
            continue;
        for (uint32_t i = s->start[job]; i < s->start[job + 1]; i++) {
            const struct choice_option *o = &core->option[s->left[i]];
            if (o->gpus + used_of(s, was.used, o->type) >
                core->capacity[o->type])
                continue;
            struct label next = {
                .used = was.used + ((uint64_t)o->gpus << s->shift[o->type]),
                .above = was.above + choice_value(prices, o) - least,
                .parent = (uint32_t)l,
                .option = s->left[i]};
            if (outlook(s, next.used, next.above, job + 1) <= s->gap)
                search_add(s, &next, first);
        }
    }
    return first;
}

static enum choice_outcome search_answer(struct state *s, size_t from)
{
    struct choice_search *search = s->search;
    uint32_t n = search->core->n_jobs;
    int64_t least = INT64_MAX;
    size_t best = 0;
    for (size_t l = from; l < s->n_labels; l++) {
        const struct label *label = &s->labels[l];
        if (label->above == INT64_MAX)
            continue;
        int64_t above = outlook(s, label->used, label->above, n);
        if (above < least) {
            least = above;
            best = l;
        }
    }
    if (least > s->gap)
        return CHOICE_NOTHING;
    search->cost = 0;
    for (uint32_t j = n; j-- > 0; best = s->labels[best].parent) {
        search->picked[j] = s->labels[best].option;
        search->cost += search->core->option[search->picked[j]].cost;
    }
    return CHOICE_FOUND;
}

static enum choice_outcome search_walk(struct state *s)
{
    uint32_t n = s->search->core->n_jobs;
    size_t from = 0;
    s->labels = mem_grow(s->labels, &s->cap, 1, sizeof *s->labels);
    s->labels[0] = (struct label){0};
    s->n_labels = 1;
    for (uint32_t j = 0; j < n && !s->too_large; j++)
        from = extend(s, j, from);
    s->search->labels += s->n_labels;
    return s->too_large ? CHOICE_TOO_LARGE : search_answer(s, from);
}

enum choice_outcome choice_search(struct choice_search *search)
{
    const struct choice_core *core = search->core;
    size_t rows = (size_t)core->n_jobs + 1, cells = rows * core->n_types;
    struct state s = {
        .search = search,
        .gap = search->limit * CHOICE_SCALE - search->prices->bound,
        .left = mem_alloc((core->start[core->n_jobs] + 1) * sizeof *s.left),
        .start = mem_alloc(rows * sizeof *s.start),
        .most = mem_zalloc(cells, sizeof *s.most),
        .fewest = mem_zalloc(cells, sizeof *s.fewest),
        .shift = mem_alloc((core->n_types + 1) * sizeof *s.shift)};
    enum choice_outcome outcome = CHOICE_NOTHING;
    if (s.gap >= 0) {
        search_narrow(&s);
        look_ahead(&s);
        outcome = lay_out(&s) ? search_walk(&s) : CHOICE_TOO_LARGE;
    }
    free(s.left);
    free(s.start);
    free(s.most);
    free(s.fewest);
    free(s.shift);
    free(s.labels);
    free(s.table);
    return outcome;
}
