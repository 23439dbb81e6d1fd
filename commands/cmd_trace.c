/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace`: lists the subcommands that work on traces, prints the formats for
 * --help, and finds a format that can be written. */

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/out.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "sim/run/demand.h"
#include "sim/run/describe.h"
#include "traces/registry.h"
#include "traces/trace.h"

/* `trace info`: describes a trace, in one pass over its rows. */

/* Buckets of jobs by GPUs: 1, 2, 3..4, 5..8, ... There are 33, because a trace
 * may name any 32-bit number. */
enum { N_BUCKETS = 33 };

struct info_input {
    struct cli_call call;
    const char *path, *from;
    bool json;
};

/* Counts and sums over the rows that were read so far. */
struct info {
    uint64_t n_rows, n_jobs, n_cpu_jobs, n_unknown;
    uint64_t ends[4];            /* by enum trace_end: number of jobs */
    uint64_t buckets[N_BUCKETS]; /* number of jobs by size */
    sim_time first, last;        /* first and last submission, us since 1970 */
    /* latest end that a job would have without waiting, us since 1970 */
    sim_time last_end;
    double gpu_seconds, gpus; /* sums over the jobs: GPUs x seconds; GPUs */
    sim_span *durations;      /* by job: run time, us */
    size_t cap_durations;
    struct interner users, vcs, models;
};

struct validate;

static uint64_t trace_found(const struct validate *self);
static void validate(struct validate *self, struct trace_reader *reader);

static const char *const end_words[] = {
    [TRACE_END_COMPLETED] = "completed",
    [TRACE_END_FAILED] = "failed",
    [TRACE_END_CANCELLED] = "cancelled",
    [TRACE_END_UNKNOWN] = "unknown",
};

static unsigned bucket_of(uint32_t gpus)
{
    return gpus <= 1 ? 0 : 32u - (unsigned)__builtin_clz(gpus - 1);
}

static void trace_add_row(struct info *info, const struct trace_row *row)
{
    info->n_rows++;
    if (row->gpus == 0 || row->duration == TRACE_NO_TIME || row->duration < 0) {
        info->n_unknown += row->gpus != 0;
        info->n_cpu_jobs += row->gpus == 0;
        return;
    }
    sim_time end = row->submitted + row->duration;
    if (info->n_jobs == 0)
        info->first = info->last = row->submitted, info->last_end = end;
    info->first = row->submitted < info->first ? row->submitted : info->first;
    info->last = row->submitted > info->last ? row->submitted : info->last;
    info->last_end = end > info->last_end ? end : info->last_end;
    info->durations = mem_grow(info->durations, &info->cap_durations,
                               info->n_jobs + 1, sizeof *info->durations);
    info->durations[info->n_jobs++] = row->duration;
    info->ends[row->end]++;
    info->buckets[bucket_of(row->gpus)]++;
    info->gpus += row->gpus;
    info->gpu_seconds += span_seconds(row->duration) * row->gpus;
    interner_add(&info->users, row->user);
    interner_add(&info->vcs, row->vc);
    interner_add(&info->models, row->model);
}

static int trace_by_span(const void *a, const void *b)
{
    sim_span x = *(const sim_span *)a, y = *(const sim_span *)b;
    return (x > y) - (x < y);
}

/* Returns the duration, in seconds, with the index share * n_jobs, rounded
 * down, among all durations, which must be sorted; 0 if there are none. */
static double trace_quantile(const struct info *info, double share)
{
    if (!info->n_jobs)
        return 0;
    size_t rank = (size_t)(share * (double)info->n_jobs);
    return span_seconds(
        info->durations[rank < info->n_jobs ? rank : info->n_jobs - 1]);
}

static double mean_duration(const struct info *info)
{
    double sum = 0;
    for (size_t i = 0; i < info->n_jobs; i++)
        sum += span_seconds(info->durations[i]);
    return info->n_jobs ? sum / (double)info->n_jobs : 0;
}

/* Returns the GPU time of all jobs divided by the time between the first and
 * the last submission; 0 if all were submitted at once. */
static double mean_demand(const struct info *info)
{
    double span = span_seconds(info->last - info->first);
    return span > 0 ? info->gpu_seconds / span : 0;
}

static void print_sizes(const struct info *info, struct out *out)
{
    for (unsigned i = 0; i < N_BUCKETS; i++) {
        char size[48];
        uint64_t high = UINT64_C(1) << i, low = i ? high / 2 + 1 : 1;
        if (low == high)
            snprintf(size, sizeof size, "%" PRIu64, high);
        else
            snprintf(size, sizeof size, "%" PRIu64 "..%" PRIu64, low, high);
        if (info->buckets[i])
            out_printf(out, "  %-10s %" PRIu64 "\n", size, info->buckets[i]);
    }
}

static void print_load(const struct info *info, struct out *out)
{
    char mean[TABLE_SPAN_MAX], p50[TABLE_SPAN_MAX], p90[TABLE_SPAN_MAX],
        p99[TABLE_SPAN_MAX];
    out_printf(out, "run time     mean %s, median %s, 90 %% %s, 99 %% %s\n",
               table_span(mean_duration(info), mean),
               table_span(trace_quantile(info, 0.5), p50),
               table_span(trace_quantile(info, 0.9), p90),
               table_span(trace_quantile(info, 0.99), p99));
    out_printf(out, "load         %s GPU h, mean demand %s GPUs\n",
               table_figure(info->gpu_seconds / 3600, mean),
               table_figure(mean_demand(info), p50));
    out_printf(out, "GPUs         mean %s\n",
               table_figure(
                   info->n_jobs ? info->gpus / (double)info->n_jobs : 0, mean));
}

static void trace_print_text(const struct info *info,
                             const struct trace_reader *reader,
                             const char *note, struct out *out)
{
    char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX], end[TIME_TEXT_MAX];
    time_to_text(info->first, from);
    time_to_text(info->last, to);
    time_to_text(info->last_end, end);
    out_printf(out, "format       %s\n", trace_format(reader)->name);
    out_printf(out, "sha256       %s\n", trace_digest(reader));
    out_printf(out,
               "rows         %" PRIu64 ": %" PRIu64 " GPU jobs, %" PRIu64
               " without GPUs, %" PRIu64 " without a run time\n",
               info->n_rows, info->n_jobs, info->n_cpu_jobs, info->n_unknown);
    if (info->n_jobs) {
        out_printf(out, "submitted    %s .. %s UTC\n", from, to);
        out_printf(out, "last end     %s UTC, if no job waited\n", end);
    }
    print_load(info, out);
    print_sizes(info, out);
    out_text(out, "ends        ");
    for (unsigned i = 0; i < 4; i++) {
        if (info->ends[i])
            out_printf(out, " %s %" PRIu64, end_words[i], info->ends[i]);
    }
    out_printf(out, "\nusers %zu, virtual clusters %zu, models %zu\n",
               info->users.n_strings - 1, info->vcs.n_strings - 1,
               info->models.n_strings - 1);
    if (note[0])
        out_printf(out, "note         %s\n", note);
}

static json_t *json_of(const struct info *info,
                       const struct trace_reader *reader, const char *note)
{
    json_t *gpus = json_array(), *ends = json_object();
    for (unsigned i = 0; i < N_BUCKETS; i++) {
        uint64_t high = UINT64_C(1) << i, low = i ? high / 2 + 1 : 1;
        if (info->buckets[i])
            json_array_append_new(gpus,
                                  json_pack("{sI sI sI}", "from", low, "to",
                                            high, "jobs", info->buckets[i]));
    }
    for (unsigned i = 0; i < 4; i++)
        json_object_set_new(ends, end_words[i],
                            json_integer((json_int_t)info->ends[i]));
    return json_pack(
        "{ss ss sI sI sI sI sf sf sf sf sf sf sf sf sf sI sI sI so so ss}",
        "format", trace_format(reader)->name, "sha256", trace_digest(reader),
        "rows", info->n_rows, "jobs", info->n_jobs, "jobs_without_gpus",
        info->n_cpu_jobs, "jobs_without_run_time", info->n_unknown,
        "first_submitted_unix_s", span_seconds(info->first),
        "last_submitted_unix_s", span_seconds(info->last), "last_end_unix_s",
        span_seconds(info->last_end), "run_time_mean_s", mean_duration(info),
        "run_time_p50_s", trace_quantile(info, 0.5), "run_time_p90_s",
        trace_quantile(info, 0.9), "run_time_p99_s", trace_quantile(info, 0.99),
        "gpu_hours", info->gpu_seconds / 3600, "mean_demand_gpus",
        mean_demand(info), "users", (json_int_t)(info->users.n_strings - 1),
        "virtual_clusters", (json_int_t)(info->vcs.n_strings - 1), "models",
        (json_int_t)(info->models.n_strings - 1), "gpus", gpus, "ends", ends,
        "note", note);
}

static enum status trace_print(const struct info *info, bool json_wanted,
                               const struct trace_reader *reader,
                               struct error *err)
{
    char note[TRACE_NOTE_MAX];
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    trace_note(reader, note);
    if (json_wanted) {
        json_t *json = json_of(info, reader, note);
        char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        out_text(out, text);
        out_char(out, '\n');
        free(text);
        json_decref(json);
    } else {
        trace_print_text(info, reader, note, out);
    }
    return out_close(out, err);
}

static enum status info_run(void *self, struct error *err)
{
    const struct info_input *input = self;
    struct info info = {0};
    struct trace_row row;
    struct trace_reader *reader = NULL;
    enum status st = trace_open(input->path, input->from, &reader, err);
    if (st != STATUS_OK)
        return st;
    interner_init(&info.users);
    interner_init(&info.vcs);
    interner_init(&info.models);
    while ((st = trace_next(reader, &row, err)) == STATUS_OK)
        trace_add_row(&info, &row);
    if (info.n_jobs)
        qsort(info.durations, info.n_jobs, sizeof *info.durations,
              trace_by_span);
    if (st == STATUS_END)
        st = trace_print(&info, input->json, reader, err);
    interner_fini(&info.users);
    interner_fini(&info.vcs);
    interner_fini(&info.models);
    free(info.durations);
    trace_close(reader);
    return st;
}

static const struct arg info_args[] = {
    TAKE_WORD(struct info_input, path, "TRACE", "trace"),
    TAKE_TEXT(struct info_input, from, "format", "SPEC",
              "format of TRACE; default: recognised by content", .letter = 'f'),
    TAKE_FLAG(struct info_input, json, "json", "print JSON", .letter = 'j'),
    {0},
};

const struct command trace_command_info = {
    .name = "info",
    .summary = "describe a trace: jobs, time span, sizes, ends and load",
    .about = "Describes a trace: its jobs, sizes, run times and load. '-' is "
             "standard input.",
    .parts = {{.rows = info_args}},
    .input_size = sizeof(struct info_input),
    .run = info_run,
    .examples = "trace info traces/samples/philly.json",
};

/* `trace validate`: counts suspicious rows by reason and shows the first of
 * each; as JSON, lists each. Goes on after a row that cannot be read. */

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
    struct trace_demand *demand; /* NULL: --cluster is not given */
    struct out *out;
    uint64_t n_rows, n_suspicious, counts[N_REASONS];
    struct interner ids, causes;
    sim_time before;
    struct json_stream js;
};

static void cmd_trace_find(struct validate *self, const struct trace_row *row,
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

static void trace_judge(struct validate *self, const struct trace_row *row)
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
    cmd_trace_find(self, row, NO_GPU, row->gpus == 0);
    cmd_trace_find(self, row, MANY_GPUS, row->gpus > GPUS_ABSURD);
    cmd_trace_find(self, row, NO_DURATION, !timed);
    cmd_trace_find(self, row, ZERO, timed && row->duration == 0);
    cmd_trace_find(self, row, NEGATIVE, timed && row->duration < 0);
    cmd_trace_find(self, row, LONG, timed && row->duration > SPAN_ABSURD);
    cmd_trace_find(self, row, EARLY_START,
                   row->queue != TRACE_NO_TIME && row->queue < 0);
    cmd_trace_find(self, row, DUPLICATE, repeats);
    cmd_trace_find(self, row, NO_ID, row->source_id.len == 0);
    if (self->before != TRACE_NO_TIME) {
        cmd_trace_find(self, row, OUT_OF_ORDER, row->submitted < self->before);
        cmd_trace_find(self, row, FAR,
                       row->submitted - self->before > SPAN_ABSURD);
    }
    self->before = row->submitted;
}

static uint64_t trace_found(const struct validate *self)
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

static void trace_check_rows(struct validate *self, struct trace_reader *reader)
{
    struct error bad;
    struct trace_row row;
    for (;;) {
        enum status st = trace_next(reader, &row, &bad);
        if (st == STATUS_END)
            return;
        uint64_t before = trace_found(self);
        self->n_rows++;
        if (st == STATUS_OK) {
            trace_judge(self, &row);
        } else {
            self->counts[UNREADABLE]++;
            tell_unreadable(self, bad.message);
        }
        self->n_suspicious += trace_found(self) > before;
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
    trace_check_rows(self, reader);
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

static enum status validate_run(void *input, struct error *err)
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

static const struct arg validate_args[] = {
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
    .parts = {{.rows = validate_args}},
    .input_size = sizeof(struct validate_input),
    .run = validate_run,
    .examples = "trace validate traces/samples/philly.json\n"
                "trace validate traces/samples/venus.csv --cluster venus",
};

static const struct command *const trace_subcommands[] = {
    &trace_command_info,     &trace_command_guess,    &trace_command_validate,
    &trace_command_convert,  &trace_command_generate, &trace_command_resample,
    &trace_command_fidelity, &command_estimate,       NULL,
};

enum status trace_find_target(const char *name, const struct trace_ops **out,
                              struct error *err)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; trace_formats[i] && n < 64; i++) {
        if (trace_formats[i]->write_row)
            names[n++] = trace_formats[i]->name;
    }
    *out = trace_find(text_from(name));
    if (*out && (*out)->write_row)
        return STATUS_OK;
    if (*out)
        return error_set(err, STATUS_USAGE, "format '%s' can only be read",
                         name);
    const char *near = text_nearest(text_from(name), names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "no trace format '%s'; did you mean '%s'?", name,
                         near);
    return error_set(err, STATUS_USAGE,
                     "no trace format '%s'; 'schedsim help trace' lists them",
                     name);
}

static void print_formats(void)
{
    fputs("\nformats:\n", stdout);
    for (size_t i = 0; trace_formats[i]; i++)
        printf("  %-12s %s%s\n", trace_formats[i]->name,
               trace_formats[i]->summary,
               trace_formats[i]->write_row ? "" : " (read only)");
}

const struct command command_trace = {
    .name = "trace",
    .summary = "describe, check, convert, generate or resample a trace",
    .members = trace_subcommands,
    .print_more = print_formats,
};

/* `trace convert`: reads a trace of any format and writes it in another. */

struct convert {
    struct cli_call call;
    const char *in, *out_path, *from, *to;
    bool lossy;
};

/* Copies all rows but those that end before they start, which no reader of a
 * trace could use, and says how many these are. */
static enum status copy_rows(const struct convert *self,
                             struct trace_reader *reader,
                             const struct trace_ops *ops, struct out *out,
                             struct error *err)
{
    struct trace_row row;
    enum status st;
    uint64_t i = 0, n_negative = 0, first = 0;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        if (row.duration != TRACE_NO_TIME && row.duration < 0) {
            first = n_negative++ ? first : row.line;
            continue;
        }
        const char *lost = self->lossy ? NULL : trace_cannot_hold(ops, &row);
        if (lost)
            return error_set(
                err, STATUS_BAD_INPUT,
                "%s:%" PRIu64
                ": format %s cannot hold %s; --lossy leaves it out",
                self->in, row.line, ops->name, lost);
        ops->write_row(out, &row, i++);
    }
    if (n_negative)
        fprintf(stderr,
                "note: %s: %" PRIu64 " row%s left out: ended before %s started "
                "(line %" PRIu64 "%s)\n",
                self->in, n_negative, n_negative > 1 ? "s" : "",
                n_negative > 1 ? "they" : "it", first,
                n_negative > 1 ? " is the first" : "");
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status convert_run(void *input, struct error *err)
{
    const struct convert *self = input;
    const struct trace_ops *ops;
    struct trace_reader *reader = NULL;
    struct out *out = NULL;
    char note[TRACE_NOTE_MAX];
    enum status st = trace_find_target(self->to, &ops, err);
    if (st == STATUS_OK)
        st = trace_open(self->in, self->from, &reader, err);
    if (st == STATUS_OK)
        st = out_is_no_input(self->out_path, self->in, err);
    if (st == STATUS_OK)
        st = out_open_sparing(self->out_path, self->call.force, &out, err);
    if (st != STATUS_OK)
        goto out;
    if (ops->wide && trace_rare_facts(reader))
        ops = ops->wide;
    trace_write_head(ops, out);
    st = copy_rows(self, reader, ops, out, err);
    if (st != STATUS_OK)
        goto out;
    if (ops->tail)
        out_text(out, ops->tail);
    st = out_close(out, err);
    out = NULL;
    trace_note(reader, note);
    if (note[0])
        fprintf(stderr, "note: %s: %s\n", self->in, note);
out:
    out_abandon(out);
    trace_close(reader);
    return st;
}

static const struct arg convert_args[] = {
    TAKE_WORD(struct convert, in, "TRACE", "trace"),
    TAKE_WORD(struct convert, out_path, "FILE", "file to write"),
    TAKE_TEXT(struct convert, to, "as", "FORMAT", "format to write",
              .initial = "native"),
    TAKE_TEXT(struct convert, from, "format", "SPEC",
              "format of TRACE; default: recognised by content", .letter = 'f'),
    TAKE_FORCE(struct convert),
    TAKE_FLAG(struct convert, lossy, "lossy",
              "leave out values that the new format cannot hold",
              .letter = 'l'),
    {0},
};

const struct command trace_command_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .about =
        "Writes a trace in another format. '-' is standard input or output.",
    .parts = {{.rows = convert_args}},
    .input_size = sizeof(struct convert),
    .run = convert_run,
    .examples = "trace convert jobs.csv jobs.swf --as swf --lossy",
};
