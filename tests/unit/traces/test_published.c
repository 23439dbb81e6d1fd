/* SPDX-License-Identifier: GPL-3.0-or-later */
/* If the published files are at hand, each must have its expected number of
 * rows. Writes TAP itself: cmocka 1.1.5 calls a skipped test "not ok". */
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
    {"philly/philly_jobs.csv.gz", "philly-flat", 82582, 82582},
    {"philly/pollux_philly.csv.gz", "philly-flat", 63210, 63210},
    {"philly/cluster_job_log_sample.json", "philly", 3, 2},
    {"philly/multi_gpu_attempts.json", "philly", 2059, 2059},
    {"philly/muri/trace1.csv", "muri", 1494, 1494},
    {"philly/muri/trace3.csv", "muri", 992, 992},
    {"helios/venus_gpu_jobs.csv.gz", "helios", 101543, 101543},
    {"helios/venus_log_slice.csv", "helios", 11250, 8405},
    {"acme/kalos_gpu_jobs_head.csv", "kalos", 600, 600},
    {"acme/kalos_completed_pretrain_other_sft.csv", "kalos", 178, 178},
    {"acme/trace_seren_sample.csv", "acme", 5, 5},
    {"sia/workloads/philly/workload-1.csv", "sia", 160, 160},
    {"sia/workloads/saturn/workload-6.csv", "sia", 160, 160},
    {"sia/workloads/newtrace/workload-2.csv", "sia", 960, 960},
    {"sia/workloads/scale/scale_32x/workload-3.csv", "sia", 5120, 5120},
    {"tiresias/60_job.csv", "tiresias", 60, 60},
    {"lucid/venus_sept_jobs_with_estimates.csv", "helios", 23873, 23873},
};

/* Returns NULL if the file has its rows. */
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
