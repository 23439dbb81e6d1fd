/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks a run with quotas that lend: at no time do the jobs of a virtual
 * cluster, or of a cohort, hold more GPUs than the quotas and limits allow, and
 * each job that the layer stops gives its GPUs to a job that may have them. The
 * sums are made bottom-up for each instant, not step by step as in a run. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify/verify_internal.h"
#include "sim/verify/verify_quota.h"
#include "sim/verify/verify_replay.h"

static bool quota_number(const json_t *row, const char *key, int64_t *out)
{
    const json_t *value = json_object_get(row, key);
    *out = value ? json_integer_value(value) : INT64_MAX;
    return !value || (json_typeof(value) == JSON_INTEGER && *out >= 0 &&
                      *out <= INT32_MAX);
}

/* Returns the rule of a word; `none` if there is no word. */
static enum verify_quota_rule quota_rule(const json_t *row, const char *key,
                                         enum verify_quota_rule none)
{
    static const char *const words[] = {"never", "lower", "lower-or-newer"};
    const char *word = json_string_value(json_object_get(row, key));
    unsigned rule = 0;
    while (word && rule < VERIFY_QUOTA_ANY && strcmp(word, words[rule]) != 0)
        rule++;
    return word ? rule : none;
}

static enum status quota_read_row(struct verify_data *d, size_t i,
                                  const json_t *row, struct error *err)
{
    const char *vc = json_string_value(json_object_get(row, "vc"));
    int64_t parent;
    struct verify_quota *q = &d->quotas[i];
    bool good = quota_number(row, "parent", &parent) &&
                quota_number(row, "nominal", &q->nominal) &&
                quota_number(row, "borrowing_limit", &q->borrowing) &&
                quota_number(row, "lending_limit", &q->lending) &&
                q->nominal != INT64_MAX &&
                (parent == INT64_MAX || parent < (int64_t)i);
    q->within = quota_rule(row, "within", VERIFY_QUOTA_NEVER);
    q->reclaim = quota_rule(row, "reclaim", VERIFY_QUOTA_ANY);
    q->parent = parent == INT64_MAX ? UINT32_MAX : (uint32_t)parent;
    q->vc = vc ? interner_add(&d->vcs, text_from(vc)) : UINT32_MAX;
    if (good)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "manifest.json: cluster.quotas[%zu] is not a quota", i);
}

enum status verify_quota_read(struct verify_data *d, const json_t *cluster,
                              struct error *err)
{
    const json_t *rows = json_object_get(cluster, "quotas");
    enum status st = STATUS_OK;
    d->merged = rows != NULL;
    d->n_quotas = json_array_size(rows);
    d->quotas = ARENA_ARRAY(&d->arena, struct verify_quota, d->n_quotas + 1);
    for (size_t i = 0; i < d->n_quotas && st == STATUS_OK; i++)
        st = quota_read_row(d, i, json_array_get(rows, i), err);
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < d->n_quotas; i++)
        d->quotas[i].subtree = d->quotas[i].nominal;
    for (size_t i = d->n_quotas; i-- > 0;) {
        struct verify_quota *q = &d->quotas[i];
        int64_t lent = q->lending < q->subtree ? q->lending : q->subtree;
        q->kept = q->subtree - lent;
        if (q->parent != UINT32_MAX)
            d->quotas[q->parent].subtree += lent;
    }
    return STATUS_OK;
}

/* Computes what each row of the quotas uses, from what virtual clusters
 * hold. */
static void quota_add_up(const struct verify_data *d, const int64_t *held,
                         int64_t *used)
{
    for (size_t i = 0; i < d->n_quotas; i++)
        used[i] = d->quotas[i].vc == UINT32_MAX ? 0 : held[d->quotas[i].vc];
    for (size_t i = d->n_quotas; i-- > 0;) {
        const struct verify_quota *q = &d->quotas[i];
        if (q->parent != UINT32_MAX && used[i] > q->kept)
            used[q->parent] += used[i] - q->kept;
    }
}

int64_t verify_quota_left(const struct verify_data *d, const int64_t *held,
                          uint32_t vc)
{
    int64_t *used = mem_alloc((d->n_quotas + 1) * sizeof *used);
    int64_t *left = mem_alloc((d->n_quotas + 1) * sizeof *left), found = 0;
    quota_add_up(d, held, used);
    for (size_t i = 0; i < d->n_quotas; i++) {
        const struct verify_quota *q = &d->quotas[i];
        if (q->parent == UINT32_MAX) {
            left[i] = q->subtree - used[i];
        } else {
            /* what is left above, what of it may be borrowed, and what is
             * kept */
            const int64_t above = left[q->parent],
                          kept = used[i] < q->kept ? q->kept - used[i] : 0,
                          most =
                              q->borrowing == INT64_MAX
                                  ? above
                                  : q->subtree + q->borrowing - kept - used[i];
            left[i] = (above < most ? above : most) + kept;
        }
        if (q->vc == vc)
            found = left[i];
    }
    free(used);
    free(left);
    return found > 0 ? found : 0;
}

static void quota_check_instant(const struct verify_data *d, sim_time at,
                                const int64_t *held, int64_t *used,
                                struct verify_report *report)
{
    quota_add_up(d, held, used);
    for (size_t i = 0; i < d->n_quotas; i++) {
        const struct verify_quota *q = &d->quotas[i];
        int64_t most = q->parent == UINT32_MAX     ? q->subtree
                       : q->borrowing == INT64_MAX ? INT64_MAX
                                                   : q->subtree + q->borrowing;
        if (used[i] > most)
            verify_say(report,
                       "cluster.quotas[%zu]: at %.6f s its jobs hold %" PRId64
                       " GPUs, of which the quotas allow %" PRId64,
                       i, span_seconds(at), used[i], most);
    }
}

void verify_quota_check(const struct verify_data *d,
                        struct verify_report *report)
{
    struct verify_timed *starts, *ends;
    size_t n = 0, s = 0, e = 0;
    if (!d->merged)
        return;
    int64_t *held = mem_zalloc(d->vcs.n_strings + (size_t)1, sizeof *held);
    int64_t *used = mem_alloc((d->n_quotas + 1) * sizeof *used);
    starts = mem_alloc((d->n_attempts + 1) * sizeof *starts);
    ends = mem_alloc((d->n_attempts + 1) * sizeof *ends);
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if (a->profiling || a->end <= a->start)
            continue;
        starts[n] = (struct verify_timed){a->start, (uint32_t)i};
        ends[n++] = (struct verify_timed){a->end, (uint32_t)i};
    }
    verify_sort_timed(starts, n);
    verify_sort_timed(ends, n);
    while (s < n) {
        sim_time now = starts[s].at;
        /* the starts of now have ends after now, so the ends do not run out */
        for (; ends[e].at <= now; e++) {
            const struct verify_attempt *a = &d->attempts[ends[e].index];
            held[d->jobs[a->job].vc] -= a->gpus;
        }
        for (; s < n && starts[s].at == now; s++) {
            const struct verify_attempt *a = &d->attempts[starts[s].index];
            held[d->jobs[a->job].vc] += a->gpus;
        }
        quota_check_instant(d, now, held, used, report);
    }
    free(held);
    free(used);
    free(starts);
    free(ends);
}

/* The attempts by start and by end, and what the check of stops has come to. */
struct quota_stops {
    const struct verify_data *data;
    struct verify_report *report;
    struct verify_timed *starts, *ends;
    size_t n, first_start, next_start; /* those of the current instant */
    int64_t *held, *used;
    struct verify_quota_waits waits;
    uint32_t next_job; /* the next to be submitted */
};

static uint32_t quota_row_of(const struct verify_data *d, uint32_t vc)
{
    uint32_t i = 0;
    while (i < d->n_quotas && d->quotas[i].vc != vc)
        i++;
    return i < d->n_quotas ? i : UINT32_MAX;
}

static uint32_t quota_root_of(const struct verify_data *d, uint32_t row)
{
    while (d->quotas[row].parent != UINT32_MAX)
        row = d->quotas[row].parent;
    return row;
}

/* True if a virtual cluster uses more than its quota, and a job that waits in
 * another one below the same cohort may have the job stopped for that. */
static bool quota_may_give(struct quota_stops *s, uint32_t row, uint32_t job)
{
    const struct verify_data *d = s->data;
    const uint32_t root = quota_root_of(d, row);
    if (s->used[row] <= d->quotas[row].subtree)
        return false;
    for (uint32_t i = 0; i < d->n_quotas; i++) {
        const struct verify_quota *q = &d->quotas[i];
        if (i != row && q->vc != UINT32_MAX && quota_root_of(d, i) == root &&
            verify_quota_waits_allow(&s->waits, q, q->reclaim, job))
            return true;
    }
    return false;
}

/* Checks that a job is stopped because its virtual cluster borrows, for a job
 * that may have it stopped, at a time at which a job starts; or for another job
 * of its virtual cluster, if the rules let that: the policy may then prefer the
 * job that was stopped, or start none. */
static void quota_check_victim(struct quota_stops *s, uint32_t attempt)
{
    const struct verify_data *d = s->data;
    const struct verify_attempt *a = &d->attempts[attempt];
    const uint32_t vc = d->jobs[a->job].vc, row = quota_row_of(d, vc);
    if (row == UINT32_MAX)
        return;
    const struct verify_quota *own = &d->quotas[row];
    bool starts = own->within != VERIFY_QUOTA_NEVER;
    for (size_t i = s->first_start; i < s->next_start; i++)
        starts |= s->starts[i].index != attempt;
    if (verify_quota_waits_allow(&s->waits, own, own->within, a->job) ||
        (starts && quota_may_give(s, row, a->job)))
        return;
    verify_say_attempt(d, s->report, a, "how", "is stopped, but %s",
                       starts ? "no job waits that may have it stopped"
                              : "no job starts then");
}

/* The job of an attempt that begins holds its GPUs and no longer waits. */
static void quota_begin(struct quota_stops *s, size_t start)
{
    const struct verify_data *d = s->data;
    const struct verify_attempt *a = &d->attempts[s->starts[start].index];
    s->held[d->jobs[a->job].vc] += a->gpus;
    verify_quota_waits_end(&s->waits, a->job);
}

/* The job of an attempt that ends waits, unless it has ended or begins again at
 * this time; `at_all`: also in that case. */
static void quota_wait_again(struct quota_stops *s, uint32_t attempt,
                             bool at_all)
{
    const struct verify_data *d = s->data;
    const struct verify_attempt *a = &d->attempts[attempt];
    const struct verify_job *job = &d->jobs[a->job];
    const bool last = attempt + 1 == job->first_attempt + job->n_attempts;
    if (last ? !job->ended : at_all || a[1].start > a->end)
        verify_quota_waits_begin(&s->waits, a->job);
}

/* Lets the jobs wait that are submitted until now. */
static void quota_submit(struct quota_stops *s, sim_time now)
{
    const struct verify_data *d = s->data;
    for (; s->next_job < d->n_jobs && d->jobs[s->next_job].submitted <= now;
         s->next_job++) {
        if (d->jobs[s->next_job].n_attempts || !d->jobs[s->next_job].ended)
            verify_quota_waits_begin(&s->waits, s->next_job);
    }
}

/* Checks the stops of an instant. The GPUs held are those before it, and those
 * of the jobs that start in it, which may be too many: what borrows nothing
 * then, borrows nothing in any order of these starts and stops. All jobs that
 * wait at some moment of it count as waiting. */
static void quota_check_stops_at(struct quota_stops *s, size_t end,
                                 size_t next_end)
{
    const struct verify_data *d = s->data;
    const sim_time now = s->ends[end].at;
    quota_submit(s, now);
    for (size_t i = end; i < next_end; i++)
        quota_wait_again(s, s->ends[i].index, true);
    for (s->next_start = s->first_start;
         s->next_start < s->n && s->starts[s->next_start].at == now;
         s->next_start++) {
        const struct verify_attempt *a =
            &d->attempts[s->starts[s->next_start].index];
        s->held[d->jobs[a->job].vc] += a->gpus;
    }
    quota_add_up(d, s->held, s->used);
    for (size_t i = end; i < next_end; i++) {
        if (d->attempts[s->ends[i].index].how == 's')
            quota_check_victim(s, s->ends[i].index);
    }
    for (; s->first_start < s->next_start; s->first_start++)
        verify_quota_waits_end(
            &s->waits, d->attempts[s->starts[s->first_start].index].job);
}

static void quota_replay_stops(struct quota_stops *s)
{
    const struct verify_data *d = s->data;
    for (size_t e = 0, next = 0; e < s->n; e = next) {
        quota_submit(s, s->ends[e].at - 1);
        for (; s->first_start < s->n &&
               s->starts[s->first_start].at < s->ends[e].at;
             s->first_start++)
            quota_begin(s, s->first_start);
        for (next = e; next < s->n && s->ends[next].at == s->ends[e].at;)
            next++;
        quota_check_stops_at(s, e, next);
        for (size_t i = e; i < next; i++) {
            const struct verify_attempt *a = &d->attempts[s->ends[i].index];
            s->held[d->jobs[a->job].vc] -= a->gpus;
            quota_wait_again(s, s->ends[i].index, false);
        }
    }
}

/* Checks who was stopped, if the layer alone stops jobs. */
static void quota_check_stops(const struct verify_data *d,
                              struct verify_report *report)
{
    struct quota_stops s = {.data = d, .report = report};
    s.starts = mem_alloc((d->n_attempts + 1) * sizeof *s.starts);
    s.ends = mem_alloc((d->n_attempts + 1) * sizeof *s.ends);
    s.held = mem_zalloc(d->vcs.n_strings + (size_t)1, sizeof *s.held);
    s.used = mem_alloc((d->n_quotas + 1) * sizeof *s.used);
    for (uint32_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if (a->profiling)
            continue;
        s.starts[s.n] = (struct verify_timed){a->start, i};
        s.ends[s.n++] = (struct verify_timed){a->end, i};
    }
    verify_sort_timed(s.starts, s.n);
    verify_sort_timed(s.ends, s.n);
    verify_quota_waits_init(&s.waits, d);
    quota_replay_stops(&s);
    verify_quota_waits_fini(&s.waits);
    free(s.starts);
    free(s.ends);
    free(s.held);
    free(s.used);
}

static double quota_count(const struct verify_data *d, const char *key)
{
    return json_number_value(
        json_object_get(json_object_get(d->summary, "counts"), key));
}

/* Compares the counts of the layer with all stops, which are at least its own.
 * `time`: GPU-us that the attempts stopped had lasted. */
static void quota_check_counts(const struct verify_data *d, double victims,
                               double stops, double time,
                               struct verify_report *report)
{
    const double reclaims = quota_count(d, "quota_reclaims"),
                 seconds = quota_count(d, "quota_victim_gpu_s"),
                 most = floor(time / 1e6);
    if (victims > stops || reclaims > victims ||
        (victims > 0) != (reclaims > 0))
        verify_say(report,
                   "summary.counts.quota_victims, quota_reclaims: %g in %g "
                   "reclaims, but the policy stopped %g attempts",
                   victims, reclaims, stops);
    if (victims >= stops ? seconds != most : seconds > most)
        verify_say(report,
                   "summary.counts.quota_victim_gpu_s: is %g, the attempts "
                   "stopped give %s%g",
                   seconds, victims >= stops ? "" : "at most ", most);
    if (quota_count(d, "quota_borrowed_starts") > (double)d->n_attempts)
        verify_say(report, "summary.counts.quota_borrowed_starts: is more than "
                           "all attempts");
}

void verify_quota_victims(const struct verify_data *d,
                          struct verify_report *report)
{
    const json_t *settings =
        json_object_get(json_object_get(d->manifest, "configuration"), "quota");
    const char *fair = json_string_value(json_object_get(settings, "fair"));
    const double victims = quota_count(d, "quota_victims");
    double stops = 0, time = 0;
    if (!d->merged)
        return;
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        stops += a->how == 's';
        time += a->how == 's' ? (double)(a->end - a->start) * a->gpus : 0;
    }
    quota_check_counts(d, victims, stops, time, report);
    /* Other stops are those of the policy below the layer; by fair shares a
     * virtual cluster may be stopped within its quota. */
    if (stops > 0 && victims >= stops && fair && strcmp(fair, "division") != 0)
        quota_check_stops(d, report);
}
