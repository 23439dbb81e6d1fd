/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace fidelity`: measures generated traces beside the values of a real
 * cluster or the rows of its log, and judges them by bars. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "commands/cmd_run.h"
#include "commands/commands_internal.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "sim/results/statistics.h"
#include "sim/results/summary.h"
#include "traces/fidelity/bars.h"
#include "traces/fidelity/measures.h"
#include "traces/fidelity/series.h"

/* The measures of n traces, and the bars that judge them. */
struct fidelity_report {
    const char *const *paths;        /* path of each trace */
    const struct measures *measured; /* measures of each trace */
    size_t n;
    /* real values and bars; bars->n 0: there are none, and the measures stand
     * alone */
    const struct bars *bars;
    bool all; /* true: also prints figures that have neither a real value nor a
               * bar */
    const char *against; /* the cluster or the file with the real values; NULL:
                          * none */
};

/* Which jobs of a trace run, and on which cluster. */
struct fidelity_run {
    const char *path, *format; /* format NULL: recognised by content */
    const char *cluster;       /* NULL: the cluster of the trace */
    sim_time from, to;         /* us since 1970; see struct load_options */
};

/* The jobs that were read from the trace of a run; the first n_standing of them
 * ran before the trace began. */
struct fidelity_read {
    const struct fidelity_jobs *jobs;
    size_t n_standing;
};

/* Prints what `trace fidelity` measured beside the real values. */

struct trace_fidelity;

static enum status fidelity_measure(struct trace_fidelity *f,
                                    const struct fidelity_source *source,
                                    struct bars *distributions,
                                    struct measures *out, struct error *err);
static enum status trace_fidelity_run(void *self, struct error *err);

static const char *const verdicts[] = {[BAR_VERDICT_NONE] = "-",
                                       [BAR_VERDICT_PASS] = "pass",
                                       [BAR_VERDICT_FAIL] = "FAIL",
                                       [BAR_VERDICT_UNKNOWN] = "not known"};

enum { FIGURE_MAX = TABLE_SPAN_MAX, BAR_TEXT_MAX = 80 };

static const char *fidelity_figure(double value, char buf[FIGURE_MAX])
{
    if (isnan(value))
        return "?";
    snprintf(buf, FIGURE_MAX, fabs(value) >= 100 ? "%.0f" : "%.3g", value);
    return buf;
}

/* Returns the limits that a measure must keep, such as "272 .. 1090"; "-" if it
 * has none. */
static const char *limits(const struct bar *bar, char buf[BAR_TEXT_MAX])
{
    char lo_text[FIGURE_MAX], hi_text[FIGURE_MAX];
    double lo, hi;
    bar_limits(bar, &lo, &hi);
    if (bar->kind == BAR_NONE)
        return "-";
    if (bar->over == BAR_SPREAD) {
        snprintf(buf, BAR_TEXT_MAX, "max/min <= %s",
                 fidelity_figure(hi, hi_text));
        return buf;
    }
    snprintf(buf, BAR_TEXT_MAX, "%s .. %s%s", fidelity_figure(lo, lo_text),
             fidelity_figure(hi, hi_text),
             bar->over == BAR_EACH ? " each" : "");
    return buf;
}

static struct judged fidelity_judge(const struct fidelity_report *report,
                                    const struct bar *bar, double *values)
{
    for (size_t i = 0; i < report->n; i++)
        values[i] = measures_find(&report->measured[i], bar->measure);
    return bar_judge(bar, values, report->n);
}

/* True if the group of a measure, which is its name up to the first '.', was
 * measured on the first trace. */
static bool was_measured(const struct fidelity_report *report, const char *name)
{
    const struct measures *first = &report->measured[0];
    size_t len = strcspn(name, ".") + 1;
    for (size_t i = 0; i < first->n; i++) {
        if (strncmp(first->at[i].name, name, len) == 0)
            return true;
    }
    return false;
}

static bool has_bar(const struct bars *bars, const char *name)
{
    for (size_t i = 0; i < bars->n; i++) {
        if (strcmp(bars->at[i].measure, name) == 0)
            return true;
    }
    return false;
}

/* Receives one measure after another: those with bars or real values first,
 * then the others. */
typedef void take_row(void *self, const struct bar *bar,
                      const struct judged *judged);

static size_t each_row(const struct fidelity_report *report, take_row *take,
                       void *self)
{
    double *values = mem_alloc((report->n + 1) * sizeof *values);
    const struct measures *first = &report->measured[0];
    size_t failed = 0;
    for (size_t i = 0; i < report->bars->n; i++) {
        const struct bar *bar = &report->bars->at[i];
        if (!was_measured(report, bar->measure))
            continue;
        struct judged judged = fidelity_judge(report, bar, values);
        failed += judged.verdict == BAR_VERDICT_FAIL;
        take(self, bar, &judged);
    }
    for (size_t i = 0; i < first->n; i++) {
        const struct bar bar = {
            .measure = first->at[i].name, .real = NAN, .status = ""};
        if (has_bar(report->bars, bar.measure))
            continue;
        struct judged judged = fidelity_judge(report, &bar, values);
        take(self, &bar, &judged);
    }
    free(values);
    return failed;
}

struct trace_fidelity_printer {
    struct table *table;
    size_t counts[BAR_VERDICT_UNKNOWN + 1];
    bool several, all;
};

static void fidelity_print_row(void *self, const struct bar *bar,
                               const struct judged *judged)
{
    struct trace_fidelity_printer *p = self;
    char real[FIGURE_MAX], median[FIGURE_MAX], least[FIGURE_MAX],
        most[FIGURE_MAX], text[BAR_TEXT_MAX];
    bool plain = isnan(bar->real) && bar->kind == BAR_NONE;
    p->counts[judged->verdict]++;
    if (plain && !p->all)
        return;
    table_add(p->table, "%s", bar->measure);
    table_add(p->table, "%s", fidelity_figure(bar->real, real));
    table_add(p->table, "%s", fidelity_figure(judged->median, median));
    if (p->several)
        table_add(p->table, "%s .. %s", fidelity_figure(judged->least, least),
                  fidelity_figure(judged->most, most));
    table_add(p->table, "%s", limits(bar, text));
    table_add(p->table, "%s", verdicts[judged->verdict]);
    table_add(p->table, "%s", bar->status);
}

/* Prints a table. Returns the number of bars that fail. */
static size_t fidelity_print(const struct fidelity_report *report)
{
    struct table table;
    struct trace_fidelity_printer p = {.table = &table,
                                       .several = report->n > 1,
                                       .all = report->all || !report->against};
    table_init(&table, p.several ? 7 : 6, p.several ? 0x71 : 0x39);
    table_add(&table, "measure");
    table_add(&table, "real");
    table_add(&table, p.several ? "median" : "measured");
    if (p.several)
        table_add(&table, "least .. most");
    table_add(&table, "bar");
    table_add(&table, "verdict");
    table_add(&table, "real from");
    size_t failed = each_row(report, fidelity_print_row, &p);
    table_print(&table, stdout);
    table_fini(&table);
    say(stdout,
        "%zu bars pass, %zu fail, %zu not known; %zu figures have none%s",
        p.counts[BAR_VERDICT_PASS], failed, p.counts[BAR_VERDICT_UNKNOWN],
        p.counts[BAR_VERDICT_NONE], p.all ? "" : " (--all)");
    return failed;
}

static void fidelity_write_row(void *self, const struct bar *bar,
                               const struct judged *judged)
{
    static const char *const words[] = {[BAR_VERDICT_NONE] = "none",
                                        [BAR_VERDICT_PASS] = "pass",
                                        [BAR_VERDICT_FAIL] = "fail",
                                        [BAR_VERDICT_UNKNOWN] = "not known"};
    struct json_stream *js = self;
    char text[BAR_TEXT_MAX];
    json_stream_object(js, NULL);
    json_stream_text(js, "measure", bar->measure);
    json_stream_number(js, "real", bar->real);
    json_stream_number(js, "median", judged->median);
    json_stream_number(js, "least", judged->least);
    json_stream_number(js, "most", judged->most);
    json_stream_text(js, "bar", limits(bar, text));
    json_stream_text(js, "verdict", words[judged->verdict]);
    json_stream_text(js, "status", bar->status);
    json_stream_text(js, "source", bar->source);
    json_stream_object_end(js);
}

/* Writes JSON to standard output; *failed is the number of bars that fail. */
static enum status fidelity_write(const struct fidelity_report *report,
                                  size_t *failed, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_object(js, NULL);
    json_stream_text(js, "against", report->against);
    json_stream_array(js, "traces");
    for (size_t i = 0; i < report->n; i++)
        json_stream_text(js, NULL, report->paths[i]);
    json_stream_array_end(js);
    json_stream_array(js, "measures");
    *failed = each_row(report, fidelity_write_row, js);
    json_stream_array_end(js);
    json_stream_whole(js, "failed", (int64_t)*failed);
    json_stream_object_end(js);
    json_stream_end(js);
    return out_close(out, err);
}

/* The measures of a trace that need the cluster, a simulation or an estimator,
 * for `trace fidelity`; the others are in traces/fidelity. */

static struct run_config fidelity_config_of(const struct fidelity_run *run)
{
    return (struct run_config){.trace = run->path,
                               .format = run->format,
                               .cluster = run->cluster,
                               .load = {.from = run->from, .to = run->to},
                               .seed = 1};
}

static void add_vcs(const struct cluster *cluster,
                    const struct fidelity_read *read, struct measures *out)
{
    const struct fidelity_jobs *jobs = read->jobs;
    struct fidelity_vc *vcs = mem_alloc(cluster->n_vcs * sizeof *vcs);
    for (uint16_t v = 0; v < cluster->n_vcs; v++) {
        const char *name = cluster->vcs[v];
        vcs[v] = (struct fidelity_vc){
            .name = name,
            .symbol = interner_find(&jobs->names, text_from(name)),
            .gpus = cluster_vc_gpus(cluster, v)};
    }
    measure_vcs(jobs->at, jobs->n, read->n_standing, vcs, cluster->n_vcs, out);
    free(vcs);
}

/* Adds the groups "demand" and "vcs", which need the GPUs of the cluster.
 * `demand`, `vcs`: true if the group is wanted; "vcs" is left out if the
 * cluster has only one virtual cluster. */
static enum status fidelity_capacity(const struct fidelity_run *run,
                                     const struct fidelity_read *read,
                                     bool demand, bool vcs,
                                     struct measures *out, struct error *err)
{
    struct run *prepared;
    struct run_config config = fidelity_config_of(run);
    enum status st = run_prepare(&config, &prepared, err);
    if (st != STATUS_OK)
        return st;
    const struct cluster *cluster = &run_result(prepared)->cluster;
    if (demand)
        measure_demand(read->jobs->at, read->jobs->n, cluster->n_gpus, out);
    if (vcs && cluster->n_vcs > 1)
        add_vcs(cluster, read, out);
    run_free(prepared);
    return STATUS_OK;
}

/* Adds the mean and the 99th percentile of the queueing delays of a run.
 * Returns the mean; NaN if no job has a delay. */
static double add_delays(const struct results *results, const char *policy,
                         struct measures *out)
{
    struct facts_reader reader;
    struct facts facts;
    const double top = 99;
    size_t n = 0, n_jobs = results->run->jobset.n_jobs;
    double *delays = mem_alloc((n_jobs + 1) * sizeof *delays), sum = 0,
           p99 = NAN;
    facts_reader_init(&reader, *results);
    for (job_id id = 0; id < n_jobs; id++) {
        facts_read(&reader, id, &facts);
        double delay = facts.metric[METRIC_QUEUE_DELAY];
        if (isnan(delay))
            continue;
        delays[n++] = delay;
        sum += delay;
    }
    facts_reader_fini(&reader);
    if (n)
        stats_percentiles(delays, n, &top, 1, &p99);
    free(delays);
    double mean = n ? sum / (double)n : NAN;
    measures_add(out, mean, "waits.%s_mean", policy);
    measures_add(out, p99, "waits.%s_p99", policy);
    return mean;
}

/* Adds the median, over the virtual clusters, of the mean number of GPUs that
 * waiting jobs ask for, as a share of the GPUs of the virtual cluster. */
static void add_pending(const struct results *results, struct measures *out)
{
    const struct run_result *r = results->run;
    uint32_t n = r->jobset.n_jobs;
    double *pending = mem_zalloc(r->cluster.n_vcs + 1u, sizeof *pending);
    double span = n ? span_seconds(r->jobset.jobs[n - 1].submitted) : 0;
    struct facts_reader reader;
    struct facts facts;
    facts_reader_init(&reader, *results);
    for (job_id id = 0; id < n; id++) {
        facts_read(&reader, id, &facts);
        pending[facts.job->vc] += span_seconds(facts.queued) * facts.job->gpus;
    }
    facts_reader_fini(&reader);
    /* NaN, which measures_add leaves out, if all jobs come at one instant */
    for (uint16_t v = 0; v < r->cluster.n_vcs; v++) {
        double most = span * cluster_vc_gpus(&r->cluster, v);
        pending[v] = most > 0 ? pending[v] / most : NAN;
    }
    measures_add(out, series_median(pending, r->cluster.n_vcs),
                 "waits.pending_median");
    free(pending);
}

static enum status wait_under(const struct fidelity_run *run,
                              const char *policy, struct measures *out,
                              double *mean, struct error *err)
{
    struct replay replay;
    struct run_config config = fidelity_config_of(run);
    const struct replay_options options = {.label = policy};
    config.policy = policy;
    enum status st = replay_run(&config, &options, &replay, err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        return st;
    *mean = add_delays(&replay.results, policy, out);
    if (strcmp(policy, "fifo") == 0 && replay.results.run->cluster.n_vcs > 1)
        add_pending(&replay.results, out);
    replay_fini(&replay);
    return STATUS_OK;
}

/* Adds the group "waits": queueing delays under fifo, fjf, srtf and tiresias,
 * ratios of their means, and, if the cluster has several virtual clusters, the
 * GPUs that pending jobs ask for under fifo. */
static enum status fidelity_waits(const struct fidelity_run *run,
                                  struct measures *out, struct error *err)
{
    static const char *const policies[] = {"fifo", "fjf", "srtf", "tiresias"};
    double means[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        enum status st = wait_under(run, policies[i], out, &means[i], err);
        if (st != STATUS_OK)
            return st;
    }
    measures_add(out, means[0] / means[2], "waits.fifo_by_srtf");
    measures_add(out, means[0] / means[3], "waits.fifo_by_tiresias");
    return STATUS_OK;
}

/* Which columns of a trace estimators may read. */
enum columns_kept { KEEP_ALL, KEEP_WITHOUT_LEAKS, KEEP_EQUAL, N_KEPT };

/* Removes, from the jobs of a prepared run, the columns that estimators may not
 * read. */
static void drop_columns(struct jobset *jobs, enum columns_kept kept)
{
    for (uint32_t i = 0; kept != KEEP_ALL && i < jobs->n_jobs; i++) {
        struct job *job = &jobs->jobs[i];
        job->name = job->model = 0;
        job->declared = 0;
        job->batch_size = 0;
        job->mem_mib = 0;
        job->gpu_util = GPU_UTIL_UNKNOWN;
        job->usage = 0;
        if (kept == KEEP_EQUAL)
            job->vc = 0;
    }
}

/* Measures the rank correlation of one estimator on the second half of the
 * jobs; NaN if it answers for no job. */
static enum status fidelity_rank_of(const struct fidelity_run *run,
                                    const char *estimator,
                                    enum columns_kept kept, double *rank,
                                    struct error *err)
{
    struct run *prepared;
    struct accuracy accuracy;
    struct run_config config = fidelity_config_of(run);
    config.estimators = estimator;
    enum status st = run_prepare(&config, &prepared, err);
    if (st != STATUS_OK)
        return st;
    struct jobset *jobs = &run_result(prepared)->jobset;
    struct guess *guesses = mem_zalloc(jobs->n_jobs + 1u, sizeof *guesses);
    drop_columns(jobs, kept);
    st = rehearse(prepared, guesses, err);
    bool any = st == STATUS_OK &&
               accuracy_of(jobs, guesses, jobs->n_jobs / 2, &accuracy);
    *rank = any ? accuracy.rank : NAN;
    free(guesses);
    run_free(prepared);
    return st;
}

/* Adds the rank correlations of estimated and true run times on the second half
 * of the jobs, for the estimators history, gbdt and ga2m. "equal": the
 * estimators see only the time, the GPUs and the user of a job, which all logs
 * have. "all": the estimators see all columns of the trace. "leak": loss of
 * correlation if the name, the model with its batch size and demand, and the
 * limit are dropped. */
static enum status fidelity_learning(const struct fidelity_run *run,
                                     struct measures *out, struct error *err)
{
    static const char *const names[] = {"history", "gbdt", "ga2m"};
    double ranks[N_KEPT];
    for (size_t i = 0; i < 3; i++) {
        for (enum columns_kept kept = KEEP_ALL; kept < N_KEPT; kept++) {
            enum status st =
                fidelity_rank_of(run, names[i], kept, &ranks[kept], err);
            if (st != STATUS_OK)
                return st;
        }
        measures_add(out, ranks[KEEP_EQUAL], "learning.%s_equal", names[i]);
        measures_add(out, ranks[KEEP_ALL], "learning.%s_all", names[i]);
        measures_add(out, ranks[KEEP_ALL] - ranks[KEEP_WITHOUT_LEAKS],
                     "learning.%s_leak", names[i]);
    }
    return STATUS_OK;
}

struct trace_fidelity {
    struct cli_call call;
    struct arg_words traces;
    const char *like, *rows, *format, *rows_format, *cluster;
    sim_time from, to;
    uint32_t window;
    struct arg_list only, skip;
    bool json, gate, warm, all;
    struct bars bars;
};

/* Groups that are plain functions of the jobs. `windowed`: measured on a window
 * (struct bars). */
static const struct bar_group {
    const char *name;
    void (*measure)(const struct fidelity_job *, size_t, struct measures *);
    bool windowed;
} trace_fidelity_groups[] = {
    {.name = "margins", .measure = measure_margins},
    {.name = "arrivals", .measure = measure_arrivals},
    {.name = "order", .measure = measure_order},
    {.name = "people", .measure = measure_people},
    {.name = "users", .measure = measure_users, .windowed = true},
    {.name = "chains", .measure = measure_chains, .windowed = true},
};

/* Groups that need the cluster, a simulation or an estimator. */
static const char *const run_groups[] = {"demand", "vcs", "waits", "learning"};

enum {
    N_GROUPS = sizeof trace_fidelity_groups / sizeof *trace_fidelity_groups,
    N_RUN_GROUPS = sizeof run_groups / sizeof *run_groups
};

static bool fidelity_is_listed(const struct arg_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->at[i], name) == 0)
            return true;
    }
    return false;
}

static bool fidelity_is_wanted(const struct trace_fidelity *f, const char *name)
{
    return (f->only.n == 0 || fidelity_is_listed(&f->only, name)) &&
           !fidelity_is_listed(&f->skip, name);
}

static enum status fidelity_check_names(const struct arg_list *list,
                                        const char *option, struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        bool known = false;
        for (size_t g = 0; g < N_RUN_GROUPS; g++)
            known |= strcmp(list->at[i], run_groups[g]) == 0;
        for (size_t g = 0; g < N_GROUPS; g++)
            known |= strcmp(list->at[i], trace_fidelity_groups[g].name) == 0;
        if (!known)
            return error_set(
                err, STATUS_USAGE,
                "--%s: no group '%s'; the groups are margins, "
                "arrivals, order, people, users, chains, demand, vcs, waits "
                "and learning",
                option, list->at[i]);
    }
    return STATUS_OK;
}

/* Returns the number of the first job of the window, which lies in the middle
 * of the trace. *n becomes the number of jobs in the window. */
static size_t window_of(const struct trace_fidelity *f,
                        const struct fidelity_read *read, size_t *n)
{
    size_t n_jobs = read->jobs->n - read->n_standing;
    size_t window = f->window ? f->window : f->bars.window;
    *n = window && window < n_jobs ? window : n_jobs;
    return read->n_standing + (n_jobs - *n) / 2;
}

/* Returns the number of jobs at the first instant of a generated trace that
 * began warm; 0 for any other trace. */
static size_t standing(const struct trace_fidelity *f,
                       const struct fidelity_jobs *jobs, bool generated)
{
    size_t n = 0;
    while (f->warm && generated && n + 1 < jobs->n &&
           jobs->at[n].at <= jobs->at[0].at)
        n++;
    return n;
}

/* Measures the wanted groups among run_groups. */
static enum status measure_runs(const struct trace_fidelity *f,
                                const struct fidelity_source *source,
                                const struct fidelity_read *read,
                                struct measures *out, struct error *err)
{
    const char *given = f->cluster ? f->cluster : f->bars.cluster;
    struct fidelity_run run = {.path = source->path,
                               .format = source->format,
                               .cluster = given && given[0] ? given : NULL,
                               .from = source->from,
                               .to = source->to};
    bool demand = fidelity_is_wanted(f, "demand"),
         vcs = fidelity_is_wanted(f, "vcs");
    enum status st = STATUS_OK;
    if (demand || vcs)
        st = fidelity_capacity(&run, read, demand, vcs, out, err);
    if (st == STATUS_OK && fidelity_is_wanted(f, "waits"))
        st = fidelity_waits(&run, out, err);
    if (st != STATUS_OK || !fidelity_is_wanted(f, "learning"))
        return st;
    const struct fidelity_jobs *jobs = read->jobs;
    size_t n, first = window_of(f, read, &n);
    double zone = source->zone_h * 3600;
    run.from = span_from_seconds(jobs->at[first].at - zone);
    run.to = span_from_seconds(jobs->at[first + n - 1].at - zone);
    return fidelity_learning(&run, out, err);
}

static void measure_groups(const struct trace_fidelity *f,
                           const struct fidelity_read *read,
                           struct measures *out)
{
    const struct fidelity_job *jobs = read->jobs->at + read->n_standing;
    size_t n_jobs = read->jobs->n - read->n_standing;
    for (size_t g = 0; g < N_GROUPS; g++) {
        size_t n = n_jobs, first = read->n_standing;
        if (trace_fidelity_groups[g].windowed)
            first = window_of(f, read, &n);
        if (!fidelity_is_wanted(f, trace_fidelity_groups[g].name))
            continue;
        trace_fidelity_groups[g].measure(read->jobs->at + first, n, out);
        measure_distances(jobs, n_jobs, f->bars.distributions,
                          f->bars.n_distributions,
                          trace_fidelity_groups[g].name, out);
    }
}

/* Measures a trace. `distributions`: receives the distributions of the rows of
 * a real log; NULL for a generated trace. */
static enum status fidelity_measure(struct trace_fidelity *f,
                                    const struct fidelity_source *source,
                                    struct bars *distributions,
                                    struct measures *out, struct error *err)
{
    struct fidelity_jobs jobs;
    enum status st = fidelity_jobs_read(source, &jobs, err);
    if (st != STATUS_OK)
        return st;
    if (distributions)
        distributions->distributions = distributions_of(
            jobs.at, jobs.n, &f->call.arena, &distributions->n_distributions);
    const struct fidelity_read read = {
        .jobs = &jobs, .n_standing = standing(f, &jobs, !distributions)};
    measure_groups(f, &read, out);
    st = measure_runs(f, source, &read, out, err);
    fidelity_jobs_fini(&jobs);
    return st;
}

/* Takes the real values from the file of a cluster or measures them on the rows
 * of a log, if the user named one of the two. */
static enum status find_real(struct trace_fidelity *f, struct error *err)
{
    const struct fidelity_source source = {.path = f->rows,
                                           .format = f->rows_format,
                                           .from = f->from,
                                           .to = f->to};
    struct measures rows = {0};
    enum status st = STATUS_OK;
    if (f->like && f->rows)
        return error_set(err, STATUS_USAGE,
                         "give --like or --set rows, not both");
    if (f->like || f->rows)
        st = bars_load(f->like, &f->call.arena, &f->bars, err);
    if (st == STATUS_OK && f->rows) {
        st = fidelity_measure(f, &source, &f->bars, &rows, err);
        if (st == STATUS_OK)
            bars_take_rows(&rows, f->rows, &f->call.arena, &f->bars);
        measures_fini(&rows);
    }
    return st;
}

static enum status trace_fidelity_print(const struct trace_fidelity *f,
                                        struct measures *measured,
                                        struct error *err)
{
    const struct fidelity_report report = {.paths = f->traces.at,
                                           .measured = measured,
                                           .n = f->traces.n,
                                           .bars = &f->bars,
                                           .all = f->all,
                                           .against =
                                               f->like ? f->like : f->rows};
    size_t failed = 0;
    enum status st = STATUS_OK;
    if (f->json)
        st = fidelity_write(&report, &failed, err);
    else
        failed = fidelity_print(&report);
    if (st == STATUS_OK && f->gate && failed)
        st = error_set(err, STATUS_TOLERANCE, "%zu bars fail", failed);
    return st;
}

static enum status trace_fidelity_run(void *self, struct error *err)
{
    struct trace_fidelity *f = self;
    enum status st = fidelity_check_names(&f->only, "only", err);
    if (st == STATUS_OK)
        st = fidelity_check_names(&f->skip, "skip", err);
    if (st == STATUS_OK)
        st = find_real(f, err);
    if (st != STATUS_OK)
        return st;
    struct measures *measured = mem_zalloc(f->traces.n, sizeof *measured);
    for (size_t i = 0; st == STATUS_OK && i < f->traces.n; i++) {
        const struct fidelity_source source = {.path = f->traces.at[i],
                                               .format = f->format,
                                               .from = TRACE_NO_TIME,
                                               .to = TRACE_NO_TIME,
                                               .zone_h = f->bars.zone_h};
        st = fidelity_measure(f, &source, NULL, &measured[i], err);
    }
    if (st == STATUS_OK)
        st = trace_fidelity_print(f, measured, err);
    for (size_t i = 0; i < f->traces.n; i++)
        measures_fini(&measured[i]);
    free(measured);
    return st;
}

static const struct arg trace_fidelity_args[] = {
    TAKE_WORDS(struct trace_fidelity, traces, "GENERATED", "trace"),
    TAKE_TEXT(struct trace_fidelity, like, "like", "CLUSTER",
              "compare with the published values of philly, venus, saturn, "
              "seren or kalos"),
    TAKE_KEYS("set", "what is compared, and how"),
    TAKE_TEXT(struct trace_fidelity, rows, "rows", "FILE",
              "compare with the values measured on the rows of a real log",
              .of = "set"),
    TAKE_TEXT(struct trace_fidelity, rows_format, "rows-format", "SPEC",
              "format of FILE; default: recognised by content", .of = "set"),
    TAKE_TIME(struct trace_fidelity, from, "from", "TIME",
              "keep rows of FILE submitted at or after this time"),
    TAKE_TIME(struct trace_fidelity, to, "to", "TIME",
              "keep rows of FILE submitted at or before this time"),
    TAKE_TEXT(struct trace_fidelity, format, "format", "SPEC",
              "format of GENERATED; default: recognised by content",
              .letter = 'f'),
    TAKE_TEXT(struct trace_fidelity, cluster, "cluster", "SPEC",
              "cluster on which jobs wait; default: that of --like, or the "
              "cluster that the trace comes from",
              .letter = 'c'),
    TAKE_U32(struct trace_fidelity, window, "window", "N",
             "measure users, chains and learning on N successive jobs in the "
             "middle; default: as many as the real values come from, or all",
             .lo = 100, .hi = INFINITY, .of = "set"),
    TAKE_LIST(struct trace_fidelity, only, "only", "GROUP",
              "measure only this group; may be given again: margins, arrivals, "
              "order, people, users, chains, demand, vcs, waits, learning"),
    TAKE_LIST(struct trace_fidelity, skip, "skip", "GROUP",
              "leave this group out; may be given again", .of = "set"),
    TAKE_FLAG(struct trace_fidelity, warm, "warm",
              "GENERATED began warm: jobs of its first instant count only for "
              "demand and waits"),
    TAKE_FLAG(struct trace_fidelity, all, "all",
              "print also figures that have neither a real value nor a bar"),
    TAKE_FLAG(struct trace_fidelity, json, "json", "print JSON", .letter = 'j'),
    TAKE_FLAG(struct trace_fidelity, gate, "gate",
              "end with exit status 6 if a bar fails", .of = "set"),
    {0},
};

const struct command trace_command_fidelity = {
    .name = "fidelity",
    .summary = "measure how near generated traces are to a real cluster",
    .about =
        "Measures generated traces (one for each seed) beside the values of a "
        "real cluster: bursts, order, users, resubmissions, waits under four "
        "policies, what estimators learn. Says for each bar pass, FAIL or not "
        "known.",
    .notes =
        "With several traces the median is judged, or each of them where "
        "the bar says so. Without --like and --set rows the values are shown "
        "without bars.",
    .parts = {{.rows = trace_fidelity_args}},
    .input_size = sizeof(struct trace_fidelity),
    .run = trace_fidelity_run,
    .examples =
        "trace fidelity seed1.csv seed2.csv --like venus\n"
        "trace fidelity mine.csv --set rows=log.csv --set skip=learning",
    .ends = CLI_ENDS(TOLERANCE),
};
