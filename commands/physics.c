/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a run that do not depend on the policy, such as speeds,
 * interference, restarts, failures, recovery, what the jobs train, which nodes
 * are set aside, and the estimators. */
#include "commands/commands_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "commands/terminal.h"
#include "sim/results/advice.h"
#include "sim/results/deadlines.h"
#include "sim/results/evictions.h"
#include "sim/results/failures.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"
#include "sim/results/series.h"
#include "sim/run/registry.h"

static void physics_head(struct out *out, const char *title, const char *words,
                         bool units)
{
    out_printf(out, "\n## %s\n\n%s\n\n", title, words);
    out_text(out, units ? "| name | unit | meaning |\n|---|---|---|\n"
                        : "| name | meaning |\n|---|---|\n");
}

static const char csv_names[] =
    "| name | unit | meaning | rule |\n|---|---|---|---|\n";

static void csv_head(struct out *out, const char *title, const char *words)
{
    out_printf(out, "\n## %s\n\n%s\n\n%s", title, words, csv_names);
}

/* Writes a table cell. Escapes bars, because a bar would end the cell. */
static void physics_cell(struct out *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '|')
            out_char(out, '\\');
        out_char(out, *s);
    }
}

static void physics_row(struct out *out, const struct column *c, bool units)
{
    out_printf(out, "| `%s` | ", c->name);
    if (units) {
        physics_cell(out, c->unit);
        out_text(out, c->unit[0] ? " | " : "| ");
    }
    physics_cell(out, c->help);
    out_text(out, " |\n");
}

static void physics_csv_row(struct out *out, const struct csv_column *c)
{
    out_printf(out, "| `%s` | ", c->name);
    physics_cell(out, c->unit);
    out_text(out, c->unit[0] ? " | " : "| ");
    physics_cell(out, c->help);
    out_printf(out, " | %s |\n", c->rule);
}

static void csv_table(struct out *out, const struct csv_column *columns)
{
    for (; columns->name; columns++)
        physics_csv_row(out, columns);
}

static void table(struct out *out, const struct column *columns, bool units)
{
    for (; columns->name; columns++)
        physics_row(out, columns, units);
}

static void physics_scalars(struct out *out, const struct scalar *scalar)
{
    for (; scalar->column.name; scalar++)
        physics_row(out, &scalar->column, true);
}

static void print_metrics(struct out *out)
{
    physics_head(
        out, "summary.json: identity",
        "Under `identity`, as text: two results are compared only where these "
        "are equal (`compare --baseline`).",
        true);
    table(out, identity_columns, true);
    physics_head(
        out, "summary.json: knowledge",
        "Under `knowledge`: what the policy knew about its jobs. Missing if it "
        "asked for no belief.",
        true);
    table(out, knowledge_columns, true);
    physics_head(out, "summary.json: the whole run", "Under `metrics`.", true);
    physics_scalars(out, run_scalars);
    physics_head(out, "summary.json: sums",
                 "Under `metrics` and in every group.", true);
    physics_scalars(out, scalars);
    physics_row(out, &over_column, true);
    physics_head(out, "summary.json: fairness",
                 "Under `metrics`, with `--by user`.", true);
    table(out, jain_columns, true);
    physics_head(out, "summary.json: distributions", "Under `metrics`.", true);
    for (size_t i = 0; metrics[i].column.name; i++)
        physics_row(out, &metrics[i].column, true);
    out_text(out, "\nIn groups too:");
    for (size_t i = 0; metrics[i].column.name; i++) {
        if (metrics[i].grouped)
            out_printf(out, " `%s`", metrics[i].column.name);
    }
    out_text(out, ".\n");
}

static void print_failure_parts(struct out *out)
{
    physics_head(out, "summary.json: failures",
                 "Under `failures`, if there is a `failures.csv`.", true);
    physics_scalars(out, failure_scalars);
    out_text(out,
             "\nSpans, each with `count`, `mean`, `p50`, `p90`, `p95`, `p99` "
             "and `max`; and objects of counts:\n\n"
             "| name | unit | meaning |\n|---|---|---|\n");
    table(out, failure_span_columns, true);
    table(out, failure_groupings, true);
    out_text(out, "\nOf each cause:\n\n"
                  "| name | unit | meaning |\n|---|---|---|\n");
    table(out, failure_cause_columns, true);
    physics_head(
        out, "summary.json: gpu_time",
        "Under `gpu_time`, if there is a `failures.csv` or an `advice.csv`, or "
        "if the run has a monitor. Two identities, each with its error: held = "
        "useful + lost + overhead "
        "+ slowed, of jobs (skipped for elastic jobs, and `jobs_skipped` says "
        "so); described = down + idle + busy, of the machine, with busy = "
        "held - again, and llm_busy + llm_idle added on the right if GPUs of "
        "the cluster serve SchedMate's language model.",
        true);
    physics_scalars(out, gpu_time_scalars);
}

static void print_eviction_part(struct out *out)
{
    physics_head(
        out, "summary.json: evictions",
        "Under `evictions`, if the run has a monitor (`--monitor`, or a policy "
        "with `+tracker`). The attempts themselves are `evicted` in "
        "`attempts.csv`.",
        true);
    physics_scalars(out, eviction_scalars);
}

static void print_deadline_part(struct out *out)
{
    physics_head(out, "summary.json: deadlines",
                 "Under `deadlines`, if a job that counts has a deadline.",
                 true);
    physics_scalars(out, deadline_scalars);
}

static void print_class_part(struct out *out)
{
    physics_head(
        out, "summary.json: classes",
        "Under `classes`, if a job is of class spot (`--job-classes`). "
        "Only jobs that count.",
        true);
    physics_scalars(out, class_scalars);
}

static void print_advice_part(struct out *out)
{
    physics_head(
        out, "summary.json: advice",
        "Under `advice`, if there is an `advice.csv`. A question is a row that "
        "a server of the language model worked on.",
        true);
    physics_scalars(out, advice_scalars);
    table(out, advice_groupings, true);
}

/* Prints the objects of summary.json that only some runs have. */
static void print_parts(struct out *out)
{
    physics_head(
        out, "summary.json: profiling",
        "Under `profiling`, if the cluster has profiler nodes or lends some.",
        true);
    physics_scalars(out, profiling_scalars);
    print_failure_parts(out);
    print_eviction_part(out);
    print_deadline_part(out);
    print_class_part(out);
    print_advice_part(out);
    physics_head(
        out, "summary.json: elastic",
        "Under `elastic`, if the throughput model knows how jobs scale "
        "(`application`). `counts` holds what the policy has counted of its "
        "own work.",
        true);
    physics_scalars(out, elastic_scalars);
    physics_head(
        out, "summary.json: packing",
        "Under `packing`, if GPUs may be shared. A job is co-located "
        "while another job holds one of its GPUs; its pace "
        "(relative speed) is its rate / the rate that it would have alone.",
        true);
    physics_scalars(out, packing_scalars);
    physics_head(
        out, "Pace",
        "Under `packing.by_pace`: share of the GPU time of co-located jobs.",
        false);
    table(out, speed_columns, false);
    physics_head(
        out, "Pairs",
        "Under `packing.pairs`: which models shared GPUs, the 32 pairs with "
        "most GPU time.",
        true);
    table(out, pair_columns, true);
}

static void print_failures(struct out *out)
{
    csv_head(
        out, "failures.csv",
        "One row per fault and job that it made fail, in the order of time; a "
        "fault that made none fail when it struck has one row without a "
        "job, and a failure of a job's own has no fault. Written if the run "
        "has a fault model (`--faults`) or a job failed. Faults after the last "
        "move of a job are left out. One seed gives the "
        "same faults under every policy, and the same `detected` and `delay` "
        "of the n-th failure of a job under a rule that draws them.");
    for (size_t i = 0; failure_columns[i].put; i++)
        physics_csv_row(out, &failure_columns[i].column);
}

static void print_advice(struct out *out)
{
    csv_head(
        out, "advice.csv",
        "One row per question that a module of SchedMate asked about a job, "
        "in the order of time. Written if the run has such a module "
        "(`--policy NAME+schedmate`). The servers of the language model work "
        "on one question at a time, first come first served.");
    for (size_t i = 0; advice_columns[i].put; i++)
        physics_csv_row(out, &advice_columns[i].column);
}

/* Prints the columns of the CSV files. */
static void print_tables(struct out *out)
{
    csv_head(
        out, "jobs.csv",
        "One row per job, in the order of submission. The columns up to "
        "`metadata` are Batsim's; for a job with several attempts they hold "
        "its first start, its end and the GPUs of its last attempt. Tools "
        "that take `starting_time` to `finish_time` times "
        "`allocated_resources` for GPU time (Evalys: utilisation, Gantt "
        "charts, queue) are right with this file only if no job was stopped, "
        "moved, resized, profiled or retried: give them `attempts.csv`. "
        "`--columns` writes only some columns, in this order; `--columns "
        "short` those Batsim columns that differ from job to job. `compare` "
        "needs `job_id`, `submission_time`, `turnaround_time`, `queue_delay` "
        "and `outcome`; `verify`, `report` and `explain` name the columns "
        "that they miss.");
    csv_table(out, job_columns);
    out_printf(out,
               "\nOnly if the trace gives jobs deadlines or priorities, "
               "also:\n\n%s",
               csv_names);
    csv_table(out, job_terms_columns);
    out_printf(out, "\nOnly if a job is of class spot, also:\n\n%s", csv_names);
    csv_table(out, job_class_columns);
    out_printf(out, "\nOnly if `--columns` names them:\n\n%s", csv_names);
    csv_table(out, job_extra_columns);
    csv_head(
        out, "attempts.csv",
        "One row per stay of a job on GPUs, job by job as in `jobs.csv`, "
        "attempts in the order of time; jobs that never started have none. "
        "Written only if it says more than `jobs.csv`: jobs may change their "
        "size, or an attempt shared a GPU, was for profiling or did not end "
        "its job; `--attempts` writes it in any case. Without it, each job "
        "that started ran once, from `starting_time` to `finish_time` on "
        "`allocated_resources`, and tools read `jobs.csv`. Otherwise this is "
        "the file for Batsim's tools and Evalys: they take each row as "
        "a job that is submitted when the attempt begins to wait. The sum of "
        "`execution_time` x GPUs is `held_gpu_hours` of the summary, and no "
        "GPU is in two rows at one time unless GPUs are shared. Then it is in "
        "the row of each holder, and Evalys, which adds rows up, can show "
        "more GPUs in use than there are; `gpus_busy` of `series.csv` counts "
        "each once.");
    csv_table(out, attempt_columns);
    print_failures(out);
    print_advice(out);
    csv_head(
        out, "series.csv",
        "A row every `--series-interval` seconds, with the state after all "
        "events of its time; rows that repeat the one before are left out.");
    csv_table(out, series_columns);
    csv_head(
        out, "series_vc.csv and series_type.csv",
        "On request (`--series by=vc,type`): at the times of series.csv, a row "
        "for each virtual cluster or GPU type whose values changed.");
    csv_table(out, series_by_columns);
}

void reference_print(struct out *out)
{
    out_text(out,
             "<!-- Generated by schedsim list columns. -->\n# Results\n\n"
             "Times are seconds since the first submission, exact to the "
             "microsecond. Intervals are half-open. A job that still runs "
             "when the simulation ends is counted until the last move of a "
             "job.\n");
    physics_head(out, "Files", "In the directory given with `--out`.", false);
    table(out, result_files, false);
    out_text(out,
             "\nIds, names, users and virtual clusters are copied to the CSV "
             "files as the trace has them. A spreadsheet may run a cell that "
             "begins with `=`, `+`, `-` or `@` as a formula: read the files "
             "of a trace that is not trusted as text, or with a program that "
             "knows no formulas. On a terminal control characters are shown "
             "as `?`.\n");
    print_tables(out);
    physics_head(out, "manifest.json", "Objects and values, in this order.",
                 false);
    table(out, manifest_keys, false);
    physics_head(out, "manifest.json: provenance",
                 "Read by `schedsim verify --again DIR` and by `--config "
                 "DIR/manifest.json`.",
                 false);
    table(out, provenance_keys, false);
    print_metrics(out);
    print_parts(out);
    physics_head(out, "Of each distribution",
                 "Over the jobs for which it is defined.", false);
    table(out, distribution_columns, false);
    physics_head(out, "Groups", "Objects beside `metrics`, one member a group.",
                 false);
    table(out, grouping_columns, false);
}

enum physics_when {
    ALWAYS,
    IF_IT_SHARES,
    IF_IT_FORECASTS, /* if the policy asks for a forecast of submissions */
    IF_IT_ASKS_TIMES,
    IF_IT_ASKS_DEMAND
};

/* The kinds of conditions, by the first word of the owner of a setting. A
 * setting whose owner is in no row counts as "other settings", so that a new
 * kind of model is not overlooked. */
static const struct physics_kind {
    const char *owner, *what;
    enum physics_when when;
} physics_kinds[] = {
    {.owner = "throughput", .what = "speeds", .when = ALWAYS},
    {.owner = "interference", .what = "interference", .when = IF_IT_SHARES},
    {.owner = "belief", .what = "believed interference", .when = IF_IT_SHARES},
    {.owner = "overhead", .what = "restarts", .when = ALWAYS},
    {.owner = "faults", .what = "failures", .when = ALWAYS},
    {.owner = "chains", .what = "resubmissions", .when = ALWAYS},
    {.owner = "recovery", .what = "recovery", .when = ALWAYS},
    {.owner = "workloads", .what = "what the jobs train", .when = ALWAYS},
    {.owner = "profilers", .what = "nodes set aside", .when = ALWAYS},
    {.owner = "forecast", .what = "forecast", .when = IF_IT_FORECASTS},
    {.owner = "time-law", .what = "law of time"},
    {.owner = "job-classes", .what = "classes of jobs", .when = ALWAYS},
    {.owner = "engine", .what = "settings of the engine", .when = ALWAYS},
    {.owner = "estimator",
     .what = "believed run times",
     .when = IF_IT_ASKS_TIMES},
    {.owner = "estimator",
     .what = "believed demand",
     .when = IF_IT_ASKS_DEMAND},
    {.owner = "", .what = "other settings", .when = ALWAYS},
};

enum {
    PHYSICS_N_KINDS = sizeof physics_kinds / sizeof *physics_kinds,
    PHYSICS_OTHER = PHYSICS_N_KINDS - 1
};

_Static_assert(PHYSICS_N_KINDS <= PHYSICS_KINDS_MAX, "room for every kind");

/* True if a setting counts as the policy's own, even if its owner is another
 * part: the number of jobs that the policy may put on a GPU (share_limit),
 * whether a job fits one model to its speeds on all GPU types (pooled), and the
 * layers of SchedMate, which the user adds to a policy. */
static bool physics_is_own(const struct run_setting *s)
{
    static const char *const owners[] = {"policy", "placer", "monitor",
                                         "schedmate", "llm"};
    static const char *const keys[] = {"share_limit", "pooled"};
    static const char *const layers[] = {"advisor", "handler", "tracker"};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        if (strcmp(s->key, "name") == 0 && strcmp(s->value, layers[i]) == 0)
            return true;
    }
    size_t n = strcspn(s->owner, " ");
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        if (strlen(owners[i]) == n && strncmp(owners[i], s->owner, n) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], s->key) == 0)
            return true;
    }
    return false;
}

/* True if this layer of the chain of estimators answers questions of this
 * kind. */
static bool physics_answers(const char *layer, enum physics_when when)
{
    const struct estimator_ops *ops;
    struct error err = {0};
    if (estimator_find(text_from(layer), &ops, &err) != STATUS_OK)
        return false;
    return when == IF_IT_ASKS_TIMES ? ops->remaining != NULL
                                    : ops->demand != NULL;
}

/* True if a setting belongs to kind number `k`. */
static bool belongs(const struct run_setting *s, unsigned k)
{
    size_t n = strcspn(s->owner, " ");
    const struct physics_kind *kind = &physics_kinds[k];
    if (k == PHYSICS_OTHER) {
        for (unsigned i = 0; i < PHYSICS_OTHER; i++) {
            if (strlen(physics_kinds[i].owner) == n &&
                strncmp(physics_kinds[i].owner, s->owner, n) == 0)
                return false;
        }
        return true;
    }
    if (strlen(kind->owner) != n || strncmp(kind->owner, s->owner, n) != 0)
        return false;
    if (kind->when != IF_IT_ASKS_TIMES && kind->when != IF_IT_ASKS_DEMAND)
        return true;
    return physics_answers(s->owner[n] ? s->owner + n + 1 : s->value,
                           kind->when);
}

static struct physics_fact *physics_find(const struct physics *p, unsigned kind,
                                         const char *key)
{
    for (size_t i = 0; i < p->n; i++) {
        const char *k = p->facts[i].key;
        if (p->facts[i].kind == kind &&
            (k == key || (k && key && strcmp(k, key) == 0)))
            return &p->facts[i];
    }
    return NULL;
}

/* Adds a setting to a kind. A later value of a key replaces an earlier one.
 * Names of the layers of a chain are joined with commas. */
static void physics_add(struct physics *p, unsigned kind,
                        const struct run_setting *s, struct arena *arena)
{
    bool is_name = strcmp(s->key, "name") == 0;
    struct physics_fact *known = physics_find(p, kind, is_name ? NULL : s->key);
    size_t n = strlen(s->value), before;
    if (!known) {
        p->facts = mem_grow(p->facts, &p->cap, p->n + 1, sizeof *p->facts);
        p->facts[p->n++] = (struct physics_fact){
            kind, is_name ? NULL : arena_copy(arena, s->key, strlen(s->key)),
            arena_copy(arena, s->value, n)};
        return;
    }
    if (!is_name) {
        known->value = arena_copy(arena, s->value, n);
        return;
    }
    before = strlen(known->value);
    char *joined = arena_alloc(arena, before + n + 2);
    memcpy(joined, known->value, before);
    joined[before] = ',';
    memcpy(joined + before + 1, s->value, n + 1);
    known->value = joined;
}

/* True if the run meets the condition `when`, so that settings with this
 * condition affect it. */
static bool physics_counts(enum physics_when when, const struct run_result *run)
{
    unsigned needs = run->policy_needs;
    switch (when) {
    case ALWAYS:
        return true;
    case IF_IT_SHARES:
        return run->cluster.share_limit > 1;
    case IF_IT_FORECASTS:
        return run->policy_forecasts;
    case IF_IT_ASKS_TIMES:
        return needs & POLICY_NEEDS_DURATION;
    case IF_IT_ASKS_DEMAND:
        return needs & POLICY_NEEDS_DEMAND;
    }
    return false;
}

void physics_read(const struct run_result *run, const char *row,
                  struct arena *arena, struct physics *out)
{
    *out = (struct physics){.row = row};
    for (unsigned k = 0; k < PHYSICS_N_KINDS; k++)
        out->counts[k] = physics_counts(physics_kinds[k].when, run);
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        for (unsigned k = 0; !physics_is_own(s) && k < PHYSICS_N_KINDS; k++) {
            if (out->counts[k] && belongs(s, k))
                physics_add(out, k, s, arena);
        }
    }
}

void physics_fini(struct physics *physics)
{
    free(physics->facts);
    *physics = (struct physics){0};
}

static bool physics_same(const char *a, const char *b)
{
    return strcmp(a ? a : "none", b ? b : "none") == 0;
}

/* Writes "key=value" for each key whose value in `a` differs from that in `b`,
 * as long as there is room. Returns the number of keys that differ. */
static size_t say_keys(const struct physics *a, const struct physics *b,
                       unsigned kind, char *buf, size_t room)
{
    size_t n = 0, used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < a->n; i++) {
        const struct physics_fact *f = &a->facts[i];
        const struct physics_fact *other =
            f->kind == kind && f->key ? physics_find(b, kind, f->key) : NULL;
        if (f->kind != kind || !f->key ||
            (other && physics_same(f->value, other->value)))
            continue;
        int w = snprintf(buf + used, room - used, "%s%s=%s", n ? "," : "",
                         f->key, f->value[0] ? f->value : "\"\"");
        used = w < 0 || used + (size_t)w >= room ? room - 1 : used + (size_t)w;
        n++;
    }
    return n;
}

#define SAY_MAX 160

/* True if two runs differ in a kind of conditions. `here` and `there` become
 * the names of the models if the names differ, otherwise the settings that
 * differ. */
static bool differ(const struct physics *a, const struct physics *b,
                   unsigned kind, char here[SAY_MAX], char there[SAY_MAX])
{
    const struct physics_fact *x = physics_find(a, kind, NULL),
                              *y = physics_find(b, kind, NULL);
    const char *name = x ? x->value : NULL, *other = y ? y->value : NULL;
    if (!physics_same(name, other)) {
        snprintf(here, SAY_MAX, "%s", name ? name : "none");
        snprintf(there, SAY_MAX, "%s", other ? other : "none");
        return true;
    }
    size_t n = say_keys(a, b, kind, here, SAY_MAX);
    size_t m = say_keys(b, a, kind, there, SAY_MAX);
    if (n == 0)
        snprintf(here, SAY_MAX, "none");
    if (m == 0)
        snprintf(there, SAY_MAX, "none");
    return n > 0 || m > 0;
}

size_t physics_compare(const struct physics *const *runs, size_t at,
                       void (*found)(void *self,
                                     const struct physics_difference *d),
                       void *self)
{
    char here[SAY_MAX], there[SAY_MAX];
    size_t n = 0;
    for (unsigned k = 0; k < PHYSICS_N_KINDS; k++) {
        size_t first = 0;
        while (first < at && !runs[first]->counts[k])
            first++;
        if (first == at || !runs[at]->counts[k] ||
            !differ(runs[at], runs[first], k, here, there))
            continue;
        struct physics_difference d = {physics_kinds[k].what, here, there,
                                       runs[first]->row};
        if (found)
            found(self, &d);
        n++;
    }
    return n;
}

/* Says, for `compare`, as text and as JSON, which rows differ in more than
 * their policy. */

struct physics_sentence {
    struct out *words;
    size_t parts;
};

static void physics_print_part(void *self, const struct physics_difference *d)
{
    struct physics_sentence *s = self;
    out_printf(s->words, "%s%s %s (%s: %s)", s->parts++ ? "; " : "", d->what,
               d->here, d->row, d->there);
}

void physics_print(const struct physics *const *runs, size_t n, FILE *to)
{
    struct out *words = out_to_memory();
    for (size_t i = 1; i < n; i++) {
        struct physics_sentence sentence = {.words = words};
        if (physics_compare(runs, i, NULL, NULL) == 0)
            continue;
        out_clear(words);
        physics_compare(runs, i, physics_print_part, &sentence);
        out_char(words, '\0');
        say_prose(to, "* %s differs in more than the policy: %s", runs[i]->row,
                  out_memory(words).at);
    }
    out_abandon(words);
}

void physics_write_difference(struct json_stream *js,
                              const struct physics_difference *d)
{
    json_stream_object(js, NULL);
    json_stream_text(js, "what", d->what);
    json_stream_text(js, "here", d->here);
    json_stream_text(js, "there", d->there);
    json_stream_text(js, "row", d->row);
    json_stream_object_end(js);
}

static void write_part(void *self, const struct physics_difference *d)
{
    physics_write_difference(self, d);
}

void physics_write(struct json_stream *js, const char *key,
                   const struct physics *const *runs, size_t at)
{
    json_stream_array(js, key);
    physics_compare(runs, at, write_part, js);
    json_stream_array_end(js);
}
