/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replication is written to memory in schedsim's own format, and each run
 * reads it from there as it would read a file. */
#include "commands/compare_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/remarks.h"
#include "commands/cmd_run.h"
#include "commands/commands_internal.h"
#include "commands/summary_table.h"
#include "sim/results/report.h"
#include "traces/evidence/sidecar.h"
#include "traces/footprint.h"
#include "traces/registry.h"
#include "traces/resample/resample.h"

enum { N_METRICS = 2 };
static const unsigned shown[N_METRICS] = {METRIC_JCT, METRIC_QUEUE_DELAY};

struct replications {
    const struct run_config *config;
    struct arg_list policies; /* those that have not failed */
    struct failed_policies failed;
    uint32_t n;
    /* by policy, metric and replication: mean over jobs; NaN: no job has a
     * value */
    double *means[ARG_LIST_MAX][N_METRICS];
    /* by policy and replication: what it finished */
    struct jobs_done *done[ARG_LIST_MAX];
    uint64_t n_unfinished[ARG_LIST_MAX]; /* by policy: unfinished jobs, summed
                                          * over replications */
    double block_days;                   /* length of a block */
    struct arena arena;
    /* by policy: of the first replication */
    struct knowledge knowledge[ARG_LIST_MAX];
    struct remarks remarks;  /* on the trace */
    struct row_remarks rows; /* on the runs of the first replication */
    const char *cluster;     /* as footprint_cluster returns it */
};

/* Returns the settings of the replications, with the times --from and --to of
 * the run: blocks of the whole cluster are drawn with replacement, because the
 * interval is to say what another recording of this cluster could have been.
 * The waits are simulated anew, so that blocks must be as long as arrivals
 * depend on each other, not as waits do. */
static struct resample_options settings(const struct replications *r,
                                        uint32_t seed)
{
    const struct load_options *load = &r->config->load;
    return (struct resample_options){
        .seed = seed,
        .order = RESAMPLE_WEEKDAYS,
        .joint = true,
        .jitter = 30 * SPAN_SECOND,
        .link = SPAN_HOUR,
        .noise = 0.02,
        .from = load->from ? load->from : TRACE_NO_TIME,
        .to = load->to ? load->to : TRACE_NO_TIME,
    };
}

static enum status replications_read_rows(struct replications *r,
                                          struct resample *resample, bool *wide,
                                          struct error *err)
{
    struct trace_reader *reader;
    struct trace_row row;
    enum status st =
        trace_open(r->config->trace, r->config->format, &reader, err);
    if (st != STATUS_OK)
        return st;
    struct footprint *footprint = footprint_new();
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        resample_add(resample, &row);
        footprint_add(footprint, &row);
    }
    r->cluster =
        footprint_cluster(footprint, trace_recorded_on(reader), &r->arena);
    footprint_free(footprint);
    *wide = trace_rare_facts(reader) != 0;
    trace_close(reader);
    return st == STATUS_END ? resample_draw(resample, err) : st;
}

static void replications_write_rows(struct resample *resample, bool wide,
                                    struct out *out)
{
    struct trace_row row;
    const struct trace_ops *ops = trace_find(text_from("native"));
    ops = wide && ops->wide ? ops->wide : ops;
    trace_write_head(ops, out);
    for (uint64_t i = 0; resample_next(resample, &row); i++)
        ops->write_row(out, &row, i);
}

static enum status replications_fill(int fd, struct text bytes,
                                     struct error *err)
{
    for (size_t done = 0; done < bytes.len;) {
        ssize_t n = write(fd, bytes.at + done, bytes.len - done);
        if (n <= 0 && errno != EINTR)
            return error_set(err, STATUS_FAILED,
                             "cannot keep a replication in memory: %s",
                             strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    return STATUS_OK;
}

/* Adds a remark if the trace has few blocks to draw from. The
 * remark is made once, because remarks_add drops repetitions. */
static void note_blocks(struct replications *r,
                        const struct resample_counts *counts)
{
    r->block_days = span_seconds(counts->block) / 86400;
    if (counts->n_whole < RESAMPLE_BLOCKS_FEW)
        remarks_add(
            &r->remarks, REMARK_CONCLUSION,
            "the trace has %u blocks of %g day%s, which are few to draw "
            "from: intervals are too narrow",
            counts->n_whole, r->block_days, r->block_days == 1 ? "" : "s");
}

/* Makes a replication; *fd is the file in memory that holds it. */
static enum status replications_make(struct replications *r, uint32_t seed,
                                     int *fd, struct error *err)
{
    struct resample_options options = settings(r, seed);
    struct resample *resample = resample_new(&options);
    bool wide = false;
    enum status st = replications_read_rows(r, resample, &wide, err);
    if (st == STATUS_OK) {
        struct out *out = out_to_memory();
        note_blocks(r, resample_counts(resample));
        replications_write_rows(resample, wide, out);
        *fd = memfd_create("replication", MFD_CLOEXEC);
        st = *fd < 0 ? error_set(err, STATUS_FAILED, "memfd_create: %s",
                                 strerror(errno))
                     : replications_fill(*fd, out_memory(out), err);
        out_abandon(out);
    }
    resample_free(resample);
    return st;
}

static void replications_keep(struct replications *r, size_t policy, uint32_t i,
                              struct results results)
{
    const struct run_result *run = results.run;
    struct summary summary;
    job_pass(NULL, NULL, results, &summary);
    for (size_t m = 0; m < N_METRICS; m++) {
        const struct distribution *d = &summary.of[shown[m]];
        r->means[policy][m][i] = d->count ? d->mean : NAN;
    }
    r->n_unfinished[policy] += run->n_unfinished;
    r->done[policy][i] =
        (struct jobs_done){.unfinished = run->n_unfinished,
                           .share = summary_finished_share(&summary.totals)};
    if (i == 0)
        r->knowledge[policy] = knowledge_copy(&run->knowledge, &r->arena);
    if (i == 0)
        row_remarks_add_run(&r->rows, r->policies.at[policy], &run->remarks);
    summary_fini(&summary);
}

/* Leaves out policy p, which failed, in this and in later replications. */
static void drop_policy(struct replications *r, size_t p,
                        const struct error *why)
{
    const size_t last = --r->policies.n;
    struct jobs_done *done = r->done[p];
    double *means[N_METRICS];
    memcpy(means, r->means[p], sizeof means);
    failed_policies_add(&r->failed, r->policies.at[p], why);
    for (size_t k = p; k < last; k++) {
        r->policies.at[k] = r->policies.at[k + 1];
        memcpy(r->means[k], r->means[k + 1], sizeof means);
        r->done[k] = r->done[k + 1];
        r->n_unfinished[k] = r->n_unfinished[k + 1];
        r->knowledge[k] = r->knowledge[k + 1];
    }
    /* the memory stays, to be freed with that of the others */
    memcpy(r->means[last], means, sizeof means);
    r->done[last] = done;
}

/* Runs the policies on a replication. An error: all have failed. */
static enum status replications_run_all(struct replications *r, uint32_t i,
                                        int fd, struct error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (size_t p = 0; p < r->policies.n;) {
        struct replay replay;
        struct run_config config = *r->config;
        const struct replay_options options = {.label = r->policies.at[p]};
        config.trace = path;
        config.format = "native";
        config.load.from = config.load.to = 0;
        config.cluster = config.cluster ? config.cluster : r->cluster;
        config.policy = r->policies.at[p];
        enum status st = replay_run(&config, &options, &replay, err);
        if (st != STATUS_OK && st != STATUS_INCOMPLETE) {
            drop_policy(r, p, err);
            continue;
        }
        replications_keep(r, p++, i, replay.results);
        replay_fini(&replay);
    }
    return r->policies.n ? STATUS_OK
                         : error_set(err, r->failed.at[0].status, "%s",
                                     r->failed.at[0].message);
}

/* Returns the mean over replications, without an interval if all replications
 * are equal. */
static struct estimate replications_mean_of(const struct replications *r,
                                            size_t policy, size_t metric)
{
    struct estimate e = spread_of(r->means[policy][metric], NULL, r->n);
    if (estimate_is_of_one(&e))
        e.interval = (struct interval){NAN, NAN};
    return e;
}

/* Returns the difference of a policy to the first one; no numbers if in some
 * replication the two did not finish the same jobs. */
static struct difference difference_of(const struct replications *r,
                                       size_t policy, size_t metric)
{
    for (uint32_t i = 0; i < r->n; i++) {
        if (!difference_same_jobs(&r->done[0][i], &r->done[policy][i]))
            return difference_incomparable();
    }
    return difference_of_resamples(r->means[0][metric],
                                   r->means[policy][metric], r->n);
}

/* Returns the mean over replications of what a policy finished. */
static struct jobs_done replications_done_of(const struct replications *r,
                                             size_t policy)
{
    struct jobs_done sum = {0};
    for (uint32_t i = 0; i < r->n; i++) {
        sum.unfinished += r->done[policy][i].unfinished;
        sum.share += r->done[policy][i].share;
    }
    return (struct jobs_done){.unfinished = sum.unfinished / r->n,
                              .share = sum.share / r->n};
}

static void print_differences(const struct replications *r)
{
    struct differences differences;
    differences_init(&differences, "policy", "runs");
    for (size_t p = 1; p < r->policies.n; p++) {
        for (size_t m = 0; m < N_METRICS; m++) {
            const struct column *column = &metrics[shown[m]].column;
            struct difference d = difference_of(r, p, m);
            differences_add(&differences, r->policies.at[p], column->name,
                            column->unit, &d);
        }
    }
    differences_finish(&differences, stdout);
}

static void print_knowledge(const struct replications *r)
{
    struct row_words rows[ARG_LIST_MAX];
    for (size_t p = 0; p < r->policies.n; p++)
        rows[p] = (struct row_words){r->policies.at[p], r->knowledge[p].words};
    row_words_print(rows, r->policies.n, stdout);
}

static void replications_print_table(struct replications *r, bool all_remarks)
{
    static const char *const heads[] = {"policy", "JCT mean [95 %]",
                                        "queue mean [95 %]"};
    struct table table;
    char buf[ESTIMATE_TEXT_MAX];
    bool any = r->failed.n > 0;
    for (size_t p = 0; p < r->policies.n; p++)
        any |= r->n_unfinished[p] > 0;
    table_init(&table, 1 + N_METRICS + any, 1);
    for (size_t i = 0; i < 1 + N_METRICS; i++)
        table_add(&table, "%s", heads[i]);
    if (any)
        table_add(&table, "done");
    for (size_t p = 0; p < r->policies.n; p++) {
        table_add(
            &table, "%s",
            knowledge_name(r->policies.at[p], r->knowledge[p].mark, &r->arena));
        for (size_t m = 0; m < N_METRICS; m++) {
            struct estimate e = replications_mean_of(r, p, m);
            table_add(&table, "%s", estimate_text(&e, "s", buf));
        }
        if (any) {
            const struct jobs_done done = replications_done_of(r, p);
            summary_done_cell(&table, &done);
        }
    }
    failed_policies_rows(&r->failed, &table, 1 + N_METRICS);
    table_print(&table, stdout);
    table_fini(&table);
    failed_policies_say(&r->failed, stdout);
    print_knowledge(r);
    print_differences(r);
    for (size_t p = 0; p < r->policies.n; p++) {
        if (r->n_unfinished[p])
            say_prose(stdout,
                      "incomplete: %s: %llu jobs of all replications did not "
                      "finish",
                      r->policies.at[p],
                      (unsigned long long)r->n_unfinished[p]);
    }
    say_prose(stdout,
              "%u replications: blocks of %g day%s of the trace, drawn with "
              "replacement; intervals are the spread of the replications, "
              "which is the uncertainty of the trace",
              r->n, r->block_days, r->block_days == 1 ? "" : "s");
    row_remarks_add_run(&r->rows, NULL, &r->remarks);
    row_remarks_print(&r->rows, r->policies.n, all_remarks, stdout);
}

static void write_mean(struct json_stream *js, const char *key,
                       struct estimate e)
{
    json_stream_object(js, key);
    json_stream_whole(js, "replications", (int64_t)e.n);
    json_stream_number(js, "mean", e.mean);
    json_stream_number(js, "mean_lo", e.interval.lo);
    json_stream_number(js, "mean_hi", e.interval.hi);
    json_stream_text(js, "interval_of", "resamples");
    json_stream_object_end(js);
}

static enum status replications_print_json(const struct replications *r,
                                           struct error *err)
{
    static const char *const keys[N_METRICS][2] = {
        {"jct_s", "jct_s_minus_first"},
        {"queue_delay_s", "queue_delay_s_minus_first"}};
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_array(js, NULL);
    for (size_t p = 0; p < r->policies.n; p++) {
        json_stream_object(js, NULL);
        json_stream_text(js, "policy", r->policies.at[p]);
        json_stream_whole(js, "unfinished", (int64_t)r->n_unfinished[p]);
        if (r->n_unfinished[p])
            json_stream_number(js, "finished_share",
                               replications_done_of(r, p).share);
        report_knowledge(js, &r->knowledge[p]);
        for (size_t m = 0; m < N_METRICS; m++) {
            struct difference d = difference_of(r, p, m);
            write_mean(js, keys[m][0], replications_mean_of(r, p, m));
            difference_write(js, keys[m][1], "replications", &d);
        }
        json_stream_object_end(js);
    }
    failed_policies_write(&r->failed, js);
    json_stream_array_end(js);
    json_stream_end(js);
    return out_close(out, err);
}

static enum status replications_check(const struct run_config *config,
                                      struct arena *arena, struct error *err)
{
    if (strcmp(config->trace, "-") == 0)
        return error_set(
            err, STATUS_USAGE,
            "--replications: standard input can be read only once");
    if (!config->evidence &&
        access(sidecar_path(config->trace, arena), F_OK) == 0)
        return error_set(err, STATUS_USAGE,
                         "--replications: the evidence beside the trace is of "
                         "the jobs as they ran and cannot be resampled; "
                         "--evidence generated makes other evidence");
    return STATUS_OK;
}

static enum status run_replications(struct replications *r, struct error *err)
{
    enum status st = STATUS_OK;
    for (uint32_t i = 0; i < r->n && st == STATUS_OK; i++) {
        int fd = -1;
        st = replications_make(r, i + 1, &fd, err);
        if (st == STATUS_OK)
            st = replications_run_all(r, i, fd, err);
        if (fd >= 0)
            close(fd);
    }
    return st;
}

enum status replications_compare(const struct run_config *config,
                                 const struct arg_list *policies, uint32_t n,
                                 bool json, bool all_remarks, struct error *err)
{
    struct replications r = {.config = config, .policies = *policies, .n = n};
    arena_init(&r.arena);
    r.remarks.arena = &r.arena;
    row_remarks_init(&r.rows);
    for (size_t p = 0; p < policies->n; p++) {
        for (size_t m = 0; m < N_METRICS; m++)
            r.means[p][m] = mem_zalloc(n, sizeof(double));
        r.done[p] = mem_zalloc(n, sizeof *r.done[p]);
    }
    enum status st = replications_check(config, &r.arena, err);
    if (st == STATUS_OK)
        st = run_replications(&r, err);
    if (st == STATUS_OK && json)
        st = replications_print_json(&r, err);
    else if (st == STATUS_OK)
        replications_print_table(&r, all_remarks);
    if (st == STATUS_OK && r.failed.n) {
        st = error_set(err, r.failed.at[0].status, "%s: %s",
                       r.failed.at[0].spec, r.failed.at[0].message);
        if (!json)
            err->message[0] = '\0'; /* the table has reported it */
    }
    failed_policies_fini(&r.failed);
    for (size_t p = 0; p < policies->n; p++) {
        if (st == STATUS_OK && r.n_unfinished[p])
            st = STATUS_INCOMPLETE;
        for (size_t m = 0; m < N_METRICS; m++)
            free(r.means[p][m]);
        free(r.done[p]);
    }
    row_remarks_fini(&r.rows);
    remarks_fini(&r.remarks);
    arena_fini(&r.arena);
    return st;
}
