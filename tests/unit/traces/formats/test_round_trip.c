/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that traces written in any format are read back unchanged. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "traces/registry.h"
#include "traces/trace.h"

static void put_bytes(struct text t)
{
    FILE *file = fopen(temp_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t.at, 1, t.len, file), t.len);
    assert_int_equal(fclose(file), 0);
}

/* Facts of a row that are texts. Among the values are texts with quotes, a
 * blank and a line feed, and a text that looks like a number. */
static const struct {
    size_t at; /* offset of the field in struct trace_row */
    struct text value;
} texts[] = {
    {offsetof(struct trace_row, user), {"a,\"b\"", 5}},
    {offsetof(struct trace_row, user), {"4", 1}},
    {offsetof(struct trace_row, vc), {"vc 1", 4}},
    {offsetof(struct trace_row, name), {"4", 1}},
    {offsetof(struct trace_row, dataset), {"a,\"b\"", 5}},
    {offsetof(struct trace_row, gpu_type), {"vc 1", 4}},
    {offsetof(struct trace_row, kind), {"a,\"b\"", 5}},
    {offsetof(struct trace_row, model), {"resnet\n50", 9}},
    {offsetof(struct trace_row, priority), {"Spot, \"low\"", 11}},
};

/* Facts of a row that are lengths of time in s, counts, or numbers. */
#define FACT(field, value_, kind_) \
    { \
        .at = offsetof(struct trace_row, field), .value = (value_), \
        .kind = (kind_) \
    }
static const struct {
    size_t at; /* offset of the field in struct trace_row */
    double value;
    enum { SPAN, COUNT, NUMBER } kind;
} numbers[] = {
    FACT(queue, 7, SPAN),
    FACT(declared, 3600, SPAN),
    FACT(cpus, 4, COUNT),
    FACT(nodes, 2, COUNT),
    FACT(attempts, 3, COUNT),
    FACT(gpu_util, 0.1, NUMBER),
    FACT(gpu_mem_mib, 1.0 / 3, NUMBER),
    FACT(mem_mib, 1536, NUMBER),
    FACT(deadline, -1, SPAN),
    FACT(batch_size, 32, COUNT),
};

static void add_number(struct trace_row *row, unsigned fact)
{
    void *field = (char *)row + numbers[fact].at;
    if (numbers[fact].kind == SPAN)
        *(sim_span *)field = span_from_seconds(numbers[fact].value);
    else if (numbers[fact].kind == COUNT)
        *(uint32_t *)field = (uint32_t)numbers[fact].value;
    else
        *(double *)field = numbers[fact].value;
}

/* Adds one of the other facts: an end, an elasticity, AMP, or an unusual
 * submission or run time. */
static void add_other(struct trace_row *row, unsigned fact, unsigned i)
{
    switch (fact) {
    case 0:
        row->end = (enum trace_end)(i % 4);
        break;
    case 1:
        row->elasticity = JOB_SCALES;
        break;
    case 2:
        row->amp = true;
        break;
    case 3:
        row->submitted += 1;
        break;
    case 4:
        row->duration += 500000;
        break;
    default:
        row->duration = i == 2 ? -5 * SPAN_SECOND : row->duration;
        break;
    }
}

enum {
    N_TEXTS = sizeof texts / sizeof *texts,
    N_NUMBERS = sizeof numbers / sizeof *numbers,
    N_FACTS = N_TEXTS + N_NUMBERS + 6,
    /* facts without which some format cannot hold a row */
    MODEL = 7,
    QUEUE = N_TEXTS,
    ATTEMPTS = N_TEXTS + 4,
    BATCH_SIZE = N_TEXTS + N_NUMBERS - 1,
};

/* Adds a fact to row `i`. Facts are numbered: texts, numbers, then others. */
static void add_fact(struct trace_row *row, unsigned fact, unsigned i)
{
    if (fact < N_TEXTS)
        memcpy((char *)row + texts[fact].at, &texts[fact].value,
               sizeof texts[fact].value);
    else if (fact < N_TEXTS + N_NUMBERS)
        add_number(row, fact - N_TEXTS);
    else
        add_other(row, fact - N_TEXTS - N_NUMBERS, i);
}

static struct trace_row bare_row(unsigned i)
{
    struct trace_row row;
    trace_row_clear(&row);
    row.submitted = (1500000000 + 86400 * (int64_t)i) * SPAN_SECOND;
    row.duration = (int64_t)(i * 61 + 1) * SPAN_SECOND;
    row.gpus = i + 1;
    row.source_id = (struct text){&"abcdefghijklmnopqrstuvwxyz"[i], 1};
    return row;
}

/* Returns row `i` with all facts that the format can hold, added in the order
 * of their numbers. */
static struct trace_row full_row(const struct trace_ops *ops, unsigned i)
{
    struct trace_row row = bare_row(i), next;
    row.source_id = (struct text){&"123"[i], 1};
    /* Sia needs a model and a batch size, Philly a queueing delay and
     * attempts. */
    static const unsigned needed[] = {MODEL, BATCH_SIZE, QUEUE, ATTEMPTS};
    for (size_t k = 0; k < 4 && trace_cannot_hold(ops, &row); k++) {
        add_fact(&row, needed[k], i);
        if (k == 1 && trace_cannot_hold(ops, &row)) {
            row.model = (struct text){NULL, 0};
            row.batch_size = 0;
        }
    }
    assert_null(trace_cannot_hold(ops, &row));
    for (unsigned fact = 0; fact < N_FACTS; fact++) {
        next = row;
        add_fact(&next, fact, i);
        if (!trace_cannot_hold(ops, &next))
            row = next;
    }
    return row;
}

/* Makes rows to be written: three rows with all facts that the format can hold,
 * a row without facts, and a row for each fact alone. Leaves out rows that the
 * format cannot hold. Returns the number of rows. */
static size_t rows_that_fit(const struct trace_ops *ops,
                            struct trace_row rows[3 + N_FACTS + 1])
{
    size_t n = 0;
    for (; n < 3; n++)
        rows[n] = full_row(ops, (unsigned)n);
    for (unsigned fact = 0; fact <= N_FACTS; fact++) {
        rows[n] = bare_row(fact);
        if (fact < N_FACTS)
            add_fact(&rows[n], fact, fact);
        n += !trace_cannot_hold(ops, &rows[n]);
    }
    return n;
}

static void expect_same(const struct trace_row *a, const struct trace_row *b)
{
    assert_true(a->submitted == b->submitted && a->duration == b->duration);
    assert_true(a->queue == b->queue && a->declared == b->declared);
    assert_true(a->gpus == b->gpus && a->cpus == b->cpus);
    assert_true(a->nodes == b->nodes && a->batch_size == b->batch_size);
    assert_true(a->attempts == b->attempts && a->end == b->end);
    assert_true(a->elasticity == b->elasticity && a->amp == b->amp);
    assert_true(text_equal(a->source_id, b->source_id));
    assert_true(text_equal(a->user, b->user) && text_equal(a->vc, b->vc));
    assert_true(text_equal(a->name, b->name));
    assert_true(text_equal(a->model, b->model));
    assert_true(text_equal(a->dataset, b->dataset));
    assert_true(text_equal(a->gpu_type, b->gpu_type));
    assert_true(text_equal(a->kind, b->kind));
    assert_true(a->gpu_util == b->gpu_util);
    assert_true(a->gpu_mem_mib == b->gpu_mem_mib);
    assert_true(a->mem_mib == b->mem_mib && a->deadline == b->deadline);
    assert_true(text_equal(a->priority, b->priority));
}

/* Writes rows with `ops` and reads them back as `format`. */
static void round_trip(const struct trace_ops *ops,
                       const struct trace_ops *format)
{
    struct trace_row rows[3 + N_FACTS + 1], row;
    size_t n = rows_that_fit(ops, rows);
    struct trace_reader *reader;
    struct error err;
    char spec[32];
    struct out *out = out_to_memory();
    trace_write_head(ops, out);
    for (size_t i = 0; i < n; i++)
        ops->write_row(out, &rows[i], i);
    if (ops->tail)
        out_text(out, ops->tail);
    put_bytes(out_memory(out));
    out_abandon(out);
    snprintf(spec, sizeof spec, "%s%s", ops->name,
             strcmp(ops->name, "swf") == 0 ? ":vc=partition" : "");
    if (trace_open(temp_path, NULL, &reader, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_ptr_equal(trace_format(reader), format);
    assert_true(ops == format || trace_rare_facts(reader) == TRACE_RARE);
    trace_close(reader);
    assert_int_equal(trace_open(temp_path, spec, &reader, &err), STATUS_OK);
    for (size_t i = 0; i < n; i++) {
        if (trace_next(reader, &row, &err) != STATUS_OK)
            fail_msg("%s: %s", ops->name, err.message);
        expect_same(&row, &rows[i]);
    }
    assert_int_equal(trace_next(reader, &row, &err), STATUS_END);
    trace_close(reader);
}

static void what_a_format_can_hold_reads_back(void **state)
{
    (void)state;
    unsigned n = 0;
    for (size_t i = 0; trace_formats[i]; i++) {
        if (!trace_formats[i]->write_row)
            continue;
        round_trip(trace_formats[i], trace_formats[i]);
        if (trace_formats[i]->wide)
            round_trip(trace_formats[i]->wide, trace_formats[i]);
        n++;
    }
    assert_true(n >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_format_can_hold_reads_back),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
