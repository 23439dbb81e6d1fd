/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the rows of jobs.csv and attempts.csv, and their cells that are not
 * plain numbers: names, and sets of GPUs and nodes. */
#include "sim/results/row_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"

static void keep_names(struct names *names, size_t n)
{
    uint32_t room = 1;
    while (room < n && room < NAMES_KEPT)
        room *= 2;
    names->kept = mem_zalloc(room, sizeof *names->kept);
    names->mask = room - 1;
}

static void row_write_head(struct out *out, const struct column *columns)
{
    for (size_t i = 0; columns[i].name; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, columns[i].name);
    }
    out_char(out, '\n');
}

void row_init(struct row *row, struct out *out, struct facts_reader *reader,
              const struct column *columns)
{
    const struct run_result *run = reader->results.run;
    *row = (struct row){.out = out, .run = run, .reader = reader};
    keep_names(&row->names[NAME_STRING], run->jobset.strings.n_strings);
    keep_names(&row->names[NAME_VC], run->cluster.n_vcs);
    keep_names(&row->names[NAME_TYPE], run->cluster.n_types);
    keep_names(&row->names[NAME_FORMAT], 1);
    row_write_head(out, columns);
}

void row_fini(struct row *row)
{
    for (unsigned kind = 0; kind < NAME_KINDS; kind++)
        free(row->names[kind].kept);
    free(row->attempts);
}

struct text row_write(struct row *row, row_cells *batsim, row_cells *own,
                      struct text head)
{
    struct out *out = row->out;
    char *at = out_reserve(out, head.len + ROW_BYTES);
    size_t begin = out->len;
    uint64_t gone = out->gone;
    at = head.len ? mempcpy(at, head.at, head.len) : batsim(row, at);
    head.len = (size_t)(at - out->buf) - begin;
    at = own(row, at);
    at[-1] = '\n';
    out->len = (size_t)(at - out->buf);
    CHECK(out->len <= out->cap);
    head.at = out->buf + begin;
    return out->gone == gone ? head : (struct text){0};
}

char *row_put_csv(struct row *row, char *at, struct text text)
{
    row->out->len = (size_t)(at - row->out->buf);
    out_csv(row->out, text);
    return out_reserve(row->out, ROW_BYTES);
}

char *row_put_named_id(struct row *row, char *at)
{
    char buf[SOURCE_ID_MAX];
    return row_put_csv(
        row, at,
        text_from(jobset_source_id(&row->run->jobset, row->facts->job, buf)));
}

char *row_put_odd_ratio(struct row *row, char *at, double value)
{
    if (isnan(value))
        return at;
    row->out->len = (size_t)(at - row->out->buf);
    out_double(row->out, value);
    return out_reserve(row->out, ROW_BYTES);
}

static struct text row_text_of(const struct row *row, enum name_kind kind,
                               uint32_t number)
{
    const struct run_result *run = row->run;
    switch (kind) {
    case NAME_STRING:
        return run->jobset.strings.strings[number];
    case NAME_VC:
        return text_from(run->cluster.vcs[number]);
    case NAME_TYPE:
        return text_from(run->cluster.types[number].name);
    case NAME_FORMAT:
    case NAME_KINDS:
        break;
    }
    return text_from(run->jobset.format);
}

char *row_put_new_name(struct row *row, char *at, enum name_kind kind,
                       uint32_t number)
{
    struct names *names = &row->names[kind];
    struct kept_name *name = &names->kept[number & names->mask];
    struct text text = row_text_of(row, kind, number);
    if (text.len == 0 || text.len > NAME_MAX_KEPT || !csv_is_plain(text))
        return row_put_csv(row, at, text);
    name->number = number;
    name->len = (uint8_t)text.len;
    memcpy(name->text, text.at, text.len);
    memcpy(at, text.at, text.len);
    return at + text.len;
}

static int by_node(const void *a, const void *b)
{
    const struct gpu_slice *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

/* Sorts the slices by node. Placers mostly choose nodes in ascending order, so
 * the test for order usually saves the sort. */
static void sort_by_node(struct gpu_slice *slices, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (slices[i].node < slices[i - 1].node) {
            qsort(slices, n, sizeof *slices, by_node);
            return;
        }
    }
}

/* Writes the GPUs or nodes first .. end-1 as a range, or as one number if there
 * is only one. */
static char *put_range(char *at, gpu_id first, gpu_id end)
{
    at = digits_put(at, first);
    if (end - first == 1)
        return at;
    *at++ = '-';
    return digits_put(at, end - 1);
}

/* Finds the lowest run of ones in the mask: bits *low .. *high-1. Returns the
 * mask without them. */
static uint64_t take_run(uint64_t mask, unsigned *low, unsigned *high)
{
    *low = (unsigned)__builtin_ctzll(mask);
    uint64_t carried = mask + (UINT64_C(1) << *low);
    *high = carried ? (unsigned)__builtin_ctzll(carried) : 64;
    return mask & carried;
}

/* Writes a set of GPUs that is not a single run on one node. A range may
 * continue from one node to the next. */
static char *put_scattered(struct row *row, char *at, struct gpu_set set)
{
    enum { RANGE_BYTES = 2 * U64_TEXT_MAX + 2, RANGES_MAX = 33 };
    gpu_id first = 0, end = 0; /* the current range: first .. end-1 */
    sort_by_node(row->reader->slices, set.count);
    for (uint32_t i = 0; i < set.count; i++) {
        gpu_id base = row->run->cluster.nodes[set.at[i].node].first_gpu;
        at = row_room(row, at, RANGES_MAX * RANGE_BYTES);
        for (uint64_t mask = set.at[i].mask; mask;) {
            unsigned low, high;
            mask = take_run(mask, &low, &high);
            if (end != base + low && end > first) {
                at = put_range(at, first, end);
                *at++ = ' ';
            }
            if (end != base + low || end == first)
                first = base + low;
            end = base + high;
        }
    }
    if (end > first)
        at = put_range(at, first, end);
    return at;
}

char *row_put_gpus(struct row *row, char *at, uint32_t attempt)
{
    struct gpu_set set = facts_where(row->reader, attempt);
    unsigned low, high;
    if (set.count == 1 && set.at->mask &&
        take_run(set.at->mask, &low, &high) == 0) {
        gpu_id base = row->run->cluster.nodes[set.at->node].first_gpu;
        at = put_range(at, base + low, base + high);
    } else {
        at = put_scattered(row, at, set);
    }
    return row_room(row, at, ROW_BYTES);
}

char *row_put_nodes(struct row *row, char *at, uint32_t attempt)
{
    enum { RANGE_BYTES = 2 * U64_TEXT_MAX + 2 };
    struct gpu_set set = facts_where(row->reader, attempt);
    if (set.count == 1)
        return digits_put(at, set.at->node);
    sort_by_node(row->reader->slices, set.count);
    for (uint32_t i = 0, n; i < set.count; i += n) {
        for (n = 1;
             i + n < set.count && set.at[i + n].node == set.at[i].node + n;)
            n++;
        at = row_room(row, at, RANGE_BYTES);
        if (i)
            *at++ = ' ';
        at = put_range(at, set.at[i].node, set.at[i].node + n);
    }
    return row_room(row, at, ROW_BYTES);
}
