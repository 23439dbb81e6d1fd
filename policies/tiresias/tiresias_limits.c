/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiresias' queue limits: those that the user gives, or those of the rule
 * `auto`. Limits that suit one trace do not suit another. Those of Tiresias'
 * simulator, 3,250 and 7,200 GPU-seconds, split the jobs of its authors'
 * cluster (quantiles 0.606 and 0.741 of yarn-gput1000.csv), but no job of Sia's
 * newtrace-1 ends before it has attained 3,250. docs/defaults.md compares lists
 * on recorded traces.
 *
 * The rule `auto` sorts the ended jobs by the service that they attained. The
 * jobs up to the first limit attained a third of all service; the jobs up to
 * the second attained two thirds. So the jobs that end in each queue have equal
 * amounts of work, as in SITA-E (Crovella, Harchol-Balter and Murta, 1998).
 * Most jobs are short, but most of the work is in long jobs. A split by the
 * number of jobs (auto_of=jobs) therefore gives limits of a few seconds, and
 * preemptions then cost more than they help.
 *
 * The limits are set anew whenever the number of ended jobs has grown by an
 * eighth; until `auto_least` jobs have ended, the limits of `auto_start` hold.
 * The rule uses only what a scheduler can see: the service of jobs that have
 * ended. The first jobs to end are the short ones, so the limits begin low and
 * rise, unless `--train` names many jobs, which count as ended before the run.
 * With limits that move, jobs change queues when nothing else has happened, and
 * on some traces the mean JCT is two or three times that of fixed limits.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policies/tiresias/tiresias.h"

/* Appends a limit; returns false if it is not above the last one or, for the
 * first one, not above 0. With leave=exceeded, a job leaves its queue at one
 * microsecond more than the limit. */
static bool add_limit(struct tiresias *t, int64_t limit)
{
    limit += t->config->leave == LEAVE_EXCEEDED;
    if (limit <= (t->n_limits ? t->limits[t->n_limits - 1] : 0))
        return false;
    t->limits[t->n_limits++] = limit;
    t->limits[t->n_limits] = TIME_NEVER;
    return true;
}

/* Takes the next cell off a list. Cells are separated by '/' or, in a rest of
 * the list without '/', by ','. */
static struct text next_cell(struct text *rest)
{
    struct text after, cell = text_split(*rest, '/', &after);
    if (cell.len == rest->len)
        cell = text_split(*rest, ',', &after);
    *rest = after;
    return cell;
}

static enum status limits_parse(struct tiresias *t, const char *key,
                                const char *list, struct error *err)
{
    struct text rest = text_from(list);
    sim_span limit;
    t->limits[0] = TIME_NEVER;
    while (rest.len) {
        if (t->n_limits + 1 == TIRESIAS_QUEUES_MAX ||
            !text_to_span(next_cell(&rest), &limit) || !add_limit(t, limit))
            return error_set(err, STATUS_USAGE,
                             "policy tiresias: %s: '%s' is not a list of at "
                             "most %d ascending numbers of seconds%s",
                             key, list, TIRESIAS_QUEUES_MAX - 1,
                             t->follows ? "" : ", nor 'auto'");
    }
    return STATUS_OK;
}

static enum status parse_quantiles(struct tiresias *t, struct error *err)
{
    const char *list = t->config->quantiles;
    struct text rest = text_from(list);
    double q, last = 0;
    while (rest.len) {
        if (t->n_quantiles + 1 == TIRESIAS_QUEUES_MAX ||
            !text_to_double(next_cell(&rest), &q) || !(q > last && q < 1))
            return error_set(err, STATUS_USAGE,
                             "policy tiresias: auto_quantiles: '%s' is not a "
                             "list of at most %d ascending numbers between 0 "
                             "and 1",
                             list, TIRESIAS_QUEUES_MAX - 1);
        t->quantiles[t->n_quantiles++] = last = q;
    }
    return STATUS_OK;
}

/* Adds the service of one ended job, in the unit of tiresias_service. */
static void limits_add_ended(struct tiresias *t, int64_t service)
{
    t->ended =
        mem_grow(t->ended, &t->cap_ended, t->n_ended + 1, sizeof *t->ended);
    t->ended[t->n_ended++] = service;
}

/* Adds the jobs that ended before the run (--train). */
static void add_past(struct tiresias *t, const struct run_env *env)
{
    bool is_time = t->config->service == SERVICE_TIME;
    for (uint32_t i = 0; i < env->n_past; i++) {
        const struct past_job *past = &env->past[i];
        limits_add_ended(
            t, order_by_service(is_time ? 1 : past->job.gpus, past->ran));
    }
    t->n_past = env->n_past;
}

enum status tiresias_limits_init(struct tiresias *t, const struct run_env *env,
                                 struct error *err)
{
    const struct tiresias_config *c = t->config;
    t->follow_at = SIZE_MAX;
    if (!text_equal(text_from("auto"), text_from(c->queues)))
        return limits_parse(t, "queues", c->queues, err);
    t->follows = true;
    t->follow_at = c->auto_least;
    add_past(t, env);
    enum status st = parse_quantiles(t, err);
    return st == STATUS_OK ? limits_parse(t, "auto_start", c->auto_start, err)
                           : st;
}

void tiresias_limits_learn(struct tiresias *t, const struct view *view,
                           const struct job *job)
{
    int64_t service = view_attained(view, job);
    if (!t->follows)
        return;
    if (t->config->service == SERVICE_TIME)
        service /= job->gpus;
    limits_add_ended(t, service);
}

static int limits_ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the smallest service s of an ended job such that the jobs with
 * service <= s are at least the share `q` of all ended jobs (auto_of=jobs), or
 * attained at least the share `q` of all service. `ended` must be sorted. */
static int64_t limits_quantile(const struct tiresias *t, double q)
{
    size_t n = t->n_ended, i = 0;
    if (t->config->auto_of == AUTO_OF_JOBS) {
        size_t rank = (size_t)ceil(q * (double)n);
        return t->ended[(rank > 0 ? rank : 1) - 1];
    }
    double all = 0, so_far = 0;
    for (size_t k = 0; k < n; k++)
        all += (double)t->ended[k];
    while (i + 1 < n && (so_far += (double)t->ended[i]) < q * all)
        i++;
    return t->ended[i];
}

bool tiresias_limits_follow(struct tiresias *t)
{
    size_t n = t->n_ended;
    if (n < t->follow_at)
        return false;
    qsort(t->ended, n, sizeof *t->ended, limits_ascending);
    t->n_limits = 0;
    t->limits[0] = TIME_NEVER;
    for (uint32_t i = 0; i < t->n_quantiles; i++)
        add_limit(t, limits_quantile(t, t->quantiles[i]));
    t->follow_at = n + n / 8 + 1;
    t->n_followed++;
    return true;
}

/* Reports only the first two of the limits, because three queues are the
 * default. */
size_t tiresias_limits_count(const struct tiresias *t, struct policy_count *out)
{
    static const char *const names[] = {"first_limit_s", "second_limit_s"};
    size_t n = 0;
    if (!t->follows)
        return 0;
    out[n++] = (struct policy_count){
        "limits_set", "times that the queue limits were computed anew",
        t->n_followed};
    for (uint32_t i = 0; i < 2 && i < t->n_limits; i++)
        out[n++] = (struct policy_count){
            names[i],
            "service at which a job leaves that queue, at the end "
            "of the run",
            (uint64_t)(t->limits[i] / SPAN_SECOND)};
    return n;
}

void tiresias_limits_remark(const struct tiresias *t, struct remarks *remarks)
{
    char list[200] = "none";
    size_t used = 0;
    if (!t->follows)
        return;
    for (uint32_t i = 0; i < t->n_limits && used + 24 < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.0f",
                                 i ? "/" : "", span_seconds(t->limits[i]));
    if (t->n_followed && t->n_past >= t->config->auto_least)
        remarks_add(remarks, REMARK_DETAIL,
                    "queues=auto computed the queue limits from the "
                    "service of the jobs that had ended, %" PRIu32
                    " of them in the trace of --train; it set them %" PRIu64
                    " times, at last to %s s of service (queues=LIMITS fixes "
                    "them)",
                    t->n_past, t->n_followed, list);
    else if (t->n_followed == 0)
        remarks_add(remarks, REMARK_NUMBERS,
                    "only %zu jobs ended, fewer than auto_least=%u, "
                    "so queues=auto kept the limits of Tiresias' simulator, "
                    "%s s of service (queues=LIMITS sets others)",
                    t->n_ended, t->config->auto_least, t->config->auto_start);
    else
        remarks_add(
            remarks, REMARK_DETAIL,
            "the queue limits were %s s of service until %u jobs "
            "had ended; then queues=auto computed them from the service of "
            "the ended jobs, %zu times, at last as %s s (queues=LIMITS fixes "
            "them)",
            t->config->auto_start, t->config->auto_least, (size_t)t->n_followed,
            list);
}
