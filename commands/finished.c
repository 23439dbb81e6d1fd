/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finished result directories, and the paired differences that `compare`
 * prints. */
#include "commands/commands_internal.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "commands/summary_table.h"
#include "policies/registry.h"
#include "sim/verify/verify_csv.h"

/* Finds out which finished results can be compared, and in which conditions
 * besides the policy they differ. */

static const json_t *input_of(const struct finished *f)
{
    return json_object_get(f->manifest, "input");
}

static const char *finished_word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "unknown";
}

enum status finished_pairs(const struct finished *first,
                           const struct finished *own, struct error *err)
{
    const char *there = finished_word(input_of(first), "sha256");
    const char *here = finished_word(input_of(own), "sha256");
    if (strcmp(there, here) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is of another trace (SHA-256 %.12s, not %.12s of "
                         "%s); jobs of two traces cannot be paired",
                         own->dir, here, there, first->dir);
    if (first->n_jobs != own->n_jobs)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: has %zu jobs of the trace, %s has %zu (--vc, "
                         "--from, --to, --jobs)",
                         own->dir, own->n_jobs, first->dir, first->n_jobs);
    for (size_t i = 0; i < own->n_jobs; i++) {
        if (own->jobs[i] != first->jobs[i])
            return error_set(err, STATUS_BAD_INPUT,
                             "%s/jobs.csv:%zu: this row is of another job or "
                             "submission than in %s (--vc, --from, --what-if)",
                             own->dir, i + 2, first->dir);
    }
    if (first->count_from != own->count_from ||
        first->count_to != own->count_to)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: its metrics count other jobs than those of %s "
                         "(--warmup, --cooldown)",
                         own->dir, first->dir);
    return STATUS_OK;
}

/* Passes the differences of one result to the caller's `found`, and counts
 * them. */
struct finder {
    const char *row; /* name of the first result */
    void (*found)(void *self, const struct physics_difference *d);
    void *self;
    size_t n;
};

static void finished_compare(struct finder *finder, const char *what,
                             const char *here, const char *there)
{
    if (strcmp(here, there) == 0)
        return;
    finder->n++;
    if (finder->found)
        finder->found(finder->self, &(struct physics_difference){
                                        what, here, there, finder->row});
}

/* Compares the settings of the policy, the placer, the monitor, SchedMate and
 * its language model that both results have. Settings that only one result has,
 * such as those of another policy, are not reported. */
static void compare_own(struct finder *finder, const struct finished *first,
                        const struct finished *own)
{
    static const char *const owners[] = {"policy ", "placer ",   "placer",
                                         "monitor", "schedmate", "llm"};
    const char *owner, *key;
    char what[160];
    json_t *rows, *value;
    json_object_foreach(json_object_get(own->manifest, "configuration"), owner,
                        rows)
    {
        const json_t *others = json_object_get(
            json_object_get(first->manifest, "configuration"), owner);
        bool is_own = false;
        for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
            is_own |= strncmp(owner, owners[i], strlen(owners[i])) == 0;
        json_object_foreach(rows, key, value)
        {
            if (!is_own || !others || !json_object_get(others, key))
                continue;
            snprintf(what, sizeof what, "%s: %s", owner, key);
            finished_compare(finder, what, finished_word(rows, key),
                             finished_word(others, key));
        }
    }
}

/* Compares the digests of the files that both runs read in one role. The trace
 * is compared by finished_pairs. */
static void finished_compare_files(struct finder *finder,
                                   const struct finished *first,
                                   const struct finished *own)
{
    size_t i, k;
    json_t *file, *other;
    json_array_foreach(json_object_get(own->manifest, "files"), i, file)
    {
        json_array_foreach(json_object_get(first->manifest, "files"), k, other)
        {
            char here[16], there[16];
            if (strcmp(finished_word(file, "what"),
                       finished_word(other, "what")) != 0 ||
                strcmp(finished_word(file, "what"), "trace") == 0)
                continue;
            snprintf(here, sizeof here, "%.12s", finished_word(file, "sha256"));
            snprintf(there, sizeof there, "%.12s",
                     finished_word(other, "sha256"));
            finished_compare(finder, finished_word(file, "what"), here, there);
        }
    }
}

/* Reports different clusters, by name if the names differ, otherwise by
 * digest. */
static void compare_clusters(struct finder *finder,
                             const struct finished *first,
                             const struct finished *own)
{
    const json_t *mine = json_object_get(own->summary, "identity");
    const json_t *theirs = json_object_get(first->summary, "identity");
    char here[16], there[16];
    snprintf(here, sizeof here, "%.12s", finished_word(mine, "cluster"));
    snprintf(there, sizeof there, "%.12s", finished_word(theirs, "cluster"));
    if (strcmp(here, there) == 0)
        return;
    if (strcmp(finished_word(own->summary, "cluster"),
               finished_word(first->summary, "cluster")) == 0)
        finished_compare(finder, "cluster", here, there);
    else
        finished_compare(finder, "cluster",
                         finished_word(own->summary, "cluster"),
                         finished_word(first->summary, "cluster"));
}

size_t finished_differs(const struct finished *const *all, size_t at,
                        void (*found)(void *self,
                                      const struct physics_difference *d),
                        void *self)
{
    const struct finished *first = all[0], *own = all[at];
    struct finder finder = {.row = first->dir, .found = found, .self = self};
    if (at == 0)
        return 0;
    finished_compare(&finder, "program",
                     finished_word(own->manifest, "schedsim"),
                     finished_word(first->manifest, "schedsim"));
    finished_compare(&finder, "seed", finished_word(own->manifest, "seed"),
                     finished_word(first->manifest, "seed"));
    finished_compare(&finder, "conventions",
                     finished_word(own->manifest, "rules"),
                     finished_word(first->manifest, "rules"));
    compare_clusters(&finder, first, own);
    finished_compare_files(&finder, first, own);
    compare_own(&finder, first, own);
    const struct physics **rows = mem_alloc((at + 1) * sizeof *rows);
    for (size_t i = 0; i <= at; i++)
        rows[i] = &all[i]->physics;
    finder.n += physics_compare(rows, at, found, self);
    free(rows);
    return finder.n;
}

const struct paired_metric paired_metrics[PAIRED_N] = {
    {METRIC_JCT, "jct_s_minus_first"},
    {METRIC_QUEUE_DELAY, "queue_delay_s_minus_first"},
};

static enum status finished_read_json(const char *dir, const char *name,
                                      json_t **out, struct error *err)
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
static sim_time finished_time_of(const json_t *value, sim_time otherwise)
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

#define FINISHED_JOB_CELLS(X) \
    X(J_ID, "job_id") \
    X(J_SUBMITTED, "submission_time") \
    X(J_TURNAROUND, "turnaround_time") \
    X(J_QUEUE, "queue_delay") \
    X(J_OUTCOME, "outcome")

#define FINISHED_CELL_ENUM(name, words) name,

#define FINISHED_CELL_NAME(name, words) words,

enum finished_job_cell { FINISHED_JOB_CELLS(FINISHED_CELL_ENUM) JOB_N_CELLS };

static const char *const finished_job_cells[] = {
    FINISHED_JOB_CELLS(FINISHED_CELL_NAME)};

/* True for the outcomes of jobs that ran to their recorded end. */
static bool is_finished(struct text outcome)
{
    for (unsigned o = 0; o < OUTCOME_GIVEN_UP; o++) {
        if (text_is(outcome, outcome_name((enum outcome)o)))
            return true;
    }
    return false;
}

static void finished_read_job(struct verify_csv *csv, void *self)
{
    struct finished *f = self;
    sim_time submitted = verify_csv_span(csv, J_SUBMITTED);
    sim_span of[PAIRED_N] = {verify_csv_optional_span(csv, J_TURNAROUND),
                             verify_csv_span(csv, J_QUEUE)};
    bool counts = is_finished(verify_csv_cell(csv, J_OUTCOME)) &&
                  submitted >= f->count_from && submitted <= f->count_to;
    size_t cap = f->cap_jobs, i = f->n_jobs++;
    f->jobs = mem_grow(f->jobs, &cap, f->n_jobs, sizeof *f->jobs);
    f->jobs[i] =
        text_hash(verify_csv_cell(csv, J_ID)) * 31 + (uint64_t)submitted;
    for (size_t m = 0; m < PAIRED_N; m++) {
        cap = f->cap_jobs;
        f->values[m] =
            mem_grow(f->values[m], &cap, f->n_jobs, sizeof *f->values[m]);
        f->values[m][i] = counts ? span_seconds(of[m]) : NAN;
    }
    f->cap_jobs = cap;
}

static enum status finished_read_jobs(struct finished *f, struct error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/jobs.csv", PATH_MAX - 32, f->dir);
    struct verify_csv csv = {.path = path,
                             .names = finished_job_cells,
                             .n_names = JOB_N_CELLS,
                             .row = finished_read_job,
                             .self = f,
                             .err = err};
    return verify_csv_read(&csv);
}

/* Adds a setting as the run recorded it: splits the names of the layers of a
 * chain, which the manifest joins by commas. */
static void finished_add_setting(struct run_result *run, size_t *cap,
                                 const char *owner, const char *key,
                                 const char *value, struct arena *arena)
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
            finished_add_setting(&run, &cap, owner, key, text ? text : "",
                                 &f->arena);
        }
    }
    physics_read(&run, f->dir, &f->arena, &f->physics);
    free(run.settings);
}

static enum status finished_read_manifest(struct finished *f, struct error *err)
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
    f->count_from =
        finished_time_of(json_object_get(counted, "from_s"), INT64_MIN);
    f->count_to = finished_time_of(json_object_get(counted, "to_s"), INT64_MAX);
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
    enum status st =
        finished_read_json(dir, "manifest.json", &f->manifest, err);
    if (st == STATUS_OK)
        st = check_digest(f, "summary.json", err);
    if (st == STATUS_OK)
        st = check_digest(f, "jobs.csv", err);
    if (st == STATUS_OK)
        st = finished_read_json(dir, "summary.json", &f->summary, err);
    if (st == STATUS_OK)
        st = finished_read_manifest(f, err);
    return st == STATUS_OK ? finished_read_jobs(f, err) : st;
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

static double finished_number(const json_t *object, const char *key)
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

static struct distribution finished_distribution(const json_t *metrics_object,
                                                 enum metric_number metric)
{
    const json_t *d =
        json_object_get(metrics_object, metrics[metric].column.name);
    return (struct distribution){
        .count = (size_t)json_integer_value(json_object_get(d, "count")),
        .mean = finished_number(d, "mean"),
        .mean_lo = finished_number(d, "mean_lo"),
        .mean_hi = finished_number(d, "mean_hi"),
        .p50 = finished_number(d, "p50"),
        .p99 = finished_number(d, "p99"),
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
        .jct = finished_distribution(all, METRIC_JCT),
        .queue = finished_distribution(all, METRIC_QUEUE_DELAY),
        .makespan_s = finished_number(all, "makespan_s"),
        .preemptions = finished_number(all, "preemptions"),
        .jobs = finished_number(all, "jobs"),
        .share = finished_number(f->summary, "finished_share"),
        .restart_s = json_integer_value(json_object_get(restart, "count")) > 0
                         ? finished_number(restart, "mean")
                         : NAN,
    };
    for (unsigned o = 0; o < OUTCOME_GIVEN_UP; o++)
        line.done += (double)json_integer_value(
            json_object_get(outcomes, outcome_name((enum outcome)o)));
    return line;
}

const char *estimate_text(const struct estimate *e, const char *unit,
                          char buf[ESTIMATE_TEXT_MAX])
{
    char mean[TABLE_SPAN_MAX], lo[TABLE_SPAN_MAX], hi[TABLE_SPAN_MAX];
    struct interval in = e->interval;
    if (e->n == 0) {
        snprintf(buf, ESTIMATE_TEXT_MAX, "-");
    } else if (strcmp(unit, "s") == 0) {
        const struct distribution d = {
            .count = e->n, .mean = e->mean, .mean_lo = in.lo, .mean_hi = in.hi};
        summary_mean(&d, buf);
    } else if (isnan(in.lo)) {
        snprintf(buf, ESTIMATE_TEXT_MAX, "%s", table_figure(e->mean, mean));
    } else {
        snprintf(buf, ESTIMATE_TEXT_MAX, "%s [%s, %s]",
                 table_figure(e->mean, mean),
                 table_figure_as(in.lo, e->mean, lo),
                 table_figure_as(in.hi, e->mean, hi));
    }
    return buf;
}

void differences_init(struct differences *all, const char *what,
                      const char *first)
{
    enum { SHORT_NAME = 13 };
    *all = (struct differences){0};
    table_init(&all->table, 5, 1 | 2 | 1u << 4);
    table_add(&all->table, "%s", what);
    table_add(&all->table, "metric");
    table_add(&all->table, "minus %s [95 %%]",
              first && strlen(first) <= SHORT_NAME ? first : "first");
    table_add(&all->table, "change");
    table_add(&all->table, "verdict");
}

/* Adds a change in percent with its sign, or "-" for NaN. */
static void change_cell(struct table *table, double change)
{
    double percent = 100 * change;
    if (isnan(percent))
        table_add(table, "-");
    else
        table_add(table, fabs(percent) < 9999 ? "%+.1f %%" : "%+.0f %%",
                  percent);
}

/* Less of a time is better. Of another metric less may be worse, so the word of
 * the difference stays. */
static const char *finished_verdict_word(const struct difference *d,
                                         bool is_time)
{
    const bool differs =
        d->verdict == DIFFERENCE_LESS || d->verdict == DIFFERENCE_MORE;
    if (differs && d->estimate.n == 1 && is_time)
        return d->verdict == DIFFERENCE_LESS ? "shorter" : "longer";
    if (is_time && d->verdict == DIFFERENCE_LESS)
        return "better";
    if (is_time && d->verdict == DIFFERENCE_MORE)
        return "worse";
    return difference_words[d->verdict];
}

void differences_add(struct differences *all, const char *setting,
                     const char *metric, const char *unit,
                     const struct difference *d)
{
    char buf[ESTIMATE_TEXT_MAX];
    /* "jct_s" is shown as "jct", because the cells have a unit */
    const size_t n = strlen(metric), cut = n > 2 ? n - 2 : n;
    const bool is_time = strcmp(unit, "s") == 0;
    const char *word = finished_verdict_word(d, is_time);
    struct table *table = &all->table;
    all->n_rows++;
    table_add(table, "%s", setting);
    table_add(table, "%.*s", (int)(strcmp(metric + cut, "_s") == 0 ? cut : n),
              metric);
    table_add(table, "%s", estimate_text(&d->estimate, unit, buf));
    change_cell(table, d->change);
    all->any_noise |= d->verdict == DIFFERENCE_NOISE;
    all->any_unknown |= d->verdict == DIFFERENCE_UNKNOWN;
    all->any_incomparable |= d->verdict == DIFFERENCE_INCOMPARABLE;
    all->any_needed |= !isnan(d->needed);
    all->any_by_parts |= d->by_parts;
    if (d->by_parts)
        table_add(table, "%s by parts", word);
    else if (isnan(d->needed))
        table_add(table, "%s", word);
    else if (d->needed <= 1e6)
        table_add(table, "%s (%.0f needed)", word, d->needed);
    else
        table_add(table, "%s (over 1000000 needed)", word);
    if (is_time && d->verdict == DIFFERENCE_LESS)
        table_tone(table, TONE_BETTER);
    else if (is_time && d->verdict == DIFFERENCE_MORE)
        table_tone(table, TONE_WORSE);
}

void differences_finish(struct differences *all, FILE *to)
{
    if (all->n_rows) {
        fputc('\n', to);
        table_print(&all->table, to);
    }
    if (all->any_incomparable)
        say_prose(to, "not comparable: the two did not finish the same jobs");
    if (all->any_by_parts)
        say_prose(
            to, "by parts: most of 16 parts of the jobs lie on this side (sign "
                "test, 5 %%); how large the difference is remains open");
    if (all->any_noise)
        say_prose(
            to,
            "noise: the interval contains 0, so chance alone may explain "
            "the difference%s",
            all->any_needed
                ? ". N needed: with N replications like this the interval "
                  "would exclude 0 in 4 of 5 cases, if the difference is real "
                  "(approximate)"
                : "");
    if (all->any_unknown)
        say_prose(to, "unknown: too few pairs, or pairs too much alike, for an "
                      "interval");
    table_fini(&all->table);
}

void difference_write(struct json_stream *js, const char *key,
                      const char *count, const struct difference *d)
{
    const struct estimate *e = &d->estimate;
    json_stream_object(js, key);
    json_stream_whole(js, count, (int64_t)e->n);
    json_stream_number(js, "mean", e->mean);
    json_stream_number(js, "mean_lo", e->interval.lo);
    json_stream_number(js, "mean_hi", e->interval.hi);
    if (strcmp(count, "replications") == 0)
        json_stream_text(js, "interval_of",
                         e->is_spread ? "resamples" : "samples");
    json_stream_number(js, "change", d->change);
    json_stream_number(js, "less", d->less);
    json_stream_number(js, "more", d->more);
    json_stream_number(js, "cohen_d", d->cohen_d);
    json_stream_text(js, "verdict", difference_words[d->verdict]);
    if (d->by_parts)
        json_stream_bool(js, "by_parts", true);
    json_stream_number(js, "replications_needed",
                       isinf(d->needed) ? NAN : d->needed);
    json_stream_object_end(js);
}
