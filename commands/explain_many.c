/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/explain_many.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/explain_wait.h"
#include "commands/explain_who.h"
#include "commands/table.h"

/* Says that the result has no such job, and names up to three jobs whose ids
 * begin most like it, such as the tasks of an array job. */
static enum status no_job(const char *dir, const char *id,
                          const struct verify_data *d, struct error *err)
{
    size_t best = 0, n = 0;
    const char *near[3] = {0};
    for (size_t i = 0; i < d->n_jobs; i++) {
        size_t same = 0;
        while (id[same] && d->jobs[i].id[same] == id[same])
            same++;
        n = same > best ? 0 : n;
        best = same > best ? same : best;
        if (same == best && n < 3)
            near[n++] = d->jobs[i].id;
    }
    if (best == 0)
        return error_set(err, STATUS_USAGE, "%s: has no job '%.100s'", dir, id);
    return error_set(err, STATUS_USAGE,
                     "%s: has no job '%.100s'; nearest: '%.60s'%s%.60s%s%s"
                     "%.60s%s",
                     dir, id, near[0], n > 1 ? ", '" : "", n > 1 ? near[1] : "",
                     n > 1 ? "'" : "", n > 2 ? ", '" : "", n > 2 ? near[2] : "",
                     n > 2 ? "'" : "");
}

static enum status find_named(const struct explain_wish *wish, const char *dir,
                              struct explain_many *out, struct error *err)
{
    const struct verify_data *d = out->data;
    for (size_t k = 0; k < wish->jobs.n; k++) {
        size_t i = 0;
        while (i < d->n_jobs && strcmp(d->jobs[i].id, wish->jobs.at[k]) != 0)
            i++;
        if (i == d->n_jobs)
            return no_job(dir, wish->jobs.at[k], d, err);
        out->jobs[out->n++] = &d->jobs[i];
    }
    return STATUS_OK;
}

/* Finds the symbol of the user with this name; 0 if `user` is NULL.
 * STATUS_USAGE if the result has no such user. */
static enum status find_user(const char *user, const char *dir,
                             const struct verify_data *d, uint32_t *out,
                             struct error *err)
{
    const char **names;
    *out = user ? interner_find(&d->users, text_from(user)) : 0;
    if (!user || (*out != UINT32_MAX && *out != 0))
        return STATUS_OK;
    names = mem_alloc((d->users.n_strings + 1) * sizeof *names);
    for (uint32_t s = 1; s < d->users.n_strings; s++)
        names[s - 1] = interner_string(&d->users, s);
    const char *near =
        text_nearest(text_from(user), names, d->users.n_strings - 1);
    enum status st = error_set(err, STATUS_USAGE,
                               "%s: has no jobs of user '%.100s'%s%.60s%s", dir,
                               user, near ? "; did you mean '" : "",
                               near ? near : "", near ? "'?" : "");
    free(names);
    return st;
}

static int by_delay(const void *a, const void *b)
{
    const struct verify_job *x = *(const struct verify_job *const *)a,
                            *y = *(const struct verify_job *const *)b;
    if (x->queue_delay != y->queue_delay)
        return x->queue_delay > y->queue_delay ? -1 : 1;
    return (x > y) - (x < y); /* both are elements of one array, in the order of
                               * submission */
}

/* Measures the waits of all jobs. Watches the jobs that were found if there are
 * few, because each costs time at each change. */
static void measure(const struct explain_wish *wish,
                    const struct verify_failures *failures,
                    struct explain_many *out)
{
    const struct verify_data *d = out->data;
    bool *watched = mem_zalloc(d->n_jobs + 1, sizeof *watched);
    out->named = wish->jobs.n || wish->worst;
    for (size_t i = 0; i < out->n && out->named; i++)
        watched[out->jobs[i] - d->jobs] = true;
    explain_waits_of(failures, out->named ? watched : NULL, &out->waits);
    free(watched);
    for (size_t i = 0; i < out->n; i++)
        out->reasons[i] = explain_waits_sum(&out->waits, d, out->jobs[i]);
}

enum status explain_many_find(const struct explain_wish *wish, const char *dir,
                              const struct verify_failures *failures,
                              struct explain_many *out, struct error *err)
{
    const struct verify_data *d = failures->data;
    uint32_t user;
    size_t room = (wish->jobs.n > d->n_jobs ? wish->jobs.n : d->n_jobs) + 1;
    *out = (struct explain_many){
        .data = d,
        .jobs = mem_alloc(room * sizeof(struct verify_job *)),
        .reasons = mem_zalloc(room, sizeof *out->reasons)};
    enum status st = find_user(wish->user, dir, d, &user, err);
    if (st == STATUS_OK && wish->jobs.n)
        st = find_named(wish, dir, out, err);
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < d->n_jobs && !wish->jobs.n; i++) {
        if (!user || d->jobs[i].user == user)
            out->jobs[out->n++] = &d->jobs[i];
    }
    if (wish->worst) {
        qsort(out->jobs, out->n, sizeof *out->jobs, by_delay);
        out->n = wish->worst < out->n ? wish->worst : out->n;
    }
    measure(wish, failures, out);
    return STATUS_OK;
}

void explain_many_fini(struct explain_many *many)
{
    explain_waits_fini(&many->waits);
    free(many->jobs);
    free(many->reasons);
}

/* Sums over the jobs. */
struct sums {
    size_t n_waited, n_rejected;
    sim_span spans[EXPLAIN_N_REASONS], delay, whole;
};

static struct sums add_up(const struct explain_many *many)
{
    struct sums sums = {0};
    for (size_t i = 0; i < many->n; i++) {
        const struct explain_reasons *r = &many->reasons[i];
        sums.n_waited += many->jobs[i]->queue_delay > 0;
        sums.n_rejected += r->main == EXPLAIN_REJECTED;
        sums.delay += many->jobs[i]->queue_delay;
        for (unsigned k = 0; k < EXPLAIN_N_REASONS; k++) {
            sums.spans[k] += r->spans[k];
            sums.whole += r->spans[k];
        }
    }
    return sums;
}

static void print_sums(const struct explain_many *many)
{
    struct sums sums = add_up(many);
    char span[TABLE_SPAN_MAX];
    printf("%zu of %zu jobs waited, %s in all", sums.n_waited, many->n,
           table_span(span_seconds(sums.delay), span));
    if (sums.n_rejected)
        printf("; %zu %s rejected", sums.n_rejected,
               sums.n_rejected == 1 ? "was" : "were");
    for (unsigned k = 1, any = 0; k < EXPLAIN_N_REASONS; k++) {
        if (sums.spans[k])
            printf("%s%s %.1f %%", any++ ? ", " : "\nwhy: ", explain_codes[k],
                   100 * (double)sums.spans[k] / (double)sums.whole);
    }
    putchar('\n');
}

/* Adds the main reason of a job, with who was to blame. */
static void add_reason(struct table *table, const struct explain_many *many,
                       size_t i)
{
    const struct verify_job *job = many->jobs[i], *front;
    const struct explain_waits *waits = &many->waits;
    const struct waiting *w = &waits->at[waits->first[job - many->data->jobs]];
    enum explain_reason main = many->reasons[i].main;
    uint64_t starts = 0, gpu_time = 0;
    for (uint32_t k = 0; k <= job->n_attempts; k++) {
        starts += w[k].later_starts;
        gpu_time += w[k].later_time;
    }
    front = many->named &&
                    (main == EXPLAIN_BLOCKED_BY || main == EXPLAIN_RESERVED_FOR)
                ? explain_who_blocked(many->data, waits, job)
                : NULL;
    if (main == EXPLAIN_OVERTAKEN)
        table_add(table, "%s (%" PRIu64 " start%s, %.4g GPU h)",
                  explain_codes[main], starts, explain_plural(starts),
                  (double)gpu_time / (double)SPAN_HOUR);
    else
        table_add(table, "%s%s%s", explain_codes[main], front ? " " : "",
                  front ? front->id : "");
}

void explain_many_print(const struct explain_many *many)
{
    static const char *const heads[] = {"job",    "user",   "vc",    "GPUs",
                                        "waited", "reason", "of it", "outcome"};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    const struct verify_data *d = many->data;
    struct table table;
    char span[TABLE_SPAN_MAX];
    size_t n = 0;
    table_init(&table, COLUMNS, 0xa7);
    for (size_t i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", heads[i]);
    for (size_t i = 0; i < many->n; i++) {
        const struct verify_job *job = many->jobs[i];
        const struct explain_reasons *r = &many->reasons[i];
        if (r->main == EXPLAIN_NONE)
            continue;
        sim_span all = explain_reasons_sum(r);
        n++;
        table_add(&table, "%s", job->id);
        table_add(&table, "%s", interner_string(&d->users, job->user));
        table_add(&table, "%s", interner_string(&d->vcs, job->vc));
        table_add(&table, "%u", job->gpus);
        table_add(&table, "%s",
                  table_span(span_seconds(job->queue_delay), span));
        add_reason(&table, many, i);
        if (all > 0 && r->spans[r->main] > 0)
            table_add(&table, "%.0f %%",
                      100 * (double)r->spans[r->main] / (double)all);
        else
            table_add(&table, "-");
        table_add(&table, "%s", verify_outcomes[job->outcome]);
    }
    if (n)
        table_print(&table, stdout);
    table_fini(&table);
    print_sums(many);
}

void explain_many_put(json_t *json, const struct explain_many *many)
{
    struct sums sums = add_up(many);
    json_t *reasons = json_object();
    for (unsigned k = 1; k < EXPLAIN_N_REASONS; k++) {
        if (sums.spans[k])
            json_put(reasons, explain_codes[k],
                     json_number(span_seconds(sums.spans[k])));
    }
    json_put(json, "n_jobs", json_integer((json_int_t)many->n));
    json_put(json, "n_waited", json_integer((json_int_t)sums.n_waited));
    json_put(json, "n_rejected", json_integer((json_int_t)sums.n_rejected));
    json_put(json, "queue_delay_s", json_number(span_seconds(sums.delay)));
    json_put(json, "reasons", reasons);
}
