/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/finished.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json_out.h"
#include "policies/registry.h"
#include "sim/verify/verify_csv.h"

const struct paired_metric paired_metrics[PAIRED_N] = {
    {METRIC_JCT, "jct_s_minus_first"},
    {METRIC_QUEUE_DELAY, "queue_delay_s_minus_first"},
};

static enum status read_json(const char *dir, const char *name, json_t **out,
                             struct error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 32, dir, name);
    *out = json_read_file(path, err);
    return *out ? STATUS_OK : STATUS_BAD_INPUT;
}

/* Refuses a file that was changed after the run wrote it. */
static enum status check_digest(const struct finished *f, const char *name,
                                struct error *err)
{
    char path[PATH_MAX], hex[DIGEST_HEX_MAX];
    const char *want = json_string_value(
        json_object_get(json_object_get(f->manifest, "outputs"), name));
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 32, f->dir, name);
    enum status st = digest_file(path, hex, err);
    if (st != STATUS_OK)
        return st;
    if (want && strcmp(want, hex) == 0)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "%s: was changed after the run wrote it (its SHA-256 is "
                     "not that in manifest.json)",
                     path);
}

/* Reads a time as json_stream_span writes it; `otherwise` if the value is no
 * time. */
static sim_time time_of(const json_t *value, sim_time otherwise)
{
    sim_span span;
    const char *text = json_string_value(value);
    if (text && text_to_any_span(text_from(text), &span))
        return span;
    return json_is_number(value) && span_from_outside(json_number_value(value),
                                                      SECONDS_MAX, &span)
               ? span
               : otherwise;
}

#define JOB_CELLS(X) \
    X(J_ID, "job_id") \
    X(J_SUBMITTED, "submission_time") \
    X(J_TURNAROUND, "turnaround_time") \
    X(J_QUEUE, "queue_delay") \
    X(J_OUTCOME, "outcome")
#define CELL_ENUM(name, words) name,
#define CELL_NAME(name, words) words,
enum job_cell { JOB_CELLS(CELL_ENUM) JOB_N_CELLS };
static const char *const job_cells[] = {JOB_CELLS(CELL_NAME)};

/* True for the outcomes of jobs that ran to their recorded end. */
static bool is_finished(struct text outcome)
{
    for (unsigned o = 0; o < OUTCOME_GIVEN_UP; o++) {
        if (text_is(outcome, outcome_name((enum outcome)o)))
            return true;
    }
    return false;
}

static void read_job(struct verify_csv *csv, void *self)
{
    struct finished *f = self;
    sim_time submitted = verify_csv_span(csv, J_SUBMITTED);
    sim_span of[PAIRED_N] = {verify_csv_optional_span(csv, J_TURNAROUND),
                             verify_csv_span(csv, J_QUEUE)};
    bool counts = is_finished(csv->cells[J_OUTCOME]) &&
                  submitted >= f->count_from && submitted <= f->count_to;
    size_t cap = f->cap_jobs, i = f->n_jobs++;
    f->jobs = mem_grow(f->jobs, &cap, f->n_jobs, sizeof *f->jobs);
    f->jobs[i] = text_hash(csv->cells[J_ID]) * 31 + (uint64_t)submitted;
    for (size_t m = 0; m < PAIRED_N; m++) {
        cap = f->cap_jobs;
        f->values[m] =
            mem_grow(f->values[m], &cap, f->n_jobs, sizeof *f->values[m]);
        f->values[m][i] = counts ? span_seconds(of[m]) : NAN;
    }
    f->cap_jobs = cap;
}

static enum status read_jobs(struct finished *f, struct error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/jobs.csv", PATH_MAX - 32, f->dir);
    struct verify_csv csv = {.path = path,
                             .names = job_cells,
                             .n_names = JOB_N_CELLS,
                             .row = read_job,
                             .self = f,
                             .err = err};
    return verify_csv_read(&csv);
}

/* Adds a setting as the run recorded it: splits the names of the layers of a
 * chain, which the manifest joins by commas. */
static void add_setting(struct run_result *run, size_t *cap, const char *owner,
                        const char *key, const char *value, struct arena *arena)
{
    struct text rest = text_from(value);
    bool is_chain = strcmp(key, "name") == 0;
    do {
        struct text one = is_chain ? text_split(rest, ',', &rest) : rest;
        run->settings = mem_grow(run->settings, cap, run->n_settings + 1,
                                 sizeof *run->settings);
        run->settings[run->n_settings++] =
            (struct run_setting){.owner = owner,
                                 .key = key,
                                 .value = arena_copy(arena, one.at, one.len)};
    } while (is_chain && rest.len);
}

/* Rebuilds the settings of the run from the manifest, for physics_read. */
static void read_physics(struct finished *f)
{
    const char *owner, *key;
    json_t *rows, *value;
    json_t *all = json_object_get(f->manifest, "configuration");
    size_t cap = 0;
    const struct policy_ops *ops;
    struct error err = {0};
    struct run_result run = {
        .cluster.share_limit = (uint32_t)json_integer_value(json_object_get(
            json_object_get(f->manifest, "cluster"), "share_limit")),
        .policy_needs = POLICY_NEEDS_DURATION | POLICY_NEEDS_DEMAND,
        .policy_forecasts = true,
    };
    /* A policy in another program or shared object is not in the registry; it
     * may use every belief. */
    if (policy_find((struct text){f->policy, strcspn(f->policy, "+:")}, &ops,
                    &err) == STATUS_OK) {
        run.policy_needs = ops->needs;
        run.policy_forecasts = json_object_get(all, "forecast") != NULL;
    }
    json_object_foreach(all, owner, rows)
    {
        json_object_foreach(rows, key, value)
        {
            const char *text = json_string_value(value);
            add_setting(&run, &cap, owner, key, text ? text : "", &f->arena);
        }
    }
    physics_read(&run, f->dir, &f->arena, &f->physics);
    free(run.settings);
}

static enum status read_manifest(struct finished *f, struct error *err)
{
    const char *seed = json_string_value(json_object_get(f->manifest, "seed"));
    const json_t *counted = json_object_get(f->manifest, "counted");
    const json_t *knowledge = json_object_get(f->summary, "knowledge");
    const json_t *ranks = json_object_get(f->summary, "remark_ranks");
    size_t i;
    json_t *remark;
    f->policy = json_string_value(json_object_get(f->manifest, "policy"));
    if (!f->policy || !seed || !text_to_u64(text_from(seed), &f->seed) ||
        !json_is_object(json_object_get(f->manifest, "configuration")) ||
        !json_is_object(json_object_get(f->summary, "metrics")))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is not a result of this version of the program",
                         f->dir);
    f->words = json_string_value(json_object_get(knowledge, "words"));
    f->mark = json_string_value(json_object_get(knowledge, "mark"));
    f->count_from = time_of(json_object_get(counted, "from_s"), INT64_MIN);
    f->count_to = time_of(json_object_get(counted, "to_s"), INT64_MAX);
    f->n_unfinished =
        (uint32_t)json_integer_value(json_object_get(f->summary, "unfinished"));
    json_array_foreach(json_object_get(f->summary, "remarks"), i, remark)
    {
        if (json_is_string(remark))
            remarks_add(
                &f->remarks,
                remark_rank_read(json_string_value(json_array_get(ranks, i))),
                "%s", json_string_value(remark));
    }
    read_physics(f);
    return STATUS_OK;
}

enum status finished_open(const char *dir, struct finished *f,
                          struct error *err)
{
    *f = (struct finished){.dir = dir};
    arena_init(&f->arena);
    f->remarks.arena = &f->arena;
    enum status st = read_json(dir, "manifest.json", &f->manifest, err);
    if (st == STATUS_OK)
        st = check_digest(f, "summary.json", err);
    if (st == STATUS_OK)
        st = check_digest(f, "jobs.csv", err);
    if (st == STATUS_OK)
        st = read_json(dir, "summary.json", &f->summary, err);
    if (st == STATUS_OK)
        st = read_manifest(f, err);
    return st == STATUS_OK ? read_jobs(f, err) : st;
}

void finished_close(struct finished *f)
{
    for (size_t m = 0; m < PAIRED_N; m++)
        free(f->values[m]);
    free(f->jobs);
    remarks_fini(&f->remarks);
    physics_fini(&f->physics);
    arena_fini(&f->arena);
    json_decref(f->manifest);
    json_decref(f->summary);
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static enum interval_lack lack_of(const json_t *word)
{
    return json_is_string(word) &&
                   strcmp(json_string_value(word),
                          interval_lack_words[INTERVAL_FEW_STRETCHES]) == 0
               ? INTERVAL_FEW_STRETCHES
               : INTERVAL_IS_THERE;
}

static struct distribution distribution(const json_t *metrics_object,
                                        enum metric_number metric)
{
    const json_t *d =
        json_object_get(metrics_object, metrics[metric].column.name);
    return (struct distribution){
        .count = (size_t)json_integer_value(json_object_get(d, "count")),
        .mean = number(d, "mean"),
        .mean_lo = number(d, "mean_lo"),
        .mean_hi = number(d, "mean_hi"),
        .p50 = number(d, "p50"),
        .p99 = number(d, "p99"),
        .lack = lack_of(json_object_get(d, "no_interval")),
    };
}

struct summary_line finished_line(const struct finished *f)
{
    const json_t *all = json_object_get(f->summary, "metrics");
    const json_t *outcomes = json_object_get(f->summary, "outcomes");
    const json_t *restart =
        json_object_get(json_object_get(f->summary, "failures"), "restart_s");
    struct summary_line line = {
        .jct = distribution(all, METRIC_JCT),
        .queue = distribution(all, METRIC_QUEUE_DELAY),
        .makespan_s = number(all, "makespan_s"),
        .allocation = number(all, "allocation"),
        .preemptions = number(all, "preemptions"),
        .jobs = number(all, "jobs"),
        .share = number(f->summary, "finished_share"),
        .restart_s = json_integer_value(json_object_get(restart, "count")) > 0
                         ? number(restart, "mean")
                         : NAN,
    };
    for (unsigned o = 0; o < OUTCOME_GIVEN_UP; o++)
        line.done += (double)json_integer_value(
            json_object_get(outcomes, outcome_name((enum outcome)o)));
    return line;
}
