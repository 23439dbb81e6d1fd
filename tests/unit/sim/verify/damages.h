/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors that `verify` must find. The test puts each error alone into a correct
 * result. */
#ifndef TESTS_UNIT_SIM_VERIFY_DAMAGES_H
#define TESTS_UNIT_SIM_VERIFY_DAMAGES_H

#include <stddef.h>

/* An error in one file of a result. */
struct damage {
    const char *file;
    /* for PART: the changed text comes after this text; for CELL: "JOB
     * COLUMN" */
    const char *where;
    const char *from;  /* text to be replaced; NULL: the whole cell */
    const char *to;    /* replacement */
    const char *words; /* text that verify must print */
};
#define CELL(file_, where_, to_, words_) \
    { \
        .file = file_, .where = where_, .to = to_, .words = words_ \
    }
#define PART(file_, where_, from_, to_, words_) \
    { \
        .file = file_, .where = where_, .from = from_, .to = to_, \
        .words = words_ \
    }

/* Errors in a result without attempts.csv: job j0 runs on GPUs 0-3 from 0 s on,
 * job j1 on GPUs 4-5 from 10 s on. */
static const struct damage plain_damages[] = {
    CELL("jobs.csv", "j1 shared", "1", "job j1: attempts.csv is missing"),
    CELL("jobs.csv", "j1 outcome", "given-up",
         "job j1: attempts.csv is missing"),
    CELL("jobs.csv", "j1 attempts", "2", "job j1: 2 attempts, 1 listed"),
    CELL("jobs.csv", "j1 preemptions", "1", "job j1: 1 preemptions, 0 listed"),
    CELL("jobs.csv", "j1 allocated_resources", "3-4",
         "1 jobs hold already (limit 1)"),
    CELL("jobs.csv", "j1 allocated_resources", "4",
         "job j1: holds 1 GPUs, its gang is 2"),
    CELL("jobs.csv", "j1 allocated_resources", "4-x", "not a value"),
    CELL("jobs.csv", "j1 allocated_resources", "", "holds no GPU"),
    CELL("jobs.csv", "j1 starting_time", "9", "before its submission"),
    CELL("jobs.csv", "j1 running", "49", "job j1: running is"),
};

/* Errors in a result with preemptions, virtual clusters and GPU types. */
static const struct damage damages[] = {
    CELL("attempts.csv", "j2 allocated_resources", "9-12", "not a value"),
    CELL("attempts.csv", "j2 allocated_resources", "4-7",
         "job j2, attempt at 20.000000 s: is outside its virtual cluster"),
    CELL("attempts.csv", "j2 allocated_resources", "8-10",
         "job j2, attempt at 20.000000 s: holds 3 GPUs, its gang is 4"),
    CELL("attempts.csv", "j2 allocated_resources", "8-9 8-9",
         "names a GPU twice"),
    CELL("attempts.csv", "j1 allocated_resources", "3-4",
         "is on GPUs of several types"),
    CELL("attempts.csv", "j5 allocated_resources", "0",
         "1 jobs hold already (limit 1)"),
    CELL("jobs.csv", "j2 duration", "99", "job j2: work is 100.000000 s"),
    CELL("jobs.csv", "j2 work", "99", "job j2: running is 100.000000 s"),
    CELL("jobs.csv", "j0 overhead", "29", "job j0: running is"),
    CELL("jobs.csv", "j4 lost", "19", "job j4: work is"),
    CELL("jobs.csv", "j3 queue_delay", "0", "job j3: queue_delay is"),
    CELL("jobs.csv", "j3 waiting_time", "1",
         "waiting_time: is '1', but starting_time - submission_time is"),
    CELL("jobs.csv", "j3 turnaround_time", "1",
         "turnaround_time: is '1', but finish_time - submission_time is"),
    CELL("jobs.csv", "j3 execution_time", "1",
         "execution_time: is '1', but finish_time - starting_time is"),
    CELL("attempts.csv", "j2 starting_time", "19",
         "starting_time: job j2, attempt at 19.000000 s: starts before"),
    CELL("jobs.csv", "j0 starting_time", "1", "job j0: starting_time is"),
    CELL("jobs.csv", "j0 attempts", "3", "job j0: 3 attempts, 2 listed"),
    CELL("jobs.csv", "j0 preemptions", "2", "job j0: 2 preemptions, 1 listed"),
    CELL("jobs.csv", "j0 running", "1", "job j0: running is"),
    CELL("jobs.csv", "j0 slowdown", "2", "job j0: slowdown"),
    CELL("jobs.csv", "j3 rho", "2.5", "job j3: rho"),
    CELL("jobs.csv", "j3 slowdown_by_load", "2.5", "job j3: slowdown_by_load"),
    PART("summary.json", "goodput", ": 0.", ": 1.", "summary.metrics.goodput"),
    PART("summary.json", "useful_gpu_hours", ": ", ": 1",
         "summary.metrics.useful_gpu_hours"),
    CELL("jobs.csv", "j3 success", "1",
         "success: is '1', but the outcome says otherwise"),
    CELL("jobs.csv", "j3 outcome", "unfinished",
         "outcome: is 'unfinished', but finish_time says otherwise"),
    CELL("jobs.csv", "j3 submission_time", "10",
         "submission_time: is '10', but rises from row to row"),
    CELL("jobs.csv", "j3 vc", "c", "not a value"),
    CELL("attempts.csv", "j4 how", "finished", "runs again after its end"),
    CELL("attempts.csv", "j4 how", "fallen", "how: 'fallen' is not"),
    PART("attempts.csv", "\nj4", "j4", "j9", "'j9' is not a job of jobs.csv"),
    PART("attempts.csv", "\nj2", "j2", "j1", "job j1: 1 attempts, 2 listed"),
    PART("attempts.csv", "how", "how", "hwo", "hwo: is not the column how"),
    CELL("attempts.csv", "j0 submission_time", "1",
         "submission_time: is '1', but the job began to wait at"),
    CELL("attempts.csv", "j0 requested_number_of_resources", "3",
         "requested_number_of_resources: is '3', but the job's row in "),
    CELL("attempts.csv", "j2 success", "0",
         "success: is '0', but the attempt did not end so"),
    CELL("attempts.csv", "j4 final_state", "RUNNING",
         "final_state: is 'RUNNING', but the attempt did not end so"),
    CELL("attempts.csv", "j2 waiting_time", "1",
         "waiting_time: is '1', but starting_time - submission_time is"),
    CELL("attempts.csv", "j2 execution_time", "1",
         "execution_time: is '1', but finish_time - starting_time is"),
    CELL("attempts.csv", "j2 turnaround_time", "1",
         "turnaround_time: is '1', but finish_time - submission_time is"),
    CELL("attempts.csv", "j2 finish_time", "121", "turnaround_time: is"),
    CELL("attempts.csv", "j2 attempt", "2",
         "attempt: is '2', but attempts are numbered from 1 on"),
    CELL("attempts.csv", "j2 gpus", "3",
         "gpus: is '3', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 gpu_type", "B",
         "gpu_type: is 'B', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 nodes", "1",
         "nodes: is '1', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 nodes", "1-2",
         "nodes: is '1-2', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 nodes", "3", "nodes: '3' is not a value"),
    CELL("attempts.csv", "j2 shared", "1",
         "job j2: shared is 0, its attempts give 1"),
    CELL("attempts.csv", "j2 idle", "1", "idle + work is not"),
    CELL("attempts.csv", "j2 idle", "-1", "idle: '-1' is not a time"),
    CELL("attempts.csv", "j2 work", "99", "idle + work is not"),
    CELL("attempts.csv", "j0 resume", "7", "job j0: overhead is"),
    CELL("attempts.csv", "j4 lost", "1", "job j4: lost is"),
    CELL("attempts.csv", "j2 metadata", "x", "attempts.csv: was changed after"),
    CELL("jobs.csv", "j2 allocated_resources", "8-10",
         "job j2: allocated_resources differs from that of its last attempt"),
    PART("jobs.csv", "\nj7", "j7", "j7,x", "cells, but the header names"),
    PART("jobs.csv", "rho", "rho", "roh", "roh: is not the column rho"),
    PART("series.csv", "\n60,", ",8,", ",7,", "series.csv:4: gpus_up: is 7"),
    PART("summary.json", "\"knowledge\"", "oracle, an upper bound",
         "truth with errors", "summary.knowledge.mark: is 'truth with errors'"),
    PART("summary.json", "\"knowledge\"", "\"oracle\"", "\"none\"",
         "summary.knowledge.run_times: is 'none'"),
    PART("summary.json", "\"knowledge\"", "\"run times", "\"times",
         "summary.knowledge: words, run_times and answered"),
    PART("summary.json", "\"knowledge\"", "\"answered\": 1",
         "\"answered\": 0.5", "summary.knowledge.answered: is 0.5"),
    PART("summary.json", "jct_s", "\"p50\": ", "\"p50\": 1",
         "summary.metrics.jct_s.p50"),
    PART("summary.json", "allocation", ": 0.", ": 1.",
         "summary.metrics.allocation"),
    PART("summary.json", "fragmentation", ": 0.", ": 1.",
         "summary.metrics.fragmentation"),
    PART("summary.json", "utilisation", "utilisation", "usage",
         "summary.metrics.utilisation: is missing"),
    PART("summary.json", "utilisation", "utilisation", "usage",
         "summary.metrics.usage: should not be there"),
    PART("summary.json", "by_vc", "\"jobs\": ", "\"jobs\": 1",
         "summary.by_vc.a.jobs"),
    PART("summary.json", "by_outcome", "\"mean\": ", "\"mean\": 1",
         "summary.by_outcome.completed.jct_s.mean"),
    PART("summary.json", "\"outcomes\"", "\"failed\": 1", "\"failed\": 2",
         "summary.outcomes.failed"),
    PART("summary.json", "policy", "srtf", "fifo",
         "summary.json: was changed after"),
    PART("manifest.json", "changes", "60,", "55,", "under running jobs"),
    PART("manifest.json", "changes", "90,", "50000,", "is down"),
    PART("manifest.json", "input", "\"jobs\": 8", "\"jobs\": 9",
         "has 8 jobs, but manifest.json says 9"),
    PART("manifest.json", "groups", "\"profiler\": false", "\"profiler\": true",
         "runs on a node for profiling"),
    PART("manifest.json", "outputs", "jobs.csv", "../x", "is not a file"),
    PART("manifest.json", "seed", "seed", "sead", "is not a manifest"),
};

/* Errors in a result with profiling and sharing. */
static const struct damage profile_damages[] = {
    CELL("attempts.csv", "j0 finish_time", "101",
         "is profiled for 101.000000 s, the limit is "
         "100.000000 s"),
    CELL("attempts.csv", "j0 finish_time", "99",
         "is profiled for 99.000000 s, the limit is 100.000000 "
         "s"),
    CELL("attempts.csv", "j0 profiling", "0", "runs on a node for profiling"),
    PART("manifest.json", "changes", "lent", "down",
         "profiles on a node for jobs"),
    PART("manifest.json", "changes", "lent", "lend", "up|down|lent|back"),
    PART("manifest.json", "changes", "100,", "200,",
         "summary.profiling.lent_gpu_hours"),
    PART("manifest.json", "changes", "0,", "50,",
         "node 1 is lent at 50.000000 s under running jobs"),
    PART("summary.json", "\"profiling\"", "profiled_jobs\": 3",
         "profiled_jobs\": 4", "summary.profiling.profiled_jobs"),
    PART("summary.json", "\"profiling\"", "finished_jobs\": 1",
         "finished_jobs\": 0", "summary.profiling.finished_jobs"),
    PART("summary.json", "\"profiling\"", "\"use\": 0.", "\"use\": 1.",
         "summary.profiling.use"),
    PART("summary.json", "\"profiling\"", "delay_mean_s\": ",
         "delay_mean_s\": 1", "summary.profiling.delay_mean_s"),
    PART("summary.json", "\"profiling\"", "delay_max_s\": ", "delay_max_s\": 1",
         "summary.profiling.delay_max_s"),
    PART("summary.json", "\"profiling\"", "wait_mean_s\": ", "wait_mean_s\": 1",
         "summary.profiling.wait_mean_s"),
    PART("summary.json", "\"profiling\"", "lent_gpu_hours\": 0",
         "lent_gpu_hours\": 1", "summary.profiling.lent_gpu_hours"),
    PART("summary.json", "\"profiling\"", "cut_short\": 0", "cut_short\": null",
         "summary.profiling.cut_short: is missing, or is null where"),
    PART("summary.json", "\"profiling\"", "profiling", "profilinx",
         "summary.profiling: is missing"),
    PART("summary.json", "\"packing\"", "\"jobs\": ", "\"jobs\": 1",
         "summary.packing.jobs"),
    PART("summary.json", "\"packing\"", "busy_share\": 0.", "busy_share\": 1.",
         "summary.packing.busy_share"),
};

/* Errors in a result with a monitor: job j1 joins j0 at 10 s, is evicted at 60
 * s with 25 s of work, and runs again from 125 to 165 s. */
static const struct damage eviction_damages[] = {
    PART("attempts.csv", "j1,", "evicted", "stopped",
         "job j1: 0 preemptions, 1 listed"),
    PART("attempts.csv", "j1,", "evicted", "ousted", "not a value"),
    CELL("attempts.csv", "j1 shared", "0", "evicted: did not share GPUs"),
    CELL("attempts.csv", "j1 lost", "24",
         "evicted: lost is not all work of the job"),
    CELL("attempts.csv", "j1 how", "profiled",
         "summary.evictions.evictions: is 1, the files give 0"),
    PART("attempts.csv", "2,finished,1,A", "0,0,0,", "0,1,0,",
         "shares GPUs although the job was evicted before"),
    PART("manifest.json", "\"monitor perfect\"", "\"lose_work\": \"true\"",
         "\"lose_work\": \"false\"", "evicted: lost is not 0"),
    PART("manifest.json", "\"configuration\"", "\"monitor\":", "\"monitox\":",
         "attempts.csv: has evictions without a monitor"),
    PART("summary.json", "\"evictions\"", "evictions\": 1", "evictions\": 2",
         "summary.evictions.evictions"),
    PART("summary.json", "\"evictions\"", "\"jobs\": 1", "\"jobs\": 0",
         "summary.evictions.jobs"),
    PART("summary.json", "\"evictions\"", "\"hosts\": 1", "\"hosts\": 2",
         "2 hosts, at most 1 evictions beside one, do not add up to 1"),
    PART("summary.json", "\"evictions\"", "\"host_most\": 1",
         "\"host_most\": 0", "do not add up to 1"),
    PART("summary.json", "\"evictions\"", "lost_gpu_hours\": ",
         "lost_gpu_hours\": 1", "summary.evictions.lost_gpu_hours"),
    PART("summary.json", "\"evictions\"", "held_gpu_hours\": ",
         "held_gpu_hours\": 1", "summary.evictions.held_gpu_hours"),
    PART("summary.json", "\"gpu_time\"", "gpu_time", "gpu_tima",
         "summary.gpu_time: is missing"),
};

#endif
