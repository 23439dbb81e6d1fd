/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures events per CPU second of the engine alone, without writing results
 * or starting the process, and separately the time to prepare the run, which is
 * mostly reading the trace. Usage: bench_replay TRACE CLUSTER POLICY... */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "sim/run/run.h"
#include "traces/trace.h"

static double cpu_seconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static enum status bench(const struct run_config *config, struct error *err)
{
    struct run *run;
    double start = cpu_seconds();
    enum status st = run_prepare(config, &run, err);
    if (st != STATUS_OK)
        return st;
    double middle = cpu_seconds();
    st = run_execute(run, err);
    double end = cpu_seconds();
    const struct run_result *r = run_result(run);
    double jobs = r->jobset.n_jobs;
    if (st == STATUS_OK || st == STATUS_INCOMPLETE) {
        printf("| %s | %.0f | %" PRIu64 " | %.0f | %.0f | %.2f |\n",
               config->policy, jobs, r->n_events, (middle - start) / jobs * 1e9,
               (end - middle) / jobs * 1e9,
               (double)r->n_events / (end - middle) / 1e6);
        st = STATUS_OK;
    }
    run_free(run);
    return st;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    enum status st = STATUS_OK;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_replay TRACE CLUSTER POLICY...\n");
        return 2;
    }
    printf("| policy | jobs | events | ns a job to read | ns a job to simulate "
           "| M events/s |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (int i = 3; i < argc && st == STATUS_OK; i++) {
        struct run_config config = {
            .trace = argv[1],
            .cluster = argv[2],
            .policy = argv[i],
            .load = {.from = TRACE_NO_TIME, .to = TRACE_NO_TIME}};
        st = bench(&config, &err);
    }
    if (st != STATUS_OK)
        fprintf(stderr, "bench_replay: %s\n", err.message);
    return st == STATUS_OK ? 0 : 1;
}
