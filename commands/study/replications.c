/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the trace are read once. A replication is written to memory in
 * schedsim's own format when its first run begins, and its runs share what was
 * parsed from there. */
#include "commands/study/compare_internal.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/remarks.h"
#include "commands/commands_internal.h"
#include "commands/latex.h"
#include "commands/study/sweep_internal.h"
#include "commands/summary_table.h"
#include "sim/results/report.h"
#include "traces/evidence/sidecar.h"
#include "traces/footprint.h"
#include "traces/registry.h"
#include "traces/resample/resample.h"
#include "traces/shelf.h"

/* Replications that are kept parsed need at most this memory, bytes. */
#define REPLICATIONS_BYTES ((size_t)1 << 27)

enum { N_METRICS = 2 };
static const unsigned replications_shown[N_METRICS] = {METRIC_JCT,
                                                       METRIC_QUEUE_DELAY};

/* What is kept of the run of a policy on a replication. */
struct replication_run {
    double means[N_METRICS]; /* means over jobs; NaN: no job has a value */
    struct jobs_done done;
    enum status status;
    char *message; /* why it failed or is incomplete; owned; NULL: neither */
    /* of the first replication; the arena owns their texts */
    struct arena arena;
    struct knowledge knowledge;
    struct remarks remarks;
};

/* One replication, for the function that writes it. */
struct replication {
    struct replications *of;
    uint32_t seed;
};

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
    struct resample *base;   /* the rows of the trace */
    bool wide; /* true: rows may have facts that only the wide format holds */
    struct replication *all;      /* by seed - 1 */
    struct replication_run *runs; /* by replication, then by policy */
    /* by policy: the first replication on which its run failed; later ones are
     * left out. UINT32_MAX: none */
    _Atomic uint32_t failed_at[ARG_LIST_MAX];
    pthread_mutex_t lock;          /* guards the next member */
    struct resample_counts counts; /* of a replication */
};

/* Returns the settings of the replications, with the times --from and --to of
 * the run: blocks of the whole cluster are drawn with replacement, because the
 * interval is to say what another recording of this cluster could have been.
 * The waits are simulated anew, so that blocks must be as long as arrivals
 * depend on each other, not as waits do. */
static struct resample_options replications_settings(
    const struct replications *r, uint32_t seed)
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
                                          struct error *err)
{
    struct trace_reader *reader;
    struct trace_row row;
    enum status st =
        trace_open(r->config->trace, r->config->format, &reader, err);
    if (st != STATUS_OK)
        return st;
    struct resample_options options = replications_settings(r, 1);
    st = load_resolve_window(r->config->trace, r->config->format, &options.from,
                             &options.to, err);
    if (st != STATUS_OK) {
        trace_close(reader);
        return st;
    }
    struct footprint *footprint = footprint_new();
    r->base = resample_new(&options);
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        resample_add(r->base, &row);
        footprint_add(footprint, &row);
    }
    r->cluster =
        footprint_cluster(footprint, trace_recorded_on(reader), &r->arena);
    footprint_free(footprint);
    r->wide = trace_rare_facts(reader) != 0;
    trace_close(reader);
    return st == STATUS_END ? STATUS_OK : st;
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

/* Writes a replication, for the shelf. */
static enum status replications_make(void *self, struct out *bytes,
                                     struct error *err)
{
    const struct replication *one = self;
    struct replications *r = one->of;
    struct resample *resample = resample_fork(r->base, one->seed);
    enum status st = resample_draw(resample, err);
    if (st == STATUS_OK) {
        replications_write_rows(resample, r->wide, bytes);
        pthread_mutex_lock(&r->lock);
        r->counts = *resample_counts(resample);
        pthread_mutex_unlock(&r->lock);
    }
    resample_free(resample);
    return st;
}

/* Leaves a run out if its policy has failed on an earlier replication. */
static enum status replications_begin(void *self, size_t index,
                                      struct run_config *config,
                                      struct replay_options *observe,
                                      struct error *err)
{
    struct replications *r = self;
    (void)config, (void)observe;
    if (atomic_load(&r->failed_at[index % r->policies.n]) <
        index / r->policies.n)
        return error_set(err, STATUS_FAILED, "left out");
    return STATUS_OK;
}

/* Notes that the run of a policy on replication i failed. */
static void replications_fail(struct replications *r, size_t policy, uint32_t i)
{
    uint32_t first = atomic_load(&r->failed_at[policy]);
    while (i < first &&
           !atomic_compare_exchange_weak(&r->failed_at[policy], &first, i))
        continue;
}

static void replications_keep(void *self, const struct study_run *ended)
{
    struct replications *r = self;
    struct replication_run *out = &r->runs[ended->index];
    const uint32_t i = (uint32_t)(ended->index / r->policies.n);
    out->status = ended->status;
    if (ended->status != STATUS_OK) {
        const size_t room = strlen(ended->err->message) + 1;
        out->message = memcpy(mem_alloc(room), ended->err->message, room);
    }
    if (!ended->replay) {
        replications_fail(r, ended->index % r->policies.n, i);
        return;
    }
    const struct run_result *run = ended->replay->results.run;
    struct summary summary;
    job_pass(NULL, NULL, ended->replay->results, &summary);
    for (size_t m = 0; m < N_METRICS; m++) {
        const struct distribution *d = &summary.of[replications_shown[m]];
        out->means[m] = d->count ? d->mean : NAN;
    }
    out->done =
        (struct jobs_done){.unfinished = run->n_unfinished,
                           .share = summary_finished_share(&summary.totals)};
    if (i == 0) {
        out->knowledge = knowledge_copy(&run->knowledge, &out->arena);
        out->remarks.arena = &out->arena;
        remarks_add_all(&out->remarks, &run->remarks);
    }
    summary_fini(&summary);
}

static enum status replications_execute(struct replications *r,
                                        unsigned threads, struct error *err)
{
    const size_t n_policies = r->policies.n, n = r->n * n_policies;
    const bool asks = r->config->llm || r->config->llm_recording;
    struct study_task *tasks = mem_zalloc(n, sizeof *tasks);
    struct shelf *shelf = shelf_new(REPLICATIONS_BYTES);
    for (uint32_t i = 0; i < r->n; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "replication %u", i + 1);
        const char *trace = arena_copy(&r->arena, name, (size_t)len);
        r->all[i] = (struct replication){r, i + 1};
        shelf_add(shelf, trace,
                  (struct shelf_maker){replications_make, &r->all[i]});
        for (size_t p = 0; p < n_policies; p++) {
            struct run_config *config = &tasks[i * n_policies + p].config;
            *config = *r->config;
            config->trace = trace;
            config->format = "native";
            config->load.from = config->load.to = 0;
            config->cluster = config->cluster ? config->cluster : r->cluster;
            config->policy = r->policies.at[p];
        }
    }
    struct study study = {.tasks = tasks,
                          .n = n,
                          .n_threads = asks ? 1 : threads,
                          .shelf = shelf,
                          .self = r,
                          .begin = replications_begin,
                          .take = replications_keep};
    enum status st = study_execute(&study, err);
    study_end(&study, "compare",
              "nothing is kept, the same command begins again");
    shelf_free(shelf);
    free(tasks);
    return st;
}

/* Gathers the values of policy p, which failed on no replication. */
static void replications_gather(struct replications *r, size_t p, size_t to)
{
    const size_t n_policies = r->policies.n;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct replication_run *run = &r->runs[i * n_policies + p];
        for (size_t m = 0; m < N_METRICS; m++)
            r->means[to][m][i] = run->means[m];
        r->done[to][i] = run->done;
        r->n_unfinished[to] += (uint64_t)run->done.unfinished;
    }
    r->knowledge[to] = knowledge_copy(&r->runs[p].knowledge, &r->arena);
}

/* Adds the policies that failed to r->failed, those that failed on an earlier
 * replication first, gathers the values of the others, and leaves only them in
 * r->policies. Sets *err to the message of the last incomplete run, if there is
 * one. An error: all have failed. */
static enum status replications_judge(struct replications *r, struct error *err)
{
    const size_t n_policies = r->policies.n;
    const struct arg_list policies = r->policies;
    size_t n = 0;
    for (size_t k = 0; k < r->n * n_policies; k++) {
        const size_t p = k % n_policies;
        const struct replication_run *run = &r->runs[k];
        struct error why = {.status = run->status};
        if (run->message)
            snprintf(why.message, sizeof why.message, "%s", run->message);
        if (k < n_policies)
            row_remarks_add_run(&r->rows, policies.at[p], &run->remarks);
        if (why.status == STATUS_INCOMPLETE)
            *err = why;
        if (atomic_load(&r->failed_at[p]) == k / n_policies)
            failed_policies_add(&r->failed, policies.at[p], &why);
    }
    for (size_t p = 0; p < n_policies; p++) {
        if (atomic_load(&r->failed_at[p]) != UINT32_MAX)
            continue;
        replications_gather(r, p, n);
        r->policies.at[n++] = policies.at[p];
    }
    r->policies.n = n;
    return n ? STATUS_OK
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

/* Sets order[] to the policies, that with the smallest mean JCT first,
 * those that left jobs unfinished last. */
static void replications_order(const struct replications *r, size_t *order)
{
    double jct[ARG_LIST_MAX];
    for (size_t p = 0; p < r->policies.n; p++)
        jct[p] = r->n_unfinished[p] ? NAN : replications_mean_of(r, p, 0).mean;
    rows_by_jct(jct, r->policies.n, order);
}

static void print_differences(const struct replications *r)
{
    struct differences differences;
    differences_init(&differences, "policy", r->policies.at[0]);
    size_t order[ARG_LIST_MAX];
    replications_order(r, order);
    for (size_t k = 0; k < r->policies.n; k++) {
        const size_t p = order[k];
        for (size_t m = 0; m < N_METRICS && p > 0; m++) {
            const struct column *column =
                &metrics[replications_shown[m]].column;
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
    size_t order[ARG_LIST_MAX];
    replications_order(r, order);
    for (size_t k = 0; k < r->policies.n; k++) {
        const size_t p = order[k];
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
                                           bool latex, struct error *err)
{
    static const char *const keys[N_METRICS][2] = {
        {"jct_s", "jct_s_minus_first"},
        {"queue_delay_s", "queue_delay_s_minus_first"}};
    struct out *out;
    enum status st = answer_open(latex, &out, err);
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
    return answer_close(latex, out, err);
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

static enum status run_replications(struct replications *r, unsigned threads,
                                    struct error *err)
{
    enum status st = replications_check(r->config, &r->arena, err);
    if (st == STATUS_OK)
        st = replications_read_rows(r, err);
    if (st == STATUS_OK)
        st = replications_execute(r, threads, err);
    if (st == STATUS_OK)
        st = replications_judge(r, err);
    if (st == STATUS_OK)
        note_blocks(r, &r->counts);
    return st;
}

static void replications_init(struct replications *r)
{
    const size_t n_runs = r->n * r->policies.n;
    arena_init(&r->arena);
    pthread_mutex_init(&r->lock, NULL);
    r->remarks.arena = &r->arena;
    row_remarks_init(&r->rows);
    r->all = mem_zalloc(r->n, sizeof *r->all);
    r->runs = mem_zalloc(n_runs, sizeof *r->runs);
    for (size_t p = 0; p < r->policies.n; p++) {
        atomic_init(&r->failed_at[p], UINT32_MAX);
        for (size_t m = 0; m < N_METRICS; m++)
            r->means[p][m] = mem_zalloc(r->n, sizeof(double));
        r->done[p] = mem_zalloc(r->n, sizeof *r->done[p]);
    }
}

static void replications_fini(struct replications *r, size_t n_policies)
{
    failed_policies_fini(&r->failed);
    for (size_t k = 0; k < r->n * n_policies; k++) {
        free(r->runs[k].message);
        remarks_fini(&r->runs[k].remarks);
        arena_fini(&r->runs[k].arena);
    }
    for (size_t p = 0; p < n_policies; p++) {
        for (size_t m = 0; m < N_METRICS; m++)
            free(r->means[p][m]);
        free(r->done[p]);
    }
    free(r->all);
    free(r->runs);
    resample_free(r->base);
    row_remarks_fini(&r->rows);
    remarks_fini(&r->remarks);
    pthread_mutex_destroy(&r->lock);
    arena_fini(&r->arena);
}

enum status replications_compare(const struct run_config *config,
                                 const struct arg_list *policies, uint32_t n,
                                 unsigned threads, enum compare_form form,
                                 struct error *err)
{
    struct replications r = {.config = config, .policies = *policies, .n = n};
    replications_init(&r);
    enum status st = run_replications(&r, threads, err);
    if (st == STATUS_OK && form > COMPARE_REMARKS)
        st = replications_print_json(&r, form == COMPARE_LATEX, err);
    else if (st == STATUS_OK)
        replications_print_table(&r, form == COMPARE_REMARKS);
    if (st == STATUS_OK && r.failed.n) {
        st = error_set(err, r.failed.at[0].status, "%s: %s",
                       r.failed.at[0].spec, r.failed.at[0].message);
        if (form <= COMPARE_REMARKS)
            err->message[0] = '\0'; /* the table has reported it */
    }
    for (size_t p = 0; p < r.policies.n; p++) {
        if (st == STATUS_OK && r.n_unfinished[p])
            st = STATUS_INCOMPLETE;
    }
    replications_fini(&r, policies->n);
    return st;
}
