/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace fidelity`: measures generated traces beside the values of a real
 * cluster or the rows of its log, and judges them by bars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/cmd_trace_internal.h"
#include "commands/fidelity_print.h"
#include "commands/fidelity_runs.h"

struct fidelity {
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
static const struct group {
    const char *name;
    void (*measure)(const struct fidelity_job *, size_t, struct measures *);
    bool windowed;
} groups[] = {
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
    N_GROUPS = sizeof groups / sizeof *groups,
    N_RUN_GROUPS = sizeof run_groups / sizeof *run_groups
};

static bool is_listed(const struct arg_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->at[i], name) == 0)
            return true;
    }
    return false;
}

static bool is_wanted(const struct fidelity *f, const char *name)
{
    return (f->only.n == 0 || is_listed(&f->only, name)) &&
           !is_listed(&f->skip, name);
}

static enum status check_names(const struct arg_list *list, const char *option,
                               struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        bool known = false;
        for (size_t g = 0; g < N_RUN_GROUPS; g++)
            known |= strcmp(list->at[i], run_groups[g]) == 0;
        for (size_t g = 0; g < N_GROUPS; g++)
            known |= strcmp(list->at[i], groups[g].name) == 0;
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
static size_t window_of(const struct fidelity *f,
                        const struct fidelity_read *read, size_t *n)
{
    size_t n_jobs = read->jobs->n - read->n_standing;
    size_t window = f->window ? f->window : f->bars.window;
    *n = window && window < n_jobs ? window : n_jobs;
    return read->n_standing + (n_jobs - *n) / 2;
}

/* Returns the number of jobs at the first instant of a generated trace that
 * began warm; 0 for any other trace. */
static size_t standing(const struct fidelity *f,
                       const struct fidelity_jobs *jobs, bool generated)
{
    size_t n = 0;
    while (f->warm && generated && n + 1 < jobs->n &&
           jobs->at[n].at <= jobs->at[0].at)
        n++;
    return n;
}

/* Measures the wanted groups among run_groups. */
static enum status measure_runs(const struct fidelity *f,
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
    bool demand = is_wanted(f, "demand"), vcs = is_wanted(f, "vcs");
    enum status st = STATUS_OK;
    if (demand || vcs)
        st = fidelity_capacity(&run, read, demand, vcs, out, err);
    if (st == STATUS_OK && is_wanted(f, "waits"))
        st = fidelity_waits(&run, out, err);
    if (st != STATUS_OK || !is_wanted(f, "learning"))
        return st;
    const struct fidelity_jobs *jobs = read->jobs;
    size_t n, first = window_of(f, read, &n);
    double zone = source->zone_h * 3600;
    run.from = span_from_seconds(jobs->at[first].at - zone);
    run.to = span_from_seconds(jobs->at[first + n - 1].at - zone);
    return fidelity_learning(&run, out, err);
}

static void measure_groups(const struct fidelity *f,
                           const struct fidelity_read *read,
                           struct measures *out)
{
    const struct fidelity_job *jobs = read->jobs->at + read->n_standing;
    size_t n_jobs = read->jobs->n - read->n_standing;
    for (size_t g = 0; g < N_GROUPS; g++) {
        size_t n = n_jobs, first = read->n_standing;
        if (groups[g].windowed)
            first = window_of(f, read, &n);
        if (!is_wanted(f, groups[g].name))
            continue;
        groups[g].measure(read->jobs->at + first, n, out);
        measure_distances(jobs, n_jobs, f->bars.distributions,
                          f->bars.n_distributions, groups[g].name, out);
    }
}

/* Measures a trace. `distributions`: receives the distributions of the rows of
 * a real log; NULL for a generated trace. */
static enum status measure(struct fidelity *f,
                           const struct fidelity_source *source,
                           struct bars *distributions, struct measures *out,
                           struct error *err)
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
static enum status find_real(struct fidelity *f, struct error *err)
{
    const struct fidelity_source source = {.path = f->rows,
                                           .format = f->rows_format,
                                           .from = f->from,
                                           .to = f->to};
    struct measures rows = {0};
    enum status st = STATUS_OK;
    if (f->like && f->rows)
        return error_set(err, STATUS_USAGE, "give --like or --rows, not both");
    if (f->like || f->rows)
        st = bars_load(f->like, &f->call.arena, &f->bars, err);
    if (st == STATUS_OK && f->rows) {
        st = measure(f, &source, &f->bars, &rows, err);
        if (st == STATUS_OK)
            bars_take_rows(&rows, f->rows, &f->call.arena, &f->bars);
        measures_fini(&rows);
    }
    return st;
}

static enum status print(const struct fidelity *f, struct measures *measured,
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

static enum status run(void *self, struct error *err)
{
    struct fidelity *f = self;
    enum status st = check_names(&f->only, "only", err);
    if (st == STATUS_OK)
        st = check_names(&f->skip, "skip", err);
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
        st = measure(f, &source, NULL, &measured[i], err);
    }
    if (st == STATUS_OK)
        st = print(f, measured, err);
    for (size_t i = 0; i < f->traces.n; i++)
        measures_fini(&measured[i]);
    free(measured);
    return st;
}

static const struct arg args[] = {
    TAKE_WORDS(struct fidelity, traces, "GENERATED", "trace"),
    TAKE_TEXT(struct fidelity, like, "like", "CLUSTER",
              "compare with the published values of philly, venus, saturn, "
              "seren or kalos"),
    TAKE_TEXT(struct fidelity, rows, "rows", "FILE",
              "compare with the values measured on the rows of a real log"),
    TAKE_TEXT(struct fidelity, rows_format, "rows-format", "SPEC",
              "format of FILE; default: recognised by content"),
    TAKE_TIME(struct fidelity, from, "from", "TIME",
              "keep rows of FILE submitted at or after this time"),
    TAKE_TIME(struct fidelity, to, "to", "TIME",
              "keep rows of FILE submitted at or before this time"),
    TAKE_TEXT(struct fidelity, format, "format", "SPEC",
              "format of GENERATED; default: recognised by content",
              .letter = 'f'),
    TAKE_TEXT(struct fidelity, cluster, "cluster", "SPEC",
              "cluster on which jobs wait; default: that of --like, or the "
              "cluster that the trace comes from",
              .letter = 'c'),
    TAKE_U32(struct fidelity, window, "window", "N",
             "measure users, chains and learning on N successive jobs in the "
             "middle; default: as many as the real values come from, or all",
             .lo = 100, .hi = INFINITY),
    TAKE_LIST(struct fidelity, only, "only", "GROUP",
              "measure only this group; may be given again: margins, arrivals, "
              "order, people, users, chains, demand, vcs, waits, learning"),
    TAKE_LIST(struct fidelity, skip, "skip", "GROUP",
              "leave this group out; may be given again"),
    TAKE_FLAG(struct fidelity, warm, "warm",
              "GENERATED began warm: jobs of its first instant count only for "
              "demand and waits"),
    TAKE_FLAG(struct fidelity, all, "all",
              "print also figures that have neither a real value nor a bar"),
    TAKE_FLAG(struct fidelity, json, "json", "print JSON", .letter = 'j'),
    TAKE_FLAG(struct fidelity, gate, "gate",
              "end with exit status 6 if a bar fails"),
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
    .notes = "With several traces the median is judged, or each of them where "
             "the bar says so. Without --like and --rows the values are shown "
             "without bars.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct fidelity),
    .run = run,
    .examples = "trace fidelity seed1.csv seed2.csv --like venus\n"
                "trace fidelity mine.csv --rows log.csv --skip learning",
    .ends = CLI_ENDS(TOLERANCE),
};
