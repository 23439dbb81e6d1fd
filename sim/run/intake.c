/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the input of a run: which jobs of the trace remain and why others do
 * not, and whether the cluster can be simulated as described. */
#include "sim/run/run_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/state/truth.h"
#include "base/text.h"
#include "models/failures/causes.h"
#include "sim/run/counted.h"
#include "traces/shelf.h"
#include "traces/trace.h"

/* LOAD_JOBS: smallest number of jobs of which a load is told. INTAKE_LOAD_MOST:
 * load above which it is told. */
#define LOAD_JOBS 20

#define INTAKE_LOAD_MOST 0.95

/* Appends a separator and a word to a text, if there is room for both. Returns
 * the new length. */
static size_t intake_add_words(char *to, size_t room, size_t n,
                               const char *separator, const char *word)
{
    size_t more = strlen(separator) + strlen(word);
    if (n + more + 1 > room)
        return n;
    memcpy(to + n, separator, strlen(separator));
    memcpy(to + n + strlen(separator), word, strlen(word) + 1);
    return n + more;
}

enum status intake_check_vc(const struct run *run, struct error *err)
{
    const struct interner *named = &run->result.jobset.named_vcs;
    const char *wanted = run->config.load.vc, *names[CLUSTER_VCS_MAX];
    char list[2048] = "";
    size_t n = 0, len = 0;
    if (!wanted ||
        (wanted[0] && interner_find(named, text_from(wanted)) != UINT32_MAX))
        return STATUS_OK;
    for (uint32_t s = 1; s < named->n_strings && n < CLUSTER_VCS_MAX; s++) {
        names[n++] = interner_string(named, s);
        len = intake_add_words(list, sizeof list, len, len ? ", " : "",
                               names[n - 1]);
    }
    if (n == 0)
        return error_set(
            err, STATUS_USAGE,
            "--vc: the trace names no virtual clusters, and so not "
            "'%.100s'",
            wanted);
    const char *near = text_nearest(text_from(wanted), names, n);
    return error_set(err, STATUS_USAGE,
                     "--vc: the trace names no virtual cluster '%.100s'%s; "
                     "it names %s",
                     wanted, text_suggest(near).words, list);
}

const char *intake_default_cluster(struct run *run)
{
    struct run_result *r = &run->result;
    const struct jobset *w = &r->jobset;
    if (w->recorded_on)
        return jobset_string(w, w->recorded_on);
    const char *cluster = jobset_string(w, w->proposed);
    remarks_add(&r->remarks, REMARK_NUMBERS,
                "no --cluster is given and the trace does not name one: it "
                "runs on %s: %s",
                cluster, jobset_string(w, w->proposed_why));
    return cluster;
}

static bool is_wish(enum load_reason reason)
{
    return reason == LOAD_OTHER_VC || reason == LOAD_OUTSIDE_WINDOW ||
           reason == LOAD_LIMIT;
}

/* Writes the time from the first to the last submission: "2020-04-01 00:00:05
 * .. 2020-04-09 12:00:00 UTC", or "0 .. 5000 s" for a trace without dates,
 * which counts from 1970; or that there are no submissions. */
static void tell_window(const struct jobset *w, char *to, size_t room)
{
    char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];
    bool dated = w->last >= 366 * SPAN_DAY;
    time_to_text(w->first, first);
    time_to_text(w->last, last);
    if (w->last < w->first)
        snprintf(to, room, "it has no submissions");
    else if (dated)
        snprintf(to, room, "it was submitted %s .. %s UTC", first, last);
    else
        snprintf(to, room, "it was submitted %.15g .. %.15g s",
                 span_seconds(w->first), span_seconds(w->last));
}

static enum status nothing_left(const struct run *run, struct error *err)
{
    const struct jobset *w = &run->result.jobset;
    char window[128], reasons[1024] = "", one[160];
    size_t len = 0;
    tell_window(w, window, sizeof window);
    for (unsigned i = 0; i < LOAD_N_REASONS; i++) {
        if (!w->dropped[i])
            continue;
        snprintf(one, sizeof one, "%" PRIu64 " %s", w->dropped[i],
                 load_reason_words((enum load_reason)i));
        len = intake_add_words(reasons, sizeof reasons, len, len ? ", " : "; ",
                               one);
    }
    return error_set(err, STATUS_BAD_INPUT,
                     "%.1000s: no job is left of its %" PRIu64 " rows: %s%s",
                     run->config.trace, w->n_rows, window, reasons);
}

enum status intake_check_jobs(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    const struct jobset *w = &r->jobset;
    if (w->n_jobs == 0)
        return nothing_left(run, err);
    if (w->note[0])
        remarks_add(&r->remarks, REMARK_NUMBERS, "%s", w->note);
    for (unsigned i = 0; i < LOAD_N_REASONS; i++) {
        if (w->dropped[i] && !is_wish((enum load_reason)i))
            remarks_add(&r->remarks, remark_rank_of(w->dropped[i], w->n_rows),
                        "%" PRIu64 " of %" PRIu64
                        " rows of the trace dropped: each %s",
                        w->dropped[i], w->n_rows,
                        load_reason_words((enum load_reason)i));
    }
    return STATUS_OK;
}

void intake_remark_load(struct run *run)
{
    struct run_result *r = &run->result;
    const struct jobset *w = &r->jobset;
    double gpu_s = 0, run_s = 0;
    if (w->n_jobs < LOAD_JOBS || !r->cluster.n_gpus)
        return;
    const double window = span_seconds(w->jobs[w->n_jobs - 1].submitted);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const double seconds = span_seconds(jobset_duration(w, i));
        const double left = window - span_seconds(w->jobs[i].submitted);
        gpu_s += fmin(seconds, left) * w->jobs[i].gpus;
        run_s += seconds;
    }
    const double load = window > 0 ? gpu_s / window / r->cluster.n_gpus : 0;
    if (window < run_s / w->n_jobs || load <= INTAKE_LOAD_MOST)
        return;
    remarks_add(&r->remarks, REMARK_CONCLUSION,
                "offered load %.2f: if no job waited, %.0f GPUs would be in "
                "use on average, and the cluster has %u; waits grow with the "
                "length of such a trace",
                load, gpu_s / window, r->cluster.n_gpus);
}

const char *intake_cause(struct run *run, const struct rejection *r)
{
    const struct cluster_spec *spec = &run->spec;
    const struct job *job = &run->result.jobset.jobs[r->job];
    uint64_t gpus[CLUSTER_TYPES_MAX] = {0}, left[CLUSTER_TYPES_MAX] = {0};
    uint64_t most = 0, most_left = 0;
    uint32_t nodes = 0;
    char why[160];
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        uint64_t n = (uint64_t)g->count * g->gpus;
        if (g->vc != job->vc ||
            (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != g->type))
            continue;
        gpus[g->type] += n;
        left[g->type] += g->profiler ? 0 : n;
        nodes += g->profiler ? g->count : 0;
        most = gpus[g->type] > most ? gpus[g->type] : most;
        most_left = left[g->type] > most_left ? left[g->type] : most_left;
    }
    if (nodes == 0 || job->gpus > most || job->gpus <= most_left)
        return r->why;
    snprintf(why, sizeof why,
             "needs the %s set aside for profiling (--profilers 0 sets none "
             "aside)",
             nodes == 1 ? "node" : "nodes");
    return arena_copy(&run->result.arena, why, strlen(why));
}

void intake_remark_rejected(struct run *run)
{
    struct run_result *r = &run->result;
    const struct ledger *l = &r->ledger;
    char id[SOURCE_ID_MAX];
    enum { REASONS = 16 };
    const char *reasons[REASONS];
    size_t n_reasons = 0, first[REASONS], count[REASONS];
    for (size_t i = 0; i < l->n_rejections; i++) {
        const char *why = intake_cause(run, &l->rejections[i]);
        size_t k = 0;
        while (k < n_reasons && strcmp(reasons[k], why) != 0)
            k++;
        if (k == REASONS)
            continue;
        if (k == n_reasons) {
            reasons[n_reasons++] = why;
            first[k] = i;
            count[k] = 0;
        }
        count[k]++;
    }
    for (size_t k = 0; k < n_reasons; k++) {
        const struct job *job = &r->jobset.jobs[l->rejections[first[k]].job];
        remarks_add(&r->remarks, REMARK_CONCLUSION,
                    "%zu of %u jobs rejected: each %s; the first is %.60s (%u "
                    "GPUs)",
                    count[k], r->jobset.n_jobs, reasons[k],
                    jobset_source_id(&r->jobset, job, id), job->gpus);
    }
}

/* The GPU types of a virtual cluster, as two bit sets: those whose speed is
 * stated and the others. */
struct intake_choice {
    uint64_t stated, unstated;
};

static bool are_several(uint64_t set)
{
    return (set & (set - 1)) != 0;
}

/* Fills out[], by virtual cluster. Returns false if no virtual cluster has
 * several GPU types. */
static bool find_choices(const struct cluster_spec *spec,
                         struct intake_choice out[CLUSTER_VCS_MAX])
{
    bool any = false;
    memset(out, 0, spec->n_vcs * sizeof *out);
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        uint64_t bit = UINT64_C(1) << g->type;
        if (g->count && spec->types[g->type].speed_known)
            out[g->vc].stated |= bit;
        else if (g->count)
            out[g->vc].unstated |= bit;
        any |= are_several(out[g->vc].stated | out[g->vc].unstated);
    }
    return any;
}

/* True if the speeds of several GPU types of a virtual cluster are stated, and
 * all these are equal. */
static bool intake_are_equal(const struct cluster_spec *spec,
                             struct intake_choice choice)
{
    double speed = 0;
    for (size_t t = 0; t < spec->n_types; t++) {
        if (!(choice.stated >> t & 1))
            continue;
        if (speed > 0 && spec->types[t].speed != speed)
            return false;
        speed = spec->types[t].speed;
    }
    return are_several(choice.stated);
}

/* Makes the error that asks for the speeds of GPU types. The user may leave out
 * one type, which is the reference for the others. */
static enum status ask_for_speeds(const struct run *run, uint64_t types,
                                  struct error *err)
{
    const struct cluster_spec *spec = &run->spec;
    const char *names[2] = {"", ""};
    for (size_t t = 0, n = 0; t < spec->n_types && n < 2; t++) {
        if (types >> t & 1)
            names[n++] = spec->types[t].name;
    }
    char how[512];
    if (strstr(spec->name, ".json") || strchr(spec->name, '/'))
        snprintf(how, sizeof how,
                 "\"types\": [{\"name\": \"%.60s\", \"speed\": 1}, "
                 "{\"name\": \"%.60s\", \"speed\": 2.5}]",
                 names[0], names[1]);
    else
        snprintf(how, sizeof how, "%.60s@1 and %.60s@2.5 in --cluster",
                 names[0], names[1]);
    return error_set(err, STATUS_USAGE,
                     "cluster %.200s: jobs may run on %.60s and on %.60s, "
                     "whose speeds are not stated; state them as work per "
                     "time, such as %s (1 for both: equally fast)",
                     spec->name, names[0], names[1], how);
}

static bool chooses(const struct run *run, const struct job *job)
{
    return job->gpu_type == GPU_TYPE_ANY &&
           !throughput_knows(&run->parts.throughput, job);
}

enum status intake_check_speeds(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    struct intake_choice *choices =
        ARENA_ARRAY(&r->arena, struct intake_choice, run->spec.n_vcs);
    uint32_t n_equal = 0;
    if (!find_choices(&run->spec, choices))
        return STATUS_OK;
    for (uint32_t i = 0; i < r->jobset.n_jobs; i++) {
        const struct job *job = &r->jobset.jobs[i];
        struct intake_choice choice = choices[run->spec.merged ? 0 : job->vc];
        if (!are_several(choice.stated | choice.unstated) || !chooses(run, job))
            continue;
        if (are_several(choice.unstated))
            return ask_for_speeds(run, choice.unstated, err);
        n_equal += intake_are_equal(&run->spec, choice);
    }
    if (n_equal && run->spec.source)
        remarks_add(&r->remarks, REMARK_NUMBERS,
                    "%u of %u jobs run equally fast on every GPU type of "
                    "cluster %s, which is assumed: --throughput application "
                    "has measured speeds, TYPE@SPEED in --cluster states "
                    "others",
                    n_equal, r->jobset.n_jobs, run->spec.name);
    return STATUS_OK;
}

/* Returns the run's symbol for the text of a symbol of another jobset; 0 for
 * symbol 0. */
static uint32_t intake_symbol(struct run *run, const struct jobset *from,
                              uint32_t old)
{
    if (!old)
        return 0;
    return interner_add(&run->result.jobset.strings,
                        text_from(jobset_string(from, old)));
}

/* Returns the index in the cluster of the virtual cluster that a symbol of
 * another jobset names: 0 if the cluster has only one, UINT16_MAX if it has
 * several and none of this name. */
static uint16_t intake_vc_of(const struct run *run, const struct jobset *from,
                             uint16_t symbol)
{
    if (run->spec.n_vcs == 1)
        return 0;
    return cluster_vc_find(&run->result.cluster,
                           interner_string(&from->vcs, symbol));
}

/* Returns the identifier by which a side-car names a job of another jobset, as
 * the run stores it: a number as it is, a text as a symbol of the run. */
static uint32_t source_id(struct run *run, const struct jobset *from,
                          uint32_t old)
{
    return old & SOURCE_ID_NUMBER ? old : intake_symbol(run, from, old);
}

static void intake_take(struct run *run, const struct jobset *from)
{
    bool has_evidence = gather_sidecar(run, run->config.train) != NULL;
    sim_time zero = run->result.jobset.zero;
    run->past = mem_alloc((from->n_jobs + (size_t)1) * sizeof *run->past);
    for (uint32_t i = 0; i < from->n_jobs; i++) {
        struct job job = from->jobs[i];
        sim_span ran = jobset_duration(from, i);
        job.submitted += from->zero - zero;
        if (job.submitted + ran > 0)
            continue;
        job.id = JOB_NONE;
        job.user = intake_symbol(run, from, job.user);
        job.name = intake_symbol(run, from, job.name);
        job.model = intake_symbol(run, from, job.model);
        job.source_id = has_evidence ? source_id(run, from, job.source_id) : 0;
        job.vc = intake_vc_of(run, from, from->names[i].vc);
        run->past[run->n_past++] = (struct past_job){
            job, ran, job.submitted + ran, from->truths[i].aborts};
    }
}

enum status past_load(struct run *run, struct error *err)
{
    struct jobset from;
    struct load_options options = {
        .from = TRACE_NO_TIME,
        .to = run->result.jobset.zero - 1,
        .vc = run->config.load.vc,
    };
    if (!run->config.train)
        return STATUS_OK;
    const char *format = strcmp(run->config.train, run->config.trace) == 0
                             ? run->config.format
                             : NULL;
    enum status st = shelf_load(run->config.shelf, run->config.train, format,
                                &options, &from, err);
    if (st != STATUS_OK)
        return st;
    intake_take(run, &from);
    compose_note(
        run, "train", "sha256", from.digest,
        "SHA-256 of the trace that estimators learned from before the run",
        NULL);
    compose_file(run, "train", run->config.train, from.digest);
    jobset_fini(&from);
    return STATUS_OK;
}

struct linked_config {
    sim_span link;
};

static const struct option linked_options[] = {
    OPT_SPAN(struct linked_config, link, "link_s", 3600, 1e-6, SECONDS_MAX,
             "longest time from the end of a failed row to the submission of "
             "the row that continues it",
             "assumed: an hour"),
    {0},
};

enum status resubmissions_read(struct run *run, struct load_options *options,
                               struct error *err)
{
    static const char *const names[] = {"off", "linked"};
    struct linked_config config;
    struct spec spec;
    const char *text = run->config.chains ? run->config.chains : "off";
    enum status st = spec_parse("chains", text_from(text), &spec, err);
    if (st != STATUS_OK)
        return st;
    bool linked = text_is(spec.name, "linked");
    if (!linked && !text_is(spec.name, "off")) {
        const char *near = text_nearest(spec.name, names, 2);
        return error_set(err, STATUS_USAGE,
                         "--chains: '%.*s' is neither off nor linked%s",
                         TEXT_ARGS(spec.name), text_suggest(near).words);
    }
    const struct option *rows = linked ? linked_options : NULL;
    st = spec_apply(&spec, rows, &config, "chains", &run->result.arena, err);
    if (st != STATUS_OK)
        return st;
    options->chain_link = linked ? config.link : 0;
    if (!linked)
        return STATUS_OK;
    compose_note(run, "chains", "name", "linked", NULL, NULL);
    compose_note_options(run, "chains linked", rows, &config);
    return STATUS_OK;
}

static void draw_causes(struct run *run, const struct job *job,
                        const struct truth *truth)
{
    struct own_failure *failures = run->result.jobset.failures;
    uint64_t stream = rng_stream(run->config.seed, "cause of a failure");
    sim_span before = truth->work;
    for (uint32_t k = 0; k < truth->n_failures; k++) {
        struct own_failure *f = &failures[truth->first_failure + k];
        const struct failure_cause *cause = cause_draw(
            keyed_uniform(stream, job->id, k), before - f->left, job->gpus);
        f->cause = cause->name;
        f->kind = (uint8_t)cause->kind;
        before = f->left;
    }
}

/* Refuses a job that fails at a point of its work which this run cannot reach
 * exactly. */
static enum status intake_refuse(const struct run *run, const struct job *job,
                                 struct error *err)
{
    const struct jobset *w = &run->result.jobset;
    const struct engine_parts *parts = &run->parts;
    char buf[SOURCE_ID_MAX];
    const char *id = jobset_source_id(w, job, buf);
    if (throughput_knows(&parts->throughput, job))
        return error_set(
            err, STATUS_USAGE,
            "--chains: job %.60s fails at points of its recorded run time, "
            "but --throughput %s replaces that: --throughput rigid",
            id, parts->throughput.ops->name);
    if (parts->law.ops->rounds || parts->law.ops->one_speed)
        return error_set(err, STATUS_USAGE,
                         "--chains: job %.60s fails at points of its work, but "
                         "--time-law %s rounds the times of work: --time-law "
                         "exact",
                         id, parts->law.ops->name);
    return STATUS_OK;
}

enum status resubmissions_finish(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    const struct jobset *w = &r->jobset;
    uint32_t n_jobs = 0, n_failures = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct truth *truth = &w->truths[i];
        if (truth->n_failures == 0)
            continue;
        enum status st = intake_refuse(run, &w->jobs[i], err);
        if (st != STATUS_OK)
            return st;
        n_jobs++;
        n_failures += truth->n_failures;
        draw_causes(run, &w->jobs[i], truth);
    }
    if (n_failures)
        remarks_add(&r->remarks, REMARK_NUMBERS,
                    "%" PRIu32
                    " jobs fail at recorded points of their work, %" PRIu32
                    " times in all, because rows that continue a failed "
                    "row are linked to it (--chains)",
                    n_jobs, n_failures);
    return STATUS_OK;
}

/* Reads a length of time, such as "2d", or a share of `whole`, such as "10%".
 * `given` NULL: 0. Returns STATUS_USAGE if the text is neither. */
static enum status read_cut(const char *option, const char *given,
                            sim_span whole, sim_span *out, struct error *err)
{
    double percent;
    struct text t = text_trim(text_from(given ? given : "0"));
    bool is_share = t.len && t.at[t.len - 1] == '%', good;
    if (is_share) {
        t.len--;
        good = text_to_double(text_trim(t), &percent) && percent >= 0 &&
               percent < 100;
        *out = good ? (sim_span)((double)whole * (percent / 100)) : 0;
    } else {
        good = text_to_duration(t, out) && *out >= 0;
    }
    if (good)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "--%s: '%.100s' is not a length of time, such as 12h or "
                     "7d, or a percentage from 0%% to below 100%%",
                     option, given);
}

enum status counted_find(struct counted *counted, const struct jobset *w,
                         struct remarks *remarks, struct error *err)
{
    sim_span head = 0, tail = 0;
    sim_time first = w->n_jobs ? w->jobs[0].submitted : 0;
    sim_time last = w->n_jobs ? w->jobs[w->n_jobs - 1].submitted : 0;
    enum status st =
        read_cut("warmup", counted->warmup, last - first, &head, err);
    if (st == STATUS_OK)
        st = read_cut("cooldown", counted->cooldown, last - first, &tail, err);
    if (st != STATUS_OK || (!counted->warmup && !counted->cooldown))
        return st;
    counted->some = true;
    counted->from = first + head;
    counted->to = last - tail;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        counted->n_jobs += counted_has(counted, &w->jobs[i]);
    if (counted->n_jobs == 0)
        return error_set(err, STATUS_USAGE,
                         "--warmup %s, --cooldown %s: no job is left to count; "
                         "all jobs were submitted within %.6g s",
                         counted->warmup ? counted->warmup : "0",
                         counted->cooldown ? counted->cooldown : "0",
                         span_seconds(last - first));
    remarks_add(remarks, REMARK_DETAIL,
                "metrics of jobs count %u of %u jobs: those submitted from "
                "%.15g s to %.15g s (--warmup %s, --cooldown %s); the others "
                "were simulated, and sums, makespan, utilisation and what is "
                "measured over time include them",
                counted->n_jobs, w->n_jobs, span_seconds(counted->from),
                span_seconds(counted->to),
                counted->warmup ? counted->warmup : "0",
                counted->cooldown ? counted->cooldown : "0");
    return STATUS_OK;
}
