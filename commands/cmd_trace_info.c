/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace info`: describes a trace, in one pass over its rows. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/out.h"
#include "commands/cmd_trace_internal.h"
#include "commands/table.h"
#include "traces/trace.h"

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

static void add_row(struct info *info, const struct trace_row *row)
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

static int by_span(const void *a, const void *b)
{
    sim_span x = *(const sim_span *)a, y = *(const sim_span *)b;
    return (x > y) - (x < y);
}

/* Returns the duration, in seconds, with the index share * n_jobs, rounded
 * down, among all durations, which must be sorted; 0 if there are none. */
static double quantile(const struct info *info, double share)
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
               table_span(quantile(info, 0.5), p50),
               table_span(quantile(info, 0.9), p90),
               table_span(quantile(info, 0.99), p99));
    out_printf(out, "load         %s GPU h, mean demand %s GPUs\n",
               table_figure(info->gpu_seconds / 3600, mean),
               table_figure(mean_demand(info), p50));
    out_printf(out, "GPUs         mean %s\n",
               table_figure(
                   info->n_jobs ? info->gpus / (double)info->n_jobs : 0, mean));
}

static void print_text(const struct info *info,
                       const struct trace_reader *reader, const char *note,
                       struct out *out)
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
        "run_time_p50_s", quantile(info, 0.5), "run_time_p90_s",
        quantile(info, 0.9), "run_time_p99_s", quantile(info, 0.99),
        "gpu_hours", info->gpu_seconds / 3600, "mean_demand_gpus",
        mean_demand(info), "users", (json_int_t)(info->users.n_strings - 1),
        "virtual_clusters", (json_int_t)(info->vcs.n_strings - 1), "models",
        (json_int_t)(info->models.n_strings - 1), "gpus", gpus, "ends", ends,
        "note", note);
}

static enum status print(const struct info *info, bool json_wanted,
                         const struct trace_reader *reader, struct error *err)
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
        print_text(info, reader, note, out);
    }
    return out_close(out, err);
}

static enum status run(void *self, struct error *err)
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
        add_row(&info, &row);
    if (info.n_jobs)
        qsort(info.durations, info.n_jobs, sizeof *info.durations, by_span);
    if (st == STATUS_END)
        st = print(&info, input->json, reader, err);
    interner_fini(&info.users);
    interner_fini(&info.vcs);
    interner_fini(&info.models);
    free(info.durations);
    trace_close(reader);
    return st;
}

static const struct arg args[] = {
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
    .parts = {{.rows = args}},
    .input_size = sizeof(struct info_input),
    .run = run,
    .examples = "trace info traces/samples/philly.json",
};
