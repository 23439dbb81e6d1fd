/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/users.h"

#include <stdlib.h>

static const char nobody[] = "(no user)";

void users_init(struct users *users, const struct run_result *run)
{
    const struct jobset *w = &run->jobset;
    size_t cap = 0;
    *users = (struct users){
        .numbers = mem_zalloc(w->strings.n_strings + 1, sizeof(uint32_t))};
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        uint32_t symbol = w->jobs[i].user;
        if (users->numbers[symbol])
            continue;
        users->names =
            mem_grow(users->names, &cap, users->n + 1, sizeof *users->names);
        users->names[users->n++] =
            symbol ? interner_string(&w->strings, symbol) : nobody;
        users->numbers[symbol] = (uint32_t)users->n;
    }
    for (size_t s = 0; s < w->strings.n_strings; s++)
        users->numbers[s] -= users->numbers[s] ? 1 : 0;
    users->times = mem_zalloc(users->n + 1, sizeof *users->times);
}

void users_fini(struct users *users)
{
    free(users->names);
    free(users->numbers);
    free(users->times);
}

void users_add(struct users *users, const struct facts *f)
{
    double rho = f->metric[METRIC_RHO];
    if (!f->finished)
        return;
    struct user_time *time = &users->times[users->numbers[f->job->user]];
    time->needed += f->duration;
    time->spent += facts_jct(f);
    if (isnan(rho))
        return;
    users->rho += rho;
    users->rho_squares += rho * rho;
    users->n_rho++;
}

static double jain(double sum, double squares, double n)
{
    return squares > 0 ? sum * sum / (n * squares) : NAN;
}

double users_jain(const struct users *users)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t u = 0; u < users->n; u++) {
        const struct user_time *time = &users->times[u];
        if (time->spent <= 0 || users->names[u] == nobody)
            continue;
        double x = (double)time->needed / (double)time->spent;
        sum += x;
        squares += x * x;
        n++;
    }
    return jain(sum, squares, n);
}

double users_jain_rho(const struct users *users)
{
    return jain(users->rho, users->rho_squares, users->n_rho);
}
