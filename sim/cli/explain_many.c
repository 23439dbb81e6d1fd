/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/explain_many.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/table.h"

static enum status find_named(const struct explain_wish *wish, const char *dir,
                              struct explain_many *out, struct error *err)
{
    const struct verify_data *d = out->data;
    for (size_t k = 0; k < wish->jobs.n; k++) {
        size_t i = 0;
        while (i < d->n_jobs && strcmp(d->jobs[i].id, wish->jobs.at[k]) != 0)
            i++;
        if (i == d->n_jobs)
            return error_set(err, STATUS_USAGE, "%s: has no job '%.100s'", dir,
                             wish->jobs.at[k]);
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

const struct explain_gpus *explain_many_gpus(struct explain_many *many,
                                             const struct verify_job *job)
{
    struct explain_gpus *gpus = &many->gpus[job->vc];
    if (!gpus->edges)
        explain_gpus_init(gpus, many->data, job->vc);
    return gpus;
}

enum status explain_many_find(const struct explain_wish *wish, const char *dir,
                              const struct verify_data *d,
                              struct explain_many *out, struct error *err)
{
    uint32_t user;
    size_t room = (wish->jobs.n > d->n_jobs ? wish->jobs.n : d->n_jobs) + 1;
    *out = (struct explain_many){
        .data = d,
        .gpus = mem_zalloc(d->vcs.n_strings + 1, sizeof *out->gpus),
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
    for (size_t i = 0; i < out->n; i++)
        explain_reasons_of(d, out->jobs[i],
                           explain_many_gpus(out, out->jobs[i]),
                           &out->reasons[i]);
    return STATUS_OK;
}

void explain_many_fini(struct explain_many *many)
{
    for (size_t i = 0; many->gpus && i < many->data->vcs.n_strings; i++)
        explain_gpus_fini(&many->gpus[i]);
    free(many->gpus);
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
        sim_span all = 0;
        for (unsigned k = 0; k < EXPLAIN_N_REASONS; k++)
            all += r->spans[k];
        n++;
        table_add(&table, "%s", job->id);
        table_add(&table, "%s", interner_string(&d->users, job->user));
        table_add(&table, "%s", interner_string(&d->vcs, job->vc));
        table_add(&table, "%u", job->gpus);
        table_add(&table, "%s",
                  table_span(span_seconds(job->queue_delay), span));
        table_add(&table, "%s", explain_codes[r->main]);
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
