/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a trace file and reads its rows through the reader of its format. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rows.h"
#include "traces/columns.h"
#include "traces/registry.h"
#include "traces/same_rows.h"
#include "traces/trace.h"

struct trace_reader {
    const struct trace_ops *ops;
    struct rows *rows;
    struct columns columns; /* used by CSV formats */
    void *config, *state;
    struct same_rows *same; /* NULL: each row is a job */
    bool same_read;         /* true: all rows are in `same` */
    const char *cluster;    /* that of the first row that has one; NULL: none */
    struct arena arena;     /* owns config, state and the texts of the config */
};

void trace_row_clear(struct trace_row *row)
{
    static const struct trace_row blank = {
        .submitted = TRACE_NO_TIME,
        .duration = TRACE_NO_TIME,
        .queue = TRACE_NO_TIME,
        .end = TRACE_END_UNKNOWN,
        .elasticity = JOB_RIGID,
        .gpu_util = -1,
        .gpu_mem_mib = -1,
        .mem_mib = -1,
        .deadline = TRACE_NO_TIME,
    };
    *row = blank;
}

static bool is_fraction(sim_span span)
{
    return span != TRACE_NO_TIME && span % SPAN_SECOND != 0;
}

static uint32_t read_facts_of(const struct trace_row *row)
{
    uint32_t facts = 0;
#define FACT(name, cond) facts |= (cond) ? TRACE_BIT(name) : 0
    FACT(ID, row->source_id.len);
    FACT(USER, row->user.len);
    FACT(VC, row->vc.len);
    FACT(NAME, row->name.len);
    FACT(MODEL, row->model.len);
    FACT(DATASET, row->dataset.len);
    FACT(GPU_TYPE, row->gpu_type.len);
    FACT(KIND, row->kind.len);
    FACT(QUEUE, row->queue != TRACE_NO_TIME);
    FACT(DECLARED, row->declared);
    FACT(CPUS, row->cpus);
    FACT(NODES, row->nodes);
    FACT(BATCH_SIZE, row->batch_size);
    FACT(ATTEMPTS, row->attempts);
    FACT(END, row->end != TRACE_END_UNKNOWN);
    FACT(GPU_UTIL, row->gpu_util >= 0);
    FACT(GPU_MEM, row->gpu_mem_mib >= 0);
    FACT(AMP, row->amp);
    FACT(DEADLINE, row->deadline != TRACE_NO_TIME);
    FACT(PRIORITY, row->priority.len);
    FACT(MEM, row->mem_mib >= 0);
    FACT(ELASTIC, row->elasticity != JOB_RIGID);
    FACT(FRACTION, is_fraction(row->submitted) || is_fraction(row->duration) ||
                       is_fraction(row->queue) || is_fraction(row->declared) ||
                       is_fraction(row->deadline));
    FACT(NO_DURATION, row->duration == TRACE_NO_TIME);
    FACT(NEGATIVE, row->duration != TRACE_NO_TIME && row->duration < 0);
    FACT(NO_GPU, row->gpus == 0);
#undef FACT
    return facts;
}

/* Returns the name of the first fact of the row that `holds` lacks; NULL if it
 * lacks none. */
static const char *exceeds(const struct trace_row *row, uint32_t holds)
{
    static const char *const words[] = {
#define FACT_WORDS(name, words) words,
        TRACE_FACTS(FACT_WORDS)
#undef FACT_WORDS
    };
    uint32_t lost = read_facts_of(row) & ~holds;
    return lost ? words[__builtin_ctz(lost)] : NULL;
}

const char *trace_cannot_hold(const struct trace_ops *ops,
                              const struct trace_row *row)
{
    const char *lost = ops->cannot_hold ? ops->cannot_hold(row) : NULL;
    return lost ? lost : exceeds(row, ops->holds);
}

void trace_write_head(const struct trace_ops *ops, struct out *out)
{
    if (ops->head)
        out_text(out, ops->head);
    if (ops->write_head)
        ops->write_head(out);
}

static int how_sure(const struct trace_ops *ops, struct text head)
{
    if (!ops->columns)
        return ops->recognise ? ops->recognise(head) : 0;
    for (const struct trace_signature *s = ops->signatures; s->sure; s++) {
        if (rows_head_names(head, s->names))
            return s->sure;
    }
    return 0;
}

static const struct trace_ops *recognise(struct text head)
{
    const struct trace_ops *best = NULL;
    int most = 0;
    for (size_t i = 0; trace_formats[i]; i++) {
        int sure = how_sure(trace_formats[i], head);
        if (sure > most) {
            most = sure;
            best = trace_formats[i];
        }
    }
    return best;
}

static enum status no_such_format(struct text name, struct error *err)
{
    const char *names[64];
    size_t n = 0;
    for (; trace_formats[n] && n < 64; n++)
        names[n] = trace_formats[n]->name;
    const char *near = text_nearest(name, names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "no trace format '%.*s'; did you mean '%s'?",
                         TEXT_ARGS(name), near);
    return error_set(err, STATUS_USAGE,
                     "no trace format '%.*s'; 'schedsim list' names them",
                     TEXT_ARGS(name));
}

static enum status no_format_fits(const struct trace_reader *reader,
                                  struct error *err)
{
    char names[512] = "";
    size_t n = 0;
    for (size_t i = 0; trace_formats[i] && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              i ? ", " : "", trace_formats[i]->name);
    return rows_bad_at(reader->rows, 1, 1, "format", err,
                       "not in a known trace format: looked for the columns "
                       "or the layout of %s; 'schedsim list --explain FORMAT' "
                       "tells what each needs, --format FORMAT what is missing",
                       names);
}

static enum status read_choose(struct trace_reader *reader,
                               const struct spec *spec, struct error *err)
{
    struct text head = rows_head(reader->rows);
    if (spec->name.len) {
        reader->ops = trace_find(spec->name);
        return reader->ops ? STATUS_OK : no_such_format(spec->name, err);
    }
    reader->ops = recognise(head);
    if (reader->ops)
        return STATUS_OK;
    const char *nul = memchr(head.at, '\0', head.len);
    if (nul)
        return rows_bad_at(reader->rows, 1, (size_t)(nul - head.at) + 1, "byte",
                           err, "a NUL byte; this is not a text file");
    return no_format_fits(reader, err);
}

static enum status open_format(struct trace_reader *reader, struct error *err)
{
    const struct trace_ops *ops = reader->ops;
    reader->state = arena_alloc(&reader->arena, ops->state_size + 1);
    if (!ops->columns)
        return ops->open(reader->state, reader->config, reader->rows, err);
    enum status st = columns_open(&reader->columns, ops->columns,
                                  ops->n_columns, reader->rows, err);
    if (st == STATUS_OK && ops->begin)
        st = ops->begin(reader->state, reader->config, &reader->columns, err);
    return st;
}

static enum status open_same(struct trace_reader *reader, struct error *err)
{
    const struct trace_ops *ops = reader->ops;
    const char *word = ops->same ? ops->same(reader->config) : NULL;
    enum same_rule rule;
    if (!word || !*word)
        return STATUS_OK;
    if (!same_rule_find(text_from(word), &rule))
        return error_set(err, STATUS_USAGE,
                         "trace format %s: same: '%s' is not attempts, parts "
                         "or first",
                         ops->name, word);
    reader->same = same_rows_new(rule);
    return STATUS_OK;
}

static enum status read_begin(struct trace_reader *reader,
                              const char *spec_text, struct error *err)
{
    struct spec spec = {0};
    enum status st = STATUS_OK;
    if (spec_text)
        st = spec_parse("trace format", text_from(spec_text), &spec, err);
    if (st == STATUS_OK && spec.n_layers)
        st = error_set(err, STATUS_USAGE, "a trace format has no layers");
    if (st == STATUS_OK)
        st = read_choose(reader, &spec, err);
    if (st != STATUS_OK)
        return st;
    const struct trace_ops *ops = reader->ops;
    char owner[64] = "trace format ";
    size_t n = strlen(owner);
    memcpy(owner + n, ops->name, strnlen(ops->name, sizeof owner - 1 - n));
    reader->config = arena_alloc(&reader->arena, ops->config_size + 1);
    st = spec_apply(&spec, ops->options, reader->config, owner, &reader->arena,
                    err);
    if (st == STATUS_OK)
        st = open_same(reader, err);
    return st == STATUS_OK ? open_format(reader, err) : st;
}

enum status trace_open(const char *path, const char *spec,
                       struct trace_reader **out, struct error *err)
{
    struct rows *rows;
    enum status st = rows_open(path, &rows, err);
    if (st != STATUS_OK)
        return st;
    struct trace_reader *reader = mem_zalloc(1, sizeof *reader);
    reader->rows = rows;
    arena_init(&reader->arena);
    st = read_begin(reader, spec, err);
    if (st != STATUS_OK) {
        trace_close(reader);
        return st;
    }
    *out = reader;
    return STATUS_OK;
}

static enum status next_row(struct trace_reader *reader, struct trace_row *row,
                            struct error *err)
{
    const struct trace_ops *ops = reader->ops;
    trace_row_clear(row);
    if (!ops->columns)
        return ops->next(reader->state, row, err);
    enum status st = columns_next(&reader->columns, row, err);
    if (st == STATUS_OK && ops->finish)
        ops->finish(reader->state, &reader->columns, row);
    if (st == STATUS_OK && row->cluster.len && !reader->cluster)
        reader->cluster =
            arena_copy(&reader->arena, row->cluster.at, row->cluster.len);
    return st;
}

/* With `same`, the first call reads the whole trace. */
enum status trace_next(struct trace_reader *reader, struct trace_row *row,
                       struct error *err)
{
    if (!reader->same)
        return next_row(reader, row, err);
    while (!reader->same_read) {
        enum status st = next_row(reader, row, err);
        reader->same_read = st == STATUS_END;
        if (st == STATUS_OK)
            same_rows_add(reader->same, row);
        else if (st != STATUS_END)
            return st;
    }
    return same_rows_next(reader->same, row) ? STATUS_OK : STATUS_END;
}

const struct trace_ops *trace_format(const struct trace_reader *reader)
{
    return reader->ops;
}

uint32_t trace_rare_facts(const struct trace_reader *reader)
{
    if (reader->ops->columns)
        return columns_rare(&reader->columns);
    return reader->ops->rare ? reader->ops->rare(reader->state) : 0;
}

const char *trace_digest(const struct trace_reader *reader)
{
    return rows_digest(reader->rows);
}

uint64_t trace_expected(const struct trace_reader *reader)
{
    return rows_expected(reader->rows);
}

const char *trace_recorded_on(const struct trace_reader *reader)
{
    if (reader->cluster)
        return reader->cluster;
    return reader->ops->recorded_on ? reader->ops->recorded_on(reader->state)
                                    : reader->ops->preset;
}

void trace_note(const struct trace_reader *reader, char buf[TRACE_NOTE_MAX])
{
    buf[0] = '\0';
    if (reader->ops->note)
        reader->ops->note(reader->state, buf, TRACE_NOTE_MAX);
    const size_t n = strlen(buf);
    if (reader->same && same_rows_joined(reader->same))
        snprintf(buf + n, TRACE_NOTE_MAX - n,
                 "%s%" PRIu64 " rows joined to an earlier one of their id",
                 n ? "; " : "", same_rows_joined(reader->same));
}

void trace_close(struct trace_reader *reader)
{
    if (!reader)
        return;
    if (reader->state && reader->ops->close)
        reader->ops->close(reader->state);
    if (reader->same)
        same_rows_free(reader->same);
    rows_close(reader->rows);
    arena_fini(&reader->arena);
    free(reader);
}
