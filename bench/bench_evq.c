/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the event queue in the hold model: with n events pending, the
 * earliest one is taken and a later one is added. The numbers n and the times
 * between events (lognormal, sigma 2) are like those of runs. Also measures how
 * long it takes to cancel random pending events and add them again, as a
 * preemption does. */
#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/rng.h"
#include "base/state/evq.h"

enum { STEPS = 1000000, SPANS = 65536 };

static double cpu_seconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static double hold(struct evq *q, const sim_span *spans)
{
    double start = cpu_seconds();
    for (size_t i = 0; i < STEPS; i++) {
        struct evq_entry e = *evq_peek(q);
        evq_pop(q);
        evq_add(q, e.at + spans[i % SPANS], evq_rank(&e), e.payload);
    }
    return (cpu_seconds() - start) / STEPS;
}

/* Measures cancelling an event and adding it again. Returns CPU seconds per
 * pair. `handles`: handles of the pending events, by their number. */
static double replace(struct evq *q, const sim_span *spans, evq_handle *handles,
                      const uint32_t *picks)
{
    double start = cpu_seconds();
    for (size_t i = 0; i < STEPS; i++) {
        evq_handle *handle = &handles[picks[i % SPANS]];
        sim_time at = evq_time(q, *handle);
        evq_cancel(q, *handle);
        *handle = evq_add(q, at + spans[i % SPANS], 0, 0);
    }
    return (cpu_seconds() - start) / STEPS;
}

static void bench(uint32_t n, const sim_span *spans)
{
    struct evq q;
    evq_handle *handles = mem_alloc(n * sizeof *handles);
    uint32_t *picks = mem_alloc(SPANS * sizeof *picks);
    rng_fill(n, "picks", picks, SPANS);
    evq_init(&q);
    for (uint32_t i = 0; i < n; i++)
        handles[i] = evq_add(&q, spans[i % SPANS], 0, i);
    for (size_t i = 0; i < SPANS; i++)
        picks[i] = (uint32_t)((uint64_t)picks[i] * n >> 32);
    double replaced = replace(&q, spans, handles, picks);
    double held = hold(&q, spans);
    printf("| %" PRIu32 " | %.0f | %.0f |\n", n, held * 1e9, replaced * 1e9);
    evq_fini(&q);
    free(handles);
    free(picks);
}

int main(void)
{
    sim_span *spans = mem_alloc(SPANS * sizeof *spans);
    gsl_rng *rng = rng_open(1, "spans");
    for (size_t i = 0; i < SPANS; i++)
        spans[i] = span_from_seconds(gsl_ran_lognormal(rng, 5.3, 2));
    printf("| pending | ns a pop and add | ns a cancel and add |\n"
           "| ---: | ---: | ---: |\n");
    for (uint32_t n = 100; n <= 1000000; n *= 10)
        bench(n, spans);
    rng_free(rng);
    free(spans);
    return 0;
}
