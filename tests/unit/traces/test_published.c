/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the format and the numbers of rows and jobs of each published trace,
 * unless the folder of these traces is absent. The program writes TAP itself,
 * because cmocka 1.1.5 calls a skipped test "not ok". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/load.h"
#include "traces/trace.h"

static const struct {
    const char *path, *format;
    uint32_t rows, jobs;
} published[] = {
    {.path = "philly/philly_jobs.csv.gz",
     .format = "philly-flat",
     .rows = 82582,
     .jobs = 82582},
    {.path = "philly/pollux_philly.csv.gz",
     .format = "philly-flat",
     .rows = 63210,
     .jobs = 63210},
    {.path = "philly/cluster_job_log_sample.json",
     .format = "philly",
     .rows = 3,
     .jobs = 2},
    {.path = "philly/multi_gpu_attempts.json",
     .format = "philly",
     .rows = 2059,
     .jobs = 2059},
    {.path = "philly/muri/trace1.csv",
     .format = "muri",
     .rows = 1494,
     .jobs = 1494},
    {.path = "philly/muri/trace3.csv",
     .format = "muri",
     .rows = 992,
     .jobs = 992},
    {.path = "helios/venus_gpu_jobs.csv.gz",
     .format = "helios",
     .rows = 101543,
     .jobs = 101543},
    {.path = "helios/venus_log_slice.csv",
     .format = "helios",
     .rows = 11250,
     .jobs = 8405},
    {.path = "acme/kalos_gpu_jobs_head.csv",
     .format = "kalos",
     .rows = 600,
     .jobs = 600},
    {.path = "acme/kalos_completed_pretrain_other_sft.csv",
     .format = "kalos",
     .rows = 178,
     .jobs = 178},
    {.path = "acme/trace_seren_sample.csv",
     .format = "acme",
     .rows = 5,
     .jobs = 5},
    {.path = "sia/workloads/philly/workload-1.csv",
     .format = "sia",
     .rows = 160,
     .jobs = 160},
    {.path = "sia/workloads/saturn/workload-6.csv",
     .format = "sia",
     .rows = 160,
     .jobs = 160},
    {.path = "sia/workloads/newtrace/workload-2.csv",
     .format = "sia",
     .rows = 960,
     .jobs = 960},
    {.path = "sia/workloads/scale/scale_32x/workload-3.csv",
     .format = "sia",
     .rows = 5120,
     .jobs = 5120},
    {.path = "tiresias/60_job.csv",
     .format = "tiresias",
     .rows = 60,
     .jobs = 60},
    {.path = "lucid/venus_sept_jobs_with_estimates.csv",
     .format = "helios",
     .rows = 23873,
     .jobs = 23873},
};

/* Returns NULL if the file has the expected format and numbers of rows and
 * jobs, otherwise a message. */
static const char *check(const char *folder, size_t i)
{
    static struct error err;
    char at[4096];
    struct jobset w;
    struct load_options all = {.from = TRACE_NO_TIME, .to = TRACE_NO_TIME};
    snprintf(at, sizeof at, "%s/traces/%s", folder, published[i].path);
    if (jobset_load(at, NULL, &all, &w, &err) != STATUS_OK)
        return err.message;
    if (strcmp(w.format, published[i].format) != 0)
        error_set(&err, STATUS_BROKEN, "read as %s", w.format);
    else if (w.n_rows != published[i].rows || w.n_jobs != published[i].jobs)
        error_set(&err, STATUS_BROKEN, "%" PRIu64 " rows, %" PRIu32 " jobs",
                  w.n_rows, w.n_jobs);
    else
        err = (struct error){0};
    jobset_fini(&w);
    return err.status == STATUS_OK ? NULL : err.message;
}

int main(void)
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    const char *root = getenv("SCHEDSIM_ROOT");
    const size_t n = sizeof published / sizeof *published;
    char folder[2048];
    int failed = 0;
    if (shared && *shared)
        snprintf(folder, sizeof folder, "%s", shared);
    else
        snprintf(folder, sizeof folder, "%s/../shared", root ? root : ".");
    bool present = access(folder, R_OK) == 0;
    if (!present)
        puts("# skipped: ../shared not present");
    for (size_t i = 0; i < n; i++) {
        const char *bad = present ? check(folder, i) : NULL;
        failed += bad != NULL;
        if (bad)
            printf("# %s\n", bad);
        printf("%sok %zu - %s%s\n", bad ? "not " : "", i + 1, published[i].path,
               present ? "" : " # SKIP ../shared not present");
    }
    printf("1..%zu\n", n);
    return failed > 0;
}
