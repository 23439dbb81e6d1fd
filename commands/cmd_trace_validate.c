/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace validate`: counts suspicious rows by reason and shows the first of
 * each; as JSON, lists each. Goes on after a row that cannot be read. */
#include <inttypes.h>

#include "base/json_stream.h"
#include "base/out.h"
#include "commands/cmd_trace_internal.h"
#include "sim/run/demand.h"
#include "sim/run/describe.h"
#include "traces/trace.h"

/* Limits of a plausible job: more GPUs or a longer run time are most likely an
 * error in the trace. */
#define GPUS_ABSURD 100000
#define SPAN_ABSURD (366 * SPAN_DAY)

#define REASONS(X) \
    X(UNREADABLE, "cannot be read") \
    X(NO_GPU, "asks for no GPU") \
    X(MANY_GPUS, "asks for more than 100000 GPUs") \
    X(NO_DURATION, "has no recorded run time") \
    X(ZERO, "ran for no time") \
    X(NEGATIVE, "ended before it started") \
    X(LONG, "ran for more than a year") \
    X(EARLY_START, "started before it was submitted") \
    X(DUPLICATE, "repeats the id of an earlier row") \
    X(NO_ID, "has no id") \
    X(OUT_OF_ORDER, "was submitted before the row above it") \
    X(FAR, "was submitted more than a year after the row above it")

enum reason {
#define REASON_ENUM(name, words) name,
    REASONS(REASON_ENUM)
#undef REASON_ENUM
        N_REASONS
};

static const char *const reason_words[] = {
#define REASON_WORDS(name, words) words,
    REASONS(REASON_WORDS)
#undef REASON_WORDS
};

struct validate_input {
    struct cli_call call;
    const char *path, *from, *cluster;
    bool json;
};

struct validate {
    const struct validate_input *input;
    struct demand *demand; /* NULL: --cluster is not given */
    struct out *out;
    uint64_t n_rows, n_suspicious, counts[N_REASONS];
    struct interner ids, causes;
    sim_time before;
    struct json_stream js;
};

static void find(struct validate *self, const struct trace_row *row,
                 enum reason reason, bool found)
{
    if (!found)
        return;
    self->counts[reason]++;
    if (!self->input->json) {
        if (self->counts[reason] == 1)
            out_printf(self->out, "%s:%" PRIu64 ": %s\n", self->input->path,
                       row->line, reason_words[reason]);
        return;
    }
    json_stream_object(&self->js, NULL);
    json_stream_whole(&self->js, "line", (int64_t)row->line);
    json_stream_text(&self->js, "reason", reason_words[reason]);
    json_stream_object_end(&self->js);
}

static void judge(struct validate *self, const struct trace_row *row)
{
    bool timed = row->duration != TRACE_NO_TIME;
    bool repeats = false;
    if (row->source_id.len) {
        size_t known = self->ids.n_strings;
        interner_add(&self->ids, row->source_id);
        repeats = self->ids.n_strings == known;
    }
    if (self->demand && !repeats)
        demand_add(self->demand, row);
    find(self, row, NO_GPU, row->gpus == 0);
    find(self, row, MANY_GPUS, row->gpus > GPUS_ABSURD);
    find(self, row, NO_DURATION, !timed);
    find(self, row, ZERO, timed && row->duration == 0);
    find(self, row, NEGATIVE, timed && row->duration < 0);
    find(self, row, LONG, timed && row->duration > SPAN_ABSURD);
    find(self, row, EARLY_START, row->queue != TRACE_NO_TIME && row->queue < 0);
    find(self, row, DUPLICATE, repeats);
    find(self, row, NO_ID, row->source_id.len == 0);
    if (self->before != TRACE_NO_TIME) {
        find(self, row, OUT_OF_ORDER, row->submitted < self->before);
        find(self, row, FAR, row->submitted - self->before > SPAN_ABSURD);
    }
    self->before = row->submitted;
}

static uint64_t found(const struct validate *self)
{
    uint64_t n = 0;
    for (size_t i = 0; i < N_REASONS; i++)
        n += self->counts[i];
    return n;
}

/* Returns true for the first row that cannot be read because of this field. The
 * field is the fourth part of "path:line:column: field: why". */
static bool is_new_cause(struct validate *self, const char *message)
{
    struct text field = {"", 0}, rest = text_from(message);
    const size_t known = self->causes.n_strings;
    for (int i = 0; i < 4; i++)
        field = text_split(rest, ':', &rest);
    return interner_add(&self->causes, field) >= known;
}

static void tell_unreadable(struct validate *self, const char *message)
{
    if (!self->input->json) {
        if (is_new_cause(self, message))
            out_printf(self->out, "%s\n", message);
        return;
    }
    json_stream_object(&self->js, NULL);
    json_stream_text(&self->js, "reason", reason_words[UNREADABLE]);
    json_stream_text(&self->js, "message", message);
    json_stream_object_end(&self->js);
}

static void check_rows(struct validate *self, struct trace_reader *reader)
{
    struct error bad;
    struct trace_row row;
    for (;;) {
        enum status st = trace_next(reader, &row, &bad);
        if (st == STATUS_END)
            return;
        uint64_t before = found(self);
        self->n_rows++;
        if (st == STATUS_OK) {
            judge(self, &row);
        } else {
            self->counts[UNREADABLE]++;
            tell_unreadable(self, bad.message);
        }
        self->n_suspicious += found(self) > before;
    }
}

static void print_counts(const struct validate *self,
                         const struct trace_reader *reader)
{
    out_printf(self->out,
               "%" PRIu64 " rows of format %s, %" PRIu64 " suspicious\n",
               self->n_rows, trace_format(reader)->name, self->n_suspicious);
    for (size_t i = 0; i < N_REASONS; i++) {
        if (self->counts[i])
            out_printf(self->out, "%8" PRIu64 " %s\n", self->counts[i],
                       reason_words[i]);
    }
    if (self->demand)
        demand_print(self->demand, self->out);
}

static void write_counts(struct validate *self,
                         const struct trace_reader *reader)
{
    struct json_stream *js = &self->js;
    json_stream_array_end(js);
    json_stream_text(js, "format", trace_format(reader)->name);
    json_stream_whole(js, "rows", (int64_t)self->n_rows);
    json_stream_whole(js, "suspicious", (int64_t)self->n_suspicious);
    json_stream_object(js, "reasons");
    for (size_t i = 0; i < N_REASONS; i++) {
        if (self->counts[i])
            json_stream_whole(js, reason_words[i], (int64_t)self->counts[i]);
    }
    json_stream_object_end(js);
    if (self->demand)
        demand_write(self->demand, js);
    json_stream_object_end(js);
    json_stream_end(js);
}

static void validate(struct validate *self, struct trace_reader *reader)
{
    if (self->input->json) {
        self->js = json_stream_to(self->out);
        json_stream_object(&self->js, NULL);
        json_stream_array(&self->js, "found");
    }
    interner_init(&self->ids);
    interner_init(&self->causes);
    check_rows(self, reader);
    if (self->input->json)
        write_counts(self, reader);
    else
        print_counts(self, reader);
    interner_fini(&self->ids);
    interner_fini(&self->causes);
}

static enum status print_all(struct validate *self, struct trace_reader *reader,
                             struct error *err)
{
    enum status st = out_open("-", &self->out, err);
    if (st != STATUS_OK)
        return st;
    validate(self, reader);
    st = out_close(self->out, err);
    if (st == STATUS_OK && self->counts[UNREADABLE])
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: %" PRIu64 " of %" PRIu64 " rows cannot be read",
                       self->input->path, self->counts[UNREADABLE],
                       self->n_rows);
    return st;
}

static enum status run(void *input, struct error *err)
{
    struct validate self = {.input = input, .before = TRACE_NO_TIME};
    struct trace_reader *reader = NULL;
    struct cluster_spec spec;
    struct arena arena;
    const char *cluster = self.input->cluster;
    enum status st = STATUS_OK;
    arena_init(&arena);
    if (cluster)
        st = describe_cluster(cluster, &arena, &spec, err);
    if (st == STATUS_OK && cluster)
        self.demand = demand_open(&spec);
    if (st == STATUS_OK)
        st = trace_open(self.input->path, self.input->from, &reader, err);
    if (st == STATUS_OK)
        st = print_all(&self, reader, err);
    trace_close(reader);
    demand_close(self.demand);
    arena_fini(&arena);
    return st;
}

static const struct arg args[] = {
    TAKE_WORD(struct validate_input, path, "TRACE", "trace"),
    TAKE_TEXT(struct validate_input, from, "format", "SPEC",
              "format of TRACE; default: recognised by content", .letter = 'f'),
    TAKE_TEXT(struct validate_input, cluster, "cluster", "SPEC",
              "also show which jobs a run on this cluster would drop or "
              "reject, and compare the GPU time that jobs ask for with the GPU "
              "time of the cluster",
              .letter = 'c'),
    TAKE_FLAG(struct validate_input, json, "json", "print JSON", .letter = 'j'),
    {0},
};

const struct command trace_command_validate = {
    .name = "validate",
    .summary = "list the suspicious rows of a trace",
    .about = "Counts suspicious rows by reason and shows the first of each; "
             "--json lists all. '-' is standard input.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct validate_input),
    .run = run,
    .examples = "trace validate traces/samples/philly.json\n"
                "trace validate traces/samples/venus.csv --cluster venus",
};
