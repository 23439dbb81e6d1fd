/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/explain_wait.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/explain_who.h"
#include "commands/table.h"

const char *explain_time(sim_time at, char buf[EXPLAIN_TIME_MAX])
{
    double seconds = span_seconds(at);
    int n = snprintf(buf, EXPLAIN_TIME_MAX, "%.6f", seconds);
    while (buf[n - 1] == '0')
        n--;
    n -= buf[n - 1] == '.';
    snprintf(buf + n, EXPLAIN_TIME_MAX - (size_t)n, " s (day %.2f)",
             seconds / 86400);
    return buf;
}

const char *explain_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to)
{
    json_t *row = json_object(), *all = json_object_get(json, "events");
    json_put(row, "event", json_text(what));
    json_put(row, "from_s", json_number(span_seconds(from)));
    json_put(row, "to_s", json_number(span_seconds(to)));
    json_array_append_new(all, row);
    return row;
}

static double gpu_hours(uint64_t gpu_us)
{
    return (double)gpu_us / (double)SPAN_HOUR;
}

static void put_top(json_t *row, const char *key, const char *amount,
                    double unit, const struct explain_top *top,
                    const struct verify_data *d, bool users)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < top->n; i++) {
        const struct explain_share *s = &top->at[i];
        json_t *one = json_object();
        if (users) {
            json_put(one, "user",
                     json_text(interner_string(&d->users, s->who)));
            json_put(one, "jobs", json_integer(s->n_jobs));
        } else {
            json_put(one, "job", json_text(d->jobs[s->who].id));
        }
        json_put(one, amount, json_number((double)s->amount / unit));
        json_array_append_new(list, one);
    }
    json_put(row, key, list);
}

static void write_waiting(json_t *json, const struct verify_data *d,
                          const struct waiting *w,
                          const struct explain_who *who)
{
    json_t *row = explain_event(
        json, w->to_profile ? "waits for a profile" : "waits", w->from, w->to);
    json_put(row, "started", json_boolean(w->started));
    json_put(row, "after_failure", json_boolean(w->after_failure));
    explain_reasons_put(row, &w->why);
    if (w->to_profile)
        return;
    json_put(row, "free_gpus", json_integer(w->free_gpus));
    json_put(row, "earlier_jobs_waiting", json_integer(w->ahead));
    json_put(row, "later_jobs_started",
             json_integer((json_int_t)w->later_starts));
    json_put(row, "later_jobs_gpus", json_integer((json_int_t)w->later_gpus));
    json_put(row, "later_jobs_gpu_h", json_number(gpu_hours(w->later_time)));
    if (!who)
        return;
    json_put(row, "later_jobs", json_integer(who->later_jobs));
    json_put(row, "held_gpu_h", json_number(gpu_hours(who->held)));
    put_top(row, "holders", "gpu_h", (double)SPAN_HOUR, &who->users, d, true);
    put_top(row, "holding_jobs", "gpu_h", (double)SPAN_HOUR, &who->jobs, d,
            false);
    put_top(row, "blocked_by", "seconds", (double)SPAN_SECOND, &who->blocks, d,
            false);
}

/* Appends to a line of at most `room` bytes. */
static void __attribute__((format(printf, 3, 4)))
append(char *line, size_t room, const char *fmt, ...)
{
    size_t n = strlen(line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(line + n, room - n, fmt, args);
    va_end(args);
}

/* Prints the jobs that blocked the job, such as "; in front: job 7 (64 GPUs)
 * 2.1 h". */
static void name_blocks(char *line, size_t room, const struct verify_data *d,
                        const struct explain_top *blocks)
{
    char span[TABLE_SPAN_MAX];
    for (uint32_t i = 0; i < blocks->n; i++) {
        const struct verify_job *front = &d->jobs[blocks->at[i].who];
        append(line, room, "%sjob %.60s (%u GPU%s) %s",
               i ? ", " : "; in front: ", front->id, front->gpus,
               explain_plural(front->gpus),
               table_span(span_seconds((sim_span)blocks->at[i].amount), span));
    }
    if (blocks->n_more)
        append(line, room, " and %u more", blocks->n_more);
}

static void print_reason(const struct verify_data *d, const struct waiting *w,
                         enum explain_reason reason,
                         const struct explain_who *who)
{
    char line[1024] = "", span[TABLE_SPAN_MAX];
    append(line, sizeof line, "    %s %s", explain_codes[reason],
           table_span(span_seconds(w->why.spans[reason]), span));
    if (reason == EXPLAIN_OVERTAKEN && who)
        append(line, sizeof line, " (%u job%s, %.4g GPU h)", who->later_jobs,
               explain_plural(who->later_jobs), gpu_hours(w->later_time));
    append(line, sizeof line, ": %s", explain_helps[reason]);
    if (who && (reason == EXPLAIN_BLOCKED_BY || reason == EXPLAIN_RESERVED_FOR))
        name_blocks(line, sizeof line, d, &who->blocks);
    say(stdout, "%s", line);
}

/* Prints the reasons, the longest first. */
static void print_reasons(const struct verify_data *d, const struct waiting *w,
                          const struct explain_who *who)
{
    struct explain_reasons rest = w->why;
    for (explain_reasons_rank(&rest); rest.main != EXPLAIN_NONE;
         explain_reasons_rank(&rest)) {
        print_reason(d, w, rest.main, who);
        rest.spans[rest.main] = 0;
    }
}

static void print_holders(const struct verify_data *d,
                          const struct explain_who *who)
{
    char line[1024] = "";
    for (uint32_t i = 0; i < who->users.n; i++) {
        const struct explain_share *s = &who->users.at[i];
        append(line, sizeof line, "%s%.60s (%u job%s, %.0f %%)", i ? ", " : "",
               interner_string(&d->users, s->who), s->n_jobs,
               explain_plural(s->n_jobs),
               100 * (double)s->amount / (double)who->held);
    }
    if (who->held)
        say(stdout,
            "    meanwhile other jobs held %.4g GPU h of the GPUs that it "
            "could use%s%s",
            gpu_hours(who->held), who->users.n ? ", most of them users " : "",
            line);
    line[0] = '\0';
    for (uint32_t i = 0; i < who->jobs.n; i++) {
        const struct explain_share *s = &who->jobs.at[i];
        append(line, sizeof line, "%s%.60s (%.0f %%)", i ? ", " : "",
               d->jobs[s->who].id, 100 * (double)s->amount / (double)who->held);
    }
    if (who->jobs.n)
        say(stdout, "    most of them jobs %s", line);
}

static void print_waiting(const struct verify_data *d, const struct waiting *w,
                          uint32_t need, const struct explain_who *who)
{
    char span[TABLE_SPAN_MAX], at[EXPLAIN_TIME_MAX];
    say(stdout, "%s  waits %s%s%s", explain_time(w->from, at),
        table_span(span_seconds(w->to - w->from), span),
        w->to_profile ? " to be profiled" : "",
        w->started ? "" : ", and the job never starts");
    if (!w->to_profile && w->to > w->released)
        say(stdout,
            "    needs %u GPU%s; %u %s free in its virtual cluster, %u earlier "
            "job%s waited already",
            need, explain_plural(need), w->free_gpus,
            w->free_gpus == 1 ? "was" : "were", w->ahead,
            explain_plural(w->ahead));
    print_reasons(d, w, who);
    if (w->later_starts)
        say(stdout,
            "    meanwhile %" PRIu64 " start%s of jobs submitted later, on "
            "%" PRIu64 " GPU%s",
            w->later_starts, explain_plural(w->later_starts), w->later_gpus,
            explain_plural(w->later_gpus));
    if (who && !w->to_profile)
        print_holders(d, who);
}

/* Adds who else was profiled meanwhile, and how many GPUs are set aside or, if
 * none are, were lent at the end of the wait. */
static void tell_profiler(const struct verify_data *d, const struct waiting *w,
                          json_t *json)
{
    uint32_t n = 0, gpus = 0;
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        n += a->profiling && a->start < w->to && a->end > w->from;
    }
    for (size_t i = 0; i < d->n_nodes; i++)
        gpus += d->nodes[i].profiler ? d->nodes[i].gpus : 0;
    bool owns = gpus > 0;
    for (size_t i = 0; !owns && i < d->n_changes; i++) {
        const struct verify_change *change = &d->changes[i];
        if (change->kind >= NODE_LENT && change->at <= w->to)
            gpus += change->kind == NODE_LENT ? d->nodes[change->node].gpus
                                              : -d->nodes[change->node].gpus;
    }
    if (json) {
        json_t *all = json_object_get(json, "events");
        json_t *row = json_array_get(all, json_array_size(all) - 1);
        json_put(row, "profiled_meanwhile", json_integer(n));
        json_put(row, "profiler_gpus", json_integer(gpus));
        return;
    }
    say(stdout, "    meanwhile %u others were profiled; %u GPUs %s for that", n,
        gpus, owns ? "are set aside" : "were lent");
}

void explain_wait(const struct verify_data *d,
                  const struct explain_waits *waits,
                  const struct verify_job *job, const struct waiting *wait,
                  bool named, json_t *json)
{
    struct explain_who who;
    named &= !wait->to_profile;
    if (named)
        explain_who_of(d, waits, wait, job, &who);
    if (json)
        write_waiting(json, d, wait, named ? &who : NULL);
    else
        print_waiting(d, wait, job->gpus, named ? &who : NULL);
    if (wait->to_profile)
        tell_profiler(d, wait, json);
}
